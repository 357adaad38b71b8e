//! Where descriptors say that matrices lie in shared memory (manual, 9.7.15.5.1 and 9.7.16.3).

/// Neighbouring bytes of a matrix that lie together in shared memory, in whichever order: a row of a core matrix.
pub type Chunk = [u8; 16];

/// Rows of a core matrix.
pub(crate) const CORE: usize = 8;

/// Where a matrix lies in shared memory.
#[derive(Clone, Copy)]
pub(crate) struct Descriptor {
    start: u64,
    /// Bytes between neighbours in the leading dimension, and in the other.
    leading: u64,
    stride: u64,
    /// Which of eight lines of 128 bytes `start` is in.
    base: u64,
    /// Bytes within which chunks are swizzled; those of one chunk where they are not.
    width: u64,
    /// Chunks that stay together where they are swizzled: one, or two.
    atom: u64,
    /// Whether rows of core matrices lie across the depth.
    across: bool,
}

impl Descriptor {
    /// That of an asynchronous product of a warpgroup.
    pub(crate) fn of_warpgroup(bits: u64, across: bool) -> Descriptor {
        let bytes = |at: u32| (bits >> at & 0x3fff) << 4;
        let width = match bits >> 62 {
            0 => 16,
            1 => 128,
            2 => 64,
            _ => 32,
        };
        let base = bits >> 49 & 7;
        Descriptor { start: bytes(0), leading: bytes(16), stride: bytes(32), base, width, atom: 1, across }
    }

    /// That of a product or copy into tensor memory, which knows one more way to swizzle.
    ///
    /// # Errors
    /// What no descriptor has.
    pub(crate) fn of_tensor_memory(bits: u64, across: bool) -> Result<Descriptor, String> {
        const SWIZZLE: u32 = 61;
        let of_warpgroup = Descriptor::of_warpgroup(bits, across);
        match bits >> SWIZZLE {
            0 | 2 | 4 | 6 => Ok(of_warpgroup),
            1 => Ok(Descriptor { width: 128, atom: 2, ..of_warpgroup }),
            mode => Err(format!("its swizzling mode is {mode}, and there are 0, 1, 2, 4 and 6")),
        }
    }

    /// Whether chunks are swizzled by pairs.
    pub(crate) fn moves_pairs(&self) -> bool {
        self.atom == 2
    }

    /// The address of a row of the core matrix that is number `k` along the depth and `i` across it.
    pub(crate) fn chunk(&self, i: usize, k: usize, row: usize) -> u64 {
        self.core(i, k)[row]
    }

    /// The addresses of all its rows.
    pub(crate) fn core(&self, i: usize, k: usize) -> [u64; CORE] {
        let Descriptor { base, width, atom, across, .. } = *self;
        let (i, k) = (i as u64, k as u64);
        let halves = match atom == 2 && across {
            // Lines of a pattern that swizzles pairs of chunks are four.
            true => [self.first(i, 2 * k), self.first(i, 2 * k + 1).wrapping_sub(CORE as u64 / 2 * width)],
            false => [self.first(i, k); 2],
        };
        let (lines, shift) = (width / (16 * atom) - 1, 4 + atom / 2);
        std::array::from_fn(|row| {
            let at = halves[row / (CORE / 2)].wrapping_add(row as u64 * width);
            let line = (at >> 7).wrapping_sub(base);
            at ^ (line & lines) << shift
        })
    }

    /// Where its first row would lie if nothing were swizzled.
    fn first(&self, i: u64, k: u64) -> u64 {
        let Descriptor { start, leading, stride, width, across, .. } = *self;
        let at = match (width, across) {
            (16, _) => i * stride + k * leading,
            (_, false) => i * stride + k * 16 / width * leading + k * 16 % width,
            (_, true) => k * stride + i * 16 / width * leading + i * 16 % width,
        };
        start + at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The byte of a matrix, by formulas of single bytes, as CUTLASS's layouts say them: element and byte across the depth, byte and
    /// element along it.
    fn byte(d: &Descriptor, x: u64, kappa: u64) -> u64 {
        let Descriptor { start, leading, stride, width: s, atom, across, .. } = *d;
        let at = match (s, across) {
            (16, false) => (x / 8) * stride + (x % 8) * 16 + kappa / 16 * leading + kappa % 16,
            (_, false) => (x / 8) * stride + (x % 8) * s + kappa,
            // Here `x` is the byte across and `kappa` the element along.
            (16, true) => (x / 16) * stride + (kappa / 8) * leading + (kappa % 8) * 16 + x % 16,
            (_, true) if atom == 2 => (x / s) * leading + (kappa / 4) * stride + (kappa % 4) * s + x % s,
            (_, true) => (x / s) * leading + (kappa / 8) * stride + (kappa % 8) * s + x % s,
        };
        let at = start + at;
        match s {
            128 if atom == 2 => at ^ (at >> 7 & 3) << 5,
            128 => at ^ (at >> 7 & 7) << 4,
            64 => at ^ (at >> 7 & 3) << 4,
            32 => at ^ (at >> 7 & 1) << 4,
            _ => at,
        }
    }

    #[test]
    fn chunks_lie_where_the_layouts_of_single_bytes_say() {
        for swizzle in [0, 1, 2, 4, 6u64] {
            for across in [false, true] {
                let bits = 64 | 64 << 16 | 128 << 32 | swizzle << 61;
                let d = Descriptor::of_tensor_memory(bits, across).expect("a mode");
                for (i, k, row) in
                    (0..16).flat_map(|i| (0..2).flat_map(move |k| (0..8).map(move |row| (i, k, row))))
                {
                    let (x, kappa) = match across {
                        false => (8 * i + row, 16 * k),
                        true => (16 * i, 8 * k + row),
                    };
                    assert_eq!(
                        d.chunk(i, k, row),
                        byte(&d, x as u64, kappa as u64),
                        "{swizzle} {across} {i} {k} {row}"
                    );
                }
            }
        }
    }

    #[test]
    fn descriptors_of_both_kinds_say_the_same_but_for_one_mode() {
        for swizzle in 0..4u64 {
            let bits = 64 | 64 << 16 | 128 << 32 | 1 << 49 | swizzle << 62;
            let both = [
                Descriptor::of_warpgroup(bits, true),
                Descriptor::of_tensor_memory(bits, true).expect("a mode"),
            ];
            assert_eq!(both[0].chunk(3, 1, 5), both[1].chunk(3, 1, 5), "{swizzle}");
        }
        assert!(Descriptor::of_tensor_memory(3 << 61, false).is_err());
    }

    #[test]
    fn a_pattern_may_begin_at_another_line() {
        // The second line of eight, said to be the first of its pattern.
        let d = Descriptor::of_warpgroup(0x80 >> 4 | 64 << 32 | 1 << 49 | 1 << 62, false);
        assert_eq!([0, 1, 2].map(|row| d.chunk(0, 0, row)), [0x80, 0x110, 0x1a0]);
    }
}
