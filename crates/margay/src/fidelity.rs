//! What stands behind the results of what a launch executed: for people as a list, for programs as JSON.

use std::fmt;

use margay_exec as exec;
use margay_isa as isa;
use serde::Serialize;

use crate::located::Located;

/// What stands behind the results of a launch.
#[derive(Clone, Debug, Serialize)]
pub struct Fidelity {
    /// Groups of instructions, those that the manual settles first.
    pub groups: Vec<Group>,
}

/// Instructions whose results have the same evidence.
#[derive(Clone, Debug, Serialize)]
pub struct Group {
    /// `exact`, `device`, `model` or `rounded`.
    pub name: &'static str,
    /// What that is, in a phrase.
    pub meaning: String,
    /// Instructions executed, over all threads.
    pub instructions: u64,
    /// Where they stand; empty for `exact`.
    pub places: Vec<Place>,
}

/// An instruction of a group.
#[derive(Clone, Debug, Serialize)]
pub struct Place {
    /// Its line in the PTX file, from 1.
    pub line: usize,
    /// The instruction as written there.
    pub instruction: String,
    /// How often threads executed it.
    pub threads: u64,
}

impl Fidelity {
    /// From what was counted of a launch.
    pub fn new(located: &Located, counted: &exec::Profile, semantics: isa::Semantics) -> Fidelity {
        let mut groups: Vec<(Option<isa::Fidelity>, Group)> = Vec::new();
        for counted in &counted.functions {
            let code = &located.module.function(counted.function).code;
            for (at, (instruction, threads)) in (0u32..).zip(code.iter().zip(&counted.counts)) {
                if *threads == 0 {
                    continue;
                }
                let evidence = evidence(&instruction.inst, semantics);
                let at_group = groups.iter().position(|(other, _)| *other == evidence).unwrap_or_else(|| {
                    groups.push((evidence, Group::new(evidence)));
                    groups.len() - 1
                });
                let group = &mut groups[at_group].1;
                group.instructions += threads;
                if evidence != Some(isa::Fidelity::Exact) {
                    let (line, text) =
                        located.line(counted.function, margay_front::module::InstructionId(at));
                    group.places.push(Place { line, instruction: text, threads: *threads });
                }
            }
        }
        groups.sort_by_key(|(evidence, _)| (evidence.is_none(), *evidence));
        Fidelity { groups: groups.into_iter().map(|(_, group)| group).collect() }
    }
}

/// What stands behind the results of an instruction; nothing for approximate functions that the user has correctly rounded.
fn evidence(inst: &isa::Inst, semantics: isa::Semantics) -> Option<isa::Fidelity> {
    let fidelity = inst.fidelity();
    let asked = semantics == isa::Semantics::Rounded && fidelity != isa::Fidelity::Exact;
    (!asked).then_some(fidelity)
}

impl Group {
    fn new(evidence: Option<isa::Fidelity>) -> Group {
        let (name, meaning) = match evidence {
            Some(fidelity) => (fidelity.name(), fidelity.to_string()),
            None => ("rounded", "correctly rounded, as `--approx rounded` asks for".to_string()),
        };
        Group { name, meaning, instructions: 0, places: Vec::new() }
    }
}

impl fmt::Display for Fidelity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "fidelity")?;
        for group in &self.groups {
            writeln!(f, "  {}: {} executed; {}", group.name, group.instructions, group.meaning)?;
            for Place { line, instruction, threads } in &group.places {
                writeln!(f, "    line {line}: {instruction}  ({threads})")?;
            }
        }
        Ok(())
    }
}
