//! Names and where they are visible: scopes of declarations, numbered registers kept as ranges.

use crate::module::{FunctionId, RegisterId, VariableId};
use crate::source::Span;
use foldhash::HashMap;
use margay_isa::Ty;
use smol_str::SmolStr;
use std::collections::BTreeSet;
use std::ops::Range as Between;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Entity {
    /// A register, or with elements a vector of them.
    Register(RegisterType),
    /// A variable in memory.
    Variable(VariableId),
    /// A kernel or device function.
    Function(FunctionId),
    /// A label, by its number in the function.
    Label(u32),
    /// A `.callprototype`, `.calltargets` or `.branchtargets`, by its number in the function.
    List(ListKind, u32),
}

/// What sort of list a label stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListKind {
    Prototype,
    CallTargets,
    BranchTargets,
}

/// Type of a register: one element's type and the number of elements (1, 2, 4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RegisterType {
    pub element: Ty,
    pub vector: u32,
}

/// A name with what it stands for and where it was declared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Declared {
    pub entity: Entity,
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
struct Range {
    count: u32,
    declared: Declared,
}

/// One block's names. Numbered registers are ranges: no register exists before it is used.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    names: Table<Declared>,
    ranges: Table<Range>,
    /// Registers of this scope that have been used, elements of vectors by their whole name.
    pub used: HashMap<SmolStr, RegisterId>,
}

/// What names stand for, found fast, and the names in their order.
#[derive(Debug)]
struct Table<T> {
    by_name: HashMap<SmolStr, T>,
    in_order: BTreeSet<SmolStr>,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table { by_name: HashMap::default(), in_order: BTreeSet::new() }
    }
}

impl<T> Table<T> {
    fn get(&self, name: &str) -> Option<&T> {
        if self.by_name.is_empty() { None } else { self.by_name.get(name) }
    }

    fn insert(&mut self, name: SmolStr, value: T) {
        self.in_order.insert(name.clone());
        self.by_name.insert(name, value);
    }

    /// All in the order of their names.
    fn iter(&self) -> impl Iterator<Item = (&SmolStr, &T)> {
        self.in_order.iter().map(|name| (name, &self.by_name[name]))
    }

    /// Those whose names lie between two.
    fn between(&self, bounds: Between<SmolStr>) -> impl Iterator<Item = (&SmolStr, &T)> {
        self.in_order.range(bounds).map(|name| (name, &self.by_name[name]))
    }
}

/// A numbered register's greatest count has so many digits; more are no number of one.
const MAX_DIGITS: usize = 10;

impl Scope {
    /// What the name stands for in this scope.
    pub fn find(&self, name: &str) -> Option<Declared> {
        let named = self.names.get(name).copied();
        named.or_else(|| self.numbered(name))
    }

    fn numbered(&self, name: &str) -> Option<Declared> {
        if self.ranges.by_name.is_empty() {
            return None;
        }
        splits(name).find_map(|(prefix, number)| {
            let range = self.ranges.get(prefix)?;
            (number < u64::from(range.count)).then_some(range.declared)
        })
    }

    /// Declares a name; gives back the declaration that is in the way, where one is.
    pub fn declare(&mut self, name: &SmolStr, declared: Declared) -> Option<Declared> {
        if let Some(other) = self.find(name) {
            return Some(other);
        }
        self.names.insert(name.clone(), declared);
        None
    }

    /// Declares `prefix0` to `prefix(count - 1)`; gives back a declaration that is in the way, where one is.
    ///
    /// Each name is looked at once for every prefix of it that is declared, so the time is bounded by the text's length.
    pub fn declare_range(&mut self, prefix: &SmolStr, count: u32, declared: Declared) -> Option<Declared> {
        let other = self.ranges.get(prefix).map(|r| r.declared);
        let other = other.or_else(|| self.shorter_range(prefix)).or_else(|| self.longer_name(prefix, count));
        if other.is_some() {
            return other;
        }
        self.ranges.insert(prefix.clone(), Range { count, declared });
        None
    }

    /// A range such as `%r<100>` that holds a name of `%r1<5>`: `%r10` is the least of them.
    fn shorter_range(&self, prefix: &str) -> Option<Declared> {
        splits(prefix).find_map(|(shorter, number)| {
            let range = self.ranges.get(shorter)?;
            (number > 0 && number * 10 < u64::from(range.count)).then_some(range.declared)
        })
    }

    /// A name or range that begins with `prefix` and a number below `count`.
    fn longer_name(&self, prefix: &str, count: u32) -> Option<Declared> {
        let (first, last) = (format!("{prefix}0"), format!("{prefix}:"));
        let bounds = SmolStr::from(first)..SmolStr::from(last);
        let number = |name: &str| canonical(&name[prefix.len()..]);
        let named = self.names.between(bounds.clone());
        let named = named.filter(|(name, _)| number(name).is_some_and(|n| n < u64::from(count)));
        if let Some((_, declared)) = { named }.next() {
            return Some(*declared);
        }
        let mut ranges = self.ranges.between(bounds);
        let overlaps = |name: &str| number(name).is_some_and(|n| n > 0 && n * 10 < u64::from(count));
        ranges.find(|(name, _)| overlaps(name)).map(|(_, range)| range.declared)
    }

    /// The names for suggestions near `name`: plain names, and of each range the one with the same number, else its first.
    pub fn names_near(&self, name: &str) -> impl Iterator<Item = SmolStr> {
        let digits = name.len() - name.bytes().rev().take_while(u8::is_ascii_digit).count();
        let wanted = canonical(&name[digits..]).unwrap_or(0);
        let ranges = self.ranges.iter().filter(|(_, range)| range.count > 0).map(move |(prefix, range)| {
            let number = if wanted < u64::from(range.count) { wanted } else { 0 };
            SmolStr::from(format!("{prefix}{number}"))
        });
        self.names.in_order.iter().cloned().chain(ranges)
    }

    /// The range whose prefix and a number the name is, but with a number too great: its prefix, count and place, and the number.
    pub fn beyond_range(&self, name: &str) -> Option<(SmolStr, u32, Span, u64)> {
        splits(name).find_map(|(prefix, number)| {
            let range = self.ranges.get(prefix)?;
            Some((SmolStr::from(prefix), range.count, range.declared.span, number))
        })
    }
}

/// Every way to read a name as a prefix and a number without leading zeros, the shortest number first.
pub(crate) fn splits(name: &str) -> impl Iterator<Item = (&str, u64)> {
    let digits = name.bytes().rev().take(MAX_DIGITS).take_while(u8::is_ascii_digit).count();
    (1..=digits).filter_map(move |n| {
        let (prefix, number) = name.split_at(name.len() - n);
        let number = canonical(number)?;
        (!prefix.is_empty()).then_some((prefix, number))
    })
}

fn canonical(digits: &str) -> Option<u64> {
    let plain = digits.len() <= MAX_DIGITS && digits.bytes().all(|b| b.is_ascii_digit());
    let zeros = digits.len() > 1 && digits.starts_with('0');
    digits.parse().ok().filter(|_| plain && !zeros)
}

#[cfg(test)]
mod tests {
    use super::*;
    use margay_isa::Kind;

    fn register() -> Declared {
        let element = Ty { kind: Kind::Untyped, bits: 32, lanes: 1 };
        Declared { entity: Entity::Register(RegisterType { element, vector: 1 }), span: Span::default() }
    }

    fn scope(ranges: &[(&str, u32)], names: &[&str]) -> Scope {
        let mut scope = Scope::default();
        for (prefix, count) in ranges {
            assert!(scope.declare_range(&SmolStr::from(*prefix), *count, register()).is_none());
        }
        for name in names {
            assert!(scope.declare(&SmolStr::from(*name), register()).is_none());
        }
        scope
    }

    #[test]
    fn a_range_holds_its_numbers_without_leading_zeros() {
        let scope = scope(&[("%r", 12), ("x9", 2)], &[]);
        let found = |name: &str| scope.find(name).is_some();
        assert!(found("%r0") && found("%r11") && found("x90") && found("x91"));
        assert!(!found("%r12") && !found("%r01") && !found("%r") && !found("x92") && !found("x9"));
        assert!(!found("%r99999999999999999999999999"));
    }

    #[test]
    fn a_range_of_four_billion_takes_no_memory() {
        let scope = scope(&[("%r", u32::MAX)], &[]);
        assert!(scope.find("%r4294967294").is_some());
    }

    #[test]
    fn ranges_that_share_a_name_clash() {
        let clash = |a: (&str, u32), b: (&str, u32)| {
            scope(&[a], &[]).declare_range(&SmolStr::from(b.0), b.1, register()).is_some()
        };
        assert!(
            clash(("%r", 20), ("%r1", 5)) && clash(("%r1", 5), ("%r", 20)) && clash(("%r", 1), ("%r", 2))
        );
        assert!(!clash(("%r", 10), ("%r1", 5)) && !clash(("%r1", 5), ("%r", 10)));
        assert!(!clash(("%r", 200), ("%r0", 5)) && !clash(("%r", 200), ("%rd", 5)));
    }

    #[test]
    fn a_range_and_a_name_in_it_clash() {
        assert!(scope(&[("%r", 9)], &[]).declare(&"%r8".into(), register()).is_some());
        assert!(scope(&[("%r", 9)], &[]).declare(&"%r9".into(), register()).is_none());
        assert!(scope(&[], &["%r8"]).declare_range(&"%r".into(), 9, register()).is_some());
        assert!(scope(&[], &["%r9", "%r08"]).declare_range(&"%r".into(), 9, register()).is_none());
    }
}
