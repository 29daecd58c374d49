//! Follows tensor layouts and views through the statements of a function: `state` is what is known of each, `uses` what a load or store
//! asks of it. What a loop changes is forgotten in it and after it.

mod state;
mod uses;

use la_arena::Arena;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostics::{Code, codes};
use crate::extensions::Rule;
use crate::hir::{
    Body, BodyDiagnostic, Const, Definition, ExprId, ExprKind, Function, LocalId, Place, StmtId, StmtKind,
};
use crate::text::{TextRange, TextSize};
use crate::types::{TypeKind, Types};

use crate::checks::context::Context;
use crate::checks::walk::{builtin_call, children, each_expression, expressions};
use crate::matrices::tensors::{self, Setter};

use state::{Known, Layout, Tensor};
use uses::Use;

/// What is known of each variable that holds a layout or a view.
type State = FxHashMap<LocalId, Tensor>;

struct Walk<'w> {
    body: &'w Body,
    types: &'w Types,
    functions: &'w Arena<Function>,
    reported: FxHashSet<TextRange>,
    findings: &'w mut Vec<BodyDiagnostic>,
}

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<BodyDiagnostic>) {
    let Some(root) = context.body.root else { return };
    let mut walk = Walk {
        body: context.body,
        types: context.types,
        functions: &context.module.functions,
        reported: FxHashSet::default(),
        findings,
    };
    walk.statement(root, &mut State::default());
}

impl Walk<'_> {
    /// Nesting is bounded by what the lowering accepts.
    fn statement(&mut self, stmt: StmtId, state: &mut State) {
        let body = self.body;
        match &body.stmts[stmt].kind {
            StmtKind::If { condition, then, otherwise, .. } => {
                self.expression(*condition, state);
                let mut other = state.clone();
                self.statement(*then, state);
                if let Some(otherwise) = otherwise {
                    self.statement(*otherwise, &mut other);
                }
                *state = state
                    .iter()
                    .filter_map(|(&local, tensor)| Some((local, tensor.join(other.get(&local)?)?)))
                    .collect();
            }
            StmtKind::For { init, .. } => {
                if let Some(init) = init {
                    self.statement(*init, state);
                }
                self.repeated(stmt, state);
            }
            StmtKind::While { .. } | StmtKind::DoWhile { .. } | StmtKind::Switch { .. } => {
                self.repeated(stmt, state);
            }
            StmtKind::Declare { local, initializer: Some(initializer) } => {
                self.expression(*initializer, state);
                self.assign(*local, *initializer, state);
            }
            StmtKind::Declare { local, initializer: None } => {
                if Tensor::created(self.types, self.types.kind(body.locals[*local].ty)).is_some() {
                    state.insert(*local, Tensor::Uncreated);
                }
            }
            _ => {
                for expr in expressions(body, stmt) {
                    self.expression(expr, state);
                }
                for child in children(body, stmt) {
                    self.statement(child, state);
                }
            }
        }
    }

    /// A statement whose parts run any number of times, or in an order that is not followed.
    fn repeated(&mut self, stmt: StmtId, state: &mut State) {
        let mut changed = FxHashSet::default();
        let mut stack = vec![stmt];
        while let Some(stmt) = stack.pop() {
            for expr in expressions(self.body, stmt) {
                each_expression(self.body, expr, &mut |expr| {
                    changed.extend(self.written(expr));
                });
            }
            stack.extend(children(self.body, stmt));
        }
        state.retain(|local, _| !changed.contains(local));
        for expr in expressions(self.body, stmt) {
            self.expression(expr, &mut state.clone());
        }
        let mut inner = state.clone();
        for child in children(self.body, stmt) {
            self.statement(child, &mut inner);
        }
    }

    /// The locals that an expression may write: the targets of assignments, and whatever is passed to a function.
    fn written(&self, expr: ExprId) -> Vec<LocalId> {
        let local = |expr: ExprId| match self.body.exprs[expr].kind {
            ExprKind::Local(local) => Some(local),
            _ => None,
        };
        match &self.body.exprs[expr].kind {
            ExprKind::Assign { target, .. } => local(*target).into_iter().collect(),
            ExprKind::Call { arguments, .. } if builtin_call(self.body, expr).is_none() => {
                arguments.iter().filter_map(|&argument| local(argument)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn expression(&mut self, expr: ExprId, state: &mut State) {
        let mut order = Vec::new();
        each_expression(self.body, expr, &mut |expr| order.push(expr));
        for expr in order {
            if let ExprKind::Assign { op: None, target, value } = &self.body.exprs[expr].kind
                && let ExprKind::Local(local) = self.body.exprs[*target].kind
            {
                self.assign(local, *value, state);
                continue;
            }
            for local in self.written(expr) {
                state.remove(&local);
            }
            if let Some((function, arguments)) = builtin_call(self.body, expr) {
                match function.rule {
                    Some(Rule::CoopMatLoadTensor) => self.access(arguments, state, false),
                    Some(Rule::CoopMatStoreTensor) => self.access(arguments, state, true),
                    _ => {}
                }
            }
        }
    }

    fn assign(&mut self, local: LocalId, value: ExprId, state: &mut State) {
        match self.value_of(value, state) {
            Some(tensor) => state.insert(local, tensor),
            None => state.remove(&local),
        };
    }

    /// The layout or view that an expression gives, as far as it is known. Chains of calls are as deep as the text nests them.
    fn value_of(&mut self, expr: ExprId, state: &State) -> Option<Tensor> {
        if let ExprKind::Local(local) = self.body.exprs[expr].kind {
            let tensor = state.get(&local)?;
            if *tensor == Tensor::Uncreated {
                self.uncreated(expr, local);
                return None;
            }
            return Some(tensor.clone());
        }
        let created = Tensor::created(self.types, self.types.kind(self.body.exprs[expr].ty))?;
        if let Some(local) = self.whole(expr) {
            if self.is_never_written(local) {
                self.uncreated(expr, local);
            }
            return None;
        }
        let (function, arguments) = builtin_call(self.body, expr)?;
        if matches!(function.rule, Some(Rule::CreateTensorLayout | Rule::CreateTensorView)) {
            return Some(created);
        }
        let (&target, values) = arguments.split_first()?;
        let setter = Setter::of(function.instruction)?;
        let mut tensor = self.value_of(target, state)?;
        let known: Vec<Option<i64>> = values
            .iter()
            .map(|&value| match self.body.exprs[value].constant {
                Some(Const::Int(value)) => i64::try_from(value).ok(),
                _ => None,
            })
            .collect();
        match &mut tensor {
            Tensor::Layout(layout) => {
                if setter.values(Some(layout.span.len() as i64)) != Some(values.len() as i64) {
                    return None;
                }
                let start = self.body.exprs[expr].range.start();
                let name = TextRange::at(start, TextSize::new(function.name.len() as u32));
                if setter == Setter::Stride {
                    self.check_strides(layout, values, &known);
                }
                layout.change(setter, &known, name);
                if setter == Setter::Slice && layout.is_unclamped() {
                    self.check_slice(layout, values);
                }
            }
            Tensor::View(view) => match setter {
                Setter::ViewDimension => view.dimensions = Known::Set(known),
                Setter::ViewClip => view.clip = Known::Set(known),
                // It says how far the elements of each dimension are apart, not how many there are.
                _ => {}
            },
            Tensor::Uncreated => return None,
        }
        Some(tensor)
    }

    /// The variable that an element of an array or a member of a structure lies in; nothing where that is a parameter.
    fn whole(&self, mut expr: ExprId) -> Option<LocalId> {
        loop {
            match self.body.exprs[expr].kind {
                ExprKind::Index { base, .. } | ExprKind::Member { base, .. } => expr = base,
                ExprKind::Local(local) if !self.body.parameters.contains(&local) => return Some(local),
                _ => return None,
            }
        }
    }

    /// Whether nothing in the body gives a variable a value, or a part of it.
    fn is_never_written(&self, local: LocalId) -> bool {
        let is_it = |&expr: &ExprId| self.whole(expr) == Some(local);
        let declared = self.body.stmts.iter().any(|(_, stmt)| {
            matches!(stmt.kind, StmtKind::Declare { local: known, initializer: Some(_) } if known == local)
        });
        !declared
            && !self.body.exprs.iter().any(|(id, expr)| match &expr.kind {
                ExprKind::Assign { target, .. } => is_it(target),
                ExprKind::Call { arguments, .. } if builtin_call(self.body, id).is_none() => {
                    arguments.iter().any(is_it)
                }
                _ => false,
            })
    }

    fn uncreated(&mut self, expr: ExprId, local: LocalId) {
        let name = &self.body.locals[local].name;
        let Some(message) = tensors::unset(self.types, self.body.exprs[expr].ty, name) else { return };
        self.report(&codes::NV_TENSOR_UNSET, self.range(expr), message, self.declared(expr));
    }

    /// Each stride is at least the next one times the number of blocks in the next dimension.
    fn check_strides(&mut self, layout: &Layout, values: &[ExprId], strides: &[Option<i64>]) {
        let Some(dimensions) = layout.dimensions.set() else { return };
        for index in 0..strides.len().saturating_sub(1) {
            let next = index + 1;
            let (Some(Some(stride)), Some(Some(inner)), Some(Some(size)), Some(Some(block))) =
                (strides.get(index), strides.get(next), dimensions.get(next), layout.block.get(next))
            else {
                continue;
            };
            if *block < 1 || *size < 0 {
                continue;
            }
            let blocks = (*size as u64).div_ceil(*block as u64) as i64;
            let Some(least) = inner.checked_mul(blocks) else { continue };
            if *stride < least
                && let Some(&value) = values.get(index)
            {
                self.report(
                    &codes::NV_TENSOR_STRIDE,
                    self.body.exprs[value].range,
                    format!(
                        "the stride of dimension {index} is {stride}, but dimension {next} has {blocks} {} with a stride of {inner}: \
                         it must be at least {least}",
                        if *block == 1 { "elements" } else { "blocks" }
                    ),
                    Vec::new(),
                );
            }
        }
    }

    /// Offset and span of each dimension stay inside of it, where nothing is clamped.
    fn check_slice(&mut self, layout: &Layout, values: &[ExprId]) {
        let Some(dimensions) = layout.dimensions.set() else { return };
        for (index, ((offset, span), size)) in
            layout.offset.iter().zip(&layout.span).zip(dimensions).enumerate()
        {
            let (&Some(offset), &Some(span), &Some(size)) = (offset, span, size) else { continue };
            let Some(end) = offset.checked_add(span).filter(|_| span > 0) else { continue };
            let (place, message) = if offset < 0 {
                (2 * index, format!("the slice starts at {offset}, before the start of dimension {index}"))
            } else if end > size {
                (2 * index + 1, format!("dimension {index} has {size} elements, but the slice ends at {end}"))
            } else {
                continue;
            };
            if let Some(&value) = values.get(place) {
                let message = format!("{message}: what lies outside is undefined without a clamp mode");
                self.report(&codes::NV_TENSOR_SLICE, self.range(value), message, Vec::new());
            }
        }
    }

    fn access(&mut self, arguments: &[ExprId], state: &State, store: bool) {
        let (Some(&matrix), Some(&argument)) = (arguments.first(), arguments.get(3)) else { return };
        let view = arguments
            .get(4)
            .copied()
            .filter(|&view| matches!(self.types.kind(self.body.exprs[view].ty), TypeKind::TensorView { .. }));
        let view = view.map(|argument| (argument, self.value_of(argument, state)));
        let Some(Tensor::Layout(layout)) = self.value_of(argument, state) else { return };
        self.check_stale(&layout);
        let view = view.as_ref().map(|(argument, view)| (*argument, view.as_ref().and_then(Tensor::as_view)));
        self.check_use(&Use { matrix, layout: (argument, &layout), view, store });
        if store {
            self.check_blocks(argument, &layout);
        } else {
            self.check_decoder(arguments, &layout);
        }
    }

    /// Blocks have as many elements as the functions decode at once, or several times as many.
    fn check_decoder(&mut self, arguments: &[ExprId], layout: &Layout) {
        // The functions come last; the second one decodes several elements.
        let functions: Vec<ExprId> = arguments
            .iter()
            .copied()
            .filter(|&argument| matches!(self.body.exprs[argument].kind, ExprKind::FunctionName { .. }))
            .collect();
        let Some(&vector_function) = functions.get(1) else { return };
        let Some(width) = self.decoded_width(vector_function) else { return };
        if let Some(Some(block)) = layout.block.last()
            && block % width != 0
        {
            self.report(
                &codes::NV_DECODE_BLOCK,
                self.range(vector_function),
                format!(
                    "the innermost block size {block} is not a multiple of {width}, the number of elements that this function decodes"
                ),
                arguments.get(3).map(|&layout| self.declared(layout)).unwrap_or_default(),
            );
        }
    }

    fn check_blocks(&mut self, argument: ExprId, layout: &Layout) {
        if layout.block.iter().any(|block| block.is_some_and(|block| block > 1)) {
            let sizes: Vec<String> = layout
                .block
                .iter()
                .map(|block| block.map_or_else(|| "?".to_owned(), |block| block.to_string()))
                .collect();
            self.report(
                &codes::NV_BLOCK_STORE,
                self.range(argument),
                format!(
                    "the layout has the block size {}: with blocks, several elements are stored to the same place",
                    sizes.join(" x ")
                ),
                self.declared(argument),
            );
        }
    }

    fn check_stale(&mut self, layout: &Layout) {
        if let Some(range) = layout.stale {
            self.report(
                &codes::NV_BLOCK_ORDER,
                range,
                "set the block size before the dimensions: the strides were derived from another block size"
                    .to_owned(),
                Vec::new(),
            );
        }
    }

    fn declared(&self, layout: ExprId) -> Vec<(Place, String)> {
        match self.body.exprs[layout].kind {
            ExprKind::Local(local) => {
                let name = &self.body.locals[local].name;
                vec![(Place::Definition(Definition::Local(local)), format!("`{name}` is declared here"))]
            }
            _ => Vec::new(),
        }
    }

    /// How many elements a vector decode function gives.
    fn decoded_width(&self, function: ExprId) -> Option<i64> {
        let ExprKind::FunctionName { function: Some(function), .. } = self.body.exprs[function].kind else {
            return None;
        };
        let (_, length) = self.types.as_vector(self.functions[function].return_type)?;
        // Other lengths are reported as such.
        matches!(length, 2 | 4 | 8).then_some(i64::from(length))
    }

    fn range(&self, expr: ExprId) -> TextRange {
        self.body.exprs[expr].range
    }

    fn report(
        &mut self,
        code: &'static Code,
        range: TextRange,
        message: String,
        related: Vec<(Place, String)>,
    ) {
        // What a layout carries along is found at each of its uses.
        if self.reported.insert(range) {
            self.findings.push(BodyDiagnostic { code, severity: code.severity, message, range, related });
        }
    }
}
