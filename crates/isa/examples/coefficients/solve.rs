//! The integers that satisfy the bounds of a row.

use crate::bounds::Bound;
use crate::shape::{Row, Shape};

/// Coefficients of the square and of the low bits are below this.
const LIMITS: [i64; 2] = [1 << 18, 1 << 13];
/// How many of the bounds tell most coefficients of the square from those that cannot be.
const FEW: usize = 64;

/// A bound with the low bits' square.
struct Point {
    low: i64,
    square: i64,
    least: i64,
    greatest: i64,
}

/// All rows that satisfy the bounds: ordered by the coefficient of the square, then by that of the low bits, then by the constant.
pub fn solve(shape: &Shape, bounds: &[Bound]) -> Vec<Row> {
    let all: Vec<Point> = bounds
        .iter()
        .map(|b| Point {
            low: b.low.into(),
            square: shape.square(b.low),
            least: b.least,
            greatest: b.greatest,
        })
        .collect();
    let few: Vec<&Point> = all.iter().step_by(all.len() / FEW + 1).chain(all.last()).collect();
    let all: Vec<&Point> = all.iter().collect();
    let mut rows = Vec::new();
    for bend in 0..LIMITS[1] {
        let few = Line { shape, bend, points: &few };
        if few.gap(few.widest()) < 0 {
            continue;
        }
        let line = Line { shape, bend, points: &all };
        // The gap is concave: slopes with room for a constant lie around the widest one.
        let widest = line.widest();
        let open = |slope: &i64| line.gap(*slope) >= 0;
        let mut slopes: Vec<i64> = (0..widest).rev().take_while(open).collect();
        slopes.reverse();
        slopes.extend((widest..LIMITS[0]).take_while(open));
        for slope in slopes {
            let [least, greatest] = line.constants(slope);
            let step = 1 << shape.places[0];
            let mut constant = least.div_euclid(step) + i64::from(least.rem_euclid(step) > 0);
            while constant * step <= greatest {
                if let Ok(constant) = u32::try_from(constant) {
                    rows.push([constant, slope as u32, bend as u32]);
                }
                constant += 1;
            }
        }
    }
    rows
}

/// The bounds, once the coefficient of the square is chosen.
struct Line<'a> {
    shape: &'a Shape,
    bend: i64,
    points: &'a [&'a Point],
}

impl Line<'_> {
    /// The least and the greatest constant product that satisfy the bounds with a slope; the first may be the greater.
    fn constants(&self, slope: i64) -> [i64; 2] {
        let first = if self.shape.falls { -slope } else { slope } << self.shape.places[1];
        let second = if self.shape.bends_down { -self.bend } else { self.bend };
        self.points.iter().fold([i64::MIN, i64::MAX], |[least, greatest], p| {
            let others = first * p.low + second * p.square;
            [least.max(p.least - others), greatest.min(p.greatest - others)]
        })
    }

    /// How far the greatest constant lies above the least: a concave function of the slope.
    fn gap(&self, slope: i64) -> i64 {
        let [least, greatest] = self.constants(slope);
        greatest - least
    }

    /// The slope with the widest gap.
    fn widest(&self) -> i64 {
        let (mut from, mut to) = (0, LIMITS[0]);
        while from < to {
            let middle = (from + to) / 2;
            if self.gap(middle) < self.gap(middle + 1) { from = middle + 1 } else { to = middle }
        }
        from
    }
}
