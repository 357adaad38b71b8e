//! Variables: registers, and everything that memory holds.

use super::Checker;
use super::layout::OPAQUE;
use super::scope::{Declared, Entity, RegisterType};
use crate::ast::{self, Declarator};
use crate::diag::{Diagnostic, codes};
use crate::module::{Space, Variable, VariableId};
use margay_isa::{Floor, Version};

/// So many registers one declaration may have: more than any GPU's program could use, and few enough to number.
const MAX_REGISTERS: u64 = 1 << 24;

/// So many variables one declaration may number.
const MAX_NUMBERED: u64 = 1 << 12;

/// The greatest number of a bank of constant memory.
const MAX_BANK: u32 = 10;

/// From here on functions are called by the ABI, and keep their registers and local memory for themselves.
const ABI_VERSION: Version = Version { major: 3, minor: 0 };

/// Bytes of constant memory that variables may fill (manual section 5.1.3).
const MAX_CONST: u64 = 1 << 16;
/// Addresses of global memory have 49 bits (CUDA C++ Programming Guide, unified memory).
const MOST_GLOBAL: u64 = 1 << 49;
/// Shared memory of a block, on the targets that have most (CUDA C++ Programming Guide, technical specifications per compute
/// capability).
const MOST_SHARED: u64 = 227 << 10;
/// Local memory of a thread (the same table), in which parameters of calls lie too.
const MOST_LOCAL: u64 = 512 << 10;

/// The state space that a word names, banks and `::` parts aside.
pub(super) fn space_named(word: &str) -> Option<Space> {
    let name = word.split(['[', ':']).next().unwrap_or(word);
    Some(match name {
        "global" | "tex" => Space::Global,
        "const" => Space::Const,
        "shared" => Space::Shared,
        "local" => Space::Local,
        "param" => Space::Param,
        _ => return None,
    })
}

impl Space {
    /// The word that names it, without a dot.
    pub(super) fn word(self) -> &'static str {
        match self {
            Space::Global => "global",
            Space::Const => "const",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Param => "param",
        }
    }
}

impl Checker {
    /// A declaration, at module scope or in a body.
    pub(super) fn variable(&mut self, variable: &ast::Variable) {
        self.variable_linkage(variable);
        self.attributes(&variable.attributes, Some(&variable.space.text));
        self.bank(variable);
        match (variable.space.text.as_str(), space_named(&variable.space.text)) {
            ("reg", _) => self.registers(variable),
            (_, Some(space)) => self.memory(variable, space),
            _ => {
                let message = format!("variables cannot be declared in `.{}`", variable.space.text);
                self.error(codes::BAD_SPACE, variable.space.span, message, "not a state space for variables");
            }
        }
    }

    fn registers(&mut self, variable: &ast::Variable) {
        if self.body.function.is_none() && !self.old_module_scope() {
            let message = "registers must be declared in functions";
            self.error(codes::BAD_SPACE, variable.space.span, message, "this is module scope");
        }
        let Some(element) = self.declared_type(variable.ty.as_ref(), false) else { return };
        let vector = self.vector_size(variable.vector.as_ref());
        self.vector_fits(element, vector, variable.span);
        let ty = RegisterType { element, vector };
        for declarator in &variable.names {
            self.register_names(declarator, ty);
        }
    }

    /// Before PTX 3.0 registers and local memory may be declared at module scope: every thread has its own, and all functions
    /// that it runs have the same.
    fn old_module_scope(&self) -> bool {
        self.environment.judged && self.environment.version < ABI_VERSION
    }

    /// `.tex` was given up for `.texref` (manual, section 5.1.8).
    fn old_texture(&mut self, variable: &ast::Variable) {
        if self.body.function.is_some() {
            let message = "`.tex` variables must be declared outside functions";
            self.error(codes::BAD_SPACE, variable.space.span, message, "this is inside a function");
        }
        self.not_gone(".tex", Floor::new(1, 5, 10), variable.space.span);
    }

    /// Banks of constant memory (manual, section 5.1.3.1).
    fn bank(&mut self, variable: &ast::Variable) {
        let space = &variable.space;
        let Some(bank) = space.text.strip_prefix("const[").and_then(|rest| rest.strip_suffix(']')) else {
            return;
        };
        self.need("a bank of constant memory", Floor::new(1, 5, 10), space.span);
        self.not_gone("a bank of constant memory", Floor::new(2, 2, 10), space.span);
        let number = bank.parse::<u32>().unwrap_or(u32::MAX);
        if number > MAX_BANK {
            let message = format!("there is no bank {bank} of constant memory");
            return self.error(
                codes::BAD_SPACE,
                space.span,
                message,
                format!("the banks are 0 to {MAX_BANK}"),
            );
        }
        let is_extern = variable.linkage.as_ref().is_some_and(|word| word.text == "extern");
        let open = variable.names.iter().all(|d| d.dimensions.first().is_some_and(|d| d.size.is_none()));
        if number > 0 && !(is_extern && open) {
            let message =
                format!("bank {bank} is only for arrays without a size that another module defines");
            let diagnostic = Diagnostic::error(codes::BAD_SPACE, message)
                .label(space.span, "not allowed for this variable");
            self.report(diagnostic.help("write `.extern .const[1] .b8 x[];`"));
        }
    }

    fn register_names(&mut self, declarator: &Declarator, ty: RegisterType) {
        let name = &declarator.name;
        if let Some(dimension) = declarator.dimensions.first() {
            self.error(
                codes::BAD_TYPE,
                dimension.span,
                "registers cannot have dimensions",
                "write `%r<10>` instead",
            );
        }
        if declarator.initializer.is_some() {
            let message = format!("register `{}` cannot have an initial value", name.text);
            let diagnostic =
                Diagnostic::error(codes::INITIAL, message).label(declarator.span, "`=` is not allowed here");
            self.report(diagnostic.help("set it with `mov` in the code"));
        }
        let entity = Entity::Register(ty);
        let Some(count) = &declarator.count else {
            self.declare(name, entity);
            return;
        };
        if count.value > MAX_REGISTERS {
            let message = format!("{} registers are more than one declaration can have", count.text);
            let label = format!("the limit is {MAX_REGISTERS}");
            self.error(codes::TOO_MANY_REGISTERS, count.span, message, label);
        }
        let number = count.value.min(u64::from(u32::MAX)) as u32;
        let Some(scope) = self.scopes.last_mut() else { return };
        if let Some(other) = scope.declare_range(&name.text, number, Declared { entity, span: name.span }) {
            self.duplicate(name, other);
        }
    }

    fn memory(&mut self, variable: &ast::Variable, space: Space) {
        let outside = self.body.function.is_none();
        if variable.space.text == "tex" {
            self.old_texture(variable);
        }
        if let Some(ty) = variable.ty.as_ref().filter(|ty| OPAQUE.contains(&ty.text.as_str())) {
            let may_stand = outside && space == Space::Global;
            if let Some(word) = variable.linkage.as_ref().filter(|word| word.text == "common") {
                let message = format!("`.{}` variables cannot be `.common`", ty.text);
                self.error(codes::BAD_TYPE, word.span, message, "remove it");
            }
            variable.names.iter().take(1).for_each(|name| self.opaque_type(ty, &name.name, may_stand));
        }
        let kept_apart = space == Space::Local && self.old_module_scope();
        if outside && matches!(space, Space::Local | Space::Param) && !kept_apart {
            let message = format!("`.{}` variables must be declared in functions", variable.space.text);
            self.error(codes::BAD_SPACE, variable.space.span, message, "this is module scope");
        }
        for declarator in &variable.names {
            match &declarator.count {
                None => self.memory_name(variable, declarator, space),
                Some(count) => self.numbered_names(variable, declarator, count, space),
            }
        }
    }

    /// `x<3>`: the variables `x0`, `x1` and `x2`.
    fn numbered_names(
        &mut self,
        variable: &ast::Variable,
        declarator: &Declarator,
        count: &ast::Integer,
        space: Space,
    ) {
        if count.value > MAX_NUMBERED {
            let message = format!("{} variables are too many", count.text);
            let label = format!("at most {MAX_NUMBERED} in one declaration");
            return self.error(codes::TOO_MANY_REGISTERS, count.span, message, label);
        }
        if declarator.initializer.is_some() {
            let message = "numbered variables cannot start with a value";
            return self.error(codes::INITIAL, declarator.span, message, "`=` is not allowed here");
        }
        for k in 0..count.value {
            let name =
                ast::Name { text: format!("{}{k}", declarator.name.text).into(), span: declarator.name.span };
            let one = Declarator { name, count: None, ..declarator.clone() };
            self.memory_name(variable, &one, space);
        }
    }

    /// Declares a variable before its initial value is read, in which its own address may stand.
    fn memory_name(&mut self, variable: &ast::Variable, declarator: &Declarator, space: Space) {
        let mut layout = self.layout(
            variable.ty.as_ref(),
            variable.vector.as_ref(),
            variable.align.as_ref(),
            &declarator.dimensions,
            declarator.name.span,
        );
        if layout.handle.is_some() && space == Space::Global {
            layout.describe();
        }
        let linkage = variable.linkage.as_ref().map(|word| word.text.as_str());
        let is_extern = linkage == Some("extern");
        let made = Variable {
            name: declarator.name.text.to_string(),
            space,
            owner: self.body.function,
            element: layout.element,
            handle: layout.handle,
            vector: layout.vector,
            dimensions: layout.dimensions.clone(),
            size: layout.size,
            align: layout.align,
            is_extern,
            is_managed: variable.attributes.iter().any(|attribute| attribute.word.text == "managed"),
            is_visible: linkage.is_some(),
            initial: Vec::new(),
            addresses: Vec::new(),
            span: declarator.name.span,
        };
        let id = self.declare_variable(&declarator.name, made);
        let (initial, addresses) = self.initial(declarator, &mut layout, space, is_extern);
        let open = layout.dimensions.first() == Some(&0) && !declarator.dimensions.is_empty();
        if space == Space::Param {
            self.fits_parameter_space(layout.vector > 1 || layout.element.lanes > 1, &declarator.name);
            self.parameter_alignment(variable.align.as_ref());
        }
        if open && !is_extern {
            let message = format!("size of `{}` is unknown", declarator.name.text);
            let diagnostic =
                Diagnostic::error(codes::SIZE, message).label(declarator.span, "`[]` does not give one");
            self.report(diagnostic.help("give the array a size or initial values, or declare it `.extern`"));
        }
        if space == Space::Const && layout.size > MAX_CONST {
            let message = format!("`{}` has {} bytes", declarator.name.text, layout.size);
            let label = format!("constant memory has {MAX_CONST} bytes");
            self.error(codes::SIZE, declarator.span, message, label);
        }
        self.judge_size(declarator, space, layout.size);
        if let Some(id) =
            id.filter(|_| !is_extern && (declarator.initializer.is_some() || layout.handle.is_some()))
        {
            let variable = &mut self.variables[id.0 as usize];
            (variable.dimensions, variable.size) = (layout.dimensions, layout.size);
            (variable.initial, variable.addresses) = (initial, addresses);
        }
    }

    /// Warns of a variable for which no device has room.
    fn judge_size(&mut self, declarator: &Declarator, space: Space, size: u64) {
        let (most, label) = match space {
            Space::Global => (MOST_GLOBAL, "a device has at most {} bytes of global memory"),
            Space::Shared => (MOST_SHARED, "a block has at most {} bytes of shared memory"),
            Space::Local | Space::Param => (MOST_LOCAL, "a thread has at most {} bytes of local memory"),
            Space::Const => return,
        };
        if size > most {
            let message = format!("`{}` has {size} bytes", declarator.name.text);
            let label = label.replace("{}", &most.to_string());
            self.report(Diagnostic::warning(codes::NO_ROOM, message).label(declarator.span, label));
        }
    }

    /// Declares a variable; an `.extern` declaration and the definition of the same name become one.
    pub(super) fn declare_variable(&mut self, name: &ast::Name, made: Variable) -> Option<VariableId> {
        let known = self.scopes.last().and_then(|scope| scope.find(&name.text));
        if let Some(Declared { entity: Entity::Variable(id), span }) = known {
            let old = &mut self.variables[id.0 as usize];
            let module_scope = old.owner.is_none() && made.owner.is_none();
            if module_scope && (old.is_extern || made.is_extern) {
                let agree = old.space == made.space
                    && old.element == made.element
                    && old.vector == made.vector
                    && (old.size == made.size || old.size == 0 || made.size == 0);
                let hidden = old.is_extern && !made.is_extern && !made.is_visible;
                if old.is_extern {
                    *old = made;
                }
                if !agree {
                    let message = format!("`{}` was declared with another space, type or size", name.text);
                    let diagnostic = Diagnostic::error(codes::DISAGREE, message);
                    let diagnostic = diagnostic.label(name.span, "this declaration is different");
                    self.report(diagnostic.label(span, "declared here before"));
                } else if hidden && self.environment.judged {
                    let message = format!("`{}` was declared `.extern`, and others cannot see it", name.text);
                    let diagnostic = Diagnostic::error(codes::DISAGREE, message);
                    let diagnostic = diagnostic.label(name.span, "write `.visible` before it");
                    self.report(diagnostic.label(span, "declared here before"));
                }
                return Some(id);
            }
        }
        let id = VariableId(self.variables.len() as u32);
        let declared = self.declare(name, Entity::Variable(id));
        self.variables.push(made);
        declared.then_some(id)
    }
}
