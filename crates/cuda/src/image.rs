//! What programs hand over as code: PTX source, margay's container, fat binaries that hold one of them.

mod fatbin;

use crate::door::pass::Host;
use crate::failed::{Answer, Failed};
use crate::results::Code;
use margay_doors::container::{self, Container};
use margay_doors::problem::Problem;
use margay_isa::Target;

/// How a structure begins that points to a fat binary, as compilers put it into programs.
const WRAPPER: [u8; 4] = 0x4662_43b1u32.to_le_bytes();
/// Where it points there.
const WRAPPED: u64 = 8;
const ELF: [u8; 4] = *b"\x7fELF";
/// A container's header is never longer.
const CONTAINER_HEADER: u64 = 256;

/// PTX, and what it was checked for.
pub struct Image {
    pub text: Vec<u8>,
    /// The device that it was assembled for, if it was.
    pub target: Option<Target>,
}

/// The bytes of an image in memory, whose length it says itself.
pub fn whole(at: &Host) -> Answer<Vec<u8>> {
    if begins(at, &WRAPPER)? {
        return whole(&at.follow(WRAPPED)?);
    }
    if begins(at, &ELF)? {
        return Ok(ELF.to_vec());
    }
    if begins(at, &fatbin::MAGIC)? {
        let length = fatbin::length(at.field(0)?);
        return Ok(at.bytes(0, length)?.to_vec());
    }
    if begins(at, container::MAGIC)? {
        let mut header = Vec::new();
        while !header.ends_with(b"\n\n") && (header.len() as u64) < CONTAINER_HEADER {
            header.push(at.field::<1>(header.len() as u64)?[0]);
        }
        let text = Container::announced(&header).unwrap_or(0);
        return Ok(at.bytes(0, (header.len() + text) as u64)?.to_vec());
    }
    Ok(at.text()?.to_vec())
}

/// Whether memory begins with some bytes; what is after the first other one is not looked at.
fn begins(at: &Host, bytes: &[u8]) -> Answer<bool> {
    for (k, byte) in bytes.iter().enumerate() {
        if at.field::<1>(k as u64)? != [*byte] {
            return Ok(false);
        }
    }
    Ok(true)
}

impl Image {
    /// The PTX in the bytes of an image, for a device.
    pub fn of(bytes: &[u8], device: Target) -> Answer<Image> {
        if bytes.starts_with(&fatbin::MAGIC) {
            let text = fatbin::ptx(bytes, device)?;
            return Image::of(&text, device);
        }
        if bytes.starts_with(&ELF) {
            return Err(machine_code("the image is machine code for an NVIDIA GPU (a cubin), not PTX"));
        }
        let wrong = |problem: Problem| Failed::told(Code::INVALID_IMAGE, &problem);
        if bytes.starts_with(container::MAGIC) {
            let Container { target, text, .. } = Container::from_bytes(bytes).map_err(wrong)?;
            return Ok(Image { text: text.into_bytes(), target: Some(target) });
        }
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        let text = container::ptx_in(&bytes[..end]).map_err(wrong)?.into_owned();
        Ok(Image { text, target: None })
    }
}

/// Refuses code that only a GPU can run.
fn machine_code(what: &str) -> Failed {
    let help = "margay runs PTX: compile with `-gencode arch=compute_80,code=compute_80`; numba hands PTX over where \
                the package nvidia-nvjitlink is not installed; Triton where `TRITON_PTXAS_PATH` is margay";
    Failed::told(Code::NO_BINARY_FOR_GPU, &Problem::new(what).help(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_image_holds_is_found() {
        let device = "sm_80".parse().unwrap();
        let text = ".version 8.0\n.target sm_80\n";
        let of =
            |bytes: &[u8]| Image::of(bytes, device).map(|image| image.text).map_err(|failed| failed.code);
        assert_eq!(of(text.as_bytes()), Ok(text.into()));
        assert_eq!(of(format!("{text}\0\0").as_bytes()), Ok(text.into()));
        let container = Container { version: "8.0".parse().unwrap(), target: device, text: text.into() };
        assert_eq!(of(&container.to_bytes()), Ok(text.into()));
        assert_eq!(of(&container.to_bytes()[..80]), Err(Code::INVALID_IMAGE));
        assert_eq!(of(b"\x7fELF\x02\x01"), Err(Code::NO_BINARY_FOR_GPU));
    }
}
