//! Sums rounded in a direction beside a constant, as CUDA's `expf` has them, are the golden engine's at every level.

use super::compile;
use margay_exec::{Argument, Engine, Launch, Memory, Program, Simd, parameter_block};

/// Numbers that are tried.
const NUMBERS: u32 = 1 << 16;

/// Factors and summands: that of `expf`; sums that pass a power of two, or just do not; factors below 1, summands that are not above 0.
const CONSTANTS: &[(f32, f32)] = &[
    (252.0, 12_582_913.0),
    (252.0, 16_777_215.0),
    (1.0, 16_777_214.0),
    (1.0, 16_777_215.0),
    (1.0, 1.0),
    (1.999_999_9, 4.0),
    (4.0, 4.0),
    (0.75, 12_582_912.0),
    (3.5, -12_582_912.0),
    (3.5, 0.0),
    (-252.0, 12_582_913.0),
    (1.5, f32::INFINITY),
    (f32::NAN, 3.0),
];

#[test]
fn sums_beside_constants_are_rounded_as_they_are_one_by_one() {
    let words = |number: f32| format!("0f{:08x}", number.to_bits());
    let mut body = String::new();
    for (by, base) in CONSTANTS {
        for form in ["rm", "rp", "rz", "rm.ftz", "rn"] {
            for (x, y) in [("%s".into(), words(*by)), (words(*by), "%s".into())] {
                body += &format!("fma.{form}.f32 %r, {x}, {y}, {};\n", words(*base));
                body += "st.global.f32 [%out], %r; add.u64 %out, %out, 262144;\n";
            }
        }
    }
    let module = compile(&format!(
        ".entry k(.param .u64 in, .param .u64 out)
        {{
            .reg .b64 %in, %out, %x; .reg .b32 %t, %a; .reg .f32 %v, %s, %r;
            ld.param.u64 %in, [in]; ld.param.u64 %out, [out];
            mov.u32 %t, %tid.x; mov.u32 %a, %ctaid.x; mad.lo.u32 %t, %a, 256, %t;
            mul.wide.u32 %x, %t, 4; add.u64 %in, %in, %x; add.u64 %out, %out, %x;
            ld.global.f32 %v, [%in]; mov.f32 %s, {}; fma.rn.sat.f32 %s, %v, %s, {};
            {body}
            ret;
        }}",
        words(1.0),
        words(0.0),
    ));
    // Subnormal ones, those around 0 and 1, those whose products with 252 are whole or nearly so, and any.
    let number = |k: u32| match k % 4 {
        0 => k >> 2,
        1 => (f32::from_bits(0x3f80_0000) * (k >> 2) as f32 / 252.0).to_bits().wrapping_add(k >> 8 & 3),
        2 => 0x3f80_0000 - (k >> 2),
        _ => k.wrapping_mul(0x9e37_79b9) >> 1,
    };
    let results = 10 * CONSTANTS.len() as u64;
    let outcome = |engine, simd| {
        let mut memory = Memory::new(64);
        let program = Program::load(&module, &mut memory).unwrap();
        let numbers: Vec<u8> = (0..NUMBERS).flat_map(|k| number(k).to_le_bytes()).collect();
        let input = memory.alloc(numbers.len() as u64, "in").unwrap();
        let output = memory.alloc(numbers.len() as u64 * results, "out").unwrap();
        memory.write(input, &numbers).unwrap();
        let entry = module.entry("k").unwrap();
        let arguments = [input, output].map(Argument::Address);
        let parameters = parameter_block(module.function(entry), 64, &arguments).unwrap();
        let grid = (NUMBERS / 256).into();
        let launch = Launch { grid, block: 256.into(), parameters, engine, simd, ..Launch::new(entry) };
        launch.run(&program, &memory).unwrap();
        memory.read(output, numbers.len() as u64 * results).unwrap().to_vec()
    };
    let golden = outcome(Engine::Golden, None);
    for simd in Simd::available() {
        let got = outcome(Engine::Batch, Some(*simd));
        let differs = got.chunks(4).zip(golden.chunks(4)).position(|(got, want)| got != want);
        assert!(
            differs.is_none(),
            "{simd}: result {} of number {}",
            differs.unwrap() / 65536,
            differs.unwrap() % 65536
        );
    }
}
