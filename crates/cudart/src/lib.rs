//! NVIDIA's runtime library, `libcudart.so`, over its driver's interface: what `nvcc -cudart shared` makes of a program calls these
//! functions, and they call `libcuda.so.1`.
//!
//! It knows the driver only as programs do, by the names that the loader finds: so one that uses both interfaces has one context, one
//! memory and one set of streams. What C sees stands in [`door`]; pointers are followed in `door/pass.rs` alone, and the driver is
//! called in `driver.rs`. `names.tsv` lists every function of `cuda_runtime_api.h`; those that are not here answer that they are not
//! supported.

#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]

mod binary;
mod door;
mod driver;
mod errors;
mod properties;
mod registry;
mod runtime;
