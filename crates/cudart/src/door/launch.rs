//! Launches.

use super::pass::{Extent3, In, Pointer};
use super::{Status, call};
use crate::errors::{Answer, Code};
use crate::runtime::Runtime;

/// `cudaLaunchConfig_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Config {
    grid: Extent3,
    block: Extent3,
    shared_bytes: usize,
    stream: usize,
    attributes: Pointer,
    count: u32,
}

/// `CUlaunchConfig`. Attributes are the same for both.
#[repr(C)]
pub struct DriverConfig {
    grid: Extent3,
    block: Extent3,
    shared_bytes: u32,
    stream: usize,
    attributes: Pointer,
    count: u32,
}

impl Config {
    pub(super) fn for_driver(self) -> Answer<DriverConfig> {
        let Config { grid, block, shared_bytes, stream, attributes, count } = self;
        Ok(DriverConfig { grid, block, shared_bytes: bytes(shared_bytes)?, stream, attributes, count })
    }
}

fn bytes(shared_bytes: usize) -> Answer<u32> {
    u32::try_from(shared_bytes).map_err(|_| Code::INVALID_VALUE)
}

/// The attributes of a device that bound a block and a grid.
const THREADS: u32 = 1;
const BLOCK: [u32; 3] = [2, 3, 4];
const GRID: [u32; 3] = [5, 6, 7];

/// Whether any kernel may be launched so: what is wrong for all of them has an error of its own here.
fn check(runtime: &Runtime, grid: Extent3, block: Extent3) -> Answer {
    let device = runtime.device()?;
    let within = |extent: Extent3, limits: [u32; 3]| -> Answer<bool> {
        let mut all = [extent.x, extent.y, extent.z].into_iter().zip(limits);
        all.try_fold(true, |so_far, (extent, limit)| {
            let most = runtime.attribute(limit, device)?;
            Ok(so_far && extent > 0 && i64::from(extent) <= i64::from(most))
        })
    };
    let threads = u64::from(block.x) * u64::from(block.y) * u64::from(block.z);
    let fits = within(grid, GRID)?
        && within(block, BLOCK)?
        && threads <= u64::from(runtime.attribute(THREADS, device)?.unsigned_abs());
    if fits { Ok(()) } else { Err(Code::INVALID_CONFIGURATION) }
}

/// What the driver finds wrong with the shape of a launch is told by the runtime's own error, where every kernel would have it.
fn told(runtime: &Runtime, grid: Extent3, block: Extent3, launched: Answer) -> Answer {
    match launched {
        Err(Code::INVALID_VALUE) => check(runtime, grid, block).and(launched),
        _ => launched,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLaunchKernel(
    host: usize,
    grid: Extent3,
    block: Extent3,
    values: Pointer,
    shared_bytes: usize,
    stream: usize,
) -> Status {
    call(|runtime| {
        let (function, shared) = (runtime.function(host)?, bytes(shared_bytes)?);
        let launched = runtime.driver.cuLaunchKernel(
            function,
            grid.x,
            grid.y,
            grid.z,
            block.x,
            block.y,
            block.z,
            shared,
            stream,
            values,
            Pointer::NULL,
        );
        told(runtime, grid, block, launched)
    })
}

/// What compiled programs call, with what `__cudaGetKernel` gave them.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaLaunchKernel(
    kernel: usize,
    grid: Extent3,
    block: Extent3,
    values: Pointer,
    shared_bytes: usize,
    stream: usize,
) -> Status {
    cudaLaunchKernel(kernel, grid, block, values, shared_bytes, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLaunchCooperativeKernel(
    host: usize,
    grid: Extent3,
    block: Extent3,
    values: Pointer,
    shared_bytes: usize,
    stream: usize,
) -> Status {
    call(|runtime| {
        let (function, shared) = (runtime.function(host)?, bytes(shared_bytes)?);
        let launched = runtime.driver.cuLaunchCooperativeKernel(
            function, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, stream, values,
        );
        told(runtime, grid, block, launched)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLaunchKernelExC(config: In<Config>, host: usize, values: Pointer) -> Status {
    call(|runtime| {
        let config = config.read()?;
        let function = runtime.function(host)?;
        let launched =
            runtime.driver.cuLaunchKernelEx(&config.for_driver()?, function, values, Pointer::NULL);
        told(runtime, config.grid, config.block, launched)
    })
}
