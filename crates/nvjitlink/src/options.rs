//! The linker's options, as a table, and what they choose.

use crate::failed::{Answer, Code, Failed};
use margay_doors::problem::Problem;
use margay_isa::Target;

/// What comes after an option's name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    /// `=` and a value.
    Value,
    /// A value right after it.
    Digit,
}

/// What is done about an option.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    Device,
    MostRegisters,
    Optimize,
    Lto,
    Ptx,
    Refused,
    /// Nothing: it is about how machine code is made, or about LTO-IR.
    Nothing,
}

const OPTIONS: &[(&str, Takes, Does)] = &[
    ("-arch", Takes::Value, Does::Device),
    ("-maxrregcount", Takes::Value, Does::MostRegisters),
    ("-lto", Takes::Nothing, Does::Lto),
    ("-ptx", Takes::Nothing, Does::Ptx),
    ("-r", Takes::Nothing, Does::Refused),
    ("-O", Takes::Digit, Does::Optimize),
    ("-Ofc", Takes::Value, Does::Nothing),
    ("-Xptxas", Takes::Value, Does::Nothing),
    ("-device-stack-protector", Takes::Nothing, Does::Nothing),
    ("-device-stack-protector", Takes::Value, Does::Nothing),
    ("-fma", Takes::Value, Does::Nothing),
    ("-ftz", Takes::Value, Does::Nothing),
    ("-g", Takes::Nothing, Does::Nothing),
    ("-jump-table-density", Takes::Value, Does::Nothing),
    ("-kernels-used", Takes::Value, Does::Nothing),
    ("-lineinfo", Takes::Nothing, Does::Nothing),
    ("-no-cache", Takes::Nothing, Does::Nothing),
    ("-nvvm-latest", Takes::Nothing, Does::Nothing),
    ("-optimize-unused-variables", Takes::Nothing, Does::Nothing),
    ("-prec-div", Takes::Value, Does::Nothing),
    ("-prec-sqrt", Takes::Value, Does::Nothing),
    ("-split-compile", Takes::Value, Does::Nothing),
    ("-split-compile-extended", Takes::Value, Does::Nothing),
    ("-time", Takes::Nothing, Does::Nothing),
    ("-variables-used", Takes::Value, Does::Nothing),
    ("-verbose", Takes::Nothing, Does::Nothing),
];

/// What a link is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub device: Target,
    pub most_registers: Option<u32>,
    /// Whether PTX source is wanted, and no image.
    pub ptx: bool,
}

impl Options {
    /// Reads the words of a call.
    pub fn read(words: &[String]) -> Answer<Options> {
        let (mut device, mut most_registers, mut lto, mut ptx) = (None, None, false, false);
        for word in words {
            let (does, value) = known(word)?;
            match does {
                Does::Device => device = Some(arch(value, word)?),
                Does::MostRegisters => most_registers = Some(number(value, word)?).filter(|most| *most > 0),
                Does::Optimize if ["0", "3"].contains(&value) => {}
                Does::Optimize => {
                    return Err(refused(Code::UNRECOGNIZED_OPTION, word, "there are `-O0` and `-O3`"));
                }
                Does::Lto => lto = true,
                Does::Ptx => ptx = true,
                Does::Refused => {
                    let why = "what is linked must be whole: leave it out";
                    return Err(refused(Code::UNRECOGNIZED_OPTION, word, why));
                }
                Does::Nothing => {}
            }
        }
        let Some((device, is_virtual)) = device else {
            let problem = Problem::new("no device is given to link for").help("give `-arch=sm_80`, say");
            return Err(Failed::told(Code::MISSING_ARCH, &problem));
        };
        if ptx && !lto {
            return Err(refused(Code::INCOMPATIBLE_OPTIONS, "-ptx", "it goes with `-lto`"));
        }
        if is_virtual && !ptx {
            let word = format!("-arch={}", device.to_string().replace("sm_", "compute_"));
            return Err(refused(
                Code::INCOMPATIBLE_OPTIONS,
                &word,
                "give `-ptx`, or a device: `-arch=sm_80`",
            ));
        }
        Ok(Options { device, most_registers, ptx })
    }
}

/// What an option does, and its value.
fn known(word: &str) -> Answer<(Does, &str)> {
    let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
    let found = OPTIONS.iter().find_map(|(known, takes, does)| match (takes, value) {
        (Takes::Nothing, None) if name == *known => Some((*does, "")),
        (Takes::Value, Some(value)) if name == *known && !value.is_empty() => Some((*does, value)),
        (Takes::Digit, None) => {
            word.strip_prefix(known).filter(|rest| !rest.is_empty()).map(|rest| (*does, rest))
        }
        _ => None,
    });
    found.ok_or_else(|| {
        let mut near = OPTIONS.iter().filter(|(known, ..)| *known == name);
        let help = match near.next() {
            Some((known, Takes::Value, _)) => format!("it takes a value: `{known}=…`"),
            Some((known, ..)) => format!("it takes no value: `{known}`"),
            None => "options begin with one `-`, and values follow `=`: `-arch=sm_80`".to_string(),
        };
        refused(Code::UNRECOGNIZED_OPTION, word, &help)
    })
}

/// The device, and whether it is only the architecture of PTX.
fn arch(value: &str, word: &str) -> Answer<(Target, bool)> {
    let device = value.replacen("compute_", "sm_", 1);
    let found = device.parse().map(|target| (target, device != value));
    found.map_err(|_| refused(Code::UNRECOGNIZED_OPTION, word, "there is no such device: write `sm_80`, say"))
}

fn number(value: &str, word: &str) -> Answer<u32> {
    value.parse().map_err(|_| refused(Code::UNRECOGNIZED_OPTION, word, "give a number of registers"))
}

fn refused(code: Code, word: &str, help: &str) -> Failed {
    Failed::told(code, &Problem::new(format!("the linker does not take the option `{word}`")).help(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &str) -> Result<Options, Code> {
        let words: Vec<String> = words.split_whitespace().map(str::to_string).collect();
        Options::read(&words).map_err(|failed| failed.code)
    }

    /// As NVIDIA's library 13.5 answers; but it takes any number of registers for one, and ends the process for a device that there
    /// is not.
    #[test]
    fn options_are_judged_as_nvidias_linker_does() {
        let sm_80 = Options { device: "sm_80".parse().unwrap(), most_registers: None, ptx: false };
        for words in [
            "-arch=sm_80",
            "-arch=sm_80 -O3",
            "-arch=sm_80 -ftz=true",
            "-arch=sm_80 -Xptxas=-v",
            "-arch=sm_90 -arch=sm_80",
            "-arch=sm_80 -g -lineinfo -time -verbose -no-cache -optimize-unused-variables",
            "-arch=sm_80 -kernels-used=k -split-compile=0 -Ofc=max -lto",
        ] {
            assert_eq!(read(words), Ok(sm_80), "{words}");
        }
        assert_eq!(read("-arch=sm_80 -maxrregcount=32"), Ok(Options { most_registers: Some(32), ..sm_80 }));
        assert_eq!(read("-arch=sm_80 -maxrregcount=0"), Ok(sm_80));
        for words in ["-arch=sm_80 -lto -ptx", "-arch=compute_80 -ptx -lto"] {
            assert_eq!(read(words), Ok(Options { ptx: true, ..sm_80 }), "{words}");
        }
        assert!(read("-arch=sm_90a").is_ok() && read("-arch=sm_120").is_ok());
        assert_eq!(read(""), Err(Code::MISSING_ARCH));
        for words in ["-arch=sm_80 -ptx", "-arch=compute_80"] {
            assert_eq!(read(words), Err(Code::INCOMPATIBLE_OPTIONS), "{words}");
        }
        for words in [
            "-bogus",
            "arch=sm_80",
            "-arch sm_80",
            "-arch=",
            "-O2",
            "-O",
            "-arch=foo",
            "-arch=sm_1",
            "-lto=1",
        ] {
            assert_eq!(read(&format!("-arch=sm_80 {words}")), Err(Code::UNRECOGNIZED_OPTION), "{words}");
        }
        assert_eq!(read("-arch=sm_80 -maxrregcount=x"), Err(Code::UNRECOGNIZED_OPTION));
        assert_eq!(read("-arch=sm_80 -r"), Err(Code::UNRECOGNIZED_OPTION));
    }
}
