//! Structures and the members that they share with interface blocks.

use tree_sitter::Node;
use tree_sitter_glsl_coopmat::{field, kind};

use crate::diagnostics::codes;
use crate::extensions::{self, Change, ids};
use crate::hir::{Coherence, Definition, Item, Layout, Member, MemoryQualifiers, Place, Struct, StructKind};
use crate::text::TextRange;
use crate::types::{ArrayLength, OpaqueClass, Ty, TypeKind};

use super::Lowerer;
use super::qualifiers::{Qualifiers, word};

/// What the members of a block inherit from it.
#[derive(Clone, Copy, Default)]
pub(super) struct Inherited {
    pub row_major: bool,
    pub memory: MemoryQualifiers,
    /// Whether they are the members of an interface block.
    pub block: bool,
    /// Whether the application provides the block: inputs and outputs of a stage are interpolated.
    pub resource: bool,
    /// Whether the block lies in a descriptor heap.
    pub heap: bool,
}

impl<'a> Lowerer<'a> {
    /// Declares a structure and gives its type.
    pub(super) fn struct_specifier(&mut self, node: Node<'a>) -> Ty {
        let range = self.range(node);
        let name_node = node.child_by_field_id(field::NAME);
        let name = name_node.map_or("", |name| self.node_text(name));
        let name_range = name_node.map_or(TextRange::empty(range.start()), |name| self.range(name));
        let members = match node.child_by_field_id(field::BODY) {
            Some(body) => self.members(body, Inherited::default()),
            None => Vec::new(),
        };
        let structure = self.module.structs.alloc(Struct {
            name: name.into(),
            name_range,
            range,
            members,
            kind: StructKind::Plain,
            owner: self.function,
        });
        self.note_contents(structure);
        if self.function.is_some() {
            self.body.declares_structs = true;
        } else {
            self.module.items.push(Item::Struct(structure));
        }
        if name_node.is_some() {
            self.declare(name, name_range, Definition::Struct(structure));
        }
        self.types.intern(TypeKind::Struct(structure))
    }

    pub(super) fn members(&mut self, list: Node<'a>, inherited: Inherited) -> Vec<Member> {
        let mut members: Vec<Member> = Vec::new();
        let mut cursor = self.cursor(list);
        if cursor.goto_first_child() {
            loop {
                match cursor.node().kind_id() {
                    kind::MEMBER_DECLARATION => {
                        self.member_declaration(cursor.node(), inherited, &mut members);
                    }
                    kind::MEMBER_BLOCK => self.member_block(cursor.node(), inherited, &mut members),
                    kind::FUNCTION_DEFINITION => {
                        let name = cursor.node().child_by_field_id(field::NAME).unwrap_or(cursor.node());
                        let range = self.range(name);
                        self.report(
                            &codes::SYNTAX_ERROR,
                            range,
                            "a function inside a structure; is a `}` missing before it?".to_owned(),
                        );
                    }
                    _ => {}
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.release(cursor);
        if members.is_empty() && !list.has_error() && list.named_child_count() == 0 {
            let range = self.range(list);
            self.report(
                &codes::STRUCT_MEMBER,
                range,
                "a structure or block needs at least one member".to_owned(),
            );
        }
        members
    }

    fn member_declaration(&mut self, node: Node<'a>, inherited: Inherited, members: &mut Vec<Member>) {
        let mut qualifiers = Qualifiers::default();
        let mut base = Ty::ERROR;
        let mut type_range = self.range(node);
        let mut cursor = self.cursor(node);
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                match cursor.field_id().map(|id| id.get()) {
                    Some(field::TYPE) => {
                        type_range = self.range(child);
                        base = self.type_specifier(child);
                        self.check_member_qualifiers(&qualifiers, base, inherited);
                        self.check_precision(&qualifiers, base);
                    }
                    Some(field::DECLARATOR) => {
                        self.declare_member(child, base, type_range, &qualifiers, inherited, members);
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
    }

    fn check_member_qualifiers(&mut self, qualifiers: &Qualifiers, base: Ty, inherited: Inherited) {
        if inherited.heap {
            return self.check_heap_member_qualifiers(qualifiers, base);
        }
        self.check_structured_heap_words(qualifiers, true);
        if inherited.resource {
            self.check_block_member_qualifiers(qualifiers);
        }
        // Members of blocks may repeat the storage of their block; what ray tracing and mesh stages bring is not looked into.
        if inherited.block {
            return;
        }
        if !qualifiers.has(word::STORAGE & !word::OTHER) {
            self.check_struct_member_qualifiers(qualifiers);
            return;
        }
        if let Some(range) = qualifiers.storage_range {
            let text = self.text_at(range).unwrap_or_default();
            self.report(
                &codes::QUALIFIER_MISUSE,
                range,
                format!("a member cannot be `{text}`: the storage qualifier belongs to the whole variable or block"),
            );
        }
    }

    pub(super) fn declare_member(
        &mut self,
        declarator: Node<'a>,
        base: Ty,
        type_range: TextRange,
        qualifiers: &Qualifiers,
        inherited: Inherited,
        members: &mut Vec<Member>,
    ) {
        let Some(name_node) = declarator.child_by_field_id(field::NAME) else { return };
        let name = self.node_text(name_node);
        let name_range = self.range(name_node);
        let mut ty = self.declarator_type(base, declarator);
        if ty == Ty::VOID {
            self.report(&codes::VOID_TYPE, type_range, format!("the member `{name}` cannot be `void`"));
            ty = Ty::ERROR;
        }
        // GL_EXT_ray_query, 4.1.7.x and 4.1.7.y. Descriptor heaps have acceleration structures in them, and structures may be parts of heaps.
        let handle = |of: &TypeKind| matches!(of, TypeKind::Opaque(opaque) if opaque.class.is_state() || opaque.class == OpaqueClass::AccelerationStructure);
        let may_be_in_heap = inherited.heap
            || (!inherited.block && self.environment.enabled(ids::GL_EXT_STRUCTURED_DESCRIPTOR_HEAP));
        let kind = self.types.kind(self.innermost(ty));
        let in_heap = may_be_in_heap
            && matches!(kind, TypeKind::Opaque(opaque) if opaque.class == OpaqueClass::AccelerationStructure);
        if handle(kind) && !in_heap && !self.environment.may_change(Change::Descriptors) {
            let found = self.display(ty);
            let message = format!("`{name}` cannot be a member: no structure or block holds a `{found}`");
            self.report(&codes::STRUCT_MEMBER, name_range, message);
        }
        if let Some(value) = declarator.child_by_field_id(field::VALUE) {
            let range = self.range(value);
            self.report(
                &codes::STRUCT_MEMBER,
                range,
                format!("the member `{name}` cannot have an initializer"),
            );
        }
        if !inherited.block && matches!(self.types.kind(ty), TypeKind::Array(_, ArrayLength::Unsized)) {
            self.report(
                &codes::ARRAY_SIZE,
                name_range,
                format!("the array `{name}` needs a size: only a block can end in an array without one"),
            );
            ty = Ty::ERROR;
        }
        if !extensions::is_reserved(name) {
            self.check_reserved(name, name_range);
        }
        // Few members: a search is faster than a table. Many: hostile, and only the first hundreds are compared.
        if members.iter().take(512).any(|member| member.name == name) {
            self.report(
                &codes::REDEFINITION,
                name_range,
                format!("there is already a member called `{name}`"),
            );
        }
        if !inherited.block {
            ty = self.check_open_dimensions(ty, name_range);
        }
        let mut memory = qualifiers.memory;
        memory.coherent |= inherited.memory.coherent;
        if memory.coherence == Coherence::Unstated {
            memory.coherence = inherited.memory.coherence;
        }
        memory.volatile |= inherited.memory.volatile;
        memory.restrict |= inherited.memory.restrict;
        memory.nontemporal |= inherited.memory.nontemporal;
        memory.readonly |= inherited.memory.readonly;
        memory.writeonly |= inherited.memory.writeonly;
        members.push(Member {
            name: name.into(),
            name_range,
            ty,
            type_range,
            layout: qualifiers.layout.clone(),
            memory,
            row_major: qualifiers.layout.row_major.unwrap_or(inherited.row_major),
            precision: qualifiers.precision,
        });
    }

    /// Binds a name in the current scope, and reports when the scope has it already.
    pub(super) fn declare(&mut self, name: &'a str, range: TextRange, definition: Definition) {
        self.record_name(range, definition.clone());
        if self.check_reserved(name, range) {
            return;
        }
        let known = match self.scopes.find_here(name) {
            Some(known) => Some(known.clone()),
            // At top level functions share the names of variables and types.
            None if self.scopes.depth() == 0 => {
                self.scopes.functions(name).first().map(|&function| Definition::Function(function))
            }
            None => None,
        };
        if known.is_none() && self.is_name_of_block(name, range) {
            return self.scopes.declare(name, definition);
        }
        if let Some(known) = known {
            let what = match known {
                Definition::Struct(_) => "a type",
                Definition::Function(_) => "a function",
                Definition::BlockMember(..) => "a member of a block without a name",
                _ => "a variable",
            };
            self.report_with(
                &codes::REDEFINITION,
                range,
                format!("`{name}` is already declared in this scope, as {what}"),
                vec![(Place::Definition(known.clone()), "the first declaration".to_owned())],
            );
            // Uses mostly mean the first declaration when the two are things of different kinds.
            let named = |definition: &Definition| match definition {
                Definition::Struct(_) => 1,
                Definition::Function(_) => 2,
                _ => 0,
            };
            if named(&known) != named(&definition) {
                return;
            }
        }
        self.scopes.declare(name, definition);
    }

    pub(super) fn too_deep(&mut self, range: TextRange) {
        self.report(
            &codes::NESTING_TOO_DEEP,
            range,
            format!("this is nested more than {} levels deep and is not analysed", super::MAX_NESTING),
        );
    }

    /// The type of a structure that the language declares, such as `gl_PerVertex`.
    pub fn builtin_struct(&mut self, name: &str) -> Option<Ty> {
        let builtin = crate::extensions::structure(name)?;
        if let Some(&structure) = self.builtin_structs.get(builtin.name) {
            return Some(self.types.intern(TypeKind::Struct(structure)));
        }
        let nowhere = TextRange::default();
        let members = builtin
            .members
            .iter()
            .map(|member| Member {
                name: member.name.into(),
                name_range: nowhere,
                ty: self.pattern_type(&member.pattern).unwrap_or(Ty::ERROR),
                type_range: nowhere,
                layout: Layout::default(),
                memory: MemoryQualifiers::default(),
                row_major: false,
                precision: None,
            })
            .collect();
        let structure = self.module.structs.alloc(Struct {
            name: builtin.name.into(),
            name_range: nowhere,
            range: nowhere,
            members,
            kind: StructKind::Plain,
            owner: None,
        });
        self.builtin_structs.insert(builtin.name, structure);
        // Its number depends on where it is needed first.
        self.body.declares_structs = true;
        Some(self.types.intern(TypeKind::Struct(structure)))
    }
}
