//! Peak memory of a process that runs K1 on buffers of 256 MiB in all.

use crate::compare::PTX;
use margay_exec::{Argument, Launch, Memory, Program, parameter_block};
use std::process::Command;

/// The hidden part of the command line that makes a process the measured one.
pub const CHILD: &str = "peak-child";

const CHUNK: usize = 1 << 20;

/// Runs K1 with so many threads in this process, and prints the bytes of its buffers and its peak in bytes.
pub fn child(threads: usize) {
    let module = margay_front::compile(PTX).expect("the kernels are valid");
    let mut memory = Memory::new(64);
    let program = Program::load(&module, &mut memory).expect("the module fits");
    let bytes = 4 * threads;
    let mut buffers = Vec::new();
    for value in [5u8, 3, 0, 0xaa] {
        let address = memory.alloc(bytes as u64, "words").expect("there is room");
        for at in (0..bytes).step_by(CHUNK) {
            let chunk = vec![value; CHUNK.min(bytes - at)];
            memory.write(address + at as u64, &chunk).expect("it was just allocated");
        }
        buffers.push(address);
    }
    let mut arguments: Vec<Argument> = buffers.iter().map(|address| Argument::Address(*address)).collect();
    arguments.push(Argument::from(threads as u32));
    let entry = module.entry("k1_sad").expect("the kernel is there");
    let parameters = parameter_block(module.function(entry), 64, &arguments).expect("they fit");
    let (grid, block) = ((threads as u32 / 256).into(), 256.into());
    Launch { grid, block, parameters, ..Launch::new(entry) }.run(&program, &memory).expect("it runs");
    let last = memory.read(buffers[3] + bytes as u64 - 4, 4).expect("the output");
    assert_eq!(last, 8u32.to_le_bytes(), "four differences of 2");
    println!("{} {}", 4 * bytes, peak().unwrap_or(0));
}

/// The most memory that this process has had, in bytes; only Linux tells.
fn peak() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse::<usize>().ok().map(|kilobytes| kilobytes * 1024)
}

/// Prints the peak of a child process.
pub fn run(smoke: bool) {
    let threads = if smoke { 1 << 16 } else { 1 << 24 };
    let program = std::env::current_exe().expect("the benchmark knows its place");
    let output = Command::new(program).args([CHILD, &threads.to_string()]).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [buffers, peak] = numbers[..] else { panic!("the child says `{text}`") };
    const MIB: f64 = 1024.0 * 1024.0;
    println!(
        "\npeak memory, K1 with {threads} threads, all workers: {:.0} MiB of buffers, peak {:.1} MiB, {:.1} MiB more",
        buffers / MIB,
        peak / MIB,
        (peak - buffers) / MIB
    );
}
