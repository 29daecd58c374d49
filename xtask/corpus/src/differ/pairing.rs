//! What is left when equal operations are taken away, with each operation beside the one of the other module that it is most like.

use std::collections::BTreeMap;
use std::fmt;

use super::operations::Operation;

/// Which module an operation is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Ours,
    Theirs,
}

/// One difference, and how often it occurs in the two modules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub ours: Option<Operation>,
    pub theirs: Option<Operation>,
    pub times: u64,
}

impl Difference {
    /// What kind of difference it is: the operation, and the fields that differ or the one module that has it.
    pub fn kind(&self) -> String {
        match (&self.ours, &self.theirs) {
            (Some(ours), Some(theirs)) => {
                let fields = differing(ours, theirs).into_iter().map(|field| {
                    let (our, their) = (field_of(ours, field).join(" "), field_of(theirs, field).join(" "));
                    // A constant is written as its type and its value, what is computed as its type alone.
                    match (our.strip_prefix(&their), their.strip_prefix(&our)) {
                        (Some(value), _) if value.starts_with(' ') => format!("{field} is constant in ours"),
                        (_, Some(value)) if value.starts_with(' ') => {
                            format!("{field} is constant in glslang's")
                        }
                        _ => field.to_owned(),
                    }
                });
                format!("{}: {}", ours.name, fields.collect::<Vec<_>>().join(", "))
            }
            (Some(ours), None) => format!("{}: only ours", ours.name),
            (None, Some(theirs)) => format!("{}: only glslang's", theirs.name),
            (None, None) => String::new(),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "{} ({} times)", self.kind(), self.times)?;
        for (side, operation) in [("ours", &self.ours), ("glslang's", &self.theirs)] {
            let Some(operation) = operation else { continue };
            writeln!(f, "  {side}: {}", operation.name)?;
            for (field, value) in &operation.fields {
                writeln!(f, "      {field}: {value}")?;
            }
        }
        Ok(())
    }
}

/// What one side does more often than the other, and how much more.
type Surplus = Vec<(Operation, u64)>;

/// From how many more times (or, negative, fewer) ours has each operation than theirs.
pub fn differences(counts: BTreeMap<Operation, i64>) -> Vec<Difference> {
    let mut by_name: BTreeMap<String, (Surplus, Surplus)> = BTreeMap::new();
    for (operation, count) in counts {
        let sides = by_name.entry(operation.name.clone()).or_default();
        match count {
            0 => {}
            1.. => sides.0.push((operation, count.unsigned_abs())),
            _ => sides.1.push((operation, count.unsigned_abs())),
        }
    }
    let mut found = Vec::new();
    for (mut ours, mut theirs) in by_name.into_values() {
        while let Some((left, right)) = most_alike(&ours, &theirs) {
            let times = ours[left].1.min(theirs[right].1);
            found.push(Difference {
                ours: Some(ours[left].0.clone()),
                theirs: Some(theirs[right].0.clone()),
                times,
            });
            taken(&mut ours, left, times);
            taken(&mut theirs, right, times);
        }
        let alone = |side: Side| {
            move |(operation, times): (Operation, u64)| match side {
                Side::Ours => Difference { ours: Some(operation), theirs: None, times },
                Side::Theirs => Difference { ours: None, theirs: Some(operation), times },
            }
        };
        found.extend(ours.into_iter().map(alone(Side::Ours)));
        found.extend(theirs.into_iter().map(alone(Side::Theirs)));
    }
    found
}

fn taken(operations: &mut Vec<(Operation, u64)>, index: usize, times: u64) {
    operations[index].1 -= times;
    if operations[index].1 == 0 {
        operations.remove(index);
    }
}

/// The places of the two operations that differ in the fewest fields.
fn most_alike(ours: &[(Operation, u64)], theirs: &[(Operation, u64)]) -> Option<(usize, usize)> {
    let mut best: Option<(usize, usize, usize)> = None;
    for (left, (our, _)) in ours.iter().enumerate() {
        for (right, (their, _)) in theirs.iter().enumerate() {
            let fields = differing(our, their).len();
            if best.is_none_or(|(fewest, _, _)| fields < fewest) {
                best = Some((fields, left, right));
            }
        }
    }
    best.map(|(_, left, right)| (left, right))
}

/// The names of the fields that differ, or that one of them lacks.
fn differing(ours: &Operation, theirs: &Operation) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for (field, _) in ours.fields.iter().chain(&theirs.fields) {
        if !names.contains(field) && field_of(ours, field) != field_of(theirs, field) {
            names.push(field);
        }
    }
    names
}

fn field_of<'o>(operation: &'o Operation, wanted: &str) -> Vec<&'o str> {
    let fields = operation.fields.iter().filter(|(field, _)| *field == wanted);
    fields.map(|(_, value)| value.as_str()).collect()
}
