//! `txq`: ask for an attribute of a texture or its sampler; and what pages on opaque references share.
use crate::prelude::*;
use crate::texture::{Attribute, TextureOp};

pub static PAGE: Page = Page::new("9.7.10.5", &["txq"], &[
    line("txq.query.b32 d, [a]"),
    line("txq.level.level_query.b32 d, [a], lod"),
], Meaning::Texture(|i| TextureOp::Query(Attribute { kind: Handle::Texture, word: i[Slot::Mode], has_level: i[Slot::Action] == Level })))
    .about("query an attribute of a texture or sampler",
        "The size, format or sampling mode of the texture, `.level` of one of its mipmap levels.")
    .sets(&[
        ("query", Slot::Mode, Set::Of(&[
            Width, Height, Depth, ChannelDataType, ChannelOrder, NormalizedCoords, ForceUnnormalizedCoords, FilterMode,
            AddrMode0, AddrMode1, AddrMode2, ArraySize, NumMipmapLevels, NumSamples, MemoryLayout,
        ])),
        ("level_query", Slot::Mode, Set::Of(&[Width, Height, Depth])),
    ])
    .operands(&[dst("d", Is(B32)), src("a", TypeRule::Handle(Handle::Texture)), src("lod", Is(U32)).vector()])
    .since(Floor::new(2, 0, 10))
    .order(Order::NameFirst(&[Level]))
    .examples(&["txq.width.b32 r, [tex];", "txq.level.height.b32 r, [tex], 2;", "txq.num_samples.b32 r, [handle];"])
    .refused(&[
        ("txq.level.num_samples.b32 r, [tex], 2;", "levels differ in their size only"),
        ("txq.width.u32 r, [tex];", "the answer is untyped bits"),
    ]);
