//! Arguments as they are given: those whose kind is unknown are judged once the kernel is known, whose parameter they may name.

use margay::arg::Argument;
use margay::element::Element;
use margay::problem::Problem;
use margay::shape::Shape;
use margay_front::module::{Function, Parameter};

use super::options::one_text;

/// What follows `--arg`.
#[derive(Clone, Debug)]
pub enum Given {
    /// An argument.
    Known(Argument),
    /// What is of no kind that there is.
    Unknown {
        /// What precedes `=`.
        kind: String,
        /// What follows `=`.
        rest: String,
        /// What is wrong with it, whatever the kernel.
        problem: Problem,
    },
}

/// For the command line, where an error is one text.
pub fn given(text: &str) -> Result<Given, String> {
    match (text.parse::<Argument>(), Argument::unknown_kind(text), text.split_once('=')) {
        (Ok(argument), ..) => Ok(Given::Known(argument)),
        (Err(problem), Some(kind), Some((_, rest))) => {
            let (kind, rest) = (kind.to_string(), rest.trim().to_string());
            Ok(Given::Unknown { kind, rest, problem })
        }
        (Err(problem), ..) => Err(one_text(&problem)),
    }
}

impl Given {
    /// The argument, if it is one. The help of a name in the place of a kind says what to write for that parameter.
    pub fn known(&self, kernel: &Function) -> Result<&Argument, Problem> {
        let (kind, rest, problem) = match self {
            Given::Known(argument) => return Ok(argument),
            Given::Unknown { kind, rest, problem } => (kind, rest, problem),
        };
        let named = kernel.parameters.iter().enumerate().find(|(_, parameter)| parameter.name == *kind);
        Err(match named {
            None => problem.clone(),
            Some((at, parameter)) => Problem::new(&problem.message).help(format!(
                "`{kind}` is parameter {}, a `{}`: arguments stand in the order of the parameters, without names; \
                 write {}",
                at + 1,
                parameter.element,
                instead(rest, parameter),
            )),
        })
    }
}

/// What to write for a parameter after whose name this was written.
fn instead(rest: &str, parameter: &Parameter) -> String {
    let value = || {
        let element = parameter.element.to_string();
        let name = element.trim_start_matches('.');
        Element::named(name)?.bits_of(rest).ok().map(|_| format!("`--arg {name}={rest}`"))
    };
    let buffer = || {
        let shape = rest.parse::<Shape>().ok()?;
        Some(format!("`--arg zero={shape}`, or `--arg out=FILE:{shape}` to see it"))
    };
    match rest.parse::<Argument>() {
        Ok(_) => format!("`--arg {rest}`"),
        Err(_) if parameter.is_array => "`--arg bytes=HEX`".to_string(),
        Err(_) => value().or_else(buffer).unwrap_or_else(|| match parameter.size {
            8 => "`--arg in=FILE`, `--arg out=FILE:u32[N]`, `--arg inout=FILE:FILE` or `--arg zero=u32[N]`"
                .to_string(),
            _ => format!("`--arg {}=VALUE`", parameter.element.to_string().trim_start_matches('.')),
        }),
    }
}
