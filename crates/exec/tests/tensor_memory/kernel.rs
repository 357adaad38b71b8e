//! Kernels that fill tensor memory, do something there, and write all of it out; and their launches on both engines.

use margay_exec::{Argument, Engine, Launch, Memory, Program, Report, Simd, parameter_block};
use margay_front::module::Module;

/// Bytes of shared memory that descriptors tell of. They lie at its beginning.
pub const SHARED: usize = 0xb000;
/// Lanes of tensor memory, which are as many as a block has threads, and columns.
pub const LANES: usize = 128;
pub const COLUMNS: usize = 512;
/// Words that a thread is given, and that it hands out.
pub const WORDS: usize = 132;

/// What a block has: shared memory, tensor memory lane by lane, words of each thread.
#[derive(Clone, PartialEq)]
pub struct Block {
    pub picture: Vec<u8>,
    pub cells: Vec<u32>,
    pub words: Vec<u32>,
}

/// A word of tensor memory in the list of a block's cells.
pub fn at(lane: usize, column: usize) -> usize {
    assert!(lane < LANES && column < COLUMNS, "lane {lane}, column {column}");
    lane * COLUMNS + column
}

/// A kernel around what all threads do, which may use `%w0` and so on, `%x`, `%p`, `%adds`, `%address` and labels of their own.
pub fn kernel(body: &str) -> String {
    let words: Vec<String> = (0..32).map(|k| format!("%w{k}")).collect();
    let four = |k: usize| words[4 * k..][..4].join(", ");
    let all = words.join(", ");
    let each = |line: &dyn Fn(usize) -> String| (0..8).map(line).collect::<String>();
    let read = each(&|k| format!("ld.global.v4.b32 {{{}}}, [%address+{}];\n", four(k), 16 * k));
    let write = each(&|k| format!("st.global.v4.b32 [%address+{}], {{{}}};\n", 16 * k, four(k)));
    let rows = |buffer: &str, label: &str, what: &str| {
        format!(
            "mov.u32 %k, 0;\n{label}:\nmul.wide.u32 %at, %k, 4; add.u64 %address, {buffer}, %at; add.u32 %x, %own, %k;\n\
             {what}add.u32 %k, %k, 32; setp.lt.u32 %p, %k, {COLUMNS};\n@%p bra {label};\n"
        )
    };
    let store = format!("{read}tcgen05.st.sync.aligned.32x32b.x32.b32 [%x], {{{all}}};\n");
    let load = format!(
        "tcgen05.ld.sync.aligned.32x32b.x32.b32 {{{all}}}, [%x];\ntcgen05.wait::ld.sync.aligned;\n{write}"
    );
    format!(
        ".version 9.1\n.target sm_100a\n.address_size 64\n\
         .shared .align 1024 .b8 tile[{SHARED}];\n.shared .align 8 .b64 done;\n.shared .align 4 .b32 taken;\n\
         .visible .entry k(.param .u64 picture, .param .u64 in, .param .u64 out, .param .u64 given, .param .u64 got) {{\n\
         .reg .b64 %picture, %in, %out, %given, %got, %at, %address, %descA, %descB;\n\
         .reg .b32 %t, %k, %x, %block, %base, %own, %bar, %w<{WORDS}>; .reg .pred %p, %adds;\n\
         ld.param.u64 %picture, [picture]; ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n\
         ld.param.u64 %given, [given]; ld.param.u64 %got, [got];\n\
         mov.u32 %t, %tid.x; mov.u32 %block, %ctaid.x; mov.u32 %k, %t;\n\
         mul.wide.u32 %at, %block, {SHARED}; add.u64 %picture, %picture, %at;\n\
         copy:\nmul.wide.u32 %at, %k, 16; add.u64 %address, %picture, %at; ld.global.v4.u32 {{%w0, %w1, %w2, %w3}}, [%address];\n\
         mov.u64 %address, tile; add.u64 %address, %address, %at; st.shared.v4.u32 [%address], {{%w0, %w1, %w2, %w3}};\n\
         add.u32 %k, %k, {LANES}; setp.lt.u32 %p, %k, {};\n@%p bra copy;\n\
         mad.lo.u32 %x, %block, {LANES}, %t;\n\
         mul.wide.u32 %at, %x, {}; add.u64 %in, %in, %at; add.u64 %out, %out, %at;\n\
         mul.wide.u32 %at, %x, {}; add.u64 %given, %given, %at; add.u64 %got, %got, %at;\n\
         setp.ge.u32 %p, %t, 32;\n@%p bra begun;\n\
         tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [taken], {COLUMNS};\n\
         tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n\
         begun:\nmov.u32 %bar, done; setp.eq.u32 %p, %t, 0;\n@%p mbarrier.init.shared::cta.b64 [%bar], 1;\n\
         bar.sync 0;\nld.shared.b32 %base, [taken];\n\
         shr.u32 %x, %t, 5; shl.b32 %x, %x, 21; add.u32 %own, %base, %x;\n\
         {}tcgen05.wait::st.sync.aligned;\n\
         fence.proxy.async;\ntcgen05.fence::before_thread_sync;\nbar.sync 0;\ntcgen05.fence::after_thread_sync;\n\
         {body}{}bar.sync 0;\nsetp.ge.u32 %p, %t, 32;\n@%p bra over;\n\
         tcgen05.dealloc.cta_group::1.sync.aligned.b32 %base, {COLUMNS};\nover:\nret;\n}}\n",
        SHARED / 16,
        4 * COLUMNS,
        4 * WORDS,
        rows("%in", "fill", &store),
        rows("%out", "show", &load),
    )
}

/// One thread does something, and all wait until it is done.
pub fn once(thread: usize, what: &str) -> String {
    format!(
        "setp.ne.u32 %p, %t, {thread};\n@%p bra behind;\n{what}\n\
         tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%bar];\nbehind:\nbar.sync 0;\n\
         wait:\nmbarrier.try_wait.parity.shared::cta.b64 %p, [%bar], 0;\n@!%p bra wait;\ntcgen05.fence::after_thread_sync;\n"
    )
}

/// What a launch on both engines leaves, the batch engine with every level of vector instructions that the machine has.
pub fn run(text: &str, blocks: &[Block]) -> Vec<Block> {
    let module = margay_front::compile(text).unwrap_or_else(|errors| panic!("{:?}\n{text}", errors[0]));
    let left = |engine, simd| launch(&module, blocks, engine, simd).unwrap_or_else(|error| panic!("{error}"));
    let (golden, report) = left(Engine::Golden, None);
    for simd in Simd::available() {
        let (batch, other) = left(Engine::Batch, Some(*simd));
        assert_eq!((report.instructions, 0), (other.instructions, other.handed_over), "{simd:?}\n{text}");
        assert!(golden == batch, "{simd:?}\n{text}");
    }
    golden
}

/// What a launch on both engines leaves, or why it ends: the same on both.
pub fn run_or_end(text: &str, blocks: &[Block]) -> Result<Vec<Block>, String> {
    let module = margay_front::compile(text).unwrap_or_else(|errors| panic!("{:?}\n{text}", errors[0]));
    let left = |engine| launch(&module, blocks, engine, None).map(|(left, _)| left);
    let (golden, batch) = (left(Engine::Golden), left(Engine::Batch));
    match (&golden, &batch) {
        (Ok(golden), Ok(batch)) => assert!(golden == batch, "{text}"),
        _ => assert_eq!(golden.as_ref().err(), batch.as_ref().err(), "{text}"),
    }
    golden
}

fn launch(
    module: &Module,
    blocks: &[Block],
    engine: Engine,
    simd: Option<Simd>,
) -> Result<(Vec<Block>, Report), String> {
    let mut memory = Memory::new(64);
    let program = Program::load(module, &mut memory).unwrap();
    let mut buffer = |bytes: &[u8], name: &str| {
        let address = memory.alloc(bytes.len() as u64, name).unwrap();
        memory.write(address, bytes).unwrap();
        address
    };
    let bytes = |words: &dyn Fn(&Block) -> &[u32]| -> Vec<u8> {
        blocks.iter().flat_map(|block| words(block).iter().flat_map(|word| word.to_le_bytes())).collect()
    };
    let pictures: Vec<u8> = blocks.iter().flat_map(|block| &block.picture).copied().collect();
    let (cells, words) = (bytes(&|block| &block.cells), bytes(&|block| &block.words));
    let (out, got) = (buffer(&vec![0xcd; cells.len()], "out"), buffer(&vec![0; words.len()], "got"));
    let [picture, input, given] =
        [(&pictures, "picture"), (&cells, "in"), (&words, "given")].map(|(bytes, name)| buffer(bytes, name));
    let entry = module.entry("k").unwrap();
    let arguments = [picture, input, out, given, got].map(Argument::Address);
    let launch = Launch {
        grid: (blocks.len() as u32).into(),
        block: (LANES as u32).into(),
        parameters: parameter_block(module.function(entry), 64, &arguments).unwrap(),
        engine,
        simd,
        workers: 1,
        ..Launch::new(entry)
    };
    let report = launch.run(&program, &memory).map_err(|error| error.to_string())?;
    let read = |at: u64, bytes: usize| -> Vec<u32> {
        let bytes = memory.read(at, bytes as u64).unwrap();
        bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
    };
    let (cells, words) = (read(out, cells.len()), read(got, words.len()));
    let left = blocks.iter().zip(cells.chunks(LANES * COLUMNS)).zip(words.chunks(LANES * WORDS));
    let left = left.map(|((block, cells), words)| Block {
        picture: block.picture.clone(),
        cells: cells.to_vec(),
        words: words.to_vec(),
    });
    Ok((left.collect(), report))
}

/// Judges every word of tensor memory.
pub fn judge_cells(left: &[u32], expected: &[u32], what: &str) {
    if let Some(at) = (0..left.len()).find(|at| left[*at] != expected[*at]) {
        let wrong = (0..left.len()).filter(|at| left[*at] != expected[*at]).count();
        let (lane, column) = (at / COLUMNS, at % COLUMNS);
        panic!(
            "lane {lane}, column {column} and {wrong} in all: {:#x}, and not {:#x}: {what}",
            left[at], expected[at]
        );
    }
}
