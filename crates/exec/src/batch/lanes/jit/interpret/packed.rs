//! What instructions on bytes, half-words and single bits of integers do.

use super::Vector;
use std::array::from_fn;

pub(super) fn products_of_bytes(sum: u32, a: u32, b: u32) -> u32 {
    let pairs = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
    pairs.fold(sum, |sum, (a, b)| sum.wrapping_add((i32::from(a) * i32::from(b as i8)) as u32))
}

pub(super) fn products_of_halves(a: u32, b: u32) -> u32 {
    let half = |v: u32, k: u32| i32::from((v >> (16 * k)) as u16 as i16);
    (half(a, 0) * half(b, 0)).wrapping_add(half(a, 1) * half(b, 1)) as u32
}

pub(super) fn sums_of_halves(a: u32, b: u32) -> u32 {
    let sum = |k: u32| u32::from(((a >> k) as u16).wrapping_add((b >> k) as u16));
    sum(0) | sum(16) << 16
}

/// Half-words, each the sum of two products of a byte without sign and one with, or the nearest to it that there is.
pub(super) fn products_of_pairs(a: u32, b: u32) -> u32 {
    let product = |k: u32| i32::from((a >> k) as u8) * i32::from((b >> k) as u8 as i8);
    let sum = |k: u32| {
        let sum = product(k) + product(k + 8);
        u32::from(sum.clamp(i16::MIN.into(), i16::MAX.into()) as u16)
    };
    sum(0) | sum(16) << 16
}

/// Bytes of each quarter from where the low bits of a byte say, or 0 where its sign is set.
pub(super) fn shuffled(data: Vector, places: Vector) -> Vector {
    from_fn(|k| {
        let quarter = data[k / 4 * 4..][..4].iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let byte = |place: u8| if place >= 0x80 { 0 } else { quarter[usize::from(place & 15)] };
        u32::from_le_bytes(places[k].to_le_bytes().map(byte))
    })
}

pub(super) fn ternary(table: u32, a: u32, b: u32, c: u32) -> u32 {
    let bit = |k: u32| (a >> k & 1) << 2 | (b >> k & 1) << 1 | c >> k & 1;
    (0..32).fold(0, |all, k| all | (table >> bit(k) & 1) << k)
}

/// Eight bits of each 64 from where a byte says.
pub(super) fn shifted_bytes(places: u64, data: u64) -> u64 {
    u64::from_le_bytes(places.to_le_bytes().map(|place| data.rotate_right(u32::from(place & 63)) as u8))
}
