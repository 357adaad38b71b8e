//! One instruction on its own: placeholders instead of registers, a value for each, a result.

use margay_front::module::{Address, Base, Operand, Register};
use margay_front::{Diagnostic, lone, parse_statement};
use margay_isa::float::Format;
use margay_isa::{
    Args, AtomicSpace, Bits, Inst, Kind, MAX_SOURCES, Meaning, Role, Semantics, Set, Slot, Step, Ty,
    TypeRule, Word,
};

use crate::problem::Problem;

mod atomic;
mod value;

use atomic::{Memory, space};
use value::{bits, ones};

/// What helps with an instruction that is not evaluated on its own.
pub const NEEDS_KERNEL: &str = "put it in a kernel and use `margay run`";

/// What the carry flag is called where an instruction reads or writes it.
pub(crate) const CARRY: &str = "CC.CF";

/// A statement whose operands are placeholders (any names) or constants.
///
/// # Examples
/// ```
/// use margay::statement::Statement;
/// use margay_isa::Semantics;
///
/// let statement = Statement::parse("vadd4.s32.s32.s32.sat d, a, b, c").unwrap();
/// let values = ["a=0x7f010180", "b=0x01ff0180", "c=0"].map(String::from);
/// let args = statement.bind(&values).unwrap();
/// assert_eq!(statement.compute(Semantics::Manual, &args), [0x7f000280]);
/// ```
#[derive(Clone, Debug)]
pub struct Statement {
    inst: Inst,
    results: Vec<Place>,
    sources: Vec<Read>,
    memory: Option<Memory>,
    warnings: Vec<Diagnostic>,
}

/// An operand: the name it has in the statement or in the manual, and its type.
#[derive(Clone, Debug)]
pub struct Place {
    /// The placeholder; the manual's name where a constant stands, `_` for a result that nobody wants.
    pub name: String,
    /// The type.
    pub ty: Ty,
    /// The format of its elements where the type does not tell it: of 8 bits and fewer.
    narrow: Option<&'static Format>,
}

impl Place {
    /// The format of its elements, if they are floating-point numbers.
    pub fn format(&self) -> Option<&'static Format> {
        self.narrow.or_else(|| Format::of(self.ty.element()))
    }

    /// A value of it in hex, with all its digits.
    pub fn hex(&self, bits: Bits) -> String {
        let digits = self.ty.width().div_ceil(4) as usize;
        format!("0x{bits:0digits$x}")
    }
}

/// An operand that is read.
#[derive(Clone, Debug)]
struct Read {
    place: Place,
    source: Source,
    /// Its place among the arguments, and the first of its bits there.
    at: (usize, u32),
}

#[derive(Clone, Debug)]
enum Source {
    Placeholder,
    Constant(Bits),
}

/// Why a text is no statement that can be evaluated.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// The text is not legal PTX.
    Text(Vec<Diagnostic>),
    /// The instruction does more than compute, or margay does not run it yet.
    Form(Problem),
}

impl Refusal {
    /// What is wrong, as one phrase.
    pub fn message(&self) -> &str {
        match self {
            Refusal::Text(diagnostics) => diagnostics.first().map_or("", |d| &d.message),
            Refusal::Form(problem) => &problem.message,
        }
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Refusal::Form(problem)
    }
}

impl Statement {
    /// Reads a statement, with or without its semicolon.
    ///
    /// Of one that changes memory in one step the value at the address is a source, called as the address is (`a` for `[a]`), and
    /// what memory holds after it the last result, called `[a]`. A generic address stands for one in global memory.
    ///
    /// ```
    /// use margay::statement::Statement;
    /// use margay_isa::Semantics;
    ///
    /// let statement = Statement::parse("atom.global.inc.u32 d, [a], b").unwrap();
    /// let args = statement.bind(&["a=7".into(), "b=9".into()]).unwrap();
    /// assert_eq!(statement.compute(Semantics::Manual, &args), [7, 8]);
    /// ```
    ///
    /// # Errors
    /// Text that is no legal instruction, an instruction that does more than compute.
    pub fn parse(text: &str) -> Result<Statement, Refusal> {
        let (instruction, diagnostics) = parse_statement(text);
        let Some(ast) = instruction.filter(|_| diagnostics.is_empty()) else {
            return Err(Refusal::Text(diagnostics));
        };
        if ast.guard.is_some() {
            return Err(Problem::new("an instruction on its own takes no guard")
                .help("leave out `@p`")
                .into());
        }
        let lone = lone(&ast).map_err(Refusal::Text)?;
        let inst = *lone.instruction.inst;
        match inst.meaning(Semantics::Manual) {
            Meaning::Spec(_) | Meaning::Stages(_) | Meaning::Many(_) | Meaning::Atomic(_) => {}
            Meaning::Together(_)
            | Meaning::Fragments(_)
            | Meaning::Tiles(_)
            | Meaning::Warpgroup(_)
            | Meaning::TensorMemory(_)
            | Meaning::Texture(_)
            | Meaning::Effect(_) => {
                let message = format!("`{inst}` has side effects and cannot be evaluated on its own");
                return Err(Problem::new(message).help(NEEDS_KERNEL).into());
            }
            Meaning::NotYet => return Err(Problem::not_run(inst).into()),
        }
        let mut statement = Statement {
            inst,
            results: Vec::new(),
            sources: Vec::new(),
            memory: Memory::of(&inst),
            warnings: lone.warnings,
        };
        let changed = statement.in_memory(&lone.instruction.operands, &lone.registers)?;
        let operands = inst.line().operands.iter().zip(&lone.instruction.operands);
        for (template, operand) in operands.filter(|(template, _)| changed.is_none() || !template.address) {
            let second = template.second.map(|(name, _)| name);
            match (operand, second) {
                (Operand::Pair(a, b), Some(name)) => {
                    statement.add(template.name, a, &lone.registers)?;
                    statement.add(name, b, &lone.registers)?;
                }
                (Operand::Vector(items), None) => {
                    items.iter().try_for_each(|item| statement.add(template.name, item, &lone.registers))?;
                }
                (operand, second) => {
                    statement.add(template.name, operand, &lone.registers)?;
                    second.map_or(Ok(()), |name| statement.add(name, &Operand::Sink, &lone.registers))?;
                }
            }
        }
        let flag = || Place {
            name: CARRY.to_string(),
            ty: Ty { kind: Kind::Predicate, bits: 1, lanes: 1 },
            narrow: None,
        };
        if inst.reads_carry() {
            statement.read(flag(), Source::Placeholder);
        }
        if inst.writes_carry() {
            statement.results.push(flag());
        }
        statement.results.extend(changed);
        if statement.sources.iter().any(|read| read.at.0 >= MAX_SOURCES) || statement.results.is_empty() {
            return Err(no_value(&inst, "").into());
        }
        Ok(statement)
    }

    /// Takes what memory holds before as a source, in the place of the address. Gives the place of what it holds after.
    fn in_memory(&mut self, operands: &[Operand], registers: &[Register]) -> Result<Option<Place>, Problem> {
        let Some(memory) = self.memory else { return Ok(None) };
        let base = operands.iter().find_map(|operand| match operand {
            Operand::Address(Address { base: Base::Register(id), .. }) => Some(*id),
            _ => None,
        });
        let Some(base) = base else {
            let problem =
                Problem::new(format!("the address of `{}` has no name to give a value for", self.inst));
            return Err(problem.help("write a register there, as in `[a]`"));
        };
        let name = registers[base.0 as usize].name.as_str();
        let sources = operands.iter().flat_map(|operand| match operand {
            Operand::Vector(items) => items.as_slice(),
            other => std::slice::from_ref(other),
        });
        // The first operand may be written; it is named before the address.
        let behind = sources.skip_while(|operand| !matches!(operand, Operand::Address(_)));
        if behind.into_iter().any(|operand| matches!(operand, Operand::Register(id) if *id == base)) {
            let problem = Problem::new(format!("`{name}` is both an address and a value here"));
            return Err(
                problem.help("name them differently: what is given for an address is the value in memory")
            );
        }
        let place = |name: String| Place { name, ty: memory.ty(), narrow: None };
        self.read(place(name.to_string()), Source::Placeholder);
        Ok(Some(place(format!("[{name}]"))))
    }

    fn add(&mut self, name: &str, operand: &Operand, registers: &[Register]) -> Result<(), Problem> {
        let inst = self.inst;
        let entry = inst.page().operand(name).ok_or_else(|| no_value(&inst, name))?;
        // How caches are used changes no value.
        if entry.with == Some(Slot::Policy) {
            return Ok(());
        }
        let ty = inst.operand_type(entry.ty).ok_or_else(|| no_value(&inst, name))?;
        let (written, source) = match operand {
            Operand::Register(id) => (registers[id.0 as usize].name.as_str(), Source::Placeholder),
            Operand::Immediate(bits) => (name, Source::Constant(bits.bits() & ones(ty.width()))),
            Operand::Sink => ("_", Source::Constant(0)),
            _ => return Err(no_value(&inst, name)),
        };
        let format = match entry.ty {
            TypeRule::Of(slot) | TypeRule::AtLeast(slot) => Format::named(inst[slot]),
            _ => None,
        };
        let narrow = format.filter(|format| format.bits <= 8);
        let place = Place { name: written.to_string(), ty, narrow };
        match entry.role {
            Role::Destination => self.results.push(place),
            Role::Source => self.read(place, source),
        }
        Ok(())
    }

    fn read(&mut self, place: Place, source: Source) {
        let at = match self.memory {
            // The elements of a vector stand in one argument, beside those in memory.
            Some(memory) if memory.count > 1 && !self.sources.is_empty() => {
                (1, memory.shift(self.sources.len() as u32 - 1))
            }
            _ => (self.sources.len(), 0),
        };
        self.sources.push(Read { place, source, at });
    }

    /// What the statement's writer should know, such as that a constant was cut.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// The instruction without its operands.
    pub fn inst(&self) -> &Inst {
        &self.inst
    }

    /// The operands that are written, in order.
    pub fn results(&self) -> &[Place] {
        &self.results
    }

    /// The operands that are read, in order.
    pub fn sources(&self) -> impl Iterator<Item = &Place> {
        self.sources.iter().map(|read| &read.place)
    }

    /// The names that need a value, each once, in order.
    pub fn placeholders(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for Read { place, source, .. } in &self.sources {
            if matches!(source, Source::Placeholder) && !names.contains(&place.name.as_str()) {
                names.push(&place.name);
            }
        }
        names
    }

    /// The sources from `NAME=VALUE` texts, one for each placeholder. A value is a decimal number, possibly negative,
    /// or `0x` and hex digits.
    ///
    /// # Errors
    /// A name that is missing, given twice, unknown or only written; a value that is no number or too wide.
    pub fn bind(&self, values: &[String]) -> Result<Args, Problem> {
        let mut given: Vec<(&str, &str)> = Vec::new();
        let names = self.placeholders();
        let listed = || names.iter().map(|name| format!("`{name}=…`")).collect::<Vec<_>>().join(", ");
        for text in values {
            let Some((name, value)) = text.split_once('=') else {
                return Err(Problem::new(format!("`{text}` does not give a value"))
                    .help(format!("write {}", listed())));
            };
            if !names.contains(&name) {
                let what = match self.results.iter().any(|place| place.name == name) {
                    true => "is the result and takes no value",
                    false => "is not an operand of the instruction",
                };
                let help = if names.is_empty() {
                    "it needs no values".to_string()
                } else {
                    format!("it needs {}", listed())
                };
                return Err(Problem::new(format!("`{name}` {what}")).help(help));
            }
            if given.iter().any(|(other, _)| *other == name) {
                return Err(Problem::new(format!("`{name}` is given twice")));
            }
            given.push((name, value));
        }
        let missing: Vec<_> =
            names.iter().filter(|name| !given.iter().any(|(other, _)| other == *name)).collect();
        if let Some(first) = missing.first() {
            let rest = missing.iter().map(|name| format!("`{name}=…`")).collect::<Vec<_>>().join(", ");
            return Err(Problem::new(format!("operand `{first}` has no value")).help(format!("add {rest}")));
        }
        self.args(|name| given.iter().find(|(other, _)| *other == name).map_or("", |(_, value)| value))
    }

    /// The sources, each placeholder's value as text by its name; see [`bind`](Self::bind).
    ///
    /// # Errors
    /// A value that is no number or too wide.
    pub fn args<'a>(&self, value: impl Fn(&str) -> &'a str) -> Result<Args, Problem> {
        let mut args = Args::default();
        for Read { place, source, at } in &self.sources {
            let bits = match source {
                Source::Constant(bits) => *bits,
                Source::Placeholder => bits(value(&place.name), place)?,
            };
            args[at.0] |= bits << at.1;
        }
        Ok(args)
    }

    /// The operands that are read with the values that they have among the arguments, in order.
    pub fn given<'a>(&'a self, args: &'a Args) -> impl Iterator<Item = (&'a Place, Bits)> {
        self.sources.iter().map(|read| {
            let bits = args[read.at.0] >> read.at.1;
            (&read.place, if self.memory.is_some() { bits & ones(read.place.ty.width()) } else { bits })
        })
    }

    /// The results, in the order of [`results`](Self::results).
    pub fn compute(&self, semantics: Semantics, args: &Args) -> Vec<Bits> {
        if let Some(memory) = self.memory {
            let kept = self.results.len() - 1;
            let old = |at: usize| memory.part(args[0], at as u32);
            let after = memory.after(&self.inst, semantics, args);
            return (0..kept).map(old).chain([after]).collect();
        }
        let mut results = vec![0; self.results.len().max(1)];
        self.inst.compute(semantics, args, &mut results);
        results
    }

    /// Where the statement changes memory: in what space it does so.
    pub fn changes_memory(&self) -> Option<AtomicSpace> {
        self.memory.map(|_| space(&self.inst))
    }

    /// The operand whose type the one number of [`in_one`](Self::in_one) has.
    pub fn judged(&self) -> &Place {
        match self.memory {
            Some(_) => &self.results[self.results.len() - 1],
            None => &self.results[0],
        }
    }

    /// The results as one number, as tables have them: several predicates are bits, the first the lowest; of a statement that
    /// changes memory, what it holds after it.
    pub fn in_one(&self, semantics: Semantics, args: &Args) -> Bits {
        let results = self.compute(semantics, args);
        if self.memory.is_some() {
            return results[results.len() - 1];
        }
        let mut wanted = self.results.iter().zip(results).filter(|(place, _)| place.name != "_");
        match self.results.iter().all(|place| place.ty.kind == Kind::Predicate) {
            true => wanted.rev().fold(0, |bits, (_, result)| bits << 1 | result),
            false => wanted.next().map_or(0, |(_, result)| result),
        }
    }

    /// The stages of the computation, for instructions whose page has them.
    pub fn stages(&self, semantics: Semantics, args: &Args) -> Vec<Step> {
        self.inst.stages(semantics, args)
    }

    /// The type of one element of a result: narrower than the result where the instruction works on parts of it.
    pub fn element(&self, result: &Place) -> Ty {
        let ty = result.ty;
        let parts = |set: Set| match set {
            Set::ByteQuads | Set::ByteMasks => Some(8),
            Set::HalfPairs | Set::HalfMasks => Some(16),
            _ => None,
        };
        let selectors = self.inst.line().operands.iter().filter_map(|template| template.selector);
        let bits = selectors.filter_map(|selector| parts(selector.set)).next();
        // A secondary operation makes one number of the elements.
        match bits.filter(|_| !self.inst.has(Slot::Op2)) {
            Some(bits) => ty.with_bits(bits).element(),
            None => ty.element(),
        }
    }
}

fn no_value(inst: &Inst, name: &str) -> Problem {
    let message = match name {
        "" => format!("`{inst}` has no result and cannot be evaluated on its own"),
        _ => format!("operand `{name}` of `{inst}` is not a value, so it cannot be evaluated on its own"),
    };
    Problem::new(message).help(NEEDS_KERNEL)
}

/// What the words of a form say, for the errata that concern it.
pub fn errata(inst: &Inst) -> impl Iterator<Item = &'static margay_isa::Erratum> {
    inst.page().errata.iter().filter(move |erratum| (erratum.concerns)(inst))
}

/// The type that signs the elements of the result, where the instruction has one of its own.
pub fn result_type(inst: &Inst, ty: Ty) -> Ty {
    match inst[Slot::DType] {
        Word::Absent => ty,
        word => word.ty().map_or(ty, |dtype| Ty { kind: dtype.kind, ..ty }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(text: &str) -> Statement {
        Statement::parse(text).unwrap_or_else(|refusal| panic!("{text}: {}", refusal.message()))
    }

    fn refusal(text: &str) -> String {
        Statement::parse(text).unwrap_err().message().to_string()
    }

    fn eval(text: &str, values: &[&str]) -> Result<Bits, String> {
        let values: Vec<String> = values.iter().map(|v| v.to_string()).collect();
        let statement = statement(text);
        let args = statement.bind(&values).map_err(|p| p.message)?;
        Ok(statement.compute(Semantics::Manual, &args)[0])
    }

    #[test]
    fn any_names_and_signs_are_taken() {
        assert_eq!(eval("add.s32 %r1, %x, _y;", &["_y=-2", "%x=1"]), Ok(0xffff_ffff));
        assert_eq!(eval("add.u32 a, a, a", &["a=0x80000001"]), Ok(2));
        assert_eq!(eval("vmad.s32.s32.u32 d, a.h0, -b.h1, c", &["a=2", "b=0x30000", "c=7"]), Ok(1));
    }

    #[test]
    fn pairs_and_vectors_give_a_result_for_each_name() {
        let results = |text: &str, values: &[&str]| {
            let values: Vec<String> = values.iter().map(|v| v.to_string()).collect();
            let statement = statement(text);
            let results = statement.compute(Semantics::Manual, &statement.bind(&values).unwrap());
            let named = statement.results().iter().map(|place| place.name.clone()).zip(results);
            named.filter(|(name, _)| name != "_").collect::<Vec<_>>()
        };
        let two = |a: (&str, Bits), b: (&str, Bits)| vec![(a.0.to_string(), a.1), (b.0.to_string(), b.1)];
        assert_eq!(results("setp.lt.u32 p|q, a, b", &["a=1", "b=2"]), two(("p", 1), ("q", 0)));
        assert_eq!(results("setp.lt.and.u32 p, a, b, !c", &["a=1", "b=2", "c=1"]), [("p".to_string(), 0)]);
        assert_eq!(results("mov.b32 {lo, hi}, a", &["a=0x10002"]), two(("lo", 2), ("hi", 1)));
        assert_eq!(results("mov.b64 {_, hi}, a", &["a=0x1000000002"]), [("hi".to_string(), 0x10)]);
        assert_eq!(results("mov.b32 d, {a, b}", &["a=2", "b=1"]), [("d".to_string(), 0x10002)]);
        let lop3 = results("lop3.or.b32 d|p, a, b, c, 0x96, q", &["a=1", "b=2", "c=4", "q=0"]);
        assert_eq!(lop3, two(("d", 7), ("p", 1)));
    }

    #[test]
    fn a_predicate_is_0_or_1() {
        assert_eq!(eval("selp.u32 d, a, b, p", &["a=5", "b=6", "p=0"]), Ok(6));
        assert!(eval("selp.u32 d, a, b, p", &["a=5", "b=6", "p=-1"]).is_err());
        assert!(eval("selp.u32 d, a, b, p", &["a=5", "b=6", "p=2"]).is_err());
    }

    #[test]
    fn constants_stand_for_themselves() {
        assert_eq!(eval("add.u32 d, a, 4294967297", &["a=1"]), Ok(2));
        assert_eq!(eval("add.s32 d, a, -(5)", &["a=1"]), Ok(0xffff_fffc));
        assert_eq!(eval("add.u16 d, 65535, 2", &[]), Ok(1));
        assert_eq!(eval("add.u32 d, a, (1 < 2) ? WARP_SZ : 0", &["a=1"]), Ok(33));
        for text in
            ["vadd4.u32.u32.u32 d, a, 1, c", "bfe.u32 d, a, 300, 1", "add.u32 d, a, 1/0", "add.u32 4, a, b"]
        {
            assert!(matches!(Statement::parse(text), Err(Refusal::Text(_))), "{text}");
        }
        assert_eq!(statement("add.u16 d, a, 65537").warnings().len(), 1);
    }

    #[test]
    fn values_too_wide_for_their_operand_are_refused() {
        assert_eq!(eval("add.u16 d, a, b", &["a=65535", "b=-32768"]), Ok(0x7fff));
        let message = |value: &str| eval("add.u16 d, a, b", &[&format!("a={value}"), "b=0"]).unwrap_err();
        assert_eq!(message("65536"), "the value `65536` does not fit `a`");
        assert_eq!(message("-32769"), "the value `-32769` does not fit `a`");
        assert_eq!(message("0x10000"), "the value `0x10000` does not fit `a`");
        assert_eq!(message(&"9".repeat(99)), format!("the value `{}` does not fit `a`", "9".repeat(99)));
        for bad in ["", "-", "x", "0x", "1.5", "1e3", "--1", "0xé"] {
            assert_eq!(message(bad), format!("the value `{bad}` of `a` is not a number"));
        }
    }

    #[test]
    fn each_placeholder_gets_one_value() {
        let message = |values: &[&str]| eval("add.u32 d, a, b", values).unwrap_err();
        assert_eq!(message(&["a=1"]), "operand `b` has no value");
        assert_eq!(message(&["a=1", "b=1", "a=2"]), "`a` is given twice");
        assert_eq!(message(&["a=1", "b=1", "x=2"]), "`x` is not an operand of the instruction");
        assert_eq!(message(&["a=1", "b=1", "d=2"]), "`d` is the result and takes no value");
        assert_eq!(message(&["a"]), "`a` does not give a value");
    }

    #[test]
    fn what_is_no_form_is_refused_with_the_nearest() {
        assert_eq!(refusal("vaddd d, a"), "unknown instruction `vaddd`");
        assert_eq!(refusal("add.u33 d, a, b"), "unknown modifier `.u33`");
        assert_eq!(refusal("add.u32 d, a"), "`add` takes 3 operands here, not 2");
        assert_eq!(refusal("@p add.u32 d, a, b"), "an instruction on its own takes no guard");
        assert!(matches!(Statement::parse(""), Err(Refusal::Text(_))));
        assert!(matches!(Statement::parse("add.u32 d, a, b; add.u32 d, a, b"), Err(Refusal::Text(_))));
        let Err(Refusal::Text(found)) = Statement::parse("mul.u32 d, a, b") else { panic!() };
        assert!(found[0].help.as_ref().unwrap().starts_with("the nearest form is `mul."));
    }

    #[test]
    fn elements_are_those_of_the_instruction() {
        let width = |text: &str| {
            let statement = statement(text);
            statement.element(&statement.results()[0]).bits
        };
        assert_eq!(width("vadd4.u32.u32.u32 d, a, b, c"), 8);
        assert_eq!(width("vadd2.u32.u32.u32 d, a, b, c"), 16);
        assert_eq!(width("vadd4.u32.u32.u32.add d, a, b, c"), 32);
        assert_eq!(width("add.s16x2 d, a, b"), 16);
        assert_eq!(width("mul.wide.u32 d, a, b"), 64);
    }
}
