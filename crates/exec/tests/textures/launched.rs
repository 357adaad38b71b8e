//! Kernels of one block on both engines, at all levels.

use margay_exec::{Argument, Engine, Launch, Memory, Program, Simd, parameter_block};
use margay_front::module::Module;
use margay_isa::texture::TextureDescriptor;

/// Threads of a block.
pub const THREADS: usize = 40;

/// What a launch is given: texels, what describes them (the address of the texels is filled in), a sampler of its own, and numbers.
pub struct Given<'g> {
    pub texels: &'g [u8],
    pub texture: TextureDescriptor,
    pub sampler: Option<TextureDescriptor>,
    /// For each thread so many words.
    pub numbers: &'g [u32],
    /// Words of a thread's result.
    pub results: usize,
}

/// What it leaves: results and texels.
#[derive(Clone, PartialEq, Debug)]
pub struct Left {
    pub results: Vec<u32>,
    pub texels: Vec<u8>,
}

/// The text of a kernel: each thread has its words in `%n0` and so on, and stores `%r0` and so on.
pub fn kernel(independent: bool, numbers: usize, results: usize, what: &str) -> String {
    let read: String = (0..numbers).map(|k| format!("ld.global.b32 %n{k}, [%from + {}];\n", 4 * k)).collect();
    let write: String = (0..results).map(|k| format!("st.global.b32 [%to + {}], %r{k};\n", 4 * k)).collect();
    format!(
        ".version 8.7\n.target sm_90{}\n.address_size 64\n\
         .visible .entry k(.param .u64 t, .param .u64 s, .param .u64 from, .param .u64 to) {{\n\
         .reg .b64 %t, %s, %from, %to, %w, %l<4>; .reg .b32 %x, %n<40>, %r<8>; .reg .b16 %h<8>; .reg .pred %p;\n\
         ld.param.u64 %t, [t]; ld.param.u64 %s, [s]; ld.param.u64 %from, [from]; ld.param.u64 %to, [to];\n\
         mov.u32 %x, %tid.x; mul.wide.u32 %w, %x, {}; add.u64 %from, %from, %w; mul.wide.u32 %w, %x, {}; add.u64 %to, %to, %w;\n\
         {read}{what}\n{write}ret;\n}}\n",
        if independent { ", texmode_independent" } else { "" },
        4 * numbers,
        4 * results,
    )
}

/// A module.
///
/// # Panics
/// If the text is refused.
pub fn module(text: &str) -> Module {
    margay_front::compile(text).unwrap_or_else(|errors| panic!("{:?}\n{text}", errors[0]))
}

fn run(module: &Module, given: &Given, engine: Engine, simd: Option<Simd>) -> Result<(Left, u64), String> {
    let mut memory = Memory::new(64);
    let program = Program::load(module, &mut memory).unwrap();
    let mut buffer = |bytes: &[u8], name: &str| {
        let address = memory.alloc(bytes.len().max(1) as u64, name).unwrap();
        memory.write(address, bytes).unwrap();
        address
    };
    let texels = buffer(given.texels, "texels");
    let mut texture = given.texture;
    texture.texels.address = texture.texels.address.wrapping_add(texels);
    let bytes: Vec<u8> = given.numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    let from = buffer(&bytes, "from");
    let to = buffer(&vec![0; 4 * given.results * THREADS], "to");
    let texture = memory.alloc_texture(&texture, "texture").unwrap();
    let sampler = given.sampler.map_or(texture, |sampler| memory.alloc_texture(&sampler, "sampler").unwrap());
    let arguments = [texture, sampler, from, to].map(Argument::Address);
    let entry = module.entry("k").unwrap();
    let launch = Launch {
        block: (THREADS as u32).into(),
        parameters: parameter_block(module.function(entry), 64, &arguments).unwrap(),
        engine,
        simd,
        workers: 1,
        ..Launch::new(entry)
    };
    let report = launch.run(&program, &memory).map_err(|error| error.to_string())?;
    let words = memory.read(to, 4 * (given.results * THREADS) as u64).unwrap();
    let results = words.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let texels = memory.read(texels, given.texels.len() as u64).unwrap();
    Ok((Left { results, texels }, report.handed_over))
}

/// What a kernel leaves, which is the same on both engines; or how it ends.
pub fn everywhere(text: &str, given: &Given) -> Result<Left, String> {
    let module = module(text);
    let golden = run(&module, given, Engine::Golden, None);
    for simd in Simd::available() {
        let batch = run(&module, given, Engine::Batch, Some(*simd));
        if let Ok((_, handed)) = batch {
            assert_eq!(handed, 0, "{simd:?}: handed over\n{text}");
        }
        assert_eq!(batch.map(|(left, _)| left), golden.clone().map(|(left, _)| left), "{simd:?}\n{text}");
    }
    golden.map(|(left, _)| left)
}
