//! Linked modules give what their parts give: every run file is linked with a private copy of itself, before it and after it, and
//! kernels of several modules give what those of one module written by hand give.

#[path = "support/run_files.rs"]
mod run_files;
mod runner;

use margay_front::Source;
use margay_front::diag::across;
use margay_front::link::{Options, link};
use run_files::run_files;

fn linked(texts: &[&str]) -> String {
    let sources =
        texts.iter().zip('a'..).map(|(text, name)| Source::new(format!("{name}.ptx"), *text)).collect();
    let linked = link(sources, Options { allow_undefined: true, to_run: true });
    linked.text.unwrap_or_else(|| panic!("{}", across::human(&linked.inputs, &linked.diagnostics, false, 5)))
}

/// Functions have addresses that begin so. They lie in the order of the text, so launches that name one are for one text only.
const FUNCTIONS: &str = "00007fff0";

/// Variables of `initial.ptx` that hold addresses of others: they differ where another module's variables come first.
const ADDRESSES: [&str; 2] = ["pointers=x64", "low=x8"];

/// Module and launches of a run file.
fn parts(text: &str) -> (String, String) {
    let is_launch = |line: &&str| line.starts_with("// run:") || line.starts_with("// gives:");
    let (launches, module): (Vec<_>, Vec<_>) = text.lines().partition(is_launch);
    let launches = launches.join("\n");
    let kept = launches.split("// run:").filter(|launch| !launch.contains(FUNCTIONS));
    (module.join("\n"), kept.collect::<Vec<_>>().join("// run:"))
}

/// What launches give. Lines of the text, addresses in traps and what is behind new names depend on what stands before.
fn gives(text: &str) -> Vec<String> {
    let given = text.lines().filter_map(|line| line.strip_prefix("// gives: "));
    let given = given.filter(|line| !ADDRESSES.iter().any(|variable| line.starts_with(variable)));
    let plain = given.map(|line| match line {
        // A call by address reaches functions of the copy, too: of all reasons the first counts.
        refused if refused.starts_with("refused") => {
            without_numbers(refused.split([';', '(']).next().unwrap_or(refused))
        }
        trap if trap.starts_with("trap") => without_numbers(trap),
        line => line.to_string(),
    });
    plain.map(|line| line.replace("$b", "").trim_end().to_string()).collect()
}

/// The text without the numbers after `line` and `0x`.
fn without_numbers(text: &str) -> String {
    let mut plain = text.to_string();
    for mark in ["line ", "0x"] {
        let mut parts = plain.split(mark);
        let first = parts.next().unwrap_or_default().to_string();
        plain = parts.fold(first, |plain, part| {
            format!("{plain}{mark}{}", part.trim_start_matches(|c: char| c.is_ascii_hexdigit()))
        });
    }
    plain
}

/// The module, with all of its names private.
fn private(module: &str) -> String {
    let mut text = module.to_string();
    for word in [".visible ", ".weak ", ".common "] {
        text = text.replace(word, "");
    }
    text
}

/// The module with kernels that others see, and variables that its launches name.
fn visible(module: &str, launches: &str) -> String {
    let named = |name: &str| {
        !name.is_empty()
            && [format!("get={name}:"), format!("&{name}")].iter().any(|word| launches.contains(word))
    };
    let is_named = |line: &str| line.split(|c: char| !(c.is_alphanumeric() || "_$%".contains(c))).any(named);
    let is_variable = |line: &str| line.starts_with(".global") || line.starts_with(".const");
    let line = |line: &str| match line.starts_with(".entry") || is_variable(line) && is_named(line) {
        true => format!(".visible {line}\n"),
        false => format!("{line}\n"),
    };
    module.lines().map(line).collect()
}

#[test]
fn run_files_give_the_same_beside_a_private_copy() {
    let found = run_files(&["calls", "control", "memory", "runtime"]);
    let (mut renamed, mut wrong) = (0, String::new());
    for path in &found {
        let text = std::fs::read_to_string(path).unwrap();
        let (module, launches) = parts(&text);
        let (copy, module) = (private(&module), visible(&module, &launches));
        for order in [[&module, &copy], [&copy, &module]] {
            let whole = linked(&order.map(String::as_str));
            renamed += usize::from(whole.contains("$b"));
            let now = runner::rewritten(&format!("{whole}\n{launches}\n"));
            let (now, wanted) = (gives(&now), gives(&launches));
            assert_eq!(now.len(), wanted.len(), "{}", path.display());
            for (now, wanted) in now.into_iter().zip(wanted).filter(|(now, wanted)| now != wanted) {
                wrong += &format!("{}:\n{now}\n{wanted}\n", path.display());
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(renamed > found.len(), "only {renamed} links gave anything a new name");
}

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// A kernel that stores what `f` makes of the thread's number and of variables.
const KERNEL: &str = "
.extern .func (.param .b32 r) f(.param .b32 a);
.extern .global .u32 table[];
.extern .const .u32 factor;
.weak .global .u32 bias = 1000;
.common .global .u32 zeros[2];
.func (.param .b32 r) own(.param .b32 a) { .reg .b32 x; ld.param.b32 x, [a]; add.u32 x, x, 1; st.param.b32 [r], x; ret; }
.visible .entry k(.param .u64 out) {
    .reg .b32 %r<9>; .reg .b64 %rd<3>;
    ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x;
    { .param .b32 p; .param .b32 q; st.param.b32 [p], %r0; call (q), f, (p); ld.param.b32 %r1, [q]; }
    { .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call (q), own, (p); ld.param.b32 %r1, [q]; }
    mov.u64 %rd1, table; mad.wide.u32 %rd1, %r0, 4, %rd1; ld.global.u32 %r2, [%rd1];
    ld.const.u32 %r3, [factor]; ld.global.u32 %r4, [bias]; ld.global.u32 %r5, [zeros+4];
    mad.lo.u32 %r1, %r2, %r3, %r1; add.u32 %r1, %r1, %r4; add.u32 %r1, %r1, %r5;
    mad.wide.u32 %rd0, %r0, 4, %rd0; st.global.u32 [%rd0], %r1; ret;
}";

const DEVICE: &str = "
.visible .global .u32 table[4] = {10, 20, 30, 40};
.visible .const .u32 factor = 3;
.visible .global .u32 bias = 5;
.common .global .u32 zeros[8];
.func (.param .b32 r) own(.param .b32 a) { .reg .b32 x; ld.param.b32 x, [a]; mul.lo.u32 x, x, x; st.param.b32 [r], x; ret; }
.visible .func (.param .b32 r) f(.param .b32 a) {
    .reg .b32 x; .param .b32 p; .param .b32 q;
    ld.param.b32 x, [a]; st.param.b32 [p], x; call (q), own, (p); ld.param.b32 x, [q]; st.param.b32 [r], x; ret;
}";

#[test]
fn modules_give_what_one_written_by_hand_gives_in_any_order() {
    let head = |body: &str| format!("{HEAD}{body}\n");
    let (kernel, device) = (head(KERNEL), head(DEVICE));
    let other = head(".visible .global .u32 unused = 7; .func own() { ret; }");
    // Thread i: i*i + 1 + table[i]*3 + 5 + 0.
    let launch = "// run: k out=u32*4 -- block=4\n// gives: out=u32[36 67 100 135]\n";
    for order in [[&kernel, &device, &other], [&device, &other, &kernel], [&other, &kernel, &device]] {
        let whole = linked(&order.map(String::as_str));
        let text = format!("{whole}\n{launch}");
        assert_eq!(runner::rewritten(&text), text);
    }
}
