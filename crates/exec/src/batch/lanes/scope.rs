//! What operations are carried out for, and where operands and results lie that are not in lines.

use crate::batch::lanes::place::Line;

/// What operations are carried out for, and on what beside lines.
#[derive(Clone, Copy)]
pub(super) struct Scope<'l> {
    /// Units of threads, as stretches: the first, and how many.
    pub(super) units: &'l [(u32, u32)],
    /// Values that are in memory instead of their lines.
    pub(super) lent: &'l [*const Line],
    /// Where results go that do not go to lines: of the first CTA, if each CTA's go to a row.
    pub(super) aimed: *mut Line,
    pub(super) rows: Option<Rows>,
}

/// What operations are carried out for, or only one CTA whose results go to a row of memory.
pub(super) fn scope<'l>(
    units: &'l [(u32, u32)],
    lent: &'l [*const Line],
    aimed: *mut Line,
    row: Option<&'l Row>,
) -> Scope<'l> {
    match row {
        Some(row) => Scope { units: &row.units, lent, aimed: row.aimed, rows: None },
        None => Scope { units, lent, aimed, rows: None },
    }
}

/// Rows of memory for results, one for each CTA.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub(super) start: *mut Line,
    pub(super) ctas: u32,
    /// How far each lies from where the one before ends.
    pub(super) step: i64,
    /// Units of a CTA.
    pub(super) units: u32,
}

/// The units of a CTA, and where the first one's results would go if all followed each other and this one's went to its row.
pub(super) struct Row {
    pub(super) units: [(u32, u32); 1],
    pub(super) aimed: *mut Line,
}

impl Rows {
    pub(super) fn row(&self, cta: u32) -> Row {
        let ahead = self.step.wrapping_mul(cta.into());
        let aimed = self.start.wrapping_byte_offset(ahead as isize);
        Row { units: [(cta * self.units, self.units)], aimed }
    }
}
