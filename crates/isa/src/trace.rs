//! A record of the stages an instruction went through, for `--explain`.

use crate::float::{Format, Real, Shown};
use crate::types::{Bits, Ty};

/// One named stage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The stage as the manual calls it.
    pub name: &'static str,
    /// The element it belongs to, for element-wise stages.
    pub element: Option<u32>,
    /// What came of it.
    pub value: Staged,
    /// How the value came to be, where that helps.
    pub note: String,
}

/// The value of a stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Staged {
    /// An exact number.
    Number(i128),
    /// A pattern of so many bits: masks, fields, what is shown in hex.
    Pattern(Bits, u32),
    /// A number that an operation on floating-point numbers takes or gives before it is rounded.
    Real(Real),
    /// A pattern of a floating-point format.
    Float(Bits, &'static Format),
}

/// Shows numbers in decimal, those of a floating-point format with as many digits as tell them apart, and patterns in hex with all
/// digits of their width.
///
/// ```
/// use margay_isa::Staged;
/// assert_eq!(Staged::Number(-3).to_string(), "-3");
/// assert_eq!(Staged::Pattern(0xff0, 32).to_string(), "0x00000ff0");
/// ```
impl std::fmt::Display for Staged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Staged::Number(number) => number.fmt(f),
            Staged::Real(real) => real.fmt(f),
            Staged::Float(bits, format) => Shown { format, bits }.fmt(f),
            Staged::Pattern(bits, width) => {
                write!(f, "0x{bits:0digits$x}", digits = width.div_ceil(4) as usize)
            }
        }
    }
}

/// Collects stages, or costs next to nothing when nobody asks.
#[derive(Default, Debug)]
pub struct Trace {
    steps: Option<Vec<Step>>,
}

impl Trace {
    /// A trace that records nothing.
    pub fn off() -> Trace {
        Trace { steps: None }
    }

    /// A trace that records every stage.
    pub fn on() -> Trace {
        Trace { steps: Some(Vec::new()) }
    }

    /// Records a number and passes it on.
    pub fn step(&mut self, name: &'static str, value: i128) -> i128 {
        self.noted(name, None, value, String::new)
    }

    /// Records the number of one element and passes it on.
    pub fn element(&mut self, name: &'static str, element: u32, value: i128) -> i128 {
        self.noted(name, Some(element), value, String::new)
    }

    /// Records a number that has to fit a type, says where it does not, and passes it on.
    pub fn exact(&mut self, name: &'static str, element: Option<u32>, ty: Ty, value: i128) -> i128 {
        self.noted(name, element, value, || match ty.clamp(value) == value {
            true => String::new(),
            false => format!("does not fit {}", ty.element()),
        })
    }

    /// Records a number with a word on how it came to be, and passes it on.
    pub fn noted(
        &mut self,
        name: &'static str,
        element: Option<u32>,
        value: i128,
        note: impl FnOnce() -> String,
    ) -> i128 {
        self.record(name, element, Staged::Number(value), note);
        value
    }

    /// Records a pattern of so many bits and passes it on.
    pub fn pattern(&mut self, name: &'static str, bits: Bits, width: u32) -> Bits {
        self.record(name, None, Staged::Pattern(bits, width), String::new);
        bits
    }

    /// Records what an operation on floating-point numbers takes or gives, with a word on it.
    pub fn real(
        &mut self,
        name: &'static str,
        element: Option<u32>,
        value: Real,
        note: impl FnOnce() -> String,
    ) {
        self.record(name, element, Staged::Real(value), note);
    }

    /// Records a floating-point number with a word on how it came to be, and passes it on.
    pub fn float(
        &mut self,
        name: &'static str,
        element: Option<u32>,
        format: &'static Format,
        bits: Bits,
        note: impl FnOnce() -> String,
    ) -> Bits {
        self.record(name, element, Staged::Float(bits, format), note);
        bits
    }

    /// Whether anything is recorded.
    pub fn is_on(&self) -> bool {
        self.steps.is_some()
    }

    fn record(
        &mut self,
        name: &'static str,
        element: Option<u32>,
        value: Staged,
        note: impl FnOnce() -> String,
    ) {
        if let Some(steps) = &mut self.steps {
            steps.push(Step { name, element, value, note: note() });
        }
    }

    /// What was recorded, in order.
    pub fn steps(&self) -> &[Step] {
        self.steps.as_deref().unwrap_or(&[])
    }
}
