//! What the program has registered: fat binaries, and functions and variables in them, by addresses of the host that stand for them.

use crate::binary::Binary;
use crate::door::fat::Image;
use crate::door::pass::Place;
use crate::errors::{Answer, Code};
use crate::runtime::{Runtime, runtime};
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The first handle of a fat binary, and how far they are apart.
const FIRST: usize = 0x4d52_0000;
const STEP: usize = 16;

/// What stands for a function.
struct Function {
    binary: usize,
    name: CString,
    /// The last context that it was found in, and the driver's handle of it there.
    found: Mutex<Option<(u64, usize)>>,
}

/// What stands for a variable.
struct Variable {
    binary: usize,
    name: CString,
}

/// A pointer of the host that is to hold the address of a managed variable.
struct Managed {
    binary: usize,
    name: CString,
    pointer: Place<u64>,
}

#[derive(Default)]
struct Registry {
    count: usize,
    binaries: HashMap<usize, Arc<Binary>>,
    functions: HashMap<usize, Arc<Function>>,
    variables: HashMap<usize, Arc<Variable>>,
    managed: Vec<Managed>,
}

static REGISTRY: LazyLock<RwLock<Registry>> = LazyLock::new(RwLock::default);

fn registry() -> RwLockReadGuard<'static, Registry> {
    REGISTRY.read().unwrap_or_else(PoisonError::into_inner)
}

fn registry_alone() -> RwLockWriteGuard<'static, Registry> {
    REGISTRY.write().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a fat binary, and gives it a handle.
pub fn add(image: Image) -> usize {
    let mut registry = registry_alone();
    let handle = FIRST + STEP * registry.count;
    registry.count += 1;
    registry.binaries.insert(handle, Arc::new(Binary::new(image)));
    handle
}

/// Forgets a fat binary with all that is in it.
pub fn remove(binary: usize) {
    let mut registry = registry_alone();
    registry.functions.retain(|_, function| function.binary != binary);
    registry.variables.retain(|_, variable| variable.binary != binary);
    registry.managed.retain(|managed| managed.binary != binary);
    let removed = registry.binaries.remove(&binary);
    drop(registry);
    // Where nothing was loaded the driver need not be there.
    let modules = removed.map(|binary| binary.unloaded()).unwrap_or_default();
    if !modules.is_empty()
        && let Ok(runtime) = runtime()
    {
        for module in modules {
            // What became of its context before is not asked.
            let _ = runtime.driver.cuModuleUnload(module);
        }
    }
}

pub fn add_function(binary: usize, host: usize, name: CString) {
    let function = Function { binary, name, found: Mutex::default() };
    registry_alone().functions.insert(host, Arc::new(function));
}

pub fn add_variable(binary: usize, host: usize, name: CString) {
    registry_alone().variables.insert(host, Arc::new(Variable { binary, name }));
}

pub fn add_managed(binary: usize, pointer: Place<u64>, name: CString) {
    registry_alone().managed.push(Managed { binary, name, pointer });
}

impl Runtime {
    /// The current context's number, which no later one has.
    fn context_number(&self) -> Answer<u64> {
        let (context, mut number) = (self.context()?, 0);
        self.driver.cuCtxGetId(context, &mut number)?;
        Ok(number)
    }

    /// The binary that a handle stands for.
    fn binary(&self, handle: usize, missing: Code) -> Answer<Arc<Binary>> {
        registry().binaries.get(&handle).cloned().ok_or(missing)
    }

    /// The driver's handle of a function in the current context, by the host's function that stands for it, or by what the driver
    /// gave for one.
    pub fn function(&self, host: usize) -> Answer<usize> {
        let context = self.context_number()?;
        let Some(function) = registry().functions.get(&host).cloned() else {
            return if is_drivers(self, host) { Ok(host) } else { Err(Code::INVALID_FUNCTION) };
        };
        let mut found = function.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, handle)) = found.filter(|(at, _)| *at == context) {
            return Ok(handle);
        }
        let binary = self.binary(function.binary, Code::INVALID_FUNCTION)?;
        let handle = binary.function(self, context, &function.name)?;
        *found = Some((context, handle));
        Ok(handle)
    }

    /// Where a variable is in the current context, and how large: by the host's variable that stands for it.
    pub fn variable(&self, host: usize) -> Answer<(u64, usize)> {
        let context = self.context_number()?;
        let Some(variable) = registry().variables.get(&host).cloned() else {
            return self.managed(context, host);
        };
        let binary = self.binary(variable.binary, Code::INVALID_SYMBOL)?;
        binary.variable(self, context, &variable.name)
    }

    /// The same of a managed variable: by its own address, which the program has in its pointer.
    fn managed(&self, context: u64, address: usize) -> Answer<(u64, usize)> {
        let all: Vec<_> = registry().managed.iter().map(|one| (one.binary, one.name.clone())).collect();
        let places = all
            .into_iter()
            .map(|(binary, name)| self.binary(binary, Code::INVALID_SYMBOL)?.variable(self, context, &name));
        let mut places = places.filter_map(Answer::ok);
        places.find(|(at, _)| *at == address as u64).ok_or(Code::INVALID_SYMBOL)
    }

    /// Puts the addresses of a binary's managed variables into the pointers of the host.
    pub fn place_managed(&self, binary: usize) -> Answer {
        let context = self.context_number()?;
        let wanted: Vec<_> = registry()
            .managed
            .iter()
            .filter(|one| one.binary == binary)
            .map(|one| (one.name.clone(), one.pointer))
            .collect();
        let binary = self.binary(binary, Code::INVALID_SYMBOL)?;
        wanted.into_iter().try_for_each(|(name, pointer)| {
            let (address, _) = binary.variable(self, context, &name)?;
            pointer.give(address)
        })
    }
}

/// Whether the host's function is registered.
pub fn is_function(host: usize) -> bool {
    registry().functions.contains_key(&host)
}

/// Whether a number is the driver's handle of a function.
fn is_drivers(runtime: &Runtime, number: usize) -> bool {
    let mut value = 0;
    number != 0 && runtime.driver.cuFuncGetAttribute(&mut value, 0, number).is_ok()
}
