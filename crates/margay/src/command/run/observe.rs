//! `--trace`, `--lines` and `--watch`: what they name in the module at hand.

use margay::observed::{Chosen, Event, Lines, Named, Place};
use margay::problem::Problem;
use margay_exec::{Argument, Memory, Program, Watched};
use margay_front::module::{Function, FunctionId, Module, Space, VariableId};

/// What of a launch is told while it runs.
#[derive(clap::Args, Debug, Default)]
pub struct ObserveOptions {
    /// Tell every instruction of these threads, with its registers: `5`, `5,0,0`, `0-31@2`; may be given several times
    #[arg(long, value_name = "THREADS[@BLOCKS]", value_parser = super::options::with_help::<Chosen>)]
    trace: Vec<Chosen>,
    /// Of --trace, only these lines of the PTX file: `60`, `60-75`
    #[arg(long, value_name = "A[-B]", value_parser = super::options::with_help::<Lines>, requires = "trace")]
    lines: Option<Lines>,
    /// Tell who accesses this memory: a variable, a buffer's parameter or an address, as `sums`, `sums+16:4`
    #[arg(long, value_name = "PLACE", value_parser = super::options::with_help::<Place>)]
    watch: Vec<Place>,
}

impl ObserveOptions {
    /// Whether anything is told.
    pub fn any(&self) -> bool {
        !self.trace.is_empty() || !self.watch.is_empty()
    }

    /// The threads.
    pub fn threads(&self) -> Vec<margay_exec::Threads> {
        self.trace.iter().map(|chosen| chosen.0.clone()).collect()
    }

    /// Whether the event is one of those that were asked for.
    pub fn wants(&self, event: &Event) -> bool {
        event.kind != "step" || self.lines.as_ref().is_none_or(|lines| lines.0.contains(&event.line))
    }

    /// The memory.
    pub fn watched(
        &self,
        module: &Module,
        entry: FunctionId,
        program: &Program,
        memory: &Memory,
        arguments: &[Argument],
    ) -> Result<Vec<Watched>, Problem> {
        let kernel = module.function(entry);
        self.watch
            .iter()
            .map(|place| watched(place, module, (entry, kernel), program, memory, arguments))
            .collect()
    }
}

fn watched(
    place: &Place,
    module: &Module,
    (entry, kernel): (FunctionId, &Function),
    program: &Program,
    memory: &Memory,
    arguments: &[Argument],
) -> Result<Watched, Problem> {
    let at = |address: u64, size: Option<u64>| {
        let range = place.range(size);
        Watched::Address(address.saturating_add(range.start)..address.saturating_add(range.end))
    };
    let name = match &place.named {
        Named::Address(address) => return Ok(at(*address, None)),
        Named::Name(name) => name,
    };
    let mut buffers =
        kernel.parameters.iter().zip(arguments).filter(|(parameter, _)| parameter.name == *name);
    if let Some((_, Argument::Address(address))) = buffers.next() {
        let size = memory.region(*address).map(|region| region.base + region.bytes - address);
        return Ok(at(*address, size));
    }
    let visible = |owner: Option<FunctionId>| owner.is_none_or(|owner| owner == entry);
    let mut variables = module.variables().iter().enumerate();
    let found = variables.find(|(_, variable)| variable.name == *name && visible(variable.owner));
    match found {
        Some((_, variable)) if matches!(variable.space, Space::Local | Space::Param) => {
            let problem = Problem::new(format!("`{name}` is not shared by threads, and cannot be watched"));
            Err(problem.help("trace the thread that uses it: `--trace THREAD`"))
        }
        Some((id, variable)) => match program.variable(name).filter(|_| variable.space != Space::Shared) {
            Some((address, size)) => Ok(at(address, Some(size))),
            None => Ok(Watched::Variable(VariableId(id as u32), place.range(Some(variable.size)))),
        },
        None => {
            let names: Vec<_> = kernel.parameters.iter().map(|p| format!("`{}`", p.name)).collect();
            let problem = Problem::new(format!(
                "`{name}` is neither a variable of the module nor a buffer of the kernel"
            ));
            Err(problem.help(format!("the kernel's parameters are {}", names.join(", "))))
        }
    }
}
