//! Which line each instruction comes from, and what a line of source has.

use coopmat_spirv::debug::{self, DebugInfo};
use coopmat_spirv::dr::Module;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::program::{ProgramData, Terminator};

/// A piece of source text. Lines and columns count from zero; columns are in the host's units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The index in [`Lines::files`].
    pub file: u32,
    /// The first line.
    pub line: u32,
    /// Where it begins in the first line.
    pub column: u32,
    /// The last line.
    pub end_line: u32,
    /// Where it ends in the last line.
    pub end_column: u32,
}

/// Where the instructions of a module come from, by their index in it. The host knows, or the module tells.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// Names of files, as the host or the module calls them.
    pub files: Vec<String>,
    /// Texts of files that the module holds.
    texts: Vec<Option<String>>,
    places: Vec<Option<Place>>,
    /// For variables that are declared inside a function: the lines in which they can be seen, by their instruction.
    scopes: FxHashMap<u32, (u32, u32)>,
    /// Calls that were inlined.
    calls: Vec<Call>,
    /// The call of which an instruction is the text.
    inlined: FxHashMap<u32, u32>,
    /// What the text in which the places are calls ids, if that is the module's own: then values are shown, too.
    ids: FxHashMap<u32, String>,
}

/// A call of the source whose function's text stands where it was called.
#[derive(Clone, Debug)]
pub struct Call {
    /// The function that was called.
    pub function: String,
    /// Where it was called.
    pub place: Option<Place>,
    /// The call in whose text this one is, by its index: one before.
    pub outer: Option<u32>,
}

/// No line at all.
pub(super) const NOWHERE: u64 = u64::MAX;

impl Lines {
    /// `places` has one for each instruction of the module, in order; none for what comes from no line.
    pub fn new(files: Vec<String>, places: Vec<Option<Place>>) -> Lines {
        Lines { files, places, ..Lines::default() }
    }

    /// Says that the places are in the module's own text, and what that calls ids.
    #[must_use]
    pub fn of_own_text(mut self, ids: FxHashMap<u32, String>) -> Lines {
        self.ids = ids;
        self
    }

    /// Gives the text of a file, which the host cannot read.
    pub fn set_text(&mut self, file: u32, text: String) {
        let file = file as usize;
        if self.texts.len() <= file {
            self.texts.resize(file + 1, None);
        }
        if let Some(slot) = self.texts.get_mut(file) {
            *slot = Some(text);
        }
    }

    /// Takes back the text of a file, which the host can read.
    pub fn forget_text(&mut self, file: u32) {
        if let Some(slot) = self.texts.get_mut(file as usize) {
            *slot = None;
        }
    }

    /// Gives the calls that were inlined, and of which of them an instruction is the text, by its index in the module.
    pub fn set_calls(&mut self, calls: Vec<Call>, inlined: FxHashMap<u32, u32>) {
        self.calls = calls;
        self.inlined = inlined;
    }

    /// Says in which lines, the last one included, a variable can be seen: the index of its `OpVariable`.
    pub fn add_scope(&mut self, variable: u32, first: u32, last: u32) {
        self.scopes.insert(variable, (first, last));
    }

    /// What a module tells by itself.
    pub fn of_module(module: &Module) -> Lines {
        let debug = DebugInfo::of(module);
        let from_zero = |place: debug::Place| Place {
            file: place.file,
            line: place.line.saturating_sub(1),
            column: place.column.saturating_sub(1),
            end_line: place.end_line.saturating_sub(1),
            end_column: place.end_column.saturating_sub(1),
        };
        let places = debug.places.into_iter().map(|place| place.map(from_zero)).collect();
        let call = |call: debug::Inlined| Call {
            function: call.function,
            place: call.place.map(from_zero),
            outer: call.outer,
        };
        let calls = debug.calls.into_iter().map(call).collect();
        let (files, texts) = debug.files.into_iter().map(|file| (file.name, file.text)).unzip();
        let mut lines = Lines { texts, calls, inlined: debug.inlined, ..Lines::new(files, places) };
        for (variable, first, last) in debug.scopes {
            lines.add_scope(variable, first.saturating_sub(1), last.saturating_sub(1));
        }
        lines
    }

    /// The text of a file, by its index in [`Lines::files`], if the module holds it.
    pub fn text(&self, file: u32) -> Option<&str> {
        self.texts.get(file as usize)?.as_deref()
    }

    /// Whether no instruction has a place.
    pub fn is_empty(&self) -> bool {
        self.places.iter().all(Option::is_none)
    }

    /// The place of an instruction, by its index in the module.
    pub fn place(&self, instruction: u32) -> Option<Place> {
        self.places.get(instruction as usize).copied().flatten()
    }

    /// The line of each instruction as one number. Branches at the end of a construct come from its first line, to which the run does
    /// not go back for them: they have none, unless they are all that their line has (`break`).
    pub(super) fn rows(&self, program: &ProgramData) -> Vec<u64> {
        let row = |place: &Option<Place>| {
            place.map_or(NOWHERE, |place| u64::from(place.file) << 32 | u64::from(place.line))
        };
        let mut rows: Vec<u64> = self.places.iter().map(row).collect();
        for function in &program.functions {
            let at = |origin: u32| rows.get(origin as usize).copied().unwrap_or(NOWHERE);
            let mut branches = Vec::new();
            let mut others = FxHashSet::default();
            for block in &function.blocks {
                if let (Terminator::Branch(_), Some((&last, rest))) =
                    (&block.terminator, block.origins.split_last())
                {
                    branches.push(last);
                    others.extend(rest.iter().map(|&origin| at(origin)));
                } else {
                    others.extend(block.origins.iter().map(|&origin| at(origin)));
                }
            }
            branches.retain(|&branch| others.contains(&at(branch)));
            for branch in branches {
                if let Some(row) = rows.get_mut(branch as usize) {
                    *row = NOWHERE;
                }
            }
        }
        rows
    }

    /// The number of the call of which an instruction is the text.
    pub(super) fn call_at(&self, instruction: u32) -> Option<u32> {
        self.inlined.get(&instruction).copied()
    }

    /// A call that was inlined.
    pub(super) fn call(&self, number: u32) -> Option<&Call> {
        self.calls.get(number as usize)
    }

    /// The calls of which an instruction is the text, the innermost first.
    pub(super) fn calls_at(&self, instruction: u32) -> impl Iterator<Item = u32> {
        // A call is behind those around it.
        std::iter::successors(self.call_at(instruction), |inner| {
            self.call(*inner)?.outer.filter(|outer| outer < inner)
        })
    }

    /// How many calls were inlined at each instruction; nothing if none was.
    pub(super) fn inlined_depths(&self) -> Vec<u32> {
        if self.inlined.is_empty() {
            return Vec::new();
        }
        (0..self.places.len() as u32).map(|at| self.calls_at(at).count() as u32).collect()
    }

    /// What the module's own text calls an id.
    pub(super) fn id(&self, id: u32) -> Option<&str> {
        self.ids.get(&id).map(String::as_str)
    }

    /// Whether the places are in the module's own text.
    pub(super) fn is_own_text(&self) -> bool {
        !self.ids.is_empty()
    }

    pub(super) fn scope(&self, variable: u32) -> Option<(u32, u32)> {
        self.scopes.get(&variable).copied()
    }

    /// The first line from this one on that has one of these instructions.
    pub(super) fn with_code(&self, file: u32, line: u32, code: impl Iterator<Item = u32>) -> Option<u32> {
        let places = code.filter_map(|instruction| self.place(instruction));
        places.filter(|place| place.file == file && place.line >= line).map(|place| place.line).min()
    }
}
