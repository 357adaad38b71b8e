//! What environment variables choose where a call cannot say it.

use std::path::PathBuf;

use crate::problem::Problem;
use margay_exec::Sanitize;
use margay_isa::{Semantics, Target};

/// What a variable chooses; nothing if it is unset or empty.
///
/// # Errors
/// If it is set to none of the choices.
pub fn chosen<T: Copy>(variable: &str, choices: &[(&str, T)]) -> Result<Option<T>, Problem> {
    let given = std::env::var_os(variable).unwrap_or_default();
    if given.is_empty() {
        return Ok(None);
    }
    let found = choices.iter().find(|(name, _)| given == *name).map(|(_, choice)| *choice);
    found.map(Some).ok_or_else(|| {
        let names: Vec<_> = choices.iter().map(|(name, _)| format!("`{name}`")).collect();
        let (given, names) = (given.to_string_lossy(), names.join(" or "));
        Problem::new(format!("the environment variable `{variable}` is `{given}`, but must be {names}"))
    })
}

/// Whether a variable is on (`1`); not if it is `0`, unset or empty.
///
/// # Errors
/// If it is set to anything else.
pub fn switch(variable: &str) -> Result<bool, Problem> {
    chosen(variable, &[("0", false), ("1", true)]).map(Option::unwrap_or_default)
}

/// Whether products are added unrounded where no rounding is named: `MARGAY_CONTRACT`.
///
/// # Errors
/// If it is set to neither `0` nor `1`.
pub fn contract() -> Result<bool, Problem> {
    switch("MARGAY_CONTRACT")
}

/// Whose semantics `MARGAY_SEMANTICS` and `MARGAY_APPROX` choose; those given if neither is set.
///
/// # Errors
/// If one of them is set to what is none, or they do not go together.
pub fn semantics(unset: Semantics) -> Result<Semantics, Problem> {
    let whose = [("manual", Semantics::Manual), ("ptxas-13.5", Semantics::Ptxas13_5)];
    let approx = [("device", Semantics::Manual), ("rounded", Semantics::Rounded)];
    match (chosen("MARGAY_SEMANTICS", &whose)?, chosen("MARGAY_APPROX", &approx)?) {
        (Some(Semantics::Ptxas13_5), Some(_)) => {
            let problem = Problem::new(
                "the environment variable `MARGAY_APPROX` does not go with `MARGAY_SEMANTICS=ptxas-13.5`",
            );
            Err(problem.help(
                "unset one of them: ptxas rounds approximate functions of literals, others are a device's",
            ))
        }
        (Some(Semantics::Ptxas13_5), None) => Ok(Semantics::Ptxas13_5),
        (None, None) => Ok(unset),
        (_, approx) => Ok(approx.unwrap_or(Semantics::Manual)),
    }
}

/// The device whose tensor cores products of matrices are computed as: `MARGAY_DEVICE`; nothing if it is unset or empty.
///
/// # Errors
/// If there is no such device.
pub fn device() -> Result<Option<Target>, Problem> {
    const VARIABLE: &str = "MARGAY_DEVICE";
    let given = std::env::var_os(VARIABLE).unwrap_or_default();
    if given.is_empty() {
        return Ok(None);
    }
    let given = given.to_string_lossy();
    given.parse().map(Some).map_err(|()| {
        Problem::new(format!(
            "the environment variable `{VARIABLE}` is `{given}`, and there is no such device"
        ))
        .help("write its target, such as `sm_80`")
    })
}

/// What `MARGAY_SANITIZE` wants launches to be watched for.
///
/// # Errors
/// If there is no such sanitizer.
pub fn sanitize() -> Result<Sanitize, Problem> {
    const VARIABLE: &str = "MARGAY_SANITIZE";
    const NAMES: [&str; 5] = ["memory", "race", "init", "sync", "all"];
    let given = std::env::var_os(VARIABLE).unwrap_or_default();
    let given = given.to_string_lossy();
    let words: Vec<&str> = given.split(',').map(str::trim).filter(|_| !given.is_empty()).collect();
    if let Some(unknown) = words.iter().find(|word| !NAMES.contains(word)) {
        let problem = Problem::new(format!(
            "the environment variable `{VARIABLE}` is `{given}`, but there is no sanitizer `{unknown}`"
        ));
        let names = NAMES.map(|name| format!("`{name}`")).join(", ");
        return Err(problem.help(format!("write one or several of {names} with commas between")));
    }
    let has = |name| words.contains(&name) || words.contains(&"all");
    Ok(Sanitize { memory: has("memory"), race: has("race"), init: has("init"), sync: has("sync") })
}

/// The file that a variable names, seen from the folder of now; `%p` in it is the number of the process, `%%` is `%`.
///
/// # Errors
/// If the variable cannot name a file.
pub fn file(variable: &str) -> Result<Option<PathBuf>, Problem> {
    let given = std::env::var_os(variable).unwrap_or_default();
    if given.is_empty() {
        return Ok(None);
    }
    let named = match given.to_str() {
        Some(text) => {
            let parts = text.split("%%").map(|part| part.replace("%p", &std::process::id().to_string()));
            parts.collect::<Vec<_>>().join("%").into()
        }
        // What is no text holds no such signs, as far as anybody can tell.
        None => PathBuf::from(&given),
    };
    let whole = std::path::absolute(named).map_err(|error| {
        Problem::new(format!("the environment variable `{variable}` does not name a file: {error}"))
    })?;
    Ok(Some(whole))
}
