//! `stmatrix`: store matrices from the registers of a warp to shared memory.
use super::ldmatrix::{COUNTS, M8N8, SHARED, SMALL, matrices, matrices_of_lanes};
use crate::pages::fragment::rows_of_lanes;
use crate::pages::layout::{Fragment, bytes_stored};
use crate::pages::product::BITS;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.14.5.16", &["stmatrix"], &[
    line("stmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 [p], r"),
    line("stmatrix.sync.aligned.m16n8.num.trans{.ss}.b8 [p], r").since(SMALL),
], Meaning::Tiles(tiles))
    .about("store matrices to shared memory by a warp",
        "Stores one, two or four matrices that are spread over the lanes' registers as `ldmatrix` spreads them, each row to the \
         address that one lane holds; with `.trans` transposed.")
    .sets(&[
        ("m8n8", Slot::Shape, Set::Of(&[M8N8])),
        ("m16n8", Slot::Shape, Set::Of(&[Word::shape(16, 8, 0)])),
        ("num", Slot::Count, COUNTS),
        ("ss", Slot::Space, SHARED),
    ])
    .operands(&[src("p", Address).symbol().wide(|i| !i.has(Slot::Space)), src("r", By(|_| BITS)).elements(matrices)])
    .held(|i| vec![fragment(i).told("r", "matrices", 1)])
    .since(Floor::new(7, 8, 90))
    .examples(&[
        "stmatrix.sync.aligned.m8n8.x1.shared.b16 [addr], {r0};",
        "stmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16 [addr], {r0, r1, r2, r3};",
        "stmatrix.sync.aligned.m16n8.x2.trans.b8 [addr], {r0, r1};",
    ])
    .refused(&[("stmatrix.sync.aligned.m16n8.x1.shared.b8 [addr], {r0};", "bytes are stored transposed")]);

fn fragment(i: &Inst) -> Fragment {
    let count = matrices(i);
    match i[Slot::Shape] {
        M8N8 => matrices_of_lanes(i),
        _ => Fragment::new(8 * count, 16, 8, count, bytes_stored),
    }
}

fn tiles(i: &Inst) -> Tiles {
    rows_of_lanes(&fragment(i), 16, true)
}
