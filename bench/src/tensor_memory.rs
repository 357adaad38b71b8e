//! Products into tensor memory, whose factors lie in shared memory: a kernel on both engines.

use crate::warpgroups::Kernel;
use margay_isa::Word;

/// The kind, the types of D and of A (and B), and what says so in the instruction's descriptor.
type Case = (&'static str, Word, Word, u32);

const CASES: [Case; 5] = [
    ("f16", Word::F32, Word::F16, 1 << 4),
    ("f16", Word::F16, Word::F16, 0),
    ("tf32", Word::F32, Word::Tf32, 1 << 4 | 2 << 7 | 2 << 10),
    ("f8f6f4", Word::F32, Word::E4m3, 1 << 4),
    ("i8", Word::S32, Word::S8, 2 << 4 | 1 << 7 | 1 << 10),
];

/// How often a thread multiplies, and rows of A and columns of B.
const TURNS: u32 = 20;
const ROWS: usize = 128;
const COLUMNS: usize = 128;
/// Products of 16 rows and 8 columns of one instruction.
const EACH: usize = ROWS / 16 * COLUMNS / 8;
/// Words of A's rows and of B's columns, 32 bytes each.
const WORDS: usize = (ROWS + COLUMNS) * 8;
/// Columns that are stored.
const STORED: usize = 32;

fn kernel((kind, _, a, types): Case) -> Kernel {
    let names: Vec<String> = (0..STORED).map(|r| format!("%d{r}")).collect();
    let stores: String = names
        .iter()
        .enumerate()
        .map(|(r, name)| format!("st.global.b32 [%out+{}], {name};\n", 512 * r))
        .collect();
    let instruction = types | (COLUMNS as u32 / 8) << 17 | (ROWS as u32 / 16) << 24;
    let list = names.join(", ");
    // Core matrices follow each other: along the depth first, then down.
    let text = format!(
        ".version 8.6\n.target sm_100a\n.address_size 64\n.shared .align 128 .b32 tiles[{WORDS}];\n\
         .shared .b64 done; .shared .b32 where;\n\
         .visible .entry products(.param .u64 in, .param .u64 out) {{\n\
         .reg .b32 %d<64>, %turn, %t, %k, %x, %c; .reg .b64 %in, %out, %at, %place, %a, %b; .reg .pred %more, %one;\n\
         ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %at, %t, 4; add.u64 %out, %out, %at;\n\
         setp.eq.u32 %one, %t, 0; @%one mbarrier.init.shared.b64 [done], 1;\n\
         setp.lt.u32 %more, %t, 32; @!%more bra copies;\n\
         tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], {COLUMNS};\ncopies:\n\
         mov.u32 %k, %t;\ncopy:\nmul.wide.u32 %at, %k, 4; add.u64 %place, %in, %at; ld.global.u32 %x, [%place];\n\
         mov.u64 %place, tiles; add.u64 %place, %place, %at; st.shared.u32 [%place], %x;\n\
         add.u32 %k, %k, 128; setp.lt.u32 %more, %k, {WORDS}; @%more bra copy;\nbar.sync 0;\n\
         ld.shared.u32 %c, [where]; @!%one bra wait;\n\
         mov.u64 %a, tiles; shr.u64 %a, %a, 4; or.b64 %a, %a, 0x401000080000; add.u64 %b, %a, {};\n\
         mov.u32 %turn, {TURNS}; mov.u32 %x, 0;\nagain:\nsetp.ne.u32 %more, %x, 0;\n\
         tcgen05.mma.cta_group::1.kind::{kind} [%c], %a, %b, {instruction}, %more;\n\
         add.u32 %x, %x, 1; setp.lt.u32 %more, %x, %turn; @%more bra again;\n\
         tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [done];\nwait:\n\
         mbarrier.try_wait.parity.shared.b64 %more, [done], 0; @!%more bra wait;\n\
         shr.u32 %x, %t, 5; shl.b32 %x, %x, 21; add.u32 %x, %x, %c;\n\
         tcgen05.ld.sync.aligned.32x32b.x{STORED}.b32 {{{list}}}, [%x]; tcgen05.wait::ld.sync.aligned;\n\
         bar.sync 0; setp.lt.u32 %more, %t, 32; @!%more bra end;\n\
         tcgen05.dealloc.cta_group::1.sync.aligned.b32 %c, {COLUMNS};\nend:\n{stores}ret;\n}}\n",
        ROWS * 32 / 16
    );
    Kernel::of(&text, STORED, (a, WORDS))
}

/// Prints what a product of 16 rows and 8 columns takes of one into tensor memory.
pub fn run(rounds: usize) {
    println!("\nthe same of products into tensor memory (tcgen05) of {ROWS} rows and {COLUMNS} columns:");
    println!("{:24} {:>8} {:>7} {:>8}", "", "batch", "spread", "golden");
    for case in CASES {
        let (kind, d, a, _) = case;
        kernel(case).measure(&format!("sm_100a {kind} {d}.{a}"), TURNS as usize * EACH, rounds);
    }
}
