//! What evidence stands behind the results of a form.

use std::fmt;

/// What evidence stands behind the results of a form.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fidelity {
    /// The manual leaves no choice, or an erratum says which one is made.
    Exact,
    /// A model of the device gives the results; it has been compared with devices on all operands.
    Device,
    /// A model of the device gives the results; nobody has compared it with devices on all operands.
    Model,
}

impl Fidelity {
    /// It in a word.
    pub fn name(self) -> &'static str {
        match self {
            Fidelity::Exact => "exact",
            Fidelity::Device => "device",
            Fidelity::Model => "model",
        }
    }
}

/// Says it in a few words.
///
/// ```
/// use margay_isa::{Fidelity, Shape, select};
/// let sine = select("sin", &["approx", "f32"], &[Shape::default(); 2]).unwrap().unwrap();
/// assert_eq!(sine.fidelity(), Fidelity::Device);
/// assert_eq!(sine.fidelity().to_string(), "the device's bits, by a model validated on devices");
/// ```
impl fmt::Display for Fidelity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fidelity::Exact => "exact by the manual",
            Fidelity::Device => "the device's bits, by a model validated on devices",
            Fidelity::Model => "by a model of the device that is not validated",
        })
    }
}
