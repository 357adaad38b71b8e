//! Comparisons.

use super::{Handler, compare64, ones, w2};
use margay_isa::uop::Cmp;

pub(super) const fn cmp32(cmp: Cmp) -> Handler {
    match cmp {
        Cmp::Eq => w2(|a, b| ones(a == b)),
        Cmp::Ne => w2(|a, b| ones(a != b)),
        Cmp::LtU => w2(|a, b| ones(a < b)),
        Cmp::LeU => w2(|a, b| ones(a <= b)),
        Cmp::LtS => w2(|a, b| ones((a as i32) < b as i32)),
        Cmp::LeS => w2(|a, b| ones(a as i32 <= b as i32)),
    }
}

pub(super) const fn cmp64(cmp: Cmp) -> Handler {
    match cmp {
        Cmp::Eq => compare64(|a, b| ones(a == b)),
        Cmp::Ne => compare64(|a, b| ones(a != b)),
        Cmp::LtU => compare64(|a, b| ones(a < b)),
        Cmp::LeU => compare64(|a, b| ones(a <= b)),
        Cmp::LtS => compare64(|a, b| ones((a as i64) < b as i64)),
        Cmp::LeS => compare64(|a, b| ones(a as i64 <= b as i64)),
    }
}
