//! Test support: shaders that say in comments which diagnostics they expect.
//!
//! ```text
//! //! define: TILE=16
//! //- /main.comp
//! #version 450
//! #include "tpyes.glsl"
//! //       ^^^^^^^^^^^^ preprocessor-include-not-found: cannot find
//! //- /types.glsl
//! #define FLOAT float
//! ```
//!
//! - A marker line holds `^^^ id: part of the message` for each diagnostic of the line above it (of the last line that is no
//!   marker): the carets cover its range exactly, or as much as there is of it in that line. The message may be left out.
//!   `// <- id` is for a range that starts at the line's first character that is no blank, however long it is.
//! - Lines `//! key: value` at the top set the configuration: `define`, `include`, `target-env`, `device`, `subgroup-size`,
//!   `google-include`, `guessed`, `like`, `stage`, `spec` (`3=16`), and `only: error,warning` restricts which severities are compared. A `device` is one that comes along, or a
//!   file of the fixture.
//! - `//- /path` starts a file; the first one is the root. Without such a line the root is `/main.comp`.
//! - `$0` is a cursor; it is taken out of the text.
//!
//! Compiled into the library so that the tests of every crate can use it; nothing but tests does.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::config::{Configuration, SpecializationValue, Stage};
use crate::devices::DeviceProfile;
use crate::diagnostics::{Diagnostic, Severity};
use crate::sources::{FileLoader, SourceFiles};
use crate::text::TextSize;

#[derive(Debug)]
pub struct Fixture {
    pub config: Configuration,
    /// The root first.
    pub files: Vec<FixtureFile>,
    /// Index of the file, and the offset in it.
    pub cursor: Option<(usize, TextSize)>,
    expected: Vec<Expected>,
    only: Option<Vec<Severity>>,
}

#[derive(Debug)]
pub struct FixtureFile {
    pub path: String,
    pub text: Arc<str>,
}

#[derive(Debug)]
struct Expected {
    file: usize,
    /// From 0.
    line: usize,
    /// Columns in characters; no end for `<-`.
    start: usize,
    end: Option<usize>,
    id: String,
    message: String,
}

/// What a run over a fixture reported, with the paths of the files that the diagnostics name.
pub struct Reported {
    pub paths: Vec<Arc<str>>,
    pub diagnostics: Vec<Diagnostic>,
}

impl Reported {
    pub fn new(files: &SourceFiles, diagnostics: Vec<Diagnostic>) -> Reported {
        Reported { paths: files.iter().map(|(_, file)| file.path.clone()).collect(), diagnostics }
    }
}

impl FileLoader for Fixture {
    fn load(&self, path: &str) -> Option<Arc<str>> {
        self.files.iter().find(|file| file.path == path).map(|file| file.text.clone())
    }
}

impl Fixture {
    pub fn parse(source: &str) -> Fixture {
        let mut fixture = Fixture {
            config: Configuration { name: "fixture".to_owned(), ..Configuration::default() },
            files: Vec::new(),
            cursor: None,
            expected: Vec::new(),
            only: None,
        };
        let mut path = "/main.comp".to_owned();
        let mut text = String::new();
        let mut in_header = true;
        for line in source.split_inclusive('\n') {
            if let Some(name) = line.strip_prefix("//- ") {
                if !text.trim().is_empty() || !fixture.files.is_empty() {
                    fixture.finish_file(&path, &text);
                }
                path = name.trim().to_owned();
                text.clear();
                in_header = false;
                continue;
            }
            if in_header {
                if let Some(setting) = line.strip_prefix("//!") {
                    fixture.setting(setting.trim());
                    // Kept out of multi-file fixtures, but offsets in a single file stay those of the source.
                    continue;
                }
                in_header = line.trim().is_empty();
            }
            text.push_str(line);
        }
        fixture.finish_file(&path, &text);
        if let Some(profile) = fixture.config.device.as_deref().and_then(|path| fixture.load(path)) {
            let profile = DeviceProfile::parse(&profile).unwrap_or_else(|error| panic!("{error}"));
            fixture.config.profile = Some(Arc::new(profile));
        }
        fixture
    }

    pub fn root(&self) -> &FixtureFile {
        &self.files[0]
    }

    fn setting(&mut self, setting: &str) {
        let (key, value) = setting.split_once(':').map_or((setting, ""), |(key, value)| (key, value.trim()));
        let config = &mut self.config;
        match key {
            "define" => match value.split_once('=') {
                Some((name, value)) => config.defines.push((name.to_owned(), Some(value.to_owned()))),
                None => config.defines.push((value.to_owned(), None)),
            },
            "include" => config.include_dirs.push(value.to_owned()),
            "preamble" => config.preamble.files.push(value.to_owned()),
            "preamble-place" => config.preamble.at_start = value == "start",
            "version" => config.version = Some(parse(value)),
            "target-env" => config.target_env = value.parse().unwrap_or_else(|error| panic!("{error}")),
            "device" => config.device = Some(value.to_owned()),
            "subgroup-size" => config.subgroup_size = Some(parse(value)),
            "google-include" => config.google_include = true,
            "guessed" => config.guessed = true,
            "like" => config.like = Some(value.parse().unwrap_or_else(|error| panic!("{error}"))),
            "stage" => {
                let stage = Stage::of_path(&format!("x.{value}"));
                config.stage = Some(stage.unwrap_or_else(|| panic!("unknown stage `{value}`")));
            }
            "spec" => {
                let (id, value) =
                    value.split_once('=').unwrap_or_else(|| panic!("expected `spec: ID=VALUE`"));
                let value = match value {
                    "true" => SpecializationValue::Bool(true),
                    "false" => SpecializationValue::Bool(false),
                    value if value.contains('.') => SpecializationValue::Float(parse::<f64>(value).to_bits()),
                    value => SpecializationValue::Int(parse(value)),
                };
                config.specialization.push((parse(id), value));
            }
            "only" => {
                let severity = |name: &str| match name.trim() {
                    "error" => Severity::Error,
                    "warning" => Severity::Warning,
                    "information" => Severity::Information,
                    "hint" => Severity::Hint,
                    other => panic!("unknown severity `{other}`"),
                };
                self.only = Some(value.split(',').map(severity).collect());
            }
            other => panic!("unknown setting `{other}` in a fixture"),
        }
    }

    fn finish_file(&mut self, path: &str, text: &str) {
        let file = self.files.len();
        let mut text = text.to_owned();
        if let Some(at) = text.find("$0") {
            text.replace_range(at..at + 2, "");
            assert!(self.cursor.is_none() && !text.contains("$0"), "a fixture has one cursor at most");
            self.cursor = Some((file, TextSize::new(at as u32)));
        }
        let mut target = 0;
        for (number, line) in text.lines().enumerate() {
            let markers = markers(line);
            if markers.is_empty() {
                target = number;
            }
            for (start, end, id, message) in markers {
                let start = start.unwrap_or_else(|| {
                    let above = text.lines().nth(target).unwrap_or_default();
                    above.chars().take_while(|c| c.is_whitespace()).count()
                });
                self.expected.push(Expected { file, line: target, start, end, id, message });
            }
        }
        self.files.push(FixtureFile { path: path.to_owned(), text: text.into() });
    }
}

fn parse<T: std::str::FromStr>(text: &str) -> T {
    text.trim().parse().unwrap_or_else(|_| panic!("`{text}` is no number"))
}

/// Start (none for `<-`), end, id and message part of each marker of a line.
fn markers(line: &str) -> Vec<(Option<usize>, Option<usize>, String, String)> {
    let Some(comment) = line.trim_start().strip_prefix("//") else { return Vec::new() };
    if let Some(rest) = comment.trim_start().strip_prefix("<- ") {
        let (id, message) = id_and_message(rest);
        return if is_id(&id) { vec![(None, None, id, message)] } else { Vec::new() };
    }
    if !comment.trim_start().starts_with('^') {
        return Vec::new();
    }
    let characters: Vec<char> = line.chars().collect();
    let mut runs = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        if characters[at] == '^' {
            let start = at;
            while characters.get(at) == Some(&'^') {
                at += 1;
            }
            if characters.get(at) == Some(&' ')
                && matches!(characters.get(start.wrapping_sub(1)), Some(' ' | '/'))
            {
                runs.push((start, at));
            }
        } else {
            at += 1;
        }
    }
    let mut found = Vec::new();
    for (index, &(start, end)) in runs.iter().enumerate() {
        let until = runs.get(index + 1).map_or(characters.len(), |next| next.0);
        let text: String = characters[end..until].iter().collect();
        let (id, message) = id_and_message(&text);
        assert!(is_id(&id), "`{id}` is no diagnostic id, in the marker line\n{line}");
        found.push((Some(start), Some(end), id, message));
    }
    found
}

fn id_and_message(text: &str) -> (String, String) {
    let (id, message) = text.trim().split_once(':').unwrap_or((text.trim(), ""));
    (id.trim().to_owned(), message.trim().to_owned())
}

fn is_id(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// Runs `report` over a fixture and compares what it reports with the fixture's markers. Panics with the difference.
pub fn check(source: &str, report: impl FnOnce(&str, Arc<str>, &Configuration, &dyn FileLoader) -> Reported) {
    if let Err(difference) = compare(source, report) {
        panic!("{difference}");
    }
}

/// As [`check`], with the difference as a value.
pub fn compare(
    source: &str,
    report: impl FnOnce(&str, Arc<str>, &Configuration, &dyn FileLoader) -> Reported,
) -> Result<(), String> {
    let fixture = Fixture::parse(source);
    let root = fixture.root();
    let reported = report(&root.path, root.text.clone(), &fixture.config, &fixture);

    let mut missing: Vec<&Expected> = fixture.expected.iter().collect();
    let mut unexpected = Vec::new();
    for diagnostic in &reported.diagnostics {
        if fixture.only.as_ref().is_some_and(|only| !only.contains(&diagnostic.severity)) {
            continue;
        }
        let Some(found) = locate(&fixture, &reported, diagnostic) else {
            unexpected
                .push(format!("    in a file that is not part of the fixture: {}", describe(diagnostic)));
            continue;
        };
        let matching = missing.iter().position(|expected| {
            expected.file == found.file
                && expected.line == found.line
                && expected.start == found.start
                && expected.end.is_none_or(|end| end == found.end)
                && expected.id == diagnostic.code.id
                && diagnostic.message.contains(&expected.message)
        });
        match matching {
            Some(index) => {
                missing.remove(index);
            }
            None => unexpected.push(found.show(&fixture, &describe(diagnostic))),
        }
    }
    if missing.is_empty() && unexpected.is_empty() {
        return Ok(());
    }
    let mut out = String::from("the diagnostics differ from the markers\n");
    if !missing.is_empty() {
        out.push_str("\n  expected, but not reported:\n");
        for expected in missing {
            let place = Located {
                file: expected.file,
                line: expected.line,
                start: expected.start,
                end: expected.end.unwrap_or(expected.start + 1),
            };
            let message = format!("{}: {}", expected.id, expected.message);
            let _ = writeln!(out, "{}", place.show(&fixture, message.trim_end_matches([' ', ':'])));
        }
    }
    if !unexpected.is_empty() {
        out.push_str("\n  reported, but not expected:\n");
        for shown in unexpected {
            let _ = writeln!(out, "{shown}");
        }
    }
    Err(out)
}

fn describe(diagnostic: &Diagnostic) -> String {
    format!("{}: {} ({})", diagnostic.code.id, diagnostic.message, diagnostic.severity.name())
}

struct Located {
    file: usize,
    line: usize,
    start: usize,
    end: usize,
}

impl Located {
    fn show(&self, fixture: &Fixture, message: &str) -> String {
        let file = &fixture.files[self.file];
        let line = file.text.lines().nth(self.line).unwrap_or_default();
        let mut carets = " ".repeat(self.start);
        carets.push_str(&"^".repeat(self.end.saturating_sub(self.start).max(1)));
        format!("    {}:{}\n    | {line}\n    | {carets} {message}", file.path, self.line + 1)
    }
}

/// The line and the columns of a diagnostic; what reaches into further lines is cut.
fn locate(fixture: &Fixture, reported: &Reported, diagnostic: &Diagnostic) -> Option<Located> {
    let path = reported.paths.get(diagnostic.location.file.0 as usize)?;
    let file = fixture.files.iter().position(|file| file.path == **path)?;
    let text = &fixture.files[file].text;
    let start = usize::from(diagnostic.location.range.start()).min(text.len());
    let end = usize::from(diagnostic.location.range.end()).min(text.len());
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find(['\n', '\r']).map_or(text.len(), |at| start + at);
    let columns = |range: &str| range.chars().count();
    let column = columns(&text[line_start..start]);
    Some(Located {
        file,
        line: text[..line_start].matches('\n').count(),
        start: column,
        end: column + columns(&text[start..end.min(line_end).max(start)]),
    })
}

/// A text without its marker lines.
pub fn without_markers(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| markers(line.trim_end()).is_empty()).collect()
}

/// The examples of a diagnostic's page: the shaders under `## Wrong` and those under `## Right`.
pub fn page_examples(page: &str) -> (Vec<&str>, Vec<&str>) {
    let (mut wrong, mut right) = (Vec::new(), Vec::new());
    let mut section = "";
    let mut block = None;
    let mut at = 0;
    for line in page.split_inclusive('\n') {
        let next = at + line.len();
        match (block, line.trim_end()) {
            (None, heading) if heading.starts_with("## ") => section = heading.trim_start_matches("## "),
            (None, "```glsl") => block = Some(next),
            (Some(start), "```") => {
                match section {
                    "Wrong" => wrong.push(&page[start..at]),
                    "Right" => right.push(&page[start..at]),
                    _ => {}
                }
                block = None;
            }
            _ => {}
        }
        at = next;
    }
    (wrong, right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::codes;
    use crate::text::{FileId, FileRange, TextRange};

    fn report(at: &[(u32, u32)]) -> impl FnOnce(&str, Arc<str>, &Configuration, &dyn FileLoader) -> Reported {
        let diagnostics = at
            .iter()
            .map(|&(start, end)| Diagnostic {
                code: &codes::COOPMAT_OPERAND_USE,
                severity: Severity::Error,
                message: "expected use B".to_owned(),
                location: FileRange {
                    file: FileId::ROOT,
                    range: TextRange::new(TextSize::new(start), TextSize::new(end)),
                },
                related: Vec::new(),
            })
            .collect();
        |path, _, _, _| Reported { paths: vec![path.into()], diagnostics }
    }

    #[test]
    fn markers_match_ranges_exactly() {
        let fixture = "a  bbb\n// ^^^ coopmat-operand-use: use B\n";
        assert!(compare(fixture, report(&[(3, 6)])).is_ok());
        assert!(compare(fixture, report(&[(3, 5)])).is_err());
        assert!(compare(fixture, report(&[])).is_err());
        assert!(compare(fixture, report(&[(3, 6), (3, 6)])).is_err());
        assert!(compare("a  bbb\n// ^^^ coopmat-operand-use: use A\n", report(&[(3, 6)])).is_err());
    }

    #[test]
    fn a_line_may_have_several_markers() {
        let fixture = "aä bbb cc\n// ^^^ coopmat-operand-use: use B\n//     ^^ coopmat-operand-use\n";
        assert!(compare(fixture, report(&[(4, 7), (8, 10)])).is_ok());
        let fixture = "  aaa\n// <- coopmat-operand-use\n";
        assert!(compare(fixture, report(&[(2, 5)])).is_ok());
        let fixture = "a  b c\n// ^ coopmat-operand-use\n//   ^ coopmat-operand-use: expected";
        assert!(compare(fixture, report(&[(3, 4), (5, 6)])).is_ok());
    }

    #[test]
    fn settings_and_files_are_read() {
        let fixture = Fixture::parse(
            "//! define: A=1\n//! spec: 3=16\n//! subgroup-size: 64\n//- /a.comp\nint $0x;\n//- /b.glsl\ny\n",
        );
        assert_eq!(fixture.config.defines, [("A".to_owned(), Some("1".to_owned()))]);
        assert_eq!(
            fixture.config.specialization,
            [(crate::config::ConstantKey::Id(3), SpecializationValue::Int(16))]
        );
        assert_eq!(fixture.config.subgroup_size, Some(64));
        let files: Vec<_> = fixture.files.iter().map(|file| (file.path.as_str(), &*file.text)).collect();
        assert_eq!(files, [("/a.comp", "int x;\n"), ("/b.glsl", "y\n")]);
        assert_eq!(fixture.cursor, Some((0, TextSize::new(4))));
    }

    #[test]
    fn examples_of_a_page_are_found() {
        let page = "text\n\n## Wrong\n\n```glsl\na\n```\n\n```glsl\nb\n```\n\n## Right\n\n```glsl\nc\n```\n";
        assert_eq!(page_examples(page), (vec!["a\n", "b\n"], vec!["c\n"]));
    }
}
