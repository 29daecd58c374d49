//! A frame as the debugger shows it: which variables can be seen, and what expressions are there.

use std::cell::OnceCell;

use rustc_hash::FxHashSet;

use super::expression::{Expression, Number, apply, parse};
use super::lines::{Lines, Place};
use super::reader::{Reader, Reference};
use super::value::{Content, LaneKind, Lanes, Value};
use crate::machine::{Mask, first_lanes};
use crate::program::debug::{Kind, Variable};
use crate::program::types::Type;

/// Scalars that a listed variable shows at most.
const LISTED: usize = 64;
/// Scalars that an expression shows at most.
const SHOWN: usize = 512;

/// A variable of a frame or of the module.
#[derive(Clone, Debug)]
pub struct VariableView {
    /// `OpName`; the id where the module says none.
    pub name: String,
    /// Whose it is.
    pub kind: Kind,
    /// What it holds, with no more than 64 of its scalars.
    pub value: Value,
}

/// Where a frame is.
#[derive(Clone, Copy)]
pub(super) struct Standpoint {
    pub place: Option<Place>,
    /// The index in the module of the next instruction.
    pub instruction: u32,
    /// The call that was inlined, if the frame is one.
    pub call: Option<u32>,
}

pub(super) struct Scene<'a> {
    pub reader: Reader<'a>,
    pub lines: &'a Lines,
    at: Standpoint,
    /// The variables that can be seen, once somebody asked.
    seen: OnceCell<Vec<&'a Variable>>,
    /// The blocks that were gone through for certain, once somebody asked.
    passed: OnceCell<FxHashSet<u32>>,
}

/// What an expression is.
pub(super) enum Evaluated {
    Reference(Reference, u64),
    /// A number for each lane; none where it cannot be calculated.
    Numbers(Vec<Option<Number>>),
}

impl<'a> Scene<'a> {
    pub fn new(reader: Reader<'a>, lines: &'a Lines, at: Standpoint) -> Scene<'a> {
        Scene { reader, lines, at, seen: OnceCell::new(), passed: OnceCell::new() }
    }

    /// The variables that can be seen, inner ones first; of those with one name the innermost.
    fn variables(&self) -> &[&'a Variable] {
        self.seen.get_or_init(|| {
            let program = self.reader.program;
            let function = &program.functions[self.reader.frame.function as usize];
            // Values without a name are those of the module's own text.
            let values = if self.lines.is_own_text() { &function.values[..] } else { &[] };
            let own = function.variables.iter().rev().chain(values);
            let own = own.filter(|variable| self.is_seen(variable));
            let all = own.chain(&program.names.variables);
            let nameless = program.names.variables.iter().all(|variable| variable.name.is_empty())
                && program
                    .functions
                    .iter()
                    .flat_map(|f| &f.variables)
                    .all(|variable| variable.name.is_empty());
            let mut names = FxHashSet::default();
            let mut ids = FxHashSet::default();
            all.filter(|variable| {
                if self.lines.is_own_text() && variable.kind == Kind::Value {
                    // Its name is the text's. The same value may have been noted as a variable of the source.
                    ids.insert(variable.id)
                } else if variable.name.is_empty() {
                    nameless
                        || variable.kind == Kind::Buffer
                        || variable.kind == Kind::Uniform
                        || variable.kind == Kind::PushConstants
                } else {
                    names.insert(variable.name.as_str())
                }
            })
            .collect()
        })
    }

    /// Whether a variable of the function is declared where the frame is.
    fn is_seen(&self, variable: &Variable) -> bool {
        if self.lines.call_at(variable.origin) != self.at.call {
            return false;
        }
        match variable.kind {
            Kind::Parameter => return true,
            Kind::Value => {
                let seen = self.lines.scope(variable.origin).zip(self.at.place);
                let is_in_scope =
                    seen.is_none_or(|((first, last), here)| (first..=last).contains(&here.line));
                return is_in_scope && self.is_made(variable);
            }
            _ => {}
        }
        let (Some(here), Some(declared)) = (self.at.place, self.lines.place(variable.origin)) else {
            return true;
        };
        if here.file != declared.file {
            return true;
        }
        match self.lines.scope(variable.origin) {
            Some((first, last)) => (first..=last).contains(&here.line),
            None => declared.line <= here.line,
        }
    }

    /// Whether the instruction that makes a value has been executed for certain. One from an earlier pass of a loop may have been, too, but tells nothing here.
    fn is_made(&self, value: &Variable) -> bool {
        let here = self.reader.frame.block;
        if value.block == here {
            return value.origin < self.at.instruction;
        }
        let passed = self.passed.get_or_init(|| {
            let program = self.reader.program;
            let dominators = &program.functions[self.reader.frame.function as usize].dominators;
            let up = |block: &u32| dominators.get(*block as usize).copied().filter(|up| up != block);
            std::iter::successors(Some(here), up).skip(1).collect()
        });
        passed.contains(&value.block)
    }

    /// What a variable is called.
    fn name(&self, variable: &Variable) -> String {
        match self.lines.id(variable.id) {
            Some(id) if variable.name.is_empty() || variable.kind == Kind::Value => format!("%{id}"),
            _ if variable.name.is_empty() => format!("%{}", variable.id),
            _ => variable.name.clone(),
        }
    }

    /// All variables that can be seen, as far as a list shows them.
    pub fn list(&self) -> Vec<VariableView> {
        let views = self.variables().iter().flat_map(|variable| {
            let reference = self.reader.variable(variable);
            let view = |name: String, reference: &Reference| VariableView {
                name,
                // What is a value in the module is a variable of the source.
                kind: match variable.kind {
                    Kind::Value if !self.lines.is_own_text() => Kind::Local,
                    kind => kind,
                },
                value: self.reader.value(reference, 0, &mut LISTED.clone()),
            };
            if !variable.name.is_empty() || variable.kind == Kind::Value {
                return vec![view(self.name(variable), &reference)];
            }
            // The members of a block without a name are names themselves.
            match self.reader.program.types.get(reference.type_) {
                Type::Structure { members, .. } if !members.is_empty() => {
                    let members = members.iter().enumerate();
                    let views = members.filter_map(|(index, member)| {
                        let part = self.reader.part(&reference, &[index as i64]).ok()?;
                        Some(view(member.name.clone()?, &part))
                    });
                    views.collect()
                }
                _ => vec![view(self.name(variable), &reference)],
            }
        });
        views.collect()
    }

    /// The variable of a name, or the block whose member has it; and what the name stands for.
    pub fn find(&self, name: &str) -> Option<(&Variable, Reference)> {
        for variable in self.variables() {
            let is_id = |id: &str| id.parse() == Ok(variable.id) || self.lines.id(variable.id) == Some(id);
            if variable.name == name || name.strip_prefix('%').is_some_and(is_id) {
                return Some((variable, self.reader.variable(variable)));
            }
            if variable.name.is_empty() {
                let reference = self.reader.variable(variable);
                if let Ok(member) = self.reader.member(&reference, name) {
                    return Some((variable, member));
                }
            }
        }
        None
    }

    fn lane_count(&self) -> usize {
        self.reader.registers.lanes()
    }

    pub(super) fn evaluate(&self, expression: &Expression) -> Result<Evaluated, String> {
        let number = |number| Ok(Evaluated::Numbers(vec![Some(number)]));
        match expression {
            Expression::Integer(value) => number(Number::Integer(*value)),
            Expression::Float(value) => number(Number::Float(*value)),
            Expression::Bool(value) => number(Number::Bool(*value)),
            Expression::Name(name) => match self.find(name) {
                Some((_, reference)) => Ok(Evaluated::Reference(reference, 0)),
                None if name == "lane" => {
                    let lanes = 0..self.lane_count() as i64;
                    Ok(Evaluated::Numbers(lanes.map(|lane| Some(Number::Integer(lane))).collect()))
                }
                None => Err(format!("there is no variable `{name}` here")),
            },
            Expression::Member(whole, name) => {
                let whole = self.reference(whole)?;
                Ok(Evaluated::Reference(self.reader.member(&whole, name)?, 0))
            }
            Expression::Index(whole, index) => {
                let whole = self.reference(whole)?;
                let index = self.numbers(index)?;
                let index: Vec<i64> =
                    index.into_iter().map(|index| index.map_or(-1, Number::integer)).collect();
                Ok(Evaluated::Reference(self.reader.part(&whole, &index)?, 0))
            }
            Expression::Cell(whole, row, column) => {
                let whole = self.reference(whole)?;
                let integers = |numbers: Vec<Option<Number>>| -> Vec<i64> {
                    numbers.into_iter().map(|number| number.map_or(-1, Number::integer)).collect()
                };
                let (rows, columns) = (integers(self.numbers(row)?), integers(self.numbers(column)?));
                Ok(Evaluated::Reference(self.reader.cell(&whole, &rows, &columns)?, 0))
            }
            Expression::From(whole, first) => Ok(Evaluated::Reference(self.reference(whole)?, *first)),
            Expression::Negative(inner) => {
                let inner = self.numbers(inner)?.into_iter();
                Ok(Evaluated::Numbers(inner.map(|number| number.map(Number::negative)).collect()))
            }
            Expression::Not(inner) => {
                let inner = self.numbers(inner)?.into_iter();
                let not = |number: Option<Number>| number.map(|number| Number::Bool(!number.truth()));
                Ok(Evaluated::Numbers(inner.map(not).collect()))
            }
            Expression::Binary(operator, a, b) => {
                let (a, b) = (self.numbers(a)?, self.numbers(b)?);
                let count = a.len().max(b.len());
                let pick = |list: &[Option<Number>], lane: usize| *list.get(lane).or(list.first())?;
                let results = (0..count).map(|lane| apply(*operator, pick(&a, lane)?, pick(&b, lane)?));
                Ok(Evaluated::Numbers(results.collect()))
            }
        }
    }

    pub(super) fn reference(&self, expression: &Expression) -> Result<Reference, String> {
        match self.evaluate(expression)? {
            Evaluated::Reference(reference, _) => Ok(reference),
            Evaluated::Numbers(_) => Err("a number has no members or elements".to_owned()),
        }
    }

    pub(super) fn numbers(&self, expression: &Expression) -> Result<Vec<Option<Number>>, String> {
        let reference = match self.evaluate(expression)? {
            Evaluated::Numbers(numbers) => return Ok(numbers),
            Evaluated::Reference(reference, _) => reference,
        };
        match self.reader.value(&reference, 0, &mut 1).content {
            Content::Scalar(lanes) => {
                let number = |lane: usize| {
                    let bits = lanes.bits(lane);
                    (!lanes.is_absent(lane)).then(|| match lanes.kind {
                        LaneKind::Bool => Number::Bool(bits != 0),
                        LaneKind::Float(_) => Number::Float(lanes.kind.number(bits)),
                        LaneKind::Integer { signed: false, .. } | LaneKind::Address => {
                            Number::Integer(bits as i64)
                        }
                        LaneKind::Integer { width, signed: true } => {
                            let unused = 64 - u32::from(width.clamp(1, 64));
                            Number::Integer((bits << unused) as i64 >> unused)
                        }
                    })
                };
                Ok((0..lanes.bits.len()).map(number).collect())
            }
            _ => Err("only numbers can be used in calculations".to_owned()),
        }
    }

    /// What an expression is in every lane.
    pub fn value(&self, text: &str) -> Result<Value, String> {
        match self.evaluate(&parse(text)?)? {
            Evaluated::Reference(reference, first) => {
                Ok(self.reader.value(&reference, first, &mut SHOWN.clone()))
            }
            Evaluated::Numbers(numbers) => Ok(calculated(&numbers)),
        }
    }

    /// Whether a condition holds in any of these lanes.
    pub fn holds(&self, text: &str, lanes: Mask) -> Result<bool, String> {
        let numbers = self.numbers(&parse(text)?)?;
        let lanes = lanes & first_lanes(self.lane_count());
        let truth = |number: &Option<Number>| number.is_some_and(Number::truth);
        Ok(match &numbers[..] {
            [one] => truth(one),
            all => all.iter().enumerate().any(|(lane, number)| lanes >> lane & 1 != 0 && truth(number)),
        })
    }
}

fn calculated(numbers: &[Option<Number>]) -> Value {
    let is = |test: fn(&Number) -> bool| numbers.iter().flatten().any(test);
    let (kind, type_name) = if is(|number| matches!(number, Number::Float(_))) {
        (LaneKind::Float(crate::numerics::Format::F64), "double")
    } else if is(|number| matches!(number, Number::Integer(_))) {
        (LaneKind::Integer { width: 64, signed: true }, "int64_t")
    } else {
        (LaneKind::Bool, "bool")
    };
    let bits = |number: &Option<Number>| match number {
        Some(Number::Integer(value)) => *value as u64,
        Some(Number::Float(value)) => value.to_bits(),
        Some(Number::Bool(value)) => u64::from(*value),
        None => 0,
    };
    let absent = match numbers {
        [None] => Mask::MAX,
        _ => (0..).zip(numbers).fold(0, |mask, (lane, number)| mask | Mask::from(number.is_none()) << lane),
    };
    let lanes = Lanes { kind, bits: numbers.iter().map(bits).collect(), undefined: 0, absent };
    Value { type_name: type_name.to_owned(), content: Content::Scalar(lanes) }
}
