//! PTX texts from files and from standard input, also out of the files that `margay ptxas` writes.

use std::borrow::Cow;
use std::io::{self, Read};
use std::path::Path;

use margay::container;
use margay::problem::Problem;
use margay_front::Source;

/// Spans count bytes in 32 bits, so no larger text is parsed.
const MAX_TEXT: u64 = u32::MAX as u64;

/// Reads PTX source: a file, or standard input for `-`.
pub fn read(file: &Path) -> Result<Source, Problem> {
    let (name, bytes) = bytes(file)?;
    let ptx = container::ptx_in(&bytes).map_err(|problem| problem.within(format!("cannot read `{name}`")))?;
    let bytes = match ptx {
        Cow::Owned(text) => text,
        Cow::Borrowed(_) => bytes,
    };
    Ok(Source::from_bytes(name, bytes))
}

/// Whether the name is one of standard input, a pipe or a device, so that the folder in it says nothing of where the PTX is
/// from.
pub fn is_stream(file: &Path) -> bool {
    let of_the_system = ["/dev", "/proc"].iter().any(|folder| file.starts_with(folder));
    file.as_os_str() == "-"
        || of_the_system
        || std::fs::metadata(file).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Whether the file holds what `margay ptxas` writes.
pub fn is_container(file: &Path) -> bool {
    let mut start = [0; container::MAGIC.len()];
    std::fs::File::open(file).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && start == container::MAGIC
}

/// What messages call the file.
pub fn name(file: &Path) -> String {
    if file.as_os_str() == "-" { "standard input".to_string() } else { file.display().to_string() }
}

/// What messages call the file, and its bytes.
fn bytes(file: &Path) -> Result<(String, Vec<u8>), Problem> {
    let mut bytes = Vec::new();
    let name = name(file);
    let read = if file.as_os_str() == "-" {
        io::stdin().lock().take(MAX_TEXT + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(file).and_then(|f| f.take(MAX_TEXT + 1).read_to_end(&mut bytes))
    };
    let refused = |reason: &str| Problem::new(format!("cannot read `{name}`: {reason}"));
    match read {
        Ok(count) if count as u64 > MAX_TEXT => Err(refused("it is larger than 4 GiB")),
        Ok(_) => Ok((name, bytes)),
        Err(error) => Err(match error.kind() {
            io::ErrorKind::NotFound => refused("no such file or folder"),
            io::ErrorKind::PermissionDenied => refused("permission denied"),
            io::ErrorKind::IsADirectory => refused("it is a folder"),
            _ => refused(&error.to_string()),
        }),
    }
}
