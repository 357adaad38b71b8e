//! What one step leaves in memory that holds integers or bits.

use crate::types::{Bits, Ty};
use crate::words::Word;

/// What memory holds after an operation: `old` is what it held, `b` and `c` are what is given.
pub(crate) fn combined(op: Word, ty: Ty, [old, b, c]: [Bits; 3]) -> Bits {
    match op {
        Word::And => old & b,
        Word::Or => old | b,
        Word::Xor => old ^ b,
        Word::Add => (old + b) & ty.mask(),
        Word::Inc => {
            if old >= b {
                0
            } else {
                old + 1
            }
        }
        Word::Dec => {
            if old == 0 || old > b {
                b
            } else {
                old - 1
            }
        }
        Word::Min => {
            if ty.value(b) < ty.value(old) {
                b
            } else {
                old
            }
        }
        Word::Max => {
            if ty.value(b) > ty.value(old) {
                b
            } else {
                old
            }
        }
        Word::Cas => {
            if old == b {
                c
            } else {
                old
            }
        }
        _ => b,
    }
}
