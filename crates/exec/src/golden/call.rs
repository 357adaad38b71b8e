//! Calls and returns: who is called, and how arguments and results pass.

use super::lane::Lane;
use super::stack::Frame;
use crate::code::{Action, Call, Callee, Code, Source, Spot};
use crate::memory::Private;
use crate::trap::TrapKind;
use margay_isa::Bits;

impl<'a> Lane<'a> {
    /// Goes to the start of the function that is called, its arguments in place; what the runtime provides is done at
    /// once.
    pub(super) fn call(&mut self, call: &Call) -> Result<(), TrapKind> {
        let number = match &call.callee {
            Callee::Provided(provided) => {
                self.stack.deeds += 1;
                self.provide(*provided, call)?;
                self.stack.pc += 1;
                return Ok(());
            }
            Callee::Named(number) => *number,
            Callee::At(address, listed) => self.function_at(address, listed.as_deref())?,
            Callee::Inside { .. } => unreachable!("only the batch engine's compiler has such calls"),
        };
        let job = self.job;
        let Some(code) = job.ready.code.get(number as usize).and_then(Option::as_ref) else {
            return Err(self.unfit(number));
        };
        if matches!(call.callee, Callee::At(..))
            && !(fits(&call.arguments, &code.parameters) && fits(&call.results, &code.returns))
        {
            return Err(self.unfit(number));
        }
        let open = match (call.arguments.last(), code.parameters.last()) {
            (Some(given), Some(Spot::Memory { bytes: 0, .. })) => given.bytes().unwrap_or(0),
            _ => 0,
        };
        let caller = self.stack.enter(job, number, code, open)?;
        let callee = self.stack.frame;
        if let Some(watch) = &mut self.watch {
            watch.fresh_local(self.index, callee.local, self.stack.top - callee.local);
        }
        for (given, wanted) in call.arguments.iter().zip(&code.parameters) {
            self.pass((given, caller), (wanted, callee));
        }
        Ok(())
    }

    /// Goes back behind the call; `false` if there is none.
    pub(super) fn give_back(&mut self) -> bool {
        let job = self.job;
        let code = job.ready.code[self.stack.function as usize].as_ref();
        let Some(left) = self.stack.leave(job) else { return false };
        let caller = self.stack.frame;
        if let (Some(code), Action::Call(call)) = (code, &self.code().ops[self.stack.pc as usize].action) {
            for (given, wanted) in code.returns.iter().zip(&call.results) {
                self.pass((given, left), (wanted, caller));
            }
        }
        self.stack.drop_left(left);
        true
    }

    /// The code of the function that runs.
    #[inline]
    pub(super) fn code(&self) -> &'a Code {
        let job = self.job;
        match &job.ready.code[self.stack.function as usize] {
            Some(code) => code,
            None => unreachable!("only functions that can be reached are called"),
        }
    }

    fn function_at(&self, address: &Source, listed: Option<&[u32]>) -> Result<u32, TrapKind> {
        let address = self.read(address) as u64;
        let found = self.job.memory.layout().function_at(address);
        let Some(number) = found.filter(|number| (*number as usize) < self.job.ready.code.len()) else {
            return Err(TrapKind::Target(format!(
                "call of address {address:#x}, which is not the start of a function"
            )));
        };
        match listed {
            Some(listed) if !listed.contains(&number) => Err(TrapKind::Target(format!(
                "call of function `{}`, which is not among the call's targets",
                self.name(number)
            ))),
            _ => Ok(number),
        }
    }

    /// Why a function cannot be called by its address.
    fn unfit(&self, number: u32) -> TrapKind {
        let function = &self.job.module.functions()[number as usize];
        let name = self.name(number);
        TrapKind::Target(if function.is_entry {
            format!("call of `{name}`, which is a kernel")
        } else if function.is_defined {
            format!("call of function `{name}`, whose parameters and results do not match the prototype")
        } else {
            format!("call of function `{name}`, which is not defined")
        })
    }

    fn name(&self, number: u32) -> &'a str {
        &self.job.module.functions()[number as usize].name
    }

    /// Copies a value from one function's frame to another's.
    fn pass(&mut self, (from, there): (&Spot, Frame), (to, here): (&Spot, Frame)) {
        match (from, to) {
            (Spot::Nothing, _) | (_, Spot::Nothing) => {}
            (Spot::Memory { at, bytes }, Spot::Memory { at: goal, bytes: most }) => {
                let bytes = if *most == 0 { *bytes } else { *bytes.min(most) };
                self.copy_local(there.local + at, here.local + goal, bytes);
            }
            (from, to) => {
                let (value, written) = self.in_frame(there, |lane| (lane.get(from), lane.has_written(from)));
                self.in_frame(here, |lane| {
                    lane.put_at(to, value);
                    if let (Spot::Value { target, .. }, true) = (to, lane.job.tracks_registers) {
                        lane.set_written(target, written);
                    }
                });
            }
        }
    }

    fn in_frame<T>(&mut self, frame: Frame, act: impl FnOnce(&mut Self) -> T) -> T {
        let now = std::mem::replace(&mut self.stack.frame, frame);
        let result = act(self);
        self.stack.frame = now;
        result
    }

    fn has_written(&self, from: &Spot) -> bool {
        match from {
            Spot::Value { source, .. } => self.is_written(source),
            Spot::Nothing | Spot::Memory { .. } => true,
        }
    }

    pub(super) fn get(&self, from: &Spot) -> Bits {
        match from {
            Spot::Nothing => 0,
            Spot::Value { source, .. } => self.read(source),
            Spot::Memory { at, bytes } => (0..(*bytes).min(16)).rev().fold(0, |value, k| {
                let byte = self.stack.local.load(self.stack.frame.local + at + k, 1);
                value << 8 | Bits::from(byte)
            }),
        }
    }

    pub(super) fn put_at(&mut self, to: &Spot, value: Bits) {
        match to {
            Spot::Nothing => {}
            Spot::Value { target, .. } => self.write(target, value),
            Spot::Memory { at, bytes } => {
                if let Some(watch) = &mut self.watch {
                    watch.pass(self.index, self.stack.frame.local + at, (*bytes).min(16));
                }
                for k in 0..(*bytes).min(16) {
                    let at = self.stack.frame.local + at + k;
                    self.stack.local.store(at, 1, (value >> (8 * k)) as u64);
                }
            }
        }
    }

    /// Copies bytes within local memory, in steps as wide as both places allow.
    fn copy_local(&mut self, from: u64, to: u64, bytes: u64) {
        let width = match (from | to | bytes) % 8 {
            0 => 8,
            4 => 4,
            _ => 1,
        };
        if let Some(watch) = &mut self.watch {
            watch.copy(self.index, from, to, bytes);
        }
        let local = &mut self.stack.local;
        for k in (0..bytes).step_by(width as usize) {
            let value = local.load(from + k, width);
            local.store(to + k, width, value);
        }
    }
}

/// Whether what a call has and what a function has are as many, of the same sizes.
pub(crate) fn fits(given: &[Spot], wanted: &[Spot]) -> bool {
    let same = |(given, wanted): (&Spot, &Spot)| match (given.bytes(), wanted.bytes()) {
        (Some(given), Some(wanted)) => given == wanted,
        _ => true,
    };
    given.len() == wanted.len() && given.iter().zip(wanted).all(same)
}
