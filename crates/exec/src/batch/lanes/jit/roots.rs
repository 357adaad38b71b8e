//! The square root that a device approximates, and its reciprocal: the exponent's half is the result's exponent, rounded down, or that with
//! the other sign. Where the machine has instructions that take numbers apart and scale them, these do it; else fields of bits.

use crate::batch::lanes::jit::approximate::{
    ADD, AND, DOWN, EQUAL, FRACTION, GREATER, INFINITY, LEAST_NORMAL, MOVE, MUL, SIGN, SUB, UNSIGNED, XOR,
    by_class, is, is_small, moved, replaced, signed, significand, with, zero_if_small,
};
use crate::batch::lanes::jit::lowering::Lowering;
use crate::batch::lanes::jit::machine::{Arg, Reg};
use crate::batch::lanes::jit::nan::canonical;
use crate::batch::lanes::jit::values::{two, words};
use iced_x86::Code;
use margay_isa::uop::float::interpolation::Interpolation;
use margay_isa::uop::float::single::NAN;

/// What numbers below the least normal one are taken for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Small {
    Zero,
    Number,
}

/// The square root.
pub(super) fn root(s: &mut Lowering, sum: Interpolation, x: Reg, small: Small) -> Reg {
    match (s.body.machine.has_masks, small) {
        (true, _) => taken_apart(s, sum, x, small, false),
        (false, Small::Zero) => root_by_fields(s, &sum, x),
        (false, Small::Number) => scaled(s, &sum, x, root_by_fields, -12),
    }
}

/// The reciprocal of the square root.
pub(super) fn reciprocal_root(s: &mut Lowering, sum: Interpolation, x: Reg, small: Small) -> Reg {
    match (s.body.machine.has_masks, small) {
        (true, _) => taken_apart(s, sum, x, small, true),
        (false, Small::Zero) => reciprocal_root_by_fields(s, &sum, x),
        (false, Small::Number) => scaled(s, &sum, x, reciprocal_root_by_fields, 12),
    }
}

/// Either one of a number that is taken from 1/2 to 2, below 1 if its exponent is odd: so its field's lowest bit chooses rows.
fn taken_apart(s: &mut Lowering, mut sum: Interpolation, x: Reg, small: Small, is_reciprocal: bool) -> Reg {
    /// From 1/2 to 2, and no number where there was a negative one.
    const EVEN_POWERS: u8 = 0b1001;
    /// In the place of a significand, by what it is of: 1 of 1, where the reciprocal is exact.
    const EXACT: u32 = 0xa000;
    /// In the place of a result: no number of what is none, and of -1, which -0 is taken for, as 0 is for 1, -0 or its reciprocal.
    const ROOT: u32 = 0x0700_0033;
    const RECIPROCAL: u32 = 0x0400_0033;
    // Rows of odd exponents are first, then; and a significand from 1/2 to 1 becomes a number, one from 1 to 2 half of that.
    let half = sum.rows.len() / 2;
    sum.rows.rotate_left(half);
    sum.multiples.reverse();
    for (row, [constant, _]) in sum.rows.iter_mut().enumerate() {
        // Half of an odd exponent's negative is rounded down by half too much.
        let field = if is_reciprocal && row < half { 126 } else { 125 };
        *constant = constant.wrapping_add(field << 25);
    }
    // Where they are zeros, small numbers have any significand, and their exponent is below all others.
    let kept = match small {
        Small::Zero => zero_if_small(s, x),
        Small::Number => x,
    };
    let from = [Arg::Whole(kept), Arg::Number(EVEN_POWERS)];
    let number = s.emit(Code::EVEX_Vgetmantps_zmm_k1z_zmmm512b32_imm8_sae, &from);
    let exponent = s.emit(Code::EVEX_Vgetexpps_zmm_k1z_zmmm512b32_sae, &[Arg::Whole(kept)]);
    // Nothing waits for what is told of small numbers, if that can be helped.
    let argument = if small == Small::Zero { x } else { number };
    let significand = significand(s, &sum, argument);
    let significand = if is_reciprocal { by_class(s, significand, number, EXACT) } else { significand };
    let halves = if is_reciprocal {
        with(s, MUL, exponent, (-0.5f32).to_bits())
    } else {
        let [half, one] = [0.5f32, 1.0].map(|number| words(s, number.to_bits()));
        s.onto(Code::EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er, exponent, &[half, one].map(Arg::Whole))
    };
    let scaled = two(s, Code::EVEX_Vscalefps_zmm_k1z_zmm_zmmm512b32_er, significand, halves);
    let result = by_class(s, scaled, number, if is_reciprocal { RECIPROCAL } else { ROOT });
    canonical(s, result)
}

/// One of a number, or of 2^24 times that if it is small; then the result is multiplied by 2^places.
fn scaled(
    s: &mut Lowering,
    sum: &Interpolation,
    x: Reg,
    root: fn(&mut Lowering, &Interpolation, Reg) -> Reg,
    places: i32,
) -> Reg {
    let small = is_small(s, x);
    let times = |s: &mut Lowering, number: Reg, places: i32| {
        let product = with(s, MUL, number, ((127 + places) as u32) << 23);
        s.masked(MOVE, number, &[Arg::Whole(product)], small)
    };
    let x = times(s, x, 24);
    let number = root(s, sum, x);
    times(s, number, places)
}

/// Half of an exponent's field and a number of halves, where fields are.
fn half_field(s: &mut Lowering, x: Reg, halves: u32) -> Reg {
    let half = moved(s, DOWN, x, 1);
    let half = with(s, ADD, half, halves << 22);
    with(s, AND, half, INFINITY)
}

/// The square root: 2^(exponent / 2), rounded down, times a significand from 1 to 2.
fn root_by_fields(s: &mut Lowering, sum: &Interpolation, x: Reg) -> Reg {
    // An odd field is an even exponent, whose rows come first.
    let argument = with(s, XOR, x, LEAST_NORMAL);
    let significand = significand(s, sum, argument);
    let field = half_field(s, x, 125);
    let number = two(s, ADD, significand, field);
    let infinite = is(s, UNSIGNED, x, EQUAL, INFINITY);
    let number = replaced(s, number, INFINITY, infinite);
    let none = is(s, UNSIGNED, x, GREATER, INFINITY);
    let number = replaced(s, number, NAN, none);
    let (small, zero) = (is_small(s, x), with(s, AND, x, SIGN));
    s.masked(MOVE, number, &[Arg::Whole(zero)], small)
}

/// The reciprocal of the square root, which is exact for even powers of 2.
fn reciprocal_root_by_fields(s: &mut Lowering, sum: &Interpolation, x: Reg) -> Reg {
    let argument = with(s, XOR, x, LEAST_NORMAL);
    let significand = significand(s, sum, argument);
    let of_power = with(s, AND, x, FRACTION | LEAST_NORMAL);
    let power = is(s, UNSIGNED, of_power, EQUAL, LEAST_NORMAL);
    let significand = replaced(s, significand, 1 << 24, power);
    let (field, all) = (half_field(s, x, 1), words(s, 189 << 23));
    let field = two(s, SUB, all, field);
    let number = two(s, ADD, significand, field);
    let infinite = is(s, UNSIGNED, x, EQUAL, INFINITY);
    let number = replaced(s, number, 0, infinite);
    let none = is(s, UNSIGNED, x, GREATER, INFINITY);
    let number = replaced(s, number, NAN, none);
    let (small, infinity) = (is_small(s, x), words(s, INFINITY));
    let infinity = signed(s, infinity, x);
    s.masked(MOVE, number, &[Arg::Whole(infinity)], small)
}
