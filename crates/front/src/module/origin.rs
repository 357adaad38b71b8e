//! Places in the source that PTX was compiled from: `.file`, `.loc` (manual section 11.5).

use super::InstructionId;
use std::collections::HashMap;
use std::fmt;

/// Where the instructions of one function come from: one entry for every `.loc`, not for every instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Locations {
    /// The instruction that a place begins with, and the place. Of several for one instruction, the last one holds.
    list: Vec<(InstructionId, Location)>,
}

/// A place in a source file, as `.loc` gives it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Location {
    /// The number of the `.file`.
    pub file: u32,
    /// Line, from 1; 0 where there is none.
    pub line: u32,
    /// Column, from 1; 0 if unknown.
    pub column: u32,
    /// Where it was inlined: a place among the function's locations, always an earlier one.
    inlined_at: Option<u32>,
}

impl Locations {
    /// The place that the last `.loc` before an instruction names.
    ///
    /// ```
    /// use margay_front::module::InstructionId;
    /// let text = ".version 8.0\n.target sm_80\n.entry k() { bar.sync 0; .loc 1 12 5\n bar.sync 0; ret; }";
    /// let module = margay_front::compile(text).unwrap();
    /// let locations = &module.functions()[0].locations;
    /// assert_eq!(locations.at(InstructionId(0)), None);
    /// assert_eq!(locations.at(InstructionId(2)).unwrap().line, 12);
    /// ```
    pub fn at(&self, instruction: InstructionId) -> Option<&Location> {
        let behind = self.list.partition_point(|(first, _)| *first <= instruction);
        Some(&self.list[behind.checked_sub(1)?].1)
    }

    /// The place where a place was inlined.
    pub fn caller(&self, location: &Location) -> Option<&Location> {
        self.list.get(location.inlined_at? as usize).map(|(_, location)| location)
    }

    /// Every place with the first instruction that comes from it, in the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = (InstructionId, &Location)> {
        self.list.iter().map(|(first, location)| (*first, location))
    }
}

/// Makes [`Locations`] from the `.loc`s of a body, one after the other.
#[derive(Default)]
pub(crate) struct LocationsMaker {
    made: Locations,
    /// Where each place, without its callers, stands last.
    last: HashMap<[u32; 3], u32>,
}

impl LocationsMaker {
    /// From this instruction on, the place holds. Where it was inlined is a place of an earlier `.loc`, which says in
    /// turn where that was inlined.
    pub(crate) fn begin(&mut self, first: InstructionId, place: [u32; 3], inlined_at: Option<[u32; 3]>) {
        let caller = inlined_at.map(|place| match self.last.get(&place) {
            Some(earlier) => *earlier,
            None => self.push(first, place, None),
        });
        self.push(first, place, caller);
    }

    fn push(&mut self, first: InstructionId, place: [u32; 3], inlined_at: Option<u32>) -> u32 {
        let [file, line, column] = place;
        let number = self.made.list.len() as u32;
        self.made.list.push((first, Location { file, line, column, inlined_at }));
        self.last.insert(place, number);
        number
    }

    pub(crate) fn finish(self) -> Locations {
        self.made
    }
}

/// A line of a source file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SourceLine<'m> {
    /// The file's name as `.file` gives it.
    pub file: &'m str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 if unknown.
    pub column: u32,
}

/// `source.cu:12`
impl fmt::Display for SourceLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Names come from the text, and must not steer a terminal.
        let shown = self.file.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c });
        write!(f, "{}:{}", shown.collect::<String>(), self.line)
    }
}

/// The source line of an instruction, and the lines where it was inlined.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Origin<'m> {
    /// Where it stands in the source.
    pub line: SourceLine<'m>,
    /// The calls through which it came here by inlining, the innermost first; at most [`Origin::MAX_CALLERS`].
    pub inlined_at: Vec<SourceLine<'m>>,
}

impl Origin<'_> {
    /// So many inlined calls are followed at most.
    pub const MAX_CALLERS: usize = 16;
}

/// `vec.cuh:3, inlined at source.cu:12`
impl fmt::Display for Origin<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.line.fmt(f)?;
        self.inlined_at.iter().try_for_each(|line| write!(f, ", inlined at {line}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_places_for_one_instruction_the_last_one_holds() {
        let mut maker = LocationsMaker::default();
        maker.begin(InstructionId(1), [1, 2, 3], None);
        maker.begin(InstructionId(1), [1, 4, 0], None);
        let made = maker.finish();
        assert_eq!(made.at(InstructionId(0)), None);
        assert_eq!(made.at(InstructionId(1)).map(|l| l.line), Some(4));
        assert_eq!(made.at(InstructionId(99)).map(|l| l.line), Some(4));
    }

    #[test]
    fn a_file_name_cannot_steer_a_terminal() {
        let line = SourceLine { file: "a\u{1b}[31m.cu", line: 3, column: 0 };
        assert_eq!(line.to_string(), "a\u{fffd}[31m.cu:3");
    }

    #[test]
    fn a_place_inlined_at_itself_ends() {
        let mut maker = LocationsMaker::default();
        maker.begin(InstructionId(0), [1, 2, 3], Some([1, 2, 3]));
        let made = maker.finish();
        let place = made.at(InstructionId(0)).unwrap();
        let caller = made.caller(place).unwrap();
        assert_eq!((caller.line, made.caller(caller)), (2, None));
    }
}
