//! Graphs and their nodes: made, copied and destroyed, with their handles.

use super::Driver;
use crate::failed::{Answer, Failed};
use crate::graph::{Graph, Node};
use crate::results::Code;
use crate::work::Work;
use std::collections::HashMap;
use std::sync::Arc;

impl Driver {
    pub fn new_graph(&self) -> Arc<Graph> {
        self.handles.make(Graph::new)
    }

    /// Adds a node that comes after others.
    pub fn add_node(&self, graph: &Graph, after: &[usize], work: Work) -> Answer<usize> {
        self.check_work(&work)?;
        self.add_copied(graph, after, work, None)
    }

    fn add_copied(
        &self,
        graph: &Graph,
        after: &[usize],
        work: Work,
        original: Option<usize>,
    ) -> Answer<usize> {
        let handle = self.handles.number();
        let node = Arc::new(Node::new(handle, graph.handle, original, work));
        graph.add(node.clone(), after)?;
        self.handles.put(handle, node);
        Ok(handle)
    }

    /// A copy of a graph, and of those within.
    pub fn copy_graph(&self, graph: &Graph) -> Answer<Arc<Graph>> {
        let copy = self.new_graph();
        let mut made = HashMap::new();
        for node in graph.nodes() {
            let work = match node.work() {
                Work::Graph(within) => Work::Graph(self.copy_graph(&within)?),
                work => work,
            };
            made.insert(node.handle, self.add_copied(&copy, &[], work, Some(node.handle))?);
        }
        let edges: Vec<_> = graph.edges().iter().map(|(from, to)| (made[from], made[to])).collect();
        copy.connect(&edges)?;
        copy.objects().extend(graph.objects().iter().cloned());
        Ok(copy)
    }

    /// Takes back the handles of a graph, of its nodes and of the graphs within.
    pub fn destroy_graph(&self, handle: usize) -> Answer {
        let graph = self.handles.take::<Graph>(handle)?;
        for node in graph.nodes() {
            self.forget_node(&node)?;
        }
        Ok(())
    }

    /// Takes a node away, and all edges of it.
    pub fn destroy_node(&self, handle: usize) -> Answer {
        let node = self.handles.find::<Node>(handle)?;
        let graph = self.handles.find::<Graph>(node.graph)?;
        graph.remove(handle);
        self.forget_node(&node)
    }

    fn forget_node(&self, node: &Node) -> Answer {
        self.handles.take::<Node>(node.handle)?;
        match node.work() {
            Work::Graph(within) => self.destroy_graph(within.handle),
            _ => Ok(()),
        }
    }

    /// The node of a handle with its graph.
    pub fn node(&self, handle: usize) -> Answer<(Arc<Node>, Arc<Graph>)> {
        let node = self.handles.find::<Node>(handle)?;
        let graph = self.handles.find::<Graph>(node.graph).map_err(|_| Failed::from(Code::INVALID_VALUE))?;
        Ok((node, graph))
    }
}
