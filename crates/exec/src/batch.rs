//! The batch engine: all threads of a block at once, with the machine's vector instructions.
//!
//! A kernel becomes a [`Plan`]: blocks of operations on lines of threads. What is rare or goes wrong (calls, traps, faults,
//! barriers that not all threads reach, threads that wait for each other) is handed to the golden engine in the middle of
//! the block, which goes on where the threads stand; so this engine has no messages of its own, and no second meaning.

mod access;
mod analysis;
mod atomic;
mod build;
mod class;
mod even;
mod flow;
mod fuse;
mod graph;
mod handover;
mod lanes;
mod part;
mod parting;
mod plan;
mod print;
mod profile;
mod reason;
mod region;
mod rows;
mod run;
mod sides;
mod spare;
mod together;
pub(crate) mod usage;
mod whole;

pub(crate) use build::{Wanted, build};
pub(crate) use flow::stretches;
pub(crate) use lanes::Level;
pub use lanes::Simd;
pub(crate) use plan::Plan;
pub(crate) use print::{Names, print};
pub(crate) use run::{Cta, MOST_THREADS};
