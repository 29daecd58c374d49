//! Which line of which file each instruction of a module comes from.

use coopmat_analysis::Analysis;
use coopmat_codegen::InstructionMap;
use coopmat_recipe::report::SourcePlace;
use coopmat_simulator::debugger::{Lines, Place};
use coopmat_spirv::debug::DebugInfo;
use coopmat_spirv::{dr, text};

use crate::embedded::file_of;

/// Places by the instruction's index in the module.
#[derive(Default)]
pub struct Places {
    places: Vec<Option<SourcePlace>>,
    /// Texts of files, by their names, if the module holds them or is a text itself.
    texts: Vec<(String, String)>,
}

impl Places {
    pub fn of(&self, instruction: u32) -> Option<SourcePlace> {
        self.places.get(instruction as usize).cloned().flatten()
    }

    /// The text of a place's line, if it is known without reading a file.
    pub fn line(&self, place: &SourcePlace) -> Option<&str> {
        let (_, text) = self.texts.iter().find(|(path, _)| *path == place.path)?;
        text.lines().nth((place.line as usize).checked_sub(1)?)
    }

    /// Of a module that we compiled.
    pub fn of_map(analysis: &Analysis, map: &InstructionMap) -> Places {
        let files = analysis.files();
        let place = |index: usize| {
            let location = map.place(analysis, index)?.location;
            let file = &files[location.file];
            let at = file.line_index().line_col(location.range.start());
            Some(SourcePlace { path: file_of(&file.path).to_owned(), line: at.line + 1, column: at.col + 1 })
        };
        Places { places: (0..map.len()).map(place).collect(), texts: Vec::new() }
    }

    /// What a module tells itself.
    pub fn of_module(module: &dr::Module) -> Places {
        let debug = DebugInfo::of(module);
        let places = coopmat_recipe::places::of(&debug);
        let texts = debug.files.into_iter().filter_map(|file| Some((file.name, file.text?)));
        Places { places, texts: texts.collect() }
    }

    /// Of a module that is a text: a place in it for each instruction.
    pub fn of_text(path: &str, text: &str, places: Vec<SourcePlace>) -> Places {
        let places = places.into_iter().map(Some).collect();
        Places { places, texts: vec![(path.to_owned(), text.to_owned())] }
    }

    /// The same for the debugger.
    pub fn lines(&self) -> Lines {
        let mut files: Vec<String> = Vec::new();
        let place = |one: &Option<SourcePlace>| {
            let one = one.as_ref()?;
            let file = files.iter().position(|file| *file == one.path).unwrap_or_else(|| {
                files.push(one.path.clone());
                files.len() - 1
            });
            let (line, column) = (one.line.saturating_sub(1), one.column.saturating_sub(1));
            Some(Place { file: file as u32, line, column, end_line: line, end_column: column })
        };
        let places = self.places.iter().map(place).collect();
        Lines::new(files, places)
    }

    /// Of a module that is not a text and names no source: places in its text as `spirv` writes it, for debuggers that show that.
    pub fn of_listing(path: &str, module: &dr::Module) -> Places {
        let listing = text::disassemble(module, &text::Options::default());
        let mut places = vec![None; module.all_inst_iter().count()];
        for (line, number) in listing.lines.iter().zip(1..) {
            let Some(place) = line.instruction.and_then(|at| places.get_mut(at as usize)) else { continue };
            let words = listing.text.get(line.range.start as usize..line.range.end as usize);
            let words = words.unwrap_or_default();
            let column = (words.len() - words.trim_start().len()) as u32 + 1;
            place.get_or_insert(SourcePlace { path: path.to_owned(), line: number, column });
        }
        Places { places, texts: vec![(path.to_owned(), listing.text)] }
    }

    /// The module's own text, if the places are in it.
    pub fn own_text(&self) -> Option<&str> {
        self.texts.first().map(|(_, text)| text.as_str())
    }

    /// Whether no instruction has a place.
    pub fn is_empty(&self) -> bool {
        self.places.iter().all(Option::is_none)
    }
}
