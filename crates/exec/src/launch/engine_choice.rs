//! Which engine runs a launch, with which instructions, and why it is not the one that was asked for.

use super::{Engine, Launch};
use crate::batch::Simd;
use crate::determinism;
use crate::error::LaunchError;
use crate::grid::{self, Dim};
use crate::program::Program;
use crate::reach::reach;
use std::fmt;
use std::str::FromStr;

/// The variable that says which level the batch engine uses where a launch does not.
const VARIABLE: &str = "MARGAY_SIMD";

/// What runs a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The engine.
    pub engine: Engine,
    /// The vector instructions that it uses; none on the golden engine.
    pub simd: Option<Simd>,
    /// Why it is the golden engine although another was asked for.
    pub reason: Option<&'static str>,
}

impl Launch<'_> {
    /// What would run the launch.
    ///
    /// # Errors
    /// If the machine lacks the instructions that are asked for, here or by the environment variable `MARGAY_SIMD`.
    pub fn choice(&self, program: &Program) -> Result<Choice, LaunchError> {
        let kernel = program.module().function(self.entry);
        let (cluster, _) = grid::clusters(kernel, self.grid, self.cluster)?;
        let reached = reach(program.module(), self.entry);
        let shows = determinism::shows_in(program.module(), &reached);
        self.choice_for(shows, reached.is_for_several, cluster != Dim::from(1))
    }

    pub(super) fn choice_for(
        &self,
        order_shows: bool,
        is_for_several: bool,
        clusters: bool,
    ) -> Result<Choice, LaunchError> {
        let simd = self.level()?;
        let golden = |reason| Choice { engine: Engine::Golden, simd: None, reason };
        Ok(if self.engine == Engine::Golden {
            golden(None)
        } else if clusters {
            golden(Some("blocks of a cluster run together"))
        } else if is_for_several {
            golden(Some("some instruction is for several blocks of a cluster"))
        } else if self.sanitize.any() {
            golden(Some("sanitizers were requested"))
        } else if self.observe.is_some() {
            golden(Some("the launch is observed"))
        } else if self.schedule_seed.is_some() {
            golden(Some("a schedule seed was given"))
        } else if self.max_steps.is_some() && order_shows {
            // Where blocks wait for each other, a limit is met by the same thread only if turns are taken to the step.
            golden(Some("a step limit was given, and the order of blocks can show"))
        } else {
            Choice { engine: Engine::Batch, simd: Some(simd), reason: None }
        })
    }

    /// The level that is asked for, or the best one.
    fn level(&self) -> Result<Simd, LaunchError> {
        let simd = match (self.simd, std::env::var(VARIABLE)) {
            (Some(simd), _) => simd,
            // Empty is unset, as with other variables.
            (None, Ok(text)) if !text.is_empty() => text.parse().map_err(|error: LaunchError| {
                LaunchError { message: format!("{} in `{VARIABLE}`", error.message), ..error }
            })?,
            (None, _) => return Ok(Simd::best()),
        };
        simd.among(Simd::available())
    }
}

impl Simd {
    /// All levels that there are, the plainest first.
    pub const ALL: [Simd; 7] =
        [Simd::Baseline, Simd::Avx2, Simd::JitAvx2, Simd::Avx512, Simd::JitSkylake, Simd::Jit, Simd::JitNeon];

    /// The level, if it is there.
    fn among(self, there: &[Simd]) -> Result<Simd, LaunchError> {
        if there.contains(&self) {
            return Ok(self);
        }
        let there: Vec<_> = there.iter().map(|level| format!("`{level}`")).collect();
        Err(LaunchError::new(format!("this machine lacks the vector instructions of `{self}`"))
            .help(format!("it has {}", there.join(", "))))
    }

    /// Its name, as it is written on the command line and in `MARGAY_SIMD`.
    pub fn name(self) -> &'static str {
        match self {
            Simd::Baseline => "baseline",
            Simd::Avx2 => "avx2",
            Simd::JitAvx2 => "jit-avx2",
            Simd::Avx512 => "avx512",
            Simd::JitSkylake => "jit-skylake",
            Simd::Jit => "jit",
            Simd::JitNeon => "jit-neon",
        }
    }
}

impl fmt::Display for Simd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Simd {
    type Err = LaunchError;

    fn from_str(text: &str) -> Result<Simd, LaunchError> {
        Simd::ALL.into_iter().find(|level| level.name() == text).ok_or_else(|| {
            let [first @ .., last] = Simd::ALL.map(|level| format!("`{level}`"));
            LaunchError::new(format!("unknown level `{text}` of vector instructions"))
                .help(format!("write {} or {last}", first.join(", ")))
        })
    }
}

impl Engine {
    /// Its name, as it is written on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Golden => "golden",
            Engine::Batch => "batch",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_written_as_they_are_read_and_must_be_there() {
        for level in Simd::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        let error = Simd::Avx512.among(&[Simd::Baseline, Simd::Avx2]).unwrap_err();
        assert_eq!(error.help.as_deref(), Some("it has `baseline`, `avx2`"));
        let error = "AVX-512".parse::<Simd>().unwrap_err();
        let help = "write `baseline`, `avx2`, `jit-avx2`, `avx512`, `jit-skylake`, `jit` or `jit-neon`";
        assert_eq!(error.help.as_deref(), Some(help));
    }
}
