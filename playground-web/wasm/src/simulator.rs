//! The simulator in a worker: compiles what the page has, applies the recipe, and runs in slices, so that the worker looks at its messages
//! in between. Answers are JSON, but for the contents of buffers, which are typed arrays.

use coopmat_recipe::ownership::{Judging, notes};
use coopmat_recipe::report::ReportedFinding;
use coopmat_recipe::{Run, Slice, init, modes};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::contents::Contents;
use crate::describe::{self, Description, FirstRecipe, JudgedAnswer, RanAnswer};
use crate::files::{Files, takes_files};
use crate::prepare::{self, Data, Prepared, Problem, Record, Request};
use crate::record::{Recording, Wanted, recorder};
use crate::shader::{Code, Shader};

/// The files of the page, and at most one run.
#[wasm_bindgen]
#[derive(Default)]
pub struct Simulator {
    files: Files,
    data: Data,
    running: Option<(Prepared, Run)>,
    judging: Option<(Prepared, Judging)>,
    recording: Option<Recording>,
    steps: u64,
}

/// A run that has ended.
#[wasm_bindgen]
pub struct Ran {
    answer: String,
    buffers: Vec<Option<Contents>>,
    recording: Option<(String, Vec<u8>)>,
}

#[wasm_bindgen]
impl Ran {
    /// `RanAnswer` as JSON.
    pub fn answer(&self) -> String {
        self.answer.clone()
    }

    pub fn buffers(&self) -> usize {
        self.buffers.len()
    }

    #[wasm_bindgen(js_name = takeBuffer)]
    pub fn take_buffer(&mut self, index: usize) -> Option<Contents> {
        self.buffers.get_mut(index)?.take()
    }

    /// The index of what was recorded, as JSON; [`Ran::take_recording_data`] is what it points into.
    #[wasm_bindgen(js_name = recordingIndex)]
    pub fn recording_index(&self) -> Option<String> {
        self.recording.as_ref().map(|(index, _)| index.clone())
    }

    #[wasm_bindgen(js_name = takeRecordingData)]
    pub fn take_recording_data(&mut self) -> Vec<u8> {
        self.recording.take().map(|(_, data)| data).unwrap_or_default()
    }
}

takes_files!(Simulator);

#[wasm_bindgen]
impl Simulator {
    #[wasm_bindgen(constructor)]
    pub fn new() -> Simulator {
        Simulator::default()
    }

    /// `Lists` as JSON: what there is to choose from.
    pub fn lists() -> String {
        describe::json(&describe::lists())
    }

    /// For a `RunRequest` the `Description`, both as JSON.
    pub fn describe(&self, request: &str) -> String {
        describe::json(&self.description(request).unwrap_or_else(Description::from))
    }

    /// `FirstRecipe` as JSON: one for the shader of a `RunRequest`, or why there is none.
    pub fn init(&self, request: &str) -> String {
        let made = read(request).and_then(|request| {
            let shaders = prepare::shaders(&self.files, &self.data, &request, None)?;
            let shader = shaders.first().ok_or_else(|| Problem::new("there is no shader"))?;
            let configuration = &shader.configuration().name;
            // A recipe names its shader from where it is.
            let name = request.shader.rsplit('/').next().unwrap_or_default();
            Ok(init(&shader.given(), &shader.program()?, name, configuration))
        });
        describe::json(&match made {
            Ok(text) => {
                let expect = coopmat_recipe::parse(&text).map(|recipe| recipe.expect).unwrap_or_default();
                FirstRecipe::Made { text, expect }
            }
            Err(problem) => FirstRecipe::Refused { problem },
        })
    }

    /// What a buffer holds before the run; nothing where the recipe does not get that far.
    pub fn contents(&self, request: &str, buffer: &str) -> Option<Contents> {
        let prepared = self.prepare(request, false).ok()?;
        let index = prepared.plan.buffers.iter().position(|one| one.name == buffer)?;
        Contents::before(&prepared.plan, index)
    }

    /// Begins a run. Nothing, or a `Problem` as JSON for why there is none.
    pub fn begin(&mut self, request: &str) -> Option<String> {
        self.judging = None;
        self.running = None;
        self.recording = None;
        self.steps = 0;
        let prepared = match self.prepare(request, true) {
            Ok(prepared) => prepared,
            Err(problem) => return Some(describe::json(&problem)),
        };
        match Run::new(&prepared.plan, &prepared.modes) {
            Ok(mut run) => {
                if let Some(record) = &prepared.record
                    && let dispatch = record.dispatch.unwrap_or_default()
                    && let Some(shader) = prepared.shader(dispatch)
                {
                    let (observer, recording) = recorder(wanted(record, shader));
                    run.observe(dispatch, Box::new(observer));
                    self.recording = Some(recording);
                }
                self.running = Some((prepared, run));
            }
            Err((message, instruction)) => {
                let place = instruction.and_then(|instruction| prepared.shader(0)?.place(instruction));
                return Some(describe::json(&Problem { message, place }));
            }
        }
        None
    }

    /// Begins runs of the recipe under each ownership, at each size of subgroups of the device. Nothing, or a `Problem` as JSON for why there are none.
    #[wasm_bindgen(js_name = beginVerdicts)]
    pub fn begin_verdicts(&mut self, request: &str) -> Option<String> {
        self.running = None;
        let prepared = match self.prepare(request, true) {
            Ok(prepared) => prepared,
            Err(problem) => return Some(describe::json(&problem)),
        };
        let device = prepared.shader(0).and_then(|shader| shader.configuration().device_profile());
        let sizes = device.map_or(Vec::new(), |device| device.subgroup_sizes());
        let names: Vec<String> = modes::ownership_names().into_iter().map(str::to_owned).collect();
        let judging = Judging::new(&prepared.plan, &prepared.modes, &names, &sizes);
        self.judging = Some((prepared, judging));
        None
    }

    /// Goes on with these for about so many steps: `JudgedAnswer` as JSON.
    #[wasm_bindgen(js_name = stepVerdicts)]
    pub fn step_verdicts(&mut self, steps: u32) -> String {
        let Some((prepared, judging)) = &mut self.judging else {
            return describe::json(&JudgedAnswer { notes: Some(Vec::new()), ..JudgedAnswer::default() });
        };
        let before = judging.rows.len();
        let ended = judging.step(&prepared.plan, &prepared.recipe, u64::from(steps));
        let answer = describe::json(&JudgedAnswer {
            rows: judging.rows.get(before..).unwrap_or_default(),
            all: judging.count(),
            notes: ended.then(|| notes(&judging.rows)),
        });
        if ended {
            self.judging = None;
        }
        answer
    }

    /// Runs about so many steps. `[ended, workgroups done, of all, steps so far]`
    pub fn step(&mut self, steps: u32) -> Vec<f64> {
        let Some((prepared, run)) = &mut self.running else { return vec![1.0, 0.0, 0.0, 0.0] };
        self.steps = self.steps.saturating_add(u64::from(steps));
        match run.step(&prepared.plan, u64::from(steps)) {
            Slice::Running { done, all } => vec![0.0, done as f64, all as f64, self.steps as f64],
            Slice::Ended => vec![1.0, 0.0, 0.0, self.steps as f64],
        }
    }

    /// Ends the run where it is, and lets go of verdicts that there are not yet.
    pub fn stop(&mut self) {
        self.judging = None;
        if let Some((_, run)) = &mut self.running {
            run.stop();
        }
    }

    /// The report and what the buffers hold. The page's clock says how long it took.
    pub fn finish(&mut self, seconds: f64) -> Option<Ran> {
        let (prepared, run) = self.running.take()?;
        let place = |dispatch: usize, instruction: u32| prepared.shader(dispatch)?.source_place(instruction);
        let mut finished = run.finish(&prepared.plan, &prepared.recipe, &place);
        let report = &mut finished.report;
        report.seconds = Some(seconds);
        report.shader.clone_from(&prepared.names.0);
        report.recipe.clone_from(&prepared.names.1);
        for (dispatch, shader) in report.dispatches.iter_mut().zip(&prepared.shaders) {
            dispatch.shader.clone_from(&shader.name);
        }
        let buffers = finished.buffers.into_iter().enumerate();
        let buffers = buffers.map(|(index, bytes)| Contents::after(&prepared.plan, index, bytes)).collect();
        let recorded = prepared.record.as_ref().and_then(|record| record.dispatch).unwrap_or_default();
        let line = |instruction: u32| {
            let place = prepared.shader(recorded)?.place(instruction)?;
            Some((place.file, place.start.line))
        };
        let recording = self.recording.take().map(|recording| recording.pack(&line));
        let report = &finished.report;
        let finding_place = |finding: &ReportedFinding| {
            let mut dispatches = prepared.plan.dispatches.iter();
            let dispatch = dispatches.position(|dispatch| dispatch.name == finding.dispatch)?;
            prepared.shader(dispatch)?.place(finding.instruction)
        };
        let finding_places = report.findings.iter().map(finding_place).collect();
        let lines = &coopmat_recipe::lines(&finished.executed, &place);
        Some(Ran { answer: describe::json(&RanAnswer { report, finding_places, lines }), buffers, recording })
    }
}

impl Simulator {
    /// Everything that a run of this request needs. `runs`: expectations are wanted, however long they take.
    pub(crate) fn prepare(&self, request: &str, runs: bool) -> Result<Prepared, Problem> {
        prepare::prepare(&self.files, &self.data, &read(request)?, runs)
    }

    fn description(&self, request: &str) -> Result<Description, Problem> {
        let request = read(request)?;
        let mut problems = Vec::new();
        let recipe = match prepare::recipe(&self.files, &request) {
            Ok(recipe) => recipe,
            Err(problem) => {
                problems.push(problem);
                None
            }
        };
        let unread = !problems.is_empty();
        let read = recipe.as_ref().map(|(_, recipe)| recipe.clone());
        let (mut interface, mut plan) = (None, None);
        let mut sources = Vec::new();
        match prepare::shaders(&self.files, &self.data, &request, read.as_ref()) {
            Ok(shaders) => {
                for shader in &shaders {
                    if let Code::Module(module) = &shader.code {
                        sources.extend(module.sources.iter().cloned());
                    }
                }
                match shaders.first().map(|shader| shader.program()) {
                    Some(Ok(program)) => interface = Some(describe::interface_of(&program)),
                    Some(Err(problem)) => problems.push(problem),
                    None => {}
                }
                if !unread {
                    match prepare::plan(&self.files, &self.data, &request, shaders, recipe, false) {
                        Ok(prepared) => plan = Some(describe::plan(&prepared)),
                        Err(problem) => problems.push(problem),
                    }
                }
            }
            Err(problem) => problems.push(problem),
        }
        problems.dedup();
        Ok(Description { problems, interface, recipe: read, plan, sources })
    }
}

fn read(request: &str) -> Result<Request, Problem> {
    serde_json::from_str(request).map_err(|error| Problem::new(format!("the page's request: {error}")))
}

fn wanted(record: &Record, shader: &Shader) -> Wanted {
    let instructions = record.line.as_ref().map(|(file, line)| {
        let on_the_line = |instruction: &u32| {
            shader.place(*instruction).is_some_and(|place| place.file == *file && place.start.line == *line)
        };
        (0..shader.instructions()).filter(on_the_line).collect()
    });
    Wanted { workgroup: record.workgroup, subgroup: record.subgroup, instructions, ..Wanted::default() }
}

#[cfg(test)]
mod tests;
