//! `examples/int8`: a map in relief, against Sobel's operator in plain arithmetic.

use crate::{Example, files, relief};

/// The map lit with the strengths `west` and `north`.
fn lit(heights: &[u8], west: i32, north: i32) -> Vec<u8> {
    let (width, height) = (relief::WIDTH as i32, relief::HEIGHT as i32);
    let at = |x: i32, y: i32| {
        let (x, y) = (x.clamp(0, width - 1), y.clamp(0, height - 1));
        i32::from(heights[(y * width + x) as usize])
    };
    let shade = |x: i32, y: i32| {
        let (mut along, mut down) = (0, 0);
        for (step, weight) in [(-1, 1), (0, 2), (1, 1)] {
            along += weight * (at(x + 1, y + step) - at(x - 1, y + step));
            down += weight * (at(x + step, y + 1) - at(x + step, y - 1));
        }
        (120 - ((along * west + down * north) >> 6)).clamp(0, 255) as u8
    };
    (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| shade(x, y)).collect()
}

#[test]
fn map_is_the_one_that_the_scenes_draw() {
    let (width, pixels) = files::png(&Example::copy("int8", "map").path("heights.png"));
    assert!((width, pixels) == (relief::WIDTH, relief::heights()));
}

#[test]
fn relief_is_that_of_plain_arithmetic() {
    let example = Example::copy("int8", "relief");
    example.run(&[]);
    let shown = files::png(&example.path("relief.png"));
    assert!(shown == (relief::WIDTH, lit(&relief::heights(), -90, -90)));
    assert!(shown == files::png(&example.path("expected.png")), "the page shows another picture");
}

#[test]
fn light_can_come_from_the_east() {
    let example = Example::copy("int8", "east");
    let input = format!("in={}", example.path("heights.png").display());
    let output = format!("out={}:u8[320,512]", example.path("east.png").display());
    let arguments = [&*input, &*output, "u32=128", "u32=320", "u32=0x005a"];
    example.run(&arguments.map(|argument| ["--arg", argument]).concat());
    assert!(files::png(&example.path("east.png")) == (relief::WIDTH, lit(&relief::heights(), 90, 0)));
}
