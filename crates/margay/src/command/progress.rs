//! How far something long is, on a terminal.

use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// What is shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_millis(700);

/// A bar on standard error that appears when something takes long.
pub struct Bar {
    begun: Instant,
    bar: Mutex<Option<ProgressBar>>,
    wanted: bool,
    /// What is counted.
    what: &'static str,
}

impl Bar {
    /// A bar that counts `what`, and never appears if `quiet`, or where standard error is no terminal.
    pub fn new(quiet: bool, what: &'static str) -> Self {
        let wanted = !quiet && io::stderr().is_terminal();
        Bar { begun: Instant::now(), bar: Mutex::new(None), wanted, what }
    }

    /// Takes in how much is done, and how much there is.
    pub fn tell(&self, done: u64, of: u64) {
        if !self.wanted || self.begun.elapsed() < PATIENCE {
            return;
        }
        let Ok(mut bar) = self.bar.lock() else { return };
        bar.get_or_insert_with(|| begin(of, self.what, self.begun.elapsed())).set_position(done);
    }

    /// Takes the bar away.
    pub fn end(self) {
        if let Ok(Some(bar)) = self.bar.into_inner() {
            bar.finish_and_clear();
        }
    }
}

/// A bar that knows how long it has been going on, for its estimate.
fn begin(of: u64, what: &str, elapsed: Duration) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(of), ProgressDrawTarget::stderr()).with_elapsed(elapsed);
    let template = format!("{{wide_bar}} {{human_pos}} of {{human_len}} {what}, {{eta}} left");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar
}
