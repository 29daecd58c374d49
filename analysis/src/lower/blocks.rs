//! Interface blocks, memory blocks and buffer references.

use tree_sitter::Node;
use tree_sitter_glsl_coopmat::field;

use crate::diagnostics::codes;
use crate::extensions::{Change, ExtensionId, ids};
use crate::hir::{
    Definition, Global, Item, Layout, MemoryQualifiers, Packing, Place, Storage, Struct, StructId, StructKind,
};
use crate::text::TextRange;
use crate::types::{Ty, TypeKind};

use super::Lowerer;
use super::layout_names;
use super::qualifiers::{Qualifiers, word};
use super::state::BlockDefault;
use super::structs::Inherited;

impl<'a> Lowerer<'a> {
    pub(super) fn block_default(&mut self, qualifiers: &Qualifiers) {
        let default = match qualifiers.storage() {
            Storage::Uniform => &mut self.block_defaults.uniform,
            Storage::Buffer => &mut self.block_defaults.buffer,
            _ => return,
        };
        default.packing = qualifiers.layout.packing.or(default.packing);
        default.row_major = qualifiers.layout.row_major.or(default.row_major);
    }

    /// The layout of a block with what it leaves unsaid: Vulkan takes std140 for uniform blocks and std430 for all other memory
    /// (GL_KHR_vulkan_glsl).
    pub(super) fn block_layout(&self, qualifiers: &Qualifiers, storage: Storage) -> Layout {
        let mut layout = qualifiers.layout.clone();
        let (default, packing) = match storage {
            Storage::Uniform => (self.block_defaults.uniform, Packing::Std140),
            Storage::Buffer => (self.block_defaults.buffer, Packing::Std430),
            Storage::PushConstant | Storage::Shared => (BlockDefault::default(), Packing::Std430),
            // GL_EXT_structured_descriptor_heap: "always as if `scalar` layout were used".
            Storage::ResourceHeap | Storage::SamplerHeap => {
                layout.packing = Some(Packing::Scalar);
                return layout;
            }
            _ => return layout,
        };
        // `shared` and `packed` are not in Vulkan, which lays such blocks out as std140 and std430.
        let written = layout.packing.or(default.packing);
        layout.packing = match written {
            Some(Packing::Shared | Packing::Packed) | None => Some(packing),
            known => known,
        };
        layout.row_major = layout.row_major.or(default.row_major);
        layout
    }

    pub(super) fn interface_block(&mut self, node: Node<'a>) {
        let mut qualifiers = Qualifiers::default();
        let mut cursor = self.cursor(node);
        if cursor.goto_first_child() {
            loop {
                if cursor.field_id().is_none() {
                    self.qualifier(cursor.node(), &mut qualifiers);
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.release(cursor);
        let Some(name_node) = node.child_by_field_id(field::NAME) else { return };
        let name = self.node_text(name_node);
        let name_range = self.range(name_node);
        let range = self.range(node);
        let body = node.child_by_field_id(field::BODY);
        let instance = node.child_by_field_id(field::INSTANCE);
        let storage = qualifiers.storage();
        self.check_block_qualifiers(&qualifiers, storage);
        let layout = self.block_layout(&qualifiers, storage);
        let inherited = Inherited {
            row_major: layout.row_major.unwrap_or(false),
            memory: qualifiers.memory,
            block: true,
            resource: matches!(storage, Storage::Uniform | Storage::Buffer | Storage::PushConstant),
            heap: storage.is_heap(),
        };
        if self.function.is_some() {
            self.report(
                &codes::MISPLACED_STATEMENT,
                name_range,
                format!("the block `{name}` must be declared outside of functions"),
            );
        }

        if layout.buffer_reference {
            self.check_reference_storage(name, name_range, &qualifiers);
            let structure = self.reference(name, name_range, layout.clone(), &qualifiers);
            // GL_EXT_buffer_reference, 4.3.9: "qualifiers like coherent and volatile don't apply to the reference type".
            let memory = MemoryQualifiers { readonly: false, ..inherited.memory };
            let members =
                body.map_or_else(Vec::new, |body| self.members(body, Inherited { memory, ..inherited }));
            self.check_block_members(&members, Storage::Buffer);
            let memory = qualifiers.memory;
            let (packing, row_major) = (layout.packing, inherited.row_major);
            let declared = &mut self.module.structs[structure];
            let again = matches!(declared.kind, StructKind::Reference { defined: true, .. });
            declared.members = members;
            declared.name_range = name_range;
            declared.range = range;
            declared.kind = StructKind::Reference { layout, memory, defined: true };
            self.record_name(name_range, Definition::Struct(structure));
            self.check_offsets(structure, packing.unwrap_or(Packing::Std430), row_major);
            if again {
                self.report(
                    &codes::REDEFINITION,
                    name_range,
                    format!("the buffer reference `{name}` is already defined"),
                );
            }
            // With an instance it is a block in a buffer, too.
            if instance.is_some() {
                let members = self.module.structs[structure].members.clone();
                let block = self.module.structs.alloc(Struct {
                    name: name.into(),
                    name_range,
                    range,
                    members,
                    kind: StructKind::Block {
                        storage,
                        layout: self.block_layout(&qualifiers, storage),
                        memory,
                    },
                    owner: self.function,
                });
                let layout = self.block_layout(&qualifiers, storage);
                self.block_variable(range, name_range, block, instance, layout, &qualifiers);
            }
            return;
        }

        self.check_block_storage(name, name_range, storage, &qualifiers);
        let members = body.map_or_else(Vec::new, |body| self.members(body, inherited));
        self.check_block_members(&members, storage);
        if storage.is_heap() {
            self.check_heap_members(&members, storage);
        }
        let structure = self.module.structs.alloc(Struct {
            name: name.into(),
            name_range,
            range,
            members,
            kind: StructKind::Block { storage, layout: layout.clone(), memory: qualifiers.memory },
            owner: self.function,
        });
        self.record_name(name_range, Definition::Struct(structure));
        if layout.buffer_type {
            let instance = instance.map(|instance| self.range(instance));
            self.check_buffer_type(name, name_range, &qualifiers, instance);
            self.declare(name, name_range, Definition::Struct(structure));
        } else {
            self.declare_block_name(name, name_range, storage, structure);
        }
        self.note_contents(structure);
        self.module.items.push(Item::Struct(structure));
        if let Some(packing) = layout.packing {
            self.check_offsets(structure, packing, inherited.row_major);
        }
        if !layout.buffer_type {
            self.block_variable(range, name_range, structure, instance, layout, &qualifiers);
        }
    }

    /// The variable of a block, with or without a name.
    fn block_variable(
        &mut self,
        range: TextRange,
        block_range: TextRange,
        structure: StructId,
        instance: Option<Node<'a>>,
        layout: Layout,
        qualifiers: &Qualifiers,
    ) {
        let mut ty = self.types.intern(TypeKind::Struct(structure));
        let mut name = "";
        let mut name_range = block_range;
        if let Some(instance) = instance {
            ty = self.declarator_type(ty, instance);
            if let Some(node) = instance.child_by_field_id(field::NAME) {
                name = self.node_text(node);
                name_range = self.range(node);
            }
            if let Some(value) = instance.child_by_field_id(field::VALUE) {
                let range = self.range(value);
                self.report(
                    &codes::QUALIFIER_MISUSE,
                    range,
                    format!("the block `{name}` cannot have an initializer"),
                );
            }
        }
        self.check_heap(qualifiers, ty, name);
        if qualifiers.storage().is_heap() && matches!(self.types.kind(ty), TypeKind::Array(..)) {
            // GL_EXT_structured_descriptor_heap, 4.3.10: "Arrays of blocks are not allowed."
            let message = format!("`{name}` cannot be an array: a block in a heap is a single one");
            self.report(&codes::QUALIFIER_MISUSE, name_range, message);
        }
        self.check_binding(qualifiers, qualifiers.storage(), block_range);
        let global = self.module.globals.alloc(Global {
            name: name.into(),
            name_range,
            range,
            ty,
            storage: qualifiers.storage(),
            layout,
            memory: qualifiers.memory,
            precision: None,
            initializer: None,
            constant: None,
            constant_id: None,
            default: None,
        });
        self.module.items.push(Item::Global(global));
        if !qualifiers.bank_is_wrong {
            self.check_push_constant(global, block_range);
        }
        if name.is_empty() {
            self.declare_block_members(structure, global);
        } else {
            self.declare(name, name_range, Definition::Global(global));
        }
    }

    /// Reports what a descriptor holds and that says no binding. `range` is that of its name.
    pub(super) fn check_binding(&mut self, qualifiers: &Qualifiers, storage: Storage, range: TextRange) {
        let layout = &qualifiers.layout;
        let elsewhere = |name: &str| {
            layout_names::layout_name(name).is_some_and(|known| !known.providers.is_empty() || !known.compute)
        };
        if layout.binding.is_some()
            || layout.buffer_reference
            || layout.descriptor_heap
            || qualifiers.unknown
            || qualifiers.binding_is_wrong
            || !matches!(storage, Storage::Uniform | Storage::Buffer)
            // Records of shaders, attachments.
            || layout.other.iter().any(|(name, _)| elsewhere(name))
            || self.environment.may_change(Change::Descriptors)
        {
            return;
        }
        let name = self.text_at(range).unwrap_or_default();
        self.report(
            &codes::MISSING_BINDING,
            range,
            format!("`{name}` needs a `binding`: write `layout(binding = 0)` with the number that the application uses"),
        );
    }

    /// Without an instance name the members are in scope by themselves.
    fn declare_block_members(&mut self, structure: StructId, global: crate::hir::GlobalId) {
        let names: Vec<TextRange> =
            self.module.structs[structure].members.iter().map(|member| member.name_range).collect();
        for (index, range) in names.into_iter().enumerate() {
            let Some(name) = self.text_at(range) else { continue };
            let members = &self.module.structs[structure].members;
            if members.iter().take(index.min(512)).any(|member| member.name == name) {
                // Reported as a member already.
                continue;
            }
            let definition = Definition::BlockMember(global, index as u32);
            self.declare(name, range, definition);
        }
    }

    /// `layout(buffer_reference) buffer NAME;`, or the name of its definition.
    pub(super) fn reference(
        &mut self,
        name: &'a str,
        name_range: TextRange,
        layout: Layout,
        qualifiers: &Qualifiers,
    ) -> StructId {
        if let Some(&Definition::Struct(structure)) = self.scopes.find_here(name)
            && matches!(self.module.structs[structure].kind, StructKind::Reference { .. })
        {
            return structure;
        }
        self.check_reference_extension(name_range, qualifiers);
        let structure = self.module.structs.alloc(Struct {
            name: name.into(),
            name_range,
            range: name_range,
            members: Vec::new(),
            kind: StructKind::Reference { layout, memory: qualifiers.memory, defined: false },
            owner: self.function,
        });
        self.module.items.push(Item::Struct(structure));
        self.declare(name, name_range, Definition::Struct(structure));
        structure
    }

    pub(super) fn check_reference_extension(&mut self, range: TextRange, qualifiers: &Qualifiers) {
        if let Some(extension) = self.missing_extension_of(&[
            ids::GL_EXT_BUFFER_REFERENCE,
            ids::GL_EXT_BUFFER_REFERENCE2,
            ids::GL_EXT_BUFFER_REFERENCE_UVEC2,
        ]) {
            let range = qualifiers.layout_range.unwrap_or(range);
            self.report(
                &codes::MISSING_EXTENSION,
                range,
                format!(
                    "`buffer_reference` is provided by {extension}: add `#extension {extension} : require`"
                ),
            );
        }
    }

    /// The name of the first of some extensions, when none of them is enabled.
    pub(super) fn missing_extension_of(&self, any: &[ExtensionId]) -> Option<&'static str> {
        let first = any.first()?;
        (!any.iter().any(|&extension| self.environment.enabled(extension))).then_some(first.name())
    }

    /// GL_EXT_buffer_reference, 4.4: the table has `buffer_reference` for `buffer` alone.
    pub(super) fn check_reference_storage(
        &mut self,
        name: &str,
        name_range: TextRange,
        qualifiers: &Qualifiers,
    ) {
        if !qualifiers.has(word::BUFFER) && !qualifiers.unknown {
            self.report(
                &codes::QUALIFIER_MISUSE,
                name_range,
                format!("the buffer reference `{name}` needs the storage qualifier `buffer`"),
            );
        }
    }

    fn check_block_storage(
        &mut self,
        name: &str,
        name_range: TextRange,
        storage: Storage,
        qualifiers: &Qualifiers,
    ) {
        match storage {
            Storage::Private | Storage::Const if !qualifiers.unknown => self.report(
                &codes::QUALIFIER_MISUSE,
                name_range,
                format!("the block `{name}` needs a storage qualifier: `uniform`, `buffer`, `shared`, `in` or `out`"),
            ),
            // GL_KHR_vulkan_glsl, 4.4: `push_constant` is of `uniform` blocks.
            Storage::PushConstant if !qualifiers.has(word::UNIFORM) && !qualifiers.unknown => self.report(
                &codes::QUALIFIER_MISUSE,
                name_range,
                format!("the block `{name}` needs a storage qualifier: push constants are `uniform`"),
            ),
            Storage::Shared => {
                if let Some(extension) = self.missing_extension_of(&[ids::GL_EXT_SHARED_MEMORY_BLOCK]) {
                    self.report(
                        &codes::MISSING_EXTENSION,
                        name_range,
                        format!(
                            "a `shared` block is provided by {extension}: add `#extension {extension} : require`"
                        ),
                    );
                }
            }
            Storage::In | Storage::Out if self.environment.stage == Some(crate::config::Stage::Compute) => {
                self.report(
                    &codes::QUALIFIER_MISUSE,
                    name_range,
                    "compute shaders cannot declare inputs or outputs".to_owned(),
                );
            }
            _ => {}
        }
    }

    pub(super) fn check_block_members(&mut self, members: &[crate::hir::Member], storage: Storage) {
        for member in members {
            self.check_storage(member.ty, storage, member.name_range, &member.name, true);
        }
    }

    /// GLSL 4.60, section 4.3.9: "It is a compile-time error to use the same block name for more than one block declaration in the same shader
    /// interface".
    fn declare_block_name(&mut self, name: &'a str, range: TextRange, storage: Storage, structure: StructId) {
        let known = self.block_names.get(name).map_or(&[][..], Vec::as_slice);
        if let Some(&(_, first)) = known.iter().find(|(known, _)| *known == storage) {
            self.report_with(
                &codes::REDEFINITION,
                range,
                format!("there is already a block called `{name}` with this storage qualifier"),
                vec![(Place::Definition(Definition::Struct(first)), "the first block".to_owned())],
            );
            return;
        }
        if known.is_empty() {
            self.check_block_name(name, range);
        }
        self.block_names.entry(name).or_default().push((storage, structure));
    }

    /// The same: "it is a compile-time error to use a block name at global scope for anything other than as a block name".
    fn check_block_name(&mut self, name: &str, range: TextRange) {
        if self.environment.may_change(Change::Descriptors) || self.scopes.depth() > 0 {
            return;
        }
        let (known, what) = match self.scopes.find(name) {
            Some(known @ Definition::Struct(_)) => (known.clone(), "a type"),
            Some(known) => (known.clone(), "a variable"),
            None => match self.scopes.functions(name).first() {
                Some(&function) => (Definition::Function(function), "a function"),
                None => return,
            },
        };
        self.report_with(
            &codes::REDEFINITION,
            range,
            format!("`{name}` is already declared, as {what}: a block needs a name of its own"),
            vec![(Place::Definition(known), "the first declaration".to_owned())],
        );
    }

    /// Whether what is declared outside of functions has the name of a block, and reports it.
    pub(super) fn is_name_of_block(&mut self, name: &str, range: TextRange) -> bool {
        if self.scopes.depth() > 0 || self.environment.may_change(Change::Descriptors) {
            return false;
        }
        let Some(&(_, first)) = self.block_names.get(name).and_then(|known| known.first()) else {
            return false;
        };
        self.report_with(
            &codes::REDEFINITION,
            range,
            format!("`{name}` is the name of a block, and nothing else outside of functions can have the same name"),
            vec![(Place::Definition(Definition::Struct(first)), "the block".to_owned())],
        );
        true
    }

    /// Whether it is an image, sampler or the like, or an array of such.
    pub(super) fn is_opaque(&self, mut ty: Ty) -> bool {
        loop {
            match self.types.kind(ty) {
                TypeKind::Array(element, _) => ty = *element,
                TypeKind::Opaque(_) => return true,
                _ => return false,
            }
        }
    }
}
