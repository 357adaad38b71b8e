//! What environment variables choose where a call cannot say it.

use crate::problem::Problem;
use margay_isa::Semantics;

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

/// Whose semantics `MARGAY_SEMANTICS` and `MARGAY_APPROX` choose.
///
/// # Errors
/// If one of them is set to what is none, or they do not go together.
pub fn semantics() -> Result<Semantics, Problem> {
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
        (_, approx) => Ok(approx.unwrap_or(Semantics::Manual)),
    }
}
