//! What `-v` tells: what can be known of a module without assembling it.

use std::fmt::Write;

use margay::count::counted;
use margay_front::Source;
use margay_front::module::{FunctionId, Module, Space, Variable};

/// Sizes of the module's memory, then each kernel with its own. Registers and spills are not told: nobody has allocated them.
pub fn account(source: &Source, module: &Module, device: &str, names: bool) -> String {
    let mut out = String::new();
    if names {
        let _ = writeln!(out, "ptxas info    : Checked '{}'", source.name);
    }
    let of = |owner: Option<FunctionId>, space: Space| {
        let found = move |v: &&Variable| v.space == space && !v.is_extern && (v.owner == owner);
        module.variables().iter().filter(found).fold(0, |end: u64, v| {
            end.checked_next_multiple_of(v.align.max(1)).unwrap_or(u64::MAX).saturating_add(v.size)
        })
    };
    let all = |space: Space| {
        let owners = (0..module.functions().len()).map(|at| Some(FunctionId(at as u32)));
        owners.map(|owner| of(owner, space)).fold(of(None, space), u64::saturating_add)
    };
    let parts =
        [(of(None, Space::Shared), "smem"), (all(Space::Const), "cmem[3]"), (of(None, Space::Local), "lmem")];
    let _ = writeln!(out, "ptxas info    : {} bytes gmem{}", all(Space::Global), listed(&parts));
    for (at, function) in module.functions().iter().enumerate().filter(|(_, f)| f.is_entry && f.is_defined) {
        let owner = Some(FunctionId(at as u32));
        let name = &function.name;
        let _ = writeln!(out, "ptxas info    : Checked entry function '{name}' for '{device}'");
        let parts = [(of(owner, Space::Shared), "smem"), (of(owner, Space::Local), "lmem")];
        let (count, parameters) = (function.code.len(), function.parameter_bytes);
        let _ = writeln!(
            out,
            "ptxas info    : {}, {parameters} bytes parameters{}",
            counted(count, "instruction"),
            listed(&parts)
        );
    }
    out
}

fn listed(parts: &[(u64, &str)]) -> String {
    parts
        .iter()
        .filter(|(bytes, _)| *bytes > 0)
        .map(|(bytes, what)| format!(", {bytes} bytes {what}"))
        .collect()
}
