//! Kernels, by either of their two kinds of handles, which are one here.

use super::device::check;
use super::pass::Out;
use super::{Status, call};
use crate::failed::Failed;
use crate::kernel::Kernel;
use crate::results::Code;
use std::ffi::c_char;
use std::sync::atomic::Ordering::Relaxed;

#[unsafe(no_mangle)]
pub extern "C" fn cuFuncGetAttribute(value: Out<i32>, number: u32, function: usize) -> Status {
    call(|driver| value.give(driver.handles.find::<Kernel>(function)?.attribute(number, &driver.device)?))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuKernelGetAttribute(value: Out<i32>, number: u32, kernel: usize, device: i32) -> Status {
    call(|driver| {
        check(device)?;
        value.give(driver.handles.find::<Kernel>(kernel)?.attribute(number, &driver.device)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuFuncSetAttribute(function: usize, number: u32, value: i32) -> Status {
    call(|driver| driver.handles.find::<Kernel>(function)?.set_attribute(number, value, &driver.device))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuKernelSetAttribute(number: u32, value: i32, kernel: usize, device: i32) -> Status {
    call(|driver| {
        check(device)?;
        driver.handles.find::<Kernel>(kernel)?.set_attribute(number, value, &driver.device)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuFuncSetCacheConfig(function: usize, _config: u32) -> Status {
    call(|driver| driver.handles.find::<Kernel>(function).map(|_| ()))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuKernelSetCacheConfig(kernel: usize, _config: u32, device: i32) -> Status {
    call(|driver| {
        check(device)?;
        driver.handles.find::<Kernel>(kernel).map(|_| ())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuFuncSetSharedMemConfig(function: usize, _config: u32) -> Status {
    cuFuncSetCacheConfig(function, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuFuncSetBlockShape(function: usize, x: i32, y: i32, z: i32) -> Status {
    call(|driver| {
        let kernel = driver.handles.find::<Kernel>(function)?;
        for (extent, kept) in [x, y, z].into_iter().zip(&kernel.block) {
            let extent = u32::try_from(extent).map_err(|_| Failed::from(Code::INVALID_VALUE))?;
            kept.store(extent, Relaxed);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuFuncGetModule(module: Out<usize>, function: usize) -> Status {
    call(|driver| module.give(driver.handles.find::<Kernel>(function)?.module.handle))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuFuncGetName(name: Out<*const c_char>, function: usize) -> Status {
    // The handle keeps the name as long as the module is loaded.
    call(|driver| name.give(driver.handles.find::<Kernel>(function)?.name.as_ptr()))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuKernelGetName(name: Out<*const c_char>, kernel: usize) -> Status {
    cuFuncGetName(name, kernel)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuFuncGetParamInfo(
    function: usize,
    index: usize,
    offset: Out<usize>,
    bytes: Out<usize>,
) -> Status {
    call(|driver| {
        let kernel = driver.handles.find::<Kernel>(function)?;
        let parameter = kernel.function().parameters.get(index).ok_or(Failed::from(Code::INVALID_VALUE))?;
        offset.give(parameter.offset as usize)?;
        bytes.offer(parameter.size as usize);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuKernelGetParamInfo(
    kernel: usize,
    index: usize,
    offset: Out<usize>,
    bytes: Out<usize>,
) -> Status {
    cuFuncGetParamInfo(kernel, index, offset, bytes)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuFuncGetParamCount(function: usize, count: Out<usize>) -> Status {
    call(|driver| count.give(driver.handles.find::<Kernel>(function)?.function().parameters.len()))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuKernelGetParamCount(kernel: usize, count: Out<usize>) -> Status {
    cuFuncGetParamCount(kernel, count)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuFuncIsLoaded(state: Out<u32>, function: usize) -> Status {
    /// Everything is.
    const LOADED: u32 = 1;
    call(|driver| driver.handles.find::<Kernel>(function).and_then(|_| state.give(LOADED)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuFuncLoad(function: usize) -> Status {
    call(|driver| driver.handles.find::<Kernel>(function).map(|_| ()))
}
