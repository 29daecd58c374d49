//! Expressions: integers lane by lane, and the accesses to shared memory on the way.

use std::rc::Rc;

use crate::checks::barrier;
use crate::extensions::{self, BuiltinFunctionId, ParameterDirection, Rule, instructions, values};
use crate::hir::{
    BinaryOp, Callee, Const, Direction, ExprId, ExprKind, FunctionId, GlobalId, IncDec, LocalId, Storage,
    UnaryOp,
};
use crate::matrices::lines::Line;
use crate::symbolic::{Sym, SymKind};
use crate::text::{TextRange, TextSize};
use crate::types::{Scalar, TypeKind};

use super::Walker;
use super::facts::{flag, followed};
use super::memory::{Access, Block, Made, Pending, Step};
use super::value::{self, AtomKind, Operation, Uniform, Value};
use super::walk::Many;

/// A part of a variable of the whole shader.
struct Place {
    global: GlobalId,
    path: Vec<Step>,
    /// Components of a vector, as bits; 0 where they are not known.
    components: u8,
}

/// All components of a vector, or a scalar.
const WHOLE: u8 = 0xf;
/// Accesses that are remembered.
const MAX_PENDING: usize = 192;
/// How deeply calls are followed.
const MAX_CALLS: usize = 12;

fn one(value: Value) -> Option<Many> {
    Some(Rc::new([value]))
}

impl<'m> Walker<'m> {
    pub fn range(&self, expr: ExprId) -> TextRange {
        self.body.exprs[expr].range + self.base
    }

    /// A scalar integer or truth value.
    pub fn scalar(&mut self, expr: ExprId) -> Value {
        match self.evaluate(expr).as_deref() {
            Some([value]) => value.clone(),
            _ => Value::UNKNOWN,
        }
    }

    /// The value of an expression, where it is made of integers; what it accesses and changes happens.
    pub fn evaluate(&mut self, expr: ExprId) -> Option<Many> {
        let body = self.body;
        let node = &body.exprs[expr];
        if let Some(constant) = &node.constant {
            return self.constant(constant);
        }
        let kind = followed(self.types, node.ty);
        if kind.is_none() && self.facts.expr(expr) & (flag::TOUCHES | flag::EFFECT) == 0 {
            return None;
        }
        if !self.enter() {
            return None;
        }
        let value = self.evaluate_kind(expr);
        self.leave();
        let (_, count) = kind?;
        value.filter(|value| value.len() == count)
    }

    fn constant(&mut self, constant: &Const) -> Option<Many> {
        let exact = |value: &Const| match value {
            Const::Bool(value) => Some(Value::exact(i64::from(*value))),
            Const::Int(value) => i64::try_from(*value).ok().map(Value::exact),
            _ => None,
        };
        match constant {
            Const::Symbolic(sym) => one(self.symbol(*sym)),
            Const::Composite(parts) => {
                let mut values = Vec::with_capacity(parts.len());
                for part in parts.iter() {
                    values.push(match part {
                        Const::Symbolic(sym) => self.symbol(*sym),
                        part => exact(part)?,
                    });
                }
                Some(values.into())
            }
            constant => one(exact(constant)?),
        }
    }

    /// A constant that specialization may change: the same in all invocations.
    fn symbol(&mut self, sym: Sym) -> Value {
        let symbols = &self.types.symbols;
        if let Some(value) = symbols.evaluate(sym, &|atom| self.config.specialized(atom)) {
            return Value::exact(value);
        }
        let SymKind::Sum { terms, constant } = symbols.kind(sym) else {
            return self.atoms.of(AtomKind::Symbol(sym));
        };
        let mut sum = Value::exact(*constant);
        for (monomial, factor) in terms.iter() {
            let &[atom] = &**monomial else { return self.atoms.of(AtomKind::Symbol(sym)) };
            let atom = self.symbol(atom);
            let (add, times, atoms) = (BinaryOp::Add, BinaryOp::Mul, &mut self.atoms);
            let scaled = value::binary(times, &atom, &Value::exact(*factor), Some(Scalar::Int64), atoms);
            sum = value::binary(add, &sum, &scaled, Some(Scalar::Int64), atoms);
        }
        sum
    }

    fn evaluate_kind(&mut self, expr: ExprId) -> Option<Many> {
        let body = self.body;
        let node = &body.exprs[expr];
        match &node.kind {
            ExprKind::Local(local) => self.local(*local),
            ExprKind::Global(_)
            | ExprKind::BlockMember(..)
            | ExprKind::Member { .. }
            | ExprKind::Index { .. } => self.load(expr),
            ExprKind::Swizzle { base, components } => {
                if self.global_of(expr).is_some() {
                    return self.load(expr);
                }
                let value = self.evaluate(*base)?;
                components.as_slice().iter().map(|&part| value.get(usize::from(part)).cloned()).collect()
            }
            ExprKind::BuiltinVariable(variable) => {
                self.variable(extensions::variable_by_id(*variable).decoration)
            }
            ExprKind::Unary { op, operand } => {
                let value = self.evaluate(*operand)?;
                let scalar = followed(self.types, node.ty)?.0;
                let mut of = |value: &Value| match op {
                    UnaryOp::Plus => value.clone(),
                    UnaryOp::Negate => {
                        value::binary(BinaryOp::Sub, &Value::exact(0), value, Some(scalar), &mut self.atoms)
                    }
                    UnaryOp::Not => value.negated(),
                    UnaryOp::BitNot => Value::UNKNOWN,
                };
                Some(value.iter().map(&mut of).collect())
            }
            ExprKind::IncDec { op, operand } => {
                let (step, before) = match op {
                    IncDec::PreIncrement => (BinaryOp::Add, false),
                    IncDec::PostIncrement => (BinaryOp::Add, true),
                    IncDec::PreDecrement => (BinaryOp::Sub, false),
                    IncDec::PostDecrement => (BinaryOp::Sub, true),
                };
                let old = self.evaluate(*operand);
                let scalar = followed(self.types, node.ty).map(|(scalar, _)| scalar);
                let new: Option<Many> = old.as_ref().map(|old| {
                    let step = |old| value::binary(step, old, &Value::exact(1), scalar, &mut self.atoms);
                    old.iter().map(step).collect()
                });
                self.assign(*operand, new.clone());
                if before { old } else { new }
            }
            ExprKind::Binary { op, left, right } => self.operation(*op, *left, *right),
            ExprKind::Assign { op, target, value } => {
                let new = match op {
                    Some(op) => self.operation(*op, *target, *value),
                    None => self.evaluate(*value),
                };
                self.assign(*target, new.clone());
                new
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                let condition = self.scalar(*condition);
                // What is read under a condition may not be read.
                let quiet = std::mem::replace(&mut self.quiet, true);
                let (then, otherwise) = (self.evaluate(*then), self.evaluate(*otherwise));
                self.quiet = quiet;
                let (then, otherwise) = (then?, otherwise?);
                let both = then.iter().zip(otherwise.iter());
                let lanes = self.lanes;
                Some(both.map(|(a, b)| value::select(&condition, a, b, lanes, &mut self.atoms)).collect())
            }
            ExprKind::Comma { left, right } => {
                self.evaluate(*left);
                self.evaluate(*right)
            }
            ExprKind::Call { callee: Callee::Function(function), arguments } => {
                self.call(*function, arguments)
            }
            ExprKind::Call { callee: Callee::Builtin(function), arguments } => {
                self.builtin(expr, *function, arguments)
            }
            ExprKind::Construct { arguments } => {
                let mut parts: Vec<Value> = Vec::new();
                for &argument in arguments {
                    let count =
                        self.types.as_vector(body.exprs[argument].ty).map(|(_, count)| count as usize);
                    match self.evaluate(argument) {
                        Some(value) => parts.extend(value.iter().cloned()),
                        None => parts.extend(std::iter::repeat_n(Value::UNKNOWN, count.unwrap_or(4).min(4))),
                    }
                }
                let (scalar, count) = followed(self.types, node.ty)?;
                if let (1, Some(value)) = (parts.len(), parts.first().cloned()) {
                    parts = vec![value; count];
                }
                parts.truncate(count);
                Some(parts.into_iter().map(|part| part.converted(Some(scalar))).collect())
            }
            ExprKind::Convert { operand } => {
                let value = self.evaluate(*operand)?;
                let (scalar, _) = followed(self.types, node.ty)?;
                Some(value.iter().map(|value| value.clone().converted(Some(scalar))).collect())
            }
            ExprKind::InitializerList { elements } => {
                for &element in elements {
                    self.evaluate(element);
                }
                None
            }
            ExprKind::Error
            | ExprKind::Literal
            | ExprKind::String(_)
            | ExprKind::BuiltinConstant(_)
            | ExprKind::FunctionName { .. }
            | ExprKind::Length { .. } => None,
        }
    }

    fn operation(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> Option<Many> {
        let a = self.evaluate(left);
        let lazy = matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr);
        let quiet = self.quiet;
        self.quiet |= lazy;
        let b = self.evaluate(right);
        self.quiet = quiet;
        let of = |expr: ExprId| followed(self.types, self.body.exprs[expr].ty);
        // A comparison of vectors or of other types is not followed, but for what it accesses.
        let (scalar, _) = of(left)?;
        let unknown: Many = Rc::new([Value::UNKNOWN]);
        let (a, b) = if lazy { (a.unwrap_or(unknown.clone()), b.unwrap_or(unknown)) } else { (a?, b?) };
        if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) && a.len() > 1 {
            return None;
        }
        let count = a.len().max(b.len());
        let part = |value: &Many, index: usize| value.get(if value.len() == 1 { 0 } else { index }).cloned();
        (0..count)
            .map(|index| {
                Some(value::binary(op, &part(&a, index)?, &part(&b, index)?, Some(scalar), &mut self.atoms))
            })
            .collect()
    }

    fn variable(&mut self, decoration: &'static str) -> Option<Many> {
        let lanes = self.lanes;
        let [x, y, _] = self.dimensions;
        let (x, y) = (x.max(1) as usize, y.max(1) as usize);
        let each = |of: &dyn Fn(usize) -> Option<usize>| {
            Value::each((0..lanes).map(|lane| of(lane).and_then(|value| i64::try_from(value).ok())))
        };
        let local: [&dyn Fn(usize) -> Option<usize>; 3] =
            [&|lane| Some(lane % x), &|lane| Some(lane / x % y), &|lane| Some(lane / (x * y))];
        // Subgroups are rarely smaller than this, and the first one has the number 0.
        const LEAST: usize = 4;
        let subgroup = self.subgroup;
        match decoration {
            "LocalInvocationIndex" => one(each(&|lane| Some(lane))),
            "LocalInvocationId" => Some(local.into_iter().map(each).collect()),
            "GlobalInvocationId" => {
                let of_group =
                    (0..3).map(|part| self.atoms.of(AtomKind::Builtin("first of the workgroup", part)));
                let of_group: Vec<Value> = of_group.collect();
                let sums = local.into_iter().zip(&of_group).map(|(local, group)| {
                    value::binary(BinaryOp::Add, &each(local), group, Some(Scalar::Uint32), &mut self.atoms)
                });
                Some(sums.collect())
            }
            "SubgroupLocalInvocationId" => one(each(&|lane| match subgroup {
                Some(size) => Some(lane % size),
                None => (lane < LEAST).then_some(lane),
            })),
            "SubgroupId" => one(each(&|lane| match subgroup {
                Some(size) => Some(lane / size),
                None => (lane < LEAST).then_some(0),
            })),
            "WorkgroupId" | "NumWorkgroups" => {
                Some((0..3).map(|part| self.atoms.of(AtomKind::Builtin(decoration, part))).collect())
            }
            "WorkgroupSize" => {
                let size = self.dimensions.map(Value::exact);
                (!self.specialized).then(|| Rc::new(size) as Many)
            }
            "NumSubgroups" | "SubgroupSize" => one(match (subgroup, decoration) {
                (Some(size), "SubgroupSize") => Value::exact(i64::try_from(size).unwrap_or(0)),
                (Some(size), _) if !self.specialized => {
                    Value::exact(i64::try_from(lanes.div_ceil(size)).unwrap_or(0))
                }
                _ => self.atoms.of(AtomKind::Builtin(decoration, 0)),
            }),
            _ => None,
        }
    }

    /// The variable of the whole shader that an l-value is a part of, unless it is reached through a reference.
    fn global_of(&self, mut expr: ExprId) -> Option<GlobalId> {
        loop {
            expr = match &self.body.exprs[expr].kind {
                ExprKind::Global(global) | ExprKind::BlockMember(global, _) => return Some(*global),
                ExprKind::Index { base, .. } | ExprKind::Swizzle { base, .. } => *base,
                ExprKind::Member { base, .. } => {
                    if matches!(self.types.kind(self.body.exprs[*base].ty), TypeKind::Reference(_)) {
                        return None;
                    }
                    *base
                }
                _ => return None,
            };
        }
    }

    /// Which part of a variable an l-value is. Indices are evaluated.
    fn place(&mut self, expr: ExprId) -> Option<Place> {
        if !self.enter() {
            return None;
        }
        let place = self.place_of(expr);
        self.leave();
        place
    }

    fn place_of(&mut self, expr: ExprId) -> Option<Place> {
        let body = self.body;
        match &body.exprs[expr].kind {
            ExprKind::Global(global) => Some(Place { global: *global, path: Vec::new(), components: WHOLE }),
            ExprKind::BlockMember(global, member) => {
                Some(Place { global: *global, path: vec![Step::Member(*member)], components: WHOLE })
            }
            ExprKind::Member { base, member, .. } => {
                let mut place = self.place(*base)?;
                place.path.push(Step::Member(*member));
                Some(place)
            }
            ExprKind::Index { base, index } => {
                let place = self.place(*base);
                let at = self.scalar(*index);
                let mut place = place?;
                match self.types.kind(body.exprs[*base].ty) {
                    TypeKind::Array(..) => place.path.push(Step::Index(at)),
                    TypeKind::Vector(..) => {
                        place.components = match at.as_exact() {
                            Some(part @ 0..=3) => 1 << part,
                            _ => 0,
                        }
                    }
                    _ => place.components = 0,
                }
                Some(place)
            }
            ExprKind::Swizzle { base, components } => {
                let mut place = self.place(*base)?;
                if place.components == WHOLE {
                    place.components =
                        components.as_slice().iter().fold(0, |all, part| all | 1 << (part & 3));
                }
                Some(place)
            }
            _ => {
                self.evaluate(expr);
                None
            }
        }
    }

    /// Reads a variable of the shader, or a part of one.
    fn load(&mut self, expr: ExprId) -> Option<Many> {
        let body = self.body;
        let Some(global) = self.global_of(expr) else {
            // A component of a vector, or what is not followed.
            if let ExprKind::Index { base, index } = body.exprs[expr].kind {
                let value = self.evaluate(base);
                let index = self.scalar(index).as_exact();
                return one(value?.get(usize::try_from(index?).ok()?)?.clone());
            }
            if let ExprKind::Member { base, .. } = body.exprs[expr].kind {
                self.evaluate(base);
            }
            return None;
        };
        let module = self.module;
        let declared = &module.globals[global];
        match declared.storage {
            Storage::Shared => {
                let place = self.place(expr)?;
                self.record(place, None, false, self.range(expr));
                None
            }
            Storage::Private => {
                if let ExprKind::Global(_) = body.exprs[expr].kind {
                    let known = self.state.privates.iter().find(|(known, _)| *known == global);
                    return known.map(|(_, value)| value.clone());
                }
                self.place(expr);
                None
            }
            Storage::Uniform | Storage::PushConstant => self.constant_memory(expr, global),
            Storage::Buffer => {
                let structure = match *self.types.kind(declared.ty) {
                    TypeKind::Struct(structure) => Some(structure),
                    _ => None,
                };
                let readonly = declared.memory.readonly
                    || structure.is_some_and(|structure| {
                        let members = &module.structs[structure].members;
                        !members.is_empty() && members.iter().all(|member| member.memory.readonly)
                    });
                if readonly {
                    self.constant_memory(expr, global)
                } else {
                    self.place(expr);
                    None
                }
            }
            Storage::Const
            | Storage::In
            | Storage::Out
            | Storage::ResourceHeap
            | Storage::SamplerHeap
            | Storage::Other => {
                self.place(expr);
                None
            }
        }
    }

    /// Memory that nobody writes: one place holds one number.
    fn constant_memory(&mut self, expr: ExprId, global: GlobalId) -> Option<Many> {
        let place = self.place(expr)?;
        let (_, count) = followed(self.types, self.body.exprs[expr].ty)?;
        let mut path: Vec<Uniform> = Vec::with_capacity(place.path.len() + 1);
        for step in &place.path {
            path.push(match step {
                Step::Member(member) => Value::exact(i64::from(*member)).uniform()?,
                Step::Index(value) => value.uniform()?,
            });
        }
        let parts: Vec<i64> = match count {
            1 if place.components == WHOLE => vec![-1],
            _ => (0..4).filter(|part| place.components >> part & 1 != 0).take(count).collect(),
        };
        if parts.len() != count {
            return None;
        }
        let mut values = Vec::with_capacity(count);
        for part in parts {
            let mut path = path.clone();
            path.extend(Value::exact(part).uniform());
            values.push(self.atoms.of(AtomKind::Memory(global, path)));
        }
        // The order of a swizzle is not kept.
        (count == 1 || matches!(place.components, WHOLE)).then(|| values.into())
    }

    fn assign(&mut self, target: ExprId, value: Option<Many>) {
        let body = self.body;
        if let Some(global) = self.global_of(target) {
            match (self.module.globals[global].storage, &body.exprs[target].kind) {
                (Storage::Shared, _) => {
                    if let Some(place) = self.place(target) {
                        let written = self.range(target);
                        self.record(place, None, true, written);
                    }
                }
                (Storage::Private, ExprKind::Global(_)) => {
                    let whole = self.state.mask == self.everybody;
                    self.state.privates.retain(|(known, _)| *known != global);
                    if let Some(value) = value.filter(|_| whole) {
                        self.state.privates.push((global, value));
                    }
                }
                (Storage::Private, _) => self.state.privates.retain(|(known, _)| *known != global),
                // The way to the place may change something, too.
                _ => {
                    self.place(target);
                }
            }
            return;
        }
        match &body.exprs[target].kind {
            ExprKind::Local(local) => self.set(*local, value, false),
            ExprKind::Swizzle { base, components } => {
                let parts: Vec<usize> = components.as_slice().iter().map(|&part| usize::from(part)).collect();
                self.assign_parts(*base, &parts, value);
            }
            ExprKind::Index { base, index } => {
                let index = self.scalar(*index).as_exact().and_then(|index| usize::try_from(index).ok());
                match index {
                    Some(index) => self.assign_parts(*base, &[index], value),
                    None => self.assign_parts(*base, &[], None),
                }
            }
            ExprKind::Member { base, .. } => self.assign_parts(*base, &[], None),
            _ => {}
        }
    }

    fn assign_parts(&mut self, base: ExprId, parts: &[usize], value: Option<Many>) {
        let mut root = base;
        let local: LocalId = loop {
            root = match &self.body.exprs[root].kind {
                ExprKind::Local(local) => break *local,
                ExprKind::Index { base, .. }
                | ExprKind::Swizzle { base, .. }
                | ExprKind::Member { base, .. } => *base,
                _ => return,
            };
        };
        let whole = matches!(self.body.exprs[base].kind, ExprKind::Local(_));
        let Some((_, count)) = followed(self.types, self.body.locals[local].ty).filter(|_| whole) else {
            self.set(local, None, false);
            return;
        };
        let before = self.local(local);
        let mut all: Vec<Value> = match before {
            Some(before) => before.to_vec(),
            None => vec![Value::UNKNOWN; count],
        };
        if parts.is_empty() {
            all = vec![Value::UNKNOWN; count];
        }
        for (index, &part) in parts.iter().enumerate() {
            if let Some(place) = all.get_mut(part) {
                *place = value.as_ref().and_then(|value| value.get(index).cloned()).unwrap_or(Value::UNKNOWN);
            }
        }
        self.set(local, Some(all.into()), false);
    }

    fn call(&mut self, function: FunctionId, arguments: &[ExprId]) -> Option<Many> {
        let module = self.module;
        let declared = &module.functions[function];
        let direction =
            |index: usize| declared.parameters.get(index).map_or(Direction::In, |it| it.direction);
        let mut given = Vec::with_capacity(arguments.len());
        for (index, &argument) in arguments.iter().enumerate() {
            given.push(if direction(index) == Direction::Out { None } else { self.evaluate(argument) });
        }
        let inside = self.all_facts.of(module, function).all;
        let wanted = followed(self.types, declared.return_type).is_some();
        let followed = inside & flag::TOUCHES != 0 || wanted && inside & flag::RETURN != 0;
        let possible = declared.body.is_some()
            && self.active.len() < MAX_CALLS
            && !self.active.contains(&function)
            && !self.quiet;
        self.outs.clear();
        let result = if followed && possible {
            self.run(function, given)
        } else {
            if inside & flag::BARRIER != 0 {
                self.state.pending.clear();
            }
            if inside & flag::EFFECT != 0 {
                self.state.privates.clear();
            }
            None
        };
        let outs = std::mem::take(&mut self.outs);
        for (index, &argument) in arguments.iter().enumerate() {
            if direction(index) != Direction::In {
                let value = outs.get(index).cloned().flatten();
                self.assign(argument, value);
            }
        }
        result
    }

    fn builtin(&mut self, expr: ExprId, id: BuiltinFunctionId, arguments: &[ExprId]) -> Option<Many> {
        let function = extensions::function(id);
        match function.rule {
            Some(Rule::Barrier) => {
                self.barrier(expr, function, arguments);
                return None;
            }
            Some(Rule::CoopMatLoad | Rule::CoopMatStore) => {
                self.matrix(function.rule == Some(Rule::CoopMatStore), arguments);
                return None;
            }
            _ => {}
        }
        let mut given = Vec::with_capacity(arguments.len());
        for (index, &argument) in arguments.iter().enumerate() {
            let parameter = function.parameters.get(index);
            let input = parameter.is_none_or(|parameter| parameter.direction != ParameterDirection::Out);
            if parameter.is_some_and(|parameter| parameter.memory) && self.global_of(argument).is_some() {
                // An atomic operation, or a load or store that is not followed.
                self.place(argument);
                given.push(None);
            } else {
                given.push(if input { self.evaluate(argument) } else { None });
            }
        }
        for (&argument, parameter) in arguments.iter().zip(function.parameters) {
            if parameter.direction != ParameterDirection::In && !parameter.memory {
                self.assign(argument, None);
            }
        }
        if function.rule.is_some() || !function.constant {
            return None;
        }
        let (scalar, count) = followed(self.types, self.body.exprs[expr].ty)?;
        let values: Option<Vec<Many>> = given.into_iter().collect();
        let values = values?;
        let part = |value: &Many, index: usize| value.get(if value.len() == 1 { 0 } else { index }).cloned();
        let compared = match function.instruction {
            "GLSL.std.450 UMin" | "GLSL.std.450 SMin" => Some(BinaryOp::Less),
            "GLSL.std.450 UMax" | "GLSL.std.450 SMax" => Some(BinaryOp::Greater),
            _ => None,
        };
        if let (Some(op), [a, b]) = (compared, values.as_slice()) {
            let lanes = self.lanes;
            return (0..count)
                .map(|index| {
                    let (a, b) = (part(a, index)?, part(b, index)?);
                    let first = value::binary(op, &a, &b, Some(scalar), &mut self.atoms);
                    Some(value::select(&first, &a, &b, lanes, &mut self.atoms))
                })
                .collect();
        }
        let uniform: Option<Vec<Uniform>> =
            values.iter().flat_map(|value| value.iter()).map(Value::uniform).collect();
        let uniform = uniform?;
        let atom = |index| AtomKind::Operation(Operation::Function(id.0, index as u8), uniform.clone());
        Some((0..count).map(|index| self.atoms.of(atom(index))).collect())
    }

    /// A matrix that is loaded from shared memory or stored there.
    fn matrix(&mut self, writes: bool, arguments: &[ExprId]) {
        let body = self.body;
        let &[matrix, buffer, element, stride, layout, ..] = arguments else { return };
        let place = if self.global_of(buffer).is_some() { self.place(buffer) } else { None };
        let (start, step) = (self.scalar(element), self.scalar(stride));
        let Some(mut place) = place else { return };
        if self.module.globals[place.global].storage != Storage::Shared {
            return;
        }
        let TypeKind::Coopmat(coopmat) = *self.types.kind(body.exprs[matrix].ty) else { return };
        let TypeKind::Array(of, _) = *self.types.kind(body.exprs[buffer].ty) else { return };
        let Some((scalar, count)) = self.types.as_vector(of) else { return };
        let layout = body.exprs[layout].constant.as_ref().and_then(Const::as_int);
        let line = layout.and_then(|layout| Line::of(coopmat, i64::try_from(layout).ok()?));
        let Some(line) = line else { return };
        let (size, lines) = (self.symbol(line.size).as_exact(), self.symbol(line.count).as_exact());
        // A size that is not known is one element at least.
        let bytes = i64::from(coopmat.component.bytes());
        let element_bytes = (i64::from(scalar.bytes()) * i64::from(count)).max(1);
        let size = (size.unwrap_or(1).clamp(1, 1 << 16) * bytes / element_bytes).max(1);
        let block = Block { size, lines: lines.unwrap_or(1).clamp(1, 1 << 16), stride: step.as_exact() };
        place.path.push(Step::Index(start));
        self.record(place, Some(block), writes, self.range(buffer));
    }

    fn barrier(
        &mut self,
        expr: ExprId,
        function: &'static extensions::BuiltinFunction,
        arguments: &[ExprId],
    ) {
        use barrier::Reach;
        let start = self.range(expr).start();
        let range = TextRange::at(start, TextSize::new(function.name.len() as u32));
        let pending = &mut self.state.pending;
        let Some(barrier) = barrier::control(function, arguments, self.body) else {
            if function.instruction != instructions::OP_MEMORY_BARRIER {
                // Halves of barriers are not followed.
                pending.clear();
                return;
            }
            let known = |argument: Option<&ExprId>| {
                let constant = self.body.exprs[*argument?].constant.as_ref();
                constant.and_then(Const::as_int).and_then(|value| i64::try_from(value).ok())
            };
            let covers = match arguments {
                [] => function.has(extensions::FixedOperand::Shared),
                [_, storage, ..] => {
                    known(Some(storage)).is_none_or(|bits| bits & values::GL_STORAGE_SEMANTICS_SHARED != 0)
                }
                [_] => true,
            };
            let of_subgroup = function.has(extensions::FixedOperand::Subgroup)
                || known(arguments.first()) == Some(values::GL_SCOPE_SUBGROUP);
            if covers {
                pending.retain(|pending| pending.waited.is_none() || of_subgroup);
                for pending in pending {
                    let place = if of_subgroup { &mut pending.subgroup } else { &mut pending.fenced };
                    place.get_or_insert(range);
                }
            }
            return;
        };
        if matches!(barrier.waits, Some(Reach::Workgroup | Reach::Device)) {
            self.attend(range, function.name);
        }
        let pending = &mut self.state.pending;
        match barrier.waits {
            None | Some(Reach::Workgroup | Reach::Device) => {
                let whole = barrier.orders.is_none_or(|orders| orders >= Reach::Workgroup);
                let covers = barrier.shared != Some(false)
                    && barrier.releases != Some(false)
                    && barrier.acquires != Some(false);
                if whole && covers || barrier.waits.is_none() {
                    pending.clear();
                    return;
                }
                // Reads from before are over; writes are not handed over.
                pending.retain(|pending| pending.access.writes && pending.fenced.is_none());
                for pending in pending {
                    pending.waited.get_or_insert(range);
                }
            }
            Some(Reach::Subgroup) => {
                for pending in pending {
                    pending.subgroup.get_or_insert(range);
                }
            }
            Some(Reach::Invocation) => {}
        }
    }

    /// An access to shared memory: it is compared with those since the last barrier, and remembered.
    fn record(&mut self, place: Place, block: Option<Block>, writes: bool, range: TextRange) {
        if self.quiet || self.state.mask.is_empty() || self.is_stopped() {
            return;
        }
        let Place { global, path, components } = place;
        self.serial += 1;
        self.count(self.lanes / 16);
        let made = Made { global, path, components, block, writes, range };
        let rounds = self.rounds.iter().map(|&(number, round, _)| (number, round)).collect();
        let decisions = self.state.decisions.as_slice().into();
        let access = Rc::new(Access::new(made, self.serial, self.state.mask, decisions, rounds, self.lanes));
        if access.is_nowhere() {
            return;
        }
        for index in 0..self.state.pending.len() {
            let Some(pending) = self.state.pending.get(index) else { break };
            if pending.access.global == global && pending.access.writes != writes {
                let pending = pending.clone();
                self.compare(&pending, &access);
            }
        }
        let pending = &mut self.state.pending;
        // Another round of a loop comes to the same places.
        pending.retain(|known| !known.is_unordered() || !known.access.is_like(&access));
        if pending.len() >= MAX_PENDING {
            pending.remove(0);
        }
        pending.push(Pending { access, passed: Vec::new(), subgroup: None, waited: None, fenced: None });
    }
}
