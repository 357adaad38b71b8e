//! A device, through NVIDIA's driver alone.

use crate::probe::{Given, Left, Probe, Runs};
use libloading::{Library, Symbol};
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};

pub struct Device {
    library: Library,
    /// Name, compute capability and version of the driver.
    pub name: String,
    pub target: String,
}

type Address = u64;
type Pointer = *mut c_void;

impl Device {
    /// The first device of the machine.
    pub fn first() -> Result<Device, String> {
        // SAFETY: the driver's library runs nothing of ours when it is loaded.
        let library = unsafe { Library::new("libcuda.so.1") }.map_err(|error| error.to_string())?;
        let mut device = Device { library, name: String::new(), target: String::new() };
        let (mut number, mut version, mut major, mut minor) = (0, 0, 0, 0);
        let mut context: Pointer = std::ptr::null_mut();
        let mut name = [0 as c_char; 128];
        const MAJOR: c_int = 75;
        const MINOR: c_int = 76;
        // SAFETY: the types are those of cuda.h; every pointer is to a place of ours that outlives its call.
        unsafe {
            type One<T> = unsafe extern "C" fn(*mut T) -> c_int;
            done("cuInit", device.get::<unsafe extern "C" fn(c_uint) -> c_int>("cuInit")?(0))?;
            done("cuDriverGetVersion", device.get::<One<c_int>>("cuDriverGetVersion")?(&mut version))?;
            let get = device.get::<unsafe extern "C" fn(*mut c_int, c_int) -> c_int>("cuDeviceGet")?;
            done("cuDeviceGet", get(&mut number, 0))?;
            let called =
                device.get::<unsafe extern "C" fn(*mut c_char, c_int, c_int) -> c_int>("cuDeviceGetName")?;
            done("cuDeviceGetName", called(name.as_mut_ptr(), 128, number))?;
            let attribute = device
                .get::<unsafe extern "C" fn(*mut c_int, c_int, c_int) -> c_int>("cuDeviceGetAttribute")?;
            done("cuDeviceGetAttribute", attribute(&mut major, MAJOR, number))?;
            done("cuDeviceGetAttribute", attribute(&mut minor, MINOR, number))?;
            let retain = device
                .get::<unsafe extern "C" fn(*mut Pointer, c_int) -> c_int>("cuDevicePrimaryCtxRetain")?;
            done("cuDevicePrimaryCtxRetain", retain(&mut context, number))?;
            let current = device.get::<unsafe extern "C" fn(Pointer) -> c_int>("cuCtxSetCurrent")?;
            done("cuCtxSetCurrent", current(context))?;
        }
        // SAFETY: the driver has ended the name with a zero.
        let called = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
        device.name = format!(
            "{called}, compute capability {major}.{minor}, driver {}.{}",
            version / 1000,
            version % 1000 / 10
        );
        device.target = format!("sm_{major}{minor}");
        Ok(device)
    }

    /// The function of this name; `T` must be its type in cuda.h.
    unsafe fn get<T>(&self, name: &str) -> Result<Symbol<'_, T>, String> {
        // SAFETY: the caller gives the type.
        unsafe { self.library.get(name.as_bytes()) }.map_err(|error| error.to_string())
    }

    /// Compiles and loads a module; what the driver's compiler says where it refuses it.
    fn load(&self, text: &str) -> Result<Pointer, String> {
        const ERROR_LOG: c_int = 5;
        const ERROR_LOG_BYTES: c_int = 6;
        type Load =
            unsafe extern "C" fn(*mut Pointer, *const c_void, c_uint, *mut c_int, *mut Pointer) -> c_int;
        let text = CString::new(text).map_err(|error| error.to_string())?;
        let mut module: Pointer = std::ptr::null_mut();
        let mut log = vec![0u8; 4096];
        let mut options = [ERROR_LOG, ERROR_LOG_BYTES];
        // A number stands in place of a pointer.
        let mut values: [Pointer; 2] =
            [log.as_mut_ptr().cast(), std::ptr::without_provenance_mut(log.len() - 1)];
        // SAFETY: the types are those of cuda.h; the text ends with a zero, the log has one byte more than is said.
        let status = unsafe {
            self.get::<Load>("cuModuleLoadDataEx")?(
                &mut module,
                text.as_ptr().cast(),
                2,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        let said = log.split(|byte| *byte == 0).next().unwrap_or_default();
        let said = String::from_utf8_lossy(said).replace('\n', " ");
        done("cuModuleLoadDataEx", status).map(|()| module).map_err(|error| format!("{error}: {said}"))
    }

    /// Memory with these bytes.
    fn sent(&self, bytes: &[u8]) -> Result<Address, String> {
        let mut at: Address = 0;
        // SAFETY: the types are those of cuda.h; as many bytes are allocated as are copied.
        unsafe {
            type Alloc = unsafe extern "C" fn(*mut Address, usize) -> c_int;
            type Send = unsafe extern "C" fn(Address, *const c_void, usize) -> c_int;
            done("cuMemAlloc", self.get::<Alloc>("cuMemAlloc_v2")?(&mut at, bytes.len().max(1)))?;
            done(
                "cuMemcpyHtoD",
                self.get::<Send>("cuMemcpyHtoD_v2")?(at, bytes.as_ptr().cast(), bytes.len()),
            )?;
        }
        Ok(at)
    }

    fn fetched(&self, at: Address, count: usize) -> Result<Vec<u8>, String> {
        let mut bytes = vec![0; count];
        type Fetch = unsafe extern "C" fn(Pointer, Address, usize) -> c_int;
        // SAFETY: the type is that of cuda.h; `count` bytes were allocated there, and are here.
        let status =
            unsafe { self.get::<Fetch>("cuMemcpyDtoH_v2")?(bytes.as_mut_ptr().cast(), at, bytes.len()) };
        done("cuMemcpyDtoH", status).map(|()| bytes)
    }

    fn launch(&self, module: Pointer, probe: &Probe, parameters: &mut [Pointer]) -> Result<(), String> {
        type Find = unsafe extern "C" fn(*mut Pointer, Pointer, *const c_char) -> c_int;
        type Launch = unsafe extern "C" fn(
            Pointer,
            c_uint,
            c_uint,
            c_uint,
            c_uint,
            c_uint,
            c_uint,
            c_uint,
            Pointer,
            *mut Pointer,
            *mut Pointer,
        ) -> c_int;
        let entry = CString::new(probe.entry.as_str()).map_err(|error| error.to_string())?;
        let mut function: Pointer = std::ptr::null_mut();
        let null = std::ptr::null_mut();
        let ([gx, gy, gz], [bx, by, bz]) = (probe.grid, probe.block);
        // SAFETY: the types are those of cuda.h; there is a pointer to each of the kernel's parameters, as wide as its declaration.
        unsafe {
            done(
                "cuModuleGetFunction",
                self.get::<Find>("cuModuleGetFunction")?(&mut function, module, entry.as_ptr()),
            )?;
            let launched = self.get::<Launch>("cuLaunchKernel")?(
                function,
                gx,
                gy,
                gz,
                bx,
                by,
                bz,
                probe.shared_bytes,
                null,
                parameters.as_mut_ptr(),
                std::ptr::null_mut(),
            );
            done("cuLaunchKernel", launched)?;
            done("cuCtxSynchronize", self.get::<unsafe extern "C" fn() -> c_int>("cuCtxSynchronize")?())
        }
    }

    /// Begins anew after a launch that failed: until then every call fails.
    fn recover(&self) -> Result<(), String> {
        let (mut number, mut context): (c_int, Pointer) = (0, std::ptr::null_mut());
        // SAFETY: the types are those of cuda.h; nothing of the old context is used any more.
        unsafe {
            let get = self.get::<unsafe extern "C" fn(*mut c_int, c_int) -> c_int>("cuDeviceGet")?;
            done("cuDeviceGet", get(&mut number, 0))?;
            let reset = self.get::<unsafe extern "C" fn(c_int) -> c_int>("cuDevicePrimaryCtxReset_v2")?;
            done("cuDevicePrimaryCtxReset", reset(number))?;
            let retain =
                self.get::<unsafe extern "C" fn(*mut Pointer, c_int) -> c_int>("cuDevicePrimaryCtxRetain")?;
            done("cuDevicePrimaryCtxRetain", retain(&mut context, number))?;
            let current = self.get::<unsafe extern "C" fn(Pointer) -> c_int>("cuCtxSetCurrent")?;
            done("cuCtxSetCurrent", current(context))
        }
    }

    /// Gives back memory and module.
    fn freed(&self, memory: &[Address], module: Pointer) -> Result<(), String> {
        // SAFETY: the types are those of cuda.h; nothing uses them any more.
        unsafe {
            let free = self.get::<unsafe extern "C" fn(Address) -> c_int>("cuMemFree_v2")?;
            memory.iter().try_for_each(|at| done("cuMemFree", free(*at)))?;
            let unload = self.get::<unsafe extern "C" fn(Pointer) -> c_int>("cuModuleUnload")?;
            done("cuModuleUnload", unload(module))
        }
    }
}

impl Runs for Device {
    fn run(&self, probe: &Probe) -> Left {
        let module = self.load(&probe.text)?;
        let (mut buffers, mut values) = (Vec::new(), Vec::new());
        for given in &probe.arguments {
            let bytes = match given {
                Given::Value(bytes) => {
                    values.push(bytes.clone());
                    continue;
                }
                Given::Buffer(bytes) => bytes.clone(),
                Given::Zeros(count) => vec![0; *count],
            };
            let at = self.sent(&bytes)?;
            values.push(at.to_le_bytes().to_vec());
            buffers.push((at, bytes.len()));
        }
        let mut parameters: Vec<Pointer> = values.iter_mut().map(|value| value.as_mut_ptr().cast()).collect();
        if let Err(why) = self.launch(module, probe, &mut parameters) {
            self.recover().map_err(|again| format!("{why}, then {again}"))?;
            return Err(why);
        }
        let left = buffers.iter().map(|(at, bytes)| self.fetched(*at, *bytes)).collect();
        let memory: Vec<Address> = buffers.iter().map(|(at, _)| *at).collect();
        self.freed(&memory, module)?;
        left
    }
}

fn done(what: &str, status: c_int) -> Result<(), String> {
    if status == 0 { Ok(()) } else { Err(format!("{what}: error {status}")) }
}
