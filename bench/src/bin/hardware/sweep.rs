//! An instruction on all operands of 32 bits: threads hash the results of a run each, so that little has to be fetched.

use crate::asked::{Asked, Part};
use crate::experiments::Inputs;
use crate::one::{DECLARATIONS, One};
use crate::probe::{Given, Probe};

/// Operands whose results a thread hashes.
const RUN: usize = 1 << 12;
/// Operands of a part, whose hashes have one digest; there are so many parts.
const PART: usize = 1 << 24;
pub const PARTS: usize = 256;
const BLOCK: u32 = 256;

/// How the sources follow from the number `%x` of 32 bits.
fn sources(inputs: Inputs) -> &'static str {
    match inputs {
        Inputs::HalfPairs => "cvt.u64.u32 %s1, %x; and.b64 %s0, %s1, 0xffff; shr.u64 %s1, %s1, 16;\n",
        Inputs::UpperHalves => "cvt.u64.u32 %s0, %x; shl.b64 %s0, %s0, 32;\n",
        Inputs::UpperHalvesAndMore => {
            "cvt.u64.u32 %s0, %x; shl.b64 %s0, %s0, 32; mul.lo.u32 %y, %x, 0x9e3779b1; cvt.u64.u32 %s1, %y; or.b64 %s0, %s0, %s1;\n"
        }
        Inputs::Drawn => {
            "mul.lo.u32 %y, %x, 0x9e3779b1; cvt.u64.u32 %s0, %y; shr.u32 %z, %y, 15; xor.b32 %y, %y, %z; mul.lo.u32 %y, %y, 0x85ebca6b;\n\
             shr.u32 %z, %y, 13; xor.b32 %y, %y, %z; mul.lo.u32 %y, %y, 0xc2b2ae35; cvt.u64.u32 %s1, %y;\n\
             shr.u32 %z, %y, 16; xor.b32 %y, %y, %z; mul.lo.u32 %y, %y, 0x27d4eb2f; cvt.u64.u32 %s2, %y;\n"
        }
        Inputs::Words | Inputs::Halves | Inputs::Of(_) => "cvt.u64.u32 %s0, %x;\n",
    }
}

/// The module: `hash` writes a hash for each run, `raw` the result of each operand from `first` on.
fn text(one: &One, inputs: Inputs, target: &str) -> String {
    let (sources, lines) = (sources(inputs), one.lines());
    let head = |name: &str| {
        format!(
            ".visible .entry {name}(.param .u64 out, .param .u32 first, .param .u32 step)\n{{\n{DECLARATIONS}\
             .reg .b32 %x, %y, %z, %g, %k, %first, %step; .reg .b64 %out, %h, %at; .reg .pred %p;\n\
             ld.param.u64 %out, [out]; ld.param.u32 %first, [first]; ld.param.u32 %step, [step];\n\
             mov.u32 %x, %ctaid.x; mov.u32 %y, %tid.x; mad.lo.u32 %g, %x, {BLOCK}, %y;\n\
             mul.wide.u32 %at, %g, 8; add.u64 %out, %out, %at;\n"
        )
    };
    let threads = (PART / RUN).trailing_zeros();
    let run = RUN.trailing_zeros();
    format!(
        ".version 8.1\n.target {target}\n.address_size 64\n{}\
         shr.u32 %y, %g, {threads}; mad.lo.u32 %x, %y, %step, %first; and.b32 %y, %g, {}; shl.b32 %y, %y, {run}; add.u32 %x, %x, %y;\n\
         mov.u64 %h, 0; mov.u32 %k, 0;\nNEXT:\n{sources}{lines}\
         mad.lo.u64 %h, %h, 0x9e3779b97f4a7c15, %d; add.u32 %x, %x, 1; add.u32 %k, %k, 1;\n\
         setp.lt.u32 %p, %k, {RUN}; @%p bra NEXT;\nst.global.u64 [%out], %h;\nret;\n}}\n{}\
         mad.lo.u32 %x, %g, %step, %first;\n{sources}{lines}st.global.u64 [%out], %d;\nret;\n}}\n",
        head("hash"),
        (1 << threads) - 1,
        head("raw"),
    )
}

fn value(number: u32) -> Given {
    Given::Value(number.to_le_bytes().to_vec())
}

/// A launch of one of the module's kernels, with a word of 64 bits for each thread.
fn probe(text: String, entry: &str, threads: usize, (first, step): (u32, u32)) -> Probe {
    Probe {
        text,
        entry: entry.into(),
        grid: [threads as u32 / BLOCK, 1, 1],
        block: [BLOCK, 1, 1],
        shared_bytes: 0,
        arguments: vec![Given::Zeros(8 * threads), value(first), value(step)],
    }
}

/// The results of so many operands one by one.
pub fn raw(
    form: &str,
    inputs: Inputs,
    target: &str,
    (first, step, count): (u32, u32, usize),
) -> Result<Asked, String> {
    let one = One::new(form)?;
    let threads = count.next_multiple_of(BLOCK as usize);
    let probe = probe(text(&one, inputs, target), "raw", threads, (first, step));
    let part = Part { name: form.into(), buffer: 0, bytes: 0..8 * count };
    let sources = move |_, place: usize| format!("{:x}", first.wrapping_add(step.wrapping_mul(place as u32)));
    Ok(Asked { probe, parts: vec![part], sources: Box::new(sources), smaller: None, closer: None })
}

/// Digests of the results of all operands, or of so many parts of them, evenly spaced.
///
/// # Errors
/// If there is no such form.
pub fn asked(form: &'static str, inputs: Inputs, target: &str, parts: usize) -> Result<Asked, String> {
    let one = One::new(form)?;
    let parts = parts.clamp(1, PARTS);
    let step = (PARTS / parts * PART) as u32;
    let probe = probe(text(&one, inputs, target), "hash", parts * PART / RUN, (0, step));
    let hashes = 8 * PART / RUN;
    let part = |k: usize| Part {
        name: format!("{form} from {:#010x}", k as u32 * step),
        buffer: 0,
        bytes: k * hashes..(k + 1) * hashes,
    };
    let start =
        move |part: usize, place: usize| (part as u32).wrapping_mul(step).wrapping_add((place * RUN) as u32);
    let target = target.to_string();
    Ok(Asked {
        probe,
        parts: (0..parts).map(part).collect(),
        sources: Box::new(move |part, place| format!("{RUN} from {:x}", start(part, place))),
        smaller: None,
        closer: Some(Box::new(move |part, place| {
            raw(form, inputs, &target, (start(part, place), 1, RUN)).expect("a form as before")
        })),
    })
}
