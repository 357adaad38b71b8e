//! Sums of floating-point numbers that atomic operations leave in memory, where no NaN is among them.

/// What lies below it is not normal.
const LEAST_NORMAL: u32 = 0x0080_0000;

/// The bits of the sum of two numbers of `.f32`, rounded to nearest; numbers that are not normal are zeros of their sign if they are
/// flushed. None where it is NaN.
#[inline(always)]
pub(super) fn sum_f32(old: u32, value: u32, flush: bool) -> Option<u32> {
    let flushed =
        |bits: u32| if flush && bits & (u32::MAX >> 1) < LEAST_NORMAL { bits & 1 << 31 } else { bits };
    let sum = f32::from_bits(flushed(old)) + f32::from_bits(flushed(value));
    // A sum below the least normal number is exact.
    (!sum.is_nan()).then(|| flushed(sum.to_bits()))
}

/// The same of two numbers of `.f64`, which are never flushed.
#[inline(always)]
pub(super) fn sum_f64(old: u64, value: u64) -> Option<u64> {
    let sum = f64::from_bits(old) + f64::from_bits(value);
    (!sum.is_nan()).then(|| sum.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use margay_isa::{AtomicSpace, Inst, MAX_SOURCES, Meaning, Shape, select};

    fn judged(words: &[&str], space: AtomicSpace, old: u64, value: u64) -> u64 {
        let place = Shape { address: true, ..Shape::default() };
        let inst: Inst = select("red", words, &[place, Shape::default()]).unwrap().unwrap();
        let Meaning::Atomic(changed) = inst.page().meaning else { panic!("not atomic") };
        let mut args = [0; MAX_SOURCES];
        (args[0], args[1]) = (old.into(), value.into());
        changed(&inst, space, &args) as u64
    }

    #[test]
    fn sums_are_those_of_the_page() {
        let mut state = 11u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ state >> 31
        };
        let special = [
            0,
            1 << 31,
            1,
            0x8000_0001,
            0x007f_ffff,
            0x0080_0000,
            0x8080_0000,
            0x7f7f_ffff,
            0x7f80_0000,
            0xff80_0000,
            0x0080_0001,
        ];
        for round in 0..20_000 {
            let mut number = || match next() % 3 {
                0 => special[next() as usize % special.len()],
                // Numbers that are near 0.
                1 => next() as u32 & 0x81ff_ffff,
                _ => next() as u32,
            };
            let (old, value) = (number(), number());
            for space in [AtomicSpace::Global, AtomicSpace::Shared] {
                let wanted = judged(&["global", "add", "f32"], space, old.into(), value.into());
                let flush = space == AtomicSpace::Global;
                match sum_f32(old, value, flush) {
                    Some(sum) => assert_eq!(u64::from(sum), wanted, "{old:x} + {value:x}"),
                    None => assert!(f32::from_bits(wanted as u32).is_nan()),
                }
            }
            let (old, value) = match round % 2 {
                0 => (next(), next()),
                _ => (next() & 0x801f_ffff_ffff_ffff, next() & 0x801f_ffff_ffff_ffff),
            };
            let wanted = judged(&["global", "add", "f64"], AtomicSpace::Global, old, value);
            match sum_f64(old, value) {
                Some(sum) => assert_eq!(sum, wanted, "{old:x} + {value:x}"),
                None => assert!(f64::from_bits(wanted).is_nan()),
            }
        }
    }
}
