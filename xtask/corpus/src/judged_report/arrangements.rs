//! Operations that put elements elsewhere, or make rows of others: padding, repeating, sorting, softmax, pooling.

use super::cases::{Case, Output};
use super::convolution::fast_division;
use super::plain::{Plain, Shape, Type, any};
use crate::simulate_report::quants::Quant;

const FLOAT: Type = Type::Of(Quant::F32);
const HALF: Type = Type::Of(Quant::F16);
/// Sums of some hundred floats in another order, and functions that are not exact.
const SUMS: f64 = 1e-5;

/// Both shapes of a variant; nothing for one that is not known.
pub fn cases(source: &str, variant: &str) -> Vec<Case> {
    let make: fn(&str, bool) -> Option<Case> = match source {
        "diag_mask_inf.comp" => diag_mask,
        "repeat.comp" => repeat,
        "repeat_back.comp" => repeat_back,
        "concat.comp" => concat,
        "pad.comp" => pad,
        "pad_reflect_1d.comp" => pad_reflect,
        "roll.comp" => roll,
        "tri.comp" => triangle,
        "diag.comp" => diagonal,
        "cumsum.comp" => running_sum,
        "acc.comp" => accumulate,
        "add1.comp" => add_one,
        "add_id.comp" => add_id,
        "silu_back.comp" => silu_back,
        "arange.comp" => arange,
        "count_equal.comp" => count_equal,
        "timestep_embedding.comp" => timesteps,
        "upscale.comp" => upscale,
        "soft_max.comp" => soft_max,
        "soft_max_back.comp" => soft_max_back,
        "rms_norm_back.comp" => rms_norm_back,
        "argsort.comp" => argsort,
        "pool1d.comp" => pool1d,
        "pool2d.comp" => pool2d,
        _ => return Vec::new(),
    };
    [true, false].into_iter().filter_map(|fitting| make(variant, fitting)).collect()
}

fn shape(type_: Type, fitting: bool) -> Shape {
    Shape::new(type_, if fitting { &[64, 16, 2] } else { &[37, 5, 3, 2] })
}

/// Of one operand to one result.
fn moved(
    variant: &str,
    name: &str,
    [from, to]: [&Shape; 2],
    numbers: &[f32],
    bound: f64,
    plain: Plain,
) -> Option<Case> {
    Some(Case {
        sizes: from.shown(),
        inputs: vec![("a", 0)],
        output: to.output(1),
        bound,
        ..any(variant, name, &[from.between(-1.0, 1.0)], numbers, plain)
    })
}

/// The type at the end of a name.
fn type_of(variant: &str) -> Option<Type> {
    Type::named(variant.rsplit_once('_')?.1)
}

fn diag_mask(variant: &str, fitting: bool) -> Option<Case> {
    let a = shape(FLOAT, fitting);
    let past = if fitting { 0 } else { 7 };
    let plain = Plain::new([a.rows(), a.lengths[0].div_ceil(512), 1]);
    let plain = plain.with("ncols", a.lengths[0]).with("rows_per_channel", a.lengths[1]).with("n_past", past);
    moved(variant, "diag_mask_inf", [&a, &a], &[past as f32], 0.0, plain)
}

/// Integers are written as floats of their size: nothing is computed.
fn repeat(variant: &str, fitting: bool) -> Option<Case> {
    let type_ = if variant.ends_with("_i16") { HALF } else { FLOAT };
    let a = shape(type_, fitting);
    let mut to = a;
    let times = if fitting { [2, 1, 1, 1] } else { [1, 3, 2, 2] };
    for (length, times) in to.lengths.iter_mut().zip(times) {
        *length *= times;
    }
    let numbers = to.lengths.map(|length| length as f32);
    let plain = Plain::elements(to.count(), 512).unary(&a, &to, [0.0; 4]);
    moved(variant, "repeat", [&a, &to], &numbers, 0.0, plain)
}

fn repeat_back(variant: &str, fitting: bool) -> Option<Case> {
    let to = Shape::new(FLOAT, if fitting { &[64, 4] } else { &[37, 5, 3] });
    let mut a = to;
    let times = if fitting { [1, 4, 2, 1] } else { [2, 1, 3, 2] };
    for (length, times) in a.lengths.iter_mut().zip(times) {
        *length *= times;
    }
    let numbers = to.lengths.map(|length| length as f32);
    let plain = Plain::elements(to.count(), 512).unary(&a, &to, [0.0; 4]);
    moved(variant, "repeat_back", [&a, &to], &numbers, SUMS, plain)
}

fn concat(variant: &str, fitting: bool) -> Option<Case> {
    let type_ = match variant {
        "concat_i32" => FLOAT,
        "concat_i16" => HALF,
        // Units of one byte and of eight are those of blocks.
        _ => return None,
    };
    let a = shape(type_, fitting);
    let (axis, mut b) = (if fitting { 0 } else { 2 }, a);
    b.lengths[axis] += 3;
    let mut to = a;
    to.lengths[axis] += b.lengths[axis];
    let plain = Plain::elements(to.count(), 512).binary(&a, &b, &to, [0.0; 2], axis);
    Some(Case {
        sizes: format!("{} and {}", a.shown(), b.shown()),
        inputs: vec![("a", 0), ("b", 1)],
        output: to.output(2),
        bound: 0.0,
        ..any(variant, "concat", &[a.between(-1.0, 1.0), b.between(-1.0, 1.0)], &[axis as f32], plain)
    })
}

/// Zeros around, or what is at the other end.
fn pad(variant: &str, fitting: bool) -> Option<Case> {
    let a = shape(FLOAT, fitting);
    let padding: [[usize; 2]; 4] =
        if fitting { [[0, 32], [0, 4], [0, 0], [0, 0]] } else { [[3, 2], [1, 2], [0, 1], [2, 0]] };
    let mut to = a;
    for (length, [before, after]) in to.lengths.iter_mut().zip(padding) {
        *length += before + after;
    }
    let mut plain = Plain::elements(to.count(), 512).with("ne", to.count()).shape(0, &a).shape(1, &to);
    plain = plain.with("misalign_offsets", 0).with("circular", 0);
    for (axis, [before, after]) in padding.into_iter().enumerate() {
        plain = plain.with(&format!("lp{axis}"), before).with(&format!("rp{axis}"), after);
    }
    let numbers: Vec<f32> = padding.into_iter().flatten().map(|count| count as f32).collect();
    moved(variant, "pad", [&a, &to], &numbers, 0.0, plain)
}

fn pad_reflect(variant: &str, fitting: bool) -> Option<Case> {
    let a = shape(FLOAT, fitting);
    let (before, after) = if fitting { (16, 16) } else { (3, 8) };
    let mut to = a;
    to.lengths[0] += before + after;
    // Bits of integers.
    let numbers = [f32::from_bits(before as u32), f32::from_bits(after as u32), 0.0, 0.0];
    let plain = Plain::elements(to.count(), 512).unary(&a, &to, numbers);
    moved(variant, "pad_reflect_1d", [&a, &to], &[before as f32, after as f32], 0.0, plain)
}

fn roll(variant: &str, fitting: bool) -> Option<Case> {
    let a = shape(FLOAT, fitting);
    let shifts: [i32; 4] = if fitting { [16, 4, 1, 0] } else { [-5, 2, -1, 1] };
    let half = |shift: i32| (shift + 0x8000) as u32;
    let pair = |first: i32, second: i32| f32::from_bits(half(first) << 16 | half(second));
    let numbers = [pair(shifts[0], shifts[1]), pair(shifts[2], shifts[3]), 0.0, 0.0];
    let plain = Plain::elements(a.count(), 512).unary(&a, &a, numbers);
    moved(variant, "roll", [&a, &a], &shifts.map(|shift| shift as f32), 0.0, plain)
}

fn triangle(variant: &str, fitting: bool) -> Option<Case> {
    let side = if fitting { 64 } else { 37 };
    let a = Shape::new(type_of(variant)?, &[side, side, 2]);
    let kind = if fitting { 2 } else { 1 };
    let numbers = [f32::from_bits(kind), 0.0, 0.0, 0.0];
    let plain = Plain::elements(a.count(), 512).unary(&a, &a, numbers);
    moved(variant, "tri", [&a, &a], &[kind as f32], 0.0, plain)
}

fn diagonal(variant: &str, fitting: bool) -> Option<Case> {
    let type_ = type_of(variant)?;
    let side = if fitting { 64 } else { 37 };
    let (a, to) = (Shape::new(type_, &[side, 1, 2]), Shape::new(type_, &[side, side, 2]));
    let plain = Plain::elements(to.count(), 512).unary(&a, &to, [0.0; 4]);
    moved(variant, "diag", [&a, &to], &[], 0.0, plain)
}

fn running_sum(variant: &str, fitting: bool) -> Option<Case> {
    let a = Shape::new(FLOAT, if fitting { &[512, 4] } else { &[75, 5, 3, 2] });
    let [columns, rows, layers, _] = a.lengths;
    let mut plain =
        Plain::new([a.rows(), 1, 1]).with("n_cols", columns).with("ne01", rows).with("ne02", layers);
    for axis in 1..4 {
        let step = a.steps()[axis];
        plain = plain.with(&format!("nb0{axis}"), step).with(&format!("nb1{axis}"), step);
    }
    plain = plain.real("weight", 1.0).with("misalign_offsets", 0);
    for (part, divisor) in [("12", rows * layers), ("1", rows)] {
        let (factor, shift) = fast_division(divisor as u64);
        plain = plain.with(&format!("ne0_{part}mp"), factor).with(&format!("ne0_{part}L"), shift);
    }
    plain.constants = vec![128, 32, 4];
    moved(variant, "cumsum", [&a, &a], &[], SUMS, plain)
}

/// Adds to a part of the rows.
fn accumulate(variant: &str, fitting: bool) -> Option<Case> {
    let a = Shape::new(FLOAT, if fitting { &[64, 16, 2] } else { &[37, 7, 3] });
    let b = Shape::new(FLOAT, if fitting { &[64, 16] } else { &[21, 4, 2] });
    let offset = if fitting { 0 } else { 37 * 2 + 5 };
    let mut plain = Plain::new([a.count().div_ceil(512), 1, 1]).binary(&a, &b, &a, [0.0; 2], offset);
    plain.constants = vec![0, 1];
    Some(Case {
        sizes: format!("{} to {}", b.shown(), a.shown()),
        inputs: vec![("a", 0), ("b", 1)],
        output: a.output(2),
        bound: SUMS,
        ..any(variant, "acc", &[a.between(-1.0, 1.0), b.between(-1.0, 1.0)], &[offset as f32], plain)
    })
}

/// One number is added to all.
fn add_one(variant: &str, fitting: bool) -> Option<Case> {
    let mut types = variant.strip_prefix("add1_")?.split('_').filter_map(Type::named);
    let (a, b) = (shape(types.next()?, fitting), Shape::new(types.next()?, &[1]));
    let plain = Plain::elements(a.count(), 512).binary(&a, &b, &a, [0.0; 2], 0);
    Some(Case {
        sizes: a.shown(),
        inputs: vec![("a", 0), ("b", 1)],
        output: a.output(2),
        bound: a.type_.rounding() + SUMS,
        ..any(variant, "add", &[a.between(-1.0, 1.0), b.between(-1.0, 1.0)], &[], plain)
    })
}

/// Rows are added that another operand names.
fn add_id(variant: &str, fitting: bool) -> Option<Case> {
    let (columns, choices, tokens, rows) = if fitting { (64, 4, 8, 16) } else { (37, 3, 5, 7) };
    let a = Shape::new(FLOAT, &[columns, choices, tokens]);
    let b = Shape::new(FLOAT, &[columns, rows]);
    let c = Shape::new(Type::Integers, &[choices, tokens]);
    let plain = Plain::new([choices, tokens, 1]).with("ne0", columns).with("ne1", choices);
    let plain =
        plain.with("s01", columns).with("s02", columns * choices).with("s11", columns).with("s21", choices);
    let operands = [a.between(-1.0, 1.0), b.between(-1.0, 1.0), c.between(0.0, rows as f32)];
    Some(Case {
        sizes: format!("{} of {rows} rows", a.shown()),
        inputs: vec![("a", 0), ("b", 1), ("c", 2)],
        output: a.output(3),
        bound: SUMS,
        ..any(variant, "add_id", &operands, &[], plain)
    })
}

fn silu_back(variant: &str, fitting: bool) -> Option<Case> {
    let a = shape(FLOAT, fitting);
    let plain = Plain::elements(a.count(), 512).general(a.count(), 1, [0.0; 4]);
    Some(Case {
        sizes: a.shown(),
        inputs: vec![("a", 0), ("b", 1)],
        output: a.output(2),
        bound: SUMS,
        ..any(variant, "silu_back", &[a.between(-1.0, 1.0), a.between(-4.0, 4.0)], &[], plain)
    })
}

fn arange(variant: &str, fitting: bool) -> Option<Case> {
    let (count, start, step) = if fitting { (512, 0.0, 1.0) } else { (75, -3.5, 0.25) };
    let to = Shape::new(FLOAT, &[count]);
    let plain = Plain::elements(count, 512).general(count, 1, [start, step, 0.0, 0.0]);
    Some(Case {
        sizes: to.shown(),
        output: to.output(0),
        bound: SUMS,
        ..any(variant, "arange", &[], &[start, start + step * count as f32, step], plain)
    })
}

fn count_equal(variant: &str, fitting: bool) -> Option<Case> {
    // ggml's CPU backend takes the wrong rows of what has more than two axes.
    let a = Shape::new(Type::Integers, if fitting { &[1024] } else { &[37, 15] });
    let mut plain = Plain::new([a.count().div_ceil(512), 1, 1]).general(a.count(), 1, [0.0; 4]);
    plain.constants = vec![32];
    Some(Case {
        sizes: a.shown(),
        inputs: vec![("a", 0), ("b", 1)],
        zeroed: true,
        output: Some(Output { binding: 2, shape: vec![1], type_: "s32" }),
        bound: 0.0,
        ..any(variant, "count_equal", &[a.between(0.0, 4.0), a.between(0.0, 4.0)], &[], plain)
    })
}

fn timesteps(variant: &str, fitting: bool) -> Option<Case> {
    let (count, dim) = if fitting { (8, 64) } else { (5, 37) };
    let (a, to) = (Shape::new(FLOAT, &[count]), Shape::new(FLOAT, &[dim, count]));
    let plain = Plain::new([dim.div_ceil(2).div_ceil(256), count, 1]);
    let plain = plain.with("nb1", dim).with("dim", dim).with("max_period", 10_000);
    Some(Case {
        sizes: format!("{count} steps to {dim}"),
        inputs: vec![("a", 0)],
        output: to.output(1),
        // Angles of some hundred are floats.
        bound: 1e-4,
        ..any(variant, "timestep_embedding", &[a.between(0.0, 100.0)], &[dim as f32, 10_000.0], plain)
    })
}

/// Nearest pixels, and weighted ones.
fn upscale(variant: &str, fitting: bool) -> Option<Case> {
    let a = Shape::new(FLOAT, if fitting { &[16, 16, 2] } else { &[7, 5, 3, 2] });
    let mut to = a;
    let (times, mode) = if fitting { ([2, 2, 1, 1], 0) } else { ([3, 2, 1, 1], 1) };
    for (length, times) in to.lengths.iter_mut().zip(times) {
        *length *= times;
    }
    let mut plain =
        Plain::elements(to.count(), 512).with("ne", to.count()).with("a_offset", 0).with("d_offset", 0);
    plain = plain.with("ne00", a.lengths[0]).with("ne01", a.lengths[1]).steps(0, &a);
    for axis in 0..4 {
        plain = plain.with(&format!("ne1{axis}"), to.lengths[axis]);
    }
    for (axis, times) in times.into_iter().enumerate() {
        plain = plain.real(&format!("sf{axis}"), times as f32);
    }
    plain = plain.real("pixel_offset", 0.5);
    plain.constants = vec![mode];
    let [x, y, z, w] = to.lengths.map(|length| length as f32);
    moved(variant, "upscale", [&a, &to], &[x, y, z, w, mode as f32], SUMS, plain)
}

/// With a mask that all heads share, and with slopes of its own for each head.
fn soft_max(variant: &str, fitting: bool) -> Option<Case> {
    let mask_type = if variant.ends_with("_f16") { HALF } else { FLOAT };
    let a = Shape::new(FLOAT, if fitting { &[128, 16, 2] } else { &[75, 5, 6, 2] });
    let [columns, rows, heads, _] = a.lengths;
    let mask = Shape::new(mask_type, &[columns, rows]);
    let (scale, bias) = (0.5, if fitting { 0.0 } else { 8.0 });
    let below = 1_usize << heads.ilog2();
    let slope = |bias: f32| (-bias / below as f32).exp2();
    let mut plain = Plain::new([a.rows(), 1, 1]).with("KX", columns).with("KY", rows).with("ne00", columns);
    plain = plain.with("ne01", rows).with("ne02", heads).with("ne12", 1).with("ne13", 1);
    plain = plain.with("nb11", columns).with("nb12", columns * rows).with("nb13", columns * rows);
    plain = plain
        .real("scale", scale)
        .real("max_bias", bias)
        .real("m0", slope(bias))
        .real("m1", slope(bias / 2.0));
    plain = plain.with("n_head_log2", below).with("nrows_x", a.rows()).with("has_sinks", 0);
    plain.constants = vec![32];
    Some(Case {
        sizes: a.shown(),
        inputs: vec![("a", 0), ("b", 1)],
        unread: vec![2],
        output: a.output(3),
        bound: SUMS,
        ..any(variant, "soft_max", &[a.between(-4.0, 4.0), mask.between(-1.0, 0.0)], &[scale, bias], plain)
    })
}

fn of_two_rows(variant: &str, name: &str, fitting: bool, number: f32, constants: Vec<usize>) -> Option<Case> {
    let a = Shape::new(FLOAT, if fitting { &[128, 16] } else { &[75, 5, 3] });
    let numbers = [number, 0.0, 0.0, 0.0];
    let mut plain = Plain::new([a.rows(), 1, 1]).general(a.lengths[0], a.rows(), numbers);
    plain.constants = constants;
    Some(Case {
        sizes: a.shown(),
        inputs: vec![("a", 0), ("b", 1)],
        output: a.output(2),
        bound: SUMS,
        ..any(variant, name, &[a.between(-1.0, 1.0), a.between(0.0, 1.0)], &[number], plain)
    })
}

fn soft_max_back(variant: &str, fitting: bool) -> Option<Case> {
    of_two_rows(variant, "soft_max_back", fitting, 0.5, vec![32])
}

fn rms_norm_back(variant: &str, fitting: bool) -> Option<Case> {
    of_two_rows(variant, "rms_norm_back", fitting, 1e-5, Vec::new())
}

fn argsort(variant: &str, fitting: bool) -> Option<Case> {
    let a = Shape::new(FLOAT, if fitting { &[128, 8] } else { &[75, 5, 3] });
    let (columns, rows) = (a.lengths[0], a.rows());
    let padded = columns.next_power_of_two();
    let order = usize::from(!fitting);
    let mut plain = Plain::new([1, rows, 1]).with("ncols", columns).with("ncols_padded", padded);
    plain = plain.with("ncols_padded_log2", padded.ilog2() as usize).with("nrows", rows).with("order", order);
    for name in ["outer_start", "outer_end", "inner_start", "inner_end"] {
        plain = plain.with(name, 0);
    }
    plain.constants = vec![padded, padded.ilog2() as usize];
    Some(Case {
        sizes: a.shown(),
        inputs: vec![("a", 0)],
        output: a.of(Type::Integers).output(2),
        bound: 0.0,
        ..any(variant, "argsort", &[a.between(-1.0, 1.0)], &[order as f32], plain)
    })
}

fn pool1d(variant: &str, fitting: bool) -> Option<Case> {
    let a = Shape::new(FLOAT, if fitting { &[64, 8] } else { &[37, 5, 3] });
    let (op, kernel, stride, padding) = if fitting { (0, 2, 2, 0) } else { (1, 3, 2, 1) };
    let mut to = a;
    to.lengths[0] = (a.lengths[0] + 2 * padding - kernel) / stride + 1;
    let mut plain =
        Plain::new([to.count().div_ceil(512), 1, 1]).with("IL", a.lengths[0]).with("OL", to.lengths[0]);
    plain = plain.with("OC", to.lengths[1]).with("pelements", to.count()).with("op", op);
    plain = plain.with("k0", kernel).with("s0", stride).with("p0", padding);
    let numbers = [op, kernel, stride, padding].map(|number| number as f32);
    moved(variant, "pool_1d", [&a, &to], &numbers, SUMS, plain)
}

fn pool2d(variant: &str, fitting: bool) -> Option<Case> {
    let a = Shape::new(FLOAT, if fitting { &[16, 16, 4] } else { &[13, 9, 3, 2] });
    let (op, kernel, stride, padding) = if fitting { (0, 2, 2, 0) } else { (1, 3, 2, 1) };
    let mut to = a;
    for axis in 0..2 {
        to.lengths[axis] = (a.lengths[axis] + 2 * padding - kernel) / stride + 1;
    }
    let mut plain = Plain::new([to.count().div_ceil(512), 1, 1]);
    plain = plain
        .with("IW", a.lengths[0])
        .with("IH", a.lengths[1])
        .with("OW", to.lengths[0])
        .with("OH", to.lengths[1]);
    plain = plain.with("OC", to.lengths[2]).with("pelements", to.count()).with("op", op);
    for axis in 0..2 {
        plain = plain.with(&format!("k{axis}"), kernel).with(&format!("s{axis}"), stride);
        plain = plain.with(&format!("p{axis}"), padding);
    }
    let numbers = [op, kernel, stride, padding].map(|number| number as f32);
    moved(variant, "pool_2d", [&a, &to], &numbers, SUMS, plain)
}
