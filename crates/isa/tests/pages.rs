//! What must hold of every page, derived from the pages themselves.

mod support;

use margay_isa::forms::{count, forms, random_form, random_words};
use margay_isa::special::Special;
use margay_isa::syntax::Template;
use margay_isa::{
    Args, AtomicSpace, Bits, Fault, Inst, Kind, Lanes, MAX_SOURCES, Meaning, Mismatch, PAGES, Page, Role,
    Semantics, Shape, Slot, Ty, WARP, Word, pages_of, select, typed_by_tensor,
};
use support::random;

/// A statement taken apart as far as the syntax lines care.
struct Statement<'a> {
    opcode: &'a str,
    words: Vec<&'a str>,
    operands: Vec<(Vec<&'a str>, Shape<'static>)>,
    /// What follows in the brackets of each operand.
    inside: Vec<Vec<Shape<'static>>>,
}

fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|p| !p.is_empty());
    parts
}

fn read(text: &str) -> Statement<'_> {
    let text = text.trim_end_matches(';').trim();
    let text =
        if text.starts_with('@') { text.split_once(' ').expect("a guarded statement").1 } else { text };
    let (head, tail) = text.split_once(' ').unwrap_or((text, ""));
    let mut words = head.split('.');
    let opcode = words.next().unwrap_or_default();
    let words: Vec<_> = words.collect();
    let operands = split(tail);
    // A special register of four elements stands as a whole where a vector is asked for.
    let vector = words.iter().any(|word| matches!(*word, "v2" | "v4"));
    let whole = |text: &str| if vector { Special::elements(text).map_or(0, |(all, _)| all.len()) } else { 0 };
    Statement {
        opcode,
        words,
        operands: operands
            .iter()
            .map(|text| operand(text))
            .zip(&operands)
            .map(|((selectors, shape), text)| {
                (selectors, Shape { elements: shape.elements.max(whole(text)), ..shape })
            })
            .collect(),
        inside: operands.iter().map(|text| inside(text)).collect(),
    }
}

fn inside(text: &str) -> Vec<Shape<'static>> {
    let within = text.strip_prefix('[').and_then(|t| t.rsplit_once(']')).map_or("", |t| t.0);
    split(within).into_iter().skip(1).map(|text| operand(text).1).collect()
}

fn operand(text: &str) -> (Vec<&str>, Shape<'static>) {
    let mut shape = Shape::default();
    let digit = |s: &str| s.starts_with(|c: char| c.is_ascii_digit());
    let mut rest = text;
    if let Some(t) = rest.strip_prefix('-').filter(|t| !digit(t)) {
        (rest, shape.minus) = (t, true);
    }
    if let Some(t) = rest.strip_prefix('!') {
        (rest, shape.not) = (t, true);
    }
    shape.predicate = matches!(rest, "p" | "q" | "ignore_src");
    shape.pair = rest.contains('|');
    shape.sink = rest == "_";
    shape.list = rest.starts_with('(');
    if rest.starts_with('{') {
        shape.elements = split(rest.trim_matches(['{', '}'])).len();
        return (Vec::new(), shape);
    }
    let behind = match rest.strip_prefix('[') {
        Some(t) => {
            let (within, behind) = t.split_once(']').expect("a closed bracket");
            shape.address = true;
            shape.offset = within.split(',').next().is_some_and(|base| base.contains('+'));
            behind
        }
        None => rest,
    };
    let special = rest.starts_with('%') || digit(rest);
    let selectors = if special && !shape.address { Vec::new() } else { behind.split('.').skip(1).collect() };
    (selectors, shape)
}

fn choose(s: &Statement) -> Option<Result<Inst, Mismatch>> {
    let shapes: Vec<Shape> = s
        .operands
        .iter()
        .zip(&s.inside)
        .map(|((selectors, shape), inside)| Shape { selectors, inside, ..*shape })
        .collect();
    select(s.opcode, &s.words, &shapes)
}

fn each_opcode(mut f: impl FnMut(&'static Page, &'static str)) {
    for page in PAGES {
        for opcode in page.opcodes {
            f(page, opcode);
        }
    }
}

/// Every form if they are few enough, else some drawn at random; selectors are always drawn.
fn sample(page: &'static Page, opcode: &'static str) -> Vec<Inst> {
    let mut random = random(0x5eed);
    let plain = page.lines().iter().all(|l| {
        let combinations: usize =
            l.items.iter().map(|i| i.set.len() + usize::from(i.group.is_some())).product();
        combinations < 20_000
    });
    match plain {
        true => forms(page, opcode, 20, &mut random),
        false => (0..5_000).map(|_| random_form(page, opcode, &mut random)).collect(),
    }
}

/// The statement of a form with operands named after the syntax line, as many as it can have.
fn statement(inst: &Inst) -> String {
    let most = inst.operand_counts().1;
    let operands: Vec<String> = inst
        .operands()
        .filter(|(t, o)| !t.optional || o.with.is_none_or(|slot| inst.has(slot)))
        .map(|(t, _)| written(inst, t))
        .collect();
    assert_eq!(operands.len(), most);
    inst.statement(&operands.iter().map(String::as_str).collect::<Vec<_>>())
}

fn written(inst: &Inst, t: &Template) -> String {
    let alone = match (inst.elements(t), t.second) {
        (0, Some((second, _))) => format!("{}|{second}", t.name),
        (0, None) if t.list => format!("({})", t.name),
        (0, None) => t.name.to_string(),
        (n, _) => format!("{{{}}}", vec![t.name; n].join(", ")),
    };
    t.inside.iter().fold(alone, |text, t| format!("{text}, {}", written(inst, t)))
}

#[test]
fn every_syntax_line_reads() {
    for page in PAGES {
        assert_eq!(page.lines().len(), page.syntax.len());
        assert!(!page.purpose.is_empty() && !page.text.is_empty(), "{page:?} says nothing about itself");
        assert!(!page.examples.is_empty(), "{page:?} {:?} has no example", page.opcodes);
    }
}

#[test]
fn examples_are_accepted_by_their_own_page_and_refusals_refused() {
    for page in PAGES {
        for text in page.examples {
            let statement = read(text);
            match choose(&statement) {
                Some(Ok(inst)) => assert!(std::ptr::eq(inst.page(), *page), "{text}: {:?}", inst.page()),
                other => panic!("{text}: {other:?}"),
            }
        }
        for (text, why) in page.refused {
            let statement = read(text);
            let known = !pages_of(statement.opcode).is_empty();
            assert!(known && !matches!(choose(&statement), Some(Ok(_))), "{text} is accepted, though: {why}");
        }
    }
}

#[test]
fn what_a_form_prints_selects_the_same_words() {
    each_opcode(|page, opcode| {
        for form in sample(page, opcode) {
            let text = statement(&form);
            let again = match choose(&read(&text)) {
                Some(Ok(inst)) => inst,
                other => panic!("{text}: {other:?}"),
            };
            assert!(std::ptr::eq(again.page(), page), "{text} is read by {:?}, not {page:?}", again.page());
            assert!(same_words(&again, &form), "{text} is read as {again:?}");
            assert_eq!(statement(&again), text);
        }
    });
}

fn same_words(a: &Inst, b: &Inst) -> bool {
    margay_isa::Slot::ALL.iter().all(|s| a[*s] == b[*s] && a.has(*s) == b.has(*s))
}

#[test]
fn every_word_set_and_rule_of_a_page_is_used() {
    for page in PAGES {
        for (name, _, set) in page.sets {
            let dotted = format!(".{name}");
            let used = page.syntax.iter().any(|l| {
                l.text.match_indices(&dotted).any(|(at, _)| {
                    !l.text[at + dotted.len()..]
                        .starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':')
                })
            });
            assert!(used && !set.is_empty(), "{page:?}: no line uses `.{name}`");
        }
        for operand in page.operands {
            for name in operand.names.split(' ') {
                let named = |t: &Template| {
                    t.name == name
                        || t.second.is_some_and(|s| s.0 == name)
                        || t.inside.iter().any(|inner| inner.name == name)
                        || (0..t.elements).any(|k| t.element(k) == name)
                };
                assert!(
                    page.lines().iter().any(|l| l.operands.iter().any(named)),
                    "{page:?}: no line has an operand `{name}`"
                );
            }
        }
        for rule in page.rules {
            let broken = page.opcodes.iter().any(|o| breaks(page, o, rule.text));
            assert!(broken, "{page:?} {:?}: nothing breaks the rule `{}`", page.opcodes, rule.text);
        }
    }
}

/// Whether some words fit a line of the page and break the rule.
fn breaks(page: &'static Page, opcode: &'static str, rule: &str) -> bool {
    let mut random = random(77);
    (0..60_000).any(|_| {
        let form = random_words(page, opcode, &mut random);
        if page.rules.iter().find(|r| !(r.holds)(&form)).is_none_or(|r| r.text != rule) {
            return false;
        }
        matches!(choose(&read(&statement(&form))),
            Some(Err(Mismatch { fault: Fault::Rule { text, .. }, .. })) if text == rule)
    })
}

/// Operand values at the edges of every width, and some at random.
fn values(ty: Ty, random: &mut dyn FnMut() -> u64) -> Bits {
    let wide = u128::from(random()) << 64 | u128::from(random()) << 16 ^ u128::from(random());
    let corners = [0, 1, Bits::MAX, ty.mask() >> 1, (ty.mask() >> 1) + 1, 31, 32, 255, 0x8080_8080, wide];
    let value = corners[random() as usize % corners.len()];
    if ty.width() >= 128 { value } else { value & ((1 << ty.width()) - 1) }
}

/// The types of all sources and all results, vectors taken apart.
fn types(inst: &Inst) -> (Vec<Ty>, Vec<Ty>) {
    let (mut sources, mut results) = (Vec::new(), Vec::new());
    for (t, operand) in inst.operands() {
        let ty = inst.operand_type(operand.ty).expect("a computed operand has a type");
        let list = if operand.role == Role::Source { &mut sources } else { &mut results };
        list.extend(vec![ty; inst.elements(t).max(1)]);
        let second = t.second.and_then(|s| inst.page().operand(s.0)).and_then(|o| inst.operand_type(o.ty));
        list.extend(second);
    }
    let flag = Ty { kind: Kind::Predicate, bits: 1, lanes: 1 };
    sources.extend(inst.reads_carry().then_some(flag));
    results.extend(inst.writes_carry().then_some(flag));
    (sources, results)
}

#[test]
fn specs_are_total_and_deterministic_and_their_results_fit() {
    let mut random = random(4711);
    each_opcode(|page, opcode| {
        for form in sample(page, opcode) {
            match form.meaning(Semantics::Manual) {
                Meaning::Spec(_) | Meaning::Stages(_) | Meaning::Many(_) => {}
                _ => continue,
            }
            let (sources, results) = types(&form);
            assert!(sources.len() <= MAX_SOURCES, "{form:?} reads {} values", sources.len());
            for _ in 0..4 {
                let mut args: Args = [0; MAX_SOURCES];
                for (arg, ty) in args.iter_mut().zip(&sources) {
                    *arg = values(*ty, &mut random);
                }
                for semantics in [Semantics::Manual, Semantics::Ptxas13_5] {
                    let mut first = vec![0; results.len()];
                    let mut second = vec![Bits::MAX; results.len()];
                    assert!(form.compute(semantics, &args, &mut first));
                    assert!(form.compute(semantics, &args, &mut second));
                    assert_eq!(first, second, "{form:?} {args:x?}");
                    for (value, ty) in first.iter().zip(&results) {
                        let fits = ty.width() >= 128 || value >> ty.width() == 0;
                        assert!(fits, "{form:?} {args:x?}: {value:#x} does not fit {ty}");
                    }
                }
            }
        }
    });
}

#[test]
fn what_lanes_and_memory_get_fits_too() {
    let mut random = random(17);
    let fits = |value: Bits, ty: Ty| ty.width() >= 128 || value >> ty.width() == 0;
    each_opcode(|page, opcode| {
        for form in sample(page, opcode) {
            match form.meaning(Semantics::Manual) {
                Meaning::Atomic(f) => {
                    // The type of what is combined in tensors is known when a kernel runs.
                    let form =
                        typed_by_tensor(&form, Word::U32).filter(|_| !form.has(Slot::Type)).unwrap_or(form);
                    let ty = form.ty(Slot::Type);
                    let args = std::array::from_fn(|_| values(ty, &mut random));
                    let both = [AtomicSpace::Global, AtomicSpace::Shared];
                    assert!(both.iter().all(|at| fits(f(&form, *at, &args), ty)), "{form:?} {args:x?}");
                }
                Meaning::Together(f) => {
                    let (types, results) = types(&form);
                    let sources = std::array::from_fn(|_| {
                        let mut args: Args = [0; MAX_SOURCES];
                        let bits = types.iter().map(|ty| values(*ty, &mut random));
                        args.iter_mut().zip(bits).for_each(|(arg, value)| *arg = value);
                        args
                    });
                    let members = random() as u32 | 1;
                    for lane in (0..WARP).filter(|lane| members >> lane & 1 == 1) {
                        let mut values = vec![Bits::MAX; results.len()];
                        f(&form, &Lanes { sources: &sources, members }, lane, &mut values);
                        let all = values.iter().zip(&results).all(|(value, ty)| fits(*value, *ty));
                        assert!(all, "{form:?} gives {values:x?} in lane {lane}");
                    }
                }
                _ => {}
            }
        }
    });
}

#[test]
fn every_page_has_forms() {
    each_opcode(|page, opcode| assert!(count(page, opcode) > 0, "{page:?} has no form of `{opcode}`"));
}

/// Floors of words and forms may be shared by pages: each must matter to one that has them.
#[test]
fn every_floor_is_met_by_a_form() {
    for page in PAGES {
        for (word, _) in page.word_floors {
            let sharing = PAGES.iter().filter(|p| p.word_floors == page.word_floors);
            let used = sharing.flat_map(|p| p.lines()).any(|l| {
                let words = l.items.iter().map(|i| i.set);
                words
                    .chain(l.operands.iter().filter_map(|t| Some(t.selector?.set)))
                    .any(|s| s.contains(*word))
            });
            assert!(used, "{page:?} {:?}: no line has `.{word}`", page.opcodes);
        }
        for floor in page.form_floors {
            let has =
                |p: &&&Page| p.form_floors.iter().any(|f| f.text == floor.text && f.floor == floor.floor);
            let mut sharing = PAGES.iter().filter(has);
            let met = sharing.any(|p| p.opcodes.iter().any(|o| sample(p, o).iter().any(|i| (floor.when)(i))));
            assert!(met, "{page:?} {:?}: no form is one of `{}`", page.opcodes, floor.text);
        }
    }
}
