//! The command `margay`: the library's, as a program.

use std::process::ExitCode;

use margay::command::Home;

fn main() -> ExitCode {
    ExitCode::from(margay::command::run(std::env::args_os(), &Home::of_program()))
}
