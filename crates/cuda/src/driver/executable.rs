//! Graphs that can be launched: instantiated, and launched in a stream.

use super::Driver;
use crate::executable::{Executable, steps_of};
use crate::failed::{Answer, Failed};
use crate::graph::Graph;
use crate::results::Code;
use crate::work::Work;
use std::sync::Arc;

/// The flag by which a launch frees what an earlier one has allocated.
const FREE_ON_LAUNCH: u64 = 1;
/// All flags: the others are about where graphs are launched from, and priorities.
const FLAGS: u64 = 15;
const DEVICE_LAUNCH: u64 = 4;

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
        let steps = steps_of(graph)?;
        let objects = graph.objects().clone();
        Ok(self.handles.make(|handle| Executable::new(handle, flags, steps, objects)))
    }

    /// Gives a stream an executable graph to do; one that is captured gets its nodes.
    pub fn launch_graph(&self, executable: &Executable, stream: usize) -> Answer {
        let stream = self.stream(stream)?;
        if stream.is_capturing() {
            return self.capture(&stream, || Ok(Work::Graph(self.graph_of(executable)?)));
        }
        self.forbid_implicit(&stream)?;
        self.settled()?;
        self.run(executable)
    }

    /// Does all that an executable graph does.
    fn run(&self, executable: &Executable) -> Answer {
        let steps = executable.steps();
        // Nothing is done of a graph that cannot be done to its end.
        steps.iter().filter(|step| step.is_enabled).try_for_each(|step| step.work.is_complete())?;
        for step in steps.iter().filter(|step| step.is_enabled) {
            if let Work::Allocate(memory) = &step.work
                && executable.flags & FREE_ON_LAUNCH != 0
            {
                memory.give_back();
            }
            self.carry_out(&step.work)?;
        }
        Ok(())
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
