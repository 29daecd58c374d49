//! Scopes: which declaration a name stands for at each point.

use rustc_hash::FxHashMap;

use crate::hir::{Definition, FunctionId};

/// The names in force. Built-ins are not held here: they are looked up in the tables when nothing of the text has the name.
#[derive(Default)]
pub struct Scopes<'a> {
    /// The innermost binding of each name.
    table: FxHashMap<&'a str, u32>,
    bindings: Vec<Binding<'a>>,
    /// Where each open scope starts in `bindings`; the global scope is not counted.
    marks: Vec<u32>,
    functions: FxHashMap<&'a str, Vec<FunctionId>>,
}

struct Binding<'a> {
    name: &'a str,
    definition: Definition,
    depth: u32,
    /// The binding that this one hides.
    shadowed: Option<u32>,
}

impl<'a> Scopes<'a> {
    pub fn enter(&mut self) {
        self.marks.push(self.bindings.len() as u32);
    }

    pub fn leave(&mut self) {
        let Some(mark) = self.marks.pop() else { return };
        while self.bindings.len() > mark as usize {
            let Some(binding) = self.bindings.pop() else { break };
            match binding.shadowed {
                Some(index) => self.table.insert(binding.name, index),
                None => self.table.remove(binding.name),
            };
        }
    }

    /// How many scopes are open inside the global one.
    pub fn depth(&self) -> u32 {
        self.marks.len() as u32
    }

    pub fn declare(&mut self, name: &'a str, definition: Definition) {
        let index = self.bindings.len() as u32;
        let shadowed = self.table.insert(name, index);
        self.bindings.push(Binding { name, definition, depth: self.depth(), shadowed });
    }

    pub fn find(&self, name: &str) -> Option<&Definition> {
        let &index = self.table.get(name)?;
        self.bindings.get(index as usize).map(|binding| &binding.definition)
    }

    /// What the innermost scope itself declares under this name.
    pub fn find_here(&self, name: &str) -> Option<&Definition> {
        let &index = self.table.get(name)?;
        let binding = self.bindings.get(index as usize)?;
        (binding.depth == self.depth()).then_some(&binding.definition)
    }

    pub fn declare_function(&mut self, name: &'a str, function: FunctionId) {
        self.functions.entry(name).or_default().push(function);
    }

    pub fn functions(&self, name: &str) -> &[FunctionId] {
        self.functions.get(name).map_or(&[], Vec::as_slice)
    }

    /// Every variable, type and function of the text that is visible.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.table.keys().chain(self.functions.keys()).copied()
    }
}
