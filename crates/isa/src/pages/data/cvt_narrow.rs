//! `cvt` to narrow floating-point numbers, to pairs of them, and to `.tf32`.
use crate::prelude::*;

const ADA: Floor = Floor::new(7, 8, 89);
pub(super) const BLACKWELL: Floor = Floor::families(8, 6, &[100, 110, 120]);
pub(super) const EIGHT_BITS: Set = Set::Of(&[E4m3x2, E5m2x2]);
pub(super) const FEWER_BITS: Set = Set::Of(&[E2m1x2, E2m3x2, E3m2x2]);

pub static PAGE: Page = Page::new("9.7.9.21", &["cvt"], &[
    line("cvt.frnd2.satfinite{.relu}.f16type.f32 d, a"),
        line("cvt.frnd2.relu.f16type.f32 d, a"),
    line("cvt.frnd2{.satfinite}{.relu}.f16x2type.f32 d, a, b"),
    line("cvt.rs{.satfinite}{.relu}.f16x2type.f32 d, a, b, rbits").since(Floor::family(8, 7, 100)),
    line("cvt.rna{.satfinite}.tf32.f32 d, a"),
    line("cvt.frnd2{.satfinite}{.relu}.tf32.f32 d, a").since(Floor::new(7, 8, 90)),
    line("cvt.frnd2.satfinite{.relu}.f8x2type.f32 d, a, b").since(ADA),
    line("cvt.frnd2.satfinite{.relu}.f8x2type.f16x2 d, a").since(ADA),
    line("cvt.frnd2.satfinite{.relu}.f46x2type.f32 d, a, b").since(BLACKWELL),
    line("cvt.frnd3{.satfinite}.ue8m0x2.f32 d, a, b").since(BLACKWELL),
    line("cvt.frnd3{.satfinite}.ue8m0x2.bf16x2 d, a").since(BLACKWELL),
], Meaning::NotYet)
    .about("convert to narrow floating-point types",
        "Rounds one number, or two into a pair (`a` into the high element). `.satfinite` replaces what is too large by the \
         greatest number, `.relu` negative numbers by 0.")
    .sets(&[
        ("frnd2", Slot::Rnd, Set::Of(&[Rn, Rz])),
        ("frnd3", Slot::Rnd, Set::Of(&[Rz, Rp])),
        ("f16type", Slot::DType, Set::Of(&[F16, Bf16])),
        ("f16x2type", Slot::DType, Set::Of(&[F16x2, Bf16x2])),
        ("tf32", Slot::DType, Set::Of(&[Tf32])),
        ("f8x2type", Slot::DType, EIGHT_BITS),
        ("f46x2type", Slot::DType, FEWER_BITS),
        ("ue8m0x2", Slot::DType, Set::Of(&[Ue8m0x2])),
        ("f32", Slot::AType, Set::Of(&[F32])),
        ("f16x2", Slot::AType, Set::Of(&[F16x2])),
        ("bf16x2", Slot::AType, Set::Of(&[Bf16x2])),
    ])
    .operands(&[
        dst("d", AtLeast(Slot::DType)),
        src("a b", AtLeast(Slot::AType)).constants(Immediate::Number),
        src("rbits", Is(B32)),
    ])
    .since(Floor::new(7, 0, 80))
    .form_floors(&[FormFloor {
        text: "`.rz` to numbers of 8 bits or fewer",
        when: |i| i[Slot::Rnd] == Rz && [EIGHT_BITS, FEWER_BITS].iter().any(|set| set.contains(i[Slot::DType])),
        floor: Floor::family(9, 4, 107),
    }])
    .order(Order::Free)
    .examples(&[
        "cvt.rn.relu.f16.f32 b, f;", "cvt.rn.f16x2.f32 d, a, b;", "cvt.rn.relu.bf16x2.f32 b, f, g;",
        "cvt.rna.tf32.f32 b, f;", "cvt.rn.satfinite.e4m3x2.f32 d, a, b;", "cvt.rz.satfinite.ue8m0x2.f32 d, a, b;",
    ])
    .refused(&[
        ("cvt.rn.e4m3x2.f32 d, a, b;", "`.satfinite` is always written"),
        ("cvt.f16x2.f32 d, a, b;", "a rounding modifier is required"),
    ]);
