//! `cargo xtask grammar`: what codegen/spirv knows of SPIR-V - rspirv's tables and the overlay - beside Khronos' machine-readable
//! grammar: instructions, operands, capabilities, extensions, enumerants, numbers, extended sets. Each difference is told; those with a
//! reason are listed in codegen/spirv/src/grammar/differences.rs, where a row that is not needed is a difference, too.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result, bail};
use coopmat_spirv::grammar::{self, DIFFERENCES};
use coopmat_spirv::{Opcode, OperandKind, extended};
use serde_json::Value;

use crate::debian;

/// In the folder that setup unpacks.
const FOLDER: &str = "usr/include/spirv/unified1";

/// The grammars of extended sets, and the names by which modules import them.
const SETS: &[(&str, &str)] = &[
    ("extinst.arm.motion-engine.100", "Arm.MotionEngine.100"),
    ("extinst.debuginfo", "DebugInfo"),
    ("extinst.glsl.std.450", "GLSL.std.450"),
    ("extinst.nonsemantic.clspvreflection", "NonSemantic.ClspvReflection"),
    ("extinst.nonsemantic.debugbreak", "NonSemantic.DebugBreak"),
    ("extinst.nonsemantic.debugprintf", "NonSemantic.DebugPrintf"),
    ("extinst.nonsemantic.shader.debuginfo.100", "NonSemantic.Shader.DebugInfo.100"),
    ("extinst.nonsemantic.shader.debuginfo", "NonSemantic.Shader.DebugInfo.101"),
    ("extinst.nonsemantic.vkspreflection", "NonSemantic.VkspReflection"),
    ("extinst.opencl.debuginfo.100", "OpenCL.DebugInfo.100"),
    ("extinst.opencl.std.100", "OpenCL.std"),
    ("extinst.spv-amd-gcn-shader", "SPV_AMD_gcn_shader"),
    ("extinst.spv-amd-shader-ballot", "SPV_AMD_shader_ballot"),
    ("extinst.spv-amd-shader-explicit-vertex-parameter", "SPV_AMD_shader_explicit_vertex_parameter"),
    ("extinst.spv-amd-shader-trinary-minmax", "SPV_AMD_shader_trinary_minmax"),
    ("extinst.tosa.001000.1", "TOSA.001000.1"),
];

pub fn run() -> Result<()> {
    debian::install()?;
    let core = read("spirv.core")?;
    let mut differences = BTreeSet::new();
    let instructions = compare_instructions(&core, &mut differences)?;
    let enumerants = compare_enumerants(&core, &mut differences)?;
    let mut extended = 0;
    for (file, set) in SETS {
        extended += compare_set(&read(file)?, set, &mut differences)?;
    }
    if instructions < 800 || enumerants < 1000 || extended < 400 {
        bail!(
            "too little was compared: {instructions} instructions, {enumerants} enumerants, {extended} in sets"
        );
    }
    for (difference, _) in DIFFERENCES {
        if !differences.remove(*difference) {
            differences.insert(format!("DIFFERENCES: \"{difference}\" is not needed"));
        }
    }
    if differences.is_empty() {
        println!(
            "{instructions} instructions, {enumerants} enumerants and {extended} instructions of extended sets are the grammar's; {} \
             differences are listed",
            DIFFERENCES.len()
        );
        return Ok(());
    }
    for difference in &differences {
        println!("{difference}");
    }
    bail!("{} differences from the grammar of SPIR-V", differences.len())
}

fn read(name: &str) -> Result<Value> {
    let path = debian::folder().join(FOLDER).join(format!("{name}.grammar.json"));
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    serde_json::from_str(&text).with_context(|| path.display().to_string())
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str> {
    value[key].as_str().with_context(|| format!("no text {key} in {value}"))
}

/// A number, or one of the bits that are written as text.
fn number(value: &Value, key: &str) -> Result<u32> {
    let found = match &value[key] {
        Value::String(text) => u32::from_str_radix(text.trim_start_matches("0x"), 16).ok(),
        other => other.as_u64().and_then(|number| u32::try_from(number).ok()),
    };
    found.with_context(|| format!("no number {key} in {value}"))
}

/// Its name and its other ones.
fn names<'a>(value: &'a Value, key: &str) -> Result<BTreeSet<&'a str>> {
    let mut names: BTreeSet<&str> = list(value, "aliases").iter().filter_map(Value::as_str).collect();
    names.insert(text(value, key)?);
    Ok(names)
}

/// Operands as the grammar writes them: `IdRef`, `IdRef?`, `IdRef*`.
fn theirs(operands: &[Value]) -> Result<Vec<String>> {
    let one = |operand: &Value| {
        let quantifier = operand["quantifier"].as_str().unwrap_or_default();
        Ok(format!("{}{quantifier}", text(operand, "kind")?))
    };
    operands.iter().map(one).collect()
}

fn ours(operands: &[grammar::LogicalOperand]) -> Vec<String> {
    let one = |operand: &grammar::LogicalOperand| {
        let quantifier = match operand.quantifier {
            grammar::OperandQuantifier::One => "",
            grammar::OperandQuantifier::ZeroOrOne => "?",
            grammar::OperandQuantifier::ZeroOrMore => "*",
        };
        format!("{}{quantifier}", kind_name(operand.kind))
    };
    operands.iter().map(one).collect()
}

/// Kinds of an extended set are shown by rspirv with the set around them.
fn kind_name(kind: OperandKind) -> String {
    let shown = format!("{kind:?}");
    match shown.split_once('(') {
        Some((_, inner)) => inner.trim_end_matches(')').to_owned(),
        None => shown,
    }
}

fn compare_instructions(core: &Value, differences: &mut BTreeSet<String>) -> Result<usize> {
    // Capabilities have more than one name, but one number.
    let mut capabilities = BTreeMap::new();
    for kind in list(core, "operand_kinds").iter().filter(|kind| kind["kind"] == "Capability") {
        for capability in list(kind, "enumerants") {
            for name in names(capability, "enumerant")? {
                capabilities.insert(name, number(capability, "value")?);
            }
        }
    }
    let mut seen = BTreeSet::new();
    for instruction in list(core, "instructions") {
        let names = names(instruction, "opname")?;
        let name = text(instruction, "opname")?;
        let number = u16::try_from(number(instruction, "opcode")?)?;
        let opcode = Opcode::from_number(number);
        seen.insert(opcode);
        let Some(class) = opcode.class() else {
            differences.insert(format!("{name} ({number}): no such instruction here"));
            continue;
        };
        if !names.contains(format!("Op{}", class.opname).as_str()) {
            differences.insert(format!("{name} ({number}): here it is Op{}", class.opname));
        }
        for other in &names {
            let meant = other.strip_prefix("Op").and_then(Opcode::named);
            if meant.is_some_and(|meant| meant != opcode) {
                differences.insert(format!("{other} is {name} ({number}), here it is {meant:?}"));
            }
        }
        let (theirs, ours) = (theirs(list(instruction, "operands"))?, ours(class.operands));
        if theirs != ours {
            differences.insert(format!("{name}: operands {}, here {}", theirs.join(" "), ours.join(" ")));
        }
        let allowed = list(instruction, "capabilities").iter().filter_map(Value::as_str);
        let theirs: BTreeSet<Option<u32>> = allowed.map(|name| capabilities.get(name).copied()).collect();
        let ours: BTreeSet<Option<u32>> =
            opcode.capabilities().into_iter().map(|capability| Some(capability.number())).collect();
        if theirs != ours {
            differences.insert(format!("{name}: capabilities {theirs:?}, here {ours:?}"));
        }
        let theirs: BTreeSet<&str> =
            list(instruction, "extensions").iter().filter_map(Value::as_str).collect();
        let ours: BTreeSet<&str> = class.extensions.iter().copied().collect();
        if theirs != ours {
            differences.insert(format!("{name}: extensions {theirs:?}, here {ours:?}"));
        }
    }
    for opcode in Opcode::ALL.iter().filter(|opcode| !seen.contains(*opcode)) {
        differences.insert(format!("Op{opcode:?} ({}): not in the grammar", opcode.number()));
    }
    for (other, name) in grammar::OTHER_NAMES {
        let known = list(core, "instructions").iter().any(|instruction| {
            names(instruction, "opname").is_ok_and(|names| {
                names.contains(format!("Op{other}").as_str()) && names.contains(format!("Op{name}").as_str())
            })
        });
        if !known {
            differences.insert(format!("OTHER_NAMES: {other} is no other name of {name}"));
        }
    }
    Ok(seen.len())
}

fn compare_enumerants(core: &Value, differences: &mut BTreeSet<String>) -> Result<usize> {
    let mut compared = 0;
    for kind in list(core, "operand_kinds") {
        let name = text(kind, "kind")?;
        let masks = match text(kind, "category")? {
            "ValueEnum" => false,
            "BitEnum" => true,
            _ => continue,
        };
        let mut all: Vec<OperandKind> =
            if masks { grammar::masks().collect() } else { grammar::values().collect() };
        all.retain(|known| kind_name(*known) == name);
        let &[ours] = all.as_slice() else {
            differences.insert(format!("{name}: no such kind of operand here"));
            continue;
        };
        let mut seen = BTreeSet::new();
        for enumerant in list(kind, "enumerants") {
            compared += 1;
            let (value, names) = (number(enumerant, "value")?, names(enumerant, "enumerant")?);
            seen.insert(value);
            let shown = text(enumerant, "enumerant")?;
            // No bit at all is no bit: the masks' `None` has other names here and there, and no parameters.
            if masks && value == 0 {
                continue;
            }
            let Some(known) = grammar::known(ours, value) else {
                differences.insert(format!("{name} {shown} ({value}): not known here"));
                continue;
            };
            if !names.contains(known.name.as_str()) {
                differences.insert(format!("{name} {shown} ({value}): here it is {}", known.name));
            }
            let (theirs, ours) = (theirs(list(enumerant, "parameters"))?, self::ours(&known.parameters));
            if theirs != ours {
                differences.insert(format!("{name} {shown}: parameters {theirs:?}, here {ours:?}"));
            }
        }
        let tried: Vec<u32> = if masks { (0..32).map(|bit| 1 << bit).collect() } else { (0..8192).collect() };
        for value in tried.into_iter().filter(|value| !seen.contains(value)) {
            if let Some(known) = grammar::known(ours, value) {
                differences.insert(format!("{name} {} ({value}): not in the grammar", known.name));
            }
        }
    }
    Ok(compared)
}

fn compare_set(theirs: &Value, set: &str, differences: &mut BTreeSet<String>) -> Result<usize> {
    let mut seen = BTreeSet::new();
    for instruction in list(theirs, "instructions") {
        let (number, name) = (number(instruction, "opcode")?, text(instruction, "opname")?);
        seen.insert(number);
        match extended::name(set, number) {
            None => {
                differences.insert(format!("{set} {name} ({number}): not known here"));
                continue;
            }
            Some(known) if !names(instruction, "opname")?.contains(known) => {
                differences.insert(format!("{set} {name} ({number}): here it is {known}"));
            }
            Some(_) => {}
        }
        // What is newer than rspirv has a name alone.
        let Some(class) = extended::class(set, number) else { continue };
        let (theirs, ours) = (self::theirs(list(instruction, "operands"))?, ours(class.operands));
        if theirs != ours {
            differences.insert(format!(
                "{set} {name}: operands {}, here {}",
                theirs.join(" "),
                ours.join(" ")
            ));
        }
    }
    for class in extended::table(set).into_iter().flat_map(|table| table.iter()) {
        let number: u32 = class.opcode.into();
        if !seen.contains(&number) {
            differences.insert(format!("{set} {} ({number}): not in the grammar", class.opname));
        }
    }
    Ok(seen.len())
}
