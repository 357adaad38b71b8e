//! Loads and stores: which word of tensor memory each register of each thread has (manual, 9.7.16.8).

use crate::kernel::{Block, COLUMNS, LANES, WORDS, at, judge_cells, kernel, run};
use crate::random::Random;

/// A shape, how many registers and columns it takes once, how often it is there, and whether registers hold halves of two words.
#[derive(Clone, Copy, Debug)]
struct Form {
    shape: &'static str,
    registers: usize,
    columns: usize,
    count: usize,
    packed: bool,
}

const SHAPES: [(&str, usize, usize); 5] =
    [("32x32b", 1, 1), ("16x64b", 1, 2), ("16x128b", 2, 4), ("16x256b", 4, 8), ("16x32bx2", 1, 1)];
/// Registers that an instruction may have.
const MOST: usize = 128;

fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    for (shape, registers, columns) in SHAPES {
        for count in [1, 2, 4, 8, 16, 32, 64, 128].into_iter().filter(|count| count * registers <= MOST) {
            forms.extend([false, true].map(|packed| Form { shape, registers, columns, count, packed }));
        }
    }
    forms
}

impl Form {
    fn is_split(&self) -> bool {
        self.shape == "16x32bx2"
    }

    fn words(&self) -> usize {
        if self.packed { 2 } else { 1 }
    }

    /// Columns of each half of the warp, or of all of it.
    fn span(&self) -> usize {
        self.columns * self.count * self.words()
    }

    /// The lane and the column of a register of a thread, or of the word whose lower half is one of its halves.
    fn cell(&self, t: usize, r: usize, half: usize, split: usize) -> (usize, usize) {
        let (lane, column) = match self.shape {
            "32x32b" => (t, r),
            "16x64b" => (t / 4 + t % 2 * 8, 2 * r + t / 2 % 2),
            "16x128b" => (t / 4 + r % 2 * 8, r / 2 * 4 + t % 4),
            "16x256b" => (t / 4 + r / 2 % 2 * 8, r / 4 * 8 + t % 4 * 2 + r % 2),
            _ => (t % 16, r),
        };
        (lane, column * self.words() + half + if self.is_split() && t >= 16 { split } else { 0 })
    }

    /// Where a warp begins, and how far on its second half.
    fn place(&self, random: &mut Random, warp: usize, split: usize) -> (usize, usize) {
        let lane = 32 * warp + if self.shape == "32x32b" { 0 } else { 16 * random.below(2) };
        let span = self.span() + if self.is_split() { split } else { 0 };
        (lane, random.below(COLUMNS - span + 1))
    }

    fn text(&self, stores: bool, split: usize) -> String {
        let (name, packing) = if stores { ("st", ".unpack::16b") } else { ("ld", ".pack::16b") };
        let packing = if self.packed { packing } else { "" };
        let names: Vec<String> = (0..self.registers * self.count).map(|k| format!("%w{k}")).collect();
        let names = format!("{{{}}}", names.join(", "));
        let split = if self.is_split() { format!(", {split}") } else { String::new() };
        let start = format!("tcgen05.{name}.sync.aligned.{}.x{}{packing}.b32", self.shape, self.count);
        match stores {
            true => format!("{start} [%x]{split}, {names};\ntcgen05.wait::st.sync.aligned;\n"),
            false => format!("{start} {names}, [%x]{split};\ntcgen05.wait::ld.sync.aligned;\n"),
        }
    }
}

/// Stores by every form, and loads by another one.
pub fn judge() {
    let mut random = Random::new(1, 1);
    let forms = forms();
    assert_eq!(forms.len(), 74);
    // 31 has nothing to do with the number of forms, and so all meet others.
    for k in 0..forms.len() {
        judge_pair(&mut random, forms[k], forms[(31 * k + 5) % forms.len()]);
    }
}

fn judge_pair(random: &mut Random, store: Form, load: Form) {
    // What two threads store to one word is left open.
    let of_store = store.span() + random.below((COLUMNS - 2 * store.span().min(COLUMNS / 2)).max(1));
    let of_load = random.below(COLUMNS - load.span() + 1);
    let mut body = "ld.global.b32 %x, [%given];\nadd.u32 %x, %x, %base;\n".to_string();
    let list = |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    body +=
        &list(store.registers * store.count, &|k| format!("ld.global.b32 %w{k}, [%given+{}];\n", 8 + 4 * k));
    body += &store.text(true, of_store);
    body += "ld.global.b32 %x, [%given+4];\nadd.u32 %x, %x, %base;\n";
    body += &load.text(false, of_load);
    body += &list(load.registers * load.count, &|k| format!("st.global.b32 [%got+{}], %w{k};\n", 8 + 4 * k));

    let mut expected = Vec::new();
    let blocks = if random.once_in(4) { 2 } else { 1 };
    let blocks: Vec<Block> = (0..blocks)
        .map(|_| {
            let cells: Vec<u32> = (0..LANES * COLUMNS).map(|_| random.next() as u32).collect();
            let mut words: Vec<u32> = (0..LANES * WORDS).map(|_| random.next() as u32).collect();
            let (mut after, mut got) = (cells.clone(), vec![0; LANES * WORDS]);
            for warp in 0..LANES / 32 {
                let places = [store.place(random, warp, of_store), load.place(random, warp, of_load)];
                for thread in 32 * warp..32 * warp + 32 {
                    for (k, (lane, column)) in places.iter().enumerate() {
                        words[thread * WORDS + k] = (lane << 16 | column) as u32;
                    }
                }
                let on = |form: &Form, k: usize, (t, r, half): (usize, usize, usize), split: usize| {
                    let (lane, column) = form.cell(t, r, half, split);
                    at(places[k].0 + lane, places[k].1 + column)
                };
                let each = |form: &Form| {
                    let (registers, halves) = (form.registers * form.count, form.words());
                    (0..32).flat_map(move |t| {
                        (0..registers).flat_map(move |r| (0..halves).map(move |half| (t, r, half)))
                    })
                };
                for one @ (t, r, half) in each(&store) {
                    let word = words[(32 * warp + t) * WORDS + 2 + r];
                    // The upper half of a word is 0 after its lower one has been stored.
                    let word = if store.packed { word >> (16 * half) & 0xffff } else { word };
                    after[on(&store, 0, one, of_store)] = word;
                }
                for one @ (t, r, half) in each(&load) {
                    let word = after[on(&load, 1, one, of_load)];
                    let word = if load.packed { (word & 0xffff) << (16 * half) } else { word };
                    got[(32 * warp + t) * WORDS + 2 + r] |= word;
                }
            }
            expected.push((after, got));
            Block { picture: vec![0; crate::kernel::SHARED], cells, words }
        })
        .collect();
    let what = format!("{store:?}, {of_store}, {load:?}, {of_load}");
    for (left, (cells, got)) in run(&kernel(&body), &blocks).iter().zip(expected) {
        judge_cells(&left.cells, &cells, &what);
        let wrong = (0..got.len()).find(|k| left.words[*k] != got[*k]);
        assert_eq!(wrong.map(|k| (k / WORDS, k % WORDS, left.words[k], got[k])), None, "{what}");
    }
}
