//! The one device: what an architecture has, as data.

use crate::attributes::{self, Value};
use crate::setting::Setting;
use margay_isa::Target;

/// What devices of an architecture have.
#[derive(Clone, Copy)]
pub struct Architecture {
    /// From this number on: 80 for `sm_80`.
    from: u16,
    /// Threads, blocks and bytes of shared memory of a multiprocessor.
    pub threads: u32,
    pub blocks: u32,
    pub shared: u32,
    /// Bytes of shared memory that a block can ask for.
    pub shared_of_block: u32,
}

/// In the order of the numbers (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
#[rustfmt::skip]
const ARCHITECTURES: &[Architecture] = &[
    Architecture { from: 0, threads: 2048, blocks: 16, shared: 48 << 10, shared_of_block: 48 << 10 },
    Architecture { from: 50, threads: 2048, blocks: 32, shared: 64 << 10, shared_of_block: 48 << 10 },
    Architecture { from: 52, threads: 2048, blocks: 32, shared: 96 << 10, shared_of_block: 48 << 10 },
    Architecture { from: 60, threads: 2048, blocks: 32, shared: 64 << 10, shared_of_block: 48 << 10 },
    Architecture { from: 61, threads: 2048, blocks: 32, shared: 96 << 10, shared_of_block: 48 << 10 },
    Architecture { from: 70, threads: 2048, blocks: 32, shared: 96 << 10, shared_of_block: 96 << 10 },
    Architecture { from: 75, threads: 1024, blocks: 16, shared: 64 << 10, shared_of_block: 64 << 10 },
    Architecture { from: 80, threads: 2048, blocks: 32, shared: 164 << 10, shared_of_block: 163 << 10 },
    Architecture { from: 86, threads: 1536, blocks: 16, shared: 100 << 10, shared_of_block: 99 << 10 },
    Architecture { from: 87, threads: 1536, blocks: 16, shared: 164 << 10, shared_of_block: 163 << 10 },
    Architecture { from: 89, threads: 1536, blocks: 24, shared: 100 << 10, shared_of_block: 99 << 10 },
    Architecture { from: 90, threads: 2048, blocks: 32, shared: 228 << 10, shared_of_block: 227 << 10 },
    Architecture { from: 120, threads: 1536, blocks: 24, shared: 100 << 10, shared_of_block: 99 << 10 },
];

/// Registers of 32 bits that a multiprocessor, and a block, has.
pub const REGISTERS: u32 = 1 << 16;
/// Bytes of shared memory that a block has without asking for more.
pub const SHARED: u32 = 48 << 10;
/// Multiprocessors, as many as A100s have.
pub const MULTIPROCESSORS: u32 = 108;
pub const BLOCK_THREADS: u32 = 1024;
pub const WARP: u32 = 32;
/// Of 128 bits that nobody else's device has: `margay`, and a one.
pub const UUID: [u8; 16] = *b"margay\0\0\0\0\0\0\0\0\0\x01";
pub const BUS: &str = "0000:4D:00.0";

/// The device.
pub struct Device {
    /// What code must be for.
    pub target: Target,
    /// Compute capability.
    pub major: u32,
    pub minor: u32,
    pub arch: Architecture,
    pub name: String,
    pub memory_bytes: u64,
    open: bool,
}

impl Device {
    pub fn new(setting: &Setting, memory_bytes: u64) -> Device {
        let number = setting.arch.number;
        let arch = ARCHITECTURES.iter().rfind(|arch| arch.from <= number).unwrap_or(&ARCHITECTURES[0]);
        Device {
            target: setting.arch,
            major: u32::from(number / 10),
            minor: u32::from(number % 10),
            arch: *arch,
            name: format!("margay sm_{number} (CPU)"),
            memory_bytes,
            open: setting.open,
        }
    }

    /// An attribute by its number in `cuda.h`; none if there is no such number.
    pub fn attribute(&self, number: u32) -> Option<u32> {
        Some(match attributes::find(number)? {
            Value::Is(value) => value,
            Value::Major => self.major,
            Value::Minor => self.minor,
            Value::From(least, value) => {
                if 10 * self.major + self.minor >= least {
                    value
                } else {
                    0
                }
            }
            Value::Threads => self.arch.threads,
            Value::Blocks => self.arch.blocks,
            Value::Shared => self.arch.shared,
            Value::SharedOfBlock => self.arch.shared_of_block,
            Value::Open => self.open.into(),
        })
    }

    /// How many blocks of a shape a multiprocessor has room for.
    pub fn resident(&self, threads: u32, registers: u32, shared: u64) -> u32 {
        if threads == 0 || threads > BLOCK_THREADS || shared > self.arch.shared_of_block.into() {
            return 0;
        }
        let warps = threads.div_ceil(WARP);
        let by_threads = self.arch.threads / (warps * WARP);
        // Registers are given to warps by 256.
        let by_registers = REGISTERS / (warps * (registers.max(1) * WARP).next_multiple_of(256));
        // The system keeps 1 KiB of a block's shared memory for itself from sm_80 on.
        let reserved = self.attribute(attributes::RESERVED_SHARED).unwrap_or(0);
        let by_shared = match shared + u64::from(reserved) {
            0 => u32::MAX,
            bytes => (u64::from(self.arch.shared) / bytes.next_multiple_of(128)) as u32,
        };
        by_threads.min(by_registers).min(by_shared).min(self.arch.blocks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use margay_exec::Sanitize;
    use margay_isa::Semantics;

    fn device(arch: &str) -> Device {
        let arch = arch.parse().unwrap();
        let setting = Setting {
            arch,
            open: false,
            sticky: false,
            semantics: Semantics::Manual,
            sanitize: Sanitize::default(),
            profile: None,
            coverage: None,
            contract: false,
        };
        Device::new(&setting, 1 << 30)
    }

    #[test]
    fn an_architecture_has_what_the_guide_says() {
        let [a100, ada, blackwell] = ["sm_80", "sm_89", "sm_100a"].map(device);
        assert_eq!(
            [75, 76, 81, 97, 106, 39].map(|n| a100.attribute(n).unwrap()),
            [8, 0, 167_936, 166_912, 32, 2048]
        );
        assert_eq!([75, 76, 81, 106, 39].map(|n| ada.attribute(n).unwrap()), [8, 9, 102_400, 24, 1536]);
        assert_eq!([75, 76, 120].map(|n| blackwell.attribute(n).unwrap()), [10, 0, 1]);
        assert_eq!((a100.attribute(120), a100.attribute(0), a100.attribute(9999)), (Some(0), None, None));
    }

    #[test]
    fn what_is_scarcest_says_how_many_blocks_fit() {
        let a100 = device("sm_80");
        assert_eq!(a100.resident(1024, 32, 0), 2);
        assert_eq!(a100.resident(32, 16, 0), 32);
        assert_eq!(a100.resident(256, 128, 0), 2);
        assert_eq!(a100.resident(64, 16, 40 << 10), 4);
        assert_eq!(
            (a100.resident(0, 1, 0), a100.resident(1025, 1, 0), a100.resident(32, 1, 164 << 10)),
            (0, 0, 0)
        );
    }
}
