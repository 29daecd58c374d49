//! Operations that make each element of one or two: `unary.comp`, `add.comp` and its like, and the gated units of `glu_main.glsl`.

use super::cases::Case;
use super::convolution::fast_division;
use super::plain::{Plain, Shape, Type, any};
use crate::simulate_report::quants::Quant;

const FLOAT: Type = Type::Of(Quant::F32);
/// How far ggml's own tables of `gelu` are off, which hold half floats.
const TABLE: f64 = 1.0 / 512.0;
/// Half a dozen roundings of floats, and functions that are not exact.
const FLOATS: f64 = 2e-6;

/// Rows that fill workgroups, and rows that do not.
const SHAPES: [&[usize]; 2] = [&[64, 16, 2], &[37, 5, 3, 2]];

/// Names end in the types of A and of the result, `gelu_f16`; of A, B and the result, `add_f16_f32_f16`.
fn types(rest: &str) -> Option<Vec<Type>> {
    rest.split('_').map(Type::named).collect()
}

/// Both shapes of a variant; nothing for one that is not known.
pub fn cases(source: &str, variant: &str) -> Vec<Case> {
    let of = |make: &dyn Fn(usize) -> Option<Case>| (0..2).filter_map(make).collect();
    match source {
        "unary.comp" => of(&|shape| unary(variant, shape)),
        "log.comp" | "scale.comp" | "fill.comp" => of(&|shape| unary(variant, shape)),
        "add.comp" | "sub.comp" | "mul.comp" | "div.comp" => of(&|shape| binary(variant, shape)),
        "geglu.comp" | "geglu_erf.comp" | "geglu_quick.comp" | "reglu.comp" | "swiglu.comp"
        | "swiglu_clamp.comp" | "swiglu_oai.comp" => of(&|shape| gated(variant, shape)),
        _ => Vec::new(),
    }
}

fn unary(variant: &str, number: usize) -> Option<Case> {
    let (name, type_) = variant.rsplit_once('_')?;
    let type_ = Type::named(type_)?;
    let shape = Shape::new(type_, SHAPES[number]);
    let (low, high) = match name {
        "sqrt" | "log" => (0.125, 4.0),
        _ => (-4.0, 4.0),
    };
    let numbers: &[f32] = match name {
        "clamp" => &[-1.5, 2.5],
        "leaky_relu" => &[0.125],
        "scale" => &[1.75, -0.5],
        "fill" => &[2.5],
        "xielu" => &[0.75, 0.875, 0.5, -0.0625],
        _ => &[],
    };
    let exact = if name.contains("gelu") { TABLE } else { FLOATS };
    let bound = type_.rounding() + exact;
    let elements = Plain::elements(shape.count(), 512);
    if name.ends_with("_mul") {
        let mut plain = elements.binary(&shape, &shape, &shape, [0.0; 2], 0);
        // The second operand is of the same shape; the function is taken of the first.
        plain.constants = vec![1, 0];
        let operands = [shape.between(low, high), shape.between(-1.0, 1.0)];
        // What the function makes is rounded as well.
        let bound = bound + type_.rounding();
        return Some(Case {
            sizes: shape.shown(),
            inputs: vec![("a", 0), ("b", 1)],
            output: shape.output(2),
            bound,
            ..any(variant, name, &operands, numbers, plain)
        });
    }
    let mut parameters = [0.0; 4];
    parameters[..numbers.len()].copy_from_slice(numbers);
    let plain = if name == "fill" {
        elements.general(shape.count(), 1, parameters)
    } else {
        elements.unary(&shape, &shape, parameters)
    };
    Some(Case {
        sizes: shape.shown(),
        inputs: if name == "fill" { Vec::new() } else { vec![("a", 0)] },
        output: shape.output(if name == "fill" { 0 } else { 1 }),
        bound,
        ..any(variant, name, &[shape.between(low, high)], numbers, plain)
    })
}

/// The second shape repeats B along two of its axes.
fn binary(variant: &str, number: usize) -> Option<Case> {
    let (name, rest) = variant.split_once('_')?;
    let (sums, rest) = rest.strip_prefix("rms_").map_or((false, rest), |rest| (true, rest));
    let types = types(rest)?;
    let [type_a, type_b, type_to] = types[..] else {
        return (types.len() == 1).then(|| of_types(variant, name, [FLOAT; 3], sums, number))?;
    };
    of_types(variant, name, [type_a, type_b, type_to], sums, number)
}

fn of_types(variant: &str, name: &str, types: [Type; 3], sums: bool, number: usize) -> Option<Case> {
    let [type_a, type_b, type_to] = types;
    let a = Shape::new(type_a, SHAPES[number]);
    let mut b = a.of(type_b);
    if number > 0 {
        (b.lengths[1], b.lengths[3]) = (1, 1);
    }
    let to = a.of(type_to);
    let mut plain = Plain::elements(to.count(), 512).binary(&a, &b, &to, [0.0; 2], usize::from(sums));
    plain.constants = vec![usize::from(number == 0)];
    let (low, high) = if name == "div" { (0.25, 2.0) } else { (-1.0, 1.0) };
    let adds = name == "add";
    Some(Case {
        sizes: if number == 0 { a.shown() } else { format!("{} with {}", a.shown(), b.shown()) },
        inputs: vec![("a", 0), ("b", 1)],
        unread: if adds { vec![3] } else { Vec::new() },
        output: to.output(2),
        bound: type_to.rounding() + FLOATS,
        ..any(variant, name, &[a.between(-1.0, 1.0), b.between(low, high)], &[], plain)
    })
}

/// The first shape has both halves in one operand, the second one each in an operand of its own.
fn gated(variant: &str, number: usize) -> Option<Case> {
    let (name, type_) = variant.rsplit_once('_')?;
    let type_ = Type::named(type_)?;
    let to = Shape::new(type_, SHAPES[number]);
    // Those two are split at all times.
    let split = number > 0 || matches!(name, "swiglu_oai" | "swiglu_clamp");
    let mut a = to;
    if !split {
        a.lengths[0] *= 2;
    }
    let (alpha, limit) = (1.702, 2.5);
    let numbers: &[f32] = if name.starts_with("swiglu_") { &[alpha, limit] } else { &[] };
    let mut plain = Plain::elements(to.count(), 512).with("N", to.count()).with("ne00", a.lengths[0]);
    plain = plain.with("ne20", to.lengths[0]).with("mode", if split { 2 } else { 0 });
    plain = plain.real("alpha", alpha).real("limit", limit);
    plain = plain.steps(0, &a).steps(1, &a).steps(2, &to);
    plain = plain.with("ne21", to.lengths[1]).with("ne22", to.lengths[2]).with("misalign_offsets", 0);
    let [columns, rows, layers, _] = to.lengths;
    for (part, divisor) in [("012", columns * rows * layers), ("01", columns * rows), ("0", columns)] {
        let (factor, shift) = fast_division(divisor as u64);
        plain = plain.with(&format!("ne2_{part}mp"), factor).with(&format!("ne2_{part}L"), shift);
    }
    let mut operands = vec![a.between(-4.0, 4.0)];
    if split {
        operands.push(a.between(-4.0, 4.0));
    }
    let exact = if name.starts_with("geglu") { TABLE } else { FLOATS };
    Some(Case {
        sizes: if split { format!("{} and {0}", a.shown()) } else { a.shown() },
        inputs: if split { vec![("a", 0), ("b", 1)] } else { vec![("a", 0)] },
        unread: if split { Vec::new() } else { vec![1] },
        output: to.output(2),
        bound: type_.rounding() + exact,
        ..any(variant, name, &operands, numbers, plain)
    })
}
