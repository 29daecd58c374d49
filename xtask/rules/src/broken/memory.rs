//! Loads and stores: strides, starts, and where a matrix ends.

use coopmat_analysis::extensions::{Rule, sets, values};
use coopmat_analysis::types::{Scalar, ScalarClassNv};

use crate::call::{Argument, Call, Mark};
use crate::parts::{Matrix, Memory, Place, Size, named};
use crate::suite::Suite;
use crate::valid::stride;

const START: usize = 2;
const STRIDE: usize = 3;

/// Length of a line of a matrix in bytes, and how many lines there are.
fn lines(matrix: Matrix, column_major: bool) -> (u32, u32) {
    let (size, count) =
        if column_major { (matrix.rows, matrix.columns) } else { (matrix.columns, matrix.rows) };
    (size.value() * matrix.component.bytes(), count.value())
}

pub fn accesses(suite: &mut Suite, twin: usize, call: &Call) {
    let (Some(matrix), Some(Argument::Memory(memory)), Some(Argument::Value(layout))) =
        (call.matrix(0), call.arguments.get(1), call.arguments.get(4))
    else {
        return;
    };
    let of_lines = |value| *layout == named(sets::GL_COOPERATIVE_MATRIX_LAYOUT, value);
    if !(of_lines(0) || of_lines(1)) {
        blocks(
            suite,
            twin,
            call,
            matrix,
            of_lines(values::GL_COOPERATIVE_MATRIX_LAYOUT_ROW_BLOCKED_INTERLEAVED_ARM),
        );
        return;
    }
    let column_major = of_lines(1);
    // How small formats lie in memory, their extensions leave open.
    let (line_bytes, count) = lines(matrix, column_major);
    if matrix.component.bits() < 8 {
        return;
    }
    let (bytes, plain) = (memory.bytes(), stride(matrix, memory, column_major));
    let store = call.function.rule == Some(Rule::CoopMatStore);
    let known = matrix.rows.is_known() && matrix.columns.is_known();
    for shorter in [plain / 2, 1] {
        if shorter > 0 && shorter * bytes < line_bytes {
            suite.broken(twin, call, "rows do not overlap", &["coopmat-stride"], |call| {
                call.put(STRIDE, Argument::value(shorter));
            });
        }
    }
    if store {
        suite.broken(twin, call, "a store's stride is greater than 0", &["coopmat-stride"], |call| {
            call.put(STRIDE, Argument::value(0));
        });
    }
    let align = line_bytes.min(16);
    if align.is_power_of_two() && bytes < align && known {
        suite.broken(twin, call, "the stride is aligned", &["coopmat-alignment"], |call| {
            call.put(STRIDE, Argument::value(plain + 1));
        });
        if memory.place == Place::Buffer {
            for start in [1, align / bytes + 1] {
                suite.broken(twin, call, "the start is aligned", &["coopmat-alignment"], |call| {
                    call.put(START, Argument::value(wide(call, start)));
                });
            }
        }
    }
    if memory.place == Place::Shared && known {
        let last = 4096 - (count - 1) * plain;
        let aligned = last.next_multiple_of((align / bytes).max(1));
        for start in [4096, aligned] {
            suite.broken(twin, call, "a matrix ends before the array does", &["coopmat-extent"], |call| {
                call.put(START, Argument::value(wide(call, start)));
            });
        }
    }
}

/// Layouts of blocks that are interleaved in memory: SPV_ARM_cooperative_matrix_layouts.
fn blocks(suite: &mut Suite, twin: usize, call: &Call, matrix: Matrix, of_rows: bool) {
    for blocks in [0, 3, 8] {
        suite.broken(twin, call, "1, 2 or 4 blocks are interleaved", &["coopmat-stride"], |call| {
            call.put(STRIDE, Argument::value(blocks));
        });
    }
    suite.broken(twin, call, "how many blocks are interleaved is constant", &["coopmat-stride"], |call| {
        call.put(STRIDE, Argument::value("gl_WorkGroupID.x"));
    });
    let wide = 16 / matrix.component.bytes();
    for (blocks, rows, columns) in [(1, 6, 2 * wide), (1, 8, wide + 1), (2, 8, wide), (4, 8, wide)] {
        let (rows, columns) = if of_rows || blocks == 1 { (rows, columns) } else { (4, columns * 4) };
        suite.broken(twin, call, "a matrix is made of whole blocks", &["coopmat-stride"], |call| {
            call.change(0, |matrix| (matrix.rows, matrix.columns) = (Size::Of(rows), Size::Of(columns)));
            call.arguments[STRIDE] = Argument::value(blocks);
            call.mark(Mark::Argument(0));
        });
    }
}

/// A number of the type of the `element` parameter.
fn wide(call: &Call, value: u32) -> String {
    match &call.arguments[START] {
        Argument::Value(text) if text.starts_with("uint64_t") => format!("uint64_t({value})"),
        _ => value.to_string(),
    }
}

pub fn accesses_nv(suite: &mut Suite, twin: usize, call: &Call) {
    // What no matrix's memory can be is said with the parameters; here is what the type of the matrix decides.
    if let (Some(Argument::MatrixNv(matrix)), Some(Argument::Memory(memory))) =
        (call.arguments.first(), call.arguments.get(1))
    {
        let vector = |component, count| Memory { element: component, count, ..memory.clone() };
        let wrong: &[(Scalar, u32)] = match matrix.class {
            ScalarClassNv::Float => {
                &[(Scalar::Float16, 2), (Scalar::Float32, 4), (Scalar::Int32, 1), (Scalar::Int32, 2)]
            }
            _ => &[(Scalar::Float16, 1), (Scalar::Uint16, 2), (Scalar::Int8, 4)],
        };
        for &(component, count) in wrong {
            suite.broken(
                twin,
                call,
                "there is a load for the element",
                &["coopmat-memory-element"],
                |call| {
                    call.put(1, Argument::Memory(vector(component, count)));
                },
            );
        }
    }
    suite.broken(twin, call, "colMajor is a bool", &["type-mismatch"], |call| {
        call.put(4, Argument::value("uvec2(1)"));
    });
}
