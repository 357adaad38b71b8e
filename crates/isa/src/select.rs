//! From an opcode, its words and the shapes of its operands to an instruction, or to what is wrong with it.

use crate::inst::Inst;
use crate::page::{Order, Page};
use crate::set::Set;
use crate::syntax::{Item, Line, Template};
use crate::types::Kind;
use crate::words::{Slot, Word};

/// What an operand looks like, as far as the syntax lines care.
#[derive(Clone, Copy, Default, Debug)]
pub struct Shape<'a> {
    /// The words behind it, or behind its brackets, without their dots.
    pub selectors: &'a [&'a str],
    /// A minus stands before it.
    pub minus: bool,
    /// A `!` stands before it.
    pub not: bool,
    /// It stands in brackets.
    pub address: bool,
    /// What follows behind commas in the brackets.
    pub inside: &'a [Shape<'a>],
    /// A constant is added to what the brackets begin with.
    pub offset: bool,
    /// It has a second destination behind a bar.
    pub pair: bool,
    /// It is `_`.
    pub sink: bool,
    /// How many elements it has in braces; 0 if it is no vector.
    pub elements: usize,
    /// It is a list in parentheses.
    pub list: bool,
    /// It is a predicate register.
    pub predicate: bool,
}

impl Shape<'_> {
    /// An operand with nothing about it.
    pub const PLAIN: Shape<'static> = Shape {
        selectors: &[],
        minus: false,
        not: false,
        address: false,
        inside: &[],
        offset: false,
        pair: false,
        sink: false,
        elements: 0,
        list: false,
        predicate: false,
    };
}

/// Why no syntax line fits, told against the line that came nearest.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// The page of the nearest line.
    pub page: &'static Page,
    /// The nearest line, with the opcode put in.
    pub line: String,
    /// What is wrong.
    pub fault: Fault,
}

impl std::fmt::Debug for Page {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "page {}", self.section)
    }
}

/// One fault; indices count the words after the opcode and the operands from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Not a word of PTX at all.
    UnknownWord {
        /// Which word.
        word: usize,
    },
    /// The word has no place in the line.
    MisplacedWord {
        /// Which word.
        word: usize,
        /// What could stand there.
        expected: Vec<Set>,
    },
    /// The mode must be the first word.
    ModeNotFirst {
        /// Which word.
        word: usize,
    },
    /// A word is missing.
    MissingWord {
        /// Its placeholder.
        name: &'static str,
        /// What it may be.
        set: Set,
    },
    /// Too few or too many operands.
    OperandCount {
        /// The least number.
        least: usize,
        /// The greatest number.
        most: usize,
    },
    /// The operand must be `_`.
    NoResult {
        /// Which operand.
        operand: usize,
    },
    /// The operand takes no selector, or not this one.
    Selector {
        /// Which operand.
        operand: usize,
        /// What it may be; `None` if it takes none.
        set: Option<Set>,
    },
    /// The operand needs a selector.
    MissingSelector {
        /// Which operand.
        operand: usize,
        /// What it may be.
        set: Set,
    },
    /// The operand takes no minus or `!`.
    Sign {
        /// Which operand.
        operand: usize,
    },
    /// The operand must be an address, or must not be one.
    AddressExpected {
        /// Which operand.
        operand: usize,
        /// Whether an address is wanted.
        wanted: bool,
    },
    /// Something is wrong with what follows in the brackets of an address.
    Inside {
        /// Which operand the address is.
        operand: usize,
        /// What; its operands count from 0 after the address's base.
        fault: Box<Fault>,
    },
    /// Another number of operands is wanted after the base of an address, or no offset.
    Coordinates {
        /// Which operand the address is.
        operand: usize,
        /// How many are wanted.
        wanted: usize,
    },
    /// The operand takes no second destination, or needs one.
    Pair {
        /// Which operand.
        operand: usize,
    },
    /// The operand is a vector of the wrong length, or must be one, or must not be one.
    Elements {
        /// Which operand.
        operand: usize,
        /// How many elements it must have; 0 if it takes no vector.
        wanted: usize,
    },
    /// The operand must be a list in parentheses, or must not be one.
    List {
        /// Which operand.
        operand: usize,
        /// Whether a list is wanted.
        wanted: bool,
    },
    /// A rule of the page does not hold.
    Rule {
        /// The rule as a phrase.
        text: &'static str,
        /// The word at fault, where one is.
        word: Option<usize>,
    },
}

impl Fault {
    /// Whether a vector of another length is wanted.
    fn concerns_length(&self) -> bool {
        match self {
            Fault::Elements { .. } => true,
            Fault::Inside { fault, .. } => fault.concerns_length(),
            _ => false,
        }
    }

    /// How far a line came before it failed: later stages and later places are nearer.
    fn progress(&self) -> (u8, usize) {
        match self {
            Fault::UnknownWord { word } => (0, *word),
            Fault::MisplacedWord { word, .. } => (0, *word),
            Fault::MissingWord { .. } => (1, 0),
            Fault::ModeNotFirst { word } => (1, *word),
            Fault::OperandCount { .. } => (2, 0),
            Fault::Pair { operand } | Fault::AddressExpected { operand, .. } => (3, *operand),
            Fault::Inside { operand, .. }
            | Fault::Coordinates { operand, .. }
            | Fault::NoResult { operand } => (3, *operand),
            Fault::Selector { operand, .. } | Fault::MissingSelector { operand, .. } => (3, *operand),
            Fault::Sign { operand } | Fault::Elements { operand, .. } | Fault::List { operand, .. } => {
                (3, *operand)
            }
            Fault::Rule { .. } => (4, 0),
        }
    }
}

/// The instruction that the opcode, words and operands spell.
///
/// `None` if no page has the opcode.
///
/// ```
/// use margay_isa::{Fault, Shape, select};
/// let inst = select("add", &["s32", "sat"], &[Shape::default(); 3]).unwrap().unwrap();
/// assert_eq!(inst.to_string(), "add.sat.s32");
/// let wrong = select("mul", &["wide", "u64"], &[Shape::default(); 3]).unwrap().unwrap_err();
/// assert!(matches!(wrong.fault, Fault::Rule { word: Some(0), .. }));
/// ```
pub fn select(opcode: &str, words: &[&str], operands: &[Shape]) -> Option<Result<Inst, Mismatch>> {
    select_among(crate::pages_of(opcode), opcode, words, operands)
}

/// As [`select`], among these pages.
pub fn select_among(
    pages: &[&'static Page],
    opcode: &str,
    words: &[&str],
    operands: &[Shape],
) -> Option<Result<Inst, Mismatch>> {
    let mut nearest: Option<Mismatch> = None;
    let mut fits: Option<Inst> = None;
    for page in pages {
        let opcode = page.opcodes.iter().copied().find(|o| *o == opcode)?;
        for (k, line) in page.lines().iter().enumerate().filter(|(_, l)| l.covers(opcode)) {
            match try_line(page, opcode, k, line, words, operands) {
                Ok(inst) if predicates_agree(&inst, operands) => return Some(Ok(inst)),
                Ok(inst) => fits = fits.or(Some(inst)),
                Err(fault) if nearest.as_ref().is_none_or(|n| fault.progress() > n.fault.progress()) => {
                    nearest = Some(Mismatch { page, line: line.text_for(opcode), fault });
                }
                Err(_) => {}
            }
        }
    }
    fits.map(Ok).or(nearest.map(Err))
}

/// Whether predicate registers stand where predicates are wanted: some lines differ in nothing else.
fn predicates_agree(inst: &Inst, operands: &[Shape]) -> bool {
    let wants = |t: &Template| {
        let ty = inst.page().operand(t.name).and_then(|o| inst.operand_type(o.ty));
        ty.is_some_and(|ty| ty.kind == Kind::Predicate)
    };
    inst.line().operands.iter().zip(operands).all(|(t, shape)| !shape.predicate || wants(t))
}

fn try_line(
    page: &'static Page,
    opcode: &'static str,
    index: usize,
    line: &Line,
    words: &[&str],
    operands: &[Shape],
) -> Result<Inst, Fault> {
    let mut inst = Inst::new(page, opcode, index);
    let places = assign(page.order, &line.items, words)?;
    for (place, text) in places.iter().zip(words) {
        inst.set(line.items[*place].slot, Word::parse(text).unwrap_or(Word::Absent));
    }
    let (least, most) = inst.operand_counts();
    if !(least..=most).contains(&operands.len()) {
        return Err(Fault::OperandCount { least, most });
    }
    // How long a vector must be may follow from words that the rules have not accepted yet.
    let mut length = Ok(());
    for (k, (template, shape)) in line.operands.iter().zip(operands).enumerate() {
        match operand(&mut inst, k, template, shape) {
            Err(fault) if fault.concerns_length() => length = length.and(Err(fault)),
            other => other?,
        }
    }
    if let Some(rule) = page.rules.iter().find(|r| !(r.holds)(&inst)) {
        let word = rule.slot.and_then(|slot| places.iter().position(|p| line.items[*p].slot == slot));
        return Err(Fault::Rule { text: rule.text, word });
    }
    length.map(|()| inst)
}

fn operand(inst: &mut Inst, k: usize, t: &Template, shape: &Shape) -> Result<(), Fault> {
    if shape.address != t.address {
        return Err(Fault::AddressExpected { operand: k, wanted: t.address });
    }
    let base_alone = !shape.offset || t.inside.is_empty();
    if shape.inside.len() != t.inside.len() || !base_alone {
        return Err(Fault::Coordinates { operand: k, wanted: t.inside.len() });
    }
    for (n, (template, shape)) in t.inside.iter().zip(shape.inside).enumerate() {
        operand(inst, n, template, shape)
            .map_err(|fault| Fault::Inside { operand: k, fault: Box::new(fault) })?;
    }
    if t.name == "_" && !shape.sink {
        return Err(Fault::NoResult { operand: k });
    }
    if shape.list != t.list {
        return Err(Fault::List { operand: k, wanted: t.list });
    }
    if shape.pair != t.second.is_some() && (shape.pair || t.second.is_some_and(|s| s.1)) {
        return Err(Fault::Pair { operand: k });
    }
    match (t.selector, shape.selectors) {
        (None, []) => {}
        (Some(s), []) if s.optional => {}
        (Some(s), []) => return Err(Fault::MissingSelector { operand: k, set: s.set }),
        (Some(s), [text]) => match selector(text, s.set) {
            Some(word) => inst.set(s.slot, word),
            None => return Err(Fault::Selector { operand: k, set: Some(s.set) }),
        },
        (selector, _) => return Err(Fault::Selector { operand: k, set: selector.map(|s| s.set) }),
    }
    for (there, slot, word) in [(shape.minus, t.minus, Word::Minus), (shape.not, t.not, Word::Not)] {
        match (there, slot) {
            (false, _) => {}
            (true, Some(slot)) => inst.set(slot, word),
            (true, None) => return Err(Fault::Sign { operand: k }),
        }
    }
    let wanted = inst.elements(t);
    let fits = inst.page().operand(t.name).is_some_and(|o| {
        let single = wanted == 0 && shape.elements == 1 && o.vector && o.elements.is_none();
        let longer = o.padded && shape.elements > wanted && matches!(shape.elements, 2 | 4);
        // A result that nobody wants has no elements.
        let discarded = shape.sink && o.sink && o.vector && o.elements.is_some();
        single || longer || discarded || (o.bare && shape.elements == 0)
    });
    if shape.elements != wanted && !fits {
        return Err(Fault::Elements { operand: k, wanted });
    }
    Ok(())
}

fn selector(text: &str, set: Set) -> Option<Word> {
    Word::parse_selector(text).or_else(|| Word::parse(text)).filter(|w| set.contains(*w))
}

/// Gives every word a place among the items, or says which word has none.
fn assign(order: Order, items: &[Item], words: &[&str]) -> Result<Vec<usize>, Fault> {
    let parsed: Result<Vec<Word>, Fault> = words
        .iter()
        .enumerate()
        .map(|(k, text)| Word::parse(text).ok_or(Fault::UnknownWord { word: k }))
        .collect();
    let parsed = parsed?;
    let distinct = distinct(order, &parsed);
    let mut search =
        Search { order, items, words: &distinct.words, places: Vec::new(), reached: 0, missing: None };
    if search.run() {
        return Ok(distinct.number.iter().map(|k| search.places[*k]).collect());
    }
    if let Some(item) = search.missing {
        return Err(Fault::MissingWord { name: items[item].name, set: items[item].set });
    }
    let reached = search.reached;
    let word = distinct.number.iter().position(|k| *k == reached).unwrap_or(0);
    let is_mode = |i: &Item| i.slot == Slot::Mode && i.set.contains(parsed[word]);
    if order == Order::ModeFirst && word > 0 && items.iter().any(is_mode) {
        return Err(Fault::ModeNotFirst { word });
    }
    let before = &distinct.words[..reached];
    let expected = items.iter().filter(|i| !before.iter().any(|w| i.set.contains(*w))).map(|i| i.set);
    Err(Fault::MisplacedWord { word, expected: expected.collect() })
}

/// Words that ptxas lets stand twice.
const REPEATED: [Word; 9] = [
    Word::Sat,
    Word::SatFinite,
    Word::Relu,
    Word::Cc,
    Word::ShiftAmt,
    Word::Approx,
    Word::NaN,
    Word::Sync,
    Word::Uni,
];

/// Words without those that say again what a word before them said.
struct Distinct {
    words: Vec<Word>,
    /// For each word as written, its number among `words`.
    number: Vec<usize>,
}

fn distinct(order: Order, written: &[Word]) -> Distinct {
    let mut first: [Option<usize>; REPEATED.len()] = [None; REPEATED.len()];
    let mut distinct = Distinct { words: Vec::new(), number: Vec::with_capacity(written.len()) };
    for word in written {
        let repeated = REPEATED.iter().position(|r| r == word).filter(|_| order != Order::AsPrinted);
        let number = repeated.and_then(|r| first[r]).unwrap_or(distinct.words.len());
        if number == distinct.words.len() {
            distinct.words.push(*word);
        }
        if let Some(r) = repeated {
            first[r] = Some(number);
        }
        distinct.number.push(number);
    }
    distinct
}

struct Search<'a> {
    order: Order,
    items: &'a [Item],
    /// Each takes a place of its own, so that the search goes no deeper than there are items.
    words: &'a [Word],
    places: Vec<usize>,
    /// The furthest word that could not be placed.
    reached: usize,
    /// An item left empty when all words had been placed.
    missing: Option<usize>,
}

impl Search<'_> {
    fn run(&mut self) -> bool {
        let k = self.places.len();
        let Some(word) = self.words.get(k).copied() else {
            let missing = (0..self.items.len()).find(|i| !self.complete(*i));
            self.missing = missing.or(self.missing);
            return missing.is_none();
        };
        self.reached = self.reached.max(k);
        for i in 0..self.items.len() {
            if self.items[i].set.contains(word) && self.may_stand(i, k) {
                self.places.push(i);
                if self.run() {
                    return true;
                }
                self.places.pop();
            }
        }
        false
    }

    /// Whether an item is filled, or may stay empty.
    fn complete(&self, i: usize) -> bool {
        let filled = |i: &usize| self.places.contains(i);
        match self.items[i].group {
            _ if filled(&i) => true,
            None => false,
            Some(g) => !(0..self.items.len()).filter(|j| self.items[*j].group == Some(g)).any(|j| filled(&j)),
        }
    }

    fn may_stand(&self, i: usize, k: usize) -> bool {
        let item = &self.items[i];
        let filled = |j: usize| self.places.contains(&j);
        if self.order == Order::AsPrinted {
            let from = self.places.last().map_or(0, |p| p + 1);
            return i >= from && (from..i).all(|j| self.complete(j) || self.items[j].group == item.group);
        }
        if filled(i) {
            return false;
        }
        if self.order == Order::ModeFirst && item.slot == Slot::Mode && k > 0 {
            return false;
        }
        if self.order.in_name(item.set) {
            return self.places.iter().all(|p| *p < i && self.order.in_name(self.items[*p].set));
        }
        let alike = |j: &usize| item.keeps_place() == self.items[*j].keeps_place();
        item.keeps_place().is_none()
            || ((0..i).filter(alike).all(|j| filled(j) || self.items[j].group.is_some())
                && (i + 1..self.items.len()).filter(alike).all(|j| !filled(j)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(opcode: &str, words: &[&str], operands: usize) -> Result<String, Fault> {
        let found = select(opcode, words, &vec![Shape::default(); operands]).expect("a known opcode");
        found.map(|inst| inst.to_string()).map_err(|mismatch| mismatch.fault)
    }

    #[test]
    fn a_few_words_may_be_said_again_and_again() {
        assert_eq!(head("add", &["sat", "s32", "sat"], 3), Ok("add.sat.s32".into()));
        assert_eq!(
            head("vadd", &["sat", "u32", "s32", "sat", "s32", "min", "sat"], 4).unwrap(),
            "vadd.u32.s32.s32.sat.min"
        );
        assert_eq!(
            head("add", &[["sat"; 100_000].as_slice(), &["s32"]].concat(), 3),
            Ok("add.sat.s32".into())
        );
        assert!(matches!(
            head("bmsk", &["clamp", "b32", "clamp"], 3),
            Err(Fault::MisplacedWord { word: 2, .. })
        ));
        assert!(matches!(
            head("sub", &["sat", "sat", "s32", "u32"], 3),
            Err(Fault::MisplacedWord { word: 3, .. })
        ));
    }
}
