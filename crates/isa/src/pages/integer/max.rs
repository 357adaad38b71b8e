//! `max`: the greater of two integers, or of packed ones element by element.
use super::min;
use crate::prelude::*;

pub static PAGE: Page = min::page("9.7.1.13", &["max"], Meaning::Spec(spec))
    .about("greater of two integers",
        "The greater of `a` and `b` by the type's signedness, element by element for packed types. With `.relu` a \
         negative result becomes 0.")
    .lower(|i, e| min::lower(i, e, true))
    .examples(&["max.u32 d, a, b;", "max.s32 q, q, 0;", "max.relu.s16x2 t, t, u;"]);

fn spec(i: &Inst, args: &Args) -> Bits {
    min::choose(i, args, Ord::max)
}
