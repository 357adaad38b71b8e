//! What threads do together, or seldom: shared memory, warps, sums of all threads, calls, tables, arrays of their own.

use super::draw::Draw;

impl Draw {
    /// A thread's own words of shared memory; or, where all threads come together, others' words between barriers.
    pub fn shared(&mut self) {
        let (turn, value, a) = (self.turn(), self.any_register(), self.random.below(8));
        if !self.whole || self.random.once_in(3) {
            self.line(format!(
                "and.b32 %i, {turn}, 3; mad.lo.u32 %i, %i, %nt, %t; mad.lo.u32 %l, %i, 4, %words"
            ));
            let text = match self.random.below(3) {
                0 => format!("st.shared.u32 [%l], {value}"),
                1 => format!("ld.shared.u32 %r{a}, [%l]"),
                _ => format!("ld.shared.u32 %k, [%l]; add.u32 %k, %k, {value}; st.shared.u32 [%l], %k"),
            };
            return self.line(text);
        }
        if self.random.once_in(4) {
            return self.tile();
        }
        match self.random.below(8) {
            0 | 1 => return self.exchange(),
            2 => {
                let p = self.random.below(4);
                let text = match self.random.below(2) {
                    0 => format!("bar.red.popc.u32 %i, 0, %p{p}; add.u32 %r{a}, %r{a}, %i"),
                    _ => format!("bar.red.or.pred %p{p}, 0, %p{}", a % 4),
                };
                return self.line(text);
            }
            _ => {}
        }
        // Two halves in turn, or one with a barrier after it.
        let twice = self.random.once_in(3);
        let half = if twice {
            format!("and.b32 %m, {turn}, 1; mul.lo.u32 %m, %m, %nt")
        } else {
            "mov.u32 %m, 0".to_string()
        };
        self.line(format!("{half}; add.u32 %i, %m, %t; mad.lo.u32 %l, %i, 4, %words"));
        if self.random.once_in(3) {
            self.line("bar.sync 0");
        }
        match self.random.below(3) {
            0 => {
                if !self.index(1 << 15) {
                    self.line("and.b32 %i, %i, 8191");
                }
                self.line("mad.wide.u32 %x, %i, 4, %in; bar.sync 0; ld.global.u32 %i, [%x]; st.shared.u32 [%l], %i; bar.sync 0");
            }
            _ => self.line(format!("bar.sync 0; st.shared.u32 [%l], {value}; bar.sync 0")),
        }
        for _ in 0..1 + self.random.below(3) {
            let b = self.random.below(8);
            let other = match self.random.below(6) {
                0 => "xor.b32 %i, %t, 1; min.u32 %i, %i, %t".to_string(),
                1 => "sub.u32 %i, %nt, %t; sub.u32 %i, %i, 1".to_string(),
                2 => "add.u32 %i, %t, 1; rem.u32 %i, %i, %nt".to_string(),
                3 => format!("rem.u32 %i, {turn}, %nt"),
                4 => "mov.u32 %i, 0".to_string(),
                _ => format!("add.u32 %i, %t, {turn}; rem.u32 %i, %i, %nt"),
            };
            self.line(format!("{other}; add.u32 %i, %i, %m; mad.lo.u32 %k, %i, 4, %words; ld.shared.u32 %i, [%k]; mad.lo.u32 %r{b}, %r{b}, 3, %i"));
        }
        self.line("bar.sync 0");
    }

    /// Words that are written, read by others and written over by others while what was there still counts.
    fn exchange(&mut self) {
        let [a, b, c] = [0; 3].map(|_| self.random.below(8));
        let value = self.any_register();
        self.line("bar.sync 0; mad.lo.u32 %l, %t, 4, %words; sub.u32 %m, %nt, %t; mad.lo.u32 %m, %m, 4, %words; sub.u32 %m, %m, 4");
        let (own, other) = self.random.of(&[("%l", "%m"), ("%l", "%l"), ("%m", "%l")]);
        if self.random.once_in(2) {
            self.line(format!("ld.shared.u32 %r{c}, [{own}]; bar.sync 0"));
        }
        self.line(format!("mad.lo.u32 %r{a}, %r{a}, 3, {value}; st.shared.u32 [{own}], %r{a}; bar.sync 0"));
        let again = self.random.once_in(2);
        self.line(format!("ld.shared.u32 %r{b}, [{}]; bar.sync 0", if again { other } else { "%l" }));
        self.line(format!("xor.b32 %i, %r{c}, 77; st.shared.u32 [{other}], %i; bar.sync 0"));
        self.line(format!("mad.lo.u32 %r{c}, %r{a}, 5, %r{b}; add.u32 %r{b}, %r{b}, %r{a}"));
    }

    /// Before the innermost loop.
    fn before(&mut self, line: String) {
        let lines =
            line.split(';').map(str::trim).filter(|line| !line.is_empty()).map(|line| format!("{line};"));
        match self.around.last_mut() {
            Some(around) => around.before.extend(lines),
            None => self.lines.extend(lines),
        }
    }

    /// Rows of 16 words from the input, and their products with columns of another tile; what does not change is known before the loop.
    pub fn tile(&mut self) {
        let (turn, sum) = (self.turn(), self.random.below(8));
        let second = self.random.once_in(2);
        let [column, row, own, place] = [0; 4].map(|_| self.register("b32"));
        self.before(format!(
            "and.b32 {column}, %t, 15; shr.u32 {row}, %t, 4; mad.lo.u32 {own}, %t, 4, %words"
        ));
        let (by, first) = match self.random.below(3) {
            0 => (16, format!("mad.lo.u32 {place}, {row}, 128, {column}")),
            1 => (1, format!("mad.lo.u32 {place}, %b, 16, {row}; mad.lo.u32 {place}, {place}, 64, {column}")),
            _ => (256, format!("mov.u32 {place}, %t")),
        };
        self.before(format!(
            "{first}; mad.lo.u32 {column}, {column}, 4, %words; mad.lo.u32 {row}, {row}, 64, %words"
        ));
        let (ty, into) = if self.floats && self.random.once_in(2) { ("f32", "%fa") } else { ("u32", "%i") };
        match self.random.below(3) {
            0 => {
                let pointer = self.register("b64");
                self.before(format!("mad.wide.u32 {pointer}, {place}, 4, %in"));
                let after = format!("add.u64 {pointer}, {pointer}, {};", 4 * by);
                self.around
                    .iter_mut()
                    .next_back()
                    .into_iter()
                    .for_each(|around| around.after.push(after.clone()));
                self.line(format!("mov.u64 %x, {pointer}"));
            }
            _ => {
                let most = self.around.last().and_then(|around| around.most);
                let turn = match most {
                    Some(most) if most < 100 => turn,
                    _ => {
                        self.line(format!("and.b32 %i, {turn}, 63"));
                        "%i".into()
                    }
                };
                self.line(format!(
                    "mad.lo.u32 %i, {turn}, {by}, {place}; mul.wide.u32 %x, %i, 4; add.u64 %x, %in, %x"
                ));
            }
        }
        if self.random.once_in(3) {
            self.line("bar.sync 0");
        }
        self.line(format!("ld.global.{ty} {into}, [%x]; st.shared.{ty} [{own}], {into}"));
        if second {
            self.line(format!("ld.global.{ty} {into}, [%x+16384]; st.shared.{ty} [{own}+8192], {into}"));
        }
        self.line("bar.sync 0");
        let other = if second { 8192 } else { 0 };
        for k in 0..self.random.of(&[1, 4, 16]) {
            self.line(if ty == "f32" {
                format!("ld.shared.f32 %fa, [{row}+{}]; ld.shared.f32 %f1, [{column}+{}]; fma.rn.f32 %f0, %fa, %f1, %f0", 4 * k, other + 64 * (k % 4))
            } else {
                format!("ld.shared.u32 %i, [{row}+{}]; ld.shared.u32 %l, [{column}+{}]; mad.lo.u32 %r{sum}, %i, %l, %r{sum}", 4 * k, other + 64 * (k % 4))
            });
        }
        self.line("bar.sync 0");
    }

    /// What lanes tell each other.
    pub fn warp(&mut self) {
        if !self.whole || !self.warps {
            return self.value();
        }
        let (a, b, value, p) =
            (self.random.below(8), self.random.below(8), self.any_register(), self.random.below(4));
        let by = self.random.of(&["1", "2", "16", "5"]);
        let text = match self.random.below(10) {
            0 => format!("shfl.sync.bfly.b32 %i, {value}, {by}, 31, -1; add.u32 %r{a}, %r{a}, %i"),
            1 => format!("shfl.sync.down.b32 %r{a}|%p{p}, {value}, {by}, 31, -1"),
            2 => format!("shfl.sync.up.b32 %i, {value}, {by}, 0, -1; max.s32 %r{a}, %r{a}, %i"),
            3 => {
                let turn = self.turn();
                format!("shfl.sync.idx.b32 %r{a}, {value}, {turn}, 31, -1")
            }
            4 => format!("vote.sync.ballot.b32 %r{a}, %p{p}, -1"),
            5 => format!("vote.sync.any.pred %p{p}, %p{}, -1", b % 4),
            6 => format!("redux.sync.add.s32 %i, {value}, -1; xor.b32 %r{a}, %r{a}, %i"),
            7 => format!("match.any.sync.b32 %r{a}, {value}, -1"),
            8 => format!("redux.sync.max.u32 %r{a}, {value}, -1"),
            _ => (0..5)
                .map(|k| {
                    format!("shfl.sync.bfly.b32 %i, %r{a}, {}, 31, -1; add.u32 %r{a}, %r{a}, %i;", 16 >> k)
                })
                .collect(),
        };
        self.line(text);
    }

    /// Additions that commute.
    pub fn atomic(&mut self) {
        let (turn, value) = (self.turn(), self.any_register());
        let place = match self.random.below(4) {
            0 => format!("and.b32 %i, {value}, 255"),
            1 => format!("and.b32 %i, {turn}, 255"),
            2 => "mov.u32 %i, 3".to_string(),
            _ => format!("add.u32 %i, %t, {turn}; and.b32 %i, %i, 255"),
        };
        self.line(format!("{place}; mad.wide.u32 %x, %i, 4, %sums"));
        let guard = self.random.of(&["", "", "@%p0 ", "@!%p2 "]);
        match self.random.below(5) {
            0 => self.line(format!("{guard}red.global.add.u32 [%x], {value}")),
            1 => self.line(format!("{guard}atom.global.add.u32 %i, [%x], {value}; mov.u32 %i, {value}")),
            2 => self.line(format!("{guard}red.global.add.u32 [%x], 1")),
            3 => self.line(format!("{guard}red.global.max.s32 [%x+1024], {value}")),
            _ => self.line(format!("{guard}red.global.xor.b32 [%x+2048], {value}")),
        }
    }

    /// Calls, branches to one of many places, tables, constants, arrays.
    pub fn odd(&mut self) {
        let (turn, value, a, b) =
            (self.turn(), self.any_register(), self.random.below(8), self.random.below(8));
        match self.random.below(8) {
            0 => self.line(format!("call.uni (%r{a}), mixed, ({value}, %r{b})")),
            1 => self.line(format!("call (%r{a}), turned, ({value}, {turn})")),
            2 => self.places(&value),
            3 => self.line(format!("and.b32 %i, {turn}, 31; mov.u64 %x, table; mad.wide.u32 %x, %i, 4, %x; ld.global.u32 %i, [%x]; add.u32 %r{a}, %r{a}, %i")),
            4 => self.line(format!("and.b32 %i, {value}, 15; mov.u64 %x, constants; mad.wide.u32 %x, %i, 4, %x; ld.const.u32 %r{a}, [%x]")),
            5 => self.line(format!("and.b32 %i, {turn}, 15; mov.u64 %x, own; mad.wide.u32 %x, %i, 4, %x; st.local.u32 [%x], {value}")),
            6 => self.line(format!("and.b32 %i, {value}, 15; mov.u64 %x, own; mad.wide.u32 %x, %i, 4, %x; ld.local.u32 %i, [%x]; xor.b32 %r{a}, %r{a}, %i")),
            _ => self.line(format!("ld.local.u32 %i, [own+4]; add.u32 %i, %i, {value}; st.local.u32 [own+4], %i")),
        }
    }

    /// A branch to one of three places.
    fn places(&mut self, value: &str) {
        let names: Vec<String> = (0..3).map(|_| self.name("PLACE")).collect();
        let (targets, end) = (self.name("targets"), self.name("END"));
        let whole = std::mem::replace(&mut self.whole, false);
        self.line(format!("rem.u32 %i, {value}, 3"));
        self.lines.push(format!("{targets}: .branchtargets {};", names.join(", ")));
        self.line(format!("brx.idx %i, {targets}"));
        for name in names {
            self.label(&name);
            self.value();
            self.line(format!("bra {end}"));
        }
        self.label(&end);
        self.whole = whole;
    }
}
