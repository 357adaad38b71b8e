//! Pieces of PTX over columns: every form gives what its page says, recorded vectors come out, mistakes are located.

mod asm;
mod columns;
mod forms;
mod mutated;
mod vectors;
