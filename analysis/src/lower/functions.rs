//! Functions: signatures, prototypes, overloads, and lowering of bodies, which an edit elsewhere leaves as they are.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use tree_sitter::Node;
use tree_sitter_glsl_coopmat::{field, kind};

use crate::diagnostics::{Severity, codes};
use crate::extensions::ids;
use crate::hir::spirv::SpirvInstruction;
use crate::hir::{Body, Definition, Direction, Function, FunctionId, Item, Local, Parameter, Place};
use crate::text::{TextRange, TextSize};
use crate::types::{ArrayLength, Ty, TypeKind};

use super::Lowerer;
use super::jumps::{Cases, Jumps, ends};
use super::qualifiers::{Qualifiers, word};

struct Signature<'a> {
    name: &'a str,
    name_range: TextRange,
    return_type: Ty,
    parameters: Vec<Parameter>,
    spirv_instruction: Option<SpirvInstruction>,
    attributes: FunctionAttributes,
    subroutine: bool,
}

/// What the attributes of a function say.
#[derive(Clone, Copy, Default)]
struct FunctionAttributes {
    inline: Option<bool>,
    maximally_reconverges: bool,
    subgroup_uniform_control_flow: bool,
}

impl<'a> Lowerer<'a> {
    pub(super) fn function_declaration(&mut self, node: Node<'a>) {
        let range = self.range(node);
        let Some(signature) = self.function_header(node) else { return };
        let name_range = signature.name_range;
        let function = match self.same_function(&signature) {
            Some(function) => {
                self.check_prototype(function, &signature);
                self.module.functions[function].prototypes.push(range);
                function
            }
            None => self.new_function(range, signature),
        };
        self.record_name(name_range, Definition::Function(function));
    }

    pub(super) fn function_definition(&mut self, node: Node<'a>) {
        let range = self.range(node);
        let Some(body) = node.child_by_field_id(field::BODY) else { return };
        let header = TextRange::new(range.start(), self.range(body).start());
        self.fingerprint.add(self.text_at(header).unwrap_or_default());
        let Some(signature) = self.function_header(node) else { return };
        if self.function.is_some() {
            // A brace is missing before it; the grammar accepts it to keep the rest of the file apart.
            self.report(
                &codes::MISPLACED_STATEMENT,
                signature.name_range,
                format!(
                    "the function `{}` is inside another function: is a `}}` missing before it?",
                    signature.name
                ),
            );
            return;
        }
        let (name, name_range) = (signature.name, signature.name_range);
        let names: Vec<TextRange> =
            signature.parameters.iter().map(|parameter| parameter.name_range).collect();
        let function = match self.same_function(&signature) {
            Some(function) => {
                self.check_prototype(function, &signature);
                if self.module.functions[function].body.is_some() {
                    let known = self.module.functions[function].parameters.iter();
                    // Types that are not known need not be the same.
                    let certain = known.clone().all(|parameter| !self.types.is_error(parameter.ty));
                    if certain {
                        self.report_with(
                            &codes::REDEFINITION,
                            name_range,
                            format!("the function `{name}` already has a body for these parameters"),
                            vec![(
                                Place::Definition(Definition::Function(function)),
                                "the first definition".to_owned(),
                            )],
                        );
                    }
                    // Its body is checked all the same, under a number of its own that no call finds.
                    let id = self.module.functions.len() as u32;
                    self.alloc_function(range, signature);
                    self.module.items.push(Item::Function(FunctionId::from_raw(id.into())));
                    FunctionId::from_raw(id.into())
                } else {
                    let known = &mut self.module.functions[function];
                    known.prototypes.push(known.range);
                    known.range = range;
                    known.name_range = name_range;
                    known.parameters = signature.parameters;
                    known.return_type = signature.return_type;
                    let attributes = signature.attributes;
                    known.inline = known.inline.or(attributes.inline);
                    known.maximally_reconverges |= attributes.maximally_reconverges;
                    known.subgroup_uniform_control_flow |= attributes.subgroup_uniform_control_flow;
                    function
                }
            }
            None => self.new_function(range, signature),
        };
        self.record_name(name_range, Definition::Function(function));
        if name == "main" {
            self.check_main(function);
        }
        self.function_body(function, body, range, &names);
    }

    fn function_header(&mut self, node: Node<'a>) -> Option<Signature<'a>> {
        let mut qualifiers = Qualifiers::default();
        let mut return_type = Ty::ERROR;
        let mut name = None;
        let mut parameters = Vec::new();
        let mut attributes = FunctionAttributes::default();
        let mut cursor = self.cursor(node);
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                match cursor.field_id().map(|id| id.get()) {
                    Some(field::TYPE) => {
                        return_type = self.type_specifier(child);
                        self.check_precision(&qualifiers, return_type);
                    }
                    Some(field::NAME) => name = Some(child),
                    Some(field::PARAMETERS) => self.parameters(child, &mut parameters),
                    Some(field::BODY) => {}
                    _ if child.kind_id() == kind::ATTRIBUTES => {
                        self.function_attributes(child, &mut attributes);
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
        let name_node = name?;
        let name = self.node_text(name_node);
        let name_range = self.range(name_node);
        if let TypeKind::Array(_, ArrayLength::Unsized) = self.types.kind(return_type) {
            self.report(
                &codes::ARRAY_SIZE,
                name_range,
                format!("the array that `{name}` returns needs a size"),
            );
            return_type = Ty::ERROR;
        }
        if qualifiers.has(word::STORAGE) && !qualifiers.unknown {
            let range = qualifiers.storage_range.unwrap_or(name_range);
            let text = self.text_at(range).unwrap_or_default();
            self.report(
                &codes::QUALIFIER_MISUSE,
                range,
                format!("`{text}` is not allowed before the result of the function `{name}`"),
            );
        }
        self.check_result_qualifiers(&qualifiers, return_type);
        self.check_no_descriptors(return_type, name, name_range);
        let open = qualifiers.spirv_instruction.is_some();
        for parameter in &mut parameters {
            if !open && let TypeKind::Array(_, ArrayLength::Unsized) = self.types.kind(parameter.ty) {
                let range = parameter.range;
                // Whatever it is called with, and whatever the body does with it, follows from this.
                parameter.ty = Ty::ERROR;
                let message = format!("the parameter `{}` of `{name}` needs an array size", parameter.name);
                self.report(&codes::ARRAY_SIZE, range, message);
            }
        }
        Some(Signature {
            name,
            name_range,
            return_type,
            parameters,
            spirv_instruction: qualifiers.spirv_instruction,
            attributes,
            subroutine: qualifiers.subroutine,
        })
    }

    /// Reads a list of attributes. Those of an extension that is not enabled are unknown, and unknown ones say nothing.
    fn function_attributes(&mut self, list: Node<'a>, attributes: &mut FunctionAttributes) {
        for attribute in self.attribute_list(list) {
            match attribute.name.as_str() {
                "inline" => attributes.inline = Some(true),
                "noinline" => attributes.inline = Some(false),
                "maximally_reconverges" => {
                    attributes.maximally_reconverges |=
                        self.environment.enabled(ids::GL_EXT_MAXIMAL_RECONVERGENCE);
                }
                "subgroup_uniform_control_flow" => {
                    attributes.subgroup_uniform_control_flow |=
                        self.environment.enabled(ids::GL_EXT_SUBGROUP_UNIFORM_CONTROL_FLOW);
                }
                _ => {}
            }
        }
    }

    fn parameters(&mut self, list: Node<'a>, parameters: &mut Vec<Parameter>) {
        let mut cursor = self.cursor(list);
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                if child.kind_id() == kind::PARAMETER {
                    self.parameter(child, parameters);
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.release(cursor);
        // `(void)` is an empty list.
        if let [only] = parameters.as_slice()
            && only.ty == Ty::VOID
            && only.name.is_empty()
        {
            parameters.clear();
        }
        for parameter in parameters.iter_mut() {
            if parameter.ty == Ty::VOID {
                let message = match parameter.name.as_str() {
                    "" => "a parameter cannot be `void`".to_owned(),
                    name => format!("the parameter `{name}` cannot be `void`"),
                };
                parameter.ty = Ty::ERROR;
                let range = parameter.range;
                self.report(&codes::VOID_TYPE, range, message);
            }
        }
    }

    fn parameter(&mut self, node: Node<'a>, parameters: &mut Vec<Parameter>) {
        let range = self.range(node);
        let mut qualifiers = Qualifiers::default();
        let mut base = Ty::ERROR;
        let mut name = "";
        let mut name_range = TextRange::empty(range.end());
        let mut has_array = false;
        let mut cursor = self.cursor(node);
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                match cursor.field_id().map(|id| id.get()) {
                    Some(field::TYPE) => {
                        base = self.type_specifier(child);
                        self.check_precision(&qualifiers, base);
                    }
                    Some(field::NAME) => {
                        name = self.node_text(child);
                        name_range = self.range(child);
                    }
                    Some(field::ARRAY) => has_array = true,
                    Some(field::VALUE) => {
                        let range = self.range(child);
                        self.report(
                            &codes::DEFAULT_ARGUMENT,
                            range,
                            "parameters cannot have default values: declare another overload".to_owned(),
                        );
                    }
                    Some(_) => {}
                    None => {
                        self.qualifier(child, &mut qualifiers);
                    }
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.release(cursor);
        let ty = if has_array { self.declarator_type(base, node) } else { base };
        let misplaced = word::BUFFER | word::SHARED | word::UNIFORM;
        if qualifiers.has(misplaced) && !qualifiers.unknown {
            let range = qualifiers.storage_range.unwrap_or(range);
            let text = self.text_at(range).unwrap_or_default();
            self.report(
                &codes::QUALIFIER_MISUSE,
                range,
                format!(
                    "`{text}` is not allowed before a parameter: expected `in`, `out`, `inout` or `const`"
                ),
            );
        }
        let direction = match (qualifiers.has(word::IN), qualifiers.has(word::OUT)) {
            (true, true) => Direction::InOut,
            (false, true) => Direction::Out,
            _ => Direction::In,
        };
        if qualifiers.has(word::CONST) && direction != Direction::In {
            let range = qualifiers.storage_range.unwrap_or(range);
            self.report(
                &codes::QUALIFIER_MISUSE,
                range,
                "a `const` parameter is an input: it cannot be `out` or `inout`".to_owned(),
            );
        }
        self.check_parameter_qualifiers(&qualifiers, ty);
        self.check_opaque_memory(&qualifiers, ty, name);
        self.check_no_descriptors(ty, name, name_range);
        if !name.is_empty() {
            self.check_reserved(name, name_range);
        }
        parameters.push(Parameter {
            name: name.into(),
            name_range,
            range,
            ty,
            direction,
            is_const: qualifiers.has(word::CONST),
            memory: qualifiers.memory,
            precision: qualifiers.precision,
            spirv_literal: qualifiers.has(word::LITERAL),
            spirv_by_reference: qualifiers.has(word::BY_REFERENCE),
            spirv_decorations: std::mem::take(&mut qualifiers.layout.spirv_decorations),
        });
    }

    /// The function of this name with the same parameter types.
    fn same_function(&self, signature: &Signature<'a>) -> Option<FunctionId> {
        self.scopes.functions(signature.name).iter().copied().find(|&function| {
            let known = &self.module.functions[function].parameters;
            known.len() == signature.parameters.len()
                && known
                    .iter()
                    .zip(&signature.parameters)
                    .all(|(a, b)| a.ty == b.ty && a.spirv_literal == b.spirv_literal)
        })
    }

    fn new_function(&mut self, range: TextRange, signature: Signature<'a>) -> FunctionId {
        let (name, name_range) = (signature.name, signature.name_range);
        self.check_reserved(name, name_range);
        if let Some(known @ (Definition::Global(_) | Definition::Struct(_) | Definition::BlockMember(..))) =
            self.scopes.find(name).cloned()
        {
            let what = if matches!(known, Definition::Struct(_)) { "a type" } else { "a variable" };
            self.report_with(
                &codes::REDEFINITION,
                name_range,
                format!("`{name}` is already declared in this scope, as {what}"),
                vec![(Place::Definition(known), "the first declaration".to_owned())],
            );
        } else {
            self.is_name_of_block(name, name_range);
        }
        let function = self.alloc_function(range, signature);
        self.scopes.declare_function(name, function);
        self.module.items.push(Item::Function(function));
        function
    }

    fn alloc_function(&mut self, range: TextRange, signature: Signature<'a>) -> FunctionId {
        if signature.subroutine {
            self.subroutines = true;
        }
        self.module.functions.alloc(Function {
            name: signature.name.into(),
            name_range: signature.name_range,
            range,
            return_type: signature.return_type,
            parameters: signature.parameters,
            prototypes: Vec::new(),
            body: None,
            spirv_instruction: signature.spirv_instruction,
            inline: signature.attributes.inline,
            maximally_reconverges: signature.attributes.maximally_reconverges,
            subgroup_uniform_control_flow: signature.attributes.subgroup_uniform_control_flow,
        })
    }

    /// GLSL 4.60, section 6.1: all declarations of a function agree in result and qualifiers.
    fn check_prototype(&mut self, function: FunctionId, signature: &Signature<'a>) {
        let known = &self.module.functions[function];
        let place = Place::Definition(Definition::Function(function));
        if known.return_type != signature.return_type {
            if self.types.is_error(known.return_type) || self.types.is_error(signature.return_type) {
                return;
            }
            let (before, now) = (self.display(known.return_type), self.display(signature.return_type));
            self.report_with(
                &codes::PROTOTYPE_MISMATCH,
                signature.name_range,
                format!("`{}` returns `{now}` here and `{before}` in its first declaration", signature.name),
                vec![(place, "the first declaration".to_owned())],
            );
            return;
        }
        let differing =
            known.parameters.iter().zip(&signature.parameters).find(|(a, b)| a.direction != b.direction);
        if let Some((before, now)) = differing {
            let (before, now) = (direction_name(before.direction), direction_name(now.direction));
            let message = format!(
                "a parameter of `{}` is `{now}` here and `{before}` in its first declaration",
                signature.name
            );
            self.report_with(
                &codes::PROTOTYPE_MISMATCH,
                signature.name_range,
                message,
                vec![(place, "the first declaration".to_owned())],
            );
        }
    }

    fn check_main(&mut self, function: FunctionId) {
        let main = &self.module.functions[function];
        if main.return_type != Ty::VOID && !self.types.is_error(main.return_type)
            || !main.parameters.is_empty()
        {
            let range = main.name_range;
            self.report(
                &codes::MAIN_SIGNATURE,
                range,
                "the entry point is `void main()`: it has no parameters and returns nothing".to_owned(),
            );
        }
    }

    fn function_body(&mut self, function: FunctionId, body: Node<'a>, range: TextRange, names: &[TextRange]) {
        let text = self.text_at(range).unwrap_or_default();
        for state in self.environment.applied() {
            self.fingerprint.add(&state.name);
            self.fingerprint.add(state.behavior as u8);
        }
        // Numbers are part of what it sees: bodies name functions, structures and variables by number, and the body of another
        // function may have declared more or fewer structures than before.
        let extension_inside = self.environment.changes_inside(range);
        let numbers = (
            function.into_raw().into_u32(),
            self.module.functions.len(),
            self.module.structs.len(),
            self.module.globals.len(),
        );
        let stamp = hash_of(&(self.fingerprint.value(), numbers));
        if let Some(kept) = self.reusable(function, stamp, text, extension_inside) {
            self.module.functions[function].body = Some(kept);
            self.module.stamps.insert(function, stamp);
            return;
        }

        let outer = std::mem::take(&mut self.body);
        let outer_reported = std::mem::take(&mut self.reported);
        let outer_base = self.base;
        self.base = range.start();
        self.function = Some(function);
        self.returns_value = false;
        self.jumps = Jumps::default();
        self.cases = Cases::default();
        self.scopes.enter();
        self.declare_parameters(function, names);
        let mut statements = Vec::new();
        let flow = self.statements(body, &mut statements);
        let body_range = self.range(body);
        let root = self
            .body
            .stmts
            .alloc(crate::hir::Stmt { kind: crate::hir::StmtKind::Block(statements), range: body_range });
        self.body.root = Some(root);
        self.scopes.leave();
        self.check_return(function, flow, body_range);
        self.unused_locals();
        self.function = None;
        self.base = outer_base;
        self.reported = outer_reported;
        let mut lowered = std::mem::replace(&mut self.body, outer);
        finish(&mut lowered);
        self.module.functions[function].body = Some(Arc::new(lowered));
        // What an `#extension` line in the middle allowed is not the text's alone, which has no directives any more.
        if !extension_inside {
            self.module.stamps.insert(function, stamp);
        }
    }

    /// The body of the same function in the previous analysis, when neither its text nor anything that it sees has changed.
    fn reusable(
        &self,
        function: FunctionId,
        stamp: u64,
        text: &str,
        extension_inside: bool,
    ) -> Option<Arc<Body>> {
        let previous = self.previous.as_ref()?;
        if extension_inside || previous.module.stamps.get(&function) != Some(&stamp) {
            return None;
        }
        let known = previous.module.functions.iter().nth(function.into_raw().into_u32() as usize)?.1;
        let body = known.body.as_ref()?;
        let before = previous.text.get(usize::from(known.range.start())..usize::from(known.range.end()))?;
        (before == text && !body.declares_structs).then(|| body.clone())
    }

    fn declare_parameters(&mut self, function: FunctionId, names: &[TextRange]) {
        let parameters = self.module.functions[function].parameters.clone();
        for (parameter, &range) in parameters.into_iter().zip(names) {
            let name_range = TextRange::new(
                range.start().checked_sub(self.base).unwrap_or_default(),
                range.end().checked_sub(self.base).unwrap_or_default(),
            );
            let named = !parameter.name.is_empty();
            self.storage_only_variable(parameter.ty, name_range);
            let local = self.body.locals.alloc(Local {
                name: parameter.name,
                name_range,
                ty: parameter.ty,
                is_const: parameter.is_const,
                parameter: true,
                direction: parameter.direction,
                memory: parameter.memory,
                precision: parameter.precision,
                constant: None,
                spirv_decorations: parameter.spirv_decorations,
                read: false,
                written: false,
            });
            self.body.parameters.push(local);
            if named && let Some(name) = self.text_at(name_range) {
                self.declare_local(name, name_range, local);
            }
        }
    }

    fn check_return(&mut self, function: FunctionId, flow: u8, body_range: TextRange) {
        let known = &self.module.functions[function];
        let ty = known.return_type;
        if ty == Ty::VOID || self.types.is_error(ty) || flow & ends::FALLS == 0 {
            return;
        }
        let name = known.name.clone();
        let end = TextRange::new(
            body_range.end().checked_sub(TextSize::new(1)).unwrap_or_default(),
            body_range.end(),
        );
        let ty = self.display(ty);
        if self.returns_value {
            self.report_as(
                &codes::MISSING_RETURN,
                Severity::Warning,
                end,
                format!(
                    "`{name}` can end without a `return`, and then its result, of type `{ty}`, is undefined"
                ),
                Vec::new(),
            );
        } else {
            self.report(
                &codes::MISSING_RETURN,
                end,
                format!("`{name}` must return `{ty}`: it has no `return` with a value"),
            );
        }
    }
}

pub(super) fn direction_name(direction: Direction) -> &'static str {
    match direction {
        Direction::In => "in",
        Direction::Out => "out",
        Direction::InOut => "inout",
    }
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Sorts what is looked up by place, and gives memory back that growing took.
pub(super) fn finish(body: &mut Body) {
    if !body.names.is_sorted_by_key(|name| name.range.start()) {
        body.names.sort_by_key(|name| name.range.start());
    }
}
