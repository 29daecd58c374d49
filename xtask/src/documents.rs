//! Parts of the documentation that chores write: between `<!-- name -->` and `<!-- end of name -->`.

use anyhow::{Context, Result, ensure};

use crate::shell;

/// A page, from the root of the repository.
pub fn read(page: &str) -> Result<String> {
    std::fs::read_to_string(shell::root().join(page)).with_context(|| page.to_owned())
}

fn place(text: &str, name: &str) -> Option<std::ops::Range<usize>> {
    let start = format!("<!-- {name} -->\n");
    let from = text.find(&start)? + start.len();
    let to = from + text[from..].find(&format!("<!-- end of {name} -->"))?;
    Some(from..to)
}

/// What stands in a part.
pub fn between<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    place(text, name).map(|range| &text[range])
}

/// The page with another part.
fn with(text: &str, page: &str, name: &str, part: &str) -> Result<String> {
    let range = place(text, name).with_context(|| format!("{page} has no part <!-- {name} -->"))?;
    Ok(format!("{}\n{part}\n{}", &text[..range.start], &text[range.end..]))
}

/// Writes a part.
pub fn write(page: &str, name: &str, part: &str) -> Result<()> {
    Ok(std::fs::write(shell::root().join(page), with(&read(page)?, page, name, part)?)?)
}

/// Holds a part against what it should be; with `UPDATE=1` the command writes it.
pub fn compare(page: &str, name: &str, part: &str, command: &str) -> Result<()> {
    if std::env::var_os("UPDATE").is_some() {
        return write(page, name, part);
    }
    let old = read(page)?;
    ensure!(
        with(&old, page, name, part)? == old,
        "the part <!-- {name} --> of {page} is another one; `UPDATE=1 {command}` writes it:\n{part}"
    );
    Ok(())
}
