//! `sured`: change a surface in one step.
use crate::pages::coordinates::*;
use crate::prelude::*;
use crate::texture::TextureOp;

pub static PAGE: Page = Page::new("9.7.11.3", &["sured"], &[
    line("sured.b.op.geom.ctype.clamp [a, {c}], b"),
    line("sured.p.op.geom.bits.clamp [a, {c}], b"),
], Meaning::Texture(|i| TextureOp::Change(surface_access(i), i[Slot::Op2], i.ty(Slot::Type))))
    .about("change a surface in one step",
        "Combines the value at the coordinates with `b`, the first coordinate in bytes, or with `.p` in elements. Beside the \
         surface the launch stops with `.trap`, the nearest place is changed with `.clamp`, and nothing with `.zero`.")
    .sets(&[
        ("op", Slot::Op2, Set::Of(&[Add, Min, Max, And, Or, Xor, Inc, Dec, Exch])),
        ("geom", Slot::Dim, Set::Of(&[Dim1, Dim2, Dim3])),
        ("ctype", Slot::Type, Set::Of(&[B32, U32, S32, U64, S64])),
        ("bits", Slot::Type, Set::Of(&[B32, B64])),
        ("clamp", Slot::Sat, CLAMP),
    ])
    .operands(&[SURFACE, SURFACE_COORDINATES, src("b", Of(Slot::Type))])
    .rules(&[
        Rule {
            text: "`.add` is on `.u32 .s32 .u64`, `.min .max` on `.u32 .s32 .u64 .s64`, `.and .or` on `.b32`",
            slot: Some(Slot::Op2),
            holds: |i| is_formatted(i) || match i[Slot::Op2] {
                Add => matches!(i[Slot::Type], U32 | S32 | U64),
                Min | Max => i[Slot::Type] != B32,
                And | Or => i[Slot::Type] == B32,
                _ => true,
            },
        },
        Rule {
            text: "`.p` with `.add .and .or` is on `.b32`",
            slot: Some(Slot::Type),
            holds: |i| !is_formatted(i) || !matches!(i[Slot::Op2], Add | And | Or) || i[Slot::Type] == B32,
        },
    ])
    .since(Floor::new(3, 0, 20))
    .form_floors(&[FormFloor {
        text: "least and greatest of 64 bits",
        when: |i| matches!(i[Slot::Op2], Min | Max) && i.ty(Slot::Type).bits == 64,
        floor: Floor::new(8, 1, 50),
    }])
    .order(Order::NameFirst(&[FragmentB, Formatted]))
    .examples(&["sured.b.add.2d.u32.trap [surf_a, {x, y}], r1;", "sured.p.min.1d.b32.zero [surf_b, {x}], r1;"])
    .refused(&[("sured.b.add.a1d.u32.trap [surf_a, {idx, x}], r1;", "no layers here")])
    .errata(&[COORDINATES_AT_LEAST, erratum(
            "prints `.add .min .max .and .or`",
            "takes `.xor .inc .dec .exch` too, on any of the types, as ptxas does",
        ).concerns(|i| matches!(i[Slot::Op2], Xor | Inc | Dec | Exch))]);

fn is_formatted(i: &Inst) -> bool {
    i[Slot::Mode] == Formatted
}
