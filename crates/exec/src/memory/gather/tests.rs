//! Elements at any offsets are those that single accesses find, on every level.

use super::*;
use crate::batch::Simd;
use crate::memory::Words;

#[test]
fn elements_anywhere_are_those_that_lie_there_on_every_level() {
    let words = Words::zeroed(512).unwrap();
    words.set_bytes(0, &(0..512).map(|n| ((n * 37) >> 2) as u8).collect::<Vec<u8>>());
    let bulk = Bulk::of_words(&words);
    let mut seed = 3u64;
    for round in 0..2_000 {
        let width = 1u32 << (round % 4);
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            seed >> 40
        };
        let base = 1 << 20;
        let count = [1, 7, 8, 16, 45][next() as usize % 5];
        let room = 512 / u64::from(width);
        let mut addresses: Vec<u64> = (0..count).map(|_| base + next() % room * u64::from(width)).collect();
        // Some rows follow each other, some of these but for one element.
        for row in addresses.chunks_mut(ROW) {
            let (kind, first) = (next() % 3, next() % (room - ROW as u64 + 1));
            if kind > 0 {
                row.iter_mut().zip(first..).for_each(|(at, k)| *at = base + k * u64::from(width));
            }
            if kind == 2 {
                let place = next() as usize % row.len();
                row[place] = base + next() % room * u64::from(width);
            }
        }
        let wanted: Vec<u64> = addresses.iter().map(|at| words.load(at - base, width)).collect();
        for level in Simd::available().iter().map(|simd| Level::of(*simd)) {
            let (mut wide, mut narrow) = (vec![1; count], vec![1; count]);
            if width == 8 {
                bulk.gather_u64(level, &addresses, base, &mut wide);
            } else {
                bulk.gather(level, &addresses, base, width, &mut narrow);
                wide = narrow.into_iter().map(u64::from).collect();
            }
            assert_eq!(wide, wanted, "{width} bytes");
        }
        let copy = Words::zeroed(512).unwrap();
        let (bulk, plain) = (Bulk::of_words(&copy), Words::zeroed(512).unwrap());
        addresses.iter().enumerate().for_each(|(k, at)| plain.store(at - base, width, k as u64 + 1));
        for level in Simd::available().iter().map(|simd| Level::of(*simd)) {
            copy.set_bytes(0, &[0; 512]);
            match width {
                8 => bulk.scatter_u64(&addresses, base, 1..),
                _ => bulk.scatter(level, &addresses, base, width, 1..),
            }
            assert_eq!(copy.bytes(0, 512), plain.bytes(0, 512));
            if width == 4 {
                copy.set_bytes(0, &[0; 512]);
                bulk.scatter_words(level, &addresses, base, &(1..=count as u32).collect::<Vec<_>>());
                assert_eq!(copy.bytes(0, 512), plain.bytes(0, 512));
            }
        }
        for level in Simd::available().iter().map(|simd| Level::of(*simd)) {
            let mut seen = Vec::new();
            match width {
                8 => bulk.change(level, &addresses, base, |k, old: u64| {
                    seen.push(old);
                    old ^ (k as u64 + 77)
                }),
                4 => bulk.change(level, &addresses, base, |k, old: u32| {
                    seen.push(old.into());
                    old ^ (k as u32 + 77)
                }),
                _ => continue,
            }
            for (k, at) in addresses.iter().map(|at| at - base).enumerate() {
                let old = plain.load(at, width);
                assert_eq!(seen[k], old);
                plain.store(at, width, old ^ (k as u64 + 77));
            }
            assert_eq!(copy.bytes(0, 512), plain.bytes(0, 512));
        }
    }
}

#[test]
fn rows_are_the_elements_one_by_one() {
    let words = Words::zeroed(1024).unwrap();
    words.set_bytes(0, &(0..1024).map(|n| ((n * 37) >> 2) as u8).collect::<Vec<u8>>());
    let bulk = Bulk::of_words(&words);
    let base = 1 << 20;
    for count in [1, 15, 16, 17, 40, 48] {
        // Rows overlap, lie apart and go backwards.
        for starts in [[0, 64, 128], [0, 4, 60], [512, 0, 256], [960, 960, 960 - 64]] {
            let addresses: Vec<u64> =
                (0..count).map(|t| base + starts[t / ROW] + 4 * (t % ROW) as u64).collect();
            let (mut rows, mut single) = (vec![1u32; count], vec![2u32; count]);
            bulk.read_rows(&addresses, base, &mut rows);
            bulk.gather(Level::of(Simd::Baseline), &addresses, base, 4, &mut single);
            assert_eq!(rows, single, "{count} of {starts:?}");
            let [written, plain] = [(); 2].map(|()| Words::zeroed(1024).unwrap());
            let values: Vec<u32> = (1..=count as u32).collect();
            Bulk::of_words(&written).write_rows(&addresses, base, &values);
            Bulk::of_words(&plain).scatter(
                Level::of(Simd::Baseline),
                &addresses,
                base,
                4,
                values.iter().copied(),
            );
            assert_eq!(written.bytes(0, 1024), plain.bytes(0, 1024), "{count} of {starts:?}");
        }
    }
    for wrong in [1024 - 60, u64::MAX - 63] {
        let read = std::panic::AssertUnwindSafe(|| bulk.read_rows(&[wrong; 16], 0, &mut [0u32; 16]));
        assert!(std::panic::catch_unwind(read).is_err(), "{wrong}");
        let write = std::panic::AssertUnwindSafe(|| bulk.write_rows(&[wrong; 16], 0, &[7u32; 16]));
        assert!(std::panic::catch_unwind(write).is_err(), "{wrong}");
    }
}

#[test]
fn an_element_outside_is_refused_on_every_level() {
    let words = Words::zeroed(64).unwrap();
    for level in Simd::available().iter().map(|simd| Level::of(*simd)) {
        for wrong in [2, 64, u64::MAX - 3] {
            let gather = std::panic::AssertUnwindSafe(|| {
                let mut addresses = [0; 16];
                addresses[5] = wrong;
                Bulk::of_words(&words).gather(level, &addresses, 0, 4, &mut [0; 16]);
            });
            assert!(std::panic::catch_unwind(gather).is_err(), "{wrong}");
            let scatter = std::panic::AssertUnwindSafe(|| {
                Bulk::of_words(&words).scatter(level, &[0, wrong], 0, 4, [1, 1].into_iter());
            });
            assert!(std::panic::catch_unwind(scatter).is_err(), "{wrong}");
            let scatter = std::panic::AssertUnwindSafe(|| {
                Bulk::of_words(&words).scatter_words(level, &[0, wrong], 0, &[1, 1]);
            });
            assert!(std::panic::catch_unwind(scatter).is_err(), "{wrong}");
            let change = std::panic::AssertUnwindSafe(|| {
                let mut addresses = [0; 16];
                addresses[5] = wrong;
                Bulk::of_words(&words).change(level, &addresses, 0, |_, old: u32| old + 1);
            });
            assert!(std::panic::catch_unwind(change).is_err(), "{wrong}");
            assert_eq!(words.load(0, 8), 0, "something was touched");
        }
    }
}
