//! Graphs: nodes that do something, each after those that it depends on.

use crate::failed::Answer;
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
    /// A node of a graph, which may have been made from another one.
    pub fn new(handle: usize, graph: usize, original: Option<usize>, work: Work) -> Node {
        Node { handle, graph, original: original.unwrap_or(handle), work: Mutex::new(work) }
    }

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

    /// Adds a node that comes after others.
    pub fn add(&self, node: Arc<Node>, after: &[usize]) -> Answer {
        let handle = node.handle;
        self.inner().nodes.push(node);
        let edges: Vec<_> = after.iter().map(|from| (*from, handle)).collect();
        let connected = self.connect(&edges);
        if connected.is_err() {
            self.inner().nodes.retain(|node| node.handle != handle);
        }
        connected
    }

    /// Takes a node away, and all edges of it.
    pub fn remove(&self, handle: usize) {
        let mut inner = self.inner();
        inner.nodes.retain(|node| node.handle != handle);
        inner.edges.retain(|(from, to)| *from != handle && *to != handle);
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
