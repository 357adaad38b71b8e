//! `examples/digits`: what the network's tensor cores make of a page, against the same network in plain arithmetic.

use crate::{Example, digits, files, network};

#[test]
fn digits_are_read_as_plain_arithmetic_reads_them() {
    let example = Example::copy("digits", "read");
    let network = network::trained();
    assert!(files::png(&example.path("page.png")) == (digits::WIDTH, digits::page()), "another page");
    assert!(files::png(&example.path("glyphs.png")) == (digits::SIDE, digits::glyphs()), "other glyphs");
    let hidden = (8 * digits::SIDE, network.picture());
    assert!(files::png(&example.path("hidden.png")) == hidden, "other hidden weights are learned");
    assert!(example.bytes("weights.raw") == network.tail(), "other weights are learned");

    example.run(&[]);
    let squares = digits::squares();
    let scores = files::npy32(&example.path("scores.npy"), "<i4", "640,10");
    assert_eq!(scores, squares.iter().flat_map(|square| network.scores(square)).collect::<Vec<_>>());
    let clean: Vec<_> = squares.iter().map(|square| digits::printed(network.read(square))).collect();
    let shown = files::png(&example.path("read.png"));
    assert!(shown == (digits::WIDTH, digits::sheet(&clean, digits::ACROSS)));
    assert!(shown == files::png(&example.path("expected.png")), "the page shows another picture");
    assert!(example.text("README.md").contains(&format!("{} of the 640", network.right())));
}

#[test]
fn truth_is_pi() {
    let digits: String = digits::truth().iter().map(|digit| digit.to_string()).collect();
    assert!(digits.starts_with("31415926535897932384626433832795028841971693993751"));
    assert!(digits.ends_with("7789609"), "{digits}");
}
