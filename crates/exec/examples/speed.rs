//! How many nanoseconds the golden engine takes for an instruction: `cargo run --release -p margay-exec --example speed`.

use margay_exec::{Argument, Launch, Memory, Program, parameter_block};

const HEAD: &str = "
.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 data, .param .u32 count)
{
    .shared .align 4 .b8 tile[1024];
    .reg .b64 %rd<9>;
    .reg .b32 %r<20>;
    .reg .pred %p<4>;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r1, [count];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %ctaid.x;
    mad.lo.u32 %r5, %r4, %r3, %r2;
    mul.wide.u32 %rd2, %r5, 4;
    add.s64 %rd2, %rd1, %rd2;
    shl.b32 %r6, %r2, 2;
    mov.u32 %r7, tile;
    add.u32 %r7, %r7, %r6;
    mov.u32 %r8, 0;
again:
";

const TAIL: &str = "
    add.u32 %r8, %r8, 1;
    setp.lt.u32 %p1, %r8, %r1;
    @%p1 bra again;
    st.global.u32 [%rd2], %r9;
    ret;
}
";

const BODIES: [(&str, &str); 5] = [
    (
        "integer",
        "mad.lo.u32 %r9, %r9, %r8, %r5; xor.b32 %r10, %r9, %r8; add.u32 %r9, %r9, %r10; shr.u32 %r11, %r9, 3;
         and.b32 %r12, %r11, 255; sub.u32 %r9, %r9, %r12; max.u32 %r9, %r9, %r8;",
    ),
    (
        "video",
        "vadd4.u32.u32.u32.sat %r9, %r9, %r8, %r5; vabsdiff4.u32.u32.u32.add %r9, %r9, %r8, %r5;
         vset4.u32.u32.lt %r10, %r9, %r8, %r5; dp4a.u32.u32 %r9, %r9, %r10, %r8;",
    ),
    ("shared", "st.shared.u32 [%r7], %r9; ld.shared.u32 %r10, [%r7]; add.u32 %r9, %r10, %r8;"),
    ("global", "st.global.u32 [%rd2], %r9; ld.global.u32 %r10, [%rd2]; add.u32 %r9, %r10, %r8;"),
    ("barrier", "bar.sync 0;"),
];

fn main() {
    for (name, body) in BODIES {
        let module = margay_front::compile(&format!("{HEAD}{body}{TAIL}")).expect("the kernel is valid");
        let mut memory = Memory::new(64);
        let program = Program::load(&module, &mut memory).expect("there is room");
        let data = memory.alloc(4 * 1024 * 64, "data").expect("there is room");
        let entry = module.entry("k").expect("it is there");
        let count = if name == "barrier" { 200u32 } else { 2000 };
        let arguments = [Argument::Address(data), count.into()];
        let parameters = parameter_block(module.function(entry), 64, &arguments).expect("they fit");
        for workers in [1, 2] {
            let launch = Launch {
                grid: 8.into(),
                block: 256.into(),
                parameters: parameters.clone(),
                workers,
                ..Launch::new(entry)
            };
            let report =
                (0..3).map(|_| launch.run(&program, &memory).expect("it runs")).min_by_key(|r| r.elapsed);
            let report = report.expect("three runs");
            let nanoseconds = report.elapsed.as_nanos() as f64 / report.instructions as f64;
            let rate = 1000.0 / nanoseconds;
            println!(
                "{name:8} {workers} workers: {nanoseconds:6.2} ns an instruction, {rate:5.0} million a second"
            );
        }
    }
}
