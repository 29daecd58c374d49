//! `--device vulkan`: the same run on a Vulkan device of this machine, and how its results differ from the simulator's.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;

use coopmat_recipe::compare;
use coopmat_recipe::component::Component;
use coopmat_recipe::model::Tolerance;
use coopmat_recipe::report::{Modes, Outcome, Worst};
use coopmat_recipe::statistics::median;
use coopmat_recipe::{Conversion, Plan, PlannedBuffer, Tensor};
use coopmat_simulator::Heap;
use coopmat_spirv::dr::Operand;
use coopmat_spirv::spirv::Capability;
use coopmat_vulkan::{
    Address, Binding, Bound, Buffer, BufferKind, Executable, Job, Matrix, MatrixForm, MatrixLayout,
    Outcome as JobOutcome, Place,
};
use serde::Serialize;

use super::prepare::Prepared;
use super::{child, device_images, headroom, text};

/// Elements that are shown one by one, for each buffer.
const SHOWN: usize = 8;
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
    /// With `--repeat`: what all dispatches took, each time again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeated: Option<Repeated>,
    /// Whether the device meets the expectations.
    pub met: bool,
    /// Whether the device's results are within the expectations' tolerances of the simulator's, too.
    pub agrees: bool,
    pub expectations: Vec<Outcome>,
    /// Against the simulator, of the buffers that were written.
    pub differences: Vec<Difference>,
    /// With `--headroom`: the elements that are infinite or NaN on one of them alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub infinite: Option<Vec<Infinite>>,
    /// What the driver says about each pipeline that it compiled, in its own words.
    pub executables: Vec<Compiled>,
    /// What could bring both closer, in sentences.
    pub advice: Vec<String>,
}

/// Times of a run that was repeated, in seconds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Repeated {
    pub median: f64,
    pub shortest: f64,
    pub longest: f64,
    /// In the order of the runs: the first ones are those of a device whose clocks are still low.
    pub all: Vec<f64>,
}

impl Repeated {
    /// Nothing of a device without a clock.
    fn new(times: &[Duration]) -> Option<Repeated> {
        let all: Vec<f64> = times.iter().map(Duration::as_secs_f64).collect();
        let mut sorted = all.clone();
        sorted.sort_by(f64::total_cmp);
        let (shortest, longest) = (*sorted.first()?, *sorted.last()?);
        Some(Repeated { median: median(sorted), shortest, longest, all })
    }
}

/// A program that the driver made of a dispatch's shader.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Compiled {
    /// The dispatch's name, of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dispatch: Option<String>,
    #[serde(flatten)]
    pub executable: Executable,
}

/// The elements of a buffer that are infinite or NaN.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Infinite {
    pub buffer: String,
    /// How many are on both.
    pub both: usize,
    pub simulator_only: Vec<Vec<usize>>,
    pub device_only: Vec<Vec<usize>>,
}

/// How one buffer differs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Difference {
    pub buffer: String,
    pub elements: usize,
    pub different: usize,
    pub max_absolute: Real,
    pub max_ulp: Real,
    /// Whether all bytes are the same.
    pub identical: bool,
    /// The element that is farthest off.
    pub worst: Option<Element>,
    /// All elements that differ.
    pub listed: Vec<Element>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Element {
    pub index: Vec<usize>,
    pub simulator: Real,
    pub device: Real,
    pub ulp: Real,
}

/// JSON has no infinity and no NaN: these are text.
#[derive(Clone, Copy, Debug)]
pub struct Real(f64);

impl Serialize for Real {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() {
            serializer.serialize_f64(self.0)
        } else {
            serializer.serialize_str(&self.0.to_string())
        }
    }
}

/// A buffer's numbers; its bytes, where it has members of several types.
fn numbers(buffer: &PlannedBuffer, bytes: &[u8]) -> (Option<Tensor>, Component) {
    match buffer.elements(bytes) {
        Some(tensor) => (Some(tensor), buffer.component().unwrap_or(Component::F32)),
        None => {
            let data = bytes.iter().map(|byte| f64::from(*byte)).collect();
            (Tensor::new(vec![bytes.len()], data).ok(), Component::U8)
        }
    }
}

/// What came of it, and what the device's buffers hold. `simulated` is what the simulator's hold.
pub fn run(
    device: &Option<String>,
    repetitions: u32,
    prepared: &Prepared,
    modes: &Modes,
    simulated: &[Vec<u8>],
) -> Result<(Compared, Vec<Vec<u8>>), String> {
    let plan = &prepared.plan;
    runnable(plan)?;
    let left = ran(device, repetitions, prepared, modes)?;
    let expectations = left.judge(plan);
    let outcome = left.outcome;
    let mut agrees = true;
    let mut differences = Vec::new();
    let mut infinite = Vec::new();
    for (index, buffer) in plan.buffers.iter().enumerate() {
        let (Some(simulated), Some(found)) = (simulated.get(index), outcome.buffers.get(index)) else {
            agrees = false;
            continue;
        };
        // Addresses in a buffer are each machine's own.
        let holds_addresses = plan.addresses.iter().any(|address| address.into == Some(index));
        if holds_addresses || (*simulated == buffer.bytes && *found == buffer.bytes) {
            continue;
        }
        let (expected, component) = numbers(buffer, simulated);
        let (Some(expected), (Some(given), _)) = (expected, numbers(buffer, found)) else { continue };
        let last = plan.dispatches.len().saturating_sub(1);
        for one in plan.expectations.iter().filter(|one| (one.buffer, one.after) == (index, last)) {
            agrees &= compare::compare(&expected, &given, Some(component), &one.tolerance, None).met;
        }
        infinite.extend(infinite_elements(plan, index, [simulated, found], &expected.shape));
        differences.push(difference(&buffer.name, &expected, &given, component, simulated == found));
    }
    let differs = differences.iter().any(|difference| difference.different > 0);
    let compared = Compared {
        met: expectations.iter().all(|outcome| outcome.met),
        agrees,
        infinite: modes.headroom.then_some(infinite),
        advice: if differs { advice(&outcome.device, &outcome.driver, modes) } else { Vec::new() },
        executables: left.executables,
        device: outcome.device,
        driver: outcome.driver,
        seconds: outcome.time.as_secs_f64(),
        repeated: Repeated::new(&outcome.times),
        expectations,
        differences,
    };
    Ok((compared, outcome.buffers))
}

/// What a device's buffers hold after a run.
///
/// # Errors
/// Why the device does not run it.
pub fn buffers(device: &Option<String>, prepared: &Prepared, modes: &Modes) -> Result<Vec<Vec<u8>>, String> {
    runnable(&prepared.plan)?;
    Ok(ran(device, 0, prepared, modes)?.outcome.buffers)
}

/// The times of a run on a device, and whether its results are what the recipe expects. Nothing is compared with the simulator.
///
/// # Errors
/// Why the device does not run it.
pub fn times(
    device: &Option<String>,
    repetitions: u32,
    prepared: &Prepared,
) -> Result<(Option<Repeated>, bool), String> {
    let plan = &prepared.plan;
    runnable(plan)?;
    let modes = coopmat_recipe::modes::first(&prepared.recipe, plan.subgroup_size);
    let left = ran(device, repetitions, prepared, &modes)?;
    let met = left.judge(plan).iter().all(|outcome| outcome.met);
    Ok((Repeated::new(&left.outcome.times), met))
}

/// # Errors
/// What the plan has that runs on devices do not.
fn runnable(plan: &Plan) -> Result<(), String> {
    if [Heap::Resource, Heap::Sampler].into_iter().any(|heap| plan.uses_heap(heap)) {
        return Err(
            "--device vulkan: the shader takes descriptors from heaps, and runs on a device bind them in sets: run this shader on the simulator"
                .to_owned(),
        );
    }
    Ok(())
}

impl Left {
    fn judge(&self, plan: &Plan) -> Vec<Outcome> {
        plan.judge(&|after, index| {
            let seen = self.seen.get(&(after, index)).or_else(|| self.outcome.buffers.get(index));
            seen.cloned().unwrap_or_default()
        })
    }
}

/// What a device's run leaves.
struct Left {
    /// Of the last dispatch, with the time of all.
    outcome: JobOutcome,
    executables: Vec<Compiled>,
    /// What buffers held after a dispatch, where an expectation wants to see it: dispatch, buffer.
    seen: BTreeMap<(usize, usize), Vec<u8>>,
}

/// Runs one dispatch after the other. Each is a job of its own that begins with what the one before left, so that everything that the device
/// wrote is there.
fn ran(
    device: &Option<String>,
    repetitions: u32,
    prepared: &Prepared,
    modes: &Modes,
) -> Result<Left, String> {
    let plan = &prepared.plan;
    let conversions = plan.conversions();
    if let (Some(conversion), 2..) = (conversions.first(), plan.dispatches.len()) {
        let name = plan.buffers.get(conversion.buffer).map_or("", |buffer| buffer.name.as_str());
        return Err(format!(
            "--device vulkan: `{name}` holds a matrix in an optimal layout, which is converted for a single dispatch: run this recipe on the simulator"
        ));
    }
    let mut buffers: Vec<Vec<u8>> = plan.buffers.iter().map(|buffer| buffer.bytes.clone()).collect();
    let mut seen = BTreeMap::new();
    let mut last = None;
    let mut executables = Vec::new();
    let mut time = Duration::ZERO;
    let mut times = vec![Duration::ZERO; repetitions as usize];
    for number in 0..plan.dispatches.len() {
        let (mut job, images) = job(prepared, number, &buffers)?;
        job.device.clone_from(device);
        job.subgroup_size = Some(modes.subgroup_size);
        job.repetitions = repetitions;
        for conversion in &conversions {
            job.matrices.push(matrix(plan, conversion)?);
        }
        let of = plan.dispatches.get(number).and_then(|dispatch| dispatch.name.as_ref());
        let of = of.map(|name| format!("dispatch {name}: ")).unwrap_or_default();
        let mut outcome = child::execute(&job).map_err(|error| format!("--device vulkan: {of}{error}"))?;
        for (index, buffer) in plan.buffers.iter().enumerate().filter(|(_, buffer)| buffer.image.is_some()) {
            let before = buffers.get(index).unwrap_or(&buffer.bytes);
            if let Some(slot) = outcome.buffers.get_mut(index) {
                slot.clone_from(before);
            }
        }
        for (image, levels) in images.iter().zip(&outcome.images) {
            image.read(plan, levels, &mut outcome.buffers);
        }
        buffers.clone_from(&outcome.buffers);
        for index in plan.seen_after(number) {
            seen.insert((number, index), buffers.get(index).cloned().unwrap_or_default());
        }
        time += outcome.time;
        // A device without a clock tells none.
        times.truncate(outcome.times.len());
        times.iter_mut().zip(&outcome.times).for_each(|(all, one)| *all += *one);
        let name = plan.dispatches.get(number).and_then(|dispatch| dispatch.name.clone());
        let told = outcome.executables.iter().cloned();
        executables.extend(told.map(|executable| Compiled { dispatch: name.clone(), executable }));
        last = Some(outcome);
    }
    let mut outcome = last.ok_or("--device vulkan: the recipe has no dispatch")?;
    outcome.time = time;
    outcome.times = times;
    for (conversion, rows) in conversions.iter().zip(&outcome.matrices) {
        if let Some(bytes) = outcome.buffers.get_mut(conversion.buffer) {
            plan.set_rows(conversion, rows, bytes);
        }
    }
    Ok(Left { outcome, executables, seen })
}

/// The job of a dispatch that begins with these bytes, and what its images are in the recipe.
fn job(
    prepared: &Prepared,
    number: usize,
    buffers: &[Vec<u8>],
) -> Result<(Job, Vec<device_images::Placed>), String> {
    let plan = &prepared.plan;
    let (Some(dispatch), Some(shader)) = (plan.dispatches.get(number), prepared.shaders.get(number)) else {
        return Err("--device vulkan: there is no such dispatch".to_owned());
    };
    let mut job = Job::new(coopmat_spirv::assemble(&shader.module).map_err(|error| error.to_string())?);
    if let Some(entry) = &dispatch.entry {
        job.entry_point.clone_from(entry);
    }
    job.specialization.clone_from(&dispatch.specialization);
    job.dispatch = dispatch.workgroups;
    job.push_constants.clone_from(&dispatch.push_constants);
    job.time_limit = TIME_LIMIT;
    for (index, (buffer, bytes)) in plan.buffers.iter().zip(buffers).enumerate() {
        // Buffers have the numbers that the recipe's have, so something stands for images.
        if buffer.image.is_some() {
            job.buffers.push(Buffer { name: buffer.name.clone(), bindings: Vec::new(), bytes: vec![0; 4] });
            continue;
        }
        let bound = dispatch.bindings.iter().filter(|binding| binding.buffer == index);
        let bindings = bound.map(|binding| {
            let (set, number, element) = binding.descriptor;
            Bound {
                at: Binding { set, binding: number, element },
                kind: if binding.uniform { BufferKind::Uniform } else { BufferKind::Storage },
                offset: binding.part.offset,
                range: binding.part.range,
            }
        });
        let bindings = bindings.collect();
        job.buffers.push(Buffer { name: buffer.name.clone(), bindings, bytes: bytes.clone() });
    }
    job.samplers = device_images::samplers(dispatch);
    let (images, placed) = device_images::images(plan, dispatch, buffers)?.into_iter().unzip();
    job.images = images;
    // A shader that knows no addresses cannot look behind those that another one finds in its buffers.
    let knows_addresses = plan.dispatches.len() == 1
        || shader.module.capabilities.iter().any(|capability| {
            capability.operands.first()
                == Some(&Operand::Capability(Capability::PhysicalStorageBufferAddresses))
        });
    let in_buffers = plan.addresses.iter().filter(|_| knows_addresses);
    for address in in_buffers.chain(&dispatch.addresses) {
        let into = address.into.map_or(Place::PushConstants, Place::Buffer);
        job.addresses.push(Address { into, offset: address.offset, of: address.of, plus: address.plus });
    }
    Ok((job, placed))
}

/// A matrix that the driver puts into its own layout.
fn matrix(plan: &Plan, conversion: &Conversion) -> Result<Matrix, String> {
    let buffer = plan.buffers.get(conversion.buffer);
    let kind = |component: Component| {
        component.interpretation().ok_or_else(|| {
            let name = buffer.map_or("", |buffer| buffer.name.as_str());
            format!("--device vulkan: drivers know no matrices of {} as in `{name}`", component.name())
        })
    };
    let layout = MatrixLayout::of_vulkan(conversion.layout.number())
        .ok_or("--device vulkan: drivers do not know the layout of this matrix")?;
    let bytes = buffer.map_or(&[][..], |buffer| &buffer.bytes);
    Ok(Matrix {
        buffer: conversion.buffer,
        offset: conversion.offset,
        room: conversion.room,
        size: [conversion.rows, conversion.columns],
        host: MatrixForm {
            component: kind(conversion.host)?,
            layout: MatrixLayout::RowMajor,
            stride: conversion.host_stride,
        },
        bytes: conversion.filled.then(|| plan.rows(conversion, bytes)),
        device: MatrixForm { component: kind(conversion.component)?, layout, stride: 0 },
    })
}

/// None where neither has any.
fn infinite_elements(plan: &Plan, index: usize, buffers: [&[u8]; 2], shape: &[usize]) -> Option<Infinite> {
    let [simulated, found] = buffers.map(|bytes| coopmat_recipe::infinite(plan, index, bytes));
    if simulated.is_empty() && found.is_empty() {
        return None;
    }
    let only = |one: &BTreeSet<usize>, other: &BTreeSet<usize>| {
        one.difference(other).map(|at| compare::place(shape, *at)).collect()
    };
    Some(Infinite {
        buffer: plan.buffers.get(index)?.name.clone(),
        both: simulated.intersection(&found).count(),
        simulator_only: only(&simulated, &found),
        device_only: only(&found, &simulated),
    })
}

fn difference(
    name: &str,
    simulated: &Tensor,
    found: &Tensor,
    component: Component,
    identical: bool,
) -> Difference {
    let outcome = compare::compare(simulated, found, Some(component), &Tolerance::default(), None);
    let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
    let element = |index: Vec<usize>, a: f64, b: f64| Element {
        index,
        simulator: Real(a),
        device: Real(b),
        ulp: Real(component.ulps(a, b)),
    };
    let pairs = simulated.data.iter().zip(&found.data).enumerate();
    let differing = pairs.filter(|(_, (a, b))| !same(**a, **b));
    let listed = differing.map(|(at, (a, b))| element(compare::place(&found.shape, at), *a, *b)).collect();
    Difference {
        buffer: name.to_owned(),
        elements: outcome.elements,
        different: outcome.wrong,
        max_absolute: Real(outcome.max_absolute),
        max_ulp: Real(outcome.max_ulp),
        identical,
        worst: outcome.worst.map(|Worst { index, expected, found, .. }| element(index, expected, found)),
        listed,
    }
}

/// The modes that follow a device, where it is known.
fn advice(device: &str, driver: &str, modes: &Modes) -> Vec<String> {
    let is = |parts: &[&str]| parts.iter().any(|part| device.contains(part) || driver.contains(part));
    let (numerics, ownership) = if is(&["H100", "H200", "H800", "GH200"]) {
        (Some("nvidia-hopper"), Some("nvidia-h200"))
    } else if is(&["llvmpipe"]) {
        (None, Some("lavapipe"))
    } else if is(&["NAVI3"]) {
        (None, Some("amd-rdna3"))
    } else if is(&["NAVI4", "GFX12"]) {
        (None, Some("amd-rdna4"))
    } else {
        (None, None)
    };
    let mut advice = Vec::new();
    if let Some(name) = numerics.filter(|name| *name != modes.numerics) {
        advice.push(format!("--numerics {name} rounds as this device does"));
    }
    if let Some(name) = ownership.filter(|name| *name != modes.ownership) {
        advice.push(format!("--ownership {name} distributes elements as this device does"));
    }
    advice
}

fn index(element: &Element) -> String {
    let index: Vec<String> = element.index.iter().map(usize::to_string).collect();
    index.join(", ")
}

/// Every element that differs, as a table for other programs.
pub fn csv(compared: &Compared) -> String {
    let mut text = "buffer,index,simulator,device,ulp\n".to_owned();
    for difference in &compared.differences {
        for element in &difference.listed {
            let (name, index) = (&difference.buffer, index(element).replace(", ", " "));
            let _ = writeln!(
                text,
                "{name},{index},{},{},{}",
                element.simulator.0, element.device.0, element.ulp.0
            );
        }
    }
    text
}

pub fn text(compared: &Compared) -> String {
    let mut text = format!("\non {} ({}): {:.6} s\n", compared.device, compared.driver, compared.seconds);
    if let Some(Repeated { median, shortest, longest, all }) = &compared.repeated {
        let _ = writeln!(
            text,
            "  {} more runs: median {:.1} us, {:.1} to {:.1} us",
            all.len(),
            median * 1e6,
            shortest * 1e6,
            longest * 1e6
        );
    }
    for outcome in &compared.expectations {
        text += &text::outcome(outcome, false);
    }
    if compared.differences.is_empty() {
        text += "  nothing to compare with the simulator\n";
    }
    for difference in &compared.differences {
        let name = &difference.buffer;
        if difference.different == 0 {
            let exactly = if difference.identical {
                "bit for bit"
            } else {
                "except for signs of zeros or bits of NaNs"
            };
            let _ = writeln!(text, "  {name}: the same as on the simulator, {exactly}");
            continue;
        }
        let _ = writeln!(
            text,
            "  {name}: {} of {} elements differ from the simulator, by up to {:e} ({} ulp)",
            difference.different, difference.elements, difference.max_absolute.0, difference.max_ulp.0
        );
        for element in difference.listed.iter().take(SHOWN) {
            let _ = writeln!(text, "    {}", line(element));
        }
        if difference.different > SHOWN {
            let _ = writeln!(
                text,
                "    and {} more; --json or --diff FILE.csv lists them all",
                difference.different - SHOWN
            );
            if let Some(worst) = &difference.worst {
                let _ = writeln!(text, "    worst: {}", line(worst));
            }
        }
    }
    for Infinite { buffer, both, simulator_only, device_only } in compared.infinite.iter().flatten() {
        if simulator_only.is_empty() && device_only.is_empty() {
            let _ = writeln!(
                text,
                "  {buffer}: the same {both} elements are infinite or NaN as on the simulator"
            );
            continue;
        }
        let _ = writeln!(text, "  {buffer}: {both} elements are infinite or NaN on both");
        for (name, only) in [("the simulator", simulator_only), ("the device", device_only)] {
            if !only.is_empty() {
                let told = headroom::infinite(only.len(), only.iter().map(Vec::as_slice));
                let _ = writeln!(text, "    on {name} alone {told}");
            }
        }
    }
    for Compiled { dispatch, executable } in &compared.executables {
        let of = dispatch.as_ref().map(|name| format!("dispatch {name}, ")).unwrap_or_default();
        let told: Vec<String> =
            executable.statistics.iter().map(|one| format!("{} {}", one.name, one.value)).collect();
        let _ = writeln!(
            text,
            "  the driver says of {of}`{}`: subgroups of {}, {}",
            executable.name,
            executable.subgroup_size,
            told.join(", ")
        );
    }
    for advice in &compared.advice {
        let _ = writeln!(text, "  {advice}");
    }
    text
}

fn line(element: &Element) -> String {
    format!(
        "[{}]: simulator {}, device {} ({} ulp)",
        index(element),
        element.simulator.0,
        element.device.0,
        element.ulp.0
    )
}

#[cfg(test)]
mod tests {
    use coopmat_vulkan::{Statistic, StatisticValue};
    use expect_test::expect;

    use super::*;

    #[test]
    fn differences_are_told_by_their_first_and_their_worst() {
        let tensor = |change: f64| {
            let data = (0..20).map(|index| f64::from(index) + if index > 5 { change } else { 0.0 });
            let mut data: Vec<f64> = data.collect();
            data[13] += 2.0 * change;
            Tensor::new(vec![2, 10], data).unwrap()
        };
        let modes = Modes {
            subgroup_size: 32,
            numerics: "sequential".to_owned(),
            ownership: "plain".to_owned(),
            decode: "vector".to_owned(),
            checked: false,
            strict: false,
            headroom: false,
        };
        let differences = vec![
            difference("sums", &tensor(0.0), &tensor(0.25), Component::F16, false),
            difference("same", &tensor(0.0), &tensor(0.0), Component::F16, true),
        ];
        let compared = Compared {
            advice: advice("NVIDIA H200", "NVIDIA 580", &modes),
            device: "NVIDIA H200".to_owned(),
            driver: "NVIDIA 580".to_owned(),
            seconds: 0.5,
            repeated: Repeated::new(&[3, 1, 2, 9].map(Duration::from_micros)),
            met: true,
            agrees: true,
            expectations: Vec::new(),
            executables: vec![Compiled {
                dispatch: None,
                executable: Executable {
                    name: "main".to_owned(),
                    subgroup_size: 32,
                    statistics: [("Register Count", 40), ("Stack Size", 0)]
                        .map(|(name, value)| Statistic {
                            name: name.to_owned(),
                            description: String::new(),
                            value: StatisticValue::Unsigned(value),
                        })
                        .to_vec(),
                },
            }],
            differences,
            infinite: Some(vec![
                Infinite {
                    buffer: "sums".to_owned(),
                    both: 3,
                    simulator_only: vec![vec![0, 1]],
                    device_only: vec![vec![1, 2], vec![1, 3]],
                },
                Infinite {
                    buffer: "same".to_owned(),
                    both: 2,
                    simulator_only: Vec::new(),
                    device_only: Vec::new(),
                },
            ]),
        };
        expect![[r#"

            on NVIDIA H200 (NVIDIA 580): 0.500000 s
              4 more runs: median 2.5 us, 1.0 to 9.0 us
              sums: 14 of 20 elements differ from the simulator, by up to 7.5e-1 (96 ulp)
                [0, 6]: simulator 6, device 6.25 (64 ulp)
                [0, 7]: simulator 7, device 7.25 (64 ulp)
                [0, 8]: simulator 8, device 8.25 (32 ulp)
                [0, 9]: simulator 9, device 9.25 (32 ulp)
                [1, 0]: simulator 10, device 10.25 (32 ulp)
                [1, 1]: simulator 11, device 11.25 (32 ulp)
                [1, 2]: simulator 12, device 12.25 (32 ulp)
                [1, 3]: simulator 13, device 13.75 (96 ulp)
                and 6 more; --json or --diff FILE.csv lists them all
                worst: [1, 3]: simulator 13, device 13.75 (96 ulp)
              same: the same as on the simulator, bit for bit
              sums: 3 elements are infinite or NaN on both
                on the simulator alone 1 element is infinite or NaN: [0, 1]
                on the device alone 2 elements are infinite or NaN: [1, 2], [1, 3]
              same: the same 2 elements are infinite or NaN as on the simulator
              the driver says of `main`: subgroups of 32, Register Count 40, Stack Size 0
              --numerics nvidia-hopper rounds as this device does
              --ownership nvidia-h200 distributes elements as this device does
        "#]]
        .assert_eq(&text(&compared));
        let table = csv(&compared);
        assert_eq!(table.lines().count(), 15);
        assert_eq!(table.lines().nth(1), Some("sums,0 6,6,6.25,64"));
    }
}
