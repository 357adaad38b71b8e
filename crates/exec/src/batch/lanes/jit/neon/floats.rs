//! Numbers: what AVX2 gives where this machine gives something else is made good, NaN in double precision among it.
//!
//! Of NaNs in single precision nothing is read but that they are such.

use super::assembler::{
    ALWAYS, AND, D, EQUAL, FADD, FCMEQ, FCMGE, FCMGT, FCVTL, FCVTN, FCVTZS, FDIV, FMLA, FMLS, FMUL, FRINTM,
    FRINTN, FRINTP, FRINTZ, FSQRT, FSUB, NOT, ORR, S, SCVTF, UMINP_WORDS, V, double, sqxtn, upper,
};
use super::vectors::{each, each_of_one, number};
use super::{ADDRESS, NUMBER, T, Writer, halves};
use crate::batch::lanes::jit::allocate::Placed;
use iced_x86::Code;

/// Directions of rounding, as the environment of floating point has them.
const UP: i64 = 1 << 22;
const DOWN: i64 = 2 << 22;
const ZERO: i64 = 3 << 22;

/// Writes an instruction, if it is one of these.
pub(super) fn write(w: &mut Writer, placed: &Placed) -> Option<()> {
    let two = |w: &mut Writer, base: u32| each(w, placed, |w, d, a, b| w.code.two(base, d, a, b));
    let one = |w: &mut Writer, base: u32| each_of_one(w, placed, |w, d, a| w.code.one(base, d, a));
    match placed.instr.code {
        Code::VEX_Vaddps_ymm_ymm_ymmm256 => two(w, FADD),
        Code::VEX_Vsubps_ymm_ymm_ymmm256 => two(w, FSUB),
        Code::VEX_Vmulps_ymm_ymm_ymmm256 => two(w, FMUL),
        Code::VEX_Vdivps_ymm_ymm_ymmm256 => two(w, FDIV),
        Code::VEX_Vaddpd_ymm_ymm_ymmm256 => of_two(w, placed, FADD),
        Code::VEX_Vsubpd_ymm_ymm_ymmm256 => of_two(w, placed, FSUB),
        Code::VEX_Vmulpd_ymm_ymm_ymmm256 => of_two(w, placed, FMUL),
        Code::VEX_Vdivpd_ymm_ymm_ymmm256 => of_two(w, placed, FDIV),
        Code::VEX_Vsqrtps_ymm_ymmm256 => one(w, FSQRT),
        Code::VEX_Vsqrtpd_ymm_ymmm256 => {
            let a = halves(w.pair(placed, 0, 32)?);
            doubles(w, placed, &[a], |w, d, half| w.code.one(double(FSQRT), d, a[half]))
        }
        Code::VEX_Vfmadd231ps_ymm_ymm_ymmm256 => each(w, placed, |w, d, a, b| w.code.two(FMLA, d, a, b)),
        Code::VEX_Vfmadd213ps_ymm_ymm_ymmm256 => each(w, placed, |w, d, a, sum| {
            w.code.mov(T[0], sum);
            w.code.two(FMLA, T[0], a, d);
            w.code.mov(d, T[0]);
        }),
        Code::VEX_Vfmadd231pd_ymm_ymm_ymmm256 => added(w, placed, FMLA),
        Code::VEX_Vfnmadd231pd_ymm_ymm_ymmm256 => added(w, placed, FMLS),
        Code::VEX_Vfmadd213pd_ymm_ymm_ymmm256 => {
            let [a, sum] = [w.pair(placed, 0, 32)?, w.pair(placed, 1, 32)?].map(halves);
            let by = halves(placed.to);
            doubles(w, placed, &[a, by, sum], |w, d, half| {
                w.code.mov(d, sum[half]);
                w.code.two(double(FMLA), d, a[half], by[half]);
            })
        }
        // Where neither is less, the second.
        Code::VEX_Vminps_ymm_ymm_ymmm256 => extreme(w, placed, FCMGT, true),
        Code::VEX_Vmaxps_ymm_ymm_ymmm256 => extreme(w, placed, FCMGT, false),
        Code::VEX_Vminpd_ymm_ymm_ymmm256 => extreme(w, placed, double(FCMGT), true),
        Code::VEX_Vmaxpd_ymm_ymm_ymmm256 => extreme(w, placed, double(FCMGT), false),
        Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8 => compared(w, placed, [FCMEQ, FCMGE, FCMGT]),
        Code::VEX_Vcmppd_ymm_ymm_ymmm256_imm8 => compared(w, placed, [FCMEQ, FCMGE, FCMGT].map(double)),
        Code::VEX_Vroundps_ymm_ymmm256_imm8 => one(w, rounding(placed)?),
        Code::VEX_Vroundpd_ymm_ymmm256_imm8 => one(w, double(rounding(placed)?)),
        Code::VEX_Vcvtdq2ps_ymm_ymmm256 => one(w, SCVTF),
        Code::VEX_Vcvtdq2pd_ymm_xmmm128 => widened(w, placed, |w, is_upper, d, a| {
            w.code.extend((false, S), is_upper, d, a);
            w.code.one(double(SCVTF), d, d);
        }),
        Code::VEX_Vcvtps2pd_ymm_xmmm128 => widened(w, placed, |w, is_upper, d, a| {
            w.code.one(if is_upper { upper(double(FCVTL)) } else { double(FCVTL) }, d, a);
        }),
        Code::VEX_Vcvtph2ps_ymm_xmmm128 => widened(w, placed, |w, is_upper, d, a| {
            w.code.one(if is_upper { upper(FCVTL) } else { FCVTL }, d, a);
        }),
        Code::VEX_Vcvtpd2ps_xmm_ymmm256 => narrowed(w, placed, double(FCVTN)),
        Code::VEX_Vcvtps2ph_xmmm128_ymm_imm8 => {
            // The environment has numbers rounded to the nearest; so does what is given back to it.
            let direction = match number(placed, 1)? {
                0 | 4 => return narrowed(w, placed, FCVTN),
                1 => DOWN,
                2 => UP,
                3 => ZERO,
                _ => return None,
            };
            w.code.number(NUMBER, direction);
            w.code.msr_fpcr(NUMBER);
            narrowed(w, placed, FCVTN)?;
            w.code.msr_fpcr(31);
            Some(())
        }
        Code::VEX_Vcvttps2dq_ymm_ymmm256 => each_of_one(w, placed, |w, d, a| {
            // What is not below 2^31 becomes the sign alone; what is too small, the machine makes that, too.
            w.code.movi_words(T[0], 0x4f, 3);
            w.code.two(FCMGT, T[0], T[0], a);
            w.code.one(FCVTZS, T[1], a);
            w.code.movi_words(T[2], 0x80, 3);
            w.code.select(d, T[0], [T[1], T[2]]);
        }),
        Code::VEX_Vcvttpd2dq_xmm_ymmm256 => {
            let (a, d) = (halves(w.pair(placed, 0, 32)?), halves(placed.to));
            w.code.number(ADDRESS, 2147483648f64.to_bits() as i64);
            for (a, narrow) in a.into_iter().zip([sqxtn(S), upper(sqxtn(S))]) {
                w.code.dup_general(D, T[0], ADDRESS);
                w.code.two(double(FCMGT), T[0], T[0], a);
                w.code.one(double(FCVTZS), T[1], a);
                w.code.movi_bytes(T[2], 0xff);
                w.code.shl(D, T[2], T[2], 63);
                w.code.select(T[0], T[0], [T[1], T[2]]);
                w.code.one(narrow, T[3], T[0]);
            }
            w.code.mov(d[0], T[3]);
            w.code.movi_bytes(d[1], 0);
            Some(())
        }
        _ => None,
    }
}

fn of_two(w: &mut Writer, placed: &Placed, base: u32) -> Option<()> {
    let [a, b] = [w.pair(placed, 0, 32)?, w.pair(placed, 1, 32)?].map(halves);
    doubles(w, placed, &[a, b], |w, d, half| w.code.two(double(base), d, a[half], b[half]))
}

/// What is added to the register of the result.
fn added(w: &mut Writer, placed: &Placed, base: u32) -> Option<()> {
    let [a, b] = [w.pair(placed, 0, 32)?, w.pair(placed, 1, 32)?].map(halves);
    let sum = halves(placed.to);
    doubles(w, placed, &[a, b, sum], |w, d, half| {
        w.code.mov(d, sum[half]);
        w.code.two(double(base), d, a[half], b[half]);
    })
}

/// Results of double precision, with the NaN of AVX2 where there is one: that of the first operand that is one. Where there is none, which is
/// nearly always, that is all that is looked at.
fn doubles(
    w: &mut Writer,
    placed: &Placed,
    operands: &[[V; 2]],
    result: impl Fn(&mut Writer, V, usize),
) -> Option<()> {
    let to = halves(placed.to);
    result(w, T[2], 0);
    result(w, T[3], 1);
    w.code.two(double(FCMEQ), T[0], T[2], T[2]);
    w.code.two(double(FCMEQ), T[1], T[3], T[3]);
    w.code.two(AND, T[0], T[0], T[1]);
    w.code.two(UMINP_WORDS, T[0], T[0], T[0]);
    w.code.fmov(ADDRESS, T[0]);
    w.code.is_all_ones(ADDRESS);
    let without = w.code.branch_later(EQUAL);
    w.code.movi_bytes(T[3], 0xff);
    w.code.shl(D, T[3], T[3], 63);
    w.code.ushr(D, T[3], T[3], 12);
    for half in 0..2 {
        result(w, T[2], half);
        let operands: Vec<V> = operands.iter().map(|operand| operand[half]).collect();
        settled(w, to[half], &operands);
    }
    let end = w.code.branch_later(ALWAYS);
    w.code.lead_here(without)?;
    w.code.mov(to[0], T[2]);
    w.code.mov(to[1], T[3]);
    w.code.lead_here(end)
}

/// The result, in scratch, or where it is a NaN the first of these operands that is one, made quiet by the bit in scratch; the negative one of
/// AVX2 where none is.
fn settled(w: &mut Writer, d: V, operands: &[V]) {
    let (mut nan, mut other) = (T[0], T[1]);
    w.code.movi_bytes(nan, 0xff);
    w.code.shl(D, nan, nan, 51);
    for operand in operands.iter().rev() {
        w.code.two(double(FCMEQ), other, *operand, *operand);
        w.code.select(other, other, [nan, *operand]);
        (nan, other) = (other, nan);
    }
    w.code.two(ORR, nan, nan, T[3]);
    w.code.two(double(FCMEQ), other, T[2], T[2]);
    w.code.select(d, other, [T[2], nan]);
}

fn extreme(w: &mut Writer, placed: &Placed, greater: u32, least: bool) -> Option<()> {
    each(w, placed, |w, d, a, b| {
        let [x, y] = if least { [b, a] } else { [a, b] };
        w.code.two(greater, T[0], x, y);
        w.code.select(d, T[0], [a, b]);
    })
}

/// How two numbers may stand; none of these holds for NaN.
#[derive(Clone, Copy)]
enum Relation {
    Equal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Ordered,
    Apart,
}

/// What comparisons of AVX2 ask by their number, and whether for its opposite; those from 16 on differ in what they signal alone.
fn relation(number: u8) -> Option<(Relation, bool)> {
    use Relation::*;
    Some(match number & 15 {
        0 => (Equal, false),
        1 => (Less, false),
        2 => (AtMost, false),
        3 => (Ordered, true),
        4 => (Equal, true),
        5 => (Less, true),
        6 => (AtMost, true),
        7 => (Ordered, false),
        8 => (Apart, true),
        9 => (AtLeast, true),
        10 => (Greater, true),
        12 => (Apart, false),
        13 => (AtLeast, false),
        14 => (Greater, false),
        _ => return None,
    })
}

fn compared(w: &mut Writer, placed: &Placed, [equal, at_least, greater]: [u32; 3]) -> Option<()> {
    let (relation, negated) = relation(number(placed, 2)?)?;
    each(w, placed, |w, d, a, b| {
        let to = if negated { T[2] } else { d };
        let mut both = |base: u32, [a, b]: [V; 2], [c, d]: [V; 2], by: u32| {
            w.code.two(base, T[0], a, b);
            w.code.two(base, T[1], c, d);
            w.code.two(by, to, T[0], T[1]);
        };
        match relation {
            Relation::Ordered => both(equal, [a, a], [b, b], AND),
            Relation::Apart => both(greater, [a, b], [b, a], ORR),
            Relation::Equal => w.code.two(equal, to, a, b),
            Relation::Less => w.code.two(greater, to, b, a),
            Relation::AtMost => w.code.two(at_least, to, b, a),
            Relation::Greater => w.code.two(greater, to, a, b),
            Relation::AtLeast => w.code.two(at_least, to, a, b),
        }
        if negated {
            w.code.one(NOT, d, to);
        }
    })
}

/// By the number: to the nearest, as the environment has it, too; down, up, towards 0.
fn rounding(placed: &Placed) -> Option<u32> {
    Some(match number(placed, 1)? & 7 {
        0 | 4..=7 => FRINTN,
        1 => FRINTM,
        2 => FRINTP,
        _ => FRINTZ,
    })
}

/// The lower half's lanes in a pair. The upper vector is set first, since the lower one may be read from.
pub(super) fn widened(w: &mut Writer, placed: &Placed, f: impl Fn(&mut Writer, bool, V, V)) -> Option<()> {
    let ([a, _], d) = (halves(w.pair(placed, 0, 16)?), halves(placed.to));
    f(w, true, d[1], a);
    f(w, false, d[0], a);
    Some(())
}

fn narrowed(w: &mut Writer, placed: &Placed, base: u32) -> Option<()> {
    let (a, d) = (halves(w.pair(placed, 0, 32)?), halves(placed.to));
    w.code.one(base, T[0], a[0]);
    w.code.one(upper(base), T[0], a[1]);
    w.code.mov(d[0], T[0]);
    w.code.movi_bytes(d[1], 0);
    Some(())
}
