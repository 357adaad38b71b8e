//! Floors: the PTX version and the targets from which a form, a word or a target itself exists.

use std::fmt;
use std::str::FromStr;

/// A PTX ISA version, such as 9.5.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Version {
    /// The part before the dot.
    pub major: u8,
    /// The part after the dot.
    pub minor: u8,
}

impl Version {
    /// The newest version whose grammar margay reads.
    pub const NEWEST: Version = Version { major: 9, minor: 5 };
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for Version {
    type Err = ();

    /// Reads `MAJOR.MINOR`, decimal digits only.
    fn from_str(text: &str) -> Result<Version, ()> {
        let (major, minor) = text.split_once('.').ok_or(())?;
        let number = |s: &str| match s.bytes().all(|b| b.is_ascii_digit()) {
            true => s.parse().map_err(|_| ()),
            false => Err(()),
        };
        Ok(Version { major: number(major)?, minor: number(minor)? })
    }
}

/// What the letter behind a target's number promises.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Suffix {
    /// `sm_90`: forward compatible.
    Plain,
    /// `sm_120f`: the family's features.
    Family,
    /// `sm_90a`: this architecture's own features, its family's included.
    Architecture,
}

/// A target architecture, such as `sm_90` or `sm_120a`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Target {
    /// The number: 90 for `sm_90a`.
    pub number: u16,
    /// The letter behind it.
    pub suffix: Suffix,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.suffix {
            Suffix::Plain => "",
            Suffix::Family => "f",
            Suffix::Architecture => "a",
        };
        write!(f, "sm_{}{letter}", self.number)
    }
}

impl FromStr for Target {
    type Err = ();

    /// Reads the name of a target that exists (see [`TARGETS`]).
    fn from_str(text: &str) -> Result<Target, ()> {
        let rest = text.strip_prefix("sm_").ok_or(())?;
        let (digits, suffix) = match rest.as_bytes().last() {
            Some(b'a') => (&rest[..rest.len() - 1], Suffix::Architecture),
            Some(b'f') => (&rest[..rest.len() - 1], Suffix::Family),
            _ => (rest, Suffix::Plain),
        };
        let canonical = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
        let number = digits.parse().ok().filter(|_| canonical).ok_or(())?;
        let target = Target { number, suffix };
        target.since().map(|_| target).ok_or(())
    }
}

impl Target {
    /// The PTX version that introduced the target.
    pub fn since(self) -> Option<Version> {
        TARGETS.iter().find(|(t, _)| *t == self).map(|(_, v)| *v)
    }

    /// Whether a module for this target may be assembled for a device: a plain target for its own and every later device,
    /// an `f` target within its family, an `a` target for that device alone, its letter included (PTX manual, section 11.1.2).
    ///
    /// # Errors
    /// Why it may not.
    ///
    /// ```
    /// use margay_isa::{Misfit, Target};
    /// let target = |name: &str| name.parse::<Target>().unwrap();
    /// assert_eq!(target("sm_80").assembles_for(target("sm_90a")), Ok(()));
    /// assert_eq!(target("sm_100f").assembles_for(target("sm_103")), Ok(()));
    /// assert_eq!(target("sm_100f").assembles_for(target("sm_120f")), Err(Misfit::Family));
    /// assert_eq!(target("sm_90a").assembles_for(target("sm_90")), Err(Misfit::Architecture));
    /// assert_eq!(target("sm_80").assembles_for(target("sm_75")), Err(Misfit::Older));
    /// ```
    pub fn assembles_for(self, device: Target) -> Result<(), Misfit> {
        if device.number < self.number {
            return Err(Misfit::Older);
        }
        match self.suffix {
            Suffix::Plain => Ok(()),
            Suffix::Family if self.renamed() / 10 == device.renamed() / 10 => Ok(()),
            Suffix::Family => Err(Misfit::Family),
            Suffix::Architecture
                if self.renamed() == device.renamed() && device.suffix == Suffix::Architecture =>
            {
                Ok(())
            }
            Suffix::Architecture => Err(Misfit::Architecture),
        }
    }

    /// The number that the architecture has now: 101 became 110 with PTX 9.0.
    fn renamed(self) -> u16 {
        if self.number == 101 { 110 } else { self.number }
    }
}

/// Why a module for one target may not be assembled for a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misfit {
    /// The device is older than the target.
    Older,
    /// The target has an `f`, and the device is of another family.
    Family,
    /// The target has an `a`, and the device is another, or the same without its letter.
    Architecture,
}

const fn target(number: u16, suffix: Suffix, major: u8, minor: u8) -> (Target, Version) {
    (Target { number, suffix }, Version { major, minor })
}

/// Every target, and the PTX version that introduced it (PTX manual, section 11.1.2 and release notes).
pub const TARGETS: &[(Target, Version)] = {
    use Suffix::{Architecture, Family, Plain};
    &[
        target(10, Plain, 1, 0),
        target(11, Plain, 1, 0),
        target(12, Plain, 1, 2),
        target(13, Plain, 1, 2),
        target(20, Plain, 2, 0),
        target(21, Plain, 2, 0),
        target(30, Plain, 3, 0),
        target(32, Plain, 4, 0),
        target(35, Plain, 3, 1),
        target(37, Plain, 4, 1),
        target(50, Plain, 4, 0),
        target(52, Plain, 4, 1),
        target(53, Plain, 4, 2),
        target(60, Plain, 5, 0),
        target(61, Plain, 5, 0),
        target(62, Plain, 5, 0),
        target(70, Plain, 6, 0),
        target(72, Plain, 6, 1),
        target(75, Plain, 6, 3),
        target(80, Plain, 7, 0),
        target(86, Plain, 7, 1),
        target(87, Plain, 7, 4),
        target(88, Plain, 9, 0),
        target(89, Plain, 7, 8),
        target(90, Plain, 7, 8),
        target(90, Architecture, 8, 0),
        target(100, Plain, 8, 6),
        target(100, Architecture, 8, 6),
        target(100, Family, 8, 8),
        target(101, Plain, 8, 6),
        target(101, Architecture, 8, 6),
        target(101, Family, 8, 8),
        target(103, Plain, 8, 8),
        target(103, Architecture, 8, 8),
        target(103, Family, 8, 8),
        target(107, Plain, 9, 4),
        target(107, Architecture, 9, 4),
        target(107, Family, 9, 4),
        target(110, Plain, 9, 0),
        target(110, Architecture, 9, 0),
        target(110, Family, 9, 0),
        target(120, Plain, 8, 7),
        target(120, Architecture, 8, 7),
        target(120, Family, 8, 8),
        target(121, Plain, 8, 8),
        target(121, Architecture, 8, 8),
        target(121, Family, 8, 8),
    ]
};

/// A set of targets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Targets {
    /// `sm_N` and everything above it.
    From(u16),
    /// The family of `sm_N`: `sm_Na`, `sm_Nf` and the later members of the family, with a letter.
    Family(u16),
    /// The families of each number.
    Families(&'static [u16]),
    /// `sm_Na` of each number, and nothing else.
    Architectures(&'static [u16]),
    /// What is in any of these sets.
    Any(&'static [Targets]),
}

impl Targets {
    /// Whether the set has the target.
    pub fn contains(self, t: Target) -> bool {
        match self {
            Targets::From(n) => t.number >= n,
            Targets::Family(n) => t.suffix != Suffix::Plain && t.number / 10 == n / 10 && t.number >= n,
            Targets::Families(all) => all.iter().any(|n| Targets::Family(*n).contains(t)),
            Targets::Architectures(all) => {
                t.suffix == Suffix::Architecture && all.iter().any(|n| *n == t.number || *n == t.renamed())
            }
            Targets::Any(sets) => sets.iter().any(|set| set.contains(t)),
        }
    }
}

impl fmt::Display for Targets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Targets::From(n) => write!(f, "sm_{n} or higher"),
            Targets::Family(n) => write!(f, "sm_{n}a, sm_{n}f or later in that family"),
            Targets::Families(all) => {
                let names: Vec<_> = all.iter().map(|n| format!("sm_{n}a, sm_{n}f")).collect();
                write!(f, "{} or later in these families", names.join(", "))
            }
            Targets::Architectures(all) => {
                let names: Vec<_> = all.iter().map(|n| format!("sm_{n}a")).collect();
                write!(f, "{} only", names.join(", "))
            }
            Targets::Any(sets) => {
                let names: Vec<_> = sets.iter().map(Targets::to_string).collect();
                f.write_str(&names.join(", or "))
            }
        }
    }
}

/// From where on something exists: a version and a set of targets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Floor {
    /// The PTX version that introduced it.
    pub version: Version,
    /// The targets that have it.
    pub targets: Targets,
}

impl Floor {
    /// The beginning: PTX 1.0 on every target.
    pub const ZERO: Floor = Floor::new(1, 0, 10);

    /// PTX `major.minor`, `sm_N` and up.
    pub const fn new(major: u8, minor: u8, sm: u16) -> Floor {
        Floor { version: Version { major, minor }, targets: Targets::From(sm) }
    }

    /// PTX `major.minor`, the family of `sm_N` only.
    pub const fn family(major: u8, minor: u8, sm: u16) -> Floor {
        Floor { version: Version { major, minor }, targets: Targets::Family(sm) }
    }

    /// PTX `major.minor`, these architectures with the letter `a` only.
    pub const fn architectures(major: u8, minor: u8, sms: &'static [u16]) -> Floor {
        Floor { version: Version { major, minor }, targets: Targets::Architectures(sms) }
    }

    /// PTX `major.minor`, the families of each number.
    pub const fn families(major: u8, minor: u8, sms: &'static [u16]) -> Floor {
        Floor { version: Version { major, minor }, targets: Targets::Families(sms) }
    }
}

impl fmt::Display for Floor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PTX {}, {}", self.version, self.targets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_takes_its_later_members_but_no_plain_target() {
        let has = |t: &str| Targets::Family(120).contains(t.parse().unwrap());
        assert!(has("sm_120a") && has("sm_120f") && has("sm_121a") && has("sm_121f"));
        assert!(!has("sm_120") && !has("sm_121") && !has("sm_100a") && !has("sm_90a"));
    }

    /// As NVIDIA's assembler 13.5 has it; that one takes no `sm_101` itself.
    #[test]
    fn modules_are_assembled_for_devices_that_keep_the_targets_promise() {
        let verdict = |t: &str, d: &str| t.parse::<Target>().unwrap().assembles_for(d.parse().unwrap());
        for device in ["sm_75", "sm_90a", "sm_100f", "sm_121"] {
            assert_eq!(verdict("sm_10", device), Ok(()));
            assert_eq!(verdict("sm_75", device), Ok(()));
        }
        for (target, devices) in [
            ("sm_90a", "sm_90a"),
            ("sm_100f", "sm_100 sm_100a sm_100f sm_103 sm_103a sm_103f sm_107 sm_107a sm_107f"),
            ("sm_101a", "sm_101a sm_110a"),
            ("sm_101f", "sm_101 sm_101a sm_101f sm_110 sm_110a sm_110f"),
            ("sm_120f", "sm_120 sm_120a sm_120f sm_121 sm_121a sm_121f"),
            ("sm_121a", "sm_121a"),
        ] {
            let names = TARGETS.iter().map(|(device, _)| device.to_string());
            let mut found: Vec<_> = names.filter(|name| verdict(target, name) == Ok(())).collect();
            found.sort();
            let mut wanted: Vec<_> = devices.split(' ').collect();
            wanted.sort_unstable();
            assert_eq!(found, wanted, "{target}");
        }
        assert_eq!(verdict("sm_103f", "sm_100f"), Err(Misfit::Older));
        assert_eq!(verdict("sm_100a", "sm_103a"), Err(Misfit::Architecture));
    }

    #[test]
    fn targets_that_do_not_exist_are_refused() {
        for name in ["sm_91", "sm_090", "sm_", "sm_90b", "compute_90", "sm_80a", "sm_99999999999"] {
            assert_eq!(name.parse::<Target>(), Err(()), "{name}");
        }
    }

    #[test]
    fn a_version_is_two_numbers() {
        assert_eq!("8.7".parse(), Ok(Version { major: 8, minor: 7 }));
        for text in ["8", "8.", ".7", "8.7.1", "+8.7", "8.-7", "800.0"] {
            assert_eq!(text.parse::<Version>(), Err(()), "{text}");
        }
    }
}
