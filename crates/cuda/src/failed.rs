//! A call that failed: the code that it answers, and what is told on standard error.

use crate::results::Code;
use margay_doors::problem::Problem;
use margay_exec::memory::Fault;
use margay_exec::{LaunchError, Refusal};

/// What a call gives inside the library.
pub type Answer<T = ()> = Result<T, Failed>;

/// A failure.
#[derive(Clone, Debug)]
pub struct Failed {
    pub code: Code,
    /// Whole lines for standard error; empty where the code says it all, since programs try calls out.
    pub text: String,
}

impl From<Code> for Failed {
    fn from(code: Code) -> Failed {
        Failed { code, text: String::new() }
    }
}

impl Failed {
    /// A failure that is told.
    pub fn told(code: Code, problem: &Problem) -> Failed {
        Failed { code, text: problem.lines() }
    }

    /// The same with a message alone.
    pub fn because(code: Code, message: impl Into<String>) -> Failed {
        Failed::told(code, &Problem::new(message))
    }
}

/// Bytes that the host wants to copy and that do not all lie in one allocation.
impl From<Fault> for Failed {
    fn from(fault: Fault) -> Failed {
        let help = fault.help().map(str::to_string);
        Failed::told(Code::INVALID_VALUE, &Problem { message: fault.to_string(), help })
    }
}

/// What a refusal is to CUDA.
pub fn code_of(error: &LaunchError) -> Code {
    match error.kind {
        Refusal::Call => Code::INVALID_VALUE,
        Refusal::Room => Code::OUT_OF_MEMORY,
        Refusal::Kernel => Code::NOT_SUPPORTED,
    }
}

impl From<LaunchError> for Failed {
    fn from(error: LaunchError) -> Failed {
        Failed::told(code_of(&error), &Problem { help: error.help.clone(), message: error.message })
    }
}
