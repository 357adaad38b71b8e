//! Which of two numbers is greater.

use super::exact::Exact;
use super::real::Real;
use std::cmp::Ordering;

impl Real {
    /// How the number compares with another; `None` if one is NaN. Zeros are equal whatever their signs.
    pub fn compare(self, other: Real) -> Option<Ordering> {
        Some(match (self, other) {
            (Real::Nan { .. }, _) | (_, Real::Nan { .. }) => return None,
            (Real::Finite(a), Real::Finite(b)) if a.negative == b.negative => {
                let sizes = sizes(&a, &b);
                if a.negative { sizes.reverse() } else { sizes }
            }
            (a, b) => rank(a).cmp(&rank(b)),
        })
    }

    /// The lesser number, with -0 below +0; the one that is a number if the other is NaN.
    pub fn lesser(self, other: Real) -> Real {
        match self.compare(other) {
            None if self.is_nan() => other,
            None | Some(Ordering::Less) => self,
            Some(Ordering::Equal) if self.negative() => self,
            _ => other,
        }
    }

    /// The greater number, with -0 below +0; the one that is a number if the other is NaN.
    pub fn greater(self, other: Real) -> Real {
        match self.compare(other) {
            None if self.is_nan() => other,
            None | Some(Ordering::Greater) => self,
            Some(Ordering::Equal) if other.negative() => self,
            _ => other,
        }
    }
}

/// Below which others a number is, where that does not take the numbers themselves.
fn rank(real: Real) -> i32 {
    let size = match real {
        Real::Infinite { .. } => 2,
        Real::Finite(_) => 1,
        _ => 0,
    };
    if real.negative() { -size } else { size }
}

/// How the sizes of two numbers of up to 64 bits compare.
fn sizes(a: &Exact, b: &Exact) -> Ordering {
    a.top().cmp(&b.top()).then_with(|| {
        // With equal tops the units are at most 63 places apart.
        let e = a.e.min(b.e);
        (a.m << (a.e - e)).cmp(&(b.m << (b.e - e)))
    })
}
