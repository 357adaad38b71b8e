//! Where the driver lies, and what lies beside it: beside the command, in Python's package, or where the environment says.

use std::path::{Path, PathBuf};

use margay::problem::{Problem, shown};

use crate::command::home::Home;

/// The name by which programs look for NVIDIA's driver.
pub const NAME: &str = "libcuda.so.1";
/// The name by which linkers find it (`-lcuda`).
pub const LINKED: &str = "libcuda.so";
/// The name that cargo gives the driver.
const BUILT: &str = "libcuda.so";
/// A library that lies beside the driver.
pub struct Library {
    /// The name by which programs look for NVIDIA's.
    pub name: &'static str,
    /// The name that cargo gives it.
    built: &'static str,
}

/// The linkers and the runtime libraries, the latest first.
const LIBRARIES: [Library; 4] = [
    Library { name: "libnvJitLink.so.13", built: "libnvJitLink.so" },
    Library { name: "libnvJitLink.so.12", built: "libnvJitLink12.so" },
    Library { name: "libcudart.so.13", built: "libcudart.so" },
    Library { name: "libcudart.so.12", built: "libcudart12.so" },
];
/// Names a folder, or the file itself.
const VARIABLE: &str = "MARGAY_CUDA_PATH";
/// What margay's driver holds and NVIDIA's does not.
const MARK: &[u8] = b"MARGAY_CUDA_ARCH";

/// The driver's file.
pub fn driver(home: &Home) -> Result<PathBuf, Problem> {
    if !cfg!(target_os = "linux") {
        return Err(Problem::new("margay's driver is for Linux only"));
    }
    if let Some(given) = std::env::var_os(VARIABLE).filter(|given| !given.is_empty()) {
        return named(Path::new(&given));
    }
    // Beside the program; where it was installed into `bin`, beside that.
    let folders = home.folder.iter().flat_map(|folder| [folder.clone(), folder.join("../lib/margay")]);
    let found = folders.filter_map(|folder| within(&folder)).next();
    found.ok_or_else(|| {
        Problem::new(format!("margay's driver, `{NAME}`, is not there")).help(format!(
            "`cargo build -p margay-cuda --release` builds it beside `target/release/margay`; for a command that lies \
             elsewhere, `{VARIABLE}` names the driver's folder"
        ))
    })
}

/// The driver that the environment names.
fn named(given: &Path) -> Result<PathBuf, Problem> {
    let wrong = |what: &str| {
        let problem =
            Problem::new(format!("the environment variable `{VARIABLE}` is {}, {what}", shown(given)));
        Err(problem.help(format!(
            "name the folder of margay's `{NAME}` or `{BUILT}`, which `cargo build -p margay-cuda --release` builds in \
             `target/release`"
        )))
    };
    let found = if given.is_file() { Some(given.to_path_buf()) } else { within(given) };
    let Some(found) = found.and_then(|found| std::path::absolute(found).ok()) else {
        return wrong("but there is no driver");
    };
    match std::fs::read(&found) {
        Ok(bytes) if bytes.windows(MARK.len()).any(|bytes| bytes == MARK) => Ok(found),
        Ok(_) => wrong("but the driver there is not margay's"),
        Err(error) => Err(Problem::io("read", &found, &error)),
    }
}

/// The libraries that lie beside a driver. They need not be there.
pub fn beside(driver: &Path) -> Vec<(Library, Option<PathBuf>)> {
    let there = |name: &str| driver.parent().map(|folder| folder.join(name)).filter(|file| file.is_file());
    let found = |library: Library| {
        let file = there(library.name).or_else(|| there(library.built));
        (library, file)
    };
    LIBRARIES.map(found).into()
}

fn within(folder: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    [NAME, BUILT].map(|name| folder.join(name)).into_iter().find(|file| file.is_file())
}
