//! Errata against the meanings: where ptxas computes something else an erratum tells of the form, and each tells the truth.

mod support;

use margay_isa::forms::{forms, random_form};
use margay_isa::{Args, Bits, Inst, MAX_SOURCES, PAGES, Semantics};
use support::random;

/// Values at the edges of bytes, half-words and words.
fn value(random: &mut dyn FnMut() -> u64) -> Bits {
    const BYTES: [u8; 6] = [0, 1, 0x7f, 0x80, 0xff, 0x40];
    let bytes: [u8; 4] = std::array::from_fn(|_| BYTES[random() as usize % BYTES.len()]);
    match random() % 3 {
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
