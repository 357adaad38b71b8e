//! One instruction on its own: placeholders instead of registers, a value for each, a result.

use std::fmt;

use margay_front::ast::{Expr, ExprKind, OperandKind, Reference, Sign, UnaryOp};
use margay_front::{Diagnostic, parse_statement};
use margay_isa::{
    Args, Bits, Fault, Immediate, Inst, Kind, Meaning, Mismatch, Role, Semantics, Set, Shape, Slot, Step, Ty,
    Word, opcodes,
};

use crate::problem::Problem;

/// What the carry flag is called where an instruction reads or writes it.
const CARRY: &str = "CC.CF";

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
    sources: Vec<(Place, Source)>,
}

/// An operand: the name it has in the statement or in the manual, and its type.
#[derive(Clone, Debug)]
pub struct Place {
    /// The placeholder; the manual's name where a constant stands.
    pub name: String,
    /// The type.
    pub ty: Ty,
}

#[derive(Clone, Debug)]
enum Source {
    Placeholder,
    Constant(Bits),
}

/// Why a text is no statement that can be evaluated.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// The text does not parse.
    Text(Vec<Diagnostic>),
    /// No form of the instruction is like this, or it does more than compute.
    Form(Problem),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Text(diagnostics) => f.write_str(diagnostics.first().map_or("", |d| &d.message)),
            Refusal::Form(problem) => problem.fmt(f),
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
    /// # Errors
    /// Text that is no instruction, a form that does not exist, an instruction that does more than compute.
    pub fn parse(text: &str) -> Result<Statement, Refusal> {
        let (instruction, diagnostics) = parse_statement(text);
        let Some(instruction) = instruction.filter(|_| diagnostics.is_empty()) else {
            return Err(Refusal::Text(diagnostics));
        };
        if instruction.guard.is_some() {
            return Err(Problem::new("an instruction on its own takes no guard")
                .help("leave out `@p`")
                .into());
        }
        let opcode = instruction.opcode.text.as_str();
        let words: Vec<&str> = instruction.words.iter().map(|word| word.text.as_str()).collect();
        let selectors: Vec<Vec<&str>> =
            instruction.operands.iter().map(|operand| selectors(&operand.kind)).collect();
        let shapes: Vec<Shape> = instruction
            .operands
            .iter()
            .zip(&selectors)
            .map(|(operand, words)| shape(&operand.kind, words))
            .collect();
        let inst = match margay_isa::select(opcode, &words, &shapes) {
            None => return Err(unknown_opcode(opcode).into()),
            Some(Err(mismatch)) => return Err(no_form(opcode, &words, &mismatch).into()),
            Some(Ok(inst)) => inst,
        };
        match inst.meaning(Semantics::Manual) {
            Meaning::Spec(_) | Meaning::Stages(_) | Meaning::Many(_) => {}
            Meaning::Effect(_) => {
                let message = format!("`{inst}` does more than compute, so it is not evaluated on its own");
                return Err(Problem::new(message).help("put it in a kernel and use `margay run`").into());
            }
            Meaning::NotYet => {
                return Err(Problem::new(format!("`{inst}` is legal, but margay does not run it yet")).into());
            }
        }
        let mut statement = Statement { inst, results: Vec::new(), sources: Vec::new() };
        for ((template, entry), operand) in inst.operands().zip(&instruction.operands) {
            let name = template.name;
            let ty = inst.operand_type(entry.ty).ok_or_else(|| {
                Problem::new(format!(
                    "operand `{name}` of `{inst}` is no value, so it is not evaluated on its own"
                ))
            })?;
            let written = match &operand.kind {
                OperandKind::Name(reference) | OperandKind::Negated(_, reference) => {
                    reference.name.text.to_string()
                }
                OperandKind::Constant(expr) if entry.role == Role::Source => {
                    let bits = constant(expr, name, entry.immediate, ty)?;
                    statement.sources.push((Place { name: name.to_string(), ty }, Source::Constant(bits)));
                    continue;
                }
                _ => return Err(Problem::new(format!("operand `{name}` of `{inst}` must be a name")).into()),
            };
            let place = Place { name: written, ty };
            match entry.role {
                Role::Destination => statement.results.push(place),
                Role::Source => statement.sources.push((place, Source::Placeholder)),
            }
        }
        let flag = || Place { name: CARRY.to_string(), ty: Ty { kind: Kind::Predicate, bits: 1, lanes: 1 } };
        if inst.reads_carry() {
            statement.sources.push((flag(), Source::Placeholder));
        }
        if inst.writes_carry() {
            statement.results.push(flag());
        }
        Ok(statement)
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
        self.sources.iter().map(|(place, _)| place)
    }

    /// The names that need a value, each once, in order.
    pub fn placeholders(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for (place, source) in &self.sources {
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
                return Err(
                    Problem::new(format!("`{text}` gives no value")).help(format!("write {}", listed()))
                );
            };
            if !names.contains(&name) {
                let what = match self.results.iter().any(|place| place.name == name) {
                    true => "is the result and takes no value",
                    false => "is no operand of the instruction",
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
        for (arg, (place, source)) in args.iter_mut().zip(&self.sources) {
            *arg = match source {
                Source::Constant(bits) => *bits,
                Source::Placeholder => bits(value(&place.name), place)?,
            };
        }
        Ok(args)
    }

    /// The results, in the order of [`results`](Self::results).
    pub fn compute(&self, semantics: Semantics, args: &Args) -> Vec<Bits> {
        let mut results = vec![0; self.results.len().max(1)];
        self.inst.compute(semantics, args, &mut results);
        results
    }

    /// The stages of the computation, for instructions whose page has them.
    pub fn stages(&self, semantics: Semantics, args: &Args) -> Vec<Step> {
        self.inst.stages(semantics, args)
    }

    /// The type of one element of the results: narrower than the result where the instruction works on parts of it.
    pub fn element(&self) -> Option<Ty> {
        let ty = self.results.first()?.ty;
        let parts = |set: Set| match set {
            Set::ByteQuads | Set::ByteMasks => Some(8),
            Set::HalfPairs | Set::HalfMasks => Some(16),
            _ => None,
        };
        let selectors = self.inst.line().operands.iter().filter_map(|template| template.selector);
        let bits = selectors.filter_map(|selector| parts(selector.set)).next();
        // A secondary operation makes one number of the elements.
        match bits.filter(|_| !self.inst.has(Slot::Op2)) {
            Some(bits) => Some(ty.with_bits(bits).element()),
            None => Some(ty.element()),
        }
    }
}

fn selectors(kind: &OperandKind) -> Vec<&str> {
    match kind {
        OperandKind::Name(Reference { selector: Some(word), .. })
        | OperandKind::Negated(_, Reference { selector: Some(word), .. }) => vec![word.text.as_str()],
        _ => Vec::new(),
    }
}

fn shape<'a>(kind: &OperandKind, selectors: &'a [&'a str]) -> Shape<'a> {
    Shape {
        selectors,
        minus: matches!(kind, OperandKind::Negated(Sign::Minus, _)),
        not: matches!(kind, OperandKind::Negated(Sign::Not, _)),
        address: matches!(kind, OperandKind::Address(_)),
        pair: matches!(kind, OperandKind::Pair(..)),
        elements: if let OperandKind::Vector(elements) = kind { elements.len() } else { 0 },
        list: matches!(kind, OperandKind::List(_)),
    }
}

fn unknown_opcode(opcode: &str) -> Problem {
    match opcodes::known(opcode) {
        Some(known) => Problem::new(format!("`{opcode}` is legal, but margay does not run it yet"))
            .help(format!("{}: section {} of the manual", known.title, known.section)),
        None => Problem::new(format!("`{opcode}` is no instruction of PTX")),
    }
}

fn no_form(opcode: &str, words: &[&str], mismatch: &Mismatch) -> Problem {
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    let operand = |at: usize| format!("operand {}", at + 1);
    let message = match &mismatch.fault {
        Fault::UnknownWord { word: at } => format!("`.{}` is no word of PTX", word(*at)),
        Fault::MisplacedWord { word: at, .. } => format!("`.{}` has no place here in `{opcode}`", word(*at)),
        Fault::ModeNotFirst { word: at } => format!("`.{}` must be the first word of `{opcode}`", word(*at)),
        Fault::MissingWord { name, set } => format!("`{opcode}` needs `.{name}`, one of {}", set.describe()),
        Fault::OperandCount { least, most } if least == most => {
            format!("`{opcode}` takes {least} operands here")
        }
        Fault::OperandCount { least, most } => format!("`{opcode}` takes {least} to {most} operands here"),
        Fault::Selector { operand: at, set: Some(set) } => {
            format!("{} of `{opcode}` takes one of {}", operand(*at), set.describe())
        }
        Fault::Selector { operand: at, set: None } => {
            format!("{} of `{opcode}` takes no selector", operand(*at))
        }
        Fault::MissingSelector { operand: at, set } => {
            format!("{} of `{opcode}` needs one of {}", operand(*at), set.describe())
        }
        Fault::Sign { operand: at } => format!("{} of `{opcode}` takes no sign", operand(*at)),
        Fault::AddressExpected { operand: at, wanted: true } => {
            format!("{} of `{opcode}` must be an address", operand(*at))
        }
        Fault::AddressExpected { operand: at, .. } => format!("{} of `{opcode}` is no address", operand(*at)),
        Fault::Pair { operand: at } => {
            format!("{} of `{opcode}` has the wrong number of destinations", operand(*at))
        }
        Fault::Elements { operand: at, wanted: 0 } => format!("{} of `{opcode}` is no vector", operand(*at)),
        Fault::Elements { operand: at, wanted } => {
            format!("{} of `{opcode}` has {wanted} elements", operand(*at))
        }
        Fault::List { operand: at, .. } => format!("{} of `{opcode}` is of another kind", operand(*at)),
        Fault::Rule { text, .. } => (*text).to_string(),
    };
    Problem::new(message).help(format!("the nearest form is `{}`", mismatch.line))
}

/// A constant operand, cut to the operand's width.
fn constant(expr: &Expr, name: &str, allowed: Immediate, ty: Ty) -> Result<Bits, Problem> {
    let value = integer(expr)
        .ok_or_else(|| Problem::new(format!("the constant for `{name}` is no integer expression")))?;
    match allowed {
        Immediate::No => {
            Err(Problem::new(format!("operand `{name}` takes no constant")).help("write a name instead"))
        }
        Immediate::Range(low, high) if !(low..=high).contains(&value) => {
            Err(Problem::new(format!("`{value}` is outside {low} to {high}")))
        }
        _ => Ok(value as Bits & ones(ty.width())),
    }
}

fn integer(expr: &Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Integer(integer) => Some(integer.value.into()),
        ExprKind::WarpSize => Some(32),
        ExprKind::Paren(inner) => integer(inner),
        ExprKind::Unary(UnaryOp::Minus, inner) => integer(inner).map(|value| -value),
        ExprKind::Unary(UnaryOp::Plus, inner) => integer(inner),
        _ => None,
    }
}

fn ones(width: u32) -> Bits {
    if width >= 128 { Bits::MAX } else { (1 << width) - 1 }
}

/// The bits of a written value, negative ones in two's complement.
fn bits(text: &str, place: &Place) -> Result<Bits, Problem> {
    let width = place.ty.width();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (radix, digits) = match digits.get(..2) {
        Some("0x" | "0X") => (16, &digits[2..]),
        Some("0b" | "0B") => (2, &digits[2..]),
        _ => (10, digits),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(Problem::new(format!("the value `{text}` of `{}` is no number", place.name))
            .help("write a decimal number, or `0x` and hex digits"));
    }
    let half: Bits = 1 << (width - 1);
    let fits = |magnitude: &Bits| if negative { *magnitude <= half } else { *magnitude <= ones(width) };
    match Bits::from_str_radix(digits, radix).ok().filter(fits) {
        Some(magnitude) if negative => Ok(magnitude.wrapping_neg() & ones(width)),
        Some(magnitude) => Ok(magnitude),
        None => Err(Problem::new(format!("the value `{text}` does not fit `{}`", place.name))
            .help(format!("it has {width} bits: -{half} to {}", ones(width)))),
    }
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
        Statement::parse(text).unwrap_or_else(|refusal| panic!("{text}: {refusal}"))
    }

    fn refusal(text: &str) -> String {
        Statement::parse(text).unwrap_err().to_string()
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
    fn constants_stand_for_themselves() {
        assert_eq!(eval("add.u32 d, a, 4294967297", &["a=1"]), Ok(2));
        assert_eq!(eval("add.s32 d, a, -(5)", &["a=1"]), Ok(0xffff_fffc));
        assert_eq!(eval("add.u16 d, 65535, 2", &[]), Ok(1));
        assert_eq!(refusal("vadd4.u32.u32.u32 d, a, 1, c"), "operand `b` takes no constant");
        assert_eq!(refusal("bfe.u32 d, a, 300, 1"), "`300` is outside 0 to 255");
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
            assert_eq!(message(bad), format!("the value `{bad}` of `a` is no number"));
        }
    }

    #[test]
    fn each_placeholder_gets_one_value() {
        let message = |values: &[&str]| eval("add.u32 d, a, b", values).unwrap_err();
        assert_eq!(message(&["a=1"]), "operand `b` has no value");
        assert_eq!(message(&["a=1", "b=1", "a=2"]), "`a` is given twice");
        assert_eq!(message(&["a=1", "b=1", "x=2"]), "`x` is no operand of the instruction");
        assert_eq!(message(&["a=1", "b=1", "d=2"]), "`d` is the result and takes no value");
        assert_eq!(message(&["a"]), "`a` gives no value");
    }

    #[test]
    fn what_is_no_form_is_refused_with_the_nearest() {
        assert_eq!(refusal("vaddd d, a"), "`vaddd` is no instruction of PTX");
        assert_eq!(refusal("add.u33 d, a, b"), "`.u33` is no word of PTX");
        assert_eq!(refusal("add.u32 d, a"), "`add` takes 3 operands here");
        assert_eq!(refusal("@p add.u32 d, a, b"), "an instruction on its own takes no guard");
        assert!(matches!(Statement::parse(""), Err(Refusal::Text(_))));
        assert!(matches!(Statement::parse("add.u32 d, a, b; add.u32 d, a, b"), Err(Refusal::Text(_))));
        let Err(Refusal::Form(problem)) = Statement::parse("mul.u32 d, a, b") else { panic!() };
        assert!(problem.help.unwrap().starts_with("the nearest form is `mul."));
    }

    #[test]
    fn elements_are_those_of_the_instruction() {
        let width = |text: &str| statement(text).element().unwrap().bits;
        assert_eq!(width("vadd4.u32.u32.u32 d, a, b, c"), 8);
        assert_eq!(width("vadd2.u32.u32.u32 d, a, b, c"), 16);
        assert_eq!(width("vadd4.u32.u32.u32.add d, a, b, c"), 32);
        assert_eq!(width("add.s16x2 d, a, b"), 16);
        assert_eq!(width("mul.wide.u32 d, a, b"), 64);
    }
}
