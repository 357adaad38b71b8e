//! What can go wrong before a kernel runs, and the sum of all errors.

use crate::trap::Trap;
use margay_front::module::{FunctionId, InstructionId, VariableId};
use std::fmt;

/// Why a launch gave no result.
#[derive(Clone, PartialEq, Debug)]
pub enum Error {
    /// The call was wrong; nothing ran.
    Launch(LaunchError),
    /// The kernel went wrong, or was stopped.
    Trap(Box<Trap>),
}

/// A wrong call: nothing ran.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LaunchError {
    /// The code of the diagnostic, where there is one.
    pub code: Option<&'static str>,
    /// Whose fault it is.
    pub kind: Refusal,
    /// What is wrong, as one phrase.
    pub message: String,
    /// Places in the module that are at fault, each with what is wrong there.
    pub places: Vec<Place>,
    /// The variable that it is about; `Variable::span` has its place in the text.
    pub variable: Option<VariableId>,
    /// What to do instead.
    pub help: Option<String>,
}

/// What stands in the way of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Refusal {
    /// The call: a shape that is not allowed, parameters that do not fit, a kernel that is none.
    #[default]
    Call,
    /// Memory: the device, the system or the address space has no room.
    Room,
    /// The kernel: it can reach what margay does not run, or a function that is defined nowhere.
    Kernel,
}

/// An instruction of a module, and what is to be said of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The function.
    pub function: FunctionId,
    /// The instruction; `Function::spans` has its place in the text.
    pub instruction: InstructionId,
    /// What is wrong there.
    pub text: String,
}

impl LaunchError {
    /// An error without a place.
    pub fn new(message: impl Into<String>) -> LaunchError {
        LaunchError {
            code: None,
            kind: Refusal::default(),
            message: message.into(),
            places: Vec::new(),
            variable: None,
            help: None,
        }
    }

    /// Adds what to do instead.
    pub fn help(self, text: impl Into<String>) -> LaunchError {
        LaunchError { help: Some(text.into()), ..self }
    }

    pub(crate) fn about(self, variable: VariableId) -> LaunchError {
        LaunchError { variable: Some(variable), ..self }
    }

    pub(crate) fn kind(self, kind: Refusal) -> LaunchError {
        LaunchError { kind, ..self }
    }

    pub(crate) fn code(self, code: &'static str) -> LaunchError {
        LaunchError { code: Some(code), ..self }
    }

    pub(crate) fn place(mut self, place: Place) -> LaunchError {
        self.places.push(place);
        self
    }
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Launch(error) => error.fmt(f),
            Error::Trap(trap) => trap.fmt(f),
        }
    }
}

impl std::error::Error for LaunchError {}
impl std::error::Error for Error {}

impl From<LaunchError> for Error {
    fn from(error: LaunchError) -> Error {
        Error::Launch(error)
    }
}
