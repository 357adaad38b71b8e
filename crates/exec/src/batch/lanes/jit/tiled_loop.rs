//! Tiled loops' passes: one block (CTA) after the other takes all turns, each of which copies rows and carries out passes.

use super::{UNIT_THREADS, Variant, at, pass};
use crate::batch::lanes::jit::machine::Pointer;
use crate::batch::lanes::scope::Scope;
use crate::batch::lanes::{Line, TileInput};
use std::sync::Arc;

/// Takes so many turns with the first threads, all of which run, in blocks of so many; `false` if a pass's code does not go by blocks, and
/// nothing is done.
///
/// # Safety
/// As for [`Variant::run`], of each pass; all elements must lie in memory in every turn, and what copies were found in must be there.
pub(crate) unsafe fn run_tiled_loop(
    passes: &[(Arc<Variant>, TileInput)],
    lines: &mut [Line],
    scope: Scope,
    turns: u32,
    (threads, own): (usize, usize),
) -> bool {
    let units = (own / UNIT_THREADS) as u32;
    let bytes = at(units);
    let goes_by_blocks = |(variant, _): &(Arc<Variant>, TileInput)| {
        variant.all_run && bytes.is_multiple_of(variant.entry.round) && variant.own.is_none_or(|of| of == own)
    };
    if !own.is_multiple_of(UNIT_THREADS) || !threads.is_multiple_of(own) || !passes.iter().all(goes_by_blocks)
    {
        return false;
    }
    let lines = lines.as_mut_ptr();
    let mut tables: Vec<Vec<*const u8>> = vec![Vec::new(); passes.len()];
    for block in 0..(threads / own) as u32 {
        let (from, until) = (at(block * units), at((block + 1) * units));
        for ((variant, tile), table) in passes.iter().zip(&mut tables) {
            // Code for all blocks finds the elements of later ones by itself, and has no tables.
            let place = if variant.own.is_some() { (block, units) } else { (0, 0) };
            variant.point(table, lines, &scope, tile.sources, place);
        }
        for turn in 0..turns {
            for ((variant, tile), table) in passes.iter().zip(&mut tables) {
                // SAFETY: the caller's promise.
                tile.copies.iter().for_each(|copies| unsafe { copies.carry_out_for(block, turn) });
                let code = pass(&variant.text, &variant.entry);
                // SAFETY: the caller's promise; the code's rounds are whole in a block.
                unsafe { code(lines, table.as_ptr(), from, until, 0) };
                for (pointer, to) in variant.entry.pointers.iter().zip(table) {
                    if let Pointer::Load(load) = *pointer {
                        *to = to.wrapping_offset(tile.moves[load] as isize);
                    }
                }
            }
        }
    }
    true
}
