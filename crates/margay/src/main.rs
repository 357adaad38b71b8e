//! The command `margay`: options in, files and text out; all work is the library's.

mod command;

use std::process::ExitCode;

fn main() -> ExitCode {
    command::main()
}
