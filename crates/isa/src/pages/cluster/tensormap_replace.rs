//! `tensormap.replace`: change a field of the description of a tensor.
use crate::prelude::*;
use crate::tensor_map::Field;

pub static PAGE: Page = Page::new("9.7.9.26", &["tensormap"], &[
    line("tensormap.replace.tile.global_address{.space}.b1024.b64 [a], new"),
    line("tensormap.replace.tile.rank{.space}.b1024.b32 [a], new"),
    line("tensormap.replace.tile.sizes{.space}.b1024.b32 [a], axis, new"),
    line("tensormap.replace.tile.global_stride{.space}.b1024.b64 [a], axis, new"),
    line("tensormap.replace.tile.elemtype{.space}.b1024.b32 [a], element"),
    line("tensormap.replace.tile.interleave_layout{.space}.b1024.b32 [a], interleave"),
    line("tensormap.replace.tile.swizzle_mode{.space}.b1024.b32 [a], swizzle"),
    line("tensormap.replace.tile.swizzle_atomicity{.space}.b1024.b32 [a], atomicity"),
    line("tensormap.replace.tile.fill_mode{.space}.b1024.b32 [a], fill"),
], Meaning::Effect(Effect::ReplaceInTensorMap))
    .about("change a field of the description of a tensor", "Writes a new value into one field of the 128 bytes at `a`.")
    .sets(&[
        ("sizes", Slot::Mode, Set::Of(&[BoxDim, GlobalDim, ElementStride])),
        ("space", Slot::Space, Set::Of(&[Global, SharedCta])),
    ])
    .operands(&[
        src("a", Address).symbol(),
        src("new", Of(Slot::Type)),
        src("axis", Is(U32)).constants(Immediate::Only(0, 4)),
        src("element", Is(U32)).constants(Immediate::Only(0, 15)),
        src("interleave", Is(U32)).constants(Immediate::Only(0, 2)),
        src("swizzle", Is(U32)).constants(Immediate::Only(0, 4)),
        src("atomicity", Is(U32)).constants(Immediate::Only(0, 3)),
        src("fill", Is(U32)).constants(Immediate::Only(0, 1)),
    ])
    .since(Floor::families(8, 3, &[90, 100, 110, 120]))
    .word_floors(&[(SwizzleAtomicity, Floor::families(8, 6, &[100, 110, 120]))])
    .order(Order::NameFirst(&[Replace]))
    .examples(&[
        "tensormap.replace.tile.global_address.global.b1024.b64 [map], new;",
        "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [map], 2, new;",
        "tensormap.replace.tile.swizzle_mode.b1024.b32 [map], 3;",
    ])
    .refused(&[("tensormap.replace.tile.global_address.b1024.b32 [map], new;", "an address has 64 bits")]);

/// The field that a form replaces.
pub fn replaced_field(inst: &Inst) -> Field {
    match inst[Slot::Mode] {
        GlobalAddress => Field::Address,
        Rank => Field::LastDimension,
        BoxDim => Field::Box,
        GlobalDim => Field::Size,
        GlobalStride => Field::Stride,
        ElementStride => Field::Step,
        Elemtype => Field::Element,
        InterleaveLayout => Field::Interleave,
        SwizzleMode => Field::Swizzle,
        SwizzleAtomicity => Field::Atomicity,
        _ => Field::Fill,
    }
}
