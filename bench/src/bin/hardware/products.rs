//! Every form of the instructions on matrices that run, on drawn matrices: products by tensor cores, loads, stores, transpositions.

use crate::asked::Asked;
use crate::draw::Random;
use crate::forms::exists;
use crate::probe::{Given, Probe};
use margay_isa::{Immediate, Inst, Meaning, PAGES, Page, Role, Slot, Target, Version, Word, forms};

#[allow(dead_code, reason = "tests run kernels, too")]
#[path = "../../../../crates/exec/tests/matrices/kernel.rs"]
mod kernel;

use kernel::{DATA, Item, item};

/// How often a form is carried out by each warp, and threads of the block.
const TIMES: usize = 16;
const THREADS: usize = 128;
/// Bytes from one line of a matrix in memory to the next.
const LINE: u32 = 128;

/// A type's name, its bits, and those of exponent and of fraction; none of integers.
type Type = (&'static str, u32, Option<(u32, u32)>);

/// Types of elements.
const TYPES: [Type; 14] = [
    ("f16", 16, Some((5, 10))),
    ("bf16", 16, Some((8, 7))),
    ("tf32", 32, Some((8, 23))),
    ("f32", 32, Some((8, 23))),
    ("f64", 64, Some((11, 52))),
    ("e4m3", 8, Some((4, 3))),
    ("e5m2", 8, Some((5, 2))),
    ("s8", 8, None),
    ("u8", 8, None),
    ("s4", 4, None),
    ("u4", 4, None),
    ("b1", 1, None),
    ("s32", 32, None),
    ("b32", 32, None),
];

/// What the numbers of a matrix are like.
#[derive(Clone, Copy)]
enum Like {
    Bits,
    /// Near 1, so that what is cut off matters.
    Near,
    /// Over so many powers of two.
    Wide(u32),
    /// Few values, so that sums cancel.
    Few,
    Small,
    /// With zeros, infinities and NaNs among them.
    Special,
}

const LIKES: [Like; 8] = [
    Like::Bits,
    Like::Near,
    Like::Wide(6),
    Like::Wide(14),
    Like::Wide(40),
    Like::Few,
    Like::Small,
    Like::Special,
];

fn number(random: &mut Random, like: Like, (exponent, fraction): (u32, u32)) -> u64 {
    let (most, ones) = ((1u64 << exponent) - 1, (1u64 << fraction) - 1);
    let one = most / 2;
    let sign = (random.next() & 1) << (exponent + fraction);
    let near = |random: &mut Random, spread: u64| {
        let spread = spread.min(most - 1);
        (one + random.next() % spread).saturating_sub(spread / 2).clamp(1, most - 1)
    };
    let (field, digits) = match like {
        Like::Bits => (random.next() & most, random.next() & ones),
        Like::Near => (near(random, 2), random.next() & ones),
        Like::Wide(spread) => (near(random, spread.into()), random.next() & ones),
        Like::Few => (near(random, 2), (random.next() & 1) << (fraction - 1)),
        Like::Small => (random.next() % 3, random.next() & ones),
        Like::Special => match random.next() % 24 {
            0 => (most, 0),
            1 if random.next().is_multiple_of(8) => (most, 1),
            2 | 3 => (0, 0),
            4 => (most - 1, ones),
            _ => (near(random, 4), random.next() & ones),
        },
    };
    sign | field << fraction | digits
}

/// A register of elements.
fn register(random: &mut Random, like: Like, (_, bits, float): Type, width: u32) -> u64 {
    let Some(format) = float else {
        let few = matches!(like, Like::Few | Like::Small);
        return if few { random.next() & 0x8181_8181_8181_8181 } else { random.next() };
    };
    (0..width / bits).fold(0, |word, k| word | number(random, like, format) << (k * bits))
}

/// Metadata that say of each pair which element is there: 0b0100 or 0b1110, by the lowest bit of each four.
fn paired(bits: u64) -> u64 {
    (0..8).fold(0, |word, k| word | [0b0100, 0b1110][(bits >> (4 * k)) as usize & 1] << (4 * k))
}

/// The types of the matrices that a product names, in its order: D, A, B, C.
fn types(head: &str) -> [Type; 4] {
    let of = |word: &str| TYPES.iter().copied().find(|ty| ty.0 == word);
    let named: Vec<Type> = head.split('.').filter_map(of).collect();
    match named[..] {
        [d, a, b, c, ..] => [d, a, b, c],
        [d, c] => [d, TYPES[0], TYPES[0], c],
        _ => [TYPES[13]; 4],
    }
}

/// The stride of a matrix in memory, in its elements.
fn stride(head: &str) -> u32 {
    let mut named = head.split('.').filter_map(|word| TYPES.iter().find(|ty| ty.0 == word));
    named.next_back().map_or(0, |(_, bits, _)| 8 * LINE / bits)
}

fn pages() -> impl Iterator<Item = &'static Page> {
    PAGES.iter().copied().filter(|page| matches!(page.meaning, Meaning::Fragments(_) | Meaning::Tiles(_)))
}

fn all_forms(page: &'static Page, target: Target, version: Version) -> Vec<Inst> {
    let mut all = forms::forms(page, page.opcodes[0], 0, &mut || 0);
    all.retain(|inst| exists(inst, target, version));
    all
}

/// The form with addresses that suit it, at the start of its memory or in rows by lane; `k` chooses its constants.
fn placed(inst: &Inst, k: usize) -> Item {
    let constant = |name: &str| {
        let operand = inst.page().operand(name).map(|operand| inst.operand_here(*operand));
        match operand.map(|operand| operand.immediate) {
            Some(Immediate::Only(least, most)) => (least + k as i128 % (most - least + 1)) as i64,
            Some(Immediate::OneOf(values)) => values[k % values.len()] as i64,
            _ => 0,
        }
    };
    let given = kernel::Given { address: "%address", stride: Some("%stride"), constant: &constant };
    let mut item = item(inst, given);
    item.before = match inst[Slot::Space] {
        Word::Global => "mov.u64 %address, %data;\n".into(),
        space => {
            let start = if inst.opcode() != "wmma" { "" } else { "mov.u64 %address, tile;\n" };
            let generic = if space == Word::Absent { "cvta.shared.u64 %address, %address;\n" } else { "" };
            format!("{start}{generic}")
        }
    };
    item
}

/// What the registers hold that a form reads, in their order, for all threads and times.
fn input(inst: &Inst, head: &str, random: &mut Random) -> Vec<u64> {
    let [_, a, b, c] = types(head);
    let mut words = Vec::new();
    for time in 0..TIMES {
        for (template, operand) in inst.operands() {
            let is_constant =
                matches!(inst.operand_here(*operand).immediate, Immediate::Only(..) | Immediate::OneOf(_));
            if operand.role != Role::Source || template.address || template.name == "stride" || is_constant {
                continue;
            }
            let width = inst.operand_type(operand.ty).map_or(32, |ty| ty.width().max(32));
            for _ in 0..inst.elements(template).max(1) {
                for thread in 0..THREADS {
                    let like = LIKES[(time + 5 * (thread / 32)) % LIKES.len()];
                    words.push(match template.name {
                        "a" => register(random, like, a, width),
                        "b" => register(random, like, b, width),
                        "c" => register(random, like, c, width),
                        // Of pairs of elements one is there: of others the manual says nothing.
                        "metadata" if a.0 == "tf32" => paired(random.next()),
                        // Of other metadata, too, all bits are drawn.
                        _ => random.next(),
                    });
                }
            }
        }
    }
    words
}

fn bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Which forms are meant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Those on whole matrices.
    Dense,
    /// The one of this number among those on sparse ones, each a part of its own: a device may refuse to carry one out.
    Sparse(usize),
}

/// Kernels of the forms that exist for a target and a version.
pub fn asked(target: Target, version: Version, which: Which) -> Vec<Asked> {
    let mut asked = Vec::new();
    let mut sparse = 0;
    for page in pages() {
        for (k, inst) in all_forms(page, target, version).into_iter().enumerate() {
            let wanted = match inst.has(Slot::Sparse) {
                false => which == Which::Dense,
                true => {
                    sparse += 1;
                    which == Which::Sparse(sparse - 1)
                }
            };
            if !wanted {
                continue;
            }
            let items: Vec<Item> = (0..TIMES).map(|time| placed(&inst, time)).collect();
            let head = inst.to_string();
            let mut random = Random::new(k as u64);
            let stores = matches!(page.meaning, Meaning::Tiles(tiles) if tiles(&inst).stores);
            let (threads, times) = if stores { (32, 1) } else { (THREADS, TIMES) };
            let text = kernel::kernel(&items[..times], &target.to_string(), true).replacen(
                ".version 9.1",
                &format!(".version {version}"),
                1,
            );
            let data: Vec<u64> = (0..DATA / 8).map(|_| random.next()).collect();
            let input = input(&inst, &head, &mut random);
            let probe = Probe {
                text,
                entry: "k".into(),
                grid: [1; 3],
                block: [threads as u32, 1, 1],
                shared_bytes: 0,
                arguments: vec![
                    Given::Buffer(bytes(&input)),
                    Given::Zeros(8 * items[0].results.len().max(1) * threads * times),
                    Given::Buffer(bytes(&data)),
                    Given::Value(stride(&head).to_le_bytes().to_vec()),
                ],
            };
            asked.push(Asked::whole(
                head,
                probe,
                &[(1, 8 * items[0].results.len() * threads * times), (2, DATA)],
            ));
        }
    }
    asked
}
