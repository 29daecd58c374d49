//! The qualifiers and types of GL_EXT_spirv_intrinsics: `spirv_instruction(...)` and its kin.

use tree_sitter::Node;
use tree_sitter_glsl_coopmat::{field, kind, token};

use crate::diagnostics::codes;
use crate::hir::spirv::{
    SpirvInstruction, SpirvMark, SpirvOperand, SpirvOperandKind, SpirvRequirements, SpirvStorageClass,
    SpirvType,
};
use crate::hir::{Const, Definition, ExprKind};
use crate::text::TextRange;
use crate::types::{Scalar, Ty, TypeKind};

use super::Lowerer;
use super::literals::plain_number;
use super::qualifiers::{Qualifiers, word};

/// What stands between the parentheses.
#[derive(Default)]
struct Arguments {
    set: Option<smol_str::SmolStr>,
    id: Option<u32>,
    requirements: SpirvRequirements,
    /// Those without a name.
    operands: Vec<SpirvOperand>,
}

impl Arguments {
    /// The number, which has no name everywhere but in instructions and types.
    fn split_number(mut self) -> Option<(u32, Vec<SpirvOperand>, SpirvRequirements)> {
        if let Some(id) = self.id {
            return Some((id, self.operands, self.requirements));
        }
        if self.operands.is_empty() {
            return None;
        }
        let SpirvOperand::Literal(number, _) = self.operands.remove(0) else { return None };
        let number = u32::try_from(number.as_int()?).ok()?;
        Some((number, self.operands, self.requirements))
    }
}

impl<'a> Lowerer<'a> {
    pub(super) fn spirv_qualifier(&mut self, node: Node<'a>, range: TextRange, qualifiers: &mut Qualifiers) {
        let Some(name_node) = node.child_by_field_id(field::NAME) else { return };
        let name_range = self.range(name_node);
        self.check_extension_word(self.node_text(name_node), name_range);
        let name = name_node.kind_id();
        let arguments = self.spirv_arguments(node);
        let kind = match name {
            token::SPIRV_INSTRUCTION => {
                let Arguments { set, id, requirements, .. } = arguments;
                qualifiers.spirv_instruction = Some(SpirvInstruction { set, id, requirements });
                return;
            }
            token::SPIRV_STORAGE_CLASS => {
                qualifiers.set(word::OTHER, range);
                if let Some((number, _, requirements)) = arguments.split_number() {
                    qualifiers.layout.spirv_storage_class = Some(SpirvStorageClass { number, requirements });
                }
                return;
            }
            token::SPIRV_DECORATE | token::SPIRV_EXECUTION_MODE => SpirvOperandKind::Literals,
            token::SPIRV_DECORATE_ID | token::SPIRV_EXECUTION_MODE_ID => SpirvOperandKind::Ids,
            token::SPIRV_DECORATE_STRING => SpirvOperandKind::Strings,
            _ => return,
        };
        let first = arguments.operands.first().cloned();
        let Some((number, operands, requirements)) = arguments.split_number() else {
            let message = match first {
                Some(SpirvOperand::Literal(Const::Int(_), _)) => {
                    "expected the number of a decoration or execution mode first, but this one is negative"
                }
                _ => "expected the number of the decoration or execution mode first",
            };
            self.report(&codes::CONSTANT_REQUIRED, range, message.to_owned());
            return;
        };
        // The grammar of the extension has an INTCONSTANT here.
        if let Some(SpirvOperand::Literal(_, ty)) = first
            && self.types.as_scalar(ty) != Some(Scalar::Int32)
        {
            let message = "the number of a decoration or execution mode must be written without a suffix";
            self.report(&codes::CONSTANT_REQUIRED, range, message.to_owned());
        }
        let mark = SpirvMark { kind, number, operands, requirements };
        match name {
            token::SPIRV_EXECUTION_MODE | token::SPIRV_EXECUTION_MODE_ID => {
                self.module.execution_modes.push(mark);
            }
            _ => qualifiers.layout.spirv_decorations.push(mark),
        }
    }

    /// `spirv_type(...)`. The scalars of GLSL are themselves, whichever way they are written.
    pub(super) fn spirv_type(&mut self, node: Node<'a>) -> Ty {
        let name: smol_str::SmolStr =
            self.node_text(node).split_whitespace().collect::<Vec<_>>().join(" ").into();
        if let Some(keyword) = node.child(0) {
            let range = self.range(keyword);
            self.check_extension_word(self.node_text(keyword), range);
        }
        let arguments = self.spirv_arguments(node);
        if let Some(number) = arguments.id {
            let ty = SpirvType { number, operands: arguments.operands, requirements: arguments.requirements };
            if let Some(scalar) = scalar_of(&ty) {
                return self.types.scalar(scalar);
            }
            self.module.spirv_types.insert(name.clone(), ty);
        }
        self.types.intern(TypeKind::NotAnalysed(name))
    }

    fn spirv_arguments(&mut self, node: Node<'a>) -> Arguments {
        let mut arguments = Arguments::default();
        let mut cursor = self.cursor(node);
        if cursor.goto_first_child() {
            loop {
                if cursor.node().kind_id() == kind::SPIRV_ARGUMENT {
                    self.spirv_argument(cursor.node(), &mut arguments);
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.release(cursor);
        arguments
    }

    fn spirv_argument(&mut self, node: Node<'a>, arguments: &mut Arguments) {
        let Some(value) = node.child_by_field_id(field::VALUE) else { return };
        let name = node.child_by_field_id(field::NAME).map(|name| self.node_text(name));
        let text = self.node_text(value);
        match name {
            Some("id") => arguments.id = plain_number(text).and_then(|id| u32::try_from(id).ok()),
            Some("set") => arguments.set = Some(text.trim_matches('"').into()),
            Some(list @ ("extensions" | "capabilities")) => {
                let mut cursor = self.cursor(value);
                let mut named = false;
                if cursor.goto_first_child() {
                    loop {
                        let text = self.node_text(cursor.node());
                        let requirements = &mut arguments.requirements;
                        named |= cursor.node().is_named();
                        match cursor.node().kind_id() {
                            kind::STRING_LITERAL if list == "extensions" => {
                                requirements.extensions.push(text.trim_matches('"').into());
                            }
                            kind::INT_LITERAL if list == "capabilities" => {
                                let number = plain_number(text).and_then(|id| u32::try_from(id).ok());
                                requirements.capabilities.extend(number);
                            }
                            _ if cursor.node().is_named() && !cursor.node().is_extra() => {
                                let range = self.range(cursor.node());
                                let message = "`extensions` takes strings, and `capabilities` takes integers";
                                self.report(&codes::CONSTANT_REQUIRED, range, message.to_owned());
                            }
                            _ => {}
                        }
                        if !cursor.goto_next_sibling() {
                            break;
                        }
                    }
                }
                self.release(cursor);
                if !named && !value.has_error() {
                    let range = self.range(value);
                    let message = format!("the list `{list}` is empty: give it an entry, or leave it out");
                    self.report(&codes::SYNTAX_ERROR, range, message);
                }
            }
            Some(other) => {
                let range = self.range(node);
                let message = format!(
                    "expected `id`, `set`, `extensions` or `capabilities` before `=`, found `{other}`"
                );
                self.report(&codes::SYNTAX_ERROR, range, message);
            }
            None => arguments.operands.extend(self.spirv_operand(value)),
        }
    }

    fn spirv_operand(&mut self, node: Node<'a>) -> Option<SpirvOperand> {
        match node.kind_id() {
            kind::STRING_LITERAL => {
                return Some(SpirvOperand::Text(self.node_text(node).trim_matches('"').into()));
            }
            // It reads as a call. The extension: a type "has no associated identifier, so can't be referenced by other instances".
            kind::CALL_EXPRESSION | kind::SPIRV_TYPE if self.node_text(node).starts_with("spirv_type") => {
                let range = self.range(node);
                self.report(
                    &codes::CONSTANT_REQUIRED,
                    range,
                    "a `spirv_type` cannot be nested in another: its parameters are constants".to_owned(),
                );
                return None;
            }
            kind::PRIMITIVE_TYPE | kind::GENERIC_TYPE => {
                return Some(SpirvOperand::Type(self.type_specifier(node)));
            }
            kind::IDENTIFIER => {
                let name = self.node_text(node);
                if self.is_type_name(name) {
                    return Some(SpirvOperand::Type(self.type_specifier(node)));
                }
                if let Some(definition @ Definition::Global(global)) = self.lookup(name) {
                    let declared = &self.module.globals[global];
                    let (constant, ty) = (declared.constant.clone(), declared.ty);
                    let range = self.range(node);
                    self.record_name(range, definition);
                    return Some(match constant {
                        Some(constant @ (Const::Bool(_) | Const::Int(_) | Const::Float(_))) => {
                            SpirvOperand::Constant(constant, ty)
                        }
                        _ => SpirvOperand::Global(global),
                    });
                }
            }
            _ => {}
        }
        let value = self.expression(node);
        let (constant, ty) = (self.constant_value(value)?.clone(), self.type_of(value));
        Some(match self.body.exprs[value].kind {
            ExprKind::Literal => SpirvOperand::Literal(constant, ty),
            _ => SpirvOperand::Constant(constant, ty),
        })
    }
}

/// `OpTypeBool`, `OpTypeInt` and `OpTypeFloat` of widths and encodings that GLSL has.
fn scalar_of(ty: &SpirvType) -> Option<Scalar> {
    let number = |index: usize| match ty.operands.get(index) {
        Some(SpirvOperand::Literal(value, _) | SpirvOperand::Constant(value, _)) => value.as_int(),
        _ => None,
    };
    Some(match (ty.number, ty.operands.len(), number(0), number(1)) {
        (20, 0, ..) => Scalar::Bool,
        (21, 2, Some(8), Some(0)) => Scalar::Uint8,
        (21, 2, Some(16), Some(0)) => Scalar::Uint16,
        (21, 2, Some(32), Some(0)) => Scalar::Uint32,
        (21, 2, Some(64), Some(0)) => Scalar::Uint64,
        (21, 2, Some(8), Some(1)) => Scalar::Int8,
        (21, 2, Some(16), Some(1)) => Scalar::Int16,
        (21, 2, Some(32), Some(1)) => Scalar::Int32,
        (21, 2, Some(64), Some(1)) => Scalar::Int64,
        (22, 1, Some(16), _) => Scalar::Float16,
        (22, 1, Some(32), _) => Scalar::Float32,
        (22, 1, Some(64), _) => Scalar::Float64,
        // Encodings: SPV_KHR_bfloat16, SPV_EXT_float8.
        (22, 2, Some(16), Some(0)) => Scalar::BFloat16,
        (22, 2, Some(8), Some(4214)) => Scalar::FloatE4M3,
        (22, 2, Some(8), Some(4215)) => Scalar::FloatE5M2,
        _ => return None,
    })
}
