//! Textures, samplers and surfaces as variables and parameters (manual, section 5.3).

use super::Checker;
use super::layout::Layout;
use crate::ast::{Expr, ExprKind, Initializer, Name, Word};
use crate::diag::{Diagnostic, codes};
use margay_isa::texture::{AddressMode, ChannelFormat, SamplerState, Texels, TextureDescriptor};
use margay_isa::{Floor, Handle};

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

/// Bytes of descriptions that a variable starts with, at most.
const MOST_DESCRIBED: u64 = 1 << 20;

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

    /// The bytes that a variable of an opaque type starts with: samplers are what they say, or read the nearest texel; textures and
    /// surfaces are none yet, but for what a texture says of its sampler.
    pub(super) fn described(&mut self, layout: &Layout, initializer: Option<&Initializer>) -> Vec<u8> {
        let mut sampler = SamplerState::default();
        if let Some(initializer) = initializer {
            self.properties(initializer, &mut sampler);
        }
        let texels = Texels { height: 0, ..Texels::plane(0, 0, 0, ChannelFormat::F32, 1) };
        let one = match layout.handle {
            Some(kind @ Handle::Sampler) => TextureDescriptor { kind, texels, sampler },
            Some(kind @ Handle::Texture) if initializer.is_some() => {
                TextureDescriptor { kind, texels, sampler }
            }
            _ => return Vec::new(),
        };
        let count = layout.size.min(MOST_DESCRIBED) as usize / TextureDescriptor::BYTES;
        one.to_bytes().repeat(count)
    }

    /// `{ filter_mode = nearest, addr_mode_0 = wrap }`
    fn properties(&mut self, initializer: &Initializer, sampler: &mut SamplerState) {
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
                Initializer::Property(name, value) => self.property(name, value, sampler),
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

    fn property(&mut self, name: &Name, value: &Expr, sampler: &mut SamplerState) {
        let Some((_, values)) = PROPERTIES.iter().find(|(known, _)| *known == name.text) else {
            let message = format!("unknown property `{}`", name.text);
            return self.error(codes::INITIAL, name.span, message, "no such property");
        };
        match &value.kind {
            ExprKind::Symbol(symbol) if values.contains(&symbol.text.as_str()) => {
                set(sampler, &name.text, &symbol.text);
            }
            _ if values.is_empty() => {
                let number = self.integer(value).unwrap_or_default();
                match &*name.text {
                    "normalized_coords" => sampler.is_normalized = number != 0,
                    "force_unnormalized_coords" if number != 0 => sampler.is_normalized = false,
                    // The rest is known when a texture is bound to the variable.
                    _ => {}
                }
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

/// Gives a sampler the value of a property.
fn set(sampler: &mut SamplerState, property: &str, value: &str) {
    let mode = match value {
        "wrap" => AddressMode::Wrap,
        "mirror" => AddressMode::Mirror,
        "clamp_to_border" => AddressMode::Border,
        _ => AddressMode::Clamp,
    };
    match property {
        "filter_mode" => sampler.is_linear = value == "linear",
        "addr_mode_0" => sampler.address_modes[0] = mode,
        "addr_mode_1" => sampler.address_modes[1] = mode,
        "addr_mode_2" => sampler.address_modes[2] = mode,
        _ => {}
    }
}
