//! `vadd4`, `vsub4`, `vavrg4`, `vabsdiff4`, `vmin4`, `vmax4`: arithmetic on four bytes at once.
use crate::pages::elementwise::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.18.2.3", &["vadd4", "vsub4", "vavrg4", "vabsdiff4", "vmin4", "vmax4"], &[
    line("vop4.dtype.atype.btype{.sat} d{.mask}, a{.asel}, b{.bsel}, c"),
    line("vop4.dtype.atype.btype.add d{.mask}, a{.asel}, b{.bsel}, c"),
], Meaning::Stages(spec))
    .about("arithmetic on four bytes at once", ARITHMETIC_TEXT)
    .sets(&[
        ("dtype", Slot::DType, U32_S32), ("atype", Slot::AType, U32_S32), ("btype", Slot::BType, U32_S32),
        ("mask", Slot::Mask, Set::ByteMasks), ("asel", Slot::ASel, Set::ByteQuads), ("bsel", Slot::BSel, Set::ByteQuads),
    ])
    .defaults(BYTE_DEFAULTS)
    .operands(OPERANDS)
    .since(Floor::new(3, 0, 30))
    .order(Order::Free)
    .shown(&[
        ("vadd4.u32.u32.u32.sat d, a, b, c", &[0x01ff_7f80, 0x0101_7f80, 0]),
        ("vsub4.s32.u32.u32 d.b10, a, b.b7744, c", &[0x01ff_7f80, 0x0101_7f80, 0x1122_3344]),
        ("vavrg4.u32.u32.u32 d, a, b, c", &[0x01ff_7f80, 0x0201_7f7f, 0]),
        ("vabsdiff4.u32.u32.u32.add d, a, b, c", &[0x01ff_7f80, 0x1010_1010, 100]),
        ("vmin4.s32.s32.s32 d, a, b, c", &[0x01ff_7f80, 0, 0]),
        ("vmax4.s32.s32.s32 d, a, b, c", &[0x01ff_7f80, 0, 0]),
    ])
    .examples(&[
        "vadd4.s32.s32.u32.sat r1, r2, r3, r1;",
        "vsub4.s32.s32.s32.sat r1.b0, r2.b3210, r3.b7654, r1;",
    ])
    .refused(&[(
        "vmin4.s32.u32.u32.add r1.b00, r2.b0000, r3.b2222, r1;",
        "the manual's example has the mask `.b00`, which is not one of the masks it lists",
    )])
    .lower(|i, e| lower_arithmetic(i, BYTES, e))
    .errata(&[MERGE]);

fn spec(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    arithmetic(i, BYTES, args, trace)
}
