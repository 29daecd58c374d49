//! Where a call stands and what its values are: invocations that stay away, operands that differ, matrices without a value, elements
//! whose owner the code relies on, operations in functions over elements.

use coopmat_analysis::extensions::{ExtensionId, ParameterDirection, Pattern, Rule, ids};
use coopmat_analysis::types::Scalar;

use crate::call::{Argument, Call, Mark};
use crate::parts::{Matrix, SCOPE_SUBGROUP, SCOPE_WORKGROUP, USE_A, USE_ACCUMULATOR};
use crate::shader::{Shader, marked};
use crate::suite::Suite;

const BASIC: ExtensionId = ids::GL_KHR_SHADER_SUBGROUP_BASIC;

/// Whether the invocations of a scope do it together.
fn is_together(rule: Option<Rule>) -> bool {
    rule.is_some_and(Rule::is_matrix_operation)
}

/// The scope of the matrices of a call.
fn scope(call: &Call) -> i64 {
    let of_workgroup = call.arguments.iter().any(|argument| match argument {
        Argument::Matrix(matrix) => matrix.scope == SCOPE_WORKGROUP,
        Argument::MatrixNv(matrix) => matrix.scope == SCOPE_WORKGROUP,
        _ => false,
    });
    if of_workgroup { SCOPE_WORKGROUP } else { SCOPE_SUBGROUP }
}

pub fn add_call(suite: &mut Suite, twin: usize, call: &Call, first: bool) {
    without_value(suite, twin, call);
    if !is_together(call.function.rule) {
        return;
    }
    let workgroup = scope(call) == SCOPE_WORKGROUP;
    let subgroups: &[&str] =
        if workgroup { &["gl_SubgroupID == 1", "gl_LocalInvocationIndex == 0"] } else { &[] };
    let conditions = ["gl_SubgroupInvocationID == 0", "subgroupElect()", "gl_LocalInvocationID.x == 3"];
    let conditions = conditions.iter().chain(subgroups);
    for condition in conditions {
        let mut around = |before: Vec<String>, after: &str| {
            suite.broken(
                twin,
                call,
                "all invocations of the scope are active, or none",
                &["coopmat-divergence"],
                |call| {
                    call.extensions.push(BASIC);
                    // What is declared inside a branch is not seen outside.
                    call.before = before;
                    call.after = vec![after.to_owned()];
                    call.mark(Mark::Callee);
                },
            );
        };
        around(vec![format!("if ({condition}) {{")], "}");
        around(vec![format!("while ({condition}) {{")], "break; }");
        if first {
            around(vec![format!("if (!({condition})) return;")], "");
            around(vec![format!("for (int i = 0; i < 4; ++i) {{ if ({condition}) continue;")], "}");
            around(vec![format!("switch ({condition} ? 1 : 2) {{ case 1: {{")], "} break; }");
            around(vec![format!("bool chosen = {condition};"), "if (chosen) {".to_owned()], "}");
        }
    }
    operands(suite, twin, call, workgroup);
    if first && !call.function.parameters.iter().any(|parameter| parameter.pattern == Pattern::AnyCoopmatNv) {
        suite.broken(
            twin,
            call,
            "no matrix operation in a function over elements",
            &["nv-callback-tangled"],
            |call| {
                call.in_callback = true;
            },
        );
    }
}

/// Numbers that an operation takes once for all invocations.
fn operands(suite: &mut Suite, twin: usize, call: &Call, workgroup: bool) {
    // Each invocation asks for an element of its own.
    if call.function.rule == Some(Rule::CoopMatCoordinate) {
        return;
    }
    for (index, parameter) in call.function.parameters.iter().enumerate() {
        let Pattern::Scalar(scalar @ (Scalar::Uint32 | Scalar::Int32 | Scalar::Uint64)) = parameter.pattern
        else {
            continue;
        };
        if parameter.constant || parameter.constants.is_some() || index >= call.arguments.len() {
            continue;
        }
        let own: &[&str] = match workgroup {
            true => &["gl_SubgroupInvocationID", "gl_SubgroupID"],
            false => &["gl_SubgroupInvocationID", "gl_LocalInvocationID.x"],
        };
        for own in own {
            suite.broken(
                twin,
                call,
                "arguments are the same in all invocations of the scope",
                &["coopmat-uniform-operand"],
                |call| {
                    call.extensions.push(BASIC);
                    // Wide enough for every rule about strides and starts.
                    let value = format!("{}(4096 + 64 * {own})", scalar.name());
                    // An array in shared memory ends before that.
                    call.change_memory(1, |memory| {
                        if memory.place == crate::parts::Place::Shared {
                            memory.place = crate::parts::Place::Buffer;
                        }
                    });
                    call.put(index, Argument::Value(value));
                },
            );
        }
    }
}

/// A matrix that is read before it has a value.
fn without_value(suite: &mut Suite, twin: usize, call: &Call) {
    // A function over elements may do without the elements, and where an element is depends on the type.
    if let Some(Rule::CoopMatPerElement | Rule::CoopMatCoordinate) = call.function.rule {
        return;
    }
    for (index, parameter) in call.function.parameters.iter().enumerate() {
        let reads = matches!(parameter.pattern, Pattern::AnyCoopmat | Pattern::AnyCoopmatNv)
            && parameter.direction == ParameterDirection::In;
        let Some(argument) = call.arguments.get(index).filter(|_| reads).cloned() else { continue };
        let ty = match &argument {
            Argument::Matrix(matrix) => matrix.to_string(),
            Argument::MatrixNv(matrix) => matrix.to_string(),
            _ => continue,
        };
        suite.broken(twin, call, "a matrix has a value before it is used", &["coopmat-unwritten"], |call| {
            super::parameters::declare_needs(call, &argument);
            call.put(index, Argument::local(&ty, "nothing", ""));
        });
    }
}

pub fn add(suite: &mut Suite) {
    for matrix in [
        Matrix::new(Scalar::Float32, 16, 16, USE_ACCUMULATOR),
        Matrix::new(Scalar::Float16, 16, 16, USE_A),
        Matrix::new(Scalar::Int32, 16, 16, USE_ACCUMULATOR),
        Matrix::new(Scalar::Float32, 16, 16, USE_ACCUMULATOR).of_workgroup(),
    ] {
        ownership(suite, matrix);
        arithmetic(suite, matrix);
    }
}

/// Which invocation holds which element.
fn ownership(suite: &mut Suite, matrix: Matrix) {
    let component = matrix.component.name();
    let shader = |lines: &[String]| {
        let mut shader = Shader::default();
        matrix.declare(&mut shader);
        shader.require(BASIC);
        shader.locals.push(format!("{matrix} m = {};", matrix.filled()));
        shader.locals.push(format!("{component} x = m[0];"));
        shader.body.extend(lines.iter().cloned());
        shader
    };
    let add = |suite: &mut Suite, rule, valid: &[String], broken: &[String]| {
        let shader_of = |lines| shader(lines);
        let valid = shader_of(valid);
        let twin = suite.twin("m[i]", valid.text(), valid.settings);
        let broken = shader_of(broken);
        suite.case(twin, rule, &["coopmat-ownership"], broken.text(), broken.settings);
    };
    add(
        suite,
        "what an element becomes does not depend on the invocation and the element's index",
        &[
            "for (int i = 0; i < m.length(); ++i) { uint row = gl_WorkGroupID.x / 16 + 2 * i;".to_owned(),
            format!("m[i] = {component}(row); }}"),
        ],
        &[
            "for (int i = 0; i < m.length(); ++i) { uint row = gl_SubgroupInvocationID / 16 + 2 * i;"
                .to_owned(),
            format!("{} = {component}(row); }}", marked("m[i]")),
        ],
    );
    for own in ["gl_SubgroupInvocationID", "gl_LocalInvocationIndex"] {
        let each = "for (int i = 0; i < m.length(); ++i) {".to_owned();
        let end = "}".to_owned();
        add(
            suite,
            "which element is written does not depend on the invocation",
            &["m[gl_WorkGroupID.x] = x;".to_owned()],
            &[format!("{} = x;", marked(format!("m[{own}]")))],
        );
        add(
            suite,
            "which element is read does not depend on the invocation",
            &["x = m[gl_WorkGroupID.x];".to_owned()],
            &[format!("x = {};", marked(format!("m[{own}]")))],
        );
        add(
            suite,
            "what an element becomes does not depend on the invocation",
            &[each.clone(), format!("m[i] = {component}(gl_WorkGroupID.x);"), end.clone()],
            &[each.clone(), format!("{} = {component}({own});", marked("m[i]")), end.clone()],
        );
        add(
            suite,
            "whether an element is written does not depend on the invocation",
            &["if (gl_WorkGroupID.x == 2) { m[0] = x; }".to_owned()],
            &[format!("if ({own} == 2) {{ {} = x; }}", marked("m[0]"))],
        );
    }
}

/// Arithmetic on whole matrices, and their construction, are operations of all invocations as well.
fn arithmetic(suite: &mut Suite, matrix: Matrix) {
    let mut shader = Shader::default();
    matrix.declare(&mut shader);
    shader.require(BASIC);
    shader.locals.push(format!("{matrix} a = {};", matrix.filled()));
    let one = crate::parts::one(matrix.component);
    for (expression, name) in [
        ("a + a".to_owned(), "a + b"),
        ("-a".to_owned(), "-a"),
        (format!("a * {one}"), "a * scalar"),
        (format!("{matrix}({}(gl_WorkGroupID.x))", matrix.component.name()), "coopmat(...)"),
    ] {
        let mut valid = shader.clone();
        valid.body.push(format!("if (gl_WorkGroupID.x == 1) {{ a = {expression}; }}"));
        let twin = suite.twin(name, valid.text(), valid.settings);
        let mut broken = shader.clone();
        broken.body.push(format!("if (gl_SubgroupInvocationID == 1) {{ a = {}; }}", marked(&expression)));
        suite.case(
            twin,
            "all invocations of the scope are active, or none",
            &["coopmat-divergence"],
            broken.text(),
            broken.settings,
        );
    }
}
