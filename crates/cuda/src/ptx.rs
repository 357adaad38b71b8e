//! PTX that the device runs, from the bytes of an image.

use crate::device::Device;
use crate::failed::{Answer, Failed};
use crate::results::Code;
use margay_doors::checked::checked;
use margay_doors::image::{Image, limited};
use margay_doors::problem::Problem;
use margay_front::Source;
use margay_front::module::Module;
use margay_isa::{Suffix, Target, Version};

/// What errors call PTX that has no file.
const NAME: &str = "<ptx>";

/// Whether the device runs what was assembled for a target.
fn check_target(device: &Device, target: Target, code: Code) -> Answer {
    // A device has its architecture's own features.
    let own = Target { suffix: Suffix::Architecture, ..device.target };
    if target.assembles_for(own).is_ok() {
        return Ok(());
    }
    let problem = Problem::new(format!("the code is for {target}, and this device is {}", device.target));
    Err(Failed::told(code, &problem.help(format!("`MARGAY_CUDA_ARCH={target}` makes it such a device"))))
}

/// What a driver answers to text with errors: without a version it is no PTX at all.
fn code_of_errors(text: &str) -> Code {
    let Some((_, after)) = text.split_once(".version") else { return Code::INVALID_IMAGE };
    let version = after.split_whitespace().next().and_then(|version| version.parse::<Version>().ok());
    match version.is_some_and(|version| version > Version::NEWEST) {
        true => Code::UNSUPPORTED_PTX_VERSION,
        false => Code::INVALID_PTX,
    }
}

/// PTX without errors that the device runs, from the bytes of an image.
pub fn read(device: &Device, bytes: &[u8], most_registers: Option<u32>) -> Answer<(Source, Module)> {
    let image = Image::of(bytes, device.target)?;
    if let Some(target) = image.target {
        check_target(device, target, Code::NO_BINARY_FOR_GPU)?;
    }
    let source = Source::from_bytes(NAME, image.text);
    let source = match most_registers {
        Some(most) => limited(source, most),
        None => source,
    };
    let module = checked(&source).map_err(|text| Failed { code: code_of_errors(&source.text), text })?;
    check_target(device, module.target(), Code::INVALID_PTX)?;
    if module.address_size() != 64 {
        let problem = Problem::new("the code has 32-bit addresses, and this device has 64-bit ones");
        return Err(Failed::told(Code::INVALID_PTX, &problem.help("write `.address_size 64`")));
    }
    Ok((source, module))
}
