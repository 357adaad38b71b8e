//! The built driver, and programs that use it.

#[path = "../../../capi/tests/common/built.rs"]
mod built;

pub use built::{good, has};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The driver's file.
pub fn library() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| built::built(Path::new(env!("CARGO_MANIFEST_DIR")), "cuda"))
}
