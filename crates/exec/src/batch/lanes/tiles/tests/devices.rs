//! Tiles against what devices compute: results of single rows and columns, packed into products of 16 rows and 8 columns.
//!
//! Such results are not part of the project. The test looks for them in the folder that `MARGAY_DEVICE_VALUES` names; where it names none
//! it says so and judges nothing by it.

use super::{Lanes, levels, product, tiled, width};
use crate::batch::lanes::Simd;
use margay_isa::tensor_core::Workspace;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

/// A result: a row, a column, C and D.
struct Known {
    a: Vec<u32>,
    b: Vec<u32>,
    c: u32,
    d: u32,
}

/// Results by device, types of A and B and of C and D, and depth.
type All = BTreeMap<(String, String, String, usize), Vec<Known>>;

fn numbers(cell: &str) -> Vec<u32> {
    cell.split(' ').map(|hex| u32::from_str_radix(hex, 16).unwrap_or_else(|_| panic!("`{hex}`"))).collect()
}

/// The results of `mma` with types of which tiles say something.
fn known(path: &Path) -> All {
    let file = std::fs::File::open(path).expect("a file");
    let mut all = All::new();
    for line in BufReader::new(flate2::read::GzDecoder::new(file)).lines() {
        let line = line.expect("readable data");
        let cells: Vec<&str> = line.split('\t').collect();
        if line.starts_with('#') || !["f16", "bf16", "tf32", "e4m3", "e5m2"].contains(&cells[0]) {
            continue;
        }
        let (a, b, c) = (numbers(cells[2]), numbers(cells[3]), numbers(cells[4])[0]);
        for result in cells[5].split(' ') {
            let (d, devices) = result.split_once(':').expect("result:devices");
            for device in devices.split(',') {
                let target = device.split_once('/').expect("device/target").1;
                // Volta multiplies four elements in another shape; products of warpgroups have a way of their own.
                if target == "sm_70" || target.ends_with('w') {
                    continue;
                }
                let key = (target.to_string(), cells[0].to_string(), cells[1].to_string(), a.len());
                all.entry(key).or_default().push(Known { a: a.clone(), b: b.clone(), c, d: numbers(d)[0] });
            }
        }
    }
    all
}

/// A matrix of lines as registers hold words: lane 4g + t word 4q + t of line g, in register q.
fn words(lines: &[&[u32]; 8], per: usize) -> Vec<Lanes> {
    let word = |line: &[u32], at: usize| {
        line[at * per..][..per]
            .iter()
            .rev()
            .fold(0_u32, |word, bits| word.checked_shl(32 / per as u32).unwrap_or(0) | bits)
    };
    let registers = lines[0].len() / per / 4;
    (0..registers).map(|q| std::array::from_fn(|lane| word(lines[lane / 4], 4 * q + lane % 4))).collect()
}

#[test]
fn tiles_have_the_bits_of_devices() {
    let Some(folder) = std::env::var_os("MARGAY_DEVICE_VALUES") else {
        let _ =
            writeln!(std::io::stderr(), "not judged by `mma.tsv.gz`: `MARGAY_DEVICE_VALUES` names no folder");
        return;
    };
    let all = known(&Path::new(&folder).join("mma.tsv.gz"));
    assert!(!all.is_empty());
    for level in levels() {
        let (mut judged, mut tiles, mut silent) = (0, 0, 0);
        for ((device, ab, cd, depth), all) in &all {
            if level == Simd::Avx2 && ab.starts_with('e') {
                continue;
            }
            let (product, matrices) = product(device, &format!("m16n8k{depth}"), [cd, ab, ab], false);
            let tile = product.tile().expect("a tile");
            for known in all.chunks(8) {
                // Row r has its column, as has row 8 + (r ^ 5); of other elements of the product no result is known.
                let at = |r: usize| &known[r % known.len()];
                let half = |h: usize| std::array::from_fn(|r| &at(if h == 0 { r } else { r ^ 5 }).a[..]);
                let per = 32 / width(matrices[0].0) as usize;
                let a = [words(&half(0), per), words(&half(1), per)];
                let mut registers: Vec<Lanes> = (0..a[0].len()).flat_map(|q| [a[0][q], a[1][q]]).collect();
                registers.extend(words(&std::array::from_fn(|n| &at(n).b[..]), per));
                // C in every row of a column: of each row all columns.
                let c: Vec<u32> = (0..8).map(|n| at(n).c).collect();
                match tile.halves {
                    true => registers.extend([words(&[&c[..]; 8], 2)[0]; 2]),
                    false => {
                        let column = |j: usize| std::array::from_fn(|lane| c[2 * (lane % 4) + j]);
                        registers.extend([column(0), column(1)].repeat(2));
                    }
                }
                tiles += 1;
                let results: [Lanes; 4] = tiled(level, tile, &registers).unwrap_or_else(|| {
                    silent += 1;
                    let mut work = Workspace::new();
                    work.registers[..registers.len()].copy_from_slice(&registers);
                    product.carry_out(&mut work);
                    std::array::from_fn(|r| work.results[r])
                });
                for (row, n) in (0..8).map(|r| (r, r)).chain((0..8).map(|r| (8 + r, r ^ 5))) {
                    let lane = 4 * (row % 8) + n / 2;
                    let got = match tile.halves {
                        true => results[row / 8][lane] >> (16 * (n % 2)) & 0xffff,
                        false => results[2 * (row / 8) + n % 2][lane],
                    };
                    let known = at(n);
                    assert_eq!(
                        got, known.d,
                        "{level:?} {device} {ab} {cd}: {:x?} {:x?} {:x}",
                        known.a, known.b, known.c
                    );
                }
                judged += known.len();
            }
        }
        let _ = writeln!(
            std::io::stderr(),
            "{level:?}: {judged} results of devices in {tiles} tiles, {silent} of them by the way of all"
        );
        assert!(silent * 20 < tiles, "{silent} of {tiles} tiles say nothing");
    }
}
