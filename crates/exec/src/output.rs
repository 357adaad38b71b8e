//! What a block prints, in an order that does not depend on how its threads take turns.

use std::collections::BTreeMap;

/// Lines come in the order of the barriers that all threads of the block wait at; between two of them first each thread's first line,
/// then each one's second, and so on, in the order of threads.
#[derive(Default)]
pub(crate) struct Output {
    /// How many barriers all threads have passed.
    phase: u32,
    lines: Vec<(Key, Vec<u8>)>,
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

/// The line that a thread has begun.
struct Begun {
    key: Key,
    text: Vec<u8>,
}

impl Output {
    /// A thread prints.
    pub(crate) fn print(&mut self, thread: u32, text: &[u8]) {
        let first = Key { phase: self.phase, number: 0, thread };
        let begun = self.begun.entry(thread).or_insert_with(|| Begun { key: first, text: Vec::new() });
        if begun.key.phase != self.phase {
            begun.key = first;
        }
        begun.text.extend_from_slice(text);
        if let Some(end) = begun.text.iter().rposition(|byte| *byte == b'\n') {
            let rest = begun.text.split_off(end + 1);
            self.lines.push((begun.key, std::mem::replace(&mut begun.text, rest)));
            begun.key.number += 1;
        }
    }

    /// All threads have come to a barrier.
    pub(crate) fn pass_barrier(&mut self) {
        self.phase += 1;
    }

    /// All that was printed, at its end lines that have only been begun; nothing is left.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        let Output { mut lines, begun, .. } = std::mem::take(self);
        let mut begun: Vec<_> = begun.into_values().map(|Begun { key, text }| (key, text)).collect();
        for lines in [&mut lines, &mut begun] {
            lines.sort_by_key(|(key, _)| *key);
        }
        lines.into_iter().chain(begun).flat_map(|(_, text)| text).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_that_of_barriers_then_lines_then_threads() {
        let mut output = Output::default();
        output.print(1, b"b0\nb0 goes on\n");
        output.print(0, b"a0\n");
        output.print(0, b"a1\n");
        output.print(0, b"a");
        output.print(1, b"b1\n");
        output.pass_barrier();
        output.print(1, b"b2\n");
        output.print(0, b"2\n");
        output.print(2, b"open");
        output.print(1, b"b3\n");
        assert_eq!(output.take(), b"a0\nb0\nb0 goes on\na1\nb1\na2\nb2\nb3\nopen");
        output.print(3, b"anew\n");
        assert_eq!(output.take(), b"anew\n");
    }
}
