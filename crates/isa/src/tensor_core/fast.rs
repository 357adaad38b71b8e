//! Whole products, fast: what the specification gives, with every factor taken apart once, and many rows at a time.

use super::architecture::{Method, Sum, arithmetic};
use super::form::Form;
use super::fused::GROUP;
use super::registers::Spread;
use super::sums::Sums;
use super::tile::Tile;
use super::workspace::{LANES, Lined, Workspace};
use super::{groups, multiply_add, plain};
use crate::float::Mode;
use crate::floor::Target;
use crate::shape::MatrixShape;
use crate::types::Bits;
use crate::words::Word;

/// The deepest product of integers.
const DEEPEST_OF_INTEGERS: usize = 128;

/// A product as a device computes it, ready to be carried out on many matrices.
///
/// ```
/// use margay_isa::{MatrixShape, Word, tensor_core::{Form, Multiplier}};
/// let form = Form::plain(MatrixShape { m: 16, n: 8, k: 16 }, [Word::F32, Word::F16, Word::F16, Word::F32]);
/// let multiplier = Multiplier::new(&form, "sm_80".parse().unwrap());
/// let mut d = [0; 16 * 8];
/// multiplier.multiply_add(&[0x3c00; 16 * 16], &[0x4000; 8 * 16], [&[], &[]], &mut d);
/// assert_eq!(d, [0x4200_0000; 16 * 8]);
/// ```
#[derive(Clone, Copy)]
pub struct Multiplier {
    form: Form,
    device: Target,
    way: Way,
}

/// How it is computed.
#[derive(Clone, Copy)]
enum Way {
    /// Element by element, by the specification.
    Elements,
    Integers,
    Ones,
    Scalars,
    Sums(Sums),
    Groups(Sum),
    Chain,
}

impl Multiplier {
    /// That of a form on a device.
    pub fn new(form: &Form, device: Target) -> Multiplier {
        let way = match arithmetic(form, device).method {
            Method::Integers => Way::Integers,
            Method::Ones => Way::Ones,
            Method::Chain if form.rounding == Mode::Nearest => Way::Chain,
            Method::Scalars if form.a == Word::F16 && form.b == Word::F16 => Way::Scalars,
            Method::Sums(sum) => Way::Sums(Sums::new(form, sum, false, false)),
            Method::Halves(sum) if form.c == form.d => Way::Sums(Sums::new(form, sum, true, false)),
            Method::Scaled(sum) if form.scales == Word::Ue8m0 => Way::Sums(Sums::new(form, sum, false, true)),
            Method::ScaledGroups(sum) => Way::Groups(sum),
            _ => Way::Elements,
        };
        Multiplier { form: *form, device, way }
    }

    /// That of so many rows and columns, if these are added as all are.
    pub(super) fn of_size(&self, m: u16, n: u16) -> Option<Multiplier> {
        let form = Form { shape: MatrixShape { m, n, ..self.form.shape }, ..self.form };
        let method = |form: &Form| arithmetic(form, self.device).method;
        (method(&form) == method(&self.form)).then(|| Multiplier::new(&form, self.device))
    }

    /// D = A·B + C in place of C. `a` holds row after row, `b` column after column, `c` row after row again, each element as
    /// [`multiply_add`](super::multiply_add) takes it; `scales` are those of row after row and of column after column.
    ///
    /// There are as many rows and columns as the form's shape has, and all are equally deep.
    ///
    /// # Panics
    /// If the lengths do not fit each other and the shape.
    pub fn multiply_add(&self, a: &[u64], b: &[u64], scales: [&[u64]; 2], c: &mut [u64]) {
        self.multiply_add_in(&mut Workspace::new(), a, b, scales, c);
    }

    /// The same in room that is there.
    ///
    /// # Panics
    /// If the lengths do not fit each other and the shape.
    pub fn multiply_add_in(
        &self,
        work: &mut Workspace,
        a: &[u64],
        b: &[u64],
        scales: [&[u64]; 2],
        c: &mut [u64],
    ) {
        let (m, n) = (usize::from(self.form.shape.m), usize::from(self.form.shape.n));
        let depth = a.len() / m;
        assert!(
            a.len() == m * depth && b.len() == n * depth && c.len() == m * n,
            "matrices of other sizes than the shape's"
        );
        // Single bits come in words, which are taken by their halves.
        let parts = if self.form.a == Word::B1 { 2 } else { 1 };
        if let Some(lined) = self.lined(m, n, depth * parts) {
            let (rows, columns) = if lined.swapped { (b, a) } else { (a, b) };
            let word = |all: &[u64], line: usize, k: usize| {
                (all[line * depth + k / parts] >> (32 * (k % parts))) as u32
            };
            let count = lined.blocks * LANES;
            for (row, k) in (0..count).flat_map(|row| (0..lined.depth).map(move |k| (row, k))) {
                let (block, lane) = (row / LANES, row % LANES);
                work.along[(block * lined.depth + k) * LANES + lane] = word(rows, row, k);
            }
            for (column, k) in (0..lined.columns).flat_map(|n| (0..lined.depth).map(move |k| (n, k))) {
                work.across[k * lined.columns + column] = word(columns, column, k);
            }
            let place = |at: usize| {
                let (row, column) = if lined.swapped { (at % n, at / n) } else { (at / n, at % n) };
                let (block, lane) = (row / LANES, row % LANES);
                (block * lined.columns + column) * LANES + lane
            };
            c.iter().enumerate().for_each(|(at, c)| work.sums[place(at)] = *c as u32);
            self.multiply_lines(&lined, scales, work);
            c.iter_mut().enumerate().for_each(|(at, c)| *c = work.sums[place(at)].into());
            return;
        }
        for at in 0..m * n {
            let d = match &self.way {
                Way::Chain => {
                    plain::chain(&a[at / n * depth..][..depth], &b[at % n * depth..][..depth], c[at])
                }
                Way::Groups(sum) if depth <= groups::DEEPEST && depth.is_multiple_of(GROUP) => {
                    let row = groups::Blocks::of(&self.form, a, scales[0], m, at / n);
                    let column = groups::Blocks::of(&self.form, b, scales[1], n, at % n);
                    groups::add(sum, row, column, c[at] as u32).map(u64::from)
                }
                _ => None,
            };
            c[at] = d.unwrap_or_else(|| self.element(a, b, scales, at, c[at]));
        }
    }

    /// How matrices of so many rows, columns and elements in a row lie for [`multiply_lines`](Multiplier::multiply_lines), which not
    /// all products have.
    pub(crate) fn lined(&self, m: usize, n: usize, depth: usize) -> Option<Lined> {
        let takes = match self.way {
            Way::Integers => depth <= DEEPEST_OF_INTEGERS,
            Way::Ones => true,
            Way::Scalars => depth == 4,
            Way::Sums(sums) => sums.takes(depth),
            Way::Elements | Way::Groups(_) | Way::Chain => false,
        };
        Lined::new(m, n, depth).filter(|_| takes)
    }

    /// The tile of matrices that lie so in registers, if they do.
    pub(super) fn tile(&self, matrices: [&Spread; 4]) -> Option<Tile> {
        Tile::of(&self.form, self.device, matrices)
    }

    /// D in place of C, of matrices that lie in lines.
    #[inline(always)]
    pub(crate) fn multiply_lines(&self, lined: &Lined, scales: [&[u64]; 2], work: &mut Workspace) {
        let odd = match &self.way {
            Way::Sums(sums) => sums.multiply(lined, scales, work),
            Way::Scalars => plain::scalars(&self.form, lined, work),
            Way::Integers => {
                plain::integers(&self.form, lined, work);
                false
            }
            Way::Ones => {
                plain::ones(&self.form, lined, work);
                false
            }
            Way::Elements | Way::Groups(_) | Way::Chain => false,
        };
        if odd {
            self.odd_elements(lined, scales, work);
        }
    }

    /// The elements of which the fast way says nothing, by the specification.
    #[cold]
    #[inline(never)]
    fn odd_elements(&self, lined: &Lined, scales: [&[u64]; 2], work: &mut Workspace) {
        let (depth, columns) = (lined.depth, lined.columns);
        let part = |scales: &[u64], line: usize, of: usize| -> Vec<Bits> {
            scales[line * (scales.len() / of)..][..scales.len() / of].iter().map(|s| Bits::from(*s)).collect()
        };
        for (block, n) in (0..lined.blocks).flat_map(|block| (0..columns).map(move |n| (block, n))) {
            for lane in 0..LANES {
                let at = (block * columns + lined.sums_line(n)) * LANES + lane;
                if work.odd[at] == 0 {
                    continue;
                }
                let line = |k: usize| lined.line(k);
                let row = |k: usize| work.along[(block * depth + line(k)) * LANES + lane].into();
                let column = |k: usize| work.across[line(k) * columns + n].into();
                let (row, column): (Vec<Bits>, Vec<Bits>) =
                    ((0..depth).map(row).collect(), (0..depth).map(column).collect());
                let (rows, c) = (block * LANES + lane, work.sums[at].into());
                let (a, b, at_a, at_b) =
                    if lined.swapped { (&column, &row, n, rows) } else { (&row, &column, rows, n) };
                let (m, n) = (usize::from(self.form.shape.m), usize::from(self.form.shape.n));
                let scales = [part(scales[0], at_a, m), part(scales[1], at_b, n)];
                let scales = [&scales[0][..], &scales[1][..]];
                work.sums[at] = multiply_add(&self.form, self.device, a, b, scales, c) as u32;
            }
        }
    }

    /// One element, by the specification.
    #[cold]
    fn element(&self, a: &[u64], b: &[u64], scales: [&[u64]; 2], at: usize, c: u64) -> u64 {
        let (m, n) = (usize::from(self.form.shape.m), usize::from(self.form.shape.n));
        let wide = |all: &[u64], of: usize, k: usize| -> Vec<Bits> {
            all[k * (all.len() / of)..][..all.len() / of].iter().map(|bits| Bits::from(*bits)).collect()
        };
        let (row, column) = (at / n, at % n);
        let scales = [wide(scales[0], m, row), wide(scales[1], n, column)];
        let scales = [&scales[0][..], &scales[1][..]];
        multiply_add(&self.form, self.device, &wide(a, m, row), &wide(b, n, column), scales, c.into()) as u64
    }
}
