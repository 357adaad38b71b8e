//! Operands of instructions.

use super::expr::{Leaves, WARP_SIZE, binary_op};
use super::{MAX_OPERANDS, Parse, Parser};
use crate::ast::{
    Address, AddressBase, Expr, ExprKind, Name, Offset, OffsetValue, Operand, OperandKind, Reference, Sign,
    Sum,
};
use crate::diag::{Diagnostic, codes};
use crate::token::Kind;

impl Parser<'_> {
    /// The operands of an instruction; a pair `d|p` may be the first.
    pub(super) fn operand_list(&mut self) -> Parse<Vec<Operand>> {
        let mut first = self.operand()?;
        if self.at(Kind::Pipe) {
            self.bump();
            let second = self.operand()?;
            let span = first.span.to(second.span);
            first = Operand { kind: OperandKind::Pair(Box::new(first), Box::new(second)), span };
        }
        let mut operands = vec![first];
        while self.eat(Kind::Comma) {
            operands.push(self.operand()?);
        }
        operands.shrink_to_fit();
        Some(operands)
    }

    fn operand(&mut self) -> Parse<Operand> {
        self.count_node();
        self.operands += 1;
        if self.operands > MAX_OPERANDS {
            let message = format!("more than {MAX_OPERANDS} operands");
            self.error(codes::TOO_LONG, self.span(), message, "reading stops here");
            return None;
        }
        let start = self.span();
        let kind = self.deeper(Self::operand_kind)?;
        self.no_selector(&kind);
        Some(Operand { kind, span: self.since(start) })
    }

    /// An operand inside of brackets, braces or parentheses, where names have no constants added to them.
    fn element(&mut self) -> Parse<Operand> {
        let operand = self.operand()?;
        if let OperandKind::Sum(sum) = &operand.kind {
            self.not_constant(sum.base.span);
            return None;
        }
        Some(operand)
    }

    fn operand_kind(&mut self) -> Parse<OperandKind> {
        let next_is_name = self.ahead[1].kind == Kind::Name && self.text_of(self.ahead[1]) != WARP_SIZE;
        match self.kind() {
            Kind::Underscore => {
                self.bump();
                Some(OperandKind::Sink)
            }
            Kind::Minus | Kind::Bang if next_is_name => {
                let sign = if self.bump().kind == Kind::Minus { Sign::Minus } else { Sign::Not };
                let reference = match sign {
                    Sign::Minus => self.reference()?,
                    Sign::Not => Reference { name: self.name("a name")?, selector: None },
                };
                self.no_operator(&reference)?;
                Some(OperandKind::Negated(sign, reference))
            }
            Kind::Name if self.current() != WARP_SIZE => self.named(),
            Kind::OpenBracket => self.address(),
            Kind::OpenBrace => self.vector(),
            Kind::OpenParen if self.ahead[1].kind != Kind::Word => self.parentheses(),
            _ if self.at_constant() => {
                Some(OperandKind::Constant(Box::new(self.whole_expr(Leaves::Constants)?)))
            }
            _ => {
                self.expected("an operand");
                None
            }
        }
    }

    fn reference(&mut self) -> Parse<Reference> {
        let name = self.name("a name")?;
        let selector = self.at_selector().then(|| Box::new(self.word()));
        Some(Reference { name, selector })
    }

    fn at_selector(&self) -> bool {
        self.at(Kind::Word) && !self.ahead[0].first_on_line
    }

    /// A selector that follows no plain name is an error; it is taken, so that reading can go on behind it.
    fn no_selector(&mut self, operand: &OperandKind) {
        if !self.at_selector() {
            return;
        }
        let why = match operand {
            OperandKind::Negated(Sign::Not, _) => "a negated predicate cannot have a selector",
            OperandKind::Name(_) | OperandKind::Negated(..) => "a name can have only one selector",
            OperandKind::Constant(_) | OperandKind::Sum(_) => "a constant cannot have a selector",
            OperandKind::Sink => "`_` cannot have a selector",
            _ => "only a name can have a selector",
        };
        let message = format!("selector `.{}` is not allowed here", self.current());
        self.error(codes::MISPLACED_SELECTOR, self.span(), message, why);
        while self.at_selector() {
            self.bump();
        }
    }

    fn named(&mut self) -> Parse<OperandKind> {
        let reference = self.reference()?;
        if reference.selector.is_some() {
            self.no_operator(&reference)?;
            return Some(OperandKind::Name(reference));
        }
        let array = !reference.name.text.starts_with('%');
        if array && self.at(Kind::OpenBracket) {
            let open = self.bump().span;
            let index = self.operand()?;
            self.close(open, Kind::CloseBracket, "`]`")?;
            return Some(OperandKind::Index(reference.name, Box::new(index)));
        }
        let offsets = self.offsets(false)?;
        if offsets.is_empty() {
            self.no_operator(&reference)?;
            return Some(OperandKind::Name(reference));
        }
        Some(OperandKind::Sum(Sum { base: reference.name, offsets }))
    }

    /// `|` may follow a name, since pairs have it; other operators join constants only.
    fn no_operator(&mut self, reference: &Reference) -> Parse<()> {
        if self.at(Kind::Pipe) || (binary_op(self.kind()).is_none() && !self.at(Kind::Question)) {
            return Some(());
        }
        self.not_constant(reference.name.span);
        None
    }

    /// `+ 4`, `- 8`, and in brackets `+ %r1`, any number of them.
    fn offsets(&mut self, in_brackets: bool) -> Parse<Vec<Offset>> {
        let mut offsets = Vec::new();
        while matches!(self.kind(), Kind::Plus | Kind::Minus) {
            self.operands += 1;
            if self.operands > MAX_OPERANDS {
                self.error(codes::TOO_LONG, self.span(), "too many terms", "reading stops here");
                return None;
            }
            let token = self.bump();
            let minus = token.kind == Kind::Minus;
            let named = in_brackets && !minus && self.at(Kind::Name) && self.current() != WARP_SIZE;
            let value = if named {
                OffsetValue::Name(self.name("a register")?)
            } else {
                const SUM: u8 = 9;
                self.operators = 0;
                OffsetValue::Constant(self.binary(SUM, Leaves::Constants)?)
            };
            offsets.push(Offset { minus, value, span: self.since(token.span) });
        }
        Some(offsets)
    }

    fn address(&mut self) -> Parse<OperandKind> {
        let open = self.bump().span;
        let base = if self.at(Kind::Name) && self.current() != WARP_SIZE {
            AddressBase::Name(self.reference()?)
        } else if self.at_constant() {
            AddressBase::Constant(self.whole_expr(Leaves::Constants)?)
        } else {
            self.expected("an address");
            return None;
        };
        let offsets = self.offsets(true)?;
        let mut rest = Vec::new();
        while self.eat(Kind::Comma) {
            rest.push(self.element()?);
        }
        self.close(open, Kind::CloseBracket, "`]`")?;
        let mut words = Vec::new();
        while self.at_selector() {
            words.push(self.word());
        }
        Some(OperandKind::Address(Box::new(Address { base, offsets, rest, words })))
    }

    fn vector(&mut self) -> Parse<OperandKind> {
        self.bump();
        self.open_braces += 1;
        let items = self.list(Kind::CloseBrace, "`,` or `}`", Self::element)?;
        self.open_braces -= 1;
        Some(OperandKind::Vector(items))
    }

    /// `(a, b)` of a call, or a constant expression that begins with a parenthesis.
    fn parentheses(&mut self) -> Parse<OperandKind> {
        let open = self.bump().span;
        if self.eat(Kind::CloseParen) {
            return Some(OperandKind::List(Vec::new()));
        }
        let items = self.list(Kind::CloseParen, "`,` or `)`", Self::element)?;
        for item in &items {
            if let OperandKind::Negated(_, reference) = &item.kind {
                self.not_constant(reference.name.span);
                return None;
            }
        }
        match <[Operand; 1]>::try_from(items) {
            Ok([Operand { kind: OperandKind::Constant(inner), .. }]) => {
                let paren = Expr { kind: ExprKind::Paren(inner), span: self.since(open) };
                Some(OperandKind::Constant(Box::new(self.expr_rest(paren, Leaves::Constants)?)))
            }
            Ok(single) => Some(OperandKind::List(single.into())),
            Err(items) => Some(OperandKind::List(items)),
        }
    }

    /// The predicate of a guard.
    pub(super) fn predicate(&mut self) -> Parse<Name> {
        if self.at(Kind::Name) {
            return self.name("a predicate");
        }
        let diagnostic =
            Diagnostic::error(codes::EXPECTED, format!("expected a predicate, found {}", self.found()));
        let help = "a guard is `@p` or `@!p`, where `p` is a `.pred` register";
        self.report(diagnostic.label(self.span(), "expected a predicate").help(help));
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::ast::{AddressBase, OffsetValue, OperandKind, Sign};
    use crate::diag::codes;
    use crate::parser::testing::{codes_of, first_operand, module};

    fn kind(text: &str) -> OperandKind {
        first_operand(text).kind
    }

    #[test]
    fn a_minus_before_a_name_negates_and_before_a_number_is_its_sign() {
        assert!(matches!(kind("-%r1.h0"), OperandKind::Negated(Sign::Minus, r) if r.selector.is_some()));
        assert!(matches!(kind("!%p1"), OperandKind::Negated(Sign::Not, _)));
        for constant in ["-5", "- 5", "!5", "--5", "-WARP_SZ", "-(5)", "WARP_SZ", "(5)"] {
            assert!(matches!(kind(constant), OperandKind::Constant(_)), "{constant}");
        }
    }

    #[test]
    fn a_selector_stands_once_behind_a_name() {
        assert!(
            matches!(kind("%tid.x"), OperandKind::Name(r) if r.selector.as_ref().is_some_and(|s| s.text == "x"))
        );
        for text in
            ["%r1.b0.b1", "5.b0", "(5).b0", "WARP_SZ.x", "_.b0", "!%p.x", "{a, b}.x", "-%r1.b0.b1", "a[1].x"]
        {
            let found = codes_of(&module(&format!("mov.u32 d, {text};")));
            assert_eq!(found, [codes::MISPLACED_SELECTOR], "{text}");
        }
    }

    #[test]
    fn addresses_add_constants_and_registers() {
        let OperandKind::Address(address) = kind("[symbol + %r1 - 4 + -8].unified") else { panic!() };
        assert!(matches!(&address.base, AddressBase::Name(r) if r.name.text == "symbol"));
        assert_eq!(address.offsets.iter().map(|o| o.minus).collect::<Vec<_>>(), [false, true, false]);
        assert!(matches!(&address.offsets[0].value, OffsetValue::Name(n) if n.text == "%r1"));
        assert_eq!(address.words[0].text, "unified");
        assert!(
            matches!(kind("[16 + 4]"), OperandKind::Address(a) if matches!(a.base, AddressBase::Constant(_)))
        );
        assert!(matches!(kind("[t, s, {x, y}]"), OperandKind::Address(a) if a.rest.len() == 2));
        assert!(matches!(kind("table + 16 - 4"), OperandKind::Sum(sum) if sum.offsets.len() == 2));
        assert!(matches!(kind("a[N]"), OperandKind::Index(..)));
    }

    #[test]
    fn vectors_hold_operands_and_sinks() {
        let OperandKind::Vector(items) = kind("{ %r1, _, -1, %r2.x }") else { panic!() };
        assert!(
            matches!(items[1].kind, OperandKind::Sink) && matches!(items[2].kind, OperandKind::Constant(_))
        );
        for text in
            ["{}", "{a b}", "{a,}", "{a", "[]", "[a", "[a + ]", "()a", "(a,)", "|a|", "'a'", "%r1 [a]"]
        {
            assert!(!codes_of(&module(&format!("mov.u32 d, {text};"))).is_empty(), "{text}");
        }
    }

    #[test]
    fn constants_are_added_to_whole_operands_only() {
        assert_eq!(codes_of(&module("mov.u64 d, a+4; ld.b32 d, [a+4, b];")), []);
        for text in ["{a+4, b}", "(a+4)", "[b, a+4]", "[b, {a+4, b}]"] {
            assert_eq!(codes_of(&module(&format!("mov.u32 d, {text};"))), [codes::NOT_CONSTANT], "{text}");
        }
    }

    #[test]
    fn only_the_first_operand_may_be_a_pair() {
        assert_eq!(codes_of(&module("setp.eq.u32 p|q, a, b; setp.eq.u32 _|q, a, b;")), []);
        assert_eq!(codes_of(&module("setp.eq.u32 p, a|b, c;")), [codes::EXPECTED]);
        assert_eq!(codes_of(&module("setp.eq.u32 p|q|r, a, b;")), [codes::EXPECTED]);
    }

    #[test]
    fn a_list_of_one_constant_is_a_list_too() {
        let one = first_operand("(5)");
        assert_eq!(one.as_list().map(<[_]>::len), Some(1));
        assert_eq!(first_operand("()").as_list().map(<[_]>::len), Some(0));
        assert_eq!(first_operand("(a, 1)").as_list().map(<[_]>::len), Some(2));
        assert!(first_operand("5").as_list().is_none());
    }
}
