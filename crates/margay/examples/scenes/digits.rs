//! Digits as hands write them: strokes that are bent, moved, thick or thin, on paper that is not clean.

use crate::noise::{fractal, lattice};

/// Width and height of a digit in pixels.
pub const SIDE: usize = 16;
/// Digits in a line of the page.
pub const ACROSS: usize = 32;
/// Lines of the page.
pub const LINES: usize = 20;
/// Width of the page in pixels.
pub const WIDTH: usize = ACROSS * SIDE;

type Point = (f64, f64);

/// The stroke of each digit: points that lines join, in a box of 6 by 10.
const STROKES: [&str; 10] = [
    "3,0 1,1 0,3.5 0,6.5 1,9 3,10 5,9 6,6.5 6,3.5 5,1 3,0",
    "1,2 3.5,0 3.5,10",
    "0,2 1,0.5 3,0 5,0.5 6,2.5 5,4.5 0,10 6,10",
    "0,1 2,0 4.5,0.2 5.8,2 5,4 2.5,4.8 5,5.3 6,7.5 5,9.5 2.5,10 0,9",
    "4.3,10 4.3,0 0,7 6,7",
    "5.6,0 0.8,0 0.3,4.6 3,4 5.3,5 6,7 5,9.3 2.5,10 0,9",
    "5.3,0.3 2.5,1 0.7,3.5 0,7 1,9.5 3,10 5.2,9.3 6,7.2 5,5.2 3,4.6 1,5.4 0,7",
    "0,0 6,0 3.5,5 2.3,10",
    "3,4.7 0.8,3.6 0.6,1.5 3,0 5.4,1.5 5.2,3.6 3,4.7 0.4,6.2 0.2,8.6 3,10 5.8,8.6 5.6,6.2 3,4.7",
    "6,3 5,5 3,5.5 1,4.8 0,2.8 0.8,0.7 3,0 5.2,0.7 6,3 5.5,7 3,10",
];

/// How far a point lies from the line between two others.
fn distance(p: Point, a: Point, b: Point) -> f64 {
    let (along, to) = ((b.0 - a.0, b.1 - a.1), (p.0 - a.0, p.1 - a.1));
    let part = ((along.0 * to.0 + along.1 * to.1) / (along.0 * along.0 + along.1 * along.1)).clamp(0.0, 1.0);
    let (x, y) = (to.0 - part * along.0, to.1 - part * along.1);
    (x * x + y * y).sqrt()
}

/// The points of a digit's stroke.
fn stroke(digit: usize) -> impl Iterator<Item = Point> {
    let point = |text: &str| text.split_once(',').map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()));
    STROKES[digit].split(' ').map(move |text| point(text).unwrap())
}

/// The ink on each pixel of a stroke along `points`; `thick` is half its width, `dark` from 0 to 1.
fn draw(points: &[Point], thick: f64, dark: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let pixel = |(x, y): (usize, usize)| {
        let middle = (x as f64 + 0.5, y as f64 + 0.5);
        let near = points.windows(2).map(|ends| distance(middle, ends[0], ends[1])).fold(f64::MAX, f64::min);
        (thick + 0.5 - near).clamp(0.0, 1.0) * dark(x as f64, y as f64)
    };
    (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))).map(pixel).collect()
}

/// A digit as it is printed: 16 by 16 pixels, row by row.
pub fn printed(digit: usize) -> Vec<u8> {
    let points: Vec<_> = stroke(digit).map(|(x, y)| (5.0 + x, 3.0 + y)).collect();
    draw(&points, 0.7, |_, _| 1.0).iter().map(|ink| (255.0 - 255.0 * ink).round() as u8).collect()
}

/// The digit `digit` as it is written the `which`th time by the hand `hand`: 16 by 16 pixels, row by row.
pub fn written(digit: usize, which: usize, hand: u32) -> Vec<u8> {
    let seed = hand + 31 * which as u32;
    let chance = |what: u32| lattice(which as i64, i64::from(what), hand) * 2.0 - 1.0;
    let (wide, high, lean) = (1.0 + 0.3 * chance(0), 1.0 + 0.2 * chance(1), 0.3 * chance(2));
    let (left, top) = (8.0 + 1.5 * chance(3), 8.0 + 1.2 * chance(4));
    let place = |(at, (x, y)): (usize, Point)| {
        let bend = |axis: u32| 0.5 * chance(8 + 2 * at as u32 + axis);
        let (x, y) = ((x - 3.0) * wide + bend(0), (y - 5.0) * high + bend(1));
        (left + x - lean * y, top + y)
    };
    let points: Vec<_> = stroke(digit).enumerate().map(place).collect();
    let dark = |x: f64, y: f64| 0.75 + 0.15 * chance(6) + 0.3 * fractal(x, y, 5.0, 1, seed);
    let paper = |x: usize, y: usize| {
        let grain = 30.0 * (2.0 * lattice(x as i64, y as i64, seed + 7) - 1.0);
        222.0 + grain + 22.0 * fractal(x as f64, y as f64, 4.0, 1, seed + 9)
    };
    let ink = draw(&points, 0.75 + 0.35 * chance(5), dark);
    let pixel =
        |(at, ink): (usize, &f64)| (paper(at % SIDE, at / SIDE) * (1.0 - ink)).clamp(0.0, 255.0) as u8;
    ink.iter().enumerate().map(pixel).collect()
}

/// The first digits of pi.
pub fn truth() -> Vec<usize> {
    // A spigot: remainders in the base 1/3, 2/5, 3/7, ...; each digit is ten times all of them, carried to the front.
    let count = ACROSS * LINES;
    let mut rest = vec![2u64; count * 10 / 3 + 20];
    let mut digits: Vec<u64> = Vec::new();
    for _ in 0..count + 1 {
        let mut carry = 0;
        for at in (1..rest.len()).rev() {
            let sum = rest[at] * 10 + carry;
            rest[at] = sum % (2 * at as u64 + 1);
            carry = sum / (2 * at as u64 + 1) * at as u64;
        }
        let sum = rest[0] * 10 + carry;
        rest[0] = sum % 10;
        digits.push(sum / 10);
        // A ten is carried into the digits before it.
        for at in (1..digits.len()).rev() {
            digits[at - 1] += digits[at] / 10;
            digits[at] %= 10;
        }
    }
    digits[..count].iter().map(|digit| *digit as usize).collect()
}

/// Squares of digits side by side, `across` of them in a line.
pub fn sheet(squares: &[Vec<u8>], across: usize) -> Vec<u8> {
    let lines = squares
        .chunks_exact(across)
        .flat_map(|line| (0..SIDE).flat_map(move |y| line.iter().map(move |square| (square, y))));
    lines.flat_map(|(square, y)| square[y * SIDE..][..SIDE].to_vec()).collect()
}

/// The squares of the page: the first digits of pi as one hand writes them.
pub fn squares() -> Vec<Vec<u8>> {
    truth().iter().enumerate().map(|(which, digit)| written(*digit, which, 314)).collect()
}

/// The page as a picture.
pub fn page() -> Vec<u8> {
    sheet(&squares(), ACROSS)
}

/// The ten printed digits, one below the other.
pub fn glyphs() -> Vec<u8> {
    (0..10).flat_map(printed).collect()
}
