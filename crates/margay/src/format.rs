//! Buffers as files: `.npy`, 8-bit grey pictures, raw bytes, chosen by the file's extension.

mod npy;
mod picture;
mod python;

use crate::count::counted;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use crate::arg::Wanted;
use crate::element::{Element, Kind};
use crate::problem::{Problem, shown};
use crate::report::Input;
use crate::shape::{MAX_BYTES, Shape};

pub use npy::Header as NpyHeader;

/// What a file holds, by its extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `.npy`: NumPy's array of any data type and shape.
    Npy,
    /// `.png`: a picture, one byte a pixel.
    Png,
    /// `.pgm`: a picture, one byte a pixel.
    Pgm,
    /// Anything else: the bytes of the buffer.
    Raw,
}

impl Format {
    /// The format that a file's extension asks for; its case does not matter.
    pub fn of(file: &Path) -> Self {
        match extension(file).as_str() {
            "npy" => Format::Npy,
            "png" => Format::Png,
            "pgm" => Format::Pgm,
            _ => Format::Raw,
        }
    }
}

fn extension(file: &Path) -> String {
    file.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// What is known of a buffer's elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// That many bytes.
    Bytes(u64),
    /// Elements of one type.
    Array(Shape),
    /// What a `.npy` file said, kept for writing it back.
    Npy(NpyHeader),
}

impl Layout {
    /// The size in bytes.
    pub fn bytes(&self) -> u64 {
        match self {
            Layout::Bytes(bytes) => *bytes,
            Layout::Array(shape) => shape.bytes(),
            Layout::Npy(header) => header.bytes(),
        }
    }

    /// The dimensions, slowest first.
    pub fn dims(&self) -> &[u64] {
        match self {
            Layout::Bytes(bytes) => std::slice::from_ref(bytes),
            Layout::Array(shape) => shape.dims(),
            Layout::Npy(header) => header.dims(),
        }
    }

    /// The type of the elements, if it is one of PTX's: a `.npy` file may hold others.
    pub fn element(&self) -> Option<Element> {
        match self {
            Layout::Bytes(_) => Some(Element::U8),
            Layout::Array(shape) => Some(shape.element()),
            Layout::Npy(header) => header.element(),
        }
    }

    /// The element type's name: PTX's, or NumPy's where PTX has none.
    pub fn element_name(&self) -> String {
        match (self.element(), self) {
            (None, Layout::Npy(header)) => header.descr().to_string(),
            (element, _) => element.unwrap_or(Element::U8).to_string(),
        }
    }

    /// Whether a buffer of this layout can be written in a format.
    ///
    /// # Errors
    /// A picture of anything but bytes in two dimensions.
    pub fn suits(&self, format: Format) -> Result<(), Problem> {
        match format {
            Format::Npy | Format::Raw => Ok(()),
            Format::Png | Format::Pgm => picture::size(self).map(|_| ()),
        }
    }

    fn column_major(&self) -> bool {
        matches!(self, Layout::Npy(header) if header.column_major())
    }
}

/// The data of a file, as a kernel sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The buffer's bytes: little-endian, whatever the file's order.
    pub bytes: Vec<u8>,
    /// What the file said of them.
    pub layout: Layout,
    /// What was changed on the way, for the report: a colour picture turned to grey.
    pub notes: Vec<String>,
}

/// Reads a file as its extension says.
///
/// Pictures give one byte a pixel, row by row from the top. A colour picture is turned to grey by ITU-R BT.601 as
/// `(19595 R + 38470 G + 7471 B + 32768) >> 16`, and its transparency is dropped, both with a note; a picture of 16 bits a
/// pixel is refused, since half its data would be lost.
///
/// # Errors
/// A file that cannot be read, that is no regular file or pipe, that is larger than 16 GiB, or that does not hold what its extension says.
pub fn load(file: &Path) -> Result<Loaded, Problem> {
    let bytes = read(file)?;
    let decoded = match Format::of(file) {
        Format::Npy => npy::decode(bytes),
        Format::Png => picture::decode_png(&bytes),
        Format::Pgm => picture::decode_pgm(&bytes),
        Format::Raw => Ok(raw(file, bytes)),
    };
    decoded.map_err(|problem| problem.within(format!("cannot read `{}`", file.display())))
}

fn raw(file: &Path, bytes: Vec<u8>) -> Loaded {
    let packed = ["bmp", "gif", "jpeg", "jpg", "npz", "ppm", "tif", "tiff", "webp"];
    let extension = extension(file);
    let notes = if packed.contains(&extension.as_str()) {
        vec![format!("`.{extension}` is read as raw bytes; margay decodes `.npy`, `.png` and `.pgm`")]
    } else {
        Vec::new()
    };
    Loaded { layout: Layout::Bytes(bytes.len() as u64), bytes, notes }
}

fn read(file: &Path) -> Result<Vec<u8>, Problem> {
    let failed = |error: &io::Error| Problem::io("read", file, error);
    let opened = File::open(file).map_err(|e| failed(&e))?;
    let metadata = opened.metadata().map_err(|e| failed(&e))?;
    if metadata.is_dir() {
        return Err(failed(&io::ErrorKind::IsADirectory.into()));
    }
    if is_device(&metadata) {
        return Err(Problem::new(format!("cannot read `{}`: it is a device", file.display())));
    }
    let too_large = || {
        Problem::new(format!("cannot read `{}`: it is too large", file.display()))
            .help("a buffer has at most 16 GiB")
    };
    if metadata.len() > MAX_BYTES {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    opened.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|e| failed(&e))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(too_large());
    }
    Ok(bytes)
}

#[cfg(unix)]
fn is_device(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.file_type().is_char_device() || metadata.file_type().is_block_device()
}

#[cfg(not(unix))]
fn is_device(_: &std::fs::Metadata) -> bool {
    false
}

/// The layout of a file's data as elements of the type that it has to hold. Bytes of which nothing else is known are taken
/// for what is wanted.
///
/// # Errors
/// If the file holds something else.
pub(crate) fn insist(layout: &Layout, wanted: &Wanted, file: &Path) -> Result<Layout, Problem> {
    let (element, dims) = match wanted {
        Wanted::Element(element) => (*element, None),
        Wanted::Shape(shape) => (shape.element(), Some(shape.dims())),
    };
    let size = element.bytes() as u64;
    let is_wanted = layout.element() == Some(element) && dims.is_none_or(|dims| dims == layout.dims());
    let of_bytes = || {
        let Layout::Bytes(bytes) = layout else { return None };
        let dims = dims.map_or_else(|| vec![bytes / size], <[u64]>::to_vec);
        Shape::new(element, dims).ok().filter(|shape| shape.bytes() == *bytes).map(Layout::Array)
    };
    if is_wanted {
        return Ok(layout.clone());
    }
    // NumPy keeps what it has no type for as integers, or as bytes without a meaning.
    let of_bits = || {
        let Layout::Npy(header) = layout else { return None };
        let is_float = header.element().is_some_and(|held| held.kind() == Kind::Float);
        let shape = Shape::new(element, dims.unwrap_or(header.dims()).to_vec()).ok()?;
        let fits = element.is_foreign() && !is_float && header.item_bytes() == size;
        (fits && shape.dims() == header.dims()).then_some(Layout::Array(shape))
    };
    of_bytes().or_else(of_bits).ok_or_else(|| {
        let wanted = match wanted {
            Wanted::Element(element) => format!("`{element}`"),
            Wanted::Shape(shape) => format!("`{shape}`"),
        };
        let message = format!("{} holds `{}`, not {wanted}", shown(file), Input::new("", layout).data());
        Problem::new(message).help("convert the file, or write the type that the kernel reads")
    })
}

/// Writes a buffer in a format. `.npy` data read from a file keeps its data type, order and shape.
///
/// # Errors
/// The writer's, or a buffer that does not suit the format or has another size than its layout.
pub fn encode(format: Format, layout: &Layout, bytes: &[u8], out: &mut dyn Write) -> Result<(), EncodeError> {
    if bytes.len() as u64 != layout.bytes() {
        let message =
            format!("a buffer of {} is not one of {}", counted(bytes.len(), "byte"), layout.bytes());
        return Err(EncodeError::Unsuitable(Problem::new(message)));
    }
    match format {
        Format::Npy => Ok(npy::encode(layout, bytes, out)?),
        Format::Png => picture::encode_png(picture::size(layout)?, bytes, out),
        Format::Pgm => Ok(picture::encode_pgm(picture::size(layout)?, bytes, out)?),
        Format::Raw => Ok(out.write_all(bytes)?),
    }
}

/// Why a buffer was not written.
#[derive(Debug)]
pub enum EncodeError {
    /// The writer failed.
    Io(io::Error),
    /// The buffer does not suit the format.
    Unsuitable(Problem),
}

impl From<io::Error> for EncodeError {
    fn from(error: io::Error) -> Self {
        EncodeError::Io(error)
    }
}

impl From<Problem> for EncodeError {
    fn from(problem: Problem) -> Self {
        EncodeError::Unsuitable(problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides() {
        for (name, format) in [
            ("a.npy", Format::Npy),
            ("a.b/c.PNG", Format::Png),
            ("a.pgm", Format::Pgm),
            ("a.npy.gz", Format::Raw),
            ("npy", Format::Raw),
            (".npy", Format::Raw),
        ] {
            assert_eq!(Format::of(Path::new(name)), format, "{name}");
        }
    }

    #[test]
    fn pictures_take_bytes_in_two_dimensions() {
        let suits = |shape: &str| Layout::Array(shape.parse().unwrap()).suits(Format::Png).is_ok();
        assert!(suits("u8[3,4]"));
        assert!(!suits("u16[3,4]"));
        assert!(!suits("s8[3,4]"));
        assert!(!suits("u8[12]"));
        assert!(!suits("u8[0,4]"));
        assert!(!suits("u8[1,3,4]"));
        assert!(Layout::Bytes(12).suits(Format::Png).is_err());
        assert!(Layout::Bytes(12).suits(Format::Npy).is_ok());
    }

    #[test]
    fn a_buffer_of_another_size_is_not_written() {
        let mut out = Vec::new();
        let layout = Layout::Array("u8[2,2]".parse().unwrap());
        for format in [Format::Npy, Format::Png, Format::Pgm, Format::Raw] {
            assert!(encode(format, &layout, &[0; 3], &mut out).is_err());
        }
        assert!(out.is_empty());
    }
}
