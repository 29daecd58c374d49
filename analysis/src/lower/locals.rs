//! Variables inside functions.

use tree_sitter::Node;
use tree_sitter_glsl_coopmat::{field, kind};

use crate::diagnostics::codes;
use crate::extensions::Change;
use crate::hir::{Const, Definition, Direction, ExprId, Local, LocalId, StmtId, StmtKind};
use crate::text::TextRange;
use crate::types::{ArrayLength, OpaqueClass, Scalar, Ty, TypeKind};

use super::Lowerer;
use super::jumps::ends;
use super::qualifiers::{Qualifiers, word};

impl<'a> Lowerer<'a> {
    pub(super) fn local_declaration(&mut self, node: Node<'a>, out: &mut Vec<StmtId>) -> u8 {
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
                        self.check_local_qualifiers(&qualifiers);
                        self.check_plain_local(&qualifiers, base);
                        self.check_precision(&qualifiers, base);
                    }
                    Some(field::DECLARATOR) => {
                        declared = true;
                        self.local(child, base, &qualifiers, out);
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
            self.check_empty_declaration(node, &qualifiers);
            let range = self.range(node);
            let statement = self.alloc_statement(StmtKind::Declaration, range);
            out.push(statement);
        }
        ends::FALLS
    }

    fn check_local_qualifiers(&mut self, qualifiers: &Qualifiers) {
        if qualifiers.unknown {
            return;
        }
        // Hit objects and their attributes are declared inside functions.
        if qualifiers.has(word::STORAGE & !word::OTHER) {
            if let Some(range) = qualifiers.storage_range {
                let text = self.text_at(range).unwrap_or_default();
                self.report(
                    &codes::QUALIFIER_MISUSE,
                    range,
                    format!("`{text}` variables must be declared outside of functions"),
                );
            }
        } else if let Some(range) = qualifiers.layout_range {
            self.report(
                &codes::QUALIFIER_MISUSE,
                range,
                "`layout` is only allowed on declarations outside of functions".to_owned(),
            );
        }
    }

    fn local(&mut self, declarator: Node<'a>, base: Ty, qualifiers: &Qualifiers, out: &mut Vec<StmtId>) {
        let Some(name_node) = declarator.child_by_field_id(field::NAME) else { return };
        let ty = self.declarator_type(base, declarator);
        let range = self.range(declarator);
        self.local_of_type(name_node, ty, declarator.child_by_field_id(field::VALUE), qualifiers, range, out);
    }

    /// A name, its type and its value, wherever they are written.
    pub(super) fn local_of_type(
        &mut self,
        name_node: Node<'a>,
        mut ty: Ty,
        value: Option<Node<'a>>,
        qualifiers: &Qualifiers,
        range: TextRange,
        out: &mut Vec<StmtId>,
    ) {
        let name = self.node_text(name_node);
        let name_range = self.range(name_node);
        if ty == Ty::VOID {
            self.report(&codes::VOID_TYPE, name_range, format!("the variable `{name}` cannot be `void`"));
            ty = Ty::ERROR;
        }
        // A name is visible after its own initializer.
        let initializer = value.map(|value| self.initializer(value, ty));
        if let Some(initializer) = initializer {
            ty = self.initialized_type(ty, initializer);
            self.check_query_copy(ty, initializer);
        } else if qualifiers.has(word::CONST) {
            self.report(
                &codes::MISSING_INITIALIZER,
                name_range,
                format!("the constant `{name}` needs a value: write `= ...` after it"),
            );
        }
        if initializer.is_none() {
            ty = self.check_open_dimensions(ty, name_range);
        }
        if self.is_opaque(ty) && !self.is_local_opaque(ty) {
            let found = self.display(ty);
            self.report(
                &codes::TYPE_STORAGE,
                name_range,
                format!(
                    "a `{found}` cannot be a local variable: declare it as `uniform` outside of functions"
                ),
            );
        }
        self.storage_only_variable(ty, name_range);
        self.check_no_descriptors(ty, name, name_range);
        if let Some(local) = self.resized_local(name, ty) {
            self.record_name(name_range, Definition::Local(local));
            return;
        }
        let local = self.new_local(name, name_range, ty, qualifiers);
        if qualifiers.has(word::CONST) {
            let constant = initializer.and_then(|initializer| self.constant_value(initializer).cloned());
            // What is wrong with the value is told there.
            let is_wrong =
                initializer.is_some_and(|initializer| self.types.is_error(self.type_of(initializer)));
            let unknown = is_wrong && self.types.as_scalar(ty).is_some_and(Scalar::is_integer);
            let unknown = unknown.then(|| Const::Symbolic(self.types.symbols.unknown()));
            self.body.locals[local].constant = constant.or(unknown);
        }
        let statement = self.alloc_statement(StmtKind::Declare { local, initializer }, range);
        out.push(statement);
    }

    /// Section 4.1.7: opaque variables are no l-values; ray queries and hit objects have no value that could be copied.
    fn check_query_copy(&mut self, ty: Ty, initializer: ExprId) {
        let TypeKind::Opaque(opaque) = self.types.kind(ty) else { return };
        let hint = match opaque.class {
            OpaqueClass::RayQuery => "call `rayQueryInitializeEXT`",
            class if class.is_state() => "trace a ray or record what it hits",
            _ => return,
        };
        let range = self.range_of(initializer);
        let found = self.display(ty);
        let message = format!("a `{found}` cannot be copied: declare it without a value, and {hint}");
        self.report(&codes::TYPE_MISMATCH, range, message);
    }

    /// GLSL 4.60, section 4.1.9: an array without a size may be declared again, with one.
    fn resized_local(&mut self, name: &str, ty: Ty) -> Option<LocalId> {
        let &Definition::Local(local) = self.scopes.find_here(name)? else { return None };
        let (known, ArrayLength::Unsized) = self.types.as_array(self.body.locals[local].ty)? else {
            return None;
        };
        let (element, _) = self.types.as_array(ty)?;
        if known != element {
            return None;
        }
        self.body.locals[local].ty = ty;
        Some(local)
    }

    /// Whether an opaque type is one of the few that functions declare.
    pub(super) fn is_local_opaque(&self, mut ty: Ty) -> bool {
        loop {
            match self.types.kind(ty) {
                TypeKind::Array(element, _) => ty = *element,
                TypeKind::Opaque(opaque) => {
                    return opaque.class.is_state()
                        || opaque.class == OpaqueClass::AccelerationStructure
                        || self.environment.may_change(Change::Descriptors);
                }
                _ => return true,
            }
        }
    }

    pub(super) fn new_local(
        &mut self,
        name: &'a str,
        name_range: TextRange,
        ty: Ty,
        qualifiers: &Qualifiers,
    ) -> LocalId {
        let local = self.body.locals.alloc(Local {
            name: name.into(),
            name_range,
            ty,
            is_const: qualifiers.has(word::CONST),
            parameter: false,
            direction: Direction::In,
            memory: qualifiers.memory,
            precision: qualifiers.precision,
            constant: None,
            spirv_decorations: qualifiers.layout.spirv_decorations.clone(),
            read: false,
            written: false,
        });
        if !name.is_empty() {
            self.declare_local(name, name_range, local);
        }
        local
    }

    pub(super) fn declare_local(&mut self, name: &'a str, range: TextRange, local: LocalId) {
        self.declare(name, range, Definition::Local(local));
    }

    /// Hints about locals that nothing reads or writes.
    pub(super) fn unused_locals(&mut self) {
        let unused: Vec<(TextRange, String)> = self
            .body
            .locals
            .iter()
            .filter(|(_, local)| !local.parameter && !local.read && !local.written && !local.name.is_empty())
            .map(|(_, local)| (local.name_range, format!("`{}` is never used", local.name)))
            .collect();
        for (range, message) in unused {
            self.report(&codes::UNUSED_VARIABLE, range, message);
        }
    }
}
