//! `examples/sha256`: against the digests that the standard prints, and others from coreutils' `sha256sum`.

use crate::Example;
use std::fs;

/// FIPS 180-4's examples, then `sha256sum` of the further lines.
const DIGESTS: [&str; 10] = [
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
    "d7a8fbb307d7809469ca9abcb0082e4f8d5651e46d3cdb762d02d0bf37c9e592",
    "ef537f25c895bfa782526529a9b63d97aa631564d5d789c2b765448c8635fb6c",
    "f34d5a0f80c0cbf84c8c0b90218c22637abd199965249da736a20143c8c9c9d9",
    "83aa034bda83e458a0dc9cbce0d4e354716aa0ff770ed37ac0ed2b292052e4af",
    "074f6e9ac301d5d1b6df6f1dfb8c6f89c187ea945d352ce6a29279a9c630680b",
    "9674d9e078535b7cec43284387a6ee39956188e735a85452b0050b55341cda56",
];

#[test]
fn digests_are_those_of_the_standard() {
    let example = Example::copy("sha256", "standard");
    example.run(&[]);
    assert_eq!(example.text("digests.txt").lines().collect::<Vec<_>>(), DIGESTS);
}

#[test]
fn million_letters_have_the_digest_of_the_standard() {
    let example = Example::copy("sha256", "million");
    fs::write(example.path("million.txt"), "a".repeat(1_000_000)).unwrap();
    let input = format!("in={}", example.path("million.txt").display());
    let output = format!("out={}:u8[65]", example.path("digest.txt").display());
    let arguments = [input.as_str(), "u32=1000000", output.as_str(), "u32=1"];
    example.run(&arguments.map(|argument| ["--arg", argument]).concat());
    let digest = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0\n";
    assert_eq!(example.text("digest.txt"), digest);
}
