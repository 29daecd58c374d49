//! The qualifiers of the variable or member that an address is read from (GL_EXT_buffer_reference).

use super::{Body, Definition, ExprId, ExprKind, MemoryQualifiers, Module, StructId, StructKind};
use crate::types::{TypeKind, Types};

/// How the variable or member is qualified that an address is read from, and which it is. These qualifiers hold for what is accessed through the
/// address (GL_EXT_buffer_reference, 4.3.9: they "do apply to the instance variable"); those of the block around a member are about the address itself.
pub fn reference_qualifiers(
    module: &Module,
    types: &Types,
    body: &Body,
    mut reference: ExprId,
) -> Option<(MemoryQualifiers, Definition)> {
    loop {
        reference = match body.exprs[reference].kind {
            ExprKind::Index { base, .. } => base,
            ExprKind::Local(local) => return Some((body.locals[local].memory, Definition::Local(local))),
            ExprKind::Global(global) => {
                return Some((module.globals[global].memory, Definition::Global(global)));
            }
            ExprKind::BlockMember(global, member) => {
                return match *types.kind(module.globals[global].ty) {
                    TypeKind::Struct(structure) => {
                        let own = qualifiers_of_member(module, structure, member)?;
                        Some((own, Definition::BlockMember(global, member)))
                    }
                    _ => None,
                };
            }
            ExprKind::Member { structure, member, .. } => {
                let own = qualifiers_of_member(module, structure, member)?;
                return Some((own, Definition::Member(structure, member)));
            }
            _ => return None,
        };
    }
}

/// Those that stand at the member, without those of the block, which it inherits.
fn qualifiers_of_member(module: &Module, structure: StructId, member: u32) -> Option<MemoryQualifiers> {
    let declared = &module.structs[structure];
    let member = declared.members.get(member as usize)?;
    let around = match &declared.kind {
        StructKind::Block { memory, .. } | StructKind::Reference { memory, .. } => *memory,
        StructKind::Plain => MemoryQualifiers::default(),
    };
    Some(MemoryQualifiers {
        coherent: member.memory.coherent && !around.coherent,
        volatile: member.memory.volatile && !around.volatile,
        readonly: member.memory.readonly && !around.readonly,
        writeonly: member.memory.writeonly && !around.writeonly,
        nontemporal: member.memory.nontemporal && !around.nontemporal,
        ..member.memory
    })
}
