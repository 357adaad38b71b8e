//! Errata against the meanings: where ptxas computes something else an erratum tells of the form, and each tells the truth.

mod support;

use margay_isa::forms::{forms, random_form};
use margay_isa::{Args, Bits, Inst, MAX_SOURCES, PAGES, Semantics};
use support::random;

/// Values at the edges of bytes, half-words and words.
fn value(random: &mut dyn FnMut() -> u64) -> Bits {
    const BYTES: [u8; 6] = [0, 1, 0x7f, 0x80, 0xff, 0x40];
    let bytes: [u8; 4] = std::array::from_fn(|_| BYTES[random() as usize % BYTES.len()]);
    match random() % 4 {
        // What code writes for elements out of bounds.
        3 => [0x7eff, 0x7eff_0000][random() as usize % 2],
        0 => u32::from_le_bytes(bytes).into(),
        1 => Bits::from(random() as u32),
        _ => Bits::from(random() % 300),
    }
}

fn differs(form: &Inst, random: &mut dyn FnMut() -> u64) -> bool {
    (0..500).any(|_| {
        let mut args: Args = [0; MAX_SOURCES];
        args[..4].fill_with(|| value(random));
        let result = |semantics| {
            // A second result is the carry flag.
            let mut d = [0; 2];
            assert!(form.compute(semantics, &args, &mut d));
            d
        };
        result(Semantics::Manual) != result(Semantics::Ptxas13_5)
    })
}

#[test]
fn what_ptxas_computes_otherwise_is_told_and_what_is_told_happens() {
    let mut random = random(99);
    for page in PAGES.iter().filter(|p| p.ptxas.is_some()) {
        let told = || page.errata.iter().filter(|e| e.ptxas.is_some());
        let mut seen = vec![false; told().count()];
        for opcode in page.opcodes {
            let mut all = forms(page, opcode, 1, &mut random);
            all.extend((0..100).map(|_| random_form(page, opcode, &mut random)));
            for form in &all {
                let concerned: Vec<bool> = told().map(|e| (e.concerns)(form)).collect();
                let news = concerned.iter().zip(&seen).any(|(concerned, seen)| *concerned && !seen);
                if (news || !concerned.contains(&true)) && differs(form, &mut random) {
                    assert!(concerned.contains(&true), "{form:?} differs, and no erratum tells of it");
                    seen.iter_mut().zip(&concerned).for_each(|(seen, concerned)| *seen |= concerned);
                }
            }
        }
        let unseen: Vec<_> = told().zip(&seen).filter(|(_, seen)| !**seen).map(|(e, _)| e.ptxas).collect();
        assert!(unseen.is_empty(), "{page:?}: no form differs of which it is told: {unseen:?}");
    }
}

/// Of floating-point results, errata show where they decide something and nowhere else.
#[test]
fn errata_of_floating_point_show_with_the_values_that_they_are_about() {
    let shown = |text: &str, args: &[Bits], told: &str| {
        let form = support::numbers::inst(text, args.len() + 1);
        let mut all: Args = [0; MAX_SOURCES];
        all[..args.len()].copy_from_slice(args);
        let errata = form.page().errata.iter().filter(|e| e.manual.contains(told) && (e.concerns)(&form));
        errata.filter(|e| e.shows(&form, &all, false)).count() == 1
    };
    let flushed = "flushes subnormal results";
    assert!(shown("mul.ftz.f32", &[0x3f7f_ffff, 0x0080_0000], flushed));
    assert!(shown("mul.ftz.f32", &[0x3f00_0001, 0x00ff_fffe], flushed));
    assert!(!shown("mul.f32", &[0x3f7f_ffff, 0x0080_0000], flushed));
    assert!(!shown("mul.ftz.f32", &[0x3f00_0000, 0x0080_0000], flushed));
    assert!(shown("fma.rn.ftz.f16x2", &[0x3c00_3bff, 0x3c00_0400, 0], flushed));
    let nan = "which NaN a result is";
    assert!(shown("add.f32", &[0x7f80_0000, 0xff80_0000], nan));
    assert!(shown("add.f16x2", &[0x7e00_0000, 0], nan));
    assert!(!shown("add.f32", &[0x7f80_0000, 0x7f80_0000], nan));
    let large = "numbers too large without";
    assert!(shown("cvt.rn.ue5m3x2.f32", &[0x4800_0000, 0], large));
    assert!(shown("cvt.rp.ue8m0x2.f32", &[0, 0x7f7f_ffff], large));
    assert!(!shown("cvt.rn.ue5m3x2.f32", &[0x47e0_0000, 0], large));
    assert!(!shown("cvt.rn.ue5m3x2.f32", &[0x7fc0_0000, 0], large));
    assert!(!shown("cvt.rn.satfinite.ue5m3x2.f32", &[0x4800_0000, 0], large));
    let vanishes = "rounded to 0";
    assert!(shown("cvt.rn.satfinite.pzo.e4m3x2.f32", &[0, 0x8000_0001], vanishes));
    assert!(!shown("cvt.rn.satfinite.pzo.e4m3x2.f32", &[0x3f80_0000, 0x8000_0000], vanishes));
    assert!(!shown("cvt.rn.satfinite.e4m3x2.f32", &[0, 0x8000_0001], vanishes));
    let above = "above 65504";
    assert!(shown("cvt.rn.f16x2.ue5m3x2", &[0x00fe], above));
    assert!(!shown("cvt.rn.f16x2.ue5m3x2", &[0xfff7], above));
    let zero = "-0.0";
    assert!(shown("add.sat.f32", &[0x8000_0000, 0x8000_0000], zero));
    assert!(shown("sub.rm.sat.f32", &[0x3f80_0000, 0x3f80_0000], zero));
    assert!(!shown("sub.sat.f32", &[0x3f80_0000, 0x3f80_0000], zero));
    assert!(shown("fma.rn.relu.f16", &[0x0001, 0x8001, 0x0000], zero));
    assert!(!shown("mul.sat.f32", &[0x3f80_0000, 0xbf80_0000], zero));
    assert!(shown("testp.normal.f64", &[1 << 63], "0.0 is normal"));
    assert!(!shown("testp.normal.f64", &[1], "0.0 is normal"));
}
