//! What the batch engine makes of a launch's kernel, stage by stage, for people and for tests.

use super::{Launch, scheduler};
use crate::Simd;
use crate::batch::{MachineStage, Names, print_ir, print_machine, print_plan, print_uniformity};
use crate::decode;
use crate::error::LaunchError;
use crate::memory::Memory;
use crate::program::Program;
use crate::reach::reach;
use margay_front::module::{FunctionId, InstructionId};

/// A stage of the batch engine's compiler, whose result can be printed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Stage {
    /// Basic blocks of values in SSA, after if-conversion.
    Ir,
    /// The same after combining, and whether each value is uniform, affine or varying.
    #[default]
    Uniformity,
    /// What is done in which order, and where every value lies; fused loops.
    Plan,
    /// Machine instructions on as many registers as there are values.
    Isel,
    /// The same on the machine's registers, with spills and reloads.
    Regs,
    /// The bytes as a disassembler reads them.
    Asm,
}

impl Stage {
    /// All of them, in the order in which a kernel goes through them.
    ///
    /// ```
    /// use margay_exec::Stage;
    /// assert_eq!(Stage::ALL.map(Stage::name), ["ir", "uniformity", "plan", "isel", "regs", "asm"]);
    /// ```
    pub const ALL: [Stage; 6] =
        [Stage::Ir, Stage::Uniformity, Stage::Plan, Stage::Isel, Stage::Regs, Stage::Asm];

    /// What `--stage` calls it.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Ir => "ir",
            Stage::Uniformity => "uniformity",
            Stage::Plan => "plan",
            Stage::Isel => "isel",
            Stage::Regs => "regs",
            Stage::Asm => "asm",
        }
    }
}

impl Launch<'_> {
    /// The kernel after a stage of the batch engine's compiler, for blocks of this shape and as many together as one worker takes of this
    /// grid, as text: stable from run to run and machine to machine. Machine code is of level `jit`, with all extensions of AVX-512, or of the one that `simd` names. `line` gives the line of a function's
    /// instruction.
    ///
    /// # Errors
    /// As [`Launch::check`].
    ///
    /// ```
    /// use margay_exec::{Launch, Memory, Program, Stage};
    /// let text = ".version 8.0 .target sm_80 .address_size 64
    ///     .entry k() { .reg .b32 %r<3>; .shared .b32 s[128];
    ///         mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; st.shared.u32 [%r2], %r1; ret; }";
    /// let module = margay_front::compile(text).unwrap();
    /// let mut memory = Memory::new(64);
    /// let program = Program::load(&module, &mut memory)?;
    /// let launch = Launch { block: 128.into(), ..Launch::new(module.entry("k").unwrap()) };
    /// let text = launch.stage(Stage::Uniformity, &program, &memory, &|_, instruction| instruction.0 as usize)?;
    /// assert!(text.contains("%1: u32 affine = shl %0, 0x2"), "{text}");
    /// # Ok::<(), margay_exec::LaunchError>(())
    /// ```
    pub fn stage(
        &self,
        stage: Stage,
        program: &Program,
        memory: &Memory,
        line: &dyn Fn(FunctionId, InstructionId) -> usize,
    ) -> Result<String, LaunchError> {
        let (ready, blocks) = self.ready(program, memory)?;
        let simd = self.simd.unwrap_or(Simd::Jit);
        let most = scheduler::most_of_row(self.grid.x, ready.shape.threads).unwrap_or(blocks);
        let together = ready.batch_size(most.min(blocks), simd);
        let Some(request) = ready.request(together, true) else { return Ok(String::new()) };
        let module = program.module();
        let reached = reach(module, self.entry);
        let slots = |(k, function)| {
            let id = FunctionId(k as u32);
            match (reached.functions.get(&id), &ready.code[k]) {
                (Some(instructions), Some(code)) => decode::names(function, instructions, code),
                _ => Vec::new(),
            }
        };
        let slots: Vec<Vec<String>> = module.functions().iter().enumerate().map(slots).collect();
        let functions: Vec<&str> = module.functions().iter().map(|function| function.name.as_str()).collect();
        let line = |function, pc| line(FunctionId(function), InstructionId(pc));
        let names = Names { functions: &functions, slots: &slots, line: &line };
        Ok(match stage {
            Stage::Ir => print_ir(&request, &names),
            Stage::Uniformity => print_uniformity(&request, &names),
            Stage::Plan => print_plan(&request, &names),
            Stage::Isel => print_machine(&request, &names, MachineStage::Isel, simd),
            Stage::Regs => print_machine(&request, &names, MachineStage::Regs, simd),
            Stage::Asm => print_machine(&request, &names, MachineStage::Asm, simd),
        })
    }
}
