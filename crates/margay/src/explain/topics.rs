//! What can be explained, special registers, and what was probably meant by a name that is nothing of it.

use std::collections::BTreeMap;

use margay_front::{Code, diag::codes, suggest};
use margay_isa::{opcodes, special, special::Special};

use super::{Explanation, lines};
use crate::problem::Problem;

/// What there is to explain: instructions by the manual's sections, special registers, diagnostics.
///
/// ```
/// let text = margay::explain::topics().text(|name| name.to_string());
/// assert!(text.contains("vadd4") && text.contains("%tid") && text.contains("P101"));
/// ```
pub fn topics() -> Explanation {
    let mut by_letter: BTreeMap<char, Vec<&str>> = BTreeMap::new();
    for opcode in opcodes::OPCODES {
        by_letter.entry(opcode.name.chars().next().unwrap_or(' ')).or_default().push(opcode.name);
    }
    let instructions = by_letter.values().map(|names| names.join(" "));
    let registers: Vec<_> = Special::names().collect();
    let codes: Vec<_> = codes::all().map(Code::name).collect();
    let of_hundred = codes.chunk_by(|a, b| a[..2] == b[..2]).map(|codes| codes.join(" "));
    Explanation {
        name: "margay explain".into(),
        purpose: "what it explains".into(),
        paragraphs: Vec::new(),
        sections: vec![
            lines("instructions", instructions),
            lines("special registers", registers.chunks(6).map(|names| names.join(" "))),
            lines("diagnostics", of_hundred),
        ],
    }
}

/// A special register, with or without a member: `%tid`, `%tid.x`.
pub(super) fn special_register(what: &str) -> Option<Explanation> {
    let (name, member) = what.split_once('.').map_or((what, None), |(name, member)| (name, Some(member)));
    let members: Vec<_> =
        ["x", "y", "z"].into_iter().filter(|member| Special::parse(name, Some(member)).is_some()).collect();
    let member = member.or(members.first().copied());
    let (special, floor) = Special::parse(name, member)?;
    let ty = special.ty();
    let place = match members.is_empty() {
        true => format!("mov{ty} %r, {name};"),
        false => format!("mov{ty} %r, {name}.{};", member.unwrap_or("x")),
    };
    let ty = if members.is_empty() {
        ty.to_string()
    } else {
        format!(".v4 {ty} with the members .{}", members.join(" ."))
    };
    Some(Explanation {
        name: name.to_string(),
        purpose: "special register (chapter 10 of the manual)".into(),
        paragraphs: Vec::new(),
        sections: vec![
            lines("type", [ty].into_iter()),
            lines("since", [floor.to_string()].into_iter()),
            lines("example", [place].into_iter()),
        ],
    })
}

/// The problem with a name that cannot be explained, with the name that was probably meant.
pub fn unknown(name: &str) -> Problem {
    if name.starts_with('.') {
        return Problem::new(format!("`{name}` is a directive or a modifier"))
            .help("`margay explain` describes instructions, special registers and diagnostics: `margay explain` lists them");
    }
    let problem = Problem::new(format!("`{name}` is not an instruction, a special register or a diagnostic"));
    if let Some(meant) = opcodes::meant(name).or_else(|| special::meant(name)) {
        return problem.help(format!("did you mean `{meant}`?"));
    }
    let names = opcodes::OPCODES.iter().map(|opcode| opcode.name).chain(Special::names());
    match code_meant(name).or_else(|| suggest::nearest(&name.to_ascii_lowercase(), names)) {
        Some(nearest) => problem.help(format!("did you mean `{nearest}`?")),
        None => problem.help("`margay explain` alone lists what there is"),
    }
}

/// The code that the beginning of one stands for: `P10` for `P100`.
pub fn code_meant(name: &str) -> Option<&'static str> {
    codes::all().map(Code::name).find(|code| *code == short_code(name))
}

/// `P10`, `p1` and `10` as the code that they begin.
fn short_code(name: &str) -> String {
    let digits = name.trim_start_matches(['p', 'P']);
    let number = digits.len() < 3 && !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    if number { format!("P{digits:0<3}") } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_repaired() {
        let meant = |name: &str| unknown(name).help.unwrap();
        assert_eq!(meant("vad4"), "did you mean `vadd4`?");
        assert_eq!(meant("vabsdif4"), "did you mean `vabsdiff4`?");
        assert_eq!(meant("VMDA"), "did you mean `vmad`?");
        assert_eq!(meant("p10"), "did you mean `P100`?");
        assert_eq!(meant("%tidd"), "did you mean `%tid`?");
        assert_eq!(meant("__syncthreads"), "did you mean `bar.sync 0`?");
        assert_eq!(meant("threadIdx"), "did you mean `%tid`?");
        for far in ["somethingelse", "shared", "P999", &"x".repeat(1 << 20)] {
            assert_eq!(meant(far), "`margay explain` alone lists what there is");
        }
        assert!(unknown(".reqntid").message.contains("directive"));
    }

    #[test]
    fn special_registers_explain_themselves() {
        let text = |what: &str| special_register(what).unwrap().text(|name| name.to_string());
        assert!(text("%tid").contains(".v4 .u32 with the members .x .y .z"));
        assert!(text("%tid.y").contains("mov.u32 %r, %tid.y;"));
        assert!(text("%clock64").contains("PTX 2.0"));
        assert!(special_register("%r1").is_none());
        for name in Special::names() {
            assert!(text(name).contains("\nSINCE\n"), "{name}");
        }
    }
}
