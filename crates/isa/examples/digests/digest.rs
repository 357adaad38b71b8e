//! Digests of the results of approximate functions.

use margay_isa::uop::{Def, Emit, Op, Type, eval};
use margay_isa::{Inst, Semantics, Shape, select};
use std::collections::HashMap;

/// Every so-manieth of all operands is sampled.
pub const SAMPLED: usize = 65_521;

/// The functions of which digests are kept, and whether their results are the device's (where they are known) or correctly rounded.
pub const FUNCTIONS: &[(&str, &str)] = &[
    ("rcp.approx.f32", "device"),
    ("rcp.approx.ftz.f32", "device"),
    ("sqrt.approx.f32", "device"),
    ("sqrt.approx.ftz.f32", "device"),
    ("rsqrt.approx.f32", "device"),
    ("rsqrt.approx.ftz.f32", "device"),
    ("lg2.approx.f32", "device"),
    ("lg2.approx.ftz.f32", "device"),
    ("ex2.approx.f32", "device"),
    ("ex2.approx.ftz.f32", "device"),
    ("sin.approx.f32", "device"),
    ("cos.approx.f32", "device"),
    ("rcp.approx.f32", "rounded"),
    ("sqrt.approx.f32", "rounded"),
    ("rsqrt.approx.f32", "rounded"),
    ("lg2.approx.f32", "rounded"),
    ("ex2.approx.f32", "rounded"),
    ("sin.approx.f32", "rounded"),
    ("cos.approx.f32", "rounded"),
    ("tanh.approx.f32", "device"),
];

/// Operands whose results are one part of a digest.
const PART: u64 = 1 << 24;

/// The digest of the results of every `step`th operand from 0 on, computed by as many threads as there are cores.
pub fn of(head: &str, whose: &str, step: usize) -> u64 {
    let (inst, semantics) = named(head, whose);
    all(|start| {
        let (mut args, mut d) = ([0; 8], [0]);
        part(start, step, |a| {
            args[0] = a.into();
            inst.compute(semantics, &args, &mut d);
            d[0] as u64
        })
    })
}

/// The same of what the instruction's micro-ops give; none if it has none.
pub fn of_micro_ops(head: &str, whose: &str, step: usize) -> Option<u64> {
    /// Where a value comes from: the operand, a constant, or an operation on values with these numbers.
    enum From {
        Operand,
        Const(u64),
        Op(Op, [usize; 3]),
    }
    let (inst, semantics) = named(head, whose);
    let mut emit = Emit::new(&[(Type::U32, None)]);
    inst.lower(semantics, &mut emit).then_some(())?;
    let (mut numbers, mut values) = (HashMap::new(), Vec::new());
    for (val, _, def) in emit.values() {
        values.push(match def {
            Def::Source(_) => From::Operand,
            Def::Const(bits) => From::Const(bits),
            Def::Op(op, operands) => {
                let count = op.operands().len();
                let mut from = [0; 3];
                from.iter_mut().zip(&operands[..count]).for_each(|(from, operand)| *from = numbers[operand]);
                From::Op(op, from)
            }
        });
        numbers.insert(val, values.len() - 1);
    }
    let result = numbers[emit.results().first()?];
    Some(all(|start| {
        let mut bits = vec![0; values.len()];
        part(start, step, |a| {
            for (k, from) in values.iter().enumerate() {
                bits[k] = match from {
                    From::Operand => a,
                    From::Const(constant) => *constant,
                    From::Op(op, from) => eval(*op, from.map(|k| bits[k])),
                };
            }
            bits[result]
        })
    }))
}

fn named(head: &str, whose: &str) -> (Inst, Semantics) {
    let semantics = if whose == "rounded" { Semantics::Rounded } else { Semantics::Manual };
    let mut words = head.split('.');
    let opcode = words.next().unwrap_or_default();
    let words: Vec<&str> = words.collect();
    let Some(Ok(inst)) = select(opcode, &words, &[Shape::default(); 2]) else {
        panic!("no instruction `{head}`")
    };
    (inst, semantics)
}

/// The digest of all parts, by as many threads as there are cores.
fn all(of_part: impl Fn(u64) -> u64 + Sync) -> u64 {
    let next = std::sync::atomic::AtomicU64::new(0);
    let work = || {
        let mut parts = Vec::new();
        loop {
            let start = next.fetch_add(PART, std::sync::atomic::Ordering::Relaxed);
            if start >= 1 << 32 {
                return parts;
            }
            parts.push((start, of_part(start)));
        }
    };
    let mut parts = std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a thread that ends")).collect::<Vec<_>>()
    });
    parts.sort_unstable();
    parts.into_iter().fold(OFFSET, |hash, (_, part)| mixed(hash, part))
}

/// What a digest begins with.
pub const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a, a word at a time.
pub fn mixed(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
}

/// The digest of what a function gives for every `step`th operand of a part.
fn part(start: u64, step: usize, mut result: impl FnMut(u64) -> u64) -> u64 {
    let first = start.next_multiple_of(step as u64);
    (first..start + PART).step_by(step).fold(OFFSET, |hash, a| mixed(hash, result(a)))
}
