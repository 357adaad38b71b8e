//! What the environment says: what becomes of failures (`MARGAY_ON_ERROR`), and whose semantics `ptx_run` computes
//! (`MARGAY_SEMANTICS`), with whose approximate functions (`MARGAY_APPROX`) and tensor cores (`MARGAY_DEVICE`), contracted
//! (`MARGAY_CONTRACT`) or not. Each is read once, when it is first needed.

use crate::failure::Failure;
use margay_doors::environment;
use margay_isa::{Semantics, Target};
use std::io::Write;
use std::sync::LazyLock;

/// Whether a failed call ends the process.
static ABORTS: LazyLock<bool> = LazyLock::new(|| {
    let chosen = environment::chosen("MARGAY_ON_ERROR", &[("return", false), ("abort", true)]);
    chosen.map(Option::unwrap_or_default).unwrap_or_else(|problem| {
        // Who sets it relies on it: to go on without it could be the wrong number that it is set against.
        tell(&problem.into());
        std::process::abort()
    })
});

/// What `ptx_run` computes.
#[derive(Clone, Copy)]
pub struct Computed {
    pub semantics: Semantics,
    pub contract: bool,
    /// As which device products of matrices are computed, if not the module's target.
    pub device: Option<Target>,
}

static COMPUTED: LazyLock<Result<Computed, Failure>> = LazyLock::new(|| {
    Ok(Computed {
        semantics: environment::semantics(Semantics::Manual)?,
        contract: environment::contract()?,
        device: environment::device()?,
    })
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

/// What is computed where a call cannot say it.
pub fn computed() -> Result<Computed, Failure> {
    match &*COMPUTED {
        Ok(computed) => Ok(*computed),
        Err(failure) => Err(Failure { status: failure.status, text: failure.text.clone() }),
    }
}

/// Writes the text of a failure to standard error.
pub fn tell(failure: &Failure) {
    // Nothing is left to be done if standard error is closed.
    let _ = std::io::stderr().lock().write_all(failure.text.as_bytes());
}
