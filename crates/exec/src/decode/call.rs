//! Calls: what is called, and where arguments and results lie for the caller and for the function.

use super::{Decoder, mask, shape};
use crate::code::{Action, Call, Callee, Source, Spot, Target};
use crate::reach;
use margay_front::module::{FunctionId, Operand, Parameter, RegisterId, Space, Symbol};
use margay_front::provided::provided;
use margay_isa::{Bits, Inst, Kind, Role, Ty};

impl Decoder<'_> {
    pub(super) fn branch_indexed(&self, inst: &Inst, operands: &[Operand]) -> Result<Action, String> {
        let [index, Operand::Vector(labels)] = operands else { return Err(shape(inst)) };
        let word = Ty { kind: Kind::Unsigned, bits: 32, lanes: 1 };
        let targets = labels.iter().filter_map(|label| match label {
            Operand::Label(target) => Some(target.0),
            _ => None,
        });
        Ok(Action::BranchIndexed(Box::new((self.source(index, word)?, targets.collect()))))
    }

    pub(super) fn call(&self, inst: &Inst, operands: &[Operand]) -> Result<Action, String> {
        let (mut arguments, mut results, mut callee, mut listed) = (Vec::new(), Vec::new(), None, None);
        for (template, operand) in inst.line().operands.iter().zip(operands) {
            let result = inst.page().operand(template.name).is_some_and(|o| o.role == Role::Destination);
            match operand {
                Operand::Vector(items) if template.list && result => {
                    results = items.iter().map(|item| self.spot(item)).collect::<Result<_, _>>()?;
                }
                Operand::Vector(items) if template.list => {
                    arguments = items.iter().map(|item| self.spot(item)).collect::<Result<_, _>>()?;
                }
                Operand::Symbol(Symbol::Function(id), _) => {
                    let number = self.number(*id);
                    let function = &self.module.functions()[number as usize];
                    callee = Some(provided(function).map_or(Callee::Named(number), Callee::Provided));
                }
                Operand::Register(id) => callee = Some(Callee::At(self.register(*id, 64), None)),
                Operand::Vector(functions) => {
                    let numbers = functions.iter().filter_map(|function| match function {
                        Operand::Symbol(Symbol::Function(id), _) => Some(self.number(*id)),
                        _ => None,
                    });
                    listed = Some(numbers.collect());
                }
                Operand::Prototype(_) => {}
                _ => return Err(shape(inst)),
            }
        }
        if let Some(Callee::At(_, functions)) = &mut callee {
            *functions = listed;
        }
        let callee = callee.ok_or_else(|| shape(inst))?;
        Ok(Action::Call(Box::new(Call { callee, arguments, results })))
    }

    fn number(&self, id: FunctionId) -> u32 {
        reach::resolve(self.module, id).0
    }

    /// An argument or result as the caller has it.
    fn spot(&self, operand: &Operand) -> Result<Spot, String> {
        Ok(match operand {
            Operand::Sink => Spot::Nothing,
            Operand::Register(id) => self.register_spot(*id),
            Operand::Immediate(bits) => {
                Spot::Value { source: Source::Constant(bits.bits()), target: Target::Sink, bytes: 16 }
            }
            Operand::Symbol(Symbol::Variable(id), 0) => {
                let home = self.frame.home(*id).filter(|home| home.space == Space::Local);
                let home = home.ok_or("a parameter of the kernel itself as an argument")?;
                Spot::Memory { at: home.address, bytes: self.module.variable(*id).size }
            }
            _ => return Err("an operand that cannot be passed".into()),
        })
    }

    fn register_spot(&self, id: RegisterId) -> Spot {
        let (slot, width) = (self.slots[id.0 as usize], self.width(id));
        let target = match width {
            0..=64 => Target::Register { slot, spread: 0, mask: mask(width) },
            _ => Target::Wide { slot, spread: 0, mask: Bits::MAX },
        };
        Spot::Value { source: self.register(id, width), target, bytes: u64::from(width.div_ceil(8)) }
    }

    /// Where the function itself has its parameters or results.
    pub(super) fn declared(&self, list: &[Parameter]) -> Vec<Spot> {
        let spot = |p: &Parameter| match (p.register, p.variable.and_then(|id| self.frame.home(id))) {
            (Some(id), _) => self.register_spot(id),
            (None, Some(home)) => Spot::Memory { at: home.address, bytes: p.size },
            (None, None) => Spot::Nothing,
        };
        list.iter().map(spot).collect()
    }
}
