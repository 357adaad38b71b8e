//! What a kernel uses of a device: memory of each kind, and an estimate of registers.

use crate::error::LaunchError;
use crate::frame::Frame;
use crate::memory::Layout;
use crate::program::Program;
use crate::reach::{self, Reached, reach, registers};
use margay_front::module::{Function, FunctionId, Module, Space};

/// What a thread of the hardware has: registers of 32 bits, of which the assembler gives eight or more.
const MOST_REGISTERS: u32 = 255;
const FEWEST_REGISTERS: u32 = 8;

/// What a kernel uses, the functions that it calls included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Footprint {
    /// Bytes of shared memory of a block, without what a launch asks for.
    pub shared_bytes: u64,
    /// Bytes of local variables of a thread.
    pub local_bytes: u64,
    /// Bytes of constant memory of the module.
    pub const_bytes: u64,
    /// Registers of 32 bits that a thread would take: an estimate from the values that live at once in the order of the code, within
    /// `.maxnreg`. No assembler has chosen any.
    pub registers: u32,
}

/// What a kernel uses.
///
/// ```
/// use margay_exec::{Memory, Program, footprint};
/// let text = ".version 8.0 .target sm_80 .address_size 64 .const .u32 c[3];
///     .entry k() { .shared .u32 s[5]; .local .u64 l[2]; .reg .u32 %r; ld.shared.u32 %r, [s]; st.local.u32 [l], %r; }";
/// let module = margay_front::compile(text).unwrap();
/// let program = Program::load(&module, &mut Memory::new(64)).unwrap();
/// let used = footprint(&program, module.entry("k").unwrap()).unwrap();
/// assert_eq!((used.shared_bytes, used.local_bytes, used.const_bytes), (20, 16, 12));
/// ```
///
/// # Errors
/// If its variables find no room on any device.
pub fn footprint(program: &Program, kernel: FunctionId) -> Result<Footprint, LaunchError> {
    let module = program.module();
    let reached = reach(module, kernel);
    let layout = Layout::of(module.address_size());
    let frame = Frame::new(module, program.addresses(), kernel, &reached, &layout, 0, false)?;
    Ok(Footprint {
        shared_bytes: frame.shared_plain,
        local_bytes: packed(local_variables(module, &reached)),
        const_bytes: packed(
            module.variables().iter().filter(|v| v.space == Space::Const).map(|v| (v.align, v.size)),
        ),
        registers: estimate(module, &reached, kernel),
    })
}

/// Alignments and sizes of the local variables that reachable code names.
fn local_variables<'m>(module: &'m Module, reached: &'m Reached) -> impl Iterator<Item = (u64, u64)> {
    reached.functions.iter().flat_map(|(id, reached)| {
        let named = reach::variables(module.function(*id), reached).into_iter().map(|id| module.variable(id));
        named.filter(|v| v.space == Space::Local).map(|v| (v.align, v.size))
    })
}

/// Bytes of variables one after the other.
fn packed(variables: impl Iterator<Item = (u64, u64)>) -> u64 {
    variables.fold(0u64, |end, (align, size)| end.next_multiple_of(align.max(1)).saturating_add(size))
}

fn estimate(module: &Module, reached: &Reached, kernel: FunctionId) -> u32 {
    let live = |id: &FunctionId| most_alive(module.function(*id));
    let own = live(&kernel);
    let called = reached.functions.keys().filter(|id| **id != kernel).map(live).max().unwrap_or(0);
    let most = module.function(kernel).performance.maxnreg.unwrap_or(MOST_REGISTERS).min(MOST_REGISTERS);
    (own + called).next_multiple_of(FEWEST_REGISTERS).max(FEWEST_REGISTERS).min(most.max(1))
}

/// The most registers of 32 bits that lie between their first and last mention at one place of the code.
fn most_alive(function: &Function) -> u32 {
    let mut spans: Vec<Option<(usize, usize)>> = vec![None; function.registers.len()];
    for (at, instruction) in function.code.iter().enumerate() {
        registers(instruction, &mut |id| {
            let span = spans[id.0 as usize].get_or_insert((at, at));
            span.1 = at;
        });
    }
    let mut changes = vec![0i64; function.code.len() + 1];
    for (span, register) in spans.iter().zip(&function.registers) {
        if let Some((first, last)) = span {
            // A predicate takes none of them.
            let cells = i64::from(register.ty.width().div_ceil(32)) * i64::from(register.ty.width() > 1);
            changes[*first] += cells;
            changes[last + 1] -= cells;
        }
    }
    let alive = changes.iter().scan(0, |alive, change| {
        *alive += change;
        Some(*alive)
    });
    alive.max().unwrap_or(0).clamp(0, MOST_REGISTERS.into()) as u32
}
