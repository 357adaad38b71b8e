//! `clmad`: multiply without carries, keep a half, and combine with a third integer.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.5", &["clmad"], &[line("clmad.mode.u64 d, a, b, c")], Meaning::Stages(spec))
    .about("multiply without carries and add",
        "The product of `a` and `b` as polynomials over the field of two elements; its low or high half, exclusive-or `c`.")
    .sets(&[("mode", Slot::Mode, Set::Of(&[Hi, Lo]))])
    .operands(&[dst("d", Of(Slot::Type)), src("a b c", Of(Slot::Type))])
    .since(Floor::new(9, 3, 80))
    .order(Order::ModeFirst)
    .lower(lower)
    .shown(&[("clmad.lo.u64 d, a, b, c", &[0b1011, 0b110, 0x100])])
    .examples(&["clmad.lo.u64 d, a, b, c;", "clmad.hi.u64 d, a, b, 0;"])
    .errata(&[erratum(
        "has this page from 9.4 on; it pushes the numbers of the pages after it by one",
        "numbers all other pages as 9.1 does",
    )
    .concerns(|_| false)]);

fn spec(i: &Inst, &[a, b, c, ..]: &Args, trace: &mut Trace) -> Bits {
    let ty = i.ty(Slot::Type);
    let product = (0..u128::from(ty.bits)).filter(|k| bit(b, *k) == 1).fold(0, |sum, k| sum ^ a << k);
    let product = trace.pattern("product", product, 2 * ty.bits);
    let half = if i[Slot::Mode] == Hi { product >> ty.bits } else { product & ty.mask() };
    trace.pattern("half", half, ty.bits) ^ c
}

/// With every fourth bit of both factors alone, sums of a column do not reach the next column that counts (the last one
/// may carry, out of the number): ordinary products then have the right bits there. The high half is the low half of the
/// mirrored factors, mirrored.
fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b, c] = e.sources();
    let half = if i[Slot::Mode] == Hi {
        let [a, b] = [a, b].map(|factor| e.brev(factor));
        let mirrored = lower_low_half(e, a, b);
        let half = e.brev(mirrored);
        e.shr_by(false, half, 1)
    } else {
        lower_low_half(e, a, b)
    };
    let d = e.xor(half, c);
    e.done(d)
}

fn lower_low_half(e: &mut Emit, a: Val, b: Val) -> Val {
    let columns = [0, 1, 2, 3].map(|k| e.u64(0x1111_1111_1111_1111 << k));
    let [a, b] = [a, b].map(|factor| columns.map(|column| e.and(factor, column)));
    let zero = e.u64(0);
    (0..4).fold(zero, |product, k| {
        let sum = (0..4).fold(zero, |sum, j| {
            let part = e.mul(a[j], b[(k + 4 - j) % 4]);
            e.xor(sum, part)
        });
        let column = e.and(sum, columns[k]);
        e.or(product, column)
    })
}
