//! convert_acc_to_{a,b}, transpose_acc_to_b, reduce_{sum,min}_{row,col,rowcol,2x2}{,_changedim}, per_element_op{,_row_col,_struct,_mat}.

use super::kernel::{Axes, Kernel, height, width};
use super::numbers::Kind::{self, *};
use super::numbers::Tolerance;
use super::report::Case;

pub fn cases(cases: &mut Vec<Case>) {
    for axes in Axes::all() {
        for (from, to) in [
            (F32, F32),
            (F32, F16),
            (F32, BF16),
            (F32, E4M3),
            (F16, F16),
            (F16, E5M2),
            (S32, S8),
            (S32, S32),
            (U32, U8),
        ] {
            for (category, use_) in [("convert_acc_to_a", "A"), ("convert_acc_to_b", "B")] {
                let target = axes.matrix(to, height(), width(), use_);
                let name = format!("{}_{}.{}", from.glsl(), to.glsl(), axes.name());
                let body = format!("{target} z = {target}(x);\n");
                cases.push(mapped(
                    category,
                    name,
                    from,
                    to,
                    [height(), width()],
                    axes,
                    "",
                    &body,
                    |row, column| (row, column),
                ));
            }
        }
        for kind in [F16, F32, S32, U32] {
            let target = axes.matrix(kind, width(), height(), "B");
            let name = format!("{}.{}", kind.glsl(), axes.name());
            let body = format!("{target} z;\ncoopMatTransposeNV(z, x);\n");
            cases.push(mapped(
                "transpose_acc_to_b",
                name,
                kind,
                kind,
                [width(), height()],
                axes,
                "",
                &body,
                |row, column| (column, row),
            ));
            // The extension reduces floats alone.
            if kind.is_float() {
                reductions(cases, kind, axes);
            }
            per_element(cases, kind, axes);
        }
    }
}

/// An accumulator `x` is loaded, `body` makes `z` of it, whose element at a place is that of `x` at another.
#[expect(clippy::too_many_arguments, reason = "a row of the table above")]
fn mapped(
    category: &'static str,
    name: String,
    from: Kind,
    to: Kind,
    [rows, columns]: [usize; 2],
    axes: Axes,
    head: &str,
    body: &str,
    place: fn(usize, usize) -> (usize, usize),
) -> Case {
    computed(
        category,
        name,
        from,
        to,
        [rows, columns],
        axes,
        head,
        body,
        Tolerance::Ulp(1.0),
        move |row, column, x| {
            let (row, column) = place(row, column);
            x(row, column)
        },
    )
}

/// The same with a reference that computes each element from the elements of `x`.
#[expect(clippy::too_many_arguments, reason = "what a case consists of")]
fn computed(
    category: &'static str,
    name: String,
    from: Kind,
    to: Kind,
    [rows, columns]: [usize; 2],
    axes: Axes,
    head: &str,
    body: &str,
    tolerance: Tolerance,
    reference: impl Fn(usize, usize, &dyn Fn(usize, usize) -> f64) -> f64 + Send + Sync + 'static,
) -> Case {
    let (stride, input) =
        (axes.stride(from, height(), width()), from.small(axes.room(from, height(), width()), 5));
    let (out_stride, room) = (axes.stride(to, rows, columns), axes.room(to, rows, columns));
    let kernel = Kernel::new(axes).input("a", from, input.clone()).output("o", to, room).head(head);
    let text = [
        format!("{} x;\n", axes.matrix(from, height(), width(), "Accumulator")),
        kernel.load("x", "a", stride),
        body.to_string(),
        kernel.store("z", "o", out_stride),
    ];
    Case::new(category, name, kernel.body(text.concat()), move |outcome| {
        let element = |row, column| input[axes.at(stride, row, column)];
        let mut expected = vec![Some(0.0); room];
        for index in 0..rows * columns {
            let (row, column) = (index / columns, index % columns);
            let value = to.nearest(reference(row, column, &element));
            expected[axes.at(out_stride, row, column)] = Some(value);
        }
        outcome.expect("o", &expected, if to.is_float() { tolerance } else { Tolerance::Exact })
    })
}

fn reductions(cases: &mut Vec<Case>, kind: Kind, axes: Axes) {
    // The category, the mode, the dimensions of the result.
    let modes = [
        (["reduce_sum_row", "reduce_min_row"], "Row", [height(), width()]),
        (["reduce_sum_row_changedim", "reduce_min_row_changedim"], "Row", [height(), 3 * width()]),
        (["reduce_sum_col", "reduce_min_col"], "Column", [height(), width()]),
        (["reduce_sum_col_changedim", "reduce_min_col_changedim"], "Column", [height() / 2, width()]),
        (["reduce_sum_rowcol", "reduce_min_rowcol"], "RowAndColumn", [height(), width()]),
        (
            ["reduce_sum_rowcol_changedim", "reduce_min_rowcol_changedim"],
            "RowAndColumn",
            [height() / 2, 3 * width()],
        ),
        // The dimensions are always halved.
        (["reduce_sum_2x2", "reduce_min_2x2"], "2x2", [height() / 2, width() / 2]),
    ];
    for (categories, mode, [rows, columns]) in modes {
        for (category, minimum) in categories.into_iter().zip([false, true]) {
            let type_ = kind.glsl();
            let combine = if minimum { "min(a, b)" } else { "a + b" };
            let head =
                format!("{type_} combine(const in {type_} a, const in {type_} b) {{ return {combine}; }}");
            let body = format!(
                "{} z;\ncoopMatReduceNV(z, x, gl_CooperativeMatrixReduce{mode}NV, combine);\n",
                axes.matrix(kind, rows, columns, "Accumulator")
            );
            let name = format!("{type_}.{}", axes.name());
            let tolerance =
                if mode == "2x2" || minimum { Tolerance::Exact } else { Tolerance::Relative(3.0 / 1024.0) };
            let reference = move |row, column, x: &dyn Fn(usize, usize) -> f64| {
                let (in_rows, in_columns) = match mode {
                    "Row" => (row..row + 1, 0..width()),
                    "Column" => (0..height(), column..column + 1),
                    "2x2" => (2 * row..2 * row + 2, 2 * column..2 * column + 2),
                    _ => (0..height(), 0..width()),
                };
                let mut result = if minimum { f64::INFINITY } else { 0.0 };
                for row in in_rows {
                    for column in in_columns.clone() {
                        result = if minimum { x(row, column).min(result) } else { result + x(row, column) };
                    }
                }
                result
            };
            cases.push(computed(
                category,
                name,
                kind,
                kind,
                [rows, columns],
                axes,
                &head,
                &body,
                tolerance,
                reference,
            ));
        }
    }
}

fn per_element(cases: &mut Vec<Case>, kind: Kind, axes: Axes) {
    let (type_, matrix) = (kind.glsl(), axes.matrix(kind, height(), width(), "Accumulator"));
    let place = "const in uint32_t row, const in uint32_t col";
    let name = || format!("{type_}.{}", axes.name());
    let size = [height(), width()];
    let exact = Tolerance::Exact;
    let head = format!("{type_} f({place}, const in {type_} e) {{ return e + e + {type_}(1); }}");
    let body = format!("{matrix} z;\ncoopMatPerElementNV(z, x, f);\n");
    cases.push(computed(
        "per_element_op",
        name(),
        kind,
        kind,
        size,
        axes,
        &head,
        &body,
        exact,
        |row, column, x| 2.0 * x(row, column) + 1.0,
    ));
    let head = format!(
        "{type_} f({place}, const in {type_} e) {{ return row > col ? e : {type_}(row * 3 + col); }}"
    );
    cases.push(computed(
        "per_element_op_row_col",
        name(),
        kind,
        kind,
        size,
        axes,
        &head,
        &body,
        exact,
        |row, column, x| {
            if row > column { x(row, column) } else { (row * 3 + column) as f64 }
        },
    ));
    let head = format!(
        "struct Parts {{ {type_} by; uint32_t at[2]; }};
{type_} f({place}, const in {type_} e, const in Parts parts) {{ return row == parts.at[0] || col == parts.at[1] ? e * parts.by : e; }}"
    );
    let body = format!(
        "{matrix} z;\nParts parts; parts.by = {type_}(3); parts.at[0] = 2; parts.at[1] = 5;\ncoopMatPerElementNV(z, x, f, parts);\n"
    );
    cases.push(computed(
        "per_element_op_struct",
        name(),
        kind,
        kind,
        size,
        axes,
        &head,
        &body,
        exact,
        |row, column, x| x(row, column) * if row == 2 || column == 5 { 3.0 } else { 1.0 },
    ));
    let head = format!(
        "{type_} f({place}, const in {type_} e, const in {type_} other, const in {type_} plus) {{ return e * other + plus; }}"
    );
    let body = format!("{matrix} z, y = x + x;\ncoopMatPerElementNV(z, x, f, y, {type_}(2));\n");
    cases.push(computed(
        "per_element_op_mat",
        name(),
        kind,
        kind,
        size,
        axes,
        &head,
        &body,
        exact,
        |row, column, x| 2.0 * x(row, column) * x(row, column) + 2.0,
    ));
}
