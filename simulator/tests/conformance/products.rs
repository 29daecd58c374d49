//! matrixmuladd and its _array, _saturated, _wrapping, _minmax, _stride0, _cross and _push; op_constant_null_{a,b,c,r}.

use coopmat_spirv::dr::Module;
use coopmat_spirv::spirv::Op;

use super::kernel::{Axes, Kernel, full, large};
use super::numbers::Kind::{self, *};
use super::numbers::Tolerance;
use super::report::Case;

/// Component types of A, B, C and the result.
const TYPES: [(Kind, Kind, Kind); 15] = [
    (F16, F16, F16),
    (F16, F16, F32),
    (F32, F32, F32),
    (F64, F64, F64),
    (BF16, BF16, F32),
    (BF16, BF16, BF16),
    (E4M3, E4M3, F32),
    (E4M3, E4M3, F16),
    (E5M2, E5M2, F32),
    (E5M2, E5M2, F16),
    (S8, S8, S32),
    (U8, U8, U32),
    (U8, U8, S32),
    (S8, U8, S32),
    (S16, S16, S32),
];

/// The second is the one in which the variants are shown.
fn shapes() -> [[usize; 3]; 4] {
    if large() {
        [[16, 16, 16], [32, 32, 32], [16, 8, 16], [32, 16, 64]]
    } else {
        [[16, 16, 16], [16, 8, 16], [8, 8, 8], [8, 16, 32]]
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Variant {
    Plain,
    Array,
    Saturated,
    Wrapping,
    /// Operands are the ends of their types.
    MinMax,
    Stride0,
    Cross,
    Push,
    Null(char),
}

use Variant::*;

pub fn cases(cases: &mut Vec<Case>) {
    let variants = [
        ("matrixmuladd", Plain),
        ("matrixmuladd_array", Array),
        ("matrixmuladd_saturated", Saturated),
        ("matrixmuladd_wrapping", Wrapping),
        ("matrixmuladd_minmax", MinMax),
        ("matrixmuladd_stride0", Stride0),
        ("matrixmuladd_cross", Cross),
        ("matrixmuladd_push", Push),
        ("op_constant_null_a", Null('a')),
        ("op_constant_null_b", Null('b')),
        ("op_constant_null_c", Null('c')),
        ("op_constant_null_r", Null('r')),
    ];
    let mut turn = 0;
    for (category, variant) in variants {
        for types in TYPES {
            if matches!(variant, Saturated | Wrapping) && types.2.is_float() {
                continue;
            }
            for (number, shape) in shapes().into_iter().enumerate() {
                // The variants differ in what is around the multiplication: one shape shows it.
                if variant != Plain && number != 1 && !full() {
                    continue;
                }
                for axes in Axes::next(&mut turn) {
                    cases.push(product(category, variant, types, shape, axes));
                }
            }
        }
    }
}

fn product(
    category: &'static str,
    variant: Variant,
    (ta, tb, tc): (Kind, Kind, Kind),
    [m, n, k]: [usize; 3],
    axes: Axes,
) -> Case {
    // A layout of its own for B, where layouts cross.
    let other = if variant == Cross { Axes { column_major: !axes.column_major, ..axes } } else { axes };
    let zero = variant == Stride0;
    let strides = [
        if zero { 0 } else { axes.stride(ta, m, k) },
        if zero { 0 } else { other.stride(tb, k, n) },
        axes.stride(tc, m, n),
    ];
    let room = axes.room(tc, m, n);
    let extreme = matches!(variant, Saturated | Wrapping);
    let mut a = ta.small(axes.room(ta, m, k), 1);
    let mut b = tb.small(other.room(tb, k, n), 2);
    if variant == MinMax {
        let lowest = |kind: Kind| match (kind.is_float(), kind.is_signed()) {
            (true, _) => -kind.largest(),
            (false, true) => -kind.largest() - 1.0,
            (false, false) => 0.0,
        };
        let end =
            |kind: Kind, index: usize| if index.is_multiple_of(3) { lowest(kind) } else { kind.largest() };
        a.iter_mut().enumerate().for_each(|(index, value)| *value = end(ta, index));
        // Sums of integers wrap around; of floats one product is not zero, so that none leaves the type.
        b.iter_mut()
            .enumerate()
            .for_each(|(index, value)| *value = if tb.is_float() { 0.0 } else { end(tb, index / 2) });
        if tb.is_float() {
            for column in 0..n {
                b[other.at(strides[1], column % k, column)] =
                    if column.is_multiple_of(2) { 1.0 } else { -1.0 };
            }
        }
    }
    let c: Vec<f64> = if extreme {
        // Close to both ends of the type, so that sums leave it.
        let ends = [tc.largest() - 3.0, if tc.is_signed() { 2.0 - tc.largest() } else { 1.0 }];
        (0..room).map(|index| ends[index / 3 % 2]).collect()
    } else if variant == MinMax && tc.is_float() {
        vec![0.0; room]
    } else {
        tc.small(room, 3)
    };
    let mut kernel = Kernel::new(axes)
        .input("a", ta, a.clone())
        .input("b", tb, b.clone())
        .input("c", tc, c.clone())
        .output("o", tc, room);
    let types =
        [axes.matrix(ta, m, k, "A"), axes.matrix(tb, k, n, "B"), axes.matrix(tc, m, n, "Accumulator")];
    let operands = if variant == Saturated { ", gl_MatrixOperandsSaturatingAccumulation" } else { "" };
    let [x, y, z] = &types;
    let mut body = match variant {
        Array => format!("{x} x[2]; {y} y[2]; {z} z[2];\n"),
        Plain | Saturated | Wrapping | MinMax | Stride0 | Cross | Push | Null(_) => {
            format!("{x} x; {y} y; {z} z;\n")
        }
    };
    let index = if variant == Array { "[1]" } else { "" };
    for (place, (matrix, name)) in [("x", "a"), ("y", "b"), ("z", "c")].into_iter().enumerate() {
        let layout = if name == "b" { other.layout() } else { axes.layout() };
        let pointer = kernel.pointer(name);
        // What comes from push constants is not known while compiling.
        let (stride, layout) = if variant == Push && name == "a" {
            ("push_stride".to_string(), layout)
        } else {
            (strides[place].to_string(), layout)
        };
        body += &format!("coopMatLoad({matrix}{index}, {pointer}, 0, {stride}, {layout});\n");
    }
    if let Null(which) = variant {
        let (type_, matrix) = match which {
            'a' => (x, "x"),
            'b' => (y, "y"),
            _ => (z, "z"),
        };
        let component = if which == 'a' {
            ta
        } else if which == 'b' {
            tb
        } else {
            tc
        }
        .glsl();
        kernel = kernel.head(&format!("const {type_} NULL = {type_}({component}(1));"));
        if which != 'r' {
            body += &format!("{matrix} = NULL;\n");
        }
    }
    body += &match variant {
        Array => format!("z[0] = coopMatMulAdd(x[1], y[1], z[1]{operands});\n"),
        Null('r') => "z = NULL;\n".to_string(),
        Plain | Saturated | Wrapping | MinMax | Stride0 | Cross | Push | Null(_) => {
            format!("z = coopMatMulAdd(x, y, z{operands});\n")
        }
    };
    body += &kernel.store(if variant == Array { "z[0]" } else { "z" }, "o", strides[2]);
    let name = format!("{}_{}_{}.{m}x{n}x{k}.{}", ta.glsl(), tb.glsl(), tc.glsl(), axes.name());
    let tolerance = match tc {
        F16 | F32 | F64 => Tolerance::Absolute(2f64.powi(-17)),
        // Its last two bits.
        BF16 => Tolerance::Ulp(3.0),
        E4M3 | E5M2 | S8 | U8 | S16 | U16 | S32 | U32 => Tolerance::Exact,
    };
    let mut case = Case::new(category, name, kernel.body(body), move |outcome| {
        let mut expected = vec![Some(0.0); room];
        for row in 0..m {
            for column in 0..n {
                let at = axes.at(strides[2], row, column);
                let left = |step| a[axes.at(strides[0], row, step)];
                let right = |step| b[other.at(strides[1], step, column)];
                let mut sum: f64 = (0..k).map(|step| left(step) * right(step)).sum();
                if matches!(variant, Null('a' | 'b')) {
                    sum = 0.0;
                }
                sum = match variant {
                    Null('r') => 0.0,
                    Null('c') => sum,
                    Plain | Array | Saturated | Wrapping | MinMax | Stride0 | Cross | Push | Null(_) => {
                        sum + c[at]
                    }
                };
                if variant == Saturated {
                    let lowest = if tc.is_signed() { -tc.largest() - 1.0 } else { 0.0 };
                    sum = sum.clamp(lowest, tc.largest());
                }
                expected[at] = Some(tc.nearest(sum));
            }
        }
        outcome.expect("o", &expected, tolerance)
    });
    if variant == Push {
        case.push = vec![strides[0] as u32];
    }
    if matches!(variant, Null(_)) {
        case.patch = Some(null_constants);
    }
    case
}

/// GLSL has no words for a matrix that is OpConstantNull: the constants that are matrices become it.
fn null_constants(module: &mut Module) {
    let matrices: Vec<u32> = module
        .types_global_values
        .iter()
        .filter(|instruction| instruction.class.opcode == Op::TypeCooperativeMatrixKHR)
        .filter_map(|instruction| instruction.result_id)
        .collect();
    let null = coopmat_spirv::class(Op::ConstantNull as u16).expect("an instruction that is known");
    let mut found = false;
    for instruction in &mut module.types_global_values {
        let of_matrix = instruction.result_type.is_some_and(|type_| matrices.contains(&type_));
        if of_matrix && instruction.class.opcode == Op::ConstantComposite {
            instruction.class = null;
            instruction.operands.clear();
            found = true;
        }
    }
    assert!(found, "codegen makes a constant of the matrix");
}
