//! `margay forms`: the forms of an instruction, listed, counted or drawn.

use std::io::Write;

use margay::explain;
use margay::problem::Problem;
use margay::random;
use margay_isa::{Inst, forms, pages_of};

use super::{Outcome, Stop};

/// List the forms of an instruction
#[derive(clap::Args)]
#[command(after_help = "\
Every combination of words is listed once, without the selectors and masks that may be left out; \
`--sample` draws these too.

Examples:
  margay forms vmad
  margay forms vadd4 --count
  margay forms vset2 --sample 5")]
pub struct Options {
    /// The opcode, such as `vmad`
    opcode: String,
    /// Print how many forms there are, selectors and masks included
    #[arg(long, conflicts_with = "sample")]
    count: bool,
    /// Print N forms drawn at random
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    sample: Option<usize>,
    /// Seed for the random forms
    #[arg(long, value_name = "N", default_value_t = 0, requires = "sample", allow_negative_numbers = true)]
    seed: u64,
}

pub fn run(options: Options, out: &mut dyn Write) -> Result<Outcome, Stop> {
    let pages = pages_of(&options.opcode);
    if pages.is_empty() {
        return Err(explain::unknown(&options.opcode).into());
    }
    if options.count {
        writeln!(out, "{}", pages.iter().map(|page| forms::count(page, &options.opcode)).sum::<u128>())?;
        return Ok(Outcome::Clean);
    }
    let mut random = random::generator(options.seed);
    if let Some(count) = options.sample {
        for _ in 0..count {
            let page = pages[random() as usize % pages.len()];
            let opcode = page.opcodes.iter().find(|name| **name == options.opcode);
            let opcode =
                opcode.ok_or_else(|| Problem::new(format!("unknown instruction `{}`", options.opcode)))?;
            print(&forms::random_form(page, opcode, &mut random), out)?;
        }
        return Ok(Outcome::Clean);
    }
    for page in pages {
        for form in forms::forms(page, &options.opcode, 0, &mut random) {
            print(&form, out)?;
        }
    }
    Ok(Outcome::Clean)
}

fn print(form: &Inst, out: &mut dyn Write) -> Result<(), Stop> {
    // The debug form is the statement with the manual's operand names.
    Ok(writeln!(out, "{form:?}")?)
}
