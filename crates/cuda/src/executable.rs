//! Graphs that can be launched: what their nodes do, in an order that serves all of them.

use crate::failed::{Answer, Failed};
use crate::graph::Graph;
use crate::results::Code;
use crate::user_object::UserObject;
use crate::work::Work;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A graph as it was when it was instantiated.
pub struct Executable {
    pub handle: usize,
    pub flags: u64,
    steps: Mutex<Vec<Step>>,
    /// What the graph kept of the program.
    _objects: Vec<Arc<UserObject>>,
}

/// What one node does.
#[derive(Clone)]
pub struct Step {
    /// The node's handle.
    pub node: usize,
    /// Places of the steps that it comes after, among those of the same graph.
    after: Vec<usize>,
    /// How many steps after this one are those of the graph that it is.
    within: usize,
    pub work: Work,
    pub is_enabled: bool,
}

/// What keeps an executable graph from becoming as another graph is, by its number in `cuda.h`, and the node.
pub struct Difference {
    pub result: u32,
    pub node: usize,
}

const TOPOLOGY: u32 = 2;
const KIND: u32 = 3;

/// The steps of a graph and of those within it.
pub fn steps_of(graph: &Graph) -> Answer<Vec<Step>> {
    let mut steps = Vec::new();
    for (node, after) in graph.ordered()? {
        let work = node.work();
        let inner = match &work {
            Work::Graph(within) => steps_of(within)?,
            _ => Vec::new(),
        };
        steps.push(Step { node: node.handle, after, within: inner.len(), work, is_enabled: true });
        steps.extend(inner);
    }
    Ok(steps)
}

/// The first difference between two graphs that an update does not allow.
fn difference(own: &[Step], other: &[Step]) -> Option<Difference> {
    for (a, b) in own.iter().zip(other) {
        if a.work.kind() != b.work.kind() {
            return Some(Difference { result: KIND, node: b.node });
        }
        if a.after != b.after || a.within != b.within {
            return Some(Difference { result: TOPOLOGY, node: b.node });
        }
    }
    (own.len() != other.len()).then_some(Difference { result: TOPOLOGY, node: 0 })
}

impl Executable {
    /// A graph with its steps, and what it kept of the program.
    pub fn new(handle: usize, flags: u64, steps: Vec<Step>, objects: Vec<Arc<UserObject>>) -> Executable {
        Executable { handle, flags, steps: Mutex::new(steps), _objects: objects }
    }

    pub fn steps(&self) -> MutexGuard<'_, Vec<Step>> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a node do something else of the same kind.
    pub fn set_work(&self, node: usize, work: Work) -> Answer {
        self.with_step(node, |step| {
            if step.work.kind() != work.kind() {
                return Err(Code::INVALID_VALUE.into());
            }
            step.work = work;
            Ok(())
        })
    }

    /// Does something with the step of a node.
    pub fn with_step<T>(&self, node: usize, body: impl FnOnce(&mut Step) -> Answer<T>) -> Answer<T> {
        let mut steps = self.steps();
        let step = steps.iter_mut().find(|step| step.node == node);
        body(step.ok_or(Failed::from(Code::INVALID_VALUE))?)
    }

    /// Lets the graph that a node is do what another one of the same shape does.
    pub fn set_graph(&self, node: usize, graph: &Graph) -> Answer {
        let other = steps_of(graph)?;
        let mut steps = self.steps();
        let at = steps.iter().position(|step| step.node == node && matches!(step.work, Work::Graph(_)));
        let at = at.ok_or(Failed::from(Code::INVALID_VALUE))?;
        let within = steps[at].within;
        let own = &mut steps[at + 1..][..within];
        if difference(own, &other).is_some() {
            return Err(Code::INVALID_VALUE.into());
        }
        own.iter_mut().zip(other).for_each(|(own, other)| own.work = other.work);
        Ok(())
    }

    /// Lets all nodes do what those of another graph do, if it has the same shape.
    pub fn update(&self, graph: &Graph) -> Answer<Option<Difference>> {
        let Ok(other) = steps_of(graph) else {
            return Ok(Some(Difference { result: TOPOLOGY, node: 0 }));
        };
        let mut steps = self.steps();
        let found = difference(&steps, &other);
        if found.is_none() {
            steps.iter_mut().zip(other).for_each(|(own, other)| own.work = other.work);
        }
        Ok(found)
    }
}
