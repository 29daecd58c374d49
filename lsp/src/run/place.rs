//! Which line of which file each instruction of a module comes from.

use coopmat_analysis::Analysis;
use coopmat_analysis::text::FileId;
use coopmat_codegen::InstructionMap;
use coopmat_recipe::report::SourcePlace;
use coopmat_spirv::dr;
use coopmat_spirv::spirv::Op;

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
            let path = if location.file == FileId::ROOT {
                &*analysis.files()[FileId::ROOT].path
            } else {
                &*file.path
            };
            Some(SourcePlace { path: path.to_owned(), line: at.line + 1, column: at.col + 1 })
        };
        Places((0..map.len()).map(place).collect())
    }

    /// Of a module that tells its lines (`OpLine`).
    pub fn of_lines(module: &dr::Module) -> Places {
        let mut names = std::collections::HashMap::new();
        let mut here = None;
        let places = module.all_inst_iter().map(|instruction| {
            match (instruction.class.opcode, instruction.operands.as_slice()) {
                (Op::String, [dr::Operand::LiteralString(name)]) => {
                    names.insert(instruction.result_id, name.clone());
                }
                (
                    Op::Line,
                    [
                        dr::Operand::IdRef(file),
                        dr::Operand::LiteralBit32(line),
                        dr::Operand::LiteralBit32(column),
                    ],
                ) => {
                    let path = names.get(&Some(*file)).cloned().unwrap_or_default();
                    here = Some(SourcePlace { path, line: *line, column: *column });
                }
                (Op::NoLine | Op::FunctionEnd, _) => here = None,
                _ => {}
            }
            here.clone()
        });
        Places(places.collect())
    }
}
