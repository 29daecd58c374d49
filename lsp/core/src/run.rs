//! `coopmat-analyzer/run`: runs the shader on the simulator as its recipe says, in the configuration in view.

mod shaders;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use coopmat_analysis::devices::DeviceProfile;
use coopmat_analysis::sources::FileLoader as _;
use coopmat_analysis::text::FileId;
use coopmat_recipe::profile::Profile;
use coopmat_recipe::report::{Modes, Report, SourcePlace};
use coopmat_recipe::{Files, Host as RunHost, Overrides, Plan, PlanError, modes};
use coopmat_simulator::{Pool, Program, ProgramOptions};
use futures::channel::mpsc;
use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::ls_types::{
    CreateFile, CreateFileOptions, DocumentChangeOperation, DocumentChanges, MessageType, OneOf,
    OptionalVersionedTextDocumentIdentifier, ProgressToken, Range, ResourceOp, TextDocumentEdit,
    TextDocumentIdentifier, TextEdit, Uri, WorkspaceEdit,
};

pub use self::shaders::Ground;
use self::shaders::{Refusal, Shader};
use crate::documents::{Links, Loader};
use crate::host::Host;
#[cfg(not(target_arch = "wasm32"))]
use crate::performance::profiling::Ran;
use crate::performance::profiling::{Observers, Profiling, ownership as own_ownership};
use crate::performance::shown::Shown;
use crate::recipe_files;
use crate::running::{Step, Title};
use crate::snapshot::Snapshot;

/// The command of the code lens, which the server carries out as well.
pub const RUN: &str = "coopmat-analyzer.run";

/// Writes the recipe that follows from a shader's interface, where there is none, and runs it.
pub const CREATE_RECIPE: &str = "coopmat-analyzer.createRecipe";

/// Steps of a run, of which a recipe may say less: an editor is not to be kept busy for ever.
const STEPS: u64 = 2_000_000_000;
/// Bytes that the buffers of a run may take, all together.
const MEMORY: usize = 1 << 31;
/// Elements of a buffer that an answer holds.
const ELEMENTS: usize = 1 << 16;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Params {
    pub text_document: TextDocumentIdentifier,
    /// The recipe's text, instead of the file beside the shader.
    #[serde(default)]
    pub recipe: Option<String>,
    /// The document is assembly text of SPIR-V, and this is it.
    #[serde(default)]
    pub module: Option<String>,
    #[serde(default)]
    pub checked: bool,
    /// Checked mode also reports two invocations that write the same value to one place, and values that they pass through memory which is not coherent.
    #[serde(default)]
    pub strict: bool,
    /// Whether the report says how far `float16_t` accumulators are from overflowing.
    #[serde(default)]
    pub headroom: bool,
    /// Whether the answer has what the run costs, as `run --profile --json` prints it. Slower; not in browsers.
    #[serde(default)]
    pub profile: bool,
    #[serde(default)]
    pub numerics: Option<String>,
    #[serde(default)]
    pub ownership: Option<String>,
    /// Whether the answer holds what the buffers hold afterwards.
    #[serde(default)]
    pub buffers: bool,
    /// Whether a recipe that follows from the shader's interface is written beside the shader, where there is none.
    #[serde(default)]
    pub create_recipe: bool,
    /// Whether the client is asked to write it. Otherwise it does so by itself.
    #[serde(skip)]
    pub by_edit: bool,
    /// Where the client wants to be told how far the run is.
    #[serde(default)]
    pub work_done_token: Option<ProgressToken>,
    /// What the client and the run tell each other meanwhile.
    #[serde(skip)]
    pub link: Link,
}

impl Params {
    pub fn of(uri: Uri) -> Params {
        Params {
            text_document: TextDocumentIdentifier { uri },
            recipe: None,
            module: None,
            checked: false,
            strict: false,
            headroom: false,
            profile: false,
            numerics: None,
            ownership: None,
            buffers: false,
            create_recipe: false,
            by_edit: false,
            work_done_token: None,
            link: Link::default(),
        }
    }
}

/// How many workgroups a run has behind it, of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Far {
    pub done: u64,
    pub all: u64,
}

impl Step for Far {
    fn message(&self) -> String {
        format!("{} of {} workgroups", self.done, self.all)
    }

    fn percentage(&self) -> Option<u32> {
        (self.done * 100).checked_div(self.all).map(|percent| percent.min(100) as u32)
    }
}

/// Most runs are over before somebody has to be told of them.
pub const TITLE: Title = Title { text: "Running the shader", patience: 3 };

/// What ties a run to the client that wants it: whether it still does, and who is told how far it is.
#[derive(Clone, Debug, Default)]
pub struct Link {
    pub stop: Arc<AtomicBool>,
    pub far: Option<mpsc::UnboundedSender<Far>>,
}

impl Link {
    /// Tells how far the run is; false where nobody wants it any more.
    fn go_on(&self, done: u64, all: u64) -> bool {
        if let Some(far) = &self.far {
            let _ = far.unbounded_send(Far { done, all });
        }
        !self.is_stopped()
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// The host's threads, which stop when nobody wants the run any more.
struct Linked<'r> {
    pool: &'r dyn Pool,
    link: &'r Link,
    done: AtomicU64,
    all: u64,
    /// What was told last.
    told: AtomicU64,
}

impl<'r> Linked<'r> {
    fn new(pool: &'r dyn Pool, link: &'r Link, all: u64) -> Linked<'r> {
        Linked { pool, link, done: AtomicU64::new(0), all, told: AtomicU64::new(0) }
    }
}

impl Pool for Linked<'_> {
    fn at_once(&self) -> usize {
        self.pool.at_once()
    }

    fn run(&self, count: usize, job: &(dyn Fn(usize) + Sync)) {
        self.pool.run(count, &|index| {
            job(index);
            self.done.fetch_add(1, Ordering::Relaxed);
        });
    }

    fn go_on(&self) -> bool {
        // Asked for each workgroup: small ones are told of by the hundredth part of all, so that no client is flooded. One that takes long is
        // asked about again and again while nothing is done.
        let done = self.done.load(Ordering::Relaxed);
        let told = self.told.load(Ordering::Relaxed);
        let small = done != told && done < told.saturating_add(self.all / 100);
        if small {
            return !self.link.is_stopped();
        }
        self.told.store(done, Ordering::Relaxed);
        self.link.go_on(done, self.all)
    }
}

/// Files of the recipe's project.
struct OfProject<'h> {
    host: &'h dyn Host,
    folder: &'h str,
    /// The workspace's, and those that the user allows.
    folders: Vec<String>,
}

impl OfProject<'_> {
    /// The whole path of a file that a recipe names.
    fn path_of(&self, path: &str) -> Result<String, String> {
        let folders: Vec<&str> = self.folders.iter().map(String::as_str).collect();
        recipe_files::of_recipe(self.folder, path, &folders, &Links(self.host))
    }
}

impl Files for OfProject<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let full = self.path_of(path)?;
        self.host.read_bytes(&full).ok_or_else(|| "cannot read the file".to_owned())
    }
}

/// The recipe of a shader, as the editor has it or as it is on disk: its path and its text.
fn recipe_of(ground: &Ground) -> Option<(String, Arc<str>)> {
    let path = coopmat_recipe::beside(ground.path());
    let loader = Loader::new(&ground.documents, &*ground.host, ground.path(), ground.configuration());
    let text = loader.load(&path)?;
    Some((path, text))
}

/// Whether there is a recipe beside the shader of a snapshot.
pub fn has_recipe(snapshot: &Snapshot) -> bool {
    let shader = &snapshot.analysis.files()[FileId::ROOT].path;
    let path = coopmat_recipe::beside(shader);
    snapshot.documents.get(&path).is_some() || snapshot.host.stamp(&path).is_some()
}

/// The text of a first recipe for a shader; else why there is none, and where.
fn inferred(shader: &Shader, ground: &Ground) -> Result<String, Refusal> {
    let given = shader.given(&ground.specialization);
    let program = Program::new(given.module, &ProgramOptions::default());
    let program = program.map_err(|error| (error.message, None))?;
    let name = shader.path().rsplit('/').next().unwrap_or(shader.path());
    Ok(coopmat_recipe::init(&given, &program, name, &shader.configuration().name))
}

/// What a run leaves beside its answer.
#[derive(Default)]
struct Left {
    /// Path, URI and text of a recipe that is to be written.
    created: Option<Value>,
    /// What a run with a profile has shown.
    shown: Option<Shown>,
}

/// What [`answer`] gives, with the recipe that it created. What a profile has shown is kept with the analysis, for hovers and lenses.
pub fn run(snapshot: &Snapshot, params: &Params) -> Value {
    let mut left = Left::default();
    let answer = answer(&Ground::of(snapshot), params, &mut left);
    if let Some(shown) = left.shown.take() {
        snapshot.checked.speed.show(shown);
    }
    with_recipe(answer, left)
}

/// The same on any ground; nothing is kept.
pub fn run_on(ground: &Ground, params: &Params) -> Value {
    let mut left = Left::default();
    let answer = answer(ground, params, &mut left);
    with_recipe(answer, left)
}

fn with_recipe(mut answer: Value, left: Left) -> Value {
    if let Some(created) = left.created {
        answer["created"] = created;
    }
    answer
}

/// `{summary, met, recipe, report, lines, profile, buffers, error: {message, path, line, column}}`: a report, or why there is none. `missingRecipe` is the path of
/// the recipe that there is not, `created` is set to path, URI and text of one that is to
/// be written.
fn answer(ground: &Ground, params: &Params, left: &mut Left) -> Value {
    let shader = ground.path().to_owned();
    let fail = |message: String, place: Option<SourcePlace>| {
        let (path, line, column) = match place {
            Some(place) => (Some(place.path), Some(place.line), Some(place.column)),
            None => (None, None, None),
        };
        let summary = format!("not run: {message}");
        json!({
            "summary": summary,
            "met": false,
            "error": {"message": message, "path": path, "line": line, "column": column},
        })
    };
    let beside = recipe_of(ground);
    let given = match (&params.recipe, beside) {
        (Some(text), beside) => {
            let path = beside.map_or_else(|| coopmat_recipe::beside(&shader), |(path, _)| path);
            (path, Arc::from(text.as_str()))
        }
        (None, Some(found)) => found,
        (None, None) => {
            let path = coopmat_recipe::beside(&shader);
            let name = path.rsplit('/').next().unwrap_or(&path);
            if !params.create_recipe {
                let message = format!("there is no recipe `{name}`, which describes the data to run on");
                let mut answer = fail(message, None);
                if !params.by_edit || ground.client.creates_files {
                    answer["missingRecipe"] = json!(path);
                }
                return answer;
            }
            if params.by_edit && !ground.client.creates_files {
                let message = "this editor does not let a language server create files: use `coopmat-analyzer run --init` to write a recipe";
                return fail(message.to_owned(), None);
            }
            match ground.shader().and_then(|shader| inferred(&shader, ground)) {
                Ok(text) => {
                    let uri = ground.documents.uri(&path);
                    left.created = Some(json!({"path": path, "uri": uri, "text": text}));
                    (path, text.into())
                }
                Err((message, place)) => return fail(message, place),
            }
        }
    };
    let (recipe_path, text) = given;
    let in_recipe = |error: coopmat_recipe::RecipeError| {
        let (line, column) = error.position(&text);
        let place = SourcePlace { path: recipe_path.clone(), line: line as u32, column: column as u32 };
        fail(error.message, Some(place))
    };
    let recipe = match coopmat_recipe::parse(&text) {
        Ok(recipe) => recipe,
        Err(error) => return in_recipe(error),
    };
    let folder = recipe_path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut folders = ground.folders.clone();
    folders.extend(ground.settings.allowed(ground.folders.first().map(String::as_str)));
    let files = OfProject { host: &*ground.host, folder, folders };
    let shaders = match shaders::all(ground, &recipe, &files) {
        Ok(shaders) => shaders,
        Err((message, place)) => return fail(message, place),
    };
    let Some(first) = shaders.first() else { return fail("the recipe has no dispatch".to_owned(), None) };
    let configuration = first.configuration();
    let place = |dispatch: usize, instruction: u32| shaders.get(dispatch)?.place(instruction);
    let modules: Vec<coopmat_recipe::Module<'_>> =
        shaders.iter().map(|shader| shader.given(&ground.specialization)).collect();
    let overrides = Overrides {
        subgroup_size: configuration.subgroup_size,
        most_memory: Some(MEMORY),
        workgroup_memory: Some(coopmat_recipe::workgroup_memory(MEMORY as u64, ground.host.parallelism())),
        most_steps: Some(STEPS),
        stop: Some(params.link.stop.clone()),
        // Where there is no command line, in a browser, there is nothing to advise.
        more: if ground.host.starts_programs() {
            (
                "use `coopmat-analyzer run --memory-limit` on the command line to allow more",
                "use `coopmat-analyzer run --step-limit` on the command line to allow more",
            )
        } else {
            ("", "")
        },
        ..Overrides::default()
    };
    let mut plan = match Plan::new(&recipe, &text, &modules, &files, &overrides) {
        Ok(plan) => plan,
        Err(PlanError::Recipe(error)) => return in_recipe(error),
        Err(PlanError::Program(dispatch, error)) => {
            let place = error.instruction.and_then(|instruction| place(dispatch, instruction));
            return fail(error.message, place);
        }
    };
    let device = configuration.device_profile();
    plan.shapes = device.as_deref().and_then(crate::advertised);
    let profiled = !cfg!(target_arch = "wasm32") && (params.profile || ground.settings.performance);
    let mut first = modes::first(&recipe, plan.subgroup_size);
    if profiled && let Some(own) = own_ownership(device.as_deref(), &recipe) {
        first.ownership = own;
    }
    let chosen = Modes {
        checked: first.checked || params.checked || params.strict,
        strict: first.strict || params.strict,
        headroom: params.headroom,
        numerics: params.numerics.clone().unwrap_or(first.numerics.clone()),
        ownership: params.ownership.clone().unwrap_or(first.ownership.clone()),
        ..first
    };
    let (profiling, observers) = match profiled {
        true => watch(&plan, device.as_deref(), chosen.subgroup_size),
        false => (None, Vec::new()),
    };
    let all = plan.workgroups();
    let linked = ground.host.workgroups().map(|pool| Linked::new(pool, &params.link, all));
    let host = RunHost {
        pool: linked.as_ref().map(|linked| linked as &dyn Pool),
        tier: None,
        observers,
        place: &place,
        go_on: &mut |done, all| params.link.go_on(done, all),
    };
    let mut finished = coopmat_recipe::run(&plan, &recipe, &chosen, host);
    finished.report.shader = shader;
    finished.report.recipe = Some(recipe_path);
    for (dispatch, shader) in finished.report.dispatches.iter_mut().zip(&shaders) {
        dispatch.shader = shader.path().to_owned();
    }
    let mut lines = coopmat_recipe::lines(&finished.executed, &place);
    let profile = profiling.map(|profiling| profile_of(profiling, &plan, &shaders, &finished.report));
    for dispatch in profile.iter().flat_map(|profile| &profile.dispatches) {
        coopmat_recipe::add_passes(&mut lines, dispatch);
    }
    let summary = summary(&finished.report);
    let mut answer = json!({
        "summary": summary,
        "met": finished.report.met,
        "report": finished.report,
        "lines": lines,
        "modes": {"numerics": modes::numerics_names(), "ownership": modes::ownership_names()},
    });
    if params.profile
        && let Some(profile) = &profile
    {
        answer["profile"] = json!(profile);
    }
    left.shown = profile.filter(|_| finished.report.error.is_none()).map(|profile| Shown { lines, profile });
    if params.buffers {
        answer["buffers"] =
            plan.buffers.iter().zip(&finished.buffers).filter_map(|(b, bytes)| elements(b, bytes)).collect();
    }
    answer
}

/// What looks at a run while it goes on, and what sees each dispatch for it.
#[cfg(not(target_arch = "wasm32"))]
fn watch(plan: &Plan, device: Option<&DeviceProfile>, subgroup_size: u32) -> (Option<Profiling>, Observers) {
    let (profiling, observers) = Profiling::new(plan, device, subgroup_size);
    (Some(profiling), observers)
}

#[cfg(not(target_arch = "wasm32"))]
fn profile_of(profiling: Profiling, plan: &Plan, shaders: &[Shader], report: &Report) -> Profile {
    let ran = Ran {
        plan,
        modules: shaders.iter().map(Shader::module).collect(),
        place: &|dispatch, instruction| shaders.get(dispatch)?.place(instruction),
        text: &|dispatch, place| shaders.get(dispatch)?.text(place),
    };
    profiling.finish(&ran, report).0
}

// Browsers would have to download what makes profiles.

#[cfg(target_arch = "wasm32")]
fn watch(_: &Plan, _: Option<&DeviceProfile>, _: u32) -> (Option<Profiling>, Observers) {
    (None, Vec::new())
}

#[cfg(target_arch = "wasm32")]
fn profile_of(_: Profiling, _: &Plan, _: &[Shader], _: &Report) -> Profile {
    Profile::default()
}

fn elements(buffer: &coopmat_recipe::PlannedBuffer, bytes: &[u8]) -> Option<Value> {
    let tensor = buffer.elements(bytes)?;
    // JSON has numbers of any length; what no float holds is written in all digits.
    let real = |(index, value): (usize, &f64)| match tensor.integer(index) {
        Some(integer) if tensor.rest.get(index).is_some_and(|rest| *rest != 0.0) => {
            i64::try_from(integer).map_or_else(|_| json!(integer as u64), |integer| json!(integer))
        }
        _ if value.is_finite() => json!(value),
        _ => json!(value.to_string()),
    };
    let shown: Vec<Value> = tensor.data.iter().enumerate().take(ELEMENTS).map(real).collect();
    Some(json!({
        "name": buffer.name,
        "type": buffer.extent.as_ref()?.element.name(),
        "shape": tensor.shape,
        "elements": shown,
        "leftOut": tensor.data.len().saturating_sub(ELEMENTS),
    }))
}

/// After which of several dispatches something was compared.
fn after(dispatch: Option<&str>) -> String {
    dispatch.map(|name| format!(" after `{name}`")).unwrap_or_default()
}

/// One line for a message.
fn summary(report: &coopmat_recipe::Report) -> String {
    if let Some(problem) = &report.error {
        let at = problem.place.as_ref().map(|place| format!("line {}: ", place.line)).unwrap_or_default();
        let of = problem.dispatch.as_ref().map(|name| format!("dispatch {name}: ")).unwrap_or_default();
        return format!("stopped: {of}{at}{}", problem.message);
    }
    let met = report.expectations.iter().filter(|outcome| outcome.met).count();
    let mut text = match report.expectations.len() {
        0 => "the run has finished".to_owned(),
        1 if met == 1 => "the expectation is met".to_owned(),
        all => format!("{met} of {all} expectations are met"),
    };
    if let Some(outcome) = report.expectations.iter().find(|outcome| !outcome.met) {
        text += &format!(
            "; `{}`{}: {} of {} elements are wrong",
            outcome.buffer,
            after(outcome.after.as_deref()),
            outcome.wrong,
            outcome.elements
        );
        if let Some(worst) = &outcome.worst {
            text += &format!(", at {:?} expected {}, found {}", worst.index, worst.expected, worst.found);
        }
    }
    if let Some(finding) = report.findings.first() {
        let of = finding.dispatch.as_ref().map(|name| format!(" of the dispatch {name}")).unwrap_or_default();
        let line =
            finding.place.as_ref().map(|place| format!(" at line {}{of}", place.line)).unwrap_or_default();
        text += &format!("; {} findings, the first{line}: {}", report.findings.len(), finding.message);
    }
    text
}

/// The edit that writes a recipe that was created.
pub fn creation(created: &Value) -> Option<WorkspaceEdit> {
    let uri: Uri = created["uri"].as_str()?.parse().ok()?;
    let create = CreateFile {
        uri: uri.clone(),
        options: Some(CreateFileOptions { overwrite: Some(false), ignore_if_exists: Some(false) }),
        annotation_id: None,
    };
    let text = TextEdit { range: Range::default(), new_text: created["text"].as_str()?.to_owned() };
    let edit = TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier { uri, version: None },
        edits: vec![OneOf::Left(text)],
    };
    let operations =
        vec![DocumentChangeOperation::Op(ResourceOp::Create(create)), DocumentChangeOperation::Edit(edit)];
    let changes = DocumentChanges::Operations(operations);
    Some(WorkspaceEdit { document_changes: Some(changes), ..WorkspaceEdit::default() })
}

/// How a client that only knows commands is told.
pub fn message(answer: &Value) -> (MessageType, String) {
    let kind = if answer["met"] == true { MessageType::INFO } else { MessageType::WARNING };
    (kind, answer["summary"].as_str().unwrap_or_default().to_owned())
}
