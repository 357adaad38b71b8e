//! Constant expressions with C's precedences (manual section 4.6).

use super::{MAX_OPERATORS, Parse, Parser};
use crate::ast::{BinaryOp, Expr, ExprKind, FloatLiteral, UnaryOp};
use crate::diag::{Diagnostic, codes};
use crate::lexer::quote;
use crate::number;
use crate::source::Span;
use crate::token::Kind;

/// The predefined constant for the number of threads in a warp.
pub(super) const WARP_SIZE: &str = "WARP_SZ";

/// What may stand in an expression beside numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Leaves {
    /// Nothing.
    Constants,
    /// Names of variables and functions: their addresses.
    Symbols,
    /// Debug sections too.
    Sections,
}

impl Parser<'_> {
    /// Whether the current token begins a constant expression.
    pub(super) fn at_constant(&self) -> bool {
        match self.kind() {
            Kind::Integer
            | Kind::Float
            | Kind::Plus
            | Kind::Minus
            | Kind::Bang
            | Kind::Tilde
            | Kind::OpenParen => true,
            Kind::Name => self.current() == WARP_SIZE,
            _ => false,
        }
    }

    pub(super) fn expr(&mut self, leaves: Leaves) -> Parse<Expr> {
        let left = self.binary(0, leaves)?;
        self.ternary_rest(left, leaves)
    }

    /// A fresh expression: the limit on operators counts from here.
    pub(super) fn whole_expr(&mut self, leaves: Leaves) -> Parse<Expr> {
        self.operators = 0;
        self.expr(leaves)
    }

    /// Goes on where `left` was read as the beginning of an expression.
    pub(super) fn expr_rest(&mut self, left: Expr, leaves: Leaves) -> Parse<Expr> {
        let left = self.binary_rest(left, 0, leaves)?;
        self.ternary_rest(left, leaves)
    }

    fn ternary_rest(&mut self, condition: Expr, leaves: Leaves) -> Parse<Expr> {
        if !self.at(Kind::Question) {
            return Some(condition);
        }
        self.count_operator()?;
        self.bump();
        let yes = self.deeper(|p| p.expr(leaves))?;
        self.expect(Kind::Colon, "`:` of `? :`")?;
        let no = self.deeper(|p| p.expr(leaves))?;
        let span = condition.span.to(no.span);
        Some(Expr { kind: ExprKind::Ternary(Box::new(condition), Box::new(yes), Box::new(no)), span })
    }

    /// Operators that bind more tightly than `above`.
    pub(super) fn binary(&mut self, above: u8, leaves: Leaves) -> Parse<Expr> {
        let left = self.unary(leaves)?;
        self.binary_rest(left, above, leaves)
    }

    fn binary_rest(&mut self, mut left: Expr, above: u8, leaves: Leaves) -> Parse<Expr> {
        while let Some(op) = binary_op(self.kind()).filter(|op| op.precedence() > above) {
            self.count_operator()?;
            self.bump();
            let right = self.deeper(|p| p.binary(op.precedence(), leaves))?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span };
        }
        Some(left)
    }

    fn count_operator(&mut self) -> Parse<()> {
        self.operators += 1;
        if self.operators <= MAX_OPERATORS {
            return Some(());
        }
        self.error(codes::TOO_DEEP, self.span(), "expression has too many operators", "one too many");
        None
    }

    fn unary(&mut self, leaves: Leaves) -> Parse<Expr> {
        let op = match self.kind() {
            Kind::Minus => UnaryOp::Minus,
            Kind::Plus => UnaryOp::Plus,
            Kind::Bang => UnaryOp::Not,
            Kind::Tilde => UnaryOp::Complement,
            _ => return self.primary(leaves),
        };
        self.count_operator()?;
        let start = self.bump().span;
        self.unsigned_float();
        let operand = self.deeper(|p| p.unary(leaves))?;
        Some(Expr { span: start.to(operand.span), kind: ExprKind::Unary(op, Box::new(operand)) })
    }

    /// The bits of a hexadecimal floating-point constant hold its sign; ptxas takes no operator before it.
    fn unsigned_float(&mut self) {
        let text = self.current();
        let bits = text.len() > 1 && matches!(text.as_bytes()[1], b'f' | b'F' | b'd' | b'D');
        if self.at(Kind::Float) && bits {
            let message = format!("an operator comes before {}", quote(text));
            let diagnostic = Diagnostic::error(codes::MALFORMED_NUMBER, message)
                .label(self.span(), "its bits include its sign");
            self.report(diagnostic.help("set the highest bit for a negative number"));
        }
    }

    /// Decimal digits must mean a normal number or zero, as ptxas has it.
    fn float_in_range(&mut self) {
        let text = self.current();
        if number::float_overflows(text) {
            let message = format!("constant {} is out of range", quote(text));
            let diagnostic = Diagnostic::error(codes::CONSTANT_OVERFLOW, message)
                .label(self.span(), "too large, or too near to zero, for a normal `.f64`");
            self.report(diagnostic.help("write its bits: `0d` and 16 hex digits"));
        }
    }

    fn primary(&mut self, leaves: Leaves) -> Parse<Expr> {
        let start = self.span();
        let kind = match self.kind() {
            Kind::Integer => {
                let integer = self.integer("a constant")?;
                if leaves >= Leaves::Symbols && self.at(Kind::OpenParen) {
                    let inner = self.parenthesised(leaves)?;
                    ExprKind::Mask(integer, Box::new(inner))
                } else {
                    ExprKind::Integer(integer)
                }
            }
            Kind::Float => {
                let text = self.current();
                self.float_in_range();
                self.bump();
                ExprKind::Float(FloatLiteral { bits: number::float(text).unwrap_or(0), text: text.into() })
            }
            Kind::OpenParen if self.ahead[1].kind == Kind::Word => {
                self.count_operator()?;
                self.bump();
                let ty = self.word();
                self.close(start, Kind::CloseParen, "`)`")?;
                let operand = self.deeper(|p| p.unary(leaves))?;
                ExprKind::Cast(ty, Box::new(operand))
            }
            Kind::OpenParen => {
                let inner = self.parenthesised(leaves)?;
                ExprKind::Paren(Box::new(inner))
            }
            Kind::Name if self.current() == WARP_SIZE => {
                self.bump();
                ExprKind::WarpSize
            }
            Kind::Name if leaves >= Leaves::Symbols => {
                if self.current() == "generic" && self.ahead[1].kind == Kind::OpenParen {
                    self.bump();
                    let inner = self.parenthesised(leaves)?;
                    ExprKind::Generic(Box::new(inner))
                } else {
                    ExprKind::Symbol(self.name("a symbol")?)
                }
            }
            Kind::Name => {
                self.not_constant(start);
                return None;
            }
            Kind::Word if leaves == Leaves::Sections => ExprKind::Section(self.word()),
            _ => {
                self.expected("a constant");
                return None;
            }
        };
        Some(Expr { kind, span: self.since(start) })
    }

    fn parenthesised(&mut self, leaves: Leaves) -> Parse<Expr> {
        self.count_operator()?;
        let open = self.bump().span;
        let inner = self.deeper(|p| p.expr(leaves))?;
        self.close(open, Kind::CloseParen, "`)`")?;
        Some(inner)
    }

    /// Reports that the name at `span` stands where only constants may.
    pub(super) fn not_constant(&mut self, span: Span) {
        let name = quote(&self.text[span.range()]);
        let diagnostic = Diagnostic::error(codes::NOT_CONSTANT, format!("{name} is not a constant"));
        self.report(
            diagnostic.label(span, "operators join constants only").help(
                "compute it with an instruction first; only `-` and `!` may come directly before a name",
            ),
        );
    }
}

/// The binary operator that a token is.
pub(super) fn binary_op(kind: Kind) -> Option<BinaryOp> {
    Some(match kind {
        Kind::Star => BinaryOp::Mul,
        Kind::Slash => BinaryOp::Div,
        Kind::Percent => BinaryOp::Rem,
        Kind::Plus => BinaryOp::Add,
        Kind::Minus => BinaryOp::Sub,
        Kind::LessLess => BinaryOp::Shl,
        Kind::GreaterGreater => BinaryOp::Shr,
        Kind::Less => BinaryOp::Lt,
        Kind::Greater => BinaryOp::Gt,
        Kind::LessEquals => BinaryOp::Le,
        Kind::GreaterEquals => BinaryOp::Ge,
        Kind::EqualsEquals => BinaryOp::Eq,
        Kind::BangEquals => BinaryOp::Ne,
        Kind::Ampersand => BinaryOp::And,
        Kind::Caret => BinaryOp::Xor,
        Kind::Pipe => BinaryOp::Or,
        Kind::AndAnd => BinaryOp::LogicalAnd,
        Kind::OrOr => BinaryOp::LogicalOr,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::diag::codes;
    use crate::parser::testing::{codes_of, first_operand, module};

    /// The expression fully parenthesised, as the tree has it.
    fn tree(text: &str) -> String {
        use crate::ast::{Expr, ExprKind, OperandKind};
        fn show(expr: &Expr) -> String {
            match &expr.kind {
                ExprKind::Unary(op, x) => format!("({}{})", op.symbol(), show(x)),
                ExprKind::Binary(op, x, y) => format!("({}{}{})", show(x), op.symbol(), show(y)),
                ExprKind::Ternary(x, y, z) => format!("({}?{}:{})", show(x), show(y), show(z)),
                ExprKind::Paren(x) => show(x),
                _ => expr.to_string(),
            }
        }
        match first_operand(text).kind {
            OperandKind::Constant(expr) => show(&expr),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn operators_bind_as_in_c() {
        assert_eq!(tree("1 + 2 * 3 - 4"), "((1+(2*3))-4)");
        assert_eq!(tree("1 << 2 + 3 < 4 == 5"), "(((1<<(2+3))<4)==5)");
        assert_eq!(tree("1 | 2 ^ 3 & 4 || 5 && 6"), "((1|(2^(3&4)))||(5&&6))");
        assert_eq!(tree("-1 + ~2 * !3"), "((-1)+((~2)*(!3)))");
        assert_eq!(tree("(1 + 2) * 3 % 4"), "(((1+2)*3)%4)");
        assert_eq!(tree("1 ? 2 : 3 ? 4 : 5"), "(1?2:(3?4:5))");
        assert_eq!(tree("1 > 0 ? WARP_SZ : - - 5"), "((1>0)?WARP_SZ:(-(-5)))");
        assert_eq!(tree("(.s64) -7 / 2"), "((.s64)-7/2)");
    }

    #[test]
    fn names_are_no_constants_in_operands() {
        for text in [
            "~a",
            "1 + a",
            "(1 + a)",
            "a * 2",
            "1 ? a : 2",
            "-(-a)",
            "%r1 + %r2",
            "(-a)",
            "a ? 1 : 2",
            "generic(a)",
        ] {
            let found = codes_of(&module(&format!("mov.u32 d, {text};")));
            assert!(found == [codes::NOT_CONSTANT] || found == [codes::EXPECTED], "{text}: {found:?}");
        }
    }

    #[test]
    fn addresses_are_constants_in_initialisers() {
        let values = "{a, a + 4, generic(a), generic(a) - 4, 0xff(a), 0xff00(generic(a) + 4), -1, 2.5}";
        assert_eq!(codes_of(&format!(".global .u64 x[] = {values};")), []);
        assert_eq!(codes_of(".global .u64 x = .debug_str;"), [codes::EXPECTED]);
    }

    #[test]
    fn the_sign_of_a_hexadecimal_float_lies_in_its_bits() {
        assert_eq!(codes_of(&module("mov.f32 d, -0f3f800000;")), [codes::MALFORMED_NUMBER]);
        assert_eq!(codes_of(&module("mov.f32 d, -1.5;")), []);
    }
}
