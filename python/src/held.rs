//! Arrays that launches keep while they run: one that nothing else refers to has ended for all others.

use std::collections::HashMap;

use numpy::PyUntypedArray;
use pyo3::prelude::*;

use crate::array::{base, references};

/// What a launch keeps alive beside its arguments, with one reference to each.
pub type Kept = Vec<Py<PyAny>>;

/// The objects that running launches keep.
#[derive(Default)]
pub struct Held<'py>(HashMap<usize, Holders<'py>>);

/// Who refers to an object.
struct Holders<'py> {
    object: Bound<'py, PyAny>,
    /// How often running launches do, and views that nobody else refers to.
    launches: usize,
    /// Whether what it is a view of has been told that nobody else refers to it.
    is_told: bool,
}

impl<'py> Held<'py> {
    /// What these launches keep.
    pub fn of<'a>(py: Python<'py>, running: impl Iterator<Item = &'a Kept>) -> Held<'py> {
        let mut held = Held::default();
        for object in running.flat_map(|kept| kept.iter()) {
            held.note(object.bind(py).clone());
        }
        loop {
            let alone = |holders: &&mut Holders| !holders.is_told && holders.beside() == 0;
            let told = held.0.values_mut().filter(alone).map(|holders| {
                holders.is_told = true;
                holders.object.cast::<PyUntypedArray>().ok().and_then(base)
            });
            let bases: Vec<_> = told.collect();
            if bases.is_empty() {
                return held;
            }
            bases.into_iter().flatten().for_each(|base| held.note(base));
        }
    }

    fn note(&mut self, object: Bound<'py, PyAny>) {
        let new = || Holders { object: object.clone(), launches: 0, is_told: false };
        self.0.entry(object.as_ptr().addr()).or_insert_with(new).launches += 1;
    }

    /// Whether somebody beside running launches, and the caller with this reference, refers to an object.
    pub fn is_wanted(&self, object: &Bound<PyAny>) -> bool {
        self.0.get(&object.as_ptr().addr()).is_none_or(|holders| holders.beside() > 1)
    }
}

impl Holders<'_> {
    /// How many others refer to it.
    fn beside(&self) -> usize {
        references(&self.object).saturating_sub(self.launches + 1)
    }
}
