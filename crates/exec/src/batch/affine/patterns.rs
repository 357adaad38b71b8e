//! What lanes of warps have of periodic values, each pattern once, and what operations have made of them.

use crate::batch::affine::AXES;
use crate::memory::LaneOffsets;
use foldhash::HashMap;
use margay_isa::WARP;
use std::sync::Arc;

/// The number of a pattern.
pub(crate) type PatternId = u32;

/// That of zeros.
pub(crate) const ZEROS: PatternId = 0;

/// Patterns at most: kernels have a few dozen.
const MOST: usize = 1 << 10;

/// What a pattern is made of: other patterns, and of bases what does more than add to all lanes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Recipe {
    pub(super) patterns: [PatternId; 3],
    pub(super) parts: [u64; 4],
}

/// A pattern, and what the lowest lane has above the base.
type Made = (PatternId, u64);

/// What warps have more than the first one, each in its place.
type Starts = (([i64; AXES], [u32; AXES]), Arc<[u64]>);

/// Such that are kept: of shared and global memory each, from which and to which a loop copies.
const STARTS: usize = 8;

/// The patterns of a launch.
pub(crate) struct Patterns {
    /// How far the value of each lane lies above the lowest.
    all: Vec<LaneOffsets>,
    numbers: HashMap<[u64; WARP], PatternId>,
    /// By a pattern, and what is added to it from lane to lane along each axis.
    with_steps: HashMap<(PatternId, [i64; AXES]), Made>,
    /// By operation, what it was made of last.
    made: Vec<Option<(Recipe, Made)>>,
    starts: Vec<Starts>,
    /// Which of these is forgotten next.
    oldest: usize,
}

impl Patterns {
    pub(crate) fn new() -> Patterns {
        let mut patterns = Patterns {
            all: Vec::new(),
            numbers: HashMap::default(),
            with_steps: HashMap::default(),
            made: Vec::new(),
            starts: Vec::new(),
            oldest: 0,
        };
        patterns.number([0; WARP]);
        patterns
    }

    pub(crate) fn get(&self, pattern: PatternId) -> &LaneOffsets {
        &self.all[pattern as usize]
    }

    /// The number of a pattern; none if there are too many.
    fn number(&mut self, lanes: [u64; WARP]) -> Option<PatternId> {
        if let Some(id) = self.numbers.get(&lanes) {
            return Some(*id);
        }
        if self.all.len() == MOST {
            return None;
        }
        let id = self.all.len() as PatternId;
        self.all.push(LaneOffsets::new(lanes));
        self.numbers.insert(lanes, id);
        Some(id)
    }

    /// The pattern of numbers that are cut to so many bits.
    fn of_numbers(&mut self, numbers: [i64; WARP], mask: u64) -> Option<Made> {
        let least = *numbers.iter().min()?;
        let above = numbers.map(|number| number.wrapping_sub(least) as u64);
        if above.iter().all(|lane| *lane <= mask) {
            return Some((self.number(above)?, least as u64));
        }
        let cut = numbers.map(|number| number as u64 & mask);
        let least = *cut.iter().min()?;
        Some((self.number(cut.map(|lane| lane - least))?, least))
    }

    /// A pattern with steps along axes on which lanes lie; along others there are none.
    pub(super) fn with_steps(
        &mut self,
        pattern: PatternId,
        steps: [i64; AXES],
        extent: [u32; AXES],
    ) -> Option<Made> {
        if let Some(made) = self.with_steps.get(&(pattern, steps)) {
            return Some(*made);
        }
        let (mut numbers, mut lanes) = ([0i64; WARP], 1);
        for axis in 0..AXES {
            let all = lanes * extent[axis] as usize;
            for lane in lanes..all.min(WARP) {
                numbers[lane] = numbers[lane - lanes].wrapping_add(steps[axis]);
            }
            lanes = all;
        }
        numbers
            .iter_mut()
            .zip(self.get(pattern).each())
            .for_each(|(n, lane)| *n = n.wrapping_add(*lane as i64));
        let made = self.of_numbers(numbers, u64::MAX)?;
        self.with_steps.insert((pattern, steps), made);
        Some(made)
    }

    /// What every warp has more than the first one of a value with these steps, in the order of warps.
    pub(crate) fn starts(&mut self, steps: [i64; AXES], extent: [u32; AXES], lane_axes: usize) -> Arc<[u64]> {
        let key = (steps, extent);
        if let Some((_, starts)) = self.starts.iter().find(|(known, _)| *known == key) {
            return starts.clone();
        }
        let mut starts = vec![0u64];
        for axis in lane_axes..AXES {
            let warps = starts.len();
            for warp in warps..warps * extent[axis] as usize {
                starts.push(starts[warp - warps].wrapping_add_signed(steps[axis]));
            }
        }
        let starts: Arc<[u64]> = starts.into();
        if self.starts.len() < STARTS {
            self.starts.push((key, starts.clone()));
        } else {
            self.starts[self.oldest] = (key, starts.clone());
            self.oldest = (self.oldest + 1) % STARTS;
        }
        starts
    }

    /// The sum of patterns, each so many times, cut to the bits of a mask.
    #[inline]
    pub(super) fn sum(
        &mut self,
        op: u32,
        patterns: [PatternId; 3],
        times: [i64; 3],
        mask: u64,
    ) -> Option<Made> {
        let differs = |k: &usize| patterns[*k] != ZEROS && times[*k] != 0;
        let mut others = (0..3).filter(differs);
        match (others.next(), others.next()) {
            (None, _) => return Some((ZEROS, 0)),
            (Some(k), None) if times[k] == 1 && self.get(patterns[k]).most() <= mask => {
                return Some((patterns[k], 0));
            }
            _ => {}
        }
        let [a, b, c] = times.map(|times| times as u64);
        self.made(op, Recipe { patterns, parts: [a, b, c, 0] }, mask, |all| {
            let of = |k: usize, lane: usize| all[patterns[k] as usize].each()[lane] as i64;
            let sum =
                |lane| (0..3).fold(0, |sum: i64, k| sum.wrapping_add(of(k, lane).wrapping_mul(times[k])));
            std::array::from_fn(sum)
        })
    }

    /// What an operation makes of some patterns: `numbers` are those of lanes, cut to the bits of a mask.
    #[inline]
    pub(super) fn made(
        &mut self,
        op: u32,
        recipe: Recipe,
        mask: u64,
        numbers: impl FnOnce(&[LaneOffsets]) -> [i64; WARP],
    ) -> Option<Made> {
        let op = op as usize;
        if let Some(Some((known, made))) = self.made.get(op)
            && *known == recipe
        {
            return Some(*made);
        }
        let numbers = numbers(&self.all);
        let made = self.of_numbers(numbers, mask)?;
        if self.made.len() <= op {
            self.made.resize(op + 1, None);
        }
        self.made[op] = Some((recipe, made));
        Some(made)
    }
}
