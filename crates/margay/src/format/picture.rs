//! Grey pictures of one byte a pixel: `.png` and `.pgm`.

use crate::count::counted;
use std::io::{self, Cursor, Write};

use super::{EncodeError, Layout, Loaded};
use crate::element::Element;
use crate::problem::Problem;
use crate::shape::Shape;

/// A small file can unfold to a huge picture; more pixels than this are refused.
const MAX_PIXELS: u64 = 1 << 30;

/// Width and height of a buffer that makes a picture.
pub(super) fn size(layout: &Layout) -> Result<(u32, u32), Problem> {
    let fits = |n: u64| u32::try_from(n).ok().filter(|n| (1..=i32::MAX as u32).contains(n));
    if let (Some(Element::U8), &[height, width], false) =
        (layout.element(), layout.dims(), layout.column_major())
        && let (Some(width), Some(height)) = (fits(width), fits(height))
    {
        return Ok((width, height));
    }
    let dims: Vec<_> = layout.dims().iter().map(u64::to_string).collect();
    Err(Problem::new(format!("a buffer of `{}[{}]` is not an image", layout.element_name(), dims.join(",")))
        .help("a picture is `u8[HEIGHT,WIDTH]`, one byte a pixel"))
}

fn grey(width: u32, height: u32, bytes: Vec<u8>, notes: Vec<String>) -> Result<Loaded, Problem> {
    let shape = Shape::new(Element::U8, vec![height.into(), width.into()])?;
    Ok(Loaded { bytes, layout: Layout::Array(shape), notes })
}

fn within_limit(width: u32, height: u32) -> Result<(), Problem> {
    if u64::from(width) * u64::from(height) <= MAX_PIXELS {
        return Ok(());
    }
    Err(Problem::new(format!("a picture of {width} by {height} pixels is too large"))
        .help(format!("a picture has at most {MAX_PIXELS} pixels")))
}

fn sixteen_bits() -> Problem {
    Problem::new("it has 16 bits a pixel").help("turn it into 8 bits a pixel, or save its data as `.npy`")
}

pub(super) fn decode_png(file: &[u8]) -> Result<Loaded, Problem> {
    use png::{BitDepth, ColorType, Decoder, DecodingError, Transformations};
    let bad = |error: DecodingError| match error {
        DecodingError::IoError(_) => Problem::new("it ends too early for a PNG picture"),
        _ if !file.starts_with(b"\x89PNG\r\n\x1a\n") => Problem::new("it is not a PNG image"),
        other => Problem::new(format!("it is a damaged PNG picture ({other})")),
    };
    if file.is_empty() {
        return Err(Problem::new("it is empty"));
    }
    let mut decoder = Decoder::new(Cursor::new(file));
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(bad)?;
    let (width, height) = reader.info().size();
    if reader.info().bit_depth == BitDepth::Sixteen {
        return Err(sixteen_bits());
    }
    within_limit(width, height)?;
    let channels = reader.output_color_type().0.samples();
    let mut pixels = vec![0; width as usize * height as usize * channels];
    reader.next_frame(&mut pixels).map_err(bad)?;
    let (color, _) = reader.output_color_type();
    let mut notes = Vec::new();
    if matches!(color, ColorType::GrayscaleAlpha | ColorType::Rgba)
        && pixels.chunks_exact(channels).any(|pixel| pixel[channels - 1] != 255)
    {
        notes.push("its transparency is dropped".to_string());
    }
    let bytes = match color {
        ColorType::Grayscale => pixels,
        ColorType::GrayscaleAlpha => pixels.chunks_exact(2).map(|pixel| pixel[0]).collect(),
        _ => {
            if pixels.chunks_exact(channels).any(|pixel| pixel[0] != pixel[1] || pixel[1] != pixel[2]) {
                notes.push("its colours are turned to grey (ITU-R BT.601)".to_string());
            }
            pixels.chunks_exact(channels).map(|pixel| luma([pixel[0], pixel[1], pixel[2]])).collect()
        }
    };
    grey(width, height, bytes, notes)
}

/// ITU-R BT.601 in 16-bit fixed point: grey stays what it is, since the weights add up to 65536.
fn luma([r, g, b]: [u8; 3]) -> u8 {
    ((19595 * u32::from(r) + 38470 * u32::from(g) + 7471 * u32::from(b) + 0x8000) >> 16) as u8
}

pub(super) fn encode_png(
    (width, height): (u32, u32),
    bytes: &[u8],
    out: &mut dyn Write,
) -> Result<(), EncodeError> {
    let failed = |error: png::EncodingError| match error {
        png::EncodingError::IoError(error) => EncodeError::Io(error),
        other => EncodeError::Unsuitable(Problem::new(other.to_string())),
    };
    let mut encoder = png::Encoder::new(out, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(bytes).map_err(failed)?;
    writer.finish().map_err(failed)
}

/// Binary (`P5`) and plain (`P2`) pictures; the bytes are handed over as they are, with a note where white is not 255.
pub(super) fn decode_pgm(file: &[u8]) -> Result<Loaded, Problem> {
    let plain = match file {
        [b'P', b'5', ..] => false,
        [b'P', b'2', ..] => true,
        [] => return Err(Problem::new("it is empty")),
        _ => return Err(Problem::new("it is not a PGM image")),
    };
    let damaged = || Problem::new("it is a damaged PGM picture");
    let mut at = 2;
    let mut number = || next_number(file, &mut at).ok_or_else(damaged);
    let (width, height, largest) = (number()?, number()?, number()?);
    if width == 0 || height == 0 || largest == 0 || largest > 0xffff {
        return Err(damaged());
    }
    if largest > 0xff {
        return Err(sixteen_bits());
    }
    within_limit(width, height)?;
    let count = width as usize * height as usize;
    let bytes = if plain {
        let pixels = (0..count).map(|_| number().ok().filter(|&v| v <= largest).map(|v| v as u8));
        pixels.collect::<Option<Vec<u8>>>().ok_or_else(damaged)?
    } else {
        // One blank ends the header.
        let data = file.get(at + 1..).unwrap_or_default();
        if data.len() != count {
            return Err(Problem::new(format!(
                "its header says {}, but it has {}",
                counted(count, "pixel"),
                data.len()
            )));
        }
        data.to_vec()
    };
    let notes = match largest {
        255 => Vec::new(),
        white => vec![format!("its white is {white}, and its bytes are taken as they are")],
    };
    grey(width, height, bytes, notes)
}

/// The next decimal number after blanks and comments.
fn next_number(file: &[u8], at: &mut usize) -> Option<u32> {
    while let Some(c) = file.get(*at) {
        match c {
            b'#' => *at += file[*at..].iter().position(|&c| c == b'\n')?,
            c if c.is_ascii_whitespace() => *at += 1,
            _ => break,
        }
    }
    let digits = file[*at..].iter().take_while(|c| c.is_ascii_digit()).count();
    let text = std::str::from_utf8(&file[*at..*at + digits]).ok()?;
    *at += digits;
    text.parse().ok()
}

pub(super) fn encode_pgm((width, height): (u32, u32), bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
    write!(out, "P5\n{width} {height}\n255\n")?;
    out.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use png::{BitDepth, ColorType};

    fn png_file(color: ColorType, depth: BitDepth, size: (u32, u32), data: &[u8]) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, size.0, size.1);
        encoder.set_color(color);
        encoder.set_depth(depth);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(data).unwrap();
        writer.finish().unwrap();
        file
    }

    fn pgm_message(file: &[u8]) -> String {
        decode_pgm(file).unwrap_err().message
    }

    #[test]
    fn both_kinds_read_back_what_was_written() {
        let bytes: Vec<u8> = (0..6).map(|x| x * 50).collect();
        let mut png = Vec::new();
        encode_png((3, 2), &bytes, &mut png).unwrap();
        let mut pgm = Vec::new();
        encode_pgm((3, 2), &bytes, &mut pgm).unwrap();
        let read = decode_png(&png).unwrap();
        assert_eq!(read, decode_pgm(&pgm).unwrap());
        assert_eq!((read.bytes, read.layout.dims()), (bytes, &[2, 3][..]));
    }

    #[test]
    fn colours_turn_to_grey_with_a_note() {
        let colours = [255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9];
        let read = decode_png(&png_file(ColorType::Rgb, BitDepth::Eight, (4, 1), &colours)).unwrap();
        assert_eq!(read.bytes, [76, 150, 29, 9]);
        assert_eq!(read.notes, ["its colours are turned to grey (ITU-R BT.601)"]);
        let read = decode_png(&png_file(ColorType::Rgba, BitDepth::Eight, (1, 1), &[9, 9, 9, 0])).unwrap();
        assert_eq!((read.bytes, read.notes), (vec![9], vec!["its transparency is dropped".to_string()]));
        let read =
            decode_png(&png_file(ColorType::GrayscaleAlpha, BitDepth::Eight, (1, 1), &[7, 255])).unwrap();
        assert_eq!((read.bytes, read.notes), (vec![7], vec![]));
        for grey in 0..=255 {
            assert_eq!(luma([grey; 3]), grey);
        }
    }

    #[test]
    fn one_bit_pictures_are_black_and_white() {
        let read =
            decode_png(&png_file(ColorType::Grayscale, BitDepth::One, (8, 1), &[0b1010_0000])).unwrap();
        assert_eq!(read.bytes, [255, 0, 255, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn what_is_no_png_is_refused() {
        let message = |file: &[u8]| decode_png(file).unwrap_err().message;
        assert_eq!(message(b""), "it is empty");
        assert_eq!(message(b"P5 1 1 255 x"), "it is not a PNG image");
        assert_eq!(message(b"\x93NUMPY\x01\0...................."), "it is not a PNG image");
        let whole = png_file(ColorType::Grayscale, BitDepth::Eight, (64, 64), &[5; 4096]);
        for end in 1..whole.len() - 12 {
            decode_png(&whole[..end]).unwrap_err();
        }
        assert_eq!(message(&whole[..50]), "it ends too early for a PNG picture");
        let deep = png_file(ColorType::Grayscale, BitDepth::Sixteen, (1, 1), &[1, 2]);
        assert_eq!(message(&deep), "it has 16 bits a pixel");
        let mut wide = whole.clone();
        wide[16..24].copy_from_slice(&[0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff]);
        assert!(decode_png(&wide).is_err());
    }

    #[test]
    fn pgm_headers_hold_comments_and_plain_pixels() {
        assert_eq!(decode_pgm(b"P5 # x\n2#y\n 1\n255\n\x07\x08").unwrap().bytes, [7, 8]);
        let dark = decode_pgm(b"P2\n2 1\n15\n0 15\n").unwrap();
        assert_eq!((dark.bytes, dark.notes.len()), (vec![0, 15], 1));
        assert_eq!(pgm_message(b""), "it is empty");
        assert_eq!(pgm_message(b"P6 1 1 255 abc"), "it is not a PGM image");
        assert_eq!(pgm_message(b"P5 1"), "it is a damaged PGM picture");
        assert_eq!(pgm_message(b"P5 1 #"), "it is a damaged PGM picture");
        assert_eq!(pgm_message(b"P5 1 1 255"), "its header says 1 pixel, but it has 0");
        assert_eq!(pgm_message(b"P5 2 2 255\nabc"), "its header says 4 pixels, but it has 3");
        assert_eq!(pgm_message(b"P5 1 1 65535\nab"), "it has 16 bits a pixel");
        assert_eq!(pgm_message(b"P5 0 1 255\n"), "it is a damaged PGM picture");
        assert_eq!(pgm_message(b"P2 2 1 15\n1 16"), "it is a damaged PGM picture");
        assert!(pgm_message(b"P2 32768 32768 15\n").contains("damaged"));
        assert!(pgm_message(b"P5 4294967295 4294967295 255\n").contains("too large"));
        assert_eq!(pgm_message(b"P5 99999999999 1 255\n"), "it is a damaged PGM picture");
    }
}
