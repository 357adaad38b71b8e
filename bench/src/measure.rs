//! Measuring side by side: candidates take turns, so that a noisy machine is noisy for all of them.

use std::time::Instant;

/// One thing to measure.
pub struct Candidate<'a> {
    /// What the table calls it.
    pub name: &'static str,
    /// Does the work once; the number it returns is kept from being optimised away.
    pub run: Box<dyn FnMut() -> u64 + 'a>,
}

/// Seconds of one candidate over all rounds.
pub struct Timing {
    /// What the table calls it.
    pub name: &'static str,
    /// Half of the rounds were faster.
    pub median: f64,
    /// Difference of the quartiles, relative to the median.
    pub spread: f64,
}

/// Runs every candidate once a round, in turn, and times each.
pub fn rounds(candidates: &mut [Candidate], rounds: usize) -> Vec<Timing> {
    let mut seconds = vec![Vec::with_capacity(rounds); candidates.len()];
    for _ in 0..rounds {
        for (candidate, times) in candidates.iter_mut().zip(&mut seconds) {
            let start = Instant::now();
            std::hint::black_box((candidate.run)());
            times.push(start.elapsed().as_secs_f64());
        }
    }
    let timing = |(candidate, mut times): (&Candidate, Vec<f64>)| {
        times.sort_by(f64::total_cmp);
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        Timing { name: candidate.name, median: at(0.5), spread: (at(0.75) - at(0.25)) / at(0.5) }
    };
    candidates.iter().zip(seconds).map(timing).collect()
}
