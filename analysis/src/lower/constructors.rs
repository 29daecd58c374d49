//! Constructors: GLSL 4.60 section 5.4, and those of cooperative matrices, long vectors and buffer references.

use super::Lowerer;
use super::folding::flatten;
use super::shapes::Shape;
use crate::diagnostics::codes;
use crate::hir::{Const, Definition, Expr, ExprId, ExprKind, Place, StructId};
use crate::text::TextRange;
use crate::types::{ArrayLength, OpaqueClass, Scalar, ScalarClass, Ty, TypeKind};

impl<'a> Lowerer<'a> {
    /// `TYPE(arguments)`, the arguments lowered.
    pub(super) fn construct(&mut self, ty: Ty, mut arguments: Vec<ExprId>, range: TextRange) -> ExprId {
        let silent = self.types.is_error(ty)
            || arguments.iter().any(|&argument| self.types.is_error(self.type_of(argument)));
        let (ty, constant) = if silent {
            (self.silent_type(ty, arguments.len()), None)
        } else {
            self.storage_only_constructor(ty, &arguments, range);
            self.check_constructor(ty, &mut arguments, range)
        };
        let kind = ExprKind::Construct { arguments };
        self.body.exprs.alloc(Expr { kind, ty, range, constant })
    }

    /// The type of a constructor that is not checked.
    fn silent_type(&mut self, ty: Ty, arguments: usize) -> Ty {
        match *self.types.kind(ty) {
            TypeKind::Array(element, ArrayLength::Unsized) => self.sized_array(element, arguments),
            _ => ty,
        }
    }

    pub(super) fn sized_array(&mut self, element: Ty, count: usize) -> Ty {
        let length = self.types.symbols.int(count as i64);
        self.types.array(element, ArrayLength::Sized(length))
    }

    fn wrong_arguments(&mut self, range: TextRange, message: String) -> Option<Const> {
        self.report(&codes::CONSTRUCTOR_ARGUMENTS, range, message);
        None
    }

    /// From the start of the first argument to the end of the last; the whole call where there are none.
    fn arguments_range(&self, arguments: &[ExprId], range: TextRange) -> TextRange {
        match (arguments.first(), arguments.last()) {
            (Some(&first), Some(&last)) => self.range_of(first).cover(self.range_of(last)),
            _ => range,
        }
    }

    fn check_constructor(
        &mut self,
        ty: Ty,
        arguments: &mut [ExprId],
        range: TextRange,
    ) -> (Ty, Option<Const>) {
        match *self.types.kind(ty) {
            TypeKind::Scalar(_)
            | TypeKind::Vector(..)
            | TypeKind::LongVector(..)
            | TypeKind::CoopVec(..)
            | TypeKind::Matrix { .. } => {
                let constant = self.construct_components(ty, arguments, range);
                (ty, constant)
            }
            TypeKind::Array(element, length) => self.construct_array(ty, element, length, arguments, range),
            TypeKind::Struct(id) if !self.holds_descriptors(ty) => {
                let constant = self.construct_struct(id, arguments, range);
                (ty, constant)
            }
            TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_) => {
                let constant = self.construct_coopmat(ty, arguments, range);
                (ty, constant)
            }
            TypeKind::Reference(_) => {
                let constant = self.construct_reference(ty, arguments, range);
                (ty, constant)
            }
            TypeKind::Opaque(opaque) if opaque.class == OpaqueClass::SampledImage && arguments.len() == 2 => {
                (ty, None)
            }
            TypeKind::Opaque(opaque) if opaque.class == OpaqueClass::AccelerationStructure => {
                self.construct_acceleration_structure(arguments, range);
                (ty, None)
            }
            _ => {
                let name = self.display(ty);
                self.report(
                    &codes::CONSTRUCTOR_ARGUMENTS,
                    range,
                    format!("values of type `{name}` cannot be constructed"),
                );
                (Ty::ERROR, None)
            }
        }
    }

    /// GL_EXT_ray_tracing, 5.4.1: from an address, a `uint64_t` or a `uvec2`.
    fn construct_acceleration_structure(&mut self, arguments: &[ExprId], range: TextRange) {
        let address = |ty: Ty| {
            self.types.as_scalar(ty) == Some(Scalar::Uint64)
                || self.types.as_vector(ty) == Some((Scalar::Uint32, 2))
        };
        let fits = matches!(*arguments, [address_of] if {
            let ty = self.type_of(address_of);
            address(ty) || self.types.is_error(ty)
        });
        if !fits {
            let message =
                "an `accelerationStructureEXT` is constructed from its address: a `uint64_t` or a `uvec2`";
            self.report(&codes::CONSTRUCTOR_ARGUMENTS, range, message.to_owned());
        }
    }

    /// Scalars, vectors and matrices: as many components as are needed, and no argument that gives none.
    fn construct_components(&mut self, ty: Ty, arguments: &mut [ExprId], range: TextRange) -> Option<Const> {
        let (scalar, shape, needed) = self.component_count(ty)?;
        let name = self.display(ty);
        if arguments.is_empty() {
            return self.wrong_arguments(range, format!("`{name}` is constructed from at least one value"));
        }
        // An address as a number.
        if let [argument] = *arguments
            && matches!(self.types.kind(self.type_of(argument)), TypeKind::Reference(_))
        {
            let fits = matches!(
                (scalar, shape),
                (Scalar::Uint64 | Scalar::Int64, Shape::Scalar) | (Scalar::Uint32, Shape::Vector(2))
            );
            if !fits {
                let have = self.display(self.type_of(argument));
                let argument_range = self.range_of(argument);
                return self.wrong_arguments(
                    argument_range,
                    format!("the address in a `{have}` can be converted to a `uint64_t` or a `uvec2`, not to a `{name}`"),
                );
            }
            return self.body.exprs[argument]
                .constant
                .as_ref()
                .map(|constant| Const::Opaque { specialization: constant.is_specialization() });
        }
        let is_matrix = |argument: &ExprId| {
            self.types.shape(self.type_of(*argument)).is_some_and(|(_, shape)| shape.is_matrix())
        };
        if shape.is_matrix() && arguments.len() > 1 && arguments.iter().any(is_matrix) {
            return self.wrong_arguments(
                self.arguments_range(arguments, range),
                format!(
                    "a matrix that is constructed from a matrix takes no other arguments: write `{name}(matrix)`"
                ),
            );
        }
        let single = arguments.len() == 1;
        let mut given: Option<u64> = Some(0);
        for (index, place) in arguments.iter_mut().enumerate() {
            let argument = *place;
            let argument_ty = self.type_of(argument);
            let argument_range = self.range_of(argument);
            // GL_EXT_long_vector, section 4.1.5: "coopvecNV and vector types with matching parameters are constructable from each other".
            let parts = match self.types.as_coopvec(argument_ty) {
                Some(_) if self.types.as_coopvec(ty).is_none() && !(shape.is_vector() && single) => None,
                _ => self.component_count(argument_ty),
            };
            let Some((from, _, count)) = parts else {
                let have = self.display(argument_ty);
                return self.wrong_arguments(
                    argument_range,
                    format!("`{name}` is constructed from scalars, vectors and matrices, not from `{have}`"),
                );
            };
            if (from == Scalar::Bool) != (scalar == Scalar::Bool)
                && [from, scalar].into_iter().any(|scalar| scalar.class() == ScalarClass::SmallFloat)
                // GL_EXT_ocp_microscaling_types, section 5.4.1, converts constants of every type.
                && !is_constant_only(scalar)
            {
                let have = self.display(argument_ty);
                return self.wrong_arguments(
                    argument_range,
                    format!("there is no conversion between `{have}` and `{name}`"),
                );
            }
            if from != scalar && is_constant_only(scalar) && !self.is_plain_constant(argument) {
                return self.wrong_arguments(
                    argument_range,
                    format!(
                        "`{name}` can only be converted from constants that do not depend on specialization: use a conversion function"
                    ),
                );
            }
            // Converted here, to a constant: no instruction converts to these formats.
            if from != scalar
                && is_constant_only(scalar)
                && let Some((_, argument_shape)) = self.types.shape(argument_ty)
            {
                let converted = self.types.shaped(scalar, argument_shape);
                *place = self.converted(argument, converted);
            }
            if from != scalar && is_constant_only(from) && !takes_small_formats(scalar) {
                let have = self.display(argument_ty);
                return self.wrong_arguments(
                    argument_range,
                    format!(
                        "`{have}` can only be converted to floating-point types of 8 bits or more, not to `{name}`: convert it to `float` first"
                    ),
                );
            }
            if let (Some(needed), Some(known)) = (needed, given)
                && index > 0
                && known >= needed
            {
                return self.wrong_arguments(
                    argument_range,
                    format!(
                        "`{name}` has {needed} component{}, and the arguments before this one already give {known}",
                        if needed == 1 { "" } else { "s" }
                    ),
                );
            }
            given = given.zip(count).map(|(given, count)| given + count);
        }
        let first = *arguments.first()?;
        let (first_scalar, first_shape, _) = self.component_count(self.type_of(first))?;
        if shape.is_matrix() && first_shape.is_matrix() {
            return self.resize_matrix(scalar, shape, first);
        }
        let enough = match (needed, given) {
            (Some(needed), Some(given)) => given >= needed || (single && given == 1),
            // Counts that depend on specialization.
            _ => true,
        };
        if !enough {
            return self.wrong_arguments(
                self.arguments_range(arguments, range),
                format!(
                    "`{name}` has {} components, but its arguments give {}",
                    needed.unwrap_or_default(),
                    given.unwrap_or_default()
                ),
            );
        }
        // A long vector takes no more than it has, and a vector takes all of a cooperative vector.
        let differs = match (shape, first_shape) {
            (Shape::LongVector(length), Shape::LongVector(other)) => !self.types.may_equal(length, other),
            (Shape::Vector(length), Shape::LongVector(other)) => {
                self.types.as_coopvec(self.type_of(first)).is_some()
                    && self.types.symbols.as_int(other).is_some_and(|other| other != i64::from(length))
            }
            _ => false,
        };
        if single && differs {
            let have = self.display(self.type_of(first));
            return self.wrong_arguments(
                self.range_of(first),
                format!("`{name}` is constructed from a vector of the same length, not from `{have}`"),
            );
        }
        self.fold_components_constructor(scalar, shape, needed, arguments, (first_scalar, first_shape))
    }

    fn is_plain_constant(&self, expr: ExprId) -> bool {
        self.body.exprs[expr].constant.as_ref().is_some_and(|constant| !constant.is_specialization())
    }

    fn fold_components_constructor(
        &mut self,
        scalar: Scalar,
        shape: Shape,
        needed: Option<u64>,
        arguments: &[ExprId],
        (first_scalar, first_shape): (Scalar, Shape),
    ) -> Option<Const> {
        let single = arguments.len() == 1;
        let mut specialization = false;
        for &argument in arguments {
            specialization |= self.body.exprs[argument].constant.as_ref()?.is_specialization();
        }
        if single && first_shape == Shape::Scalar {
            let value = self.body.exprs[*arguments.first()?].constant.clone()?;
            let value = self.convert_scalar_const(&value, first_scalar, scalar);
            return Some(match shape {
                Shape::Matrix { columns, rows } => {
                    let zero = Const::Float(0.0);
                    let columns = (0..columns)
                        .map(|column| {
                            let rows = (0..rows)
                                .map(|row| if row == column { value.clone() } else { zero.clone() })
                                .collect();
                            self.composite(rows)
                        })
                        .collect();
                    self.composite(columns)
                }
                _ => self.splat(&value, shape),
            });
        }
        let mut parts = Vec::new();
        for &argument in arguments {
            let from = self.types.component(self.type_of(argument))?;
            let mut own = Vec::new();
            let constant = self.body.exprs[argument].constant.clone()?;
            if flatten(&constant, &mut own).is_none() {
                return Some(Const::Opaque { specialization });
            }
            for part in own {
                parts.push(self.convert_scalar_const(&part, from, scalar));
            }
        }
        let Some(needed) = needed.and_then(|needed| usize::try_from(needed).ok()) else {
            return Some(Const::Opaque { specialization: true });
        };
        if parts.len() < needed {
            return Some(Const::Opaque { specialization });
        }
        parts.truncate(needed);
        Some(match shape {
            Shape::Scalar => parts.pop()?,
            Shape::Matrix { rows, .. } => {
                let columns =
                    parts.chunks(usize::from(rows)).map(|column| self.composite(column.to_vec())).collect();
                self.composite(columns)
            }
            _ => self.composite(parts),
        })
    }

    /// A matrix from a matrix: what the argument lacks is taken from the identity.
    fn resize_matrix(&mut self, scalar: Scalar, shape: Shape, argument: ExprId) -> Option<Const> {
        let constant = self.body.exprs[argument].constant.clone()?;
        let (from, _) = self.types.shape(self.type_of(argument))?;
        let Shape::Matrix { columns, rows } = shape else { return None };
        let converted = self.convert_components(&constant, from, scalar);
        let Const::Composite(source) = &converted else {
            return Some(Const::Opaque { specialization: constant.is_specialization() });
        };
        let columns = (0..usize::from(columns))
            .map(|column| {
                let rows = (0..usize::from(rows))
                    .map(|row| {
                        source
                            .get(column)
                            .and_then(|column| super::folding::part(column, row))
                            .unwrap_or(Const::Float(if row == column { 1.0 } else { 0.0 }))
                    })
                    .collect();
                self.composite(rows)
            })
            .collect();
        Some(self.composite(columns))
    }

    fn construct_array(
        &mut self,
        ty: Ty,
        element: Ty,
        length: ArrayLength,
        arguments: &mut [ExprId],
        range: TextRange,
    ) -> (Ty, Option<Const>) {
        let count = arguments.len();
        if count == 0 {
            let name = self.display(ty);
            self.report(
                &codes::CONSTRUCTOR_ARGUMENTS,
                range,
                format!("`{name}` is constructed from one value for each element"),
            );
            return (Ty::ERROR, None);
        }
        // `int[][](int[2](...), ...)` takes the inner size from its elements.
        let element = match (self.types.kind(element), arguments.first()) {
            (TypeKind::Array(_, ArrayLength::Unsized), Some(&first)) => {
                let found = self.type_of(first);
                self.sized_by(element, found)
            }
            _ => element,
        };
        let ty = match length {
            ArrayLength::Unsized => self.sized_array(element, count),
            ArrayLength::Sized(sym) => {
                if let Some(length) = self.types.symbols.as_int(sym)
                    && length != count as i64
                {
                    let name = self.display(ty);
                    let arguments_range = self.arguments_range(arguments, range);
                    self.report(
                        &codes::CONSTRUCTOR_ARGUMENTS,
                        arguments_range,
                        format!("`{name}` has {length} elements, but {count} are given"),
                    );
                    return (ty, None);
                }
                self.types.array(element, ArrayLength::Sized(sym))
            }
        };
        for argument in arguments.iter_mut() {
            *argument = self.convert(*argument, element, "an element of the array");
        }
        (ty, self.composite_of(arguments))
    }

    /// The composite of the constants of some expressions, when all are constant.
    pub(super) fn composite_of(&self, parts: &[ExprId]) -> Option<Const> {
        let parts: Option<Vec<Const>> =
            parts.iter().map(|&part| self.body.exprs[part].constant.clone()).collect();
        Some(self.composite(parts?))
    }

    fn construct_struct(
        &mut self,
        id: StructId,
        arguments: &mut [ExprId],
        range: TextRange,
    ) -> Option<Const> {
        let structure = &self.module.structs[id];
        let members: Vec<(Ty, String)> =
            structure.members.iter().map(|member| (member.ty, member.name.to_string())).collect();
        if members.len() != arguments.len() {
            let name = structure.name.clone();
            let arguments_range = self.arguments_range(arguments, range);
            self.report_with(
                &codes::CONSTRUCTOR_ARGUMENTS,
                arguments_range,
                format!(
                    "`{name}` has {} member{}, but {} value{} given",
                    members.len(),
                    if members.len() == 1 { "" } else { "s" },
                    arguments.len(),
                    if arguments.len() == 1 { " is" } else { "s are" }
                ),
                vec![(Place::Definition(Definition::Struct(id)), format!("`{name}` is declared here"))],
            );
            return None;
        }
        for (argument, (ty, name)) in arguments.iter_mut().zip(members) {
            *argument = self.convert(*argument, ty, &format!("the member `{name}`"));
        }
        self.composite_of(arguments)
    }

    /// GL_KHR_cooperative_matrix, section 5.4.X; extensions let the use change as well.
    fn construct_coopmat(&mut self, ty: Ty, arguments: &[ExprId], range: TextRange) -> Option<Const> {
        let &[argument] = arguments else {
            let arguments_range = self.arguments_range(arguments, range);
            self.report(
                &codes::COOPMAT_CONSTRUCTOR,
                arguments_range,
                format!(
                    "a cooperative matrix is constructed from exactly one argument, a scalar or a cooperative matrix, but {} are given",
                    arguments.len()
                ),
            );
            return None;
        };
        if let Some(message) = self.coopmat_obstacle(ty, argument) {
            let argument_range = self.range_of(argument);
            self.report(&codes::COOPMAT_CONSTRUCTOR, argument_range, message);
        }
        self.body.exprs[argument]
            .constant
            .as_ref()
            .map(|constant| Const::Opaque { specialization: constant.is_specialization() })
    }

    /// Why a matrix is not constructed from a value.
    pub(super) fn coopmat_obstacle(&mut self, ty: Ty, argument: ExprId) -> Option<String> {
        let from = self.type_of(argument);
        if let Some(message) = self.small_format_obstacle(ty, argument) {
            return Some(message);
        }
        if let Some(scalar) = self.types.as_scalar(from) {
            // The text asks for an implicit conversion; compilers convert any number, and everybody writes 0.0 for float16_t.
            return (scalar == Scalar::Bool).then(|| {
                let (have, want) = (self.display(from), self.display(ty));
                format!("`{have}` cannot be converted to the component type of `{want}`")
            });
        }
        let difference = match (self.types.kind(ty).clone(), self.types.kind(from).clone()) {
            (TypeKind::Coopmat(_), TypeKind::Coopmat(_)) => {
                super::builtins::conversion_difference(self, ty, from)
            }
            (TypeKind::CoopmatNv(to), TypeKind::CoopmatNv(mut source)) => {
                source.class = to.class;
                source.bits = to.bits;
                let source = self.types.intern(TypeKind::CoopmatNv(source));
                self.matrix_difference(ty, source)
            }
            // Conversions between the types of the two extensions are not defined, but compilers have them.
            (TypeKind::CoopmatNv(_), TypeKind::Coopmat(_))
            | (TypeKind::Coopmat(_), TypeKind::CoopmatNv(_)) => None,
            _ => {
                let have = self.display(from);
                return Some(format!(
                    "a cooperative matrix is constructed from a scalar or a cooperative matrix, not from `{have}`"
                ));
            }
        };
        let (have, want) = (self.display(from), self.display(ty));
        Some(format!(
            "`{want}` is constructed from a matrix of the same scope, shape and use, not from `{have}` ({})",
            difference?
        ))
    }

    /// GL_EXT_ocp_microscaling_types, section 5.4.1, for the components of a matrix: nothing but constants is converted to these formats, and
    /// they are converted to floating-point types only (VUID-StandaloneSpirv-OpFConvert-12466, -OpConvertFToU-12465).
    fn small_format_obstacle(&self, ty: Ty, argument: ExprId) -> Option<String> {
        let &TypeKind::Coopmat(matrix) = self.types.kind(ty) else { return None };
        let (to, from) = (matrix.component, self.types.component(self.type_of(argument))?);
        if to == from {
            return None;
        }
        let (to_name, from_name) = (to.name(), from.name());
        if is_constant_only(to)
            && (self.types.as_scalar(self.type_of(argument)).is_none() || !self.is_plain_constant(argument))
        {
            return Some(format!(
                "components of `{to_name}` can only be converted from constants that do not depend on specialization, not from `{from_name}`"
            ));
        }
        (is_constant_only(from) && !takes_small_formats(to)).then(|| {
            format!(
                "`{from_name}` can only be converted to floating-point types of 8 bits or more, not to `{to_name}`"
            )
        })
    }

    /// GL_EXT_buffer_reference: from a `uint64_t` or another reference; GL_EXT_buffer_reference_uvec2: from a `uvec2`.
    fn construct_reference(&mut self, ty: Ty, arguments: &mut [ExprId], range: TextRange) -> Option<Const> {
        let name = self.display(ty);
        let [argument] = arguments else {
            let arguments_range = self.arguments_range(arguments, range);
            return self.wrong_arguments(
                arguments_range,
                format!(
                    "`{name}` is constructed from exactly one address, a `uint64_t` or another reference"
                ),
            );
        };
        let from = self.type_of(*argument);
        let fits = match (self.types.kind(from), self.types.shape(from)) {
            (TypeKind::Reference(_), _) => true,
            (_, Some((scalar, Shape::Scalar))) => scalar.is_integer(),
            (_, Some((scalar, Shape::Vector(2)))) => matches!(scalar, Scalar::Uint32 | Scalar::Int32),
            _ => false,
        };
        if !fits {
            let have = self.display(from);
            let argument_range = self.range_of(*argument);
            return self.wrong_arguments(
                argument_range,
                format!("`{name}` is constructed from a `uint64_t`, a `uvec2` or another reference, not from `{have}`"),
            );
        }
        if self.types.as_scalar(from).is_some() {
            let address = self.types.scalar(Scalar::Uint64);
            if self.converts_implicitly(from, address) {
                *argument = self.converted(*argument, address);
            }
        }
        self.body.exprs[*argument]
            .constant
            .as_ref()
            .map(|constant| Const::Opaque { specialization: constant.is_specialization() })
    }
}

/// What the formats below 8 bits and the scale formats are converted to (GL_EXT_ocp_microscaling_types, section 5.4.1).
fn takes_small_formats(scalar: Scalar) -> bool {
    scalar.class() == ScalarClass::Float
        || matches!(scalar, Scalar::BFloat16 | Scalar::FloatE4M3 | Scalar::FloatE5M2)
}

/// The formats below 8 bits and the scale formats: their constructors convert constants, and functions convert all else.
fn is_constant_only(scalar: Scalar) -> bool {
    matches!(
        scalar,
        Scalar::FloatE2M1 | Scalar::FloatE3M2 | Scalar::FloatE2M3 | Scalar::FloatUE8M0 | Scalar::FloatMxInt8
    )
}
