//! GL_EXT_spirv_intrinsics: decorations, execution modes, types and storage classes by number.

use coopmat_analysis::hir::Const;
use coopmat_analysis::hir::spirv::{
    SpirvMark, SpirvOperand, SpirvOperandKind, SpirvRequirements, SpirvStorageClass, SpirvType,
};
use coopmat_spirv::{load, raw};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, StorageClass, Word};

use crate::codegen::{Codegen, Emit};
use crate::constants::literal;

impl<'a> Codegen<'a> {
    pub fn spirv_requirements(&mut self, requirements: &SpirvRequirements) {
        for extension in &requirements.extensions {
            self.b.extension(extension);
        }
        for &capability in &requirements.capabilities {
            self.b.capability_number(capability);
        }
    }

    /// Decorates an id, or a member of a structure.
    pub fn spirv_decorate(&mut self, target: Word, member: Option<u32>, marks: &[SpirvMark]) -> Emit<()> {
        for mark in marks {
            self.spirv_requirements(&mark.requirements);
            let op = match (mark.kind, member) {
                (SpirvOperandKind::Literals, None) => Op::Decorate,
                (SpirvOperandKind::Literals, Some(_)) => Op::MemberDecorate,
                (SpirvOperandKind::Strings, None) => Op::DecorateString,
                (SpirvOperandKind::Strings, Some(_)) => Op::MemberDecorateString,
                (SpirvOperandKind::Ids, None) => Op::DecorateId,
                (SpirvOperandKind::Ids, Some(_)) => {
                    return Err(self.fail("`spirv_decorate_id` cannot decorate a member of a block"));
                }
            };
            let mut words = vec![target];
            words.extend(member);
            words.push(mark.number);
            self.spirv_operands(mark, &mut words)?;
            let instruction = self.by_words(op, &words)?;
            self.b.module.annotations.push(instruction);
        }
        Ok(())
    }

    /// `spirv_execution_mode(...) in;`
    pub fn spirv_execution_modes(&mut self, main: Word) -> Emit<()> {
        for mark in &self.hir.execution_modes {
            self.spirv_requirements(&mark.requirements);
            let op = match mark.kind {
                SpirvOperandKind::Ids => Op::ExecutionModeId,
                SpirvOperandKind::Literals | SpirvOperandKind::Strings => Op::ExecutionMode,
            };
            let mut words = vec![main, mark.number];
            self.spirv_operands(mark, &mut words)?;
            let instruction = self.by_words(op, &words)?;
            self.b.module.execution_modes.push(instruction);
        }
        Ok(())
    }

    fn spirv_operands(&mut self, mark: &SpirvMark, words: &mut Vec<Word>) -> Emit<()> {
        for operand in &mark.operands {
            match (mark.kind, operand) {
                (
                    SpirvOperandKind::Ids,
                    SpirvOperand::Literal(value, ty) | SpirvOperand::Constant(value, ty),
                ) => match self.constant(value, *ty)? {
                    Some(id) => words.push(id),
                    None => return Err(self.fail("this operand must be a known constant")),
                },
                (SpirvOperandKind::Ids, SpirvOperand::Global(global)) => {
                    let id = match self.global(*global).storage {
                        coopmat_analysis::hir::Storage::Const => self.constant_global(*global)?,
                        _ => self.global_place(*global)?.base,
                    };
                    words.push(id);
                }
                (_, SpirvOperand::Literal(value, ty) | SpirvOperand::Constant(value, ty)) => {
                    self.literal_words(value, *ty, words)?;
                }
                (_, SpirvOperand::Text(text)) => text_words(text, words),
                (_, SpirvOperand::Global(_) | SpirvOperand::Type(_)) => {
                    return Err(self.fail("this operand must be a constant"));
                }
            }
        }
        Ok(())
    }

    fn literal_words(
        &mut self,
        value: &Const,
        ty: coopmat_analysis::types::Ty,
        words: &mut Vec<Word>,
    ) -> Emit<()> {
        match literal(value, self.types.component(ty)) {
            Some(Operand::LiteralBit32(word)) => words.push(word),
            Some(Operand::LiteralBit64(long)) => words.extend([long as u32, (long >> 32) as u32]),
            _ => return Err(self.fail("this constant cannot be a literal of an instruction")),
        }
        Ok(())
    }

    /// A type that `spirv_type(...)` describes.
    pub fn spirv_type(&mut self, ty: &SpirvType) -> Emit<Word> {
        self.spirv_requirements(&ty.requirements);
        let mut words = Vec::new();
        for operand in &ty.operands {
            match operand {
                SpirvOperand::Literal(value, ty) => self.literal_words(value, *ty, &mut words)?,
                SpirvOperand::Constant(value, ty) => match self.constant(value, *ty)? {
                    Some(id) => words.push(id),
                    None => return Err(self.fail("this operand must be a known constant")),
                },
                SpirvOperand::Text(text) => text_words(text, &mut words),
                SpirvOperand::Global(global) => words.push(self.constant_global(*global)?),
                SpirvOperand::Type(inner) => words.push(self.type_id(*inner)?),
            }
        }
        let id = self.b.id();
        words.insert(0, id);
        let Ok(number) = u16::try_from(ty.number) else {
            return Err(self.fail(format!("SPIR-V has no instruction {}", ty.number)));
        };
        let instruction = self.numbered(number, &words)?;
        self.b.push_global(instruction);
        Ok(id)
    }

    /// The class of a variable with `spirv_storage_class(...)`.
    pub fn spirv_storage_class(&mut self, class: &SpirvStorageClass) -> Emit<StorageClass> {
        self.spirv_requirements(&class.requirements);
        match StorageClass::from_u32(class.number) {
            Some(class) => Ok(class),
            None => Err(self.fail(format!("unknown storage class {}", class.number))),
        }
    }

    fn by_words(&mut self, op: Op, words: &[Word]) -> Emit<Instruction> {
        self.numbered(op as u16, words)
    }

    /// An instruction of the words after its first one: read as any module's, so that what it prints as is what it means.
    fn numbered(&mut self, number: u16, words: &[Word]) -> Emit<Instruction> {
        let Ok(count) = u16::try_from(words.len() + 1) else {
            return Err(self.fail("an instruction with too many operands"));
        };
        let mut module = vec![coopmat_spirv::spirv::MAGIC_NUMBER, 0x0001_0600, 0, self.b.bound + 1, 0];
        module.push(u32::from(count) << 16 | u32::from(number));
        module.extend(words);
        let read = load(&module).ok().and_then(|module| module.all_inst_iter().next().cloned());
        Ok(read.unwrap_or_else(|| raw(number, words)))
    }
}

/// A string as words, with its end.
fn text_words(text: &str, words: &mut Vec<Word>) {
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    for part in bytes.chunks(4) {
        let mut word = [0; 4];
        word[..part.len()].copy_from_slice(part);
        words.push(u32::from_le_bytes(word));
    }
}

/// For tests of what is written.
#[cfg(test)]
mod tests {
    use super::text_words;

    #[test]
    fn a_string_ends_with_a_zero() {
        let mut words = Vec::new();
        text_words("abcd", &mut words);
        assert_eq!(words, [u32::from_le_bytes(*b"abcd"), 0]);
    }
}
