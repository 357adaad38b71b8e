//! Numbers with infinity, NaN and a sign for 0: what every operation does with them, in one place.

use super::exact::Exact;

/// What a pattern stands for, or what an operation gives before it is rounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Real {
    /// No number. Signalling ones are as quiet ones.
    Nan {
        /// Whether the sign bit is set.
        negative: bool,
    },
    /// Infinity.
    Infinite {
        /// Whether it is below 0.
        negative: bool,
    },
    /// Zero.
    Zero {
        /// Whether the sign bit is set.
        negative: bool,
    },
    /// Zero as the sum of opposite numbers: the rounding gives it its sign.
    Cancelled,
    /// A number other than 0.
    Finite(Exact),
}

use Real::{Cancelled, Finite, Infinite, Nan, Zero};

/// What an operation gives for which there is no number.
const INVALID: Real = Nan { negative: true };

impl Real {
    /// The number 1.
    pub const ONE: Real = Finite(Exact { negative: false, m: 1, e: 0, more: false });

    /// Whether the sign bit is set.
    pub fn negative(self) -> bool {
        match self {
            Nan { negative } | Infinite { negative } | Zero { negative } => negative,
            Cancelled => false,
            Finite(exact) => exact.negative,
        }
    }

    /// Whether it is NaN.
    pub fn is_nan(self) -> bool {
        matches!(self, Nan { .. })
    }

    /// The number, if it is finite and not 0.
    pub fn finite(self) -> Option<Exact> {
        if let Finite(exact) = self { Some(exact) } else { None }
    }

    /// The same with a sign.
    pub fn with_sign(self, negative: bool) -> Real {
        match self {
            Nan { .. } => Nan { negative },
            Infinite { .. } => Infinite { negative },
            Zero { .. } | Cancelled => Zero { negative },
            Finite(exact) => Finite(Exact { negative, ..exact }),
        }
    }

    /// The same with the other sign.
    pub fn negated(self) -> Real {
        self.with_sign(!self.negative())
    }

    /// The same without its sign.
    pub fn magnitude(self) -> Real {
        self.with_sign(false)
    }

    /// The sum.
    pub fn plus(self, other: Real) -> Real {
        match (self, other) {
            (Nan { .. }, _) => self,
            (_, Nan { .. }) => other,
            (Infinite { negative: a }, Infinite { negative: b }) if a != b => INVALID,
            (Infinite { .. }, _) => self,
            (_, Infinite { .. }) => other,
            (Finite(a), Finite(b)) => Some(a.sum(b)).filter(|sum| !sum.is_zero()).map_or(Cancelled, Finite),
            (Finite(_), _) => self,
            (_, Finite(_)) => other,
            (Zero { negative: a }, Zero { negative: b }) if a == b => self,
            _ => Cancelled,
        }
    }

    /// The difference.
    pub fn minus(self, other: Real) -> Real {
        self.plus(other.negated())
    }

    /// The product.
    pub fn times(self, other: Real) -> Real {
        let negative = self.negative() != other.negative();
        match (self, other) {
            (Nan { .. }, _) => self,
            (_, Nan { .. }) => other,
            (Infinite { .. }, Zero { .. } | Cancelled) | (Zero { .. } | Cancelled, Infinite { .. }) => {
                INVALID
            }
            (Infinite { .. }, _) | (_, Infinite { .. }) => Infinite { negative },
            (Finite(a), Finite(b)) => Finite(a.product(b)),
            _ => Zero { negative },
        }
    }

    /// The quotient. A number divided by 0 is infinite.
    pub fn over(self, other: Real) -> Real {
        let negative = self.negative() != other.negative();
        match (self, other) {
            (Nan { .. }, _) => self,
            (_, Nan { .. }) => other,
            (Infinite { .. }, Infinite { .. }) | (Zero { .. } | Cancelled, Zero { .. } | Cancelled) => {
                INVALID
            }
            (Infinite { .. }, _) | (_, Zero { .. } | Cancelled) => Infinite { negative },
            (Finite(a), Finite(b)) => Finite(a.quotient(b)),
            _ => Zero { negative },
        }
    }

    /// The square root; that of -0 is -0.
    pub fn square_root(self) -> Real {
        match self {
            Finite(Exact { negative: true, .. }) | Infinite { negative: true } => INVALID,
            Finite(exact) => Finite(exact.square_root()),
            _ => self,
        }
    }
}
