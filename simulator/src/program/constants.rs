//! Constants. Those that are computed are computed by the instructions themselves, on registers of one lane.

use coopmat_spirv::dr::{Instruction as Source, Operand};
use coopmat_spirv::spirv::{Decoration, Op};
use coopmat_spirv::{Opcode, class, inst, opcode};

use super::data::ProgramData;
use super::interface::SpecializationConstant;
use super::lowering::{Entity, Lowering};
use super::types::Type;
use super::values::Value;
use crate::code::Instruction;
use crate::machine::{Context, Environment, Registers, Report, memory_share};
use crate::matrix::Matrix;
use crate::memory::{DESCRIPTOR_SIZE, Heaps, Memory};
use crate::{ProgramError, RunError, Settings, instructions};

/// The most components of all constants together.
const MAXIMUM_WORDS: usize = 1 << 22;

impl Lowering<'_> {
    pub(super) fn declare_constant(&mut self, source: &Source) -> Result<(), ProgramError> {
        if self.data.globals.words.len() > MAXIMUM_WORDS {
            return Err(ProgramError::new(
                "the module's constants take more room than the simulator gives them",
            ));
        }
        if let Opcode::ConstantDataKHR | Opcode::SpecConstantDataKHR = opcode(source) {
            return self.data_constant(source);
        }
        match source.class.opcode {
            Op::ConstantTrue => self.scalar_constant(source, 1),
            Op::ConstantFalse => self.scalar_constant(source, 0),
            Op::Constant => {
                let bits = literal_bits(source)?;
                self.scalar_constant(source, bits)
            }
            Op::SpecConstantTrue => self.specialization_constant(source, 1),
            Op::SpecConstantFalse => self.specialization_constant(source, 0),
            Op::SpecConstant => {
                let bits = literal_bits(source)?;
                self.specialization_constant(source, bits)
            }
            Op::ConstantNull => {
                let value = self.result(source)?;
                self.null_matrices(value)
            }
            Op::ConstantComposite | Op::SpecConstantComposite => {
                let value = self.result(source)?;
                let parts = (0..source.operands.len()).map(|index| self.operand(source, index));
                let parts: Vec<Value> = parts.collect::<Result<_, _>>()?;
                self.composite_constant(value, &parts)
            }
            Op::ConstantCompositeReplicateEXT | Op::SpecConstantCompositeReplicateEXT => {
                let value = self.result(source)?;
                let part = self.operand(source, 0)?;
                let count = match self.types().get(value.type_) {
                    Type::CooperativeMatrix(_) => 1,
                    // Parts without planes are nothing, however many there are.
                    _ => self.types().part_count(value.type_).min(self.types().value_planes(value.type_)?),
                };
                self.composite_constant(value, &vec![part; count as usize])
            }
            Op::ConstantSizeOfEXT => self.scalar_constant(source, u64::from(DESCRIPTOR_SIZE)),
            Op::SpecConstantOp => self.computed_constant(source),
            _ => Err(ProgramError::new(format!("Op{} is not known", source.class.opname))),
        }
    }

    /// An array of integers, packed into words with the first at the low end (SPV_KHR_constant_data).
    fn data_constant(&mut self, source: &Source) -> Result<(), ProgramError> {
        let value = self.result(source)?;
        let wrong = || ProgramError::new("constant data should be an array of integers of up to 32 bits");
        let &Type::Array { element, length, .. } = self.types().get(value.type_) else { return Err(wrong()) };
        let &Type::Integer { width: width @ ..=32, .. } = self.types().get(element) else {
            return Err(wrong());
        };
        let (width, first) = (usize::from(width), value.slot.index() as usize);
        for index in 0..length as usize {
            let Some(Operand::LiteralBit32(word)) = source.operands.get(index * width / 32) else {
                return Err(ProgramError::new("constant data is shorter than its type"));
            };
            self.data.globals.words[first + index] =
                word >> (index * width % 32) & (u32::MAX >> (32 - width));
        }
        Ok(())
    }

    fn scalar_constant(&mut self, source: &Source, bits: u64) -> Result<(), ProgramError> {
        let value = self.result(source)?;
        let scalar =
            self.types().scalar(value.type_).ok_or_else(|| ProgramError::new("expected a scalar type"))?;
        let bits = match scalar.width() {
            64 => bits,
            width => bits & ((1 << width) - 1),
        };
        let first = value.slot.index() as usize;
        self.data.globals.words[first] = bits as u32;
        if scalar.planes() == 2 {
            self.data.globals.words[first + 1] = (bits >> 32) as u32;
        }
        Ok(())
    }

    fn specialization_constant(&mut self, source: &Source, default: u64) -> Result<(), ProgramError> {
        let id = source.result_id.ok_or_else(|| ProgramError::new("a constant lacks its id"))?;
        let Some(spec_id) = self.annotations.literal(id, Decoration::SpecId) else {
            return self.scalar_constant(source, default);
        };
        let chosen = self.options.specialization.iter().find(|(id, _)| *id == spec_id);
        let is_bool = source.class.opcode != Op::SpecConstant;
        let value = match chosen {
            Some((_, value)) if is_bool => u64::from(*value != 0),
            Some((_, value)) => *value,
            None => default,
        };
        let name = self.annotations.name(id).map(str::to_owned);
        let type_ = self.result_type(source)?;
        self.data.interface.specialization.push(SpecializationConstant {
            id: spec_id,
            name,
            type_,
            default,
            value,
        });
        self.scalar_constant(source, value)
    }

    /// Matrices of a null value are matrices of zeros.
    fn null_matrices(&mut self, value: Value) -> Result<(), ProgramError> {
        if !self.types().holds_matrices(value.type_) {
            return Ok(());
        }
        if let Some(matrix) = self.matrix_type(value.type_) {
            let matrix = Matrix::splat(matrix, 0);
            self.data.globals.matrices.push((value.slot.index(), std::sync::Arc::new(matrix)));
            return Ok(());
        }
        for index in 0..self.types().part_count(value.type_) {
            if let Some((type_, offset)) = self.types().part(value.type_, index) {
                self.null_matrices(Value { slot: value.slot.offset(offset), type_ })?;
            }
        }
        Ok(())
    }

    fn composite_constant(&mut self, value: Value, parts: &[Value]) -> Result<(), ProgramError> {
        if let Some(matrix) = self.matrix_type(value.type_) {
            let [part] = parts else {
                return Err(ProgramError::new("a constant matrix is made of one value"));
            };
            let words = &self.data.globals.words[part.slot.index() as usize..];
            let bits = match self.types().scalar(part.type_).map(|scalar| scalar.planes()) {
                Some(2) => u64::from(words[0]) | u64::from(words[1]) << 32,
                Some(_) => u64::from(words[0]),
                None => return Err(ProgramError::new("a constant matrix is made of a scalar")),
            };
            let matrix = Matrix::splat(matrix, bits);
            self.data.globals.matrices.push((value.slot.index(), std::sync::Arc::new(matrix)));
            return Ok(());
        }
        let mut next = value.slot.index() as usize;
        let end = next + self.types().planes(value.type_) as usize;
        for part in parts {
            let planes = self.types().planes(part.type_) as usize;
            let first = part.slot.index() as usize;
            if !part.slot.is_global() || next + planes > end {
                return Err(ProgramError::new("a constant's parts do not fit its type"));
            }
            self.data.globals.words.copy_within(first..first + planes, next);
            if self.types().holds_matrices(part.type_) {
                let inside = first as u32..(first + planes) as u32;
                let found = self.data.globals.matrices.iter().filter(|(plane, _)| inside.contains(plane));
                let moved: Vec<_> = found
                    .map(|(plane, matrix)| (plane - first as u32 + next as u32, matrix.clone()))
                    .collect();
                self.data.globals.matrices.extend(moved);
            }
            next += planes;
        }
        if next != end {
            return Err(ProgramError::new("a constant's parts do not fill its type"));
        }
        Ok(())
    }

    /// `OpSpecConstantOp`: lowered as the instruction that it names, and executed at once.
    fn computed_constant(&mut self, source: &Source) -> Result<(), ProgramError> {
        let op = match source.operands.first() {
            Some(&Operand::LiteralSpecConstantOpInteger(op)) => op,
            _ => return Err(ProgramError::new("OpSpecConstantOp lacks an opcode")),
        };
        let known = class(op as u16).is_some();
        if !known {
            return Err(ProgramError::new("OpSpecConstantOp names an opcode that is not known"));
        }
        let inner = inst(op, source.result_type, source.result_id, source.operands[1..].to_vec());
        self.code.clear();
        instructions::lower(self, &inner)?;
        let code = std::mem::take(&mut self.code);
        self.execute_now(&code).map_err(|error| ProgramError::new(error.message))?;
        self.note_late(&inner, code);
        Ok(())
    }

    /// Lengths of matrices are known only when the program is run: until then they are those of the default settings.
    fn note_late(&mut self, inner: &Source, code: Vec<Instruction>) {
        let planes_of = |lowering: &Self, id: u32| match lowering.entities.get(&id) {
            Some(Entity::Value(value)) if value.slot.is_global() => {
                let first = value.slot.index();
                first..first + lowering.types().planes(value.type_)
            }
            _ => 0..0,
        };
        let is_length =
            matches!(inner.class.opcode, Op::CooperativeMatrixLengthKHR | Op::CooperativeMatrixLengthNV);
        let is_late = is_length
            || inner.operands.iter().any(|operand| {
                let Operand::IdRef(id) = operand else { return false };
                planes_of(self, *id).any(|plane| self.data.globals.late_planes.contains(&plane))
            });
        if let (true, Some(result)) = (is_late, inner.result_id) {
            let planes = planes_of(self, result);
            self.data.globals.late_planes.extend(planes);
            self.data.globals.late.extend(code);
        }
    }

    fn execute_now(&mut self, code: &[Instruction]) -> Result<(), RunError> {
        let planes = self.data.globals.words.len() as u32;
        let mut registers = Registers::new(1, self.data.has_matrices, false);
        registers.resize(planes);
        for (plane, word) in self.data.globals.words.iter().enumerate() {
            registers.preset(plane as u32, *word);
        }
        for (plane, matrix) in &self.data.globals.matrices {
            registers.set_matrix(*plane, matrix.clone());
        }
        on_one_lane(&mut registers, |context| {
            code.iter().try_for_each(|instruction| instructions::execute(instruction, context))
        })?;
        for (plane, word) in self.data.globals.words.iter_mut().enumerate() {
            *word = registers.get(plane as u32, 0);
        }
        for plane in 0..planes {
            if let Some(matrix) = registers.matrix(plane)
                && !self.data.globals.matrices.iter().any(|(known, _)| *known == plane)
            {
                self.data.globals.matrices.push((plane, matrix.clone()));
            }
        }
        Ok(())
    }
}

/// Executes instructions that need nothing but registers, which have one lane.
pub(crate) fn on_one_lane<R>(registers: &mut Registers, run: impl FnOnce(&mut Context) -> R) -> R {
    registers.set_mask(1, true, true);
    let (program, settings, mut report) = (ProgramData::default(), Settings::default(), Report::default());
    let (mut shared, mut push_constants) = (Vec::new(), Vec::new());
    let mut environment = Environment {
        program: &program,
        settings: &settings,
        memory: Memory {
            buffers: &[],
            shared: &mut shared,
            shared_size: 0,
            push_constants: &mut push_constants,
            push_constants_size: 0,
            linear: None,
        },
        images: &[],
        descriptors: &[],
        samplers: &[],
        heaps: &Heaps::default(),
        report: &mut report,
        observer: None,
        wants: Default::default(),
        stepper: None,
        workgroup: [0; 3],
        memory_share: memory_share(&program, &settings),
    };
    run(&mut Context::new(&mut environment, registers, 0))
}

/// The literal of a constant.
fn literal_bits(source: &Source) -> Result<u64, ProgramError> {
    match source.operands.first() {
        Some(Operand::LiteralBit32(word)) => Ok(u64::from(*word)),
        Some(Operand::LiteralBit64(bits)) => Ok(*bits),
        _ => Err(ProgramError::new("a constant lacks its value")),
    }
}
