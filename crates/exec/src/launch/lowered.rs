//! What the batch engine makes of a launch's kernel, for people and for tests.

use super::Launch;
use crate::batch::{CompileRequest, Names, print};
use crate::decode;
use crate::error::LaunchError;
use crate::memory::Memory;
use crate::program::Program;
use crate::reach::reach;
use margay_front::module::InstructionId;

impl Launch<'_> {
    /// The kernel as the batch engine runs it in blocks of this shape, as text: its blocks in the order in which waiting
    /// threads are let on, values with type and class, steps, and where threads go. `line` gives the line of an
    /// instruction.
    ///
    /// # Errors
    /// As [`Launch::check`].
    ///
    /// ```
    /// use margay_exec::{Launch, Memory, Program};
    /// let text = ".version 8.0 .target sm_80 .address_size 64
    ///     .entry k() { .reg .b32 %r<3>; .shared .b32 s[128];
    ///         mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; st.shared.u32 [%r2], %r1; ret; }";
    /// let module = margay_front::compile(text).unwrap();
    /// let mut memory = Memory::new(64);
    /// let program = Program::load(&module, &mut memory)?;
    /// let launch = Launch { block: 128.into(), ..Launch::new(module.entry("k").unwrap()) };
    /// let text = launch.lowered(&program, &memory, &|instruction| instruction.0 as usize)?;
    /// assert!(text.contains("%1: u32 affine = shl %0, 0x2"), "{text}");
    /// # Ok::<(), margay_exec::LaunchError>(())
    /// ```
    pub fn lowered(
        &self,
        program: &Program,
        memory: &Memory,
        line: &dyn Fn(InstructionId) -> usize,
    ) -> Result<String, LaunchError> {
        let (job, _) = self.job(program, memory)?;
        let Some(code) = job.ready.code[self.entry.0 as usize].as_ref() else { return Ok(String::new()) };
        let module = program.module();
        let reached = reach(module, self.entry);
        let slots = match reached.functions.get(&self.entry) {
            Some(instructions) => decode::names(module.function(self.entry), instructions, code),
            None => Vec::new(),
        };
        let (layout, semantics, block) = (memory.layout(), self.semantics, self.block);
        let request = CompileRequest {
            code,
            layout,
            semantics,
            block,
            threads: job.threads,
            batch_size: 1,
            may_if_convert: true,
        };
        let names = Names { kernel: job.kernel, slots: &slots, line: &|pc| line(InstructionId(pc)) };
        Ok(print(&request, &names))
    }
}
