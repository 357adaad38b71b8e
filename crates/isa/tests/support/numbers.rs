//! Floating-point operands where something may go wrong: at the ends of formats, near each other, near ties.

use super::Random;
use margay_isa::float::{Format, Real};
use margay_isa::{Args, Bits, Inst, Semantics, Shape, select};

/// The instruction that a text such as `add.rn.f32` names, with so many operands.
pub fn inst(text: &str, operands: usize) -> Inst {
    let mut words = text.split('.');
    let opcode = words.next().unwrap_or_default();
    match select(opcode, &words.collect::<Vec<_>>(), &vec![Shape::default(); operands]) {
        Some(Ok(inst)) => inst,
        other => panic!("{text}: {other:?}"),
    }
}

/// What an instruction gives.
pub fn compute(inst: &Inst, sources: &[Bits]) -> Bits {
    let mut args: Args = [0; 8];
    args[..sources.len()].copy_from_slice(sources);
    let mut d = [0; 2];
    assert!(inst.compute(Semantics::Manual, &args, &mut d), "{inst} computes nothing");
    d[0]
}

/// A number of a format: any, one at an end of it, one with few or many bits set.
pub fn number(format: &Format, random: &mut Random) -> Bits {
    let stored = format.precision - 1;
    let (fractions, exponents) = (1 << stored, 1 << format.exponent);
    let fraction = match random.next() % 5 {
        0 => [0, 1, 2, fractions - 1, fractions - 2, fractions / 2, fractions / 2 + 1, 3]
            [random.next() as usize % 8],
        1 => fractions - 1 - (1 << (random.next() % u64::from(stored))),
        2 => 1 << (random.next() % u64::from(stored)),
        _ => Bits::from(random.next()),
    } % fractions;
    let bias = format.bias as Bits;
    let exponent = match random.next() % 6 {
        0 => [0, 1, 2, 3, exponents - 1, exponents - 2, exponents - 3, bias][random.next() as usize % 8],
        1 => bias + Bits::from(random.next() % 5) - 2,
        2 => Bits::from(random.next()) % u128::from(format.precision + 4),
        _ => Bits::from(random.next()),
    } % exponents;
    let sign = if random.next() & 1 == 1 { format.sign_bit() } else { 0 };
    sign | exponent << stored | fraction
}

/// A number that goes with another: like it, its opposite, such that sum or product is near an end of the format, or any.
pub fn partner(format: &Format, other: Bits, random: &mut Random) -> Bits {
    let stored = format.precision - 1;
    let top = (1 << format.exponent) - 2;
    let exponent = |bits: Bits| ((bits & !format.sign_bit()) >> stored) as i128;
    let any = number(format, random);
    let near = random.next() as i128 % (i128::from(format.precision) + 3);
    let wanted = match random.next() % 6 {
        0 => exponent(other) + near,
        1 => exponent(other) - near,
        // The product, or the quotient, is near the least normal number.
        2 => i128::from(format.bias) + 1 - exponent(other) - near % 4 + 1,
        3 => exponent(other) + i128::from(format.bias) - 1 + near % 4,
        4 => return other ^ format.sign_bit() ^ Bits::from(random.next() % 4),
        _ => return any,
    };
    let field = wanted.clamp(0, top) as Bits;
    any & !(((1 << format.exponent) - 1) << stored) | field << stored
}

/// Whether a pattern is finite.
pub fn is_finite(format: &Format, bits: Bits) -> bool {
    !matches!(format.decode(bits), Real::Nan { .. } | Real::Infinite { .. })
}

/// A number such that patterns are in order as they are, with -0 below +0; NaN apart.
pub fn key(format: &Format, bits: Bits) -> i128 {
    let size = (bits & !format.sign_bit()) as i128;
    if bits & format.sign_bit() != 0 { -1 - size } else { size }
}
