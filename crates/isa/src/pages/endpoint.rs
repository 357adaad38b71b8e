//! What operations through the fabric share: where they go, what counts them, and what they are ordered by (manual, 9.7.11.5).
use crate::prelude::*;

/// The endpoint, at the beginning of an address, and where in its memory the data lies.
pub(super) const ENDPOINT: Operand = src("le", Address);
pub(super) const OFFSET: Operand = src("off", Is(U64)).constants(Immediate::No);
/// Where the endpoint's counter lies.
pub(super) const COUNTER: Operand = src("counter", Is(U64)).constants(Immediate::No);
/// A range of the CTA's own shared memory.
pub(super) const MEMORY: Operand = src("m", Address).symbol();
pub(super) const SIZE: Operand = src("size", Is(U32));
pub(super) const SINCE: Floor = Floor::new(9, 3, 100);
/// The placeholders that all syntax lines have.
pub(super) const OWN: (&str, Slot, Set) = ("own", Slot::Space, Set::Of(&[SharedCta]));
/// The words that belong to the names of these instructions.
pub(super) const NAME: Order =
    Order::NameFirst(&[TryGet, TryPut, TryRed, TryAtom, TryPullred, Async, Tensor]);

/// Which types an operation takes.
pub(super) fn takes(operation: Word, ty: Word) -> bool {
    match operation {
        And | Or | Xor => matches!(ty, B32 | B64),
        Add => matches!(ty, U32 | U64 | F16 | Bf16 | F16x2 | Bf16x2 | F32 | F64),
        Min | Max => matches!(ty, U32 | U64 | S32 | S64 | F16 | Bf16 | F16x2 | Bf16x2),
        _ => matches!(ty, B32 | B64 | B128),
    }
}

/// Which types the operation of a form takes.
pub(super) const OPERATION: Rule = Rule {
    text: "`.and .or .xor .exch .cas` take bits, `.add` unsigned integers and numbers, `.min .max` integers and small numbers",
    slot: Some(Slot::Type),
    holds: |i| takes(i[Slot::Op2], i[Slot::Type]),
};

/// An order has a scope.
pub(super) const ORDER: Rule = Rule {
    text: "`.relaxed` needs `.sys`",
    slot: Some(Slot::Sem),
    holds: |i| !i.has(Slot::Sem) || i.has(Slot::Scope),
};

/// What operations on parts of tensors share: the map of a tensor that lies at an offset of the endpoint (manual, 9.7.11.5.7).
pub(super) const MAP: Operand = src("map", Address).symbol();
/// The endpoint, after the map.
pub(super) const TENSOR_ENDPOINT: Operand = src("le", Is(U32)).constants(Immediate::No);
/// From where on they exist.
pub(super) const TENSORS: Floor = Floor::families(9, 4, &[107]);
