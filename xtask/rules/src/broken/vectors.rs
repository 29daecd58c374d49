//! Cooperative vectors: types, operators, products with matrices in memory, sums, loads and stores.

use coopmat_analysis::extensions::{ParameterDirection, Rule, ids};
use coopmat_analysis::types::{Scalar, ScalarClass};

use crate::call::{Argument, Call, Mark};
use crate::parts::{Memory, Place, Size, numbers, one, provider};
use crate::shader::{Shader, marked};
use crate::suite::Suite;
use crate::vectors::{
    COMPUTED, E4M3, HALF, INFERENCING, INT, ROW_MAJOR, SIGNED, Vector, interpretation, is_outer_product,
    layout,
};

/// What every function of the family asks of its arguments.
pub fn any(suite: &mut Suite, twin: usize, call: &Call) {
    for index in 0..call.arguments.len() {
        match call.arguments[index].clone() {
            Argument::Vector(vector) => {
                if vector.length.is_known() {
                    not_a_vector(suite, twin, call, index);
                }
                if call.direction(index) != ParameterDirection::In {
                    not_written(suite, twin, call, index, vector);
                }
            }
            Argument::Memory(array) => memory(suite, twin, call, index, &array),
            _ => {}
        }
        let parameter = &call.function.parameters[index];
        if parameter.constants.is_some() || parameter.constant {
            not_constant(suite, twin, call, index);
        }
    }
}

fn not_a_vector(suite: &mut Suite, twin: usize, call: &Call, index: usize) {
    for ty in ["vec4", "float", "vector<float16_t, 16>"] {
        let rule = "vectors are cooperative vectors";
        suite.broken(twin, call, rule, &["no-matching-overload"], |call| {
            call.extensions.push(ids::GL_EXT_LONG_VECTOR);
            call.arguments[index] = Argument::local(ty, "other", "");
            call.mark(Mark::Callee);
        });
    }
}

fn not_written(suite: &mut Suite, twin: usize, call: &Call, index: usize, vector: Vector) {
    if !vector.length.is_known() {
        return;
    }
    suite.broken(twin, call, "what is written can be written", &["not-assignable"], |call| {
        call.extensions.extend(provider(vector.component));
        call.put(index, Argument::Value(vector.filled()));
    });
}

/// Something that is no memory, or of the wrong kind, and memory that may not be accessed.
fn memory(suite: &mut Suite, twin: usize, call: &Call, index: usize, array: &Memory) {
    let written = call.function.parameters[index].direction != ParameterDirection::In;
    let is_access = matches!(call.function.rule, Some(Rule::CoopVecLoad | Rule::CoopVecStore));
    let name = array.element.name();
    let rule = "the array is in buffer memory, or in shared memory for loads and stores";
    let mut places = vec![
        Argument::local(name, "values", "[4096]"),
        Argument::global(&format!("{name} globals[4096];"), "globals"),
    ];
    if !is_access {
        places.push(Argument::global(&format!("shared {name} staged[4096];"), "staged"));
    }
    for place in places {
        suite.broken(twin, call, rule, &["coopvec-memory"], |call| {
            call.extensions.extend(provider(array.element));
            call.put(index, place);
        });
    }
    let rule = "the memory is an array of numbers, or of vectors for all but matrices and biases";
    let mut lines = vec![
        "layout(binding = 9) buffer Other { mat4 others[]; };".to_owned(),
        "struct Element { float value; }; layout(binding = 9) buffer Other { Element others[]; };".to_owned(),
        "layout(binding = 9) buffer Other { float others[64][64]; };".to_owned(),
        "layout(binding = 9) buffer Other { float others; };".to_owned(),
    ];
    if !written && !is_access {
        lines.push("layout(binding = 9) buffer Other { vec4 others[]; };".to_owned());
    }
    for line in lines {
        suite.broken(twin, call, rule, &["coopvec-memory"], |call| {
            call.put(index, Argument::global(&line, "others"));
        });
    }
    if array.place == Place::Shared {
        return;
    }
    let (qualifiers, rule, id) = match written {
        true => ("readonly", "what is stored or added to can be written", "not-assignable"),
        false => ("writeonly", "what is read can be read", "coopvec-memory"),
    };
    suite.broken(twin, call, rule, &[id], |call| {
        call.change_memory(index, |memory| memory.qualifiers = qualifiers);
        call.mark(Mark::Argument(index));
    });
}

/// Interpretations, sizes, layouts and `transpose` become part of the instruction.
fn not_constant(suite: &mut Suite, twin: usize, call: &Call, index: usize) {
    let ty = match call.function.parameters[index].pattern {
        coopmat_analysis::extensions::Pattern::Scalar(scalar) => scalar.name(),
        _ => return,
    };
    let Argument::Value(value) = &call.arguments[index] else { return };
    let local = format!("{ty} changing = {ty}({value});");
    let rule = "interpretations, M, K, the layout and transpose are constant expressions";
    suite.broken(twin, call, rule, &["constant-required"], |call| {
        call.put(
            index,
            Argument::Text { top: vec![], locals: vec![local], expression: "changing".to_owned() },
        );
    });
    if call.function.parameters[index].constants.is_none() {
        return;
    }
    let rule = "interpretations and layouts have values that exist";
    for unknown in [77, 1_000_491_004, 11] {
        suite.broken(twin, call, rule, &["coopvec-value"], |call| {
            call.put(index, Argument::value(unknown));
        });
    }
}

fn vector(call: &Call, index: usize) -> Option<Vector> {
    match call.arguments.get(index) {
        Some(Argument::Vector(vector)) => Some(*vector),
        _ => None,
    }
}

/// Changes a vector, which is marked.
fn change(call: &mut Call, index: usize, change: impl FnOnce(&mut Vector)) {
    if let Some(Argument::Vector(vector)) = call.arguments.get_mut(index) {
        change(vector);
        call.mark(Mark::Argument(index));
    }
}

fn value(call: &Call, index: usize) -> &str {
    match &call.arguments[index] {
        Argument::Value(value) => value,
        _ => "",
    }
}

/// Offsets and strides in bytes.
fn alignment(suite: &mut Suite, twin: usize, call: &Call, index: usize, bytes: i64) {
    if value(call, index).contains("uint64_t") {
        return;
    }
    let rule = "offsets and strides are multiples of what the text says, and not negative";
    for wrong in [bytes / 2, bytes + 1, 3 * bytes - 4, -bytes] {
        suite.broken(twin, call, rule, &["coopvec-alignment"], |call| {
            call.put(index, Argument::value(wrong));
        });
    }
}

pub fn product(suite: &mut Suite, twin: usize, call: &Call) {
    let count = call.arguments.len();
    let [rows, columns, layout_at, transpose, stride] = [5, 4, 3, 2, 1].map(|back| count - back);
    let (Some(result), Some(input)) = (vector(call, 0), vector(call, 1)) else { return };
    alignment(suite, twin, call, 4, 64);
    if crate::vectors::has_bias(call.function) {
        alignment(suite, twin, call, 7, 16);
    }
    let packed = value(call, 2).contains("Packed");
    components(suite, twin, call, input, packed);
    for (index, vector) in [(0, result), (1, input)] {
        if packed && index == 1 {
            continue;
        }
        for length in [vector.length.value() * 2, vector.length.value() + 1] {
            suite.broken(twin, call, "the result has M components, the input K", &["coopvec-size"], |call| {
                // M keeps its constant.
                if let Size::Constant(id, value) = vector.length {
                    call.top.push(format!("layout(constant_id = {id}) const uint SIZE_{id} = {value};"));
                }
                change(call, index, |vector| vector.length = vector.length.with(length));
            });
        }
    }
    if packed {
        for short in [1, input.length.value() - 2] {
            let rule = "the input has enough components for K packed values";
            suite.broken(twin, call, rule, &["coopvec-size"], |call| {
                change(call, 1, |vector| vector.length = Size::Of(short));
            });
        }
    }
    if result.length.is_known() {
        suite.broken(twin, call, "the result has M components, the input K", &["coopvec-size"], |call| {
            call.arguments[rows] = Argument::value(result.length.value() * 2);
            call.mark(Mark::Argument(0));
        });
    }
    if !packed {
        suite.broken(twin, call, "the result has M components, the input K", &["coopvec-size"], |call| {
            call.arguments[columns] = Argument::value(input.length.value() * 2);
            call.mark(Mark::Argument(1));
        });
    }
    let plain = value(call, layout_at) == layout(ROW_MAJOR);
    if plain {
        alignment(suite, twin, call, stride, 16);
        let rule = "only matrices in optimal layouts are transposed";
        suite.broken(twin, call, rule, &["coopvec-layout"], |call| {
            call.put(transpose, Argument::value(true));
        });
        let rule = "matrices of 8-bit floating point are in an optimal layout";
        suite.broken(twin, call, rule, &["coopvec-layout"], |call| {
            call.arguments[5] = Argument::Value(interpretation(E4M3));
            call.mark(Mark::Argument(layout_at));
        });
    }
}

fn components(suite: &mut Suite, twin: usize, call: &Call, input: Vector, packed: bool) {
    let others = || numbers().filter(|component| component.bits() >= 8 && !COMPUTED.contains(component));
    for component in others() {
        let rule = "the components of the result are float16_t, float, int or uint";
        suite.broken(twin, call, rule, &["coopvec-component"], |call| {
            change(call, 0, |vector| vector.component = component);
        });
    }
    let (rule, others): (_, Vec<Scalar>) = match packed {
        true => {
            ("packed values are in components of uint", vec![Scalar::Int32, Scalar::Float16, Scalar::Uint8])
        }
        // Those of the interpretation's own type are not converted.
        false => (
            "components that are converted are float16_t, float, int or uint",
            others().filter(|component| component.bits() > 8).collect(),
        ),
    };
    for component in others.into_iter().filter(|&component| component != input.component) {
        suite.broken(twin, call, rule, &["coopvec-component"], |call| {
            change(call, 1, |vector| vector.component = component);
        });
    }
}

pub fn accumulation(suite: &mut Suite, twin: usize, call: &Call) {
    if !is_outer_product(call.function) {
        alignment(suite, twin, call, 2, 16);
        for component in [Scalar::Int32, Scalar::Uint32, Scalar::Float64, Scalar::Int8] {
            let rule = "sums of vectors are of float16_t or float";
            suite.broken(twin, call, rule, &["coopvec-component"], |call| {
                change(call, 0, |vector| vector.component = component);
            });
        }
        return;
    }
    alignment(suite, twin, call, 3, 16);
    for component in [Scalar::Float32, Scalar::Int32, Scalar::Float64] {
        let rule = "the factors of an outer product are float16_t";
        suite.broken(twin, call, rule, &["coopvec-component"], |call| {
            if let Some(Argument::Vector(vector)) = call.arguments.get_mut(1) {
                vector.component = component;
            }
            change(call, 0, |vector| vector.component = component);
        });
        let rule = "the factors of an outer product have one component type";
        suite.broken(twin, call, rule, &["coopvec-component"], |call| {
            change(call, 1, |vector| vector.component = component);
        });
    }
    for kind in [SIGNED, INT, E4M3] {
        let rule = "sums of outer products are of 16 or 32 bits";
        suite.broken(twin, call, rule, &["coopvec-component"], |call| {
            call.put(6, Argument::Value(interpretation(kind)));
        });
    }
    for wrong in [ROW_MAJOR, INFERENCING] {
        let rule = "outer products have the training layout";
        suite.broken(twin, call, rule, &["coopvec-layout"], |call| {
            call.put(5, Argument::Value(layout(wrong)));
        });
    }
}

pub fn access(suite: &mut Suite, twin: usize, call: &Call) {
    alignment(suite, twin, call, 2, 16);
}

/// Types, constructors, components and operators, which no call has.
pub fn add(suite: &mut Suite) {
    types(suite);
    for component in numbers().filter(|component| component.bits() >= 8) {
        operators(suite, component);
    }
    devices(suite);
}

fn types(suite: &mut Suite) {
    let shader = || {
        let mut shader = Shader::default();
        shader.require(ids::GL_NV_COOPERATIVE_VECTOR);
        shader
    };
    let mut valid = shader();
    valid.locals.push("coopvecNV<float, 8> value;".to_owned());
    let twin = suite.twin("coopvecNV", valid.text(), valid.settings);
    let rule = "two type arguments: a number type and a positive length";
    for arguments in ["bool, 8", "vec2, 8", "float", "float, 8, 2", "float, 0", "float, -1", "float, 4.0"] {
        let parts: Vec<&str> = arguments.split(", ").collect();
        let text = match *parts.as_slice() {
            ["float", length] => format!("float, {}", marked(length)),
            [component, length] => format!("{}, {length}", marked(component)),
            [one] => marked(one),
            _ => marked(arguments),
        };
        let mut broken = shader();
        broken.locals.push(format!("coopvecNV<{text}> value;"));
        suite.case(twin, rule, &["type-arguments"], broken.text(), broken.settings);
    }
    let storage = "not in uniform, buffer or shared memory, not an input or output";
    for line in [
        format!("shared coopvecNV<float, 8> {};", marked("value")),
        format!("layout(binding = 0) buffer Block {{ coopvecNV<float, 8> {}; }};", marked("value")),
        format!("layout(binding = 0) uniform Block {{ coopvecNV<float, 8> {}; }};", marked("value")),
        format!("layout(push_constant) uniform Block {{ coopvecNV<float, 8> {}; }};", marked("value")),
    ] {
        let mut broken = shader();
        broken.declare(line);
        suite.case(twin, storage, &["coopvec-storage"], broken.text(), broken.settings);
    }
}

fn operators(suite: &mut Suite, component: Scalar) {
    let ty = Vector::new(component, 8);
    let shader = |line: String| {
        let mut shader = Shader::default();
        ty.declare(&mut shader);
        for name in ["a", "b"] {
            shader.locals.push(format!("{ty} {name} = {};", ty.filled()));
        }
        shader.body.push(line);
        shader
    };
    let computes = component.class() != ScalarClass::SmallFloat && component != Scalar::BFloat16;
    let lines: &[&str] = match (computes, component.is_integer()) {
        (true, true) => &["a = a + b * a - b / a;", "a = -a;", "a = ~a & b | a ^ b;", "a = a << b >> b;"],
        (true, false) => &["a = a + b * a - b / a;", "a = -a;"],
        _ => &["a = b;"],
    };
    let mut twin = 0;
    for line in lines {
        let valid = shader((*line).to_owned());
        twin = suite.twin("coopvecNV: operators", valid.text(), valid.settings);
    }
    for operator in ["%", "<", ">", "<=", ">=", "==", "!=", "&&", "||"] {
        let broken = shader(format!("{};", marked(format!("a {operator} b"))));
        let rule = "no comparison, % or logical operator";
        suite.case(twin, rule, &["coopvec-operator"], broken.text(), broken.settings);
    }
    for line in [marked("a++"), format!("a = {}", marked("+a"))] {
        let broken = shader(format!("{line};"));
        suite.case(twin, "no ++, no unary +", &["coopvec-operator"], broken.text(), broken.settings);
    }
    if !component.is_integer() {
        for operator in ["&", "|", "^", "<<", ">>"] {
            let broken = shader(format!("{};", marked(format!("a {operator} b"))));
            let rule = "bitwise operators and shifts are for integers";
            suite.case(twin, rule, &["invalid-operands"], broken.text(), broken.settings);
        }
    }
    let other = Vector::new(if component == Scalar::Float32 { Scalar::Int32 } else { Scalar::Float32 }, 8);
    for operator in ["+", "*", "/"] {
        let mut broken = shader(format!("{};", marked(format!("a {operator} c"))));
        other.declare(&mut broken);
        broken.locals.push(format!("{other} c = {};", other.filled()));
        let rule = "operands have identical types";
        suite.case(twin, rule, &["coopvec-operator"], broken.text(), broken.settings);
    }
    let mut broken = shader(format!("a = {};", marked("c")));
    other.declare(&mut broken);
    broken.locals.push(format!("{other} c = {};", other.filled()));
    suite.case(twin, "no implicit conversions", &["type-mismatch"], broken.text(), broken.settings);
    let longer = Vector::new(component, 9);
    let broken = shader(format!("a = {ty}({});", marked(longer.filled())));
    let rule = "constructed from a vector of the same length";
    suite.case(twin, rule, &["constructor-arguments"], broken.text(), broken.settings);
    let few = format!("{0}, {0}", one(component));
    let broken = shader(format!("a = {ty}({});", marked(few)));
    let rule = "constructed from as many components as there are";
    suite.case(twin, rule, &["constructor-arguments"], broken.text(), broken.settings);
    let broken = shader(format!("a[{}] = a[0];", marked("8")));
    suite.case(twin, "an index is below the length", &["index-out-of-range"], broken.text(), broken.settings);
    let broken = shader(format!("a.{};", marked("x")));
    suite.case(
        twin,
        "components are reached by an index",
        &["no-such-member"],
        broken.text(),
        broken.settings,
    );
}

/// What a target device says.
fn devices(suite: &mut Suite) {
    const DEVICE: &str = "nvidia-h200";
    let shader = |line: &str| {
        let mut shader = Shader::default();
        shader.settings.device = Some(DEVICE);
        shader.require(ids::GL_NV_COOPERATIVE_VECTOR);
        shader.declare("layout(binding = 0) buffer Block { float16_t data[]; };");
        shader.locals.push("coopvecNV<float16_t, 16> x = coopvecNV<float16_t, 16>(1.0);".to_owned());
        shader.locals.push("coopvecNV<float, 16> y = coopvecNV<float, 16>(1.0);".to_owned());
        shader.body.push(line.to_owned());
        shader
    };
    let product = |result: &str, kind: i64| {
        let kind = interpretation(kind);
        format!(
            "coopVecMatMulNV({result}, x, {kind}, data, 0, {kind}, 16, 16, {}, false, 32)",
            layout(ROW_MAJOR)
        )
    };
    let valid = shader(&format!("{};", product("x", HALF)));
    let twin = suite.twin("coopvecNV", valid.text(), valid.settings);
    let rule = "products, sums and lengths are those of the device";
    let lines = [
        format!("{};", marked(product("y", HALF))),
        format!("{};", marked("coopVecReduceSumAccumulateNV(y, data, 0)")),
        format!("{}<float16_t, 513> longer;", marked("coopvecNV")),
        format!("{}<double, 4> doubles;", marked("coopvecNV")),
    ];
    for line in lines {
        let broken = shader(&line);
        suite.case(twin, rule, &["device-coopvec"], broken.text(), broken.settings);
    }
}
