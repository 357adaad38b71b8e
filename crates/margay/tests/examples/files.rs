//! The two file formats that the examples write, read without margay.

use std::{fs::File, io::BufReader, path::Path};

/// Width and pixels of an 8-bit grey PNG.
pub fn png(path: &Path) -> (usize, Vec<u8>) {
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut reader = png::Decoder::new(BufReader::new(file)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Grayscale, png::BitDepth::Eight));
    (info.width as usize, pixels)
}

/// The data of an npy file, which must have this type and shape.
pub fn npy(path: &Path, descr: &str, shape: &str) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(&bytes[..6], b"\x93NUMPY");
    assert_eq!(bytes[6], 1, "a short header");
    let end = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header: String = String::from_utf8_lossy(&bytes[10..end]).split_whitespace().collect();
    assert!(header.contains(&format!("'descr':'{descr}'")), "{header}");
    let shape = if shape.contains(',') { shape.to_owned() } else { format!("{shape},") };
    assert!(header.contains(&format!("'shape':({shape})")), "{header}");
    assert!(header.contains("'fortran_order':False"), "{header}");
    bytes[end..].to_vec()
}

/// The data of an npy file of 32-bit integers.
pub fn npy32(path: &Path, descr: &str, shape: &str) -> Vec<i32> {
    let words = npy(path, descr, shape);
    words.chunks_exact(4).map(|word| i32::from_le_bytes(word.try_into().unwrap())).collect()
}
