//! Hover over names of the program: variables, constants, members, structures, functions, and built-in variables and types.

use std::fmt::Write as _;

use super::shape;
use crate::showing::{code, configured_value, show, show_const, value_suffix};
use crate::{Cursor, signatures};
use coopmat_analysis::Analysis;
use coopmat_analysis::extensions::{self, ExtensionId};
use coopmat_analysis::hir::{
    Const, Definition, Direction, Function, Global, Layout, Local, MemoryQualifiers, Method, Packing,
    Storage, StructId, StructKind,
};
use coopmat_analysis::layout::LayoutContext;
use coopmat_analysis::types::{Ty, TypeKind};

pub fn describe(cursor: &Cursor<'_>, definition: &Definition) -> Option<String> {
    let analysis = cursor.analysis;
    let module = &analysis.module;
    Some(match definition {
        Definition::Local(id) => {
            let local = &cursor.body.locals[*id];
            with_shape(analysis, code(&local_line(analysis, local)), local.ty)
        }
        Definition::Global(id) => global(analysis, &module.globals[*id]),
        Definition::BlockMember(id, index) => match *module.types.kind(module.globals[*id].ty) {
            TypeKind::Struct(structure) => member(analysis, structure, *index)?,
            _ => return None,
        },
        Definition::Member(structure, index) => member(analysis, *structure, *index)?,
        Definition::Struct(id) => structure(analysis, *id),
        Definition::Function(id) => code(&function_line(analysis, &module.functions[*id])),
        Definition::BuiltinVariable(id) => {
            let variable = extensions::variable_by_id(*id);
            format!(
                "{}\n\n{}\n\n{}",
                code(&signatures::builtin_variable(variable)),
                variable.doc,
                source_line(variable.providers, &format!("`{}`", variable.decoration), variable.section)
            )
        }
        Definition::BuiltinConstant(id) => {
            let constant = extensions::constant_by_id(*id);
            format!(
                "{}\n\n{}\n\n{}",
                code(&format!("const {} {} = {}", constant.scalar.name(), constant.name, constant.value)),
                constant.doc,
                source_line(constant.providers, "", constant.section)
            )
        }
        Definition::Type(ty) => ty_hover(analysis, *ty),
        Definition::Swizzle => return None,
        Definition::Method(Method::Length) => format!(
            "{}\n\nThe number of elements: of an array, a vector or a matrix's columns. Of a cooperative matrix: how many \
             elements the invocation holds, which the implementation decides.",
            code("int length()")
        ),
        Definition::BuiltinFunction(_) => return None,
    })
}

/// `*Extension:* … · *SPIR-V:* … · *Source:* …`
pub fn source_line(providers: &[ExtensionId], instruction: &str, section: &str) -> String {
    let mut parts = Vec::new();
    let names: Vec<String> = providers
        .iter()
        .map(|&id| {
            let extension = extensions::extension_by_id(id);
            if extension.url.is_empty() {
                extension.name.to_owned()
            } else {
                format!("[{}]({})", extension.name, extension.url)
            }
        })
        .collect();
    if !names.is_empty() {
        parts.push(format!("Extension: {}", names.join(" or ")));
    }
    if !instruction.is_empty() && instruction != "``" {
        parts.push(format!("SPIR-V: {instruction}"));
    }
    if !section.is_empty() {
        parts.push(format!("Source: {section}"));
    }
    parts.join(" · ")
}

fn with_shape(analysis: &Analysis, mut text: String, ty: Ty) -> String {
    if let Some(shape) = shape(analysis, ty) {
        text.push_str(&shape);
    }
    text
}

fn local_line(analysis: &Analysis, local: &Local) -> String {
    let mut out = String::new();
    if local.is_const {
        out.push_str("const ");
    }
    match (local.parameter, local.direction) {
        (true, Direction::Out) => out.push_str("out "),
        (true, Direction::InOut) => out.push_str("inout "),
        _ => {}
    }
    out.push_str(&memory_prefix(&local.memory));
    let _ = write!(out, "{} {}", show(analysis, local.ty), local.name);
    out.push_str(&value_suffix(analysis, local.constant.as_ref()));
    if local.parameter {
        out.push_str("  // parameter");
    }
    out
}

fn memory_prefix(memory: &MemoryQualifiers) -> String {
    let words = [
        (memory.coherent, "coherent "),
        (memory.volatile, "volatile "),
        (memory.restrict, "restrict "),
        (memory.readonly, "readonly "),
        (memory.writeonly, "writeonly "),
    ];
    words.into_iter().filter(|(set, _)| *set).map(|(_, word)| word).collect()
}

fn storage_prefix(storage: Storage) -> &'static str {
    match storage {
        Storage::Private | Storage::Other => "",
        Storage::Const => "const ",
        Storage::In => "in ",
        Storage::Out => "out ",
        Storage::Uniform => "uniform ",
        Storage::Buffer => "buffer ",
        Storage::Shared => "shared ",
        Storage::PushConstant => "layout(push_constant) uniform ",
        Storage::ResourceHeap => "resourceheap ",
        Storage::SamplerHeap => "samplerheap ",
    }
}

fn global(analysis: &Analysis, global: &Global) -> String {
    let mut line = String::new();
    if let Some(id) = global.constant_id {
        let _ = write!(line, "layout(constant_id = {id}) ");
    }
    line.push_str(storage_prefix(global.storage));
    line.push_str(&memory_prefix(&global.memory));
    let _ = write!(line, "{} {}", show(analysis, global.ty), global.name);
    let mut text = if let Some(id) = global.constant_id {
        if let Some(default) = global.default.as_ref().and_then(|value| show_const(analysis, value)) {
            let _ = write!(line, " = {default}");
        }
        let mut text = format!("{}\n\nSpecialization constant {id}", code(&line));
        let given = match global.constant {
            Some(Const::Symbolic(sym)) => configured_value(analysis, sym),
            _ => None,
        };
        let configured = analysis.config.given(Some(id), &global.name).is_some();
        if let (true, Some(value)) = (configured, given) {
            let _ = write!(text, "; the configuration `{}` gives it {value}", analysis.config.name);
        } else {
            text.push_str("; the value shown is its default, used if the pipeline gives none");
        }
        text
    } else {
        line.push_str(&value_suffix(analysis, global.constant.as_ref()));
        code(&line)
    };
    if let Some(set) = global.layout.set {
        let _ = write!(text, "\n\nset {set}");
    }
    if let Some(binding) = global.layout.binding {
        let _ = write!(text, "{}binding {binding}", if global.layout.set.is_some() { ", " } else { "\n\n" });
    }
    with_shape(analysis, text, global.ty)
}

pub(crate) fn packing_of(kind: &StructKind) -> Option<Packing> {
    match kind {
        StructKind::Plain => None,
        StructKind::Block { storage, layout, .. } => Some(layout.packing.unwrap_or(match storage {
            Storage::Uniform => Packing::Std140,
            _ => Packing::Std430,
        })),
        StructKind::Reference { layout, .. } => Some(layout.packing.unwrap_or(Packing::Std430)),
    }
}

pub(crate) fn packing_name(packing: Packing) -> &'static str {
    match packing {
        Packing::Std140 => "std140",
        Packing::Std430 => "std430",
        Packing::Scalar => "scalar",
        Packing::Shared => "shared",
        Packing::Packed => "packed",
    }
}

fn member(analysis: &Analysis, id: StructId, index: u32) -> Option<String> {
    let module = &analysis.module;
    let structure = &module.structs[id];
    let member = structure.members.get(index as usize)?;
    let owner = if structure.name.is_empty() { "struct" } else { structure.name.as_str() };
    let line =
        format!("{}{} {owner}.{}", memory_prefix(&member.memory), show(analysis, member.ty), member.name);
    let mut text = code(&line);
    if let Some(packing) = packing_of(&structure.kind) {
        let context = LayoutContext { types: &module.types, structs: &module.structs, packing };
        if let Some(layout) = context.members(id).and_then(|members| members.get(index as usize).copied()) {
            let mut facts = Vec::new();
            if let Some(offset) = layout.offset {
                facts.push(format!("offset {offset}"));
            }
            match layout.layout.size {
                Some(size) => facts.push(format!("size {size} bytes")),
                None => facts.push("size known at run time".to_owned()),
            }
            facts.push(format!("alignment {}", layout.layout.align));
            if let Some(stride) = layout.layout.array_stride {
                facts.push(format!("array stride {stride} bytes"));
            }
            if let Some(stride) = layout.layout.matrix_stride {
                facts.push(format!("matrix stride {stride} bytes"));
            }
            let _ = write!(text, "\n\n{} ({})", facts.join(", "), packing_name(packing));
        }
    }
    Some(with_shape(analysis, text, member.ty))
}

fn structure(analysis: &Analysis, id: StructId) -> String {
    const SHOWN: usize = 24;
    let structure = &analysis.module.structs[id];
    let mut out = match &structure.kind {
        StructKind::Plain => format!("struct {} {{\n", structure.name),
        StructKind::Block { storage, .. } if structure.buffer_type().is_some() => {
            let packing = packing_of(&structure.kind).map_or("", packing_name);
            format!("layout(buffer_type, {packing}) {}{} {{\n", storage_prefix(*storage), structure.name)
        }
        StructKind::Block { storage, .. } => format!("{}{} {{\n", storage_prefix(*storage), structure.name),
        StructKind::Reference { layout, .. } => {
            let align = reference_align(layout);
            let packing = packing_of(&structure.kind).map_or("", packing_name);
            format!(
                "layout(buffer_reference, {packing}, buffer_reference_align = {align}) buffer {} {{\n",
                structure.name
            )
        }
    };
    for member in structure.members.iter().take(SHOWN) {
        let _ = writeln!(out, "    {} {};", show(analysis, member.ty), member.name);
    }
    if structure.members.len() > SHOWN {
        let _ = writeln!(out, "    // {} more", structure.members.len() - SHOWN);
    }
    out.push('}');
    let mut text = code(&out);
    if let Some(told) = referenced(analysis, id) {
        let _ = write!(text, "\n\n{told}");
    } else if let Some(packing) = packing_of(&structure.kind) {
        let _ = write!(text, "\n\nlaid out by {}", packing_name(packing));
    }
    text
}

/// Bytes that an address is a multiple of (GL_EXT_buffer_reference: 16 where nothing is said).
fn reference_align(layout: &Layout) -> u32 {
    layout.buffer_reference_align.unwrap_or(16)
}

/// What a reference is, and the block that it leads to. `None` for other structures.
pub(crate) fn referenced(analysis: &Analysis, id: StructId) -> Option<String> {
    let module = &analysis.module;
    let structure = &module.structs[id];
    let StructKind::Reference { layout, defined, .. } = &structure.kind else { return None };
    let packing = packing_of(&structure.kind)?;
    let mut text = format!("An address of 8 bytes, a multiple of {}", reference_align(layout));
    if *defined {
        let context = LayoutContext { types: &module.types, structs: &module.structs, packing };
        let end = context
            .members(id)
            .and_then(|members| members.last().copied())
            .map(|last| last.offset.and_then(|offset| offset.checked_add(last.layout.size?)));
        match end {
            Some(Some(size)) => {
                let _ = write!(text, "; the block there has {size} bytes ({})", packing_name(packing));
            }
            Some(None) => {
                let _ = write!(
                    text,
                    "; the size of the block there is known at run time ({})",
                    packing_name(packing)
                );
            }
            None => {}
        }
    }
    text.push('.');
    Some(text)
}

fn function_line(analysis: &Analysis, function: &Function) -> String {
    let parameters: Vec<String> = function
        .parameters
        .iter()
        .map(|parameter| {
            let mut out = String::new();
            if parameter.is_const {
                out.push_str("const ");
            }
            out.push_str(match parameter.direction {
                Direction::In => "",
                Direction::Out => "out ",
                Direction::InOut => "inout ",
            });
            out.push_str(&memory_prefix(&parameter.memory));
            let _ = write!(out, "{} {}", show(analysis, parameter.ty), parameter.name);
            out.trim_end().to_owned()
        })
        .collect();
    format!("{} {}({})", show(analysis, function.return_type), function.name, parameters.join(", "))
}

fn ty_hover(analysis: &Analysis, ty: Ty) -> String {
    let shown = show(analysis, ty);
    let text = with_shape(analysis, code(&shown), ty);
    let name = shown.split(['<', '[']).next().unwrap_or_default();
    match extensions::type_(name).map(extensions::type_by_id) {
        Some(builtin) if !builtin.doc.is_empty() => {
            format!("{text}\n\n{}\n\n{}", builtin.doc, source_line(builtin.providers, "", builtin.section))
        }
        _ => text,
    }
}
