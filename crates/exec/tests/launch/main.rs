//! What a caller of the engine can rely on: observers, cancellation, results that do not depend on the number of workers.

mod beside;
mod blocks;

mod cancel;
mod copies;
mod drawn;
mod look;
mod mixed_spaces;
mod odd_blocks;
mod periodic;
mod reductions;
mod rounding;
mod short_rows;
mod steps;
mod stores;
mod tiles;
mod turns;

use margay_exec::{
    Argument, Dim, Engine, Error, Launch, Memory, Program, Sanitize, Simd, TrapKind, parameter_block,
};
use margay_front::module::Module;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

fn compile(body: &str) -> Module {
    let text = format!(".version 8.5\n.target sm_90\n.address_size 64\n{body}");
    margay_front::compile(&text).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"))
}

/// What a kernel `k` of an input and an output counts, and so many bytes that it leaves.
fn outcome(
    module: &Module,
    [grid, block]: [Dim; 2],
    (words, bytes): (impl Iterator<Item = u32>, u64),
    (engine, simd): (Engine, Option<Simd>),
) -> (u64, Vec<u8>) {
    let mut memory = Memory::new(64);
    let program = Program::load(module, &mut memory).unwrap();
    let words: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    let input = memory.alloc(words.len() as u64, "in").unwrap();
    let output = memory.alloc(bytes, "out").unwrap();
    memory.write(input, &words).unwrap();
    let entry = module.entry("k").unwrap();
    let arguments = [input, output].map(Argument::Address);
    let parameters = parameter_block(module.function(entry), 64, &arguments).unwrap();
    let launch = Launch { grid, block, parameters, workers: 1, engine, simd, ..Launch::new(entry) };
    let report = launch.run(&program, &memory).unwrap();
    (report.instructions, memory.read(output, bytes).unwrap().to_vec())
}

const ENDLESS: &str = ".entry k() { again: bra again; }";

/// Each thread stores the number of its block at its own place, in bytes that share words with those of other blocks.
const MARK: &str = "
.entry k(.param .u64 out)
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<5>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r4, %r1, %r3, %r2;
    cvt.u64.u32 %rd2, %r4;
    add.u64 %rd1, %rd1, %rd2;
    st.global.u8 [%rd1], %r1;
    ret;
}";

#[test]
fn an_endless_kernel_ends_when_it_is_cancelled() {
    let module = compile(ENDLESS);
    let mut memory = Memory::new(64);
    let program = Program::load(&module, &mut memory).unwrap();
    let cancel = AtomicBool::new(false);
    let launch = Launch {
        grid: Dim::new(1 << 30, 1 << 10, 1),
        block: 1024.into(),
        workers: 3,
        cancel: Some(&cancel),
        ..Launch::new(module.entry("k").unwrap())
    };
    let result = std::thread::scope(|scope| {
        let running = scope.spawn(|| launch.run(&program, &memory));
        cancel.store(true, Relaxed);
        running.join().unwrap()
    });
    let Err(Error::Trap(trap)) = result else { panic!("{result:?}") };
    assert_eq!(trap.kind, TrapKind::Cancelled);
    assert_eq!((trap.kernel.as_str(), trap.instruction.0), ("k", 0));
}

#[test]
fn every_block_is_reported_once() {
    let module = compile(MARK);
    let mut memory = Memory::new(64);
    let program = Program::load(&module, &mut memory).unwrap();
    let out = memory.alloc(250 * 3, "out").unwrap();
    let entry = module.entry("k").unwrap();
    let parameters = parameter_block(module.function(entry), 64, &[Argument::Address(out)]).unwrap();
    for workers in [1, 4] {
        memory.write(out, &[0xff; 750]).unwrap();
        let seen = Mutex::new(Vec::new());
        let observe = |p: margay_exec::Progress| seen.lock().unwrap().push((p.blocks, p.of));
        let launch = Launch {
            grid: 250.into(),
            block: 3.into(),
            parameters: parameters.clone(),
            workers,
            progress: Some(&observe),
            ..Launch::new(entry)
        };
        let report = launch.run(&program, &memory).unwrap();
        assert_eq!((report.threads, report.instructions), (750, 750 * 9));
        assert_eq!(seen.into_inner().unwrap(), (1..=250).map(|k| (k, 250)).collect::<Vec<_>>());
        let expected: Vec<u8> = (0..750u32).map(|k| (k / 3) as u8).collect();
        assert_eq!(memory.read(out, 750).unwrap(), expected);
    }
}

#[test]
fn of_several_traps_the_lowest_block_wins() {
    let module = compile(
        ".entry k(.param .u32 from)
        {
            .reg .b32 %r<4>;
            .reg .pred %p;
            ld.param.u32 %r1, [from];
            mov.u32 %r2, %ctaid.x;
            setp.lt.u32 %p, %r2, %r1;
            mov.u32 %r3, 0;
        delay:
            add.u32 %r3, %r3, 1;
            @%p setp.gt.u32 %p, %r3, 3000;
            @%p ret;
            setp.lt.u32 %p, %r2, %r1;
            @%p bra delay;
            trap;
        }",
    );
    let mut memory = Memory::new(64);
    let program = Program::load(&module, &mut memory).unwrap();
    let entry = module.entry("k").unwrap();
    for from in [0u32, 1, 5] {
        let parameters = parameter_block(module.function(entry), 64, &[from.into()]).unwrap();
        let launch = Launch { grid: 64.into(), parameters, workers: 4, ..Launch::new(entry) };
        let Err(Error::Trap(trap)) = launch.run(&program, &memory) else { panic!("no trap") };
        assert_eq!(trap.block, Dim::new(from, 0, 0));
    }
}

#[test]
fn a_wrong_call_runs_nothing() {
    let module = compile(&format!("{MARK}\n.extern .entry other();\n.func f() {{ ret; }}"));
    let mut memory = Memory::new(64);
    let program = Program::load(&module, &mut memory).unwrap();
    let refused = |launch: Launch, memory: &Memory| match launch.run(&program, memory) {
        Err(Error::Launch(error)) => error.message,
        other => panic!("{other:?}"),
    };
    let entry = module.entry("k").unwrap();
    assert_eq!(
        refused(Launch::new(entry), &memory),
        "kernel `k` takes 8 bytes of parameters, but 0 are given"
    );
    let function = module.functions().iter().position(|f| f.name == "f").unwrap() as u32;
    let function = margay_front::module::FunctionId(function);
    assert_eq!(refused(Launch::new(function), &memory), "`f` is not a kernel");
    let other = Memory::new(32);
    let launch = Launch { parameters: vec![0; 8], ..Launch::new(entry) };
    assert_eq!(refused(launch, &other), "the module has 64-bit addresses, the memory has 32-bit ones");
}

#[test]
fn modules_with_short_addresses_get_short_addresses() {
    let text = "
.version 8.5
.target sm_30
.address_size 32
.global .u32 g = 7;
.entry k(.param .u32 out)
{
    .reg .b32 %r<5>;
    ld.param.u32 %r1, [out];
    mov.u32 %r2, g;
    cvta.global.u32 %r3, g;
    ld.u32 %r4, [%r3];
    ld.global.u32 %r3, [%r2];
    add.u32 %r4, %r4, %r3;
    st.global.u32 [%r1], %r4;
    ret;
}";
    let module = margay_front::compile(text).unwrap_or_else(|errors| panic!("{errors:?}"));
    let mut memory = Memory::new(32);
    let program = Program::load(&module, &mut memory).unwrap();
    let out = memory.alloc(4, "out").unwrap();
    let entry = module.entry("k").unwrap();
    let parameters = parameter_block(module.function(entry), 32, &[Argument::Address(out)]).unwrap();
    Launch { parameters, ..Launch::new(entry) }.run(&program, &memory).unwrap();
    assert_eq!(memory.read(out, 4).unwrap(), [14, 0, 0, 0]);
}

/// Adds up the first words of a buffer, or sets them.
const SUM: &str = "
.entry k(.param .u64 data, .param .u32 set)
{
    .reg .b64 %rd;
    .reg .b32 %r<4>;
    .reg .pred %p;
    ld.param.u64 %rd, [data];
    ld.param.u32 %r1, [set];
    setp.ne.u32 %p, %r1, 0;
    @%p st.global.v2.u32 [%rd+8], {%r1, %r1};
    @%p ret;
    ld.global.v2.u32 {%r2, %r3}, [%rd];
    ld.global.v2.u32 {%r2, %r3}, [%rd+8];
    ld.global.v2.u32 {%r2, %r3}, [%rd+16];
    ret;
}";

#[test]
fn what_the_host_and_earlier_launches_wrote_is_known_to_later_ones() {
    let module = compile(SUM);
    let mut memory = Memory::new(64);
    let program = Program::load(&module, &mut memory).unwrap();
    let data = memory.alloc(24, "data").unwrap();
    memory.write(data, &[1; 8]).unwrap();
    let entry = module.entry("k").unwrap();
    let found = |set: u32, init: bool| {
        let arguments = [Argument::Address(data), Argument::from(set)];
        let launch = Launch {
            parameters: parameter_block(module.function(entry), 64, &arguments).unwrap(),
            sanitize: Sanitize { init, ..Sanitize::default() },
            ..Launch::new(entry)
        };
        let report = launch.run(&program, &memory).unwrap();
        report.findings.iter().map(|finding| finding.acts[0].instruction.0).collect::<Vec<_>>()
    };
    assert_eq!(found(0, true), [6, 7]);
    assert!(found(1, true).is_empty());
    assert_eq!(found(0, true), [7]);
    // A launch that is not watched may have written anything.
    assert_eq!((found(1, false), found(0, true)), (vec![], vec![]));
}
