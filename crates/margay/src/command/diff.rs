//! `margay diff`: one launch of two PTX files; the first output element that differs, and the stores that made it differ.

use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use margay::element::Element;
use margay::located::Located;
use margay::observed::Event;
use margay::problem::{Problem, visible};
use margay_exec::{
    Error, Launch, Memory, Observe, Program, Report, Seen, TrapKind, Watched, parameter_block,
};
use margay_front::check::{Options as CheckOptions, check};
use margay_front::module::{FunctionId, Module};
use margay_front::{Severity, Source};
use serde::Serialize;

use super::run::{Buffers, Kept, LaunchOptions, Plan, choose, configured, plan};
use super::{Outcome, Stop, input, interrupt, show};

/// Run two PTX files on the same data and name the first difference
#[derive(clap::Args)]
#[command(after_help = "\
Both files are launched with the same options: those given here, and for each file those of its own \
`// margay run:` header. Outputs are compared and written nowhere. If an element differs, both launches run \
once more, and the stores to it are compared: the first that differs is named with its line in each file.

Exit code 0 if all outputs are equal, 1 if one differs.

Examples:
  margay diff O0.ptx O3.ptx --block 64 --arg in=x.npy \\
      --arg out=y.npy:f32[256]
  margay diff before.ptx after.ptx --format json")]
pub struct Options {
    /// The first PTX file
    a: PathBuf,
    /// The second PTX file
    b: PathBuf,
    #[command(flatten)]
    launch: LaunchOptions,
}

/// The first difference, for programs.
#[derive(Serialize)]
struct Difference {
    equal: bool,
    /// Which output, by the name of its file; none if nothing differs or a launch stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    /// The element's number, counted through the whole output.
    #[serde(skip_serializing_if = "Option::is_none")]
    element: Option<u64>,
    /// How many elements of the output differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    elements: Option<u64>,
    a: Side,
    b: Side,
}

/// What one of the two did.
#[derive(Default, Serialize)]
struct Side {
    file: String,
    /// Why it was stopped, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// The element that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    /// The first store to that element that differs; none if it made no more of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    store: Option<Event>,
}

pub fn run(options: Options, out: &mut dyn Write) -> Result<Outcome, Stop> {
    let (Some(a), Some(b)) = (Candidate::read(&options.a, &options)?, Candidate::read(&options.b, &options)?)
    else {
        return Ok(Outcome::Findings);
    };
    let (mut first, mut second) = (a.launch(None)?, b.launch(None)?);
    if [&first, &second].iter().any(|ran| ran.cancelled) {
        return Ok(Outcome::Interrupted);
    }
    let side = |program: &Candidate, ran: &mut Ran| Side {
        file: program.source.name.clone(),
        error: ran.error.take(),
        ..Side::default()
    };
    let stopped = first.error.is_some() || second.error.is_some();
    let difference = if stopped { None } else { differing(&first, &second)? };
    let mut found = Difference {
        equal: !stopped && difference.is_none(),
        output: None,
        element: None,
        elements: None,
        a: side(&a, &mut first),
        b: side(&b, &mut second),
    };
    if let Some(Differing { output, element, elements, bytes, values }) = difference {
        let [x, y] = [(&a, &first), (&b, &second)].map(|(program, ran)| {
            let start = ran.outputs[output].address + element * bytes;
            program.launch(Some(Watched::Address(start..start + bytes))).map(|ran| ran.stores)
        });
        let (x, y) = (x?, y?);
        let k = x.iter().zip(&y).take_while(|(x, y)| x.bytes == y.bytes).count();
        found.output = Some(first.outputs[output].name.clone());
        (found.element, found.elements) = (Some(element), Some(elements));
        let [of_a, of_b] = values;
        (found.a.value, found.b.value) = (Some(of_a), Some(of_b));
        (found.a.store, found.b.store) = (x.get(k).cloned(), y.get(k).cloned());
    }
    match options.launch.is_json() {
        true => {
            let text = serde_json::to_string_pretty(&found)
                .map_err(|error| Problem::new(format!("the difference cannot be written: {error}")))?;
            writeln!(out, "{text}")?;
        }
        false => tell(&found, first.outputs.len(), out)?,
    }
    Ok(if found.equal { Outcome::Clean } else { Outcome::Findings })
}

fn tell(found: &Difference, outputs: usize, out: &mut dyn Write) -> Result<(), Stop> {
    let sides = [&found.a, &found.b];
    if found.equal {
        writeln!(out, "{} equal", margay::count::counted(outputs, "output"))?;
        return Ok(());
    }
    if let (Some(output), Some(element), Some(elements)) = (&found.output, found.element, found.elements) {
        writeln!(out, "{}: element {element} differs, the first of {elements}", visible(output))?;
    }
    for side in sides {
        let name = visible(&side.file);
        match (&side.error, &side.value) {
            (Some(error), _) => writeln!(out, "  {name}: stopped: {}", visible(error))?,
            (None, Some(value)) => {
                writeln!(out, "  {name}: {value}")?;
                match &side.store {
                    Some(store) => writeln!(out, "    {store}")?,
                    None => writeln!(out, "    no further store to it")?,
                }
            }
            (None, None) => writeln!(out, "  {name}: ended")?,
        }
    }
    Ok(())
}

/// Where two launches differ first.
struct Differing {
    output: usize,
    element: u64,
    elements: u64,
    /// Of an element.
    bytes: u64,
    values: [String; 2],
}

fn differing(a: &Ran, b: &Ran) -> Result<Option<Differing>, Problem> {
    if a.outputs.len() != b.outputs.len() {
        let message = format!("one launch has {} outputs, the other {}", a.outputs.len(), b.outputs.len());
        return Err(
            Problem::new(message).help("give the same `--arg` and `--get` for both on the command line")
        );
    }
    for (output, (x, y)) in a.outputs.iter().zip(&b.outputs).enumerate() {
        if x.data.len() != y.data.len() {
            let message = format!(
                "`{}` has {} bytes in one launch and {} in the other",
                x.name,
                x.data.len(),
                y.data.len()
            );
            return Err(Problem::new(message));
        }
        let bytes = x.element_bytes;
        let pairs = || x.data.chunks(bytes).zip(y.data.chunks(bytes));
        let Some(element) = pairs().position(|(x, y)| x != y) else { continue };
        let elements = pairs().filter(|(x, y)| x != y).count() as u64;
        let values = [x.value(element), y.value(element)];
        return Ok(Some(Differing {
            output,
            element: element as u64,
            elements,
            bytes: bytes as u64,
            values,
        }));
    }
    Ok(None)
}

/// One of the two files, ready to be launched.
struct Candidate {
    source: Source,
    module: Module,
    entry: FunctionId,
    plan: Plan,
    file: PathBuf,
}

/// What a launch left.
#[derive(Default)]
struct Ran {
    outputs: Vec<Output>,
    stores: Vec<Event>,
    error: Option<String>,
    cancelled: bool,
}

struct Output {
    name: String,
    address: u64,
    element_bytes: usize,
    data: Vec<u8>,
    element: Option<Element>,
}

impl Output {
    /// An element as people read it: a number, or bytes in hex.
    fn value(&self, at: usize) -> String {
        let start = at * self.element_bytes;
        let bytes = &self.data[start..(start + self.element_bytes).min(self.data.len())];
        match self.element.and_then(|element| element.values(bytes).next()) {
            Some(value) => value.to_string(),
            None => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }
}

impl Candidate {
    /// None where the PTX is wrong, which is said.
    fn read(file: &std::path::Path, options: &Options) -> Result<Option<Candidate>, Stop> {
        let source = input::read(file)?;
        let plan = plan::of_file(file, &options.launch, &source)?;
        let checked = check(&source, CheckOptions::to_run());
        let Some(module) = checked.module else {
            let errors: Vec<_> =
                checked.diagnostics.into_iter().filter(|d| d.severity == Severity::Error).collect();
            show(&source, &errors);
            return Ok(None);
        };
        let entry =
            choose(&module, plan.options.entry.as_deref()).map_err(|problem| problem.within(&source.name))?;
        Ok(Some(Candidate { source, module, entry, plan, file: file.to_path_buf() }))
    }

    fn launch(&self, watched: Option<Watched>) -> Result<Ran, Problem> {
        let within = |problem: Problem| problem.within(&self.source.name);
        let located = Located { source: &self.source, module: &self.module };
        let mut memory = self.plan.options.memory(self.module.address_size());
        let program = Program::load(&self.module, &mut memory).map_err(|error| located.wrong_call(&error))?;
        let Plan { args, sets, gets, .. } = &self.plan;
        let ptx = (!input::is_stream(&self.file)).then_some(self.file.as_path());
        let kernel = self.module.function(self.entry);
        let buffers =
            Buffers::prepare(ptx, &program, kernel, &mut memory, args, sets, gets).map_err(within)?;
        let parameters = parameter_block(kernel, self.module.address_size(), &buffers.arguments);
        let stores = Mutex::new(Vec::new());
        let see = |seen: &Seen| {
            let event = Event::of(&located, seen);
            if event.access.is_some_and(|access| access != "read") {
                stores.lock().unwrap_or_else(PoisonError::into_inner).push(event);
            }
        };
        let observe = Observe { threads: Vec::new(), watched: watched.into_iter().collect(), tell: &see };
        let launch = Launch {
            parameters: parameters.map_err(|error| located.wrong_call(&error))?,
            observe: (!observe.watched.is_empty()).then_some(&observe),
            cancel: Some(interrupt::switch()),
            ..configured(&self.plan.options, kernel, self.entry)?
        };
        let mut ran = Ran::default();
        match launch.run(&program, &memory) {
            Err(Error::Launch(error)) => return Err(located.wrong_call(&error)),
            Err(Error::Trap(trap)) => {
                ran.cancelled = matches!(trap.kind, TrapKind::Cancelled);
                let failure = located.failure(&trap);
                ran.error = Some(format!("{} (line {})", failure.message, failure.line));
            }
            Ok(Report { .. }) => {}
        }
        drop(launch);
        ran.outputs = buffers.kept.iter().map(|kept| output(kept, &memory)).collect::<Result<_, _>>()?;
        ran.stores = stores.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(ran)
    }
}

fn output(kept: &Kept, memory: &Memory) -> Result<Output, Problem> {
    let layout = kept.layout();
    let data =
        memory.read(kept.address(), layout.bytes()).map_err(|fault| Problem::new(fault.to_string()))?;
    let element = layout.element();
    let element_bytes = element.map_or(1, |element| element.bytes());
    Ok(Output { name: kept.name(), address: kept.address(), element_bytes, data, element })
}
