//! The syntax tree: what a PTX text says, every node with its place, no word judged.
//!
//! Words, names, types and numbers of operands are taken as written; `check` judges them. The tree always exists,
//! also for text with errors: what could not be read is left out, and a diagnostic says so.

mod directive;
mod expr;
mod operand;

pub use directive::{
    Attribute, Declarator, Dimension, DirectiveArgument, Function, FunctionDirective, FunctionKind,
    Initializer, Parameter, PointerHint, Prototype, Section, SectionLine, Targets, Variable,
};
pub use expr::{BinaryOp, Expr, ExprKind, FloatLiteral, Integer, UnaryOp};
pub use operand::{Address, AddressBase, Offset, OffsetValue, Operand, OperandKind, Reference, Sign, Sum};

use crate::source::Span;
use smol_str::SmolStr;

/// An identifier as written, `%` and `$` included: `%r1`, `$L__BB0_2`, `tid`.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// The identifier.
    pub text: SmolStr,
    /// Where it stands.
    pub span: Span,
}

/// A dotted word as written, without its dot: `u32`, `shared::cta`, `x`, `b3210`.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// The word without its dot.
    pub text: SmolStr,
    /// Where it stands, the dot included.
    pub span: Span,
}

/// A string in quotation marks.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// What stands between the quotation marks, escapes as written.
    pub text: String,
    /// Where it stands, the quotation marks included.
    pub span: Span,
}

/// A whole text: a module, or what of it could be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct File {
    /// The module's items in their order.
    pub items: Vec<Item>,
    /// Comments and blank lines in their order; only printing looks at them.
    pub trivia: Vec<Trivia>,
}

/// What stands between tokens and means nothing to a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Trivia {
    /// Comment or blank line.
    pub kind: TriviaKind,
    /// Whether only blanks precede it on its line.
    pub own_line: bool,
    /// Where it stands.
    pub span: Span,
}

/// See [`Trivia`].
#[derive(Clone, Debug, PartialEq)]
pub enum TriviaKind {
    /// A comment as written, `//` or `/* */` included.
    Comment(SmolStr),
    /// One or more blank lines.
    Blank,
}

/// One item of a module.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `.version 8.5`
    Version(Version),
    /// `.target sm_90a, debug`
    Target(Target),
    /// `.address_size 64`
    AddressSize(AddressSize),
    /// `.file 1 "a.cu"`
    FileEntry(FileEntry),
    /// `.section .debug_info { ... }`
    Section(Section),
    /// `@@DWARF ...`: a line of debug data in the form before PTX 2.0
    Dwarf(Text),
    /// `.loc 1 10 5`
    Loc(Loc),
    /// `.pragma "nounroll";`
    Pragma(Pragma),
    /// `.global .align 4 .u32 x = 1;`
    Variable(Variable),
    /// `.entry` or `.func`, with or without a body
    Function(Function),
    /// `.alias f, g;`
    Alias(Alias),
}

/// `.version MAJOR.MINOR`
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    /// Number before the point.
    pub major: u32,
    /// Number behind the point.
    pub minor: u32,
    /// Where the number stands.
    pub number: Span,
    /// The whole directive.
    pub span: Span,
}

/// `.target sm_90a, debug`
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The specifiers.
    pub names: Vec<Name>,
    /// The whole directive.
    pub span: Span,
}

/// `.address_size 64`
#[derive(Clone, Debug, PartialEq)]
pub struct AddressSize {
    /// 32 or 64, as written.
    pub bits: Integer,
    /// The whole directive.
    pub span: Span,
}

/// `.file INDEX "NAME"`, with an optional time stamp and size.
#[derive(Clone, Debug, PartialEq)]
pub struct FileEntry {
    /// The number that `.loc` refers to.
    pub index: Integer,
    /// The file's name.
    pub name: Text,
    /// Time stamp and size, where given.
    pub extra: Vec<Integer>,
    /// The whole directive.
    pub span: Span,
}

/// `.loc FILE LINE COLUMN`, with an optional inlining context.
#[derive(Clone, Debug, PartialEq)]
pub struct Loc {
    /// Number of a `.file`.
    pub file: Integer,
    /// Line in that file.
    pub line: Integer,
    /// Column in that line.
    pub column: Integer,
    /// `function_name LABEL+OFFSET`: where the debug string with the function's name is.
    pub function_name: Option<Expr>,
    /// `inlined_at FILE LINE COLUMN`: the place of the call that was inlined.
    pub inlined_at: Option<[Integer; 3]>,
    /// The whole directive.
    pub span: Span,
}

/// `.pragma "...", "...";`
#[derive(Clone, Debug, PartialEq)]
pub struct Pragma {
    /// The strings.
    pub texts: Vec<Text>,
    /// The whole directive.
    pub span: Span,
}

/// `.alias NAME, TARGET;`
#[derive(Clone, Debug, PartialEq)]
pub struct Alias {
    /// The new name.
    pub name: Name,
    /// The function that it stands for.
    pub target: Name,
    /// The whole directive.
    pub span: Span,
}

/// `{ ... }`: statements with their own scope.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The statements in their order.
    pub statements: Vec<Statement>,
    /// From brace to brace.
    pub span: Span,
}

/// One statement of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `{ ... }`
    Block(Block),
    /// `NAME:`
    Label(Name),
    /// An instruction, guard included.
    Instruction(Instruction),
    /// `.reg .b32 %r<4>;` and other variables of the block.
    Variable(Box<Variable>),
    /// `.loc 1 10 5`
    Loc(Box<Loc>),
    /// `.pragma "nounroll";`
    Pragma(Pragma),
    /// `NAME: .callprototype _ (.param .b32 _);`
    Prototype(Box<Prototype>),
    /// `NAME: .calltargets f, g;`
    CallTargets(Targets),
    /// `NAME: .branchtargets a, b;`
    BranchTargets(Targets),
}

/// One instruction: `@p add.sat.s32 d, a, b;`
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// `@p` or `@!p`.
    pub guard: Option<Box<Guard>>,
    /// The opcode.
    pub opcode: Name,
    /// The words behind the opcode, in their order.
    pub words: Vec<Word>,
    /// The operands, in their order.
    pub operands: Vec<Operand>,
    /// From guard to semicolon.
    pub span: Span,
}

/// `@p` or `@!p` before an instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Guard {
    /// Whether `!` is written.
    pub negated: bool,
    /// The predicate.
    pub predicate: Name,
    /// `@` included.
    pub span: Span,
}
