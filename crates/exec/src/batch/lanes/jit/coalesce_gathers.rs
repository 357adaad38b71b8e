//! Neighbouring words that are gathered become loads of four words a thread, and are put in order in registers.
//!
//! A gather reads one word a thread at a time, so four of them read four times as often as there are places to read.

use crate::batch::lanes::UNIT;
use crate::batch::lanes::jit::machine::{Arg, Base, Body, Instr, Kind, Memory, Reg, Step};
use iced_x86::Code;
use std::array::from_fn;

/// Words that are loaded at once, and bytes of each.
const WORDS: usize = 4;
const WORD: i32 = 4;

/// Bytes that a pointer moves on at most within a round: eight vectors from group to group.
const GROUPS_REACH: i64 = (UNIT * 8 * 64) as i64;

/// A gather of words.
#[derive(Clone, Copy)]
struct Gather {
    instr: usize,
    to: Reg,
    /// The pointer behind which the first thread's word lies, how far, and how that moves.
    pointer: usize,
    at: i32,
    step: Step,
    /// Bytes from thread to thread.
    lane: i32,
}

/// Gathers of neighbours, the first of them first.
type Quad = [Gather; WORDS];

/// Loads neighbours together where there are four.
pub(super) fn quads(body: &mut Body) {
    let (mut quads, mut gathers) = (Vec::new(), Vec::new());
    for (k, instr) in body.instrs.iter().enumerate() {
        // What is loaded behind a store stays there, wherever the store goes: a pointer may point to lines.
        if instr.to.is_none() {
            find(std::mem::take(&mut gathers), &mut quads);
        }
        gathers.extend(gather(body, k, instr));
    }
    find(gathers, &mut quads);
    let mut instead: Vec<Option<Vec<Instr>>> = vec![None; body.instrs.len()];
    for quad in quads {
        quad.iter().for_each(|gather| instead[gather.instr] = Some(Vec::new()));
        let first = quad.iter().map(|gather| gather.instr).min();
        if let Some(first) = first {
            instead[first] = Some(loads(body, &quad));
        }
    }
    let instrs = std::mem::take(&mut body.instrs).into_iter().zip(instead);
    body.instrs = instrs.flat_map(|(instr, instead)| instead.unwrap_or_else(|| vec![instr])).collect();
}

/// What an instruction gathers, if that is all it does.
fn gather(body: &Body, instr: usize, known: &Instr) -> Option<Gather> {
    let (Code::EVEX_Vpgatherdd_zmm_k1_vm32z, Some(Arg::Whole(to))) = (known.code, known.to) else {
        return None;
    };
    let Some(Arg::Gathered { memory: Memory { base: Base::Pointer(pointer, at), step }, by, .. }) =
        known.from[0]
    else {
        return None;
    };
    let Some(Memory { base: Base::Constant(number), .. }) = body.homes[by.0 as usize] else { return None };
    let lane = body.constants[number][1].cast_signed();
    let is_even = |(k, by): (usize, &u32)| *by == lane.wrapping_mul(k as i32).cast_unsigned();
    body.constants[number][..body.machine.lanes()].iter().enumerate().all(is_even).then_some(())?;
    // All lanes' words must be within reach of an instruction, in later groups of a round too.
    let last = i64::from(at) + body.machine.lanes() as i64 * i64::from(lane) + GROUPS_REACH;
    i32::try_from(last).ok()?;
    Some(Gather { instr, to, pointer, at, step, lane })
}

/// Adds the quads among some gathers.
fn find(mut gathers: Vec<Gather>, quads: &mut Vec<Quad>) {
    while let Some(first) = gathers.first().copied() {
        let key = |gather: &Gather| (gather.pointer, gather.step, gather.lane);
        let (mut alike, others): (Vec<_>, Vec<_>) = gathers.into_iter().partition(|g| key(g) == key(&first));
        gathers = others;
        alike.sort_by_key(|gather| gather.at);
        alike.dedup_by_key(|gather| gather.at);
        let mut rest = &alike[..];
        while let Some((quad, behind)) = rest.split_first_chunk::<WORDS>() {
            if quad.windows(2).all(|pair| pair[1].at - pair[0].at == WORD) {
                quads.push(*quad);
                rest = behind;
            } else {
                rest = &rest[1..];
            }
        }
    }
}

/// Loads four words of every fourth thread into a vector each, and makes of these vectors one for each word.
fn loads(body: &mut Body, quad: &Quad) -> Vec<Instr> {
    // What vectors hold four words each of.
    let quarters = body.machine.lanes() / WORDS;
    let mut instrs = Vec::new();
    let mut emit = |to: Option<Reg>, code: Code, from: [Option<Arg>; 3]| {
        let to = to.unwrap_or_else(|| body.reg(Kind::Vector));
        instrs.push(Instr { code, to: Some(Arg::Whole(to)), onto: None, from, by: None, zeroes: false });
        to
    };
    let Gather { pointer, at, step, lane, .. } = quad[0];
    let words = |thread: usize| {
        let base = Base::Pointer(pointer, at + thread as i32 * lane);
        Some(Arg::Memory(Memory { base, step }))
    };
    let threads: [Reg; WORDS] = from_fn(|first| {
        let spread = emit(None, Code::EVEX_Vbroadcasti32x4_zmm_k1z_m128, [words(first), None, None]);
        (1..quarters).fold(spread, |others, quarter| {
            let from =
                [Some(Arg::Whole(others)), words(first + WORDS * quarter), Some(Arg::Number(quarter as u8))];
            emit(None, Code::EVEX_Vinserti32x4_zmm_k1z_zmm_xmmm128_imm8, from)
        })
    });
    let mut unpack = |to: Option<Reg>, code: Code, [a, b]: [Reg; 2]| {
        emit(to, code, [Some(Arg::Whole(a)), Some(Arg::Whole(b)), None])
    };
    for (half, words) in
        [Code::EVEX_Vpunpckldq_zmm_k1z_zmm_zmmm512b32, Code::EVEX_Vpunpckhdq_zmm_k1z_zmm_zmmm512b32]
            .into_iter()
            .enumerate()
    {
        let low = unpack(None, words, [threads[0], threads[1]]);
        let high = unpack(None, words, [threads[2], threads[3]]);
        let (first, second) =
            (Code::EVEX_Vpunpcklqdq_zmm_k1z_zmm_zmmm512b64, Code::EVEX_Vpunpckhqdq_zmm_k1z_zmm_zmmm512b64);
        unpack(Some(quad[2 * half].to), first, [low, high]);
        unpack(Some(quad[2 * half + 1].to), second, [low, high]);
    }
    instrs
}
