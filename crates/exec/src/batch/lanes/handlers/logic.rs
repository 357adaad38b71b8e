//! Operations on predicates, which are masks.

use super::{Handler, w2};
use margay_isa::uop::Logic;

pub(super) const fn of(logic: Logic) -> Handler {
    match logic {
        Logic::And => w2(|a, b| a & b),
        Logic::Or => w2(|a, b| a | b),
        Logic::Xor => w2(|a, b| a ^ b),
        Logic::AndNot => w2(|a, b| a & !b),
    }
}
