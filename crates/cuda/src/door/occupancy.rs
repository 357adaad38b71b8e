//! How many blocks of a kernel run at once.

use super::launch::cluster;
use super::layout::Config;
use super::pass::{In, Out};
use super::{Status, call};
use crate::device::{BLOCK_THREADS, MULTIPROCESSORS, WARP};
use crate::driver::Driver;
use crate::failed::{Answer, Failed};
use crate::kernel::Kernel;
use crate::results::Code;

/// How much dynamic shared memory a block of so many threads takes.
type BytesOf = extern "C" fn(i32) -> usize;

fn threads(given: i32) -> Answer<u32> {
    u32::try_from(given).ok().filter(|n| *n > 0).ok_or(Failed::from(Code::INVALID_VALUE))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
    blocks: Out<i32>,
    function: usize,
    block: i32,
    dynamic: usize,
) -> Status {
    call(|driver| {
        let kernel = driver.handles.find::<Kernel>(function)?;
        blocks.give(kernel.resident(&driver.device, threads(block)?, dynamic as u64)?.cast_signed())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    blocks: Out<i32>,
    function: usize,
    block: i32,
    dynamic: usize,
    _flags: u32,
) -> Status {
    cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block, dynamic)
}

/// The block with which most threads run at once, the largest of several, and the grid that fills the device with them.
fn best(driver: &Driver, kernel: &Kernel, limit: i32, bytes: impl Fn(u32) -> u64) -> Answer<(u32, u32)> {
    let limit = if limit > 0 { limit.cast_unsigned() } else { BLOCK_THREADS };
    let most = limit.min(kernel.most_threads());
    let mut best = (0, 0, 0);
    for threads in (1..=most).rev().filter(|n| n.is_multiple_of(WARP) || *n == most) {
        let resident = kernel.resident(&driver.device, threads, bytes(threads))?;
        if resident * threads > best.0 {
            best = (resident * threads, resident * MULTIPROCESSORS, threads);
        }
    }
    Ok((best.1, best.2))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuOccupancyMaxPotentialBlockSize(
    grid: Out<i32>,
    block: Out<i32>,
    function: usize,
    bytes_of: Option<BytesOf>,
    dynamic: usize,
    limit: i32,
) -> Status {
    call(|driver| {
        let kernel = driver.handles.find::<Kernel>(function)?;
        let bytes =
            |threads: u32| bytes_of.map_or(dynamic, |bytes_of| bytes_of(threads.cast_signed())) as u64;
        let (blocks, threads) = best(driver, &kernel, limit, bytes)?;
        grid.give(blocks.cast_signed())?;
        block.give(threads.cast_signed())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuOccupancyMaxPotentialBlockSizeWithFlags(
    grid: Out<i32>,
    block: Out<i32>,
    function: usize,
    bytes_of: Option<BytesOf>,
    dynamic: usize,
    limit: i32,
    _flags: u32,
) -> Status {
    cuOccupancyMaxPotentialBlockSize(grid, block, function, bytes_of, dynamic, limit)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuOccupancyAvailableDynamicSMemPerBlock(
    bytes: Out<usize>,
    function: usize,
    blocks: i32,
    block: i32,
) -> Status {
    call(|driver| {
        let kernel = driver.handles.find::<Kernel>(function)?;
        let (blocks, threads) = (threads(blocks)?, threads(block)?);
        let used = kernel.footprint()?.shared_bytes;
        let each = u64::from(driver.device.arch.shared) / u64::from(blocks);
        let most = each.min(driver.device.arch.shared_of_block.into()).saturating_sub(used);
        // What the system keeps, and the steps in which it gives, are found by trying.
        let fits = |bytes: u64| kernel.resident(&driver.device, threads, bytes).is_ok_and(|n| n >= blocks);
        let found = (0..=most / 128).rev().map(|steps| steps * 128).find(|bytes| fits(*bytes));
        bytes.give(found.ok_or(Failed::from(Code::INVALID_VALUE))? as usize)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuOccupancyMaxActiveClusters(
    clusters: Out<i32>,
    function: usize,
    config: In<Config>,
) -> Status {
    call(|driver| {
        let kernel = driver.handles.find::<Kernel>(function)?;
        let config = config.read()?;
        let attributes = config.attributes.all(config.count as usize)?;
        let shape = kernel.cluster(&driver.device, config.grid, cluster(&attributes))?;
        let blocks = shape.map_or(1, |shape| shape.into_iter().product());
        let threads = config.block.into_iter().fold(1, u32::saturating_mul);
        let resident = kernel.resident(&driver.device, threads, config.shared_bytes.into())?;
        clusters.give((resident * MULTIPROCESSORS / blocks).cast_signed())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuOccupancyMaxPotentialClusterSize(
    blocks: Out<i32>,
    function: usize,
    config: In<Config>,
) -> Status {
    call(|driver| {
        let kernel = driver.handles.find::<Kernel>(function)?;
        let config = config.read()?;
        let threads = config.block.into_iter().fold(1, u32::saturating_mul);
        if kernel.resident(&driver.device, threads, config.shared_bytes.into())? == 0 {
            return Err(Code::INVALID_VALUE.into());
        }
        blocks.give(kernel.most_of_cluster(&driver.device)?.cast_signed())
    })
}
