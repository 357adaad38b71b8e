//! Constants as operands: which an operand takes, and their bits.

use super::Checker;
use super::constant::{Value, evaluate};
use super::operand::{Site, fitting};
use crate::ast::Expr;
use crate::diag::{Diagnostic, codes};
use crate::module::Operand;
use crate::source::Span;
use margay_isa::{Bits, Immediate, Kind, Role, Ty, TypeRule, Zero};

/// The bits of a floating-point number at a width of 16, 32 or 64; a lone `0f` constant keeps its own at 32.
pub(super) fn float_bits(value: Value, width: u32) -> Bits {
    match (value, width) {
        (Value::Float(_, Some(bits)), 32) => bits.into(),
        (Value::Float(number, _), 32) => (number as f32).to_bits().into(),
        (Value::Float(number, _), 64) => number.to_bits().into(),
        _ => 0,
    }
}

/// Values as a phrase: `4, 8 or 16`.
fn listed(values: &[i128]) -> String {
    let texts: Vec<_> = values.iter().map(i128::to_string).collect();
    match texts.as_slice() {
        [before @ .., last] if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        _ => texts.concat(),
    }
}

impl Checker {
    /// The value of a constant expression; reports why it has none.
    pub(super) fn value(&mut self, expr: &Expr) -> Option<Value> {
        match evaluate(expr) {
            Ok(value) => Some(value),
            Err(fault) if fault.division => {
                self.error(codes::DIVISION, fault.span, "division by zero in a constant", fault.text);
                None
            }
            Err(fault) => {
                self.error(
                    codes::CONSTANT_KIND,
                    fault.span,
                    "constant expression cannot be evaluated",
                    fault.text,
                );
                None
            }
        }
    }

    /// The low `width` bits of an integer; warns if that changes its value.
    pub(super) fn cut(&mut self, value: Value, width: u32, span: Span) -> Bits {
        let bits = value.bits().unwrap_or_default();
        let exact = value.exact().unwrap_or_default();
        if width >= 64 {
            let sign = if exact < 0 && width > 64 { !0 << 64 } else { 0 };
            return Bits::from(bits) | sign;
        }
        let cut = Bits::from(bits) & ((1 << width) - 1);
        if exact >= 1 << width || exact < -(1 << (width - 1)) {
            let message = format!("constant {exact} does not fit in {width} bits");
            let label = format!("only its low {width} bits are used: {cut}");
            self.report(Diagnostic::warning(codes::TRUNCATED, message).label(span, label));
        }
        cut
    }

    /// A constant as an operand.
    pub(super) fn immediate(&mut self, site: &Site, expr: &Expr) -> Option<Operand> {
        if site.operand.role == Role::Destination {
            let message =
                format!("operand `{}` of `{}` is written, so it cannot be a constant", site.name, site.inst);
            self.error(codes::DESTINATION, expr.span, message, "expected a register");
            return None;
        }
        let value = self.value(expr)?;
        let place = matches!(
            site.operand.ty,
            TypeRule::Label | TypeRule::Address | TypeRule::TensorAddress(_) | TypeRule::Handle(_)
        );
        if place || (site.want.is_none() && site.operand.immediate == Immediate::No) {
            return self.wrong_place(site, expr.span);
        }
        let Some(ty) = site.want else {
            return match value.bits() {
                Some(bits) => Some(Operand::Immediate(Bits::from(bits).into())),
                None => Some(Operand::Immediate(float_bits(value, 64).into())),
            };
        };
        let bits = match (site.operand.immediate, value) {
            _ if ty.lanes > 1 => return self.no_constant(site, expr.span, ty),
            (Immediate::No, _) => return self.no_constant(site, expr.span, ty),
            (Immediate::Integer | Immediate::Number, Value::Float(_, single)) if ty.kind == Kind::Untyped => {
                match (ty.bits, single) {
                    (32, Some(_)) | (64, None) => float_bits(value, ty.bits),
                    _ => return self.wrong_constant(site, expr.span, ty),
                }
            }
            (Immediate::Integer, Value::Float(..)) => return self.wrong_constant(site, expr.span, ty),
            (Immediate::Share, Value::Float(..)) => {
                let bits = float_bits(value, ty.bits);
                let share = f32::from_bits(bits as u32);
                if !(share > 0.0 && share <= 1.0) {
                    let message = format!(
                        "constant {share} is out of range for operand `{}` of `{}`",
                        site.name, site.inst
                    );
                    self.error(codes::OUT_OF_RANGE, expr.span, message, "it must be above 0 and at most 1");
                    return None;
                }
                bits
            }
            (Immediate::Share, _) => return self.wrong_constant(site, expr.span, ty),
            (Immediate::AtMost(_), Value::Float(..)) => return self.wrong_constant(site, expr.span, ty),
            (Immediate::Integer | Immediate::AtMost(_), _) => self.cut(value, ty.width(), expr.span),
            (Immediate::Range(least, most) | Immediate::Only(least, most), _) => {
                self.in_range(site, expr, value, least, most, ty)?
            }
            (Immediate::OneOf(values) | Immediate::Among(values), _) => {
                let label = format!("it must be {}", listed(values));
                self.in_set(site, expr, value, |v| values.contains(&v), label, ty)?
            }
            (Immediate::Multiple(n, zero), _) => {
                let zero_fits = zero == Zero::Taken;
                let label =
                    format!("it must be a multiple of {n}{}", if zero_fits { "" } else { ", and not 0" });
                self.in_set(site, expr, value, |v| v % n == 0 && (v != 0 || zero_fits), label, ty)?;
                self.cut(value, ty.width(), expr.span)
            }
            (Immediate::Steps(n, least, most), _) => {
                let label = format!("it must be a multiple of {n} from {least} to {most}");
                self.in_set(site, expr, value, |v| v % n == 0 && (least..=most).contains(&v), label, ty)?
            }
            (Immediate::UpTo(_), _) => {
                let mask = ty.mask();
                let label = format!("it must be from 0 to {mask}");
                self.in_set(site, expr, value, |v| v >= 0 && v as Bits <= mask, label, ty)?
            }
            (Immediate::Number, Value::Float(..)) => match (ty.kind, ty.lanes, ty.bits) {
                (Kind::Float, 1, 32 | 64) => float_bits(value, ty.bits),
                _ => return self.wrong_constant(site, expr.span, ty),
            },
            (Immediate::Number, _) => match ty.kind {
                Kind::Float | Kind::OtherFloat => return self.wrong_constant(site, expr.span, ty),
                Kind::Predicate => (value.bits() != Some(0)).into(),
                Kind::Unsigned | Kind::Signed | Kind::Untyped => self.cut(value, ty.width(), expr.span),
            },
        };
        Some(Operand::Immediate(bits.into()))
    }

    fn in_range(
        &mut self,
        site: &Site,
        expr: &Expr,
        value: Value,
        least: i128,
        most: i128,
        ty: Ty,
    ) -> Option<Bits> {
        let label = format!("it must be from {least} to {most}");
        self.in_set(site, expr, value, |v| (least..=most).contains(&v), label, ty)
    }

    /// The bits of a constant that is one of those that the operand takes.
    fn in_set(
        &mut self,
        site: &Site,
        expr: &Expr,
        value: Value,
        takes: impl Fn(i128) -> bool,
        label: String,
        ty: Ty,
    ) -> Option<Bits> {
        let Some(exact) = value.exact() else { return self.wrong_constant(site, expr.span, ty) };
        if !takes(exact) {
            let message =
                format!("constant {exact} is out of range for operand `{}` of `{}`", site.name, site.inst);
            self.error(codes::OUT_OF_RANGE, expr.span, message, label);
            return None;
        }
        let mask = if ty.width() >= 128 { Bits::MAX } else { (1 << ty.width()) - 1 };
        Some(exact as Bits & mask)
    }

    fn no_constant<T>(&mut self, site: &Site, span: Span, ty: Ty) -> Option<T> {
        let message = format!("operand `{}` of `{}` cannot be a constant", site.name, site.inst);
        let diagnostic = Diagnostic::error(codes::NO_CONSTANT, message).label(span, "expected a register");
        self.report(diagnostic.help(format!(
            "move the constant into a register of type {} first",
            fitting(site.operand.ty, ty)
        )));
        None
    }

    fn wrong_place<T>(&mut self, site: &Site, span: Span) -> Option<T> {
        let message = format!("operand `{}` of `{}` cannot be a constant", site.name, site.inst);
        self.error(codes::NO_CONSTANT, span, message, "expected a name");
        None
    }

    fn wrong_constant<T>(&mut self, site: &Site, span: Span, ty: Ty) -> Option<T> {
        let wanted = match (ty.kind, ty.lanes, ty.bits) {
            (Kind::Float, 1, 32) => "expected a floating-point constant such as `1.0` or `0f3f800000`",
            (Kind::Float, 1, 64) => {
                "expected a floating-point constant such as `1.0` or `0d3ff0000000000000`"
            }
            (Kind::Float | Kind::OtherFloat, ..) => "this type has no constants: expected a register",
            (Kind::Untyped, 1, 32) => "expected an integer or the bits of a number such as `0f3f800000`",
            (Kind::Untyped, 1, 64) => "expected an integer or a binary64 number such as `1.0`",
            _ => "expected an integer",
        };
        let message = format!("wrong kind of constant for operand `{}` of `{}`", site.name, site.inst);
        self.error(codes::CONSTANT_KIND, span, message, wanted);
        None
    }
}
