//! The formats of images: what texels are made of, and which images and variables have them. GLSL 4.60, section 4.4.7.

use crate::diagnostics::codes;
use crate::extensions::{Change, ids};
use crate::text::TextRange;
use crate::types::{Opaque, OpaqueClass, Scalar, Ty, TypeKind};

use super::Lowerer;
use super::qualifiers::Qualifiers;

/// What reads of an image with this format give, in a component; `None` for what is no format.
pub(super) fn component(name: &str) -> Option<Scalar> {
    let channels = |rest: &str, widths: &[&str]| {
        ["rgba", "rg", "r"]
            .into_iter()
            .find_map(|channels| rest.strip_prefix(channels))
            .is_some_and(|width| widths.contains(&width))
    };
    match name {
        "r11f_g11f_b10f" | "rgb10_a2" => return Some(Scalar::Float32),
        "rgb10_a2ui" => return Some(Scalar::Uint32),
        "r64i" => return Some(Scalar::Int64),
        "r64ui" => return Some(Scalar::Uint64),
        _ => {}
    }
    if let Some(rest) = name.strip_suffix("_snorm") {
        return channels(rest, &["8", "16"]).then_some(Scalar::Float32);
    }
    let digits = name.trim_end_matches(|character: char| !character.is_ascii_digit());
    let (component, widths): (_, &[&str]) = match name.strip_prefix(digits)? {
        "" => (Scalar::Float32, &["8", "16"]),
        "f" => (Scalar::Float32, &["16", "32"]),
        "i" => (Scalar::Int32, &["8", "16", "32"]),
        "ui" => (Scalar::Uint32, &["8", "16", "32"]),
        _ => return None,
    };
    channels(digits, widths).then_some(component)
}

/// How what reads give is called.
fn called(component: Scalar) -> &'static str {
    match component {
        Scalar::Int32 => "signed integers",
        Scalar::Uint32 => "unsigned integers",
        Scalar::Int64 => "signed 64-bit integers",
        Scalar::Uint64 => "unsigned 64-bit integers",
        _ => "floating-point numbers",
    }
}

impl Lowerer<'_> {
    /// GL_EXT_shader_image_int64, section 4.4.7, adds `r64i` and `r64ui`.
    pub(super) fn check_format_extension(&mut self, name: &str, range: TextRange) {
        if matches!(component(name), Some(Scalar::Int64 | Scalar::Uint64))
            && !self.environment.has_unknown_extension()
            && let Some(extension) = self.missing_extension_of(&[ids::GL_EXT_SHADER_IMAGE_INT64])
        {
            let message =
                format!("`{name}` is provided by {extension}: add `#extension {extension} : require`");
            self.report(&codes::MISSING_EXTENSION, range, message);
        }
    }

    /// Of an image with a format: "format qualifiers for floating-point image variables", for signed and for unsigned integer ones.
    pub(super) fn check_format_fits(&mut self, opaque: Opaque, ty: Ty, qualifiers: &Qualifiers) {
        let (Some(format), Some(range)) = (qualifiers.layout.format.as_deref(), qualifiers.layout_range)
        else {
            return;
        };
        let Some(found) = component(format) else { return };
        let fits = match opaque.component {
            Scalar::Float16 => found == Scalar::Float32,
            expected => found == expected,
        };
        if !fits {
            let message = format!(
                "`{format}` is a format of {}, but a texel of `{}` has {}",
                called(found),
                self.display(ty),
                called(opaque.component)
            );
            self.report(&codes::IMAGE_FORMAT, range, message);
        }
    }

    /// Of what is no image. The table of section 4.4 has formats for image variables alone.
    pub(super) fn check_no_format(&mut self, qualifiers: &Qualifiers, what: &str) {
        if let Some(format) = qualifiers.layout.format.as_deref()
            && !qualifiers.unknown
            && !self.environment.may_change(Change::Descriptors)
        {
            let message = format!("`{format}` is an image format, but {what} is not an image");
            self.misplaced_qualifier(qualifiers.layout_range, &message);
        }
    }

    /// Of a variable outside of functions.
    pub(super) fn check_variable_format(&mut self, qualifiers: &Qualifiers, ty: Ty, name: &str) {
        let other = match self.types.kind(self.innermost(ty)) {
            TypeKind::Opaque(opaque) => opaque.class != OpaqueClass::Image,
            _ => self.is_plain(ty),
        };
        if other {
            self.check_no_format(qualifiers, &format!("`{name}`"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_formats_are_told_from_other_names() {
        for name in ["rgba32f", "r8", "rg16_snorm", "r64ui", "rgb10_a2ui", "rgba8i", "r16f"] {
            assert!(component(name).is_some(), "{name}");
        }
        for name in ["row_major", "r", "rgba", "xfb_offset", "rgba33f", "r8f", "rgb8", "rgba32", "rg64i"] {
            assert!(component(name).is_none(), "{name}");
        }
    }
}
