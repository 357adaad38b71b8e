//! What the environment says, read when the driver is initialised.

use crate::failed::{Answer, Failed};
use crate::results::Code;
use margay_doors::environment::{chosen, contract, file, sanitize, semantics, switch};
use margay_doors::problem::Problem;
use margay_exec::Sanitize;
use margay_isa::{Semantics, Target};
use std::path::PathBuf;

/// The device that is shown where nobody asks for another.
const ARCH: &str = "sm_80";

/// What is computed where nobody asks for something else: programs are as they are for a device, and some rely on what a device
/// makes of the carry flag where the manual has another.
const UNASKED: Semantics = Semantics::Ptxas13_5;

/// How the driver behaves.
pub struct Setting {
    /// `MARGAY_CUDA_ARCH`: the device's architecture.
    pub arch: Target,
    /// `MARGAY_CUDA_MEMORY=open`: kernels may use all memory of the process.
    pub open: bool,
    /// `MARGAY_STICKY=1`: a kernel that goes wrong leaves its context unusable.
    pub sticky: bool,
    /// `MARGAY_SEMANTICS`, `MARGAY_APPROX`.
    pub semantics: Semantics,
    /// `MARGAY_SANITIZE`: what launches are watched for.
    pub sanitize: Sanitize,
    /// `MARGAY_PROFILE`, `MARGAY_COVERAGE`: files that tell what all launches executed.
    pub profile: Option<PathBuf>,
    pub coverage: Option<PathBuf>,
    /// `MARGAY_CONTRACT=1`: products are added unrounded where no rounding is named.
    pub contract: bool,
}

impl Setting {
    pub fn read() -> Answer<Setting> {
        let wrong = |problem: Problem| Failed::told(Code::INVALID_VALUE, &problem);
        let given = std::env::var_os("MARGAY_CUDA_ARCH").filter(|given| !given.is_empty());
        let given = given.unwrap_or_else(|| ARCH.into()).to_string_lossy().into_owned();
        let arch = given.parse::<Target>().map_err(|()| {
            let text =
                format!("the environment variable `MARGAY_CUDA_ARCH` is `{given}`, which is not a target");
            wrong(Problem::new(text).help("write a name such as `sm_80` or `sm_90a`"))
        })?;
        let open = chosen("MARGAY_CUDA_MEMORY", &[("checked", false), ("open", true)]).map_err(wrong)?;
        Ok(Setting {
            arch,
            open: open.unwrap_or_default(),
            sticky: switch("MARGAY_STICKY").map_err(wrong)?,
            semantics: semantics(UNASKED).map_err(wrong)?,
            sanitize: sanitize().map_err(wrong)?,
            profile: file("MARGAY_PROFILE").map_err(wrong)?,
            coverage: file("MARGAY_COVERAGE").map_err(wrong)?,
            contract: contract().map_err(wrong)?,
        })
    }
}
