//! A choice of `[tune]`: whether it is possible on the device, what its first workgroup does, whether its results are right.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use coopmat_analysis::devices::DeviceProfile;
use coopmat_ide::portability::portability;
use coopmat_recipe::model::Number;
use coopmat_recipe::tune::Choice;
use coopmat_recipe::{Host, Plan, PlannedExpectation, Recipe, modes};

use super::model::{Counts, costs};
use crate::run::{
    Bar, Failed, Prepared, Repeated, Threads, Wanted, analysis_of, first_workgroups, on_device, prepare,
    profiled_ownership,
};

/// A choice that the device takes.
pub struct Candidate {
    pub choice: Choice,
    /// Values of specialization constants by name (by id if there is none), of the first dispatch.
    pub specialization: Vec<(String, String)>,
    pub workgroups: [u32; 3],
    pub workgroup_size: [u32; 3],
    pub counts: Counts,
    /// What a user may want to know of it, as of a run.
    pub notes: Vec<String>,
    /// What the device is given: choices that are equal in it are one.
    given: Given,
    /// Cycles by the model, if the device has one.
    pub predicted: Option<f64>,
    /// By the simulator.
    pub verified: Option<bool>,
    pub measured: Option<Measured>,
}

/// All that a choice can make different, but for what is expected.
#[derive(PartialEq)]
struct Given {
    dispatches: Vec<GivenDispatch>,
    /// Their sizes, and hashes of what they hold: choices are many, and buffers large.
    buffers: Vec<(usize, u64)>,
    subgroup_size: u32,
}

#[derive(PartialEq)]
struct GivenDispatch {
    workgroups: [u32; 3],
    /// Of constants that the module has.
    specialization: Vec<(u32, u64)>,
    push_constants: Vec<u8>,
}

impl Given {
    fn of(plan: &Plan) -> Given {
        let dispatches = plan.dispatches.iter().map(|it| GivenDispatch {
            workgroups: it.workgroups,
            specialization: it.specialization.clone(),
            push_constants: it.push_constants.clone(),
        });
        Given {
            dispatches: dispatches.collect(),
            buffers: plan.buffers.iter().map(|buffer| (buffer.bytes.len(), hashed(&buffer.bytes))).collect(),
            subgroup_size: plan.subgroup_size,
        }
    }
}

fn hashed(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

impl Candidate {
    /// Whether a device would be given the same.
    pub fn is_as(&self, other: &Candidate) -> bool {
        self.given == other.given
    }
}

/// What a device made of it.
pub enum Measured {
    Times {
        times: Repeated,
        /// Whether the device's results are what the recipe expects.
        met: bool,
    },
    /// Why there are no times.
    Refused(String),
}

/// The kind of a reason that is not a device's.
pub const NOT_RUN: &str = "not-run";

/// Why a choice is not possible.
pub struct Impossible {
    /// The id of the diagnostic that a target device gets, or [`NOT_RUN`].
    pub kind: &'static str,
    /// In words.
    pub reason: String,
}

impl From<String> for Impossible {
    fn from(reason: String) -> Impossible {
        Impossible { kind: NOT_RUN, reason }
    }
}

impl From<&str> for Impossible {
    fn from(reason: &str) -> Impossible {
        reason.to_owned().into()
    }
}

/// What is expected of the results: computing it takes longer than a GPU takes for the shader.
pub enum Expected {
    /// Something else under each choice.
    OfEach,
    /// The same under all of them, once it was computed.
    Same(Option<Vec<PlannedExpectation>>),
}

impl Expected {
    /// Whether buffers and expectations of a recipe depend on what is chosen.
    pub fn of(recipe: &Recipe, chosen: &Choice) -> Expected {
        let mut names: BTreeSet<&str> = chosen.0.iter().map(|(name, _)| name.as_str()).collect();
        let mentions = |text: &str, names: &BTreeSet<&str>| {
            let word = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
            text.split(word).any(|one| names.contains(one))
        };
        // Sizes that follow from the choice, and those that follow from them.
        for _ in 0..recipe.sizes.len() {
            for (name, number) in &recipe.sizes {
                if matches!(number, Number::Formula(text) if mentions(text, &names)) {
                    names.insert(name);
                }
            }
        }
        let parts = (&recipe.buffers, &recipe.references, &recipe.expect);
        match serde_json::to_string(&parts) {
            Ok(text) if !mentions(&text, &names) => Expected::Same(None),
            _ => Expected::OfEach,
        }
    }
}

/// Whether the device takes a choice, and what it does there.
///
/// # Errors
/// Why it is not possible.
pub fn candidate(wanted: &Wanted, choice: Choice) -> Result<Candidate, Impossible> {
    let wanted = Wanted { set: with(wanted, &choice), most_judged: Some(0), ..wanted.clone() };
    let prepared = prepare(&wanted).map_err(Failed::words)?;
    let shader = prepared.shaders.first().ok_or("the recipe has no dispatch")?;
    let device = shader.device.clone();
    if let Some(device) = &device {
        for dispatch in 0..prepared.plan.dispatches.len() {
            device_takes(&wanted, &prepared, dispatch, device)?;
        }
    }
    let mut subgroups = 0.0f64;
    let mut shared_bytes = 0.0f64;
    let mut workgroups = 0.0f64;
    for dispatch in &prepared.plan.dispatches {
        let [x, y, z] = dispatch.program.interface().workgroup_size.map(f64::from);
        subgroups = subgroups.max((x * y * z / f64::from(prepared.plan.subgroup_size)).ceil());
        let arrays = dispatch.program.shared_arrays();
        let end = arrays.iter().map(|array| array.offset + array.size).max();
        shared_bytes = shared_bytes.max(end.unwrap_or(0) as f64);
        workgroups = workgroups.max(dispatch.count() as f64);
    }
    let first = prepared.plan.dispatches.first().ok_or("the recipe has no dispatch")?;
    let (grid, size) = (first.workgroups, first.program.interface().workgroup_size);
    let texts = first.specialization_texts();
    let specialization =
        texts.map(|(id, name, value)| (name.map_or_else(|| id.to_string(), str::to_owned), value)).collect();
    let (given, notes) = (Given::of(&prepared.plan), prepared.plan.notes.clone());
    let profile = first_workgroups(prepared)?;
    let counts = Counts::new(&profile, workgroups, subgroups, shared_bytes);
    Ok(Candidate {
        choice,
        specialization,
        workgroups: grid,
        workgroup_size: size,
        counts,
        notes,
        given,
        predicted: device.as_deref().and_then(costs).map(|costs| costs.of(&counts)),
        verified: None,
        measured: None,
    })
}

/// The values of the command line, then those of the choice.
fn with(wanted: &Wanted, choice: &Choice) -> Vec<(String, String)> {
    let chosen = choice.0.iter().map(|(name, value)| (name.clone(), value.to_string()));
    wanted.set.iter().cloned().chain(chosen).collect()
}

/// # Errors
/// The first thing that stops the device.
fn device_takes(
    wanted: &Wanted,
    prepared: &Prepared,
    dispatch: usize,
    device: &DeviceProfile,
) -> Result<(), Impossible> {
    let Some(analysis) = analysis_of(wanted, prepared, dispatch)? else { return Ok(()) };
    let table = portability(&analysis, [device]);
    match table.rows.first().and_then(|row| row.stops.first()) {
        Some(stop) => Err(Impossible { kind: stop.code, reason: stop.message.clone() }),
        None => Ok(()),
    }
}

impl Candidate {
    /// The whole dispatch on the simulator, against what the recipe expects.
    ///
    /// # Errors
    /// Why it could not be run.
    pub fn verify(&mut self, wanted: &Wanted, pool: &Threads) -> Result<(), String> {
        let wanted = Wanted { set: with(wanted, &self.choice), ..wanted.clone() };
        let prepared = prepare(&wanted).map_err(Failed::words)?;
        let mut modes = modes::first(&prepared.recipe, prepared.plan.subgroup_size);
        modes.ownership = profiled_ownership(&prepared).unwrap_or(modes.ownership);
        let bar = Bar::new(&prepared.plan, true);
        let pool = pool.with(&bar);
        let host = Host {
            pool: Some(&pool),
            tier: None,
            observers: Vec::new(),
            place: &|dispatch, instruction| prepared.place(dispatch, instruction),
            go_on: &mut |_, _| true,
        };
        let report = coopmat_recipe::run(&prepared.plan, &prepared.recipe, &modes, host).report;
        self.verified = Some(report.met);
        Ok(())
    }

    /// Runs it on a device of this machine, and again.
    pub fn measure(
        &mut self,
        wanted: &Wanted,
        device: &Option<String>,
        repetitions: u32,
        expected: &mut Expected,
    ) {
        let measured = (|| {
            let known = match expected {
                Expected::Same(Some(known)) => Some(known.clone()),
                Expected::Same(None) | Expected::OfEach => None,
            };
            let most_judged = if known.is_some() { Some(0) } else { wanted.most_judged };
            let wanted = Wanted { set: with(wanted, &self.choice), most_judged, ..wanted.clone() };
            let mut prepared = prepare(&wanted).map_err(Failed::words)?;
            match (known, expected) {
                (Some(known), _) => prepared.plan.expectations = known,
                (None, Expected::Same(nothing)) => *nothing = Some(prepared.plan.expectations.clone()),
                (None, Expected::OfEach) => {}
            }
            let (times, met) = on_device(device, repetitions, &prepared)?;
            let times = times.ok_or("the device has no clock for its queue")?;
            Ok(Measured::Times { times, met })
        })();
        self.measured = Some(measured.unwrap_or_else(Measured::Refused));
    }

    /// Whether results were looked at and are not what the recipe expects.
    pub fn is_wrong(&self) -> bool {
        self.verified == Some(false) || matches!(self.measured, Some(Measured::Times { met: false, .. }))
    }

    /// The median of the times, in seconds.
    pub fn median(&self) -> Option<f64> {
        match &self.measured {
            Some(Measured::Times { times, .. }) => Some(times.median),
            Some(Measured::Refused(_)) | None => None,
        }
    }
}

#[cfg(test)]
impl Candidate {
    /// With a median in seconds, and whether its results are right.
    pub fn of_test(number: i64, predicted: Option<f64>, measured: Option<(f64, bool)>) -> Candidate {
        let times = |median| Repeated { median, shortest: median, longest: median, all: vec![median] };
        Candidate {
            choice: Choice(vec![("T".to_owned(), number)]),
            specialization: Vec::new(),
            workgroups: [1; 3],
            workgroup_size: [1; 3],
            counts: Counts::default(),
            notes: Vec::new(),
            given: Given { dispatches: Vec::new(), buffers: Vec::new(), subgroup_size: 32 },
            predicted,
            verified: None,
            measured: measured.map(|(median, met)| Measured::Times { times: times(median), met }),
        }
    }
}
