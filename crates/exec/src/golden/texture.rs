//! Textures and surfaces, texel by texel (manual, 9.7.10 and 9.7.11).

use super::lane::Lane;
use crate::code::{TextureStep, Transfer};
use crate::memory::{Access, Fault};
use crate::sanitize::touched::Made;
use crate::texture::{Begun, Changed, ChangedBy, Refused, describe};
use crate::trap::TrapKind;
use margay_front::module::Space;
use margay_isa::Bits;
use margay_isa::texture::{TextureDescriptor, TextureOp};

impl Lane<'_> {
    pub(super) fn texture(&mut self, step: &TextureStep) -> Result<(), TrapKind> {
        let texture = self.described(step, &step.handle)?;
        let sampler = step.sampler.as_ref().map(|sampler| self.described(step, sampler));
        let sampler = sampler.transpose()?.flatten();
        let given: Vec<u64> = step.given.iter().map(|source| self.read(source) as u64).collect();
        let begun = step.begin(texture.as_ref(), sampler.as_ref(), &given, |at, bytes| self.texel(at, bytes));
        let Begun { results, change } = begun.map_err(|why| match why {
            Refused::Told(wrong) => TrapKind::Texture(format!("`{}`: {wrong}", step.inst)),
            Refused::Unread(fault) => TrapKind::Memory(fault),
        })?;
        if let (Some(change), Some(texture)) = (change, &texture) {
            self.change_texel(step, texture, &change).map_err(TrapKind::Memory)?;
        }
        for (target, bits) in step.targets.iter().zip(results) {
            self.write(target, bits.into());
        }
        Ok(())
    }

    /// What a handle names, if anything; a wrong address is an error but where just that is asked.
    fn described(
        &mut self,
        step: &TextureStep,
        handle: &Transfer<()>,
    ) -> Result<Option<TextureDescriptor>, TrapKind> {
        let address = self.address(handle);
        if !address.is_multiple_of(TextureDescriptor::ALIGN) {
            return Ok(None);
        }
        let found = describe(address, |at, bytes| {
            let from = self.find(Access::Read, handle.space, false, at, bytes.into())?;
            Ok::<_, Fault>(self.load(from, 0, bytes))
        });
        match (found, &step.op) {
            (Ok(found), _) => Ok(found),
            (Err(_), TextureOp::IsKind(_)) => Ok(None),
            (Err(fault), _) => Err(TrapKind::Memory(fault)),
        }
    }

    fn texel(&mut self, address: u64, bytes: u32) -> Result<Bits, Fault> {
        let from = self.find(Access::Read, Some(Space::Global), false, address, bytes.into())?;
        if self.watch.is_some() {
            self.watched(Access::Read, from, bytes.into(), Default::default(), Made::ByThread);
        }
        Ok(self.load(from, 0, bytes))
    }

    fn change_texel(
        &mut self,
        step: &TextureStep,
        texture: &TextureDescriptor,
        change: &Changed,
    ) -> Result<(), Fault> {
        let Changed { address, bytes, piece, .. } = *change;
        let access = if let ChangedBy::Stored(_) = change.by { Access::Write } else { Access::Atomic };
        let mut places = Vec::new();
        for skip in (0..bytes).step_by(piece as usize) {
            let at = address.wrapping_add(skip.into());
            places.push(self.find(access, Some(Space::Global), false, at, piece.into())?);
        }
        for (to, skip) in places.into_iter().zip((0..bytes).step_by(piece as usize)) {
            match change.by {
                ChangedBy::Stored(bits) => self.store(to, 0, piece, bits >> (8 * skip)),
                ChangedBy::Combined(given) => {
                    self.update(to, piece, |old| step.combined(texture, old, given));
                }
            }
            if self.watch.is_some() {
                self.watched(access, to, piece.into(), Default::default(), Made::ByThread);
            }
        }
        Ok(())
    }
}
