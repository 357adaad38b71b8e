//! Bits of words: two words moved as one, and how many are 1; by single instructions, and by several where a machine lacks those.

use crate::batch::lanes::Place;
use crate::batch::lanes::jit::lowering::Lowering;
use crate::batch::lanes::jit::machine::{Arg, Reg};
use crate::batch::lanes::jit::values::{shifted, two, words};
use iced_x86::Code;
use std::array::from_fn;

const AND: Code = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
const OR: Code = Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32;
const SHUFFLE: Code = Code::EVEX_Vpshufb_zmm_k1z_zmm_zmmm512;

/// Left and right by a number, and by each lane's own: of one word, whose bits come back at its other end, and of two.
const ROTATE: [[Code; 2]; 2] = [
    [Code::EVEX_Vprold_zmm_k1z_zmmm512b32_imm8, Code::EVEX_Vprord_zmm_k1z_zmmm512b32_imm8],
    [Code::EVEX_Vprolvd_zmm_k1z_zmm_zmmm512b32, Code::EVEX_Vprorvd_zmm_k1z_zmm_zmmm512b32],
];
const FUNNEL: [[Code; 2]; 2] = [
    [Code::EVEX_Vpshldd_zmm_k1z_zmm_zmmm512b32_imm8, Code::EVEX_Vpshrdd_zmm_k1z_zmm_zmmm512b32_imm8],
    [Code::EVEX_Vpshldvd_zmm_k1z_zmm_zmmm512b32, Code::EVEX_Vpshrdvd_zmm_k1z_zmm_zmmm512b32],
];
/// Of one word, whose bits get lost.
const SHIFT: [[Code; 2]; 2] = [
    [Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8, Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8],
    [Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32, Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32],
];

/// 32 bits of two words: of the higher one moved left and the lower one's upper bits, or of the lower one moved right and the higher
/// one's lower bits.
pub(super) fn funnel(s: &mut Lowering, [low, high, by]: [Place; 3], left: bool) -> Reg {
    let number = s.constant(by).map(|by| (by & 31) as u8);
    let rotates = low == high;
    let codes = if rotates { ROTATE } else { FUNNEL };
    let code = codes[usize::from(number.is_none())][usize::from(!left)];
    let (x, y) = (s.word(low), s.word(high));
    let (kept, other) = if left { (y, x) } else { (x, y) };
    if !s.body.machine.has(code) {
        return moved_apart(s, [kept, other], (by, number), left);
    }
    let by = match number {
        Some(number) => Arg::Number(number),
        None => s.word_arg(by),
    };
    match (rotates, number) {
        (true, _) => s.emit(code, &[Arg::Whole(kept), by]),
        (false, Some(_)) => s.emit(code, &[Arg::Whole(kept), Arg::Whole(other), by]),
        (false, None) => s.onto(code, kept, &[Arg::Whole(other), by]),
    }
}

/// The same with each word moved by itself.
fn moved_apart(
    s: &mut Lowering,
    [kept, other]: [Reg; 2],
    (by, number): (Place, Option<u8>),
    left: bool,
) -> Reg {
    let [[up, down], [up_by_lane, down_by_lane]] = SHIFT;
    let in_order = |codes: [Code; 2]| if left { codes } else { [codes[1], codes[0]] };
    let [kept, other] = match number {
        Some(0) => return kept,
        // Bytes as they are come to other places at once.
        Some(by) if by % 8 == 0 && kept == other => return rotated_bytes(s, kept, by / 8, left),
        Some(by) => {
            let [there, back] = in_order([up, down]);
            [shifted(s, there, Arg::Whole(kept), by), shifted(s, back, Arg::Whole(other), 32 - by)]
        }
        None => {
            let [there, back] = in_order([up_by_lane, down_by_lane]);
            let (by, most, all) = (s.word(by), words(s, 31), words(s, 32));
            let by = two(s, AND, by, most);
            let rest = two(s, Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32, all, by);
            // By 32, nothing is left.
            [two(s, there, kept, by), two(s, back, other, rest)]
        }
    };
    two(s, OR, kept, other)
}

fn rotated_bytes(s: &mut Lowering, value: Reg, by: u8, left: bool) -> Reg {
    let by = u32::from(by);
    let from = |k: u32| if left { (k + 4 - by) % 4 } else { (k + by) % 4 };
    let places =
        s.line(from_fn(|lane| (0..4).map(|k| (from(k) + 4 * (lane as u32 % 4)) << (8 * k)).sum::<u32>()));
    two(s, SHUFFLE, value, places)
}

/// How many bits of each word are 1.
pub(super) fn ones(s: &mut Lowering, place: Place) -> Reg {
    let code = Code::EVEX_Vpopcntd_zmm_k1z_zmmm512b32;
    if s.body.machine.has(code) {
        let value = s.word_arg(place);
        return s.emit(code, &[value]);
    }
    let value = s.word(place);
    let counts = ones_of_bytes(s, value);
    let [bytes, halves] = [0x0101_0101, 0x0001_0001].map(|units| words(s, units));
    let pairs = two(s, Code::EVEX_Vpmaddubsw_zmm_k1z_zmm_zmmm512, counts, bytes);
    two(s, Code::EVEX_Vpmaddwd_zmm_k1z_zmm_zmmm512, pairs, halves)
}

/// How many bits of each 64 are 1.
pub(super) fn ones_of_wides(s: &mut Lowering, value: Reg) -> Reg {
    let code = Code::EVEX_Vpopcntq_zmm_k1z_zmmm512b64;
    if s.body.machine.has(code) {
        return s.emit(code, &[Arg::Whole(value)]);
    }
    let (counts, zero) = (ones_of_bytes(s, value), words(s, 0));
    two(s, Code::EVEX_Vpsadbw_zmm_zmm_zmmm512, counts, zero)
}

/// How many bits of each byte are 1, by a table for half of them.
fn ones_of_bytes(s: &mut Lowering, value: Reg) -> Reg {
    let counts: [u32; 4] =
        from_fn(|word| (0..4).map(|byte| (4 * word as u32 + byte).count_ones() << (8 * byte)).sum());
    let table = s.line(from_fn(|k| counts[k % 4]));
    let half = words(s, 0x0f0f_0f0f);
    let low = two(s, AND, value, half);
    let high = shifted(s, SHIFT[0][1], Arg::Whole(value), 4);
    let high = two(s, AND, high, half);
    let [low, high] = [low, high].map(|halves| two(s, SHUFFLE, table, halves));
    two(s, Code::EVEX_Vpaddb_zmm_k1z_zmm_zmmm512, low, high)
}
