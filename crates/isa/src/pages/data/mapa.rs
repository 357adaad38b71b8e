//! `mapa`: the address of a shared variable in another CTA of the cluster.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.23", &["mapa"], &[
    line("mapa{.shared::cluster}.type d, a, b"),
], Meaning::Effect(Effect::MapToCta))
    .about("address of a shared variable in another CTA", "The address in CTA number `b` of the cluster that matches `a`.")
    .sets(&[("type", Slot::Type, Set::Of(&[U32, U64, S32, S64]))])
    .operands(&[dst("d", Of(Slot::Type)), src("a", Of(Slot::Type)).symbol(), src("b", Is(U32))])
    .since(Floor::new(7, 8, 90))
    .examples(&["mapa.shared::cluster.u64 d1, sh, cta;", "mapa.u64 d0, reg0, 1;", "mapa.s64 d0, reg0, 1;"]);
