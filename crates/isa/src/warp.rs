//! What a whole warp brings to an instruction that its lanes carry out together, and what they get, all lanes at once.

use crate::WARP;
use crate::inst::Inst;

/// The meaning of a page that lanes carry out together, for all of them at once; the results are those of
/// [`Meaning::Together`](crate::Meaning::Together).
#[derive(Clone, Copy)]
pub enum Gather {
    /// What lanes get follows from what all bring.
    Whole(fn(&Inst, &Warp) -> Gains),
    /// Every lane gets the first source of another, in 32 bits, and a predicate; which follows from the other sources.
    Exchange(fn(&Inst, &Warp) -> Choices),
}

impl Gather {
    /// What the lanes get.
    pub fn gains(self, inst: &Inst, warp: &Warp) -> Gains {
        match self {
            Gather::Whole(gains) => gains(inst, warp),
            Gather::Exchange(choose) => {
                let choices = choose(inst, warp);
                Gains { words: choices.exchange(&warp.u32s(0)), holds: choices.holds }
            }
        }
    }
}

/// The lane that every lane reads.
#[derive(Clone, Copy, Debug)]
pub struct Choices {
    /// Its number, below 32.
    pub from: [u8; WARP],
    /// Every result that is a predicate, a bit for every lane.
    pub holds: u32,
}

impl Choices {
    /// What lanes read if these are the values of all.
    #[inline]
    pub fn exchange(&self, values: &[u32; WARP]) -> [u32; WARP] {
        self.from.map(|from| values[usize::from(from) % WARP])
    }
}

/// A source in all lanes; of no meaning in lanes that do not take part.
#[derive(Clone, Copy, Debug)]
pub enum Column<'a> {
    /// The same bits in all lanes.
    Same(u64),
    /// A predicate: a bit for every lane.
    Pred(u32),
    /// 32 bits for every lane.
    U32(&'a [u32; WARP]),
    /// 64 bits for every lane.
    U64(&'a [u64; WARP]),
}

/// What the lanes of a warp bring to an instruction that they carry out together.
#[derive(Clone, Copy, Debug)]
pub struct Warp<'a> {
    /// A bit for every lane that takes part.
    pub members: u32,
    /// The sources, in the order of the operands.
    pub sources: &'a [Column<'a>],
}

/// What the lanes get; of no meaning in lanes that do not take part.
#[derive(Clone, Copy, Debug)]
pub struct Gains {
    /// Every result of 32 bits.
    pub words: [u32; WARP],
    /// Every result that is a predicate, a bit for every lane.
    pub holds: u32,
}

impl Gains {
    /// The same in all lanes.
    pub fn same(word: u32, holds: bool) -> Gains {
        Gains { words: [word; WARP], holds: if holds { u32::MAX } else { 0 } }
    }
}

impl<'a> Warp<'a> {
    fn source(&self, k: usize) -> Column<'a> {
        self.sources.get(k).copied().unwrap_or(Column::Same(0))
    }

    /// Source `k` as a predicate: a bit for every lane.
    pub fn pred(&self, k: usize) -> u32 {
        match self.source(k) {
            Column::Same(bits) => 0u32.wrapping_sub(bits as u32 & 1),
            Column::Pred(mask) => mask,
            Column::U32(lanes) => ballot(lanes, |bits| bits & 1 == 1),
            Column::U64(lanes) => ballot(lanes, |bits| bits & 1 == 1),
        }
    }

    /// The low 32 bits of source `k` in every lane.
    #[inline]
    pub fn u32s(&self, k: usize) -> [u32; WARP] {
        match self.source(k) {
            Column::Same(bits) => [bits as u32; WARP],
            Column::Pred(mask) => std::array::from_fn(|lane| mask >> lane & 1),
            Column::U32(lanes) => *lanes,
            Column::U64(lanes) => lanes.map(|bits| bits as u32),
        }
    }

    /// The bits of source `k` in every lane, zeros above its width.
    #[inline]
    pub fn u64s(&self, k: usize) -> [u64; WARP] {
        match self.source(k) {
            Column::Same(bits) => [bits; WARP],
            Column::Pred(mask) => std::array::from_fn(|lane| u64::from(mask >> lane & 1)),
            Column::U32(lanes) => lanes.map(u64::from),
            Column::U64(lanes) => *lanes,
        }
    }
}

/// For every lane its own bit: tables make these loops ones that compilers can write with vectors.
const BITS: [u32; WARP] = {
    let mut bits = [0; WARP];
    let mut lane = 0;
    while lane < WARP {
        bits[lane] = 1 << lane;
        lane += 1;
    }
    bits
};

/// A bit for every lane whose value satisfies a condition.
///
/// ```
/// use margay_isa::warp::ballot;
/// let lanes = std::array::from_fn(|lane| lane);
/// assert_eq!(ballot(&lanes, |lane| lane % 4 == 1), 0x2222_2222);
/// ```
#[inline]
pub fn ballot<T: Copy>(lanes: &[T; WARP], holds: impl Fn(T) -> bool) -> u32 {
    let bits = lanes.iter().zip(&BITS);
    bits.fold(0, |mask, (value, bit)| mask | if holds(*value) { *bit } else { 0 })
}

/// In every lane one of two values, by the lane's bit.
///
/// ```
/// use margay_isa::warp::choose;
/// assert_eq!(choose(0b101, &[7; 32], &[9; 32])[..4], [7, 9, 7, 9]);
/// ```
#[inline]
pub fn choose(mask: u32, yes: &[u32; WARP], no: &[u32; WARP]) -> [u32; WARP] {
    std::array::from_fn(|lane| if mask & BITS[lane] != 0 { yes[lane] } else { no[lane] })
}
