//! Checking texts.

use super::{call, pass};
use crate::failure::{Failure, MARGAY_INVALID_PTX};
use crate::launch::c_text;
use margay_front::check::{Options, check};
use margay_front::{Source, diag};
use margay_isa::Target;
use std::ffi::{c_char, c_int};

/// Diagnostics for people, as the command `margay check` shows them.
pub const MARGAY_TEXT: u32 = 0;
/// One line each: `file:line:column: error[P101]: message`.
pub const MARGAY_SHORT: u32 = 1;
/// One JSON object a line.
pub const MARGAY_JSON: u32 = 2;
/// One SARIF 2.1.0 log.
pub const MARGAY_SARIF: u32 = 3;

/// Checks PTX source of `bytes` bytes; `name` is what diagnostics call it, `target` replaces its `.target` (`sm_90a`). Both may
/// be null. `found` gets all errors, warnings and notes in a `format`, to be freed by `margay_text_free`; empty if there are none.
///
/// `MARGAY_OK` without an error, `MARGAY_INVALID_PTX` with one; then `margay_last_error` has the first one in short.
///
/// # Safety
/// `text` must have so many bytes, names must be null or end with a zero byte, `found` must have room for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn margay_check(
    text: *const c_char,
    bytes: usize,
    name: *const c_char,
    target: *const c_char,
    format: u32,
    found: *mut *mut c_char,
) -> c_int {
    call(|| {
        // SAFETY: so many bytes are at `text`, or it is null.
        let (text, name, target) = unsafe {
            let text = pass::bytes("text", text.cast(), bytes as u64)?;
            (text, pass::name("name", name)?, pass::name("target", target)?)
        };
        let target = target.map(|target| {
            let unknown = |()| Failure::wrong_call(format!("unknown target `{target}`"));
            target.parse::<Target>().map_err(unknown)
        });
        let source = Source::from_bytes(name.unwrap_or("<ptx>"), text.to_vec());
        let checked = check(&source, Options { target: target.transpose()?, ..Options::default() });
        let all = &checked.diagnostics;
        let shown = match format {
            MARGAY_TEXT => diag::human(&source, all, false, usize::MAX),
            MARGAY_SHORT => diag::short(&source, all, usize::MAX),
            MARGAY_JSON => diag::json(&source, all),
            MARGAY_SARIF => diag::sarif(&[(&source, all)], &[]),
            _ => return Err(Failure::wrong_call(format!("unknown format `{format}`"))),
        };
        let shown = c_text(&shown).into_raw();
        // SAFETY: `found` has room for one, or is null.
        if let Err(failure) = unsafe { pass::give("found", found, shown) } {
            // SAFETY: made above, and given to nobody.
            unsafe { super::margay_text_free(shown) };
            return Err(failure);
        }
        let errors: Vec<_> = all.iter().filter(|d| d.severity == margay_front::Severity::Error).collect();
        match errors.first() {
            None => Ok(()),
            Some(first) => {
                let text = diag::short(&source, std::slice::from_ref(*first), 1);
                Err(Failure { status: MARGAY_INVALID_PTX, text })
            }
        }
    })
}
