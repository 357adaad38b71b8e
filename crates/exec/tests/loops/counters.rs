//! What loops count by, and how far.

use super::control::{Form, Shape};
use super::draw::Draw;

const TURNS: &[u32] =
    &[0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 40, 64, 65, 100, 129, 300];

/// About as many as the engine takes at once.
const MANY_TURNS: &[u32] = &[1023, 1024, 1025, 1026, 1027, 1100, 2048, 2049, 4095, 4097, 5000, 8193];

impl Draw {
    /// Adds or subtracts the same each turn.
    pub fn counted(&mut self, uniform: bool, depth: usize) {
        let ty = self.random.of(&["u32", "u32", "u32", "s32", "s32", "u64", "s64", "u16", "s16"]);
        let bits: u32 = ty[1..].parse().unwrap();
        let (counter, bound) = (self.register(&format!("b{bits}")), self.register(&format!("b{bits}")));
        let down = self.random.once_in(4);
        let by = i64::from(self.random.of(&[1, 1, 1, 1, 2, 3, 4, 5, 8, 16, 32, 64, 96, 1000]));
        // Far around the circle of numbers: only the very bound ends that.
        let far = bits > 16 && self.random.once_in(12);
        let by = match (far, bits) {
            (true, 32) => self.random.of(&[0x1000_0001, 0x4000_0000, 0x7fff_ffff, 0x5555_5555]),
            (true, _) => self.random.of(&[1 << 32, (1 << 32) + 1, 0x7fff_ffff_ffff, 0x8000_0000]),
            _ => by,
        };
        let by = if down { -by } else { by };
        let most = [TURNS.len(), 16, 8][depth.min(2)];
        let mut turns = TURNS[self.random.below(most)];
        // The golden engine takes each thread's steps.
        let outer: u32 = self.around.iter().map(|around| around.turns.unwrap_or(40)).product();
        if turns.saturating_mul(outer).saturating_mul(self.threads) > 1 << 15 {
            turns = 2 + turns % 5;
        }
        if depth == 0 && self.threads <= 64 && self.random.once_in(8) {
            turns = MANY_TURNS[self.random.below(if self.threads > 2 { 6 } else { MANY_TURNS.len() })];
        }
        let first = self.first(&counter, bits, uniform);
        let mut head = first;
        // The bound as a number, or as what so many turns lead to.
        let known = !self.random.once_in(3);
        let off = if !far && self.random.once_in(4) {
            self.random.below(by.unsigned_abs() as usize) as i64
        } else {
            0
        };
        let exact = off == 0;
        let add = |to: &str, from: &str, number: i64| format!("add.{ty} {to}, {from}, {number};");
        if known {
            head.push(add(
                &bound,
                &counter,
                short(by.wrapping_mul(i64::from(turns)) - off * by.signum(), bits),
            ));
        } else {
            let origin = self.origin(uniform);
            let mask = self.random.of(&[1, 3, 7, 7, 15, 15, 31, 63]);
            head.push(format!("and.b32 %i, {origin}, {mask};"));
            if self.random.once_in(2) {
                head.push("add.u32 %i, %i, 1;".to_string());
            }
            match bits {
                64 => head.push(format!("mul.wide.u32 {bound}, %i, {}; {} {bound}, {counter}, {bound};", by.abs(), sign(by, ty))),
                16 => head.push(format!("cvt.u16.u32 {bound}, %i; mul.lo.u16 {bound}, {bound}, {}; {} {bound}, {counter}, {bound};", by.abs(), sign(by, ty))),
                _ => head.push(format!("mul.lo.u32 {bound}, %i, {}; {} {bound}, {counter}, {bound};", by.abs(), sign(by, ty))),
            }
        }
        let mut form = self.form();
        let (compare, back) = match (self.random.below(if far { 2 } else { 4 }), exact) {
            (0, true) => ("ne", ""),
            (1, true) => ("eq", "!"),
            (2, _) if down => ("gt", ""),
            (2, _) => ("lt", ""),
            _ if down => ("le", "!"),
            _ => ("ge", "!"),
        };
        // A count that passes its bound before the first test does not end soon.
        if (matches!(compare, "ne" | "eq") || turns == 0)
            && matches!(form, Form::Bottom | Form::Latch | Form::Late)
            && (!known || turns == 0)
        {
            form = Form::Guarded;
        }
        let step = match self.random.below(3) {
            0 => format!("sub.{ty} {counter}, {counter}, {};", -by),
            1 if bits == 32 && uniform => {
                let by_register = self.register("b32");
                head.push(format!("mov.u32 {by_register}, {by};"));
                format!("add.{ty} {counter}, {by_register}, {counter};")
            }
            _ => add(&counter, &counter, by),
        };
        let q = self.register("pred");
        let compared = if matches!(compare, "ne" | "eq") { format!("b{bits}") } else { ty.to_string() };
        let mut step = step;
        let test = if bits == 32 && self.random.once_in(4) {
            self.derived(&mut head, &mut step, [&counter, &bound, &q], (compare, ty, by))
        } else if self.random.once_in(8) {
            let turned = match compare {
                "gt" => "lt",
                "lt" => "gt",
                "le" => "ge",
                "ge" => "le",
                other => other,
            };
            format!("setp.{turned}.{compared} {q}, {bound}, {counter};")
        } else {
            format!("setp.{compare}.{compared} {q}, {counter}, {bound};")
        };
        let shape = Shape { test: vec![test], back: format!("{back}{q}"), form };
        let head = split(head);
        let turn = self.as_word(&counter, bits);
        let turns = if known { turns + 1 } else { 65 };
        self.most = small(&head)
            .map(|first| first.wrapping_add((by.unsigned_abs() as u32).wrapping_mul(turns)))
            .filter(|_| !down && !far);
        self.around(head, turn, Some(turns), vec![step], &shape);
    }

    /// A test of what goes on as the counter does.
    fn derived(
        &mut self,
        head: &mut Vec<String>,
        step: &mut String,
        [counter, bound, q]: [&str; 3],
        (compare, ty, by): (&str, &str, i64),
    ) -> String {
        let equal = matches!(compare, "ne" | "eq");
        match self.random.below(5) {
            0 if equal => format!("sub.u32 %i, {bound}, {counter}; setp.{compare}.b32 {q}, %i, 0;"),
            0 => {
                let turned = match compare {
                    "gt" => "lt",
                    "lt" => "gt",
                    "le" => "ge",
                    _ => "le",
                };
                format!("sub.s32 %i, {bound}, {counter}; setp.{turned}.s32 {q}, %i, 0;")
            }
            1 => format!(
                "cvt.{0}64.{ty} %x, {counter}; cvt.{0}64.{ty} %y, {bound}; setp.{compare}.{0}64 {q}, %x, %y;",
                &ty[..1]
            ),
            2 if equal => {
                format!("and.b32 %i, {counter}, 31; and.b32 %j, {bound}, 31; setp.{compare}.u32 {q}, %i, %j;")
            }
            3 => {
                let (pointer, end) = (self.register("b64"), self.register("b64"));
                head.push(format!(
                    "mad.wide.{ty} {pointer}, {counter}, 4, %in; mad.wide.{ty} {end}, {bound}, 4, %in;"
                ));
                if equal {
                    // The way to the end, whatever the numbers wrap around.
                    head.push(format!("sub.u32 %i, {bound}, {counter}; mul.wide.s32 %x, %i, 4; add.s64 {end}, {pointer}, %x;"));
                }
                *step = format!("{step} add.s64 {pointer}, {pointer}, {};", 4 * by);
                if equal {
                    format!("setp.{compare}.b32 {q}, {counter}, {bound};")
                } else {
                    format!("setp.{compare}.u64 {q}, {pointer}, {end};")
                }
            }
            _ => format!("setp.{compare}.{} {q}, {counter}, {bound};", if equal { "b32" } else { ty }),
        }
    }

    /// What a counter begins with.
    fn first(&mut self, counter: &str, bits: u32, uniform: bool) -> Vec<String> {
        let near_end = match bits {
            16 => self.random.of(&["0xfff0", "0x7ffa", "0x8000"]),
            32 => self.random.of(&["0xfffffff0", "0x7ffffffa", "0x80000000", "0xffff"]),
            _ => self.random.of(&["0xfffffff0", "0xfffffffffffffff0", "0x7ffffffffffffffa", "0x100000000"]),
        };
        let number = match self.random.below(16) {
            0 | 1 => near_end,
            2 => "1",
            3 => "5",
            4 => "64",
            _ => "0",
        };
        if bits == 32 && self.random.once_in(if uniform { 10 } else { 2 }) {
            let origin = self.origin(uniform);
            return vec![format!("add.u32 {counter}, {origin}, {number};")];
        }
        vec![format!("mov.u{bits} {counter}, {number};")]
    }

    /// A register of 32 bits with a counter's low bits; its line comes where the body begins.
    fn as_word(&mut self, counter: &str, bits: u32) -> String {
        if bits == 32 {
            return counter.to_string();
        }
        let word = self.register("b32");
        self.wide = (bits == 64).then(|| counter.to_string());
        self.pending = Some(match bits {
            64 => format!("cvt.u32.u64 {word}, {counter};"),
            _ => format!("cvt.{}32.{}16 {word}, {counter};", self.random.of(&["u", "s"]), "u"),
        });
        word
    }

    /// Each thread takes what lies so far apart: of a block, of the grid, or as the launch says.
    pub fn strided(&mut self, uniform: bool) {
        let (counter, bound, by, q) =
            (self.register("b32"), self.register("b32"), self.register("b32"), self.register("pred"));
        let ty = self.random.of(&["u32", "s32"]);
        let turns = self.random.of(&[1, 2, 3, 5, 9, 17, 33]);
        let (step, most_step) = match self.random.below(4) {
            0 => (format!("mov.u32 {by}, %all;"), self.threads),
            1 => (format!("add.u32 {by}, %n, 1;"), 65),
            2 => (format!("add.u32 {by}, %b, 1;"), self.threads),
            _ => (format!("mov.u32 {by}, %nt;"), 1024),
        };
        let first = if uniform {
            self.random.of(&["0", "%n", "5"])
        } else {
            self.random.of(&["%g", "%t", "%g", "%lane"])
        };
        let last = match self.random.below(3) {
            0 if !uniform => format!("mad.lo.u32 {bound}, {by}, {turns}, %n;"),
            1 => format!(
                "and.b32 %i, {}, 15; mad.lo.u32 {bound}, %i, {by}, {counter};",
                self.random.of(&["%n", "%n", "%t", "%b"])
            ),
            _ => format!("mad.lo.u32 {bound}, {by}, {turns}, {counter};"),
        };
        let whole = self.whole;
        self.whole &= uniform && last.starts_with("mad") && !last.contains("%n");
        let head = split(vec![format!("mov.u32 {counter}, {first};"), step, last]);
        let test = match self.random.below(4) {
            0 => format!("setp.ge.{ty} {q}, {counter}, {bound}; not.pred {q}, {q};"),
            1 if !uniform => {
                let p = self.random.below(4);
                format!("setp.lt.and.{ty} {q}, {counter}, {bound}, %p{p};")
            }
            _ => format!("setp.lt.{ty} {q}, {counter}, {bound};"),
        };
        let form = self.random.of(&[Form::Top, Form::Guarded, Form::Guarded, Form::Bottom, Form::Latch]);
        self.most = Some(self.threads.max(65) + (turns + 65) * most_step).filter(|most| *most < 1 << 16);
        let steps = vec![format!("add.{ty} {counter}, {counter}, {by};")];
        self.around(head, counter, Some(turns), steps, &Shape { test: vec![test], back: q, form });
        self.whole = whole;
    }

    pub fn multiplied(&mut self, uniform: bool) {
        let (counter, bound, q) = (self.register("b32"), self.register("b32"), self.register("pred"));
        let origin = self.origin(uniform);
        let up = self.random.below(3) > 0;
        let head = if up {
            vec![
                format!("mov.u32 {counter}, {};", self.random.of(&["1", "1", "3"])),
                format!("and.b32 {bound}, {origin}, 1023;"),
            ]
        } else {
            vec![
                format!(
                    "add.u32 {counter}, {origin}, {};",
                    self.random.of(&["0", "128", "77", "0x40000000"])
                ),
                format!("mov.u32 {bound}, 0;"),
            ]
        };
        let step = match (up, self.random.below(6)) {
            (true, 0 | 1) => format!("shl.b32 {counter}, {counter}, 1;"),
            (true, 2) => format!("add.u32 {counter}, {counter}, {counter};"),
            (true, 3) => format!("mul.lo.u32 {counter}, {counter}, 3;"),
            (true, 4) => format!("mad.lo.u32 {counter}, {counter}, 2, 1;"),
            (true, _) => format!(
                "add.u32 {counter}, {counter}, {counter}; add.u32 {counter}, {counter}, {};",
                self.random.of(&["1", "5"])
            ),
            (false, 0) => format!("shr.u32 {counter}, {counter}, 2;"),
            (false, 1) => format!("div.u32 {counter}, {counter}, 3;"),
            (false, _) => format!("shr.u32 {counter}, {counter}, 1;"),
        };
        let compare = if up {
            self.random.of(&["lt.u32", "le.u32", "lt.s32"])
        } else {
            self.random.of(&["gt.u32", "ne.u32", "gt.s32"])
        };
        let form = self.form();
        let shape = Shape { test: vec![format!("setp.{compare} {q}, {counter}, {bound};")], back: q, form };
        self.around(head, counter, Some(33), vec![step], &shape);
    }

    /// Two registers that change places, one of them greater each time.
    pub fn swapped(&mut self) {
        let (a, b, other, q) =
            (self.register("b32"), self.register("b32"), self.register("b32"), self.register("pred"));
        let by = self.random.of(&[1, 1, 2, 5]);
        let end = self.random.of(&[2, 7, 16, 33, 40]);
        let head = vec![
            format!("mov.u32 {a}, {};", self.random.of(&["0", "0", "1", "6"])),
            format!("mov.u32 {b}, {};", self.random.of(&["0", "1", "3"])),
        ];
        let steps = vec![format!("add.u32 {other}, {a}, {by}; mov.u32 {a}, {b}; mov.u32 {b}, {other};")];
        let compare = self.random.of(&["lt.u32", "le.s32", "lt.s32"]);
        let form = self.form();
        let shape = Shape { test: vec![format!("setp.{compare} {q}, {a}, {end};")], back: q, form };
        self.around(head, a, Some(100), steps, &shape);
    }

    pub fn fibonacci(&mut self) {
        let (a, b, other, q) =
            (self.register("b32"), self.register("b32"), self.register("b32"), self.register("pred"));
        let head = vec![
            format!("mov.u32 {a}, {};", self.random.of(&["0", "1"])),
            format!("mov.u32 {b}, {};", self.random.of(&["1", "2", "5"])),
        ];
        let op = self.random.of(&["add.u32", "add.u32", "xor.b32", "or.b32"]);
        let steps = if op == "add.u32" {
            vec![format!("add.u32 {other}, {a}, {b}; mov.u32 {a}, {b}; mov.u32 {b}, {other};")]
        } else {
            vec![format!("{op} {other}, {a}, {b}; add.u32 {a}, {b}, 1; add.u32 {b}, {other}, 2;")]
        };
        let bound = self.random.of(&["30", "100", if op == "add.u32" { "3000" } else { "60" }]);
        let form = self.form();
        let shape = Shape {
            test: vec![format!("setp.{} {q}, {a}, {bound};", self.random.of(&["lt.u32", "lt.s32"]))],
            back: q,
            form,
        };
        self.around(head, a, Some(100), steps, &shape);
    }

    /// A bound that moves.
    pub fn bounded(&mut self, uniform: bool) {
        let (counter, bound, q) = (self.register("b32"), self.register("b32"), self.register("pred"));
        let origin = self.origin(uniform);
        let head = vec![format!("mov.u32 {counter}, 0;"), format!("and.b32 {bound}, {origin}, 127;")];
        let move_on = match self.random.below(6) {
            0 => format!("sub.u32 {bound}, {bound}, 1;"),
            1 => format!("shr.u32 {bound}, {bound}, 1;"),
            2 => format!("sub.s32 {bound}, {bound}, {counter};"),
            3 => {
                let value = self.any();
                format!("and.b32 {bound}, {value}, 31;")
            }
            4 => format!("add.u32 {bound}, {bound}, 1;"),
            _ => format!("add.u32 {bound}, {bound}, {bound}; and.b32 {bound}, {bound}, 255;"),
        };
        let by = self.random.of(&[2, 2, 3, 7]);
        let step = format!("add.u32 {counter}, {counter}, {by}; {move_on}");
        let compare = self.random.of(&["lt.s32", "lt.s32", "le.s32"]);
        let form = self.form();
        let shape = Shape { test: vec![format!("setp.{compare} {q}, {counter}, {bound};")], back: q, form };
        self.around(head, counter, Some(128), vec![step], &shape);
    }

    /// As long as a computed value says.
    pub fn by_values(&mut self) {
        let (counter, q) = (self.register("b32"), self.register("pred"));
        let value = self.random.below(8);
        let head = vec![format!("and.b32 {counter}, %r{value}, 255;")];
        let step = match self.random.below(4) {
            0 => format!(
                "mul.wide.u32 %x, {counter}, 4; add.u64 %x, %in, %x; ld.global.u32 %i, [%x]; and.b32 %i, %i, 1023; sub.u32 {counter}, {counter}, 1; min.u32 {counter}, {counter}, %i;"
            ),
            1 => format!("mad.lo.u32 {counter}, {counter}, 5, 1; and.b32 {counter}, {counter}, 63;"),
            2 => format!(
                "and.b32 %i, {counter}, 1; setp.eq.u32 {q}, %i, 0; shr.u32 %j, {counter}, 1; mad.lo.u32 %k, {counter}, 3, 1; selp.u32 {counter}, %j, %k, {q};"
            ),
            _ => format!(
                "xor.b32 %i, {counter}, %r{value}; shr.u32 %i, %i, 1; sub.u32 {counter}, {counter}, 1; min.u32 {counter}, {counter}, %i;"
            ),
        };
        let bound = self.random.of(&["1", "3", "12", "17"]);
        let form = self.form();
        let compare = self.random.of(&["gt.u32", "gt.s32", "gt.s32"]);
        let shape = Shape { test: vec![format!("setp.{compare} {q}, {counter}, {bound};")], back: q, form };
        self.around(head, counter, None, vec![step], &shape);
    }

    /// As long as bits are set.
    pub fn by_bits(&mut self, uniform: bool) {
        let (counter, q) = (self.register("b32"), self.register("pred"));
        let origin = self.origin(uniform);
        let head = vec![format!("mov.u32 {counter}, {origin};")];
        let step = match self.random.below(3) {
            0 => format!("sub.u32 %i, {counter}, 1; and.b32 {counter}, {counter}, %i;"),
            1 => format!("shl.b32 {counter}, {counter}, 1;"),
            _ => {
                format!("neg.s32 %i, {counter}; and.b32 %i, %i, {counter}; xor.b32 {counter}, {counter}, %i;")
            }
        };
        let form = self.form();
        let shape = Shape { test: vec![format!("setp.ne.u32 {q}, {counter}, 0;")], back: q, form };
        self.around(head, counter, Some(33), vec![step], &shape);
    }
}

/// A small number that a counter begins with, if it does.
fn small(head: &[String]) -> Option<u32> {
    let (_, number) = head[0].rsplit_once(", ")?;
    number.trim_end_matches(';').parse().ok().filter(|_| head[0].starts_with("mov"))
}

fn sign(by: i64, ty: &str) -> String {
    format!("{}.{ty}", if by < 0 { "sub" } else { "add" })
}

fn short(number: i64, bits: u32) -> i64 {
    match bits {
        16 => i64::from(number as i16),
        32 => i64::from(number as i32),
        _ => number,
    }
}

fn split(lines: Vec<String>) -> Vec<String> {
    let each = |line: String| {
        line.split(';').map(str::trim).filter(|l| !l.is_empty()).map(|l| format!("{l};")).collect::<Vec<_>>()
    };
    lines.into_iter().flat_map(each).collect()
}
