//! Runs, checks and explains NVIDIA PTX on a CPU: the library and the command.
//!
//! The layers below are here under short names: [`isa`] knows the instructions, [`front`] makes a module of a text,
//! [`exec`] runs it. The modules of this crate are what a door to the outside needs: arguments, files, reports.
//!
//! ```
//! use margay::exec::{Argument, Launch, Memory, Program, parameter_block};
//!
//! let text = ".version 8.0 .target sm_80 .address_size 64
//!     .entry set(.param .u64 to, .param .u32 value) {
//!         .reg .u64 %to; .reg .u32 %value;
//!         ld.param.u64 %to, [to];
//!         ld.param.u32 %value, [value];
//!         st.global.u32 [%to], %value;
//!     }";
//! let module = margay::front::compile(text).unwrap();
//! let mut memory = Memory::new(module.address_size());
//! let program = Program::load(&module, &mut memory).unwrap();
//! let to = memory.alloc(4, "to").unwrap();
//!
//! let entry = module.entry("set").unwrap();
//! let arguments = [Argument::Address(to), 7u32.into()];
//! let parameters = parameter_block(module.function(entry), 64, &arguments).unwrap();
//! Launch { parameters, ..Launch::new(entry) }.run(&program, &memory).unwrap();
//! assert_eq!(memory.read(to, 4).unwrap(), [7, 0, 0, 0]);
//! ```

// The command is written as its users see the library.
extern crate self as margay;

pub use {margay_exec as exec, margay_front as front, margay_isa as isa};

pub mod amount;
pub mod arg;
pub mod checked;
#[cfg(feature = "cli")]
pub mod command;
pub mod container;
pub mod count;
pub mod coverage;
pub mod element;
pub mod environment;
pub mod evaluation;
pub mod explain;
pub mod fidelity;
pub mod format;
pub mod header;
#[cfg(feature = "image")]
pub mod image;
pub mod launches;
pub mod located;
pub mod observed;
pub mod output;
pub mod problem;
pub mod product;
pub mod profile;
pub mod random;
pub mod report;
pub mod shape;
pub mod snippet;
pub mod statement;
pub mod sweep;
