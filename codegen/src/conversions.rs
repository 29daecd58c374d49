//! Conversions between scalar types, and constructors (GLSL 4.60 section 5.4).

use coopmat_analysis::hir::ExprId;
use coopmat_analysis::types::{ImageDim, OpaqueClass, Scalar, ScalarClass, Ty, TypeKind};
use coopmat_spirv::Capability;
use rspirv::dr::Operand;
use rspirv::spirv::{Op, Word};
use smallvec::SmallVec;

use crate::codegen::{Codegen, Emit};

impl<'a> Codegen<'a> {
    /// An implicit conversion.
    pub fn convert(&mut self, operand: ExprId, to: Ty) -> Emit<Word> {
        let from = self.ty(operand);
        let value = self.value(operand)?;
        self.convert_value(value, from, to)
    }

    pub fn convert_value(&mut self, value: Word, from: Ty, to: Ty) -> Emit<Word> {
        if from == to {
            return Ok(value);
        }
        match (self.types.kind(from), self.types.kind(to)) {
            (&TypeKind::Matrix { component, columns, rows }, &TypeKind::Matrix { component: target, .. }) => {
                let column = self.vector_type(component, u32::from(rows));
                let mut parts: SmallVec<[Word; 4]> = SmallVec::new();
                for index in 0..u32::from(columns) {
                    let part = self.extract(column, value, index);
                    parts.push(self.convert_scalars(part, component, target, u32::from(rows))?);
                }
                let ty = self.type_id(to)?;
                Ok(self.b.value(Op::CompositeConstruct, ty, &parts))
            }
            _ => {
                let (Some((from_scalar, length)), Some((to_scalar, _))) =
                    (self.types.as_vector(from), self.types.as_vector(to))
                else {
                    return match (self.types.component(from), self.types.component(to)) {
                        // Vectors whose length is specialized.
                        (Some(a), Some(b)) => {
                            let ty = self.type_id(to)?;
                            self.convert_into(value, a, b, ty)
                        }
                        _ => Err(self.inconsistent("a conversion between types that have none")),
                    };
                };
                self.convert_scalars(value, from_scalar, to_scalar, length)
            }
        }
    }

    /// Converts a scalar or each component of a vector.
    pub fn convert_scalars(&mut self, value: Word, from: Scalar, to: Scalar, length: u32) -> Emit<Word> {
        if from == to {
            return Ok(value);
        }
        let ty = self.vector_type(to, length);
        match (from.class(), to.class()) {
            (ScalarClass::Bool, _) => {
                let (one, zero) = (self.one(to), self.zero(to));
                let (one, zero) =
                    (self.splat_constant(to, length, one), self.splat_constant(to, length, zero));
                Ok(self.b.value(Op::Select, ty, &[value, one, zero]))
            }
            (class, ScalarClass::Bool) => {
                let zero = self.zero(from);
                let zero = self.splat_constant(from, length, zero);
                let op = match class {
                    ScalarClass::Float | ScalarClass::SmallFloat => Op::FUnordNotEqual,
                    _ => Op::INotEqual,
                };
                let operand_type = self.vector_type(from, length);
                self.b.computes_in(operand_type);
                Ok(self.b.value(op, ty, &[value, zero]))
            }
            _ => {
                // Width first, with the sign of the operand; the other signedness is a matter of the type alone.
                if let Some(same_sign) = between(from, to) {
                    let wide_type = self.vector_type(same_sign, length);
                    let wide = self.convert_into(value, from, same_sign, wide_type)?;
                    return Ok(self.b.value(Op::Bitcast, ty, &[wide]));
                }
                self.convert_into(value, from, to, ty)
            }
        }
    }

    /// The components of a value of any shape, by one instruction where one does it.
    pub fn convert_components(&mut self, value: Word, from: Scalar, to: Scalar, ty: Word) -> Emit<Word> {
        self.convert_into(value, from, to, ty)
    }

    /// One instruction between numbers.
    fn convert_into(&mut self, value: Word, from: Scalar, to: Scalar, ty: Word) -> Emit<Word> {
        let float = |scalar: Scalar| scalar.is_float();
        let op = match (from.class(), to.class()) {
            _ if float(from) && float(to) => Op::FConvert,
            (ScalarClass::Signed, _) if float(to) => Op::ConvertSToF,
            (ScalarClass::Unsigned, _) if float(to) => Op::ConvertUToF,
            (_, ScalarClass::Signed) if float(from) => Op::ConvertFToS,
            (_, ScalarClass::Unsigned) if float(from) => Op::ConvertFToU,
            _ if from.bits() == to.bits() => Op::Bitcast,
            (ScalarClass::Signed, _) => Op::SConvert,
            _ => Op::UConvert,
        };
        if !matches!(op, Op::FConvert | Op::SConvert | Op::UConvert) {
            self.b.computes_with(from);
        }
        Ok(self.b.value(op, ty, &[value]))
    }

    /// `TYPE(arguments)`
    pub fn construct(&mut self, arguments: &[ExprId], ty: Ty) -> Emit<Word> {
        match *self.types.kind(ty) {
            TypeKind::Scalar(_) | TypeKind::Vector(..) | TypeKind::LongVector(..) => {
                self.construct_vector(arguments, ty)
            }
            TypeKind::CoopVec(scalar, length) => self.construct_coopvec(arguments, ty, (scalar, length)),
            TypeKind::Matrix { component, columns, rows } => {
                self.construct_matrix(arguments, ty, component, columns, rows)
            }
            TypeKind::Array(..) | TypeKind::Struct(_) => {
                let mut parts = Vec::with_capacity(arguments.len());
                for &argument in arguments {
                    parts.push(self.value(argument)?);
                }
                let id = self.type_id(ty)?;
                Ok(self.b.value(Op::CompositeConstruct, id, &parts))
            }
            TypeKind::Reference(_) => {
                let Some(&argument) = arguments.first() else {
                    return Err(self.inconsistent("an address of nothing"));
                };
                self.construct_reference(argument, ty)
            }
            TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_) => {
                let Some(&argument) = arguments.first() else {
                    return Err(self.inconsistent("a matrix of nothing"));
                };
                self.construct_coopmat(argument, ty)
            }
            TypeKind::Opaque(opaque) if opaque.class == OpaqueClass::SampledImage => {
                let mut parts: SmallVec<[Word; 2]> = SmallVec::new();
                for &argument in arguments {
                    parts.push(self.value(argument)?);
                }
                // A buffer of texels is read without a sampler.
                if let (ImageDim::Buffer, Some(&texture)) = (opaque.dim, parts.first()) {
                    return Ok(texture);
                }
                self.combined(ty, &parts)
            }
            TypeKind::Opaque(opaque) if opaque.class == OpaqueClass::AccelerationStructure => {
                let Some(&address) = arguments.first() else {
                    return Err(self.inconsistent("an acceleration structure of nothing"));
                };
                let address = self.value(address)?;
                let id = self.type_id(ty)?;
                Ok(self.b.value(Op::ConvertUToAccelerationStructureKHR, id, &[address]))
            }
            TypeKind::Error
            | TypeKind::Void
            | TypeKind::Opaque(_)
            | TypeKind::TensorLayout { .. }
            | TypeKind::TensorView { .. }
            | TypeKind::FunctionName
            | TypeKind::String
            | TypeKind::NotAnalysed(_) => Err(self.inconsistent("a constructor of what has none")),
        }
    }

    fn construct_vector(&mut self, arguments: &[ExprId], ty: Ty) -> Emit<Word> {
        if self.is_vector_of_one(ty) {
            return self.construct_sized_vector(arguments, ty);
        }
        let Some((scalar, length)) = self.types.as_vector(ty) else {
            return self.construct_sized_vector(arguments, ty);
        };
        if let &[argument] = arguments {
            let from = self.ty(argument);
            if let TypeKind::Reference(_) = self.types.kind(from) {
                let value = self.value(argument)?;
                return self.address_as_number(value, scalar, ty);
            }
            if let Some((from, of)) = self.types.as_coopvec(from) {
                let value = self.value(argument)?;
                let value = self.convert_coopvec(value, from, scalar, of)?;
                let id = self.type_id(ty)?;
                return Ok(self.b.value(Op::Bitcast, id, &[value]));
            }
            if let Some((from_scalar, from_length)) = self.types.as_vector(from) {
                let value = self.value(argument)?;
                if from_length == length {
                    return self.convert_scalars(value, from_scalar, scalar, length);
                }
                if from_length == 1 {
                    let value = self.convert_scalars(value, from_scalar, scalar, 1)?;
                    return Ok(self.splat(value, scalar, length));
                }
                // The first components.
                let first = self.first_components(value, from_scalar, length);
                return self.convert_scalars(first, from_scalar, scalar, length);
            }
        }
        let mut parts: SmallVec<[Word; 4]> = SmallVec::new();
        let mut given = 0;
        for &argument in arguments {
            if given >= length {
                break;
            }
            let from = self.ty(argument);
            let value = self.value(argument)?;
            match *self.types.kind(from) {
                TypeKind::Matrix { component, columns, rows } => {
                    let column = self.vector_type(component, u32::from(rows));
                    for index in 0..u32::from(columns) {
                        if given >= length {
                            break;
                        }
                        let part = self.extract(column, value, index);
                        given +=
                            self.take(part, component, u32::from(rows), scalar, length - given, &mut parts)?;
                    }
                }
                _ => {
                    let Some((from_scalar, count)) = self.types.as_vector(from) else {
                        return Err(self.fail(
                            "a vector of a specialized length must be the only argument of a constructor",
                        ));
                    };
                    given += self.take(value, from_scalar, count, scalar, length - given, &mut parts)?;
                }
            }
        }
        if let (&[one], 1) = (parts.as_slice(), length) {
            return Ok(one);
        }
        let id = self.vector_type(scalar, length);
        if let &[one] = parts.as_slice() {
            return Ok(one);
        }
        Ok(self.b.value(Op::CompositeConstruct, id, &parts))
    }

    /// Takes at most `wanted` components of a value, converted.
    fn take(
        &mut self,
        value: Word,
        from: Scalar,
        count: u32,
        to: Scalar,
        wanted: u32,
        parts: &mut SmallVec<[Word; 4]>,
    ) -> Emit<u32> {
        let taken = count.min(wanted);
        let value = if taken < count { self.first_components(value, from, taken) } else { value };
        parts.push(self.convert_scalars(value, from, to, taken)?);
        Ok(taken)
    }

    fn first_components(&mut self, value: Word, scalar: Scalar, count: u32) -> Word {
        let ty = self.vector_type(scalar, count);
        if count == 1 {
            return self.extract(ty, value, 0);
        }
        let mut operands = vec![Operand::IdRef(value), Operand::IdRef(value)];
        operands.extend((0..count).map(Operand::LiteralBit32));
        self.b.value_with(Op::VectorShuffle, ty, operands)
    }

    /// `vector<T, 1>` is a type of its own, no scalar.
    fn is_vector_of_one(&self, ty: Ty) -> bool {
        matches!(*self.types.kind(ty), TypeKind::LongVector(_, length) if self.types.symbols.as_int(length) == Some(1))
    }

    /// A vector whose length depends on specialization: from a scalar or a vector of the same length.
    fn construct_sized_vector(&mut self, arguments: &[ExprId], ty: Ty) -> Emit<Word> {
        let (&[argument], Some(scalar)) = (arguments, self.types.component(ty)) else {
            return Err(self.fail("a vector of a specialized length is constructed from one value"));
        };
        let value = self.value(argument)?;
        let from = self.ty(argument);
        let id = self.type_id(ty)?;
        match self.types.as_scalar(from) {
            Some(from) => {
                let value = self.convert_scalars(value, from, scalar, 1)?;
                if self.is_vector_of_one(ty) {
                    return Ok(self.b.value(Op::CompositeConstruct, id, &[value]));
                }
                Ok(self.replicated(value, id))
            }
            None => self.convert_value(value, from, ty),
        }
    }

    /// A composite all of whose parts are the same value, however many they are.
    pub fn replicated(&mut self, value: Word, ty: Word) -> Word {
        self.b.extension("SPV_EXT_replicated_composites");
        self.b.capability(Capability::ReplicatedCompositesEXT);
        self.b.value(Op::CompositeConstructReplicateEXT, ty, &[value])
    }

    fn construct_matrix(
        &mut self,
        arguments: &[ExprId],
        ty: Ty,
        component: Scalar,
        columns: u8,
        rows: u8,
    ) -> Emit<Word> {
        let id = self.type_id(ty)?;
        let column = self.vector_type(component, u32::from(rows));
        if let &[argument] = arguments {
            let from = self.ty(argument);
            match *self.types.kind(from) {
                TypeKind::Matrix { component: source, columns: has_columns, rows: has_rows } => {
                    let value = self.value(argument)?;
                    if (has_columns, has_rows) == (columns, rows) {
                        return self.convert_value(value, from, ty);
                    }
                    return self.resized_matrix(value, (source, has_columns, has_rows), ty);
                }
                TypeKind::Scalar(source) => {
                    let value = self.value(argument)?;
                    let value = self.convert_scalars(value, source, component, 1)?;
                    let zero = self.zero(component);
                    let mut parts: SmallVec<[Word; 4]> = SmallVec::new();
                    for at in 0..columns {
                        if at >= rows {
                            parts.push(self.splat_constant(component, u32::from(rows), zero));
                            continue;
                        }
                        let cells: SmallVec<[Word; 4]> =
                            (0..rows).map(|row| if row == at { value } else { zero }).collect();
                        parts.push(self.b.value(Op::CompositeConstruct, column, &cells));
                    }
                    return Ok(self.b.value(Op::CompositeConstruct, id, &parts));
                }
                _ => {}
            }
        }
        // Column vectors of the right length go in whole; all else is taken apart.
        let whole = arguments.len() == usize::from(columns)
            && arguments.iter().all(|&argument| {
                self.types.as_vector(self.ty(argument)).is_some_and(|(_, n)| n == u32::from(rows))
            });
        let mut parts: SmallVec<[Word; 4]> = SmallVec::new();
        if whole {
            for &argument in arguments {
                let value = self.value(argument)?;
                let Some((source, length)) = self.types.as_vector(self.ty(argument)) else { continue };
                parts.push(self.convert_scalars(value, source, component, length)?);
            }
            return Ok(self.b.value(Op::CompositeConstruct, id, &parts));
        }
        let mut cells: SmallVec<[Word; 16]> = SmallVec::new();
        for &argument in arguments {
            let value = self.value(argument)?;
            let Some((source, length)) = self.types.as_vector(self.ty(argument)) else {
                return Err(self.inconsistent("a matrix among the parts of a matrix"));
            };
            let source_type = self.scalar_type(source);
            for index in 0..length {
                if cells.len() == usize::from(columns) * usize::from(rows) {
                    break;
                }
                let cell = if length == 1 { value } else { self.extract(source_type, value, index) };
                cells.push(self.convert_scalars(cell, source, component, 1)?);
            }
        }
        for cells in cells.chunks(usize::from(rows)) {
            parts.push(self.b.value(Op::CompositeConstruct, column, cells));
        }
        Ok(self.b.value(Op::CompositeConstruct, id, &parts))
    }

    /// A matrix from a matrix of another size: what is lacking comes from the identity.
    fn resized_matrix(
        &mut self,
        value: Word,
        (source, has_columns, has_rows): (Scalar, u8, u8),
        ty: Ty,
    ) -> Emit<Word> {
        let TypeKind::Matrix { component, columns, rows } = *self.types.kind(ty) else {
            return Err(self.inconsistent("a matrix of another type"));
        };
        let id = self.type_id(ty)?;
        let column = self.vector_type(component, u32::from(rows));
        let source_column = self.vector_type(source, u32::from(has_rows));
        let (one, zero) = (self.one(component), self.zero(component));
        let mut parts: SmallVec<[Word; 4]> = SmallVec::new();
        for at in 0..columns {
            let identity = |row: u8| if row == at { one } else { zero };
            if at >= has_columns {
                let cells: SmallVec<[Word; 4]> = (0..rows).map(identity).collect();
                parts.push(self.composite_constant(column, &cells, false));
                continue;
            }
            let given = self.extract(source_column, value, u32::from(at));
            let taken = rows.min(has_rows);
            let first = match taken < has_rows {
                true => self.first_components(given, source, u32::from(taken)),
                false => given,
            };
            let first = self.convert_scalars(first, source, component, u32::from(taken))?;
            if taken == rows {
                parts.push(first);
                continue;
            }
            let cells: SmallVec<[Word; 4]> =
                std::iter::once(first).chain((taken..rows).map(identity)).collect();
            parts.push(self.b.value(Op::CompositeConstruct, column, &cells));
        }
        Ok(self.b.value(Op::CompositeConstruct, id, &parts))
    }

    /// An address from a number, two numbers, or another address.
    fn construct_reference(&mut self, argument: ExprId, ty: Ty) -> Emit<Word> {
        let from = self.ty(argument);
        let value = self.value(argument)?;
        if from == ty {
            return Ok(value);
        }
        let pointer = self.type_id(ty)?;
        match self.types.kind(from) {
            TypeKind::Reference(_) => Ok(self.b.value(Op::Bitcast, pointer, &[value])),
            TypeKind::Scalar(scalar) => {
                let scalar = *scalar;
                let number = match scalar {
                    Scalar::Uint64 | Scalar::Int64 => value,
                    other => self.convert_scalars(value, other, Scalar::Uint64, 1)?,
                };
                Ok(self.b.value(Op::ConvertUToPtr, pointer, &[number]))
            }
            _ => Ok(self.b.value(Op::Bitcast, pointer, &[value])),
        }
    }

    fn address_as_number(&mut self, value: Word, scalar: Scalar, ty: Ty) -> Emit<Word> {
        let id = self.type_id(ty)?;
        let op = match scalar {
            Scalar::Uint64 | Scalar::Int64 => Op::ConvertPtrToU,
            _ => Op::Bitcast,
        };
        Ok(self.b.value(op, id, &[value]))
    }
}

/// The integer type that a conversion of both width and sign passes through.
pub(crate) fn between(from: Scalar, to: Scalar) -> Option<Scalar> {
    let both = from.is_integer() && to.is_integer() && from.bits() != to.bits() && from.class() != to.class();
    both.then(|| with_width(from.class(), to.bits()))
}

/// The integer type of a class and a width.
pub(crate) fn with_width(class: ScalarClass, bits: u32) -> Scalar {
    match (class, bits) {
        (ScalarClass::Signed, 8) => Scalar::Int8,
        (ScalarClass::Signed, 16) => Scalar::Int16,
        (ScalarClass::Signed, 64) => Scalar::Int64,
        (ScalarClass::Signed, _) => Scalar::Int32,
        (_, 8) => Scalar::Uint8,
        (_, 16) => Scalar::Uint16,
        (_, 64) => Scalar::Uint64,
        _ => Scalar::Uint32,
    }
}
