//! What PTX says: the pages of the manual's instruction chapter as data and meaning.
//!
//! A [`Page`] holds what one page of the manual says of its opcodes: syntax lines as printed, the words each place
//! allows, operand types, versions and targets, examples, errata, and the meaning as an ordinary function. Everything
//! else is derived from the pages: [`select`] matches words and operands, [`forms`] enumerates and draws, `Display`
//! prints canonical text, [`Inst::compute`] gives results.
//!
//! ```
//! use margay_isa::{Semantics, Shape, select, select_among};
//! let inst = select("bfe", &["s32"], &[Shape::default(); 4]).unwrap().unwrap();
//! let mut d = [0];
//! inst.compute(Semantics::Manual, &[0x0000_0f00, 8, 4, 0, 0, 0, 0, 0], &mut d);
//! assert_eq!(d[0], 0xffff_ffff);
//! ```

mod combine;
mod compat;
mod contraction;
mod elements;
mod fidelity;
pub mod float;
mod floor;
pub mod forms;
mod fragments;
mod handle;
mod inst;
mod object;
pub mod opcodes;
mod operand;
mod page;
mod pages;
mod prelude;
mod select;
mod set;
mod shape;
mod shared_matrix;
pub mod special;
pub mod syntax;
pub mod tensor_core;
pub mod tensor_map;
pub mod tensor_memory;
pub mod texture;
mod trace;
mod types;
pub mod uop;
pub mod warp;
mod warpgroup;
mod words;

pub use contraction::Part;
pub use elements::Elements;
pub use fidelity::Fidelity;
pub use floor::{Floor, Misfit, Suffix, TARGETS, Target, Targets, Version};
pub use forms::fidelities;
pub use fragments::{Across, Held, Holder, Piece, Sparse, Stretch, Tiles, Whole};
pub use handle::Handle;
pub use inst::{Inst, Semantics};
pub use object::BarrierObject;
pub use operand::{Immediate, Operand, Role, TypeRule, Within, Zero};
pub use page::{
    Approximate, Args, AtomicSpace, Carry, Effect, Erratum, FormFloor, Lanes, MAX_SOURCES, Meaning, Order,
    Page, Rule, Syntax, erratum, line,
};
pub use pages::{
    Fused, PAGES, absent_lane, dot_of_bytes, dot_of_halves, fused, is_aligned, replaced_field, sum_of,
    typed_by_tensor,
};
pub use select::{Fault, Mismatch, Shape, select, select_among};
pub use set::Set;
pub use shape::MatrixShape;
pub use shared_matrix::Chunk;
pub use trace::{Staged, Step, Trace};
pub use types::{Bits, Kind, Ty};
pub use warpgroup::Warpgroup;
pub use words::{Slot, Word};

use std::collections::HashMap;
use std::sync::OnceLock;

/// Threads of a warp.
pub const WARP: usize = 32;

/// The pages that have the opcode, in the order of the registry.
pub fn pages_of(opcode: &str) -> &'static [&'static Page] {
    static INDEX: OnceLock<HashMap<&'static str, Vec<&'static Page>>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let mut index: HashMap<_, Vec<_>> = HashMap::new();
        for page in PAGES {
            for opcode in page.opcodes {
                index.entry(*opcode).or_default().push(*page);
            }
        }
        index
    });
    index.get(opcode).map_or(&[], |pages| pages)
}
