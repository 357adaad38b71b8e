//! `fns`: position of the n-th set bit.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.17", &["fns"], &[line("fns.type d, mask, base, offset")], Meaning::Spec(spec))
    .about("find the n-th set bit",
        "Walks from bit `base` of `mask` (that bit included) upwards for a positive `offset`, downwards for a negative \
         one, and gives the position of the set bit that is number |offset|. Offset 0 asks whether bit `base` itself is \
         set. If there is none, 0xffffffff.")
    .sets(&[("type", Slot::Type, Set::Of(&[B32]))])
    .operands(&[dst("d", Of(Slot::Type)), src("mask base offset", Of(Slot::Type))])
    .since(Floor::new(6, 0, 30))
    .order(Order::Free)
    .examples(&[
        "fns.b32 d, 0xaaaaaaaa, 3, 1;",
        "fns.b32 d, 0xaaaaaaaa, 3, -1;",
        "fns.b32 d, 0xaaaaaaaa, 2, 1;",
        "fns.b32 d, 0xaaaaaaaa, 2, -1;",
    ])
    .errata(&[
        Erratum {
            manual: "leaves a base above 31 undefined",
            margay: "finds nothing: 0xffffffff, as in ptxas 13.5",
            ptxas: None,
            concerns: |_| true,
        },
        Erratum {
            manual: "takes the absolute value of an offset of -2^31",
            margay: "takes it exactly, and finds nothing",
            ptxas: Some("the absolute value overflows; the result is not predictable"),
            concerns: |_| true,
        },
    ]);

fn spec(_: &Inst, &[mask, base, offset, ..]: &Args) -> Bits {
    const NOT_FOUND: Bits = 0xffff_ffff;
    let offset = offset as u32 as i32;
    if base > 31 {
        return NOT_FOUND;
    }
    if offset == 0 {
        return if bit(mask, base) == 1 { base } else { NOT_FOUND };
    }
    let set = |pos: &Bits| bit(mask, *pos) == 1;
    let nth = offset.unsigned_abs() as usize - 1;
    let found = if offset > 0 { (base..32).filter(set).nth(nth) } else { (0..=base).rev().filter(set).nth(nth) };
    found.unwrap_or(NOT_FOUND)
}
