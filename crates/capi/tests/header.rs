//! `include/margay.h` is what cbindgen makes of the doors: `BLESS=1 cargo test -p margay-capi` rewrites it.

use cbindgen::{Builder, Config, DocumentationStyle, Language, Style};
use std::path::Path;

/// Where what C sees stands, in the order of the header.
const SOURCES: [&str; 7] = [
    "src/failure.rs",
    "src/door.rs",
    "src/door/check.rs",
    "src/door/device.rs",
    "src/door/module.rs",
    "src/door/launch.rs",
    "src/door/report.rs",
];

/// What types are called in C.
const NAMES: [(&str, &str); 6] = [
    ("Device", "margay_device"),
    ("Module", "margay_module"),
    ("Outcome", "margay_report"),
    ("Parameter", "margay_parameter"),
    ("LaunchOptions", "margay_launch_options"),
    ("Account", "margay_account"),
];

fn header() -> String {
    let mut config = Config {
        language: Language::C,
        style: Style::Both,
        cpp_compat: true,
        include_guard: Some("MARGAY_H".into()),
        documentation_style: DocumentationStyle::C99,
        header: Some(
            "/* margay: runs and checks NVIDIA PTX on a CPU. Made from the sources of the library: do not edit. */".into(),
        ),
        usize_is_size_t: true,
        no_includes: true,
        sys_includes: vec!["stddef.h".into(), "stdint.h".into()],
        tab_width: 4,
        line_length: 120,
        ..Config::default()
    };
    config.function.sort_by = Some(cbindgen::SortKey::None);
    config.export.rename = NAMES.iter().map(|(rust, c)| (rust.to_string(), c.to_string())).collect();
    let mut builder = Builder::new().with_config(config);
    for source in SOURCES.iter().chain(&["src/door/ocelot.rs"]) {
        builder = builder.with_src(Path::new(env!("CARGO_MANIFEST_DIR")).join(source));
    }
    let mut text = Vec::new();
    builder.generate().expect("a header").write(&mut text);
    String::from_utf8(text).unwrap()
}

#[test]
fn the_header_is_what_the_sources_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/margay.h");
    let header = header();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &header).unwrap();
    }
    assert_eq!(header, std::fs::read_to_string(&path).unwrap_or_default(), "run it with BLESS=1");
    for name in ["ptx_run(", "ptx_register(", "margay_launch(", "struct margay_launch_options"] {
        assert!(header.contains(name), "{name} is missing");
    }
}
