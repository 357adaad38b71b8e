//! Moves: loads, stores, gathers, and lanes in another order.

use super::assembler::{AND, B, D, H, S, TBL, TBL_OF_TWO, V, X, add, mul, uzp1, uzp2, zip1, zip2};
use super::floats::widened;
use super::vectors::{each, each_of_one, number};
use super::{ADDRESS, POINTER, T, Writer, halves};
use crate::batch::lanes::jit::allocate::Placed;
use crate::batch::lanes::jit::machine::Arg;
use iced_x86::Code;

/// Writes an instruction, if it is one of these.
pub(super) fn write(w: &mut Writer, placed: &Placed) -> Option<()> {
    let to = halves(placed.to);
    let two = |w: &mut Writer, base: u32| each(w, placed, |w, d, a, b| w.code.two(base, d, a, b));
    match placed.instr.code {
        Code::VEX_Vmovdqu_ymm_ymmm256 | Code::VEX_Vmovdqa_ymm_ymmm256 => {
            if let Arg::Memory(memory) = placed.instr.from[0]? {
                w.load(placed.to, memory, 32);
                return Some(());
            }
            each_of_one(w, placed, |w, d, a| w.code.mov(d, a))
        }
        Code::VEX_Vmovdqu_ymmm256_ymm => {
            let Arg::Memory(memory) = placed.instr.from[0]? else { return None };
            w.store(placed.from[1], memory);
            Some(())
        }
        Code::VEX_Vmovdqu_xmm_xmmm128 => {
            let [a, _] = halves(w.pair(placed, 0, 16)?);
            lower(w, to, a)
        }
        Code::VEX_Vbroadcasti128_ymm_m128 => {
            let [a, _] = halves(w.pair(placed, 0, 16)?);
            to.into_iter().for_each(|d| w.code.mov(d, a));
            Some(())
        }
        Code::VEX_Vpbroadcastb_ymm_xmmm8 => broadcast(w, placed, B),
        Code::VEX_Vpbroadcastw_ymm_xmmm16 => broadcast(w, placed, H),
        Code::VEX_Vpbroadcastd_ymm_xmmm32 => broadcast(w, placed, S),
        Code::VEX_Vpbroadcastq_ymm_xmmm64 => broadcast(w, placed, D),
        Code::VEX_Vpbroadcastd_xmm_xmmm32 => {
            broadcast(w, placed, S)?;
            w.code.movi_bytes(to[1], 0);
            Some(())
        }
        Code::VEX_Vpmovzxwd_ymm_xmmm128 => {
            widened(w, placed, |w, upper, d, a| w.code.extend((true, H), upper, d, a))
        }
        Code::VEX_Vpmovzxdq_ymm_xmmm128 => {
            widened(w, placed, |w, upper, d, a| w.code.extend((true, S), upper, d, a))
        }
        Code::VEX_Vpmovsxdq_ymm_xmmm128 => {
            widened(w, placed, |w, upper, d, a| w.code.extend((false, S), upper, d, a))
        }
        Code::VEX_Vpmovzxbd_ymm_xmmm64 => {
            let [a, _] = halves(w.pair(placed, 0, 8)?);
            w.code.extend((true, B), false, T[0], a);
            w.code.extend((true, H), true, to[1], T[0]);
            w.code.extend((true, H), false, to[0], T[0]);
            Some(())
        }
        Code::VEX_Vpmovzxbd_xmm_xmmm32 => {
            let [a, _] = halves(w.pair(placed, 0, 4)?);
            w.code.extend((true, B), false, T[0], a);
            w.code.extend((true, H), false, T[0], T[0]);
            lower(w, to, T[0])
        }
        Code::VEX_Vpmovzxwd_xmm_xmmm64 => {
            let [a, _] = halves(w.pair(placed, 0, 8)?);
            w.code.extend((true, H), false, T[0], a);
            lower(w, to, T[0])
        }
        Code::VEX_Vextracti128_xmmm128_ymm_imm8 => {
            let a = halves(w.pair(placed, 0, 32)?);
            lower(w, to, a[usize::from(number(placed, 1)? & 1)])
        }
        Code::VEX_Vinserti128_ymm_ymm_xmmm128_imm8 => {
            let (a, [b, _]) = (halves(w.pair(placed, 0, 32)?), halves(w.pair(placed, 1, 16)?));
            let place = usize::from(number(placed, 2)? & 1);
            w.code.mov(T[0], b);
            w.code.mov(to[1 - place], a[1 - place]);
            w.code.mov(to[place], T[0]);
            Some(())
        }
        Code::VEX_Vpunpckldq_ymm_ymm_ymmm256 => two(w, zip1(S)),
        Code::VEX_Vpunpckhdq_ymm_ymm_ymmm256 => two(w, zip2(S)),
        Code::VEX_Vpunpcklqdq_ymm_ymm_ymmm256 => two(w, zip1(D)),
        Code::VEX_Vpunpckhqdq_ymm_ymm_ymmm256 => two(w, zip2(D)),
        Code::VEX_Vshufps_ymm_ymm_ymmm256_imm8 => match number(placed, 2)? {
            0x88 => two(w, uzp1(S)),
            0xdd => two(w, uzp2(S)),
            order => each(w, placed, |w, d, a, b| shuffled(w, order, d, a, b)),
        },
        Code::VEX_Vpshufd_ymm_ymmm256_imm8 => {
            let order = number(placed, 1)?;
            each_of_one(w, placed, |w, d, a| shuffled(w, order, d, a, a))
        }
        Code::VEX_Vpblendd_ymm_ymm_ymmm256_imm8 => {
            let chosen = number(placed, 2)?;
            let mut half = [chosen, chosen >> 4].into_iter();
            each(w, placed, |w, d, a, b| {
                let Some(chosen) = half.next() else { return };
                w.code.mov(T[0], a);
                for lane in (0..4).filter(|lane| chosen >> lane & 1 == 1) {
                    w.code.ins(S, (T[0], lane), (b, lane));
                }
                w.code.mov(d, T[0]);
            })
        }
        Code::VEX_Vpermq_ymm_ymmm256_imm8 => {
            let (a, order) = (halves(w.pair(placed, 0, 32)?), number(placed, 1)?);
            for (k, half) in [T[0], T[1]].into_iter().enumerate() {
                let [low, high] = [order >> (4 * k) & 3, order >> (4 * k + 2) & 3].map(u32::from);
                w.code.dup(D, half, a[low as usize / 2], low % 2);
                w.code.ins(D, (half, 1), (a[high as usize / 2], high % 2));
            }
            w.code.mov(to[0], T[0]);
            w.code.mov(to[1], T[1]);
            Some(())
        }
        Code::VEX_Vpermd_ymm_ymm_ymmm256 => {
            let (lanes, from) = (halves(w.pair(placed, 0, 32)?), halves(w.pair(placed, 1, 32)?));
            // Of each lane, the numbers of its four bytes.
            w.code.number(ADDRESS, 0x0302_0100);
            w.code.dup_general(S, T[2], ADDRESS);
            w.code.movi_bytes(T[3], 4);
            for (lanes, half) in lanes.into_iter().zip([T[0], T[1]]) {
                w.code.movi_words(half, 7, 0);
                w.code.two(AND, half, half, lanes);
                w.code.two(mul(S), half, half, T[3]);
                w.code.two(add(S), half, half, T[2]);
            }
            w.code.two(TBL_OF_TWO, T[0], from[0], T[0]);
            w.code.two(TBL_OF_TWO, T[1], from[0], T[1]);
            w.code.mov(to[0], T[0]);
            w.code.mov(to[1], T[1]);
            Some(())
        }
        Code::VEX_Vpshufb_ymm_ymm_ymmm256 => each(w, placed, |w, d, a, bytes| {
            // Where the sign is set, there is no such byte.
            w.code.movi_bytes(T[0], 0x8f);
            w.code.two(AND, T[0], T[0], bytes);
            w.code.two(TBL, d, a, T[0]);
        }),
        Code::VEX_Vpgatherdd_ymm_vm32y_ymm => gathered(w, placed, S),
        Code::VEX_Vpgatherdq_ymm_vm32x_ymm => gathered(w, placed, D),
        _ => None,
    }
}

/// A vector in the lower half of a pair, and 0 in the other.
fn lower(w: &mut Writer, to: [V; 2], a: V) -> Option<()> {
    w.code.mov(to[0], a);
    w.code.movi_bytes(to[1], 0);
    Some(())
}

fn broadcast(w: &mut Writer, placed: &Placed, size: u32) -> Option<()> {
    let [low, high] = halves(placed.to);
    match placed.instr.from[0]? {
        Arg::Memory(memory) => {
            let at = w.whole_address(memory);
            w.code.ld1r(size, low, at);
        }
        Arg::Whole(_) | Arg::Lower(_) => w.code.dup(size, low, halves(placed.from[0])[0], 0),
        _ => return None,
    }
    w.code.mov(high, low);
    Some(())
}

/// Two words of one vector and two of another, by their numbers.
fn shuffled(w: &mut Writer, order: u8, d: V, a: V, b: V) {
    let lanes: [u32; 4] = std::array::from_fn(|k| u32::from(order >> (2 * k) & 3));
    w.code.dup(S, T[0], a, lanes[0]);
    w.code.ins(S, (T[0], 1), (a, lanes[1]));
    w.code.ins(S, (T[0], 2), (b, lanes[2]));
    w.code.ins(S, (T[0], 3), (b, lanes[3]));
    w.code.mov(d, T[0]);
}

/// Elements, each as many bytes on as a word says.
fn gathered(w: &mut Writer, placed: &Placed, size: u32) -> Option<()> {
    let Arg::Gathered { memory, .. } = placed.instr.from[0]? else { return None };
    let (base, at) = w.address(memory);
    w.code.add_number(POINTER, base, at);
    let by = halves(placed.from[0]);
    let lanes = 16u32 >> size;
    const ELEMENT: X = ADDRESS;
    for lane in 0..2 * lanes {
        w.code.umov_word(ELEMENT, by[lane as usize / 4], lane % 4);
        if size == S {
            w.code.ldr_word_from(ELEMENT, POINTER, ELEMENT);
        } else {
            w.code.ldr_from(ELEMENT, POINTER, ELEMENT);
        }
        w.code.ins_general(size, (T[(lane / lanes) as usize], lane % lanes), ELEMENT);
    }
    let to = halves(placed.to);
    w.code.mov(to[0], T[0]);
    w.code.mov(to[1], T[1]);
    Some(())
}
