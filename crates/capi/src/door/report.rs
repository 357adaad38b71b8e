//! Accounts of launches.

use super::pass::Growing;
use super::{call, pass};
use crate::launch::Outcome;
use std::ffi::{c_char, c_int};

/// What a launch did, in numbers.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Account {
    /// `sizeof` the structure, to be set before the call.
    pub struct_bytes: usize,
    /// Threads of the grid.
    pub threads: u64,
    /// Instructions that they executed; 0 if the launch was stopped.
    pub instructions: u64,
    /// Blocks that the batch engine began and the golden engine went on with.
    pub handed_over: u64,
    /// How long it took.
    pub nanoseconds: u64,
    /// How many findings sanitizers have.
    pub findings: u64,
    /// How many lines the kernel can reach of which a device makes something else than the manual says; none where
    /// what ptxas 13.5 makes of them was computed.
    pub warnings: u64,
}

// SAFETY: `repr(C)`, the size first, and made of numbers.
unsafe impl Growing for Account {
    const NOTHING: Account = Account {
        struct_bytes: 0,
        threads: 0,
        instructions: 0,
        handed_over: 0,
        nanoseconds: 0,
        findings: 0,
        warnings: 0,
    };
}

/// The numbers of a report.
///
/// # Safety
/// `report` must be one, `account` have as many bytes as its `struct_bytes` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn margay_report_account(report: *const Outcome, account: *mut Account) -> c_int {
    call(|| {
        // SAFETY: `report` points to one that lives, or is null.
        let report = &unsafe { pass::handle("report", report) }?.report;
        let told = Account {
            struct_bytes: 0,
            threads: report.threads,
            instructions: report.instructions.unwrap_or(0),
            handed_over: report.handed_over.unwrap_or(0),
            nanoseconds: (report.seconds * 1e9) as u64,
            findings: report.findings.len() as u64,
            warnings: report.warnings.len() as u64,
        };
        // SAFETY: `account` has as many bytes as it says itself, or is null.
        unsafe { pass::give_sized("account", account, told) }
    })
}

/// What the kernel printed. The report keeps the text.
///
/// # Safety
/// `report` must be one or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn margay_report_printed(report: *const Outcome) -> *const c_char {
    // SAFETY: `report` points to one that lives, or is null.
    unsafe { report.as_ref() }.map_or(c"".as_ptr(), |report| report.printed.as_ptr())
}

/// What sanitizers found and why the kernel was stopped, for people. The report keeps the text.
///
/// # Safety
/// `report` must be one or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn margay_report_text(report: *const Outcome) -> *const c_char {
    // SAFETY: `report` points to one that lives, or is null.
    unsafe { report.as_ref() }.map_or(c"".as_ptr(), |report| report.text.as_ptr())
}

/// The warnings for people, a line each: what the manual says, and so was computed, and what code of ptxas 13.5 computes. The
/// report keeps the text.
///
/// # Safety
/// `report` must be one or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn margay_report_warnings(report: *const Outcome) -> *const c_char {
    // SAFETY: `report` points to one that lives, or is null.
    unsafe { report.as_ref() }.map_or(c"".as_ptr(), |report| report.warnings.as_ptr())
}

/// All of it as one JSON object, as `margay run --format json` has it. The report keeps the text.
///
/// # Safety
/// `report` must be one or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn margay_report_json(report: *const Outcome) -> *const c_char {
    // SAFETY: `report` points to one that lives, or is null.
    unsafe { report.as_ref() }.map_or(c"".as_ptr(), |report| report.json.as_ptr())
}

/// Frees a report; null is none.
///
/// # Safety
/// It must come from `margay_launch`, and not have been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn margay_report_free(report: *mut Outcome) {
    if !report.is_null() {
        call(|| {
            // SAFETY: the caller's promise: it was made by `Box::into_raw`.
            drop(unsafe { Box::from_raw(report) });
            Ok(())
        });
    }
}
