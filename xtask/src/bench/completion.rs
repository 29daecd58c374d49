//! How often the wanted word is among the first three that completion shows, in shaders that its order was not learned from (`coopmat-completion`).

use anyhow::{Context, Result};

use super::figures::{Better, Figure, Found};
use crate::{completion, shell};

pub fn run() -> Result<Found> {
    let text = shell::output(&mut completion::program()?)?;
    let mut found = Found::default();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["note", ..] => {}
            [project, what, cut, kept, share, ..] => {
                // While a line is being written; the other ways are in docs/completion.md.
                if cut != "line" || (what == "members" && kept != "1") {
                    continue;
                }
                let share: f64 = share.parse().with_context(|| format!("expected a share, found {line}"))?;
                let letters = if kept == "1" { "letter" } else { "letters" };
                found.figures.push(Figure {
                    id: format!("completion/{project}-{what}-{kept}"),
                    what: format!("{project}: {what} among the first three after {kept} {letters}"),
                    unit: "%",
                    ours: vec![share],
                    peer: None,
                    better: Better::More,
                });
            }
            _ => anyhow::bail!("expected a project, a kind of words and a share, found {line}"),
        }
    }
    anyhow::ensure!(!found.figures.is_empty(), "nothing was asked");
    found.note(
        "Each project in the order that was learned from the others. Shares do not depend on the machine.",
    );
    Ok(found)
}
