//! Where the elements of a load lie.

use crate::batch::lanes::jit::target::Machine;

/// Where the elements of a load lie: how far from that of the first thread. A group of threads here is those that a machine takes at
/// a time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Pattern {
    /// Bytes from thread to thread in each half of a group.
    pub(super) lane: i64,
    /// Bytes from the first half's first one to the second half's, which may be in another row of threads.
    pub(super) half: i64,
    /// How far each group's first one lies.
    pub(super) groups: Groups,
}

/// How far groups lie from the first one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Groups {
    /// So many vectors (0, 1, 2, 4 or 8) from group to group.
    Vectors(u8),
    /// So many bytes, group by group.
    Table(Vec<i64>),
}

impl Pattern {
    /// From the distances of threads in half a group, of halves, and of groups.
    pub(super) fn new(machine: &Machine, lane: i64, half: i64, groups: Vec<i64>) -> Pattern {
        let step = groups.get(1).copied().unwrap_or(0);
        let bytes = machine.bytes as i64;
        let vectors = [0, 1, 2, 4, 8].into_iter().find(|vectors| step == bytes * i64::from(*vectors));
        let even = |step: i64| groups.iter().enumerate().all(|(k, at)| *at == step.wrapping_mul(k as i64));
        let groups = match vectors.filter(|_| even(step)) {
            Some(vectors) => Groups::Vectors(vectors),
            None => Groups::Table(groups),
        };
        Pattern { lane, half, groups }
    }

    /// Whether the second half of a group goes on as the first one does.
    pub(super) fn is_one_row(&self, machine: &Machine) -> bool {
        self.half == self.lane.wrapping_mul(machine.lanes() as i64 / 2)
    }

    pub(super) fn has_no_table(&self) -> bool {
        matches!(self.groups, Groups::Vectors(_))
    }

    /// Vectors from group to group; none where a table says how far they lie.
    pub(super) fn vectors(&self) -> i64 {
        match self.groups {
            Groups::Vectors(vectors) => vectors.into(),
            Groups::Table(_) => 0,
        }
    }
}
