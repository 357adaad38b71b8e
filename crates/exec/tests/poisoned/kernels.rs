//! Hostile kernels: every way to use an address, in every space, and what may be used there.

use margay_exec::memory::Layout;
use std::fmt::Write;

pub const SHARED: u64 = 96;
pub const LOCAL: u64 = 48;
/// Bytes of the kernels' parameters.
pub const PARAMETERS: u64 = 40;

/// A use of an address in `%rd1`.
pub struct Access {
    pub space: &'static str,
    pub line: String,
    pub bytes: u64,
    pub writes: bool,
    pub atomic: bool,
    /// Added to the address by the instruction itself.
    pub offset: i64,
}

impl Access {
    /// The opcode that a trap must point at.
    pub fn opcode(&self) -> &str {
        self.line.split(['.', ' ']).next().unwrap_or_default()
    }
}

const OFFSETS: [i64; 4] = [0, 16, -2147483648, 2147483632];

pub fn accesses() -> Vec<Access> {
    let mut all = Vec::new();
    let spaces = ["", ".global", ".shared", ".local", ".const", ".param"];
    for (space, offset) in spaces.iter().flat_map(|space| OFFSETS.map(|offset| (*space, offset))) {
        let at = format!("[%rd1+{offset}]");
        let mut add = |line: String, bytes: u64, writes: bool, atomic: bool| {
            all.push(Access { space, line, bytes, writes, atomic, offset });
        };
        let single = [("u8", 1), ("u16", 2), ("s32", 4), ("u64", 8)];
        let vectors =
            [("v2.u64", 16, 2), ("v4.u32", 16, 4), ("v4.u8", 4, 4), ("v2.u16", 4, 2), ("v4.u64", 32, 4)];
        for (ty, bytes) in single {
            add(format!("ld{space}.{ty} %rd4, {at};"), bytes, false, false);
        }
        for (ty, bytes, elements) in
            vectors.into_iter().filter(|v| v.1 < 32 || matches!(space, "" | ".global"))
        {
            let list: Vec<_> = (4..4 + elements).map(|k| format!("%rd{k}")).collect();
            add(format!("ld{space}.{ty} {{{}}}, {at};", list.join(", ")), bytes, false, false);
        }
        if matches!(space, ".const" | ".param") {
            continue;
        }
        for (ty, bytes) in single {
            add(format!("st{space}.{ty} {at}, %rd9;"), bytes, true, false);
        }
        for (ty, bytes, elements) in
            vectors.into_iter().filter(|v| v.1 < 32 || matches!(space, "" | ".global"))
        {
            add(
                format!("st{space}.{ty} {at}, {{{}}};", vec!["%rd9"; elements].join(", ")),
                bytes,
                true,
                false,
            );
        }
        if space == ".local" {
            continue;
        }
        add(format!("atom{space}.add.u32 %r4, {at}, 1;"), 4, true, true);
        add(format!("atom{space}.cas.b16 %h4, {at}, %h4, %h4;"), 2, true, true);
        add(format!("atom{space}.cas.b64 %rd4, {at}, %rd9, %rd9;"), 8, true, true);
        add(format!("atom{space}.exch.b128 %q4, {at}, %q4;"), 16, true, true);
        add(format!("red{space}.max.s64 {at}, %rd9;"), 8, true, true);
    }
    let copies = [(4, "ca"), (16, "cg")].into_iter();
    all.extend(copies.clone().map(|(bytes, cache)| Access {
        space: ".global",
        line: format!("cp.async.{cache}.shared.global [s], [%rd1], {bytes};"),
        bytes,
        writes: false,
        atomic: false,
        offset: 0,
    }));
    all.extend(copies.map(|(bytes, cache)| Access {
        space: ".shared",
        line: format!("cp.async.{cache}.shared.global [%rd1], [%rd8], {bytes};"),
        bytes,
        writes: true,
        atomic: false,
        offset: 0,
    }));
    all
}

/// One entry for each access: the lane `who` uses the address `hostile`, lane `k` the address `base + k * stride`. What was
/// read is stored. Behind them the kernels that use addresses in other ways, and one that shows all fresh memory.
pub fn module(accesses: &[Access]) -> String {
    let mut text = String::from(
        ".version 8.8\n.target sm_100\n.address_size 64\n.const .align 16 .b8 c[4096] = {7};\n\
         .extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.extern .func free(.param .b64 p);\n\
         .extern .func (.param .b64 r) malloc(.param .b64 n);\n\
         .global .align 1 .b8 shows[4] = {37, 115, 10, 0};\n.global .align 1 .b8 number[4] = {37, 100, 10, 0};\n\
         .func never(.param .b32 x) { trap; }\n",
    );
    let others = others();
    let lines =
        accesses.iter().map(|access| access.line.as_str()).chain(others.iter().map(|(_, line)| *line));
    for (k, line) in lines.enumerate() {
        let _ = write!(
            text,
            ".entry e{k}(.param .u64 base, .param .u64 stride, .param .u64 hostile, .param .u32 who, .param .u64 out)\n{{\n\
             .shared .align 16 .b8 s[{SHARED}];\n.local .align 16 .b8 l[{LOCAL}];\n.param .b64 a;\n.param .b64 b;\n\
             .param .b32 r;\n.param .b64 m;\n.reg .b16 %h<5>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<16>;\n.reg .b128 %q<5>;\n.reg .pred %p;\n\
             ld.param.u64 %rd1, [base];\nld.param.u64 %rd2, [stride];\nld.param.u64 %rd3, [hostile];\n\
             ld.param.u32 %r1, [who];\nld.param.u64 %rd10, [out];\nmov.u64 %rd8, c;\ncvta.const.u64 %rd8, %rd8;\n\
             mov.u64 %rd9, s;\nmov.u64 %rd9, l;\nmov.u64 %rd9, -1;\nmov.u32 %r2, %tid.x;\n\
             cvt.u64.u32 %rd11, %r2;\nmad.lo.u64 %rd1, %rd11, %rd2, %rd1;\nmad.lo.u64 %rd10, %rd11, 32, %rd10;\n\
             setp.eq.u32 %p, %r1, %r2;\n@%p mov.b64 %rd1, %rd3;\n{line}\n\
             st.global.v4.u64 [%rd10], {{%rd4, %rd5, %rd6, %rd7}};\nret;\n}}\n"
        );
    }
    text + FRESH
}

/// Ways to use an address that load or store nothing themselves, and what of it a trap points at.
pub fn others() -> [(&'static str, &'static str); 7] {
    [
        ("call", "p: .callprototype _ (.param .b32 _);\nst.param.b32 [r], 1;\ncall %rd1, (r), p;"),
        ("call", "st.param.b64 [a], %rd1;\nst.param.b64 [b], 0;\ncall (r), vprintf, (a, b);"),
        (
            "call",
            "mov.u64 %rd4, number;\ncvta.global.u64 %rd4, %rd4;\nst.param.b64 [a], %rd4;\nst.param.b64 [b], %rd1;\n\
             call (r), vprintf, (a, b);",
        ),
        (
            "call",
            "st.local.u64 [l], %rd1;\nmov.u64 %rd4, shows;\ncvta.global.u64 %rd4, %rd4;\nst.param.b64 [a], %rd4;\n\
             mov.u64 %rd5, l;\ncvta.local.u64 %rd5, %rd5;\nst.param.b64 [b], %rd5;\ncall (r), vprintf, (a, b);",
        ),
        ("call", "st.param.b64 [a], %rd1;\ncall free, (a);"),
        ("stackrestore", "stackrestore.u64 %rd1;"),
        (
            "brx",
            "or.b64 %rd4, %rd1, 16;\ncvt.u32.u64 %r4, %rd4;\nt: .branchtargets next, next;\nbrx.idx %r4, t;\nnext:",
        ),
    ]
}

/// Stores everything that a thread finds without having written it.
const FRESH: &str = "
.entry fresh(.param .u64 out)
{
    .shared .align 8 .b64 s[1024];
    .local .align 8 .b64 l[512];
    .param .b64 a;
    .param .b64 m;
    .reg .b64 %rd<90>;
    .reg .b32 %r<9>;
    .reg .pred %p;
    .reg .b128 %q;
    ld.param.u64 %rd1, [out];
    mov.u64 %rd2, s;
    mov.u64 %rd3, l;
    st.param.b64 [a], 8192;
    call (m), malloc, (a);
    ld.param.b64 %rd4, [m];
    alloca.u64 %rd5, 8192, 8;
    mov.u32 %r1, 0;
next:
    ld.shared.u64 %rd6, [%rd2];
    and.b64 %rd7, %rd3, 4095;
    ld.local.u64 %rd7, [%rd7];
    ld.u64 %rd8, [%rd4];
    ld.local.u64 %rd9, [%rd5];
    st.global.v4.u64 [%rd1], {%rd6, %rd7, %rd8, %rd9};
    add.u64 %rd1, %rd1, 32;
    add.u64 %rd2, %rd2, 8;
    add.u64 %rd3, %rd3, 8;
    add.u64 %rd4, %rd4, 8;
    add.u64 %rd5, %rd5, 8;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p, %r1, 1024;
    @%p bra next;
    sub.u64 %rd4, %rd4, 8192;
    st.param.b64 [a], %rd4;
    call free, (a);
    st.global.v4.u64 [%rd1], {%rd40, %rd41, %rd42, %rd43};
    mov.b128 {%rd44, %rd45}, %q;
    st.global.v4.u64 [%rd1+32], {%rd44, %rd45, %rd46, %rd89};
    ret;
}
";

/// Bytes that `fresh` stores.
pub const FRESH_BYTES: u64 = 1026 * 32;

/// Regions of the device: address, bytes, whether kernels may write.
pub type Regions = Vec<(u64, u64, bool)>;

/// Whether an access may be carried out, told by plain arithmetic.
pub fn valid(regions: &Regions, access: &Access, address: u64, map: &Layout) -> bool {
    let address = address.wrapping_add_signed(access.offset);
    let bytes = access.bytes;
    let inside = |base: u64, size: u64| {
        address >= base && u128::from(address) + u128::from(bytes) <= u128::from(base) + u128::from(size)
    };
    let region = |wanted: &dyn Fn(bool) -> bool| {
        address.is_multiple_of(bytes)
            && regions.iter().any(|(base, size, writable)| wanted(*writable) && inside(*base, *size))
    };
    let window =
        |base: u64, size: u64| address.wrapping_sub(base).is_multiple_of(bytes) && inside(base, size);
    match access.space {
        ".shared" => window(0, SHARED),
        ".local" => window(0, LOCAL),
        ".param" => window(0, PARAMETERS),
        ".const" => region(&|writable| !writable),
        ".global" => region(&|writable| writable || !access.writes),
        _ => {
            region(&|writable| writable || !access.writes)
                || window(map.shared.base, SHARED)
                || (!access.atomic && window(map.local.base, LOCAL))
                || (!access.writes && window(map.param.base, PARAMETERS))
        }
    }
}
