//! What programs hand over as code: PTX source, margay's container, fat binaries that hold one of them; and several of them linked.

mod fatbin;
mod registers;

pub use registers::limited;

use margay_front::diag::across;
use margay_front::link::{Options, link};
use margay_front::{Diagnostic, Severity, Source};
use margay_isa::Target;

use crate::container::{self, Container};
use crate::problem::Problem;

/// How a fat binary begins.
pub const FAT_BINARY: [u8; 4] = fatbin::MAGIC;
/// How machine code begins, and whatever else is an object for a linker.
pub const ELF: [u8; 4] = *b"\x7fELF";

/// The functions that there are of the device's runtime, `libcudadevrt.a`, as PTX.
pub const RUNTIME: &str = include_str!("image/runtime.ptx");
const RUNTIME_NAME: &str = "libcudadevrt.a";

/// So many errors are shown of a link.
const SHOWN: usize = 100;

/// PTX, and what it was checked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// PTX source, which need not be right.
    pub text: Vec<u8>,
    /// The device that it was assembled for, if it was.
    pub target: Option<Target>,
}

/// Why there is no PTX to run in an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// It is code that only a GPU can run.
    MachineCode(Problem),
    /// Its PTX is for this and later architectures (`sm_90`), not for the device.
    Later(String, Problem),
    /// It is none of the forms that PTX is handed over in, or one that was changed or cut.
    Damaged(Problem),
    /// The PTX has errors, which this text shows.
    Errors(String),
}

impl Image {
    /// The PTX in the bytes of an image, for a device.
    ///
    /// # Errors
    /// If there is none for it.
    ///
    /// ```
    /// use margay::image::{Image, Unusable};
    /// let device = "sm_80".parse().unwrap();
    /// let text = b".version 8.0\n.target sm_80\n";
    /// assert_eq!(Image::of(text, device).unwrap(), Image { text: text.to_vec(), target: None });
    /// assert!(matches!(Image::of(b"\x7fELF\x02\x01", device), Err(Unusable::MachineCode(_))));
    /// ```
    pub fn of(bytes: &[u8], device: Target) -> Result<Image, Unusable> {
        if bytes.starts_with(&fatbin::MAGIC) {
            return Image::of(&fatbin::ptx(bytes, device)?, device);
        }
        if bytes.starts_with(&ELF) {
            let what = "the image is machine code for an NVIDIA GPU (a cubin), not PTX";
            return Err(Unusable::machine_code(what));
        }
        if bytes.starts_with(container::MAGIC) {
            let Container { target, text, .. } = Container::from_bytes(bytes).map_err(Unusable::Damaged)?;
            return Ok(Image { text: text.into_bytes(), target: Some(target) });
        }
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        let text = container::ptx_in(&bytes[..end]).map_err(Unusable::Damaged)?.into_owned();
        Ok(Image { text, target: None })
    }
}

impl Unusable {
    /// Refuses code that only a GPU can run.
    fn machine_code(what: &str) -> Unusable {
        let help = "margay runs PTX: compile with `-gencode arch=compute_80,code=compute_80`; Triton hands PTX over where \
                    `TRITON_PTXAS_PATH` is margay, and numba where `margay cuda` or `import margay.cuda` comes first";
        Unusable::MachineCode(Problem::new(what).help(help))
    }
}

/// One module of several images with their names, for a device: the text of PTX without errors.
///
/// # Errors
/// If one of them has no PTX, or they cannot be linked.
///
/// ```
/// use margay::image::linked;
/// let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
/// let kernel = format!("{head}.extern .func f();\n.visible .entry k() {{ call f; ret; }}").into_bytes();
/// let device = format!("{head}.visible .func f() {{ ret; }}").into_bytes();
/// let inputs = [("k.ptx".to_string(), kernel), ("f.ptx".to_string(), device)];
/// assert!(linked(&inputs, "sm_80".parse().unwrap()).unwrap().contains(".func f"));
/// assert!(linked(&inputs[..1], "sm_80".parse().unwrap()).is_err());
/// ```
pub fn linked(inputs: &[(String, Vec<u8>)], device: Target) -> Result<String, Unusable> {
    let source = |(name, bytes): &(String, Vec<u8>)| {
        Ok(Source::from_bytes(name.as_str(), Image::of(bytes, device)?.text))
    };
    let sources: Vec<Source> = inputs.iter().map(source).collect::<Result<_, _>>()?;
    let linked = link(sources, Options { allow_undefined: false, to_run: true });
    linked.text.ok_or_else(|| {
        let is_error = |d: &Diagnostic| d.severity == Severity::Error;
        let errors: Vec<_> = linked.diagnostics.into_iter().filter(is_error).collect();
        Unusable::Errors(across::human(&linked.inputs, &errors, false, SHOWN))
    })
}

/// Whether an input of a link is the device's runtime, in whose place [`RUNTIME`] is linked.
///
/// ```
/// use margay::image::is_runtime;
/// assert!(is_runtime("/usr/lib/libcudadevrt.a", b"!<arch>\n"));
/// assert!(!is_runtime("libother.a", b"!<arch>\n"));
/// ```
pub fn is_runtime(name: &str, bytes: &[u8]) -> bool {
    name.rsplit('/').next() == Some(RUNTIME_NAME) && bytes.starts_with(b"!<arch>\n")
}

/// Adds the device's runtime to the inputs of a link, if it has not been added.
pub fn add_runtime(inputs: &mut Vec<(String, Vec<u8>)>) {
    if inputs.iter().all(|(_, bytes)| bytes != RUNTIME.as_bytes()) {
        inputs.push((RUNTIME_NAME.into(), RUNTIME.into()));
    }
}

/// How long a fat binary is that begins so.
pub fn fat_binary_length(header: [u8; 16]) -> u64 {
    fatbin::length(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_image_holds_is_found() {
        let device = "sm_80".parse().unwrap();
        let text = ".version 8.0\n.target sm_80\n";
        let of = |bytes: &[u8]| Image::of(bytes, device).map(|image| image.text);
        assert_eq!(of(text.as_bytes()), Ok(text.into()));
        assert_eq!(of(format!("{text}\0\0").as_bytes()), Ok(text.into()));
        let container = Container { version: "8.0".parse().unwrap(), target: device, text: text.into() };
        assert_eq!(of(&container.to_bytes()), Ok(text.into()));
        assert!(matches!(of(&container.to_bytes()[..80]), Err(Unusable::Damaged(_))));
        assert!(matches!(of(b"\x7fELF\x02\x01"), Err(Unusable::MachineCode(_))));
    }
}
