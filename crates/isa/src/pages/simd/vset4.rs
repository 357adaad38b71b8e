//! `vset4`: comparison of four bytes at once.
use crate::pages::elementwise::*;
use crate::pages::stages::COMPARISONS;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.18.2.4", &["vset4"], &[
    line("vset4.atype.btype.cmp d{.mask}, a{.asel}, b{.bsel}, c"),
    line("vset4.atype.btype.cmp.add d{.mask}, a{.asel}, b{.bsel}, c"),
], Meaning::Stages(spec))
    .about("compare four bytes at once", COMPARISON_TEXT)
    .sets(&[
        ("atype", Slot::AType, U32_S32), ("btype", Slot::BType, U32_S32), ("cmp", Slot::Cmp, COMPARISONS),
        ("mask", Slot::Mask, Set::ByteMasks), ("asel", Slot::ASel, Set::ByteQuads), ("bsel", Slot::BSel, Set::ByteQuads),
    ])
    .defaults(BYTE_DEFAULTS)
    .operands(COMPARISON_OPERANDS)
    .since(Floor::new(3, 0, 30))
    .order(Order::Free)
    .shown(&[("vset4.u32.u32.gt.add d, a, b, c", &[0x01ff_7f80, 0x1010_1010, 40])])
    .examples(&["vset4.s32.u32.lt r1, r2, r3, r0;"])
    .refused(&[(
        "vset4.u32.u32.ne.max r1, r2, r3, r0;",
        "the manual's example has the secondary operation `.max`, which its syntax does not have",
    )])
    .lower(|i, e| lower_comparison(i, BYTES, e))
    .errata(&[MERGE, UNSELECTED]);

fn spec(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    comparison(i, BYTES, args, trace)
}
