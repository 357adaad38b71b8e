//! What concerns whole warps: masks as bits, values that lanes exchange.

use crate::batch::lanes::held::HALVES;
use crate::batch::lanes::{GROUP, Level, Line, Lines, Place, UNIT, portable};
use margay_isa::WARP;
use margay_isa::warp::ballot;

#[cfg(target_arch = "x86_64")]
use crate::batch::lanes::{Simd, x86};

impl Level {
    /// For every warp of a mask, a bit for each of its threads that is in.
    pub(crate) fn bits(self, mask: &[u32], bits: &mut [u32]) {
        let warps = mask.as_chunks().0;
        // SAFETY: the machine has the level.
        unsafe {
            match self.simd() {
                #[cfg(target_arch = "x86_64")]
                Simd::Avx512 => x86::bits_avx512(warps, bits),
                #[cfg(target_arch = "x86_64")]
                Simd::Avx2 => x86::bits_avx2(warps, bits),
                _ => portable_bits(warps, bits),
            }
        }
    }

    /// Makes masks of the bits of those warps whose bits are others than they were.
    fn spread(self, mask: &mut [u32], bits: &[u32], old: &[u32]) {
        let warps = mask.as_chunks_mut().0;
        // SAFETY: the machine has the level.
        unsafe {
            match self.simd() {
                #[cfg(target_arch = "x86_64")]
                Simd::Avx512 => x86::spread_avx512(warps, bits, old),
                #[cfg(target_arch = "x86_64")]
                Simd::Avx2 => x86::spread_avx2(warps, bits, old),
                _ => portable::spread(warps, bits, old),
            }
        }
    }
}

impl Lines<'_> {
    /// For every warp, a bit for each of its threads in which a predicate holds.
    ///
    /// # Panics
    /// If the predicate is the same in all threads.
    pub(crate) fn bits(&self, predicate: Place, bits: &mut [u32]) {
        assert!(predicate.stride == 1, "{predicate:?}");
        self.level.bits(self.u32s(predicate), bits);
    }

    /// The same for warps in whose unit threads run; others' bits stay.
    ///
    /// # Panics
    /// If the predicate is the same in all threads, or there are fewer bits than lines are for.
    pub(crate) fn bits_where_run(&self, predicate: Place, bits: &mut [u32]) {
        assert!(predicate.stride == 1, "{predicate:?}");
        let (mask, unit) = (self.u32s(predicate), UNIT * GROUP);
        for (first, count) in &self.units {
            let threads = *first as usize * unit..(*first + *count) as usize * unit;
            let warps = threads.start / WARP..threads.end / WARP;
            self.level.bits(&mask[threads], &mut bits[warps]);
        }
    }

    /// These threads run from now on, a bit each for every warp, and only in their units operations are carried out; in all units where all
    /// run. Gives the bits of those that ran before.
    ///
    /// # Panics
    /// If there are not as many bits as lines are for.
    pub(crate) fn run_those(&mut self, bits: Vec<u32>, all: bool) -> Vec<u32> {
        assert!(bits.len() == self.running.len());
        let old = std::mem::replace(&mut self.running, bits);
        self.units.clear();
        if all {
            self.units.push((0, (self.groups / UNIT) as u32));
            return old;
        }
        for (unit, warps) in self.running.chunks(UNIT * GROUP / WARP).enumerate() {
            match self.units.last_mut() {
                _ if warps.iter().all(|bits| *bits == 0) => {}
                Some((first, count)) if *first + *count == unit as u32 => *count += 1,
                _ => self.units.push((unit as u32, 1)),
            }
        }
        old
    }

    /// Makes the mask that of the threads that run. It must always be the same place, which held no thread at first.
    pub(crate) fn update_mask(&mut self, mask: Place) {
        assert!(mask.stride == 1);
        let (bits, mut old) = (std::mem::take(&mut self.running), std::mem::take(&mut self.masked));
        self.level.spread(self.u32s_mut(mask), &bits, &old);
        old.copy_from_slice(&bits);
        (self.running, self.masked) = (bits, old);
    }

    /// Every lane of each warp in whose unit threads run gets the value of the lane that is chosen for it.
    ///
    /// # Panics
    /// If the value or the result is the same in all threads, or is not 32 bits wide.
    pub(crate) fn exchange(&mut self, choices: &[u8; WARP], from: Place, to: Place) {
        assert!(from.stride == 1 && to.stride == 1, "{from:?} to {to:?}");
        let choices = choices.map(|lane| u32::from(lane) % WARP as u32);
        let warps = |place: Place| place.line as usize..place.line as usize + self.groups;
        assert!(warps(from).end.max(warps(to).end) <= self.lines.len());
        let firsts = [warps(from).start, warps(to).start];
        for (first, count) in &self.units {
            let groups = *first as usize * UNIT..(*first + *count) as usize * UNIT;
            // SAFETY: the machine has the level.
            unsafe {
                match self.level.simd() {
                    #[cfg(target_arch = "x86_64")]
                    Simd::Avx512 => x86::exchange_avx512(&mut self.lines, groups, firsts, &choices),
                    #[cfg(target_arch = "x86_64")]
                    Simd::Avx2 => x86::exchange_avx2(&mut self.lines, groups, firsts, &choices),
                    _ => portable_exchange(&mut self.lines, groups, firsts, &choices),
                }
            }
        }
    }
}

fn portable_bits(warps: &[[u32; WARP]], bits: &mut [u32]) {
    for (bits, warp) in bits.iter_mut().zip(warps) {
        *bits = ballot(warp, |lane| lane != 0);
    }
}

fn portable_exchange(
    lines: &mut [Line],
    groups: std::ops::Range<usize>,
    [from, to]: [usize; 2],
    choices: &[u32; WARP],
) {
    for group in groups.step_by(HALVES) {
        let halves = [lines[from + group].0, lines[from + group + 1].0];
        let value = |lane: u32| halves[lane as usize / GROUP % HALVES][lane as usize % GROUP];
        let (low, high) = choices.split_at(GROUP);
        lines[to + group].0 = std::array::from_fn(|k| value(low[k]));
        lines[to + group + 1].0 = std::array::from_fn(|k| value(high[k]));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Runs, Simd, VectorOp, VectorOps, What};
    use super::*;
    use margay_isa::uop::Type;

    #[test]
    fn warps_exchange_and_masks_become_bits_on_every_level() {
        let groups = 2 * UNIT;
        let (from, to) = (Place { line: 0, stride: 1 }, Place { line: groups as u32, stride: 1 });
        let scattered: [u8; WARP] = std::array::from_fn(|lane| (lane as u8 * 7 + 3) % 32);
        let down: [u8; WARP] = std::array::from_fn(|lane| (lane as u8 + 5).min(31));
        let swapped: [u8; WARP] = std::array::from_fn(|lane| lane as u8 ^ 16);
        let one = [19; WARP];
        let all = [scattered, down, swapped, one];
        for (simd, choices) in Simd::available().iter().flat_map(|simd| all.map(|choices| (simd, choices))) {
            let vector_op = VectorOp { what: What::Move(Type::U32), to, from: [from; 3] };
            let runs = Runs { lasts: vec![true], ..Runs::default() };
            let vector_ops = VectorOps::new(2 * groups, groups, vec![vector_op], runs);
            let mut lines = Lines::new(&vector_ops, *simd, None);
            let value = |thread: usize| (thread * thread + 1) as u32;
            lines.u32s_mut(from).iter_mut().enumerate().for_each(|(t, lane)| *lane = value(t));
            let active = |thread: usize| thread >= UNIT * GROUP && thread.is_multiple_of(3);
            let mask: Vec<u32> = (0..groups * GROUP).map(|t| if active(t) { u32::MAX } else { 0 }).collect();
            let mut bits = [7; 4];
            lines.level().bits(&mask, &mut bits);
            let want =
                |warp: usize| (0..WARP).filter(|k| active(warp * WARP + k)).fold(0, |all, k| all | 1 << k);
            assert_eq!(bits, std::array::from_fn(want), "{simd:?}");
            // Only the second unit runs; then in place.
            lines.u32s_mut(to).fill(0);
            let before = lines.run_those(bits.to_vec(), false);
            lines.update_mask(to);
            assert_eq!((lines.u32s(to), &before[..], lines.running()), (&mask[..], &[0; 4][..], &bits[..]));
            lines.u32s_mut(to).fill(7);
            lines.exchange(&choices, from, to);
            let chosen = |t: usize| value(t / WARP * WARP + usize::from(choices[t % WARP]));
            let want: Vec<u32> =
                (0..groups * GROUP).map(|t| if t < UNIT * GROUP { 7 } else { chosen(t) }).collect();
            assert_eq!(lines.u32s(to), want, "{simd:?}");
            lines.exchange(&choices, from, from);
            assert_eq!(lines.u32s(from)[UNIT * GROUP..], want[UNIT * GROUP..], "{simd:?}");
            // Others run: some of those that did do not any more.
            lines.u32s_mut(to).copy_from_slice(&mask);
            let others = [1 << 31, u32::MAX, 0, bits[3]];
            assert_eq!(lines.run_those(vec![7; 4], false), bits, "{simd:?}");
            assert_eq!(lines.run_those(others.to_vec(), false), [7; 4], "{simd:?}");
            lines.update_mask(to);
            lines.level().bits(lines.u32s(to), &mut bits);
            assert_eq!(bits, others, "{simd:?}");
        }
    }
}
