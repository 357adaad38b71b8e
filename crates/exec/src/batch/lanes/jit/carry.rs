//! Where what turns carry lies: at the end of a turn, each value where the next one looks for it.

use crate::batch::lanes::jit::allocate::Allocator;
use crate::batch::lanes::jit::machine::{Base, Carried, Memory, Reg};

/// Where a turn finds a value that it begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Spot {
    Number(u8),
    Slot(usize),
    /// Where it is loaded from when it is needed.
    Home,
    /// Nowhere yet: no turn reads it.
    Open,
}

/// What turns carry, and where each turn finds it.
pub(super) struct Carrier {
    pairs: Vec<(Carried, Spot)>,
}

/// A value on its way to a number.
struct Move {
    carried: Carried,
    to: u8,
}

impl Carrier {
    /// Looks where the first turn finds what turns carry, and keeps that for it.
    pub(super) fn new(allocator: &mut Allocator, carried: &[Carried]) -> Carrier {
        let mut spot = |Carried { begins, ends }: Carried| {
            let index = begins.0 as usize;
            if let Some(number) = allocator.number[index] {
                // A slot has only what the first turn begins with.
                if begins != ends {
                    allocator.slot[index] = None;
                    allocator.wished[ends.0 as usize] = Some(number);
                }
                return Spot::Number(number);
            }
            if let Some(slot) = allocator.slot[index] {
                allocator.kept_slots.push(slot);
                return Spot::Slot(slot);
            }
            if begins == ends { Spot::Home } else { Spot::Open }
        };
        Carrier { pairs: carried.iter().map(|carried| (*carried, spot(*carried))).collect() }
    }

    /// Brings what a turn has left to where the next one finds it. None if something is nowhere.
    pub(super) fn end_turn(&mut self, allocator: &mut Allocator, end: u32) -> Option<()> {
        self.leave_kept_slots(allocator, end)?;
        let taken: Vec<u8> = self.pairs.iter().filter_map(|(_, spot)| spot.number()).collect();
        self.choose_spots(allocator, taken, end)?;
        for (Carried { begins, ends }, spot) in &self.pairs {
            if let Spot::Slot(slot) = spot
                && begins != ends
            {
                if allocator.number[ends.0 as usize].is_none() {
                    allocator.reload(*ends, &[], end)?;
                }
                allocator.store(*ends, allocator.number[ends.0 as usize]?, *slot);
            }
        }
        let moves = self.pairs.iter().filter_map(|(carried, spot)| {
            let to = spot.number()?;
            (allocator.number[carried.ends.0 as usize] != Some(to)).then_some(Move { carried: *carried, to })
        });
        move_all(allocator, moves.collect())
    }

    /// Takes what a turn has left out of slots in which the next one looks for something else.
    fn leave_kept_slots(&self, allocator: &mut Allocator, end: u32) -> Option<()> {
        for (Carried { ends, .. }, _) in &self.pairs {
            let index = ends.0 as usize;
            let Some(slot) = allocator.slot[index] else { continue };
            let goes = |(carried, spot): &(Carried, Spot)| *spot == Spot::Slot(slot) && carried.ends != *ends;
            if !self.pairs.iter().any(goes) {
                continue;
            }
            if allocator.number[index].is_none() {
                allocator.reload(*ends, &[], end)?;
            }
            allocator.slot[index] = None;
        }
        Some(())
    }

    /// Chooses where the values lie that only what follows the last turn reads.
    fn choose_spots(&mut self, allocator: &mut Allocator, mut taken: Vec<u8>, end: u32) -> Option<()> {
        for (Carried { ends, .. }, spot) in self.pairs.iter_mut().filter(|(_, spot)| *spot == Spot::Open) {
            let index = ends.0 as usize;
            if allocator.number[index].is_none() && allocator.slot[index].is_none() {
                allocator.reload(*ends, &[], end)?;
            }
            *spot = match allocator.number[index].filter(|number| !taken.contains(number)) {
                Some(number) => {
                    taken.push(number);
                    Spot::Number(number)
                }
                None => {
                    allocator.slots += 1;
                    Spot::Slot(allocator.slots - 1)
                }
            };
        }
        Some(())
    }

    /// Tells an allocator for what follows a turn where everything lies.
    pub(super) fn begin(&self, allocator: &mut Allocator) {
        self.begin_where(allocator, |_, _| true);
    }

    /// The same, but only of what is read.
    pub(super) fn begin_read(&self, allocator: &mut Allocator) {
        self.begin_where(allocator, |allocator, reg| allocator.is_read(reg));
    }

    fn begin_where(&self, allocator: &mut Allocator, wanted: fn(&Allocator, Reg) -> bool) {
        for (Carried { begins, .. }, spot) in &self.pairs {
            match spot {
                _ if !wanted(allocator, *begins) => {}
                Spot::Number(number) => allocator.hold(*begins, *number),
                Spot::Slot(slot) => {
                    allocator.slot[begins.0 as usize] = Some(*slot);
                    allocator.kept_slots.push(*slot);
                }
                Spot::Home | Spot::Open => {}
            }
        }
    }

    /// Whether everything still lies there.
    pub(super) fn is_as_it_was(&self, allocator: &Allocator) -> bool {
        self.pairs.iter().all(|(Carried { begins, .. }, spot)| match spot {
            Spot::Number(number) => allocator.vectors[usize::from(*number)] == Some(*begins),
            Spot::Slot(_) | Spot::Home | Spot::Open => true,
        })
    }
}

impl Spot {
    fn number(self) -> Option<u8> {
        match self {
            Spot::Number(number) => Some(number),
            Spot::Slot(_) | Spot::Home | Spot::Open => None,
        }
    }
}

/// Brings values to their numbers, none of which is lost on the way.
fn move_all(allocator: &mut Allocator, mut moves: Vec<Move>) -> Option<()> {
    while !moves.is_empty() {
        // A number may be overwritten if no value that is still to be moved lies there.
        let free = |Move { carried, to }: &Move| {
            let holds = |other: &Move| {
                other.carried.ends != carried.ends
                    && allocator.number[other.carried.ends.0 as usize] == Some(*to)
            };
            !moves.iter().any(holds)
        };
        match moves.iter().position(free) {
            Some(k) => {
                let Move { carried, to } = moves.swap_remove(k);
                bring(allocator, carried, to)?;
            }
            None => {
                // They wait for each other: one goes by way of the stack.
                let ends = moves[0].carried.ends;
                let number = allocator.number[ends.0 as usize]?;
                let slot = allocator.slots;
                allocator.slots += 1;
                allocator.store(ends, number, slot);
                allocator.slot[ends.0 as usize] = Some(slot);
                allocator.number[ends.0 as usize] = None;
            }
        }
    }
    Some(())
}

fn bring(allocator: &mut Allocator, Carried { begins, ends }: Carried, to: u8) -> Option<()> {
    let index = ends.0 as usize;
    match allocator.number[index] {
        Some(from) => allocator.copy(begins, from, to),
        None => {
            let stacked = allocator.slot[index].map(|slot| Memory::fixed(Base::Slot(slot)));
            let memory: Option<Memory> = stacked.or(allocator.body.homes[index]);
            allocator.load(Reg(index as u32), to, memory?);
        }
    }
    Some(())
}
