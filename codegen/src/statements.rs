//! Statements: structured control flow.

mod jumps;

use coopmat_analysis::hir::{
    Attribute, BinaryOp, Condition, Const, ExprId, ExprKind, LocalId, StmtId, StmtKind,
};
use coopmat_analysis::types::TypeKind;
use rspirv::dr::Operand;
use rspirv::spirv::{LoopControl, Op, SelectionControl, Word};
use smallvec::SmallVec;

use crate::codegen::{Codegen, Emit, LocalSlot};
use crate::target::SpirvVersion;
use jumps::Target;

pub(crate) use jumps::Jumps;

impl<'a> Codegen<'a> {
    /// Compiles a statement; why that fails has been told, and the next statement goes on.
    pub fn statement(&mut self, id: StmtId) {
        if !self.b.reachable() {
            return;
        }
        let statement = &self.f.body.stmts[id];
        let before = self.enter(statement.range);
        let done = self.statement_here(&statement.kind);
        // Whatever has failed, the blocks stay sound: later statements are still checked for what they lack.
        let _ = done;
        self.leave(before);
    }

    fn statement_here(&mut self, kind: &'a StmtKind) -> Emit<()> {
        match kind {
            StmtKind::Error => Err(self.inconsistent("a statement that was not understood")),
            StmtKind::Empty | StmtKind::Declaration => Ok(()),
            StmtKind::Block(statements) => {
                let list = std::mem::replace(&mut self.f.jumps.in_switch_list, false);
                for &statement in statements {
                    self.statement(statement);
                }
                self.f.jumps.in_switch_list = list;
                Ok(())
            }
            StmtKind::Expr(expr) => match self.f.body.aborts(*expr) {
                Some(arguments) => self.abort(arguments),
                None => self.discard_value(*expr),
            },
            StmtKind::Declare { local, initializer } => {
                let declared = self.declare(*local, *initializer);
                if declared.is_err() {
                    self.set_slot(*local, LocalSlot::Refused);
                }
                declared
            }
            StmtKind::If { condition, then, otherwise, attributes } => {
                self.if_statement(*condition, *then, *otherwise, attributes)
            }
            StmtKind::Switch { selector, body, attributes } => self.switch(*selector, body, attributes),
            StmtKind::Case(_) | StmtKind::Default => Err(self.inconsistent("a label outside of a switch")),
            StmtKind::For { init, condition, step, body, attributes } => {
                if let Some(init) = init {
                    self.statement(*init);
                }
                self.run_loop(condition.as_ref(), *step, *body, attributes)
            }
            StmtKind::While { condition, body, attributes } => {
                self.run_loop(Some(condition), None, *body, attributes)
            }
            StmtKind::DoWhile { body, condition, attributes } => self.do_while(*body, *condition, attributes),
            StmtKind::Break => {
                let Some(target) = self.f.jumps.targets.last_mut() else {
                    return Err(self.inconsistent("a break outside of loops"));
                };
                target.merge_used = true;
                let merge = target.merge;
                self.b.branch(merge);
                Ok(())
            }
            StmtKind::Continue => {
                let targets = &mut self.f.jumps.targets;
                let Some(target) = targets.iter_mut().rev().find(|target| target.proceed.is_some()) else {
                    return Err(self.inconsistent("a continue outside of loops"));
                };
                target.proceed_used = true;
                if let Some(proceed) = target.proceed {
                    self.b.branch(proceed);
                }
                Ok(())
            }
            StmtKind::Return(value) => self.return_statement(*value),
            StmtKind::Discard => {
                // OpKill is deprecated since SPIR-V 1.6.
                let newer = self.target.at_least(SpirvVersion::V1_6);
                self.b.terminate(if newer { Op::TerminateInvocation } else { Op::Kill }, Vec::new());
                Ok(())
            }
            StmtKind::Other(word) => self.ending(word),
        }
    }

    /// Statements of one word that stop an invocation, or make it a helper.
    fn ending(&mut self, word: &str) -> Emit<()> {
        use rspirv::spirv::Capability as C;
        let (op, capability) = match word {
            "demote" => (Op::DemoteToHelperInvocation, Some(C::DemoteToHelperInvocation)),
            "terminateInvocation" => (Op::TerminateInvocation, None),
            "ignoreIntersectionEXT" => (Op::IgnoreIntersectionKHR, None),
            "terminateRayEXT" => (Op::TerminateRayKHR, None),
            _ => return Err(self.fail(format!("`{word}` is not supported in compiled shaders"))),
        };
        if let Some(capability) = capability {
            self.require_capability(capability);
            self.b.effect(op, &[]);
            return Ok(());
        }
        if op == Op::TerminateInvocation && !self.target.at_least(SpirvVersion::V1_6) {
            self.b.extension("SPV_KHR_terminate_invocation");
        }
        self.b.terminate(op, Vec::new());
        Ok(())
    }

    fn return_statement(&mut self, value: Option<ExprId>) -> Emit<()> {
        match value {
            Some(value) if self.f.return_type != coopmat_analysis::types::Ty::VOID => {
                let id = self.value(value)?;
                self.b.terminate(Op::ReturnValue, vec![Operand::IdRef(id)]);
            }
            value => {
                if let Some(value) = value {
                    self.discard_value(value)?;
                }
                self.b.terminate(Op::Return, Vec::new());
            }
        }
        Ok(())
    }

    fn declare(&mut self, local: LocalId, initializer: Option<ExprId>) -> Emit<()> {
        let declared = self.local(local);
        // Constants are made where they are used.
        if let (true, Some(constant)) = (declared.is_const, &declared.constant)
            && let Some(value) = self.constant(constant, declared.ty)?
        {
            self.keep_local(local, value)?;
            self.set_slot(local, LocalSlot::Value(value));
            return Ok(());
        }
        let Some(initializer) = initializer else {
            // The tensor types have no values without being created, and need no memory before.
            self.declare_variable(local)?;
            return Ok(());
        };
        let value = self.value(initializer)?;
        let simple = matches!(
            self.types.kind(declared.ty),
            TypeKind::Scalar(_) | TypeKind::Vector(..) | TypeKind::Reference(_)
        );
        // What a debugger may change is read from its variable.
        let is_kept = self.options.keep_locals && !declared.is_const;
        if simple && !declared.written && !self.f.jumps.in_switch_list && !is_kept {
            self.keep_local(local, value)?;
            self.note_local(local, value, None, true);
            self.set_slot(local, LocalSlot::Value(value));
            return Ok(());
        }
        let mut place = match self.slot(local) {
            LocalSlot::Place(place) => (**place).clone(),
            _ => self.declare_variable(local)?,
        };
        self.store(&mut place, value)
    }

    fn if_statement(
        &mut self,
        condition: ExprId,
        then: StmtId,
        otherwise: Option<StmtId>,
        attributes: &[Attribute],
    ) -> Emit<()> {
        let condition_value = self.value(condition)?;
        let (then_label, merge) = (self.b.id(), self.b.id());
        let else_label = if otherwise.is_some() { self.b.id() } else { merge };
        self.b.selection_merge(merge, selection_control(attributes));
        self.b.branch_if(condition_value, then_label, else_label);
        let list = std::mem::replace(&mut self.f.jumps.in_switch_list, false);
        self.b.label(then_label);
        self.statement(then);
        let mut merged = otherwise.is_none();
        if self.b.reachable() {
            merged = true;
            self.b.branch(merge);
        }
        if let Some(otherwise) = otherwise {
            self.b.label(else_label);
            self.statement(otherwise);
            if self.b.reachable() {
                merged = true;
                self.b.branch(merge);
            }
        }
        self.f.jumps.in_switch_list = list;
        self.finish_construct(merge, merged);
        Ok(())
    }

    /// Goes on after a construct; where nothing leads there, its block ends at once.
    fn finish_construct(&mut self, merge: Word, reached: bool) {
        self.b.label(merge);
        if !reached {
            self.b.terminate(Op::Unreachable, Vec::new());
        }
    }

    /// `while` and `for`: the condition stands in the header where it needs no blocks of its own.
    fn run_loop(
        &mut self,
        condition: Option<&'a Condition>,
        step: Option<ExprId>,
        body: StmtId,
        attributes: &[Attribute],
    ) -> Emit<()> {
        let (control, parameters) = self.loop_control(attributes)?;
        let (header, body_label, proceed, merge) = (self.b.id(), self.b.id(), self.b.id(), self.b.id());
        self.b.label(header);
        let mut target = Target { merge, merge_used: false, proceed: Some(proceed), proceed_used: false };
        let plain = match condition {
            None => true,
            Some(Condition::Expr(expr)) => self.is_straight(*expr, 0),
            Some(Condition::Declare { initializer, .. }) => self.is_straight(*initializer, 0),
        };
        if !plain {
            let test = self.b.id();
            self.b.loop_merge(merge, proceed, control, &parameters);
            self.b.branch(test);
            self.b.label(test);
        }
        let value = match condition {
            None => None,
            Some(condition) => Some(self.condition(condition)?),
        };
        if plain {
            self.b.loop_merge(merge, proceed, control, &parameters);
        }
        match value {
            Some(value) => {
                target.merge_used = true;
                self.b.branch_if(value, body_label, merge);
            }
            None => self.b.branch(body_label),
        }
        self.b.label(body_label);
        let (list, target) = self.loop_body(body, target);
        if self.b.reachable() {
            self.b.branch(proceed);
        }
        self.b.label(proceed);
        if let Some(step) = step {
            // Why it fails has been told.
            let _ = self.discard_value(step);
        }
        self.b.branch(header);
        self.f.jumps.in_switch_list = list;
        self.finish_construct(merge, target.merge_used);
        Ok(())
    }

    fn loop_body(&mut self, body: StmtId, target: Target) -> (bool, Target) {
        let list = std::mem::replace(&mut self.f.jumps.in_switch_list, false);
        self.f.jumps.targets.push(target);
        self.statement(body);
        let target = self.f.jumps.targets.pop().unwrap_or(target);
        (list, target)
    }

    fn condition(&mut self, condition: &'a Condition) -> Emit<Word> {
        match condition {
            Condition::Expr(expr) => self.value(*expr),
            Condition::Declare { local, initializer } => {
                let value = self.value(*initializer)?;
                if self.local(*local).written || self.options.keep_locals {
                    let mut place = self.declare_variable(*local)?;
                    self.store(&mut place, value)?;
                } else {
                    self.set_slot(*local, LocalSlot::Value(value));
                }
                Ok(value)
            }
        }
    }

    /// Stores the value of a local that needs no variable into one, where somebody wants to see it.
    fn keep_local(&mut self, local: LocalId, value: rspirv::spirv::Word) -> Emit<()> {
        if self.options.keep_locals {
            let mut place = self.declare_variable(local)?;
            self.store(&mut place, value)?;
        }
        Ok(())
    }

    fn do_while(&mut self, body: StmtId, condition: ExprId, attributes: &[Attribute]) -> Emit<()> {
        let (control, parameters) = self.loop_control(attributes)?;
        let (header, body_label, proceed, merge) = (self.b.id(), self.b.id(), self.b.id(), self.b.id());
        self.b.label(header);
        self.b.loop_merge(merge, proceed, control, &parameters);
        self.b.branch(body_label);
        self.b.label(body_label);
        let target = Target { merge, merge_used: true, proceed: Some(proceed), proceed_used: false };
        let (list, _) = self.loop_body(body, target);
        if self.b.reachable() {
            self.b.branch(proceed);
        }
        self.b.label(proceed);
        match self.value(condition) {
            Ok(value) => self.b.branch_if(value, header, merge),
            Err(_) => self.b.branch(header),
        }
        self.f.jumps.in_switch_list = list;
        self.finish_construct(merge, true);
        Ok(())
    }

    /// Whether an expression stays in one block.
    fn is_straight(&self, expr: ExprId, depth: u32) -> bool {
        if depth > 64 {
            return false;
        }
        let e = self.expr(expr);
        if e.constant.is_some() {
            return true;
        }
        let branches = match &e.kind {
            ExprKind::Conditional { .. } => true,
            ExprKind::Binary { op, .. } => matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr),
            _ => false,
        };
        let mut operands = Vec::new();
        e.kind.operands(&mut operands);
        !branches && operands.iter().all(|&part| self.is_straight(part, depth + 1))
    }

    /// `[[unroll]]` and its kin (GL_EXT_control_flow_attributes, GL_EXT_control_flow_attributes2).
    fn loop_control(&mut self, attributes: &[Attribute]) -> Emit<(LoopControl, SmallVec<[u32; 4]>)> {
        let mut control = LoopControl::NONE;
        // In the order of their bits.
        let mut parameters: SmallVec<[(LoopControl, u32); 4]> = SmallVec::new();
        for attribute in attributes {
            let value = attribute.value.and_then(|value| u32::try_from(value).ok());
            let (bit, takes) = match attribute.name.as_str() {
                "unroll" => (LoopControl::UNROLL, false),
                "dont_unroll" | "loop" => (LoopControl::DONT_UNROLL, false),
                "dependency_infinite" => (LoopControl::DEPENDENCY_INFINITE, false),
                "dependency_length" => (LoopControl::DEPENDENCY_LENGTH, true),
                "min_iterations" => (LoopControl::MIN_ITERATIONS, true),
                "max_iterations" => (LoopControl::MAX_ITERATIONS, true),
                "iteration_multiple" => (LoopControl::ITERATION_MULTIPLE, true),
                "peel_count" => (LoopControl::PEEL_COUNT, true),
                "partial_count" => (LoopControl::PARTIAL_COUNT, true),
                // Unknown attributes are ignored (GL_EXT_control_flow_attributes).
                _ => continue,
            };
            // What the version does not know is left out: these are hints.
            let since = if bit.bits() >= LoopControl::MIN_ITERATIONS.bits() {
                SpirvVersion::V1_4
            } else if bit.bits() >= LoopControl::DEPENDENCY_INFINITE.bits() {
                SpirvVersion::V1_3
            } else {
                SpirvVersion::V1_0
            };
            if !self.target.at_least(since) {
                continue;
            }
            if takes {
                let Some(value) = value else { continue };
                parameters.push((bit, value));
            }
            // Of two that contradict each other the last one holds.
            match bit {
                LoopControl::UNROLL => control.remove(LoopControl::DONT_UNROLL),
                LoopControl::DONT_UNROLL => control.remove(LoopControl::UNROLL),
                _ => {}
            }
            control |= bit;
        }
        parameters.sort_by_key(|(bit, _)| bit.bits());
        Ok((control, parameters.into_iter().map(|(_, value)| value).collect()))
    }

    fn switch(&mut self, selector: ExprId, body: &'a [StmtId], attributes: &[Attribute]) -> Emit<()> {
        let mut selector_value = self.value(selector)?;
        let mut wide = self.types.as_scalar(self.ty(selector)).is_some_and(|scalar| scalar.bits() == 64);
        // Labels of the instruction are literals: where one depends on specialization, the labels are numbered.
        let numbered = body.iter().any(|&statement| match self.f.body.stmts[statement].kind {
            StmtKind::Case(value) => self.case_value(value).is_none(),
            _ => false,
        });
        if numbered {
            selector_value = self.label_number(selector, selector_value, body)?;
            wide = false;
        }
        let merge = self.b.id();
        // Labels that stand side by side lead to one block.
        let mut segments: Vec<(Word, usize)> = Vec::new();
        let mut default = None;
        let mut cases: Vec<(i128, Word)> = Vec::new();
        let mut in_labels = false;
        for (index, &statement) in body.iter().enumerate() {
            let statement = &self.f.body.stmts[statement];
            let is_label = matches!(statement.kind, StmtKind::Case(_) | StmtKind::Default);
            if is_label && !in_labels {
                let label = self.b.id();
                segments.push((label, index));
            }
            in_labels = is_label;
            let Some(&(label, _)) = segments.last() else { continue };
            match &statement.kind {
                StmtKind::Case(value) => {
                    let number = if numbered { None } else { self.case_value(*value) };
                    cases.push((number.unwrap_or(cases.len() as i128), label));
                }
                StmtKind::Default => default = Some(label),
                _ => {}
            }
        }
        self.b.selection_merge(merge, selection_control(attributes));
        let mut operands = vec![Operand::IdRef(selector_value), Operand::IdRef(default.unwrap_or(merge))];
        for &(value, label) in &cases {
            operands.push(if wide {
                Operand::LiteralBit64(value as u64)
            } else {
                Operand::LiteralBit32(value as u32)
            });
            operands.push(Operand::IdRef(label));
        }
        self.b.terminate(Op::Switch, operands);
        let target = Target { merge, merge_used: default.is_none(), proceed: None, proceed_used: false };
        self.f.jumps.targets.push(target);
        let list = std::mem::replace(&mut self.f.jumps.in_switch_list, true);
        for (index, &(label, start)) in segments.iter().enumerate() {
            // The block before falls through.
            self.b.label(label);
            let end = segments.get(index + 1).map_or(body.len(), |&(_, start)| start);
            for &statement in body.get(start..end).unwrap_or_default() {
                if matches!(self.f.body.stmts[statement].kind, StmtKind::Case(_) | StmtKind::Default) {
                    continue;
                }
                self.statement(statement);
            }
        }
        let target = self.f.jumps.targets.pop().unwrap_or(target);
        let mut reached = target.merge_used;
        if self.b.reachable() {
            reached = true;
            self.b.branch(merge);
        }
        self.f.jumps.in_switch_list = list;
        self.finish_construct(merge, reached);
        Ok(())
    }
    fn case_value(&self, value: ExprId) -> Option<i128> {
        self.expr(value).constant.as_ref().and_then(Const::as_int)
    }

    /// The number of the label that a selector has the value of, counted from 0; -1 for none.
    fn label_number(&mut self, selector: ExprId, value: Word, body: &'a [StmtId]) -> Emit<Word> {
        let (int, bool_type) = (self.int_type(), self.bool_type());
        let mut found = self.int_constant(-1);
        let mut number = 0;
        let (mut labels, mut operand) = (Vec::new(), value);
        for &statement in body {
            if let StmtKind::Case(label) = self.f.body.stmts[statement].kind {
                labels.push(label);
            }
        }
        // The types of the labels differ from the selector's in their sign at most.
        let selector_ty = self.ty(selector);
        for label in labels {
            let id = self.value(label)?;
            let label_ty = self.ty(label);
            if label_ty != selector_ty && operand == value {
                operand = self.convert_value(value, selector_ty, label_ty)?;
            }
            let left = if label_ty == selector_ty { value } else { operand };
            let equal = self.b.value(Op::IEqual, bool_type, &[left, id]);
            let this = self.int_constant(number);
            found = self.b.value(Op::Select, int, &[equal, this, found]);
            number += 1;
        }
        Ok(found)
    }
}

/// `[[flatten]]` and `[[branch]]` (GL_EXT_control_flow_attributes).
fn selection_control(attributes: &[Attribute]) -> SelectionControl {
    let named = |names: &[&str]| attributes.iter().any(|attribute| names.contains(&attribute.name.as_str()));
    if named(&["flatten"]) {
        SelectionControl::FLATTEN
    } else if named(&["branch", "dont_flatten"]) {
        SelectionControl::DONT_FLATTEN
    } else {
        SelectionControl::NONE
    }
}
