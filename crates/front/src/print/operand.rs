//! Instructions, operands and constant expressions as text: `Display` of the tree's smaller nodes.

use crate::ast::{
    Address, AddressBase, Expr, ExprKind, FloatLiteral, Guard, Instruction, Integer, Name, Offset,
    OffsetValue, Operand, OperandKind, Reference, Sign, Text, Word,
};
use std::fmt::{Display, Formatter, Result};

/// Items with `, ` between them.
pub(super) struct Commas<'a, T>(pub &'a [T]);

impl<T: Display> Display for Commas<'_, T> {
    fn fmt(&self, f: &mut Formatter) -> Result {
        for (index, item) in self.0.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { ", " })?;
            item.fmt(f)?;
        }
        Ok(())
    }
}

impl Display for Name {
    fn fmt(&self, f: &mut Formatter) -> Result {
        f.write_str(&self.text)
    }
}

/// A word with its dot.
impl Display for Word {
    fn fmt(&self, f: &mut Formatter) -> Result {
        write!(f, ".{}", self.text)
    }
}

impl Display for Text {
    fn fmt(&self, f: &mut Formatter) -> Result {
        write!(f, "\"{}\"", self.text)
    }
}

impl Display for Integer {
    fn fmt(&self, f: &mut Formatter) -> Result {
        f.write_str(&self.text)
    }
}

impl Display for FloatLiteral {
    fn fmt(&self, f: &mut Formatter) -> Result {
        f.write_str(&self.text)
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter) -> Result {
        match &self.kind {
            ExprKind::Integer(integer) => integer.fmt(f),
            ExprKind::Float(float) => float.fmt(f),
            ExprKind::WarpSize => f.write_str("WARP_SZ"),
            ExprKind::Symbol(name) => name.fmt(f),
            ExprKind::Section(word) => word.fmt(f),
            ExprKind::Unary(op, x) => write!(f, "{}{x}", op.symbol()),
            ExprKind::Binary(op, x, y) => write!(f, "{x} {} {y}", op.symbol()),
            ExprKind::Ternary(x, y, z) => write!(f, "{x} ? {y} : {z}"),
            ExprKind::Cast(ty, x) => write!(f, "({ty}){x}"),
            ExprKind::Paren(x) => write!(f, "({x})"),
            ExprKind::Generic(x) => write!(f, "generic({x})"),
            ExprKind::Mask(mask, x) => write!(f, "{mask}({x})"),
        }
    }
}

impl Display for Reference {
    fn fmt(&self, f: &mut Formatter) -> Result {
        self.name.fmt(f)?;
        self.selector.iter().try_for_each(|selector| selector.fmt(f))
    }
}

impl Display for Offset {
    fn fmt(&self, f: &mut Formatter) -> Result {
        f.write_str(if self.minus { "-" } else { "+" })?;
        match &self.value {
            OffsetValue::Constant(value) => value.fmt(f),
            OffsetValue::Name(name) => name.fmt(f),
        }
    }
}

impl Display for Address {
    fn fmt(&self, f: &mut Formatter) -> Result {
        match &self.base {
            AddressBase::Name(name) => write!(f, "[{name}")?,
            AddressBase::Constant(value) => write!(f, "[{value}")?,
        }
        self.offsets.iter().try_for_each(|offset| offset.fmt(f))?;
        self.rest.iter().try_for_each(|operand| write!(f, ", {operand}"))?;
        f.write_str("]")?;
        self.words.iter().try_for_each(|word| word.fmt(f))
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter) -> Result {
        match &self.kind {
            OperandKind::Name(reference) => reference.fmt(f),
            OperandKind::Negated(Sign::Minus, reference) => write!(f, "-{reference}"),
            OperandKind::Negated(Sign::Not, reference) => write!(f, "!{reference}"),
            OperandKind::Constant(value) => value.fmt(f),
            OperandKind::Sum(sum) => {
                sum.base.fmt(f)?;
                sum.offsets.iter().try_for_each(|offset| offset.fmt(f))
            }
            OperandKind::Address(address) => address.fmt(f),
            OperandKind::Index(name, index) => write!(f, "{name}[{index}]"),
            OperandKind::Vector(items) => write!(f, "{{{}}}", Commas(items)),
            OperandKind::Pair(first, second) => write!(f, "{first}|{second}"),
            OperandKind::List(items) => write!(f, "({})", Commas(items)),
            OperandKind::Sink => f.write_str("_"),
        }
    }
}

impl Display for Guard {
    fn fmt(&self, f: &mut Formatter) -> Result {
        write!(f, "@{}{}", if self.negated { "!" } else { "" }, self.predicate)
    }
}

/// The instruction with its semicolon.
impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter) -> Result {
        self.guard.iter().try_for_each(|guard| write!(f, "{guard} "))?;
        self.opcode.fmt(f)?;
        self.words.iter().try_for_each(|word| word.fmt(f))?;
        if !self.operands.is_empty() {
            write!(f, " {}", Commas(&self.operands))?;
        }
        f.write_str(";")
    }
}

#[cfg(test)]
mod tests {
    use crate::parse_statement;

    #[test]
    fn an_instruction_prints_as_people_write_it() {
        let cases = [
            ("@!%p add .u32\t%r1 , %r2,- 5", "@!%p add.u32 %r1, %r2, -5;"),
            ("ld.v2.u32 { a ,_ } , [ x + 4 ] .unified;", "ld.v2.u32 {a, _}, [x+4].unified;"),
            ("call ( r ) , f,( ) , p", "call (r), f, (), p;"),
            (
                "x d | p, a [ 1 ], s + 4 - 8, 1<<2|3 ? ( .s64 )-1:WARP_SZ",
                "x d|p, a[1], s+4-8, 1 << 2 | 3 ? (.s64)-1 : WARP_SZ;",
            ),
            (
                "t [a, {x, y}], [b, s, {c}], ((1) + 2) * 3, (5)",
                "t [a, {x, y}], [b, s, {c}], ((1) + 2) * 3, (5);",
            ),
            ("ret", "ret;"),
        ];
        for (text, printed) in cases {
            let (instruction, diagnostics) = parse_statement(text);
            assert_eq!(diagnostics, [], "{text}");
            assert_eq!(instruction.unwrap().to_string(), printed);
        }
    }
}
