//! Fat binaries as compiled programs register them: one, or several that are linked when they are loaded.

use super::pass::{In, Pointer, Text};
use crate::errors::{Answer, Code};
use crate::runtime::Runtime;
use std::ffi::CStr;

/// The structure that compilers make, and the version of it that has a list of fat binaries.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Wrapper {
    magic: u32,
    version: u32,
    data: Pointer,
    list: In<Binary>,
}

const MAGIC: u32 = 0x4662_43b1;
const LINKED: u32 = 2;

/// A fat binary in a list: null ends it.
type Binary = In<Header>;

/// What a fat binary begins with.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Header {
    magic: u32,
    version: u16,
    /// The bytes of this, and of what follows.
    header: u16,
    following: u64,
}

/// Kinds of a link's inputs.
const FAT_BINARY: u32 = 2;
const LIBRARY: u32 = 4;
/// The library of which NVIDIA's linker puts code into every program that is linked, used or not. The driver has its own in its place.
const RUNTIME: (&CStr, &[u8; 8]) = (c"libcudadevrt.a", b"!<arch>\n");

/// What is to be loaded.
pub enum Image {
    /// What the driver takes as it is.
    One(Pointer),
    /// Fat binaries that become one module.
    Linked(Vec<(Pointer, usize)>),
}

/// What a program registers.
pub fn read(wrapper: In<Wrapper>) -> Answer<Image> {
    let Wrapper { magic, version, list, .. } = wrapper.read()?;
    if magic != MAGIC {
        return Err(Code::INVALID_VALUE);
    }
    let parts = if version == LINKED { list.until_null()? } else { Vec::new() };
    let linked = parts.into_iter().map(|part| {
        let Header { header, following, .. } = part.read()?;
        Ok((part.pointer(), header as usize + following as usize))
    });
    let linked = linked.collect::<Answer<Vec<_>>>()?;
    Ok(if linked.is_empty() { Image::One(wrapper.pointer()) } else { Image::Linked(linked) })
}

/// Loads it into the current context.
pub fn load(runtime: &Runtime, image: &Image) -> Answer<usize> {
    let mut module = 0;
    match image {
        Image::One(image) => runtime.driver.cuModuleLoadData(&mut module, *image)?,
        Image::Linked(binaries) => {
            let mut link = 0;
            runtime.driver.cuLinkCreate_v2(0, Pointer::NULL, Pointer::NULL, &mut link)?;
            let loaded = linked(runtime, link, binaries, &mut module);
            runtime.driver.cuLinkDestroy(link)?;
            loaded?;
        }
    }
    Ok(module)
}

fn linked(runtime: &Runtime, link: usize, binaries: &[(Pointer, usize)], module: &mut usize) -> Answer {
    let device = runtime.device()?;
    let arch = 10 * runtime.attribute(MAJOR, device)? + runtime.attribute(MINOR, device)?;
    let mut left_out = 0;
    let add = |kind, data, bytes, name| {
        let (none, name) = (Pointer::NULL, Text::of(name));
        runtime.driver.cuLinkAddData_v2(link, kind, data, bytes, name, 0, none, none)
    };
    for (data, bytes) in binaries {
        if is_for_others(data.bytes(*bytes), arch) {
            left_out += 1;
            let (name, archive) = RUNTIME;
            add(LIBRARY, Pointer::of(archive), archive.len(), name)?;
        } else {
            add(FAT_BINARY, *data, *bytes, c"fat binary")?;
        }
    }
    let (mut image, mut bytes) = (Pointer::NULL, 0);
    let completed = runtime.driver.cuLinkComplete(link, &mut image, &mut bytes);
    if completed.is_err() && left_out > 0 {
        super::tell(&format!(
            "note: of the program's {} fat binaries {left_out} were left out, for they hold machine code and no PTX for this device\n",
            binaries.len()
        ));
    }
    completed?;
    runtime.driver.cuModuleLoadData(module, image)
}

/// The attributes that are the compute capability.
const MAJOR: u32 = 75;
const MINOR: u32 = 76;

/// Whether a fat binary holds code, but only machine code and PTX for later devices. An entry begins with its kind, the bytes of its
/// header at 4 and of what follows at 8, and the architecture at 28.
fn is_for_others(binary: &[u8], arch: i32) -> bool {
    const PTX: u16 = 1;
    let number = |bytes: &[u8], at: usize, count: usize| {
        let found = bytes.get(at..at + count).unwrap_or_default();
        found.iter().rev().fold(0u64, |so_far, byte| so_far << 8 | u64::from(*byte))
    };
    let (mut rest, mut machine_code) =
        (binary.get(number(binary, 6, 2) as usize..).unwrap_or_default(), false);
    while !rest.is_empty() {
        let is_ptx = number(rest, 0, 2) == u64::from(PTX);
        if is_ptx && number(rest, 28, 4) <= arch as u64 {
            return false;
        }
        machine_code |= !is_ptx;
        let bytes = number(rest, 4, 4).saturating_add(number(rest, 8, 8)).max(1);
        rest = rest.get(bytes as usize..).unwrap_or_default();
    }
    machine_code
}
