//! Random kernels, those of the tests of the engines.

use crate::asked::Asked;
use crate::forms::name;
use crate::known;
use crate::probe::{self, Probe};
use crate::{TARGET, VERSION};
use margay_isa::Inst;
use random_kernel::{Given, Kernel, forms, generate};

#[allow(dead_code, reason = "tests use more of it")]
#[path = "../../../../crates/exec/tests/support/random_kernel/mod.rs"]
mod random_kernel;

/// Items of kernels: small ones show what differs.
const SIZES: [usize; 5] = [1, 2, 3, 5, 12];
/// Seeds of a part of them: a kernel that a device's compiler cannot bear takes the others of its part with it.
const PART: u64 = 16;
const WARP: u32 = 32;

/// Whether a device gives one result for it: multiplications without a rounding may be fused with what adds their results, and a hint
/// for caches must come from `createpolicy`. Of eight elements of less than 32 bits the driver's compiler (13.0) makes wrong code.
fn allowed(inst: &Inst) -> bool {
    let text = name(inst);
    let narrow = ["v8.b8", "v8.u8", "v8.s8", "v8.b16", "v8.u16", "v8.s16"];
    let is_wrong = text.contains("cache_hint") || narrow.iter().any(|words| text.contains(words));
    inst.part().is_none() && !is_wrong && known::reason(&text).is_none()
}

/// Whether a device gives one result for all of it and surely ends: addresses that guess where variables lie, the hardware's numbers of
/// warps and what lanes that take no part would give are nobody's promise, and of barriers only those that wait for all threads, rather
/// than for so many, are let go by threads that have ended (section `exit`).
fn is_promised(kernel: &Kernel) -> bool {
    let threads = kernel.block.iter().product::<u32>();
    let ends = kernel.features.contains("early end");
    let number = format!(" 1, {threads}");
    let counts = |line: &str| line.starts_with("barrier") && line.contains(&number);
    let is_open = |line: &str| {
        let absent = line.contains("shfl.sync") && (ends || line.contains(", %m"));
        line.contains("%warpid") || absent || ends && counts(line)
    };
    threads.is_multiple_of(WARP)
        && !kernel.features.contains("made-up address")
        && !kernel.features.contains("prints")
        && !kernel.text.lines().any(is_open)
}

fn asked_of(kernel: Kernel) -> Asked {
    let mut buffers = Vec::new();
    let mut arguments = Vec::new();
    for given in kernel.arguments {
        arguments.push(match given {
            Given::Bytes(bytes) => probe::Given::Value(bytes),
            Given::Buffer(bytes) => {
                buffers.push((buffers.len(), bytes.len()));
                probe::Given::Buffer(bytes)
            }
        });
    }
    let features: Vec<&str> = kernel.features.into_iter().collect();
    let probe = Probe {
        text: kernel.text,
        entry: "k".into(),
        grid: kernel.grid,
        block: kernel.block,
        shared_bytes: kernel.shared_bytes as u32,
        arguments,
    };
    Asked::whole(format!("kernel {} ({})", kernel.seed, features.join(", ")), probe, &buffers)
}

/// A part of the kernels, those whose blocks are whole warps and of which a device has one result.
pub fn asked(part: u64) -> Vec<Asked> {
    forms::aim_at(forms::Aim { version: VERSION, target: TARGET, allowed });
    let kernel = |seed: u64| generate(seed, SIZES[seed as usize % SIZES.len()]);
    (PART * part..PART * (part + 1)).map(kernel).filter(is_promised).map(asked_of).collect()
}
