//! Operations on two integers, or on the pairs of elements of packed ones: exact, then cut to the element's width.

use crate::prelude::*;

/// Applies `operate` to each pair of exact numbers and packs the low bits of the results.
///
/// `operate` is given the element where there are several; packed sources are recorded as `iA` and `iB`, the manual's names.
pub fn pairs(
    ty: Ty,
    a: Bits,
    b: Bits,
    trace: &mut Trace,
    operate: impl Fn(&mut Trace, Option<u32>, i128, i128) -> i128,
) -> Bits {
    (0..ty.lanes).fold(0, |d, lane| {
        let at = lane * ty.bits;
        let (a, b) = (ty.value(a >> at), ty.value(b >> at));
        let element = (ty.lanes > 1).then_some(lane);
        if element.is_some() {
            trace.element("iA", lane, a);
            trace.element("iB", lane, b);
        }
        d | ty.wrap(operate(trace, element, a, b)) << at
    })
}

/// The exact result of a pair, clamped to the range of its type if that is asked for.
pub fn saturated(
    trace: &mut Trace,
    element: Option<u32>,
    ty: Ty,
    name: &'static str,
    exact: i128,
    sat: bool,
) -> i128 {
    let exact = trace.exact(name, element, ty, exact);
    if sat { trace.noted("clamp", element, ty.clamp(exact), String::new) } else { exact }
}
