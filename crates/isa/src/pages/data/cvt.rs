//! `cvt` between integers: widen, narrow, or clamp.
use crate::pages::lowering::*;
use crate::prelude::*;

const TYPES: Set = Set::Of(&[U8, U16, U32, U64, S8, S16, S32, S64]);

pub static PAGE: Page = Page::new("9.7.9.21", &["cvt"], &[line("cvt{.sat}.dtype.atype d, a")], Meaning::Spec(spec))
    .about("convert an integer to another integer type",
        "The number in `a` by the source type, cut to the destination type; with `.sat` clamped to its range instead. A \
         wider destination register is filled by the sign for signed destination types, else with zeros.")
    .sets(&[("dtype", Slot::DType, TYPES), ("atype", Slot::AType, TYPES)])
    .operands(&[dst("d", AtLeast(Slot::DType)), src("a", AtLeast(Slot::AType)).special()])
    .rules(&[Rule {
        text: "`.sat` needs a source type with numbers that the destination type has not",
        slot: Some(Slot::Sat),
        holds: |i| {
            let (d, a) = (i.ty(Slot::DType), i.ty(Slot::AType));
            !i.has(Slot::Sat) || a.min() < d.min() || a.max() > d.max()
        },
    }])
    .order(Order::Free)
    .lower(lower)
    .examples(&["cvt.s64.s32 d, a;", "cvt.u8.s32 d, a;", "cvt.sat.s8.u16 d, a;", "cvt.u32.u64.sat d, a;"])
    .refused(&[("cvt.sat.s64.u32 d, a;", "every number fits"), ("cvt.u32 d, a;", "two types are required")]);

fn spec(i: &Inst, &[a, ..]: &Args) -> Bits {
    let d = i.ty(Slot::DType);
    let number = i.ty(Slot::AType).value(a);
    d.wrap(if i.has(Slot::Sat) { d.clamp(number) } else { number })
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a] = e.sources();
    let (d, from) = (i.ty(Slot::DType), i.ty(Slot::AType));
    let sat = i.has(Slot::Sat);
    let number = if sat || d.bits > from.bits { extended(e, from, a) } else { a };
    let number = if sat { clamped(e, number, from, d) } else { number };
    let resized = match (from.bits, d.bits) {
        (64, ..=32) => e.low(number),
        (..=32, 64) => e.widen(from.signed(), number),
        _ => number,
    };
    let fits = match sat {
        true => !(from.signed() && d.signed()),
        false => d.bits == from.bits || d.bits > from.bits && !from.signed(),
    };
    let d = if fits { resized } else { cut(e, d, resized) };
    e.done(d)
}
