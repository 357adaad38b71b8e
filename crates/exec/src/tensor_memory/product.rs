//! Products into tensor memory, of the matrices of one block or of a pair of them (manual, 9.7.16.10).

use super::{Refused, TensorMemory};
use margay_isa::Chunk;
use margay_isa::tensor_memory::{Block, Cell, Multiplication, Multiply, Packed, QUARTER, Sources};
use std::ops::Range;
use std::slice::from_mut;
use std::sync::Arc;

/// Words of a row of A.
const WORDS: usize = size_of::<Packed>() / size_of::<u32>();

/// A product whose matrices have been read.
pub(crate) struct Begun {
    pub(crate) product: Multiplication,
    pub(crate) block: Arc<Block>,
    pub(crate) a: Vec<Packed>,
    pub(crate) b: Vec<Packed>,
    scales: [Vec<u64>; 2],
    /// What is added, and then D; row by row.
    pub(crate) d: Vec<u32>,
    sources: Sources,
}

impl Begun {
    /// Multiplies with the instructions that every machine has.
    pub(crate) fn carry_out(&mut self) {
        let [of_a, of_b] = &self.scales;
        self.product.carry_out(&self.block, [&self.a, &self.b], [of_a, of_b], &mut self.d);
    }
}

impl TensorMemory {
    /// Reads the matrices of a product of one block, if D may be written.
    pub(crate) fn begin<E>(
        &mut self,
        multiply: &Multiply,
        values: &[u64],
        mut read: impl FnMut(&[u64]) -> Result<Vec<Chunk>, E>,
    ) -> Result<Begun, Refused<E>> {
        begin(from_mut(self), multiply, values, |_, addresses| read(addresses))
    }

    /// Writes D.
    pub(crate) fn end(&mut self, begun: Begun) {
        end(from_mut(self), begun);
    }

    /// The product of a block of D, made ready.
    fn block(&mut self, multiply: &Multiply, product: &Multiplication) -> Arc<Block> {
        const MOST: usize = 16;
        if let Some((_, block)) = self.blocks.iter().find(|(form, _)| form == product.form()) {
            return block.clone();
        }
        let block = Arc::new(multiply.block(product));
        self.blocks.truncate(MOST - 1);
        self.blocks.push((*product.form(), block.clone()));
        block
    }

    /// Refuses rows of D or A that are not there, or not taken.
    fn allowed_rows(
        &self,
        who: &str,
        product: &Multiplication,
        first: Cell,
        columns: usize,
    ) -> Result<(), String> {
        if !product.may_begin_at(first.lane) {
            let rows = product.size().0;
            let may = if product.may_begin_at(16) { "0 or 16" } else { "0" };
            return Err(format!(
                "{who}, of {rows} rows, begins at lane {} of tensor memory, and must begin at {may}",
                first.lane
            ));
        }
        self.allowed(who, first, product.lanes() as u32, columns as u32)
    }

    /// Refuses scales, the last of which lies there counted from the first, that are not there, or not taken.
    fn allowed_scales(&self, who: &str, first: Cell, last: Cell) -> Result<(), String> {
        self.allowed(who, first, (last.lane + 1).next_multiple_of(QUARTER as u32), last.column + 1)
    }

    fn word(&self, first: Cell, on: Cell) -> u32 {
        self.row(first.plus(on.lane, on.column), 1)[0]
    }
}

/// Reads the matrices of a product, of one block or of a pair, if D may be written in the memory of each. `read` tells what one of them has at
/// addresses of its shared memory.
pub(crate) fn begin<E>(
    memories: &mut [TensorMemory],
    multiply: &Multiply,
    values: &[u64],
    mut read: impl FnMut(usize, &[u64]) -> Result<Vec<Chunk>, E>,
) -> Result<Begun, Refused<E>> {
    if memories.len() != multiply.ctas() {
        return Err(Refused::Told("a pair of CTAs of a cluster is needed".into()));
    }
    let sources = multiply.sources(values);
    let product = multiply.said(sources.instruction).map_err(|wrong| {
        format!("of the descriptor of the instruction, {:#010x}: {wrong}", sources.instruction)
    })?;
    let (m, n) = product.size();
    let rows = m / memories.len();
    let in_tensor_memory = multiply.holds_a().then(|| Cell::of(sources.a as u32));
    for memory in &*memories {
        memory.allowed_rows("D", &product, sources.d, product.run())?;
        if product.has_scales() {
            memory.allowed_scales("what scales A", sources.scales[0], product.scales_of_row(rows - 1))?;
            memory.allowed_scales("what scales B", sources.scales[1], product.scales_of_column(n - 1))?;
        }
        in_tensor_memory.map_or(Ok(()), |first| memory.allowed_rows("A", &product, first, WORDS))?;
    }
    let of = |name: &str, wrong| format!("of the descriptor of {name}, {wrong}");
    let mut addresses = Vec::new();
    if in_tensor_memory.is_none() {
        product.chunks_of_a(sources.a, &mut addresses).map_err(|wrong| of("A", wrong))?;
    }
    let of_a = addresses.len();
    product.chunks_of_b(sources.b, &mut addresses).map_err(|wrong| of("B", wrong))?;
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for (cta, memory) in memories.iter().enumerate() {
        let chunks = read(cta, &addresses).map_err(Refused::Unread)?;
        match in_tensor_memory {
            // Where halves of the lanes have other columns of D, the second has a copy of A.
            Some(first) => a.extend((0..rows).map(|i| {
                let from = first.plus(product.cell(i, 0).1.lane, 0);
                product.row_of_a(memory.row(from, WORDS).as_chunks().0[0])
            })),
            None => a.extend(product.a(&chunks[..of_a])),
        }
        b.extend(product.b(&chunks[of_a..]));
    }
    let scales = if product.has_scales() { scales(memories, &product, &sources) } else { Default::default() };
    let mut d = vec![0; m * n];
    if sources.adds {
        for (cta, cell, to) in runs(&product) {
            let from = sources.d.plus(cell.lane, cell.column);
            d[to.clone()].copy_from_slice(memories[cta].row(from, to.len()));
        }
        product.divide(&mut d, &sources);
    }
    let block = memories[0].block(multiply, &product);
    Ok(Begun { product, block, a, b, scales, d, sources })
}

/// Writes D in the memories of one block or of a pair.
pub(crate) fn end(memories: &mut [TensorMemory], Begun { product, d, sources, .. }: Begun) {
    for (cta, cell, from) in runs(&product) {
        let to = sources.d.plus(cell.lane, cell.column);
        if sources.kept[cta] >> to.lane & 1 == 0 {
            memories[cta].row_mut(to, from.len()).copy_from_slice(&d[from]);
        }
    }
}

/// Elements of D that lie side by side: which of the blocks has them, where counted from the first lane and column, and which they are.
fn runs(product: &Multiplication) -> impl Iterator<Item = (usize, Cell, Range<usize>)> {
    let ((m, n), run) = (product.size(), product.run());
    let firsts = (0..m).flat_map(move |i| (0..n).step_by(run).map(move |j| (i, j)));
    firsts.map(move |(i, j)| {
        let (cta, cell) = product.cell(i, j);
        (cta, cell, i * n + j..i * n + j + run)
    })
}

/// The scales of A, and those of B for the rows of each block.
fn scales(memories: &[TensorMemory], product: &Multiplication, sources: &Sources) -> [Vec<u64>; 2] {
    let (m, n) = product.size();
    let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
    for memory in memories {
        let rows = 0..m / memories.len();
        of_a.extend(rows.map(|i| memory.word(sources.scales[0], product.scales_of_row(i))));
        of_b.extend((0..n).map(|j| memory.word(sources.scales[1], product.scales_of_column(j))));
    }
    [product.scales(&of_a, false), product.scales(&of_b, true)]
}
