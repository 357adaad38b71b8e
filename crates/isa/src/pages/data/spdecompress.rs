//! `spdecompress`: put the kept elements of a sparse vector back to their places.
use super::spcompress::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.10.31", &["spdecompress"], &[
    line("spdecompress.elemsize.idxsize.factor.num d, m, c"),
], Meaning::NotYet)
    .about("expand a sparse vector",
        "The elements in `c` go to the places that `m` says, `.idxsize` bits each, among as many as the factor's second number \
         says; zeros go to the others.")
    .sets(&[
        ("elemsize", Slot::DType, ELEMENTS),
        ("idxsize", Slot::AType, INDEXES),
        ("factor", Slot::Sparse, Set::Of(&[Sp12, Sp14, Sp18, Sp116, Sp24, Sp28, Sp216, Sp48, Sp416])),
        ("num", Slot::Count, COUNTS),
    ])
    .operands(&[
        dst("d", Is(B32)).elements(|i| words(expanded(i))),
        src("m", Is(B32)).elements(|i| words(kept(i) * width(i, Slot::AType) * count(i))),
        src("c", Is(B32)).elements(|i| words(kept(i) * width(i, Slot::DType) * count(i))),
    ])
    .rules(&[
        Rule {
            text: "the elements that are kept of one group fill a register at most",
            slot: Some(Slot::Sparse),
            holds: |i| kept(i) * width(i, Slot::DType) <= 32,
        },
        Rule {
            text: "an index of two bits names one of four places",
            slot: Some(Slot::AType),
            holds: |i| i[Slot::AType] == B4 || factor(i).1 <= 4,
        },
        Rule {
            text: "the result fills from 1 to 128 registers",
            slot: Some(Slot::Count),
            holds: |i| (32..=4096).contains(&expanded(i)),
        },
    ])
    .since(SINCE)
    .examples(&["spdecompress.b8.b4.sp::2:4.x2 {d0, d1}, {m}, {c};", "spdecompress.b16.b4.sp::1:16.x1 {d0, d1, d2, d3, d4, d5, d6, d7}, {m}, {c};"])
    .refused(&[
        ("spdecompress.b8.b2.sp::1:8.x1 {d0, d1}, {m}, {c};", "two bits cannot name eight places"),
        ("spdecompress.b32.b4.sp::1:2.x1 {d0, d1}, {m}, {c};", "elements have 8 or 16 bits"),
    ])
    .errata(&[ANY_ORDER]);

/// How many elements of how many are kept.
fn factor(i: &Inst) -> (usize, usize) {
    match i[Slot::Sparse] {
        Sp12 => (1, 2),
        Sp14 => (1, 4),
        Sp18 => (1, 8),
        Sp116 => (1, 16),
        Sp24 => (2, 4),
        Sp28 => (2, 8),
        Sp216 => (2, 16),
        Sp48 => (4, 8),
        _ => (4, 16),
    }
}

fn kept(i: &Inst) -> usize {
    factor(i).0
}

/// Bits of the result.
fn expanded(i: &Inst) -> usize {
    factor(i).1 * width(i, Slot::DType) * count(i)
}
