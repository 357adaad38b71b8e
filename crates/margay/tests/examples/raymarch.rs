//! `examples/raymarch`: the picture, against the same rays in double precision.

use crate::{Example, files};

const WIDTH: usize = 320;
const HEIGHT: usize = 200;

fn saturate(x: f64) -> f64 {
    x.clamp(0.0, 1.0)
}

fn sky(up: f64) -> f64 {
    0.9 - 0.75 * saturate(1.6 * up)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn unit(a: [f64; 3]) -> [f64; 3] {
    let length = dot(a, a).sqrt();
    a.map(|x| x / length)
}

/// The brightness of a pixel, before it is cut to a whole number.
fn pixel(px: usize, py: usize) -> f64 {
    let (w, h) = (WIDTH as f64, HEIGHT as f64);
    let across = (2.0 * px as f64 + 1.0 - w) / h;
    let ray = unit([across, 0.85 - (2.0 * py as f64 + 1.0) / h, 1.8]);
    let (mut at, mut way, mut hit): ([f64; 3], f64, i32) = ([0.0, 1.1, -4.0], 0.0, 0);
    let centred = |at: [f64; 3]| [at[0], at[1] - 0.9, at[2]];
    for _ in 0..48 {
        if hit != 0 || way >= 24.0 {
            break;
        }
        let ripples = 0.08 * (3.1 * at[0] + at[2]).sin() + 0.05 * (4.3 * at[2] - at[0]).cos();
        let sphere = dot(centred(at), centred(at)).sqrt() - 1.0;
        let water = 0.6 * (at[1] - ripples);
        let step = sphere.min(water);
        hit = match step > 0.002 + 0.001 * way {
            true => 0,
            false => 1 + i32::from(sphere >= water),
        };
        at = [0, 1, 2].map(|k| at[k] + step * ray[k]);
        way += step;
    }
    let back = sky(ray[1]);
    if hit == 0 {
        return 255.0 * saturate(back);
    }
    let (a, b) = ((3.1 * at[0] + at[2]).cos(), (4.3 * at[2] - at[0]).sin());
    let normal =
        unit(if hit == 1 { centred(at) } else { [-0.248 * a - 0.05 * b, 1.0, -0.08 * a + 0.215 * b] });
    let towards = dot(normal, ray);
    let mirror = [0, 1, 2].map(|k| ray[k] - 2.0 * towards * normal[k]);
    const SUN: [f64; 3] = [-0.57, 0.66, -0.49];
    let lit = saturate(dot(SUN, normal));
    let glint = saturate(dot(SUN, mirror)).powi(24);
    let mut light = 0.08 + 0.6 * lit + 0.4 * glint;
    if hit == 2 {
        let (along, apart) = (dot(centred(at), mirror), dot(centred(at), centred(at)));
        let in_water = if along < 0.0 && along * along > apart - 1.0 { 0.2 } else { sky(mirror[1]) };
        light = 0.04 + 0.1 * lit + 0.85 * in_water * (0.25 + 0.75 * (1.0 + towards)) + 0.5 * glint;
    }
    light += (back - light) * (1.0 - (-0.004 * way * way).exp());
    255.0 * saturate(light)
}

#[test]
fn the_picture_is_that_of_double_precision_but_for_edges() {
    let example = Example::copy("raymarch", "picture");
    example.run(&[]);
    let (width, shown) = files::png(&example.path("picture.png"));
    assert_eq!((width, shown.len()), (WIDTH, WIDTH * HEIGHT));
    let apart = |at: usize| (f64::from(shown[at]) - pixel(at % WIDTH, at / WIDTH).floor()).abs();
    let edges = (0..shown.len()).filter(|at| apart(*at) > 1.0).count();
    assert!(edges < shown.len() / 200, "{edges} pixels differ by more than one grey level");
    assert!((width, shown) == files::png(&example.path("expected.png")), "the page shows another picture");
}
