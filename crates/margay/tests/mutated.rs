//! Damaged statements, arguments, files and kernels give a result or a clear error: no panic, no hang, no endless memory.
//!
//! `MARGAY_MUTANTS=100000 cargo test -p margay --test mutated` tries more of them.

use margay::arg::{Argument, Binding};
use margay::exec::{self, Launch, Memory, Program, parameter_block};
use margay::format::{Format, encode, load};
use margay::front::compile;
use margay::isa::{PAGES, Semantics, forms};
use margay::shape::Shape;
use margay::statement::{Refusal, Statement};
use std::path::{Path, PathBuf};

/// How many mutants a test tries: `MARGAY_MUTANTS`, else so many.
fn mutants(usual: usize) -> usize {
    std::env::var("MARGAY_MUTANTS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// xorshift64*: random numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `limit`, which is not 0.
    fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 33) as usize % limit
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// Deletes, doubles, inserts and overwrites some places.
fn damage(bytes: &mut Vec<u8>, pieces: &[&[u8]], random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        if bytes.is_empty() {
            return;
        }
        let at = random.below(bytes.len());
        let end = (at + 1 + random.below(8)).min(bytes.len());
        match random.below(6) {
            0 => drop(bytes.drain(at..end)),
            1 => {
                let copy = bytes[at..end].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, copy);
            }
            2 => bytes[at] = random.next() as u8,
            3 if random.below(4) == 0 => bytes.truncate(at),
            _ => drop(bytes.splice(at..at, random.pick(pieces).iter().copied())),
        }
    }
}

fn damaged(text: &str, pieces: &[&[u8]], random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    damage(&mut bytes, pieces, random);
    String::from_utf8_lossy(&bytes).into_owned()
}

const STATEMENT: &[&[u8]] = &[
    b".",
    b",",
    b";",
    b"-",
    b"!",
    b"|",
    b"{",
    b"}",
    b"[",
    b"]",
    b"(",
    b")",
    b"_",
    b"@p ",
    b".sat",
    b".u32",
    b".s64",
    b".b0",
    b".h1",
    b"%tid.x",
    b"4294967296",
    b"1/0",
    b"0x",
    b"WARP_SZ",
    b"?",
    b":",
    b"~",
    b"1.5",
    b"\0",
    b"\xc3\xa9",
    b"a",
];

const VALUES: &[&str] = &[
    "0",
    "1",
    "-1",
    "0x80000000",
    "4294967295",
    "4294967296",
    "-2147483649",
    "0xffffffffffffffff",
    "0x",
    "-",
    "",
    "x",
    "1e9",
    "340282366920938463463374607431768211455",
    "340282366920938463463374607431768211456",
    "-170141183460469231731687303715884105728",
];

#[test]
fn damaged_statements_are_evaluated_or_refused() {
    let mut random = Random(1);
    let pages: Vec<_> = PAGES.iter().filter(|page| page.runs()).collect();
    let (mut evaluated, mut refused) = (0, 0);
    for _ in 0..mutants(20_000) {
        let page = pages[random.below(pages.len())];
        let opcode = random.pick(page.opcodes);
        let mut words = || random.next();
        let form = format!("{:?}", forms::random_form(page, opcode, &mut words));
        let text = if random.below(3) == 0 { form } else { damaged(&form, STATEMENT, &mut random) };
        let statement = match Statement::parse(&text) {
            Ok(statement) => statement,
            Err(refusal) => {
                refused += 1;
                assert!(!refusal.message().is_empty(), "{text:?}");
                if let Refusal::Text(diagnostics) = refusal {
                    let source = margay::front::Source::new("statement", text.as_str());
                    margay::front::diag::human(&source, &diagnostics, false, 10);
                }
                continue;
            }
        };
        let names = statement.placeholders();
        // Half of the statements get values that fit any operand, for results; the others any values.
        let fitting = random.below(2) == 0;
        let mut value = || VALUES[random.below(if fitting { 2 } else { VALUES.len() })];
        let values: Vec<String> = names.iter().map(|name| format!("{name}={}", value())).collect();
        let Ok(args) = statement.bind(&values) else { continue };
        for semantics in [Semantics::Manual, Semantics::Ptxas13_5] {
            let results = statement.compute(semantics, &args);
            for (place, bits) in statement.results().iter().zip(results) {
                let width = place.ty.width();
                assert!(width >= 128 || bits >> width == 0, "{text}: {bits:#x} in {width} bits");
            }
            statement.stages(semantics, &args);
        }
        evaluated += 1;
    }
    assert!(evaluated > 200 && refused > 200, "{evaluated} evaluated, {refused} refused");
}

#[test]
fn damaged_arguments_are_read_or_refused() {
    const GOOD: &[&str] = &[
        "u32=7",
        "s64=-9223372036854775808",
        "f16=1.5",
        "f32=0x7fc00000",
        "f64=-inf",
        "bytes=01ff",
        "in=a b.npy",
        "out=o.png:u8[480,640]",
        "out=o:u8:1,2,3",
        "inout=a:b",
        "zero=u64[4294967296,4294967296]",
        "zero=u8[0]",
        "v=f.npy",
    ];
    const PIECES: &[&[u8]] =
        &[b"=", b":", b"[", b"]", b",", b"-", b"0x", b"99999999999999999999", b"u8", b"in", b"nan", b"\xff"];
    let mut random = Random(2);
    for _ in 0..mutants(20_000) {
        let text = damaged(GOOD[random.below(GOOD.len())], PIECES, &mut random);
        let messages =
            [text.parse::<Argument>().err(), text.parse::<Binding>().err(), text.parse::<Shape>().err()];
        assert!(messages.iter().flatten().all(|problem| !problem.message.is_empty()), "{text:?}");
    }
}

/// Small files of every kind that is decoded.
fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let npy = |header: &str, data: &[u8]| {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    };
    let mut png = Vec::new();
    let layout = margay::format::Layout::Array("u8[2,3]".parse().unwrap());
    encode(Format::Png, &layout, &[1, 2, 3, 4, 5, 6], &mut png).unwrap();
    let record = "{'descr': [('a', '<u4'), ('b', '>f8', (2,))], 'fortran_order': False, 'shape': (1,), }\n";
    vec![
        ("npy", npy("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }\n", &[0; 12])),
        ("npy", npy("{'descr': '>f8', 'fortran_order': True, 'shape': (1,), }\n", &[7; 8])),
        ("npy", npy(record, &[1; 20])),
        ("png", png),
        ("pgm", b"P5 3 2 255\n123456".to_vec()),
        ("pgm", b"P2\n# two rows\n3 2\n255\n1 2 3\n4 5 255\n".to_vec()),
        ("raw", vec![1, 2, 3]),
    ]
}

#[test]
fn damaged_files_are_loaded_whole_or_refused() {
    const PIECES: &[&[u8]] = &[
        b"(",
        b")",
        b"'",
        b"[",
        b",",
        b"{",
        b"}",
        b"99999999999",
        b"4294967296",
        b"-1",
        b"True",
        b"O",
        b"|V0",
        b"S4294967295",
        b"\xff\xff\xff\xff",
        b"\0\0\0\0",
        b"IDAT",
        b"PLTE",
        b"IHDR",
        b"#",
        b"P5",
        b"65535",
        b"\n",
    ];
    let folder = tempfile::tempdir().unwrap();
    let samples = samples();
    for (extension, bytes) in &samples {
        let file = folder.path().join(format!("whole.{extension}"));
        std::fs::write(&file, bytes).unwrap();
        assert!(load(&file).is_ok(), "{extension}: {:?}", load(&file).err());
    }
    let mut random = Random(3);
    for round in 0..mutants(5_000) {
        let (extension, bytes) = &samples[random.below(samples.len())];
        let mut bytes = bytes.clone();
        damage(&mut bytes, PIECES, &mut random);
        // A new name each time: some file systems take their time to write a file again.
        let file = folder.path().join(format!("mutant{round}.{extension}"));
        std::fs::write(&file, &bytes).unwrap();
        match load(&file) {
            Ok(loaded) => {
                assert_eq!(loaded.layout.bytes(), loaded.bytes.len() as u64);
                encode(Format::of(&file), &loaded.layout, &loaded.bytes, &mut Vec::new()).unwrap();
            }
            Err(problem) => assert!(problem.message.starts_with("cannot read"), "{problem}"),
        }
        std::fs::remove_file(&file).unwrap();
    }
}

/// All PTX files under a folder.
fn texts(folder: &Path, found: &mut Vec<String>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            texts(&path, found);
        } else if path.extension().is_some_and(|e| e == "ptx") {
            found.push(std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// Words, numbers, marks and blanks of a text, one after the other.
fn tokens(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_ascii_alphanumeric() || matches!(c, '_' | '%' | '$') => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut tokens = Vec::new();
    let mut start = 0;
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    for pair in chars.windows(2) {
        let ((_, a), (at, b)) = (pair[0], pair[1]);
        if kind(a) != kind(b) || kind(a) == 2 {
            tokens.push(&text[start..at]);
            start = at;
        }
    }
    tokens.push(&text[start..]);
    tokens
}

/// Texts that are likely to be legal still: lines moved, words exchanged for others of the same first letter, numbers for worse ones.
fn rewritten(text: &str, random: &mut Random) -> String {
    const NUMBERS: &[&str] =
        &["0", "1", "2", "31", "32", "33", "64", "255", "4096", "65536", "2147483647", "4294967295", "-1"];
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    for _ in 0..1 + random.below(3) {
        let (from, to) = (random.below(lines.len()), random.below(lines.len()));
        match random.below(8) {
            0 => drop(lines.remove(from)),
            1 => {
                let copy = lines[from].clone();
                lines.insert(to, copy);
            }
            2 => lines.swap(from, to),
            _ => {
                let all: Vec<&str> = tokens(text);
                let line = lines[from].clone();
                let mut words: Vec<&str> = tokens(&line);
                if words.is_empty() {
                    continue;
                }
                let at = random.below(words.len());
                let first = words[at].chars().next();
                if first.is_some_and(|c| c.is_ascii_digit()) {
                    words[at] = NUMBERS[random.below(NUMBERS.len())];
                } else {
                    let like: Vec<&str> =
                        all.into_iter().filter(|word| word.chars().next() == first).collect();
                    words[at] = like.get(random.below(like.len().max(1))).unwrap_or(&"x");
                }
                lines[from] = words.concat();
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    lines.join("\n")
}

/// Runs each kernel of a text within a step budget; how many ran to their end, and how many were stopped.
fn run_all(text: &str) -> (usize, usize) {
    let Ok(module) = compile(text) else { return (0, 0) };
    let (mut done, mut stopped) = (0, 0);
    for kernel in module.entries().filter(|kernel| kernel.is_defined) {
        let mut memory = Memory::new(module.address_size());
        let Ok(program) = Program::load(&module, &mut memory) else { continue };
        // Parameters of eight bytes may be pointers or numbers: the kernel decides.
        let arguments: Vec<exec::Argument> = kernel
            .parameters
            .iter()
            .map(|parameter| match memory.alloc(64, "a buffer") {
                Ok(address) if parameter.size == 8 && module.address_size() == 64 => {
                    exec::Argument::Address(address)
                }
                _ => exec::Argument::Bytes(vec![3; parameter.size as usize]),
            })
            .collect();
        let constants: Vec<(u64, Vec<u8>)> = constants(&module, &program, &memory);
        let Some(entry) = module.entry(&kernel.name) else { continue };
        let Ok(parameters) = parameter_block(kernel, module.address_size(), &arguments) else { continue };
        let block = kernel.performance.reqntid.map_or(exec::Dim::from(4), exec::Dim::from);
        let launch =
            Launch { grid: 2.into(), block, parameters, max_steps: Some(20_000), ..Launch::new(entry) };
        match launch.run(&program, &memory) {
            Ok(_) => done += 1,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                stopped += 1;
            }
        }
        for (address, bytes) in constants {
            assert_eq!(memory.read(address, bytes.len() as u64).unwrap(), bytes, "constant memory changed");
        }
    }
    (done, stopped)
}

fn constants(
    module: &margay::front::module::Module,
    program: &Program,
    memory: &Memory,
) -> Vec<(u64, Vec<u8>)> {
    let constant = module
        .variables()
        .iter()
        .filter(|v| v.owner.is_none() && v.space == margay::front::module::Space::Const);
    constant
        .filter_map(|variable| {
            let (address, size) = program.variable(&variable.name)?;
            Some((address, memory.read(address, size).ok()?))
        })
        .collect()
}

#[test]
fn damaged_kernels_end_trap_or_are_refused() {
    let mut corpus = Vec::new();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    texts(&here.join("../exec/tests/run"), &mut corpus);
    texts(&here.join("../../examples"), &mut corpus);
    let mut random = Random(4);
    let (mut done, mut stopped) = (0, 0);
    for _ in 0..mutants(1_000) {
        let at = random.below(corpus.len());
        let text = rewritten(&corpus[at], &mut random);
        let (a, b) = run_all(&text);
        done += a;
        stopped += b;
    }
    assert!(done > 50 && stopped > 50, "{done} ended, {stopped} stopped");
}
