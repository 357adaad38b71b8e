//! Whether barriers order all accesses of a program: then every order of its threads gives the same.

use super::program::{At, Loop, Program, Space, Stmt};

/// Who has touched a byte since the last barrier for all threads.
#[derive(Clone, Copy)]
enum Who {
    Thread(u32),
    Warp(u32),
    Many,
}

/// The last touch of a kind, and how many barriers of warps there had been.
type Touch = Option<(Who, u32)>;

/// What has been done with a byte.
#[derive(Clone, Copy, Default)]
struct Byte {
    read: Touch,
    written: Touch,
    added: Touch,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Deed {
    Read,
    Write,
    /// The sums of a program are all made by the same operation.
    Add,
}

struct Tracker<'p> {
    program: &'p Program,
    /// Of global and of shared memory.
    bytes: [Vec<Byte>; 2],
    epoch: u32,
    path: Vec<usize>,
    /// Whether what conflicts was done in one warp.
    in_warp: bool,
}

/// The path to the first statement that conflicts with what threads did before it, and whether those seem to be of the same warp.
pub fn first_conflict(program: &Program) -> Option<(Vec<usize>, bool)> {
    let bytes = vec![Byte::default(); program.window as usize];
    let mut tracker =
        Tracker { program, bytes: [bytes.clone(), bytes], epoch: 0, path: Vec::new(), in_warp: true };
    let all: Vec<u32> = (0..program.threads()).collect();
    tracker.all(&program.body, &all, ([0; 2], 0)).err().map(|()| (tracker.path, tracker.in_warp))
}

impl Tracker<'_> {
    fn all(&mut self, body: &[Stmt], threads: &[u32], turns: ([u32; 2], usize)) -> Result<(), ()> {
        for (k, stmt) in body.iter().enumerate() {
            self.path.push(k);
            self.one(stmt, threads, turns)?;
            self.path.pop();
        }
        Ok(())
    }

    fn one(&mut self, stmt: &Stmt, threads: &[u32], (turns, depth): ([u32; 2], usize)) -> Result<(), ()> {
        let columns = self.program.columns;
        match stmt {
            Stmt::Load { at, width, .. } => {
                self.touch(at, width.size(), threads.iter().copied(), turns, (Deed::Read, 0))
            }
            Stmt::Gather { space, width, count, .. } => {
                let at = At { space: *space, second: false, by: [0; 4], plus: 0, twist: 0, ahead: false };
                self.touch(&at, width.size() * count, threads.iter().copied(), turns, (Deed::Read, 0))
            }
            Stmt::Store { at, width, .. } => {
                self.touch(at, width.size(), threads.iter().copied(), turns, (Deed::Write, 0))
            }
            Stmt::Atomic { at, .. } => self.touch(at, 4, threads.iter().copied(), turns, (Deed::Add, 0)),
            Stmt::Copies { each, bytes } => each.iter().try_for_each(|[from, to]| {
                self.touch(from, *bytes, threads.iter().copied(), turns, (Deed::Read, 0))?;
                self.touch(to, *bytes, threads.iter().copied(), turns, (Deed::Write, 0))
            }),
            Stmt::Matrices { at, registers, store, .. } => {
                let rows = 8 * registers.len() as u32;
                let threads = threads.iter().copied().filter(|thread| thread % 32 < rows);
                // As if a lane's neighbour did the same.
                let deed = if *store { Deed::Write } else { Deed::Read };
                self.touch(at, 16, threads, turns, (deed, 1))
            }
            Stmt::Ops(_) => Ok(()),
            Stmt::Barrier(_) => {
                self.bytes.iter_mut().for_each(|bytes| bytes.fill(Byte::default()));
                Ok(())
            }
            Stmt::WarpBarrier => {
                self.epoch += 1;
                Ok(())
            }
            Stmt::Guarded { those, body, .. } => {
                let some: Vec<u32> = threads.iter().copied().filter(|t| those.has(*t, columns)).collect();
                self.all(body, &some, (turns, depth))
            }
            Stmt::Loop(Loop { turns: count, cut, body, .. }) => {
                let left = self.program.threads() - cut;
                let some: Vec<u32> = threads.iter().copied().filter(|t| *t < left).collect();
                for turn in 0..*count {
                    let mut turns = turns;
                    turns[depth] = turn;
                    let those = if turn + 1 == *count { &some } else { threads };
                    self.all(body, those, (turns, depth + 1))?;
                }
                Ok(())
            }
        }
    }

    /// Threads, and others whose numbers differ from theirs by a bit or none, do something with their elements.
    fn touch(
        &mut self,
        at: &At,
        size: u32,
        threads: impl Iterator<Item = u32>,
        turns: [u32; 2],
        (deed, other): (Deed, u32),
    ) -> Result<(), ()> {
        let bytes = match at.space {
            Space::Global => &mut self.bytes[0],
            Space::Shared => &mut self.bytes[1],
            Space::Input => return Ok(()),
        };
        let epoch = self.epoch;
        for thread in threads {
            let both = [thread, thread ^ other];
            let from = at.of(thread, self.program.columns, turns) as usize;
            for byte in &mut bytes[from..from + size as usize] {
                let others = match deed {
                    Deed::Read => [byte.written, byte.added],
                    Deed::Write => [byte.written, byte.added],
                    Deed::Add => [byte.written, byte.read],
                };
                let read = byte.read.filter(|_| deed == Deed::Write);
                let touches = others.iter().chain([&read]);
                let mut pairs = touches.flat_map(|touch| both.map(|thread| (touch, thread)));
                if let Some((touch, thread)) =
                    pairs.find(|(touch, thread)| !is_before(**touch, *thread, epoch))
                {
                    self.in_warp = is_before(*touch, thread, epoch + 1);
                    return Err(());
                }
                let own = match deed {
                    Deed::Read => &mut byte.read,
                    Deed::Write => &mut byte.written,
                    Deed::Add => &mut byte.added,
                };
                for thread in both {
                    *own = Some((with(*own, thread), epoch));
                }
            }
        }
        Ok(())
    }
}

/// Whether a touch comes before what a thread does now.
fn is_before(touch: Touch, thread: u32, epoch: u32) -> bool {
    match touch {
        None => true,
        Some((Who::Thread(other), _)) if other == thread => true,
        Some((Who::Thread(other), then)) => other / 32 == thread / 32 && then < epoch,
        Some((Who::Warp(warp), then)) => warp == thread / 32 && then < epoch,
        Some((Who::Many, _)) => false,
    }
}

/// Those who have touched a byte, and one more.
fn with(touch: Touch, thread: u32) -> Who {
    match touch {
        None => Who::Thread(thread),
        Some((Who::Thread(other), _)) if other == thread => Who::Thread(thread),
        Some((Who::Thread(other), _)) if other / 32 == thread / 32 => Who::Warp(thread / 32),
        Some((Who::Warp(warp), _)) if warp == thread / 32 => Who::Warp(warp),
        Some(_) => Who::Many,
    }
}
