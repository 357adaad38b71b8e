//! A page of the manual's instruction chapter as data: grammar, limits, meaning, documentation.

use crate::WARP;
use crate::contraction::Part;
use crate::fidelity::Fidelity;
use crate::floor::{Floor, Target};
use crate::fragments::{Held, Tiles, Whole};
use crate::inst::Inst;
use crate::operand::Operand;
use crate::set::Set;
use crate::syntax::{self, Line};
use crate::tensor_memory::TensorMemoryOp;
use crate::texture::TextureOp;
use crate::trace::Trace;
use crate::types::Bits;
use crate::uop::Lower;
use crate::warp::Gather;
use crate::warpgroup::Warpgroup;
use crate::words::{Slot, Word};
use std::cmp::Ordering;
use std::sync::OnceLock;

/// How many sources an instruction may read, but for those that a whole warp carries out on matrices: these read any number.
pub const MAX_SOURCES: usize = 8;

/// The sources of an instruction, in the order of its operands, destinations left out.
/// Bits above an operand's width are zero.
pub type Args = [Bits; MAX_SOURCES];

/// What an instruction does.
#[derive(Clone, Copy)]
pub enum Meaning {
    /// One result from the sources.
    Spec(fn(&Inst, &Args) -> Bits),
    /// One result in stages that can be shown.
    Stages(fn(&Inst, &Args, &mut Trace) -> Bits),
    /// Several results, in the order of the destinations.
    Many(fn(&Inst, &Args, &mut [Bits])),
    /// One step on memory: the new value at the address, from the old one (the first of the arguments) and the sources; of a
    /// vector each element is a step of its own, with its own source. The result is the old value.
    Atomic(fn(&Inst, AtomicSpace, &Args) -> Bits),
    /// The results of one lane, from what all lanes of the warp that take part bring.
    Together(fn(&Inst, &Lanes, usize, &mut [Bits])),
    /// The results of all lanes of a warp from what all lanes bring, on a device.
    Fragments(fn(&Inst, Target) -> Whole),
    /// Matrices between memory and the registers of all lanes of a warp.
    Tiles(fn(&Inst) -> Tiles),
    /// The results of all lanes of a warp of a warpgroup, from their registers and shared memory, on a device.
    Warpgroup(fn(&Inst, Target) -> Warpgroup),
    /// What a warp or a thread does with tensor memory, on a device.
    TensorMemory(fn(&Inst, Target) -> TensorMemoryOp),
    /// What a thread does with a texture or a surface.
    Texture(fn(&Inst) -> TextureOp),
    /// Control, memory or threads: carried out by an engine.
    Effect(Effect),
    /// Legal, with its grammar known; margay does not run it yet.
    NotYet,
}

/// In which space a step on memory is carried out: for a generic address, where that turns out to point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtomicSpace {
    /// The device's.
    Global,
    /// That of a block.
    Shared,
}

/// What the lanes of a warp bring to an instruction that they carry out together.
#[derive(Clone, Copy)]
pub struct Lanes<'a> {
    /// The sources of every lane; of no meaning for lanes that do not take part.
    pub sources: &'a [Args; WARP],
    /// A bit for every lane that takes part.
    pub members: u32,
}

impl Lanes<'_> {
    /// The lanes that take part, each with its sources, in order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Args)> {
        self.sources.iter().enumerate().filter(|(lane, _)| self.has(*lane))
    }

    /// Whether a lane takes part.
    pub fn has(&self, lane: usize) -> bool {
        lane < WARP && self.members >> lane & 1 == 1
    }

    /// A bit for every lane that takes part and whose sources satisfy a condition.
    pub fn ballot(&self, holds: impl Fn(&Args) -> bool) -> u32 {
        self.iter().filter(|(_, sources)| holds(sources)).fold(0, |mask, (lane, _)| mask | 1 << lane)
    }
}

/// The carry flag of a thread (manual, 9.7.2), which some pages read or write beside their operands.
///
/// Where it is read it is the source behind the last operand that is read; where it is written, the result behind the
/// last operand that is written. Only its low bit counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Carry {
    /// The page has nothing to do with it.
    Untouched,
    /// Not read; written by instructions with `.cc`.
    Out,
    /// Read; written by instructions with `.cc`.
    InOut,
}

/// The other results of a page with approximate forms, whose meaning gives the device's.
#[derive(Clone, Copy)]
pub struct Approximate {
    /// Correctly rounded.
    pub rounded: Meaning,
    /// What ptxas 13.5 computes where the operands are literals.
    pub folded: Meaning,
}

/// What engines do themselves, because it touches more than registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Read memory at an address.
    Load,
    /// Write memory at an address.
    Store,
    /// Continue at a label.
    Branch,
    /// Continue at one of the labels in a list.
    BranchIndexed,
    /// Run a function.
    Call,
    /// Leave the function; from an entry, end the thread.
    Return,
    /// End the thread.
    Exit,
    /// Stop the launch with an error.
    Trap,
    /// Wait for the CTA's other threads.
    Barrier,
    /// Arrive at the barrier of the cluster, or wait at it.
    BarrierCluster,
    /// Change an address of shared memory into that of the same place in another CTA of the cluster.
    MapToCta,
    /// Tell which CTA of the cluster has an address.
    TellCta,
    /// Change an address between a state space and the generic one.
    ConvertAddress,
    /// Tell whether a generic address lies in a state space.
    TestSpace,
    /// Copy memory to memory while the thread goes on, or wait for such copies.
    CopyAsync,
    /// Copy a range of memory while the thread goes on, make groups of such copies, or wait for them.
    CopyBulk,
    /// Make products of warpgroups that go on beside threads a group, or wait for such groups.
    GroupProducts,
    /// Let a barrier object know when what goes on in tensor memory is done.
    CommitToObject,
    /// Copy a part of a tensor, or combine it, while the thread goes on.
    CopyTensor,
    /// Give a field of the description of a tensor another value.
    ReplaceInTensorMap,
    /// Copy the description of a tensor.
    CopyTensorMap,
    /// Read how much of the thread's stack is in use.
    SaveStack,
    /// Give back what was taken of the thread's stack since it was read.
    RestoreStack,
    /// Take more of the thread's stack.
    Allocate,
    /// Order the thread's accesses to memory before it and behind it, for all other threads.
    Fence,
    /// Count arrivals or bytes at a barrier object in shared memory, or wait for the end of its phase.
    BarrierObject,
    /// Make a value that says how caches are used, on which no other result depends.
    MakePolicy,
    /// Nothing that a result depends on.
    Nothing,
}

/// In which order modifiers may stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// As the syntax line prints them.
    AsPrinted,
    /// In any order; types keep their relative order.
    Free,
    /// As `Free`, but the mode comes first.
    ModeFirst,
    /// As `Free`, but these words, which are as good as parts of the opcode, come first, as the syntax line prints them.
    NameFirst(&'static [Word]),
}

impl Order {
    /// Whether a word is as good as a part of the opcode.
    pub fn names(self, word: Word) -> bool {
        matches!(self, Order::NameFirst(words) if words.contains(&word))
    }

    /// Whether all words of a set are as good as parts of the opcode.
    pub(crate) fn in_name(self, set: Set) -> bool {
        matches!(set, Set::Of(words) if words.iter().all(|word| self.names(*word)))
    }
}

/// A syntax line as the manual prints it, without its comment and semicolon.
#[derive(Clone, Copy)]
pub struct Syntax {
    /// The line.
    pub text: &'static str,
    /// The opcodes of the page that the line is for; all if empty.
    pub opcodes: &'static [&'static str],
    /// From where on the line exists, where that differs from the page.
    pub since: Option<Floor>,
    /// From where on the line exists no more.
    pub until: Option<Floor>,
}

/// A syntax line for every opcode of the page.
pub const fn line(text: &'static str) -> Syntax {
    Syntax { text, opcodes: &[], since: None, until: None }
}

impl Syntax {
    /// The line exists from here on.
    pub const fn since(self, floor: Floor) -> Syntax {
        Syntax { since: Some(floor), ..self }
    }

    /// The line exists no more from here on.
    pub const fn until(self, floor: Floor) -> Syntax {
        Syntax { until: Some(floor), ..self }
    }

    /// The line is for these opcodes of the page only.
    pub const fn only(self, opcodes: &'static [&'static str]) -> Syntax {
        Syntax { opcodes, ..self }
    }
}

/// A restriction that the syntax lines do not show.
#[derive(Clone, Copy)]
pub struct Rule {
    /// What must hold, as a phrase.
    pub text: &'static str,
    /// The word at fault, where one is.
    pub slot: Option<Slot>,
    /// Whether it holds.
    pub holds: fn(&Inst) -> bool,
}

/// Forms that exist only from later on than their page, line and words.
#[derive(Clone, Copy)]
pub struct FormFloor {
    /// The forms, as a phrase.
    pub text: &'static str,
    /// Which forms they are.
    pub when: fn(&Inst) -> bool,
    /// From where on they exist.
    pub floor: Floor,
}

/// A place where the manual is silent, contradicts itself, or is contradicted by an assembler.
#[derive(Clone, Copy)]
pub struct Erratum {
    /// What the manual says, or fails to say.
    pub manual: &'static str,
    /// What margay does.
    pub margay: &'static str,
    /// What ptxas 13.5 does, where that differs.
    pub ptxas: Option<&'static str>,
    /// The forms it concerns.
    pub concerns: fn(&Inst) -> bool,
    /// The sources with which it shows, where not all of those with which ptxas differs (or just all) do.
    pub arises: Option<fn(&Inst, &Args) -> bool>,
}

/// An erratum that concerns all forms of its page: what the manual says, and what margay does.
pub const fn erratum(manual: &'static str, margay: &'static str) -> Erratum {
    Erratum { manual, margay, ptxas: None, concerns: |_| true, arises: None }
}

impl Erratum {
    /// Whether it shows in what an instruction that it concerns makes of these sources; `differs`: ptxas gives another result.
    pub fn shows(&self, inst: &Inst, args: &Args, differs: bool) -> bool {
        match self.arises {
            Some(arises) => arises(inst, args),
            None => self.ptxas.is_none() || differs,
        }
    }

    /// All of it in a line.
    ///
    /// ```
    /// let page = margay_isa::pages_of("div")[0];
    /// assert!(page.errata[0].told().starts_with("the manual: leaves division by zero to the machine"));
    /// ```
    pub fn told(&self) -> String {
        let ptxas = self.ptxas.map_or_else(String::new, |ptxas| format!("; ptxas 13.5: {ptxas}"));
        format!("the manual: {}; margay: {}{ptxas}", self.manual, self.margay)
    }

    /// What ptxas 13.5 does.
    pub const fn ptxas(self, ptxas: &'static str) -> Erratum {
        Erratum { ptxas: Some(ptxas), ..self }
    }

    /// The forms it concerns.
    pub const fn concerns(self, concerns: fn(&Inst) -> bool) -> Erratum {
        Erratum { concerns, ..self }
    }

    /// The sources with which it shows.
    pub const fn arises(self, arises: fn(&Inst, &Args) -> bool) -> Erratum {
        Erratum { arises: Some(arises), ..self }
    }
}

/// One page of the manual's instruction chapter.
pub struct Page {
    /// The section number, such as `9.7.1.19`.
    pub section: &'static str,
    /// The opcodes of the page.
    pub opcodes: &'static [&'static str],
    /// What the page is for, in a few words.
    pub purpose: &'static str,
    /// What it computes, in our own words.
    pub text: &'static str,
    /// The syntax lines.
    pub syntax: &'static [Syntax],
    /// Each placeholder of the syntax lines: its name, the slot it fills, the words it allows.
    pub sets: &'static [(&'static str, Slot, Set)],
    /// What an empty slot stands for.
    pub defaults: &'static [(Slot, Word)],
    /// The operands.
    pub operands: &'static [Operand],
    /// Restrictions beyond the syntax lines.
    pub rules: &'static [Rule],
    /// From where on the page exists.
    pub since: Floor,
    /// Words that exist only from later on.
    pub word_floors: &'static [(Word, Floor)],
    /// Combinations of words that exist only from later on.
    pub form_floors: &'static [FormFloor],
    /// From where on a form exists, where a table of the page says so.
    pub floor_of: Option<fn(&Inst) -> Option<Floor>>,
    /// In which order modifiers may stand.
    pub order: Order,
    /// What the instruction does.
    pub meaning: Meaning,
    /// Forms of a page with a meaning that margay does not run yet.
    pub open: Option<fn(&Inst) -> bool>,
    /// The other results of approximate forms, where the device's are known.
    pub approximate: Option<Approximate>,
    /// What its forms are to contraction, if they have to do with it.
    pub part: Option<fn(&Inst) -> Option<Part>>,
    /// What evidence stands behind the results of a form, where not all are exact.
    pub fidelity: Option<fn(&Inst) -> Fidelity>,
    /// What becomes of the carry flag.
    pub carry: Carry,
    /// Whether the carry flag stands for a borrow.
    pub borrows: bool,
    /// What ptxas 13.5 makes of it, where that differs from the manual.
    pub ptxas: Option<Meaning>,
    /// The meaning once more, as micro-ops, for engines that are fast.
    pub lower: Option<Lower>,
    /// What ptxas 13.5 makes of it once more, as micro-ops, for the forms of which an erratum says that this is something else.
    pub ptxas_lower: Option<Lower>,
    /// The meaning of a page that lanes carry out together once more, for a whole warp at once.
    pub gather: Option<Gather>,
    /// Which lanes hold which elements of the matrices of a form.
    pub held: Option<fn(&Inst) -> Vec<Held>>,
    /// Statements that are legal; the manual's own examples and ours.
    pub examples: &'static [&'static str],
    /// Statements that are refused on purpose, each with the reason.
    pub refused: &'static [(&'static str, &'static str)],
    /// Statements with sources that show what the page does, one for each opcode.
    pub shown: &'static [(&'static str, &'static [Bits])],
    /// Where we read the manual differently from its letter, or had to choose.
    pub errata: &'static [Erratum],
    pub(crate) lines: OnceLock<Vec<Line>>,
}

impl Page {
    /// A page with its grammar; everything else is added by the builder functions.
    pub const fn new(
        section: &'static str,
        opcodes: &'static [&'static str],
        syntax: &'static [Syntax],
        meaning: Meaning,
    ) -> Page {
        Page {
            section,
            opcodes,
            purpose: "",
            text: "",
            syntax,
            sets: &[],
            defaults: &[],
            operands: &[],
            rules: &[],
            since: Floor::ZERO,
            word_floors: &[],
            form_floors: &[],
            floor_of: None,
            order: Order::Free,
            meaning,
            open: None,
            approximate: None,
            part: None,
            fidelity: None,
            carry: Carry::Untouched,
            borrows: false,
            ptxas: None,
            lower: None,
            ptxas_lower: None,
            gather: None,
            held: None,
            examples: &[],
            refused: &[],
            shown: &[],
            errata: &[],
            lines: OnceLock::new(),
        }
    }

    /// What the page is for, and what it computes.
    pub const fn about(mut self, purpose: &'static str, text: &'static str) -> Page {
        self.purpose = purpose;
        self.text = text;
        self
    }

    /// The placeholders of the syntax lines.
    pub const fn sets(mut self, sets: &'static [(&'static str, Slot, Set)]) -> Page {
        self.sets = sets;
        self
    }

    /// What empty slots stand for.
    pub const fn defaults(mut self, defaults: &'static [(Slot, Word)]) -> Page {
        self.defaults = defaults;
        self
    }

    /// The operands.
    pub const fn operands(mut self, operands: &'static [Operand]) -> Page {
        self.operands = operands;
        self
    }

    /// Which lanes hold which elements of the matrices of a form.
    pub const fn held(mut self, held: fn(&Inst) -> Vec<Held>) -> Page {
        self.held = Some(held);
        self
    }

    /// Restrictions beyond the syntax lines.
    pub const fn rules(mut self, rules: &'static [Rule]) -> Page {
        self.rules = rules;
        self
    }

    /// From where on the page exists.
    pub const fn since(mut self, floor: Floor) -> Page {
        self.since = floor;
        self
    }

    /// Words that exist only from later on.
    pub const fn word_floors(mut self, floors: &'static [(Word, Floor)]) -> Page {
        self.word_floors = floors;
        self
    }

    /// Combinations of words that exist only from later on.
    pub const fn form_floors(mut self, floors: &'static [FormFloor]) -> Page {
        self.form_floors = floors;
        self
    }

    /// From where on a form exists, by a table of the page.
    pub const fn floor_of(mut self, floor: fn(&Inst) -> Option<Floor>) -> Page {
        self.floor_of = Some(floor);
        self
    }

    /// In which order modifiers may stand.
    pub const fn order(mut self, order: Order) -> Page {
        self.order = order;
        self
    }

    /// These forms are not run yet.
    pub const fn open(mut self, open: fn(&Inst) -> bool) -> Page {
        self.open = Some(open);
        self
    }

    /// Approximate forms have other results too: correctly rounded, and as ptxas 13.5 computes them where the operands are literals.
    pub const fn approximate(mut self, rounded: Meaning, folded: Meaning) -> Page {
        self.approximate = Some(Approximate { rounded, folded });
        self
    }

    /// What its forms are to contraction.
    pub const fn part(mut self, part: fn(&Inst) -> Option<Part>) -> Page {
        self.part = Some(part);
        self
    }

    /// What evidence stands behind the results of a form.
    pub const fn fidelity(mut self, fidelity: fn(&Inst) -> Fidelity) -> Page {
        self.fidelity = Some(fidelity);
        self
    }

    /// What becomes of the carry flag.
    pub const fn carry(mut self, carry: Carry) -> Page {
        self.carry = carry;
        self
    }

    /// The carry flag stands for a borrow.
    pub const fn borrows(mut self) -> Page {
        self.borrows = true;
        self
    }

    /// What ptxas 13.5 computes instead.
    pub const fn ptxas(mut self, meaning: Meaning) -> Page {
        self.ptxas = Some(meaning);
        self
    }

    /// The meaning as micro-ops.
    pub const fn lower(mut self, lower: Lower) -> Page {
        self.lower = Some(lower);
        self
    }

    /// What ptxas 13.5 computes instead, as micro-ops.
    pub const fn ptxas_lower(mut self, lower: Lower) -> Page {
        self.ptxas_lower = Some(lower);
        self
    }

    /// The meaning for a whole warp at once.
    pub const fn gather(mut self, gather: Gather) -> Page {
        self.gather = Some(gather);
        self
    }

    /// Legal statements.
    pub const fn examples(mut self, examples: &'static [&'static str]) -> Page {
        self.examples = examples;
        self
    }

    /// Statements refused on purpose.
    pub const fn refused(mut self, refused: &'static [(&'static str, &'static str)]) -> Page {
        self.refused = refused;
        self
    }

    /// Statements with sources that show what the page does, one for each opcode.
    pub const fn shown(mut self, shown: &'static [(&'static str, &'static [Bits])]) -> Page {
        self.shown = shown;
        self
    }

    /// Where the manual's letter was not followed.
    pub const fn errata(mut self, errata: &'static [Erratum]) -> Page {
        self.errata = errata;
        self
    }

    /// The syntax lines, read.
    ///
    /// # Panics
    /// If a line does not follow the manual's notation; a test reads every line of every page.
    pub fn lines(&self) -> &[Line] {
        self.lines.get_or_init(|| {
            self.syntax.iter().map(|s| syntax::read(self, s).unwrap_or_else(|e| panic!("{e}"))).collect()
        })
    }

    /// The operand called `name`.
    pub fn operand(&self, name: &str) -> Option<&Operand> {
        let named = |names: &str| match names.len().cmp(&name.len()) {
            Ordering::Less => false,
            Ordering::Equal => names == name,
            Ordering::Greater => names.split(' ').any(|n| n == name),
        };
        self.operands.iter().find(|o| named(o.names))
    }

    /// Whether margay runs the page: all its forms but those that are [`open`](Page::open).
    pub fn runs(&self) -> bool {
        !matches!(self.meaning, Meaning::NotYet)
    }
}
