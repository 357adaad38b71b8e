//! `vadd2`, `vsub2`, `vavrg2`, `vabsdiff2`, `vmin2`, `vmax2`: arithmetic on two half-words at once.
use crate::pages::elementwise::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.18.2.1", &["vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2"], &[
    line("vop2.dtype.atype.btype{.sat} d{.mask}, a{.asel}, b{.bsel}, c"),
    line("vop2.dtype.atype.btype.add d{.mask}, a{.asel}, b{.bsel}, c"),
], Meaning::Stages(spec))
    .about("arithmetic on two half-words at once", ARITHMETIC_TEXT)
    .sets(&[
        ("dtype", Slot::DType, U32_S32), ("atype", Slot::AType, U32_S32), ("btype", Slot::BType, U32_S32),
        ("mask", Slot::Mask, Set::HalfMasks), ("asel", Slot::ASel, Set::HalfPairs), ("bsel", Slot::BSel, Set::HalfPairs),
    ])
    .defaults(HALF_DEFAULTS)
    .operands(OPERANDS)
    .since(Floor::new(3, 0, 30))
    .order(Order::Free)
    .shown(&[
        ("vadd2.u32.u32.u32.sat d, a, b, c", &[0xfff0_7fff, 0x0020_0001, 0]),
        ("vsub2.s32.u32.u32 d.h0, a, b, c", &[0xfff0_7fff, 0x0020_0001, 0x1122_3344]),
        ("vavrg2.s32.s32.s32 d, a, b, c", &[0xfff0_7fff, 0x0020_0001, 0]),
        ("vabsdiff2.u32.s32.s32.add d, a, b, c", &[0xfff0_7fff, 0x0020_0001, 100]),
        ("vmin2.s32.s32.s32 d, a, b, c", &[0xfff0_7fff, 0x0020_0001, 0]),
        ("vmax2.s32.s32.s32 d, a, b, c", &[0xfff0_7fff, 0x0020_0001, 0]),
    ])
    .examples(&[
        "vadd2.s32.s32.u32.sat r1, r2, r3, r1;",
        "vsub2.s32.s32.s32.sat r1.h0, r2.h10, r3.h32, r1;",
        "vmin2.s32.u32.u32.add r1.h10, r2.h00, r3.h22, r1;",
    ])
    .lower(|i, e| lower_arithmetic(i, HALVES, e))
    .errata(&[MERGE]);

fn spec(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    arithmetic(i, HALVES, args, trace)
}
