//! A launch: a kernel, a grid, parameters and limits, checked and then run over the host's cores.

use crate::batch::{DefaultEnvironment, Simd};
use crate::error::{Error, LaunchError};

use crate::golden::THREAD_BYTES;
use crate::grid::{self, Dim};
use crate::lookout::Lookout;
use crate::memory::Memory;
use crate::observe::Observe;
use crate::prepared::PreparedKernel;
use crate::prepared::shape::Shape;
use crate::profile::{Collected, Profile};
use crate::program::Program;
use crate::sanitize::{Finding, Sanitize, Watch};
use crate::trap::Trap;
use cost_estimate::Help;
use margay_front::module::FunctionId;
use margay_isa::special::ENVIRONMENT;
use margay_isa::{Semantics, Target, Version};
use scheduler::{Begun, Done, Shift};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
pub(crate) use storage::Storage;
use storage::Stored;

mod budget;
pub(crate) mod cost_estimate;
mod engine_choice;
mod job;
mod scheduler;
mod shuffle;
mod stage;
mod storage;

pub(crate) use budget::Budget;
pub use engine_choice::Choice;
pub(crate) use job::Job;
pub use stage::Stage;

/// The first version whose texts may say how many bits an address has.
const ADDRESS_SIZE: Version = Version { major: 2, minor: 3 };

/// What executes a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Engine {
    /// One thread after the other, each instruction by its page's meaning: slow, and the judge of all others.
    Golden,
    /// All threads of a block at once, with the machine's vector instructions. Where it cannot go on, the golden engine does.
    #[default]
    Batch,
}

/// How far a launch is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Blocks that have ended.
    pub blocks: u64,
    /// Blocks of the grid.
    pub of: u64,
}

/// A kernel to be run.
///
/// ```
/// use margay_exec::{Argument, Launch, Memory, Program, parameter_block};
/// let module = margay_front::compile(
///     ".version 8.0
///      .target sm_80
///      .address_size 64
///      .entry twice(.param .u64 data) {
///          .reg .b64 %rd<3>;
///          .reg .b32 %r<3>;
///          ld.param.u64 %rd1, [data];
///          mov.u32 %r1, %tid.x;
///          mul.wide.u32 %rd2, %r1, 4;
///          add.s64 %rd1, %rd1, %rd2;
///          ld.global.u32 %r2, [%rd1];
///          add.u32 %r2, %r2, %r2;
///          st.global.u32 [%rd1], %r2;
///      }",
/// )
/// .unwrap();
/// let mut memory = Memory::new(module.address_size());
/// let program = Program::load(&module, &mut memory)?;
/// let data = memory.alloc(8, "data")?;
/// memory.write(data, &[21, 0, 0, 0, 4, 0, 0, 0])?;
///
/// let entry = module.entry("twice").unwrap();
/// let parameters = parameter_block(module.function(entry), 64, &[Argument::Address(data)])?;
/// Launch { block: 2.into(), parameters, ..Launch::new(entry) }.run(&program, &memory)?;
/// assert_eq!(memory.read(data, 8)?, [42, 0, 0, 0, 8, 0, 0, 0]);
///
/// let parameters = parameter_block(module.function(entry), 64, &[Argument::Address(data)])?;
/// let trap = Launch { block: 3.into(), parameters, ..Launch::new(entry) }.run(&program, &memory).unwrap_err();
/// assert_eq!(
///     trap.to_string(),
///     "out of bounds: read of 4 bytes at 0x700000000008, just past the end of data (8 bytes at 0x700000000000); \
///      thread (2, 0, 0) of block (0, 0, 0) in kernel `twice`"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Launch<'a> {
    /// The kernel.
    pub entry: FunctionId,
    /// Blocks.
    pub grid: Dim,
    /// Threads in each block.
    pub block: Dim,
    /// Blocks of a cluster, which are resident together and see each other's shared memory; if it is not said, what the kernel
    /// requires, or else one. The grid consists of whole clusters.
    pub cluster: Option<Dim>,
    /// Bytes of dynamic shared memory for each block.
    pub shared_bytes: u64,
    /// The parameter block, as [`crate::parameter_block`] makes it.
    pub parameters: Vec<u8>,
    /// What `%envreg0` to `%envreg31` hold, by which a driver tells a kernel of the launch; 0 if nothing is said.
    pub environment: [u32; ENVIRONMENT],
    /// What executes it; [`Launch::choice`] says when the golden engine does all the same.
    pub engine: Engine,
    /// The vector instructions that the batch engine uses, on which results do not depend: if none are given, those that
    /// the environment variable `MARGAY_SIMD` names (`baseline`, `avx2`, `avx512`), or else the best that the machine has.
    pub simd: Option<Simd>,
    /// Whose reading of the manual is computed.
    pub semantics: Semantics,
    /// The device whose tensor cores products of matrices are computed as, to the last bit; if none is given, that of the module's
    /// `.target`. Nothing else depends on it.
    pub device: Option<Target>,
    /// Whether floating-point products are added without being rounded, as ptxas does where neither instruction names a
    /// rounding and nothing else reads the product: [`margay_front::contractions`] says where.
    pub contract: bool,
    /// The most instructions that all threads together may execute. With several workers, which thread is named
    /// when they are used up depends on chance; that they are used up does not.
    pub max_steps: Option<u64>,
    /// Host threads that run blocks; 0 takes as many as the host has cores. One alone runs them, in a fixed order, where
    /// the order of blocks can show in the result, and where [`Launch::schedule_seed`] asks for another order.
    pub workers: usize,
    /// Runs blocks, and the threads of each, in another legal order, drawn from this number: blocks and threads begin in
    /// any order and have turns of any length. The same seed gives the same order, whatever the number of workers. A
    /// kernel whose results differ from seed to seed depends on an order that PTX does not promise.
    pub schedule_seed: Option<u64>,
    /// Lets blocks run on all workers even where their order can show in the result. Then what they do to each other
    /// happens in the order that chance gives: results, traps and addresses from the device's `malloc` may differ from run to
    /// run. Each atomic operation is still one step, fences hold, and blocks that wait for each other make progress. A
    /// launch that can reach 128-bit atomic operations keeps its one worker. With [`Launch::schedule_seed`], only the
    /// order of threads within a block repeats.
    pub unordered: bool,
    /// Whether blocks will wait for each other, as those of a cooperative grid do. Then all begin before one has its second turn, and
    /// turns are short: so a block that waits takes little time from those that it waits for.
    pub cooperative: bool,
    /// What is watched for beside memory errors. With any of it, one worker runs all blocks, in an order that repeats.
    pub sanitize: Sanitize,
    /// Counts what is executed: [`Report::profile`]. It takes time.
    pub profile: bool,
    /// What is told of chosen threads and memory while the launch runs.
    pub observe: Option<&'a Observe<'a>>,
    /// Set it to end the launch with a trap.
    pub cancel: Option<&'a AtomicBool>,
    /// Called by the calling thread now and then, some twenty times a second, while the launch runs: to look for signals, say,
    /// and set `cancel`. A launch that is done soon does not call it.
    pub look: Option<&'a (dyn Fn() + Sync)>,
    /// Told after each block, by any worker, one at a time.
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
}

/// What a launch did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// Threads of the grid.
    pub threads: u64,
    /// Instructions that they executed, those with a false guard included.
    pub instructions: u64,
    /// What ran it.
    pub choice: Choice,
    /// Blocks that the batch engine began and the golden engine went on with.
    pub handed_over: u64,
    /// How long it took.
    pub elapsed: Duration,
    /// What the kernel printed: block after block, the lines of each in the order of its barriers, between two of them each thread's
    /// first line, then each one's second, and so on; last those that were begun and not ended.
    pub printed: String,
    /// What sanitizers found, by sanitizer, then in the order of the instructions.
    pub findings: Vec<Finding>,
    /// What was executed, if it was counted.
    pub profile: Option<Box<Profile>>,
}

impl<'a> Launch<'a> {
    /// A launch of one block of one thread, without parameters, limits or observers.
    pub fn new(entry: FunctionId) -> Launch<'a> {
        Launch {
            entry,
            grid: 1.into(),
            block: 1.into(),
            cluster: None,
            shared_bytes: 0,
            parameters: Vec::new(),
            environment: [0; ENVIRONMENT],
            engine: Engine::default(),
            simd: None,
            semantics: Semantics::Manual,
            device: None,
            contract: false,
            max_steps: None,
            workers: 0,
            schedule_seed: None,
            unordered: false,
            cooperative: false,
            sanitize: Sanitize::default(),
            profile: false,
            observe: None,
            cancel: None,
            look: None,
            progress: None,
        }
    }

    /// Checks that the launch could run, without running it.
    ///
    /// # Errors
    /// As [`Launch::run`], traps aside.
    pub fn check(&self, program: &Program, memory: &Memory) -> Result<(), LaunchError> {
        self.job(program, memory).map(|_| ())
    }

    /// Runs the kernel to its end.
    ///
    /// # Errors
    /// A launch error if the call is wrong; then nothing has run. A trap if the kernel goes wrong, runs out of steps or is
    /// stopped; of several, that of the lowest block, or the first one where blocks run in a fixed order. Memory then holds what had been written so far.
    pub fn run(&self, program: &Program, memory: &Memory) -> Result<Report, Error> {
        let start = Instant::now();
        let _arithmetic = DefaultEnvironment::enter();
        let (mut job, choice) = self.job(program, memory)?;
        job.profile = self.profile.then(|| Collected::new(job.counted()));
        let workers = if self.workers == 0 { cores() } else { self.workers };
        let workers = if job.ordered { 1 } else { job.blocks.min(workers as u64).min(job.storage.fitting) };
        let shift = Shift::new(&job, job.storage.held_by_each(workers, job.blocks), self.progress);
        let mut watch = Watch::new(&job, self.sanitize);
        let mut lookout = Lookout::new(self.look);
        let (begun, mut help) = (Instant::now(), Help::None);
        if workers == 1 {
            shift.work(&mut watch, &mut lookout, Begun::default());
        } else if let Some((first, called)) = shift.alone(&mut watch, &mut lookout, workers as u32) {
            help = called;
            lookout.with_others(
                workers as usize - 1,
                |lookout, call| {
                    call();
                    shift.work(&mut watch, lookout, first);
                },
                || {
                    // Threads begin with the environment of the one that starts them.
                    let _arithmetic = DefaultEnvironment::enter();
                    shift.work(&mut None, &mut Lookout::new(None), Begun::default());
                },
            );
        }
        shift.note(begun.elapsed(), help);
        let findings = watch.map(|watch| watch.findings(&job)).unwrap_or_default();
        let Done { instructions, handed_over, printed } = match shift.result() {
            Ok(done) => done,
            Err(trap) => return Err(Error::Trap(Box::new(Trap { findings, ..*trap }))),
        };
        let threads = job.blocks * u64::from(job.threads);
        let elapsed = start.elapsed();
        let counted = job.profile.take();
        let profile = counted.map(|counted| Box::new(counted.finish(job.counted())));
        Ok(Report { threads, instructions, choice, handed_over, elapsed, printed, findings, profile })
    }

    /// The kernel prepared for this shape, with the blocks of the grid.
    pub(super) fn ready(
        &self,
        program: &Program,
        memory: &Memory,
    ) -> Result<(Arc<PreparedKernel>, u64), LaunchError> {
        let module = program.module();
        let kernel = module.function(self.entry);
        let size = module.address_size();
        let other = memory.layout().address_size;
        // A text older than the directive cannot say that its addresses are the host's.
        let untold = memory.has_host_addresses() && module.version() < ADDRESS_SIZE;
        if other != size && !untold {
            let message = format!("the module has {size}-bit addresses, the memory has {other}-bit ones");
            return Err(LaunchError::new(message));
        }
        if !kernel.is_entry {
            return Err(LaunchError::new(format!("`{}` is not a kernel", kernel.name)));
        }
        if !kernel.is_defined {
            return Err(LaunchError::new(format!("kernel `{}` is declared but has no body", kernel.name)));
        }
        if self.parameters.len() as u64 != kernel.parameter_bytes {
            let (given, wanted) = (self.parameters.len(), kernel.parameter_bytes);
            let message =
                format!("kernel `{}` takes {wanted} bytes of parameters, but {given} are given", kernel.name);
            return Err(LaunchError::new(message));
        }
        let (blocks, threads) = grid::check(kernel, self.grid, self.block)?;
        let shape = Shape {
            entry: self.entry,
            block: self.block,
            threads,
            shared_bytes: self.shared_bytes,
            semantics: self.semantics,
            device: self.device.unwrap_or(module.target()),
            contract: self.contract,
            apart: self.sanitize.any(),
        };
        let ready = program.kept().get(module, program.addresses(), memory.layout(), shape)?;
        Ok((ready, blocks))
    }

    pub(crate) fn job<'j>(
        &'j self,
        program: &'j Program,
        memory: &'j Memory,
    ) -> Result<(Job<'j>, Choice), LaunchError> {
        let module = program.module();
        let kernel = module.function(self.entry);
        let (ready, blocks) = self.ready(program, memory)?;
        let threads = ready.shape.threads;
        let (cluster, explicit) = grid::clusters(kernel, self.grid, self.cluster)?;
        let of_cluster = cluster.count().unwrap_or(1) as u32;
        let choice = self.choice_for(ready.order_shows, ready.is_for_several, of_cluster > 1)?;
        let ordered = ready.order_shows || self.schedule_seed.is_some();
        let unordered = self.unordered && ready.may_be_unordered;
        let workers = match ready.pace.is_for_one(blocks) {
            true => 1,
            false if self.workers == 0 => cores() as u64,
            false => self.workers as u64,
        };
        // What is counted is counted block by block.
        let together = choice.engine == Engine::Batch && !self.profile;
        let members = if together {
            let most = scheduler::most_of_row(self.grid.x, threads).unwrap_or(blocks);
            ready.batch_size(most.min(blocks / workers), choice.simd.unwrap_or(Simd::Baseline))
        } else {
            of_cluster
        };
        let parameters = ready.frame.parameter_block(kernel, &self.parameters);
        let parameter_bytes = ready.frame.parameter_bytes;
        let batch = choice.engine == Engine::Batch;
        let (cooperative, thread_bytes) = (self.cooperative, THREAD_BYTES);
        let stored =
            Stored { ready: &ready, blocks, threads, thread_bytes, members, of_cluster, cooperative, batch };
        let storage = stored.place(memory)?;
        let job = Job {
            module,
            ready,
            batch,
            storage,
            printed: AtomicU64::new(0),
            simd: choice.simd.unwrap_or(Simd::Baseline),
            ordered: self.sanitize.any() || self.observe.is_some() || ordered && !unordered,
            seed: self.schedule_seed,
            cooperative: self.cooperative,
            memory,
            parameters: words(&parameters),
            parameter_bytes,
            kernel: &kernel.name,
            entry: self.entry,
            grid: self.grid,
            cluster,
            explicit,
            block: self.block,
            blocks,
            threads,
            dynamic_bytes: self.shared_bytes,
            environment: self.environment,
            tracks_registers: self.sanitize.init,
            budget: self.max_steps.map(Budget::new),
            cancel: self.cancel,
            profile: None,
            observe: self.observe,
        };
        Ok((job, choice))
    }
}

/// How many threads the host runs at once.
pub fn cores() -> usize {
    // Asking the system takes longer than a small launch does.
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, |n| n.get()))
}

fn words(bytes: &[u8]) -> Vec<u64> {
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    bytes.chunks(8).map(word).collect()
}
