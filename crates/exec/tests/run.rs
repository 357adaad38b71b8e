//! Runs every kernel under `tests/run` as its comments say, and compares what it gives with what they say.
//!
//! A file holds one module and, behind it, any number of launches:
//!
//! ```text
//! // run: scale in=u32[1 2 3] out=u32*3 factor=u32:5 -- block=3
//! // gives: out=u32[5 10 15]
//! ```
//!
//! Behind the kernel's name stand its arguments in order: a buffer with its elements (`u32[1 2 3]`), a zeroed buffer of so
//! many (`u32*3`; `u32?3` if the host has never written it), one of arbitrary numbers (`u32#3`), a number (`u32:5`), the address of another buffer or module variable and bytes added to it (`&out+4`), or bytes
//! (`bytes:00ff`). Types are `u8` to `u64`, `s8` to `s64`, and `x8` to `x64` for hexadecimal. Behind `--` stand options: `grid`,
//! `block`, `cluster`, `shared`, `steps`, `semantics=ptxas`, `contract=yes`, `sanitize=race,init,sync` (any of them), `free=NAME` (a buffer given back before the launch), `get=NAME:TYPE` (a
//! module variable to be shown).
//!
//! Every launch runs on both engines, on the batch engine with every level of vector instructions, and must give the same lines
//! and execute as many instructions. `executes=any` says that how many depends on the turns that threads have: those that
//! wait for each other look again and again. `engine=golden` (or `batch`) says that a launch is for one engine alone.
//!
//! Every buffer that was changed (`nothing` if none was) is one line, every variable asked for another; a launch that ends early is a `trap` or
//! `refused` line. Every line that the kernel prints is a `prints` line, every
//! finding of a sanitizer a `found` line. Sanitizers must find the same under several `schedule_seed`s, numbers and threads
//! aside. `BLESS=1 cargo test` writes what kernels give into the files.

#[path = "support/run_files.rs"]
mod run_files;
mod runner;

use run_files::run_files;

#[test]
fn kernels_give_what_their_comments_say() {
    let found = run_files(&[""]);
    let bless = std::env::var_os("BLESS").is_some();
    let mut failures = String::new();
    for path in &found {
        let text = std::fs::read_to_string(path).unwrap();
        let now = runner::rewritten(&text);
        if now == text {
            continue;
        }
        if bless {
            std::fs::write(path, &now).unwrap();
            continue;
        }
        failures += &format!("\n{}:\n", path.display());
        let (old, new): (Vec<_>, Vec<_>) = (text.lines().collect(), now.lines().collect());
        old.iter().filter(|l| !new.contains(l)).for_each(|l| failures += &format!("  - {l}\n"));
        new.iter().filter(|l| !old.contains(l)).for_each(|l| failures += &format!("  + {l}\n"));
    }
    assert!(failures.is_empty(), "{failures}");
}
