//! The ranges of the host's memory that a process has registered: only these may kernels use then.

use crate::failure::Failure;
use margay_doors::count::counted;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Some bytes of the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    pub bytes: u64,
    pub read_only: bool,
}

/// Ranges by the address of their first byte; none of them overlap.
pub type Ranges = BTreeMap<u64, Range>;

/// What is registered, changed as a whole.
static REGISTERED: RwLock<Option<Arc<Ranges>>> = RwLock::new(None);

/// What is registered now.
pub fn now() -> Arc<Ranges> {
    REGISTERED.read().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default()
}

/// Registers a range.
pub fn register(start: u64, range: Range) -> Result<(), Failure> {
    if start == 0 {
        return Err(Failure::wrong_call("the range begins at null"));
    }
    let Some(end) = start.checked_add(range.bytes) else {
        let text = format!(
            "a range of {} from {start:#x} on leaves the address space",
            counted(range.bytes, "byte")
        );
        return Err(Failure::wrong_call(text));
    };
    change(|ranges| {
        let before = ranges.range(..end).next_back().filter(|(at, other)| *at + other.bytes > start);
        if let Some((at, other)) = before {
            let [bytes, others] = [range.bytes, other.bytes].map(|bytes| counted(bytes, "byte"));
            let text = format!("a range of {bytes} at {start:#x} overlaps one of {others} at {at:#x}");
            return Err(Failure::wrong_call(format!("{text}, which is registered already")));
        }
        if range.bytes > 0 {
            ranges.insert(start, range);
        }
        Ok(())
    })
}

/// Takes back the range that begins at an address.
pub fn unregister(start: u64) -> Result<(), Failure> {
    change(|ranges| match ranges.remove(&start) {
        Some(_) => Ok(()),
        None => Err(Failure::wrong_call(format!("no range is registered at {start:#x}"))),
    })
}

fn change(change: impl FnOnce(&mut Ranges) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut registered = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    let mut ranges = registered.as_deref().cloned().unwrap_or_default();
    change(&mut ranges)?;
    *registered = Some(Arc::new(ranges));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_never_overlap() {
        let range = |bytes| Range { bytes, read_only: false };
        register(0x1000, range(16)).unwrap();
        for (start, bytes) in [(0x1000, 1), (0xff8, 9), (0x100f, 1), (0xf00, 0x1000)] {
            assert!(register(start, range(bytes)).unwrap_err().text.contains("overlap"), "{start:#x}");
        }
        register(0x1010, range(1)).unwrap();
        register(0xfff, range(1)).unwrap();
        register(0x2000, range(0)).unwrap();
        assert!(register(0, range(1)).is_err() && register(u64::MAX, range(2)).is_err());
        assert_eq!(now().keys().copied().collect::<Vec<_>>(), [0xfff, 0x1000, 0x1010]);
        [0xfff, 0x1000, 0x1010].into_iter().for_each(|at| unregister(at).unwrap());
        assert!(unregister(0x1000).is_err() && now().is_empty());
    }
}
