//! What stands in the tables: an entry for each extension, type, constant, variable and overload of a function.

use super::rules::{Change, FixedOperand, Rule};
use crate::stage::Stage;
use crate::types::{Opaque, Scalar};

/// Index into the table of extensions, the core language among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExtensionId(pub u16);

/// Index into the table of functions: one entry per overload as the specification declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BuiltinFunctionId(pub u16);

/// Index into the table of variables: `gl_PrimitiveID` has two, told apart by their stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BuiltinVariableId(pub u16);

/// Index into the table of constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BuiltinConstantId(pub u16);

/// Index into the table of keywords that name types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BuiltinTypeId(pub u16);

/// An extension, or the core language.
#[derive(Debug)]
pub struct Extension {
    /// `GL_KHR_cooperative_matrix`; `GLSL` for the core language.
    pub name: &'static str,
    /// One sentence, for lists and hovers.
    pub summary: &'static str,
    /// Value of the macro of the same name; `None` where the extension defines no macro.
    pub macro_value: Option<i32>,
    /// Extensions that must be enabled too, by the specification's dependency section; each inner list is a choice.
    pub requires: &'static [&'static [ExtensionId]],
    /// Extensions whose features come along, as compilers have it.
    pub enables: &'static [ExtensionId],
    /// Lowest `#version` of the core profile; `None` where it has none.
    pub min_version: Option<u32>,
    /// The same for ES.
    pub min_es_version: Option<u32>,
    /// The lowest version of Vulkan whose modules have what its entries become, as the number after `1.`.
    pub min_vulkan: u8,
    /// Words that are keywords where it is enabled.
    pub keywords: &'static [&'static str],
    /// Where the text is published.
    pub url: &'static str,
    /// Whether its rules are analysed. Where not, what touches its names is silent, with one warning at the `#extension` line.
    pub analysed: bool,
    /// Stages in which it adds anything, as a mask of `1 << Stage as u32`; 0 for all. In others nothing of it is left to analyse.
    pub stages: u32,
    /// What it changes about the language without being analysed, so that nothing is said there.
    pub changes: &'static [Change],
    /// Names of attributes, `[[name]]`, that it adds.
    pub attributes: &'static [&'static str],
    /// Markdown, for hovers; empty where the summary says it all.
    pub doc: &'static str,
}

impl Extension {
    /// Whether nothing of it is left to analyse in shaders of a stage; `None` where the stage is not known.
    pub fn is_analysed_in(&self, stage: Option<Stage>) -> bool {
        let adds = |stage: Stage| self.stages == 0 || self.stages & (1 << stage as u32) != 0;
        self.analysed || stage.is_some_and(|stage| !adds(stage))
    }
}

/// A type of a parameter or a result, as the specification's notation writes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pattern {
    /// The result of what gives none.
    Void,
    /// A scalar of this component type.
    Scalar(Scalar),
    /// 2 to 4 components, or a long vector of 8 or 16.
    Vector(Scalar, u8),
    /// `matCxR`; the columns come first.
    Matrix {
        /// Type of each component.
        component: Scalar,
        /// 2 to 4.
        columns: u8,
        /// 2 to 4: the length of each column.
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
    /// Any `fcoopmatNV`, `icoopmatNV` or `ucoopmatNV`; the rule says how they relate.
    AnyCoopmatNv,
    /// Any `coopvecNV<...>`; the rule says how they relate.
    AnyCoopvec,
    /// `coopvecNV<T, N>` of this component type, of the same length everywhere in one signature.
    Coopvec(Scalar),
    /// Any `tensorLayoutNV<...>`.
    AnyTensorLayout,
    /// Any `tensorViewNV<...>`.
    AnyTensorView,
    /// The name of a function.
    FunctionName,
    /// A type that only the rule of the function knows.
    AnyType,
    /// Elements of a pattern; without a length any length fits.
    Array(&'static Pattern, Option<u32>),
    /// An image, a sampler and what else has no value.
    Opaque(Opaque),
    /// `gvec4 texture(gsampler2D, ...)` is declared once for each component type, so no pattern for it is needed.
    String,
    /// A structure of the tables, by its name.
    Struct(&'static str),
}

/// Which way the value of a parameter goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterDirection {
    /// To the function.
    In,
    /// From the function.
    Out,
    /// Both ways.
    InOut,
}

/// A parameter of a built-in function.
#[derive(Debug)]
pub struct BuiltinParameter {
    /// As the specification names it.
    pub name: &'static str,
    /// What arguments fit.
    pub pattern: Pattern,
    /// Which way the value goes.
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

/// One overload of a built-in function. What it has in common with its neighbours is read through it: `function.name`.
#[derive(Debug)]
pub struct BuiltinFunction {
    /// The declaration in the specification's own notation.
    pub signature: &'static str,
    /// What the call gives; a `Gen` pattern has the arguments' number of components.
    pub result: Pattern,
    /// In the order of the arguments.
    pub parameters: &'static [BuiltinParameter],
    /// Where the rest stands in the table of families.
    pub(super) family: u16,
}

/// What overloads of a function have in common. There are thousands of overloads: a whole row for each takes most of the memory that a small check
/// needs, and of what a browser downloads.
#[derive(Debug)]
pub struct FunctionFamily {
    /// What calls write; overloads share it.
    pub name: &'static str,
    /// More arguments of any type may follow (`debugPrintfEXT`, `coopMatPerElementNV`).
    pub variadic: bool,
    /// Any one of these enables it, whatever the version. Empty: the core language.
    pub providers: &'static [ExtensionId],
    /// All of these have to be enabled as well: the extension that brings the operation to these component types.
    pub needs: &'static [ExtensionId],
    /// Lowest core version and ES version in which it needs no extension; 0 for all, u32::MAX for none.
    pub min_version: u32,
    /// The same for ES.
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
    /// Markdown: what it computes, with units and ranges.
    pub doc: &'static str,
    /// Specification and section.
    pub section: &'static str,
}

impl FunctionFamily {
    /// Whether the extension is one of those that enable it.
    pub fn is_provided_by(&self, extension: ExtensionId) -> bool {
        self.providers.contains(&extension)
    }

    /// Whether the instruction is told this.
    pub fn has(&self, operand: FixedOperand) -> bool {
        self.operands.contains(&operand)
    }
}

impl BuiltinFunction {
    /// The last parameters of a variadic function that are numbered from 0, one row for each dimension: `offset0, span0, ...` has two.
    fn numbered(&self) -> &'static [BuiltinParameter] {
        if !self.variadic {
            return &[];
        }
        let numbered =
            self.parameters.iter().rev().take_while(|parameter| parameter.name.ends_with('0')).count();
        &self.parameters[self.parameters.len() - numbered..]
    }

    /// The declared parameter that the argument at `index` belongs to. Numbered ones go on for as many dimensions as there are.
    pub fn parameter_of(&self, index: usize) -> Option<&'static BuiltinParameter> {
        let numbered = self.numbered();
        let beyond = || index.checked_sub(self.parameters.len())?.checked_rem(numbered.len());
        self.parameters.get(index).or_else(|| numbered.get(beyond()?))
    }

    /// What that argument is called: `span1` is the second of `span0, ...`.
    pub fn argument_name(&self, index: usize) -> Option<String> {
        let parameter = self.parameter_of(index)?;
        let numbered = self.numbered().len();
        match (parameter.name.strip_suffix('0'), (index + numbered).checked_sub(self.parameters.len())) {
            (Some(name), Some(at)) if numbered > 0 => Some(format!("{name}{}", at / numbered)),
            _ => Some(parameter.name.to_owned()),
        }
    }

    /// Where the label of that argument stands, counted from the end of a declaration that ends in the row of the last dimension
    /// (`..., offset<N-1>, span<N-1>`).
    pub fn last_row(&self, index: usize) -> Option<usize> {
        let numbered = self.numbered().len();
        Some(numbered - index.checked_sub(self.parameters.len())?.checked_rem(numbered)?)
    }
}

/// A variable of the language, `gl_WorkGroupID`.
#[derive(Debug)]
pub struct BuiltinVariable {
    /// As it is written, with `gl_`.
    pub name: &'static str,
    /// Its type; `AnyType` where the tables do not say it.
    pub pattern: Pattern,
    /// Any one of these enables it, whatever the version. Empty: the core language.
    pub providers: &'static [ExtensionId],
    /// Lowest version of the core profile in which it needs no extension; 0 for all, `u32::MAX` for none.
    pub min_version: u32,
    /// The same for ES.
    pub min_es_version: u32,
    /// Stages that have it, as a mask of `1 << Stage as u32`; 0 for all.
    pub stages: u32,
    /// Whether shaders may write it: an output of the stage.
    pub writable: bool,
    /// `BuiltIn` of SPIR-V.
    pub decoration: &'static str,
    /// Markdown: what it holds, with units and ranges.
    pub doc: &'static str,
    /// Specification and section.
    pub section: &'static str,
}

/// A constant of the language, `gl_MatrixUseA`.
#[derive(Debug)]
pub struct BuiltinConstant {
    /// As it is written, with `gl_`.
    pub name: &'static str,
    /// The type, of each component where it is a vector.
    pub scalar: Scalar,
    /// The value of a scalar; 0 and 1 of a `bool`.
    pub value: i64,
    /// The values of a vector (`gl_MaxComputeWorkGroupSize`); empty for a scalar.
    pub components: &'static [i64],
    /// Any one of these enables it, whatever the version. Empty: the core language.
    pub providers: &'static [ExtensionId],
    /// Lowest version of the core profile in which it needs no extension; 0 for all, `u32::MAX` for none.
    pub min_version: u32,
    /// The same for ES.
    pub min_es_version: u32,
    /// Markdown: what it stands for.
    pub doc: &'static str,
    /// Specification and section.
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
    /// `gl_PerVertex`
    pub name: &'static str,
    /// In the order of the specification.
    pub members: &'static [BuiltinMember],
}

/// A member of a structure of the tables.
#[derive(Debug)]
pub struct BuiltinMember {
    /// As it is written.
    pub name: &'static str,
    /// Its type.
    pub pattern: Pattern,
}

/// What a keyword that names a type stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BuiltinTypeKind {
    /// A type without arguments.
    Pattern(Pattern),
    /// A type with arguments in angle brackets.
    Coopmat,
    /// `fcoopmatNV<bits, scope, rows, columns>` (GL_NV_cooperative_matrix).
    FCoopmatNv,
    /// `icoopmatNV<...>` (GL_NV_integer_cooperative_matrix).
    ICoopmatNv,
    /// `ucoopmatNV<...>` (GL_NV_integer_cooperative_matrix).
    UCoopmatNv,
    /// `vector<T, N>` (GL_EXT_long_vector).
    LongVector,
    /// `coopvecNV<T, N>` (GL_NV_cooperative_vector).
    CoopVec,
    /// `tensorARM<...>` (GL_ARM_tensors).
    TensorArm,
    /// `tensorLayoutNV<...>` (GL_NV_cooperative_matrix2).
    TensorLayout,
    /// `tensorViewNV<...>` (GL_NV_cooperative_matrix2).
    TensorView,
    /// Recognised, not analysed.
    Opaque,
}

/// A keyword that names a type.
#[derive(Debug)]
pub struct BuiltinType {
    /// `vec4`, `coopmat`
    pub name: &'static str,
    /// What it stands for.
    pub kind: BuiltinTypeKind,
    /// Any one of these enables it, whatever the version. Empty: the core language.
    pub providers: &'static [ExtensionId],
    /// Those of the providers that bring the type to be loaded, stored and converted alone: GL_EXT_shader_16bit_storage and
    /// GL_EXT_shader_8bit_storage.
    pub storage: &'static [ExtensionId],
    /// Lowest version of the core profile in which it needs no extension; 0 for all, `u32::MAX` for none.
    pub min_version: u32,
    /// The same for ES.
    pub min_es_version: u32,
    /// Markdown, for hovers.
    pub doc: &'static str,
    /// Specification and section.
    pub section: &'static str,
}
