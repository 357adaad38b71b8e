//! The tensor memory of a block (CTA): its words, who has taken which columns, and what instructions do there (manual, 9.7.16).

mod product;

use margay_isa::tensor_core::Form;
use margay_isa::tensor_memory::{Block, COLUMNS, Cell, FromShared, LANES, Movement, Placed, QUARTER, UNIT};
use margay_isa::{Across, Chunk, WARP};
pub(crate) use product::{Begun, begin, end};
use std::sync::Arc;

/// Tensor memory of a block.
#[derive(Clone, Default)]
pub(crate) struct TensorMemory {
    /// Column by column of each lane; none before any are taken.
    words: Vec<u32>,
    /// The first column of what has been taken, and how many.
    taken: Vec<(u32, u32)>,
    /// Whether the block has promised to take no more.
    closed: bool,
    /// Products of blocks that have been made ready.
    blocks: Vec<(Form, Arc<Block>)>,
}

/// Why an instruction cannot be carried out: what is wrong, or that something could not be read.
pub(crate) enum Refused<E> {
    Told(String),
    Unread(E),
}

impl<E> From<String> for Refused<E> {
    fn from(text: String) -> Refused<E> {
        Refused::Told(text)
    }
}

impl TensorMemory {
    /// As a block finds it: nothing is taken.
    pub(crate) fn clear(&mut self) {
        self.taken.clear();
        self.closed = false;
    }

    /// The columns that are taken.
    pub(crate) fn taken(&self) -> u32 {
        self.taken.iter().map(|(_, count)| count).sum()
    }

    /// Takes columns; the address of the first.
    pub(crate) fn take(&mut self, columns: u64) -> Result<u32, String> {
        let count = columns as u32;
        if !count.is_power_of_two() || !(UNIT..=COLUMNS).contains(&(count as usize)) {
            return Err(format!("{count} columns are taken, and it must be 32, 64, 128, 256 or 512"));
        }
        if self.closed {
            return Err("columns are taken after the block promised to take no more".into());
        }
        let is_free = |first: u32| {
            self.taken.iter().all(|(other, of_other)| first + count <= *other || other + of_other <= first)
        };
        let mut firsts = (0..=COLUMNS as u32 - count).step_by(UNIT);
        let Some(first) = firsts.find(|first| is_free(*first)) else {
            let free = COLUMNS as u32 - self.taken();
            return Err(format!(
                "{count} columns are taken, {free} of tensor memory are free, and the block waits for itself"
            ));
        };
        self.words.resize(LANES * COLUMNS, 0);
        // Results do not depend on which blocks a worker ran before.
        for lane in 0..LANES as u32 {
            self.row_mut(Cell { lane, column: first }, count as usize).fill(0);
        }
        self.taken.push((first, count));
        Ok(Cell { lane: 0, column: first }.address())
    }

    /// Gives columns back that have been taken together.
    pub(crate) fn give_back(&mut self, address: u64, columns: u64) -> Result<(), String> {
        let (address, count) = (address as u32, columns as u32);
        let known = self.taken.iter().position(|taken| *taken == (address, count));
        let Some(known) = known else {
            let mut taken: Vec<String> =
                self.taken.iter().map(|(first, count)| format!("{count} at {first:#x}")).collect();
            taken.sort();
            let taken = if taken.is_empty() { "nothing".into() } else { taken.join(", ") };
            return Err(format!("{count} columns at {address:#x} are given back, and taken are {taken}"));
        };
        self.taken.swap_remove(known);
        Ok(())
    }

    /// Promises that no more columns are taken.
    pub(crate) fn close(&mut self) {
        self.closed = true;
    }

    /// Refuses lanes and columns that are not there, or not taken.
    fn allowed(&self, who: &str, from: Cell, lanes: u32, columns: u32) -> Result<(), String> {
        let Cell { lane, column } = from;
        if u64::from(lane) + u64::from(lanes) > LANES as u64 {
            let last = u64::from(lane) + u64::from(lanes) - 1;
            return Err(format!("{who} uses lanes {lane} to {last} of tensor memory, whose last one is 127"));
        }
        let is_taken = |column: u64| {
            let within = |(first, count): &(u32, u32)| u64::from(*first)..u64::from(first + count);
            self.taken.iter().any(|taken| within(taken).contains(&column))
        };
        let column = u64::from(column);
        match (column..column + u64::from(columns)).find(|column| !is_taken(*column)) {
            Some(column @ 512..) => {
                Err(format!("{who} uses column {column} of tensor memory, whose last one is 511"))
            }
            Some(column) => {
                Err(format!("{who} uses column {column} of tensor memory, which has not been taken"))
            }
            None => Ok(()),
        }
    }

    fn row(&self, from: Cell, count: usize) -> &[u32] {
        &self.words[from.lane as usize * COLUMNS + from.column as usize..][..count]
    }

    fn row_mut(&mut self, from: Cell, count: usize) -> &mut [u32] {
        &mut self.words[from.lane as usize * COLUMNS + from.column as usize..][..count]
    }

    /// Where a warp reads or writes, and how far on the second half of it, by its sources.
    fn begins(&self, movement: &Movement, warp: usize, sources: &[Across]) -> Result<(Cell, u32), String> {
        let address = sources[0][0];
        if sources[0].iter().any(|other| *other != address) {
            return Err("the lanes of the warp give different addresses".into());
        }
        let (from, split) =
            (Cell::of(address as u32), if movement.is_split() { sources[1][0] as u32 } else { 0 });
        let quarter = (warp % (LANES / QUARTER) * QUARTER) as u32;
        let last = from.lane.saturating_add(movement.lanes() - 1);
        if from.lane < quarter || last >= quarter + QUARTER as u32 {
            return Err(format!(
                "lanes {} to {last} of tensor memory are used by warp {warp}, whose lanes are {quarter} to {}",
                from.lane,
                quarter + QUARTER as u32 - 1
            ));
        }
        // The first and the last column of either half of the warp.
        let registers = 0..movement.registers();
        for (lane, register) in
            [0, WARP - 1].into_iter().flat_map(|lane| registers.clone().map(move |r| (lane, r)))
        {
            let cell = movement.cell(lane, register, 0, split);
            let cell = Cell { lane: 0, column: from.column.wrapping_add(cell.column) };
            self.allowed("the warp", cell, 1, movement.words() as u32)?;
        }
        Ok((from, split))
    }

    /// What a warp loads.
    pub(crate) fn load(
        &self,
        movement: &Movement,
        warp: usize,
        sources: &[Across],
        results: &mut [Across],
    ) -> Result<(), String> {
        let (from, split) = self.begins(movement, warp, sources)?;
        for (register, result) in results.iter_mut().enumerate() {
            for (lane, bits) in result.iter_mut().enumerate() {
                let word = |half| {
                    let Cell { lane, column } = movement.cell(lane, register, half, split);
                    u64::from(
                        self.row(
                            Cell { lane: from.lane + lane, column: from.column.wrapping_add(column) },
                            1,
                        )[0],
                    )
                };
                *bits = match movement.words() {
                    1 => word(0),
                    _ => word(0) & 0xffff | (word(1) & 0xffff) << 16,
                };
            }
        }
        Ok(())
    }

    /// Stores what a warp brings; the upper halves of words that get a half of a register become 0.
    pub(crate) fn store(
        &mut self,
        movement: &Movement,
        warp: usize,
        sources: &[Across],
    ) -> Result<(), String> {
        let (from, split) = self.begins(movement, warp, sources)?;
        let registers = &sources[if movement.is_split() { 2 } else { 1 }..];
        for (register, source) in registers.iter().enumerate() {
            for (lane, bits) in source.iter().enumerate() {
                for half in 0..movement.words() {
                    let Cell { lane, column } = movement.cell(lane, register, half, split);
                    let to = Cell { lane: from.lane + lane, column: from.column.wrapping_add(column) };
                    self.row_mut(to, 1)[0] = match movement.words() {
                        1 => *bits as u32,
                        _ => (*bits >> (16 * half)) as u32 & 0xffff,
                    };
                }
            }
        }
        Ok(())
    }

    /// Copies what chunks of shared memory become; nothing is written if something may not be.
    pub(crate) fn copy<E>(
        &mut self,
        copy: &FromShared,
        sources: &[u64],
        read: impl FnOnce(&[u64]) -> Result<Vec<Chunk>, E>,
    ) -> Result<(), Refused<E>> {
        let moves =
            copy.moves(sources).map_err(|wrong| format!("of the descriptor of the matrix, {wrong}"))?;
        for to in moves.iter().flat_map(|one| &one.to) {
            self.allowed("the copy", *to, 1, copy.words(Default::default()).len() as u32)?;
        }
        let from: Vec<u64> = moves.iter().map(|one| one.from).collect();
        let chunks = read(&from).map_err(Refused::Unread)?;
        for (Placed { to, .. }, chunk) in moves.iter().zip(chunks) {
            let words = copy.words(chunk);
            to.iter().for_each(|to| self.row_mut(*to, words.len()).copy_from_slice(&words));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_taken_where_they_are_free() {
        let mut memory = TensorMemory::default();
        assert_eq!([memory.take(128), memory.take(64), memory.take(256)], [Ok(0), Ok(128), Ok(192)]);
        assert_eq!((memory.give_back(0, 128), memory.take(32)), (Ok(()), Ok(0)));
        assert!(memory.take(48).is_err() && memory.take(512).is_err() && memory.give_back(128, 32).is_err());
        assert_eq!(memory.taken(), 352);
        memory.close();
        assert!(memory.take(32).is_err());
    }

    #[test]
    fn columns_that_are_not_taken_are_refused() {
        let mut memory = TensorMemory::default();
        assert_eq!(memory.take(32), Ok(0));
        let cell = |lane, column| Cell { lane, column };
        assert!(
            memory.allowed("D", cell(127, 0), 1, 32).is_ok()
                && memory.allowed("D", cell(0, 31), 128, 1).is_ok()
        );
        for (from, lanes, columns) in
            [(cell(127, 0), 2, 1), (cell(0, 31), 1, 2), (cell(u32::MAX, 0), 1, 1), (cell(0, u32::MAX), 1, 2)]
        {
            assert!(memory.allowed("D", from, lanes, columns).is_err(), "{from:?}");
        }
    }
}
