//! Grids and blocks: their shapes, their limits, and the order of their members.

use crate::error::LaunchError;
use margay_front::module::Function;

/// The most threads that a block has.
pub(crate) const BLOCK_THREADS: u32 = 1024;

/// A shape, or a member's place in one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Dim {
    /// Along the axis that changes fastest.
    pub x: u32,
    /// Along the second axis.
    pub y: u32,
    /// Along the axis that changes slowest.
    pub z: u32,
}

impl Dim {
    /// From three extents.
    ///
    /// ```
    /// use margay_exec::Dim;
    /// assert_eq!(Dim::from(4), Dim::new(4, 1, 1));
    /// assert_eq!(Dim::new(4, 2, 1).count(), Some(8));
    /// ```
    pub const fn new(x: u32, y: u32, z: u32) -> Dim {
        Dim { x, y, z }
    }

    /// How many members; `None` above what 64 bits can count.
    pub fn count(self) -> Option<u64> {
        (u64::from(self.x) * u64::from(self.y)).checked_mul(u64::from(self.z))
    }

    /// The place of member `index`, `x` running fastest.
    pub fn at(self, index: u64) -> Dim {
        let (x, y) = (u64::from(self.x), u64::from(self.y));
        Dim::new((index % x) as u32, (index / x % y) as u32, (index / x / y) as u32)
    }

    /// As a tuple.
    pub fn tuple(self) -> (u32, u32, u32) {
        (self.x, self.y, self.z)
    }

    /// The extent along an axis, counted from 0.
    #[inline]
    pub(crate) fn axis(self, axis: u8) -> u32 {
        [self.x, self.y, self.z][usize::from(axis).min(2)]
    }
}

impl From<u32> for Dim {
    fn from(x: u32) -> Dim {
        Dim::new(x, 1, 1)
    }
}

impl From<[u32; 3]> for Dim {
    fn from([x, y, z]: [u32; 3]) -> Dim {
        Dim::new(x, y, z)
    }
}

/// Checks the shapes of a launch against the device's limits and the kernel's directives (manual, section 11.4).
/// Returns the number of blocks and of threads in each.
pub(crate) fn check(kernel: &Function, grid: Dim, block: Dim) -> Result<(u64, u32), LaunchError> {
    let name = &kernel.name;
    let axes = |of: Dim, limits: [u32; 3], what: &str| {
        for (axis, limit) in limits.into_iter().enumerate() {
            let extent = of.axis(axis as u8);
            if extent == 0 || extent > limit {
                let letter = ["x", "y", "z"][axis];
                let message = format!("the {what} has an extent of {extent} in {letter}");
                return Err(LaunchError::new(message).help(format!("use 1 to {limit}")));
            }
        }
        Ok(())
    };
    axes(grid, [i32::MAX as u32, 65535, 65535], "grid")?;
    axes(block, [BLOCK_THREADS, BLOCK_THREADS, 64], "block")?;
    let threads = block.count().unwrap_or(u64::MAX);
    if threads > BLOCK_THREADS.into() {
        let message = format!("the block has {threads} threads");
        return Err(LaunchError::new(message).help(format!("use at most {BLOCK_THREADS} threads in a block")));
    }
    let shape = |d: Dim| format!("{}, {}, {}", d.x, d.y, d.z);
    if let Some(wanted) = kernel.performance.reqntid.map(Dim::from).filter(|w| *w != block) {
        let message = format!("kernel `{name}` requires blocks of {} (`.reqntid`)", shape(wanted));
        let help = format!("launch it with blocks of {} instead of {}", shape(wanted), shape(block));
        return Err(LaunchError::new(message).help(help));
    }
    if let Some(most) = kernel.performance.maxntid.and_then(|m| Dim::from(m).count()).filter(|m| threads > *m)
    {
        let message = format!("kernel `{name}` takes blocks of at most {most} threads (`.maxntid`)");
        return Err(LaunchError::new(message).help(format!("use at most {most} threads in a block")));
    }
    let blocks = grid.count().filter(|b| b.checked_mul(threads).is_some());
    let blocks = blocks.ok_or_else(|| LaunchError::new("the grid has more than 2^64 threads"))?;
    Ok((blocks, threads as u32))
}

/// CTAs that a cluster has at most.
const CLUSTER_BLOCKS: u64 = 16;

/// The shape of clusters, and whether the launch or the kernel says it: checked against the grid, the device's limit and the
/// kernel's directives (manual, section 11.4).
pub(crate) fn clusters(kernel: &Function, grid: Dim, given: Option<Dim>) -> Result<(Dim, bool), LaunchError> {
    let (name, performance) = (&kernel.name, &kernel.performance);
    let shape = |d: Dim| format!("{}, {}, {}", d.x, d.y, d.z);
    let required = performance.reqnctapercluster.map(Dim::from);
    let Some(cluster) = given.or(required) else {
        if performance.explicitcluster {
            let message = format!("kernel `{name}` requires a launch in clusters (`.explicitcluster`)");
            return Err(
                LaunchError::new(message).help("say how many blocks a cluster has: `--cluster X,Y,Z`")
            );
        }
        return Ok((1.into(), false));
    };
    if let Some(required) = required.filter(|required| *required != cluster) {
        let message =
            format!("kernel `{name}` requires clusters of {} (`.reqnctapercluster`)", shape(required));
        let help = format!("launch it with clusters of {} instead of {}", shape(required), shape(cluster));
        return Err(LaunchError::new(message).help(help));
    }
    for axis in 0..3 {
        let (blocks, each) = (grid.axis(axis), cluster.axis(axis));
        let letter = ["x", "y", "z"][usize::from(axis)];
        if each == 0 {
            let message = format!("the cluster has an extent of 0 in {letter}");
            return Err(LaunchError::new(message).help("use 1 or more"));
        }
        if !blocks.is_multiple_of(each) {
            let message = format!("{blocks} blocks in {letter} are not whole clusters of {each}");
            let help = format!("make the grid's extent in {letter} a multiple of the cluster's");
            return Err(LaunchError::new(message).help(help));
        }
    }
    let blocks = cluster.count().unwrap_or(u64::MAX);
    if blocks > CLUSTER_BLOCKS {
        let message = format!("the cluster has {blocks} blocks");
        let help = format!("use at most {CLUSTER_BLOCKS} blocks in a cluster");
        return Err(LaunchError::new(message).help(help));
    }
    if let Some(most) = performance.maxclusterrank.filter(|most| blocks > u64::from(*most)) {
        let message = format!("kernel `{name}` takes clusters of at most {most} blocks (`.maxclusterrank`)");
        return Err(LaunchError::new(message).help(format!("use at most {most} blocks in a cluster")));
    }
    Ok((cluster, true))
}

/// The place in the grid of the block that runs as number `index`: clusters one after the other, each block after block.
pub(crate) fn place(grid: Dim, cluster: Dim, index: u64) -> Dim {
    if cluster == Dim::from(1) {
        return grid.at(index);
    }
    let size = cluster.count().unwrap_or(1);
    let clusters = Dim::new(grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z);
    let (first, within) = (clusters.at(index / size), cluster.at(index % size));
    Dim::new(first.x * cluster.x + within.x, first.y * cluster.y + within.y, first.z * cluster.z + within.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use margay_front::Span;
    use margay_front::module::Performance;

    fn kernel(performance: Performance) -> Function {
        Function {
            name: "k".into(),
            is_entry: true,
            is_defined: true,
            parameters: vec![],
            returns: vec![],
            parameter_bytes: 0,
            performance,
            registers: vec![],
            code: vec![],
            spans: vec![],
            locations: Default::default(),
            labels: vec![],
            prototypes: vec![],
            alias: None,
            span: Span::default(),
        }
    }

    fn plain(grid: Dim, block: Dim) -> Result<(u64, u32), String> {
        check(&kernel(Performance::default()), grid, block).map_err(|e| e.message)
    }

    #[test]
    fn shapes_within_the_limits_are_counted() {
        assert_eq!(plain(1.into(), 1.into()), Ok((1, 1)));
        assert_eq!(plain(Dim::new(i32::MAX as u32, 1, 1), Dim::new(16, 1, 64)), Ok((0x7fff_ffff, 1024)));
        assert_eq!(plain(Dim::new(1 << 30, 1 << 10, 1), 1.into()), Ok((1 << 40, 1)));
    }

    #[test]
    fn shapes_beyond_the_limits_are_refused() {
        let one = Dim::from(1);
        for (grid, block) in [
            (Dim::new(0, 1, 1), one),
            (Dim::new(1 << 31, 1, 1), one),
            (Dim::new(1, 65536, 1), one),
            (one, Dim::new(1025, 1, 1)),
            (one, Dim::new(1, 1, 65)),
            (one, Dim::new(1024, 2, 1)),
            (one, Dim::new(1, 0, 1)),
            (Dim::new(i32::MAX as u32, 65535, 65535), Dim::from(1024)),
        ] {
            assert!(plain(grid, block).is_err(), "{grid:?} {block:?}");
        }
    }

    #[test]
    fn directives_bind() {
        let require = Performance { reqntid: Some([8, 2, 1]), ..Performance::default() };
        assert!(check(&kernel(require.clone()), 1.into(), Dim::new(8, 2, 1)).is_ok());
        assert!(check(&kernel(require), 1.into(), Dim::new(16, 1, 1)).is_err());
        let limit = Performance { maxntid: Some([8, 2, 1]), ..Performance::default() };
        assert!(check(&kernel(limit.clone()), 1.into(), Dim::new(16, 1, 1)).is_ok());
        assert!(check(&kernel(limit), 1.into(), Dim::new(17, 1, 1)).is_err());
    }

    #[test]
    fn clusters_are_parts_of_the_grid() {
        let named = kernel(Performance { reqnctapercluster: Some([2, 1, 1]), ..Performance::default() });
        let explicit = kernel(Performance { explicitcluster: true, ..Performance::default() });
        let limited = kernel(Performance { maxclusterrank: Some(4), ..Performance::default() });
        let plain = kernel(Performance::default());
        let got = |kernel, grid: Dim, given| clusters(kernel, grid, given).map_err(|e| e.message);
        let one = Dim::from(1);
        assert_eq!(got(&plain, Dim::new(3, 5, 7), None), Ok((one, false)));
        assert_eq!(got(&plain, Dim::new(4, 4, 2), Some(Dim::new(2, 4, 2))), Ok((Dim::new(2, 4, 2), true)));
        assert_eq!(got(&named, 4.into(), None), Ok((2.into(), true)));
        assert_eq!(got(&limited, 4.into(), Some(4.into())), Ok((4.into(), true)));
        for (kernel, grid, given) in [
            (&named, 3, None),
            (&named, 4, Some(4)),
            (&explicit, 4, None),
            (&limited, 8, Some(8)),
            (&plain, 17, Some(17)),
            (&plain, 4, Some(3)),
            (&plain, 4, Some(0)),
        ] {
            assert!(clusters(kernel, grid.into(), given.map(Dim::from)).is_err(), "{grid} {given:?}");
        }
    }

    #[test]
    fn clusters_run_one_after_the_other() {
        let (grid, cluster) = (Dim::new(4, 4, 1), Dim::new(2, 2, 1));
        let places: Vec<Dim> = (0..16).map(|k| place(grid, cluster, k)).collect();
        let first = [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0)].map(|(x, y)| Dim::new(x, y, 0));
        assert_eq!(places[..5], first);
        let mut all = places.clone();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 16);
        assert_eq!(place(Dim::new(3, 2, 1), 1.into(), 4), Dim::new(1, 1, 0));
    }

    #[test]
    fn members_are_ordered_with_x_fastest() {
        let shape = Dim::new(3, 2, 2);
        assert_eq!(shape.at(0), Dim::new(0, 0, 0));
        assert_eq!(shape.at(4), Dim::new(1, 1, 0));
        assert_eq!(shape.at(11), Dim::new(2, 1, 1));
    }
}
