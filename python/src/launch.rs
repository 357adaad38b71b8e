//! Launches: a kernel on arguments of Python's.

use margay::exec::memory::{FaultKind, Nearest, Region};
use margay::exec::{
    Argument, Dim, Engine, Error, Launch, LaunchError, Report as Done, Sanitize, Sanitizer, Simd, TrapKind,
    parameter_block,
};
use margay::front::module::FunctionId;
use margay::isa::{Semantics, Target};
use margay::located::Located;
use margay::problem::Problem;
use margay::sweep::name_of;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::address::{self, Reach};
use crate::argument::{Given, Integer, given, integer};
use crate::array::Placed;
use crate::explain::semantics;
use crate::module::Module;
use crate::patience::{Patience, patiently};
use crate::raise;
use crate::report::{Report, Told};

/// How a kernel is launched, its arguments aside.
struct Options {
    grid: Dim,
    block: Dim,
    cluster: Option<Dim>,
    shared_bytes: u64,
    engine: Engine,
    simd: Option<Simd>,
    workers: usize,
    semantics: Semantics,
    device: Option<Target>,
    sanitize: Sanitize,
    schedule_seed: Option<u64>,
    unordered: bool,
    max_steps: Option<u64>,
    contract: bool,
    profile: bool,
}

/// Launches a kernel; see `margay.Kernel`.
#[pyfunction]
#[pyo3(signature = (module, kernel, grid, block, args, *, shared_mem=0, engine="batch", simd=None, workers=0,
    semantics="manual", approx=None, device=None, sanitize=Vec::new(), schedule_seed=None, unordered=false, max_steps=None,
    contract=false, profile=false, fidelity=false, cluster=None))]
#[expect(clippy::too_many_arguments, reason = "Python's keywords")]
pub fn launch(
    py: Python,
    module: &Bound<Module>,
    kernel: &str,
    grid: &Bound<PyAny>,
    block: &Bound<PyAny>,
    args: &Bound<PyTuple>,
    shared_mem: u64,
    engine: &str,
    simd: Option<&str>,
    workers: usize,
    semantics: &str,
    approx: Option<&str>,
    device: Option<&str>,
    sanitize: Vec<String>,
    schedule_seed: Option<u64>,
    unordered: bool,
    max_steps: Option<u64>,
    contract: bool,
    profile: bool,
    fidelity: bool,
    cluster: Option<&Bound<PyAny>>,
) -> PyResult<Report> {
    let module = module.get();
    let whose = self::semantics(py, semantics, approx, raise::launch_error)?;
    let options = Options {
        grid: extent(grid, "grid")?,
        block: extent(block, "block")?,
        cluster: cluster.map(|cluster| extent(cluster, "cluster")).transpose()?,
        shared_bytes: shared_mem,
        engine: self::engine(py, engine)?,
        simd: simd.map(|name| level(py, name)).transpose()?,
        workers,
        semantics: whose,
        device: device.map(|name| self::device(py, name)).transpose()?,
        sanitize: watched(py, &sanitize)?,
        schedule_seed,
        unordered,
        max_steps,
        contract,
        profile: profile || fidelity,
    };
    let entry = module.entry(py, kernel)?;
    let given = module.given(entry, args)?;
    let reached = module.reached(py, &given)?;
    let ended = patiently(py, |patience| module.run(entry, &given, &reached, &options, patience))?;
    match ended {
        Ok(done) => {
            let told = Told {
                kernel,
                semantics: name_of(whose),
                grid: options.grid,
                block: options.block,
                cluster: options.cluster.or_else(|| module.clusters_of(entry)),
                shared_bytes: shared_mem,
                contract,
                computed: whose,
                profile,
                fidelity,
            };
            let warnings = module.errata_of(entry, whose);
            Ok(Report::new(module.located(), entry, &told, (&sanitize, &warnings), done))
        }
        Err(Error::Launch(error)) => Err(raise::refused(py, module.located(), &error)),
        Err(Error::Trap(trap)) if trap.kind == TrapKind::Cancelled => Err(PyKeyboardInterrupt::new_err(())),
        Err(Error::Trap(trap)) => Err(raise::trap(py, module.located(), &trap)),
    }
}
impl Module {
    /// The shape of clusters that a kernel requires.
    fn clusters_of(&self, entry: FunctionId) -> Option<Dim> {
        self.located().module.function(entry).performance.reqnctapercluster.map(Dim::from)
    }

    /// The arguments of a kernel.
    fn given(&self, entry: FunctionId, args: &Bound<PyTuple>) -> PyResult<Vec<Given>> {
        let py = args.py();
        let Located { module, .. } = self.located();
        let (kernel, address_size) = (module.function(entry), module.address_size());
        if args.len() != kernel.parameters.len() {
            // What is wrong is said where parameters are filled; what is given does not matter for that.
            let none = vec![Argument::Bytes(Vec::new()); args.len()];
            let wrong = parameter_block(kernel, 64, &none).err();
            let wrong = wrong.unwrap_or_else(|| LaunchError::new("another number of arguments is wanted"));
            return Err(raise::refused(py, self.located(), &wrong));
        }
        let each = args.iter().zip(&kernel.parameters).enumerate();
        each.map(|(k, (value, parameter))| given(&value, k + 1, parameter, address_size)).collect()
    }

    /// What a kernel with these arguments may reach.
    fn reached(&self, py: Python, given: &[Given]) -> PyResult<Reach> {
        let arrays = given.iter().filter_map(|given| match given {
            Given::Array(bytes) => Some(bytes),
            Given::Value(_) => None,
        });
        let size = self.located().module.address_size();
        let reached = address::reach(py, &arrays.collect::<Vec<_>>(), size)?;
        reached.ok_or_else(|| {
            let problem = Problem::new(format!("no address of {size} bits is left for the arrays"));
            raise::launch_error(py, &problem.help("pass smaller arrays, or write `.address_size 64`"))
        })
    }

    /// Runs a kernel, beside others of the module that run.
    fn run(
        &self,
        entry: FunctionId,
        given: &[Given],
        reached: &Reach,
        options: &Options,
        patience: &Patience,
    ) -> Result<Done, Error> {
        let module = self.located().module;
        let arrays = given.iter().enumerate().filter_map(|(k, given)| match given {
            Given::Array(bytes) => Some((format!("argument {}", k + 1), bytes)),
            Given::Value(_) => None,
        });
        let mut memory = self.share()?;
        let placed = Placed::new(&arrays.collect::<Vec<_>>(), &reached.all, &mut memory)?;
        let arguments: Vec<Argument> = given
            .iter()
            .map(|given| match given {
                Given::Array(bytes) => Argument::Address(placed.address(bytes)),
                Given::Value(bytes) => Argument::Bytes(bytes.clone()),
            })
            .collect();
        let parameters = parameter_block(module.function(entry), module.address_size(), &arguments);
        let look = || patience.look();
        let ended = parameters.map_err(Error::from).and_then(|parameters| {
            let launch = Launch {
                grid: options.grid,
                block: options.block,
                cluster: options.cluster,
                shared_bytes: options.shared_bytes,
                parameters,
                engine: options.engine,
                simd: options.simd,
                semantics: options.semantics,
                contract: options.contract,
                device: options.device,
                max_steps: options.max_steps,
                workers: options.workers,
                schedule_seed: options.schedule_seed,
                unordered: options.unordered,
                sanitize: options.sanitize,
                profile: options.profile,
                cancel: Some(&patience.cancel),
                look: Some(&look),
                ..Launch::new(entry)
            };
            launch.run(self.program(), &memory)
        });
        placed.take_back(memory).into_iter().for_each(|memory| self.keep(memory));
        ended.map_err(|error| match error {
            Error::Trap(mut trap) => {
                tell_ended(&mut trap.kind, module.address_size());
                Error::Trap(trap)
            }
            error => error,
        })
    }
}

/// Says so where a kernel has used the address of an array that has ended.
fn tell_ended(kind: &mut TrapKind, address_size: u32) {
    if let TrapKind::Memory(fault) = kind
        && matches!(fault.kind, FaultKind::Unallocated | FaultKind::OutOfBounds)
        && let Some(range) = address::ended(fault.address, address_size)
        // Of those that ended long ago it is not known where they lay: what is near a living array lies beside that one.
        && (!range.is_empty() || fault.kind == FaultKind::Unallocated)
    {
        let name = "the array that had this address".to_string();
        let region = Region { name, base: range.start, bytes: range.end - range.start };
        (fault.kind, fault.nearest) = (FaultKind::Freed, Some(Nearest { region, distance: 0 }));
    }
}

/// A shape: an integer, or one to three of them.
fn extent(value: &Bound<PyAny>, what: &str) -> PyResult<Dim> {
    let py = value.py();
    let problem = |message: String| {
        let help =
            format!("write an integer such as `{what}=256`, or up to three, such as `({what}_x, {what}_y)`");
        Problem::new(message).help(help)
    };
    let wrong = |message: String| raise::launch_error(py, &problem(message));
    let of_no_such_type = |message: String| raise::type_error(&problem(message));
    let axis = |value: &Bound<PyAny>| -> PyResult<u32> {
        match integer(value)? {
            Integer::Is(number) => {
                u32::try_from(number).map_err(|_| wrong(format!("the {what} has an extent of {number}")))
            }
            Integer::TooLarge => Err(wrong(format!("the {what} has an extent of {}", value.str()?))),
            Integer::No => {
                Err(of_no_such_type(format!("`{}` is not an extent of the {what}", value.repr()?)))
            }
        }
    };
    if !value.is_instance_of::<PyTuple>() && !matches!(integer(value)?, Integer::No) {
        return Ok(axis(value)?.into());
    }
    let Ok(members) = value.try_iter() else {
        return Err(of_no_such_type(format!("`{}` is not a {what}", value.repr()?)));
    };
    // An iterator may be endless; a fourth member is enough to be wrong.
    let axes = members.take(4).map(|member| axis(&member?)).collect::<PyResult<Vec<u32>>>()?;
    match axes[..] {
        [x] => Ok(Dim::new(x, 1, 1)),
        [x, y] => Ok(Dim::new(x, y, 1)),
        [x, y, z] => Ok(Dim::new(x, y, z)),
        _ => Err(wrong(format!("`{}` is not a {what}", value.repr()?))),
    }
}

/// The engine of a name.
pub fn engine(py: Python, name: &str) -> PyResult<Engine> {
    let engines = [Engine::Batch, Engine::Golden];
    engines.into_iter().find(|engine| engine.name() == name).ok_or_else(|| {
        let problem = Problem::new(format!("there is no engine `{name}`"));
        raise::launch_error(py, &problem.help("write `batch` or `golden`"))
    })
}

/// The level of vector instructions of a name.
pub fn level(py: Python, name: &str) -> PyResult<Simd> {
    name.parse().map_err(|error: LaunchError| {
        raise::launch_error(py, &Problem { message: error.message, help: error.help })
    })
}

fn device(py: Python, name: &str) -> PyResult<Target> {
    name.parse().map_err(|()| {
        let problem = Problem::new(format!("there is no device `{name}`"));
        raise::launch_error(py, &problem.help("write its target, such as `sm_80`"))
    })
}

fn watched(py: Python, names: &[String]) -> PyResult<Sanitize> {
    let mut sanitize = Sanitize::default();
    for name in names {
        match name.as_str() {
            "memory" => sanitize.memory = true,
            _ if name == Sanitizer::Race.name() => sanitize.race = true,
            _ if name == Sanitizer::Init.name() => sanitize.init = true,
            _ if name == Sanitizer::Sync.name() => sanitize.sync = true,
            _ => {
                let problem = Problem::new(format!("there is no sanitizer `{name}`"));
                return Err(raise::launch_error(
                    py,
                    &problem.help("write `memory`, `race`, `init` or `sync`"),
                ));
            }
        }
    }
    Ok(sanitize)
}
