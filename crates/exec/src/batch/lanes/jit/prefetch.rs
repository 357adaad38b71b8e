//! Elements that later rounds load, fetched while a round computes.
//!
//! A processor's own prefetching follows loads, which are rare in a long round; and a round that computes long fills all that is pending,
//! so that the next one's loads begin late.

use crate::batch::lanes::jit::allocate::{Allocated, Placed};
use crate::batch::lanes::jit::machine::{Arg, Base, Body, Instr, Memory, Step};
use iced_x86::Code;

/// Bytes from what a round loads to what it fetches.
const AHEAD: i32 = 2048;

/// Instructions of a round for each load, at least: where there are fewer, loads themselves come early enough, and elements that
/// overlap would be fetched again and again.
const LONG: usize = 32;

/// Adds instructions that fetch, before the loads of a long round. They do nothing where there is no memory.
pub(super) fn prefetch(body: &Body, round: &mut Allocated) {
    let later = |placed: &Placed| {
        let memory = placed.instr.args().find_map(|arg| arg.memory())?;
        match memory {
            Memory { base: Base::Pointer(pointer, at), step: Step::Vectors(1..) }
                if body.is_element(memory) =>
            {
                Some(Memory { base: Base::Pointer(pointer, at + AHEAD), ..memory })
            }
            _ => None,
        }
    };
    let loads = round.code.iter().filter_map(later).count();
    if loads == 0 || round.code.len() / loads < LONG {
        return;
    }
    let mut code = Vec::with_capacity(round.code.len() + loads);
    for placed in std::mem::take(&mut round.code) {
        code.extend(later(&placed).map(fetch));
        code.push(placed);
    }
    round.code = code;
}

fn fetch(memory: Memory) -> Placed {
    let from = [Some(Arg::Memory(memory)), None, None];
    let instr = Instr { code: Code::Prefetcht0_m8, to: None, onto: None, from, by: None, zeroes: false };
    Placed { instr, to: 0, from: [0; 3], by: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::lanes::jit::allocate::allocate;
    use crate::batch::lanes::jit::machine::{Kind, Pointer};
    use crate::batch::lanes::jit::target::AVX512;

    /// What a round fetches that loads an element a thread, a word for all, and a line, and adds so often.
    fn fetched(additions: usize) -> Vec<Memory> {
        let mut body = Body::new(&AVX512);
        let (elements, lent) = (body.pointer(Pointer::Load(0)), body.pointer(Pointer::Lent(0)));
        let each = |pointer: usize| Memory { base: Base::Pointer(pointer, 64), step: Step::Vectors(1) };
        let all = Memory::fixed(Base::Pointer(elements, 0));
        let line = Memory { base: Base::Lines(0), step: Step::Vectors(1) };
        let push = |body: &mut Body, code: Code, from: [Option<Arg>; 3]| {
            let to = body.reg(Kind::Vector);
            let to_arg = Some(Arg::Whole(to));
            body.instrs.push(Instr { code, to: to_arg, onto: None, from, by: None, zeroes: false });
            to
        };
        let loads = [each(lent), all, line, each(elements)]
            .map(|memory| push(&mut body, AVX512.load, [Some(Arg::Memory(memory)), None, None]));
        let mut sum = loads[3];
        for _ in 0..additions {
            let from = [Some(Arg::Whole(sum)), Some(Arg::Whole(sum)), None];
            sum = push(&mut body, Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, from);
        }
        let mut round = allocate(&body, &body.instrs, 0).expect("registers");
        prefetch(&body, &mut round);
        let fetches = round.code.iter().filter(|placed| placed.instr.code == Code::Prefetcht0_m8);
        fetches.filter_map(|placed| placed.instr.args().find_map(|arg| arg.memory())).collect()
    }

    #[test]
    fn long_rounds_fetch_elements_of_later_ones() {
        let later = Memory { base: Base::Pointer(0, 64 + AHEAD), step: Step::Vectors(1) };
        assert_eq!(fetched(40), [later]);
        assert_eq!(fetched(20), []);
    }
}
