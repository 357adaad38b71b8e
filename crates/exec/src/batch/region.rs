//! Regions at work: what is the same in all threads or grows evenly first, then loads and operations in one pass.

use super::access::{Found, Home};
use super::build::is_late;
use super::even::Even;
use super::lanes::{Place, Source};
use super::plan::{Address, Move, Step};
use super::run::{Cta, HandOver};
use crate::memory::{Access, Bulk};
use margay_isa::uop::Type;

impl Cta<'_> {
    /// Carries out a region. Where it cannot be one pass, its steps go one by one, as if nothing had been tried.
    pub(super) fn region(&mut self, steps: &[Step], number: u32) -> Result<(), HandOver> {
        let (mut late, mut sources) = (std::mem::take(&mut self.late), std::mem::take(&mut self.sources));
        late.clear();
        sources.clear();
        let mut failed = None;
        for (k, step) in steps.iter().enumerate() {
            let done = match step {
                Step::Acts(_) => true,
                Step::Load(load) if is_late(load) => match self.late_source(load) {
                    Some((even, source)) => {
                        late.push(even);
                        sources.push(source);
                        true
                    }
                    None => false,
                },
                // Only loads can fail among these: the step is tried again when those before it have been carried out.
                step => self.step(step).is_ok(),
            };
            if !done {
                failed = Some(k);
                break;
            }
        }
        let joined = failed.is_none() && self.lines.run_region(number, &sources, self.threads);
        if joined {
            self.take_back(steps);
        }
        self.sources = sources;
        let done = match joined {
            true => Ok(()),
            false => self.one_by_one(steps, failed.unwrap_or(steps.len()), &late),
        };
        self.late = late;
        done
    }

    /// Carries out loads and operations before a step, what else is before it having been done, and all from there on.
    fn one_by_one(&mut self, steps: &[Step], from: usize, late: &[Even]) -> Result<(), HandOver> {
        let mut late = late.iter();
        for step in &steps[..from] {
            match step {
                Step::Acts(range) => self.lines.run(range.clone()),
                Step::Load(load) if is_late(load) => {
                    self.take_back(std::slice::from_ref(step));
                    let even = late.next().copied().unwrap_or_default();
                    if !self.load_even(load, even) {
                        return Err(HandOver { pc: load.pc });
                    }
                }
                _ => {}
            }
        }
        steps[from..].iter().try_for_each(|step| self.step(step))
    }

    /// What loads give is read in its lines from now on; until then, an earlier load may have lent their place.
    fn take_back(&mut self, steps: &[Step]) {
        for step in steps {
            if let Step::Load(load) = step
                && load.lends
            {
                load.elements.iter().flatten().for_each(|to| self.lines.take_back(*to));
            }
        }
    }

    /// The addresses of a load, and where it finds its elements, if they lie evenly in memory that can be read in place.
    fn late_source(&mut self, load: &Move<Option<Place>>) -> Option<(Even, Source)> {
        let even = match load.address {
            Address::Even(id) => {
                let grown = self.grown(id);
                grown.is_even.then_some(grown.even)?
            }
            Address::Uniform(place) => Even::uniform(self.lines.get(Type::U64, place, 0)),
            Address::Varying(_) => return None,
        };
        let (found, at) = self.find_even(Access::Read, load, even)?;
        let steps = self.steps_in(found, even);
        let reach = Even { base: 0, steps }.reach(self.extent())?;
        let memory = match found {
            Found { home: Home::Global(index), .. } => {
                Bulk::of_words(&self.job.memory.allocation(index).words)
            }
            Found { home: Home::Shared, .. } => Bulk::of_slice(&mut self.shared),
            Found { home: Home::Local | Home::Param, .. } => return None,
        };
        Some((even, Source::new(memory, at, steps, reach, load.size.into())?))
    }
}
