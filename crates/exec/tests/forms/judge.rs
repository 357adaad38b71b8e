//! Kernels on the golden engine and on the batch engine with every level of vector instructions, in blocks of several shapes.

use crate::bank::{self, MOST, corner};
use crate::kernel::{DATA, Item, STRUCTURE, TABLE, kernel};
use crate::random::Random;
use margay_exec::{Argument, Dim, Engine, Launch, Memory, Program, Simd, parameter_block};
use margay_front::module::Module;
use margay_isa::Semantics;

/// Threads of a block along x, y and z.
const SHAPES: [[u32; 3]; 4] = [[1, 1, 1], [31, 1, 1], [8, 4, 2], [257, 1, 1]];

/// Whether the last line of threads is a part of one only, in a block of several.
fn is_partial(shape: [u32; 3]) -> bool {
    let threads = shape.iter().product::<u32>();
    threads > 1 && !threads.is_multiple_of(16)
}

/// What kernels find: the same for all kernels of a seed.
pub struct World {
    bank: Vec<u8>,
    uniform: Vec<u8>,
    data: Vec<u8>,
    table: Vec<u8>,
    structure: Vec<u8>,
    work: Vec<u8>,
    semantics: Semantics,
}

impl World {
    pub fn new(seed: u64, work: usize) -> World {
        let mut random = Random::new(seed, 1);
        let mut bytes = |count: usize| {
            let words = count.div_ceil(8);
            let mut bytes: Vec<u8> = (0..words).flat_map(|_| corner(&mut random).to_le_bytes()).collect();
            bytes.truncate(count);
            bytes
        };
        World {
            bank: bytes(bank::BANK),
            uniform: bytes(bank::UNIFORM),
            data: bytes(DATA),
            table: bytes(TABLE),
            structure: bytes(STRUCTURE),
            work: bytes(work),
            semantics: Semantics::Manual,
        }
    }

    /// With what ptxas 13.5 computes.
    pub fn under_ptxas(self) -> World {
        World { semantics: Semantics::Ptxas13_5, ..self }
    }

    fn run(&self, module: &Module, planes: usize, shape: [u32; 3], way: (Engine, Option<Simd>)) -> Outcome {
        let mut memory = Memory::new(64);
        let program = Program::load(module, &mut memory).unwrap();
        let (table, _) = program.variable("table").unwrap();
        memory.write(table, &self.table).unwrap();
        let mut buffer = |bytes: &[u8], name: &str| {
            let address = memory.alloc(bytes.len() as u64, name).unwrap();
            memory.write(address, bytes).unwrap();
            address
        };
        let (bank, data) = (buffer(&self.bank, "bank"), buffer(&self.data, "data"));
        let work = buffer(&self.work, "work");
        let out = memory.alloc((planes * MOST * 8) as u64, "out").unwrap();
        let arguments = [
            Argument::Address(bank),
            Argument::Address(data),
            Argument::Address(work),
            Argument::Address(out),
            Argument::Bytes(self.structure.clone()),
            Argument::Bytes(self.uniform.clone()),
        ];
        let entry = module.entry("k").unwrap();
        let [x, y, z] = shape;
        let launch = Launch {
            block: Dim::new(x, y, z),
            parameters: parameter_block(module.function(entry), 64, &arguments).unwrap(),
            engine: way.0,
            simd: way.1,
            semantics: self.semantics,
            workers: 1,
            ..Launch::new(entry)
        };
        let ran = launch.run(&program, &memory).map_err(|error| error.to_string());
        Outcome {
            ended: ran.map(|report| (report.instructions, report.handed_over)),
            out: memory.read(out, (planes * MOST * 8) as u64).unwrap(),
            work: memory.read(work, self.work.len() as u64).unwrap(),
            data: memory.read(data, self.data.len() as u64).unwrap(),
        }
    }
}

struct Outcome {
    /// How many instructions were executed, and how many blocks handed over.
    ended: Result<(u64, u64), String>,
    out: Vec<u8>,
    work: Vec<u8>,
    data: Vec<u8>,
}

/// How often something was judged.
#[derive(Default, Debug)]
pub struct Tally {
    pub kernels: usize,
    pub items: usize,
}

/// What is wrong with the items in one kernel, and the number of the item at fault where that is known. Whether a block that is
/// handed over is wrong.
fn wrong(world: &World, items: &[Item], stays: bool) -> Option<(String, Option<usize>)> {
    let kernel = kernel(items);
    let module = match margay_front::compile(&kernel.text) {
        Ok(module) => module,
        Err(errors) => {
            let first = &errors[0];
            let at = first.labels.first().map_or(0, |label| label.span.start) as usize;
            let line = kernel.text[..at].lines().count();
            let line = kernel.text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
            return Some((format!("is refused: {} in `{line}`", first.message), None));
        }
    };
    let levels = Simd::available();
    for (s, shape) in SHAPES.into_iter().enumerate() {
        let golden = world.run(&module, kernel.planes.len(), shape, (Engine::Golden, None));
        let Ok((steps, _)) = golden.ended else {
            return Some((format!("ends early: {:?}", golden.ended), None));
        };
        // In blocks that fill their lines the levels take turns. `jit-skylake`, which differs from `jit` in few forms, is judged in
        // one of two other shapes.
        let turn = (kernel.planes.len() + s) % levels.len();
        let is_other_turn = (kernel.planes.len() + s / 2).is_multiple_of(2);
        let has_turn = |(k, simd): &(usize, &Simd)| match is_partial(shape) {
            true => **simd != Simd::JitSkylake || is_other_turn,
            false => *k == turn,
        };
        for (_, simd) in levels.iter().enumerate().filter(has_turn) {
            let batch = world.run(&module, kernel.planes.len(), shape, (Engine::Batch, Some(*simd)));
            let way = format!("on {simd} in blocks of {shape:?}");
            let different = |k: usize| golden.out[8 * k..8 * k + 8] != batch.out[8 * k..8 * k + 8];
            if let Some(k) = (0..golden.out.len() / 8).find(|k| different(*k)) {
                let word = |bytes: &[u8]| u64::from_le_bytes(bytes[8 * k..8 * k + 8].try_into().unwrap());
                let (plane, thread) = (k / MOST, k % MOST);
                let what = format!(
                    "{way}: thread {thread} has {:#x} instead of {:#x} in plane {plane} ({:?})",
                    word(&batch.out),
                    word(&golden.out),
                    batch.ended
                );
                return Some((what, Some(kernel.planes[plane]).filter(|item| *item < items.len())));
            }
            if let Some(k) = (0..golden.work.len()).find(|k| golden.work[*k] != batch.work[*k]) {
                let what = format!(
                    "{way}: byte {k} of the buffer is {} instead of {}",
                    batch.work[k], golden.work[k]
                );
                return Some((what, None));
            }
            if golden.data != batch.data {
                return Some((format!("{way}: what is only read was changed"), None));
            }
            let as_wanted = |(executed, handed_over)| executed == steps && !(stays && handed_over > 0);
            if !batch.ended.as_ref().is_ok_and(|ended| as_wanted(*ended)) {
                let what = format!(
                    "{way}: {:?} instructions and blocks handed over, not {steps} and 0",
                    batch.ended
                );
                return Some((what, None));
            }
        }
    }
    None
}

/// Judges items, so many in a kernel; whether the batch engine must carry all of it out by itself.
pub fn judge(world: &World, items: &[Item], (together, stays): (usize, bool), tally: &mut Tally) {
    for part in items.chunks(together) {
        tally.kernels += 1;
        tally.items += part.len();
        let Some((what, item)) = wrong(world, part, stays) else { continue };
        // One item alone, if it shows the same; else as few as halving leaves.
        let mut few: Vec<Item> = part.to_vec();
        if let Some(item) = item
            && wrong(world, &part[item..item + 1], stays).is_some()
        {
            few = vec![part[item].clone()];
        }
        let mut size = few.len();
        while size > 1 {
            size = size.div_ceil(2);
            while let Some(at) = (0..few.len()).step_by(size).find(|at| {
                let rest = [&few[..*at], &few[(at + size).min(few.len())..]].concat();
                rest.len() < few.len() && wrong(world, &rest, stays).is_some()
            }) {
                few.drain(at..(at + size).min(few.len()));
            }
        }
        let (now, _) = wrong(world, &few, stays).unwrap_or_default();
        let shown: String = few.iter().map(Item::to_string).collect();
        panic!("{}\n{what}\nalone: {now}\n{shown}", kernel(&few).text);
    }
}
