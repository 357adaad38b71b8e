//! Columns of values: filled, read, and what applying does with their shapes.

use margay::snippet::{Column, Failure, Input, Options, Snippet};
use margay_isa::Bits;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The bytes of a column with these values.
pub fn column(of: &Column, values: impl IntoIterator<Item = Bits>) -> Vec<u8> {
    values.into_iter().flat_map(|value| value.to_le_bytes().into_iter().take(of.bytes())).collect()
}

/// The values of a column.
pub fn values(of: &Column, bytes: &[u8]) -> Vec<Bits> {
    let value = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, byte| value << 8 | Bits::from(*byte));
    bytes.chunks(of.bytes()).map(value).collect()
}

/// The outputs for columns of values, one for each input.
pub fn apply(snippet: &Snippet, inputs: &[Vec<Bits>], options: &Options) -> Result<Vec<Vec<Bits>>, Failure> {
    let count = inputs.first().map_or(1, Vec::len);
    let bytes: Vec<_> =
        snippet.inputs().iter().zip(inputs).map(|(of, values)| column(of, values.iter().copied())).collect();
    let inputs: Vec<_> = bytes.iter().map(|bytes| Input::Each(bytes)).collect();
    let mut outputs: Vec<_> = snippet.outputs().iter().map(|of| vec![0xee; count * of.bytes()]).collect();
    let mut slices: Vec<&mut [u8]> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
    snippet.apply(count, &inputs, &mut slices, options)?;
    Ok(snippet.outputs().iter().zip(outputs).map(|(of, bytes)| values(of, &bytes)).collect())
}

/// Values that favour edges, cut to a width.
pub fn corner(random: &mut impl FnMut() -> u64, width: u32) -> Bits {
    const EDGES: [u64; 12] =
        [0, 1, 2, 31, 32, 63, 64, u64::MAX, 1 << 63, 0x7fff_ffff, 0x8000_0000, 0x7f80_ff01_8080_7f7f];
    let mut half = || match random() % 3 {
        0 => EDGES[random() as usize % EDGES.len()],
        1 => random() & random() & random(),
        _ => random(),
    };
    let value = Bits::from(half()) << 64 | Bits::from(half());
    let value = if width == 32 && random() & 1 == 0 { value >> 32 } else { value };
    if width >= 128 { value } else { value & ((1 << width) - 1) }
}

fn add() -> Snippet {
    Snippet::instruction("add.u32 d, a, b").unwrap()
}

#[test]
fn lengths_that_do_not_divide_and_any_number_of_workers_give_the_same() {
    for count in [1, 2, 31, 33, 255, 257, 1023, 1025, 32767, 32768, 32769, 140_001] {
        let a: Vec<u8> =
            (0..count as u32).flat_map(|k| k.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        let wanted: Vec<u8> = (0..count as u32)
            .flat_map(|k| k.wrapping_mul(2_654_435_761).wrapping_add(7).to_le_bytes())
            .collect();
        for workers in [1, 2, 7] {
            let mut d = vec![0xee; 4 * count];
            let options = Options { workers, ..Options::default() };
            add().apply(count, &[Input::Each(&a), Input::Same(7)], &mut [&mut d], &options).unwrap();
            assert!(d == wanted, "{count} elements on {workers} workers");
        }
    }
}

#[test]
fn columns_may_begin_anywhere_and_nothing_beside_them_is_touched() {
    for (count, skip) in
        [1, 5, 32, 1000, 1024, 1027, 40_000].into_iter().flat_map(|n| (0..20).map(move |k| (n, k)))
    {
        let a: Vec<u8> = (0..4 * count + 2 * skip).map(|k| ((k * k) >> 4) as u8).collect();
        let mut d = vec![0xee; 4 * count + 40];
        let (before, rest) = d.split_at_mut(20 - skip);
        let (result, behind) = rest.split_at_mut(4 * count);
        // Inputs may share their bytes.
        let inputs = [Input::Each(&a[skip..][..4 * count]), Input::Each(&a[skip / 2..][..4 * count])];
        add().apply(count, &inputs, &mut [&mut *result], &Options::default()).unwrap();
        let word = |bytes: &[u8], k: usize| u32::from_le_bytes(bytes[4 * k..][..4].try_into().unwrap());
        for k in 0..count {
            let wanted = word(&a[skip..], k).wrapping_add(word(&a[skip / 2..], k));
            assert_eq!(word(result, k), wanted, "element {k} of {count}, from {skip} on");
        }
        assert!(before.iter().chain(&*behind).all(|byte| *byte == 0xee), "{count} elements from {skip} on");
    }
}

#[test]
fn there_are_no_other_threads_than_those_of_elements() {
    let active = Snippet::asm("activemask.b32 $0; mov.u32 $0, $0;", "=r").unwrap();
    let mut masks = [0; 4 * 37];
    active.apply(37, &[], &mut [&mut masks], &Options::default()).unwrap();
    let masks: Vec<u32> = masks.as_chunks::<4>().0.iter().map(|mask| u32::from_le_bytes(*mask)).collect();
    assert_eq!((masks[0], masks[36]), (u32::MAX, 0x1f));
}

#[test]
fn columns_that_do_not_fit_are_refused_before_anything_is_computed() {
    let (a, short) = ([0u8; 8], [0u8; 7]);
    let mut d = [0xee; 8];
    let refused = |count, inputs: &[Input], outputs: &mut [&mut [u8]]| match add().apply(
        count,
        inputs,
        outputs,
        &Options::default(),
    ) {
        Err(Failure::Call(problem)) => problem.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(2, &[Input::Each(&a)], &mut [&mut d]), "the snippet has 2 inputs, but 1 is given");
    assert_eq!(refused(2, &[Input::Same(1); 2], &mut []), "the snippet has 1 output, but 0 are given");
    assert_eq!(
        refused(2, &[Input::Each(&a), Input::Each(&short)], &mut [&mut d]),
        "the column of `b` has 7 bytes"
    );
    assert_eq!(refused(1, &[Input::Same(0), Input::Same(0)], &mut [&mut d]), "the column of `d` has 8 bytes");
    assert_eq!(
        refused(usize::MAX, &[Input::Each(&a), Input::Same(0)], &mut [&mut d]),
        "the column of `a` has 8 bytes"
    );
    assert_eq!(
        refused(2, &[Input::Each(&a), Input::Same(1 << 32)], &mut [&mut d]),
        "the value 0x100000000 does not fit `b`"
    );
    assert_eq!(d, [0xee; 8]);
    add().apply(0, &[Input::Each(&[]), Input::Same(0)], &mut [&mut []], &Options::default()).unwrap();
}

#[test]
fn predicates_carries_and_wide_values_are_columns_too() {
    let options = Options::default();
    let compare = Snippet::instruction("setp.lt.and.s32 p|q, a, b, !c").unwrap();
    let inputs = [vec![1, 5, 1, 0xffff_ffff], vec![2, 2, 2, 0], vec![0, 0, 1, 0]];
    assert_eq!(apply(&compare, &inputs, &options).unwrap(), [vec![1, 0, 0, 1], vec![0, 1, 0, 0]]);

    let carry = Snippet::instruction("addc.cc.u32 d, a, b").unwrap();
    let names = |columns: &[Column]| columns.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
    assert_eq!(
        (names(carry.inputs()), names(carry.outputs())),
        (vec!["a".into(), "b".into(), "CC.CF".into()], vec!["d".into(), "CC.CF".into()])
    );
    let inputs = [vec![u32::MAX.into(), 5], vec![0, 6], vec![1, 1]];
    assert_eq!(apply(&carry, &inputs, &options).unwrap(), [vec![0, 12], vec![1, 0]]);

    let split = Snippet::instruction("mov.b128 {lo, hi}, a").unwrap();
    let value = 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210;
    let wanted = [vec![value & Bits::from(u64::MAX)], vec![value >> 64]];
    assert_eq!(apply(&split, &[vec![value]], &options).unwrap(), wanted);
    let mut lo_hi = [[0; 8], [0; 8]];
    let [lo, hi] = &mut lo_hi;
    split.apply(1, &[Input::Same(value)], &mut [lo, hi], &options).unwrap();
    assert_eq!(u64::from_le_bytes(lo_hi[1]), (value >> 64) as u64);
}

#[test]
fn a_name_that_is_read_and_written_is_both_an_input_and_an_output() {
    let double = Snippet::instruction("add.u32 a, a, a; // twice").unwrap();
    assert_eq!(apply(&double, &[vec![3, 0x8000_0001]], &Options::default()).unwrap(), [vec![6, 2]]);
    let constant = Snippet::instruction("mov.u32 d, 0x12345678").unwrap();
    assert!(constant.inputs().is_empty());
    assert_eq!(apply(&constant, &[], &Options::default()).unwrap(), [vec![0x1234_5678]]);
    let refused = Snippet::instruction("mov.b64 {_, _}, a").unwrap_err();
    assert_eq!(refused.message(), "operand `d.x` of `mov.b64` has no register");
}

#[test]
fn snippets_can_be_stopped_and_tell_how_far_they_are() {
    let a = vec![0; 4 << 17];
    let mut d = vec![0; 4 << 17];
    let told = Mutex::new(Vec::new());
    let progress = |done| told.lock().unwrap().push(done);
    let options = Options { progress: Some(&progress), workers: 2, ..Options::default() };
    add().apply(1 << 17, &[Input::Each(&a), Input::Same(1)], &mut [&mut d], &options).unwrap();
    let told = told.into_inner().unwrap();
    assert!(told.is_sorted() && told.last() == Some(&(1 << 17)) && told.len() > 2, "{told:?}");

    let cancel = AtomicBool::new(false);
    let stop = |_| cancel.store(true, Ordering::Relaxed);
    let options = Options { cancel: Some(&cancel), progress: Some(&stop), workers: 1, ..Options::default() };
    let mut d = vec![0; 4 << 17];
    let ended = add().apply(1 << 17, &[Input::Each(&a), Input::Same(1)], &mut [&mut d], &options);
    assert_eq!((ended, d[0], d[d.len() - 4]), (Err(Failure::Cancelled), 1, 0));

    let endless = Snippet::asm("L: bra L; mov.u32 $0, $1;", "=r,r").unwrap();
    let options = Options { max_steps: Some(100_000), ..Options::default() };
    let ended = endless.apply(1, &[Input::Same(0)], &mut [&mut [0; 4]], &options);
    assert!(matches!(ended, Err(Failure::Stopped(_))), "{ended:?}");
}
