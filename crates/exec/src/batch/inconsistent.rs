//! What the engine says if it contradicts itself: a debug build stops there, any other goes on without what it could not make.

use std::sync::Once;

/// Reports a contradiction; the caller goes on in a slower way that does not rest on it.
pub(crate) fn inconsistent(what: &str) {
    if cfg!(debug_assertions) {
        panic!("{what}");
    }
    static SAID: Once = Once::new();
    SAID.call_once(|| {
        eprintln!(
            "margay: a contradiction in the engine: {what}; results are right, but kernels may run slower; please report this"
        );
    });
}
