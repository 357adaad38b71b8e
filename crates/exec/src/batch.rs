//! The batch engine: all threads of a block at once, with the machine's vector instructions.
//!
//! A kernel becomes a [`Plan`]: blocks of operations on lines of threads. What is rare or goes wrong (deep recursion, traps, faults,
//! barriers that not all threads reach, threads that wait for each other) is handed to the golden engine in the middle of
//! the block, which goes on where the threads stand; so this engine has no messages of its own, and no second meaning.

mod affine;
pub(crate) mod compile;
mod inconsistent;
mod lanes;
mod origins;
mod plan;

mod run;
mod tile_moves;

pub(crate) use compile::cfg::stretches;
pub(crate) use compile::print::{Names, print_ir, print_uniformity};
pub(crate) use compile::print_plan::{print_machine, print_plan};
pub(crate) use compile::{Callees, Common, CompileRequest, build};
pub(crate) use lanes::Level;
pub use lanes::Simd;
pub(crate) use lanes::{DefaultEnvironment, MachineStage};
pub(crate) use plan::{MANY_THREADS, MOST_THREADS, Plan};
pub(crate) use run::Cta;
