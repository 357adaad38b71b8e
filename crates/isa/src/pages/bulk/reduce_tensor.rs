//! `cp.reduce.async.bulk.tensor`: combine shared memory with part of a tensor while the thread goes on.
use crate::pages::access::CACHE_POLICY;
use crate::pages::bulk::groups::*;
use crate::pages::bulk::reduce::{GLOBAL, OPERATIONS, TYPES, combined};
use crate::pages::tensor::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.25.5.3", &["cp"], &[
    line("cp.reduce.async.bulk.tensor.dim.global.cta.op{.scatter}.bulk_group{.L2::cache_hint} [t, {c}], [s]{, cache_policy}"),
], Meaning::Atomic(combined))
    .about("combine shared memory with part of a tensor asynchronously",
        "Every element of a box of the tensor that `t` describes, at coordinates `c`, is combined with that at `s` by `.op`; \
         the tensor says the type.")
    .sets(&[
        ("dim", Slot::Dim, DIMENSIONS),
        ("cta", Slot::From, Set::Of(&[SharedCta])),
        ("op", Slot::Op2, OPERATIONS),
        ("scatter", Slot::LoadMode, SCATTER),
    ])
    .operands(&[
        src("t", Address).symbol(),
        src("s", Address).symbol().within(Within::Named(Slot::From)),
        COORDINATES,
        CACHE_POLICY,
    ])
    .rules(&[ROWS, PICTURES])
    .since(SINCE)
    .word_floors(&[(TileScatter4, WIDE_MODES)])
    .order(NAME)
    .examples(&[
        "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [map, {x}], [s];",
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.and.bulk_group.L2::cache_hint [map, {x, y}], [s], policy;",
        "cp.reduce.async.bulk.tensor.3d.global.shared::cta.xor.im2col_no_offs.bulk_group [map, {c, x, n}], [s];",
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.tile::scatter4.bulk_group [map, {x, r1, r2, r3, r4}], [s];",
    ])
    .refused(&[("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.u32.bulk_group [map, {x, y}], [s];", "the tensor says the type")])
    .errata(&[MAPS]);

/// The form for elements of a type, if they can be combined so: bits are of no type that has a sign.
pub fn typed_by_tensor(inst: &Inst, element: Word) -> Option<Inst> {
    let ty = match (inst[Slot::Op2], element) {
        (And | Or | Xor, U32 | S32) => B32,
        (And | Or | Xor, U64 | S64) => B64,
        (Add, S64) => U64,
        (_, Tf32) => F32,
        (_, element) => element,
    };
    let mut inst = *inst;
    inst.set(Slot::Type, ty);
    (matches!(TYPES, Set::Of(types) if types.contains(&ty)) && (GLOBAL.holds)(&inst)).then_some(inst)
}
