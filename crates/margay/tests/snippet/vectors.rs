//! Recorded results of NVIDIA's assembler and of the manual's text, as columns.

use crate::columns::apply;
use flate2::read::GzDecoder;
use margay::snippet::{Options, Snippet};
use margay_isa::{Bits, Semantics};
use std::collections::BTreeMap;
use std::io::Read;

const VECTORS: &[u8] = include_bytes!("../../../isa/tests/data/golden.tsv.gz");

fn bits(cell: &str) -> Bits {
    Bits::from_str_radix(cell.trim_start_matches("0x"), 16).unwrap_or_else(|_| panic!("`{cell}`"))
}

#[test]
fn every_recorded_vector_comes_out_of_columns() {
    let mut table = String::new();
    GzDecoder::new(VECTORS).read_to_string(&mut table).unwrap();
    let lines = table.lines().filter(|line| !line.starts_with('#')).skip(1);
    let mut forms: BTreeMap<&str, Vec<Vec<&str>>> = BTreeMap::new();
    for line in lines {
        let cells: Vec<&str> = line.split('\t').collect();
        forms.entry(cells[0]).or_default().push(cells);
    }
    let mut rows = 0;
    for (form, vectors) in forms {
        let snippet = Snippet::instruction(form).unwrap_or_else(|e| panic!("{form}: {}", e.human(false)));
        let cell = |name: &str| 1 + ["a", "b", "c", "e"].iter().position(|n| *n == name).unwrap();
        let inputs: Vec<Vec<Bits>> = snippet
            .inputs()
            .iter()
            .map(|column| vectors.iter().map(|cells| bits(cells[cell(&column.name)])).collect())
            .collect();
        let options = Options { workers: 1, semantics: Semantics::Manual, ..Options::default() };
        let results = apply(&snippet, &inputs, &options).unwrap();
        let wanted: Vec<Bits> = vectors.iter().map(|cells| bits(cells[6])).collect();
        assert_eq!(results[0], wanted, "{form}");
        rows += wanted.len();
    }
    println!("{rows} vectors");
    assert!(rows > 100_000);
}
