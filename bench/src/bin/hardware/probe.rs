//! A kernel with its launch and its buffers, which a device and margay carry out alike.

use margay_exec::{Argument, Dim, Engine, Launch, Memory, Program, parameter_block};
use margay_isa::{Semantics, Target};

/// A kernel and how it is launched.
#[derive(Clone)]
pub struct Probe {
    /// The module.
    pub text: String,
    pub entry: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
    /// In the order of the kernel's parameters.
    pub arguments: Vec<Given>,
}

/// An argument.
#[derive(Clone)]
pub enum Given {
    /// The address of a buffer that holds these bytes before the launch.
    Buffer(Vec<u8>),
    /// The address of a buffer of zeros.
    Zeros(usize),
    /// A value.
    Value(Vec<u8>),
}

/// What the buffers hold after a launch, in the order of the parameters; or why it failed.
pub type Left = Result<Vec<Vec<u8>>, String>;

/// What carries out probes.
pub trait Runs {
    /// Carries out a probe.
    fn run(&self, probe: &Probe) -> Left;
}

/// Margay as a device of this architecture.
pub struct Margay {
    pub engine: Engine,
    pub device: Option<Target>,
    /// Whether multiplications and additions are fused as ptxas does.
    pub contract: bool,
}

impl Runs for Margay {
    fn run(&self, probe: &Probe) -> Left {
        let module = margay_front::compile(&probe.text).map_err(|found| {
            let at = found[0].labels.first().map_or(0, |label| label.span.start) as usize;
            let line = probe.text[..at].lines().count().saturating_sub(1);
            format!("not valid: {} in `{}`", found[0].message, probe.text.lines().nth(line).unwrap_or(""))
        })?;
        let mut memory = Memory::new(64);
        let program = Program::load(&module, &mut memory).map_err(|error| error.to_string())?;
        let (mut arguments, mut buffers) = (Vec::new(), Vec::new());
        for (k, given) in probe.arguments.iter().enumerate() {
            let bytes = match given {
                Given::Value(bytes) => {
                    arguments.push(Argument::Bytes(bytes.clone()));
                    continue;
                }
                Given::Buffer(bytes) => bytes.len(),
                Given::Zeros(bytes) => *bytes,
            };
            let at = memory.alloc(bytes as u64, format!("argument {k}")).map_err(|e| e.to_string())?;
            match given {
                Given::Buffer(bytes) => memory.write(at, bytes).map_err(|fault| fault.to_string())?,
                _ => memory.write(at, &vec![0; bytes]).map_err(|fault| fault.to_string())?,
            }
            arguments.push(Argument::Address(at));
            buffers.push((at, bytes as u64));
        }
        let entry = module.entry(&probe.entry).ok_or("no kernel")?;
        let dim = |[x, y, z]: [u32; 3]| Dim::new(x, y, z);
        let launch = Launch {
            grid: dim(probe.grid),
            block: dim(probe.block),
            shared_bytes: probe.shared_bytes.into(),
            parameters: parameter_block(module.function(entry), 64, &arguments).map_err(|e| e.to_string())?,
            engine: self.engine,
            semantics: Semantics::Ptxas13_5,
            device: self.device,
            contract: self.contract,
            ..Launch::new(entry)
        };
        launch.run(&program, &memory).map_err(|error| error.to_string())?;
        buffers.iter().map(|(at, bytes)| memory.read(*at, *bytes).map_err(|f| f.to_string())).collect()
    }
}

/// Words of 64 bits.
pub fn words(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect()
}

/// A hash of words (FNV-1a, a word at a time).
pub fn digest(words: impl IntoIterator<Item = u64>) -> u64 {
    words.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, word| {
        (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29)
    })
}
