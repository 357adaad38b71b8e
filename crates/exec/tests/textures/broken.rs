//! Descriptions that lie, and bytes that are none: both engines end the same way.

use crate::image::{GEOMETRIES, Image, draw_sampler};
use crate::launched::{Given, THREADS, everywhere, kernel};
use crate::random::Random;
use margay_isa::Handle;

/// What is done with one.
const DEEDS: [&str; 6] = [
    "tex.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%t, {%n0, %n1}];",
    "tex.level.a2d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%t, {%n0, %n1, %n2, %n3}], %n1;",
    "tex.cube.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%t, {%n0, %n1, %n2, %n3}];",
    "suld.b.3d.b32.clamp %r0, [%t, {%n0, %n1, %n2, %n3}];",
    "sust.p.2d.v4.b32.clamp [%t, {%n0, %n1}], {%n0, %n1, %n2, %n3};",
    "sured.p.add.1d.b32.zero [%t, %n0], %n1;",
];

pub fn judge(random: &mut Random) {
    let deed = *random.pick(&DEEDS);
    let (name, _) = *random.pick(&GEOMETRIES);
    let image = Image::draw(random, name, true);
    let mut texture = image.described(draw_sampler(random));
    texture.kind =
        *random.pick(&[Handle::Texture, Handle::Texture, Handle::Surface, Handle::Surface, Handle::Sampler]);
    let wild = |random: &mut Random| match random.below(3) {
        0 => random.next() as u32,
        1 => random.below(70_000) as u32,
        _ => u32::MAX,
    };
    match random.below(6) {
        0 => texture.texels.width = wild(random),
        1 => texture.texels.height = wild(random),
        2 => texture.texels.depth = wild(random),
        3 => texture.texels.layers = wild(random),
        4 => texture.texels.pitch = random.next() >> random.below(60),
        _ => texture.texels.address = random.next() >> random.below(60),
    }
    if random.once_in(4) {
        texture.texels.levels = 32;
    }
    let numbers: Vec<u32> = (0..4 * THREADS)
        .map(|_| if random.once_in(3) { random.next() as u32 } else { random.below(8) as u32 })
        .collect();
    let given = Given { texels: &image.bytes, texture, sampler: None, numbers: &numbers, results: 4 };
    // Both engines are compared there; what comes out is one's own fault.
    let _ = everywhere(&kernel(false, 4, 4, deed), &given);
}
