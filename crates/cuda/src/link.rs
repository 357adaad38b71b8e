//! Links: PTX that is put together into an image. One input is checked and becomes margay's container.

use crate::door::module::Options;
use crate::door::pass::{Host, In};
use crate::driver::Driver;
use crate::failed::{Answer, Failed};
use crate::image::Image;
use crate::results::Code;
use margay_doors::container::Container;
use margay_doors::problem::Problem;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Where the program wants to read what is wrong, until it ends the link.
pub struct Log {
    pub options: Options,
    pub values: In<Host>,
}

/// A link that is going on.
pub struct Link {
    pub handle: usize,
    log: Log,
    /// Names and bytes of what was added.
    inputs: Mutex<Vec<(String, Vec<u8>)>>,
    /// What came of it, which the program sees until it ends the link.
    output: OnceLock<Arc<[u8]>>,
}

impl Link {
    pub fn new(handle: usize, log: Log) -> Link {
        Link { handle, log, inputs: Mutex::default(), output: OnceLock::new() }
    }

    /// Writes what is wrong where the program wants it.
    pub fn log(&self, failed: Option<&Failed>) -> Answer {
        self.log.options.log(&self.log.values.to_write(), failed)
    }

    pub fn add(&self, name: String, bytes: Vec<u8>) {
        self.inputs.lock().unwrap_or_else(PoisonError::into_inner).push((name, bytes));
    }
}

impl Driver {
    /// Puts the inputs together: the bytes of the image.
    pub fn complete<'l>(&self, link: &'l Link) -> Answer<&'l [u8]> {
        if let Some(output) = link.output.get() {
            return Ok(output);
        }
        let inputs = link.inputs.lock().unwrap_or_else(PoisonError::into_inner);
        let [(_, bytes)] = inputs.as_slice() else {
            let text = format!("{} inputs cannot be linked: margay links one PTX input so far", inputs.len());
            let help = "compile everything into one PTX source";
            return Err(Failed::told(Code::NOT_SUPPORTED, &Problem::new(text).help(help)));
        };
        let (source, module) = self.read_image(bytes, link.log.options.most_registers())?;
        let container =
            Container { version: module.version(), target: self.setting.arch, text: source.text.to_string() };
        Ok(link.output.get_or_init(|| container.to_bytes().into()))
    }

    /// Whether an input is PTX in one of its forms.
    pub fn check_input(&self, bytes: &[u8]) -> Answer {
        Image::of(bytes, self.setting.arch).map(|_| ())
    }
}
