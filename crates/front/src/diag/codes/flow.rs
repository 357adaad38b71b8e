//! P6xx: control flow.

use super::{Code, Entry};

/// A label in a block that cannot be entered.
pub const LABEL_OUT_OF_REACH: Code = Code::new(&Entry {
    code: "P601",
    title: "label is in another block",
    explanation: "A label is visible in its own block and in the blocks inside it. A branch cannot go into a \
                  block from outside.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { bra inside; { inside: ret; } }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { { bra inside; inside: ret; } }\n",
});

pub(super) const TABLE: &[Code] = &[LABEL_OUT_OF_REACH];
