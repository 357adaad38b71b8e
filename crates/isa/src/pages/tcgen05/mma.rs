//! `tcgen05.mma`: multiply matrices into tensor memory.
use super::alloc::{BLACKWELL, CTA_GROUPS};
use crate::pages::product::BITS;
use crate::pages::warpgroup::block;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.16.10.9.1", &["tcgen05"], &[
    line("tcgen05.mma.cta_group.kind{.collector} [d], a_desc, b_desc, idesc, {!}enable_input_d"),
    line("tcgen05.mma.cta_group.kind{.collector} [d], a_desc, b_desc, idesc, disable_output_lane, {!}enable_input_d"),
    line("tcgen05.mma.cta_group.kind{.ashift}{.collector} [d], [a], b_desc, idesc, {!}enable_input_d"),
    line("tcgen05.mma.cta_group.kind{.ashift}{.collector} [d], [a], b_desc, idesc, disable_output_lane, {!}enable_input_d"),
    line("tcgen05.mma.cta_group.scaled_kind{.collector} [d], a_desc, b_desc, idesc, {!}enable_input_d, scale_input_d"),
    line("tcgen05.mma.cta_group.scaled_kind{.collector} [d], a_desc, b_desc, idesc, disable_output_lane, {!}enable_input_d, scale_input_d"),
    line("tcgen05.mma.cta_group.scaled_kind{.ashift}{.collector} [d], [a], b_desc, idesc, {!}enable_input_d, scale_input_d"),
    line("tcgen05.mma.cta_group.scaled_kind{.ashift}{.collector} [d], [a], b_desc, idesc, disable_output_lane, {!}enable_input_d, scale_input_d"),
], Meaning::TensorMemory(|i, device| TensorMemoryOp::Multiply(Multiply::new(i, device, block))))
    .about("multiply matrices into tensor memory",
        "Asynchronously computes D = A·B + D, or A·B if `enable_input_d` is false: D is in tensor memory, A \
         there or, like B, in shared memory, described by a descriptor; `idesc` gives shapes and types. \
         `scale_input_d` divides D by a power of two first; lanes of `disable_output_lane` are not written.")
    .sets(SETS)
    .operands(&[D, A, DESCRIPTORS, IDESC, LANES, ENABLE, SCALE])
    .rules(&[SHIFTED])
    .since(BLACKWELL)
    .open(|i| i.has(Slot::ShiftAmt) || i[Slot::Kind] == KindI8 && divides(i))
    .form_floors(&[OF_INTEGERS, SCALED])
    .order(NAME)
    .examples(&[
        "tcgen05.mma.cta_group::1.kind::tf32 [taddr0], adesc, bdesc, idesc, {m0, m1, m2, m3}, p;",
        "tcgen05.mma.cta_group::2.kind::f16.collector::a::fill [taddr2], [taddr1], bdesc, idesc, p, 15;",
        "tcgen05.mma.cta_group::1.kind::i8.ashift.collector::a::lastuse [taddr2], [taddr1], bdesc, idesc, p;",
    ])
    .refused(&[
        ("tcgen05.mma.cta_group::1.kind::f16.ashift [d], adesc, bdesc, idesc, p;", "only rows in tensor memory can be shifted"),
        ("tcgen05.mma.cta_group::1.kind::f16.ashift.collector::a::use [d], [a], bdesc, idesc, p;", "what is kept cannot be shifted"),
    ])
    .errata(&[SUMS, HALVES])
    .fidelity(fidelity);

/// How products are added.
pub const SUMS: Erratum = erratum(
    "leaves open how floating-point products are added and rounded, and how D is where it is divided first",
    "adds D and all products of a row and a column at once, cut to 25 fraction bits (35 with `.kind::mxf4` and `.kind::mxf4nvf4`), as a \
     published algorithm for B200 does; D is divided to nearest",
)
.concerns(|i| i[Slot::Kind] != KindI8);
/// What words of 32 bits hold beside a number of 16.
pub const HALVES: Erratum = erratum(
    "leaves open what the upper half of a word of tensor memory is after 16 bits have been stored there",
    "makes it 0",
)
.concerns(|i| matches!(i[Slot::Kind], KindF16 | KindF8f6f4) || i.has(Slot::Hint));

/// Whether D is divided first; what that is of integers, the manual does not say.
fn divides(i: &Inst) -> bool {
    i.line().operands.iter().any(|t| t.name == "scale_input_d")
}

/// Integers are exact.
pub fn fidelity(i: &Inst) -> Fidelity {
    if i[Slot::Kind] == KindI8 { Fidelity::Exact } else { Fidelity::Model }
}

pub const NAME: Order = Order::NameFirst(&[MmaWord]);
pub const COLLECTORS: Set = Set::Of(&[CollectorFill, CollectorUse, CollectorLastUse, CollectorDiscard]);
pub const SETS: &[(&str, Slot, Set)] = &[
    ("mma", Slot::Mode, Set::Of(&[MmaWord])),
    ("cta_group", Slot::CtaGroup, CTA_GROUPS),
    ("kind", Slot::Kind, Set::Of(&[KindF16, KindTf32, KindF8f6f4, KindI8])),
    ("scaled_kind", Slot::Kind, Set::Of(&[KindF16, KindTf32, KindI8])),
    ("collector", Slot::Cache, COLLECTORS),
];

pub const D: Operand = src("d", TensorAddress(B32));
pub const A: Operand = src("a", TensorAddress(B32));
pub const DESCRIPTORS: Operand = src("a_desc b_desc", Is(U64));
pub const IDESC: Operand = src("idesc", Is(U32));
pub const ENABLE: Operand = src("enable_input_d", Is(Pred)).constants(Immediate::Integer);
/// A bit for each lane of one CTA, or of two.
pub const LANES: Operand = src("disable_output_lane", By(|_| BITS)).elements(|i| if i[Slot::CtaGroup] == CtaGroup2 { 8 } else { 4 });
pub const SCALE: Operand = src("scale_input_d", Is(U32)).constants(Immediate::Only(0, 15));

pub const SHIFTED: Rule = Rule {
    text: "`.ashift` goes with `.collector::a::lastuse` and `.collector::a::discard`",
    slot: Some(Slot::Cache),
    holds: |i| !(i.has(Slot::ShiftAmt) && matches!(i[Slot::Cache], CollectorFill | CollectorUse)),
};

pub const OF_INTEGERS: FormFloor = FormFloor {
    text: "`.kind::i8`",
    when: |i| i[Slot::Kind] == KindI8,
    floor: Floor::architectures(8, 6, &[100, 110]),
};

/// ptxas divides sums of integers, too, but none of anything on sm_110.
pub const SCALED: FormFloor = FormFloor {
    text: "`scale_input_d`",
    when: |i| i[Slot::Kind] != KindI8 && divides(i),
    floor: Floor::family(8, 6, 100),
};
