//! Pieces of PTX applied to whole columns of values: one instruction, or inline assembly with operands.
//!
//! A snippet becomes a kernel that runs once for every element, on the batch engine. So there is no second meaning: what the
//! front end accepts is what a kernel may hold, and what a column gets is what a thread would compute.
//!
//! ```
//! use margay::snippet::{Input, Options, Snippet};
//!
//! let snippet = Snippet::instruction("vabsdiff4.u32.u32.u32.add d, a, b, c").unwrap();
//! let names: Vec<&str> = snippet.inputs().iter().map(|column| column.name.as_str()).collect();
//! assert_eq!((names, snippet.outputs()[0].bytes()), (vec!["a", "b", "c"], 4));
//!
//! let a = [0x01020304u32, 0xff000000].map(u32::to_le_bytes).concat();
//! let mut d = [0; 8];
//! let inputs = [Input::Each(&a), Input::Same(0), Input::Same(7)];
//! snippet.apply(2, &inputs, &mut [&mut d], &Options::default()).unwrap();
//! assert_eq!(d, [17, 0, 0, 0, 6, 1, 0, 0]);
//! ```
//!
//! Inline assembly has the operands and constraint letters of CUDA's `asm` and of LLVM:
//!
//! ```
//! use margay::snippet::{Input, Options, Snippet};
//!
//! let clamp = Snippet::asm("{ .reg .b32 t; min.s32 t, $1, $2; max.s32 $0, t, 0; }", "=r,r,r").unwrap();
//! let mut result = [0; 12];
//! let values = [-5i32, 5, 500].map(i32::to_le_bytes).concat();
//! clamp.apply(3, &[Input::Each(&values), Input::Same(255)], &mut [&mut result], &Options::default()).unwrap();
//! assert_eq!(result, [0, 0, 0, 0, 5, 0, 0, 0, 255, 0, 0, 0]);
//!
//! let wrong = Snippet::asm("add.u32 $0, $1, $3;", "=r,r,r").unwrap_err();
//! assert_eq!(wrong.message(), "`$3` does not name an operand");
//! ```

mod constraints;
mod kernel;
mod refusal;
mod run;
mod template;

use crate::count::counted;
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use margay_exec::{Engine, Simd};
use margay_front::{Diagnostic, Source};
use margay_isa::{Bits, Kind, Semantics, Ty};

use crate::problem::Problem;
use crate::statement::{CARRY, NEEDS_KERNEL, Refusal as StatementRefusal, Statement};
use constraints::{Constraints, Role};
use kernel::{Kernel, Piece, Register, Shape};
pub use refusal::{Other, Refusal};
pub use run::{Failure, Stopped};

/// A piece of PTX that has been read and checked, ready for columns of any length.
///
/// It can be shared between threads. What it is compiled to is kept as long as it lives.
#[derive(Debug)]
pub struct Snippet {
    piece: Piece,
    inputs: Vec<Column>,
    outputs: Vec<Column>,
    warnings: Vec<Diagnostic>,
    errata: Vec<String>,
    /// Whether what becomes of an element depends on nothing but its inputs.
    is_pure: bool,
    kernels: Mutex<HashMap<Shape, Arc<Kernel>>>,
}

/// One operand, for all elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The operand's name in the instruction (`a`), or its number in inline assembly (`$1`).
    pub name: String,
    /// The type of an element. Packed ones (`.u16x2`) are one element; operands of inline assembly have no sign.
    pub ty: Ty,
}

impl Column {
    /// Bytes of an element: 1, 2, 4, 8 or 16. A predicate has one byte, 0 or 1; any other than 0 is read as 1.
    pub fn bytes(&self) -> usize {
        (self.ty.width().div_ceil(8) as usize).next_power_of_two()
    }

    fn new(name: &str, ty: Ty) -> Column {
        Column { name: name.to_string(), ty }
    }
}

/// The values of an operand that is read.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// A value for each element, one behind the other, little-endian.
    Each(&'a [u8]),
    /// One value for all elements.
    Same(Bits),
}

/// How a snippet is applied.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Whose reading of the manual is computed.
    pub semantics: Semantics,
    /// What executes it.
    pub engine: Engine,
    /// The vector instructions to use; those of the machine if none are given.
    pub simd: Option<Simd>,
    /// Host threads; 0 takes as many as the host has cores. Results do not depend on it.
    pub workers: usize,
    /// The most instructions for each part of at most [`PART`] elements; without a limit, a snippet that loops for ever runs for ever.
    pub max_steps: Option<u64>,
    /// Set it to end early with [`Failure::Cancelled`].
    pub cancel: Option<&'a AtomicBool>,
    /// Called by the calling thread now and then, as [`Launch::look`](margay_exec::Launch::look).
    pub look: Option<&'a (dyn Fn() + Sync)>,
    /// Told how many elements are done, by any worker, one at a time.
    pub progress: Option<&'a (dyn Fn(u64) + Sync)>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            semantics: Semantics::Manual,
            engine: Engine::default(),
            simd: None,
            workers: 0,
            max_steps: None,
            cancel: None,
            look: None,
            progress: None,
        }
    }
}

/// The most elements that are computed together, by one worker.
pub const PART: usize = run::PART;

impl Snippet {
    /// One instruction whose operands are placeholders, with any names, or constants: all that [`Statement::parse`] takes.
    ///
    /// Inputs are the names that are read, each once, in order; then the carry flag (`CC.CF`) if it is read. Outputs are the
    /// names that are written, then the carry flag if it is.
    ///
    /// # Errors
    /// Text that is no legal instruction, an instruction that does more than compute.
    pub fn instruction(text: &str) -> Result<Snippet, Refusal> {
        let source = Source::new("instruction", text);
        let statement = Statement::parse(text).map_err(|refusal| match refusal {
            StatementRefusal::Text(diagnostics) => Refusal::text(source.clone(), diagnostics),
            StatementRefusal::Form(problem) => Refusal::problem(source.clone(), problem),
        })?;
        if statement.changes_memory().is_some() {
            let message = format!("`{}` has side effects: it changes memory", statement.inst());
            return Err(Refusal::problem(source, Problem::new(message).help(NEEDS_KERNEL)));
        }
        let source_type = |name: &str| {
            statement.sources().find(|place| place.name == name).map(|place| Column::new(name, place.ty))
        };
        let inputs: Vec<Column> = statement.placeholders().into_iter().filter_map(source_type).collect();
        let mut outputs: Vec<Column> = Vec::new();
        for place in statement.results() {
            if place.name != "_" && outputs.iter().all(|column| column.name != place.name) {
                outputs.push(Column::new(&place.name, place.ty));
            }
        }
        if outputs.is_empty() {
            let problem = Problem::new("the instruction has no result").help("name one instead of `_`");
            return Err(Refusal::problem(source, problem));
        }
        // The first place of a name says what register it is, as where it is checked alone.
        let mut registers: Vec<Register> = Vec::new();
        for place in statement.results().iter().chain(statement.sources()) {
            let known = registers.iter().any(|register| register.name == place.name);
            if place.name != "_" && !known {
                let carry = place.name == CARRY;
                registers.push(Register { name: place.name.clone(), ty: place.ty, carry });
            }
        }
        let named = |column: &Column| registers.iter().position(|register| register.name == column.name);
        let [read, written] = [&inputs, &outputs].map(|columns| columns.iter().filter_map(named).collect());
        let warnings = statement.warnings().to_vec();
        let constraints = String::new();
        let piece =
            Piece { expanded: template::verbatim(text), source, constraints, registers, read, written };
        Snippet {
            piece,
            inputs,
            outputs,
            warnings,
            is_pure: false,
            errata: Vec::new(),
            kernels: Mutex::default(),
        }
        .compiled()
    }

    /// Inline assembly without constants: as [`asm_with`](Self::asm_with).
    ///
    /// # Errors
    /// As [`asm_with`](Self::asm_with).
    pub fn asm(template: &str, constraints: &str) -> Result<Snippet, Refusal> {
        Snippet::asm_with(template, constraints, &[])
    }

    /// Inline assembly: statements with operands, as CUDA's `asm` and LLVM's take them.
    ///
    /// The template names operands `$0` or `%0`, results first, then sources, in the order of the constraints; `%%` and `$$`
    /// stand for the signs themselves, `%=` and `${:uid}` for a number to make labels unique. Constraints are separated by
    /// commas: `=` before a result, `+` before an operand that is read and written, `&` is taken and changes nothing
    /// (operands never share registers), and one letter: `h` (16 bits), `r` (32), `l` (64), `q` (128), `f` (`.f32`), `d`
    /// (`.f64`), `b` (a predicate), `n` (a constant, the next of `constants`); or the number of a result whose register the
    /// source has too. `memory` and `~{memory}` are taken and change nothing.
    ///
    /// # Errors
    /// Constraints that cannot be read or name no result; a template that names an operand there is not, that is no legal PTX,
    /// or that would leave before its results are kept; another number of constants than the constraints want.
    pub fn asm_with(template: &str, constraints: &str, constants: &[i128]) -> Result<Snippet, Refusal> {
        let described = constants.iter().fold(constraints.to_string(), |text, n| format!("{text}; {n}"));
        let constraints = Constraints::parse(constraints, constants)?;
        let source = Source::new("template", template);
        let expanded = template::expand(&source, &constraints)?;
        let mut registers: Vec<Register> = Vec::new();
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        let (mut read, mut written) = (Vec::new(), Vec::new());
        // Where the register of each operand is.
        let mut places: Vec<usize> = Vec::new();
        for (number, operand) in constraints.operands.iter().enumerate() {
            let place = match operand.tied {
                Some(other) => places[other],
                None => registers.len(),
            };
            places.push(place);
            if operand.role == Role::Constant {
                continue;
            }
            if operand.tied.is_none() {
                let name = expanded.name(number);
                registers.push(Register { name, ty: operand.ty, carry: false });
            }
            let column = Column::new(&format!("${number}"), operand.ty);
            if matches!(operand.role, Role::Source | Role::Both) {
                inputs.push(column.clone());
                read.push(place);
            }
            if matches!(operand.role, Role::Result | Role::Both) {
                outputs.push(column);
                written.push(place);
            }
        }
        let piece = Piece { source, constraints: described, expanded, registers, read, written };
        let (warnings, kernels) = (Vec::new(), Mutex::default());
        Snippet { piece, inputs, outputs, warnings, is_pure: false, errata: Vec::new(), kernels }.compiled()
    }

    /// Which of the sources that constraints name are constants (`n`), by their places among the sources and read operands.
    ///
    /// ```
    /// use margay::snippet::Snippet;
    /// assert_eq!(Snippet::constants("=r,r,n").unwrap(), [1]);
    /// ```
    ///
    /// # Errors
    /// Constraints that cannot be read.
    pub fn constants(constraints: &str) -> Result<Vec<usize>, Refusal> {
        let constraints = Constraints::read(constraints)?;
        let sources = constraints.operands.iter().filter(|operand| operand.role != Role::Result);
        Ok(sources.enumerate().filter(|(_, o)| o.role == Role::Constant).map(|(at, _)| at).collect())
    }

    /// The text that it was made of.
    pub fn source(&self) -> &Source {
        &self.piece.source
    }

    /// What it was made of, as one text: the instruction, or the template with its constraints and constants.
    pub fn text(&self) -> String {
        let Piece { source, constraints, .. } = &self.piece;
        match constraints.is_empty() {
            true => source.text.clone(),
            false => format!("{} ({constraints})", source.text),
        }
    }

    /// The operands that are read, in the order in which [`apply`](Self::apply) takes them.
    pub fn inputs(&self) -> &[Column] {
        &self.inputs
    }

    /// The operands that are written, in the order in which [`apply`](Self::apply) takes them.
    pub fn outputs(&self) -> &[Column] {
        &self.outputs
    }

    /// What the writer should know of the text, such as that a constant was cut.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// What ptxas 13.5 makes otherwise of its instructions than the manual, each form once: a snippet with none gives the same
    /// under both readings.
    pub fn errata(&self) -> &[String] {
        &self.errata
    }

    /// Computes the outputs of `count` elements.
    ///
    /// # Errors
    /// Columns of another number or length than wanted, or a value that does not fit: then nothing was computed. A snippet that
    /// goes wrong on an element, or is stopped: then the outputs hold what was computed so far.
    pub fn apply(
        &self,
        count: usize,
        inputs: &[Input],
        outputs: &mut [&mut [u8]],
        options: &Options,
    ) -> Result<(), Failure> {
        self.check_columns(count, inputs, outputs)?;
        if count == 0 {
            return Ok(());
        }
        let same = inputs.iter().map(|input| matches!(input, Input::Same(_))).collect();
        // Blocks of which some threads have nothing to do take long. Who counts steps wants those of the elements alone, and the
        // golden engine has to take them.
        let whole = self.is_pure && options.max_steps.is_none() && options.engine == Engine::Batch;
        let shape = Shape { same, whole };
        let kernel = self.kernel(&shape).map_err(|refusal| Failure::Call(refusal.into_problem()))?;
        run::run(self, &kernel, count, inputs, outputs, options)
    }

    fn check_columns(&self, count: usize, inputs: &[Input], outputs: &[&mut [u8]]) -> Result<(), Failure> {
        let numbers = [(inputs.len(), &self.inputs, "input"), (outputs.len(), &self.outputs, "output")];
        for (given, wanted, what) in numbers {
            if given != wanted.len() {
                let message = format!(
                    "the snippet has {}, but {given} {} given",
                    counted(wanted.len(), what),
                    if given == 1 { "is" } else { "are" }
                );
                let names: Vec<_> = wanted.iter().map(|c| format!("`{}` (`{}`)", c.name, c.ty)).collect();
                let problem = Problem::new(message);
                return Err(Failure::Call(match names.is_empty() {
                    true => problem,
                    false => problem.help(format!("in this order: {}", names.join(", "))),
                }));
            }
        }
        let length = |column: &Column, given: usize| {
            let wanted = count.checked_mul(column.bytes());
            if wanted == Some(given) {
                return Ok(());
            }
            let (name, bytes) = (&column.name, column.bytes());
            let message = format!("the column of `{name}` has {}", counted(given, "byte"));
            let wanted = format!("{} of {}", counted(count, "element"), counted(bytes, "byte"));
            let help = format!("{wanted} {} wanted", if count == 1 { "is" } else { "each are" });
            Err(Failure::Call(Problem::new(message).help(help)))
        };
        for (column, input) in self.inputs.iter().zip(inputs) {
            match input {
                Input::Each(bytes) => length(column, bytes.len())?,
                Input::Same(value) => {
                    let width = column.ty.width();
                    if width < 128 && value >> width != 0 {
                        let message = format!("the value {value:#x} does not fit `{}`", column.name);
                        let help = format!("it has {}", counted(width, "bit"));
                        return Err(Failure::Call(Problem::new(message).help(help)));
                    }
                }
            }
        }
        self.outputs.iter().zip(outputs).try_for_each(|(column, bytes)| length(column, bytes.len()))
    }

    /// The snippet, if it compiles.
    fn compiled(mut self) -> Result<Snippet, Refusal> {
        let kernel = self.kernel(&Shape { same: vec![false; self.inputs.len()], whole: true })?;
        self.is_pure = kernel.is_pure;
        self.errata = kernel.errata();
        self.warnings.extend(kernel.warnings().iter().cloned());
        Ok(self)
    }

    /// The kernel for a shape.
    fn kernel(&self, shape: &Shape) -> Result<Arc<Kernel>, Refusal> {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = kernels.get(shape) {
            return Ok(kernel.clone());
        }
        let kernel = Arc::new(self.piece.compile(shape)?);
        kernels.insert(shape.clone(), kernel.clone());
        Ok(kernel)
    }
}

/// Whether a column holds predicates.
fn is_predicate(ty: Ty) -> bool {
    ty.kind == Kind::Predicate
}
