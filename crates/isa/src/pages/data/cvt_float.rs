//! `cvt` from or to floating-point numbers.
use crate::prelude::*;

const TYPES: Set = Set::Of(&[U8, U16, U32, U64, S8, S16, S32, S64, F16, Bf16, F32, F64]);
const TO_INTEGRAL: Set = Set::Of(&[Rni, Rzi, Rmi, Rpi]);
const TO_FLOAT: Set = Set::Of(&[Rn, Rz, Rm, Rp]);

pub static PAGE: Page = Page::new("9.7.9.21", &["cvt"], &[
    line("cvt{.irnd}{.ftz}{.sat}.dtype.atype d, a"),
    line("cvt{.frnd}{.ftz}{.sat}.dtype.atype d, a"),
], Meaning::NotYet)
    .about("convert from or to a floating-point type",
        "The number in `a`, rounded as given if the destination type cannot hold it. `.sat` clamps a \
         floating-point result to the range from 0.0 to 1.0.")
    .sets(&[
        ("irnd", Slot::Rnd, TO_INTEGRAL), ("frnd", Slot::Rnd, TO_FLOAT),
        ("dtype", Slot::DType, TYPES), ("atype", Slot::AType, TYPES),
    ])
    .operands(&[
        dst("d", AtLeast(Slot::DType)),
        src("a", AtLeast(Slot::AType)).constants(Immediate::Number),
    ])
    .rules(&[
        Rule {
            text: "conversion between integers takes no rounding, and is clamped only if it can overflow",
            slot: Some(Slot::Rnd),
            holds: |i| !(is_integer(i, Slot::DType) && is_integer(i, Slot::AType)),
        },
        Rule {
            text: "conversion to an integer needs `.rni .rzi .rmi` or `.rpi`",
            slot: Some(Slot::Rnd),
            holds: |i| !is_integer(i, Slot::DType) || TO_INTEGRAL.contains(i[Slot::Rnd]),
        },
        Rule {
            text: "conversion from an integer, or to fewer bits of precision, needs `.rn .rz .rm` or `.rp`",
            slot: Some(Slot::Rnd),
            holds: |i| !loses_precision(i) || TO_FLOAT.contains(i[Slot::Rnd]) || between_halves(i) && !i.has(Slot::Rnd),
        },
        Rule {
            text: "conversion to a type that holds every number takes no rounding",
            slot: Some(Slot::Rnd),
            holds: |i| {
                let exact = !is_integer(i, Slot::DType) && !loses_precision(i);
                let rounds_in_place = i[Slot::DType] == i[Slot::AType] && TO_INTEGRAL.contains(i[Slot::Rnd]);
                let from_brain = i[Slot::AType] == Bf16 && i[Slot::DType] != Bf16 && TO_FLOAT.contains(i[Slot::Rnd]);
                !exact || !i.has(Slot::Rnd) || rounds_in_place || from_brain
            },
        },
        Rule {
            text: "`.ftz` is for conversions from or to `.f32`",
            slot: Some(Slot::Ftz),
            holds: |i| !i.has(Slot::Ftz) || i[Slot::DType] == F32 || i[Slot::AType] == F32,
        },
        Rule {
            text: "`.sat` is not for `.bf16`",
            slot: Some(Slot::Sat),
            holds: |i| !i.has(Slot::Sat) || (i[Slot::DType] != Bf16 && i[Slot::AType] != Bf16),
        },
    ])
    .form_floors(&[
        FormFloor {
            text: "conversion between `.bf16` and `.f32`",
            when: |i| between_brain_and_single(i),
            floor: Floor::new(7, 0, 80),
        },
        FormFloor {
            text: "conversion between `.bf16` and other types than `.f32`",
            when: |i| (i[Slot::DType] == Bf16 || i[Slot::AType] == Bf16) && !between_brain_and_single(i),
            floor: Floor::new(7, 8, 90),
        },
        FormFloor {
            text: "`.ftz` from `.bf16`",
            when: |i| i[Slot::AType] == Bf16 && i.has(Slot::Ftz),
            floor: Floor::new(7, 8, 90),
        },
        FormFloor { text: "`cvt.f32.bf16`", when: |i| i[Slot::AType] == Bf16, floor: Floor::new(7, 1, 80) },
    ])
    .order(Order::Free)
    .examples(&["cvt.f32.s32.rn f, i;", "cvt.rni.f32.f32 x, y;", "cvt.rn.f16.f32 d, a;", "cvt.f64.f32 d, a;"])
    .refused(&[
        ("cvt.f32.s32 f, i;", "a rounding modifier is required"),
        ("cvt.rn.s32.f32 i, f;", "to an integer one rounds with `.rni` and kin"),
        ("cvt.rn.f64.f32 d, a;", "nothing is rounded"),
    ])
    .errata(&[erratum(
        "has no rounding from `.bf16` to a wider type, and asks for one between `.f16` and `.bf16`",
        "takes a rounding there, and none here, as ptxas does",
    )
    .concerns(|i| i[Slot::AType] == Bf16 || i[Slot::DType] == Bf16)]);

fn is_integer(i: &Inst, slot: Slot) -> bool {
    i.ty(slot).is_integer()
}

/// Whether a floating-point destination cannot hold every number of the source type.
fn loses_precision(i: &Inst) -> bool {
    let (d, a) = (i.ty(Slot::DType), i.ty(Slot::AType));
    !d.is_integer() && d != a && (a.is_integer() || d.bits <= a.bits)
}

fn between_halves(i: &Inst) -> bool {
    matches!((i[Slot::DType], i[Slot::AType]), (F16, Bf16) | (Bf16, F16))
}

fn between_brain_and_single(i: &Inst) -> bool {
    matches!((i[Slot::DType], i[Slot::AType]), (Bf16, F32) | (F32, Bf16))
}
