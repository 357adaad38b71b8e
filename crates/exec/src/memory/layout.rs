//! The map of the generic address space: the region of allocations, and a window for every other space.

use std::ops::Range;

/// Where things lie in the generic address space.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Bits of an address: 32 or 64.
    pub address_size: u32,
    /// Allocations: global and constant memory, whose own addresses are generic ones.
    pub global: Range<u64>,
    /// Where memory lies whose addresses the host chooses ([`crate::Memory::lend_at`]), above the rest or at the end of `global`.
    pub chosen: Range<u64>,
    /// Shared memory of the CTA that looks.
    pub shared: Window,
    /// Local memory of the thread that looks.
    pub local: Window,
    /// The parameters of the kernel.
    pub param: Window,
    /// Functions: an address each, nothing to read.
    pub code: Window,
}

/// A part of the generic address space in which another space is seen from its address 0 on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// The generic address of the space's address 0.
    pub base: u64,
}

impl Window {
    /// Bytes that every window spans.
    pub const BYTES: u64 = 1 << 24;

    /// The address in the window's space that a generic address stands for, if it lies in the window.
    #[inline]
    pub fn offset(self, generic: u64) -> Option<u64> {
        let offset = generic.wrapping_sub(self.base);
        (offset < Window::BYTES).then_some(offset)
    }
}

impl Layout {
    /// An address below this one is called null.
    pub const NULL_PAGE: u64 = 0x1_0000;

    /// Bytes between the addresses of two functions.
    const FUNCTION_STEP: u64 = 16;

    /// The map for addresses of so many bits.
    pub fn of(address_size: u32) -> Layout {
        match address_size {
            32 => Layout::around(32, 0x1000_0000..0xf000_0000, 0x8000_0000..0xf000_0000),
            _ => Layout::around(64, 0x7000_0000_0000..0x7fff_0000_0000, 0x8000_0000_0000..1 << 62),
        }
    }

    /// The map where addresses of allocations are the host's: all below the windows, which lie where no system puts a
    /// process.
    pub fn host() -> Layout {
        Layout::around(64, Layout::NULL_PAGE..1 << 56, 0..0)
    }

    /// Windows behind the region of allocations.
    fn around(address_size: u32, global: Range<u64>, chosen: Range<u64>) -> Layout {
        let window = |n| Window { base: global.end + n * Window::BYTES };
        Layout {
            address_size,
            shared: window(1),
            local: window(2),
            param: window(3),
            code: window(4),
            chosen,
            global,
        }
    }

    /// Whether a generic address is none of a window's, as far as can be told at a glance.
    #[inline]
    pub(crate) fn is_global(&self, address: u64) -> bool {
        address < self.global.end || address >= self.chosen.start && self.chosen.start > self.global.end
    }

    /// The address in shared memory of the cluster at which that of its CTA with this rank begins. Generic addresses of them lie
    /// behind the last window.
    pub(crate) fn shared_of_cta(&self, rank: u32) -> u64 {
        self.code.base + Window::BYTES - self.shared.base + u64::from(rank) * Window::BYTES
    }

    /// Which CTA of the cluster has an address in its shared memory, and the address in the CTA's own; none if it is an address
    /// in that of the CTA that looks.
    #[inline]
    pub(crate) fn cta_of(&self, address: u64) -> Option<(u32, u64)> {
        let behind = address.checked_sub(self.shared_of_cta(0))?;
        let rank = u32::try_from(behind / Window::BYTES).unwrap_or(u32::MAX);
        Some((rank, behind % Window::BYTES))
    }

    /// The generic address of a function.
    pub fn function(&self, index: u32) -> u64 {
        self.code.base + Layout::FUNCTION_STEP * (u64::from(index) + 1)
    }

    /// The function that begins at a generic address, if there are so many.
    pub fn function_at(&self, address: u64) -> Option<u32> {
        let offset = self.code.offset(address)?;
        let place = (offset / Layout::FUNCTION_STEP).checked_sub(1)?;
        offset.is_multiple_of(Layout::FUNCTION_STEP).then_some(place as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_spaces_share_an_address() {
        for (size, map) in [(32, Layout::of(32)), (64, Layout::of(64)), (64, Layout::host())] {
            let windows = [map.shared, map.local, map.param, map.code];
            assert!(windows.iter().all(|w| w.base >= map.global.end));
            assert!(windows.windows(2).all(|w| w[0].base + Window::BYTES <= w[1].base));
            let apart = map.chosen.end <= map.global.end || map.code.base + Window::BYTES <= map.chosen.start;
            assert!(apart, "{size}");
            assert!(size == 64 || map.code.base + Window::BYTES <= 1 << 32);
        }
    }

    #[test]
    fn a_window_holds_its_own_addresses_only() {
        let window = Layout::of(64).shared;
        assert_eq!(window.offset(window.base + 5), Some(5));
        assert_eq!(window.offset(window.base - 1), None);
        assert_eq!(window.offset(window.base + Window::BYTES), None);
    }
}
