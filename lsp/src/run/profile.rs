//! `--profile`: looks at a run, and tells people what its lines cost. `bounds` tells what matrices take of registers, and
//! what the device's rates allow.

mod bounds;

use std::fmt::Write as _;

use coopmat_analysis::devices::DeviceProfile;
use coopmat_recipe::profile::{
    AccessProfile, DispatchProfile, LineProfile, Profile, Stride, Strides, Traced, Traffic, trace,
};
use coopmat_recipe::report::{Modes, Report, SourcePlace};
use coopmat_recipe::{Host, modes};
use coopmat_server::performance::profiling::{self, Observers, Profiling, Ran};

use super::prepare::Prepared;
use super::text::{count, paint, place, quantity};

/// Accesses and lines that are shown, of each kind.
const SHOWN: usize = 12;

/// The ownership that a profile assumes, if neither the command line nor the recipe chooses one: the device's own.
pub fn ownership(prepared: &Prepared) -> Option<String> {
    profiling::ownership(device(prepared), &prepared.recipe)
}

fn device(prepared: &Prepared) -> Option<&DeviceProfile> {
    prepared.shaders.first()?.device.as_deref()
}

/// Begins to look at a run.
pub fn profiling(prepared: &Prepared, modes: &Modes) -> (Profiling, Observers) {
    Profiling::new(&prepared.plan, device(prepared), modes.subgroup_size)
}

/// What was seen, as it is reported, and the file for other programs.
pub fn finish(profiling: Profiling, prepared: &Prepared, report: &Report) -> (Profile, String) {
    let ran = Ran {
        plan: &prepared.plan,
        modules: prepared.shaders.iter().map(|shader| &shader.module).collect(),
        place: &|dispatch, instruction| prepared.place(dispatch, instruction),
        text: &|dispatch, place| prepared.text(dispatch, place),
    };
    let (profile, measured) = profiling.finish(&ran, report);
    let names = prepared.plan.dispatches.iter().map(|dispatch| dispatch.name.clone());
    let names: Vec<Option<String>> = names.collect();
    let places: Vec<_> = (0..measured.len())
        .map(|index| {
            let place = move |instruction: u32| prepared.place(index, instruction);
            let text = move |place: &SourcePlace| prepared.text(index, place);
            (place, text)
        })
        .collect();
    let traced = measured.iter().zip(&places).enumerate().filter_map(|(index, (measured, (place, text)))| {
        let shader = prepared.shaders.get(index)?;
        let name = names.get(index)?.clone().unwrap_or_else(|| shader.path.clone());
        Some(Traced { name, module: &shader.module, measured, place, text })
    });
    let file = trace(&traced.collect::<Vec<_>>());
    (profile, file)
}

/// The profile of the first workgroup of each dispatch: what the others cost too, as far as they are alike.
///
/// # Errors
/// Why it could not be run to its end.
pub fn first_workgroups(mut prepared: Prepared) -> Result<Profile, String> {
    for dispatch in &mut prepared.plan.dispatches {
        dispatch.workgroups = [1; 3];
    }
    let mut modes = modes::first(&prepared.recipe, prepared.plan.subgroup_size);
    modes.ownership = ownership(&prepared).unwrap_or(modes.ownership);
    modes.checked = false;
    let (profiling, observers) = profiling(&prepared, &modes);
    let host = Host {
        pool: None,
        tier: None,
        observers,
        place: &|dispatch, instruction| prepared.place(dispatch, instruction),
        go_on: &mut |_, _| true,
    };
    let report = coopmat_recipe::run(&prepared.plan, &prepared.recipe, &modes, host).report;
    match &report.error {
        Some(problem) => Err(problem.message.clone()),
        None => Ok(finish(profiling, &prepared, &report).0),
    }
}

/// The JSON schema of the report. `lsp/profile-report.schema.json` is the same.
pub fn schema() -> String {
    crate::schema::of::<Profile>("Profile in a report of `coopmat-analyzer run --profile --json`")
}

/// The report for people.
pub fn text(profile: &Profile, colour: bool) -> String {
    let mut text = format!("  profile, ownership {}", profile.ownership);
    if let Some(device) = &profile.device {
        let _ = write!(text, ", device {device}");
    }
    if let Some(banks) = profile.banks {
        let _ = write!(text, ", {} banks of {} bytes", banks.count, banks.width);
    }
    text.push('\n');
    for note in &profile.notes {
        let _ = writeln!(text, "    note: {note}");
    }
    for dispatch in &profile.dispatches {
        text += &of_dispatch(dispatch, profile.sector, colour);
    }
    text
}

fn of_dispatch(dispatch: &DispatchProfile, sector: u64, colour: bool) -> String {
    let mut text = String::new();
    if let Some(name) = &dispatch.dispatch {
        let _ = writeln!(text, "    {}", paint(&format!("dispatch {name}"), "1", colour));
    }
    let _ = writeln!(
        text,
        "    {} instructions, {} of them on matrices ({}); workgroups passed {}",
        count(dispatch.instructions),
        count(dispatch.matrix_instructions),
        share(dispatch.matrix_instructions, dispatch.instructions),
        plural(dispatch.barriers, "barrier")
    );
    let Traffic { read, written, distinct_read, distinct_written } = dispatch.traffic;
    let _ = writeln!(
        text,
        "    buffers: {} read, {} of them distinct{}; {} written, {} of them distinct{}",
        quantity(read, "B"),
        quantity(distinct_read, "B"),
        times(read, distinct_read),
        quantity(written, "B"),
        quantity(distinct_written, "B"),
        times(written, distinct_written)
    );
    if let (Some(intensity), Some(largest)) = (dispatch.intensity, dispatch.largest_intensity)
        && dispatch.matrix_flops > 0
    {
        let _ = writeln!(
            text,
            "    {} in multiply-adds: {} for each byte of buffers that is accessed, {} for each distinct byte",
            quantity(dispatch.matrix_flops, "FLOP"),
            decimal(intensity),
            decimal(largest)
        );
    }
    text += &bounds::text(dispatch, colour);
    if !dispatch.shared.is_empty() {
        let sum = |of: fn(&AccessProfile) -> Option<u64>| dispatch.shared.iter().filter_map(of).sum::<u64>();
        let (passes, least) = (sum(|it| it.passes), sum(|it| it.least_passes));
        let told = match passes {
            0 => "not known".to_owned(),
            _ => format!("{}, {} without conflicts", plural(passes, "pass"), count(least)),
        };
        let _ = writeln!(text, "    shared memory: {told}");
        text += &accesses(&dispatch.shared, &shared, colour);
    }
    if !dispatch.global.is_empty() {
        let sum = |of: fn(&AccessProfile) -> Option<u64>| dispatch.global.iter().filter_map(of).sum::<u64>();
        let (touched, needed) = (sum(|it| it.sectors), sum(|it| it.needed_sectors));
        let _ = writeln!(
            text,
            "    buffers: {} of {sector} bytes, {} needed",
            plural(touched, "sector"),
            count(needed)
        );
        text += &accesses(&dispatch.global, &global, colour);
    }
    let _ = writeln!(text, "    instructions by line:");
    let all: u64 = dispatch.lines.iter().map(|line| line.instructions).sum();
    for line in dispatch.lines.iter().take(SHOWN) {
        text += &of_line(line, all);
    }
    text + &more(dispatch.lines.len())
}

fn of_line(line: &LineProfile, all: u64) -> String {
    let at = match &line.path {
        Some(path) => format!("{path}:{}", line.line),
        None => "no line known".to_owned(),
    };
    let source = line.text.as_ref().map_or(String::new(), |text| format!("  {text}"));
    format!("      {:>6}  {:>8}  {at}{source}\n", share(line.instructions, all), count(line.instructions))
}

fn accesses(list: &[AccessProfile], cost: &dyn Fn(&AccessProfile, bool) -> String, colour: bool) -> String {
    let mut text = String::new();
    for access in list.iter().take(SHOWN) {
        let at = match &access.place {
            Some(at) => place(at),
            None => format!("instruction {}", access.instruction),
        };
        let what = access.matrix.as_ref().map_or(String::new(), |matrix| format!(" of a {matrix}"));
        let _ = writeln!(
            text,
            "      {at}: {}{what}, {}, {} a time: {}",
            paint(&format!("{} {}", access.operation, access.memory), "1", colour),
            plural(access.times, "time"),
            requests(access),
            cost(access, colour)
        );
        if let (Some(place), Some(source)) = (&access.place, &access.text) {
            let _ = writeln!(text, "        {} | {source}", place.line);
        }
        if let Some(other) = &access.strides {
            let _ = writeln!(text, "        {}", strides(other));
        }
    }
    text + &more(list.len())
}

/// The requests of one execution, where all are alike.
fn requests(access: &AccessProfile) -> String {
    let each = access.requests.iter().map(|(width, count)| {
        let a_time = *count as f64 / access.times.max(1) as f64;
        let noun = if a_time == 1.0 { "request" } else { "requests" };
        format!("{} {noun} of {width} B a lane", decimal(a_time))
    });
    each.collect::<Vec<_>>().join(" and ")
}

fn shared(access: &AccessProfile, colour: bool) -> String {
    let (Some(passes), Some(least)) = (access.passes, access.least_passes) else {
        return "passes not known".to_owned();
    };
    if passes == least {
        return format!("{}, no conflicts", plural(passes, "pass"));
    }
    let ways = access.ways.unwrap_or(1);
    let conflict = paint(&format!("{ways}-way conflicts"), "1;31", colour);
    format!("{} instead of {}, up to {conflict}", plural(passes, "pass"), count(least))
}

/// Strides that are named of an access.
const STRIDES: usize = 3;

/// What other strides would do.
fn strides(strides: &Strides) -> String {
    if let Some(reason) = &strides.not_predicted {
        return format!("other strides: not predicted, as {reason}");
    }
    let unit = match strides.component {
        1 => "elements of 1 byte".to_owned(),
        bytes => format!("elements of {bytes} bytes"),
    };
    let named = |stride: u64| match stride.is_multiple_of(strides.component) {
        true => (stride / strides.component).to_string(),
        false => format!("{stride} bytes"),
    };
    let of_rows = format!("rows are {} {unit} apart", named(strides.now));
    match (strides.free.as_slice(), &strides.fewest) {
        ([], None) => format!("{of_rows}; no other stride makes a difference"),
        ([], Some(fewest)) => format!(
            "{of_rows}; no stride is free of conflicts: {} has {}{}",
            named(fewest.bytes),
            plural(fewest.passes, "pass"),
            cost(fewest)
        ),
        (free, _) => {
            let each =
                free.iter().take(STRIDES).map(|stride| format!("{}{}", named(stride.bytes), cost(stride)));
            let each: Vec<String> = each.collect();
            let left = match free.len().saturating_sub(STRIDES) {
                0 => String::new(),
                left => format!(", and {left} more"),
            };
            format!("{of_rows}; without conflicts: {}{left}", each.join(", "))
        }
    }
}

/// What a stride costs, in brackets.
fn cost(stride: &Stride) -> String {
    let sign = if stride.more < 0 { '-' } else { '+' };
    let mut text = format!(" ({sign}{} B, {} B in all", stride.more.unsigned_abs(), stride.shared_memory);
    match stride.fits {
        Some(true) => {}
        Some(false) => text += ", more than the device has",
        None => text += ", the device's limit is not known",
    }
    if stride.array_passes > stride.array_least {
        let left = stride.array_passes - stride.array_least;
        let _ = write!(text, "; {} too many in the array's other accesses", plural(left, "pass"));
    }
    text + ")"
}

fn global(access: &AccessProfile, colour: bool) -> String {
    let (touched, needed) = (access.sectors.unwrap_or(0), access.needed_sectors.unwrap_or(0));
    let used = format!("{} used", share(needed, touched));
    let used = if needed * 2 <= touched { paint(&used, "1;31", colour) } else { used };
    let mut text = format!("{}, {} needed ({used})", plural(touched, "sector"), count(needed));
    if let (Some(rows), Some(unaligned)) = (access.rows, access.unaligned_rows)
        && unaligned > 0
    {
        let _ = write!(text, "; {} of {} do not begin at a sector", count(unaligned), plural(rows, "row"));
    }
    text
}

/// What is left out after the first ones.
fn more(length: usize) -> String {
    match length.saturating_sub(SHOWN) {
        0 => String::new(),
        left => format!("      and {left} more (--json lists all)\n"),
    }
}

/// With two digits behind the point, as far as they say something.
fn decimal(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn share(part: u64, whole: u64) -> String {
    if whole == 0 { "0 %".to_owned() } else { format!("{:.1} %", part as f64 * 100.0 / whole as f64) }
}

fn times(all: u64, distinct: u64) -> String {
    if distinct == 0 || all <= distinct {
        return String::new();
    }
    format!(" (each {} times)", decimal(all as f64 / distinct as f64))
}

fn plural(amount: u64, noun: &str) -> String {
    let ending = match (amount, noun.ends_with('s')) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{} {noun}{ending}", count(amount))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_schema_of_profiles_is_up_to_date() {
        expect_test::expect_file!["../../profile-report.schema.json"].assert_eq(&super::schema());
    }
}
