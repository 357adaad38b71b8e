//! Instructions: the form that opcode and words spell, its version and target, its guard and operands.

use super::forms::{apart, in_name};
use super::scope::{Entity, RegisterType};
use super::{Checker, instead};
use crate::ast::{self, Name, OperandKind, Reference, Sign};
use crate::diag::{Diagnostic, codes};
use crate::module::{Guard, Instruction};
use margay_isa::special::Special;
use margay_isa::{Fault, Inst, Kind, Meaning, Mismatch, Semantics, Shape, Word, opcodes, select};
use std::sync::Arc;

/// Members of a vector register.
pub(super) const MEMBERS: &[&str] = &["x", "y", "z", "w", "r", "g", "b", "a"];
/// Words that ask for vectors.
const VECTORS: &[&str] = &["v2", "v4", "v8"];

/// Operands behind the base of an address, each with its selectors.
type Within<'a> = Vec<(&'a ast::Operand, Vec<&'a str>)>;

/// What follows behind commas in the brackets of an address, if anything does.
pub(super) fn coordinates(operand: &ast::Operand) -> Option<&[ast::Operand]> {
    match &operand.kind {
        OperandKind::Address(address) if !address.rest.is_empty() => Some(&address.rest),
        _ => None,
    }
}

impl Checker {
    /// Checks an instruction; none if it is wrong.
    pub(super) fn instruction(&mut self, ast: &ast::Instruction) -> Option<Instruction> {
        let guard = ast.guard.as_ref().map(|guard| self.guard(guard));
        let inst = self.form(ast);
        let operands = match &inst {
            Ok(inst) => self.operands(inst, ast),
            Err(mismatch) => {
                // What is picked of a name that nothing declares is no second error.
                if let Some(mismatch) = mismatch.as_ref().filter(|m| !self.selects_of_nothing(ast, m)) {
                    self.mismatch(ast, mismatch);
                }
                self.undefined_operands(&ast.operands);
                None
            }
        };
        let guard = match guard {
            None => None,
            Some(found) => Some(found?),
        };
        Some(Instruction { guard, inst: inst.ok()?, operands: operands?.into() })
    }

    fn guard(&mut self, guard: &ast::Guard) -> Option<Guard> {
        let name = &guard.predicate;
        let Some((scope, entity)) = self.entity(&name.text) else {
            self.undefined("register", name);
            return None;
        };
        let Entity::Register(ty) = entity else {
            self.wrong_kind(name, entity, "a predicate register");
            return None;
        };
        if ty.element.kind != Kind::Predicate || ty.vector != 1 {
            let message = format!("guard `{}` is `{}`, not a predicate", name.text, ty.element);
            let diagnostic =
                Diagnostic::error(codes::GUARD, message).label(name.span, "not a `.pred` register");
            let declared = self.lookup(&name.text).map_or(name.span, |(_, declared)| declared.span);
            let diagnostic = diagnostic.label(declared, "declared here");
            self.report(diagnostic.help("compare first: `setp.ne.u32 %p, %r, 0;`"));
            return None;
        }
        Some(Guard { register: self.register(scope, &name.text, ty), negated: guard.negated })
    }

    /// Whether all that is wrong is a word behind an operand's name that nothing declares.
    fn selects_of_nothing(&self, ast: &ast::Instruction, mismatch: &Mismatch) -> bool {
        let (Fault::Selector { operand, .. } | Fault::MissingSelector { operand, .. }) = &mismatch.fault
        else {
            return false;
        };
        match &ast.operands[*operand].kind {
            OperandKind::Name(reference) | OperandKind::Negated(_, reference) => {
                let name = &reference.name.text;
                self.lookup(name).is_none() && !Special::is_name(name)
            }
            _ => false,
        }
    }

    /// The form that opcode, words and shapes of operands spell; else what keeps it from being one, where that is not reported yet.
    pub(super) fn form(&mut self, ast: &ast::Instruction) -> Result<Arc<Inst>, Option<Mismatch>> {
        if let Some(inst) = self.form_before(ast) {
            return Ok(inst);
        }
        let words: Vec<&str> = ast.words.iter().map(|word| word.text.as_str()).collect();
        let selectors: Vec<Vec<&str>> = ast.operands.iter().map(|operand| self.selectors(operand)).collect();
        let within: Vec<Within> = ast.operands.iter().filter_map(|o| self.within(o)).collect();
        let inside: Vec<Vec<Shape>> = within.iter().map(|within| self.shapes_inside(ast, within)).collect();
        let mut inside = inside.iter();
        let mut shapes: Vec<Shape> =
            ast.operands.iter().zip(&selectors).map(|(o, s)| self.shape(ast, o, s)).collect();
        for (shape, operand) in shapes.iter_mut().zip(&ast.operands) {
            if let Some(coordinates) = coordinates(operand).and_then(|_| inside.next()) {
                shape.inside = coordinates;
            }
        }
        let opcode = &ast.opcode.text;
        let mut found = select(opcode, &words, &shapes);
        // `(5)` is a constant, or a list of one.
        let ambiguous =
            ast.operands.iter().zip(&shapes).any(|(o, shape)| !shape.list && o.as_list().is_some());
        if ambiguous {
            shapes.iter_mut().zip(&ast.operands).for_each(|(shape, o)| shape.list = o.as_list().is_some());
            let again = select(opcode, &words, &shapes);
            let wanted =
                matches!(&found, Some(Err(Mismatch { fault: Fault::List { wanted: true, .. }, .. })));
            if wanted || matches!(again, Some(Ok(_))) {
                found = again;
            }
        }
        match found {
            Some(Ok(inst)) if self.page(inst, ast) => {
                let inst = self.shared(inst);
                self.keep_form(ast, &inst);
                Ok(inst)
            }
            Some(Ok(_)) => Err(None),
            Some(Err(mismatch)) => Err(Some(mismatch)),
            None => {
                self.unknown_opcode(&ast.opcode);
                Err(None)
            }
        }
    }

    /// The one copy of an instruction's words.
    pub(super) fn shared(&mut self, inst: Inst) -> Arc<Inst> {
        if let Some(shared) = self.insts.get(&inst) {
            return shared.clone();
        }
        let shared = Arc::new(inst);
        self.insts.insert(shared.clone());
        shared
    }

    /// Whether version and target have the instruction; notes what is not run.
    fn page(&mut self, inst: Inst, ast: &ast::Instruction) -> bool {
        let mut there = self.name_attached(inst, ast);
        for (what, floor) in inst.floors() {
            let word = what.strip_prefix('.').and_then(|text| ast.words.iter().find(|w| w.text == text));
            there &= self.need(&what, floor, word.map_or(ast.opcode.span, |word| word.span));
        }
        if let Some(end) = inst.until() {
            there &= self.not_gone_or(&inst.to_string(), end, ast.opcode.span, |checker| {
                checker.may_suggest().then(|| instead::whole(ast, Word::ALL)).flatten()
            });
        }
        if matches!(inst.meaning(Semantics::Manual), Meaning::NotYet) {
            self.not_run(codes::NOT_RUN, inst.to_string(), inst.page().section, ast.opcode.span);
        }
        there
    }

    /// Words that come first are as good as parts of the opcode: no blank may part them, as ptxas has it.
    fn name_attached(&mut self, inst: Inst, ast: &ast::Instruction) -> bool {
        let Some(k) = apart(ast, in_name(&inst, ast)) else { return true };
        let word = &ast.words[k];
        let before = ast.words[..k].iter().map(|word| format!(".{}", word.text));
        let name = format!("{}{}", ast.opcode.text, before.collect::<String>());
        let message = format!("space between `{name}` and `.{}`", word.text);
        let label = format!("write `{name}.{}`", word.text);
        self.error(codes::MODE_NOT_FIRST, word.span, message, label);
        false
    }

    fn unknown_opcode(&mut self, opcode: &Name) {
        let message = format!("unknown instruction `{}`", opcode.text);
        let mut diagnostic = Diagnostic::error(codes::UNKNOWN_OPCODE, message);
        diagnostic = diagnostic.label(opcode.span, "not a PTX instruction");
        let names = opcodes::OPCODES.iter().map(|known| known.name);
        if let Some(meant) = opcodes::meant(&opcode.text) {
            diagnostic = diagnostic.help(format!("did you mean `{meant}`?"));
        } else if self.may_suggest()
            && let Some(nearest) = crate::suggest::nearest(&opcode.text, names)
        {
            diagnostic = diagnostic.help(format!("did you mean `{nearest}`?"));
        }
        self.report(diagnostic);
    }

    /// The words behind an operand that pick a part of it; members of special and vector registers do not count.
    pub(super) fn selectors<'a>(&self, operand: &'a ast::Operand) -> Vec<&'a str> {
        match &operand.kind {
            OperandKind::Name(reference) | OperandKind::Negated(_, reference) => {
                let Some(word) = &reference.selector else { return Vec::new() };
                let member = MEMBERS.contains(&word.text.as_str()) && self.has_members(&reference.name);
                if member { Vec::new() } else { vec![word.text.as_str()] }
            }
            OperandKind::Address(address) => address.words.iter().map(|word| word.text.as_str()).collect(),
            _ => Vec::new(),
        }
    }

    /// What follows the base of an address, with the words behind each.
    fn within<'a>(&self, operand: &'a ast::Operand) -> Option<Within<'a>> {
        let rest = coordinates(operand)?;
        Some(rest.iter().map(|operand| (operand, self.selectors(operand))).collect())
    }

    fn shapes_inside<'a>(&self, ast: &ast::Instruction, within: &'a Within<'a>) -> Vec<Shape<'a>> {
        within.iter().map(|(operand, selectors)| self.shape(ast, operand, selectors)).collect()
    }

    fn has_members(&self, name: &Name) -> bool {
        match self.lookup(&name.text).map(|(_, declared)| declared.entity) {
            Some(Entity::Register(ty)) => ty.vector > 1,
            Some(_) => false,
            None => Special::is_name(&name.text),
        }
    }

    /// Where the form is wrong already: names that nothing declares are reported all the same.
    fn undefined_operands(&mut self, operands: &[ast::Operand]) {
        for operand in operands {
            match &operand.kind {
                OperandKind::Name(reference) | OperandKind::Negated(_, reference) => {
                    let name = &reference.name;
                    if self.lookup(&name.text).is_none() && !Special::is_name(&name.text) {
                        self.undefined("name", name);
                    }
                }
                OperandKind::Vector(items) | OperandKind::List(items) => self.undefined_operands(items),
                _ => {}
            }
        }
    }

    pub(super) fn shape<'a>(
        &self,
        ast: &ast::Instruction,
        operand: &ast::Operand,
        selectors: &'a [&'a str],
    ) -> Shape<'a> {
        let (sign, register) = match &operand.kind {
            OperandKind::Negated(sign, reference) => (Some(*sign), self.register_named(&reference.name)),
            OperandKind::Name(reference) => (None, self.register_named(&reference.name)),
            _ => (None, None),
        };
        let elements = match (&operand.kind, register) {
            (OperandKind::Name(Reference { selector: None, .. }), Some(ty)) => elements_of(ty),
            (OperandKind::Name(_), _) => self.special_elements(ast, operand),
            _ => self.elements(operand),
        };
        Shape {
            selectors,
            minus: sign == Some(Sign::Minus),
            not: sign == Some(Sign::Not),
            address: matches!(operand.kind, OperandKind::Address(_)),
            inside: &[],
            offset: matches!(&operand.kind, OperandKind::Address(address) if !address.offsets.is_empty()),
            pair: matches!(operand.kind, OperandKind::Pair(..)),
            sink: matches!(operand.kind, OperandKind::Sink),
            elements,
            list: matches!(operand.kind, OperandKind::List(_)),
            predicate: register.is_some_and(|ty| ty.element.kind == Kind::Predicate),
        }
    }

    /// The type of the register that a name stands for, if it stands for one.
    fn register_named(&self, name: &Name) -> Option<RegisterType> {
        match self.entity(&name.text)?.1 {
            Entity::Register(ty) => Some(ty),
            _ => None,
        }
    }

    /// How many elements a special register has that stands as a whole where a vector is asked for.
    fn special_elements(&self, ast: &ast::Instruction, operand: &ast::Operand) -> usize {
        let asked = || ast.words.iter().any(|word| VECTORS.contains(&word.text.as_str()));
        match &operand.kind {
            OperandKind::Name(Reference { name, selector: None })
                if asked() && self.entity(&name.text).is_none() =>
            {
                Special::elements(&name.text).map_or(0, |(elements, _)| elements.len())
            }
            _ => 0,
        }
    }

    /// How many elements a vector has, written out or by its register's type; 0 if the operand is none.
    pub(super) fn elements(&self, operand: &ast::Operand) -> usize {
        match &operand.kind {
            OperandKind::Vector(items) => items.len(),
            OperandKind::Pair(first, _) => self.elements(first),
            OperandKind::Name(Reference { name, selector: None }) => {
                self.register_named(name).map_or(0, elements_of)
            }
            _ => 0,
        }
    }
}

/// How many elements a register of the type has as a vector; 0 if it is none.
fn elements_of(ty: RegisterType) -> usize {
    if ty.vector > 1 { ty.vector as usize } else { 0 }
}
