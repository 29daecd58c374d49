//! Parts of values: members, swizzles, elements, and `.length()` (GLSL 4.60 sections 5.5 to 5.7).

use smol_str::SmolStr;
use tree_sitter::Node;
use tree_sitter_glsl_coopmat::{field, token};

use super::expression_state::Access;
use super::folding::part;
use super::shapes::Shape;
use super::{Lowerer, suggest};
use crate::diagnostics::{Code, Severity, codes};
use crate::extensions::{Change, ids};
use crate::hir::{
    Const, Definition, Expr, ExprId, ExprKind, GlobalId, Method, RemedyKind, Storage, StructId, StructKind,
    Swizzle,
};
use crate::text::TextRange;
use crate::types::{ArrayLength, Scalar, Ty, TypeKind};

/// The three sets of names that components have; one selection keeps to one set.
const COMPONENT_NAMES: [&[u8; 4]; 3] = [b"xyzw", b"rgba", b"stpq"];

impl<'a> Lowerer<'a> {
    /// `base.name`
    pub(super) fn member(&mut self, node: Node<'a>, access: Access) -> ExprId {
        let range = self.range(node);
        self.expressions.access = access;
        let base = match self.child(node, field::BASE) {
            Some(base) => self.expression(base),
            None => self.error_expr(range),
        };
        self.expressions.access = Access::Read;
        let base_ty = self.type_of(base);
        let Some(name_node) = self.child(node, field::MEMBER) else {
            return self.error_expr(range);
        };
        if self.types.is_error(base_ty) {
            return self.error_expr(range);
        }
        let name = self.node_text(name_node);
        let name_range = self.range(name_node);
        match *self.types.kind(base_ty) {
            TypeKind::Struct(id) => self.struct_member(base, id, name, name_range, range),
            TypeKind::Reference(id) => {
                // Writing through a reference reads the reference.
                if access != Access::Read {
                    self.mark_read(base);
                }
                self.struct_member(base, id, name, name_range, range)
            }
            TypeKind::Vector(scalar, length) => {
                self.swizzle(base, scalar, u32::from(length), name, name_range, range)
            }
            TypeKind::Scalar(scalar) => self.swizzle(base, scalar, 1, name, name_range, range),
            TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_) => {
                let message = if name == "length" {
                    self.call_of_length(&codes::COOPMAT_MEMBER, name_range);
                    "`length` is a method: write `.length()`".to_owned()
                } else {
                    format!(
                        "a cooperative matrix has no member `{name}`: access its components by index, as in `m[i]`"
                    )
                };
                self.report(&codes::COOPMAT_MEMBER, name_range, message);
                self.error_expr(range)
            }
            _ => {
                let have = self.display(base_ty);
                if name == "length" {
                    self.call_of_length(&codes::NO_SUCH_MEMBER, name_range);
                }
                let hint = match self.types.kind(base_ty) {
                    _ if name == "length" => ": `length` is a method, write `.length()`",
                    TypeKind::Array(element, _)
                        if matches!(
                            self.types.kind(*element),
                            TypeKind::Struct(_) | TypeKind::Reference(_)
                        ) =>
                    {
                        ": index the array first"
                    }
                    TypeKind::LongVector(..) | TypeKind::CoopVec(..) => ": access its components by index",
                    TypeKind::Matrix { .. } => ": select a column by index first",
                    _ => "",
                };
                self.report(
                    &codes::NO_SUCH_MEMBER,
                    name_range,
                    format!("`{have}` has no member `{name}`{hint}"),
                );
                self.error_expr(range)
            }
        }
    }

    /// `m.length` becomes `m.length()`.
    fn call_of_length(&mut self, code: &'static Code, name: TextRange) {
        let kind = RemedyKind::Write { at: name, text: SmolStr::new_static("length()") };
        self.remedy(code, name, kind);
    }

    fn struct_member(
        &mut self,
        base: ExprId,
        id: StructId,
        name: &str,
        name_range: TextRange,
        range: TextRange,
    ) -> ExprId {
        let structure = &self.module.structs[id];
        let found = structure.members.iter().position(|member| member.name == name);
        let Some(index) = found else {
            if matches!(structure.kind, StructKind::Reference { defined: false, .. }) {
                self.report(
                    &codes::NO_SUCH_MEMBER,
                    name_range,
                    format!(
                        "`{}` is only forward-declared here: its members are not known yet",
                        structure.name
                    ),
                );
                return self.error_expr(range);
            }
            let similar = suggest::closest(name, structure.members.iter().map(|member| member.name.as_str()));
            let hint = match similar {
                Some(similar) => format!(": did you mean `{similar}`?"),
                None => String::new(),
            };
            let what = if structure.name.is_empty() {
                "the structure".to_owned()
            } else {
                format!("`{}`", structure.name)
            };
            self.report(&codes::NO_SUCH_MEMBER, name_range, format!("{what} has no member `{name}`{hint}"));
            return self.error_expr(range);
        };
        let ty = structure.members[index].ty;
        let member = index as u32;
        let constant = match (&self.body.exprs[base].constant, self.types.kind(self.type_of(base))) {
            (Some(constant), TypeKind::Struct(_)) => part(constant, index),
            _ => None,
        };
        self.record_name(name_range, Definition::Member(id, member));
        let kind = ExprKind::Member { base, structure: id, member };
        self.body.exprs.alloc(Expr { kind, ty, range, constant })
    }

    /// `v.xy`, also of a scalar, which has the one component `x`.
    fn swizzle(
        &mut self,
        base: ExprId,
        scalar: Scalar,
        length: u32,
        name: &str,
        name_range: TextRange,
        range: TextRange,
    ) -> ExprId {
        let mut components = [0u8; 4];
        let bytes = name.as_bytes();
        let set =
            COMPONENT_NAMES.into_iter().find(|set| bytes.first().is_some_and(|first| set.contains(first)));
        let mut problem = None;
        match set {
            Some(set) if bytes.len() <= 4 => {
                for (slot, byte) in components.iter_mut().zip(bytes) {
                    match set.iter().position(|letter| letter == byte) {
                        Some(index) if (index as u32) < length => *slot = index as u8,
                        Some(_) => problem = Some(format!("it has {length} component{}", plural(length))),
                        None => {
                            problem = Some(
                                "components are named with the letters of one of xyzw, rgba and stpq"
                                    .to_owned(),
                            );
                        }
                    }
                }
            }
            Some(_) => problem = Some("at most 4 components can be selected".to_owned()),
            None if name == "length" => problem = Some("`length` is a method, write `.length()`".to_owned()),
            None => problem = Some("its components are x, y, z and w".to_owned()),
        }
        if let Some(problem) = problem {
            let have = self.display(self.type_of(base));
            self.report(
                &codes::NO_SUCH_MEMBER,
                name_range,
                format!("`{have}` has no component `{name}`: {problem}"),
            );
            return self.error_expr(range);
        }
        if bytes.len() > 1 {
            let ty = self.type_of(base);
            self.storage_only_operation(ty, "a swizzle of a", name_range);
        }
        let components = Swizzle { components, length: bytes.len() as u8 };
        let ty = self.types.vector(scalar, u32::from(components.length));
        let constant = match &self.body.exprs[base].constant {
            None => None,
            Some(constant) => {
                let pick = |index: u8| {
                    if length == 1 { Some(constant.clone()) } else { part(constant, usize::from(index)) }
                };
                match components.as_slice() {
                    [one] => pick(*one),
                    many => many.iter().map(|&index| pick(index)).collect::<Option<Vec<_>>>().map(|parts| {
                        if parts.iter().any(|part| matches!(part, Const::Opaque { .. })) {
                            Const::Opaque { specialization: parts.iter().any(Const::is_specialization) }
                        } else {
                            Const::Composite(parts.into())
                        }
                    }),
                }
            }
        };
        self.record_name(name_range, Definition::Swizzle);
        let kind = ExprKind::Swizzle { base, components };
        self.body.exprs.alloc(Expr { kind, ty, range, constant })
    }

    /// Base and index of a subscript. Fields do not tell: where the base is a subscript too, its fields count as the outer
    /// node's, because the grammar's rule for types is a hidden one.
    pub(super) fn subscript_parts(&mut self, node: Node<'a>) -> (Option<Node<'a>>, Option<Node<'a>>) {
        let (mut base, mut index, mut opened) = (None, None, false);
        let mut cursor = self.cursor(node);
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                if child.kind_id() == token::LBRACK {
                    opened = true;
                } else if child.is_named() && !child.is_extra() && !child.is_missing() {
                    let part = if opened { &mut index } else { &mut base };
                    *part = part.or(Some(child));
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.release(cursor);
        (base, index)
    }

    /// `base[index]`
    pub(super) fn subscript(&mut self, node: Node<'a>, access: Access) -> ExprId {
        let range = self.range(node);
        let (Some(base_node), Some(index_node)) = self.subscript_parts(node) else {
            // `a[]` is a type or nothing.
            if node.has_error() {
                return self.error_expr(range);
            }
            self.report(&codes::TYPE_AS_VALUE, range, "expected an index between `[` and `]`".to_owned());
            return self.error_expr(range);
        };
        self.expressions.access = access;
        let base = self.expression(base_node);
        self.expressions.access = Access::Read;
        let index = self.expression(index_node);
        let (base_ty, index_ty) = (self.type_of(base), self.type_of(index));
        // Arrays of types that nothing is known of have elements all the same (GL_EXT_spirv_intrinsics).
        let of_unknown = self
            .types
            .as_array(base_ty)
            .is_some_and(|(element, _)| matches!(self.types.kind(element), TypeKind::NotAnalysed(_)));
        if self.types.is_error(base_ty) && !of_unknown {
            return self.error_expr(range);
        }
        let element = match self.types.kind(base_ty) {
            // GL_EXT_buffer_reference2: the address of the index-th block from here on.
            TypeKind::Reference(_) => {
                if access != Access::Read {
                    self.mark_read(base);
                }
                self.check_reference_arithmetic("an index into a buffer reference", range);
                Some(base_ty)
            }
            _ => self.types.element(base_ty),
        };
        let Some(element) = element else {
            let have = self.display(base_ty);
            self.report(
                &codes::NOT_INDEXABLE,
                range,
                format!("`{have}` cannot be indexed: only arrays, vectors and matrices can"),
            );
            return self.error_expr(range);
        };
        if matches!(
            self.types.kind(base_ty),
            TypeKind::Vector(..) | TypeKind::LongVector(..) | TypeKind::CoopVec(..)
        ) {
            self.storage_only_operation(base_ty, "an index into a vector of", range);
        }
        if !self.types.is_error(index_ty) {
            if !self.types.as_scalar(index_ty).is_some_and(Scalar::is_integer) {
                let have = self.display(index_ty);
                let index_range = self.range_of(index);
                if self.types.as_scalar(index_ty).is_some_and(|scalar| scalar != Scalar::Bool) {
                    let kind = RemedyKind::Convert { operand: index_range, ty: Ty::INT };
                    self.remedy(&codes::TYPE_MISMATCH, index_range, kind);
                }
                self.report(
                    &codes::TYPE_MISMATCH,
                    index_range,
                    format!("an index must be an integer, but is `{have}`"),
                );
            } else {
                let index_range = self.range_of(index);
                self.storage_only_operation(index_ty, "an index of type", index_range);
                self.check_index_width(base_ty, index);
                self.check_index(base, base_ty, index);
            }
        }
        let constant = self.fold_index(base, index);
        let kind = ExprKind::Index { base, index };
        self.body.exprs.alloc(Expr { kind, ty: element, range, constant })
    }

    /// GL_EXT_buffer_reference2, 4.3.9: arithmetic with references, and indices into them.
    pub(super) fn check_reference_arithmetic(&mut self, what: &str, range: TextRange) {
        let extension = self.missing_extension_of(&[ids::GL_EXT_BUFFER_REFERENCE2]);
        if let Some(extension) = extension.filter(|_| !self.environment.has_unknown_extension()) {
            let message = format!("{what} needs {extension}: add `#extension {extension} : require`");
            self.report(&codes::MISSING_EXTENSION, range, message);
        }
    }

    /// GL_EXT_shader_64bit_indexing, section 5.7: int64_t and uint64_t are added "to the set of allowed types for array indices". An address
    /// goes on by any number of blocks (GL_EXT_buffer_reference2).
    fn check_index_width(&mut self, base_ty: Ty, index: ExprId) {
        let index_ty = self.type_of(index);
        let long = self.types.as_scalar(index_ty).is_some_and(|scalar| scalar.bits() == 64);
        if !long
            || matches!(self.types.kind(base_ty), TypeKind::Reference(_))
            || self.environment.enabled(ids::GL_EXT_SHADER_64BIT_INDEXING)
            || self.environment.may_change(Change::Conversions)
        {
            return;
        }
        let (range, have) = (self.range_of(index), self.display(index_ty));
        let extension = ids::GL_EXT_SHADER_64BIT_INDEXING.name();
        self.report(
            &codes::MISSING_EXTENSION,
            range,
            format!("an index of type `{have}` is provided by {extension}: convert it, or add `#extension {extension} : require`"),
        );
    }

    fn check_index(&mut self, base: ExprId, base_ty: Ty, index: ExprId) {
        self.check_implicit_size(base, base_ty, index);
        let Some(Const::Int(value)) = self.body.exprs[index].constant else { return };
        let known = |sym| self.types.symbols.as_int(sym).map(i128::from);
        let (what, length) = match self.types.kind(base_ty) {
            TypeKind::Array(_, ArrayLength::Sized(length)) => ("array", known(*length)),
            TypeKind::Array(_, ArrayLength::Unsized) => ("array", None),
            TypeKind::Vector(_, length) => ("vector", Some(i128::from(*length))),
            TypeKind::LongVector(_, length) => ("vector", known(*length)),
            TypeKind::CoopVec(_, length) => ("cooperative vector", known(*length)),
            TypeKind::Matrix { columns, .. } => ("matrix", Some(i128::from(*columns))),
            // How many components an invocation owns is not known, but none is negative.
            TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_) => ("cooperative matrix", None),
            // References go both ways.
            _ => return,
        };
        let range = self.range_of(index);
        if value < 0 {
            self.report(&codes::INDEX_OUT_OF_RANGE, range, format!("the index {value} is negative"));
        } else if let Some(length) = length
            && value >= length
        {
            let ty = self.display(self.type_of(base));
            let elements = match what {
                "array" => "element",
                "matrix" => "column",
                _ => "component",
            };
            let plural = plural(length as u32);
            // GL_NV_cooperative_vector, section 5.X: "There is no compile-time bounds checking of array indices."
            let severity = match what {
                "cooperative vector" => Severity::Warning,
                _ => codes::INDEX_OUT_OF_RANGE.severity,
            };
            let message =
                format!("the index {value} is past the end of `{ty}`, which has {length} {elements}{plural}");
            self.report_as(&codes::INDEX_OUT_OF_RANGE, severity, range, message, Vec::new());
        }
    }

    /// GL_EXT_nonuniform_qualifier lets arrays of blocks, images and their like have a size that the application gives.
    fn check_open_descriptors(&mut self, global: GlobalId, index: ExprId) {
        if self.environment.has_unknown_extension()
            || self.environment.may_change(Change::Descriptors)
            || self.module.globals[global].layout.descriptor_heap
        {
            return;
        }
        if let Some(extension) = self.missing_extension_of(&[ids::GL_EXT_NONUNIFORM_QUALIFIER]) {
            let (range, name) = (self.range_of(index), self.module.globals[global].name.clone());
            let message = format!(
                "`{name}` has no size, so only constants can index it: give it a size, or add `#extension {extension} : require`"
            );
            self.report(&codes::MISSING_EXTENSION, range, message);
        }
    }

    /// GLSL 4.60, section 4.1.9: an array without a size that is not the last member of a buffer gets one by the constants that index it, so that
    /// nothing else can.
    fn check_implicit_size(&mut self, base: ExprId, base_ty: Ty, index: ExprId) {
        if !matches!(self.types.kind(base_ty), TypeKind::Array(_, ArrayLength::Unsized))
            || matches!(self.body.exprs[index].constant, Some(Const::Int(_)))
        {
            return;
        }
        match self.body.exprs[base].kind {
            ExprKind::Global(global)
                if matches!(
                    self.module.globals[global].storage,
                    Storage::Private | Storage::Shared | Storage::Const
                ) =>
            {
                return self.report_implicit_size(&self.module.globals[global].name.clone(), index);
            }
            ExprKind::Local(local) => {
                return self.report_implicit_size(&self.body.locals[local].name.clone(), index);
            }
            ExprKind::Global(global)
                if matches!(self.module.globals[global].storage, Storage::Uniform | Storage::Buffer) =>
            {
                return self.check_open_descriptors(global, index);
            }
            _ => {}
        }
        let Some((name, why)) = self.unsized_member(base) else { return };
        let message =
            format!("`{name}` has no size and {why}, so only constants can index it: give it a size");
        let range = self.range_of(index);
        self.report(&codes::ARRAY_SIZE, range, message);
    }

    /// The name of a member without a size that has none at run time either, and why. GLSL 4.60, section 4.1.9: "the last declared member of a shader storage
    /// block" has one.
    fn unsized_member(&self, base: ExprId) -> Option<(smol_str::SmolStr, &'static str)> {
        let (structure, member) = match self.body.exprs[base].kind {
            ExprKind::Member { structure, member, .. } => (structure, member),
            ExprKind::BlockMember(global, member) => match *self.types.kind(self.module.globals[global].ty) {
                TypeKind::Struct(structure) => (structure, member),
                _ => return None,
            },
            _ => return None,
        };
        let structure = &self.module.structs[structure];
        let is_last = structure.members.len().checked_sub(1) == Some(member as usize);
        // The interfaces between stages get their sizes from the stage.
        let is_buffer = match structure.kind {
            StructKind::Block {
                storage: Storage::Uniform | Storage::PushConstant | Storage::Shared, ..
            } => false,
            StructKind::Block { storage: Storage::Buffer, .. } | StructKind::Reference { .. } => true,
            StructKind::Block { .. } | StructKind::Plain => return None,
        };
        let why = match (is_buffer, is_last) {
            (true, true) => return None,
            (true, false) => "is not the last member of its block",
            (false, _) => "is in no `buffer`",
        };
        Some((structure.members.get(member as usize)?.name.clone(), why))
    }

    fn report_implicit_size(&mut self, name: &str, index: ExprId) {
        let range = self.range_of(index);
        let message = format!("`{name}` has no size yet, so only constants can index it: give it a size");
        self.report(&codes::ARRAY_SIZE, range, message);
    }

    fn fold_index(&mut self, base: ExprId, index: ExprId) -> Option<Const> {
        let constant = self.body.exprs[base].constant.as_ref()?;
        if self.is_coopmat(self.type_of(base)) {
            return None;
        }
        match self.body.exprs[index].constant.as_ref()? {
            Const::Int(index) => match usize::try_from(*index).ok().and_then(|index| part(constant, index)) {
                Some(part) => Some(part),
                None => Some(Const::Opaque { specialization: constant.is_specialization() }),
            },
            other => Some(Const::Opaque {
                specialization: other.is_specialization() || constant.is_specialization(),
            }),
        }
    }

    /// `base.length()`
    pub(super) fn length(
        &mut self,
        base: ExprId,
        result: Scalar,
        name_range: TextRange,
        range: TextRange,
    ) -> ExprId {
        let base_ty = self.type_of(base);
        if self.types.is_error(base_ty) {
            return self.error_expr(range);
        }
        self.record_name(name_range, Definition::Method(Method::Length));
        let constant = match *self.types.kind(base_ty) {
            TypeKind::Array(_, ArrayLength::Sized(length))
            | TypeKind::LongVector(_, length)
            | TypeKind::CoopVec(_, length) => Some(self.const_of_sym(length, result)),
            TypeKind::Array(_, ArrayLength::Unsized) => {
                if self.is_in_heap(base) {
                    self.report(
                        &codes::LENGTH_UNKNOWN,
                        name_range,
                        "the length of an array at the end of a descriptor heap is not known: pass it along in the heap's data"
                            .to_owned(),
                    );
                } else if self.is_behind_reference(base) {
                    self.report(
                        &codes::LENGTH_UNKNOWN,
                        name_range,
                        "the length of an array that a buffer reference points to is not known: pass it along with the address"
                            .to_owned(),
                    );
                } else if let Some(name) = self.variable_name(base) {
                    self.report(
                        &codes::LENGTH_UNKNOWN,
                        name_range,
                        format!("the length of `{name}` is not known: it has no size yet"),
                    );
                } else if let Some((name, why)) = self.unsized_member(base) {
                    let message = format!("the length of `{name}` is not known: it has no size, and {why}");
                    self.report(&codes::LENGTH_UNKNOWN, name_range, message);
                }
                None
            }
            TypeKind::Vector(_, length) => Some(Const::Int(i128::from(length))),
            TypeKind::Matrix { columns, .. } => Some(Const::Int(i128::from(columns))),
            // How many components an invocation owns is decided when the pipeline is made.
            TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_) => Some(Const::Opaque { specialization: true }),
            _ => {
                let have = self.display(base_ty);
                self.report(
                    &codes::NO_SUCH_MEMBER,
                    name_range,
                    format!("`{have}` has no length: only arrays, vectors and matrices have one"),
                );
                return self.error_expr(range);
            }
        };
        let ty = self.types.scalar(result);
        self.body.exprs.alloc(Expr { kind: ExprKind::Length { base }, ty, range, constant })
    }

    /// The name of a variable that is no part of another. Interfaces of other stages get their sizes from the stage.
    fn variable_name(&self, expr: ExprId) -> Option<smol_str::SmolStr> {
        match self.body.exprs[expr].kind {
            ExprKind::Global(global) => {
                let global = &self.module.globals[global];
                let own = matches!(global.storage, Storage::Private | Storage::Shared | Storage::Uniform);
                own.then(|| global.name.clone())
            }
            ExprKind::Local(local) => Some(self.body.locals[local].name.clone()),
            _ => None,
        }
    }

    /// Whether an array is a member of a block in a heap.
    fn is_in_heap(&self, expr: ExprId) -> bool {
        let structure = match self.body.exprs[expr].kind {
            ExprKind::Member { structure, .. } => structure,
            ExprKind::BlockMember(global, _) => match *self.types.kind(self.module.globals[global].ty) {
                TypeKind::Struct(structure) => structure,
                _ => return false,
            },
            _ => return false,
        };
        matches!(self.module.structs[structure].kind, StructKind::Block { storage, .. } if storage.is_heap())
    }

    fn is_behind_reference(&self, expr: ExprId) -> bool {
        match self.body.exprs[expr].kind {
            ExprKind::Member { base, .. } => {
                matches!(self.types.kind(self.type_of(base)), TypeKind::Reference(_))
            }
            _ => false,
        }
    }

    /// What a constructor takes and gives: component type, shape and the number of components, where it is known. Cooperative vectors have the shape of
    /// other vectors here.
    pub(super) fn component_count(&self, ty: Ty) -> Option<(Scalar, Shape, Option<u64>)> {
        let (scalar, shape) = match self.types.as_coopvec(ty) {
            Some((scalar, length)) => (scalar, Shape::LongVector(length)),
            None => self.types.shape(ty)?,
        };
        Some((scalar, shape, self.types.shape_count(shape)))
    }
}

fn plural(count: u32) -> &'static str {
    if count == 1 { "" } else { "s" }
}
