//! The project file, `coopmat-analyzer.toml`: which configurations a shader is checked under.
//!
//! Settings at the top hold for every shader. Each `[[shaders]]` adds settings for the files that its globs name, and may
//! name several configurations of them:
//!
//! ```toml
//! target-env = "vulkan1.3"
//! include = ["include"]
//!
//! [[shaders]]
//! files = ["mul_mm*.comp"]
//! in-view = "f16"
//!
//! [[shaders.configurations]]
//! name = "f16"
//! defines = { FLOAT_TYPE = "float16_t" }
//!
//! [[shaders.configurations]]
//! name = "f32"
//! defines = { FLOAT_TYPE = "float" }
//! ```
//!
//! The first `[[shaders]]` that names a file is the one that counts for it. `import = ["compile_commands.json"]` at the top adds
//! the configurations under which a build compiles the shaders; whoever reads the file reads these too and hands them in.

mod defined_at;
mod read;
mod settings;
mod specialization;

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::config::Configuration;
use crate::embedded;
use crate::import::Imported;
use crate::text::TextRange;

use crate::diagnostics::Code;
pub(crate) use crate::glob::escape;
use crate::glob::{Pattern, lists, matches};
use crate::levels::Level;
use crate::preprocess::join_path;

pub use crate::similar::closest;
pub use defined_at::defined_at;
pub use read::{SETTINGS, SHADER_KEYS, TOP_KEYS};
pub(crate) use settings::{Definitions, macro_name};
pub use settings::{FILE_NAME, Settings, split_define, unanalysed_name};
pub use specialization::SpecializationSet;

/// A project file that was read without errors.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// With `/`, without one at the end.
    folder: String,
    /// Where the file lies, if that is not [`FILE_NAME`] in the folder.
    path: Option<Arc<str>>,
    ignore: Vec<Pattern>,
    defaults: Settings,
    specializations: Vec<SpecializationSet>,
    shaders: Vec<Shaders>,
    /// Of every file.
    levels: Vec<(&'static Code, Level)>,
    /// Of files that globs name, in the order of the text.
    levels_of_files: Vec<(Pattern, Vec<(&'static Code, Level)>)>,
    imports: Vec<Import>,
    preambles: Vec<Import>,
    /// In the order of the text.
    globs: Vec<Glob>,
    imported: Vec<(Arc<str>, Arc<Imported>)>,
}

/// A glob that names shaders, and where it is written.
#[derive(Clone, Debug)]
struct Glob {
    pattern: Pattern,
    written: String,
    range: TextRange,
}

/// A file that the project file takes configurations from, or puts before shaders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// As it is written: relative to the project file's folder.
    pub path: String,
    /// Where the project file says so.
    pub range: TextRange,
}

/// Something in the project file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectError {
    /// In bytes of the project file; empty at its start for what is nowhere in it.
    pub range: TextRange,
    /// What was expected, what was found, what to do.
    pub message: String,
}

/// The configurations of one file; there is at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileConfigurations {
    /// In the order of the project file, imported ones behind the others.
    pub list: Vec<Configuration>,
    /// The one that editors show, unless the user picks another.
    pub in_view: usize,
    /// Where each of the list comes from.
    pub origins: Vec<Origin>,
    /// Whether this is said of the file: by an entry or an import that names it, or by a project file without any of these.
    pub covered: bool,
    /// What may be chosen for specialization constants: of the file's entry first, then of the whole project.
    pub specializations: Vec<SpecializationSet>,
}

/// Where a configuration is written down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The file that it was imported from; `None` for the project file itself.
    pub import: Option<Arc<str>>,
    /// From 1; 0 where no line says it.
    pub line: u32,
}

#[derive(Clone, Debug)]
struct Shaders {
    files: Vec<Pattern>,
    settings: Settings,
    configurations: Vec<Named>,
    specializations: Vec<SpecializationSet>,
    /// The name of the configuration in view, and where it is said.
    in_view: Option<(String, TextRange)>,
}

/// A configuration of the project file.
#[derive(Clone, Debug)]
struct Named {
    name: String,
    settings: Settings,
    /// From 1.
    line: u32,
}

impl Project {
    /// Reads the text of the project file in `folder`.
    pub fn parse(text: &str, folder: &str) -> Result<Project, Vec<ProjectError>> {
        let mut project = read::read(text)?;
        project.folder = folder.trim_end_matches('/').to_owned();
        Ok(project)
    }

    /// The file has another name than [`FILE_NAME`].
    pub fn set_path(&mut self, path: &str) {
        self.path = Some(path.into());
    }

    /// With `/`, without one at the end.
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// A project without a file: only what is imported.
    pub fn without_file(folder: &str) -> Project {
        Project { folder: folder.trim_end_matches('/').to_owned(), ..Project::default() }
    }

    /// The files that hold further configurations.
    pub fn imports(&self) -> &[Import] {
        &self.imports
    }

    /// The files of its preambles.
    pub fn preambles(&self) -> &[Import] {
        &self.preambles
    }

    /// Adds the configurations of an import.
    pub fn add(&mut self, path: &str, imported: Arc<Imported>) {
        self.imported.push((path.into(), imported));
    }

    /// What can be wrong once the imports are added: a configuration in view that none of them has.
    pub fn mistakes(&self) -> Vec<ProjectError> {
        let missing = self.shaders.iter().filter_map(|shaders| {
            let (name, range) = shaders.in_view.as_ref()?;
            let imported = || self.imported.iter().flat_map(|(_, imported)| imported.variants());
            let known = shaders.configurations.iter().any(|one| one.name == *name)
                || imported().any(|variant| variant.name == *name);
            (!known).then(|| ProjectError {
                range: *range,
                message: shaders.no_such(name, !self.imports.is_empty()),
            })
        });
        missing.collect()
    }

    /// Under which configurations `path` is checked. A file outside the project's folder gets what holds for every shader.
    /// A configuration that is written down comes before imported ones, and stands for an imported one of its name.
    pub fn configurations(&self, path: &str) -> FileConfigurations {
        let mut found = self.found(path);
        found.list.iter_mut().for_each(|configuration| self.at_its_path(configuration));
        found
    }

    /// The project file's own text is where the project file is.
    fn at_its_path(&self, configuration: &mut Configuration) {
        if let (Some(path), Some(text)) = (&self.path, &mut configuration.preamble.text) {
            text.path.clone_from(path);
        }
    }

    fn found(&self, path: &str) -> FileConfigurations {
        let shaders =
            self.relative(path).and_then(|path| self.shaders.iter().find(|s| matches(&s.files, path)));
        let mut base = Configuration::default();
        base.levels.add(self.levels.iter().copied());
        for (pattern, levels) in &self.levels_of_files {
            base.levels.add_for(&self.folder, pattern.clone(), levels.clone());
        }
        self.defaults.apply(&mut base, &self.folder);
        if let Some(shaders) = shaders {
            shaders.settings.apply(&mut base, &self.folder);
        }
        let for_all = self.shaders.is_empty() && self.imports.is_empty() && self.imported.is_empty();
        let covered = shaders.is_some() || for_all;
        let mut specializations: Vec<SpecializationSet> = Vec::new();
        for set in shaders.iter().flat_map(|shaders| &shaders.specializations).chain(&self.specializations) {
            if !specializations.iter().any(|known| known.name == set.name) {
                specializations.push(set.clone());
            }
        }
        let mut found = FileConfigurations {
            list: Vec::new(),
            in_view: 0,
            origins: Vec::new(),
            covered,
            specializations,
        };
        let mut names: FxHashSet<&str> = FxHashSet::default();
        let mut add = |name: &str, settings: &Settings, origin: Origin| {
            let mut configuration = base.clone();
            configuration.name = name.to_owned();
            settings.apply(&mut configuration, &self.folder);
            found.list.push(configuration);
            found.origins.push(origin);
        };
        for one in shaders.iter().flat_map(|shaders| &shaders.configurations) {
            names.insert(&one.name);
            add(&one.name, &one.settings, Origin { import: None, line: one.line });
        }
        for (import, imported) in &self.imported {
            for variant in imported.of(path, &self.folder) {
                if names.insert(&variant.name) {
                    let origin = Origin { import: Some(import.clone()), line: variant.line };
                    add(&variant.name, &variant.settings_at(path), origin);
                }
            }
        }
        if found.list.is_empty() {
            return FileConfigurations { list: vec![base], origins: vec![Origin::default()], ..found };
        }
        found.covered = true;
        if let Some((name, _)) = shaders.and_then(|shaders| shaders.in_view.as_ref()) {
            found.in_view = found.list.iter().position(|one| one.name == *name).unwrap_or(0);
        }
        found
    }

    /// Whether `file` is part of a preamble: one that is named, or the project file itself with a text in it.
    pub fn has_preamble(&self, file: &str) -> bool {
        let of_shaders = self.shaders.iter().flat_map(|shaders| {
            let configurations = shaders.configurations.iter().map(|one| &one.settings);
            std::iter::once(&shaders.settings).chain(configurations)
        });
        let mut all = std::iter::once(&self.defaults).chain(of_shaders);
        let is_own = || {
            self.path.as_deref().map_or_else(|| join_path(&self.folder, FILE_NAME) == file, |own| own == file)
        };
        all.any(|settings| {
            settings.preamble.iter().any(|path| join_path(&self.folder, path) == file)
                || (settings.preamble_text.is_some() && is_own())
        })
    }

    /// Whether `file` is read before `shader`, under any of its configurations.
    pub fn puts_before(&self, file: &str, shader: &str) -> bool {
        self.configurations(shader).list.iter().any(|configuration| configuration.preamble.reads(file))
    }

    /// Whether a search for shaders passes `path` over. A file that is opened or named is checked all the same.
    pub fn ignores(&self, path: &str) -> bool {
        self.relative(path).is_some_and(|path| matches(&self.ignore, path))
    }

    /// Whether a `[[shaders]]` names a file of C++ or Rust, or a shader in it, so that a search takes its shaders, too.
    pub fn lists(&self, path: &str) -> bool {
        self.relative(path).is_some_and(|path| {
            let file = embedded::split(path).map_or(path, |(file, _)| file);
            self.shaders
                .iter()
                .any(|shaders| lists(&shaders.files, file) && (file == path || matches(&shaders.files, path)))
        })
    }

    /// The globs of all `[[shaders]]`, for showing them.
    pub fn globs(&self) -> impl Iterator<Item = &str> {
        self.shaders.iter().flat_map(|shaders| &shaders.files).map(Pattern::text)
    }

    /// The globs for shaders and for levels that match none of these files, which are all that there are. Exclusions are left out.
    pub fn without_match<'f>(&self, files: impl IntoIterator<Item = &'f str>) -> Vec<ProjectError> {
        let mut left: Vec<&Glob> = self.globs.iter().filter(|glob| !glob.pattern.is_negative()).collect();
        for path in files.into_iter().filter_map(|path| self.relative(path)) {
            if left.is_empty() {
                break;
            }
            left.retain(|glob| !glob.pattern.names_file(path));
        }
        let error = |glob: &Glob| ProjectError {
            range: glob.range,
            message: format!("no file matches `{}`", glob.written),
        };
        left.into_iter().map(error).collect()
    }

    /// Every device that the file names, with repetitions.
    pub fn devices(&self) -> impl Iterator<Item = &str> {
        let shaders = self.shaders.iter().flat_map(|shaders| {
            let configurations = shaders.configurations.iter().map(|one| &one.settings);
            std::iter::once(&shaders.settings).chain(configurations)
        });
        std::iter::once(&self.defaults).chain(shaders).filter_map(|settings| settings.device.as_deref())
    }

    fn relative<'p>(&self, path: &'p str) -> Option<&'p str> {
        if self.folder.is_empty() {
            return Some(path.trim_start_matches('/'));
        }
        path.strip_prefix(self.folder.as_str())?.strip_prefix('/')
    }
}

impl Shaders {
    /// That no configuration is called so.
    fn no_such(&self, name: &str, imports: bool) -> String {
        let known: Vec<_> = self.configurations.iter().map(|one| format!("`{}`", one.name)).collect();
        match (known.is_empty(), imports) {
            (true, true) => {
                format!("there is no configuration `{name}`, neither here nor among the imported ones")
            }
            (true, false) => {
                format!("there is no configuration `{name}`: add `[[shaders.configurations]]` with this name")
            }
            (false, _) => format!("there is no configuration `{name}`; expected one of {}", known.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ConstantKey, SpecializationValue, Stage, TargetEnv};

    fn project(text: &str) -> Project {
        Project::parse(text, "/p").unwrap_or_else(|errors| panic!("{errors:#?}"))
    }

    fn only(project: &Project, path: &str) -> Configuration {
        let mut found = project.configurations(path);
        assert_eq!(found.list.len(), 1);
        found.list.remove(0)
    }

    #[test]
    fn settings_hold_for_every_shader() {
        let project = project(
            r#"
            target-env = "vulkan1.3"
            include = ["include", "/usr/share/glsl", "../shared"]
            device = "nvidia-h200"
            subgroup-size = 32
            google-include = true
            stage = "comp"
            defines = { TYPE = "float", N = 16, DEBUG = true, RELEASE = false, EMPTY = "", SCALE = 0.5 }
            specialization = { 0 = 64, 3 = true, 4 = 1.5 }
            "#,
        );
        let found = only(&project, "/p/a/b.comp");
        assert_eq!(found.target_env, TargetEnv::Vulkan1_3);
        assert_eq!(found.include_dirs, ["/p/include", "/usr/share/glsl", "/shared"]);
        assert_eq!(found.device.as_deref(), Some("nvidia-h200"));
        assert_eq!(
            (found.subgroup_size, found.google_include, found.stage),
            (Some(32), true, Some(Stage::Compute))
        );
        let defines: Vec<_> = found
            .defines
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_deref().unwrap_or("-")))
            .collect();
        assert_eq!(
            defines,
            [
                ("DEBUG", "1"),
                ("EMPTY", ""),
                ("N", "16"),
                ("RELEASE", "0"),
                ("SCALE", "0.5"),
                ("TYPE", "float")
            ]
        );
        assert_eq!(
            found.specialization,
            [
                (ConstantKey::Id(0), SpecializationValue::Int(64)),
                (ConstantKey::Id(3), SpecializationValue::Bool(true)),
                (ConstantKey::Id(4), SpecializationValue::Float(1.5_f64.to_bits()))
            ]
        );
    }

    #[test]
    fn the_examples_of_the_documentation_are_read() {
        let page = include_str!("../../docs/project-file.md");
        let examples: Vec<_> =
            page.split("```toml project\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        assert_eq!(examples.len(), 7);
        for example in examples {
            project(example);
        }
        for (key, _) in SETTINGS {
            assert!(page.contains(&format!("| `{key}` |")), "{key}");
        }
    }

    #[test]
    fn sets_of_specialization_are_those_of_the_entry_and_of_the_project() {
        let text = r#"
            specializations = { small = { TM = 16 }, one = { TM = 1 } }
            [[shaders]]
            files = "*.comp"
            [shaders.specializations]
            large = { TM = 64, 1 = true }
            small = { TM = 32 }
        "#;
        let found = project(text).configurations("/p/a.comp").specializations;
        let shown: Vec<String> = found
            .iter()
            .map(|set| {
                let values = set.values.iter().map(|(key, value)| format!(" {key}={value}"));
                format!("{}:{}", set.name, values.collect::<String>())
            })
            .collect();
        assert_eq!(shown, ["large: 1=true TM=64", "small: TM=32", "one: TM=1"]);
        assert_eq!(project(text).configurations("/p/a.glsl").specializations.len(), 2);
    }

    #[test]
    fn an_empty_project_changes_nothing() {
        assert_eq!(only(&project(""), "/p/a.comp"), Configuration::default());
    }

    #[test]
    fn a_file_may_have_several_configurations() {
        let project = project(
            r#"
            defines = ["TILE=16", "CHECKS"]
            [[shaders]]
            files = ["mul_mm*.comp", "!mul_mm_old.comp"]
            subgroup-size = 64
            in-view = "f32"
            [[shaders.configurations]]
            name = "f16"
            defines = { TYPE = "float16_t" }
            [[shaders.configurations]]
            name = "f32"
            defines = { TYPE = "float", TILE = "32" }
            include = ["f32"]
            "#,
        );
        let found = project.configurations("/p/shaders/mul_mm_x.comp");
        assert_eq!(found.in_view, 1);
        let shown: Vec<_> = found
            .list
            .iter()
            .map(|configuration| {
                let defines: Vec<_> = configuration
                    .defines
                    .iter()
                    .map(|(name, value)| format!("{name}={}", value.as_deref().unwrap_or_default()))
                    .collect();
                (configuration.name.as_str(), defines.join(" "), configuration.subgroup_size)
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("f16", "TILE=16 CHECKS= TYPE=float16_t".to_owned(), Some(64)),
                ("f32", "CHECKS= TILE=32 TYPE=float".to_owned(), Some(64))
            ]
        );
        assert_eq!(found.list[1].include_dirs, ["/p/f32"]);
        assert_eq!(only(&project, "/p/mul_mm_old.comp").subgroup_size, None);
        assert_eq!(only(&project, "/p/softmax.comp").name, "default");
    }

    #[test]
    fn preambles_add_up() {
        let text = r#"
            preamble = "all.glsl"
            preamble-text = 'A'
            version = 450
            [[shaders]]
            files = "*.comp"
            preamble = ["../b.glsl"]
            preamble-text = '''
            B
            '''
            [[shaders.configurations]]
            name = "es"
            version = "310 es"
            preamble-place = "start"
            preamble-text = "C"
        "#;
        let found = only(&project(text), "/p/a.comp");
        assert_eq!(found.preamble.files, ["/p/all.glsl", "/b.glsl"]);
        assert!(found.preamble.at_start);
        assert_eq!(found.version, "310 es".parse().ok());
        let excerpts = found.preamble.text.expect("text");
        assert_eq!(&*excerpts.path, "/p/coopmat-analyzer.toml");
        // Everything stands where it stands in the file.
        assert_eq!(excerpts.text().split_whitespace().collect::<Vec<_>>(), ["A", "B", "C"]);
        for word in ["'A'", " B\n", "\"C\""] {
            let at = text.find(word).expect("in the text") + 1;
            assert_eq!(excerpts.text()[at..=at], text[at..=at]);
        }
    }

    #[test]
    fn diagnostics_have_levels_by_id_and_by_file() {
        let text = r#"
            [diagnostics]
            unused-variable = "warning"
            shift-out-of-range = "error"
            [diagnostics."old/"]
            shift-out-of-range = "allow"
            [diagnostics."old/*.glsl"]
            shift-out-of-range = "hint"
            [[shaders]]
            files = "*.comp"
            [[shaders.configurations]]
            name = "a"
            [[shaders.configurations]]
            name = "b"
        "#;
        let shift = crate::diagnostics::find("shift-out-of-range").unwrap();
        let found = project(text).configurations("/p/a.comp");
        assert_eq!(found.list.len(), 2);
        for configuration in &found.list {
            let level = |path| configuration.levels.of(shift, path).map(Level::name);
            assert_eq!(level("/p/a.comp"), Some("error"));
            assert_eq!(level("/p/old/a.comp"), Some("allow"));
            // A header has its own level, whichever shader includes it, and the last table that names it counts.
            assert_eq!(level("/p/old/b.glsl"), Some("hint"));
        }
    }

    #[test]
    fn the_first_entry_that_names_a_file_counts() {
        let project = project(
            "[[shaders]]\nfiles = [\"a/**\"]\nsubgroup-size = 8\n[[shaders]]\nfiles = \"*.comp\"\nsubgroup-size = 16\n",
        );
        let size = |path| only(&project, path).subgroup_size;
        assert_eq!(size("/p/a/x.comp"), Some(8));
        assert_eq!(size("/p/a/b/x.comp"), Some(8));
        assert_eq!(size("/p/b/x.comp"), Some(16));
        assert_eq!(size("/p/x.comp"), Some(16));
        assert_eq!(size("/p/x.frag"), None);
        assert_eq!(size("/elsewhere/x.comp"), None);
    }

    #[test]
    fn patterns_with_a_folder_are_relative_to_the_project() {
        let project = project("ignore = [\"third_party/\", \"build/*.comp\", \"*.tmp.comp\"]");
        for (path, ignored) in [
            ("/p/third_party/a/b.comp", true),
            ("/p/x/third_party/b.comp", true),
            ("/p/build/a.comp", true),
            ("/p/build/x/a.comp", false),
            ("/p/x/build/a.comp", false),
            ("/p/x/a.tmp.comp", true),
            ("/p/a.comp", false),
        ] {
            assert_eq!(project.ignores(path), ignored, "{path}");
        }
    }
}
