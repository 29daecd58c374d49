//! The typed program: declarations, statements and expressions, each with its range in the expanded text.
//!
//! Everything at top level lies in a `Module`; each function's inside is a `Body` of its own whose ranges count from the
//! start of the function's definition, so that an untouched function keeps its body when text before it changes.

mod constant;
pub mod dump;
mod shape;
pub mod spirv;

use std::sync::Arc;

use la_arena::{Arena, Idx};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::diagnostics::{Code, Severity};
use crate::extensions::{BuiltinConstantId, BuiltinFunctionId, BuiltinVariableId, ExtensionId};
use crate::ids::{GlobalKey, StructKey, Table};
use crate::stage::Stage;
use crate::symbolic::Sym;
use crate::text::{TextRange, TextSize};
use crate::types::{Ty, TypeKind, Types};

use spirv::{SpirvInstruction, SpirvMark, SpirvStorageClass, SpirvType};

pub use crate::ids::{GlobalId, StructId};
pub use constant::Const;

pub type FunctionId = Idx<Function>;
pub type LocalId = Idx<Local>;
pub type ExprId = Idx<Expr>;
pub type StmtId = Idx<Stmt>;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    #[default]
    Core,
    Compatibility,
    Es,
}

/// A whole shader.
#[derive(Debug, Default)]
pub struct Module {
    pub version: u32,
    pub profile: Profile,
    pub stage: Option<Stage>,
    pub types: Arc<Types>,
    /// What `spirv_type(...)` names stand for, by the name of `TypeKind::NotAnalysed`. Kept across edits, as types are.
    pub spirv_types: FxHashMap<SmolStr, SpirvType>,
    pub structs: Table<StructKey, Struct>,
    pub globals: Table<GlobalKey, Global>,
    pub functions: Arena<Function>,
    /// Top-level declarations in their order in the text.
    pub items: Vec<Item>,
    /// Initialisers, array sizes and layout expressions of the top level. Its ranges count from the start of the text.
    pub global_body: Body,
    pub local_size: LocalSize,
    /// `layout(derivative_group_quadsKHR) in;`
    pub derivative_group: Option<DerivativeGroup>,
    /// `spirv_execution_mode(...) in;`
    pub execution_modes: Vec<SpirvMark>,
    /// `#extension` lines in force, in order of their place in the expanded text.
    pub extensions: Vec<ExtensionState>,
    /// What each function's body depends on besides its own text, as a hash: equal stamps and texts give equal bodies.
    pub stamps: FxHashMap<FunctionId, u64>,
    /// Long declarations by a hash of everything that they depend on, their own text among it.
    pub kept: FxHashMap<u64, KeptDeclaration>,
}

/// What a declaration of one variable at top level has put where, so that the next analysis can copy it.
#[derive(Clone, Copy, Debug)]
pub struct KeptDeclaration {
    pub range: TextRange,
    pub global: GlobalId,
    /// Its expressions in `Module::global_body`, which are neighbours.
    pub first_expr: u32,
    pub end_expr: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    Struct(StructId),
    Global(GlobalId),
    Function(FunctionId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtensionState {
    /// Expanded offset from which on it holds.
    pub from: TextSize,
    /// `None` for a name that is not in the tables.
    pub extension: Option<ExtensionId>,
    pub name: SmolStr,
    pub behavior: ExtensionBehavior,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtensionBehavior {
    Require,
    Enable,
    Warn,
    Disable,
}

/// `layout(local_size_x = ...) in;` in each dimension.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalSize {
    pub dims: [LocalSizeDim; 3],
    /// Range of the declaration, when there is one.
    pub range: Option<TextRange>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalSizeDim {
    /// `local_size_x`: the value under no specialization.
    pub value: Option<Sym>,
    /// `local_size_x_id`.
    pub constant_id: Option<u32>,
}

/// How the invocations of a workgroup are arranged for derivatives (GL_KHR_compute_shader_derivatives).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DerivativeGroup {
    Quads,
    Linear,
}

/// A structure or the members of an interface block.
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    /// Empty for an anonymous structure.
    pub name: SmolStr,
    pub name_range: TextRange,
    pub range: TextRange,
    pub members: Vec<Member>,
    pub kind: StructKind,
    /// The function in whose body it is declared; ranges are relative to that function then.
    pub owner: Option<FunctionId>,
}

impl Struct {
    /// Whether the matrices of a member are row-major where the structure itself is a member of a block that says `inherited`.
    pub fn is_row_major(&self, member: &Member, inherited: bool) -> bool {
        match self.kind {
            StructKind::Plain => member.layout.row_major.unwrap_or(inherited),
            StructKind::Block { .. } | StructKind::Reference { .. } => member.row_major,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum StructKind {
    Plain,
    /// An interface block with its storage and its own layout.
    Block {
        storage: Storage,
        layout: Layout,
        memory: MemoryQualifiers,
    },
    /// `layout(buffer_reference) buffer NAME`; declared ahead without members until its definition is seen.
    Reference {
        layout: Layout,
        memory: MemoryQualifiers,
        defined: bool,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    pub name: SmolStr,
    pub name_range: TextRange,
    pub ty: Ty,
    pub type_range: TextRange,
    pub layout: Layout,
    pub memory: MemoryQualifiers,
    /// `row_major` in force for this member.
    pub row_major: bool,
    pub precision: Option<Precision>,
}

/// A variable, constant or block instance at top level.
#[derive(Clone, Debug, PartialEq)]
pub struct Global {
    /// Empty for a block without an instance name: its members are in scope by themselves.
    pub name: SmolStr,
    pub name_range: TextRange,
    pub range: TextRange,
    pub ty: Ty,
    pub storage: Storage,
    pub layout: Layout,
    pub memory: MemoryQualifiers,
    pub precision: Option<Precision>,
    /// In `Module::global_body`.
    pub initializer: Option<ExprId>,
    /// Value of a `const`; for a specialization constant its symbol.
    pub constant: Option<Const>,
    /// `layout(constant_id = N)`.
    pub constant_id: Option<u32>,
    /// Its value where specialization gives none.
    pub default: Option<Const>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Storage {
    /// No qualifier at top level: private to each invocation.
    #[default]
    Private,
    Const,
    In,
    Out,
    Uniform,
    Buffer,
    Shared,
    PushConstant,
    /// Ray payloads, task payloads, callable data and what else a stage brings along.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    Low,
    Medium,
    High,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct MemoryQualifiers {
    /// `coherent` or one of its kin.
    pub coherent: bool,
    /// For whom, where that is said.
    pub coherence: Coherence,
    pub volatile: bool,
    pub restrict: bool,
    pub readonly: bool,
    pub writeonly: bool,
    pub nonuniform: bool,
    pub precise: bool,
    pub invariant: bool,
}

/// For whom accesses of memory are coherent (GL_KHR_memory_scope_semantics).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Coherence {
    /// `coherent`, or nothing said.
    #[default]
    Unstated,
    Device,
    QueueFamily,
    Workgroup,
    Subgroup,
    ShaderCall,
    /// `nonprivate`: ordered by barriers, without being coherent by itself.
    NonPrivate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Packing {
    Std140,
    Std430,
    Scalar,
    Shared,
    Packed,
}

/// `layout(...)`: the qualifiers that meaning depends on; the rest are kept by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    pub packing: Option<Packing>,
    pub row_major: Option<bool>,
    pub set: Option<u32>,
    pub binding: Option<u32>,
    pub location: Option<u32>,
    pub offset: Option<u32>,
    pub align: Option<u32>,
    pub buffer_reference: bool,
    pub buffer_reference_align: Option<u32>,
    pub push_constant: bool,
    pub constant_id: Option<u32>,
    /// Image format such as `r32f`.
    pub format: Option<SmolStr>,
    pub other: Vec<(SmolStr, Option<i64>)>,
    /// `spirv_decorate(...)` and its kin, which are no part of `layout(...)`.
    pub spirv_decorations: Vec<SpirvMark>,
    pub spirv_storage_class: Option<SpirvStorageClass>,
}

/// A function: its signature, and its body where the text has one.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: SmolStr,
    /// In the expanded text, as all ranges here but those inside `body`.
    pub name_range: TextRange,
    pub range: TextRange,
    pub return_type: Ty,
    pub parameters: Vec<Parameter>,
    /// Further declarations (prototypes) of the same function.
    pub prototypes: Vec<TextRange>,
    pub body: Option<Arc<Body>>,
    /// `spirv_instruction(...)`: what calls of it become.
    pub spirv_instruction: Option<SpirvInstruction>,
    /// `[[inline]]` and `[[noinline]]` (GL_EXT_function_control_attributes).
    pub inline: Option<bool>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Empty when unnamed.
    pub name: SmolStr,
    pub name_range: TextRange,
    pub range: TextRange,
    pub ty: Ty,
    pub direction: Direction,
    pub is_const: bool,
    pub memory: MemoryQualifiers,
    pub precision: Option<Precision>,
    pub spirv_literal: bool,
    pub spirv_by_reference: bool,
    pub spirv_decorations: Vec<SpirvMark>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Direction {
    #[default]
    In,
    Out,
    InOut,
}

/// The inside of a function, or the expressions of the top level.
#[derive(Debug, Default)]
pub struct Body {
    pub exprs: Arena<Expr>,
    pub stmts: Arena<Stmt>,
    pub locals: Arena<Local>,
    /// In the order of the parameters.
    pub parameters: Vec<LocalId>,
    pub root: Option<StmtId>,
    /// Every name that was resolved, sorted by place: what hover, definition and references look in.
    pub names: Vec<NameUse>,
    pub diagnostics: Vec<BodyDiagnostic>,
    /// What would mend some of the diagnostics, for code actions.
    pub remedies: Vec<Remedy>,
    /// Whether a structure is declared inside, which ties the body to the numbering of its module.
    pub declares_structs: bool,
    /// Values that `nonuniformEXT(...)` says differ between invocations, in the order of the text.
    pub nonuniform: Vec<ExprId>,
}

impl Body {
    /// Whether `nonuniformEXT` marks a value, or what it is computed from by conversions and arithmetic
    /// (GL_EXT_nonuniform_qualifier: "the qualifier propagates").
    pub fn is_nonuniform(&self, expr: ExprId) -> bool {
        // The chains of operators of an index are short; what is longer is taken as uniform.
        const MAX_LOOKS: usize = 64;
        let mut stack = vec![expr];
        for _ in 0..MAX_LOOKS {
            let Some(expr) = stack.pop() else { return false };
            if self.nonuniform.contains(&expr) {
                return true;
            }
            match &self.exprs[expr].kind {
                ExprKind::Local(local) if self.locals[*local].memory.nonuniform => return true,
                ExprKind::Convert { operand } | ExprKind::Unary { operand, .. } => stack.push(*operand),
                ExprKind::Binary { left, right, .. } => stack.extend([*left, *right]),
                ExprKind::Construct { arguments } => stack.extend(arguments),
                ExprKind::Swizzle { base, .. } => stack.push(*base),
                _ => {}
            }
        }
        false
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct NameUse {
    pub range: TextRange,
    pub definition: Definition,
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Definition {
    Local(LocalId),
    Global(GlobalId),
    /// A member of a block without an instance name.
    BlockMember(GlobalId, u32),
    Member(StructId, u32),
    Struct(StructId),
    Function(FunctionId),
    BuiltinFunction(BuiltinFunctionId),
    BuiltinVariable(BuiltinVariableId),
    BuiltinConstant(BuiltinConstantId),
    /// A type's name: `vec4`, `coopmat<...>`.
    Type(Ty),
    Swizzle,
    Method(Method),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Length,
}

/// A diagnostic found while lowering, in the coordinates of its body.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyDiagnostic {
    pub code: &'static Code,
    pub severity: Severity,
    pub message: String,
    pub range: TextRange,
    pub related: Vec<(Place, String)>,
}

/// What would mend the diagnostic of the same code and range.
#[derive(Clone, Debug, PartialEq)]
pub struct Remedy {
    pub code: &'static Code,
    pub range: TextRange,
    pub kind: RemedyKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemedyKind {
    /// A constructor of this type around the expression.
    Convert(Ty),
    /// The length that the array should be declared with.
    ArrayLength(Sym),
}

/// A place that related information points at; declarations are named, not located, because they may move.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// In the coordinates of the diagnostic's own body.
    Here(TextRange),
    Definition(Definition),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    pub name: SmolStr,
    pub name_range: TextRange,
    pub ty: Ty,
    pub is_const: bool,
    pub parameter: bool,
    pub direction: Direction,
    pub memory: MemoryQualifiers,
    pub precision: Option<Precision>,
    /// Value of a `const` with a constant initialiser.
    pub constant: Option<Const>,
    /// `spirv_decorate(...)` and its kin.
    pub spirv_decorations: Vec<SpirvMark>,
    /// Reads and writes seen, for unused and never-written hints.
    pub read: bool,
    pub written: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: Ty,
    pub range: TextRange,
    pub constant: Option<Const>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// Reported, or not understood.
    Error,
    /// The value is in `Expr::constant`.
    Literal,
    String(SmolStr),
    Local(LocalId),
    Global(GlobalId),
    /// A member of a block without an instance name.
    BlockMember(GlobalId, u32),
    BuiltinVariable(BuiltinVariableId),
    BuiltinConstant(BuiltinConstantId),
    /// A function's name as an argument; which overload, once the call needs a signature.
    FunctionName {
        name: SmolStr,
        function: Option<FunctionId>,
    },
    Unary {
        op: UnaryOp,
        operand: ExprId,
    },
    IncDec {
        op: IncDec,
        operand: ExprId,
    },
    Binary {
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
    },
    Assign {
        op: Option<BinaryOp>,
        target: ExprId,
        value: ExprId,
    },
    Conditional {
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
    },
    Comma {
        left: ExprId,
        right: ExprId,
    },
    Call {
        callee: Callee,
        arguments: Vec<ExprId>,
    },
    /// `TYPE(arguments)`; the type is the expression's.
    Construct {
        arguments: Vec<ExprId>,
    },
    /// `{a, b}`; the type is the expression's.
    InitializerList {
        elements: Vec<ExprId>,
    },
    /// An implicit conversion to the expression's type.
    Convert {
        operand: ExprId,
    },
    Member {
        base: ExprId,
        structure: StructId,
        member: u32,
    },
    Swizzle {
        base: ExprId,
        components: Swizzle,
    },
    Index {
        base: ExprId,
        index: ExprId,
    },
    /// `.length()`
    Length {
        base: ExprId,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum Callee {
    Function(FunctionId),
    Builtin(BuiltinFunctionId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swizzle {
    pub components: [u8; 4],
    pub length: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Plus,
    Negate,
    Not,
    BitNot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IncDec {
    PreIncrement,
    PreDecrement,
    PostIncrement,
    PostDecrement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    BitAnd,
    BitOr,
    BitXor,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    LogicalAnd,
    LogicalOr,
    LogicalXor,
}

impl BinaryOp {
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::Less => "<",
            BinaryOp::LessEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::LogicalAnd => "&&",
            BinaryOp::LogicalOr => "||",
            BinaryOp::LogicalXor => "^^",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    pub kind: StmtKind,
    pub range: TextRange,
}

#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    Error,
    Empty,
    Block(Vec<StmtId>),
    Expr(ExprId),
    Declare {
        local: LocalId,
        initializer: Option<ExprId>,
    },
    /// A declaration without variables: a structure, a precision statement.
    Declaration,
    If {
        condition: ExprId,
        then: StmtId,
        otherwise: Option<StmtId>,
        attributes: Vec<Attribute>,
    },
    Switch {
        selector: ExprId,
        body: Vec<StmtId>,
        attributes: Vec<Attribute>,
    },
    Case(ExprId),
    Default,
    For {
        init: Option<StmtId>,
        condition: Option<Condition>,
        step: Option<ExprId>,
        body: StmtId,
        attributes: Vec<Attribute>,
    },
    While {
        condition: Condition,
        body: StmtId,
        attributes: Vec<Attribute>,
    },
    DoWhile {
        body: StmtId,
        condition: ExprId,
        attributes: Vec<Attribute>,
    },
    Break,
    Continue,
    Return(Option<ExprId>),
    Discard,
    /// `demote`, `terminateInvocation` and the like, by keyword.
    Other(SmolStr),
}

/// The condition of a loop: an expression, or a declaration `bool b = ...`.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    Expr(ExprId),
    Declare { local: LocalId, initializer: ExprId },
}

/// `[[unroll]]` and its kin.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    pub name: SmolStr,
    pub value: Option<i64>,
}

impl Swizzle {
    pub fn as_slice(&self) -> &[u8] {
        &self.components[..usize::from(self.length.min(4))]
    }
}

impl Module {
    /// Every body with the offset that its ranges count from: the top level's first, then those of functions.
    pub fn bodies(&self) -> impl Iterator<Item = (&Body, TextSize, Option<FunctionId>)> {
        let functions = self
            .functions
            .iter()
            .filter_map(|(id, function)| Some((function.body.as_deref()?, function.range.start(), Some(id))));
        std::iter::once((&self.global_body, TextSize::new(0), None)).chain(functions)
    }

    /// Where a definition is named, in the expanded text. `inside` is the function whose locals a `Local` belongs to.
    pub fn definition_range(&self, definition: &Definition, inside: Option<FunctionId>) -> Option<TextRange> {
        match definition {
            Definition::Local(local) => {
                let function = &self.functions[inside?];
                let body = function.body.as_ref()?;
                Some(body.locals[*local].name_range + function.range.start())
            }
            Definition::Global(global) => Some(self.globals[*global].name_range),
            Definition::BlockMember(global, member) => match *self.types.kind(self.globals[*global].ty) {
                TypeKind::Struct(structure) => self.member_range(structure, *member),
                _ => None,
            },
            Definition::Member(structure, member) => self.member_range(*structure, *member),
            Definition::Struct(structure) => {
                let structure = &self.structs[*structure];
                Some(structure.name_range + self.owner_offset(structure))
            }
            Definition::Function(function) => Some(self.functions[*function].name_range),
            Definition::BuiltinFunction(_)
            | Definition::BuiltinVariable(_)
            | Definition::BuiltinConstant(_)
            | Definition::Type(_)
            | Definition::Swizzle
            | Definition::Method(_) => None,
        }
    }

    fn member_range(&self, structure: StructId, member: u32) -> Option<TextRange> {
        let structure = &self.structs[structure];
        let member = structure.members.get(member as usize)?;
        Some(member.name_range + self.owner_offset(structure))
    }

    fn owner_offset(&self, structure: &Struct) -> TextSize {
        structure.owner.map_or(TextSize::new(0), |function| self.functions[function].range.start())
    }
}
