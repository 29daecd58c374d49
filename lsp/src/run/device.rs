//! `--device vulkan`: the same run on a Vulkan device of this machine, and how its results differ from the simulator's.

use std::fmt::Write as _;
use std::time::Duration;

use coopmat_recipe::Finished;
use coopmat_recipe::component::Component;
use coopmat_recipe::model::Tolerance;
use coopmat_recipe::report::{Modes, Outcome};
use coopmat_vulkan::{Address, Binding, Buffer, BufferKind, Job, Place};
use serde::Serialize;

use super::prepare::Prepared;
use super::text;

/// Elements that are listed one by one, for each buffer.
const LISTED: usize = 16;
const TIME_LIMIT: Duration = Duration::from_secs(120);

/// `vulkan`, or `vulkan:NAME` for one of several devices, is where to run; anything else is a device profile.
pub fn split(device: Option<&str>) -> (Option<Option<String>>, Option<String>) {
    match device {
        Some("vulkan") => (Some(None), None),
        Some(other) => match other.strip_prefix("vulkan:") {
            Some(name) => (Some(Some(name.to_owned())), None),
            None => (None, Some(other.to_owned())),
        },
        None => (None, None),
    }
}

/// What a device made of a run.
#[derive(Debug, Serialize)]
pub struct Compared {
    pub device: String,
    pub driver: String,
    pub seconds: f64,
    /// Whether the device meets the expectations.
    pub met: bool,
    pub expectations: Vec<Outcome>,
    /// Against the simulator.
    pub differences: Vec<Difference>,
}

/// How one buffer differs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Difference {
    pub buffer: String,
    pub elements: usize,
    pub different: usize,
    pub max_absolute: f64,
    pub max_ulp: f64,
    /// The first ones: place, the simulator's, the device's.
    pub listed: Vec<(Vec<usize>, f64, f64)>,
}

pub fn run(
    device: &Option<String>,
    prepared: &Prepared,
    modes: &Modes,
    finished: &Finished,
) -> Result<Compared, String> {
    let plan = &prepared.plan;
    let mut job = Job::new(coopmat_spirv::assemble(&prepared.module).map_err(|error| error.to_string())?);
    job.device.clone_from(device);
    if let Some(entry) = &plan.entry {
        job.entry_point.clone_from(entry);
    }
    job.specialization.clone_from(&plan.specialization);
    job.dispatch = plan.dispatch;
    job.subgroup_size = Some(modes.subgroup_size);
    job.push_constants.clone_from(&plan.push_constants);
    job.time_limit = TIME_LIMIT;
    for buffer in &plan.buffers {
        let binding = buffer.descriptor.map(|(set, binding, element)| Binding { set, binding, element });
        let kind = if buffer.uniform { BufferKind::Uniform } else { BufferKind::Storage };
        job.buffers.push(Buffer { name: buffer.name.clone(), binding, kind, bytes: buffer.bytes.clone() });
    }
    for address in &plan.addresses {
        let into = address.into.map_or(Place::PushConstants, Place::Buffer);
        job.addresses.push(Address { into, offset: address.offset, of: address.of, plus: address.plus });
    }
    let outcome = coopmat_vulkan::execute(&job).map_err(|error| format!("--device vulkan: {error}"))?;
    let bytes = |index: usize| outcome.buffers.get(index).cloned().unwrap_or_default();
    let expectations = plan.judge(&bytes);
    let mut differences = Vec::new();
    for (index, buffer) in plan.buffers.iter().enumerate() {
        let simulated = finished.buffers.get(index).and_then(|bytes| buffer.elements(bytes));
        if let (Some(simulated), Some(found)) = (simulated, buffer.elements(&bytes(index))) {
            let component = buffer.component().unwrap_or(Component::F32);
            let compared = coopmat_recipe::compare::compare(
                &simulated,
                &found,
                Some(component),
                &Tolerance::default(),
                None,
            );
            let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
            let pairs = simulated.data.iter().zip(&found.data).enumerate();
            let listed = pairs
                .filter(|(_, (a, b))| !same(**a, **b))
                .take(LISTED)
                .map(|(at, (a, b))| (coopmat_recipe::compare::place(&found.shape, at), *a, *b))
                .collect();
            differences.push(Difference {
                buffer: buffer.name.clone(),
                elements: compared.elements,
                different: compared.wrong,
                max_absolute: compared.max_absolute,
                max_ulp: compared.max_ulp,
                listed,
            });
        }
    }
    Ok(Compared {
        device: outcome.device,
        driver: outcome.driver,
        seconds: outcome.time.as_secs_f64(),
        met: expectations.iter().all(|outcome| outcome.met),
        expectations,
        differences,
    })
}

pub fn text(compared: &Compared) -> String {
    let mut text = format!("\non {} ({}): {:.6} s\n", compared.device, compared.driver, compared.seconds);
    for outcome in &compared.expectations {
        text += &text::outcome(outcome, false);
    }
    for difference in &compared.differences {
        if difference.different == 0 {
            let _ = writeln!(text, "  {}: as the simulator has it, bit for bit", difference.buffer);
            continue;
        }
        let _ = writeln!(
            text,
            "  {}: {} of {} elements differ from the simulator, by up to {:e} ({} ulp)",
            difference.buffer,
            difference.different,
            difference.elements,
            difference.max_absolute,
            difference.max_ulp
        );
        for (place, simulated, found) in &difference.listed {
            let index: Vec<String> = place.iter().map(usize::to_string).collect();
            let _ = writeln!(text, "    [{}]: simulator {simulated}, device {found}", index.join(", "));
        }
        if difference.different > difference.listed.len() {
            let _ = writeln!(text, "    and {} more", difference.different - difference.listed.len());
        }
    }
    text
}
