//! What kernels are told of a launch: functions of the device's runtime, `libcudadevrt.a`, in a variable of theirs; compiled code, in
//! registers of the environment.

use crate::driver::Driver;
use crate::failed::Answer;
use crate::module::Module;
use margay_exec::Program;
use margay_front::module::VariableId;
use margay_isa::special::ENVIRONMENT;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Two words of 32 bits: whether the grid is cooperative, and how many blocks have arrived.
const VARIABLE: &str = "__margay_grid";

/// What the runtime's functions in a module know of the launch that goes on, one at a time.
pub struct Grid {
    address: u64,
    going_on: Mutex<()>,
}

impl Grid {
    /// Where a module was linked with the runtime.
    pub fn of(program: &Program) -> Option<Grid> {
        let variables = program.module().variables();
        let place = variables.iter().position(|v| v.name == VARIABLE && v.size == 8)?;
        let address = program.address(VariableId(place as u32))?;
        Some(Grid { address, going_on: Mutex::default() })
    }
}

/// Where blocks of a cooperative grid wait for each other: two words of 32 bits, how many bytes they are, and how many blocks have
/// arrived. One grid has it at a time.
#[derive(Default)]
pub struct Workspace(Mutex<Option<u64>>);

/// The registers that hold its address for code that `nvcc` has compiled, the upper half first.
const ADDRESS: [usize; 2] = [1, 2];
const WORKSPACE_BYTES: u64 = 8;

impl Driver {
    /// What the registers of the environment hold in a launch, which lasts as long as the other thing that this gives.
    #[allow(clippy::type_complexity)]
    pub fn environment(
        &self,
        cooperative: bool,
    ) -> Answer<([u32; ENVIRONMENT], Option<MutexGuard<'_, Option<u64>>>)> {
        let mut registers = [0; ENVIRONMENT];
        if !cooperative {
            return Ok((registers, None));
        }
        let mut workspace = self.workspace.0.lock().unwrap_or_else(PoisonError::into_inner);
        let address = match *workspace {
            Some(address) => address,
            None => self.memory_alone().alloc(WORKSPACE_BYTES, "the grid's workspace")?,
        };
        *workspace = Some(address);
        self.write(address, &WORKSPACE_BYTES.to_le_bytes())?;
        registers[ADDRESS[0]] = (address >> 32) as u32;
        registers[ADDRESS[1]] = address as u32;
        Ok((registers, Some(workspace)))
    }

    /// Tells the runtime's functions in a module of a launch, which lasts as long as what this gives.
    pub fn tell_grid<'m>(&self, module: &'m Module, cooperative: bool) -> Answer<Option<MutexGuard<'m, ()>>> {
        let Some(grid) = &module.grid else { return Ok(None) };
        let alone = grid.going_on.lock().unwrap_or_else(PoisonError::into_inner);
        let mut words = [0; 8];
        words[0] = cooperative.into();
        self.write(grid.address, &words)?;
        Ok(Some(alone))
    }
}
