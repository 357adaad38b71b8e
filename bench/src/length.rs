//! What a kernel's length costs: checking, and the first launch (which decodes and plans), of one warp that runs every instruction about once.

use crate::measure::{Candidate, rounds};
use margay_exec::{Argument, Engine, Launch, Memory, Program, parameter_block};
use margay_front::module::Module;
use std::fmt::Write;

const THREADS: u32 = 32;

/// How a kernel's text goes on and on.
#[derive(Clone, Copy)]
enum Shape {
    /// New registers all the time, no branches.
    Straight,
    /// Short loops one after the other, each with a branch that threads take apart.
    Loops,
}

fn head(registers: usize) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry long(.param .u64 out)\n{{\n\
         .reg .pred %p<3>;\n.reg .b32 %c;\n.reg .b32 %r<{registers}>;\n.reg .b64 %rd<3>;\n\
         ld.param.u64 %rd1, [out];\ncvta.to.global.u64 %rd1, %rd1;\nmov.u32 %r0, %tid.x;\n\
         mul.wide.u32 %rd2, %r0, 4;\nadd.s64 %rd1, %rd1, %rd2;\n\
         mov.u32 %r1, %r0;\nmov.u32 %r2, 7;\nmov.u32 %r3, %r0;\n"
    )
}

/// A kernel of at least so many instructions, and how many it has.
fn text(shape: Shape, wanted: usize) -> (String, usize) {
    let mut text = head(wanted + 8);
    let mut instructions = 10;
    let mut last = 3;
    while instructions < wanted {
        let (a, b, c, d) = (last - 2, last - 1, last, last + 1);
        match shape {
            Shape::Straight => {
                let line = match instructions % 6 {
                    0 => format!("add.s32 %r{d}, %r{a}, %r{c};"),
                    1 => format!("mad.lo.s32 %r{d}, %r{c}, 1664525, %r{b};"),
                    2 => format!("xor.b32 %r{d}, %r{b}, %r{c};"),
                    3 => format!("shf.l.wrap.b32 %r{d}, %r{a}, %r{c}, 7;"),
                    4 => format!("vabsdiff4.u32.u32.u32.add %r{d}, %r{a}, %r{b}, %r{c};"),
                    _ => format!("min.u32 %r{d}, %r{b}, %r{c};"),
                };
                writeln!(text, "{line}").expect("a string takes it");
                instructions += 1;
            }
            Shape::Loops => {
                let label = instructions;
                let unit = format!(
                    "mov.u32 %c, 1;\nL{label}:\nmad.lo.s32 %r{c}, %r{c}, 1664525, %r{b};\nxor.b32 %r{d}, %r{c}, %r{a};\n\
                     setp.lt.u32 %p1, %r{d}, 1000000000;\n@%p1 bra M{label};\nadd.s32 %r{d}, %r{d}, %r{b};\nM{label}:\n\
                     sub.s32 %c, %c, 1;\nsetp.ne.s32 %p2, %c, 0;\n@%p2 bra L{label};"
                );
                writeln!(text, "{unit}").expect("a string takes it");
                instructions += 9;
            }
        }
        last += 1;
    }
    writeln!(text, "st.global.u32 [%rd1], %r{last};\nret;\n}}").expect("a string takes it");
    (text, instructions)
}

fn launch(module: &Module, engine: Engine) -> Vec<u8> {
    let mut memory = Memory::new(64);
    let program = Program::load(module, &mut memory).expect("the module fits");
    let out = memory.alloc(4 * u64::from(THREADS), "output").expect("there is room");
    let entry = module.entry("long").expect("the kernel is there");
    let parameters =
        parameter_block(module.function(entry), 64, &[Argument::Address(out)]).expect("they fit");
    let launch = Launch { block: THREADS.into(), parameters, engine, workers: 1, ..Launch::new(entry) };
    launch.run(&program, &memory).expect("it runs");
    memory.read(out, 4 * u64::from(THREADS)).expect("the output")
}

/// Prints a table of what length costs.
pub fn run(count: usize, smoke: bool) {
    let lengths: &[usize] = if smoke { &[10, 100] } else { &[10, 100, 1000, 10_000] };
    println!("\nkernels of growing length: µs for each instruction of the text");
    println!(
        "{:<10} {:>12} {:>10} {:>10} {:>12} {:>14}",
        "", "instructions", "checking", "1st launch", "golden", "1st launch, µs"
    );
    for (name, shape) in [("straight", Shape::Straight), ("loops", Shape::Loops)] {
        for wanted in lengths {
            let (text, instructions) = text(shape, *wanted);
            let module = margay_front::compile(&text).expect("the kernel is valid");
            let same = launch(&module, Engine::Batch) == launch(&module, Engine::Golden);
            assert!(same, "{name}, {instructions} instructions: batch and golden differ");
            let candidates = vec![
                Candidate::timed("checking", || margay_front::compile(&text).is_ok()),
                Candidate::timed("launch", || launch(&module, Engine::Batch)),
                Candidate::timed("golden", || launch(&module, Engine::Golden)),
            ];
            let timings = rounds(candidates, count);
            let each = |k: usize| timings[k].median * 1e6 / instructions as f64;
            println!(
                "{name:<10} {instructions:>12} {:>10.3} {:>10.3} {:>12.3} {:>14.1}",
                each(0),
                each(1),
                each(2),
                timings[1].median * 1e6,
            );
        }
    }
}
