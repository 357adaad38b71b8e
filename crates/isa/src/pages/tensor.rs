//! What copies of parts of tensors share: coordinates, offsets and the modes in which elements are gathered (manual, 5.5).
use crate::prelude::*;

pub(super) const DIMENSIONS: Set = Set::Of(&[Dim1, Dim2, Dim3, Dim4, Dim5]);
/// In which ways a box is written.
pub(super) const SCATTER: Set = Set::Of(&[Tile, TileScatter4, Im2colNoOffs]);

/// Rows are gathered from matrices and scattered into them.
pub(super) const ROWS: Rule = Rule {
    text: "`.tile::gather4` and `.tile::scatter4` are for `.2d`",
    slot: Some(Slot::LoadMode),
    holds: |i| !matches!(i[Slot::LoadMode], TileGather4 | TileScatter4) || i[Slot::Dim] == Dim2,
};
/// Pictures have channels and are several.
pub(super) const PICTURES: Rule = Rule {
    text: "`.im2col` and kin are for `.3d`, `.4d` and `.5d`",
    slot: Some(Slot::LoadMode),
    holds: |i| !matches!(i[Slot::LoadMode], Im2col | Im2colW | Im2colW128 | Im2colNoOffs) || rank(i) >= 3,
};

/// How many dimensions the tensor has.
pub(super) fn rank(i: &Inst) -> usize {
    match i[Slot::Dim] {
        Dim1 => 1,
        Dim2 => 2,
        Dim3 => 3,
        Dim4 => 4,
        _ => 5,
    }
}

/// Where the box begins: a number for every dimension; for rows gathered or scattered one column and four rows.
pub(super) const COORDINATES: Operand = src("c", Is(S32))
    .elements(|i| if matches!(i[Slot::LoadMode], TileGather4 | TileScatter4) { 5 } else { rank(i) });
/// Offsets inside a picture: one for every dimension but channels and batch; with `::w` of the halo and the column.
pub(super) const OFFSETS: Operand =
    src("o", Is(U16)).elements(|i| if i[Slot::LoadMode] == Im2col { rank(i).saturating_sub(2) } else { 2 });

/// From where on rows are gathered and scattered, and columns of pictures taken.
pub(super) const WIDE_MODES: Floor = Floor::families(8, 6, &[100, 110]);

/// The tensor's sizes where they are not those of its map: one for every dimension.
pub(super) const SIZES: Operand = src("n", Is(U16)).elements(rank);
/// The lower 32 bits of its strides: one for every dimension but the first.
pub(super) const LOWER_STRIDES: Operand = src("s", Is(B32)).elements(|i| rank(i).saturating_sub(1));
/// The upper bits of all its strides.
pub(super) const UPPER_STRIDES: Operand = src("u", Is(B16)).constants(Immediate::No);

/// A tensor of one dimension has no strides.
pub(super) const STRIDES: Rule = Rule {
    text: "`.override::global_dim` is for `.1d`, `.override::global_dim_stride` for the others",
    slot: Some(Slot::OverrideShape),
    holds: |i| match i[Slot::OverrideShape] {
        OverrideDim => i[Slot::Dim] == Dim1,
        OverrideDimStride => i[Slot::Dim] != Dim1,
        _ => true,
    },
};

/// What the manual keeps to itself of descriptions of tensors, and of rows that are shorter than what is swizzled.
pub(super) const MAPS: Erratum = erratum(
    "leaves open what the 128 bytes of a tensor map are, where in shared memory rows lie that are shorter than what is swizzled, and which NaN \
     elements outside a tensor are",
    "has bytes of its own, which the driver and `tensormap.replace` make; takes each row for as many bytes as are swizzled; fills with all ones but the \
     sign. Not verified on hardware",
);
