//! From what people write to a form of a product and its operands: all words of it alone, with a name for each matrix, or with
//! registers in braces as in a kernel.

use margay_front::ast::{self, OperandKind};
use margay_front::module::Operand;
use margay_front::{Source, lone, parse_statement};
use margay_isa::{Inst, Meaning, Semantics, pages_of};

use super::Refusal;
use crate::explain::fragments::find;
use crate::problem::Problem;

/// A product and what is written in its operands' places.
pub struct Written {
    pub inst: Inst,
    /// For each operand of the syntax line what stands there; empty if only words are written.
    pub operands: Vec<Place>,
    pub warnings: Vec<margay_front::Diagnostic>,
    pub source: Source,
}

/// What stands in an operand's place.
#[derive(Clone, Debug)]
pub struct Place {
    /// The name, where it is one.
    pub name: Option<String>,
    /// The registers' values, where they are constants: all or none are.
    pub constants: Vec<u64>,
}

/// Reads a product. None if the text is another instruction, or none.
pub fn written(text: &str) -> Result<Option<Written>, Refusal> {
    let (ast, diagnostics) = parse_statement(text);
    let Some(ast) = ast.filter(|_| diagnostics.is_empty()) else { return Ok(None) };
    let pages = pages_of(&ast.opcode.text);
    if pages.iter().all(|page| page.held.is_none()) {
        return Ok(None);
    }
    if ast.guard.is_some() {
        return Err(Problem::new("an instruction on its own takes no guard").help("leave out `@p`").into());
    }
    let source = Source::new("statement", text);
    let head = head(&ast);
    if ast.operands.is_empty() {
        return Ok(alone(pages, &head)?.filter(is_product).map(|inst| Written {
            inst,
            operands: Vec::new(),
            warnings: Vec::new(),
            source,
        }));
    }
    let named = |operand: &ast::Operand| match &operand.kind {
        OperandKind::Name(reference) if reference.selector.is_none() => Some(reference.name.text.to_string()),
        _ => None,
    };
    let names: Vec<Option<String>> = ast.operands.iter().map(named).collect();
    // Names of matrices become registers in braces.
    let known = find(pages, &head).ok().flatten().filter(|found| found.is_exact).map(|found| found.inst);
    let (ast, source) = match known.filter(is_product).and_then(|inst| in_braces(&inst, &ast, text)) {
        Some(text) => match parse_statement(&text) {
            (Some(ast), diagnostics) if diagnostics.is_empty() => (ast, Source::new("statement", text)),
            _ => (ast, source),
        },
        None => (ast, source),
    };
    let lone = lone(&ast).map_err(|found| Refusal::Text(source.clone(), found))?;
    let inst = *lone.instruction.inst;
    if !is_product(&inst) {
        return Ok(None);
    }
    let mut operands = Vec::new();
    for (operand, name) in lone.instruction.operands.iter().zip(names) {
        operands.push(Place { name, constants: constants(operand, &inst)? });
    }
    Ok(Some(Written { inst, operands, warnings: lone.warnings, source }))
}

/// Whether it multiplies matrices that lanes hold.
fn is_product(inst: &Inst) -> bool {
    inst.page().held.is_some() && matches!(inst.meaning(Semantics::Manual), Meaning::Fragments(_))
}

/// Opcode and words.
fn head(ast: &ast::Instruction) -> String {
    let words = ast.words.iter().map(|word| format!(".{}", word.text));
    std::iter::once(ast.opcode.text.to_string()).chain(words).collect()
}

/// The one form that words alone stand for.
fn alone(pages: &[&'static margay_isa::Page], head: &str) -> Result<Option<Inst>, Problem> {
    let opcode = head.split('.').next().unwrap_or(head);
    if !head.contains('.') {
        let problem = Problem::new(format!("`{head}` has many forms"));
        return Err(problem.help(format!("write all words of one; `margay forms {opcode}` lists them")));
    }
    let Some(found) = find(pages, head)? else { return Ok(None) };
    if found.is_exact || found.others == 0 {
        return Ok(Some(found.inst));
    }
    let problem = Problem::new(format!("`{head}` may be one of {} forms", found.others + 1));
    Err(problem.help(format!("write all words of the form, such as `{}`", found.inst)))
}

/// The text with registers in braces where a name stands for a matrix; none where nothing does.
fn in_braces(inst: &Inst, ast: &ast::Instruction, text: &str) -> Option<String> {
    let mut written = text.to_string();
    let mut changed = false;
    for (template, operand) in inst.line().operands.iter().zip(&ast.operands).rev() {
        let count = inst.elements(template);
        if let (OperandKind::Name(reference), true) =
            (&operand.kind, count > 0 && template.further.is_empty())
        {
            let name = &reference.name.text;
            let registers: Vec<String> = (0..count).map(|k| format!("{name}${k}")).collect();
            let span = operand.span.start as usize..operand.span.end as usize;
            written.replace_range(span, &format!("{{{}}}", registers.join(", ")));
            changed = true;
        }
    }
    changed.then_some(written)
}

/// The values of an operand's registers that are constants.
fn constants(operand: &Operand, inst: &Inst) -> Result<Vec<u64>, Problem> {
    let items = match operand {
        Operand::Vector(items) => items.as_slice(),
        other => std::slice::from_ref(other),
    };
    let values: Vec<u64> = items
        .iter()
        .filter_map(|item| match item {
            Operand::Immediate(bits) => Some(bits.bits() as u64),
            _ => None,
        })
        .collect();
    if values.is_empty() || values.len() == items.len() {
        return Ok(values);
    }
    let problem =
        Problem::new(format!("constants and registers stand side by side in an operand of `{inst}`"));
    Err(problem.help("write constants for all of its registers, or for none"))
}
