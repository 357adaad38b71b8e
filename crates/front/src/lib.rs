//! From PTX text to a valid module: lexing, parsing, checking, diagnostics.

pub mod ast;
pub mod check;
mod contraction;
pub mod diag;
pub mod judge;
pub mod lexer;
pub mod link;
mod lone;
pub mod module;
mod number;
mod parser;
mod print;
pub mod provided;
pub mod source;
pub mod suggest;
pub mod token;
pub mod visible;

pub use check::{check, compile};
pub use contraction::{Contraction, contractions};
pub use diag::{Code, Diagnostic, Label, Severity};
pub use lone::{Lone, lone};
pub use parser::{Parsed, parse, parse_statement};
pub use print::print;
pub use source::{Source, Span};
