//! Whole kernels as real compilers write them: each launch gives what was computed without PTX, for every compiler.

#![allow(unsafe_code)]

mod compare;
mod data;
mod matmul;

use data::{Case, Text};
use margay_exec::{
    Act, Argument, Engine, Error, Finding, Launch, Memory, Program, Sanitize, parameter_block,
};
use margay_front::module::Module;
use margay_front::source::LineIndex;
use std::collections::{BTreeMap, BTreeSet};

/// The engines that are judged, the judge of the other first.
const ENGINES: [Engine; 2] = [Engine::Golden, Engine::Batch];

/// How a launch ended.
enum Outcome {
    /// What the buffers that are compared hold, parameters first, what was printed, and how many blocks were handed over.
    Done(Vec<Vec<u8>>, String, u64),
    /// Why it was refused: nothing ran.
    Refused(String),
    Trapped(String),
}

/// Whose memory the buffers are, and which addresses they have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Margay's, at its own addresses.
    Own,
    /// This process's, at addresses of margay's own.
    Lent,
    /// This process's, at their own addresses.
    Host,
    /// The same, and the device is not told of them.
    Open,
}

/// Runs a launch; `fill` may change what a buffer holds before it.
fn launch(
    module: &Module,
    case: &Case,
    contents: &[u8],
    how: (Engine, Sanitize, Option<u64>),
    fill: &mut dyn FnMut(&mut [u8]),
) -> (Outcome, Vec<Finding>) {
    launch_in(Kind::Own, module, case, contents, how, fill)
}

/// A buffer, what it held before, whether it is only read, and the bytes that are lent for it.
type Buffer = (u64, Vec<u8>, bool, Vec<u128>);

/// The same with buffers in a kind of memory.
fn launch_in(
    kind: Kind,
    module: &Module,
    case: &Case,
    contents: &[u8],
    (engine, sanitize, schedule_seed): (Engine, Sanitize, Option<u64>),
    fill: &mut dyn FnMut(&mut [u8]),
) -> (Outcome, Vec<Finding>) {
    let mut memory = match kind {
        Kind::Own | Kind::Lent => Memory::new(module.address_size()),
        Kind::Host => Memory::host(),
        // SAFETY: the kernels are right, but for those that are to fail, which use no open memory.
        Kind::Open => unsafe { Memory::open_host() },
    };
    let program = Program::load(module, &mut memory).unwrap();
    let mut buffers: Vec<Buffer> = Vec::new();
    let mut arguments = Vec::new();
    for param in case.params() {
        if param["kind"] == "scalar" {
            arguments.push(Argument::Bytes(data::hex(param["bytes"].as_str().unwrap())));
            continue;
        }
        let mut before = data::part(contents, param, "in").unwrap().to_vec();
        fill(&mut before);
        let (name, bytes) = (param["name"].as_str().unwrap(), before.len() as u64);
        let mut lent = vec![0u128; before.len().div_ceil(16) + 1];
        let start = lent.as_mut_ptr().cast();
        let address = match kind {
            Kind::Own => memory.alloc(bytes, name).unwrap(),
            // SAFETY: what is lent lives until the launch is over, and nobody else uses it.
            Kind::Lent | Kind::Host => unsafe { memory.lend(start, bytes, name, false).unwrap() },
            Kind::Open => start.expose_provenance() as u64,
        };
        memory.write(address, &before).unwrap();
        arguments.push(Argument::Address(address));
        buffers.push((address, before, param["role"] == "in", lent));
    }
    let mut variables = Vec::new();
    for global in case.globals() {
        let (address, bytes) = program.variable(global["name"].as_str().unwrap()).unwrap();
        if let Some(before) = data::part(contents, global, "in") {
            memory.write(address, before).unwrap();
        }
        if global["role"] != "in" {
            variables.push((address, bytes));
        }
    }
    let entry = module.entry(case.text("entry")).unwrap();
    let launch = Launch {
        grid: case.shape("grid").into(),
        block: case.shape("block").into(),
        shared_bytes: case.json["shared_bytes"].as_u64().unwrap(),
        parameters: parameter_block(module.function(entry), 64, &arguments).unwrap(),
        engine,
        max_steps: (engine == Engine::Golden).then_some(1 << 28),
        sanitize,
        schedule_seed,
        ..Launch::new(entry)
    };
    let (printed, findings, handed_over) = match launch.run(&program, &memory) {
        Err(Error::Launch(error)) => {
            let reasons: BTreeSet<_> = error.places.iter().map(|place| place.text.as_str()).collect();
            return (Outcome::Refused(Vec::from_iter(reasons).join("; ")), Vec::new());
        }
        Err(Error::Trap(trap)) => return (Outcome::Trapped(trap.to_string()), trap.findings),
        Ok(report) => (report.printed, report.findings, report.handed_over),
    };
    let mut found = Vec::new();
    for (address, before, is_input, lent) in &buffers {
        let now = memory.read(*address, before.len() as u64).unwrap();
        let bytes = lent.iter().flat_map(|word| word.to_le_bytes());
        let rest = bytes.skip(if kind == Kind::Own { 0 } else { before.len() });
        assert!(rest.fold(0, |any, byte| any | byte) == 0, "{}: beside a buffer", case.name());
        match is_input {
            true => assert!(now == *before, "{}: an input was changed", case.name()),
            false => found.push(now),
        }
    }
    found.extend(variables.iter().map(|(address, bytes)| memory.read(*address, *bytes).unwrap()));
    (Outcome::Done(found, printed, handed_over), findings)
}

/// What is wrong with an outcome.
fn fault(case: &Case, contents: &[u8], outcome: &Outcome) -> Option<String> {
    let fails = case.json["expect"] == "error";
    match outcome {
        Outcome::Refused(why) => Some(why.clone()),
        Outcome::Trapped(_) if fails => None,
        Outcome::Trapped(text) => Some(text.clone()),
        Outcome::Done(..) if fails => Some("it should have ended in a trap".into()),
        Outcome::Done(found, printed, _) => {
            let mut lines: Vec<_> = printed.lines().collect();
            lines.sort();
            let wanted = case.json["stdout_lines_sorted"].as_array().map_or(&[][..], Vec::as_slice);
            if !lines.iter().eq(wanted) {
                return Some(format!("it prints {lines:?}"));
            }
            let compared = case.params().iter().filter(|p| p["kind"] == "buffer").chain(case.globals());
            let compared = compared.filter(|p| p["role"] != "in");
            let pairs = compared.zip(found);
            let differences = pairs.filter_map(|(param, found)| {
                compare::difference(param, found, data::part(contents, param, "out").unwrap())
            });
            differences.reduce(|all, next| format!("{all}; {next}"))
        }
    }
}

/// Every text, compiled, with the launches of its kernels.
fn pairs<'c>(
    texts: &'c [Text],
    cases: &'c [Case],
) -> impl Iterator<Item = (&'c Text, Module, Vec<&'c Case>)> {
    texts.iter().map(|text| {
        let module = margay_front::compile(&text.ptx)
            .unwrap_or_else(|errors| panic!("{} {}: {errors:?}", text.compiler, text.source));
        (text, module, cases.iter().filter(|case| case.text("source") == text.source).collect())
    })
}

#[test]
fn every_launch_gives_what_is_expected() {
    let (cases, texts, contents) = (data::cases(), data::texts(), data::contents());
    let (mut passed, mut wrong) = (BTreeMap::<&str, usize>::new(), String::new());
    for (text, module, cases) in pairs(&texts, &cases) {
        for (case, engine) in cases.iter().flat_map(|case| ENGINES.map(|engine| (*case, engine))) {
            let (outcome, _) =
                launch(&module, case, &contents, (engine, Sanitize::default(), None), &mut |_| {});
            match fault(case, &contents, &outcome) {
                Some(fault) => {
                    wrong += &format!("{} {} on {}: {fault}\n", text.compiler, case.name(), engine.name());
                }
                None => *passed.entry(&text.compiler).or_default() += 1,
            }
        }
    }
    println!("launches that pass: {passed:?}");
    assert!(wrong.is_empty(), "{wrong}");
}

/// Launches of which the golden engine carries out a part, by at least one compiler's text, and why.
const HANDED_OVER: &[(&str, &str)] = &[
    ("bitfield_inline clocky", "it reads clocks"),
    ("cp_async cp_async_copy", "code for debugging calls more than is inlined"),
    ("printf_assert hello_printf assert", "it fails"),
    ("printf_assert hello_printf trap", "it fails"),
];

/// How many of these there are, by all compilers' texts.
const MOST_HANDED_OVER: usize = 16;

#[test]
fn few_launches_are_handed_over() {
    let (cases, texts, contents) = (data::cases(), data::texts(), data::contents());
    let (mut handed_over, mut others) = (0, String::new());
    for (text, module, cases) in pairs(&texts, &cases) {
        for case in cases {
            let how = (Engine::Batch, Sanitize::default(), None);
            let (outcome, _) = launch(&module, case, &contents, how, &mut |_| {});
            if matches!(outcome, Outcome::Done(_, _, 0)) {
                continue;
            }
            handed_over += 1;
            if !HANDED_OVER.iter().any(|(name, _)| *name == case.name()) {
                others += &format!("{} {}\n", text.compiler, case.name());
            }
        }
    }
    assert!(others.is_empty(), "{others}");
    assert!(handed_over <= MOST_HANDED_OVER, "{handed_over} launches were handed over");
}

#[test]
fn every_launch_gives_what_is_expected_in_memory_of_the_caller_too() {
    let (cases, texts, contents) = (data::cases(), data::texts(), data::contents());
    let mut passed = 0;
    for (text, module, cases) in pairs(&texts, &cases) {
        for (case, kind) in
            cases.iter().flat_map(|case| [Kind::Lent, Kind::Host, Kind::Open].map(|k| (*case, k)))
        {
            // What is to fail would fail in this process.
            if kind == Kind::Open && case.json["expect"] == "error" {
                continue;
            }
            let how = (Engine::Batch, Sanitize::default(), None);
            let (outcome, _) = launch_in(kind, &module, case, &contents, how, &mut |_| {});
            let fault = fault(case, &contents, &outcome);
            assert_eq!(fault, None, "{} {} in {kind:?}", text.compiler, case.name());
            passed += u32::from(matches!(outcome, Outcome::Done(..)));
        }
    }
    assert!(passed > 600, "only {passed} launches ran");
}

#[test]
fn every_launch_gives_what_is_expected_in_another_order_too() {
    let (cases, texts, contents) = (data::cases(), data::texts(), data::contents());
    for (text, module, cases) in pairs(&texts, &cases) {
        for case in cases {
            let (outcome, _) =
                launch(&module, case, &contents, (Engine::Golden, Sanitize::default(), Some(1)), &mut |_| {});
            assert_eq!(fault(case, &contents, &outcome), None, "{} {}", text.compiler, case.name());
        }
    }
}

/// What sanitizers find in the launches, by at least one compiler's text, and why that is right.
const FOUND: &[(&str, &str, &str)] = &[
    (
        "bitfield_inline clocky",
        "race",
        "both blocks store their clocks at the place of the thread in its block",
    ),
    ("coop_groups cg_tile_sum", "init", "code that is not optimised copies a structure with its padding"),
    ("graph bfs_level", "race", "a level is read by a plain load while other threads set it by `atomicCAS`"),
    ("graph floyd_k", "race", "row and column `k` are read while their owners store them again, unchanged"),
    (
        "graph union_find",
        "race",
        "parents are read by plain loads while other threads set them by `atomicCAS`",
    ),
    ("scan scan_block", "init", "the first warp reads a sum for each of 32 warps, and the block has fewer"),
];

/// What a finding is and the lines of its instructions.
fn told(text: &Text, module: &Module, finding: &Finding) -> String {
    let index = LineIndex::new(&text.ptx);
    let line = |act: &Act| {
        let span = module.function(act.function).spans.get(act.instruction.0 as usize);
        span.map_or(0, |span| index.line_of(span.start) + 1).to_string()
    };
    let lines: Vec<_> = finding.acts.iter().map(line).collect();
    format!("{} (lines {})", finding.message, lines.join(", "))
}

#[test]
fn sanitizers_find_what_is_listed_and_nothing_else() {
    let (cases, texts, contents) = (data::cases(), data::texts(), data::contents());
    let mut found = BTreeMap::<(String, &str), Vec<String>>::new();
    for (text, module, cases) in pairs(&texts, &cases) {
        for case in cases {
            let (outcome, findings) =
                launch(&module, case, &contents, (Engine::Golden, Sanitize::ALL, None), &mut |_| {});
            assert_eq!(fault(case, &contents, &outcome), None, "{} {}", text.compiler, case.name());
            for finding in &findings {
                let told = format!("{}: {}", text.compiler, told(text, &module, finding));
                found.entry((case.name(), finding.sanitizer.name())).or_default().push(told);
            }
        }
    }
    for ((case, sanitizer), told) in &found {
        let listed = FOUND.iter().any(|(c, s, _)| (c, s) == (&case.as_str(), sanitizer));
        assert!(listed, "{case}, {sanitizer}: {told:#?}");
    }
    for (case, sanitizer, why) in FOUND {
        assert!(
            found.contains_key(&(case.to_string(), *sanitizer)),
            "{case}, {sanitizer}: no longer found ({why})"
        );
    }
}

/// Kernels that may be run on anything: whatever their buffers hold, they end, and their results do not depend on the
/// order of threads.
const ON_ANYTHING: &[&str] = &[
    "base64_enc",
    "bigadd256",
    "bigsub128",
    "bitfield_inline",
    "bitonic_step",
    "bitonic_shared",
    "gcd_pairs",
    "gcd_i64",
    "cg_tile_sum",
    "cp_async_copy",
    "crc32_slice4",
    "recursive_fib",
    "fn_pointer",
    "virtual_call",
    "gemm_i8",
    "dot_dp2a",
    "hist256",
    "keccakf",
    "life32",
    "md5_crack",
    "morton3",
    "rgb_to_yuv",
    "rle_flags",
    "bitmatrix_mul",
    "hamming_xor",
    "bit_tricks",
    "reduce_shfl",
    "reduce_tree",
    "reduce_redux",
    "sad_motion",
    "absdiff_frame",
    "sad_dp4a",
    "vadd_i32",
    "scan_block",
    "sha256_block",
    "sw_dpx",
    "sw_dpx_s16x2",
    "transpose32",
    "copy128",
    "struct_param",
];

#[test]
fn compilers_agree_on_random_contents() {
    let (cases, texts, contents) = (data::cases(), data::texts(), data::contents());
    let mut first = BTreeMap::<(String, u64), (&str, Vec<Vec<u8>>)>::new();
    let (mut compared, mut different) = (0, String::new());
    for (text, module, cases) in pairs(&texts, &cases) {
        for case in cases.into_iter().filter(|case| ON_ANYTHING.contains(&case.text("entry"))) {
            for (seed, engine) in (1..=3u64).flat_map(|seed| ENGINES.map(|engine| (seed, engine))) {
                let mut state = 0x9e37_79b9_7f4a_7c15 ^ seed;
                let mut fill = |bytes: &mut [u8]| random(&mut state, bytes);
                let (outcome, _) =
                    launch(&module, case, &contents, (engine, Sanitize::default(), None), &mut fill);
                let found = match outcome {
                    Outcome::Done(found, ..) => found,
                    Outcome::Refused(trap) | Outcome::Trapped(trap) => {
                        different += &format!("{}: {trap}\n", case.name());
                        continue;
                    }
                };
                match first.get(&(case.name(), seed)) {
                    None => drop(first.insert((case.name(), seed), (&text.compiler, found))),
                    Some((_, known)) if *known == found => compared += 1,
                    Some((other, _)) => {
                        let engine = engine.name();
                        different += &format!("{}: {other} and {} on {engine}\n", case.name(), text.compiler);
                    }
                }
            }
        }
    }
    assert!(different.is_empty(), "{different}");
    assert!(compared > 300, "only {compared} results were compared");
}

/// Overwrites bytes with random ones (xorshift64*).
fn random(state: &mut u64, bytes: &mut [u8]) {
    for byte in bytes {
        *state ^= *state >> 12;
        *state ^= *state << 25;
        *state ^= *state >> 27;
        *byte = (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 56) as u8;
    }
}
