//! What instructions of whole warps share: the member mask.
use crate::prelude::*;

/// The lanes that must arrive before any goes on.
pub(super) const MEMBERS: Operand = src("membermask", Is(U32)).members();
