//! Declarations of variables, parameters and what they start with.

use super::expr::Leaves;
use super::{Parse, Parser};
use crate::ast::{
    Attribute, Declarator, Dimension, Initializer, Integer, Parameter, PointerHint, Variable, Word,
};
use crate::diag::{Diagnostic, codes};
use crate::source::Span;
use crate::token::Kind;

const LINKAGES: &[&str] = &["extern", "visible", "weak", "common"];
/// Words that name a state space and so begin a declaration.
pub(super) const SPACES: &[&str] = &["reg", "sreg", "const", "global", "local", "param", "shared", "tex"];

/// What a parameter may point to: memory, or a texture, sampler or surface.
const POINTED: &[&str] = &["const", "global", "local", "shared", "texref", "samplerref", "surfref"];

/// The places of words in a declaration, in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Linkage,
    /// Space, alignment and attributes, among each other in any order.
    Space,
    Vector,
    Type,
    /// What a parameter points to.
    Pointer,
}

/// The words of a declaration, each in its slot.
#[derive(Default)]
struct Words {
    linkage: Option<Word>,
    space: Option<Word>,
    align: Option<Integer>,
    attributes: Vec<Attribute>,
    pointer: Option<PointerHint>,
    vector: Option<Word>,
    ty: Option<Word>,
}

/// Whether a word names a state space; `shared::cta` and `shared::cluster` do too.
fn is_space(word: &str) -> bool {
    SPACES.contains(&word) || word.starts_with("shared::") || word.starts_with("param::")
}

impl Parser<'_> {
    /// A declaration with its semicolon.
    pub(super) fn variable(&mut self) -> Parse<Variable> {
        let start = self.span();
        let mut words = self.declaration_words(false)?;
        let Some(space) = words.space.take() else {
            self.expected("a state space such as `.global`");
            return None;
        };
        if let Some(hint) = words.pointer {
            let label = "only parameters of kernels can have it";
            self.error(codes::MISPLACED, hint.span, "`.ptr` is not allowed here", label);
        }
        let mut names = vec![self.declarator(false)?];
        while self.eat(Kind::Comma) {
            names.push(self.declarator(false)?);
        }
        self.semicolon("`,` or `;`")?;
        let Words { linkage, align, attributes, vector, ty, .. } = words;
        Some(Variable { linkage, space, align, attributes, vector, ty, names, span: self.since(start) })
    }

    /// Parameters in parentheses; `(` is the current token.
    pub(super) fn parameters(&mut self) -> Parse<Vec<Parameter>> {
        self.bump();
        if self.eat(Kind::CloseParen) {
            return Some(Vec::new());
        }
        self.list(Kind::CloseParen, "`,` or `)`", Self::parameter)
    }

    fn parameter(&mut self) -> Parse<Parameter> {
        let start = self.span();
        if !self.at(Kind::Word) {
            self.expected("a parameter such as `.param .u64 x`");
            return None;
        }
        let words = self.declaration_words(true)?;
        let Some(space) = words.space else {
            self.error(
                codes::EXPECTED,
                start,
                "parameter is missing its state space",
                "add `.param` or `.reg`",
            );
            return None;
        };
        for word in words.linkage.iter().chain(words.attributes.first().map(|a| &a.word)) {
            let message = format!("`.{}` is not allowed on a parameter", word.text);
            self.error(codes::MISPLACED, word.span, message, "not allowed here");
        }
        let declarator = self.declarator(true)?;
        let Words { align, pointer, vector, ty, .. } = words;
        Some(Parameter { space, align, pointer, vector, ty, declarator, span: self.since(start) })
    }

    /// All words before the name: first the linkage, then space, alignment and attributes, the vector size, the type, and
    /// what a parameter points to.
    fn declaration_words(&mut self, parameter: bool) -> Parse<Words> {
        let mut words = Words::default();
        let mut before = Place::Linkage;
        while self.at(Kind::Word) {
            let place = self.place_of_word(&words);
            let late = place < before || (place == Place::Pointer && !parameter && self.current() != "ptr");
            if late {
                self.too_late();
                return None;
            }
            before = place;
            match place {
                Place::Linkage => {
                    let word = self.word();
                    let span = word.span;
                    let repeated = words.linkage.replace(word).is_some();
                    self.repeated(repeated, span, "linkage");
                }
                Place::Space => self.space_align_or_attribute(&mut words)?,
                Place::Vector => {
                    let word = self.word();
                    let span = word.span;
                    let repeated = words.vector.replace(word).is_some();
                    self.repeated(repeated, span, "vector size");
                }
                Place::Type => {
                    let word = self.word();
                    let span = word.span;
                    let repeated = words.ty.replace(word).is_some();
                    self.repeated(repeated, span, "type");
                }
                Place::Pointer => {
                    let hint = self.pointer_hint()?;
                    let span = hint.span;
                    let repeated = words.pointer.replace(hint).is_some();
                    self.repeated(repeated, span, "pointer hint");
                }
            }
        }
        if words.ty.is_none() {
            self.expected("a type such as `.u32`");
            return None;
        }
        Some(words)
    }

    /// Where the current word belongs. A word that nothing else is counts as a type.
    fn place_of_word(&self, so_far: &Words) -> Place {
        match self.current() {
            "align" if so_far.ty.is_some() => Place::Pointer,
            "align" | "attribute" => Place::Space,
            "ptr" => Place::Pointer,
            text if LINKAGES.contains(&text) => Place::Linkage,
            text if is_space(text) => Place::Space,
            text if is_vector(text) => Place::Vector,
            _ => Place::Type,
        }
    }

    fn too_late(&mut self) {
        let message = format!("`.{}` comes too late in this declaration", self.current());
        let diagnostic = Diagnostic::error(codes::MISPLACED, message).label(self.span(), "not allowed here");
        self.report(diagnostic.help("the order is `.visible .global .align 8 .v2 .u32`, then the name"));
    }

    fn space_align_or_attribute(&mut self, words: &mut Words) -> Parse<()> {
        match self.current() {
            "align" => {
                self.bump();
                words.align = Some(self.integer("an alignment")?);
            }
            "attribute" => {
                self.bump();
                words.attributes.extend(self.attributes()?);
            }
            _ => {
                let word = self.space()?;
                let span = word.span;
                let repeated = words.space.replace(word).is_some();
                self.repeated(repeated, span, "state space");
            }
        }
        Some(())
    }

    /// `.ptr .global .align 16`, or the alignment alone.
    fn pointer_hint(&mut self) -> Parse<PointerHint> {
        let start = self.span();
        let mut space = None;
        if self.current() == "ptr" {
            self.bump();
            space = (self.at(Kind::Word) && POINTED.contains(&self.current())).then(|| self.word());
        }
        let align = if self.at(Kind::Word) && self.current() == "align" {
            self.bump();
            Some(self.integer("an alignment")?)
        } else {
            None
        };
        Some(PointerHint { space, align, span: self.since(start) })
    }

    fn repeated(&mut self, repeated: bool, span: Span, what: &str) {
        if repeated {
            self.error(codes::REPEATED, span, format!("declaration gives its {what} twice"), "the second");
        }
    }

    /// A state space; `.const` may have a bank.
    fn space(&mut self) -> Parse<Word> {
        let word = self.word();
        if word.text == "const" && self.at(Kind::OpenBracket) { self.bank(word) } else { Some(word) }
    }

    /// The bank of `.const[2]`; `[` is the current token.
    pub(super) fn bank(&mut self, mut word: Word) -> Parse<Word> {
        let open = self.bump().span;
        let bank = self.integer("the number of a bank")?;
        self.close(open, Kind::CloseBracket, "`]`")?;
        word.text = format!("{}[{}]", word.text, bank.text).into();
        word.span = self.since(word.span);
        Some(word)
    }

    /// `(.managed)`, `(.unified(1, 2))` behind `.attribute`.
    pub(super) fn attributes(&mut self) -> Parse<Vec<Attribute>> {
        self.expect(Kind::OpenParen, "`(`")?;
        self.list(Kind::CloseParen, "`,` or `)`", |p| {
            if !p.at(Kind::Word) {
                p.expected("an attribute such as `.managed`");
                return None;
            }
            let word = p.word();
            let arguments = if p.eat(Kind::OpenParen) {
                p.list(Kind::CloseParen, "`,` or `)`", |p| p.whole_expr(Leaves::Constants))?
            } else {
                Vec::new()
            };
            Some(Attribute { word, arguments })
        })
    }

    /// A variable's name and what follows it; a parameter may be nameless: `_`.
    fn declarator(&mut self, parameter: bool) -> Parse<Declarator> {
        self.count_node();
        let start = self.span();
        let name = if parameter && self.at(Kind::Underscore) {
            crate::ast::Name { text: "_".into(), span: self.bump().span }
        } else {
            self.name("a name")?
        };
        let count = if self.eat(Kind::Less) {
            let open = self.last;
            let count = self.integer("how many registers there are")?;
            self.close(open, Kind::Greater, "`>`")?;
            Some(count)
        } else {
            None
        };
        let mut dimensions = Vec::new();
        while self.at(Kind::OpenBracket) {
            dimensions.push(self.dimension(dimensions.len())?);
        }
        let initializer = if !parameter && self.eat(Kind::Equals) { Some(self.initializer()?) } else { None };
        Some(Declarator { name, count, dimensions, initializer, span: self.since(start) })
    }

    fn dimension(&mut self, so_far: usize) -> Parse<Dimension> {
        const MOST: usize = 32;
        if so_far == MOST {
            self.error(codes::TOO_DEEP, self.span(), "array has too many dimensions", "one too many");
            return None;
        }
        let open = self.bump().span;
        let size = if self.at(Kind::CloseBracket) { None } else { Some(self.whole_expr(Leaves::Constants)?) };
        self.close(open, Kind::CloseBracket, "`]`")?;
        Some(Dimension { size, span: self.since(open) })
    }

    fn initializer(&mut self) -> Parse<Initializer> {
        self.count_node();
        if self.at(Kind::Name) && self.ahead[1].kind == Kind::Equals && self.open_braces > 0 {
            let name = self.name("a property")?;
            self.bump();
            return Some(Initializer::Property(name, self.whole_expr(Leaves::Symbols)?));
        }
        if !self.at(Kind::OpenBrace) {
            return Some(Initializer::Value(self.whole_expr(Leaves::Symbols)?));
        }
        let open = self.bump().span;
        self.open_braces += 1;
        let items = if self.at(Kind::CloseBrace) {
            self.bump();
            Vec::new()
        } else {
            self.deeper(|p| p.list(Kind::CloseBrace, "`,` or `}`", Self::initializer))?
        };
        self.open_braces -= 1;
        Some(Initializer::List(items, self.since(open)))
    }

    /// Reports a word that begins no statement.
    pub(super) fn unknown_directive(&mut self, known: &[&str]) {
        let word = self.current();
        let message = format!("unknown directive `.{word}`");
        let diagnostic =
            Diagnostic::error(codes::UNKNOWN_DIRECTIVE, message).label(self.span(), "no such directive");
        let near = nearest(word, known).map(|near| format!("did you mean `.{near}`?"));
        self.report(match near {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
    }
}

fn is_vector(word: &str) -> bool {
    word.len() > 1 && word.starts_with('v') && word[1..].bytes().all(|b| b.is_ascii_digit())
}

/// The known word that differs least from `word`, if it differs little.
fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    if word.len() > 32 {
        return None;
    }
    let scored = known.iter().map(|k| (distance(word.as_bytes(), k.as_bytes()), *k));
    scored.filter(|(d, k)| *d <= 1 + k.len() / 4).min().map(|(_, k)| k)
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut rows: [Vec<usize>; 3] = [Vec::new(), Vec::new(), (0..=b.len()).collect()];
    for i in 1..=a.len() {
        rows.rotate_left(1);
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[0][j - 2] + 1);
            }
            row.push(best);
        }
        rows[2] = row;
    }
    rows[2][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::Item;
    use crate::parser::testing::{codes_of, items};

    fn variable(text: &str) -> Variable {
        match items(text).pop() {
            Some(Item::Variable(variable)) => variable,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn the_words_of_a_declaration_find_their_slots() {
        let v =
            variable(".visible .global .attribute(.managed, .unified(1, 2)) .align 16 .v4 .f32 x[2][], y;");
        let text = |word: &Option<Word>| word.as_ref().map(|w| w.text.to_string()).unwrap_or_default();
        assert_eq!([text(&v.linkage), text(&v.vector), text(&v.ty)], ["visible", "v4", "f32"]);
        assert_eq!((v.space.text.as_str(), v.align.unwrap().value, v.attributes.len()), ("global", 16, 2));
        assert_eq!((v.names.len(), v.names[0].dimensions.len()), (2, 2));
        assert!(v.names[0].dimensions[1].size.is_none());
    }

    #[test]
    fn registers_come_in_numbered_ranges() {
        assert_eq!(variable(".reg .b32 %r<10>, %s;").names[0].count.as_ref().unwrap().value, 10);
        assert_eq!(variable(".const[3] .b32 bank;").space.text, "const[3]");
    }

    #[test]
    fn initialisers_nest() {
        let v = variable(".global .s32 x[2][2] = {{1, -2}, {}};");
        let Some(Initializer::List(rows, _)) = &v.names[0].initializer else { panic!() };
        assert!(matches!(&rows[0], Initializer::List(row, _) if row.len() == 2));
        let v = variable(".global .samplerref s = { filter_mode = nearest };");
        assert!(
            matches!(&v.names[0].initializer, Some(Initializer::List(i, _)) if matches!(i[0], Initializer::Property(..)))
        );
    }

    #[test]
    fn words_stand_in_their_order() {
        for words in [".align 8 .global .v2 .u32", ".global .align 4 .attribute(.managed) .align 8 .u32"] {
            assert_eq!(codes_of(&format!("{words} x;")), [], "{words}");
        }
        for words in [
            ".global .visible .u32",
            ".global .u32 .align 8",
            ".global .u32 .v2",
            ".global .v2 .align 8 .u32",
        ] {
            assert_eq!(codes_of(&format!("{words} x;")), [codes::MISPLACED], "{words}");
        }
        let of = |words: &str| codes_of(&format!(".entry k({words} x) {{ ret; }}"));
        for words in
            [".align 8 .param .u64 .ptr .texref", ".param .u64 .ptr .align 4", ".param .u64 .align 8"]
        {
            assert_eq!(of(words), [], "{words}");
        }
        for words in
            [".u64 .param", ".param .u64 .v2", ".param .ptr .u64", ".param .u64 .ptr .align 4 .global"]
        {
            assert_eq!(of(words), [codes::MISPLACED], "{words}");
        }
    }

    #[test]
    fn one_word_to_a_slot() {
        for words in [".u32 .s32", ".v2 .v4 .u32", ".shared .u32"] {
            assert_eq!(codes_of(&format!(".global {words} x;")), [codes::REPEATED], "{words}");
        }
        assert_eq!(codes_of(".visible .weak .global .u32 x;"), [codes::REPEATED]);
        for text in [".global x;", ".visible .u32 x;", ".global .u32;", ".global .u32 x", ".global .u32 x[2;"]
        {
            assert_eq!(codes_of(text), [codes::EXPECTED], "{text}");
        }
        assert_eq!(codes_of(".global .u64 .ptr .global x;"), [codes::MISPLACED]);
    }

    #[test]
    fn the_nearest_word_is_one_slip_away() {
        assert_eq!(distance(b"versoin", b"version"), 1);
        assert_eq!(distance(b"taget", b"target"), 1);
        assert_eq!(distance(b"", b"abc"), 3);
        assert_eq!(nearest("versoin", &["target", "version"]), Some("version"));
        assert_eq!(nearest("zzzzz", &["target", "version"]), None);
    }
}
