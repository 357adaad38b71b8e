//! Launches of kernels, and of functions of the host.

use super::layout::{Attribute, Config};
use super::pass::{Host, HostFunction, In, Parameters, packed, parameters};
use super::{Status, call};
use crate::driver::Driver;
use crate::event::Event;
use crate::failed::{Answer, Failed};
use crate::kernel::Kernel;
use crate::results::Code;
use crate::work::{KernelWork, Wanted, Work};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// Attributes by their numbers in `cuda.h`.
const COOPERATIVE: u32 = 2;
const CLUSTER: u32 = 4;
const EVENT: u32 = 7;
const COMPLETION_EVENT: u32 = 12;

/// The shape of clusters that a launch says. A preferred shape may be left aside.
pub(super) fn cluster(attributes: &[Attribute]) -> Option<[u32; 3]> {
    let said = attributes.iter().find(|attribute| attribute.number == CLUSTER)?;
    Some([said.value[0], said.value[1], said.value[2]])
}

/// The launch of a kernel with values, or a list of a block of them and its size.
pub(super) fn work(
    driver: &Driver,
    kernel: Arc<Kernel>,
    [values, extra]: [In<Host>; 2],
    wanted: Wanted,
) -> Answer<Work> {
    let parameters = match (values.is_null(), extra.is_null()) {
        (false, false) => return Err(Code::INVALID_VALUE.into()),
        (true, false) => packed(extra, kernel.function())?,
        (..) => parameters(values, kernel.function())?,
    };
    let parameters = Arc::new(Parameters::new(parameters));
    Ok(Work::Kernel(KernelWork { kernel, context: driver.current()?, wanted, parameters }))
}

fn launch(driver: &Driver, function: usize, stream: usize, given: [In<Host>; 2], wanted: Wanted) -> Answer {
    let kernel = driver.handles.find::<Kernel>(function)?;
    driver.give(stream, || work(driver, kernel, given, wanted))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLaunchKernel(
    function: usize,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    shared_bytes: u32,
    stream: usize,
    values: In<Host>,
    extra: In<Host>,
) -> Status {
    let wanted = Wanted {
        grid: [grid_x, grid_y, grid_z],
        block: [block_x, block_y, block_z],
        shared_bytes,
        cooperative: false,
        cluster: None,
    };
    call(|driver| launch(driver, function, stream, [values, extra], wanted))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLaunchCooperativeKernel(
    function: usize,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    shared_bytes: u32,
    stream: usize,
    values: In<Host>,
) -> Status {
    let wanted = Wanted {
        grid: [grid_x, grid_y, grid_z],
        block: [block_x, block_y, block_z],
        shared_bytes,
        cooperative: true,
        cluster: None,
    };
    call(|driver| launch(driver, function, stream, [values, In::nothing()], wanted))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLaunchKernelEx(
    config: In<Config>,
    function: usize,
    values: In<Host>,
    extra: In<Host>,
) -> Status {
    call(|driver| {
        let config = config.read()?;
        let attributes = config.attributes.all(config.count as usize)?;
        let cooperative = attributes.iter().any(|a| a.number == COOPERATIVE && a.value[0] != 0);
        launch(
            driver,
            function,
            config.stream,
            [values, extra],
            Wanted {
                grid: config.grid,
                block: config.block,
                shared_bytes: config.shared_bytes,
                cooperative,
                cluster: cluster(&attributes),
            },
        )?;
        for attribute in attributes.iter().filter(|a| [EVENT, COMPLETION_EVENT].contains(&a.number)) {
            let handle = u64::from(attribute.value[1]) << 32 | u64::from(attribute.value[0]);
            let event = driver.handles.find::<Event>(handle as usize)?;
            driver.record(&*driver.stream(config.stream)?, event, false)?;
        }
        Ok(())
    })
}

/// The oldest way: the block was said before.
#[unsafe(no_mangle)]
pub extern "C" fn cuLaunchGrid(function: usize, width: i32, height: i32) -> Status {
    call(|driver| {
        let kernel = driver.handles.find::<Kernel>(function)?;
        let [x, y, z] = [0, 1, 2].map(|axis: usize| kernel.block[axis].load(Relaxed));
        if !kernel.function().parameters.is_empty() {
            let text = "`cuLaunchGrid` of a kernel with parameters is not supported: use `cuLaunchKernel`";
            return Err(Failed::because(Code::NOT_SUPPORTED, text));
        }
        let extent = |n: i32| u32::try_from(n).map_err(|_| Failed::from(Code::INVALID_VALUE));
        let grid = [extent(width)?, extent(height)?, 1];
        launch(
            driver,
            function,
            0,
            [In::nothing(), In::nothing()],
            Wanted { grid, block: [x, y, z], shared_bytes: 0, cooperative: false, cluster: None },
        )
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLaunchHostFunc(stream: usize, function: Option<HostFunction>, data: usize) -> Status {
    call(|driver| {
        let function = function.ok_or(Failed::from(Code::INVALID_VALUE))?;
        driver.give(stream, || Ok(Work::Host(function, data)))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLaunchHostFunc_v2(
    stream: usize,
    function: Option<HostFunction>,
    data: usize,
    _mode: u32,
) -> Status {
    cuLaunchHostFunc(stream, function, data)
}
