//! Bytes chosen from two words: by places in two registers, or in each of them where no instruction takes both.

use crate::batch::lanes::Place;
use crate::batch::lanes::jit::lowering::Lowering;
use crate::batch::lanes::jit::machine::{Arg, Reg};
use crate::batch::lanes::jit::values::{shifted, two, words};
use iced_x86::Code;
use std::array::from_fn;

const AND: Code = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
const OR: Code = Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32;
const XOR: Code = Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
const UP: Code = Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
/// Of two registers, of which bit 6 of a place says the one.
const OF_BOTH: Code = Code::EVEX_Vpermt2b_zmm_k1z_zmm_zmmm512;
/// Of a register, in quarters of which each stays by itself; 0 where a place has its sign.
const OF_ONE: Code = Code::EVEX_Vpshufb_zmm_k1z_zmm_zmmm512;

/// Whether bytes are taken from both registers at once.
fn takes_both(s: &Lowering, x: Reg, y: Reg) -> bool {
    x != y && s.body.machine.has(OF_BOTH)
}

/// The place of a thread's first byte, in every byte of the thread.
fn base(takes_both: bool, thread: usize) -> u32 {
    0x0404_0404 * (thread % if takes_both { 16 } else { 4 }) as u32
}

/// Bytes chosen from two registers: their places in both, then signs spread where the selection says so.
pub(super) fn permute(s: &mut Lowering, [a, b, by]: [Place; 3]) -> Reg {
    let (x, y) = (s.word(a), s.word(b));
    if let Some(selection) = s.constant(by).map(|bits| bits as u32).filter(|bits| bits & 0x8888 == 0) {
        return chosen_by_number(s, x, y, selection);
    }
    let selection = s.word(by);
    // Nibble k to the low half of byte k.
    let mut nibbles = {
        let mask = words(s, 0xf);
        two(s, AND, selection, mask)
    };
    for k in 1..4u8 {
        let mask = words(s, 0xf << (8 * k));
        let moved = shifted(s, UP, Arg::Whole(selection), 4 * k);
        let table = Arg::Number(0xf8);
        let ternary = Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8;
        nibbles = s.onto(ternary, nibbles, &[Arg::Whole(moved), Arg::Whole(mask), table]);
    }
    let bytes = chosen(s, [x, y], nibbles);
    let sign = words(s, 0x0808_0808);
    let signs = s.emit(Code::EVEX_Vptestmb_kr_k1_zmm_zmmm512, &[Arg::Whole(nibbles), Arg::Whole(sign)]);
    let negative = s.emit(Code::EVEX_Vpmovb2m_kr_zmm, &[Arg::Whole(bytes)]);
    let spread = s.emit(Code::EVEX_Vpmovm2b_zmm_kr, &[Arg::Whole(negative)]);
    s.blend(Code::EVEX_Vpblendmb_zmm_k1z_zmm_zmmm512, &[Arg::Whole(bytes), Arg::Whole(spread)], signs)
}

/// Bytes that nibbles choose: bits 0 and 1 the byte, bit 2 the register.
fn chosen(s: &mut Lowering, [x, y]: [Reg; 2], nibbles: Reg) -> Reg {
    let takes_both = takes_both(s, x, y);
    let byte_mask = words(s, 0x0303_0303);
    let places = two(s, AND, nibbles, byte_mask);
    let base = s.line(from_fn(|thread| base(takes_both, thread)));
    let places = two(s, OR, places, base);
    if x == y {
        return two(s, OF_ONE, x, places);
    }
    let register_mask = words(s, 0x0404_0404);
    let register = two(s, AND, nibbles, register_mask);
    // Where a register at a time is taken, a place in the second one has its sign.
    let register = shifted(s, UP, Arg::Whole(register), if takes_both { 4 } else { 5 });
    let places = two(s, OR, places, register);
    if takes_both {
        return s.onto(OF_BOTH, x, &[places, y].map(Arg::Whole));
    }
    let sign = words(s, 0x8080_8080);
    let others = two(s, XOR, places, sign);
    let [of_x, of_y] = [(x, places), (y, others)].map(|(reg, places)| two(s, OF_ONE, reg, places));
    two(s, OR, of_x, of_y)
}

/// Bytes that the nibbles of a number choose.
fn chosen_by_number(s: &mut Lowering, x: Reg, y: Reg, selection: u32) -> Reg {
    let nibbles: [u32; 4] = from_fn(|k| selection >> (4 * k) & 7);
    let is_second = |nibble: u32| x != y && nibble & 4 != 0;
    let line = |s: &mut Lowering, takes_both: bool, place: &dyn Fn(u32) -> u32| {
        let places = (0..4).map(|k| place(nibbles[k]) << (8 * k)).sum::<u32>();
        s.line(from_fn(|thread| places | base(takes_both, thread)))
    };
    let of = |s: &mut Lowering, second: bool| {
        let places = line(s, false, &|nibble| if is_second(nibble) == second { nibble & 3 } else { 0x80 });
        two(s, OF_ONE, if second { y } else { x }, places)
    };
    match [false, true].map(|second| nibbles.into_iter().any(|nibble| is_second(nibble) == second)) {
        [_, false] => of(s, false),
        [false, true] => of(s, true),
        [true, true] if takes_both(s, x, y) => {
            let places = line(s, true, &|nibble| nibble & 3 | (nibble & 4) << 4);
            s.onto(OF_BOTH, x, &[places, y].map(Arg::Whole))
        }
        [true, true] => {
            let [of_x, of_y] = [of(s, false), of(s, true)];
            two(s, OR, of_x, of_y)
        }
    }
}
