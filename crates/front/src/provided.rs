//! Functions of the device's runtime: modules declare and call them, and no module defines them.

use crate::module::{Function, Parameter};

/// A function that the runtime provides. Addresses count as 8 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Provided {
    /// `vprintf`: a format and where its arguments lie; gives how many there were.
    Print,
    /// `__assertfail`: condition, file, line, function, bytes of a character.
    AssertFail,
    /// `malloc`: how many bytes; gives their address, or 0.
    Allocate,
    /// `free`: an address that `malloc` gave, or 0.
    Free,
    /// `__nv_idp4a_*_impl`: four products of bytes, added to a third operand; whether `a` and `b` are signed.
    DotBytes(bool, bool),
    /// `__nv_idp2a_*_impl`: two products of half-words and bytes; whether of the high bytes, and what is signed.
    DotHalves(bool, bool, bool),
}

/// Names, bytes of the parameters, and bytes of the results.
const TABLE: &[(&str, &[u64], &[u64], Provided)] = &[
    ("vprintf", &[8, 8], &[4], Provided::Print),
    ("__assertfail", &[8, 8, 4, 8, 8], &[], Provided::AssertFail),
    ("malloc", &[8], &[8], Provided::Allocate),
    ("free", &[8], &[], Provided::Free),
    ("__nv_idp4a_s_s_impl", &[4, 4, 4], &[4], Provided::DotBytes(true, true)),
    ("__nv_idp4a_u_u_impl", &[4, 4, 4], &[4], Provided::DotBytes(false, false)),
    ("__nv_idp4a_s_u_impl", &[4, 4, 4], &[4], Provided::DotBytes(true, false)),
    ("__nv_idp4a_u_s_impl", &[4, 4, 4], &[4], Provided::DotBytes(false, true)),
    ("__nv_idp2a_lo_s_s_impl", &[4, 4, 4], &[4], Provided::DotHalves(false, true, true)),
    ("__nv_idp2a_lo_u_u_impl", &[4, 4, 4], &[4], Provided::DotHalves(false, false, false)),
    ("__nv_idp2a_lo_s_u_impl", &[4, 4, 4], &[4], Provided::DotHalves(false, true, false)),
    ("__nv_idp2a_lo_u_s_impl", &[4, 4, 4], &[4], Provided::DotHalves(false, false, true)),
    ("__nv_idp2a_hi_s_s_impl", &[4, 4, 4], &[4], Provided::DotHalves(true, true, true)),
    ("__nv_idp2a_hi_u_u_impl", &[4, 4, 4], &[4], Provided::DotHalves(true, false, false)),
    ("__nv_idp2a_hi_s_u_impl", &[4, 4, 4], &[4], Provided::DotHalves(true, true, false)),
    ("__nv_idp2a_hi_u_s_impl", &[4, 4, 4], &[4], Provided::DotHalves(true, false, true)),
];

/// What the runtime provides for a function that is declared only, if its parameters are those that it should have.
pub fn provided(function: &Function) -> Option<Provided> {
    let (_, parameters, returns, found) = TABLE.iter().find(|row| row.0 == function.name)?;
    let same =
        |declared: &[Parameter], sizes: &[u64]| declared.iter().map(|p| p.size).eq(sizes.iter().copied());
    let fits =
        !function.is_defined && same(&function.parameters, parameters) && same(&function.returns, returns);
    fits.then_some(*found)
}
