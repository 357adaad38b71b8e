//! Look-ups: nearest texels and mixed ones, in levels, layers and faces; gathered texels; attributes.

use crate::image::{GEOMETRIES, Image, Value, draw_sampler};
use crate::launched::{Given, THREADS, everywhere, kernel};
use crate::random::Random;
use margay_isa::Handle;
use margay_isa::texture::{AddressMode, ChannelFormat, SamplerState, Texels, TextureDescriptor};

/// A place in a texture, the level of it left open.
struct Place {
    layer: usize,
    /// From 0 to 1, or in texels.
    at: [f64; 3],
    is_normalized: bool,
    offsets: [i64; 3],
}

/// The texel with a number along a dimension; none for the border's.
fn index(image: &Image, mode: AddressMode, is_normalized: bool, size: i64, at: f64) -> Option<i64> {
    // Saturates, and takes NaN for 0.
    let mut at = at as i64;
    let inside = (0..size).contains(&at);
    if image.texels.is_buffer {
        return inside.then_some(at);
    }
    match mode {
        AddressMode::Border => return inside.then_some(at),
        AddressMode::Wrap if is_normalized => at -= at.div_euclid(size) * size,
        AddressMode::Mirror if is_normalized => {
            let turn = at.div_euclid(size);
            at -= turn * size;
            if turn % 2 != 0 {
                at = size - 1 - at;
            }
        }
        _ => at = at.clamp(0, size - 1),
    }
    Some(at)
}

/// A texel near a place: so many steps from the one that it starts at.
fn texel(image: &Image, sampler: &SamplerState, place: &Place, level: u32, starts: [f64; 3]) -> Value {
    let size = image.size(level);
    let rank = [1, image.texels.height, image.texels.depth].iter().take_while(|n| **n > 0).count();
    let found: [Option<i64>; 3] = std::array::from_fn(|k| match k < rank {
        true => index(
            image,
            sampler.address_modes[k],
            place.is_normalized,
            size[k],
            starts[k] + place.offsets[k] as f64,
        ),
        false => Some(0),
    });
    match found {
        [Some(x), Some(y), Some(z)] => image.value(sampler, level, place.layer, [x, y, z]),
        _ => {
            let border = if image.texels.is_buffer { [0.0; 4] } else { sampler.border.map(f64::from) };
            match image.reads_numbers(sampler) {
                true => Value::Numbers(border),
                false => Value::Integers(border.map(|n| n as i64)),
            }
        }
    }
}

/// What is read at a level: one texel, or a sum.
fn at_level(image: &Image, sampler: &SamplerState, place: &Place, level: u32, is_mixed: bool) -> Value {
    let size = image.size(level);
    let level = level.min(image.texels.levels - 1);
    let size = if level < image.texels.levels { image.size(level) } else { size };
    let texels: [f64; 3] =
        std::array::from_fn(|k| place.at[k] * if place.is_normalized { size[k] as f64 } else { 1.0 });
    if !is_mixed {
        return texel(image, sampler, place, level, texels.map(f64::floor));
    }
    let fixed = texels.map(|at| ((at - 0.5) * 256.0 + 0.5).floor());
    let shares = fixed.map(|at| (at - (at / 256.0).floor() * 256.0) / 256.0);
    let shares = shares.map(|share| if share.is_nan() { 0.0 } else { share });
    let rank = [1, image.texels.height, image.texels.depth].iter().take_while(|n| **n > 0).count();
    let mut sum = [0.0; 4];
    for corner in 0..8 {
        let step = [corner & 1, corner >> 1 & 1, corner >> 2].map(f64::from);
        let mut weight = 1.0;
        let mut starts = [0.0; 3];
        for k in 0..3 {
            let share = if k < rank { shares[k] } else { 0.0 };
            weight *= if step[k] == 1.0 { share } else { 1.0 - share };
            starts[k] = (fixed[k] / 256.0).floor() + step[k];
        }
        if weight > 0.0 {
            let Value::Numbers(numbers) = texel(image, sampler, place, level, starts) else { unreachable!() };
            (0..4).for_each(|k| sum[k] += weight * numbers[k]);
        }
    }
    Value::Numbers(sum.map(|n| f64::from(n as f32)))
}

/// What is read at a level that lies between others.
fn between(image: &Image, sampler: &SamplerState, place: &Place, level: f64, is_integer: bool) -> Value {
    let is_mixed = sampler.is_linear && !is_integer && image.reads_numbers(sampler);
    let level = level + f64::from(sampler.level_bias);
    let level = level.max(sampler.level_range[0].into()).min(sampler.level_range[1].into()).max(0.0);
    if !sampler.is_linear_between_levels || image.texels.levels == 1 || !image.reads_numbers(sampler) {
        return at_level(image, sampler, place, (level + 0.5).floor() as u32, is_mixed);
    }
    let fixed = (level * 256.0 + 0.5).floor();
    let share = fixed % 256.0 / 256.0;
    let [Value::Numbers(near), Value::Numbers(far)] =
        [0, 1].map(|k| at_level(image, sampler, place, (fixed / 256.0) as u32 + k, is_mixed))
    else {
        unreachable!()
    };
    match share {
        0.0 => Value::Numbers(near),
        _ => {
            Value::Numbers([0, 1, 2, 3].map(|k| f64::from((near[k] * (1.0 - share) + far[k] * share) as f32)))
        }
    }
}

/// A face of a cube and where on it a direction points: the coordinate of the largest magnitude, the first of equals, says which face.
fn face([x, y, z]: [f64; 3]) -> (usize, [f64; 3]) {
    let largest = x.abs().max(y.abs()).max(z.abs());
    let (face, s, t) = match () {
        _ if x.abs() == largest && x >= 0.0 => (0, -z, -y),
        _ if x.abs() == largest => (1, z, -y),
        _ if y.abs() == largest && y >= 0.0 => (2, x, z),
        _ if y.abs() == largest => (3, x, -z),
        _ if z >= 0.0 => (4, x, -y),
        _ => (5, -x, -y),
    };
    (face, [(s / largest + 1.0) / 2.0, (t / largest + 1.0) / 2.0, 0.0])
}

/// A coordinate: near the texture, far from it, or of no number at all.
fn coordinate(random: &mut Random, is_integer: bool, span: f64) -> u32 {
    // Those from 0 to 1 stay where a texture that is repeated has no end of texels.
    let is_normalized = span < 2.0;
    if is_integer {
        return match random.below(20) {
            0 => random.next() as u32,
            _ => (random.below(12) as i32 - 2) as u32,
        };
    }
    let number = match random.below(24) {
        0..=2 if is_normalized => (random.next() as u32 as i32 >> 4) as f32 / 1024.0,
        0 => f32::from_bits(random.next() as u32),
        1 => f32::INFINITY,
        2 => f32::NEG_INFINITY,
        3 => -0.0,
        _ => ((random.below(4096) as f64 / 2048.0 - 0.5) * span) as f32,
    };
    // NaN points nowhere.
    (if number.is_nan() { 0.5f32 } else { number }).to_bits()
}

fn place(
    image: &Image,
    sampler: &SamplerState,
    geometry: (&str, usize),
    is_integer: bool,
    words: &[u32],
) -> Place {
    let (name, rank) = geometry;
    let is_array = name.starts_with('a');
    let number = |bits: u32| match is_integer {
        true => f64::from(bits as i32),
        false => f64::from(f32::from_bits(bits)),
    };
    let named = if is_array { (words[0] as i32).max(0) as usize } else { 0 };
    let own = &words[usize::from(is_array)..];
    let at: [f64; 3] = std::array::from_fn(|k| if k < rank { number(own[k]) } else { 0.0 });
    if name.ends_with("cube") {
        let (face, at) = face(at);
        let cube = named.min(image.texels.layers as usize / 6 - 1);
        return Place { layer: 6 * cube + face, at, is_normalized: true, offsets: [0; 3] };
    }
    let layer = named.min(image.texels.layers.max(1) as usize - 1);
    Place { layer, at, is_normalized: sampler.is_normalized && !is_integer, offsets: [0; 3] }
}

/// The numbers of all threads: so many coordinates, and some others.
fn draw_words(random: &mut Random, geometry: (&str, usize), is_integer: bool, span: f64) -> Vec<u32> {
    let (name, rank) = geometry;
    let mut words = Vec::new();
    if name.starts_with('a') {
        words.push((random.below(9) as i32 - 1) as u32);
    }
    if name.ends_with("cube") {
        // A direction, of which not all is zero.
        words.extend(
            (0..3).map(|k| {
                ((random.below(33) as f32 - 16.0) / 4.0 + if k == 1 { 0.01 } else { 0.0 }).to_bits()
            }),
        );
    } else {
        words.extend((0..rank).map(|_| coordinate(random, is_integer, span)));
    }
    words
}

fn listed(first: usize, count: usize) -> String {
    let names: Vec<String> = (first..first + count.next_power_of_two())
        .map(|k| format!("%n{}", k.min(first + count - 1)))
        .collect();
    if count == 1 { names[0].clone() } else { format!("{{{}}}", names.join(", ")) }
}

/// Numbers that are added to a place, in braces: without them one is a depth.
fn offsets_at(first: usize, count: usize) -> String {
    let all = listed(first, count);
    if count == 1 { format!("{{{all}}}") } else { all }
}

/// What registers hold of a value, by the type of the result.
fn bits(value: Value, result: &str) -> Vec<u32> {
    let words = match value {
        Value::Numbers(numbers) => numbers.map(|n| (n as f32).to_bits()),
        Value::Integers(integers) => integers.map(|n| n as u32),
    };
    if result != "f16x2" {
        return words.to_vec();
    }
    let half = |word: u32| match value {
        Value::Numbers(_) => {
            let real = margay_isa::float::F32.decode(word.into());
            margay_isa::float::encode(
                &margay_isa::float::F16,
                margay_isa::float::Mode::Nearest,
                false,
                real,
                &[],
            ) as u32
        }
        Value::Integers(_) => word & 0xffff,
    };
    vec![half(words[0]) | half(words[1]) << 16, half(words[2]) | half(words[3]) << 16]
}

pub fn judge_look_up(random: &mut Random) {
    let geometry = *random.pick(&GEOMETRIES);
    let (name, rank) = geometry;
    let is_cube = name.ends_with("cube");
    let image = Image::draw(random, name, true);
    let sampler = draw_sampler(random);
    let is_integer = !is_cube && random.once_in(3);
    let has_level = random.once_in(2);
    let has_offsets = !is_cube && random.once_in(4);
    let result = *random.pick(&["f32", "u32", "s32", "f16x2"]);
    let span = if sampler.is_normalized { 1.5 } else { 8.0 };
    let coordinates = usize::from(name.starts_with('a')) + rank;
    let mut all = Vec::new();
    for _ in 0..THREADS {
        let mut words = draw_words(random, geometry, is_integer, span);
        if has_level {
            let level = random.below(20) as f32 / 6.0 - 0.25;
            words.push(if is_integer { level as i32 as u32 } else { level.to_bits() });
        }
        if has_offsets {
            words.extend((0..rank).map(|_| (random.below(16) as i32 - 8) as u32));
        }
        all.push(words);
    }
    let numbers = all[0].len();
    let independent = random.once_in(3);
    let handles = if independent { "%t, %s" } else { "%t" };
    let list = |count: usize| (0..count).map(|k| format!("%r{k}")).collect::<Vec<_>>().join(", ");
    let count = if result == "f16x2" { 2 } else { 4 };
    let level = if has_level { format!(", %n{coordinates}") } else { String::new() };
    let offsets = match has_offsets {
        true => format!(", {}", offsets_at(coordinates + usize::from(has_level), rank)),
        false => String::new(),
    };
    let what = format!(
        "tex{}.{name}.v{count}.{result}.{} {{{}}}|%p, [{handles}, {}]{level}{offsets};\nselp.u32 %r{count}, 1, 0, %p;",
        if has_level {
            ".level"
        } else if random.once_in(2) {
            ".base"
        } else {
            ""
        },
        if is_integer { "s32" } else { "f32" },
        list(count),
        listed(0, coordinates),
    );
    let text = kernel(independent, numbers, count + 1, &what);
    // A sampler of its own is what counts; the texture's says the contrary.
    let other =
        SamplerState { is_normalized: !sampler.is_normalized, is_linear: !sampler.is_linear, ..sampler };
    let given = Given {
        texels: &image.bytes,
        texture: image.described(if independent { other } else { sampler }),
        sampler: independent.then(|| TextureDescriptor { kind: Handle::Sampler, ..image.described(sampler) }),
        numbers: &all.concat(),
        results: count + 1,
    };
    let left = everywhere(&text, &given).unwrap_or_else(|error| panic!("{error}\n{text}"));
    for (thread, words) in all.iter().enumerate() {
        let mut place = place(&image, &sampler, geometry, is_integer, words);
        if has_offsets {
            (0..rank).for_each(|k| place.offsets[k] = (words[numbers - rank + k] as i32).into());
        }
        let level = match has_level {
            false => 0.0,
            true if is_integer => f64::from(words[coordinates] as i32),
            true => f64::from(f32::from_bits(words[coordinates])),
        };
        let mut wanted = bits(between(&image, &sampler, &place, level, is_integer), result);
        wanted.push(1);
        let own = &left.results[thread * (count + 1)..][..count + 1];
        let shown: Vec<f32> = words.iter().map(|word| f32::from_bits(*word)).collect();
        assert_eq!(own, wanted, "{words:x?} {shown:?}\n{:?}\n{sampler:?}\n{text}", image.texels);
    }
}

pub fn judge_gather(random: &mut Random) {
    let geometry = *random.pick(&[GEOMETRIES[1], GEOMETRIES[4], GEOMETRIES[5], GEOMETRIES[6]]);
    let (name, rank) = geometry;
    let is_cube = name.ends_with("cube");
    let image = Image::draw(random, name, false);
    let sampler = draw_sampler(random);
    let has_offsets = !is_cube && random.once_in(3);
    let component = random.below(4);
    let coordinates = usize::from(name.starts_with('a')) + rank;
    let span = if sampler.is_normalized { 1.5 } else { 8.0 };
    let all: Vec<Vec<u32>> = (0..THREADS)
        .map(|_| {
            let mut words = draw_words(random, geometry, false, span);
            if has_offsets {
                words.extend((0..rank).map(|_| (random.below(16) as i32 - 8) as u32));
            }
            words
        })
        .collect();
    let numbers = all[0].len();
    let offsets = if has_offsets { format!(", {}", offsets_at(coordinates, rank)) } else { String::new() };
    let what = format!(
        "tld4.{}.{name}.v4.f32.f32 {{%r0, %r1, %r2, %r3}}, [%t, {}]{offsets};",
        ["r", "g", "b", "a"][component],
        listed(0, coordinates),
    );
    let text = kernel(false, numbers, 4, &what);
    let texture = image.described(sampler);
    let given = Given { texels: &image.bytes, texture, sampler: None, numbers: &all.concat(), results: 4 };
    let left = everywhere(&text, &given).unwrap_or_else(|error| panic!("{error}\n{text}"));
    for (thread, words) in all.iter().enumerate() {
        let mut place = place(&image, &sampler, geometry, false, words);
        if has_offsets {
            (0..rank).for_each(|k| place.offsets[k] = (words[numbers - rank + k] as i32).into());
        }
        let size = image.size(0);
        let starts: [f64; 3] = std::array::from_fn(|k| {
            let at = place.at[k] * if place.is_normalized { size[k] as f64 } else { 1.0 };
            (((at - 0.5) * 256.0 + 0.5).floor() / 256.0).floor()
        });
        let corner = |x: f64, y: f64| {
            bits(texel(&image, &sampler, &place, 0, [starts[0] + x, starts[1] + y, 0.0]), "f32")[component]
        };
        let wanted = [corner(0.0, 1.0), corner(1.0, 1.0), corner(1.0, 0.0), corner(0.0, 0.0)];
        assert_eq!(
            left.results[4 * thread..][..4],
            wanted,
            "{words:x?}\n{:?}\n{sampler:?}\n{text}",
            image.texels
        );
    }
}

/// The level at which the longer gradient has the length of a texel: 8 texels are three levels.
pub fn judge_gradients() {
    let cases = [
        ([0.0f32, 0.0, 0.0, 0.0], 0.0f32),
        ([1.0 / 16.0, 0.0, 0.0, 0.0], 0.0),
        ([0.5, 0.0, 0.25, 0.0], 3.0),
        ([0.0, 0.25, 0.0, 0.5], 3.0),
        ([0.0, 0.25, 0.125, 0.0], 2.0),
        ([4.0, 0.0, 0.0, 0.0], 4.0),
        // The diagonal of 2 by 2 texels is longer by a half level.
        ([0.125, 0.125, 0.0, 0.0], 1.5),
    ];
    let plane = Texels { levels: 5, ..Texels::plane(0, 16, 16, ChannelFormat::F32, 1) };
    judge_levels(
        plane,
        "tex.grad.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%t, {%n0, %n0}], {%n0, %n1}, {%n2, %n3};",
        &cases,
    );
    // The third dimension counts as the first one: vectors of three are padded.
    judge_levels(
        Texels { depth: 16, ..plane },
        "mov.b32 %n9, 0;\nmov.b32 %n8, 0x41000000;\ntex.grad.3d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%t, {%n9, %n9, %n9, %n9}], \
         {%n1, %n9, %n0, %n8}, {%n3, %n9, %n2, %n8};",
        &cases,
    );
}

/// Each level is filled with its number.
fn judge_levels(texels: Texels, what: &str, cases: &[([f32; 4], f32)]) {
    let mut bytes = Vec::new();
    for level in 0..texels.levels {
        let count = texels.level_bytes(level) / 4;
        bytes.extend((0..count).flat_map(|_| (level as f32).to_le_bytes()));
    }
    let image = Image { texels, bytes };
    let sampler =
        SamplerState { is_normalized: true, is_linear_between_levels: true, ..SamplerState::default() };
    let words: Vec<u32> = (0..THREADS).flat_map(|k| cases[k % cases.len()].0.map(f32::to_bits)).collect();
    let texture = image.described(sampler);
    let given = Given { texels: &image.bytes, texture, sampler: None, numbers: &words, results: 1 };
    let left = everywhere(&kernel(false, 4, 1, what), &given).unwrap();
    let wanted: Vec<u32> = (0..THREADS).map(|k| cases[k % cases.len()].1.to_bits()).collect();
    assert_eq!(left.results, wanted, "{what}");
}

pub fn judge_attributes() {
    let texels = Texels { depth: 0, layers: 3, levels: 2, ..Texels::plane(0, 20, 6, ChannelFormat::S16, 2) };
    let sampler = SamplerState {
        is_linear: true,
        address_modes: [AddressMode::Wrap, AddressMode::Mirror, AddressMode::Border],
        ..SamplerState::default()
    };
    let image = Image { texels, bytes: vec![0; texels.bytes() as usize] };
    let asked = [
        ("txq.width.b32", "", 20),
        ("txq.height.b32", "", 6),
        ("txq.depth.b32", "", 0),
        ("txq.array_size.b32", "", 3),
        ("txq.num_mipmap_levels.b32", "", 2),
        ("txq.num_samples.b32", "", 1),
        ("txq.channel_data_type.b32", "", 0x10d8),
        ("txq.channel_order.b32", "", 0x10b2),
        ("txq.normalized_coords.b32", "", 0),
        ("txq.filter_mode.b32", "", 1),
        ("txq.addr_mode_0.b32", "", 0),
        ("txq.addr_mode_1.b32", "", 1),
        ("txq.addr_mode_2.b32", "", 4),
        ("txq.level.width.b32", ", 1", 10),
        ("txq.level.height.b32", ", 1", 3),
    ];
    for (query, level, wanted) in asked {
        let text = kernel(false, 0, 1, &format!("{query} %r0, [%t]{level};"));
        let texture = image.described(sampler);
        let given = Given { texels: &image.bytes, texture, sampler: None, numbers: &[], results: 1 };
        assert_eq!(everywhere(&text, &given).unwrap().results[0], wanted, "{query}");
    }
    for (kind, name) in
        [(Handle::Texture, "texref"), (Handle::Sampler, "samplerref"), (Handle::Surface, "surfref")]
    {
        let what = format!(
            "istypep.texref %p, %t;\nselp.u32 %r0, 1, 0, %p;\nistypep.{name} %p, %t;\nselp.u32 %r1, 1, 0, %p;\nistypep.surfref %p, %from;\nselp.u32 %r2, 1, 0, %p;"
        );
        let texture = TextureDescriptor { kind, ..image.described(sampler) };
        let given = Given { texels: &image.bytes, texture, sampler: None, numbers: &[], results: 3 };
        let left = everywhere(&kernel(false, 0, 3, &what), &given).unwrap();
        assert_eq!(left.results[..3], [u32::from(kind == Handle::Texture), 1, 0], "{name}");
    }
    for (query, wanted) in
        [("width", 20), ("height", 6), ("array_size", 3), ("channel_order", 0x10b2), ("memory_layout", 0)]
    {
        let texture = TextureDescriptor { kind: Handle::Surface, ..image.described(sampler) };
        let given = Given { texels: &image.bytes, texture, sampler: None, numbers: &[], results: 1 };
        let text = kernel(false, 0, 1, &format!("suq.{query}.b32 %r0, [%t];"));
        assert_eq!(everywhere(&text, &given).unwrap().results[0], wanted, "{query}");
    }
}
