//! The shape of a buffer: an element type and how many along each dimension.

use std::fmt;

use crate::element::Element;
use crate::problem::Problem;

/// The largest buffer in bytes, 16 GiB: more is taken for a slip of the keyboard.
pub const MAX_BYTES: u64 = 16 << 30;

/// As many dimensions as NumPy reads.
const MAX_DIMS: usize = 64;

/// An element type and the dimensions, slowest first: `u8[480,640]`, also written `u8:480,640`.
///
/// # Examples
/// ```
/// use margay::shape::Shape;
///
/// let shape: Shape = "f32[2,3]".parse().unwrap();
/// assert_eq!((shape.count(), shape.bytes()), (6, 24));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    element: Element,
    dims: Vec<u64>,
}

impl Shape {
    /// A shape of these dimensions.
    ///
    /// # Errors
    /// More bytes than [`MAX_BYTES`], or more than 64 dimensions.
    pub fn new(element: Element, dims: Vec<u64>) -> Result<Self, Problem> {
        if dims.len() > MAX_DIMS {
            return Err(Problem::new(format!("{} dimensions are more than {MAX_DIMS}", dims.len())));
        }
        // A dimension of 0 makes the whole empty, however large the others are.
        let bytes = dims.iter().try_fold(element.bytes() as u64, |n, &dim| n.checked_mul(dim));
        let shape = Shape { element, dims };
        if shape.dims.contains(&0) || bytes.is_some_and(|n| n <= MAX_BYTES) {
            return Ok(shape);
        }
        Err(Problem::new(format!("a buffer of `{shape}` is too large")).help("a buffer has at most 16 GiB"))
    }

    /// The element type.
    pub fn element(&self) -> Element {
        self.element
    }

    /// The dimensions, slowest first; none for a single value.
    pub fn dims(&self) -> &[u64] {
        &self.dims
    }

    /// The number of elements.
    pub fn count(&self) -> u64 {
        if self.dims.contains(&0) { 0 } else { self.dims.iter().product() }
    }

    /// The size in bytes, at most [`MAX_BYTES`].
    pub fn bytes(&self) -> u64 {
        self.count() * self.element.bytes() as u64
    }
}

impl std::str::FromStr for Shape {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        let bracketed = text.strip_suffix(']').and_then(|t| t.split_once('['));
        let Some((name, dims)) = bracketed.or_else(|| text.split_once(':')) else {
            let help = match Element::named(text.trim()) {
                Some(element) => format!("write how many, as in `{element}[1]`"),
                None => "write a type and how many, as in `u32[1024]` or `u8[480,640]`".to_string(),
            };
            return Err(Problem::new(format!("`{text}` is not a type with a size")).help(help));
        };
        let Some(element) = Element::named(name.trim()) else {
            return Err(Problem::new(format!("unknown type `{}`", name.trim())).help(TYPES));
        };
        let dims = dims.split(',').map(|dim| parse_dim(dim.trim())).collect::<Result<_, _>>()?;
        Shape::new(element, dims)
    }
}

/// The types that elements and scalars can have, for help.
pub(crate) const TYPES: &str =
    "the types are u8 u16 u32 u64, s8 s16 s32 s64, f16 f32 f64, bf16 tf32 e4m3 e5m2 e3m2 e2m3 ue8m0 ue5m3";

fn parse_dim(text: &str) -> Result<u64, Problem> {
    let help = "a size is a decimal number, as in `u32[1024]` or `u8[480,640]`";
    if text.is_empty() {
        return Err(Problem::new("a size is missing").help(help));
    }
    if !text.bytes().all(|c| c.is_ascii_digit()) {
        return Err(Problem::new(format!("`{text}` is not a size")).help(help));
    }
    text.parse().map_err(|_| {
        Problem::new(format!("a buffer of {text} elements is too large")).help("a buffer has at most 16 GiB")
    })
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[", self.element)?;
        for (i, dim) in self.dims.iter().enumerate() {
            write!(f, "{}{dim}", if i == 0 { "" } else { "," })?;
        }
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Shape, String> {
        text.parse().map_err(|p: Problem| p.message)
    }

    #[test]
    fn both_spellings_mean_the_same() {
        assert_eq!(parse("u8[480,640]"), parse("u8:480,640"));
        assert_eq!(parse("u8[ 480 , 640 ]"), parse("u8:480,640"));
        assert_eq!(parse("u32[7]").unwrap().to_string(), "u32[7]");
    }

    #[test]
    fn sizes_do_not_overflow() {
        assert_eq!(parse("u8[17179869184]").unwrap().bytes(), MAX_BYTES);
        assert!(parse("u8[17179869185]").unwrap_err().contains("too large"));
        assert!(parse("u64[4294967296,4294967296]").unwrap_err().contains("too large"));
        assert!(parse("u64[18446744073709551615]").unwrap_err().contains("too large"));
        assert!(parse("u8[1000000000000000000000000000000]").unwrap_err().contains("too large"));
        assert_eq!(parse("u8[0,18446744073709551615]").unwrap().bytes(), 0);
    }

    #[test]
    fn each_slip_is_named() {
        for (text, message) in [
            ("", "`` is not a type with a size"),
            ("u32", "`u32` is not a type with a size"),
            ("u32[4", "`u32[4` is not a type with a size"),
            ("u32[]", "a size is missing"),
            ("u32[4,]", "a size is missing"),
            ("u32:", "a size is missing"),
            ("u33[4]", "unknown type `u33`"),
            ("[4]", "unknown type ``"),
            ("u8[-1]", "`-1` is not a size"),
            ("u8[1e3]", "`1e3` is not a size"),
            ("u8[4][4]", "`4][4` is not a size"),
        ] {
            assert_eq!(parse(text).unwrap_err(), message, "{text}");
        }
        assert!(parse(&format!("u8[{}1]", "1,".repeat(64))).unwrap_err().contains("65 dimensions"));
    }
}
