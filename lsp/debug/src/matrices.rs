//! Requests of ours beside the protocol's: the matrices of a frame, and one of them with its elements and their owners, for a view that follows
//! the stop.
//!
//! | request | arguments | answer |
//! |---|---|---|
//! | `coopmat/matrices` | `frameId` | `matrices`: what each is, without its elements |
//! | `coopmat/matrix` | `frameId`, `expression` | what it is, its elements, and who owns them |

use coopmat_recipe::matrices::MatrixInfo;
use coopmat_simulator::debugger::{Content, Debugger, Value};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::views::{FrameId, evaluate};

/// The most matrices that are listed, and the most elements and places that are sent.
const MOST: usize = 1000;
const MOST_ELEMENTS: usize = 1 << 20;

/// The arguments of `coopmat/matrices`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InFrame {
    pub frame_id: u64,
}

/// The arguments of `coopmat/matrix`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Of {
    pub frame_id: u64,
    pub expression: String,
}

/// The answer to `coopmat/matrices`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    matrices: Vec<Info>,
    /// Elements of arrays that are not listed because there are too many.
    left_out: u64,
}

/// What a matrix is.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Info {
    /// An expression that `coopmat/matrix` takes.
    name: String,
    #[serde(flatten)]
    matrix: MatrixInfo,
}

/// The answer to `coopmat/matrix`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Matrix {
    #[serde(flatten)]
    info: Info,
    /// In rows; what is not finite as text.
    values: Vec<serde_json::Value>,
    ownership: Ownership,
}

/// Who owns the elements.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Ownership {
    name: String,
    source: String,
    length: u32,
    invocations: u32,
    /// At `invocation * length + i` the index in rows of `m[i]`; 0xffffffff where there is none.
    elements: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// The matrices that a frame can see, those in arrays and structures included.
///
/// # Errors
/// That there is no such frame.
pub fn list(debugger: &mut Debugger, frame: FrameId) -> Result<Listed, String> {
    let variables = frame.look(debugger, |debugger, depth| debugger.variables(depth))?;
    let mut listed = Listed { matrices: Vec::new(), left_out: 0 };
    for variable in variables {
        // A listed variable shows fewer of its parts than an expression does.
        let whole = match &variable.value.content {
            Content::Parts { parts, .. } if has_matrix(&variable.value) && !parts.is_empty() => {
                evaluate(debugger, frame, &variable.name).map_or(variable.value, |(value, _)| value)
            }
            _ => variable.value,
        };
        listed.add(variable.name, &whole);
    }
    Ok(listed)
}

fn has_matrix(value: &Value) -> bool {
    match &value.content {
        Content::Matrix(_) => true,
        Content::Parts { parts, .. } => parts.iter().any(|part| has_matrix(&part.value)),
        Content::Scalar(_) | Content::Text(_) => false,
    }
}

impl Listed {
    fn add(&mut self, name: String, value: &Value) {
        match &value.content {
            Content::Matrix(matrix) if self.matrices.len() < MOST => {
                self.matrices.push(Info { name, matrix: MatrixInfo::new(matrix) });
            }
            Content::Matrix(_) => self.left_out += 1,
            Content::Parts { parts, count } => {
                if has_matrix(value) {
                    self.left_out += count.saturating_sub(parts.len() as u64);
                }
                for part in parts {
                    self.add(format!("{name}{}", part.name), &part.value);
                }
            }
            Content::Scalar(_) | Content::Text(_) => {}
        }
    }
}

/// A matrix with its elements.
///
/// # Errors
/// That the expression is no matrix, or one with too many elements.
pub fn one(debugger: &mut Debugger, frame: FrameId, expression: &str) -> Result<Matrix, String> {
    let (value, _) = evaluate(debugger, frame, expression)?;
    let Content::Matrix(found) = &value.content else {
        return Err(format!("`{expression}` is no cooperative matrix: it is of type `{}`", value.type_name));
    };
    let type_ = found.type_;
    let (ownership, map) = debugger.owners(&type_);
    if type_.count().max(map.elements().len()) > MOST_ELEMENTS {
        return Err(format!("`{expression}` has {} elements, which are too many to draw", type_.count()));
    }
    let number = |index| {
        let number = found.matrix.as_ref().map_or(0.0, |matrix| matrix.number(index));
        if number.is_finite() { json!(number) } else { json!(number.to_string()) }
    };
    Ok(Matrix {
        info: Info { name: expression.to_owned(), matrix: MatrixInfo::whole(found) },
        values: (0..type_.count()).map(number).collect(),
        ownership: Ownership {
            name: ownership.name().to_owned(),
            source: ownership.source().to_owned(),
            length: map.length(),
            invocations: map.invocations(),
            elements: map.elements().to_vec(),
            note: map.note().map(str::to_owned),
        },
    })
}
