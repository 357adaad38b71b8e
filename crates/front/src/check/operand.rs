//! Operands: what may stand in each place, and whether its type fits.

use super::Checker;
use super::body::INDIRECT_CALLS;
use super::instruction::MEMBERS;
use super::scope::{Entity, ListKind, RegisterType};
use crate::ast::{self, Name, OperandKind, Reference, Sign};
use crate::diag::{Diagnostic, codes};
use crate::module::{Base, InstructionId, Operand, Space, Symbol, VariableId};
use crate::source::Span;
use margay_isa::special::{Special, SpecialValue};
use margay_isa::syntax::Template;
use margay_isa::{Immediate, Inst, Kind, Operand as PageOperand, Role, Ty, TypeRule, Within, Word};

/// One operand's place in an instruction: what the page says of it.
pub(super) struct Site<'a> {
    pub inst: &'a Inst,
    pub operand: PageOperand,
    pub name: &'static str,
    /// The type it must have; none for addresses, labels and operands judged elsewhere.
    pub want: Option<Ty>,
    /// The place of the vector that is wanted, if one is.
    pub template: Option<&'a Template>,
    /// Whether a vector is wanted.
    pub vector: bool,
    /// Whether a list in parentheses is wanted.
    pub list: bool,
    /// What follows in the brackets of an address.
    pub inside: &'a [Template],
    /// Whether it is an item of such a list.
    pub in_list: bool,
    /// Whether a sum stands here.
    pub is_sum: bool,
}

/// An operand that the page's text has but its data does not describe: anything may stand there.
const UNDESCRIBED: PageOperand = PageOperand::src("", TypeRule::Other).special().symbol().sink().vector();

impl<'a> Site<'a> {
    pub(super) fn new(inst: &'a Inst, name: &'static str) -> Site<'a> {
        let operand = inst.page().operand(name).copied().unwrap_or(UNDESCRIBED);
        let operand = inst.operand_here(operand);
        Site {
            inst,
            operand,
            name,
            want: inst.operand_type(operand.ty),
            template: None,
            vector: false,
            list: false,
            in_list: false,
            is_sum: false,
            inside: &[],
        }
    }

    /// Of a source `_` leaves out elements of a vector, never all there is.
    fn takes_sink(&self) -> bool {
        match self.operand.role {
            Role::Destination => self.operand.sink || self.vector && self.operand.elements.is_none(),
            Role::Source => self.operand.sink && (self.vector || self.lenient()),
        }
    }

    /// The word that says where a variable must lie that is named here, if there is one.
    pub(super) fn space(&self) -> Option<Word> {
        match self.operand.space {
            Within::Named(slot) => self.inst.has(slot).then_some(self.inst[slot]),
            Within::Always(word) => Some(word),
        }
    }

    fn lenient(&self) -> bool {
        matches!(self.operand.ty, TypeRule::Other)
    }
}

impl Checker {
    /// Checks all operands of an instruction; none if one is wrong.
    pub(super) fn operands(&mut self, inst: &Inst, ast: &ast::Instruction) -> Option<Vec<Operand>> {
        let templates = &inst.line().operands;
        let mut checked = Vec::with_capacity(ast.operands.len());
        for (template, operand) in templates.iter().zip(&ast.operands) {
            checked.push(self.at(inst, template, operand));
        }
        let operands: Vec<Operand> = checked.into_iter().collect::<Option<_>>()?;
        self.within_others(inst, ast, &operands)?;
        self.call(inst, ast, &operands)?;
        self.within_variables(inst, ast, &operands);
        Some(operands)
    }

    /// Checks the operand in one place of the syntax line.
    pub(super) fn at(&mut self, inst: &Inst, template: &Template, operand: &ast::Operand) -> Option<Operand> {
        let vector = inst.elements(template) > 0;
        let site = Site {
            template: Some(template),
            vector,
            list: template.list,
            inside: &template.inside,
            ..Site::new(inst, template.name)
        };
        match (&operand.kind, template.second) {
            (OperandKind::Pair(first, second), Some((name, _))) => {
                let first = self.operand(&site, first);
                let since = inst.page().operand(name).and_then(|operand| operand.since);
                let there = since.is_none_or(|floor| self.need(&format!("|{name}"), floor, second.span));
                let second = self.operand(&Site::new(inst, name), second).filter(|_| there);
                first.zip(second).map(|(a, b)| Operand::Pair(Box::new(a), Box::new(b)))
            }
            _ => self.operand(&site, operand),
        }
    }

    /// Constants that another operand limits.
    fn within_others(&mut self, inst: &Inst, ast: &ast::Instruction, operands: &[Operand]) -> Option<()> {
        let named = |names: &str| {
            let is_one = |name: &str| names.split(' ').any(|n| n == name);
            inst.line().operands.iter().zip(operands).find(|(t, _)| is_one(t.name))
        };
        for ((template, operand), written) in inst.line().operands.iter().zip(operands).zip(&ast.operands) {
            let immediate = inst.page().operand(template.name).map(|entry| entry.immediate);
            if let Some(Immediate::UpTo(names) | Immediate::AtMost(names)) = immediate
                && let (Operand::Immediate(value), Some((limit, Operand::Immediate(most)))) =
                    (operand, named(names))
                && value.bits() > most.bits()
            {
                let (value, most) = (value.bits(), most.bits());
                let name = template.name;
                let message = format!("constant {value} is out of range for operand `{name}` of `{inst}`");
                let label = format!("it must be from 0 to {most}, which operand `{}` is", limit.name);
                self.error(codes::OUT_OF_RANGE, written.span, message, label);
                return None;
            }
        }
        Some(())
    }

    pub(super) fn operand(&mut self, site: &Site, ast: &ast::Operand) -> Option<Operand> {
        if let Some(items) = ast.as_list().filter(|_| site.list) {
            return self.list_items(site, items);
        }
        match &ast.kind {
            OperandKind::Name(reference) if site.operand.bare && self.elements(ast) == 0 => {
                self.named(&Site { vector: false, ..*site }, reference)
            }
            OperandKind::Name(reference) => self.named(site, reference),
            OperandKind::Negated(sign, reference) => {
                let operand = self.named(site, reference)?;
                self.negatable(*sign, &operand, ast.span)?;
                Some(operand)
            }
            OperandKind::Constant(expr) => self.immediate(site, expr),
            OperandKind::Sum(sum) => self.sum(site, sum, ast.span),
            OperandKind::Index(name, index) => self.element(site, name, index),
            OperandKind::Address(address) => self.address(site, address, ast.span),
            OperandKind::Vector(items) => self.vector(site, items, ast.span),
            OperandKind::Pair(..) => {
                self.error(
                    codes::PAIR,
                    ast.span,
                    "expected one register, found two",
                    "`|` is not allowed here",
                );
                None
            }
            OperandKind::List(_) => {
                let message = format!("operand `{}` of `{}` is not a list", site.name, site.inst);
                self.error(codes::WRONG_OPERAND, ast.span, message, "parentheses are not allowed here");
                None
            }
            OperandKind::Sink if site.takes_sink() => Some(Operand::Sink),
            OperandKind::Sink => {
                let message = format!("operand `{}` of `{}` cannot be `_`", site.name, site.inst);
                self.error(codes::SINK, ast.span, message, "expected a register");
                None
            }
        }
    }

    /// The items of a call's list; a vector of registers stands for all of them.
    fn list_items(&mut self, site: &Site, items: &[ast::Operand]) -> Option<Operand> {
        let item = Site { inst: site.inst, list: false, in_list: true, ..*site };
        let mut found = Vec::with_capacity(items.len());
        let mut wrong = false;
        for operand in items {
            if let OperandKind::Name(Reference { selector: Some(word), .. }) = &operand.kind {
                let message = format!("selector `.{}` is not allowed in a call's list", word.text);
                let diagnostic = Diagnostic::error(codes::MISPLACED_SELECTOR, message);
                let diagnostic = diagnostic.label(word.span, "only whole registers are passed");
                self.report(diagnostic.help("copy the element into a register with `mov` first"));
                wrong = true;
                continue;
            }
            if let OperandKind::Vector(_) = &operand.kind {
                let message = "a vector in braces is not allowed in a call's list";
                self.error(
                    codes::VECTOR,
                    operand.span,
                    message,
                    "name a vector of registers, or each register",
                );
                wrong = true;
                continue;
            }
            match self.operand(&item, operand) {
                Some(Operand::Vector(elements)) => found.extend(elements),
                Some(one) => found.push(one),
                None => wrong = true,
            }
        }
        (!wrong).then_some(Operand::Vector(found))
    }

    /// A minus takes an integer register: a register of packed halves has no sign as a whole.
    fn negatable(&mut self, sign: Sign, operand: &Operand, span: Span) -> Option<()> {
        let Operand::Register(id) = operand else { return Some(()) };
        let register = &self.body.registers[id.0 as usize];
        if sign == Sign::Not || (register.ty.is_integer() && register.ty.lanes == 1) {
            return Some(());
        }
        let message =
            format!("register `{}` of type `{}` cannot be negated", register.name, typed(register.ty));
        let diagnostic = Diagnostic::error(codes::SIGN, message).label(span, "not an integer register");
        self.report(diagnostic.help("copy it to a `.b32` register first"));
        None
    }

    fn named(&mut self, site: &Site, reference: &Reference) -> Option<Operand> {
        if let TypeRule::Handle(wanted) = site.operand.ty {
            return self.handle_named(site, wanted, reference);
        }
        let name = &reference.name;
        match self.entity(&name.text) {
            Some((scope, entity)) => match entity {
                Entity::Register(ty) => self.register_operand(site, reference, scope, ty),
                Entity::Label(number) if matches!(site.operand.ty, TypeRule::Label | TypeRule::Other) => {
                    Some(Operand::Label(InstructionId(number)))
                }
                Entity::List(kind, number) if site.lenient() => self.list_operand(kind, number, name.span),
                Entity::Variable(_) | Entity::Function(_) => self.symbol(site, name, 0),
                found => {
                    self.wrong_kind(name, found, "a register");
                    None
                }
            },
            None if matches!(site.operand.ty, TypeRule::Label) => {
                self.undefined_label(name);
                None
            }
            None if Special::is_name(&name.text) => self.special(site, reference),
            None => {
                let what = if site.lenient() { "name" } else { "register" };
                self.undefined(what, name);
                None
            }
        }
    }

    /// A prototype, or a copy of a list of targets; so many as a text of this length can need.
    fn list_operand(&mut self, kind: ListKind, number: u32, span: Span) -> Option<Operand> {
        let list = &self.body.lists[number as usize];
        if kind == ListKind::Prototype {
            return list.first().cloned();
        }
        let bytes = std::mem::size_of_val(list.as_slice()) as u64;
        let Some(rest) = self.budget.checked_sub(bytes) else {
            self.error(codes::SIZE, span, "lists of targets take too much memory", "used too often");
            return None;
        };
        self.budget = rest;
        Some(Operand::Vector(list.clone()))
    }

    fn register_operand(
        &mut self,
        site: &Site,
        reference: &Reference,
        scope: usize,
        ty: RegisterType,
    ) -> Option<Operand> {
        let name = &reference.name;
        if ty.vector == 1 {
            self.register_fits(site, name, name.span, ty.element)?;
            return Some(Operand::Register(self.register(scope, &name.text, ty)));
        }
        let member = |k: usize| format!("{}.{}", name.text, MEMBERS[k]);
        let Some(word) = &reference.selector else {
            if !site.operand.vector && !site.vector && !site.in_list {
                let message = format!("`{}` is a vector of {} registers", name.text, ty.vector);
                let label = format!("choose one of them, such as `{}`", member(0));
                self.error(codes::VECTOR, name.span, message, label);
                return None;
            }
            self.register_fits(site, name, name.span, ty.element)?;
            let ids =
                (0..ty.vector as usize).map(|k| Operand::Register(self.register(scope, &member(k), ty)));
            return Some(Operand::Vector(ids.collect()));
        };
        let k = MEMBERS.iter().position(|m| *m == word.text).unwrap_or(0) % 4;
        if k >= ty.vector as usize {
            let message = format!("`{}` has {} elements", name.text, ty.vector);
            self.error(codes::VECTOR, word.span, message, "no such element");
            return None;
        }
        self.register_fits(site, name, name.span, ty.element)?;
        Some(Operand::Register(self.register(scope, &member(k), ty)))
    }

    /// Whether a register of this type may stand at the site; reports it if not.
    pub(super) fn register_fits(&mut self, site: &Site, name: &Name, span: Span, ty: Ty) -> Option<()> {
        if matches!(site.operand.ty, TypeRule::Label) {
            self.error(
                codes::WRONG_KIND,
                span,
                format!("`{}` is a register, not a label", name.text),
                "expected a label",
            );
            return None;
        }
        if !site.operand.immediate.takes_register() {
            let message = format!("operand `{}` of `{}` must be a constant", site.name, site.inst);
            self.error(codes::CONSTANT_WANTED, span, message, "expected a constant");
            return None;
        }
        let Some(want) = site.want else { return Some(()) };
        let counted_by_size = site.vector
            && (site.operand.elements.is_none() || site.operand.padded || site.operand.vector)
            && want.kind == Kind::Float
            && want.lanes == 1
            && ty.is_integer()
            && ty.width() == want.width();
        if site.operand.ty.takes_register(want, ty) || counted_by_size {
            return Some(());
        }
        let message = format!(
            "register `{}` has the wrong type for operand `{}` of `{}`",
            name.text, site.name, site.inst
        );
        let label = format!("this is `{}`, expected `{}`", typed(ty), typed(want));
        let diagnostic = Diagnostic::error(codes::REGISTER_TYPE, message).label(span, label);
        self.report(
            diagnostic.help(format!("expected a register of type {}", fitting(site.operand.ty, want))),
        );
        None
    }

    fn special(&mut self, site: &Site, reference: &Reference) -> Option<Operand> {
        let name = &reference.name;
        let member = reference.selector.as_ref().map(|word| word.text.as_str());
        let span = reference.selector.as_ref().map_or(name.span, |word| name.span.to(word.span));
        if member.is_none()
            && site.vector
            && let Some((elements, floor)) = Special::elements(&name.text)
        {
            let there = self.need(&name.text, floor, span);
            let fit = elements.into_iter().all(|element| fits_special(site, element));
            if !fit {
                self.special_of_other_type(site, &name.text, elements[0], span);
            }
            let elements = elements.into_iter().map(Operand::Special).collect();
            return (there && fit).then_some(Operand::Vector(elements));
        }
        let Some((special, floor)) = Special::parse(&name.text, member) else {
            let message = format!("special register `{}` cannot be used in this way", name.text);
            let label = if member.is_none() { "add `.x`, `.y` or `.z`" } else { "it has no such member" };
            self.error(codes::SPECIAL, span, message, label);
            return None;
        };
        if !site.operand.special {
            let message = format!("operand `{}` of `{}` cannot be a special register", site.name, site.inst);
            let diagnostic = Diagnostic::error(codes::SPECIAL, message).label(span, "expected a register");
            self.report(diagnostic.help("copy it into a register with `mov` first"));
            return None;
        }
        let there = self.need(&name.text, floor, span);
        if !fits_special(site, special) {
            self.special_of_other_type(site, &name.text, special, span);
            return None;
        }
        there.then_some(Operand::Special(special))
    }

    fn special_of_other_type(&mut self, site: &Site, name: &str, special: Special, span: Span) {
        let message = format!("`{name}` has the wrong type for operand `{}` of `{}`", site.name, site.inst);
        let want = site.want.map(typed).unwrap_or_default();
        let label = format!("this is `{}`, expected `{want}`", typed(special.ty()));
        self.error(codes::REGISTER_TYPE, span, message, label);
    }

    /// A variable's or function's address as an operand.
    pub(super) fn symbol(&mut self, site: &Site, name: &Name, offset: i64) -> Option<Operand> {
        let Some((_, entity)) = self.entity(&name.text) else {
            self.undefined("variable", name);
            return None;
        };
        let symbol = match entity {
            Entity::Variable(id) => Symbol::Variable(id),
            Entity::Function(id) => {
                if !site.lenient() {
                    self.need("the address of a function", INDIRECT_CALLS, name.span);
                    self.no_sum_of_functions(name, offset)?;
                }
                Symbol::Function(id)
            }
            other => {
                self.wrong_kind(name, other, "a variable");
                return None;
            }
        };
        if !site.operand.symbol && !site.lenient() && !site.takes_sum() {
            let what = entity.describe();
            let message = format!(
                "`{}` is {what}, but operand `{}` of `{}` must be a register",
                name.text, site.name, site.inst
            );
            let diagnostic = Diagnostic::error(codes::WRONG_KIND, message).label(name.span, "not a register");
            let help = match symbol {
                Symbol::Variable(_) => {
                    "load its value with `ld`, or move its address into a register with `mov`"
                }
                Symbol::Function(_) => "call a function with `call`, or take its address with `mov`",
            };
            self.report(diagnostic.help(help));
            return None;
        }
        if let Symbol::Variable(id) = symbol
            && !site.lenient()
        {
            self.not_of_a_call(name, id)?;
        }
        if let Symbol::Variable(id) = symbol
            && site.operand.symbol
            && site.space().is_some()
        {
            self.fits_space(site, Base::Variable(id), name.span)?;
        }
        if let Some(want) = site.want
            && !(want.is_integer() && matches!(want.width(), 32 | 64))
        {
            let message = format!("operand `{}` of `{}` cannot hold an address", site.name, site.inst);
            self.error(codes::REGISTER_TYPE, name.span, message, format!("expected `{}`", typed(want)));
            return None;
        }
        Some(Operand::Symbol(symbol, offset))
    }

    /// What a body declares in `.param` is for calls, and has no address; the manual does not say so, ptxas does.
    fn not_of_a_call(&mut self, name: &Name, id: VariableId) -> Option<()> {
        let of_body = self.variables[id.0 as usize].space == Space::Param && !self.body.passed.contains(&id);
        if !of_body || !self.environment.judged {
            return Some(());
        }
        let message = format!("`{}` is for calls, and has no address", name.text);
        let diagnostic =
            Diagnostic::error(codes::WRONG_KIND, message).label(name.span, "declared in the body");
        self.report(diagnostic.help("only parameters of the function itself have addresses"));
        None
    }

    /// `a[3]`: the address of an element.
    fn element(&mut self, site: &Site, name: &Name, index: &ast::Operand) -> Option<Operand> {
        let OperandKind::Constant(expr) = &index.kind else {
            self.error(codes::WRONG_OPERAND, index.span, "an index must be a constant", "not a constant");
            return None;
        };
        let value = self.value(expr)?;
        let (Some(bits), Some((_, declared))) = (value.bits(), self.lookup(&name.text)) else {
            return self.symbol(site, name, 0);
        };
        let unit = match declared.entity {
            Entity::Variable(id) => {
                let variable = &self.variables[id.0 as usize];
                u64::from(variable.element.width() / 8 * variable.vector)
            }
            _ => 1,
        };
        self.symbol(site, name, bits.wrapping_mul(unit) as i64)
    }
}

/// Whether a special register has the type that is wanted; those of the first GPUs may be read as the narrower types that they
/// had then.
fn fits_special(site: &Site, special: Special) -> bool {
    use SpecialValue::{Ctaid, Gridid, Nctaid, Ntid, Tid, Zero};
    let Some(want) = site.want else { return true };
    let narrow = match special.value {
        Gridid => want.width() == 32 && want.is_integer(),
        Tid(_) | Ntid(_) | Ctaid(_) | Nctaid(_) | Zero => want.width() == 16 && want.is_integer(),
        _ => false,
    };
    narrow || site.operand.ty.takes_register(want, special.ty())
}

/// A type as it is written.
pub(super) fn typed(ty: Ty) -> String {
    let word = margay_isa::Word::ALL.iter().find(|word| word.ty() == Some(ty));
    word.map_or_else(|| ty.to_string(), |word| format!(".{word}"))
}

/// The types of registers that fit.
pub(super) fn fitting(rule: TypeRule, want: Ty) -> String {
    const DECLARABLE: &[&str] = &[
        "pred", "b8", "u8", "s8", "b16", "u16", "s16", "f16", "b32", "u32", "s32", "f32", "f16x2", "b64",
        "u64", "s64", "f64", "b128",
    ];
    let types = DECLARABLE.iter().filter_map(|name| Some((name, margay_isa::Word::parse(name)?.ty()?)));
    let fitting: Vec<_> = types
        .filter(|(_, ty)| rule.takes_register(want, *ty))
        .map(|(name, _)| format!("`.{name}`"))
        .collect();
    super::fault::either(&fitting)
}
