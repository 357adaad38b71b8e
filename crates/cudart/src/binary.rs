//! A fat binary of a program: loaded into a context when something in it is asked for, as one module.

use crate::door::fat::{self, Image};
use crate::door::pass::Text;
use crate::errors::{Answer, Code};
use crate::runtime::Runtime;
use std::collections::HashMap;
use std::ffi::CStr;
use std::sync::{Mutex, PoisonError};

/// A fat binary that the program has registered.
pub struct Binary {
    image: Image,
    /// The modules, by the numbers of contexts, or what loading answered.
    modules: Mutex<HashMap<u64, Result<usize, Code>>>,
}

impl Binary {
    pub fn new(image: Image) -> Binary {
        Binary { image, modules: Mutex::default() }
    }

    /// The module in the current context.
    fn module(&self, runtime: &Runtime, context: u64) -> Answer<usize> {
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        *modules.entry(context).or_insert_with(|| fat::load(runtime, &self.image))
    }

    /// A function by its name.
    pub fn function(&self, runtime: &Runtime, context: u64, name: &CStr) -> Answer<usize> {
        let (module, mut function) = (self.module(runtime, context)?, 0);
        let found = runtime.driver.cuModuleGetFunction(&mut function, module, Text::of(name));
        found.map(|()| function).map_err(|code| instead(code, Code::INVALID_FUNCTION))
    }

    /// Where a variable is, and how large.
    pub fn variable(&self, runtime: &Runtime, context: u64, name: &CStr) -> Answer<(u64, usize)> {
        let (module, mut address, mut bytes) = (self.module(runtime, context)?, 0, 0);
        let found = runtime.driver.cuModuleGetGlobal_v2(&mut address, &mut bytes, module, Text::of(name));
        found.map(|()| (address, bytes)).map_err(|code| instead(code, Code::INVALID_SYMBOL))
    }

    /// The modules that are to be unloaded: it has none of them any more.
    pub fn unloaded(&self) -> Vec<usize> {
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        modules.drain().filter_map(|(_, module)| module.ok()).collect()
    }
}

/// A name that a module lacks is what the program registered wrongly.
fn instead(code: Code, missing: Code) -> Code {
    if code == Code::SYMBOL_NOT_FOUND { missing } else { code }
}
