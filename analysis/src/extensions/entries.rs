//! What stands in the tables: an entry for each extension, type, constant, variable and overload of a function.

use super::rules::{FixedOperand, Rule};
use crate::types::{Opaque, Scalar};

/// Index into the table of extensions, the core language among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExtensionId(pub u16);

/// Index into the table of functions: one entry per overload as the specification declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BuiltinFunctionId(pub u16);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BuiltinVariableId(pub u16);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BuiltinConstantId(pub u16);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BuiltinTypeId(pub u16);

/// An extension, or the core language.
#[derive(Debug)]
pub struct Extension {
    /// `GL_KHR_cooperative_matrix`; `GLSL` for the core language.
    pub name: &'static str,
    pub summary: &'static str,
    /// Value of the macro of the same name; `None` where the extension defines no macro.
    pub macro_value: Option<i32>,
    /// Extensions that must be enabled too, by the specification's dependency section; each inner list is a choice.
    pub requires: &'static [&'static [ExtensionId]],
    /// Extensions whose features come along, as compilers have it.
    pub enables: &'static [ExtensionId],
    /// Lowest `#version` of the core profile; `None` where it has none.
    pub min_version: Option<u32>,
    pub min_es_version: Option<u32>,
    pub keywords: &'static [&'static str],
    /// Where the text is published.
    pub url: &'static str,
    /// Whether its rules are analysed. Where not, what depends on it is silent, with one hint at the `#extension` line.
    pub analysed: bool,
    pub doc: &'static str,
}

/// A type of a parameter or a result, as the specification's notation writes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pattern {
    Void,
    Scalar(Scalar),
    /// 2 to 4 components, or a long vector of 8 or 16.
    Vector(Scalar, u8),
    Matrix {
        component: Scalar,
        columns: u8,
        rows: u8,
    },
    /// `genFType`, `genIType`, `f16genType`…: 1 to 4 components, the same number everywhere in one signature.
    Gen(Scalar),
    /// `vec`, `ivec`…: 2 to 4 components, the same number everywhere in one signature.
    GenVector(Scalar),
    /// `mat`: any matrix of this component type, the same everywhere in one signature.
    AnyMatrix(Scalar),
    /// Any `coopmat<...>`; the rule of the function says how they relate.
    AnyCoopmat,
    AnyCoopmatNv,
    AnyTensorLayout,
    AnyTensorView,
    /// The name of a function.
    FunctionName,
    /// A type that only the rule of the function knows.
    AnyType,
    Array(&'static Pattern, Option<u32>),
    Opaque(Opaque),
    /// `gvec4 texture(gsampler2D, ...)` is declared once for each component type, so no pattern for it is needed.
    String,
    Struct(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterDirection {
    In,
    Out,
    InOut,
}

#[derive(Debug)]
pub struct BuiltinParameter {
    pub name: &'static str,
    pub pattern: Pattern,
    pub direction: ParameterDirection,
    /// The argument must be a constant expression.
    pub constant: bool,
    /// Memory that the function accesses through the parameter (atomics, matrix loads): an l-value is passed, not copied.
    pub memory: bool,
    /// The value when the argument is left out.
    pub default: Option<i64>,
    /// The set of constants that belong here, for completion.
    pub constants: Option<ConstantSet>,
}

#[derive(Debug)]
pub struct BuiltinFunction {
    pub name: &'static str,
    /// The declaration in the specification's own notation.
    pub signature: &'static str,
    pub result: Pattern,
    pub parameters: &'static [BuiltinParameter],
    /// More arguments of any type may follow (`debugPrintfEXT`, `coopMatPerElementNV`).
    pub variadic: bool,
    /// Any one of these enables it, whatever the version. Empty: the core language.
    pub providers: &'static [ExtensionId],
    /// All of these have to be enabled as well: the extension that brings the operation to these component types.
    pub needs: &'static [ExtensionId],
    /// Lowest core version and ES version in which it needs no extension; 0 for all, u32::MAX for none.
    pub min_version: u32,
    pub min_es_version: u32,
    /// Stages it is confined to, as a mask of `1 << Stage as u32`; 0 for all.
    pub stages: u32,
    /// The semantic rule that types the call or checks it beyond the signature.
    pub rule: Option<Rule>,
    /// Whether a call with constant arguments is itself a constant expression.
    pub constant: bool,
    /// The SPIR-V instruction that it becomes, by name: `OpCooperativeMatrixMulAddKHR`, `GLSL.std.450 FMin`.
    pub instruction: &'static str,
    /// What the instruction is told beside the arguments.
    pub operands: &'static [FixedOperand],
    /// Whether it exists in GLSL for Vulkan.
    pub vulkan: bool,
    pub doc: &'static str,
    /// Specification and section.
    pub section: &'static str,
}

impl BuiltinFunction {
    /// Whether the extension is one of those that enable it.
    pub fn is_provided_by(&self, extension: ExtensionId) -> bool {
        self.providers.contains(&extension)
    }

    /// Whether the instruction is told this.
    pub fn has(&self, operand: FixedOperand) -> bool {
        self.operands.contains(&operand)
    }
}

#[derive(Debug)]
pub struct BuiltinVariable {
    pub name: &'static str,
    pub pattern: Pattern,
    pub providers: &'static [ExtensionId],
    pub min_version: u32,
    pub min_es_version: u32,
    pub stages: u32,
    pub writable: bool,
    /// `BuiltIn` of SPIR-V.
    pub decoration: &'static str,
    pub doc: &'static str,
    pub section: &'static str,
}

#[derive(Debug)]
pub struct BuiltinConstant {
    pub name: &'static str,
    pub scalar: Scalar,
    pub value: i64,
    /// The values of a vector (`gl_MaxComputeWorkGroupSize`); empty for a scalar.
    pub components: &'static [i64],
    pub providers: &'static [ExtensionId],
    pub min_version: u32,
    pub min_es_version: u32,
    pub doc: &'static str,
    pub section: &'static str,
}

/// Constants that belong together, as `gl_MatrixUseA` and `gl_MatrixUseB`: what a parameter takes. They are neighbours in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstantSet {
    /// What their names begin with.
    pub prefix: &'static str,
    pub(super) first: u16,
    pub(super) end: u16,
}

/// A structure that built-in variables are made of (`gl_PerVertex`).
#[derive(Debug)]
pub struct BuiltinStruct {
    pub name: &'static str,
    pub members: &'static [BuiltinMember],
}

#[derive(Debug)]
pub struct BuiltinMember {
    pub name: &'static str,
    pub pattern: Pattern,
}

/// What a keyword that names a type stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BuiltinTypeKind {
    Pattern(Pattern),
    /// A type with arguments in angle brackets.
    Coopmat,
    FCoopmatNv,
    ICoopmatNv,
    UCoopmatNv,
    LongVector,
    TensorLayout,
    TensorView,
    /// Recognised, not analysed.
    Opaque,
}

#[derive(Debug)]
pub struct BuiltinType {
    pub name: &'static str,
    pub kind: BuiltinTypeKind,
    pub providers: &'static [ExtensionId],
    pub min_version: u32,
    pub min_es_version: u32,
    pub doc: &'static str,
    pub section: &'static str,
}
