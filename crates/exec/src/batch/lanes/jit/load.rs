//! Loads in the middle of a run: contiguous ones, those of one element, and gathered ones.

use crate::batch::lanes::jit::lowering::{Lowering, Value};
use crate::batch::lanes::jit::machine::{Arg, Base, Memory, Pointer, Reg};
use crate::batch::lanes::jit::pattern::Pattern;
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

fn one(s: &mut Lowering, code: Code, memory: Memory, mask: u32) -> Reg {
    let all = s.emit(code, &[Arg::Memory(memory)]);
    let mask = s.line([mask; 16]);
    s.emit(Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, &[Arg::Whole(all), Arg::Whole(mask)])
}

fn gather(s: &mut Lowering, code: Code, memory: Memory, lane: i64, lower: bool) -> Reg {
    let by = s.line(from_fn(|k| (lane * k as i64) as u32));
    // It replaces lanes of its result, and uses its mask up.
    let zero = s.line([0; 16]);
    let all = s.emit(Code::VEX_Kxnorw_kr_kr_kr, &[Arg::AnyMask, Arg::AnyMask]);
    s.masked(code, zero, &[Arg::Gathered { memory, by, lower }], all)
}
