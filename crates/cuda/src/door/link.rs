//! Links.

use super::module::file;
use super::options::Options;
use super::pass::{Host, In, Out, Text};
use super::{Status, call};
use crate::driver::Driver;
use crate::failed::{Answer, Failed};
use crate::link::{Link, Log, check_input};
use crate::results::Code;
use margay_doors::image::is_runtime;

/// Kinds of input, by their numbers in `cuda.h`: machine code, PTX, a fat binary, libraries, and others.
const CUBIN: u32 = 0;
const PTX: u32 = 1;
const FAT: u32 = 2;
const LIBRARY: u32 = 4;

#[unsafe(no_mangle)]
pub extern "C" fn cuLinkCreate_v2(
    count: u32,
    options: In<u32>,
    values: In<Host>,
    link: Out<usize>,
) -> Status {
    call(|driver| {
        driver.current()?;
        let options = Options::read(count, options, values)?;
        link.give(driver.handles.make(|handle| Link::new(handle, Log { options, values })).handle)
    })
}

/// Adds an input, and writes what is wrong with it into the program's log.
fn add(driver: &Driver, link: usize, kind: u32, name: String, bytes: Answer<Vec<u8>>) -> Answer {
    let link = driver.handles.find::<Link>(link)?;
    let added = bytes.and_then(|bytes| {
        if kind == LIBRARY && is_runtime(&name, &bytes) {
            link.add_runtime();
            return Ok(());
        }
        if ![CUBIN, PTX, FAT].contains(&kind) {
            let text = format!(
                "`{name}` cannot be linked: objects, LTO-IR and libraries other than `libcudadevrt.a` are not supported, only PTX is"
            );
            return Err(Failed::because(Code::NOT_SUPPORTED, text));
        }
        check_input(&driver.device, &bytes)?;
        link.add(name, bytes);
        Ok(())
    });
    link.log(added.as_ref().err())?;
    added
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLinkAddData_v2(
    link: usize,
    kind: u32,
    data: Host,
    bytes: usize,
    name: Text,
    _count: u32,
    _options: In<u32>,
    _values: In<Host>,
) -> Status {
    call(|driver| {
        let given = data.bytes(0, bytes as u64).map(<[u8]>::to_vec);
        add(driver, link, kind, name.get().unwrap_or("<ptx>".into()), given)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLinkAddFile_v2(
    link: usize,
    kind: u32,
    path: Text,
    _count: u32,
    _options: In<u32>,
    _values: In<Host>,
) -> Status {
    call(|driver| add(driver, link, kind, path.get()?, file(path)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLinkComplete(link: usize, image: Out<*const u8>, bytes: Out<usize>) -> Status {
    call(|driver| {
        let link = driver.handles.find::<Link>(link)?;
        let made = link.complete(&driver.device);
        link.log(made.as_ref().err())?;
        let made = made?;
        image.give(made.as_ptr())?;
        bytes.offer(made.len());
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLinkDestroy(link: usize) -> Status {
    call(|driver| driver.handles.take::<Link>(link).map(|_| ()))
}
