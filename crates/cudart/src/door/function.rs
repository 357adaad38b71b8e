//! Functions of the device, by the host's functions that stand for them: attributes, parameters, occupancy.

use super::launch::Config;
use super::pass::{In, Place};
use super::{Status, call};

/// `cudaFuncAttributes`: what both versions have, and room for the rest.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Attributes {
    shared_bytes: usize,
    constant_bytes: usize,
    local_bytes: usize,
    threads: i32,
    registers: i32,
    ptx_version: i32,
    binary_version: i32,
    cache_mode: i32,
    dynamic_shared_bytes: i32,
    carveout: i32,
    cluster_must_be_set: i32,
    cluster: [i32; 3],
    cluster_policy: i32,
    non_portable_cluster: i32,
    reserved: [i32; 16],
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaFuncGetAttributes(to: Place<Attributes>, host: usize) -> Status {
    call(|runtime| {
        let function = runtime.function(host)?;
        // By their numbers in `cuda.h`.
        let read = |number| {
            let mut value = 0;
            runtime.driver.cuFuncGetAttribute(&mut value, number, function).map(|()| value)
        };
        to.give(Attributes {
            threads: read(0)?,
            shared_bytes: read(1)? as usize,
            constant_bytes: read(2)? as usize,
            local_bytes: read(3)? as usize,
            registers: read(4)?,
            ptx_version: read(5)?,
            binary_version: read(6)?,
            cache_mode: read(7)?,
            dynamic_shared_bytes: read(8)?,
            carveout: read(9)?,
            cluster_must_be_set: read(10)?,
            cluster: [read(11)?, read(12)?, read(13)?],
            non_portable_cluster: read(14)?,
            cluster_policy: read(15)?,
            reserved: [0; 16],
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaFuncSetAttribute(host: usize, attribute: u32, value: i32) -> Status {
    call(|runtime| runtime.driver.cuFuncSetAttribute(runtime.function(host)?, attribute, value))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaFuncSetCacheConfig(host: usize, config: u32) -> Status {
    call(|runtime| runtime.driver.cuFuncSetCacheConfig(runtime.function(host)?, config))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaFuncSetSharedMemConfig(host: usize, config: u32) -> Status {
    call(|runtime| runtime.driver.cuFuncSetSharedMemConfig(runtime.function(host)?, config))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaFuncGetName(name: Place<usize>, host: usize) -> Status {
    call(|runtime| runtime.driver.cuFuncGetName(name, runtime.function(host)?))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaFuncGetParamInfo(
    host: usize,
    index: usize,
    offset: Place<usize>,
    bytes: Place<usize>,
) -> Status {
    call(|runtime| runtime.driver.cuFuncGetParamInfo(runtime.function(host)?, index, offset, bytes))
}

/// The driver's handle of a function, which is that of a kernel, too.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetFuncBySymbol(function: Place<usize>, host: usize) -> Status {
    call(|runtime| function.give(runtime.function(host)?))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetKernel(kernel: Place<usize>, host: usize) -> Status {
    cudaGetFuncBySymbol(kernel, host)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    blocks: Place<i32>,
    host: usize,
    threads: i32,
    shared_bytes: usize,
) -> Status {
    cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host, threads, shared_bytes, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    blocks: Place<i32>,
    host: usize,
    threads: i32,
    shared_bytes: usize,
    flags: u32,
) -> Status {
    call(|runtime| {
        let function = runtime.function(host)?;
        let driver = &runtime.driver;
        driver.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            blocks,
            function,
            threads,
            shared_bytes,
            flags,
        )
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaOccupancyAvailableDynamicSMemPerBlock(
    bytes: Place<usize>,
    host: usize,
    blocks: i32,
    threads: i32,
) -> Status {
    call(|runtime| {
        let function = runtime.function(host)?;
        runtime.driver.cuOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, threads)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaOccupancyMaxPotentialClusterSize(
    size: Place<i32>,
    host: usize,
    config: In<Config>,
) -> Status {
    call(|runtime| {
        let config = config.read()?.for_driver()?;
        runtime.driver.cuOccupancyMaxPotentialClusterSize(size, runtime.function(host)?, &config)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaOccupancyMaxActiveClusters(
    count: Place<i32>,
    host: usize,
    config: In<Config>,
) -> Status {
    call(|runtime| {
        let config = config.read()?.for_driver()?;
        runtime.driver.cuOccupancyMaxActiveClusters(count, runtime.function(host)?, &config)
    })
}
