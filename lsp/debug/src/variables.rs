//! Values as trees that a client unfolds: parts, rows of matrices, lanes. A reference stands for an expression, which is evaluated when
//! the client asks for what is in it.

use coopmat_simulator::debugger::{Content, Debugger, Lanes, MatrixValue, Value, VariableKind};

use crate::views::{FrameId, evaluate};

/// Parts that are fetched at most, where the client does not say how many it wants.
const MOST: u64 = 10_000;

/// Elements of a row in a line of text.
const SHOWN: u32 = 8;

/// What is behind a reference.
#[derive(Clone, Debug)]
pub enum Handle {
    /// The variables of these kinds.
    Scope { frame: FrameId, kinds: &'static [VariableKind] },
    /// The members, components or elements of an expression.
    Parts { frame: FrameId, expression: String },
    /// What each lane has.
    Lanes { frame: FrameId, expression: String },
    /// The rows of a matrix.
    Rows { frame: FrameId, expression: String },
    /// The elements of a row.
    Row { frame: FrameId, expression: String, row: u32 },
}

/// A variable or a part of one in a frame, of all lanes or of one.
#[derive(Clone, Debug)]
pub struct Part {
    pub frame: FrameId,
    pub expression: String,
    pub lane: Option<u32>,
}

impl Handle {
    /// What has a name among what is behind the reference.
    ///
    /// # Errors
    /// That it is no variable.
    pub fn part(&self, name: &str) -> Result<Part, String> {
        let (frame, expression, lane) = match self {
            Handle::Scope { frame, .. } => (frame, name.to_owned(), None),
            Handle::Parts { frame, expression } => {
                let point = if name.starts_with('[') { "" } else { "." };
                (frame, format!("{}{point}{name}", whole(expression)), None)
            }
            Handle::Lanes { frame, expression } => {
                let number = name.strip_prefix("lane ").and_then(|rest| rest.split(' ').next());
                let lane = number.and_then(|number| number.parse().ok());
                let lane = lane.ok_or_else(|| format!("there is no lane `{name}`"))?;
                (frame, expression.clone(), Some(lane))
            }
            Handle::Row { frame, expression, .. } => (frame, format!("{}{name}", whole(expression)), None),
            Handle::Rows { .. } => {
                return Err(format!("{name} is a row of a matrix: choose the matrix, or an element"));
            }
        };
        Ok(Part { frame: *frame, expression, lane })
    }
}

/// References that have been given out since the run stopped.
#[derive(Debug, Default)]
pub struct Handles(Vec<Handle>);

impl Handles {
    pub fn add(&mut self, handle: Handle) -> u32 {
        self.0.push(handle);
        self.0.len() as u32
    }

    pub fn get(&self, reference: u32) -> Option<&Handle> {
        self.0.get((reference as usize).checked_sub(1)?)
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// What a client shows of a value.
#[derive(Debug, Default)]
pub struct Shown {
    pub text: String,
    pub reference: u32,
    pub indexed: Option<u32>,
    pub named: Option<u32>,
}

/// A value that an expression has in a frame.
pub fn shown(handles: &mut Handles, frame: FrameId, expression: &str, value: &Value, live: u128) -> Shown {
    let expression = expression.to_owned();
    let mut shown = Shown { text: value.text(live), ..Shown::default() };
    let count = |count: u64| Some(u32::try_from(count).unwrap_or(u32::MAX));
    match &value.content {
        Content::Scalar(lanes) if lanes.agreed(live).is_none() => {
            shown.reference = handles.add(Handle::Lanes { frame, expression });
        }
        Content::Parts { count: 0, .. } | Content::Scalar(_) | Content::Text(_) => {}
        Content::Parts { parts, count: all } => {
            match parts.first().is_none_or(|part| part.name.starts_with('[')) {
                true => shown.indexed = count(*all),
                false => shown.named = count(*all),
            }
            shown.reference = handles.add(Handle::Parts { frame, expression });
        }
        Content::Matrix(matrix) => {
            shown.indexed = Some(matrix.type_.rows);
            shown.reference = handles.add(Handle::Rows { frame, expression });
        }
    }
    shown
}

/// A variable of the protocol.
pub fn variable(
    name: String,
    ty: Option<String>,
    shown: Shown,
    evaluate_name: Option<String>,
) -> dapts::Variable {
    dapts::Variable {
        name,
        value: shown.text,
        ty,
        variables_reference: shown.reference,
        indexed_variables: shown.indexed,
        named_variables: shown.named,
        evaluate_name,
        declaration_location_reference: None,
        memory_reference: None,
        presentation_hint: None,
        value_location_reference: None,
    }
}

/// An expression that goes on with `.x` or `[3]`.
fn whole(expression: &str) -> String {
    let is_path = |char: char| char.is_alphanumeric() || matches!(char, '_' | '.' | '[' | ']' | '%');
    // `a[8 ..]` is no path, and neither is what is calculated.
    if expression.chars().all(is_path) && !expression.contains("..") {
        expression.to_owned()
    } else {
        format!("({expression})")
    }
}

/// What is behind a reference, from a number on.
pub fn unfold(
    handles: &mut Handles,
    debugger: &mut Debugger,
    handle: &Handle,
    (start, count): (u64, Option<u64>),
) -> Result<Vec<dapts::Variable>, String> {
    let many = count.filter(|count| *count > 0).unwrap_or(MOST).min(MOST);
    match handle {
        Handle::Scope { frame, kinds } => {
            let (live, variables) = frame.look(debugger, |debugger, depth| {
                let live = debugger.stack().get(depth).map_or(0, |view| view.live);
                (live, debugger.variables(depth))
            })?;
            let variables = variables.into_iter().filter(|variable| kinds.contains(&variable.kind));
            let variables = variables.skip(start as usize).take(many as usize);
            Ok(variables
                .map(|one| {
                    let shown = shown(handles, *frame, &one.name, &one.value, live);
                    variable(one.name.clone(), Some(one.value.type_name), shown, Some(one.name))
                })
                .collect())
        }
        Handle::Parts { frame, expression } => parts(handles, debugger, *frame, expression, (start, many)),
        Handle::Lanes { frame, expression } => {
            let (value, view) = evaluate(debugger, *frame, expression)?;
            let Content::Scalar(lanes) = &value.content else { return Ok(Vec::new()) };
            let each = (0..view.lanes as usize).filter(|lane| view.live >> lane & 1 == 1);
            let each = each.skip(start as usize).take(many as usize);
            Ok(each
                .map(|lane| {
                    let runs = if view.active >> lane & 1 == 1 { "" } else { " (inactive)" };
                    let shown = Shown { text: of_lane(lanes, lane), ..Shown::default() };
                    variable(format!("lane {lane}{runs}"), Some(value.type_name.clone()), shown, None)
                })
                .collect())
        }
        Handle::Rows { frame, expression } => {
            let (value, _) = evaluate(debugger, *frame, expression)?;
            let Content::Matrix(matrix) = &value.content else { return Ok(Vec::new()) };
            let rows = (0..matrix.type_.rows).skip(start as usize).take(many as usize);
            Ok(rows
                .map(|row| {
                    let handle = Handle::Row { frame: *frame, expression: expression.clone(), row };
                    let shown = Shown {
                        text: row_text(matrix, row),
                        reference: handles.add(handle),
                        indexed: Some(matrix.type_.columns),
                        named: None,
                    };
                    variable(format!("row {row}"), None, shown, None)
                })
                .collect())
        }
        Handle::Row { frame, expression, row } => {
            let (value, _) = evaluate(debugger, *frame, expression)?;
            let Content::Matrix(matrix) = &value.content else { return Ok(Vec::new()) };
            let columns = (0..matrix.type_.columns).skip(start as usize).take(many as usize);
            let component = matrix.type_.component.name();
            Ok(columns
                .map(|column| {
                    let shown = Shown { text: matrix.text(*row, column), ..Shown::default() };
                    let name = format!("[{row}, {column}]");
                    let path = format!("{}{name}", whole(expression));
                    variable(name, Some(component.to_owned()), shown, Some(path))
                })
                .collect())
        }
    }
}

fn of_lane(lanes: &Lanes, lane: usize) -> String {
    if lanes.is_undefined(lane) { "undefined".to_owned() } else { lanes.text(lane) }
}

fn row_text(matrix: &MatrixValue, row: u32) -> String {
    let columns = matrix.type_.columns;
    let mut texts: Vec<String> = (0..columns.min(SHOWN)).map(|column| matrix.text(row, column)).collect();
    if columns > SHOWN {
        texts.push("…".to_owned());
    }
    format!("[{}]", texts.join(", "))
}

/// The debugger shows so many scalars at once; what is cut is asked for again from there.
fn parts(
    handles: &mut Handles,
    debugger: &mut Debugger,
    frame: FrameId,
    expression: &str,
    (start, many): (u64, u64),
) -> Result<Vec<dapts::Variable>, String> {
    let base = whole(expression);
    let mut found = Vec::new();
    let mut at = start;
    loop {
        let (value, view) = evaluate(debugger, frame, &format!("{base}[{at} ..]"))?;
        let Content::Parts { parts, count } = value.content else { return Ok(found) };
        let left = many.saturating_sub(found.len() as u64);
        let is_rest = at.saturating_add(parts.len() as u64) >= count;
        // The last one may be cut, unless it is all that is shown.
        let whole_ones =
            if is_rest || parts.len() == 1 { parts.len() } else { parts.len().saturating_sub(1) };
        for part in parts.into_iter().take(whole_ones).take(usize::try_from(left).unwrap_or(usize::MAX)) {
            let path = format!("{base}{}", part.name);
            let shown = shown(handles, frame, &path, &part.value, view.live);
            let name = part.name.strip_prefix('.').unwrap_or(&part.name).to_owned();
            found.push(variable(name, Some(part.value.type_name), shown, Some(path)));
            at += 1;
        }
        if is_rest || whole_ones == 0 || found.len() as u64 >= many {
            return Ok(found);
        }
    }
}
