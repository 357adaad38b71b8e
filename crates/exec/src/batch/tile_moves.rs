//! How a tile of a matrix becomes registers of 32 bits, two halves at a time: what is known of it before a kernel runs.

use margay_isa::{Piece, Stretch, Tiles, WARP};

/// Places in a tile, in elements of 16 bits, of both halves of each lane's register, the lower one first.
pub(crate) struct TileMoves {
    registers: Vec<[[u16; 2]; WARP]>,
    /// Whether the registers, one after the other, are the tile as it is.
    pub(crate) are_in_order: bool,
    /// Whether the tile is rows of [`ROW`] bytes, the first lane's, then the second's, and so on, each where its lane's address says.
    pub(crate) has_rows: bool,
}

/// Bytes of a row of a tile that is read row by row.
pub(crate) const ROW: u32 = 16;

/// Rows of such a tile that a register holds.
pub(crate) const ROWS: usize = WARP * size_of::<u32>() / ROW as usize;

impl TileMoves {
    /// Those of a tile that is read; none if a register has other pieces than two halves.
    pub(crate) fn of(tiles: &Tiles) -> Option<TileMoves> {
        const NOWHERE: u16 = u16::MAX;
        let mut registers = vec![[[NOWHERE; 2]; WARP]; tiles.registers];
        for Piece { register, lane, shift, bits, at } in &tiles.pieces {
            if (shift | bits) % 16 != 0 || at % 16 != 0 {
                return None;
            }
            let halves = registers.get_mut(usize::from(*register))?.get_mut(usize::from(*lane))?;
            for k in 0..u16::from(bits / 16) {
                let half = halves.get_mut(usize::from(shift / 16) + usize::from(k))?;
                if *half != NOWHERE {
                    return None;
                }
                *half = at / 16 + k;
            }
        }
        let halves = tiles.bytes() as u64 / 2;
        let mut places = registers.iter().flatten().flatten();
        if tiles.stores || !places.all(|place| u64::from(*place) < halves) {
            return None;
        }
        let are_in_order = registers.iter().flatten().flatten().copied().eq(0..halves as u16);
        let are_rows = tiles.stretches.iter().enumerate().all(|(k, stretch)| {
            let Stretch { lane, strides, bytes, align } = *stretch;
            (usize::from(lane), strides, bytes, align) == (k, 0, ROW, ROW)
        });
        let has_rows = are_rows && tiles.stretches.len() == ROWS * registers.len();
        Some(TileMoves { registers, are_in_order, has_rows })
    }

    /// A register in all lanes, from a tile.
    pub(crate) fn spread(&self, tile: &[u16], register: usize, to: &mut [u32; WARP]) {
        if self.are_in_order {
            let words = bytemuck::cast_slice(tile).as_chunks().0;
            *to = words[register];
            return;
        }
        for (to, [low, high]) in to.iter_mut().zip(&self.registers[register]) {
            let [low, high] = [low, high].map(|half| u32::from(tile[usize::from(*half)]));
            *to = low | high << 16;
        }
    }
}
