//! A thread's stack: the registers and local memory of the function that runs and of its callers.

use crate::code::Code;
use crate::frame::CALL_BYTES;
use crate::launch::Job;
use crate::memory::{Region, holds};
use crate::trap::TrapKind;
use margay_front::module::FunctionId;

/// Where a thread stands, and what its functions hold.
#[derive(Default)]
pub(super) struct Stack {
    /// The function that runs.
    pub(super) function: u32,
    /// Its next instruction.
    pub(super) pc: u32,
    /// Where its registers and its part of local memory begin.
    pub(super) frame: Frame,
    /// Bytes of local memory that are in use.
    pub(super) top: u64,
    pub(super) registers: Vec<u64>,
    /// Which of them are written, where that is watched; empty elsewhere.
    written: Vec<bool>,
    /// Words that hold `top` bytes.
    pub(super) local: Vec<u64>,
    /// The calls that have not returned, the kernel's first.
    pub(super) calls: Vec<Call>,
    /// Bytes in use that lie between variables that are kept apart: they count for no limit.
    gaps: u64,
    /// How often the thread has done something that others can see, or that depends on them.
    pub(super) deeds: u64,
}

/// Where a function's part of the stack begins.
#[derive(Clone, Copy, Default)]
pub(super) struct Frame {
    pub(super) registers: usize,
    /// Address in local memory.
    pub(super) local: u64,
}

/// A caller, as it was when it called.
#[derive(Clone, Copy)]
pub(super) struct Call {
    pub(super) function: u32,
    /// The call.
    pub(super) pc: u32,
    pub(super) frame: Frame,
    top: u64,
}

const _: () = assert!(size_of::<Call>() as u64 <= CALL_BYTES);

impl Stack {
    /// Ready for the first instruction of the kernel.
    pub(super) fn start(&mut self, job: &Job) {
        self.calls.clear();
        self.registers.clear();
        self.local.clear();
        (self.function, self.pc, self.frame) = (job.entry.0, 0, Frame::default());
        (self.top, self.gaps) =
            job.ready.frame.stack(job.entry).map_or((0, 0), |stack| (stack.bytes, stack.gaps));
        self.local.resize(self.top.div_ceil(8) as usize, 0);
        let slots = job.ready.code[self.function as usize].as_ref().map_or(0, |code| code.slots);
        self.registers.resize(slots, 0);
        self.written.clear();
        self.track(job);
    }

    /// New registers are not written, where that is watched.
    fn track(&mut self, job: &Job) {
        if job.tracks_registers {
            self.written.resize(self.registers.len(), false);
        }
    }

    /// Whether a register of the function that runs is written, as far as that is watched.
    pub(super) fn is_written(&self, slot: u32) -> bool {
        self.written.get(self.frame.registers + slot as usize).copied().unwrap_or(true)
    }

    /// Notes whether a register of the function that runs is written.
    pub(super) fn set_written(&mut self, slot: u32, written: bool) {
        if let Some(place) = self.written.get_mut(self.frame.registers + slot as usize) {
            *place = written;
        }
    }

    /// Goes to the start of a function, whose open parameter has `open` bytes. Gives the caller's frame.
    pub(super) fn enter(
        &mut self,
        job: &Job,
        function: u32,
        code: &Code,
        open: u64,
    ) -> Result<Frame, TrapKind> {
        let stack = job.ready.frame.stack(FunctionId(function));
        let gaps = stack.map_or(0, |stack| stack.gaps);
        let (local, top) = stack.map_or((self.top, self.top), |stack| stack.behind(self.top));
        let caller = self.frame;
        let saved = Call { function: self.function, pc: self.pc, frame: caller, top: self.top };
        let top = top.saturating_add(open);
        let used = top.saturating_sub(self.gaps + gaps);
        self.reserve(job, used, self.registers.len() + code.slots, self.calls.len() + 1)?;
        self.gaps += gaps;
        self.calls.push(saved);
        self.frame = Frame { registers: self.registers.len(), local };
        self.registers.resize(self.registers.len() + code.slots, 0);
        self.track(job);
        self.set_top(top);
        (self.function, self.pc) = (function, 0);
        Ok(caller)
    }

    /// Goes back to the call that led here; the frame left is given back, its contents still there.
    pub(super) fn leave(&mut self, job: &Job) -> Option<Frame> {
        let Call { function, pc, frame, .. } = self.calls.last().copied()?;
        self.gaps -= job.ready.frame.stack(FunctionId(self.function)).map_or(0, |stack| stack.gaps);
        let left = std::mem::replace(&mut self.frame, frame);
        (self.function, self.pc) = (function, pc);
        Some(left)
    }

    /// Takes over what another engine has in local memory, as far as it is in use.
    pub(super) fn take_local(&mut self, local: Vec<u64>) {
        let top = self.top;
        self.local = local;
        self.top = 8 * self.local.len() as u64;
        self.set_top(top);
    }

    /// Forgets what lies behind the frame of the function that was gone back to.
    pub(super) fn drop_left(&mut self, left: Frame) {
        if let Some(call) = self.calls.pop() {
            self.registers.truncate(left.registers);
            self.written.truncate(left.registers);
            self.set_top(call.top);
        }
    }

    /// Takes some bytes, aligned, and gives their address.
    pub(super) fn allocate(&mut self, job: &Job, bytes: u64, align: u64) -> Result<u64, TrapKind> {
        let at = self.top.next_multiple_of(align);
        let top = at.saturating_add(bytes);
        self.reserve(job, top.saturating_sub(self.gaps), self.registers.len(), self.calls.len())?;
        self.set_top(top);
        Ok(at)
    }

    /// Sets the end of local memory; what is new is zero.
    pub(super) fn set_top(&mut self, top: u64) {
        // The bytes behind the end of a word that stays are wiped too.
        let whole = top.min(self.top);
        self.local.truncate(whole.div_ceil(8) as usize);
        if !whole.is_multiple_of(8)
            && let Some(last) = self.local.last_mut()
        {
            *last &= (1 << (8 * (whole % 8))) - 1;
        }
        self.local.resize(top.div_ceil(8) as usize, 0);
        self.top = top;
    }

    /// Whether the limit allows so many bytes, registers and calls.
    fn reserve(&self, job: &Job, top: u64, registers: usize, calls: usize) -> Result<(), TrapKind> {
        let kept = 8 * registers as u64 + calls as u64 * CALL_BYTES;
        match top.saturating_add(kept) <= job.storage.stack_limit {
            true => Ok(()),
            false => Err(TrapKind::Stack(job.storage.stack_limit)),
        }
    }

    /// Whether one variable has all of these bytes, or they were taken of the stack.
    pub(super) fn holds(&self, job: &Job, address: u64, bytes: u64) -> bool {
        let (function, base, end) = match address >= self.frame.local {
            true => (self.function, self.frame.local, self.top),
            false => {
                let behind = self.calls.partition_point(|call| call.frame.local <= address);
                let Some(call) = behind.checked_sub(1).map(|k| &self.calls[k]) else { return false };
                (call.function, call.frame.local, call.top)
            }
        };
        let (Some(stack), true) =
            (job.ready.frame.stack(FunctionId(function)), bytes <= end.saturating_sub(address))
        else {
            return false;
        };
        address - base >= stack.bytes || holds(&stack.regions, address - base, bytes)
    }

    /// What local memory holds, in the order of addresses.
    pub(super) fn regions(&self, job: &Job) -> Vec<Region> {
        let callers = self.calls.iter().map(|call| (call.function, call.frame.local, call.top));
        let frames = callers.chain([(self.function, self.frame.local, self.top)]);
        let mut regions = Vec::new();
        for (function, base, end) in frames {
            let stack = job.ready.frame.stack(FunctionId(function));
            let own = stack.iter().flat_map(|stack| &stack.regions);
            regions.extend(own.map(|region| Region {
                base: base + region.base,
                // An open parameter reaches to the end of the frame.
                bytes: if region.bytes == 0 { end - base - region.base } else { region.bytes },
                name: region.name.clone(),
            }));
        }
        regions
    }
}
