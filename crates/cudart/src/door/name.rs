//! What the list of absent functions is made of.

/// Functions that only say so.
macro_rules! not_here {
    ($($symbol:ident)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $symbol() -> Status {
            not_supported(stringify!($symbol))
        })*
    };
}

pub(super) use not_here;
