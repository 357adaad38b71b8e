//! How a register can still be unwritten at a place: what is known of predicates if it is.

use crate::module::RegisterId;

/// A predicate's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub(super) struct Fact {
    pub(super) predicate: RegisterId,
    pub(super) value: bool,
}

/// So many facts are kept of one way, and so many ways; beyond, less is known.
const MOST_FACTS: usize = 6;
const MOST_WAYS: usize = 8;

/// Ways in which a register can be unwritten; without any it is written. Of each way facts are known, in their order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Ways(Vec<Vec<Fact>>);

impl Ways {
    /// Unwritten, whatever predicates are.
    pub(super) fn unwritten() -> Ways {
        Ways(vec![Vec::new()])
    }

    /// Whether the register is written.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The register is written.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Whether the register can be unwritten where a predicate has this value.
    pub(super) fn allow(&self, fact: Fact) -> bool {
        let opposite = Fact { value: !fact.value, ..fact };
        self.0.iter().any(|way| !way.contains(&opposite))
    }

    /// From here on a predicate has this value.
    pub(super) fn assume(&mut self, fact: Fact) {
        let opposite = Fact { value: !fact.value, ..fact };
        self.0.retain(|way| !way.contains(&opposite));
        for way in &mut self.0 {
            if let Err(at) = way.binary_search(&fact)
                && way.len() < MOST_FACTS
            {
                way.insert(at, fact);
            }
        }
        self.tidy();
    }

    /// Predicates for which this holds have new values.
    pub(super) fn forget(&mut self, changed: impl Fn(RegisterId) -> bool) {
        self.0.iter_mut().for_each(|way| way.retain(|fact| !changed(fact.predicate)));
        self.tidy();
    }

    /// The ways of both; whether there are more than before.
    pub(super) fn join(&mut self, other: &Ways) -> bool {
        let before = self.clone();
        other.0.iter().for_each(|way| self.add(way.clone()));
        *self != before
    }

    fn tidy(&mut self) {
        let ways = std::mem::take(&mut self.0);
        ways.into_iter().for_each(|way| self.add(way));
    }

    fn add(&mut self, mut way: Vec<Fact>) {
        loop {
            if self.0.iter().any(|known| known.iter().all(|fact| way.contains(fact))) {
                return;
            }
            self.0.retain(|known| !way.iter().all(|fact| known.contains(fact)));
            // Two that differ in one predicate's value say nothing of it together.
            let Some((at, common)) =
                self.0.iter().enumerate().find_map(|(k, known)| Some((k, without(known, &way)?)))
            else {
                break;
            };
            self.0.swap_remove(at);
            way = common;
        }
        self.0.push(way);
        self.0.sort_unstable();
        if self.0.len() > MOST_WAYS {
            *self = Ways::unwritten();
        }
    }
}

/// What two ways have in common, if they differ in one predicate's value and in nothing else.
fn without(a: &[Fact], b: &[Fact]) -> Option<Vec<Fact>> {
    let same_predicates = a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.predicate == b.predicate);
    let common: Vec<Fact> = a.iter().filter(|fact| b.contains(fact)).copied().collect();
    (same_predicates && common.len() + 1 == a.len()).then_some(common)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(predicate: u32, value: bool) -> Fact {
        Fact { predicate: RegisterId(predicate), value }
    }

    #[test]
    fn a_guarded_write_leaves_the_other_value_of_the_guard() {
        let mut ways = Ways::unwritten();
        ways.assume(fact(1, false));
        assert!(!ways.allow(fact(1, true)) && ways.allow(fact(1, false)) && ways.allow(fact(2, true)));
        ways.assume(fact(1, true));
        assert!(ways.is_empty());
    }

    #[test]
    fn a_predicate_that_changes_is_forgotten() {
        let mut ways = Ways::unwritten();
        ways.assume(fact(1, false));
        ways.forget(|id| id == RegisterId(1));
        assert_eq!(ways, Ways::unwritten());
    }

    #[test]
    fn opposite_ways_that_meet_say_nothing_of_the_predicate() {
        let (mut left, mut right) = (Ways::unwritten(), Ways::unwritten());
        for (ways, value) in [(&mut left, true), (&mut right, false)] {
            ways.assume(fact(2, true));
            ways.assume(fact(1, value));
        }
        assert!(left.join(&right));
        let mut wanted = Ways::unwritten();
        wanted.assume(fact(2, true));
        assert_eq!(left, wanted);
        assert!(!left.join(&right));
    }

    #[test]
    fn too_many_ways_are_any_way() {
        let mut all = Ways::default();
        for k in 0..9 {
            let mut way = Ways::unwritten();
            way.assume(fact(k, true));
            all.join(&way);
        }
        assert_eq!(all, Ways::unwritten());
    }
}
