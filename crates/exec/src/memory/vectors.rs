//! Vectors of elements of memory, one for each thread: what a thread moves together lies together, so it is moved at once.

use super::Bulk;
use super::gather::{Word, turned_words};
use crate::batch::Level;

/// Threads whose vectors are turned into rows of elements at once.
const CHUNK: usize = 4;

impl Bulk<'_> {
    /// A vector from each address, `base` taken away from it: the first elements of all vectors, the second ones, and so on.
    ///
    /// # Panics
    /// If one lies outside, or there is no room for all.
    pub(crate) fn read_vectors<T: Word, const N: usize>(
        self,
        level: Level,
        addresses: &[u64],
        base: u64,
        mut out: [&mut [T]; N],
    ) {
        let done = self.read_fours(level, addresses, base, &mut out);
        let (addresses, mut out) = (&addresses[done..], out.map(|out| &mut out[done..]));
        let at = |address: &u64| address.wrapping_sub(base);
        let (chunks, rest) = addresses.as_chunks::<CHUNK>();
        for (k, chunk) in chunks.iter().enumerate() {
            let mut vectors = [[T::zeroed(); N]; CHUNK];
            self.read_each(chunk, base, &mut vectors);
            for (out, row) in out.iter_mut().zip(turned(vectors)) {
                out.as_chunks_mut::<CHUNK>().0[k] = row;
            }
        }
        for (t, address) in rest.iter().enumerate() {
            let vector: [T; N] = self.vector(at(address));
            out.iter_mut().zip(vector).for_each(|(out, value)| out[CHUNK * chunks.len() + t] = value);
        }
    }

    /// Writes a vector to each address, in the order of threads.
    ///
    /// # Panics
    /// If one lies outside, or there are too few values.
    pub(crate) fn write_vectors<T: Word, const N: usize>(
        self,
        addresses: &[u64],
        base: u64,
        values: [&[T]; N],
    ) {
        let at = |address: &u64| address.wrapping_sub(base);
        let (chunks, rest) = addresses.as_chunks::<CHUNK>();
        for (k, chunk) in chunks.iter().enumerate() {
            let mut rows = [[T::zeroed(); CHUNK]; N];
            for (row, values) in rows.iter_mut().zip(&values) {
                *row = values.as_chunks::<CHUNK>().0[k];
            }
            self.write_each(chunk, base, &turned(rows));
        }
        for (t, address) in rest.iter().enumerate() {
            self.set_vector(at(address), values.map(|values| values[CHUNK * chunks.len() + t]));
        }
    }

    /// Copies a vector of so many bytes for each thread from an address in other memory, the base taken away from it, to one here, in
    /// the order of threads. `false` if vectors are of other sizes: then nothing is done.
    ///
    /// # Panics
    /// If one lies outside.
    pub(crate) fn copy_vectors(self, to: (&[u64], u64), from: (Bulk, &[u64], u64), bytes: u32) -> bool {
        match bytes {
            8 => self.copy_each::<2>(to, from),
            16 => self.copy_each::<4>(to, from),
            _ => return false,
        }
        true
    }

    fn copy_each<const WORDS: usize>(
        self,
        (to, to_base): (&[u64], u64),
        (other, from, from_base): (Bulk, &[u64], u64),
    ) {
        let (to, to_rest) = to.as_chunks::<CHUNK>();
        let (from, from_rest) = from.as_chunks::<CHUNK>();
        for (to, from) in to.iter().zip(from) {
            let mut vectors = [[0u32; WORDS]; CHUNK];
            other.read_each(from, from_base, &mut vectors);
            self.write_each(to, to_base, &vectors);
        }
        for (to, from) in to_rest.iter().zip(from_rest) {
            let vector: [u32; WORDS] = other.vector(from.wrapping_sub(from_base));
            self.set_vector(to.wrapping_sub(to_base), vector);
        }
    }

    /// Neighbouring elements.
    ///
    /// # Panics
    /// If one lies outside.
    #[inline(always)]
    pub(crate) fn vector<T: Word, const N: usize>(self, at: u64) -> [T; N] {
        let mut out: [T; N] = [T::zeroed(); N];
        self.read_row(at, &mut out);
        out
    }

    #[inline(always)]
    fn set_vector<T: Word, const N: usize>(self, at: u64, values: [T; N]) {
        self.write_row(at, &values);
    }
}

/// Rows as columns.
#[inline(always)]
fn turned<T: Word, const M: usize, const N: usize>(rows: [[T; M]; N]) -> [[T; N]; M] {
    if (M, N, size_of::<T>()) != (4, 4, 4) {
        return std::array::from_fn(|m| std::array::from_fn(|n| rows[n][m]));
    }
    let (mut words, mut columns) = ([0; 16], [[T::zeroed(); N]; M]);
    words.copy_from_slice(bytemuck::cast_slice(rows.as_flattened()));
    columns.as_flattened_mut().copy_from_slice(bytemuck::cast_slice(&turned_words(words)));
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Simd;
    use crate::memory::Words;

    #[test]
    fn vectors_are_their_elements_one_by_one() {
        const BASE: u64 = 1 << 20;
        let words = Words::zeroed(1024).unwrap();
        words.set_bytes(0, &(0..1024).map(|n| ((n * 37) >> 2) as u8).collect::<Vec<u8>>());
        let bulk = Bulk::of_words(&words);
        for count in [1, 7, 8, 21, 32, 53] {
            for level in Simd::available().iter().map(|simd| Level::of(*simd)) {
                // Some of them lie at the same place.
                let addresses: Vec<u64> = (0..count as u64).map(|t| BASE + (t * t * 5 % 64) * 16).collect();
                let mut read = [(); 4].map(|()| vec![0u32; count + 3]);
                bulk.read_vectors(level, &addresses, BASE, read.each_mut().map(|out| &mut out[..]));
                let copies = [(); 2].map(|()| Words::zeroed(1024).unwrap());
                let [written, plain] = copies.each_ref().map(Bulk::of_words);
                let values =
                    [1, 2, 3, 4].map(|k| (0..count as u32 + 3).map(|t| k << 16 | t).collect::<Vec<u32>>());
                written.write_vectors(&addresses, BASE, values.each_ref().map(|values| &values[..]));
                for (t, address) in addresses.iter().enumerate() {
                    for k in 0..4 {
                        let at = address - BASE + 4 * k as u64;
                        assert_eq!(u64::from(read[k][t]), bulk.load(at, 4), "{count}: {t}");
                        plain.store(at, 4, values[k][t].into());
                    }
                }
                assert!(read.iter().all(|read| read[count..] == [0; 3]));
                assert_eq!(copies[0].bytes(0, 1024), copies[1].bytes(0, 1024), "{count}");
            }
        }
    }

    #[test]
    fn a_vector_outside_is_refused() {
        let words = Words::zeroed(64).unwrap();
        let bulk = Bulk::of_words(&words);
        for level in Simd::available().iter().map(|simd| Level::of(*simd)) {
            for wrong in [56, 64, u64::MAX - 7] {
                let (mut low, mut high) = ([0u64; 1], [0u64; 1]);
                let read = std::panic::AssertUnwindSafe(|| {
                    bulk.read_vectors(level, &[wrong], 0, [&mut low[..], &mut high[..]])
                });
                assert!(std::panic::catch_unwind(read).is_err(), "{wrong}");
                let write =
                    std::panic::AssertUnwindSafe(|| bulk.write_vectors(&[wrong], 0, [&[7u64][..], &[8]]));
                assert!(std::panic::catch_unwind(write).is_err(), "{wrong}");
                for at in [3, 9] {
                    let mut addresses = [0; 16];
                    addresses[at] = wrong;
                    let mut fours = [[0u32; 16]; 4];
                    let read = std::panic::AssertUnwindSafe(|| {
                        bulk.read_vectors(level, &addresses, 0, fours.each_mut().map(|out| &mut out[..]))
                    });
                    assert!(std::panic::catch_unwind(read).is_err(), "{wrong}");
                    let write = std::panic::AssertUnwindSafe(|| {
                        bulk.write_vectors(&addresses[at..], 0, [&[0u32; 16][..]; 4])
                    });
                    assert!(std::panic::catch_unwind(write).is_err(), "{wrong}");
                }
                assert_eq!(words.load(56, 8), 0, "something was touched");
            }
        }
    }
}
