//! The command `margay`: the library's, as a program.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(margay::command::run(std::env::args_os()))
}
