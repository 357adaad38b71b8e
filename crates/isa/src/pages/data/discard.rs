//! `discard`: give up what memory holds.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.17", &["discard"], &[line("discard{.global}.L2 [a], size")], Meaning::Effect(Effect::Nothing))
    .about("give up what memory holds",
        "What the 128 bytes at the address hold becomes undefined until they are written, so that the cache need not write \
         them back. margay leaves them as they are.")
    .operands(&[src("a", Address).symbol(), LINE])
    .since(Floor::new(7, 4, 80))
    .examples(&["discard.global.L2 [ptr], 128;", "discard.L2 [ptr + 0x80], 128;"])
    .refused(&[("discard.L1 [ptr], 128;", "only the second-level cache is written back")]);

/// How many bytes a line of the cache has.
pub(super) const LINE: Operand = src("size", Is(U32)).constants(Immediate::OneOf(&[128]));
