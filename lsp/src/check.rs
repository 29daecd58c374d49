//! `check`: many files at once, and what is wrong with them in one of three formats.

mod json;
mod modules;
mod portability;
mod positions;
mod progress;
mod report;
mod sarif;
mod short;
mod statistics;
mod strings;
mod text;
mod unmatched;
mod watch;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use coopmat_analysis::diagnostics::{Code, Diagnostic, Severity, codes};
use coopmat_analysis::levels::Level;
use coopmat_analysis::preprocess::LARGEST_FILE;
use coopmat_analysis::text::{FileRange, TextRange};
use coopmat_analysis::{Analysis, Analyzer, Later, NotLookedAt, Told, not_looked_at, told_with};
use coopmat_server::embedded::Language;
use coopmat_server::performance::performance;
use rayon::prelude::*;

use crate::arguments::{CheckOptions, Color, Deny, Format};
use crate::colour::{errors_in_colour, in_colour};
use crate::configurations::{Configurations, allowed};
use crate::disk::{self, Confined, Disk};
use crate::embedded::{self, Shader};
use crate::headers::{Headers, MOST_CONFIGURATIONS, may_be_header};
use crate::module;
use crate::output::{self, report_error};
use crate::program::{STACK, UNUSABLE};
use crate::validator;
use report::{Finding, Location, Report, Run};

/// One file under one configuration.
struct Task {
    path: String,
    /// Read already: standard input.
    text: Option<Arc<str>>,
    configuration: Arc<Configuration>,
    /// Of a header: a shader that includes it, which it is checked as part of.
    user: Option<(String, Arc<Configuration>)>,
    /// It is in a string of another file.
    shader: Option<Arc<Shader>>,
}

impl Task {
    fn new(path: String, configuration: Arc<Configuration>) -> Task {
        Task { path, text: None, configuration, user: None, shader: None }
    }

    /// What people know it by.
    fn name(&self) -> String {
        self.shader.as_ref().map_or_else(|| self.path.clone(), |shader| shader.name())
    }
}

/// A file or a shader that is to be checked, under whichever configurations it has.
struct Wanted {
    path: String,
    text: Option<Arc<str>>,
    /// The command line names it, rather than a folder that holds it.
    named: bool,
    shader: Option<Arc<Shader>>,
}

impl Wanted {
    fn file(path: String, named: bool) -> Wanted {
        Wanted { path, text: None, named, shader: None }
    }

    fn shader(shader: Arc<Shader>, named: bool) -> Wanted {
        let text = Some(shader.region.text.clone());
        Wanted { path: shader.path.clone(), text, named, shader: Some(shader) }
    }
}

/// What the check of one file gives.
struct Checked {
    findings: Vec<Finding>,
    unanalysed: Vec<NotLookedAt>,
    /// The shader that a header was checked as part of, and the name of its configuration.
    part_of: Option<(String, String)>,
}

pub fn run(options: &CheckOptions) -> ExitCode {
    match options {
        CheckOptions { schema: true, portability: true, .. } => output::print(&portability::schema()),
        CheckOptions { schema: true, .. } => output::print(&json::schema()),
        CheckOptions { watch: true, .. } => watch::run(options),
        _ => once(options),
    }
}

fn once(options: &CheckOptions) -> ExitCode {
    let pool = rayon::ThreadPoolBuilder::new().stack_size(STACK).build();
    let pool = match pool {
        Ok(pool) => pool,
        Err(error) => {
            report_error(&format!("cannot start threads: {error}"));
            return ExitCode::from(UNUSABLE);
        }
    };
    let levels = match options.levels() {
        Ok(levels) => levels,
        Err(message) => {
            report_error(&message);
            return ExitCode::from(UNUSABLE);
        }
    };
    let mut unusable = false;
    let mut report = Report::default();
    let disk = Disk::default();
    let analyzer = Analyzer::default();
    let given = levels.clone();
    let Wanteds { mut tasks, mut modules } =
        tasks(options, levels, &disk, &analyzer, &mut unusable, &mut report);
    if let (Some(shard), false) = (options.shard, tasks.is_empty() && modules.is_empty()) {
        let mut index = 0..;
        let mut has = || index.next().is_some_and(|index| shard.has(index));
        tasks.retain(|_| has());
        modules.retain(|_| has());
        if tasks.is_empty() && modules.is_empty() && !unusable {
            // Fewer shaders than parts: there is nothing to do here.
            return ExitCode::SUCCESS;
        }
    }
    if tasks.is_empty() && modules.is_empty() {
        if !unusable {
            report_error(
                "no shaders found; folders are searched for files with a stage's extension, such as .comp",
            );
        }
        return ExitCode::from(UNUSABLE);
    }
    if options.portability {
        let tables = pool.install(|| {
            let table =
                |task: &Task| Ok(portability::Table::new(&task.name(), &analyze(task, &analyzer, &disk)?));
            tasks.par_iter().map(table).collect()
        });
        return tell_portability(tables, options.format, unusable);
    }
    let results: Vec<_> = progress::over(tasks.len(), options.quiet, |done| {
        let one = |task: &Task| {
            let checked = check(task, &analyzer, &disk, options);
            done();
            checked
        };
        pool.install(|| tasks.par_iter().map(one).collect())
    });

    // What several configurations have in common, and a header's finding, which comes from every shader that includes it, is
    // told once.
    let mut seen = HashMap::new();
    for (task, result) in tasks.iter().zip(results) {
        let mut run = Run::new(&task.name(), &task.configuration.name);
        match result {
            Ok(Checked { findings, unanalysed, part_of }) => {
                if let (Some((shader, _)), false) = (&part_of, options.quiet) {
                    output::note(&format!("note: {} is checked as part of {shader}", task.path));
                }
                run.part_of = part_of;
                run.unanalysed = unanalysed;
                for mut finding in findings {
                    run.counts[finding.severity as usize] += 1;
                    let Location { path, range, .. } = &finding.location;
                    let key = (path.clone(), *range, finding.code.id, finding.message.clone());
                    let index = *seen.entry(key).or_insert(report.findings.len());
                    let number = report.runs.len();
                    match report.findings.get_mut(index) {
                        // One run may say the same twice.
                        Some(known) if known.runs.last() == Some(&number) => {}
                        Some(known) => known.runs.push(number),
                        None => {
                            finding.runs = vec![number];
                            report.findings.push(finding);
                        }
                    }
                }
            }
            Err(message) => {
                report_error(&message);
                unusable = true;
            }
        }
        report.add(run);
    }
    unusable |= add_modules(&modules, options, &given, &pool, &mut report);
    report.forget_needed_elsewhere();
    report.sort();
    let written = match options.format {
        _ if options.statistics => output::try_print(&statistics::text(&report)),
        Format::Text => text::write(&report, in_colour(options.color), options),
        Format::Short => short::write(&report, options),
        Format::Json => output::try_print(&json::render(&report)),
        Format::Sarif => output::try_print(&sarif::render(&report)),
    };
    if let Err(error) = written {
        report_error(&format!("cannot write: {error}"));
        unusable = true;
    }
    let denied = options.deny.contains(&Deny::Warnings) && report.count(Severity::Warning) > 0;
    if unusable {
        ExitCode::from(UNUSABLE)
    } else {
        let found = denied || report.count(Severity::Error) > 0;
        let wrong = (found && !options.exit_zero) || !report.refused().is_empty();
        ExitCode::from(u8::from(wrong))
    }
}

/// Checks modules, and puts what is found into the report. Whether one cannot be checked.
fn add_modules(
    modules: &[String],
    options: &CheckOptions,
    levels: &[(&'static Code, Level)],
    pool: &rayon::ThreadPool,
    report: &mut Report,
) -> bool {
    let validator = (options.spirv_val != "off").then_some(options.spirv_val.as_str());
    let check = |path: &String| modules::check(path, validator, levels);
    let results: Vec<_> = pool.install(|| modules.par_iter().map(check).collect());
    let (mut unusable, mut no_validator) = (false, false);
    for (path, result) in modules.iter().zip(results) {
        let mut run = Run::new(path, &Configuration::default().name);
        match result {
            Ok(checked) => {
                no_validator |= checked.no_validator;
                for mut finding in checked.findings {
                    run.counts[finding.severity as usize] += 1;
                    finding.runs = vec![report.runs.len()];
                    report.findings.push(finding);
                }
            }
            Err(message) => {
                report_error(&message);
                unusable = true;
            }
        }
        report.add(run);
    }
    if options.performance && !modules.is_empty() && !options.quiet {
        output::note(
            "note: --performance looks at shaders, and not at modules: `run --profile` tells what those cost",
        );
    }
    if no_validator && options.spirv_val != validator::PROGRAM {
        report_error(&format!("--spirv-val: there is no program {}", options.spirv_val));
        unusable = true;
    } else if no_validator && !options.quiet {
        output::note("note: there is no `spirv-val` on PATH: modules are read, and not validated");
    }
    unusable
}

/// What is to be checked.
struct Wanteds {
    tasks: Vec<Task>,
    /// Paths of SPIR-V modules.
    modules: Vec<String>,
}

/// What is to be checked, in the order of the command line.
fn tasks(
    options: &CheckOptions,
    levels: Vec<(&'static Code, Level)>,
    disk: &Disk,
    analyzer: &Analyzer,
    unusable: &mut bool,
    report: &mut Report,
) -> Wanteds {
    let shader = options.shader();
    let mut configurations = Configurations::new(&shader, options.all_configs)
        .with(levels, &options.allow_unanalysed)
        .like(options.like);
    let mut tasks: Vec<Task> = Vec::new();
    let mut modules = Vec::new();
    let mut seen = HashSet::new();
    // By folder: who includes what.
    let mut searched: HashMap<String, Headers> = HashMap::new();
    // A mistake in a project file is one of each of its shaders.
    let mut told = HashSet::new();
    let mut complain = |message: String| {
        if told.insert(message.clone()) {
            report_error(&message);
        }
        *unusable = true;
    };
    if !options.compiler.is_empty() {
        let found = crate::import::command_line(&options.compiler, &allowed(&shader))
            .and_then(|imported| configurations.of_command(&imported));
        match found {
            Ok(found) => {
                tasks.extend(found.into_iter().map(|(path, configuration)| Task::new(path, configuration)));
            }
            Err(message) => complain(message),
        }
    }
    let mut folders = Vec::new();
    let mut paths = Vec::new();
    for path in &options.paths {
        match disk::matching(path) {
            Some(Ok(found)) => paths.extend(found),
            Some(Err(message)) => complain(message),
            None => paths.push(path.clone()),
        }
    }
    for path in &paths {
        if module::is_named(Path::new(path)) {
            let path = crate::paths::slashes(path);
            if options.portability {
                complain(format!("{path}: --portability needs a shader, and this is a SPIR-V module"));
            } else if seen.insert(path.clone()) {
                modules.push(path);
            }
            continue;
        }
        let mut add = |configurations: &mut Configurations<'_>, wanted: Wanted| {
            let user = match wanted.named && wanted.shader.is_none() {
                true => user(&wanted.path, configurations, options, disk, analyzer, &mut searched),
                false => None,
            };
            // A header has the configurations of the shader that it is part of.
            let found = match &user {
                Some((_, configuration)) => Ok(vec![configuration.clone()]),
                None => configurations.of(&wanted.path, wanted.named),
            };
            match found {
                Ok(found) => tasks.extend(found.into_iter().map(|configuration| {
                    let shader = wanted.shader.clone();
                    let configuration = match &shader {
                        Some(shader) => shader.configured(configuration),
                        None => configuration,
                    };
                    let (text, user) = (wanted.text.clone(), user.clone());
                    Task { text, user, shader, ..Task::new(wanted.path.clone(), configuration) }
                })),
                Err(message) => complain(message),
            }
        };
        if path == "-" {
            let mut bytes = Vec::new();
            match std::io::stdin().lock().read_to_end(&mut bytes) {
                Ok(_) => {
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    let path = options.shader.stdin_path.clone().unwrap_or_else(|| "<stdin>".to_owned());
                    let wanted = Wanted::file(path.replace('\\', "/"), true);
                    add(&mut configurations, Wanted { text: Some(text.into()), ..wanted });
                }
                Err(error) => complain(format!("cannot read standard input: {error}")),
            }
            continue;
        }
        let path = if std::path::MAIN_SEPARATOR == '\\' { path.replace('\\', "/") } else { path.clone() };
        match embedded::named(&path, disk) {
            Some(Ok(shaders)) => {
                for shader in shaders.into_iter().filter(|shader| seen.insert(shader.path.clone())) {
                    add(&mut configurations, Wanted::shader(shader, true));
                }
                continue;
            }
            Some(Err(message)) => {
                complain(message);
                continue;
            }
            None => {}
        }
        match std::fs::metadata(Path::new(&path)) {
            Ok(metadata) if metadata.is_dir() => {
                folders.push(path.clone());
                let listing = RefCell::new(&mut configurations);
                let is_listed = |path: &str| {
                    Language::of_path_with_strings(path).is_some() && listing.borrow_mut().lists(path)
                };
                let search = disk::search(&path, true, |path| disk::is_shader(path) || is_listed(path));
                if let Some(left_out) = search.left_out {
                    let name = codes::SEARCH_LIMIT.id;
                    crate::output::note(&format!("warning[{name}]: {left_out}"));
                    let allowed = options.allow_unanalysed.iter().any(|one| one == name);
                    report.searched.push((path.clone(), NotLookedAt { name: name.to_owned(), allowed }));
                }
                let (shaders, others): (Vec<_>, Vec<_>) =
                    search.files.into_iter().partition(|path| disk::is_shader(path));
                let short = |path: &str| path.strip_prefix("./").unwrap_or(path).to_owned();
                let headers = Headers::of(&path, &shaders, &options.shader);
                for found in shaders.iter().filter(|found| !headers.is_part(found)).map(|found| short(found))
                {
                    if seen.insert(found.clone()) {
                        add(&mut configurations, Wanted::file(found, false));
                    }
                }
                for found in others.iter().map(|found| short(found)) {
                    let source = disk.text(&found).unwrap_or_default();
                    for shader in embedded::of(&found, &source) {
                        if configurations.lists(&shader.path) && seen.insert(shader.path.clone()) {
                            add(&mut configurations, Wanted::shader(shader, false));
                        }
                    }
                }
            }
            Ok(_) => {
                if seen.insert(path.clone()) {
                    add(&mut configurations, Wanted::file(path, true));
                }
            }
            Err(error) => complain(format!("{path}: {error}")),
        }
    }
    if !options.quiet {
        let asked = options.shader.project.is_some();
        for warning in unmatched::warnings(&folders, &configurations, &tasks, asked) {
            output::note(&warning);
        }
    }
    Wanteds { tasks, modules }
}

/// The nearest shader that includes a file that is named, in its configuration in view or else in the first that does so; none where it is no
/// header, or nothing includes it.
fn user(
    path: &str,
    configurations: &mut Configurations<'_>,
    options: &CheckOptions,
    disk: &Disk,
    analyzer: &Analyzer,
    searched: &mut HashMap<String, Headers>,
) -> Option<(String, Arc<Configuration>)> {
    if !disk::read(Path::new(path)).is_ok_and(|text| may_be_header(path, &text)) {
        return None;
    }
    let folder = configurations.around(path).ok()?;
    let headers = searched.entry(folder).or_insert_with_key(|folder| {
        let search = disk::search(folder, true, disk::is_shader);
        Headers::of(folder, &search.files, &options.shader)
    });
    let shaders = headers.shaders_with(path);
    let header = crate::paths::absolute(path);
    let includes = |shader: &str, configuration: &Configuration| {
        let Ok(text) = disk.named(shader) else { return false };
        let loader = Confined::new(disk, configuration);
        analyzer.includes(shader, text, configuration, &loader, |path| crate::paths::absolute(path) == header)
    };
    let mut first = |all: bool| {
        let found = shaders.iter().flat_map(|shader| {
            let of_shader = match all {
                true => configurations.all_of(shader),
                false => configurations.of(shader, true),
            };
            of_shader.unwrap_or_default().into_iter().map(move |one| (shader.clone(), one))
        });
        let mut found = found.take(MOST_CONFIGURATIONS);
        found.find(|(shader, configuration)| includes(shader, configuration))
    };
    first(false).or_else(|| first(true))
}

/// Tables take the place of findings; a shader with errors still counts as one.
fn tell_portability(
    results: Vec<Result<portability::Table, String>>,
    format: Format,
    mut unusable: bool,
) -> ExitCode {
    let mut tables = Vec::new();
    for result in results {
        match result {
            Ok(table) => tables.push(table),
            Err(message) => {
                report_error(&message);
                unusable = true;
            }
        }
    }
    let text = match format {
        Format::Text => portability::text(&tables),
        Format::Json => portability::json(&tables),
        Format::Short | Format::Sarif => {
            report_error("--portability supports only --format text and --format json");
            return ExitCode::from(UNUSABLE);
        }
    };
    if unusable || output::print(&text) != ExitCode::SUCCESS {
        return ExitCode::from(UNUSABLE);
    }
    ExitCode::from(u8::from(tables.iter().any(|table| table.incomplete)))
}

/// Shows the errors of an analysis on standard error, as `check` shows them; whether there are any.
pub fn tell_errors(analysis: &Analysis, in_string: Option<&Shader>, color: Color) -> bool {
    let path = analysis.files()[coopmat_analysis::text::FileId::ROOT].path.to_string();
    let mut report = Report::default();
    report.add(Run::new(&path, &analysis.config.name));
    for mut finding in findings(analysis, &analysis.diagnostics, Severity::Error) {
        if let Some(shader) = in_string {
            finding = strings::in_file(shader, finding);
        }
        report.findings.push(Finding { runs: vec![0], ..finding });
    }
    text::write_errors(&report, errors_in_colour(color));
    !report.findings.is_empty()
}

/// Shows one more reason on standard error, with its place.
pub fn tell_error(message: &str, place: &Location, color: Color) {
    text::write_error(message, place, errors_in_colour(color));
}

/// The errors of an analysis, each in a line with its place.
pub fn errors_in_lines(analysis: &Analysis, in_string: Option<&Shader>) -> Vec<String> {
    let errors = findings(analysis, &analysis.diagnostics, Severity::Error).into_iter();
    let errors = errors.map(|error| match in_string {
        Some(shader) => strings::in_file(shader, error),
        None => error,
    });
    errors
        .map(|error| format!("{} [{}]", error_in_line(&error.message, &error.location), error.code.id))
        .collect()
}

/// An error in a line with its place.
pub fn error_in_line(message: &str, place: &Location) -> String {
    let ((line, column), _) = positions::Positions::default().of(place);
    format!("{}:{line}:{column}: {message}", place.path)
}

/// A place of an analysis, as it is told: of a shader in a string in the file that the string is in.
pub fn location(analysis: &Analysis, place: FileRange, in_string: Option<&Shader>) -> Location {
    let file = &analysis.files()[place.file];
    let length = file.text.len() as u32;
    let (start, end) = (place.range.start().min(length.into()), place.range.end().min(length.into()));
    let found =
        Location { path: file.path.clone(), text: file.text.clone(), range: TextRange::new(start, end) };
    match in_string {
        Some(shader) => strings::place_in_file(shader, found),
        None => found,
    }
}

/// The errors of a file under a configuration, as `check` counts them, each in a line.
pub fn errors(
    path: &str,
    configuration: Arc<Configuration>,
    analyzer: &Analyzer,
    disk: &Disk,
) -> Result<Vec<String>, String> {
    let task = Task::new(path.to_owned(), configuration);
    let analysis = analyze(&task, analyzer, disk)?;
    let told = catch_unwind(AssertUnwindSafe(|| coopmat_codegen::told(&analysis)))
        .map_err(|_| failed(&task, "compiling"))?;
    let errors = told.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let shown = errors.map(|error| {
        let file = &analysis.files()[error.location.file];
        let line = file.line_index().line_col(error.location.range.start()).line + 1;
        format!("{}:{line}: {} [{}]", file.path, error.message, error.code.id)
    });
    Ok(shown.collect())
}

fn analyze(task: &Task, analyzer: &Analyzer, disk: &Disk) -> Result<Analysis, String> {
    let text = match &task.text {
        Some(text) => text.clone(),
        // As long as what is not read: the analysis says so, and looks at nothing.
        None if disk::is_too_large(&task.path) => " ".repeat(LARGEST_FILE + 1).into(),
        None => disk.named(&task.path)?,
    };
    let loader = Confined::new(disk, &task.configuration);
    let analyze = || {
        let mut analysis = analyzer.analyze(&task.path, text, &task.configuration, &loader, None);
        coopmat_codegen::device::add_diagnostics(&mut analysis);
        analysis
    };
    catch_unwind(AssertUnwindSafe(analyze)).map_err(|_| failed(task, "the analysis"))
}

fn failed(task: &Task, what: &str) -> String {
    format!("{}: {what} failed; this is a bug of coopmat-analyzer", task.path)
}

fn check(task: &Task, analyzer: &Analyzer, disk: &Disk, options: &CheckOptions) -> Result<Checked, String> {
    if let Some((shader, configuration)) = &task.user {
        let user = Task::new(shader.clone(), configuration.clone());
        let mut checked = finish(&user, &analyze(&user, analyzer, disk)?, options)?;
        let header = crate::paths::absolute(&task.path);
        // What the shader lacks, its header lacks.
        checked.findings.retain(|finding| {
            crate::paths::absolute(&finding.location.path) == header
                || *finding.code == codes::MISSING_CONFIGURATION
        });
        checked.part_of = Some((shader.clone(), configuration.name.clone()));
        return Ok(checked);
    }
    finish(task, &analyze(task, analyzer, disk)?, options)
}

fn finish(task: &Task, analysis: &Analysis, options: &CheckOptions) -> Result<Checked, String> {
    let told = catch_unwind(AssertUnwindSafe(|| match options.performance {
        true => with_performance(task, analysis, options),
        false => coopmat_codegen::told(analysis),
    }))
    .map_err(|_| failed(task, "compiling"))?;
    let least = if options.all { Severity::Hint } else { Severity::Information };
    let findings = findings(analysis, &told.diagnostics, least);
    let checked = Checked { findings, unanalysed: told.unanalysed, part_of: None };
    let Some(shader) = &task.shader else { return Ok(checked) };
    let mut codes = told.diagnostics.iter().map(|diagnostic| diagnostic.code.id);
    Ok(strings::told(shader, &task.configuration, least, &mut codes, checked))
}

/// What is told of a shader, with what is known of its speed.
fn with_performance(task: &Task, analysis: &Analysis, options: &CheckOptions) -> Told {
    let mut found = coopmat_codegen::not_compiled(analysis);
    let performance = performance(analysis);
    found.extend(performance.diagnostics);
    if !options.quiet {
        for note in performance.notes {
            output::note(&format!("note: {}: performance is not fully known: {note}", task.name()));
        }
    }
    told_with(analysis, Later::Known(found))
}

/// Diagnostics of an analysis, down to a severity.
fn findings(analysis: &Analysis, diagnostics: &[Diagnostic], least: Severity) -> Vec<Finding> {
    let location = |place: FileRange| location(analysis, place, None);
    let wanted = diagnostics.iter().filter(|d| d.severity <= least);
    let findings = wanted.map(|diagnostic| Finding {
        code: diagnostic.code,
        severity: diagnostic.severity,
        message: diagnostic.message.clone(),
        unanalysed: not_looked_at(analysis, diagnostic).map(|found| found.name),
        location: location(diagnostic.location),
        related: diagnostic
            .related
            .iter()
            .map(|related| (location(related.location), related.message.clone()))
            .collect(),
        runs: Vec::new(),
    });
    findings.collect()
}
