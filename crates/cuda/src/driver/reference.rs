//! References to textures and surfaces: found in modules, bound, and described where their variables lie.

use super::Driver;
use crate::door::layout::Resource;
use crate::failed::{Answer, Failed};
use crate::module::Module;
use crate::results::Code;
use crate::texture::reference::{Reference, State};
use margay_isa::Handle;
use margay_isa::texture::{SamplerState, TextureDescriptor};
use std::sync::Arc;

impl Driver {
    /// The handle of a module's reference, which is one for all who ask.
    pub fn reference_named(&self, module: &Module, name: &str, kind: Handle) -> Answer<usize> {
        let declared = module.program.module();
        let is_one = |id| {
            let variable = declared.variable(id);
            variable.handle == Some(kind) && variable.size == TextureDescriptor::BYTES as u64
        };
        let found = declared.global(name).filter(|id| is_one(*id));
        let address = found.and_then(|id| module.program.address(id));
        let address = address.ok_or(Failed::from(Code::NOT_FOUND))?;
        let make = |handle| Reference::new(handle, module.context, kind, address);
        Ok(module.reference(address, || self.handles.make(make).handle))
    }

    /// A reference of a kind.
    pub fn reference(&self, handle: usize, kind: Handle) -> Answer<Arc<Reference>> {
        let reference = self.handles.find::<Reference>(handle)?;
        if reference.kind == kind { Ok(reference) } else { Err(Code::INVALID_HANDLE.into()) }
    }

    /// Binds something to a reference.
    pub fn bind(&self, reference: &Reference, bound: State) -> Answer {
        let resource = bound.bound().ok_or(Failed::from(Code::INVALID_VALUE))?;
        match reference.kind {
            Handle::Surface => self.surface_of(&resource)?,
            _ => self.texels_of(&resource)?,
        };
        self.set_state(reference, bound)
    }

    /// Says how a reference is read from now on. Until all that is said of it goes together, its variable describes nothing.
    pub fn set_state(&self, reference: &Reference, state: State) -> Answer {
        *reference.state() = state;
        if reference.address == 0 {
            return Ok(());
        }
        let described =
            state.bound().and_then(|resource| self.described(reference.kind, &resource, &state).ok());
        let bytes = described.map_or([0; TextureDescriptor::BYTES], |descriptor| descriptor.to_bytes());
        self.write(reference.address, &bytes)
    }

    fn described(&self, kind: Handle, resource: &Resource, state: &State) -> Answer<TextureDescriptor> {
        if kind == Handle::Surface {
            let texels = self.surface_of(resource)?;
            return Ok(TextureDescriptor { kind, texels, sampler: SamplerState::default() });
        }
        let texels = self.texels_of(resource)?;
        Ok(TextureDescriptor { kind, texels, sampler: state.sampling.sampler(&texels)? })
    }
}
