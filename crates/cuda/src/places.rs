//! What lies at which address: every allocation, registered range and variable, as programs ask for it.

use std::collections::BTreeMap;

/// What an allocation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Of `cuMemAlloc`.
    Device,
    /// Of a pool, by its handle.
    Pooled(usize),
    /// Of a node of a graph.
    Graph,
    /// Of `cuMemAllocManaged`.
    Managed,
    /// Of `cuMemHostAlloc`, with its flags.
    Host(u32),
    /// Of another process, until `cuIpcCloseMemHandle`.
    Opened,
    /// Memory of the program that it registered, with its flags.
    Registered(u32),
    /// The texels of an array.
    Array,
    /// The description of a texture or a surface.
    Description,
    /// A variable of a module, and whether the host shares it.
    Variable { managed: bool },
}

impl Kind {
    /// Whether `cuMemFree` frees it.
    pub fn is_device(self) -> bool {
        matches!(self, Kind::Device | Kind::Pooled(_) | Kind::Graph | Kind::Managed)
    }

    /// Whether host and device share it.
    pub fn is_managed(self) -> bool {
        matches!(self, Kind::Managed | Kind::Variable { managed: true })
    }

    /// Whether it is memory of the host for CUDA.
    pub fn is_host(self) -> bool {
        matches!(self, Kind::Host(_) | Kind::Registered(_))
    }
}

/// Some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    pub bytes: u64,
    pub kind: Kind,
    /// The context that it goes with; 0 for what belongs to none.
    pub context: usize,
    /// Counts allocations.
    pub id: u64,
}

/// All of them, by address. None overlap.
#[derive(Default)]
pub struct Places {
    all: BTreeMap<u64, Place>,
    count: u64,
}

impl Places {
    /// Counts one more.
    pub fn next_id(&mut self) -> u64 {
        self.count += 1;
        self.count
    }

    pub fn put(&mut self, address: u64, place: Place) {
        self.all.insert(address, place);
    }

    /// What an address lies in, and where that begins.
    pub fn around(&self, address: u64) -> Option<(u64, Place)> {
        let (start, place) = self.all.range(..=address).next_back()?;
        let inside = address - start < place.bytes.max(1);
        inside.then_some((*start, *place))
    }

    /// What begins at an address.
    pub fn at(&self, address: u64) -> Option<Place> {
        self.all.get(&address).copied()
    }

    pub fn take(&mut self, address: u64) -> Option<Place> {
        self.all.remove(&address)
    }

    /// Takes all that goes with a context, variables aside: they go with their module.
    pub fn take_all_of(&mut self, context: usize) -> Vec<(u64, Place)> {
        let is_one = |place: &Place| place.context == context && !matches!(place.kind, Kind::Variable { .. });
        self.all.extract_if(.., |_, place| is_one(place)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_lies_in_what_holds_it() {
        let mut places = Places::default();
        let place = |bytes, kind| Place { bytes, kind, context: 1, id: 0 };
        places.put(100, place(10, Kind::Device));
        places.put(200, place(0, Kind::Variable { managed: false }));
        let found = |places: &Places, at| places.around(at).map(|(start, _)| start);
        assert_eq!([99, 100, 109, 110].map(|at| found(&places, at)), [None, Some(100), Some(100), None]);
        assert_eq!([200, 201].map(|at| found(&places, at)), [Some(200), None]);
        assert_eq!(places.take_all_of(1).len(), 1);
        assert_eq!(found(&places, 200), Some(200));
    }
}
