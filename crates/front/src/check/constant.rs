//! Values of constant expressions (manual section 4.5.5 and 4.5.6): 64 bits, signed or unsigned, or binary64.

use crate::ast::{BinaryOp, Expr, ExprKind, FloatLiteral, UnaryOp};
use crate::source::Span;

/// Threads in a warp, the value of `WARP_SZ`.
const WARP_SIZE: i64 = 32;

/// The value of a constant expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    Signed(i64),
    Unsigned(u64),
    /// A number, and where it was written as one, the bits of a lone `0f` constant.
    Float(f64, Option<u32>),
}

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    pub span: Span,
    pub text: &'static str,
    pub division: bool,
}

impl Value {
    /// The low 64 bits of an integer.
    pub fn bits(self) -> Option<u64> {
        match self {
            Value::Signed(v) => Some(v as u64),
            Value::Unsigned(v) => Some(v),
            Value::Float(..) => None,
        }
    }

    /// The exact integer.
    pub fn exact(self) -> Option<i128> {
        match self {
            Value::Signed(v) => Some(v.into()),
            Value::Unsigned(v) => Some(v.into()),
            Value::Float(..) => None,
        }
    }
}

fn fault(span: Span, text: &'static str) -> Fault {
    Fault { span, text, division: false }
}

/// Computes an expression without symbols.
pub(crate) fn evaluate(expr: &Expr) -> Result<Value, Fault> {
    Ok(match &expr.kind {
        ExprKind::Integer(i) if i.unsigned => Value::Unsigned(i.value),
        ExprKind::Integer(i) => i64::try_from(i.value).map_or(Value::Unsigned(i.value), Value::Signed),
        ExprKind::Float(literal) => float(literal),
        ExprKind::WarpSize => Value::Signed(WARP_SIZE),
        ExprKind::Symbol(_) | ExprKind::Section(_) | ExprKind::Generic(_) | ExprKind::Mask(..) => {
            return Err(fault(expr.span, "an address is not a constant here"));
        }
        ExprKind::Paren(inner) => evaluate(inner)?,
        ExprKind::Unary(op, inner) => unary(*op, evaluate(inner)?, inner.span)?,
        ExprKind::Binary(op, left, right) => binary(*op, left, right)?,
        ExprKind::Ternary(condition, yes, no) => ternary(condition, yes, no)?,
        ExprKind::Cast(word, inner) => {
            let not_integer = || fault(inner.span, "only integers can be cast");
            let bits = evaluate(inner)?.bits().ok_or_else(not_integer)?;
            match word.text.as_str() {
                "u64" => Value::Unsigned(bits),
                "s64" => Value::Signed(bits as i64),
                _ => return Err(fault(word.span, "the casts are `(.s64)` and `(.u64)`")),
            }
        }
    })
}

fn float(literal: &FloatLiteral) -> Value {
    let narrow = literal.text.as_bytes().get(1).is_some_and(|b| b.eq_ignore_ascii_case(&b'f'));
    let bits =
        literal.text.get(2..).filter(|_| narrow).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    Value::Float(f64::from_bits(literal.bits), bits)
}

fn unary(op: UnaryOp, value: Value, span: Span) -> Result<Value, Fault> {
    let not_integer = || fault(span, "this operator takes integers only");
    Ok(match (op, value) {
        (UnaryOp::Plus, _) => value,
        (UnaryOp::Minus, Value::Signed(v)) => Value::Signed(v.wrapping_neg()),
        (UnaryOp::Minus, Value::Unsigned(v)) => Value::Unsigned(v.wrapping_neg()),
        (UnaryOp::Minus, Value::Float(v, _)) => Value::Float(-v, None),
        (UnaryOp::Not, _) => Value::Signed((value.bits().ok_or_else(not_integer)? == 0).into()),
        (UnaryOp::Complement, _) => Value::Unsigned(!value.bits().ok_or_else(not_integer)?),
    })
}

/// Walks down the left side in a loop, since a long sum is a deep tree to the left.
fn binary(op: BinaryOp, left: &Expr, right: &Expr) -> Result<Value, Fault> {
    let mut pending = vec![(op, right)];
    let mut leftmost = left;
    while let ExprKind::Binary(op, left, right) = &leftmost.kind {
        pending.push((*op, right));
        leftmost = left;
    }
    let mut value = evaluate(leftmost)?;
    while let Some((op, right)) = pending.pop() {
        value = combine(op, value, evaluate(right)?, right.span)?;
    }
    Ok(value)
}

fn combine(op: BinaryOp, a: Value, b: Value, span: Span) -> Result<Value, Fault> {
    match (a, b) {
        (Value::Float(x, _), Value::Float(y, _)) => floats(op, x, y, span),
        (Value::Float(..), _) | (_, Value::Float(..)) => {
            Err(fault(span, "integers and floating-point numbers cannot be mixed"))
        }
        (Value::Signed(x), Value::Signed(y)) => signed(op, x, y, span),
        _ => unsigned(op, a, b, span),
    }
}

fn floats(op: BinaryOp, x: f64, y: f64, span: Span) -> Result<Value, Fault> {
    use BinaryOp::*;
    Ok(match op {
        Mul => Value::Float(x * y, None),
        Div => Value::Float(x / y, None),
        Add => Value::Float(x + y, None),
        Sub => Value::Float(x - y, None),
        Lt => truth(x < y),
        Gt => truth(x > y),
        Le => truth(x <= y),
        Ge => truth(x >= y),
        Eq => truth(x == y),
        Ne => truth(x != y),
        Rem | Shl | Shr | And | Xor | Or | LogicalAnd | LogicalOr => {
            return Err(fault(span, "this operator takes integers only"));
        }
    })
}

fn signed(op: BinaryOp, x: i64, y: i64, span: Span) -> Result<Value, Fault> {
    use BinaryOp::*;
    Ok(match op {
        Mul => Value::Signed(x.wrapping_mul(y)),
        Div if y == 0 => return Err(Fault { span, text: "this is zero", division: true }),
        Div => Value::Signed(x.wrapping_div(y)),
        Add => Value::Signed(x.wrapping_add(y)),
        Sub => Value::Signed(x.wrapping_sub(y)),
        Shr => Value::Signed(x >> (y as u64).min(63)),
        Lt => truth(x < y),
        Gt => truth(x > y),
        Le => truth(x <= y),
        Ge => truth(x >= y),
        Shl | And | Xor | Or => {
            let bits = unsigned(op, Value::Unsigned(x as u64), Value::Unsigned(y as u64), span)?;
            Value::Signed(bits.bits().unwrap_or_default() as i64)
        }
        Rem | Eq | Ne | LogicalAnd | LogicalOr => {
            return unsigned(op, Value::Unsigned(x as u64), Value::Unsigned(y as u64), span);
        }
    })
}

/// At least one side is unsigned, or signs make no difference; a shift keeps its left side's type.
fn unsigned(op: BinaryOp, a: Value, b: Value, span: Span) -> Result<Value, Fault> {
    use BinaryOp::*;
    let (x, y) = (a.bits().unwrap_or_default(), b.bits().unwrap_or_default());
    let shift = y.min(64) as u32;
    Ok(match op {
        Div | Rem if y == 0 => return Err(Fault { span, text: "this is zero", division: true }),
        Mul => Value::Unsigned(x.wrapping_mul(y)),
        Div => Value::Unsigned(x / y),
        Rem => Value::Signed((x % y) as i64),
        Add => Value::Unsigned(x.wrapping_add(y)),
        Sub => Value::Unsigned(x.wrapping_sub(y)),
        Shl | Shr => match (a, op) {
            (Value::Signed(v), Shl) => Value::Signed(v.checked_shl(shift).unwrap_or(0)),
            (Value::Signed(v), _) => Value::Signed(v >> shift.min(63)),
            (_, Shl) => Value::Unsigned(x.checked_shl(shift).unwrap_or(0)),
            (_, _) => Value::Unsigned(x.checked_shr(shift).unwrap_or(0)),
        },
        Lt => truth(x < y),
        Gt => truth(x > y),
        Le => truth(x <= y),
        Ge => truth(x >= y),
        Eq => truth(x == y),
        Ne => truth(x != y),
        And => Value::Unsigned(x & y),
        Xor => Value::Unsigned(x ^ y),
        Or => Value::Unsigned(x | y),
        LogicalAnd => truth(x != 0 && y != 0),
        LogicalOr => truth(x != 0 || y != 0),
    })
}

fn truth(holds: bool) -> Value {
    Value::Signed(holds.into())
}

fn ternary(condition: &Expr, yes: &Expr, no: &Expr) -> Result<Value, Fault> {
    let not_integer = || fault(condition.span, "the condition must be an integer");
    let condition = evaluate(condition)?.bits().ok_or_else(not_integer)?;
    let (a, b) = (evaluate(yes)?, evaluate(no)?);
    let chosen = if condition != 0 { a } else { b };
    match (a, b) {
        (Value::Float(..), Value::Float(..)) | (Value::Signed(_), Value::Signed(_)) => Ok(chosen),
        (Value::Float(..), _) | (_, Value::Float(..)) => {
            Err(fault(no.span, "integers and floating-point numbers cannot be mixed"))
        }
        _ => Ok(Value::Unsigned(chosen.bits().unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::OperandKind;

    fn value(text: &str) -> Result<Value, Fault> {
        let (instruction, diagnostics) = crate::parse_statement(&format!("mov {text};"));
        assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
        match &instruction.unwrap().operands[0].kind {
            OperandKind::Constant(expr) => evaluate(expr),
            other => panic!("{text}: {other:?}"),
        }
    }

    fn integer(text: &str) -> i128 {
        value(text).unwrap().exact().unwrap()
    }

    #[test]
    fn precedences_are_c_s() {
        for (text, expected) in [
            ("1+2*3", 7),
            ("(1+2)*3", 9),
            ("1<<2+1", 8),
            ("7&3==3", 1),
            ("1|2^3&1", 3),
            ("-3+5", 2),
            ("10-4-3", 3),
            ("100/7/2", 7),
            ("1?2:3?4:5", 2),
            ("0?2:0?4:5", 5),
            ("!5", 0),
            ("!0", 1),
            ("2>1 && 1>2", 0),
            ("WARP_SZ*2", 64),
        ] {
            assert_eq!(integer(text), expected, "{text}");
        }
    }

    #[test]
    fn one_unsigned_side_makes_the_operation_unsigned() {
        assert_eq!(integer("-1 < 1"), 1);
        assert_eq!(integer("-1 < 1U"), 0);
        assert_eq!(integer("-6/2"), -3);
        assert_eq!(integer("-6/2U"), (u64::MAX - 5) as i128 / 2);
        assert_eq!(integer("0xffffffffffffffff"), u64::MAX.into());
        assert_eq!(integer("(.s64) 0xffffffffffffffff"), -1);
        assert_eq!(integer("(.u64) -1 >> 63"), 1);
        assert_eq!(integer("-1 >> 63"), -1);
        assert_eq!(integer("~0"), u64::MAX.into());
        assert_eq!(integer("1 ? -1 : 1U"), u64::MAX.into());
    }

    #[test]
    fn the_remainder_takes_its_operands_as_unsigned() {
        assert_eq!(integer("-1 % 16"), 15);
    }

    #[test]
    fn shifts_beyond_the_width_leave_nothing_but_the_sign() {
        assert_eq!(integer("1 << 64"), 0);
        assert_eq!(integer("1 << 63"), i64::MIN.into());
        assert_eq!(integer("-1 >> 100"), -1);
        assert_eq!(integer("1U >> 64"), 0);
        assert_eq!(integer("1 << -1"), 0);
    }

    #[test]
    fn division_by_zero_has_no_value() {
        assert!(value("1/0").unwrap_err().division && value("1%(2-2)").unwrap_err().division);
        assert_eq!(integer("-0x8000000000000000 / -1"), 0);
    }

    #[test]
    fn floats_keep_to_themselves() {
        assert_eq!(value("1.5*2.0"), Ok(Value::Float(3.0, None)));
        assert_eq!(value("1.5 < 2.0"), Ok(Value::Signed(1)));
        assert!(value("1.5 + 1").is_err() && value("~1.5").is_err() && value("1.0 ? 1 : 2").is_err());
        assert_eq!(value("0f3F800000"), Ok(Value::Float(1.0, Some(0x3f80_0000))));
        assert_eq!(value("-1.5"), Ok(Value::Float(-1.5, None)));
    }
}
