//! `margay link`, as a user meets it.

mod common;

use common::{Ran, margay_in};
use std::fs;

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";
const KERNEL: &str = ".extern .func (.param .b32 r) f(.param .b32 a);\n\
    .visible .entry k(.param .u64 out) {\n.reg .b32 %r<2>; .reg .b64 %rd; .param .b32 p; .param .b32 q;\n\
    ld.param.u64 %rd, [out]; mov.u32 %r0, %tid.x; st.param.b32 [p], %r0; call (q), f, (p);\n\
    ld.param.b32 %r1, [q]; mad.wide.u32 %rd, %r0, 4, %rd; st.global.u32 [%rd], %r1; ret; }\n";
const DEVICE: &str = ".visible .func (.param .b32 r) f(.param .b32 a) {\n.reg .b32 %r; ld.param.b32 %r, [a];\n\
    mul.lo.u32 %r, %r, %r; st.param.b32 [r], %r; ret; }\n";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        for (name, text) in [("k.ptx", KERNEL), ("f.ptx", DEVICE), ("g.ptx", ".visible .func g() { ret; }\n")]
        {
            folder.put(name, &format!("{HEAD}{text}"));
        }
        folder
    }

    fn put(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    fn margay(&self, words: &str) -> Ran {
        margay_in(self.0.path(), &words.split_whitespace().collect::<Vec<_>>())
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

#[test]
fn linked_modules_run_in_either_order() {
    let folder = Folder::new();
    for inputs in ["k.ptx f.ptx g.ptx", "g.ptx f.ptx k.ptx"] {
        let ran = folder.margay(&format!("link {inputs} -o all.ptx"));
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "", ""), "{inputs}");
        let ran = folder.margay("run all.ptx --no-header --block 5 --arg out=out.raw:u32[5]");
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let bytes = fs::read(folder.0.path().join("out.raw")).unwrap();
        let words: Vec<u32> =
            bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        assert_eq!(words, [0, 1, 4, 9, 16], "{inputs}");
    }
}

#[test]
fn the_module_goes_to_standard_output_where_no_file_is_named() {
    let folder = Folder::new();
    let ran = folder.margay("link k.ptx f.ptx");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    folder.margay("link k.ptx f.ptx -o all.ptx");
    assert_eq!(ran.out, fs::read_to_string(folder.0.path().join("all.ptx")).unwrap());
    let ran = folder.margay("link f.ptx");
    assert_eq!(ran.out, format!("{HEAD}{DEVICE}"));
}

#[test]
fn nothing_is_written_after_an_error() {
    let folder = Folder::new();
    folder.put("old.ptx", "as it was");
    let before = folder.names();
    for (words, code, said) in [
        ("link k.ptx g.ptx -o new.ptx", 1, "`f` is not defined in any input"),
        ("link f.ptx f.ptx -o old.ptx", 1, "`f` is defined in two inputs"),
        ("link k.ptx none.ptx -o new.ptx", 2, "cannot read `none.ptx`"),
        ("link k.ptx f.ptx -o f.ptx", 2, "the output would replace `f.ptx`, which is linked"),
        ("link k.ptx f.ptx -o none/new.ptx", 2, "cannot write `none/new.ptx`"),
        ("link - - -o new.ptx", 2, "standard input is given twice"),
        ("link k.ptx f.ptx --format json", 2, "cannot both go to standard output"),
        ("link k.ptx . -o new.ptx", 2, "it is a folder"),
    ] {
        let ran = folder.margay(words);
        assert_eq!((ran.code, ran.out.as_str()), (Some(code), ""), "{words}: {}", ran.err);
        assert!(ran.err.contains(said), "{words}: {}", ran.err);
        assert_eq!(folder.names(), before, "{words}");
    }
    assert_eq!(fs::read_to_string(folder.0.path().join("old.ptx")).unwrap(), "as it was");
    let ran = folder.margay("link k.ptx g.ptx -o new.ptx --allow-undefined");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(folder.margay("check new.ptx").err.contains("P903"));
}

#[test]
fn findings_for_programs_name_the_file_of_every_place() {
    let folder = Folder::new();
    let ran = folder.margay("link f.ptx k.ptx f.ptx -o new.ptx --format json");
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    let found: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((found["code"].as_str(), found["file"].as_str()), (Some("P702"), Some("f.ptx")));
    folder.put("h.ptx", &format!("{HEAD}{DEVICE}"));
    let ran = folder.margay("link h.ptx f.ptx -o new.ptx --format json");
    let found: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&found["file"], &found["labels"][1]["file"]), (&"f.ptx".into(), &"h.ptx".into()));
    assert_eq!((&found["labels"][1]["line"], &found["labels"][1]["column"]), (&4.into(), &32.into()));
    let ran = folder.margay("link h.ptx f.ptx -o new.ptx --format short");
    assert_eq!(ran.out, "f.ptx:4:32: error[P702]: `f` is defined in two inputs\n");
}
