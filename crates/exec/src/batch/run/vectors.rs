//! Loads and stores of vectors by all threads, from addresses that lie together: a vector at once, not an element of all threads.

use crate::batch::lanes::Place;
use crate::batch::plan::Move;
use crate::batch::run::Cta;
use crate::batch::run::found::{Found, Home};
use crate::memory::{Bulk, Word};

impl Cta<'_> {
    /// A load of vectors; `false` if they are none that are moved at once.
    pub(super) fn load_vectors(
        &mut self,
        load: &Move<Option<Place>>,
        addresses: Place,
        found: Found,
    ) -> bool {
        if load.elements.len() == 1 {
            return false;
        }
        let from = self.copied_addresses(addresses, found.home);
        let done = self.load_vectors_from(load, &from, found);
        self.addresses = from;
        done
    }

    /// The same from each of all threads' addresses, with what its block adds.
    pub(super) fn load_vectors_from(
        &mut self,
        load: &Move<Option<Place>>,
        addresses: &[u64],
        found: Found,
    ) -> bool {
        match (load.bytes, &load.elements[..]) {
            (4, [Some(a), Some(b), Some(c), Some(d)]) => {
                self.load_to::<u32, 4>([*a, *b, *c, *d], addresses, found)
            }
            (4, [Some(a), Some(b)]) => self.load_to::<u32, 2>([*a, *b], addresses, found),
            (8, [Some(a), Some(b)]) => self.load_to::<u64, 2>([*a, *b], addresses, found),
            _ => false,
        }
    }

    fn load_to<T: Word, const N: usize>(&mut self, to: [Place; N], from: &[u64], found: Found) -> bool {
        let (threads, level) = (self.threads, self.lines.level());
        let lines = self.lines.many_mut(to, size_of::<T>() / size_of::<u32>());
        let is_vector = lines.is_some();
        if let Some(lines) = lines {
            let bulk = match found.home {
                Home::Global(index) => Bulk::of_words(&self.job.memory.allocation(index).words),
                _ => Bulk::of_slice(&mut self.shared),
            };
            let out = lines.map(|lines| &mut bytemuck::cast_slice_mut::<_, T>(lines)[..threads]);
            bulk.read_vectors(level, from, found.base, out);
        }
        is_vector
    }

    /// A store of vectors; `false` if they are none that are moved at once.
    pub(super) fn store_vectors(&mut self, store: &Move<Place>, addresses: Place, found: Found) -> bool {
        if store.elements.len() == 1 || store.elements.iter().any(|from| from.stride == 0) {
            return false;
        }
        let to = self.copied_addresses(addresses, found.home);
        let is_vector = self.store_vectors_to(store, &to, found);
        self.addresses = to;
        is_vector
    }

    /// The same to each of all threads' addresses, with what its block adds.
    pub(super) fn store_vectors_to(&mut self, store: &Move<Place>, to: &[u64], found: Found) -> bool {
        if store.elements.iter().any(|from| from.stride == 0) {
            return false;
        }
        let bulk = match found.home {
            Home::Global(index) => Bulk::of_words(&self.job.memory.allocation(index).words),
            _ => Bulk::of_slice(&mut self.shared),
        };
        let (lines, base) = (&self.lines, found.base);
        match (store.bytes, &store.elements[..]) {
            (4, [a, b, c, d]) => {
                bulk.write_vectors(to, base, [a, b, c, d].map(|from| lines.u32s(*from)));
                true
            }
            (4, [a, b]) => {
                bulk.write_vectors(to, base, [a, b].map(|from| lines.u32s(*from)));
                true
            }
            (8, [a, b]) => {
                bulk.write_vectors(to, base, [a, b].map(|from| lines.u64s(*from)));
                true
            }
            _ => false,
        }
    }

    /// The addresses of all threads, with what each one's block adds where its shared memory is one of several.
    pub(super) fn copied_addresses(&mut self, addresses: Place, home: Home) -> Vec<u64> {
        if home == Home::Shared && self.count > 1 {
            return self.shared_addresses(addresses);
        }
        let mut found = std::mem::take(&mut self.addresses);
        found.clear();
        found.extend(&self.lines.u64s(addresses)[..self.threads]);
        found
    }
}
