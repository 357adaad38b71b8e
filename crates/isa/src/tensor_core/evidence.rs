//! What stands behind the arithmetic of a product on a device.

use std::fmt;

/// Devices, each with the number of its target.
pub type Devices = &'static [(&'static str, u16)];

/// What stands behind the arithmetic of a form on a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// The manual defines it.
    Manual,
    /// Published results of these devices, reproduced to the last bit.
    Devices(Devices),
    /// Published results of these devices for sums of half as many products; how longer sums are parted is a published algorithm's.
    Shorter(Devices),
    /// Published results of these devices, which have other targets of the same architecture.
    Kin(Devices),
    /// The code that NVIDIA's assembler makes of the form.
    Assembler,
    /// An algorithm that its authors compared with devices of the architecture.
    Algorithm,
    /// None: what other forms do.
    None,
}

/// Says it in a few words.
impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |devices: Devices| {
            devices
                .iter()
                .map(|(name, number)| format!("{name} (sm_{number})"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        match self {
            Evidence::Manual => f.write_str("exact by the manual"),
            Evidence::Devices(devices) => write!(f, "results of {}", named(devices)),
            Evidence::Shorter(devices) => {
                write!(
                    f,
                    "results of {} for half as many products; else a published algorithm",
                    named(devices)
                )
            }
            Evidence::Kin(devices) => {
                write!(f, "results of {}; not verified on this target", named(devices))
            }
            Evidence::Assembler => f.write_str("the code that ptxas 13.5 makes of it"),
            Evidence::Algorithm => {
                f.write_str("a published algorithm; not verified here by results of devices")
            }
            Evidence::None => f.write_str("not verified on hardware"),
        }
    }
}
