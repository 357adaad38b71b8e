//! What lanes of a warp carry out together, and what barriers count: on masks and whole warps.

use crate::batch::lanes::Place;
use crate::batch::plan::{Collective, MANY_THREADS, Source, Target};
use crate::batch::run::barrier::of_block;
use crate::batch::run::{Bailout, Cta};
use crate::code::{Deed, MAX_RESULTS, Members, Reduction};
use margay_isa::uop::Type;
use margay_isa::warp::{Choices, Column, Gains, Gather, Warp, ballot, choose};
use margay_isa::{Lanes, MAX_SOURCES, WARP};

/// Warps of plans with steps of whole warps, at most.
const WARPS: usize = MANY_THREADS as usize / WARP;

/// A bit for every lane of a warp whose mask in a line is set.
fn bits(mask: &[u32], warp: usize) -> u32 {
    ballot(lanes_of(mask, warp), |on| on != 0)
}

/// The bits of two masks in every warp, one way or another.
fn join(bits: &mut [u32], others: &[u32], how: impl Fn(u32, u32) -> u32) {
    bits.iter_mut().zip(others).for_each(|(bits, other)| *bits = how(*bits, *other));
}

/// What a warp has of a value.
fn lanes_of<T>(values: &[T], warp: usize) -> &[T; WARP] {
    &values.as_chunks().0[warp]
}

/// Whether each lane of a group reads one of the group.
fn keeps(choices: &Choices, group: u32) -> bool {
    (0..WARP).all(|lane| group >> lane & 1 == 0 || group >> choices.from[lane] & 1 == 1)
}

impl Cta<'_> {
    /// Carries out an instruction in all warps, if in all of them the lanes have come that it needs.
    pub(super) fn together(&mut self, together: &Collective) -> Result<(), Bailout> {
        let members = match self.complete(together) {
            Some(members) => members,
            None => return self.apart(together).ok_or(Bailout { pc: together.pc }),
        };
        let warps = (self.threads).div_ceil(WARP);
        if !matches!(together.deed, Deed::ByLane(_)) {
            return self.whole(together, &members[..warps]).ok_or(Bailout { pc: together.pc });
        }
        if let Some(choices) = self.same_choices(together, &members[..warps]) {
            self.exchange(together, &choices, &members[..warps]);
            return Ok(());
        }
        let taking_part = members[..warps].iter().enumerate().filter(|(_, members)| **members != 0);
        match together.gather {
            // Nothing is left to do where the lanes only meet.
            _ if together.results.iter().all(|target| target.low.is_none()) => {}
            Some(gather) => taking_part.for_each(|(warp, on)| self.at_once(together, gather, warp, *on)),
            None => taking_part.for_each(|(warp, on)| self.lane_by_lane(together, warp, *on)),
        }
        Ok(())
    }

    /// Carries out an instruction in which lanes of a warp name different lanes, group by group, if all that any of them name have
    /// come and name the same.
    fn apart(&mut self, together: &Collective) -> Option<()> {
        let (Members::Named(k), None, Deed::ByLane(_)) = (together.members, together.guard, &together.deed)
        else {
            return None;
        };
        let warps = self.threads.div_ceil(WARP);
        let mut here = [0; WARPS];
        here[..warps].copy_from_slice(&self.lines.running()[..warps]);
        let mut alive = here;
        self.join_alive(&mut alive);
        let mut groups: Vec<(usize, u32)> = Vec::new();
        // Mostly lanes of all warps name the same.
        let (mut known, mut found) = (None, 0..0);
        for warp in 0..warps {
            let column = self.column(&together.sources[k], warp);
            let named = Warp { members: here[warp], sources: &[column] }.u32s(0);
            if known == Some((named, here[warp], alive[warp])) {
                groups.extend_from_within(found.clone());
                found = groups.len() - found.len()..groups.len();
                groups[found.clone()].iter_mut().for_each(|(of, _)| *of = warp);
                continue;
            }
            found.start = groups.len();
            let mut rest = here[warp];
            while rest != 0 {
                let mask = named[rest.trailing_zeros() as usize];
                let group = ballot(&named, |other| other == mask) & here[warp];
                if group != mask & alive[warp] {
                    return None;
                }
                groups.push((warp, group));
                rest &= !group;
            }
            found.end = groups.len();
            known = Some((named, here[warp], alive[warp]));
        }
        match (together.gather, self.same_choices_in(together, &groups)) {
            (_, Some(choices)) => self.exchange(together, &choices, &here[..warps]),
            (Some(gather), None) => groups
                .chunk_by(|a, b| a.0 == b.0)
                .for_each(|groups| self.group_by_group(together, gather, groups)),
            (None, None) => {
                groups.into_iter().for_each(|(warp, group)| self.lane_by_lane(together, warp, group));
            }
        }
        Some(())
    }

    /// The lanes that all lanes read, if that is the same in all warps, all of their lanes take part, and each reads one of its
    /// own group.
    fn same_choices_in(&self, together: &Collective, groups: &[(usize, u32)]) -> Option<Choices> {
        let Members::Named(named) = together.members else { return None };
        let choices = self.choices_of_all(together, Some(named))?;
        let mut before: &[(usize, u32)] = &[];
        let all = groups.chunk_by(|a, b| a.0 == b.0).all(|groups| {
            let last = std::mem::replace(&mut before, groups);
            let are_known = last.iter().map(|(_, group)| group).eq(groups.iter().map(|(_, group)| group));
            let is_whole = || groups.iter().fold(0, |all, (_, group)| all | group) == u32::MAX;
            are_known || is_whole() && groups.iter().all(|(_, group)| keeps(&choices, *group))
        });
        all.then_some(choices)
    }

    /// Carries out an instruction in the groups of a warp, whose results may go where sources lie.
    fn group_by_group(&mut self, together: &Collective, gather: Gather, groups: &[(usize, u32)]) {
        let warp = groups[0].0;
        let mut columns = [Column::Same(0); MAX_SOURCES];
        for (column, source) in columns.iter_mut().zip(&together.sources) {
            *column = self.column(source, warp);
        }
        let sources = &columns[..together.sources.len()];
        let mut all = Gains::same(0, false);
        for (_, group) in groups {
            let gains = gather.gains(&together.inst, &Warp { members: *group, sources });
            all.words = choose(*group, &gains.words, &all.words);
            all.holds |= gains.holds & group;
        }
        self.set_gains(together, warp, &all);
    }

    /// Adds lanes that wait elsewhere; those that only end are as good as gone.
    fn join_alive(&self, alive: &mut [u32]) {
        self.join_pending(alive, |_| true);
    }

    /// The same for those that wait at some of the blocks.
    fn join_pending(&self, alive: &mut [u32], counts: impl Fn(usize) -> bool) {
        let blocks = &self.plan.blocks;
        let pending = self.pending.iter();
        pending
            .filter(|pending| !blocks[pending.block].only_ends && counts(pending.block))
            .for_each(|pending| join(alive, &pending.bits, |bits, other| bits | other));
    }

    /// Of lanes that name no members, those that are waited for: others of their warps that may yet come. `members` have.
    fn gathering(&self, members: &[u32], alive: &mut [u32]) {
        let Some(comers) = &self.plan.blocks[self.at].comers else { return self.join_alive(alive) };
        // Whom a guard holds back goes on at once, and may come again.
        if !comers.has(self.at) {
            alive.copy_from_slice(members);
        }
        self.join_pending(alive, |block| comers.has(block));
    }

    /// The lanes of every warp that take part; none if others must come first.
    pub(super) fn complete(&self, together: &Collective) -> Option<[u32; WARPS]> {
        let mut members = [0; WARPS];
        let threads = self.threads;
        // Mostly all threads have come, and name all.
        let all_named = match together.members {
            Members::Any | Members::Each => true,
            Members::Named(k) => {
                let (ty, place) = together.sources[k].low;
                place.stride == 0 && self.lines.get(ty, place, 0) as u32 == u32::MAX
            }
            Members::All => threads.is_multiple_of(WARP),
        };
        if self.is_full() && together.guard.is_none() && all_named {
            members[..threads / WARP].fill(u32::MAX);
            if !threads.is_multiple_of(WARP) {
                members[threads / WARP] = !(u32::MAX << (threads % WARP));
            }
            return Some(members);
        }
        let warps = threads.div_ceil(WARP);
        members[..warps].copy_from_slice(&self.lines.running()[..warps]);
        let mut alive = members;
        if let Some(guard) = together.guard {
            let (level, mut others) = (self.lines.level(), [0; WARPS]);
            match guard.stride {
                0 => others.fill(self.predicate(guard, 0)),
                _ => level.bits(self.lines.u32s(guard), &mut others[..warps]),
            }
            join(&mut members, &others, |bits, other| bits & other);
        }
        match together.members {
            Members::Any => self.gathering(&members, &mut alive),
            _ => self.join_alive(&mut alive),
        }
        for (warp, (members, alive)) in members.iter_mut().zip(alive).enumerate().take(warps) {
            if *members == 0 {
                continue;
            }
            let named = match together.members {
                Members::Any => alive,
                Members::Each => *members,
                Members::Named(k) => alive & self.named(&together.sources[k], warp, *members)?,
                // Without some of them no lane goes on.
                Members::All => u32::MAX,
            };
            if named != *members {
                return None;
            }
        }
        Some(members)
    }

    /// The lanes that all lanes read, if that is the same in all warps that take part, and of each their lanes read one that does.
    fn same_choices(&self, together: &Collective, members: &[u32]) -> Option<Choices> {
        let choices = match together.choices {
            Some(from) => Choices { from, holds: u32::MAX },
            None => self.choices_of_all(together, None)?,
        };
        let mut known = u32::MAX;
        let all = members.iter().all(|members| {
            let keeps = matches!(*members, 0 | u32::MAX) || *members == known || keeps(&choices, *members);
            known = *members;
            keeps
        });
        all.then_some(choices)
    }

    /// The lanes that all lanes read where all of a warp are there, if that is the same in all warps. One source may say what it
    /// will, as that of lanes that are named.
    fn choices_of_all(&self, together: &Collective, except: Option<usize>) -> Option<Choices> {
        let Some(Gather::Exchange(choose)) = together.gather else { return None };
        let (value, others) = together.sources.split_first()?;
        let wide = |target: &Target| matches!(target.low, Some((Type::U64, _)));
        let alike = (value.low.0, value.low.1.stride) == (Type::U32, 1)
            && !together.results.iter().any(wide)
            && others.iter().enumerate().all(|(k, source)| except == Some(k + 1) || source.low.1.stride == 0);
        let sources: [Column; MAX_SOURCES] = std::array::from_fn(|k| match together.sources.get(k) {
            Some(source) if k > 0 && except != Some(k) => self.column(source, 0),
            _ => Column::Same(0),
        });
        alike.then(|| choose(&together.inst, &Warp { members: u32::MAX, sources: &sources }))
    }

    /// Lanes of all warps that take part exchange a value.
    fn exchange(&mut self, together: &Collective, choices: &Choices, members: &[u32]) {
        let from = together.sources[0].low.1;
        for (ty, place) in together.results.iter().filter_map(|target| target.low) {
            if ty == Type::U32 {
                self.lines.exchange(&choices.from, from, place);
                continue;
            }
            let holds = choose(choices.holds, &[u32::MAX; WARP], &[0; WARP]);
            let warps = self.lines.u32s_mut(place).as_chunks_mut().0;
            warps
                .iter_mut()
                .zip(members)
                .filter(|(_, members)| **members != 0)
                .for_each(|(warp, _)| *warp = holds);
        }
    }

    /// The lanes that those that take part name; none if they do not agree.
    fn named(&self, source: &Source, warp: usize, members: u32) -> Option<u32> {
        let lanes = match self.column(source, warp) {
            Column::Same(bits) => return Some(bits as u32),
            column => Warp { members, sources: &[column] }.u32s(0),
        };
        let named = lanes[members.trailing_zeros() as usize];
        (ballot(&lanes, |other| other != named) & members == 0).then_some(named)
    }

    /// A bit for every lane of a warp in which a predicate holds.
    fn predicate(&self, place: Place, warp: usize) -> u32 {
        match place.stride {
            0 => 0u32.wrapping_sub(self.lines.get(Type::Pred, place, 0) as u32),
            _ => bits(self.lines.u32s(place), warp),
        }
    }

    /// What the lanes of a warp have as a source of up to 64 bits.
    pub(super) fn column(&self, source: &Source, warp: usize) -> Column<'_> {
        let (ty, place) = source.low;
        match ty {
            _ if place.stride == 0 => Column::Same(self.lines.get(ty, place, 0)),
            Type::Pred => Column::Pred(bits(self.lines.u32s(place), warp)),
            Type::U32 => Column::U32(lanes_of(self.lines.u32s(place), warp)),
            Type::U64 => Column::U64(lanes_of(self.lines.u64s(place), warp)),
        }
    }

    /// Results are set in all lanes of the warp, as operations on lines set theirs.
    fn at_once(&mut self, together: &Collective, gather: Gather, warp: usize, members: u32) {
        let mut columns = [Column::Same(0); MAX_SOURCES];
        for (column, source) in columns.iter_mut().zip(&together.sources) {
            *column = self.column(source, warp);
        }
        let sources = &columns[..together.sources.len()];
        let gains = gather.gains(&together.inst, &Warp { members, sources });
        self.set_gains(together, warp, &gains);
    }

    /// Sets what the lanes of a warp get.
    fn set_gains(&mut self, together: &Collective, warp: usize, gains: &Gains) {
        let range = warp * WARP..(warp + 1) * WARP;
        for (ty, place) in together.results.iter().filter_map(|target| target.low) {
            match ty {
                Type::Pred => {
                    let holds = choose(gains.holds, &[u32::MAX; WARP], &[0; WARP]);
                    self.lines.u32s_mut(place)[range.clone()].copy_from_slice(&holds);
                }
                Type::U32 => self.lines.u32s_mut(place)[range.clone()].copy_from_slice(&gains.words),
                Type::U64 => {
                    let words = gains.words.map(u64::from);
                    self.lines.u64s_mut(place)[range.clone()].copy_from_slice(&words);
                }
            }
        }
    }

    fn lane_by_lane(&mut self, together: &Collective, warp: usize, members: u32) {
        let Deed::ByLane(function) = together.deed else { return };
        let mut sources = [[0; MAX_SOURCES]; WARP];
        for lane in (0..WARP).filter(|lane| members >> lane & 1 == 1) {
            for (arg, source) in sources[lane].iter_mut().zip(&together.sources) {
                *arg = self.read(source, warp * WARP + lane);
            }
        }
        let lanes = Lanes { sources: &sources, members };
        for lane in (0..WARP).filter(|lane| lanes.has(*lane)) {
            let mut results = [0; MAX_RESULTS];
            function(&together.inst, &lanes, lane, &mut results[..together.results.len()]);
            for (target, bits) in together.results.iter().zip(results) {
                self.write(target, warp * WARP + lane, bits);
            }
        }
    }

    /// What a barrier tells of a predicate in the threads of a block that run.
    pub(super) fn counted(&self, member: usize, operation: Reduction, predicate: Place) -> u64 {
        let own = self.job.threads as usize;
        let first = member * own / WARP;
        let running = of_block(self.lines.running(), member, own).enumerate();
        let (here, votes) = running.fold((0, 0), |(here, votes), (k, bits)| {
            let holds = if bits == 0 { 0 } else { bits & self.predicate(predicate, first + k) };
            (here + bits.count_ones(), votes + holds.count_ones())
        });
        match operation {
            Reduction::Count => u64::from(votes),
            Reduction::All => u64::from(votes == here),
            Reduction::Any => u64::from(votes > 0),
        }
    }
}
