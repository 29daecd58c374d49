//! glslang's test folder: which tests there are, how each is compiled, and what glslang says about it.
//!
//! The tests are listed in the C++ sources of glslang's test programs (`gtests/*.cpp`): a `TEST_P` block says how a class
//! of tests is compiled, `INSTANTIATE_TEST_SUITE_P` lists the files of a class. The expected output of a file is
//! `Test/baseResults/FILE.out`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use coopmat_analysis::config::{Configuration, Stage, TargetEnv};

use crate::files::Files;

/// One file of the test folder that is GLSL for Vulkan.
#[derive(Clone, Debug)]
pub struct Test {
    pub file: String,
    pub stage: Stage,
    pub target_env: TargetEnv,
    /// Whether the file is a whole program; one that is compiled without linking needs no `main`.
    pub linked: bool,
    /// Lines for which the expected output has an error; `None` when it accepts the file.
    pub rejected: Option<BTreeSet<u32>>,
    pub topic: Topic,
}

/// What a test is about, as far as it decides what is asked of the analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// Cooperative matrices, long vectors and the small floating-point types: exact agreement.
    Matrix,
    /// GL_NV_cooperative_vector.
    CooperativeVector,
    /// Every other compute shader: no false error.
    Compute,
    /// The other stages: no error node.
    OtherStage,
}

impl Topic {
    pub fn name(self) -> &'static str {
        match self {
            Topic::Matrix => "matrices, vectors, small floats",
            Topic::CooperativeVector => "cooperative vectors",
            Topic::Compute => "other compute",
            Topic::OtherStage => "other stages",
        }
    }
}

/// Extensions whose tests have to agree line by line.
const MATRIX_EXTENSIONS: &[&str] = &[
    "GL_KHR_cooperative_matrix",
    "GL_NV_cooperative_matrix",
    "GL_NV_integer_cooperative_matrix",
    "GL_QCOM_cooperative_matrix_conversion",
    "GL_ARM_cooperative_matrix_layouts",
    "GL_EXT_cooperative_matrix_maintenance1",
    "GL_EXT_bfloat16",
    "GL_EXT_float_e",
    "GL_EXT_float_ue8m0",
    "GL_EXT_float_mxint8",
    "GL_EXT_long_vector",
];

pub struct Glslang {
    pub files: Files,
    pub tests: Vec<Test>,
    /// Files that are not GLSL for Vulkan: HLSL, OpenGL, preprocessor output, linking of several units.
    pub skipped: usize,
}

impl Glslang {
    /// From the folder that `cargo xtask corpus` fills.
    pub fn read(sources: &Path) -> Result<Glslang> {
        let folder = sources.join("glslang");
        let files = Files::read(&folder.join("Test"))?;
        let mut manifest = Manifest::default();
        for entry in fs::read_dir(folder.join("gtests")).context("no list of glslang's tests")? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "cpp") {
                manifest.add(&fs::read_to_string(&path)?);
            }
        }
        let mut tests = Vec::new();
        let mut skipped = 0;
        for file in files.names() {
            let Some(stage) = Stage::of_path(file) else { continue };
            let expected = folder.join("Test/baseResults").join(format!("{file}.out"));
            let (Some(&Mode { target_env, linked }), Ok(expected)) =
                (manifest.vulkan.get(file), fs::read(&expected))
            else {
                skipped += 1;
                continue;
            };
            let text = files.get(file).unwrap_or_default();
            tests.push(Test {
                file: file.to_owned(),
                stage,
                target_env,
                linked,
                rejected: rejected_lines(&String::from_utf8_lossy(&expected)),
                topic: topic(stage, &text),
            });
        }
        Ok(Glslang { files, tests, skipped })
    }
}

impl Test {
    pub fn configuration(&self) -> Configuration {
        Configuration {
            name: self.file.clone(),
            target_env: self.target_env,
            stage: Some(self.stage),
            ..Configuration::default()
        }
    }
}

fn topic(stage: Stage, text: &str) -> Topic {
    let names = |extension: &str| {
        text.lines().any(|line| line.trim_start().starts_with('#') && line.contains(extension))
    };
    if stage != Stage::Compute {
        Topic::OtherStage
    } else if names("GL_NV_cooperative_vector") {
        Topic::CooperativeVector
    } else if !names("GL_ARM_tensors") && MATRIX_EXTENSIONS.iter().any(|extension| names(extension)) {
        Topic::Matrix
    } else {
        Topic::Compute
    }
}

/// The lines in `ERROR: 0:LINE: …`, or `None` when there is no error at all.
fn rejected_lines(expected: &str) -> Option<BTreeSet<u32>> {
    let mut lines = BTreeSet::new();
    let mut any = false;
    for text in expected.lines() {
        let Some(rest) = text.strip_prefix("ERROR: ") else { continue };
        any = true;
        let mut parts = rest.split(':');
        if let (Some(_file), Some(Ok(line))) = (parts.next(), parts.next().map(str::parse)) {
            lines.insert(line);
        }
    }
    any.then_some(lines)
}

/// How each file is compiled.
#[derive(Default)]
struct Manifest {
    vulkan: BTreeMap<String, Mode>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mode {
    target_env: TargetEnv,
    linked: bool,
}

impl Manifest {
    /// Reads one of the test programs' sources.
    fn add(&mut self, program: &str) {
        let mut classes: HashMap<&str, Mode> = HashMap::new();
        for block in program.split("TEST_P(").skip(1) {
            let body = block.split("\n}").next().unwrap_or(block);
            if let (Some((class, _)), Some(mode)) = (body.split_once(','), compiled_for_vulkan(body)) {
                classes.insert(class.trim(), mode);
            }
        }
        for block in program.split("INSTANTIATE_TEST_SUITE_P(").skip(1) {
            let list = block.split("\n);").next().unwrap_or(block);
            let Some(class) = list.split(',').nth(1) else { continue };
            let Some(&mode) = classes.get(class.trim()) else { continue };
            for file in strings(list) {
                self.vulkan.entry(file.to_owned()).or_insert(mode);
            }
        }
    }
}

/// The mode, when the class compiles single GLSL files with Vulkan's rules.
fn compiled_for_vulkan(body: &str) -> Option<Mode> {
    if !body.contains("Source::GLSL") || !body.contains("Semantics::Vulkan") || !body.contains("FileCompile")
    {
        return None;
    }
    let (_, version) = body.split_once("EShTargetVulkan_1_")?;
    let minor = version.chars().next()?;
    // A newer SPIR-V under an older Vulkan takes an extension; the lowest version that has it in its core stands for both.
    let minor = if minor == '1' && body.contains("EShTargetSpv_1_4") { '2' } else { minor };
    let target_env = TargetEnv::ALL.into_iter().find(|env| env.name().ends_with(minor))?;
    Some(Mode { target_env, linked: !body.contains("compileOnly = true") })
}

/// The string literals in C++ text, comments left out.
fn strings(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .map(|line| line.split("//").next().unwrap_or(line))
        .flat_map(|line| line.split('"').skip(1).step_by(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_program_lists_files_with_their_environment() {
        let mut manifest = Manifest::default();
        manifest.add(
            r#"
TEST_P(Fourteen, FromFile)
{
    loadFileCompileAndCheck(Root, GetParam(), Source::GLSL, Semantics::Vulkan, EShTargetVulkan_1_1, Target::Spv);
}
TEST_P(Unlinked, FromFile)
{
    options().compileOnly = true;
    loadFileCompileAndCheck(Root, GetParam(), Source::GLSL, Semantics::Vulkan, EShTargetVulkan_1_3, Target::Spv);
}
TEST_P(OpenGl, FromFile)
{
    loadFileCompileAndCheck(Root, GetParam(), Source::GLSL, Semantics::OpenGL, EShTargetVulkan_1_0, Target::AST);
}
INSTANTIATE_TEST_SUITE_P(
    Glsl, Fourteen,
    ValuesIn(std::vector<std::string>({
        "a.comp", // "not.comp"
        "b.comp",
    })),
    Suffix
);
INSTANTIATE_TEST_SUITE_P(
    Glsl, Unlinked,
    ValuesIn(std::vector<std::string>({ "c.comp" })),
    Suffix
);
INSTANTIATE_TEST_SUITE_P(
    Glsl, OpenGl,
    ValuesIn(std::vector<std::string>({ "d.comp" })),
    Suffix
);
"#,
        );
        let whole = Mode { target_env: TargetEnv::Vulkan1_1, linked: true };
        let unlinked = Mode { target_env: TargetEnv::Vulkan1_3, linked: false };
        let found: Vec<_> = manifest.vulkan.iter().map(|(file, mode)| (file.as_str(), *mode)).collect();
        assert_eq!(found, [("a.comp", whole), ("b.comp", whole), ("c.comp", unlinked)]);
    }

    #[test]
    fn error_lines_are_read_from_the_expected_output() {
        let output = "x.comp\nERROR: 0:8: 'a' : no\nERROR: 0:8: 'b' : no\nERROR: 0:12: '' : no\nERROR: 3 compilation errors.\n";
        assert_eq!(rejected_lines(output), Some(BTreeSet::from([8, 12])));
        assert_eq!(rejected_lines("x.comp\n// Module Version 10300\n"), None);
    }

    #[test]
    fn a_test_of_two_topics_belongs_to_the_one_that_is_out_of_scope() {
        let both = "#extension GL_NV_cooperative_vector : enable\n#extension GL_EXT_bfloat16 : enable\n";
        assert_eq!(topic(Stage::Compute, both), Topic::CooperativeVector);
        assert_eq!(topic(Stage::Compute, "#extension GL_EXT_float_e4m3 : enable\n"), Topic::Matrix);
        assert_eq!(topic(Stage::Fragment, "#extension GL_EXT_float_e4m3 : enable\n"), Topic::OtherStage);
    }
}
