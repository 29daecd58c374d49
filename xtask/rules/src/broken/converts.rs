//! `saturatedConvertEXT`: from a wider float to a format of 8 bits or less, of one shape.

use coopmat_analysis::types::Scalar;

use crate::call::{Argument, Call, Mark};
use crate::parts::{Matrix, SCOPE_SUBGROUP, SCOPE_WORKGROUP, Size, USE_A, USE_B};
use crate::suite::Suite;

pub fn saturate(suite: &mut Suite, twin: usize, call: &Call) {
    let id = &["saturated-convert"];
    if let (Some(target), Some(_)) = (call.matrix(0), call.matrix(1)) {
        let changes: [fn(&mut Matrix); 4] = [
            |matrix| {
                matrix.scope = if matrix.scope == SCOPE_SUBGROUP { SCOPE_WORKGROUP } else { SCOPE_SUBGROUP }
            },
            |matrix| matrix.rows = Size::Of(32),
            |matrix| matrix.columns = Size::Of(32),
            |matrix| matrix.usage = if matrix.usage == USE_A { USE_B } else { USE_A },
        ];
        for change in changes {
            suite.broken(twin, call, "the result could be constructed from the value", id, |call| {
                call.change(1, change).mark(Mark::Argument(1));
            });
        }
        for component in [Scalar::Float16, Scalar::Float32, Scalar::Int8, Scalar::BFloat16] {
            suite.broken(twin, call, "the result is of a format of 8 bits or less", id, |call| {
                call.change(0, |matrix| *matrix = Matrix { component, ..target }).mark(Mark::Argument(0));
            });
        }
        suite.broken(twin, call, "a matrix converts to a matrix", id, |call| {
            call.put(1, Argument::value("1.0"));
        });
        return;
    }
    for ty in ["float", "float16_t", "int8_t", "vec2"] {
        suite.broken(twin, call, "the result is of a format of 8 bits or less", id, |call| {
            call.put(0, Argument::local(ty, "wide", ""));
        });
    }
    suite.broken(twin, call, "the value is a number", id, |call| {
        call.put(1, Argument::value("true"));
    });
    suite.broken(twin, call, "as many components in as out", id, |call| {
        call.put(1, Argument::value("vec3(1.0)"));
    });
}
