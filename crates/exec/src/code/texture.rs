//! What is done with textures and surfaces, decoded.

use super::{Source, Target, Transfer};
use margay_isa::Inst;
use margay_isa::texture::TextureOp;

/// Something done with a texture or a surface.
#[derive(Clone)]
pub(crate) struct TextureStep {
    pub(crate) inst: Inst,
    pub(crate) op: TextureOp,
    /// Where the description lies: its address is the handle.
    pub(crate) handle: Transfer<()>,
    /// That of a sampler, if one is named.
    pub(crate) sampler: Option<Transfer<()>>,
    /// Coordinates and all other numbers, in the order in which the instruction names them.
    pub(crate) given: Vec<Source>,
    pub(crate) targets: Vec<Target>,
}

impl TextureStep {
    /// What it reads: its handles, then its numbers.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &Source> {
        let sampler = self.sampler.iter().map(|sampler| &sampler.address);
        std::iter::once(&self.handle.address).chain(sampler).chain(&self.given)
    }

    /// The same, to be changed.
    pub(crate) fn sources_mut(&mut self) -> impl Iterator<Item = &mut Source> {
        let sampler = self.sampler.iter_mut().map(|sampler| &mut sampler.address);
        std::iter::once(&mut self.handle.address).chain(sampler).chain(&mut self.given)
    }
}
