//! Special registers (manual, chapter 10): what they are called, how wide they are, what they hold.

use crate::floor::Floor;
use crate::types::{Kind, Ty};

/// A special register that names one value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Special {
    /// What it holds.
    pub value: SpecialValue,
    /// Bits: 32 or 64; 1 for predicates.
    pub bits: u32,
}

/// How many registers the driver says something in: `%envreg0` to `%envreg31`.
pub const ENVIRONMENT: usize = 32;

/// What a special register holds; dimensions count from 0 for `x`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum SpecialValue {
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    Laneid,
    Warpid,
    Nwarpid,
    Smid,
    Nsmid,
    Gridid,
    /// What the driver says of the launch, by the register's number.
    Environment(u8),
    LanemaskEq,
    LanemaskLe,
    LanemaskLt,
    LanemaskGe,
    LanemaskGt,
    Clock,
    ClockHi,
    Clock64,
    Globaltimer,
    GlobaltimerLo,
    GlobaltimerHi,
    DynamicSmemSize,
    TotalSmemSize,
    AggrSmemSize,
    ReservedSmemBegin,
    ReservedSmemEnd,
    ReservedSmemCap,
    ReservedSmem(u8),
    Clusterid(u8),
    Nclusterid(u8),
    ClusterCtaid(u8),
    ClusterNctaid(u8),
    ClusterCtarank,
    ClusterNctarank,
    IsExplicitCluster,
    /// The fourth element of those that have dimensions: always 0.
    Zero,
    /// Known by name; margay does not say what it holds.
    Other(&'static str),
}

impl SpecialValue {
    /// Whether it tells of the shared memory that the system keeps for itself.
    pub fn is_reserved_shared(self) -> bool {
        matches!(self, ReservedSmemBegin | ReservedSmemEnd | ReservedSmemCap | ReservedSmem(_))
    }
}

/// One row of the table of names.
struct Row {
    name: &'static str,
    dimensions: bool,
    bits: u32,
    floor: Floor,
    value: fn(u8) -> SpecialValue,
}

const fn row(name: &'static str, bits: u32, floor: Floor, value: fn(u8) -> SpecialValue) -> Row {
    Row { name, dimensions: false, bits, floor, value }
}

const fn vector(name: &'static str, floor: Floor, value: fn(u8) -> SpecialValue) -> Row {
    Row { name, dimensions: true, bits: 32, floor, value }
}

impl Row {
    /// The element of a dimension; there is nothing in the fourth.
    fn element(&self, dimension: usize) -> Special {
        let value = if dimension < 3 { (self.value)(dimension as u8) } else { Zero };
        Special { value, bits: self.bits }
    }
}

use SpecialValue::*;

/// What the elements are called, as coordinates and as colours; the manual has the first, ptxas takes both.
const MEMBERS: [[&str; 2]; 4] = [["x", "r"], ["y", "g"], ["z", "b"], ["w", "a"]];

static ROWS: &[Row] = &[
    vector("%tid", Floor::ZERO, Tid),
    vector("%ntid", Floor::ZERO, Ntid),
    vector("%ctaid", Floor::ZERO, Ctaid),
    vector("%nctaid", Floor::ZERO, Nctaid),
    row("%laneid", 32, Floor::new(1, 3, 10), |_| Laneid),
    row("%warpid", 32, Floor::new(1, 3, 10), |_| Warpid),
    row("%nwarpid", 32, Floor::new(2, 0, 20), |_| Nwarpid),
    row("%smid", 32, Floor::new(1, 3, 10), |_| Smid),
    row("%nsmid", 32, Floor::new(2, 0, 20), |_| Nsmid),
    row("%gridid", 64, Floor::new(1, 0, 10), |_| Gridid),
    row("%lanemask_eq", 32, Floor::new(2, 0, 20), |_| LanemaskEq),
    row("%lanemask_le", 32, Floor::new(2, 0, 20), |_| LanemaskLe),
    row("%lanemask_lt", 32, Floor::new(2, 0, 20), |_| LanemaskLt),
    row("%lanemask_ge", 32, Floor::new(2, 0, 20), |_| LanemaskGe),
    row("%lanemask_gt", 32, Floor::new(2, 0, 20), |_| LanemaskGt),
    row("%clock", 32, Floor::new(1, 0, 10), |_| Clock),
    row("%clock_hi", 32, Floor::new(5, 0, 20), |_| ClockHi),
    row("%clock64", 64, Floor::new(2, 0, 20), |_| Clock64),
    row("%globaltimer", 64, Floor::new(3, 1, 30), |_| Globaltimer),
    row("%globaltimer_lo", 32, Floor::new(3, 1, 30), |_| GlobaltimerLo),
    row("%globaltimer_hi", 32, Floor::new(3, 1, 30), |_| GlobaltimerHi),
    row("%dynamic_smem_size", 32, Floor::new(4, 1, 20), |_| DynamicSmemSize),
    row("%total_smem_size", 32, Floor::new(4, 1, 20), |_| TotalSmemSize),
    row("%aggr_smem_size", 32, Floor::new(8, 1, 90), |_| AggrSmemSize),
    vector("%clusterid", Floor::new(7, 8, 90), Clusterid),
    vector("%nclusterid", Floor::new(7, 8, 90), Nclusterid),
    vector("%cluster_ctaid", Floor::new(7, 8, 90), ClusterCtaid),
    vector("%cluster_nctaid", Floor::new(7, 8, 90), ClusterNctaid),
    row("%cluster_ctarank", 32, Floor::new(7, 8, 90), |_| ClusterCtarank),
    row("%cluster_nctarank", 32, Floor::new(7, 8, 90), |_| ClusterNctarank),
    row("%is_explicit_cluster", 1, Floor::new(7, 8, 90), |_| IsExplicitCluster),
    row("%reserved_smem_offset_begin", 32, Floor::new(7, 6, 80), |_| ReservedSmemBegin),
    row("%reserved_smem_offset_end", 32, Floor::new(7, 6, 80), |_| ReservedSmemEnd),
    row("%reserved_smem_offset_cap", 32, Floor::new(7, 6, 80), |_| ReservedSmemCap),
    row("%reserved_smem_offset_0", 32, Floor::new(7, 6, 80), |_| ReservedSmem(0)),
    row("%reserved_smem_offset_1", 32, Floor::new(7, 6, 80), |_| ReservedSmem(1)),
    row("%current_graph_exec", 64, Floor::new(8, 0, 50), |_| Other("%current_graph_exec")),
];

impl Special {
    /// The special register `name` (with its `%`), with its member for the ones that have dimensions, and its floor.
    ///
    /// ```
    /// use margay_isa::special::{Special, SpecialValue};
    /// assert_eq!(Special::parse("%tid", Some("y")).unwrap().0.value, SpecialValue::Tid(1));
    /// assert_eq!(Special::parse("%laneid", None).unwrap().0.bits, 32);
    /// assert!(Special::parse("%tid", Some("q")).is_none() && Special::parse("%r1", None).is_none());
    /// ```
    pub fn parse(name: &str, member: Option<&str>) -> Option<(Special, Floor)> {
        if let Some(found) = numbered(name).filter(|_| member.is_none()) {
            return Some(found);
        }
        let row = ROWS.iter().find(|r| r.name == name)?;
        let dimension = match (row.dimensions, member) {
            (false, None) => 0,
            (true, Some(member)) => MEMBERS.iter().position(|names| names.contains(&member))?,
            _ => return None,
        };
        Some((row.element(dimension), row.floor))
    }

    /// All four elements of a special register that has dimensions, and its floor.
    ///
    /// ```
    /// use margay_isa::special::{Special, SpecialValue};
    /// let (elements, _) = Special::elements("%tid").unwrap();
    /// assert_eq!(elements.map(|e| e.value), [SpecialValue::Tid(0), SpecialValue::Tid(1), SpecialValue::Tid(2), SpecialValue::Zero]);
    /// assert!(Special::elements("%laneid").is_none());
    /// ```
    pub fn elements(name: &str) -> Option<([Special; 4], Floor)> {
        let row = ROWS.iter().find(|row| row.name == name && row.dimensions)?;
        Some(([0, 1, 2, 3].map(|dimension| row.element(dimension)), row.floor))
    }

    /// Whether a name (with its `%`) is a special register's, whatever member is asked for.
    pub fn is_name(name: &str) -> bool {
        numbered(name).is_some() || ROWS.iter().any(|r| r.name == name)
    }

    /// The names of all special registers but the numbered ones, with their `%`.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ROWS.iter().map(|row| row.name)
    }

    /// The type of its value.
    pub fn ty(self) -> Ty {
        let kind = if self.bits == 1 { Kind::Predicate } else { Kind::Unsigned };
        Ty { kind, bits: self.bits, lanes: 1 }
    }
}

/// The special register that stands for a name of CUDA, with or without a `%` before it.
///
/// ```
/// use margay_isa::special::meant;
/// assert_eq!(meant("%threadIdx"), Some("%tid"));
/// assert_eq!(meant("tid"), None);
/// ```
#[must_use]
pub fn meant(name: &str) -> Option<&'static str> {
    let name = name.strip_prefix('%').unwrap_or(name);
    OTHER_NAMES.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, meant)| *meant)
}

/// What CUDA and other languages call special registers.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("threadIdx", "%tid"),
    ("blockIdx", "%ctaid"),
    ("blockDim", "%ntid"),
    ("gridDim", "%nctaid"),
    ("thread_idx", "%tid"),
    ("block_idx", "%ctaid"),
    ("block_dim", "%ntid"),
    ("grid_dim", "%nctaid"),
    ("warpSize", "WARP_SZ"),
    ("lane_id", "%laneid"),
    ("warp_id", "%warpid"),
    ("sm_id", "%smid"),
];

/// `%envreg0` to `%envreg31`; `%pm0` to `%pm7` and `%pm0_64` to `%pm7_64`: present, never the same value twice.
fn numbered(name: &str) -> Option<(Special, Floor)> {
    let below = |rest: &str, n: u32| rest.len() < 3 && rest.parse::<u32>().is_ok_and(|k| k < n);
    let other = |name, bits, floor| Some((Special { value: Other(name), bits }, floor));
    if let Some(rest) = name.strip_prefix("%envreg") {
        let number = rest.parse().ok().filter(|_| below(rest, ENVIRONMENT as u32))?;
        return Some((Special { value: Environment(number), bits: 32 }, Floor::new(2, 1, 10)));
    }
    let rest = name.strip_prefix("%pm")?;
    match rest.strip_suffix("_64") {
        Some(rest) => below(rest, 8).then(|| other("%pm_64", 64, Floor::new(4, 0, 50)))?,
        None => below(rest, 8).then(|| other("%pm", 32, Floor::new(1, 3, 10)))?,
    }
}
