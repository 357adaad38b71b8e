//! `cvt` from pairs of narrow floating-point numbers.
use super::cvt_narrow::{BLACKWELL, EIGHT_BITS, FEWER_BITS, FIXED, SCALE, UNSIGNED, scale};
use crate::float::{Exact, Format, Real};
use crate::pages::conversion::{Conversion, source};
use crate::pages::silent::rounded;
use crate::prelude::*;

const TO_BRAIN: Floor = Floor::families(9, 2, &[100, 110, 120]);

pub static PAGE: Page = Page::new("9.7.9.21", &["cvt"], &[
    line("cvt.rn{.relu}.f16x2.f8x2type d, a").since(Floor::new(7, 8, 89)),
    line("cvt.rn{.relu}.f16x2.f46x2type d, a"),
    line("cvt.rn{.satfinite}{.relu}{.scaled::n2::ue8m0}.bf16x2.f468x2type d, a{, scale}").since(TO_BRAIN),
    line("cvt.rn{.satfinite}{.relu}{.scaled::n2::ue8m0}.bf16x2.s2f6x2 d, a{, scale}").since(FIXED),
    line("cvt.rn.bf16x2.ue8m0x2 d, a"),
    line("cvt.rn.f16x2.ue5m3x2 d, a").since(UNSIGNED),
    line("cvt.rn{.satfinite}{.scaled::n2::ue8m0}.bf16x2.ue5m3x2 d, a{, scale}").since(UNSIGNED),
], Meaning::Stages(spec))
    .about("convert pairs of narrow floating-point numbers",
        "Widens both elements, which loses nothing unless they are scaled; `.relu` replaces negative numbers by 0.")
    .sets(&[
        ("f16x2", Slot::DType, Set::Of(&[F16x2])),
        ("bf16x2", Slot::DType, Set::Of(&[Bf16x2])),
        ("f8x2type", Slot::AType, EIGHT_BITS),
        ("f46x2type", Slot::AType, FEWER_BITS),
        ("f468x2type", Slot::AType, Set::Of(&[E4m3x2, E5m2x2, E2m1x2, E2m3x2, E3m2x2])),
        ("s2f6x2", Slot::AType, Set::Of(&[S2f6x2])),
        ("ue8m0x2", Slot::AType, Set::Of(&[Ue8m0x2])),
        ("ue5m3x2", Slot::AType, Set::Of(&[Ue5m3x2])),
    ])
    .operands(&[dst("d", Of(Slot::DType)), src("a", Of(Slot::AType)), SCALE])
    .since(BLACKWELL)
    .order(Order::Free)
    .examples(&[
        "cvt.rn.f16x2.e5m2x2 d, a;", "cvt.rn.relu.f16x2.e2m1x2 d, a;", "cvt.rn.bf16x2.ue8m0x2 d, a;",
        "cvt.rn.bf16x2.e4m3x2 d, a;", "cvt.rn.satfinite.scaled::n2::ue8m0.bf16x2.s2f6x2 d, a, c;",
    ])
    .errata(&[erratum(
        "leaves open what `.f16` makes of numbers of `.ue5m3` above 65504, its own greatest",
        "gives infinity",
    )
    .concerns(|i| i[Slot::AType] == Ue5m3x2 && i[Slot::DType] == F16x2)
    .arises(|i, args| {
        let overflows = |(format, real, bits): (&'static Format, Real, Bits)| {
            matches!(real, Real::Finite(_)) && Some(bits) == format.infinity()
        };
        rounded(i, args).any(overflows)
    })]);

fn spec(i: &Inst, &[a, scales, ..]: &Args, trace: &mut Trace) -> Bits {
    let (d, from) = (i.ty(Slot::DType), i.ty(Slot::AType));
    let Some(to) = Format::of(d) else { return 0 };
    (0..d.lanes).fold(0, |packed, lane| {
        let element = Some(lane);
        let bits = a >> (lane * from.bits) & from.mask();
        let format = Format::named(i[Slot::AType]);
        let mut number = match format {
            Some(format) => source(format, false, "a", element, bits, trace),
            None => fixed(bits, element, trace),
        };
        if i.has(Slot::Scale) {
            number = number.times(scale(i, scales, lane, element, trace));
            trace.real("a * scale", element, number, String::new);
        }
        let conversion = Conversion { inst: i, from: format, to, ftz: false, element };
        packed | conversion.fitted(number, bits, trace) << (lane * d.bits)
    })
}

/// A byte that counts 64ths.
fn fixed(bits: Bits, element: Option<u32>, trace: &mut Trace) -> Real {
    let units = trace.noted("64ths", element, (bits as u8 as i8).into(), String::new);
    match units {
        0 => Real::Zero { negative: false },
        _ => Real::Finite(Exact { e: -6, ..Exact::integer(units) }),
    }
}
