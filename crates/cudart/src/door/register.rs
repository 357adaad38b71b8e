//! What compiled programs call before `main`, and for each launch: registration of their code, and the configuration of `<<<…>>>`.

use super::fat::{self, Wrapper};
use super::pass::{Extent3, In, Place, Pointer, Text};
use super::{Status, bare, call};
use crate::errors::Code;
use crate::registry;
use std::cell::RefCell;

/// The configurations of launches that the thread has begun, the last one last.
#[derive(Clone, Copy)]
struct Configuration {
    grid: Extent3,
    block: Extent3,
    shared_bytes: usize,
    stream: usize,
}

thread_local! {
    static CONFIGURATIONS: RefCell<Vec<Configuration>> = const { RefCell::new(Vec::new()) };
}

/// The handle of a fat binary; 0 where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterFatBinary(wrapper: In<Wrapper>) -> usize {
    let mut handle = 0;
    bare(|| {
        handle = registry::add(fat::read(wrapper)?);
        Ok(())
    });
    handle
}

/// Code is loaded when it is asked for.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterFatBinaryEnd(_binary: usize) {}

#[unsafe(no_mangle)]
pub extern "C" fn __cudaUnregisterFatBinary(binary: usize) {
    bare(|| {
        registry::remove(binary);
        Ok(())
    });
}

#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterFunction(
    binary: usize,
    host: usize,
    _device: Pointer,
    name: Text,
    _thread_limit: i32,
    _thread: Pointer,
    _block: Pointer,
    _block_extent: Pointer,
    _grid_extent: Pointer,
    _warp: Pointer,
) {
    bare(|| {
        registry::add_function(binary, host, name.get()?);
        Ok(())
    });
}

#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterVar(
    binary: usize,
    host: usize,
    _device: Pointer,
    name: Text,
    _external: i32,
    _bytes: usize,
    _constant: i32,
    _global: i32,
) {
    bare(|| {
        registry::add_variable(binary, host, name.get()?);
        Ok(())
    });
}

#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterManagedVar(
    binary: usize,
    pointer: Place<u64>,
    _device: Pointer,
    name: Text,
    _external: i32,
    _bytes: usize,
    _constant: i32,
    _global: i32,
) {
    bare(|| {
        registry::add_managed(binary, pointer, name.get()?);
        Ok(())
    });
}

/// Programs call it before they touch a managed variable. What is answered means that it went well.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaInitModule(binary: usize) -> u8 {
    u8::from(call(|runtime| runtime.place_managed(binary)) == Code::SUCCESS.0)
}

/// Answers 0: the launch may go on.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaPushCallConfiguration(
    grid: Extent3,
    block: Extent3,
    shared_bytes: usize,
    stream: usize,
) -> u32 {
    let configuration = Configuration { grid, block, shared_bytes, stream };
    // A thread that is ending launches nothing.
    let pushed = CONFIGURATIONS.try_with(|all| all.borrow_mut().push(configuration));
    u32::from(pushed.is_err())
}

#[unsafe(no_mangle)]
pub extern "C" fn __cudaPopCallConfiguration(
    grid: Place<Extent3>,
    block: Place<Extent3>,
    shared_bytes: Place<usize>,
    stream: Place<usize>,
) -> Status {
    bare(|| {
        let popped = CONFIGURATIONS.try_with(|all| all.borrow_mut().pop()).ok().flatten();
        let found = popped.ok_or(Code::MISSING_CONFIGURATION)?;
        grid.give(found.grid)?;
        block.give(found.block)?;
        shared_bytes.give(found.shared_bytes)?;
        stream.give(found.stream)
    })
}

/// The handle by which a compiled program launches a function: the host's function itself, which stands for it in every context.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaGetKernel(kernel: Place<usize>, host: usize) -> Status {
    bare(|| {
        let known = registry::is_function(host);
        kernel.give(if known { host } else { 0 })?;
        if known { Ok(()) } else { Err(Code::INVALID_FUNCTION) }
    })
}
