//! `--headroom` for people.

use std::fmt::Write as _;

use coopmat_recipe::report::{Accumulator, Headroom, InfiniteElements, PartialSum};
use coopmat_simulator::matrix::Headroom as Measured;

use super::table::number;
use super::text::{paint, place};

/// Infinite elements that are shown one by one, for each buffer.
const SHOWN: usize = 8;

pub fn text(headroom: &Headroom, colour: bool) -> String {
    if headroom.accumulators.is_empty() {
        return "  headroom: no multiply-add with a float16_t accumulator was executed\n".to_owned();
    }
    let mut text =
        format!("  headroom of float16_t accumulators, whose largest number is {}:\n", Measured::limit());
    for accumulator in &headroom.accumulators {
        text += &of_accumulator(accumulator, colour);
    }
    for InfiniteElements { buffer, elements, listed } in &headroom.infinite {
        let _ = writeln!(text, "    {buffer}: {}", infinite(*elements, listed.iter().map(Vec::as_slice)));
    }
    text
}

/// How many elements are infinite, and the first of them.
pub fn infinite<'l>(elements: usize, listed: impl Iterator<Item = &'l [usize]>) -> String {
    let shown: Vec<String> = listed.take(SHOWN).map(|index| format!("{index:?}")).collect();
    let verb = if elements == 1 { "element is" } else { "elements are" };
    let more = if elements > SHOWN { ", ..." } else { "" };
    format!("{elements} {verb} infinite or NaN: {}{more}", shown.join(", "))
}

fn of_accumulator(accumulator: &Accumulator, colour: bool) -> String {
    let Accumulator { sums, products, beyond, infinite, excluded, .. } = accumulator;
    let at = match &accumulator.place {
        Some(at) => place(at),
        None => format!("instruction {}", accumulator.instruction),
    };
    let of = accumulator.dispatch.as_ref().map(|name| format!("dispatch {name}, ")).unwrap_or_default();
    let mut text = format!("    {of}{at}: ");
    if let Some(first) = &accumulator.first {
        let _ = write!(
            text,
            "{}: {beyond} of {sums} sums of up to {products} products go beyond the range, the first one {}",
            paint("OVERFLOW", "1;31", colour),
            partial(first)
        );
        let _ = write!(text, "\n      {infinite} of them became infinite; ");
    }
    let _ = match &accumulator.largest {
        Some(largest) => write!(
            text,
            "{} bits of headroom: the largest partial sum is {}; {}",
            rounded_down(accumulator.bits, 2),
            partial(largest),
            scale(accumulator.scale)
        ),
        None => write!(text, "nothing to tell of {sums} sums"),
    };
    if *excluded > 0 {
        let _ = write!(text, "; {excluded} sums have an infinite or NaN operand");
    }
    text.push('\n');
    text
}

fn partial(sum: &PartialSum) -> String {
    let PartialSum { value, k, workgroup: [x, y, z], subgroup, row, column } = sum;
    format!(
        "{} at k = {k} in element [{row}, {column}] of workgroup {x}, {y}, {z}, subgroup {subgroup}",
        number(*value)
    )
}

fn scale(scale: f64) -> String {
    if scale.is_infinite() {
        return "all products are 0".to_owned();
    }
    // Four digits, none of them rounded up.
    let decimals = (3.0 - scale.log10().floor()).clamp(0.0, 12.0) as i32;
    format!("products may be scaled by up to {}", rounded_down(scale, decimals))
}

fn rounded_down(value: f64, decimals: i32) -> f64 {
    let unit = 10f64.powi(decimals);
    if value.is_finite() { (value * unit).floor() / unit } else { value }
}
