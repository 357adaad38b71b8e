//! Why a call failed: a status for programs, and a text for people in the form in which the command shows its own.

use margay_doors::problem::Problem;
use margay_exec::LaunchError;
use margay_exec::memory::Fault;
use std::ffi::c_int;

/// The call did what it should.
pub const MARGAY_OK: c_int = 0;
/// An argument of the call is wrong: null, out of range, a name that does not exist.
pub const MARGAY_WRONG_CALL: c_int = 1;
/// The source is not valid PTX.
pub const MARGAY_INVALID_PTX: c_int = 2;
/// The call was right, and cannot be carried out: no room, or a kernel that margay does not run.
pub const MARGAY_REFUSED: c_int = 3;
/// The kernel went wrong and was stopped.
pub const MARGAY_TRAP: c_int = 4;
/// The bytes to be read or written do not all lie in one allocation.
pub const MARGAY_FAULT: c_int = 5;
/// A fault of margay's own: please report it.
pub const MARGAY_BUG: c_int = 6;

/// A call that failed.
#[derive(Debug)]
pub struct Failure {
    pub status: c_int,
    /// Whole lines.
    pub text: String,
}

impl Failure {
    pub fn wrong_call(message: impl Into<String>) -> Failure {
        Failure::of(MARGAY_WRONG_CALL, &Problem::new(message))
    }

    pub fn of(status: c_int, problem: &Problem) -> Failure {
        Failure { status, text: problem.lines() }
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Failure {
        Failure::of(MARGAY_WRONG_CALL, &problem)
    }
}

impl From<LaunchError> for Failure {
    fn from(error: LaunchError) -> Failure {
        Failure::of(MARGAY_REFUSED, &Problem { message: error.message, help: error.help })
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Failure {
        let help = fault.help().map(str::to_string);
        Failure::of(MARGAY_FAULT, &Problem { message: fault.to_string(), help })
    }
}
