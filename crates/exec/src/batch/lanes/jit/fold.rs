//! Loads that one instruction alone needs become its operand in memory; so may what has no register.

use crate::batch::lanes::jit::legalize::twin;
use crate::batch::lanes::jit::machine::{Arg, Body, Instr, Memory, Reg, Step};
use iced_x86::{Code, OpCodeOperandKind};

/// Instructions whose two operands may change places; so may those of their twins.
const COMMUTE: &[Code] = &[
    Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32,
    Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64,
    Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32,
    Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64,
    Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32,
    Code::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64,
    Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
    Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64,
    Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32,
    Code::EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64,
    Code::EVEX_Vpmuldq_zmm_k1z_zmm_zmmm512b64,
    Code::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32,
    Code::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32,
    Code::EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32,
    Code::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32,
    // On `.f64` it matters which of two NaNs is the first.
    Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er,
    Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er,
];

fn commutes(code: Code) -> bool {
    COMMUTE.iter().any(|long| *long == code || twin(*long) == Some(code))
}

/// Which loads may become operands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Loads {
    /// Those that differ from group to group: what is the same for all groups, or may be for some of them, is loaded once for them.
    Moving,
    All,
}

/// A load that waits for the instruction that needs it.
#[derive(Clone, Copy)]
struct Pending {
    at: usize,
    to: Reg,
    memory: Memory,
    /// Bytes of the element that all lanes get; none if each has its own.
    element: Option<usize>,
}

/// Puts loads where they are needed, if nothing is stored in between.
pub(super) fn fold(body: &mut Body, which: Loads) {
    let mut reads = vec![0u32; body.kinds.len()];
    let all = body.instrs.iter().flat_map(Instr::reads).chain(body.read_after_turn());
    all.for_each(|reg| reads[reg.0 as usize] += 1);
    let mut pending: Vec<Option<Pending>> = vec![None; body.kinds.len()];
    let mut gone = vec![false; body.instrs.len()];
    // What was loaded before the last store stays where it is.
    let mut from = 0;
    for at in 0..body.instrs.len() {
        let instr = &mut body.instrs[at];
        if instr.to.is_none() {
            from = at;
            continue;
        }
        let load =
            |reg: Reg| pending[reg.0 as usize].filter(|load| load.at >= from && reads[reg.0 as usize] == 1);
        if let Some(load) = take(instr, &load) {
            gone[load.at] = true;
        }
        if let Some(load) = loaded(at, instr)
            .filter(|load| which == Loads::All || matches!(load.memory.step, Step::Vectors(1..)))
        {
            pending[load.to.0 as usize] = Some(load);
        }
    }
    let mut gone = gone.into_iter();
    body.instrs.retain(|_| !gone.next().unwrap_or(false));
}

/// An instruction that finds in memory what it reads of a register; none if there is no such one.
pub(super) fn with_operand(instr: &Instr, reg: Reg, memory: Memory) -> Option<Instr> {
    if instr.to.is_none() || instr.reads().filter(|read| *read == reg).count() != 1 {
        return None;
    }
    let mut instr = *instr;
    let pending = Pending { at: 0, to: reg, memory, element: None };
    take(&mut instr, &|wanted| (wanted == reg).then_some(pending))?;
    Some(instr)
}

/// What an instruction loads, if that is all it does.
fn loaded(at: usize, instr: &Instr) -> Option<Pending> {
    let element = match instr.code {
        Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512 | Code::VEX_Vmovdqu_ymm_ymmm256 => None,
        Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32 => Some(4),
        Code::EVEX_Vpbroadcastq_zmm_k1z_xmmm64 => Some(8),
        _ => return None,
    };
    match (instr.to, instr.from) {
        (Some(Arg::Whole(to)), [Some(Arg::Memory(memory)), None, None]) => {
            Some(Pending { at, to, memory, element })
        }
        _ => None,
    }
}

/// Puts a load into an instruction that can do it by itself.
fn take(instr: &mut Instr, load: &dyn Fn(Reg) -> Option<Pending>) -> Option<Pending> {
    if instr.from.iter().any(|arg| matches!(arg, Some(Arg::Rounding(_)))) {
        return None;
    }
    let code = instr.code.op_code();
    // Results come first, and have no place among the operands.
    let whole = [OpCodeOperandKind::zmm_or_mem, OpCodeOperandKind::ymm_or_mem];
    let takes = |k: &usize| whole.contains(&code.op_kind(*k as u32 + 1));
    let k = (0..3).find(takes)?;
    let fits = |load: &Pending| match load.element {
        None => true,
        Some(bytes) => code.can_broadcast() && code.broadcast_memory_size().element_size() == bytes,
    };
    let of = |arg: Option<Arg>| match arg {
        Some(Arg::Whole(reg)) => load(reg).filter(fits),
        _ => None,
    };
    let may_swap = k == 1 && commutes(instr.code) && matches!(instr.from[1], Some(Arg::Whole(_)));
    let load = match of(instr.from[k]) {
        Some(load) => load,
        None => {
            let load = of(instr.from[0].filter(|_| may_swap))?;
            instr.from.swap(0, 1);
            load
        }
    };
    instr.from[k] = Some(match load.element {
        None => Arg::Memory(load.memory),
        Some(_) => Arg::Element(load.memory),
    });
    Some(load)
}
