//! Loads of the input by any index, and loads and stores of what is a thread's own: a column of words, and bytes in a row.

use super::draw::{Draw, Habit, INPUT, ROWS};

impl Draw {
    /// Sets `%i` to an index, mostly of elements of the input; whether it is surely less than so many.
    pub fn index(&mut self, elements: u32) -> bool {
        let (own, most_own) = match self.random.below(5) {
            0 => ("%g", self.threads),
            1 => ("%lane", 32),
            2 => ("%b", self.threads),
            _ => (self.random.of(&["%t", "%t", "%tx"]), 1024.min(self.threads)),
        };
        let last = self.around.last().filter(|_| self.random.clone().below(4) > 0);
        let (turn, most) = match last {
            Some(around) => (around.turn.clone(), around.most),
            None => (self.turn(), None),
        };
        let k = self.random.of(&[1, 1, 2, 3, 4, 8, 16, 33, 64]);
        if let Some(most) = most
            && self.random.below(3) > 0
        {
            let (text, end) = match self.random.below(7) {
                0 | 1 => (format!("add.u32 %i, {turn}, {own}"), most + most_own),
                2 => (format!("mad.lo.u32 %i, {turn}, {k}, {own}"), most.saturating_mul(k) + most_own),
                3 => (format!("mad.lo.u32 %i, {own}, {k}, {turn}"), most + most_own * k),
                4 => (format!("mov.u32 %i, {turn}"), most),
                5 => (
                    format!("shl.b32 %i, {turn}, 4; add.u32 %i, %i, {own}"),
                    most.saturating_mul(16) + most_own,
                ),
                _ => (format!("mad.lo.u32 %i, {turn}, {k}, %b"), most.saturating_mul(k) + self.threads),
            };
            self.line(text);
            return end < elements;
        }
        let any = self.any_register();
        let text = match self.random.below(16) {
            0 => format!("sub.u32 %i, {own}, {turn}"),
            1 => format!("mul.lo.u32 %i, {turn}, {turn}; add.u32 %i, %i, {own}"),
            2 => format!("shl.b32 %i, {turn}, 27; shr.s32 %i, %i, 27; add.s32 %i, %i, {own}"),
            3 => format!("mad.lo.u32 %i, {turn}, %nt, {own}"),
            4 => format!("mad.lo.u32 %i, %ty, 32, %tx; mad.lo.u32 %i, {turn}, {k}, %i"),
            5 => format!("sub.u32 %i, 100, {turn}; add.u32 %i, %i, {own}"),
            6 => format!("xor.b32 %i, {turn}, {own}"),
            7 => format!(
                "add.s32 %i, %tx, {turn}; sub.s32 %i, %i, 1; max.s32 %i, %i, 0; min.s32 %i, %i, 15; mad.lo.u32 %i, %ty, 16, %i"
            ),
            8 => format!("add.u32 %i, {turn}, {own}; rem.u32 %i, %i, {}", self.random.of(&[3, 7, 16, 100])),
            9 => format!("shr.u32 %i, {turn}, 1; mad.lo.u32 %i, %i, 4, {own}"),
            10 => format!("div.u32 %i, {own}, 5; mad.lo.u32 %i, %i, {k}, {turn}"),
            11 => format!("add.u32 %i, {any}, {turn}"),
            12 => format!("shr.s32 %i, {any}, 3"),
            13 => format!("and.b32 %i, {turn}, 3; shl.b32 %j, {own}, 2; add.u32 %i, %i, %j"),
            14 => format!("mad.lo.u32 %i, {turn}, {k}, {own}"),
            _ => format!("mov.u32 %i, {any}"),
        };
        self.line(text);
        false
    }

    pub fn load(&mut self) {
        if self.random.once_in(4) && !self.around.is_empty() {
            return self.load_on();
        }
        match self.random.below(24) {
            0 | 1 => return self.window(),
            2 => return self.unrolled(),
            3 | 4 => return self.wide_load(),
            _ => {}
        }
        let (ty, bytes) = self.kind();
        // Offsets come on top.
        let inside = self.index((4 * INPUT - 256) / bytes);
        let beyond = self.habits.contains(&Habit::Faults) && self.random.once_in(4);
        if !(inside || beyond) || self.random.once_in(8) {
            let elements = self.random.of(&[INPUT, INPUT, INPUT, 4096, 64]);
            self.line(format!("and.b32 %i, %i, {}", elements / 4 - 1));
        }
        let address = match self.random.below(6) {
            0 => {
                format!("cvt.u64.u32 %x, %i; shl.b64 %x, %x, {}; add.s64 %x, %x, %in", bytes.trailing_zeros())
            }
            1 => format!("mad.wide.u32 %x, %i, {bytes}, %in"),
            2 => format!("mul.wide.s32 %x, %i, {bytes}; add.s64 %x, %in, %x"),
            3 => {
                format!("shl.b32 %j, %i, {}; cvt.s64.s32 %x, %j; add.s64 %x, %x, %in", bytes.trailing_zeros())
            }
            _ => format!("mul.wide.u32 %x, %i, {bytes}; add.u64 %x, %in, %x"),
        };
        self.line(address);
        let off = self.random.of(&["", "", "+16", "+64", "+128"]);
        let guard = self.guard();
        self.read("global", ty, &format!("%x{off}"), guard);
    }

    /// A load at an address that a count of 64 bits is part of.
    fn wide_load(&mut self) {
        let Some(wide) = self.around.last().and_then(|around| around.wide.clone()) else { return };
        let own = self.random.of(&["%t", "%g", "%lane", "%ty"]);
        let (ty, bytes) = self.kind();
        let address = match self.random.below(4) {
            0 => format!(
                "cvt.u64.u32 %x, {own}; add.u64 %x, %x, {wide}; and.b64 %x, %x, 4095; mad.lo.u64 %x, %x, {bytes}, %in"
            ),
            1 => format!(
                "and.b64 %x, {wide}, 1023; shl.b64 %x, %x, {}; mad.wide.u32 %x, {own}, {bytes}, %x; add.u64 %x, %x, %in",
                bytes.trailing_zeros()
            ),
            2 => format!(
                "mul.lo.u64 %x, {wide}, {}; mad.wide.u32 %x, {own}, {bytes}, %x; and.b64 %x, %x, 0xfff0; add.u64 %x, %in, %x",
                4 * bytes
            ),
            _ => format!(
                "and.b64 %x, {wide}, 2047; shl.b64 %x, %x, {}; add.u64 %x, %x, %in",
                bytes.trailing_zeros()
            ),
        };
        self.line(address);
        let guard = self.guard();
        self.read("global", ty, "%x", guard);
    }

    /// What a compiler makes of a loop that it takes four turns of at once, and of the turns that are left.
    fn unrolled(&mut self) {
        let (pointer, count, q) = (self.register("b64"), self.register("b32"), self.register("pred"));
        let (again, rest, end) = (self.name("FOUR"), self.name("REST"), self.name("END"));
        let (own, turn, sum) = (self.random.of(&["%t", "%g", "%b", "%n"]), self.turn(), self.random.below(8));
        let (by, total) =
            (self.random.of(&[4, 4, 64, 256]), self.random.of(&["%n", "%t", "%lane", "19", "32"]));
        self.line(format!("and.b32 %i, {turn}, 31; add.u32 %i, %i, {own}; mad.wide.u32 {pointer}, %i, 4, %in; and.b32 {count}, {total}, 31; setp.lt.u32 {q}, {count}, 4; @{q} bra {rest}"));
        self.label(&again);
        for k in 0..4 {
            self.line(format!(
                "ld.global.u32 %i, [{pointer}+{}]; mad.lo.u32 %r{sum}, %i, {}, %r{sum}",
                by * k,
                k + 1
            ));
        }
        self.line(format!("add.s64 {pointer}, {pointer}, {}; add.s32 {count}, {count}, -4; setp.gt.u32 {q}, {count}, 3; @{q} bra {again}", 4 * by));
        self.label(&rest);
        self.line(format!("setp.eq.u32 {q}, {count}, 0; @{q} bra {end}"));
        let more = self.name("MORE");
        self.label(&more);
        self.line(format!("ld.global.u32 %i, [{pointer}]; add.u32 %r{sum}, %r{sum}, %i; add.s64 {pointer}, {pointer}, {by}; sub.u32 {count}, {count}, 1; setp.ne.s32 {q}, {count}, 0; @{q} bra {more}"));
        self.label(&end);
    }

    /// An access that may lie outside, at some turn of some thread.
    pub fn beyond(&mut self) {
        if self.random.once_in(2) {
            return self.load();
        }
        let (turn, a, value) = (self.turn(), self.random.below(8), self.any_register());
        let by = self.random.of(&[4, 64, 4096, 65536]);
        let text = match self.random.below(4) {
            0 => format!(
                "mad.wide.u32 %x, {turn}, {by}, %in; ld.global.u32 %i, [%x]; add.u32 %r{a}, %r{a}, %i"
            ),
            1 => format!("mul.wide.s32 %x, {value}, 4; add.s64 %x, %x, %in; ld.global.u32 %r{a}, [%x]"),
            2 => {
                format!("cvt.u64.u32 %x, {turn}; mad.lo.u64 %x, %x, %row, %own; st.global.u32 [%x], {value}")
            }
            _ => format!(
                "mad.wide.u32 %x, %g, {by}, %in; add.u64 %x, %x, {}; ld.global.v2.u32 {{%i, %r{a}}}, [%x]",
                self.random.of(&[0, 4, 131064])
            ),
        };
        self.line(text);
    }

    fn guard(&mut self) -> &'static str {
        self.random.of(&["", "", "", "", "", "", "@%p0 ", "@!%p1 ", "@%p3 "])
    }

    fn kind(&mut self) -> (&'static str, u32) {
        self.random.of(&[
            ("u32", 4),
            ("u32", 4),
            ("u32", 4),
            ("u32", 4),
            ("f32", 4),
            ("u8", 1),
            ("s8", 1),
            ("u16", 2),
            ("s16", 2),
            ("u64", 8),
            ("v2.u32", 8),
            ("v4.u32", 16),
            ("v2.u64", 16),
            ("v4.f32", 16),
            ("v4.u8", 4),
        ])
    }

    /// A load, and what becomes of it.
    fn read(&mut self, space: &str, ty: &str, at: &str, guard: &str) {
        let (a, b) = (self.random.below(8), self.random.below(4));
        let space = match self.random.below(16) {
            0 if at.starts_with("%v") && space == "global" => "volatile.global",
            _ => space,
        };
        let text = match ty {
            "f32" => format!(
                "{guard}ld.{space}.f32 %fa, [{at}]; fma.rn.f32 %f{b}, %fa, %f{b}, %fa; mov.b32 %i, %fa; xor.b32 %r{a}, %r{a}, %i"
            ),
            "u64" => format!("{guard}ld.{space}.u64 %d{b}, [{at}]"),
            "v2.u32" => format!("{guard}ld.{space}.v2.u32 {{%i, %r{a}}}, [{at}]; add.u32 %r{b}, %r{b}, %i"),
            "v4.u32" | "v4.u8" => {
                format!("{guard}ld.{space}.{ty} {{%i, %j, %k, %r{a}}}, [{at}]; mad.lo.u32 %r{b}, %i, %j, %k")
            }
            "v2.u64" => format!(
                "{guard}ld.{space}.v2.u64 {{%y, %z}}, [{at}]; sub.u64 %y, %y, %z; xor.b64 %d{b}, %d{b}, %y"
            ),
            "v4.f32" => {
                format!("{guard}ld.{space}.v4.f32 {{%f0, %fa, %f1, %f2}}, [{at}]; add.f32 %f3, %f3, %fa")
            }
            _ => match self.random.below(5) {
                0 => format!("{guard}ld.{space}.{ty} %r{a}, [{at}]"),
                1 => format!("{guard}ld.{space}.{ty} %i, [{at}]; max.s32 %r{a}, %r{a}, %i"),
                2 => format!("{guard}ld.{space}.{ty} %i, [{at}]; mad.lo.u32 %r{a}, %i, %r{b}, %r{a}"),
                3 => format!("{guard}ld.{space}.{ty} %i, [{at}]; setp.gt.s32 %p{b}, %i, %r{a}"),
                _ => format!("{guard}ld.{space}.{ty} %i, [{at}]; add.u32 %r{a}, %r{a}, %i"),
            },
        };
        self.line(text);
    }

    /// A load at an address that moves on from turn to turn.
    fn load_on(&mut self) {
        let pointer = self.register("b64");
        let (ty, bytes) = self.kind();
        let own = self.random.of(&["%t", "%g", "%n", "%lane", "%b"]);
        let by = self.random.of(&[bytes, bytes, 4 * bytes, 64, 256, 16, 0]);
        let begin = match self.random.below(3) {
            0 => format!("mov.u64 {pointer}, %in;"),
            _ => format!("mad.wide.u32 {pointer}, {own}, {bytes}, %in;"),
        };
        let back = self.random.once_in(8);
        let around = self.around.last_mut().unwrap();
        around.before.push(begin);
        if back {
            around.before.push(format!("add.u64 {pointer}, {pointer}, 65536;"));
        }
        let op = if back { "sub" } else { "add" };
        around.after.push(format!("{op}.s64 {pointer}, {pointer}, {by};"));
        if self.random.once_in(4) {
            return self.chain(&pointer);
        }
        let guard = self.guard();
        let off = self.random.of(&["", "", "+16", "+32"]);
        self.read("global", ty, &format!("{pointer}{off}"), guard);
    }

    /// Loads each so far beyond the one before.
    fn chain(&mut self, pointer: &str) {
        let by = self.random.of(&["4", "64", "256", "%row", "-16"]);
        let sum = self.random.below(8);
        self.line(format!(
            "add.u64 %x, {pointer}, 64; ld.global.u32 %i, [{pointer}+64]; mad.lo.u32 %r{sum}, %r{sum}, 3, %i"
        ));
        for k in 0..1 + self.random.below(4) {
            let off = self.random.of(&["", "+4", "+8"]);
            self.line(format!("add.s64 %x, %x, {by}; ld.global.u32 %j, [%x{off}]; mad.lo.u32 %r{sum}, %i, %j, %r{sum}; add.u32 %i, %i, {k}"));
        }
    }

    /// Neighbours of a place in a picture, whose border is repeated.
    fn window(&mut self) {
        let (turn, width) = (self.turn(), self.random.of(&[8, 16, 20]));
        let sum = self.random.below(8);
        for dy in [-1, 0, 1] {
            self.line(format!(
                "add.s32 %i, %ty, {dy}; max.s32 %i, %i, 0; min.s32 %i, %i, 15; mul.lo.u32 %i, %i, {width}"
            ));
            for dx in [-1, 0, 1] {
                self.line(format!(
                    "add.s32 %j, %tx, {dx}; max.s32 %j, %j, 0; min.s32 %j, %j, {}; add.u32 %j, %i, %j; and.b32 %k, {turn}, 7; mad.lo.u32 %j, %k, 64, %j;
                     mul.wide.s32 %x, %j, 4; add.s64 %x, %in, %x; ld.global.u32 %k, [%x]; mad.lo.u32 %r{sum}, %k, {}, %r{sum}",
                    width - 1,
                    3 * dy + dx + 5
                ));
            }
        }
    }

    /// Loads and stores of words in a thread's column.
    pub fn column(&mut self) {
        let by_turns = self.around.last().and_then(|around| around.turns);
        if let Some(turns) = by_turns
            && turns < ROWS as u32 - 1
            && self.random.once_in(2)
        {
            return self.column_on();
        }
        if self.random.once_in(6) {
            return self.rows();
        }
        let last = self.around.last().filter(|around| around.most.is_some_and(|most| most < 31));
        let last = last.map(|around| (around.turn.clone(), around.most.unwrap_or_default()));
        let (turn, any) = (self.turn(), self.any_register());
        let place = |draw: &mut Draw| {
            let off = draw.random.of(&[0, 0, 0, 1, 31, 2]);
            let row = match draw.random.below(6) {
                0..4 if last.as_ref().is_some_and(|(_, most)| most + off < 32) => {
                    let turn = last.as_ref().map(|(turn, _)| turn.clone()).unwrap_or_default();
                    if off == 0 {
                        format!("mov.u32 %i, {turn}")
                    } else {
                        format!("add.u32 %i, {turn}, {off}")
                    }
                }
                0..3 => format!("add.u32 %i, {turn}, {off}; and.b32 %i, %i, 31"),
                3 => format!("min.u32 %i, {turn}, {}", 31 - off % 31),
                4 => format!("and.b32 %i, {any}, 31"),
                _ => format!("mov.u32 %i, {}", off),
            };
            draw.line(row);
            let place = match draw.random.below(3) {
                0 => "mul.lo.u32 %j, %i, %all; mad.wide.u32 %x, %j, 4, %own",
                1 => "cvt.u64.u32 %x, %i; mad.lo.u64 %x, %x, %row, %own",
                _ => "mul.lo.u32 %j, %i, %all; mul.wide.s32 %x, %j, 4; add.s64 %x, %own, %x",
            };
            draw.line(place);
        };
        match self.random.below(6) {
            0 | 1 => {
                place(self);
                self.write("%x");
            }
            2 => {
                place(self);
                let ty = self.random.of(&["u32", "u32", "f32", "u8", "u16"]);
                let guard = self.guard();
                self.read("global", ty, "%x", guard);
            }
            3 => {
                // Two places change what they have, which still counts then.
                place(self);
                self.line("mov.u64 %y, %x");
                place(self);
                let (a, b) = (self.random.below(8), self.random.below(8));
                let ty = self.random.of(&["u32", "u32", "u32", "u16"]);
                self.line(format!("ld.global.{ty} %r{a}, [%x]; ld.global.{ty} %r{b}, [%y]; st.global.u32 [%x], %r{b}; st.global.u32 [%y], %r{a}"));
                let c = self.random.below(8);
                self.line(format!("mad.lo.u32 %r{c}, %r{a}, 3, %r{b}"));
            }
            4 => {
                // What the row before has, and something.
                place(self);
                let (a, value) = (self.random.below(8), self.any_register());
                self.line(format!(
                    "ld.global.u32 %k, [%x]; mad.lo.u32 %k, %k, 3, {value}; add.u32 %r{a}, %r{a}, %k"
                ));
                place(self);
                self.line("st.global.u32 [%x], %k");
            }
            _ => {
                place(self);
                let a = self.any_register();
                self.line(format!("ld.global.u32 %k, [%x]; add.u32 %k, %k, {a}; st.global.u32 [%x], %k"));
            }
        }
    }

    /// Loads of what lies alike in each turn, what is made of it, and a store or two to the thread's column.
    pub fn plain(&mut self) {
        let float = self.floats && self.random.once_in(2);
        let (turn, most) = match self.around.last() {
            Some(around) => (around.turn.clone(), around.most),
            None => ("%n".into(), Some(64)),
        };
        let known = most.is_some_and(|most| most < 1000);
        for k in 0..1 + self.random.below(3) {
            if known && self.random.below(4) > 0 {
                let by = self.random.of(&[1, 1, 4, 16, 37]);
                let own = self.random.of(&["%t", "%g", "%g", "%tx", "%b", "0"]);
                self.line(format!(
                    "mad.lo.u32 %i, {turn}, {by}, {own}; mul.wide.u32 %x, %i, 4; add.u64 %x, %in, %x"
                ));
            } else {
                self.line(format!("and.b32 %i, {turn}, 127; mad.lo.u32 %i, %i, 8, %t; mul.wide.u32 %x, %i, 4; add.u64 %x, %in, %x"));
            }
            let (off, to) = (self.random.of(&[0, 0, 4, 128, 4096]), (k + self.random.below(2)) % 4);
            self.line(if float {
                format!("ld.global.f32 %f{to}, [%x+{off}]")
            } else {
                format!("ld.global.u32 %r{to}, [%x+{off}]")
            });
        }
        for _ in 0..1 + self.random.below(4) {
            let [a, b, c] = [0; 3].map(|_| self.random.below(4));
            let ops: &[&str] = if float {
                &["add.f32", "mul.f32", "max.f32", "sub.ftz.f32"]
            } else {
                &["add.u32", "mul.lo.u32", "xor.b32", "min.s32", "max.u32", "sub.u32"]
            };
            let (op, r) = (self.random.of(ops), if float { "%f" } else { "%r" });
            let text = match self.random.below(4) {
                0 if float => format!("fma.rn.f32 %f{a}, %f{b}, %f{c}, %f{a}"),
                0 => format!("mad.lo.u32 %r{a}, %r{b}, %r{c}, %r{a}"),
                1 if !float => format!("add.u32 %r{a}, %r{a}, {turn}"),
                _ => format!("{op} {r}{a}, {r}{b}, {r}{c}"),
            };
            self.line(text);
        }
        if self.random.once_in(4) {
            return;
        }
        let rows = most.is_some_and(|most| most < 30);
        for _ in 0..1 + self.random.below(2) {
            let off = self.random.below(2);
            let row = match self.random.below(4) {
                _ if !rows => format!("mul.lo.u64 %x, %row, {}; add.u64 %x, %own, %x", 3 * off),
                0 => format!("sub.u32 %j, 30, {turn}; cvt.u64.u32 %x, %j; mad.lo.u64 %x, %x, %row, %own"),
                1 => format!("cvt.u64.u32 %x, {turn}; add.u64 %x, %x, {off}; mad.lo.u64 %x, %x, %row, %own"),
                _ => format!(
                    "add.u32 %j, {turn}, {off}; mul.lo.u32 %j, %j, %all; mad.wide.u32 %x, %j, 4, %own"
                ),
            };
            self.line(row);
            let a = self.random.below(4);
            // In place, now and then.
            if self.random.once_in(4) {
                self.line(format!("ld.global.u32 %j, [%x]; add.u32 %r{a}, %r{a}, %j"));
            }
            self.line(if float {
                format!("st.global.f32 [%x], %f{a}")
            } else {
                format!("st.global.u32 [%x], %r{a}")
            });
        }
    }

    /// Several stores one after the other, each to a row of its own or two to the same.
    fn rows(&mut self) {
        let turn = self.turn();
        let first = self.random.below(8);
        let base = match self.random.below(3) {
            0 => "mov.u64 %y, %own".to_string(),
            1 => format!("and.b32 %i, {turn}, 15; cvt.u64.u32 %y, %i; mad.lo.u64 %y, %y, %row, %own"),
            _ => format!("mul.wide.u32 %y, %all, {}; add.u64 %y, %own, %y", 4 * first),
        };
        self.line(base);
        for k in 0..2 + self.random.below(3) {
            let (value, a) = (self.any_register(), self.random.below(8));
            let row = if self.random.once_in(4) { 1 } else { k };
            if self.random.once_in(2) {
                self.line(format!("mad.lo.u32 %r{a}, %r{a}, 3, {value}"));
            }
            if self.random.once_in(6) {
                self.line(format!("ld.global.u32 %k, [%y]; add.u32 %r{a}, %r{a}, %k"));
            }
            self.line(format!("mad.lo.u64 %x, %row, {row}, %y; st.global.u32 [%x], %r{a}"));
            if k < 4 && self.random.once_in(6) {
                self.line(format!("st.global.u8 [%x+{k}], {value}"));
            }
        }
    }

    /// Addresses that move on from row to row.
    fn column_on(&mut self) {
        let pointer = self.register("b64");
        let around = self.around.last_mut().unwrap();
        around.before.push(format!("mov.u64 {pointer}, %own;"));
        around.after.push(format!("add.u64 {pointer}, {pointer}, %row;"));
        match self.random.below(4) {
            0 => self.write(&pointer),
            1 => {
                let guard = self.guard();
                self.read("global", "u32", &pointer, guard);
            }
            2 => {
                let a = self.any_register();
                self.line(format!("ld.global.u32 %k, [{pointer}]; add.u32 %k, %k, {a}; add.u64 %x, {pointer}, %row; st.global.u32 [%x], %k"));
            }
            _ => {
                let a = self.any_register();
                self.line(format!(
                    "ld.global.u32 %k, [{pointer}]; xor.b32 %k, %k, {a}; st.global.u32 [{pointer}], %k"
                ));
            }
        }
    }

    fn write(&mut self, at: &str) {
        let (guard, a, k) = (self.guard(), self.any_register(), self.random.below(3));
        let text = match self.random.below(9) {
            0 => format!("{guard}st.global.u8 [{at}+{k}], {a}"),
            1 => format!("{guard}st.global.u16 [{at}+2], {a}"),
            2 if self.floats => format!("{guard}st.global.f32 [{at}], %f{k}"),
            3 => format!("{guard}st.global.u16 [{at}], %h{k}"),
            4 => format!("{guard}st.global.u32 [{at}], {}", 7 * k),
            _ => format!("{guard}st.global.u32 [{at}], {a}"),
        };
        self.line(text);
    }

    /// Loads and stores of bytes in a thread's row, which overlap.
    pub fn chunk(&mut self) {
        let (turn, any) = (self.turn(), self.any_register());
        let (ty, bytes) = self.random.of(&[
            ("u32", 4),
            ("u32", 4),
            ("u8", 1),
            ("u16", 2),
            ("u64", 8),
            ("v2.u32", 8),
            ("v4.u32", 16),
            ("v4.u8", 4),
        ]);
        let mask = 64 / bytes - 1;
        let at = self.random.of(&[0, 0, 1, 3]);
        let inside =
            self.around.last().filter(|around| around.most.is_some_and(|most| (most + at + 1) * bytes <= 64));
        let inside = inside.map(|around| around.turn.clone());
        let place = match self.random.below(5) {
            0..4 if inside.is_some() => format!(
                "mad.wide.u32 %x, {}, {bytes}, %chunk; add.u64 %x, %x, {}",
                inside.unwrap_or_default(),
                bytes * at
            ),
            0 => format!("and.b32 %i, {any}, {mask}; mad.wide.u32 %x, %i, {bytes}, %chunk"),
            1 => format!(
                "sub.u32 %i, {at}, {turn}; and.b32 %i, %i, {mask}; mad.wide.u32 %x, %i, {bytes}, %chunk"
            ),
            2 => "mov.u64 %x, %chunk".to_string(),
            _ => format!(
                "add.u32 %i, {turn}, {at}; and.b32 %i, %i, {mask}; mul.wide.u32 %x, %i, {bytes}; add.u64 %x, %chunk, %x"
            ),
        };
        self.line(place);
        let guard = self.guard();
        if self.random.once_in(2) {
            return self.read("global", ty, "%x", guard);
        }
        let (a, b) = (self.any_register(), self.any_register());
        let value = match ty {
            "u64" => format!("%d{}", self.random.below(4)),
            "v2.u32" => format!("{{{a}, {b}}}"),
            "v4.u32" | "v4.u8" => format!("{{{a}, {b}, %r1, {a}}}"),
            _ => a,
        };
        self.line(format!("{guard}st.global.{ty} [%x], {value}"));
    }
}
