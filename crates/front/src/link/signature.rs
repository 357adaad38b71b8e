//! Whether two declarations of one name say the same: parameters and results of functions, sizes and spaces of variables.

use crate::ast;
use crate::module::{Function, Parameter, Space, Variable};
use margay_isa::Kind;

/// In what the first of two functions differs from the second, in words for its place and for the other's.
pub(super) fn functions(first: &Function, second: &Function) -> Option<(String, String)> {
    parameters("parameter", &first.parameters, &second.parameters)
        .or_else(|| parameters("result", &first.returns, &second.returns))
}

fn parameters(what: &str, first: &[Parameter], second: &[Parameter]) -> Option<(String, String)> {
    if first.len() != second.len() {
        return Some((counted(first.len(), what), counted(second.len(), what)));
    }
    let pairs = first.iter().zip(second).enumerate();
    pairs.filter(|(_, (a, b))| !alike(a, b)).map(|(k, (a, b))| (told(what, k, a), told(what, k, b))).next()
}

fn counted(count: usize, what: &str) -> String {
    match count {
        0 => format!("has no {what} here"),
        1 => format!("has 1 {what} here"),
        _ => format!("has {count} {what}s here"),
    }
}

/// Integers of one width are alike, signed or not; a parameter may be in a register or in memory.
fn alike(a: &Parameter, b: &Parameter) -> bool {
    let key = |p: &Parameter| (p.element.kind == Kind::Float, p.element.width(), p.size, p.is_array);
    let in_memory = !a.in_register && !b.in_register;
    key(a) == key(b) && (!in_memory || a.align == b.align)
}

fn told(what: &str, index: usize, parameter: &Parameter) -> String {
    let Parameter { size, align, .. } = parameter;
    let bits = parameter.element.width();
    let kind = match parameter.element.kind {
        _ if parameter.is_array => format!("an array of {size} bytes"),
        Kind::Float => format!("a floating-point number of {bits} bits"),
        _ => format!("an integer of {bits} bits"),
    };
    let unusual = !parameter.in_register && (parameter.is_array || align != size);
    let alignment = if unusual { format!(" with alignment {align}") } else { String::new() };
    format!("{what} {} is {kind}{alignment} here", index + 1)
}

/// In what the first of two variables differs from the second; sizes count where both are known and `sized`.
pub(super) fn variables(
    first: (&Variable, &ast::Variable),
    second: (&Variable, &ast::Variable),
    sized: bool,
) -> Option<(String, String)> {
    let space = |v: &Variable| match v.space {
        Space::Global => "is in `.global` here",
        Space::Const => "is in `.const` here",
        Space::Shared => "is in `.shared` here",
        Space::Local => "is in `.local` here",
        Space::Param => "is in `.param` here",
    };
    let managed = |v: &ast::Variable| match v.attributes.iter().any(|a| a.word.text == "managed") {
        true => "is `.managed` here",
        false => "is not `.managed` here",
    };
    let handle = |v: &ast::Variable| {
        let opaque = v.ty.as_ref().filter(|ty| ty.text.ends_with("ref"));
        opaque.map_or_else(|| "is plain memory here".to_string(), |ty| format!("is a `.{}` here", ty.text))
    };
    let differ = |a: String, b: String| (a != b).then_some((a, b));
    let sizes = |v: &Variable| format!("has {} bytes here", v.size);
    differ(space(first.0).into(), space(second.0).into())
        .or_else(|| differ(handle(first.1), handle(second.1)))
        .or_else(|| differ(managed(first.1).into(), managed(second.1).into()))
        .or_else(|| {
            differ(sizes(first.0), sizes(second.0)).filter(|_| sized && first.0.size > 0 && second.0.size > 0)
        })
}
