//! `istypep`: whether an opaque reference is of a kind.
use crate::prelude::*;
use crate::texture::TextureOp;

pub static PAGE: Page = Page::new("9.7.10.6", &["istypep"], &[
    line("istypep.type p, a"),
], Meaning::Texture(|i| TextureOp::IsKind(match i[Slot::Mode] {
    TextureRef => Handle::Texture,
    SamplerRef => Handle::Sampler,
    _ => Handle::Surface,
})))
    .about("test the type of an opaque reference", "Whether the register refers to a texture, a sampler or a surface.")
    .sets(&[("type", Slot::Mode, Set::Of(&[TextureRef, SamplerRef, SurfaceRef]))])
    .operands(&[dst("p", Is(Pred)), src("a", Is(U64))])
    .since(Floor::new(4, 0, 30))
    .examples(&["istypep.texref p, handle;", "istypep.surfref p, handle;"])
    .refused(&[("istypep.texref.b64 p, handle;", "a reference has no other type")]);
