//! Running a random kernel in one of the ways there are.

use super::{Given, Kernel};
use margay_exec::{
    Argument, Counted, Dim, Engine, Finding, Launch, Memory, Program, Sanitize, Simd, parameter_block,
};
use margay_front::module::Module;
use margay_isa::Semantics;

/// More than any of the kernels takes. The batch engine would leave kernels with a limit to the golden one.
const MOST_STEPS: u64 = 1 << 26;

/// A way to run a kernel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Way {
    pub engine: Engine,
    /// The vector instructions; the machine's best if none are given.
    pub simd: Option<Simd>,
    pub seed: Option<u64>,
    pub unordered: bool,
    pub workers: usize,
    pub sanitize: Sanitize,
    /// Whether what is executed is counted; then steps are not limited.
    pub profile: bool,
}

/// What came of a launch.
#[derive(PartialEq, Eq, Debug)]
pub struct Outcome {
    /// What the buffers hold afterwards, one after the other.
    pub buffers: Vec<Vec<u8>>,
    /// What was printed.
    pub printed: String,
    /// How many instructions were executed.
    pub instructions: u64,
    /// What sanitizers found.
    pub findings: Vec<Finding>,
    /// What was counted.
    pub counted: Vec<Counted>,
}

/// The kernel's module.
///
/// # Errors
/// What the checker says of it.
pub fn compile(kernel: &Kernel) -> Result<Module, String> {
    margay_front::compile(&kernel.text).map_err(|errors| format!("{:?}", &errors[..errors.len().min(3)]))
}

/// What the launches of a kernel compute: most of them the manual's results, some those of ptxas.
fn semantics(seed: u64) -> Semantics {
    // Tests have other things by the remainders of small numbers, such as the level.
    if seed / 64 % 4 == 3 { Semantics::Ptxas13_5 } else { Semantics::Manual }
}

/// Runs it on fresh memory.
///
/// # Errors
/// What the launch or its trap says.
pub fn run(kernel: &Kernel, module: &Module, way: Way) -> Result<Outcome, String> {
    let mut memory = Memory::new(64);
    let program = Program::load(module, &mut memory).map_err(|error| error.to_string())?;
    let mut buffers = Vec::new();
    let mut arguments = Vec::new();
    for (k, given) in kernel.arguments.iter().enumerate() {
        match given {
            Given::Bytes(bytes) => arguments.push(Argument::Bytes(bytes.clone())),
            Given::Buffer(bytes) => {
                let address = memory
                    .alloc(bytes.len() as u64, format!("argument {k}"))
                    .map_err(|error| error.to_string())?;
                memory.write(address, bytes).map_err(|fault| fault.to_string())?;
                buffers.push((address, bytes.len() as u64));
                arguments.push(Argument::Address(address));
            }
        }
    }
    let entry = module.entry("k").ok_or("there is no kernel `k`")?;
    let dim = |[x, y, z]: [u32; 3]| Dim::new(x, y, z);
    let launch = Launch {
        grid: dim(kernel.grid),
        block: dim(kernel.block),
        shared_bytes: kernel.shared_bytes,
        parameters: parameter_block(module.function(entry), 64, &arguments)
            .map_err(|error| error.to_string())?,
        semantics: semantics(kernel.seed),
        engine: way.engine,
        simd: way.simd,
        schedule_seed: way.seed,
        unordered: way.unordered,
        workers: way.workers,
        sanitize: way.sanitize,
        max_steps: (way.engine == Engine::Golden && !way.profile).then_some(MOST_STEPS),
        profile: way.profile,
        ..Launch::new(entry)
    };
    let report = launch.run(&program, &memory).map_err(|error| error.to_string())?;
    let read = |(at, bytes): &(u64, u64)| memory.read(*at, *bytes).map_err(|fault| fault.to_string());
    let buffers = buffers.iter().map(read).collect::<Result<_, _>>()?;
    let counted = report.profile.map(|profile| profile.functions).unwrap_or_default();
    Ok(Outcome {
        buffers,
        printed: report.printed,
        instructions: report.instructions,
        findings: report.findings,
        counted,
    })
}
