//! Whole kernels as compilers write them, on the contents that the tests of the engines have.

use crate::VERSION;
use crate::asked::Asked;
use crate::probe::{Given, Probe};

#[allow(dead_code, reason = "tests use more of it")]
#[path = "../../../../crates/exec/tests/cases/data.rs"]
mod data;

/// Targets that the device runs.
const RUN: [&str; 5] = [".target sm_5", ".target sm_6", ".target sm_7", ".target sm_8", ".target sm_90"];

/// The text as one of a version that the device's driver takes, where it is of a later one.
fn lowered(ptx: &str) -> String {
    let versions = |text: &str| text.split('.').map(|part| part.parse().unwrap_or(0)).collect::<Vec<u32>>();
    let lines = ptx.lines().map(|line| match line.strip_prefix(".version ") {
        Some(version) if versions(version.trim()) > versions(VERSION) => format!(".version {VERSION}\n"),
        _ => format!("{line}\n"),
    });
    lines.collect()
}

/// The launches that end well and need no variables of the module, of texts that a device of this architecture takes.
pub fn asked() -> Vec<Asked> {
    let (contents, cases, texts) = (data::contents(), data::cases(), data::texts());
    let mut asked = Vec::new();
    for text in &texts {
        if RUN.iter().all(|target| !text.ptx.contains(target)) {
            continue;
        }
        for case in cases.iter().filter(|case| case.text("source") == text.source) {
            let fails = case.json.get("expect").is_some();
            if fails || !case.globals().is_empty() {
                continue;
            }
            let mut buffers = Vec::new();
            let arguments = case.params().iter().map(|param| {
                if param["kind"] == "scalar" {
                    return Given::Value(data::hex(param["bytes"].as_str().unwrap_or("")));
                }
                let before = data::part(&contents, param, "in").unwrap_or_default().to_vec();
                buffers.push((buffers.len(), before.len()));
                Given::Buffer(before)
            });
            let probe = Probe {
                text: lowered(&text.ptx),
                entry: case.text("entry").into(),
                arguments: arguments.collect(),
                grid: case.shape("grid"),
                block: case.shape("block"),
                shared_bytes: case.json["shared_bytes"].as_u64().unwrap_or(0) as u32,
            };
            // Some print, and leave nothing else.
            if buffers.is_empty() {
                continue;
            }
            asked.push(Asked::whole(format!("{} {}", text.compiler, case.name()), probe, &buffers));
        }
    }
    asked
}
