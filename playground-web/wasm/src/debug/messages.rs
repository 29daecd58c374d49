//! What the debugger and the page say to each other, as JSON.

use coopmat_recipe::matrices::MatrixInfo;
use coopmat_recipe::report::Modes;
use coopmat_simulator::debugger::{
    Content, FrameView, Lanes, Lines, Place as Spot, Status, SubgroupView, Value as Shown, VariableKind,
};
use serde::{Deserialize, Serialize};

use crate::places::{Place, Position};

/// A breakpoint as the page says it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Breakpoint", optional_fields))]
pub struct Wanted {
    pub file: String,
    /// Counted from 0.
    pub line: u32,
    /// An expression that has to hold for an active lane.
    pub condition: Option<String>,
    /// Of this one alone.
    pub workgroup: Option<[u32; 3]>,
    pub subgroup: Option<u32>,
}

/// Where the run stands. Time counts instructions.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct State<'a> {
    pub reason: Option<Reason<'a>>,
    pub time: u64,
    pub furthest: u64,
    /// The time at which the run ends, once it got there.
    pub end: Option<u64>,
    pub workgroup: [u32; 3],
    pub subgroup: u32,
    pub stack: Vec<Frame>,
    pub subgroups: Vec<Subgroup>,
    pub findings: Vec<Finding<'a>>,
    /// What debugPrintfEXT wrote.
    pub log: &'a [String],
    pub modes: &'a Modes,
}

/// Why a motion ended.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Reason<'a> {
    Step,
    Breakpoint { index: usize },
    Finding,
    Time,
    Start,
    End,
    Error { message: &'a str },
    Cancelled,
}

/// A call.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Frame {
    function: String,
    place: Option<Place>,
    instruction: u32,
    /// Lanes as digits, `1` for those that run.
    active: String,
    /// `1` for those that have not returned.
    live: String,
    /// Lanes are elements of a matrix.
    elements: bool,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Subgroup {
    index: u32,
    status: &'static str,
    place: Option<Place>,
    active: u32,
    lanes: u32,
}

/// Of checked mode.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "DebuggerFinding"))]
pub struct Finding<'a> {
    pub kind: &'static str,
    pub message: &'a str,
    pub place: Option<Place>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Variable {
    pub name: String,
    pub kind: &'static str,
    pub value: Value,
}

/// A value as the lanes have it: besides its text, what its lanes have, its parts, or the type of the matrix.
#[derive(Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct Value {
    r#type: String,
    /// In one line.
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    lanes: Option<LaneValues>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<Vec<Part>>,
    /// How many parts there are, shown or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    matrix: Option<MatrixInfo>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct LaneValues {
    /// One text for all lanes, or one for each; null where a lane has none.
    values: Vec<Option<String>>,
    /// Lanes as digits, `1` where the value is undefined.
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Part {
    name: String,
    value: Value,
}

/// What an expression is.
#[derive(Serialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Evaluated {
    Value(Box<Value>),
    Error { error: String },
}

pub fn place(lines: &Lines, spot: Spot) -> Place {
    Place {
        file: lines.files.get(spot.file as usize).cloned().unwrap_or_default(),
        start: Position { line: spot.line, character: spot.column },
        end: Position { line: spot.end_line, character: spot.end_column },
    }
}

/// Lanes as a text of digits: `1` for those in the mask.
fn mask(mask: u128, lanes: u32) -> String {
    (0..lanes).map(|lane| if mask >> lane & 1 == 1 { '1' } else { '0' }).collect()
}

pub fn frame(lines: &Lines, view: &FrameView) -> Frame {
    Frame {
        function: match view.inlined {
            true => format!("{} (inlined)", view.function),
            false => view.function.clone(),
        },
        place: view.place.map(|spot| place(lines, spot)),
        instruction: view.instruction,
        active: mask(view.active, view.lanes),
        live: mask(view.live, view.lanes),
        elements: view.elements,
    }
}

pub fn subgroup(lines: &Lines, view: &SubgroupView) -> Subgroup {
    Subgroup {
        index: view.index,
        status: match view.status {
            Status::Running => "running",
            Status::Ready => "ready",
            Status::Barrier => "at a barrier",
            Status::Together => "waits for all subgroups",
            Status::Ended => "ended",
        },
        place: view.place.map(|spot| place(lines, spot)),
        active: view.active.count_ones(),
        lanes: view.lanes,
    }
}

pub fn kind(kind: VariableKind) -> &'static str {
    match kind {
        VariableKind::Parameter => "parameter",
        VariableKind::Local => "local",
        VariableKind::Value => "value",
        VariableKind::Private => "global",
        VariableKind::Input => "built-in",
        VariableKind::Shared => "shared",
        VariableKind::PushConstants => "push constants",
        VariableKind::Buffer => "buffer",
        VariableKind::Uniform => "uniform",
        VariableKind::Opaque => "resource",
        VariableKind::Constant => "constant",
    }
}

/// `whole`: matrices with what is undefined in them.
pub fn value(shown: &Shown, live: u128, whole: bool) -> Value {
    let made = Value { r#type: shown.type_name.to_string(), text: shown.text(live), ..Value::default() };
    match &shown.content {
        Content::Scalar(values) => Value { lanes: Some(lanes(values)), ..made },
        Content::Parts { parts, count } => {
            let part = |part: &coopmat_simulator::debugger::Part| Part {
                name: part.name.to_string(),
                value: value(&part.value, live, whole),
            };
            Value { parts: Some(parts.iter().map(part).collect()), count: Some(*count), ..made }
        }
        Content::Matrix(matrix) => {
            let info = if whole { MatrixInfo::whole(matrix) } else { MatrixInfo::new(matrix) };
            Value { matrix: Some(info), ..made }
        }
        Content::Text(_) => made,
    }
}

fn lanes(lanes: &Lanes) -> LaneValues {
    let text = |lane: usize| (!lanes.is_absent(lane)).then(|| lanes.text(lane));
    LaneValues {
        values: (0..lanes.bits.len()).map(text).collect(),
        undefined: (lanes.undefined != 0).then(|| mask(lanes.undefined, 128)),
    }
}
