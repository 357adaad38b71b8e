//! Loops, and branches in them.

use super::draw::{Around, Draw, Habit};

/// How a loop's counter goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// By the same each turn, so many turns.
    Sum,
    /// By as much as there are threads, or as a register says.
    Stride,
    /// Bits are shifted, or the counter is multiplied.
    Factor,
    /// Two registers change places.
    Swap,
    /// The last two turns' sum.
    Fibonacci,
    /// The bound changes, too.
    Bound,
    /// As loaded words or computed values say.
    Values,
    /// Bits that are set go.
    Bits,
}

impl Draw {
    pub fn statement(&mut self) {
        let mut habit = self.random.below(self.habits.len());
        if self.around.len() < 3
            && !self.around.is_empty()
            && self.random.once_in(if self.habits[0] == Habit::Plain { 30 } else { 12 })
        {
            return self.a_loop();
        }
        if self.habits[0] == Habit::Values && self.random.once_in(3) {
            habit = 0;
        }
        match self.habits[habit] {
            Habit::Values => self.value(),
            Habit::Loads => self.load(),
            Habit::Columns => self.column(),
            Habit::Chunks => self.chunk(),
            Habit::Shared => self.shared(),
            Habit::Warps => self.warp(),
            Habit::Atomics => self.atomic(),
            Habit::Branches if self.random.once_in(5) => self.picture(),
            Habit::Branches => self.branch(),
            Habit::Odd => self.odd(),
            Habit::Plain => self.plain(),
            Habit::Many => self.many(),
            Habit::Floats => self.bits(),
            Habit::Faults => self.beyond(),
        }
    }

    /// A register or number of 32 bits whose value may be anything.
    pub fn any(&mut self) -> String {
        match self.random.below(14) {
            0 => "%t".into(),
            1 => "%n".into(),
            2 => self.random.of(&["0", "1", "3", "5", "-1", "31", "77", "0x80000000", "0x7fffffff"]).into(),
            3 => self.random.of(&["%g", "%b", "%lane", "%tx"]).into(),
            4..8 if !self.around.is_empty() => self.turn(),
            8 => format!("%u{}", self.random.below(4)),
            _ => format!("%r{}", self.random.below(8)),
        }
    }

    /// The turn of a loop around, mostly of the innermost one.
    pub fn turn(&mut self) -> String {
        match self.around.len() {
            0 => "%n".into(),
            all if self.random.once_in(3) => self.around[self.random.below(all)].turn.clone(),
            all => self.around[all - 1].turn.clone(),
        }
    }

    /// A predicate that is one of the kernel's or has just been computed.
    pub fn condition(&mut self) -> String {
        if self.random.once_in(2) {
            return format!("%p{}", self.random.below(4));
        }
        let (a, b) = (self.any_register(), self.any());
        let (compare, ty) =
            (self.random.of(&["lt", "le", "gt", "ge", "eq", "ne"]), self.random.of(&["u32", "s32"]));
        self.line(format!("setp.{compare}.{ty} %c, {a}, {b}"));
        "%c".into()
    }

    pub fn any_register(&mut self) -> String {
        loop {
            let any = self.any();
            if any.starts_with('%') {
                return any;
            }
        }
    }

    fn branch(&mut self) {
        let (condition, not) = (self.condition(), self.random.of(&["", "!"]));
        let (other, end) = (self.name("OTHER"), self.name("END"));
        // Where barriers may come, all threads stay.
        if !self.whole && !self.around.is_empty() && self.random.once_in(3) {
            let around = self.around.last().unwrap();
            if self.random.once_in(4) {
                return self.leave(not, &condition);
            }
            // Who goes to the next turn has the counter's step before him.
            let to = if self.random.once_in(2) { around.exit.clone() } else { around.next.clone() };
            self.line(format!("@{not}{condition} bra {to}"));
            return self.some(2);
        }
        let whole = std::mem::replace(&mut self.whole, false);
        self.line(format!("@{not}{condition} bra {other}"));
        self.some(2);
        if self.random.once_in(2) {
            let bra = self.random_bra();
            self.line(format!("{bra} {end}"));
            self.label(&other);
            self.some(2);
            self.label(&end);
        } else {
            self.label(&other);
        }
        self.whole = whole;
    }

    /// Some threads end, or have turns without the counter's step until a word of theirs has changed.
    fn leave(&mut self, not: &str, condition: &str) {
        let past = self.name("STAYS");
        match self.random.below(3) {
            0 => self.line(format!("@{not}{condition} ret")),
            1 => {
                let (a, to) = (self.random.below(8), if not.is_empty() { "!" } else { "" });
                self.line(format!("@{to}{condition} bra {past}; st.global.u32 [%own], %r{a}; ret"));
                self.label(&past);
            }
            _ => {
                // A loop that some threads enter in its middle.
                let (count, q, middle) = (self.register("b32"), self.register("pred"), self.name("MIDDLE"));
                let (a, b) = (self.random.below(8), self.random.below(8));
                let first = self.random.of(&["5", "%lane", "%n"]);
                self.line(format!("mov.u32 {count}, {first}; @{not}{condition} bra {middle}"));
                self.label(&past);
                self.line(format!("mad.lo.u32 %r{a}, %r{a}, 3, {count}"));
                self.label(&middle);
                self.line(format!("xor.b32 %r{b}, %r{b}, {count}; sub.s32 {count}, {count}, 1; setp.gt.s32 {q}, {count}, 0; @{q} bra {past}"));
            }
        }
    }

    fn random_bra(&mut self) -> &'static str {
        self.random.of(&["bra", "bra.uni"])
    }

    fn some(&mut self, most: usize) {
        for _ in 0..1 + self.random.below(most) {
            self.statement();
        }
    }

    /// Neighbours in a picture, row by row: those outside are left out, or the border's are taken.
    fn picture(&mut self) {
        let [dy, dx, x, y, sum] = [0; 5].map(|_| self.register("b32"));
        let [q, p] = [0; 2].map(|_| self.register("pred"));
        let [rows, columns, next] = ["ROWS", "COLUMNS", "NEXT"].map(|name| self.name(name));
        let (width, reach) = (self.random.of(&[16, 16, 20, 12]), self.random.of(&[1, 2]));
        let clamped = self.random.once_in(2);
        self.line(format!("mov.u32 {sum}, 0; mov.u32 {dy}, -{reach}"));
        self.label(&rows);
        self.line(format!("mov.u32 {dx}, -{reach}; add.s32 {y}, %ty, {dy}"));
        if clamped {
            self.line(format!("max.s32 {y}, {y}, 0; min.s32 {y}, {y}, {}", width - 1));
        }
        self.label(&columns);
        self.line(format!("add.s32 {x}, %tx, {dx}"));
        if clamped {
            self.line(format!("max.s32 {x}, {x}, 0; min.s32 {x}, {x}, {}", width - 1));
        } else {
            let or = self.random.once_in(2);
            self.line(format!("setp.ge.u32 {p}, {y}, {width}"));
            self.line(if or {
                format!("setp.ge.or.u32 {p}, {x}, {width}, {p}; @{p} bra {next}")
            } else {
                format!("@{p} bra {next}; setp.gt.u32 {p}, {x}, {}; @{p} bra {next}", width - 1)
            });
        }
        let weight = self.any_register();
        self.line(format!("mad.lo.u32 %i, {y}, {width}, {x}; mul.wide.s32 %x, %i, 4; add.s64 %x, %in, %x; ld.global.u32 %i, [%x]; mad.lo.u32 %j, {dy}, 5, {dx}; xor.b32 %j, %j, {weight}; mad.lo.u32 {sum}, %i, %j, {sum}"));
        self.label(&next);
        self.line(format!("add.s32 {dx}, {dx}, 1; setp.ne.s32 {q}, {dx}, {}; @{q} bra {columns}; add.s32 {dy}, {dy}, 1; setp.le.s32 {q}, {dy}, {reach}; @{q} bra {rows}", reach + 1));
        let to = self.random.below(8);
        self.line(format!("add.u32 %r{to}, %r{to}, {sum}"));
    }

    /// A number that is the same in all threads, or not.
    pub fn origin(&mut self, uniform: bool) -> String {
        let kind = if uniform { self.random.below(4) * 5 % 16 } else { 3 + self.random.below(6) };
        match kind {
            0 => "%n".into(),
            5 if uniform => "%nt".into(),
            10 => "%all".into(),
            // It may have come to differ from thread to thread.
            15 if self.whole => "%n".into(),
            15 => format!("%u{}", self.random.below(4)),
            3 => "%t".into(),
            4 => "%lane".into(),
            5 => "%b".into(),
            6 if !self.around.is_empty() => self.turn(),
            7 => "%ty".into(),
            _ => format!("%r{}", self.random.below(8)),
        }
    }

    pub fn a_loop(&mut self) {
        let depth = self.around.len();
        // Blocks stay whole where all threads have as many turns.
        let only_values = self.habits == [Habit::Values];
        let uniform = self.random.below(3) > usize::from(only_values);
        let step = match self.random.below(20) {
            0..11 if !only_values => Step::Sum,
            0..4 => Step::Values,
            4..7 => Step::Sum,
            7..9 => Step::Bits,
            9 | 10 => Step::Bound,
            11 | 12 => Step::Stride,
            13 | 14 => Step::Factor,
            15 => Step::Swap,
            16 => Step::Fibonacci,
            17 => Step::Bound,
            18 => Step::Values,
            _ => Step::Bits,
        };
        let was_whole = self.whole;
        let guard = self.random.once_in(6).then(|| (self.condition(), self.name("PAST")));
        self.whole &= guard.is_none()
            && uniform
            && matches!(step, Step::Sum | Step::Stride | Step::Factor | Step::Swap | Step::Fibonacci);
        if let Some((condition, past)) = &guard {
            self.line(format!("@{condition} bra {past}"));
        }
        match step {
            Step::Sum => self.counted(uniform, depth),
            Step::Stride => self.strided(uniform),
            Step::Factor => self.multiplied(uniform),
            Step::Swap => self.swapped(),
            Step::Fibonacci => self.fibonacci(),
            Step::Bound => self.bounded(uniform),
            Step::Values => self.by_values(),
            Step::Bits => self.by_bits(uniform),
        }
        if let Some((_, past)) = guard {
            self.label(&past);
        }
        self.whole = was_whole;
    }

    /// The loop's body between lines of its own.
    pub fn around(
        &mut self,
        head: Vec<String>,
        turn: String,
        turns: Option<u32>,
        step: Vec<String>,
        shape: &Shape,
    ) {
        let (again, exit, next) = (self.name("AGAIN"), self.name("EXIT"), self.name("NEXT"));
        let outer = std::mem::take(&mut self.lines);
        self.lines.extend(self.pending.take());
        let (before, after, wide, most) = (Vec::new(), Vec::new(), self.wide.take(), self.most.take());
        self.around.push(Around {
            turn,
            wide,
            exit: exit.clone(),
            next: next.clone(),
            before,
            after,
            turns,
            most,
        });
        if self.whole && self.habits.contains(&Habit::Shared) && self.random.once_in(2) {
            (0..1 + self.random.below(2)).for_each(|_| self.tile());
        } else {
            let most = if self.habits[0] == Habit::Plain {
                1 + self.random.below(2)
            } else {
                1 + self.random.below(5)
            };
            self.some(most);
        }
        let Some(around) = self.around.pop() else { return };
        let left = self.left_by(&around);
        let body = std::mem::replace(&mut self.lines, outer);
        self.lines.extend(head);
        self.lines.extend(around.before);
        let Shape { test, back, form } = shape;
        // What a turn finds may count after the next one only.
        let (test, back) = match back.strip_prefix('!') {
            None if matches!(form, Form::Bottom | Form::Latch) && self.random.once_in(8) => {
                let before = self.register("pred");
                self.lines.push(format!("setp.eq.u32 {before}, 0, 0;"));
                let late = self.register("pred");
                let moved = [
                    format!("mov.pred {late}, {before};"),
                    test[0].clone(),
                    format!("mov.pred {before}, {back};"),
                ];
                (moved.to_vec(), late)
            }
            _ => (test.clone(), back.clone()),
        };
        let test = &test;
        let leave = back.strip_prefix('!').map_or_else(|| format!("!{back}"), str::to_string);
        let lines = |draw: &mut Draw, all: &[String]| all.iter().for_each(|line| draw.line(line.clone()));
        if matches!(form, Form::Guarded | Form::Top) {
            if matches!(form, Form::Top) {
                self.label(&again);
            }
            lines(self, test);
            self.line(format!("@{leave} bra {exit}"));
        }
        if !matches!(form, Form::Top) {
            self.label(&again);
        }
        self.lines.extend(body);
        self.label(&next);
        self.lines.extend(around.after);
        match form {
            Form::Top => {
                lines(self, &step);
                let bra = self.random_bra();
                self.line(format!("{bra} {again}"));
            }
            Form::Late => {
                lines(self, test);
                lines(self, &step);
                self.line(format!("@{back} bra {again}"));
            }
            Form::Latch => {
                lines(self, &step);
                lines(self, test);
                self.line(format!("@{leave} bra {exit}; bra.uni {again}"));
            }
            Form::Guarded | Form::Bottom => {
                lines(self, &step);
                lines(self, test);
                self.line(format!("@{back} bra {again}"));
            }
        }
        self.label(&exit);
        if self.random.once_in(2) {
            lines(self, &left);
            let (to, q) = (self.random.below(8), back.trim_start_matches('!'));
            // In a loop that is entered by a branch past it the predicate is known, too.
            self.line(format!("selp.b32 %i, 3, 1, {q}; mad.lo.u32 %r{to}, %r{to}, 3, %i"));
        } else if self.random.once_in(2) {
            lines(self, &left);
        }
    }

    /// What reads what the last turn has left: the counter, temporaries, addresses that moved on.
    fn left_by(&mut self, around: &Around) -> Vec<String> {
        let pointers = around.after.iter().filter_map(|line| line.split([' ', ',']).nth(1));
        let pointers: Vec<String> =
            pointers.filter(|name| name.starts_with("%v")).map(String::from).collect();
        let mut lines = Vec::new();
        for _ in 0..self.random.below(4) {
            let to = self.random.below(8);
            lines.push(match self.random.below(6) {
                0 => format!("mad.lo.u32 %r{to}, %r{to}, 3, {};", around.turn),
                1 | 2 => format!("mad.lo.u32 %r{to}, %r{to}, 3, {};", self.random.of(&["%i", "%j", "%k"])),
                3 if !pointers.is_empty() => format!(
                    "cvt.u32.u64 %i, {}; add.u32 %r{to}, %r{to}, %i;",
                    pointers[self.random.below(pointers.len())]
                ),
                4 => format!("cvt.u32.u64 %k, %y; xor.b32 %r{to}, %r{to}, %k;"),
                _ => format!("cvt.u32.u64 %j, %x; xor.b32 %r{to}, %r{to}, %j;"),
            });
        }
        lines
    }

    pub fn form(&mut self) -> Form {
        self.random.of(&[
            Form::Bottom,
            Form::Bottom,
            Form::Bottom,
            Form::Guarded,
            Form::Guarded,
            Form::Top,
            Form::Late,
            Form::Latch,
        ])
    }
}

#[derive(Clone, Copy)]
pub enum Form {
    Bottom,
    Guarded,
    Top,
    Late,
    Latch,
}

/// Where a loop is tested, and how.
pub struct Shape {
    pub test: Vec<String>,
    /// The predicate by which threads come back.
    pub back: String,
    pub form: Form,
}
