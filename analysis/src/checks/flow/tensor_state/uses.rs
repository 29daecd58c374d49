//! What a load or store asks of a layout and a view: that they were set up, and that they have the shape of the matrix.

use crate::diagnostics::codes;
use crate::hir::ExprId;
use crate::types::TypeKind;

use super::Walk;
use super::state::{Known, Layout, Tensor, View};

/// A load or a store, with what is known of its layout and view.
pub(super) struct Use<'u> {
    pub matrix: ExprId,
    pub layout: (ExprId, &'u Layout),
    /// `None` without a view; inside, `None` for one that is not known.
    pub view: Option<(ExprId, Option<&'u View>)>,
    pub store: bool,
}

impl Use<'_> {
    fn verb(&self) -> &'static str {
        if self.store { "stored" } else { "loaded" }
    }
}

impl Walk<'_> {
    pub(super) fn check_use(&mut self, access: &Use<'_>) {
        let (argument, layout) = access.layout;
        if layout.dimensions == Known::Never {
            let message = "the layout has no dimensions, so no element is inside it: call `setTensorLayoutDimensionNV` first";
            let related = self.declared(argument);
            self.report(&codes::NV_TENSOR_UNSET, self.range(argument), message.to_owned(), related);
            return;
        }
        if let Some((argument, Some(view))) = access.view
            && view.has_dimensions == Some(true)
            && view.dimensions == Known::Never
        {
            let message = "the view's type has dimensions of its own, but they are not set: call `setTensorViewDimensionsNV` first";
            let related = self.declared(argument);
            self.report(&codes::NV_TENSOR_UNSET, self.range(argument), message.to_owned(), related);
            return;
        }
        if let Some((argument, Some(view))) = access.view
            && view.has_dimensions == Some(false)
            && let Some(permutation) = &view.permutation
            && permutation.len() > layout.span.len()
        {
            let message = format!(
                "the view takes its {} dimensions from the layout, which has {}: give the view dimensions of its own, or the same number",
                permutation.len(),
                layout.span.len()
            );
            let related = self.declared(argument);
            self.report(&codes::NV_TENSOR_SHAPE, self.range(argument), message, related);
            return;
        }
        let TypeKind::Coopmat(matrix) = self.types.kind(self.body.exprs[access.matrix].ty) else { return };
        let size = |sym| self.types.symbols.as_int(sym).filter(|size| (1..=1 << 16).contains(size));
        let (Some(rows), Some(columns)) = (size(matrix.rows), size(matrix.columns)) else { return };
        if let Some((argument, Some(view))) = access.view
            && let Known::Set(clip) = &view.clip
        {
            self.check_clip(access, argument, clip, (rows, columns));
        }
        if let Some(spans) = spans(access) {
            self.check_shape(access, &spans, (rows, columns));
        }
    }

    /// The clip region holds some of the matrix's elements.
    fn check_clip(
        &mut self,
        access: &Use<'_>,
        argument: ExprId,
        clip: &[Option<i64>],
        (rows, columns): (i64, i64),
    ) {
        let &[row, row_span, column, column_span] = clip else { return };
        for (what, start, span, size) in
            [("row", row, row_span, rows), ("column", column, column_span, columns)]
        {
            let why = match (start, span) {
                (Some(start), _) if start >= size => {
                    format!("begins at {what} {start}, but the matrix has {size} {what}s")
                }
                (_, Some(0)) => format!("has no {what}s"),
                _ => continue,
            };
            let message = format!("the view's clip region {why}: nothing is {}", access.verb());
            let related = self.declared(argument);
            self.report(&codes::NV_TENSOR_SHAPE, self.range(argument), message, related);
            return;
        }
    }

    /// Elements are counted through the matrix row by row, and found in the slice row by row.
    fn check_shape(&mut self, access: &Use<'_>, spans: &[i64], (rows, columns): (i64, i64)) {
        let Some(total) = spans.iter().try_fold(1i64, |total, &span| total.checked_mul(span)) else { return };
        let elements = rows * columns;
        let shape = spans.iter().map(i64::to_string).collect::<Vec<_>>().join(" x ");
        let what = if access.layout.1.sliced == Known::Never { "the tensor" } else { "the slice" };
        let through = if access.view.is_some() { " through the view" } else { "" };
        let mut trailing = 1;
        // A row of the matrix is a number of the last dimensions, or some turns of all of them.
        let lines_up = spans.len() == 1
            || columns % total == 0
            || spans.iter().rev().any(|span| {
                trailing *= span;
                trailing == columns
            });
        let turned = matches!(spans, &[outer, inner] if outer == columns && inner == rows && rows != columns);
        let why = if turned && access.view.is_some() {
            "rows and columns are swapped".to_owned()
        } else if turned {
            "rows and columns are swapped: a view `createTensorViewNV(2, false, 1, 0)` transposes".to_owned()
        } else if access.store && total < elements {
            "several elements are stored to the same place".to_owned()
        } else if total == elements {
            return;
        } else if !lines_up {
            let (row, taken) =
                (spans.last().copied().unwrap_or_default(), if access.store { "written" } else { "read" });
            format!("its rows of {row} elements are {taken} as rows of {columns}")
        } else if total < elements && elements % total != 0 {
            "it is loaded repeatedly from its start, and the last repetition does not reach its end"
                .to_owned()
        } else if total > elements && access.layout.1.sliced == Known::Set(()) {
            format!("only its first {elements} elements are {}", access.verb())
        } else {
            // A row or a part of it for all rows, or the start of a tensor.
            return;
        };
        let (argument, _) = access.layout;
        let message =
            format!("{what} has {shape} elements{through}, but the matrix has {rows} x {columns}: {why}");
        let related = self.declared(argument);
        self.report(&codes::NV_TENSOR_SHAPE, self.range(argument), message, related);
    }
}

/// The size of what is accessed in each dimension, in the order in which the matrix's elements go through it; `None` where that is not
/// known, and for views that take a region of their own.
fn spans(access: &Use<'_>) -> Option<Vec<i64>> {
    let spans: Vec<i64> = access.layout.1.span.iter().copied().collect::<Option<_>>()?;
    if spans.iter().any(|&span| span < 1) {
        return None;
    }
    let Some((_, view)) = access.view else { return Some(spans) };
    let view = view.filter(|view| view.has_dimensions == Some(false) && view.clip == Known::Never)?;
    let permutation = view.permutation.as_ref().filter(|permutation| permutation.len() == spans.len())?;
    permutation.iter().map(|&place| spans.get(place).copied()).collect()
}

impl Tensor {
    pub(super) fn as_view(&self) -> Option<&View> {
        match self {
            Tensor::View(view) => Some(view),
            Tensor::Layout(_) | Tensor::Uncreated => None,
        }
    }
}
