//! Measuring side by side: candidates take turns, so that a noisy machine is noisy for all of them.

use std::time::Instant;

/// What a turn takes at least, in seconds.
pub const TURN: f64 = 0.004;

/// After so many seconds, rounds end.
const ENOUGH: f64 = 10.0;

/// One thing to measure.
pub struct Candidate<'a> {
    /// What the table calls it.
    pub name: String,
    /// Does the work once; gives the seconds it took.
    pub run: Box<dyn FnMut() -> f64 + 'a>,
}

impl<'a> Candidate<'a> {
    /// Work whose whole time counts. Where it is short, it is repeated within a turn, after a first time that warms the caches
    /// that others have used in between.
    pub fn timed<T>(name: impl Into<String>, mut work: impl FnMut() -> T + 'a) -> Candidate<'a> {
        let run = move || {
            let once = seconds(&mut work);
            if once > TURN {
                return once;
            }
            let times = (TURN / once).ceil().min(10_000.0);
            seconds(|| (0..times as usize).for_each(|_| drop(std::hint::black_box(work())))) / times
        };
        Candidate { name: name.into(), run: Box::new(run) }
    }

    /// Two works that share nothing, at once, each on a thread of its own: half of the time that both take.
    pub fn apart<T>(name: impl Into<String>, works: [impl Fn() -> T + Sync + 'a; 2]) -> Candidate<'a> {
        let run = move || {
            let times = (TURN / seconds(&works[0])).ceil().clamp(1.0, 10_000.0);
            let repeat = |work: &(dyn Fn() -> T + Sync)| {
                (0..times as usize).for_each(|_| drop(std::hint::black_box(work())));
            };
            let both = seconds(|| {
                std::thread::scope(|scope| {
                    scope.spawn(|| repeat(&works[1]));
                    repeat(&works[0]);
                });
            });
            both / times / 2.0
        };
        Candidate { name: name.into(), run: Box::new(run) }
    }
}

/// How long work takes.
pub fn seconds<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    std::hint::black_box(work());
    start.elapsed().as_secs_f64()
}

/// Seconds of one candidate over all rounds.
pub struct Timing {
    /// What the table calls it.
    pub name: String,
    /// Half of the rounds were faster.
    pub median: f64,
    /// Difference of the quartiles, relative to the median.
    pub spread: f64,
    /// Seconds, round by round.
    pub rounds: Vec<f64>,
}

impl Timing {
    fn new(name: String, rounds: Vec<f64>) -> Timing {
        let (median, spread) = quartiles(&rounds);
        Timing { name, median, spread, rounds }
    }

    /// How many times as long as another it takes: the median of the rounds' ratios, for a round has the same noise for both.
    pub fn ratio(&self, other: &Timing) -> f64 {
        quartiles(&self.rounds.iter().zip(&other.rounds).map(|(a, b)| a / b).collect::<Vec<_>>()).0
    }
}

/// The median, and the distance of the quartiles relative to it.
pub fn quartiles(values: &[f64]) -> (f64, f64) {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values[((values.len() - 1) as f64 * share) as usize];
    (at(0.5), (at(0.75) - at(0.25)) / at(0.5))
}

/// Runs every candidate once a round, in turn, and times each. Slow candidates have fewer rounds, but five at least.
pub fn rounds(mut candidates: Vec<Candidate>, rounds: usize) -> Vec<Timing> {
    let mut seconds = vec![Vec::with_capacity(rounds); candidates.len()];
    let start = Instant::now();
    for round in 0..rounds {
        if round >= 5 && start.elapsed().as_secs_f64() > ENOUGH {
            break;
        }
        for (candidate, times) in candidates.iter_mut().zip(&mut seconds) {
            times.push((candidate.run)());
        }
    }
    candidates.into_iter().zip(seconds).map(|(candidate, times)| Timing::new(candidate.name, times)).collect()
}
