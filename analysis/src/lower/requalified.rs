//! Declarations of qualifiers without a type: `layout(...) in;`, and those that qualify what is declared already: `invariant a, b;`, `precise c;`.

use tree_sitter::Node;
use tree_sitter_glsl_coopmat::field;

use crate::diagnostics::codes;
use crate::extensions;
use crate::hir::{Definition, Layout, Packing, Storage};
use crate::text::TextRange;

use super::Lowerer;
use super::qualifiers::{Qualifiers, word};

impl<'a> Lowerer<'a> {
    /// `layout(...) in;`, `layout(std430) buffer;`, `invariant a, b;`, `layout(buffer_reference) buffer Node;`
    pub(super) fn qualifier_declaration(&mut self, node: Node<'a>) {
        let (qualifiers, names) = self.qualifiers_and_names(node);
        if qualifiers.layout.buffer_reference {
            for name_node in names {
                let name = self.node_text(name_node);
                let range = self.range(name_node);
                let layout = Layout {
                    packing: qualifiers.layout.packing.or(Some(Packing::Std430)),
                    ..qualifiers.layout.clone()
                };
                self.check_reference_storage(name, range, &qualifiers);
                self.reference(name, range, layout, &qualifiers);
            }
        } else if names.is_empty() {
            self.check_default_qualifiers(&qualifiers);
            self.block_default(&qualifiers);
            self.apply_local_size(node, &qualifiers);
        } else {
            self.check_local_size_place(&qualifiers);
            self.requalify(node, &qualifiers, &names);
        }
    }

    /// The same inside a function.
    pub(super) fn local_qualifier_declaration(&mut self, node: Node<'a>) {
        let (qualifiers, names) = self.qualifiers_and_names(node);
        if qualifiers.has(word::INVARIANT) && !qualifiers.unknown {
            // Section 4.8.1: "All uses of invariant must be at global scope or on block members".
            let message = "`invariant` is only allowed on outputs, outside of functions";
            self.misplaced_qualifier(qualifiers.range, message);
        } else if names.is_empty() && !qualifiers.unknown {
            let message = "a declaration without a type can only set `layout` defaults, outside of functions";
            self.misplaced_qualifier(qualifiers.range, message);
        }
        self.requalify(node, &qualifiers, &names);
    }

    fn qualifiers_and_names(&mut self, node: Node<'a>) -> (Qualifiers, Vec<Node<'a>>) {
        let mut qualifiers = Qualifiers::default();
        let mut names = Vec::new();
        let mut cursor = self.cursor(node);
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                if cursor.field_id().is_some_and(|id| id.get() == field::NAME) {
                    names.push(child);
                } else {
                    self.qualifier(child, &mut qualifiers);
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.release(cursor);
        (qualifiers, names)
    }

    fn requalify(&mut self, declaration: Node<'a>, qualifiers: &Qualifiers, names: &[Node<'a>]) {
        for &name_node in names {
            let name = self.node_text(name_node);
            let range = self.range(name_node);
            match self.lookup(name) {
                // `const Light;`: a type without a name behind it.
                Some(Definition::Struct(structure)) => {
                    self.record_name(range, Definition::Struct(structure));
                    let ty = self.struct_type(structure);
                    if self.function.is_none() {
                        self.check_lone_type_qualifiers(qualifiers, ty);
                    }
                    if !qualifiers.unknown {
                        self.nothing_declared(declaration, name_node);
                    }
                }
                Some(definition)
                    if self.function.is_none()
                        && self.specialize_builtin(
                            &definition,
                            qualifiers,
                            self.range(declaration),
                            range,
                        ) => {}
                Some(definition) => {
                    self.check_requalified(qualifiers, &definition, name, range);
                    if qualifiers.memory.precise {
                        match definition {
                            Definition::Global(global) => self.module.globals[global].memory.precise = true,
                            Definition::Local(local) => self.body.locals[local].memory.precise = true,
                            _ => {}
                        }
                    }
                    if qualifiers.has(word::INVARIANT) {
                        match definition {
                            Definition::Global(global) => {
                                self.module.globals[global].memory.invariant = true;
                            }
                            Definition::BuiltinVariable(variable) => self.module.invariant.push(variable),
                            _ => {}
                        }
                    }
                    self.record_name(range, definition);
                }
                None if !qualifiers.unknown
                    && !extensions::is_reserved(name)
                    && !self.environment.has_unknown_extension() =>
                {
                    self.report(
                        &codes::QUALIFIER_MISUSE,
                        range,
                        format!("`{name}` is not declared, so it cannot be qualified"),
                    );
                }
                None => {}
            }
        }
    }

    /// What is declared already can become `invariant` (4.8.1), when it is an output, and `precise` (4.9); all else is said where it is declared.
    fn check_requalified(
        &mut self,
        qualifiers: &Qualifiers,
        definition: &Definition,
        name: &str,
        range: TextRange,
    ) {
        if qualifiers.unknown || qualifiers.has(word::OTHER) || qualifiers.subroutine {
            return;
        }
        // GL_KHR_vulkan_glsl, 4.4.x: "Built-in constants can be declared to be specialization constants": `layout(constant_id = 31) gl_MaxClipDistances;`
        if extensions::is_reserved(name) && qualifiers.layout.constant_id.is_some() {
            return;
        }
        let storage = match definition {
            Definition::Function(_) => {
                let message = format!("`{name}` is a function: only variables can be qualified");
                return self.report(&codes::QUALIFIER_MISUSE, range, message);
            }
            Definition::Global(global) | Definition::BlockMember(global, _) => {
                Some(self.module.globals[*global].storage)
            }
            _ => None,
        };
        let others = word::STORAGE | word::CONST | word::INTERPOLATION | word::NONUNIFORM;
        if qualifiers.has(others)
            || qualifiers.memory.is_stated()
            || qualifiers.precision.is_some()
            || qualifiers.layout_range.is_some()
        {
            let message = format!(
                "`{name}` is already declared, and only `invariant` and `precise` can be added: write the other qualifiers where it is declared"
            );
            return self.misplaced_qualifier(qualifiers.range, &message);
        }
        // Inputs, too, can be invariant in older versions.
        let no_output = storage
            .is_some_and(|storage| !matches!(storage, Storage::In | Storage::Out | Storage::Other))
            || (matches!(definition, Definition::BuiltinVariable(_))
                && self.environment.stage == Some(crate::config::Stage::Compute));
        if qualifiers.has(word::INVARIANT) && no_output && self.function.is_none() {
            let message = format!("`invariant` is only allowed on outputs, which `{name}` is not");
            self.misplaced_qualifier(qualifiers.range, &message);
        }
    }
}
