//! What a block prints, in an order that does not depend on how its threads take turns.

use std::collections::BTreeMap;

/// Lines come in the order of the barriers that all threads of the block wait at, as they are ended; between two of them first each
/// thread's first line, then each one's second, and so on, in the order of threads. Lines that are begun and not ended come last.
#[derive(Default)]
pub(crate) struct Output {
    /// How many barriers all threads have passed.
    phase: u32,
    /// Lines one after the other as they were ended, and where each lies and stands.
    text: Vec<u8>,
    lines: Vec<Line>,
    begun: BTreeMap<u32, Begun>,
}

/// Where a line stands among the others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    phase: u32,
    /// How many lines the thread has ended before in this phase.
    number: u32,
    thread: u32,
}

/// A line, from a place in the text on.
struct Line {
    key: Key,
    bytes: u32,
    from: usize,
}

/// The line that a thread has begun.
struct Begun {
    key: Key,
    text: Vec<u8>,
}

/// Bytes that are kept of a line beside its text.
pub(crate) const LINE: u64 = size_of::<Line>() as u64;

/// Bytes that are kept of what is printed at once.
pub(crate) fn kept(text: &[u8]) -> u64 {
    let lines = text.iter().filter(|byte| **byte == b'\n').count();
    text.len() as u64 + LINE * lines as u64
}

impl Output {
    /// A thread prints.
    pub(crate) fn print(&mut self, thread: u32, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        let first = Key { phase: self.phase, number: 0, thread };
        let begun = self.begun.entry(thread).or_insert_with(|| Begun { key: first, text: Vec::new() });
        if begun.key.phase != self.phase {
            begun.key = first;
        }
        for piece in text.split_inclusive(|byte| *byte == b'\n') {
            begun.text.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                let (key, from) = (begun.key, self.text.len());
                self.text.append(&mut begun.text);
                self.lines.push(Line { key, bytes: (self.text.len() - from) as u32, from });
                begun.key.number += 1;
            }
        }
    }

    /// All threads have come to a barrier.
    pub(crate) fn pass_barrier(&mut self) {
        self.phase += 1;
    }

    /// All that was printed; nothing is left.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        let Output { text, mut lines, begun, .. } = std::mem::take(self);
        lines.sort_by_key(|line| line.key);
        let mut begun: Vec<Begun> = begun.into_values().collect();
        begun.sort_by_key(|begun| begun.key);
        let lines = lines.iter().map(|line| &text[line.from..][..line.bytes as usize]);
        lines.chain(begun.iter().map(|begun| &begun.text[..])).flatten().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_that_of_barriers_then_lines_then_threads() {
        let mut output = Output::default();
        output.print(1, b"b0\nb1\nb");
        output.print(0, b"a0\n");
        output.print(0, b"a1\n");
        output.print(0, b"a");
        output.print(1, b"2\n");
        output.pass_barrier();
        output.print(1, b"b3\n");
        output.print(0, b"2\n");
        output.print(2, b"open");
        output.print(1, b"b4\n");
        output.print(3, b"");
        assert_eq!(output.take(), b"a0\nb0\na1\nb1\nb2\na2\nb3\nb4\nopen");
        output.print(3, b"anew\n");
        assert_eq!(output.take(), b"anew\n");
    }

    #[test]
    fn nothing_is_no_part_of_a_line() {
        let mut output = Output::default();
        output.print(0, b"a");
        output.print(1, b"b");
        output.pass_barrier();
        output.print(0, b"");
        assert_eq!(output.take(), b"ab");
    }
}
