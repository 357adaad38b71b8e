//! A linker of PTX source: several modules in, one module out that does the same.
//!
//! It works on syntax trees. What other modules see (`.visible`, `.weak`, `.common`, `.extern`) is brought together under one name,
//! what they do not see gets another name where it collides; the result is judged like any other module.

mod assemble;
mod debug;
mod files;
mod header;
mod inputs;
mod names;
mod rename;
mod resolve;
mod signature;
mod walk;

pub use inputs::Inputs;

use crate::ast::File;
use crate::check::{self, judge_parsed};
use crate::diag::{Code, Diagnostic, Severity, Sink, codes};
use crate::parser::Parsed;
use crate::print::print_pieces;
use crate::source::{Source, Span};
use assemble::Assembly;
use inputs::Unit;
use names::Names;
use rename::{Fresh, Plan};
use resolve::{Link, Resolved};
use smol_str::SmolStr;
use std::collections::{BTreeMap, HashMap};

/// What linking is told beside the sources.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Whether names that no input defines may stay `.extern`.
    pub allow_undefined: bool,
    /// Whether the module is only to be run, as in [`check::Options`].
    pub to_run: bool,
}

/// What linking gives: PTX source if there is no error, and what is to be said about the inputs.
#[derive(Clone, Debug)]
pub struct Linked {
    /// The linked module; none if there is an error. Of a single input it is that input's text.
    pub text: Option<String>,
    /// The sources that were given.
    pub inputs: Inputs,
    /// Errors, warnings and notes in the order of the inputs; their places count through all of them ([`Inputs::locate`]).
    /// [`crate::diag::across`] shows them.
    pub diagnostics: Vec<Diagnostic>,
}

/// Links modules: the result defines what any of them defines. It is PTX source that [`crate::check()`] accepts.
///
/// ```
/// use margay_front::{Source, check, compile, diag::across, link::{Options, link}};
/// let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
/// let kernel = Source::new("k.ptx", format!("{head}.extern .func twice();\n.visible .entry k() {{ call twice; ret; }}"));
/// let device = Source::new("twice.ptx", format!("{head}.visible .func twice() {{ ret; }}"));
///
/// let linked = link(vec![kernel.clone(), device], Options::default());
/// let module = compile(&linked.text.unwrap()).unwrap();
/// assert_eq!(module.functions().iter().filter(|f| f.is_defined).count(), 2);
///
/// let alone = link(vec![kernel], Options::default());
/// let shown = across::short(&alone.inputs, &alone.diagnostics, 10);
/// assert_eq!(shown, "k.ptx:5:28: error[P701]: `twice` is declared, but not defined\n");
/// ```
pub fn link(sources: Vec<Source>, options: Options) -> Linked {
    let inputs = Inputs::new(if sources.is_empty() { vec![Source::default()] } else { sources });
    if inputs.are_too_large() {
        let error = Diagnostic::error(codes::TOO_LARGE, "the inputs have more than 4 GiB together");
        return Linked { text: None, inputs, diagnostics: vec![error] };
    }
    let (text, mut diagnostics) = linked(&inputs, options);
    diagnostics.sort_by_key(|d| (d.code == codes::TOO_MANY, d.span().map_or(0, |span| span.start)));
    Linked { text, inputs, diagnostics }
}

fn is_error(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Error
}

fn linked(inputs: &Inputs, options: Options) -> (Option<String>, Vec<Diagnostic>) {
    let rules = check::Options { to_run: options.to_run, ..check::Options::default() };
    let (mut units, modules, mut judged) = inputs.units(rules);
    // Linking itself says what is missing, unless it may be.
    let keeps_missing = options.allow_undefined && inputs.sources().len() == 1;
    judged.retain(|diagnostic| diagnostic.code != codes::NO_BODY || keeps_missing);
    if judged.iter().any(is_error) {
        return (None, judged);
    }
    let both = units.iter_mut().zip(&modules);
    let names: Vec<Names> = both.map(|(unit, module)| names::names(&mut unit.items, module)).collect();
    let mut found = Sink::default();
    let header = header::merge(&units, &modules, &mut found);
    let resolved = Link { inputs, units: &units, names: &names, options }.resolve(&mut found);
    let Some(header) = header.filter(|_| found.errors() == 0) else {
        judged.extend(found.finish());
        return (None, judged);
    };
    if let [source] = inputs.sources() {
        judged.extend(found.finish());
        return (Some(source.text.clone()), judged);
    }
    let keeper = debug::keeper(&units);
    debug::drop_others(inputs, &mut units, keeper, &mut found);
    let renamed = rename(inputs, &mut units, &names, &resolved, &mut found);
    files::renumber(&mut units, keeper);
    let raised = [(codes::NEEDS_VERSION, header.version.1), (codes::NEEDS_TARGET, header.target.1)];
    let pieces = Assembly::new(&units, &names, &resolved, keeper).pieces(header);
    let text = print_pieces(&pieces);

    // What only reading could find out was found before; the rest may be different in the whole.
    judged.retain(|diagnostic| [codes::INVALID_UTF8, codes::CONSTANT_OVERFLOW].contains(&diagnostic.code));
    judged.extend(found.finish());
    let items = pieces.into_iter().map(|piece| piece.item).collect();
    let parsed = Parsed { file: File { items, trivia: Vec::new() }, diagnostics: Vec::new() };
    let (_, checked) = judge_parsed(parsed, &text, rules, true);
    judged.extend(checked.diagnostics.into_iter().map(|found| {
        let found = explained(inputs, found, &raised);
        if renamed.is_empty() { found } else { as_written(found, &renamed) }
    }));
    (checked.module.map(|_| text), judged)
}

/// Gives new names where they are needed; tells what each was before.
fn rename(
    inputs: &Inputs,
    units: &mut [Unit],
    names: &[Names],
    resolved: &BTreeMap<SmolStr, Resolved>,
    found: &mut Sink,
) -> HashMap<SmolStr, SmolStr> {
    let mut fresh = Fresh::new(inputs);
    let mut plans: Vec<Plan> = units.iter().map(|_| Plan::default()).collect();
    rename::private(names, &mut plans, &mut fresh, found);
    rename::debug(units, names, &mut plans, &mut fresh);
    rename::elements(names, resolved, &mut plans);
    for (unit, plan) in units.iter_mut().zip(&mut plans) {
        plan.apply(unit);
    }
    let all = plans.into_iter().flat_map(|plan| plan.names.into_iter().chain(plan.labels));
    all.map(|(old, new)| (new, old)).collect()
}

/// The diagnostic with the names that stand in the inputs.
fn as_written(mut diagnostic: Diagnostic, renamed: &HashMap<SmolStr, SmolStr>) -> Diagnostic {
    let labels = diagnostic.labels.iter_mut().map(|label| &mut label.text);
    for text in labels.chain([&mut diagnostic.message]).chain(&mut diagnostic.help) {
        let word = |word: &str| renamed.get(word).map_or(word, |old| old).to_string();
        *text = text.split('`').map(word).collect::<Vec<_>>().join("`");
    }
    diagnostic
}

/// A fault that shows only in the version or target of the whole says which input has them.
fn explained(inputs: &Inputs, diagnostic: Diagnostic, raised: &[(Code, Span)]) -> Diagnostic {
    let Some((_, span)) = raised.iter().find(|(code, _)| *code == diagnostic.code) else { return diagnostic };
    let elsewhere = diagnostic.span().is_some_and(|at| inputs.number(at) != inputs.number(*span));
    match elsewhere {
        true => diagnostic.label(*span, "the linked module has this"),
        false => diagnostic,
    }
}
