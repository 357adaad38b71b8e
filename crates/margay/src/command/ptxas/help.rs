//! What the assembler prints about itself: its options, its version, the devices and versions of PTX that it takes.

use std::io::{self, Write};

use margay_front::check::versions;
use margay_isa::TARGETS;

use super::DEFAULT_DEVICE;
use super::options::{Entry, OPTIONS, Takes};

/// Columns that the help is wrapped at.
const WIDTH: usize = 90;

/// All options, in the assembler's layout, which scripts search for the devices.
pub fn options(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\nUsage  : ptxas [options] <ptx file>,...\n")?;
    let about = "margay in place of NVIDIA's assembler: it checks PTX and writes it, checked, to the output \
                 file. Options about machine code are accepted and have no effect.";
    paragraph(out, "", about)?;
    writeln!(out, "\nOptions\n=======\n")?;
    for entry in OPTIONS {
        let value = if entry.value.is_empty() { String::new() } else { format!(" <{}>", entry.value) };
        let name = format!("--{}{value}", entry.long);
        writeln!(out, "{name:<51} (-{})", entry.short)?;
        paragraph(out, "        ", &text(entry))?;
        writeln!(out)?;
    }
    Ok(())
}

fn text(entry: &Entry) -> String {
    let mut text = if entry.effect.is_empty() { "No effect." } else { entry.effect }.to_string();
    if entry.takes == Takes::Device {
        let names: Vec<String> = ["sm", "compute", "lto"]
            .iter()
            .flat_map(|kind| {
                TARGETS.iter().map(move |(t, _)| format!("'{}'", t.to_string().replacen("sm", kind, 1)))
            })
            .collect();
        text += &format!(
            " Allowed values for this option: {}. Default value: '{DEFAULT_DEVICE}'.",
            names.join(", ")
        );
    }
    text
}

/// Words in lines of at most `WIDTH` columns, each behind `indent`.
fn paragraph(out: &mut dyn Write, indent: &str, text: &str) -> io::Result<()> {
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && indent.len() + line.len() + 1 + word.len() > WIDTH {
            writeln!(out, "{indent}{line}")?;
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    writeln!(out, "{indent}{line}")
}

/// Who this is, and in the last line the release whose options are taken: compilers look for it.
pub fn version(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "ptxas: margay {}, a checker in place of NVIDIA's assembler", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "It takes the options of the Cuda compilation tools, release 13.5, V13.5.37")
}

/// The numbers of the devices, one a line.
pub fn devices(out: &mut dyn Write) -> io::Result<()> {
    let mut numbers: Vec<u16> = TARGETS.iter().map(|(target, _)| target.number).collect();
    numbers.dedup();
    numbers.iter().try_for_each(|number| writeln!(out, "{number}"))
}

/// The versions of PTX, one a line.
pub fn versions_list(out: &mut dyn Write) -> io::Result<()> {
    versions().try_for_each(|version| writeln!(out, "{version}"))
}
