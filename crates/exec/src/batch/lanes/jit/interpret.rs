//! A judge of selected instructions on machines that lack them: what those of AVX-512 do that approximate functions become, lane by
//! lane as Intel's manual has it, against the functions on single values.

use crate::batch::lanes::jit::isel::{Run, select};
use crate::batch::lanes::jit::machine::{Arg, Base, Body, Instr, Reg};
use crate::batch::lanes::jit::target::AVX512;
use crate::batch::lanes::{Item, Place, VectorOp, What, Work};
use iced_x86::Code;
use margay_isa::uop::float::Approx;
use margay_isa::uop::{Op, eval};
use std::array::from_fn;
use std::collections::HashMap;

type Vector = [u32; 16];
type Wide = [u64; 8];

/// Registers of both kinds: masks are the lanes that they choose.
#[derive(Default)]
struct State {
    vectors: HashMap<Reg, Vector>,
    masks: HashMap<Reg, [bool; 16]>,
}

fn wide(v: Vector) -> Wide {
    from_fn(|k| u64::from(v[2 * k]) | u64::from(v[2 * k + 1]) << 32)
}

fn narrow(v: Wide) -> Vector {
    from_fn(|k| (v[k / 2] >> (32 * (k % 2))) as u32)
}

/// Of two vectors, lane by lane.
fn each(a: Vector, b: Vector, f: impl Fn(u32, u32) -> u32) -> Vector {
    from_fn(|k| f(a[k], b[k]))
}

fn single(a: Vector, b: Vector, f: impl Fn(f32, f32) -> f32) -> Vector {
    each(a, b, |a, b| f(f32::from_bits(a), f32::from_bits(b)).to_bits())
}

fn fused(a: Vector, b: Vector, c: Vector) -> Vector {
    let [a, b, c] = [a, b, c].map(|v| wide(v).map(f64::from_bits));
    narrow(from_fn(|k| a[k].mul_add(b[k], c[k]).to_bits()))
}

/// The lanes of a vector that are numbers as words with sign, and those that are not as the least of them.
fn truncated(a: Vector) -> Vector {
    a.map(|a| {
        let a = f32::from_bits(a);
        if a.abs() < 2147483648f32 { a as i32 as u32 } else { 1 << 31 }
    })
}

fn products_of_bytes(sum: u32, a: u32, b: u32) -> u32 {
    let pairs = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
    pairs.fold(sum, |sum, (a, b)| sum.wrapping_add((i32::from(a) * i32::from(b as i8)) as u32))
}

fn products_of_halves(a: u32, b: u32) -> u32 {
    let half = |v: u32, k: u32| i32::from((v >> (16 * k)) as u16 as i16);
    (half(a, 0) * half(b, 0)).wrapping_add(half(a, 1) * half(b, 1)) as u32
}

fn ternary(table: u32, a: u32, b: u32, c: u32) -> u32 {
    let bit = |k: u32| (a >> k & 1) << 2 | (b >> k & 1) << 1 | c >> k & 1;
    (0..32).fold(0, |all, k| all | (table >> bit(k) & 1) << k)
}

/// Eight bits of each 64 from where a byte says.
fn shifted_bytes(places: u64, data: u64) -> u64 {
    u64::from_le_bytes(places.to_le_bytes().map(|place| data.rotate_right(u32::from(place & 63)) as u8))
}

fn compared(number: u32, a: i64, b: i64) -> bool {
    match number {
        0 => a == b,
        1 => a < b,
        2 => a <= b,
        _ => panic!("comparison {number}"),
    }
}

impl State {
    fn vector(&self, body: &Body, arg: Option<Arg>, input: &Vector) -> Vector {
        match arg {
            Some(Arg::Whole(reg) | Arg::Lower(reg)) => self.vectors.get(&reg).copied().unwrap_or_default(),
            Some(Arg::Memory(memory)) => match memory.base {
                Base::Constant(k) => body.constants[k],
                _ => *input,
            },
            Some(Arg::Number(number)) => [number.into(); 16],
            _ => [0; 16],
        }
    }

    /// Carries an instruction out; gives what it stores, if it does.
    fn step(&mut self, body: &Body, instr: &Instr, input: &Vector) -> Option<Vector> {
        let [a, b, c] = instr.from.map(|arg| self.vector(body, arg, input));
        let old = instr.onto.map(|reg| self.vectors[&reg]).unwrap_or_default();
        if instr.to.is_none() {
            return Some(b);
        }
        let set = instr.sets().expect("a register");
        let mask = |k: usize| instr.from[k].and_then(Arg::reg).and_then(|reg| self.masks.get(&reg).copied());
        let lanes = |f: &dyn Fn(usize) -> bool| -> [bool; 16] { from_fn(f) };
        let became = match instr.code {
            Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8 => {
                Err(lanes(&|k| compared(c[k], (a[k] as i32).into(), (b[k] as i32).into())))
            }
            Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8 => {
                Err(lanes(&|k| compared(c[k], a[k].into(), b[k].into())))
            }
            Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32 => Err(lanes(&|k| a[k] & b[k] != 0)),
            Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32 => Err(lanes(&|k| a[k] & b[k] == 0)),
            Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae => {
                assert_eq!(c[0], 3, "whether either is not a number");
                Err(lanes(&|k| f32::from_bits(a[k]).is_nan() || f32::from_bits(b[k]).is_nan()))
            }
            Code::VEX_Kandw_kr_kr_kr => {
                let (x, y) = (mask(0).expect("a mask"), mask(1).expect("a mask"));
                Err(lanes(&|k| x[k] && y[k]))
            }
            Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512 | Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512 => Ok(a),
            Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32 => Ok(each(a, b, |a, b| a & b)),
            Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64 => Ok(each(a, b, |a, b| a & b)),
            Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32 => Ok(each(a, b, |a, b| a ^ b)),
            Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32 => Ok(each(a, b, u32::wrapping_add)),
            Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32 => Ok(each(a, b, u32::wrapping_sub)),
            Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32 => Ok(each(a, b, u32::wrapping_mul)),
            Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8 => Ok(each(a, b, |a, b| a << b)),
            Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8 => Ok(each(a, b, |a, b| a >> b)),
            Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8 => Ok(each(a, b, |a, b| (a as i32 >> b) as u32)),
            Code::EVEX_Vpmaddwd_zmm_k1z_zmm_zmmm512 => Ok(each(a, b, products_of_halves)),
            Code::EVEX_Vpdpbusd_zmm_k1z_zmm_zmmm512b32 => {
                Ok(from_fn(|k| products_of_bytes(old[k], a[k], b[k])))
            }
            Code::EVEX_Vpmultishiftqb_zmm_k1z_zmm_zmmm512b64 => {
                let (a, b) = (wide(a), wide(b));
                Ok(narrow(from_fn(|k| shifted_bytes(a[k], b[k]))))
            }
            Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8 => {
                Ok(from_fn(|k| ternary(c[k], old[k], a[k], b[k])))
            }
            // The register that is written over says which of 32 words.
            Code::EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32 => Ok(old.map(|place| {
                let table = if place & 16 == 0 { a } else { b };
                table[place as usize & 15]
            })),
            Code::EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32 => {
                let by = self.masks[&instr.by.expect("a mask")];
                let chosen = from_fn(|k| if by[k] { b[k] } else { a[k] });
                self.vectors.insert(set, chosen);
                return None;
            }
            Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er => Ok(single(a, b, |a, b| a * b)),
            Code::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er => Ok(single(a, b, |a, b| a - b)),
            // Of a NaN and a number the second.
            Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae => {
                Ok(single(a, b, |a, b| if a > b { a } else { b }))
            }
            Code::EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae => {
                Ok(single(a, b, |a, b| if a < b { a } else { b }))
            }
            Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae => Ok(truncated(a)),
            Code::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae => {
                assert_eq!(b[0], 9, "downwards");
                Ok(a.map(|a| f32::from_bits(a).floor().to_bits()))
            }
            Code::EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae => {
                assert_eq!(b[0], 11, "towards 0");
                Ok(narrow(wide(a).map(|a| f64::from_bits(a).trunc().to_bits())))
            }
            Code::EVEX_Vcvtdq2pd_zmm_k1z_ymmm256b32_er => {
                Ok(narrow(from_fn(|k| f64::from(a[k] as i32).to_bits())))
            }
            Code::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er => {
                let numbers = wide(a).map(|a| (f64::from_bits(a) as f32).to_bits());
                Ok(from_fn(|k| numbers.get(k).copied().unwrap_or(0)))
            }
            Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8 => {
                Ok(from_fn(|k| if k < 8 { a[8 * b[0] as usize + k] } else { 0 }))
            }
            Code::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8 => {
                assert_eq!(c[0], 1, "the upper half");
                Ok(from_fn(|k| if k < 8 { a[k] } else { b[k - 8] }))
            }
            Code::EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er => Ok(fused(a, old, b)),
            Code::EVEX_Vfmadd231pd_zmm_k1z_zmm_zmmm512b64_er => Ok(fused(a, b, old)),
            code => panic!("{code:?} is not known here"),
        };
        match became {
            Err(lanes) => {
                self.masks.insert(set, lanes);
            }
            Ok(value) => {
                let by = instr.by.map(|by| self.masks[&by]);
                let chosen = |k: usize| by.is_none_or(|by| by[k]);
                let rest = if instr.zeroes { [0; 16] } else { old };
                let value = from_fn(|k| if chosen(k) { value[k] } else { rest[k] });
                self.vectors.insert(set, value);
            }
        }
        None
    }
}

/// What a function's instructions make of operands.
fn run(body: &Body, input: &Vector) -> Vector {
    let mut state = State::default();
    let stored = body.instrs.iter().fold(None, |stored, instr| state.step(body, instr, input).or(stored));
    stored.expect("a result")
}

#[test]
fn approximate_functions_for_avx512_give_what_they_give_of_single_values() {
    use Approx::*;
    for function in [Reciprocal, Root, ReciprocalRoot, Logarithm, Power, Sine, Cosine] {
        let op = Op::Approx(function);
        let [operand, result] = [0, 8].map(|line| Place { line, stride: 1 });
        let vector_op = VectorOp { what: What::Op(op), to: result, from: [operand; 3] };
        let items = [Item { work: Work::VectorOp(vector_op), lasts: true }];
        let constants = HashMap::new();
        let run_of = Run {
            items: &items,
            constants: &constants,
            patterns: &[],
            full: None,
            again: None,
            machine: &AVX512,
        };
        let body = select(&run_of).expect("instructions");
        let step = 2_097_143;
        let near =
            (0..512u32).flat_map(|k| (0..32u32).map(move |d| (k << 23).wrapping_add(d).wrapping_sub(16)));
        let operands: Vec<u32> = (0..u32::MAX / 65_521).map(|k| k * 65_521).chain(near).collect();
        let some = (0..u32::MAX / step).map(|k| (k * step) & 0x83ff_ffff | 0x3c00_0000);
        let operands: Vec<u32> = operands.into_iter().chain(some).collect();
        for inputs in operands.chunks_exact(16) {
            let input: Vector = from_fn(|k| inputs[k]);
            let got = run(&body, &input);
            for (x, got) in input.into_iter().zip(got) {
                let want = eval(op, [x.into(), 0, 0]) as u32;
                assert_eq!(got, want, "{function:?} of {x:#x}: {got:#x}, not {want:#x}");
            }
        }
    }
}
