//! Surfaces: bytes and texels are read, written and changed where coordinates say, or beside it.

use crate::image::{GEOMETRIES, Image, draw_sampler};
use crate::launched::{Given, THREADS, everywhere, kernel};
use crate::random::Random;
use margay_isa::Handle;
use margay_isa::texture::{ChannelFormat, SamplerState, Texels, TextureDescriptor};

/// What is done.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Deed {
    Load,
    Store,
    /// Each thread by itself: steps of several on one place have no order that is promised.
    Change(&'static str),
    Formatted,
}

/// Where an access goes, or none beside the surface if nothing is accessed there.
fn offset(
    image: &Image,
    name: &str,
    clamp: &str,
    size: i64,
    in_bytes: bool,
    words: &[u32],
) -> Result<Option<usize>, ()> {
    let is_array = name.starts_with('a');
    let [width, height, depth] = image.size(0);
    let row = width * i64::from(image.texels.texel_bytes());
    let own: Vec<i64> = words.iter().map(|word| i64::from(*word as i32)).collect();
    let at = |k: usize| own.get(usize::from(is_array) + k).copied().unwrap_or(0);
    let rank = if name.ends_with("1d") {
        1
    } else if name.ends_with("2d") {
        2
    } else {
        3
    };
    let x = if in_bytes { at(0) } else { at(0) * size };
    let [y, z] = [1, 2].map(|k| if k < rank { at(k) } else { 0 });
    let layers = i64::from(image.texels.layers.max(1));
    let layer = if is_array { own[0] } else { 0 };
    let last = (row / size - 1) * size;
    let is_inside = (0..=last).contains(&x)
        && (0..height).contains(&y)
        && (0..depth).contains(&z)
        && (0..layers).contains(&layer);
    let (x, y, z, layer) = match (is_inside, clamp) {
        (true, _) => (x, y, z, layer),
        (false, "zero") => return Ok(None),
        (false, "trap") => return Err(()),
        _ => (x.clamp(0, last), y.clamp(0, height - 1), z.clamp(0, depth - 1), layer.clamp(0, layers - 1)),
    };
    if x % size != 0 {
        return Err(());
    }
    Ok(Some(image.offset(0, layer as usize, [0, y, z]) + x as usize))
}

pub fn judge(random: &mut Random) {
    let deed = *random.pick(&[
        Deed::Load,
        Deed::Store,
        Deed::Formatted,
        Deed::Change("add"),
        Deed::Change("min"),
        Deed::Change("xor"),
    ]);
    let (name, rank) = *random.pick(&GEOMETRIES[..if matches!(deed, Deed::Change(_)) { 3 } else { 5 }]);
    let mut image = Image::draw(random, name, false);
    image.texels.is_buffer = false;
    let texel = i64::from(image.texels.texel_bytes());
    let [width, ..] = image.size(0);
    let clamp = *random.pick(&["trap", "clamp", "zero"]);
    let coordinates = usize::from(name.starts_with('a')) + rank;
    let (bytes, elements) = match deed {
        Deed::Formatted => (4, image.texels.channels as usize),
        Deed::Change("add" | "min") => (4, 1),
        Deed::Change(_) => ([4, 8][random.below(2)], 1),
        _ => {
            [(1, 1), (2, 1), (4, 1), (8, 1), (1, 2), (2, 2), (4, 2), (8, 2), (4, 4), (1, 4)][random.below(10)]
        }
    };
    let in_bytes = deed != Deed::Formatted;
    let size = if in_bytes { (bytes * elements) as i64 } else { texel };
    // Steps are on texels, or on parts of them.
    if size > width * texel || matches!(deed, Deed::Change(_)) && texel % size != 0 {
        return;
    }
    let values = match deed {
        Deed::Load => 0,
        _ => elements * if bytes == 8 { 2 } else { 1 },
    };
    let places = if in_bytes { width * texel / size } else { width };
    let mut taken = std::collections::HashSet::new();
    let mut all: Vec<Vec<u32>> = Vec::new();
    for _ in 0..THREADS {
        let beside =
            |random: &mut Random, size: i64| match random.below(if clamp == "trap" { 400 } else { 12 }) {
                0 => -1 - random.below(3) as i64,
                1 => size + random.below(3) as i64,
                _ => random.below(size as usize) as i64,
            };
        let mut words = Vec::new();
        if name.starts_with('a') {
            words.push(beside(random, image.texels.layers.into()) as u32);
        }
        let x = beside(random, places);
        words.push(if in_bytes { x * size } else { x } as u32);
        words.extend((1..rank).map(|k| beside(random, image.size(0)[k]) as u32));
        words.extend((0..values).map(|_| random.next() as u32));
        // Where two threads would write one place, one reads what was there: it stays at its own.
        if let Ok(Some(at)) = offset(&image, name, clamp, size, in_bytes, &words)
            && deed != Deed::Load
            && !taken.insert(at)
        {
            words.splice(
                ..coordinates,
                all.first().map_or(vec![0; coordinates], |first| first[..coordinates].to_vec()),
            );
            words.splice(
                coordinates..,
                all.first().map_or(words[coordinates..].to_vec(), |first| first[coordinates..].to_vec()),
            );
            if matches!(deed, Deed::Change("add" | "xor")) {
                words[coordinates..].fill(0);
            }
        }
        all.push(words);
    }
    let numbers = coordinates + values;
    let place: Vec<String> = (0..if coordinates == 3 { 4 } else { coordinates })
        .map(|k| format!("%n{}", k.min(coordinates - 1)))
        .collect();
    let place = format!("{{{}}}", place.join(", "));
    let vector = |names: Vec<String>| {
        if elements == 1 { names[0].clone() } else { format!("{{{}}}", names.join(", ")) }
    };
    let pairs: String = (0..elements)
        .map(|k| format!("mov.b64 %l{k}, {{%n{}, %n{}}};\n", coordinates + 2 * k, coordinates + 2 * k + 1))
        .collect();
    let given = match bytes {
        8 => vector((0..elements).map(|k| format!("%l{k}")).collect()),
        _ => vector((0..elements).map(|k| format!("%n{}", coordinates + k)).collect()),
    };
    let suffix = if elements > 1 { format!(".v{elements}") } else { String::new() };
    let results = match deed {
        Deed::Load => elements * if bytes == 8 { 2 } else { 1 },
        _ => 0,
    };
    let what = match deed {
        Deed::Load if bytes == 8 => {
            let apart: String = (0..elements)
                .map(|k| format!("\nmov.b64 {{%r{}, %r{}}}, %l{k};", 2 * k, 2 * k + 1))
                .collect();
            let to = vector((0..elements).map(|k| format!("%l{k}")).collect());
            format!("suld.b.{name}{suffix}.b64.{clamp} {to}, [%t, {place}];{apart}")
        }
        Deed::Load => {
            let to = vector((0..elements).map(|k| format!("%r{k}")).collect());
            format!("suld.b.{name}{suffix}.b{}.{clamp} {to}, [%t, {place}];", 8 * bytes)
        }
        Deed::Store => {
            format!(
                "{}sust.b.{name}{suffix}.b{}.{clamp} [%t, {place}], {given};",
                if bytes == 8 { &pairs } else { "" },
                8 * bytes
            )
        }
        Deed::Formatted => format!("sust.p.{name}{suffix}.b32.{clamp} [%t, {place}], {given};"),
        Deed::Change(op) => {
            let ty = match (op, bytes) {
                ("xor", bytes) => format!("b{}", 8 * bytes),
                ("add", _) => "u32".to_string(),
                _ => "s32".to_string(),
            };
            // `.xor` is on any of the types that are listed, of 64 bits those with a sign or without.
            let ty = if ty == "b64" { "u64".to_string() } else { ty };
            format!(
                "{}sured.b.{op}.{name}.{ty}.{clamp} [%t, {place}], {given};",
                if bytes == 8 { &pairs } else { "" }
            )
        }
    };
    let text = kernel(false, numbers, results, &what);
    let sampler = draw_sampler(random);
    let texture = TextureDescriptor { kind: Handle::Surface, ..image.described(sampler) };
    let given = Given { texels: &image.bytes, texture, sampler: None, numbers: &all.concat(), results };
    let left = everywhere(&text, &given);
    let offsets: Vec<Result<Option<usize>, ()>> =
        all.iter().map(|words| offset(&image, name, clamp, size, in_bytes, words)).collect();
    if offsets.iter().any(Result::is_err) {
        let error = left.unwrap_err();
        assert!(error.contains("beside a surface of"), "{error}\n{text}");
        return;
    }
    let left = left.unwrap_or_else(|error| panic!("{error}\n{text}\n{:?}", image.texels));
    let mut texels = image.bytes.clone();
    let before = image.bytes.clone();
    for (thread, (words, offset)) in all.iter().zip(&offsets).enumerate() {
        let Ok(Some(at)) = *offset else {
            assert!(left.results[thread * results..][..results].iter().all(|word| *word == 0), "{text}");
            continue;
        };
        let size = size as usize;
        let mut value: Vec<u8> = words[coordinates..].iter().flat_map(|word| word.to_le_bytes()).collect();
        match deed {
            Deed::Load => {
                let mut wanted = before[at..at + size].to_vec();
                if bytes < 4 {
                    wanted = wanted
                        .chunks(bytes)
                        .flat_map(|one| [one, &vec![0; 4 - bytes][..]].concat())
                        .collect();
                }
                let own: Vec<u8> = left.results[thread * results..][..results]
                    .iter()
                    .flat_map(|word| word.to_le_bytes())
                    .collect();
                assert_eq!(own, wanted, "{words:?}\n{text}\n{:?}", image.texels);
                continue;
            }
            Deed::Store if bytes < 4 => {
                value = value.chunks(4).flat_map(|word| word[..bytes].to_vec()).collect()
            }
            Deed::Store => {}
            Deed::Formatted => {
                value = words[coordinates..]
                    .iter()
                    .flat_map(|word| formatted(image.texels.format, *word))
                    .collect()
            }
            Deed::Change(op) => {
                let mut word = [0; 8];
                word[..size].copy_from_slice(&texels[at..at + size]);
                let old = u64::from_le_bytes(word);
                word = [0; 8];
                word[..size].copy_from_slice(&value[..size]);
                let given = u64::from_le_bytes(word);
                let new = match op {
                    "add" => old.wrapping_add(given),
                    "xor" => old ^ given,
                    _ => (old as u32 as i32).min(given as u32 as i32) as u32 as u64,
                };
                value = new.to_le_bytes()[..size].to_vec();
            }
        }
        texels[at..at + size].copy_from_slice(&value[..size]);
    }
    assert_eq!(left.texels, texels, "{all:?}\n{text}\n{:?}", image.texels);
}

/// Each thread gives a surface the address of a variable of its own and reads the variable by it, without the golden engine's help.
pub fn judge_addresses() {
    let what = ".local .align 8 .b32 own[2];\n.reg .b64 %place, %given, %at;\nmov.u64 %place, own;\ncvta.local.u64 %given, %place;\n\
                add.u32 %r0, %x, 41;\nst.local.u32 [own + 4], %r0;\nshl.b32 %r1, %x, 3;\n\
                sust.b.1d.b64.trap [%t, {%r1}], %given;\nsuld.b.1d.b64.trap %at, [%t, {%r1}];\nld.u32 %r0, [%at + 4];";
    let texels = Texels { height: 0, ..Texels::plane(0, THREADS as u32, 0, ChannelFormat::U32, 2) };
    let image = Image { texels, bytes: vec![0; 8 * THREADS] };
    let texture = TextureDescriptor { kind: Handle::Surface, ..image.described(SamplerState::default()) };
    let given = Given { texels: &image.bytes, texture, sampler: None, numbers: &[], results: 1 };
    let left = everywhere(&kernel(false, 0, 1, what), &given).unwrap();
    assert_eq!(left.results, (41..41 + THREADS as u32).collect::<Vec<u32>>());
}

/// A channel in memory, from a word.
fn formatted(format: ChannelFormat, word: u32) -> Vec<u8> {
    match format {
        ChannelFormat::U8 => vec![word.min(255) as u8],
        ChannelFormat::U16 => (word.min(65535) as u16).to_le_bytes().to_vec(),
        ChannelFormat::S8 => vec![(word as i32).clamp(-128, 127) as i8 as u8],
        ChannelFormat::S16 => ((word as i32).clamp(-32768, 32767) as i16).to_le_bytes().to_vec(),
        ChannelFormat::F16 => {
            let real = margay_isa::float::F32.decode(word.into());
            let half = margay_isa::float::encode(
                &margay_isa::float::F16,
                margay_isa::float::Mode::Nearest,
                false,
                real,
                &[],
            );
            (half as u16).to_le_bytes().to_vec()
        }
        ChannelFormat::U32 | ChannelFormat::S32 | ChannelFormat::F32 => word.to_le_bytes().to_vec(),
    }
}
