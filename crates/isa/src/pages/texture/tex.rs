//! `tex`: look up a texture; and what `tld4` shares with it.
use crate::pages::coordinates::*;
use crate::prelude::*;
use crate::texture::{self, Geometry, Sample, TextureOp};

pub static PAGE: Page = Page::new("9.7.10.3", &["tex"], &[
    line("tex{.base}.geom.vec.dtype.ctype d{|p}, [a, {c}]"),
    line("tex{.base}.depths.vec.dtype.f32 d{|p}, [a, {c}], f"),
    line("tex{.base}.flat.vec.dtype.ctype d{|p}, [a, {c}], e"),
    line("tex{.base}.flat_depths.vec.dtype.f32 d{|p}, [a, {c}], e, f"),
    line("tex{.base}.geom.vec.dtype.ctype d{|p}, [a, b, {c}]"),
    line("tex{.base}.depths.vec.dtype.f32 d{|p}, [a, b, {c}], f"),
    line("tex{.base}.flat.vec.dtype.ctype d{|p}, [a, b, {c}], e"),
    line("tex{.base}.flat_depths.vec.dtype.f32 d{|p}, [a, b, {c}], e, f"),
    line("tex.level.mip.vec.dtype.ctype d{|p}, [a, {c}], lod"),
    line("tex.level.depths.vec.dtype.f32 d{|p}, [a, {c}], lod, f"),
    line("tex.level.flat_mip.vec.dtype.ctype d{|p}, [a, {c}], lod, e"),
    line("tex.level.flat_depths.vec.dtype.f32 d{|p}, [a, {c}], lod, e, f"),
    line("tex.level.mip.vec.dtype.ctype d{|p}, [a, b, {c}], lod"),
    line("tex.level.depths.vec.dtype.f32 d{|p}, [a, b, {c}], lod, f"),
    line("tex.level.flat_mip.vec.dtype.ctype d{|p}, [a, b, {c}], lod, e"),
    line("tex.level.flat_depths.vec.dtype.f32 d{|p}, [a, b, {c}], lod, e, f"),
    line("tex.grad.mip.vec.dtype.ctype d{|p}, [a, {c}], dx, dy"),
    line("tex.grad.depths.vec.dtype.f32 d{|p}, [a, {c}], dx, dy, f"),
    line("tex.grad.flat_mip.vec.dtype.ctype d{|p}, [a, {c}], dx, dy, e"),
    line("tex.grad.flat_depths.vec.dtype.f32 d{|p}, [a, {c}], dx, dy, e, f"),
    line("tex.grad.mip.vec.dtype.ctype d{|p}, [a, b, {c}], dx, dy"),
    line("tex.grad.depths.vec.dtype.f32 d{|p}, [a, b, {c}], dx, dy, f"),
    line("tex.grad.flat_mip.vec.dtype.ctype d{|p}, [a, b, {c}], dx, dy, e"),
    line("tex.grad.flat_depths.vec.dtype.f32 d{|p}, [a, b, {c}], dx, dy, e, f"),
], Meaning::Texture(|i| TextureOp::Sample(Sample {
    geometry: Geometry::of(i[Slot::Dim]),
    is_integer: i[Slot::AType] == S32,
    level: match i[Slot::Action] {
        Level => texture::Level::Given,
        Gradient => texture::Level::Gradients,
        _ => texture::Level::First,
    },
    has_offsets: i.line().has("e"),
    result: i[Slot::DType],
})))
    .about("look up a texture",
        "Reads the texture `a` with the sampler `b` at coordinates `c`: of an array the layer comes first, of samples the \
         number last. The level of the mipmap is that of the neighbouring threads, the first with `.base`, `lod` with \
         `.level`, or follows from the gradients `dx` and `dy` with `.grad`. `e` is added to the coordinates; with `f` \
         depths are compared instead. `p` says whether the memory was there.")
    .sets(&[
        ("geom", Slot::Dim, Set::Of(&[Dim1, Dim2, Dim3, A1d, A2d, Cube, CubeArray, Dim2Samples, A2dSamples])),
        ("mip", Slot::Dim, Set::Of(&[Dim1, Dim2, Dim3, A1d, A2d, Cube, CubeArray])),
        ("flat", Slot::Dim, Set::Of(&[Dim1, Dim2, Dim3, A1d, A2d, Dim2Samples, A2dSamples])),
        ("flat_mip", Slot::Dim, Set::Of(&[Dim1, Dim2, Dim3, A1d, A2d])),
        ("depths", Slot::Dim, Set::Of(&[Dim1, Dim2, A1d, A2d, Cube, CubeArray])),
        ("flat_depths", Slot::Dim, Set::Of(&[Dim1, Dim2, A1d, A2d])),
        ("f32", Slot::AType, Set::Of(&[F32])),
        ("vec", Slot::Vec, Set::Of(&[V2, V4])),
        ("dtype", Slot::DType, Set::Of(&[U32, S32, F16, F32, F16x2])),
        ("ctype", Slot::AType, Set::Of(&[S32, F32])),
    ])
    .operands(&[
        dst("d", Of(Slot::DType)).vector(),
        dst("p", Is(Pred)).since(Floor::new(7, 1, 60)),
        TEXTURE,
        SAMPLER,
        TEXTURE_COORDINATES,
        src("lod", Of(Slot::AType)).constants(Immediate::Number),
        src("dx dy", Is(F32)).constants(Immediate::Number).elements(rank),
        OFFSETS,
        DEPTH,
    ])
    .rules(&[
        Rule {
            text: "the result is `.v2` of `.f16x2`, `.v4` of the others",
            slot: Some(Slot::Vec),
            holds: |i| (i[Slot::Vec] == V2) == (i[Slot::DType] == F16x2),
        },
        Rule {
            text: "coordinates of cubes are `.f32`",
            slot: Some(Slot::AType),
            holds: |i| !is_cube(i) || i[Slot::AType] == F32,
        },
        Rule {
            text: "coordinates of samples are `.s32`",
            slot: Some(Slot::AType),
            holds: |i| !is_multisampled(i) || i[Slot::AType] == S32,
        },
    ])
    .order(Order::NameFirst(&[Base, Level, Gradient]))
    .examples(&[
        "tex.3d.v4.s32.s32 {r1, r2, r3, r4}, [tex_a, {f1, f2, f3, f4}];",
        "tex.1d.v4.s32.f32 {r1, r2, r3, r4}, [tex_a, {f1}];",
        "tex.a1d.v4.s32.s32 {r1, r2, r3, r4}, [tex_a, smp, {idx, s1}];",
        "tex.level.2d.v4.f32.f32 {r1, r2, r3, r4}, [tex_a, {f1, f2}], level;",
        "tex.grad.2d.v4.f32.f32 {r1, r2, r3, r4}, [tex_a, {f1, f2}], {dx, dx2}, {dy, dy2};",
        "tex.base.acube.v4.f32.f32 {r1, r2, r3, r4}, [tex_a, {idx, f1, f2, f3}], depth;",
        "tex.2d.v2.f16x2.f32 {h1, h2}, [tex_a, {f1, f2}], {e1, e2};",
    ])
    .refused(&[
        ("tex.cube.v4.f32.s32 {r1, r2, r3, r4}, [tex_a, {f1, f2, f3, f4}];", "directions are not integers"),
        ("tex.2d.v2.f32.f32 {r1, r2}, [tex_a, {f1, f2}];", "four components are read"),
        ("tex.2d.v4.f32.f32 {r1, r2, r3, r4}, [tex_a, {f1}];", "one coordinate is missing"),
    ])
    .errata(&[COORDINATES_AT_LEAST, TEXTURE_ORDER, ARITHMETIC, MISSING_CHANNELS, LEVEL, INTEGERS])
    .open(is_open)
    .fidelity(fidelity);

/// Samples and depths have no counterpart in CUDA's interfaces.
pub(super) fn is_open(i: &Inst) -> bool {
    is_multisampled(i) || i.line().has("f")
}

pub(super) fn fidelity(i: &Inst) -> Fidelity {
    if i[Slot::AType] == S32 { Fidelity::Exact } else { Fidelity::Model }
}

/// A texture, as a variable or its handle.
pub(super) const TEXTURE: Operand = src("a", TypeRule::Handle(Handle::Texture));
/// A sampler, as a variable or its handle.
pub(super) const SAMPLER: Operand = src("b", TypeRule::Handle(Handle::Sampler));
/// What is added to the coordinates.
pub(super) const OFFSETS: Operand = src("e", Is(S32)).elements(rank).padded().bare();
/// The depth that is compared.
pub(super) const DEPTH: Operand = src("f", Is(F32)).constants(Immediate::Number);

pub(super) const TEXTURE_ORDER: Erratum = erratum(
            "prints its modifiers in one order",
            "takes them in any order after `.base`, `.level` and `.grad`, the type of the result before that of the coordinates",
        );

pub(super) const ARITHMETIC: Erratum = erratum(
    "does not say how exact places between texels are, nor how neighbours are mixed",
    "gives places between texels 8 bits after the point, rounded to nearest, as the CUDA C++ Programming Guide has it of weights, and \
     rounds the sum of the neighbours, each times its weight, once",
)
.concerns(|i| i[Slot::AType] == F32);

const MISSING_CHANNELS: Erratum = erratum(
    "does not say what is read of channels that a texture lacks",
    "gives 0 for green and blue, 1 for alpha",
);

const LEVEL: Erratum = erratum(
    "does not say which level of a mipmap is read without `.level` and `.grad`",
    "reads the first one, plus the sampler's bias: coordinates of neighbouring threads are not compared",
)
.concerns(|i| !matches!(i[Slot::Action], Level | Gradient));

const INTEGERS: Erratum = erratum(
    "does not say what becomes of integer coordinates beside a texture",
    "gives the border's texel or the nearest one, as the sampler says, and zeros beside linear memory",
)
.concerns(|i| i[Slot::AType] == S32);
