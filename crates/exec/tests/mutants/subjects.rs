//! The kernels that are changed: those that compilers wrote, with the launches that are known of them.

use super::data::{self, Case, Text};
use super::run_files::run_files;
use margay_front::module::Module;
use std::sync::Arc;

/// A kernel of a text.
pub struct Subject {
    pub name: String,
    /// The text's.
    pub lines: Arc<Vec<String>>,
    pub entry: String,
    /// A launch of it, if one is known, and all contents of buffers.
    pub case: Option<(Arc<Case>, Arc<Vec<u8>>)>,
    pub parameters: Vec<Parameter>,
    /// Threads of a block, where the text says how many.
    pub block: Option<u64>,
    /// Lines of the kernel's body.
    pub body: std::ops::Range<usize>,
}

#[derive(Clone, Copy)]
pub struct Parameter {
    pub size: u64,
    pub is_array: bool,
    pub is_float: bool,
}

/// Those of the benchmarks, of which the batch engine makes most; they stand among the others so many times.
const OF_BENCHMARKS: [(&str, &str); 2] = [
    ("kernels", include_str!("../../../../bench/data/kernels.ptx")),
    ("floats", include_str!("../../../../bench/data/floats.ptx")),
];
const TIMES: usize = 5;

pub fn subjects() -> Vec<Subject> {
    let contents = Arc::new(data::contents());
    let cases: Vec<Arc<Case>> = data::cases().into_iter().map(Arc::new).collect();
    let named = |compiler: &str, source: &str, ptx: &str| Text {
        compiler: compiler.into(),
        source: source.into(),
        ptx: ptx.into(),
    };
    let benchmarks =
        OF_BENCHMARKS.iter().flat_map(|(source, ptx)| (0..TIMES).map(|_| named("bench", source, ptx)));
    let run = run_files(&[""]).into_iter().map(|path| {
        let ptx = std::fs::read_to_string(&path).expect("it is a text");
        named("run", &path.file_stem().expect("it is a file").to_string_lossy(), &ptx)
    });
    let mut all = Vec::new();
    for text in data::all_texts().into_iter().chain(benchmarks).chain(run) {
        // What these give is not known beforehand.
        if ["clock", "globaltimer", "%smid", "%warpid", "%gridid"].iter().any(|name| text.ptx.contains(name))
        {
            continue;
        }
        let Ok(module) = margay_front::compile(&text.ptx) else { continue };
        let lines = Arc::new(text.ptx.lines().map(String::from).collect::<Vec<_>>());
        let entries: Vec<String> = module.entries().map(|entry| entry.name.clone()).collect();
        for entry in entries {
            let Some(body) = body(&lines, &entry) else { continue };
            let subject = |case: Option<&Arc<Case>>| Subject {
                name: format!("{} {} {entry}", text.compiler, text.source),
                lines: lines.clone(),
                entry: entry.clone(),
                case: case.map(|case| (case.clone(), contents.clone())),
                parameters: parameters(&module, &entry),
                block: block(&lines, &entry),
                body: body.clone(),
            };
            all.push(subject(None));
            let own = cases.iter().filter(|case| {
                case.text("source") == text.source && case.text("entry") == entry && case.globals().is_empty()
            });
            all.extend(own.map(|case| subject(Some(case))));
        }
    }
    all
}

fn parameters(module: &Module, entry: &str) -> Vec<Parameter> {
    let kernel = module.function(module.entry(entry).expect("it is one of the module's"));
    let each = kernel.parameters.iter();
    each.map(|parameter| Parameter {
        size: parameter.size,
        is_array: parameter.is_array,
        is_float: parameter.element.kind == margay_isa::Kind::Float,
    })
    .collect()
}

/// The lines between a kernel's braces.
fn body(lines: &[String], entry: &str) -> Option<std::ops::Range<usize>> {
    let head = lines.iter().position(|line| named(line, entry))?;
    let first = head + lines[head..].iter().position(|line| line.trim().starts_with('{'))?;
    let last = first + lines[first..].iter().position(|line| line.starts_with('}'))?;
    Some(first + 1..last)
}

fn named(line: &str, entry: &str) -> bool {
    line.split_once(".entry").is_some_and(|(_, name)| name.trim().trim_end_matches('(').trim() == entry)
}

/// Threads of a block, as directives after the parameters say.
fn block(lines: &[String], entry: &str) -> Option<u64> {
    let head = lines.iter().position(|line| named(line, entry))?;
    let directives = lines[head..].iter().take_while(|line| !line.trim().starts_with('{'));
    let mut said = directives.filter_map(|line| line.split_once("ntid").map(|(_, numbers)| numbers));
    Some(said.next()?.split(',').filter_map(|number| number.trim().parse::<u64>().ok()).product())
}
