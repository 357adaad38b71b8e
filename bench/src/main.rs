//! Measures margay: kernels beside native code, what a launch costs, and reading PTX beside the parser crate `ptx-syntax`.

mod agree;
mod buffer;
mod case;
mod columns;
mod compare;
mod floats;
mod hand;
mod launch;
mod length;
mod level;
mod measure;
mod peak;
mod plain;
mod plot;
mod pocl;
mod products;
mod reading;
mod record;
mod sweep;
mod tensor_memory;
mod warpgroups;

use std::path::Path;

const PARTS: [&str; 11] = [
    "reading",
    "kernels",
    "floats",
    "approximations",
    "launch",
    "length",
    "columns",
    "products",
    "sweep",
    "peak",
    "spin",
];

const HELP: &str = "\
measures margay beside native code and peers; without names, everything

usage: margay-bench [options] [part or kernel]...

kernels: K1 to K8, F1 to F10, A1 to A3; `spin` with kernels runs nothing but the batch engine on them

options:
  --level LEVEL  the vector instructions of the batch engine, and of what stands beside it
  --smoke        each part once: that results are right, not how fast they come
  --record       keeps what is printed, and the plot, under record/
  -h, --help     this
";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|a| a == "-h" || a == "--help") {
        println!("{HELP}\nparts: {}", PARTS.join(", "));
        return;
    }
    if let [child, threads] = &arguments[..]
        && child == peak::CHILD
    {
        return peak::child(threads.parse().expect("a number of threads"));
    }
    let (record, arguments): (Vec<_>, Vec<_>) = arguments.into_iter().partition(|a| a == "--record");
    if !record.is_empty() {
        return record::run(&arguments).expect("the record is written");
    }
    let arguments = levelled(arguments);
    let (options, parts): (Vec<_>, Vec<_>) = arguments.into_iter().partition(|a| a.starts_with('-'));
    let (kernels, parts): (Vec<_>, Vec<_>) = parts.into_iter().partition(|p| p.starts_with(['K', 'F', 'A']));
    if let Some(unknown) = options.iter().find(|o| *o != "--smoke" && !o.starts_with(record::PLOT)) {
        eprintln!("no option is called `{unknown}`; there are --level, --smoke, --record and --help");
        std::process::exit(2);
    }
    if let Some(unknown) = parts.iter().find(|p| !PARTS.contains(&p.as_str())) {
        eprintln!(
            "no part is called `{unknown}`; there are {}, K1 to K8, F1 to F10 and A1 to A3",
            PARTS.join(", ")
        );
        std::process::exit(2);
    }
    if let Some(unknown) = kernels.iter().find(|k| !compare::SUITES.iter().any(|suite| suite.has(k))) {
        eprintln!("no kernel is called `{unknown}`; there are K1 to K8, F1 to F10 and A1 to A3");
        std::process::exit(2);
    }
    let smoke = options.iter().any(|o| o == "--smoke");
    let plot = options.iter().find_map(|o| o.strip_prefix(record::PLOT));
    measure(&parts, &kernels, smoke, plot.map(Path::new));
}

/// Chooses the level that arguments name; the other arguments.
fn levelled(mut arguments: Vec<String>) -> Vec<String> {
    if let Some(at) = arguments.iter().position(|a| a == "--level") {
        let mut words = arguments.drain(at..(at + 2).min(arguments.len())).skip(1);
        let chosen = words.next().map_or(Err("`--level` needs a level".into()), |name| level::choose(&name));
        if let Err(error) = chosen {
            eprintln!("{error}");
            std::process::exit(2);
        }
    }
    arguments
}

fn measure(parts: &[String], kernels: &[String], smoke: bool, plot: Option<&Path>) {
    let rounds = if smoke { 1 } else { 21 };
    println!("margay bench, {rounds} rounds, medians; spread is the distance of the quartiles");
    println!(
        "level `{}`; `{}` is the best that this machine has",
        level::chosen(),
        margay_exec::Simd::best()
    );
    let all = parts.is_empty() && kernels.is_empty();
    let wants = |part: &str| all || parts.iter().any(|p| p == part);
    if wants("reading") {
        reading::run(rounds);
    }
    for suite in &compare::SUITES {
        let named = kernels.iter().any(|name| name.starts_with(suite.letter));
        if wants(suite.part) || parts.is_empty() && named {
            compare::run(suite, kernels, rounds, smoke);
        }
    }
    if wants("launch") {
        launch::run(rounds);
    }
    if wants("length") {
        length::run(rounds, smoke);
    }
    if wants("columns") {
        columns::run(rounds, smoke);
    }
    if wants("products") {
        products::run(rounds);
        warpgroups::run(rounds);
        tensor_memory::run(rounds);
    }
    if wants("sweep") {
        let curves = sweep::run(kernels, smoke);
        let path = plot.map_or_else(|| std::env::temp_dir().join("margay-bench.svg"), Path::to_path_buf);
        plot::write(&path, &curves).expect("the plot is written");
        println!("\nplotted: {}", path.file_name().unwrap_or_default().display());
    }
    if parts.iter().any(|p| p == "spin") {
        compare::spin(kernels);
    }
    if wants("peak") {
        peak::run(smoke);
    }
}
