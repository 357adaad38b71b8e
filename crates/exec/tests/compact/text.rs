//! Programs as PTX.

use super::any::{DECLARATIONS, FIRST};
use super::matrices::braced;
use super::program::{At, Counts, Loop, Program, Space, Stmt, Those, WORDS, Width};
use std::collections::HashMap;
use std::fmt::Write;

/// Registers of 64 bits that statements use.
pub const WIDES: u8 = 4;

/// Writes a kernel named `k`.
pub fn text(program: &Program) -> String {
    let mut w = Writer { program, numbers: 0, labels: 0, known: HashMap::new(), ahead: String::new() };
    let mut body = String::new();
    w.all(&program.body, 0, &mut Frame::default(), &mut body);
    let end = w.epilogue();
    let first = if program.style.forms { FIRST } else { "" };
    let start = needed(&w.prologue(), format!("{}{first}{body}{end}", w.ahead));
    let (window, numbers, words) = (program.window, w.numbers + 1, program.words());
    let version = match program.style.forms {
        true => ".version 9.5\n.target sm_120a",
        false => ".version 8.5\n.target sm_90",
    };
    let others = if program.style.forms { DECLARATIONS } else { "" };
    format!(
        "{version}\n.address_size 64\n\
         .visible .entry k(.param .u64 in, .param .u64 all, .param .u64 second, .param .u64 out, .param .u32 zero)\n{{\n\
         .reg .b64 %in, %a, %b, %out, %sg, %w<{WIDES}>, %x, %p<{numbers}>;\n\
         .reg .b32 %t, %tx, %ty, %cta, %zero, %s, %o, %v<{words}>, %c<2>, %d<2>, %n<2>, %i<2>, %h<{numbers}>;\n\
         .reg .b16 %m<2>; .reg .pred %q, %g;\n.shared .align 16 .b8 words[{window}];\n\
         {others}{start}{}{first}{body}{end}ret;\n}}\n",
        w.ahead
    )
}

/// The lines whose registers later ones, or what follows, may read.
fn needed(lines: &str, mut rest: String) -> String {
    let mut kept = Vec::new();
    for line in lines.lines().rev() {
        let written = line.split([' ', ',']).nth(1).unwrap_or_default();
        if rest.contains(written) {
            rest += line;
            kept.push(line);
        }
    }
    kept.iter().rev().flat_map(|line| [*line, "\n"]).collect()
}

pub struct Writer<'p> {
    pub program: &'p Program,
    pub numbers: u32,
    labels: u32,
    /// Addresses that are computed in front of everything.
    pub known: HashMap<(Space, bool, [i64; 4], u32), String>,
    pub ahead: String,
}

/// What a loop does for the addresses of its body.
#[derive(Default)]
pub struct Frame {
    pub before: String,
    pub after: String,
}

impl Writer<'_> {
    fn prologue(&self) -> String {
        let Program { block, columns, grid, window, alias, style, .. } = self.program;
        let mut text = String::new();
        let number = |to: &str, at: &str, of: u32| match of {
            0 => format!("mov.u32 {to}, %{at}.x;\n"),
            _ => format!("mov.u32 {to}, %{at}.y;\nmov.u32 %o, %{at}.x;\nmad.lo.u32 {to}, {to}, {of}, %o;\n"),
        };
        text += &number("%t", "tid", if block[1] > 1 { block[0] } else { 0 });
        text += &number("%cta", "ctaid", if grid[1] > 1 { grid[0] } else { 0 });
        if block[1] > 1 && *columns == block[0] {
            text += "mov.u32 %tx, %tid.x;\nmov.u32 %ty, %tid.y;\n";
        } else if *columns < self.program.threads() {
            let shift = columns.trailing_zeros();
            let _ = write!(text, "and.b32 %tx, %t, {};\nshr.u32 %ty, %t, {shift};\n", columns - 1);
        } else {
            text += "mov.u32 %tx, %t;\nmov.u32 %ty, 0;\n";
        }
        let _ = write!(
            text,
            "ld.param.u64 %in, [in];\nmad.wide.u32 %in, %cta, 64, %in;\nld.param.u64 %a, [all];\nmad.wide.u32 %a, %cta, {window}, %a;\n\
             ld.param.u64 %b, [second];\nmad.wide.u32 %b, %cta, {window}, %b;\nld.param.u64 %out, [out];\n\
             ld.param.u32 %zero, [zero];\nmov.u32 %s, words;\ncvt.u64.u32 %sg, %s;\ncvta.shared.u64 %sg, %sg;\n"
        );
        let _ = write!(
            text,
            "mad.lo.u32 %v0, %t, 77, 13;\nmad.lo.u32 %v1, %tx, 3, %ty;\nadd.u32 %v2, %cta, {alias};\nmov.u32 %v3, 0x9e3779b9;\n\
             xor.b32 %v4, %t, %cta;\nadd.u32 %v5, %zero, 5;\nmul.wide.u32 %w0, %v0, %t;\nmov.u64 %w1, 99;\ncvt.u64.u32 %w2, %cta;\nmul.wide.s32 %w3, %v3, %v0;\n"
        );
        if style.loaded || self.program.words() > WORDS {
            text += "mad.wide.u32 %x, %t, 4, %in;\nld.global.u32 %v0, [%x];\nld.global.u32 %v3, [%in+4];\nld.global.u32 %v4, [%x+256];\n";
        }
        for k in WORDS..self.program.words() {
            let _ = writeln!(text, "ld.global.u32 %v{k}, [%x+{}];", 16 * k);
        }
        text
    }

    fn epilogue(&self) -> String {
        let digest = &self.program.digest;
        let Some(first) = digest.first() else { return String::new() };
        let threads = self.program.threads();
        let mut text = format!("mad.lo.u32 %o, %cta, {threads}, %t;\nmad.wide.u32 %x, %o, 4, %out;\n");
        for more in &digest[1..] {
            let _ = writeln!(text, "mad.lo.u32 %v{first}, %v{first}, 31, %v{more};");
        }
        let _ = writeln!(text, "st.global.u32 [%x], %v{first};");
        text
    }

    fn all(&mut self, body: &[Stmt], depth: usize, frame: &mut Frame, text: &mut String) {
        for stmt in body {
            self.one(stmt, depth, frame, text);
        }
    }

    fn one(&mut self, stmt: &Stmt, depth: usize, frame: &mut Frame, text: &mut String) {
        match stmt {
            Stmt::Load { at, width, to } => {
                let (place, space) = (self.place(at, depth, frame, text), self.space(at));
                let (to, ty) = (registers(to, *width), ty(*width));
                let _ = writeln!(text, "ld{space}{ty} {to}, [{place}];");
            }
            Stmt::Gather { space, word, count, width, to } => {
                self.numbers += 1;
                let (h, p, size) =
                    (format!("%h{}", self.numbers), format!("%p{}", self.numbers), width.size());
                let (to, ty) = (registers(to, *width), ty(*width));
                let _ = writeln!(text, "and.b32 {h}, %v{word}, {};", count - 1);
                let _ = match space {
                    Space::Shared => {
                        writeln!(text, "mad.lo.u32 {h}, {h}, {size}, %s;\nld.shared{ty} {to}, [{h}];")
                    }
                    _ => writeln!(text, "mad.wide.u32 {p}, {h}, {size}, %in;\nld.global{ty} {to}, [{p}];"),
                };
            }
            Stmt::Store { at, width, from } => {
                let (place, space) = (self.place(at, depth, frame, text), self.space(at));
                let (from, ty) = (registers(from, *width), ty(Width { signed: false, ..*width }));
                let _ = writeln!(text, "st{space}{ty} [{place}], {from};");
            }
            Stmt::Copies { each, bytes } => {
                for [from, to] in each {
                    let [from, to] = [from, to].map(|at| self.place(at, depth, frame, text));
                    let cache = if *bytes == 16 { "cg" } else { "ca" };
                    let _ = writeln!(text, "cp.async.{cache}.shared.global [{to}], [{from}], {bytes};");
                }
                text.push_str("cp.async.wait_all;\n");
            }
            Stmt::Atomic { at, from } => {
                let (place, space) = (self.place(at, depth, frame, text), self.space(at));
                let _ = writeln!(text, "red{space}.{} [{place}], %v{from};", self.program.style.atomic);
            }
            Stmt::Matrices { at, registers, turned, store } => {
                let (place, space) = (self.place(at, depth, frame, text), self.space(at));
                let (count, trans) = (registers.len(), if *turned { ".trans" } else { "" });
                let (rows, list) = (format!("m8n8.x{count}{trans}{space}.b16"), braced(registers));
                let _ = match store {
                    true => writeln!(text, "stmatrix.sync.aligned.{rows} [{place}], {list};"),
                    false => writeln!(text, "ldmatrix.sync.aligned.{rows} {list}, [{place}];"),
                };
            }
            Stmt::Ops(ops) => text.extend([ops, "\n"]),
            Stmt::Barrier(barrier) => {
                let all = self.program.threads().next_multiple_of(32).to_string();
                text.extend([&barrier.replace("ALL", &all), ";\n"]);
            }
            Stmt::WarpBarrier => text.push_str("bar.warp.sync -1;\n"),
            Stmt::Loop(one) => self.turns(one, depth, text),
            Stmt::Guarded { those, branch, body } => self.guarded(*those, *branch, body, depth, frame, text),
        }
    }

    fn guarded(
        &mut self,
        those: Those,
        branch: bool,
        body: &[Stmt],
        depth: usize,
        frame: &mut Frame,
        text: &mut String,
    ) {
        let ask = match those {
            Those::Below(n) => format!("setp.lt.u32 %g, %t, {n};\n"),
            Those::Only(n) => format!("setp.eq.u32 %g, %t, {n};\n"),
            Those::Column(x) => format!("setp.eq.u32 %g, %tx, {x};\n"),
            Those::Less(word, limit) => format!("setp.lt.u32 %g, %v{word}, {limit};\n"),
            Those::FirstLanes => "and.b32 %o, %t, 31;\nsetp.eq.u32 %g, %o, 0;\n".to_string(),
        };
        let mut inside = String::new();
        self.all(body, depth, frame, &mut inside);
        *text += &ask;
        let is_one = matches!(
            body,
            [Stmt::Load { .. } | Stmt::Gather { .. } | Stmt::Store { .. } | Stmt::Atomic { .. }]
        );
        if is_one && !branch {
            // The access stands last, after its address.
            let lines: Vec<&str> = inside.lines().collect();
            let (last, before) = lines.split_last().expect("it is not empty");
            before.iter().for_each(|line| text.extend([line, "\n"]));
            text.extend(["@%g ", last, "\n"]);
            return;
        }
        let label = self.label();
        let _ = write!(text, "@!%g bra L{label};\n{inside}L{label}:\n");
    }

    fn turns(&mut self, one: &Loop, depth: usize, text: &mut String) {
        let Loop { turns, counts, cut, body } = one;
        let (mut inside, mut frame) = (String::new(), Frame::default());
        self.all(body, depth + 1, &mut frame, &mut inside);
        let (label, threads) = (self.label(), self.program.threads());
        let (c, d) = (format!("%c{depth}"), format!("%d{depth}"));
        let _ = writeln!(text, "mov.u32 {c}, 0;");
        let (begin, ask) = match counts {
            Counts::Up => (String::new(), format!("setp.lt.u32 %q, {c}, {turns};")),
            Counts::Given => {
                (format!("add.u32 %n{depth}, %zero, {turns};\n"), format!("setp.lt.u32 %q, {c}, %n{depth};"))
            }
            Counts::Down => {
                (format!("mov.u32 {d}, {turns};\n"), format!("sub.u32 {d}, {d}, 1;\nsetp.ne.u32 %q, {d}, 0;"))
            }
            Counts::Threads => (
                format!("mov.u32 {d}, %t;\n"),
                format!("add.u32 {d}, {d}, {threads};\nsetp.lt.u32 %q, {d}, {};", threads * turns - cut),
            ),
        };
        let Frame { before, after } = frame;
        let _ = write!(
            text,
            "{begin}{before}L{label}:\n{inside}{after}add.u32 {c}, {c}, 1;\n{ask}\n@%q bra L{label};\n"
        );
    }

    fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    fn space(&self, at: &At) -> &'static str {
        let [global, shared] = self.program.style.generic;
        match at.space {
            Space::Global if global => "",
            Space::Shared if shared => "",
            Space::Shared => ".shared",
            Space::Global | Space::Input => ".global",
        }
    }
}

fn registers(numbers: &[u8], width: Width) -> String {
    let bank = if width.bytes == 8 { 'w' } else { 'v' };
    let names: Vec<String> = numbers.iter().map(|number| format!("%{bank}{number}")).collect();
    if names.len() == 1 { names[0].clone() } else { format!("{{{}}}", names.join(", ")) }
}

fn ty(width: Width) -> String {
    let lanes = if width.lanes > 1 { format!(".v{}", width.lanes) } else { String::new() };
    let sign = if width.signed { 's' } else { 'u' };
    format!("{lanes}.{sign}{}", 8 * width.bytes)
}
