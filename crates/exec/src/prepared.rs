//! A kernel made ready for launches of one shape, and kept for the next of them.

pub(crate) mod shape;

use crate::batch::{Callees, Common, CompileRequest, MANY_THREADS, MOST_THREADS, Plan, Simd, build};
use crate::code::Code;
use crate::decode::decode;
use crate::determinism;
use crate::error::LaunchError;
use crate::frame::{Frame, LOCAL_LIMIT};
use crate::launch::cost_estimate::LaunchCost;
use crate::memory::Layout;
use crate::reach::reach;
use margay_front::module::{FunctionId, Module};
use shape::Shape;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

/// Powers of two of blocks that may run together.
const SIZES: usize = 15;

/// Bytes of registers that threads of several blocks may have together.
const REGISTER_BYTES: u64 = 40 << 10;

/// The same where runs of operations are compiled, for values that go from run to run: they are touched so seldom that the
/// second cache serves them too.
const BYTES_BETWEEN: u64 = 240 << 10;

/// Threads of several blocks that share memory or have stacks of activations, at most: a pass over more finds less of it in a core's
/// first cache.
const SHARING_THREADS: u32 = 4096;

/// Bytes of memory that more threads than [`MANY_THREADS`] may move: a pass over more finds nothing that the one before it has left in a
/// cache.
const BYTES_MOVED: u64 = 512 << 10;

/// Kernels of a program that are kept ready.
const KEPT: usize = 64;

/// A kernel made ready.
pub(crate) struct PreparedKernel {
    pub(crate) shape: Shape,
    layout: Layout,
    /// By function; none for those that the kernel cannot reach.
    pub(crate) code: Vec<Option<Code>>,
    /// Bytes of registers and local memory that a thread needs at most, unless its stack grows.
    pub(crate) stack_bytes: u64,
    /// Whether a thread's stack can have more: by recursion, by what is taken of it, by parameters of any size.
    pub(crate) stack_grows: bool,
    /// Whether the order in which blocks run can show in the result, and blocks wait for each other.
    pub(crate) order_shows: bool,
    /// Whether some instruction is for several blocks of a cluster.
    pub(crate) is_for_several: bool,
    /// Whether that order may be given up all the same.
    pub(crate) may_be_unordered: bool,
    pub(crate) frame: Frame,
    /// What plans for several numbers of blocks have in common, until there is the one that a launch is to run.
    common: Mutex<Option<Arc<Common>>>,
    /// By how many blocks run together: 1, 2, 4 and so on.
    plans: [OnceLock<Option<Plan>>; SIZES],
    plan_to_count: OnceLock<Option<Plan>>,
    pub(crate) pace: LaunchCost,
}

impl PreparedKernel {
    fn new(
        module: &Module,
        addresses: &[Option<u64>],
        layout: &Layout,
        shape: Shape,
    ) -> Result<PreparedKernel, LaunchError> {
        let reached = reach(module, shape.entry);
        reached.refuse(module, shape.entry)?;
        let frame =
            Frame::new(module, addresses, shape.entry, &reached, layout, shape.shared_bytes, shape.apart)?;
        let mut code: Vec<Option<Code>> = module.functions().iter().map(|_| None).collect();
        for (id, instructions) in &reached.functions {
            let decoded = decode(module, *id, instructions, &frame, layout, &shape)?;
            code[id.0 as usize] = Some(decoded);
        }
        Ok(PreparedKernel {
            shape,
            layout: layout.clone(),
            stack_bytes: stack_bytes(&code, shape.entry, &frame),
            stack_grows: reached.recursive || code.iter().flatten().any(Code::grows_stack),
            code,
            order_shows: determinism::shows_in(module, &reached),
            is_for_several: reached.is_for_several,
            may_be_unordered: determinism::may_be_given_up(module, &reached),
            frame,
            common: Mutex::default(),
            plans: Default::default(),
            plan_to_count: OnceLock::new(),
            pace: LaunchCost::default(),
        })
    }

    /// What the batch engine runs, for a power of two of blocks together.
    pub(crate) fn plan(&self, batch_size: u32) -> Option<&Plan> {
        self.plans[batch_size.trailing_zeros() as usize].get_or_init(|| self.build(batch_size, true)).as_ref()
    }

    /// What it runs where a launch is counted: one block at a time, in which threads part wherever the code says so.
    pub(crate) fn plan_to_count(&self) -> Option<&Plan> {
        self.plan_to_count.get_or_init(|| self.build(1, false)).as_ref()
    }

    fn build(&self, batch_size: u32, may_transform: bool) -> Option<Plan> {
        let request = self.request(batch_size, may_transform)?;
        if !may_transform {
            return Some(build(&request, &Common::of(&request)));
        }
        let common = self.common().get_or_insert_with(|| Common::of(&request).into()).clone();
        Some(build(&request, &common))
    }

    /// What the batch engine's compiler is asked for.
    pub(crate) fn request(&self, batch_size: u32, may_transform: bool) -> Option<CompileRequest<'_>> {
        let Shape { entry, block, threads, semantics, .. } = self.shape;
        let code = self.code[entry.0 as usize].as_ref()?;
        let callees = Callees { entry: entry.0, code: &self.code, frame: &self.frame };
        let layout = &self.layout;
        let origins = None;
        Some(CompileRequest {
            code,
            origins,
            callees,
            layout,
            semantics,
            block,
            threads,
            batch_size,
            may_transform,
        })
    }

    /// How many blocks the batch engine runs together best, of so many at most, for which there is a plan then.
    pub(crate) fn batch_size(&self, blocks: u64, simd: Simd) -> u32 {
        let batch_size = self.best_batch_size(blocks, simd);
        self.plan(batch_size);
        *self.common() = None;
        batch_size
    }

    /// As many as its registers fit a core's first cache with. Compiled code keeps what a run of operations makes for itself in
    /// registers.
    fn best_batch_size(&self, blocks: u64, simd: Simd) -> u32 {
        let Some(plan) = self.plan(1) else { return 1 };
        let whole_warps = self.shape.threads.is_multiple_of(32);
        if self.order_shows || !whole_warps && plan.needs_whole_warps() {
            return 1;
        }
        let (thread_bytes, register_bytes) = match simd {
            simd if simd.compiles() => (plan.bytes_between, BYTES_BETWEEN),
            _ => (plan.thread_bytes, REGISTER_BYTES),
        };
        let most = match () {
            () if self.frame.shared_bytes > 0 || plan.origins.has_stacks() => SHARING_THREADS,
            () if plan.bytes_moved().is_some_and(|bytes| bytes * u64::from(MOST_THREADS) <= BYTES_MOVED) => {
                MOST_THREADS
            }
            () => MANY_THREADS,
        };
        let fits = |batch_size: u32| {
            let threads = u64::from(batch_size) * u64::from(self.shape.threads);
            let bytes = u64::from(thread_bytes) * threads + u64::from(batch_size) * self.frame.shared_bytes;
            threads <= u64::from(most) && bytes <= register_bytes && u64::from(batch_size) <= blocks
        };
        (1..SIZES as u32).map(|size| 1 << size).take_while(|batch_size| fits(*batch_size)).last().unwrap_or(1)
    }

    fn common(&self) -> MutexGuard<'_, Option<Arc<Common>>> {
        self.common.lock().unwrap_or_else(|poison| poison.into_inner())
    }
}

/// Bytes of registers and local memory that a thread needs while its stack does not grow.
fn stack_bytes(code: &[Option<Code>], entry: FunctionId, frame: &Frame) -> u64 {
    let registers = |code: &Code| 8 * code.slots as u64;
    let all = code.iter().flatten().map(registers).sum::<u64>() + frame.stack_bytes();
    // The limit is that of calls.
    let own = code[entry.0 as usize].as_ref().map_or(0, registers);
    all.min(own + LOCAL_LIMIT)
}

/// The kernels that a program keeps ready, those used last at the end.
#[derive(Default)]
pub(crate) struct KernelCache(Mutex<Vec<Arc<PreparedKernel>>>);

impl KernelCache {
    /// A kernel of a module for a shape of launch, made ready if it is not yet. Variables have their addresses, by number.
    pub(crate) fn get(
        &self,
        module: &Module,
        addresses: &[Option<u64>],
        layout: &Layout,
        shape: Shape,
    ) -> Result<Arc<PreparedKernel>, LaunchError> {
        let fits = |ready: &Arc<PreparedKernel>| ready.shape == shape && ready.layout == *layout;
        {
            let mut kept = self.0.lock().unwrap_or_else(|poison| poison.into_inner());
            if let Some(place) = kept.iter().rposition(fits) {
                let ready = kept.remove(place);
                kept.push(ready.clone());
                return Ok(ready);
            }
        }
        let ready = Arc::new(PreparedKernel::new(module, addresses, layout, shape)?);
        let mut kept = self.0.lock().unwrap_or_else(|poison| poison.into_inner());
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push(ready.clone());
        Ok(ready)
    }
}
