//! An instruction on every combination of some operands.

use crate::asked::{Asked, Part};
use crate::experiments::Inputs;
use crate::one::{DECLARATIONS, One};
use crate::probe::{Given, Probe};

const BLOCK: usize = 256;

/// The results of all combinations.
///
/// # Errors
/// If there is no such form.
pub fn asked(form: &'static str, inputs: Inputs, target: &str) -> Result<Asked, String> {
    let one = One::new(form)?;
    let sources = one.sources();
    let count = inputs.count(sources) as usize;
    let threads = count.next_multiple_of(BLOCK);
    let value = move |index: usize, source: usize| inputs.value(index.min(count - 1) as u64, source);
    let given = (0..threads).flat_map(|index| (0..sources).map(move |k| value(index, k)));
    let mut lines: String =
        (0..sources).map(|k| format!("ld.global.u64 %s{k}, [%in+{}];\n", 8 * k)).collect();
    lines += &one.lines();
    let text = format!(
        ".version 8.1\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{{\n{DECLARATIONS}\
         .reg .b32 %x, %y; .reg .b64 %in, %at;\nld.param.u64 %in, [in]; ld.param.u64 %cell, [out];\n\
         mov.u32 %x, %ctaid.x; mov.u32 %y, %tid.x; mad.lo.u32 %x, %x, {BLOCK}, %y;\n\
         mul.wide.u32 %at, %x, {}; add.u64 %in, %in, %at; mul.wide.u32 %at, %x, 8; add.u64 %cell, %cell, %at;\n\
         {lines}st.global.u64 [%cell], %d;\nret;\n}}\n",
        8 * sources
    );
    let probe = Probe {
        text,
        entry: "k".into(),
        grid: [(threads / BLOCK) as u32, 1, 1],
        block: [BLOCK as u32, 1, 1],
        shared_bytes: 0,
        arguments: vec![Given::Buffer(given.flat_map(u64::to_le_bytes).collect()), Given::Zeros(8 * threads)],
    };
    let part = Part { name: form.into(), buffer: 1, bytes: 0..8 * count };
    let sources = move |_, place: usize| {
        (0..sources).map(|k| format!("{:x}", value(place, k))).collect::<Vec<_>>().join(" ")
    };
    Ok(Asked { probe, parts: vec![part], sources: Box::new(sources), smaller: None, closer: None })
}
