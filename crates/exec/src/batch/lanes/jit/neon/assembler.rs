//! Instructions of AArch64 as words: what each begins from, and fields for registers and numbers.
//!
//! Bases are those of Arm's manual (Arm Architecture Reference Manual for A-profile, C4.1); vectors have 128 bits.

use super::NUMBER;

/// A vector register, by its number.
pub(super) type V = u8;

/// A general register; 31 is the stack pointer or zero, as an instruction has it.
pub(super) type X = u8;

pub(super) const STACK: X = 31;

/// Bytes, half-words, words and double words, as fields of instructions have them.
pub(super) const B: u32 = 0;
pub(super) const H: u32 = 1;
pub(super) const S: u32 = 2;
pub(super) const D: u32 = 3;

/// Of two vectors, lane by lane.
pub(super) const fn same(unsigned: u32, size: u32, operation: u32) -> u32 {
    0x4e20_0400 | unsigned << 29 | size << 22 | operation << 11
}

/// Of one vector, lane by lane, or narrowed or widened.
pub(super) const fn misc(unsigned: u32, size: u32, operation: u32) -> u32 {
    0x4e20_0800 | unsigned << 29 | size << 22 | operation << 12
}

/// Of the lower halves of two vectors, widened.
const fn long(unsigned: u32, size: u32, operation: u32) -> u32 {
    0x0e20_0000 | unsigned << 29 | size << 22 | operation << 12
}

/// Lanes of two vectors in another order.
const fn permute(size: u32, operation: u32) -> u32 {
    0x4e00_0800 | size << 22 | operation << 12
}

/// The same instruction on upper halves, or that writes the upper half.
pub(super) const fn upper(base: u32) -> u32 {
    base | 1 << 30
}

/// Bases of instructions on vectors of numbers are for single precision; these, for double.
pub(super) const fn double(base: u32) -> u32 {
    base | 1 << 22
}

pub(super) const AND: u32 = same(0, 0, 0b00011);
pub(super) const BIC: u32 = same(0, 1, 0b00011);
pub(super) const ORR: u32 = same(0, 2, 0b00011);
pub(super) const EOR: u32 = same(1, 0, 0b00011);
/// Where the result's old bits are 1 those of the first operand, else of the second.
const BSL: u32 = same(1, 1, 0b00011);
/// The first operand's bits where those of the second are 1, and where they are 0; else those that the result had.
const BIT: u32 = same(1, 2, 0b00011);
const BIF: u32 = same(1, 3, 0b00011);
pub(super) const NOT: u32 = misc(1, 0, 0b00101);
pub(super) const ADDP_WORDS: u32 = same(0, S, 0b10111);
pub(super) const UMAXP_WORDS: u32 = same(1, S, 0b10100);
pub(super) const UMINP_WORDS: u32 = same(1, S, 0b10101);
pub(super) const UABD_BYTES: u32 = same(1, B, 0b01110);
pub(super) const SMULL: u32 = long(0, H, 0b1100);
pub(super) const UMULL_WORDS: u32 = long(1, S, 0b1100);
pub(super) const SMULL_WORDS: u32 = long(0, S, 0b1100);

pub(super) const fn add(size: u32) -> u32 {
    same(0, size, 0b10000)
}

pub(super) const fn mul(size: u32) -> u32 {
    same(0, size, 0b10011)
}

pub(super) const fn sshl(size: u32) -> u32 {
    same(0, size, 0b01000)
}

pub(super) const fn ushl(size: u32) -> u32 {
    same(1, size, 0b01000)
}

pub(super) const fn umin(size: u32) -> u32 {
    same(1, size, 0b01101)
}

/// Greater, with sign and without.
pub(super) const fn cmgt(size: u32) -> u32 {
    same(0, size, 0b00110)
}

pub(super) const fn cmhi(size: u32) -> u32 {
    same(1, size, 0b00110)
}

pub(super) const fn neg(size: u32) -> u32 {
    misc(1, size, 0b01011)
}

/// Sums of neighbours, as lanes of twice their length: of lanes of this size.
pub(super) const fn uaddlp(size: u32) -> u32 {
    misc(1, size, 0b00010)
}

pub(super) const fn saddlp(size: u32) -> u32 {
    misc(0, size, 0b00010)
}

/// To lanes of this size, in the lower half; saturated, and saturated to what has no sign.
pub(super) const fn xtn(size: u32) -> u32 {
    misc(0, size, 0b10010) & !(1 << 30)
}

pub(super) const fn sqxtn(size: u32) -> u32 {
    misc(0, size, 0b10100) & !(1 << 30)
}

pub(super) const fn sqxtun(size: u32) -> u32 {
    misc(1, size, 0b10010) & !(1 << 30)
}

pub(super) const FADD: u32 = same(0, 0, 0b11010);
pub(super) const FSUB: u32 = same(0, 2, 0b11010);
pub(super) const FMUL: u32 = same(1, 0, 0b11011);
pub(super) const FDIV: u32 = same(1, 0, 0b11111);
pub(super) const FMLA: u32 = same(0, 0, 0b11001);
pub(super) const FMLS: u32 = same(0, 2, 0b11001);
pub(super) const FCMEQ: u32 = same(0, 0, 0b11100);
pub(super) const FCMGE: u32 = same(1, 0, 0b11100);
pub(super) const FCMGT: u32 = same(1, 2, 0b11100);
pub(super) const FSQRT: u32 = misc(1, 2, 0b11111);
pub(super) const FRINTN: u32 = misc(0, 0, 0b11000);
pub(super) const FRINTM: u32 = misc(0, 0, 0b11001);
pub(super) const FRINTP: u32 = misc(0, 2, 0b11000);
pub(super) const FRINTZ: u32 = misc(0, 2, 0b11001);
pub(super) const FCVTZS: u32 = misc(0, 2, 0b11011);
pub(super) const SCVTF: u32 = misc(0, 0, 0b11101);
/// From single to half precision, with [`double`] from double to single; and back.
pub(super) const FCVTN: u32 = misc(0, 0, 0b10110) & !(1 << 30);
pub(super) const FCVTL: u32 = misc(0, 0, 0b10111) & !(1 << 30);

pub(super) const fn zip1(size: u32) -> u32 {
    permute(size, 0b011)
}

pub(super) const fn zip2(size: u32) -> u32 {
    permute(size, 0b111)
}

pub(super) const fn uzp1(size: u32) -> u32 {
    permute(size, 0b001)
}

pub(super) const fn uzp2(size: u32) -> u32 {
    permute(size, 0b101)
}

/// The bytes that another vector numbers, of one and of two vectors; 0 where there are not as many.
pub(super) const TBL: u32 = 0x4e00_0000;
pub(super) const TBL_OF_TWO: u32 = 0x4e00_2000;

/// Conditions of branches.
pub(super) const NOT_EQUAL: u32 = 1;
pub(super) const EQUAL: u32 = 0;
pub(super) const ALWAYS: u32 = 14;

/// Instructions, one after another.
#[derive(Default)]
pub(super) struct Assembler {
    words: Vec<u32>,
}

impl Assembler {
    pub(super) fn words(&self) -> &[u32] {
        &self.words
    }

    /// Where the next instruction comes, in words.
    pub(super) fn here(&self) -> usize {
        self.words.len()
    }

    fn put(&mut self, word: u32) {
        self.words.push(word);
    }

    /// A result of two vectors.
    pub(super) fn two(&mut self, base: u32, d: V, n: V, m: V) {
        self.put(base | u32::from(m) << 16 | u32::from(n) << 5 | u32::from(d));
    }

    /// A result of one vector.
    pub(super) fn one(&mut self, base: u32, d: V, n: V) {
        self.put(base | u32::from(n) << 5 | u32::from(d));
    }

    pub(super) fn mov(&mut self, d: V, n: V) {
        if d != n {
            self.two(ORR, d, n, n);
        }
    }

    /// The bits of one vector where those of a mask are 1, of another where they are 0.
    pub(super) fn select(&mut self, d: V, mask: V, [yes, no]: [V; 2]) {
        if d == no {
            self.two(BIT, d, yes, mask);
        } else if d == yes {
            self.two(BIF, d, no, mask);
        } else {
            self.mov(d, mask);
            self.two(BSL, d, yes, no);
        }
    }

    /// All bytes of a vector.
    pub(super) fn movi_bytes(&mut self, d: V, byte: u8) {
        self.movi(0x4f00_e400, d, byte);
    }

    /// All words of a vector: a byte, moved up by so many bytes.
    pub(super) fn movi_words(&mut self, d: V, byte: u8, up: u32) {
        self.movi(0x4f00_0400 | up << 13, d, byte);
    }

    fn movi(&mut self, base: u32, d: V, byte: u8) {
        let byte = u32::from(byte);
        self.put(base | (byte >> 5) << 16 | (byte & 31) << 5 | u32::from(d));
    }

    /// Lanes moved up by less than their bits, or down by at least 1 and at most these.
    pub(super) fn shl(&mut self, size: u32, d: V, n: V, by: u32) {
        self.one(0x4f00_5400 | ((8 << size) + by) << 16, d, n);
    }

    pub(super) fn ushr(&mut self, size: u32, d: V, n: V, by: u32) {
        self.one(0x6f00_0400 | ((16 << size) - by) << 16, d, n);
    }

    pub(super) fn sshr(&mut self, size: u32, d: V, n: V, by: u32) {
        self.one(0x4f00_0400 | ((16 << size) - by) << 16, d, n);
    }

    /// The lower or the upper half's lanes of this size as lanes of twice their length.
    pub(super) fn extend(&mut self, (unsigned, size): (bool, u32), is_upper: bool, d: V, n: V) {
        let base = 0x0f00_a400 | u32::from(unsigned) << 29 | (8 << size) << 16;
        self.one(if is_upper { upper(base) } else { base }, d, n);
    }

    /// An element in all lanes.
    pub(super) fn dup(&mut self, size: u32, d: V, n: V, element: u32) {
        self.one(0x4e00_0400 | lane(size, element) << 16, d, n);
    }

    /// A general register in all lanes.
    pub(super) fn dup_general(&mut self, size: u32, d: V, n: X) {
        self.one(0x4e00_0c00 | lane(size, 0) << 16, d, n);
    }

    /// An element in the place of another.
    pub(super) fn ins(&mut self, size: u32, (d, to): (V, u32), (n, from): (V, u32)) {
        self.one(0x6e00_0400 | lane(size, to) << 16 | from << size << 11, d, n);
    }

    /// A general register in the place of an element.
    pub(super) fn ins_general(&mut self, size: u32, (d, to): (V, u32), n: X) {
        self.one(0x4e00_1c00 | lane(size, to) << 16, d, n);
    }

    /// A word of a vector, in a general register.
    pub(super) fn umov_word(&mut self, d: X, n: V, element: u32) {
        self.one(0x0e00_3c00 | lane(S, element) << 16, d, n);
    }

    /// The lower half of a vector, in a general register.
    pub(super) fn fmov(&mut self, d: X, n: V) {
        self.one(0x9e66_0000, d, n);
    }

    /// Loads a vector from so many times 16 bytes on, less than 65536 in all, and stores it.
    pub(super) fn ldr_vector(&mut self, d: V, n: X, at: i64) {
        self.one(0x3dc0_0000 | (at as u32 / 16) << 10, d, n);
    }

    pub(super) fn str_vector(&mut self, d: V, n: X, at: i64) {
        self.one(0x3d80_0000 | (at as u32 / 16) << 10, d, n);
    }

    /// Loads two vectors, one after the other in memory, from at most 1008 bytes on, and stores them.
    pub(super) fn ldp(&mut self, d: [V; 2], n: X, at: i64) {
        self.pair(0xad40_0000, d, n, at / 16);
    }

    pub(super) fn stp(&mut self, d: [V; 2], n: X, at: i64) {
        self.pair(0xad00_0000, d, n, at / 16);
    }

    /// The same of the lower halves of vectors, and of general registers.
    pub(super) fn ldp_lower(&mut self, d: [V; 2], n: X, at: i64) {
        self.pair(0x6d40_0000, d, n, at / 8);
    }

    pub(super) fn stp_lower(&mut self, d: [V; 2], n: X, at: i64) {
        self.pair(0x6d00_0000, d, n, at / 8);
    }

    pub(super) fn ldp_general(&mut self, d: [X; 2], n: X, at: i64) {
        self.pair(0xa940_0000, d, n, at / 8);
    }

    pub(super) fn stp_general(&mut self, d: [X; 2], n: X, at: i64) {
        self.pair(0xa900_0000, d, n, at / 8);
    }

    fn pair(&mut self, base: u32, [d, e]: [u8; 2], n: X, at: i64) {
        self.one(base | (at as u32 & 0x7f) << 15 | u32::from(e) << 10, d, n);
    }

    /// Loads so many bytes, 16 at most, into the beginning of a vector; the rest becomes 0.
    pub(super) fn load_bytes(&mut self, bytes: usize, d: V, n: X) {
        let base = match bytes {
            1 => 0x3d40_0000,
            2 => 0x7d40_0000,
            4 => 0xbd40_0000,
            8 => 0xfd40_0000,
            _ => return self.ldr_vector(d, n, 0),
        };
        self.one(base, d, n);
    }

    /// An element in memory, in all lanes.
    pub(super) fn ld1r(&mut self, size: u32, d: V, n: X) {
        self.one(0x4d40_c000 | size << 10, d, n);
    }

    /// What lies so many times 8 bytes on from where a register points: at most 4095.
    pub(super) fn ldr(&mut self, d: X, n: X, eights: u32) {
        self.one(0xf940_0000 | eights << 10, d, n);
    }

    /// What lies as many bytes on as the low word of another register says, which has a sign.
    pub(super) fn ldr_word_from(&mut self, d: X, n: X, m: X) {
        self.two(0xb860_c800, d, n, m);
    }

    pub(super) fn ldr_from(&mut self, d: X, n: X, m: X) {
        self.two(0xf860_c800, d, n, m);
    }

    /// Asks for a line of memory, which need not be there.
    pub(super) fn prfm(&mut self, n: X) {
        self.one(0xf980_0000, 0, n);
    }

    /// A register and another, which is moved up: none is the stack pointer.
    pub(super) fn add_shifted(&mut self, d: X, n: X, m: X, up: u32) {
        self.two(0x8b00_0000 | up << 10, d, n, m);
    }

    pub(super) fn mov_general(&mut self, d: X, n: X) {
        self.two(0xaa00_0000, d, 31, n);
    }

    /// A register and a number. What does not fit the instructions goes by way of [`NUMBER`].
    pub(super) fn add_number(&mut self, d: X, n: X, number: i64) {
        let (size, base) = (number.unsigned_abs(), if number < 0 { 0xd100_0000 } else { 0x9100_0000 });
        if size < 1 << 12 {
            self.one(base | (size as u32) << 10, d, n);
        } else if size < 1 << 24 {
            self.one(base | 1 << 22 | ((size >> 12) as u32) << 10, d, n);
            if size & 0xfff != 0 {
                self.one(base | (size as u32 & 0xfff) << 10, d, d);
            }
        } else {
            self.number(NUMBER, number);
            // With an extended operand, the other may be the stack pointer.
            self.two(0x8b20_6000, d, n, NUMBER);
        }
    }

    pub(super) fn number(&mut self, d: X, number: i64) {
        let parts: [u32; 4] = std::array::from_fn(|k| (number as u64 >> (16 * k)) as u32 & 0xffff);
        self.put(0xd280_0000 | parts[0] << 5 | u32::from(d));
        for (k, part) in (0..4).zip(parts).skip(1).filter(|(_, part)| *part != 0) {
            self.put(0xf280_0000 | k << 21 | part << 5 | u32::from(d));
        }
    }

    /// Where a place lies, so many bytes before this instruction.
    pub(super) fn adr_before(&mut self, d: X, back: u32) -> Option<()> {
        let by = 0u32.wrapping_sub(back);
        (back < 1 << 20)
            .then(|| self.put(0x1000_0000 | (by & 3) << 29 | (by >> 2 & 0x7_ffff) << 5 | u32::from(d)))
    }

    pub(super) fn cmp(&mut self, n: X, m: X) {
        self.two(0xeb00_0000, 31, n, m);
    }

    /// Whether all bits are 1, as a condition: equal.
    pub(super) fn is_all_ones(&mut self, n: X) {
        self.one(0xb100_0400, 31, n);
    }

    /// One less; conditions are then those of the result.
    pub(super) fn count_down(&mut self, d: X) {
        self.one(0xf100_0400, d, d);
    }

    /// Has numbers rounded as a general register says, or to the nearest where it is 31.
    pub(super) fn msr_fpcr(&mut self, n: X) {
        self.put(0xd51b_4400 | u32::from(n));
    }

    /// A branch back to an earlier instruction: where that is far, over one that reaches it.
    pub(super) fn branch(&mut self, condition: u32, to: usize) -> Option<()> {
        match self.distance(to) {
            Some(by) => self.put(0x5400_0000 | by << 5 | condition),
            None => {
                self.put(0x5400_0040 | condition ^ 1);
                self.jump(to)?;
            }
        }
        Some(())
    }

    fn jump(&mut self, to: usize) -> Option<()> {
        let back = self.here() - to;
        (back < 1 << 25).then(|| self.put(0x1400_0000 | 0u32.wrapping_sub(back as u32) & 0x3ff_ffff))
    }

    /// The same where a register is not 0.
    pub(super) fn branch_unless_zero(&mut self, n: X, to: usize) -> Option<()> {
        match self.distance(to) {
            Some(by) => self.put(0xb500_0000 | by << 5 | u32::from(n)),
            None => {
                self.put(0xb400_0040 | u32::from(n));
                self.jump(to)?;
            }
        }
        Some(())
    }

    fn distance(&self, to: usize) -> Option<u32> {
        let back = self.here() - to;
        (back < 1 << 18).then(|| 0u32.wrapping_sub(back as u32) & 0x7_ffff)
    }

    /// A branch to somewhere later: where the instruction is.
    pub(super) fn branch_later(&mut self, condition: u32) -> usize {
        self.put(0x5400_0000 | condition);
        self.here() - 1
    }

    /// Leads an earlier branch here.
    pub(super) fn lead_here(&mut self, branch: usize) -> Option<()> {
        let by = (self.here() - branch) as u32;
        self.words[branch] |= by << 5;
        (by < 1 << 18).then_some(())
    }

    pub(super) fn ret(&mut self) {
        self.put(0xd65f_03c0);
    }
}

/// An element of a vector, as instructions have it.
fn lane(size: u32, element: u32) -> u32 {
    element << (size + 1) | 1 << size
}
