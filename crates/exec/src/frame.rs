//! Where the variables of a kernel lie in shared, local and parameter memory.

use crate::error::LaunchError;
use crate::memory::{Layout, Region};
use crate::program::Program;
use margay_front::module::{FunctionId, Space, Symbol, VariableId};
use std::collections::BTreeMap;

/// Shared memory that a block can have.
const SHARED_LIMIT: u64 = 227 * 1024;
/// Local memory that a thread can have.
const LOCAL_LIMIT: u64 = 512 * 1024;

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
    /// What local memory holds, in the order of addresses.
    pub(crate) local: Vec<Region>,
    pub(crate) local_bytes: u64,
    /// The parameters, in the order of addresses.
    pub(crate) params: Vec<Region>,
}

impl Frame {
    /// Places the variables that the kernel's code names. `dynamic` is the size of dynamic shared memory in bytes.
    pub(crate) fn new(
        program: &Program,
        kernel: FunctionId,
        used: &[VariableId],
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
            local: Vec::new(),
            local_bytes: 0,
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
        for id in used.iter().copied() {
            let variable = module.variable(id);
            let name = format!("variable `{}`", variable.name);
            let home = match variable.space {
                _ if frame.homes.contains_key(&id) => continue,
                Space::Global | Space::Const => {
                    let Some(address) = program.address(id) else {
                        let message =
                            format!("variable `{}` is declared `.extern` and defined nowhere", variable.name);
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
                    let address = append(
                        &mut frame.shared,
                        &mut frame.shared_bytes,
                        name,
                        variable.align,
                        variable.size,
                    );
                    Home { space: Space::Shared, address }
                }
                Space::Local | Space::Param => {
                    let address =
                        append(&mut frame.local, &mut frame.local_bytes, name, variable.align, variable.size);
                    Home { space: Space::Local, address }
                }
            };
            frame.homes.insert(id, home);
        }
        frame.place_dynamic(&function.name, dynamic, dynamic_align, &dynamic_names)?;
        if frame.local_bytes > LOCAL_LIMIT {
            let message = format!(
                "a thread of kernel `{}` needs {} bytes of local memory",
                function.name, frame.local_bytes
            );
            return Err(LaunchError::new(message).help(format!("a thread can have {LOCAL_LIMIT} bytes")));
        }
        Ok(frame)
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
        let name = "dynamic shared memory".to_string();
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
