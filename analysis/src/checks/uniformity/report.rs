//! What is said where a matrix operation or a barrier is not reached, or not with the same operands, by all invocations of its scope.

use crate::diagnostics::{Code, codes};
use crate::extensions::{BuiltinFunction, Rule, ids};
use crate::hir::{BodyDiagnostic, ExprId, ExprKind, ExtensionBehavior, FunctionId, Place};
use crate::text::{TextRange, TextSize};
use crate::types::TypeKind;

use super::MatrixScope;
use super::cause::{CauseId, Step};
use super::evaluate::Root;
use super::memory;
use super::own::Read;
use super::value::Value;
use super::walk::Walk;
use crate::checks::barrier::waits_for_workgroup;

/// As many links of a chain as related information shows.
const SHOWN: usize = 6;

impl Walk<'_, '_> {
    /// A call of a built-in function that may be a matrix operation or a barrier.
    pub fn check_operation(
        &mut self,
        expr: ExprId,
        function: &'static BuiltinFunction,
        arguments: &[ExprId],
    ) {
        let Some(rule) = function.rule.filter(|&rule| rule.is_matrix_operation() || rule == Rule::Barrier)
        else {
            return;
        };
        let range = self.range(expr);
        // The call starts with the function's name.
        let end = range.start() + TextSize::new(function.name.len() as u32);
        let name_range = TextRange::new(range.start(), end.min(range.end()));
        let what = format!("`{}` is", function.name);
        if rule == Rule::Barrier {
            if waits_for_workgroup(self.body, expr) {
                self.check_reached(&codes::DIVERGENT_BARRIER, MatrixScope::Workgroup, name_range, &what);
            }
            return;
        }
        let scope = self.scope_of(arguments);
        self.check_reached(&codes::COOPMAT_DIVERGENCE, scope, name_range, &what);
        let first_operand = match rule {
            Rule::CoopMatLoad
            | Rule::CoopMatStore
            | Rule::CoopMatLoadNv
            | Rule::CoopMatStoreNv
            | Rule::CoopMatLoadTensor
            | Rule::CoopMatStoreTensor => 2,
            _ => return,
        };
        if let Some(&memory) = arguments.get(1) {
            let address = self.address(memory);
            self.check_operand(scope, memory, address, LOAD_OR_STORE);
        }
        for &argument in arguments.get(first_operand..).unwrap_or_default() {
            if matches!(self.body.exprs[argument].kind, ExprKind::FunctionName { .. }) {
                continue;
            }
            let value = self.value(argument).blended();
            self.check_operand(scope, argument, value, LOAD_OR_STORE);
        }
    }

    /// Arithmetic on matrices and their construction, which all invocations of the scope do together as well.
    pub fn matrix_arithmetic(&mut self, expr: ExprId, operands: &[ExprId]) {
        let Some(scope) = self.program.matrix_scope(self.body.exprs[expr].ty) else { return };
        let range = self.range(expr);
        self.check_reached(&codes::COOPMAT_DIVERGENCE, scope, range, "this operation on a matrix is");
        for &operand in operands {
            if matches!(self.program.types.kind(self.body.exprs[operand].ty), TypeKind::Scalar(_)) {
                let value = self.value(operand).blended();
                self.check_operand(scope, operand, value, WHOLE_MATRIX);
            }
        }
    }

    /// A call of a function that comes to a matrix operation or a barrier.
    pub fn check_call(&mut self, expr: ExprId, function: FunctionId) {
        let control = self.effective_control();
        if !control.differs() {
            return;
        }
        let reached = self.program.reached_by(function);
        let matrix = &codes::COOPMAT_DIVERGENCE;
        let by_scope = [
            (matrix, MatrixScope::Subgroup, reached.subgroup),
            (matrix, MatrixScope::Workgroup, reached.workgroup),
            (&codes::DIVERGENT_BARRIER, MatrixScope::Workgroup, reached.barrier),
        ];
        for (code, scope, operation) in by_scope {
            let Some(operation) = operation else { continue };
            let name = &self.program.module.functions[function].name;
            let what = format!("`{name}` does `{operation}`, but it is");
            let start = self.range(expr).start();
            let range = TextRange::at(start, TextSize::new(name.len() as u32));
            self.check_reached(code, scope, range, &what);
        }
    }

    fn scope_of(&self, arguments: &[ExprId]) -> MatrixScope {
        let mut scopes =
            arguments.iter().filter_map(|&argument| self.program.matrix_scope(self.body.exprs[argument].ty));
        if scopes.any(|scope| scope == MatrixScope::Workgroup) {
            MatrixScope::Workgroup
        } else {
            MatrixScope::Subgroup
        }
    }

    fn check_reached(&mut self, code: &'static Code, scope: MatrixScope, range: TextRange, what: &str) {
        let control = scope.of(self.effective_control());
        if !control.differs() {
            return;
        }
        if code == &codes::DIVERGENT_BARRIER && !self.keeps_from_barrier(range, control.cause) {
            return;
        }
        let (source, through) = self.describe(control.cause);
        let message = format!(
            "{what} reached by only some invocations of a {}: the condition depends on {source}{through}",
            scope.name()
        );
        self.report(code, range, message, control.cause);
    }

    /// Whether a condition surely keeps invocations from a barrier, and was not told at another one.
    fn keeps_from_barrier(&mut self, range: TextRange, cause: CauseId) -> bool {
        // What a value becomes on two ways, or in some rounds, is often made the same for all again before anybody waits.
        let chain = self.program.causes.chain(cause);
        let by_way = chain.iter().skip(1).any(|link| matches!(link.step, Step::Condition | Step::Loop));
        !by_way && (self.program.reported.contains(&range) || self.program.separated.insert(cause))
    }

    fn check_operand(&mut self, scope: MatrixScope, operand: ExprId, value: Value, act: &str) {
        let within = scope.of(value);
        if !within.differs() {
            return;
        }
        let (source, through) = self.describe(within.cause);
        let decided = self.decided_by(operand, within.cause);
        let through = match (decided, through.as_str()) {
            (Some(decided), _) => format!(" and {decided}"),
            (None, "") => String::new(),
            (None, through) => format!(" and gets here{through}"),
        };
        let message =
            format!("{source} differs between the invocations of a {}{through}, {act}", scope.name());
        self.report(&codes::COOPMAT_UNIFORM_OPERAND, self.range(operand), message, within.cause);
    }

    /// An index of a matrix's element that is not the same everywhere.
    pub fn check_element_index(&mut self, element: ExprId, scope: MatrixScope, index: Value) {
        let cause = if index.subgroup.differs() { index.subgroup.cause } else { index.own.of(scope) };
        self.report_ownership(element, "which element this is", cause);
    }

    /// An element of a matrix that gets a value, or gets it under a condition, that an invocation's own number decides.
    pub fn check_ownership(&mut self, target: ExprId, value: ExprId, new: Value) {
        let ExprKind::Index { base, index } = self.body.exprs[target].kind else { return };
        let Some(scope) = self.program.matrix_scope(self.body.exprs[base].ty) else { return };
        let address = self.value(index).blended();
        self.check_element_index(target, scope, address);
        let control = self.effective_control().own;
        if new.own.of(scope) != CauseId::NONE && !self.is_taken_back(new.own.read, index, value) {
            self.report_ownership(target, "the value of this element", new.own.of(scope));
        } else if control.read == Read::No {
            self.report_ownership(target, "whether this element is written", control.of(scope));
        }
    }

    /// Whether what an invocation reads for an element lies at a place of its own, where it may have put it itself: the place depends on
    /// the element's index too.
    fn is_taken_back(&self, read: Read, index: ExprId, value: ExprId) -> bool {
        if read != Read::Alone {
            return false;
        }
        let (types, body) = (self.program.types, self.body);
        let of_index = memory::variables(types, body, &[index]);
        let made_of = memory::reached(types, body, &memory::assignments(body), value, true);
        of_index.is_empty() || !memory::variables(types, body, &made_of).is_disjoint(&of_index)
    }

    /// An element that is stored at a place which the invocation's number and the element's index decide together, as if they told the row
    /// and the column.
    pub fn check_kept(&mut self, target: ExprId, value: ExprId) {
        if !self.program.kept.has_elements(self.base) || !matches!(self.root(target), Root::Memory) {
            return;
        }
        let own = self.address(target).own;
        // A place that no other invocation has is as good as any to keep something.
        if own.is_none() || !own.folded || own.read != Read::No {
            return;
        }
        let (types, body) = (self.program.types, self.body);
        let assigned = memory::assignments(body);
        let sources = memory::reached(types, body, &assigned, value, false);
        let element = sources.iter().find_map(|&source| memory::contains_element(types, body, source));
        let Some(element) = element else { return };
        let ExprKind::Index { base, index } = body.exprs[element].kind else { return };
        let Some(scope) = self.program.matrix_scope(body.exprs[base].ty) else { return };
        let of_index = memory::variables(types, body, &[index]);
        let place = memory::reached(types, body, &assigned, target, true);
        if of_index.is_empty() || memory::variables(types, body, &place).is_disjoint(&of_index) {
            return;
        }
        let here = self.range(target).start();
        let global = memory::global_of(types, body, target);
        if global.is_none_or(|global| self.program.kept.after(global, here)) {
            return;
        }
        self.report_ownership(target, "where this element is stored", own.of(scope));
    }

    fn report_ownership(&mut self, element: ExprId, what: &str, cause: CauseId) {
        if cause == CauseId::NONE {
            return;
        }
        let (source, through) = self.describe(cause);
        let message = format!(
            "{what} depends on {source}{through}: which invocation holds which element is the implementation's choice; {}",
            self.instead()
        );
        self.report(&codes::COOPMAT_OWNERSHIP, self.range(element), message, cause);
    }

    /// How an element's row and column are known, or what does without.
    fn instead(&self) -> &'static str {
        let enabled = |id| {
            self.program
                .module
                .extensions
                .iter()
                .any(|state| state.extension == Some(id) && state.behavior != ExtensionBehavior::Disable)
        };
        if enabled(ids::GL_EXT_COOPERATIVE_MATRIX_MAINTENANCE1) {
            "`coopMatGetCoordinateEXT` gives an element's row and column"
        } else if enabled(ids::GL_NV_COOPERATIVE_MATRIX2) {
            "`coopMatPerElementNV` gives a function each element's row and column"
        } else {
            "load such values as a matrix, or do this in memory"
        }
    }

    /// A variable that control flow, not a value, makes different.
    fn decided_by(&self, operand: ExprId, cause: CauseId) -> Option<String> {
        let ExprKind::Local(local) = self.body.exprs[operand].kind else { return None };
        let name = &self.body.locals[local].name;
        match self.program.causes.chain(cause).first()?.step {
            Step::Condition => Some(format!("decides which value `{name}` has")),
            Step::Loop => Some(format!("decides how often a loop changes `{name}`")),
            Step::Source | Step::Assigned | Step::Passed | Step::Returned | Step::Loaded => None,
        }
    }

    /// The source of a chain, and the variables on the way from it: `` ` through `row` ``.
    fn describe(&self, cause: CauseId) -> (String, String) {
        let chain = self.program.causes.chain(cause);
        let source = match chain.last() {
            Some(link) if link.step == Step::Source => link.name.as_str(),
            _ => "",
        };
        let source = match source {
            "" => "a value that differs".to_owned(),
            name if name.contains(' ') => name.to_owned(),
            name => format!("`{name}`"),
        };
        let mut names: Vec<&str> = Vec::new();
        for link in chain.iter().rev() {
            if matches!(link.step, Step::Assigned | Step::Passed) && !link.name.is_empty() {
                let name = link.name.as_str();
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        let through = match names.as_slice() {
            [] => String::new(),
            [name] => format!(" through `{name}`"),
            [first, .., last] => format!(" through `{first}` and `{last}`"),
        };
        (source, through)
    }

    fn report(&mut self, code: &'static Code, range: TextRange, message: String, cause: CauseId) {
        // Another round of a loop, or another call of the function, finds the same.
        if !self.program.reported.insert(range) {
            return;
        }
        let chain = self.program.causes.chain(cause);
        let related = chain
            .iter()
            .take(SHOWN)
            .filter(|link| link.range != range)
            .map(|link| {
                let name = &link.name;
                let text = match link.step {
                    Step::Source => format!("{} differs", in_ticks(name)),
                    Step::Assigned => format!("`{name}` gets a value here that differs"),
                    Step::Passed if name.is_empty() => "this argument differs".to_owned(),
                    Step::Passed => format!("the parameter `{name}` gets a value here that differs"),
                    Step::Returned => format!("`{name}` returns a value that differs"),
                    Step::Condition => "this condition separates the invocations".to_owned(),
                    Step::Loop => {
                        "this loop does not end in the same iteration for all invocations".to_owned()
                    }
                    Step::Loaded => "this is read from a place that differs".to_owned(),
                };
                (Place::Here(link.range), text)
            })
            .collect();
        self.program.findings.push(BodyDiagnostic { code, severity: code.severity, message, range, related });
    }
}

const LOAD_OR_STORE: &str = "but they load or store one matrix together, with the same arguments";
const WHOLE_MATRIX: &str = "but they compute one matrix together, with the same operands";

fn in_ticks(name: &str) -> String {
    if name.contains(' ') { name.to_owned() } else { format!("`{name}`") }
}
