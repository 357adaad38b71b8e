//! `tcgen05.cp`: copy shared memory to tensor memory.
use super::alloc::{BLACKWELL, CTA_GROUPS};
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.16.9.2", &["tcgen05"], &[
    line("tcgen05.cp.cta_group.shape{.b8x16.src_fmt} [taddr], s_desc"),
    line("tcgen05.cp.cta_group.64x128b.half{.b8x16.src_fmt} [taddr], s_desc"),
    line("tcgen05.cp.cta_group.32x128b.warpx4{.b8x16.src_fmt} [taddr], s_desc"),
], Meaning::TensorMemory(|i, _| TensorMemoryOp::Copy(FromShared::new(i))))
    .about("copy shared memory to tensor memory",
        "Asynchronously copies a matrix in shared memory, described by a descriptor, to tensor memory; to \
         several quarters of its lanes with `.warpx2` and `.warpx4`, and with numbers of 6 or 4 bits spread \
         to bytes with `.b8x16`.")
    .sets(&[
        ("cp", Slot::Mode, Set::Of(&[Cp])),
        ("cta_group", Slot::CtaGroup, CTA_GROUPS),
        ("shape", Slot::Shape, Set::Of(&[Copy128x256b, Copy4x256b, Copy128x128b])),
        ("half", Slot::Multicast, Set::Of(&[WarpX2Even, WarpX2Halves])),
        ("src_fmt", Slot::AType, Set::Of(&[B6x16P32, B4x16P64])),
    ])
    .operands(&[src("taddr", TensorAddress(U32)), src("s_desc", Is(U64))])
    .since(BLACKWELL)
    .order(Order::NameFirst(&[Cp]))
    .examples(&[
        "tcgen05.cp.cta_group::1.128x256b [taddr0], s_desc;",
        "tcgen05.cp.cta_group::2.64x128b.warpx2::02_13.b8x16.b6x16_p32 [taddr], s_desc;",
        "tcgen05.cp.cta_group::1.32x128b.warpx4 [taddr], s_desc;",
    ])
    .refused(&[("tcgen05.cp.cta_group::1.32x128b [taddr], s_desc;", "32 lanes go to all four warps")]);
