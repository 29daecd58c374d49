//! Looks at a run, and makes its profile: for `run --profile`, and for runs in editors. What ran is given as [`Ran`], whoever prepared it.

use coopmat_analysis::devices::DeviceProfile;
use coopmat_codegen::statistics::{Assumptions, Point, live};
use coopmat_recipe::profile::{
    DispatchProfile, Facts, Gathered, HeldMatrices, HeldRegisters, Profile, Registers, Residency,
};
use coopmat_recipe::report::{Report, SourcePlace};
use coopmat_recipe::{PlaceOf, Plan, Recipe};
use coopmat_simulator::Observer;
use coopmat_simulator::ownership::Ownership;
use coopmat_simulator::profile::{Measured, Profiler, Recording, SharedArray};
use coopmat_spirv::dr::Module;
use coopmat_spirv::{Values, specialize};

use super::facts;

/// What is run.
pub struct Ran<'r> {
    /// The recipe, applied to the modules.
    pub plan: &'r Plan,
    /// Of each dispatch.
    pub modules: Vec<&'r Module>,
    /// The source of an instruction.
    pub place: PlaceOf<'r>,
    /// The text of a place's line, by the dispatch.
    pub text: &'r dyn Fn(usize, &SourcePlace) -> Option<String>,
}

/// What sees each dispatch.
pub type Observers = Vec<(usize, Box<dyn Observer>)>;

/// Looks at every dispatch of a run.
pub struct Profiling {
    facts: Facts,
    subgroup_size: u32,
    recordings: Vec<(Recording, Vec<SharedArray>)>,
}

/// The ownership that a profile assumes, if neither the user nor the recipe chooses one: the device's own.
pub fn ownership(device: Option<&DeviceProfile>, recipe: &Recipe) -> Option<String> {
    let device = device?;
    let is_free = recipe.ownership.is_empty() || recipe.ownership.contains(&device.name);
    Ownership::by_name(&device.name).filter(|_| is_free).map(|_| device.name.clone())
}

impl Profiling {
    /// With an observer for each dispatch of the plan. Without a device, passes are not known.
    pub fn new(plan: &Plan, device: Option<&DeviceProfile>, subgroup_size: u32) -> (Profiling, Observers) {
        let facts = device.map_or_else(Facts::default, facts);
        let mut recordings = Vec::new();
        let mut observers: Observers = Vec::new();
        for (index, dispatch) in plan.dispatches.iter().enumerate() {
            let arrays = dispatch.program.shared_arrays();
            let (profiler, recording) = Profiler::new(subgroup_size, facts.banks, arrays.clone());
            recordings.push((recording, arrays));
            observers.push((index, Box::new(profiler)));
        }
        (Profiling { facts, subgroup_size, recordings }, observers)
    }

    /// What was seen, as it is reported, and of each dispatch as it was measured.
    pub fn finish(self, ran: &Ran<'_>, report: &Report) -> (Profile, Vec<Measured>) {
        let mut profile = Profile::new(&self.facts, &report.modes.ownership);
        let measured: Vec<Measured> = self.recordings.iter().map(|(it, _)| it.measured()).collect();
        let buffer = |number: usize| {
            let buffer = ran.plan.buffers.get(number);
            buffer.map_or_else(|| format!("buffer {number}"), |buffer| buffer.name.clone())
        };
        for (index, ((_, arrays), measured)) in self.recordings.iter().zip(&measured).enumerate() {
            let of_several = report.dispatches.get(index).map(|dispatch| dispatch.work.as_ref());
            let Some(work) = of_several.unwrap_or(Some(&report.work)) else { continue };
            let (Some(module), Some(dispatch)) = (ran.modules.get(index), ran.plan.dispatches.get(index))
            else {
                continue;
            };
            let products = dispatch.program.products();
            let gathered = Gathered {
                measured,
                work,
                module,
                products: &products,
                registers: registers(ran, index, arrays, self.subgroup_size, &self.facts),
                arrays,
                subgroup_size: self.subgroup_size,
                facts: &self.facts,
                buffer: &buffer,
                place: &|instruction| (ran.place)(index, instruction),
                text: &|place| (ran.text)(index, place),
            };
            profile.dispatches.push(DispatchProfile::new(dispatch.name.clone(), &gathered));
            for note in measured.accesses.iter().flat_map(|access| &access.notes) {
                profile.note(note);
            }
        }
        (profile, measured)
    }
}

/// The registers that matrices of a dispatch take, under the values that its specialization constants have. Nothing if the module cannot be
/// specialized, which the run would have told.
fn registers(
    ran: &Ran<'_>,
    dispatch: usize,
    arrays: &[SharedArray],
    subgroup_size: u32,
    facts: &Facts,
) -> Option<Registers> {
    let planned = ran.plan.dispatches.get(dispatch)?;
    let module = (*ran.modules.get(dispatch)?).clone();
    let values = Values { given: planned.specialization.clone(), defaults: true };
    let specialized = specialize(module, &values).ok()?;
    let live = live(&specialized.module, planned.entry.as_deref(), &Assumptions { subgroup_size })?;
    let point = |point: &Point| {
        let origin = specialized.origins.get(point.instruction as usize).copied().flatten();
        let matrices = point.held.iter().map(|held| HeldMatrices {
            name: held.name.clone(),
            matrix: held.matrix.clone(),
            count: held.count,
            registers: held.registers,
        });
        HeldRegisters {
            registers: point.registers,
            place: origin
                .filter(|_| point.registers > 0)
                .and_then(|origin| (ran.place)(dispatch, origin as u32)),
            matrices: matrices.collect(),
        }
    };
    let bound = point(&live.bound);
    let invocations: u64 =
        planned.program.interface().workgroup_size.iter().map(|size| u64::from(*size)).product();
    let subgroups = invocations.div_ceil(u64::from(subgroup_size.max(1)));
    let shared = arrays.iter().map(|array| array.offset + array.size).max().unwrap_or(0);
    let residency = facts
        .compute_unit
        .map(|unit| Residency::new(&unit, bound.registers, subgroup_size, subgroups, shared));
    Some(Registers { as_written: point(&live.as_written), bound, notes: live.notes, residency })
}
