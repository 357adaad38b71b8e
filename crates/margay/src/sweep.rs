//! Two computations compared on a whole range of inputs, in parts that any number of machines share.
//!
//! A sweep numbers its inputs; a shard is a run of those numbers, and gives a [`Report`]. Reports of different shards merge in
//! any order into the report that one machine alone would have given, to the byte.
//!
//! ```
//! use margay::snippet::Snippet;
//! use margay::sweep::{Options, Side, Sweep, Values};
//!
//! let a = Snippet::instruction("vabsdiff4.u32.u32.u32 d, a, b, c").unwrap();
//! let b = Snippet::instruction("vsub4.u32.u32.u32.sat d, a, b, c").unwrap();
//! let mut sweep = Sweep::new(Side::snippet(&a), Side::snippet(&b)).unwrap();
//! sweep.set("a", Values::parse("0..=255").unwrap()).unwrap();
//! sweep.set("b", Values::parse("0..=255").unwrap()).unwrap();
//! sweep.set("c", Values::parse("0").unwrap()).unwrap();
//!
//! let whole = sweep.shard(1, 1, &Options::default()).unwrap();
//! // Half of the differences of two bytes are negative, where saturation gives 0.
//! assert_eq!((whole.inputs, whole.differences), (65536, 255 * 128));
//!
//! let shards = (1..=7).map(|i| sweep.shard(i, 7, &Options::default()).unwrap());
//! let merged = shards.reduce(|one, other| one.merge(&other).unwrap()).unwrap();
//! assert_eq!(merged, whole);
//! assert!(merged.missing().is_empty());
//! ```

mod inputs;
mod report;
mod run;
mod values;

use crate::count::counted;
use std::sync::atomic::AtomicBool;

use margay_isa::{Bits, Semantics};

use crate::problem::Problem;
use crate::snippet::{Column, Failure, Snippet};
use inputs::Inputs;
pub use report::{Answered, Difference, Question, Report, Sampled};
pub use values::Values;

/// A function of columns: from the number of elements and the columns of all inputs to those of all outputs.
pub type Function<'a> = dyn Fn(usize, &[&[u8]], &mut [&mut [u8]]) -> Result<(), Problem> + Sync + 'a;

/// One of the two computations.
#[derive(Clone, Copy)]
pub enum Side<'a> {
    /// A piece of PTX, under somebody's reading of the manual.
    Snippet(&'a Snippet, Semantics),
    /// A function of the caller's, and what reports call it. It takes the columns of [`Sweep::inputs`] and fills columns like
    /// the other side's outputs.
    Function(&'a str, &'a Function<'a>),
}

impl<'a> Side<'a> {
    /// A snippet under the manual's reading.
    pub fn snippet(snippet: &'a Snippet) -> Side<'a> {
        Side::Snippet(snippet, Semantics::Manual)
    }
}

/// A comparison to be made.
pub struct Sweep<'a> {
    sides: [Side<'a>; 2],
    axes: Vec<Axis>,
    outputs: Vec<Column>,
    random: Option<Sampled>,
    keep: usize,
}

/// An input and the values that it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The input.
    pub column: Column,
    /// Its values.
    pub values: Values,
}

/// How a shard is computed. What it reports does not depend on it.
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// Host threads; 0 takes as many as the host has cores.
    pub workers: usize,
    /// The most instructions for each part, as [`snippet::Options::max_steps`](crate::snippet::Options::max_steps).
    pub max_steps: Option<u64>,
    /// Set it to end early with [`Failure::Cancelled`].
    pub cancel: Option<&'a AtomicBool>,
    /// Called by the calling thread now and then, as [`Launch::look`](margay_exec::Launch::look).
    pub look: Option<&'a (dyn Fn() + Sync)>,
    /// Told how many inputs are done, by any worker, one at a time.
    pub progress: Option<&'a (dyn Fn(u64) + Sync)>,
}

/// Inputs that are computed and hashed together; shards begin and end at multiples of it.
pub const CHUNK: u64 = 1 << 16;

impl<'a> Sweep<'a> {
    /// A comparison over all values of all inputs, until [`set`](Self::set) and [`sample`](Self::sample) say otherwise.
    ///
    /// Inputs are those of both sides: the same name is the same input. Outputs are compared one with the other in their order.
    ///
    /// # Errors
    /// Sides of which an input or an output has different sizes, or that have different numbers of outputs; two functions.
    pub fn new(a: Side<'a>, b: Side<'a>) -> Result<Sweep<'a>, Problem> {
        let snippets = [a, b].into_iter().filter_map(|side| match side {
            Side::Snippet(snippet, _) => Some(snippet),
            Side::Function(..) => None,
        });
        let mut axes: Vec<Axis> = Vec::new();
        let mut outputs: Option<Vec<Column>> = None;
        for snippet in snippets {
            for column in snippet.inputs() {
                match axes.iter().find(|axis| axis.column.name == column.name) {
                    Some(axis) if axis.column.ty.width() != column.ty.width() => {
                        let (name, one, other) = (&column.name, axis.column.ty, column.ty);
                        let message = format!("`{name}` is `{one}` on one side and `{other}` on the other");
                        return Err(Problem::new(message).help("give them different names"));
                    }
                    Some(_) => {}
                    None => {
                        let values = Values::all(column.ty.width());
                        axes.push(Axis { column: column.clone(), values });
                    }
                }
            }
            match &outputs {
                None => outputs = Some(snippet.outputs().to_vec()),
                Some(others) => comparable(others, snippet.outputs())?,
            }
        }
        let Some(outputs) = outputs else {
            return Err(Problem::new("two functions cannot be compared").help("one side has to be a snippet"));
        };
        Ok(Sweep { sides: [a, b], axes, outputs, random: None, keep: 10 })
    }

    /// Lets an input take these values.
    ///
    /// # Errors
    /// A name that is no input, values that do not fit it.
    pub fn set(&mut self, name: &str, values: Values) -> Result<(), Problem> {
        let names: Vec<String> = self.axes.iter().map(|axis| format!("`{}`", axis.column.name)).collect();
        let Some(axis) = self.axes.iter_mut().find(|axis| axis.column.name == name) else {
            let help = match names.is_empty() {
                true => "there are none".to_string(),
                false => format!("the inputs are {}", names.join(", ")),
            };
            return Err(Problem::new(format!("`{name}` is not an input")).help(help));
        };
        axis.values =
            values.within(axis.column.ty.width()).map_err(|problem| problem.within(format!("`{name}`")))?;
        Ok(())
    }

    /// Draws so many inputs instead of taking all: the corners of the values first, where they are few enough, then
    /// corners and others mixed at random.
    pub fn sample(&mut self, count: u64, seed: u64) {
        self.random = Some(Sampled { count, seed });
    }

    /// Keeps the first so many differences, by the numbers of their inputs; 10 if nothing is said.
    pub fn keep(&mut self, differences: usize) {
        self.keep = differences;
    }

    /// The inputs and their values. Those of the last one change fastest.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// How many inputs there are.
    ///
    /// # Errors
    /// More than 2^63.
    pub fn inputs(&self) -> Result<u64, Problem> {
        if let Some(random) = self.random {
            return Ok(random.count);
        }
        let all = self.axes.iter().try_fold(1u64, |product, axis| {
            let values = u64::try_from(axis.values.more).ok()?.checked_add(1)?;
            product.checked_mul(values).filter(|inputs| *inputs <= 1 << 63)
        });
        all.ok_or_else(|| {
            let bits: f64 = self.axes.iter().map(|axis| (axis.values.more as f64 + 1.0).log2()).sum();
            Problem::new(format!("there are 2^{bits:.0} inputs, too many to take them all"))
                .help("give inputs fewer values, or draw some at random")
        })
    }

    /// What is asked: the same for all shards.
    ///
    /// # Errors
    /// As [`inputs`](Self::inputs).
    pub fn question(&self) -> Result<Question, Problem> {
        let [a, b] = self.sides.map(|side| match side {
            Side::Snippet(snippet, semantics) => {
                Answered { text: snippet.text(), semantics: name_of(semantics).to_string() }
            }
            Side::Function(name, _) => Answered { text: name.to_string(), semantics: String::new() },
        });
        let inputs = self.axes.iter();
        let inputs = inputs
            .map(|axis| [axis.column.name.clone(), axis.column.ty.to_string(), axis.values.to_string()]);
        let outputs = self.outputs.iter().map(|column| [column.name.clone(), column.ty.to_string()]);
        Ok(Question {
            a,
            b,
            inputs: inputs.collect(),
            outputs: outputs.collect(),
            random: self.random,
            keep: self.keep,
            total: self.inputs()?,
        })
    }

    /// The numbers of the first input of shard `i` of `n`, counted from 1, and of the one behind its last.
    ///
    /// # Errors
    /// A shard that there is not; as [`inputs`](Self::inputs).
    pub fn range(&self, i: u64, n: u64) -> Result<[u64; 2], Problem> {
        if i == 0 || i > n {
            let help = format!("shards are counted from 1, so the last one of {n} is {n}/{n}");
            return Err(Problem::new(format!("there is no shard {i}/{n}")).help(help));
        }
        let total = self.inputs()?;
        let chunks = u128::from(total.div_ceil(CHUNK));
        let bound = |i: u64| (u128::from(i) * chunks / u128::from(n)) as u64;
        Ok([i - 1, i].map(|i| bound(i).saturating_mul(CHUNK).min(total)))
    }

    /// Computes shard `i` of `n`, counted from 1. A shard may be empty.
    ///
    /// # Errors
    /// As [`range`](Self::range); a side that goes wrong on an input ([`Failure::Stopped`] has its number); being stopped.
    pub fn shard(&self, i: u64, n: u64, options: &Options) -> Result<Report, Failure> {
        let range = self.range(i, n).map_err(Failure::Call)?;
        let question = self.question().map_err(Failure::Call)?;
        run::run(self, question, range, options)
    }

    /// The values of one input by its number, in the order of [`axes`](Self::axes).
    pub fn input(&self, number: u64) -> Vec<Bits> {
        Inputs::new(&self.axes, self.random).values(number)
    }
}

fn comparable(a: &[Column], b: &[Column]) -> Result<(), Problem> {
    if a.len() != b.len() {
        let message = format!("one side has {}, the other has {}", counted(a.len(), "output"), b.len());
        return Err(Problem::new(message).help("write `_` for results that are not to be compared"));
    }
    match a.iter().zip(b).find(|(a, b)| a.ty.width() != b.ty.width()) {
        None => Ok(()),
        Some((a, b)) => {
            let message = format!(
                "output `{}` is `{}` on one side, and `{}` is `{}` on the other",
                a.name, a.ty, b.name, b.ty
            );
            Err(Problem::new(message).help("outputs that are compared have to be of one size"))
        }
    }
}

/// The name of a reading, as options have it.
pub fn name_of(semantics: Semantics) -> &'static str {
    match semantics {
        Semantics::Manual => "manual",
        Semantics::Rounded => "rounded",
        Semantics::Ptxas13_5 => "ptxas-13.5",
    }
}
