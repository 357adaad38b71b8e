//! Textures and surfaces: the objects that programs make of arrays and memory, by the addresses of their descriptions.

pub mod reference;
pub mod sampling;
pub mod texel;
pub mod view;

use crate::door::layout::{Resource, Sampling, View};
use margay_isa::Handle;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What an object was made of.
#[derive(Clone, Copy)]
pub struct Object {
    /// A texture or a surface.
    pub kind: Handle,
    pub context: usize,
    pub resource: Resource,
    pub sampling: Sampling,
    pub view: Option<View>,
}

/// All objects, by the addresses that are their handles.
#[derive(Default)]
pub struct Objects(Mutex<BTreeMap<u64, Object>>);

impl Objects {
    fn all(&self) -> MutexGuard<'_, BTreeMap<u64, Object>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn put(&self, address: u64, object: Object) {
        self.all().insert(address, object);
    }

    /// The object of a kind at an address.
    pub fn at(&self, address: u64, kind: Handle) -> Option<Object> {
        self.all().get(&address).filter(|object| object.kind == kind).copied()
    }

    pub fn take(&self, address: u64) {
        self.all().remove(&address);
    }

    /// Forgets what goes with a context, which ends.
    pub fn forget(&self, context: usize) {
        self.all().retain(|_, object| object.context != context);
    }
}
