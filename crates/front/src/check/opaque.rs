//! Textures, samplers and surfaces as variables and parameters (manual, section 5.3).

use super::Checker;
use crate::ast::{Expr, ExprKind, Initializer, Name, Word};
use crate::diag::{Diagnostic, codes};
use margay_isa::Floor;

const OPAQUE_TYPES: Floor = Floor::new(1, 5, 10);

/// The properties of samplers, and of textures in unified mode, and the names of their values; those without names are numbers.
const PROPERTIES: &[(&str, &[&str])] = &[
    ("width", &[]),
    ("height", &[]),
    ("depth", &[]),
    ("array_size", &[]),
    ("num_mipmap_levels", &[]),
    ("num_samples", &[]),
    ("channel_data_type", &[]),
    ("channel_order", &[]),
    ("normalized_coords", &[]),
    ("force_unnormalized_coords", &[]),
    ("filter_mode", &["nearest", "linear"]),
    ("addr_mode_0", ADDRESS_MODES),
    ("addr_mode_1", ADDRESS_MODES),
    ("addr_mode_2", ADDRESS_MODES),
];

const ADDRESS_MODES: &[&str] = &["wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border"];

impl Checker {
    /// Whether a texture, sampler or surface may be declared with this type, at module scope or as a kernel's parameter.
    pub(super) fn opaque_type(&mut self, ty: &Word, name: &Name, may_stand: bool) {
        self.need(&format!(".{}", ty.text), OPAQUE_TYPES, ty.span);
        if !may_stand && self.environment.judged {
            let message = format!("`{}` is declared inside a function", name.text);
            let diagnostic = Diagnostic::error(codes::BAD_SPACE, message)
                .label(ty.span, "not allowed for variables of functions");
            self.report(
                diagnostic.help("declare it outside of functions, in `.global`, or as a kernel's parameter"),
            );
        }
        if ty.text == "samplerref" && !self.environment.independent_textures && self.environment.judged {
            let diagnostic =
                Diagnostic::error(codes::TEXTURE_MODE, "separate samplers need `texmode_independent`");
            let diagnostic = diagnostic.label(ty.span, "textures contain their samplers here");
            self.report(diagnostic.help("write `.target sm_90, texmode_independent`"));
        }
    }

    /// `{ filter_mode = nearest, addr_mode_0 = wrap }`
    pub(super) fn properties(&mut self, initializer: &Initializer) {
        let Initializer::List(items, _) = initializer else {
            let span = match initializer {
                Initializer::Value(expr) => expr.span,
                Initializer::Property(name, _) => name.span,
                Initializer::List(_, span) => *span,
            };
            return self.error(codes::INITIAL, span, "expected a list of properties", "not `NAME = VALUE`");
        };
        for item in items {
            match item {
                Initializer::Property(name, value) => self.property(name, value),
                other => self.properties_only(other),
            }
        }
    }

    fn properties_only(&mut self, item: &Initializer) {
        let span = match item {
            Initializer::Value(expr) => expr.span,
            Initializer::Property(name, _) => name.span,
            Initializer::List(_, span) => *span,
        };
        self.error(codes::INITIAL, span, "expected a property", "expected `NAME = VALUE`");
    }

    fn property(&mut self, name: &Name, value: &Expr) {
        let Some((_, values)) = PROPERTIES.iter().find(|(known, _)| *known == name.text) else {
            let message = format!("unknown property `{}`", name.text);
            return self.error(codes::INITIAL, name.span, message, "no such property");
        };
        match &value.kind {
            ExprKind::Symbol(symbol) if values.contains(&symbol.text.as_str()) => {}
            _ if values.is_empty() => {
                self.integer(value);
            }
            _ => {
                let message = format!("unknown value of `{}`", name.text);
                let diagnostic = Diagnostic::error(codes::INITIAL, message)
                    .label(value.span, "not a value of this property");
                self.report(diagnostic.help(format!("the values are {}", values.join(", "))));
            }
        }
    }
}
