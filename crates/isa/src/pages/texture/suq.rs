//! `suq`: ask for an attribute of a surface.
use crate::prelude::*;
use crate::texture::{Attribute, TextureOp};

pub static PAGE: Page = Page::new("9.7.11.4", &["suq"], &[
    line("suq.query.b32 d, [a]"),
], Meaning::Texture(|i| TextureOp::Query(Attribute { kind: Handle::Surface, word: i[Slot::Mode], has_level: false })))
    .about("query an attribute of a surface", "The size, format or layout of the surface.")
    .sets(&[("query", Slot::Mode, Set::Of(&[
        Width, Height, Depth, ChannelDataType, ChannelOrder, ArraySize, MemoryLayout,
    ]))])
    .operands(&[dst("d", Is(B32)), src("a", TypeRule::Handle(Handle::Surface))])
    .since(Floor::new(2, 0, 20))
    .examples(&["suq.width.b32 r, [surf];", "suq.memory_layout.b32 r, [handle];"])
    .refused(&[("suq.num_samples.b32 r, [surf];", "surfaces have one sample")]);
