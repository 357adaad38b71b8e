//! The entry that programs written for GPU Ocelot's library call, with host addresses in place of device memory.

use super::guarded;
use crate::cache::Cache;
use crate::failure::{Failure, MARGAY_OK, MARGAY_REFUSED, MARGAY_TRAP};
use crate::module::checked;
use crate::ranges::{self, Range, Ranges};
use crate::setting::{self, Computed};
use margay_doors::count::counted;
use margay_doors::located::Located;
use margay_exec::{Error, Launch, Memory, Program};
use margay_front::Source;
use margay_front::module::{Function, FunctionId, Module, Space};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::io::Write;
use std::sync::{Arc, LazyLock, Once, PoisonError, RwLock, RwLockWriteGuard};

/// Modules by their texts: at most so many, and so many bytes of text.
static MODULES: LazyLock<Cache<Text>> = LazyLock::new(|| Cache::new(256, 64 << 20));

/// Runs the first kernel of PTX source, of any version and target, and waits for its end. `args` has one entry for each parameter: the
/// 64-bit value itself, not its address; a narrower parameter takes the low bits. Pointers are addresses of the host, that
/// the caller owns. Variables of the module begin with their initial values each time. 0 if all went well; otherwise a status
/// (`MARGAY_INVALID_PTX` and so on), with the reason on standard error. What the kernel prints goes to standard output.
///
/// The environment variable `MARGAY_ON_ERROR=abort` ends the process instead of returning a status, for programs that do not
/// look at it. `MARGAY_SEMANTICS=ptxas-13.5` computes what code of NVIDIA's assembler 13.5 computes; without it the first launch
/// of a text warns on standard error of every line where the manual says otherwise. `MARGAY_APPROX=rounded` rounds approximate
/// functions (such as `rcp.approx.f32`) correctly instead of as a device does; the two do not go together. `MARGAY_CONTRACT=1` adds
/// products unrounded where the code names no rounding, as NVIDIA's assembler joins them. `MARGAY_DEVICE=sm_90` computes products of
/// matrices (`mma`, `wmma`) as the tensor cores of that device do, instead of those of the module's target.
///
/// The caller's memory is used as it is: a kernel that leaves it destroys what it hits, as a wrong pointer in C does. Register
/// ranges with `ptx_register` to have every access checked.
///
/// # Safety
/// `source` must end with a zero byte, `args` have `n_args` entries; unless ranges are registered, the kernel may use only memory that is
/// there, and that nobody else uses meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_run(
    source: *const c_char,
    n_args: c_int,
    args: *mut *mut c_void,
    block_x: c_int,
    block_y: c_int,
    block_z: c_int,
    grid_x: c_int,
    grid_y: c_int,
    grid_z: c_int,
    shared_bytes: c_int,
) -> c_int {
    told(|| {
        let shape = Shape {
            block: [("block_x", block_x), ("block_y", block_y), ("block_z", block_z)],
            grid: [("grid_x", grid_x), ("grid_y", grid_y), ("grid_z", grid_z)],
            shared_bytes,
        };
        if source.is_null() {
            return Err(Failure::wrong_call("`source` is null"));
        }
        let count = number("n_args", n_args, 0)?;
        if args.is_null() && count > 0 {
            return Err(Failure::wrong_call("`args` is null"));
        }
        // SAFETY: a zero byte ends `source`, and `args` points to `n_args` pointers.
        let (source, args) = unsafe {
            let args = match count {
                0 => Vec::new(),
                _ => std::slice::from_raw_parts(args.cast_const(), count as usize).to_vec(),
            };
            (CStr::from_ptr(source).to_bytes(), args)
        };
        let args: Vec<u64> = args.into_iter().map(|value| value.expose_provenance() as u64).collect();
        MODULES.get(source, || Text::read(source))?.run(&args, &shape)
    })
}

/// Registers bytes of the caller for `ptx_run`. As long as any are registered, kernels may use only registered bytes: every other
/// access stops them with the reason. Kernels may not write to them where `read_only` is not 0. 0 if all went well.
///
/// # Safety
/// So many bytes must be there until `ptx_unregister` takes them back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_register(start: *mut c_void, bytes: u64, read_only: c_int) -> c_int {
    let range = Range { bytes, read_only: read_only != 0 };
    told(|| ranges::register(start.expose_provenance() as u64, range))
}

/// Takes registered bytes back, by the address of the first one. 0 if all went well.
#[unsafe(no_mangle)]
pub extern "C" fn ptx_unregister(start: *mut c_void) -> c_int {
    told(|| ranges::unregister(start.addr() as u64))
}

/// The status of a call whose failure is told on standard error.
fn told(body: impl FnOnce() -> Result<(), Failure>) -> c_int {
    let Err(failure) = guarded(body) else { return MARGAY_OK };
    setting::tell(&failure);
    setting::abort_if_asked(&failure, true);
    failure.status
}

/// What a launch is told of its threads.
struct Shape {
    block: [(&'static str, c_int); 3],
    grid: [(&'static str, c_int); 3],
    shared_bytes: c_int,
}

fn number(what: &str, number: c_int, least: u32) -> Result<u32, Failure> {
    let given = u32::try_from(number).ok().filter(|n| *n >= least);
    given.ok_or_else(|| Failure::wrong_call(format!("`{what}` is `{number}`, but must be {least} or more")))
}

fn axes(given: [(&'static str, c_int); 3]) -> Result<[u32; 3], Failure> {
    let [x, y, z] = given.map(|(what, n)| number(what, n, 1));
    Ok([x?, y?, z?])
}

/// A checked text and the kernel that is run of it.
struct Text {
    source: Source,
    module: Arc<Module>,
    entry: FunctionId,
    /// What can be launched again and again, if the module keeps nothing from launch to launch.
    kept: RwLock<Option<Loaded>>,
    keeps_nothing: bool,
    /// Whether the lines were told that a device computes otherwise.
    warned: Once,
}

/// A module in a memory with host addresses.
struct Loaded {
    memory: Memory,
    program: Program<'static>,
    /// What is lent; nothing to memory that is open.
    lent: Arc<Ranges>,
}

impl Text {
    fn read(text: &[u8]) -> Result<Text, Failure> {
        let source = Source::from_bytes("<ptx>", text.to_vec());
        let module = checked(&source)?;
        let entry = module.functions().iter().position(|f| f.is_entry && f.is_defined);
        let entry =
            entry.ok_or_else(|| Failure::wrong_call("the text has no kernel: an `.entry` with a body"))?;
        let variables = module.variables().iter().any(|v| v.space == Space::Global && !v.is_extern);
        // A function without a body may be one of the device's runtime, such as that which allocates.
        let runtime = module.functions().iter().any(|f| !f.is_defined);
        Ok(Text {
            source,
            module: Arc::new(module),
            entry: FunctionId(entry as u32),
            kept: RwLock::new(None),
            keeps_nothing: !variables && !runtime,
            warned: Once::new(),
        })
    }

    fn run(&self, args: &[u64], shape: &Shape) -> Result<(), Failure> {
        let kernel = self.module.function(self.entry);
        let Computed { semantics, contract, device } = setting::computed()?;
        let launch = Launch {
            grid: axes(shape.grid)?.into(),
            block: axes(shape.block)?.into(),
            shared_bytes: number("shared_bytes", shape.shared_bytes, 0)?.into(),
            parameters: block(kernel, args)?,
            semantics,
            contract,
            device,
            ..Launch::new(self.entry)
        };
        let registered = ranges::now();
        if !self.keeps_nothing {
            return self.launch(&launch, &Loaded::new(&self.module, &registered)?);
        }
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(loaded) = kept.as_ref().filter(|loaded| loaded.lent == registered) {
            return self.launch(&launch, loaded);
        }
        drop(kept);
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        let loaded = match kept.take() {
            Some(loaded) => loaded.with(&self.module, &registered)?,
            None => Loaded::new(&self.module, &registered)?,
        };
        *kept = Some(loaded);
        match RwLockWriteGuard::downgrade(kept).as_ref() {
            Some(loaded) => self.launch(&launch, loaded),
            None => Ok(()),
        }
    }

    fn launch(&self, launch: &Launch, loaded: &Loaded) -> Result<(), Failure> {
        let located = Located { source: &self.source, module: &self.module };
        self.warned.call_once(|| {
            let warnings = located.errata(launch.entry, launch.semantics);
            let text: String = warnings.iter().map(|w| format!("warning: {}\n", w.text("<ptx>"))).collect();
            // Nothing is left to be done if standard error is closed.
            let _ = std::io::stderr().lock().write_all(text.as_bytes());
        });
        let (printed, ended) = match launch.run(&loaded.program, &loaded.memory) {
            Ok(report) => (report.printed, Ok(())),
            Err(Error::Launch(error)) => {
                return Err(Failure::of(MARGAY_REFUSED, &located.wrong_call(&error)));
            }
            Err(Error::Trap(trap)) => {
                let failure = Failure { status: MARGAY_TRAP, text: located.trap(&trap, false) };
                (trap.printed, Err(failure))
            }
        };
        if !printed.is_empty() {
            let mut out = std::io::stdout().lock();
            // Nothing is left to be done if standard output is closed.
            let _ = out.write_all(printed.as_bytes()).and_then(|()| out.flush());
        }
        ended
    }
}

impl Loaded {
    fn new(module: &Arc<Module>, ranges: &Arc<Ranges>) -> Result<Loaded, Failure> {
        let mut memory = match ranges.is_empty() {
            // SAFETY: whoever calls `ptx_run` without registered ranges promises that kernels use only what is there.
            true => unsafe { Memory::open_host() },
            false => Memory::host(),
        };
        let program = Program::share(module.clone(), &mut memory)?;
        Loaded { memory, program, lent: Arc::default() }.lend(ranges)
    }

    /// The same with other ranges.
    fn with(self, module: &Arc<Module>, ranges: &Arc<Ranges>) -> Result<Loaded, Failure> {
        // Open memory, which has none, and memory with ranges are two things.
        if self.lent.is_empty() || ranges.is_empty() {
            return Loaded::new(module, ranges);
        }
        self.lend(ranges)
    }

    fn lend(mut self, ranges: &Arc<Ranges>) -> Result<Loaded, Failure> {
        for (start, range) in self.lent.iter().filter(|(start, range)| ranges.get(start) != Some(range)) {
            debug_assert!(range.bytes > 0);
            self.memory.free(*start)?;
        }
        for (start, range) in ranges.iter().filter(|(start, range)| self.lent.get(start) != Some(range)) {
            let place = std::ptr::with_exposed_provenance_mut(*start as usize);
            // SAFETY: whoever registers a range promises that it is there until it is taken back.
            unsafe { self.memory.lend(place, range.bytes, "a registered range", range.read_only) }?;
        }
        self.lent = ranges.clone();
        Ok(self)
    }
}

/// The parameter block of values of which each parameter takes the low bits.
fn block(kernel: &Function, args: &[u64]) -> Result<Vec<u8>, Failure> {
    let (name, wanted, given) = (&kernel.name, kernel.parameters.len(), args.len());
    if given != wanted {
        let text =
            format!("kernel `{name}` takes {}, but `n_args` is `{given}`", counted(wanted, "argument"));
        return Err(Failure::wrong_call(text));
    }
    let mut block = vec![0; kernel.parameter_bytes as usize];
    for (parameter, value) in kernel.parameters.iter().zip(args) {
        let (size, at) = (parameter.size as usize, parameter.offset as usize);
        if parameter.is_array || size > 8 {
            let text = format!(
                "parameter `{}` of kernel `{name}` has {} by value, which no 64-bit argument holds",
                parameter.name,
                counted(size, "byte")
            );
            return Err(Failure::wrong_call(text));
        }
        block[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
    }
    Ok(block)
}
