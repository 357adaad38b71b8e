//! The module of a source without errors, or all that is wrong with it as text.

use margay_front::check::{Options, check};
use margay_front::module::Module;
use margay_front::{Diagnostic, Severity, Source, diag};

/// So many errors are shown of a source.
const SHOWN: usize = 100;

/// The module of a source that is to run.
///
/// # Errors
/// The errors, as `margay check` shows them.
///
/// ```
/// use margay::checked::checked;
/// use margay::front::Source;
/// assert!(checked(&Source::new("k.ptx", ".version 8.0\n.target sm_80\n.entry k() { ret; }")).is_ok());
/// let errors = checked(&Source::new("k.ptx", ".version 8.0\n.target sm_80\nretn\n")).unwrap_err();
/// assert!(errors.starts_with("error[P"));
/// ```
pub fn checked(source: &Source) -> Result<Module, String> {
    let checked = check(source, Options::to_run());
    checked.module.ok_or_else(|| {
        let is_error = |d: &Diagnostic| d.severity == Severity::Error;
        let errors: Vec<_> = checked.diagnostics.into_iter().filter(is_error).collect();
        diag::human(source, &errors, false, SHOWN)
    })
}
