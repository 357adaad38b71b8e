//! An instruction: a page, one of its syntax lines, and a word in every slot.

use crate::fidelity::Fidelity;
use crate::floor::Floor;
use crate::operand::{Immediate, Operand, Role, TypeRule};
use crate::page::{Args, Carry, Meaning, Page};
use crate::syntax::{Line, Template};
use crate::trace::{Step, Trace};
use crate::types::{Bits, Kind, Ty};
use crate::uop::Emit;
use crate::warp::Gather;
use crate::words::{Slot, Word};
use std::fmt;
use std::hash::{Hash, Hasher};

/// Words that exist only from later on, on whichever page.
const WORD_FLOORS: &[(Word, Floor)] = &[(Word::Ftz, Floor::new(1, 4, 10))];

/// Whose reading of the manual is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Semantics {
    /// The manual's text; where it gives no value, what ptxas was seen to do.
    #[default]
    Manual,
    /// As `Manual`, but approximate functions give the number nearest to the exact value instead of the device's; it is rounded to
    /// `.f64` first.
    Rounded,
    /// What the code that ptxas 13.5 generates computes; of approximate functions, what it computes itself where operands are literals.
    Ptxas13_5,
}

/// An instruction without its operands: page, syntax line and chosen words.
#[derive(Clone, Copy)]
pub struct Inst {
    page: &'static Page,
    opcode: &'static str,
    line: u8,
    words: [Word; Slot::COUNT],
    written: u64,
}

const _: () = assert!(Slot::COUNT <= 64);

impl Inst {
    /// What tells it from others: words that are not written are the page's defaults.
    fn key(&self) -> (*const Page, &str, u8, u64) {
        (self.page, self.opcode, self.line, self.written)
    }
}

impl PartialEq for Inst {
    fn eq(&self, other: &Inst) -> bool {
        self.key() == other.key() && self.words == other.words
    }
}

impl Eq for Inst {}

impl Hash for Inst {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
        let written = |slot: &usize| self.written >> slot & 1 == 1;
        (0..Slot::COUNT).filter(written).for_each(|slot| self.words[slot].hash(state));
    }
}

impl Inst {
    /// An instruction with empty slots (and their defaults).
    pub(crate) fn new(page: &'static Page, opcode: &'static str, line: usize) -> Inst {
        let mut words = [Word::Absent; Slot::COUNT];
        for (slot, word) in page.defaults {
            words[*slot as usize] = *word;
        }
        Inst { page, opcode, line: line as u8, words, written: 0 }
    }

    pub(crate) fn set(&mut self, slot: Slot, word: Word) {
        self.words[slot as usize] = word;
        self.written |= 1 << slot as u8;
    }

    /// The page.
    pub fn page(&self) -> &'static Page {
        self.page
    }

    /// The opcode.
    pub fn opcode(&self) -> &'static str {
        self.opcode
    }

    /// The syntax line that the instruction follows.
    pub fn line(&self) -> &'static Line {
        &self.page.lines()[self.line as usize]
    }

    /// Whether the slot was written (a default does not count).
    pub fn has(&self, slot: Slot) -> bool {
        self.written >> slot as u8 & 1 == 1
    }

    /// The type in a slot.
    ///
    /// # Panics
    /// If the slot holds no type; the tests run every page on every form, so a page cannot ask wrongly.
    pub fn ty(&self, slot: Slot) -> Ty {
        self[slot].ty().unwrap_or_else(|| panic!("`{self}` has no type in its {slot:?} slot"))
    }

    /// The type of an operand by the page's rule; `None` for addresses, labels and the like.
    pub fn operand_type(&self, rule: TypeRule) -> Option<Ty> {
        Some(match rule {
            TypeRule::Of(slot) | TypeRule::AtLeast(slot) => self.ty(slot),
            TypeRule::Is(word) => word.ty()?,
            TypeRule::DoubledIfWide(slot) => {
                let ty = self.ty(slot);
                if self[Slot::Mode] == Word::Wide { ty.with_bits(ty.bits * 2) } else { ty }
            }
            TypeRule::By(f) => f(self),
            TypeRule::Pointer => Word::U64.ty()?,
            TypeRule::Address
            | TypeRule::TensorAddress(_)
            | TypeRule::Handle(_)
            | TypeRule::Label
            | TypeRule::Other => return None,
        })
    }

    /// An operand's entry as it holds here: where a type is none of the usual ones, such as `.bf16` or `.e4m3x2`,
    /// registers are never wider than their type, and predicates never constants; the manual does not say so, ptxas does.
    pub fn operand_here(&self, operand: Operand) -> Operand {
        if let Some(immediate) = operand.constants_of {
            return operand.constants(immediate(self));
        }
        let types = [Slot::Type, Slot::DType, Slot::AType];
        let unusual = types.iter().any(|slot| self[*slot].ty().is_some_and(|ty| ty.kind == Kind::OtherFloat));
        match operand.ty {
            TypeRule::AtLeast(slot) if unusual => Operand { ty: TypeRule::Of(slot), ..operand },
            TypeRule::Is(Word::Pred) if unusual && operand.immediate == Immediate::Integer => {
                operand.constants(Immediate::No)
            }
            _ => operand,
        }
    }

    /// The operands of the syntax line with their entries in the page, in order.
    pub fn operands(&self) -> impl Iterator<Item = (&'static Template, &'static Operand)> {
        let page = self.page;
        self.line().operands.iter().filter_map(move |t| Some((t, page.operand(t.name)?)))
    }

    /// The least and the greatest number of operands.
    pub fn operand_counts(&self) -> (usize, usize) {
        let line = self.line();
        let least = line.operands.iter().filter(|t| !t.optional).count();
        let tied = |t: &&Template| self.page.operand(t.name).is_some_and(|o| o.with.is_some());
        let filled = self.operands().filter(|(_, o)| o.with.is_some_and(|slot| self.has(slot))).count();
        let free = line.operands.iter().filter(|t| t.optional && !tied(t)).count();
        (least + filled, least + filled + free)
    }

    /// From where on the instruction exists: every floor that applies to it (all must hold).
    pub fn floors(&self) -> Vec<(String, Floor)> {
        let whole = match self.line().source.since {
            Some(floor) => (self.to_string(), floor),
            None => (self.opcode.to_string(), self.page.since),
        };
        let words = WORD_FLOORS.iter().chain(self.page.word_floors).filter(|(w, _)| self.writes(*w));
        let forms = self.page.form_floors.iter().filter(|f| (f.when)(self));
        std::iter::once(whole)
            .chain(words.map(|(w, floor)| (format!(".{w}"), *floor)))
            .chain(forms.map(|f| (f.text.to_string(), f.floor)))
            .chain(self.page.floor_of.and_then(|floor| floor(self)).map(|floor| (self.to_string(), floor)))
            .collect()
    }

    /// From where on the form exists no more, if it has an end.
    pub fn until(&self) -> Option<Floor> {
        self.line().source.until
    }

    fn writes(&self, word: Word) -> bool {
        (0..Slot::COUNT).any(|k| self.written >> k & 1 == 1 && self.words[k] == word)
    }

    /// What the instruction does under the chosen semantics.
    pub fn meaning(&self, semantics: Semantics) -> Meaning {
        if self.page.open.is_some_and(|open| open(self)) {
            return Meaning::NotYet;
        }
        self.other(semantics).unwrap_or(self.page.meaning)
    }

    /// The semantics under which the instruction stands in code, whose operands are known before it runs only if they are all literals:
    /// ptxas computes approximate functions of literals itself, and leaves those of registers to the device.
    pub fn semantics_in_code(&self, semantics: Semantics, literals: bool) -> Semantics {
        let left_to_device = self.page.approximate.is_some() && self.page.ptxas.is_none() && !literals;
        if semantics == Semantics::Ptxas13_5 && left_to_device { Semantics::Manual } else { semantics }
    }

    /// What it does under semantics under which the page has a meaning of its own.
    fn other(&self, semantics: Semantics) -> Option<Meaning> {
        let approximate = self.page.approximate;
        match semantics {
            Semantics::Manual => None,
            Semantics::Rounded => approximate.map(|other| other.rounded),
            Semantics::Ptxas13_5 => self.page.ptxas.or(approximate.map(|other| other.folded)),
        }
    }

    /// What evidence stands behind the results under [`Semantics::Manual`].
    pub fn fidelity(&self) -> Fidelity {
        self.page.fidelity.map_or(Fidelity::Exact, |fidelity| fidelity(self))
    }

    /// Whether margay runs the form.
    pub fn runs(&self) -> bool {
        !matches!(self.meaning(Semantics::Manual), Meaning::NotYet)
    }

    /// Writes the instruction as micro-ops under the chosen semantics; the results are those of [`Inst::compute`]. `false`
    /// if it has none: then its meaning must be asked. Sources that can only be constants ([`Immediate::Only`](crate::Immediate::Only)) are known.
    pub fn lower(&self, semantics: Semantics, emit: &mut Emit) -> bool {
        let lower = match self.other(semantics) {
            None => self.page.lower,
            Some(_) if semantics == Semantics::Ptxas13_5 && self.page.ptxas.is_some() => {
                if self.ptxas_differs() { self.page.ptxas_lower } else { self.page.lower }
            }
            Some(_) => None,
        };
        lower.is_some_and(|lower| lower(self, emit).is_some())
    }

    /// Whether ptxas 13.5 makes something else of this form than the manual, as its errata have it.
    fn ptxas_differs(&self) -> bool {
        self.page.errata.iter().any(|erratum| erratum.ptxas.is_some() && (erratum.concerns)(self))
    }

    /// Its meaning for a whole warp at once, under the chosen semantics, if the page says it so: then the results of every
    /// lane are those of its [`Meaning::Together`].
    pub fn gather(&self, semantics: Semantics) -> Option<Gather> {
        self.page.gather.filter(|_| self.other(semantics).is_none())
    }

    /// Whether it reads the carry flag, as a source behind its operands.
    pub fn reads_carry(&self) -> bool {
        self.page.carry == Carry::InOut
    }

    /// Whether it writes the carry flag, as a result behind its operands.
    pub fn writes_carry(&self) -> bool {
        self.page.carry != Carry::Untouched && self.has(Slot::Cc)
    }

    /// Whether the carry flag that it reads or writes stands for a borrow, as in the manual, instead of a carry.
    pub fn borrows(&self) -> bool {
        self.page.borrows
    }

    /// Computes the results from the sources; `false` if the instruction is not a pure computation.
    /// Sources and results stand in operand order, each cut to its operand's width; the carry flag comes last.
    pub fn compute(&self, semantics: Semantics, args: &Args, results: &mut [Bits]) -> bool {
        match self.meaning(semantics) {
            Meaning::Spec(f) => results[0] = f(self, args),
            Meaning::Stages(f) => results[0] = f(self, args, &mut Trace::off()),
            Meaning::Many(f) => f(self, args, results),
            Meaning::Atomic(_)
            | Meaning::Together(_)
            | Meaning::Fragments(_)
            | Meaning::Tiles(_)
            | Meaning::Warpgroup(_)
            | Meaning::TensorMemory(_)
            | Meaning::Texture(_)
            | Meaning::Effect(_)
            | Meaning::NotYet => return false,
        }
        true
    }

    /// The stages of the computation, for pages that have them.
    pub fn stages(&self, semantics: Semantics, args: &Args) -> Vec<Step> {
        let mut trace = Trace::on();
        if let Meaning::Stages(f) = self.meaning(semantics) {
            f(self, args, &mut trace);
        }
        trace.steps().to_vec()
    }

    /// The names of the operands that are written, in order.
    pub fn destinations(&self) -> impl Iterator<Item = &'static str> {
        self.operands().filter(|(_, o)| o.role == Role::Destination).map(|(t, _)| t.name)
    }

    /// How many elements the operand's vector has: as printed, as the page computes it from the form, or as the word in
    /// the `Vec` slot says; 0 if it is none.
    pub fn elements(&self, template: &Template) -> usize {
        let operand = self.page.operand(template.name);
        let vector = operand.is_some_and(|o| o.vector);
        if let Some(count) = operand.and_then(|o| o.elements) {
            return count(self);
        }
        match self[Slot::Vec] {
            _ if template.elements > 0 => template.elements,
            Word::V2 if vector => 2,
            Word::V4 if vector => 4,
            Word::V8 if vector => 8,
            _ => 0,
        }
    }

    /// The statement with these texts as operands, signs and selectors put in place; operands beyond the list are left out.
    pub fn statement(&self, operands: &[&str]) -> String {
        let mut text = self.head();
        for (k, (t, operand)) in self.line().operands.iter().zip(operands).enumerate() {
            text.push_str(if k == 0 { " " } else { ", " });
            let sign = |slot: Option<Slot>, s| if slot.is_some_and(|slot| self.has(slot)) { s } else { "" };
            let selector = match t.selector {
                Some(s) if self.has(s.slot) => format!(".{}", self[s.slot]),
                _ => String::new(),
            };
            let (open, close) = if t.address { ("[", "]") } else { ("", "") };
            text += &format!("{}{}{open}{operand}{close}{selector}", sign(t.minus, "-"), sign(t.not, "!"));
        }
        text
    }

    fn head(&self) -> String {
        let mut text = self.opcode.to_string();
        for item in self.line().items.iter().filter(|i| self.has(i.slot)) {
            text.push('.');
            text += &self[item.slot].to_string();
        }
        text
    }
}

impl std::ops::Index<Slot> for Inst {
    type Output = Word;

    /// The word in a slot: as written, else the page's default, else `Word::Absent`.
    fn index(&self, slot: Slot) -> &Word {
        &self.words[slot as usize]
    }
}

impl fmt::Display for Inst {
    /// Opcode and words in the printed order, without operands.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.head())
    }
}

impl fmt::Debug for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.line().operands.iter().map(|t| t.name).collect();
        f.write_str(&self.statement(&names))
    }
}
