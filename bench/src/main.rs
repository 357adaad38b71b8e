//! Measures margay: kernels beside native code, what a launch costs, and reading PTX beside the parser crate `ptx-syntax`.
//!
//! `--smoke` runs each part once: it shows that benchmarks build and that their results are right, not how fast they are.

mod buffer;
mod case;
mod compare;
mod hand;
mod measure;
mod plain;
mod pocl;
mod reading;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let smoke = arguments.iter().any(|a| a == "--smoke");
    let parts: Vec<String> = arguments.into_iter().filter(|a| !a.starts_with('-')).collect();
    let rounds = if smoke { 1 } else { 21 };
    println!("margay bench, {rounds} rounds, medians; spread is the distance of the quartiles");
    println!("{:?} is the best that this machine has", margay_exec::Simd::best());
    let wants = |part: &str| parts.is_empty() || parts.iter().any(|p| p == part);
    if wants("reading") {
        reading::run(rounds);
    }
    let kernels: Vec<String> = parts.iter().filter(|p| p.starts_with('K')).cloned().collect();
    if wants("kernels") || !kernels.is_empty() {
        compare::run(&kernels, rounds, smoke);
    }
}
