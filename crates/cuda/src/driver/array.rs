//! Arrays: their memory allocated, their levels given, and freed.

use super::Driver;
use crate::array::{Array, Mipmapped};
use crate::door::layout::Array3d;
use crate::failed::{Answer, Failed};
use crate::places::Kind;
use crate::results::Code;
use margay_isa::texture::Texels;

impl Driver {
    /// Allocates the texels of an array, and says in which context.
    fn allocate_texels(&self, described: &Array3d, levels: Option<u32>) -> Answer<(Texels, usize)> {
        self.captures.forbid_unsafe()?;
        let context = self.current()?.handle;
        let texels = described.texels(levels, |number| self.device.attribute(number))?;
        let address = self.allocate(texels.bytes(), Kind::Array, context)?;
        Ok((Texels { address, ..texels }, context))
    }

    /// Makes an array.
    pub fn create_array(&self, described: &Array3d) -> Answer<usize> {
        let (texels, context) = self.allocate_texels(described, None)?;
        let flags = described.flags;
        Ok(self.handles.make(|handle| Array { handle, context, texels, flags, is_level: false }).handle)
    }

    /// Makes an array of several levels.
    pub fn create_mipmapped(&self, described: &Array3d, levels: u32) -> Answer<usize> {
        let (texels, context) = self.allocate_texels(described, Some(levels))?;
        Ok(self.handles.make(|handle| Mipmapped::new(handle, context, texels, described.flags)).handle)
    }

    /// A level of such an array, by itself.
    pub fn level_of(&self, mipmapped: &Mipmapped, level: u32) -> Answer<usize> {
        let Mipmapped { context, texels, flags, .. } = *mipmapped;
        if level >= texels.levels {
            let text = format!("an array of {} levels has no level {level}", texels.levels);
            return Err(Failed::because(Code::INVALID_VALUE, text));
        }
        let texels = texels.level(level);
        let make = |handle| Array { handle, context, texels, flags, is_level: true };
        Ok(mipmapped.level(level, || self.handles.make(make).handle))
    }

    /// Frees an array.
    pub fn destroy_array(&self, handle: usize) -> Answer {
        self.captures.forbid_unsafe()?;
        self.current()?;
        if self.handles.find::<Array>(handle)?.is_level {
            let text = "a level of a mipmapped array goes with it, and is not destroyed by itself";
            return Err(Failed::because(Code::INVALID_HANDLE, text));
        }
        let array = self.handles.take::<Array>(handle)?;
        self.free(array.texels.address, |kind| kind == Kind::Array)
    }

    /// Frees an array of several levels.
    pub fn destroy_mipmapped(&self, handle: usize) -> Answer {
        self.captures.forbid_unsafe()?;
        self.current()?;
        let array = self.handles.take::<Mipmapped>(handle)?;
        for level in array.given() {
            self.handles.take::<Array>(level)?;
        }
        self.free(array.texels.address, |kind| kind == Kind::Array)
    }
}
