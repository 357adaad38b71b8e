//! Linking: NVIDIA's verdicts, names that collide, what is folded, and what the result says.

mod support;

use margay_front::check::{Options as CheckOptions, check};
use margay_front::diag::across;
use margay_front::link::{Linked, Options, link};
use margay_front::module::Module;
use margay_front::{Severity, Source, compile};

const HEAD: &str = ".version 9.0\n.target sm_90\n.address_size 64\n";

/// Links bodies of modules, called `a.ptx`, `b.ptx` and so on.
fn link_bodies(bodies: &[&str]) -> Linked {
    let named = bodies.iter().zip('a'..).map(|(body, name)| {
        let text = if body.starts_with(".version") { body.to_string() } else { format!("{HEAD}{body}\n") };
        Source::new(format!("{name}.ptx"), text)
    });
    link(named.collect(), Options::default())
}

fn shown(linked: &Linked) -> String {
    across::human(&linked.inputs, &linked.diagnostics, false, 10)
}

/// The text of a link without a finding; the ordinary checker accepts it.
fn text_of(linked: &Linked) -> &str {
    let text = linked.text.as_ref().unwrap_or_else(|| panic!("{}", shown(linked)));
    let checked = check(&Source::new("linked.ptx", text.as_str()), CheckOptions::default());
    assert!(checked.module.is_some(), "{text}\n{:?}", checked.diagnostics);
    text
}

fn text(bodies: &[&str]) -> String {
    let linked = link_bodies(bodies);
    assert_eq!(linked.diagnostics, [], "{}", shown(&linked));
    text_of(&linked).to_string()
}

fn module(bodies: &[&str]) -> Module {
    compile(&text(bodies)).unwrap()
}

fn codes(linked: &Linked) -> Vec<&'static str> {
    linked.diagnostics.iter().filter(|d| d.severity == Severity::Error).map(|d| d.code.name()).collect()
}

#[test]
fn verdicts_are_those_of_nvlink() {
    let table = include_str!("data/link.tsv");
    let rows: Vec<Vec<&str>> = table.lines().skip(2).map(|row| row.split('\t').collect()).collect();
    assert!(rows.len() > 75);
    for row in rows {
        let [name, verdict, instead, why, inputs @ ..] = row.as_slice() else { panic!("{row:?}") };
        let code = match (*instead, *verdict) {
            ("", "ok") => None,
            ("", "undefined") => Some("P701"),
            ("", "duplicate") => Some("P702"),
            ("", "prototype" | "size" | "space" | "managed") => Some("P703"),
            ("", "kind") => Some("P704"),
            (instead, _) => Some(instead).filter(|_| !why.is_empty()),
        };
        let linked = link_bodies(inputs);
        assert_eq!(codes(&linked), Vec::from_iter(code), "{name}\n{}\n{:?}", shown(&linked), linked.text);
        assert_eq!(linked.text.is_none(), code.is_some(), "{name}");
        if code.is_none() {
            text_of(&linked);
        }
        // In the other order, too.
        let backwards: Vec<&str> = inputs.iter().rev().copied().collect();
        assert_eq!(codes(&link_bodies(&backwards)), Vec::from_iter(code), "{name}, backwards");
    }
}
