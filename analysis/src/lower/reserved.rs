//! Names that a declaration cannot have: keywords, words that the language keeps, and those that start with `gl_`.

use crate::diagnostics::codes;
use crate::extensions::{self, ids};
use crate::text::TextRange;

use super::Lowerer;

impl Lowerer<'_> {
    /// GLSL 4.60, section 3.6: keywords, and words kept for the future; section 3.7: `gl_` belongs to the language. Gives whether it is the name of a
    /// type, which goes on to be that.
    pub(super) fn check_reserved(&mut self, name: &str, range: TextRange) -> bool {
        if extensions::is_reserved(name) {
            // Built-ins may be declared again, with qualifiers or a size.
            if extensions::variable(name, None).is_none()
                && extensions::constant(name).is_none()
                && !self.environment.has_unknown_extension()
                && !self.environment.named(ids::GL_EXT_SPIRV_INTRINSICS)
            {
                self.report(
                    &codes::RESERVED_NAME,
                    range,
                    format!("`{name}` starts with `gl_`: such names belong to the language"),
                );
            }
            return false;
        }
        let is_type = self.is_type_keyword(name);
        let what = if is_reserved(name) {
            "a reserved word"
        } else if is_type || self.is_keyword(name) {
            "a keyword"
        } else {
            return false;
        };
        self.report(
            &codes::RESERVED_NAME,
            range,
            format!("`{name}` is {what} of the language: choose another name"),
        );
        is_type
    }

    /// Whether a name is a keyword here: the parser takes one for a name wherever nothing else can stand.
    pub(super) fn is_keyword(&self, name: &str) -> bool {
        // Older versions lack some of them: all are there from 4.30 and ES 3.10 on, as compute shaders are.
        let newest = self.environment.version >= if self.environment.is_es() { 310 } else { 430 };
        self.is_type_keyword(name) || (newest && is_word(name))
    }

    /// The names of built-in types are keywords where they are available.
    fn is_type_keyword(&self, name: &str) -> bool {
        extensions::type_(name).is_some_and(|id| {
            let requirement = extensions::type_by_id(id).into();
            self.environment.availability(&requirement).is_available()
        })
    }
}

/// GLSL 4.60, section 3.6 (Keywords), the first list, but for the types.
fn is_word(name: &str) -> bool {
    matches!(
        name,
        "attribute"
            | "varying"
            | "buffer"
            | "shared"
            | "patch"
            | "sample"
            | "smooth"
            | "flat"
            | "noperspective"
            | "centroid"
            | "precise"
            | "coherent"
            | "volatile"
            | "restrict"
            | "readonly"
            | "writeonly"
            | "in"
            | "out"
            | "inout"
            | "uniform"
            | "const"
            | "invariant"
            | "subroutine"
            | "highp"
            | "mediump"
            | "lowp"
            | "if"
            | "else"
            | "for"
            | "while"
            | "do"
            | "switch"
            | "case"
            | "default"
            | "return"
            | "break"
            | "continue"
            | "discard"
            | "struct"
            | "layout"
            | "precision"
            | "true"
            | "false"
    )
}

/// GLSL 4.60, section 3.6 (Keywords), the second list.
fn is_reserved(name: &str) -> bool {
    matches!(
        name,
        "common"
            | "partition"
            | "active"
            | "asm"
            | "class"
            | "union"
            | "enum"
            | "typedef"
            | "template"
            | "this"
            | "resource"
            | "goto"
            | "inline"
            | "noinline"
            | "public"
            | "static"
            | "extern"
            | "external"
            | "interface"
            | "long"
            | "short"
            | "half"
            | "fixed"
            | "unsigned"
            | "superp"
            | "input"
            | "output"
            | "hvec2"
            | "hvec3"
            | "hvec4"
            | "fvec2"
            | "fvec3"
            | "fvec4"
            | "filter"
            | "sizeof"
            | "cast"
            | "namespace"
            | "using"
            | "sampler3DRect"
    )
}
