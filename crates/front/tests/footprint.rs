//! How much memory checking takes, in bytes of text: the allocator counts.

mod support;

use margay_front::Source;
use margay_front::check::{Options, check};
use peak_alloc::PeakAlloc;
use std::fmt::Write;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// A compiler's module with its functions written again and again under other names.
fn repeated(text: &str, bytes: usize) -> String {
    let start = text.find(".visible .entry ").expect("a kernel");
    let (head, kernels) = text.split_at(start);
    let name = kernels[".visible .entry ".len()..].split('(').next().unwrap_or_default();
    let mut whole = head.to_string();
    for k in 0.. {
        if whole.len() >= bytes {
            break;
        }
        // A number stands for one file.
        let once = kernels.lines().filter(|line| k == 0 || !line.trim_start().starts_with(".file"));
        for line in once {
            let _ = writeln!(whole, "{}", line.replace(name, &format!("{name}_{k}")));
        }
    }
    whole
}

/// Modules of 8 MB take at most ten times their text: the tree of one body at a time, and the module. One is optimised code, one has
/// debug data.
#[test]
fn a_large_module_takes_ten_times_its_text() {
    let corpus = support::corpus();
    for name in ["nvcc-O3-sm_80/md5.ptx", "nvcc-G-sm_80/md5.ptx"] {
        let (_, text) = corpus.iter().find(|(other, _)| other == name).expect(name);
        let text = repeated(text, 8 << 20);
        let before = PeakAlloc.current_usage();
        PeakAlloc.reset_peak_usage();
        let source = Source::new(name, text);
        let checked = check(&source, Options::default());
        assert!(checked.module.is_some(), "{name}: {:?}", checked.diagnostics.first());
        let taken = PeakAlloc.peak_usage() - before + source.text.len();
        let times = taken as f64 / source.text.len() as f64;
        assert!(times < 10.0, "{name}: {taken} bytes are {times:.1} times the text");
        println!("{name}: {times:.1} times the text");
    }
}
