//! What the list of functions is made of: a name with its version and address, and a function that is not here.

use std::ffi::c_void;

/// A function by name.
pub struct Name {
    pub symbol: &'static str,
    /// The version of CUDA from which it stands behind its plain name.
    pub since: u32,
    pub address: *const c_void,
}

impl Name {
    /// The name without what tells versions apart; that of a function for streams of each thread's own is none's.
    pub fn plain(&self) -> &'static str {
        match self.symbol.rsplit_once("_v") {
            Some((plain, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => plain,
            _ => self.symbol,
        }
    }
}

/// A function that is in scope, or at a path.
macro_rules! name {
    ($since:literal, $symbol:ident) => {
        Name { symbol: stringify!($symbol), since: $since, address: $symbol as *const std::ffi::c_void }
    };
    ($since:literal, super::$module:ident::$symbol:ident) => {
        Name {
            symbol: stringify!($symbol),
            since: $since,
            address: super::$module::$symbol as *const std::ffi::c_void,
        }
    };
}

/// Functions that only say so.
macro_rules! not_here {
    ($($symbol:ident)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $symbol() -> Status {
            not_supported(stringify!($symbol))
        })*
    };
}

pub(super) use {name, not_here};
