//! What is mutated: the examples, the pages of the diagnostics, the fixtures of the tests, and the corpus where it was downloaded.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::random::Random;

/// The most bytes of a seed: larger ones take too long to run thousands of times.
const LONGEST: usize = 40_000;

#[derive(Default)]
pub struct Seeds {
    /// Examples: valid, with a recipe.
    pub examples: Vec<Seed>,
    /// Other shaders, valid or not.
    pub shaders: Vec<Seed>,
    /// Compute shaders of the corpus, with the definitions that make them valid.
    pub corpus: Vec<Seed>,
    pub recipes: Vec<Seed>,
    headers: HashMap<String, Arc<str>>,
}

pub struct Seed {
    pub name: String,
    pub text: Arc<str>,
}

/// The folder of the repository, which this crate stands in.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

impl Seeds {
    /// Those of the repository that this crate was built in; read once.
    pub fn shared() -> &'static Seeds {
        static SHARED: OnceLock<Seeds> = OnceLock::new();
        SHARED.get_or_init(|| Seeds::read(&root()))
    }

    fn read(root: &Path) -> Seeds {
        let mut seeds = Seeds::default();
        for group in ["khr", "nv2", "qcom", "coopvec", "mistakes"] {
            for (name, text) in files(&root.join("examples").join(group)) {
                if name.ends_with(".comp") {
                    seeds.examples.push(Seed { name, text: text.into() });
                } else if name.ends_with(".toml") {
                    seeds.recipes.push(Seed { name, text: text.into() });
                }
            }
        }
        for (name, text) in files(&root.join("analysis/diagnostics")) {
            for (index, block) in code_blocks(&text).enumerate() {
                seeds.shaders.push(Seed { name: format!("{name}#{index}"), text: block.into() });
            }
        }
        let fixtures = root.join("analysis/tests/fixtures");
        for folder in folders(&fixtures) {
            for (name, text) in files(&folder) {
                seeds.shaders.push(Seed { name, text: text.into() });
            }
        }
        let corpus = root.join("target/corpus");
        for (name, text) in files(&corpus.join("glslang/Test")) {
            if name.ends_with(".comp") {
                seeds.shaders.push(Seed { name, text: text.into() });
            }
        }
        let llama: HashMap<String, String> =
            files(&corpus.join("llama/vulkan-shaders")).into_iter().collect();
        let variants = fs::read_to_string(corpus.join("llama/variants.tsv")).unwrap_or_default();
        for (index, row) in variants.lines().enumerate() {
            // Hundreds of variants differ in little.
            if index % 7 == 0
                && let Some(seed) = variant(row, &llama)
            {
                seeds.corpus.push(seed);
            }
        }
        seeds.headers = llama.into_iter().map(|(name, text)| (name, text.into())).collect();
        for list in [&mut seeds.examples, &mut seeds.shaders, &mut seeds.corpus, &mut seeds.recipes] {
            list.retain(|seed| seed.text.len() <= LONGEST);
            list.sort_by(|a, b| a.name.cmp(&b.name));
        }
        seeds
    }

    /// A file that shaders of the corpus include.
    pub fn header(&self, name: &str) -> Option<Arc<str>> {
        self.headers.get(name).cloned()
    }

    /// A shader, mostly one of those that show the matrix extensions.
    pub fn shader(&self, random: &mut Random) -> &str {
        let list = match random.below(8) {
            0..3 => &self.examples,
            3..6 => &self.shaders,
            _ if self.corpus.is_empty() => &self.shaders,
            _ => &self.corpus,
        };
        short(list, random)
    }

    /// A shader that was valid.
    pub fn valid_shader(&self, random: &mut Random) -> &str {
        let list = if self.corpus.is_empty() || random.below(3) > 0 { &self.examples } else { &self.corpus };
        short(list, random)
    }

    pub fn recipe(&self, random: &mut Random) -> &str {
        random.choose(&self.recipes).map_or("", |seed| &seed.text)
    }

    pub fn example(&self, random: &mut Random) -> Option<&Seed> {
        random.choose(&self.examples)
    }

    /// How many there are, in words.
    pub fn describe(&self) -> String {
        let (examples, shaders, corpus) = (self.examples.len(), self.shaders.len(), self.corpus.len());
        let recipes = self.recipes.len();
        format!("{examples} examples, {shaders} other shaders, {corpus} of the corpus, {recipes} recipes")
    }
}

/// The shorter of two: what takes half the time is tried twice as often.
fn short<'s>(list: &'s [Seed], random: &mut Random) -> &'s str {
    let two = [random.choose(list), random.choose(list)];
    let shorter = two.into_iter().flatten().min_by_key(|seed| seed.text.len());
    shorter.map_or("void main() { }\n", |seed| &seed.text)
}

/// The text files of a folder in the order of their names; none where there is no such folder.
fn files(folder: &Path) -> Vec<(String, String)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<(String, String)> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let text = fs::read(entry.path()).ok()?;
            Some((
                entry.file_name().to_string_lossy().into_owned(),
                String::from_utf8_lossy(&text).into_owned(),
            ))
        })
        .collect();
    found.sort();
    found
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

/// What stands between fences, or indented by four blanks, in a page.
fn code_blocks(page: &str) -> impl Iterator<Item = String> + '_ {
    page.split("```").skip(1).step_by(2).map(|block| {
        // The first line names the language.
        block.split_once('\n').map_or("", |(_, code)| code).to_owned()
    })
}

/// A row of the list of llama.cpp's variants: source, name, environment, definitions.
fn variant(row: &str, files: &HashMap<String, String>) -> Option<Seed> {
    let mut cells = row.split('\t');
    let (source, name, environment, defines) = (cells.next()?, cells.next()?, cells.next()?, cells.next()?);
    let mut text = format!("//! target-env: {environment}\n//! google-include: true\n");
    for define in defines.split('\u{1f}').filter(|define| !define.is_empty()) {
        text.push_str(&format!("//! define: {define}\n"));
    }
    text.push_str(files.get(source)?);
    Some(Seed { name: name.to_owned(), text: text.into() })
}
