//! Configurations that a build has already: the compiler calls in `compile_commands.json`, in the log of a build or of a
//! generator of shader variants, or on a command line. Each call of glslc or glslang becomes one configuration of its shader.

mod command;
mod commands;
mod database;
mod lists;
mod log;
mod paths;
mod responses;
mod shell;
mod text;
mod tool;
mod words;
mod write;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::project::Settings;
use crate::text::{TextRange, TextSize};

use command::Fault;
use paths::file_name;
use responses::Responses;
use tool::{Tool, mentions_a_compiler};

pub use text::text;
pub use write::{Written, project_file};

/// Files that an editor's server takes configurations from where no project file says otherwise: the names that CMake
/// gives, and what people call the output of a generator of variants.
pub const USUAL_NAMES: &[&str] = &["compile_commands.json", "glslc.log", "vulkan-shaders-gen.log"];

/// Reads a response file, or says why not. With its path comes that of the response file that names it; none where the log or the command line does.
pub type Read<'a> = &'a dyn Fn(&str, Option<&str>) -> Result<Arc<str>, String>;

/// One shader under one configuration, as a compiler was called for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Absolute where the import says from where, with `/`.
    pub source: String,
    /// What the build calls the result: `matmul_f16` of `matmul_f16.spv`.
    pub name: String,
    /// What the call says: macros, folders, target, stage.
    pub settings: Settings,
    /// Line of the import, from 1; 0 on a command line.
    pub line: u32,
}

/// What one file brings.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// By source, then by name: the order of a build that runs in parallel is another one each time.
    variants: Vec<Variant>,
    /// For each source, where its variants begin and end.
    by_source: FxHashMap<String, (usize, usize)>,
    /// Sources by their file name, for shaders that stand elsewhere than when the import was made.
    by_file_name: FxHashMap<String, Vec<String>>,
    /// Calls that bring nothing, with the reason: HLSL, OpenGL.
    pub skipped: Vec<(u32, &'static str)>,
    /// Options of calls that are imported which no setting can say, with the reason.
    pub unsaid: Vec<(u32, String)>,
}

/// Something in an import that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// In bytes of the import's text.
    pub range: TextRange,
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
    /// What was expected, what was found.
    pub message: String,
}

/// Where something is: bytes of the text, line and column of the first of them.
#[derive(Clone, Debug)]
struct Position {
    range: std::ops::Range<usize>,
    line: u32,
    column: u32,
}

impl Position {
    /// What is in the line that is known to start at `start.0` and to have the number `start.1`, or in a line after it.
    fn after(text: &str, start: (usize, u32), range: std::ops::Range<usize>) -> Position {
        let before = text.get(start.0..range.start).unwrap_or_default();
        let line = start.1 + before.matches('\n').count() as u32;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() as u32 + 1;
        Position { range, line, column }
    }
}

impl ImportError {
    fn new(position: Position, message: String) -> ImportError {
        let Position { range, line, column } = position;
        let at = |offset: usize| TextSize::new(u32::try_from(offset).unwrap_or(u32::MAX));
        let range = TextRange::new(at(range.start), at(range.end.max(range.start)));
        ImportError { range, line, column, message }
    }
}

/// Reads the text of a log or of a `compile_commands.json`. What can be used is used, whatever is wrong with the rest.
///
/// `path` is where the text stands: relative paths in a log count from its folder. `read` gives response files.
pub fn read(text: &str, path: &str, read: Read<'_>) -> (Imported, Vec<ImportError>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut calls = Calls::new(read);
    if text.len() > LARGE && !mentions_a_compiler(text) {
        return (Imported::default(), Vec::new());
    }
    if is_database(text, path) {
        database::read(text, folder, &mut calls);
    } else {
        log::read(text, folder, &mut calls);
    }
    calls.finish()
}

/// Reads the words of one command line, the compiler first. Relative paths count from `folder`.
///
/// # Errors
/// What is wrong with the command line.
pub fn command_line(arguments: &[String], folder: &str, read: Read<'_>) -> Result<Imported, String> {
    let Some((program, rest)) = arguments.split_first() else {
        return Err("expected a compiler and its arguments, such as `glslc -DN=4 a.comp -o a.spv`".to_owned());
    };
    let Some(tool) = Tool::of(program) else {
        return Err(format!(
            "`{program}` is not a known compiler: expected glslc, glslangValidator or glslang"
        ));
    };
    let mut calls = Calls::new(read);
    let call = command::read(tool, rest, folder, &mut calls.responses).map_err(Fault::message)?;
    if call.inputs.is_empty() {
        let why = call.skipped.unwrap_or("it does not name a shader to compile");
        return Err(format!("this call of {program} gives no configuration: {why}"));
    }
    calls.add(call, Position { range: 0..0, line: 0, column: 0 });
    Ok(calls.finish().0)
}

/// What one call of a compiler says.
#[derive(Clone, Debug)]
pub struct CompilerCall {
    /// One of each shader that it compiles.
    pub variants: Vec<Variant>,
    /// What the call says of the shader that it reads from standard input.
    pub stdin: Option<Settings>,
    /// Where the result goes; a name for standard output is taken as a file's.
    pub output: Option<String>,
    /// Why shaders of it are no variants.
    pub skipped: Option<&'static str>,
}

/// Reads one call of a compiler, for whoever is to do what it says.
///
/// # Errors
/// What is wrong with the call.
pub fn call(
    program: &str,
    arguments: &[String],
    folder: &str,
    read: Read<'_>,
) -> Result<CompilerCall, String> {
    let tool = Tool::of(program).ok_or_else(|| format!("`{program}` is not a known compiler"))?;
    let mut responses = Responses::new(read);
    let call = command::read(tool, arguments, folder, &mut responses).map_err(Fault::message)?;
    let variant = |input: command::Input| {
        let name = call.output.as_deref().map_or_else(|| name_of_defines(&input.settings), name_of_output);
        Variant { source: input.source, name, settings: input.settings, line: 0 }
    };
    let variants = call.inputs.into_iter().map(variant).collect();
    Ok(CompilerCall { variants, stdin: call.stdin, output: call.output, skipped: call.skipped })
}

/// The words of a call with those of its response files in their place, which a build may take away again.
///
/// # Errors
/// Why a response file cannot be used.
pub fn expand(arguments: &[String], folder: &str, read: Read<'_>) -> Result<Vec<String>, String> {
    Responses::new(read).expand(arguments, folder).map_err(Fault::message)
}

/// Bytes of a file beyond which a look at the text alone decides whether it is read: that of a large C++ project is no shader's.
const LARGE: usize = 1 << 20;

fn is_database(text: &str, path: &str) -> bool {
    path.ends_with(".json")
        || text.trim_start().starts_with(['[', '{']) && text.trim_end().ends_with([']', '}'])
}

/// What is found while a text is read.
struct Calls<'r> {
    responses: Responses<'r>,
    found: Vec<(Variant, Option<String>)>,
    skipped: Vec<(u32, &'static str)>,
    unsaid: Vec<(u32, String)>,
    errors: Vec<ImportError>,
    /// Mistakes behind those that are told.
    more_errors: usize,
    /// Calls for which there is no room, the first of them with its position.
    left_out: Option<(Position, usize)>,
}

impl<'r> Calls<'r> {
    /// Configurations, far above any build: what a hostile file can make us hold.
    const MOST: usize = 100_000;
    /// Mistakes. A file of another kind may have one in every line.
    const MOST_ERRORS: usize = 1_000;

    fn new(read: Read<'r>) -> Calls<'r> {
        Calls {
            responses: Responses::new(read),
            found: Vec::new(),
            skipped: Vec::new(),
            unsaid: Vec::new(),
            errors: Vec::new(),
            more_errors: 0,
            left_out: None,
        }
    }

    fn add(&mut self, call: command::Call, position: Position) {
        if let Some(why) = call.skipped {
            self.skipped.push((position.line, why));
        }
        let inputs = call.inputs.len();
        if self.found.len() + inputs > Calls::MOST {
            return self.leave_out(position);
        }
        self.unsaid.extend(call.unsaid.map(|what| (position.line, what)));
        for input in call.inputs {
            // One output cannot be of several inputs.
            let output = call.output.clone().filter(|_| inputs == 1);
            let name = output.as_deref().map_or_else(|| name_of_defines(&input.settings), name_of_output);
            let variant =
                Variant { source: input.source, name, settings: input.settings, line: position.line };
            self.found.push((variant, output));
        }
    }

    fn error(&mut self, position: Position, message: String) {
        if self.tells_more() {
            self.errors.push(ImportError::new(position, message));
        } else {
            self.more_errors += 1;
        }
    }

    /// Whether one more mistake is told.
    fn tells_more(&self) -> bool {
        self.errors.len() < Calls::MOST_ERRORS
    }

    fn leave_out(&mut self, position: Position) {
        self.left_out.get_or_insert((position, 0)).1 += 1;
    }

    /// Tells what was left out.
    fn close_errors(&mut self) {
        if let (more @ 1.., Some(last)) = (self.more_errors, self.errors.last()) {
            let message = format!("and {more} more mistakes after this one");
            self.errors.push(ImportError { message, ..last.clone() });
        }
        if let Some((position, count)) = self.left_out.take() {
            let these = match count {
                1 => "this call is left out".to_owned(),
                _ => format!("this call and {} after it are left out", count - 1),
            };
            let message =
                format!("{these}: {}, and make {} configurations", Responses::bounds(), Calls::MOST);
            self.errors.push(ImportError::new(position, message));
        }
    }

    fn finish(mut self) -> (Imported, Vec<ImportError>) {
        self.close_errors();
        let mut found = self.found;
        found.sort_by(|(a, _), (b, _)| (&a.source, &a.name, a.line).cmp(&(&b.source, &b.name, b.line)));
        let mut imported = Imported { skipped: self.skipped, unsaid: self.unsaid, ..Imported::default() };
        for group in found.chunk_by(|(a, _), (b, _)| a.source == b.source && a.name == b.name) {
            // A build that ran twice into one log says everything twice.
            let mut known = BTreeSet::new();
            let distinct = group.iter().filter(|one| known.insert(said_by_calls(&one.0.settings)));
            let distinct: Vec<&(Variant, Option<String>)> = distinct.collect();
            let names = distinct_names(&distinct);
            for (one, name) in distinct.into_iter().zip(names) {
                imported.variants.push(Variant { name, ..one.0.clone() });
            }
        }
        imported.variants.sort_by(|a, b| (&a.source, &a.name, a.line).cmp(&(&b.source, &b.name, b.line)));
        imported.index();
        (imported, self.errors)
    }
}

/// The part of settings that compilers' calls speak of, in an order.
fn said_by_calls(settings: &Settings) -> impl Ord + '_ {
    let Settings { defines, include_dirs, target_env, google_include, stage, version, .. } = settings;
    let version = version.map(|version| version.to_string());
    (defines, include_dirs, target_env, google_include, stage, version)
}

/// The file name of an output without what compilers append.
fn name_of_output(output: &str) -> String {
    let name = output.rsplit('/').next().unwrap_or(output);
    let name = name.strip_suffix(".h").or_else(|| name.strip_suffix(".inc")).unwrap_or(name);
    let name = name.strip_suffix(".spv").or_else(|| name.strip_suffix(".spirv")).unwrap_or(name);
    // `-`: standard output.
    if matches!(name, "" | "-") { "default".to_owned() } else { name.to_owned() }
}

fn name_of_defines(settings: &Settings) -> String {
    let defines = settings.defines.iter().map(|(name, value)| match value {
        Some(value) => format!("{name}={value}"),
        None => name.clone(),
    });
    let name = defines.collect::<Vec<_>>().join(" ");
    if name.is_empty() { "default".to_owned() } else { name }
}

/// Names for configurations of one shader whose outputs are called the same: with as many of the outputs' folders in front as
/// it takes, else with numbers.
fn distinct_names(group: &[&(Variant, Option<String>)]) -> Vec<String> {
    let with_folders = |(variant, output): &(Variant, Option<String>), depth: usize| {
        let folders = output.as_deref().unwrap_or_default().rsplit('/').skip(1);
        let mut folders: Vec<&str> = folders.take(depth).filter(|folder| !folder.is_empty()).collect();
        folders.reverse();
        folders.push(&variant.name);
        folders.join("/")
    };
    const DEEPEST: usize = 8;
    let names_at = |depth| -> Vec<String> { group.iter().map(|one| with_folders(one, depth)).collect() };
    let distinct = |names: &[String]| names.iter().collect::<FxHashSet<_>>().len();
    let mut names = names_at(0);
    for depth in 1..=DEEPEST {
        let longer = names_at(depth);
        if distinct(&longer) > distinct(&names) {
            names = longer;
        }
    }
    let mut times: FxHashMap<String, usize> = FxHashMap::default();
    for name in &mut names {
        let times = times.entry(name.clone()).or_default();
        *times += 1;
        if *times > 1 {
            *name = format!("{name} ({times})");
        }
    }
    names
}

impl Imported {
    fn index(&mut self) {
        for (at, variant) in self.variants.iter().enumerate() {
            let range = self.by_source.entry(variant.source.clone()).or_insert_with(|| {
                let name = file_name(&variant.source).to_owned();
                self.by_file_name.entry(name).or_default().push(variant.source.clone());
                (at, at)
            });
            range.1 = at + 1;
        }
    }

    /// All of them, by source, then by name.
    pub fn variants(&self) -> &[Variant] {
        &self.variants
    }

    /// Leaves out the configurations that are not wanted; tells how many these are.
    pub fn retain(&mut self, wanted: impl FnMut(&Variant) -> bool) -> usize {
        let before = self.variants.len();
        self.variants.retain(wanted);
        self.by_source.clear();
        self.by_file_name.clear();
        self.index();
        before - self.variants.len()
    }

    /// How many shaders there are configurations of.
    pub fn sources(&self) -> usize {
        self.by_source.len()
    }

    /// The configurations of a shader. `folder` is the project's: where the import tells of shaders outside of it, it was
    /// made elsewhere, and the shader with the most like path is taken.
    pub fn of(&self, path: &str, folder: &str) -> &[Variant] {
        let found = self.by_source.get(path).or_else(|| {
            let inside = |source: &str| {
                source.strip_prefix(folder.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
            };
            let alike =
                |source: &str| source.rsplit('/').zip(path.rsplit('/')).take_while(|(a, b)| a == b).count();
            let sources = self.by_file_name.get(file_name(path))?;
            let best = sources.iter().filter(|source| !inside(source)).max_by_key(|source| alike(source))?;
            self.by_source.get(best)
        });
        found.and_then(|&(from, to)| self.variants.get(from..to)).unwrap_or_default()
    }
}

impl Variant {
    /// The settings for the shader at `path`. Where that is another place than the import's, folders that lay beside the shader or below the folders
    /// above it are those that lie so beside `path`: what the paths end with alike has moved together.
    pub fn settings_at(&self, path: &str) -> Cow<'_, Settings> {
        let alike = self.source.rsplit('/').zip(path.rsplit('/')).take_while(|(a, b)| a == b);
        let length: usize = alike.map(|(part, _)| part.len() + 1).sum();
        let (Some(before), Some(now)) = (without_end(&self.source, length), without_end(path, length)) else {
            return Cow::Borrowed(&self.settings);
        };
        // At the root of a disk nothing lies beside anything.
        if before == now || before.is_empty() || self.settings.include_dirs.is_empty() {
            return Cow::Borrowed(&self.settings);
        }
        let mut settings = self.settings.clone();
        for folder in &mut settings.include_dirs {
            let below = folder.strip_prefix(before).filter(|rest| rest.is_empty() || rest.starts_with('/'));
            if let Some(below) = below {
                *folder = format!("{now}{below}");
            }
        }
        Cow::Owned(settings)
    }
}

fn without_end(path: &str, length: usize) -> Option<&str> {
    path.get(..path.len().checked_sub(length)?)
}

#[cfg(test)]
mod tests;
