//! Loads in the middle of a run: contiguous ones, those of one element, and gathered ones.

use crate::batch::lanes::jit::lowering::{Lowering, Value};
use crate::batch::lanes::jit::machine::{Arg, Base, Memory, Pointer, Reg};
use crate::batch::lanes::jit::pattern::Pattern;
use crate::batch::lanes::jit::values::joined;
use iced_x86::Code;
use std::array::from_fn;

/// Adds a load of elements of so many bytes, this far behind the first; none if there are no instructions for it.
pub(super) fn load(s: &mut Lowering, number: usize, pattern: &Pattern, at: i32, bytes: u32) -> Option<Value> {
    let step = s.step_of(pattern);
    let pointer = s.body.pointer(Pointer::Load(number));
    let memory = |at: i32| Memory { base: Base::Pointer(pointer, at), step };
    let lane = pattern.lane;
    // The last lane's distance must fit an index.
    let machine = s.body.machine;
    let (lanes, size) = (machine.lanes() as i64, machine.bytes as i32);
    if lane.checked_mul(lanes).is_none_or(|last| i32::try_from(last).is_err()) {
        return None;
    }
    if !pattern.is_one_row(machine) {
        return load_halves(s, pattern, &memory, at, bytes);
    }
    Some(match (bytes, lane) {
        (4, 4) => Value::U32(s.load(memory(at))),
        (4, 0) => Value::U32(s.emit(Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32, &[Arg::Memory(memory(at))])),
        (4, _) => Value::U32(gather(s, Code::EVEX_Vpgatherdd_zmm_k1_vm32z, memory(at), lane, false)),
        (8, 8) => Value::U64([s.load(memory(at)), s.load(memory(at + size))]),
        (8, 0) => Value::U64([s.emit(Code::EVEX_Vpbroadcastq_zmm_k1z_xmmm64, &[Arg::Memory(memory(at))]); 2]),
        (8, _) => {
            let code = Code::EVEX_Vpgatherdq_zmm_k1_vm32y;
            Value::U64(from_fn(|half| {
                gather(s, code, memory(at + (lanes / 2 * lane) as i32 * half as i32), lane, true)
            }))
        }
        (1, 1) => Value::U32(s.emit(Code::EVEX_Vpmovzxbd_zmm_k1z_xmmm128, &[Arg::Memory(memory(at))])),
        (2, 2) => Value::U32(s.emit(Code::EVEX_Vpmovzxwd_zmm_k1z_ymmm256, &[Arg::Memory(memory(at))])),
        (1, 0) => Value::U32(one(s, Code::EVEX_Vpbroadcastb_zmm_k1z_xmmm8, memory(at), 0xff)),
        (2, 0) => Value::U32(one(s, Code::EVEX_Vpbroadcastw_zmm_k1z_xmmm16, memory(at), 0xffff)),
        _ => return None,
    })
}

/// The same where the two halves of a group lie in different rows.
fn load_halves(
    s: &mut Lowering,
    pattern: &Pattern,
    memory: &dyn Fn(i32) -> Memory,
    at: i32,
    bytes: u32,
) -> Option<Value> {
    let (lane, lanes) = (pattern.lane, s.body.machine.lanes());
    let second = i32::try_from(pattern.half).ok().and_then(|half| at.checked_add(half))?;
    // In later groups of a round, too.
    second.checked_add(1 << 16).filter(|_| second > -(1 << 30))?;
    let halves = [at, second];
    let mut both = |code: Code| {
        let [low, high] = halves.map(|at| s.emit(code, &[Arg::Memory(memory(at))]));
        joined(s, [low, high])
    };
    Some(match (bytes, lane) {
        (4, 4) => Value::U32(both(Code::EVEX_Vmovdqu64_ymm_k1z_ymmm256)),
        (4, 0) => Value::U32(both(Code::EVEX_Vpbroadcastd_ymm_k1z_xmmm32)),
        (8, 8) => Value::U64(halves.map(|at| s.load(memory(at)))),
        (8, 0) => Value::U64(
            halves.map(|at| s.emit(Code::EVEX_Vpbroadcastq_zmm_k1z_xmmm64, &[Arg::Memory(memory(at))])),
        ),
        (1, 1) => Value::U32(both(Code::EVEX_Vpmovzxbd_ymm_k1z_xmmm64)),
        (2, 2) => Value::U32(both(Code::EVEX_Vpmovzxwd_ymm_k1z_xmmm128)),
        (4, _) => {
            let by = from_fn(|k| {
                (lane * (k % (lanes / 2)) as i64 + if k < lanes / 2 { 0 } else { pattern.half }) as u32
            });
            Value::U32(gather_by(s, Code::EVEX_Vpgatherdd_zmm_k1_vm32z, memory(at), by, false))
        }
        _ => return None,
    })
}

fn one(s: &mut Lowering, code: Code, memory: Memory, mask: u32) -> Reg {
    let all = s.emit(code, &[Arg::Memory(memory)]);
    let mask = s.line([mask; 16]);
    s.emit(Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, &[Arg::Whole(all), Arg::Whole(mask)])
}

fn gather(s: &mut Lowering, code: Code, memory: Memory, lane: i64, lower: bool) -> Reg {
    gather_by(s, code, memory, from_fn(|k| (lane * k as i64) as u32), lower)
}

/// Gathers elements so far from there, each.
fn gather_by(s: &mut Lowering, code: Code, memory: Memory, by: [u32; 16], lower: bool) -> Reg {
    let by = s.line(by);
    // It replaces lanes of its result, and uses its mask up.
    let zero = s.line([0; 16]);
    let all = s.emit(Code::VEX_Kxnorw_kr_kr_kr, &[Arg::AnyMask, Arg::AnyMask]);
    s.masked(code, zero, &[Arg::Gathered { memory, by, lower }], all)
}
