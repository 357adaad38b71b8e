//! `st.bulk`: fill a range of shared memory with zeros.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.13", &["st"], &[line("st.bulk{.weak}{.space} [a], size, zero")], Meaning::NotYet)
    .about("fill a range of shared memory", "Writes zeros to `size` bytes at `a`.")
    .sets(&[("space", Slot::Space, Set::Of(&[SharedCta]))])
    .operands(&[
        src("a", Address).symbol().within(Within::Always(Shared)),
        src("size", Pointer).constants(Immediate::Steps(8, 0, 1 << 24)),
        src("zero", Is(U64)).constants(Immediate::OneOf(&[0])),
    ])
    .since(Floor::new(8, 6, 100))
    .order(Order::NameFirst(&[Bulk]))
    .examples(&["st.bulk.weak.shared::cta [addr], size, 0;", "st.bulk [addr], 4096, 0;"])
    .refused(&[("st.bulk.shared [addr], 8, 0;", "the kind of shared memory is missing")]);
