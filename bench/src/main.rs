//! Measures margay: reading PTX beside the parser crate `ptx-syntax`, and the golden engine in nanoseconds an instruction.
//!
//! `--smoke` runs each part once: it shows that benchmarks build and that their results are right, not how fast they are.

mod engine;
mod measure;
mod native;
mod reading;

fn main() {
    let smoke = std::env::args().any(|a| a == "--smoke");
    let rounds = if smoke { 1 } else { 21 };
    println!("margay bench, {} rounds, medians; spread is the distance of the quartiles", rounds);
    reading::run(rounds);
    engine::run(rounds, smoke);
}
