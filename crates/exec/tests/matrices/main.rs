//! Instructions on matrices: every form gives the same on both engines, elements go where layouts say, and what is misused is told.

mod constants;
mod kernel;
mod loaded;
mod loops;
#[allow(dead_code, reason = "other tests use more of it")]
#[path = "../support/random_kernel/random.rs"]
mod random;

use kernel::{DATA, GOLDEN, Given, How, Item, Left, compiled, item, kernel, run};
use margay_exec::{Engine, Simd};
use margay_isa::{Floor, Inst, Meaning, PAGES, Page, Slot, Target, Version, Word, forms};
use random::Random;

const VERSION: &str = "9.1";
const TARGET: &str = "sm_120a";

/// Pages of instructions that whole warps carry out on matrices.
fn pages() -> impl Iterator<Item = &'static Page> {
    PAGES.iter().copied().filter(|page| matches!(page.meaning, Meaning::Fragments(_) | Meaning::Tiles(_)))
}

/// Their forms that exist where the kernels are for.
fn all_forms(page: &'static Page) -> Vec<Inst> {
    let (version, target): (Version, Target) = (VERSION.parse().unwrap(), TARGET.parse().unwrap());
    let reached = |floor: &Floor| floor.version <= version && floor.targets.contains(target);
    let mut all = forms::forms(page, page.opcodes[0], 0, &mut || 0);
    all.retain(|inst| {
        let ended = inst.until().is_some_and(|end| reached(&end));
        inst.runs() && !ended && inst.floors().iter().all(|(_, floor)| reached(floor))
    });
    all
}

/// An instruction with addresses that suit it, at the start of its memory or in rows by lane.
fn placed(inst: &Inst, stride: Option<&str>, constant: &dyn Fn(&str) -> i64) -> Item {
    let mut item = item(inst, Given { address: "%address", stride, constant });
    let by_lanes = inst.opcode() != "wmma";
    item.before = match inst[Slot::Space] {
        Word::Global => "mov.u64 %address, %data;\n".into(),
        space => {
            let start = if by_lanes { "" } else { "mov.u64 %address, tile;\n" };
            let generic = if space == Word::Absent { "cvta.shared.u64 %address, %address;\n" } else { "" };
            format!("{start}{generic}")
        }
    };
    item
}

/// Random bits of which many are those of small numbers.
fn bits(random: &mut Random) -> u64 {
    match random.below(4) {
        0 => random.next(),
        1 => random.next() & 0x8f8f_8f8f_8f8f_8f8f,
        2 => 0x3c00_3c00_3c00_3c00 ^ random.next() & 0x83ff_83ff_83ff_83ff,
        _ => [0, u64::MAX, 0x7c00_7f80_7f80_0000, 0x8000_8000_8000_8000][random.below(4)],
    }
}

fn bytes(random: &mut Random) -> Vec<u8> {
    (0..DATA / 8).flat_map(|_| bits(random).to_le_bytes()).collect()
}

/// The same on both engines and with all vector instructions there are, without a block that is handed over.
fn same(text: &str, input: &[u64], results: usize, data: &[u8], how: How) -> Left {
    let module = compiled(text);
    let golden = run(&module, input, results, data, How { engine: Engine::Golden, ..how });
    for simd in Simd::available() {
        let how = How { engine: Engine::Batch, simd: Some(*simd), ..how };
        let batch = run(&module, input, results, data, how);
        let [one, other] =
            [&golden.report, &batch.report].map(|r| r.as_ref().unwrap_or_else(|e| panic!("{e}\n{text}")));
        assert_eq!((one.instructions, 0), (other.instructions, other.handed_over), "{simd:?}: {text}");
        assert_eq!(golden.out, batch.out, "{simd:?}: {text}");
        assert_eq!(golden.data, batch.data, "{simd:?}: {text}");
    }
    golden
}

#[test]
fn every_form_gives_the_same_on_both_engines() {
    let mut random = Random::new(1, 1);
    let data = bytes(&mut random);
    let mut judged = 0;
    for page in pages() {
        for (k, inst) in all_forms(page).into_iter().enumerate() {
            let stores = matches!(page.meaning, Meaning::Tiles(tiles) if tiles(&inst).stores);
            let threads = if stores { 32 } else { 96 };
            let stride = (k % 2 == 0).then_some("%stride");
            let item = placed(&inst, stride, &|_| 0);
            let (sources, results) = (item.sources.len(), item.results.len());
            let input: Vec<u64> = (0..sources * threads as usize).map(|_| bits(&mut random)).collect();
            let text = kernel(&[item], TARGET, true);
            let device = [None, "sm_80".parse().ok(), "sm_90".parse().ok()][k % 3];
            let how = How { threads, stride: 64, device, ..GOLDEN };
            same(&text, &input, results * threads as usize, &data, how);
            judged += 1;
        }
    }
    println!("{judged} forms");
    assert!(judged > 600, "only {judged} forms were judged");
}
