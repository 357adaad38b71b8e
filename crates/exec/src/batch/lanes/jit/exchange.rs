//! Values that the lanes of a warp exchange: a warp is several groups of a round, and what a group gets comes from the registers of all.

use crate::batch::lanes::jit::machine::{Arg, Body, Instr, Kind, Reg};
use iced_x86::Code;
use margay_isa::WARP;

/// Words that shuffles by a number do not leave.
const QUARTER: usize = 4;

/// The lane that each lane of a warp reads.
pub(super) type Choices = [u8; WARP];

/// The register whose lanes are exchanged, and by which choices, if that is what an instruction does.
pub(super) fn exchanged(instr: &Instr) -> Option<(Reg, usize)> {
    match instr.from[0] {
        Some(Arg::Exchanged { reg, choices }) => Some((reg, choices)),
        _ => None,
    }
}

/// How many groups at least are in a round: whole warps where lanes exchange values.
pub(super) fn groups_of_warp(body: &Body) -> usize {
    let exchanges = body.instrs.iter().any(|instr| exchanged(instr).is_some());
    if exchanges { WARP / body.machine.lanes() } else { 1 }
}

/// What a group gets: its number in a round, and the register of each group. Adds instructions if it takes any.
pub(super) fn exchange(body: &mut Body, choices: &Choices, group: usize, of_group: &[Reg]) -> Reg {
    let lanes = body.machine.lanes();
    let groups = WARP / lanes;
    let (own, warp) = (group % groups, group / groups * groups);
    let from: Vec<(Reg, usize)> = choices[own * lanes..][..lanes]
        .iter()
        .map(|from| (of_group[warp + usize::from(*from) / lanes], usize::from(*from) % lanes))
        .collect();
    let mut sources: Vec<Reg> = Vec::new();
    from.iter().for_each(|(reg, _)| {
        if !sources.contains(reg) {
            sources.push(*reg);
        }
    });
    if let [first, second] = sources[..]
        && body.machine.has_masks
    {
        let index = from.iter().map(|(reg, lane)| lane + if *reg == second { lanes } else { 0 }).collect();
        let index = line(body, index);
        let code = Code::EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32;
        return push(body, code, Some(index), &[Arg::Whole(first), Arg::Whole(second)]);
    }
    let mut parts = sources.iter().map(|source| {
        let places = from.iter().map(|(reg, lane)| (reg == source).then_some(*lane)).collect::<Vec<_>>();
        (permuted(body, *source, &places), places)
    });
    let Some((first, _)) = parts.next() else { return of_group[group] };
    let parts: Vec<_> = parts.collect();
    parts.into_iter().fold(first, |others, (part, places)| {
        let mask = places.iter().enumerate().map(|(k, place)| u8::from(place.is_some()) << k).sum();
        let args = [Arg::Whole(others), Arg::Whole(part), Arg::Number(mask)];
        push(body, Code::VEX_Vpblendd_ymm_ymm_ymmm256_imm8, None, &args)
    })
}

/// A vector's lanes, each in the places that are for it; of no concern in the others.
fn permuted(body: &mut Body, source: Reg, places: &[Option<usize>]) -> Reg {
    if places.iter().enumerate().all(|(k, place)| place.is_none_or(|place| place == k)) {
        return source;
    }
    let masks = body.machine.has_masks;
    if let Some(number) = in_quarters(places) {
        let code = match masks {
            true => Code::EVEX_Vpshufd_zmm_k1z_zmmm512b32_imm8,
            false => Code::VEX_Vpshufd_ymm_ymmm256_imm8,
        };
        return push(body, code, None, &[Arg::Whole(source), Arg::Number(number)]);
    }
    let index = line(body, places.iter().map(|place| place.unwrap_or(0)).collect());
    let code = match masks {
        true => Code::EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32,
        false => Code::VEX_Vpermd_ymm_ymm_ymmm256,
    };
    push(body, code, None, &[Arg::Whole(index), Arg::Whole(source)])
}

/// The number of a shuffle that does the same in all quarters of a vector, if one does.
fn in_quarters(places: &[Option<usize>]) -> Option<u8> {
    (0..QUARTER).try_fold(0, |number, k| {
        let mut wanted = None;
        for (first, quarter) in places.chunks(QUARTER).enumerate() {
            let Some(place) = quarter[k] else { continue };
            let place = place.checked_sub(first * QUARTER).filter(|place| *place < QUARTER)?;
            if wanted.is_some_and(|wanted| wanted != place) {
                return None;
            }
            wanted = Some(place);
        }
        Some(number | (wanted.unwrap_or(k) as u8) << (2 * k))
    })
}

/// A line of constants, in a register.
fn line(body: &mut Body, words: Vec<usize>) -> Reg {
    let mut line = [0; 16];
    line.iter_mut().zip(words).for_each(|(word, number)| *word = number as u32);
    let memory = body.constant(line);
    let reg = push(body, body.machine.load, None, &[Arg::Memory(memory)]);
    body.homes[reg.0 as usize] = Some(memory);
    reg
}

fn push(body: &mut Body, code: Code, onto: Option<Reg>, args: &[Arg]) -> Reg {
    let to = body.reg(Kind::Vector);
    let mut from = [None; 3];
    from.iter_mut().zip(args).for_each(|(slot, arg)| *slot = Some(*arg));
    body.instrs.push(Instr { code, to: Some(Arg::Whole(to)), onto, from, by: None, zeroes: false });
    to
}
