//! A judge of machine code for machines that lack extensions of AVX-512: it has no instruction that they lack, and gives what
//! handlers give.

use crate::batch::lanes::jit::lowering::Run;
use crate::batch::lanes::jit::pattern::Pattern;
use crate::batch::lanes::jit::print::decoded;
use crate::batch::lanes::jit::target::{AVX2, AVX512, BASE, EXTENSIONS, Machine, avx512};
use crate::batch::lanes::jit::{Compiled, assign};
use crate::batch::lanes::random_runs::RandomRun;
use crate::batch::lanes::{Item, Lines, Place, Simd, VectorOp, What, Work, can_be_compiled, width};
use foldhash::{HashMap, HashSet};
use iced_x86::{Code, CpuidFeature};
use margay_isa::WARP;
use margay_isa::uop::{Op, Type};
use std::array::from_fn;
use std::path::{Path, PathBuf};

/// What code for vectors of AVX2 needs, and loops around code of either.
const AVX2_FEATURES: [CpuidFeature; 4] =
    [CpuidFeature::AVX, CpuidFeature::AVX2, CpuidFeature::FMA, CpuidFeature::F16C];
const LOOPS: [CpuidFeature; 5] = [
    CpuidFeature::INTEL8086,
    CpuidFeature::INTEL386,
    CpuidFeature::X64,
    CpuidFeature::MULTIBYTENOP,
    // All machines of 64 bits can fetch ahead.
    CpuidFeature::SSE,
];

/// Machines with each set of extensions, the one without any first.
fn machines() -> Vec<&'static Machine> {
    let set = |number: usize| {
        let chosen = EXTENSIONS.into_iter().enumerate().filter(|(k, _)| number >> k & 1 == 1);
        let chosen: Vec<CpuidFeature> = chosen.map(|(_, extension)| extension).collect();
        &*Box::leak(Box::new(avx512(chosen.leak())))
    };
    (0..1 << EXTENSIONS.len()).map(set).collect()
}

/// What the instructions of a run's code need of the machine; it has some.
fn needed(run: &Run) -> HashSet<CpuidFeature> {
    let code = assign(run).and_then(|assigned| decoded(&assigned)).expect("code");
    assert!(code.iter().all(|instruction| !instruction.is_invalid()));
    code.iter().flat_map(|instruction| instruction.cpuid_features().iter().copied()).collect()
}

/// Says which of these a machine lacks.
fn lacking(machine: &Machine, needed: &HashSet<CpuidFeature>) -> Vec<CpuidFeature> {
    // Instructions on masks aside, AVX-512's are encoded by itself; what ends a function is AVX's.
    let own = if machine.has_masks { &BASE[..] } else { &AVX2_FEATURES };
    let has = |feature: &&CpuidFeature| {
        [own, &LOOPS, machine.extensions, &[CpuidFeature::AVX]].iter().any(|all| all.contains(*feature))
    };
    needed.iter().filter(|feature| !has(feature)).copied().collect()
}

fn place(line: u32, ty: Type) -> Place {
    Place { line, stride: width(ty) }
}

/// What an operation alone needs, on operands that differ or are the same value; the last one may be a constant.
fn alone(op: Op, is_same: bool, constant: Option<u64>, machine: &'static Machine) -> HashSet<CpuidFeature> {
    with_run(op, is_same, constant, machine, needed)
}

/// What is said of a run of that operation.
pub(super) fn with_run<T>(
    op: Op,
    is_same: bool,
    constant: Option<u64>,
    machine: &'static Machine,
    say: impl Fn(&Run) -> T,
) -> T {
    let types = op.operands();
    let mut from: [Place; 3] = from_fn(|k| place(if is_same { 0 } else { 2 * k as u32 }, Type::U32));
    from.iter_mut().zip(types).for_each(|(from, ty)| from.stride = width(*ty));
    if is_same && !types.iter().all(|ty| *ty == types[0]) {
        from.iter_mut().enumerate().for_each(|(k, from)| from.line = 2 * k as u32);
    }
    let mut constants = HashMap::default();
    if let Some(constant) = constant {
        from[types.len() - 1] = Place { line: 100, stride: 0 };
        constants.insert(100, constant);
    }
    let to = place(50, op.result());
    let items = [Item { work: Work::VectorOp(VectorOp { what: What::Op(op), to, from }), lasts: true }];
    say(&Run::new(&items, &constants, machine))
}

/// The places are the same in all operands; amounts and selections of bytes come from one register, or from two.
pub(super) const SHAPES: [(bool, Option<u64>); 5] =
    [(false, None), (true, None), (false, Some(0x7531)), (false, Some(0x3120)), (true, Some(0x5410))];

pub(super) fn compiled_ops() -> Vec<Op> {
    Op::all().into_iter().filter(|op| can_be_compiled(What::Op(*op))).collect()
}

#[test]
fn code_has_no_instruction_that_its_machine_lacks() {
    for machine in machines().into_iter().chain([&AVX2]) {
        let mut used = HashSet::default();
        // Functions of three operands are one instruction each, or what AVX2 makes of them.
        let ops = compiled_ops().into_iter().filter(|op| !matches!(op, Op::Lop3(table) if table % 16 > 0));
        for op in ops {
            for (is_same, constant) in SHAPES {
                let needed = alone(op, is_same, constant, machine);
                let lacking = lacking(machine, &needed);
                assert!(lacking.is_empty(), "{op:?} needs {lacking:?} with {:?}", machine.extensions);
                used.extend(needed);
            }
        }
        used.extend(with_loads(machine));
        // What there is is used.
        let unused: Vec<_> =
            machine.extensions.iter().filter(|extension| !used.contains(extension)).collect();
        assert!(unused.is_empty(), "{unused:?} of {:?}", machine.extensions);
    }
}

/// Loads of all kinds, words of neighbours among them, and values that warps exchange; then what asks whether lanes go round again.
fn with_loads(machine: &'static Machine) -> HashSet<CpuidFeature> {
    let needs = of_loads(machine, needed).into_iter().flatten().collect();
    let lacking = lacking(machine, &needs);
    assert!(lacking.is_empty(), "loads need {lacking:?}");
    needs
}

/// What is said of runs of them.
pub(super) fn of_loads<T>(machine: &'static Machine, say: impl Fn(&Run) -> T) -> [T; 2] {
    let patterns: Vec<Pattern> = [0, 1, 2, 4, 8, 48]
        .map(|lane| {
            let lanes = machine.lanes() as i64;
            Pattern::new(machine, lane, lane * lanes / 2, (0..64).map(|k| k * lane * lanes).collect())
        })
        .into();
    let mut items = Vec::new();
    let to = |items: &Vec<Item>, ty: Type| place(4 * items.len() as u32, ty);
    for (load, at, bytes) in [
        (0, 0, 1),
        (0, 0, 2),
        (0, 0, 4),
        (0, 0, 8),
        (1, 0, 1),
        (2, 0, 2),
        (3, 0, 4),
        (4, 0, 8),
        (5, 0, 8),
        (5, 16, 4),
        (5, 20, 4),
        (5, 24, 4),
        (5, 28, 4),
    ] {
        let to = to(&items, if bytes == 8 { Type::U64 } else { Type::U32 });
        items.push(Item { work: Work::Load { load, at, bytes, to }, lasts: true });
    }
    for by in [1u8, 2, 4, 16, 31] {
        let choices: [u8; WARP] = from_fn(|lane| lane as u8 ^ by);
        let work = Work::Exchange { choices, from: place(8, Type::U32), to: to(&items, Type::U32) };
        items.push(Item { work, lasts: true });
    }
    let constants = HashMap::default();
    let loads = say(&Run { patterns: &patterns, ..Run::new(&items, &constants, machine) });
    let predicate = place(0, Type::Pred);
    let what = What::Op(Op::Pred(margay_isa::uop::Logic::And));
    let and = VectorOp { what, to: predicate, from: [predicate, place(4, Type::Pred), predicate] };
    let items = [Item { work: Work::VectorOp(and), lasts: true }];
    let again = Some(predicate);
    [loads, say(&Run { again, ..Run::new(&items, &constants, machine) })]
}

#[test]
fn every_set_of_extensions_gives_what_handlers_give() {
    if !Simd::available().contains(&Simd::JitSkylake) {
        println!("this machine runs no code of AVX-512: deferred");
        return;
    }
    let here = Machine::here(Simd::Jit).expect("a machine").extensions;
    let is_here = |machine: &&Machine| machine.extensions.iter().all(|extension| here.contains(extension));
    let machines: Vec<_> = machines().into_iter().filter(is_here).collect();
    // Half of the operations are such as have another code where extensions are missing.
    let all = compiled_ops();
    let extended = |op: &Op| {
        SHAPES.iter().any(|(is_same, constant)| {
            let needed = alone(*op, *is_same, *constant, &AVX512);
            EXTENSIONS.iter().any(|extension| needed.contains(extension))
        })
    };
    let extended: Vec<Op> = all.iter().copied().filter(extended).collect();
    assert!(extended.len() >= 17, "only {extended:?}");
    let often = extended.iter().cycle().take(all.len()).copied();
    let ops: Vec<Op> = often.chain(all.iter().copied()).collect();
    for seed in 0..1600 {
        let machine = machines[seed as usize % machines.len()];
        let run = RandomRun::new(seed + 200_000, &ops);
        let code = Compiled::for_machine(machine, run.vector_ops.list(), &run.vector_ops.runs);
        assert!(code.has(0), "{:?} is not compiled", run.vector_ops.list());
        let mut lines = Lines::new(&run.vector_ops, Simd::Avx2, None);
        lines.compiled = Some(&code);
        run.judge(&format!("{:?}", machine.extensions), &mut lines);
    }
}

/// The sources of a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

#[test]
fn every_instruction_that_is_named_is_of_a_known_extension() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/batch/lanes/jit");
    let codes: HashMap<String, Code> = Code::values().map(|code| (format!("{code:?}"), code)).collect();
    let mut named = HashSet::default();
    for file in sources(&folder) {
        let text = std::fs::read_to_string(&file).expect("a source");
        let names = text.split("Code::").skip(1).map(|rest| {
            rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default()
        });
        named.extend(names.filter_map(|name| codes.get(name).copied()));
    }
    assert!(named.len() > 280, "only {} are named", named.len());
    let features: HashSet<CpuidFeature> =
        named.iter().flat_map(|code| code.cpuid_features().iter().copied()).collect();
    let known: Vec<_> = [&BASE[..], &EXTENSIONS, &AVX2_FEATURES, &LOOPS].concat();
    let unknown: Vec<_> = features.iter().filter(|feature| !known.contains(feature)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    assert!(EXTENSIONS.iter().all(|extension| features.contains(extension)), "{features:?}");
}
