//! `examples/motion`: the field must be the motion that the frames were drawn with.

use crate::{Example, files, motion};
use std::sync::LazyLock;

/// The example after its run.
static RAN: LazyLock<Example> = LazyLock::new(|| {
    let example = Example::copy("motion", "run");
    example.run(&[]);
    example
});

#[test]
fn frames_are_the_ones_that_the_scenes_draw() {
    let example = Example::copy("motion", "frames");
    for (frame, name) in ["before.png", "after.png"].iter().enumerate() {
        let (width, pixels) = files::png(&example.path(name));
        assert_eq!(width, motion::WIDTH);
        assert!(pixels == motion::frame(frame as u8), "{name}");
    }
}

#[test]
fn field_is_the_motion_that_the_frames_were_drawn_with() {
    let column = files::npy(&RAN.path("dx.npy"), "|i1", "32,48");
    let row = files::npy(&RAN.path("dy.npy"), "|i1", "32,48");
    let (mut shifted, mut turned) = (0, 0);
    for (by, bx) in (0..motion::BLOCKS_Y).flat_map(|y| (0..motion::BLOCKS_X).map(move |x| (y, x))) {
        let at = by * motion::BLOCKS_X + bx;
        let found = (i32::from(column[at] as i8), i32::from(row[at] as i8));
        match motion::truth(bx, by) {
            None => {}
            Some(motion::Motion::Shift(dx, dy)) => {
                assert_eq!(found, (dx, dy), "block {bx}, {by}");
                shifted += 1;
            }
            Some(turn) => {
                let middle = |block: usize| (motion::MARGIN + block * motion::BLOCK) as f64 + 3.5;
                let (x, y) = (middle(bx), middle(by));
                let (u, v) = turn.forth(x, y);
                let off = (f64::from(found.0) - (u - x)).abs().max((f64::from(found.1) - (v - y)).abs());
                assert!(off <= 1.0, "block {bx}, {by}: {found:?} is {off} off");
                turned += 1;
            }
        }
    }
    assert!(shifted > 1000 && turned > 100, "{shifted} blocks shifted, {turned} turned");
}

#[test]
fn picture_shows_the_field() {
    let (width, picture) = files::png(&RAN.path("motion.png"));
    assert_eq!((width, picture.len()), (768, 768 * 512));
    assert!(
        files::png(&RAN.path("expected.png")) == (width, picture.clone()),
        "the page shows another picture"
    );

    // What stands behind the needles is the first frame at 7/16 of its light, and no pixel is darker.
    let (_, frame) = files::png(&RAN.path("before.png"));
    let mut bare = 0;
    for (at, &pixel) in picture.iter().enumerate() {
        let (x, y) = (motion::MARGIN + at % width / 2, motion::MARGIN + at / width / 2);
        let behind = (u32::from(frame[y * motion::WIDTH + x]) * 7 + 8) >> 4;
        assert!(u32::from(pixel) >= behind && (u32::from(pixel) == behind || pixel == 150 || pixel == 255));
        bare += usize::from(u32::from(pixel) == behind);
    }
    assert!((picture.len() / 2..picture.len() * 19 / 20).contains(&bare), "{bare} pixels without a needle");
}
