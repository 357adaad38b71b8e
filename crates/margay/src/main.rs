//! The command `margay`.
mod command {
    pub mod table;
}
fn main() {}
