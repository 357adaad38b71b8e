//! `spcompress`: keep two of every four elements, and their places; and what `spdecompress` shares with it.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.10.30", &["spcompress"], &[
    line("spcompress.elemsize.idxsize.sp::2:4.num m, c, d, spdesc"),
], Meaning::NotYet)
    .about("compress a sparse vector",
        "Of every four elements in `d` two go to `c`, and their places to `m`, `.idxsize` bits each; the descriptor says of \
         what type they are and which are chosen.")
    .sets(&[("elemsize", Slot::DType, ELEMENTS), ("idxsize", Slot::AType, INDEXES), ("num", Slot::Count, COUNTS)])
    .operands(&[
        dst("m", Is(B32)).elements(|i| words(count(i) * width(i, Slot::AType) * 32 / width(i, Slot::DType))),
        dst("c", Is(B32)).elements(count),
        src("d", Is(B32)).elements(|i| 2 * count(i)),
        src("spdesc", Is(B32)).constants(Immediate::No),
    ])
    .since(SINCE)
    .examples(&["spcompress.b8.b4.sp::2:4.x1 {m}, {c}, {d0, d1}, desc;"])
    .refused(&[("spcompress.b8.b4.sp::1:4.x1 {m}, {c}, {d0, d1}, desc;", "two of four are kept")])
    .errata(&[ANY_ORDER]);

pub(super) const ELEMENTS: Set = Set::Of(&[B8, B16]);
pub(super) const INDEXES: Set = Set::Of(&[B2, B4]);
pub(super) const COUNTS: Set = Set::Of(&[X1, X2, X4, X8, X16, X32, X64]);
pub(super) const SINCE: Floor = Floor::architectures(9, 4, &[107]);
pub(super) const ANY_ORDER: Erratum = erratum(
    "prints its modifiers in one order",
    "takes them in any order, the size of the elements before that of the indexes",
);

/// How many times the operation is done.
pub(super) fn count(i: &Inst) -> usize {
    match i[Slot::Count] {
        X2 => 2,
        X4 => 4,
        X8 => 8,
        X16 => 16,
        X32 => 32,
        X64 => 64,
        _ => 1,
    }
}

/// Bits of an element or an index.
pub(super) fn width(i: &Inst, slot: Slot) -> usize {
    i.ty(slot).bits as usize
}

/// How many registers so many bits fill.
pub(super) fn words(bits: usize) -> usize {
    bits.div_ceil(32)
}
