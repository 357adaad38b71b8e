//! K7 by hand, without vectors and so for all levels: eight tables, so that equal bytes in a row do not wait for each other's
//! counter; eight bytes a load.

use crate::case::Case;

const TABLES: usize = 8;

#[target_feature(enable = "bmi1,bmi2")]
pub fn histogram(case: &Case, bins: &mut [u32]) {
    let words = &case.inputs[0];
    let mut tables = [[0u32; 256]; TABLES];
    let mut pairs = words.chunks_exact(4);
    for four in &mut pairs {
        let first = u64::from(four[0]) | u64::from(four[1]) << 32;
        let second = u64::from(four[2]) | u64::from(four[3]) << 32;
        for (k, table) in tables.iter_mut().enumerate() {
            table[(first >> (8 * k)) as usize & 255] += 1;
            table[(second >> (8 * k)) as usize & 255] += 1;
        }
    }
    for byte in pairs.remainder().iter().flat_map(|word| word.to_le_bytes()) {
        tables[0][usize::from(byte)] += 1;
    }
    for table in tables {
        bins.iter_mut().zip(table).for_each(|(bin, count)| *bin += count);
    }
}
