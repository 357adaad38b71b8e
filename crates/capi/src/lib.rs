//! margay for C: a library with opaque handles, and the one function that programs written for GPU Ocelot call.
//!
//! What C sees stands in [`door`], which is all that is unsafe here; `include/margay.h` is made from it. The other modules
//! are ordinary Rust: they know neither pointers nor C. Everything that PTX means comes from the crates below.

mod cache;
mod device;
pub mod door;
mod failure;
mod launch;
mod module;
mod ranges;
mod setting;
