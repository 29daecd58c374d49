//! Expressions: how their values differ between invocations, and what they assign, call and do with matrices.

use crate::extensions::{self, BuiltinFunction, BuiltinFunctionId, ParameterDirection, Rule, instructions};
use crate::hir::{
    BinaryOp, Callee, Const, Direction, ExprId, ExprKind, FunctionId, GlobalId, IncDec, LocalId, StmtId,
    Storage, UnaryOp,
};
use crate::text::TextRange;
use crate::types::{Ty, TypeKind};

use super::builtins::{self, Effect};
use super::cause::{CauseId, Step};
use super::memory;
use super::own::Own;
use super::value::{self, Circumstances, Many, Operand, Spread, Value, Within};
use super::walk::{UNDEFINED, Walk, version_of};
use crate::checks::walk::{children, each_expression, expressions};

/// What an expression that is read or written lies in.
pub(super) enum Root {
    Local(LocalId),
    /// A variable of the invocation's own at top level.
    Private(GlobalId),
    /// Memory that others see too, and constants.
    Memory,
    Other,
}

/// Steps of a loop's counter up to this are taken to be smaller than what invocations start with.
const SMALL_STEP: i128 = 8;

impl Walk<'_, '_> {
    /// The value of an expression; assignments in it happen, calls in it are checked.
    pub fn value(&mut self, expr: ExprId) -> Many {
        let body = self.body;
        let node = &body.exprs[expr];
        if node.constant.is_some() {
            return Many::SAME;
        }
        if !self.program.enter() {
            return Many::unknown();
        }
        let value = match &node.kind {
            ExprKind::Literal
            | ExprKind::String(_)
            | ExprKind::BuiltinConstant(_)
            | ExprKind::FunctionName { .. }
            | ExprKind::Length { .. } => Many::SAME,
            ExprKind::Error => Many::unknown(),
            ExprKind::Local(local) => self.local(*local),
            ExprKind::Global(global) => self.global(*global),
            ExprKind::BlockMember(global, _) => self.global(*global),
            ExprKind::BuiltinVariable(variable) => {
                let range = node.range + self.base;
                let (dimensions, one_subgroup) = (self.program.dimensions, self.program.one_subgroup);
                builtins::variable(
                    extensions::variable_by_id(*variable),
                    range,
                    dimensions,
                    one_subgroup,
                    &mut self.program.causes,
                )
            }
            ExprKind::Unary { op, operand } => {
                let value = self.value(*operand);
                self.matrix_arithmetic(expr, &[*operand]);
                match op {
                    UnaryOp::Plus | UnaryOp::Negate | UnaryOp::BitNot => value,
                    UnaryOp::Not => value.map(Value::blurred),
                }
            }
            ExprKind::IncDec { op, operand } => {
                let before = self.value(*operand);
                self.assign(*operand, before, expr);
                match op {
                    IncDec::PreIncrement
                    | IncDec::PreDecrement
                    | IncDec::PostIncrement
                    | IncDec::PostDecrement => before,
                }
            }
            ExprKind::Binary { op: op @ (BinaryOp::LogicalAnd | BinaryOp::LogicalOr), left, right } => {
                let first = self.value(*left);
                let control = first.blended().blurred();
                let second = self.with_control(control, |walk| walk.value(*right));
                self.combine(*op, (*left, first), (*right, second), node.ty)
            }
            ExprKind::Binary { op, left, right } => {
                let (first, second) = (self.value(*left), self.value(*right));
                self.matrix_arithmetic(expr, &[*left, *right]);
                self.combine(*op, (*left, first), (*right, second), node.ty)
            }
            ExprKind::Assign { op, target, value } => {
                let mut new = self.value(*value);
                self.check_ownership(*target, *value, new.blended());
                self.check_kept(*target, *value);
                if let Some(op) = op {
                    let old = self.value(*target);
                    self.matrix_arithmetic(expr, &[*target, *value]);
                    new = self.combine(*op, (*target, old), (*value, new), node.ty);
                }
                self.assign(*target, new, expr);
                new
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                self.conditional(*condition, *then, *otherwise)
            }
            ExprKind::Comma { left, right } => {
                self.value(*left);
                self.value(*right)
            }
            ExprKind::Call { callee: Callee::Function(function), arguments } => {
                self.call(expr, *function, arguments)
            }
            ExprKind::Call { callee: Callee::Builtin(function), arguments } => {
                self.builtin(expr, *function, arguments)
            }
            ExprKind::Construct { arguments } => self.construct(expr, arguments, node.ty),
            ExprKind::InitializerList { elements } => {
                let values: Vec<Many> = elements.iter().map(|&element| self.value(element)).collect();
                blend_all(&values)
            }
            ExprKind::Convert { operand } => {
                let value = self.value(*operand);
                if self.program.matrix_scope(node.ty).is_some() {
                    self.matrix_arithmetic(expr, &[*operand]);
                }
                value
            }
            ExprKind::Member { base, .. } => {
                let value = self.value(*base).blended();
                if matches!(self.kind(*base), TypeKind::Reference(_)) {
                    Many::one(self.loaded(Value::SAME, value, node.range + self.base))
                } else {
                    Many::one(value)
                }
            }
            ExprKind::Swizzle { base, components } => {
                let value = self.value(*base);
                Many::of(components.as_slice().iter().map(|&index| value.get(usize::from(index))))
            }
            ExprKind::Index { base, index } => self.element(expr, *base, *index),
        };
        self.program.leave();
        value
    }

    fn kind(&self, expr: ExprId) -> &TypeKind {
        self.program.types.kind(self.body.exprs[expr].ty)
    }

    fn known(&self, expr: ExprId) -> Option<i64> {
        match self.body.exprs[expr].constant.as_ref()? {
            Const::Bool(value) => Some(i64::from(*value)),
            Const::Int(value) => i64::try_from(*value).ok(),
            _ => None,
        }
    }

    fn combine(&self, op: BinaryOp, left: (ExprId, Many), right: (ExprId, Many), ty: Ty) -> Many {
        let around = Circumstances {
            floating: self.program.types.component(ty).is_some_and(|component| component.is_float()),
            workgroup_size: self.program.workgroup_size,
        };
        let (known_left, known_right) = (self.known(left.0), self.known(right.0));
        let combined = left.1.zip(&right.1, |a, b| {
            value::binary(
                op,
                Operand { value: a, known: known_left },
                Operand { value: b, known: known_right },
                around,
            )
        });
        // `==` of vectors is one answer.
        let components = self.components(ty);
        if usize::from(combined.count) == components { combined } else { Many::one(combined.blended()) }
    }

    fn components(&self, ty: Ty) -> usize {
        match self.program.types.kind(ty) {
            TypeKind::Vector(_, length) => usize::from(*length),
            _ => 1,
        }
    }

    fn conditional(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> Many {
        if let Some(Const::Bool(known)) = self.body.exprs[condition].constant {
            return self.value(if known { then } else { otherwise });
        }
        let control = self.value(condition).blended().blurred();
        let first = self.with_control(control, |walk| walk.value(then));
        let second = self.with_control(control, |walk| walk.value(otherwise));
        // Two constants that are equal need no condition.
        if self.known(then).is_some() && self.known(then) == self.known(otherwise) {
            return first;
        }
        first.zip(&second, |a, b| {
            let joined = a.join(b);
            Value {
                subgroup: joined.subgroup.join(control.subgroup),
                workgroup: joined.workgroup.join(control.workgroup),
                own: joined.own.join(control.own),
                ..joined
            }
        })
    }

    fn global(&mut self, global: GlobalId) -> Many {
        match self.program.module.globals[global].storage {
            Storage::Private => self.program.read_global(global),
            // One place in memory holds one value; who writes it for the others to read takes care of the rest.
            Storage::Const
            | Storage::Uniform
            | Storage::Buffer
            | Storage::Shared
            | Storage::PushConstant
            | Storage::ResourceHeap
            | Storage::SamplerHeap => Many::SAME,
            Storage::In | Storage::Out | Storage::Other => Many::unknown(),
        }
    }

    /// Follows an l-value to what it lies in.
    pub fn root(&self, expr: ExprId) -> Root {
        let mut expr = expr;
        loop {
            let node = &self.body.exprs[expr];
            expr = match &node.kind {
                ExprKind::Index { base, .. } | ExprKind::Swizzle { base, .. } => *base,
                ExprKind::Member { base, .. } => {
                    if matches!(self.kind(*base), TypeKind::Reference(_)) {
                        return Root::Memory;
                    }
                    *base
                }
                ExprKind::Convert { operand } => *operand,
                ExprKind::Local(local) => return Root::Local(*local),
                ExprKind::Global(global) | ExprKind::BlockMember(global, _) => {
                    return match self.program.module.globals[*global].storage {
                        Storage::Private => Root::Private(*global),
                        Storage::Const
                        | Storage::Uniform
                        | Storage::Buffer
                        | Storage::Shared
                        | Storage::PushConstant
                        | Storage::ResourceHeap
                        | Storage::SamplerHeap => Root::Memory,
                        Storage::In | Storage::Out | Storage::Other => Root::Other,
                    };
                }
                _ => return Root::Other,
            };
        }
    }

    /// What is read from a place that differs as its address does.
    fn loaded(&mut self, contents: Value, address: Value, range: TextRange) -> Value {
        let mut within = |contents: Within, address: Within| match (contents.spread, address.spread) {
            (_, Spread::Same) => contents.blurred(),
            (Spread::Same, Spread::Differs | Spread::Distinct) => {
                let cause = self.program.causes.add(Step::Loaded, "", range, address.cause);
                Within::new(Spread::Differs, cause)
            }
            (Spread::Differs | Spread::Distinct, _) => contents.blurred(),
            (Spread::Same | Spread::Unknown, _) => Within::new(Spread::Unknown, CauseId::NONE),
        };
        let (subgroup, workgroup) =
            (within(contents.subgroup, address.subgroup), within(contents.workgroup, address.workgroup));
        let mut own = address.own.loaded();
        for cause in [&mut own.subgroup, &mut own.workgroup] {
            *cause = self.program.causes.follow(Step::Loaded, "", range, *cause);
        }
        Value { subgroup, workgroup, own: contents.own.join(own), ..Value::SAME }
    }

    fn element(&mut self, expr: ExprId, base: ExprId, index: ExprId) -> Many {
        let mut address = self.value(index).blended();
        let mut contents = self.value(base);
        let range = self.range(expr);
        if let Some(scope) = self.program.matrix_scope(self.body.exprs[base].ty) {
            self.check_element_index(expr, scope, address);
            // What it was made of was told where it was made.
            contents = contents.map(Value::of_others);
            address = address.of_others();
        }
        if address.is_same() {
            return match self.known(index).and_then(|index| usize::try_from(index).ok()) {
                Some(index) if index < usize::from(contents.count) => Many::one(contents.get(index)),
                _ => Many::one(contents.blended()),
            };
        }
        match self.root(base) {
            Root::Memory => {
                // What an invocation puts aside for itself has any place.
                let global = memory::global_of(self.program.types, self.body, base);
                let kept = global.is_some_and(|global| self.program.kept.before(global, range.start()));
                let address = if kept { address.of_others() } else { address };
                Many::one(self.loaded(contents.blended(), address, range))
            }
            Root::Local(_) | Root::Private(_) | Root::Other => {
                let contents = contents.blended();
                let address = address.folded();
                Many::one(contents.join(address))
            }
        }
    }

    /// How the place of an array in memory differs: by the indices on the way to it and the references that are followed.
    pub fn address(&mut self, expr: ExprId) -> Value {
        let mut address = Value::SAME;
        let mut expr = expr;
        loop {
            expr = match &self.body.exprs[expr].kind {
                ExprKind::Index { base, index } => {
                    address = address.join(self.value(*index).blended());
                    *base
                }
                ExprKind::Member { base, .. } => {
                    if matches!(self.kind(*base), TypeKind::Reference(_)) {
                        return address.join(self.value(*base).blended());
                    }
                    *base
                }
                _ => return address,
            };
        }
    }

    /// A value as it is after an assignment to a variable.
    pub fn assigned(&mut self, name: &str, value: Many, range: TextRange) -> Many {
        self.linked(Step::Assigned, name, value, range)
    }

    fn linked(&mut self, step: Step, name: &str, mut value: Many, range: TextRange) -> Many {
        for part in &mut value.parts[..usize::from(value.count)] {
            for within in [&mut part.subgroup, &mut part.workgroup] {
                if within.differs() {
                    within.cause = self.program.causes.add(step, name, range, within.cause);
                }
            }
            for cause in [&mut part.own.subgroup, &mut part.own.workgroup] {
                *cause = self.program.causes.follow(step, name, range, *cause);
            }
        }
        value
    }

    fn assign(&mut self, target: ExprId, value: Many, expr: ExprId) {
        let version = version_of(expr);
        let range = self.range(expr);
        let body = self.body;
        match (&body.exprs[target].kind, self.root(target)) {
            (ExprKind::Local(local), _) => {
                let value = self.assigned(&body.locals[*local].name, value, range);
                self.set_local(*local, value, version);
            }
            (ExprKind::Swizzle { base, components }, Root::Local(local))
                if matches!(body.exprs[*base].kind, ExprKind::Local(_)) =>
            {
                let value = self.assigned(&body.locals[local].name, value, range);
                let mut whole = self.local(local);
                for (index, &component) in components.as_slice().iter().enumerate() {
                    if let Some(part) = whole.parts.get_mut(usize::from(component)) {
                        *part = value.get(index);
                    }
                }
                self.set_local(local, whole, version);
            }
            (ExprKind::Index { base, index }, Root::Local(local))
                if matches!(body.exprs[*base].kind, ExprKind::Local(_))
                    && self.known(*index).is_some_and(|index| (0..4).contains(&index))
                    && self.local(local).count > 1 =>
            {
                let value = self.assigned(&body.locals[local].name, value, range);
                let mut whole = self.local(local);
                let index = self.known(*index).unwrap_or_default() as usize;
                if let Some(part) = whole.parts.get_mut(index) {
                    *part = value.get(0);
                }
                self.set_local(local, whole, version);
            }
            (_, Root::Local(local)) => {
                let value = self.assigned(&body.locals[local].name, value, range).blended();
                let whole = self.local(local);
                let whole =
                    whole.map(|part| if part.version == UNDEFINED { value } else { part.blend(value) });
                self.set_local(local, whole, version);
            }
            (kind, Root::Private(global)) => {
                let name = &self.program.module.globals[global].name;
                let value = self.assigned(name, value, range);
                // Variables of the whole shader have one value for all the times that they are read.
                let control = self.effective_control();
                let value = value.map(|part| part.join(Value { version: 0, ..control.obscured() }));
                let whole = matches!(kind, ExprKind::Global(_));
                self.program.write_global(global, value, whole);
            }
            (_, Root::Memory | Root::Other) => {
                // The place is worked out even where what is written there is not followed.
                if let ExprKind::Index { index, .. } = &body.exprs[target].kind {
                    self.value(*index);
                }
            }
        }
    }

    fn construct(&mut self, expr: ExprId, arguments: &[ExprId], ty: Ty) -> Many {
        let values: Vec<Many> = arguments.iter().map(|&argument| self.value(argument)).collect();
        if self.program.matrix_scope(ty).is_some() {
            // A matrix of one constant is a constant itself.
            if arguments.iter().any(|&argument| self.body.exprs[argument].constant.is_none()) {
                self.matrix_arithmetic(expr, arguments);
            }
            // A matrix stands for its elements: they are all this one, or converted from those of another.
            return values.first().map_or(Many::unknown(), |value| Many::one(value.blended()));
        }
        let components = self.components(ty);
        match (self.program.types.kind(ty), values.as_slice()) {
            (TypeKind::Scalar(_) | TypeKind::Reference(_), [value, ..]) => Many::one(value.get(0)),
            (TypeKind::Vector(..), [value]) if value.count == 1 => {
                Many::of((0..components).map(|_| value.get(0)))
            }
            (TypeKind::Vector(..), values) => {
                // A matrix or a structure among the arguments stands for all its parts.
                let parts = values.iter().zip(arguments).flat_map(|(value, &argument)| {
                    let count = self.components(self.body.exprs[argument].ty);
                    (0..count).map(|index| value.get(index))
                });
                Many::of(parts.chain(std::iter::repeat(Value::unknown())).take(components))
            }
            _ => blend_all(&values),
        }
    }

    fn call(&mut self, expr: ExprId, function: FunctionId, arguments: &[ExprId]) -> Many {
        let program = self.program.module;
        let declared = &program.functions[function];
        let range = self.range(expr);
        let mut values = Vec::with_capacity(arguments.len());
        for (index, &argument) in arguments.iter().enumerate() {
            let parameter = declared.parameters.get(index);
            let value = match parameter.map(|parameter| parameter.direction) {
                Some(Direction::Out) => Many::SAME,
                _ => self.value(argument),
            };
            let name = parameter.map_or("", |parameter| &parameter.name);
            values.push(self.linked(Step::Passed, name, value, self.range(argument)));
        }
        self.check_call(expr, function);
        let outcome = self.program.call(function, &values);
        for (index, &argument) in arguments.iter().enumerate() {
            if declared.parameters.get(index).is_some_and(|parameter| parameter.direction != Direction::In) {
                let value = outcome.outs.get(index).copied().unwrap_or(Many::unknown());
                self.assign(argument, value, argument);
            }
        }
        self.linked(Step::Returned, &declared.name, outcome.result, range)
    }

    fn builtin(&mut self, expr: ExprId, id: BuiltinFunctionId, arguments: &[ExprId]) -> Many {
        let function = extensions::function(id);
        let mut values = Vec::with_capacity(arguments.len());
        for (index, &argument) in arguments.iter().enumerate() {
            let parameter = function.parameters.get(index);
            let is_input = parameter.is_none_or(|parameter| parameter.direction != ParameterDirection::Out);
            // The memory of a load or store is a place, not a value.
            let place = parameter.is_some_and(|parameter| parameter.memory);
            values.push(if is_input && !place { self.value(argument) } else { Many::SAME });
        }
        self.check_operation(expr, function, arguments);
        let ty = self.body.exprs[expr].ty;
        let result = self.result_of(function, &values, expr, ty);
        for (&argument, parameter) in arguments.iter().zip(function.parameters) {
            if parameter.direction != ParameterDirection::In && !parameter.memory {
                let value = match self.program.matrix_scope(self.body.exprs[argument].ty) {
                    Some(_) => self.elements(function, expr),
                    None => result.map(Value::folded),
                };
                self.assign(argument, value, argument);
            }
        }
        result
    }

    /// The elements of a matrix that an operation gives: each invocation holds some of its own. What other functions make of
    /// them, reductions above all, may be the same everywhere.
    fn elements(&mut self, function: &BuiltinFunction, expr: ExprId) -> Many {
        match function.rule {
            Some(
                Rule::CoopMatLoad
                | Rule::CoopMatLoadTensor
                | Rule::CoopMatLoadNv
                | Rule::CoopMatMulAdd
                | Rule::CoopMatMulAddNv,
            ) => {
                let range = self.range(expr);
                let causes = &mut self.program.causes;
                let cause = causes.add(Step::Source, "an element of a matrix", range, CauseId::NONE);
                Many::one(Value::of(Spread::Differs, cause))
            }
            _ => Many::unknown(),
        }
    }

    fn result_of(&mut self, function: &BuiltinFunction, values: &[Many], expr: ExprId, ty: Ty) -> Many {
        if self.program.matrix_scope(ty).is_some() {
            return self.elements(function, expr);
        }
        let components = self.components(ty);
        let all = values.iter().fold(Value::SAME, |all, value| all.join(value.joined()));
        let all = Value { version: 0, ..all };
        let componentwise = values
            .iter()
            .all(|value| matches!(usize::from(value.count), 1) || usize::from(value.count) == components);
        match builtins::effect(function) {
            Effect::Varies => {
                let name = format!("{}()", function.name);
                let cause = self.program.causes.add(Step::Source, &name, self.range(expr), CauseId::NONE);
                let spread =
                    if function.rule == Some(Rule::Atomic) { Spread::Distinct } else { Spread::Differs };
                // One invocation is chosen, whatever it holds.
                let own = match function.instruction {
                    instructions::OP_GROUP_NON_UNIFORM_ELECT => {
                        Own { subgroup: cause, workgroup: cause, folded: true, ..Own::NONE }
                    }
                    _ => Own::NONE,
                };
                Many::one(Value { own, ..Value::of(spread, cause) })
            }
            Effect::Subgroup => Many::one(Value { workgroup: all.obscured().workgroup, ..Value::SAME }),
            Effect::Chosen => {
                let chooser = values.get(1).map_or(Value::unknown(), Many::blended);
                let subgroup = if chooser.subgroup.spread == Spread::Same {
                    Within::default()
                } else {
                    all.obscured().subgroup
                };
                Many::one(Value { subgroup, workgroup: all.obscured().workgroup, ..Value::SAME })
            }
            Effect::Keeps if componentwise => {
                let mut result = Many::SAME;
                for value in values {
                    result = result.zip(value, |a, b| {
                        if a.is_same() {
                            b.blurred()
                        } else if b.is_same() {
                            a
                        } else {
                            a.join(b).folded()
                        }
                    });
                }
                result.map(|part| Value { version: 0, ..part })
            }
            Effect::Keeps => {
                let blended = blend_all(values).blended();
                Many::one(blended.blurred())
            }
            Effect::Obscures if matches!(function.rule, Some(Rule::Subgroup | Rule::Atomic)) => {
                Many::one(Value { own: Own::MIXED, ..all.obscured() })
            }
            Effect::Obscures if function.instruction.starts_with("OpImage") => {
                Many::one(Value { own: all.own.loaded(), ..all.obscured() })
            }
            Effect::Obscures => Many::one(all.folded()),
        }
    }

    /// Whether the condition of a loop compares a counter that starts differently in each invocation, and that the loop
    /// changes in steps that may be large.
    pub fn strides(&self, condition: ExprId, stmt: StmtId) -> bool {
        let body = self.body;
        let ExprKind::Binary {
            op:
                BinaryOp::Less
                | BinaryOp::LessEqual
                | BinaryOp::Greater
                | BinaryOp::GreaterEqual
                | BinaryOp::NotEqual,
            left,
            right,
        } = &body.exprs[condition].kind
        else {
            return false;
        };
        let counters: Vec<LocalId> = [*left, *right]
            .into_iter()
            .filter_map(|mut side| {
                while let ExprKind::Convert { operand } = body.exprs[side].kind {
                    side = operand;
                }
                match body.exprs[side].kind {
                    ExprKind::Local(local) if self.local(local).joined().differs() => Some(local),
                    _ => None,
                }
            })
            .collect();
        let mut strides = false;
        let mut stack = vec![stmt];
        while let Some(stmt) = stack.pop() {
            for expr in expressions(body, stmt) {
                each_expression(body, expr, &mut |expr| {
                    if let ExprKind::Assign { op, target, value } = &body.exprs[expr].kind
                        && let ExprKind::Local(local) = body.exprs[*target].kind
                        && counters.contains(&local)
                    {
                        let small = matches!(op, Some(BinaryOp::Add | BinaryOp::Sub))
                            && matches!(body.exprs[*value].constant, Some(Const::Int(step)) if step <= SMALL_STEP);
                        strides |= !small;
                    }
                });
            }
            stack.extend(children(body, stmt));
        }
        strides
    }
}

fn blend_all(values: &[Many]) -> Many {
    let Some((first, rest)) = values.split_first() else { return Many::SAME };
    Many::one(rest.iter().fold(first.blended(), |all, value| all.blend(value.blended())))
}
