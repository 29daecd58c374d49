//! The numbers for people.

use std::fmt::Write;

use super::{Amount, EntryPoint, Statistics};

/// `1,048,576`
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1,024 + 256 per round of L2 + at most 64`
fn sum(amounts: &[Amount], unit: &str) -> String {
    if amounts.is_empty() {
        return format!("0{unit}");
    }
    let one = |amount: &Amount| {
        let most = if amount.at_most { "at most " } else { "" };
        let rounds = match amount.per_round_of.as_slice() {
            [] => String::new(),
            loops => format!(" per iteration of {}", loops.join(" and ")),
        };
        format!("{most}{}{unit}{rounds}", grouped(amount.value))
    };
    amounts.iter().map(one).collect::<Vec<_>>().join(" + ")
}

impl Statistics {
    /// A page of text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "SPIR-V {}, {} instructions, ids below {}",
            self.version, self.instructions, self.bound
        );
        let _ = writeln!(out, "capabilities: {}", self.capabilities.join(", "));
        if !self.extensions.is_empty() {
            let _ = writeln!(out, "extensions: {}", self.extensions.join(", "));
        }
        for entry in &self.entry_points {
            let _ = self.entry(entry, &mut out);
        }
        out
    }

    fn entry(&self, entry: &EntryPoint, out: &mut String) -> std::fmt::Result {
        writeln!(out, "\nentry point {} ({})", entry.name, entry.model)?;
        match entry.workgroup {
            Some([x, y, z]) => writeln!(
                out,
                "  workgroup: {x} x {y} x {z}; subgroups of {} are assumed",
                self.subgroup_size
            )?,
            None => writeln!(out, "  workgroup: of unknown size; the numbers below are per invocation")?,
        }
        writeln!(out, "  shared memory: {} bytes", grouped(entry.shared_memory))?;
        writeln!(out, "  functions: {}", entry.functions.join(", "))?;
        let classes: Vec<String> =
            entry.classes.iter().map(|one| format!("{} {}", one.count, one.class.name())).collect();
        writeln!(out, "  instructions: {} ({})", entry.instructions, classes.join(", "))?;
        if entry.barriers > 0 {
            writeln!(out, "  barriers: {}", entry.barriers)?;
        }
        if !entry.matrix_operations.is_empty() {
            writeln!(out, "  matrix operations:")?;
        }
        for one in &entry.matrix_operations {
            let mut types = one.operands.join(", ");
            if let Some(result) = &one.result {
                types.push_str(if types.is_empty() { "-> " } else { " -> " });
                types.push_str(result);
            }
            writeln!(
                out,
                "    {} x {} ({types}), {} scope, executed {}",
                one.count,
                one.instruction,
                one.scope,
                sum(&one.executed, "")
            )?;
        }
        if !entry.loops.is_empty() {
            writeln!(out, "  loops:")?;
        }
        for one in &entry.loops {
            let place = one.place.as_ref().map(|place| format!(" at {place}")).unwrap_or_default();
            let inside = one.inside.as_ref().map(|name| format!(", inside {name}")).unwrap_or_default();
            let rounds = match (one.rounds, &one.reason) {
                (Some(rounds), _) if one.at_most => format!("at most {} iterations", grouped(rounds)),
                (Some(1), _) => "1 iteration".to_owned(),
                (Some(rounds), _) => format!("{} iterations", grouped(rounds)),
                (None, Some(reason)) => format!("unknown number of iterations: {reason}"),
                (None, None) => "unknown number of iterations".to_owned(),
            };
            writeln!(out, "    {} in {}{place}{inside}: {rounds}", one.name, one.function)?;
        }
        writeln!(out, "  per workgroup:")?;
        let lines = [
            ("matrix operations", &entry.matrix_flops, " FLOPs"),
            ("other", &entry.other_flops, " FLOPs"),
            ("buffers, read", &entry.global_bytes_read, " bytes"),
            ("buffers, written", &entry.global_bytes_written, " bytes"),
            ("shared memory, read", &entry.shared_bytes_read, " bytes"),
            ("shared memory, written", &entry.shared_bytes_written, " bytes"),
        ];
        for (what, amounts, unit) in lines {
            writeln!(out, "    {what}: {}", sum(amounts, unit))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_read_as_sentences() {
        let amount = |value, loops: &[&str], at_most| Amount {
            value,
            per_round_of: loops.iter().map(|name| (*name).to_owned()).collect(),
            at_most,
        };
        assert_eq!(sum(&[], " bytes"), "0 bytes");
        assert_eq!(
            sum(&[amount(1_048_576, &[], false), amount(64, &["L1", "L2"], true)], " FLOPs"),
            "1,048,576 FLOPs + at most 64 FLOPs per iteration of L1 and L2"
        );
    }
}
