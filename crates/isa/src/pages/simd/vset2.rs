//! `vset2`: comparison of two half-words at once.
use crate::pages::elementwise::*;
use crate::pages::stages::COMPARISONS;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.18.2.2", &["vset2"], &[
    line("vset2.atype.btype.cmp d{.mask}, a{.asel}, b{.bsel}, c"),
    line("vset2.atype.btype.cmp.add d{.mask}, a{.asel}, b{.bsel}, c"),
], Meaning::Stages(spec))
    .about("compare two half-words at once", COMPARISON_TEXT)
    .sets(&[
        ("atype", Slot::AType, U32_S32), ("btype", Slot::BType, U32_S32), ("cmp", Slot::Cmp, COMPARISONS),
        ("mask", Slot::Mask, Set::HalfMasks), ("asel", Slot::ASel, Set::HalfPairs), ("bsel", Slot::BSel, Set::HalfPairs),
    ])
    .defaults(HALF_DEFAULTS)
    .operands(COMPARISON_OPERANDS)
    .since(Floor::new(3, 0, 30))
    .order(Order::Free)
    .shown(&[("vset2.s32.u32.lt.add d, a, b, c", &[0xfff0_7fff, 0x0020_0001, 41])])
    .examples(&["vset2.s32.u32.lt r1, r2, r3, r0;", "vset2.u32.u32.ne.add r1, r2, r3, r0;"])
    .lower(|i, e| lower_comparison(i, HALVES, e))
    .errata(&[MERGE, UNSELECTED]);

fn spec(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    comparison(i, HALVES, args, trace)
}
