//! Where a device's results are known to differ from margay's under `ptxas-13.5`, each with the reason.

/// The reason for a result: a launch, or a form, written with the operands of its syntax line; none where nothing may differ.
pub fn reason(form: &str) -> Option<&'static str> {
    let (head, operands) = form.split_once(' ').unwrap_or((form, ""));
    let words: Vec<&str> = head.split('.').collect();
    let has = |word: &str| words.contains(&word);
    match words[0] {
        _ if form.contains(" clocky") => Some("it reads the clock"),
        _ if form.contains(" union_find") || form.contains(" compact_ballot") => {
            Some("the order of threads shows in the result, any of them right")
        }
        // 2026-11-26: so do 11.8 and 12.9; 13.5 does as the manual says.
        _ if words[0].starts_with('v') && operands.starts_with("d.h1") => Some(
            "the driver's compiler (13.0) merges the upper half of the result, not the lower one, into `.h1`",
        ),
        // 2026-11-26
        "vshr" if has("sat") && (has("min") || has("max")) => {
            Some("the driver's compiler (13.0) compares otherwise than that of 13.5")
        }
        // 2026-11-26: the manual has `.rn` alone.
        "fma" if (has("bf16") || has("bf16x2")) && !has("rn") => {
            Some("the driver's compiler (13.0) makes arithmetic of `.f16` of it")
        }
        // 2026-11-26: the manual does not have them; ptxas 13.5 takes them.
        "mma" if has("m8n8k4") && (has("bf16") || has("tf32")) => {
            Some("the driver's compiler (13.0) computes nothing for it")
        }
        // 2026-11-26
        "fns" => Some("undefined where the offset is -2^31"),
        // 2026-11-26
        "mbarrier" => Some("the bits of a barrier's state are open, and margay's are its own"),
        _ => None,
    }
}
