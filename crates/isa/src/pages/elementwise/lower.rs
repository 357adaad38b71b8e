//! The SIMD video instructions as micro-ops: packed operations, whatever signs the operands have.

use super::{Cut, Primary};
use crate::pages::stages::compare;
use crate::prelude::*;

/// Packed elements, and whether they have signs.
#[derive(Clone, Copy)]
pub struct Part {
    bits: Val,
    signed: bool,
}

/// Exact results, some of which an element is too narrow for.
#[derive(Clone, Copy)]
pub enum Exact {
    /// They fit.
    One(Part),
    /// Element by element the sum of two.
    Sum(Part, Part),
    /// Element by element the first without the second.
    Difference(Part, Part),
    /// The absolute differences of elements of one kind.
    Distance(Part, Part),
}

use Exact::{Difference, Distance, One, Sum};

/// Writes micro-ops for elements of one width.
pub struct Lanewise<'a> {
    e: &'a mut Emit,
    cut: Cut,
}

impl Lanewise<'_> {
    fn op(&mut self, op: Packed, a: Val, b: Val) -> Val {
        if self.cut.bits == 8 { self.e.bytes(op, a, b) } else { self.e.halves(op, a, b) }
    }

    /// The operation by the sign of elements of one kind.
    fn by_sign(&mut self, [unsigned, signed]: [Packed; 2], a: Part, b: Part) -> Part {
        let op = if a.signed { signed } else { unsigned };
        Part { bits: self.op(op, a.bits, b.bits), signed: a.signed }
    }

    /// The weight of an element's highest bit.
    fn top(&self) -> u32 {
        1 << (self.cut.bits - 1)
    }

    /// A constant, the same in every element.
    fn fill(&mut self, element: u32) -> Val {
        let unit = if self.cut.bits == 8 { 0x0101_0101 } else { 0x0001_0001 };
        self.e.u32(element.wrapping_mul(unit))
    }

    /// Elements with sign plus the weight of their highest bit, without sign; and the way back.
    fn biased(&mut self, a: Val) -> Val {
        let top = self.fill(self.top());
        self.e.xor(a, top)
    }

    /// The greatest element with sign less those of `a`, which have signs; without sign.
    fn headroom(&mut self, a: Val) -> Val {
        let greatest = self.fill(self.top() - 1);
        self.e.xor(a, greatest)
    }

    /// How far elements with sign lie above 0 and below it, one of which is 0; without sign.
    fn above_and_below(&mut self, a: Val) -> [Val; 2] {
        let above = self.positive(a);
        [above, self.op(Packed::Sub, above, a)]
    }

    /// Elements with sign, 0 for those below 0.
    fn positive(&mut self, a: Val) -> Val {
        let zero = self.fill(0);
        self.op(Packed::MaxS, a, zero)
    }

    /// The permutation that brings the selected elements of `b:a` into place.
    fn selected(&mut self, selector: Word, ty: Ty, a: Val, b: Val) -> Part {
        let source = |lane: u32| selector.elements().map_or(lane, |s| s.source(lane as usize) as u32);
        let nibbles = (0..self.cut.lanes).fold(0, |all, lane| {
            let at = source(lane);
            all | match self.cut.bits {
                8 => at << (4 * lane),
                _ => (at * 0x22 + 0x10) << (8 * lane),
            }
        });
        let bits = match nibbles {
            0x7654 => b,
            _ => self.e.permute_by(a, b, nibbles),
        };
        Part { bits, signed: ty.signed() }
    }

    /// The low bits of the exact results.
    fn wrapped(&mut self, exact: Exact) -> Val {
        match exact {
            One(t) => t.bits,
            Sum(p, q) => self.op(Packed::Add, p.bits, q.bits),
            Difference(p, q) => self.op(Packed::Sub, p.bits, q.bits),
            Distance(p, q) => self.by_sign([Packed::AbsDiffU, Packed::AbsDiffS], p, q).bits,
        }
    }

    /// The exact results, clamped to what an element with or without sign can hold.
    fn clamped(&mut self, exact: Exact, signed: bool) -> Val {
        match exact {
            One(t) if t.signed == signed => t.bits,
            One(t) if signed => {
                let greatest = self.fill(self.top() - 1);
                self.op(Packed::MinU, t.bits, greatest)
            }
            One(t) => self.positive(t.bits),
            Sum(p, q) => self.clamped_sum(p, q, signed),
            Difference(p, q) => self.clamped_difference(p, q, signed),
            Distance(..) => {
                let bits = self.wrapped(exact);
                self.clamped(One(Part { bits, signed: false }), signed)
            }
        }
    }

    fn clamped_sum(&mut self, p: Part, q: Part, signed: bool) -> Val {
        match (p.signed, q.signed, signed) {
            (false, false, _) => {
                let bits = self.op(Packed::AddSatU, p.bits, q.bits);
                self.clamped(One(Part { bits, signed: false }), signed)
            }
            (true, true, true) => self.op(Packed::AddSatS, p.bits, q.bits),
            // Biased p, less q's headroom, less 1.
            (true, true, false) => {
                let (p, q, one) = (self.biased(p.bits), self.headroom(q.bits), self.fill(1));
                let more = self.op(Packed::SubSatU, p, q);
                self.op(Packed::SubSatU, more, one)
            }
            (true, false, _) => self.clamped_sum(q, p, signed),
            // The sum lies above the least element with sign, so that only its other end is clamped.
            (false, true, true) => {
                let q = self.biased(q.bits);
                let sum = self.op(Packed::AddSatU, p.bits, q);
                self.biased(sum)
            }
            (false, true, false) => {
                let [above, below] = self.above_and_below(q.bits);
                let more = self.op(Packed::AddSatU, p.bits, above);
                self.op(Packed::SubSatU, more, below)
            }
        }
    }

    fn clamped_difference(&mut self, p: Part, q: Part, signed: bool) -> Val {
        match (p.signed, q.signed, signed) {
            (false, false, false) => self.op(Packed::SubSatU, p.bits, q.bits),
            (true, true, true) => self.op(Packed::SubSatS, p.bits, q.bits),
            // The same bias on both sides changes no difference.
            (false, false, true) | (true, true, false) => {
                let (p, q) = (self.biased(p.bits), self.biased(q.bits));
                self.op(if signed { Packed::SubSatS } else { Packed::SubSatU }, p, q)
            }
            (false, true, false) => {
                let [above, below] = self.above_and_below(q.bits);
                let more = self.op(Packed::AddSatU, p.bits, below);
                self.op(Packed::SubSatU, more, above)
            }
            // Biased, the difference is p plus q's headroom plus 1.
            (false, true, true) => {
                let (room, one) = (self.headroom(q.bits), self.fill(1));
                let less = self.op(Packed::AddSatU, p.bits, room);
                let difference = self.op(Packed::AddSatU, less, one);
                self.biased(difference)
            }
            (true, false, false) => {
                let p = self.positive(p.bits);
                self.op(Packed::SubSatU, p, q.bits)
            }
            (true, false, true) => {
                let p = self.biased(p.bits);
                let difference = self.op(Packed::SubSatU, p, q.bits);
                self.biased(difference)
            }
        }
    }

    /// The elements of `t` in the mask, with those of `c` outside it.
    fn merged(&mut self, mask: u32, t: Val, c: Val) -> Val {
        if mask == u32::MAX {
            return t;
        }
        let mask = self.e.u32(mask);
        self.e.lop3(0xca, mask, t, c)
    }

    /// `c` and the exact results in the mask.
    fn summed(&mut self, mask: u32, exact: Exact, c: Val) -> Val {
        match exact {
            One(t) => self.weighed(mask, 1, t, c),
            Sum(p, q) => {
                let c = self.weighed(mask, 1, q, c);
                self.weighed(mask, 1, p, c)
            }
            Difference(p, q) => {
                let c = self.weighed(mask, u32::MAX, q, c);
                self.weighed(mask, 1, p, c)
            }
            Distance(p, q) if self.cut.bits == 8 && mask == u32::MAX => {
                let dot = if p.signed { Dot::AbsDiffBytesS } else { Dot::AbsDiffBytesU };
                self.e.dot(dot, p.bits, q.bits, c)
            }
            Distance(..) => {
                let bits = self.wrapped(exact);
                self.weighed(mask, 1, Part { bits, signed: false }, c)
            }
        }
    }

    /// `c` and the elements in the mask, each taken `weight` times: 1 or -1.
    fn weighed(&mut self, mask: u32, weight: u32, t: Part, c: Val) -> Val {
        let weights = self.fill(weight & u32::MAX >> (32 - self.cut.bits));
        let mask = self.e.u32(mask);
        let weights = self.e.and(weights, mask);
        match self.cut.bits {
            8 if t.signed && weight == 1 => self.e.dot(Dot::Bytes(false, true), weights, t.bits, c),
            8 => self.e.dot(Dot::Bytes(t.signed, true), t.bits, weights, c),
            _ => self.e.dot(Dot::Halves(t.signed, true), t.bits, weights, c),
        }
    }
}

/// The lesser elements.
pub fn lesser(w: &mut Lanewise, a: Part, b: Part) -> Exact {
    if a.signed == b.signed {
        return One(w.by_sign([Packed::MinU, Packed::MinS], a, b));
    }
    // No element with sign is greater than the greatest of them.
    let (unsigned, signed) = if a.signed { (b, a) } else { (a, b) };
    let cut = w.clamped(One(unsigned), true);
    One(Part { bits: w.op(Packed::MinS, cut, signed.bits), signed: true })
}

/// The greater elements.
pub fn greater(w: &mut Lanewise, a: Part, b: Part) -> Exact {
    if a.signed == b.signed {
        return One(w.by_sign([Packed::MaxU, Packed::MaxS], a, b));
    }
    let (unsigned, signed) = if a.signed { (b, a) } else { (a, b) };
    let cut = w.clamped(One(signed), false);
    One(Part { bits: w.op(Packed::MaxU, unsigned.bits, cut), signed: false })
}

/// The absolute differences.
pub fn distance(w: &mut Lanewise, a: Part, b: Part) -> Exact {
    if a.signed == b.signed {
        return Distance(a, b);
    }
    let (unsigned, signed) = if a.signed { (b, a) } else { (a, b) };
    let [above, below] = w.above_and_below(signed.bits);
    let from_above = w.op(Packed::AbsDiffU, unsigned.bits, above);
    Sum(Part { bits: from_above, signed: false }, Part { bits: below, signed: false })
}

/// Halves of the sums, rounded away from zero.
pub fn average(w: &mut Lanewise, a: Part, b: Part) -> Exact {
    if a.signed == b.signed {
        return One(w.by_sign([Packed::AvgU, Packed::AvgS], a, b));
    }
    // Biased, the sum is half a bias too great, and odd negative ones are rounded up instead of down.
    let (unsigned, signed) = if a.signed { (b, a) } else { (a, b) };
    let biased = w.biased(signed.bits);
    let half = w.op(Packed::AvgU, unsigned.bits, biased);
    let bias = w.top() / 2;
    let (unit, bias, first_positive) = (w.fill(1), w.fill(bias), w.fill(bias + 1));
    let small = w.op(Packed::LtU, half, first_positive);
    let down = w.e.lop3(table(|small, u, s| small && u != s), small, unsigned.bits, signed.bits);
    let excess = w.e.lop3(table(|down, unit, bias| down && unit || bias), down, unit, bias);
    Difference(Part { bits: half, signed: false }, Part { bits: excess, signed: false })
}

/// The table of a bitwise function.
fn table(f: impl Fn(bool, bool, bool) -> bool) -> u8 {
    (0..8).fold(0, |table, k| table | u8::from(f(k & 4 != 0, k & 2 != 0, k & 1 != 0)) << k)
}

/// The bits of the elements in the mask.
fn masked(i: &Inst, cut: Cut) -> u32 {
    let element = u32::MAX >> (32 - cut.bits);
    let mask = i[Slot::Mask].elements();
    let lanes = (0..cut.lanes).filter(|k| mask.is_none_or(|m| m.selects(*k as usize)));
    lanes.fold(0, |bits, lane| bits | element << (lane * cut.bits))
}

/// `vadd2` … `vmax4` as micro-ops.
pub fn lower_arithmetic(i: &Inst, cut: Cut, e: &mut Emit) -> Option<()> {
    let [a, b, c] = e.sources();
    let mut w = Lanewise { e, cut };
    let va = w.selected(i[Slot::ASel], i.ty(Slot::AType), a, b);
    let vb = w.selected(i[Slot::BSel], i.ty(Slot::BType), a, b);
    let exact = (Primary::of(i).lower)(&mut w, va, vb);
    let mask = masked(i, cut);
    let d = if i[Slot::Op2] == Add {
        w.summed(mask, exact, c)
    } else {
        let saturates = i.has(Slot::Sat);
        let t = if saturates { w.clamped(exact, i.ty(Slot::DType).signed()) } else { w.wrapped(exact) };
        w.merged(mask, t, c)
    };
    e.done(d)
}

/// `vset2` and `vset4` as micro-ops.
pub fn lower_comparison(i: &Inst, cut: Cut, e: &mut Emit) -> Option<()> {
    let [a, b, c] = e.sources();
    let mut w = Lanewise { e, cut };
    let va = w.selected(i[Slot::ASel], i.ty(Slot::AType), a, b);
    let vb = w.selected(i[Slot::BSel], i.ty(Slot::BType), a, b);
    let less = if va.signed && vb.signed { Packed::LtS } else { Packed::LtU };
    let (op, first, second, opposite) = match i[Slot::Cmp] {
        Eq => (Packed::Eq, va, vb, false),
        Ne => (Packed::Eq, va, vb, true),
        Lt => (less, va, vb, false),
        Gt => (less, vb, va, false),
        Le => (less, vb, va, true),
        _ => (less, va, vb, true),
    };
    let mask = w.op(op, first.bits, second.bits);
    let unit = w.fill(1);
    let t = if va.signed == vb.signed {
        if opposite { w.e.lop3(0x0a, mask, mask, unit) } else { w.e.and(mask, unit) }
    } else {
        // Compared without signs; a negative element is less than any that has no sign.
        let (signed, zero) = (if va.signed { va } else { vb }, w.fill(0));
        let negative = w.op(Packed::LtS, signed.bits, zero);
        let then = compare(i[Slot::Cmp], -i128::from(va.signed), -i128::from(vb.signed));
        let holds = |mask, negative, unit| unit && if negative { then } else { mask != opposite };
        w.e.lop3(table(holds), mask, negative, unit)
    };
    // 0 and 1 are the same with and without sign.
    let mask = masked(i, cut);
    let d = if i[Slot::Op2] == Add {
        w.summed(mask, One(Part { bits: t, signed: true }), c)
    } else {
        w.merged(mask, t, c)
    };
    e.done(d)
}
