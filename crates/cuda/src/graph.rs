//! Graphs: nodes that do something, each after those that it depends on.

use crate::driver::Driver;
use crate::failed::{Answer, Failed};
use crate::results::Code;
use crate::user_object::UserObject;
use crate::work::Work;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A graph.
pub struct Graph {
    pub handle: usize,
    inner: Mutex<Inner>,
    /// Objects of the program that it keeps, once for each reference to one.
    objects: Mutex<Vec<Arc<UserObject>>>,
}

#[derive(Default)]
struct Inner {
    /// In the order in which they were made.
    nodes: Vec<Arc<Node>>,
    /// Handles: of a node, and of one that comes after it.
    edges: Vec<(usize, usize)>,
}

/// A node.
pub struct Node {
    pub handle: usize,
    /// The handle of the graph that it is in.
    pub graph: usize,
    /// The node that it was made from if its graph is a copy; itself otherwise.
    original: usize,
    work: Mutex<Work>,
}

impl Node {
    pub fn work(&self) -> Work {
        self.work.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Lets it do something else of the same kind.
    pub fn set_work(&self, work: Work) -> Answer {
        let mut own = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        if own.kind() != work.kind() {
            return Err(Code::INVALID_VALUE.into());
        }
        *own = work;
        Ok(())
    }
}

impl Graph {
    pub fn new(handle: usize) -> Graph {
        Graph { handle, inner: Mutex::default(), objects: Mutex::default() }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The nodes, in the order in which they were made.
    pub fn nodes(&self) -> Vec<Arc<Node>> {
        self.inner().nodes.clone()
    }

    /// Those that come after no other.
    pub fn roots(&self) -> Vec<usize> {
        let inner = self.inner();
        let later: HashSet<usize> = inner.edges.iter().map(|(_, to)| *to).collect();
        inner.nodes.iter().map(|node| node.handle).filter(|node| !later.contains(node)).collect()
    }

    pub fn edges(&self) -> Vec<(usize, usize)> {
        self.inner().edges.clone()
    }

    /// What a node comes after.
    pub fn before(&self, node: usize) -> Vec<usize> {
        self.inner().edges.iter().filter(|(_, to)| *to == node).map(|(from, _)| *from).collect()
    }

    /// What comes after a node.
    pub fn after(&self, node: usize) -> Vec<usize> {
        self.inner().edges.iter().filter(|(from, _)| *from == node).map(|(_, to)| *to).collect()
    }

    /// The node of a copy that was made from one.
    pub fn made_from(&self, original: usize) -> Option<usize> {
        self.inner().nodes.iter().find(|node| node.original == original).map(|node| node.handle)
    }

    /// Objects of the program that it keeps.
    pub fn objects(&self) -> MutexGuard<'_, Vec<Arc<UserObject>>> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets each second node come after the first one. An edge is there once.
    pub fn connect(&self, edges: &[(usize, usize)]) -> Answer {
        let mut inner = self.inner();
        let known: HashSet<usize> = inner.nodes.iter().map(|node| node.handle).collect();
        let mut there: HashSet<(usize, usize)> = inner.edges.iter().copied().collect();
        let is_good = |(from, to): &(usize, usize)| from != to && known.contains(from) && known.contains(to);
        if !edges.iter().all(is_good) || !edges.iter().all(|edge| there.insert(*edge)) {
            return Err(Code::INVALID_VALUE.into());
        }
        inner.edges.extend(edges);
        Ok(())
    }

    /// Takes edges away.
    pub fn disconnect(&self, edges: &[(usize, usize)]) -> Answer {
        let mut inner = self.inner();
        if !edges.iter().all(|edge| inner.edges.contains(edge)) {
            return Err(Code::INVALID_VALUE.into());
        }
        inner.edges.retain(|edge| !edges.contains(edge));
        Ok(())
    }

    /// Nodes in an order in which each stands after those that it comes after, and their places in that; an error where there is none.
    pub fn ordered(&self) -> Answer<Vec<(Arc<Node>, Vec<usize>)>> {
        let inner = self.inner();
        let numbers: HashMap<usize, usize> =
            inner.nodes.iter().enumerate().map(|(k, node)| (node.handle, k)).collect();
        let mut waits = vec![0; inner.nodes.len()];
        let (mut later, mut before) = (vec![Vec::new(); waits.len()], vec![Vec::new(); waits.len()]);
        for (from, to) in &inner.edges {
            let (from, to) = (numbers[from], numbers[to]);
            waits[to] += 1;
            later[from].push(to);
            before[to].push(from);
        }
        let mut ready: BinaryHeap<_> = (0..waits.len()).filter(|k| waits[*k] == 0).map(Reverse).collect();
        let mut places = vec![0; waits.len()];
        let mut ordered = Vec::new();
        while let Some(Reverse(k)) = ready.pop() {
            places[k] = ordered.len();
            let mut after: Vec<usize> = before[k].iter().map(|from| places[*from]).collect();
            after.sort_unstable();
            ordered.push((inner.nodes[k].clone(), after));
            for to in &later[k] {
                waits[*to] -= 1;
                if waits[*to] == 0 {
                    ready.push(Reverse(*to));
                }
            }
        }
        if ordered.len() == waits.len() { Ok(ordered) } else { Err(Code::INVALID_VALUE.into()) }
    }

    /// Whether all of some nodes are among others or come before them.
    pub fn lead_to(&self, some: &[usize], others: &[usize]) -> bool {
        let inner = self.inner();
        let mut before: HashMap<usize, Vec<usize>> = HashMap::new();
        for (from, to) in &inner.edges {
            before.entry(*to).or_default().push(*from);
        }
        let mut seen: HashSet<usize> = others.iter().copied().collect();
        let mut open = others.to_vec();
        while let Some(node) = open.pop() {
            let earlier = before.get(&node).into_iter().flatten();
            open.extend(earlier.copied().filter(|node| seen.insert(*node)));
        }
        some.iter().all(|node| seen.contains(node))
    }

    /// The graph as a text in the language of Graphviz.
    pub fn picture(&self) -> String {
        let mut text = String::from("digraph {\n    node [shape=box];\n");
        for node in self.nodes() {
            let label = node.work().label().replace('\\', "\\\\").replace('"', "\\\"");
            text += &format!("    \"{:#x}\" [label=\"{label}\"];\n", node.handle);
        }
        for (from, to) in self.edges() {
            text += &format!("    \"{from:#x}\" -> \"{to:#x}\";\n");
        }
        text + "}\n"
    }
}

impl Driver {
    pub fn new_graph(&self) -> Arc<Graph> {
        self.handles.make(Graph::new)
    }

    /// Adds a node that comes after others.
    pub fn add_node(&self, graph: &Graph, after: &[usize], work: Work) -> Answer<usize> {
        work.check(self)?;
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
        let original = original.unwrap_or(handle);
        let node = Arc::new(Node { handle, graph: graph.handle, original, work: Mutex::new(work) });
        graph.inner().nodes.push(node.clone());
        let edges: Vec<_> = after.iter().map(|from| (*from, handle)).collect();
        if let Err(failed) = graph.connect(&edges) {
            graph.inner().nodes.retain(|node| node.handle != handle);
            return Err(failed);
        }
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
        {
            let mut inner = graph.inner();
            inner.nodes.retain(|node| node.handle != handle);
            inner.edges.retain(|(from, to)| *from != handle && *to != handle);
        }
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
