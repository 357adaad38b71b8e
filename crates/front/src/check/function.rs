//! Kernels and device functions: their heads, parameters and directives.

use super::Checker;
use super::linkage::Linkage;
use super::scope::{Declared, Entity, RegisterType, Scope};
use crate::ast::{self, DirectiveArgument, FunctionDirective, FunctionKind};
use crate::diag::{Diagnostic, codes};
use crate::module::{
    Function, FunctionId, InstructionId, Locations, Parameter, Performance, Prototype, Space, Variable,
};
use margay_isa::{Floor, Handle};

/// Bytes of a kernel's parameters (manual section 5.1.6.1): before PTX 8.1 or `sm_70`, and since.
const MAX_PARAMETERS: (u64, u64) = (4352, 32764);

impl Checker {
    /// A kernel or device function, with or without a body.
    pub(super) fn function(&mut self, ast: &ast::Function) {
        let Some(id) = self.function_id(ast) else { return };
        self.body.function = Some(id);
        self.scopes.push(Scope::default());
        let defined = ast.body.is_some();
        let returns = self.parameters(&ast.returns, id, defined);
        let parameters = self.parameters(&ast.parameters, id, defined);
        if ast.kind == FunctionKind::Entry {
            self.entry_parameters(ast, &parameters);
        }
        let performance = self.directives(&ast.directives);
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
        let same = |a: &[Parameter], b: &[Parameter]| {
            let key = |p: &Parameter| (p.element.width(), p.size, p.is_array, p.register.is_some());
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| key(a) == key(b))
        };
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

    /// Parameters at their places, C layout. Those of a body are declared, for use in it.
    fn parameters(&mut self, list: &[ast::Parameter], id: FunctionId, declare: bool) -> Vec<Parameter> {
        let mut offset = 0u64;
        let mut parameters = Vec::with_capacity(list.len());
        for ast in list {
            let mut parameter = self.parameter(ast, id, declare);
            if ast.space.text != "reg" {
                offset = offset.checked_next_multiple_of(parameter.align).unwrap_or(u64::MAX / 2);
                parameter.offset = offset;
                offset = offset.saturating_add(parameter.size).min(u64::MAX / 2);
            }
            parameters.push(parameter);
        }
        parameters
    }

    fn parameter(&mut self, ast: &ast::Parameter, id: FunctionId, declare: bool) -> Parameter {
        let name = &ast.declarator.name;
        if ast.space.text == "reg" {
            return self.register_parameter(ast, declare);
        }
        let dimensions = &ast.declarator.dimensions;
        let layout =
            self.layout(ast.ty.as_ref(), ast.vector.as_ref(), ast.align.as_ref(), dimensions, name.span);
        let pointer = ast.pointer.as_ref().map(|hint| {
            let space = hint.space.as_ref().and_then(|word| super::variable::space_named(&word.text));
            (space, self.alignment(hint.align.as_ref()).unwrap_or(1))
        });
        let mut parameter = Parameter {
            name: name.text.to_string(),
            variable: None,
            register: None,
            element: layout.element,
            size: layout.size,
            align: layout.align,
            offset: 0,
            is_array: !dimensions.is_empty(),
            pointer,
        };
        if declare && name.text != "_" {
            let variable = Variable {
                name: name.text.to_string(),
                space: Space::Param,
                owner: Some(id),
                element: layout.element,
                handle: ast.ty.as_ref().and_then(|ty| Handle::of(&ty.text)),
                vector: layout.vector,
                dimensions: layout.dimensions,
                size: layout.size,
                align: layout.align,
                is_extern: false,
                initial: Vec::new(),
                addresses: Vec::new(),
                span: name.span,
            };
            parameter.variable = self.declare_variable(name, variable);
        }
        parameter
    }

    fn register_parameter(&mut self, ast: &ast::Parameter, declare: bool) -> Parameter {
        let name = &ast.declarator.name;
        let found = self.declared_type(ast.ty.as_ref(), false);
        let element = found.unwrap_or(margay_isa::Ty { kind: margay_isa::Kind::Untyped, bits: 32, lanes: 1 });
        let ty = RegisterType { element, vector: 1 };
        let mut register = None;
        if declare && name.text != "_" && self.declare(name, Entity::Register(ty)) {
            register = Some(self.register(self.scopes.len() - 1, &name.text, ty));
        }
        let bytes = u64::from(element.width().div_ceil(8));
        Parameter {
            name: name.text.to_string(),
            variable: None,
            register,
            element,
            size: bytes,
            align: bytes,
            offset: 0,
            is_array: false,
            pointer: None,
        }
    }

    fn entry_parameters(&mut self, ast: &ast::Function, parameters: &[Parameter]) {
        if let Some(first) = ast.returns.first() {
            let message = format!("kernel `{}` cannot have results", ast.name.text);
            let diagnostic =
                Diagnostic::error(codes::ENTRY, message).label(first.span, "only a `.func` can have results");
            self.report(diagnostic.help("write results to memory"));
        }
        if let Some(register) = ast.parameters.iter().find(|p| p.space.text == "reg") {
            let message = "parameters of kernels must be in `.param`";
            self.error(codes::ENTRY, register.space.span, message, "not allowed in registers");
        }
        let size = parameters.iter().map(end_of).max().unwrap_or(0);
        let since = Floor::new(8, 1, 70);
        let (version, target) = (self.environment.version, self.environment.target);
        let large = version >= since.version && since.targets.contains(target);
        let most = if large { MAX_PARAMETERS.1 } else { MAX_PARAMETERS.0 };
        if size > most && self.environment.judged {
            let message = format!(
                "parameters of kernel `{}` take {size} bytes, which is too much, which is too much",
                ast.name.text
            );
            let label = format!("the limit is {most} bytes for PTX {version} and {target}");
            self.error(codes::PARAMETER_SPACE, ast.name.span, message, label);
        }
    }

    fn directives(&mut self, directives: &[FunctionDirective]) -> Performance {
        let mut performance = Performance::default();
        for directive in directives {
            self.directive(directive, &mut performance);
        }
        performance
    }

    /// Directives that belong to kernels alone, or not together.
    fn directives_together(&mut self, ast: &ast::Function, performance: &Performance) {
        let named = |name: &str| ast.directives.iter().find(|d| d.word.text == name);
        if ast.kind == FunctionKind::Func {
            let shape = ["maxntid", "reqntid", "minnctapersm", "maxnctapersm", "reqnctapercluster"];
            if let Some(directive) = shape.into_iter().find_map(named) {
                let message = format!("`.{}` is only for kernels", directive.word.text);
                let label = format!("`{}` is a device function", ast.name.text);
                self.error(codes::ENTRY, directive.span, message, label);
            }
            if let Some(pragma) = named("pragma").filter(|_| ast.body.is_some()) {
                let diagnostic =
                    Diagnostic::error(codes::ENTRY, "`.pragma` before the body is only for kernels");
                let diagnostic =
                    diagnostic.label(pragma.span, format!("`{}` is a device function", ast.name.text));
                self.report(diagnostic.help("write it inside the body, as its first statement"));
            }
        }
        let both = named("maxntid").zip(named("reqntid"));
        if let Some((most, exact)) = both
            && performance.maxntid != performance.reqntid
        {
            let diagnostic = Diagnostic::error(codes::DIRECTIVE_VALUE, "`.maxntid` and `.reqntid` disagree");
            let diagnostic =
                diagnostic.label(exact.span, "the exact shape").label(most.span, "the largest shape");
            self.report(diagnostic.help("the exact shape is enough: remove `.maxntid`"));
        }
    }

    fn directive(&mut self, directive: &FunctionDirective, performance: &mut Performance) {
        let name = directive.word.text.as_str();
        let Some((_, most, since)) = DIRECTIVES.iter().find(|(known, ..)| *known == name) else {
            let message = format!("`.{name}` is not a function directive");
            let mut diagnostic = Diagnostic::error(codes::UNKNOWN_DIRECTIVE, message);
            diagnostic = diagnostic.label(directive.word.span, "not allowed here");
            if let Some(nearest) = crate::suggest::nearest(name, DIRECTIVES.iter().map(|d| d.0)) {
                diagnostic = diagnostic.help(format!("did you mean `.{nearest}`?"));
            }
            return self.report(diagnostic);
        };
        self.need(&format!(".{name}"), *since, directive.word.span);
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
        let shape = [0, 1, 2].map(|k| values.get(k).copied().unwrap_or(1));
        match name {
            "maxntid" => performance.maxntid = Some(shape),
            "reqntid" => performance.reqntid = Some(shape),
            "minnctapersm" => performance.minnctapersm = Some(shape[0]),
            "maxnreg" => performance.maxnreg = Some(shape[0]),
            "noreturn" => performance.noreturn = true,
            _ => {}
        }
    }

    /// The parameters in a `.callprototype` are judged; none of them is declared.
    pub(super) fn prototype(&mut self, prototype: &ast::Prototype) -> Prototype {
        let id = self.body.function.unwrap_or(FunctionId(0));
        let returns = self.parameters(&prototype.returns, id, false);
        let parameters = self.parameters(&prototype.parameters, id, false);
        self.directives(&prototype.directives);
        Prototype { parameters, returns }
    }

    /// `.alias f, g;`
    pub(super) fn alias(&mut self, alias: &ast::Alias) {
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
        let (name, target) = (function(&alias.name), function(&alias.target));
        if let (Some(name), Some(target)) = (name, target) {
            self.weak_alias(target, &alias.target);
            self.functions[name.0 as usize].alias = Some(target).filter(|target| *target != name);
        }
    }
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

/// Directives between a function's parameters and its body (manual section 11.4): the greatest number of values, and since when.
const DIRECTIVES: &[(&str, usize, Floor)] = &[
    ("maxntid", 3, Floor::new(1, 3, 10)),
    ("reqntid", 3, Floor::new(2, 1, 10)),
    ("minnctapersm", 1, Floor::new(2, 0, 20)),
    ("maxnctapersm", 1, Floor::new(1, 3, 10)),
    ("maxnreg", 1, Floor::new(1, 3, 10)),
    ("noreturn", 0, Floor::new(6, 4, 30)),
    ("pragma", 0, Floor::new(2, 0, 10)),
    ("reqnctapercluster", 3, Floor::new(7, 8, 90)),
    ("explicitcluster", 0, Floor::new(7, 8, 90)),
    ("maxclusterrank", 1, Floor::new(7, 8, 90)),
    ("blocksareclusters", 0, Floor::new(9, 0, 90)),
    ("abi_preserve", 1, Floor::new(9, 0, 80)),
    ("abi_preserve_control", 1, Floor::new(9, 0, 80)),
];

fn numbers(most: usize) -> String {
    match most {
        0 => "no values".to_string(),
        1 => "one number".to_string(),
        _ => "one to three numbers".to_string(),
    }
}

fn end_of(parameter: &Parameter) -> u64 {
    parameter.offset.saturating_add(parameter.size)
}
