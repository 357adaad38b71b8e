//! The device's runtime, `libcudadevrt.a`: what its functions are told of a launch.

use crate::driver::Driver;
use crate::failed::Answer;
use crate::module::Module;
use margay_exec::Program;
use margay_front::module::VariableId;
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

impl Driver {
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
