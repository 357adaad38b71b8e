//! Modules and libraries: checked PTX whose variables lie in the device's memory.

use crate::runtime::Grid;
use margay_doors::located::Located;
use margay_exec::Program;
use margay_front::Source;
use margay_front::module::FunctionId;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A module; a library is one that belongs to no context.
pub struct Module {
    pub handle: usize,
    pub context: usize,
    pub source: Source,
    pub checked: Arc<margay_front::module::Module>,
    pub program: Program<'static>,
    pub grid: Option<Grid>,
    /// Handles of the kernels that programs have asked for.
    kernels: Mutex<BTreeMap<u32, usize>>,
    /// Handles of references to textures and surfaces, by the addresses of their variables.
    references: Mutex<BTreeMap<u64, usize>>,
}

impl Module {
    /// A module whose variables lie in the device's memory.
    pub fn new(
        handle: usize,
        context: usize,
        source: Source,
        checked: Arc<margay_front::module::Module>,
        program: Program<'static>,
    ) -> Module {
        let grid = Grid::of(&program);
        Module {
            handle,
            context,
            source,
            checked,
            program,
            grid,
            kernels: Mutex::default(),
            references: Mutex::default(),
        }
    }

    /// The handle of a kernel, which is one for all who ask: the first one has it made.
    pub fn kernel(&self, id: FunctionId, make: impl FnOnce() -> usize) -> usize {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        *kernels.entry(id.0).or_insert_with(make)
    }

    /// The handle of a reference, in the same way.
    pub fn reference(&self, address: u64, make: impl FnOnce() -> usize) -> usize {
        let mut references = self.references.lock().unwrap_or_else(PoisonError::into_inner);
        *references.entry(address).or_insert_with(make)
    }

    /// The handles of references that were given so far.
    pub fn references(&self) -> Vec<usize> {
        self.references.lock().unwrap_or_else(PoisonError::into_inner).values().copied().collect()
    }

    pub fn located(&self) -> Located<'_> {
        Located { source: &self.source, module: self.program.module() }
    }

    /// The kernels with a body, in the order of the source.
    pub fn kernels(&self) -> Vec<FunctionId> {
        let functions = self.program.module().functions().iter().enumerate();
        functions.filter(|(_, f)| f.is_entry && f.is_defined).map(|(k, _)| FunctionId(k as u32)).collect()
    }
}
