//! Instructions of a module on cooperative matrices, tensor layouts and views, lowered.

use coopmat_spirv::dr::{Instruction as Module, Operand};
use coopmat_spirv::spirv::{Decoration, TensorAddressingOperands};
use coopmat_spirv::{Opcode, opcode};

use super::arithmetic::Binary;
use super::convert::Conversion;
use super::memory::Layout;
use super::multiply::Operands;
use super::operation::{
    Decoder, Extra, Holder, LayoutChange, MatrixInstruction, Number, Operation, Pointer, Source, Strided,
    Tensor, ViewChange,
};
use super::reduce::Reduce;
use super::tensor::{ClampMode, MAXIMUM_DIMENSIONS, TensorView};
use super::{Component, MAXIMUM_ELEMENTS, MatrixType, Scope, Use};
use crate::ProgramError;
use crate::code::Instruction;
use crate::numerics::arithmetic::Operation as Arithmetic;
use crate::program::lowering::Entity;
use crate::program::types::{MatrixLayout, Scalar};
use crate::program::{Lowering, Place, Slot, Type, TypeId, Value};

type Lowered<T = ()> = Result<T, ProgramError>;

fn fail<T>(message: impl Into<String>) -> Lowered<T> {
    Err(ProgramError::new(message))
}

/// The type that `OpTypeCooperativeMatrixKHR` or `NV` declares.
pub(crate) fn lower_type(lowering: &mut Lowering, source: &Module) -> Lowered<MatrixType> {
    let component_type = lowering.types().by_id(lowering.id(source, 0)?)?;
    let component = match *lowering.types().get(component_type) {
        Type::Integer { width, signed } => Component::Integer { width, signed },
        Type::Float(format) => Component::Float(format),
        _ => return fail("the components of a cooperative matrix should be numbers"),
    };
    let scope = match lowering.constant_operand(source, 1)? {
        2 => Scope::Workgroup,
        3 => Scope::Subgroup,
        other => {
            return fail(format!(
                "the scope of a cooperative matrix is {other}, expected Workgroup (2) or Subgroup (3)"
            ));
        }
    };
    let (rows, columns) = (lowering.constant_operand(source, 2)?, lowering.constant_operand(source, 3)?);
    let use_ = if opcode(source) == Opcode::TypeCooperativeMatrixNV {
        Use::Unspecified
    } else {
        let number = lowering.constant_operand(source, 4)?;
        match Use::from_number(number) {
            Some(use_) => use_,
            None => return fail(format!("the use of a cooperative matrix is {number}, expected 0, 1 or 2")),
        }
    };
    let type_ = MatrixType { component, scope, rows, columns, use_ };
    if !type_.is_allowed() {
        return fail(format!(
            "a cooperative matrix of {rows}x{columns}: the simulator has matrices of 1 to {MAXIMUM_ELEMENTS} elements"
        ));
    }
    Ok(type_)
}

/// The program's type of a matrix's elements.
pub(crate) fn component_type(lowering: &Lowering, type_: &MatrixType) -> Option<TypeId> {
    lowering.types().find(&match type_.component {
        Component::Float(format) => Type::Float(format),
        Component::Integer { width, signed } => Type::Integer { width, signed },
    })
}

fn emit(lowering: &mut Lowering, scope: Scope, operation: Operation) {
    lowering.emit(Instruction::Matrix(MatrixInstruction { operation: Box::new(operation), scope }));
}

/// A component of a matrix: a value of the type of its components.
fn component(lowering: &Lowering, value: Value, type_: &MatrixType) -> Lowered<Slot> {
    match component_type(lowering, type_) {
        Some(expected) => lowering.expect(value.type_, expected, "a matrix's component")?,
        None => return fail("a matrix of components whose type is never declared"),
    }
    Ok(value.slot)
}

/// A function that an instruction calls for elements. It runs in registers of its own, where pointers to variables lead nowhere.
fn function(lowering: &Lowering, source: &Module, index: usize) -> Lowered<u32> {
    let function = lowering.function_operand(source, index)?;
    let Some((parameters, result)) = lowering.signatures.get(function as usize) else {
        return fail("a function without a type");
    };
    if parameters.iter().chain([result]).any(|type_| lowering.types().holds_handles(*type_)) {
        return fail(format!(
            "a function that Op{} calls takes and gives no pointers to variables, images or samplers",
            source.class.opname
        ));
    }
    Ok(function)
}

/// The type of an id that is a value.
fn value_type(lowering: &Lowering, id: u32) -> Option<TypeId> {
    match lowering.entities.get(&id)? {
        Entity::Value(value) => Some(value.type_),
        Entity::Place(_) | Entity::Function(_) | Entity::Text(_) | Entity::Set(_) => None,
    }
}

fn matrix(lowering: &mut Lowering, source: &Module, index: usize) -> Lowered<Source> {
    let value = lowering.operand(source, index)?;
    match lowering.matrix_type(value.type_) {
        Some(type_) => Ok(Source { slot: value.slot, type_: *type_, through: lowering.left(value.slot) }),
        None => fail(format!("operand {index} of Op{} should be a cooperative matrix", source.class.opname)),
    }
}

fn result_matrix(lowering: &mut Lowering, source: &Module) -> Lowered<(Slot, MatrixType)> {
    let result = lowering.result(source)?;
    match lowering.matrix_type(result.type_) {
        Some(type_) => Ok((result.slot, *type_)),
        None => fail(format!("the result of Op{} should be a cooperative matrix", source.class.opname)),
    }
}

fn number(lowering: &Lowering, value: Value) -> Lowered<Number> {
    match lowering.types().scalar(value.type_) {
        Some(Scalar::Integer { width, signed }) => Ok(Number { slot: value.slot, wide: width == 64, signed }),
        _ => fail("expected an integer"),
    }
}

/// Lowers an instruction that cooperative matrices share with other types: `false` where it touches none.
pub(crate) fn lower_shared(lowering: &mut Lowering, source: &Module) -> Lowered<bool> {
    let result = source.result_type.and_then(|id| lowering.types().by_id(id).ok());
    let makes_matrix = result.is_some_and(|type_| lowering.matrix_type(type_).is_some());
    match opcode(source) {
        Opcode::CompositeExtract => lower_extract(lowering, source),
        Opcode::CompositeInsert => lower_insert(lowering, source),
        _ if makes_matrix => lower_making(lowering, source),
        _ => Ok(false),
    }
}

/// Lowers an instruction of the extensions: on cooperative matrices, tensor layouts and views.
pub(crate) fn lower(lowering: &mut Lowering, source: &Module) -> Lowered<bool> {
    match opcode(source) {
        Opcode::CooperativeMatrixLengthKHR | Opcode::CooperativeMatrixLengthNV => {
            let type_ = lowering.types().by_id(lowering.id(source, 0)?)?;
            let Some(type_) = lowering.matrix_type(type_).copied() else {
                return fail("the length of what is no matrix");
            };
            let result = lowering.result(source)?.slot;
            emit(lowering, type_.scope, Operation::Length { result, type_ });
        }
        Opcode::CooperativeMatrixLoadKHR => {
            let (result, type_) = result_matrix(lowering, source)?;
            let layout = layout(lowering, source, 1)?;
            let from = strided(lowering, source, 0, layout, 2, &type_)?;
            emit(lowering, type_.scope, Operation::Load { result, type_, from });
        }
        Opcode::CooperativeMatrixStoreKHR => {
            let object = matrix(lowering, source, 1)?;
            let layout = layout(lowering, source, 2)?;
            let to = strided(lowering, source, 0, layout, 3, &object.type_)?;
            emit(lowering, object.type_.scope, Operation::Store { object, to });
        }
        Opcode::CooperativeMatrixLoadNV => {
            let (result, type_) = result_matrix(lowering, source)?;
            let layout = column_major(lowering, source, 2)?;
            let from = strided(lowering, source, 0, layout, 1, &type_)?;
            emit(lowering, type_.scope, Operation::Load { result, type_, from });
        }
        Opcode::CooperativeMatrixStoreNV => {
            let object = matrix(lowering, source, 1)?;
            let layout = column_major(lowering, source, 3)?;
            let to = strided(lowering, source, 0, layout, 2, &object.type_)?;
            emit(lowering, object.type_.scope, Operation::Store { object, to });
        }
        Opcode::CooperativeMatrixMulAddKHR | Opcode::CooperativeMatrixMulAddNV => {
            let (result, type_) = result_matrix(lowering, source)?;
            let [a, b, c] =
                [matrix(lowering, source, 0)?, matrix(lowering, source, 1)?, matrix(lowering, source, 2)?];
            let operands = match source.operands.get(3) {
                _ if opcode(source) == Opcode::CooperativeMatrixMulAddNV => {
                    Operands::from_types(&a.type_, &b.type_, &c.type_, &type_)
                }
                Some(Operand::CooperativeMatrixOperands(mask)) => Operands::from_mask(mask.bits()),
                Some(Operand::LiteralBit32(mask)) => Operands::from_mask(*mask),
                _ => Operands::default(),
            };
            emit(lowering, type_.scope, Operation::MultiplyAdd { result, a, b, c, type_, operands });
        }
        Opcode::CooperativeMatrixReduceNV => {
            let (result, type_) = result_matrix(lowering, source)?;
            let matrix = matrix(lowering, source, 0)?;
            let mask = match source.operands.get(1) {
                Some(Operand::CooperativeMatrixReduce(mask)) => mask.bits(),
                Some(Operand::LiteralBit32(mask)) => *mask,
                _ => return fail("a reduction should say what it reduces"),
            };
            let function = function(lowering, source, 2)?;
            let reduce = Reduce::from_mask(mask);
            emit(
                lowering,
                type_.scope,
                Operation::Reduce { result, source: matrix, type_, reduce, function },
            );
        }
        Opcode::CooperativeMatrixConvertNV => {
            let (result, type_) = result_matrix(lowering, source)?;
            let (from, transposed) = (matrix(lowering, source, 0)?, is_transposed(lowering, source));
            emit(lowering, type_.scope, Operation::ChangeUse { result, source: from, type_, transposed });
        }
        Opcode::CooperativeMatrixTransposeNV => {
            let (result, type_) = result_matrix(lowering, source)?;
            let from = matrix(lowering, source, 0)?;
            emit(
                lowering,
                type_.scope,
                Operation::ChangeUse { result, source: from, type_, transposed: true },
            );
        }
        Opcode::CooperativeMatrixPerElementOpNV => {
            let (result, type_) = result_matrix(lowering, source)?;
            let matrix_operand = matrix(lowering, source, 0)?;
            let function = function(lowering, source, 1)?;
            let mut extra = Vec::new();
            for index in 2..source.operands.len() {
                let value = lowering.operand(source, index)?;
                extra.push(match lowering.matrix_type(value.type_) {
                    Some(type_) if type_.count() == matrix_operand.type_.count() => {
                        Extra::Matrix(Source { slot: value.slot, type_: *type_, through: None })
                    }
                    Some(_) => return fail("a further matrix of a per-element operation has another shape"),
                    None => Extra::Value(value.slot, lowering.types().value_planes(value.type_)?),
                });
            }
            emit(
                lowering,
                type_.scope,
                Operation::PerElement { result, source: matrix_operand, function, extra },
            );
        }
        Opcode::CooperativeMatrixLoadTensorNV => lower_tensor_load(lowering, source)?,
        Opcode::CooperativeMatrixStoreTensorNV => {
            let object = matrix(lowering, source, 1)?;
            let (to, _, _) = tensor(lowering, source, object.type_)?;
            emit(lowering, object.type_.scope, Operation::StoreTensor { object, to });
        }
        Opcode::CreateTensorLayoutNV
        | Opcode::TensorLayoutSetDimensionNV
        | Opcode::TensorLayoutSetStrideNV
        | Opcode::TensorLayoutSliceNV
        | Opcode::TensorLayoutSetClampValueNV
        | Opcode::TensorLayoutSetBlockSizeNV => lower_layout(lowering, source)?,
        Opcode::CreateTensorViewNV
        | Opcode::TensorViewSetDimensionNV
        | Opcode::TensorViewSetStrideNV
        | Opcode::TensorViewSetClipNV => lower_view(lowering, source)?,
        Opcode::BitCastArrayQCOM
        | Opcode::ExtractSubArrayQCOM
        | Opcode::CompositeConstructCoopMatQCOM
        | Opcode::CompositeExtractCoopMatQCOM => {
            lower_array(lowering, source)?;
        }
        Opcode::CooperativeMatrixGetCoordinateEXT => {
            let type_ = matrix(lowering, source, 0)?.type_;
            let index = lowering.operand(source, 1)?;
            let index = number(lowering, index)?;
            let result = lowering.result(source)?.slot;
            emit(lowering, type_.scope, Operation::Coordinate { result, type_, index });
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Instructions whose result is a matrix, and that other types have too.
fn lower_making(lowering: &mut Lowering, source: &Module) -> Lowered<bool> {
    let float = Binary::Float;
    let binary = match opcode(source) {
        Opcode::FAdd => Some(float(Arithmetic::Add)),
        Opcode::FSub => Some(float(Arithmetic::Subtract)),
        Opcode::FMul => Some(float(Arithmetic::Multiply)),
        Opcode::FDiv => Some(float(Arithmetic::Divide)),
        Opcode::IAdd => Some(Binary::Add),
        Opcode::ISub => Some(Binary::Subtract),
        Opcode::IMul => Some(Binary::Multiply),
        Opcode::SDiv => Some(Binary::SignedDivide),
        Opcode::UDiv => Some(Binary::UnsignedDivide),
        _ => None,
    };
    if let Some(operation) = binary {
        let (result, type_) = result_matrix(lowering, source)?;
        let (a, b) = (matrix(lowering, source, 0)?, matrix(lowering, source, 1)?);
        emit(lowering, type_.scope, Operation::Binary { result, operation, a, b });
        return Ok(true);
    }
    let conversion = match opcode(source) {
        Opcode::FConvert => {
            let saturated = Decoration::SaturatedToLargestFloat8NormalConversionEXT;
            let saturate = source.result_id.is_some_and(|id| lowering.annotations.has(id, saturated));
            Some(Conversion::FloatToFloat { saturate })
        }
        Opcode::ConvertFToS => Some(Conversion::FloatToInteger { signed: true }),
        Opcode::ConvertFToU => Some(Conversion::FloatToInteger { signed: false }),
        Opcode::ConvertSToF => Some(Conversion::IntegerToFloat { signed: true }),
        Opcode::ConvertUToF => Some(Conversion::IntegerToFloat { signed: false }),
        Opcode::SConvert => Some(Conversion::IntegerToInteger { signed: true }),
        Opcode::UConvert => Some(Conversion::IntegerToInteger { signed: false }),
        _ => None,
    };
    if let Some(conversion) = conversion {
        let (result, type_) = result_matrix(lowering, source)?;
        let (from, transposed) = (matrix(lowering, source, 0)?, is_transposed(lowering, source));
        emit(
            lowering,
            type_.scope,
            Operation::Convert { result, source: from, type_, conversion, transposed },
        );
        return Ok(true);
    }
    match opcode(source) {
        Opcode::Bitcast => {
            let (result, type_) = result_matrix(lowering, source)?;
            let (from, transposed) = (matrix(lowering, source, 0)?, is_transposed(lowering, source));
            emit(lowering, type_.scope, Operation::Bitcast { result, source: from, type_, transposed });
        }
        Opcode::FNegate | Opcode::SNegate => {
            let (result, type_) = result_matrix(lowering, source)?;
            let a = matrix(lowering, source, 0)?;
            emit(lowering, type_.scope, Operation::Negate { result, a });
        }
        Opcode::MatrixTimesScalar => {
            let (result, type_) = result_matrix(lowering, source)?;
            let a = matrix(lowering, source, 0)?;
            let scalar = lowering.operand(source, 1)?;
            let scalar = component(lowering, scalar, &a.type_)?;
            emit(lowering, type_.scope, Operation::TimesScalar { result, a, scalar });
        }
        Opcode::CompositeConstruct | Opcode::CompositeConstructReplicateEXT => {
            let (result, type_) = result_matrix(lowering, source)?;
            if source.operands.len() != 1 {
                return fail("a cooperative matrix is constructed from one value");
            }
            let value = lowering.operand(source, 0)?;
            let value = component(lowering, value, &type_)?;
            emit(lowering, type_.scope, Operation::Splat { result, type_, value });
        }
        Opcode::Undef => {
            let (result, type_) = result_matrix(lowering, source)?;
            if lowering.body.is_none() {
                return Ok(true);
            }
            emit(lowering, type_.scope, Operation::Undefined { result, type_ });
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Walks literal indices into a composite down to a matrix: the matrix, and the index of the element.
fn matrix_part(
    lowering: &Lowering,
    value: Value,
    source: &Module,
    first: usize,
) -> Lowered<Option<(Source, u32)>> {
    let mut value = value;
    for index in first..source.operands.len() {
        let literal = lowering.literal(source, index)?;
        if let Some(type_) = lowering.matrix_type(value.type_) {
            return Ok((index + 1 == source.operands.len())
                .then_some((Source { slot: value.slot, type_: *type_, through: None }, literal)));
        }
        let Some((type_, offset)) = lowering.types().part(value.type_, literal) else { return Ok(None) };
        value = Value { slot: value.slot.offset(offset), type_ };
    }
    Ok(None)
}

/// OpCompositeExtract of an element.
fn lower_extract(lowering: &mut Lowering, source: &Module) -> Lowered<bool> {
    let id = lowering.id(source, 0)?;
    if !value_type(lowering, id).is_some_and(|type_| lowering.types().holds_matrices(type_)) {
        return Ok(false);
    }
    let whole = lowering.operand(source, 0)?;
    let Some((object, index)) = matrix_part(lowering, whole, source, 1)? else { return Ok(false) };
    let result = lowering.result(source)?;
    let result = component(lowering, result, &object.type_)?;
    emit(lowering, object.type_.scope, Operation::Extract { result, object, index });
    Ok(true)
}

/// OpCompositeInsert of an element.
fn lower_insert(lowering: &mut Lowering, source: &Module) -> Lowered<bool> {
    let id = lowering.id(source, 1)?;
    if !value_type(lowering, id).is_some_and(|type_| lowering.types().holds_matrices(type_)) {
        return Ok(false);
    }
    let whole = lowering.operand(source, 1)?;
    let Some((object, index)) = matrix_part(lowering, whole, source, 2)? else { return Ok(false) };
    let value = lowering.operand(source, 0)?;
    let value = component(lowering, value, &object.type_)?;
    let result = lowering.result(source)?;
    lowering.expect(whole.type_, result.type_, "the composite of OpCompositeInsert")?;
    let planes = lowering.types().planes(result.type_);
    if planes > 1 {
        lowering.emit(Instruction::copy(result.slot, whole.slot, planes));
    }
    let place = result.slot.offset(object.slot.index() - whole.slot.index());
    emit(lowering, object.type_.scope, Operation::Insert { result: place, object, index, value });
    Ok(true)
}

/// Loads one element of a matrix variable: `OpLoad` through an access chain into a matrix.
pub(crate) fn lower_element_load(
    lowering: &mut Lowering,
    result: Value,
    matrix: &Place,
    index: Value,
) -> Lowered {
    let (holder, type_) = holder(lowering, matrix)?;
    let index = number(lowering, index)?;
    emit(lowering, type_.scope, Operation::ElementLoad { result: result.slot, type_, holder, index });
    Ok(())
}

/// Stores one element of a matrix variable.
pub(crate) fn lower_element_store(
    lowering: &mut Lowering,
    matrix: &Place,
    index: Value,
    value: Value,
) -> Lowered {
    let (holder, type_) = holder(lowering, matrix)?;
    let index = number(lowering, index)?;
    emit(lowering, type_.scope, Operation::ElementStore { type_, holder, index, value: value.slot });
    Ok(())
}

fn holder(lowering: &Lowering, place: &Place) -> Lowered<(Holder, MatrixType)> {
    let (holder, type_) = match *place {
        Place::Planes { first, type_ } => (Holder::Plane(first), type_),
        Place::PlanePointer { pointer, offset, type_ } => (Holder::Pointer { pointer, offset }, type_),
        _ => return fail("a cooperative matrix should be in a variable of class Function or Private"),
    };
    match lowering.matrix_type(type_) {
        Some(type_) => Ok((holder, *type_)),
        None => fail("expected a cooperative matrix"),
    }
}

fn layout(lowering: &Lowering, source: &Module, index: usize) -> Lowered<Layout> {
    let number = lowering.constant_operand(source, index)?;
    Layout::from_number(number).map_or_else(|| fail(format!("the memory layout {number} is not known")), Ok)
}

fn column_major(lowering: &Lowering, source: &Module, index: usize) -> Lowered<Layout> {
    let id = lowering.id(source, index)?;
    match lowering.constant(id) {
        Some(0) => Ok(Layout::RowMajor),
        Some(_) => Ok(Layout::ColumnMajor),
        None => fail("whether a matrix is column-major should be a constant"),
    }
}

fn pointer(lowering: &mut Lowering, source: &Module, index: usize) -> Lowered<(Pointer, Option<TypeId>)> {
    match lowering.place_operand(source, index)? {
        Place::Memory { pointer, offset, type_, .. } => Ok((Pointer { slot: pointer, offset }, type_)),
        _ => fail(format!("Op{} needs a pointer to a buffer or to shared memory", source.class.opname)),
    }
}

fn strided(
    lowering: &mut Lowering,
    source: &Module,
    pointer_index: usize,
    layout: Layout,
    stride_index: usize,
    type_: &MatrixType,
) -> Lowered<Strided> {
    let (pointer, pointee) = pointer(lowering, source, pointer_index)?;
    let stride = match source.operands.get(stride_index) {
        Some(Operand::IdRef(_)) => {
            let value = lowering.operand(source, stride_index)?;
            Some(number(lowering, value)?)
        }
        _ => None,
    };
    let unit = match (layout, pointee) {
        (Layout::RowBlockedInterleaved | Layout::ColumnBlockedInterleaved, _) => 1,
        (_, Some(pointee)) => match *lowering.types().get(pointee) {
            // A pointer to the array itself: its elements are the units.
            Type::Array { element, .. } | Type::RuntimeArray { element, .. } => {
                lowering.types().size(element, MatrixLayout::default())
            }
            _ => lowering.types().size(pointee, MatrixLayout::default()),
        },
        (_, None) => u64::from(type_.component.bytes()),
    };
    Ok(Strided { pointer, layout, stride, unit })
}

/// Whether SPV_EXT_cooperative_matrix_maintenance1 lets a conversion transpose.
fn is_transposed(lowering: &Lowering, source: &Module) -> bool {
    const TRANSPOSE: u32 = coopmat_spirv::Decoration::CooperativeMatrixTransposeEXT as u32;
    let Some(result) = source.result_id else { return false };
    lowering.module.annotations.iter().any(|annotation| {
        annotation.operands[..] == [Operand::IdRef(result), Operand::LiteralBit32(TRANSPOSE)]
    })
}

/// The tensor type of an operand's value.
fn tensor_type(lowering: &mut Lowering, source: &Module, index: usize) -> Lowered<(Slot, Type)> {
    let value = lowering.operand(source, index)?;
    Ok((value.slot, lowering.types().get(value.type_).clone()))
}

/// The layout or view that an instruction makes another one of, of the same type.
fn changed(lowering: &mut Lowering, source: &Module, result: Value) -> Lowered<Slot> {
    let value = lowering.operand(source, 0)?;
    lowering.expect(value.type_, result.type_, "what is changed")?;
    Ok(value.slot)
}

fn layout_type(type_: &Type) -> Lowered<(usize, ClampMode)> {
    let Type::TensorLayout { dimensions, clamp } = type_ else { return fail("expected a tensor layout") };
    match ClampMode::from_number(*clamp) {
        Some(mode) if (1..=MAXIMUM_DIMENSIONS as u32).contains(dimensions) => {
            Ok((*dimensions as usize, mode))
        }
        Some(_) => fail(format!("a tensor layout of {dimensions} dimensions, expected 1 to 5")),
        None => fail(format!("the tensor clamp mode {clamp} is not known")),
    }
}

fn view_type(type_: &Type) -> Lowered<TensorView> {
    let Type::TensorView { has_dimensions, permutation, .. } = type_ else {
        return fail("expected a tensor view");
    };
    match TensorView::new(*has_dimensions, permutation) {
        Some(view) => Ok(view),
        None => fail("the permutation of a tensor view does not name each of its dimensions once"),
    }
}

/// The pointer, the layout and the view of a tensor load or store, and the functions of a load.
fn tensor(
    lowering: &mut Lowering,
    source: &Module,
    type_: MatrixType,
) -> Lowered<(Tensor, Option<Decoder>, Option<Decoder>)> {
    let (pointer, _) = pointer(lowering, source, 0)?;
    let (layout, layout_type_) = tensor_type(lowering, source, 2)?;
    let (dimensions, clamp_mode) = layout_type(&layout_type_)?;
    let found = source.operands.iter().enumerate().find_map(|(index, operand)| match operand {
        Operand::TensorAddressingOperands(mask) => Some((index, *mask)),
        _ => None,
    });
    let (mut next, mask) = found
        .map_or((source.operands.len(), TensorAddressingOperands::NONE), |(index, mask)| (index + 1, mask));
    let mut view = None;
    if mask.contains(TensorAddressingOperands::TENSOR_VIEW) {
        let (slot, type_) = tensor_type(lowering, source, next)?;
        view = Some((slot, view_type(&type_)?));
        next += 1;
    }
    let mut functions = [None, None];
    for (slot, bit) in functions
        .iter_mut()
        .zip([TensorAddressingOperands::DECODE_FUNC, coopmat_spirv::grammar::DECODE_VECTOR_FUNC])
    {
        if mask.contains(bit) {
            *slot = Some(decoder(lowering, source, next, type_, dimensions)?);
            next += 1;
        }
    }
    let [scalar, vector] = functions;
    if scalar.is_none() && vector.is_some() {
        return fail("DecodeVectorFunc should come with DecodeFunc");
    }
    Ok((Tensor { pointer, layout, dimensions, clamp_mode, view }, scalar, vector))
}

fn decoder(
    lowering: &Lowering,
    source: &Module,
    index: usize,
    type_: MatrixType,
    dimensions: usize,
) -> Lowered<Decoder> {
    let function = function(lowering, source, index)?;
    let Some((parameters, result)) = lowering.signatures.get(function as usize) else {
        return fail("a function without a type");
    };
    let pointee = match parameters.first().map(|type_| lowering.types().get(*type_)) {
        Some(Type::Pointer { pointee: Some(pointee), .. }) => *pointee,
        _ => return fail("the first parameter of a decode function should be a pointer to a buffer"),
    };
    let planes: Vec<u32> = parameters[1..].iter().map(|type_| lowering.types().planes(*type_)).collect();
    if planes != [dimensions as u32; 2] {
        return fail(format!("a decode function should take two arrays of {dimensions} integers"));
    }
    let width = match *lowering.types().get(*result) {
        Type::Vector { count, .. } => count,
        _ => 1,
    };
    let alignment = lowering.types().alignment(pointee).max(1);
    let size = lowering.types().size(pointee, MatrixLayout::default()).next_multiple_of(alignment);
    let component_planes = if type_.component.width() == 64 { 2 } else { 1 };
    if lowering.types().planes(*result) != width * component_planes {
        return fail("a decode function should give components of the matrix");
    }
    Ok(Decoder { function, size: u32::try_from(size).unwrap_or(u32::MAX), width })
}

fn lower_tensor_load(lowering: &mut Lowering, source: &Module) -> Lowered {
    let (result, type_) = result_matrix(lowering, source)?;
    let object = matrix(lowering, source, 1)?;
    let (from, scalar, vector) = tensor(lowering, source, type_)?;
    emit(lowering, type_.scope, Operation::LoadTensor { result, object, from, scalar, vector });
    Ok(())
}

/// Operands from an index on that are numbers of 32 bits.
fn words(lowering: &mut Lowering, source: &Module, first: usize) -> Lowered<Vec<Slot>> {
    let word = |index| {
        let value = lowering.operand(source, index)?;
        match lowering.types().scalar(value.type_) {
            Some(Scalar::Integer { .. } | Scalar::Float(_)) => Ok(value.slot),
            _ => fail(format!("operand {index} of Op{} should be a number", source.class.opname)),
        }
    };
    (first..source.operands.len()).map(word).collect()
}

fn lower_layout(lowering: &mut Lowering, source: &Module) -> Lowered {
    let result = lowering.result(source)?;
    let (dimensions, clamp_mode) = layout_type(&lowering.types().get(result.type_).clone())?;
    let change = match opcode(source) {
        Opcode::TensorLayoutSetDimensionNV => LayoutChange::Dimension,
        Opcode::TensorLayoutSetStrideNV => LayoutChange::Stride,
        Opcode::TensorLayoutSliceNV => LayoutChange::Slice,
        Opcode::TensorLayoutSetClampValueNV => LayoutChange::ClampValue,
        Opcode::TensorLayoutSetBlockSizeNV => LayoutChange::BlockSize,
        _ => {
            emit(
                lowering,
                Scope::Subgroup,
                Operation::CreateLayout { result: result.slot, dimensions, clamp_mode },
            );
            return Ok(());
        }
    };
    let values = words(lowering, source, 1)?;
    let expected = match change {
        LayoutChange::Slice => 2 * dimensions,
        LayoutChange::ClampValue => 1,
        _ => dimensions,
    };
    if values.len() != expected {
        return fail(format!("Op{} has {} numbers, expected {expected}", source.class.opname, values.len()));
    }
    let from = changed(lowering, source, result)?;
    let operation =
        Operation::ChangeLayout { result: result.slot, source: from, dimensions, clamp_mode, change, values };
    emit(lowering, Scope::Subgroup, operation);
    Ok(())
}

fn lower_view(lowering: &mut Lowering, source: &Module) -> Lowered {
    let result = lowering.result(source)?;
    let view = view_type(&lowering.types().get(result.type_).clone())?;
    let change = match opcode(source) {
        Opcode::TensorViewSetDimensionNV => ViewChange::Dimension,
        Opcode::TensorViewSetStrideNV => ViewChange::Stride,
        Opcode::TensorViewSetClipNV => ViewChange::Clip,
        _ => {
            emit(lowering, Scope::Subgroup, Operation::CreateView { result: result.slot, view });
            return Ok(());
        }
    };
    let values = words(lowering, source, 1)?;
    let expected = if change == ViewChange::Clip { 4 } else { view.dimensions };
    if values.len() != expected {
        return fail(format!("Op{} has {} numbers, expected {expected}", source.class.opname, values.len()));
    }
    let from = changed(lowering, source, result)?;
    emit(
        lowering,
        Scope::Subgroup,
        Operation::ChangeView { result: result.slot, source: from, view, change, values },
    );
    Ok(())
}

/// The element's width and the length of a one-dimensional array.
fn array(lowering: &Lowering, type_: TypeId) -> Lowered<(u32, u32)> {
    let Type::Array { element, length, .. } = *lowering.types().get(type_) else {
        return fail("expected an array");
    };
    match lowering.types().scalar(element) {
        Some(Scalar::Integer { width, .. }) if width <= 32 => Ok((u32::from(width), length)),
        Some(Scalar::Float(format)) if format.width() <= 32 => Ok((format.width(), length)),
        _ => fail("expected an array of numbers of at most 32 bits"),
    }
}

fn lower_array(lowering: &mut Lowering, source: &Module) -> Lowered {
    match opcode(source) {
        Opcode::CompositeConstructCoopMatQCOM => {
            let (result, type_) = result_matrix(lowering, source)?;
            let value = lowering.operand(source, 0)?;
            let (width, length) = array(lowering, value.type_)?;
            emit(
                lowering,
                type_.scope,
                Operation::Construct { result, type_, array: value.slot, width, length },
            );
        }
        Opcode::CompositeExtractCoopMatQCOM => {
            let object = matrix(lowering, source, 0)?;
            let result = lowering.result(source)?;
            let (width, length) = array(lowering, result.type_)?;
            emit(
                lowering,
                object.type_.scope,
                Operation::ExtractArray { result: result.slot, object, width, length },
            );
        }
        Opcode::BitCastArrayQCOM => {
            let value = lowering.operand(source, 0)?;
            let result = lowering.result(source)?;
            let ((from_width, from), (to_width, length)) =
                (array(lowering, value.type_)?, array(lowering, result.type_)?);
            if u64::from(from_width) * u64::from(from) != u64::from(to_width) * u64::from(length) {
                return fail("OpBitCastArrayQCOM between arrays of different sizes");
            }
            let operation = Operation::BitcastArray {
                result: result.slot,
                array: value.slot,
                from_width,
                to_width,
                length,
            };
            emit(lowering, Scope::Subgroup, operation);
        }
        _ => {
            let value = lowering.operand(source, 0)?;
            let start = lowering.operand(source, 1)?.slot;
            let result = lowering.result(source)?;
            let (source_length, length) =
                (lowering.types().part_count(value.type_), lowering.types().part_count(result.type_));
            let parts = [value, result].map(|array| match *lowering.types().get(array.type_) {
                Type::Array { element, .. } => Ok(element),
                _ => fail("OpExtractSubArrayQCOM should make an array of a longer one"),
            });
            let [from, to] = parts;
            let (from, to) = (from?, to?);
            lowering.expect(from, to, "an element of the array")?;
            let planes = lowering.types().planes(to);
            let operation = Operation::SubArray {
                result: result.slot,
                array: value.slot,
                start,
                planes,
                length,
                source_length,
            };
            emit(lowering, Scope::Subgroup, operation);
        }
    }
    Ok(())
}
