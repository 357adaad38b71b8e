//! Parameters and results of kernels, functions and prototypes: what each may be, and where it lies.

use super::Checker;
use super::layout::OPAQUE;
use super::scope::{Entity, RegisterType};
use crate::ast;
use crate::diag::{Diagnostic, codes};
use crate::module::{FunctionId, Parameter, RegisterId, Space, Variable};
use margay_isa::{Floor, Handle, Kind, Ty};

/// Bytes of a kernel's parameters (manual section 5.1.6.1): before PTX 8.1 or `sm_70`, and since.
const MAX_PARAMETERS: (u64, u64) = (4352, 32764);

/// The greatest alignment of a parameter in bytes; the manual does not name it, ptxas does.
const MAX_ALIGN: u64 = 128;

/// From where on functions have parameters in memory (manual section 5.1.6.3).
const FUNCTION_MEMORY: Floor = Floor::new(2, 0, 20);
/// The same for arrays whose size the caller chooses.
const OPEN_ARRAYS: Floor = Floor::new(6, 0, 30);

const UNTYPED_32: Ty = Ty { kind: Kind::Untyped, bits: 32, lanes: 1 };

/// Names of a vector's registers behind the vector's own.
pub(super) const ELEMENTS: [&str; 4] = ["x", "y", "z", "w"];

/// Whose parameters are read, and whether they are parameters or results.
#[derive(Clone, Copy)]
pub(super) struct List {
    pub owner: FunctionId,
    pub is_entry: bool,
    pub is_result: bool,
    /// Whether every one has a name; those of prototypes have none.
    pub has_names: bool,
    /// Whether a body follows, in which they are declared.
    pub declared: bool,
}

impl Checker {
    /// Parameters at their places, C layout. Those of a body are declared, for use in it. A vector of registers becomes as
    /// many parameters.
    pub(super) fn parameters(&mut self, list: &[ast::Parameter], of: List) -> Vec<Parameter> {
        let mut offset = 0u64;
        let mut parameters = Vec::with_capacity(list.len());
        for ast in list {
            self.parameter_is_legal(ast, of);
            if ast.space.text == "reg" {
                self.register_parameter(ast, of, &mut parameters);
                continue;
            }
            let mut parameter = self.parameter(ast, of);
            offset = offset.checked_next_multiple_of(parameter.align).unwrap_or(u64::MAX / 2);
            parameter.offset = offset;
            offset = offset.saturating_add(parameter.size).min(u64::MAX / 2);
            parameters.push(parameter);
        }
        let in_memory = list.iter().filter(|p| p.space.text != "reg").nth(1);
        if let Some(second) = in_memory.filter(|_| of.is_result && self.environment.judged) {
            let message = "function has more than one result in `.param`";
            let diagnostic = Diagnostic::error(codes::PARAMETER, message).label(second.span, "the second");
            self.report(diagnostic.help("return an array, or results in registers: `.reg`"));
        }
        parameters
    }

    /// What holds for one parameter alone.
    fn parameter_is_legal(&mut self, ast: &ast::Parameter, of: List) {
        let (space, name) = (ast.space.text.as_str(), &ast.declarator.name);
        let open = ast.declarator.dimensions.first().is_some_and(|d| d.size.is_none());
        let owner = if of.is_entry { "a kernel" } else { "a function" };
        if of.is_entry && space == "reg" {
            let message = "parameters of kernels must be in `.param`";
            self.error(codes::ENTRY, ast.space.span, message, "not allowed in registers");
        } else if !matches!(space, "param" | "reg") {
            let message = format!("parameter `{}` of {owner} is in `.{space}`", name.text);
            let label = if of.is_entry { "write `.param`" } else { "write `.param` or `.reg`" };
            self.error(codes::PARAMETER, ast.space.span, message, label);
        } else if !of.is_entry && space == "param" {
            self.need("`.param` in a device function", FUNCTION_MEMORY, ast.space.span);
        }
        if of.has_names && !of.is_entry && name.text == "_" {
            self.error(codes::PARAMETER, name.span, "parameter has no name", "only prototypes may write `_`");
        }
        if let Some(hint) = ast.pointer.as_ref().filter(|_| of.has_names && !of.is_entry) {
            let message = "`.ptr` is only for parameters of kernels";
            self.error(codes::MISPLACED, hint.span, message, "remove it");
        }
        if of.has_names && !of.is_entry {
            self.parameter_alignment(ast.align.as_ref());
        }
        if let Some(ty) = ast.ty.as_ref().filter(|ty| OPAQUE.contains(&ty.text.as_str())) {
            self.opaque_type(ty, name, of.is_entry || !of.declared);
        }
        if let Some(second) = ast.declarator.dimensions.get(1) {
            let message = format!("parameter `{}` has more than one dimension", name.text);
            self.error(codes::PARAMETER, second.span, message, "a parameter has at most one dimension");
        }
        let to_opaque = ast.pointer.as_ref().and_then(|hint| hint.space.as_ref());
        if let Some(word) = to_opaque.filter(|word| OPAQUE.contains(&word.text.as_str())) {
            self.need("a pointer to a texture, sampler or surface", Floor::new(4, 3, 10), word.span);
        }
        if open && (of.is_entry || of.is_result) {
            let what = if of.is_result { "result" } else { "parameter of a kernel" };
            let message = format!("{what} `{}` has no size", name.text);
            let diagnostic =
                Diagnostic::error(codes::SIZE, message).label(ast.declarator.span, "`[]` gives no size");
            self.report(diagnostic.help("write the number of elements"));
        } else if open {
            self.need("an array of open size as a parameter", OPEN_ARRAYS, ast.declarator.span);
        }
    }

    /// Only kernels have parameters of any alignment; the manual does not say so, ptxas does.
    pub(super) fn parameter_alignment(&mut self, align: Option<&ast::Integer>) {
        if let Some(align) = align.filter(|align| align.value > MAX_ALIGN) {
            let message = format!("alignment {} is too large for a parameter", align.text);
            self.error(codes::ALIGNMENT, align.span, message, format!("the limit is {MAX_ALIGN}"));
        }
    }

    fn parameter(&mut self, ast: &ast::Parameter, of: List) -> Parameter {
        let name = &ast.declarator.name;
        let dimensions = &ast.declarator.dimensions;
        let layout =
            self.layout(ast.ty.as_ref(), ast.vector.as_ref(), ast.align.as_ref(), dimensions, name.span);
        if of.is_entry || of.declared {
            self.fits_parameter_space(layout.vector > 1 || layout.element.lanes > 1, name);
        }
        let pointer = ast.pointer.as_ref().map(|hint| {
            let space = hint.space.as_ref().and_then(|word| super::variable::space_named(&word.text));
            (space, self.alignment(hint.align.as_ref()).unwrap_or(1))
        });
        let mut parameter = Parameter {
            name: name.text.to_string(),
            variable: None,
            register: None,
            in_register: false,
            element: layout.element,
            size: layout.size,
            align: layout.align,
            offset: 0,
            is_array: !dimensions.is_empty(),
            pointer,
        };
        if of.declared && name.text != "_" {
            let variable = Variable {
                name: name.text.to_string(),
                space: Space::Param,
                owner: Some(of.owner),
                element: layout.element,
                handle: ast.ty.as_ref().and_then(|ty| Handle::of(&ty.text)),
                vector: layout.vector,
                dimensions: layout.dimensions,
                size: layout.size,
                align: layout.align,
                is_extern: false,
                is_managed: false,
                is_visible: false,
                initial: Vec::new(),
                addresses: Vec::new(),
                span: name.span,
            };
            parameter.variable = self.declare_variable(name, variable);
            self.body.passed.extend(parameter.variable);
        }
        parameter
    }

    /// Neither vectors nor packed elements are in `.param`; the manual does not say so, ptxas does.
    pub(super) fn fits_parameter_space(&mut self, several: bool, name: &ast::Name) {
        if several && self.environment.judged {
            let message = format!("`{}` in `.param` is a vector", name.text);
            let diagnostic =
                Diagnostic::error(codes::PARAMETER, message).label(name.span, "not allowed in this space");
            self.report(diagnostic.help("pass an array: `.param .align 16 .b8 x[16]`"));
        }
    }

    fn register_parameter(&mut self, ast: &ast::Parameter, of: List, to: &mut Vec<Parameter>) {
        let name = &ast.declarator.name;
        let element = self.declared_type(ast.ty.as_ref(), false).unwrap_or(UNTYPED_32);
        let vector = self.vector_size(ast.vector.as_ref());
        self.vector_fits(element, vector, ast.span);
        let ty = RegisterType { element, vector };
        let declared = of.declared && name.text != "_" && self.declare(name, Entity::Register(ty));
        let scope = self.scopes.len() - 1;
        let bytes = u64::from(element.width().div_ceil(8));
        let parameter = |name: String, register: Option<RegisterId>| Parameter {
            name,
            variable: None,
            register,
            in_register: true,
            element,
            size: bytes,
            align: bytes,
            offset: 0,
            is_array: false,
            pointer: None,
        };
        for element in ELEMENTS.iter().take(vector as usize) {
            let part = if vector == 1 { name.text.to_string() } else { format!("{}.{element}", name.text) };
            let register = declared.then(|| self.register(scope, &part, ty));
            to.push(parameter(part, register));
        }
    }

    pub(super) fn entry_parameters(&mut self, ast: &ast::Function, parameters: &[Parameter]) {
        if let Some(first) = ast.returns.first() {
            let message = format!("kernel `{}` cannot have results", ast.name.text);
            let diagnostic =
                Diagnostic::error(codes::ENTRY, message).label(first.span, "only a `.func` can have results");
            self.report(diagnostic.help("write results to memory"));
        }
        let size = parameters.iter().map(end_of).max().unwrap_or(0);
        let since = Floor::new(8, 1, 70);
        let (version, target) = (self.environment.version, self.environment.target);
        let large = version >= since.version && since.targets.contains(target);
        let most = if large { MAX_PARAMETERS.1 } else { MAX_PARAMETERS.0 };
        if size > most && self.environment.judged {
            let message = format!("parameters of kernel `{}` take {size} bytes", ast.name.text);
            let label = format!("the limit is {most} bytes for PTX {version} and {target}");
            self.error(codes::PARAMETER_SPACE, ast.name.span, message, label);
        }
    }
}

/// Where a parameter ends, in bytes from the start of all.
pub(super) fn end_of(parameter: &Parameter) -> u64 {
    parameter.offset.saturating_add(parameter.size)
}
