//! A call that failed: the result that it answers, and what the link's log says.

use margay_doors::image::Unusable;
use margay_doors::problem::Problem;

/// What a call gives inside the library.
pub type Answer<T = ()> = Result<T, Failed>;

/// A result, by its number in `nvJitLink.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(pub u32);

impl Code {
    pub const SUCCESS: Code = Code(0);
    pub const UNRECOGNIZED_OPTION: Code = Code(1);
    pub const MISSING_ARCH: Code = Code(2);
    pub const INVALID_INPUT: Code = Code(3);
    pub const PTX_COMPILE: Code = Code(4);
    pub const INTERNAL: Code = Code(6);
    pub const UNRECOGNIZED_INPUT: Code = Code(8);
    pub const NULL_INPUT: Code = Code::later(10);
    pub const INCOMPATIBLE_OPTIONS: Code = Code::later(11);
    pub const INCORRECT_INPUT_TYPE: Code = Code::later(12);

    /// A result that version 12 does not have: there it is an invalid input.
    const fn later(code: u32) -> Code {
        if cfg!(major = "12") { Code::INVALID_INPUT } else { Code(code) }
    }
}

/// A failure.
#[derive(Clone, Debug)]
pub struct Failed {
    pub code: Code,
    /// Whole lines for the log.
    pub text: String,
}

impl From<Code> for Failed {
    fn from(code: Code) -> Failed {
        Failed { code, text: String::new() }
    }
}

impl Failed {
    /// A failure that the log tells.
    pub fn told(code: Code, problem: &Problem) -> Failed {
        Failed { code, text: problem.lines() }
    }
}

/// What an input that cannot be used is to the linker.
impl From<Unusable> for Failed {
    fn from(unusable: Unusable) -> Failed {
        match unusable {
            Unusable::MachineCode(problem) => Failed::told(Code::UNRECOGNIZED_INPUT, &problem),
            Unusable::Later(arch, problem) => {
                Failed::told(Code::PTX_COMPILE, &problem.help(format!("link with `-arch={arch}`")))
            }
            Unusable::Damaged(problem) => Failed::told(Code::INCORRECT_INPUT_TYPE, &problem),
            Unusable::Errors(text) => Failed { code: Code::INTERNAL, text },
        }
    }
}
