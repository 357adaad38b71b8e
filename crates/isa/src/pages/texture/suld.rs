//! `suld`: read a surface.
use crate::pages::access::NARROW_VECTOR_SIZE;
use crate::pages::coordinates::*;
use crate::prelude::*;
use crate::texture::TextureOp;

pub static PAGE: Page = Page::new("9.7.11.1", &["suld"], &[
    line("suld.b.geom{.cop}{.vec}.dtype.clamp d, [a, {c}]"),
], Meaning::Texture(|i| TextureOp::Load(surface_access(i))))
    .about("read a surface",
        "Reads bits as they are at the coordinates, the first in bytes. Beside the surface the launch stops with `.trap`, \
         the nearest place is read with `.clamp`, and zero with `.zero`.")
    .sets(&[
        ("geom", Slot::Dim, SURFACES),
        ("cop", Slot::Cache, Set::Of(&[Ca, Cg, Cs, Cv])),
        ("vec", Slot::Vec, Set::Of(&[V2, V4])),
        ("dtype", Slot::Type, Set::Of(&[B8, B16, B32, B64])),
        ("clamp", Slot::Sat, CLAMP),
    ])
    .operands(&[dst("d", AtLeast(Slot::Type)).vector(), SURFACE, SURFACE_COORDINATES])
    .rules(&[NARROW_VECTOR_SIZE])
    .since(Floor::new(1, 5, 10))
    .order(Order::NameFirst(&[FragmentB]))
    .examples(&[
        "suld.b.1d.v4.b32.trap {s1, s2, s3, s4}, [surf_b, {x}];",
        "suld.b.3d.b64.clamp r1, [surf_a, {x, y, z, w}];",
        "suld.b.a1d.cg.v2.b32.zero {r1, r2}, [surf_a, {idx, x}];",
    ])
    .refused(&[
        ("suld.p.1d.v4.b32.trap {s1, s2, s3, s4}, [surf_b, {x}];", "formatted loads are not implemented"),
        ("suld.b.2d.v4.b64.trap {a, b, c, d}, [surf_b, {x, y}];", "256 bits"),
    ])
    .errata(&[COORDINATES_AT_LEAST]);
