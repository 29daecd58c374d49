//! Follows tensor layouts through the statements of a function: what is known of block sizes, dimensions and strides where a
//! layout is used. What a branch or a loop changes is forgotten after it.

use la_arena::Arena;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostics::codes;
use crate::extensions::{Rule, values};
use crate::hir::{
    Body, BodyDiagnostic, Const, Definition, ExprId, ExprKind, Function, LocalId, Place, StmtId, StmtKind,
};
use crate::text::TextRange;
use crate::types::{TypeKind, Types};

use crate::checks::context::Context;
use crate::checks::walk::{builtin_call, children, each_expression, expressions};
use crate::matrices::tensors::{MAX_DIMENSIONS, Setter};

/// What is known of a layout; an entry is `None` where its value is not.
#[derive(Clone, Debug, PartialEq)]
struct Layout {
    block: Vec<Option<i64>>,
    dimensions: Option<Vec<Option<i64>>>,
    /// The call that set the block size after the dimensions, while the strides are still those of another block size.
    stale: Option<TextRange>,
}

type State = FxHashMap<LocalId, Layout>;

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
                state.retain(|local, layout| other.get(local) == Some(layout));
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
                    Some(Rule::CoopMatLoadTensor) => self.load(arguments, state),
                    Some(Rule::CoopMatStoreTensor) => self.store(arguments, state),
                    _ => {}
                }
            }
        }
    }

    fn assign(&mut self, local: LocalId, value: ExprId, state: &mut State) {
        match self.layout_of(value, state) {
            Some(layout) => state.insert(local, layout),
            None => state.remove(&local),
        };
    }

    /// The layout that an expression gives, as far as it is known. Chains of calls are as deep as the text nests them.
    fn layout_of(&mut self, expr: ExprId, state: &State) -> Option<Layout> {
        if let ExprKind::Local(local) = self.body.exprs[expr].kind {
            return state.get(&local).cloned();
        }
        let TypeKind::TensorLayout { dim, clamp } = *self.types.kind(self.body.exprs[expr].ty) else {
            return None;
        };
        let dimensions = usize::try_from(self.types.symbols.as_int(dim)?).ok()?;
        if dimensions > MAX_DIMENSIONS as usize {
            return None;
        }
        let (function, arguments) = builtin_call(self.body, expr)?;
        if function.rule == Some(Rule::CreateTensorLayout) {
            return Some(Layout { block: vec![Some(1); dimensions], dimensions: None, stale: None });
        }
        let (&target, values) = arguments.split_first()?;
        let setter = Setter::of(function.instruction)?;
        let mut layout = self.layout_of(target, state)?;
        if matches!(setter, Setter::BlockSize | Setter::Dimension | Setter::Stride)
            && values.len() != dimensions
        {
            return None;
        }
        let known = |body: &Body| -> Vec<Option<i64>> {
            values
                .iter()
                .map(|&value| match body.exprs[value].constant {
                    Some(Const::Int(value)) => i64::try_from(value).ok(),
                    _ => None,
                })
                .collect()
        };
        match setter {
            Setter::BlockSize => {
                let block = known(self.body);
                if layout.dimensions.is_some() && block != layout.block {
                    let range = self.body.exprs[expr].range;
                    let end = range.start() + crate::text::TextSize::new(function.name.len() as u32);
                    layout.stale = Some(TextRange::new(range.start(), end.min(range.end())));
                }
                layout.block = block;
            }
            Setter::Dimension => {
                layout.dimensions = Some(known(self.body));
                layout.stale = None;
            }
            Setter::Stride => {
                layout.stale = None;
                self.check_strides(&layout, values, &known(self.body));
            }
            Setter::Slice
                if self.types.symbols.as_int(clamp)
                    == Some(values::GL_COOPERATIVE_MATRIX_CLAMP_MODE_UNDEFINED_NV) =>
            {
                self.check_slice(&layout, values, &known(self.body));
            }
            _ => {}
        }
        Some(layout)
    }

    /// Each stride is at least the next one times the number of blocks in the next dimension.
    fn check_strides(&mut self, layout: &Layout, values: &[ExprId], strides: &[Option<i64>]) {
        let Some(dimensions) = &layout.dimensions else { return };
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
    fn check_slice(&mut self, layout: &Layout, values: &[ExprId], known: &[Option<i64>]) {
        let Some(dimensions) = &layout.dimensions else { return };
        for (index, (pair, dimension)) in known.chunks_exact(2).zip(dimensions).enumerate() {
            let (&[Some(offset), Some(span)], Some(size)) = (pair, dimension) else { continue };
            // The text has offsets as int32_t; compilers declare the first one as uint, to which -1 converts.
            let offset = if (1 << 31..1 << 32).contains(&offset) { offset - (1 << 32) } else { offset };
            let Some(end) = offset.checked_add(span) else { continue };
            let (place, message) = if offset < 0 {
                (2 * index, format!("the slice starts at {offset}, before dimension {index} does"))
            } else if end > *size {
                (2 * index + 1, format!("dimension {index} has {size} elements, but the slice ends at {end}"))
            } else {
                continue;
            };
            if let Some(&value) = values.get(place) {
                let message = format!("{message}: what lies outside is undefined without a clamp mode");
                self.report(&codes::NV_TENSOR_SLICE, self.body.exprs[value].range, message, Vec::new());
            }
        }
    }

    fn load(&mut self, arguments: &[ExprId], state: &State) {
        let Some(&layout_argument) = arguments.get(3) else { return };
        let Some(layout) = self.layout_of(layout_argument, state) else { return };
        self.check_stale(&layout);
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
                self.body.exprs[vector_function].range,
                format!(
                    "the innermost block size {block} is not a multiple of {width}, the number of elements that this function decodes"
                ),
                self.declared(layout_argument),
            );
        }
    }

    fn store(&mut self, arguments: &[ExprId], state: &State) {
        let Some(&layout_argument) = arguments.get(3) else { return };
        let Some(layout) = self.layout_of(layout_argument, state) else { return };
        self.check_stale(&layout);
        if layout.block.iter().any(|block| block.is_some_and(|block| block > 1)) {
            let sizes: Vec<String> = layout
                .block
                .iter()
                .map(|block| block.map_or_else(|| "?".to_owned(), |block| block.to_string()))
                .collect();
            self.report(
                &codes::NV_BLOCK_STORE,
                self.body.exprs[layout_argument].range,
                format!(
                    "the layout has the block size {}: with blocks, several elements are stored to one place",
                    sizes.join(" x ")
                ),
                self.declared(layout_argument),
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

    fn report(
        &mut self,
        code: &'static crate::diagnostics::Code,
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
