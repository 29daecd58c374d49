//! The instructions of a module as a listing: `disassemble`, and breakpoints at instructions.
//!
//! An instruction's address is its index in the module, from a base on, so that what lies before the first one has an address, too.

use coopmat_simulator::debugger::Lines;
use coopmat_spirv::dr::Module;
use coopmat_spirv::text::{self, Options};
use serde::Deserialize;

use crate::sources::{Counting, SourceFile};

/// The address of the first instruction.
const BASE: i64 = 1 << 20;

/// Characters of a string that are shown.
const STRING: usize = 60;

/// The most instructions of an answer.
const MOST: u64 = 100_000;

/// The arguments of `disassemble`, whose offsets may be negative.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Arguments {
    memory_reference: String,
    #[serde(default)]
    offset: i64,
    #[serde(default)]
    instruction_offset: i64,
    instruction_count: u64,
}

/// The arguments of `setInstructionBreakpoints`.
#[derive(Clone, Debug, Deserialize)]
pub struct SetBreakpoints {
    pub breakpoints: Vec<Breakpoint>,
}

/// A breakpoint at an instruction, whose offset may be negative.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Breakpoint {
    instruction_reference: String,
    #[serde(default)]
    offset: i64,
    pub condition: Option<String>,
    pub hit_condition: Option<String>,
}

impl Breakpoint {
    /// The instruction's index in the module.
    ///
    /// # Errors
    /// That this is no instruction.
    pub fn index(&self) -> Result<u32, String> {
        let index = index_of(&self.instruction_reference)?.saturating_add(self.offset);
        u32::try_from(index).map_err(|_| format!("`{}` is no instruction", self.instruction_reference))
    }
}

/// What the client calls an instruction.
pub fn reference(index: i64) -> String {
    format!("0x{:x}", BASE.saturating_add(index).max(0))
}

/// The index in the module of what the client calls an instruction.
fn index_of(reference: &str) -> Result<i64, String> {
    let number = match reference.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => reference.parse(),
    };
    let number = number.map_err(|_| format!("`{reference}` is no reference to an instruction"))?;
    Ok(number.saturating_sub(BASE))
}

/// The texts of a dispatch's instructions.
#[derive(Debug)]
pub struct Listing {
    pub dispatch: usize,
    texts: Vec<String>,
}

impl Listing {
    pub fn new(dispatch: usize, module: &Module) -> Listing {
        let options = Options { header: false, cut_strings: Some(STRING), ..Options::default() };
        let text = text::disassemble(module, &options);
        let mut texts = vec![String::new(); module.all_inst_iter().count()];
        for line in &text.lines {
            let number = line.instruction.and_then(|index| texts.get_mut(index as usize));
            let range = line.range.start as usize..line.range.end as usize;
            if let (Some(shown), Some(words)) = (number, text.text.get(range)) {
                if !shown.is_empty() {
                    shown.push(' ');
                }
                shown.push_str(words.trim());
            }
        }
        Listing { dispatch, texts }
    }

    /// As many instructions as the client asks for; those before the first and after the last one are not valid.
    ///
    /// # Errors
    /// That the reference is none.
    pub fn part(
        &self,
        wanted: &Arguments,
        lines: &Lines,
        counting: Counting,
    ) -> Result<Vec<dapts::DisassembledInstruction>, String> {
        let first = index_of(&wanted.memory_reference)?
            .saturating_add(wanted.offset)
            .saturating_add(wanted.instruction_offset);
        let count = i64::try_from(wanted.instruction_count.min(MOST)).unwrap_or(0);
        let instruction = |index: i64| {
            let text = usize::try_from(index).ok().and_then(|index| self.texts.get(index));
            let place = text.and_then(|_| lines.place(u32::try_from(index).ok()?));
            let path = place.and_then(|place| SourceFile::of(lines, place.file));
            let place = place.filter(|_| path.is_some());
            dapts::DisassembledInstruction {
                address: reference(index),
                instruction: text.cloned().unwrap_or_default(),
                location: path.map(|path| path.shown(counting)),
                line: place.map(|place| counting.line(place.line)),
                column: place.map(|place| counting.column(place.column)),
                end_line: None,
                end_column: None,
                instruction_bytes: None,
                presentation_hint: text
                    .is_none()
                    .then_some(dapts::DisassembledInstructionPresentationHint::Invalid),
                symbol: None,
            }
        };
        Ok((first..first.saturating_add(count)).map(instruction).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_addresses() {
        assert_eq!(index_of(&reference(17)), Ok(17));
        assert_eq!(index_of(&reference(-5)), Ok(-5));
        assert!(index_of("main").is_err());
        let before = Breakpoint {
            instruction_reference: reference(3),
            offset: -4,
            condition: None,
            hit_condition: None,
        };
        assert!(before.index().is_err());
    }
}
