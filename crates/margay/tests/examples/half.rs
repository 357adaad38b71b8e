//! `examples/half`: the smoothed picture, against the same sums without rounding.

use crate::{Example, files, grain};

/// What the filter gives in arithmetic of 53 bits.
fn smoothed(noisy: &[u8]) -> Vec<f64> {
    let (width, height) = (grain::WIDTH as i32, (noisy.len() / grain::WIDTH) as i32);
    let at =
        |x: i32, y: i32| f64::from(noisy[(y.clamp(0, height - 1) * width + x.clamp(0, width - 1)) as usize]);
    let one = |x: i32, y: i32| {
        let around = (-2..=2).flat_map(|dy| (-2..=2).map(move |dx| (dx, dy)));
        let (sum, weights) = around.fold((0.0, 0.0), |(sum, weights), (dx, dy)| {
            let apart = at(x + dx, y + dy) - at(x, y);
            let weight = (-(apart * apart) / 1152.0 - f64::from(dx * dx + dy * dy) / 8.0).exp2();
            (sum + weight * apart, weights + weight)
        });
        at(x, y) + sum / weights
    };
    (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| one(x, y)).collect()
}

#[test]
fn half_a_grey_level_is_lost_by_half_precision_and_no_more() {
    let example = Example::copy("half", "smooth");
    example.run(&[]);
    let (width, shown) = files::png(&example.path("smooth.png"));
    let exact = smoothed(&grain::grainy());
    assert_eq!((width, shown.len()), (grain::WIDTH, exact.len()));
    let apart = shown.iter().zip(&exact).map(|(shown, exact)| (f64::from(*shown) - exact).abs());
    let most = apart.fold(0.0, f64::max);
    // Half a level is the rounding to whole ones.
    assert!(most > 0.5 && most < 1.0, "{most}");
    assert!((width, shown) == files::png(&example.path("expected.png")), "the page shows another picture");
}

#[test]
fn picture_is_the_one_that_the_scenes_draw() {
    let (width, pixels) = files::png(&Example::copy("half", "picture").path("grainy.png"));
    assert!((width, pixels) == (grain::WIDTH, grain::grainy()));
}
