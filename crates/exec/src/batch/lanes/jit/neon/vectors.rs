//! Integers: most instructions are one on either half.

use super::assembler::{
    ADDP_WORDS, AND, B, BIC, D, EOR, H, ORR, S, SMULL, SMULL_WORDS, UABD_BYTES, UMULL_WORDS, V, add, cmgt,
    cmhi, mul, neg, saddlp, same, sqxtn, sqxtun, sshl, uaddlp, umin, upper, ushl, xtn,
};
use super::{ADDRESS, T, Writer, halves};
use crate::batch::lanes::jit::allocate::Placed;
use crate::batch::lanes::jit::machine::Arg;
use iced_x86::Code;

/// One instruction of two operands, from what it is encoded.
const TWO: &[(Code, u32)] = &[
    (Code::VEX_Vpaddb_ymm_ymm_ymmm256, add(B)),
    (Code::VEX_Vpaddw_ymm_ymm_ymmm256, add(H)),
    (Code::VEX_Vpaddd_ymm_ymm_ymmm256, add(S)),
    (Code::VEX_Vpaddq_ymm_ymm_ymmm256, add(D)),
    (Code::VEX_Vpsubb_ymm_ymm_ymmm256, same(1, B, 0b10000)),
    (Code::VEX_Vpsubw_ymm_ymm_ymmm256, same(1, H, 0b10000)),
    (Code::VEX_Vpsubd_ymm_ymm_ymmm256, same(1, S, 0b10000)),
    (Code::VEX_Vpsubq_ymm_ymm_ymmm256, same(1, D, 0b10000)),
    (Code::VEX_Vpaddsb_ymm_ymm_ymmm256, same(0, B, 0b00001)),
    (Code::VEX_Vpaddsw_ymm_ymm_ymmm256, same(0, H, 0b00001)),
    (Code::VEX_Vpaddusb_ymm_ymm_ymmm256, same(1, B, 0b00001)),
    (Code::VEX_Vpaddusw_ymm_ymm_ymmm256, same(1, H, 0b00001)),
    (Code::VEX_Vpsubsb_ymm_ymm_ymmm256, same(0, B, 0b00101)),
    (Code::VEX_Vpsubsw_ymm_ymm_ymmm256, same(0, H, 0b00101)),
    (Code::VEX_Vpsubusb_ymm_ymm_ymmm256, same(1, B, 0b00101)),
    (Code::VEX_Vpsubusw_ymm_ymm_ymmm256, same(1, H, 0b00101)),
    (Code::VEX_Vpavgb_ymm_ymm_ymmm256, same(1, B, 0b00010)),
    (Code::VEX_Vpavgw_ymm_ymm_ymmm256, same(1, H, 0b00010)),
    (Code::VEX_Vpminsb_ymm_ymm_ymmm256, same(0, B, 0b01101)),
    (Code::VEX_Vpminsw_ymm_ymm_ymmm256, same(0, H, 0b01101)),
    (Code::VEX_Vpminsd_ymm_ymm_ymmm256, same(0, S, 0b01101)),
    (Code::VEX_Vpminub_ymm_ymm_ymmm256, umin(B)),
    (Code::VEX_Vpminuw_ymm_ymm_ymmm256, umin(H)),
    (Code::VEX_Vpminud_ymm_ymm_ymmm256, umin(S)),
    (Code::VEX_Vpmaxsb_ymm_ymm_ymmm256, same(0, B, 0b01100)),
    (Code::VEX_Vpmaxsw_ymm_ymm_ymmm256, same(0, H, 0b01100)),
    (Code::VEX_Vpmaxsd_ymm_ymm_ymmm256, same(0, S, 0b01100)),
    (Code::VEX_Vpmaxub_ymm_ymm_ymmm256, same(1, B, 0b01100)),
    (Code::VEX_Vpmaxuw_ymm_ymm_ymmm256, same(1, H, 0b01100)),
    (Code::VEX_Vpmaxud_ymm_ymm_ymmm256, same(1, S, 0b01100)),
    (Code::VEX_Vpmulld_ymm_ymm_ymmm256, mul(S)),
    (Code::VEX_Vpand_ymm_ymm_ymmm256, AND),
    (Code::VEX_Vpor_ymm_ymm_ymmm256, ORR),
    (Code::VEX_Vpxor_ymm_ymm_ymmm256, EOR),
    (Code::VEX_Vpcmpeqb_ymm_ymm_ymmm256, same(1, B, 0b10001)),
    (Code::VEX_Vpcmpeqw_ymm_ymm_ymmm256, same(1, H, 0b10001)),
    (Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, same(1, S, 0b10001)),
    (Code::VEX_Vpcmpeqq_ymm_ymm_ymmm256, same(1, D, 0b10001)),
    (Code::VEX_Vpcmpgtb_ymm_ymm_ymmm256, cmgt(B)),
    (Code::VEX_Vpcmpgtw_ymm_ymm_ymmm256, cmgt(H)),
    (Code::VEX_Vpcmpgtd_ymm_ymm_ymmm256, cmgt(S)),
    (Code::VEX_Vpcmpgtq_ymm_ymm_ymmm256, cmgt(D)),
];

/// Writes an instruction, if it is one of these.
pub(super) fn write(w: &mut Writer, placed: &Placed) -> Option<()> {
    let code = placed.instr.code;
    if let Some((_, base)) = TWO.iter().find(|(known, _)| *known == code) {
        return each(w, placed, |w, d, a, b| w.code.two(*base, d, a, b));
    }
    match code {
        Code::VEX_Vpandn_ymm_ymm_ymmm256 => each(w, placed, |w, d, a, b| w.code.two(BIC, d, b, a)),
        Code::VEX_Vpsllw_ymm_ymm_imm8 => shifted(w, placed, H, up),
        Code::VEX_Vpslld_ymm_ymm_imm8 => shifted(w, placed, S, up),
        Code::VEX_Vpsllq_ymm_ymm_imm8 => shifted(w, placed, D, up),
        Code::VEX_Vpsrlw_ymm_ymm_imm8 => shifted(w, placed, H, down),
        Code::VEX_Vpsrld_ymm_ymm_imm8 => shifted(w, placed, S, down),
        Code::VEX_Vpsrlq_ymm_ymm_imm8 => shifted(w, placed, D, down),
        Code::VEX_Vpsraw_ymm_ymm_imm8 => shifted(w, placed, H, down_signed),
        Code::VEX_Vpsrad_ymm_ymm_imm8 => shifted(w, placed, S, down_signed),
        // The machine reads a byte of a number, with its sign.
        Code::VEX_Vpsllvd_ymm_ymm_ymmm256 => each(w, placed, |w, d, a, by| {
            at_most(w, by, 32);
            w.code.two(ushl(S), d, a, T[0]);
        }),
        Code::VEX_Vpsrlvd_ymm_ymm_ymmm256 => each(w, placed, |w, d, a, by| {
            at_most(w, by, 32);
            w.code.one(neg(S), T[0], T[0]);
            w.code.two(ushl(S), d, a, T[0]);
        }),
        Code::VEX_Vpsravd_ymm_ymm_ymmm256 => each(w, placed, |w, d, a, by| {
            at_most(w, by, 31);
            w.code.one(neg(S), T[0], T[0]);
            w.code.two(sshl(S), d, a, T[0]);
        }),
        Code::VEX_Vpsllvq_ymm_ymm_ymmm256 => each(w, placed, |w, d, a, by| {
            below_64(w, by);
            w.code.two(ushl(D), T[1], a, by);
            w.code.two(AND, d, T[1], T[0]);
        }),
        Code::VEX_Vpsrlvq_ymm_ymm_ymmm256 => each(w, placed, |w, d, a, by| {
            below_64(w, by);
            w.code.one(neg(D), T[1], by);
            w.code.two(ushl(D), T[1], a, T[1]);
            w.code.two(AND, d, T[1], T[0]);
        }),
        Code::VEX_Vpmuludq_ymm_ymm_ymmm256 => each(w, placed, |w, d, a, b| narrowed(w, UMULL_WORDS, d, a, b)),
        Code::VEX_Vpmuldq_ymm_ymm_ymmm256 => each(w, placed, |w, d, a, b| narrowed(w, SMULL_WORDS, d, a, b)),
        Code::VEX_Vpmaddwd_ymm_ymm_ymmm256 => each(w, placed, |w, d, a, b| {
            w.code.two(SMULL, T[0], a, b);
            w.code.two(upper(SMULL), T[1], a, b);
            w.code.two(ADDP_WORDS, d, T[0], T[1]);
        }),
        Code::VEX_Vpmaddubsw_ymm_ymm_ymmm256 => each(w, placed, |w, d, a, b| {
            for is_upper in [false, true] {
                let product = T[usize::from(is_upper)];
                w.code.extend((true, B), is_upper, product, a);
                w.code.extend((false, B), is_upper, T[2], b);
                w.code.two(mul(H), product, product, T[2]);
                w.code.one(saddlp(H), product, product);
            }
            w.code.one(sqxtn(H), T[0], T[0]);
            w.code.one(upper(sqxtn(H)), T[0], T[1]);
            w.code.mov(d, T[0]);
        }),
        Code::VEX_Vpsadbw_ymm_ymm_ymmm256 => each(w, placed, |w, d, a, b| {
            w.code.two(UABD_BYTES, T[0], a, b);
            w.code.one(uaddlp(B), T[0], T[0]);
            w.code.one(uaddlp(H), T[0], T[0]);
            w.code.one(uaddlp(S), d, T[0]);
        }),
        Code::VEX_Vpackusdw_ymm_ymm_ymmm256 => each(w, placed, |w, d, a, b| {
            w.code.one(sqxtun(H), T[0], a);
            w.code.one(upper(sqxtun(H)), T[0], b);
            w.code.mov(d, T[0]);
        }),
        Code::VEX_Vpblendvb_ymm_ymm_ymmm256_ymm => {
            let by = halves(placed.by);
            let mut half = by.into_iter();
            each(w, placed, |w, d, no, yes| {
                let Some(by) = half.next() else { return };
                w.code.select(d, by, [yes, no]);
            })
        }
        _ => None,
    }
}

/// What is done on either half of two operands. Only the last instruction sets the result, which may be an operand.
pub(super) fn each(w: &mut Writer, placed: &Placed, mut f: impl FnMut(&mut Writer, V, V, V)) -> Option<()> {
    let [a, b] = [w.pair(placed, 0, 32)?, w.pair(placed, 1, 32)?].map(halves);
    let d = halves(placed.to);
    (0..2).for_each(|k| f(w, d[k], a[k], b[k]));
    Some(())
}

/// The same of one operand.
pub(super) fn each_of_one(
    w: &mut Writer,
    placed: &Placed,
    mut f: impl FnMut(&mut Writer, V, V),
) -> Option<()> {
    let (a, d) = (halves(w.pair(placed, 0, 32)?), halves(placed.to));
    (0..2).for_each(|k| f(w, d[k], a[k]));
    Some(())
}

/// A number among the operands.
pub(super) fn number(placed: &Placed, operand: usize) -> Option<u8> {
    match placed.instr.from[operand]? {
        Arg::Number(number) => Some(number),
        _ => None,
    }
}

fn shifted(w: &mut Writer, placed: &Placed, size: u32, by: fn(&mut Writer, u32, V, V, u32)) -> Option<()> {
    let number = u32::from(number(placed, 1)?);
    each_of_one(w, placed, |w, d, a| by(w, size, d, a, number))
}

fn up(w: &mut Writer, size: u32, d: V, a: V, by: u32) {
    match by {
        by if by >= 8 << size => w.code.movi_bytes(d, 0),
        by => w.code.shl(size, d, a, by),
    }
}

fn down(w: &mut Writer, size: u32, d: V, a: V, by: u32) {
    match by {
        0 => w.code.mov(d, a),
        by if by >= 8 << size => w.code.movi_bytes(d, 0),
        by => w.code.ushr(size, d, a, by),
    }
}

fn down_signed(w: &mut Writer, size: u32, d: V, a: V, by: u32) {
    match by {
        0 => w.code.mov(d, a),
        by => w.code.sshr(size, d, a, by.min(8 << size)),
    }
}

/// The lesser of words and a number, in scratch.
fn at_most(w: &mut Writer, words: V, number: u8) {
    w.code.movi_words(T[0], number, 0);
    w.code.two(umin(S), T[0], T[0], words);
}

/// Which numbers of 64 bits are below 64, in scratch.
fn below_64(w: &mut Writer, by: V) {
    w.code.number(ADDRESS, 64);
    w.code.dup_general(D, T[0], ADDRESS);
    w.code.two(cmhi(D), T[0], T[0], by);
}

/// Products of the low halves of numbers of 64 bits.
fn narrowed(w: &mut Writer, product: u32, d: V, a: V, b: V) {
    w.code.one(xtn(S), T[0], a);
    w.code.one(xtn(S), T[1], b);
    w.code.two(product, d, T[0], T[1]);
}
