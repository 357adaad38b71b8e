//! `tcgen05.mma.ws`: multiply matrices into tensor memory, B held in place.
use super::alloc::BLACKWELL;
use super::mma::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.16.10.9.3", &["tcgen05"], &[
    line("tcgen05.mma.ws.cta_group::1.kind{.collector} [d], a_desc, b_desc, idesc, {!}enable_input_d{, zero_column_mask_desc}"),
    line("tcgen05.mma.ws.cta_group::1.kind{.collector} [d], [a], b_desc, idesc, {!}enable_input_d{, zero_column_mask_desc}"),
], Meaning::NotYet)
    .about("multiply matrices, weights held in place",
        "Like `tcgen05.mma` by one CTA; B stays in one of four buffers for further products, and columns \
         that `zero_column_mask_desc` names count as zero.")
    .sets(WS_SETS)
    .operands(&[D, A, DESCRIPTORS, IDESC, ENABLE, ZERO_COLUMNS])
    .since(BLACKWELL)
    .form_floors(&[OF_INTEGERS])
    .order(WS_NAME)
    .examples(&[
        "tcgen05.mma.ws.cta_group::1.kind::i8.collector::b2::use [taddr2], [taddr1], bdesc, idesc, p;",
        "tcgen05.mma.ws.cta_group::1.kind::f16 [taddr0], adesc, bdesc, idesc, p, zmdesc;",
    ])
    .refused(&[("tcgen05.mma.ws.cta_group::2.kind::f16 [d], adesc, bdesc, idesc, p;", "two CTAs cannot hold B in place")]);

pub const WS_NAME: Order = Order::NameFirst(&[MmaWord, Ws]);
pub const WS_SETS: &[(&str, Slot, Set)] = &[
    ("mma", Slot::Mode, Set::Of(&[MmaWord])),
    ("ws", Slot::Part, Set::Of(&[Ws])),
    ("kind", Slot::Kind, Set::Of(&[KindF16, KindTf32, KindF8f6f4, KindI8])),
    ("collector", Slot::Cache, Set::Of(&[
        CollectorB0Fill, CollectorB0Use, CollectorB0LastUse, CollectorB0Discard,
        CollectorB1Fill, CollectorB1Use, CollectorB1LastUse, CollectorB1Discard,
        CollectorB2Fill, CollectorB2Use, CollectorB2LastUse, CollectorB2Discard,
        CollectorB3Fill, CollectorB3Use, CollectorB3LastUse, CollectorB3Discard,
    ])),
];
pub const ZERO_COLUMNS: Operand = src("zero_column_mask_desc", Is(U64));
