//! The command `margay`.
fn main() {}
