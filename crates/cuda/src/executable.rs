//! Graphs that can be launched: what their nodes do, in an order that serves all of them.

use crate::driver::Driver;
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

/// The flag by which a launch frees what an earlier one has allocated.
const FREE_ON_LAUNCH: u64 = 1;
/// All flags: the others are about where graphs are launched from, and priorities.
pub const FLAGS: u64 = 15;
const DEVICE_LAUNCH: u64 = 4;

/// What keeps an executable graph from becoming as another graph is, by its number in `cuda.h`, and the node.
pub struct Difference {
    pub result: u32,
    pub node: usize,
}

const TOPOLOGY: u32 = 2;
const KIND: u32 = 3;

/// The steps of a graph and of those within it.
fn steps_of(graph: &Graph) -> Answer<Vec<Step>> {
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
    fn steps(&self) -> MutexGuard<'_, Vec<Step>> {
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

    /// Does all that it does.
    fn run(&self, driver: &Driver) -> Answer {
        let steps = self.steps();
        // Nothing is done of a graph that cannot be done to its end.
        steps.iter().filter(|step| step.is_enabled).try_for_each(|step| step.work.is_complete())?;
        for step in steps.iter().filter(|step| step.is_enabled) {
            if let Work::Allocate(memory) = &step.work
                && self.flags & FREE_ON_LAUNCH != 0
            {
                memory.give_back();
            }
            driver.carry_out(&step.work)?;
        }
        Ok(())
    }
}

impl Driver {
    /// Makes a graph ready for launches.
    pub fn instantiate(&self, graph: &Graph, flags: u64) -> Answer<Arc<Executable>> {
        if flags & !FLAGS != 0 || flags & FREE_ON_LAUNCH != 0 && flags & DEVICE_LAUNCH != 0 {
            return Err(Code::INVALID_VALUE.into());
        }
        if flags & DEVICE_LAUNCH != 0 {
            let text = "graphs that kernels launch are not supported";
            return Err(Failed::because(Code::NOT_SUPPORTED, text));
        }
        let steps = Mutex::new(steps_of(graph)?);
        let objects = graph.objects().clone();
        Ok(self.handles.make(|handle| Executable { handle, flags, steps, _objects: objects }))
    }

    /// Gives a stream an executable graph to do; one that is captured gets its nodes.
    pub fn launch_graph(&self, executable: &Executable, stream: usize) -> Answer {
        let stream = self.stream(stream)?;
        if stream.is_capturing() {
            return self.capture(&stream, || Ok(Work::Graph(self.graph_of(executable)?)));
        }
        self.forbid_implicit(&stream)?;
        self.settled()?;
        executable.run(self)
    }

    /// A graph of what an executable one does now, one node after the other.
    fn graph_of(&self, executable: &Executable) -> Answer<Arc<Graph>> {
        let graph = self.new_graph();
        let mut last = None;
        for step in executable.steps().iter().filter(|step| step.is_enabled) {
            if !matches!(step.work, Work::Graph(_)) {
                last = Some(self.add_node(&graph, last.as_slice(), step.work.clone())?);
            }
        }
        Ok(graph)
    }
}
