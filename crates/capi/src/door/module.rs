//! Modules, their variables and kernels.

use super::pass::Growing;
use super::{call, pass};
use crate::device::Device;
use crate::failure::Failure;
use crate::module::Module;
use margay_front::Source;
use margay_isa::Kind;
use std::ffi::{c_char, c_int};

/// Bytes: of a structure, or of an element without a type.
pub const MARGAY_KIND_BYTES: u32 = 0;
/// A number without sign, or an address.
pub const MARGAY_KIND_UNSIGNED: u32 = 1;
/// A number with sign.
pub const MARGAY_KIND_SIGNED: u32 = 2;
/// A floating-point number.
pub const MARGAY_KIND_FLOAT: u32 = 3;

/// A parameter of a kernel.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Parameter {
    /// `sizeof` the structure, to be set before the call.
    pub struct_bytes: usize,
    /// Its name, which the module keeps.
    pub name: *const c_char,
    /// Bytes from the start of the parameters.
    pub offset: u64,
    /// Bytes.
    pub bytes: u64,
    /// A multiple of which the offset is.
    pub align: u64,
    /// What its elements are: `MARGAY_KIND_…`.
    pub kind: u32,
    /// 1 for an array, as compilers write a structure that is passed by value; otherwise 0.
    pub is_array: u32,
}

// SAFETY: `repr(C)`, the size first, and made of numbers and a pointer that is not followed.
unsafe impl Growing for Parameter {
    const NOTHING: Parameter = Parameter {
        struct_bytes: 0,
        name: std::ptr::null(),
        offset: 0,
        bytes: 0,
        align: 0,
        kind: MARGAY_KIND_BYTES,
        is_array: 0,
    };
}

/// Checks PTX source of `bytes` bytes and puts its variables on a device. `name` is what errors call the text, or null. With
/// `MARGAY_INVALID_PTX`, `margay_last_error` has all errors. Several threads may use a module at once.
///
/// # Safety
/// `device` must be one, `text` have so many bytes, `name` be null or end with a zero byte, `module` have room for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn margay_load(
    device: *const Device,
    text: *const c_char,
    bytes: usize,
    name: *const c_char,
    module: *mut *mut Module,
) -> c_int {
    call(|| {
        // SAFETY: `device` points to one that lives, or is null.
        unsafe {
            let (device, name) = (pass::handle("device", device)?, pass::name("name", name)?);
            let text = pass::bytes("text", text.cast(), bytes as u64)?;
            pass::give("module", module, std::ptr::null_mut())?;
            let source = Source::from_bytes(name.unwrap_or("<ptx>"), text.to_vec());
            pass::give("module", module, Box::into_raw(Box::new(Module::load(device, source)?)))
        }
    })
}

/// Frees a module and the memory of its variables; null is none.
///
/// # Safety
/// It must come from `margay_load`, and no other call use it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn margay_module_free(module: *mut Module) {
    if !module.is_null() {
        call(|| {
            // SAFETY: the caller's promise: it was made by `Box::into_raw`.
            drop(unsafe { Box::from_raw(module) });
            Ok(())
        });
    }
}

/// Where a `.global` or `.const` variable lies, and how many bytes it has. What is not wanted may be null.
///
/// # Safety
/// `module` must be one, `name` end with a zero byte, the others be null or have room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn margay_variable(
    module: *const Module,
    name: *const c_char,
    address: *mut u64,
    bytes: *mut u64,
) -> c_int {
    call(|| {
        // SAFETY: `module` points to one that lives, or is null.
        let (module, name) = unsafe { (pass::handle("module", module)?, pass::name("name", name)?) };
        let name = name.ok_or_else(|| Failure::wrong_call("`name` is null"))?;
        let found = module.program.variable(name);
        let unknown = || Failure::wrong_call(format!("the module has no variable `{name}` with an address"));
        let (at, size) = found.ok_or_else(unknown)?;
        for (to, value) in [(address, at), (bytes, size)] {
            if !to.is_null() {
                // SAFETY: `address` has room for one, or is null.
                unsafe { pass::give("address", to, value) }?;
            }
        }
        Ok(())
    })
}

/// How many kernels with a body a module has; they are numbered in the order of the text. 0 for null.
///
/// # Safety
/// `module` must be one or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn margay_kernel_count(module: *const Module) -> u32 {
    // SAFETY: `module` points to one that lives, or is null.
    unsafe { module.as_ref() }.map_or(0, |module| module.kernels.len() as u32)
}

/// The number of the kernel called `name`; of the only one, if `name` is null.
///
/// # Safety
/// `module` must be one, `name` null or end with a zero byte, `kernel` have room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn margay_kernel(
    module: *const Module,
    name: *const c_char,
    kernel: *mut u32,
) -> c_int {
    call(|| {
        // SAFETY: `module` points to one that lives, or is null.
        unsafe {
            let (module, name) = (pass::handle("module", module)?, pass::name("name", name)?);
            pass::give("kernel", kernel, module.find(name)?)
        }
    })
}

/// The name of a kernel, which the module keeps; null if there is no such number.
///
/// # Safety
/// `module` must be one or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn margay_kernel_name(module: *const Module, kernel: u32) -> *const c_char {
    // SAFETY: `module` points to one that lives, or is null.
    let found = unsafe { module.as_ref() }.and_then(|module| module.kernels.get(kernel as usize));
    found.map_or(std::ptr::null(), |kernel| kernel.name.as_ptr())
}

/// How many parameters a kernel has, and how many bytes they take together. What is not wanted may be null.
///
/// # Safety
/// `module` must be one, the others be null or have room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn margay_kernel_parameters(
    module: *const Module,
    kernel: u32,
    count: *mut u32,
    bytes: *mut u64,
) -> c_int {
    call(|| {
        // SAFETY: `module` points to one that lives, or is null.
        let (_, function) = unsafe { pass::handle("module", module) }?.kernel(kernel)?;
        if !count.is_null() {
            // SAFETY: `count` has room for one, or is null.
            unsafe { pass::give("count", count, function.parameters.len() as u32) }?;
        }
        if !bytes.is_null() {
            // SAFETY: `bytes` has room for one, or is null.
            unsafe { pass::give("bytes", bytes, function.parameter_bytes) }?;
        }
        Ok(())
    })
}

/// A parameter of a kernel, by its number from 0.
///
/// # Safety
/// `module` must be one, `parameter` have as many bytes as its `struct_bytes` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn margay_kernel_parameter(
    module: *const Module,
    kernel: u32,
    index: u32,
    parameter: *mut Parameter,
) -> c_int {
    call(|| {
        // SAFETY: `module` points to one that lives, or is null.
        let (kernel, function) = unsafe { pass::handle("module", module) }?.kernel(kernel)?;
        let found = function.parameters.get(index as usize).zip(kernel.names.get(index as usize));
        let (found, name) = found.ok_or_else(|| {
            let count = function.parameters.len();
            Failure::wrong_call(format!("there is no parameter number `{index}`: the kernel has {count}"))
        })?;
        let kind = match found.element.kind {
            _ if found.is_array => MARGAY_KIND_BYTES,
            Kind::Unsigned => MARGAY_KIND_UNSIGNED,
            Kind::Signed => MARGAY_KIND_SIGNED,
            Kind::Float => MARGAY_KIND_FLOAT,
            _ => MARGAY_KIND_BYTES,
        };
        let told = Parameter {
            struct_bytes: 0,
            name: name.as_ptr(),
            offset: found.offset,
            bytes: found.size,
            align: found.align,
            kind,
            is_array: found.is_array.into(),
        };
        // SAFETY: `parameter` has as many bytes as it says itself, or is null.
        unsafe { pass::give_sized("parameter", parameter, told) }
    })
}
