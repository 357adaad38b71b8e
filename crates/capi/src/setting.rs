//! What the environment says: what becomes of failures (`MARGAY_ON_ERROR`), and whose semantics `ptx_run` computes
//! (`MARGAY_SEMANTICS`) with whose approximate functions (`MARGAY_APPROX`). Each is read once, when it is first needed.

use crate::failure::{Failure, MARGAY_WRONG_CALL};
use margay_doors::problem::Problem;
use margay_isa::Semantics;
use std::io::Write;
use std::sync::LazyLock;

/// Whether a failed call ends the process.
static ABORTS: LazyLock<bool> = LazyLock::new(|| {
    chosen("MARGAY_ON_ERROR", &[("return", false), ("abort", true)])
        .map(Option::unwrap_or_default)
        .unwrap_or_else(|failure| {
            // Who sets it relies on it: to go on without it could be the wrong number that it is set against.
            tell(&failure);
            std::process::abort()
        })
});

static SEMANTICS: LazyLock<Result<Semantics, Failure>> = LazyLock::new(|| {
    let whose = [("manual", Semantics::Manual), ("ptxas-13.5", Semantics::Ptxas13_5)];
    let approx = [("device", Semantics::Manual), ("rounded", Semantics::Rounded)];
    match (chosen("MARGAY_SEMANTICS", &whose)?, chosen("MARGAY_APPROX", &approx)?) {
        (Some(Semantics::Ptxas13_5), Some(_)) => {
            let problem = Problem::new(
                "the environment variable `MARGAY_APPROX` does not go with `MARGAY_SEMANTICS=ptxas-13.5`",
            );
            let help =
                "unset one of them: ptxas rounds approximate functions of literals, others are a device's";
            Err(Failure::of(MARGAY_WRONG_CALL, &problem.help(help)))
        }
        (Some(Semantics::Ptxas13_5), None) => Ok(Semantics::Ptxas13_5),
        (_, approx) => Ok(approx.unwrap_or(Semantics::Manual)),
    }
});

/// Reads what the process shall do with failures; ends it if that cannot be read.
pub fn look() {
    LazyLock::force(&ABORTS);
}

/// Ends the process if failures shall; the text is written to standard error first, unless it has been.
pub fn abort_if_asked(failure: &Failure, is_told: bool) {
    if *ABORTS {
        if !is_told {
            tell(failure);
        }
        std::process::abort()
    }
}

/// Whose semantics are computed where a call cannot say it.
pub fn semantics() -> Result<Semantics, Failure> {
    match &*SEMANTICS {
        Ok(semantics) => Ok(*semantics),
        Err(failure) => Err(Failure { status: failure.status, text: failure.text.clone() }),
    }
}

/// Writes the text of a failure to standard error.
pub fn tell(failure: &Failure) {
    // Nothing is left to be done if standard error is closed.
    let _ = std::io::stderr().lock().write_all(failure.text.as_bytes());
}

/// What a variable chooses; nothing if it is unset or empty.
fn chosen<T: Copy>(variable: &str, choices: &[(&str, T)]) -> Result<Option<T>, Failure> {
    let given = std::env::var_os(variable).unwrap_or_default();
    if given.is_empty() {
        return Ok(None);
    }
    let found = choices.iter().find(|(name, _)| given == *name).map(|(_, choice)| *choice);
    found.map(Some).ok_or_else(|| {
        let names: Vec<_> = choices.iter().map(|(name, _)| format!("`{name}`")).collect();
        let (given, names) = (given.to_string_lossy(), names.join(" or "));
        Failure::wrong_call(format!(
            "the environment variable `{variable}` is `{given}`, but must be {names}"
        ))
    })
}
