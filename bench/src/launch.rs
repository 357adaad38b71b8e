//! What a launch costs apart from its work: loading a module, the first launch, every other one.

use crate::compare::PTX;
use crate::measure::{Candidate, Timing, rounds};
use margay_exec::{Argument, Engine, Launch, Memory, Program, parameter_block};
use margay_front::module::Module;

const TRIVIAL: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry nothing(.param .u64 out) { ret; }
.visible .entry number(.param .u64 out)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd1, %rd1;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r1;
    ret;
}
";

/// Threads of every launch here.
const THREADS: u32 = 32;

/// A loaded module with an output of one word a thread.
struct Loaded<'m> {
    program: Program<'m>,
    memory: Memory,
    out: u64,
}

impl<'m> Loaded<'m> {
    fn new(module: &'m Module) -> Loaded<'m> {
        let mut memory = Memory::new(64);
        let program = Program::load(module, &mut memory).expect("the module fits");
        let out = memory.alloc(4 * u64::from(THREADS), "output").expect("there is room");
        Loaded { program, memory, out }
    }

    fn launch(&self, entry: &str, engine: Engine, workers: usize) -> u64 {
        let module = self.program.module();
        let entry = module.entry(entry).expect("the kernel is there");
        let arguments = [Argument::Address(self.out)];
        let parameters = parameter_block(module.function(entry), 64, &arguments).expect("they fit");
        let launch = Launch { block: THREADS.into(), parameters, engine, workers, ..Launch::new(entry) };
        launch.run(&self.program, &self.memory).expect("it runs").instructions
    }

    fn check(&self) {
        let bytes = self.memory.read(self.out, 4 * u64::from(THREADS)).expect("the output");
        let wanted: Vec<u8> = (0..THREADS).flat_map(u32::to_le_bytes).collect();
        assert!(bytes == wanted, "threads did not write their numbers");
    }
}

fn from_text(text: &str, entry: &str) -> u64 {
    let module = margay_front::compile(text).expect("it is valid");
    Loaded::new(&module).launch(entry, Engine::Batch, 1)
}

/// Prints a table of what launches cost.
pub fn run(count: usize) {
    let trivial = margay_front::compile(TRIVIAL).expect("the kernels are valid");
    let loaded = Loaded::new(&trivial);
    for engine in [Engine::Batch, Engine::Golden] {
        loaded.launch("number", engine, 0);
        loaded.check();
    }
    let module = margay_front::compile(PTX).expect("the kernels are valid");
    let candidates = vec![
        Candidate::timed("nothing, 32 threads, one worker", || loaded.launch("nothing", Engine::Batch, 1)),
        Candidate::timed("nothing, 32 threads, as many workers as cores", || {
            loaded.launch("nothing", Engine::Batch, 0)
        }),
        Candidate::timed("each of 32 threads writes its number", || {
            loaded.launch("number", Engine::Batch, 0)
        }),
        Candidate::timed("the same on the golden engine", || loaded.launch("number", Engine::Golden, 0)),
        Candidate::timed("the same, from its text on", || from_text(TRIVIAL, "number")),
        Candidate::timed("the eight kernels: parsed and checked", || margay_front::compile(PTX).is_ok()),
        Candidate::timed("the eight kernels: loaded into memory", || {
            Program::load(&module, &mut Memory::new(64)).is_ok()
        }),
    ];
    println!("\n{:<48} {:>10} {:>8}", "launches", "µs", "spread");
    let print = |t: Timing| println!("{:<48} {:>10.2} {:>7.0}%", t.name, t.median * 1e6, t.spread * 100.0);
    rounds(candidates, count).into_iter().for_each(print);
}
