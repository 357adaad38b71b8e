//! `examples/text_scan`: against counting byte by byte.

use crate::{Example, files};

#[test]
fn counts_are_those_of_reading_byte_by_byte() {
    let example = Example::copy("text_scan", "counts");
    example.run(&[]);
    let text = example.text("alice.txt");
    let letters =
        ('a'..='z').map(|letter| text.chars().filter(|found| found.to_ascii_lowercase() == letter).count());
    let expected: Vec<i32> = letters
        .chain([text.lines().count(), text.split_whitespace().count()])
        .map(|count| count as i32)
        .collect();
    assert_eq!(files::npy32(&example.path("counts.npy"), "<u4", "28"), expected);

    let names = ('a'..='z').map(String::from).chain(["lines".into(), "words".into()]);
    let line = |(name, count): (String, &i32)| {
        let bar = if name.len() == 1 { "#".repeat((count / 16) as usize) } else { String::new() };
        format!("{name:<6}{count:>5} {bar:<51}\n")
    };
    assert_eq!(example.text("chart.txt"), names.zip(&expected).map(line).collect::<String>());
}

#[test]
fn text_may_end_anywhere_in_a_word() {
    let example = Example::copy("text_scan", "ends");
    for text in
        ["A", "Ab", "Abc", "Abcd", "Abcd ", "Abcd e", "Abcd ef", "a b\nc\n", "\n\n\n\n\n", "  zz  zz\tzZ"]
    {
        std::fs::write(example.path("short.txt"), text).unwrap();
        let input = format!("in={}", example.path("short.txt").display());
        let size = format!("u32={}", text.len());
        let counts = format!("out={}:u32[28]", example.path("counts.npy").display());
        let chart = format!("out={}:u8[28,64]", example.path("chart.txt").display());
        let arguments = [input.as_str(), &size, "u32=1", &counts, &chart];
        example.run(&arguments.map(|argument| ["--arg", argument]).concat());
        let found = files::npy32(&example.path("counts.npy"), "<u4", "28");
        let count =
            |wanted: char| text.chars().filter(|found| found.to_ascii_lowercase() == wanted).count() as i32;
        assert_eq!((found[0], found[25], found[26]), (count('a'), count('z'), count('\n')), "{text:?}");
        assert_eq!(found[27], text.split_whitespace().count() as i32, "{text:?}");
    }
}
