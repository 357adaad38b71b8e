//! The driver's log: what is told on standard error, kept for programs that ask for it, and handed out to functions of theirs.
//!
//! A message is all that a call tells, without the end of its last line. It may have several lines, which stay: they show places in
//! PTX.

use crate::door::pass::LogFunction;
use crate::failed::{Answer, Failed};
use crate::results::Code;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// So many messages are kept.
const MOST: usize = 100;
/// Bytes of a message that are kept, so that one alone can always be asked for.
const LONGEST: usize = 16384;
/// What ends a message of which not all is kept.
const MORE: &str = " ...";
/// The first handle of a function, and how far the next one is.
const FIRST: usize = 0x4c4f_0000;
const STEP: usize = 16;

/// What comes before the messages of which some are missing.
const LOST: &str = "margay: older messages are lost, since the log keeps 100\n";
const LEFT_OUT: &str = "margay: older messages are left out, since there is no room for them\n";

/// How serious a message is, by the numbers in `cuda.h`.
#[derive(Clone, Copy)]
pub enum Level {
    Error = 0,
    Warning = 1,
}

/// What was told at once.
#[derive(Clone)]
struct Message {
    level: Level,
    text: Arc<str>,
}

/// A function that gets messages, with what the program wants to have given beside them.
struct Listener {
    handle: usize,
    function: LogFunction,
    data: usize,
}

/// All of it. The number of a message is how many there were before.
struct Log {
    /// The last messages, as dumps have them.
    lines: VecDeque<String>,
    /// How many messages there were.
    count: u64,
    listeners: Vec<Listener>,
    next: usize,
}

static LOG: Mutex<Log> = Mutex::new(Log::new());

fn log() -> MutexGuard<'static, Log> {
    LOG.lock().unwrap_or_else(PoisonError::into_inner)
}

thread_local! {
    /// How many calls the thread is in, one within another.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// What they have told and not handed out yet.
    static TOLD: RefCell<Vec<Message>> = const { RefCell::new(Vec::new()) };
}

/// Keeps what was told, with words that say when and by which thread. It is handed out when the call ends.
pub fn keep(level: Level, stamp: &str, text: &str) {
    let text = text.trim_end();
    if text.is_empty() {
        return;
    }
    let kept = &text[..text.floor_char_boundary(LONGEST)];
    let text = format!("{kept}{}", if kept.len() < text.len() { MORE } else { "" });
    let mut log = log();
    log.add(level, stamp, &text);
    if !log.listeners.is_empty() {
        // A thread that is ending hands nothing out.
        let _ = TOLD.try_with(|told| told.borrow_mut().push(Message { level, text: text.into() }));
    }
}

/// Carries out a call. Where it is not within another one, what was told is handed out at its end, when nothing is locked.
pub fn within<T>(call: impl FnOnce() -> T) -> T {
    DEPTH.set(DEPTH.get() + 1);
    let answer = call();
    if DEPTH.get() == 1 {
        hand_out();
    }
    DEPTH.set(DEPTH.get() - 1);
    answer
}

fn hand_out() {
    let told = TOLD.try_with(RefCell::take).unwrap_or_default();
    if told.is_empty() {
        return;
    }
    for Message { level, text } in told {
        let handles: Vec<_> = log().listeners.iter().map(|listener| listener.handle).collect();
        for handle in handles {
            // One of the functions may have taken back another one.
            let found = log().listeners.iter().find(|l| l.handle == handle).map(|l| (l.function, l.data));
            if let Some((function, data)) = found {
                let mut bytes = [text.as_bytes(), &[0]].concat();
                function(data, level as u32, bytes.as_mut_ptr().cast(), text.len());
            }
        }
    }
    // What calls of these functions told is kept alone: they would go on for ever.
    let _ = TOLD.try_with(RefCell::take);
}

/// Lets a function have all messages from now on, and gives a handle for it.
pub fn register(function: LogFunction, data: usize) -> usize {
    let mut log = log();
    let handle = log.next;
    log.next += STEP;
    log.listeners.push(Listener { handle, function, data });
    handle
}

/// Takes that back. A call of the function that another thread has begun may still come to its end.
pub fn unregister(handle: usize) -> Answer {
    let mut log = log();
    let at = log.listeners.iter().position(|listener| listener.handle == handle);
    log.listeners.remove(at.ok_or(Failed::from(Code::INVALID_VALUE))?);
    Ok(())
}

/// The number of the message that comes next.
pub fn current() -> u32 {
    log().count as u32
}

/// What is kept of the messages from a number on, or of all.
pub fn since(from: Option<u32>) -> Answer<Dump> {
    log().since(from)
}

impl Log {
    const fn new() -> Log {
        Log { lines: VecDeque::new(), count: 0, listeners: Vec::new(), next: FIRST }
    }

    fn add(&mut self, level: Level, stamp: &str, text: &str) {
        if self.lines.len() == MOST {
            self.lines.pop_front();
        }
        let letter = match level {
            Level::Error => 'E',
            Level::Warning => 'W',
        };
        self.lines.push_back(format!("{stamp}[CUDA][{letter}] {text}\n"));
        self.count += 1;
    }

    fn since(&self, from: Option<u32>) -> Answer<Dump> {
        let wanted = from.map_or(self.count, |from| u64::from((self.count as u32).wrapping_sub(from)));
        if wanted > self.count {
            return Err(Code::INVALID_VALUE.into());
        }
        let kept = self.lines.len();
        let lines = self.lines.iter().skip(kept.saturating_sub(wanted as usize)).cloned().collect();
        Ok(Dump { is_short: wanted > kept as u64, lines, end: self.count as u32 })
    }
}

/// Messages that are asked for.
pub struct Dump {
    /// Whether more were asked for than are kept.
    is_short: bool,
    lines: Vec<String>,
    /// The number of the message that comes after them.
    pub end: u32,
}

impl Dump {
    /// All of it.
    pub fn text(&self) -> String {
        let head = if self.is_short { LOST } else { "" };
        head.to_string() + &self.lines.concat()
    }

    /// As many of the last messages as have room, or nothing if that is none.
    pub fn text_within(&self, room: usize) -> Option<String> {
        let all = self.text();
        if all.len() <= room {
            return Some(all);
        }
        let mut left = room.checked_sub(LEFT_OUT.len())?;
        let has_room = |line: &&String| left.checked_sub(line.len()).map(|rest| left = rest).is_some();
        let count = self.lines.iter().rev().take_while(has_room).count();
        (count > 0).then(|| LEFT_OUT.to_string() + &self.lines[self.lines.len() - count..].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(count: usize) -> Log {
        let mut log = Log::new();
        for n in 0..count {
            log.add(Level::Error, "", &format!("{n:04}"));
        }
        log
    }

    /// A line of them.
    const LINE: usize = "[CUDA][E] 0000\n".len();

    #[test]
    fn what_is_asked_for_is_what_is_kept_of_it() {
        let log = filled(3);
        assert_eq!(log.since(None).unwrap().text(), "[CUDA][E] 0000\n[CUDA][E] 0001\n[CUDA][E] 0002\n");
        assert_eq!(log.since(Some(2)).unwrap().text(), "[CUDA][E] 0002\n");
        assert_eq!((log.since(Some(3)).unwrap().text().as_str(), log.since(Some(3)).unwrap().end), ("", 3));
        assert!([4, u32::MAX].into_iter().all(|from| log.since(Some(from)).is_err()));
        let log = filled(130);
        for from in [None, Some(0), Some(29)] {
            let text = log.since(from).unwrap().text();
            assert!(text.starts_with(&format!("{LOST}[CUDA][E] 0030\n")), "{from:?}: {text}");
            assert_eq!(text.lines().count(), 1 + MOST);
        }
        let text = log.since(Some(30)).unwrap().text();
        assert!(text.starts_with("[CUDA][E] 0030\n") && text.ends_with("[CUDA][E] 0129\n"), "{text}");
    }

    #[test]
    fn older_messages_are_left_out_where_there_is_no_room() {
        let dump = filled(10).since(None).unwrap();
        let lines =
            |room| dump.text_within(room).map(|text| (text.starts_with(LEFT_OUT), text.lines().count()));
        assert_eq!(lines(10 * LINE), Some((false, 10)));
        assert_eq!(lines(10 * LINE - 1), Some((true, 1 + (10 * LINE - 1 - LEFT_OUT.len()) / LINE)));
        assert_eq!(lines(LEFT_OUT.len() + LINE), Some((true, 2)));
        assert_eq!((lines(LEFT_OUT.len() + LINE - 1), lines(0)), (None, None));
        assert_eq!(filled(0).since(None).unwrap().text_within(0).as_deref(), Some(""));
    }
}
