//! NVIDIA's linker library, `libnvJitLink.so`, over margay: PTX inputs become one image, which margay's driver takes.
//!
//! What C sees stands in [`door`]; that is all that is unsafe here, and pointers are followed in `door/pass.rs` alone. What links is
//! the linker of `margay-front`, as it is for `margay link` and for the driver; what is made is a container.

#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
// The library's name is NVIDIA's.
#![allow(non_snake_case)]

mod door;
mod failed;
mod link;
mod options;
