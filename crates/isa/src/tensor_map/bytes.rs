//! The 128 bytes of a tensor map.

use super::{MOST_DIMENSIONS, Part, Pixels, TensorMap};

/// Marks maps of pixels; maps of boxes have 0 there, as memory that an instruction fills in.
const PIXELS: u8 = 1;

/// Reads numbers one after the other.
struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (own, rest) = self.0.split_first_chunk().unwrap_or((&[0; N], &[]));
        self.0 = rest;
        *own
    }

    fn u8(&mut self) -> u8 {
        u8::from_le_bytes(self.take())
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    fn i16(&mut self) -> i16 {
        i16::from_le_bytes(self.take())
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }
}

impl TensorMap {
    /// The map in so many bytes. Whether it is one is told by [`TensorMap::check`].
    pub fn from_bytes(bytes: &[u8; TensorMap::BYTES]) -> TensorMap {
        let mut from = Reader(bytes);
        let mut map = TensorMap {
            address: from.u64(),
            strides: std::array::from_fn(|_| from.u64()),
            sizes: std::array::from_fn(|_| from.u64()),
            ..TensorMap::default()
        };
        let boxed: [u16; MOST_DIMENSIONS] = std::array::from_fn(|_| from.u16());
        map.steps = std::array::from_fn(|_| from.u8());
        map.last_dimension = from.u8();
        map.element = from.u8();
        map.interleave = from.u8();
        map.swizzle = from.u8();
        map.atomicity = from.u8();
        map.fill = from.u8();
        let kind = from.u8();
        map.part = match kind {
            PIXELS => Part::Pixels(Pixels {
                lower: std::array::from_fn(|_| from.i16()),
                upper: std::array::from_fn(|_| from.i16()),
                channels: boxed[0],
                count: boxed[1],
            }),
            _ => Part::Box(boxed),
        };
        map
    }

    /// Its bytes: address, strides and sizes of 8 bytes each, then sizes of the box (or channels and pixels) of two, element strides and all
    /// else of one, and the corners of pixels' bounds of two.
    pub fn to_bytes(&self) -> [u8; TensorMap::BYTES] {
        let mut boxed = [0; MOST_DIMENSIONS];
        let (kind, corners) = match &self.part {
            Part::Box(sizes) => {
                boxed = *sizes;
                (0, Vec::new())
            }
            Part::Pixels(Pixels { lower, upper, channels, count }) => {
                [boxed[0], boxed[1]] = [*channels, *count];
                (PIXELS, lower.iter().chain(upper).copied().collect())
            }
        };
        let mut to = self.address.to_le_bytes().to_vec();
        to.extend(self.strides.iter().chain(&self.sizes).flat_map(|number| number.to_le_bytes()));
        to.extend(boxed.iter().flat_map(|number| number.to_le_bytes()));
        to.extend(self.steps);
        to.extend([
            self.last_dimension,
            self.element,
            self.interleave,
            self.swizzle,
            self.atomicity,
            self.fill,
            kind,
        ]);
        to.extend(corners.iter().flat_map(|number: &i16| number.to_le_bytes()));
        let mut bytes = [0; TensorMap::BYTES];
        bytes[..to.len()].copy_from_slice(&to);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::matrix;
    use super::*;

    #[test]
    fn bytes_hold_all_of_a_map() {
        let pixels = Pixels { lower: [-1, 2, -3], upper: [4, -5, 6], channels: 64, count: 100 };
        for map in [matrix(), TensorMap { part: Part::Pixels(pixels), swizzle: 3, fill: 1, ..matrix() }] {
            assert_eq!(TensorMap::from_bytes(&map.to_bytes()), map);
        }
        assert_eq!(TensorMap::from_bytes(&[0; TensorMap::BYTES]), TensorMap::default());
    }
}
