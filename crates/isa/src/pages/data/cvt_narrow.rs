//! `cvt` to narrow floating-point numbers, to pairs and fours of them, and to `.tf32`.
use crate::prelude::*;

const ADA: Floor = Floor::new(7, 8, 89);
pub(super) const BLACKWELL: Floor = Floor::families(8, 6, &[100, 110, 120]);
const PAIRS: Floor = Floor::families(9, 1, &[100, 110, 120]);
/// Where random bits round, as ptxas has it: the architectures alone, not their families.
const RANDOM: Floor = Floor::architectures(8, 7, &[100, 103, 107]);
pub(super) const FIXED: Floor = Floor::architectures(9, 1, &[100, 103, 107, 110, 120, 121]);
pub(super) const UNSIGNED: Floor = Floor::family(9, 4, 107);
pub(super) const EIGHT_BITS: Set = Set::Of(&[E4m3x2, E5m2x2]);
pub(super) const FEWER_BITS: Set = Set::Of(&[E2m1x2, E2m3x2, E3m2x2]);
/// The scale of both elements, which `.scaled::n2::ue8m0` announces.
pub(super) const SCALE: Operand = src("scale", Is(B16)).with(Slot::Scale);

pub static PAGE: Page = Page::new("9.7.9.21", &["cvt"], &[
    line("cvt.frnd2.satfinite.f16.f32 d, a").since(Floor::new(8, 1, 10)),
    line("cvt.frnd2.satfinite{.relu}{.pzo}.f16type.f32 d, a"),
    line("cvt.frnd2.relu{.pzo}.f16type.f32 d, a"),
    line("cvt.frnd4.pzo.f16type.f32 d, a"),
    line("cvt.frnd2{.satfinite}{.relu}{.pzo}.f16x2type.f32 d, a, b"),
    line("cvt.rs{.satfinite}{.relu}.f16x2type.f32 d, a, b, rbits").since(RANDOM),
    line("cvt.rs.satfinite{.relu}.x4type.f32 d, {a, b, e, f}, rbits").since(RANDOM),
    line("cvt.rna{.satfinite}.tf32.f32 d, a"),
    line("cvt.frnd2{.satfinite}{.relu}{.pzo}.tf32.f32 d, a").since(Floor::new(7, 8, 90)),
    line("cvt.frnd2.satfinite{.relu}{.pzo}.f8x2type.f32 d, a, b").since(ADA),
    line("cvt.frnd2.satfinite{.relu}{.pzo}.f8x2type.f16x2 d, a").since(ADA),
    line("cvt.frnd2.satfinite{.relu}{.pzo}.f8x2type.bf16x2 d, a").since(PAIRS),
    line("cvt.frnd2.satfinite{.relu}{.pzo}.f46x2type.f32 d, a, b").since(BLACKWELL),
    line("cvt.frnd2.satfinite{.relu}{.pzo}.f46x2type.halves d, a").since(PAIRS),
    line("cvt.frnd2.satfinite{.relu}{.scaled::n2::ue8m0}.s2f6x2.f32 d, a, b{, scale}").since(FIXED),
    line("cvt.frnd2.satfinite{.relu}{.scaled::n2::ue8m0}.s2f6x2.bf16x2 d, a{, scale}").since(FIXED),
    line("cvt.frnd3{.satfinite}.ue8m0x2.f32 d, a, b").since(BLACKWELL),
    line("cvt.frnd3{.satfinite}.ue8m0x2.bf16x2 d, a").since(BLACKWELL),
    line("cvt.frnd5{.satfinite}.ue5m3x2.f32 d, a, b").since(UNSIGNED),
    line("cvt.frnd5{.satfinite}.ue5m3x2.halves d, a").since(UNSIGNED),
], Meaning::NotYet)
    .about("convert to narrow floating-point types",
        "Rounds one number, or two into a pair (`a` into the high element), or four (`a` into the highest). `.satfinite` \
         replaces what is too large by the greatest number, `.relu` negative numbers by 0; `.rs` rounds by random bits.")
    .sets(&[
        ("frnd2", Slot::Rnd, Set::Of(&[Rn, Rz])),
        ("frnd3", Slot::Rnd, Set::Of(&[Rz, Rp])),
        ("frnd4", Slot::Rnd, Set::Of(&[Rn, Rz, Rm, Rp])),
        ("frnd5", Slot::Rnd, Set::Of(&[Rn, Rz, Rp])),
        ("f16", Slot::DType, Set::Of(&[F16])),
        ("f16type", Slot::DType, Set::Of(&[F16, Bf16])),
        ("f16x2type", Slot::DType, Set::Of(&[F16x2, Bf16x2])),
        ("x4type", Slot::DType, Set::Of(&[E4m3x4, E5m2x4, E2m3x4, E3m2x4, E2m1x4])),
        ("tf32", Slot::DType, Set::Of(&[Tf32])),
        ("f8x2type", Slot::DType, EIGHT_BITS),
        ("f46x2type", Slot::DType, FEWER_BITS),
        ("s2f6x2", Slot::DType, Set::Of(&[S2f6x2])),
        ("ue8m0x2", Slot::DType, Set::Of(&[Ue8m0x2])),
        ("ue5m3x2", Slot::DType, Set::Of(&[Ue5m3x2])),
        ("f32", Slot::AType, Set::Of(&[F32])),
        ("f16x2", Slot::AType, Set::Of(&[F16x2])),
        ("bf16x2", Slot::AType, Set::Of(&[Bf16x2])),
        ("halves", Slot::AType, Set::Of(&[F16x2, Bf16x2])),
    ])
    .operands(&[
        dst("d", AtLeast(Slot::DType)),
        src("a b", AtLeast(Slot::AType)).constants(Immediate::Number),
        src("rbits", Is(B32)),
        SCALE,
    ])
    .since(Floor::new(7, 0, 80))
    .form_floors(&[
        FormFloor {
            text: "`.rz` to numbers of 8 bits or fewer",
            when: |i| i[Slot::Rnd] == Rz && [EIGHT_BITS, FEWER_BITS].iter().any(|set| set.contains(i[Slot::DType])),
            floor: Floor::family(9, 4, 107),
        },
        FormFloor {
            text: "`.rz` to `.s2f6x2`",
            when: |i| i[Slot::Rnd] == Rz && i[Slot::DType] == S2f6x2,
            floor: Floor::architectures(9, 4, &[107]),
        },
        FormFloor { text: "`.pzo`", when: |i| i[Slot::Po] == Pzo, floor: Floor::family(9, 4, 107) },
        FormFloor {
            text: "`.satfinite` to numbers of 16 bits or `.tf32`",
            when: |i| i.has(Slot::Sat) && matches!(i[Slot::DType], F16 | Bf16 | F16x2 | Bf16x2 | Tf32),
            floor: Floor::new(8, 1, 10),
        },
        FormFloor {
            text: "`.satfinite` to `.tf32` with `.rn` or `.rz`",
            when: |i| i.has(Slot::Sat) && i[Slot::DType] == Tf32 && i[Slot::Rnd] != Rna,
            floor: Floor::new(8, 6, 100),
        },
    ])
    .order(Order::Free)
    .examples(&[
        "cvt.rn.relu.f16.f32 b, f;", "cvt.rn.f16x2.f32 d, a, b;", "cvt.rn.relu.bf16x2.f32 b, f, g;",
        "cvt.rna.tf32.f32 b, f;", "cvt.rn.satfinite.e4m3x2.f32 d, a, b;", "cvt.rz.satfinite.ue8m0x2.f32 d, a, b;",
        "cvt.rn.satfinite.e2m1x2.f16x2 d, a;", "cvt.rs.satfinite.relu.e4m3x4.f32 d, {a, b, x, y}, c;",
        "cvt.rn.satfinite.s2f6x2.f32 d, a, b;", "cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.bf16x2 d, a, c;",
    ])
    .refused(&[
        ("cvt.rn.e4m3x2.f32 d, a, b;", "`.satfinite` is always written"),
        ("cvt.f16x2.f32 d, a, b;", "a rounding modifier is required"),
    ]);
