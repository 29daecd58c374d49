//! What would mend a diagnostic, where only lowering knows: code actions make edits of it.

use smol_str::SmolStr;

use crate::diagnostics::Code;
use crate::symbolic::Sym;
use crate::text::TextRange;
use crate::types::Ty;

/// What would mend the diagnostic of the same code and range. Ranges are those of the body.
#[derive(Clone, Debug, PartialEq)]
pub struct Remedy {
    /// The code of the diagnostic.
    pub code: &'static Code,
    /// The range of the diagnostic.
    pub range: TextRange,
    /// What to do.
    pub kind: RemedyKind,
    /// Nothing else is as likely to be meant.
    pub preferred: bool,
}

/// What mends a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemedyKind {
    /// A constructor of a type around an expression.
    Convert {
        /// The expression.
        operand: TextRange,
        /// What it becomes.
        ty: Ty,
    },
    /// The length that the array should be declared with.
    ArrayLength(Sym),
    /// Other text in place of some.
    Write {
        /// What goes.
        at: TextRange,
        /// What comes.
        text: SmolStr,
    },
    /// An argument that a call lacks.
    Argument {
        /// The argument that stands next to it.
        beside: TextRange,
        /// Whether it comes after that one, or before.
        after: bool,
        /// What is passed.
        text: SmolStr,
    },
    /// Other types of the function that is named: of its first parameters, and of what it returns.
    Signature {
        /// The types of as many parameters.
        parameters: Vec<Ty>,
        /// The type that it returns.
        returns: Ty,
    },
    /// A member of an expression.
    Member {
        /// The structure.
        of: TextRange,
        /// The member.
        name: SmolStr,
    },
    /// Parts of expressions in place of the whole: where, and whose text comes there.
    Replace(Vec<(TextRange, TextRange)>),
    /// The same expressions in other places: where, and whose text comes there.
    Reorder(Vec<(TextRange, TextRange)>),
}
