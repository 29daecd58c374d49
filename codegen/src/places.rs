//! Places in memory: what an l-value denotes, the access chain to it, loads and stores.

mod access;
mod descriptors;
mod memory_operands;
mod place;
mod relayout;

use coopmat_analysis::extensions::{self, variables};
use coopmat_analysis::hir::{
    self, Definition, ExprId, ExprKind, MemoryQualifiers, Packing, Storage, StructId, StructKind, Swizzle,
};
use coopmat_analysis::types::{ArrayLength, Scalar, Ty, TypeKind};
use rspirv::dr::Operand;
use rspirv::spirv::{Op, StorageClass, Word};
use smallvec::SmallVec;

use crate::codegen::{Codegen, Emit, LocalSlot, Stop};
use crate::memory::Memory;

pub(crate) use access::Access;
pub(crate) use place::{Heap, Place, View};

impl<'a> Codegen<'a> {
    /// The place that an expression denotes; `None` for values.
    pub fn place(&mut self, expr: ExprId) -> Emit<Option<Place>> {
        let e = self.expr(expr);
        match &e.kind {
            &ExprKind::Local(local) => match self.slot(local).clone() {
                LocalSlot::Place(place) => Ok(Some(*place)),
                LocalSlot::Value(_) => Ok(None),
                LocalSlot::Refused => Err(Stop),
                LocalSlot::None => {
                    // Its declaration is behind a jump: it has no value yet.
                    self.declare_variable(local)?;
                    match self.slot(local).clone() {
                        LocalSlot::Place(place) => Ok(Some(*place)),
                        _ => Ok(None),
                    }
                }
            },
            &ExprKind::Global(id) => {
                if self.global(id).storage == Storage::Const {
                    return Ok(None);
                }
                self.global_place(id).map(Some)
            }
            &ExprKind::BlockMember(id, member) => {
                let mut place = self.global_place(id)?;
                let TypeKind::Struct(structure) = *self.types.kind(place.ty) else {
                    return Err(self.inconsistent("a member of what is no block"));
                };
                self.select_member(&mut place, structure, member)?;
                Ok(Some(place))
            }
            &ExprKind::BuiltinVariable(id) => {
                let variable = extensions::variable_by_id(id);
                let mask = self.types.as_scalar(e.ty) == Some(Scalar::Uint64)
                    && variable.decoration.starts_with("Subgroup");
                if id == variables::GL_WORK_GROUP_SIZE || mask || self.is_transposed(id, e.ty) {
                    return Ok(None);
                }
                self.builtin_place(id, e.ty).map(Some)
            }
            &ExprKind::Member { base, structure, member } => {
                if let TypeKind::Reference(_) = self.types.kind(self.ty(base)) {
                    let mut place = self.dereference(base, structure)?;
                    self.select_member(&mut place, structure, member)?;
                    return Ok(Some(place));
                }
                let Some(mut place) = self.place(base)? else { return Ok(None) };
                self.select_member(&mut place, structure, member)?;
                Ok(Some(place))
            }
            &ExprKind::Index { base, index } => {
                let base_ty = self.ty(base);
                if let TypeKind::Reference(_) = self.types.kind(base_ty) {
                    return Ok(None);
                }
                let place = match self.place(base)? {
                    Some(place) => Some(place),
                    None => self.table_place(base, index)?,
                };
                let Some(mut place) = place else { return Ok(None) };
                let before = self.enter(e.range);
                let result = self.select_element(&mut place, base_ty, index, e.ty);
                self.leave(before);
                result?;
                Ok(Some(place))
            }
            &ExprKind::Swizzle { base, components } => {
                let Some(mut place) = self.place(base)? else { return Ok(None) };
                self.select_components(&mut place, components, e.ty)?;
                Ok(Some(place))
            }
            // Everything else is a value.
            ExprKind::Error
            | ExprKind::Literal
            | ExprKind::String(_)
            | ExprKind::BuiltinConstant(_)
            | ExprKind::FunctionName { .. }
            | ExprKind::Unary { .. }
            | ExprKind::IncDec { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Assign { .. }
            | ExprKind::Conditional { .. }
            | ExprKind::Comma { .. }
            | ExprKind::Call { .. }
            | ExprKind::Construct { .. }
            | ExprKind::InitializerList { .. }
            | ExprKind::Convert { .. }
            | ExprKind::Length { .. } => Ok(None),
        }
    }

    /// The place of an expression that the analysis has found to be an l-value.
    pub fn required_place(&mut self, expr: ExprId) -> Emit<Place> {
        match self.place(expr)? {
            Some(place) => Ok(place),
            None => {
                let before = self.enter(self.expr(expr).range);
                let stop = self.inconsistent("a value where memory is needed");
                self.leave(before);
                Err(stop)
            }
        }
    }

    /// Memory for a constant array that is indexed by a value known at run time only.
    fn table_place(&mut self, base: ExprId, index: ExprId) -> Emit<Option<Place>> {
        let base_expr = self.expr(base);
        if base_expr.constant.is_none()
            || self.expr(index).constant.as_ref().is_some_and(|c| c.as_int().is_some())
        {
            return Ok(None);
        }
        if !matches!(self.types.kind(base_expr.ty), TypeKind::Array(..) | TypeKind::Matrix { .. }) {
            return Ok(None);
        }
        let value = match &base_expr.kind {
            &ExprKind::Global(id) => self.constant_global(id)?,
            _ => match base_expr.constant.as_ref() {
                Some(constant) => match self.constant(constant, base_expr.ty)? {
                    Some(value) => value,
                    None => return Ok(None),
                },
                None => return Ok(None),
            },
        };
        self.constant_table(value, base_expr.ty).map(Some)
    }

    /// What a buffer reference points at.
    pub fn dereference(&mut self, reference: ExprId, structure: StructId) -> Emit<Place> {
        let pointer = self.value(reference)?;
        let mut place = self.pointed_at(pointer, structure)?;
        let Some((qualifiers, declared)) =
            hir::reference_qualifiers(self.hir, self.types, self.f.body, reference)
        else {
            return Ok(place);
        };
        if qualifiers.coherent && !qualifiers.volatile && !self.vulkan_memory_model {
            // Without the model, `coherent` is a decoration of a block's members, which belongs to all references to the block.
            let name = &self.hir.structs[structure].name;
            let message = format!(
                "`coherent` on a variable that holds an address needs the Vulkan memory model: add `#pragma use_vulkan_memory_model`, \
                 or declare `coherent buffer {name}`"
            );
            let declared = match declared {
                Definition::Local(local) => Some(self.absolute(self.local(local).name_range)),
                other => self.hir.definition_range(&other, None),
            };
            let before = self.b.at;
            self.b.at = declared.unwrap_or(before);
            let stop = self.fail(message);
            self.b.at = before;
            return Err(stop);
        }
        place.access = place.access.and(&qualifiers);
        Ok(place)
    }

    /// What an address of a block points at.
    pub fn pointed_at(&mut self, pointer: Word, structure: StructId) -> Emit<Place> {
        let memory = self.reference_memory(structure);
        let qualifiers = match &self.hir.structs[structure].kind {
            StructKind::Reference { memory, .. } => *memory,
            _ => MemoryQualifiers::default(),
        };
        let access = Access { align: self.reference_align(structure), ..Access::of(&qualifiers) };
        // The type of the place is that of the whole block, which no expression has: members are selected from it.
        Ok(Place::new(pointer, StorageClass::PhysicalStorageBuffer, Ty::VOID, memory, access))
    }

    /// Goes on to a member.
    pub fn select_member(&mut self, place: &mut Place, structure: StructId, member: u32) -> Emit<()> {
        let declared = &self.hir.structs[structure];
        let Some(selected) = declared.members.get(member as usize) else {
            return Err(self.inconsistent("a member that is not declared"));
        };
        let index = self.member_index(structure, member)?;
        let index = self.int_constant(index as i32);
        if place.class == StorageClass::PhysicalStorageBuffer
            && let Memory::Block { packing, .. } = place.memory
        {
            place.access.align |= self.member_offset(structure, packing, place.memory.is_row_major(), member);
        }
        let of_block = match &declared.kind {
            StructKind::Block { memory, .. } | StructKind::Reference { memory, .. } => *memory,
            StructKind::Plain => MemoryQualifiers::default(),
        };
        place.access = place.access.and(&of_block).and(&selected.memory);
        let row_major = declared.is_row_major(selected, place.memory.is_row_major());
        place.memory = place.memory.with_row_major(row_major);
        place.push(index, selected.ty);
        if place.view.is_some() {
            if let Some(format) = &selected.layout.format {
                place.access.format = self.image_format(format)?;
            }
            self.enter_buffer(place)?;
        }
        Ok(())
    }

    fn member_offset(&mut self, structure: StructId, packing: Packing, row_major: bool, member: u32) -> u32 {
        let context = self.layout_context(packing);
        let offsets = self.table.offsets.entry((structure, packing, row_major)).or_insert_with(|| {
            let members = context.members_within(structure, row_major).unwrap_or_default();
            let offset = |offset: Option<u64>| offset.and_then(|offset| u32::try_from(offset).ok());
            members.iter().map(|member| offset(member.offset).unwrap_or(1)).collect()
        });
        offsets.get(member as usize).copied().unwrap_or(1)
    }

    /// Goes on to an element of an array, a column of a matrix, a component of a vector, or an element of a cooperative matrix.
    pub fn select_element(&mut self, place: &mut Place, base_ty: Ty, index: ExprId, element: Ty) -> Emit<()> {
        let mut index_value = self.value(index)?;
        if self.promotes_indices
            && self.expr(index).constant.is_none()
            && self.types.as_scalar(self.ty(index)) == Some(Scalar::Uint32)
        {
            let long = self.scalar_type(Scalar::Uint64);
            index_value = self.b.value(Op::UConvert, long, &[index_value]);
        }
        if self.f.body.is_nonuniform(index) {
            place.access.nonuniform = true;
            self.nonuniform_descriptors(place);
        } else if place.heap.is_some() {
            // What may be indexed is what is in the heap, and needs nothing more.
        } else if self.expr(index).constant.is_none() {
            self.dynamic_descriptors(place);
        }
        self.select_index(place, base_ty, index_value, element)
    }

    pub fn select_index(&mut self, place: &mut Place, base_ty: Ty, mut index: Word, element: Ty) -> Emit<()> {
        if let Some(heap) = place.heap.take() {
            self.select_descriptor(place, heap, index, element);
            return Ok(());
        }
        if let Some(swizzle) = place.swizzle.take() {
            // `v.zyx[i]`: the component's number is looked up.
            let parts: SmallVec<[Word; 4]> =
                swizzle.as_slice().iter().map(|&part| self.uint_constant(u32::from(part))).collect();
            let ty = self.vector_type(Scalar::Uint32, parts.len() as u32);
            let table = self.composite_constant(ty, &parts, false);
            let uint = self.uint_type();
            index = self.b.value(Op::VectorExtractDynamic, uint, &[table, index]);
        }
        if place.class == StorageClass::PhysicalStorageBuffer
            && let Memory::Block { packing, row_major } = place.memory
        {
            let layout = self.layout_context(packing);
            let stride = match self.types.kind(base_ty) {
                TypeKind::Array(..) => {
                    layout.type_layout(base_ty, row_major).and_then(|layout| layout.array_stride)
                }
                TypeKind::Matrix { component, .. } if row_major => Some(u64::from(component.bytes())),
                TypeKind::Matrix { .. } => {
                    layout.type_layout(base_ty, row_major).and_then(|layout| layout.matrix_stride)
                }
                _ => self.types.component(base_ty).map(|scalar| u64::from(scalar.bytes())),
            };
            place.access.align |= stride.map_or(1, |stride| stride as u32);
        }
        place.push(index, element);
        if place.view.is_some() {
            self.enter_buffer(place)?;
        }
        Ok(())
    }

    /// Goes on from a heap to a descriptor, and to the buffer that it describes.
    fn select_descriptor(&mut self, place: &mut Place, heap: Heap, index: Word, element: Ty) {
        let untyped = self.untyped_pointer_type(StorageClass::UniformConstant);
        let mut pointer = self.b.value(Op::UntypedAccessChainKHR, untyped, &[heap.array, place.base, index]);
        let mut nonuniform = vec![pointer];
        place.untyped = heap.target.is_none();
        if let Some((ty, class)) = heap.target {
            pointer = self.b.value(Op::BufferPointerEXT, ty, &[pointer]);
            nonuniform.push(pointer);
            place.class = class;
        }
        if place.access.nonuniform {
            for id in nonuniform {
                self.b.nonuniform(id);
            }
        }
        place.base = pointer;
        place.ty = element;
        place.pointer = None;
    }

    /// Goes on to components of a vector. Of one component the chain goes on; several are taken from what is loaded.
    pub fn select_components(&mut self, place: &mut Place, components: Swizzle, ty: Ty) -> Emit<()> {
        let vector = match place.swizzle {
            Some(swizzle) => {
                let mut composed = components;
                for part in &mut composed.components[..usize::from(components.length)] {
                    *part = swizzle.as_slice().get(usize::from(*part)).copied().unwrap_or(0);
                }
                place.swizzle = None;
                composed
            }
            None => components,
        };
        // `x.x` of a scalar is the scalar.
        if let Some(scalar) = self.types.as_scalar(place.ty) {
            if vector.length > 1 {
                place.swizzle = Some(vector);
            }
            let _ = scalar;
            return Ok(());
        }
        match vector.as_slice() {
            &[one] => {
                if place.class == StorageClass::PhysicalStorageBuffer {
                    let bytes = self.types.component(place.ty).map_or(1, Scalar::bytes);
                    place.access.align |= bytes;
                }
                let index = self.uint_constant(u32::from(one));
                place.push(index, ty);
            }
            _ => place.swizzle = Some(vector),
        }
        Ok(())
    }

    /// The type of what a place points at.
    fn pointee(&mut self, place: &Place) -> Emit<Word> {
        if self.opaque_of(place.ty).is_some() {
            return self.opaque_memory_type(place.ty, place.access.format);
        }
        self.memory_type(place.ty, place.memory)
    }

    /// A pointer to the place, without its swizzle.
    pub fn pointer(&mut self, place: &mut Place) -> Emit<Word> {
        if let Some(pointer) = place.pointer {
            return Ok(pointer);
        }
        if place.heap.is_some() {
            return Err(self.fail("a descriptor heap is not a value: only its elements can be used"));
        }
        if let Some(view) = place.view {
            let pointer = self.pointer_in_heap(place, view)?;
            place.pointer = Some(pointer);
            return Ok(pointer);
        }
        if place.chain.is_empty() {
            return Ok(place.base);
        }
        let pointee = self.pointee(place)?;
        let ty = self.pointer_type(place.class, pointee);
        let operands =
            std::iter::once(place.base).chain(place.chain.iter().copied()).map(Operand::IdRef).collect();
        let pointer = self.b.value_with(Op::AccessChain, ty, operands);
        if place.access.nonuniform {
            self.b.nonuniform(pointer);
        }
        place.pointer = Some(pointer);
        Ok(pointer)
    }

    /// A pointer to the block that a member's place lies in: what OpArrayLength takes.
    pub fn pointer_to_block(&mut self, place: &Place, parent_ty: Ty) -> Emit<Word> {
        let mut parent = place.clone();
        parent.chain.pop();
        parent.pointer = None;
        if parent.chain.is_empty() {
            return Ok(parent.base);
        }
        parent.ty = parent_ty;
        self.pointer(&mut parent)
    }

    /// Whether a type is that of memory as a whole: a block, an array without a size, or an array of them.
    pub fn is_block_or_open(&self, mut ty: Ty) -> bool {
        while let Some((element, length)) = self.types.as_array(ty) {
            if length == ArrayLength::Unsized {
                return true;
            }
            ty = element;
        }
        matches!(*self.types.kind(ty), TypeKind::Struct(structure)
            if matches!(self.hir.structs[structure].kind, StructKind::Block { .. }))
    }

    /// The value at a place.
    pub fn load(&mut self, place: &mut Place) -> Emit<Word> {
        // SPIR-V 1.6, OpTypeRuntimeArray: no value has it, and a block may end with one.
        if self.is_block_or_open(place.ty) {
            return Err(
                self.fail("a block or an array without a size is not a value: this use of it is not supported in compiled shaders")
            );
        }
        if place.view.is_some() && self.opaque_of(place.ty).is_none() && self.holds_descriptors(place.ty) {
            return Err(
                self.fail("a structure with descriptors in it is not a value: only its members can be used")
            );
        }
        let pointer = self.pointer(place)?;
        let ty = self.pointee(place)?;
        let mut operands = vec![Operand::IdRef(pointer)];
        operands.extend(self.memory_operands(place, false));
        let loaded = self.b.value_with(Op::Load, ty, operands);
        if place.access.nonuniform {
            self.b.nonuniform(loaded);
        }
        let value = self.loaded_value(loaded, place.ty, place.memory)?;
        match place.swizzle {
            Some(swizzle) => self.shuffle(value, place.ty, swizzle),
            None => Ok(value),
        }
    }

    /// Components of a vector, or a scalar several times.
    pub fn shuffle(&mut self, value: Word, from: Ty, swizzle: Swizzle) -> Emit<Word> {
        let Some((scalar, length)) = self.types.as_vector(from) else {
            return Err(self.inconsistent("components of what is no vector"));
        };
        let count = u32::from(swizzle.length);
        let ty = self.vector_type(scalar, count);
        if length == 1 {
            if count == 1 {
                return Ok(value);
            }
            let parts: SmallVec<[Word; 4]> = (0..count).map(|_| value).collect();
            return Ok(self.b.value(Op::CompositeConstruct, ty, &parts));
        }
        match swizzle.as_slice() {
            &[one] => Ok(self.extract(ty, value, u32::from(one))),
            parts => {
                let whole = parts.len() == length as usize
                    && parts.iter().enumerate().all(|(at, &part)| at == usize::from(part));
                if whole {
                    return Ok(value);
                }
                let mut operands = vec![Operand::IdRef(value), Operand::IdRef(value)];
                operands.extend(parts.iter().map(|&part| Operand::LiteralBit32(u32::from(part))));
                Ok(self.b.value_with(Op::VectorShuffle, ty, operands))
            }
        }
    }

    /// A part of a composite value.
    pub fn extract(&mut self, ty: Word, composite: Word, index: u32) -> Word {
        let operands = vec![Operand::IdRef(composite), Operand::LiteralBit32(index)];
        self.b.value_with(Op::CompositeExtract, ty, operands)
    }

    /// Writes a value to a place.
    pub fn store(&mut self, place: &mut Place, value: Word) -> Emit<()> {
        if let Some(swizzle) = place.swizzle {
            return self.store_components(place, swizzle, value);
        }
        let value = self.stored_value(value, place.ty, place.memory)?;
        let pointer = self.pointer(place)?;
        let mut operands = vec![Operand::IdRef(pointer), Operand::IdRef(value)];
        operands.extend(self.memory_operands(place, true));
        self.b.effect_with(Op::Store, operands);
        Ok(())
    }

    fn store_components(&mut self, place: &mut Place, swizzle: Swizzle, value: Word) -> Emit<()> {
        let Some((scalar, length)) = self.types.as_vector(place.ty) else {
            return Err(self.inconsistent("components of what is no vector"));
        };
        let parts = swizzle.as_slice();
        if parts.len() == length as usize {
            // A permutation of all components is one store.
            let mut inverse = Swizzle { components: [0; 4], length: swizzle.length };
            for (at, &part) in parts.iter().enumerate() {
                if let Some(slot) = inverse.components.get_mut(usize::from(part)) {
                    *slot = at as u8;
                }
            }
            let value = self.shuffle(value, place.ty, inverse)?;
            let mut whole = place.clone();
            whole.swizzle = None;
            return self.store(&mut whole, value);
        }
        let component = self.scalar_type(scalar);
        // A `bool` lies in memory as an integer.
        let stored = match scalar {
            Scalar::Bool if !place.memory.is_plain() => Scalar::Uint32,
            scalar => scalar,
        };
        let stored_type = self.scalar_type(stored);
        let pointer_type = self.pointer_type(place.class, stored_type);
        for (at, &part) in parts.iter().enumerate() {
            let mut one = place.clone();
            if one.class == StorageClass::PhysicalStorageBuffer {
                one.access.align |= scalar.bytes();
            }
            let index = self.uint_constant(u32::from(part));
            let operands = std::iter::once(one.base)
                .chain(one.chain.iter().copied())
                .chain([index])
                .map(Operand::IdRef)
                .collect();
            let pointer = self.b.value_with(Op::AccessChain, pointer_type, operands);
            if one.access.nonuniform {
                self.b.nonuniform(pointer);
            }
            let mut value = self.extract(component, value, at as u32);
            if stored != scalar {
                let (one, zero) = (self.one(stored), self.zero(stored));
                value = self.b.value(Op::Select, stored_type, &[value, one, zero]);
            }
            let mut operands = vec![Operand::IdRef(pointer), Operand::IdRef(value)];
            operands.extend(self.memory_operands(&one, true));
            self.b.effect_with(Op::Store, operands);
        }
        Ok(())
    }

    /// A variable of the function for a value that has to be in memory.
    pub fn temporary(&mut self, ty: Ty, value: Option<Word>) -> Emit<Place> {
        let pointee = self.type_id(ty)?;
        self.b.computes_in(pointee);
        let pointer = self.pointer_type(StorageClass::Function, pointee);
        let variable = self.b.function_variable(pointer, None);
        let mut place = Place::new(variable, StorageClass::Function, ty, Memory::Plain, Access::default());
        self.decorate_addresses(variable, ty, &MemoryQualifiers::default());
        if let Some(value) = value {
            self.store(&mut place, value)?;
        }
        Ok(place)
    }
}
