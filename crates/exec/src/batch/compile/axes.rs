//! The axes along which affine values of a block's threads grow: those of the block, divided where a kernel takes low bits of a
//! thread's place, as the lane of a warp is.

use crate::batch::affine::AXES;
use crate::batch::compile::ir::{BlockIr, Item, ValueDef};
use crate::batch::lanes::GROUP;
use crate::grid::Dim;
use margay_isa::WARP;
use margay_isa::special::SpecialValue;
use margay_isa::uop::{Int, Op};

/// How the threads of a block lie along the axes of affine values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Axes {
    /// Threads along each axis; the first changes fastest.
    pub(crate) extent: [u32; AXES - 1],
    /// By axis of the block, how far a thread's place in it grows along each axis.
    pub(crate) steps: [[i64; AXES - 1]; 3],
}

impl Axes {
    /// Those of the block itself.
    pub(crate) fn of(block: Dim) -> Axes {
        Axes { extent: [block.x, block.y, block.z], steps: [[1, 0, 0], [0, 1, 0], [0, 0, 1]] }
    }

    /// The same, divided after so many threads, if an axis is to spare for it and ends so.
    fn divided(self, threads: u32) -> Option<Axes> {
        let mut before = 1;
        for axis in 0..AXES - 1 {
            let extent = self.extent[axis];
            if before == threads || !threads.is_multiple_of(before) {
                return None;
            }
            let inner = threads / before;
            if inner < extent && extent.is_multiple_of(inner) {
                return self.divided_at(axis, inner);
            }
            before *= extent;
        }
        None
    }

    fn divided_at(self, axis: usize, inner: u32) -> Option<Axes> {
        let spare = (0..AXES - 1).rev().find(|spare| *spare > axis && self.extent[*spare] == 1)?;
        let mut divided = self;
        // Axes between the two make way.
        for moved in (axis + 2..=spare).rev() {
            divided.extent[moved] = self.extent[moved - 1];
            divided.steps.iter_mut().zip(self.steps).for_each(|(to, from)| to[moved] = from[moved - 1]);
        }
        divided.extent[axis] = inner;
        divided.extent[axis + 1] = self.extent[axis] / inner;
        for (to, from) in divided.steps.iter_mut().zip(self.steps) {
            to[axis + 1] = from[axis] * i64::from(inner);
        }
        Some(divided)
    }

    /// Those that suit a kernel: divided where it takes so many low bits of places, the most frequent first.
    pub(crate) fn chosen(block: Dim, irs: &[BlockIr]) -> Axes {
        let mut counts = [0u32; 32];
        for (ir, item) in irs.iter().flat_map(|ir| ir.items.iter().map(move |item| (ir, item))) {
            let Item::Value(node) = item else { continue };
            let (op, operands) = match ir.values[*node as usize].from {
                ValueDef::Op(op, operands) => (op, operands),
                ValueDef::Special(SpecialValue::Laneid) => {
                    counts[WARP.trailing_zeros() as usize] += 1;
                    continue;
                }
                _ => continue,
            };
            if ir.is_place(operands[0]) && ir.is_place(operands[1]) {
                low_bits(op, &|k| ir.known_bits(operands[k]))
                    .for_each(|bits| counts[bits as usize % 32] += 1);
            }
        }
        let mut axes = Axes::of(block);
        let least = GROUP.trailing_zeros();
        while let Some(bits) =
            (least..10).max_by_key(|bits| counts[*bits as usize]).filter(|bits| counts[*bits as usize] > 0)
        {
            counts[bits as usize] = 0;
            axes = axes.divided(1 << bits).unwrap_or(axes);
        }
        axes
    }

    /// On how many of the first axes the lanes of a warp lie, if warps end with axes and there are several.
    pub(crate) fn of_lanes(&self) -> Option<usize> {
        let mut threads = 1;
        let ends = |extent: &u32| {
            threads *= extent;
            threads == WARP as u32
        };
        self.extent.iter().position(ends).map(|axis| axis + 1)
    }

    /// How far a thread's lane grows along each axis, where warps end with axes.
    pub(crate) fn lane(&self) -> [i64; AXES - 1] {
        let mut threads = 1;
        self.extent.map(|extent| {
            let step = if threads < WARP as i64 { threads } else { 0 };
            threads *= i64::from(extent);
            step
        })
    }

    /// A thread's place along each axis.
    pub(crate) fn place(&self, thread: u32) -> [u32; AXES - 1] {
        let mut rest = thread;
        self.extent.map(|extent| {
            let at = rest % extent;
            rest /= extent;
            at
        })
    }

    /// Whether so many low bits of an affine value mostly grow along other axes than the bits above, where so many blocks run
    /// together.
    pub(crate) fn divide(&self, bits: u32, batch_size: u32) -> bool {
        let Some(multiple) = 1u64.checked_shl(bits) else { return true };
        let mut threads = 1u64;
        for extent in self.extent {
            threads *= u64::from(extent);
            if threads == multiple {
                return true;
            }
        }
        multiple.is_multiple_of(threads * u64::from(batch_size))
    }
}

/// The numbers of low bits that an operation parts from those above, with operands some of which are known.
pub(super) fn low_bits(op: Op, known: &dyn Fn(usize) -> Option<u64>) -> impl Iterator<Item = u32> {
    let of_mask = |mask: u64, width: u32| {
        let low = mask & (u64::MAX >> (64 - width));
        let bits = if low & 1 == 1 { low.trailing_ones() } else { low.trailing_zeros() };
        let rest = low >> bits;
        let is_mask = if low & 1 == 1 { rest == 0 } else { rest == (u64::MAX >> (64 - width)) >> bits };
        is_mask.then_some(bits)
    };
    let found = match op {
        Op::Int32(Int::And) => [known(0).or(known(1)).and_then(|mask| of_mask(mask, 32)), None],
        Op::Int64(Int::And) => [known(0).or(known(1)).and_then(|mask| of_mask(mask, 64)), None],
        Op::Int32(Int::ExtractU(at, length)) => field(at, length, 32),
        Op::Int64(Int::ExtractU(at, length)) => field(at, length, 64),
        Op::Int32(Int::Sar | Int::Shr) | Op::Int64(Int::Sar | Int::Shr) => {
            [known(1).map(|by| by.min(63) as u32), None]
        }
        _ => [None, None],
    };
    found.into_iter().flatten()
}

fn field(at: u8, length: u8, width: u8) -> [Option<u32>; 2] {
    let low = (at > 0).then_some(at.into());
    let end = at + length;
    [low, (end < width).then_some(end.into())]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The place of every thread by the axes is that in the block.
    fn check(axes: Axes, block: Dim) {
        for thread in 0..block.x * block.y * block.z {
            let place = axes.place(thread).map(i64::from);
            let at = block.at(thread.into());
            for (steps, want) in axes.steps.iter().zip([at.x, at.y, at.z]) {
                let sum: i64 = steps.iter().zip(place).map(|(step, place)| step * place).sum();
                assert_eq!(sum, i64::from(want), "{axes:?} of {block:?}, thread {thread}");
            }
        }
    }

    #[test]
    fn divided_axes_place_threads_as_the_block_does() {
        let line = Axes::of(Dim::new(256, 1, 1));
        let warps = line.divided(32).unwrap();
        assert_eq!((warps.extent, warps.steps[0]), ([32, 8, 1], [1, 32, 0]));
        let both = warps.divided(16).unwrap();
        assert_eq!((both.extent, both.steps[0]), ([16, 2, 8], [1, 16, 32]));
        check(both, Dim::new(256, 1, 1));
        check(warps.divided(128).unwrap(), Dim::new(256, 1, 1));
        assert_eq!(both.divided(128), None);
        let square = Axes::of(Dim::new(16, 16, 1)).divided(32).unwrap();
        assert_eq!(square.extent, [16, 2, 8]);
        check(square, Dim::new(16, 16, 1));
        let wide = Axes::of(Dim::new(64, 4, 1)).divided(32).unwrap();
        assert_eq!(wide.extent, [32, 2, 4]);
        check(wide, Dim::new(64, 4, 1));
        check(Axes::of(Dim::new(64, 1, 3)).divided(32).unwrap(), Dim::new(64, 1, 3));
        assert_eq!(Axes::of(Dim::new(64, 2, 3)).divided(32), None, "no axis is to spare");
        assert_eq!(Axes::of(Dim::new(96, 1, 1)).divided(64), None);
    }

    #[test]
    fn low_bits_are_told_apart_by_whole_axes() {
        let axes = Axes::of(Dim::new(256, 1, 1)).divided(32).unwrap();
        let divided: Vec<u32> = (0..12).filter(|bits| axes.divide(*bits, 2)).collect();
        assert_eq!(divided, [5, 8, 9, 10, 11]);
    }
}
