//! Random patterns, and the forms that they are given to.

use crate::support::Random;
use margay_isa::float::Format;
use margay_isa::tensor_core::Form;
use margay_isa::{Bits, MatrixShape, Word};

/// How random numbers are drawn.
#[derive(Clone, Copy)]
pub enum Draw {
    /// Any pattern.
    Any,
    /// Exponents close to each other, so that sums are long and cancel.
    Close,
    /// Zeros, subnormal numbers, the greatest and the least; now and then infinities and NaN.
    Special,
}

/// A pattern of the format that the word names; of other words any 64 bits.
pub fn pattern(random: &mut Random, word: Word, draw: Draw) -> Bits {
    let bits = Bits::from(random.next());
    let Some(format) = Format::named(word) else { return bits };
    let (stored, choice) = (format.precision - 1 + format.unused, random.next() % 480);
    let sign = bits & format.sign_bit();
    let fraction = bits & ((1 << stored) - 1);
    let drawn = match draw {
        Draw::Any => bits,
        Draw::Close => {
            sign | (format.bias as Bits + Bits::from(choice % 4)).saturating_sub(2) << stored | fraction
        }
        Draw::Special => match choice {
            0..120 => sign,
            120..280 => sign | fraction,
            280..340 => sign | format.greatest(),
            340..400 => sign | 1 << stored,
            400 => sign | format.beyond(),
            401 => sign | format.nan(&[]),
            _ => bits,
        },
    };
    drawn & format.mask()
}

const HALVES: [Word; 2] = [Word::F32, Word::F16];
const SMALL: [Word; 5] = [Word::E4m3, Word::E5m2, Word::E3m2, Word::E2m3, Word::E2m1];

/// Every combination of types, depth, kind and scales that some device multiplies as numbers, for one row, and how many scales a row has.
pub fn forms() -> Vec<(Form, usize)> {
    let plain = |m, k, d, a, b| Form::plain(MatrixShape { m, n: 8, k }, [d, a, b, d]);
    let mut forms = Vec::new();
    for d in HALVES {
        forms.extend([4, 8, 16].map(|k| (plain(1, k, d, Word::F16, Word::F16), 0)));
        for a in SMALL {
            for b in SMALL {
                forms.extend([16, 32].map(|k| (plain(1, k, d, a, b), 0)));
            }
        }
        for small in [Word::E4m3, Word::E5m2] {
            forms.push((Form { asynchronous: true, ..plain(1, 32, d, small, small) }, 0));
        }
    }
    forms.extend([8, 16].map(|k| (plain(1, k, Word::F32, Word::Bf16, Word::Bf16), 0)));
    forms.extend([4, 8].map(|k| (plain(1, k, Word::F32, Word::Tf32, Word::Tf32), 0)));
    for (a, b) in SMALL.into_iter().flat_map(|a| SMALL.map(|b| (a, b))) {
        let kind = Word::KindMxf8f6f4;
        forms.push((Form { kind, scales: Word::Ue8m0, ..plain(1, 32, Word::F32, a, b) }, 1));
    }
    for (kind, scales, count) in [
        (Word::KindMxf4, Word::Ue8m0, 2),
        (Word::KindMxf4nvf4, Word::Ue8m0, 2),
        (Word::KindMxf4nvf4, Word::Ue8m0, 4),
        (Word::KindMxf4nvf4, Word::Ue4m3, 4),
    ] {
        forms.push((Form { kind, scales, ..plain(1, 64, Word::F32, Word::E2m1, Word::E2m1) }, count));
    }
    forms
}
