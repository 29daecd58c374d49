//! Reductions, operations on each element and transposes.

use coopmat_analysis::extensions::{constants as names, ids, sets};
use coopmat_analysis::types::Scalar;

use crate::call::{Argument, Call, Mark};
use crate::parts::{
    Callback, Matrix, Parameter, SCOPE_SUBGROUP, SCOPE_WORKGROUP, Size, USE_A, USE_ACCUMULATOR, USE_B,
    constants,
};
use crate::suite::Suite;
use crate::valid::is_maintenance;

fn other_scope(scope: i64) -> i64 {
    if scope == SCOPE_SUBGROUP { SCOPE_WORKGROUP } else { SCOPE_SUBGROUP }
}

fn other_float(component: Scalar) -> Scalar {
    if component == Scalar::Float32 { Scalar::Float16 } else { Scalar::Float32 }
}

fn double(size: Size) -> Size {
    size.with(size.value() * 2)
}

/// Functions that a matrix operation calls: what holds for all of them.
pub fn callback(suite: &mut Suite, twin: usize, call: &Call, index: usize) {
    if !suite.broad {
        return;
    }
    let Some(Argument::Function(function)) = call.arguments.get(index).cloned() else { return };
    for parameter in 0..function.parameters.len() {
        for qualifiers in ["", "in ", "inout ", "out "] {
            suite.broken(
                twin,
                call,
                "the parameters of a function that a matrix operation calls are const in",
                &["nv-callback-parameter"],
                |call| {
                    call.change_function(index, |function| {
                        function.parameters[parameter].qualifiers = qualifiers;
                        if qualifiers == "out " {
                            function.body =
                                format!("{} {}", written(&function.parameters[parameter]), function.body);
                        }
                    });
                    call.mark(Mark::Argument(index));
                },
            );
        }
    }
    for (statement, extension) in [
        ("barrier();", ids::GL_KHR_COOPERATIVE_MATRIX),
        ("subgroupBarrier();", ids::GL_KHR_SHADER_SUBGROUP_BASIC),
        ("subgroupElect();", ids::GL_KHR_SHADER_SUBGROUP_BASIC),
        ("subgroupAdd(1.0);", ids::GL_KHR_SHADER_SUBGROUP_ARITHMETIC),
        (
            "coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> inner = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>(1.0);",
            ids::GL_KHR_COOPERATIVE_MATRIX,
        ),
    ] {
        suite.broken(
            twin,
            call,
            "no tangled instruction in a function that a matrix operation calls",
            &["nv-callback-tangled"],
            |call| {
                call.extensions.push(extension);
                call.change_function(index, |function| {
                    function.body = format!("{statement} {}", function.body)
                });
                call.mark(Mark::Argument(index));
            },
        );
    }
    suite.broken(twin, call, "nor in what that function calls", &["nv-callback-tangled"], |call| {
        call.top.push("void waits() { barrier(); }".to_owned());
        call.change_function(index, |function| function.body = format!("waits(); {}", function.body));
        call.mark(Mark::Argument(index));
    });
}

/// A statement that gives a parameter a value.
fn written(parameter: &Parameter) -> String {
    if parameter.suffix.is_empty() && parameter.ty != "Encoded" {
        format!("{} = {}(1);", parameter.name, parameter.ty)
    } else {
        String::new()
    }
}

/// A signature with one thing changed: another type of each parameter and of the result, one parameter more, one less.
pub fn signature(
    suite: &mut Suite,
    twin: usize,
    call: &Call,
    index: usize,
    rule: &'static str,
    id: &'static str,
    fixed: usize,
) {
    let Some(Argument::Function(function)) = call.arguments.get(index).cloned() else { return };
    for parameter in 0..fixed.min(function.parameters.len()) {
        for ty in
            ["int16_t", "uvec2", "mat2"].into_iter().filter(|&ty| ty != function.parameters[parameter].ty)
        {
            suite.broken(twin, call, rule, &[id], |call| {
                call.change_function(index, |function| {
                    let old = &function.parameters[parameter];
                    // The body speaks of what the parameter was.
                    let name = format!("{}_", old.name);
                    function.body = format!("{} {}; {}", old.ty_with_suffix(), old.declared(), function.body);
                    function.parameters[parameter] =
                        Parameter { suffix: old.suffix.clone(), ..Parameter::new(ty, name) };
                });
                call.mark(Mark::Argument(index));
            });
        }
    }
    for ty in ["int16_t", "uvec2", "void"].into_iter().filter(|&ty| ty != function.returns) {
        suite.broken(twin, call, rule, &[id], |call| {
            call.change_function(index, |function| {
                function.returns = ty.to_owned();
                function.body = if ty == "void" { "return;".to_owned() } else { format!("return {ty}(1);") };
            });
            call.mark(Mark::Argument(index));
        });
    }
    suite.broken(twin, call, rule, &[id], |call| {
        call.change_function(index, |function| {
            function.parameters.pop();
            function.body = default_return(function);
        });
        call.mark(Mark::Argument(index));
    });
}

/// A body that needs no parameter.
fn default_return(function: &Callback) -> String {
    format!("return {}(1);", function.returns)
}

impl Parameter {
    fn ty_with_suffix(&self) -> String {
        self.ty.clone()
    }

    fn declared(&self) -> String {
        format!("{}{}", self.name, self.suffix)
    }
}

pub fn reduce(suite: &mut Suite, twin: usize, call: &Call) {
    let [Some(result), Some(source)] = [call.matrix(0), call.matrix(1)] else { return };
    let mask = match &call.arguments[2] {
        Argument::Value(name) => constants(sets::GL_COOPERATIVE_MATRIX_REDUCE).find(|mask| mask.name == name),
        _ => None,
    };
    let Some(mask) = mask.map(|mask| mask.value) else { return };
    for index in [0, 1] {
        for usage in [USE_A, USE_B] {
            suite.broken(twin, call, "source and result are accumulators", &["nv-reduce-use"], |call| {
                call.change(index, |matrix| matrix.usage = usage).mark(Mark::Argument(index));
            });
        }
    }
    suite.broken(
        twin,
        call,
        "the result has the components of the source",
        &["nv-reduce-component"],
        |call| {
            call.change(0, |matrix| matrix.component = other_float(source.component)).mark(Mark::Argument(0));
        },
    );
    suite.broken(twin, call, "the result has the scope of the source", &["nv-reduce-component"], |call| {
        call.change(0, |matrix| matrix.scope = other_scope(source.scope)).mark(Mark::Argument(0));
    });
    let integers: &[Scalar] =
        if is_maintenance(call.function) { &[] } else { &[Scalar::Int32, Scalar::Uint8] };
    for &component in integers {
        suite.broken(twin, call, "the components are floating-point", &["nv-reduce-component"], |call| {
            call.change(0, |matrix| matrix.component = component);
            call.change(1, |matrix| matrix.component = component);
            call.arguments[3] = Argument::Function(Callback::combine(component));
            call.mark(Mark::Argument(1));
        });
    }
    let (rows, columns) = match mask {
        1 => (true, false),
        2 => (false, true),
        3 => (false, false),
        _ => (true, true),
    };
    let rule = match mask {
        1 => "a row reduction keeps the rows",
        2 => "a column reduction keeps the columns",
        _ => "a 2x2 reduction halves rows and columns",
    };
    if rows {
        suite.broken(twin, call, rule, &["nv-reduce-shape"], |call| {
            call.change(0, |matrix| matrix.rows = double(result.rows)).mark(Mark::Argument(0));
        });
    }
    if columns {
        suite.broken(twin, call, rule, &["nv-reduce-shape"], |call| {
            call.change(0, |matrix| matrix.columns = double(result.columns)).mark(Mark::Argument(0));
        });
    }
    for value in [0, 5, 6, 7] {
        suite.broken(twin, call, "a 2x2 reduction stands alone", &["nv-reduce-mask"], |call| {
            call.put(2, Argument::value(value));
        });
    }
    let [both, squares] = match is_maintenance(call.function) {
        true => [
            names::GL_COOPERATIVE_MATRIX_REDUCE_ROW_AND_COLUMN_EXT,
            names::GL_COOPERATIVE_MATRIX_REDUCE2X2_EXT,
        ],
        false => {
            [names::GL_COOPERATIVE_MATRIX_REDUCE_ROW_AND_COLUMN_NV, names::GL_COOPERATIVE_MATRIX_REDUCE2X2_NV]
        }
    }
    .map(|constant| constant.name());
    suite.broken(twin, call, "a 2x2 reduction stands alone", &["nv-reduce-mask"], |call| {
        call.put(2, Argument::value(format!("{both} | {squares}")));
    });
    signature(
        suite,
        twin,
        call,
        3,
        "a combine function takes and returns components",
        "nv-combine-signature",
        2,
    );
    suite.broken(twin, call, "a combine function takes two components", &["nv-combine-signature"], |call| {
        call.change_function(3, |function| {
            function.parameters.push(Parameter::new(source.component.name(), "third"));
        });
        call.mark(Mark::Argument(3));
    });
    callback(suite, twin, call, 3);
}

pub fn per_element(suite: &mut Suite, twin: usize, call: &Call) {
    let changes: [fn(&mut Matrix); 5] = [
        |matrix| {
            matrix.component =
                if matrix.component == Scalar::Float32 { Scalar::Int32 } else { Scalar::Float32 }
        },
        |matrix| matrix.scope = other_scope(matrix.scope),
        |matrix| matrix.rows = double(matrix.rows),
        |matrix| matrix.columns = double(matrix.columns),
        |matrix| matrix.usage = if matrix.usage == USE_ACCUMULATOR { USE_A } else { USE_ACCUMULATOR },
    ];
    for change in changes {
        suite.broken(twin, call, "the result has the type of the source", &["nv-element-result"], |call| {
            call.change(0, change).mark(Mark::Argument(0));
        });
    }
    for index in 3..call.arguments.len() {
        if call.matrix(index).is_some() {
            for change in changes {
                suite.broken(
                    twin,
                    call,
                    "a further matrix has the type of the source",
                    &["nv-element-arguments"],
                    |call| {
                        call.change(index, change).mark(Mark::Argument(index));
                    },
                );
            }
        } else {
            suite.broken(
                twin,
                call,
                "a further argument has the parameter's type",
                &["nv-element-arguments"],
                |call| {
                    call.put(index, Argument::value("uvec3(1)"));
                },
            );
        }
    }
    suite.broken(twin, call, "an argument for each further parameter", &["nv-element-arguments"], |call| {
        call.arguments.push(Argument::value("1.0"));
        call.mark(Mark::Argument(2));
    });
    suite.broken(twin, call, "an argument for each further parameter", &["nv-element-arguments"], |call| {
        call.change_function(2, |function| function.parameters.push(Parameter::new("float", "more")));
        call.mark(Mark::Argument(2));
    });
    if call.arguments.len() == 3 {
        signature(
            suite,
            twin,
            call,
            2,
            "an element function takes row, column and element and returns an element",
            "nv-element-signature",
            3,
        );
    }
    callback(suite, twin, call, 2);
}

pub fn transpose(suite: &mut Suite, twin: usize, call: &Call) {
    let [Some(result), Some(source)] = [call.matrix(0), call.matrix(1)] else { return };
    let extended = is_maintenance(call.function);
    for usage in [USE_A, USE_B] {
        suite.broken(twin, call, "the source is an accumulator", &["nv-transpose-use"], |call| {
            call.change(1, |matrix| matrix.usage = usage).mark(Mark::Argument(1));
        });
    }
    for usage in [USE_A, USE_ACCUMULATOR] {
        if !(extended && usage == USE_A) {
            let rule = if extended { "the result has use A or B" } else { "the result has use B" };
            suite.broken(twin, call, rule, &["nv-transpose-use"], |call| {
                call.change(0, |matrix| matrix.usage = usage).mark(Mark::Argument(0));
            });
        }
    }
    let shape = "rows and columns are swapped";
    suite.broken(twin, call, shape, &["nv-transpose-shape"], |call| {
        call.change(0, |matrix| matrix.rows = double(result.rows)).mark(Mark::Argument(0));
    });
    suite.broken(twin, call, shape, &["nv-transpose-shape"], |call| {
        call.change(0, |matrix| matrix.columns = double(result.columns)).mark(Mark::Argument(0));
    });
    suite.broken(twin, call, shape, &["nv-transpose-shape"], |call| {
        call.change(0, |matrix| (matrix.rows, matrix.columns) = (source.rows, source.columns))
            .mark(Mark::Argument(0));
    });
    suite.broken(twin, call, "a transpose keeps the scope", &["nv-transpose-shape"], |call| {
        call.change(0, |matrix| matrix.scope = other_scope(matrix.scope)).mark(Mark::Argument(0));
    });
    if !extended {
        suite.broken(twin, call, "a transpose keeps the component type", &["nv-transpose-shape"], |call| {
            call.change(0, |matrix| matrix.component = other_float(matrix.component)).mark(Mark::Argument(0));
        });
    }
}

pub fn coordinate(suite: &mut Suite, twin: usize, call: &Call) {
    let Some(matrix) = call.matrix(0) else { return };
    let rule = "an index is that of an element";
    let count = matrix.rows.value() * matrix.columns.value();
    let length = format!("{matrix}(1).length()");
    for index in
        ["-1".to_owned(), count.to_string(), format!("{count} + 1u"), "0xffffffffu".to_owned(), length]
    {
        suite.broken(twin, call, rule, &["coopmat-element-index"], |call| {
            call.put(1, Argument::value(index));
        });
    }
}
