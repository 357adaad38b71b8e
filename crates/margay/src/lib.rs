//! Runs, checks and explains NVIDIA PTX on a CPU: the library and the command.

pub mod arg;
pub mod element;
pub mod format;
pub mod header;
pub mod output;
pub mod problem;
pub mod report;
pub mod shape;
pub mod statement;
