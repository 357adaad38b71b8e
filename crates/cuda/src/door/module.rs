//! Modules, their functions and variables.

use super::pass::{Host, In, Out, Text};
use super::{Status, call};
use crate::driver::Driver;
use crate::failed::{Answer, Failed};
use crate::image::whole;
use crate::module::Module;
use crate::results::Code;
use std::sync::Arc;

/// Options of the compiler, by their numbers in `cuda.h`: the most registers, and where its words go.
const MOST_REGISTERS: u32 = 0;
const INFO_LOG: u32 = 3;
const INFO_LOG_BYTES: u32 = 4;
const ERROR_LOG: u32 = 5;
const ERROR_LOG_BYTES: u32 = 6;

/// The options of a call that compiles.
pub struct Options {
    numbers: Vec<u32>,
    values: Vec<Host>,
}

impl Options {
    pub(super) fn read(count: u32, numbers: In<u32>, values: In<Host>) -> Answer<Options> {
        Ok(Options { numbers: numbers.all(count as usize)?, values: values.all(count as usize)? })
    }

    fn value(&self, number: u32) -> Option<Host> {
        let at = self.numbers.iter().position(|known| *known == number)?;
        Some(self.values[at])
    }

    /// The most registers that kernels may have.
    pub fn most_registers(&self) -> Option<u32> {
        Some(self.value(MOST_REGISTERS)?.address() as u32).filter(|most| *most > 0)
    }

    /// Writes what the compiler said where the program wants it: an empty text, and the errors of a call that failed. How many
    /// bytes that are is said in the place of how many there is room for.
    pub fn log(&self, values: &Out<usize>, failed: Option<&Failed>) -> Answer {
        let mut told: Vec<usize> = self.values.iter().map(|value| value.address() as usize).collect();
        let error = failed.map_or("", |failed| failed.text.as_str());
        for (log, room, text) in [(INFO_LOG, INFO_LOG_BYTES, ""), (ERROR_LOG, ERROR_LOG_BYTES, error)] {
            if let (Some(mut log), Some(place)) =
                (self.value(log), self.numbers.iter().position(|n| *n == room))
                && log.address() != 0
            {
                told[place] = log.give_text(text, u64::from(told[place] as u32))? as usize;
            }
        }
        values.give_all(&told)
    }
}

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
