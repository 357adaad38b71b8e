//! Where the variables of a kernel and of the functions that it calls lie in shared, local and parameter memory.

use crate::error::LaunchError;
use crate::memory::{DYNAMIC_SHARED, Layout, Region};
use crate::program::Program;
use crate::reach::{self, Reached};
use margay_front::module::{FunctionId, Space, Symbol, VariableId};
use std::collections::BTreeMap;

/// Shared memory that a block can have.
const SHARED_LIMIT: u64 = 227 * 1024;
/// Local memory that a thread can have, the registers of callers included.
pub(crate) const LOCAL_LIMIT: u64 = 512 * 1024;
/// Shared memory that the system keeps for itself, where a kernel asks for its place.
pub(crate) const RESERVED: u64 = 1024;

/// A variable's address in the space that it lives in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Home {
    pub(crate) space: Space,
    pub(crate) address: u64,
}

/// The places of everything that a kernel names.
pub(crate) struct Frame {
    homes: BTreeMap<VariableId, Home>,
    functions: Layout,
    /// What shared memory holds, in the order of addresses.
    pub(crate) shared: Vec<Region>,
    pub(crate) shared_bytes: u64,
    /// Where the system's own part of shared memory begins and ends.
    pub(crate) reserved: (u64, u64),
    /// What each function has of local memory.
    stacks: BTreeMap<FunctionId, Stack>,
    /// The kernel's parameters, in the order of addresses.
    pub(crate) params: Vec<Region>,
}

/// What a function has of local memory while it runs: variables, parameters and results, its own and those of the
/// functions that it calls.
#[derive(Clone, Debug)]
pub(crate) struct Stack {
    /// In the order of addresses, which count from the start of the frame.
    pub(crate) regions: Vec<Region>,
    pub(crate) bytes: u64,
    pub(crate) align: u64,
}

impl Frame {
    /// Places the variables that the kernel's code names. `dynamic` is the size of dynamic shared memory in bytes.
    pub(crate) fn new(
        program: &Program,
        kernel: FunctionId,
        reached: &Reached,
        layout: &Layout,
        dynamic: u64,
    ) -> Result<Frame, LaunchError> {
        let module = program.module();
        let function = module.function(kernel);
        let mut frame = Frame {
            homes: BTreeMap::new(),
            functions: layout.clone(),
            shared: Vec::new(),
            shared_bytes: 0,
            reserved: (0, 0),
            stacks: BTreeMap::new(),
            params: Vec::new(),
        };
        for p in &function.parameters {
            frame.params.push(Region {
                name: format!("parameter `{}`", p.name),
                base: p.offset,
                bytes: p.size,
            });
            if let Some(id) = p.variable {
                frame.homes.insert(id, Home { space: Space::Param, address: p.offset });
            }
        }
        let mut dynamic_align = 1;
        let mut dynamic_names = Vec::new();
        for (id, instructions) in &reached.functions {
            let function = module.function(*id);
            let passed = function.returns.iter().chain(&function.parameters).filter_map(|p| p.variable);
            let used = passed.filter(|_| *id != kernel).chain(reach::variables(function, instructions));
            // An open parameter reaches as far as its argument: nothing lies behind it.
            let (open, sized): (Vec<_>, Vec<_>) = used
                .partition(|id| module.variable(*id).space == Space::Param && module.variable(*id).size == 0);
            let mut stack = Stack { regions: Vec::new(), bytes: 0, align: 8 };
            for id in sized.into_iter().chain(open) {
                let variable = module.variable(id);
                let name = format!("variable `{}`", variable.name);
                let home = match variable.space {
                    _ if frame.homes.contains_key(&id) => continue,
                    Space::Global | Space::Const => {
                        let Some(address) = program.address(id) else {
                            let name = &variable.name;
                            let message =
                                format!("variable `{name}` is declared `.extern` and defined nowhere");
                            return Err(LaunchError::new(message));
                        };
                        Home { space: variable.space, address }
                    }
                    Space::Shared if variable.is_extern => {
                        dynamic_align = variable.align.max(dynamic_align);
                        dynamic_names.push(id);
                        continue;
                    }
                    Space::Shared => {
                        let (align, size) = (variable.align, variable.size);
                        let address = append(&mut frame.shared, &mut frame.shared_bytes, name, align, size);
                        Home { space: Space::Shared, address }
                    }
                    Space::Local | Space::Param => {
                        let (align, size) = (variable.align, variable.size);
                        let address = append(&mut stack.regions, &mut stack.bytes, name, align, size);
                        stack.align = stack.align.max(align);
                        Home { space: Space::Local, address }
                    }
                };
                frame.homes.insert(id, home);
            }
            frame.add_stack(*id, &function.name, stack)?;
        }
        frame.place_dynamic(&function.name, dynamic, dynamic_align, &dynamic_names)?;
        if reached.reads_reserved(module) {
            let name = "memory of the system".to_string();
            let begin = append(&mut frame.shared, &mut frame.shared_bytes, name, 16, RESERVED);
            frame.reserved = (begin, begin + RESERVED);
        }
        Ok(frame)
    }

    fn add_stack(&mut self, id: FunctionId, name: &str, stack: Stack) -> Result<(), LaunchError> {
        if stack.bytes > LOCAL_LIMIT {
            let message = format!("a thread of `{name}` needs {} bytes of local memory", stack.bytes);
            return Err(LaunchError::new(message).help(format!("a thread can have {LOCAL_LIMIT} bytes")));
        }
        self.stacks.insert(id, stack);
        Ok(())
    }

    /// What a function that can be reached has of local memory.
    pub(crate) fn stack(&self, id: FunctionId) -> Option<&Stack> {
        self.stacks.get(&id)
    }

    /// Bytes that all functions together have of local memory.
    pub(crate) fn stack_bytes(&self) -> u64 {
        self.stacks.values().map(|stack| stack.bytes + stack.align).sum()
    }

    /// Dynamic shared memory begins behind the static variables, aligned as the strictest of its names asks.
    fn place_dynamic(
        &mut self,
        kernel: &str,
        dynamic: u64,
        align: u64,
        names: &[VariableId],
    ) -> Result<(), LaunchError> {
        let fixed = self.shared_bytes;
        let mut bytes = self.shared_bytes;
        let name = DYNAMIC_SHARED.to_string();
        let address = append(&mut self.shared, &mut bytes, name, align, dynamic);
        self.homes.extend(names.iter().map(|id| (*id, Home { space: Space::Shared, address })));
        if dynamic == 0 && names.is_empty() {
            self.shared.pop();
        }
        // Alignment alone uses no memory.
        self.shared_bytes = if dynamic == 0 { fixed } else { bytes };
        if self.shared_bytes > SHARED_LIMIT {
            let message = format!(
                "kernel `{kernel}` needs {} bytes of shared memory: {fixed} for its variables and {dynamic} asked for at launch",
                self.shared_bytes
            );
            return Err(LaunchError::new(message).help(format!("a block can have {SHARED_LIMIT} bytes")));
        }
        Ok(())
    }

    /// Where a variable lies.
    pub(crate) fn home(&self, id: VariableId) -> Option<Home> {
        self.homes.get(&id).copied()
    }

    /// The address that naming a variable or function gives: the one in its own space.
    pub(crate) fn address(&self, symbol: Symbol) -> Option<u64> {
        match symbol {
            Symbol::Variable(id) => self.home(id).map(|h| h.address),
            Symbol::Function(id) => Some(self.functions.function(id.0)),
        }
    }
}

/// Adds a region at the end, aligned; sizes are cut to what a limit would refuse anyway.
fn append(regions: &mut Vec<Region>, bytes: &mut u64, name: String, align: u64, size: u64) -> u64 {
    let base = bytes.next_multiple_of(align.max(1));
    let size = size.min(1 << 40);
    *bytes = base.saturating_add(size);
    regions.push(Region { name, base, bytes: size });
    base
}
