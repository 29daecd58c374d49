//! One walk through a function's statements: values of variables along the paths, and which invocations are there.
//!
//! Control flow is structured, so divergence is too: a branch on a condition that differs separates the invocations until
//! its end; those that leave by `break`, `continue` or `return` are missing until the end of the loop, of the round, of the
//! function. Invocations that leave a function meet again behind the call.

use crate::hir::{Body, Condition, Const, ExprId, FunctionId, LocalId, StmtId, StmtKind};
use crate::text::{TextRange, TextSize};
use crate::types::TypeKind;

use super::cause::Step;
use super::value::{Many, Value};
use super::{Outcome, Program};

/// The values of all locals at one place.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// A vector has one for each component.
    pub values: Vec<Value>,
    /// Whether the place is reached.
    pub alive: bool,
}

/// Which invocations are missing because they left: until the end of the function, of the loop, of its round.
#[derive(Clone, Copy, Debug, Default)]
struct Left {
    by_return: Value,
    by_break: Value,
    by_continue: Value,
}

impl Left {
    fn join(self, other: Left) -> Left {
        Left {
            by_return: self.by_return.join(other.by_return),
            by_break: self.by_break.join(other.by_break),
            by_continue: self.by_continue.join(other.by_continue),
        }
    }
}

pub(super) struct Walk<'p, 'm> {
    pub program: &'p mut Program<'m>,
    pub body: &'m Body,
    /// Where the body starts in the expanded text.
    pub base: TextSize,
    /// The first slot of each local, and the end.
    slots: Vec<u32>,
    pub state: State,
    /// Conditions around the innermost loop, and those inside it.
    outer: Value,
    control: Value,
    left: Left,
    /// States at the jumps out of the innermost loop or `switch`, and to the next round of the innermost loop.
    breaks: Vec<State>,
    continues: Vec<State>,
    result: Option<Many>,
    returned: Option<State>,
}

/// The version of a variable that has no value yet.
pub(super) const UNDEFINED: u32 = u32::MAX;
const JOIN: u32 = 1 << 31;
/// Rounds after which a loop's values are taken as they are: the lattice is not high.
const MAX_ROUNDS: u32 = 8;
/// States kept for the jumps out of one loop; further ones are joined into the last.
const MAX_JUMPS: usize = 64;

impl<'p, 'm> Walk<'p, 'm> {
    pub fn new(program: &'p mut Program<'m>, body: &'m Body, base: TextSize) -> Walk<'p, 'm> {
        let mut slots = Vec::with_capacity(body.locals.len() + 1);
        let mut next = 0;
        for (_, local) in body.locals.iter() {
            slots.push(next);
            next += match program.types.kind(local.ty) {
                TypeKind::Vector(_, length) => u32::from(*length),
                _ => 1,
            };
        }
        slots.push(next);
        Walk {
            program,
            body,
            base,
            slots,
            state: State { values: vec![Value::SAME; next as usize], alive: true },
            outer: Value::SAME,
            control: Value::SAME,
            left: Left::default(),
            breaks: Vec::new(),
            continues: Vec::new(),
            result: None,
            returned: None,
        }
    }

    /// Runs the body of a function with these arguments.
    pub fn run(mut self, function: FunctionId, arguments: &[Many]) -> Outcome {
        for (index, &local) in self.body.parameters.iter().enumerate() {
            let value = arguments.get(index).copied().unwrap_or(Many::unknown());
            self.set_local(local, value, 0);
        }
        if let Some(root) = self.body.root {
            self.statement(root);
        }
        let end = match self.returned.take() {
            Some(returned) => join(self.state, returned, self.left.by_return, JOIN),
            None => self.state,
        };
        let parameters = &self.program.module.functions[function].parameters;
        let outs = (0..parameters.len())
            .map(|index| match self.body.parameters.get(index) {
                Some(&local) => read(&end, &self.slots, local),
                None => Many::unknown(),
            })
            .collect();
        Outcome { result: self.result.unwrap_or(Many::SAME), outs }
    }

    /// Does something that only the invocations for which a condition holds reach.
    pub fn with_control<T>(&mut self, control: Value, inside: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.control;
        self.control = outside.join(control);
        let result = inside(self);
        self.control = outside;
        result
    }

    pub fn range(&self, expr: ExprId) -> TextRange {
        self.body.exprs[expr].range + self.base
    }

    /// How the invocations that are here differ from all of the scope.
    pub fn effective_control(&self) -> Value {
        let Left { by_return, by_break, by_continue } = self.left;
        self.outer.join(self.control).join(by_return).join(by_break).join(by_continue)
    }

    pub fn local(&self, local: LocalId) -> Many {
        read(&self.state, &self.slots, local)
    }

    pub fn slots_of(&self, local: LocalId) -> std::ops::Range<usize> {
        let index = local.into_raw().into_u32() as usize;
        match self.slots.get(index..index + 2) {
            Some(&[start, end]) => start as usize..end as usize,
            _ => 0..0,
        }
    }

    pub fn set_local(&mut self, local: LocalId, value: Many, version: u32) {
        let range = self.slots_of(local);
        let value = if range.len() == 1 { Many::one(value.blended()) } else { value };
        for (index, slot) in range.enumerate() {
            if let Some(place) = self.state.values.get_mut(slot) {
                *place = value.get(index).with_version(version);
            }
        }
    }

    fn statements(&mut self, statements: &[StmtId]) {
        for &statement in statements {
            self.statement(statement);
        }
    }

    pub fn statement(&mut self, stmt: StmtId) {
        if !self.state.alive || !self.program.enter() {
            return;
        }
        let body = self.body;
        match &body.stmts[stmt].kind {
            StmtKind::Error | StmtKind::Empty | StmtKind::Declaration => {}
            StmtKind::Block(statements) => self.statements(statements),
            StmtKind::Expr(expr) => {
                self.value(*expr);
            }
            StmtKind::Declare { local, initializer } => self.declare(*local, *initializer),
            StmtKind::If { condition, then, otherwise, .. } => {
                self.branch(stmt, *condition, *then, *otherwise)
            }
            StmtKind::Switch { selector, body, .. } => self.switch(stmt, *selector, body),
            // Only the `switch` itself looks at its labels.
            StmtKind::Case(_) | StmtKind::Default => {}
            StmtKind::For { init, condition, step, body, .. } => {
                if let Some(init) = init {
                    self.statement(*init);
                }
                self.repeat(stmt, condition.as_ref(), *step, *body, true);
            }
            StmtKind::While { condition, body, .. } => {
                self.repeat(stmt, Some(condition), None, *body, true);
            }
            StmtKind::DoWhile { body, condition, .. } => {
                let condition = Condition::Expr(*condition);
                self.repeat(stmt, Some(&condition), None, *body, false);
            }
            StmtKind::Break => {
                self.left.by_break = self.left.by_break.join(self.control);
                let state = self.leave();
                keep(&mut self.breaks, state, stmt);
            }
            StmtKind::Continue => {
                self.left.by_continue = self.left.by_continue.join(self.control);
                let state = self.leave();
                keep(&mut self.continues, state, stmt);
            }
            StmtKind::Return(value) => {
                let value = value.map(|value| self.value(value));
                let control = self.effective_control();
                if let Some(value) = value {
                    let value = value.map(|value| value.join(control.blurred()));
                    self.result = Some(match self.result {
                        Some(known) => known.zip(&value, Value::join),
                        None => value,
                    });
                }
                self.left.by_return = self.left.by_return.join(control);
                let state = self.leave();
                self.returned = Some(match self.returned.take() {
                    Some(returned) => join(returned, state, control, join_version(stmt, 3)),
                    None => state,
                });
            }
            StmtKind::Discard | StmtKind::Other(_) => {
                self.left.by_return = self.left.by_return.join(self.effective_control());
                self.leave();
            }
        }
        self.program.leave();
    }

    fn leave(&mut self) -> State {
        std::mem::take(&mut self.state)
    }

    fn declare(&mut self, local: LocalId, initializer: Option<ExprId>) {
        match initializer {
            Some(initializer) => {
                let value = self.value(initializer);
                let value = self.assigned(&self.body.locals[local].name, value, self.range(initializer));
                self.set_local(local, value, version_of(initializer));
            }
            None => self.set_local(local, Many::SAME, UNDEFINED),
        }
    }

    /// A condition, as what it does to control flow.
    fn condition(&mut self, condition: ExprId) -> Value {
        let value = self.value(condition).blended().blurred();
        self.as_control(value, Step::Condition, self.range(condition))
    }

    fn as_control(&mut self, mut value: Value, step: Step, range: TextRange) -> Value {
        for within in [&mut value.subgroup, &mut value.workgroup] {
            if within.differs() {
                within.cause = self.program.causes.add(step, "", range, within.cause);
            }
        }
        for cause in [&mut value.own.subgroup, &mut value.own.workgroup] {
            *cause = self.program.causes.follow(step, "", range, *cause);
        }
        value.own.mixed = false;
        Value { version: 0, blocks: false, unit: false, ..value }
    }

    fn branch(&mut self, stmt: StmtId, condition: ExprId, then: StmtId, otherwise: Option<StmtId>) {
        if let Some(Const::Bool(known)) = self.body.exprs[condition].constant {
            match (known, otherwise) {
                (true, _) => self.statement(then),
                (false, Some(otherwise)) => self.statement(otherwise),
                (false, None) => {}
            }
            return;
        }
        let value = self.condition(condition);
        let (outside, left) = (self.control, self.left);
        self.control = outside.join(value);
        let before = self.state.clone();
        self.statement(then);
        let after = std::mem::replace(&mut self.state, before);
        let left_by_then = std::mem::replace(&mut self.left, left);
        if let Some(otherwise) = otherwise {
            self.statement(otherwise);
        }
        self.left = self.left.join(left_by_then);
        self.control = outside;
        let other = self.leave();
        self.state = join(after, other, value, join_version(stmt, 0));
    }

    fn switch(&mut self, stmt: StmtId, selector: ExprId, statements: &[StmtId]) {
        let value = self.condition(selector);
        let outside = self.control;
        let breaks = std::mem::take(&mut self.breaks);
        let entry = self.state.clone();
        let left = Left { by_break: Value::SAME, ..self.left };
        let by_break = self.left.by_break;
        let mut all_left = left;
        self.left = left;
        self.control = outside.join(value).join(by_break);
        self.state.alive = false;
        let mut has_default = false;
        for &statement in statements {
            if let StmtKind::Case(_) | StmtKind::Default = self.body.stmts[statement].kind {
                has_default |= self.body.stmts[statement].kind == StmtKind::Default;
                if !self.state.alive {
                    all_left = all_left.join(self.left);
                    self.left = left;
                }
                let before = self.leave();
                self.state = join(before, entry.clone(), value, join_version(stmt, 1));
            } else {
                self.statement(statement);
            }
        }
        let mut end = self.leave();
        for state in std::mem::replace(&mut self.breaks, breaks) {
            end = join(end, state, value, join_version(stmt, 0));
        }
        if !has_default {
            end = join(end, entry, value, join_version(stmt, 0));
        }
        self.state = end;
        self.left = Left { by_break, ..all_left.join(self.left) };
        self.control = outside;
    }

    /// A loop: rounds until its values do not change any more.
    fn repeat(
        &mut self,
        stmt: StmtId,
        condition: Option<&Condition>,
        step: Option<ExprId>,
        body: StmtId,
        test_first: bool,
    ) {
        let entry = self.state.clone();
        let (outer, control, left) = (self.outer, self.control, self.left);
        let breaks = std::mem::take(&mut self.breaks);
        let continues = std::mem::take(&mut self.continues);
        self.outer = outer.join(control).join(left.by_break).join(left.by_continue);
        self.control = Value::SAME;
        self.left = Left { by_return: left.by_return, ..Left::default() };
        let mut header = entry.clone();
        let mut exits: Vec<State>;
        let mut round = 0;
        loop {
            round += 1;
            let before = self.left;
            self.state = header.clone();
            exits = Vec::new();
            if test_first {
                self.test(condition, stmt, &mut exits);
            }
            self.left.by_continue = Value::SAME;
            self.statement(body);
            let mut end = self.leave();
            for state in std::mem::take(&mut self.continues) {
                end = join(end, state, self.left.by_continue, join_version(stmt, 1));
            }
            self.state = end;
            self.left.by_continue = Value::SAME;
            if self.state.alive {
                if let Some(step) = step {
                    self.value(step);
                }
                if !test_first {
                    self.test(condition, stmt, &mut exits);
                }
            }
            exits.append(&mut self.breaks);
            let back = self.leave();
            let joined = join(header.clone(), back, Value::SAME, join_version(stmt, 2));
            let settled = header.values.iter().zip(&joined.values).all(|(known, new)| known.covers(new))
                && before.by_break.covers(&self.left.by_break)
                && before.by_return.covers(&self.left.by_return);
            header = joined;
            if settled || round == MAX_ROUNDS || self.program.exhausted() {
                break;
            }
        }
        // What leaves by the test before a round sees all rounds before it.
        if test_first && condition.is_some() {
            self.state = header;
            exits.retain(|state| state.alive);
            let mut tested = Vec::new();
            self.test(condition, stmt, &mut tested);
            exits.append(&mut tested);
        }
        let divergence =
            self.as_control(self.left.by_break, Step::Loop, self.body.stmts[stmt].range + self.base);
        let mut end = State::default();
        for state in exits {
            end = join(end, state, Value::SAME, join_version(stmt, 0));
        }
        if end.alive
            && divergence.workgroup.spread.max(divergence.subgroup.spread) > super::value::Spread::Same
        {
            for (value, before) in end.values.iter_mut().zip(&entry.values) {
                if value.version != before.version {
                    *value = value.join(divergence.with_version(value.version));
                }
            }
        }
        self.state = end;
        self.outer = outer;
        self.control = control;
        self.left = Left { by_return: self.left.by_return, ..left };
        self.breaks = breaks;
        self.continues = continues;
    }

    /// The test of a loop: some leave by it.
    fn test(&mut self, condition: Option<&Condition>, stmt: StmtId, exits: &mut Vec<State>) {
        let expr = match condition {
            None => return,
            Some(Condition::Expr(expr)) => *expr,
            Some(Condition::Declare { local, initializer }) => {
                self.declare(*local, Some(*initializer));
                *initializer
            }
        };
        if let Some(Const::Bool(true)) = self.body.exprs[expr].constant {
            return;
        }
        let value = self.loop_condition(expr, stmt);
        self.left.by_break = self.left.by_break.join(value);
        exits.push(self.state.clone());
    }

    /// In `for (i = id; i < n; i += size)` the rounds may well be as many for all invocations: a counter that starts
    /// differently says nothing by itself, unless it counts in small steps.
    fn loop_condition(&mut self, expr: ExprId, stmt: StmtId) -> Value {
        let value = self.condition(expr);
        match value.differs() {
            true if self.strides(expr, stmt) => value.obscured(),
            true => value,
            false => value.of_others(),
        }
    }
}

/// The version that an assignment gives.
pub(super) fn version_of(expr: ExprId) -> u32 {
    (expr.into_raw().into_u32() + 1) & !JOIN
}

fn join_version(stmt: StmtId, place: u32) -> u32 {
    JOIN | ((stmt.into_raw().into_u32() * 4 + place) & (JOIN - 2))
}

fn keep(states: &mut Vec<State>, state: State, stmt: StmtId) {
    if states.len() < MAX_JUMPS {
        states.push(state);
    } else if let Some(last) = states.pop() {
        states.push(join(last, state, Value::SAME, join_version(stmt, 3)));
    }
}

fn read(state: &State, slots: &[u32], local: LocalId) -> Many {
    let index = local.into_raw().into_u32() as usize;
    let Some(&[start, end]) = slots.get(index..index + 2) else { return Many::unknown() };
    match state.values.get(start as usize..end as usize) {
        Some(values) => Many::of(values.iter().copied()),
        None => Many::unknown(),
    }
}

/// Two paths meet. What they give different values to depends on the condition that chose between them.
fn join(mut a: State, b: State, control: Value, version: u32) -> State {
    if !b.alive {
        return a;
    }
    if !a.alive {
        return b;
    }
    let control = control.blurred();
    for (value, other) in a.values.iter_mut().zip(&b.values) {
        if value.version == other.version {
            // The same assignment, seen in different rounds of a loop.
            if !value.covers(other) {
                *value = value.join(*other);
            }
            continue;
        }
        let joined = value.join(*other);
        *value = Value {
            subgroup: joined.subgroup.join(control.subgroup),
            workgroup: joined.workgroup.join(control.workgroup),
            own: joined.own.join(control.own),
            version,
            ..joined
        };
    }
    a
}
