//! No kernel touches memory outside its allocations, windows and parameters, whatever addresses it computes.

use margay_exec::memory::Layout;
use margay_exec::{Argument, Error, Launch, Memory, Program, TrapKind, parameter_block};
use std::collections::BTreeMap;

const SPACES: [&str; 5] = ["", ".global", ".shared", ".local", ".const"];
const TYPES: [(&str, u64); 7] =
    [(".u8", 1), (".u16", 2), (".u32", 4), (".u64", 8), (".v2.u32", 8), (".v4.u8", 4), (".v2.u64", 16)];
/// Sizes of the buffers that every launch finds.
const BUFFERS: [u64; 4] = [64, 5, 4096, 1];
const SHARED: u64 = 96;
const LOCAL: u64 = 40;
const PARAMETERS: u64 = 8;

/// One kernel for every space, type, and way to access: it uses the address that it is given.
fn module() -> String {
    let mut text =
        String::from(".version 8.5\n.target sm_90\n.address_size 64\n.const .align 16 .b8 c[48] = {7};\n");
    for (s, space) in SPACES.iter().enumerate() {
        for (t, (ty, _)) in TYPES.iter().enumerate() {
            let vector = ty.starts_with(".v").then(|| ty[2..3].parse::<usize>().unwrap());
            let operand = match vector {
                None => "%rd2".to_string(),
                Some(n) => format!("{{{}}}", vec!["%rd2"; n].join(", ")),
            };
            let load = match vector {
                None => operand.clone(),
                Some(n) => {
                    format!("{{{}}}", (2..2 + n).map(|k| format!("%rd{k}")).collect::<Vec<_>>().join(", "))
                }
            };
            for write in [false, true] {
                let access = match write {
                    false => format!("ld{space}{ty} {load}, [%rd1];"),
                    true if *space == ".const" => continue,
                    true => format!("st{space}{ty} [%rd1], {operand};"),
                };
                text += &format!(
                    ".entry k{s}_{t}_{}(.param .u64 p)\n{{\n.shared .align 16 .b8 s[{SHARED}];\n.local .align 16 .b8 l[{LOCAL}];\n\
                     .reg .b64 %rd<8>;\nld.param.u64 %rd1, [p];\nmov.u64 %rd3, s;\nmov.u64 %rd3, l;\nmov.u64 %rd2, -1;\n{access}\nret;\n}}\n",
                    u8::from(write)
                );
            }
        }
    }
    text
}

/// What the access may touch, told by plain arithmetic on lists: the index of the buffer, or none for a window.
fn allowed(
    buffers: &[(u64, u64)],
    space: &str,
    address: u64,
    bytes: u64,
    write: bool,
) -> Option<Option<usize>> {
    let inside = |base: u64, size: u64| {
        address >= base && u128::from(address) + u128::from(bytes) <= u128::from(base + size)
    };
    let aligned = address.is_multiple_of(bytes);
    let window =
        |base: u64, size: u64| (aligned_from(base, address, bytes) && inside(base, size)).then_some(None);
    let buffer = || {
        let found = buffers.iter().position(|(base, size)| inside(*base, *size));
        found.filter(|_| aligned).map(Some)
    };
    let map = Layout::of(64);
    // The last buffer is the constant one.
    let constant = buffers.len() - 1;
    let writable = |found: Option<Option<usize>>| found.filter(|k| !(write && *k == Some(constant)));
    match space {
        ".shared" => window(0, SHARED),
        ".local" => window(0, LOCAL),
        ".const" => buffer().filter(|k| *k == Some(constant)),
        ".global" => writable(buffer()),
        _ => writable(buffer())
            .or(window(map.shared.base, SHARED))
            .or(window(map.local.base, LOCAL))
            .or(window(map.param.base, PARAMETERS).filter(|_| !write))
            // A block is the first of its cluster, whose shared memory lies after the last window.
            .or(window(map.code.base + (1 << 24), SHARED)),
    }
}

fn aligned_from(base: u64, address: u64, bytes: u64) -> bool {
    address.wrapping_sub(base).is_multiple_of(bytes)
}

#[test]
fn an_access_is_carried_out_exactly_where_it_is_allowed() {
    let module = margay_front::compile(&module()).unwrap_or_else(|errors| panic!("{errors:?}"));
    let mut memory = Memory::new(64);
    let program = Program::load(&module, &mut memory).unwrap();
    let mut buffers: Vec<(u64, u64)> =
        BUFFERS.iter().map(|n| (memory.alloc(*n, format!("buffer of {n}")).unwrap(), *n)).collect();
    buffers.push(program.variable("c").unwrap());
    let map = Layout::of(64);
    let windows = [0, map.shared.base, map.local.base, map.param.base, map.code.base];
    let edges: Vec<u64> = (buffers.iter().flat_map(|(base, n)| [*base, base + n]))
        .chain(windows.iter().flat_map(|w| [*w, w + LOCAL, w + SHARED, w + PARAMETERS, w + (1 << 24)]))
        .chain([1 << 32, 1 << 47, 1 << 63])
        .collect();
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    let mut seen = BTreeMap::<&str, [u32; 2]>::new();
    for round in 0..12_000 {
        let [s, t, write] = [SPACES.len(), TYPES.len(), 2].map(|n| (random() % n as u64) as usize);
        let (space, bytes, write) = (SPACES[s], TYPES[t].1, write == 1 && SPACES[s] != ".const");
        let near =
            edges[(random() % edges.len() as u64) as usize].wrapping_add(random() % 64).wrapping_sub(32);
        let address = match round % 8 {
            0 => random(),
            1 => near,
            _ => near / bytes * bytes,
        };
        for (k, (base, size)) in buffers.iter().enumerate() {
            memory.write(*base, &vec![k as u8 + 1; *size as usize]).unwrap();
        }
        let entry = module.entry(&format!("k{s}_{t}_{}", u8::from(write))).unwrap();
        let parameters = parameter_block(module.function(entry), 64, &[Argument::Address(address)]).unwrap();
        let result = Launch { parameters, ..Launch::new(entry) }.run(&program, &memory);
        let wanted = allowed(&buffers, space, address, bytes, write);
        let place = format!("{space} {} write {write} at {address:#x}", TYPES[t].0);
        match &result {
            Ok(_) => assert!(wanted.is_some(), "{place} was carried out"),
            Err(Error::Trap(trap)) => {
                assert!(wanted.is_none(), "{place} was refused: {trap}");
                assert!(matches!(trap.kind, TrapKind::Memory(_)), "{trap}");
            }
            Err(error) => panic!("{error}"),
        }
        seen.entry(space).or_default()[usize::from(result.is_ok())] += 1;
        for (k, (base, size)) in buffers.iter().enumerate() {
            let mut expected = vec![k as u8 + 1; *size as usize];
            if write && wanted == Some(Some(k)) {
                // A vector of bytes takes the low byte of each register, which is all ones like the rest.
                expected[(address - base) as usize..(address - base + bytes) as usize].fill(0xff);
            }
            assert_eq!(memory.read(*base, *size).unwrap(), expected, "{place} changed buffer {k}");
        }
    }
    assert!(seen.len() == SPACES.len() && seen.values().flatten().all(|n| *n > 20), "{seen:?}");
}
