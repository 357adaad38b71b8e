//! Descriptions of tensors ("tensor maps"): which elements of a tensor in global memory a copy moves, and where in shared memory they lie
//! (manual, 5.5).

mod bytes;
mod pieces;

pub use pieces::{Piece, Place, Request};

use crate::types::Bits;
use crate::words::Word;

/// Dimensions that a tensor has at most.
pub const MOST_DIMENSIONS: usize = 5;

/// A tensor in global memory, and which part of it copies move at once. Its 128 bytes are opaque to the manual; margay's are in
/// [`TensorMap::to_bytes`]. All zeros are no tensor, but what `tensormap.replace` fills in.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TensorMap {
    /// Where the first element lies.
    pub address: u64,
    /// How many dimensions it has, less one.
    pub last_dimension: u8,
    /// The type of its elements, as the manual numbers them ([`ELEMENTS`]).
    pub element: u8,
    /// 0: elements of a pixel follow each other; 1 and 2: slices of 16 and 32 bytes of all pixels do.
    pub interleave: u8,
    /// Bytes of shared memory within which chunks of 16 bytes change places: 0 none, 1 to 3 for 32, 64 and 128; 4 for 96.
    pub swizzle: u8,
    /// What changes places: 0 for 16 bytes.
    pub atomicity: u8,
    /// What elements outside the tensor are in shared memory: 0 for zeros, 1 for NaN.
    pub fill: u8,
    /// Elements along each dimension, neighbours in memory first.
    pub sizes: [u64; MOST_DIMENSIONS],
    /// Bytes from an element to the next along each dimension but the first.
    pub strides: [u64; MOST_DIMENSIONS - 1],
    /// Every how many elements along a dimension one is moved.
    pub steps: [u8; MOST_DIMENSIONS],
    /// What is moved.
    pub part: Part,
}

/// What part of a tensor a copy moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// A box of so many elements along each dimension (`.tile`).
    Box([u16; MOST_DIMENSIONS]),
    /// Pixels one after the other within bounds (`.im2col`).
    Pixels(Pixels),
}

/// Pixels that follow each other in images, and some of their channels, which are the first dimension; the last one is that of images.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Pixels {
    /// How far the bounds' first corner lies from the image's first pixel, along the dimensions between.
    pub lower: [i16; MOST_DIMENSIONS - 2],
    /// How far their last corner lies from the image's last pixel.
    pub upper: [i16; MOST_DIMENSIONS - 2],
    /// Channels of a pixel.
    pub channels: u16,
    /// Pixels.
    pub count: u16,
}

impl Default for Part {
    fn default() -> Part {
        Part::Box([0; MOST_DIMENSIONS])
    }
}

/// The types of elements that margay copies, by their numbers, with their bytes. The others are of less than 8 bits.
pub const ELEMENTS: &[(Word, u32)] = &[
    (Word::U8, 1),
    (Word::U16, 2),
    (Word::U32, 4),
    (Word::S32, 4),
    (Word::U64, 8),
    (Word::S64, 8),
    (Word::F16, 2),
    (Word::F32, 4),
    (Word::F32, 4),
    (Word::F64, 8),
    (Word::Bf16, 2),
    (Word::Tf32, 4),
    (Word::Tf32, 4),
];

/// The types of `.f32` and `.tf32` whose subnormal numbers become zero.
const FLUSHED: [u8; 2] = [8, 12];

/// Fields that an instruction replaces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    /// The address.
    Address,
    /// The number of dimensions, less one.
    LastDimension,
    /// Elements of the box along a dimension.
    Box,
    /// Elements of the tensor along a dimension.
    Size,
    /// Bytes to the next element along a dimension, which is counted from the second one.
    Stride,
    /// Every how many elements along a dimension one is moved.
    Step,
    /// The type of elements.
    Element,
    /// How elements lie in slices.
    Interleave,
    /// How chunks change places.
    Swizzle,
    /// What changes places.
    Atomicity,
    /// What elements outside become.
    Fill,
}

impl TensorMap {
    /// Bytes of a description.
    pub const BYTES: usize = 128;

    /// The dimensions.
    pub fn rank(&self) -> usize {
        usize::from(self.last_dimension) + 1
    }

    /// Type and bytes of an element; none of types that margay does not copy.
    pub fn element(&self) -> Option<(Word, u32)> {
        ELEMENTS.get(usize::from(self.element)).copied()
    }

    /// Gives a field another value, along a dimension if it has one for each.
    ///
    /// ```
    /// use margay_isa::tensor_map::{Field, TensorMap};
    /// let mut map = TensorMap::default();
    /// map.replace(Field::Size, 1, 64);
    /// assert_eq!(TensorMap::from_bytes(&map.to_bytes()).sizes[1], 64);
    /// ```
    pub fn replace(&mut self, field: Field, dimension: usize, value: u64) {
        let dimension = dimension % MOST_DIMENSIONS;
        match field {
            Field::Address => self.address = value,
            Field::LastDimension => self.last_dimension = value as u8,
            Field::Size => self.sizes[dimension] = value,
            Field::Stride => self.strides[dimension % self.strides.len()] = value,
            Field::Step => self.steps[dimension] = value as u8,
            Field::Element => self.element = value as u8,
            Field::Interleave => self.interleave = value as u8,
            Field::Swizzle => self.swizzle = value as u8,
            Field::Atomicity => self.atomicity = value as u8,
            Field::Fill => self.fill = value as u8,
            Field::Box => {
                if let Part::Box(sizes) = &mut self.part {
                    sizes[dimension] = value as u16;
                }
            }
        }
    }

    /// What is wrong with it, if anything is: the manual's and CUDA's conditions.
    ///
    /// # Errors
    /// A phrase that says it.
    pub fn check(&self) -> Result<(), String> {
        let rank = self.rank();
        if rank > MOST_DIMENSIONS {
            return Err(format!("{rank} dimensions"));
        }
        let Some((_, bytes)) = self.element() else {
            return Err("elements of less than 8 bits, which margay does not copy yet".into());
        };
        if self.interleave != 0 {
            return Err("interleaved slices, which margay does not copy yet".into());
        }
        if self.swizzle > 3 || self.atomicity != 0 {
            return Err("a swizzling mode that margay does not have yet".into());
        }
        if !self.address.is_multiple_of(16) {
            return Err(format!("address {:#x}, which is not a multiple of 16", self.address));
        }
        if let Some(size) = self.sizes[..rank].iter().find(|size| !(1..=1 << 32).contains(*size)) {
            return Err(format!("{size} elements along a dimension"));
        }
        let strides = &self.strides[..rank - 1];
        if let Some(stride) = strides.iter().find(|stride| **stride % 16 != 0 || **stride >= 1 << 40) {
            return Err(format!("a stride of {stride} bytes, which is not a multiple of 16 below 2^40"));
        }
        if let Some(step) = self.steps[..rank].iter().find(|step| !(1..=8).contains(*step)) {
            return Err(format!("an element stride of {step}"));
        }
        let along = match &self.part {
            Part::Box(sizes) => {
                if let Some(size) = sizes[..rank].iter().find(|size| !(1..=256).contains(*size)) {
                    return Err(format!("a box of {size} elements along a dimension"));
                }
                u32::from(sizes[0])
            }
            Part::Pixels(Pixels { channels, count, .. }) => {
                if rank < 3 || !(1..=256).contains(channels) || !(1..=1024).contains(count) {
                    return Err(format!("{count} pixels of {channels} channels in {rank} dimensions"));
                }
                u32::from(*channels)
            }
        };
        let along = along * bytes;
        if !along.is_multiple_of(16) {
            return Err(format!("{along} bytes along the first dimension, which is not a multiple of 16"));
        }
        if self.swizzle != 0 && along > self.width() {
            return Err(format!(
                "{along} bytes along the first dimension, more than the {} that are swizzled",
                self.width()
            ));
        }
        Ok(())
    }

    /// Bytes of shared memory within which chunks change places.
    fn width(&self) -> u32 {
        16 << self.swizzle
    }

    /// Where in shared memory a byte lies that would lie there without swizzling.
    ///
    /// ```
    /// use margay_isa::tensor_map::TensorMap;
    /// let map = TensorMap { swizzle: 3, ..TensorMap::default() };
    /// assert_eq!([0x80, 0x90, 0x100].map(|at| map.swizzled(at)), [0x90, 0x80, 0x120]);
    /// ```
    pub fn swizzled(&self, at: u64) -> u64 {
        at ^ (at >> 7 & (u64::from(self.width() / 16) - 1)) << 4
    }

    /// An element as it comes to shared memory: `.f32` may lose subnormal numbers, `.tf32` is rounded to its bits.
    fn loaded(&self, bits: u64) -> u64 {
        let (flushes, exponent) = (FLUSHED.contains(&self.element), bits >> 23 & 0xff);
        let bits = if flushes && exponent == 0 { bits & 0x8000_0000 } else { bits };
        match self.element() {
            Some((Word::Tf32, _)) if exponent != 0xff => (bits + 0xfff + (bits >> 13 & 1)) & 0xffff_e000,
            Some((Word::Tf32, _)) => bits & 0xffff_e000,
            _ => bits,
        }
    }

    /// Whether elements change on their way to shared memory.
    pub fn converts(&self) -> bool {
        FLUSHED.contains(&self.element) || matches!(self.element(), Some((Word::Tf32, _)))
    }

    /// So many bytes of elements as they come to shared memory.
    pub fn brought(&self, bits: Bits, bytes: u32) -> Bits {
        if !self.converts() {
            return bits;
        }
        let word = |k: u32| Bits::from(self.loaded((bits >> (32 * k)) as u64 & 0xffff_ffff)) << (32 * k);
        (0..bytes / 4).fold(0, |all, k| all | word(k))
    }

    /// An element outside the tensor.
    pub fn outside(&self) -> u64 {
        match (self.fill, self.element()) {
            (1, Some((Word::F16 | Word::Bf16, _))) => 0x7fff,
            (1, Some((Word::F32 | Word::Tf32, _))) => 0x7fff_ffff,
            (1, Some((Word::F64, _))) => 0x7fff_ffff_ffff_ffff,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn matrix() -> TensorMap {
        TensorMap {
            address: 0x1000,
            last_dimension: 1,
            element: 6,
            sizes: [40, 3, 0, 0, 0],
            strides: [128, 0, 0, 0],
            steps: [1; MOST_DIMENSIONS],
            part: Part::Box([16, 2, 0, 0, 0]),
            ..TensorMap::default()
        }
    }

    #[test]
    fn what_is_wrong_is_told() {
        assert_eq!(matrix().check(), Ok(()));
        let told = |change: fn(&mut TensorMap)| {
            let mut map = matrix();
            change(&mut map);
            map.check().unwrap_err()
        };
        assert_eq!(told(|map| map.address += 8), "address 0x1008, which is not a multiple of 16");
        assert_eq!(
            told(|map| map.part = Part::Box([4, 2, 0, 0, 0])),
            "8 bytes along the first dimension, which is not a multiple of 16"
        );
        assert_eq!(
            told(|map| map.part = Part::Box([16, 0, 0, 0, 0])),
            "a box of 0 elements along a dimension"
        );
        assert_eq!(
            told(|map| map.strides[0] = 24),
            "a stride of 24 bytes, which is not a multiple of 16 below 2^40"
        );
        assert_eq!(told(|map| map.last_dimension = 7), "8 dimensions");
        assert_eq!(TensorMap::default().check().unwrap_err(), "0 elements along a dimension");
    }

    #[test]
    fn tf32_is_rounded_to_nearest() {
        let map = TensorMap { element: 11, ..matrix() };
        assert_eq!(
            [0x3f80_1000, 0x3f80_1001, 0x3f80_3000].map(|bits| map.loaded(bits)),
            [0x3f80_0000, 0x3f80_2000, 0x3f80_4000]
        );
    }
}
