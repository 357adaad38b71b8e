//! `cvt` to narrow floating-point numbers, to pairs and fours of them, and to `.tf32`.
use crate::float::{Exact, Format, Mode, Real, TF32, UE8M0, encode};
use crate::pages::conversion::{Conversion, source, whole};
use crate::pages::lower_conversions::{lower_narrow, tensor_single, within_format};
use crate::pages::lower_floats::magnitude;
use crate::pages::silent::rounded;
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
/// The scale of both elements, or one for each, as the word in the `Scale` slot announces.
pub(super) const SCALE: Operand = src("scale", By(scale_type)).constants(Immediate::No).with(Slot::Scale);

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
    line("cvt.frnd2.satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}.f8x2type.f32 d, a, b{, scale}").since(ADA),
    line("cvt.frnd2.satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}.f8x2type.f16x2 d, a{, scale}").since(ADA),
    line("cvt.frnd2.satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}.f8x2type.bf16x2 d, a{, scale}").since(PAIRS),
    line("cvt.frnd2.satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}.f46x2type.f32 d, a, b{, scale}").since(BLACKWELL),
    line("cvt.frnd2.satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}.f46x2type.halves d, a{, scale}").since(PAIRS),
    line("cvt.frnd2.satfinite{.relu}{.scaled::n2::ue8m0}.s2f6x2.f32 d, a, b{, scale}").since(FIXED),
    line("cvt.frnd2.satfinite{.relu}{.scaled::n2::ue8m0}.s2f6x2.bf16x2 d, a{, scale}").since(FIXED),
    line("cvt.frnd3{.satfinite}.ue8m0x2.f32 d, a, b").since(BLACKWELL),
    line("cvt.frnd3{.satfinite}.ue8m0x2.bf16x2 d, a").since(BLACKWELL),
    line("cvt.frnd5{.satfinite}{.scaled::n1::ue8m0}.ue5m3x2.f32 d, a, b{, scale}").since(UNSIGNED),
    line("cvt.frnd5{.satfinite}{.scaled::n1::ue8m0}.ue5m3x2.halves d, a{, scale}").since(UNSIGNED),
], Meaning::Stages(spec))
    .ptxas(Meaning::Stages(spec_ptxas))
    .lower(lower_narrow)
    .ptxas_lower(lower_ptxas)
    .about("convert to narrow floating-point types",
        "Rounds one number, or two into a pair (`a` into the high element), or four (`a` into the highest). `.satfinite` \
         replaces what is too large by the greatest number, `.relu` negative numbers by 0, `.pzo` -0 by 0; `.rs` rounds by \
         random bits; `.scaled` divides by powers of two first.")
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
    .rules(&[Rule {
        text: "scaled numbers are rounded to `.ue5m3x2` by `.rn` or `.rz`",
        slot: Some(Slot::Rnd),
        holds: |i| i[Slot::Rnd] != Rp || !i.has(Slot::Scale),
    }])
    .since(Floor::new(7, 0, 80))
    .word_floors(&[(ScaledByOne, UNSIGNED)])
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
        "cvt.rz.satfinite.scaled::n1::ue8m0.e2m3x2.f32 d, a, b, c;",
    ])
    .refused(&[
        ("cvt.rn.e4m3x2.f32 d, a, b;", "`.satfinite` is always written"),
        ("cvt.f16x2.f32 d, a, b;", "a rounding modifier is required"),
        ("cvt.rp.scaled::n1::ue8m0.ue5m3x2.f32 d, a, b, c;", "scaled numbers are not rounded up"),
    ])
    .errata(&[
        erratum("leaves open which NaN a NaN becomes", "gives the canonical one: 0x7fffe000, 0x7fff, 0x7f or 0xff")
            .concerns(|i| i[Slot::DType] != Tf32)
            .arises(any_nan),
        erratum("leaves open which NaN a NaN becomes as `.tf32`", "gives 0x7fffe000")
            .ptxas(
                "cuts the low 13 bits off a NaN with `.rna`, which leaves infinity where no others were set; `.satfinite` \
                 takes one unit of the last place away from that",
            )
            .concerns(|i| i[Slot::Rnd] == Rna),
        erratum("reads bits 15 to 8 and 7 to 0 of `a` where `.bf16x2` becomes `.s2f6x2`", "reads its 16-bit halves")
            .concerns(|i| i[Slot::DType] == S2f6x2 && i[Slot::AType] == Bf16x2),
        erratum("leaves open what `.ue8m0` and `.ue5m3` make of negative numbers", "leaves the sign out, as NVIDIA's headers do")
            .concerns(|i| matches!(i[Slot::DType], Ue8m0x2 | Ue5m3x2))
            .arises(|i, args| elements(i, args).any(|(format, bits)| bits & format.sign_bit() != 0)),
        erratum(
            "leaves open what `.ue8m0` and `.ue5m3` make of numbers too large without `.satfinite`, for they have no infinity",
            "gives NaN, 0xff",
        )
        .concerns(|i| matches!(i[Slot::DType], Ue8m0x2 | Ue5m3x2) && !i.has(Slot::Sat))
        .arises(|i, args| rounded(i, args).any(|(format, real, bits)| !real.is_nan() && format.is_nan(bits))),
        erratum(
            "does not say whether `.pzo` is about -0 in the source only, or about negative numbers that are rounded to 0, too",
            "gives +0 for both",
        )
        .concerns(|i| i[Slot::Po] == Pzo)
        .arises(|i, args| {
            let vanishes = |(format, real, bits): (&'static Format, Real, Bits)| {
                matches!(real, Real::Finite(_)) && bits == format.sign_bit()
            };
            rounded(i, args).any(vanishes)
        }),
        erratum(
            "leaves open what `.relu` makes of -0, and how random bits count for subnormal results",
            "gives +0, and adds the bits below the last place of the result, whatever that is",
        )
        .concerns(|i| i.has(Slot::Relu) || i[Slot::Rnd] == Rs)
        .arises(|_, _| false),
        erratum(
            "does not say how two elements share 16 random bits",
            "takes them for the second as they are and for the first in reverse, as was measured on sm_100",
        )
        .concerns(|i| i[Slot::Rnd] == Rs && i.ty(Slot::DType).lanes == 4),
    ]);

fn scale_type(i: &Inst) -> Ty {
    let byte = Ty { kind: Kind::Untyped, bits: 8, lanes: 1 };
    if i[Slot::Scale] == ScaledByTwo { byte.with_bits(16) } else { byte }
}

fn spec(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    let (d, from) = (i.ty(Slot::DType), i.ty(Slot::AType));
    (0..d.lanes).fold(0, |packed, lane| packed | narrowed(i, d, from, args, lane, trace) << (lane * d.bits))
}

fn spec_ptxas(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    let [a, ..] = *args;
    if i[Slot::Rnd] == Rna && any_nan(i, args) {
        let cut = trace.pattern("cut", a & 0xffff_e000, 32);
        return if i.has(Slot::Sat) { trace.pattern("satfinite", cut - 0x2000, 32) } else { cut };
    }
    spec(i, args, trace)
}

fn lower_ptxas(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a] = e.sources();
    let (kept, last, infinity) = (e.u32(0xffff_e000), e.u32(0x2000), e.u32(0x7f80_0000));
    let cut = e.and(a, kept);
    let nan = if i.has(Slot::Sat) { e.sub(cut, last) } else { cut };
    let number = tensor_single(i, e, a)?;
    let number = within_format(i, e, &TF32, number);
    let size = magnitude(e, a);
    let is_nan = e.lt(false, infinity, size);
    let d = e.select(is_nan, nan, number);
    e.done(d)
}

/// One element of the result, its bits in the low end.
fn narrowed(i: &Inst, d: Ty, from: Ty, args: &Args, lane: u32, trace: &mut Trace) -> Bits {
    let Some(format) = Format::of(from) else { return 0 };
    let element = (d.lanes > 1).then_some(lane);
    // The first source becomes the highest element.
    let (k, at) = if from.lanes == 1 { ((d.lanes - 1 - lane) as usize, 0) } else { (0, lane) };
    let bits = args[k] >> (at * from.bits) & from.mask();
    let mut number = source(format, false, ["a", "b", "e", "f"][k], element, bits, trace);
    // Behind the numbers stands what rounds or scales them.
    let last = args[(d.lanes / from.lanes) as usize];
    if i.has(Slot::Scale) {
        if i[Slot::Scale] == ScaledByOne && format.is_subnormal(bits) {
            number = Real::Zero { negative: false };
        }
        number = number.over(scale(i, last, lane, element, trace));
        trace.real("a / scale", element, number, String::new);
    }
    let Some(to) = Format::named(i[Slot::DType]) else { return fixed(i, number, element, trace) };
    if !to.signed {
        number = number.magnitude();
    }
    let conversion = Conversion { inst: i, from: Some(format), to, ftz: false, element };
    match number {
        Real::Finite(exact) if i[Slot::Rnd] == Rs => {
            let (random, width) = random(i[Slot::DType], lane, last);
            trace.pattern("random", random, width);
            let d = raised(to, exact, random, width);
            conversion.within(number, trace.float("round", element, to, d, String::new), trace)
        }
        _ => conversion.fitted(number, bits, trace),
    }
}

/// The power of two that scales an element.
pub(super) fn scale(i: &Inst, scales: Bits, lane: u32, element: Option<u32>, trace: &mut Trace) -> Real {
    let at = if i[Slot::Scale] == ScaledByTwo { 8 * lane } else { 0 };
    let scale = UE8M0.decode(scales >> at & 0xff);
    trace.real("scale", element, scale, String::new);
    scale
}

/// The number in 64ths, of which a byte holds -128 to 127. NaN gives the greatest.
fn fixed(i: &Inst, number: Real, element: Option<u32>, trace: &mut Trace) -> Bits {
    let units = whole(number, -6, Mode::of(i[Slot::Rnd])).unwrap_or(127);
    let least = if i.has(Slot::Relu) { 0 } else { -128 };
    trace.noted("64ths", element, units.clamp(least, 127), String::new) as Bits & 0xff
}

/// The random bits of an element, and how many they are.
fn random(to: Word, lane: u32, rbits: Bits) -> (Bits, u32) {
    let half = |k: u32| (rbits >> (16 * k)) as u16;
    let shared = match to {
        F16x2 => return (Bits::from(half(lane) & 0x1fff), 13),
        Bf16x2 => return (half(lane).into(), 16),
        // One byte of each half, since the result has but 16 bits.
        E2m1x4 => {
            let byte = |k: u32| half(k).to_le_bytes()[(lane / 2) as usize];
            u16::from_le_bytes([byte(0), byte(1)])
        }
        _ => half(lane / 2),
    };
    (if lane % 2 == 1 { shared.reverse_bits() } else { shared }.into(), 16)
}

/// The number rounded towards 0 after random bits, `width` of them, were added below the last place of the result.
fn raised(to: &'static Format, number: Exact, random: Bits, width: u32) -> Bits {
    let e = number.top().max(to.least_exponent()) - (to.precision as i32 - 1);
    let (units, _) = number.in_units(e - width as i32);
    let m = (units + random) >> width;
    encode(to, Mode::Nearest, false, Real::Finite(Exact { m, e, ..number }), &[])
}

/// The numbers that are converted, with their format.
fn elements(i: &Inst, args: &Args) -> impl Iterator<Item = (&'static Format, Bits)> {
    let (d, from) = (i.ty(Slot::DType), i.ty(Slot::AType));
    let given: [Bits; 4] = std::array::from_fn(|k| match from.lanes {
        1 => args[k],
        _ => args[0] >> (from.bits * k as u32),
    });
    let format = Format::of(from);
    (0..d.lanes as usize).filter_map(move |k| Some((format?, given[k] & from.mask())))
}

fn any_nan(i: &Inst, args: &Args) -> bool {
    elements(i, args).any(|(format, bits)| format.is_nan(bits))
}
