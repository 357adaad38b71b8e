//! How much memory the machine has free for a device: what the system has, within the limits of its control groups.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Where the system does not say what is free.
const UNTOLD: u64 = 8 << 30;
/// Where limits of control groups stand.
const GROUPS: &str = "/sys/fs/cgroup";

/// Bytes that a device has where nobody says: seven eighths of what is free when this is first asked for. The rest is for
/// what runs the kernels.
pub(super) fn device_bytes() -> u64 {
    static BYTES: OnceLock<u64> = OnceLock::new();
    *BYTES.get_or_init(|| {
        let free = free(Path::new("/")).unwrap_or(UNTOLD);
        (free - free / 8).min(super::ADDRESSABLE)
    })
}

/// Bytes that are free on a Linux system whose root folder this is.
fn free(root: &Path) -> Option<u64> {
    let inside = |path: &str| root.join(path.trim_start_matches('/'));
    let about = std::fs::read_to_string(inside("/proc/meminfo")).ok()?;
    let available = field(&about, "MemAvailable:")?.checked_mul(1024)?;
    let groups = std::fs::read_to_string(inside("/proc/self/cgroup")).unwrap_or_default();
    let limits = groups.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        match controllers {
            "" => Some(V2.left(inside(GROUPS), path)),
            _ if controllers.split(',').any(|one| one == "memory") => {
                Some(V1.left(inside(GROUPS).join("memory"), path))
            }
            _ => None,
        }
    });
    limits.flatten().chain([available]).min()
}

/// The files of a version of control groups.
struct Group {
    limit: &'static str,
    usage: &'static str,
    /// What of the usage can be given up: caches of files that are not in use.
    idle: &'static str,
}

const V1: Group =
    Group { limit: "memory.limit_in_bytes", usage: "memory.usage_in_bytes", idle: "total_inactive_file" };
const V2: Group = Group { limit: "memory.max", usage: "memory.current", idle: "inactive_file" };

impl Group {
    /// What is left to a group, and to all that it is part of. In a container the mounted folder may be the group itself.
    fn left(&self, mount: PathBuf, path: &str) -> Option<u64> {
        let group = mount.join(path.trim_start_matches('/'));
        group.ancestors().take_while(|at| at.starts_with(&mount)).filter_map(|at| self.left_in(at)).min()
    }

    fn left_in(&self, folder: &Path) -> Option<u64> {
        let text = |file: &str| std::fs::read_to_string(folder.join(file)).ok();
        // No limit is the word `max`, or a number near the greatest one.
        let limit: u64 = text(self.limit)?.trim().parse().ok()?;
        let usage: u64 = text(self.usage)?.trim().parse().ok()?;
        let idle = text("memory.stat").and_then(|stat| field(&stat, self.idle)).unwrap_or(0);
        Some(limit.saturating_sub(usage.saturating_sub(idle)))
    }
}

/// The number that follows a name at the start of a line.
fn field(text: &str, name: &str) -> Option<u64> {
    let found = text.lines().find_map(|line| line.strip_prefix(name))?;
    found.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A root folder with these files, and what is free there.
    fn free_with(name: &str, files: &[(&str, &str)]) -> Option<u64> {
        let root = std::env::temp_dir().join(format!("margay-machine-{}-{name}", std::process::id()));
        for (file, text) in files {
            let file = root.join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let found = free(&root);
        let _ = std::fs::remove_dir_all(&root);
        found
    }

    const MEMINFO: (&str, &str) = ("proc/meminfo", "MemTotal:  2000 kB\nMemAvailable:   1000 kB\n");

    #[test]
    fn without_limits_it_is_what_the_system_has() {
        assert_eq!(free_with("none", &[]), None);
        assert_eq!(free_with("plain", &[MEMINFO]), Some(1_024_000));
    }

    #[test]
    fn the_least_limit_on_the_way_up_counts() {
        let two = [
            MEMINFO,
            ("proc/self/cgroup", "0::/a/b\n"),
            ("sys/fs/cgroup/a/memory.max", "500000\n"),
            ("sys/fs/cgroup/a/memory.current", "300000\n"),
            ("sys/fs/cgroup/a/memory.stat", "anon 7\ninactive_file 100000\n"),
            ("sys/fs/cgroup/a/b/memory.max", "max\n"),
            ("sys/fs/cgroup/a/b/memory.current", "100\n"),
        ];
        assert_eq!(free_with("v2", &two), Some(300_000));
        let one = [
            MEMINFO,
            ("proc/self/cgroup", "4:cpu:/\n3:memory:/not/mounted\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "400000"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "500000"),
            ("sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 200000\n"),
        ];
        assert_eq!(free_with("v1", &one), Some(100_000));
        let none = [
            MEMINFO,
            ("proc/self/cgroup", "3:memory:/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "1"),
        ];
        assert_eq!(free_with("unlimited", &none), Some(1_024_000));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_tells() {
        let free = free(Path::new("/")).unwrap();
        assert!(free > 1 << 20 && device_bytes() > 1 << 20, "{free}");
    }
}
