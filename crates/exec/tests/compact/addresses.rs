//! Addresses as PTX: sums of products, or shifts and bits that give the same.

use super::program::{At, Space};
use super::text::{Frame, Writer};
use std::fmt::Write;

impl Writer<'_> {
    /// An address as an operand; what it takes is written to `text`, or ahead.
    pub fn place(&mut self, at: &At, depth: usize, frame: &mut Frame, text: &mut String) -> String {
        let alias = if at.second { i64::from(self.program.alias) } else { 0 };
        let plus = at.plus - alias;
        let is_fixed = at.by[2..] == [0; 2];
        if !at.ahead {
            return self.address(at, plus, depth, text);
        }
        let with = |register: &str| match plus {
            0 => register.to_string(),
            _ => format!("{register}+{plus}"),
        };
        if is_fixed {
            let key = (at.space, at.second, at.by, at.twist);
            if let Some(known) = self.known.get(&key) {
                return with(known);
            }
            let mut ahead = std::mem::take(&mut self.ahead);
            let register = self.address(at, 0, 0, &mut ahead);
            self.ahead = ahead;
            self.known.insert(key, register.clone());
            return with(&register);
        }
        // A pointer that moves on at the end of every turn of the innermost loop.
        let mut first = *at;
        let step = if depth == 0 { 0 } else { std::mem::take(&mut first.by[1 + depth]) };
        let mut before = std::mem::take(&mut frame.before);
        let register = self.address(&first, 0, depth.saturating_sub(1), &mut before);
        frame.before = before;
        let ty = if register.starts_with("%p") { "s64" } else { "s32" };
        if step != 0 {
            let _ = writeln!(frame.after, "add.{ty} {register}, {register}, {step};");
        }
        with(&register)
    }

    /// Computes an address in a register of its own.
    fn address(&mut self, at: &At, plus: i64, depth: usize, text: &mut String) -> String {
        self.numbers += 1;
        let k = self.numbers;
        let (h, p) = (format!("%h{k}"), format!("%p{k}"));
        // Whole elements are counted first, as compilers do.
        let all = at.by.iter().chain([&plus]);
        let unit = all.fold(16, |unit: i64, by| 1 << (by | unit).trailing_zeros()).max(1);
        let names = ["%tx", "%ty", "%c0", "%c1"];
        let columns = self.program.columns;
        let bounds = [columns, self.program.threads().div_ceil(columns)]
            .map(|most| i64::from(most.next_power_of_two()));
        let mut is_first = true;
        // What the sum so far is less than, if that is known.
        let mut top = Some(1);
        for (axis, by) in at.by.iter().enumerate().filter(|(_, by)| **by != 0) {
            if axis >= 2 && axis - 2 >= depth {
                continue;
            }
            let by = by / unit;
            let name = if axis == 0 && at.twist != 0 {
                let _ = writeln!(text, "xor.b32 {h}, %t, {};", at.twist);
                h.as_str()
            } else {
                names[axis]
            };
            let bits = self.program.style.bits && by > 0 && by.count_ones() == 1;
            let apart = bits && top.is_some_and(|top| top <= by) && !is_first;
            let bound = match axis {
                0 if at.twist != 0 => Some(i64::from(self.program.threads().next_power_of_two())),
                0 | 1 => Some(bounds[axis]),
                _ => None,
            };
            top = bound.filter(|_| bits && (is_first || apart)).map(|bound| by * bound);
            let _ = match (is_first, by) {
                (true, 2..) if bits => writeln!(text, "shl.b32 {h}, {name}, {};", by.trailing_zeros()),
                (false, _) if apart && k.is_multiple_of(3) && bound.is_some() => {
                    let width = bound.unwrap_or(1).trailing_zeros();
                    writeln!(text, "bfi.b32 {h}, {name}, {h}, {}, {width};", by.trailing_zeros())
                }
                (false, _) if bits => {
                    let join = if apart { ["or.b32", "xor.b32"][k as usize % 2] } else { "add.u32" };
                    let up = by.trailing_zeros();
                    write!(text, "shl.b32 %o, {name}, {up};\n{join} {h}, {h}, %o;\n")
                }
                (true, 1) => writeln!(text, "mov.u32 {h}, {name};"),
                (true, _) => writeln!(text, "mul.lo.s32 {h}, {name}, {by};"),
                (false, 1) => writeln!(text, "add.s32 {h}, {h}, {name};"),
                (false, _) => writeln!(text, "mad.lo.s32 {h}, {name}, {by}, {h};"),
            };
            is_first = false;
        }
        let plus = plus / unit;
        let _ = match (is_first, plus) {
            (true, _) => writeln!(text, "mov.u32 {h}, {plus};"),
            (false, 0) => Ok(()),
            (false, 1..) if top.is_some_and(|top| plus % top == 0) => {
                writeln!(text, "or.b32 {h}, {h}, {plus};")
            }
            (false, _) => writeln!(text, "add.s32 {h}, {h}, {plus};"),
        };
        let base = match at.space {
            Space::Input => "%in",
            Space::Global if at.second => "%b",
            Space::Global => "%a",
            Space::Shared if self.program.style.generic[1] => "%sg",
            Space::Shared => {
                let _ = writeln!(text, "mad.lo.s32 {h}, {h}, {unit}, %s;");
                return h;
            }
        };
        let signed = at.by.iter().any(|by| *by < 0) || plus < 0;
        let ty = if signed { "s32" } else { "u32" };
        let _ = match k % 2 {
            _ if self.program.style.bits && !signed => {
                let up = unit.trailing_zeros();
                match k % 2 {
                    0 => write!(
                        text,
                        "shl.b32 {h}, {h}, {up};\ncvt.u64.u32 {p}, {h};\nadd.s64 {p}, {base}, {p};\n"
                    ),
                    _ => write!(
                        text,
                        "cvt.u64.u32 {p}, {h};\nshl.b64 {p}, {p}, {up};\nadd.s64 {p}, {base}, {p};\n"
                    ),
                }
            }
            0 => writeln!(text, "mad.wide.{ty} {p}, {h}, {unit}, {base};"),
            _ => write!(text, "mul.wide.{ty} {p}, {h}, {unit};\nadd.s64 {p}, {base}, {p};\n"),
        };
        p
    }
}
