//! The stages of the scalar video instructions as micro-ops: exact numbers, in 32 bits wherever those hold them.

use super::{clamp_type, part};
use crate::pages::lowering;
use crate::prelude::*;
use crate::uop::Cmp;

/// An exact number: its 32 or 64 bits, and what it lies between. It has a sign if it can lie below 0.
#[derive(Clone, Copy)]
pub struct Ranged {
    bits: Val,
    least: i128,
    greatest: i128,
}

/// Whether so many bits, with or without sign, hold all numbers between two.
fn fits(bits: u32, least: i128, greatest: i128) -> bool {
    let end = 1 << bits;
    if least < 0 { -end <= 2 * least && 2 * greatest < end } else { greatest < end }
}

impl Ranged {
    /// The number that 32 bits stand for.
    pub fn of(bits: Val, ty: Ty) -> Ranged {
        Ranged { bits, least: ty.min(), greatest: ty.max() }
    }

    /// A constant.
    pub fn constant(e: &mut Emit, value: u32) -> Ranged {
        Ranged { bits: e.u32(value), least: value.into(), greatest: value.into() }
    }

    /// What is left of a number of which only the low 32 bits matter.
    fn cut(bits: Val) -> Ranged {
        Ranged { bits, least: 0, greatest: u32::MAX.into() }
    }

    /// The number that its low 32 bits stand for with a sign: itself, if it is one of these.
    pub fn as_signed_word(self, e: &mut Emit) -> Ranged {
        if fits(32, self.least.min(-1), self.greatest) {
            return self;
        }
        Ranged { bits: self.low(e), least: i32::MIN.into(), greatest: i32::MAX.into() }
    }

    /// The number that its 64 bits stand for without a sign.
    pub fn as_unsigned(self, e: &mut Emit) -> Ranged {
        Ranged { bits: self.wide(e), least: 0, greatest: u64::MAX.into() }
    }

    /// A number in 32 or 64 bits, in 32 if they hold it.
    fn fitted(e: &mut Emit, bits: Val, least: i128, greatest: i128) -> Ranged {
        let narrow = e.ty(bits) == Type::U64 && fits(32, least, greatest);
        Ranged { bits: if narrow { e.low(bits) } else { bits }, least, greatest }
    }

    /// Whether it has a sign.
    pub fn signed(self) -> bool {
        self.least < 0
    }

    /// Its low 32 bits.
    pub fn low(self, e: &mut Emit) -> Val {
        if e.ty(self.bits) == Type::U64 { e.low(self.bits) } else { self.bits }
    }

    /// Its low 64 bits.
    fn wide(self, e: &mut Emit) -> Val {
        if e.ty(self.bits) == Type::U64 { self.bits } else { e.widen(self.signed(), self.bits) }
    }

    /// The nearest number between two.
    pub fn clamped(self, e: &mut Emit, least: i128, greatest: i128) -> Ranged {
        let Ranged { mut bits, .. } = self;
        let ty = e.ty(bits);
        if self.least < least {
            let least = e.constant(ty, least as u64);
            bits = e.max(self.signed(), bits, least);
        }
        if self.greatest > greatest {
            let greatest = e.constant(ty, greatest as u64);
            bits = e.min(self.signed(), bits, greatest);
        }
        Ranged::fitted(e, bits, self.least.max(least), self.greatest.min(greatest))
    }

    /// Two numbers in the same bits, and whether these have a sign.
    fn together(e: &mut Emit, x: Ranged, y: Ranged) -> ([Val; 2], bool) {
        let signed = x.signed() || y.signed();
        let both = if fits(32, x.least.min(y.least), x.greatest.max(y.greatest)) {
            [x.low(e), y.low(e)]
        } else {
            [x.wide(e), y.wide(e)]
        };
        (both, signed)
    }

    /// `x + y`; unless it must be exact, only the low 32 bits of that.
    pub fn sum(e: &mut Emit, exact: bool, x: Ranged, y: Ranged) -> Ranged {
        Ranged::linear(e, exact, Emit::add, x, y, (x.least + y.least, x.greatest + y.greatest))
    }

    /// `x - y`; unless it must be exact, only the low 32 bits of that.
    pub fn difference(e: &mut Emit, exact: bool, x: Ranged, y: Ranged) -> Ranged {
        Ranged::linear(e, exact, Emit::sub, x, y, (x.least - y.greatest, x.greatest - y.least))
    }

    fn linear(
        e: &mut Emit,
        exact: bool,
        op: fn(&mut Emit, Val, Val) -> Val,
        x: Ranged,
        y: Ranged,
        (least, greatest): (i128, i128),
    ) -> Ranged {
        let narrow = fits(32, least, greatest);
        let [p, q] = if narrow || !exact { [x.low(e), y.low(e)] } else { [x.wide(e), y.wide(e)] };
        let bits = op(e, p, q);
        if narrow || exact { Ranged { bits, least, greatest } } else { Ranged::cut(bits) }
    }

    /// `x + y`, both of a type with 32 bits, clamped to that.
    pub fn clamped_sum(e: &mut Emit, ty: Ty, x: Ranged, y: Ranged) -> Ranged {
        Ranged::of(lowering::clamped_sum(e, ty.signed(), x.bits, y.bits), ty)
    }

    /// `x - y`, both of a type with 32 bits, clamped to that.
    pub fn clamped_difference(e: &mut Emit, ty: Ty, x: Ranged, y: Ranged) -> Ranged {
        if ty.signed() {
            return Ranged::of(lowering::clamped_difference(e, x.bits, y.bits), ty);
        }
        let greater = e.max(false, x.bits, y.bits);
        Ranged::of(e.sub(greater, y.bits), ty)
    }

    /// `|x - y|`.
    pub fn distance(e: &mut Emit, x: Ranged, y: Ranged) -> Ranged {
        let ([p, q], signed) = Ranged::together(e, x, y);
        let bits = e.abs_diff(signed, p, q);
        Ranged::fitted(e, bits, 0, (x.greatest - y.least).max(y.greatest - x.least))
    }

    /// The lesser.
    pub fn lesser(e: &mut Emit, x: Ranged, y: Ranged) -> Ranged {
        let between = (x.least.min(y.least), x.greatest.min(y.greatest));
        Ranged::one_of_two(e, Emit::min, x, y, between)
    }

    /// The greater.
    pub fn greater(e: &mut Emit, x: Ranged, y: Ranged) -> Ranged {
        let between = (x.least.max(y.least), x.greatest.max(y.greatest));
        Ranged::one_of_two(e, Emit::max, x, y, between)
    }

    fn one_of_two(
        e: &mut Emit,
        op: fn(&mut Emit, bool, Val, Val) -> Val,
        mut x: Ranged,
        mut y: Ranged,
        (least, greatest): (i128, i128),
    ) -> Ranged {
        // Where 32 bits hold the result, clamping both to it spares 64.
        if fits(32, least, greatest) && !fits(32, x.least.min(y.least), x.greatest.max(y.greatest)) {
            (x, y) = (x.clamped(e, least, greatest), y.clamped(e, least, greatest));
        }
        let ([p, q], signed) = Ranged::together(e, x, y);
        let bits = op(e, signed, p, q);
        Ranged::fitted(e, bits, least, greatest)
    }

    /// The low 32 bits of `y`, or a constant where `x` is below 0.
    pub fn unless_negative(e: &mut Emit, x: Ranged, constant: u32, y: Ranged) -> Ranged {
        if !x.signed() {
            return y;
        }
        let zero = e.constant(e.ty(x.bits), 0);
        let negative = e.lt(true, x.bits, zero);
        let (constant, y) = (e.u32(constant), y.low(e));
        Ranged::cut(e.select(negative, constant, y))
    }

    /// The low 34 bits of `x` shifted left by at most 32 places, the highest as sign; unless that must be exact, only the low
    /// 32 of them, for any number of places.
    pub fn shifted_left(e: &mut Emit, exact: bool, x: Ranged, places: Ranged) -> Ranged {
        if !exact {
            return Ranged::cut(e.shl(x.bits, places.bits));
        }
        let places = places.clamped(e, 0, 32);
        let wide = x.wide(e);
        let shifted = e.shl(wide, places.bits);
        Ranged { bits: e.extract(true, shifted, 0, 34), least: -1 << 33, greatest: (1 << 33) - 1 }
    }

    /// `x` shifted right, its sign moving in.
    pub fn shifted_right(e: &mut Emit, x: Ranged, places: Ranged) -> Ranged {
        let bits = e.shr(x.signed(), x.bits, places.bits);
        // Shifting moves a number towards 0, or -1.
        let (few, many) = (places.least.min(64), places.greatest.min(64));
        let least = x.least >> if x.least < 0 { few } else { many };
        let greatest = x.greatest >> if x.greatest < 0 { many } else { few };
        Ranged::fitted(e, bits, least, greatest)
    }

    /// A number without sign modulo 32.
    pub fn modulo_32(self, e: &mut Emit) -> Ranged {
        let mask = e.u32(31);
        Ranged { bits: e.and(self.bits, mask), least: 0, greatest: 31 }
    }

    /// The low 64 bits of `x` shifted left by at most 32 places.
    pub fn shifted_left_in_64(e: &mut Emit, x: Ranged, places: Ranged) -> Ranged {
        let places = places.clamped(e, 0, 32);
        let wide = x.wide(e);
        Ranged { bits: e.shl(wide, places.bits), least: i64::MIN.into(), greatest: i64::MAX.into() }
    }

    /// `x * y`; unless it must be exact, only the low 32 bits of that.
    pub fn product(e: &mut Emit, exact: bool, x: Ranged, y: Ranged) -> Ranged {
        if !exact {
            return Ranged::cut(e.mul(x.bits, y.bits));
        }
        let corners =
            [x.least * y.least, x.least * y.greatest, x.greatest * y.least, x.greatest * y.greatest];
        let (least, greatest) =
            corners.iter().fold((corners[0], corners[0]), |(l, g), c| (l.min(*c), g.max(*c)));
        let ([p, q], signed) = Ranged::together(e, x, y);
        let bits = if e.ty(p) == Type::U64 { e.mul(p, q) } else { e.mul_wide(signed, p, q) };
        Ranged { bits, least, greatest }
    }

    /// The low 32 bits of `x * y + z`.
    pub fn multiplied_and_added(e: &mut Emit, x: Ranged, y: Ranged, z: Ranged) -> Ranged {
        Ranged::cut(e.mul_add(x.bits, y.bits, z.bits))
    }

    /// 1 if a comparison holds, else 0.
    pub fn holds(e: &mut Emit, cmp: Word, x: Ranged, y: Ranged) -> Ranged {
        let ([p, q], signed) = Ranged::together(e, x, y);
        let holds = match cmp {
            Eq => e.eq(p, q),
            Ne => e.cmp(Cmp::Ne, p, q),
            Lt => e.lt(signed, p, q),
            Le => e.le(signed, p, q),
            Gt => e.lt(signed, q, p),
            _ => e.le(signed, q, p),
        };
        Ranged { bits: e.number(holds), least: 0, greatest: 1 }
    }
}

/// `partSelectSignExtend`: the selected byte, half-word or word.
fn lower_source(e: &mut Emit, bits: Val, ty: Ty, selector: Word) -> Ranged {
    let (width, at) = part(selector);
    Ranged::of(e.extract(ty.signed(), bits, at, width), ty.with_bits(width))
}

/// The first two sources of a scalar page.
pub fn lower_sources(i: &Inst, e: &mut Emit) -> [Ranged; 2] {
    let [a, b] = e.sources();
    let ta = lower_source(e, a, i.ty(Slot::AType), i[Slot::ASel]);
    let tb = lower_source(e, b, i.ty(Slot::BType), i[Slot::BSel]);
    [ta, tb]
}

/// The last two stages: a secondary operation with `c` of this type, or a merge, or neither.
pub fn lower_finish(i: &Inst, e: &mut Emit, tmp: Ranged, ctype: Ty) -> Option<()> {
    let d = if i.has(Slot::Op2) {
        let c = Ranged::of(e.source(2), ctype);
        let d = match i[Slot::Op2] {
            Min => Ranged::lesser(e, tmp, c),
            Max => Ranged::greater(e, tmp, c),
            _ => Ranged::sum(e, false, tmp, c),
        };
        d.low(e)
    } else {
        let tmp = tmp.low(e);
        if i.has(Slot::DSel) { merged(e, i[Slot::DSel], tmp) } else { tmp }
    };
    e.done(d)
}

/// As `lower_finish`, with the secondary operation as ptxas 13.5 computes it: on 64 bits, compared by the destination type;
/// `narrow` results are cut to 32 bits and extended with their sign first.
pub fn lower_finish_ptxas(i: &Inst, e: &mut Emit, tmp: Ranged, narrow: bool) -> Option<()> {
    let dtype = i.ty(Slot::DType);
    if !matches!(i[Slot::Op2], Min | Max) {
        return lower_finish(i, e, tmp, dtype);
    }
    let tmp = if narrow { tmp.as_signed_word(e) } else { tmp };
    let c = Ranged::of(e.source(2), dtype);
    let [tmp, c] = [tmp.wide(e), c.wide(e)];
    let op = if i[Slot::Op2] == Min { Emit::min } else { Emit::max };
    let d = op(e, dtype.signed(), tmp, c);
    let d = e.low(d);
    e.done(d)
}

/// `optMerge`: the low bytes in the chosen part of the third operand.
fn merged(e: &mut Emit, dsel: Word, tmp: Val) -> Val {
    let (width, at) = part(dsel);
    let (from, end) = (at / 8, (at + width) / 8);
    let nibble = |k: u32| if (from..end).contains(&k) { k - from } else { 4 + k };
    let selection = (0..4).fold(0, |all, k| all | nibble(k) << (4 * k));
    e.permute_by(tmp, e.source(2), selection)
}

/// A primary operation; unless the result must be exact, its low 32 bits will do.
pub type LowerPrimary = fn(&Inst, &mut Emit, bool, Ranged, Ranged) -> Ranged;

/// The whole of a scalar page whose result may be clamped.
pub fn lower_scalar(i: &Inst, e: &mut Emit, primary: LowerPrimary) -> Option<()> {
    let dtype = i.ty(Slot::DType);
    let [ta, tb] = lower_sources(i, e);
    let exact = i.has(Slot::Sat) || matches!(i[Slot::Op2], Min | Max);
    let mut tmp = primary(i, e, exact, ta, tb);
    if i.has(Slot::Sat) {
        let ty = clamp_type(dtype, i[Slot::DSel]);
        tmp = tmp.clamped(e, ty.min(), ty.max());
    }
    lower_finish(i, e, tmp, dtype)
}
