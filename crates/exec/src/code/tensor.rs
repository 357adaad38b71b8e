//! Copies of parts of tensors and changes of tensor maps, decoded.

use super::{AtomicFunction, Source, Transfer};
use margay_isa::Inst;
use margay_isa::tensor_map::Field;

/// Something done with a tensor.
#[derive(Clone)]
pub(crate) struct TensorOp {
    pub(crate) inst: Inst,
    pub(crate) step: TensorStep,
}

/// What is done with a tensor, or with the map that describes it.
#[derive(Clone)]
pub(crate) enum TensorStep {
    Copy(TensorCopy),
    /// A field of a map, along a dimension, becomes another value.
    Replace {
        map: Transfer<()>,
        field: Field,
        dimension: Option<Source>,
        value: Source,
    },
    /// A map is copied.
    CopyMap {
        to: Transfer<()>,
        from: Transfer<()>,
    },
}

/// A copy between a part of a tensor and shared memory. It is done at once; whether it was waited for is only judged.
#[derive(Clone)]
pub(crate) struct TensorCopy {
    /// Where the map lies.
    pub(crate) map: Transfer<()>,
    /// Where the part begins, as the kind of copy says it.
    pub(crate) coordinates: Vec<Source>,
    pub(crate) kind: CopyKind,
    /// How far pixels lie from where they are looked for.
    pub(crate) offsets: Vec<Source>,
    /// The place in shared memory.
    pub(crate) shared: Transfer<()>,
    pub(crate) direction: Direction,
}

/// What coordinates say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CopyKind {
    Box,
    Rows,
    Pixels,
}

/// Which way a copy goes.
#[derive(Clone)]
pub(crate) enum Direction {
    /// To shared memory, of several blocks if there are bits for them, where barrier objects count the bytes.
    Load { object: Transfer<()>, blocks: Option<Source> },
    /// To the tensor.
    Store,
    /// Into the tensor: elements are combined with those that are there.
    Combine(AtomicFunction),
}

impl TensorStep {
    /// What it counts at or writes, of which its address says something.
    pub(crate) fn place(&self) -> &Transfer<()> {
        match self {
            TensorStep::Copy(TensorCopy { direction: Direction::Load { object, .. }, .. }) => object,
            TensorStep::Copy(TensorCopy { map, .. }) | TensorStep::Replace { map, .. } => map,
            TensorStep::CopyMap { to, .. } => to,
        }
    }

    /// What it reads, its addresses included.
    pub(crate) fn sources(&self) -> Vec<&Source> {
        match self {
            TensorStep::Copy(copy) => {
                let (object, blocks) = match &copy.direction {
                    Direction::Load { object, blocks } => (Some(&object.address), blocks.as_ref()),
                    Direction::Store | Direction::Combine(_) => (None, None),
                };
                let places = [&copy.map.address, &copy.shared.address];
                let listed = copy.coordinates.iter().chain(&copy.offsets);
                places.into_iter().chain(listed).chain(object).chain(blocks).collect()
            }
            TensorStep::Replace { map, dimension, value, .. } => {
                [&map.address, value].into_iter().chain(dimension).collect()
            }
            TensorStep::CopyMap { to, from } => vec![&to.address, &from.address],
        }
    }

    /// The same, to be changed.
    pub(crate) fn sources_mut(&mut self) -> Vec<&mut Source> {
        match self {
            TensorStep::Copy(copy) => {
                let (object, blocks) = match &mut copy.direction {
                    Direction::Load { object, blocks } => (Some(&mut object.address), blocks.as_mut()),
                    Direction::Store | Direction::Combine(_) => (None, None),
                };
                let places = [&mut copy.map.address, &mut copy.shared.address];
                let listed = copy.coordinates.iter_mut().chain(&mut copy.offsets);
                places.into_iter().chain(listed).chain(object).chain(blocks).collect()
            }
            TensorStep::Replace { map, dimension, value, .. } => {
                [&mut map.address, value].into_iter().chain(dimension).collect()
            }
            TensorStep::CopyMap { to, from } => vec![&mut to.address, &mut from.address],
        }
    }
}
