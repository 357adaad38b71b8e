//! What accesses to textures and surfaces share: geometries and the coordinates that go with them (manual, 9.7.10 and 9.7.11).
use crate::prelude::*;
use crate::texture::{Beside, Geometry, SurfaceAccess};

/// How many elements the vector of coordinates has at least: one for the layer of an array, then one for each dimension,
/// then one for the sample; three are padded to four.
fn coordinates(i: &Inst) -> usize {
    match i[Slot::Dim] {
        Dim1 => 1,
        Dim2 | A1d => 2,
        _ => 4,
    }
}

/// How many numbers say where in the plane or line, or how far beside it: layers and samples do not count.
pub(super) fn rank(i: &Inst) -> usize {
    match i[Slot::Dim] {
        Dim1 | A1d => 1,
        Dim2 | A2d | Dim2Samples | A2dSamples => 2,
        _ => 4,
    }
}

/// Whether the geometry is that of a cube.
pub(super) fn is_cube(i: &Inst) -> bool {
    matches!(i[Slot::Dim], Cube | CubeArray)
}

/// Whether the texture has several samples at a place.
pub(super) fn is_multisampled(i: &Inst) -> bool {
    matches!(i[Slot::Dim], Dim2Samples | A2dSamples)
}

fn is_array(i: &Inst) -> bool {
    matches!(i[Slot::Dim], A1d | A2d | CubeArray | A2dSamples)
}

const INDEX: Ty = Ty { kind: Kind::Signed, bits: 32, lanes: 1 };

/// Coordinates in a texture, of the type in the slot `AType`; the layer is an integer in any case.
pub(super) const TEXTURE_COORDINATES: Operand = src("c", Of(Slot::AType))
    .constants(Immediate::Number)
    .elements(coordinates)
    .element(|i, k| if k == 0 && is_array(i) { INDEX } else { i.ty(Slot::AType) })
    .padded()
    .bare();
/// Coordinates in a surface.
pub(super) const SURFACE_COORDINATES: Operand = src("c", Is(S32)).elements(coordinates).padded().bare();
/// A surface, as a variable or its handle.
pub(super) const SURFACE: Operand = src("a", TypeRule::Handle(Handle::Surface));
/// The geometries of surfaces.
pub(super) const SURFACES: Set = Set::Of(&[Dim1, Dim2, Dim3, A1d, A2d]);
/// What becomes of accesses beside the surface.
pub(super) const CLAMP: Set = Set::Of(&[TrapBeside, Clamp, ZeroBeside]);

/// ptxas asks for as many coordinates as there are, and takes more.
pub(super) const COORDINATES_AT_LEAST: Erratum = erratum(
    "prints as many coordinates as the geometry has, three padded to four",
    "takes longer vectors, and a register without braces for any, as ptxas does",
);

/// What an instruction accesses of a surface.
pub(super) fn surface_access(i: &Inst) -> SurfaceAccess {
    SurfaceAccess {
        geometry: Geometry::of(i[Slot::Dim]),
        is_formatted: i[Slot::Mode] == Formatted,
        bytes: i.ty(Slot::Type).bits / 8,
        elements: match i[Slot::Vec] {
            V2 => 2,
            V4 => 4,
            _ => 1,
        },
        beside: match i[Slot::Sat] {
            Clamp => Beside::Clamp,
            ZeroBeside => Beside::Zero,
            _ => Beside::Trap,
        },
    }
}
