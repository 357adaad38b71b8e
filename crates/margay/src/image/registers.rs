//! The compiler's option for the most registers, as PTX says it: `.maxnreg` at every kernel that says nothing itself.

use margay_front::ast::{FunctionKind, Item};
use margay_front::{Source, parse};

/// The source with the directive; lines stay where they are.
///
/// ```
/// use margay::front::Source;
/// let source = Source::new("k.ptx", ".version 8.0\n.target sm_80\n.entry k() { ret; }");
/// assert!(margay::image::limited(source, 24).text.ends_with(".entry k() .maxnreg 24 { ret; }"));
/// ```
pub fn limited(source: Source, most: u32) -> Source {
    let parsed = parse(&source);
    let bodies = parsed.file.items.iter().filter_map(|item| match item {
        Item::Function(function) if function.kind == FunctionKind::Entry => {
            let says = function.directives.iter().any(|directive| directive.word.text == "maxnreg");
            function.body.as_ref().filter(|_| !says).map(|body| body.span.start as usize)
        }
        _ => None,
    });
    let mut text = String::with_capacity(source.text.len());
    let mut from = 0;
    for start in bodies {
        text += &source.text[from..start];
        text += &format!(".maxnreg {most} ");
        from = start;
    }
    text += &source.text[from..];
    Source::new(source.name, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_that_say_nothing_are_limited() {
        let text = ".version 8.0\n.target sm_80\n.func f() { ret; }\n.entry a()\n{ { } ret; }\n\
                    .entry b() .maxnreg 64 { ret; }\n.entry c() .maxntid 32 { ret; }";
        let limited = limited(Source::new("k.ptx", text), 24);
        let wanted = text.replace("()\n{", "()\n.maxnreg 24 {").replace("32 {", "32 .maxnreg 24 {");
        assert_eq!(limited.text, wanted);
        assert!(margay_front::compile(&limited.text).is_ok());
    }
}
