//! All names of an item, each with what it stands for: the module's own scope, a label of a function, or debug data.

use crate::ast::{
    Address, AddressBase, Attribute, Block, Declarator, DirectiveArgument, Expr, ExprKind, Function,
    FunctionDirective, Initializer, Instruction, Item, Loc, Name, OffsetValue, Operand, OperandKind,
    Parameter, SectionLine, Statement, Sum, Targets, Variable,
};
use crate::check::scope::{Declared, Entity, ListKind, Scope};
use crate::module::VariableId;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// A variable or function of the module, declared here.
    Declared,
    /// A variable or function of the module.
    Used,
    /// A label inside of a function, declared or used.
    Label,
    /// A label of debug data, or what debug data refers to.
    Debug,
}

/// Sees every name of a walk, and may change it.
pub(super) trait Visitor {
    /// A name that is not one of a function's own variables and registers.
    fn name(&mut self, role: Role, name: &mut Name);

    /// An element of an array of the module, before its name is seen.
    fn element(&mut self, operand: &mut OperandKind) {
        let _ = operand;
    }
}

/// Walks over an item.
pub(super) fn walk(item: &mut Item, visitor: &mut dyn Visitor) {
    let mut walk = Walk { scopes: Vec::new(), visitor };
    match item {
        Item::Variable(variable) => walk.module_variable(variable),
        Item::Function(function) => walk.function(function),
        Item::Alias(alias) => [&mut alias.name, &mut alias.target].into_iter().for_each(|n| walk.used(n)),
        Item::Loc(loc) => walk.loc(loc),
        Item::Section(section) => section.lines.iter_mut().for_each(|line| match line {
            SectionLine::Label(name) => walk.visitor.name(Role::Debug, name),
            SectionLine::Data { values, .. } => values.iter_mut().for_each(|value| walk.debug(value)),
        }),
        Item::Version(_)
        | Item::Target(_)
        | Item::AddressSize(_)
        | Item::FileEntry(_)
        | Item::Dwarf(_)
        | Item::Pragma(_) => {}
    }
}

struct Walk<'v> {
    /// The function's own scopes, the innermost last; none at module scope.
    scopes: Vec<Scope>,
    visitor: &'v mut dyn Visitor,
}

impl Walk<'_> {
    fn module_variable(&mut self, variable: &mut Variable) {
        self.attributes(&mut variable.attributes);
        for declarator in &mut variable.names {
            self.visitor.name(Role::Declared, &mut declarator.name);
            self.declarator(declarator);
        }
    }

    fn function(&mut self, function: &mut Function) {
        self.visitor.name(Role::Declared, &mut function.name);
        self.attributes(&mut function.attributes);
        self.scopes.push(Scope::default());
        for parameter in function.returns.iter_mut().chain(&mut function.parameters) {
            self.parameter(parameter);
            self.declare(&parameter.declarator);
        }
        self.directives(&mut function.directives);
        if let Some(body) = &mut function.body {
            self.block(body);
        }
        self.scopes.pop();
    }

    fn parameter(&mut self, parameter: &mut Parameter) {
        self.declarator(&mut parameter.declarator);
    }

    fn directives(&mut self, directives: &mut [FunctionDirective]) {
        for argument in directives.iter_mut().flat_map(|directive| &mut directive.arguments) {
            if let DirectiveArgument::Constant(value) = argument {
                self.expr(value);
            }
        }
    }

    fn attributes(&mut self, attributes: &mut [Attribute]) {
        attributes.iter_mut().flat_map(|a| &mut a.arguments).for_each(|value| self.expr(value));
    }

    /// What a declarator holds beside its name.
    fn declarator(&mut self, declarator: &mut Declarator) {
        declarator.dimensions.iter_mut().filter_map(|d| d.size.as_mut()).for_each(|size| self.expr(size));
        if let Some(value) = &mut declarator.initializer {
            self.initializer(value);
        }
    }

    fn initializer(&mut self, value: &mut Initializer) {
        match value {
            Initializer::Value(value) | Initializer::Property(_, value) => self.expr(value),
            Initializer::List(items, _) => items.iter_mut().for_each(|item| self.initializer(item)),
        }
    }

    /// A label is visible in the whole of its block; all else behind its declaration.
    fn block(&mut self, block: &mut Block) {
        for statement in &block.statements {
            if let Statement::Label(name) = statement {
                self.declare_name(name, true);
            }
        }
        block.statements.iter_mut().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &mut Statement) {
        match statement {
            Statement::Block(block) => {
                self.scopes.push(Scope::default());
                self.block(block);
                self.scopes.pop();
            }
            Statement::Label(name) => self.used(name),
            Statement::Instruction(instruction) => self.instruction(instruction),
            Statement::Variable(variable) => {
                self.attributes(&mut variable.attributes);
                for declarator in &mut variable.names {
                    self.declare(declarator);
                    self.declarator(declarator);
                }
            }
            Statement::Loc(loc) => self.loc(loc),
            Statement::Pragma(_) => {}
            Statement::Prototype(prototype) => {
                self.declare_name(&prototype.label, true);
                self.used(&mut prototype.label);
                let all = prototype.returns.iter_mut().chain(&mut prototype.parameters);
                all.for_each(|parameter| self.parameter(parameter));
                self.directives(&mut prototype.directives);
            }
            Statement::CallTargets(targets) | Statement::BranchTargets(targets) => self.targets(targets),
        }
    }

    fn targets(&mut self, targets: &mut Targets) {
        self.declare_name(&targets.label, true);
        self.used(&mut targets.label);
        targets.names.iter_mut().for_each(|name| self.used(name));
    }

    fn instruction(&mut self, instruction: &mut Instruction) {
        if let Some(guard) = &mut instruction.guard {
            self.used(&mut guard.predicate);
        }
        instruction.operands.iter_mut().for_each(|operand| self.operand(operand));
    }

    fn operand(&mut self, operand: &mut Operand) {
        if let OperandKind::Index(name, _) = &operand.kind
            && self.local(name).is_none()
        {
            self.visitor.element(&mut operand.kind);
        }
        match &mut operand.kind {
            OperandKind::Name(reference) | OperandKind::Negated(_, reference) => {
                self.used(&mut reference.name)
            }
            OperandKind::Constant(value) => self.expr(value),
            OperandKind::Sum(Sum { base, offsets }) => {
                self.used(base);
                offsets.iter_mut().for_each(|offset| self.offset(&mut offset.value));
            }
            OperandKind::Address(address) => self.address(address),
            OperandKind::Index(name, index) => {
                self.used(name);
                self.operand(index);
            }
            OperandKind::Vector(items) | OperandKind::List(items) => {
                items.iter_mut().for_each(|item| self.operand(item));
            }
            OperandKind::Pair(first, second) => {
                self.operand(first);
                self.operand(second);
            }
            OperandKind::Sink => {}
        }
    }

    fn address(&mut self, address: &mut Address) {
        match &mut address.base {
            AddressBase::Name(reference) => self.used(&mut reference.name),
            AddressBase::Constant(value) => self.expr(value),
        }
        address.offsets.iter_mut().for_each(|offset| self.offset(&mut offset.value));
        address.rest.iter_mut().for_each(|operand| self.operand(operand));
    }

    fn offset(&mut self, offset: &mut OffsetValue) {
        match offset {
            OffsetValue::Constant(value) => self.expr(value),
            OffsetValue::Name(name) => self.used(name),
        }
    }

    fn loc(&mut self, loc: &mut Loc) {
        if let Some(value) = &mut loc.function_name {
            self.debug(value);
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        each_symbol(expr, &mut |name| self.used(name));
    }

    fn debug(&mut self, expr: &mut Expr) {
        each_symbol(expr, &mut |name| self.visitor.name(Role::Debug, name));
    }

    fn declare(&mut self, declarator: &Declarator) {
        let Some(count) = &declarator.count else { return self.declare_name(&declarator.name, false) };
        let Some(scope) = self.scopes.last_mut() else { return };
        let count = count.value.min(u64::from(u32::MAX)) as u32;
        let declared = Declared { entity: Entity::Variable(VariableId(0)), span: declarator.name.span };
        scope.declare_range(&declarator.name.text, count, declared);
    }

    fn declare_name(&mut self, name: &Name, label: bool) {
        let entity = match label {
            true => Entity::List(ListKind::BranchTargets, 0),
            false => Entity::Variable(VariableId(0)),
        };
        if let Some(scope) = self.scopes.last_mut() {
            scope.declare(&name.text, Declared { entity, span: name.span });
        }
    }

    /// What the function itself declares by this name.
    fn local(&self, name: &Name) -> Option<Entity> {
        self.scopes.iter().rev().find_map(|scope| scope.find(&name.text)).map(|declared| declared.entity)
    }

    fn used(&mut self, name: &mut Name) {
        match self.local(name) {
            None => self.visitor.name(Role::Used, name),
            Some(Entity::List(..)) => self.visitor.name(Role::Label, name),
            Some(_) => {}
        }
    }
}

/// Sums are deep trees to the left, so the left side is a loop.
fn each_symbol(mut expr: &mut Expr, visit: &mut dyn FnMut(&mut Name)) {
    loop {
        expr = match &mut expr.kind {
            ExprKind::Symbol(name) => return visit(name),
            ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::WarpSize | ExprKind::Section(_) => return,
            ExprKind::Unary(_, inner)
            | ExprKind::Cast(_, inner)
            | ExprKind::Paren(inner)
            | ExprKind::Generic(inner)
            | ExprKind::Mask(_, inner) => inner,
            ExprKind::Binary(_, left, right) => {
                each_symbol(right, visit);
                left
            }
            ExprKind::Ternary(condition, yes, no) => {
                each_symbol(condition, visit);
                each_symbol(yes, visit);
                no
            }
        }
    }
}
