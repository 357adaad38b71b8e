//! In which order threads and blocks have their turns: the default one, one found by a seed, or none.

mod barriers;
mod grids;
mod orders;

use margay_exec::{Argument, Engine, Error, Launch, Memory, Program, Report, TrapKind, parameter_block};
use margay_front::module::Module;
use std::collections::BTreeSet;

fn compile(body: &str) -> Module {
    let text = format!(".version 8.5\n.target sm_90\n.address_size 64\n{body}");
    margay_front::compile(&text).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"))
}

/// Grid and block of a launch of kernel `k`, which takes a zeroed buffer of so many words.
#[derive(Clone, Copy)]
struct Shape {
    grid: u32,
    block: u32,
    words: u64,
}

#[derive(Clone, Copy, Default)]
struct Order {
    engine: Engine,
    seed: Option<u64>,
    unordered: bool,
    cooperative: bool,
    workers: usize,
}

/// What the kernel leaves in its buffer and prints.
fn run(module: &Module, shape: Shape, order: Order) -> Result<(Vec<u32>, String), Error> {
    counted(module, shape, order).map(|(words, printed, _)| (words, printed))
}

/// The same, and how many instructions were executed.
fn counted(module: &Module, shape: Shape, order: Order) -> Result<(Vec<u32>, String, u64), Error> {
    reported(module, shape, order).map(|(words, report)| (words, report.printed, report.instructions))
}

/// What the kernel leaves in its buffer, and all that is told of the launch.
fn reported(module: &Module, shape: Shape, order: Order) -> Result<(Vec<u32>, Report), Error> {
    let mut memory = Memory::new(64);
    let program = Program::load(module, &mut memory).unwrap();
    let data = memory.alloc(4 * shape.words, "data").unwrap();
    let entry = module.entry("k").unwrap();
    let launch = Launch {
        grid: shape.grid.into(),
        block: shape.block.into(),
        parameters: parameter_block(module.function(entry), 64, &[Argument::Address(data)]).unwrap(),
        engine: order.engine,
        schedule_seed: order.seed,
        unordered: order.unordered,
        cooperative: order.cooperative,
        workers: order.workers,
        ..Launch::new(entry)
    };
    let report = launch.run(&program, &memory)?;
    let bytes = memory.read(data, 4 * shape.words).unwrap();
    let words = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
    Ok((words.collect(), report))
}

/// A kernel whose threads have the address of the buffer in `%rd1`, their number in the grid in `%r1`, in the block in
/// `%r2`, and the number of their block in `%r3`.
fn kernel(body: &str) -> Module {
    compile(&format!(
        ".entry k(.param .u64 data)
        {{
            .reg .b64 %rd<9>;
            .reg .b32 %r<12>;
            .reg .b128 %q<4>;
            .reg .pred %p, %q;
            .shared .align 4 .b32 cells[64];
            ld.param.u64 %rd1, [data];
            mov.u32 %r2, %tid.x;
            mov.u32 %r3, %ctaid.x;
            mov.u32 %r4, %ntid.x;
            mad.lo.u32 %r1, %r3, %r4, %r2;
            {body}
            ret;
        }}"
    ))
}
