//! Comments at the ends of lines, brought into one column where the lines follow each other.

/// Lines longer than this keep their comments right after them, and part those before from those after.
const LONGEST: usize = 80;

/// A line with a comment: its statement ends at the byte `end`, after so many characters, of which some are its indentation.
#[derive(Clone, Copy)]
struct Line {
    end: usize,
    width: usize,
    indent: usize,
}

/// The text with blanks inserted at some of `ends`, where statements end and comments follow after one blank.
pub(super) fn aligned(text: &str, ends: &[usize]) -> String {
    let lines: Vec<Line> = ends.iter().map(|end| line(text, *end)).collect();
    let follow = |a: &Line, b: &Line| {
        let between = &text[a.end..b.end];
        between.matches('\n').count() == 1 && a.indent == b.indent && a.width.max(b.width) <= LONGEST
    };
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for group in lines.chunk_by(follow) {
        let widest = group.iter().map(|line| line.width).max().unwrap_or_default();
        for line in group {
            out.push_str(&text[copied..line.end]);
            out.extend(std::iter::repeat_n(' ', widest - line.width));
            copied = line.end;
        }
    }
    out.push_str(&text[copied..]);
    out
}

fn line(text: &str, end: usize) -> Line {
    let start = text[..end].rfind('\n').map_or(0, |at| at + 1);
    let code = &text[start..end];
    let indent = code.len() - code.trim_start_matches(' ').len();
    Line { end, width: code.chars().count(), indent }
}

#[cfg(test)]
mod tests {
    fn printed(text: &str) -> String {
        let source = crate::Source::new("a.ptx", text);
        crate::print(&crate::parse(&source).file)
    }

    #[test]
    fn comments_of_lines_that_follow_each_other_begin_in_one_column() {
        let text = "\
.entry k()
{
    .reg .b32 %r<5>;     // registers
    mov.u32 %r0, %tid.x; // threads, é
    add.u32 %r1, %r0, 1; /* one */ // more
    ret;

    ret; // alone
    {
        ret; // inside
    }
    ret; // again
    mov.u32 %r2, %r1;
    bra L; // apart
    call (retval0), a_function_with_a_very_long_name, (param0, param1, param2, param3); // long
L:
    ret; // last
}
";
        assert_eq!(printed(text), text);
        assert_eq!(printed(&text.replace("     //", " //").replace("; /*", ";/*")), text);
    }
}
