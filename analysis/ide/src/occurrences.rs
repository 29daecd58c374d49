//! Every place where a name is written, and what it stands for there: the base of references, highlights, renaming and the
//! call hierarchy.
//!
//! Meaning comes from the expanded text. A place in a macro's body may stand for several things, as the macro's uses have
//! it; a place that no use reaches, or that conditionals left out, stands for nothing here, and is listed as loose: another
//! configuration may know it.

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use coopmat_analysis::Analysis;
use coopmat_analysis::extensions::{
    self, BuiltinConstantId, BuiltinFunctionId, BuiltinVariableId, ParameterDirection,
};
use coopmat_analysis::hir::{
    Body, Callee, Definition, Direction, ExprId, ExprKind, FunctionId, GlobalId, LocalId, Method, Module,
    StmtKind, StructId,
};
use coopmat_analysis::lex::without_splices;
use coopmat_analysis::preprocess::{MacroOrigin, NameContext};
use coopmat_analysis::text::{FileId, FilePosition, FileRange, TextRange, TextSize};
use coopmat_analysis::types::TypeKind;

/// What a name stands for, within one analysis.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A parameter or a variable of a function.
    Local(FunctionId, LocalId),
    /// A variable or constant of the whole shader, an instance of a block.
    Global(GlobalId),
    /// The member of that number, counted from 0.
    Member(StructId, u32),
    /// A structure or a block.
    Struct(StructId),
    /// A function of the program, which is one overload of its name.
    Function(FunctionId),
    /// All definitions of one name together: which of them a use means may change from line to line.
    Macro(SmolStr),
    /// By the place of its `#define`.
    MacroParameter(FileId, TextSize),
    /// Something that no file declares.
    Builtin(Builtin),
}

/// What the language and its extensions bring along.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// One overload.
    Function(BuiltinFunctionId),
    /// Such as `gl_LocalInvocationID`.
    Variable(BuiltinVariableId),
    /// Such as `gl_ScopeSubgroup`.
    Constant(BuiltinConstantId),
    /// By its name.
    Type(SmolStr),
    /// Components of a vector, whichever.
    Swizzle,
    /// `length()`, of an array or a matrix.
    Length,
    /// By its name.
    Extension(SmolStr),
    /// Predefined, such as `__LINE__`.
    Macro(SmolStr),
}

/// What a place does with the thing that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A function's prototype.
    Declaration,
    /// Of a function with its body, of a type, of a variable without a value, `#define`.
    Definition,
    /// The definition of a variable, with a value.
    Initialized,
    /// The value is used.
    Read,
    /// The value is replaced.
    Write,
    /// Both: `+=`, an `inout` argument.
    ReadWrite,
    /// A call, or the function's name as an argument of what calls it.
    Call,
    /// A directive asks for the macro, or ends it.
    Condition,
}

impl Role {
    /// Whether the thing begins there, rather than being used.
    pub fn declares(self) -> bool {
        match self {
            Role::Declaration | Role::Definition | Role::Initialized => true,
            Role::Read | Role::Write | Role::ReadWrite | Role::Call | Role::Condition => false,
        }
    }
}

/// A place that stands for something.
#[derive(Clone, Debug)]
pub struct Occurrence {
    /// What it stands for.
    pub symbol: Symbol,
    /// What the place does with it.
    pub role: Role,
    /// Where the word is written; `None` when it stands in no file: pasted, or from the command line.
    pub place: Option<FileRange>,
    /// `None` for what the preprocessor consumes.
    pub expanded: Option<TextRange>,
    /// The function around it.
    pub function: Option<FunctionId>,
}

/// A place that stands for nothing in this analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loose {
    /// Where it is written.
    pub place: FileRange,
    /// Behind a `.`.
    pub member: bool,
    /// In the body of a macro.
    pub in_macro: bool,
    /// The conditionals left it out.
    pub inactive: bool,
}

/// Every place of one word.
#[derive(Debug, Default)]
pub struct Occurrences {
    /// A place is there once for each thing that it stands for.
    pub list: Vec<Occurrence>,
    /// Places that stand for nothing.
    pub loose: Vec<Loose>,
}

/// The word at a place and everything that it stands for.
#[derive(Debug)]
pub struct Found {
    /// The word.
    pub name: SmolStr,
    /// Where it is written.
    pub place: FileRange,
    /// In the order of the expanded text, each once.
    pub symbols: Vec<Symbol>,
    /// Of the word, whatever it stands for there.
    pub occurrences: Occurrences,
}

/// What a place means: none when there is no word.
pub fn find(analysis: &Analysis, position: FilePosition) -> Option<Found> {
    let (range, name) = analysis.preprocessed.word_at(position)?;
    let place = FileRange { file: position.file, range };
    let occurrences = Occurrences::of(analysis, &name);
    let mut seen = FxHashSet::default();
    let here = occurrences.list.iter().filter(|occurrence| occurrence.place == Some(place));
    let symbols =
        here.map(|occurrence| &occurrence.symbol).filter(|&symbol| seen.insert(symbol)).cloned().collect();
    Some(Found { name, place, symbols, occurrences })
}

impl Occurrences {
    /// All places of a word, as the analysis of a whole shader has it.
    pub fn of(analysis: &Analysis, name: &str) -> Occurrences {
        let mut found = Occurrences::default();
        if name.is_empty() {
            return found;
        }
        found.add_names(analysis, name);
        let mut resolved: FxHashSet<FileRange> = found.list.iter().filter_map(|one| one.place).collect();
        found.add_tokens(analysis, name, &mut resolved);
        found
    }

    /// What the program's names stand for.
    fn add_names(&mut self, analysis: &Analysis, name: &str) {
        let module = &analysis.module;
        let text = analysis.preprocessed.text.as_str();
        let is_name = |range: TextRange| text.get(std::ops::Range::from(range)) == Some(name);
        let declared = declarations(module, name);
        for (&range, (symbol, role, function)) in &declared {
            if is_name(range) {
                self.push(analysis, name, symbol.clone(), *role, range, *function);
            }
        }
        for (body, base, function) in module.bodies() {
            let mut writes = None;
            for used in &body.names {
                let range = used.range + base;
                if !is_name(range) || declared.contains_key(&range) {
                    continue;
                }
                let Some(symbol) = symbol_of(module, &used.definition, function, name) else { continue };
                let role = match &used.definition {
                    &Definition::Function(id) => function_role(module, id, range),
                    Definition::Struct(_) if is_struct_head(module, &used.definition, range) => {
                        Role::Declaration
                    }
                    Definition::BuiltinFunction(_) => Role::Call,
                    _ => {
                        let writes = writes.get_or_insert_with(|| writes_of(module, body));
                        writes.get(&used.range.end()).copied().unwrap_or(Role::Read)
                    }
                };
                let function = match role {
                    // The name of a definition belongs to the function itself.
                    Role::Definition | Role::Declaration => None,
                    _ => function,
                };
                self.push(analysis, name, symbol, role, range, function);
            }
        }
        self.list.sort_by_key(|one| one.expanded.map(|range| range.start()));
    }

    fn push(
        &mut self,
        analysis: &Analysis,
        name: &str,
        symbol: Symbol,
        role: Role,
        range: TextRange,
        function: Option<FunctionId>,
    ) {
        let place = analysis.preprocessed.map.spelled(range).filter(|&place| {
            let written = analysis.files()[place.file].text.get(std::ops::Range::from(place.range));
            written.is_some_and(|written| written == name || without_splices(written) == name)
        });
        self.list.push(Occurrence { symbol, role, place, expanded: Some(range), function });
    }

    /// What the preprocessor's names stand for, and the places without a meaning.
    fn add_tokens(&mut self, analysis: &Analysis, name: &str, resolved: &mut FxHashSet<FileRange>) {
        let preprocessed = &analysis.preprocessed;
        let origins: Vec<MacroOrigin> = preprocessed
            .macros
            .iter()
            .filter(|definition| definition.name() == name)
            .map(|definition| definition.origin)
            .collect();
        let is_macro = !origins.is_empty();
        let builtin = is_macro && origins.iter().all(|origin| *origin == MacroOrigin::Builtin);
        let macro_symbol = || {
            if builtin || (!is_macro && extensions::extension(name).is_some()) {
                Symbol::Builtin(Builtin::Macro(name.into()))
            } else {
                Symbol::Macro(name.into())
            }
        };
        if origins.contains(&MacroOrigin::CommandLine) {
            self.list.push(Occurrence {
                symbol: macro_symbol(),
                role: Role::Definition,
                place: None,
                expanded: None,
                function: None,
            });
        }
        for (file, source) in analysis.files().iter() {
            if memchr::memmem::find(source.text.as_bytes(), name.as_bytes()).is_none()
                && !source.text.contains("\\\n")
                && !source.text.contains("\\\r")
            {
                continue;
            }
            let mut parameters_of = None;
            for token in preprocessed.name_tokens(file, name) {
                let place = FileRange { file, range: token.range };
                let mut add = |symbol: Symbol, role: Role| {
                    resolved.insert(place);
                    self.list.push(Occurrence {
                        symbol,
                        role,
                        place: Some(place),
                        expanded: None,
                        function: function_around(analysis, place),
                    });
                };
                let (member, in_macro) = match token.context {
                    NameContext::MacroName => {
                        add(macro_symbol(), Role::Definition);
                        continue;
                    }
                    NameContext::MacroParameter(directive) => {
                        let first = parameters_of.replace(directive) != Some(directive);
                        let symbol = Symbol::MacroParameter(file, directive.start());
                        add(symbol, if first { Role::Definition } else { Role::Read });
                        continue;
                    }
                    NameContext::Condition => {
                        add(macro_symbol(), Role::Condition);
                        continue;
                    }
                    NameContext::Include => {
                        if is_macro {
                            add(macro_symbol(), Role::Read);
                        }
                        continue;
                    }
                    NameContext::Extension => {
                        if extensions::extension(name).is_some() {
                            add(Symbol::Builtin(Builtin::Extension(name.into())), Role::Read);
                        }
                        continue;
                    }
                    NameContext::OtherDirective => continue,
                    NameContext::MacroBody { member, .. } => {
                        if is_macro {
                            add(macro_symbol(), Role::Read);
                        }
                        (member, true)
                    }
                    NameContext::Text { member } => {
                        let position = FilePosition { file, offset: token.range.start() };
                        let used = is_macro
                            && preprocessed.macro_use_at(position).is_some_and(|used| used.name == place);
                        if used {
                            add(macro_symbol(), Role::Read);
                        }
                        (member, false)
                    }
                };
                if !resolved.contains(&place) {
                    let inactive =
                        preprocessed.is_inactive(FilePosition { file, offset: token.range.start() });
                    self.loose.push(Loose { place, member, in_macro, inactive });
                }
            }
        }
    }
}

/// The function in whose definition a place of a file lies, as far as the expanded text has it.
fn function_around(analysis: &Analysis, place: FileRange) -> Option<FunctionId> {
    let position = FilePosition { file: place.file, offset: place.range.start() };
    let functions = &analysis.module.functions;
    analysis
        .preprocessed
        .map
        .to_expanded(position)
        .into_iter()
        .find_map(|offset| {
            let around =
                functions.iter().find(|(_, one)| one.body.is_some() && one.range.contains_inclusive(offset));
            around.map(|(id, _)| id)
        })
        .or_else(|| {
            // A use whose result is empty, or that stands in a directive: by the places of the functions themselves.
            functions.iter().find_map(|(id, function)| {
                let whole = analysis.file_range(function.range);
                let inside = function.body.is_some()
                    && whole.file == place.file
                    && whole.range.contains_range(place.range);
                inside.then_some(id)
            })
        })
}

fn function_role(module: &Module, id: FunctionId, range: TextRange) -> Role {
    let function = &module.functions[id];
    if function.name_range == range {
        return if function.body.is_some() { Role::Definition } else { Role::Declaration };
    }
    if function.prototypes.iter().any(|prototype| prototype.contains_range(range)) {
        return Role::Declaration;
    }
    Role::Call
}

/// Whether a name of a buffer reference stands in a declaration ahead of its definition, or again in it.
fn is_struct_head(module: &Module, definition: &Definition, range: TextRange) -> bool {
    let &Definition::Struct(id) = definition else { return false };
    module.structs[id].owner.is_none() && module.structs[id].name_range == range
}

type Declarations = FxHashMap<TextRange, (Symbol, Role, Option<FunctionId>)>;

/// The declarations of a name, by the range of the name in the expanded text.
fn declarations(module: &Module, name: &str) -> Declarations {
    let mut found = Declarations::default();
    for (id, structure) in module.structs.iter() {
        let base = structure.owner.map_or(TextSize::new(0), |owner| module.functions[owner].range.start());
        if structure.name == name {
            found.entry(structure.name_range + base).or_insert((Symbol::Struct(id), Role::Definition, None));
        }
        for (index, member) in structure.members.iter().enumerate() {
            if member.name == name {
                let symbol = Symbol::Member(id, index as u32);
                found.entry(member.name_range + base).or_insert((symbol, Role::Definition, None));
            }
        }
    }
    for (id, global) in module.globals.iter().filter(|(_, global)| global.name == name) {
        let role = if global.initializer.is_some() { Role::Initialized } else { Role::Definition };
        found.insert(global.name_range, (Symbol::Global(id), role, None));
    }
    for (body, base, function) in module.bodies() {
        let Some(function) = function else { continue };
        let mut initialized = None;
        for (id, local) in body.locals.iter().filter(|(_, local)| local.name == name) {
            let initialized = initialized.get_or_insert_with(|| initialized_locals(body));
            let role = if initialized.contains(&id) { Role::Initialized } else { Role::Definition };
            found.insert(local.name_range + base, (Symbol::Local(function, id), role, Some(function)));
        }
    }
    found
}

fn initialized_locals(body: &Body) -> FxHashSet<LocalId> {
    use coopmat_analysis::hir::Condition;
    let mut found = FxHashSet::default();
    for (_, statement) in body.stmts.iter() {
        match &statement.kind {
            StmtKind::Declare { local, initializer: Some(_) } => drop(found.insert(*local)),
            StmtKind::While { condition: Condition::Declare { local, .. }, .. }
            | StmtKind::For { condition: Some(Condition::Declare { local, .. }), .. } => {
                found.insert(*local);
            }
            _ => {}
        }
    }
    found
}

/// What a definition is called here. `function` is the one whose locals are meant.
pub fn symbol_of(
    module: &Module,
    definition: &Definition,
    function: Option<FunctionId>,
    name: &str,
) -> Option<Symbol> {
    Some(match *definition {
        Definition::Local(local) => Symbol::Local(function?, local),
        Definition::Global(global) => Symbol::Global(global),
        Definition::BlockMember(global, member) => match *module.types.kind(module.globals[global].ty) {
            TypeKind::Struct(structure) => Symbol::Member(structure, member),
            _ => return None,
        },
        Definition::Member(structure, member) => Symbol::Member(structure, member),
        Definition::Struct(structure) => Symbol::Struct(structure),
        Definition::Function(function) => Symbol::Function(function),
        Definition::BuiltinFunction(id) => Symbol::Builtin(Builtin::Function(id)),
        Definition::BuiltinVariable(id) => Symbol::Builtin(Builtin::Variable(id)),
        Definition::BuiltinConstant(id) => Symbol::Builtin(Builtin::Constant(id)),
        Definition::Type(_) => Symbol::Builtin(Builtin::Type(name.into())),
        Definition::Swizzle => Symbol::Builtin(Builtin::Swizzle),
        Definition::Method(Method::Length) => Symbol::Builtin(Builtin::Length),
    })
}

/// Where a body writes: the ends of the names, in its own coordinates.
fn writes_of(module: &Module, body: &Body) -> FxHashMap<TextSize, Role> {
    let mut writes = FxHashMap::default();
    for (_, expr) in body.exprs.iter() {
        match &expr.kind {
            ExprKind::Assign { op, target, .. } => {
                let role = if op.is_some() { Role::ReadWrite } else { Role::Write };
                mark_written(body, *target, role, &mut writes);
            }
            ExprKind::IncDec { operand, .. } => mark_written(body, *operand, Role::ReadWrite, &mut writes),
            ExprKind::Call { callee, arguments } => {
                for (index, &argument) in arguments.iter().enumerate() {
                    if let Some(role) = argument_role(module, callee, index) {
                        mark_written(body, argument, role, &mut writes);
                    }
                }
            }
            _ => {}
        }
    }
    writes
}

fn argument_role(module: &Module, callee: &Callee, index: usize) -> Option<Role> {
    let out = match *callee {
        Callee::Function(id) => match module.functions[id].parameters.get(index)?.direction {
            Direction::In => return None,
            Direction::Out => true,
            Direction::InOut => false,
        },
        Callee::Builtin(id) => match extensions::function(id).parameters.get(index)?.direction {
            ParameterDirection::In => return None,
            ParameterDirection::Out => true,
            ParameterDirection::InOut => false,
        },
    };
    Some(if out { Role::Write } else { Role::ReadWrite })
}

/// The variable and the members that an assignment to `target` changes.
fn mark_written(body: &Body, target: ExprId, role: Role, writes: &mut FxHashMap<TextSize, Role>) {
    let mut at = target;
    // Each step goes to a part of the expression, of which there are as many as the parser's depth allows.
    loop {
        let expr = &body.exprs[at];
        match &expr.kind {
            ExprKind::Member { base, .. } => {
                writes.insert(expr.range.end(), role);
                at = *base;
            }
            ExprKind::Swizzle { base, .. } | ExprKind::Index { base, .. } => at = *base,
            ExprKind::Convert { operand } => at = *operand,
            _ => {
                writes.insert(expr.range.end(), role);
                return;
            }
        }
    }
}
