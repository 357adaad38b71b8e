//! Constant expressions (manual section 4.6).

use super::{Name, Word};
use crate::source::Span;
use smol_str::SmolStr;

/// A constant expression, or the symbol address that an initialiser or debug section holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// See [`Expr`].
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `12`, `0xffU`
    Integer(Integer),
    /// `1.5`, `0f3f800000`
    Float(FloatLiteral),
    /// `WARP_SZ`
    WarpSize,
    /// A variable, function or label: its address. Only in initialisers, debug sections and `.loc`.
    Symbol(Name),
    /// `.debug_abbrev`: the start of a debug section. Only in debug sections.
    Section(Word),
    /// `-x`, `+x`, `!x`, `~x`
    Unary(UnaryOp, Box<Expr>),
    /// `x + y` and so on
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `x ? y : z`
    Ternary(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `(.s64) x`
    Cast(Word, Box<Expr>),
    /// `(x)`
    Paren(Box<Expr>),
    /// `generic(x)`: a symbol's generic address. Only in initialisers.
    Generic(Box<Expr>),
    /// `0xff00(x)`: the bytes of an address that a mask selects. Only in initialisers.
    Mask(Integer, Box<Expr>),
}

/// An integer constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Integer {
    /// Its value; the low 64 bits where `wrapped` is set.
    pub value: u64,
    /// Whether it ends in `U`.
    pub unsigned: bool,
    /// Whether it is 2^64 or more.
    pub wrapped: bool,
    /// As written.
    pub text: SmolStr,
    /// Where it stands.
    pub span: Span,
}

/// A floating-point constant.
#[derive(Clone, Debug, PartialEq)]
pub struct FloatLiteral {
    /// The bits of the value as binary64. `0f` constants (binary32) are widened exactly, NaN payloads shifted.
    pub bits: u64,
    /// As written; `0f` and `0d` tell the width of hexadecimal ones.
    pub text: SmolStr,
}

/// An operator before its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Minus,
    /// `+`
    Plus,
    /// `!`
    Not,
    /// `~`
    Complement,
}

/// An operator between its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it, and `symbol` shows each")]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    And,
    Xor,
    Or,
    LogicalAnd,
    LogicalOr,
}

impl UnaryOp {
    /// The operator as written.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Minus => "-",
            UnaryOp::Plus => "+",
            UnaryOp::Not => "!",
            UnaryOp::Complement => "~",
        }
    }
}

impl BinaryOp {
    /// The operator as written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Lt => "<",
            BinaryOp::Gt => ">",
            BinaryOp::Le => "<=",
            BinaryOp::Ge => ">=",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::And => "&",
            BinaryOp::Xor => "^",
            BinaryOp::Or => "|",
            BinaryOp::LogicalAnd => "&&",
            BinaryOp::LogicalOr => "||",
        }
    }

    /// How tightly it binds, C's order: `||` 1 up to `*` 10 (manual section 4.6.3).
    pub fn precedence(self) -> u8 {
        match self {
            BinaryOp::LogicalOr => 1,
            BinaryOp::LogicalAnd => 2,
            BinaryOp::Or => 3,
            BinaryOp::Xor => 4,
            BinaryOp::And => 5,
            BinaryOp::Eq | BinaryOp::Ne => 6,
            BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge => 7,
            BinaryOp::Shl | BinaryOp::Shr => 8,
            BinaryOp::Add | BinaryOp::Sub => 9,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 10,
        }
    }
}
