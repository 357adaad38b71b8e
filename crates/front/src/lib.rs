//! From PTX text to a valid module: lexing, parsing, checking, diagnostics.

pub mod ast;
pub mod diag;
pub mod source;

pub use diag::{Code, Diagnostic, Label, Severity};
pub use source::{Source, Span};
