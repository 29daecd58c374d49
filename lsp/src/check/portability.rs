//! `check --portability`: for each shader, which device profiles accept it, what stops the others, and the nearest that would pass.

use std::fmt::Write as _;

use coopmat_analysis::diagnostics::Severity;
use coopmat_analysis::not_looked_at;
use coopmat_ide::portability;
use coopmat_ide::portability::{Portability, Row, Stop, Verdict};
use schemars::JsonSchema;
use serde::Serialize;

use super::json::VERSION;
use super::positions::Lines;
use crate::embedded::file_of;
use crate::schema;

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

/// Where a stop is, counted from 1, columns in characters.
#[derive(Serialize, JsonSchema)]
struct Place {
    path: String,
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
            Place { path: file_of(&file.path).to_owned(), line, column }
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

/// What `check --portability --format json` prints.
#[derive(Serialize, JsonSchema)]
struct PortabilityReport<'t> {
    /// Of this format: it grows if something is removed, or changes its meaning. Keys may be added without that.
    #[schemars(extend("const" = VERSION))]
    version: u32,
    /// Each under each configuration that it was checked under.
    shaders: Vec<Shader<'t>>,
}

#[derive(Serialize, JsonSchema)]
struct Shader<'t> {
    path: &'t str,
    /// The name of the configuration.
    configuration: &'t str,
    /// In words.
    summary: String,
    /// How many errors the shader has. The rest is of what could be understood.
    errors: usize,
    devices: Vec<Device<'t>>,
}

/// What one device profile says.
#[derive(Serialize, JsonSchema)]
struct Device<'t> {
    name: &'t str,
    /// The device in words.
    title: &'t str,
    #[schemars(with = "VerdictName")]
    verdict: Verdict,
    /// What stops the shader.
    stops: Vec<JsonStop<'t>>,
    /// What the device needs besides, in words.
    conditions: Vec<&'t str>,
    /// What the profile does not say, in words.
    unknown: Vec<&'t str>,
    /// The specialization constants whose defaults the verdict depends on.
    defaults: Vec<String>,
}

/// `rejects-defaults`: stopped by the defaults of specialization constants, which a pipeline may override.
#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case")]
#[expect(dead_code, reason = "only its schema is wanted")]
enum VerdictName {
    Accepts,
    Unknown,
    RejectsDefaults,
    Rejects,
}

/// One thing that stops a shader.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Stop")]
struct JsonStop<'t> {
    /// The diagnostic's id.
    id: &'t str,
    message: &'t str,
    /// The nearest value that would pass, in words.
    nearest: Option<&'t str>,
    /// The specialization constants whose defaults it is about.
    defaults: Vec<String>,
    location: &'t Place,
}

/// The schema of the report.
pub fn schema() -> String {
    schema::of::<PortabilityReport>("Report of coopmat-analyzer check --portability --format json")
}

pub fn json(tables: &[Table]) -> String {
    let report = PortabilityReport { version: VERSION, shaders: tables.iter().map(shader).collect() };
    serde_json::to_string_pretty(&report).unwrap_or_default() + "\n"
}

fn shader(table: &Table) -> Shader<'_> {
    let rows = table.table.rows.iter().zip(&table.places);
    Shader {
        path: &table.path,
        configuration: &table.configuration,
        summary: table.table.summary(),
        errors: table.errors,
        devices: rows.map(|(row, places)| device(row, places)).collect(),
    }
}

fn device<'t>(row: &'t Row, places: &'t [Place]) -> Device<'t> {
    let stop = |(stop, location): (&'t Stop, &'t Place)| JsonStop {
        id: stop.code,
        message: &stop.message,
        nearest: stop.nearest.as_deref(),
        defaults: strings(&stop.defaults),
        location,
    };
    Device {
        name: &row.name,
        title: &row.title,
        verdict: row.verdict,
        stops: row.stops.iter().zip(places).map(stop).collect(),
        conditions: row.conditions.iter().map(|words| &**words).collect(),
        unknown: row.unknown.iter().map(|words| &**words).collect(),
        defaults: strings(&row.defaults),
    }
}

fn strings<T: ToString>(names: &[T]) -> Vec<String> {
    names.iter().map(T::to_string).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_schema_file_is_up_to_date() {
        expect_test::expect_file!["../../portability-report.schema.json"].assert_eq(&super::schema());
    }
}
