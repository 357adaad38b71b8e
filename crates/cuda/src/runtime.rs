//! What kernels are told of a launch: functions of the device's runtime, `libcudadevrt.a`, in a variable of theirs; compiled code, in
//! registers of the environment.

use margay_exec::Program;
use margay_front::module::VariableId;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Two words of 32 bits: whether the grid is cooperative, and how many blocks have arrived.
const VARIABLE: &str = "__margay_grid";

/// What the runtime's functions in a module know of the launch that goes on, one at a time.
pub struct Grid {
    pub address: u64,
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

    /// Begins a launch, which lasts as long as what this gives.
    pub fn begin(&self) -> MutexGuard<'_, ()> {
        self.going_on.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where blocks of a cooperative grid wait for each other: two words of 32 bits, how many bytes they are, and how many blocks have
/// arrived. One grid has it at a time.
#[derive(Default)]
pub struct Workspace(Mutex<Option<u64>>);

impl Workspace {
    /// Takes it for a grid, which has it as long as what this gives: its address, once it has one.
    pub fn begin(&self) -> MutexGuard<'_, Option<u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
