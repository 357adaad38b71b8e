//! Links: what is added, judged by itself first, and what comes of it.

use crate::failed::{Answer, Code, Failed};
use crate::options::Options;
use margay_doors::checked::checked;
use margay_doors::container::Container;
use margay_doors::image::{Image, RUNTIME, add_runtime, is_runtime, limited, linked};
use margay_doors::problem::Problem;
use margay_front::Source;
use margay_isa::{Suffix, Target, Version};

/// Kinds of input, by their numbers in `nvJitLink.h`.
const CUBIN: u32 = 1;
const PTX: u32 = 2;
const LTO_IR: u32 = 3;
const FAT_BINARY: u32 = 4;
const OBJECT: u32 = 5;
const LIBRARY: u32 = 6;
const ANY: u32 = 10;

/// How LTO-IR begins, and the compiler's representation from which it comes.
const LTO_IR_MAGIC: [u8; 4] = *b"\xedCN\x7f";
const BITCODE_MAGIC: [u8; 4] = *b"BC\xc0\xde";

/// What errors call the linked module.
const NAME: &str = "<linked>";

/// A link that is going on.
#[derive(Default)]
pub struct Link {
    /// None if they were wrong: such a link only tells why.
    options: Option<Options>,
    inputs: Vec<(String, Vec<u8>)>,
    /// Texts that have been checked, and the versions that they state.
    checked: Vec<(String, Version)>,
    output: Option<Vec<u8>>,
    /// What was wrong so far.
    errors: String,
}

impl Link {
    /// A link, which is there to tell what is wrong even if its options are.
    pub fn new(words: &[String]) -> (Link, Answer) {
        let mut link = Link::default();
        let read = Options::read(words).map(|options| link.options = Some(options));
        let read = link.told(read);
        (link, read)
    }

    /// Keeps what is wrong for the log.
    fn told<T>(&mut self, answer: Answer<T>) -> Answer<T> {
        if let Err(failed) = &answer {
            self.errors += &failed.text;
        }
        answer
    }

    fn options(&self) -> Answer<Options> {
        self.options.ok_or(Code::INVALID_INPUT.into())
    }

    /// Adds an input of a kind.
    pub fn add(&mut self, kind: u32, name: &str, bytes: &[u8]) -> Answer {
        let added = self.judged(kind, name, bytes);
        self.told(added)
    }

    /// Adds what a file holds.
    pub fn add_file(&mut self, kind: u32, path: &str) -> Answer {
        match std::fs::read(path) {
            Ok(bytes) => self.add(kind, path, &bytes),
            Err(error) => {
                let problem = Problem::new(format!("`{path}` cannot be read: {error}"));
                self.told(Err(Failed::told(Code::INVALID_INPUT, &problem)))
            }
        }
    }

    fn judged(&mut self, kind: u32, name: &str, bytes: &[u8]) -> Answer {
        let options = self.options()?;
        if bytes.is_empty() {
            let problem = Problem::new(format!("the input `{name}` is empty"));
            return Err(Failed::told(Code::INVALID_INPUT, &problem));
        }
        if [LIBRARY, ANY].contains(&kind) && is_runtime(name, bytes) {
            add_runtime(&mut self.inputs);
            return Ok(());
        }
        if kind == LTO_IR || [LTO_IR_MAGIC, BITCODE_MAGIC].iter().any(|magic| bytes.starts_with(magic)) {
            let problem = Problem::new(format!("the input `{name}` is LTO-IR, and margay links PTX"));
            let help = "compile it to PTX: without `-dlto` or `-gen-lto`, in numba without `lto=True`";
            return Err(Failed::told(Code::UNRECOGNIZED_INPUT, &problem.help(help)));
        }
        if [OBJECT, LIBRARY].contains(&kind) {
            let problem =
                Problem::new(format!("the input `{name}` is an object or a library, and margay links PTX"));
            let help = "of libraries only `libcudadevrt.a` is there; give PTX for what comes from others";
            return Err(Failed::told(Code::UNRECOGNIZED_INPUT, &problem.help(help)));
        }
        if ![CUBIN, PTX, FAT_BINARY, ANY].contains(&kind) {
            let problem =
                Problem::new(format!("the input `{name}` is of the kind {kind}, which there is not"));
            return Err(Failed::told(Code::INCORRECT_INPUT_TYPE, &problem));
        }
        let image = Image::of(bytes, options.device)?;
        if let Some(target) = image.target {
            fits(target, options.device)?;
        }
        let source = Source::from_bytes(name, image.text);
        let compiled = |text| Failed { code: Code::PTX_COMPILE, text };
        let module = checked(&source).map_err(compiled)?;
        fits(module.target(), options.device)?;
        self.checked.push((source.text, module.version()));
        self.inputs.push((name.to_string(), bytes.to_vec()));
        Ok(())
    }

    /// Puts the inputs together.
    pub fn complete(&mut self) -> Answer {
        if self.output.is_some() {
            return Ok(());
        }
        let made = self.made();
        self.output = Some(self.told(made)?);
        Ok(())
    }

    fn made(&self) -> Answer<Vec<u8>> {
        let options = self.options()?;
        if self.inputs.iter().all(|(_, bytes)| bytes == RUNTIME.as_bytes()) {
            let problem = Problem::new("nothing was added that could be linked");
            return Err(Failed::told(Code::INVALID_INPUT, &problem));
        }
        let source = Source::new(NAME, linked(&self.inputs, options.device)?);
        let source = match options.most_registers {
            Some(most) => limited(source, most),
            None => source,
        };
        // One input becomes what it was.
        let version = match self.checked.iter().find(|(text, _)| *text == source.text) {
            Some((_, version)) => *version,
            None => checked(&source).map_err(|text| Failed { code: Code::INTERNAL, text })?.version(),
        };
        if options.ptx {
            // A text of C's.
            return Ok([source.text.as_bytes(), b"\0"].concat());
        }
        let container = Container { version, target: options.device, text: source.text };
        Ok(container.to_bytes())
    }

    /// What came of the link: PTX, or an image for the driver.
    pub fn output(&self, ptx: bool) -> Answer<&[u8]> {
        if self.options()?.ptx != ptx {
            return Err(if ptx { Code::INVALID_INPUT } else { Code::INTERNAL }.into());
        }
        self.output.as_deref().ok_or(Code::INTERNAL.into())
    }

    /// The log of errors, as a text of C's: nothing at all if there was none.
    pub fn errors(&self) -> Vec<u8> {
        match self.errors.as_str() {
            "" => Vec::new(),
            errors => [errors.as_bytes(), b"\0"].concat(),
        }
    }
}

/// Whether PTX for a target can be assembled for a device, which has its architecture's own features.
fn fits(target: Target, device: Target) -> Answer {
    if target.assembles_for(Target { suffix: Suffix::Architecture, ..device }).is_ok() {
        return Ok(());
    }
    let problem = Problem::new(format!("the code is for {target}, and what is linked is for {device}"));
    Err(Failed::told(Code::PTX_COMPILE, &problem.help(format!("link with `-arch={target}`"))))
}
