//! Local memory at one address: a row has the words of all threads there.

use crate::batch::lanes::Place;
use crate::batch::run::Cta;
use crate::batch::run::access::{element_type, low_bytes};
use crate::batch::run::part::Part;
use margay_isa::WARP;
use margay_isa::uop::Type;

impl Cta<'_> {
    /// Words of local memory with the same address.
    pub(super) fn local_row(&self) -> usize {
        self.job.threads as usize * self.plan.batch_size as usize
    }

    /// The same place of every thread's local memory.
    pub(super) fn load_local_row(&mut self, at: u64, bytes: u32, to: Place) {
        let threads = self.threads;
        let row = &self.local[(at / 8) as usize * self.local_row()..][..threads];
        let (shift, mask) = (at % 8 * 8, low_bytes(bytes));
        match bytes {
            8 => self.lines.u64s_mut(to)[..threads].copy_from_slice(row),
            _ => {
                let lanes = &mut self.lines.u32s_mut(to)[..threads];
                lanes.iter_mut().zip(row).for_each(|(lane, word)| *lane = (word >> shift & mask) as u32);
            }
        }
    }

    /// The same place of local memory of each thread of a part, written.
    pub(super) fn store_local_row(&mut self, at: u64, bytes: u32, from: Place, part: &Part) {
        let (threads, start) = (self.threads, (at / 8) as usize * self.local_row());
        let row = &mut self.local[start..][..threads];
        let shift = at % 8 * 8;
        let bits = (shift, low_bytes(bytes) << shift);
        match (element_type(bytes), from.stride) {
            (Type::U64, 0) => write(row, &[self.lines.u64s(from)[0]; WARP], true, bits, part),
            (Type::U64, _) => write(row, &self.lines.u64s(from)[..threads], false, bits, part),
            (_, 0) => write(row, &[self.lines.u32s(from)[0]; WARP], true, bits, part),
            (_, _) => write(row, &self.lines.u32s(from)[..threads], false, bits, part),
        }
    }
}

/// Writes values, or those of a warp in every warp, to the words of those who take part, from a bit on and as far as a mask reaches.
fn write<T: Copy + Into<u64>>(
    row: &mut [u64],
    values: &[T],
    repeat: bool,
    (shift, mask): (u64, u64),
    part: &Part,
) {
    for (warp, words) in row.chunks_mut(WARP).enumerate() {
        let values = if repeat { values } else { &values[warp * WARP..] };
        let lanes = match part {
            Part::All(_) => u32::MAX,
            Part::Some(chosen) => chosen.bits[warp],
        };
        let put = |word: &mut u64, value: T, mask: u64| *word = *word & !mask | value.into() << shift & mask;
        match lanes {
            0 => {}
            u32::MAX => words.iter_mut().zip(values).for_each(|(word, value)| put(word, *value, mask)),
            _ => words.iter_mut().zip(values).enumerate().for_each(|(lane, (word, value))| {
                put(word, *value, if lanes >> lane & 1 == 1 { mask } else { 0 });
            }),
        }
    }
}
