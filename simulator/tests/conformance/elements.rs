//! length, constant, composite{,_rvalue,_array}, add, sub, mul, div, negate, matrixtimesscalar, func, func_const_in.

use super::kernel::{Axes, Kernel, Scope, USES, height, width};
use super::numbers::{ARITHMETIC, Kind, Tolerance};
use super::report::Case;

/// Two matrices `x` and `y` are loaded, `statements` make `z`, which is stored; every element is what the reference says.
struct Elementwise {
    category: &'static str,
    kinds: &'static [Kind],
    head: fn(kind: &str, matrix: &str) -> String,
    statements: fn(kind: &str, matrix: &str) -> String,
    reference: fn(Kind, f64, f64) -> f64,
    tolerance: Tolerance,
}

fn nothing(_: &str, _: &str) -> String {
    String::new()
}

const EXACT: Tolerance = Tolerance::Exact;

const SIGNED: [Kind; 6] = [Kind::F16, Kind::F32, Kind::F64, Kind::S8, Kind::S16, Kind::S32];

const ANY: [Kind; 12] = [
    Kind::F16,
    Kind::F32,
    Kind::F64,
    Kind::BF16,
    Kind::E4M3,
    Kind::E5M2,
    Kind::S8,
    Kind::U8,
    Kind::S16,
    Kind::U16,
    Kind::S32,
    Kind::U32,
];

const TABLE: &[Elementwise] = &[
    Elementwise {
        category: "constant",
        kinds: &ANY,
        head: |kind, matrix| format!("const {matrix} ONES = {matrix}({kind}(1));"),
        statements: |_, matrix| format!("{matrix} z = ONES;"),
        reference: |_, _, _| 1.0,
        tolerance: EXACT,
    },
    Elementwise {
        category: "composite",
        kinds: &ARITHMETIC,
        head: nothing,
        statements: |_, matrix| {
            format!("{matrix} z = y; for (int i = 0; i < x.length(); ++i) {{ z[i] = x[i] + z[i]; }}")
        },
        reference: |_, x, y| x + y,
        tolerance: EXACT,
    },
    Elementwise {
        category: "composite_rvalue",
        kinds: &ARITHMETIC,
        head: |_, matrix| format!("{matrix} same({matrix} m) {{ return m; }}"),
        statements: |kind, matrix| {
            format!(
                "{matrix} z; for (int i = 0; i < x.length(); ++i) {{ {kind} e = same(x)[i] + (y + y)[i]; z[i] = e; }}"
            )
        },
        reference: |_, x, y| x + y + y,
        tolerance: EXACT,
    },
    Elementwise {
        category: "composite_array",
        kinds: &ARITHMETIC,
        head: nothing,
        statements: |_, matrix| {
            format!(
                "{matrix} list[3]; list[0] = y; list[1] = x; list[2] = y;
                for (int i = 0; i < list[1].length(); ++i) {{ list[2][i] = list[1][i] - list[0][i]; }}
                {matrix} z = list[2];"
            )
        },
        reference: |_, x, y| x - y,
        tolerance: EXACT,
    },
    Elementwise {
        category: "add",
        kinds: &ARITHMETIC,
        head: nothing,
        statements: |_, matrix| format!("{matrix} z = x + y;"),
        reference: |_, x, y| x + y,
        tolerance: EXACT,
    },
    Elementwise {
        category: "sub",
        kinds: &ARITHMETIC,
        head: nothing,
        statements: |_, matrix| format!("{matrix} z = x - y;"),
        reference: |_, x, y| x - y,
        tolerance: EXACT,
    },
    Elementwise {
        category: "mul",
        kinds: &ARITHMETIC,
        head: nothing,
        statements: |_, matrix| format!("{matrix} z = x * y;"),
        reference: |_, x, y| x * y,
        tolerance: EXACT,
    },
    Elementwise {
        category: "div",
        kinds: &ARITHMETIC,
        head: nothing,
        // No element is divided by zero.
        statements: |kind, matrix| {
            format!(
                "for (int i = 0; i < y.length(); ++i) if (y[i] == {kind}(0)) y[i] = {kind}(2);\n{matrix} z = x / y;"
            )
        },
        reference: |kind, x, y| {
            let y = if y == 0.0 { 2.0 } else { y };
            if kind.is_float() { x / y } else { (x / y).trunc() }
        },
        tolerance: Tolerance::Ulp(3.0),
    },
    Elementwise {
        category: "negate",
        kinds: &SIGNED,
        head: nothing,
        statements: |_, matrix| format!("{matrix} z = -x;"),
        reference: |_, x, _| -x,
        tolerance: EXACT,
    },
    Elementwise {
        category: "matrixtimesscalar",
        kinds: &ARITHMETIC,
        head: nothing,
        statements: |kind, matrix| format!("{matrix} z = x * {kind}(6); z = {kind}(2) * z;"),
        reference: |_, x, _| x * 12.0,
        tolerance: EXACT,
    },
    Elementwise {
        category: "func",
        kinds: &ARITHMETIC,
        head: |_, matrix| {
            format!("{matrix} sum({matrix} m, inout {matrix} n) {{ m = m + n; n = m - n; return m; }}")
        },
        statements: |_, matrix| format!("{matrix} z = sum(x, y); z = z + y;"),
        reference: |_, x, y| x + y + x,
        tolerance: EXACT,
    },
    Elementwise {
        category: "func_const_in",
        kinds: &ARITHMETIC,
        head: |_, matrix| {
            format!("{matrix} sum(const in {matrix} m, const in {matrix} n) {{ return m + n; }}")
        },
        statements: |_, matrix| format!("{matrix} z = sum(x, y);"),
        reference: |_, x, y| x + y,
        tolerance: EXACT,
    },
];

pub fn cases(cases: &mut Vec<Case>) {
    lengths(cases);
    let mut turn = 0;
    for row in TABLE {
        for &kind in row.kinds {
            for use_ in USES {
                for axes in Axes::next(&mut turn) {
                    cases.push(elementwise(row, kind, use_, axes));
                }
            }
        }
    }
}

fn elementwise(row: &'static Elementwise, kind: Kind, use_: &str, axes: Axes) -> Case {
    let (matrix, stride) = (axes.matrix(kind, height(), width(), use_), axes.stride(kind, height(), width()));
    let room = axes.room(kind, height(), width());
    let (x, y) = (kind.small(room, 1), kind.small(room, 4));
    let kernel = Kernel::new(axes)
        .input("a", kind, x.clone())
        .input("b", kind, y.clone())
        .output("o", kind, room)
        .head(&(row.head)(kind.glsl(), &matrix));
    let body = [
        format!("{matrix} x, y;\n"),
        kernel.load("x", "a", stride),
        kernel.load("y", "b", stride),
        (row.statements)(kind.glsl(), &matrix),
        kernel.store("z", "o", stride),
    ];
    Case::new(
        row.category,
        format!("{}.{}.{}", kind.glsl(), use_, axes.name()),
        kernel.body(body.concat()),
        move |outcome| {
            let mut expected = vec![Some(0.0); room];
            for index in 0..height() * width() {
                let at = axes.at(stride, index / width(), index % width());
                expected[at] = Some(kind.nearest((row.reference)(kind, x[at], y[at])));
            }
            // What lies between the lines of the matrix stays as it was.
            outcome.expect("o", &expected, row.tolerance)
        },
    )
}

/// Under an ownership that deals elements out evenly, each invocation of the scope has the same number.
fn lengths(cases: &mut Vec<Case>) {
    let mut turn = 0;
    for kind in ANY {
        for use_ in USES {
            for axes in Axes::next(&mut turn) {
                let matrix = axes.matrix(kind, height(), width().max(16), use_);
                let kernel = Kernel::new(axes).output("o", Kind::U32, 1);
                let pointer = kernel.pointer("o");
                let body =
                    format!("{matrix} m; if (gl_LocalInvocationIndex == 0) {pointer}[0] = m.length();\n");
                cases.push(Case::new(
                    "length",
                    format!("{}.{}.{}", kind.glsl(), use_, axes.name()),
                    kernel.body(body),
                    move |outcome| {
                        let invocations =
                            if axes.scope == Scope::Workgroup { 32 } else { outcome.subgroup_size };
                        outcome.expect("o", &[Some((height() * width().max(16) / invocations) as f64)], EXACT)
                    },
                ));
            }
        }
    }
}
