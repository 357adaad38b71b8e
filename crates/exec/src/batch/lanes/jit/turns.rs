//! Many turns of a run for each round of groups: what turns carry stays in registers, and is loaded before the first and stored after the
//! last one.

use crate::batch::lanes::Place;
use crate::batch::lanes::jit::lowering::{Around, Lowering};
use crate::batch::lanes::jit::machine::{Arg, Carried, Instr, Kind, Memory, Reg, Turns};
use crate::batch::lanes::jit::nan::{canonical, canonical_of_bits};
use foldhash::{HashMap, HashSet};
use iced_x86::Code;
use margay_isa::uop::Type;

impl Lowering<'_> {
    /// What turns find at a place that they read before they write it: loaded before the first one.
    pub(super) fn begin_with(&mut self, place: Place, memories: Vec<Memory>) -> Vec<Reg> {
        let regs: Vec<Reg> = memories.into_iter().map(|memory| self.load(memory)).collect();
        let loads = self.body.instrs.split_off(self.body.instrs.len() - regs.len());
        let Some(around) = &mut self.turns else { return regs };
        around.enter.extend(loads);
        around.entered.push((place, regs.clone()));
        if !around.raw.contains(&place.line) {
            return regs;
        }
        // In the first turn it may be any bits.
        let made: Vec<Reg> = regs.into_iter().map(|reg| canonical_of_bits(self, reg)).collect();
        if let Some(around) = &mut self.turns {
            around.canonical.extend(made.iter().map(|reg| (place.line, *reg)));
        }
        made
    }

    /// The lines of floating-point results that a turn begins with and does not read as numbers alone, when what is not used has been
    /// dropped.
    pub(super) fn read_as_bits(&self) -> Vec<u32> {
        let canonical = self.turns.iter().flat_map(|around| &around.canonical);
        let is_made = |reg: Reg| self.body.instrs.iter().any(|instr| instr.sets() == Some(reg));
        canonical.filter(|(_, reg)| is_made(*reg)).map(|(line, _)| *line).collect()
    }

    /// Ends a turn, if there are many: what the next one begins with, and what is stored after the last one.
    /// None if what was known of them does not hold.
    pub(super) fn end_turn(&mut self) -> Option<()> {
        let Some(Around { raw: known, canonical: of_known, entered, enter }) = self.turns.take() else {
            return Some(());
        };
        let mut raw = HashSet::default();
        let last: HashMap<u32, (Place, bool, Type)> = self
            .run
            .items
            .iter()
            .map(|item| (item.to().line, (item.to(), item.lasts, item.result())))
            .collect();
        let mut carried = Vec::new();
        // The registers that hold, after the last turn, what is stored.
        let mut stored: HashMap<u32, Vec<Reg>> = HashMap::default();
        for (place, begins) in entered {
            let Some((_, _, ty)) = last.get(&place.line) else {
                // What nothing changes lies where it was loaded from.
                carried.extend(begins.iter().map(|reg| Carried { begins: *reg, ends: *reg }));
                continue;
            };
            let ends = self.left(place, *ty, &known, &mut raw)?;
            begins.iter().for_each(|begins| self.body.homes[begins.0 as usize] = None);
            carried.extend(pairs(&begins, &ends));
            stored.insert(place.line, begins);
        }
        let mut lasting: Vec<(Place, Type)> =
            last.values().filter(|(_, lasts, _)| *lasts).map(|(place, _, ty)| (*place, *ty)).collect();
        lasting.sort_by_key(|(place, _)| place.line);
        for (place, ty) in &lasting {
            if stored.contains_key(&place.line) {
                continue;
            }
            let ends = self.left(*place, *ty, &known, &mut raw)?;
            let begins: Vec<Reg> = ends.iter().map(|_| self.body.reg(Kind::Vector)).collect();
            carried.extend(pairs(&begins, &ends));
            stored.insert(place.line, begins);
        }
        let turn = std::mem::take(&mut self.body.instrs);
        // Constants that a turn has loaded lie nowhere after it.
        self.lines.clear();
        for (place, _) in lasting {
            for (half, reg) in stored[&place.line].clone().into_iter().enumerate() {
                let reg = if known.contains(&place.line) { canonical(self, reg) } else { reg };
                let memory = self.memory(place, half, true);
                self.store_at(memory, reg);
            }
        }
        let leave = std::mem::take(&mut self.body.instrs);
        if let Some(again) = self.run.again {
            let running = *stored.get(&again.line)?.first()?;
            let mask = self.emit(Code::EVEX_Vpmovd2m_kr_zmm, &[Arg::Whole(running)]);
            let mask = Some(Arg::Whole(mask));
            let (code, from) = (Code::VEX_Kortestw_kr_kr, [mask, mask, None]);
            self.body.instrs.push(Instr { code, to: None, onto: None, from, by: None, zeroes: false });
        }
        let asking = std::mem::replace(&mut self.body.instrs, turn);
        self.body.turns = Some(Turns { enter, carried, asking, leave });
        self.turns = Some(Around { canonical: of_known, ..Around::new(raw) });
        Some(())
    }

    /// The registers that hold what a place is left with: as many as a group has there. Notes whether that may be raw, and gives what is
    /// where that is known.
    fn left(
        &mut self,
        place: Place,
        ty: Type,
        known: &HashSet<u32>,
        raw: &mut HashSet<u32>,
    ) -> Option<Vec<Reg>> {
        let word = match (ty, place.step()) {
            (Type::Pred | Type::U32, _) => self.word(place),
            (Type::U64, 0) => return Some(vec![self.wide(place)[0]]),
            (Type::U64, _) => return Some(self.wide(place).to_vec()),
        };
        let any = self.raws.get(&word).copied();
        raw.extend(any.map(|_| place.line));
        Some(vec![if known.contains(&place.line) { any? } else { word }])
    }
}

fn pairs<'r>(begins: &'r [Reg], ends: &'r [Reg]) -> impl Iterator<Item = Carried> + 'r {
    begins.iter().zip(ends).map(|(begins, ends)| Carried { begins: *begins, ends: *ends })
}
