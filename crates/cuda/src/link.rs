//! Links: PTX sources that are put together into an image, margay's container.

use crate::door::module::Options as JitOptions;
use crate::door::pass::{Host, In};
use crate::driver::Driver;
use crate::failed::{Answer, Failed};
use crate::image::Image;
use crate::results::Code;
use crate::runtime;
use margay_doors::container::Container;
use margay_front::diag::across;
use margay_front::link::Options;
use margay_front::{Diagnostic, Severity, Source};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// So many errors are shown of a link.
const SHOWN: usize = 100;

/// Where the program wants to read what is wrong, until it ends the link.
pub struct Log {
    pub options: JitOptions,
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
        let mut inputs = self.inputs.lock().unwrap_or_else(PoisonError::into_inner);
        if inputs.iter().all(|(_, bytes)| bytes != runtime::TEXT.as_bytes()) {
            inputs.push(("libcudadevrt.a".into(), runtime::TEXT.into()));
        }
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
        let sources = inputs.iter().map(|(name, bytes)| {
            Ok(Source::from_bytes(name.as_str(), Image::of(bytes, self.setting.arch)?.text))
        });
        let options = Options { allow_undefined: false, to_run: true };
        let linked = margay_front::link::link(sources.collect::<Answer<_>>()?, options);
        let Some(text) = linked.text else {
            let is_error = |d: &Diagnostic| d.severity == Severity::Error;
            let errors: Vec<_> = linked.diagnostics.into_iter().filter(is_error).collect();
            let text = across::human(&linked.inputs, &errors, false, SHOWN);
            return Err(Failed { code: Code::INVALID_PTX, text });
        };
        let most_registers = link.log.options.most_registers();
        let (source, module) = self.read_image(text.as_bytes(), most_registers)?;
        let container =
            Container { version: module.version(), target: self.setting.arch, text: source.text.to_string() };
        Ok(link.output.get_or_init(|| container.to_bytes().into()))
    }

    /// Whether an input is PTX in one of its forms.
    pub fn check_input(&self, bytes: &[u8]) -> Answer {
        Image::of(bytes, self.setting.arch).map(|_| ())
    }
}
