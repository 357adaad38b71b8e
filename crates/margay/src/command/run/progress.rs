//! How far a long launch is, on a terminal, and how it is stopped.

use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use margay_exec::Progress;

/// A launch shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_millis(700);

/// A bar on standard error that appears when a launch takes long.
pub struct Bar {
    begun: Instant,
    bar: Mutex<Option<ProgressBar>>,
    wanted: bool,
}

impl Bar {
    /// A bar that never appears if `quiet`, or where standard error is no terminal.
    pub fn new(quiet: bool) -> Self {
        Bar { begun: Instant::now(), bar: Mutex::new(None), wanted: !quiet && io::stderr().is_terminal() }
    }

    /// Takes in how far the launch is.
    pub fn tell(&self, progress: Progress) {
        if !self.wanted || self.begun.elapsed() < PATIENCE {
            return;
        }
        let Ok(mut bar) = self.bar.lock() else { return };
        bar.get_or_insert_with(|| begin(progress.of, self.begun.elapsed())).set_position(progress.blocks);
    }

    /// Takes the bar away.
    pub fn end(self) {
        if let Ok(Some(bar)) = self.bar.into_inner() {
            bar.finish_and_clear();
        }
    }
}

/// A bar that knows how long the launch has been running, for its estimate.
fn begin(blocks: u64, elapsed: Duration) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(blocks), ProgressDrawTarget::stderr()).with_elapsed(elapsed);
    if let Ok(style) =
        ProgressStyle::with_template("{wide_bar} {human_pos} of {human_len} blocks, {eta} left")
    {
        bar.set_style(style);
    }
    bar
}

static STOP: AtomicBool = AtomicBool::new(false);

/// A switch that Ctrl-C sets; pressed again, it ends the process at once.
pub fn stop_switch() -> &'static AtomicBool {
    // Where no handler can be set, Ctrl-C ends the process at once, which is no worse than usual.
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(crate::command::INTERRUPTED.into());
        }
    });
    &STOP
}
