//! Memory of the device: allocated, set aside for nodes of graphs, and freed.

use super::{Driver, driver};
use crate::failed::{Answer, Failed};
use crate::places::{Kind, Place};
use crate::pool::Pool;
use crate::reserved::Reserved;
use crate::results::Code;
use std::sync::Arc;

impl Driver {
    /// Allocates.
    pub fn allocate(&self, bytes: u64, kind: Kind, context: usize) -> Answer<u64> {
        if bytes == 0 {
            return Err(Code::INVALID_VALUE.into());
        }
        let id = self.places().next_id();
        let name = format!("allocation {id}");
        let address = match kind {
            // Other processes may come to have it.
            Kind::Device => self.memory_alone().alloc_pages(bytes, name)?,
            _ => self.memory_alone().alloc(bytes, name)?,
        };
        self.places().put(address, Place { bytes, kind, context, id });
        // What the program writes there by itself is not seen.
        if matches!(kind, Kind::Managed | Kind::Host(_)) {
            self.memory().set_written(address);
        }
        if let Kind::Pooled(pool) = kind
            && let Ok(pool) = self.handles.find::<Pool>(pool)
        {
            pool.took(bytes);
        }
        Ok(address)
    }

    /// Frees what begins at an address, if it is of a kind that the call frees.
    pub fn free(&self, address: u64, is_one: impl FnOnce(Kind) -> bool) -> Answer {
        let mut places = self.places();
        let place = places.at(address).filter(|place| is_one(place.kind));
        let Some(place) = place else {
            drop(places);
            let text = format!("nothing that this call frees begins at {address:#x}");
            return Err(Failed::because(Code::INVALID_VALUE, text));
        };
        // Memory of a graph's node stays the node's.
        if place.kind == Kind::Graph {
            drop(places);
            if let Some(reserved) = self.reserved.at(address) {
                let is_freed = reserved.give_back();
                return if is_freed { Ok(()) } else { Err(Code::INVALID_VALUE.into()) };
            }
            places = self.places();
        }
        places.take(address);
        drop(places);
        if let Kind::Pooled(pool) = place.kind
            && let Ok(pool) = self.handles.find::<Pool>(pool)
        {
            pool.gave_back(place.bytes);
        }
        Ok(self.memory_alone().free(address)?)
    }

    /// Sets memory aside for a node.
    pub fn reserve(&self, bytes: u64, context: usize) -> Answer<Arc<Reserved>> {
        let address = self.allocate(bytes, Kind::Graph, context)?;
        Ok(self.reserved.add(address, bytes, free_unused))
    }
}

/// Frees memory of a node that is gone.
fn free_unused(address: u64) {
    if let Ok(driver) = driver() {
        // A context that is gone has freed it.
        let _ = driver.free(address, |kind| kind == Kind::Graph);
    }
}
