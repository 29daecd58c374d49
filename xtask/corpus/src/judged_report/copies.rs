//! Copies that convert, also to blocks and from them: `copy.comp` and its kin. Blocks are compared byte by byte.

use super::cases::Case;
use super::plain::{Plain, Shape, Type, any};
use crate::simulate_report::quants::Quant;

/// Both shapes of a variant; nothing for one that is not known.
pub fn cases(source: &str, variant: &str) -> Vec<Case> {
    let of = |make: &dyn Fn(bool) -> Option<Case>| [true, false].into_iter().filter_map(make).collect();
    match source {
        "copy.comp" | "contig_copy.comp" | "copy_from_quant.comp" => of(&|fitting| copy(variant, fitting)),
        "copy_to_quant.comp" if variant.starts_with("cpy_") => of(&|fitting| copy(variant, fitting)),
        "copy_to_quant.comp" => of(&|fitting| set_rows(variant, fitting)),
        "copy_transpose.comp" => of(&|fitting| transpose(variant, fitting, [1, 0, 2, 3])),
        "copy_transpose_02.comp" => of(&|fitting| transpose(variant, fitting, [2, 1, 0, 3])),
        _ => Vec::new(),
    }
}

fn range(type_: Type) -> (f32, f32) {
    if type_ == Type::Integers { (-1000.0, 1000.0) } else { (-1.0, 1.0) }
}

/// `cpy_f32_q4_0`, `contig_cpy_f16_f32`. The second shape has two axes in another order, where the shader may.
fn copy(variant: &str, fitting: bool) -> Option<Case> {
    let contiguous = variant.starts_with("contig_");
    let rest = variant.trim_start_matches("contig_").strip_prefix("cpy_")?;
    // One of the two types may have a line in its name.
    let (from, to) = rest
        .match_indices('_')
        .find_map(|(at, _)| Some((Type::named(&rest[..at])?, Type::named(&rest[at + 1..])?)))?;
    let block = from.block().max(to.block());
    let lengths: [usize; 4] = match (fitting, block) {
        (true, _) => [256, 4, 2, 1],
        (false, 1) => [37, 5, 3, 2],
        (false, _) => [block * 3, 5, 3, 1],
    };
    let a = Shape::new(from, &lengths);
    let order = match (fitting || contiguous, block) {
        (true, _) => [0, 1, 2, 3],
        (false, 1) => [1, 0, 2, 3],
        (false, _) => [0, 2, 1, 3],
    };
    let seen = a.permuted(order);
    let result = Shape::new(to, &seen.lengths);
    let plain = if to.is_quantised() {
        Plain::elements(seen.count() / block, 32)
    } else if from.is_quantised() {
        Plain::elements(seen.count(), block)
    } else {
        Plain::elements(seen.count(), 512)
    };
    let (low, high) = match (from, to) {
        (_, Type::Integers) => (-1000.0, 1000.0),
        (from, _) => range(from),
    };
    let numbers: Vec<f32> =
        if order == [0, 1, 2, 3] { Vec::new() } else { order.map(|axis| axis as f32).into() };
    let name = format!("copy_to_{}", to.name());
    Some(Case {
        sizes: if numbers.is_empty() { a.shown() } else { format!("{} in another order", a.shown()) },
        inputs: vec![("a", 0)],
        output: if to.is_quantised() { result.bytes(1) } else { result.output(1) },
        bound: if from.is_quantised() { 1e-6 } else { 0.0 },
        ..any(variant, &name, &[a.between(low, high)], &numbers, plain.unary(&seen, &result, [0.0; 4]))
    })
}

/// `set_rows_f32_q4_0_i64`: rows are written at places that another operand names.
fn set_rows(variant: &str, fitting: bool) -> Option<Case> {
    let rest = variant.strip_prefix("set_rows_")?;
    let (rest, wide) = rest
        .strip_suffix("_i64")
        .map(|rest| (rest, true))
        .or(rest.strip_suffix("_i32").map(|rest| (rest, false)))?;
    let (from, to) = rest.split_once('_')?;
    let (from, to) = (Type::named(from)?, Type::named(to)?);
    let block = to.block();
    let columns = match (fitting, block) {
        (true, _) => 256,
        (false, 1) => 37,
        (false, _) => block * 3,
    };
    let (rows, of_rows, batches) = if fitting { (4, 8, 1) } else { (5, 11, 3) };
    let a = Shape::new(from, &[columns, rows, batches]);
    let b = Shape::new(Type::Integers, &[rows, batches]);
    let result = Shape::new(to, &[columns, of_rows, batches]);
    let of_group = if block == 1 { 512 } else { 32 * block };
    let plain = Plain::elements(a.count().div_ceil(of_group), 1);
    // Indices of 64 bits are read as pairs.
    let mut plain = plain.binary(&a, &b, &result, [0.0; 2], 0);
    plain
        .push
        .iter_mut()
        .filter(|(name, _)| name == "ne")
        .for_each(|(_, value)| *value = a.count().to_string());
    let name = format!("set_rows_in_{}", to.name());
    let case = any(
        variant,
        &name,
        &[a.between(-1.0, 1.0), b.between(0.0, of_rows as f32)],
        &[of_rows as f32],
        plain,
    );
    Some(Case {
        sizes: format!("{} of {of_rows} rows", a.shown()),
        inputs: vec![("a", 0), (if wide { "b64" } else { "b" }, 1)],
        output: if to.is_quantised() { result.bytes(2) } else { result.output(2) },
        zeroed: true,
        bound: 0.0,
        request: case.request.clone().with("distinct", 1),
        ..case
    })
}

/// Matrices that are transposed by tiles of 32x32: of 16 or 32 bits.
fn transpose(variant: &str, fitting: bool, order: [usize; 4]) -> Option<Case> {
    let type_ = Type::Of(if variant.ends_with("_16") { Quant::F16 } else { Quant::F32 });
    let a = Shape::new(type_, if fitting { &[64, 32, 32] } else { &[37, 45, 3, 2] });
    let seen = a.permuted(order);
    let result = Shape::new(type_, &seen.lengths);
    let [columns, rows, layers, batches] = seen.lengths;
    let dispatch = if order[0] == 1 {
        [columns.div_ceil(32), rows.div_ceil(32), layers * batches]
    } else {
        [columns.div_ceil(32), layers.div_ceil(32), rows * batches]
    };
    let numbers = order.map(|axis| axis as f32);
    let name = format!("copy_to_{}", type_.name());
    let plain = Plain::new(dispatch).unary(&seen, &result, [0.0; 4]);
    Some(Case {
        sizes: a.shown(),
        inputs: vec![("a", 0)],
        output: result.output(1),
        bound: 0.0,
        ..any(variant, &name, &[a.between(-1.0, 1.0)], &numbers, plain)
    })
}
