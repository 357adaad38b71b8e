//! `tld4`: one component of the four texels that a bilinear look-up would mix.
use super::tex::{ARITHMETIC, DEPTH, OFFSETS, SAMPLER, TEXTURE, TEXTURE_ORDER, fidelity, is_open};
use crate::pages::coordinates::*;
use crate::prelude::*;
use crate::texture::{Gathered, Geometry, TextureOp};

pub static PAGE: Page = Page::new("9.7.10.4", &["tld4"], &[
    line("tld4.comp.geom.v4.dtype.f32 d{|p}, [a, {c}]"),
    line("tld4.comp.geom.v4.dtype.f32 d{|p}, [a, {c}], f"),
    line("tld4.comp.flat.v4.dtype.f32 d{|p}, [a, {c}], e"),
    line("tld4.comp.flat.v4.dtype.f32 d{|p}, [a, {c}], e, f"),
    line("tld4.comp.geom.v4.dtype.f32 d{|p}, [a, b, {c}]"),
    line("tld4.comp.geom.v4.dtype.f32 d{|p}, [a, b, {c}], f"),
    line("tld4.comp.flat.v4.dtype.f32 d{|p}, [a, b, {c}], e"),
    line("tld4.comp.flat.v4.dtype.f32 d{|p}, [a, b, {c}], e, f"),
], Meaning::Texture(|i| TextureOp::Gather(Gathered {
    geometry: Geometry::of(i[Slot::Dim]),
    component: match i[Slot::Mode] {
        R => 0,
        Green => 1,
        FragmentB => 2,
        _ => 3,
    },
    has_offsets: i.line().has("e"),
})))
    .about("gather one component of four texels",
        "Reads the red, green, blue or alpha component of the four texels around the coordinates. `e` is added to the \
         coordinates; with `f` depths are compared instead. `p` says whether the memory was there.")
    .sets(&[
        ("comp", Slot::Mode, Set::Of(&[R, Green, FragmentB, FragmentA])),
        ("geom", Slot::Dim, Set::Of(&[Dim2, A2d, Cube, CubeArray])),
        ("flat", Slot::Dim, Set::Of(&[Dim2, A2d])),
        ("dtype", Slot::DType, Set::Of(&[U32, S32, F32])),
        ("f32", Slot::AType, Set::Of(&[F32])),
    ])
    .operands(&[dst("d", Of(Slot::DType)).vector(), dst("p", Is(Pred)).since(Floor::new(7, 1, 60)), TEXTURE, SAMPLER, TEXTURE_COORDINATES, OFFSETS, DEPTH])
    .examples(&[
        "tld4.r.2d.v4.s32.f32 {r1, r2, r3, r4}, [tex_a, {f1, f2}];",
        "tld4.a.a2d.v4.f32.f32 {r1, r2, r3, r4}, [tex_a, smp, {idx, f1, f2, f3}], {e1, e2}, depth;",
        "tld4.g.cube.v4.u32.f32 {r1, r2, r3, r4}, [tex_a, {f1, f2, f3, f4}], depth;",
    ])
    .refused(&[("tld4.r.1d.v4.u32.f32 {r1, r2, r3, r4}, [tex_a, {f1}];", "a line has no four texels around a place")])
    .errata(&[COORDINATES_AT_LEAST, TEXTURE_ORDER, ARITHMETIC])
    .open(is_open)
    .fidelity(fidelity);
