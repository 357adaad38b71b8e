//! From a syntax tree to a valid module: names, types, words, versions and targets judged, all errors in one run.

mod address;
mod attribute;
mod beyond;
mod body;
mod call;
mod constant;
mod environment;
mod fault;
mod forms;
mod function;
mod fusible;
mod handle;
mod immediate;
mod initial;
mod instead;
mod instruction;
mod layout;
mod linkage;
mod lone;
mod names;
mod opaque;
mod operand;
mod parameter;
mod pragma;
pub(crate) mod scope;
mod section;
mod short_address;
pub(crate) mod state;
mod sum;
mod unrun;
mod variable;
mod vector;
pub(crate) mod written;

use crate::ast;
use crate::diag::{Code, Diagnostic, Severity, Sink, codes};
use crate::module::{Function, FunctionId, Module, RegisterId, Variable};
use crate::parser::{Bodies, Parsed, parse_heads, parse_with};
use crate::source::{Source, Span};
pub use environment::versions;
pub(crate) use environment::{exists, target_named};
use margay_isa::{Inst, Target, Version};
use scope::Scope;
use smol_str::SmolStr;
use state::{Body, Environment, Forms, Linkage, Unrun};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// What checking is told beside the text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The architecture to judge for, instead of the file's `.target`.
    pub target: Option<Target>,
    /// Whether the module is only to be run: what debuggers alone would miss is a warning then, not an error.
    pub to_run: bool,
    /// Whether sums are noted that may take a product unrounded.
    pub contractions: bool,
}

impl Options {
    /// For a module that is to be run.
    ///
    /// ```
    /// use margay_front::{Source, check::{Options, check}};
    /// let stripped = Source::new("a.ptx", ".version 8.0\n.target sm_80, debug\n.entry k() { ret; }");
    /// assert!(check(&stripped, Options::default()).module.is_none());
    /// assert!(check(&stripped, Options::to_run()).module.is_some());
    /// ```
    pub fn to_run() -> Options {
        Options { to_run: true, ..Options::default() }
    }
}

/// What checking gives: a module if there is no error, and what is to be said about the text.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The module; none if there is an error.
    pub module: Option<Module>,
    /// Errors, warnings and notes of lexing, parsing and checking, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads and judges a whole text.
///
/// ```
/// use margay_front::{Source, check, check::Options};
/// let text = ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<3>; add.u32 %r0, %r1, %r3; }";
/// let checked = check::check(&Source::new("a.ptx", text), Options::default());
/// assert!(checked.module.is_none());
/// assert_eq!(checked.diagnostics[0].message, "register `%r3` is not declared");
/// ```
pub fn check(source: &Source, options: Options) -> Checked {
    check_for(source, options, true)
}

/// As [`check`], but no version and no target is held against anything, and a `;` too many ends nothing: for texts around
/// which margay writes the rest.
///
/// ```
/// use margay_front::{Source, check};
/// let text = ".version 1.0\n.target sm_10\n.entry k() { .reg .u32 %r<3>; vadd4.u32.u32.u32 %r0, %r1, %r2, %r0; }";
/// assert!(check::check_anywhere(&Source::new("a.ptx", text)).module.is_some());
/// ```
pub fn check_anywhere(source: &Source) -> Checked {
    check_for(source, Options::default(), false)
}

fn check_for(source: &Source, options: Options, judged: bool) -> Checked {
    if let Some(checked) = check_by_function(source, options, judged) {
        return checked;
    }
    check_whole(source, options, judged)
}

fn check_whole(source: &Source, options: Options, judged: bool) -> Checked {
    judge_parsed(parse_with(source, !judged), &source.text, options, judged).1
}

/// Judges a tree of what stands somewhere in `text`, with all that parsing has to say; gives the tree back.
pub(crate) fn judge_parsed(
    parsed: Parsed,
    text: &str,
    options: Options,
    judged: bool,
) -> (ast::File, Checked) {
    let unread = parsed.diagnostics.iter().any(|d| d.severity == Severity::Error);
    let judged_file = judge_file(&parsed.file, &mut Bodies::Read, text.len(), options, judged, unread);
    let (module, mut diagnostics) = judged_file.unwrap_or_default();
    // A directive that is there but cannot be read is not missing.
    let behind = |name: &str| {
        let mut spans = parsed.diagnostics.iter().filter_map(Diagnostic::span);
        spans.any(|span| text.get(..span.start as usize).is_some_and(|t| t.trim_end().ends_with(name)))
    };
    let missing = [(codes::NO_VERSION, ".version"), (codes::NO_TARGET, ".target")];
    let unreadable = missing.map(|(code, name)| (code, behind(name)));
    diagnostics.retain(|d| !unreadable.contains(&(d.code, true)));
    diagnostics.extend(parsed.diagnostics);
    diagnostics.sort_by_key(|d| (d.code == codes::TOO_MANY, d.span().map_or(0, |span| span.start)));
    (parsed.file, Checked { module: module.filter(|_| !unread), diagnostics })
}

/// Checks a text with one body's tree in memory at a time; none if parsing has something to say about it.
fn check_by_function(source: &Source, options: Options, judged: bool) -> Option<Checked> {
    let heads = parse_heads(source, !judged)?;
    let mut bodies = Bodies::Unread { text: &source.text, empty_statements: !judged, nodes: 0 };
    let (module, mut diagnostics) =
        judge_file(&heads, &mut bodies, source.text.len(), options, judged, false)?;
    diagnostics.sort_by_key(|d| (d.code == codes::TOO_MANY, d.span().map_or(0, |span| span.start)));
    Some(Checked { module, diagnostics })
}

/// The module that a text describes, or what is wrong with it (warnings and notes included).
///
/// ```
/// let text = ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u32 %r0, %r1, %r3; }";
/// let module = margay_front::compile(text).unwrap();
/// assert_eq!(module.entries().next().unwrap().code.len(), 1);
/// ```
pub fn compile(text: &str) -> Result<Module, Vec<Diagnostic>> {
    let checked = check(&Source::new("", text), Options::to_run());
    checked.module.ok_or(checked.diagnostics)
}

/// None where a body cannot be read alone.
fn judge_file(
    file: &ast::File,
    bodies: &mut Bodies,
    length: usize,
    options: Options,
    judged: bool,
    unread: bool,
) -> Option<(Option<Module>, Vec<Diagnostic>)> {
    let mut checker = Checker::new();
    checker.budget = initial::BUDGET.max(16 * length as u64);
    checker.environment_of(file, options, judged);
    checker.ahead = names::ahead(file);
    for item in &file.items {
        match item {
            ast::Item::Function(function) => checker.function(&*bodies.read(function)?),
            other => checker.item(other),
        }
    }
    checker.report_unrun();
    checker.report_beyond_ranges();
    checker.missing_definitions();
    checker.missing_bodies();
    checker.unsaid_size(file);
    let errors = checker.sink.errors();
    if errors == 0 && judged && !unread {
        checker.unwritten_registers();
    }
    if errors == 0 && options.contractions && !unread {
        checker.note_contractions();
    }
    let Environment { version, target, address_size, .. } = checker.environment;
    let Checker { variables, functions, sink, .. } = checker;
    let files = files(file);
    let module = Module { version, target, address_size, variables, functions, files };
    Some(((errors == 0).then_some(module), sink.finish()))
}

/// Names of source files by number; they may stand anywhere, and a number given twice keeps its first name.
fn files(file: &ast::File) -> BTreeMap<u32, String> {
    let mut files = BTreeMap::new();
    for item in &file.items {
        if let ast::Item::FileEntry(entry) = item
            && let Ok(number) = u32::try_from(entry.index.value)
        {
            files.entry(number).or_insert_with(|| entry.name.text.to_string());
        }
    }
    files
}

/// The state of checking one module.
pub(crate) struct Checker {
    sink: Sink,
    environment: Environment,
    /// Module scope first, the innermost block last.
    scopes: Vec<Scope>,
    variables: Vec<Variable>,
    functions: Vec<Function>,
    /// How each function was declared, for comparison with later declarations.
    declared: HashMap<SmolStr, FunctionId>,
    /// What the first declaration of each function says of its linkage.
    linkages: BTreeMap<FunctionId, Linkage>,
    /// Module-scope names and where they are declared, for hints about uses before the declaration.
    ahead: HashMap<SmolStr, Span>,
    body: Body,
    /// Instructions so far, without their operands: most are written many times.
    insts: HashSet<Arc<Inst>>,
    forms: Forms,
    unrun: Unrun,
    /// Functions that are called by name, and where first.
    called: BTreeMap<FunctionId, Span>,
    /// Registers of module scope that a function uses: who writes them is not known.
    of_module: BTreeMap<FunctionId, BTreeSet<RegisterId>>,
    /// Where a register of 64 bits holds an address first.
    long_address: Option<Span>,
    /// How many more misspelt names get a suggestion: comparing with all names takes time.
    suggestions: u32,
    /// Registers that are used but lie beyond the range that their names belong to, by the place of its declaration.
    beyond: BTreeMap<u32, names::Beyond>,
    /// How many more bytes of initial values may be made.
    budget: u64,
    /// Numbers of source files, and where they are given.
    files: HashMap<u64, Span>,
}

impl Checker {
    fn new() -> Checker {
        Checker {
            sink: Sink::default(),
            environment: Environment::default(),
            scopes: vec![Scope::default()],
            variables: Vec::new(),
            functions: Vec::new(),
            declared: HashMap::new(),
            linkages: BTreeMap::new(),
            ahead: HashMap::new(),
            body: Body::default(),
            insts: HashSet::new(),
            forms: Forms::default(),
            unrun: Unrun::new(),
            called: BTreeMap::new(),
            of_module: BTreeMap::new(),
            long_address: None,
            suggestions: 50,
            beyond: BTreeMap::new(),
            budget: initial::BUDGET,
            files: HashMap::new(),
        }
    }

    /// For single instructions in an imagined function, judged one by one.
    pub(crate) fn for_lines() -> Checker {
        let mut checker = Checker::new();
        checker.body.function = Some(FunctionId(0));
        checker.environment.judged = false;
        checker.scopes.push(Scope::default());
        checker
    }

    /// Declares what a block declares; anything else in it is an error.
    pub(crate) fn declarations(&mut self, block: &ast::Block) {
        for statement in &block.statements {
            match statement {
                ast::Statement::Variable(variable) => self.variable(variable),
                _ => self.error(
                    codes::MISPLACED,
                    block.span,
                    "only declarations are allowed here",
                    "not all are",
                ),
            }
        }
    }

    /// Judges one instruction alone.
    pub(crate) fn line(
        &mut self,
        ast: &ast::Instruction,
        version: Version,
        target: Target,
    ) -> Vec<Diagnostic> {
        self.environment = Environment { version, target, judged: true, ..self.environment };
        self.forms.clear();
        self.suggestions = 1;
        self.instruction(ast);
        self.report_unrun();
        self.report_beyond_ranges();
        self.take_diagnostics()
    }

    /// What was found so far.
    pub(crate) fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.sink).finish()
    }

    fn item(&mut self, item: &ast::Item) {
        use ast::Item::*;
        match item {
            Variable(variable) => self.variable(variable),
            Alias(alias) => self.alias(alias),
            Pragma(pragma) => pragma.texts.iter().for_each(|text| self.pragma_of_module(text)),
            FileEntry(entry) => self.file_number(entry),
            Section(section) => self.section(section),
            Function(_) | Version(_) | Target(_) | AddressSize(_) | Dwarf(_) | Loc(_) => {}
        }
    }

    /// A number stands for one file.
    fn file_number(&mut self, entry: &ast::FileEntry) {
        let Some(before) = self.files.insert(entry.index.value, entry.span) else { return };
        let message = format!("file {} is named twice", entry.index.text);
        let diagnostic =
            Diagnostic::error(codes::DUPLICATE, message).label(entry.index.span, "named again here");
        self.report(diagnostic.label(before, "first here").help("give it another number"));
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>, label: impl Into<String>) {
        self.sink.push(Diagnostic::error(code, message).label(span, label));
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.sink.push(diagnostic);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn corpus() -> Vec<String> {
        let file =
            std::fs::File::open(format!("{}/tests/data/corpus.ptx.gz", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let mut all = String::new();
        flate2::read::GzDecoder::new(file).read_to_string(&mut all).unwrap();
        all.split("//// ").skip(1).map(|part| part.split_once('\n').unwrap().1.to_string()).collect()
    }

    /// What both ways make of a text; whether it could be read function by function.
    fn agree(text: String) -> bool {
        let source = Source::new("a.ptx", text);
        let Some(found) = check_by_function(&source, Options::default(), true) else { return false };
        let whole = check_whole(&source, Options::default(), true);
        assert_eq!(found.diagnostics, whole.diagnostics, "{}", source.text);
        assert_eq!(format!("{:?}", found.module), format!("{:?}", whole.module), "{}", source.text);
        true
    }

    #[test]
    fn texts_of_compilers_are_read_function_by_function() {
        let texts = corpus();
        assert!(texts.len() > 100);
        for text in texts {
            assert!(agree(text));
        }
    }

    #[test]
    fn damaged_texts_are_judged_alike_in_both_ways() {
        let texts = corpus();
        let mut state = 1u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (state >> 33) as usize % below
        };
        let pieces = ["{", "}", "\"", "//", "/*", "*/", ";", ".entry f() {", "@", ", %r1", "ret;", "\n"];
        let mut read = 0;
        for _ in 0..400 {
            let text = texts[random(texts.len())].as_bytes();
            if text.len() > 30_000 {
                continue;
            }
            let at = random(text.len());
            let (head, tail) = text.split_at(at);
            let cut = random(2).min(tail.len());
            let damaged = [head, pieces[random(pieces.len())].as_bytes(), &tail[cut..]].concat();
            read += u32::from(agree(String::from_utf8_lossy(&damaged).into_owned()));
        }
        assert!(read > 20, "{read} damaged texts could be read function by function");
    }
}
