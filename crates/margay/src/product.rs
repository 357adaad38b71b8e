//! One product of matrices on its own: matrices go in, a matrix comes out, by the arithmetic of a device.
//!
//! ```
//! use margay::product::{Product, View};
//!
//! let text = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32";
//! let product = Product::parse(text, View::Matrices).unwrap().unwrap();
//! let values = product.bind(&["a={{1,2},{3,4}}".into(), "b={{10},{1}}".into()]).unwrap();
//! let device = product.device(None).unwrap();
//! let d = product.on(device).compute(&values);
//! assert_eq!((device.to_string().as_str(), d.len()), ("sm_75", 16 * 8));
//! assert_eq!([d[0], d[8]].map(|bits| f32::from_bits(bits as u32)), [12.0, 34.0]);
//! ```

mod entry;
mod form;
mod value;

use std::ops::Range;

use margay_front::{Diagnostic, Source};
use margay_isa::syntax::Template;
use margay_isa::tensor_core::Form;
use margay_isa::{Across, Held, Immediate, Inst, Meaning, Semantics, Sparse, TARGETS, Target, Whole, Word};

use crate::explain::fragments::{exists, on};
use crate::problem::Problem;
use crate::statement::errata;
pub use entry::Entry;
use form::Written;
use value::{elements, of_bytes, wanted};

/// Lanes of a warp.
const LANES: usize = 32;

/// As what operands are given and shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// As matrices.
    Matrices,
    /// As the registers of each lane: a row a lane, a column a register.
    Registers,
}

/// A product D = A·B + C whose operands are given as matrices, or as the registers that lanes hold.
#[derive(Clone, Debug)]
pub struct Product {
    inst: Inst,
    inputs: Vec<Input>,
    /// Registers that constants in the statement fill, in all lanes.
    constants: Vec<(Range<usize>, Vec<u64>)>,
    result: Input,
    /// How many registers are read.
    sources: usize,
    warnings: Vec<Diagnostic>,
    source: Source,
}

/// An operand that takes a value, or the result.
#[derive(Clone, Debug)]
pub struct Input {
    /// What it is called: as in the statement, or as in the manual.
    pub name: String,
    /// The rows of what is given for it.
    pub rows: usize,
    /// The columns.
    pub columns: usize,
    /// The type of its elements.
    pub entry: Entry,
    /// The pattern that fills it where no value is given; none where one must be.
    pub default: Option<u64>,
    /// The manual's name of it.
    manual: &'static str,
    registers: Range<usize>,
    lies: Lies,
    /// The numbers that it takes, ends included, where those are fewer than its type has.
    only: Option<(u64, u64)>,
}

/// How what is given lies in registers.
#[derive(Clone, Debug)]
enum Lies {
    /// As the fragments of a matrix.
    Matrix(Held),
    /// As the fragments of what is stored of it, with metadata in this register.
    Compressed(Held, Sparse, usize),
    /// A row a lane, a column a register.
    Lanes,
    /// The same in all lanes.
    Same,
}

/// Why a text is no product that can be computed.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// It is not legal PTX; the text that the diagnostics are of.
    Text(Source, Vec<Diagnostic>),
    /// It is none of which operands can be given.
    Form(Problem),
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Refusal {
        Refusal::Form(problem)
    }
}

/// A product made ready for a device.
pub struct Computation<'p> {
    product: &'p Product,
    whole: Whole,
}

impl Input {
    /// How many elements it has.
    pub fn count(&self) -> usize {
        self.rows * self.columns
    }

    /// Type and dimensions of what a file for it holds, as in `f16[16,8]`.
    pub fn shape(&self) -> String {
        format!("{}[{},{}]", self.entry.stored(), self.rows, self.columns)
    }

    /// Name, size and type, as in `d: 16 by 8, .f32`.
    pub fn title(&self) -> String {
        format!("{}: {} by {}, .{}", self.name, self.rows, self.columns, self.entry.name())
    }

    /// The elements as lines of text.
    pub fn lines(&self, elements: &[u64]) -> Vec<String> {
        let texts: Vec<String> = elements.iter().map(|bits| self.entry.show(*bits)).collect();
        let label =
            |row: usize| if matches!(self.lies, Lies::Lanes) { format!("T{row:<3}") } else { String::new() };
        // Numbers stand below each other.
        let width = texts.iter().map(String::len).max().unwrap_or(0);
        let line = |(row, line): (usize, &[String])| {
            let cells: Vec<String> = line.iter().map(|text| format!("{text:>width$}")).collect();
            format!("{}{}", label(row), cells.join(" "))
        };
        texts.chunks(self.columns).enumerate().map(line).collect()
    }

    /// The elements that bytes hold, row by row and little-endian, each in as many bytes as a file has for it.
    ///
    /// # Errors
    /// Another number of bytes; elements that do not fit their type, or that the operand does not take.
    pub fn taken(&self, bytes: &[u8]) -> Result<Vec<u64>, Problem> {
        self.limited(of_bytes(self, bytes)?)
    }

    fn spread(&self, elements: &[u64], sources: &mut [Across]) {
        let registers = &mut sources[self.registers.clone()];
        match &self.lies {
            Lies::Matrix(held) => held.spread(elements, registers),
            Lies::Compressed(held, sparse, metadata) => {
                // That there are not more elements has been told where they were given.
                if let Ok((stored, told)) = sparse.compress(elements, self.columns) {
                    held.spread(&stored, registers);
                    sources[*metadata] = told;
                }
            }
            Lies::Lanes => {
                for (at, bits) in elements.iter().enumerate() {
                    registers[at % self.columns][at / self.columns] = *bits;
                }
            }
            Lies::Same => registers.iter_mut().for_each(|register| register.fill(elements[0])),
        }
    }

    fn collect(&self, registers: &[Across]) -> Vec<u64> {
        match &self.lies {
            Lies::Matrix(held) => held.collect(registers),
            _ => (0..LANES).flat_map(|lane| registers.iter().map(move |r| r[lane])).collect(),
        }
    }
}

impl Product {
    /// Reads a product: all words of its form alone; with a name of your choice for each matrix, as in `mma.… d, a, b, c`; or with
    /// registers in braces as a kernel has them, whose matrices are called as in the manual. None if the text is another
    /// instruction, or none.
    ///
    /// # Errors
    /// Text that is no legal instruction; words that several forms have, or none.
    pub fn parse(text: &str, view: View) -> Result<Option<Product>, Refusal> {
        let Some(Written { inst, operands, warnings, source }) = form::written(text)? else {
            return Ok(None);
        };
        let held = inst.page().held.map_or_else(Vec::new, |held| held(&inst));
        let (mut inputs, mut constants, mut result) = (Vec::new(), Vec::new(), None);
        let mut sources = 0;
        for (at, template) in inst.line().operands.iter().enumerate() {
            let place = operands.get(at);
            let parts = parts(&inst, template);
            let is_one = parts.len() == 1;
            let given = place.map_or(&[][..], |place| &place.constants);
            let mut first = 0;
            for (manual, count) in parts {
                let base = if at == 0 { 0 } else { sources };
                let registers = base + first..base + first + count;
                let drawn = held.iter().find(|held| held.operand == manual && view == View::Matrices);
                let name = place.filter(|_| is_one).and_then(|place| place.name.as_deref());
                let input = Input::new(&inst, manual, name.unwrap_or(manual), registers, drawn);
                match () {
                    _ if at == 0 => result = Some(input),
                    // Where scales lie makes no difference if they are given by rows and columns.
                    _ if !is_one && view == View::Matrices => {}
                    _ if !given.is_empty() => {
                        constants.push((input.registers, given[first..first + count].to_vec()));
                    }
                    _ => inputs.push(input),
                }
                first += count;
            }
            sources += if at == 0 { 0 } else { first };
        }
        let Some(result) = result else { return Ok(None) };
        Ok(Some(Product { inst, inputs, constants, result, sources, warnings, source }))
    }

    /// The instruction without its operands.
    pub fn inst(&self) -> &Inst {
        &self.inst
    }

    /// The operands that take values, in order.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The matrix that is computed.
    pub fn result(&self) -> &Input {
        &self.result
    }

    /// What the statement's writer should know.
    pub fn warnings(&self) -> (&Source, &[Diagnostic]) {
        (&self.source, &self.warnings)
    }

    /// The device whose arithmetic it is: the one that is wanted, else the first that has the form.
    ///
    /// # Errors
    /// A device that does not have the form.
    pub fn device(&self, wanted: Option<Target>) -> Result<Target, Problem> {
        let targets: Vec<String> =
            self.inst.floors().iter().map(|(_, floor)| floor.targets.to_string()).collect();
        let missing = |device: String| {
            Problem::new(format!("`{}` does not exist on {device}", self.inst))
                .help(format!("it exists on {}", targets.last().map_or("no device", |targets| targets)))
        };
        if let Some(device) = wanted {
            return Some(device)
                .filter(|device| exists(&self.inst, *device))
                .ok_or_else(|| missing(device.to_string()));
        }
        let having = TARGETS.iter().map(|(target, _)| *target).filter(|target| exists(&self.inst, *target));
        having.min_by_key(|target| (target.number, target.suffix)).ok_or_else(|| missing("any device".into()))
    }

    /// The same product if operands with these names are given: of a sparse A that comes without metadata all elements are, and
    /// what is stored follows from them.
    #[must_use]
    pub fn taking(mut self, names: &[&str]) -> Product {
        let beside = ["metadata", "selector"];
        let tells = |input: &&Input| beside.contains(&input.manual);
        if self.inputs.iter().filter(tells).any(|input| names.contains(&input.name.as_str())) {
            return self;
        }
        let metadata =
            self.inputs.iter().find(|input| input.manual == "metadata").map(|input| input.registers.start);
        let mut compresses = false;
        for input in &mut self.inputs {
            if let (Lies::Matrix(Held { sparse: Some(sparse), .. }), Some(metadata)) = (&input.lies, metadata)
            {
                let Lies::Matrix(held) = input.lies.clone() else { continue };
                input.lies = Lies::Compressed(held, *sparse, metadata);
                input.columns *= 2;
                compresses = true;
            }
        }
        if compresses {
            // The selector is 0 then, whatever constant stands there.
            self.constants
                .retain(|(registers, _)| Some(registers.start) != metadata.map(|register| register + 1));
            self.inputs.retain(|input| !tells(&input));
        }
        self
    }

    /// The values of the inputs from `NAME=VALUE` texts: a number for all elements, rows in braces (`{{1,2},{3,4}}`, of which
    /// what is left out is zero), or a file. C is zero where it is not given.
    ///
    /// # Errors
    /// A name that is missing, given twice, or unknown; a value that is none of these, or of another type or shape.
    pub fn bind(&self, values: &[String]) -> Result<Vec<Vec<u64>>, Problem> {
        let mut given: Vec<Option<Vec<u64>>> = vec![None; self.inputs.len()];
        for text in values {
            let Some((name, value)) = text.split_once('=') else {
                return Err(Problem::new(format!("`{text}` does not give a value")).help(self.listed()));
            };
            let Some(at) = self.inputs.iter().position(|input| input.name == name) else {
                let what = match self.result.name == name {
                    true => "is the result and takes no value",
                    false => "is not an operand of the instruction",
                };
                return Err(Problem::new(format!("`{name}` {what}")).help(self.listed()));
            };
            if given[at].is_some() {
                return Err(Problem::new(format!("`{name}` is given twice")));
            }
            given[at] = Some(self.inputs[at].limited(elements(&self.inputs[at], value)?)?);
        }
        self.completed(given)
    }

    /// The values of all inputs, those that are not given by their defaults.
    ///
    /// # Errors
    /// An input that has none.
    pub fn completed(&self, given: Vec<Option<Vec<u64>>>) -> Result<Vec<Vec<u64>>, Problem> {
        let value = |(input, given): (&Input, Option<Vec<u64>>)| match (given, input.default) {
            (Some(given), _) => Ok(given),
            (None, Some(default)) => Ok(vec![default; input.count()]),
            (None, None) => {
                let why = match input.manual {
                    "metadata" => "; it says where the stored elements of A belong",
                    _ => "",
                };
                Err(Problem::new(format!("operand `{}` has no value{why}", input.name)).help(format!(
                    "add `{}=…`; {}",
                    input.name,
                    wanted(input)
                )))
            }
        };
        self.inputs.iter().zip(given).map(value).collect()
    }

    fn listed(&self) -> String {
        let of = |optional: bool| {
            let own = self.inputs.iter().filter(move |input| input.default.is_some() == optional);
            own.map(|input| format!("`{}=…`", input.name)).collect::<Vec<_>>().join(", ")
        };
        match of(true) {
            optional if optional.is_empty() => format!("it needs {}", of(false)),
            optional => format!("it needs {}, and takes {optional}", of(false)),
        }
    }

    /// The product, made ready for a device.
    pub fn on(&self, device: Target) -> Computation<'_> {
        let Meaning::Fragments(multiply) = self.inst.meaning(Semantics::Manual) else {
            unreachable!("what is parsed multiplies matrices")
        };
        Computation { product: self, whole: multiply(&self.inst, device) }
    }

    /// What a device makes of it, and what stands behind that.
    pub fn arithmetic(&self, device: Target) -> String {
        format!("{device}: {}", on(&Form::of(&self.inst), device))
    }

    /// All that is to be said of a product: what came in, what came out, by which arithmetic, and what the manual leaves open.
    /// `bold` marks what the result is called.
    pub fn text(
        &self,
        device: Target,
        values: &[Vec<u64>],
        d: &[u64],
        bold: impl Fn(&str) -> String,
    ) -> String {
        let mut out = format!("{}\n", self.inst.page().purpose);
        for (input, values) in self.inputs.iter().zip(values) {
            out += &format!("{}\n", input.title());
            out.extend(input.lines(values).iter().map(|line| format!("    {line}\n")));
        }
        out += &self.brief(device, d, bold);
        out.extend(errata(&self.inst).map(|erratum| format!("erratum: {}\n", erratum.told())));
        out
    }

    /// What came out, and by which arithmetic.
    pub fn brief(&self, device: Target, d: &[u64], bold: impl Fn(&str) -> String) -> String {
        let mut out = format!("{}\n", bold(&self.result.title()));
        out.extend(self.result.lines(d).iter().map(|line| format!("    {line}\n")));
        out + &format!("{}\n", self.arithmetic(device))
    }
}

/// What the registers of an operand are called in the manual, and how many of them are called so: all, or each by itself.
fn parts(inst: &Inst, template: &Template) -> Vec<(&'static str, usize)> {
    let count = inst.elements(template).max(1);
    match template.further {
        "" => vec![(template.name, count)],
        _ => (0..count).map(|k| (template.element(k), 1)).collect(),
    }
}

impl Computation<'_> {
    /// The elements of D, row by row, from those of the inputs.
    ///
    /// # Panics
    /// If there are other values than the inputs want.
    pub fn compute(&self, values: &[Vec<u64>]) -> Vec<u64> {
        let product = self.product;
        let mut sources = vec![[0; LANES]; product.sources];
        for (registers, constants) in &product.constants {
            for (register, bits) in sources[registers.clone()].iter_mut().zip(constants) {
                register.fill(*bits);
            }
        }
        for (input, values) in product.inputs.iter().zip(values) {
            input.spread(values, &mut sources);
        }
        let mut results = vec![[0; LANES]; product.result.registers.len()];
        self.whole.carry_out(&sources, &mut results);
        product.result.collect(&results)
    }
}

impl Input {
    fn new(
        inst: &Inst,
        manual: &'static str,
        name: &str,
        registers: Range<usize>,
        held: Option<&Held>,
    ) -> Input {
        let name = name.to_string();
        let form = Form::of(inst);
        let entry = inst.page().operand(manual);
        let only = entry.and_then(|entry| match inst.operand_here(*entry).immediate {
            Immediate::Only(least, most) => Some((least as u64, most as u64)),
            _ => None,
        });
        let default = match manual {
            "a" | "b" | "metadata" | "scale_a" | "scale_b" => None,
            _ => Some(0),
        };
        let bits = entry.and_then(|entry| inst.operand_type(entry.ty)).map_or(32, |ty| ty.width());
        let (lies, (rows, columns), entry) = match held {
            Some(held) => {
                let word = match manual {
                    "a" => form.a,
                    "b" => form.b,
                    "c" => form.c,
                    "d" => form.d,
                    _ if form.scales == Word::Absent => Word::Ue8m0,
                    _ => form.scales,
                };
                (Lies::Matrix(held.clone()), held.size(), Entry::of(word))
            }
            None if only.is_some() => (Lies::Same, (1, 1), Entry::Integer { signed: false, bits }),
            None => (Lies::Lanes, (LANES, registers.len()), Entry::Bits(bits)),
        };
        Input { name, rows, columns, entry, default, manual, registers, lies, only }
    }

    /// The same values, if the input takes them.
    fn limited(&self, values: Vec<u64>) -> Result<Vec<u64>, Problem> {
        if let Lies::Compressed(_, sparse, _) = &self.lies
            && let Err((row, first)) = sparse.compress(&values, self.columns)
        {
            let (of, stored) = sparse.share();
            let message = format!(
                "more than {stored} of columns {first} to {} in row {row} of `{}` are not zero",
                first + of - 1,
                self.name
            );
            let help = format!(
                "only {stored} of {of} are stored; with `metadata=…`, `{}` is what is stored",
                self.name
            );
            return Err(Problem::new(message).help(help));
        }
        let Some((least, most)) = self.only else { return Ok(values) };
        match values.iter().find(|value| !(least..=most).contains(value)) {
            None => Ok(values),
            Some(wrong) => {
                Err(Problem::new(format!("`{}` cannot be {wrong}", self.name)).help(match least == most {
                    true => format!("it must be {least}"),
                    false => format!("it must be {least} to {most}"),
                }))
            }
        }
    }
}
