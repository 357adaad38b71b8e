//! `alloca`: take local memory that lives until the function returns.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.17.3", &["alloca"], &[line("alloca.type ptr, size{, immAlign}")], Meaning::Effect(Effect::Allocate))
    .about("take local memory", "The address of `size` fresh bytes of local memory, given back when the function returns.")
    .sets(&[("type", Slot::Type, Set::Of(&[U32, U64]))])
    .operands(&[
        dst("ptr", Of(Slot::Type)),
        src("size", Of(Slot::Type)),
        src("immAlign", Is(U32)).constants(Immediate::Only(1, 1 << 23)),
    ])
    .since(Floor::new(7, 3, 52))
    .examples(&["alloca.u32 ptr1, stk_offset;", "alloca.u64 ptr2, 8, 16;"]);
