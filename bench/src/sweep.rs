//! How the cost of a launch grows with its threads.

use crate::agree::check;
use crate::buffer::Buffer;
use crate::case::{MEMORY, SMOKE, kernels};
use crate::compare::{PTX, Ready, expected};
use crate::level;
use crate::measure::{Candidate, rounds};
use margay_exec::Engine;

/// Who is measured, in the order of [`Point::seconds`].
pub const WHO: [&str; 4] = ["by hand", "plain Rust", "batch, one worker", "batch, two workers"];

/// One size.
pub struct Point {
    /// Threads, or words of K5 and K7.
    pub size: usize,
    /// What each takes.
    pub seconds: [f64; 4],
}

/// A kernel's curve.
pub struct Curve {
    /// Its short name and title.
    pub name: String,
    pub points: Vec<Point>,
}

/// Sizes beyond the one at which a launch takes so long are left out.
const SLOW: f64 = 0.4;

/// Prints a table and gives the curves of all kernels, or of those whose short names are given.
pub fn run(wanted: &[String], smoke: bool) -> Vec<Curve> {
    let module = margay_front::compile(PTX).expect("the kernels are valid");
    println!("\nlaunches of growing size, µs");
    println!("{:<20} {:>10} {:>12} {:>12} {:>18} {:>20}", "", "size", WHO[0], WHO[1], WHO[2], WHO[3]);
    let mut curves = Vec::new();
    for kernel in kernels().into_iter().filter(|k| wanted.is_empty() || wanted.iter().any(|w| w == k.short)) {
        let name = format!("{} {}", kernel.short, kernel.title);
        let mut curve = Curve { name: name.clone(), points: Vec::new() };
        let largest = kernel.sizes[if smoke { SMOKE } else { MEMORY }];
        // K6 has tiles of 16 by 16 threads, K5 and K7 have blocks of 256; the first kernel's curve has every power of two.
        let (first, factor) = match kernel.short {
            "K1" => (32, 2),
            "K6" => (256, 4),
            _ => (32, 8),
        };
        let mut size = first;
        while size <= largest {
            let case = (kernel.case)(size);
            let mut ready = Ready::new(&module, &kernel, &case);
            ready.launch(Engine::Batch, 2);
            check(&kernel, size, "the batch engine", &ready.take(), &expected(&kernel, &case));
            let (mut out, mut other) = (Buffer::zeroed(case.output), Buffer::zeroed(case.output));
            let candidates = vec![
                Candidate::timed(WHO[0], || kernel.by_hand(level::chosen(), &case, &mut out)),
                Candidate::timed(WHO[1], || (kernel.plain)(level::chosen(), &case, &mut other)),
                Candidate::timed(WHO[2], || ready.launch(Engine::Batch, 1)),
                Candidate::timed(WHO[3], || ready.launch(Engine::Batch, 2)),
            ];
            let timings = rounds(candidates, if smoke { 1 } else { 3 });
            let seconds: [f64; 4] = std::array::from_fn(|k| timings[k].median);
            let [a, b, c, d] = seconds.map(|s| s * 1e6);
            println!("{name:<20} {size:>10} {a:>12.2} {b:>12.2} {c:>18.2} {d:>20.2}");
            curve.points.push(Point { size, seconds });
            if seconds[2] > SLOW {
                break;
            }
            size *= factor;
        }
        curves.push(curve);
    }
    curves
}
