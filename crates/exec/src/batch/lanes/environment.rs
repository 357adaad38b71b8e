//! The machine's floating-point environment, as handlers and compiled code need it: nothing flushed, rounded to nearest, no exception.
//!
//! A program that loads a library built with `-ffast-math` may run with subnormal numbers taken for 0 in all its threads, and a
//! host may round otherwise for purposes of its own. Neither may show in what a kernel computes.

/// While it lives, the thread has the environment that every thread begins with; then its own again, flags included.
pub(crate) struct DefaultEnvironment {
    /// What the thread had, if that was another.
    before: Option<u64>,
}

impl DefaultEnvironment {
    pub(crate) fn enter() -> DefaultEnvironment {
        let before = read();
        if before & !FLAGS == DEFAULT {
            return DefaultEnvironment { before: None };
        }
        write(DEFAULT);
        DefaultEnvironment { before: Some(before) }
    }
}

impl Drop for DefaultEnvironment {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            write(before);
        }
    }
}

/// Every exception masked, to nearest.
#[cfg(target_arch = "x86_64")]
const DEFAULT: u64 = 0x1f80;
/// What has happened, which changes nothing.
#[cfg(target_arch = "x86_64")]
const FLAGS: u64 = 0x3f;

#[cfg(target_arch = "x86_64")]
fn read() -> u64 {
    let mut word = 0u32;
    // SAFETY: the instruction writes four bytes to where the pointer points.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack, preserves_flags)) };
    word.into()
}

#[cfg(target_arch = "x86_64")]
fn write(word: u64) {
    let word = word as u32;
    // SAFETY: the word is one that was read, or the default, so no reserved bit is set. Rust takes for granted that threads have the
    // default environment: this brings it about, and what is put back is what the caller was called with.
    unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack, preserves_flags)) };
}

#[cfg(target_arch = "aarch64")]
const DEFAULT: u64 = 0;
#[cfg(target_arch = "aarch64")]
const FLAGS: u64 = 0;

#[cfg(target_arch = "aarch64")]
fn read() -> u64 {
    let word: u64;
    // SAFETY: it reads a register that every thread may read.
    unsafe { std::arch::asm!("mrs {}, fpcr", out(reg) word, options(nomem, nostack, preserves_flags)) };
    word
}

#[cfg(target_arch = "aarch64")]
fn write(word: u64) {
    // SAFETY: as above.
    unsafe { std::arch::asm!("msr fpcr, {}", in(reg) word, options(nomem, nostack, preserves_flags)) };
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const DEFAULT: u64 = 0;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const FLAGS: u64 = 0;

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn read() -> u64 {
    DEFAULT
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn write(_: u64) {}

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use super::*;
    use crate::{Engine, Launch, Memory, Program, Simd};

    /// Subnormal numbers taken for 0 and given as 0, rounded towards 0.
    #[cfg(target_arch = "x86_64")]
    const FAST: u64 = DEFAULT | 1 << 15 | 1 << 6 | 3 << 13;
    #[cfg(target_arch = "aarch64")]
    const FAST: u64 = DEFAULT | 1 << 24 | 3 << 22;

    const TEXT: &str = ".version 8.0 .target sm_80 .address_size 64
        .visible .entry k(.param .u64 out) { .reg .b32 %r<4>; .reg .f32 %f<9>; .reg .b64 %rd<4>;
        mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 128, %r1;
        mul.wide.u32 %rd1, %r1, 4; ld.param.u64 %rd2, [out]; add.u64 %rd3, %rd2, %rd1;
        ld.global.f32 %f1, [%rd3]; add.f32 %f2, %f1, %f1; fma.rn.f32 %f3, %f1, 0f3f800001, %f2; div.rn.f32 %f4, %f3, 0f40400000;
        st.global.f32 [%rd3], %f4; ret; }";

    fn result(engine: Engine, simd: Option<Simd>, workers: usize) -> Vec<u8> {
        let module = margay_front::compile(TEXT).expect("a module");
        let mut memory = Memory::new(64);
        let program = Program::load(&module, &mut memory).expect("a program");
        let words: Vec<u8> = (0..128 * 64u32).flat_map(|k| (k * 0x3_0001 + 1).to_le_bytes()).collect();
        let at = memory.alloc(words.len() as u64, "data").expect("room");
        memory.write(at, &words).expect("written");
        let entry = module.entry("k").expect("the kernel");
        let launch = Launch {
            parameters: at.to_le_bytes().to_vec(),
            block: 128.into(),
            grid: 64.into(),
            engine,
            simd,
            workers,
            ..Launch::new(entry)
        };
        launch.run(&program, &memory).expect("a report");
        memory.read(at, words.len() as u64).expect("read")
    }

    #[test]
    fn what_the_host_does_to_its_arithmetic_does_not_show() {
        let golden = result(Engine::Golden, None, 1);
        let before = read();
        for simd in Simd::available() {
            for workers in [1, 2] {
                write(FAST);
                let found = result(Engine::Batch, Some(*simd), workers);
                let kept = read();
                write(before);
                assert_eq!(kept & !FLAGS, FAST, "the host's own is not put back");
                assert!(found == golden, "{simd:?}, {workers} workers");
            }
        }
    }
}
