//! Modules and libraries: loaded into the device's memory, asked for their kernels, and unloaded.

use super::Driver;
use crate::failed::{Answer, Failed, code_of};
use crate::kernel::Kernel;
use crate::module::Module;
use crate::places::{Kind, Place};
use crate::ptx::read;
use crate::results::Code;
use crate::texture::reference::Reference;
use margay_doors::located::Located;
use margay_exec::{Program, resolved};
use margay_front::module::{FunctionId, VariableId};
use std::sync::Arc;

impl Driver {
    /// Loads an image; `context` is 0 for a library.
    pub fn load(&self, bytes: &[u8], context: usize, most_registers: Option<u32>) -> Answer<Arc<Module>> {
        let (source, module) = read(&self.device, bytes, most_registers)?;
        resolved(&module).map_err(|error| {
            let problem = Located { source: &source, module: &module }.wrong_call(&error);
            Failed::told(Code::INVALID_PTX, &problem)
        })?;
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
        Ok(self.handles.make(|handle| Module::new(handle, context, source, module, program)))
    }

    /// Frees what a module has; its handle has been taken back.
    pub fn unload(&self, module: &Module) {
        self.handles.take_kernels_of(module.handle);
        for reference in module.references() {
            // The context may have taken it with it.
            let _ = self.handles.take::<Reference>(reference);
        }
        let variables = 0..module.program.module().variables().len() as u32;
        for address in variables.filter_map(|k| module.program.address(VariableId(k))) {
            self.places().take(address);
        }
        module.program.unload(&mut self.memory_alone());
    }

    /// The handle of a module's kernel, which is one for all who ask.
    pub fn kernel_of(&self, module: &Arc<Module>, id: FunctionId) -> usize {
        module.kernel(id, || self.handles.make(|handle| Kernel::new(handle, module.clone(), id)).handle)
    }

    /// The kernel of a name.
    pub fn kernel_named(&self, module: &Arc<Module>, name: &str) -> Answer<usize> {
        let found = module.program.module().entry(name).filter(|id| module.kernels().contains(id));
        found.map(|id| self.kernel_of(module, id)).ok_or(Failed::from(Code::NOT_FOUND))
    }
}
