//! Random legal kernels whose result every legal schedule gives: PTX text, a launch and its buffers, all from a seed.
//!
//! A kernel is made of items that stand one behind the other, each drawn by itself: the kernel of a smaller size is the
//! beginning of that of a larger one, and [`without`] leaves items out, so that a mismatch can be made small. All control
//! flow ends. Threads write what is theirs, read what nobody writes, exchange values between barriers, and add to sums
//! without looking at them; at its end each thread stores a digest of all its registers.
//!
//! Two things occur of which the manual does not say what they give, but margay does: `shfl` from a lane that does not take
//! part, and barriers that threads which have ended never come to.

mod atomics;
mod control;
pub mod forms;
mod functions;
mod handshake;
pub mod launch;
mod memory;
mod phases;
mod prints;
mod random;
mod recursion;
mod registers;
pub mod said;
pub mod shrink;
mod statements;
mod threads;
mod writer;

use memory::{CELL, INPUT, OWN, PLANES, STRUCTURE, TABLE};
use random::Random;
use registers::DECLARATIONS;
use std::collections::BTreeSet;
use std::fmt::Write;
use writer::{Place, Traits, Writer};

/// A kernel named `k` and how it is to be launched.
pub struct Kernel {
    pub seed: u64,
    pub size: usize,
    /// Items left out.
    pub dropped: Vec<usize>,
    pub text: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u64,
    /// In the order of the kernel's parameters.
    pub arguments: Vec<Given>,
    /// What occurs in it.
    pub features: BTreeSet<&'static str>,
}

/// An argument.
pub enum Given {
    /// The address of a buffer that holds these bytes before the launch.
    Buffer(Vec<u8>),
    /// A value.
    Bytes(Vec<u8>),
}

/// Threads of a block, odd numbers among them; small ones are drawn more often.
const BLOCKS: [[u32; 3]; 20] = [
    [1, 1, 1],
    [2, 1, 1],
    [7, 1, 1],
    [7, 1, 1],
    [5, 3, 1],
    [16, 1, 1],
    [31, 1, 1],
    [32, 1, 1],
    [32, 1, 1],
    [33, 1, 1],
    [33, 1, 1],
    [8, 4, 2],
    [64, 1, 1],
    [64, 1, 1],
    [32, 2, 1],
    [16, 8, 1],
    [192, 1, 1],
    [3, 11, 2],
    [96, 1, 1],
    [257, 1, 1],
];
const GRIDS: [[u32; 3]; 7] = [[1, 1, 1], [2, 1, 1], [3, 1, 1], [2, 2, 1], [1, 3, 2], [5, 1, 1], [13, 1, 1]];

/// The kernel of a seed, with so many items.
pub fn generate(seed: u64, size: usize) -> Kernel {
    without(seed, size, &[])
}

/// The same without the items of these numbers.
pub fn without(seed: u64, size: usize, dropped: &[usize]) -> Kernel {
    let mut random = Random::new(seed, 0);
    let (block, grid) = (*random.pick(&BLOCKS), *random.pick(&GRIDS));
    let threads = block.iter().product::<u32>() as usize;
    let all = threads * grid.iter().product::<u32>() as usize;
    let traits = Traits {
        threads: all,
        block: threads,
        weak: random.once_in(3),
        exits: random.once_in(3),
        functions: if random.once_in(3) { 1 + random.below(3) as u32 } else { 0 },
        prints: Random::new(seed, 2).once_in(4),
    };
    let dynamic = random.once_in(2);
    let arguments = vec![
        Given::Buffer(random.bytes(INPUT)),
        Given::Buffer(random.bytes(all * OWN)),
        Given::Buffer(random.bytes(all * CELL * PLANES)),
        Given::Buffer(random.bytes(atomics::GLOBAL * atomics::SUM)),
        Given::Buffer(vec![0; all * 8]),
        Given::Bytes(random.bytes(4)),
        Given::Bytes(random.bytes(STRUCTURE)),
    ];
    let mut w = Writer::new(traits, random.clone());
    let (version, target) = (forms::aim().version, forms::aim().target);
    let table: Vec<String> = random.bytes(TABLE).iter().map(u8::to_string).collect();
    let cells = threads * CELL;
    let _ = write!(
        w.text,
        ".version {version}\n.target {target}\n.address_size 64\n.const .align 16 .b8 table[{TABLE}] = {{{}}};\n",
        table.join(",")
    );
    if dynamic {
        w.feature("dynamic shared memory");
        w.text.push_str(".extern .shared .align 16 .b8 cells[];\n");
    }
    if traits.prints {
        w.text.push_str(prints::DECLARATIONS);
    }
    if traits.functions > 0 {
        functions::define(&mut w, seed);
    }
    w.text.push_str(
        ".visible .entry k(.param .u64 in, .param .u64 own, .param .u64 planes, .param .u64 acc, .param .u64 out, \
         .param .u32 n, .param .align 16 .b8 structure[32])\n{\n",
    );
    w.text.push_str(DECLARATIONS);
    if !dynamic {
        let _ = writeln!(w.text, ".shared .align 16 .b8 cells[{cells}];");
    }
    let is_flat = |dim: [u32; 3]| dim[1..] == [1, 1];
    prologue(&mut w, (is_flat(block), is_flat(grid)));
    let place =
        Place { depth: 3, in_function: false, whole: true, writes_shared: true, leave: None, lanes: None };
    for k in (0..size).filter(|k| !dropped.contains(k)) {
        w.random = Random::new(seed, 1000 + k as u64);
        match w.random.below(12) {
            0 if w.random.once_in(2) => handshake::handshake(&mut w, &place),
            0 => threads::arrive(&mut w),
            _ => statements::whole(&mut w, &place),
        }
    }
    w.random = Random::new(seed, 2000);
    epilogue(&mut w, &place);
    let shared_bytes = if dynamic { cells as u64 } else { 0 };
    Kernel {
        seed,
        size,
        dropped: dropped.to_vec(),
        text: w.text,
        grid,
        block,
        shared_bytes,
        arguments,
        features: w.features,
    }
}

/// Addresses, numbers, and first values of registers and of what each thread has to itself.
fn prologue(w: &mut Writer, flat: (bool, bool)) {
    w.text.push_str(".shared .align 16 .b8 sums[64];\n.shared .align 8 .b64 phases[2];\n.local .align 16 .b8 depot[64];\n.local .align 16 .b8 hidden[16];\n");
    number(&mut w.text, "%t", ["%tid", "%ntid"], flat.0);
    number(&mut w.text, "%y3", ["%ctaid", "%nctaid"], flat.1);
    let _ = write!(
        w.text,
        "mad.lo.u32 %gid, %y3, {}, %t;\n\
         ld.param.u64 %in, [in];\nld.param.u64 %own, [own];\nld.param.u64 %plane, [planes];\nld.param.u64 %acc, [acc];\n\
         ld.param.u64 %out, [out];\nmad.wide.u32 %own, %gid, {OWN}, %own;\nmad.wide.u32 %plane, %gid, {CELL}, %plane;\n\
         mad.wide.u32 %out, %gid, 8, %out;\nmov.u32 %y0, cells;\nmad.lo.u32 %cell, %t, {CELL}, %y0;\n\
         cvt.u64.u32 %gcell, %cell;\ncvta.shared.u64 %gcell, %gcell;\n\
         ld.param.u32 %u0, [n];\nadd.u32 %u0, %u0, %y3;\nand.b32 %y0, %y3, 255;\nmad.wide.u32 %x0, %y0, 16, %in;\n\
         ld.global.u32 %u1, [%x0];\nld.global.v2.u64 {{%x0, %x1}}, [%own];\n",
        w.traits.block
    );
    registers::initial(&mut w.text, "%x0", "%x1");
    functions::local(&mut w.text);
    w.text.push_str("mov.u32 %v0, 0;\nst.local.v4.u32 [hidden], {%r0, %r1, %r2, %r3};\n");
    let first = w.label();
    let _ = write!(
        w.text,
        "st.shared.v2.u64 [%cell], {{%d0, %d1}};\nsetp.ne.u32 %lp, %t, 0;\n@%lp bra L{first};\n\
         st.shared.v2.u64 [sums], {{1, 2}};\nst.shared.v2.u64 [sums+16], {{3, 4}};\nst.shared.v2.u64 [sums+32], {{5, 6}};\n\
         st.shared.v2.u64 [sums+48], {{7, 8}};\nL{first}:\nbar.sync 0;\n"
    );
}

/// Puts the number of a thread in its block, or of a block in the grid, in a register.
fn number(text: &mut String, register: &str, [at, of]: [&str; 2], flat: bool) {
    let _ = match flat {
        true => writeln!(text, "mov.u32 {register}, {at}.x;"),
        false => write!(
            text,
            "mov.u32 %y0, {at}.z;\nmov.u32 %y1, {of}.y;\nmov.u32 %y2, {at}.y;\nmad.lo.u32 %y0, %y0, %y1, %y2;\n\
             mov.u32 %y1, {of}.x;\nmov.u32 %y2, {at}.x;\nmad.lo.u32 {register}, %y0, %y1, %y2;\n"
        ),
    };
}

/// Takes the sums of the block into the digest, and stores it.
fn epilogue(w: &mut Writer, place: &Place) {
    registers::digest(&mut w.text);
    w.text.push_str(
        "bar.sync 0;\nand.b32 %y0, %t, 7;\nmov.u32 %y1, sums;\nmad.lo.u32 %y0, %y0, 8, %y1;\nld.shared.u64 %x0, [%y0];\n\
         mad.lo.u64 %digest, %digest, 7, %x0;\n",
    );
    if w.random.once_in(8) {
        handshake::section(w, place);
        registers::digest(&mut w.text);
    }
    w.text.push_str("st.global.u64 [%out], %digest;\nret;\n}\n");
}
