//! The kernels on margay itself: what would be sent to a device is valid, and asks what it is meant to ask.

use crate::experiments::Inputs;
use crate::kernel::Kernel;
use margay_exec::{Argument, Launch, Memory, Program, parameter_block};

/// Threads that are tried.
const THREADS: u64 = 512;
const BLOCK: u32 = 256;
const TARGET: &str = "sm_90";

/// Runs a kernel on a few combinations.
///
/// # Errors
/// If it is no valid module, does not run, or gives other results than the instruction by itself.
pub fn run(kernel: &Kernel, inputs: Inputs) -> Result<(), String> {
    let sources = kernel.sources();
    let count = inputs.count(sources);
    // Spread over all combinations.
    let index = |thread: u64| thread * (count / THREADS).max(1) % count;
    let text = kernel.text(TARGET);
    let module = margay_front::compile(&text).map_err(|found| format!("not valid: {}", found[0].message))?;
    let mut memory = Memory::new(64);
    let program = Program::load(&module, &mut memory).map_err(|error| error.to_string())?;
    let input = memory.alloc(8 * THREADS * sources.max(1) as u64, "in").map_err(|error| error.to_string())?;
    let output = memory.alloc(8 * THREADS, "out").map_err(|error| error.to_string())?;
    let values = (0..THREADS).flat_map(|thread| (0..sources).map(move |k| inputs.value(index(thread), k)));
    let bytes: Vec<u8> = values.flat_map(u64::to_le_bytes).collect();
    memory.write(input, &bytes).map_err(|error| error.to_string())?;
    let entry = module.entry("k").ok_or("no kernel")?;
    let arguments = [Argument::Address(input), Argument::Address(output)];
    let launch = Launch {
        grid: (THREADS as u32 / BLOCK).into(),
        block: BLOCK.into(),
        parameters: parameter_block(module.function(entry), 64, &arguments)
            .map_err(|error| error.to_string())?,
        ..Launch::new(entry)
    };
    launch.run(&program, &memory).map_err(|error| error.to_string())?;
    let results = memory.read(output, 8 * THREADS).map_err(|error| error.to_string())?;
    for (thread, result) in results.as_chunks::<8>().0.iter().enumerate() {
        let (result, alone) = (u64::from_le_bytes(*result), kernel.compute(inputs, index(thread as u64)));
        if alone != Some(result) {
            return Err(format!("the kernel gives {result:x}, the instruction alone {alone:x?}"));
        }
    }
    Ok(())
}
