//! Regions at work: what is the same in all threads or grows evenly first, then loads and operations in one pass.

use super::access::{Found, Home};
use super::build::{is_late, lent};
use super::even::Even;
use super::lanes::Source;
use super::plan::{Block, Early, EvenId, Family, Region, Root, Step};
use super::run::{Cta, HandOver};
use crate::memory::{Access, Bulk};
use margay_isa::uop::Type;

impl Cta<'_> {
    /// Carries out a region. Where it cannot be one pass, its steps go one by one, as if nothing had been tried.
    pub(super) fn region(&mut self, block: &Block, region: &Region) -> Result<(), HandOver> {
        let steps = &block.steps[..];
        let (mut late, mut sources) = (std::mem::take(&mut self.late), std::mem::take(&mut self.sources));
        late.clear();
        sources.clear();
        let mut failed = None;
        for early in &region.early {
            let step = match early {
                // Only loads can fail among these: the step is tried again when those before it have been carried out.
                Early::Step(k) if self.step(&steps[*k]).is_err() => *k,
                Early::Step(_) => continue,
                Early::Evens(acts) => {
                    self.even_acts(acts.clone());
                    continue;
                }
                Early::Find(family) => {
                    let family = &region.families[*family];
                    match self.late_source(family, steps) {
                        Some((even, source)) => {
                            late.push(even);
                            sources.push(source);
                            continue;
                        }
                        None => family.loads[0].step,
                    }
                }
            };
            failed = Some(step);
            break;
        }
        let joined =
            failed.is_none() && self.lines.run_region(region.number, &sources, self.threads, self.is_full());
        if joined {
            // What loads give is read in its lines from now on; until then, an earlier load may have lent their place.
            region.lent.iter().for_each(|to| self.lines.take_back(*to));
        }
        self.sources = sources;
        let done = match joined {
            true => Ok(()),
            false => self.one_by_one(block, region, failed.unwrap_or(region.steps.end), &late),
        };
        self.late = late;
        done
    }

    /// Carries out loads and operations before a step, and what was skipped there; what else is before it has been done. Then
    /// all from there on.
    fn one_by_one(
        &mut self,
        block: &Block,
        region: &Region,
        from: usize,
        late: &[Even],
    ) -> Result<(), HandOver> {
        let steps = &block.steps[..];
        let owed = &block.skipped[self.made_up.min(region.skipped.start)..region.skipped.start];
        let has_all = owed.iter().all(|act| self.is_made_up(*act));
        self.made_up = region.skipped.end;
        for (k, step) in steps.iter().enumerate().take(from).skip(region.steps.start) {
            match step {
                Step::Acts(range) => self.lines.run(range.clone()),
                Step::Evens(acts) => {
                    for act in block.skipped[region.skipped.clone()].iter().filter(|act| acts.contains(act)) {
                        self.even_acts(*act..*act + 1);
                    }
                }
                Step::Load(load) if is_late(load) && !has_all => return Err(HandOver { pc: load.pc }),
                Step::Load(load) if is_late(load) => {
                    lent(step).for_each(|to| self.lines.take_back(to));
                    let found = region.family(k).and_then(|(f, above)| Some((late.get(f)?, above)));
                    let even =
                        found.map(|(even, above)| Even { base: even.base + u64::from(above), ..*even });
                    if !even.is_some_and(|even| self.load_even(load, even)) {
                        return Err(HandOver { pc: load.pc });
                    }
                }
                _ => {}
            }
        }
        steps[from..region.steps.end].iter().try_for_each(|step| match step {
            Step::Load(load) if is_late(load) && !has_all => Err(HandOver { pc: load.pc }),
            _ => self.step(step),
        })
    }

    /// The lowest addresses of loads, and where they find their elements, if these lie evenly in memory that can be read in
    /// place.
    fn late_source(&mut self, family: &Family, steps: &[Step]) -> Option<(Even, Source)> {
        let Step::Load(load) = &steps[family.loads[0].step] else { return None };
        let even = self.least(family)?;
        let (found, at) = self.find_even(Access::Read, load, even, family.span)?;
        let steps = self.steps_in(found, even);
        let reach = Even { base: 0, steps }.reach(self.extent())?;
        let memory = match found {
            Found { home: Home::Global(index), .. } => {
                Bulk::of_words(&self.job.memory.allocation(index).words)
            }
            Found { home: Home::Shared, .. } => Bulk::of_slice(&mut self.shared),
            Found { home: Home::Local | Home::Param, .. } => return None,
        };
        Some((even, Source::new(memory, at, steps, reach, family.span + u64::from(load.size))?))
    }

    /// The lowest addresses of a family's loads, if all of its addresses grow evenly.
    fn least(&self, family: &Family) -> Option<Even> {
        let even = |id: EvenId| {
            let grown = self.grown(id);
            grown.is_even.then_some(grown.even)
        };
        let root = match family.root {
            Root::Zero => Even::uniform(0),
            Root::Uniform(place) => Even::uniform(self.lines.get(Type::U64, place, 0)),
            Root::Even(id) => even(id)?,
            Root::Narrow(id) => return even(id)?.plus_narrow(family.least, family.span, self.extent()),
        };
        Some(Even { base: root.base.wrapping_add(family.least), ..root })
    }
}
