//! NVIDIA's driver library, `libcuda.so.1`, over margay: programs that use CUDA's driver interface run unmodified, without a GPU.
//!
//! What C sees stands in [`door`], one file a family of functions; that is all that is unsafe here, and pointers are followed in
//! `door/pass.rs` alone. The other modules are ordinary Rust: they know neither pointers nor C. What a thing is, a module or a stream,
//! knows nothing of the [`driver`], which holds them all; what the driver does with each stands below it. `names.tsv` lists every
//! function of `cuda.h`; those that are not here answer that they are not supported.

#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]

mod account;
mod array;
mod attributes;
mod capture;
mod cluster;
mod context;
mod device;
mod door;
mod driver;
mod event;
mod executable;
mod failed;
mod graph;
mod handles;
mod image;
mod interprocess;
mod kernel;
mod link;
mod log;
mod module;
mod places;
mod pool;
mod ptx;
mod reserved;
mod results;
mod runtime;
mod setting;
mod stream;
mod texture;
mod user_object;
mod work;
