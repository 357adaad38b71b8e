//! Which bytes a copy of a part of a tensor moves, and where they lie in shared memory.

use super::{Part, Pixels, TensorMap};

/// Bytes that are moved at once, at most.
const CHUNK: u64 = 16;

/// Bytes of shared memory that any device has.
const MOST: u64 = 1 << 18;

/// What an instruction asks for.
#[derive(Clone, Copy, Debug)]
pub enum Request<'r> {
    /// The box at coordinates.
    Box(&'r [i32]),
    /// So many elements from a column on of each of these rows of a matrix.
    Rows(i32, &'r [i32]),
    /// Pixels from one on, and how far each lies from where it is looked for, along the dimensions between channels and images.
    Pixels(&'r [i32], &'r [u16]),
}

/// Neighbouring elements, or one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Bytes from the first one in shared memory, before they are swizzled.
    pub at: u64,
    /// Bytes: 16, which lie at a multiple of 16, or those of an element.
    pub bytes: u32,
    /// Where it lies in the tensor.
    pub place: Place,
}

/// Where elements lie in a tensor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// At an address in global memory.
    Inside(u64),
    /// Outside of it.
    Outside,
}

/// A row of elements that lie along the first dimension: the coordinates of the first one.
struct Row<'c> {
    at: u64,
    coordinates: &'c [i64],
    count: u64,
}

impl TensorMap {
    /// The pieces that a request is made of, in the order in which they lie in shared memory.
    ///
    /// # Errors
    /// The map is of something else; a phrase says of what.
    pub fn pieces(&self, request: Request) -> Result<Vec<Piece>, String> {
        let Some((_, bytes)) = self.element() else { return Ok(Vec::new()) };
        let mut pieces = Vec::new();
        let size = self.size();
        if size > MOST {
            return Err(format!("the tensor map is of parts of {size} bytes, more than shared memory has"));
        }
        let along = match &self.part {
            Part::Box(sizes) => u64::from(sizes[0]),
            Part::Pixels(pixels) => u64::from(pixels.channels),
        };
        let row = along * u64::from(bytes);
        let pitch = if self.swizzle == 0 { row } else { u64::from(self.width()) };
        let mut rows = 0;
        let mut add = |coordinates: &[i64]| {
            self.row(bytes.into(), Row { at: rows * pitch, coordinates, count: along }, &mut pieces);
            rows += 1;
        };
        let wanted = match request {
            Request::Box(c) | Request::Pixels(c, _) => c.len(),
            Request::Rows(..) => 2,
        };
        if self.rank() != wanted {
            return Err(format!("the tensor map is of {} dimensions, not {wanted}", self.rank()));
        }
        match (request, &self.part) {
            (Request::Box(corner), Part::Box(sizes)) => self.each_row(corner, &sizes[..wanted], &mut add),
            (Request::Rows(column, numbers), Part::Box(_)) => {
                numbers.iter().for_each(|row| add(&[column.into(), (*row).into()]));
            }
            (Request::Pixels(first, offsets), Part::Pixels(pixels)) => {
                self.each_pixel(first, offsets, pixels, &mut add);
            }
            (_, Part::Box(_)) => return Err("the tensor map is of boxes, not of pixels".into()),
            (_, Part::Pixels(_)) => return Err("the tensor map is of pixels, not of boxes".into()),
        }
        Ok(pieces)
    }

    /// Bytes of a part, as barrier objects count them.
    pub fn size(&self) -> u64 {
        let bytes = self.element().map_or(0, |(_, bytes)| u64::from(bytes));
        let elements: u64 = match &self.part {
            Part::Box(sizes) => (0..self.rank()).map(|k| self.moved(sizes, k)).product(),
            Part::Pixels(pixels) => u64::from(pixels.channels) * u64::from(pixels.count),
        };
        elements * bytes
    }

    /// How many elements of a box are moved along a dimension. Along the first one all are.
    fn moved(&self, sizes: &[u16], dimension: usize) -> u64 {
        let step = if dimension == 0 { 1 } else { self.steps[dimension].max(1) };
        u64::from(sizes[dimension].div_ceil(step.into()))
    }

    /// The first elements of the rows of a box.
    fn each_row(&self, corner: &[i32], sizes: &[u16], add: &mut dyn FnMut(&[i64])) {
        let counts: Vec<u64> = (0..sizes.len()).map(|k| self.moved(sizes, k)).collect();
        let mut coordinates: Vec<i64> = corner.iter().map(|c| i64::from(*c)).collect();
        for number in 0..counts[1..].iter().product() {
            let mut rest: u64 = number;
            for k in 1..counts.len() {
                let place = (rest % counts[k]) as i64;
                coordinates[k] = i64::from(corner[k]) + place * i64::from(self.steps[k]);
                rest /= counts[k];
            }
            add(&coordinates);
        }
    }

    /// The first channels of pixels that follow each other within bounds, image after image.
    fn each_pixel(&self, first: &[i32], offsets: &[u16], pixels: &Pixels, add: &mut dyn FnMut(&[i64])) {
        let last = first.len() - 1;
        let mut at: Vec<i64> = first.iter().map(|c| i64::from(*c)).collect();
        for _ in 0..pixels.count {
            let mut coordinates = at.clone();
            for (coordinate, offset) in coordinates[1..last].iter_mut().zip(offsets) {
                *coordinate += i64::from(*offset);
            }
            add(&coordinates);
            // The next one: along a row, then down, then in the next image.
            let mut k = 1;
            while k < last {
                at[k] += i64::from(self.steps[k]);
                if at[k] < self.sizes[k] as i64 + i64::from(pixels.upper[k - 1]) {
                    break;
                }
                at[k] = i64::from(pixels.lower[k - 1]);
                k += 1;
            }
            if k == last {
                at[last] += 1;
            }
        }
    }

    /// The pieces of a row.
    fn row(&self, bytes: u64, row: Row, pieces: &mut Vec<Piece>) {
        let Row { at, coordinates, count } = row;
        let is_inside = |k: usize| (0..self.sizes[k] as i64).contains(&coordinates[k]);
        let lies = (1..coordinates.len()).all(is_inside);
        // Where column 0 lies; coordinates inside are no more than 2^32, strides less than 2^40, whose sum may wrap.
        let start = coordinates[1..]
            .iter()
            .zip(&self.strides)
            .fold(self.address, |start, (c, stride)| start.wrapping_add((*c as u64).wrapping_mul(*stride)));
        let each = CHUNK / bytes;
        for first in (0..count).step_by(each as usize) {
            let column = |k: u64| coordinates[0] + (first + k) as i64;
            let inside = |k: u64| lies && (0..self.sizes[0] as i64).contains(&column(k));
            let address = |k: u64| start.wrapping_add((column(k) as u64).wrapping_mul(bytes));
            let is_whole = inside(0) && inside(each - 1) && address(0).is_multiple_of(CHUNK);
            let (pieces_here, size) = if is_whole { (1, CHUNK) } else { (each, bytes) };
            for k in 0..pieces_here {
                let place = if inside(k) { Place::Inside(address(k)) } else { Place::Outside };
                pieces.push(Piece { at: at + (first + k) * bytes, bytes: size as u32, place });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::matrix;
    use super::*;

    /// What shared memory holds, element by element of 2 bytes: addresses, or 0 outside.
    fn elements(map: &TensorMap, request: Request) -> Vec<u64> {
        let pieces = map.pieces(request).unwrap();
        let mut found = Vec::new();
        for Piece { at, bytes, place } in pieces {
            assert_eq!(at, 2 * found.len() as u64);
            found.extend((0..u64::from(bytes / 2)).map(|k| match place {
                Place::Inside(address) => address + 2 * k,
                Place::Outside => 0,
            }));
        }
        found
    }

    #[test]
    fn a_box_may_reach_beyond_the_tensor() {
        let found = elements(&matrix(), Request::Box(&[32, 2]));
        let row: Vec<u64> = (0..16).map(|k| if k < 8 { 0x1000 + 2 * 128 + 64 + 2 * k } else { 0 }).collect();
        assert_eq!(found[..16], row);
        assert_eq!(found[16..], [0; 16]);
        let found = elements(&matrix(), Request::Box(&[-3, -1]));
        assert_eq!(found[..16], [0; 16]);
        assert_eq!(found[16..20], [0, 0, 0, 0x1000]);
    }

    #[test]
    fn rows_are_gathered_by_their_numbers() {
        let found = elements(&matrix(), Request::Rows(8, &[2, 0, 7, 1]));
        let starts: Vec<u64> = found.chunks(16).map(|row| row[0]).collect();
        assert_eq!(starts, [0x1000 + 256 + 16, 0x1000 + 16, 0, 0x1000 + 128 + 16]);
    }

    #[test]
    fn pixels_follow_each_other_from_row_to_row_and_image_to_image() {
        let pixels = Pixels { lower: [-1, -1, 0], upper: [-1, -1, 0], channels: 8, count: 10 };
        let map = TensorMap {
            last_dimension: 3,
            sizes: [8, 4, 3, 2, 0],
            strides: [16, 64, 192, 0],
            part: Part::Pixels(pixels),
            ..matrix()
        };
        let found = elements(&map, Request::Pixels(&[0, -1, -1, 0], &[1, 2]));
        // Bounds: columns -1 to 2, rows -1 to 1; looked for one column and two rows on.
        let place = |x: i64, y: i64| {
            let inside = (0..4).contains(&x) && (0..3).contains(&y);
            if inside { (0x1000 + 16 * x + 64 * y) as u64 } else { 0 }
        };
        let expected: Vec<u64> = (0..10).map(|k| place(k % 4, k / 4 + 1)).collect();
        assert_eq!(found.chunks(8).map(|pixel| pixel[0]).collect::<Vec<u64>>(), expected);
        assert!(map.pieces(Request::Box(&[0, 0, 0, 0])).is_err());
        assert!(map.pieces(Request::Pixels(&[0, 0, 0], &[0])).is_err());
    }

    #[test]
    fn steps_leave_elements_out() {
        let map = TensorMap { steps: [1, 2, 1, 1, 1], part: Part::Box([16, 3, 0, 0, 0]), ..matrix() };
        let found = elements(&map, Request::Box(&[0, 0]));
        assert_eq!(found.chunks(16).map(|row| row[0]).collect::<Vec<u64>>(), [0x1000, 0x1100]);
    }
}
