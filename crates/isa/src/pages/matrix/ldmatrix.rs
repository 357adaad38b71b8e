//! `ldmatrix`: load matrices from shared memory into the registers of a warp.
use crate::pages::fragment::rows_of_lanes;
use crate::pages::layout::{Fragment, bytes_across, bytes_along, loaded as along, loaded_across as across};
use crate::pages::product::BITS;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.14.5.15", &["ldmatrix"], &[
    line("ldmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 r, [p]"),
    line("ldmatrix.sync.aligned.m16n16.num2.trans{.ss}.b8 r, [p]").since(SMALL),
    line("ldmatrix.sync.aligned.m16n16.num2.trans{.ss}.b8x16.src_fmt r, [p]").since(SMALL),
    line("ldmatrix.sync.aligned.m8n16.num{.ss}.b8x16.src_fmt r, [p]").since(SMALL),
], Meaning::Tiles(tiles))
    .about("load matrices from shared memory by a warp",
        "Loads one, two or four matrices, each row from the address that one lane holds, and spreads them \
         over the lanes' registers as `mma` expects them; with `.trans` transposed. `.b8x16` spreads numbers \
         of 6 or 4 bits to bytes.")
    .sets(&[
        ("m8n8", Slot::Shape, Set::Of(&[M8N8])),
        ("m16n16", Slot::Shape, Set::Of(&[Word::shape(16, 16, 0)])),
        ("m8n16", Slot::Shape, Set::Of(&[Word::shape(8, 16, 0)])),
        ("num", Slot::Count, COUNTS),
        ("num2", Slot::Count, Set::Of(&[X1, X2])),
        ("ss", Slot::Space, SHARED),
        ("src_fmt", Slot::AType, Set::Of(&[B6x16P32, B4x16P64])),
    ])
    .operands(&[dst("r", By(|_| BITS)).elements(loaded).sink(), src("p", Address).symbol().wide(|i| !i.has(Slot::Space))])
    .held(|i| vec![fragment(i).told("r", "matrices", 1)])
    .since(Floor::new(6, 5, 75))
    .word_floors(&[(SharedCta, Floor::new(7, 8, 75))])
    .examples(&[
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {r0, r1, r2, r3}, [addr];",
        "ldmatrix.sync.aligned.m8n8.x1.b16 {r0}, [addr];",
        "ldmatrix.sync.aligned.m16n16.x1.trans.shared::cta.b8x16.b6x16_p32 {r0, r1}, [addr];",
        "ldmatrix.sync.aligned.m8n16.x2.b8x16.b4x16_p64 {r0, r1}, [addr];",
    ])
    .refused(&[
        ("ldmatrix.sync.aligned.m16n16.x1.b8 {r0, r1}, [addr];", "a matrix of 16 by 16 bytes comes transposed"),
        ("ldmatrix.sync.aligned.m8n8.x2.b16 {r0}, [addr];", "two matrices fill two registers"),
    ]);

pub const M8N8: Word = Word::shape(8, 8, 0);
pub const COUNTS: Set = Set::Of(&[X1, X2, X4]);
pub const SHARED: Set = Set::Of(&[Shared, SharedCta]);
pub const SMALL: Floor = Floor::families(8, 6, &[100, 110, 120]);

/// How many matrices there are.
pub fn matrices(i: &Inst) -> usize {
    match i[Slot::Count] {
        X1 => 1,
        X2 => 2,
        _ => 4,
    }
}

/// A lane gets a register of each matrix of 8 rows, and two of each of 16.
fn loaded(i: &Inst) -> usize {
    if matches!(i[Slot::Shape], Word::Shape(shape) if shape.m == 16) { 2 * matrices(i) } else { matrices(i) }
}

/// The matrices, one below the other; elements of 6 and 4 bits come to bytes of their own.
fn fragment(i: &Inst) -> Fragment {
    let (registers, count) = (loaded(i), matrices(i));
    if let M8N8 = i[Slot::Shape] {
        return matrices_of_lanes(i);
    }
    let width = match i[Slot::AType] {
        B6x16P32 => 6,
        B4x16P64 => 4,
        _ => 8,
    };
    let fragment = match registers == count {
        true => Fragment::new(8 * count, 16, 8, registers, bytes_along),
        false => Fragment::new(16 * count, 16, 8, registers, bytes_across),
    };
    Fragment { width, ..fragment }
}

/// What is behind the elements in the 16 bytes of a row is not read.
fn tiles(i: &Inst) -> Tiles {
    let fragment = fragment(i);
    let elements = fragment.columns as u32;
    rows_of_lanes(&fragment, elements * fragment.width / 8, false)
}

/// Matrices of 8 by 8 elements of 16 bits, transposed or not.
pub fn matrices_of_lanes(i: &Inst) -> Fragment {
    let count = matrices(i);
    let formula = if i.has(Slot::Trans) { across } else { along };
    Fragment::new(8 * count, 8, 16, count, formula)
}
