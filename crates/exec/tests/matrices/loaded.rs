//! `wmma`: what is loaded comes back as it was, and products are those of the matrices in memory.

use crate::kernel::{GOLDEN, How, compiled, run};
use crate::random::Random;
use crate::{TARGET, all_forms, bits, pages, same};
use margay_exec::Engine;
use margay_isa::tensor_core::{Form, NO_SCALES, multiply_add};
use margay_isa::{Inst, Slot, Target, Word};

/// Elements from one line of a matrix to the next in memory: with room between them.
const STRIDE: usize = 64;
/// Where A, B, C and D lie.
const PLACES: [usize; 4] = [0, 8192, 16384, 24576];
const ALL: usize = 32768;

fn forms(mode: Word) -> Vec<Inst> {
    let page = pages().find(|page| page.syntax[0].text.starts_with(&format!("wmma.{mode}"))).unwrap();
    all_forms(page)
}

fn width(word: Word) -> usize {
    word.ty().unwrap().bits as usize
}

fn shape(inst: &Inst) -> [usize; 3] {
    let Word::Shape(shape) = inst[Slot::Shape] else { panic!("{inst:?} has no shape") };
    [shape.m, shape.n, shape.k].map(usize::from)
}

/// Bits of an element in memory.
fn element(data: &[u8], place: usize, line: usize, k: usize, bits: usize) -> u128 {
    let at = place * 8 + (line * STRIDE + k) * bits;
    (0..bits).fold(0, |value, bit| value | u128::from(data[(at + bit) / 8] >> ((at + bit) % 8) & 1) << bit)
}

/// A kernel of `wmma` instructions on matrices at the places of `PLACES` in global memory, with these registers.
fn kernel(lines: &[String]) -> String {
    let mut text = format!(
        ".version 9.1\n.target {TARGET}\n.address_size 64\n\
         .visible .entry k(.param .u64 in, .param .u64 out, .param .u64 data, .param .u32 stride) {{\n\
         .reg .b64 %data, %A, %B, %C, %D; .reg .b32 %stride;\n\
         .reg .b32 %ra<8>, %rb<8>, %rc<8>, %rd<8>; .reg .f64 %fa<8>, %fb<8>, %fc<8>, %fd<8>;\n\
         ld.param.u64 %data, [data]; ld.param.u32 %stride, [stride];\n\
         cvta.to.global.u64 %data, %data;\n"
    );
    for (name, place) in ["A", "B", "C", "D"].iter().zip(PLACES) {
        text += &format!("add.u64 %{name}, %data, {place};\n");
    }
    text + &lines.join("\n") + "\nret;\n}\n"
}

fn registers(letter: char, word: Word, count: usize) -> String {
    let kind = if word == Word::F64 { 'f' } else { 'r' };
    let names: Vec<String> = (0..count).map(|k| format!("%{kind}{letter}{k}")).collect();
    format!("{{{}}}", names.join(", "))
}

#[test]
fn what_is_loaded_is_stored_as_it_was() {
    let mut random = Random::new(7, 1);
    let stores: Vec<Inst> = forms(Word::StoreWord);
    let mut judged = 0;
    for load in forms(Word::LoadWord)
        .iter()
        .filter(|i| i[Slot::Action2] == Word::FragmentC && i[Slot::Space] == Word::Global)
    {
        let fits = |store: &&Inst| {
            [Slot::Shape, Slot::Type, Slot::Space].iter().all(|slot| store[*slot] == load[*slot])
        };
        for store in stores.iter().filter(fits) {
            let ([m, n, _], bits_each) = (shape(load), width(load[Slot::Type]));
            let count = (m * n * bits_each).div_ceil(32 * bits_each.max(32));
            let held = registers('c', load[Slot::Type], count);
            let lines = [format!("{load} {held}, [%C], %stride;"), format!("{store} [%D], {held}, %stride;")];
            let data: Vec<u8> = (0..ALL / 8).flat_map(|_| random.next().to_le_bytes()).collect();
            let left = same(&kernel(&lines), &[], 0, &data, How { stride: STRIDE as u32, ..GOLDEN });
            let place = |inst: &Inst, row: usize, column: usize| {
                if inst[Slot::LayoutA] == Word::Row { (row, column) } else { (column, row) }
            };
            for (row, column) in (0..m).flat_map(|row| (0..n).map(move |column| (row, column))) {
                let ((a, b), (c, d)) = (place(load, row, column), place(store, row, column));
                let before = element(&data, PLACES[2], a, b, bits_each);
                assert_eq!(element(&left.data, PLACES[3], c, d, bits_each), before, "{load} and {store}");
            }
            judged += 1;
        }
    }
    assert_eq!(judged, 4 * 15, "pairs of forms");
}

#[test]
fn products_are_those_of_the_matrices_in_memory() {
    let mut random = Random::new(8, 1);
    let mut judged = 0;
    for (k, inst) in forms(Word::MmaWord).iter().enumerate() {
        let device: Target = ["sm_75", "sm_80", "sm_90", "sm_120"][k % 4].parse().unwrap();
        let [m, n, depth] = shape(inst);
        let form = Form::of(inst);
        let space = ["", ".global"][k % 2];
        let layouts = [inst[Slot::LayoutA], inst[Slot::LayoutB]];
        let shape_word = inst[Slot::Shape];
        let count = |name: &str| {
            let (template, _) = inst.operands().find(|(t, _)| t.name == name).unwrap();
            inst.elements(template).max(1)
        };
        let held = |name: char, word: Word| registers(name, word, count(&name.to_string()));
        let [a, b, c, d] = [held('a', form.a), held('b', form.b), held('c', form.c), held('d', form.d)];
        let load = |which: &str, layout: Word, word: Word, held: &str, at: &str| {
            format!(
                "wmma.load.{which}.sync.aligned.{layout}.{shape_word}{space}.{word} {held}, [{at}], %stride;"
            )
        };
        let c_layout = [Word::Row, Word::Col][k / 2 % 2];
        let d_layout = [Word::Row, Word::Col][k / 4 % 2];
        let lines = [
            load("a", layouts[0], form.a, &a, "%A"),
            load("b", layouts[1], form.b, &b, "%B"),
            load("c", c_layout, form.c, &c, "%C"),
            format!("{};", inst.statement(&[&d, &a, &b, &c])),
            format!(
                "wmma.store.d.sync.aligned.{d_layout}.{shape_word}{space}.{} [%D], {d}, %stride;",
                form.d
            ),
        ];
        let mut data: Vec<u8> = (0..ALL / 8).flat_map(|_| bits(&mut random).to_le_bytes()).collect();
        data[PLACES[3]..].fill(0xcd);
        let how = How { stride: STRIDE as u32, device: Some(device), ..GOLDEN };
        let left = same(&kernel(&lines), &[], 0, &data, how);
        let at = |layout: Word, row: usize, column: usize| {
            if layout == Word::Row { (row, column) } else { (column, row) }
        };
        let read = |from: &[u8], place: usize, layout: Word, row, column, word| {
            let (line, along) = at(layout, row, column);
            element(from, place, line, along, width(word))
        };
        for (row, column) in (0..m).flat_map(|row| (0..n).map(move |column| (row, column))) {
            let a: Vec<u128> =
                (0..depth).map(|k| read(&data, PLACES[0], layouts[0], row, k, form.a)).collect();
            let b: Vec<u128> =
                (0..depth).map(|k| read(&data, PLACES[1], layouts[1], k, column, form.b)).collect();
            let c = read(&data, PLACES[2], c_layout, row, column, form.c);
            let wanted = multiply_add(&form, device, &a, &b, NO_SCALES, c);
            let found = read(&left.data, PLACES[3], d_layout, row, column, form.d);
            assert_eq!(found, wanted, "{inst:?} on {device}, row {row}, column {column}");
        }
        judged += 1;
    }
    println!("{judged} forms of products");
    assert!(judged > 100, "only {judged} forms of products");
}

#[test]
fn without_a_stride_lines_follow_each_other() {
    let text = kernel(&[
        "wmma.load.c.sync.aligned.col.m32n8k16.global.s32 {%rc0, %rc1, %rc2, %rc3, %rc4, %rc5, %rc6, %rc7}, [%C];".into(),
        "wmma.store.d.sync.aligned.row.m32n8k16.global.s32 [%D], {%rc0, %rc1, %rc2, %rc3, %rc4, %rc5, %rc6, %rc7};".into(),
    ]);
    let mut data = vec![0; ALL];
    let word = |k: usize| (k as u32).to_le_bytes();
    (0..256).for_each(|k| data[PLACES[2] + 4 * k..][..4].copy_from_slice(&word(k)));
    let left = run(&compiled(&text), &[], 0, &data, How { engine: Engine::Batch, ..GOLDEN });
    for (row, column) in (0..32).flat_map(|row| (0..8).map(move |column| (row, column))) {
        assert_eq!(left.data[PLACES[3] + 4 * (8 * row + column)..][..4], word(32 * column + row));
    }
}
