//! Where a shader begins to run (GLSL 4.60, section 3.2: the function `main`).

use super::{Function, FunctionId, Module};

/// The name of every entry point.
pub const ENTRY_POINT: &str = "main";

impl Function {
    /// Whether a shader begins here. One with parameters is an error, and an entry point all the same.
    pub fn is_entry_point(&self) -> bool {
        self.name == ENTRY_POINT && self.body.is_some()
    }
}

impl Module {
    /// `None` in a header, or where a shader lacks it.
    pub fn entry_point(&self) -> Option<FunctionId> {
        self.functions.iter().find(|(_, function)| function.is_entry_point()).map(|(id, _)| id)
    }

    /// The same, where it can be called: without parameters.
    pub fn callable_entry_point(&self) -> Option<FunctionId> {
        let mut all = self.functions.iter();
        all.find(|(_, function)| function.is_entry_point() && function.parameters.is_empty())
            .map(|(id, _)| id)
    }
}
