//! Modules, their functions and variables.

use super::options::Options;
use super::pass::{Host, In, Out, Text};
use super::{Status, call};
use crate::driver::Driver;
use crate::failed::{Answer, Failed};
use crate::image::whole;
use crate::module::Module;
use crate::results::Code;
use std::sync::Arc;

/// Loads an image into the current context.
fn load(driver: &Driver, module: &Out<usize>, bytes: &[u8], most_registers: Option<u32>) -> Answer {
    let context = driver.current()?.handle;
    if module.is_null() {
        return Err(Code::INVALID_VALUE.into());
    }
    module.give(driver.load(bytes, context, most_registers)?.handle)
}

/// The bytes of a file.
pub(super) fn file(path: Text) -> Answer<Vec<u8>> {
    let path = path.get()?;
    std::fs::read(&path)
        .map_err(|error| Failed::because(Code::FILE_NOT_FOUND, format!("`{path}` cannot be read: {error}")))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuModuleLoad(module: Out<usize>, path: Text) -> Status {
    call(|driver| load(driver, &module, &file(path)?, None))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuModuleLoadData(module: Out<usize>, image: Host) -> Status {
    call(|driver| load(driver, &module, &whole(&image)?, None))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuModuleLoadFatBinary(module: Out<usize>, image: Host) -> Status {
    cuModuleLoadData(module, image)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuModuleLoadDataEx(
    module: Out<usize>,
    image: Host,
    count: u32,
    options: In<u32>,
    values: In<Host>,
) -> Status {
    call(|driver| {
        let options = Options::read(count, options, values)?;
        let loaded = load(driver, &module, &whole(&image)?, options.most_registers());
        options.log(&values.to_write(), loaded.as_ref().err())?;
        loaded
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuModuleUnload(module: usize) -> Status {
    call(|driver| {
        let module = driver.handles.take::<Module>(module)?;
        driver.unload(&module);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuModuleGetFunction(function: Out<usize>, module: usize, name: Text) -> Status {
    call(|driver| {
        let module = driver.handles.find::<Module>(module)?;
        function.give(driver.kernel_named(&module, &name.get()?)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuModuleGetFunctionCount(count: Out<u32>, module: usize) -> Status {
    call(|driver| count.give(driver.handles.find::<Module>(module)?.kernels().len() as u32))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuModuleEnumerateFunctions(functions: Out<usize>, count: u32, module: usize) -> Status {
    call(|driver| all_kernels(driver, &functions, count, &driver.handles.find(module)?))
}

/// Gives the handles of as many kernels as are wanted.
pub(super) fn all_kernels(driver: &Driver, to: &Out<usize>, count: u32, module: &Arc<Module>) -> Answer {
    let all = module.kernels().into_iter().take(count as usize);
    to.give_all(&all.map(|id| driver.kernel_of(module, id)).collect::<Vec<_>>())
}

/// Gives the place of a variable.
pub(super) fn variable(module: &Module, address: Out<u64>, bytes: Out<usize>, name: Text) -> Answer {
    let (at, size) = module.program.variable(&name.get()?).ok_or(Failed::from(Code::NOT_FOUND))?;
    address.offer(at);
    bytes.offer(size as usize);
    Ok(())
}

#[unsafe(no_mangle)]
pub extern "C" fn cuModuleGetGlobal_v2(
    address: Out<u64>,
    bytes: Out<usize>,
    module: usize,
    name: Text,
) -> Status {
    call(|driver| variable(&*driver.handles.find(module)?, address, bytes, name))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuModuleGetLoadingMode(mode: Out<u32>) -> Status {
    /// Everything is loaded at once.
    const EAGER: u32 = 1;
    call(|_| mode.give(EAGER))
}
