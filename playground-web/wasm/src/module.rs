//! Modules among the page's files: assembly text (`.spvasm`), and words, of a file (`.spv`) or that another compiler made of one (`.wgsl`).

use coopmat_analysis::config::Configuration;
use coopmat_analysis::devices;
use coopmat_analysis::text::LineIndex;
use coopmat_simulator::debugger::{self, Lines};
use coopmat_spirv::assembly;
use coopmat_spirv::debug::{DebugInfo, Inlined};
use coopmat_spirv::dr::Module;
use coopmat_spirv::text::{Options, disassemble, names_of_results};
use rustc_hash::FxHashMap;

use crate::files::{FOLDER, Files, path_of};
use crate::places::{self, Place, Position};
use crate::prepare::{Data, Problem};
use crate::shader::{Code, Shader};

const ASSEMBLY: &str = ".spvasm";
const WORDS: &str = ".spv";
const WGSL: &str = ".wgsl";

/// Whether a file is a module by its name.
pub fn is_named(name: &str) -> bool {
    [ASSEMBLY, WORDS, WGSL].iter().any(|extension| name.ends_with(extension))
}

/// A module that was not compiled here.
pub struct Foreign {
    pub module: Module,
    /// Where each instruction is: in the text of the module, or in its source.
    pub places: Vec<Option<Place>>,
    /// For variables that are declared inside a block of the source: the instruction, the first and the last line.
    scopes: Vec<(u32, u32, u32)>,
    /// What the module's own text calls ids, if the places are in it.
    ids: FxHashMap<u32, String>,
    /// Calls of the source that were inlined, and the instructions that are their text.
    calls: Vec<(Inlined, Option<Place>)>,
    inlined: FxHashMap<u32, u32>,
    /// The texts that the module holds of its source.
    pub sources: Vec<Source>,
    pub configuration: Configuration,
}

/// A text that is no file of the page.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Source {
    /// What places call it.
    pub name: String,
    pub text: String,
}

/// The module of a file. `device`: what checked mode holds its shapes against.
pub fn shader(files: &Files, data: &Data, name: &str, device: Option<&String>) -> Result<Shader, Problem> {
    let foreign = if name.ends_with(ASSEMBLY) { of_text(files, name) } else { of_words(files, data, name) };
    let mut foreign = foreign?;
    if let Some(device) = device {
        devices::find(device).map_err(Problem::new)?;
        foreign.configuration.device = Some(device.clone());
    }
    Ok(Shader { name: name.to_owned(), code: Code::Module(Box::new(foreign)), chosen: Vec::new() })
}

/// As in an editor, places are in the text, whatever the module says of its source: the text is what is worked on.
fn of_text(files: &Files, name: &str) -> Result<Foreign, Problem> {
    let text = files.text(&path_of(name)).ok_or_else(|| Problem::new(format!("there is no file {name}")))?;
    let parsed = assembly::parse(&text);
    let index = LineIndex::new(&text);
    let place = |range: std::ops::Range<usize>| places::of_indexed(name, &index, text.len(), range);
    let Some(module) = parsed.module else {
        let first = parsed.errors.into_iter().next();
        let message = first.as_ref().map_or("there is no module in it", |first| first.message.as_str());
        let message = format!("{name} is not assembled: {message}");
        return Err(Problem { message, place: first.map(|first| place(first.range)) });
    };
    let places = parsed.instructions.into_iter().map(|one| Some(place(one.range))).collect();
    Ok(Foreign {
        module,
        places,
        scopes: Vec::new(),
        ids: names_of_results(&text, &parsed.spans),
        calls: Vec::new(),
        inlined: FxHashMap::default(),
        sources: Vec::new(),
        configuration: Configuration::default(),
    })
}

fn of_words(files: &Files, data: &Data, name: &str) -> Result<Foreign, Problem> {
    let bytes = data.get(name).ok_or_else(|| Problem::new(format!("the page has no module {name}")))?;
    let module = coopmat_spirv::load_bytes(bytes);
    let module = module.map_err(|error| Problem::new(format!("{name}: {error}")))?;
    let debug = DebugInfo::of(&module);
    let mut sources = Vec::new();
    let names: Vec<Option<String>> =
        debug.files.iter().map(|file| source_name(files, name, file, &mut sources)).collect();
    let place = |one: &Option<coopmat_spirv::debug::Place>| {
        let one = one.as_ref()?;
        let at = |line: u32, column: u32| Position {
            line: line.saturating_sub(1),
            character: column.saturating_sub(1),
        };
        Some(Place {
            file: names.get(one.file as usize)?.clone()?,
            start: at(one.line, one.column),
            end: at(one.end_line, one.end_column),
        })
    };
    let mut places: Vec<Option<Place>> = debug.places.iter().map(place).collect();
    let (mut scopes, mut inlined, mut ids) = (debug.scopes, debug.inlined, FxHashMap::default());
    let calls = debug.calls.into_iter().map(|call| (place(&call.place), call));
    let mut calls: Vec<(Inlined, Option<Place>)> = calls.map(|(place, call)| (call, place)).collect();
    if places.iter().all(Option::is_none) {
        // What the page shows of the file is this text.
        (places, ids) = of_listing(name, &module);
        scopes.clear();
        calls.clear();
        inlined.clear();
        sources.clear();
    }
    for (_, first, last) in &mut scopes {
        *first = first.saturating_sub(1);
        *last = last.saturating_sub(1);
    }
    let configuration = Configuration::default();
    Ok(Foreign { module, places, scopes, ids, calls, inlined, sources, configuration })
}

/// What the page calls a file of a module's source: one of its own files if its text is what the module holds, or if the module does not say; else the
/// text that the module holds, which is added to `sources`. Nothing for a file of which no text is known.
fn source_name(
    files: &Files,
    module: &str,
    file: &coopmat_spirv::debug::File,
    sources: &mut Vec<Source>,
) -> Option<String> {
    let base = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    let wanted = base(&file.name);
    let all = files.under(FOLDER, true);
    let named = |path: &&String| base(path) == wanted;
    let whole = all.iter().find(|path| crate::files::name_of(path) == file.name);
    let alone = || all.iter().find(named).filter(|_| all.iter().filter(named).count() == 1);
    let own = whole.or_else(alone);
    let same = |path: &&String| match (&file.text, files.text(path)) {
        (Some(text), Some(own)) => text.trim_end() == own.trim_end(),
        (None, own) => own.is_some(),
        (Some(_), None) => false,
    };
    if let Some(own) = own.filter(same) {
        return Some(crate::files::name_of(own).to_owned());
    }
    let text = file.text.clone().filter(|text| !text.is_empty())?;
    let name = format!("{module} › {wanted}");
    if !sources.iter().any(|source| source.name == name) {
        sources.push(Source { name: name.clone(), text });
    }
    Some(name)
}

/// The places of instructions in the text of a module, and what that calls ids.
fn of_listing(name: &str, module: &Module) -> (Vec<Option<Place>>, FxHashMap<u32, String>) {
    let listing = disassemble(module, &Options::default());
    let index = LineIndex::new(&listing.text);
    let mut places = vec![None; module.all_inst_iter().count()];
    for line in &listing.lines {
        let Some(place) = line.instruction.and_then(|it| places.get_mut(it as usize)) else { continue };
        if place.is_none() {
            let (start, end) = (line.range.start as usize, line.range.end as usize);
            let text = listing.text.get(start..end).unwrap_or_default();
            let start = end - text.trim_start().len();
            *place = Some(places::of_indexed(name, &index, listing.text.len(), start..end));
        }
    }
    (places, names_of_results(&listing.text, &listing.spans))
}

impl Foreign {
    /// What the debugger steps by.
    pub fn lines(&self) -> Lines {
        let mut files: Vec<String> = Vec::new();
        let mut place = |one: &Option<Place>| {
            let Place { file, start, end } = one.as_ref()?;
            let number = files.iter().position(|known| known == file).unwrap_or_else(|| {
                files.push(file.clone());
                files.len() - 1
            });
            Some(debugger::Place {
                file: number as u32,
                line: start.line,
                column: start.character,
                end_line: end.line,
                end_column: end.character,
            })
        };
        let places = self.places.iter().map(&mut place).collect();
        let call = |(call, at): &(Inlined, Option<Place>)| debugger::Call {
            function: call.function.clone(),
            place: place(at),
            outer: call.outer,
        };
        let calls = self.calls.iter().map(call).collect();
        let mut lines = Lines::new(files, places).of_own_text(self.ids.clone());
        lines.set_calls(calls, self.inlined.clone());
        for &(variable, first, last) in &self.scopes {
            lines.add_scope(variable, first, last);
        }
        lines
    }
}
