//! PoCL as a peer: a process that runs the kernels in OpenCL C (`peers/`), asked line by line.

use crate::case::{Case, Kernel};
use crate::measure::TURN;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running peer.
pub struct Pocl {
    child: Child,
    ask: ChildStdin,
    answers: BufReader<ChildStdout>,
    folder: PathBuf,
    /// Entries of kernels that it has not.
    lacks: Vec<&'static str>,
}

impl Pocl {
    /// Starts it with so many threads; where it is absent, says what is missing.
    pub fn start(threads: usize) -> Result<Pocl, String> {
        // A Python of one's own has seldom the system's packages.
        let tries = ["python3", "/usr/bin/python3"].map(|python| Pocl::start_by(python, threads));
        let mut reasons = Vec::new();
        for attempt in tries {
            match attempt {
                Ok(pocl) => return Ok(pocl),
                Err(reason) => reasons.push(reason),
            }
        }
        Err(reasons.join("; "))
    }

    fn start_by(python: &str, threads: usize) -> Result<Pocl, String> {
        let mut command = Command::new(python);
        command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/peers/pocl.py"));
        command.env("POCL_MAX_PTHREAD_COUNT", threads.to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| format!("{python}: {error}"))?;
        let ask = child.stdin.take().ok_or("no input")?;
        let answers = BufReader::new(child.stdout.take().ok_or("no output")?);
        let folder = std::env::temp_dir().join(format!("margay-bench-{}", child.id()));
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let mut pocl = Pocl { child, ask, answers, folder, lacks: Vec::new() };
        let greeting = pocl.answer()?;
        match greeting.strip_prefix("ready") {
            Some(_) => Ok(pocl),
            None => Err(format!("{python}: {greeting}")),
        }
    }

    fn answer(&mut self) -> Result<String, String> {
        let mut line = String::new();
        self.answers.read_line(&mut line).map_err(|error| error.to_string())?;
        if line.is_empty() { Err("it ended".into()) } else { Ok(line.trim().into()) }
    }

    /// Whether it has the kernel, as far as is known.
    pub fn has(&self, kernel: &Kernel) -> bool {
        !self.lacks.contains(&kernel.entry)
    }

    /// Prepares a case and runs it once; its output, if it has the kernel.
    pub fn prepare(&mut self, kernel: &Kernel, case: &Case) -> Result<Option<Vec<u32>>, String> {
        let result = self.folder.join("result");
        let list = |numbers: &[u32]| {
            let texts: Vec<String> = numbers.iter().map(u32::to_string).collect();
            if texts.is_empty() { "-".into() } else { texts.join(",") }
        };
        let head = [kernel.entry, &result.to_string_lossy(), &case.output.to_string()].join(" ");
        let (grid, block, scalars) = (list(&case.grid), list(&case.block), list(&case.scalars));
        let mut line = format!("case {head} {grid} {block} {scalars}");
        for (k, input) in case.inputs.iter().enumerate() {
            let path = self.folder.join(k.to_string());
            std::fs::write(&path, input.bytes()).map_err(|error| error.to_string())?;
            line += &format!(" {}", path.to_string_lossy());
        }
        writeln!(self.ask, "{line}").map_err(|error| error.to_string())?;
        if self.answer()? == "lacks" {
            self.lacks.push(kernel.entry);
            return Ok(None);
        }
        let bytes = std::fs::read(result).map_err(|error| error.to_string())?;
        Ok(Some(bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()))
    }

    /// Runs what was prepared; the seconds that a run took.
    pub fn run(&mut self) -> f64 {
        writeln!(self.ask, "run {TURN}").expect("the peer runs");
        self.answer().expect("the peer runs").parse().expect("a number")
    }
}

impl Drop for Pocl {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
        drop(std::fs::remove_dir_all(&self.folder));
    }
}
