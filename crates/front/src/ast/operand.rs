//! Operands of instructions.

use super::{Expr, ExprKind, Name, Word};
use crate::source::Span;

/// One operand of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    /// What it is.
    pub kind: OperandKind,
    /// Where it stands.
    pub span: Span,
}

/// See [`Operand`].
#[derive(Clone, Debug, PartialEq)]
pub enum OperandKind {
    /// A register, variable, special register, label or function, with or without a selector: `%r1`, `%tid.x`, `r2.b0`.
    Name(Reference),
    /// A sign before a name: `-%r1`, `!%p1`. A sign before a constant is part of the expression.
    Negated(Sign, Reference),
    /// A constant expression without names: `5`, `-5`, `(1 << 4)`, `WARP_SZ`. A call's list of one constant
    /// in parentheses, `(5)`, reads as this too: see [`Operand::as_list`].
    Constant(Box<Expr>),
    /// The address of a name plus or minus constants, outside brackets: `table+16`.
    Sum(Sum),
    /// `[...]`
    Address(Box<Address>),
    /// An element of an array: `a[1]`.
    Index(Name, Box<Operand>),
    /// `{a, b, _, 1}`
    Vector(Vec<Operand>),
    /// `d|p`
    Pair(Box<Operand>, Box<Operand>),
    /// `(a, b)`: the arguments or results of a call.
    List(Vec<Operand>),
    /// `_`: a result that nobody wants.
    Sink,
}

impl Operand {
    /// The operand as a list in parentheses, where it can be one: the items of `(a, b)`, or of `(5)`, which reads as
    /// a constant expression too.
    pub fn as_list(&self) -> Option<&[Operand]> {
        match &self.kind {
            OperandKind::List(items) => Some(items),
            OperandKind::Constant(value) if matches!(value.kind, ExprKind::Paren(_)) => {
                Some(std::slice::from_ref(self))
            }
            _ => None,
        }
    }
}

/// A name with an optional selector or member.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The name.
    pub name: Name,
    /// `.x`, `.b0`, `.h10`.
    pub selector: Option<Box<Word>>,
}

/// A sign before a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// `-`
    Minus,
    /// `!`
    Not,
}

/// A name plus or minus constants.
#[derive(Clone, Debug, PartialEq)]
pub struct Sum {
    /// The name.
    pub base: Name,
    /// What is added to it, at least one.
    pub offsets: Vec<Offset>,
}

/// What stands in brackets: `[base + offset]`, `[tensor, {x, y}]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Address {
    /// What the address begins with.
    pub base: AddressBase,
    /// What is added to it.
    pub offsets: Vec<Offset>,
    /// What follows behind commas: coordinates, a sampler.
    pub rest: Vec<Operand>,
    /// Words behind the closing bracket: `[a].unified`.
    pub words: Vec<Word>,
}

/// What an address begins with.
#[derive(Clone, Debug, PartialEq)]
pub enum AddressBase {
    /// A register or variable.
    Name(Reference),
    /// A constant address.
    Constant(Expr),
}

/// One term that is added to a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Offset {
    /// Whether it is subtracted.
    pub minus: bool,
    /// The term.
    pub value: OffsetValue,
    /// The operator included.
    pub span: Span,
}

/// See [`Offset`].
#[derive(Clone, Debug, PartialEq)]
pub enum OffsetValue {
    /// `[a + 4]`; signs are part of it: `[a + -4]`.
    Constant(Expr),
    /// `[symbol + %r1]`
    Name(Name),
}
