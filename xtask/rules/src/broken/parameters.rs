//! What a function's declaration says by itself: how many arguments there are, that a matrix, memory, a function is expected, that
//! something is written, constant, a number.

use coopmat_analysis::extensions::{BuiltinParameter, ParameterDirection, Pattern, Rule, ids};
use coopmat_analysis::types::Scalar;

use crate::call::{Argument, Call, Mark};
use crate::parts::{Place, constants};
use crate::shader::ALWAYS;
use crate::suite::Suite;

pub fn add(suite: &mut Suite, twin: usize, call: &Call, first: bool) {
    for (index, parameter) in call.function.parameters.iter().enumerate() {
        if index >= call.arguments.len() {
            break;
        }
        match parameter.pattern {
            Pattern::AnyCoopmat | Pattern::AnyCoopmatNv => not_a_matrix(suite, twin, call, index),
            Pattern::AnyType if parameter.memory && !super::is_of_vectors(call) => {
                not_memory(suite, twin, call, index)
            }
            Pattern::AnyTensorLayout | Pattern::AnyTensorView => not_a_tensor(suite, twin, call, index),
            Pattern::FunctionName => not_a_function(suite, twin, call, index),
            Pattern::Scalar(scalar) => not_a_number(suite, twin, call, index, scalar),
            _ => {}
        }
        if parameter.direction != ParameterDirection::In && !parameter.memory {
            not_written(suite, twin, call, index);
        }
        if parameter.constants.is_some() || parameter.constant {
            not_constant(suite, twin, call, index, parameter);
        }
    }
    if first {
        number_of_arguments(suite, twin, call);
        not_enabled(suite, twin, call);
    }
}

fn number_of_arguments(suite: &mut Suite, twin: usize, call: &Call) {
    let required =
        call.function.parameters.iter().take_while(|parameter| parameter.default.is_none()).count();
    if required > 0 {
        suite.broken(twin, call, "an argument for each parameter", &["no-matching-overload"], |call| {
            call.arguments.truncate(required - 1);
            call.mark(Mark::Callee);
        });
    }
    if !call.function.variadic {
        suite.broken(twin, call, "no more arguments than parameters", &["no-matching-overload"], |call| {
            while call.arguments.len() < call.function.parameters.len() {
                call.arguments.push(Argument::value("0"));
            }
            call.arguments.push(Argument::value("0"));
            call.mark(Mark::Callee);
        });
    }
}

/// Without the extension that brings the function, where the types of its arguments are there all the same.
fn not_enabled(suite: &mut Suite, twin: usize, call: &Call) {
    let providers = call.function.providers.to_vec();
    let types =
        [ids::GL_KHR_COOPERATIVE_MATRIX, ids::GL_NV_COOPERATIVE_MATRIX, ids::GL_NV_COOPERATIVE_VECTOR];
    let of_layouts = matches!(
        call.function.rule,
        Some(
            Rule::CreateTensorLayout
                | Rule::CreateTensorView
                | Rule::SetTensorLayout
                | Rule::SetTensorView
                | Rule::CoopMatLoadTensor
                | Rule::CoopMatStoreTensor
                | Rule::Convert
        )
    );
    if of_layouts || providers.iter().any(|name| types.contains(name) || ALWAYS.contains(name)) {
        return;
    }
    suite.broken(twin, call, "the extension is enabled", &["missing-extension"], |call| {
        call.without = providers;
        call.extensions.push(ids::GL_KHR_COOPERATIVE_MATRIX);
        call.mark(Mark::Callee);
        // Its constants are missing as well.
        for index in 0..call.arguments.len() {
            if matches!(&call.arguments[index], Argument::Value(value) if value.starts_with("gl_Cooperative"))
            {
                call.mark(Mark::Argument(index));
            }
        }
    });
}

fn not_a_matrix(suite: &mut Suite, twin: usize, call: &Call, index: usize) {
    let khr = call.function.parameters[index].pattern == Pattern::AnyCoopmat;
    // A function without a rule of its own is what no overload of it fits.
    let id = if call.function.rule.is_some() { "coopmat-argument" } else { "no-matching-overload" };
    let mark = |call: &mut Call| {
        if call.function.rule.is_none() {
            call.marks = vec![Mark::Callee];
        }
    };
    let rule = if khr {
        "a matrix argument is a coopmat"
    } else {
        "a matrix argument is of GL_NV_cooperative_matrix"
    };
    let others = ["mat4", "float", "vec4"];
    for ty in others {
        suite.broken(twin, call, rule, &[id], |call| {
            call.put(index, Argument::local(ty, "other", ""));
            mark(call);
        });
    }
    suite.broken(twin, call, rule, &[id], |call| {
        call.put(index, Argument::local("float", "others", "[16]"));
        mark(call);
    });
    suite.broken(twin, call, rule, &[id], |call| {
        let (extension, ty) = match khr {
            true => (ids::GL_NV_COOPERATIVE_MATRIX, "fcoopmatNV<16, gl_ScopeSubgroup, 16, 16>"),
            false => (
                ids::GL_KHR_COOPERATIVE_MATRIX,
                "coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>",
            ),
        };
        call.extensions.push(extension);
        let local = format!("{ty} other = {ty}(1.0);");
        call.put(index, Argument::Text { top: vec![], locals: vec![local], expression: "other".to_owned() });
        mark(call);
    });
}

/// Something that is no memory, and memory that may not be accessed.
fn not_memory(suite: &mut Suite, twin: usize, call: &Call, index: usize) {
    let Some(Argument::Memory(memory)) = call.arguments.get(index).cloned() else { return };
    let store = call.function.parameters[index].direction != ParameterDirection::In;
    let mut element = memory.clone();
    element.place = Place::Shared;
    let name = match element.count {
        1 => element.element.name().to_owned(),
        count => format!("{}{count}", element.element.vector_prefix()),
    };
    let class = "the array is in buffer or shared memory";
    let places = [
        Argument::local(&name, "values", "[4096]"),
        Argument::global(&format!("{name} globals[4096];"), "globals"),
    ];
    for place in places {
        suite.broken(twin, call, class, &["coopmat-memory-class"], |call| {
            call.put(index, place);
        });
    }
    if !store {
        let uniforms =
            format!("layout(binding = 9, std140) uniform Uniforms {{ {name} values[64]; }} uniforms;");
        suite.broken(twin, call, class, &["coopmat-memory-class"], |call| {
            call.extensions.push(ids::GL_EXT_SCALAR_BLOCK_LAYOUT);
            call.put(index, Argument::global(&uniforms, "uniforms.values"));
        });
        let pushed = format!("layout(push_constant, std430) uniform Pushed {{ {name} values[4]; }} pushed;");
        suite.broken(twin, call, class, &["coopmat-memory-class"], |call| {
            call.put(index, Argument::global(&pushed, "pushed.values"));
        });
    }
    let rule = "the memory is an array";
    suite.broken(twin, call, rule, &["coopmat-memory-element"], |call| {
        call.put(
            index,
            Argument::global(&format!("layout(binding = 8) buffer Single {{ {name} single; }};"), "single"),
        );
    });
    let any = matches!(call.function.rule, Some(Rule::CoopMatLoadTensor | Rule::CoopMatStoreTensor));
    if !any {
        let rule = "its elements are numbers, or vectors of 2 or 4 of them";
        let lines = [
            "shared bool others[4096];".to_owned(),
            format!("shared {}3 others[4096];", memory.element.vector_prefix()),
            "shared mat4 others[256];".to_owned(),
            format!("struct Element {{ {name} value; }}; shared Element others[4096];"),
            format!("shared {name} others[64][64];"),
        ];
        for line in lines {
            suite.broken(twin, call, rule, &["coopmat-memory-element"], |call| {
                call.put(index, Argument::global(&line, "others"));
            });
        }
    }
    if memory.place == Place::Shared {
        return;
    }
    let (qualifiers, rule, id) = match store {
        true => ("readonly", "what is stored to can be written", "not-assignable"),
        false => ("writeonly", "what is loaded can be read", "coopmat-memory-access"),
    };
    suite.broken(twin, call, rule, &[id], |call| {
        call.change_memory(index, |memory| memory.qualifiers = qualifiers);
        call.mark(Mark::Argument(index));
    });
}

fn not_a_tensor(suite: &mut Suite, twin: usize, call: &Call, index: usize) {
    // Layouts and views, each where the other is expected.
    let other = match &call.arguments[index] {
        Argument::Layout(_) => "tensorViewNV<2>",
        Argument::View(_) => "tensorLayoutNV<2>",
        _ => return,
    };
    for ty in [other, "float", "uvec2"] {
        suite.broken(
            twin,
            call,
            "a tensor layout or view where one is expected",
            &["nv-tensor-arguments"],
            |call| {
                call.result = None;
                call.put(index, Argument::local(ty, "other", ""));
            },
        );
    }
}

fn not_a_function(suite: &mut Suite, twin: usize, call: &Call, index: usize) {
    let rule = "a function is named";
    let Some(Argument::Function(function)) = call.arguments.get(index).cloned() else { return };
    for value in ["1.0", "gl_ScopeSubgroup"] {
        suite.broken(twin, call, rule, &["nv-callback-function"], |call| {
            call.put(index, Argument::value(value));
        });
    }
    suite.broken(twin, call, rule, &["nv-callback-function"], |call| {
        call.put(index, Argument::local(&function.returns, "variable", ""));
    });
    suite.broken(twin, call, rule, &["undeclared-name"], |call| {
        call.put(index, Argument::value("no_such_function"));
    });
    suite.broken(twin, call, rule, &["undeclared-name"], |call| {
        call.put(index, Argument::value("max"));
    });
}

fn not_a_number(suite: &mut Suite, twin: usize, call: &Call, index: usize, scalar: Scalar) {
    // What becomes part of a type, or of the instruction, is known as a constant first.
    if call.function.parameters[index].constant || call.function.parameters[index].constants.is_some() {
        return;
    }
    let others: &[&str] = match scalar {
        Scalar::Bool => &["1", "1.0"],
        _ => &["1.0", "true", "uvec2(0)"],
    };
    let rule = "an argument converts to its parameter";
    for &other in others {
        // Offsets of cooperative vectors are of two types, so that one that converts to neither fits no overload.
        match call.function.rule.filter(|_| !super::is_of_vectors(call)) {
            Some(_) => suite.broken(twin, call, rule, &["type-mismatch"], |call| {
                call.put(index, Argument::value(other));
            }),
            None => suite.broken(twin, call, rule, &["no-matching-overload"], |call| {
                call.arguments[index] = Argument::value(other);
                call.mark(Mark::Callee);
            }),
        }
    }
}

fn not_written(suite: &mut Suite, twin: usize, call: &Call, index: usize) {
    let rule = "what is written can be written";
    let (ty, value) = match &call.arguments[index] {
        Argument::Matrix(matrix) => (matrix.to_string(), matrix.filled()),
        Argument::MatrixNv(matrix) => (matrix.to_string(), matrix.filled()),
        Argument::Array(array) if array.length.is_known() => {
            let (name, length) = (array.element.name(), array.length.value());
            let values = vec![crate::parts::one(array.element); length as usize].join(", ");
            (name.to_owned(), format!("{name}[{length}]({values})"))
        }
        _ => return,
    };
    let suffix = match &call.arguments[index] {
        Argument::Array(array) => format!("[{}]", array.length),
        _ => String::new(),
    };
    let original = call.arguments[index].clone();
    suite.broken(twin, call, rule, &["not-assignable"], |call| {
        declare_needs(call, &original);
        let line = format!("const {ty} constant_value{suffix} = {value};");
        let argument =
            Argument::Text { top: vec![], locals: vec![line], expression: "constant_value".to_owned() };
        call.put(index, argument);
    });
    suite.broken(twin, call, rule, &["not-assignable"], |call| {
        declare_needs(call, &original);
        call.put(index, Argument::Value(value.clone()));
    });
}

/// Extensions and constants of an argument that something else stands in for.
pub fn declare_needs(call: &mut Call, argument: &Argument) {
    match argument {
        Argument::Matrix(matrix) => {
            call.extensions.push(ids::GL_KHR_COOPERATIVE_MATRIX);
            call.extensions.extend(crate::parts::provider(matrix.component));
            for size in [matrix.rows, matrix.columns] {
                if let crate::parts::Size::Constant(id, value) = size {
                    let line = format!("layout(constant_id = {id}) const uint SIZE_{id} = {value};");
                    crate::shader::push_once(&mut call.top, line);
                }
            }
        }
        Argument::MatrixNv(_) => {
            call.extensions.push(ids::GL_NV_INTEGER_COOPERATIVE_MATRIX);
            call.extensions.push(ids::GL_NV_COOPERATIVE_MATRIX);
        }
        _ => {}
    }
}

/// An argument that becomes part of a type or of an instruction.
fn not_constant(suite: &mut Suite, twin: usize, call: &Call, index: usize, parameter: &BuiltinParameter) {
    let (id, rule) = match call.function.rule {
        Some(Rule::CoopMatLoad | Rule::CoopMatStore) => {
            ("coopmat-layout-constant", "the memory layout is constant")
        }
        Some(Rule::CoopMatLoadNv | Rule::CoopMatStoreNv) => {
            ("coopmat-layout-constant", "colMajor is constant")
        }
        Some(Rule::CoopMatMulAdd) => ("coopmat-muladd-operands", "the operands mask is a literal"),
        Some(Rule::CoopMatReduce) => ("nv-reduce-mask", "the reduce mask is a literal"),
        Some(Rule::CreateTensorLayout | Rule::CreateTensorView) => {
            ("nv-tensor-constant", "what becomes part of a type is constant")
        }
        _ => return,
    };
    let ty = match parameter.pattern {
        Pattern::Scalar(scalar) => scalar.name(),
        _ => return,
    };
    let variables = [
        Argument::Text {
            top: vec![],
            locals: vec![format!("{ty} changing = {ty}({});", expression(&call.arguments[index]))],
            expression: "changing".to_owned(),
        },
        Argument::global("layout(push_constant) uniform Chosen { uint chosen; };", &format!("{ty}(chosen)")),
    ];
    let reference = call
        .arguments
        .iter()
        .any(|argument| matches!(argument, Argument::Memory(memory) if memory.place == Place::Reference));
    for variable in variables.into_iter().take(if reference { 1 } else { 2 }) {
        suite.broken(twin, call, rule, &[id], |call| {
            call.result = None;
            call.put(index, variable);
        });
    }
    // A literal operand is not even a specialization constant.
    if matches!(call.function.rule, Some(Rule::CoopMatMulAdd | Rule::CoopMatReduce)) {
        let line = "layout(constant_id = 9) const int CHOSEN = 1;";
        suite.broken(twin, call, rule, &[id], |call| {
            call.put(index, Argument::global(line, "CHOSEN"));
        });
    }
    let Some(set) = parameter.constants else { return };
    let known: Vec<i64> = constants(set).map(|constant| constant.value).collect();
    let (id, rule) = match call.function.rule {
        Some(Rule::CoopMatLoad | Rule::CoopMatStore) => {
            ("coopmat-layout-value", "the memory layout has a value that exists")
        }
        Some(Rule::CoopMatMulAdd) => ("coopmat-muladd-operands", "the operands mask has defined bits"),
        Some(Rule::CoopMatReduce) => ("nv-reduce-mask", "the reduce mask has a value that exists"),
        Some(Rule::CreateTensorLayout) => ("nv-tensor-clamp", "the clamp mode has a value that exists"),
        _ => return,
    };
    let largest = known.iter().copied().max().unwrap_or(0);
    for value in [largest + 1, largest + 2, 64] {
        if !known.contains(&value) {
            suite.broken(twin, call, rule, &[id], |call| {
                call.result = None;
                call.put(index, Argument::value(value));
            });
        }
    }
}

/// An argument's value, where it stands by itself.
fn expression(argument: &Argument) -> String {
    match argument {
        Argument::Value(value) => value.clone(),
        _ => "0".to_owned(),
    }
}
