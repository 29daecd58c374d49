//! A walk through the shader's statements with all invocations of one workgroup at once.
//!
//! Where a condition is known in each invocation, those for which it holds go one way, the others the other way. Where it is not, both ways
//! are followed one after the other, each with the choice written down, and put together behind. Loops are followed for a few rounds.
//! What is not followed is forgotten, so that what is found happens on a way that the shader may really take.

use std::rc::Rc;

use crate::checks::walk::{children, each_expression, expressions};
use crate::hir::{
    Callee, Condition, Const, ExprId, ExprKind, FunctionId, GlobalId, LocalId, StmtId, StmtKind, Storage,
};

use super::Walker;
use super::facts::flag;
use super::memory::{Decision, Mask, Pending};
use super::value::{Truth, Value, lane_truth};

/// A scalar, or a vector by components; nothing is known of anything else.
pub(super) type Many = Rc<[Value]>;

/// A variable: its value, and the invocations that it was declared in.
#[derive(Debug)]
pub(super) struct Variable {
    pub value: Many,
    pub mask: Mask,
}

/// Everything that differs from way to way.
#[derive(Clone)]
pub(super) struct State {
    /// Of the function's variables, by number.
    pub variables: Vec<Option<Rc<Variable>>>,
    /// Of variables of the whole shader that each invocation has of its own.
    pub privates: Vec<(GlobalId, Many)>,
    pub pending: Vec<Pending>,
    pub decisions: Vec<Decision>,
    /// The invocations that are here.
    pub mask: Mask,
    /// Those that wait for the others: at the end of the function, of the loop, of its round.
    pub returned: Mask,
    pub broken: Mask,
    pub continued: Mask,
    /// More invocations may be here than `mask` says.
    pub blurred: bool,
    /// What the function returns to those that have returned.
    pub result: Option<Many>,
}

impl State {
    pub fn new(mask: Mask) -> State {
        State {
            variables: Vec::new(),
            privates: Vec::new(),
            pending: Vec::new(),
            decisions: Vec::new(),
            mask,
            returned: Mask::NONE,
            broken: Mask::NONE,
            continued: Mask::NONE,
            blurred: false,
            result: None,
        }
    }
}

/// Rounds of a loop with barriers that are followed: enough for three buffers in turn.
const ROUNDS: u32 = 3;
/// Of one without, and of one without that is inside of another such: what is written there is alike in all.
const ROUNDS_WITHOUT: u32 = 3;
const ROUNDS_INSIDE: u32 = 1;

/// Choices that are written down at a time.
const MAX_DECISIONS: usize = 48;

/// A condition, lane by lane.
struct Split {
    /// Where it holds, and where it may hold.
    yes: Mask,
    maybe: Mask,
    decision: Option<Decision>,
}

impl<'m> Walker<'m> {
    /// Runs the body of a function from here to its end.
    pub fn run(&mut self, function: FunctionId, arguments: Vec<Option<Many>>) -> Option<Many> {
        let module = self.module;
        let declared = &module.functions[function];
        let body = declared.body.as_deref()?;
        let facts = self.all_facts.of(module, function);
        let mask = self.state.mask;
        let outer = (
            std::mem::replace(&mut self.body, body),
            std::mem::replace(&mut self.base, declared.range.start()),
            std::mem::replace(&mut self.facts, facts),
            std::mem::take(&mut self.state.variables),
            std::mem::replace(&mut self.state.returned, Mask::NONE),
            std::mem::replace(&mut self.state.broken, Mask::NONE),
            std::mem::replace(&mut self.state.continued, Mask::NONE),
            self.state.result.take(),
            std::mem::take(&mut self.exits),
        );
        self.state.variables = vec![None; body.locals.len()];
        for (&local, argument) in body.parameters.iter().zip(arguments) {
            self.set(local, argument, true);
        }
        self.active.push(function);
        if let Some(root) = body.root {
            self.statement(root);
        }
        self.active.pop();
        self.outs = body.parameters.iter().map(|&local| self.local(local)).collect();
        let result = self.state.result.take();
        let restored = self.state.mask.or(self.state.returned).and(mask);
        self.state.mask = restored;
        (
            self.body,
            self.base,
            self.facts,
            self.state.variables,
            self.state.returned,
            self.state.broken,
            self.state.continued,
            self.state.result,
            self.exits,
        ) = outer;
        result
    }

    pub fn local(&self, local: LocalId) -> Option<Many> {
        let variable = self.state.variables.get(local.into_raw().into_u32() as usize)?.as_ref()?;
        Some(variable.value.clone())
    }

    /// Gives a variable a value in the invocations that are here.
    pub fn set(&mut self, local: LocalId, value: Option<Many>, declares: bool) {
        let (mask, lanes, everybody) = (self.state.mask, self.lanes, self.everybody);
        let index = local.into_raw().into_u32() as usize;
        let Some(place) = self.state.variables.get_mut(index) else { return };
        let (value, seen) = match (value, place.as_ref()) {
            (Some(value), _) if declares => (value, mask),
            // Nothing is known of it, but who has it.
            (None, None) => (Rc::new([]) as Many, mask),
            (None, Some(old)) => (Rc::new([]) as Many, if declares { mask } else { old.mask }),
            (Some(value), Some(old)) if old.mask.without(mask).is_empty() => (value, old.mask),
            (Some(value), Some(old)) if old.value.len() == value.len() => {
                let both = value.iter().zip(old.value.iter());
                let chosen = both.map(|(new, old)| new.choose(old, lanes, |lane| Some(mask.has(lane))));
                (chosen.collect(), old.mask)
            }
            // What the others have is not known.
            (Some(value), old) => {
                let known = value
                    .iter()
                    .map(|new| new.choose(&Value::UNKNOWN, lanes, |lane| mask.has(lane).then_some(true)))
                    .collect();
                (known, old.map_or(everybody, |old| old.mask))
            }
        };
        *place = Some(Rc::new(Variable { value, mask: seen }));
    }

    fn statements(&mut self, statements: &[StmtId]) {
        for &statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, stmt: StmtId) {
        if self.state.mask.is_empty() || !self.facts.is_needed(stmt) || !self.enter() {
            return;
        }
        let body = self.body;
        match &body.stmts[stmt].kind {
            StmtKind::Error | StmtKind::Empty | StmtKind::Declaration => {}
            StmtKind::Case(_) | StmtKind::Default => {}
            StmtKind::Block(statements) => self.statements(statements),
            StmtKind::Expr(expr) => {
                self.evaluate(*expr);
            }
            StmtKind::Declare { local, initializer } => {
                let value = initializer.and_then(|initializer| self.evaluate(initializer));
                self.set(*local, value, true);
            }
            StmtKind::If { condition, then, otherwise, .. } => {
                self.branch(stmt, *condition, *then, *otherwise)
            }
            StmtKind::Switch { selector, .. } => {
                self.evaluate(*selector);
                self.leave_out(stmt);
            }
            StmtKind::For { init, condition, step, body, .. } => {
                if let Some(init) = init {
                    self.statement(*init);
                }
                self.repeat(stmt, condition.as_ref(), *step, *body, true);
            }
            StmtKind::While { condition, body, .. } => self.repeat(stmt, Some(condition), None, *body, true),
            StmtKind::DoWhile { body, condition, .. } => {
                self.repeat(stmt, Some(&Condition::Expr(*condition)), None, *body, false);
            }
            StmtKind::Break => {
                self.state.broken = self.state.broken.or(self.state.mask);
                self.state.mask = Mask::NONE;
            }
            StmtKind::Continue => {
                self.state.continued = self.state.continued.or(self.state.mask);
                self.state.mask = Mask::NONE;
            }
            StmtKind::Return(value) => {
                let value = value.and_then(|value| self.evaluate(value));
                let (mask, lanes) = (self.state.mask, self.lanes);
                self.state.result = match (value, self.state.result.take()) {
                    (Some(value), None) if self.state.returned.is_empty() => Some(value),
                    (Some(value), Some(before)) if value.len() == before.len() => {
                        let both = value.iter().zip(before.iter());
                        Some(
                            both.map(|(new, old)| new.choose(old, lanes, |lane| Some(mask.has(lane))))
                                .collect(),
                        )
                    }
                    _ => None,
                };
                self.state.returned = self.state.returned.or(mask);
                self.state.mask = Mask::NONE;
            }
            StmtKind::Discard | StmtKind::Other(_) => self.stop(),
        }
        self.leave();
    }

    /// Goes past a statement that is not followed.
    fn leave_out(&mut self, stmt: StmtId) {
        let flags = self.facts.stmt(stmt);
        if flags & flag::RETURN != 0 {
            self.stop();
        }
        if flags & flag::BARRIER != 0 {
            self.state.pending.clear();
        }
        self.forget(stmt, false);
    }

    /// Nothing is known any more of what a statement changes. `alike`: a value that all invocations share stays one.
    fn forget(&mut self, stmt: StmtId, alike: bool) {
        let changes = self.facts.clone().changes(self.module, self.body, stmt);
        for local in &changes.locals {
            let index = local.into_raw().into_u32() as usize;
            let before = self.state.variables.get_mut(index).and_then(Option::take);
            if let Some(before) = before.filter(|_| alike) {
                let fresh = |value: &Value| {
                    if value.uniform().is_some() { self.atoms.fresh_value() } else { Value::UNKNOWN }
                };
                let value = before.value.iter().map(fresh).collect();
                if let Some(place) = self.state.variables.get_mut(index) {
                    *place = Some(Rc::new(Variable { value, mask: before.mask }));
                }
            }
        }
        if changes.others {
            self.state.privates.clear();
        }
    }

    /// A condition, and the invocations for which it holds.
    fn split(&mut self, condition: ExprId, of_loop: bool) -> Split {
        let value = self.scalar(condition);
        let (mask, lanes) = (self.state.mask, self.lanes);
        let range = self.range(condition);
        match value.truth() {
            Truth::Known(known) => {
                let yes = Mask::of(lanes, |lane| lane_truth(&known, lane) == Some(true)).and(mask);
                let maybe = Mask::of(lanes, |lane| lane_truth(&known, lane).is_none()).and(mask);
                let exclusive = self.facts.expr(condition) & flag::EXCLUSIVE != 0;
                let guessed = !maybe.is_empty() && self.is_guessed(condition);
                let decision = (!maybe.is_empty()).then(|| Decision {
                    atom: self.atoms.fresh(),
                    holds: true,
                    of_loop,
                    exclusive,
                    guessed,
                    specialized: false,
                    range,
                });
                Split { yes, maybe, decision }
            }
            Truth::Atom(atom, holds) => match self.state.decisions.iter().find(|known| known.atom == atom) {
                Some(known) => {
                    let yes = if known.holds == holds { mask } else { Mask::NONE };
                    Split { yes, maybe: Mask::NONE, decision: None }
                }
                None => {
                    let specialized = self.body.exprs[condition].constant.is_some();
                    let (exclusive, guessed) = (false, false);
                    let decision = Decision { atom, holds, of_loop, exclusive, guessed, specialized, range };
                    Split { yes: Mask::NONE, maybe: mask, decision: Some(decision) }
                }
            },
        }
    }

    /// Whether a condition that invocations differ in hangs on more than their numbers and on values that all of them share: on memory, on a
    /// call, on a variable whose value is not known.
    fn is_guessed(&self, condition: ExprId) -> bool {
        let (body, mask) = (self.body, self.state.mask);
        let mut guessed = false;
        each_expression(body, condition, &mut |expr| {
            guessed |= match &body.exprs[expr].kind {
                ExprKind::Local(local) => self.local(*local).is_none_or(|value| {
                    let is_known =
                        |value: &Value| (0..self.lanes).all(|lane| !mask.has(lane) || value.knows(lane));
                    value.is_empty() || !value.iter().all(is_known)
                }),
                ExprKind::Global(global) | ExprKind::BlockMember(global, _) => {
                    matches!(self.module.globals[*global].storage, Storage::Shared | Storage::Buffer)
                }
                ExprKind::Call { callee: Callee::Function(_) | Callee::Builtin(_), .. } => true,
                _ => false,
            };
        });
        guessed
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
        // Of a loop without a condition, this is how its end is told: to go on is as open as of any other loop.
        let ends_loop = self.endless && otherwise.is_none() && self.is_break(then);
        let split = self.split(condition, false);
        let all = self.state.mask;
        let Some(decision) = split.decision else {
            self.both(then, otherwise, split.yes, all);
            return;
        };
        let inside: u8 =
            children(self.body, stmt).into_iter().fold(0, |all, child| all | self.facts.stmt(child));
        if inside & (flag::TOUCHES | flag::JUMP) == 0 {
            if inside & flag::EFFECT != 0 {
                self.forget(stmt, false);
            }
            return;
        }
        self.count(self.state.variables.len() / 16 + self.state.pending.len());
        let before = self.state.clone();
        self.decide(decision);
        self.both(then, otherwise, split.yes.or(split.maybe), all);
        let first = std::mem::replace(&mut self.state, before);
        self.decide(Decision { holds: !decision.holds, of_loop: ends_loop, ..decision });
        self.both(then, otherwise, split.yes, all);
        let second = std::mem::replace(&mut self.state, State::new(Mask::NONE));
        self.state = self.join(first, second);
    }

    /// Whether a statement is a `break` and nothing else.
    fn is_break(&self, stmt: StmtId) -> bool {
        let stmts = &self.body.stmts;
        match &stmts[stmt].kind {
            StmtKind::Block(inside) => {
                matches!(inside.as_slice(), [only] if stmts[*only].kind == StmtKind::Break)
            }
            kind => *kind == StmtKind::Break,
        }
    }

    /// Writes a choice down. Of loops long ago no more is known then.
    fn decide(&mut self, decision: Decision) {
        let decisions = &mut self.state.decisions;
        if decisions.len() >= MAX_DECISIONS {
            match decisions.iter().position(|decision| decision.of_loop) {
                Some(oldest) => {
                    decisions.remove(oldest);
                }
                None => return self.stop(),
            }
        }
        decisions.push(decision);
    }

    /// Some invocations go one way, then the rest the other way.
    fn both(&mut self, then: StmtId, otherwise: Option<StmtId>, yes: Mask, all: Mask) {
        self.state.mask = yes;
        self.statement(then);
        let after = std::mem::replace(&mut self.state.mask, all.without(yes));
        if let Some(otherwise) = otherwise {
            self.statement(otherwise);
        }
        self.state.mask = self.state.mask.or(after);
    }

    /// Two ways meet. One that has left is kept for where it comes out of the loop, or given up.
    fn join(&mut self, first: State, second: State) -> State {
        match (first.mask.is_empty(), second.mask.is_empty()) {
            (true, false) => {
                self.keep_exit(first);
                return second;
            }
            (false, true) => {
                self.keep_exit(second);
                return first;
            }
            _ => {}
        }
        let mask = first.mask.and(second.mask);
        if mask.is_empty() && !first.mask.is_empty() {
            return first;
        }
        let lanes = self.lanes;
        let (mine, theirs) = (&first.decisions, &second.decisions);
        let only = |all: &[Decision], others: &[Decision]| -> Vec<Decision> {
            all.iter().filter(|decision| !others.contains(decision) && !decision.of_loop).copied().collect()
        };
        let (only_mine, only_theirs) = (only(mine, theirs), only(theirs, mine));
        let decisions: Vec<Decision> =
            mine.iter().filter(|decision| theirs.contains(decision)).copied().collect();
        let mut pending: Vec<Pending> = Vec::with_capacity(first.pending.len().max(second.pending.len()));
        let find = |list: &[Pending], serial: u32| -> Option<usize> {
            list.binary_search_by_key(&serial, |pending| pending.access.serial).ok()
        };
        let same = |a: &Pending, b: &Pending| {
            a.subgroup == b.subgroup && a.waited == b.waited && a.fenced == b.fenced && a.passed == b.passed
        };
        for (list, others, only) in
            [(&first.pending, &second.pending, &only_mine), (&second.pending, &first.pending, &only_theirs)]
        {
            for entry in list {
                let serial = entry.access.serial;
                if find(&pending, serial).is_some() {
                    continue;
                }
                let mut entry = entry.clone();
                match find(others, serial).and_then(|index| others.get(index)) {
                    Some(other) if same(&entry, other) => {}
                    // Less came in between on the one way than on the other.
                    Some(other) if is_ordered(&entry) && !is_ordered(other) => continue,
                    _ => {
                        let own = entry.access.decisions.clone();
                        entry.passed.extend(only.iter().filter(|choice| !own.contains(choice)));
                    }
                }
                let at = pending.partition_point(|known| known.access.serial < serial);
                pending.insert(at, entry);
            }
        }
        let atoms = &mut self.atoms;
        let mut merge = |a: &Many, b: &Many| -> Option<Many> {
            (a.len() == b.len())
                .then(|| a.iter().zip(b.iter()).map(|(a, b)| a.merge(b, lanes, atoms)).collect())
        };
        let variables = first
            .variables
            .into_iter()
            .zip(&second.variables)
            .map(|(a, b)| match (a, b) {
                (Some(a), Some(b)) if Rc::ptr_eq(&a, b) => Some(a),
                (Some(a), Some(b)) => {
                    let value = merge(&a.value, &b.value)?;
                    Some(Rc::new(Variable { value, mask: a.mask.or(b.mask) }))
                }
                _ => None,
            })
            .collect();
        let privates = first
            .privates
            .iter()
            .filter_map(|(global, value)| {
                let (_, other) = second.privates.iter().find(|(other, _)| other == global)?;
                Some((*global, merge(value, other)?))
            })
            .collect();
        let result = match (&first.result, &second.result) {
            (Some(a), Some(b)) => merge(a, b),
            _ => None,
        };
        let apart = first.mask.or(second.mask).without(mask);
        State {
            variables,
            privates,
            pending,
            decisions,
            mask,
            returned: first.returned.or(second.returned),
            broken: first.broken.or(second.broken),
            continued: first.continued.or(second.continued).or(apart),
            blurred: first.blurred || second.blurred || !apart.is_empty(),
            result,
        }
    }

    fn keep_exit(&mut self, state: State) {
        if !state.broken.is_empty() {
            self.exits.truncate(3);
            self.exits.push(state);
        }
    }

    /// Asks whether a loop goes on, `goes_on` where that is not known; those that leave it wait at its end.
    fn test(&mut self, condition: Option<&Condition>, goes_on: bool) {
        let expr = match condition {
            None => return,
            Some(Condition::Expr(expr)) => *expr,
            Some(Condition::Declare { local, initializer }) => {
                let value = self.evaluate(*initializer);
                self.set(*local, value, true);
                *initializer
            }
        };
        if let Some(Const::Bool(true)) = self.body.exprs[expr].constant {
            return;
        }
        let split = self.split(expr, true);
        let all = self.state.mask;
        let on = match split.decision {
            None => split.yes,
            Some(decision) => {
                let holds = if goes_on { decision.holds } else { !decision.holds };
                self.decide(Decision { holds, ..decision });
                if goes_on { split.yes.or(split.maybe) } else { split.yes }
            }
        };
        self.state.broken = self.state.broken.or(all.without(on));
        self.state.mask = on;
    }

    fn repeat(
        &mut self,
        stmt: StmtId,
        condition: Option<&Condition>,
        step: Option<ExprId>,
        inside: StmtId,
        test_first: bool,
    ) {
        let mut flags = self.facts.stmt(inside);
        for expr in expressions(self.body, stmt) {
            flags |= self.facts.expr(expr);
        }
        if flags & flag::TOUCHES == 0 {
            self.leave_out(stmt);
            return;
        }
        let endless = match condition {
            None => true,
            Some(Condition::Expr(expr) | Condition::Declare { initializer: expr, .. }) => {
                self.body.exprs[*expr].constant == Some(Const::Bool(true))
            }
        };
        let has_barrier = flags & flag::BARRIER != 0;
        let most = match (endless || has_barrier, self.plain_loops) {
            (true, _) => ROUNDS,
            (false, 0) => ROUNDS_WITHOUT,
            (false, _) => ROUNDS_INSIDE,
        };
        self.plain_loops += u32::from(!has_barrier);
        let broken = std::mem::replace(&mut self.state.broken, Mask::NONE);
        let continued = std::mem::replace(&mut self.state.continued, Mask::NONE);
        let exits = std::mem::take(&mut self.exits);
        let around = std::mem::replace(&mut self.endless, endless);
        self.loops += 1;
        let number = self.loops;
        let mut round = 0;
        while !self.state.mask.is_empty() && !self.is_stopped() {
            // One more round, of which only is known what all have in common, stands for those that are left out.
            let last = round == most && !endless;
            if last {
                self.forget(stmt, true);
                if !has_barrier {
                    break;
                }
                self.state.pending.clear();
            }
            if test_first {
                self.test(condition, round < most.min(ROUNDS) || last);
            }
            self.rounds.push((number, round, self.body.stmts[stmt].range + self.base));
            self.statement(inside);
            self.rounds.pop();
            self.state.mask = self.state.mask.or(std::mem::replace(&mut self.state.continued, Mask::NONE));
            if let Some(step) = step
                && !self.state.mask.is_empty()
            {
                self.evaluate(step);
            }
            round += 1;
            if !test_first && !self.state.mask.is_empty() {
                self.test(condition, round < most.min(ROUNDS) || last);
            }
            if last || endless && round == most {
                break;
            }
        }
        self.endless = around;
        self.plain_loops -= u32::from(!has_barrier);
        let exits = std::mem::replace(&mut self.exits, exits);
        if endless && !self.state.mask.is_empty() && self.state.broken.is_empty() {
            // It ends at a `break`, where one was seen.
            match exits.into_iter().next_back() {
                Some(exit) => self.state = exit,
                None => self.stop(),
            }
        } else if self.state.mask.or(self.state.broken).is_empty()
            && let Some(exit) = exits.into_iter().next_back()
        {
            self.state = exit;
        }
        self.state.mask = self.state.mask.or(self.state.broken);
        self.state.broken = broken;
        self.state.continued = continued;
    }
}

fn is_ordered(pending: &Pending) -> bool {
    pending.subgroup.is_some() || pending.waited.is_some() || pending.fenced.is_some()
}
