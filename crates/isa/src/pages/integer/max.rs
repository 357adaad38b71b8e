//! `max`: the greater of two integers, or of packed ones element by element.
use super::min;
use crate::prelude::*;

pub static PAGE: Page = min::page("9.7.1.13", &["max"], Meaning::Stages(spec))
    .about("greater of two integers",
        "The greater of `a` and `b` by the type's signedness, element by element for packed types. With `.relu` a \
         negative result becomes 0.")
    .lower(|i, e| min::lower(i, e, true))
    .shown(&[("max.s16x2 d, a, b", &[0xfffb_0003, 0x0002_0007])])
    .examples(&["max.u32 d, a, b;", "max.s32 q, q, 0;", "max.relu.s16x2 t, t, u;"]);

fn spec(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    min::choose(i, args, trace, "max", Ord::max)
}
