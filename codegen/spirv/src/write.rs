//! Modules to words.

use std::fmt;

use rspirv::dr::{Instruction, Module, ModuleHeader, Operand};

use crate::instruction::{is_raw, opcode_number};

/// Why a module has no binary form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssembleError {
    /// An instruction's length is a number of 16 bits (SPIR-V 2.3, "Physical Layout of a SPIR-V Module and Instruction").
    InstructionTooLong {
        /// Its place in the module's order.
        index: usize,
        /// Without `Op`.
        name: &'static str,
        /// Its length, of which 65535 is the most that there may be.
        words: usize,
    },
}

impl fmt::Display for AssembleError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            AssembleError::InstructionTooLong { index, name, words } => write!(
                f,
                "instruction {index}, Op{name}, takes {words} words, but an instruction has at most 65535"
            ),
        }
    }
}

impl std::error::Error for AssembleError {}

/// The words of a module, header first. A module without a header gets one of rspirv's, with the lowest bound that holds its ids.
///
/// # Errors
/// An instruction that is too long to be written.
pub fn assemble(module: &Module) -> Result<Vec<u32>, AssembleError> {
    let mut out = Vec::new();
    let made;
    let header = match &module.header {
        Some(header) => header,
        None => {
            made = ModuleHeader::new(highest_id(module).saturating_add(1));
            &made
        }
    };
    out.extend([header.magic_number, header.version, header.generator, header.bound, header.reserved_word]);
    for (index, instruction) in module.all_inst_iter().enumerate() {
        let length = instruction_words(instruction, &mut out);
        if length > 0xFFFF {
            let name = instruction.class.opname;
            return Err(AssembleError::InstructionTooLong { index, name, words: length });
        }
    }
    Ok(out)
}

/// Appends the words of one instruction, and says how many they are; more than 65535 are not an instruction.
pub fn instruction_words(instruction: &Instruction, out: &mut Vec<u32>) -> usize {
    let start = out.len();
    out.push(u32::from(opcode_number(instruction)));
    out.extend(instruction.result_type);
    out.extend(instruction.result_id);
    // The first operand of an instruction that nobody knows is its opcode.
    for operand in &instruction.operands[usize::from(is_raw(instruction)).min(instruction.operands.len())..] {
        push(operand, out);
    }
    let length = out.len() - start;
    out[start] |= (length.min(0xFFFF) as u32) << 16;
    length
}

/// Words as the bytes of a file, in the little-endian order that every consumer accepts.
pub fn to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn highest_id(module: &Module) -> u32 {
    let ids = |instruction: &Instruction| {
        let operands = instruction.operands.iter().filter_map(|operand| operand.id_ref_any()).max();
        operands.max(instruction.result_type).max(instruction.result_id)
    };
    module.all_inst_iter().filter_map(ids).max().unwrap_or(0)
}

/// A string's bytes and the zero that ends it, padded to whole words. What follows a zero inside it could not be read back.
fn push_string(text: &str, out: &mut Vec<u32>) {
    let bytes = text.as_bytes();
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let mut chunks = bytes[..end].chunks_exact(4);
    for chunk in &mut chunks {
        out.push(u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]));
    }
    let mut last = [0; 4];
    last[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
    out.push(u32::from_le_bytes(last));
}

/// Appends the words of an operand.
pub(crate) fn push(operand: &Operand, out: &mut Vec<u32>) {
    let word = match operand {
        Operand::IdRef(value)
        | Operand::IdScope(value)
        | Operand::IdMemorySemantics(value)
        | Operand::LiteralBit32(value)
        | Operand::LiteralExtInstInteger(value) => *value,
        Operand::LiteralBit64(value) => {
            out.push(*value as u32);
            (*value >> 32) as u32
        }
        Operand::LiteralString(text) => return push_string(text, out),
        Operand::LiteralSpecConstantOpInteger(value) => *value as u32,
        Operand::ImageOperands(value) => value.bits(),
        Operand::FPFastMathMode(value) => value.bits(),
        Operand::SelectionControl(value) => value.bits(),
        Operand::LoopControl(value) => value.bits(),
        Operand::FunctionControl(value) => value.bits(),
        Operand::MemorySemantics(value) => value.bits(),
        Operand::MemoryAccess(value) => value.bits(),
        Operand::KernelProfilingInfo(value) => value.bits(),
        Operand::RayFlags(value) => value.bits(),
        Operand::FragmentShadingRate(value) => value.bits(),
        Operand::RawAccessChainOperands(value) => value.bits(),
        Operand::CooperativeMatrixOperands(value) => value.bits(),
        Operand::CooperativeMatrixReduce(value) => value.bits(),
        Operand::TensorAddressingOperands(value) => value.bits(),
        Operand::TensorOperands(value) => value.bits(),
        Operand::MatrixMultiplyAccumulateOperands(value) => value.bits(),
        Operand::SourceLanguage(value) => *value as u32,
        Operand::ExecutionModel(value) => *value as u32,
        Operand::AddressingModel(value) => *value as u32,
        Operand::MemoryModel(value) => *value as u32,
        Operand::ExecutionMode(value) => *value as u32,
        Operand::StorageClass(value) => *value as u32,
        Operand::Dim(value) => *value as u32,
        Operand::SamplerAddressingMode(value) => *value as u32,
        Operand::SamplerFilterMode(value) => *value as u32,
        Operand::ImageFormat(value) => *value as u32,
        Operand::ImageChannelOrder(value) => *value as u32,
        Operand::ImageChannelDataType(value) => *value as u32,
        Operand::FPRoundingMode(value) => *value as u32,
        Operand::FPDenormMode(value) => *value as u32,
        Operand::QuantizationModes(value) => *value as u32,
        Operand::FPOperationMode(value) => *value as u32,
        Operand::OverflowModes(value) => *value as u32,
        Operand::LinkageType(value) => *value as u32,
        Operand::AccessQualifier(value) => *value as u32,
        Operand::HostAccessQualifier(value) => *value as u32,
        Operand::FunctionParameterAttribute(value) => *value as u32,
        Operand::Decoration(value) => *value as u32,
        Operand::BuiltIn(value) => *value as u32,
        Operand::Scope(value) => *value as u32,
        Operand::GroupOperation(value) => *value as u32,
        Operand::KernelEnqueueFlags(value) => *value as u32,
        Operand::Capability(value) => *value as u32,
        Operand::RayQueryIntersection(value) => *value as u32,
        Operand::RayQueryCommittedIntersectionType(value) => *value as u32,
        Operand::RayQueryCandidateIntersectionType(value) => *value as u32,
        Operand::PackedVectorFormat(value) => *value as u32,
        Operand::CooperativeMatrixLayout(value) => *value as u32,
        Operand::CooperativeMatrixUse(value) => *value as u32,
        Operand::TensorClampMode(value) => *value as u32,
        Operand::InitializationModeQualifier(value) => *value as u32,
        Operand::LoadCacheControl(value) => *value as u32,
        Operand::StoreCacheControl(value) => *value as u32,
        Operand::NamedMaximumNumberOfRegisters(value) => *value as u32,
        Operand::FPEncoding(value) => *value as u32,
        Operand::CooperativeVectorMatrixLayout(value) => *value as u32,
        Operand::ComponentType(value) => *value as u32,
    };
    out.push(word);
}
