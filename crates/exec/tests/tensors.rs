//! Copies of parts of tensors: every element lies where its coordinates and the tensor map say, on both engines; bytes that are no map do no
//! harm.

#[allow(dead_code, reason = "other tests use more of it")]
#[path = "support/random_kernel/random.rs"]
mod random;

use margay_exec::{Argument, Engine, Launch, Memory, Program, Simd, parameter_block};
use margay_front::module::Module;
use margay_isa::tensor_map::{ELEMENTS, MOST_DIMENSIONS, Part, TensorMap};
use random::Random;

/// Bytes of shared memory for a part, and of the tensor's buffer.
const ROOM: usize = 16384;
const TENSOR: usize = 65536;
/// Blocks of a launch; each copies a part of its own.
const BLOCKS: usize = 3;

/// A kernel of one warp whose first thread copies a part to shared memory, or from there; all show or fill the room.
fn kernel(rank: usize, loads: bool) -> String {
    let list = |item: &dyn Fn(usize) -> String| (0..rank).map(item).collect::<Vec<_>>().join(", ");
    let coordinates = list(&|k| format!("%c{k}"));
    let parameters: String = (0..rank).map(|k| format!(", .param .u64 c{k}")).collect();
    let read: String = (0..rank)
        .map(|k| format!("ld.param.u64 %at, [c{k}]; cvta.to.global.u64 %at, %at; mul.wide.u32 %w, %block, 4; add.u64 %at, %at, %w; ld.global.s32 %c{k}, [%at];\n"))
        .collect();
    let each = |what: &str, label: &str| {
        format!(
            "mov.u32 %k, %tid.x;\n{label}:\nmul.wide.u32 %w, %k, 4; mov.u64 %place, room; add.u64 %place, %place, %w; add.u64 %at, %out, %w;\n\
             {what}\nadd.u32 %k, %k, 32; setp.lt.u32 %p, %k, {};\n@%p bra {label};\nbar.sync 0;\n",
            ROOM / 4
        )
    };
    let fill = each("ld.global.u32 %x, [%at]; st.shared.u32 [%place], %x;", "fill");
    let show = each("ld.shared.u32 %x, [%place]; st.global.u32 [%at], %x;", "show");
    let copy = match loads {
        true => format!(
            "@%first mbarrier.arrive.expect_tx.shared::cta.b64 %state, [bar], %bytes;\n\
             @%first cp.async.bulk.tensor.{rank}d.shared::cta.global.tile.mbarrier::complete_tx::bytes [room], [%map, {{{coordinates}}}], [bar];\n\
             wait:\nmbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;\n@!%p bra wait;\n{show}"
        ),
        false => format!(
            "fence.proxy.async.shared::cta;\nbar.sync 0;\n\
             @%first cp.async.bulk.tensor.{rank}d.global.shared::cta.tile.bulk_group [%map, {{{coordinates}}}], [room];\n\
             cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n"
        ),
    };
    format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n.shared .align 1024 .b8 room[{ROOM}];\n.shared .align 8 .b64 bar;\n\
         .visible .entry k(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 bytes{parameters}) {{\n\
         .reg .b64 %map, %out, %at, %w, %place, %state; .reg .b32 %block, %k, %x, %bytes, %c<5>; .reg .pred %p, %first;\n\
         mov.b64 %map, map; cvta.param.u64 %map, %map; ld.param.u64 %out, [out]; ld.param.u32 %bytes, [bytes];\n\
         cvta.to.global.u64 %out, %out; mov.u32 %block, %ctaid.x; mul.wide.u32 %w, %block, {ROOM}; add.u64 %out, %out, %w;\n\
         mov.u32 %x, %tid.x; setp.eq.u32 %first, %x, 0;\n@%first mbarrier.init.shared.b64 [bar], 1;\n{read}{fill}{copy}ret;\n}}\n"
    )
}

struct Given<'g> {
    map: &'g [u8; TensorMap::BYTES],
    tensor: &'g [u8],
    /// What lies in shared memory before, of all blocks.
    rooms: &'g [u8],
    /// The corner of each block's part.
    corners: &'g [Vec<i32>],
    bytes: u32,
}

/// What a launch leaves: the tensor and what shared memory held; or why it stopped. The tensor's address is that of an empty memory's first buffer.
fn run(
    module: &Module,
    given: &Given,
    engine: Engine,
    simd: Option<Simd>,
) -> Result<(Vec<u8>, Vec<u8>, u64), String> {
    let mut memory = Memory::new(64);
    let program = Program::load(module, &mut memory).unwrap();
    let mut buffer = |bytes: &[u8], name: &str| {
        let address = memory.alloc(bytes.len() as u64, name).unwrap();
        memory.write(address, bytes).unwrap();
        address
    };
    let tensor = buffer(given.tensor, "tensor");
    let out = buffer(given.rooms, "out");
    let rank = given.corners[0].len();
    let list =
        |k: usize| given.corners.iter().flat_map(|corner| corner[k].to_le_bytes()).collect::<Vec<u8>>();
    let corners: Vec<u64> = (0..rank).map(|k| buffer(&list(k), "corner")).collect();
    let mut map = TensorMap::from_bytes(given.map);
    if map.address == 0 {
        map.address = tensor;
    }
    let mut arguments = vec![
        Argument::Bytes(map.to_bytes().to_vec()),
        Argument::Address(out),
        Argument::Bytes(given.bytes.to_le_bytes().to_vec()),
    ];
    arguments.extend(corners.into_iter().map(Argument::Address));
    let entry = module.entry("k").unwrap();
    let launch = Launch {
        grid: (given.corners.len() as u32).into(),
        block: 32u32.into(),
        parameters: parameter_block(module.function(entry), 64, &arguments).unwrap(),
        engine,
        simd,
        workers: 1,
        max_steps: Some(100_000_000),
        ..Launch::new(entry)
    };
    let report = launch.run(&program, &memory).map_err(|error| error.to_string())?;
    let read = |at: u64, bytes: usize| memory.read(at, bytes as u64).unwrap();
    Ok((read(tensor, given.tensor.len()), read(out, given.rooms.len()), report.handed_over))
}

/// A tensor of a random shape in the buffer, and a box of it.
fn draw(random: &mut Random) -> TensorMap {
    loop {
        let rank = 1 + random.below(MOST_DIMENSIONS);
        let element = [0, 1, 2, 4, 6, 7, 9, 10][random.below(8)];
        let bytes = ELEMENTS[usize::from(element)].1 as usize;
        let swizzle = random.below(4);
        let along = if swizzle == 0 { 16 * (1 + random.below(8)) } else { 16 << swizzle };
        let mut boxed = [0u16; MOST_DIMENSIONS];
        let (mut sizes, mut strides, mut steps) =
            ([0; MOST_DIMENSIONS], [0; MOST_DIMENSIONS - 1], [0; MOST_DIMENSIONS]);
        boxed[0] = (along / bytes) as u16;
        (sizes[0], steps[0]) = (1 + random.below(300 / bytes) as u64, 1);
        let mut pitch = (sizes[0] * bytes as u64).next_multiple_of(16) + 16 * random.below(3) as u64;
        for k in 1..rank {
            (boxed[k], sizes[k], steps[k]) =
                (1 + random.below(6) as u16, 1 + random.below(7) as u64, 1 + random.below(3) as u8);
            strides[k - 1] = pitch;
            pitch *= sizes[k];
        }
        let map = TensorMap {
            last_dimension: rank as u8 - 1,
            element,
            swizzle: swizzle as u8,
            sizes,
            strides,
            steps,
            part: Part::Box(boxed),
            ..TensorMap::default()
        };
        let rows: u64 = (1..rank).map(|k| u64::from(boxed[k].div_ceil(steps[k].into()))).product();
        if pitch <= TENSOR as u64 && rows * along as u64 <= ROOM as u64 {
            return map;
        }
    }
}

/// Where each element of a box lies in shared memory and in the tensor, if it lies there, from the first one's coordinates alone.
fn places(map: &TensorMap, corner: &[i32]) -> Vec<(usize, Option<usize>)> {
    let Part::Box(boxed) = map.part else { panic!("{map:?}") };
    let bytes = ELEMENTS[usize::from(map.element)].1 as usize;
    let counts: Vec<usize> =
        corner.iter().enumerate().map(|(k, _)| usize::from(boxed[k]).div_ceil(map.steps[k].into())).collect();
    let mut found = Vec::new();
    for number in 0..counts.iter().product() {
        let (mut rest, mut at, mut inside) = (number, 0, true);
        for (k, count) in counts.iter().enumerate() {
            let c = i64::from(corner[k]) + (rest % count) as i64 * i64::from(map.steps[k]);
            rest /= count;
            inside &= (0..map.sizes[k] as i64).contains(&c);
            at += c * if k == 0 { bytes as i64 } else { map.strides[k - 1] as i64 };
        }
        let linear = number * bytes;
        let chunk = linear >> 7 & [0, 1, 3, 7][usize::from(map.swizzle)];
        found.push((linear ^ chunk << 4, inside.then_some(at as usize)));
    }
    found
}

#[test]
fn elements_lie_where_their_coordinates_say() {
    let mut random = Random::new(3, 3);
    let mut handed = 0;
    for case in 0..300 {
        let map = draw(&mut random);
        let (rank, bytes) = (map.rank(), ELEMENTS[usize::from(map.element)].1 as usize);
        let corner = |random: &mut Random| {
            (0..rank).map(|k| random.below(map.sizes[k] as usize + 8) as i32 - 4).collect()
        };
        let corners: Vec<Vec<i32>> = (0..BLOCKS).map(|_| corner(&mut random)).collect();
        let mut tensor: Vec<u8> = (0..TENSOR).map(|_| random.next() as u8).collect();
        let mut rooms: Vec<u8> = (0..BLOCKS * ROOM).map(|_| random.next() as u8).collect();
        let loads = case % 2 == 0;
        let total = places(&map, &corners[0]).len() * bytes;
        let (before, rooms_before) = (tensor.clone(), rooms.clone());
        for (block, corner) in corners.iter().enumerate() {
            for (at, place) in places(&map, corner) {
                let at = block * ROOM + at;
                match place {
                    Some(place) if loads => {
                        rooms[at..at + bytes].copy_from_slice(&before[place..place + bytes])
                    }
                    Some(place) => {
                        tensor[place..place + bytes].copy_from_slice(&rooms_before[at..at + bytes])
                    }
                    None if loads => rooms[at..at + bytes].fill(0),
                    None => {}
                }
            }
        }
        let text = kernel(rank, loads);
        let module = margay_front::compile(&text).unwrap_or_else(|errors| panic!("{:?}\n{text}", errors[0]));
        let bytes = map.to_bytes();
        let given = Given {
            map: &bytes,
            tensor: &before,
            rooms: &rooms_before,
            corners: &corners,
            bytes: total as u32,
        };
        let golden = run(&module, &given, Engine::Golden, None)
            .unwrap_or_else(|error| panic!("{error}\n{map:?} {corners:?}"));
        assert!(golden.0 == tensor, "case {case}: {map:?} {corners:?}");
        assert!(golden.1 == rooms, "case {case}: {map:?} {corners:?}");
        for simd in Simd::available() {
            let batch = run(&module, &given, Engine::Batch, Some(*simd)).unwrap();
            assert!((&batch.0, &batch.1) == (&tensor, &rooms), "case {case}, {simd:?}: {map:?} {corners:?}");
            handed += batch.2;
        }
    }
    assert_eq!(handed, 0, "blocks that the batch engine handed over");
}

#[test]
fn bytes_that_are_no_map_do_no_harm() {
    let mut random = Random::new(4, 4);
    let (mut refused, mut copied) = (0, 0);
    for case in 0..2000 {
        let mut bytes = draw(&mut random).to_bytes();
        for _ in 0..1 + random.below(4) {
            bytes[random.below(112)] = [0, 1, 2, 0x7f, 0xff, random.next() as u8][random.below(6)];
        }
        let rank = 1 + case % MOST_DIMENSIONS;
        let text = kernel(rank, case % 2 == 0);
        let module = margay_front::compile(&text).unwrap();
        let corners = [vec![random.next() as i32 >> 20; rank]];
        let (tensor, rooms) = (vec![1; TENSOR], vec![2; ROOM]);
        // As many as the copy counts, so that it is waited for.
        let map = TensorMap::from_bytes(&bytes);
        let count = if map.check().is_ok() { map.size() as u32 } else { 16 };
        let given = Given { map: &bytes, tensor: &tensor, rooms: &rooms, corners: &corners, bytes: count };
        let golden = run(&module, &given, Engine::Golden, None);
        let batch = run(&module, &given, Engine::Batch, None);
        // Whether engines hand over is no matter here.
        let left = |ran: Result<(Vec<u8>, Vec<u8>, u64), String>| ran.map(|(tensor, room, _)| (tensor, room));
        let (golden, batch) = (left(golden), left(batch));
        assert!(golden == batch, "case {case}: {map:?}");
        if golden.is_ok() { copied += 1 } else { refused += 1 }
    }
    assert!(refused > 200 && copied > 20, "{refused} {copied}");
}
