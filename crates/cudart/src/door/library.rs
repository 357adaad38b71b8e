//! Libraries that the program loads by itself, and functions of the driver by name.

use super::pass::{Place, Pointer, Text};
use super::{Status, call, started};
use crate::errors::{Answer, Code};
use crate::runtime::Runtime;

#[unsafe(no_mangle)]
pub extern "C" fn cudaLibraryLoadData(
    library: Place<usize>,
    code: Pointer,
    options: Pointer,
    values: Pointer,
    count: u32,
    library_options: Pointer,
    library_values: Pointer,
    library_count: u32,
) -> Status {
    call(|runtime| {
        let driver = &runtime.driver;
        driver.cuLibraryLoadData(
            library,
            code,
            options,
            values,
            count,
            library_options,
            library_values,
            library_count,
        )
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLibraryLoadFromFile(
    library: Place<usize>,
    path: Text,
    options: Pointer,
    values: Pointer,
    count: u32,
    library_options: Pointer,
    library_values: Pointer,
    library_count: u32,
) -> Status {
    call(|runtime| {
        let driver = &runtime.driver;
        driver.cuLibraryLoadFromFile(
            library,
            path,
            options,
            values,
            count,
            library_options,
            library_values,
            library_count,
        )
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLibraryUnload(library: usize) -> Status {
    call(|runtime| runtime.driver.cuLibraryUnload(library))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLibraryGetKernel(kernel: Place<usize>, library: usize, name: Text) -> Status {
    call(|runtime| runtime.driver.cuLibraryGetKernel(kernel, library, name))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLibraryGetGlobal(
    address: Place<u64>,
    bytes: Place<usize>,
    library: usize,
    name: Text,
) -> Status {
    call(|runtime| runtime.driver.cuLibraryGetGlobal(address, bytes, library, name))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLibraryGetKernelCount(count: Place<u32>, library: usize) -> Status {
    call(|runtime| runtime.driver.cuLibraryGetKernelCount(count, library))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLibraryEnumerateKernels(kernels: Place<usize>, count: u32, library: usize) -> Status {
    call(|runtime| runtime.driver.cuLibraryEnumerateKernels(kernels, count, library))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaKernelSetAttributeForDevice(
    kernel: usize,
    attribute: u32,
    value: i32,
    device: i32,
) -> Status {
    call(|runtime| {
        runtime.check(device)?;
        runtime.driver.cuKernelSetAttribute(attribute, value, runtime.function(kernel)?, device)
    })
}

/// What is said of a function of the driver: it is there, there is none of the name, or none in the version.
const FOUND: u32 = 0;

fn entry_point(
    runtime: &Runtime,
    name: Text,
    function: Place<usize>,
    version: i32,
    flags: u64,
    status: Place<u32>,
) -> Answer {
    let mut found = FOUND;
    let answered = runtime.driver.cuGetProcAddress_v2(name, function, version, flags, &mut found);
    status.offer(found);
    // That there is none is no error to who asks for the status.
    if found != FOUND && !status.is_null() { Ok(()) } else { answered }
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetDriverEntryPoint(
    name: Text,
    function: Place<usize>,
    flags: u64,
    status: Place<u32>,
) -> Status {
    started(|runtime| entry_point(runtime, name, function, super::VERSION, flags, status))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetDriverEntryPointByVersion(
    name: Text,
    function: Place<usize>,
    version: u32,
    flags: u64,
    status: Place<u32>,
) -> Status {
    started(|runtime| {
        let version = i32::try_from(version).map_err(|_| Code::INVALID_VALUE)?;
        entry_point(runtime, name, function, version, flags, status)
    })
}

/// Tables of functions that NVIDIA's libraries have for each other: there are none.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetExportTable(table: Place<usize>, _id: Pointer) -> Status {
    super::bare(|| {
        table.offer(0);
        Err(Code::SYMBOL_NOT_FOUND)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaRuntimeGetVersion(version: Place<i32>) -> Status {
    super::bare(|| version.give(super::VERSION))
}
