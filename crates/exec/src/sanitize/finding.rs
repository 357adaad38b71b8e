//! What sanitizers find.

use crate::grid::Dim;
use margay_front::module::{FunctionId, InstructionId};
use std::fmt;

/// What is watched for while a kernel runs, beside memory errors, which always end a launch.
///
/// With any of them on, blocks run in a fixed order on one worker.
///
/// ```
/// use margay_exec::{Argument, Launch, Memory, Program, Sanitize, parameter_block};
/// let module = margay_front::compile(
///     ".version 8.0 .target sm_80 .address_size 64
///      .entry clash(.param .u64 to) {
///          .reg .b64 %rd; .reg .b32 %r;
///          ld.param.u64 %rd, [to];
///          mov.u32 %r, %tid.x;
///          st.global.u32 [%rd], %r;
///      }",
/// )
/// .unwrap();
/// let mut memory = Memory::new(module.address_size());
/// let program = Program::load(&module, &mut memory)?;
/// let to = memory.alloc(4, "to")?;
/// let entry = module.entry("clash").unwrap();
/// let parameters = parameter_block(module.function(entry), 64, &[Argument::Address(to)])?;
/// let sanitize = Sanitize { race: true, ..Sanitize::default() };
/// let report = Launch { block: 2.into(), parameters, sanitize, ..Launch::new(entry) }.run(&program, &memory)?;
/// assert_eq!(
///     report.findings[0].to_string(),
///     "data race on 4 bytes at 0x700000000000, the start of to (4 bytes at 0x700000000000): \
///      write of 4 bytes by thread (0, 0, 0) of block (0, 0, 0), \
///      write of 4 bytes by thread (1, 0, 0) of block (0, 0, 0)"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sanitize {
    /// Accesses beyond one variable in shared, local or parameter memory: they end the launch, as those outside memory always
    /// do. With anything that is watched for, bytes that belong to none lie between variables.
    pub memory: bool,
    /// Reads of memory and of registers that were never written.
    pub init: bool,
    /// Data races between threads, on shared and on global memory.
    pub race: bool,
    /// Barriers and warp operations used in ways that have no meaning.
    pub sync: bool,
}

impl Sanitize {
    /// Everything there is to watch for.
    pub const ALL: Sanitize = Sanitize { memory: true, init: true, race: true, sync: true };

    /// Whether anything is watched for.
    pub fn any(self) -> bool {
        self.memory || self.init || self.race || self.sync
    }
}

/// Which sanitizer found something.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sanitizer {
    /// See [`Sanitize::init`].
    Init,
    /// See [`Sanitize::race`].
    Race,
    /// See [`Sanitize::sync`].
    Sync,
}

impl Sanitizer {
    /// The name that `margay run --sanitize` has for it.
    pub fn name(self) -> &'static str {
        match self {
            Sanitizer::Init => "init",
            Sanitizer::Race => "race",
            Sanitizer::Sync => "sync",
        }
    }
}

/// Something wrong that a kernel did without being stopped. The same two instructions are one finding, however often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Who found it.
    pub sanitizer: Sanitizer,
    /// What is wrong, as one phrase, without who did it.
    pub message: String,
    /// What did it: one instruction, or the two that race or disagree; in a race, the one that stands first in the module
    /// comes first. None where it is only told that not all could be judged.
    pub acts: Vec<Act>,
    /// How often it was seen.
    pub count: u64,
}

/// An instruction that a thread executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Act {
    /// What it did there (`write of 4 bytes`).
    pub what: String,
    /// The function it stands in.
    pub function: FunctionId,
    /// The name of that function.
    pub function_name: String,
    /// The instruction; `Function::spans` has its place in the text, `Function::locations` in its source.
    pub instruction: InstructionId,
    /// The thread in its block.
    pub thread: Dim,
    /// The block in its grid.
    pub block: Dim,
}

impl Finding {
    /// What may be done about it, where that can be said.
    pub fn help(&self) -> Option<&'static str> {
        match self.sanitizer {
            Sanitizer::Init => Some("memory that was never written is zero here, but undefined on a device"),
            Sanitizer::Race => Some(
                "a barrier between the two orders them, and so does a lock or a flag with fences; or both can be atomic",
            ),
            Sanitizer::Sync => Some("every thread that a barrier or a mask counts must reach it"),
        }
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} by thread {:?} of block {:?}", self.what, self.thread.tuple(), self.block.tuple())
    }
}

impl fmt::Display for Finding {
    /// One phrase; the lines in the text are the caller's to add.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        for (k, act) in self.acts.iter().enumerate() {
            write!(f, "{}{act}", if k == 0 { ": " } else { ", " })?;
        }
        Ok(())
    }
}
