//! What can be said when the whole text is lowered: recursion, functions without a body, what nothing uses, the entry point.

use la_arena::Idx;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostics::codes;
use crate::extensions::{self, ids};
use crate::hir::{Body, Definition, ExprKind, FunctionId, GlobalId, Place, Storage};
use crate::preprocess::SourceMap;
use crate::text::{FileId, TextRange, TextSize};

use super::Lowerer;

/// Who uses what.
#[derive(Default)]
struct Uses {
    /// Functions that a function calls or names, once each, with the place of the first use in its body.
    calls: FxHashMap<FunctionId, Vec<(FunctionId, TextRange)>>,
    functions: FxHashSet<FunctionId>,
    globals: FxHashSet<GlobalId>,
    /// Functions whose name is an argument: their parameters are what the callee wants.
    callbacks: FxHashSet<FunctionId>,
}

impl Lowerer<'_> {
    /// `map` tells which text is of the file itself: what an include offers need not be used.
    pub(super) fn module_checks(&mut self, well_formed: bool, map: &SourceMap) {
        let uses = self.uses();
        self.check_recursion(&uses);
        self.check_definitions(&uses, well_formed);
        self.check_derivative_group();
        if well_formed {
            self.check_entry_point();
            self.check_stage_layouts();
            self.check_locations();
            self.check_unused(&uses, map);
        }
    }

    fn uses(&self) -> Uses {
        let mut uses = Uses::default();
        let named_functions = self.environment.named(ids::GL_NV_COOPERATIVE_MATRIX2)
            || self.environment.named(ids::GL_EXT_COOPERATIVE_MATRIX_MAINTENANCE1);
        for (id, function) in self.module.functions.iter() {
            let Some(body) = &function.body else { continue };
            let mut calls: Vec<(FunctionId, TextRange)> = Vec::new();
            let mut called: FxHashSet<FunctionId> = FxHashSet::default();
            for name in &body.names {
                match name.definition {
                    Definition::Function(callee) => {
                        uses.functions.insert(callee);
                        if called.insert(callee) {
                            calls.push((callee, name.range));
                        }
                    }
                    Definition::Global(global) | Definition::BlockMember(global, _) => {
                        uses.globals.insert(global);
                    }
                    _ => {}
                }
            }
            if named_functions {
                callbacks(body, &mut uses.callbacks);
            }
            uses.calls.insert(id, calls);
        }
        for name in &self.body.names {
            if let Definition::Global(global) | Definition::BlockMember(global, _) = name.definition
                && self.module.globals[global].name_range != name.range
            {
                uses.globals.insert(global);
            }
        }
        uses
    }

    /// GLSL 4.60, section 6.1: recursion is not allowed, not even statically. A depth-first search without recursion of its own.
    fn check_recursion(&mut self, uses: &Uses) {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            Open,
            Done,
        }
        let mut states: FxHashMap<FunctionId, State> = FxHashMap::default();
        let mut found: Vec<(FunctionId, FunctionId, TextRange)> = Vec::new();
        let roots: Vec<FunctionId> = self.module.functions.iter().map(|(id, _)| id).collect();
        for root in roots {
            if states.contains_key(&root) {
                continue;
            }
            states.insert(root, State::Open);
            let mut stack: Vec<(FunctionId, usize)> = vec![(root, 0)];
            while let Some((function, next)) = stack.last_mut() {
                let calls = uses.calls.get(function).map_or(&[][..], Vec::as_slice);
                let Some(&(callee, range)) = calls.get(*next) else {
                    states.insert(*function, State::Done);
                    stack.pop();
                    continue;
                };
                *next += 1;
                match states.get(&callee) {
                    Some(State::Done) => {}
                    Some(State::Open) => found.push((*function, callee, range)),
                    None => {
                        states.insert(callee, State::Open);
                        stack.push((callee, 0));
                    }
                }
            }
        }
        for (caller, callee, range) in found {
            let name = self.module.functions[callee].name.clone();
            let range = range + self.module.functions[caller].range.start();
            let message = if caller == callee {
                format!("`{name}` calls itself: recursion is not allowed in shaders")
            } else {
                let caller = &self.module.functions[caller].name;
                format!(
                    "`{caller}` calls `{name}`, which calls `{caller}` in turn: recursion is not allowed in shaders"
                )
            };
            self.report_with(
                &codes::RECURSION,
                range,
                message,
                vec![(Place::Definition(Definition::Function(callee)), format!("`{name}` is declared here"))],
            );
        }
    }

    fn check_definitions(&mut self, uses: &Uses, well_formed: bool) {
        if !well_formed || self.subroutines || self.module.stage.is_none() {
            return;
        }
        let missing: Vec<(TextRange, String)> = self
            .module
            .functions
            .iter()
            .filter(|(id, function)| {
                function.body.is_none() && function.spirv_instruction.is_none() && uses.functions.contains(id)
            })
            .map(|(_, function)| {
                (function.name_range, format!("`{}` is called, but it has no body", function.name))
            })
            .collect();
        for (range, message) in missing {
            self.report(&codes::MISSING_DEFINITION, range, message);
        }
    }

    fn check_entry_point(&mut self) {
        // A file without a stage is a header.
        if self.module.stage.is_none() {
            return;
        }
        let has_main = self
            .module
            .functions
            .iter()
            .any(|(_, function)| function.name == "main" && function.body.is_some());
        if !has_main {
            let end = TextSize::new(self.text.trim_end().len() as u32);
            let start = end.checked_sub(TextSize::new(1)).unwrap_or_default();
            self.report(
                &codes::MISSING_MAIN,
                TextRange::new(start, end),
                "the shader has no entry point: define `void main()`".to_owned(),
            );
        }
    }

    fn check_unused(&mut self, uses: &Uses, map: &SourceMap) {
        let mut hints = Vec::new();
        // What a header offers is used by whoever includes it.
        let whole = self.module.stage.is_some();
        for (id, function) in self.module.functions.iter() {
            let Some(body) = &function.body else { continue };
            if whole && function.name != "main" && !uses.functions.contains(&id) && !self.subroutines {
                let message = format!("`{}` is never called", function.name);
                hints.push((&codes::UNUSED_FUNCTION, function.name_range, message));
            }
            if uses.callbacks.contains(&id) {
                continue;
            }
            for &parameter in &body.parameters {
                let Some(local) = local_of(body, parameter) else { continue };
                if !local.name.is_empty() && !local.read && !local.written {
                    let message = format!("the parameter `{}` is never used", local.name);
                    let range = local.name_range + function.range.start();
                    hints.push((&codes::UNUSED_PARAMETER, range, message));
                }
            }
        }
        if whole {
            for (id, global) in self.module.globals.iter() {
                let private = matches!(global.storage, Storage::Private | Storage::Const | Storage::Shared);
                if private
                    && global.constant_id.is_none()
                    && !global.name.is_empty()
                    && !extensions::is_reserved(&global.name)
                    && !uses.globals.contains(&id)
                {
                    let message = format!("`{}` is never used", global.name);
                    hints.push((&codes::UNUSED_VARIABLE, global.name_range, message));
                }
            }
        }
        for (code, range, message) in hints {
            if map.primary(range).file != FileId::ROOT {
                continue;
            }
            self.report(code, range, message);
        }
    }
}

fn local_of(body: &Body, id: Idx<crate::hir::Local>) -> Option<&crate::hir::Local> {
    ((id.into_raw().into_u32() as usize) < body.locals.len()).then(|| &body.locals[id])
}

fn callbacks(body: &Body, found: &mut FxHashSet<FunctionId>) {
    for (_, expression) in body.exprs.iter() {
        if let ExprKind::FunctionName { function: Some(function), .. } = expression.kind {
            found.insert(function);
        }
    }
}
