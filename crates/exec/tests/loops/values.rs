//! What threads compute: words, wide and narrow numbers, floating-point ones and predicates that turns carry.

use super::draw::Draw;

impl Draw {
    /// What is the same in all threads if all come here: recurrences, loads, addresses that words say.
    fn uniform(&mut self) {
        let (d, e, r) = (self.random.below(4), self.random.below(4), self.random.below(8));
        let turn = self.turn();
        let other = self.random.of(&["%n", "1", "3", "0x10001", "-7"]).to_string();
        let b = self.random.of(&[&turn, &other, &format!("%u{e}")]).to_string();
        let text = match self.random.below(14) {
            0 | 1 => format!("add.u32 %u{d}, %u{d}, {b}"),
            2 => format!("mad.lo.u32 %u{d}, %u{d}, 5, {b}"),
            3 => format!("xor.b32 %u{d}, %u{e}, {b}"),
            4 => format!("min.s32 %u{d}, %u{d}, {b}"),
            5 => format!("shl.b32 %u{d}, %u{e}, 1; or.b32 %u{d}, %u{d}, 1"),
            6 => format!("and.b32 %i, %u{e}, 1023; mad.wide.u32 %x, %i, 4, %in; ld.global.u32 %u{d}, [%x]"),
            7 => format!(
                "and.b32 %i, {turn}, 1023; mad.wide.u32 %x, %i, 4, %in; ld.global.u32 %i, [%x]; add.u32 %u{d}, %u{d}, %i"
            ),
            8 => format!(
                "ld.global.u32 %i, [%w0]; and.b32 %j, %i, 1023; mad.wide.u32 %w0, %j, 4, %in; mad.lo.u32 %r{r}, %r{r}, 3, %i"
            ),
            9 => format!("mov.u32 %i, %u{d}; mov.u32 %u{d}, %u{e}; mov.u32 %u{e}, %i"),
            10 => format!("setp.lt.s32 %c, %u{d}, {b}; selp.b32 %u{d}, {turn}, %u{e}, %c"),
            11 => format!("mad.wide.u32 %w1, %u{d}, %u{e}, %w1"),
            12 => format!("sub.u32 %u{d}, %u{e}, {turn}"),
            _ => format!("mov.u32 %u{d}, {turn}"),
        };
        self.line(text);
        if self.random.once_in(2) {
            self.line(format!("mad.lo.u32 %r{r}, %r{r}, %u{d}, %t"));
        }
    }

    pub fn value(&mut self) {
        if self.random.once_in(5) {
            return self.uniform();
        }
        let d = self.random.below(8);
        let to = format!("%r{d}");
        let (a, b, c) = (self.any_register(), self.any(), self.any());
        match self.random.below(if self.floats { 34 } else { 26 }) {
            0..3 => self.line(format!("add.u32 {to}, {to}, {a}")),
            3 | 4 => self.line(format!("mad.lo.u32 {to}, {a}, {b}, {to}")),
            5 => {
                let op = self.random.of(&[
                    "min.u32", "max.u32", "min.s32", "max.s32", "xor.b32", "sub.u32", "or.b32", "and.b32",
                ]);
                self.line(format!("{op} {to}, {to}, {a}"));
            }
            6 => {
                let op = self.random.of(&[
                    "add.u32",
                    "sub.u32",
                    "mul.lo.u32",
                    "mul.hi.u32",
                    "mul.hi.s32",
                    "xor.b32",
                    "and.b32",
                    "min.s32",
                ]);
                self.line(format!("{op} {to}, {a}, {b}"));
            }
            7 => {
                let op = self.random.of(&["shl.b32", "shr.u32", "shr.s32"]);
                let by = self.random.of(&["1", "2", "5", "31", "32", "%lane", "%n"]);
                self.line(format!("{op} {to}, {a}, {by}"));
            }
            8 => {
                let op = self.random.of(&["rem.u32", "div.u32", "rem.s32", "div.s32"]);
                let by = self.random.of(&["3", "7", "8", "10", "64", "-5"]);
                self.line(format!("{op} {to}, {a}, {by}"));
            }
            9 | 10 => self.predicate(),
            11 => {
                let p = self.random.below(4);
                self.line(format!("selp.b32 {to}, {a}, {b}, %p{p}"));
            }
            12 => {
                let p = self.random.below(4);
                let not = self.random.of(&["", "!"]);
                self.line(format!("@{not}%p{p} add.u32 {to}, {to}, {a}"));
            }
            13 => self.line(format!("slct.u32.s32 {to}, {a}, {b}, {c}")),
            14 => {
                let text = match self.random.below(6) {
                    0 => format!("prmt.b32 {to}, {a}, {b}, 0x{:x}", self.random.below(0x10000)),
                    1 => format!("bfe.u32 {to}, {a}, {}, {}", self.random.below(33), self.random.below(34)),
                    2 => format!("bfe.s32 {to}, {a}, {}, {}", self.random.below(33), self.random.below(34)),
                    3 => format!(
                        "bfi.b32 {to}, {a}, {to}, {}, {}",
                        self.random.below(33),
                        self.random.below(34)
                    ),
                    4 => format!("shf.l.wrap.b32 {to}, {a}, {to}, {}", self.random.below(34)),
                    _ => format!("lop3.b32 {to}, {a}, {b}, {to}, 0x{:x}", self.random.below(256)),
                };
                self.line(text);
            }
            15 => {
                let op = self.random.of(&[
                    "popc.b32",
                    "clz.b32",
                    "brev.b32",
                    "abs.s32",
                    "neg.s32",
                    "not.b32",
                    "bfind.u32",
                    "bfind.s32",
                ]);
                self.line(format!("{op} {to}, {a}"));
            }
            16 => {
                let op = self.random.of(&[
                    "dp4a.u32.u32",
                    "dp4a.s32.s32",
                    "dp4a.u32.s32",
                    "dp2a.lo.s32.s32",
                    "vabsdiff4.u32.u32.u32.add",
                    "vadd2.s32.s32.s32.sat",
                    "vmin4.u32.u32.u32",
                    "mad24.lo.u32",
                    "sad.u32",
                    "sad.s32",
                    "vset4.u32.u32.gt",
                ]);
                let b = self.any_register();
                self.line(format!("{op} {to}, {a}, {b}, {to}"));
            }
            17 | 18 => self.wide(&a, &b),
            19 => self.narrow(&a),
            20 => {
                let op = self.random.of(&[
                    "cvt.s32.s8",
                    "cvt.u32.u8",
                    "cvt.s32.s16",
                    "cvt.u32.u16",
                    "cvt.sat.s8.s32",
                ]);
                self.line(format!("{op} {to}, {a}"));
            }
            21 => self.line(format!("mov.u32 {to}, {a}")),
            22 => {
                // Registers that take each other's values.
                let e = (d + 1) % 8;
                self.line(format!("mov.u32 %i, %r{e}; mov.u32 %r{e}, {to}; mov.u32 {to}, %i"));
            }
            23 => {
                let f = (d + 1) % 8;
                self.line(format!("mov.u32 {to}, %r{f}; add.u32 %r{f}, %r{f}, {a}"));
            }
            24 => {
                let add = self.random.of(&["add.cc.u32", "sub.cc.u32"]);
                let then = if add == "add.cc.u32" { "addc.u32" } else { "subc.u32" };
                self.line(format!("{add} {to}, {to}, {a}; {then} %r{}, %r{}, {b}", (d + 1) % 8, (d + 1) % 8));
            }
            25 => {
                let turn = self.turn();
                self.line(format!("sub.u32 %i, {turn}, {a}; xor.b32 {to}, {to}, %i"));
            }
            _ => self.float(&a),
        }
    }

    /// Floating-point numbers that are moved and chosen as bits, too.
    pub fn bits(&mut self) {
        let any = self.any_register();
        if self.random.once_in(2) {
            return self.float(&any);
        }
        let [d, e, f, p] = [0; 4].map(|_| self.random.below(4));
        let r = self.random.below(8);
        let text = match self.random.below(12) {
            0 => format!("mov.f32 %fa, %f{d}; mov.f32 %f{d}, %f{e}; mov.f32 %f{e}, %fa"),
            1 => format!("mov.f32 %f{d}, %f{e}; add.f32 %f{e}, %f{e}, %f{f}"),
            2 => format!("selp.f32 %f{d}, %f{e}, %f{f}, %p{p}"),
            3 => format!("mov.b32 %f{d}, %r{r}"),
            4 => format!("mov.b32 %i, %f{d}; mad.lo.u32 %r{r}, %r{r}, 3, %i"),
            5 => format!("setp.{}.f32 %p{p}, %f{d}, %f{e}", self.random.of(&["nan", "lt", "geu", "ne"])),
            6 => format!("@%p{p} mov.f32 %f{d}, %f{e}"),
            7 => format!("mov.b32 %i, %f{d}; xor.b32 %i, %i, 0x80000000; mov.b32 %f{d}, %i"),
            8 => format!("and.b32 %j, {any}, 1023; mad.wide.u32 %x, %j, 4, %in; ld.global.f32 %f{d}, [%x]"),
            9 => format!("min.f32 %f{d}, %f{e}, %f{d}; max.ftz.f32 %f{f}, %f{f}, %f{e}"),
            10 => format!("sqrt.rn.f32 %fa, %f{e}; div.rn.f32 %f{d}, %f{d}, %fa"),
            _ => format!("slct.f32.f32 %f{d}, %f{d}, %f{e}, %f{f}"),
        };
        self.line(text);
    }

    /// Operations on more values and predicates than registers hold.
    pub fn many(&mut self) {
        let turn = self.turn();
        for _ in 0..3 + self.random.below(14) {
            let [a, b, c] = [0; 3].map(|_| self.random.below(24));
            let [p, q, r] = [0; 3].map(|_| self.random.below(12));
            let compare = self.random.of(&["lt.u32", "gt.s32", "ne.u32", "le.s32"]);
            let text = match self.random.below(14) {
                0 | 1 => format!("mad.lo.u32 %o{a}, %o{b}, %o{c}, %o{a}"),
                2 => format!("xor.b32 %o{a}, %o{b}, {turn}"),
                3 => format!("add.u32 %o{a}, %o{b}, %o{c}"),
                4 | 5 => format!("setp.{compare} %s{p}, %o{a}, %o{b}"),
                6 => format!("setp.{compare} %s{p}, %o{a}, {turn}"),
                7 => format!("xor.pred %s{p}, %s{q}, %s{r}"),
                8 => format!("mov.pred %c, %s{p}; mov.pred %s{p}, %s{q}; mov.pred %s{q}, %c"),
                9 | 10 => format!("selp.b32 %o{a}, %o{b}, %o{c}, %s{p}"),
                11 => format!("@%s{p} add.u32 %o{a}, %o{b}, 1"),
                12 => format!("mov.u32 %i, %o{a}; mov.u32 %o{a}, %o{b}; mov.u32 %o{b}, %i"),
                _ => format!("setp.{compare} %s{p}|%s{}, %o{a}, %o{b}", (p + 1) % 12),
            };
            self.line(text);
        }
    }

    fn predicate(&mut self) {
        let p = self.random.below(4);
        let (a, b, q) = (self.any_register(), self.any(), self.random.below(4));
        let compare =
            self.random.of(&["lt.u32", "le.s32", "gt.u32", "ge.s32", "eq.u32", "ne.u32", "lt.s32", "hi.u32"]);
        match self.random.below(6) {
            0 => self.line(format!("xor.pred %p{p}, %p{p}, %p{q}")),
            1 => self.line(format!("not.pred %p{p}, %p{q}")),
            2 => self.line(
                format!("setp.{compare}.and.u32 %p{p}, {a}, {b}, %p{q}")
                    .replace(".u32.and.u32", ".and.u32")
                    .replace(".s32.and.u32", ".and.s32"),
            ),
            3 => self.line(format!("setp.{compare} %p{p}|%c, {a}, {b}")),
            4 => self.line(format!("mov.pred %c, %p{p}; mov.pred %p{p}, %p{q}; mov.pred %p{q}, %c")),
            _ => self.line(format!("setp.{compare} %p{p}, {a}, {b}")),
        }
    }

    fn wide(&mut self, a: &str, b: &str) {
        let (d, e) = (self.random.below(4), self.random.below(4));
        let text = match self.random.below(10) {
            0 => format!("mad.wide.u32 %d{d}, {a}, {b}, %d{e}"),
            1 => format!("mad.wide.s32 %d{d}, {a}, {b}, %d{e}"),
            2 => format!("cvt.u64.u32 %x, {a}; add.u64 %d{d}, %d{d}, %x"),
            3 => format!("cvt.s64.s32 %x, {a}; sub.s64 %d{d}, %d{d}, %x"),
            4 => format!("mul.lo.u64 %d{d}, %d{d}, %d{e}"),
            5 => {
                format!("shr.u64 %x, %d{e}, {}; xor.b64 %d{d}, %d{d}, %x", self.random.of(&["1", "13", "32"]))
            }
            6 => format!("min.s64 %d{d}, %d{d}, %d{e}"),
            7 => format!("mul.hi.u64 %x, %d{d}, %d{e}; add.u64 %d{d}, %d{d}, %x"),
            8 => format!("setp.lt.u64 %p{d}, %d{d}, %d{e}"),
            _ => format!("cvt.u32.u64 %i, %d{e}; add.u32 %r{d}, %r{d}, %i"),
        };
        self.line(text);
    }

    fn narrow(&mut self, a: &str) {
        let (d, e) = (self.random.below(3), self.random.below(3));
        let text = match self.random.below(7) {
            0 => format!("cvt.u16.u32 %h{d}, {a}"),
            1 => format!("add.u16 %h{d}, %h{d}, %h{e}"),
            2 => format!("mad.lo.u16 %h{d}, %h{e}, 77, %h{d}"),
            3 => format!("shr.s16 %h{d}, %h{e}, 3"),
            4 => format!("cvt.s32.s16 %r{d}, %h{e}"),
            5 => format!("mul.wide.s16 %r{d}, %h{d}, %h{e}"),
            _ => format!("add.u16 %h{d}, %h{d}, 1000; setp.gt.s16 %p{d}, %h{d}, %h{e}"),
        };
        self.line(text);
    }

    fn float(&mut self, a: &str) {
        let (d, e, f) = (self.random.below(4), self.random.below(4), self.random.below(4));
        let mode = self.random.of(&["", ".ftz"]);
        let text = match self.random.below(18) {
            0 | 1 => format!("fma.rn{mode}.f32 %f{d}, %f{e}, %f{f}, %f{d}"),
            2 => format!("add{mode}.f32 %f{d}, %f{d}, %f{e}"),
            3 => format!("mul{mode}.f32 %f{d}, %f{e}, %f{f}"),
            4 => format!("max{mode}.f32 %f{d}, %f{d}, %f{e}"),
            5 => format!("min.NaN.f32 %f{d}, %f{d}, %f{e}"),
            6 => format!("cvt.rn.f32.s32 %fa, {a}; add.f32 %f{d}, %f{d}, %fa"),
            7 => format!("mov.b32 %fa, {a}; sub{mode}.f32 %f{d}, %f{d}, %fa"),
            8 => {
                format!("setp.{}.f32 %p{d}, %f{e}, %f{f}", self.random.of(&["lt", "geu", "eq", "num", "neu"]))
            }
            9 => format!("selp.f32 %f{d}, %f{e}, %f{f}, %p{d}"),
            10 => format!("cvt.f64.f32 %e0, %f{e}; fma.rn.f64 %e1, %e1, %e0, %e0"),
            11 => format!("abs{mode}.f32 %f{d}, %f{e}; neg{mode}.f32 %f{e}, %f{d}"),
            13 => format!("mov.b64 %x, %e1; add.f64 %e1, %e1, %e0; cvt.rn.f32.f64 %f{d}, %e1"),
            14 => format!("cvt.rn.f16.f32 %ha, %f{e}; cvt.f32.f16 %fa, %ha; add.f32 %f{d}, %f{d}, %fa"),
            15 => format!("fma.rn.f16x2 %r{d}, %r{d}, {a}, %r{e}"),
            16 => format!("mul.f32 %fa, %f{e}, %f{f}; add.f32 %f{d}, %f{d}, %fa"),
            12 => format!("cvt.rzi.s32.f32 %r{d}, %f{e}"),
            _ => format!("mov.b32 %r{d}, %f{e}"),
        };
        self.line(text);
    }
}
