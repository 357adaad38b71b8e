//! Images in memory, which say themselves where they end.

use crate::door::pass::Host;
use crate::failed::{Answer, Failed};
use crate::results::Code;
use margay_doors::container::{self, Container};
use margay_doors::image::{ELF, FAT_BINARY, Unusable, fat_binary_length};

/// How a structure begins that points to a fat binary, as compilers put it into programs.
const WRAPPER: [u8; 4] = 0x4662_43b1u32.to_le_bytes();
/// Where it points there.
const WRAPPED: u64 = 8;
/// A container's header is never longer.
const CONTAINER_HEADER: u64 = 256;

/// The bytes of an image in memory, whose length it says itself.
pub fn whole(at: &Host) -> Answer<Vec<u8>> {
    if begins(at, &WRAPPER)? {
        return whole(&at.follow(WRAPPED)?);
    }
    if begins(at, &ELF)? {
        return Ok(ELF.to_vec());
    }
    if begins(at, &FAT_BINARY)? {
        let length = fat_binary_length(at.field(0)?);
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

/// What an image that cannot be used is to CUDA.
impl From<Unusable> for Failed {
    fn from(unusable: Unusable) -> Failed {
        match unusable {
            Unusable::MachineCode(problem) => Failed::told(Code::NO_BINARY_FOR_GPU, &problem),
            Unusable::Later(arch, problem) => {
                let help = format!("`MARGAY_CUDA_ARCH={arch}` makes it such a device");
                Failed::told(Code::NO_BINARY_FOR_GPU, &problem.help(help))
            }
            Unusable::Damaged(problem) => Failed::told(Code::INVALID_IMAGE, &problem),
            Unusable::Errors(text) => Failed { code: Code::INVALID_PTX, text },
        }
    }
}
