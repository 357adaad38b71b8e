//! From a valid module to results: engines, grids, memory and traps.
//!
//! [`Program::load`] places a module's variables in a [`Memory`]; [`Launch`] says which kernel to run on what grid with
//! which parameters, and runs it. A wrong call is a [`LaunchError`]; a kernel that goes wrong ends in a [`Trap`].

mod arguments;
mod batch;
mod carry;
mod code;
mod cta;
mod decode;
mod determinism;
mod error;
mod footprint;
mod frame;
mod golden;
mod grid;
mod launch;
mod lookout;
pub mod memory;
mod observe;
mod output;
mod prepared;
mod printf;
mod profile;
mod program;
mod random;
mod reach;
mod sanitize;
mod tensor_memory;
mod texture;
mod thread_pool;
mod trap;

pub use arguments::{Argument, parameter_block};
pub use batch::Simd;
pub use carry::{MixedCarry, mixed_carries};
pub use error::{Error, LaunchError, Place, Refusal};
pub use footprint::{Footprint, footprint};
pub use grid::Dim;
pub use launch::{Choice, Engine, Launch, Progress, Report, Stage, cores};
pub use lookout::Lookout;
pub use memory::Memory;
pub use observe::{Held, Observe, Seen, Spot, Threads, Watched};
pub use profile::{Accesses, Branch, Counted, HandedOver, Profile, Stretch};
pub use program::Program;
pub use reach::{reachable, resolved};
pub use sanitize::{Act, Finding, Sanitize, Sanitizer};
pub use trap::{Caller, Meeting, Trap, TrapKind, Waiting};
