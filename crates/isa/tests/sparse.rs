//! Sparse products: metadata as the code that ptxas 13.5 makes of `mma.sp` for sm_100 reads them, where it puts pairs in order, register by
//! register of A; and products with scales against plain ones.

use margay_isa::{Across, Inst, Meaning, PAGES, Semantics, WARP, Whole, forms};

fn form(head: &str) -> Inst {
    let pages = PAGES.iter().filter(|page| page.opcodes == ["mma"]);
    let mut all = pages.flat_map(|page| forms::forms(page, "mma", 0, &mut || 0));
    all.find(|inst| inst.to_string() == head).unwrap_or_else(|| panic!("there is no `{head}`"))
}

fn ready(inst: &Inst, device: &str) -> Whole {
    match inst.meaning(Semantics::Manual) {
        Meaning::Fragments(whole) => whole(inst, device.parse().unwrap()),
        _ => panic!("{inst:?} is not run"),
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % limit
    }
}

/// Metadata of 32 bits: pairs of indices in order.
fn metadata(random: &mut Random) -> u64 {
    let pairs = [0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110];
    (0..8).fold(0, |word, k| word | pairs[random.below(6) as usize] << (4 * k))
}

/// An element that is stored in a register: a small whole number in the type's bits, and what it is.
fn element(random: &mut Random, bits: u32) -> (u64, i64) {
    let number = random.below(7) as i64 - 3;
    match bits {
        8 => (number as u64 & 0xff, number),
        _ => {
            let halves = [0, 0x3c00, 0x4000, 0x4200];
            let sign = if number < 0 { 0x8000 } else { 0 };
            (halves[number.unsigned_abs() as usize] | sign, number)
        }
    }
}

/// Which of four lanes tells of the elements in a register of A, and from which bit on those of a lane's place in its four.
type Told = fn(register: usize, t: usize, selector: usize) -> (usize, u32);

fn judge(head: &str, bits: u32, depth: usize, selectors: usize, told: Told) {
    let inst = form(head);
    let whole = ready(&inst, "sm_80");
    let mut random = Random(0x1234_5678_9abc_def1);
    let per = 32 / bits as usize;
    let a_registers = depth / 8 / per * 2;
    let b_registers = depth / 4 / per;
    for selector in 0..selectors {
        let mut sources: Vec<Across> = vec![[0; WARP]; a_registers + b_registers + 4 + 2];
        let (mut a, mut b) = (vec![[0; 128]; 16], vec![[0; 8]; 128]);
        let words: Across = std::array::from_fn(|_| metadata(&mut random));
        #[expect(clippy::needless_range_loop, reason = "the lane says the row, too")]
        for lane in 0..WARP {
            let (g, t) = (lane / 4, lane % 4);
            for r in 0..a_registers {
                let (other, first) = told(r, t, selector);
                for j in 0..per {
                    let (encoded, number) = element(&mut random, bits);
                    sources[r][lane] |= encoded << (j as u32 * bits);
                    let index = words[4 * g + other] >> (first + 2 * j as u32) & 3;
                    let stored = t * per + j + (r >> 1) * 4 * per;
                    a[g + 8 * (r & 1)][4 * (stored / 2) + index as usize] = number;
                }
            }
            for r in 0..b_registers {
                for j in 0..per {
                    let (encoded, number) = element(&mut random, bits);
                    sources[a_registers + r][lane] |= encoded << (j as u32 * bits);
                    b[t * per + j + r * 4 * per][g] = number;
                }
            }
        }
        let at = a_registers + b_registers + 4;
        sources[at] = words;
        sources[at + 1] = [selector as u64; WARP];
        let mut results: Vec<Across> = vec![[0; WARP]; 4];
        whole.carry_out(&sources, &mut results);
        for (i, lane) in (0..4).flat_map(|i| (0..WARP).map(move |lane| (i, lane))) {
            let (row, column) = (lane / 4 + 8 * (i >> 1), 2 * (lane % 4) + (i & 1));
            let wanted: i64 = (0..depth).map(|k| a[row][k] * b[k][column]).sum();
            let found = match bits {
                8 => i64::from(results[i][lane] as i32),
                _ => f32::from_bits(results[i][lane] as u32) as i64,
            };
            assert_eq!(found, wanted, "{head}, selector {selector}, row {row}, column {column}");
        }
    }
}

#[test]
fn metadata_are_read_as_ptxas_reads_them() {
    let f16 = "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32";
    // A lane of the pair for each half of the columns, whose halves are of rows 0 to 7 and 8 to 15.
    judge(f16, 16, 32, 2, |r, t, s| (2 * s + (r >> 1), (16 * (r & 1) + 4 * t) as u32));
    let f16 = "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
    judge(f16, 16, 16, 4, |r, t, s| (s, (16 * (r & 1) + 4 * t) as u32));
    // Each lane of four has the metadata of a register.
    let s8 = "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32";
    judge(s8, 8, 64, 1, |r, t, _| (r, 8 * t as u32));
    let s8 = "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32";
    judge(s8, 8, 32, 2, |r, t, s| (2 * s + r, 8 * t as u32));
}

#[test]
fn scales_are_taken_from_the_lanes_and_bytes_that_are_named() {
    let inst = form(
        "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0",
    );
    let whole = ready(&inst, "sm_120a");
    for (byte_a, thread_a, byte_b, thread_b) in [(0, 0, 0, 0), (1, 1, 3, 2), (3, 0, 1, 3)] {
        // Every product is 1 · 1; scales are powers of two of their own, others are not numbers.
        let mut sources: Vec<Across> = vec![[0x3838_3838; WARP]; 4 + 2];
        sources.extend(vec![[0; WARP]; 4]);
        let word = |byte: u64, scale: u64| 0xffff_ffff & !(0xff << (8 * byte)) | scale << (8 * byte);
        let scale_a: Across = std::array::from_fn(|lane| {
            let (g, t) = (lane as u64 / 4, lane as u64 % 4);
            if t / 2 == thread_a { word(byte_a, 127 + g + 8 * (t % 2)) } else { 0xffff_ffff }
        });
        let scale_b: Across = std::array::from_fn(|lane| {
            let (g, t) = (lane as u64 / 4, lane as u64 % 4);
            if t == thread_b { word(byte_b, 127 - g) } else { 0xffff_ffff }
        });
        sources.extend([
            scale_a,
            [byte_a; WARP],
            [thread_a; WARP],
            scale_b,
            [byte_b; WARP],
            [thread_b; WARP],
        ]);
        let mut results: Vec<Across> = vec![[0; WARP]; 4];
        whole.carry_out(&sources, &mut results);
        for (i, lane) in (0..4).flat_map(|i| (0..WARP).map(move |lane| (i, lane))) {
            let (row, column) = (lane / 4 + 8 * (i >> 1), 2 * (lane % 4) + (i & 1));
            let wanted = 32.0 * f32::powi(2.0, row as i32 - column as i32);
            assert_eq!(f32::from_bits(results[i][lane] as u32), wanted, "row {row}, column {column}");
        }
    }
}
