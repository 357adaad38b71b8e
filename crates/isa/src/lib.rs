//! What PTX says: the pages of the manual's instruction chapter as data and meaning.

pub mod opcodes;
