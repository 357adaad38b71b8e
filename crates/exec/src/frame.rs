//! Where the variables of a kernel and of the functions that it calls lie in shared, local and parameter memory.

use crate::error::LaunchError;
use crate::memory::{DYNAMIC_SHARED, Layout, Region};
use crate::reach::{self, Reached};
use margay_front::module::{Function, FunctionId, Module, Space, Symbol, VariableId};
use std::collections::BTreeMap;

/// Shared memory that a block can have.
const SHARED_LIMIT: u64 = 227 * 1024;
/// Local memory that a thread can have, the registers of callers included.
pub(crate) const LOCAL_LIMIT: u64 = 512 * 1024;
/// Shared memory that the system keeps for itself, where a kernel asks for its place.
pub(crate) const RESERVED: u64 = 1024;

/// Bytes of local memory that a call takes, beside the registers and variables of its caller.
pub(crate) const CALL_BYTES: u64 = 32;

/// Bytes that lie between variables that are kept apart: in shared memory and between a kernel's parameters, and in local
/// memory, of which each thread has its own.
const GAP: u64 = 256;
const LOCAL_GAP: u64 = 32;

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
    /// Whether bytes lie between variables that belong to none, so that an access beyond one is seen.
    pub(crate) apart: bool,
    /// What shared memory holds, in the order of addresses.
    pub(crate) shared: Vec<Region>,
    pub(crate) shared_bytes: u64,
    /// How many of these there are where variables are not kept apart.
    pub(crate) shared_plain: u64,
    /// Where the system's own part of shared memory begins and ends.
    pub(crate) reserved: (u64, u64),
    /// What each function has of local memory.
    stacks: BTreeMap<FunctionId, Stack>,
    /// The kernel's parameters, in the order of addresses.
    pub(crate) params: Vec<Region>,
    pub(crate) parameter_bytes: u64,
}

/// What a function has of local memory while it runs: variables, parameters and results, its own and those of the
/// functions that it calls.
#[derive(Clone, Debug)]
pub(crate) struct Stack {
    /// In the order of addresses, which count from the start of the frame.
    pub(crate) regions: Vec<Region>,
    pub(crate) bytes: u64,
    pub(crate) align: u64,
    /// How many of the bytes lie between variables that are kept apart.
    pub(crate) gaps: u64,
}

impl Stack {
    /// Where a function's part begins and ends if so many bytes are in use when it is called.
    pub(crate) fn behind(&self, top: u64) -> (u64, u64) {
        let local = top.next_multiple_of(self.align);
        (local, local.saturating_add(self.bytes))
    }
}

/// Memory that fills up with variables.
#[derive(Clone, Copy, Default)]
struct Extent {
    bytes: u64,
    /// The same without gaps.
    plain: u64,
    /// Bytes before each variable but the first.
    gap: u64,
}

impl Extent {
    /// Adds a region at the end, aligned; sizes are cut to what a limit would refuse anyway.
    fn append(&mut self, regions: &mut Vec<Region>, name: String, align: u64, size: u64) -> u64 {
        let (align, size) = (align.max(1), size.min(1 << 40));
        let gap = if regions.is_empty() { 0 } else { self.gap };
        let base = (self.bytes + gap).next_multiple_of(align);
        self.bytes = base.saturating_add(size);
        self.plain = self.plain.next_multiple_of(align).saturating_add(size);
        regions.push(Region { name, base, bytes: size });
        base
    }
}

impl Frame {
    /// Places the variables that the kernel's code names, `apart` from each other if wanted. `dynamic` is the size of dynamic
    /// shared memory in bytes; variables of the module have their addresses, by number.
    pub(crate) fn new(
        module: &Module,
        addresses: &[Option<u64>],
        kernel: FunctionId,
        reached: &Reached,
        layout: &Layout,
        dynamic: u64,
        apart: bool,
    ) -> Result<Frame, LaunchError> {
        let function = module.function(kernel);
        let mut frame = Frame {
            homes: BTreeMap::new(),
            functions: layout.clone(),
            apart,
            shared: Vec::new(),
            shared_bytes: 0,
            shared_plain: 0,
            reserved: (0, 0),
            stacks: BTreeMap::new(),
            params: Vec::new(),
            parameter_bytes: function.parameter_bytes,
        };
        frame.place_parameters(function);
        let (gap, local_gap) = if apart { (GAP, LOCAL_GAP) } else { (0, 0) };
        let mut shared = Extent { gap, ..Extent::default() };
        let mut dynamic_align = 1;
        let mut dynamic_names = Vec::new();
        for (id, instructions) in &reached.functions {
            let function = module.function(*id);
            let passed = function.returns.iter().chain(&function.parameters).filter_map(|p| p.variable);
            let used = passed.filter(|_| *id != kernel).chain(reach::variables(function, instructions));
            // An open parameter reaches as far as its argument: nothing lies behind it.
            let (open, sized): (Vec<_>, Vec<_>) = used
                .partition(|id| module.variable(*id).space == Space::Param && module.variable(*id).size == 0);
            let mut stack = Stack { regions: Vec::new(), bytes: 0, align: 8, gaps: 0 };
            let mut local = Extent { gap: local_gap, ..Extent::default() };
            let is_open = !open.is_empty();
            for id in sized.into_iter().chain(open) {
                let variable = module.variable(id);
                let name = format!("variable `{}`", variable.name);
                let home = match variable.space {
                    _ if frame.homes.contains_key(&id) => continue,
                    Space::Global | Space::Const => {
                        let Some(address) = addresses.get(id.0 as usize).copied().flatten() else {
                            return Err(reach::undefined(module, id));
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
                        let address = shared.append(&mut frame.shared, name, align, size);
                        Home { space: Space::Shared, address }
                    }
                    Space::Local | Space::Param => {
                        let (align, size) = (variable.align, variable.size);
                        let address = local.append(&mut stack.regions, name, align, size);
                        stack.align = stack.align.max(align);
                        Home { space: Space::Local, address }
                    }
                };
                frame.homes.insert(id, home);
            }
            // What a callee or the stack has next is not the last variable's either.
            let end = if is_open || stack.regions.is_empty() { 0 } else { local_gap };
            stack.bytes = local.bytes + end;
            stack.gaps = stack.bytes - local.plain;
            frame.add_stack(*id, &function.name, stack)?;
        }
        frame.place_dynamic(&function.name, &mut shared, dynamic, dynamic_align, &dynamic_names)?;
        if reached.reads_reserved(module) {
            let name = "memory of the system".to_string();
            let begin = shared.append(&mut frame.shared, name, 16, RESERVED);
            frame.reserved = (begin, begin + RESERVED);
        }
        (frame.shared_bytes, frame.shared_plain) = (shared.bytes, shared.plain);
        Ok(frame)
    }

    /// A kernel's parameters lie where the parameter block has them, or further from each other.
    fn place_parameters(&mut self, kernel: &Function) {
        let mut extent = Extent { gap: GAP, ..Extent::default() };
        for p in &kernel.parameters {
            let name = format!("parameter `{}`", p.name);
            let base = match self.apart {
                true => extent.append(&mut self.params, name, p.align, p.size),
                false => {
                    self.params.push(Region { name, base: p.offset, bytes: p.size });
                    p.offset
                }
            };
            if let Some(id) = p.variable {
                self.homes.insert(id, Home { space: Space::Param, address: base });
            }
        }
        if self.apart {
            self.parameter_bytes = extent.bytes;
        }
    }

    /// A parameter block as the kernel finds it.
    pub(crate) fn parameter_block(&self, kernel: &Function, given: &[u8]) -> Vec<u8> {
        if !self.apart {
            return given.to_vec();
        }
        let mut block = vec![0; self.parameter_bytes as usize];
        for (p, region) in kernel.parameters.iter().zip(&self.params) {
            let (from, to, bytes) = (p.offset as usize, region.base as usize, region.bytes as usize);
            block[to..to + bytes].copy_from_slice(&given[from..from + bytes]);
        }
        block
    }

    fn add_stack(&mut self, id: FunctionId, name: &str, stack: Stack) -> Result<(), LaunchError> {
        let needed = stack.bytes - stack.gaps;
        if needed > LOCAL_LIMIT {
            let message = format!("a thread of `{name}` needs {needed} bytes of local memory");
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
        shared: &mut Extent,
        dynamic: u64,
        align: u64,
        names: &[VariableId],
    ) -> Result<(), LaunchError> {
        let fixed = *shared;
        let name = DYNAMIC_SHARED.to_string();
        let address = shared.append(&mut self.shared, name, align, dynamic);
        self.homes.extend(names.iter().map(|id| (*id, Home { space: Space::Shared, address })));
        if dynamic == 0 && names.is_empty() {
            self.shared.pop();
        }
        // Alignment alone uses no memory.
        if dynamic == 0 {
            *shared = fixed;
        }
        if shared.plain > SHARED_LIMIT {
            let message = format!(
                "kernel `{kernel}` needs {} bytes of shared memory: {} for its variables and {dynamic} \
                 requested at launch",
                shared.plain, fixed.plain
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
