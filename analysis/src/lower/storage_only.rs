//! Types that are there to be loaded, stored and converted alone: what GL_EXT_shader_16bit_storage and GL_EXT_shader_8bit_storage bring
//! where no extension for their arithmetic is enabled.

use crate::diagnostics::codes;
use crate::extensions::{self, BuiltinFunction};
use crate::hir::{ExprId, Module, find_part};
use crate::text::TextRange;
use crate::types::{Scalar, ScalarClass, Ty, TypeKind, Types};

use super::Lowerer;
use super::environment::{Availability, Environment};

impl Environment {
    /// Whether a component type's arithmetic is missing here: only an extension for storage brings it.
    pub fn is_storage_only(&self, scalar: Scalar) -> bool {
        if scalar.bits() > 16 || self.no_type_is_storage_only() {
            return false;
        }
        let Some(id) = extensions::type_(scalar.name()) else { return false };
        let ty = extensions::type_by_id(id);
        let enabled = |id| self.enabled(id);
        ty.storage.iter().copied().any(enabled)
            && !ty.providers.iter().any(|id| !ty.storage.contains(id) && enabled(*id))
    }

    /// Whether variables of a type may stand outside of uniform and buffer blocks, by its components.
    pub fn allows_variables_of(&self, module: &Module, ty: Ty) -> bool {
        self.no_type_is_storage_only() || narrow_scalar(self, module, &module.types, ty).is_none()
    }

    fn no_type_is_storage_only(&self) -> bool {
        use extensions::ids::{GL_EXT_SHADER_8BIT_STORAGE, GL_EXT_SHADER_16BIT_STORAGE};
        // An extension that is not described may bring arithmetic.
        !(self.enabled(GL_EXT_SHADER_16BIT_STORAGE) || self.enabled(GL_EXT_SHADER_8BIT_STORAGE))
            || self.has_unknown_extension()
    }
}

/// A component in a type that is storage only.
fn narrow_scalar(environment: &Environment, module: &Module, types: &Types, ty: Ty) -> Option<Scalar> {
    find_part(types, &module.structs, ty, |part| {
        let scalar = match *types.kind(part) {
            TypeKind::Scalar(scalar)
            | TypeKind::Vector(scalar, _)
            | TypeKind::LongVector(scalar, _)
            | TypeKind::CoopVec(scalar, _)
            | TypeKind::Matrix { component: scalar, .. } => scalar,
            TypeKind::Coopmat(matrix) => matrix.component,
            _ => return None,
        };
        environment.is_storage_only(scalar).then_some(scalar)
    })
}

/// What the extensions for storage are good for.
const ALONE: &str = "can only load, store and convert it";

impl Lowerer<'_> {
    /// Reports an operation on a type whose arithmetic is not there. `what` is the beginning of a sentence that "needs" ends: "`+` of `float16_t`".
    pub(super) fn storage_only_operation(&mut self, ty: Ty, what: &str, range: TextRange) {
        let component = match *self.types.kind(ty) {
            TypeKind::Scalar(scalar)
            | TypeKind::Vector(scalar, _)
            | TypeKind::LongVector(scalar, _)
            | TypeKind::CoopVec(scalar, _)
            | TypeKind::Matrix { component: scalar, .. } => scalar,
            _ => return,
        };
        self.report_storage_only(component, |name| format!("{what} `{name}` needs"), ALONE, range);
    }

    /// Reports a function of such a type that the extensions for arithmetic do not bring, since it is there for others: `isnan`, `mix` with a `bool`,
    /// `pack32`. What has a rule says itself what it takes.
    pub(super) fn storage_only_call(&mut self, function: &'static BuiltinFunction, arguments: &[ExprId]) {
        let available = Availability::Available;
        if function.rule.is_some() || self.environment.availability(&function.into()) != available {
            return;
        }
        let narrow = arguments.iter().map(|&argument| (argument, self.type_of(argument)));
        let narrow = narrow
            .filter(|(_, ty)| self.types.component(*ty).is_some_and(|scalar| self.is_storage_only(scalar)));
        if let Some((argument, ty)) = narrow.into_iter().next() {
            let range = self.range_of(argument);
            self.storage_only_operation(ty, &format!("`{}` of a", function.name), range);
        }
    }

    /// Reports a matrix that is loaded from an array of such a type, or stored to one: GL_KHR_cooperative_matrix has these for the extensions for
    /// arithmetic ("Interactions with GL_EXT_shader_explicit_arithmetic_types").
    pub(super) fn storage_only_matrix(&mut self, component: Scalar, function: &str, range: TextRange) {
        self.report_storage_only(
            component,
            |name| format!("`{function}` with an array of `{name}` needs"),
            "has no matrices",
            range,
        );
    }

    /// Reports a variable of such a type, or with one inside, outside of blocks.
    pub(super) fn storage_only_variable(&mut self, ty: Ty, range: TextRange) {
        // Matrices of these are no types without the extension that has them: that has been said.
        if self.no_type_is_storage_only()
            || matches!(self.types.kind(self.innermost(ty)), TypeKind::Matrix { .. })
        {
            return;
        }
        if let Some(scalar) = self.narrow_scalar(ty) {
            self.report_storage_only(
                scalar,
                |scalar| format!("`{scalar}` variables need"),
                "only allows them in blocks",
                range,
            );
        }
    }

    /// Reports constructors of arrays and structures, of vectors from anything but one vector, of a part of a vector, and conversions between integers
    /// and floating point of such a type. Those to it are taken in every form, as compilers have it, where the text lists a few.
    pub(super) fn storage_only_constructor(&mut self, ty: Ty, arguments: &[ExprId], range: TextRange) {
        if self.no_type_is_storage_only() {
            return;
        }
        if matches!(self.types.kind(ty), TypeKind::Array(..) | TypeKind::Struct(_)) {
            if let Some(scalar) = self.narrow_scalar(ty) {
                let text = self.display(ty);
                self.report_storage_only(
                    scalar,
                    |scalar| format!("a constructor of `{text}`, which has a `{scalar}`, needs"),
                    ALONE,
                    range,
                );
            }
            return;
        }
        let Some((to, to_shape)) = self.types.shape(ty) else { return };
        for &argument in arguments {
            let from_ty = self.type_of(argument);
            let Some((from, from_shape)) = self.types.shape(from_ty) else { continue };
            let Some(narrow) = [to, from].into_iter().find(|&scalar| self.is_storage_only(scalar)) else {
                continue;
            };
            let (have, want) = (self.display(from_ty), self.display(ty));
            let argument_range = self.range_of(argument);
            if narrow == to && to_shape.is_vector() && (arguments.len() != 1 || from_shape != to_shape) {
                let what = format!("`{want}` of a `{have}` needs");
                self.report_storage_only(narrow, |_| what, ALONE, argument_range);
            } else if narrow == from
                && (to == Scalar::Bool
                    || from.is_integer() != to.is_integer()
                    || self.types.shape_count(from_shape) > self.types.shape_count(to_shape))
            {
                let what = format!("`{want}` of a `{have}` needs");
                self.report_storage_only(narrow, |_| what, ALONE, argument_range);
            } else if from.is_integer() != to.is_integer() && self.body.exprs[argument].constant.is_none() {
                self.report(
                    &codes::STORAGE_CONVERSION,
                    argument_range,
                    format!(
                        "`{}` is only available for storage here, so it cannot be converted between integers and floating point: write `{want}({}(...))`",
                        narrow.name(),
                        intermediate(narrow),
                    ),
                );
            }
        }
    }

    pub(super) fn is_storage_only(&self, scalar: Scalar) -> bool {
        self.environment.is_storage_only(scalar)
    }

    fn no_type_is_storage_only(&self) -> bool {
        self.environment.no_type_is_storage_only()
    }

    fn narrow_scalar(&self, ty: Ty) -> Option<Scalar> {
        narrow_scalar(&self.environment, &self.module, &self.types, ty)
    }

    /// `what` and the name of the extension for arithmetic are what is missing; `alone` says of the one for storage what it has.
    fn report_storage_only(
        &mut self,
        scalar: Scalar,
        what: impl FnOnce(&str) -> String,
        alone: &str,
        range: TextRange,
    ) {
        if !self.is_storage_only(scalar) {
            return;
        }
        let Some(id) = extensions::type_(scalar.name()) else { return };
        let ty = extensions::type_by_id(id);
        let name = |id: &extensions::ExtensionId| extensions::extension_by_id(*id).name;
        let storage = ty.storage.first().map_or("", name);
        let arithmetic = ty.providers.iter().find(|id| !ty.storage.contains(id)).map_or("", name);
        let what = what(scalar.name());
        self.report(&codes::MISSING_EXTENSION, range, format!("{what} {arithmetic}: {storage} {alone}"));
    }
}

/// The 32-bit type of the same class.
fn intermediate(scalar: Scalar) -> &'static str {
    match scalar.class() {
        ScalarClass::Signed => Scalar::Int32.name(),
        ScalarClass::Unsigned => Scalar::Uint32.name(),
        _ => Scalar::Float32.name(),
    }
}
