//! Bytes of memory: margay's own or lent ones that all threads see, plain words for memory of one CTA or thread.
//!
//! PTX is little-endian, and its accesses of 1, 2, 4 and 8 bytes are aligned: each is one atomic access of the host, of just
//! that width, so that nothing beside the bytes is touched. Offsets and lengths are checked by the callers; a wrong one could
//! only panic. Among workers every load acquires and every store releases, so that what PTX orders by the semantics of an
//! access is ordered; fences do the rest. Accesses of different widths that race leave what the machine makes of them.

#![allow(unsafe_code)]

use super::Bulk;
use super::reserve::{Grain, Reserve, Reserves};
use super::shared::{SharedFile, Ticket};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::io::{self, ErrorKind};
use std::sync::atomic::{
    AtomicU8, AtomicU16, AtomicU32, AtomicU64,
    Ordering::{AcqRel, Acquire, Release},
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Own memory begins at a multiple of this in the host.
const ALIGNMENT: u64 = super::ALIGNMENT;
/// What the host is asked for: zeros that must be more aligned than all memory is are written, where others are mapped.
const HOST_ALIGNMENT: usize = align_of::<u64>();

/// The low `8 * bytes` bits.
#[inline]
fn mask(bytes: u32) -> u64 {
    u64::MAX >> (64 - 8 * bytes)
}

/// Bytes that several host threads read and write at once.
pub(crate) struct Words {
    /// A multiple of 8.
    start: *mut u8,
    bytes: u64,
    /// What was taken from the host for them, if they are margay's own.
    own: Option<Arc<Taken>>,
    /// The file that they lie in, if other processes may have them.
    file: Option<Box<SharedFile>>,
}

/// Memory of the host, until nobody has it any more.
struct Taken {
    start: *mut u8,
    from: Giver,
}

/// Who gave memory, and what is told when it is given back.
enum Giver {
    Allocator(Layout),
    Reserve(Arc<Reserve>),
}

// SAFETY: all accesses are atomic or, in `Bulk`, such whose races that file speaks of; own memory is freed
// when nobody can have it any more, and whoever lends memory promises that it stays.
unsafe impl Send for Words {}
// SAFETY: as above.
unsafe impl Sync for Words {}
// SAFETY: it is only freed, once.
unsafe impl Send for Taken {}
// SAFETY: as above.
unsafe impl Sync for Taken {}

impl Default for Words {
    /// No bytes.
    fn default() -> Words {
        Words { start: std::ptr::without_provenance_mut(8), bytes: 0, own: None, file: None }
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        match &self.from {
            // SAFETY: taken with this layout, and not freed before.
            Giver::Allocator(layout) => unsafe { dealloc(self.start, *layout) },
            // SAFETY: taken from it, and given back once: nobody has the words any more.
            Giver::Reserve(reserve) => unsafe { reserve.give_back(self.start) },
        }
    }
}

impl Words {
    /// So many zero bytes, rounded up to whole words; `None` if the host has no room.
    pub(crate) fn zeroed(bytes: u64) -> Option<Words> {
        Words::guarded(bytes, 0)
    }

    /// The same with so many bytes before and behind them that nobody else has; those are a multiple of [`ALIGNMENT`].
    pub(super) fn guarded(bytes: u64, guard: u64) -> Option<Words> {
        let bytes = bytes.checked_next_multiple_of(8)?;
        let whole = bytes.checked_add(2 * guard + ALIGNMENT)?;
        let layout = Layout::from_size_align(usize::try_from(whole).ok()?, HOST_ALIGNMENT).ok()?;
        // SAFETY: the layout is not empty.
        let taken = unsafe { alloc_zeroed(layout) };
        let skip = taken.addr().next_multiple_of(ALIGNMENT as usize) - taken.addr();
        let start = taken.wrapping_add(skip + guard as usize);
        (!taken.is_null()).then(|| Words {
            start,
            bytes,
            own: Some(Arc::new(Taken { start: taken, from: Giver::Allocator(layout) })),
            file: None,
        })
    }

    /// So many zero bytes of what is set aside, rounded up to whole words; `None` if it has no room.
    pub(super) fn reserved(bytes: u64, reserves: &mut Reserves, grain: Grain) -> Option<Words> {
        let bytes = bytes.checked_next_multiple_of(8)?;
        let (start, range) = reserves.take(bytes, grain)?;
        let own = Taken { start, from: Giver::Reserve(range) };
        Some(Words { start, bytes, own: Some(Arc::new(own)), file: None })
    }

    /// The bytes of another process's file.
    pub(super) fn opened(ticket: &Ticket, reserves: &mut Reserves) -> io::Result<Words> {
        let file = SharedFile::open(ticket)?;
        let words = Words::reserved(file.pages() as u64, reserves, Grain::Page);
        let mut words = words.ok_or(ErrorKind::OutOfMemory)?;
        if let Some(Taken { start, from: Giver::Reserve(range) }) = words.own.as_deref() {
            // SAFETY: just taken, and as large as the file.
            unsafe { range.open(*start, &file) }?;
        }
        words.bytes = ticket.bytes;
        words.file = Some(Box::new(file));
        Ok(words)
    }

    /// Lets other processes have them, the first so many, if they are margay's own and lie in pages that nobody else has.
    pub(super) fn export(&mut self, bytes: u64) -> io::Result<Ticket> {
        if let Some(file) = &self.file {
            return Ok(file.ticket());
        }
        let alone = self.own.as_mut().and_then(Arc::get_mut);
        let Some(Taken { start, from: Giver::Reserve(range) }) = alone else {
            return Err(ErrorKind::Unsupported.into());
        };
        // SAFETY: taken from the range, and whoever could use them beside the caller borrows `self`.
        let file = unsafe { range.share(*start, bytes) }?;
        Ok(self.file.insert(Box::new(file)).ticket())
    }

    /// The same bytes once more, if they are margay's own: they stay until nobody has them.
    pub(super) fn share(&self) -> Option<Words> {
        let own = self.own.clone()?;
        Some(Words { start: self.start, bytes: self.bytes, own: Some(own), file: None })
    }

    /// Memory of the host that somebody else owns.
    ///
    /// # Safety
    /// From `start`, a multiple of 8, on there must be so many bytes to read, and to write if anybody writes to these,
    /// for as long as they are used.
    pub(super) unsafe fn lent(start: *mut u8, bytes: u64) -> Words {
        debug_assert!(start.addr().is_multiple_of(8));
        Words { start, bytes, own: None, file: None }
    }

    /// Where they are in the host.
    pub(super) fn start(&self) -> *mut u8 {
        self.start
    }

    /// Whether they are margay's own, and nobody shares them.
    pub(super) fn is_alone(&mut self) -> bool {
        self.file.is_none() && self.own.as_mut().is_some_and(|own| Arc::get_mut(own).is_some())
    }

    /// All of them for nobody else, if they are margay's own and nobody shares them.
    pub(super) fn own_mut(&mut self) -> Option<&mut [u8]> {
        if !self.is_alone() {
            return None;
        }
        // SAFETY: they are margay's, zeroed or written since, and whoever could use them beside the caller borrows `self`.
        Some(unsafe { std::slice::from_raw_parts_mut(self.start, self.bytes as usize) })
    }

    /// How many there are.
    pub(crate) fn len(&self) -> u64 {
        self.bytes
    }

    /// The value of 1, 2, 4 or 8 aligned bytes.
    #[inline]
    pub(crate) fn load(&self, at: u64, bytes: u32) -> u64 {
        let place = Bulk::of_words(self).place(at, bytes.into());
        // SAFETY: the place is inside and aligned.
        unsafe {
            match bytes {
                1 => AtomicU8::from_ptr(place).load(Acquire).into(),
                2 => AtomicU16::from_ptr(place.cast()).load(Acquire).into(),
                4 => AtomicU32::from_ptr(place.cast()).load(Acquire).into(),
                _ => AtomicU64::from_ptr(place.cast()).load(Acquire),
            }
        }
    }

    /// Writes 1, 2, 4 or 8 aligned bytes.
    #[inline]
    pub(crate) fn store(&self, at: u64, bytes: u32, value: u64) {
        let place = Bulk::of_words(self).place(at, bytes.into());
        // SAFETY: the place is inside and aligned.
        unsafe {
            match bytes {
                1 => AtomicU8::from_ptr(place).store(value as u8, Release),
                2 => AtomicU16::from_ptr(place.cast()).store(value as u16, Release),
                4 => AtomicU32::from_ptr(place.cast()).store(value as u32, Release),
                _ => AtomicU64::from_ptr(place.cast()).store(value, Release),
            }
        }
    }

    /// Puts what `change` makes of 1, 2, 4 or 8 aligned bytes in their place, in one step. Gives what they were.
    #[inline]
    pub(crate) fn update(&self, at: u64, bytes: u32, change: impl FnMut(u64) -> u64) -> u64 {
        Bulk::of_words(self).update_in_order(at, bytes, AcqRel, change)
    }

    /// A copy of some bytes, at any alignment.
    pub(crate) fn bytes(&self, at: u64, count: u64) -> Vec<u8> {
        let mut out = vec![0; count as usize];
        self.copy_to(at, &mut out);
        out
    }

    /// Copies some bytes, at any alignment.
    pub(crate) fn copy_to(&self, at: u64, to: &mut [u8]) {
        let (head, body, end) = parts(at, to.len() as u64);
        let (first, rest) = to.split_at_mut((head - at) as usize);
        let (words, last) = rest.split_at_mut((body - head) as usize);
        (at..head).zip(first).for_each(|(at, byte)| *byte = self.load(at, 1) as u8);
        for (at, word) in (head..body).step_by(8).zip(words.as_chunks_mut::<8>().0) {
            *word = self.load(at, 8).to_le_bytes();
        }
        (body..end).zip(last).for_each(|(at, byte)| *byte = self.load(at, 1) as u8);
    }

    /// Writes some bytes, at any alignment.
    pub(crate) fn set_bytes(&self, at: u64, bytes: &[u8]) {
        let (head, body, end) = parts(at, bytes.len() as u64);
        let single = |range: std::ops::Range<u64>| {
            range.for_each(|k| self.store(k, 1, bytes[(k - at) as usize].into()));
        };
        single(at..head);
        let (words, _) = bytes[(head - at) as usize..(body - at) as usize].as_chunks::<8>();
        for (k, word) in (head..body).step_by(8).zip(words) {
            self.store(k, 8, u64::from_le_bytes(*word));
        }
        single(body..end);
    }
}

/// Lets one access of 16 bytes be one step among all others that hold this: few machines have it, and none has it everywhere.
pub(crate) fn wide_step() -> MutexGuard<'static, ()> {
    static STEP: Mutex<()> = Mutex::new(());
    STEP.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where the whole words among some bytes begin and end, and where the bytes do.
fn parts(at: u64, count: u64) -> (u64, u64, u64) {
    let end = at + count;
    let head = at.next_multiple_of(8).min(end);
    (head, head.max(end & !7), end)
}

/// Bytes that one host thread has to itself.
pub(crate) trait Private {
    /// The value of 1, 2, 4 or 8 aligned bytes.
    fn load(&self, at: u64, bytes: u32) -> u64;
    /// Writes 1, 2, 4 or 8 aligned bytes.
    fn store(&mut self, at: u64, bytes: u32, value: u64);
}

impl Private for [u64] {
    #[inline]
    fn load(&self, at: u64, bytes: u32) -> u64 {
        self[(at / 8) as usize] >> (at % 8 * 8) & mask(bytes)
    }

    #[inline]
    fn store(&mut self, at: u64, bytes: u32, value: u64) {
        let shift = at % 8 * 8;
        let word = &mut self[(at / 8) as usize];
        *word = *word & !(mask(bytes) << shift) | (value & mask(bytes)) << shift;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_agree_with_a_byte_array() {
        let (atomic, mut plain, mut bytes) = (Words::zeroed(64).unwrap(), [0u64; 8], [0u8; 64]);
        let mut seed = 1u64;
        for _ in 0..5_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let width = 1 << (seed >> 60 & 3);
            let at = (seed >> 40 & 63) / width * width;
            let span = at as usize..(at + width) as usize;
            let value = seed.rotate_left(17);
            atomic.store(at, width as u32, value);
            plain.store(at, width as u32, value);
            bytes[span.clone()].copy_from_slice(&value.to_le_bytes()[..width as usize]);
            assert_eq!(atomic.load(at, width as u32), plain.load(at, width as u32));
        }
        assert_eq!(atomic.bytes(0, 64), bytes);
    }

    #[test]
    fn byte_ranges_may_begin_and_end_anywhere() {
        for (from, count) in (0..20).flat_map(|from| (0..30).map(move |count| (from, count))) {
            let words = Words::zeroed(64).unwrap();
            let data: Vec<u8> = (1..=count).collect();
            words.set_bytes(from, &data);
            let all = words.bytes(0, 64);
            let end = from as usize + data.len();
            assert_eq!(&all[from as usize..end], data);
            assert!(all[..from as usize].iter().chain(&all[end..]).all(|b| *b == 0));
            assert_eq!(words.bytes(from, u64::from(count)), data);
        }
    }

    #[test]
    fn neighbours_in_one_word_do_not_lose_each_others_writes() {
        let words = Words::zeroed(8).unwrap();
        std::thread::scope(|scope| {
            for lane in 0..4 {
                let words = &words;
                scope.spawn(move || (0..=20_000).for_each(|k| words.store(2 * lane, 2, k)));
            }
        });
        assert_eq!(words.load(0, 8), 0x4e20_4e20_4e20_4e20);
    }

    #[test]
    fn updates_by_several_workers_all_count() {
        let words = Words::zeroed(16).unwrap();
        std::thread::scope(|scope| {
            for worker in 0..4 {
                let words = &words;
                scope.spawn(move || {
                    for _ in 0..10_000 {
                        words.update(2, 2, |old| old + 1);
                        words.update(4, 4, |old| old + 2);
                        words.update(8, 8, |old| old + (1 << (16 * worker)));
                    }
                });
            }
        });
        assert_eq!((words.load(2, 2), words.load(4, 4), words.load(0, 2)), (40_000, 80_000, 0));
        assert_eq!(words.load(8, 8), 0x2710_2710_2710_2710);
    }
}
