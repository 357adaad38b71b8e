//! A kernel around one instruction on matrices: registers from one buffer, results to another, a third in shared memory or not.

use margay_exec::{Argument, Engine, Launch, Memory, Program, Report, Sanitize, Simd, parameter_block};
use margay_front::module::Module;
use margay_isa::syntax::Template;
use margay_isa::{Inst, Operand, Role, Target, TypeRule};

/// Bytes of the buffer that instructions with an address use.
pub const DATA: usize = 8192;

/// An instruction with its operands, and how many registers of which width each thread reads and writes.
pub struct Item {
    /// What goes before it.
    pub before: String,
    pub text: String,
    pub sources: Vec<u32>,
    pub results: Vec<u32>,
}

/// What stands for operands that are no registers of matrices.
#[derive(Clone, Copy)]
pub struct Given<'g> {
    /// In the brackets of an address.
    pub address: &'g str,
    /// The stride, if one is written.
    pub stride: Option<&'g str>,
    /// A word for each operand that takes constants alone, by its name.
    pub constant: &'g dyn Fn(&str) -> i64,
}

/// The instruction, with registers `%s…` that are read and `%d…` that are written.
pub fn item(inst: &Inst, given: Given) -> Item {
    let mut item =
        Item { before: String::new(), text: String::new(), sources: Vec::new(), results: Vec::new() };
    let mut operands = Vec::new();
    for (template, operand) in inst.operands() {
        if template.address {
            operands.push(given.address.to_string());
        } else if template.name == "stride" {
            operands.extend(given.stride.map(str::to_string));
        } else {
            operands.push(written(inst, template, operand, given, &mut item));
        }
    }
    let operands: Vec<&str> = operands.iter().map(String::as_str).collect();
    item.text = inst.statement(&operands);
    item
}

fn written(inst: &Inst, template: &Template, operand: &Operand, given: Given, item: &mut Item) -> String {
    let count = inst.elements(template);
    let takes_constants =
        |name: &str| matches!(name, "selector" | "byte_a" | "byte_b" | "thread_a" | "thread_b");
    if takes_constants(template.name) {
        let words: Vec<String> =
            (0..count.max(1)).map(|k| (given.constant)(template.element(k)).to_string()).collect();
        return if count > 0 { format!("{{{}}}", words.join(", ")) } else { words.join(", ") };
    }
    let width = match operand.ty {
        TypeRule::Address => 64,
        rule => inst.operand_type(rule).unwrap().width().max(32),
    };
    let (list, letter) = match operand.role {
        Role::Source => (&mut item.sources, 's'),
        Role::Destination => (&mut item.results, 'd'),
    };
    let names: Vec<String> = (0..count.max(1))
        .map(|_| {
            list.push(width);
            format!("%{letter}{}_{width}", list.len() - 1)
        })
        .collect();
    if count > 0 { format!("{{{}}}", names.join(", ")) } else { names.join(", ") }
}

/// A kernel of any number of warps: `in` holds 8 bytes for each register that is read and each thread, `out` for those that are
/// written, `data` is copied to shared memory before and from there after if it is wanted there.
pub fn kernel(items: &[Item], target: &str, shared: bool) -> String {
    let most = |of: fn(&Item) -> &Vec<u32>| items.iter().map(|item| of(item).len()).max().unwrap_or(0);
    let (sources, results) = (most(|item| &item.sources), most(|item| &item.results));
    let mut text = format!(
        ".version 9.1\n.target {target}\n.address_size 64\n.shared .align 128 .b8 tile[{DATA}];\n\
         .visible .entry k(.param .u64 in, .param .u64 out, .param .u64 data, .param .u32 stride) {{\n\
         .reg .b64 %in, %out, %data, %at, %address, %w; .reg .b32 %t, %n, %stride, %k, %x, %lane; .reg .pred %p;\n"
    );
    for k in 0..sources {
        text += &format!(".reg .b32 %s{k}_32; .reg .b64 %s{k}_64;\n");
    }
    for k in 0..results {
        text += &format!(".reg .b32 %d{k}_32; .reg .b64 %d{k}_64;\n");
    }
    text += "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u64 %data, [data]; ld.param.u32 %stride, [stride];\n\
             cvta.to.global.u64 %in, %in; cvta.to.global.u64 %out, %out; cvta.to.global.u64 %data, %data;\n\
             mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; mov.u32 %lane, %laneid;\n\
             mul.wide.u32 %at, %t, 8; add.u64 %in, %in, %at; add.u64 %out, %out, %at; mul.wide.u32 %w, %n, 8;\n";
    let copy = |from: &str, to: &str, label: &str| {
        format!(
            "mov.u32 %k, %t;\n{label}:\nmul.wide.u32 %at, %k, 4;\nadd.u64 %address, %data, %at;\n\
             {from}\n{to}\nadd.u32 %k, %k, %n; setp.lt.u32 %p, %k, {};\n@%p bra {label};\nbar.sync 0;\n",
            DATA / 4
        )
    };
    if shared {
        text += &copy(
            "ld.global.u32 %x, [%address];",
            "mov.u64 %address, tile; add.u64 %address, %address, %at; st.shared.u32 [%address], %x;",
            "to",
        );
    }
    for item in items {
        for (k, width) in item.sources.iter().enumerate() {
            text += &format!("ld.global.b{width} %s{k}_{width}, [%in]; add.u64 %in, %in, %w;\n");
        }
        text += "// the instruction\n";
        // Each lane's row of 16 bytes, at another place in each warp.
        text += "and.b32 %x, %t, 255; mul.wide.u32 %at, %x, 16; mov.u64 %address, tile; add.u64 %address, %address, %at;\n";
        text += &format!("{}{};\n", item.before, item.text);
        for (k, width) in item.results.iter().enumerate() {
            text += &format!("st.global.b{width} [%out], %d{k}_{width}; add.u64 %out, %out, %w;\n");
        }
    }
    if shared {
        text += "bar.sync 0;\n";
        text += &copy(
            "mov.u64 %w, tile; add.u64 %w, %w, %at; ld.shared.u32 %x, [%w];",
            "st.global.u32 [%address], %x;",
            "from",
        );
    }
    text + "ret;\n}\n"
}

/// What a launch leaves: `out` and `data`, and what it reports; or why it stopped.
pub struct Left {
    pub out: Vec<u64>,
    pub data: Vec<u8>,
    pub report: Result<Report, String>,
}

/// How a launch is made.
#[derive(Clone, Copy)]
pub struct How {
    pub engine: Engine,
    pub threads: u32,
    pub stride: u32,
    pub device: Option<Target>,
    pub sanitize: Sanitize,
    /// The vector instructions of the batch engine; without, the best there are.
    pub simd: Option<Simd>,
}

pub const GOLDEN: How = How {
    engine: Engine::Golden,
    threads: 32,
    stride: 0,
    device: None,
    sanitize: Sanitize { memory: false, init: false, race: false, sync: false },
    simd: None,
};

pub fn compiled(text: &str) -> Module {
    margay_front::compile(text).unwrap_or_else(|errors| panic!("{:?}\n{text}", errors[0]))
}

/// Runs a kernel of [`kernel`] with so many words of results.
pub fn run(module: &Module, input: &[u64], results: usize, data: &[u8], how: How) -> Left {
    let mut memory = Memory::new(64);
    let program = Program::load(module, &mut memory).unwrap();
    let mut buffer = |bytes: &[u8], name: &str| {
        let address = memory.alloc(bytes.len().max(8) as u64, name).unwrap();
        memory.write(address, bytes).unwrap();
        address
    };
    let words: Vec<u8> = input.iter().flat_map(|word| word.to_le_bytes()).collect();
    let given = buffer(&words, "in");
    let out = buffer(&vec![0xcd; 8 * results], "out");
    let at = buffer(data, "data");
    let entry = module.entry("k").unwrap();
    let arguments = [
        Argument::Address(given),
        Argument::Address(out),
        Argument::Address(at),
        Argument::Bytes(how.stride.to_le_bytes().to_vec()),
    ];
    let launch = Launch {
        block: how.threads.into(),
        parameters: parameter_block(module.function(entry), 64, &arguments).unwrap(),
        engine: how.engine,
        device: how.device,
        sanitize: how.sanitize,
        simd: how.simd,
        workers: 1,
        ..Launch::new(entry)
    };
    let report = launch.run(&program, &memory).map_err(|error| error.to_string());
    let left = memory.read(out, 8 * results as u64).unwrap();
    let out = left.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect();
    Left { out, data: memory.read(at, data.len() as u64).unwrap(), report }
}
