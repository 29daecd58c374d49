//! What a module declares, by id: types with their sizes, constants under their default values, names, functions.

use coopmat_spirv::text::Names;
use rspirv::dr::{Function, Instruction, Module, Operand};
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass, Word};
use rustc_hash::FxHashMap;

use super::values::{Value, compute};

/// Types and constants nest no deeper than this.
pub(super) const DEPTH: u32 = 64;

pub(super) struct Index<'m> {
    pub module: &'m Module,
    definitions: FxHashMap<Word, &'m Instruction>,
    /// The built-in variable that an id is, or the constant of the workgroup's size.
    pub builtins: FxHashMap<Word, BuiltIn>,
    strides: FxHashMap<Word, u64>,
    offsets: FxHashMap<(Word, u32), u64>,
    pub functions: FxHashMap<Word, usize>,
    pub names: Names,
}

/// A matrix type, with its sizes under the default values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MatrixType {
    pub component: Word,
    pub scope: Option<u64>,
    pub rows: Option<u64>,
    pub columns: Option<u64>,
    pub r#use: Option<u64>,
}

impl MatrixType {
    pub fn elements(self) -> Option<u64> {
        self.rows?.checked_mul(self.columns?)
    }
}

pub(super) fn id(operand: Option<&Operand>) -> Option<Word> {
    operand?.id_ref_any()
}

pub(super) fn literal(operand: Option<&Operand>) -> Option<u64> {
    match operand? {
        Operand::LiteralBit32(word) => Some(u64::from(*word)),
        Operand::LiteralBit64(word) => Some(*word),
        _ => None,
    }
}

impl<'m> Index<'m> {
    pub fn new(module: &'m Module) -> Index<'m> {
        let mut index = Index {
            module,
            definitions: FxHashMap::default(),
            builtins: FxHashMap::default(),
            strides: FxHashMap::default(),
            offsets: FxHashMap::default(),
            functions: FxHashMap::default(),
            names: Names::friendly(module),
        };
        for instruction in module.all_inst_iter() {
            if let Some(id) = instruction.result_id {
                index.definitions.insert(id, instruction);
            }
        }
        for (number, function) in module.functions.iter().enumerate() {
            index.functions.extend(function.def_id().map(|id| (id, number)));
        }
        for annotation in &module.annotations {
            match (annotation.class.opcode, annotation.operands.as_slice()) {
                (
                    Op::Decorate,
                    [target, Operand::Decoration(Decoration::BuiltIn), Operand::BuiltIn(what)],
                ) => {
                    index.builtins.extend(target.id_ref_any().map(|id| (id, *what)));
                }
                (Op::Decorate, [target, Operand::Decoration(Decoration::ArrayStride), stride]) => {
                    let stride = literal(Some(stride));
                    index.strides.extend(target.id_ref_any().zip(stride));
                }
                (Op::MemberDecorate, [target, member, Operand::Decoration(Decoration::Offset), offset]) => {
                    if let (Some(id), Some(member), Some(offset)) =
                        (target.id_ref_any(), literal(Some(member)), literal(Some(offset)))
                    {
                        index.offsets.insert((id, member as u32), offset);
                    }
                }
                _ => {}
            }
        }
        index
    }

    pub fn definition(&self, id: Word) -> Option<&'m Instruction> {
        self.definitions.get(&id).copied()
    }

    pub fn type_of(&self, id: Word) -> Option<Word> {
        self.definition(id)?.result_type
    }

    pub fn function(&self, id: Word) -> Option<&'m Function> {
        self.functions.get(&id).and_then(|&number| self.module.functions.get(number))
    }

    /// The bits of a scalar, or of a vector's components.
    pub fn bits(&self, ty: Word) -> Option<u32> {
        let definition = self.definition(ty)?;
        match definition.class.opcode {
            Op::TypeInt | Op::TypeFloat => literal(definition.operands.first()).map(|bits| bits as u32),
            Op::TypeBool => Some(1),
            Op::TypeVector => self.bits(id(definition.operands.first())?),
            _ => None,
        }
    }

    /// How many scalars a value of a type has; 1 where that is not known.
    pub fn components(&self, ty: Word) -> u64 {
        self.components_within(ty, DEPTH)
    }

    fn components_within(&self, ty: Word, depth: u32) -> u64 {
        let Some(definition) = self.definition(ty).filter(|_| depth > 0) else { return 1 };
        let inner = || id(definition.operands.first()).map_or(1, |ty| self.components_within(ty, depth - 1));
        match definition.class.opcode {
            Op::TypeVector | Op::TypeMatrix => {
                inner().saturating_mul(literal(definition.operands.get(1)).unwrap_or(1))
            }
            Op::TypeCooperativeMatrixKHR | Op::TypeCooperativeMatrixNV => {
                self.matrix(ty).and_then(MatrixType::elements).unwrap_or(1)
            }
            _ => 1,
        }
    }

    pub fn matrix(&self, ty: Word) -> Option<MatrixType> {
        let definition = self.definition(ty)?;
        if !matches!(definition.class.opcode, Op::TypeCooperativeMatrixKHR | Op::TypeCooperativeMatrixNV) {
            return None;
        }
        let constant = |at| self.constant(id(definition.operands.get(at))?);
        Some(MatrixType {
            component: id(definition.operands.first())?,
            scope: constant(1),
            rows: constant(2),
            columns: constant(3),
            r#use: constant(4),
        })
    }

    /// The size in memory, with the strides and offsets of a layout where there are any.
    pub fn bytes(&self, ty: Word) -> Option<u64> {
        self.bytes_within(ty, DEPTH)
    }

    fn bytes_within(&self, ty: Word, depth: u32) -> Option<u64> {
        let definition = self.definition(ty).filter(|_| depth > 0)?;
        let operands = &definition.operands;
        let inner = |at| self.bytes_within(id(operands.get(at))?, depth - 1);
        match definition.class.opcode {
            Op::TypeInt | Op::TypeFloat => Some(literal(operands.first())?.div_ceil(8)),
            Op::TypeBool => Some(4),
            Op::TypePointer => Some(8),
            Op::TypeVector | Op::TypeMatrix => inner(0)?.checked_mul(literal(operands.get(1))?),
            Op::TypeArray => {
                let length = self.constant(id(operands.get(1))?)?;
                self.strides.get(&ty).copied().or_else(|| inner(0))?.checked_mul(length)
            }
            Op::TypeStruct => {
                let mut end = 0u64;
                for (member, operand) in operands.iter().enumerate() {
                    let size = self.bytes_within(operand.id_ref_any()?, depth - 1)?;
                    let start = self.offsets.get(&(ty, member as u32)).copied().unwrap_or(end);
                    end = end.max(start.checked_add(size)?);
                }
                Some(end)
            }
            Op::TypeCooperativeMatrixKHR | Op::TypeCooperativeMatrixNV => {
                let matrix = self.matrix(ty)?;
                self.bytes_within(matrix.component, depth - 1)?.checked_mul(matrix.elements()?)
            }
            _ => None,
        }
    }

    /// What a pointer points at, and where.
    pub fn pointer(&self, pointer: Word) -> Option<(StorageClass, Word)> {
        let definition = self.definition(self.type_of(pointer)?)?;
        match (definition.class.opcode, definition.operands.as_slice()) {
            (Op::TypePointer, [Operand::StorageClass(class), pointee]) => {
                Some((*class, pointee.id_ref_any()?))
            }
            _ => None,
        }
    }

    /// A scalar constant under the default values.
    pub fn constant(&self, id: Word) -> Option<u64> {
        self.value(id, DEPTH).map(|value| value.bits)
    }

    pub fn value(&self, id: Word, depth: u32) -> Option<Value> {
        let definition = self.definition(id).filter(|_| depth > 0)?;
        let operands = &definition.operands;
        let width = definition.result_type.and_then(|ty| self.bits(ty)).unwrap_or(32);
        match definition.class.opcode {
            Op::Constant | Op::SpecConstant => Some(Value::new(literal(operands.first())?, width)),
            Op::ConstantTrue | Op::SpecConstantTrue => Some(Value::new(1, 1)),
            Op::ConstantFalse | Op::SpecConstantFalse | Op::ConstantNull => Some(Value::new(0, width)),
            Op::SpecConstantOp => {
                let op = match operands.first()? {
                    Operand::LiteralSpecConstantOpInteger(op) => *op,
                    _ => return None,
                };
                if op == Op::CompositeExtract {
                    return self.extract(self::id(operands.get(1))?, &operands[2..], depth - 1);
                }
                let values: Option<Vec<Value>> = operands[1..]
                    .iter()
                    .map(|operand| self.value(operand.id_ref_any()?, depth - 1))
                    .collect();
                compute(op, &values?, width)
            }
            _ => None,
        }
    }

    /// A part of a constant.
    pub fn extract(&self, composite: Word, path: &[Operand], depth: u32) -> Option<Value> {
        let Some((first, rest)) = path.split_first() else { return self.value(composite, depth) };
        let definition = self.definition(composite).filter(|_| depth > 0)?;
        match definition.class.opcode {
            Op::ConstantComposite | Op::SpecConstantComposite => {
                let part = definition.operands.get(literal(Some(first))? as usize)?.id_ref_any()?;
                self.extract(part, rest, depth - 1)
            }
            Op::ConstantNull => Some(Value::new(0, 32)),
            _ => None,
        }
    }

    /// `f16`, `u8`, `bf16`.
    pub fn scalar_name(&self, ty: Word) -> String {
        let Some(definition) = self.definition(ty) else { return "?".to_owned() };
        let bits = literal(definition.operands.first()).unwrap_or_default();
        match (definition.class.opcode, definition.operands.get(1)) {
            (Op::TypeFloat, None) => format!("f{bits}"),
            (Op::TypeFloat, Some(Operand::FPEncoding(encoding))) => {
                let name = format!("{encoding:?}");
                match name.trim_end_matches("KHR").trim_end_matches("EXT") {
                    "BFloat16" => "bf16".to_owned(),
                    other => other.to_ascii_lowercase(),
                }
            }
            (Op::TypeInt, Some(Operand::LiteralBit32(0))) => format!("u{bits}"),
            (Op::TypeInt, _) => format!("i{bits}"),
            _ => self.names.of(ty),
        }
    }

    /// `f16 16x16 A` and the scope.
    pub fn matrix_name(&self, matrix: MatrixType) -> String {
        let size = |size: Option<u64>| size.map_or_else(|| "?".to_owned(), |size| size.to_string());
        let r#use = match matrix.r#use {
            Some(0) => " A",
            Some(1) => " B",
            Some(2) => " accumulator",
            _ => "",
        };
        let component = self.scalar_name(matrix.component);
        format!("{component} {}x{}{use}", size(matrix.rows), size(matrix.columns))
    }
}
