//! One run of a recipe that is only a suggestion, to see which bytes of its buffers the shader reads and writes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use coopmat_simulator::observer::{Access, AccessKind, At, Region, Wants};
use coopmat_simulator::{Execution, Observer, Progress};

use crate::Files;
use crate::model::Recipe;
use crate::modes;
use crate::plan::{Module, Overrides, Plan};

/// Steps of the run, and bytes of its buffers.
const STEPS: u64 = 400_000;
const MEMORY: usize = 256 << 20;

/// How a buffer was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// Behind the last byte that was accessed.
    pub end: u64,
    pub touched: bool,
    /// Whether something was read before anything was written.
    pub read: bool,
    /// Bytes that the recipe gave it.
    pub bytes: u64,
    /// Whether the shader leaves its length open, or it is no binding.
    pub open: bool,
    written: bool,
}

/// What came of the run.
pub struct Tried {
    pub uses: BTreeMap<String, Use>,
    pub ended: bool,
    pub error: Option<String>,
}

struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &str) -> Result<Vec<u8>, String> {
        Err("there are no files yet".to_owned())
    }
}

struct Watch(Arc<Mutex<Vec<Use>>>);

impl Observer for Watch {
    fn wants(&self) -> Wants {
        Wants { memory: true, ..Wants::default() }
    }

    fn memory(&mut self, _: &At, access: &Access) {
        let (Region::Buffer(index), offset) = access.region() else { return };
        let mut uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(used) = uses.get_mut(index) else { return };
        used.touched = true;
        used.end = used.end.max(offset + u64::from(access.size));
        match access.kind {
            AccessKind::Read => used.read |= !used.written,
            AccessKind::Write => used.written = true,
            AccessKind::Atomic => {}
        }
    }
}

/// Runs the recipe; nothing where it cannot begin.
pub fn run(recipe: &Recipe, module: &Module<'_>) -> Option<Tried> {
    // What is expected has nothing to do with it.
    let recipe = Recipe { expect: Vec::new(), ..recipe.clone() };
    let overrides = Overrides { most_memory: Some(MEMORY), most_steps: Some(STEPS), ..Overrides::default() };
    let plan = Plan::new(&recipe, "", std::slice::from_ref(module), &NoFiles, &overrides).ok()?;
    let settings = plan.settings(&modes::first(&recipe, plan.subgroup_size)).ok()?;
    let (resources, _) = plan.resources();
    let dispatch = plan.dispatches.first()?;
    let bindings = &dispatch.program.interface().bindings;
    let open = |descriptor: Option<(u32, u32, u32)>| {
        let Some((set, number, _)) = descriptor else { return true };
        let binding = bindings.iter().find(|it| (it.set, it.binding) == (set, number));
        binding.is_none_or(|it| crate::interface::is_open(dispatch.program.types(), it.type_))
    };
    let uses = plan.buffers.iter().enumerate().map(|(index, buffer)| Use {
        bytes: buffer.bytes.len() as u64,
        open: open(dispatch.binding_of(index).map(|binding| binding.descriptor)) && buffer.image.is_none(),
        ..Use::default()
    });
    let uses = Arc::new(Mutex::new(uses.collect::<Vec<Use>>()));
    let mut execution = Execution::new(&dispatch.program, resources, settings, dispatch.workgroups).ok()?;
    execution.observe(Box::new(Watch(uses.clone())));
    let (mut ended, mut error) = (false, None);
    match execution.run(STEPS) {
        Ok(Progress::Finished) => ended = true,
        Ok(Progress::Running { .. }) => {}
        Err(problem) => {
            let limit = problem.kind == coopmat_simulator::RunErrorKind::Steps;
            error = (!limit).then_some(problem.message);
        }
    }
    let uses = uses.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let uses = plan.buffers.iter().map(|buffer| buffer.name.clone()).zip(uses).collect();
    Some(Tried { uses, ended, error })
}
