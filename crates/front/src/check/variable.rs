//! Variables: registers, and everything that memory holds.

use super::Checker;
use super::scope::{Declared, Entity, RegisterType};
use crate::ast::{self, Declarator};
use crate::diag::{Diagnostic, codes};
use crate::module::{Space, Variable, VariableId};
use margay_isa::Handle;

/// So many registers one declaration may have: more than any GPU's program could use, and few enough to number.
const MAX_REGISTERS: u64 = 1 << 24;

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
        if self.body.function.is_none() {
            let message = "registers must be declared in functions";
            self.error(codes::BAD_SPACE, variable.space.span, message, "this is module scope");
        }
        let Some(element) = self.declared_type(variable.ty.as_ref(), false) else { return };
        let vector = self.vector_size(variable.vector.as_ref());
        let ty = RegisterType { element, vector };
        for declarator in &variable.names {
            self.register_names(declarator, ty);
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
        if self.body.function.is_none() && matches!(space, Space::Local | Space::Param) {
            let message = format!("`.{}` variables must be declared in functions", variable.space.text);
            self.error(codes::BAD_SPACE, variable.space.span, message, "this is module scope");
        }
        for declarator in &variable.names {
            self.memory_name(variable, declarator, space);
        }
    }

    /// Declares a variable before its initial value is read, in which its own address may stand.
    fn memory_name(&mut self, variable: &ast::Variable, declarator: &Declarator, space: Space) {
        if let Some(count) = &declarator.count {
            let message = "only registers can have numbered names";
            self.error(codes::BAD_TYPE, count.span, message, "write `[10]` for an array");
        }
        let mut layout = self.layout(
            variable.ty.as_ref(),
            variable.vector.as_ref(),
            variable.align.as_ref(),
            &declarator.dimensions,
            declarator.name.span,
        );
        let linkage = variable.linkage.as_ref().map(|word| word.text.as_str());
        let is_extern = linkage == Some("extern");
        let made = Variable {
            name: declarator.name.text.to_string(),
            space,
            owner: self.body.function,
            element: layout.element,
            handle: variable.ty.as_ref().and_then(|ty| Handle::of(&ty.text)),
            vector: layout.vector,
            dimensions: layout.dimensions.clone(),
            size: layout.size,
            align: layout.align,
            is_extern,
            initial: Vec::new(),
            addresses: Vec::new(),
            span: declarator.name.span,
        };
        let id = self.declare_variable(&declarator.name, made);
        let (initial, addresses) = self.initial(declarator, &mut layout, space, is_extern);
        let open = layout.dimensions.first() == Some(&0) && !declarator.dimensions.is_empty();
        if open && !is_extern && space != Space::Param {
            let message = format!("size of `{}` is unknown", declarator.name.text);
            let diagnostic =
                Diagnostic::error(codes::SIZE, message).label(declarator.span, "`[]` does not give one");
            self.report(diagnostic.help("give the array a size or initial values, or declare it `.extern`"));
        }
        if space == Space::Const && layout.size > MAX_CONST {
            let message = format!("`{}` has {} bytes", declarator.name.text, layout.size);
            let label = format!("constant memory has {MAX_CONST} bytes bytes");
            self.error(codes::SIZE, declarator.span, message, label);
        }
        self.judge_size(declarator, space, layout.size);
        if let Some(id) = id.filter(|_| !is_extern && declarator.initializer.is_some()) {
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
                if old.is_extern {
                    *old = made;
                }
                if !agree {
                    let message = format!("`{}` was declared with another space, type or size", name.text);
                    let diagnostic = Diagnostic::error(codes::DISAGREE, message);
                    let diagnostic = diagnostic.label(name.span, "this declaration is different");
                    self.report(diagnostic.label(span, "declared here before"));
                }
                return Some(id);
            }
        }
        let id = VariableId(self.variables.len() as u32);
        let declared = self.declare(name, Entity::Variable(id));
        self.variables.push(made);
        Some(id).filter(|_| declared)
    }
}
