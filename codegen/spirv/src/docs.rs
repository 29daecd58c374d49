//! What instructions and their operands mean, in our own words: the SPIR-V grammar has no prose.
//!
//! The texts are the Markdown files in `docs/`. A file begins with `section: ...`, the default for its entries; an entry is a
//! heading with the instruction's name, a summary, a list of its operands without result type and result, and optionally
//! lines `capability: ...` and `section: ...`. `enumerants.md` has a heading per kind of operand, and a line per value.

use std::sync::OnceLock;

use rspirv::grammar::OperandKind;
use rustc_hash::FxHashMap;

use crate::{Opcode, extended};

/// Instructions of the core and of its extensions, whose headings start with `Op`.
const CORE: &[&str] = &[
    include_str!("../docs/arithmetic.md"),
    include_str!("../docs/atomic.md"),
    include_str!("../docs/barrier.md"),
    include_str!("../docs/bits.md"),
    include_str!("../docs/composite.md"),
    include_str!("../docs/constants.md"),
    include_str!("../docs/control.md"),
    include_str!("../docs/conversion.md"),
    include_str!("../docs/derivative.md"),
    include_str!("../docs/graphics.md"),
    include_str!("../docs/hit_object.md"),
    include_str!("../docs/image.md"),
    include_str!("../docs/integer_functions.md"),
    include_str!("../docs/matrix.md"),
    include_str!("../docs/memory.md"),
    include_str!("../docs/module.md"),
    include_str!("../docs/ray_query.md"),
    include_str!("../docs/relational.md"),
    include_str!("../docs/subgroup.md"),
    include_str!("../docs/tensor.md"),
    include_str!("../docs/types.md"),
];
const GLSL_STD_450: &str = include_str!("../docs/glsl_std_450.md");
const ENUMERANTS: &str = include_str!("../docs/enumerants.md");

/// An instruction's documentation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InstructionDoc {
    /// With `Op`, or as the extended set has it.
    pub name: &'static str,
    /// One sentence or several, in Markdown.
    pub summary: &'static str,
    /// Without result type and result.
    pub operands: Vec<OperandDoc>,
    /// What has to be declared; nothing where every shader has it.
    pub capability: Option<&'static str>,
    /// The part of the specification.
    pub section: &'static str,
}

/// What one operand of an instruction means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OperandDoc {
    /// As the specification calls it.
    pub name: &'static str,
    /// A sentence, in Markdown.
    pub text: &'static str,
    /// Whether an instruction may leave it out.
    pub optional: bool,
}

impl InstructionDoc {
    /// As Markdown, for hovers.
    pub fn markdown(&self) -> String {
        let mut out = format!("**{}**\n\n{}\n", self.name, self.summary);
        if !self.operands.is_empty() {
            out.push('\n');
        }
        for operand in &self.operands {
            let optional = if operand.optional { " (optional)" } else { "" };
            out.push_str(&format!("- *{}*{optional}: {}\n", operand.name, operand.text));
        }
        if let Some(capability) = self.capability {
            out.push_str(&format!("\nCapability: {capability}\n"));
        }
        out.push_str(&format!("\n{}\n", self.section));
        out
    }
}

/// The documentation of an instruction.
pub fn of(opcode: Opcode) -> Option<&'static InstructionDoc> {
    core().get(&opcode)
}

/// The documentation of an instruction of an extended set. Only GLSL.std.450 has one.
pub fn of_extended(set: &str, number: u32) -> Option<&'static InstructionDoc> {
    static GLSL: OnceLock<FxHashMap<&'static str, InstructionDoc>> = OnceLock::new();
    if set != "GLSL.std.450" {
        return None;
    }
    let docs = GLSL.get_or_init(|| parse(GLSL_STD_450).into_iter().map(|doc| (doc.name, doc)).collect());
    extended::name(set, number).and_then(|name| docs.get(name))
}

/// What a value of a kind of operand means, by its name in assembly text: `Aligned` of `MemoryAccess`.
pub fn of_enumerant(kind: OperandKind, name: &str) -> Option<&'static str> {
    enumerants()
        .get(format!("{kind:?}").as_str())?
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, text)| *text)
}

fn core() -> &'static FxHashMap<Opcode, InstructionDoc> {
    static DOCS: OnceLock<FxHashMap<Opcode, InstructionDoc>> = OnceLock::new();
    DOCS.get_or_init(|| {
        let docs = CORE.iter().flat_map(|text| parse(text));
        docs.filter_map(|doc| Some((Opcode::named(doc.name.strip_prefix("Op")?)?, doc))).collect()
    })
}

type Enumerants = FxHashMap<&'static str, Vec<(&'static str, &'static str)>>;

fn enumerants() -> &'static Enumerants {
    static DOCS: OnceLock<Enumerants> = OnceLock::new();
    DOCS.get_or_init(|| {
        let mut docs = Enumerants::default();
        let mut kind = "";
        for line in ENUMERANTS.lines() {
            if let Some(heading) = line.strip_prefix("# ") {
                kind = heading;
            } else if let Some((name, text)) = line.split_once(": ") {
                docs.entry(kind).or_default().push((name, text));
            }
        }
        docs
    })
}

fn parse(file: &'static str) -> Vec<InstructionDoc> {
    let mut section = "";
    let mut docs: Vec<InstructionDoc> = Vec::new();
    for line in file.lines() {
        match docs.last_mut() {
            _ if line.starts_with("# ") => docs.push(InstructionDoc {
                name: &line[2..],
                summary: "",
                operands: Vec::new(),
                capability: None,
                section,
            }),
            None => section = line.strip_prefix("section: ").unwrap_or(section),
            Some(doc) => {
                if let Some(given) = line.strip_prefix("section: ") {
                    doc.section = given;
                } else if let Some(given) = line.strip_prefix("capability: ") {
                    doc.capability = Some(given);
                } else if let Some((name, text)) =
                    line.strip_prefix("- ").and_then(|line| line.split_once(": "))
                {
                    let required = name.strip_suffix(" (optional)");
                    let optional = required.is_some();
                    doc.operands.push(OperandDoc { name: required.unwrap_or(name), text, optional });
                } else if !line.is_empty() && doc.summary.is_empty() {
                    doc.summary = line;
                }
            }
        }
    }
    docs
}

#[cfg(test)]
mod tests {
    use rspirv::grammar::{LogicalOperand, OperandQuantifier};
    use rspirv::spirv::Op;

    use super::*;
    use crate::grammar;
    use crate::operand::{Category, category, enumerant, write_mask, write_value};

    #[test]
    fn every_entry_is_of_an_instruction_and_whole() {
        let entries: Vec<InstructionDoc> = CORE.iter().flat_map(|text| parse(text)).collect();
        let mut wrong = Vec::new();
        for entry in &entries {
            let name = entry.name.strip_prefix("Op").unwrap_or_default();
            if !core().values().any(|doc| doc == entry) {
                wrong.push(format!("{}: no such instruction, or twice", entry.name));
            }
            if entry.summary.is_empty() || !entry.summary.ends_with('.') || entry.section.is_empty() {
                wrong.push(format!("{name}: summary or section"));
            }
            if entry.operands.iter().any(|operand| !operand.text.ends_with('.')) {
                wrong.push(format!("{name}: an operand's text"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(core().len() >= 250, "{} entries", core().len());
    }

    #[test]
    fn every_operand_of_the_grammar_is_explained() {
        let is_result = |logical: &&LogicalOperand| {
            matches!(logical.kind, OperandKind::IdResultType | OperandKind::IdResult)
        };
        let mut wrong = Vec::new();
        for (&opcode, doc) in core() {
            let Some(class) = opcode.class() else { continue };
            let expected: Vec<_> = class.operands.iter().filter(|logical| !is_result(logical)).collect();
            let optional = |logical: &&&LogicalOperand| logical.quantifier == OperandQuantifier::ZeroOrOne;
            let literal_first = matches!(
                class.opcode,
                // Spelt out by part rather than by the grammar's one repeated operand, or shorter for readability.
                Op::TensorViewSetClipNV | Op::SpecConstantOp | Op::CopyMemory | Op::CopyMemorySized
            );
            if !literal_first && expected.len() != doc.operands.len() {
                wrong.push(format!(
                    "{}: {} operands, documented {}",
                    doc.name,
                    expected.len(),
                    doc.operands.len()
                ));
                continue;
            }
            let count = expected.iter().filter(optional).count();
            let documented = doc.operands.iter().filter(|operand| operand.optional).count();
            if !literal_first && documented < count {
                wrong.push(format!("{}: {count} optional operands, documented {documented}", doc.name));
            }
        }
        wrong.sort();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    /// Which of them an operand's type or a scope decides is said in words; that it is one of these, by the grammar.
    #[test]
    fn a_documented_capability_is_one_that_allows_the_instruction() {
        let mut wrong = Vec::new();
        for (opcode, doc) in core() {
            let names = doc
                .capability
                .into_iter()
                .flat_map(|text| text.split(", "))
                .flat_map(|part| part.split(" or "));
            let allowed = opcode.capabilities();
            for name in names.filter(|name| !allowed.iter().any(|capability| capability.name() == *name)) {
                wrong.push(format!("{}: {name}, expected one of {allowed:?}", doc.name));
            }
        }
        wrong.sort();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn extended_instructions_are_those_of_the_set() {
        for entry in parse(GLSL_STD_450) {
            let known =
                extended::table("GLSL.std.450").unwrap().iter().find(|class| class.opname == entry.name);
            let class = known.unwrap_or_else(|| panic!("no {}", entry.name));
            assert_eq!(class.operands.len(), entry.operands.len(), "{}", entry.name);
        }
        let number = 37;
        assert_eq!(extended::name("GLSL.std.450", number), Some("FMin"));
        assert!(of_extended("GLSL.std.450", number).unwrap().markdown().starts_with("**FMin**"));
    }

    #[test]
    fn enumerants_have_their_names() {
        let kinds = [
            OperandKind::CooperativeMatrixOperands,
            OperandKind::CooperativeMatrixLayout,
            OperandKind::CooperativeMatrixUse,
            OperandKind::CooperativeMatrixReduce,
            OperandKind::TensorClampMode,
            OperandKind::TensorAddressingOperands,
            OperandKind::MemoryAccess,
            OperandKind::Scope,
            OperandKind::MemorySemantics,
            OperandKind::StorageClass,
            OperandKind::GroupOperation,
            OperandKind::FPEncoding,
            OperandKind::LoopControl,
            OperandKind::SelectionControl,
        ];
        for kind in kinds {
            let values: Vec<u32> = match category(kind) {
                Category::Mask => std::iter::once(0).chain((0..32).map(|bit| 1 << bit)).collect(),
                _ => (0..8000).collect(),
            };
            let names = values.iter().filter_map(|&value| {
                let operand = enumerant(kind, value)?;
                let mut name = String::new();
                let written = write_value(&operand, &mut name) || write_mask(&operand, &mut name);
                written.then_some(name).or_else(|| Some(grammar::enumerant(kind, value)?.name.to_owned()))
            });
            let names: Vec<String> = names.collect();
            let documented =
                enumerants().get(format!("{kind:?}").as_str()).unwrap_or_else(|| panic!("no {kind:?}"));
            for (name, text) in documented {
                assert!(names.iter().any(|known| known == name), "{kind:?} has no {name}: {names:?}");
                assert!(text.ends_with('.'), "{kind:?} {name}");
            }
        }
        assert!(of_enumerant(OperandKind::MemoryAccess, "Aligned").is_some());
    }
}
