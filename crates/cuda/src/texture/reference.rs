//! References: variables of modules that stand for textures and surfaces, and what programs bind to them.

use crate::door::layout::{Resource, Sampling};
use margay_isa::Handle;
use margay_isa::texture::ChannelFormat;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A reference.
pub struct Reference {
    pub handle: usize,
    pub context: usize,
    /// A texture or a surface.
    pub kind: Handle,
    /// Where the variable lies; 0 for one that is no module's.
    pub address: u64,
    state: Mutex<State>,
}

/// What programs say of a reference.
#[derive(Clone, Copy)]
pub struct State {
    /// What is bound to it; the format of memory stands beside it.
    pub resource: Option<Resource>,
    pub format: u32,
    pub channels: u32,
    pub sampling: Sampling,
}

impl Reference {
    pub fn new(handle: usize, context: usize, kind: Handle, address: u64) -> Reference {
        let format = ChannelFormat::F32 as u32;
        let state = State { resource: None, format, channels: 1, sampling: Sampling::USUAL };
        Reference { handle, context, kind, address, state: Mutex::new(state) }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// What is bound, with the format.
    pub fn bound(&self) -> Option<Resource> {
        let texel = u64::from(self.format) | u64::from(self.channels) << 32;
        self.resource.map(|resource| match resource.kind {
            Resource::LINE | Resource::PLANE => resource.of_texels(texel),
            _ => resource,
        })
    }
}
