//! `cvt` from pairs of narrow floating-point numbers.
use super::cvt_narrow::{BLACKWELL, EIGHT_BITS, FEWER_BITS};
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.21", &["cvt"], &[
    line("cvt.rn{.relu}.f16x2.f8x2type d, a").since(Floor::new(7, 8, 89)),
    line("cvt.rn{.relu}.f16x2.f46x2type d, a"),
    line("cvt.rn.bf16x2.ue8m0x2 d, a"),
], Meaning::NotYet)
    .about("convert pairs of narrow floating-point numbers",
        "Widens both elements, which loses nothing; `.relu` replaces negative numbers by 0.")
    .sets(&[
        ("f16x2", Slot::DType, Set::Of(&[F16x2])),
        ("bf16x2", Slot::DType, Set::Of(&[Bf16x2])),
        ("f8x2type", Slot::AType, EIGHT_BITS),
        ("f46x2type", Slot::AType, FEWER_BITS),
        ("ue8m0x2", Slot::AType, Set::Of(&[Ue8m0x2])),
    ])
    .operands(&[dst("d", Of(Slot::DType)), src("a", Of(Slot::AType))])
    .since(BLACKWELL)
    .order(Order::Free)
    .examples(&["cvt.rn.f16x2.e5m2x2 d, a;", "cvt.rn.relu.f16x2.e2m1x2 d, a;", "cvt.rn.bf16x2.ue8m0x2 d, a;"]);
