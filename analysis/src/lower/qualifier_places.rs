//! Where qualifiers may stand: on defaults, blocks, variables, locals and parameters. GLSL 4.60, sections 4.4 (with its table of layout qualifiers), 4.5, 4.8.1
//! and 4.10.

use crate::diagnostics::codes;
use crate::extensions::{self, Change};
use crate::hir::{LocalSizeDim, Storage};
use crate::text::TextRange;
use crate::types::{Scalar, Ty, TypeKind};

use super::Lowerer;
use super::qualifiers::{Qualifiers, word};

impl Lowerer<'_> {
    /// `layout(...) in;`, which declares nothing: it takes what the table of section 4.4 has under "Qualifier Only".
    pub(super) fn check_default_qualifiers(&mut self, qualifiers: &Qualifiers) {
        if qualifiers.unknown {
            return;
        }
        if qualifiers.has(word::IN) && qualifiers.has(word::OUT) {
            self.misplaced_qualifier(qualifiers.storage_range, "`inout` belongs to parameters");
        }
        let layout = &qualifiers.layout;
        let of_declarations = [
            ("binding", layout.binding),
            ("set", layout.set),
            ("location", layout.location),
            ("offset", layout.offset),
            ("align", layout.align),
            ("constant_id", layout.constant_id),
        ];
        if let Some((name, _)) = of_declarations.iter().find(|(_, value)| value.is_some()) {
            let message =
                format!("`{name}` belongs to the declaration of a variable or block: it has no default");
            self.misplaced_qualifier(qualifiers.layout_range, &message);
        }
    }

    /// Of a block of uniforms, buffers or push constants.
    pub(super) fn check_block_qualifiers(&mut self, qualifiers: &Qualifiers, storage: Storage) {
        self.check_local_size_place(qualifiers);
        if !matches!(storage, Storage::Uniform | Storage::Buffer | Storage::PushConstant)
            || qualifiers.unknown
        {
            return;
        }
        let layout = &qualifiers.layout;
        // "The offset qualifier can only be used on block members" (4.4.5).
        if layout.offset.is_some() {
            self.misplaced_qualifier(qualifiers.layout_range, "`offset` belongs to members of a block");
        }
        if layout.location.is_some() {
            self.misplaced_qualifier(
                qualifiers.layout_range,
                "`location` belongs to inputs, outputs and their blocks",
            );
        }
        if let (Some(_), Some(range)) = (layout.constant_id, qualifiers.layout_range) {
            let message = "`constant_id` needs a `const` scalar, not a block".to_owned();
            self.report(&codes::SPECIALIZATION_CONSTANT, range, message);
        }
    }

    /// Of a variable outside of functions.
    pub(super) fn check_variable_qualifiers(
        &mut self,
        qualifiers: &Qualifiers,
        ty: Ty,
        storage: Storage,
        name: &str,
        name_range: TextRange,
    ) {
        self.check_local_size_place(qualifiers);
        let layout = &qualifiers.layout;
        let own = matches!(storage, Storage::Private | Storage::Const | Storage::Shared);
        if !own || qualifiers.unknown || layout.buffer_reference || extensions::is_reserved(name) {
            return;
        }
        let of_resources = [
            ("binding", layout.binding),
            ("set", layout.set),
            ("location", layout.location),
            ("offset", layout.offset),
        ];
        if let Some((word, _)) = of_resources.iter().find(|(_, value)| value.is_some())
            && !self.environment.may_change(Change::Descriptors)
        {
            let message = format!(
                "`{word}` belongs to what the application or another stage provides, which `{name}` is not"
            );
            self.misplaced_qualifier(qualifiers.layout_range, &message);
        }
        // "Only variables output from a shader can be candidates for invariance."
        if qualifiers.has(word::INVARIANT) {
            let message = format!("`invariant` belongs to outputs, which `{name}` is not");
            self.misplaced_qualifier(qualifiers.range, &message);
        }
        // Section 4.1.7: "variables of opaque types can only be declared as function parameters or in uniform-qualified variables". That `shared`
        // ones cannot be is said with what else `shared` memory cannot hold.
        if storage != Storage::Shared
            && self.is_opaque(ty)
            && !self.is_local_opaque(ty)
            && !self.environment.may_change(Change::Descriptors)
        {
            let found = self.display(ty);
            self.report(
                &codes::TYPE_STORAGE,
                name_range,
                format!("`{name}` is a `{found}`, which the application provides: declare it as `uniform`"),
            );
        }
    }

    /// Of a variable in a function.
    pub(super) fn check_plain_local(&mut self, qualifiers: &Qualifiers, ty: Ty) {
        if qualifiers.unknown {
            return;
        }
        self.check_interface_words(qualifiers, "a variable in a function");
        // Section 4.10: an error "in any other declarations" than those of images, buffers and their members. Compilers pass those that
        // change nothing; what is `writeonly` cannot be read.
        if self.is_plain(ty) && qualifiers.memory.writeonly {
            self.misplaced_qualifier(
                qualifiers.range,
                "`writeonly` belongs to buffers and images: nothing could read this variable",
            );
        }
    }

    /// Whether values of a type are what a variable holds, rather than something that it stands for: memory qualifiers say nothing about them.
    pub(super) fn is_plain(&self, ty: Ty) -> bool {
        match self.types.kind(self.innermost(ty)) {
            TypeKind::Scalar(_)
            | TypeKind::Vector(..)
            | TypeKind::LongVector(..)
            | TypeKind::Matrix { .. }
            | TypeKind::Struct(_)
            | TypeKind::Coopmat(_)
            | TypeKind::CoopmatNv(_) => true,
            _ => false,
        }
    }

    /// What an array of arrays is made of.
    fn innermost(&self, mut ty: Ty) -> Ty {
        while let Some((element, _)) = self.types.as_array(ty) {
            ty = element;
        }
        ty
    }

    /// Section 4.7.2: "Any floating-point, integer, or opaque-type declaration can have the type preceded by one of these precision
    /// qualifiers"; "Boolean variables" have none.
    pub(super) fn check_precision(&mut self, qualifiers: &Qualifiers, ty: Ty) {
        if qualifiers.precision.is_none() || qualifiers.unknown {
            return;
        }
        let ty = self.innermost(ty);
        let none = match self.types.kind(ty) {
            TypeKind::Struct(_) | TypeKind::Reference(_) => true,
            _ => ty == Ty::VOID || self.types.component(ty) == Some(Scalar::Bool),
        };
        if none {
            let found = self.display(ty);
            let message = format!("a precision belongs to numbers and images, and `{found}` is neither");
            self.misplaced_qualifier(qualifiers.range, &message);
        }
    }

    /// Of a parameter.
    pub(super) fn check_parameter_qualifiers(&mut self, qualifiers: &Qualifiers) {
        if !qualifiers.unknown {
            self.check_interface_words(qualifiers, "a parameter");
        }
    }

    /// `flat` and its like are for inputs and outputs of a stage (4.5), and `invariant` for outputs, "at global scope" (4.8.1).
    fn check_interface_words(&mut self, qualifiers: &Qualifiers, place: &str) {
        if qualifiers.has(word::INVARIANT) {
            let message = format!("{place} cannot be `invariant`: only an output outside of functions can");
            self.misplaced_qualifier(qualifiers.range, &message);
        } else if qualifiers.has(word::INTERPOLATION) {
            let message = format!(
                "{place} cannot have an interpolation qualifier: only an input or output of a stage can"
            );
            self.misplaced_qualifier(qualifiers.range, &message);
        }
    }

    /// `local_size_x` and its like are "Qualifier Only", and of `in`.
    pub(super) fn check_local_size_place(&mut self, qualifiers: &Qualifiers) {
        if qualifiers.local_size.iter().any(|dim| *dim != LocalSizeDim::default()) {
            self.misplaced_qualifier(
                qualifiers.layout_range,
                "the local size is declared with `layout(...) in;`",
            );
        }
    }

    fn misplaced_qualifier(&mut self, range: Option<TextRange>, message: &str) {
        if let Some(range) = range {
            self.report(&codes::QUALIFIER_MISUSE, range, message.to_owned());
        }
    }
}
