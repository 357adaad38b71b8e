//! `tcgen05.st`: store registers to tensor memory.
use super::alloc::BLACKWELL;
use super::mma::HALVES;
use super::ld::{COUNTS, SHAPES, SPLIT_OFFSET, TOO_MANY, registers};
use crate::pages::product::BITS;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.16.8.4", &["tcgen05"], &[
    line("tcgen05.st.sync.aligned.shape.num{.unpack::16b}.b32 [taddr], r"),
    line("tcgen05.st.sync.aligned.16x32bx2.num{.unpack::16b}.b32 [taddr], imm_half_splitoff, r"),
], Meaning::TensorMemory(|i, _| TensorMemoryOp::Store(Movement::new(i, registers(i)))))
    .about("store to tensor memory",
        "Asynchronously stores the registers of a warp to lanes and columns of tensor memory \
         (`tcgen05.wait::st` waits for it): a shape repeated along the columns. `.unpack::16b` stores the \
         halves of each register to two columns.")
    .sets(&[
        ("st", Slot::Mode, Set::Of(&[St])),
        ("shape", Slot::Shape, Set::Of(SHAPES)),
        ("num", Slot::Count, Set::Of(COUNTS)),
    ])
    .operands(&[src("taddr", TensorAddress(U32)), SPLIT_OFFSET, src("r", By(|_| BITS)).elements(registers)])
    .rules(&[TOO_MANY])
    .since(BLACKWELL)
    .order(Order::NameFirst(&[St]))
    .examples(&[
        "tcgen05.st.sync.aligned.16x64b.x4.unpack::16b.b32 [taddr0], {r0, r1, r2, r3};",
        "tcgen05.st.sync.aligned.16x32bx2.x2.b32 [taddr], 16, {r0, r1};",
    ])
    .refused(&[("tcgen05.st.sync.aligned.16x32bx2.x2.b32 [taddr], {r0, r1};", "the place of the second half \
                                                                               is missing")])
    .errata(&[HALVES]);
