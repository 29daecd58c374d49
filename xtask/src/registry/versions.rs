//! What our Vulkan driver has of each version and extension, from Vulkan's registry and the lists in `docs/vulkan-driver.md` that the driver's tests
//! hold against its code.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Context, Result};

use super::Registry;
use super::xml::Element;
use crate::documents;

const PAGE: &str = "docs/vulkan-driver.md";
/// The registry's parts of a version.
const PARTS: [&str; 3] = ["BASE", "COMPUTE", "GRAPHICS"];
/// Missing functions that a cell lists; of graphics, none is.
const LISTED: usize = 8;

/// The words between backquotes.
fn quoted(text: &str) -> BTreeSet<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The functions that a version or an extension brings.
fn commands(element: &Element) -> Vec<&str> {
    let required = element.children("require").flat_map(|required| required.children("command"));
    required.filter_map(|command| command.attribute("name").ok()).collect()
}

/// How many of the functions are there, and in words which are not.
fn cells(names: &[&str], there: &BTreeSet<String>, list: bool) -> (String, String) {
    let missing: Vec<String> =
        names.iter().filter(|name| !there.contains(**name)).map(|name| format!("`{name}`")).collect();
    let count = match names.len() {
        0 => "none to have".to_owned(),
        all => format!("{} of {all}", all - missing.len()),
    };
    let mut words = String::new();
    if list {
        words = missing.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
        if missing.len() > LISTED {
            let _ = write!(words, " and {} more", missing.len() - LISTED);
        }
    }
    (count, words)
}

/// Holds the page's table against the registry; `UPDATE=1` writes it.
pub fn check(registry: &Registry) -> Result<()> {
    let page = documents::read(PAGE)?;
    let functions = documents::between(&page, "functions").context("the page has no list of functions")?;
    let (there, _) =
        functions.split_once("- **there, but only say that they are not**").unwrap_or((functions, ""));
    let there = quoted(there);
    let extensions =
        quoted(documents::between(&page, "extensions").context("the page has no list of extensions")?);

    let mut table = "| | Functions that are there | Missing |\n|---|---|---|\n".to_owned();
    for version in ["1_0", "1_1", "1_2", "1_3"] {
        for part in PARTS {
            let name = format!("VK_{part}_VERSION_{version}");
            let mut found = registry.0.children("feature").filter(|one| one.is("name", &name));
            let element = found.next().with_context(|| format!("the registry has no {name}"))?;
            let (count, missing) = cells(&commands(element), &there, part != "GRAPHICS");
            let missing = if part == "GRAPHICS" { "not meant to be there".to_owned() } else { missing };
            let part = part.to_lowercase();
            let _ = writeln!(table, "| Vulkan {}, {part} | {count} | {missing} |", version.replace('_', "."));
        }
    }
    let list = registry.0.child("extensions").context("no <extensions>")?;
    let known: BTreeMap<&str, &Element> = list
        .children("extension")
        .filter_map(|element| Some((element.attribute("name").ok()?, element)))
        .collect();
    let mut whole = Vec::new();
    for name in &extensions {
        let element = known.get(name.as_str()).with_context(|| format!("the registry has no {name}"))?;
        let (count, missing) = cells(&commands(element), &there, true);
        match missing.is_empty() {
            true => whole.push(name),
            false => {
                let _ = writeln!(table, "| `{name}` | {count} | {missing} |");
            }
        }
    }
    let _ = writeln!(table, "| the {} others, listed [below](#extensions) | all | |", whole.len());
    documents::compare(PAGE, "versions", &table, "cargo xtask registry")
}
