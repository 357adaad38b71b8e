//! Textures and surfaces: what is read and written is what formulas of single texels say, on both engines; bytes that describe nothing do no harm.
//!
//! `MARGAY_TEXTURES` says how many of each sort are judged, `MARGAY_TEXTURES_SEED` their seed.

#[path = "textures/broken.rs"]
mod broken;
#[path = "textures/image.rs"]
mod image;
#[path = "textures/launched.rs"]
mod launched;
#[allow(dead_code, reason = "other tests use more of it")]
#[path = "support/random_kernel/random.rs"]
mod random;
#[path = "textures/read.rs"]
mod read;
#[path = "textures/surface.rs"]
mod surface;

/// A number that a variable of the environment says.
fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |number| number.parse().expect("a number"))
}

fn each(otherwise: u64, mut judge: impl FnMut(&mut random::Random)) {
    let seed = number("MARGAY_TEXTURES_SEED", 1);
    for k in 0..number("MARGAY_TEXTURES", otherwise) {
        judge(&mut random::Random::new(seed, k));
    }
}

#[test]
fn texels_are_read_and_mixed_as_a_formula_says() {
    each(400, read::judge_look_up);
}

#[test]
fn four_texels_are_gathered() {
    each(60, read::judge_gather);
}

#[test]
fn gradients_choose_a_level() {
    read::judge_gradients();
}

#[test]
fn surfaces_are_read_written_and_changed_in_place() {
    each(300, surface::judge);
}

#[test]
fn variables_whose_addresses_surfaces_are_given_lie_in_memory() {
    surface::judge_addresses();
}

#[test]
fn attributes_are_told() {
    read::judge_attributes();
}

#[test]
fn bytes_that_describe_nothing_do_no_harm() {
    each(200, broken::judge);
}
