//! Handlers: what carries operations out on lines, a function for each operation and each level of vector instructions.
//!
//! A handler is made of what becomes of one thread's values (`w2(u32::wrapping_add)`): a loop over lines around it, compiled
//! for each level into the machine's widest instructions. Which functions those are is known when a plan is made; where it
//! runs, the level chooses one.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod cmp;
mod dot;
mod float;
mod int;
mod logic;
mod op;
mod packed;

use crate::batch::lanes::scope::Scope;
use crate::batch::lanes::{GROUP, Level, Line, UNIT, VectorOp, What};
use bytemuck::Pod;
use margay_isa::uop::Type;
use std::ptr::NonNull;

/// 32 bits for each thread of a group.
type W = [u32; GROUP];
/// 64 bits for each thread of a group.
type D = [u64; GROUP];
type B = [u8; 4 * GROUP];
type H = [u16; 2 * GROUP];

/// Carries an operation with some numbers in it out. It looks for its places by itself, so that nothing passes through memory.
///
/// # Safety
/// The machine must have the level's instructions. For all groups of the units, as many lines as the handler says must lie
/// inside at the operation's places; values in memory must reach as far.
type Run = unsafe fn(*mut Line, &Scope, &VectorOp, [u8; 2]);

/// What carries out an operation.
#[derive(Clone, Copy)]
pub(super) struct Handler {
    /// By level.
    levels: [Run; 3],
    /// Lines that it reads of each operand for a group, and that it writes.
    lines: ([u8; 3], u8),
    /// The numbers in the operation.
    numbers: [u8; 2],
}

/// Where an operation reads and writes.
struct At<'l> {
    to: *mut Line,
    from: [*const Line; 3],
    steps: [usize; 3],
    units: &'l [(u32, u32)],
    numbers: [u8; 2],
}

impl Handler {
    /// The handler of an operation.
    pub(super) const fn of(what: What) -> Handler {
        match what {
            What::Move(Type::Pred | Type::U32) => w1(|a| a),
            What::Move(Type::U64) => d1(|a| a),
            What::Op(op) => op::of(op),
        }
    }

    /// One that makes a line, or two, of lines: what it reads and writes is said by these types.
    const fn new<A: Pod, B: Pod, C: Pod, R: Pod, M: Make<A, B, C, R>>(_: M) -> Handler {
        const fn lines<T>() -> u8 {
            (size_of::<T>() / size_of::<Line>()) as u8
        }
        Handler {
            #[cfg(target_arch = "x86_64")]
            levels: [M::baseline, M::avx2, M::avx512],
            #[cfg(not(target_arch = "x86_64"))]
            levels: [M::baseline; 3],
            lines: ([lines::<A>(), lines::<B>(), lines::<C>()], lines::<R>()),
            numbers: [0; 2],
        }
    }

    /// The same for an operation with numbers in it.
    const fn with(self, numbers: [u8; 2]) -> Handler {
        Handler { numbers, ..self }
    }

    /// The same with another function for AVX-512.
    ///
    /// # Safety
    /// It must need no other instructions, and read and write no more lines.
    #[cfg(target_arch = "x86_64")]
    const unsafe fn with_avx512(self, run: Run) -> Handler {
        let [baseline, avx2, _] = self.levels;
        Handler { levels: [baseline, avx2, run], ..self }
    }

    /// Lines that it reads of each operand for a group, and that it writes.
    pub(super) fn lines(&self) -> ([u8; 3], u8) {
        self.lines
    }

    /// Carries out its operation on values that differ from thread to thread.
    ///
    /// # Safety
    /// The machine must have the level. For all groups of the units, as many lines as the handler reads and writes must lie
    /// inside at the operation's places; values in memory must reach as far.
    #[inline(always)]
    pub(super) unsafe fn run(&self, level: Level, lines: *mut Line, scope: &Scope, vector_op: &VectorOp) {
        // SAFETY: the caller's promise.
        unsafe { self.levels[level.number()](lines, scope, vector_op, self.numbers) }
    }
}

impl<'l> At<'l> {
    #[inline(always)]
    fn new(lines: *mut Line, scope: &Scope<'l>, vector_op: &VectorOp, numbers: [u8; 2]) -> At<'l> {
        // Operands that the operation does not have are never read; their addresses wrap harmlessly.
        let pointer = |k: usize| {
            let place = vector_op.from[k];
            let own = lines.wrapping_add(place.line as usize).cast_const();
            if place.is_lent() {
                let there = scope.lent[place.line as usize];
                return if there.is_null() { own } else { there };
            }
            own
        };
        let to = match vector_op.to.is_lent() && !scope.aimed.is_null() {
            true => scope.aimed,
            false => lines.wrapping_add(vector_op.to.line as usize),
        };
        At {
            to,
            from: [pointer(0), pointer(1), pointer(2)],
            steps: [0, 1, 2].map(|k| vector_op.from[k].step()),
            units: scope.units,
            numbers,
        }
    }

    /// Group by group, what is made of three operands; operands of type `()` take nothing.
    ///
    /// # Safety
    /// For all groups of the units, values of these types must lie inside where operands and the result are.
    #[inline(always)]
    unsafe fn each<A: Pod, B: Pod, C: Pod, R: Pod>(self, make: impl Make<A, B, C, R>) {
        let At { to, from, steps: [sa, sb, sc], units, numbers } = self;
        let wide = size_of::<R>() / size_of::<Line>();
        for (first, count) in units {
            let skip = *first as usize * UNIT;
            let (mut to, [mut a, mut b, mut c]) = (to.wrapping_add(skip * wide), from);
            (a, b, c) = (a.wrapping_add(skip * sa), b.wrapping_add(skip * sb), c.wrapping_add(skip * sc));
            // Four groups a round, so that counting is not what takes the time.
            for _ in 0..*count {
                for k in 0..UNIT {
                    // SAFETY: the caller's promise; values are read whole before a result is written.
                    unsafe {
                        let x = a.wrapping_add(k * sa).cast::<A>().read_unaligned();
                        let y = b.wrapping_add(k * sb).cast::<B>().read_unaligned();
                        let z = c.wrapping_add(k * sc).cast::<C>().read_unaligned();
                        to.wrapping_add(k * wide).cast::<R>().write(make.make(numbers, x, y, z));
                    }
                }
                (to, a) = (to.wrapping_add(UNIT * wide), a.wrapping_add(UNIT * sa));
                (b, c) = (b.wrapping_add(UNIT * sb), c.wrapping_add(UNIT * sc));
            }
        }
    }
}

/// What is made of the lines of three operands: a function without captures, whose type alone says which it is. Of such a one
/// a loop for each level can be compiled without a value of it. As default methods of the function's own type, the loops
/// become machine code in the module that holds the function, so that they are spread over units of compilation.
trait Make<A: Pod, B: Pod, C: Pod, R: Pod>: Copy {
    fn make(self, numbers: [u8; 2], a: A, b: B, c: C) -> R;

    /// Carries it out with what every machine has.
    ///
    /// # Safety
    /// As for [`Run`]; there must be a value of the type.
    unsafe fn baseline(lines: *mut Line, scope: &Scope, vector_op: &VectorOp, numbers: [u8; 2]) {
        // SAFETY: the caller's promise.
        unsafe { At::new(lines, scope, vector_op, numbers).each(only::<Self>()) }
    }

    /// The same with AVX2.
    ///
    /// # Safety
    /// As for [`Run`]; there must be a value of the type.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
    unsafe fn avx2(lines: *mut Line, scope: &Scope, vector_op: &VectorOp, numbers: [u8; 2]) {
        // SAFETY: the caller's promise.
        unsafe { At::new(lines, scope, vector_op, numbers).each(only::<Self>()) }
    }

    /// The same with AVX-512.
    ///
    /// # Safety
    /// As for [`Run`]; there must be a value of the type.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(
        enable = "avx2,fma,bmi1,bmi2,popcnt,lzcnt,avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vbmi,avx512vnni,avx512bitalg,avx512vpopcntdq"
    )]
    unsafe fn avx512(lines: *mut Line, scope: &Scope, vector_op: &VectorOp, numbers: [u8; 2]) {
        // SAFETY: the caller's promise.
        unsafe { At::new(lines, scope, vector_op, numbers).each(only::<Self>()) }
    }
}

/// The value of a type that has but one, without bytes.
///
/// # Safety
/// There must be one.
#[inline(always)]
unsafe fn only<M: Copy>() -> M {
    const { assert!(size_of::<M>() == 0, "a handler's function captures something") };
    // SAFETY: there is a value, it may be copied, and to read one takes no bytes of memory.
    unsafe { NonNull::<M>::dangling().read() }
}

/// Lane by lane, of one operand.
impl<A: Pod, R: Pod, F: Fn(A) -> R + Copy, const N: usize> Make<[A; N], (), (), [R; N]> for F
where
    [A; N]: Pod,
    [R; N]: Pod,
{
    #[inline(always)]
    fn make(self, _: [u8; 2], a: [A; N], (): (), (): ()) -> [R; N] {
        let mut lanes = [R::zeroed(); N];
        for k in 0..N {
            lanes[k] = self(a[k]);
        }
        lanes
    }
}

/// Lane by lane, of two operands.
impl<A: Pod, B: Pod, R: Pod, F: Fn(A, B) -> R + Copy, const N: usize> Make<[A; N], [B; N], (), [R; N]> for F
where
    [A; N]: Pod,
    [B; N]: Pod,
    [R; N]: Pod,
{
    #[inline(always)]
    fn make(self, _: [u8; 2], a: [A; N], b: [B; N], (): ()) -> [R; N] {
        let mut lanes = [R::zeroed(); N];
        for k in 0..N {
            lanes[k] = self(a[k], b[k]);
        }
        lanes
    }
}

/// Lane by lane, of three operands.
impl<A: Pod, B: Pod, C: Pod, R: Pod, F: Fn(A, B, C) -> R + Copy, const N: usize>
    Make<[A; N], [B; N], [C; N], [R; N]> for F
where
    [A; N]: Pod,
    [B; N]: Pod,
    [C; N]: Pod,
    [R; N]: Pod,
{
    #[inline(always)]
    fn make(self, _: [u8; 2], a: [A; N], b: [B; N], c: [C; N]) -> [R; N] {
        let mut lanes = [R::zeroed(); N];
        for k in 0..N {
            lanes[k] = self(a[k], b[k], c[k]);
        }
        lanes
    }
}

/// By the numbers in the operation.
#[derive(Clone, Copy)]
struct By<F>(F);

impl<A: Pod, R: Pod, F: Fn([u8; 2], A) -> R + Copy, const N: usize> Make<[A; N], (), (), [R; N]> for By<F>
where
    [A; N]: Pod,
    [R; N]: Pod,
{
    #[inline(always)]
    fn make(self, numbers: [u8; 2], a: [A; N], (): (), (): ()) -> [R; N] {
        let mut lanes = [R::zeroed(); N];
        for k in 0..N {
            lanes[k] = (self.0)(numbers, a[k]);
        }
        lanes
    }
}

impl<F: Fn([u8; 2], u32, u32, u32) -> u32 + Copy> Make<W, W, W, W> for By<F> {
    #[inline(always)]
    fn make(self, numbers: [u8; 2], a: W, b: W, c: W) -> W {
        let mut lanes = [0; GROUP];
        for k in 0..GROUP {
            lanes[k] = (self.0)(numbers, a[k], b[k], c[k]);
        }
        lanes
    }
}

/// Line by line, of three operands at once.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Whole<F>(F);

#[cfg(target_arch = "x86_64")]
impl<F: Fn(W, W, W) -> W + Copy> Make<W, W, W, W> for Whole<F> {
    #[inline(always)]
    fn make(self, _: [u8; 2], a: W, b: W, c: W) -> W {
        (self.0)(a, b, c)
    }
}

/// From 32 bits, or a mask, to 32 bits.
const fn w1<F: Fn(u32) -> u32 + Copy>(f: F) -> Handler {
    Handler::new::<W, (), (), W, F>(f)
}

const fn w2<F: Fn(u32, u32) -> u32 + Copy>(f: F) -> Handler {
    Handler::new::<W, W, (), W, F>(f)
}

const fn w3<F: Fn(u32, u32, u32) -> u32 + Copy>(f: F) -> Handler {
    Handler::new::<W, W, W, W, F>(f)
}

/// From 32 bits to 32 bits, by the numbers in the operation.
const fn w1_by<F: Fn([u8; 2], u32) -> u32 + Copy>(f: F) -> Handler {
    Handler::new::<W, (), (), W, By<F>>(By(f))
}

const fn w3_by<F: Fn([u8; 2], u32, u32, u32) -> u32 + Copy>(f: F) -> Handler {
    Handler::new::<W, W, W, W, By<F>>(By(f))
}

/// From 64 bits to 64 bits.
const fn d1<F: Fn(u64) -> u64 + Copy>(f: F) -> Handler {
    Handler::new::<D, (), (), D, F>(f)
}

const fn d2<F: Fn(u64, u64) -> u64 + Copy>(f: F) -> Handler {
    Handler::new::<D, D, (), D, F>(f)
}

const fn d3<F: Fn(u64, u64, u64) -> u64 + Copy>(f: F) -> Handler {
    Handler::new::<D, D, D, D, F>(f)
}

/// From 64 bits to 64 bits, by the numbers in the operation.
const fn d1_by<F: Fn([u8; 2], u64) -> u64 + Copy>(f: F) -> Handler {
    Handler::new::<D, (), (), D, By<F>>(By(f))
}

/// A choice by a mask between 64 bits.
const fn select64<F: Fn(u32, u64, u64) -> u64 + Copy>(f: F) -> Handler {
    Handler::new::<W, D, D, D, F>(f)
}

/// 64 bits shifted by an amount of 32.
const fn shift64<F: Fn(u64, u32) -> u64 + Copy>(f: F) -> Handler {
    Handler::new::<D, W, (), D, F>(f)
}

/// From 64 bits to 32.
const fn narrow<F: Fn(u64) -> u32 + Copy>(f: F) -> Handler {
    Handler::new::<D, (), (), W, F>(f)
}

const fn narrow2<F: Fn(u64, u64) -> u32 + Copy>(f: F) -> Handler {
    Handler::new::<D, D, (), W, F>(f)
}

/// From 32 bits to 64.
const fn widen1<F: Fn(u32) -> u64 + Copy>(f: F) -> Handler {
    Handler::new::<W, (), (), D, F>(f)
}

const fn widen2<F: Fn(u32, u32) -> u64 + Copy>(f: F) -> Handler {
    Handler::new::<W, W, (), D, F>(f)
}

/// A comparison of 64 bits; the result is a mask.
const fn compare64<F: Fn(u64, u64) -> u32 + Copy>(f: F) -> Handler {
    Handler::new::<D, D, (), W, F>(f)
}

/// Four bytes a lane.
const fn bytes<F: Fn(u8, u8) -> u8 + Copy>(f: F) -> Handler {
    Handler::new::<B, B, (), B, F>(f)
}

/// Two half-words a lane.
const fn halves<F: Fn(u16, u16) -> u16 + Copy>(f: F) -> Handler {
    Handler::new::<H, H, (), H, F>(f)
}

/// A mask.
#[inline(always)]
fn ones(condition: bool) -> u32 {
    if condition { u32::MAX } else { 0 }
}
