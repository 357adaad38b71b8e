//! `tcgen05.ld`: load from tensor memory into registers.
use super::alloc::BLACKWELL;
use crate::pages::product::BITS;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.16.8.3", &["tcgen05"], &[
    line("tcgen05.ld.sync.aligned.shape.num{.pack::16b}.b32 r, [taddr]"),
    line("tcgen05.ld.sync.aligned.16x32bx2.num{.pack::16b}.b32 r, [taddr], imm_half_splitoff"),
    line("tcgen05.ld.red.sync.aligned.32x32b.many.op{.abs}{.NaN}.redtype r, redval, [taddr]").since(REDUCED),
    line("tcgen05.ld.red.sync.aligned.16x32bx2.many.op{.abs}{.NaN}.redtype r, redval, [taddr], imm_half_splitoff").since(REDUCED),
], Meaning::TensorMemory(|i, _| TensorMemoryOp::Load(Movement::new(i, registers(i)))))
    .about("load from tensor memory",
        "Asynchronously loads lanes and columns of tensor memory into the registers of a warp \
         (`tcgen05.wait::ld` waits for it): a shape repeated along the columns. `.pack::16b` packs two \
         halves into each register; `.red` also gives the minimum or maximum of the loaded values.")
    .sets(&[
        ("ld", Slot::Mode, Set::Of(&[Ld])),
        ("red", Slot::Part, Set::Of(&[Red])),
        ("shape", Slot::Shape, Set::Of(SHAPES)),
        ("num", Slot::Count, Set::Of(COUNTS)),
        ("many", Slot::Count, Set::Of(&[X2, X4, X8, X16, X32, X64, X128])),
        ("op", Slot::Op2, Set::Of(&[Min, Max])),
        ("redtype", Slot::Type, Set::Of(&[U32, S32, F32])),
    ])
    .operands(&[
        dst("r", By(|_| BITS)).elements(registers),
        dst("redval", By(|_| BITS)),
        src("taddr", TensorAddress(U32)),
        SPLIT_OFFSET,
    ])
    .rules(&[TOO_MANY, Rule {
        text: "`.abs` and `.NaN` go with `.f32`",
        slot: Some(Slot::Type),
        holds: |i| i[Slot::Type] == F32 || !(i.has(Slot::Abs) || i.has(Slot::NaN)),
    }])
    .since(BLACKWELL)
    .open(|i| i[Slot::Part] == Red)
    .order(Order::NameFirst(&[Ld, Red]))
    .examples(&[
        "tcgen05.ld.sync.aligned.32x32b.x2.b32 {r0, r1}, [taddr1];",
        "tcgen05.ld.sync.aligned.16x128b.x4.pack::16b.b32 {r0, r1, r2, r3, r4, r5, r6, r7}, [taddr2];",
        "tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {r0}, [taddr], 16;",
        "tcgen05.ld.red.sync.aligned.32x32b.x2.max.abs.NaN.f32 {r0, r1}, rr, [taddr];",
    ])
    .refused(&[
        ("tcgen05.ld.sync.aligned.16x256b.x64.b32 {r0}, [taddr];", "these would be 256 registers"),
        ("tcgen05.ld.red.sync.aligned.32x32b.x1.min.u32 {r0}, rr, [taddr];", "one column has nothing to reduce"),
    ]);

const REDUCED: Floor = Floor::families(8, 8, &[103, 110]);
pub const SHAPES: &[Word] = &[Lanes16x64b, Lanes16x128b, Lanes16x256b, Lanes32x32b];
pub const COUNTS: &[Word] = &[X1, X2, X4, X8, X16, X32, X64, X128];
pub const SPLIT_OFFSET: Operand =
    src("imm_half_splitoff", Is(S64)).constants(Immediate::Only(i64::MIN as i128, u64::MAX as i128));

pub const TOO_MANY: Rule = Rule {
    text: "`.16x128b` goes up to `.x64` and `.16x256b` up to `.x32`, which are 128 registers",
    slot: Some(Slot::Count),
    holds: |i| registers(i) <= 128,
};

/// How many registers the shape takes once, times how often it is there.
pub fn registers(i: &Inst) -> usize {
    let once = match i[Slot::Shape] {
        Lanes16x256b => 4,
        Lanes16x128b => 2,
        _ => 1,
    };
    once * COUNTS.iter().position(|word| *word == i[Slot::Count]).map_or(0, |k| 1 << k)
}
