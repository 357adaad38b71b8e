//! NumPy's `.npy` files of any data type, order and shape.
//!
//! The header is kept as it was written, so that data read from one file and written to another keeps its type to the
//! letter; a hostile header is refused in bounded memory.

use crate::count::counted;
use std::io::{self, Write};

use super::python::{self, Literal};
use super::{Layout, Loaded};
use crate::element::{Element, Kind};
use crate::problem::Problem;
use crate::shape::MAX_BYTES;

const MAGIC: &[u8] = b"\x93NUMPY";

/// No real header is longer; NumPy itself refuses headers above 10 000 bytes unless told otherwise.
const MAX_HEADER: usize = 1 << 20;

/// Items whose bytes are to be turned round are described byte by byte, so their size is bounded.
const MAX_SWAPPED_ITEM: u64 = 1 << 16;

/// What a `.npy` file says before its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The file's first bytes, up to the data.
    prefix: Vec<u8>,
    descr: String,
    item: Item,
    dims: Vec<u64>,
    column_major: bool,
}

/// One element of the array: a number, a string or a structure.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
struct Item {
    size: u64,
    /// Offset and size of each part that is stored with its highest byte first.
    swapped: Vec<(u32, u32)>,
    element: Option<Element>,
}

impl Header {
    /// The dimensions, slowest first unless [`column_major`](Self::column_major).
    pub fn dims(&self) -> &[u64] {
        &self.dims
    }

    /// The data's size in bytes.
    pub fn bytes(&self) -> u64 {
        if self.dims.contains(&0) { 0 } else { self.dims.iter().product::<u64>() * self.item.size }
    }

    /// The element type, where it is one of PTX's.
    pub fn element(&self) -> Option<Element> {
        self.item.element
    }

    /// The size of an element in bytes.
    pub fn item_bytes(&self) -> u64 {
        self.item.size
    }

    /// NumPy's name of the element type, such as `<c8`.
    pub fn descr(&self) -> &str {
        &self.descr
    }

    /// Whether the first dimension is the fastest (Fortran's order).
    pub fn column_major(&self) -> bool {
        self.column_major
    }
}

pub(super) fn decode(mut file: Vec<u8>) -> Result<Loaded, Problem> {
    let header = parse(&file)?;
    file.drain(..header.prefix.len());
    let (found, expected) = (file.len() as u64, header.bytes());
    if found != expected {
        let expected = counted(expected, "byte");
        return Err(Problem::new(format!("its header says {expected} of data, but it has {found}")));
    }
    turn_round(&mut file, &header.item);
    let column_major = header.column_major && header.dims.iter().filter(|&&n| n > 1).count() > 1;
    let notes = match column_major {
        true => {
            vec!["its array is in Fortran order: the kernel sees the first index as the fastest".to_string()]
        }
        false => Vec::new(),
    };
    Ok(Loaded { bytes: file, layout: Layout::Npy(header), notes })
}

pub(super) fn encode(layout: &Layout, bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let header = match layout {
        Layout::Npy(header) => header,
        Layout::Array(shape) => &describe(shape.element(), shape.dims()),
        Layout::Bytes(bytes) => &describe(Element::U8, &[*bytes]),
    };
    out.write_all(&header.prefix)?;
    if header.item.swapped.is_empty() {
        return out.write_all(bytes);
    }
    let mut bytes = bytes.to_vec();
    turn_round(&mut bytes, &header.item);
    out.write_all(&bytes)
}

/// Between the file's byte order and little-endian, either way.
fn turn_round(bytes: &mut [u8], item: &Item) {
    if item.swapped.is_empty() {
        return;
    }
    for element in bytes.chunks_exact_mut(item.size as usize) {
        for &(offset, size) in &item.swapped {
            element[offset as usize..(offset + size) as usize].reverse();
        }
    }
}

/// The header of a fresh array (format version 1.0: padded with blanks so that the data begins at a multiple of 64).
fn describe(element: Element, dims: &[u64]) -> Header {
    let order = if element.bytes() == 1 { '|' } else { '<' };
    let letter = match element.kind() {
        Kind::Unsigned | Kind::Other(_) => 'u',
        Kind::Signed => 'i',
        Kind::Float => 'f',
    };
    let descr = format!("{order}{letter}{}", element.bytes());
    let dims_text: String = dims.iter().map(|dim| format!("{dim}, ")).collect();
    let dims_text = if dims.len() == 1 { dims_text.trim_end() } else { dims_text.trim_end_matches(", ") };
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({dims_text}), }}");
    let before = MAGIC.len() + 4;
    text.extend(std::iter::repeat_n(
        ' ',
        (before + text.len() + 1).next_multiple_of(64) - before - text.len() - 1,
    ));
    text.push('\n');
    let mut prefix = MAGIC.to_vec();
    prefix.extend([1, 0]);
    // At most 64 dimensions of 20 digits: far below 65536.
    prefix.extend((text.len() as u16).to_le_bytes());
    prefix.extend(text.as_bytes());
    let item = Item { size: element.bytes() as u64, swapped: Vec::new(), element: Some(element) };
    Header { prefix, descr, item, dims: dims.to_vec(), column_major: false }
}

fn parse(file: &[u8]) -> Result<Header, Problem> {
    let not_npy = || {
        Problem::new("it is not a `.npy` file").help("a file without `.npy` in its name is read as raw bytes")
    };
    let damaged = || Problem::new("its `.npy` header is damaged");
    let after_magic = file.strip_prefix(MAGIC).ok_or_else(not_npy)?;
    let (length_at, length) = match after_magic {
        [1, _, a, b, ..] => (MAGIC.len() + 2, u16::from_le_bytes([*a, *b]) as usize),
        [2 | 3, _, a, b, c, d, ..] => (MAGIC.len() + 4, u32::from_le_bytes([*a, *b, *c, *d]) as usize),
        [major @ (0 | 4..=255), minor, ..] => {
            return Err(Problem::new(format!("`.npy` version {major}.{minor} is not known")));
        }
        _ => return Err(damaged()),
    };
    let start = length_at + 2;
    if length > MAX_HEADER {
        return Err(damaged());
    }
    let text = file.get(start..start + length).ok_or_else(damaged)?;
    let Some(Literal::Dict(entries)) = python::parse(&String::from_utf8_lossy(text)) else {
        return Err(damaged());
    };
    let entry = |name: &str| entries.iter().find(|(key, _)| key == name).map(|(_, value)| value);
    let (Some(descr), Some(Literal::Bool(column_major)), Some(Literal::Seq(dims))) =
        (entry("descr"), entry("fortran_order"), entry("shape"))
    else {
        return Err(damaged());
    };
    let dims = ints(dims).ok_or_else(damaged)?;
    let item = item(descr)?;
    let size = dims.iter().try_fold(item.size, |n, &dim| n.checked_mul(dim));
    if !dims.contains(&0) && size.is_none_or(|n| n > MAX_BYTES) {
        return Err(Problem::new("its array is too large").help("a buffer has at most 16 GiB"));
    }
    let descr = match descr {
        Literal::Str(name) => name.clone(),
        _ => format!("structure of {}", counted(item.size, "byte")),
    };
    Ok(Header { prefix: file[..start + length].to_vec(), descr, item, dims, column_major: *column_major })
}

fn ints(items: &[Literal]) -> Option<Vec<u64>> {
    items.iter().map(|item| if let Literal::Int(n) = item { Some(*n) } else { None }).collect()
}

fn item(descr: &Literal) -> Result<Item, Problem> {
    match descr {
        Literal::Str(name) => scalar(name),
        Literal::Seq(fields) => structure(fields),
        _ => Err(Problem::new("its data type is damaged")),
    }
}

/// A scalar's name: byte order, letter, size, unit; `<M8[ns]`.
fn scalar(name: &str) -> Result<Item, Problem> {
    let unknown = || Problem::new(format!("data type `{name}` is not known"));
    let rest = name.strip_prefix(['<', '>', '|', '=']).unwrap_or(name);
    let letter = rest.chars().next().ok_or_else(unknown)?;
    let digits = &rest[letter.len_utf8()..];
    let digits = digits.split('[').next().unwrap_or(digits);
    if letter == 'O' {
        return Err(Problem::new("it holds Python objects, not numbers"));
    }
    let number: u64 = match digits {
        "" => 1,
        _ => digits.parse().ok().filter(|&n| n <= MAX_BYTES).ok_or_else(unknown)?,
    };
    let (size, part) = match letter {
        'i' | 'u' | 'f' | 'm' | 'M' | 'b' | '?' => (number, number),
        'c' => (number, number / 2),
        'U' => (number * 4, 4),
        'S' | 'a' | 'V' => (number, 1),
        _ => return Err(unknown()),
    };
    let element = match letter {
        'i' => Element::new(Kind::Signed, size as usize),
        'u' | 'b' | '?' => Element::new(Kind::Unsigned, size as usize),
        'f' => Element::new(Kind::Float, size as usize),
        _ => None,
    };
    let mut item = Item { size, swapped: Vec::new(), element };
    if name.starts_with('>') && part > 1 {
        within_swapped_size(size)?;
        item.swapped = (0..size / part).map(|k| ((k * part) as u32, part as u32)).collect();
    }
    Ok(item)
}

/// A structure's fields: `(name, type)` or `(name, type, shape)`, one after the other.
fn structure(fields: &[Literal]) -> Result<Item, Problem> {
    let damaged = || Problem::new("its data type is damaged");
    let mut whole = Item::default();
    for field in fields {
        let (descr, shape) = match field {
            Literal::Seq(parts) => match parts.as_slice() {
                [_, descr] => (descr, Vec::new()),
                [_, descr, Literal::Int(n)] => (descr, vec![*n]),
                [_, descr, Literal::Seq(shape)] => (descr, ints(shape).ok_or_else(damaged)?),
                _ => return Err(damaged()),
            },
            _ => return Err(damaged()),
        };
        let part = item(descr)?;
        let count = shape.iter().try_fold(1u64, |n, &dim| n.checked_mul(dim)).ok_or_else(damaged)?;
        let size = count.checked_mul(part.size).and_then(|n| n.checked_add(whole.size));
        let size = size.filter(|&n| n <= MAX_BYTES).ok_or_else(damaged)?;
        if !part.swapped.is_empty() && count > 0 {
            within_swapped_size(size)?;
            for start in (whole.size..size).step_by(part.size as usize) {
                whole.swapped.extend(part.swapped.iter().map(|&(offset, n)| (start as u32 + offset, n)));
            }
        }
        whole.size = size;
    }
    Ok(whole)
}

fn within_swapped_size(size: u64) -> Result<(), Problem> {
    if size <= MAX_SWAPPED_ITEM {
        return Ok(());
    }
    Err(Problem::new(format!("its elements of {size} bytes are stored with the highest byte first"))
        .help("save the array in little-endian order"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut file = MAGIC.to_vec();
        file.extend([1, 0]);
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.as_bytes());
        file.extend(data);
        file
    }

    fn array(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        file(&format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n"), data)
    }

    fn message(file: Vec<u8>) -> String {
        decode(file).unwrap_err().message
    }

    fn round_trip(file: Vec<u8>) -> Loaded {
        let loaded = decode(file.clone()).unwrap();
        let mut written = Vec::new();
        encode(&loaded.layout, &loaded.bytes, &mut written).unwrap();
        assert_eq!(written, file);
        loaded
    }

    #[test]
    fn any_type_and_shape_is_kept() {
        for (descr, shape, size) in [
            ("'<i4'", "(2, 3)", 24),
            ("'|u1'", "(5,)", 5),
            ("'<f8'", "()", 8),
            ("'|b1'", "(0, 7)", 0),
            ("'<c16'", "(2,)", 32),
            ("'<U3'", "(2,)", 24),
            ("'|S0'", "(2,)", 0),
            ("'<M8[ns]'", "(1,)", 8),
            ("[('x', '<i4'), ('y', [('z', '|u1', (3,))], (2, 2))]", "(2,)", 32),
            ("[('', '|V4'), ('n', '>u2', 2)]", "(1,)", 8),
        ] {
            let loaded = round_trip(array(descr, shape, &vec![7; size]));
            assert_eq!(loaded.bytes.len(), size, "{descr}");
        }
    }

    #[test]
    fn big_endian_data_is_turned_round_and_back() {
        let loaded = round_trip(array("'>u4'", "(2,)", &[0, 0, 1, 2, 3, 4, 5, 6]));
        assert_eq!(loaded.bytes, [2, 1, 0, 0, 6, 5, 4, 3]);
        assert_eq!(loaded.layout.element(), Element::named("u32"));
        let loaded = round_trip(array("'>c8'", "(1,)", &[0, 1, 2, 3, 4, 5, 6, 7]));
        assert_eq!(loaded.bytes, [3, 2, 1, 0, 7, 6, 5, 4]);
        let loaded = round_trip(array("[('a', '|u1'), ('b', '>u2', (2,))]", "(1,)", &[9, 0, 1, 2, 3]));
        assert_eq!(loaded.bytes, [9, 1, 0, 3, 2]);
    }

    #[test]
    fn fortran_order_is_kept_and_noted() {
        let file = file("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 2), }\n", &[1, 2, 3, 4]);
        let loaded = round_trip(file);
        assert_eq!(loaded.notes.len(), 1);
    }

    #[test]
    fn a_fresh_header_reads_back_and_aligns_the_data() {
        for (element, dims) in [("f16", &[2u64, 3][..]), ("u8", &[5]), ("s64", &[]), ("u32", &[1; 64])] {
            let header = describe(Element::named(element).unwrap(), dims);
            assert_eq!(parse(&header.prefix).as_ref(), Ok(&header));
            assert_eq!(header.prefix.len() % 64, 0);
        }
        let header = describe(Element::named("u32").unwrap(), &[5]);
        let text = String::from_utf8_lossy(&header.prefix[10..]).trim_end().to_string();
        assert_eq!(text, "{'descr': '<u4', 'fortran_order': False, 'shape': (5,), }");
    }

    #[test]
    fn versions_two_and_three_read() {
        let text = "{'descr': '<u2', 'fortran_order': False, 'shape': (1,), }\n";
        for major in [2, 3] {
            let mut file = MAGIC.to_vec();
            file.extend([major, 0]);
            file.extend((text.len() as u32).to_le_bytes());
            file.extend(text.as_bytes());
            file.extend([1, 2]);
            assert_eq!(round_trip(file).bytes, [1, 2]);
        }
    }

    #[test]
    fn damaged_and_hostile_files_are_refused() {
        assert_eq!(message(vec![]), "it is not a `.npy` file");
        assert_eq!(message(b"P5 1 1".to_vec()), "it is not a `.npy` file");
        assert_eq!(message(MAGIC.to_vec()), "its `.npy` header is damaged");
        assert_eq!(message([MAGIC, &[9, 1, 0, 0]].concat()), "`.npy` version 9.1 is not known");
        assert_eq!(message([MAGIC, &[2, 0, 255, 255, 255, 255]].concat()), "its `.npy` header is damaged");
        assert_eq!(message(file("{'descr': '<i4'}", &[])), "its `.npy` header is damaged");
        assert_eq!(message(array("'<i4'", "(-1,)", &[])), "its `.npy` header is damaged");
        assert_eq!(message(array("'|O'", "(1,)", &[])), "it holds Python objects, not numbers");
        assert_eq!(message(array("'<q4'", "(1,)", &[])), "data type `<q4` is not known");
        assert_eq!(message(array("''", "(1,)", &[])), "data type `` is not known");
        assert_eq!(message(array("'<é'", "(1,)", &[])), "data type `<é` is not known");
        assert_eq!(message(array("7", "(1,)", &[])), "its data type is damaged");
        assert_eq!(message(array("'<i4'", "(9223372036854775808, 4)", &[])), "its array is too large");
        assert_eq!(
            message(array("[('x', '<i4', (9223372036854775808, 4))]", "(1,)", &[])),
            "its data type is damaged"
        );
        assert!(message(array("[('x', '>i4', (1000000,))]", "(1,)", &[])).contains("highest byte first"));
        assert_eq!(message(array("'<i4'", "(2,)", &[0; 7])), "its header says 8 bytes of data, but it has 7");
        assert_eq!(message(array("'<i4'", "(1,)", &[0; 7])), "its header says 4 bytes of data, but it has 7");
    }
}
