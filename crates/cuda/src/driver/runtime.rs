//! What kernels are told of a launch that begins.

use super::Driver;
use crate::failed::Answer;
use crate::module::Module;
use margay_isa::special::ENVIRONMENT;
use std::sync::MutexGuard;

/// The registers that hold the address of the workspace for code that `nvcc` has compiled, the upper half first.
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
        let mut workspace = self.workspace.begin();
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
        let alone = grid.begin();
        let mut words = [0; 8];
        words[0] = cooperative.into();
        self.write(grid.address, &words)?;
        Ok(Some(alone))
    }
}
