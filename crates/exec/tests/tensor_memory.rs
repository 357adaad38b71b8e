//! Tensor memory: words go where formulas of single elements say, sums are those of one element after the other, and every other word stays as it
//! is, on both engines.
//!
//! `MARGAY_TENSOR_MEMORY_PRODUCTS` says how many products of either sort are judged, `MARGAY_TENSOR_MEMORY_BROKEN` how many instructions with
//! broken descriptors, `MARGAY_TENSOR_MEMORY_SEED` their seed.

#[path = "tensor_memory/broken.rs"]
mod broken;
#[path = "tensor_memory/copy.rs"]
mod copy;
#[path = "tensor_memory/kernel.rs"]
mod kernel;
#[path = "tensor_memory/layout.rs"]
mod layout;
#[path = "tensor_memory/movement.rs"]
mod movement;
#[path = "tensor_memory/product.rs"]
mod product;
#[allow(dead_code, reason = "other tests use more of it")]
#[path = "support/random_kernel/random.rs"]
mod random;

/// A number that a variable of the environment says.
fn number(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).map_or(otherwise, |number| number.parse().expect("a number"))
}

fn seed() -> u64 {
    number("MARGAY_TENSOR_MEMORY_SEED", 1) as u64
}

#[test]
fn broken_descriptors_do_the_same_on_both_engines() {
    broken::judge(seed(), number("MARGAY_TENSOR_MEMORY_BROKEN", 150));
}

#[test]
fn registers_hold_the_words_that_shapes_say() {
    movement::judge();
}

#[test]
fn bytes_of_shared_memory_go_to_the_lanes_that_shapes_say() {
    copy::judge();
}

#[test]
fn every_element_is_what_a_row_and_a_column_give() {
    product::judge(seed(), number("MARGAY_TENSOR_MEMORY_PRODUCTS", 150), false);
}

#[test]
fn blocks_of_rows_and_columns_have_scales() {
    product::judge(seed(), number("MARGAY_TENSOR_MEMORY_PRODUCTS", 48), true);
}
