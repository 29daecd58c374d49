//! Operations on rows: those that are read, normalised or summed.

use super::cases::Case;
use super::convolution::fast_division;
use super::plain::{Plain, Shape, Type, any};
use crate::simulate_report::quants::Quant;

const FLOAT: Type = Type::Of(Quant::F32);
/// Sums of some hundred floats in another order, and a square root.
const SUMS: f64 = 1e-5;
const EPSILON: f32 = 1e-5;

/// Both shapes of a variant; nothing for one that is not known.
pub fn cases(source: &str, variant: &str) -> Vec<Case> {
    let of = |make: &dyn Fn(bool) -> Option<Case>| [true, false].into_iter().filter_map(make).collect();
    match source {
        "get_rows.comp" | "get_rows_quant.comp" => of(&|fitting| get_rows(variant, fitting)),
        "norm.comp" | "l2_norm.comp" => of(&|fitting| Some(norm(variant, fitting))),
        "group_norm.comp" => of(&|fitting| Some(group_norm(variant, fitting))),
        "rms_norm.comp" if variant == "rms_norm_f32" => of(&|fitting| Some(rms_norm(variant, fitting))),
        "sum_rows.comp" => of(&|fitting| Some(sum_rows(variant, fitting))),
        "argmax.comp" => of(&|fitting| Some(argmax(variant, fitting))),
        _ if source.starts_with("dequant_") && source != "dequant_f32.comp" => {
            of(&|fitting| dequant(variant, fitting))
        }
        _ => Vec::new(),
    }
}

/// `get_rows_q4_0` writes half floats, `get_rows_q4_0_f32` floats.
fn get_rows(variant: &str, fitting: bool) -> Option<Case> {
    let rest = variant.strip_prefix("get_rows_")?;
    let (from, to) = match rest.strip_suffix("_f32").filter(|from| !from.is_empty()) {
        Some(from) => (Type::named(from)?, FLOAT),
        None if rest == "f32" || rest == "bf16" || rest == "f16" || rest == "i32" => {
            let from = Type::named(rest)?;
            let to = match rest {
                "i32" => Type::Integers,
                _ => Type::Of(Quant::F16),
            };
            (from, to)
        }
        None => (Type::named(rest)?, Type::Of(Quant::F16)),
    };
    let block = from.block();
    let columns = match (fitting, block) {
        (true, _) => 256,
        (false, 1) => 75,
        (false, _) => block * 3,
    };
    let (rows, of_rows, batches) = if fitting { (16, 8, 1) } else { (11, 5, 3) };
    let a = Shape::new(from, &[columns, rows, batches]);
    let b = Shape::new(Type::Integers, &[of_rows, batches]);
    let result = Shape::new(to, &[columns, of_rows, batches]);
    let quantised = block > 1;
    let groups = (columns / if quantised { 2 } else { 1 }).div_ceil(512);
    let plain = Plain::new([groups, of_rows, batches]).binary(&a, &b, &result, [0.0; 2], 0);
    let operands = [
        if from == Type::Integers { a.between(-1000.0, 1000.0) } else { a.between(-1.0, 1.0) },
        b.between(0.0, rows as f32),
    ];
    Some(Case {
        sizes: format!("{of_rows} of {}", a.shown()),
        inputs: vec![("a", 0), ("b", 1)],
        output: result.output(2),
        bound: to.rounding() + if quantised { 1e-6 } else { 0.0 },
        ..any(variant, "get_rows", &operands, &[], plain)
    })
}

fn shape(fitting: bool) -> Shape {
    Shape::new(FLOAT, if fitting { &[512, 4, 2] } else { &[75, 5, 3, 2] })
}

fn norm(variant: &str, fitting: bool) -> Case {
    let a = shape(fitting);
    let name = variant.trim_end_matches("_f32");
    let plain = Plain::new([a.rows(), 1, 1]).unary(&a, &a, [EPSILON, 0.0, 0.0, 0.0]);
    Case {
        sizes: a.shown(),
        inputs: vec![("a", 0)],
        output: a.output(1),
        bound: SUMS,
        ..any(variant, name, &[a.between(-1.0, 2.0)], &[EPSILON], plain)
    }
}

fn group_norm(variant: &str, fitting: bool) -> Case {
    // Channels are the third axis; ggml-vulkan's shader wants them to be whole groups.
    let (a, groups) =
        if fitting { (Shape::new(FLOAT, &[16, 8, 8]), 2) } else { (Shape::new(FLOAT, &[7, 5, 6, 2]), 3) };
    let [columns, rows, channels, batches] = a.lengths;
    let of_group = columns * rows * channels.div_ceil(groups);
    let plain = Plain::new([groups * batches, 1, 1]).general(of_group, 0, [EPSILON, 0.0, 0.0, 0.0]);
    Case {
        sizes: format!("{} in {groups} groups", a.shown()),
        inputs: vec![("a", 0)],
        output: a.output(1),
        bound: SUMS,
        ..any(variant, "group_norm", &[a.between(-1.0, 2.0)], &[EPSILON, groups as f32], plain)
    }
}

fn rms_norm(variant: &str, fitting: bool) -> Case {
    let a = shape(fitting);
    let [_, rows, layers, batches] = a.lengths;
    let mut plain = Plain::new([rows, layers, batches]).binary(&a, &a, &a, [EPSILON, 0.0], 0);
    plain.constants = vec![0, 0];
    Case {
        sizes: a.shown(),
        inputs: vec![("a", 0)],
        unread: vec![1],
        output: a.output(2),
        bound: SUMS,
        ..any(variant, "rms_norm", &[a.between(-1.0, 1.0)], &[EPSILON], plain)
    }
}

fn sum_rows(variant: &str, fitting: bool) -> Case {
    let a = shape(fitting);
    let mut to = a;
    to.lengths[0] = 1;
    let [columns, rows, layers, _] = a.lengths;
    let mut plain =
        Plain::new([a.rows(), 1, 1]).with("n_cols", columns).with("ne01", rows).with("ne02", layers);
    for axis in 1..4 {
        plain = plain.with(&format!("nb0{axis}"), a.steps()[axis]);
        plain = plain.with(&format!("nb1{axis}"), to.steps()[axis]);
    }
    plain = plain.real("weight", 1.0).with("misalign_offsets", 0);
    for (part, divisor) in [("12", rows * layers), ("1", rows)] {
        let (factor, shift) = fast_division(divisor as u64);
        plain = plain.with(&format!("ne0_{part}mp"), factor).with(&format!("ne0_{part}L"), shift);
    }
    plain.constants = vec![32];
    Case {
        sizes: a.shown(),
        inputs: vec![("a", 0)],
        output: to.output(1),
        bound: SUMS,
        ..any(variant, "sum_rows", &[a.between(0.0, 1.0)], &[], plain)
    }
}

fn argmax(variant: &str, fitting: bool) -> Case {
    let lengths: &[usize] = if fitting { &[512, 8] } else { &[75, 15] };
    let a = Shape::new(FLOAT, lengths);
    let to = Shape::new(Type::Integers, &[lengths[1]]);
    let mut plain = Plain::new([a.rows(), 1, 1]).general(lengths[0], lengths[1], [0.0; 4]);
    plain.constants = vec![32];
    Case {
        sizes: a.shown(),
        inputs: vec![("a", 0)],
        output: to.output(1),
        bound: 0.0,
        ..any(variant, "argmax", &[a.between(-1.0, 1.0)], &[], plain)
    }
}

/// Blocks to half floats.
fn dequant(variant: &str, fitting: bool) -> Option<Case> {
    let quant = Quant::named(variant.strip_prefix("dequant_")?)?;
    let block = quant.block().0;
    let (columns, rows) = if fitting { (block * 4, 8) } else { (block * 3, 5) };
    let a = Shape::new(Type::Of(quant), &[columns, rows]);
    let to = a.of(Type::Of(Quant::F16));
    // What a workgroup takes.
    let of_group = 256
        * match quant {
            Quant::Q1_0 => 8,
            Quant::Q2_0 | Quant::Tq1_0 => 4,
            Quant::Q2K | Quant::Q3K | Quant::Q5K | Quant::Q6K | Quant::Tq2_0 => 64,
            _ if block == 256 => 32,
            _ => 16,
        };
    let plain = Plain::new([a.count().div_ceil(of_group), 1, 1]);
    let plain = plain.with("M", columns).with("K", rows).with("stride_a", 1).with("stride_b", 1);
    Some(Case {
        sizes: a.shown(),
        inputs: vec![("a", 0)],
        output: to.output(1),
        bound: to.type_.rounding() + 1e-6,
        ..any(variant, "same", &[a.between(-1.0, 1.0)], &[], plain.with("nel", a.count()))
    })
}
