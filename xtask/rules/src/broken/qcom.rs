//! GL_QCOM_cooperative_matrix_conversion: arrays, their elements and lengths, and the matrices that they are exchanged with.

use coopmat_analysis::types::Scalar;

use crate::call::{Argument, Call, Mark};
use crate::parts::{Array, Matrix, SCOPE_WORKGROUP, Size, USE_A, USE_ACCUMULATOR, USE_B};
use crate::suite::Suite;
use crate::valid::ARRAY_ELEMENTS;

/// What is no one-dimensional array of a length.
fn not_an_array(suite: &mut Suite, twin: usize, call: &Call, index: usize) {
    for (ty, suffix) in [("vec4", ""), ("float", ""), ("float", "[2][4]")] {
        suite.broken(twin, call, "arguments are one-dimensional arrays", &["qcom-array"], |call| {
            call.put(index, Argument::local(ty, "other", suffix));
        });
    }
}

fn arrays(call: &Call) -> Vec<usize> {
    call.places(|argument| matches!(argument, Argument::Array(_)))
}

fn array(call: &Call, index: usize) -> Option<Array> {
    match call.arguments.get(index) {
        Some(Argument::Array(array)) => Some(*array),
        _ => None,
    }
}

fn element_types(suite: &mut Suite, twin: usize, call: &Call) {
    for index in arrays(call) {
        not_an_array(suite, twin, call, index);
        for element in [Scalar::Int8, Scalar::Uint16, Scalar::Float64, Scalar::Int64] {
            suite.broken(
                twin,
                call,
                "elements are int32_t, uint32_t, float32_t or float16_t",
                &["qcom-element-type"],
                |call| {
                    let length = Size::Of(16);
                    call.put(index, Argument::Array(Array { element, length }));
                },
            );
        }
    }
}

pub fn bit_cast(suite: &mut Suite, twin: usize, call: &Call) {
    element_types(suite, twin, call);
    for index in arrays(call) {
        let Some(array) = array(call, index) else { continue };
        for length in [array.length.value() * 2, array.length.value() + 1] {
            suite.broken(
                twin,
                call,
                "both arrays have the same size in bytes",
                &["qcom-bitcast-size"],
                |call| {
                    call.arguments[index] =
                        Argument::Array(Array { length: array.length.with(length), ..array });
                    call.mark(Mark::Argument(1));
                },
            );
        }
    }
}

pub fn sub_array(suite: &mut Suite, twin: usize, call: &Call) {
    element_types(suite, twin, call);
    let [Some(source), Some(target)] = [array(call, 0), array(call, 2)] else { return };
    for element in ARRAY_ELEMENTS.into_iter().filter(|&element| element != source.element) {
        suite.broken(
            twin,
            call,
            "both arrays have the same element type",
            &["qcom-subarray-element"],
            |call| {
                call.put(2, Argument::Array(Array { element, ..target }));
            },
        );
    }
    let (all, part) = (source.length.value() as i32, target.length.value() as i32);
    for start in [-part, all, all - part + 1] {
        suite.broken(
            twin,
            call,
            "start and length stay inside the source",
            &["qcom-subarray-range"],
            |call| {
                call.put(1, Argument::value(start));
            },
        );
    }
    suite.broken(twin, call, "start and length stay inside the source", &["qcom-subarray-range"], |call| {
        call.put(2, Argument::Array(Array { length: Size::Of(all as u32 * 2), ..target }));
    });
    if all > part + 1 {
        suite.broken(
            twin,
            call,
            "the start is a multiple of the destination's length",
            &["qcom-subarray-alignment"],
            |call| {
                call.put(1, Argument::value(1));
            },
        );
    }
}

pub fn conversion(suite: &mut Suite, twin: usize, call: &Call) {
    let (matrix_at, array_at) = if call.matrix(0).is_some() { (0, 1) } else { (1, 0) };
    let (Some(matrix), Some(array)) = (call.matrix(matrix_at), array(call, array_at)) else { return };
    let with = |call: &mut Call, matrix: Matrix| {
        call.arguments[matrix_at] = Argument::Matrix(matrix);
    };
    not_an_array(suite, twin, call, array_at);
    suite.broken(twin, call, "the matrix has subgroup scope", &["qcom-subgroup-scope"], |call| {
        with(call, Matrix { scope: SCOPE_WORKGROUP, ..matrix });
        call.mark(Mark::Argument(matrix_at));
    });
    let wrong: &[Scalar] = match matrix.usage {
        USE_ACCUMULATOR => &[Scalar::Int8, Scalar::Uint8, Scalar::Int16, Scalar::Float64],
        _ => &[Scalar::Int32, Scalar::Uint32, Scalar::Int16, Scalar::Float64],
    };
    for &component in wrong {
        suite.broken(
            twin,
            call,
            "the component type is one that the use has",
            &["qcom-component-type"],
            |call| {
                with(call, Matrix { component, ..matrix });
                call.mark(Mark::Argument(matrix_at));
            },
        );
    }
    let others =
        [Scalar::Float16, Scalar::Float32, Scalar::Int32, Scalar::Int8, Scalar::Uint8, Scalar::Int16];
    for element in others.into_iter().filter(|&element| element != matrix.component) {
        suite.broken(
            twin,
            call,
            "the array's elements are the components or uint32_t",
            &["qcom-vector-element"],
            |call| {
                call.put(array_at, Argument::Array(Array { element, ..array }));
            },
        );
    }
    for length in [array.length.value() * 2, array.length.value() / 2] {
        suite.broken(twin, call, "the array's length fits the matrix", &["qcom-vector-length"], |call| {
            call.put(array_at, Argument::Array(Array { length: Size::Of(length), ..array }));
        });
    }
    match matrix.usage {
        USE_A | USE_B => {
            suite.broken(
                twin,
                call,
                "a line of use A or B takes 32 bytes",
                &["qcom-fixed-dimension"],
                |call| {
                    let (changed, length) = match matrix.usage {
                        USE_A => (
                            Matrix { columns: Size::Of(matrix.columns.value() * 2), ..matrix },
                            matrix.columns,
                        ),
                        _ => (Matrix { rows: Size::Of(matrix.rows.value() * 2), ..matrix }, matrix.rows),
                    };
                    with(call, changed);
                    // An array of the matrix's own components goes with it.
                    if array.element == matrix.component {
                        let length = Size::Of(length.value() * 2);
                        call.arguments[array_at] = Argument::Array(Array { length, ..array });
                    }
                    call.mark(Mark::Argument(matrix_at));
                },
            );
        }
        _ => {
            for columns in [8, 128] {
                let packed = array.element == Scalar::Uint32 && matrix.component == Scalar::Float16;
                let length = if packed { columns / 2 } else { columns };
                // A row that comes out of a matrix has a length of its own to keep.
                let told_twice = matrix_at == 0 && ![64, 32, 16, 8].contains(&length);
                let ids: &[&str] = if told_twice {
                    &["qcom-subgroup-size", "qcom-vector-length"]
                } else {
                    &["qcom-subgroup-size"]
                };
                let rule = "an accumulator has as many columns as the subgroup, half or a quarter";
                suite.broken(twin, call, rule, ids, |call| {
                    with(call, Matrix { columns: Size::Of(columns), ..matrix });
                    call.arguments[array_at] = Argument::Array(Array { length: Size::Of(length), ..array });
                    call.mark(Mark::Argument(matrix_at));
                    if told_twice {
                        call.mark(Mark::Argument(array_at));
                    }
                });
            }
        }
    }
    suite.broken(
        twin,
        call,
        "a line for each invocation of the subgroup at most",
        &["qcom-subgroup-size"],
        |call| {
            let changed = match matrix.usage {
                USE_B => Matrix { columns: Size::Of(128), ..matrix },
                _ => Matrix { rows: Size::Of(128), ..matrix },
            };
            with(call, changed);
            call.mark(Mark::Argument(matrix_at));
        },
    );
}
