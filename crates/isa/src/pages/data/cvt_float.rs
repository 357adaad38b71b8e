//! `cvt` from or to floating-point numbers.
use crate::float::{Exact, Format, Mode, Real};
use crate::pages::conversion::{Conversion, integral, source, whole};
use crate::pages::lower_conversions::lower_conversion;
use crate::prelude::*;

const TYPES: Set = Set::Of(&[U8, U16, U32, U64, S8, S16, S32, S64, F16, Bf16, F32, F64]);
const TO_INTEGRAL: Set = Set::Of(&[Rni, Rzi, Rmi, Rpi]);
const TO_FLOAT: Set = Set::Of(&[Rn, Rz, Rm, Rp]);

pub static PAGE: Page = Page::new("9.7.9.21", &["cvt"], &[
    line("cvt{.irnd}{.ftz}{.sat}.dtype.atype d, a"),
    line("cvt{.frnd}{.ftz}{.sat}.dtype.atype d, a"),
], Meaning::Stages(spec))
    .ptxas(Meaning::Stages(spec_ptxas))
    .lower(lower)
    .ptxas_lower(lower_ptxas)
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
    .errata(&[
        erratum(
            "has no rounding from `.bf16` to a wider type, and asks for one between `.f16` and `.bf16`",
            "takes a rounding there, and none here, as ptxas does",
        )
        .concerns(|i| i[Slot::AType] == Bf16 || i[Slot::DType] == Bf16),
        erratum("shows conversions from `.s32` to `.f32` and from `.f64` to `.s32` without a rounding", "demands one")
            .concerns(|i| is_integer(i, Slot::DType) != is_integer(i, Slot::AType)),
        erratum("lets `.ftz` flush subnormal numbers before they are converted", "flushes them")
            .ptxas("leaves `.ftz` out where `.f32` becomes `.f16`, so that `.rm` and `.rp` give the least subnormal number")
            .concerns(|i| flushed_by_the_manual_alone(i) && matches!(i[Slot::Rnd], Rm | Rp)),
        erratum(
            "leaves open which integer a NaN becomes",
            "gives 0; from `.f64`, or to 64 bits, the integer whose highest bit alone is set, as ptxas does",
        )
        .concerns(|i| is_integer(i, Slot::DType))
        .arises(|i, args| Format::of(i.ty(Slot::AType)).is_some_and(|format| format.is_nan(args[0]))),
        erratum(
            "leaves open which NaN a NaN becomes",
            "keeps its sign and payload, made quiet, between `.f32` and `.f64`, and its bits where nothing is to be done; else it \
             is 0x7fffffff or 0x7fff, as ptxas has it",
        )
        .concerns(|i| !is_integer(i, Slot::DType) && !is_integer(i, Slot::AType) && !i.has(Slot::Sat))
        .arises(|i, args| Format::of(i.ty(Slot::AType)).is_some_and(|format| format.is_nan(args[0]))),
    ]);

fn spec(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    convert(i, args, i.has(Slot::Ftz), trace)
}

fn spec_ptxas(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    convert(i, args, i.has(Slot::Ftz) && !flushed_by_the_manual_alone(i), trace)
}

fn convert(i: &Inst, &[a, ..]: &Args, ftz: bool, trace: &mut Trace) -> Bits {
    let (d, from) = (i.ty(Slot::DType), i.ty(Slot::AType));
    let number = match Format::of(from) {
        Some(format) => source(format, ftz, "a", None, a, trace),
        None => match trace.step("a", from.value(a)) {
            0 => Real::Zero { negative: false },
            value => Real::Finite(Exact::integer(value)),
        },
    };
    let Some(to) = Format::of(d) else { return integer(i, d, from, number, trace) };
    if d == from && !i.has(Slot::Rnd) && !i.has(Slot::Sat) && !ftz && d.bits > 16 {
        return a;
    }
    let in_place = TO_INTEGRAL.contains(i[Slot::Rnd]);
    let number = if in_place { integral(number, Mode::of(i[Slot::Rnd])) } else { number };
    if in_place {
        trace.real("integral", None, number, String::new);
    }
    Conversion { inst: i, from: Format::of(from), to, ftz, element: None }.fitted(number, a, trace)
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    lower_conversion(i, e, i.has(Slot::Ftz))
}

fn lower_ptxas(i: &Inst, e: &mut Emit) -> Option<()> {
    lower_conversion(i, e, i.has(Slot::Ftz) && !flushed_by_the_manual_alone(i))
}

/// The number as an integer: always clamped to the range, with `.sat` or without.
fn integer(i: &Inst, d: Ty, from: Ty, number: Real, trace: &mut Trace) -> Bits {
    let Some(value) = whole(number, 0, Mode::of(i[Slot::Rnd])) else {
        let nan = if from.bits == 64 || d.bits == 64 { 1 << (d.bits - 1) } else { 0 };
        return d.wrap(trace.noted("clamp", None, d.value(nan), || "what stands for nan".into()));
    };
    if number.finite().is_some() {
        trace.step("integral", value);
    }
    let clamped = d.clamp(value);
    if clamped != value {
        trace.step("clamp", clamped);
    }
    d.wrap(clamped)
}

/// Whether the manual flushes the source and ptxas does not.
fn flushed_by_the_manual_alone(i: &Inst) -> bool {
    i.has(Slot::Ftz) && i[Slot::DType] == F16
}

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
