//! Masks, ramps and addresses in plain Rust: loops over whole lines that a compiler turns into the machine's widest instructions.

use crate::batch::lanes::GROUP;
use margay_isa::WARP;
use std::array::from_fn;

/// What is known of the addresses of all threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Scan {
    pub(crate) least: u64,
    pub(crate) most: u64,
    /// All of them, bit by bit.
    pub(crate) low_bits: u64,
    /// How far each lies behind the one before, if that is always the same.
    pub(crate) step: Option<u64>,
    /// The same in each group of threads.
    pub(crate) step_of_groups: Option<u64>,
}

/// 32 bits for each thread of a group.
pub(super) type W = [u32; GROUP];

/// Makes masks of the bits of those warps whose bits are new.
#[inline(always)]
pub(super) fn spread(warps: &mut [[u32; WARP]], bits: &[u32], old: &[u32]) {
    for ((warp, bits), _) in warps.iter_mut().zip(bits).zip(old).filter(|((_, bits), old)| bits != old) {
        *warp = from_fn(|lane| 0u32.wrapping_sub(bits >> lane & 1));
    }
}

/// Gives each lane a value, from the first one on in equal steps.
#[inline(always)]
pub(super) fn ramp(lanes: &mut [u64], first: u64, step: u64) {
    for (k, lane) in lanes.iter_mut().enumerate() {
        *lane = first.wrapping_add(step.wrapping_mul(k as u64));
    }
}

/// The same in 32 bits.
#[inline(always)]
pub(super) fn ramp_narrow(lanes: &mut [u32], first: u32, step: u32) {
    for (k, lane) in lanes.iter_mut().enumerate() {
        *lane = first.wrapping_add(step.wrapping_mul(k as u32));
    }
}

/// The least and the greatest value, what bits there are (`limits` tells them), and the distance if it is the same in all groups or
/// always.
#[inline(always)]
pub(super) fn scan(values: &[u64], limits: impl Fn(&[u64]) -> (u64, u64, u64)) -> Scan {
    let step = values.get(1).map_or(0, |second| second.wrapping_sub(values[0]));
    let (groups, rest) = values.as_chunks::<GROUP>();
    // Steps so small that values of a group lie between its ends unless they wrap, which the ends show.
    let small = (step as i64).unsigned_abs() < 1 << 32;
    if small && groups.iter().all(|group| distance(group, step) == 0) && distance(rest, step) == 0 {
        return scan_ends(values, step);
    }
    let (least, most, low_bits) = limits(values);
    Scan { least, most, low_bits, step: None, step_of_groups: None }
}

/// The least and the greatest value, and what bits there are.
#[inline(always)]
pub(super) fn limits(values: &[u64]) -> (u64, u64, u64) {
    let (mut least, mut most, mut low_bits) = (u64::MAX, 0, 0);
    for value in values {
        least = least.min(*value);
        most = most.max(*value);
        low_bits |= *value;
    }
    (least, most, low_bits)
}

/// Bits in which values differ from such as lie at the same distance from each other.
#[inline(always)]
fn distance(values: &[u64], step: u64) -> u64 {
    let expected = |k: usize| values[0].wrapping_add(step.wrapping_mul(k as u64));
    values.iter().enumerate().fold(0, |bits, (k, value)| bits | value ^ expected(k))
}

/// The same of values whose distance is the same in each group.
#[inline(always)]
fn scan_ends(values: &[u64], step: u64) -> Scan {
    let mut scan = Scan {
        least: u64::MAX,
        most: 0,
        low_bits: if values.len() > 1 { step } else { 0 },
        step: Some(step),
        step_of_groups: Some(step),
    };
    let mut expected = values[0];
    for group in values.chunks(GROUP) {
        let (first, last) = (group[0], group[group.len() - 1]);
        let wraps = (first <= last) != (step as i64 >= 0) && first != last;
        scan.least = if wraps { 0 } else { scan.least.min(first).min(last) };
        scan.most = if wraps { u64::MAX } else { scan.most.max(first).max(last) };
        scan.low_bits |= first;
        if first != expected {
            scan.step = None;
        }
        expected = first.wrapping_add(step.wrapping_mul(GROUP as u64));
    }
    scan
}
