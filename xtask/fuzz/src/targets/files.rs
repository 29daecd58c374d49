//! Files that people write or that other programs leave: recipes with the tables that they name, project files, build logs, compilation
//! databases, device profiles, ownerships.

use std::cell::RefCell;
use std::sync::OnceLock;

use coopmat_analysis::devices::{self, DeviceProfile};
use coopmat_analysis::import;
use coopmat_analysis::project::Project;
use coopmat_recipe::report::Modes;
use coopmat_recipe::{Files, Overrides, Plan, PlanError, Recipe, modes};
use coopmat_simulator::ownership::Ownership;
use coopmat_spirv::dr::Module;
use serde_json::Value;

use super::inputs::mutate_text;
use super::spirv;
use crate::mutate::{self, json};
use crate::random::Random;
use crate::seeds::Seeds;
use crate::target::{Effort, Target, Unit};

pub const RECIPE: Target = Target {
    name: "recipe",
    about: "recipes over an example's module: fills, formulas, references, .npy and .csv tables, a short run",
    unit: Unit::Text,
    run: recipe,
    generate: damaged_recipe,
    mutate: mutate_text,
};

pub const PROJECT: Target = Target {
    name: "project",
    about: "project files, build logs, compile_commands.json, device profiles, ownership tables",
    unit: Unit::Text,
    run: project,
    generate: damaged_project,
    mutate: mutate_text,
};

/// The line between a recipe and what every file holds that it names.
const TABLE: &str = "\n#== table\n";

/// The most bytes of buffers that a run asks for here.
const MEMORY: usize = 1 << 24;

struct Table<'t> {
    bytes: &'t [u8],
    /// Each read costs; nobody reads without end.
    reads: RefCell<usize>,
}

impl Files for Table<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        *self.reads.borrow_mut() += 1;
        assert!(*self.reads.borrow() < 10_000, "{path} is read again and again");
        Ok(self.bytes.to_vec())
    }
}

/// The examples' modules by the name of their recipe.
fn example_modules() -> &'static [(String, Module)] {
    static MODULES: OnceLock<Vec<(String, Module)>> = OnceLock::new();
    MODULES.get_or_init(|| {
        let seeds = Seeds::shared();
        let modules = seeds.examples.iter().filter_map(|seed| {
            let [words, _] = spirv::compiled(&seed.text, &coopmat_codegen::Options::default())?;
            Some((seed.name.trim_end_matches(".comp").to_owned(), coopmat_spirv::load(&words).ok()?))
        });
        modules.collect()
    })
}

fn damaged_recipe(random: &mut Random, seeds: &Seeds) -> Vec<u8> {
    const VALUES: [&str; 22] = [
        "0",
        "1",
        "-1",
        "16",
        "1e300",
        "nan",
        "inf",
        "\"x\"",
        "[]",
        "[1, 2]",
        "{}",
        "true",
        "9223372036854775807",
        "4294967296",
        "\"16 * M\"",
        "\"i % 0\"",
        "\"table.npy\"",
        "\"table.csv\"",
        "\"f16\"",
        "\"((((((1))))))\"",
        "{ file = \"table.npy\" }",
        "{ iota = { start = 0, step = 1 } }",
    ];
    let Some(seed) = random.choose(&seeds.recipes) else { return Vec::new() };
    let mut text = seed.text.to_string();
    for _ in 0..1 + random.below(4) {
        let lines: Vec<&str> = text.lines().collect();
        let assigned: Vec<usize> = (0..lines.len()).filter(|&line| lines[line].contains(" = ")).collect();
        text = match (random.below(8), random.choose(&assigned).copied()) {
            (0..4, Some(line)) => {
                let key = lines[line].split(" = ").next().unwrap_or_default();
                let replaced = format!("{key} = {}", random.pick(VALUES));
                let mut lines: Vec<&str> = lines;
                lines[line] = &replaced;
                lines.join("\n") + "\n"
            }
            (4, _) => {
                let other = seeds.recipe(random).lines().collect::<Vec<_>>();
                let line = random.choose(&other).copied().unwrap_or_default();
                let at = random.below(lines.len() + 1);
                [&lines[..at], &[line], &lines[at..]].concat().join("\n") + "\n"
            }
            _ => mutate::shader(&text, random, seeds),
        };
    }
    let mut input = format!("# {}\n{text}", seed.name.trim_end_matches(".run.toml")).into_bytes();
    if random.one_in(3) {
        input.extend_from_slice(TABLE.as_bytes());
        input.extend(table(random));
    }
    input
}

/// Something like a `.npy` file, or like a `.csv` file.
fn table(random: &mut Random) -> Vec<u8> {
    if random.one_in(2) {
        let cells = (0..random.below(40)).map(|_| {
            let cell = random.pick(["1", "2.5", "nan", "x", "-1e9", "", "0x1"]);
            format!("{cell}{}", random.pick([",", "\n", ", "]))
        });
        return cells.collect::<String>().into();
    }
    let shape = random.pick(["(2, 3)", "(6,)", "()", "(4294967296, 4294967296)", "(0, 5)", "(-1,)", "(2, 3"]);
    let of = random.pick(["<f4", "<f2", "|i1", "<i8", ">f4", "<U4", "|b1"]);
    let order = random.pick(["True", "False"]);
    let header = format!("{{'descr': '{of}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    let length = if random.one_in(6) { random.number() as u16 } else { header.len() as u16 };
    bytes.extend(length.to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend((0..random.below(64)).map(|at| at as u8));
    bytes
}

fn recipe(bytes: &[u8], _: Effort) {
    let at = bytes.windows(TABLE.len()).position(|window| window == TABLE.as_bytes());
    let (text, table) = match at {
        Some(at) => (&bytes[..at], &bytes[at + TABLE.len()..]),
        None => (bytes, &[][..]),
    };
    let text = String::from_utf8_lossy(text);
    let recipe = match coopmat_recipe::parse(&text) {
        Ok(recipe) => recipe,
        Err(error) => return judge(&text, &error),
    };
    let modules = example_modules();
    let name = text.lines().next().and_then(|line| line.strip_prefix("# ")).unwrap_or_default();
    let known = modules.iter().find(|(module, _)| module == name).or(modules.first());
    let Some((_, module)) = known else { return };
    let files = Table { bytes: table, reads: RefCell::default() };
    let overrides =
        Overrides { most_memory: Some(MEMORY), most_judged: Some(1 << 18), ..Overrides::default() };
    let modules: Vec<_> = recipe.all_dispatches().iter().map(|_| module.into()).collect();
    match Plan::new(&recipe, &text, &modules, &files, &overrides) {
        Ok(plan) => go(&plan, &recipe),
        Err(PlanError::Recipe(error)) => judge(&text, &error),
        Err(PlanError::Program(_, error)) => assert!(!error.message.is_empty(), "an error without words"),
    }
}

fn judge(text: &str, error: &coopmat_recipe::RecipeError) {
    assert!(!error.message.is_empty(), "an error without words");
    assert!(text.get(error.range.clone()).is_some(), "an error outside of the recipe: {error:?}");
    error.position(text);
}

/// A few steps of a run.
fn go(plan: &Plan, recipe: &Recipe) {
    let modes: Modes = modes::first(recipe, 32);
    let Ok(mut run) = coopmat_recipe::Run::new(plan, &modes) else { return };
    let mut slices = 0;
    while matches!(run.step(plan, 2000), coopmat_recipe::Slice::Running { .. }) && slices < 4 {
        slices += 1;
    }
    run.stop();
    let finished = run.finish(plan, recipe, &|_, _| None);
    assert_eq!(finished.buffers.len(), plan.buffers.len(), "buffers of the plan and of the run");
}

const PROJECTS: [&str; 2] = [
    "target-env = \"vulkan1.3\"\ndefines = [\"A=1\", \"B\"]\nignore = [\"build/**\"]\n\n[[shaders]]\nfiles = [\"*.comp\", \"!x.comp\"]\nin-view = \"two\"\npreamble = \"a.glsl\"\npreamble-text = '''\n#define Y 1\n'''\nversion = 450\ndevice = \"nvidia-h200\"\n\n[[shaders.configurations]]\nname = \"one\"\ndefines = { N = 4, M = \"x\" }\n\n[[shaders.configurations]]\nname = \"two\"\nsubgroup-size = 32\nspecialization = { 0 = 16, 1 = true, 2 = 1.5 }\n",
    "include-dirs = [\"include\", \"/usr/include\"]\n[[imports]]\npath = \"build.log\"\n[[shaders]]\nfiles = [\"**/*.comp\"]\n",
];
const LOG: &str = "cd /p/build && glslc -fshader-stage=compute --target-env=vulkan1.3 -DA=1 -D B -I include -o a.spv ../a.comp\n[2/3] /usr/bin/glslangValidator -V --define-macro X=\"y z\" -P\"#define Q 1\" b.comp -o b.spv\nglslc @response.rsp c.comp \\\n  -o c.spv\nmake[1]: Entering directory '/p/s'\n(cd t; sh -c \"glslc -std=450 d.comp -o d.spv;glslc e.comp -o e.spv>log\")\n(\"glslc\", \"-DN=2\", \"f.comp\")\n\u{1b}[1mcmd /C \"cd /D C:\\b && glslc.exe -DX g.comp ^\r\n -o g.spv\"\u{1b}[0m\n";
const DATABASE: &str = "[{\"directory\": \"/p\", \"command\": \"glslc -DN=4 a.comp -o a.spv\", \"file\": \"a.comp\"}, {\"directory\": \"/p\", \"arguments\": [\"glslc\", \"b.comp\"], \"file\": \"b.comp\"}]";

fn damaged_project(random: &mut Random, seeds: &Seeds) -> Vec<u8> {
    let text = match random.below(5) {
        0 | 1 => random.pick(PROJECTS).to_owned(),
        2 => LOG.to_owned(),
        3 => DATABASE.to_owned(),
        _ => {
            let devices = devices::builtin();
            random.choose(devices).map_or(String::new(), |device| device.to_json())
        }
    };
    if let Ok(mut value) = serde_json::from_str::<Value>(&text)
        && random.below(3) > 0
    {
        for _ in 0..1 + random.below(3) {
            json::value(&mut value, random);
        }
        return value.to_string().into_bytes();
    }
    mutate::shader(&text, random, seeds).into_bytes()
}

/// Every reader is given the text, whatever it was.
fn project(bytes: &[u8], _: Effort) {
    let text = String::from_utf8_lossy(bytes);
    let response = |path: &str, _: Option<&str>| match path.len() {
        0..100 => Ok(format!("-DR=1 @{path}x").into()),
        _ => Err("there is no such file".to_owned()),
    };
    for path in ["/p/build.log", "/p/compile_commands.json"] {
        let (imported, errors) = import::read(&text, path, &response);
        for error in &errors {
            assert!(usize::from(error.range.end()) <= text.len(), "an error outside of the text: {error:?}");
            assert!(!error.message.is_empty(), "an error without words");
        }
        for variant in imported.variants() {
            assert!(!variant.name.is_empty(), "a configuration without a name");
        }
        imported.of("/p/a.comp", "/p");
        import::project_file(std::slice::from_ref(&imported), "/p", "fuzzing");
    }
    match Project::parse(&text, "/p") {
        Ok(mut project) => {
            let (imported, _) = import::read(LOG, "/p/build.log", &response);
            project.add("build.log", std::sync::Arc::new(imported));
            for path in ["/p/a.comp", "/p/build/x.comp", "/q/a.comp", "", "/p/é.comp"] {
                let found = project.configurations(path);
                assert!(found.in_view < found.list.len(), "a configuration in view that there is not");
                project.ignores(path);
            }
            let mistakes = project.mistakes();
            mistakes.iter().for_each(|error| crate::check::range(&text, error.range, &error.message));
            let _ = (project.globs().count(), project.devices().count(), project.imports().len());
        }
        Err(errors) => {
            assert!(!errors.is_empty(), "refused without a reason");
            errors.iter().for_each(|error| crate::check::range(&text, error.range, &error.message));
        }
    }
    if let Ok(profile) = DeviceProfile::parse(&text) {
        let again = DeviceProfile::parse(&profile.to_json());
        assert_eq!(again.as_ref(), Ok(&profile), "a profile that comes back as another");
    }
    drop(Ownership::from_json(&text));
}
