//! The typed program: declarations, statements and expressions, each with its range in the expanded text.
//!
//! Everything at top level lies in a `Module`; each function's inside is a `Body` of its own whose ranges count from the
//! start of the function's definition, so that an untouched function keeps its body when text before it changes.

pub mod arithmetic;
mod constant;
mod defaults;
pub mod dump;
mod entry_point;
mod language;
mod operators;
mod parts;
mod qualifiers;
mod references;
mod remedy;
mod shape;
pub mod spirv;

use std::sync::Arc;

use la_arena::{Arena, Idx};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::diagnostics::{Code, Severity};
use crate::extensions::{self, BuiltinConstantId, BuiltinFunctionId, BuiltinVariableId, Rule};
use crate::ids::{GlobalKey, StructKey, Table};
use crate::stage::Stage;
use crate::text::{TextRange, TextSize};
use crate::types::{Ty, TypeKind, Types};

use spirv::{SpirvInstruction, SpirvMark, SpirvType};

pub use crate::ids::{GlobalId, StructId};
pub use constant::Const;
pub use defaults::{DefaultLayout, DerivativeGroup, LocalSize, LocalSizeDim};
pub use entry_point::ENTRY_POINT;
pub use language::{ExtensionBehavior, ExtensionState, Profile};
pub use operators::{BinaryOp, IncDec, Swizzle, UnaryOp};
pub use parts::{find_part, has_part};
pub use qualifiers::{Coherence, Direction, Layout, MemoryQualifiers, Packing, Precision, Storage};
pub use references::reference_qualifiers;
pub use remedy::{Remedy, RemedyKind};

/// The number of a function of the text in [`Module::functions`]: prototypes and the definition of one
/// signature share it.
pub type FunctionId = Idx<Function>;
/// The number of a variable or parameter in [`Body::locals`]; it means nothing in another body.
pub type LocalId = Idx<Local>;
/// The number of an expression in [`Body::exprs`]; it means nothing in another body.
pub type ExprId = Idx<Expr>;
/// The number of a statement in [`Body::stmts`]; it means nothing in another body.
pub type StmtId = Idx<Stmt>;

/// A whole shader.
#[derive(Debug, Default)]
pub struct Module {
    /// The number of the `#version` line, `460`; 110 without one.
    pub version: u32,
    /// The profile of the `#version` line.
    pub profile: Profile,
    /// `None` where neither the file's name, a pragma nor the configuration says it: what depends on the
    /// stage is silent then.
    pub stage: Option<Stage>,
    /// What every `Ty` and `Sym` of the module is looked up in.
    pub types: Arc<Types>,
    /// What `spirv_type(...)` names stand for, by the name of `TypeKind::NotAnalysed`. Kept across edits, as types are.
    pub spirv_types: FxHashMap<SmolStr, SpirvType>,
    /// Structures, blocks and buffer references, those inside of functions included.
    pub structs: Table<StructKey, Struct>,
    /// Variables, constants and instances of blocks at top level.
    pub globals: Table<GlobalKey, Global>,
    /// Functions of the text in the order of their first declarations, each overload by itself.
    pub functions: Arena<Function>,
    /// Top-level declarations in their order in the text.
    pub items: Vec<Item>,
    /// Initialisers, array sizes and layout expressions of the top level. Its ranges count from the start of the text.
    pub global_body: Body,
    /// The size of the workgroup, of all `layout(local_size_...) in;` together.
    pub local_size: LocalSize,
    /// `layout(derivative_group_quadsKHR) in;`, with the range of the declaration.
    pub derivative_group: Option<(DerivativeGroup, TextRange)>,
    /// `layout(shading_rate_xQCOM = 2) in;` in x, y and z (GL_QCOM_tile_shading), which takes the place of the local size.
    pub tile_shading_rate: Option<[u32; 3]>,
    /// Names in `layout(...) in;` and its like that nothing here depends on: the modes of a stage.
    pub default_layouts: Vec<DefaultLayout>,
    /// Built-in variables that `invariant NAME;` makes so.
    pub invariant: Vec<BuiltinVariableId>,
    /// `spirv_execution_mode(...) in;`
    pub execution_modes: Vec<SpirvMark>,
    /// `#extension` lines in force, in order of their place in the expanded text.
    pub extensions: Vec<ExtensionState>,
    /// What each function's body depends on besides its own text, as a hash: equal stamps and texts give equal bodies.
    pub(crate) stamps: FxHashMap<FunctionId, u64>,
    /// Long declarations by a hash of everything that they depend on, their own text among it.
    pub(crate) kept: FxHashMap<u64, KeptDeclaration>,
}

/// What a declaration of one variable at top level has put where, so that the next analysis can copy it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptDeclaration {
    /// The whole declaration, in the expanded text.
    pub range: TextRange,
    /// The variable that it declares.
    pub global: GlobalId,
    /// Its expressions in `Module::global_body`, which are neighbours.
    pub first_expr: u32,
    /// One past the last.
    pub end_expr: u32,
}

/// A declaration at top level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// A structure; a block is the `Global` that is made of it.
    Struct(StructId),
    /// A variable, a constant, or a block.
    Global(GlobalId),
    /// A prototype or the definition of a function.
    Function(FunctionId),
}

/// A structure or the members of an interface block.
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    /// Empty for an anonymous structure.
    pub name: SmolStr,
    /// Where the name stands; empty for an anonymous structure.
    pub name_range: TextRange,
    /// The whole declaration.
    pub range: TextRange,
    /// In the order of the text.
    pub members: Vec<Member>,
    /// What may hold it, and what its members inherit.
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

    /// Whether its name is that of a type, which a block's is only where its descriptors lie in a heap (GL_EXT_structured_descriptor_heap).
    pub fn is_type(&self) -> bool {
        !matches!(self.kind, StructKind::Block { .. }) || self.buffer_type().is_some()
    }

    /// The storage of the buffers, where it is a type of them.
    pub fn buffer_type(&self) -> Option<Storage> {
        match &self.kind {
            StructKind::Block { storage, layout, .. } if layout.buffer_type => Some(*storage),
            _ => None,
        }
    }
}

/// What a structure is declared as.
#[derive(Clone, Debug, PartialEq)]
pub enum StructKind {
    /// `struct NAME {...}`
    Plain,
    /// An interface block with its storage and its own layout.
    Block {
        /// `Uniform`, `Buffer`, `PushConstant`, `Shared`, `In`, `Out` or `Other`.
        storage: Storage,
        /// With the packing that holds where none is written, for what lies in memory.
        layout: Layout,
        /// What every access through the block has.
        memory: MemoryQualifiers,
    },
    /// `layout(buffer_reference) buffer NAME`; declared ahead without members until its definition is seen.
    Reference {
        /// With the packing that holds where none is written.
        layout: Layout,
        /// What every access through the reference has.
        memory: MemoryQualifiers,
        /// Whether the members are known by now.
        defined: bool,
    },
}

/// A member of a structure or a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// As it is written.
    pub name: SmolStr,
    /// Where the name stands, in the coordinates of the structure.
    pub name_range: TextRange,
    /// With the array dimensions behind the name.
    pub ty: Ty,
    /// Where the type is written, without dimensions behind the name.
    pub type_range: TextRange,
    /// What is written at the member itself; the structure or block says the rest.
    pub layout: Layout,
    /// Its own qualifiers and those of its block.
    pub memory: MemoryQualifiers,
    /// `row_major` in force for this member.
    pub row_major: bool,
    /// `None` where none is written.
    pub precision: Option<Precision>,
}

/// A variable, constant or block instance at top level.
#[derive(Clone, Debug, PartialEq)]
pub struct Global {
    /// Empty for a block without an instance name: its members are in scope by themselves.
    pub name: SmolStr,
    /// Where the name stands; for a block without an instance name, the name of the block.
    pub name_range: TextRange,
    /// The whole declaration, which may declare others, too.
    pub range: TextRange,
    /// With the array dimensions behind the name; of a block its structure, or an array of it.
    pub ty: Ty,
    /// Where it lies.
    pub storage: Storage,
    /// What its declaration says.
    pub layout: Layout,
    /// Qualifiers of the declaration.
    pub memory: MemoryQualifiers,
    /// `None` where none is written.
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

/// A function: its signature, and its body where the text has one.
#[derive(Clone, Debug)]
pub struct Function {
    /// As it is written; overloads share it.
    pub name: SmolStr,
    /// In the expanded text, as all ranges here but those inside `body`.
    pub name_range: TextRange,
    /// The definition where there is one, else the first prototype. The body's ranges count from its start.
    pub range: TextRange,
    /// `Ty::VOID` for none.
    pub return_type: Ty,
    /// In the order of the text.
    pub parameters: Vec<Parameter>,
    /// Further declarations (prototypes) of the same function.
    pub prototypes: Vec<TextRange>,
    /// `None` where the text has prototypes alone. Shared with later analyses that keep it.
    pub body: Option<Arc<Body>>,
    /// `spirv_instruction(...)`: what calls of it become.
    pub spirv_instruction: Option<SpirvInstruction>,
    /// `[[inline]]` and `[[noinline]]` (GL_EXT_function_control_attributes).
    pub inline: Option<bool>,
    /// `[[maximally_reconverges]]` (GL_EXT_maximal_reconvergence); of `main` alone.
    pub maximally_reconverges: bool,
    /// `[[subgroup_uniform_control_flow]]` (GL_EXT_subgroup_uniform_control_flow); of `main` alone.
    pub subgroup_uniform_control_flow: bool,
}

/// A parameter of a function of the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Empty when unnamed.
    pub name: SmolStr,
    /// Where the name stands; empty when unnamed.
    pub name_range: TextRange,
    /// The whole parameter.
    pub range: TextRange,
    /// With the array dimensions behind the name.
    pub ty: Ty,
    /// Which way the value goes.
    pub direction: Direction,
    /// `const in`: the function cannot write it.
    pub is_const: bool,
    /// Qualifiers that arguments have to agree with.
    pub memory: MemoryQualifiers,
    /// `None` where none is written.
    pub precision: Option<Precision>,
    /// `spirv_literal`: the argument becomes a literal of the instruction (GL_EXT_spirv_intrinsics).
    pub spirv_literal: bool,
    /// `spirv_by_reference`: the argument's address is passed (GL_EXT_spirv_intrinsics).
    pub spirv_by_reference: bool,
    /// `spirv_decorate(...)` and its kin.
    pub spirv_decorations: Vec<SpirvMark>,
}

/// The inside of a function, or the expressions of the top level.
#[derive(Debug, Default)]
pub struct Body {
    /// All expressions, in the order in which they were lowered.
    pub exprs: Arena<Expr>,
    /// All statements, in the order in which they were lowered.
    pub stmts: Arena<Stmt>,
    /// Parameters and local variables in the order of their declarations.
    pub locals: Arena<Local>,
    /// In the order of the parameters.
    pub parameters: Vec<LocalId>,
    /// The statement between the function's braces; `None` for the top level.
    pub root: Option<StmtId>,
    /// Every name that was resolved, sorted by place: what hover, definition and references look in.
    pub names: Vec<NameUse>,
    /// What was found while lowering; what checks find is in `checks::Findings`.
    pub diagnostics: Vec<BodyDiagnostic>,
    /// What would mend some of the diagnostics, for code actions.
    pub remedies: Vec<Remedy>,
    /// What was reported as declared nowhere, in the order of the reports.
    pub unknown_names: Vec<UnknownName>,
    /// Whether a structure is declared inside, which ties the body to the numbering of its module.
    pub(crate) declares_structs: bool,
    /// Values that `nonuniformEXT(...)` says differ between invocations, in the order of the text.
    pub nonuniform: Vec<ExprId>,
}

impl Body {
    /// The arguments of `abortEXT` (GL_EXT_abort), where an expression is a call of it: nothing comes after that.
    pub fn aborts(&self, expr: ExprId) -> Option<&[ExprId]> {
        match &self.exprs[expr].kind {
            ExprKind::Call { callee: Callee::Builtin(id), arguments }
                if extensions::function(*id).rule == Some(Rule::Abort) =>
            {
                Some(arguments)
            }
            _ => None,
        }
    }

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

/// A name in the text, and what it was found to stand for.
#[derive(Clone, Debug, PartialEq)]
pub struct NameUse {
    /// The name, in the coordinates of the body.
    pub range: TextRange,
    /// What it stands for.
    pub definition: Definition,
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Definition {
    /// A variable or parameter of the body in which the name stands.
    Local(LocalId),
    /// A variable, constant or block of the top level.
    Global(GlobalId),
    /// A member of a block without an instance name.
    BlockMember(GlobalId, u32),
    /// A member of a structure or block, by its place among the members.
    Member(StructId, u32),
    /// A structure, block or buffer reference by its name.
    Struct(StructId),
    /// A function of the text.
    Function(FunctionId),
    /// A built-in function: the overload that was chosen.
    BuiltinFunction(BuiltinFunctionId),
    /// A variable of the language.
    BuiltinVariable(BuiltinVariableId),
    /// A constant of the language.
    BuiltinConstant(BuiltinConstantId),
    /// A type's name: `vec4`, `coopmat<...>`.
    Type(Ty),
    /// `.xyz`
    Swizzle,
    /// What is written like a call behind a point.
    Method(Method),
}

/// A method of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// `.length()` of arrays, vectors, matrices and cooperative matrices.
    Length,
}

/// A diagnostic found while lowering, in the coordinates of its body.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyDiagnostic {
    /// The page of the catalogue.
    pub code: &'static Code,
    /// The page's severity, or a milder one where the context makes the rule milder.
    pub severity: Severity,
    /// Without the id; one line, with names in backquotes.
    pub message: String,
    /// What is underlined.
    pub range: TextRange,
    /// Further places, each with its sentence.
    pub related: Vec<(Place, String)>,
}

/// A name that was reported as declared nowhere.
#[derive(Clone, Debug, PartialEq)]
pub struct UnknownName {
    /// The range of the diagnostic.
    pub range: TextRange,
    /// The declared name that was probably meant.
    pub close: Option<SmolStr>,
    /// The whole call, where it is called.
    pub call: Option<TextRange>,
    /// Whether it is used as nothing can be that a shader declares: as a function that takes a type, or an array without a length.
    pub only_macro: bool,
}

/// A place that related information points at; declarations are named, not located, because they may move.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// In the coordinates of the diagnostic's own body.
    Here(TextRange),
    /// Where something is named, wherever it is by then.
    Definition(Definition),
}

/// A variable or parameter of a function, or a variable of a condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    /// Empty for a parameter without a name.
    pub name: SmolStr,
    /// Where the name stands.
    pub name_range: TextRange,
    /// With the array dimensions behind the name.
    pub ty: Ty,
    /// Whether `const` is written: neither assignments nor `out` parameters may have it.
    pub is_const: bool,
    /// Whether it is a parameter.
    pub parameter: bool,
    /// Of a parameter; `In` for a variable.
    pub direction: Direction,
    /// Qualifiers of its declaration.
    pub memory: MemoryQualifiers,
    /// `None` where none is written.
    pub precision: Option<Precision>,
    /// Value of a `const` with a constant initialiser.
    pub constant: Option<Const>,
    /// `spirv_decorate(...)` and its kin.
    pub spirv_decorations: Vec<SpirvMark>,
    /// Reads and writes seen, for unused and never-written hints.
    pub read: bool,
    /// By an assignment, an increment, or a call that may write it; its initialiser does not count.
    pub written: bool,
}

/// A typed expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is made of.
    pub kind: ExprKind,
    /// `Ty::ERROR` where something was reported.
    pub ty: Ty,
    /// From its first to its last character, in the coordinates of its body.
    pub range: TextRange,
    /// Its value where that is known; of a specialization constant the symbol.
    pub constant: Option<Const>,
}

/// What an expression is made of. Operands have the types that the operator works on: conversions are
/// expressions of their own.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// Reported, or not understood.
    Error,
    /// The value is in `Expr::constant`.
    Literal,
    /// A text, for `debugPrintfEXT` and what else takes one.
    String(SmolStr),
    /// A variable or parameter of the body.
    Local(LocalId),
    /// A variable, constant or block of the top level.
    Global(GlobalId),
    /// A member of a block without an instance name.
    BlockMember(GlobalId, u32),
    /// A variable of the language.
    BuiltinVariable(BuiltinVariableId),
    /// A constant of the language.
    BuiltinConstant(BuiltinConstantId),
    /// A function's name as an argument; which overload, once the call needs a signature.
    FunctionName {
        /// As it is written.
        name: SmolStr,
        /// `None` until the call says which overload fits, and for a name that no function has.
        function: Option<FunctionId>,
    },
    /// `-a`
    Unary {
        /// The operator.
        op: UnaryOp,
        /// What it is applied to.
        operand: ExprId,
    },
    /// `++a` and its kin.
    IncDec {
        /// Which step, and whether it comes before the value is taken.
        op: IncDec,
        /// An l-value.
        operand: ExprId,
    },
    /// `a + b`
    Binary {
        /// The operator.
        op: BinaryOp,
        /// The left operand, converted.
        left: ExprId,
        /// The right operand, converted.
        right: ExprId,
    },
    /// `a = b`, `a += b`
    Assign {
        /// The operator in front of `=`; `None` for `=` alone.
        op: Option<BinaryOp>,
        /// An l-value.
        target: ExprId,
        /// Converted to the target's type for `=`, to what the operator takes otherwise.
        value: ExprId,
    },
    /// `a ? b : c`
    Conditional {
        /// A scalar `bool`.
        condition: ExprId,
        /// The value where the condition holds.
        then: ExprId,
        /// The value where it does not; both have the expression's type.
        otherwise: ExprId,
    },
    /// `a, b`
    Comma {
        /// Evaluated, and its value dropped.
        left: ExprId,
        /// The value.
        right: ExprId,
    },
    /// A call of a function; constructors are `Construct`.
    Call {
        /// What is called.
        callee: Callee,
        /// In the order of the parameters, converted; defaults that are left out are absent.
        arguments: Vec<ExprId>,
    },
    /// `TYPE(arguments)`; the type is the expression's.
    Construct {
        /// As they are written: their components fill the type in turn (GLSL 4.60, 5.4).
        arguments: Vec<ExprId>,
    },
    /// `{a, b}`; the type is the expression's.
    InitializerList {
        /// One for each element, member or column, converted.
        elements: Vec<ExprId>,
    },
    /// An implicit conversion to the expression's type.
    Convert {
        /// A value of another type.
        operand: ExprId,
    },
    /// `a.member`
    Member {
        /// A structure, an instance of a block, or a buffer reference.
        base: ExprId,
        /// The structure of the base.
        structure: StructId,
        /// The member's place in [`Struct::members`].
        member: u32,
    },
    /// `a.xyz`
    Swizzle {
        /// A vector, or a scalar of which components are taken.
        base: ExprId,
        /// Which components, in which order.
        components: Swizzle,
    },
    /// `a[i]`: an element of an array, component of a vector, column of a matrix, or element of a cooperative
    /// matrix.
    Index {
        /// What is indexed.
        base: ExprId,
        /// A scalar integer.
        index: ExprId,
    },
    /// `.length()`
    Length {
        /// An array, a vector, a matrix, or a cooperative matrix.
        base: ExprId,
    },
}

/// What a call calls.
#[derive(Clone, Debug, PartialEq)]
pub enum Callee {
    /// A function of the text.
    Function(FunctionId),
    /// A built-in: the overload that was chosen.
    Builtin(BuiltinFunctionId),
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// From its first to its last character, in the coordinates of its body.
    pub range: TextRange,
}

/// What a statement does (GLSL 4.60, 6).
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// Reported, or not understood.
    Error,
    /// `;`
    Empty,
    /// `{...}`, in the order of the text.
    Block(Vec<StmtId>),
    /// `a;`
    Expr(ExprId),
    /// A variable. A declaration of several is as many statements.
    Declare {
        /// What is declared.
        local: LocalId,
        /// Converted to the variable's type.
        initializer: Option<ExprId>,
    },
    /// A declaration without variables: a structure, a precision statement.
    Declaration,
    /// `if (condition) then else otherwise`
    If {
        /// A scalar `bool`.
        condition: ExprId,
        /// What is done where it holds.
        then: StmtId,
        /// What stands behind `else`.
        otherwise: Option<StmtId>,
        /// `[[flatten]]` and the like in front.
        attributes: Vec<Attribute>,
    },
    /// `switch (selector) {...}`
    Switch {
        /// A scalar integer.
        selector: ExprId,
        /// What stands between the braces, labels among the statements.
        body: Vec<StmtId>,
        /// `[[dont_flatten]]` and the like in front.
        attributes: Vec<Attribute>,
    },
    /// `case VALUE:`; the value is a constant expression.
    Case(ExprId),
    /// `default:`
    Default,
    /// `for (init; condition; step) body`
    For {
        /// A declaration, an expression, or nothing.
        init: Option<StmtId>,
        /// `None` where it is left out: the loop goes on.
        condition: Option<Condition>,
        /// What is evaluated behind each round.
        step: Option<ExprId>,
        /// What is repeated.
        body: StmtId,
        /// `[[unroll]]` and the like in front.
        attributes: Vec<Attribute>,
    },
    /// `while (condition) body`
    While {
        /// Asked before each round.
        condition: Condition,
        /// What is repeated.
        body: StmtId,
        /// `[[unroll]]` and the like in front.
        attributes: Vec<Attribute>,
    },
    /// `do body while (condition);`
    DoWhile {
        /// What is repeated, once at least.
        body: StmtId,
        /// A scalar `bool`, asked behind each round.
        condition: ExprId,
        /// `[[unroll]]` and the like in front.
        attributes: Vec<Attribute>,
    },
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return;` or `return VALUE;`, converted to the type of the function's result.
    Return(Option<ExprId>),
    /// `discard;`, of fragment shaders.
    Discard,
    /// `demote`, `terminateInvocation` and the like, by keyword.
    Other(SmolStr),
}

/// The condition of a loop: an expression, or a declaration `bool b = ...`.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// A scalar `bool`.
    Expr(ExprId),
    /// `bool b = VALUE`: a variable that each round declares anew.
    Declare {
        /// What is declared.
        local: LocalId,
        /// Its value, which is the condition.
        initializer: ExprId,
    },
}

/// `[[unroll]]` and its kin.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// `unroll`, `dependency_length`
    pub name: SmolStr,
    /// The integer in parentheses behind the name, where there is one.
    pub value: Option<i64>,
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

    /// The specialization constant that is declared with an id.
    pub fn constant_with_id(&self, id: u32) -> Option<&Global> {
        self.globals.iter().map(|(_, global)| global).find(|global| global.constant_id == Some(id))
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
