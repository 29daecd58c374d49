//! The schemas of TOML files against taplo, which the extensions for TOML check with: they are valid, take what is right, and refuse what is wrong.

use std::fs;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::shell;

const PROJECT: &str = "analysis/schema/coopmat-analyzer.schema.json";
const RECIPE: &str = "recipe/run-recipe.schema.json";

/// Project files that the analysis refuses, too.
const WRONG_PROJECTS: &[&str] = &[
    "device = 1",
    "devise = \"nvidia-h200\"",
    "subgroup-size = 3",
    "subgroup-size = 256",
    "target-env = \"metal\"",
    "like = \"dxc\"",
    "stage = \"pixel\"",
    "include = [1]",
    "defines = 5",
    "specialization = { 1x = 1 }",
    "specialization = { x = \"1\" }",
    "specializations = { recipe = { x = 1 } }",
    "ignore = 1",
    "import = [1]",
    "google-include = \"yes\"",
    "preamble = [1]",
    "preamble-place = \"top\"",
    "preamble-text = 1",
    "version = true",
    "allow-dirs = [\"/\"]",
    "[diagnostics]\nunused-varaible = \"allow\"",
    "[diagnostics]\nunused-variable = \"deny\"",
    "[diagnostics]\ntype-mismatch = \"allow\"",
    "[diagnostics.\"a/*\"]\nunused-varaible = \"allow\"",
    "[diagnostics.\"a/*\".\"b/*\"]\nunused-variable = \"allow\"",
    "[[shaders]]\nsubgroup-size = 8",
    "[[shaders]]\nfiles = \"*.comp\"\nfile = \"x\"",
    "[[shaders]]\nfiles = \"*.comp\"\n[[shaders.configurations]]\ndefines = { A = 1 }",
    "[[shaders]]\nfiles = \"*.comp\"\n[[shaders.configurations]]\nname = \"a\"\ndefine = [\"X\"]",
];

/// Recipes that the recipe crate refuses, too.
const WRONG_RECIPES: &[&str] = &["dispatch = \"x\"", "checked = 1", "bufers = []", "step-limit = -1"];

/// Checks with a call of taplo.
pub fn check(taplo: impl Fn() -> Command) -> Result<()> {
    let folder = shell::target().join("schemas");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let lint = |schema: &str| {
        let mut lint = taplo();
        lint.arg("lint").arg("--schema").arg(format!("file://{}", shell::root().join(schema).display()));
        lint
    };
    let meta = |schema: &str| -> Result<()> {
        let text: serde_json::Value = serde_json::from_str(&fs::read_to_string(shell::root().join(schema))?)?;
        let draft = text["$schema"].as_str().unwrap_or_default();
        let known =
            ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"];
        if !known.contains(&draft) {
            bail!("{schema}: its draft is `{draft}`, expected one of {}", known.join(", "));
        }
        Ok(())
    };
    [PROJECT, RECIPE].into_iter().try_for_each(meta)?;

    let mut right = lint(RECIPE);
    right.arg(shell::root().join("examples/**/*.run.toml"));
    shell::run(&mut right)?;
    let page = fs::read_to_string(shell::root().join("docs/project-file.md"))?;
    let examples = page.split("```toml project\n").skip(1).filter_map(|rest| rest.split("```").next());
    let examples: Vec<&str> = examples.collect();
    if examples.is_empty() {
        bail!("docs/project-file.md has no examples any more");
    }
    for (number, example) in examples.iter().enumerate() {
        fs::write(folder.join(format!("right-{number}.toml")), example)?;
    }
    let mut right = lint(PROJECT);
    right.arg(folder.join("right-*.toml"));
    shell::run(&mut right).context("examples of docs/project-file.md")?;

    for (schema, wrong) in [(PROJECT, WRONG_PROJECTS), (RECIPE, WRONG_RECIPES)] {
        for text in wrong {
            let file = folder.join("wrong.toml");
            fs::write(&file, text)?;
            let output = lint(schema).arg(&file).output()?;
            let told = String::from_utf8_lossy(&output.stderr);
            // Not for another reason, such as a schema that is none.
            if output.status.success() || !told.contains("schema validation failed") {
                bail!("{schema} takes what is wrong:\n{text}\n{told}");
            }
        }
    }
    Ok(())
}
