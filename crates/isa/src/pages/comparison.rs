//! What comparisons share: operators, their rules, and the boolean operation that may follow (manual, 9.7.6).
use super::arithmetic::operand;
use super::lowering::packed;
use crate::float::{Format, Real};
use crate::prelude::*;
use crate::uop::Cmp;

pub(super) const INTEGER_COMPARISONS: Set = Set::Of(&[Eq, Ne, Lt, Le, Gt, Ge, Lo, Ls, Hi, Hs]);
pub(super) const BOOLEAN: Set = Set::Of(&[And, Or, Xor]);
pub(super) const COMPARED: Set = Set::Of(&[B16, B32, B64, U16, U32, U64, S16, S32, S64]);

pub(super) const FLOAT_COMPARISONS: Set =
    Set::Of(&[Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan]);
pub(super) const FLOATS: Set = Set::Of(&[F32, F64]);

pub(super) const FTZ_NEEDS_F32: Rule = Rule {
    text: "`.ftz` is for `.f32` only",
    slot: Some(Slot::Ftz),
    holds: |i| !i.has(Slot::Ftz) || i[Slot::Type] == F32,
};

pub(super) const UNTYPED_EQUALITY: Rule = Rule {
    text: "untyped values are only compared with `.eq` and `.ne`",
    slot: Some(Slot::Cmp),
    holds: |i| i.ty(Slot::Type).kind != Kind::Untyped || matches!(i[Slot::Cmp], Eq | Ne),
};

pub(super) const UNSIGNED_ORDER: Rule = Rule {
    text: "`.lo .ls .hi .hs` compare unsigned integers only",
    slot: Some(Slot::Cmp),
    holds: |i| i.ty(Slot::Type).kind == Kind::Unsigned || !matches!(i[Slot::Cmp], Lo | Ls | Hi | Hs),
};

pub(super) const COMPARISON_RULES: &[Rule] = &[UNTYPED_EQUALITY, UNSIGNED_ORDER];

/// Whether the comparison holds for two integers of a type.
pub(super) fn compare(i: &Inst, ty: Ty, a: Bits, b: Bits) -> bool {
    let order = ty.value(a).cmp(&ty.value(b));
    match i[Slot::Cmp] {
        Ne => order.is_ne(),
        Lt | Lo => order.is_lt(),
        Le | Ls => order.is_le(),
        Gt | Hi => order.is_gt(),
        Ge | Hs => order.is_ge(),
        _ => order.is_eq(),
    }
}

/// Whether the comparison holds for two floating-point numbers of a type, which `.ftz` flushes.
///
/// With NaN, only `.nan` and those that end in `u` hold.
pub(super) fn compare_reals(i: &Inst, ty: Ty, a: Bits, b: Bits) -> bool {
    let Some(format) = Format::of(ty) else { return false };
    let [a, b] = [a, b].map(|bits| operand(i, format, bits & ty.mask()).0);
    let Some(order) = Real::compare(a, b) else {
        return matches!(i[Slot::Cmp], Nan | Equ | Neu | Ltu | Leu | Gtu | Geu);
    };
    match i[Slot::Cmp] {
        Ne | Neu => order.is_ne(),
        Lt | Ltu => order.is_lt(),
        Le | Leu => order.is_le(),
        Gt | Gtu => order.is_gt(),
        Ge | Geu => order.is_ge(),
        Num => true,
        Nan => false,
        _ => order.is_eq(),
    }
}

/// What stands for true in a result of a type: 1.0, or all ones.
pub(super) fn yes(ty: Ty) -> Bits {
    Format::of(ty).map_or(ty.mask(), Format::one)
}

/// `t` combined with predicate `c`, which may be negated, if a boolean operation is named.
pub(super) fn combine(i: &Inst, t: bool, c: Bits) -> bool {
    let c = (bit(c, 0) == 1) != i.has(Slot::NotC);
    match i[Slot::Bool] {
        And => t & c,
        Or => t | c,
        Xor => t ^ c,
        _ => t,
    }
}

/// The comparison as a predicate.
pub(super) fn lower_comparison(i: &Inst, e: &mut Emit, ty: Ty, a: Val, b: Val) -> Val {
    let (less, greater) = if matches!(i[Slot::Cmp], Gt | Hi | Ge | Hs) { (b, a) } else { (a, b) };
    match i[Slot::Cmp] {
        Ne => e.cmp(Cmp::Ne, a, b),
        Lt | Lo | Gt | Hi if narrow(ty) => {
            let below = packed(e, ty, (Packed::LtU, Packed::LtS), less, greater);
            e.nonzero(below)
        }
        Le | Ls | Ge | Hs if narrow(ty) => {
            let above = packed(e, ty, (Packed::LtU, Packed::LtS), greater, less);
            let zero = e.u32(0);
            e.eq(above, zero)
        }
        Lt | Lo | Gt | Hi => e.lt(ty.signed(), less, greater),
        Le | Ls | Ge | Hs => e.le(ty.signed(), less, greater),
        _ => e.eq(a, b),
    }
}

/// Whether a number's sign is not where comparisons of 32 bits look for it.
fn narrow(ty: Ty) -> bool {
    ty.signed() && ty.bits < 32
}

/// Predicate `t` combined with source `c`, if a boolean operation is named.
pub(super) fn lower_combination(i: &Inst, e: &mut Emit, t: Val) -> Val {
    if !i.has(Slot::Bool) {
        return t;
    }
    let c = e.source(2);
    match (i[Slot::Bool], i.has(Slot::NotC)) {
        (And, false) => e.and(t, c),
        (And, true) => e.and_not(t, c),
        (operation, negated) => {
            let c = if negated { e.not(c) } else { c };
            if operation == Or { e.or(t, c) } else { e.xor(t, c) }
        }
    }
}
