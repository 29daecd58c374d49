//! Reads the project file's text: every value with its place, every mistake with advice, as many mistakes as there are.

use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::config::{Like, Stage, TargetEnv};
use crate::diagnostics::Code;
use crate::levels::Level;
use crate::similar::closest;
use crate::text::{TextRange, TextSize};
use crate::version::LanguageVersion;

use super::{
    Glob, Import, Named, Pattern, Project, ProjectError, Settings, Shaders, split_define, unanalysed_name,
};

/// What a setting is, in a few words; the JSON schema says the same.
pub const SETTINGS: &[(&str, &str)] = &[
    (
        "allow-unanalysed",
        "names of extensions that are not analysed, or ids of limits: `check` does not fail for files that were not fully analysed for these reasons",
    ),
    ("defines", "macros that are defined before the first line"),
    ("device", "a device profile"),
    ("google-include", "whether GL_GOOGLE_include_directive is enabled from the start, as in glslc"),
    ("include", "folders that #include searches"),
    ("like", "the compiler whose own restrictions are reported as well"),
    ("preamble", "files that are read before the shader, after its #version"),
    ("preamble-place", "where the preamble is read in files that have a #version"),
    ("preamble-text", "text that is read before the shader, and before the files of preamble"),
    ("specialization", "values of specialization constants by their constant_id or their name"),
    ("stage", "the stage of files whose names do not say it"),
    ("subgroup-size", "invocations per subgroup"),
    ("target-env", "the version of Vulkan"),
    ("version", "the #version of files that have none"),
];
/// Besides settings, at the top.
pub const TOP_KEYS: &[&str] = &["diagnostics", "ignore", "import", "shaders", "specializations"];
/// Besides settings, in `[[shaders]]`.
pub const SHADER_KEYS: &[&str] = &["configurations", "files", "in-view", "specializations"];
/// Besides settings, in `[[shaders.configurations]]`.
const CONFIGURATION_KEYS: &[&str] = &["name"];

const STAGES: [&str; 14] = [
    "vert", "tesc", "tese", "geom", "frag", "comp", "task", "mesh", "rgen", "rint", "rahit", "rchit",
    "rmiss", "rcall",
];

/// Where a preamble is read in files that have a `#version`.
const PLACES: [&str; 2] = ["after-version", "start"];

pub(super) type Value<'i> = Spanned<DeValue<'i>>;

pub(super) struct Reader<'t> {
    text: &'t str,
    /// The same for settings that keep it; made when one does.
    whole: Option<Arc<str>>,
    /// The files of all preambles.
    preambles: Vec<Import>,
    /// The globs that name shaders.
    globs: Vec<Glob>,
    errors: Vec<ProjectError>,
}

pub(super) fn read(text: &str) -> Result<Project, Vec<ProjectError>> {
    let table = DeTable::parse(text).map_err(|error| {
        let range = error.span().map_or(TextRange::default(), range);
        vec![ProjectError { range, message: format!("invalid TOML: {}", error.message().trim()) }]
    })?;
    let mut reader =
        Reader { text, whole: None, preambles: Vec::new(), globs: Vec::new(), errors: Vec::new() };
    let mut project = Project::default();
    for (key, value) in table.get_ref() {
        match &**key.get_ref() {
            "diagnostics" => reader.diagnostics(&mut project, value),
            // What is not to be found need not exist.
            "ignore" => {
                project.ignore = reader.patterns(value).into_iter().map(|glob| glob.pattern).collect()
            }
            "import" => project.imports = reader.imports(value),
            "specializations" => project.specializations = reader.specializations(value),
            "shaders" => {
                for entry in reader.list_of_tables(value, "shaders") {
                    project.shaders.push(reader.shaders(entry));
                }
            }
            _ => reader.setting(&mut project.defaults, key, value, TOP_KEYS),
        }
    }
    // With imports it takes them to know.
    if project.imports.is_empty() {
        reader.errors.extend(project.mistakes());
    }
    project.preambles = reader.preambles;
    reader.globs.sort_by_key(|glob| glob.range.start());
    project.globs = reader.globs;
    if reader.errors.is_empty() {
        Ok(project)
    } else {
        reader.errors.sort_by_key(|error| error.range.start());
        Err(reader.errors)
    }
}

fn range(span: std::ops::Range<usize>) -> TextRange {
    let at = |offset: usize| TextSize::new(u32::try_from(offset).unwrap_or(u32::MAX));
    TextRange::new(at(span.start), at(span.end.max(span.start)))
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}

pub(super) fn integer(value: &DeValue<'_>) -> Option<i64> {
    match value {
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix()).ok(),
        _ => None,
    }
}

impl Reader<'_> {
    pub(super) fn error<T>(&mut self, at: &Spanned<T>, message: String) {
        self.errors.push(ProjectError { range: range(at.span()), message });
    }

    pub(super) fn expected(&mut self, value: &Value<'_>, what: &str) {
        self.error(value, format!("expected {what}, found {}", kind(value.get_ref())));
    }

    fn shaders(&mut self, entry: &Value<'_>) -> Shaders {
        let mut shaders = Shaders {
            files: Vec::new(),
            settings: Settings::default(),
            configurations: Vec::new(),
            specializations: Vec::new(),
            in_view: None,
        };
        let DeValue::Table(table) = entry.get_ref() else {
            self.expected(entry, "a table, as `[[shaders]]` begins one");
            return shaders;
        };
        let mut has_files = false;
        for (key, value) in table {
            match &**key.get_ref() {
                "files" => {
                    has_files = true;
                    let globs = self.patterns(value);
                    shaders.files = globs.iter().map(|glob| glob.pattern.clone()).collect();
                    self.globs.extend(globs);
                }
                "specializations" => shaders.specializations = self.specializations(value),
                "in-view" => {
                    let name = self.string(value, "the name of a configuration");
                    shaders.in_view = name.map(|name| (name, range(value.span())));
                }
                "configurations" => {
                    for entry in self.list_of_tables(value, "shaders.configurations") {
                        if let Some(configuration) = self.configuration(entry, &shaders.configurations) {
                            shaders.configurations.push(configuration);
                        }
                    }
                }
                _ => self.setting(&mut shaders.settings, key, value, SHADER_KEYS),
            }
        }
        if !has_files {
            let message = "`[[shaders]]` does not say which files it applies to: add `files = [\"*.comp\"]`";
            self.error(entry, message.to_owned());
        }
        shaders
    }

    fn configuration(&mut self, entry: &Value<'_>, known: &[Named]) -> Option<Named> {
        let DeValue::Table(table) = entry.get_ref() else {
            self.expected(entry, "a table, as `[[shaders.configurations]]` begins one");
            return None;
        };
        let mut settings = Settings::default();
        let mut name = None;
        let before = self.errors.len();
        for (key, value) in table {
            match &**key.get_ref() {
                "name" => {
                    name = self.string(value, "the name of the configuration");
                    if let Some(name) = &name
                        && known.iter().any(|other| other.name == *name)
                    {
                        let message =
                            format!("there is already a configuration `{name}`: give this one another name");
                        self.error(value, message);
                    }
                }
                _ => self.setting(&mut settings, key, value, CONFIGURATION_KEYS),
            }
        }
        if name.is_none() && self.errors.len() == before {
            self.error(entry, "this configuration has no name: add `name = \"...\"`".to_owned());
        }
        let before = self.text.get(..entry.span().start).unwrap_or_default();
        Some(Named { name: name?, settings, line: before.matches('\n').count() as u32 + 1 })
    }

    fn imports(&mut self, value: &Value<'_>) -> Vec<Import> {
        self.files(value, "the path of a compile_commands.json or of a build's log")
    }

    fn preamble(&mut self, value: &Value<'_>) -> Vec<String> {
        let files = self.files(value, "the path of a file");
        self.preambles.extend(files.iter().cloned());
        files.into_iter().map(|file| file.path).collect()
    }

    /// A file or a list of files.
    fn files(&mut self, value: &Value<'_>, what: &str) -> Vec<Import> {
        let items: Vec<&Value<'_>> = match value.get_ref() {
            DeValue::Array(array) => array.iter().collect(),
            _ => vec![value],
        };
        let file = |item: &Value<'_>, path| Import { path, range: range(item.span()) };
        items.into_iter().filter_map(|item| Some(file(item, self.string(item, what)?))).collect()
    }

    /// `[diagnostics]`: levels by id, and tables of the same by the globs of files.
    fn diagnostics(&mut self, project: &mut Project, value: &Value<'_>) {
        let DeValue::Table(table) = value.get_ref() else {
            self.expected(value, "a table, as `[diagnostics]` begins one");
            return;
        };
        // As they stand in the text: of several globs that name a file the last one counts.
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in entries {
            let DeValue::Table(levels) = value.get_ref() else {
                project.levels.extend(self.level(key, value));
                continue;
            };
            let glob = &**key.get_ref();
            match Pattern::new(glob) {
                Ok(pattern) if !pattern.is_negative() => {
                    let written = glob.to_owned();
                    self.globs.push(Glob { pattern: pattern.clone(), written, range: range(key.span()) });
                    let levels = levels.iter().filter_map(|(key, value)| self.level(key, value)).collect();
                    project.levels_of_files.push((pattern, levels));
                }
                Ok(_) => {
                    self.error(
                        key,
                        format!(
                            "`{glob}` excludes files, but none are included yet: name the files to include first"
                        ),
                    );
                }
                Err(why) => self.error(key, format!("invalid glob `{glob}`: {why}")),
            }
        }
    }

    fn level(
        &mut self,
        key: &Spanned<toml::de::DeString<'_>>,
        value: &Value<'_>,
    ) -> Option<(&'static Code, Level)> {
        let word = self.string(value, "a level")?;
        let Some(level) = Level::named(&word) else {
            let words = Level::ALL.map(Level::name).join(", ");
            self.error(value, format!("unknown level `{word}`: expected one of {words}"));
            return None;
        };
        match level.of(key.get_ref()) {
            Ok(code) => Some((code, level)),
            Err(message) => {
                self.error(key, message);
                None
            }
        }
    }

    fn list_of_tables<'t, 'i>(&mut self, value: &'t Value<'i>, name: &str) -> &'t [Value<'i>] {
        match value.get_ref() {
            DeValue::Array(array) => array,
            DeValue::Table(_) => {
                let message = format!("expected a list of tables: write `[[{name}]]` with two brackets");
                self.error(value, message);
                &[]
            }
            _ => {
                self.expected(value, &format!("tables: write `[[{name}]]` on a line of its own"));
                &[]
            }
        }
    }

    fn setting(
        &mut self,
        settings: &mut Settings,
        key: &Spanned<toml::de::DeString<'_>>,
        value: &Value<'_>,
        also: &[&str],
    ) {
        match &**key.get_ref() {
            "allow-unanalysed" => settings.allow_unanalysed = self.unanalysed(value),
            "defines" => settings.defines = self.defines(value),
            "include" => settings.include_dirs = self.strings(value, "a folder or a list of folders"),
            "device" => settings.device = self.string(value, "the name of a device profile"),
            "google-include" => match value.get_ref() {
                DeValue::Boolean(on) => settings.google_include = Some(*on),
                _ => self.expected(value, "`true` or `false`"),
            },
            "subgroup-size" => match integer(value.get_ref()) {
                Some(size) if (1..=128).contains(&size) && size.count_ones() == 1 => {
                    settings.subgroup_size = Some(size as u32);
                }
                Some(size) => {
                    self.error(value, format!("expected a power of two from 1 to 128, found {size}"));
                }
                None => self.expected(value, "a power of two from 1 to 128"),
            },
            "like" => {
                if let Some(name) = self.string(value, "the name of a compiler") {
                    match name.parse::<Like>() {
                        Ok(like) => settings.like = Some(like),
                        Err(message) => self.error(value, message),
                    }
                }
            }
            "target-env" => {
                if let Some(name) = self.string(value, "the name of a version of Vulkan") {
                    match name.parse::<TargetEnv>() {
                        Ok(env) => settings.target_env = Some(env),
                        Err(message) => self.error(value, message),
                    }
                }
            }
            "stage" => {
                if let Some(name) = self.string(value, "the name of a stage") {
                    match STAGES
                        .contains(&name.as_str())
                        .then(|| Stage::of_path(&format!("x.{name}")))
                        .flatten()
                    {
                        Some(stage) => settings.stage = Some(stage),
                        None => self.error(
                            value,
                            format!("unknown stage `{name}`: expected one of {}", STAGES.join(", ")),
                        ),
                    }
                }
            }
            "specialization" => settings.specialization = self.specialization(value),
            "preamble" => settings.preamble = self.preamble(value),
            "preamble-text" => settings.preamble_text = self.excerpt(value),
            "preamble-place" => {
                if let Some(place) = self.string(value, "a place") {
                    match PLACES.iter().position(|known| *known == place) {
                        Some(at) => settings.preamble_at_start = Some(at == 1),
                        None => self.error(
                            value,
                            format!("unknown place `{place}`: expected one of {}", PLACES.join(", ")),
                        ),
                    }
                }
            }
            "version" => settings.version = self.version(value),
            unknown => {
                let keys = SETTINGS.iter().map(|(name, _)| *name).chain(also.iter().copied());
                let message = match closest(unknown, keys.clone()) {
                    Some(close) => format!("unknown setting `{unknown}`: did you mean `{close}`?"),
                    None => {
                        let keys: Vec<_> = keys.collect();
                        format!("unknown setting `{unknown}`: expected one of {}", keys.join(", "))
                    }
                };
                self.error(key, message);
            }
        }
    }

    /// Names of what may stay unlooked at.
    fn unanalysed(&mut self, value: &Value<'_>) -> Vec<String> {
        let items: Vec<&Value<'_>> = match value.get_ref() {
            DeValue::Array(items) => items.iter().collect(),
            _ => vec![value],
        };
        let mut names = Vec::new();
        for item in items {
            let Some(name) = self.string(item, "the name of an extension, or the id of a limit,") else {
                continue;
            };
            match unanalysed_name(&name) {
                Ok(name) => names.push(name),
                Err(message) => self.error(item, message),
            }
        }
        names
    }

    /// The text between the quotes, as it stands in the file.
    fn excerpt(&mut self, value: &Value<'_>) -> Option<(Arc<str>, TextRange)> {
        let text = self.string(value, "the text that is read before the shader")?;
        let span = value.span();
        let written = self.text.get(span.clone()).unwrap_or_default();
        // Behind one quote or three, which take the end of their line with them.
        let quotes = if written.starts_with("'''") || written.starts_with("\"\"\"") { 3 } else { 1 };
        let inner = written.get(quotes..written.len().saturating_sub(quotes)).unwrap_or_default();
        let begin = span.start + quotes + inner.len().saturating_sub(text.len());
        if !inner.ends_with(text.as_str()) || inner.len() > text.len() + 2 {
            let message = "this text has escapes, so problems in it could not be shown in place: write it without escapes, between `'''`";
            self.error(value, message.to_owned());
            return None;
        }
        let whole = self.whole.get_or_insert_with(|| self.text.into()).clone();
        Some((whole, range(begin..begin + text.len())))
    }

    fn version(&mut self, value: &Value<'_>) -> Option<LanguageVersion> {
        let text = match value.get_ref() {
            DeValue::Integer(number) => number.to_string(),
            DeValue::String(text) => text.to_string(),
            _ => {
                self.expected(value, "a version of GLSL, such as `450` or `\"310 es\"`");
                return None;
            }
        };
        let version = text.parse();
        version.map_err(|message| self.error(value, message)).ok()
    }

    fn string(&mut self, value: &Value<'_>, what: &str) -> Option<String> {
        match value.get_ref() {
            DeValue::String(text) => Some(text.to_string()),
            _ => {
                self.expected(value, &format!("{what} in quotes"));
                None
            }
        }
    }

    /// A string or an array of strings.
    fn strings(&mut self, value: &Value<'_>, what: &str) -> Vec<String> {
        match value.get_ref() {
            DeValue::String(text) => vec![text.to_string()],
            DeValue::Array(array) => array.iter().filter_map(|value| self.string(value, "a text")).collect(),
            _ => {
                self.expected(value, what);
                Vec::new()
            }
        }
    }

    fn patterns(&mut self, value: &Value<'_>) -> Vec<Glob> {
        let items: Vec<&Value<'_>> = match value.get_ref() {
            DeValue::Array(array) => array.iter().collect(),
            _ => vec![value],
        };
        let mut patterns = Vec::new();
        for item in items {
            let Some(text) = self.string(item, "a glob") else { continue };
            match Pattern::new(&text) {
                Ok(pattern) => patterns.push(Glob { pattern, written: text, range: range(item.span()) }),
                Err(why) => {
                    self.error(item, format!("invalid glob `{text}`: {why}"));
                }
            }
        }
        patterns
    }

    /// `{ NAME = value }` or `["NAME=value", "NAME"]`.
    fn defines(&mut self, value: &Value<'_>) -> Vec<(String, Option<String>)> {
        let mut defines = Vec::new();
        match value.get_ref() {
            DeValue::Table(table) => {
                for (name, value) in table {
                    let text = match value.get_ref() {
                        DeValue::String(text) => text.to_string(),
                        DeValue::Boolean(on) => u8::from(*on).to_string(),
                        DeValue::Float(float) => float.to_string(),
                        DeValue::Integer(_) => match integer(value.get_ref()) {
                            Some(value) => value.to_string(),
                            None => {
                                self.error(value, "this number is too large: put it in quotes".to_owned());
                                continue;
                            }
                        },
                        _ => {
                            self.expected(
                                value,
                                "the replacement of the macro: a string, a number or a boolean",
                            );
                            continue;
                        }
                    };
                    if self.check_macro_name(name.get_ref(), name) {
                        defines.push((name.get_ref().to_string(), Some(text)));
                    }
                }
            }
            DeValue::Array(array) => {
                for item in array {
                    let Some(text) = self.string(item, "\"NAME\" or \"NAME=value\"") else { continue };
                    let (name, value) = split_define(&text);
                    let name = name.trim();
                    if self.check_macro_name(name, item) {
                        defines.push((name.to_owned(), value));
                    }
                }
            }
            _ => self.expected(value, "macros: `{ NAME = \"value\" }` or `[\"NAME=value\"]`"),
        }
        defines
    }

    fn check_macro_name<T>(&mut self, name: &str, at: &Spanned<T>) -> bool {
        let word = super::macro_name(name);
        let first = word.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        let good = first && word.bytes().all(crate::lex::is_identifier_byte);
        if !good {
            self.error(at, format!("`{name}` is not a valid macro name: use letters, digits and `_`"));
        }
        good
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The errors of a text, each as the piece of text and the message.
    fn errors(text: &str) -> Vec<(&str, String)> {
        match read(text) {
            Ok(_) => Vec::new(),
            Err(errors) => errors
                .into_iter()
                .map(|error| (&text[std::ops::Range::<usize>::from(error.range)], error.message))
                .collect(),
        }
    }

    #[track_caller]
    fn error(text: &str, at: &str, message: &str) {
        let found = errors(text);
        assert_eq!(found.len(), 1, "{found:#?}");
        assert_eq!(found[0].0, at);
        assert!(found[0].1.contains(message), "{}", found[0].1);
    }

    #[test]
    fn syntax_errors_have_a_place() {
        let found = errors("device = \nstage = \"comp\"\n");
        assert_eq!(found.len(), 1);
        assert!(found[0].1.starts_with("invalid TOML: "), "{}", found[0].1);
    }

    #[test]
    fn mistakes_come_with_advice() {
        error("subgroup_size = 32", "subgroup_size", "did you mean `subgroup-size`?");
        error("includes = []", "includes", "did you mean `include`?");
        error("colour = 1", "colour", "expected one of allow-unanalysed, defines");
        error("subgroup-size = 33", "33", "expected a power of two from 1 to 128, found 33");
        error("subgroup-size = \"32\"", "\"32\"", "expected a power of two from 1 to 128, found a string");
        error("target-env = \"vulkan2\"", "\"vulkan2\"", "expected one of vulkan1.0");
        error("like = \"dxc\"", "\"dxc\"", "expected one of glslang");
        error("stage = \"pixel\"", "\"pixel\"", "expected one of vert");
        error("google-include = 1", "1", "expected `true` or `false`, found an integer");
        error("device = 1", "1", "expected the name of a device profile in quotes, found an integer");
        error("include = 1", "1", "expected a folder or a list of folders, found an integer");
        error("ignore = [\"a[\"]", "\"a[\"", "invalid glob `a[`: `[` has no `]`");
        error("defines = { 1x = 1 }", "1x", "`1x` is not a valid macro name");
        error("defines = { X = [] }", "[]", "expected the replacement of the macro");
        error("defines = 1", "1", "expected macros");
        error("specialization = { \"x y\" = 1 }", "\"x y\"", "expected its constant_id or its name");
        error("specialization = { 1 = \"a\" }", "\"a\"", "expected a number or a boolean, found a string");
        error("specializations = 1", "1", "expected sets of values by name");
        error("specializations = { a = 1 }", "1", "expected values by constant_id or name");
        error("specializations = { recipe = {} }", "recipe", "`recipe` already means what a recipe gives");
        error("specializations = { \"a=1\" = {} }", "\"a=1\"", "must not be empty or contain `=`");
        error("preamble-place = \"top\"", "\"top\"", "expected one of after-version, start");
        error("preamble-text = \"a\\n\"", "\"a\\n\"", "this text has escapes");
        error("version = 451", "451", "there is no version 451 of GLSL");
        error("version = \"450 hmm\"", "\"450 hmm\"", "found `hmm`");
        error("version = \"new\"", "\"new\"", "expected one such as `450`");
        error("shaders = 1", "1", "[[shaders]]");
        error("diagnostics = 1", "1", "expected a table");
        error(
            "[diagnostics]\nunused-varaible = \"allow\"",
            "unused-varaible",
            "did you mean `unused-variable`?",
        );
        error("[diagnostics]\nunused-variable = \"deny\"", "\"deny\"", "expected one of allow, hint");
        error("[diagnostics]\nunused-variable = 1", "1", "expected a level in quotes, found an integer");
        error("[diagnostics]\ntype-mismatch = \"warning\"", "type-mismatch", "is an error of the language");
        error("[diagnostics.\"a[\"]\nunused-variable = \"allow\"", "\"a[\"", "invalid glob `a[`");
        error("[diagnostics.\"!a\"]\nunused-variable = \"allow\"", "\"!a\"", "excludes files");
        error("[[shaders]]\nfiles = 1", "1", "expected a glob");
        error("[[shaders]]\nfiles = \"*\"\nin-view = \"x\"", "\"x\"", "there is no configuration `x`");
        error(
            "[[shaders]]\nfiles = \"*\"\n[[shaders.configurations]]\nnmae = \"x\"",
            "nmae",
            "did you mean `name`?",
        );
    }

    #[test]
    fn every_mistake_is_told() {
        let found = errors("device = 1\nstage = 2\n[[shaders]]\nsubgroup-size = 0\n");
        let messages: Vec<_> = found.iter().map(|(_, message)| message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "expected the name of a device profile in quotes, found an integer",
                "expected the name of a stage in quotes, found an integer",
                "`[[shaders]]` does not say which files it applies to: add `files = [\"*.comp\"]`",
                "expected a power of two from 1 to 128, found 0",
            ]
        );
    }

    #[test]
    fn the_schema_names_the_same_settings() {
        let schema = include_str!("../../schema/coopmat-analyzer.schema.json");
        for key in SETTINGS.iter().map(|(name, _)| *name).chain(TOP_KEYS.iter().chain(SHADER_KEYS).copied()) {
            assert!(schema.contains(&format!("\"{key}\": {{")), "{key}");
        }
        // Nor any others, which are mistakes.
        for also in [TOP_KEYS, SHADER_KEYS, CONFIGURATION_KEYS] {
            let keys = SETTINGS.iter().map(|(name, _)| *name).chain(also.iter().copied());
            let keys: Vec<String> = keys.map(|key| format!("\"{key}\"")).collect();
            let names = format!("\"propertyNames\": {{ \"enum\": [{}] }}", keys.join(", "));
            assert!(schema.contains(&names), "{names}");
        }
        for stage in STAGES {
            assert!(schema.contains(&format!("\"{stage}\"")), "{stage}");
        }
        for level in Level::ALL {
            assert!(schema.contains(&format!("\"{}\"", level.name())), "{}", level.name());
        }
        for like in Like::ALL {
            assert!(schema.contains(&format!("[\"{like}\"]")), "{like}");
        }
        for env in TargetEnv::ALL {
            assert!(schema.contains(&format!("\"{env}\"")), "{env}");
        }
    }

    /// The ids with what they are, which editors offer and show; `UPDATE_EXPECT=1` writes them.
    #[test]
    fn the_schema_lists_every_diagnostic() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/schema/coopmat-analyzer.schema.json");
        let schema = std::fs::read_to_string(path).unwrap();
        let begin = "    \"levels\": {\n      \"type\": \"object\",\n      \"properties\": {";
        let end = "\n      },\n      \"patternProperties\"";
        let from = schema.find(begin).unwrap() + begin.len();
        let to = from + schema[from..].find(end).unwrap();
        let lines: Vec<String> = crate::diagnostics::codes::ALL
            .iter()
            .map(|code| {
                let level = if code.can_be_allowed() { "level" } else { "level-of-an-error" };
                let quoted = code.summary.replace('\\', "\\\\").replace('"', "\\\"");
                format!(
                    "        \"{}\": {{ \"description\": \"{quoted}\", \"$ref\": \"#/definitions/{level}\" }}",
                    code.id
                )
            })
            .collect();
        let wanted = format!("{}\n{}{}", &schema[..from], lines.join(",\n"), &schema[to..]);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(path, wanted).unwrap();
        } else {
            assert!(
                schema == wanted,
                "a diagnostic is new or another one: UPDATE_EXPECT=1 writes the schema"
            );
        }
    }
}
