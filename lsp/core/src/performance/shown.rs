//! What a run with a profile has shown, as hovers and lenses tell it: the figures of the run itself, which take the place of what is known before.

use coopmat_recipe::LineWork;
use coopmat_recipe::profile::{AccessProfile, Profile};

/// A run of the text that it is kept with.
#[derive(Debug, Default)]
pub struct Shown {
    /// What each line did.
    pub lines: Vec<LineWork>,
    /// What it costs by the model.
    pub profile: Profile,
}

/// `34,560`
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

impl Shown {
    /// For the lens above the entry point.
    pub fn summary(&self) -> String {
        let mut parts = Vec::new();
        for dispatch in &self.profile.dispatches {
            let mut of_dispatch = Vec::new();
            let known: Vec<(u64, u64)> =
                dispatch.shared.iter().filter_map(|it| it.passes.zip(it.least_passes)).collect();
            if !dispatch.shared.is_empty() && known.is_empty() {
                of_dispatch.push("passes not known".to_owned());
            } else if !known.is_empty() {
                let passes: u64 = known.iter().map(|(passes, _)| passes).sum();
                let least: u64 = known.iter().map(|(_, least)| least).sum();
                let many = grouped(passes.saturating_sub(least));
                of_dispatch.push(format!("{} passes, {many} too many", grouped(passes)));
            }
            if let Some(intensity) = dispatch.intensity.filter(|_| dispatch.matrix_flops > 0) {
                of_dispatch.push(format!("{intensity:.2} FLOP for each byte of buffers"));
            }
            let bound = dispatch.registers.as_ref().filter(|it| it.bound.registers > 0);
            if let Some(registers) = bound {
                let resident = registers.residency.as_ref().map_or(String::new(), |it| {
                    format!(" (at most {} of {} subgroups resident)", it.subgroups, it.most_subgroups)
                });
                of_dispatch.push(format!("at least {} registers{resident}", registers.bound.registers));
            }
            if of_dispatch.is_empty() {
                of_dispatch.push(format!("{} instructions", grouped(dispatch.instructions)));
            }
            let name = dispatch.dispatch.as_ref().map_or(String::new(), |name| format!("{name}: "));
            parts.push(format!("{name}{}", of_dispatch.join(", ")));
        }
        format!("last run: {}", parts.join("; "))
    }

    /// The accesses of a line, which counts from 1.
    fn accesses<'s>(&'s self, path: &'s str, line: u32) -> impl Iterator<Item = &'s AccessProfile> {
        let all = self.profile.dispatches.iter().flat_map(|it| it.shared.iter().chain(&it.global));
        all.filter(move |access| {
            access.place.as_ref().is_some_and(|place| place.path == path && place.line == line)
        })
    }

    /// What a line did, in Markdown; nothing of one that did not run. Lines count from 1.
    pub fn of_line(&self, path: &str, line: u32) -> Option<String> {
        let work = self.lines.iter().find(|work| work.path == path && work.line == line)?;
        let all: u64 = self.lines.iter().map(|work| work.instructions).sum();
        let share = work.instructions as f64 * 100.0 / all.max(1) as f64;
        let noun = if work.instructions == 1 { "instruction" } else { "instructions" };
        let mut text = format!("**In the last run**: {} {noun} ({share:.1} %)", grouped(work.instructions));
        if let Some(bytes) = work.bytes.filter(|bytes| *bytes > 0) {
            text += &format!("; {} bytes read and written", grouped(bytes));
        }
        for access in self.accesses(path, line) {
            text += &format!("\n- {} `{}`: {}", access.operation, access.memory, cost(access));
        }
        Some(text)
    }
}

fn cost(access: &AccessProfile) -> String {
    if let (Some(touched), Some(needed)) = (access.sectors, access.needed_sectors) {
        return format!("{} sectors of buffers, {} needed", grouped(touched), grouped(needed));
    }
    match (access.passes, access.least_passes) {
        (Some(passes), Some(least)) if passes > least => format!(
            "{} passes of shared memory instead of {}, up to {}-way conflicts",
            grouped(passes),
            grouped(least),
            access.ways.unwrap_or(1)
        ),
        (Some(passes), _) => format!("{} passes of shared memory, no conflicts", grouped(passes)),
        (None, _) if access.operation == "atomic" => {
            "passes not known: how atomic operations meet is not published".to_owned()
        }
        (None, _) => "passes not known: the device's banks are not known".to_owned(),
    }
}
