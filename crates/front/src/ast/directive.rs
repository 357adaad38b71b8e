//! Variables, functions and debug sections.

use super::{Block, Expr, ExprKind, Integer, Name, Text, Word};
use crate::source::Span;

/// A declaration of one or more variables that share space and type.
///
/// A word that stands where a type belongs is taken as the type, known or not.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// `.extern`, `.visible`, `.weak`, `.common`.
    pub linkage: Option<Word>,
    /// `.reg`, `.global`, `.const`, `.shared`, `.local`, `.param`, `.tex`, `.sreg`; `const[2]` with its bank.
    pub space: Word,
    /// `.align N`.
    pub align: Option<Integer>,
    /// `.attribute(...)`.
    pub attributes: Vec<Attribute>,
    /// `.v2`, `.v4`, `.v8`.
    pub vector: Option<Word>,
    /// The type; none only where one is missing (an error was reported).
    pub ty: Option<Word>,
    /// The variables.
    pub names: Vec<Declarator>,
    /// The whole declaration.
    pub span: Span,
}

/// `managed` or `unified(1, 2)` in `.attribute(...)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// The attribute's word.
    pub word: Word,
    /// Its arguments.
    pub arguments: Vec<Expr>,
}

/// One variable of a declaration: `x`, `%r<10>`, `a[2][3] = {...}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Declarator {
    /// The name.
    pub name: Name,
    /// `<10>`: so many variables, numbered from 0.
    pub count: Option<Integer>,
    /// Array dimensions.
    pub dimensions: Vec<Dimension>,
    /// What it starts with.
    pub initializer: Option<Initializer>,
    /// The whole declarator.
    pub span: Span,
}

/// `[10]` or `[]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Dimension {
    /// The size, none in `[]`.
    pub size: Option<Expr>,
    /// The brackets included.
    pub span: Span,
}

/// What a variable starts with.
#[derive(Clone, Debug, PartialEq)]
pub enum Initializer {
    /// One value.
    Value(Expr),
    /// `filter_mode = nearest`: a property of a texture, sampler or surface. Only in lists.
    Property(Name, Expr),
    /// `{...}`, nested for arrays of arrays and vectors.
    List(Vec<Initializer>, Span),
}

/// `.entry` or `.func`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// A kernel.
    Entry,
    /// A device function.
    Func,
}

/// A kernel or a device function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// `.extern`, `.visible`, `.weak`.
    pub linkage: Option<Word>,
    /// Kernel or device function.
    pub kind: FunctionKind,
    /// `.attribute(...)`.
    pub attributes: Vec<Attribute>,
    /// Results, in parentheses before the name.
    pub returns: Vec<Parameter>,
    /// The name.
    pub name: Name,
    /// Parameters.
    pub parameters: Vec<Parameter>,
    /// `.maxntid 128`, `.noreturn` and others between parameters and body.
    pub directives: Vec<FunctionDirective>,
    /// From the linkage to the last parameter's parenthesis.
    pub head: Span,
    /// The body; none in a declaration.
    pub body: Option<Block>,
    /// All of it.
    pub span: Span,
}

/// A parameter or result of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// `.param` or `.reg`.
    pub space: Word,
    /// `.align N`; the alignment of the parameter itself.
    pub align: Option<Integer>,
    /// `.ptr .global .align N`.
    pub pointer: Option<PointerHint>,
    /// `.v2`, `.v4`.
    pub vector: Option<Word>,
    /// The type; none only where one is missing (an error was reported).
    pub ty: Option<Word>,
    /// Name and dimensions; `_` in prototypes.
    pub declarator: Declarator,
    /// All of it.
    pub span: Span,
}

/// `.ptr .global .align 16`: what is known of the pointer that a parameter holds.
#[derive(Clone, Debug, PartialEq)]
pub struct PointerHint {
    /// The state space that it points to.
    pub space: Option<Word>,
    /// The alignment of what it points to.
    pub align: Option<Integer>,
    /// `.ptr` included.
    pub span: Span,
}

/// A directive between a function's parameters and its body.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionDirective {
    /// The directive.
    pub word: Word,
    /// Its arguments.
    pub arguments: Vec<DirectiveArgument>,
    /// All of it.
    pub span: Span,
}

/// An argument of a [`FunctionDirective`].
#[derive(Clone, Debug, PartialEq)]
pub enum DirectiveArgument {
    /// A number.
    Constant(Expr),
    /// A string.
    Text(Text),
}

/// `NAME: .callprototype (.param .b32 _) _ (.param .b64 _);`
#[derive(Clone, Debug, PartialEq)]
pub struct Prototype {
    /// The label that a call names.
    pub label: Name,
    /// Results.
    pub returns: Vec<Parameter>,
    /// Parameters.
    pub parameters: Vec<Parameter>,
    /// `.noreturn` and others.
    pub directives: Vec<FunctionDirective>,
    /// All of it.
    pub span: Span,
}

/// `NAME: .branchtargets a, b;` or `NAME: .calltargets f, g;`
#[derive(Clone, Debug, PartialEq)]
pub struct Targets {
    /// The label that a branch or call names.
    pub label: Name,
    /// Labels or functions.
    pub names: Vec<Name>,
    /// All of it.
    pub span: Span,
}

/// `.section NAME { ... }`: debug data.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// The section's name, without its dot.
    pub name: Word,
    /// What it holds.
    pub lines: Vec<SectionLine>,
    /// All of it.
    pub span: Span,
}

/// One line of a debug section.
#[derive(Clone, Debug, PartialEq)]
pub enum SectionLine {
    /// `NAME:`
    Label(Name),
    /// `.b8 1, 2, 3`
    Data {
        /// The size of each value.
        ty: Word,
        /// Numbers, labels, differences of labels, sections.
        values: Vec<Expr>,
        /// All of it.
        span: Span,
    },
}

impl SectionLine {
    /// Whether there may be something to say about the line: its type is none of debug data, or a value is not a plain number that
    /// fits, a label or a section.
    pub(crate) fn is_remarkable(&self) -> bool {
        let SectionLine::Data { ty, values, .. } = self else { return false };
        let bits = match ty.text.as_str() {
            "b8" => 8,
            "b16" => 16,
            "b32" => 32,
            "b64" => 64,
            _ => return true,
        };
        !values.iter().all(|value| match &value.kind {
            ExprKind::Integer(number) => bits == 64 || number.value >> bits == 0,
            ExprKind::Symbol(_) | ExprKind::Section(_) => true,
            _ => false,
        })
    }
}
