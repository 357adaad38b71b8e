//! `getctarank`: which CTA of the cluster a shared address belongs to.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.24", &["getctarank"], &[
    line("getctarank{.shared::cluster}.type d, a"),
], Meaning::Effect(Effect::TellCta))
    .about("which CTA a shared address belongs to", "The number in the cluster of the CTA that has the address.")
    .sets(&[("type", Slot::Type, Set::Of(&[U32, U64, S32, S64]))])
    .operands(&[dst("d", Is(U32)), src("a", Of(Slot::Type)).symbol()])
    .since(Floor::new(7, 8, 90))
    .examples(&["getctarank.shared::cluster.u32 d1, addr;", "getctarank.u64 d, a;", "getctarank.s64 d, a;"]);
