//! Kernels and device functions: their heads, parameters and directives.

use super::Checker;
use super::parameter::{List, end_of};
use super::scope::{Declared, Entity, Scope};
use super::state::Linkage;
use crate::ast::{self, DirectiveArgument, FunctionDirective, FunctionKind};
use crate::diag::{Diagnostic, codes};
use crate::module::{Function, FunctionId, InstructionId, Locations, Parameter, Performance, Prototype};
use margay_isa::Floor;

impl Checker {
    /// A kernel or device function, with or without a body.
    pub(super) fn function(&mut self, ast: &ast::Function) {
        let Some(id) = self.function_id(ast) else { return };
        self.body.function = Some(id);
        self.scopes.push(Scope::default());
        let defined = ast.body.is_some();
        let is_entry = ast.kind == FunctionKind::Entry;
        let list = List { owner: id, is_entry, is_result: false, has_names: true, declared: defined };
        let returns = self.parameters(&ast.returns, List { is_result: true, ..list });
        let parameters = self.parameters(&ast.parameters, list);
        if ast.kind == FunctionKind::Entry {
            self.entry_parameters(ast, &parameters);
        }
        if is_entry && let Some(attribute) = ast.attributes.first() {
            self.error(codes::MISPLACED, attribute.word.span, "kernels cannot have attributes", "remove it");
        }
        self.attributes(if is_entry { &[] } else { &ast.attributes }, None);
        let place = if is_entry { Place::Kernel } else { Place::Function };
        let performance = self.directives(&ast.directives, place);
        self.directives_together(ast, &performance);
        let parameter_bytes = parameters.iter().map(end_of).max().unwrap_or(0);
        let head = Function {
            is_defined: defined,
            parameters,
            returns,
            parameter_bytes,
            performance,
            ..announced(ast)
        };
        self.agree(id, &head, ast);
        self.linked(id, ast);
        let is_news = defined || !self.functions[id.0 as usize].is_defined;
        if is_news {
            self.functions[id.0 as usize] = head;
        }
        if let Some(block) = &ast.body {
            self.body(block);
        }
        let body = self.finish_body();
        self.scopes.pop();
        if is_news {
            let mut labels: Vec<_> =
                body.labels.iter().map(|(name, place)| (name.to_string(), InstructionId(*place))).collect();
            labels.sort_by_key(|label| label.1);
            let function = &mut self.functions[id.0 as usize];
            function.registers = body.registers;
            (function.code, function.spans) = (body.code, body.spans);
            function.locations = body.locations.finish();
            function.labels = labels;
            function.prototypes = body.prototypes;
        }
    }

    /// The number of a function, new or declared before.
    fn function_id(&mut self, ast: &ast::Function) -> Option<FunctionId> {
        let name = &ast.name;
        if let Some(id) = self.declared.get(&name.text).copied() {
            let old = &self.functions[id.0 as usize];
            if old.is_defined {
                let declared = Declared { entity: Entity::Function(id), span: old.span };
                self.duplicate(name, declared);
                return None;
            }
            return Some(id);
        }
        let id = FunctionId(self.functions.len() as u32);
        if !self.declare(name, Entity::Function(id)) {
            return None;
        }
        self.declared.insert(name.text.clone(), id);
        self.linkages.insert(id, Linkage::of(ast.linkage.as_ref()));
        self.functions.push(announced(ast));
        Some(id)
    }

    /// A later declaration must say the same as the first one.
    fn agree(&mut self, id: FunctionId, new: &Function, ast: &ast::Function) {
        let old = &self.functions[id.0 as usize];
        if old.span == new.span {
            return;
        }
        let differs = if old.is_entry != new.is_entry {
            "one is an `.entry` and one a `.func`"
        } else if !same(&old.parameters, &new.parameters) {
            "their parameters differ"
        } else if !same(&old.returns, &new.returns) {
            "their results differ"
        } else {
            return self.agree_in_linkage(id, ast);
        };
        let first = old.span;
        let message = format!("`{}` does not match its earlier declaration", ast.name.text);
        let diagnostic = Diagnostic::error(codes::DISAGREE, message).label(ast.name.span, differs);
        self.report(diagnostic.label(first, "declared here before"));
    }

    fn directives(&mut self, directives: &[FunctionDirective], place: Place) -> Performance {
        let mut performance = Performance::default();
        for directive in directives {
            if self.stands_here(directive, place) {
                self.directive(directive, &mut performance);
            }
        }
        performance
    }

    /// Directives that belong to kernels alone, or not together.
    fn directives_together(&mut self, ast: &ast::Function, performance: &Performance) {
        let named = |name: &str| ast.directives.iter().find(|d| d.word.text == name);
        if ast.kind == FunctionKind::Func
            && let Some(pragma) = named("pragma").filter(|_| ast.body.is_some())
        {
            let diagnostic = Diagnostic::error(codes::ENTRY, "`.pragma` before the body is only for kernels");
            let diagnostic =
                diagnostic.label(pragma.span, format!("`{}` is a device function", ast.name.text));
            self.report(diagnostic.help("write it inside the body, as its first statement"));
        }
        for (first, second, why) in EXCLUSIVE {
            if let (Some(_), Some(other)) = (named(first), named(second)) {
                let message = format!("`.{first}` and `.{second}` cannot be combined");
                let diagnostic = Diagnostic::error(codes::DIRECTIVE_VALUE, message);
                self.report(diagnostic.label(other.span, "not allowed with the other one").help(*why));
            }
        }
        let whole = performance.reqntid.is_some() && named("reqnctapercluster").is_some();
        if let Some(directive) = named("blocksareclusters").filter(|_| !whole) {
            let message = "`.blocksareclusters` needs the shapes of blocks and clusters";
            let diagnostic = Diagnostic::error(codes::DIRECTIVE_VALUE, message);
            let diagnostic = diagnostic.label(directive.span, "they are not both given");
            self.report(diagnostic.help("add `.reqntid` and `.reqnctapercluster`"));
        }
    }

    /// Whether a directive may stand behind a kernel, a function or a prototype.
    fn stands_here(&mut self, directive: &FunctionDirective, place: Place) -> bool {
        let name = directive.word.text.as_str();
        let Some((_, places, ..)) = DIRECTIVES.iter().find(|(known, ..)| *known == name) else { return true };
        if places.contains(&place) {
            return true;
        }
        let owner = match place {
            Place::Kernel => "a kernel",
            Place::Function => "a device function",
            Place::Prototype => "a prototype",
        };
        let message = format!("`.{name}` is not allowed for {owner}");
        self.error(codes::ENTRY, directive.span, message, format!("this is {owner}"));
        false
    }

    fn directive(&mut self, directive: &FunctionDirective, performance: &mut Performance) {
        let name = directive.word.text.as_str();
        let Some((_, _, most, since)) = DIRECTIVES.iter().find(|(known, ..)| *known == name) else {
            let message = format!("`.{name}` is not a function directive");
            let mut diagnostic = Diagnostic::error(codes::UNKNOWN_DIRECTIVE, message);
            diagnostic = diagnostic.label(directive.word.span, "not allowed here");
            if let Some(nearest) = crate::suggest::nearest(name, DIRECTIVES.iter().map(|d| d.0)) {
                diagnostic = diagnostic.help(format!("did you mean `.{nearest}`?"));
            }
            return self.report(diagnostic);
        };
        self.need(&format!(".{name}"), *since, directive.word.span);
        if name == "maxnctapersm" {
            self.not_gone(".maxnctapersm", Floor::new(2, 1, 10), directive.word.span);
        }
        if name == "pragma" {
            for argument in &directive.arguments {
                if let DirectiveArgument::Text(text) = argument {
                    self.pragma_outside(text);
                }
            }
            return;
        }
        let mut values = Vec::new();
        for argument in &directive.arguments {
            match argument {
                DirectiveArgument::Constant(expr) => {
                    let Some(value) = self.integer(expr) else { return };
                    let Ok(value) = u32::try_from(value) else {
                        let message = format!("{value} is out of range for `.{name}`");
                        return self.error(codes::OUT_OF_RANGE, expr.span, message, "too large or negative");
                    };
                    values.push(value);
                }
                DirectiveArgument::Text(text) => {
                    return self.error(
                        codes::DIRECTIVE_VALUE,
                        text.span,
                        "expected a number",
                        "this is a string",
                    );
                }
            }
        }
        if values.len() > *most || (*most > 0 && values.is_empty()) {
            let message = format!("`.{name}` takes {} here, not {}", numbers(*most), values.len());
            return self.error(codes::DIRECTIVE_VALUE, directive.span, message, "wrong number of values");
        }
        if POSITIVE.contains(&name) && values.contains(&0) {
            let message = format!("`.{name}` takes positive numbers");
            return self.error(codes::DIRECTIVE_VALUE, directive.span, message, "0 is not positive");
        }
        let shape = [0, 1, 2].map(|k| values.get(k).copied().unwrap_or(1));
        match name {
            "maxntid" => performance.maxntid = Some(shape),
            "reqntid" => performance.reqntid = Some(shape),
            "minnctapersm" => performance.minnctapersm = Some(shape[0]),
            "maxnreg" => performance.maxnreg = Some(shape[0]),
            "noreturn" => performance.noreturn = true,
            "reqnctapercluster" => performance.reqnctapercluster = Some(shape),
            "maxclusterrank" => performance.maxclusterrank = Some(shape[0]),
            "explicitcluster" => performance.explicitcluster = true,
            _ => {}
        }
    }

    /// The parameters in a `.callprototype` are judged; none of them is declared.
    pub(super) fn prototype(&mut self, prototype: &ast::Prototype) -> Prototype {
        let id = self.body.function.unwrap_or(FunctionId(0));
        let list = List { owner: id, is_entry: false, is_result: false, has_names: false, declared: false };
        let returns = self.parameters(&prototype.returns, List { is_result: true, ..list });
        let parameters = self.parameters(&prototype.parameters, list);
        self.directives(&prototype.directives, Place::Prototype);
        Prototype { parameters, returns }
    }

    /// `.alias f, g;`: another name, declared as a function without a body, for one that has one.
    pub(super) fn alias(&mut self, alias: &ast::Alias) {
        self.need(".alias", Floor::new(6, 3, 30), alias.span);
        let mut function = |name: &ast::Name| match self.lookup(&name.text).map(|(_, d)| d.entity) {
            Some(Entity::Function(id)) => Some(id),
            Some(other) => {
                self.wrong_kind(name, other, "a function");
                None
            }
            None => {
                self.undefined("function", name);
                None
            }
        };
        let (Some(name), Some(target)) = (function(&alias.name), function(&alias.target)) else { return };
        self.weak_alias(target, &alias.target);
        let [new, old] = [name, target].map(|id| &self.functions[id.0 as usize]);
        let wrong = if old.is_entry || new.is_entry {
            Some("a kernel cannot have another name")
        } else if new.is_defined {
            Some("it has a body of its own")
        } else if !(same(&new.parameters, &old.parameters) && same(&new.returns, &old.returns)) {
            Some("their parameters or results differ")
        } else {
            None
        };
        if let Some(wrong) = wrong.filter(|_| self.environment.judged && name != target) {
            let message = format!("`{}` cannot be another name for `{}`", alias.name.text, alias.target.text);
            return self.error(codes::DISAGREE, alias.name.span, message, wrong);
        }
        self.functions[name.0 as usize].alias = Some(target).filter(|target| *target != name);
    }
}

/// Whether two lists of parameters are alike.
fn same(a: &[Parameter], b: &[Parameter]) -> bool {
    let key = |p: &Parameter| (p.element.width(), p.size, p.is_array, p.in_register);
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| key(a) == key(b))
}

/// A function of which only the name and the kind are known.
fn announced(ast: &ast::Function) -> Function {
    Function {
        name: ast.name.text.to_string(),
        is_entry: ast.kind == FunctionKind::Entry,
        is_defined: false,
        parameters: Vec::new(),
        returns: Vec::new(),
        parameter_bytes: 0,
        performance: Performance::default(),
        registers: Vec::new(),
        code: Vec::new(),
        spans: Vec::new(),
        locations: Locations::default(),
        labels: Vec::new(),
        prototypes: Vec::new(),
        alias: None,
        span: ast.name.span,
    }
}

/// What a directive may stand behind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Kernel,
    Function,
    Prototype,
}

const KERNEL: &[Place] = &[Place::Kernel];
const CALLED: &[Place] = &[Place::Function, Place::Prototype];

/// Directives between a function's parameters and its body (manual section 11.4): where they may stand, the greatest number of
/// values, and since when.
const DIRECTIVES: &[(&str, &[Place], usize, Floor)] = &[
    ("maxntid", KERNEL, 3, Floor::new(1, 3, 10)),
    ("reqntid", KERNEL, 3, Floor::new(2, 1, 10)),
    ("minnctapersm", KERNEL, 1, Floor::new(2, 0, 20)),
    ("maxnctapersm", KERNEL, 1, Floor::new(1, 3, 10)),
    ("maxnreg", KERNEL, 1, Floor::new(1, 3, 10)),
    ("noreturn", CALLED, 0, Floor::new(6, 4, 30)),
    ("pragma", &[Place::Kernel, Place::Function], 0, Floor::new(2, 0, 10)),
    ("reqnctapercluster", KERNEL, 3, Floor::new(7, 8, 90)),
    ("explicitcluster", KERNEL, 0, Floor::new(7, 8, 90)),
    ("maxclusterrank", KERNEL, 1, Floor::new(7, 8, 90)),
    ("blocksareclusters", KERNEL, 0, Floor::new(9, 0, 90)),
    ("abi_preserve", CALLED, 1, Floor::new(9, 0, 80)),
    ("abi_preserve_control", CALLED, 1, Floor::new(9, 0, 80)),
];

/// Directives whose numbers are not 0.
const POSITIVE: &[&str] = &["maxntid", "reqntid", "minnctapersm", "maxnreg"];

/// Directives of which a kernel has one, and what to do about it.
const EXCLUSIVE: &[(&str, &str, &str)] = &[
    ("maxntid", "reqntid", "the exact shape is enough: remove `.maxntid`"),
    ("maxclusterrank", "reqnctapercluster", "the exact shape is enough: remove `.maxclusterrank`"),
];

fn numbers(most: usize) -> String {
    match most {
        0 => "no values".to_string(),
        1 => "one number".to_string(),
        _ => "one to three numbers".to_string(),
    }
}
