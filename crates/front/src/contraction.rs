//! Products that may be added without being rounded, found as ptxas 13.5 finds them: block by block, where nothing else reads them.

mod choice;

use crate::check::written::blocks::Blocks;
use crate::check::written::exposed;
use crate::check::written::uses::{self, Use};
use crate::module::{Function, Instruction, InstructionId, Operand, RegisterId};
use margay_isa::{Meaning, Part, Semantics};
use std::collections::{HashMap, HashSet};

/// A product and a sum of which it is an operand, which may become one instruction that rounds once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contraction {
    /// The instruction that multiplies.
    pub product: InstructionId,
    /// The instruction that adds or subtracts.
    pub sum: InstructionId,
    /// Which operand of the sum the product is: 0 for `a`, 1 for `b`.
    pub side: usize,
    /// Whether its sign is changed on the way.
    pub negated: bool,
    /// Whether `a` and `b` of the product are written between the two.
    pub changed: [bool; 2],
}

/// What may be contracted in a function, in the order of the sums.
///
/// ```
/// let module = margay_front::compile(
///     ".version 8.0 .target sm_90 .address_size 64
///      .entry k(.param .u64 p) {
///          .reg .f32 %f<5>; .reg .b64 %rd;
///          ld.param.u64 %rd, [p];
///          ld.global.f32 %f1, [%rd];
///          mul.f32 %f2, %f1, %f1;
///          add.f32 %f3, %f1, %f2;
///          mul.rn.f32 %f4, %f3, %f1;
///          add.f32 %f4, %f4, %f1;
///          st.global.f32 [%rd], %f4;
///      }",
/// )
/// .unwrap();
/// let found = margay_front::contractions(module.function(module.entry("k").unwrap()));
/// assert_eq!(found.len(), 1);
/// assert_eq!((found[0].product.0, found[0].sum.0, found[0].side), (2, 3, 1));
/// ```
pub fn contractions(function: &Function) -> Vec<Contraction> {
    let is = |wanted: fn(Part) -> bool| {
        function.code.iter().any(|instruction| instruction.inst.part().is_some_and(wanted))
    };
    if !is(|part| part == Part::Product) || !is(|part| matches!(part, Part::Sum | Part::Difference)) {
        return Vec::new();
    }
    let flow = Flow::of(function);
    let mut found = Vec::new();
    for block in (0..flow.blocks.count() as u32).filter(|block| flow.blocks.is_reached(*block)) {
        found.extend(choice::choose(&flow.products(block)));
    }
    found
}

/// A product of a block.
struct Product {
    at: u32,
    uses: Vec<Taken>,
    /// Whether something else reads it.
    lost: bool,
}

/// A product as an operand of a sum.
#[derive(Clone, Copy)]
struct Taken {
    sum: u32,
    side: usize,
    negated: bool,
    changed: [bool; 2],
}

/// A register that holds a product, and whether its sign is changed.
#[derive(Clone, Copy)]
struct Held {
    product: usize,
    negated: bool,
}

/// What is known of a function as a whole.
struct Flow<'f> {
    function: &'f Function,
    blocks: Blocks,
    /// Registers that a block reads before it writes them.
    reads: HashSet<(RegisterId, u32)>,
    writes: HashSet<(RegisterId, u32)>,
    /// Instructions that only compute what nothing needs.
    dead: Vec<bool>,
    /// Registers that are read before they are written in some block.
    crosses: Vec<bool>,
}

impl<'f> Flow<'f> {
    fn of(function: &'f Function) -> Flow<'f> {
        let blocks = Blocks::of(function, |_| false);
        let mut unknown = vec![false; function.registers.len()];
        let (reads, writes) = exposed::scan(function, &blocks, &mut unknown);
        let dead = needless(function);
        let mut crosses = unknown;
        reads.iter().for_each(|(id, _)| crosses[id.0 as usize] = true);
        function
            .returns
            .iter()
            .filter_map(|given| given.register)
            .for_each(|id| crosses[id.0 as usize] = true);
        let [reads, writes] = [reads, writes].map(|places| places.into_iter().collect());
        Flow { function, blocks, reads, writes, dead, crosses }
    }

    /// The products of a block with all that becomes of them.
    fn products(&self, block: u32) -> Vec<Product> {
        let mut products: Vec<Product> = Vec::new();
        let mut held: HashMap<RegisterId, Held> = HashMap::new();
        let mut written: HashMap<RegisterId, u32> = HashMap::new();
        for at in self.blocks.code(block) {
            let instruction = &self.function.code[at as usize];
            let part = instruction.inst.part();
            let mut becomes = None;
            match (part, &*instruction.operands) {
                _ if self.dead[at as usize] => {}
                (Some(Part::Sum | Part::Difference), [_, a, b]) => {
                    self.add(at, [a, b], &held, &written, &mut products);
                }
                (Some(Part::Negation | Part::Copy), [Operand::Register(d), a])
                    if instruction.guard.is_none() =>
                {
                    let from = self.product(a, &held, instruction, &mut products);
                    let negates = part == Some(Part::Negation);
                    becomes = from.map(|from| (*d, Held { negated: from.negated != negates, ..from }));
                }
                _ => uses::each(instruction, &mut |role, id| {
                    if let (Use::Read | Use::Unknown, Some(held)) = (role, held.get(&id)) {
                        products[held.product].lost = true;
                    }
                }),
            }
            uses::each(instruction, &mut |role, id| {
                if role != Use::Read {
                    let old = held.remove(&id);
                    // Where the guard is false the product stays.
                    if let (Some(old), true) = (old, instruction.guard.is_some()) {
                        products[old.product].lost = true;
                    }
                    written.insert(id, at);
                }
            });
            if let (Some(Part::Product), None, [Operand::Register(d), ..]) =
                (part, instruction.guard, &*instruction.operands)
            {
                becomes = Some((*d, Held { product: products.len(), negated: false }));
                products.push(Product { at, uses: Vec::new(), lost: false });
            }
            held.extend(becomes);
        }
        for (id, held) in held {
            products[held.product].lost |= self.lives(id, block);
        }
        products
    }

    /// The product that an operand holds, if it goes unrounded into the instruction; else it is lost.
    fn product(
        &self,
        operand: &Operand,
        held: &HashMap<RegisterId, Held>,
        reader: &Instruction,
        products: &mut [Product],
    ) -> Option<Held> {
        let Operand::Register(id) = operand else { return None };
        let found = *held.get(id)?;
        let product = &mut products[found.product];
        let fits = reader.inst.takes_unrounded(&self.function.code[product.at as usize].inst);
        product.lost |= !fits;
        fits.then_some(found)
    }

    fn add(
        &self,
        at: u32,
        sides: [&Operand; 2],
        held: &HashMap<RegisterId, Held>,
        written: &HashMap<RegisterId, u32>,
        products: &mut [Product],
    ) {
        let sum = &self.function.code[at as usize];
        let found = sides.map(|side| self.product(side, held, sum, products));
        if let [Some(a), Some(b)] = found
            && a.product == b.product
        {
            products[a.product].lost = true;
            return;
        }
        for (side, held) in found.into_iter().enumerate() {
            let Some(Held { product, negated }) = held else { continue };
            let made = products[product].at;
            let since = |operand: Option<&Operand>| match operand {
                Some(Operand::Register(id)) => written.get(id).is_some_and(|last| *last >= made),
                _ => false,
            };
            let operands = &self.function.code[made as usize].operands;
            let changed = [since(operands.get(1)), since(operands.get(2))];
            products[product].uses.push(Taken { sum: at, side, negated, changed });
        }
    }

    /// Whether what a register holds at the end of a block may be read in another.
    fn lives(&self, id: RegisterId, block: u32) -> bool {
        if !self.crosses[id.0 as usize] {
            return false;
        }
        if self.function.returns.iter().any(|given| given.register == Some(id)) {
            return true;
        }
        let (mut seen, mut open) = (HashSet::new(), vec![block]);
        while let Some(block) = open.pop() {
            for next in self.blocks.after(block).iter().map(|edge| edge.to) {
                if self.reads.contains(&(id, next)) {
                    return true;
                }
                if !self.writes.contains(&(id, next)) && seen.insert(next) {
                    open.push(next);
                }
            }
        }
        false
    }
}

/// The instructions that only compute, and only for each other.
fn needless(function: &Function) -> Vec<bool> {
    let mut writers: Vec<Vec<u32>> = vec![Vec::new(); function.registers.len()];
    let mut dead = vec![true; function.code.len()];
    let mut open: Vec<u32> = Vec::new();
    let returned = function.returns.iter().filter_map(|given| given.register);
    let mut needed: Vec<RegisterId> = returned.collect();
    for (at, instruction) in (0u32..).zip(&function.code) {
        uses::each(instruction, &mut |role, id| {
            if role != Use::Read {
                writers[id.0 as usize].push(at);
            }
        });
        let meaning = instruction.inst.meaning(Semantics::Manual);
        let pure = matches!(meaning, Meaning::Spec(_) | Meaning::Stages(_) | Meaning::Many(_));
        if !pure || instruction.inst.writes_carry() {
            open.push(at);
        }
    }
    loop {
        while let Some(id) = needed.pop() {
            open.append(&mut writers[id.0 as usize]);
        }
        let Some(at) = open.pop() else { return dead };
        if std::mem::replace(&mut dead[at as usize], false) {
            uses::each(&function.code[at as usize], &mut |role, id| {
                if role != Use::Write {
                    needed.push(id);
                }
            });
        }
    }
}
