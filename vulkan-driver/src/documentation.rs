//! Lists in `docs/vulkan-driver.md`, which a test compares with the code. `UPDATE=1` writes them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use coopmat_simulator::formats::{FORMATS, Format};

use crate::entry::list::{LIST, REFUSED};
use crate::facts::extensions::{CORE, DEVICE, INSTANCE};

/// Characters of a line.
const WIDTH: usize = 180;

/// Words as a list of Markdown: a heading in bold, and lines that are not too long.
fn item(heading: &str, words: impl IntoIterator<Item = String>) -> String {
    let mut text = format!("- **{heading}**:");
    let mut length = text.len();
    let words: Vec<String> = words.into_iter().collect();
    for (index, word) in words.iter().enumerate() {
        let word = if index + 1 == words.len() { word.clone() } else { format!("{word},") };
        if length + 1 + word.len() > WIDTH {
            text += "\n ";
            length = 1;
        }
        let _ = write!(text, " {word}");
        length += 1 + word.len();
    }
    text + "\n"
}

fn functions() -> String {
    let mut families: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for listed in LIST {
        let Some((name, aliases)) = listed.names.split_first() else { continue };
        let others = aliases.iter().map(|alias| format!("`{alias}`")).collect::<Vec<_>>().join(", ");
        let shown = if others.is_empty() { format!("`{name}`") } else { format!("`{name}` ({others})") };
        families.entry(listed.file.unwrap_or_default()).or_default().push(shown);
    }
    let families = families.into_iter().map(|(family, names)| item(family, names));
    let refused =
        item("there, but only say that they are not", REFUSED.iter().map(|name| format!("`{name}`")));
    families.chain([refused]).collect()
}

fn extensions() -> String {
    let names = |list: &[(&str, u32)]| list.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>();
    item("Of instances", names(INSTANCE))
        + &item("Of devices, if the profile has them", names(DEVICE))
        + &item("Of devices, part of Vulkan 1.1, 1.2 or 1.3", names(CORE))
}

fn formats() -> String {
    let names = |wanted: &dyn Fn(&Format) -> bool| -> Vec<String> {
        let all = FORMATS.iter().filter(|format| wanted(format));
        all.map(|format| format!("`{}`", format.name)).collect()
    };
    let filtered = |format: &Format| format.integers().is_none();
    item("Sampled, with linear filters, and stored", names(&|one| filtered(one) && one.is_storage()))
        + &item("Sampled and stored", names(&|one| !filtered(one) && one.is_storage()))
        + &item("Sampled, with linear filters", names(&|one| filtered(one) && !one.is_storage()))
}

#[test]
fn the_documentation_lists_what_there_is() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/vulkan-driver.md");
    let old = std::fs::read_to_string(path).unwrap();
    let mut new = old.clone();
    for (name, list) in [("formats", formats()), ("functions", functions()), ("extensions", extensions())] {
        let (start, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
        let from = new.find(&start).unwrap() + start.len();
        let to = new.find(&end).unwrap();
        new.replace_range(from..to, &format!("\n{list}\n"));
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, new).unwrap();
    } else {
        assert!(old == new, "run `UPDATE=1 cargo test -p coopmat-vulkan-driver documentation`");
    }
}
