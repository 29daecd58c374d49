//! What is compared of stages other than compute, beside the rest: the interface variables with everything that is said of them, and what is
//! written to them.

use coopmat_spirv::dr::{Instruction, Operand};
use coopmat_spirv::spirv::{Decoration, ExecutionModel, Op, StorageClass, Word};

use super::contents::Contents;
use super::types;

/// Whether an entry point is of such a stage.
pub fn is_of_other_stage(entry: &Instruction) -> bool {
    entry.operands.first() != Some(&Operand::ExecutionModel(ExecutionModel::GLCompute))
}

/// Whether stores to a class leave the invocation.
pub fn is_output(class: StorageClass) -> bool {
    matches!(
        class,
        StorageClass::Output
            | StorageClass::TaskPayloadWorkgroupEXT
            | StorageClass::RayPayloadKHR
            | StorageClass::IncomingRayPayloadKHR
            | StorageClass::CallableDataKHR
            | StorageClass::IncomingCallableDataKHR
            | StorageClass::HitAttributeKHR
    )
}

/// The name of an interface variable: its built-in or its location; the class for blocks of the language.
pub fn variable(contents: &Contents, id: Word, class: StorageClass) -> Option<String> {
    let of = |decoration| contents.decoration(id, decoration);
    let found = contents.decorations(id).iter().find_map(|decoration| match decoration {
        [Operand::Decoration(Decoration::BuiltIn), Operand::BuiltIn(builtin)] => Some(format!("{builtin:?}")),
        _ => None,
    });
    let location = || {
        let location = of(Decoration::Location)?;
        let part =
            |name: &str, decoration| of(decoration).map_or(String::new(), |value| format!(" {name} {value}"));
        let (component, index) = (part("component", Decoration::Component), part("index", Decoration::Index));
        Some(format!("location {location}{component}{index}"))
    };
    found.or_else(location).map(|name| format!("{class:?} {name}"))
}

/// The inputs and outputs of an entry point: name, type, and all decorations.
pub fn interface(contents: &Contents, entry: &Instruction) -> Vec<(String, Vec<(&'static str, String)>)> {
    let mut found = Vec::new();
    for id in entry.operands.iter().skip(3).filter_map(Operand::id_ref_any) {
        let Some((class, pointee)) = contents.type_of(id).and_then(|ty| contents.pointer(ty)) else {
            continue;
        };
        if !matches!(class, StorageClass::Input | StorageClass::Output) {
            continue;
        }
        let name = variable(contents, id, class).unwrap_or_else(|| format!("{class:?} block"));
        let mut decorations: Vec<String> = texts(contents.decorations(id));
        let mut block = pointee;
        while let (Some(Op::TypeArray), Some(element)) =
            (contents.opcode(block), types::element(contents, block, None))
        {
            block = element;
        }
        if contents.opcode(block) == Some(Op::TypeStruct) {
            decorations.extend(texts(contents.decorations(block)));
            let members = contents.definition(block).map_or(0, |structure| structure.operands.len());
            for member in 0..members as u32 {
                let of_member = texts(contents.member_decorations(block, member));
                decorations.extend(of_member.into_iter().map(|text| format!("{member}:{text}")));
            }
        }
        decorations.sort();
        decorations.dedup();
        let fields = vec![
            ("variable", name),
            ("type", types::key(contents, pointee)),
            ("decorations", decorations.join(", ")),
        ];
        found.push((format!("interface of {class:?}"), fields));
    }
    found
}

/// What decorations say; precision is compared nowhere.
fn texts(decorations: &[&[Operand]]) -> Vec<String> {
    let is_precision = |decoration: &&&[Operand]| {
        decoration.first() == Some(&Operand::Decoration(Decoration::RelaxedPrecision))
    };
    let text = |decoration: &&[Operand]| {
        let words: Vec<String> = decoration.iter().map(ToString::to_string).collect();
        words.join(" ")
    };
    decorations.iter().filter(|decoration| !is_precision(decoration)).map(text).collect()
}
