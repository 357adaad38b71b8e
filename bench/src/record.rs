//! Keeps a run: what it printed and its plot, with machine, commit and date.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The option by which a recorded run is told where its plot goes.
pub const PLOT: &str = "--plot=";

/// What a command prints, or a question mark.
fn says(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    let text = output.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_string()).unwrap_or_default();
    if text.is_empty() { "?".into() } else { text }
}

fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        line.split(':').nth(1).map(|value| value.trim().to_string())
    };
    let numbers = ["cpu family", "model\t", "stepping"].map(|name| field(name).unwrap_or("?".into()));
    format!("{} (family, model, stepping {})", field("model name").unwrap_or("?".into()), numbers.join(", "))
}

/// Runs this program once more with the other arguments, and keeps what it prints.
///
/// # Errors
/// If files cannot be written or the run fails.
pub fn run(arguments: &[String]) -> std::io::Result<()> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/record"));
    std::fs::create_dir_all(&folder)?;
    let (date, commit) = (says("date", &["-u", "+%F"]), says("git", &["rev-parse", "--short=10", "HEAD"]));
    let dirty = if says("git", &["status", "--porcelain", "-uno"]) == "?" { "" } else { ", with changes" };
    let name = format!("{date}-{commit}");
    let mut file = std::fs::File::create(folder.join(format!("{name}.txt")))?;
    let cores = std::thread::available_parallelism()?;
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split_whitespace().next().unwrap_or("?");
    writeln!(file, "{date}, commit {commit}{dirty}, {cores} cores of {}", processor())?;
    writeln!(
        file,
        "{}, load before the run {load}; arguments: {}\n",
        says("rustc", &["-V"]),
        arguments.join(" ")
    )?;
    let plot = format!("{PLOT}{}", folder.join(format!("{name}.svg")).display());
    let mut command = Command::new(std::env::current_exe()?);
    let mut child = command.args(arguments).arg(plot).stdout(Stdio::piped()).spawn()?;
    for line in BufReader::new(child.stdout.take().expect("it is piped")).lines() {
        let line = line?;
        println!("{line}");
        writeln!(file, "{line}")?;
    }
    if child.wait()?.success() { Ok(()) } else { Err(std::io::Error::other("the run failed")) }
}
