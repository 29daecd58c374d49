//! `check --portability`: for each shader, which device profiles accept it, what stops the others, and the nearest that would pass.

use std::fmt::Write as _;
use std::sync::Arc;

use coopmat_analysis::diagnostics::Severity;
use coopmat_analysis::not_looked_at;
use coopmat_ide::portability;
use coopmat_ide::portability::{Portability, Row, Stop, Verdict};
use serde_json::{Value, json};

use super::positions::Lines;
use crate::embedded::file_of;

/// The table of one shader under one configuration.
pub struct Table {
    path: String,
    configuration: String,
    /// The table is of what could be understood.
    pub errors: usize,
    /// There are errors, or a part of the text was not looked at and the configuration does not accept that.
    pub incomplete: bool,
    table: Portability,
    /// For each stop of each row.
    places: Vec<Vec<Place>>,
}

/// Where a stop is, counted from 1.
struct Place {
    path: Arc<str>,
    line: usize,
    column: usize,
}

/// Stops of one device that the text form names.
const NAMED: usize = 3;

impl Table {
    pub fn new(path: &str, analysis: &coopmat_analysis::Analysis) -> Table {
        let table = portability::table(analysis);
        let place = |stop: &Stop| {
            let file = &analysis.files()[stop.location.file];
            let offset = usize::from(stop.location.range.start()).min(file.text.len());
            let (line, column) = Lines::new(&file.text).position(offset);
            Place { path: file_of(&file.path).into(), line, column }
        };
        Table {
            path: path.to_owned(),
            configuration: analysis.config.name.clone(),
            errors: analysis.diagnostics.iter().filter(|d| d.severity == Severity::Error).count(),
            incomplete: analysis.diagnostics.iter().any(|told| {
                let allowed = not_looked_at(analysis, told).is_some_and(|found| found.allowed);
                told.prevents_module() && !allowed
            }),
            places: table.rows.iter().map(|row| row.stops.iter().map(place).collect()).collect(),
            table,
        }
    }
}

pub fn text(tables: &[Table]) -> String {
    let mut out = String::new();
    for (number, table) in tables.iter().enumerate() {
        if number > 0 {
            out.push('\n');
        }
        let name = if table.configuration == "default" {
            String::new()
        } else {
            format!(" (configuration `{}`)", table.configuration)
        };
        let _ = writeln!(out, "{}{name}: {}", table.path, table.table.summary());
        if table.errors > 0 {
            let _ = writeln!(
                out,
                "  the shader has {} errors: this covers only what could be analysed",
                table.errors
            );
        } else if table.incomplete {
            let _ =
                writeln!(out, "  the shader was not fully analysed: this covers only what could be analysed");
        }
        let width = table.table.rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
        for (row, places) in table.table.rows.iter().zip(&table.places) {
            lines(row, places, width, &mut out);
        }
    }
    out
}

fn lines(row: &Row, places: &[Place], width: usize, out: &mut String) {
    let _ = writeln!(out, "  {:<width$}  {}", row.name, row.verdict.name());
    let mut say = |text: &str| {
        let _ = writeln!(out, "  {:<width$}    {text}", "");
    };
    for (stop, place) in row.stops.iter().zip(places).take(NAMED) {
        say(&format!("{}:{}:{}: {}", place.path, place.line, place.column, stop.message));
        if let Some(nearest) = &stop.nearest {
            say(&format!("  nearest value that would pass: {nearest}"));
        }
    }
    if row.stops.len() > NAMED {
        say(&format!("and {} more", row.stops.len() - NAMED));
    }
    for condition in &row.conditions {
        say(condition);
    }
    if row.verdict != Verdict::Rejects {
        for unknown in &row.unknown {
            say(&format!("not known: {unknown}"));
        }
        if !row.defaults.is_empty() {
            say(&format!("depends on the defaults of {}", row.defaults.join(", ")));
        }
    }
}

/// `{"version": 1, "shaders": [{"path", "configuration", "summary", "errors", "devices": [...]}]}`
pub fn json(tables: &[Table]) -> String {
    let shaders: Vec<Value> = tables
        .iter()
        .map(|table| {
            let rows = table.table.rows.iter().zip(&table.places);
            let devices: Vec<Value> = rows.map(|(row, places)| device(row, places)).collect();
            json!({
                "path": table.path,
                "configuration": table.configuration,
                "summary": table.table.summary(),
                "errors": table.errors,
                "devices": devices,
            })
        })
        .collect();
    format!("{:#}\n", json!({"version": 1, "shaders": shaders}))
}

fn device(row: &Row, places: &[Place]) -> Value {
    let stops: Vec<Value> = row
        .stops
        .iter()
        .zip(places)
        .map(|(stop, place)| {
            json!({
                "id": stop.code,
                "message": stop.message,
                "nearest": stop.nearest,
                "defaults": strings(&stop.defaults),
                "location": {"path": &*place.path, "line": place.line, "column": place.column},
            })
        })
        .collect();
    json!({
        "name": row.name,
        "title": row.title,
        "verdict": row.verdict,
        "stops": stops,
        "conditions": row.conditions,
        "unknown": row.unknown,
        "defaults": strings(&row.defaults),
    })
}

fn strings<T: ToString>(names: &[T]) -> Vec<String> {
    names.iter().map(T::to_string).collect()
}
