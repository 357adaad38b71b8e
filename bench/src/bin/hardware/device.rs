//! A device, through NVIDIA's driver alone.

use libloading::{Library, Symbol};
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};

pub struct Device {
    library: Library,
    /// Name, compute capability and version of the driver.
    pub name: String,
    pub target: String,
}

type Address = u64;

impl Device {
    /// The first device of the machine.
    pub fn first() -> Result<Device, String> {
        // SAFETY: the driver's library runs nothing of ours when it is loaded.
        let library = unsafe { Library::new("libcuda.so.1") }.map_err(|error| error.to_string())?;
        let mut device = Device { library, name: String::new(), target: String::new() };
        let (mut number, mut version, mut major, mut minor) = (0, 0, 0, 0);
        let mut context: *mut c_void = std::ptr::null_mut();
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
                .get::<unsafe extern "C" fn(*mut *mut c_void, c_int) -> c_int>("cuDevicePrimaryCtxRetain")?;
            done("cuDevicePrimaryCtxRetain", retain(&mut context, number))?;
            let current = device.get::<unsafe extern "C" fn(*mut c_void) -> c_int>("cuCtxSetCurrent")?;
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

    /// Loads a module, and runs its kernel `k` on parts of the inputs; `part` gives the sources of one, and takes the results.
    pub fn run(
        &self,
        text: &str,
        threads: usize,
        sources: usize,
        parts: u64,
        mut part: impl FnMut(u64, &mut [u64]) -> bool,
        mut results: impl FnMut(u64, &[u64]),
    ) -> Result<(), String> {
        const BLOCK: u32 = 256;
        let text = CString::new(text).map_err(|error| error.to_string())?;
        let (mut module, mut function): (*mut c_void, *mut c_void) =
            (std::ptr::null_mut(), std::ptr::null_mut());
        let (mut input, mut output): (Address, Address) = (0, 0);
        let (mut sent, mut back) = (vec![0u64; threads * sources.max(1)], vec![0u64; threads]);
        // SAFETY: the types are those of cuda.h. Kernels read `sources` words and write one a thread, and as many are allocated.
        unsafe {
            type Load = unsafe extern "C" fn(*mut *mut c_void, *const c_void) -> c_int;
            type Find = unsafe extern "C" fn(*mut *mut c_void, *mut c_void, *const c_char) -> c_int;
            type Alloc = unsafe extern "C" fn(*mut Address, usize) -> c_int;
            type Launch = unsafe extern "C" fn(
                *mut c_void,
                c_uint,
                c_uint,
                c_uint,
                c_uint,
                c_uint,
                c_uint,
                c_uint,
                *mut c_void,
                *mut *mut c_void,
                *mut *mut c_void,
            ) -> c_int;
            done(
                "cuModuleLoadData",
                self.get::<Load>("cuModuleLoadData")?(&mut module, text.as_ptr().cast()),
            )?;
            done(
                "cuModuleGetFunction",
                self.get::<Find>("cuModuleGetFunction")?(&mut function, module, c"k".as_ptr()),
            )?;
            done("cuMemAlloc", self.get::<Alloc>("cuMemAlloc_v2")?(&mut input, 8 * sent.len()))?;
            done("cuMemAlloc", self.get::<Alloc>("cuMemAlloc_v2")?(&mut output, 8 * back.len()))?;
            let send =
                self.get::<unsafe extern "C" fn(Address, *const c_void, usize) -> c_int>("cuMemcpyHtoD_v2")?;
            let fetch =
                self.get::<unsafe extern "C" fn(*mut c_void, Address, usize) -> c_int>("cuMemcpyDtoH_v2")?;
            let launch = self.get::<Launch>("cuLaunchKernel")?;
            for number in 0..parts {
                if !part(number, &mut sent) {
                    break;
                }
                done("cuMemcpyHtoD", send(input, sent.as_ptr().cast(), 8 * sent.len()))?;
                let mut parameters: [*mut c_void; 2] = [(&raw mut input).cast(), (&raw mut output).cast()];
                let blocks = (threads as u32).div_ceil(BLOCK);
                let null = std::ptr::null_mut();
                let launched = launch(
                    function,
                    blocks,
                    1,
                    1,
                    BLOCK,
                    1,
                    1,
                    0,
                    null,
                    parameters.as_mut_ptr(),
                    std::ptr::null_mut(),
                );
                done("cuLaunchKernel", launched)?;
                done("cuMemcpyDtoH", fetch(back.as_mut_ptr().cast(), output, 8 * back.len()))?;
                results(number, &back);
            }
            let free = self.get::<unsafe extern "C" fn(Address) -> c_int>("cuMemFree_v2")?;
            done("cuMemFree", free(input))?;
            done("cuMemFree", free(output))?;
            done(
                "cuModuleUnload",
                self.get::<unsafe extern "C" fn(*mut c_void) -> c_int>("cuModuleUnload")?(module),
            )
        }
    }
}

fn done(what: &str, status: c_int) -> Result<(), String> {
    if status == 0 { Ok(()) } else { Err(format!("{what}: error {status}")) }
}
