//! `wmma.store`: store a matrix from the registers of a warp.
use super::wmma_load::*;
use crate::pages::product::shape;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.14.4.4", &["wmma"], &[
    line("wmma.store.d.sync.aligned.layout.shape{.ss}.type [p], r{, stride}"),
], Meaning::Tiles(|i| tiles(i, true)))
    .about("store a matrix by a warp",
        "Stores the result of a `wmma.mma` by rows or by columns, `stride` elements from one to the next; without a stride they \
         follow each other.")
    .sets(&[
        ("store", Slot::Mode, Set::Of(&[StoreWord])),
        ("d", Slot::Action2, Set::Of(&[FragmentD])),
        ("aligned", Slot::Part, Set::Of(&[Aligned])),
        ("layout", Slot::LayoutA, Set::Of(&[Row, Col])),
        ("shape", Slot::Shape, SHAPES),
        ("ss", Slot::Space, SPACES),
        ("type", Slot::Type, SUM_TYPES),
    ])
    .operands(&[
        src("p", Address).symbol().wide(|_| true),
        src("r", By(|i| fragment_type(i, Slot::Type))).elements(stored).constants(Immediate::Number),
        STRIDE,
    ])
    .rules(&[SHAPE_AND_TYPE])
    .word_floors(&[(SharedCta, Floor::new(7, 8, 70))])
    .held(|i| held(i, "r"))
    .since(VOLTA)
    .floor_of(|i| fragment(i).map(|f| f.floor))
    .order(Order::NameFirst(&[StoreWord, FragmentD]))
    .examples(&[
        "wmma.store.d.sync.aligned.row.m16n16k16.f32 [p], {d0, d1, d2, d3, d4, d5, d6, d7}, stride;",
        "wmma.store.d.sync.aligned.col.m8n32k16.shared.f16 [p], {d0, d1, d2, d3};",
    ])
    .refused(&[("wmma.store.d.sync.aligned.row.m16n16k8.f16 [p], {d0, d1, d2, d3};", "products of `.tf32` are summed in `.f32`")])
    .errata(&[LAYOUT, ALIGNED]);

fn stored(i: &Inst) -> usize {
    let (m, n, _) = shape(i);
    of(m * n, i[Slot::Type], false)
}
