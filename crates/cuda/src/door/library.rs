//! Libraries, which belong to no context, and their kernels.

use super::module::{all_kernels, file, variable};
use super::options::Options;
use super::pass::{Host, In, Out, Text};
use super::{Status, call};
use crate::driver::Driver;
use crate::failed::Answer;
use crate::image::whole;
use crate::kernel::Kernel;
use crate::module::Module;
use crate::results::Code;

fn load(driver: &Driver, library: &Out<usize>, bytes: &[u8], options: &Options, values: In<Host>) -> Answer {
    if library.is_null() {
        return Err(Code::INVALID_VALUE.into());
    }
    let loaded = driver.load(bytes, 0, options.most_registers());
    options.log(&values.to_write(), loaded.as_ref().err())?;
    library.give(loaded?.handle)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLibraryLoadData(
    library: Out<usize>,
    image: Host,
    options: In<u32>,
    values: In<Host>,
    count: u32,
    _library_options: In<u32>,
    _library_values: In<Host>,
    _library_count: u32,
) -> Status {
    call(|driver| load(driver, &library, &whole(&image)?, &Options::read(count, options, values)?, values))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLibraryLoadFromFile(
    library: Out<usize>,
    path: Text,
    options: In<u32>,
    values: In<Host>,
    count: u32,
    _library_options: In<u32>,
    _library_values: In<Host>,
    _library_count: u32,
) -> Status {
    call(|driver| load(driver, &library, &file(path)?, &Options::read(count, options, values)?, values))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLibraryUnload(library: usize) -> Status {
    super::module::cuModuleUnload(library)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLibraryGetKernel(kernel: Out<usize>, library: usize, name: Text) -> Status {
    super::module::cuModuleGetFunction(kernel, library, name)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLibraryGetKernelCount(count: Out<u32>, library: usize) -> Status {
    super::module::cuModuleGetFunctionCount(count, library)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLibraryEnumerateKernels(kernels: Out<usize>, count: u32, library: usize) -> Status {
    call(|driver| all_kernels(driver, &kernels, count, &driver.handles.find(library)?))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLibraryGetModule(module: Out<usize>, library: usize) -> Status {
    call(|driver| module.give(driver.handles.find::<Module>(library)?.handle))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLibraryGetGlobal(
    address: Out<u64>,
    bytes: Out<usize>,
    library: usize,
    name: Text,
) -> Status {
    call(|driver| variable(&*driver.handles.find(library)?, address, bytes, name))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuKernelGetLibrary(library: Out<usize>, kernel: usize) -> Status {
    call(|driver| library.give(driver.handles.find::<Kernel>(kernel)?.module.handle))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuKernelGetFunction(function: Out<usize>, kernel: usize) -> Status {
    call(|driver| function.give(driver.handles.find::<Kernel>(kernel)?.handle))
}
