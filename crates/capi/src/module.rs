//! A checked text whose variables lie in a device's memory.

use crate::device::Device;
use crate::failure::{Failure, MARGAY_INVALID_PTX, MARGAY_REFUSED};
use margay_doors::located::Located;
use margay_doors::report::Warning;
use margay_exec::Program;
use margay_front::Source;
use margay_front::module::{Function, FunctionId};
use std::ffi::CString;
use std::sync::{Arc, OnceLock};

/// A module on a device.
pub struct Module {
    pub source: Source,
    pub program: Program<'static>,
    pub device: Device,
    pub kernels: Vec<Kernel>,
}

/// A kernel with a body.
pub struct Kernel {
    pub id: FunctionId,
    pub name: CString,
    /// By parameter.
    pub names: Vec<CString>,
    /// What devices make of it otherwise than the manual, once a launch has asked.
    pub errata: OnceLock<Vec<Warning>>,
}

impl Module {
    /// Checks a text and places its variables.
    pub fn load(device: &Device, source: Source) -> Result<Module, Failure> {
        let module = Arc::new(checked(&source)?);
        let program = Program::share(module.clone(), &mut device.alone()).map_err(|error| {
            Failure::of(MARGAY_REFUSED, &Located { source: &source, module: &module }.wrong_call(&error))
        })?;
        let functions = program.module().functions().iter().enumerate();
        let kernels = functions.filter(|(_, f)| f.is_entry && f.is_defined).map(|(k, f)| Kernel {
            id: FunctionId(k as u32),
            name: name(&f.name),
            names: f.parameters.iter().map(|p| name(&p.name)).collect(),
            errata: OnceLock::new(),
        });
        Ok(Module { kernels: kernels.collect(), source, program, device: device.clone() })
    }

    /// The kernel of that number.
    pub fn kernel(&self, kernel: u32) -> Result<(&Kernel, &Function), Failure> {
        let count = self.kernels.len();
        let found = self.kernels.get(kernel as usize).ok_or_else(|| {
            Failure::wrong_call(format!("there is no kernel number `{kernel}`: the module has {count}"))
        })?;
        Ok((found, self.program.module().function(found.id)))
    }

    /// The number of the kernel of that name, or of the only one.
    pub fn find(&self, name: Option<&str>) -> Result<u32, Failure> {
        let names = || {
            let names = self.kernels.iter().map(|kernel| format!("`{}`", kernel.name.to_string_lossy()));
            names.collect::<Vec<_>>().join(", ")
        };
        match name {
            Some(name) => {
                let found = self.kernels.iter().position(|kernel| kernel.name.as_bytes() == name.as_bytes());
                found.map(|k| k as u32).ok_or_else(|| {
                    Failure::wrong_call(format!("the module has no kernel `{name}`; it has {}", names()))
                })
            }
            None if self.kernels.len() == 1 => Ok(0),
            None if self.kernels.is_empty() => Err(Failure::wrong_call("the module has no kernel")),
            None => Err(Failure::wrong_call(format!("the module has several kernels: {}", names()))),
        }
    }

    pub fn located(&self) -> Located<'_> {
        Located { source: &self.source, module: self.program.module() }
    }
}

impl Drop for Module {
    /// Gives the memory of the variables back.
    fn drop(&mut self) {
        self.program.unload(&mut self.device.alone());
    }
}

/// Names in a text have no zero byte.
fn name(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}

/// The module of a text without errors.
pub fn checked(source: &Source) -> Result<margay_front::module::Module, Failure> {
    margay_doors::checked::checked(source).map_err(|text| Failure { status: MARGAY_INVALID_PTX, text })
}
