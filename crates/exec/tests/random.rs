//! Random kernels give the same in every legal schedule, on any number of workers, and cover what margay runs.
//!
//! `MARGAY_RANDOM_KERNELS` says how many kernels are judged, `MARGAY_RANDOM_SEED` the first one's seed.

#[path = "support/run_files.rs"]
mod run_files;
mod support;

use margay_exec::{Engine, Finding, Sanitize, Simd};
use margay_front::module::{FunctionId, InstructionId, Module};
use margay_isa::{Meaning, PAGES};
use run_files::run_files;
use std::collections::{BTreeMap, BTreeSet};
use support::random_kernel::launch::{Outcome, Way, compile, run};
use support::random_kernel::said::judge_all;
use support::random_kernel::shrink::smallest;
use support::random_kernel::{Kernel, generate, without};

/// Kernels that are judged if nothing else is said.
const KERNELS: u64 = 2000;

/// Items of the kernel of a seed.
fn size(seed: u64) -> usize {
    1 + (seed % 12) as usize
}

/// The ways that must agree with the golden engine in its default order.
fn ways(seed: u64) -> [Way; 5] {
    // Each level of vector instructions in its turn.
    let levels = Simd::available();
    let simd = Some(levels[seed as usize % levels.len()]);
    [
        Way { engine: Engine::Batch, simd, workers: 1, ..Way::default() },
        Way { engine: Engine::Batch, workers: 3, ..Way::default() },
        Way { engine: Engine::Golden, workers: 3, ..Way::default() },
        Way { seed: Some(seed), workers: 1, ..Way::default() },
        Way { seed: Some(!seed), unordered: true, workers: 3, ..Way::default() },
    ]
}

/// What is wrong with a kernel, if anything is.
fn wrong(kernel: &Kernel) -> Option<String> {
    let module = match compile(kernel) {
        Ok(module) => module,
        Err(error) => return Some(format!("is refused: {error}")),
    };
    let golden = Way { engine: Engine::Golden, workers: 1, ..Way::default() };
    let wanted = match run(kernel, &module, golden) {
        Ok(outcome) => outcome,
        Err(error) => return Some(format!("ends early: {error}")),
    };
    ways(kernel.seed).into_iter().find_map(|way| match run(kernel, &module, way) {
        Ok(outcome) if outcome == wanted => None,
        Ok(outcome) if outcome.printed != wanted.printed => Some(format!("prints something else as {way:?}")),
        Ok(outcome) if outcome.buffers == wanted.buffers => {
            let (found, wanted) = (outcome.instructions, wanted.instructions);
            Some(format!("executes {found} instructions, not {wanted}, as {way:?}"))
        }
        Ok(_) => Some(format!("gives something else as {way:?}")),
        Err(error) => Some(format!("ends early as {way:?}: {error}")),
    })
}

/// The same, where a judge of the compiler's stages may end everything.
fn wrong_or_refused(kernel: &Kernel) -> Option<String> {
    let judged = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| wrong(kernel)));
    judged.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        Some(text.unwrap_or_else(|| "panics".to_string()))
    })
}

#[test]
fn every_schedule_gives_the_same() {
    let wrong = |seed: u64| {
        let kernel = generate(seed, size(seed));
        wrong_or_refused(&kernel).map(|_| kernel)
    };
    judge_all(KERNELS, wrong, |kernel| {
        let small = smallest(kernel, |kernel| wrong_or_refused(kernel).is_some());
        let Kernel { size, dropped, grid, block, text, .. } = &small;
        let what = wrong_or_refused(&small).unwrap_or_default();
        format!("size {size} without {dropped:?}, grid {grid:?}, block {block:?}: {what}\n{text}")
    });
}

#[test]
fn engines_count_the_same_of_random_kernels() {
    let mut branches = 0;
    for seed in 0..600 {
        let kernel = generate(seed, size(seed));
        let module = compile(&kernel).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let ways = [(Engine::Golden, 1), (Engine::Batch, 1), (Engine::Batch, 3)];
        let [golden, batch, three] = ways.map(|(engine, workers)| {
            let way = Way { engine, workers, profile: true, ..Way::default() };
            run(&kernel, &module, way).unwrap_or_else(|error| panic!("seed {seed}: {error}")).counted
        });
        let different = golden.iter().zip(&batch).find(|(a, b)| a != b);
        assert!(different.is_none() && golden == three, "seed {seed}: {different:#?}\n{}", kernel.text);
        branches += golden.iter().flat_map(|counted| &counted.branches).filter(|b| b.taken > 0).count();
    }
    assert!(branches > 600, "{branches}");
}

/// What must occur, each in several of some hundred kernels.
const FEATURES: &[&str] = &[
    "address from data",
    "arrive",
    "asynchronous copy",
    "barrier",
    "barrier in a function",
    "barrier objects",
    "branch by index",
    "break",
    "call",
    "call by list",
    "call by prototype",
    "carry chain",
    "chain of exchanges",
    "constant memory",
    "counted turns",
    "contiguous addresses",
    "continue",
    "dynamic shared memory",
    "early end",
    "early return",
    "exchange",
    "gathered addresses",
    "generic address",
    "global sums",
    "guard",
    "handshake",
    "if",
    "if else",
    "irreducible loop",
    "local memory",
    "loop",
    "made-up address",
    "neighbouring addresses",
    "nested call",
    "nested loop",
    "parameter structure",
    "parts of places",
    "planes",
    "private atomics",
    "prints",
    "recursion",
    "register parameters",
    "scan of words",
    "section",
    "shared memory",
    "shared sums",
    "stack",
    "strided addresses",
    "strided loop",
    "turning loop",
    "tangle",
    "tile",
    "tree of words",
    "uniform address",
    "uniform break",
    "uniform loop",
    "variable without an address",
    "warp operation",
    "warp operation of some lanes",
    "words moved in place",
    "words read before and after",
];

/// Instructions that end the launch.
const ENDS: &[&str] = &["trap", "brkpt"];

fn opcodes(module: &Module) -> BTreeSet<(&'static str, &'static str)> {
    let code = module.functions().iter().flat_map(|function| &function.code);
    code.map(|instruction| (instruction.inst.page().section, instruction.inst.opcode())).collect()
}

/// What occurs in the run files, and in the kernels that `matrices` makes of every form.
fn written() -> BTreeSet<(&'static str, &'static str)> {
    let matrices = PAGES.iter().filter(|page| matches!(page.meaning, Meaning::Fragments(_)));
    let matrices = matrices.flat_map(|page| page.opcodes.iter().map(|opcode| (page.section, *opcode)));
    let mut found: BTreeSet<_> = matrices.collect();
    for path in run_files(&[""]) {
        let module = margay_front::compile(&std::fs::read_to_string(path).unwrap());
        found.extend(module.iter().flat_map(opcodes));
    }
    found
}

#[test]
fn everything_that_runs_occurs() {
    let (mut features, mut found) = (BTreeMap::new(), BTreeSet::new());
    let (mut blocks, mut forms) = (BTreeSet::new(), BTreeSet::new());
    for seed in 0..1200 {
        let kernel = generate(seed, 12);
        let module = compile(&kernel).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", kernel.text));
        kernel.features.iter().for_each(|feature| *features.entry(*feature).or_insert(0) += 1);
        found.extend(opcodes(&module));
        blocks.insert(kernel.block.iter().product::<u32>());
        let code = module.functions().iter().flat_map(|function| &function.code);
        forms.extend(code.map(|instruction| format!("{:?}", instruction.inst)));
    }
    let rare: Vec<_> = FEATURES.iter().filter(|name| features.get(*name).copied().unwrap_or(0) < 5).collect();
    assert!(rare.is_empty(), "{rare:?} of {features:?}");
    let unlisted: Vec<_> = features.keys().filter(|name| !FEATURES.contains(name)).collect();
    assert!(unlisted.is_empty(), "{unlisted:?}");
    let wanted = PAGES.iter().filter(|page| page.runs());
    let wanted = wanted.flat_map(|page| page.opcodes.iter().map(|opcode| (page.section, *opcode)));
    let elsewhere = written();
    let missing: Vec<_> = wanted.filter(|one| !found.contains(one) && !ENDS.contains(&one.1)).collect();
    let nowhere: Vec<_> = missing.iter().filter(|one| !elsewhere.contains(one)).collect();
    assert!(nowhere.is_empty(), "{nowhere:?}");
    // What wants all lanes or a warpgroup, tensor memory, barrier objects, ranges of memory, tensors, textures or clusters is in run files.
    assert!(missing.len() < 60, "{missing:?}");
    assert!([1, 7, 33, 96, 257].iter().all(|threads| blocks.contains(threads)), "{blocks:?}");
    assert!(forms.len() > 4_000, "{} forms", forms.len());
}

#[test]
fn a_kernel_repeats_and_a_smaller_one_is_its_beginning() {
    for seed in 0..50 {
        let (whole, again, part) = (generate(seed, 9), generate(seed, 9), generate(seed, 5));
        assert_eq!(whole.text, again.text);
        let common = whole.text.bytes().zip(part.text.bytes()).take_while(|(a, b)| a == b).count();
        // All of it but what ends every kernel.
        assert!(part.text[common..].len() < 4_000 && common > 2_000, "seed {seed}: {common} bytes in common");
        let dropped = without(seed, 9, &[5, 6, 7, 8]);
        assert_eq!(dropped.text, part.text);
    }
}

#[test]
fn sanitizers_find_nothing_where_nothing_is_wrong() {
    for seed in 0..200 {
        let kernel = generate(seed, size(seed));
        let module = compile(&kernel).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let way = Way {
            sanitize: Sanitize::ALL,
            workers: 1,
            seed: Some(seed).filter(|s| s % 2 == 1),
            ..Way::default()
        };
        let Outcome { findings, .. } =
            run(&kernel, &module, way).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        // What the generator says that it does.
        let done =
            ["result is undefined", " ended", "in its member mask 0xffffffff, which the block does not have"];
        let open = |f: &Finding| done.iter().any(|text| f.message.contains(text));
        let findings: Vec<_> = findings.into_iter().filter(|finding| !open(finding)).collect();
        assert!(findings.is_empty(), "seed {seed}: {findings:#?}\n{}", kernel.text);
    }
}

/// The first hundred seeds whose kernels hand no words from phase to phase: without barriers those would do nothing but race, and
/// what their threads do next would depend on it.
fn seeds() -> impl Iterator<Item = u64> {
    let phases = ["scan of words", "tree of words", "words moved in place", "words read before and after"];
    (0..).filter(move |seed| phases.iter().all(|name| !generate(*seed, 8).features.contains(name))).take(100)
}

/// The kernel of a seed without its barriers for all threads and barrier objects, and without what orders accesses in those schedules only in which
/// one thread happens to see what another released.
fn unguarded(seed: u64) -> Kernel {
    let mut kernel = generate(seed, 8);
    let kept = |line: &&str| {
        let ordering =
            ["bar.sync", "bar.cta.sync", "bar.arrive", "mbarrier.in", "mbarrier.arrive", "fence.", "membar."];
        !ordering.iter().any(|words| line.contains(words))
    };
    let relaxed = |line: &str| {
        let words = [".acquire", ".release", ".acq_rel"];
        match line.starts_with("mbarrier.try_wait") {
            true => "setp.eq.u32 %lp, %t, %t;\n".to_string(),
            false => words.iter().fold(line.to_string(), |line, word| line.replace(word, ".relaxed")) + "\n",
        }
    };
    kernel.text = kernel.text.lines().filter(kept).map(relaxed).collect();
    kernel
}

/// Without its barriers a kernel whose threads exchange values has races, and schedules show them.
#[test]
fn what_is_wrong_is_found() {
    let found = seeds().filter(|seed| wrong(&unguarded(*seed)).is_some()).count();
    assert!(found > 15, "{found} of 100");
}

/// The kernel with weak loads and stores in the place of strong ones.
fn weakened(mut kernel: Kernel) -> Kernel {
    const STRONG: &[&str] =
        &["volatile", "relaxed", "acquire", "release", "mmio", "cta", "cluster", "gpu", "sys"];
    let weak = |line: &str| {
        let word = |word: &&str| !word.starts_with("ld.") && !word.starts_with("st.");
        let words = line.split(' ').map(|head| match word(&head) {
            true => head.to_string(),
            false => head.split('.').filter(|part| !STRONG.contains(part)).collect::<Vec<_>>().join("."),
        });
        words.collect::<Vec<_>>().join(" ") + "\n"
    };
    kernel.text = kernel.text.lines().map(weak).collect();
    kernel
}

type Places = BTreeSet<Vec<(FunctionId, InstructionId)>>;

/// Where races are found in three orders, and whether the orders give different results.
fn races(kernel: &Kernel) -> ([Places; 3], bool) {
    let seed = kernel.seed;
    let module = compile(kernel).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let sanitize = Sanitize { race: true, ..Sanitize::default() };
    let outcomes = [None, Some(seed), Some(!seed)].map(|order| {
        let way = Way { sanitize, workers: 1, seed: order, ..Way::default() };
        run(kernel, &module, way).unwrap_or_else(|error| panic!("seed {seed}: {error}"))
    });
    let shows = outcomes.iter().any(|outcome| outcome.buffers != outcomes[0].buffers);
    let places = outcomes.each_ref().map(|outcome| {
        let acts = outcome.findings.iter().map(|finding| &finding.acts);
        acts.map(|acts| acts.iter().map(|act| (act.function, act.instruction)).collect()).collect()
    });
    (places, shows)
}

/// Strong accesses do not race, and what they give depends on the order all the same.
#[test]
fn races_that_an_order_shows_are_found_and_the_same_in_every_order() {
    let (mut shown, mut found, mut ordered) = (0, 0, 0);
    for seed in seeds() {
        let (places, shows) = races(&unguarded(seed));
        assert!(places.iter().all(|set| *set == places[0]), "seed {seed}: {places:?}");
        shown += u32::from(shows);
        found += u32::from(!places[0].is_empty());
        if shows && places[0].is_empty() {
            ordered += 1;
            let (places, _) = races(&weakened(unguarded(seed)));
            assert!(!places[0].is_empty(), "seed {seed}: an order shows what is not found");
        }
    }
    assert!(shown > 15 && found > shown, "{shown} are shown by an order and {found} found, of 100");
    assert!(ordered < 10, "strong accesses alone make a difference in {ordered} of 100");
}
