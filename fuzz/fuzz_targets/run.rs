//! Any text that is a module: each of its kernels ends, traps or is refused, within a step budget.
#![no_main]

use libfuzzer_sys::fuzz_target;
use margay_exec::{Argument, Launch, Memory, Program, parameter_block};
use margay_front::compile;

fuzz_target!(|text: &str| {
    let Ok(module) = compile(text) else { return };
    let mut memory = Memory::new(module.address_size());
    let Ok(program) = Program::load(&module, &mut memory) else { return };
    for name in module.entries().map(|f| f.name.clone()) {
        let entry = module.entry(&name).expect("an entry of the module");
        let kernel = module.function(entry);
        let arguments: Vec<Argument> =
            kernel.parameters.iter().map(|p| Argument::Bytes(vec![0; p.size as usize])).collect();
        let Ok(parameters) = parameter_block(kernel, module.address_size(), &arguments) else { continue };
        let launch =
            Launch { block: 4.into(), parameters, max_steps: Some(100_000), workers: 1, ..Launch::new(entry) };
        let _ = launch.run(&program, &memory);
    }
});
