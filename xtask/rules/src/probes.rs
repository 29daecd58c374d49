//! What `spirv-val` knows of the rules: modules of valid shaders with one operand changed, which breaks a rule of SPIR-V's.
//!
//! The operand becomes an `OpUndef` of a type that differs in one parameter; the result gets such a type, and what used it an `OpUndef`
//! of the old one. So nothing but the instruction itself is wrong.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use coopmat_analysis::Analyzer;
use coopmat_spirv::dr::{Instruction, Module, Operand};
use coopmat_spirv::spirv::{Op, Word};
use coopmat_spirv::{assemble, inst, load, to_bytes};
use rayon::prelude::*;

use crate::judge::{analyze, compile, spirv_val_says};
use crate::suite::Suite;

/// What is changed about a type.
#[derive(Clone, Copy, PartialEq)]
enum Change {
    Component,
    Scope,
    Rows,
    Columns,
    Use,
    /// Of an array.
    Element,
    Length,
}

#[derive(Clone, Copy)]
enum Part {
    Operand(usize, Change),
    Result(Change),
    /// A literal, or the number of an enumerant.
    Literal(usize, u32),
}

struct Probe {
    /// Whose plain shader is taken.
    of: &'static str,
    instruction: &'static str,
    part: Part,
    rule: &'static str,
}

use Change::{Columns, Component, Element, Length, Rows, Scope, Use};
use Part::{Literal, Operand as Argument, Result as Of};

macro_rules! probes {
    ($($of:literal $instruction:literal { $($part:expr => $rule:literal,)* })*) => {
        &[$($(Probe { of: $of, instruction: $instruction, part: $part, rule: $rule },)*)*]
    };
}

/// Operands count from 0, after the result.
const PROBES: &[Probe] = probes! {
    "coopMatMulAdd" "CooperativeMatrixMulAddKHR" {
        Argument(0, Use) => "A has use A",
        Argument(1, Use) => "B has use B",
        Argument(2, Use) => "C has use Accumulator",
        Of(Use) => "the result has use Accumulator",
        Argument(0, Rows) => "A has M rows",
        Argument(0, Columns) => "A has K columns",
        Argument(1, Rows) => "B has K rows",
        Argument(1, Columns) => "B has N columns",
        Argument(2, Rows) => "C has M rows",
        Argument(2, Columns) => "C has N columns",
        Of(Rows) => "the result has M rows",
        Of(Columns) => "the result has N columns",
        Argument(0, Scope) => "A has the scope of the others",
        Argument(1, Scope) => "B has the scope of the others",
        Argument(2, Scope) => "C has the scope of the others",
        Of(Scope) => "the result has the scope of the operands",
    }
    "coopmat: +" "FAdd" {
        Argument(1, Component) => "operands have the type of the result",
        Argument(1, Rows) => "operands have the type of the result",
        Argument(1, Use) => "operands have the type of the result",
        Of(Scope) => "operands have the type of the result",
    }
    "coopmat: unary -" "FNegate" {
        Argument(0, Rows) => "the operand has the type of the result",
        Of(Use) => "the operand has the type of the result",
    }
    "coopmat: * scalar" "MatrixTimesScalar" {
        Argument(0, Columns) => "the matrix has the type of the result",
    }
    "coopmat: constructor" "FConvert" {
        Argument(0, Rows) => "a conversion keeps the rows",
        Argument(0, Columns) => "a conversion keeps the columns",
        Argument(0, Scope) => "a conversion keeps the scope",
        Argument(0, Use) => "a conversion keeps the use",
    }
    "coopMatTransposeNV" "CooperativeMatrixTransposeNV" {
        Argument(0, Use) => "the source has use Accumulator",
        Of(Use) => "the result has use B",
        Argument(0, Rows) => "rows and columns are swapped",
        Argument(0, Columns) => "rows and columns are swapped",
        Argument(0, Scope) => "source and result have one scope",
        Of(Component) => "source and result have one component type, by the text for GLSL",
    }
    "coopMatReduceNV" "CooperativeMatrixReduceNV" {
        Argument(0, Use) => "the source has use Accumulator",
        Of(Use) => "the result has use Accumulator",
        Argument(0, Scope) => "source and result have one scope",
        Of(Component) => "source and result have one component type",
        Argument(0, Rows) => "what the reduction keeps or halves",
        Argument(0, Columns) => "what the reduction keeps or halves",
        Literal(1, 0) => "the mask is not empty",
        Literal(1, 5) => "2x2 stands alone",
    }
    "coopMatPerElementNV" "CooperativeMatrixPerElementOpNV" {
        Argument(0, Rows) => "the source has the type of the result",
        Argument(0, Component) => "the source has the type of the result",
        Of(Use) => "the source has the type of the result",
    }
    "coopmat: use conversion" "CooperativeMatrixConvertNV" {
        Argument(0, Use) => "from Accumulator to A or B",
        Argument(0, Rows) => "source and result have one shape",
        Argument(0, Scope) => "source and result have one scope",
    }
    "coopMatLoadTensorNV" "CooperativeMatrixLoadTensorNV" {
        Argument(1, Use) => "the object has the type of the result",
        Argument(1, Rows) => "the object has the type of the result",
    }
    "coopMatMulAddNV" "CooperativeMatrixMulAddNV" {
        Argument(0, Rows) => "A has M rows",
        Argument(0, Columns) => "A has K columns",
        Argument(1, Rows) => "B has K rows",
        Argument(1, Columns) => "B has N columns",
        Argument(2, Rows) => "C has M rows",
        Argument(2, Columns) => "C has N columns",
        Argument(1, Scope) => "the operands have one scope",
        Of(Rows) => "the result has the type of C",
    }
    "bitcastQCOM" "BitCastArrayQCOM" {
        Argument(0, Length) => "both arrays have the same size",
        Argument(0, Element) => "elements are 32-bit integers, or floats of 32 or 16 bits",
        Of(Element) => "elements are 32-bit integers, or floats of 32 or 16 bits",
    }
    "extractSubArrayQCOM" "ExtractSubArrayQCOM" {
        Argument(0, Element) => "both arrays have one element type",
        Of(Element) => "elements are 32-bit integers, or floats of 32 or 16 bits",
    }
    "vectorToCoopmatQCOM" "CompositeConstructCoopMatQCOM" {
        Of(Scope) => "the matrix has subgroup scope",
        Of(Component) => "the component type is one that the use has",
        Of(Columns) => "columns of use A are 32 bytes",
        Argument(0, Length) => "the array's length fits the matrix",
        Argument(0, Element) => "the array's elements are the components or uint32_t",
    }
    "coopmatToVectorQCOM" "CompositeExtractCoopMatQCOM" {
        Argument(0, Scope) => "the matrix has subgroup scope",
        Argument(0, Component) => "the component type is one that the use has",
        Argument(0, Columns) => "columns of use A are 32 bytes",
        Of(Length) => "the array's length fits the matrix",
        Of(Element) => "the array's elements are the components or uint32_t",
    }
};

/// What became of a probe.
pub struct Answer {
    pub instruction: &'static str,
    pub operand: String,
    pub rule: &'static str,
    /// What `spirv-val` says; nothing where it takes the module.
    pub said: Option<String>,
}

/// Asks `spirv-val` about every probe.
///
/// # Errors
/// That a probe does not apply to the shader that it names.
pub fn ask(suite: &Suite, spirv_val: &str, folder: &Path) -> Result<Vec<Answer>> {
    let analyzer = Analyzer::default();
    let answers: Vec<Result<Answer>> = PROBES
        .par_iter()
        .enumerate()
        .map(|(index, probe)| {
            let broken = suite
                .twins
                .iter()
                .filter(|twin| twin.built_in == probe.of)
                .find_map(|twin| {
                    let words = compile(&analyze(&analyzer, &twin.text, twin.settings)).ok()?;
                    let mut module = load(&words).ok()?;
                    change(&mut module, probe).then_some(module)
                })
                .with_context(|| format!("no shader of {} has {}", probe.of, probe.instruction))?;
            let path = folder.join(format!("probe{index}.spv"));
            fs::write(&path, to_bytes(&assemble(&broken)?))?;
            Ok(Answer {
                instruction: probe.instruction,
                operand: describe(probe.part),
                rule: probe.rule,
                said: spirv_val_says(spirv_val, &path)?,
            })
        })
        .collect();
    answers.into_iter().collect()
}

fn describe(part: Part) -> String {
    let word = |change| match change {
        Component => "component type",
        Scope => "scope",
        Rows => "rows",
        Columns => "columns",
        Use => "use",
        Element => "element type",
        Length => "length",
    };
    match part {
        Argument(index, change) => format!("{} of operand {}", word(change), index + 1),
        Of(change) => format!("{} of the result", word(change)),
        Literal(index, value) => format!("operand {}: {value}", index + 1),
    }
}

/// Applies a probe to the first instruction that it names; tells whether there is one that it fits.
fn change(module: &mut Module, probe: &Probe) -> bool {
    let found = module.functions.iter().enumerate().find_map(|(function, body)| {
        body.blocks.iter().enumerate().find_map(|(block, body)| {
            let is =
                |inst: &Instruction| inst.class.opname == probe.instruction && takes_matrices(module, inst);
            body.instructions.iter().position(is).map(|at| (function, block, at))
        })
    });
    let Some((function, block, at)) = found else { return false };
    let target = module.functions[function].blocks[block].instructions[at].clone();
    let mut changed = target.clone();
    match probe.part {
        Literal(index, value) => {
            let Some(operand) = changed.operands.get_mut(index) else { return false };
            *operand = match operand {
                Operand::CooperativeMatrixReduce(_) => Operand::CooperativeMatrixReduce(
                    coopmat_spirv::spirv::CooperativeMatrixReduce::from_bits_retain(value),
                ),
                _ => Operand::LiteralBit32(value),
            };
        }
        Argument(index, change) => {
            let Some(&Operand::IdRef(id)) = changed.operands.get(index) else { return false };
            let Some(ty) = type_of(module, id).and_then(|ty| changed_type(module, ty, change)) else {
                return false;
            };
            changed.operands[index] = Operand::IdRef(undefined(module, ty));
        }
        Of(change) => {
            let (Some(old), Some(result)) = (changed.result_type, changed.result_id) else { return false };
            let Some(ty) = changed_type(module, old, change) else { return false };
            let instead = undefined(module, old);
            for used in module.functions.iter_mut().flat_map(|function| &mut function.blocks) {
                for operand in used.instructions.iter_mut().flat_map(|inst| &mut inst.operands) {
                    if *operand == Operand::IdRef(result) {
                        *operand = Operand::IdRef(instead);
                    }
                }
            }
            changed.result_type = Some(ty);
        }
    }
    module.functions[function].blocks[block].instructions[at] = changed;
    true
}

/// Arithmetic is looked at on matrices only.
fn takes_matrices(module: &Module, inst: &Instruction) -> bool {
    let of_matrix = |ty: Word| {
        definition(module, ty).is_some_and(|ty| ty.class.opname.starts_with("TypeCooperativeMatrix"))
    };
    let arithmetic = ["FAdd", "FNegate", "FConvert", "MatrixTimesScalar"].contains(&inst.class.opname);
    !arithmetic || inst.result_type.is_some_and(of_matrix)
}

fn definition(module: &Module, id: Word) -> Option<&Instruction> {
    module.types_global_values.iter().find(|inst| inst.result_id == Some(id))
}

fn type_of(module: &Module, id: Word) -> Option<Word> {
    module.all_inst_iter().find(|inst| inst.result_id == Some(id))?.result_type
}

fn new_id(module: &mut Module) -> Word {
    let Some(header) = module.header.as_mut() else { return 0 };
    header.bound += 1;
    header.bound - 1
}

fn undefined(module: &mut Module, ty: Word) -> Word {
    let id = new_id(module);
    module.types_global_values.push(inst(Op::Undef, Some(ty), Some(id), Vec::new()));
    id
}

/// A constant of the type that another one has.
fn constant_like(module: &mut Module, like: Word, value: u32) -> Option<Word> {
    let ty = definition(module, like)?.result_type?;
    let id = new_id(module);
    module.types_global_values.push(inst(
        Op::Constant,
        Some(ty),
        Some(id),
        vec![Operand::LiteralBit32(value)],
    ));
    Some(id)
}

fn value_of(module: &Module, id: Word) -> Option<u32> {
    match definition(module, id)?.operands.first()? {
        Operand::LiteralBit32(value) => Some(*value),
        _ => None,
    }
}

/// An integer type of 64 bits, which is no component or element that anything here has.
fn other_scalar(module: &mut Module) -> Word {
    let found = module.types_global_values.iter().find(|inst| {
        inst.class.opcode == Op::TypeInt && inst.operands.first() == Some(&Operand::LiteralBit32(64))
    });
    if let Some(id) = found.and_then(|inst| inst.result_id) {
        return id;
    }
    module.capabilities.push(inst(
        Op::Capability,
        None,
        None,
        vec![Operand::Capability(coopmat_spirv::spirv::Capability::Int64)],
    ));
    let id = new_id(module);
    let operands = vec![Operand::LiteralBit32(64), Operand::LiteralBit32(0)];
    module.types_global_values.push(inst(Op::TypeInt, None, Some(id), operands));
    id
}

/// A type that differs in one parameter.
fn changed_type(module: &mut Module, ty: Word, change: Change) -> Option<Word> {
    let old = definition(module, ty)?.clone();
    let is_matrix = old.class.opname.starts_with("TypeCooperativeMatrix");
    if is_matrix == matches!(change, Element | Length) {
        return None;
    }
    let index = match change {
        Component | Element => 0,
        Scope | Length => 1,
        Rows => 2,
        Columns => 3,
        Use => 4,
    };
    let id_at = |index: usize| match old.operands.get(index) {
        Some(&(Operand::IdRef(id) | Operand::IdScope(id))) => Some(id),
        _ => None,
    };
    let id = id_at(index)?;
    let new = match change {
        Component | Element => other_scalar(module),
        Scope => constant_like(module, id, if value_of(module, id)? == 3 { 2 } else { 3 })?,
        Rows | Columns | Length => {
            let value = value_of(module, id)?;
            constant_like(module, id, value * 2)?
        }
        Use => constant_like(module, id, (value_of(module, id)? + 1) % 3)?,
    };
    let mut operands = old.operands.clone();
    operands[index] = match operands[index] {
        Operand::IdScope(_) => Operand::IdScope(new),
        _ => Operand::IdRef(new),
    };
    let result = new_id(module);
    let mut created = old;
    created.result_id = Some(result);
    created.operands = operands;
    module.types_global_values.push(created);
    Some(result)
}
