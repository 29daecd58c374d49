//! Where the instructions of a shader come from, and where its variables can be seen.

use std::collections::HashMap;

use coopmat_analysis::text::{LineIndex, TextSize, WideEncoding};
use coopmat_analysis::{Analysis, scopes};
use coopmat_codegen::Compiled;
use coopmat_simulator::debugger::{Lines, Place};
use coopmat_spirv::dr::{Instruction, Operand};
use coopmat_spirv::spirv::{Op, StorageClass};

/// The lines of a shader that was compiled with every local as a variable, with columns in UTF-16. `name`: what the host calls a file.
pub fn lines_of(analysis: &Analysis, compiled: &Compiled, name: impl Fn(&str) -> String) -> Lines {
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut files = Vec::new();
    let mut seen = Vec::new();
    let instructions = compiled.module.all_inst_iter().enumerate();
    let places = instructions.map(|(index, instruction)| {
        let location = compiled.map.place(analysis, index)?.location;
        let source = &analysis.files()[location.file];
        let lines = source.line_index();
        let (line, column) = position(lines, location.range.start());
        let (end_line, end_column) = position(lines, location.range.end());
        let file = *numbers.entry(name(&source.path)).or_insert_with_key(|name| {
            files.push(name.clone());
            files.len() as u32 - 1
        });
        if is_local(instruction) {
            let end = scopes::end_of_scope(&source.text, usize::from(location.range.end()));
            let last = source.text.get(..end).map_or(0, |before| before.matches('\n').count() as u32);
            seen.push((index as u32, line, last));
        }
        Some(Place { file, line, column, end_line, end_column })
    });
    let places = places.collect();
    let mut lines = Lines::new(files, places);
    for (variable, first, last) in seen {
        lines.add_scope(variable, first, last);
    }
    lines
}

fn position(index: &LineIndex, offset: TextSize) -> (u32, u32) {
    let Some(at) = index.try_line_col(offset) else { return (0, 0) };
    (at.line, index.to_wide(WideEncoding::Utf16, at).map_or(at.col, |wide| wide.col))
}

fn is_local(instruction: &Instruction) -> bool {
    instruction.class.opcode == Op::Variable
        && matches!(instruction.operands.first(), Some(Operand::StorageClass(StorageClass::Function)))
}
