//! A record of the stages an instruction went through, for `--explain`.

/// One named stage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The stage as the manual calls it.
    pub name: &'static str,
    /// The element it belongs to, for element-wise stages.
    pub element: Option<u32>,
    /// The exact number.
    pub value: i128,
    /// How the number came to be, where that helps.
    pub note: String,
}

/// Collects stages, or costs next to nothing when nobody asks.
#[derive(Default, Debug)]
pub struct Trace {
    steps: Option<Vec<Step>>,
}

impl Trace {
    /// A trace that records nothing.
    pub fn off() -> Trace {
        Trace { steps: None }
    }

    /// A trace that records every stage.
    pub fn on() -> Trace {
        Trace { steps: Some(Vec::new()) }
    }

    /// Records a number and passes it on.
    pub fn step(&mut self, name: &'static str, value: i128) -> i128 {
        self.noted(name, None, value, String::new)
    }

    /// Records the number of one element and passes it on.
    pub fn element(&mut self, name: &'static str, element: u32, value: i128) -> i128 {
        self.noted(name, Some(element), value, String::new)
    }

    /// Records a number with a word on how it came to be, and passes it on.
    pub fn noted(
        &mut self,
        name: &'static str,
        element: Option<u32>,
        value: i128,
        note: impl FnOnce() -> String,
    ) -> i128 {
        if let Some(steps) = &mut self.steps {
            steps.push(Step { name, element, value, note: note() });
        }
        value
    }

    /// What was recorded, in order.
    pub fn steps(&self) -> &[Step] {
        self.steps.as_deref().unwrap_or(&[])
    }
}
