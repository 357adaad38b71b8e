//! A module whose variables have been placed in memory.

use crate::error::LaunchError;
use crate::memory::Memory;
use crate::prepared::KernelCache;
use crate::reach::resolve;
use margay_front::module::{Function, Module, Space, Symbol, Variable, VariableId};
use margay_front::provided::{Provided, provided};
use std::sync::Arc;

/// A module and the addresses of its variables.
pub struct Program<'m> {
    module: Held<'m>,
    /// By variable; none for variables without an address of their own.
    variables: Vec<Option<u64>>,
    kept: KernelCache,
}

/// Whose a program's module is.
enum Held<'m> {
    Lent(&'m Module),
    Shared(Arc<Module>),
}

impl Program<'static> {
    /// As [`Program::load`], for programs that live as long as they like: they keep the module alive.
    ///
    /// ```
    /// use margay_exec::{Memory, Program};
    /// let module = margay_front::compile(".version 8.0 .target sm_80 .address_size 64 .entry k() { ret; }").unwrap();
    /// let program: Program<'static> = Program::share(module.into(), &mut Memory::new(64)).unwrap();
    /// assert!(program.module().entry("k").is_some());
    /// ```
    ///
    /// # Errors
    /// As [`Program::load`].
    pub fn share(module: Arc<Module>, memory: &mut Memory) -> Result<Program<'static>, LaunchError> {
        Program::new(Held::Shared(module), memory)
    }
}

impl<'m> Program<'m> {
    /// Gives every `.global` and `.const` variable its memory, and writes the initial values.
    ///
    /// # Errors
    /// If there is no room, or an initial value needs an address that does not exist.
    pub fn load(module: &'m Module, memory: &mut Memory) -> Result<Program<'m>, LaunchError> {
        Program::new(Held::Lent(module), memory)
    }

    fn new(module: Held<'m>, memory: &mut Memory) -> Result<Program<'m>, LaunchError> {
        let mut program = Program { module, variables: Vec::new(), kept: KernelCache::default() };
        if let Err(error) = program.fill(memory) {
            // What was placed before is nobody's now.
            program.unload(memory);
            return Err(error);
        }
        Ok(program)
    }

    /// Places the variables, and writes their initial values.
    fn fill(&mut self, memory: &mut Memory) -> Result<(), LaunchError> {
        for k in 0..self.module().variables().len() {
            let placed = place(&self.module().variables()[k], memory);
            self.variables.push(placed.map_err(|error| error.about(VariableId(k as u32)))?);
        }
        let module = self.module();
        let takes = |f: &Function| matches!(provided(f), Some(Provided::Allocate | Provided::Free));
        if module.functions().iter().any(takes) {
            memory.make_heap()?;
        }
        for (variable, address) in module.variables().iter().zip(&self.variables) {
            if let Some(address) = address {
                self.initialise(variable, *address, memory)?;
            }
        }
        Ok(())
    }

    /// Gives the memory of its variables back. Its kernels must not be launched any more.
    pub fn unload(&self, memory: &mut Memory) {
        // The owner of the memory may have given some back; then nothing is left to do.
        self.variables.iter().flatten().for_each(|address| _ = memory.free(*address));
    }

    /// The module.
    pub fn module(&self) -> &Module {
        match &self.module {
            Held::Lent(module) => module,
            Held::Shared(module) => module,
        }
    }

    /// The kernels that have been made ready.
    pub(crate) fn kept(&self) -> &KernelCache {
        &self.kept
    }

    /// The addresses of variables, by number.
    pub(crate) fn addresses(&self) -> &[Option<u64>] {
        &self.variables
    }

    /// The address of a `.global` or `.const` variable.
    pub fn address(&self, id: VariableId) -> Option<u64> {
        *self.variables.get(id.0 as usize)?
    }

    /// The address of a `.global` or `.const` variable of module scope, and its size in bytes.
    pub fn variable(&self, name: &str) -> Option<(u64, u64)> {
        let id = self.module().global(name)?;
        Some((self.address(id)?, self.module().variable(id).size))
    }

    fn initialise(&self, variable: &Variable, address: u64, memory: &mut Memory) -> Result<(), LaunchError> {
        let mut bytes = variable.initial.clone();
        for initial in &variable.addresses {
            let target = match initial.target {
                Symbol::Function(id) => Some(memory.layout().function(resolve(self.module(), id).0)),
                Symbol::Variable(id) => self.address(id),
            };
            let target = target.ok_or_else(|| {
                let name = &variable.name;
                LaunchError::new(format!("the initial value of `{name}` needs an address that is not known"))
                    .help("only variables that are defined in global or constant memory have one")
            })?;
            let value = target.wrapping_add_signed(initial.addend) >> initial.shift.min(63);
            let (at, end) = (initial.at as usize, initial.at as usize + initial.bytes as usize);
            if bytes.len() < end {
                bytes.resize(end, 0);
            }
            bytes[at..end].copy_from_slice(&value.to_le_bytes()[..initial.bytes as usize]);
        }
        memory.set_written(address);
        let written = memory.write(address, &bytes);
        written
            .map_err(|fault| LaunchError::new(format!("the initial value of `{}`: {fault}", variable.name)))
    }
}

/// Memory for a variable, if it is of a kind that has some of its own.
fn place(variable: &Variable, memory: &mut Memory) -> Result<Option<u64>, LaunchError> {
    if variable.is_extern {
        return Ok(None);
    }
    let name = format!("variable `{}`", variable.name);
    match variable.space {
        Space::Global => memory.alloc(variable.size, name).map(Some),
        Space::Const => memory.alloc_read_only(variable.size, name).map(Some),
        Space::Shared | Space::Local | Space::Param => Ok(None),
    }
}
