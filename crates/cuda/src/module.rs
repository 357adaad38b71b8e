//! Modules and libraries: checked PTX whose variables lie in the device's memory.

use crate::driver::Driver;
use crate::failed::{Answer, Failed, code_of};
use crate::kernel::Kernel;
use crate::places::{Kind, Place};
use crate::ptx::read;
use crate::results::Code;
use crate::runtime::Grid;
use margay_doors::located::Located;
use margay_exec::Program;
use margay_front::Source;
use margay_front::module::{FunctionId, VariableId};
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
}

impl Module {
    pub fn located(&self) -> Located<'_> {
        Located { source: &self.source, module: self.program.module() }
    }

    /// The kernels with a body, in the order of the source.
    pub fn kernels(&self) -> Vec<FunctionId> {
        let functions = self.program.module().functions().iter().enumerate();
        functions.filter(|(_, f)| f.is_entry && f.is_defined).map(|(k, _)| FunctionId(k as u32)).collect()
    }
}

impl Driver {
    /// Loads an image; `context` is 0 for a library.
    pub fn load(&self, bytes: &[u8], context: usize, most_registers: Option<u32>) -> Answer<Arc<Module>> {
        let (source, module) = read(&self.device, bytes, most_registers)?;
        let module = Arc::new(module);
        let program = Program::share(module.clone(), &mut self.memory_alone());
        let program = program.map_err(|error| {
            Failed::told(code_of(&error), &Located { source: &source, module: &module }.wrong_call(&error))
        })?;
        for (k, variable) in module.variables().iter().enumerate() {
            if let Some(address) = program.address(VariableId(k as u32)) {
                let mut places = self.places();
                let id = places.next_id();
                let kind = Kind::Variable { managed: variable.is_managed };
                places.put(address, Place { bytes: variable.size, kind, context, id });
            }
        }
        let (grid, kernels) = (Grid::of(&program), Mutex::default());
        let checked = module;
        Ok(self.handles.make(|handle| Module { handle, context, source, checked, program, grid, kernels }))
    }

    /// Frees what a module has; its handle has been taken back.
    pub fn unload(&self, module: &Module) {
        self.handles.take_kernels_of(module.handle);
        let variables = 0..module.program.module().variables().len() as u32;
        for address in variables.filter_map(|k| module.program.address(VariableId(k))) {
            self.places().take(address);
        }
        module.program.unload(&mut self.memory_alone());
    }

    /// The handle of a module's kernel, which is one for all who ask.
    pub fn kernel_of(&self, module: &Arc<Module>, id: FunctionId) -> usize {
        let mut kernels = module.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || self.handles.make(|handle| Kernel::new(handle, module.clone(), id)).handle;
        *kernels.entry(id.0).or_insert_with(make)
    }

    /// The kernel of a name.
    pub fn kernel_named(&self, module: &Arc<Module>, name: &str) -> Answer<usize> {
        let found = module.program.module().entry(name).filter(|id| module.kernels().contains(id));
        found.map(|id| self.kernel_of(module, id)).ok_or(Failed::from(Code::NOT_FOUND))
    }
}
