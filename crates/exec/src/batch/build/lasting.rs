//! Which operations' results are read after the run of operations that they are in.
//!
//! What is read in the run alone need not be stored where registers hold it meanwhile. Registers' homes count as read at a
//! block's end, and by whatever may hand over to the golden engine.

use crate::batch::lanes::{Act, Place, What};
use crate::batch::plan::{Address, Block, Exit, Home, Move, Source, Step};
use std::collections::HashSet;
use std::ops::Range;

/// The runs of operations of some blocks, and of what is done before them, and whether each operation's result is read later.
pub(super) fn lasting(
    acts: &[Act],
    prologue: &[Step],
    blocks: &[Block],
    homes: &[Home],
) -> (Vec<Range<u32>>, Vec<bool>) {
    let mut lasting = Lasting {
        acts,
        homes: homes.iter().filter_map(line_of).collect(),
        runs: Vec::new(),
        lasts: vec![true; acts.len()],
    };
    for step in prologue {
        lasting.runs.extend(run_of(step));
    }
    for block in blocks {
        lasting.block(block);
    }
    (lasting.runs, lasting.lasts)
}

struct Lasting<'a> {
    acts: &'a [Act],
    /// The lines of registers' homes.
    homes: HashSet<u32>,
    runs: Vec<Range<u32>>,
    lasts: Vec<bool>,
}

impl Lasting<'_> {
    fn block(&mut self, block: &Block) {
        let mut read = self.homes.clone();
        match &block.exit {
            Exit::Branch { by, guess, .. } => {
                read.insert(by.line);
                if let Some(guess) = guess {
                    self.steps(&guess.steps, &mut read, block);
                }
            }
            Exit::Indexed { index, .. } => {
                read.insert(index.line);
            }
            Exit::Go(_) | Exit::End | Exit::HandOver => {}
        }
        self.steps(&block.steps, &mut read, block);
    }

    /// From the last step to the first: what is read from each on.
    fn steps(&mut self, steps: &[Step], read: &mut HashSet<u32>, block: &Block) {
        for step in steps.iter().rev() {
            if let Some(run) = run_of(step) {
                for k in (run.start as usize..run.end as usize).rev() {
                    let act = &self.acts[k];
                    self.lasts[k] = read.contains(&act.to.line);
                }
                // Within the run, from its end to its begin: the last writer of a place is who leaves it behind.
                for k in (run.start as usize..run.end as usize).rev() {
                    let act = &self.acts[k];
                    read.remove(&act.to.line);
                    let arity = match act.what {
                        What::Op(op) => op.operands().len(),
                        What::Move(_) => 1,
                    };
                    read.extend(act.from[..arity].iter().map(|place| place.line));
                }
                self.runs.push(run);
                continue;
            }
            reads(step, &mut |place| {
                read.insert(place.line);
            });
            if may_hand_over(step) {
                read.extend(&self.homes);
                read.extend(block.sets.iter().filter_map(|(_, _, home)| line_of(home)));
            }
        }
    }
}

fn run_of(step: &Step) -> Option<Range<u32>> {
    match step {
        Step::Acts(run) => Some(run.clone()),
        _ => None,
    }
}

fn line_of(home: &Home) -> Option<u32> {
    match home {
        Home::At(_, place) => Some(place.line),
        // Values that grow evenly are no operation's results.
        Home::Even(_) | Home::Nowhere | Home::Const(_) => None,
    }
}

fn may_hand_over(step: &Step) -> bool {
    !matches!(step, Step::Acts(_) | Step::Single(_) | Step::Spread(_) | Step::Evens(_))
}

/// The places that a step reads; values that grow evenly are no operation's results.
fn reads(step: &Step, read: &mut dyn FnMut(Place)) {
    fn moved<T>(moved: &Move<T>, read: &mut dyn FnMut(Place)) {
        moved.guard.into_iter().for_each(&mut *read);
        if let Address::Uniform(place) | Address::Varying(place) = moved.address {
            read(place);
        }
    }
    fn sources(sources: &[Source], read: &mut dyn FnMut(Place)) {
        for source in sources {
            read(source.low.1);
            source.high.iter().for_each(|(_, place)| read(*place));
        }
    }
    match step {
        Step::Acts(_) | Step::Spread(_) | Step::Evens(_) | Step::Barrier { .. } => {}
        Step::Single(act) => act.from.into_iter().for_each(read),
        Step::Load(load) => moved(load, read),
        Step::Aim(store) | Step::Store(store) => {
            moved(store, read);
            store.elements.iter().for_each(|place| read(*place));
        }
        Step::Atomic(atomic) => {
            moved(&atomic.place, read);
            sources(&atomic.sources, read);
        }
        Step::Each(each) => sources(&each.sources, read),
        Step::Together(together) => {
            together.guard.into_iter().for_each(&mut *read);
            sources(&together.sources, read);
        }
        Step::Reduce { predicate, .. } => read(*predicate),
    }
}
