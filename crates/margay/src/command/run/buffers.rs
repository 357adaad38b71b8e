//! Arguments and variables of a launch: from files into memory, and back.

use std::path::{Path, PathBuf};

use margay::arg::{Argument, Binding, Wanted};
use margay::count::counted;
use margay::element::{Element, Kind};
use margay::format::{Layout, Loaded, insist, load};
use margay::header::Base;
use margay::output::{Output, Staged};
use margay::problem::{Problem, shown};
use margay::report::{Input, View};
use margay::shape::Shape;
use margay_exec::{LaunchError, Memory, Program};
use margay_front::module::{Function, Space, Variable};
use margay_isa as isa;

use super::given::Given;
use super::options::Based;

/// Some device memory that is written to a file after the launch.
pub struct Kept {
    output: Output,
    layout: Layout,
    address: u64,
}

impl Kept {
    /// The file's name.
    pub fn name(&self) -> String {
        self.output.file().display().to_string()
    }

    /// Where it begins.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// What it holds.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
}

/// What the arguments and variables became.
#[derive(Default)]
pub struct Buffers {
    /// The arguments, in order.
    pub arguments: Vec<margay_exec::Argument>,
    /// What is written after the launch, in order.
    pub kept: Vec<Kept>,
    /// Remarks about files, for the report.
    pub notes: Vec<String>,
    /// What was read, for the report.
    pub inputs: Vec<Input>,
    /// The files that were read.
    read: Vec<PathBuf>,
}

impl Buffers {
    /// Loads every argument and variable, and judges every output.
    pub fn prepare(
        ptx: Option<&Path>,
        program: &Program,
        kernel: &Function,
        memory: &mut Memory,
        args: &Based<Vec<Given>>,
        sets: &Based<Vec<Binding>>,
        gets: &Based<Vec<Binding>>,
    ) -> Result<Self, Problem> {
        let mut buffers = Buffers::default();
        for (at, given) in args.value.iter().enumerate() {
            let name = format!("argument {}", at + 1);
            let argument = given.known(kernel);
            let argument = argument.and_then(|known| buffers.argument(known, &args.base, &name, memory));
            let argument = argument.map_err(|problem| problem.within(name))?;
            buffers.arguments.push(argument);
        }
        for binding in &sets.value {
            buffers.set(binding, &sets.base, program, memory)?;
        }
        for binding in &gets.value {
            let (address, variable) = variable(binding, program)?;
            buffers.keep(&binding.file, &gets.base, layout(variable), address)?;
        }
        buffers.judge(ptx)?;
        Ok(buffers)
    }

    fn argument(
        &mut self,
        argument: &Argument,
        base: &Base,
        name: &str,
        memory: &mut Memory,
    ) -> Result<margay_exec::Argument, Problem> {
        let address = match argument {
            Argument::Value { element, bits } => {
                return Ok(margay_exec::Argument::Bytes(bits.to_le_bytes()[..element.bytes()].to_vec()));
            }
            Argument::Bytes(bytes) => return Ok(margay_exec::Argument::Bytes(bytes.clone())),
            Argument::Input { file: whole, typed } => {
                // A file whose name ends like a type is still a file.
                let (file, wanted) = match typed {
                    Some((file, wanted)) if !base.file(whole).is_file() => (file, Some(wanted)),
                    _ => (whole, None),
                };
                self.fill(&base.input(file)?, wanted, name, memory)?.0
            }
            Argument::Output { file, shape } => {
                let address = allocate(shape.bytes(), name, memory)?;
                self.keep(file, base, Layout::Array(shape.clone()), address)?;
                address
            }
            Argument::InOut(cuts) => {
                let (from, to) = cut(cuts, base);
                let (address, layout) = self.fill(&base.input(from)?, None, name, memory)?;
                self.keep(to, base, layout, address)?;
                address
            }
            Argument::Zero(shape) => {
                let address = allocate(shape.bytes(), name, memory)?;
                memory.set_written(address);
                address
            }
        };
        Ok(margay_exec::Argument::Address(address))
    }

    /// A buffer with a file's data.
    fn fill(
        &mut self,
        file: &Path,
        wanted: Option<&Wanted>,
        name: &str,
        memory: &mut Memory,
    ) -> Result<(u64, Layout), Problem> {
        let Loaded { bytes, layout, notes } = load(file)?;
        let layout = wanted.map_or(Ok(layout.clone()), |wanted| insist(&layout, wanted, file))?;
        self.reads(file, &layout);
        let address = allocate(bytes.len() as u64, name, memory)?;
        write(memory, address, &bytes, name)?;
        self.notes.extend(notes.into_iter().map(|note| format!("{}: {note}", shown(file))));
        Ok((address, layout))
    }

    fn set(
        &mut self,
        binding: &Binding,
        base: &Base,
        program: &Program,
        memory: &mut Memory,
    ) -> Result<(), Problem> {
        let (address, variable) = variable(binding, program)?;
        let file = base.input(&binding.file)?;
        let Loaded { bytes, layout, notes } = load(&file)?;
        self.reads(&file, &layout);
        if bytes.len() as u64 != variable.size {
            let message = format!("{} holds {}", shown(&file), counted(bytes.len(), "byte"));
            return Err(
                Problem::new(message).help(format!("variable `{}` has {}", variable.name, variable.size))
            );
        }
        write(memory, address, &bytes, &variable.name)?;
        self.notes.extend(notes.into_iter().map(|note| format!("{}: {note}", shown(&file))));
        Ok(())
    }

    fn reads(&mut self, file: &Path, layout: &Layout) {
        self.inputs.push(Input::new(file.display().to_string(), layout));
        self.read.push(file.to_path_buf());
    }

    fn keep(&mut self, name: &Path, base: &Base, layout: Layout, address: u64) -> Result<(), Problem> {
        let file = base.output(name)?;
        let output = Output::prepare(&file, &layout, base.replace())?;
        if self.kept.iter().any(|kept| kept.output.is_same_file(&output)) {
            return Err(Problem::new(format!("{} would be written twice", shown(&file))));
        }
        self.kept.push(Kept { output, layout, address });
        Ok(())
    }

    /// No output replaces the PTX that describes the launch, and none of its header what the launch reads.
    fn judge(&self, ptx: Option<&Path>) -> Result<(), Problem> {
        for Kept { output, .. } in &self.kept {
            let refused = |what: &str| Err(Problem::new(format!("{} is {what}", shown(output.file()))));
            if ptx.is_some_and(|ptx| output.is_file(ptx)) {
                return refused("the PTX file itself");
            }
            if output.is_guarded() && self.read.iter().any(|read| output.is_file(read)) {
                return refused("read by the same launch, so the PTX file's header may not write it");
            }
        }
        Ok(())
    }

    /// A file that is written beside the outputs, and replaces neither one of them nor the PTX.
    pub fn beside(&self, file: &Path, ptx: Option<&Path>) -> Result<Output, Problem> {
        let output = Output::raw(file)?;
        if ptx.is_some_and(|ptx| output.is_file(ptx)) {
            return Err(Problem::new(format!("{} is the PTX file itself", shown(file))));
        }
        if self.kept.iter().any(|kept| kept.output.is_same_file(&output)) {
            return Err(Problem::new(format!("{} would be written twice", shown(file))));
        }
        Ok(output)
    }

    /// Completes every output: files under temporary names, then what goes straight into pipes and devices. Comes back
    /// with views of them, in order, if they are to be `viewed`.
    pub fn stage<'a>(
        &'a self,
        memory: &mut Memory,
        staged: &mut Staged<'a>,
        viewed: bool,
    ) -> Result<Vec<View>, Problem> {
        let mut views: Vec<Option<View>> = self.kept.iter().map(|_| None).collect();
        for direct in [false, true] {
            let kept = self.kept.iter().zip(&mut views);
            for (kept, view) in kept.filter(|(kept, _)| kept.output.is_direct() == direct) {
                let file = kept.output.file();
                let bytes = memory.view(kept.address, kept.layout.bytes());
                let bytes = bytes
                    .map_err(|fault| Problem::new(format!("cannot read back {}: {fault}", shown(file))))?;
                staged.add(&kept.output, &kept.layout, &bytes)?;
                if viewed {
                    *view = Some(View::new(file.display().to_string(), &kept.layout, &bytes));
                }
            }
        }
        Ok(views.into_iter().flatten().collect())
    }
}

/// The first cut whose left part is a file, else the first.
fn cut<'a>(cuts: &'a [(PathBuf, PathBuf)], base: &Base) -> (&'a Path, &'a Path) {
    let found = cuts.iter().find(|(from, _)| base.file(from).is_file()).or(cuts.first());
    found.map_or((Path::new(""), Path::new("")), |(from, to)| (from, to))
}

fn allocate(bytes: u64, name: &str, memory: &mut Memory) -> Result<u64, Problem> {
    memory.alloc(bytes, name).map_err(|error| launch_problem(&error))
}

fn write(memory: &mut Memory, address: u64, bytes: &[u8], name: &str) -> Result<(), Problem> {
    memory.write(address, bytes).map_err(|fault| Problem::new(format!("cannot fill {name}: {fault}")))
}

/// A wrong call as a problem of the request.
fn launch_problem(error: &LaunchError) -> Problem {
    Problem { message: error.message.clone(), help: error.help.clone() }
}

/// A module variable that can be loaded and saved, and its address.
fn variable<'p>(binding: &Binding, program: &'p Program) -> Result<(u64, &'p Variable), Problem> {
    let module = program.module();
    let name = &binding.variable;
    let of_module = || module.variables().iter().filter(|v| v.owner.is_none());
    let Some(id) = module.global(name) else {
        let names: Vec<_> = of_module().take(20).map(|v| format!("`{}`", v.name)).collect();
        let help =
            if names.is_empty() { "it has none".to_string() } else { format!("it has {}", names.join(", ")) };
        return Err(Problem::new(format!("the module has no variable `{name}`")).help(help));
    };
    let variable = module.variable(id);
    match program.address(id) {
        Some(address) => Ok((address, variable)),
        None if variable.space == Space::Shared => Err(Problem::new(format!(
            "variable `{name}` is in shared memory, which lasts no longer than a block"
        ))),
        None => Err(Problem::new(format!("variable `{name}` is defined elsewhere"))),
    }
}

/// The layout of a variable: its declared type and dimensions where its elements are numbers.
fn layout(variable: &Variable) -> Layout {
    let ty = variable.element;
    let kind = match ty.kind {
        isa::Kind::Unsigned | isa::Kind::Untyped => Some(Kind::Unsigned),
        isa::Kind::Signed => Some(Kind::Signed),
        isa::Kind::Float => Some(Kind::Float),
        isa::Kind::OtherFloat | isa::Kind::Predicate => None,
    };
    let element = kind.and_then(|kind| Element::new(kind, ty.bits as usize / 8));
    let parts = [variable.vector.into(), ty.lanes.into()];
    let dims =
        variable.dimensions.iter().copied().chain(parts.into_iter().filter(|&n: &u64| n > 1)).collect();
    match element.and_then(|element| Shape::new(element, dims).ok()) {
        Some(shape) if shape.bytes() == variable.size => Layout::Array(shape),
        _ => Layout::Bytes(variable.size),
    }
}
