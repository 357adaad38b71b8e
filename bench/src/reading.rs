//! Lexing, parsing and checking of what real compilers wrote, in megabytes a second, beside `ptx-syntax`.

use crate::measure::{Candidate, rounds};
use flate2::read::GzDecoder;
use margay_front::{Source, check, lexer::Lexer, parse, token::Kind};
use std::io::Read;

const CORPUS: &[u8] = include_bytes!("../../crates/front/tests/data/corpus.ptx.gz");

fn corpus() -> Vec<Source> {
    let mut all = String::new();
    GzDecoder::new(CORPUS).read_to_string(&mut all).expect("the corpus unpacks");
    let parts = all.split("//// ").skip(1).filter_map(|part| part.split_once('\n'));
    parts.map(|(name, text)| Source::new(name, text)).collect()
}

fn lex(source: &Source) -> u64 {
    let mut lexer = Lexer::new(&source.text);
    let mut tokens = 0;
    while lexer.next_token().kind != Kind::End {
        tokens += 1;
    }
    tokens
}

pub fn run(count: usize) {
    let files = corpus();
    let megabytes = files.iter().map(|f| f.text.len()).sum::<usize>() as f64 / 1e6;
    let ours = files.iter().filter(|f| check(f, Default::default()).module.is_none()).count();
    println!("\nreading {} files, {megabytes:.2} MB; {ours} refused by margay", files.len());

    let each = |f: &dyn Fn(&Source) -> u64| files.iter().map(f).sum::<u64>();
    let mut candidates = vec![
        Candidate::timed("margay: lex", || each(&lex)),
        Candidate::timed("margay: parse", || each(&|f| parse(f).file.items.len() as u64)),
        Candidate::timed("margay: parse and check", || {
            each(&|f| check(f, Default::default()).diagnostics.len() as u64)
        }),
    ];
    candidates.extend(peer(&files));
    let timings = rounds(candidates, count);
    let last = timings.last().expect("something was measured");
    println!("{:<26} {:>8} {:>8}   speed relative to {}", "", "MB/s", "spread", last.name);
    for t in &timings {
        let ratio = last.median / t.median;
        println!("{:<26} {:>8.1} {:>7.0}% {ratio:>10.2}", t.name, megabytes / t.median, t.spread * 100.0);
    }
}

#[cfg(feature = "peers")]
fn peer(files: &[Source]) -> Option<Candidate<'_>> {
    let read = |f: &Source| ptx_syntax::parse_ptx(&f.text);
    println!("{} refused by ptx-syntax", files.iter().filter(|f| read(f).is_err()).count());
    Some(Candidate::timed("ptx-syntax: parse", move || {
        files.iter().map(|f| read(f).map_or(0, |m| m.directives.len())).sum::<usize>()
    }))
}

#[cfg(not(feature = "peers"))]
fn peer(_: &[Source]) -> Option<Candidate<'_>> {
    None
}
