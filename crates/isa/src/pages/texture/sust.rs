//! `sust`: write a surface.
use crate::pages::access::NARROW_VECTOR_SIZE;
use crate::pages::coordinates::*;
use crate::prelude::*;
use crate::texture::TextureOp;

pub static PAGE: Page = Page::new("9.7.11.2", &["sust"], &[
    line("sust.b.geom{.cop}{.vec}.ctype.clamp [a, {c}], b"),
    line("sust.p.geom{.cop}{.vec}.b32.clamp [a, {c}], b"),
], Meaning::Texture(|i| TextureOp::Store(surface_access(i))))
    .about("write a surface",
        "Writes bits as they are at the coordinates, the first in bytes; with `.p` in the surface's own format. Beside the \
         surface the launch stops with `.trap`, the nearest place is written with `.clamp`, and nothing with `.zero`.")
    .sets(&[
        ("geom", Slot::Dim, SURFACES),
        ("cop", Slot::Cache, Set::Of(&[Wb, Cg, Cs, Wt])),
        ("vec", Slot::Vec, Set::Of(&[V2, V4])),
        ("ctype", Slot::Type, Set::Of(&[B8, B16, B32, B64])),
        ("clamp", Slot::Sat, CLAMP),
    ])
    .operands(&[SURFACE, SURFACE_COORDINATES, src("b", AtLeast(Slot::Type)).vector().bare()])
    .rules(&[NARROW_VECTOR_SIZE])
    .since(Floor::new(1, 5, 10))
    .order(Order::NameFirst(&[FragmentB, Formatted]))
    .examples(&[
        "sust.p.1d.v4.b32.trap [surf_b, {x}], {f1, f2, f3, f4};",
        "sust.b.3d.b64.trap [surf_a, {x, y, z, w}], r1;",
        "sust.b.a2d.wt.b32.zero [surf_a, {idx, x, y, z}], r1;",
    ])
    .refused(&[("sust.p.1d.b64.trap [surf_b, {x}], r1;", "formatted stores are of 32-bit components")])
    .errata(&[
        COORDINATES_AT_LEAST,
        erratum(
            "does not say what `.p` makes of numbers that the surface's format cannot hold",
            "ends integers at the format's bounds, and rounds numbers of `.f32` to halves to the nearest",
        )
        .concerns(|i| i[Slot::Mode] == Formatted),
    ]);
