//! The rules by which a buffer's contents are compared with what is expected.

use serde_json::Value;

/// How many bytes an element of a type has.
fn size(dtype: &str) -> usize {
    let bits = dtype.trim_start_matches(|c: char| !c.is_ascii_digit());
    bits.parse::<usize>().unwrap() / 8
}

fn element(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// The elements in the form in which they are compared.
fn canonical(param: &Value, bytes: &[u8]) -> Vec<u64> {
    let size = size(param["dtype"].as_str().unwrap());
    let mask = u64::MAX >> (64 - 8 * size);
    let mut all: Vec<u64> = bytes.chunks(size).map(element).collect();
    if let Some(ignored) = param["ignore"].as_array() {
        ignored.iter().for_each(|k| all[k.as_u64().unwrap() as usize] = 0);
    }
    if let Some(pattern) = param["subtract"].as_array() {
        let off = pattern.iter().map(|v| v.as_i64().unwrap() as u64).cycle();
        all.iter_mut().zip(off).for_each(|(v, off)| *v = v.wrapping_sub(off) & mask);
    }
    match param["compare"].as_str().unwrap_or("exact") {
        "sorted" => all.sort(),
        "sorted_segments" => {
            let bounds: Vec<_> =
                param["segments"].as_array().unwrap().iter().map(|b| b.as_u64().unwrap() as usize).collect();
            bounds.windows(2).for_each(|w| all[w[0]..w[1]].sort());
        }
        "roots" => all = roots(&all),
        _ => {}
    }
    all
}

/// Every node's parents followed to the last one; a number too great where there is none.
fn roots(parents: &[u64]) -> Vec<u64> {
    let root = |k: usize| {
        let mut at = k as u64;
        for _ in 0..=parents.len() {
            match parents.get(at as usize) {
                Some(next) if *next == at => return at,
                Some(next) => at = *next,
                None => break,
            }
        }
        u64::MAX
    };
    (0..parents.len()).map(root).collect()
}

fn float(dtype: &str, bits: u64) -> f64 {
    match dtype {
        "float32" => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// What differs, if something does.
pub fn difference(param: &Value, got: &[u8], wanted: &[u8]) -> Option<String> {
    let rule = param["compare"].as_str().unwrap_or("exact");
    if rule == "skip" {
        return None;
    }
    let (found, expected) = (canonical(param, got), canonical(param, wanted));
    let dtype = param["dtype"].as_str().unwrap();
    let (relative, absolute) =
        (param["rtol"].as_f64().unwrap_or(1e-5), param["atol"].as_f64().unwrap_or(0.0));
    let same = |a: u64, b: u64| match rule {
        "allclose" => {
            let (a, b) = (float(dtype, a), float(dtype, b));
            a == b || (a - b).abs() <= absolute + relative * b.abs() || (a.is_nan() && b.is_nan())
        }
        _ => a == b,
    };
    let differing: Vec<usize> = (0..expected.len()).filter(|k| !same(found[*k], expected[*k])).collect();
    let first = *differing.first()?;
    Some(format!(
        "{}: {} of {} differ, the first at {first}: {:#x} instead of {:#x}",
        param["name"],
        differing.len(),
        expected.len(),
        found[first],
        expected[first]
    ))
}
