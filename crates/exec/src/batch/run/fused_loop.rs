//! Fused loops at work: what is uniform or affine first, then loads and operations in one pass.

use crate::batch::affine::AffineValue;
use crate::batch::compile::{is_late, lent};
use crate::batch::lanes::{PassInput, Source};
use crate::batch::plan::{Address, AddressGroup, AffineId, BaseAddress, Block, FusedLoop, Preheader, Step};
use crate::batch::run::found::{Found, Home};
use crate::batch::run::rooms::FoundStore;
use crate::batch::run::{Bailout, Cta};
use crate::memory::{Access, Bulk};
use margay_isa::uop::Type;

impl Cta<'_> {
    /// Carries out a fused loop. Where it cannot be one pass, its steps go one by one, as if nothing had been tried.
    pub(super) fn fused_loop(&mut self, block: &Block, fused_loop: &FusedLoop) -> Result<(), Bailout> {
        let steps = &block.steps[..];
        let (mut late, mut sources) = (std::mem::take(&mut self.late), std::mem::take(&mut self.sources));
        late.clear();
        sources.clear();
        // Where lanes of warps exchange values, all of those must have come of which some have.
        let are_whole = |running: &[u32]| running.iter().all(|bits| matches!(*bits, 0 | u32::MAX));
        let complete = match self.is_full() {
            true => true,
            false if fused_loop.stores => false,
            false => !fused_loop.exchanges || are_whole(self.lines.running()),
        };
        self.stores.clear();
        if fused_loop.stores {
            self.lines.aim_at_lines();
        }
        let mut failed = (!complete).then_some(fused_loop.steps.start);
        for preheader in fused_loop.preheader.iter().filter(|_| complete) {
            let step = match preheader {
                // Only loads and barriers can fail among these: the step is tried again when those before it have been carried out.
                Preheader::Step(k) if self.step(&steps[*k]).is_err() => *k,
                Preheader::Step(_) => continue,
                Preheader::AffineOps(numbers) => {
                    self.affine_ops(numbers.clone());
                    continue;
                }
                Preheader::FindStore(k) => match self.find_late_store(*k, &steps[*k]) {
                    Some(source) => {
                        sources.push(source);
                        continue;
                    }
                    None => *k,
                },
                Preheader::Find(address_group) => {
                    let address_group = &fused_loop.address_groups[*address_group];
                    match self.late_source(address_group, steps) {
                        Some((affine, source)) => {
                            late.push(affine);
                            sources.push(source);
                            continue;
                        }
                        None => address_group.loads[0].step,
                    }
                }
            };
            failed = Some(step);
            break;
        }
        let copies = if self.sunk.is_empty() { Vec::new() } else { self.row_copies() };
        let input = PassInput { sources: &sources, copies: &copies, turns: None };
        let joined = failed.is_none()
            && self.lines.run_fused_loop(fused_loop.number, input, (self.threads, self.is_full()));
        if joined {
            self.sunk.clear();
            // What loads give is read in its lines from now on; until then, an earlier load may have lent their place.
            fused_loop.lent.iter().for_each(|to| self.lines.take_back(*to));
        }
        self.sources = sources;
        self.copy_sunk();
        let done = match joined {
            true => Ok(()),
            false => self.one_by_one(block, fused_loop, failed.unwrap_or(fused_loop.steps.end), &late),
        };
        self.late = late;
        done
    }

    /// Carries out loads and operations before a step, and what was deferred there; what else is before it has been done. Then
    /// all from there on.
    fn one_by_one(
        &mut self,
        block: &Block,
        fused_loop: &FusedLoop,
        from: usize,
        late: &[AffineValue],
    ) -> Result<(), Bailout> {
        let steps = &block.steps[..];
        let owed =
            &block.deferred[self.rematerialized.min(fused_loop.deferred.start)..fused_loop.deferred.start];
        let has_all = owed.iter().all(|number| self.rematerialize(*number));
        if has_all {
            self.rematerialized = fused_loop.deferred.end;
        }
        let is_deferred = |number: &u32| block.deferred.binary_search(number).is_ok();
        for (k, step) in steps.iter().enumerate().take(from).skip(fused_loop.steps.start) {
            match step {
                Step::Vector(range) => self.lines.run(range.clone()),
                // Nothing but loads from there on reads them, and these fail without all.
                Step::AffineOps(numbers) if has_all => {
                    numbers
                        .clone()
                        .filter(is_deferred)
                        .for_each(|number| self.affine_ops(number..number + 1));
                }
                // What is after it may have been done already, so that it must not fail: it needs nothing but what was found.
                Step::Load(load) if is_late(load) => {
                    lent(step).for_each(|to| self.lines.take_back(to));
                    let found =
                        fused_loop.address_group(k).and_then(|(f, above)| Some((late.get(f)?, above)));
                    let affine = found.map(|(affine, above)| AffineValue {
                        base: affine.base + u64::from(above),
                        ..*affine
                    });
                    if !affine.is_some_and(|affine| self.load_affine(load, affine)) {
                        return Err(Bailout { pc: load.pc });
                    }
                }
                Step::Collective(together) => self.together(together)?,
                // It has been found that it can be.
                Step::Store(store) => {
                    let found = self.stores.iter().find(|found| found.step == k);
                    let stored = found.copied().is_some_and(|FoundStore { found, at, steps, .. }| {
                        self.store_found(store, found, at, steps)
                    });
                    assert!(stored, "a store was found");
                }
                _ => {}
            }
        }
        steps[from..fused_loop.steps.end].iter().try_for_each(|step| match step {
            Step::Load(load) if is_late(load) && !has_all => Err(Bailout { pc: load.pc }),
            Step::AffineOps(numbers) if !has_all => {
                numbers
                    .clone()
                    .filter(|number| !is_deferred(number))
                    .for_each(|number| self.affine_ops(number..number + 1));
                Ok(())
            }
            _ => self.step(step),
        })
    }

    /// The lowest addresses of loads, and where they find their elements, if these are strided in memory that can be read in
    /// place.
    pub(super) fn late_source(
        &mut self,
        address_group: &AddressGroup,
        steps: &[Step],
    ) -> Option<(AffineValue, Source)> {
        let Step::Load(load) = &steps[address_group.loads[0].step] else { return None };
        let affine = self.least(address_group)?;
        let (found, at) = self.find_affine(Access::Read, load, affine, address_group.span)?;
        let steps = self.steps_in(found, affine);
        let reach = AffineValue { base: 0, steps }.reach(self.extent())?;
        let memory = match found {
            Found { home: Home::Global(index), .. } => {
                Bulk::of_words(&self.job.memory.allocation(index).words)
            }
            Found { home: Home::Shared, .. } => Bulk::of_slice(&mut self.shared),
            Found { home: Home::Local | Home::Param, .. } => return None,
        };
        Some((affine, Source::new(memory, at, steps, reach, address_group.span + u64::from(load.size))?))
    }

    /// Where a step stores the elements of all threads, if that is memory that a pass may write to.
    fn find_late_store(&mut self, k: usize, step: &Step) -> Option<Source> {
        let Step::Store(store) = step else { return None };
        let Address::Affine(id) = store.address else { return None };
        let register = self.affine_register(id);
        let affine = register.is_affine.then_some(register.affine)?;
        let (found, at) = self.find_affine(Access::Write, store, affine, 0)?;
        let steps = self.steps_in(found, affine);
        let reach = AffineValue { base: 0, steps }.reach(self.extent())?;
        let memory = match found.home {
            Home::Global(index) if !self.job.memory.is_heap(index) => {
                Bulk::of_words(&self.job.memory.allocation(index).words)
            }
            Home::Shared => Bulk::of_slice(&mut self.shared),
            Home::Global(_) | Home::Local | Home::Param => return None,
        };
        let source = Source::new(memory, at, steps, reach, store.size.into())?;
        self.stores.push(FoundStore { step: k, found, at, steps });
        Some(source)
    }

    /// The lowest addresses of an address group's loads, if all of its addresses are affine.
    fn least(&self, address_group: &AddressGroup) -> Option<AffineValue> {
        let affine = |id: AffineId| {
            let register = self.affine_register(id);
            register.is_affine.then_some(register.affine)
        };
        let root = match address_group.root {
            BaseAddress::Zero => AffineValue::uniform(0),
            BaseAddress::Uniform(place) => self.uniform_in_turns(Type::U64, place)?,
            BaseAddress::Affine(id) => affine(id)?,
            BaseAddress::Narrow(id) => {
                return affine(id)?.plus_narrow(address_group.least, address_group.span, self.extent());
            }
        };
        Some(AffineValue { base: root.base.wrapping_add(address_group.least), ..root })
    }
}
