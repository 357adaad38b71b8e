//! No kernel touches or sees anything of the process but its allocations, its windows and its parameters, whatever addresses
//! it computes: judged in a process of its own whose other memory is full of canaries.
//!
//! `MARGAY_HOSTILE_ROUNDS` says how many launches there are for each engine and each kind of memory.

#![allow(unsafe_code)]

mod canaries;
mod kernels;

use canaries::{Canaries, Room, pattern, shows_secret};
use kernels::{Access, FRESH_BYTES, LOCAL, PARAMETERS, Regions, SHARED, accesses, module, others, valid};
use margay_exec::memory::Layout;
use margay_exec::{Argument, Engine, Error, Launch, Memory, Program, Trap, TrapKind, parameter_block};
use margay_front::module::Module;
use std::hint::black_box;
use std::process::Command;

/// The engines that are judged.
const ENGINES: &[Engine] = &[Engine::Golden, Engine::Batch];

/// Whose memory the buffers are, and which addresses they have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Margay's, at its own addresses.
    Own,
    /// The process's, at addresses of margay's own.
    Lent,
    /// The process's, at their own addresses.
    Host,
}

const KINDS: [Kind; 3] = [Kind::Own, Kind::Lent, Kind::Host];

const ROUNDS: u64 = 6000;
/// Tells a process that it is the poisoned one, and which engine to judge.
const POISONED: &str = "MARGAY_POISONED";
/// Sizes of the buffers of the device.
const BUFFERS: [u64; 5] = [4096, 1, 99, 8192, 65_536];
/// Threads of a launch.
const LANES: u64 = 48;
const NOBODY: u32 = u32::MAX;

#[test]
fn no_kernel_touches_or_sees_the_rest_of_the_process() {
    for name in ENGINES.iter().flat_map(|engine| KINDS.map(|kind| format!("{engine:?} {kind:?}"))) {
        let this = std::env::current_exe().unwrap();
        let mut child = Command::new(this);
        child.args(["--exact", "the_poisoned_process", "--nocapture"]).env(POISONED, &name);
        let output = child.output().unwrap();
        let said =
            [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).join("\n");
        assert!(output.status.success(), "{name}: {}\n{said}", output.status);
        assert!(said.contains("hostile launches"), "nothing was judged:\n{said}");
    }
}

/// Does nothing, unless it is started as the other test's child.
#[test]
fn the_poisoned_process() {
    let Ok(name) = std::env::var(POISONED) else { return };
    let engine = *ENGINES.iter().find(|engine| name.starts_with(&format!("{engine:?}"))).unwrap();
    let kind = *KINDS.iter().find(|kind| name.ends_with(&format!("{kind:?}"))).unwrap();
    let stack = black_box([pattern(); 4096]);
    let (launches, trapped) = judge(engine, kind, stack.as_ptr() as u64);
    assert!(black_box(stack).iter().all(|word| *word == pattern()), "the stack was touched");
    assert!(launches > 1000 || std::env::var("MARGAY_HOSTILE_ROUNDS").is_ok());
    println!("{launches} hostile launches, {trapped} of them trapped");
}

/// What hostile kernels find in the process.
struct World {
    engine: Engine,
    map: Layout,
    regions: Regions,
    canaries: Canaries,
    /// Addresses of what the process needs to live.
    vital: Vec<u64>,
    out: u64,
    bystander: u64,
    seed: u64,
}

impl World {
    fn random(&mut self) -> u64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        self.seed.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.random() % limit
    }

    /// An address that aims at something.
    fn address(&mut self, bytes: u64) -> u64 {
        let k = self.random() as usize;
        let (canary, size) = self.canaries.place(k);
        let other = self.canaries.place(k / self.canaries.len()).0;
        let vital = self.vital[k % self.vital.len()];
        let (base, length, _) = self.regions[k % self.regions.len()];
        let map = &self.map;
        let windows = [0, map.shared.base, map.local.base, map.param.base, map.code.base];
        let window = windows[k % windows.len()];
        let inside = self.below(size + 128).wrapping_sub(64);
        let near = self.below(96).wrapping_sub(48);
        let far = 1u64 << self.below(64);
        let aim = match self.below(12) {
            0 => self.random(),
            1 | 2 => canary.wrapping_add(inside),
            3 => vital.wrapping_add(near),
            4 => base.wrapping_add(near),
            5 => base.wrapping_add(length).wrapping_add(near),
            6 => base.wrapping_add(far).wrapping_add(near),
            7 => base.wrapping_sub(far).wrapping_add(near),
            8 => base.wrapping_add(canary.wrapping_sub(other)),
            9 => window.wrapping_add(canary & 0xffff_ffff),
            10 => {
                window.wrapping_add([SHARED, LOCAL, PARAMETERS, 1 << 24, 1 << 32][k % 5]).wrapping_add(near)
            }
            _ => u64::MAX.wrapping_sub(self.below(64)).wrapping_add(window),
        };
        if self.below(8) == 0 { aim } else { aim & !(bytes - 1) }
    }
}

fn judge(engine: Engine, kind: Kind, stack: u64) -> (u64, u64) {
    let accesses = accesses();
    let mut canaries = Canaries::default();
    (0..6).for_each(|_| canaries.large());
    canaries.small();
    let module = margay_front::compile(&module(&accesses)).unwrap_or_else(|errors| panic!("{errors:?}"));
    let mut rooms: Vec<Room> = BUFFERS.iter().map(|bytes| Room::new(*bytes as usize)).collect();
    let mut memory = if kind == Kind::Host { Memory::host() } else { Memory::new(64) };
    canaries.large();
    let program = Program::load(&module, &mut memory).unwrap();
    let mut regions: Regions = Vec::new();
    for (bytes, room) in BUFFERS.into_iter().zip(&mut rooms) {
        let name = format!("buffer of {bytes}");
        let address = match kind {
            Kind::Own => memory.alloc(bytes, name),
            // SAFETY: the rooms live longer than the memory, and only their surroundings are looked at.
            Kind::Lent | Kind::Host => unsafe { memory.lend(room.start(), bytes, name, false) },
        };
        regions.push((address.unwrap(), bytes, true));
        canaries.large();
        canaries.small();
    }
    let (out, bystander) = (regions[4].0, regions[3].0);
    for (name, writable) in [("c", false), ("shows", true), ("number", true)] {
        let (base, bytes) = program.variable(name).unwrap();
        regions.push((base, bytes, writable));
    }
    (0..6).for_each(|_| canaries.large());
    let vital = vec![
        stack,
        stack + 16_384,
        &raw const memory as u64,
        &raw const program as u64,
        &raw const module as u64,
        module.functions().as_ptr() as u64,
        judge as *const () as u64,
        std::process::exit as *const () as u64,
    ];
    let map = memory.layout().clone();
    let mut world =
        World { engine, map, regions, canaries, vital, out, bystander, seed: 0x9e37_79b9_7f4a_7c15 };
    memory.write(world.bystander, &[0xb5; 8192]).unwrap();
    let rounds = std::env::var("MARGAY_HOSTILE_ROUNDS").map_or(ROUNDS, |n| n.parse().unwrap());
    let (mut launches, mut trapped) = (0, 0);
    for round in 0..rounds {
        let expected = if round % 16 == 0 {
            other_use(&mut world, &module, &program, &memory, accesses.len());
            true
        } else {
            let k = world.below(accesses.len() as u64) as usize;
            access(&mut world, &module, &program, &memory, (k, &accesses[k]))
        };
        launches += 1;
        trapped += u64::from(expected);
        let seen = memory.read(world.out, LANES * 32).unwrap();
        assert!(!shows_secret(&seen), "a secret was read in round {round}");
        if round % 500 == 499 {
            assert!(world.canaries.are_untouched(), "a canary was touched in the rounds before {round}");
            assert!(rooms.iter().all(Room::is_sound), "beside a lent buffer, before round {round}");
            let kept = memory.read(world.bystander, 8192).unwrap();
            assert!(kept.iter().all(|byte| *byte == 0xb5), "another buffer was touched before round {round}");
            fresh(&world, &module, &program, &memory);
            memory_is_as_before(&mut memory, &world);
        }
    }
    assert!(world.canaries.are_untouched(), "a canary was touched");
    assert!(trapped * 4 > launches * 3, "{trapped} of {launches}");
    (launches, trapped)
}

/// Clears what kernels have written.
fn memory_is_as_before(memory: &mut Memory, world: &World) {
    for (base, bytes, writable) in world.regions.iter().take(BUFFERS.len()) {
        if *writable && *base != world.bystander {
            memory.write(*base, &vec![0; *bytes as usize]).unwrap();
        }
    }
}

/// Launches the kernel of an access. Whether it had to trap.
fn access(
    world: &mut World,
    module: &Module,
    program: &Program,
    memory: &Memory,
    (k, access): (usize, &Access),
) -> bool {
    let bytes = access.bytes;
    let windowed = matches!(access.space, ".shared" | ".local" | ".param");
    let (start, length) = match access.space {
        ".shared" => (0, SHARED),
        ".local" => (0, LOCAL),
        ".param" => (0, PARAMETERS),
        ".const" => (world.regions[5].0, 4096),
        _ => (world.regions[0].0, 4096),
    };
    let start = start.wrapping_add_signed(-access.offset);
    // Either one lane is hostile among others that are not, or all go on in steps until they leave what is theirs.
    let (base, stride, who, hostile) = if world.below(3) > 0 {
        let stride = if windowed { 0 } else { [0, bytes][world.below(2) as usize] };
        (start, stride, world.below(LANES) as u32, world.address(bytes))
    } else {
        let step = bytes << world.below(60);
        let stride = [bytes, bytes.wrapping_neg(), step, step.wrapping_neg()][world.below(4) as usize];
        (start.wrapping_add(length / 2 / 32 * 32), stride, NOBODY, 0)
    };
    let address = |lane: u64| match lane == u64::from(who) {
        true => hostile,
        false => base.wrapping_add(stride.wrapping_mul(lane)),
    };
    // No other buffer than the first may be hit by chance: what stands in it would change.
    let near = |lane: u64| {
        let at = address(lane).wrapping_add_signed(access.offset);
        world.regions[1..].iter().any(|(base, size, _)| at.wrapping_add(64) >= *base && at < base + size)
    };
    if !matches!(access.space, ".const") && access.writes && !windowed && (0..LANES).any(near) {
        return true;
    }
    let wrong: Vec<u64> =
        (0..LANES).filter(|lane| !valid(&world.regions, access, address(*lane), &world.map)).collect();
    let arguments = [
        Argument::Address(base),
        Argument::from(stride),
        Argument::Address(hostile),
        Argument::from(who),
        Argument::Address(world.out),
    ];
    match launch(world, module, program, memory, k, &arguments) {
        Ok(()) => assert!(
            wrong.is_empty(),
            "{} was carried out: {wrong:?} at {:#x}",
            access.line,
            address(wrong[0])
        ),
        Err(trap) => {
            let lane = u64::from(trap.thread.x);
            assert!(
                wrong.contains(&lane),
                "{} of lane {lane} was refused at {:#x}: {trap}",
                access.line,
                address(lane)
            );
            assert!(matches!(trap.kind, TrapKind::Memory(_)), "{}: {trap}", access.line);
            assert!(trap.to_string().contains("0x"), "{trap}");
            located(module, &trap, access.opcode());
        }
    }
    !wrong.is_empty()
}

/// Uses an address in a way that is neither a load nor a store.
fn other_use(world: &mut World, module: &Module, program: &Program, memory: &Memory, first: usize) {
    let all = others();
    let k = world.below(all.len() as u64) as usize;
    let (opcode, line) = all[k];
    let hostile = loop {
        let address = world.address(16);
        let mapped = world.regions.iter().any(|(base, size, _)| (*base..base + size).contains(&address));
        let map = &world.map;
        let windows = [map.shared, map.local, map.param, map.code];
        // A null pointer may be freed, a list of no arguments may be anywhere, an empty stack begins low.
        if !mapped
            && address > 1 << 16
            && windows.iter().all(|window| address.wrapping_sub(window.base) > 1 << 25)
        {
            break address;
        }
    };
    let arguments = [
        Argument::Address(hostile),
        Argument::from(0u64),
        Argument::Address(hostile),
        Argument::from(NOBODY),
        Argument::Address(world.out),
    ];
    match launch(world, module, program, memory, first + k, &arguments) {
        Ok(()) => panic!("{line} was carried out with {hostile:#x}"),
        Err(trap) => {
            assert!(!shows_secret(trap.printed.as_bytes()), "{line} printed {}", trap.printed);
            located(module, &trap, opcode);
        }
    }
}

/// A trap must stand at the instruction that was hostile, and tell no secret.
fn located(module: &Module, trap: &Trap, opcode: &str) {
    let function = module.function(trap.function);
    let instruction = &function.code[trap.instruction.0 as usize];
    assert!(format!("{:?}", instruction.inst).contains(opcode), "{trap} stands at {:?}", instruction.inst);
    assert!(!shows_secret(trap.to_string().as_bytes()), "{trap}");
}

fn launch(
    world: &World,
    module: &Module,
    program: &Program,
    memory: &Memory,
    entry: usize,
    arguments: &[Argument],
) -> Result<(), Box<Trap>> {
    let entry = module.entry(&format!("e{entry}")).unwrap();
    let launch = Launch {
        block: (LANES as u32).into(),
        parameters: parameter_block(module.function(entry), 64, arguments).unwrap(),
        engine: world.engine,
        workers: 1,
        ..Launch::new(entry)
    };
    match launch.run(program, memory) {
        Ok(_) => Ok(()),
        Err(Error::Trap(trap)) => Err(trap),
        Err(Error::Launch(error)) => panic!("{error}"),
    }
}

/// Memory and registers that a thread gets hold nothing of what the process had there before.
fn fresh(world: &World, module: &Module, program: &Program, memory: &Memory) {
    Canaries::poison_free_memory();
    let entry = module.entry("fresh").unwrap();
    let arguments = [Argument::Address(world.out)];
    let launch = Launch {
        parameters: parameter_block(module.function(entry), 64, &arguments).unwrap(),
        engine: world.engine,
        ..Launch::new(entry)
    };
    launch.run(program, memory).unwrap_or_else(|error| panic!("{error}"));
    let seen = memory.read(world.out, FRESH_BYTES).unwrap();
    assert!(!shows_secret(&seen), "fresh memory holds a secret");
}
