//! Links: PTX sources that are put together into an image, margay's container.

use crate::device::Device;
use crate::door::options::Options;
use crate::door::pass::{Host, In};
use crate::failed::{Answer, Failed};
use crate::ptx::read;
use margay_doors::container::Container;
use margay_doors::image::{Image, add_runtime, linked};
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

    /// Adds the device's runtime, if it has not been added.
    pub fn add_runtime(&self) {
        add_runtime(&mut self.inputs.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub fn add(&self, name: String, bytes: Vec<u8>) {
        self.inputs.lock().unwrap_or_else(PoisonError::into_inner).push((name, bytes));
    }

    /// Puts the inputs together: the bytes of the image.
    pub fn complete(&self, device: &Device) -> Answer<&[u8]> {
        if let Some(output) = self.output.get() {
            return Ok(output);
        }
        let inputs = self.inputs.lock().unwrap_or_else(PoisonError::into_inner);
        let text = linked(&inputs, device.target)?;
        let most_registers = self.log.options.most_registers();
        let (source, module) = read(device, text.as_bytes(), most_registers)?;
        let container =
            Container { version: module.version(), target: device.target, text: source.text.to_string() };
        Ok(self.output.get_or_init(|| container.to_bytes().into()))
    }
}

/// Whether an input is PTX in one of its forms.
pub fn check_input(device: &Device, bytes: &[u8]) -> Answer {
    Image::of(bytes, device.target)?;
    Ok(())
}
