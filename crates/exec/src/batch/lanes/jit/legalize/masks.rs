//! Masks as vectors: comparisons that make them, bit operations on them, and lanes that they choose.

use super::Legalizer;
use crate::batch::lanes::jit::machine::{Arg, Instr, Reg};
use iced_x86::Code;

const AND: Code = Code::VEX_Vpand_ymm_ymm_ymmm256;
const AND_NOT: Code = Code::VEX_Vpandn_ymm_ymm_ymmm256;
const OR: Code = Code::VEX_Vpor_ymm_ymm_ymmm256;
const XOR: Code = Code::VEX_Vpxor_ymm_ymm_ymmm256;

/// What a mask became.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mask {
    /// All ones in the lanes that it chooses, or in those that it does not.
    reg: Reg,
    is_negated: bool,
    /// Bytes of a lane.
    bytes: u8,
}

/// The lanes by which a mask chooses.
pub(super) struct Width {
    pub(super) bytes: u8,
    /// Whether they are those of the operand, since results are narrower.
    pub(super) of_operand: bool,
}

/// By which lanes a mask chooses what an instruction sets.
pub(super) fn width(code: Code) -> Option<Width> {
    let bytes = match code {
        Code::EVEX_Vcvttpd2dq_ymm_k1z_zmmm512b64_sae | Code::EVEX_Vcvttpd2udq_ymm_k1z_zmmm512b64_sae => {
            return Some(Width { bytes: 8, of_operand: true });
        }
        Code::EVEX_Vmovdqu8_zmm_k1z_zmmm512
        | Code::EVEX_Vpblendmb_zmm_k1z_zmm_zmmm512
        | Code::EVEX_Vpsubb_zmm_k1z_zmm_zmmm512 => 1,
        Code::EVEX_Vmovdqu16_zmm_k1z_zmmm512 | Code::EVEX_Vpsubw_zmm_k1z_zmm_zmmm512 => 2,
        Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512
        | Code::EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32
        | Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32
        | Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32
        | Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32
        | Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32
        | Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae
        | Code::EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae => 4,
        Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512
        | Code::EVEX_Vpblendmq_zmm_k1z_zmm_zmmm512b64
        | Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64
        | Code::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64
        | Code::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64
        | Code::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er
        | Code::EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er
        | Code::EVEX_Vcvttpd2qq_zmm_k1z_zmmm512b64_sae
        | Code::EVEX_Vcvttpd2uqq_zmm_k1z_zmmm512b64_sae => 8,
        _ => return None,
    };
    Some(Width { bytes, of_operand: false })
}

/// Bytes of a lane, if an instruction takes lanes from its two operands by its mask.
pub(super) fn blends(code: Code) -> Option<u8> {
    Some(match code {
        Code::EVEX_Vpblendmb_zmm_k1z_zmm_zmmm512 => 1,
        Code::EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32 => 4,
        Code::EVEX_Vpblendmq_zmm_k1z_zmm_zmmm512b64 => 8,
        _ => return None,
    })
}

/// Whether an instruction only moves lanes.
pub(super) fn moves(code: Code) -> bool {
    matches!(
        code,
        Code::EVEX_Vmovdqu8_zmm_k1z_zmmm512
            | Code::EVEX_Vmovdqu16_zmm_k1z_zmmm512
            | Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512
            | Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512
    )
}

/// Of so many bytes: equal, greater with sign, and where there are such the greater and the lesser without.
struct Comparing {
    bytes: u8,
    equal: Code,
    greater: Code,
    max_min: Option<[Code; 2]>,
}

const BYTES: Comparing = Comparing {
    bytes: 1,
    equal: Code::VEX_Vpcmpeqb_ymm_ymm_ymmm256,
    greater: Code::VEX_Vpcmpgtb_ymm_ymm_ymmm256,
    max_min: Some([Code::VEX_Vpmaxub_ymm_ymm_ymmm256, Code::VEX_Vpminub_ymm_ymm_ymmm256]),
};
const HALVES: Comparing = Comparing {
    bytes: 2,
    equal: Code::VEX_Vpcmpeqw_ymm_ymm_ymmm256,
    greater: Code::VEX_Vpcmpgtw_ymm_ymm_ymmm256,
    max_min: Some([Code::VEX_Vpmaxuw_ymm_ymm_ymmm256, Code::VEX_Vpminuw_ymm_ymm_ymmm256]),
};
const WORDS: Comparing = Comparing {
    bytes: 4,
    equal: Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256,
    greater: Code::VEX_Vpcmpgtd_ymm_ymm_ymmm256,
    max_min: Some([Code::VEX_Vpmaxud_ymm_ymm_ymmm256, Code::VEX_Vpminud_ymm_ymm_ymmm256]),
};
const WIDES: Comparing = Comparing {
    bytes: 8,
    equal: Code::VEX_Vpcmpeqq_ymm_ymm_ymmm256,
    greater: Code::VEX_Vpcmpgtq_ymm_ymm_ymmm256,
    max_min: None,
};

/// A comparison of integers: of what, and whether without sign.
fn comparing(code: Code) -> Option<(Comparing, bool)> {
    Some(match code {
        Code::EVEX_Vpcmpb_kr_k1_zmm_zmmm512_imm8 => (BYTES, false),
        Code::EVEX_Vpcmpub_kr_k1_zmm_zmmm512_imm8 => (BYTES, true),
        Code::EVEX_Vpcmpw_kr_k1_zmm_zmmm512_imm8 => (HALVES, false),
        Code::EVEX_Vpcmpuw_kr_k1_zmm_zmmm512_imm8 => (HALVES, true),
        Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8 => (WORDS, false),
        Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8 => (WORDS, true),
        Code::EVEX_Vpcmpq_kr_k1_zmm_zmmm512b64_imm8 => (WIDES, false),
        Code::EVEX_Vpcmpuq_kr_k1_zmm_zmmm512b64_imm8 => (WIDES, true),
        _ => return None,
    })
}

impl Legalizer {
    /// What an instruction that sets a mask becomes. A mask of all lanes is nothing: what gathers makes one of its own.
    pub(super) fn mask(&mut self, instr: &Instr) -> Option<Option<Mask>> {
        if let Some((of, unsigned)) = comparing(instr.code) {
            let Some(Arg::Number(number)) = instr.from[2] else { return None };
            return self.compared(instr, of, unsigned, number).map(Some);
        }
        let plain = |reg, bytes| Mask { reg, is_negated: false, bytes };
        Some(Some(match instr.code {
            Code::VEX_Kxnorw_kr_kr_kr => return Some(None),
            Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae => {
                plain(self.push(Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8, None, &instr.from, None), 4)
            }
            Code::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae => {
                plain(self.push(Code::VEX_Vcmppd_ymm_ymm_ymmm256_imm8, None, &instr.from, None), 8)
            }
            Code::EVEX_Vptestmb_kr_k1_zmm_zmmm512 => self.tested(instr, BYTES, true)?,
            Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32 => self.tested(instr, WORDS, true)?,
            Code::EVEX_Vptestmq_kr_k1_zmm_zmmm512b64 => self.tested(instr, WIDES, true)?,
            Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32 => self.tested(instr, WORDS, false)?,
            Code::EVEX_Vptestnmq_kr_k1_zmm_zmmm512b64 => self.tested(instr, WIDES, false)?,
            // Predicates in memory are all ones or 0.
            Code::EVEX_Vpmovd2m_kr_zmm => plain(self.reg(instr.from[0]?)?, 4),
            Code::EVEX_Vpmovb2m_kr_zmm => {
                let (value, zero) = (self.reg(instr.from[0]?)?, self.words(0));
                plain(self.emit(BYTES.greater, [zero, value]), 1)
            }
            Code::VEX_Kandw_kr_kr_kr => {
                let [a, b] = self.masks_of(instr)?;
                self.conjunction(a, b)?
            }
            Code::VEX_Kandnw_kr_kr_kr => {
                let [a, b] = self.masks_of(instr)?;
                self.conjunction(negated(a), b)?
            }
            Code::VEX_Korw_kr_kr_kr => {
                let [a, b] = self.masks_of(instr)?;
                negated(self.conjunction(negated(a), negated(b))?)
            }
            Code::VEX_Kxorw_kr_kr_kr => {
                let [a, b] = self.masks_of(instr)?;
                let is_negated = a.is_negated != b.is_negated;
                Mask { reg: self.emit(XOR, [a.reg, b.reg]), is_negated, bytes: same_width(a, b)? }
            }
            Code::VEX_Kunpckbw_kr_kr_kr => {
                let [high, low] = self.masks_of(instr)?;
                let [low, high] = [low, high].map(|mask| self.plain(mask, 8));
                plain(self.narrowed([low?, high?], 0), 4)
            }
            Code::VEX_Kshiftrw_kr_kr_imm8 => {
                let Some(Arg::Whole(reg)) = instr.from[0] else { return None };
                let mask = *self.masks.get(&reg)?;
                let upper = self.upper(mask.reg);
                let reg = self.widened(Code::VEX_Vpmovsxdq_ymm_xmmm128, upper);
                (mask.bytes == 4).then_some(Mask { reg, bytes: 8, ..mask })?
            }
            _ => return None,
        }))
    }

    fn masks_of(&self, instr: &Instr) -> Option<[Mask; 2]> {
        let mask = |arg: Option<Arg>| self.masks.get(&arg?.reg()?).copied();
        Some([mask(instr.from[0])?, mask(instr.from[1])?])
    }

    fn compared(&mut self, instr: &Instr, of: Comparing, unsigned: bool, number: u8) -> Option<Mask> {
        let [a, b] = self.both(instr)?;
        let Comparing { bytes, equal, greater, max_min } = of;
        let mask = |reg, is_negated| Some(Mask { reg, is_negated, bytes });
        match (number, unsigned, max_min) {
            (0, ..) => mask(self.emit(equal, [a, b]), false),
            (4, ..) => mask(self.emit(equal, [a, b]), true),
            (1, false, _) => mask(self.emit(greater, [b, a]), false),
            (2, false, _) => mask(self.emit(greater, [a, b]), true),
            // Less is not: the greater is the first. At most is: the lesser is the first.
            (1, true, Some([max, _])) => {
                let most = self.emit(max, [a, b]);
                mask(self.emit(equal, [most, a]), true)
            }
            (2, true, Some([_, min])) => {
                let least = self.emit(min, [a, b]);
                mask(self.emit(equal, [least, a]), false)
            }
            (1 | 2, true, None) => {
                let sign = self.wides(1 << 63);
                let [a, b] = [a, b].map(|value| self.emit(XOR, [value, sign]));
                match number {
                    1 => mask(self.emit(greater, [b, a]), false),
                    _ => mask(self.emit(greater, [a, b]), true),
                }
            }
            _ => None,
        }
    }

    /// Whether elements have a bit in common, or none.
    fn tested(&mut self, instr: &Instr, of: Comparing, some: bool) -> Option<Mask> {
        let [a, b] = self.both(instr)?;
        let zero = self.words(0);
        let common = if a == b { a } else { self.emit(AND, [a, b]) };
        Some(Mask { reg: self.emit(of.equal, [common, zero]), is_negated: some, bytes: of.bytes })
    }

    fn conjunction(&mut self, a: Mask, b: Mask) -> Option<Mask> {
        let bytes = same_width(a, b)?;
        let (reg, is_negated) = match (a.is_negated, b.is_negated) {
            (false, false) => (self.emit(AND, [a.reg, b.reg]), false),
            (true, false) => (self.emit(AND_NOT, [a.reg, b.reg]), false),
            (false, true) => (self.emit(AND_NOT, [b.reg, a.reg]), false),
            (true, true) => (self.emit(OR, [a.reg, b.reg]), true),
        };
        Some(Mask { reg, is_negated, bytes })
    }

    /// A mask for lanes of so many bytes, as it is.
    fn fitting(&mut self, mask: Mask, bytes: u8) -> Option<Mask> {
        match (mask.bytes, bytes) {
            (has, wanted) if has == wanted => Some(mask),
            // Of 32-bit lanes, those of the first half.
            (4, 8) => {
                let reg = match self.other_widths.get(&mask.reg) {
                    Some(reg) => *reg,
                    None => {
                        let reg = self.widened(Code::VEX_Vpmovsxdq_ymm_xmmm128, mask.reg);
                        self.other_widths.insert(mask.reg, reg);
                        reg
                    }
                };
                Some(Mask { reg, bytes, ..mask })
            }
            _ => None,
        }
    }

    /// A mask for lanes of so many bytes, all ones in those that it chooses.
    fn plain(&mut self, mask: Mask, bytes: u8) -> Option<Reg> {
        let Mask { reg, is_negated, .. } = self.fitting(mask, bytes)?;
        if !is_negated {
            return Some(reg);
        }
        let ones = self.words(u32::MAX);
        Some(self.emit(XOR, [reg, ones]))
    }

    /// Lanes of `yes` where a mask chooses them, else of `no`.
    pub(super) fn blended(&mut self, no: Reg, yes: Reg, mask: Mask, bytes: u8) -> Option<Reg> {
        let Mask { reg, is_negated, .. } = self.fitting(mask, bytes)?;
        let (no, yes) = if is_negated { (yes, no) } else { (no, yes) };
        Some(self.chosen(no, yes, reg))
    }

    /// Bytes of `yes` where those of a vector are all ones, of `no` where they are 0: it has no others.
    pub(super) fn chosen(&mut self, no: Reg, yes: Reg, by: Reg) -> Reg {
        let from = [Some(Arg::Whole(no)), Some(Arg::Whole(yes)), None];
        self.push(Code::VEX_Vpblendvb_ymm_ymm_ymmm256_ymm, None, &from, Some(by))
    }

    /// A value, and 0 in the lanes that a mask leaves out.
    pub(super) fn kept(&mut self, value: Reg, mask: Mask, bytes: u8) -> Option<Reg> {
        let Mask { reg, is_negated, .. } = self.fitting(mask, bytes)?;
        Some(self.emit(if is_negated { AND_NOT } else { AND }, [reg, value]))
    }

    /// Whether a mask chooses any lane.
    pub(super) fn any(&mut self, instr: &Instr) -> Option<()> {
        let mask = *self.masks.get(&instr.from[0]?.reg()?)?;
        let reg = Some(Arg::Whole(self.plain(mask, mask.bytes)?));
        let code = Code::VEX_Vptest_ymm_ymmm256;
        self.body.instrs.push(Instr { code, from: [reg, reg, None], ..*instr });
        Some(())
    }

    /// A mask's elements: all ones or 0.
    pub(super) fn mask_as_elements(&mut self, instr: &Instr) -> Option<Reg> {
        let bytes = match instr.code {
            Code::EVEX_Vpmovm2b_zmm_kr => 1,
            Code::EVEX_Vpmovm2w_zmm_kr => 2,
            Code::EVEX_Vpmovm2d_zmm_kr => 4,
            _ => return None,
        };
        let mask = *self.masks.get(&instr.from[0]?.reg()?)?;
        self.plain(mask, bytes)
    }
}

fn negated(mask: Mask) -> Mask {
    Mask { is_negated: !mask.is_negated, ..mask }
}

fn same_width(a: Mask, b: Mask) -> Option<u8> {
    (a.bytes == b.bytes).then_some(a.bytes)
}
