//! Where threads find their elements, and which registers take part.

use super::draw::{Draw, Place};
use super::program::{Ahead, At, Space, Width};
use super::text::WIDES;

pub const WORD: Width = Width { bytes: 4, lanes: 1, signed: false };

/// What is done at a place.
#[derive(Clone, Copy)]
pub enum Deed {
    Load,
    Store,
}

impl Draw {
    /// Registers for what is loaded, no two the same.
    pub fn registers(&mut self, width: Width) -> Vec<u8> {
        let count = if width.bytes == 8 { WIDES } else { self.program.words() };
        let first = self.random.below(count.into()) as u8;
        *(if width.bytes == 8 { &mut self.wide } else { &mut self.word }) = first;
        (0..width.lanes as u8).map(|lane| (first + lane) % count).collect()
    }

    pub fn any_word(&mut self) -> u8 {
        self.random.below(self.program.words().into()) as u8
    }

    pub fn usual_width(&mut self) -> Width {
        match self.random.once_in(5) {
            true => self.width(),
            false => *self.random.pick(&self.widths),
        }
    }

    pub fn width(&mut self) -> Width {
        let (bytes, lanes) = *self.random.pick(&[
            (4, 1),
            (4, 1),
            (4, 1),
            (4, 1),
            (4, 1),
            (8, 1),
            (8, 1),
            (1, 1),
            (2, 1),
            (4, 2),
            (4, 4),
            (8, 2),
            (2, 2),
        ]);
        Width { bytes, lanes, signed: bytes < 4 && self.random.once_in(3) }
    }

    pub fn step(&mut self) -> [i64; 2] {
        let columns = i64::from(self.program.columns);
        let rows = i64::from(self.program.threads()) / columns;
        match self.random.below(12) {
            0 => [-1, -columns],
            1 => [2, 2 * columns],
            2 => [rows, 1],
            3 => [1, 0],
            4 => [0, 1],
            5 => [1, columns + 1],
            6 => [0, 0],
            7 => [0, columns],
            8 => [columns, 0],
            _ => [1, columns],
        }
    }

    /// A thread's own element.
    pub fn own(&mut self, space: Space, size: i64) -> At {
        let by = [size, size * i64::from(self.program.columns), 0, 0];
        At { space, second: false, by, plus: 0, twist: 0, ahead: self.ahead() }
    }

    pub fn ahead(&mut self) -> bool {
        match self.program.style.ahead {
            Ahead::Always => true,
            Ahead::Sometimes => self.random.once_in(2),
            Ahead::Never => false,
        }
    }

    /// Some place for elements of so many bytes, if one is found that lies inside.
    pub fn at(&mut self, space: Space, size: u32, place: Place, deed: Deed) -> Option<At> {
        (0..8).find_map(|_| {
            let size = i64::from(size);
            let step = match self.random.below(8) {
                0 => self.step(),
                1 | 2 => *self.random.pick(&self.steps),
                3 if matches!(deed, Deed::Load) && self.random.once_in(2) => [0, 0],
                _ => [1, i64::from(self.program.columns)],
            };
            let second = space == Space::Global && self.random.once_in(2);
            let alias = i64::from(self.program.alias);
            let first = if second && alias % size == 0 { alias } else { 0 };
            let threads = i64::from(self.program.threads());
            // Groups of threads go on to higher addresses: what is stored ahead of them may be what they are still to load.
            let far = match deed {
                Deed::Load => *self.random.pick(&[0, 0, 0, 0, 0, 0, 1, -1, 2, 16, threads, threads - 1]),
                Deed::Store => *self.random.pick(&[0, 0, 0, 1, 1, 2, 3, 4, 8, 16, 32, threads, threads - 1]),
            };
            // Where steps go back, the first thread's element is the last one.
            let back = if step[0] < 0 { threads - 1 } else { 0 };
            let twisted = self.program.has_warps() && self.random.once_in(16);
            let (twist, step) = match twisted {
                true => (1 << self.random.below(5), [1, 0]),
                false => (0, step),
            };
            let mut by = [size * step[0], size * step[1], 0, 0];
            let columns = i64::from(self.program.columns);
            for by in by[2..].iter_mut().take(place.depth) {
                *by = size * *self.random.pick(&[0, 0, 0, 0, 0, 1, 1, -1, 2, columns, threads, threads]);
            }
            let plus = first + size * (back + far);
            let at = At { space, second, by, plus, twist, ahead: self.ahead() };
            self.is_inside(&at, size, place).then_some(at)
        })
    }

    /// Whether all elements lie in a CTA's part of memory.
    pub fn is_inside(&self, at: &At, size: i64, place: Place) -> bool {
        let columns = self.program.columns;
        let last = place.turns.map(|turns| turns - 1);
        let all = [[0, 0], [last[0], 0], [0, last[1]], last];
        (0..self.program.threads()).all(|thread| {
            let mut ends = all.iter().map(|turns| at.of(thread, columns, *turns));
            ends.all(|from| from >= 0 && from + size <= self.room(at.space))
        })
    }

    /// Bytes of a space.
    fn room(&self, space: Space) -> i64 {
        i64::from(self.program.window) * if space == Space::Input { 4 } else { 1 }
    }
}
