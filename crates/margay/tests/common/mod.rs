//! Runs the command as a user would.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// What a run gave.
pub struct Ran {
    /// The exit code; none if a signal ended it.
    #[allow(dead_code)]
    pub code: Option<i32>,
    /// Standard output.
    #[allow(dead_code)]
    pub out: String,
    /// Standard error.
    #[allow(dead_code)]
    pub err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Ran {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// The command, in this folder.
pub fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_margay"));
    command.args(arguments).current_dir(folder);
    for variable in ["NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "MARGAY_SIMD"] {
        command.env_remove(variable);
    }
    // What is recorded of outputs shall not pile up in the home folder.
    command.env("XDG_STATE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("state"));
    command
}

/// Runs the command in a folder.
pub fn margay_in(folder: &Path, arguments: &[&str]) -> Ran {
    command(folder, arguments).stdin(Stdio::null()).output().expect("the command starts").into()
}

/// Runs the command anywhere.
#[allow(dead_code)]
pub fn margay(arguments: &[&str]) -> Ran {
    margay_in(Path::new("."), arguments)
}

/// Runs the command with a text on standard input.
#[allow(dead_code)]
pub fn margay_with_input(input: &[u8], arguments: &[&str]) -> Ran {
    let mut command = command(Path::new("."), arguments);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // The command may stop reading early.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    child.wait_with_output().expect("the command ends").into()
}

/// Whether the process has a handler for the interrupt signal, number 2.
#[cfg(target_os = "linux")]
#[allow(dead_code)]
pub fn catches_interrupts(id: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    u64::from_str_radix(caught.trim(), 16).unwrap() & 0b10 != 0
}
