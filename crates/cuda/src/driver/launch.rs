//! Launches: done when the call returns. How a kernel went wrong is told at once, and answered by the next call that waits for it.

use super::Driver;
use crate::context::Context;
use crate::device::MULTIPROCESSORS;
use crate::door::told::Told;
use crate::failed::{Answer, Failed, code_of};
use crate::kernel::Kernel;
use crate::results::Code;
use crate::work::Wanted;
use margay_exec::memory::FaultKind;
use margay_exec::{Dim, Error, Launch, Trap, TrapKind};

impl Driver {
    /// A launch that nothing is wrong with before it runs, in no environment yet.
    fn launch_of(&self, kernel: &Kernel, wanted: &Wanted, parameters: Vec<u8>) -> Answer<Launch<'_>> {
        check(kernel, wanted)?;
        if wanted.cooperative {
            self.check_cooperative(kernel, wanted)?;
        }
        let launch = Launch {
            cluster: kernel.cluster(&self.device, wanted.grid, wanted.cluster)?.map(Dim::from),
            grid: wanted.grid.into(),
            block: wanted.block.into(),
            shared_bytes: wanted.shared_bytes.into(),
            parameters,
            semantics: self.setting.semantics,
            device: Some(self.device.target),
            sanitize: self.account.sanitize,
            profile: self.account.counts(),
            contract: self.setting.contract,
            cooperative: wanted.cooperative,
            ..Launch::new(kernel.id)
        };
        Ok(launch)
    }

    /// Whether a kernel can be launched as it is wanted.
    pub fn check_launch(&self, kernel: &Kernel, wanted: &Wanted, parameters: Vec<u8>) -> Answer {
        let launch = self.launch_of(kernel, wanted, parameters)?;
        let checked = launch.check(&kernel.module.program, &self.memory());
        checked.map_err(|error| Failed::told(code_of(&error), &kernel.module.located().wrong_call(&error)))
    }

    /// Launches a kernel.
    pub fn launch(
        &self,
        kernel: &Kernel,
        context: &Context,
        wanted: &Wanted,
        parameters: Vec<u8>,
    ) -> Answer<Told> {
        let mut launch = self.launch_of(kernel, wanted, parameters)?;
        let _workspace;
        (launch.environment, _workspace) = self.environment(wanted.cooperative)?;
        let located = kernel.module.located();
        let mut told = Told::default();
        kernel.warned.call_once(|| {
            let warnings = located.errata(kernel.id, launch.semantics);
            told.warnings = warnings
                .iter()
                .map(|w| format!("warning: {}\n", w.text(&kernel.module.source.name)))
                .collect();
        });
        let _grid = self.tell_grid(&kernel.module, wanted.cooperative)?;
        let number = self.account.begin();
        match launch.run(&kernel.module.program, &self.memory()) {
            Ok(report) => {
                told.text += &self.account.ended(kernel, number, &report.findings, report.profile.as_deref());
                told.printed = report.printed;
            }
            Err(Error::Launch(error)) => {
                return Err(Failed::told(code_of(&error), &located.wrong_call(&error)));
            }
            Err(Error::Trap(trap)) => {
                told.text += &self.account.ended(kernel, number, &trap.findings, None);
                if self.account.sanitize.any() {
                    told.text += &format!("launch {number}, kernel `{}`:\n", kernel.name.to_string_lossy());
                }
                told.text += &located.trap(&trap, false);
                context.broke(code_of_trap(&trap));
                told.printed = trap.printed;
            }
        }
        Ok(told)
    }

    /// Whether all blocks of a launch are there at once.
    fn check_cooperative(&self, kernel: &Kernel, wanted: &Wanted) -> Answer {
        let [blocks, threads] =
            [wanted.grid, wanted.block].map(|shape| Dim::from(shape).count().unwrap_or(u64::MAX));
        let threads = u32::try_from(threads).unwrap_or(u32::MAX);
        let resident = kernel.resident(&self.device, threads, wanted.shared_bytes.into())?;
        let most = u64::from(resident) * u64::from(MULTIPROCESSORS);
        if blocks <= most || resident == 0 {
            // What no block can be is refused by the launch.
            return Ok(());
        }
        let text = format!("a cooperative launch of {blocks} blocks: the device has room for {most} of them");
        Err(Failed::because(Code::COOPERATIVE_LAUNCH_TOO_LARGE, text))
    }
}

/// Whether blocks can be as a launch wants them.
fn check(kernel: &Kernel, wanted: &Wanted) -> Answer {
    if wanted.grid.iter().chain(&wanted.block).any(|extent| *extent == 0) {
        return Err(Code::INVALID_VALUE.into());
    }
    let most = kernel.most_dynamic()?;
    if wanted.shared_bytes > most {
        let text = format!(
            "kernel `{}` can have {most} bytes of dynamic shared memory, but the launch asks for {}: set CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES first",
            kernel.name.to_string_lossy(),
            wanted.shared_bytes
        );
        return Err(Failed::because(Code::INVALID_VALUE, text));
    }
    Ok(())
}

/// What a trap is to CUDA.
fn code_of_trap(trap: &Trap) -> Code {
    match &trap.kind {
        TrapKind::Memory(fault) => match fault.kind {
            FaultKind::Misaligned(_) => Code::MISALIGNED_ADDRESS,
            _ => Code::ILLEGAL_ADDRESS,
        },
        TrapKind::Assertion(_) => Code::ASSERT,
        _ => Code::LAUNCH_FAILED,
    }
}
