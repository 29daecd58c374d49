//! Tells people what bounds the device sets: the roofline, the work between barriers and in loops, registers.

use std::fmt::Write as _;

use coopmat_recipe::profile::{
    Between, DispatchProfile, HeldRegisters, Limit, LoopProfile, Products, Registers, Roofline,
};

use super::{decimal, plural, share};
use crate::run::text::{count, paint, place, quantity};

/// Loops and matrices that are shown.
const SHOWN: usize = 4;

pub fn text(dispatch: &DispatchProfile, colour: bool) -> String {
    let mut text = roofline(dispatch, colour);
    if let Some(Between { instructions, operations, bytes }) = dispatch.roofline.between_barriers {
        let _ = writeln!(
            text,
            "    between two barriers, a workgroup has {} instructions, {} in multiply-adds, {} of buffers on average",
            decimal(instructions),
            quantity(operations.round() as u64, "FLOP"),
            quantity(bytes.round() as u64, "B"),
        );
    }
    for it in dispatch.loops.iter().filter(|it| it.matrix_operations > 0).take(SHOWN) {
        let _ = writeln!(text, "    {}", of_loop(it));
    }
    if let Some(registers) = &dispatch.registers {
        text += &of_registers(registers, colour);
    }
    text
}

fn roofline(dispatch: &DispatchProfile, colour: bool) -> String {
    let Roofline { products, bandwidth, ridge, limit, not_known, .. } = &dispatch.roofline;
    if dispatch.matrix_flops == 0 {
        return String::new();
    }
    let mut text = String::new();
    let rate = |it: &Products| match it.gigaops {
        Some(gigaops) => format!("{} at most {} TFLOP/s", it.types(), decimal(gigaops as f64 / 1e3)),
        None => format!("{} at a rate that is not known", it.types()),
    };
    let rates: Vec<String> = products.iter().map(rate).collect();
    let memory = bandwidth.map_or("a bandwidth that is not known".to_owned(), |bandwidth| {
        format!("{} TB/s", decimal(bandwidth as f64 / 1e3))
    });
    let Some(ridge) = ridge else {
        let reason = not_known.as_deref().unwrap_or_default();
        let _ = writeln!(text, "    roofline: not known which limit is met first, as {reason}");
        return text;
    };
    let _ = writeln!(
        text,
        "    roofline: {}; memory at most {memory}; both are met at {} FLOP for each byte",
        rates.join(", "),
        decimal(*ridge)
    );
    let intensity = |value: Option<f64>| value.map_or("no byte".to_owned(), decimal);
    let (least, most) = (intensity(dispatch.intensity), intensity(dispatch.largest_intensity));
    let told = match limit {
        Limit::Memory => format!(
            "{} ({most} FLOP for each byte, even if each is moved once)",
            paint("memory is the limit", "1;31", colour)
        ),
        Limit::Matrices => {
            format!("the matrix units are the limit ({least} FLOP for each byte, even if none is cached)")
        }
        Limit::Caches => format!(
            "caches decide: {least} FLOP for each byte if none is cached, {most} if each is moved once"
        ),
        Limit::NotKnown => "not known which limit is met first".to_owned(),
    };
    let _ = writeln!(text, "      {told}");
    text
}

fn of_loop(it: &LoopProfile) -> String {
    let at = it.place.as_ref().map_or("a loop without a line".to_owned(), place);
    let calls = if it.calls { "; functions that it calls are not counted" } else { "" };
    format!(
        "loop at {at}, without loops inside: {} of {} instructions are on matrices ({}), {} of them multiply-adds{calls}",
        count(it.matrix_operations),
        count(it.instructions),
        share(it.matrix_operations, it.instructions),
        count(it.multiply_adds)
    )
}

fn of_registers(registers: &Registers, colour: bool) -> String {
    let Registers { bound, as_written, notes, residency } = registers;
    let mut text = String::new();
    if as_written.registers > 0 {
        let _ = writeln!(
            text,
            "    registers of matrices, for each invocation: at least {}; {} if everything is done in the order of the module",
            held(bound),
            held(as_written)
        );
    }
    for note in notes {
        let _ = writeln!(text, "      note: {note}");
    }
    match residency {
        Some(it) if as_written.registers > 0 || it.by_shared_memory.is_some() => {
            let registers = (bound.registers > 0).then(|| format!("{} by these registers", it.by_registers));
            let shared = it.by_shared_memory;
            let shared = shared.map(|count| format!("{} by shared memory", count.min(it.most_subgroups)));
            let reasons: Vec<String> = [registers, shared].into_iter().flatten().collect();
            let reasons =
                if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join(", ")) };
            let _ = writeln!(
                text,
                "      resident at the same time: at most {}, of {} that the device allows{reasons}",
                plural(it.subgroups, "subgroup"),
                it.most_subgroups
            );
            if it.spills {
                let told = format!(
                    "at least {} of {} registers are spilled",
                    bound.registers - it.registers_per_invocation,
                    bound.registers
                );
                let _ = writeln!(
                    text,
                    "      {}: an invocation has at most {}",
                    paint(&told, "1;31", colour),
                    it.registers_per_invocation
                );
            }
        }
        None if as_written.registers > 0 => {
            text += "      how many subgroups are resident is not known: no device is set, or its profile has no registers\n";
        }
        _ => {}
    }
    text
}

/// How many at a place, and of what.
fn held(held: &HeldRegisters) -> String {
    if held.registers == 0 {
        return "0".to_owned();
    }
    let at = held.place.as_ref().map_or(String::new(), |at| format!(" at line {}", at.line));
    let each = held.matrices.iter().take(SHOWN).map(|it| {
        let name = if it.name.is_empty() { "a value".to_owned() } else { it.name.clone() };
        match it.count {
            1 => format!("{name}: {}", it.matrix),
            count => format!("{name}: {count} of {}", it.matrix),
        }
    });
    let mut each: Vec<String> = each.collect();
    if let left @ 1.. = held.matrices.len().saturating_sub(SHOWN) {
        each.push(format!("{left} more"));
    }
    format!("{}{at} ({})", held.registers, each.join(", "))
}
