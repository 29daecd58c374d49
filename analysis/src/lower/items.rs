//! The top level: declarations of variables and constants, and what `layout(...) in;` and its kin say about the whole shader.

use tree_sitter::Node;
use tree_sitter_glsl_coopmat::{field, kind};

use crate::diagnostics::codes;
use crate::extensions::{self, Change, ids, variables};
use crate::hir::{
    Const, Definition, Expr, ExprId, ExprKind, Global, GlobalId, Item, KeptDeclaration, NameUse, Place,
    Storage,
};
use crate::symbolic::SpecAtom;
use crate::syntax_errors::{BARE_OPERATOR, bare_operator};
use crate::text::{TextRange, TextSize};
use crate::types::{ArrayLength, OpaqueClass, Scalar, ScalarClass, Ty, TypeKind};

use super::Lowerer;
use super::qualifiers::Qualifiers;

/// From how many bytes on a declaration is worth to be copied from the previous analysis.
const LONG_DECLARATION: usize = 400;

impl<'a> Lowerer<'a> {
    /// Lowers every top-level item in order.
    pub(super) fn items(&mut self, root: Node<'a>) {
        let mut cursor = self.cursor(root);
        if cursor.goto_first_child() {
            loop {
                let node = cursor.node();
                self.environment.advance(TextSize::new(node.start_byte() as u32));
                self.item(node);
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.release(cursor);
    }

    fn item(&mut self, node: Node<'a>) {
        let id = node.kind_id();
        if id == kind::FUNCTION_DEFINITION {
            return self.function_definition(node);
        }
        self.fingerprint.add(self.node_text(node));
        match id {
            kind::DECLARATION => {
                if !self.copy_declaration(node) {
                    let before = self.sizes();
                    self.global_declaration(node);
                    self.keep_declaration(node, before);
                }
            }
            kind::FUNCTION_DECLARATION => self.function_declaration(node),
            kind::INTERFACE_BLOCK => self.interface_block(node),
            kind::QUALIFIER_DECLARATION => self.qualifier_declaration(node),
            kind::EMPTY_STATEMENT => self.check_lone_semicolon(node),
            kind::PRECISION_DECLARATION | kind::COMMENT => {}
            _ if !node.is_named() || node.is_error() => {}
            kind::MACRO_STATEMENT | kind::INCOMPLETE_STATEMENT => self.mistake(node),
            _ => {
                if self.reads_as_comparisons(node)
                    || self.lone_type_statement(node)
                    || self.global_names_behind_comma(node)
                {
                    return;
                }
                let range = self.range(node);
                self.report(
                    &codes::MISPLACED_STATEMENT,
                    range,
                    "a statement is not allowed outside of a function".to_owned(),
                );
            }
        }
    }

    /// GLSL 4.60 was the first to "allow extra semi-colons at global scope" (section 1.2); no version of GLSL ES does.
    fn check_lone_semicolon(&mut self, node: Node<'a>) {
        let es = self.environment.is_es();
        // What a header is included into is not known.
        if self.environment.stage.is_none() || (!es && self.environment.version >= 460) {
            return;
        }
        let (range, version) = (self.range(node), self.environment.version);
        let language = if es { " es" } else { "" };
        self.report(
            &codes::SYNTAX_ERROR,
            range,
            format!("a lone `;` is allowed here only from `#version 460` on, and this shader has {version}{language}: remove it"),
        );
    }

    /// Reports a declaration that reads as an expression because its type has an argument with an operator: `coopmat<T, S, M * 2, ...>`
    /// is a row of comparisons to the grammar.
    pub(super) fn reads_as_comparisons(&mut self, node: Node<'a>) -> bool {
        let text = self.node_text(node).trim_end_matches(';');
        if !["coopmat", "coopvec", "tensor"].iter().any(|generic| text.starts_with(generic)) {
            return false;
        }
        let Some(argument) = bare_operator(text, text.len()) else { return false };
        let start = self.range(node).start();
        let argument = TextRange::new(start + argument.start(), start + argument.end());
        self.report(&codes::TYPE_AS_VALUE, argument, BARE_OPERATOR.to_owned());
        true
    }

    /// How many expressions, variables, structures and diagnostics there are.
    fn sizes(&self) -> [usize; 4] {
        let module = &self.module;
        [self.body.exprs.len(), module.globals.len(), module.structs.len(), self.body.diagnostics.len()]
    }

    /// What a declaration at this place depends on; its text is part of the fingerprint already.
    fn declaration_stamp(&self, sizes: [usize; 4]) -> u64 {
        self.fingerprint.with(&sizes[..3])
    }

    /// Remembers a long declaration, such as a table of constants, that declares one variable and reports nothing.
    fn keep_declaration(&mut self, node: Node<'a>, before: [usize; 4]) {
        let [exprs, globals, structs, diagnostics] = before;
        let after = self.sizes();
        let range = self.range(node);
        if usize::from(range.len()) < LONG_DECLARATION
            || after[1] != globals + 1
            || after[2] != structs
            || after[3] != diagnostics
            || self.environment.changes_inside(range)
        {
            return;
        }
        let kept = KeptDeclaration {
            range,
            global: GlobalId::from_raw((globals as u32).into()),
            first_expr: exprs as u32,
            end_expr: after[0] as u32,
        };
        let stamp = self.declaration_stamp(before);
        self.module.kept.insert(stamp, kept);
    }

    /// Copies a long declaration from the previous analysis when nothing it depends on has changed: ids are the same then, only
    /// places differ.
    fn copy_declaration(&mut self, node: Node<'a>) -> bool {
        let Some(previous) = self.previous else { return false };
        let range = self.range(node);
        if usize::from(range.len()) < LONG_DECLARATION || self.environment.changes_inside(range) {
            return false;
        }
        let sizes = self.sizes();
        let stamp = self.declaration_stamp(sizes);
        let Some(&kept) = previous.module.kept.get(&stamp) else { return false };
        let old = &previous.module.global_body;
        let text =
            |text: &'a str, range: TextRange| text.get(usize::from(range.start())..usize::from(range.end()));
        if text(previous.text, kept.range) != text(self.text, range)
            || kept.first_expr as usize != sizes[0]
            || kept.end_expr as usize > old.exprs.len()
        {
            return false;
        }
        let moved = |place: TextRange| {
            TextRange::at(range.start() + (place.start() - kept.range.start()), place.len())
        };
        for (_, expr) in
            old.exprs.iter().skip(kept.first_expr as usize).take((kept.end_expr - kept.first_expr) as usize)
        {
            let expr = Expr { range: moved(expr.range), ..expr.clone() };
            self.body.exprs.alloc(expr);
        }
        let first = old.names.partition_point(|name| name.range.start() < kept.range.start());
        for name in &old.names[first..] {
            if name.range.start() >= kept.range.end() {
                break;
            }
            self.body.names.push(NameUse { range: moved(name.range), definition: name.definition.clone() });
        }
        let known = &previous.module.globals[kept.global];
        if let (Some(Const::Symbolic(value)), Storage::Const) = (&known.constant, known.storage) {
            self.types.symbols.call(*value, &known.name);
        }
        let global =
            Global { name_range: moved(known.name_range), range: moved(known.range), ..known.clone() };
        let name = self.text_at(global.name_range).unwrap_or_default();
        let constant_id = global.constant_id;
        let global = self.module.globals.alloc(global);
        if let Some(id) = constant_id {
            self.constant_ids.entry(id).or_insert(global);
        }
        self.module.items.push(Item::Global(global));
        self.scopes.declare(name, Definition::Global(global));
        self.module.kept.insert(stamp, KeptDeclaration { range, ..kept });
        true
    }

    pub(super) fn missing_semicolon(&mut self, node: Node<'a>) {
        let range = self.range(node);
        let end = TextRange::new(range.end().checked_sub(TextSize::new(1)).unwrap_or_default(), range.end());
        self.report(&codes::SYNTAX_ERROR, end, "expected `;` after this".to_owned());
    }

    /// Reports a node that the grammar accepts only so that the tree around it stays whole.
    pub(super) fn mistake(&mut self, node: Node<'a>) {
        if let Some(message) = tree_sitter_glsl_coopmat::mistake(node.kind_id()) {
            let range = self.range(node);
            let end =
                TextRange::new(range.end().checked_sub(TextSize::new(1)).unwrap_or_default(), range.end());
            self.report(&codes::SYNTAX_ERROR, end, message.to_owned());
        }
    }

    fn global_declaration(&mut self, node: Node<'a>) {
        let mut qualifiers = Qualifiers::default();
        let mut base = Ty::ERROR;
        let mut type_node = None;
        let mut declared = false;
        let mut cursor = self.cursor(node);
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                match cursor.field_id().map(|id| id.get()) {
                    Some(field::TYPE) => {
                        type_node = Some(child);
                        if child.kind_id() == kind::MACRO_TYPE {
                            self.missing_semicolon(child);
                        }
                        base = self.type_specifier(child);
                        self.check_precision(&qualifiers, base);
                    }
                    Some(field::DECLARATOR) => {
                        declared = true;
                        self.global(node, child, base, &qualifiers);
                    }
                    None if !declared && child.kind() == "," => {
                        if let Some(type_node) = type_node {
                            self.check_name_left_out(child, type_node);
                        }
                    }
                    _ => {
                        self.qualifier(child, &mut qualifiers);
                    }
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.release(cursor);
        if !declared {
            self.check_lone_type_qualifiers(&qualifiers, base);
            self.check_empty_declaration(node, &qualifiers);
        }
    }

    fn global(&mut self, declaration: Node<'a>, declarator: Node<'a>, base: Ty, qualifiers: &Qualifiers) {
        let Some(name_node) = declarator.child_by_field_id(field::NAME) else { return };
        let ty = self.declarator_type(base, declarator);
        self.global_of_type(
            declaration,
            name_node,
            ty,
            declarator.child_by_field_id(field::VALUE),
            qualifiers,
        );
    }

    /// A name, its type and its value, wherever they are written.
    pub(super) fn global_of_type(
        &mut self,
        declaration: Node<'a>,
        name_node: Node<'a>,
        mut ty: Ty,
        value: Option<Node<'a>>,
        qualifiers: &Qualifiers,
    ) {
        let name = self.node_text(name_node);
        let name_range = self.range(name_node);
        if ty == Ty::VOID {
            self.report(&codes::VOID_TYPE, name_range, format!("the variable `{name}` cannot be `void`"));
            ty = Ty::ERROR;
        }
        let storage = qualifiers.storage();
        let initializer = value.map(|value| self.initializer(value, ty));
        ty = match initializer {
            Some(initializer) => self.initialized_type(ty, initializer),
            // Per-vertex and per-view interfaces get their sizes from the stage.
            None if matches!(storage, Storage::In | Storage::Out) => ty,
            None => self.check_open_dimensions(ty, name_range),
        };
        self.check_initializer(name, name_range, storage, value, initializer);
        let constant_id = qualifiers.layout.constant_id;
        let (constant, default) =
            self.global_constant(name, name_range, ty, qualifiers, storage, initializer);
        self.check_storage(ty, storage, name_range, name, false);
        if !matches!(storage, Storage::Uniform | Storage::Buffer | Storage::PushConstant | Storage::Other) {
            self.storage_only_variable(ty, name_range);
        }
        self.check_uniform(ty, qualifiers, storage, name_range, name);
        // Compilers give tensors a binding where the shader says none.
        let tensor = matches!(self.types.kind(self.innermost(ty)), TypeKind::Opaque(opaque) if opaque.class == OpaqueClass::Tensor);
        if self.is_opaque(ty) && !tensor {
            self.check_binding(qualifiers, storage, name_range);
        }
        self.check_interface(name, name_range, ty, storage, qualifiers);
        self.check_variable_qualifiers(qualifiers, ty, storage, name, name_range);

        let range = self.range(declaration);
        if let Some(global) = self.redeclared(name, ty) {
            self.record_name(name_range, Definition::Global(global));
            self.module.globals[global].ty = ty;
            return;
        }
        let global = self.module.globals.alloc(Global {
            name: name.into(),
            name_range,
            range,
            ty,
            storage,
            layout: qualifiers.layout.clone(),
            memory: qualifiers.memory,
            precision: qualifiers.precision,
            initializer,
            constant,
            constant_id,
            default,
        });
        self.module.items.push(Item::Global(global));
        self.declare(name, name_range, Definition::Global(global));
    }

    /// The type of a variable after its initializer, which gives an open array its size.
    pub(super) fn initialized_type(&mut self, ty: Ty, initializer: ExprId) -> Ty {
        if !self.has_open_dimension(ty) {
            return ty;
        }
        let found = self.type_of(initializer);
        let sized = self.sized_by(ty, found);
        // Of wrong or unknown size: nothing more is said about the variable.
        if self.has_open_dimension(sized) { Ty::ERROR } else { sized }
    }

    fn has_open_dimension(&self, mut ty: Ty) -> bool {
        while let Some((element, length)) = self.types.as_array(ty) {
            if length == ArrayLength::Unsized {
                return true;
            }
            ty = element;
        }
        false
    }

    /// GLSL 4.60, section 4.1.9: without an initializer only the outermost dimension may be left open.
    pub(super) fn check_open_dimensions(&mut self, ty: Ty, range: TextRange) -> Ty {
        match self.types.as_array(ty) {
            Some((element, _)) if self.has_open_dimension(element) => {
                self.report(
                    &codes::ARRAY_SIZE,
                    range,
                    "only the outermost dimension of an array may be left out".to_owned(),
                );
                Ty::ERROR
            }
            _ => ty,
        }
    }

    /// GLSL 4.60, section 4.1.9: an array without a size may be declared again, with one.
    fn redeclared(&self, name: &str, ty: Ty) -> Option<GlobalId> {
        let Some(&Definition::Global(global)) = self.scopes.find_here(name) else { return None };
        // Built-in variables are declared again to qualify them.
        if extensions::is_reserved(name) {
            return Some(global);
        }
        let (known, ArrayLength::Unsized) = self.types.as_array(self.module.globals[global].ty)? else {
            return None;
        };
        let (element, _) = self.types.as_array(ty)?;
        (known == element).then_some(global)
    }

    fn check_initializer(
        &mut self,
        name: &str,
        name_range: TextRange,
        storage: Storage,
        value: Option<Node<'a>>,
        initializer: Option<ExprId>,
    ) {
        let Some(value) = value else {
            if storage == Storage::Const && !extensions::is_reserved(name) {
                self.report(
                    &codes::MISSING_INITIALIZER,
                    name_range,
                    format!("the constant `{name}` needs a value: write `= ...` after it"),
                );
            }
            return;
        };
        let range = self.range(value);
        match storage {
            Storage::Shared => {
                // GL_EXT_null_initializer allows `= {}` and nothing else.
                let null = value.kind_id() == kind::INITIALIZER_LIST && value.named_child_count() == 0;
                if !null {
                    self.report(
                        &codes::QUALIFIER_MISUSE,
                        range,
                        format!("the `shared` variable `{name}` cannot have an initializer: assign to it in `main`"),
                    );
                } else if let Some(extension) = self.missing_extension_of(&[ids::GL_EXT_NULL_INITIALIZER]) {
                    self.report(
                        &codes::MISSING_EXTENSION,
                        range,
                        format!(
                            "the initializer `{{}}` of a `shared` variable is provided by {extension}: add `#extension {extension} : require`"
                        ),
                    );
                }
            }
            Storage::In | Storage::Out | Storage::Buffer | Storage::PushConstant => {
                let storage = super::storage_rules::storage_name(storage);
                self.report(
                    &codes::QUALIFIER_MISUSE,
                    range,
                    format!("the `{storage}` variable `{name}` cannot have an initializer"),
                );
            }
            _ => {}
        }
        if storage == Storage::Const
            && let Some(found) = initializer.and_then(|initializer| self.variable_in(initializer))
        {
            let range = self.range_of(found);
            self.report(
                &codes::CONSTANT_REQUIRED,
                range,
                format!(
                    "the value of the constant `{name}` must be a constant expression, and this is a variable"
                ),
            );
        }
    }

    /// A variable that the value of an expression depends on. GLSL 4.60, section 4.3: the initializer of a constant at top level is a constant
    /// expression. Of what else is none, calls of functions among it, nothing is said.
    fn variable_in(&self, root: ExprId) -> Option<ExprId> {
        let mut stack = vec![root];
        while let Some(expr) = stack.pop() {
            let kind = &self.body.exprs[expr].kind;
            match kind {
                // The length of an array is known whatever stands in it.
                ExprKind::Length { .. } => {}
                &ExprKind::Global(global) if self.module.globals[global].storage == Storage::Private => {
                    return Some(expr);
                }
                _ => kind.operands(&mut stack),
            }
        }
        None
    }

    /// The value of a constant, and the default of a specialization constant.
    fn global_constant(
        &mut self,
        name: &str,
        name_range: TextRange,
        ty: Ty,
        qualifiers: &Qualifiers,
        storage: Storage,
        initializer: Option<ExprId>,
    ) -> (Option<Const>, Option<Const>) {
        let value = initializer.and_then(|initializer| self.constant_value(initializer).cloned());
        let Some(id) = qualifiers.layout.constant_id else {
            if storage != Storage::Const {
                return (None, None);
            }
            if let Some(Const::Symbolic(value)) = value {
                self.types.symbols.call(value, name);
            }
            return (value, None);
        };
        let layout_range = qualifiers.layout_range.unwrap_or(name_range);
        let scalar = self.types.as_scalar(ty);
        if storage != Storage::Const || scalar.is_none() {
            if !self.types.is_error(ty) {
                self.report(
                    &codes::SPECIALIZATION_CONSTANT,
                    layout_range,
                    format!("`constant_id` needs a `const` scalar, which `{name}` is not"),
                );
            }
            return (value, None);
        }
        if let Some(&first) = self.constant_ids.get(&id) {
            self.report_with(
                &codes::SPECIALIZATION_CONSTANT,
                layout_range,
                format!("the constant id {id} is already used"),
                vec![(Place::Definition(Definition::Global(first)), "by this constant".to_owned())],
            );
        } else {
            let next = self.module.globals.len() as u32;
            self.constant_ids.insert(id, GlobalId::from_raw(next.into()));
        }
        if let Some(initializer) = initializer
            && value.is_none()
            && !self.types.is_error(self.type_of(initializer))
        {
            let range = self.range_of(initializer);
            self.report(
                &codes::SPECIALIZATION_CONSTANT,
                range,
                format!("the default of `{name}` must be a constant expression"),
            );
        }
        let constant = self.specialized(name, scalar, id, value.as_ref());
        (Some(constant), value)
    }

    /// What a specialization constant is while compiling.
    fn specialized(&mut self, name: &str, scalar: Option<Scalar>, id: u32, value: Option<&Const>) -> Const {
        let symbolic = scalar.is_some_and(|scalar| match scalar.class() {
            ScalarClass::Bool => true,
            ScalarClass::Signed | ScalarClass::Unsigned => scalar.bits() <= 32,
            ScalarClass::Float | ScalarClass::SmallFloat => false,
        });
        if !symbolic {
            return Const::Opaque { specialization: true };
        }
        let default = match value {
            Some(Const::Int(value)) => i64::try_from(*value).ok(),
            Some(Const::Bool(value)) => Some(i64::from(*value)),
            Some(Const::Symbolic(symbol)) => self.types.symbols.default_value(*symbol),
            _ => None,
        };
        let signed = scalar.is_some_and(|scalar| scalar.class() == ScalarClass::Signed);
        let atom = SpecAtom { name: name.into(), id: Some(id), signed, default };
        Const::Symbolic(self.types.symbols.spec(atom))
    }

    /// GL_KHR_vulkan_glsl, 4.4.x: "Built-in constants can be declared to be specialization constants": `layout(constant_id = 31) gl_MaxClipDistances;`.
    /// From here on the name is that of a constant of the shader. Whether it is such a declaration.
    pub(super) fn specialize_builtin(
        &mut self,
        definition: &Definition,
        qualifiers: &Qualifiers,
        range: TextRange,
        name_range: TextRange,
    ) -> bool {
        let Some(id) = qualifiers.layout.constant_id else { return false };
        let (name, ty, default) = match definition {
            Definition::BuiltinConstant(constant) => {
                let constant = extensions::constant_by_id(*constant);
                let (ty, value) = self.builtin_constant(constant);
                (constant.name, ty, value)
            }
            Definition::BuiltinVariable(variables::GL_ENABLE_OPACITY_MICROMAP_EXT) => {
                let variable = extensions::variable_by_id(variables::GL_ENABLE_OPACITY_MICROMAP_EXT);
                (variable.name, self.types.intern(TypeKind::Scalar(Scalar::Bool)), Const::Bool(false))
            }
            _ => return false,
        };
        let Some(scalar) = self.types.as_scalar(ty) else { return false };
        let constant = self.specialized(name, Some(scalar), id, Some(&default));
        let global = self.module.globals.alloc(Global {
            name: name.into(),
            name_range,
            range,
            ty,
            storage: Storage::Const,
            layout: qualifiers.layout.clone(),
            memory: qualifiers.memory,
            precision: None,
            initializer: None,
            constant: Some(constant),
            constant_id: Some(id),
            default: Some(default),
        });
        self.constant_ids.entry(id).or_insert(global);
        self.module.items.push(Item::Global(global));
        self.scopes.declare(name, Definition::Global(global));
        self.record_name(name_range, Definition::Global(global));
        true
    }

    /// What interface variables need beyond their type.
    fn check_interface(
        &mut self,
        name: &str,
        name_range: TextRange,
        ty: Ty,
        storage: Storage,
        qualifiers: &Qualifiers,
    ) {
        match storage {
            Storage::Buffer if !qualifiers.layout.buffer_reference && !qualifiers.unknown => self.report(
                &codes::QUALIFIER_MISUSE,
                name_range,
                format!("`buffer` needs a block: `buffer Name {{ ... }} {name};`"),
            ),
            Storage::In | Storage::Out
                if self.environment.stage == Some(crate::config::Stage::Compute)
                    && !extensions::is_reserved(name)
                    && !qualifiers.unknown
                    && !self.environment.has_unknown_extension() =>
            {
                self.report(
                    &codes::QUALIFIER_MISUSE,
                    name_range,
                    "compute shaders cannot declare inputs or outputs".to_owned(),
                );
            }
            Storage::Shared => {
                let has_shared = matches!(
                    self.environment.stage,
                    None | Some(
                        crate::config::Stage::Compute
                            | crate::config::Stage::Task
                            | crate::config::Stage::Mesh
                    )
                );
                if !has_shared && !self.environment.has_unknown_extension() {
                    self.report(
                        &codes::QUALIFIER_MISUSE,
                        name_range,
                        "`shared` variables are only available in compute, task and mesh shaders".to_owned(),
                    );
                }
            }
            _ => {}
        }
        // References to buffers and opaque types take them wherever they are.
        if self.is_plain(ty)
            && matches!(storage, Storage::Private | Storage::Const | Storage::Shared)
            && !qualifiers.unknown
            && qualifiers.memory.is_stated()
            && let Some(range) = qualifiers.range
        {
            let what = if storage == Storage::Shared {
                "shared by its workgroup"
            } else {
                "private to its invocation"
            };
            let message =
                format!("memory qualifiers are only allowed on buffers and images, but `{name}` is {what}");
            self.report(&codes::QUALIFIER_MISUSE, range, message);
        }
        let layout = &qualifiers.layout;
        if (layout.packing.is_some() || layout.row_major.is_some())
            && !qualifiers.layout.buffer_reference
            && !self.environment.may_change(Change::Descriptors)
            && let Some(range) = qualifiers.layout_range
        {
            self.report(
                &codes::QUALIFIER_MISUSE,
                range,
                format!("a memory layout is only allowed on a block, but `{name}` is a variable"),
            );
        }
    }

    /// Whether a scalar may select a `switch` or size an array.
    pub(super) fn is_integer_scalar(&self, ty: Ty) -> bool {
        self.types.as_scalar(ty).is_some_and(Scalar::is_integer)
    }
}
