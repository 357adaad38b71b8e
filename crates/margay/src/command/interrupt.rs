//! Signals that end the command: what runs stops where it stands, unfinished files go, and the exit code says which signal it was.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use margay::output;

/// What the command is at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Reading and checking, which soon come to an end or to what runs.
    Before,
    /// Something runs that looks at the switch, and tells where it stands.
    Running,
    /// Writing, which is given up.
    After,
}

impl Phase {
    /// How long a phase may go on when the command is to end.
    fn patience(self) -> Duration {
        Duration::from_millis(match self {
            Phase::Before => 60,
            Phase::Running => 150,
            Phase::After => 0,
        })
    }
}

static PHASE: Mutex<Phase> = Mutex::new(Phase::Before);
static STOP: AtomicBool = AtomicBool::new(false);
static SIGNAL: AtomicU8 = AtomicU8::new(0);

/// Says what the command is at from here on.
pub fn enter(phase: Phase) {
    *PHASE.lock().unwrap_or_else(PoisonError::into_inner) = phase;
}

fn phase() -> Phase {
    *PHASE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A switch that is set when the command is to end.
pub fn switch() -> &'static AtomicBool {
    &STOP
}

/// Whether the command is to end.
pub fn is_due() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// What shells expect of a program that a signal ended, 128 and the signal's number; nothing if none came.
pub fn exit_code() -> Option<u8> {
    let signal = SIGNAL.load(Ordering::Relaxed);
    is_due().then_some(128 + signal)
}

/// Begins to watch for signals. Where that cannot be done they end the process at once, as they would anyway.
#[cfg(unix)]
pub fn watch() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    let ending = if is_ignored(SIGHUP) { vec![SIGINT, SIGTERM] } else { vec![SIGINT, SIGTERM, SIGHUP] };
    let Ok(mut signals) = Signals::new(ending) else { return };
    let wait = move || {
        let Some(signal) = signals.forever().next() else { return };
        end(signal as u8, || signals.pending().next().is_some());
    };
    let _ = std::thread::Builder::new().name("signals".to_string()).spawn(wait);
}

/// Whether the process was begun so that it outlives this signal (`nohup`). Where that is not known, it is left alone.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let mask = || {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    };
    mask().is_none_or(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Begins to watch for Ctrl-C. Where that cannot be done it ends the process at once, as it would anyway.
#[cfg(not(unix))]
pub fn watch() {
    let _ = ctrlc::set_handler(|| end(2, || false));
}

/// Asks what runs to end, and ends the process itself when that takes too long or the signal comes `again`.
fn end(signal: u8, mut again: impl FnMut() -> bool) {
    SIGNAL.store(signal, Ordering::Relaxed);
    STOP.store(true, Ordering::SeqCst);
    let begun = Instant::now();
    while begun.elapsed() < phase().patience() && !again() {
        std::thread::sleep(Duration::from_millis(5));
    }
    output::abandon();
    std::process::exit(i32::from(128 + signal));
}
