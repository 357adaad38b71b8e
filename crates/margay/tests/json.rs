//! The objects printed for programs have the keys and types that `docs/json.md` says, and no others.

mod common;

use common::margay_in;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const KERNEL: &str = ".version 8.0 .target sm_80 .address_size 64
.func stop() { .loc 2 7 3, inlined_at 1 20 1
    trap; }
.entry k(.param .u64 to, .param .u32 n) {
    .reg .u64 %to; .reg .u32 %n; .reg .pred %p;
    ld.param.u64 %to, [to];
    ld.param.u32 %n, [n];
    vadd.u32.u32.u32.sat %n, %n, %n;
    st.global.u32 [%to], %n;
    setp.gt.u32 %p, %n, 100;
    .loc 1 33 9
    @%p call stop;
}
.file 1 \"sum.cu\" .file 2 \"vec.cuh\"
";

const RACE: &str = ".version 8.0 .target sm_80 .address_size 64
.entry k(.param .u64 to) {
    .reg .u64 %to; .reg .u32 %n;
    ld.param.u64 %to, [to];
    mov.u32 %n, %tid.x;
    .loc 1 5 9
    st.global.u32 [%to], %n;
    mov.u32 %n, %clock;
}
.file 1 \"sum.cu\"
";

/// An approximate function.
const SINE: &str = ".version 8.0 .target sm_80 .address_size 64
.entry k(.param .u64 to) {
    .reg .u64 %to; .reg .f32 %f;
    ld.param.u64 %to, [to];
    sin.approx.f32 %f, 0f3F800000;
    st.global.f32 [%to], %f;
}
";

/// A store that is skipped and one that is not.
const TRACED: &str = ".version 8.0
.target sm_80
.address_size 64
.entry k(.param .u64 to) {
    .reg .pred %p;
    .reg .u32 %n;
    .reg .u64 %to;
    ld.param.u64 %to, [to];
    mov.u32 %n, 7;
    setp.ne.u32 %p, %n, 7;
    @%p st.global.u32 [%to], %n;
    st.global.u32 [%to], %n;
}
";

/// Key and type of every row of the table behind a heading.
fn documented(heading: &str) -> BTreeMap<String, String> {
    let page = include_str!("../../../docs/json.md");
    let section = page.split("\n## ").find(|section| section.starts_with(heading)).expect("the heading");
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.map(|row| {
        let (key, rest) = row.split_once("` | ").expect("a key");
        (key.to_string(), rest.split(" | ").next().unwrap_or_default().to_string())
    })
    .collect()
}

/// Notes key and type of everything in a value.
fn walk(value: &Value, path: &str, found: &mut Vec<(String, &'static str)>) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    if !path.is_empty() && !path.ends_with("[]") {
        found.push((path.to_string(), kind));
    }
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                walk(value, &path, found);
            }
        }
        Value::Array(items) => {
            items
                .iter()
                .filter(|item| item.is_object())
                .for_each(|item| walk(item, &format!("{path}[]"), found));
        }
        _ => {}
    }
}

fn holds(heading: &str, objects: &[Value]) {
    let documented = documented(heading);
    let mut found = Vec::new();
    objects.iter().for_each(|object| walk(object, "", &mut found));
    for (key, kind) in &found {
        let said = documented.get(key).unwrap_or_else(|| panic!("`{key}` is not documented"));
        assert!(
            said.contains(kind) || said.starts_with("value"),
            "`{key}` is said to be {said}, and is {kind}"
        );
    }
    for key in documented.keys() {
        assert!(found.iter().any(|(other, _)| other == key), "`{key}` is documented and never printed");
    }
}

#[test]
fn a_launch_is_reported_as_documented() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("k.ptx"), KERNEL).unwrap();
    // A picture's extension that margay does not decode gives a remark about no line.
    std::fs::write(folder.path().join("in.bmp"), [0; 4]).unwrap();
    let objects: [Value; 2] = [("7", 0), ("70", 1)].map(|(n, code)| {
        let n = format!("u32={n}");
        let words = ["run", "k.ptx", "--format", "json", "--arg", "inout=in.bmp:o.npy", "--arg", &n];
        let ran = margay_in(folder.path(), &words);
        assert_eq!(ran.code, Some(code), "{}", ran.err);
        serde_json::from_str(&ran.out).expect("one object")
    });
    let words = ["run", "race.ptx", "--format", "json", "--sanitize", "race", "--block", "2"];
    std::fs::write(folder.path().join("race.ptx"), RACE).unwrap();
    let ran = margay_in(folder.path(), &[&words[..], &["--arg", "zero=u32[1]"]].concat());
    let race: Value = serde_json::from_str(&ran.out).expect("one object");
    assert_eq!((ran.code, &race["sanitizers"]), (Some(1), &json!(["memory", "race"])));
    assert_eq!(race["findings"][0]["acts"][1]["source"][0]["line"], 5);
    let words = ["run", "race.ptx", "--format", "json", "--profile-lines", "--arg", "zero=u32[1]"];
    let ran = margay_in(folder.path(), &words);
    let profiled: Value = serde_json::from_str(&ran.out).expect("one object");
    let words =
        ["run", "traced.ptx", "--format", "json", "--trace", "0", "--watch", "to", "--arg", "zero=u32[1]"];
    std::fs::write(folder.path().join("traced.ptx"), TRACED).unwrap();
    let traced: Value = serde_json::from_str(&margay_in(folder.path(), &words).out).expect("one object");
    std::fs::write(folder.path().join("sine.ptx"), SINE).unwrap();
    let words = ["run", "sine.ptx", "--format", "json", "--fidelity", "--arg", "zero=f32[1]"];
    let sine: Value = serde_json::from_str(&margay_in(folder.path(), &words).out).expect("one object");
    std::fs::write(folder.path().join("apart.ptx"), ".version 8.0 .target sm_90 .entry apart() { ret; }")
        .unwrap();
    let words = ["run", "apart.ptx", "--format", "json", "--grid", "2", "--cluster", "2"];
    let apart: Value = serde_json::from_str(&margay_in(folder.path(), &words).out).expect("one object");
    let objects = [&objects[..], &[race, profiled, traced, sine, apart]].concat();
    holds("`margay run", &objects);
    assert!(objects[0]["error"].is_null() && objects[1]["error"]["line"] == 3);
    let error = &objects[1]["error"];
    let places =
        json!([{"file": "vec.cuh", "line": 7, "column": 3}, {"file": "sum.cu", "line": 20, "column": 1}]);
    assert_eq!(error["source"], places);
    assert_eq!(error["calls"][0]["source"], json!([{"file": "sum.cu", "line": 33, "column": 9}]));
}

#[test]
fn findings_are_printed_as_documented() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("k.ptx"), "add.u32 d, a;").unwrap();
    let ran = margay_in(folder.path(), &["check", "k.ptx", "--format", "json"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    let objects: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(!objects.is_empty());
    holds("`margay check", &objects);
}
