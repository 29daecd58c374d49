//! The multiply-adds: shapes, scopes, uses and components of three matrices.

use coopmat_analysis::types::{Scalar, ScalarClassNv};

use crate::call::{Argument, Call, Mark};
use crate::parts::{SCOPE_SUBGROUP, SCOPE_WORKGROUP, USE_A, USE_ACCUMULATOR, USE_B};
use crate::suite::Suite;

fn other_scope(scope: i64) -> i64 {
    if scope == SCOPE_SUBGROUP { SCOPE_WORKGROUP } else { SCOPE_SUBGROUP }
}

pub fn khr(suite: &mut Suite, twin: usize, call: &Call) {
    let [Some(a), Some(b), Some(c)] = [call.matrix(0), call.matrix(1), call.matrix(2)] else { return };
    for (index, rule) in [(0, "A has use A"), (1, "B has use B"), (2, "C has use Accumulator")] {
        for usage in [USE_A, USE_B, USE_ACCUMULATOR].into_iter().filter(|&usage| usage != index as i64) {
            suite.broken(twin, call, rule, &["coopmat-operand-use"], |call| {
                call.change(index, |matrix| matrix.usage = usage).mark(Mark::Argument(index));
                keep_result(call);
            });
        }
    }
    // One size that differs, and the operand at which it is told.
    let shape = &["coopmat-muladd-shape"];
    let mut shapes = |rule, changed: usize, rows: bool, told: usize| {
        let matrix = [a, b, c][changed];
        let size = if rows { matrix.rows } else { matrix.columns };
        for other in [size.value() * 2, size.value() / 2] {
            suite.broken(twin, call, rule, shape, |call| {
                let size = size.with(other);
                call.change(changed, |matrix| {
                    *(if rows { &mut matrix.rows } else { &mut matrix.columns }) = size
                });
                call.mark(Mark::Argument(told));
                keep_result(call);
            });
        }
    };
    shapes("A's columns are B's rows", 0, false, 1);
    shapes("A's columns are B's rows", 1, true, 1);
    shapes("C's rows are A's rows", 0, true, 2);
    shapes("C's rows are A's rows", 2, true, 2);
    shapes("C's columns are B's columns", 1, false, 2);
    shapes("C's columns are B's columns", 2, false, 2);
    for (changed, told) in [(1, 1), (2, 2)] {
        suite.broken(twin, call, "A, B and C have the same scope", &["coopmat-muladd-scope"], |call| {
            call.change(changed, |matrix| matrix.scope = other_scope(matrix.scope))
                .mark(Mark::Argument(told));
            keep_result(call);
        });
    }
    suite.broken(twin, call, "A, B and C have the same scope", &["coopmat-muladd-scope"], |call| {
        call.change(0, |matrix| matrix.scope = other_scope(matrix.scope));
        call.mark(Mark::Argument(1)).mark(Mark::Argument(2));
    });
    for (changed, told) in [(1, 1), (2, 2)] {
        let other = if a.component.is_float() { Scalar::Int32 } else { Scalar::Float32 };
        suite.broken(
            twin,
            call,
            "integers are not multiplied with floats",
            &["coopmat-muladd-component"],
            |call| {
                call.change(changed, |matrix| matrix.component = other).mark(Mark::Argument(told));
                if other == Scalar::Float32 && changed == 2 && call.arguments.len() > 3 {
                    call.arguments.truncate(3);
                }
                keep_result(call);
            },
        );
    }
    if c.component.is_float() {
        suite.broken(twin, call, "saturation is for integers", &["coopmat-muladd-operands"], |call| {
            call.arguments.truncate(3);
            call.arguments.push(Argument::value("gl_MatrixOperandsSaturatingAccumulation"));
            call.mark(Mark::Argument(3));
        });
    }
    suite.broken(twin, call, "the result has the type of C", &["coopmat-type-mismatch"], |call| {
        let other = if c.component == Scalar::Float32 { Scalar::Float16 } else { Scalar::Float32 };
        call.result = Some(crate::parts::Matrix { component: other, ..c }.to_string());
        call.mark(Mark::Call);
    });
}

/// The result's variable follows C.
fn keep_result(call: &mut Call) {
    call.result = call.matrix(2).map(|matrix| matrix.to_string());
}

pub fn nv(suite: &mut Suite, twin: usize, call: &Call) {
    let keep = |call: &mut Call| {
        if let Some(Argument::MatrixNv(c)) = call.arguments.get(2) {
            call.result = Some(c.to_string());
        }
    };
    let mut shapes = |rule, changed: usize, rows: bool, told: usize| {
        for factor in [2, 4] {
            suite.broken(twin, call, rule, &["coopmat-muladd-shape"], |call| {
                call.change_nv(changed, |matrix| {
                    *(if rows { &mut matrix.rows } else { &mut matrix.columns }) *= factor;
                });
                call.mark(Mark::Argument(told));
                keep(call);
            });
        }
    };
    shapes("A's columns are B's rows", 0, false, 1);
    shapes("A's columns are B's rows", 1, true, 1);
    shapes("C's rows are A's rows", 0, true, 2);
    shapes("C's rows are A's rows", 2, true, 2);
    shapes("C's columns are B's columns", 1, false, 2);
    shapes("C's columns are B's columns", 2, false, 2);
    for index in [1, 2] {
        suite.broken(twin, call, "A, B and C have the same scope", &["coopmat-muladd-scope"], |call| {
            call.change_nv(index, |matrix| matrix.scope = other_scope(matrix.scope))
                .mark(Mark::Argument(index));
            keep(call);
        });
        suite.broken(twin, call, "A, B and C are of one kind", &["coopmat-nv-operand"], |call| {
            call.change_nv(index, |matrix| {
                matrix.class = match matrix.class {
                    ScalarClassNv::Float => ScalarClassNv::Signed,
                    ScalarClassNv::Signed => ScalarClassNv::Unsigned,
                    ScalarClassNv::Unsigned => ScalarClassNv::Signed,
                };
            });
            call.mark(Mark::Argument(index));
            keep(call);
        });
    }
    suite.broken(twin, call, "the result has the type of C", &["coopmat-type-mismatch"], |call| {
        if let Some(Argument::MatrixNv(c)) = call.arguments.get(2) {
            let mut other = *c;
            other.rows *= 2;
            call.result = Some(other.to_string());
        }
        call.mark(Mark::Call);
    });
}
