//! Which line of which file each instruction of a module comes from.

use coopmat_analysis::Analysis;
use coopmat_codegen::InstructionMap;
use coopmat_recipe::report::SourcePlace;
use coopmat_spirv::dr;

use crate::embedded::file_of;

/// Places by the instruction's index in the module.
pub struct Places(Vec<Option<SourcePlace>>);

impl Places {
    pub fn of(&self, instruction: u32) -> Option<SourcePlace> {
        self.0.get(instruction as usize).cloned().flatten()
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
        Places((0..map.len()).map(place).collect())
    }

    /// Of a module that tells its lines (`OpLine`).
    pub fn of_lines(module: &dr::Module) -> Places {
        Places(coopmat_recipe::places::of_lines(module))
    }
}
