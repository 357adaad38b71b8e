//! Launching kernels.

use super::pass::Growing;
use super::{call, pass};
use crate::failure::Failure;
use crate::launch::{Options, Outcome, run};
use crate::module::Module;
use margay_doors::count::counted;
use margay_exec::{Engine, Sanitize};
use margay_front::module::Function;
use margay_isa::{Semantics, Suffix, Target};
use std::ffi::{c_int, c_void};

/// All threads of a block at once, with the machine's vector instructions.
pub const MARGAY_ENGINE_BATCH: u32 = 0;
/// One thread after the other, by the manual's pseudo-code.
pub const MARGAY_ENGINE_GOLDEN: u32 = 1;

/// What the manual says.
pub const MARGAY_SEMANTICS_MANUAL: u32 = 0;
/// What code of NVIDIA's assembler 13.5 computes.
pub const MARGAY_SEMANTICS_PTXAS_13_5: u32 = 1;
/// What the manual says, with approximate functions (such as `rcp.approx.f32`) correctly rounded instead of a device's.
pub const MARGAY_SEMANTICS_ROUNDED: u32 = 2;

/// Watch for data races on shared and global memory.
pub const MARGAY_SANITIZE_RACE: u32 = 1;
/// Watch for reads of memory and of registers that were never written.
pub const MARGAY_SANITIZE_INIT: u32 = 2;
/// Watch for barriers and warp operations used in ways that have no meaning.
pub const MARGAY_SANITIZE_SYNC: u32 = 4;
/// Watch for accesses beyond one variable in shared, local or parameter memory, which end the launch; the others do so too.
pub const MARGAY_SANITIZE_MEMORY: u32 = 8;

/// How a kernel is launched. A structure of zeros with its size is a launch of one thread.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchOptions {
    /// `sizeof` the structure.
    pub struct_bytes: usize,
    /// Blocks along x, y and z; 0 counts as 1.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z; 0 counts as 1.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory of a block.
    pub shared_bytes: u64,
    /// `MARGAY_ENGINE_…`.
    pub engine: u32,
    /// `MARGAY_SEMANTICS_…`.
    pub semantics: u32,
    /// `MARGAY_SANITIZE_…`, added up.
    pub sanitize: u32,
    /// Host threads that run blocks; 0 for one for each core.
    pub workers: u32,
    /// The most instructions that all threads together may execute; 0 for no limit.
    pub max_steps: u64,
    /// Runs blocks and threads in another legal order, drawn from `schedule_seed`, where it is not 0.
    pub has_schedule_seed: u32,
    /// Lets blocks run on all workers even where their order can show in the result, where it is not 0.
    pub unordered: u32,
    /// Says which order.
    pub schedule_seed: u64,
    /// Launches in clusters of the shape `cluster`, where it is not 0; else the kernel says whether it is.
    pub has_cluster: u32,
    /// Blocks of a cluster along x, y and z; 0 counts as 1.
    pub cluster: [u32; 3],
    /// Adds products unrounded where the code names no rounding, as NVIDIA's assembler joins them, where it is not 0.
    pub contract: u32,
    /// The number of the device as whose tensor cores products of matrices (`mma`, `wmma`) are computed, such as 90 for sm_90; 0 for
    /// the module's target.
    pub device: u32,
}

// SAFETY: `repr(C)`, the size first, and made of numbers.
unsafe impl Growing for LaunchOptions {
    const NOTHING: LaunchOptions = LaunchOptions {
        struct_bytes: 0,
        grid: [0; 3],
        block: [0; 3],
        shared_bytes: 0,
        engine: MARGAY_ENGINE_BATCH,
        semantics: MARGAY_SEMANTICS_MANUAL,
        sanitize: 0,
        workers: 0,
        max_steps: 0,
        has_schedule_seed: 0,
        unordered: 0,
        schedule_seed: 0,
        has_cluster: 0,
        cluster: [0; 3],
        contract: 0,
        device: 0,
    };
}

/// Launches a kernel and waits for its end. `arguments` are `count` pointers, one to the value of each parameter in order, which has
/// as many bytes as the parameter. `options` may be null: one thread. `report`, if not null, gets an account of
/// what ran, to be freed by `margay_report_free`; null if nothing ran. After `MARGAY_TRAP` there is one too.
///
/// # Safety
/// `module` must be one; `options` null or as long as it says; `arguments` have so many pointers, each to so many bytes as its
/// parameter has; `report` be null or have room for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn margay_launch(
    module: *const Module,
    kernel: u32,
    options: *const LaunchOptions,
    arguments: *const *const c_void,
    count: u32,
    report: *mut *mut Outcome,
) -> c_int {
    call(|| {
        if !report.is_null() {
            // SAFETY: `report` has room for one, or is null.
            unsafe { pass::give("report", report, std::ptr::null_mut()) }?;
        }
        // SAFETY: `module` points to one that lives, or is null.
        let module = unsafe { pass::handle("module", module) }?;
        let options = match options.is_null() {
            true => LaunchOptions::NOTHING,
            // SAFETY: `options` has as many bytes as it says itself, or is null.
            false => unsafe { pass::read_sized("options", options) }?,
        };
        let (_, function) = module.kernel(kernel)?;
        // SAFETY: `arguments` points to `count` pointers, each to a value of its parameter's type.
        let parameters = unsafe { block(function, arguments, count) }?;
        let (outcome, ended) = run(module, kernel, &told(&options)?, parameters);
        if let (Some(outcome), false) = (outcome, report.is_null()) {
            // SAFETY: `report` has room for one, or is null.
            unsafe { pass::give("report", report, Box::into_raw(Box::new(outcome))) }?;
        }
        ended
    })
}

fn told(options: &LaunchOptions) -> Result<Options, Failure> {
    let unknown = |what: &str, number: u32| Failure::wrong_call(format!("there is no {what} `{number}`"));
    let all = MARGAY_SANITIZE_RACE | MARGAY_SANITIZE_INIT | MARGAY_SANITIZE_SYNC | MARGAY_SANITIZE_MEMORY;
    if options.sanitize & !all != 0 {
        return Err(unknown("sanitizer", options.sanitize & !all));
    }
    let device = match options.device {
        0 => None,
        number => {
            let target = u16::try_from(number).ok().map(|number| Target { number, suffix: Suffix::Plain });
            let known = target.filter(|target| target.since().is_some());
            Some(known.ok_or_else(|| unknown("device", number))?)
        }
    };
    let has = |sanitizer| options.sanitize & sanitizer != 0;
    Ok(Options {
        grid: options.grid.map(|n| n.max(1)),
        block: options.block.map(|n| n.max(1)),
        cluster: (options.has_cluster != 0).then(|| options.cluster.map(|n| n.max(1))),
        shared_bytes: options.shared_bytes,
        engine: match options.engine {
            MARGAY_ENGINE_BATCH => Engine::Batch,
            MARGAY_ENGINE_GOLDEN => Engine::Golden,
            other => return Err(unknown("engine", other)),
        },
        semantics: match options.semantics {
            MARGAY_SEMANTICS_MANUAL => Semantics::Manual,
            MARGAY_SEMANTICS_PTXAS_13_5 => Semantics::Ptxas13_5,
            MARGAY_SEMANTICS_ROUNDED => Semantics::Rounded,
            other => return Err(unknown("semantics", other)),
        },
        sanitize: Sanitize {
            memory: has(MARGAY_SANITIZE_MEMORY),
            race: has(MARGAY_SANITIZE_RACE),
            init: has(MARGAY_SANITIZE_INIT),
            sync: has(MARGAY_SANITIZE_SYNC),
        },
        workers: options.workers as usize,
        max_steps: Some(options.max_steps).filter(|n| *n > 0),
        schedule_seed: (options.has_schedule_seed != 0).then_some(options.schedule_seed),
        unordered: options.unordered != 0,
        contract: options.contract != 0,
        device,
    })
}

/// The parameter block of arguments that are pointed at.
///
/// # Safety
/// As for [`margay_launch`].
unsafe fn block(
    function: &Function,
    arguments: *const *const c_void,
    count: u32,
) -> Result<Vec<u8>, Failure> {
    let wanted = function.parameters.len();
    if count as usize != wanted {
        let name = &function.name;
        let (wanted, are) = (counted(wanted, "argument"), if count == 1 { "is" } else { "are" });
        let message = format!("kernel `{name}` takes {wanted}, but {count} {are} given");
        return Err(Failure::wrong_call(message));
    }
    if count > 0 && arguments.is_null() {
        return Err(Failure::wrong_call("`arguments` is null"));
    }
    let mut block = vec![0; function.parameter_bytes as usize];
    for (k, parameter) in function.parameters.iter().enumerate() {
        // SAFETY: `arguments` points to as many pointers as there are parameters, and this one to so many bytes.
        let value = unsafe { pass::bytes(&format!("arguments[{k}]"), *arguments.add(k), parameter.size) }?;
        block[parameter.offset as usize..][..value.len()].copy_from_slice(value);
    }
    Ok(block)
}
