//! What the manual says of an operand: its type, whether it is read or written, what may stand in its place.

use crate::floor::Floor;
use crate::handle::Handle;
use crate::inst::Inst;
use crate::types::Ty;
use crate::words::{Slot, Word};

/// Whether a register is read or written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Written.
    Destination,
    /// Read.
    Source,
}

/// Which type an operand has.
#[derive(Clone, Copy)]
pub enum TypeRule {
    /// The type in the slot.
    Of(Slot),
    /// This type, whatever the instruction's.
    Is(Word),
    /// Twice the width of the type in the slot if the mode is `.wide`, else that type.
    DoubledIfWide(Slot),
    /// The type in the slot; a register may also be wider (loads, stores, conversions). Of a wider source the low bits
    /// count; the result is cut to the type, and a wider destination filled with copies of its sign if the type is
    /// signed, else with zeros.
    AtLeast(Slot),
    /// Computed from the instruction.
    By(fn(&Inst) -> Ty),
    /// An address as a value, of no type that the instruction names: an integer register of 32 or 64 bits.
    Pointer,
    /// An address in memory.
    Address,
    /// An address in tensor memory: in a register of this type, `.b32` for nothing but untyped ones.
    TensorAddress(Word),
    /// In brackets, a variable of an opaque type or a 64-bit register that refers to one; never with an offset.
    Handle(Handle),
    /// A label in the function.
    Label,
    /// A name of a function, prototype or list, or a list of arguments: judged elsewhere.
    Other,
}

/// Which constants an operand takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Immediate {
    /// None: a register is required.
    No,
    /// Any integer constant expression, cut to the operand's width.
    Integer,
    /// An integer constant expression in a range, ends included.
    Range(i128, i128),
    /// An integer or floating-point constant, by the operand's type; untyped operands take both.
    Number,
    /// No register: an integer constant expression in a range, ends included.
    Only(i128, i128),
    /// No register: an integer constant expression with one of these values.
    OneOf(&'static [i128]),
    /// An integer constant expression with one of these values.
    Among(&'static [i128]),
    /// An integer constant expression that is a multiple of a number, 0 or not.
    Multiple(i128, Zero),
    /// An integer constant expression that is a multiple of a number within a range, ends included.
    Steps(i128, i128, i128),
    /// An integer constant expression from 0 to the constant that the operand with one of these names is.
    UpTo(&'static str),
    /// Any integer constant expression, at most the constant that the operand with one of these names is.
    AtMost(&'static str),
    /// A floating-point constant above 0 and not above 1.
    Share,
}

/// Whether 0 counts as a multiple.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Zero {
    /// It does.
    Taken,
    /// It does not.
    Refused,
}

/// Which state space the variables lie in that an operand may name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Within {
    /// The one that the word in this slot names; any where the slot is empty.
    Named(Slot),
    /// This one, whatever the instruction says.
    Always(Word),
}

/// What the manual says of one or several operands of a page.
#[derive(Clone, Copy)]
pub struct Operand {
    /// Names in the syntax lines, separated by blanks.
    pub names: &'static str,
    /// Read or written.
    pub role: Role,
    /// The type.
    pub ty: TypeRule,
    /// Which constants it takes.
    pub immediate: Immediate,
    /// Which constants it takes where that follows from the form.
    pub constants_of: Option<fn(&Inst) -> Immediate>,
    /// Whether a special register may stand here.
    pub special: bool,
    /// Whether the name of a variable (its address) may stand here.
    pub symbol: bool,
    /// Which state space such a variable lies in.
    pub space: Within,
    /// Whether its address, where it is generic or in global memory, is refused in a register of 32 bits on targets without
    /// such addresses. Loads, stores and atomic operations always do so.
    pub long: bool,
    /// Whether `_` may stand here, or among the elements of a vector here; of a source among the elements of a vector of 256
    /// bits only, where it leaves something out.
    pub sink: bool,
    /// Whether a vector `{…}` of as many elements as the word in the `Vec` slot says may stand here;
    /// without that word a vector of one element may.
    pub vector: bool,
    /// How many elements a vector `{…}` has here that the form always wants; 0 where a rule of the page refuses the form.
    pub elements: Option<fn(&Inst) -> usize>,
    /// In which forms a register that holds an address here has at least 32 bits; elsewhere ptxas takes narrower ones, too.
    pub wide: fn(&Inst) -> bool,
    /// Whether the vector may be longer than the form wants, as far as two or four elements.
    pub padded: bool,
    /// Whether a register without braces may stand for the vector.
    pub bare: bool,
    /// The type of an element, where that depends on its place.
    pub element: Option<fn(&Inst, usize) -> Ty>,
    /// Whether it is the mask of the lanes that carry out the instruction together.
    pub members: bool,
    /// The slot with which an operand that may be left out comes and goes, if there is one.
    pub with: Option<Slot>,
    /// From where on it may be written, if later than its form.
    pub since: Option<Floor>,
}

impl Operand {
    /// A register that is written.
    pub const fn dst(names: &'static str, ty: TypeRule) -> Operand {
        Operand {
            names,
            role: Role::Destination,
            ty,
            immediate: Immediate::No,
            constants_of: None,
            special: false,
            symbol: false,
            space: Within::Named(Slot::Space),
            long: false,
            sink: false,
            vector: false,
            elements: None,
            wide: |_| false,
            padded: false,
            bare: false,
            element: None,
            members: false,
            with: None,
            since: None,
        }
    }

    /// A register or integer constant that is read.
    pub const fn src(names: &'static str, ty: TypeRule) -> Operand {
        Operand { role: Role::Source, immediate: Immediate::Integer, ..Operand::dst(names, ty) }
    }

    /// May be written from here on only.
    pub const fn since(self, floor: Floor) -> Operand {
        Operand { since: Some(floor), ..self }
    }

    /// Takes these constants.
    pub const fn constants(self, immediate: Immediate) -> Operand {
        Operand { immediate, ..self }
    }

    /// Takes constants that follow from the form.
    pub const fn constants_of(self, immediate: fn(&Inst) -> Immediate) -> Operand {
        Operand { constants_of: Some(immediate), ..self }
    }

    /// Takes a special register too.
    pub const fn special(self) -> Operand {
        Operand { special: true, ..self }
    }

    /// Takes the address of a variable too.
    pub const fn symbol(self) -> Operand {
        Operand { symbol: true, ..self }
    }

    /// Points into this state space.
    pub const fn within(self, space: Within) -> Operand {
        Operand { space, ..self }
    }

    /// Refuses registers of 32 bits where the target has no such addresses.
    pub const fn long(self) -> Operand {
        Operand { long: true, ..self }
    }

    /// Takes `_` too.
    pub const fn sink(self) -> Operand {
        Operand { sink: true, ..self }
    }

    /// Takes a vector too.
    pub const fn vector(self) -> Operand {
        Operand { vector: true, ..self }
    }

    /// Is always a vector, of as many elements as the form says.
    pub const fn elements(self, count: fn(&Inst) -> usize) -> Operand {
        Operand { elements: Some(count), ..self }
    }

    /// Takes no address in a register of less than 32 bits in these forms.
    pub const fn wide(self, when: fn(&Inst) -> bool) -> Operand {
        Operand { wide: when, ..self }
    }

    /// May be longer than the form wants, as far as two or four elements.
    pub const fn padded(self) -> Operand {
        Operand { padded: true, ..self }
    }

    /// A register without braces may stand for the vector.
    pub const fn bare(self) -> Operand {
        Operand { bare: true, ..self }
    }

    /// Is a vector whose elements have types by their places.
    pub const fn element(self, ty: fn(&Inst, usize) -> Ty) -> Operand {
        Operand { element: Some(ty), ..self }
    }

    /// Is the mask of the lanes that carry out the instruction together.
    pub const fn members(self) -> Operand {
        Operand { members: true, ..self }
    }

    /// Stands exactly if the slot is filled.
    pub const fn with(self, slot: Slot) -> Operand {
        Operand { with: Some(slot), ..self }
    }
}
