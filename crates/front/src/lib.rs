//! From PTX text to a valid module: lexing, parsing, checking, diagnostics.
