//! A judge of selected instructions on machines that lack them: what those of AVX-512 do that approximate functions and directed
//! roundings become, lane by lane as Intel's manual has it, against the operations on single values.

mod packed;

use crate::batch::lanes::jit::isel::select;
use crate::batch::lanes::jit::lowering::Run;
use crate::batch::lanes::jit::machine::{Arg, Base, Body, Instr, Memory, Reg};
use crate::batch::lanes::jit::target::{AVX512, Machine, SKYLAKE, avx512};
use crate::batch::lanes::{Item, Place, VectorOp, What, Work};
use crate::random::Random;
use foldhash::HashMap;
use iced_x86::{Code, CpuidFeature};
use margay_isa::uop::float::{Approx, Convert, Float, Rounding};
use margay_isa::uop::{Op, Type, eval};
use packed::{
    products_of_bytes, products_of_halves, products_of_pairs, shifted_bytes, shuffled, sums_of_halves,
    ternary,
};
use std::array::from_fn;

type Vector = [u32; 16];
type Wide = [u64; 8];

/// Instructions whose masks choose lanes of 64 bits.
const WIDE: [Code; 3] = [
    Code::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64,
    Code::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64,
    Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512,
];

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

fn each_wide(a: Vector, b: Vector, f: impl Fn(u64, u64) -> u64) -> Vector {
    let (a, b) = (wide(a), wide(b));
    narrow(from_fn(|k| f(a[k], b[k])))
}

/// Of two numbers; a NaN is the first operand's, made quiet, else the second's.
fn double(a: Vector, b: Vector, f: impl Fn(f64, f64) -> f64) -> Vector {
    each_wide(a, b, |a, b| match [a, b].into_iter().find(|v| f64::from_bits(*v).is_nan()) {
        Some(nan) => nan | 1 << 51,
        None => {
            let value = f(f64::from_bits(a), f64::from_bits(b));
            if value.is_nan() { 0xfff8 << 48 } else { value.to_bits() }
        }
    })
}

/// What there is where a table's four bits for the class of a number say so: as it is, or the number's own.
fn fixed_up<T>(old: T, number: T, is_quiet: bool, value: f64, table: u32, other: fn(u32) -> T) -> T {
    let class = match value {
        v if v.is_nan() => u32::from(!is_quiet),
        0.0 => 2,
        1.0 => 3,
        f64::NEG_INFINITY => 4,
        f64::INFINITY => 5,
        v if v < 0.0 => 6,
        _ => 7,
    };
    match table >> (4 * class) & 15 {
        0 => old,
        1 => number,
        response => other(response),
    }
}

/// What else there may be in the place of a number of `.f32`.
fn other(response: u32) -> u32 {
    match response {
        3 => 0xffc0_0000,
        4 => f32::NEG_INFINITY.to_bits(),
        5 => f32::INFINITY.to_bits(),
        7 => 1 << 31,
        8 => 0,
        9 => (-1f32).to_bits(),
        10 => 1f32.to_bits(),
        response => panic!("response {response}"),
    }
}

/// The exponent of a number, which has no bound below.
fn exponent(x: f32) -> f32 {
    match x {
        x if x.is_nan() => x,
        0.0 => f32::NEG_INFINITY,
        x if x.is_infinite() => f32::INFINITY,
        x => {
            let bits = f64::from(x).to_bits();
            ((bits >> 52 & 0x7ff) as i32 - 1023) as f32
        }
    }
}

/// A number times an even power of 2, from 1/2 to 2; no number if it is negative.
fn of_even_power(x: f32) -> f32 {
    let negative = x.is_sign_negative() && x != 0.0;
    match x {
        x if x.is_nan() => x,
        _ if negative => f32::from_bits(0xffc0_0000),
        x if x == 0.0 || x.is_infinite() => 1f32.copysign(x),
        x => {
            let fraction = f64::from(x).to_bits() << 12 >> 12;
            let field = if exponent(x) as i32 % 2 == 0 { 1023 } else { 1022 };
            f64::from_bits(fraction | field << 52) as f32
        }
    }
}

/// A number times 2 to the power of another, rounded down. What no number is becomes one, if the power is 0 or infinite.
fn scaled(x: f32, by: f32) -> f32 {
    let sign = if x.is_nan() { 1.0 } else { x };
    match by {
        by if by.is_nan() => f32::NAN,
        f32::NEG_INFINITY => 0f32.copysign(sign),
        f32::INFINITY => f32::INFINITY.copysign(sign),
        _ if x.is_nan() => f32::NAN,
        by => (f64::from(x) * f64::from(by.floor()).exp2()) as f32,
    }
}

/// Where a sum that is rounded in a direction lies beside the nearest one, by what that lost.
fn side(rounding: Rounding, lost: f64) -> std::cmp::Ordering {
    match rounding {
        Rounding::Down if lost < 0.0 => std::cmp::Ordering::Less,
        Rounding::Up if lost > 0.0 => std::cmp::Ordering::Greater,
        Rounding::Down | Rounding::Up => std::cmp::Ordering::Equal,
        other => panic!("{other:?} is not known here"),
    }
}

/// A sum of two numbers, rounded downwards or upwards.
fn toward(rounding: Rounding, a: f32, b: f32) -> f32 {
    let sum = a + b;
    let taken = sum - a;
    let too_great = a.is_finite() && b.is_finite() && sum.is_infinite();
    let lost = if too_great { -sum } else { (a - (sum - taken)) + (b - taken) };
    let has_sign = a.is_sign_negative() || b.is_sign_negative();
    match side(rounding, lost.into()) {
        std::cmp::Ordering::Less => sum.next_down(),
        std::cmp::Ordering::Greater => sum.next_up(),
        _ if sum == 0.0 && has_sign && rounding == Rounding::Down => -0.0,
        _ => sum,
    }
}

/// The same of `.f64`.
fn toward_wide(rounding: Rounding, a: f64, b: f64) -> f64 {
    let sum = a + b;
    let taken = sum - a;
    let too_great = a.is_finite() && b.is_finite() && sum.is_infinite();
    let lost = if too_great { -sum } else { (a - (sum - taken)) + (b - taken) };
    let has_sign = a.is_sign_negative() || b.is_sign_negative();
    match side(rounding, lost) {
        std::cmp::Ordering::Less => sum.next_down(),
        std::cmp::Ordering::Greater => sum.next_up(),
        _ if sum == 0.0 && has_sign && rounding == Rounding::Down => -0.0,
        _ => sum,
    }
}

/// A number of `.f64` as `.f32`.
fn as_single(rounding: Rounding, number: f64) -> f32 {
    let nearest = number as f32;
    let back = f64::from(nearest);
    let (down, up) = match rounding {
        Rounding::Nearest => (false, false),
        Rounding::Down => (true, false),
        Rounding::Up => (false, true),
        Rounding::Zero => (number > 0.0, number < 0.0),
        Rounding::Odd => panic!("no instruction rounds to odd"),
    };
    if down && back > number {
        nearest.next_down()
    } else if up && back < number {
        nearest.next_up()
    } else {
        nearest
    }
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

/// Comparisons of numbers by their numbers in instructions.
fn ordered(number: u32, a: f64, b: f64) -> bool {
    match number {
        0x03 => a.is_nan() || b.is_nan(),
        0x0c => a.partial_cmp(&b).is_some_and(|order| order.is_ne()),
        0x11 => a < b,
        0x1e => a > b,
        _ => panic!("comparison {number}"),
    }
}

fn compared(number: u32, a: i64, b: i64) -> bool {
    match number {
        0 => a == b,
        1 => a < b,
        2 => a <= b,
        _ => panic!("comparison {number}"),
    }
}

/// `a * b + c` as an instruction rounds it, to nearest if it is not told how.
fn directed(rounding: Option<Arg>, a: u32, b: u32, c: u32) -> u32 {
    let Some(Arg::Rounding(rounding)) = rounding else {
        let [a, b, c] = [a, b, c].map(f32::from_bits);
        return a.mul_add(b, c).to_bits();
    };
    let [a, b, c] = [a, b, c].map(|bits| f64::from(f32::from_bits(bits)));
    let product = a * b;
    let sum = product + c;
    let of_c = sum - product;
    let lost = (product - (sum - of_c)) + (c - of_c);
    if sum == 0.0 && lost == 0.0 {
        let alike = product == 0.0 && product.is_sign_negative() == c.is_sign_negative();
        let negative = if alike { c.is_sign_negative() } else { rounding == Rounding::Down };
        return if negative { 1 << 31 } else { 0 };
    }
    let nearest = sum as f32;
    if !sum.is_finite() {
        return nearest.to_bits();
    }
    // How far what is exact lies above.
    let above = (sum - f64::from(nearest)) + lost;
    let (falls, grows) = match rounding {
        Rounding::Down => (above < 0.0, false),
        Rounding::Up => (false, above > 0.0),
        _ => (nearest > 0.0 && above < 0.0, nearest < 0.0 && above > 0.0),
    };
    let number = if falls { nearest.next_down() } else { nearest };
    (if grows { number.next_up() } else { number }).to_bits()
}

impl State {
    fn vector(&self, body: &Body, arg: Option<Arg>, lines: &[Vector]) -> Vector {
        match arg {
            Some(Arg::Whole(reg) | Arg::Lower(reg)) => self.vectors.get(&reg).copied().unwrap_or_default(),
            Some(Arg::Memory(memory)) => match memory.base {
                Base::Constant(k) => body.constants[k],
                Base::Lines(bytes) => lines[bytes as usize / 64],
                base => panic!("{base:?} is not known here"),
            },
            Some(Arg::Number(number)) => [number.into(); 16],
            _ => [0; 16],
        }
    }

    /// Carries an instruction out.
    fn step(&mut self, body: &Body, instr: &Instr, lines: &mut [Vector]) {
        let [a, b, c] = instr.from.map(|arg| self.vector(body, arg, lines));
        let old = instr.onto.map(|reg| self.vectors[&reg]).unwrap_or_default();
        if instr.to.is_none() {
            let Some(Arg::Memory(Memory { base: Base::Lines(bytes), .. })) = instr.from[0] else {
                panic!("{instr:?} is not known here")
            };
            lines[bytes as usize / 64] = b;
            return;
        }
        let set = instr.sets().expect("a register");
        let mask = |k: usize| instr.from[k].and_then(Arg::reg).and_then(|reg| self.masks.get(&reg).copied());
        let chosen = |f: &dyn Fn(usize) -> bool| -> [bool; 16] { from_fn(f) };
        let became = match instr.code {
            Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8 => {
                Err(chosen(&|k| compared(c[k], (a[k] as i32).into(), (b[k] as i32).into())))
            }
            Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8 => {
                Err(chosen(&|k| compared(c[k], a[k].into(), b[k].into())))
            }
            Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32 => Err(chosen(&|k| a[k] & b[k] != 0)),
            Code::EVEX_Vptestmq_kr_k1_zmm_zmmm512b64 => {
                let [a, b] = [a, b].map(wide);
                Err(chosen(&|k| k < 8 && a[k] & b[k] != 0))
            }
            Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32 => Err(chosen(&|k| a[k] & b[k] == 0)),
            Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae => {
                Err(chosen(&|k| ordered(c[0], f32::from_bits(a[k]).into(), f32::from_bits(b[k]).into())))
            }
            Code::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae => {
                let [a, b] = [a, b].map(|v| wide(v).map(f64::from_bits));
                Err(chosen(&|k| k < 8 && ordered(c[0], a[k], b[k])))
            }
            Code::EVEX_Vpcmpq_kr_k1_zmm_zmmm512b64_imm8 => {
                let [a, b] = [a, b].map(wide);
                Err(chosen(&|k| k < 8 && compared(c[0], a[k] as i64, b[k] as i64)))
            }
            Code::VEX_Kunpckbw_kr_kr_kr => {
                let (high, low) = (mask(0).expect("a mask"), mask(1).expect("a mask"));
                Err(chosen(&|k| if k < 8 { low[k] } else { high[k - 8] }))
            }
            Code::VEX_Kandw_kr_kr_kr => {
                let (x, y) = (mask(0).expect("a mask"), mask(1).expect("a mask"));
                Err(chosen(&|k| x[k] && y[k]))
            }
            Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512 | Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512 => Ok(a),
            Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32 => Ok(each(a, b, |a, b| a & b)),
            Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64 => Ok(each(a, b, |a, b| a & b)),
            Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32 => Ok(each(a, b, |a, b| a ^ b)),
            Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64 => Ok(each(a, b, |a, b| a ^ b)),
            Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32 => Ok(each(a, b, |a, b| a | b)),
            Code::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64 => Ok(each(a, b, |a, b| a | b)),
            Code::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64 => Ok(each_wide(a, b, u64::wrapping_sub)),
            Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32 => Ok(each(a, b, u32::wrapping_add)),
            Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32 => Ok(each(a, b, u32::wrapping_sub)),
            Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32 => Ok(each(a, b, u32::wrapping_mul)),
            Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8 => Ok(each(a, b, |a, b| a << b)),
            Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8 => Ok(each(a, b, |a, b| a >> b)),
            Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8 => Ok(each(a, b, |a, b| (a as i32 >> b) as u32)),
            Code::EVEX_Vpmaddwd_zmm_k1z_zmm_zmmm512 => Ok(each(a, b, products_of_halves)),
            Code::EVEX_Vpaddw_zmm_k1z_zmm_zmmm512 => Ok(each(a, b, sums_of_halves)),
            Code::EVEX_Vpmaddubsw_zmm_k1z_zmm_zmmm512 => Ok(each(a, b, products_of_pairs)),
            Code::EVEX_Vpshufb_zmm_k1z_zmm_zmmm512 => Ok(shuffled(a, b)),
            Code::EVEX_Vpdpbusd_zmm_k1z_zmm_zmmm512b32 => {
                Ok(from_fn(|k| products_of_bytes(old[k], a[k], b[k])))
            }
            Code::EVEX_Vpdpwssd_zmm_k1z_zmm_zmmm512b32 => {
                Ok(from_fn(|k| old[k].wrapping_add(products_of_halves(a[k], b[k]))))
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
                return;
            }
            Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er => Ok(single(a, b, |a, b| a * b)),
            Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er => match instr.from[2] {
                Some(Arg::Rounding(rounding)) => Ok(single(a, b, |a, b| toward(rounding, a, b))),
                _ => Ok(single(a, b, |a, b| a + b)),
            },
            Code::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er => Ok(single(a, b, |a, b| a - b)),
            Code::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er => match instr.from[2] {
                Some(Arg::Rounding(rounding)) => Ok(double(a, b, |a, b| toward_wide(rounding, a, b))),
                _ => Ok(double(a, b, |a, b| a + b)),
            },
            Code::EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er => Ok(double(a, b, |a, b| a - b)),
            Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae => {
                Ok(narrow(from_fn(|k| f64::from(f32::from_bits(a[k])).to_bits())))
            }
            Code::EVEX_Vfixupimmps_zmm_k1z_zmm_zmmm512b32_imm8_sae => {
                let quiet = |v: u32| v & 1 << 22 != 0;
                Ok(from_fn(|k| fixed_up(old[k], a[k], quiet(a[k]), f32::from_bits(a[k]).into(), b[k], other)))
            }
            Code::EVEX_Vfixupimmpd_zmm_k1z_zmm_zmmm512b64_imm8_sae => {
                let (old, a, tables, quiet) = (wide(old), wide(a), wide(b), |v: u64| v & 1 << 51 != 0);
                let of = |k: usize| {
                    fixed_up(old[k], a[k], quiet(a[k]), f64::from_bits(a[k]), tables[k] as u32, |response| {
                        panic!("response {response}")
                    })
                };
                Ok(narrow(from_fn(of)))
            }
            Code::EVEX_Vgetexpps_zmm_k1z_zmmm512b32_sae => {
                Ok(a.map(|a| exponent(f32::from_bits(a)).to_bits()))
            }
            Code::EVEX_Vgetmantps_zmm_k1z_zmmm512b32_imm8_sae => {
                assert_eq!(b[0], 0b1001, "even powers, no negative numbers");
                Ok(a.map(|a| of_even_power(f32::from_bits(a)).to_bits()))
            }
            Code::EVEX_Vscalefps_zmm_k1z_zmm_zmmm512b32_er => Ok(single(a, b, scaled)),
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
                let rounding = match instr.from[1] {
                    Some(Arg::Rounding(rounding)) => rounding,
                    _ => Rounding::Nearest,
                };
                let numbers = wide(a).map(|a| as_single(rounding, f64::from_bits(a)).to_bits());
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
            Code::EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er => {
                Ok(from_fn(|k| directed(instr.from[2], a[k], old[k], b[k])))
            }
            Code::EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er => {
                Ok(from_fn(|k| directed(instr.from[2], a[k], b[k], old[k])))
            }
            code => panic!("{code:?} is not known here"),
        };
        match became {
            Err(lanes) => {
                self.masks.insert(set, lanes);
            }
            Ok(value) => {
                let by = instr.by.map(|by| self.masks[&by]);
                let lane = if WIDE.contains(&instr.code) { 2 } else { 1 };
                let chosen = |k: usize| by.is_none_or(|by| by[k / lane]);
                let rest = if instr.zeroes { [0; 16] } else { old };
                let value = from_fn(|k| if chosen(k) { value[k] } else { rest[k] });
                self.vectors.insert(set, value);
            }
        }
    }
}

/// An operation's instructions, and where their operands and what they give lie in lines.
fn selected(op: Op, machine: &'static Machine) -> (Body, [Place; 3], Place) {
    let lines = |ty: Type| u32::from(ty == Type::U64) + 1;
    let mut next = 0;
    let mut place = |ty: Type| {
        let place = Place { line: next, stride: lines(ty) as u8 };
        next += lines(ty);
        place
    };
    let mut from = [Place { line: 0, stride: 0 }; 3];
    from.iter_mut().zip(op.operands()).for_each(|(from, ty)| *from = place(*ty));
    let to = place(op.result());
    let items = [Item { work: Work::VectorOp(VectorOp { what: What::Op(op), to, from }), lasts: true }];
    let constants = HashMap::default();
    let run = Run::new(&items, &constants, machine);
    (select(&run).expect("instructions"), from, to)
}

/// Judges an operation on sixteen threads' operands.
fn judge(op: Op, (body, from, to): &(Body, [Place; 3], Place), operands: [[u64; 16]; 3]) {
    let mut lines = vec![[0; 16]; 8];
    let put = |lines: &mut [Vector], place: Place, values: [u64; 16]| {
        let first = place.line as usize;
        match place.stride {
            1 => lines[first] = values.map(|value| value as u32),
            _ => [0, 1].into_iter().for_each(|k| lines[first + k] = narrow(from_fn(|j| values[8 * k + j]))),
        }
    };
    for (k, _) in op.operands().iter().enumerate() {
        put(&mut lines, from[k], operands[k]);
    }
    let mut state = State::default();
    body.instrs.iter().for_each(|instr| state.step(body, instr, &mut lines));
    for t in 0..16 {
        let args = operands.map(|of| of[t]);
        let want = eval(op, args);
        let first = to.line as usize;
        let got = if to.stride == 1 { lines[first][t].into() } else { wide(lines[first + t / 8])[t % 8] };
        assert_eq!(got, want, "{op:?} of {args:x?}: {got:#x}, not {want:#x}");
    }
}

#[test]
fn approximate_functions_for_avx512_give_what_they_give_of_single_values() {
    use Approx::*;
    static CASCADE_LAKE: Machine = avx512(&[CpuidFeature::AVX512_VNNI]);
    let roots = [Root, ReciprocalRoot, RootWithSubnormals, ReciprocalRootWithSubnormals];
    for function in roots.into_iter().chain([Reciprocal, Logarithm, Power, Sine, Cosine]) {
        let op = Op::Approx(function);
        let machines = [&AVX512, &SKYLAKE, &CASCADE_LAKE].map(|machine| selected(op, machine));
        let step = 2_097_143;
        let near =
            (0..512u32).flat_map(|k| (0..32u32).map(move |d| (k << 23).wrapping_add(d).wrapping_sub(16)));
        let operands: Vec<u32> = (0..u32::MAX / 65_521).map(|k| k * 65_521).chain(near).collect();
        let some = (0..u32::MAX / step).map(|k| (k * step) & 0x83ff_ffff | 0x3c00_0000);
        let operands: Vec<u32> = operands.into_iter().chain(some).collect();
        for (turn, inputs) in operands.chunks_exact(16).enumerate() {
            let operands = [from_fn(|k| inputs[k].into()), [0; 16], [0; 16]];
            judge(op, &machines[0], operands);
            judge(op, &machines[1 + turn % 2], operands);
        }
    }
}

#[test]
fn directed_roundings_for_avx512_give_what_they_give_of_single_values() {
    use Rounding::*;
    /// The upper words of zeros, infinities, the least and the greatest numbers, and NaNs, and as words what they are there.
    const CORNERS: [u64; 8] =
        [0, 1, 1 << 31, 0x7f80_0000, 0xff80_0000, 0x7f7f_ffff, 0x7ff0_0000, 0x7fff_ffff];
    let mut random = Random::new(1, 0);
    let sums = [Op::F32(Float::AddOdd), Op::F64(Float::AddOdd)];
    let narrowed = [Nearest, Zero, Down, Up, Odd].map(|rounding| Op::Convert(Convert::F64ToF32(rounding)));
    let both = [Zero, Down, Up].map(Op::AddToF32).into_iter().chain([Zero, Down, Up].map(Op::FmaF32));
    for op in sums.into_iter().chain(narrowed).chain(both) {
        let code = selected(op, &AVX512);
        for round in 0..2_000u64 {
            // Numbers far apart and near, subnormal ones of each format, and whatever bits.
            let mut number = || match (op.operands()[0], round % 4) {
                (Type::U64, 0) => {
                    random.next() & 0x8000_0000_ffff_ffff | (896 - 26 + random.next() % 300) << 52
                }
                (Type::U64, 1) => random.next() & 0x807f_ffff_ffff_ffff | 0x3fc << 52,
                (Type::U32, 1) => random.next() & 0x80ff_ffff | 0x3f00_0000,
                (Type::U32, 2) => random.next() & 0x8fff_ffff | 0x3000_0000,
                (Type::U64, 2) => CORNERS[random.below(8) as usize] << 32,
                (Type::U32, 3) => CORNERS[random.below(8) as usize],
                (ty, _) => random.next() & ty.mask(),
            };
            let mut operands = [from_fn(|_| number()), from_fn(|_| number()), from_fn(|_| number())];
            if op.operands().len() < 3 {
                operands[2] = [0; 16];
            } else if round % 8 == 5 {
                // Sums that are 0, or next to it.
                let product =
                    |k: usize| f32::from_bits(operands[0][k] as u32) * f32::from_bits(operands[1][k] as u32);
                operands[2] = from_fn(|k| (-product(k)).to_bits().into());
            }
            judge(op, &code, operands);
        }
    }
}
