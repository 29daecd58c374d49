//! `cargo xtask graph`: which files of a crate name each other's items, and the circles among them.
//!
//! A file imports another if it names an item that stands there: in a `use`, or by a path anywhere in its code, macros' arguments
//! included. What a parent hands on (`pub use`) is an import of the file where the item stands, for whoever names it. To declare
//! `mod x;`, or to hand on, imports nothing. Tests are left out, and so are methods, which no path names.

mod circles;
mod crates;
mod imports;
pub mod modules;

use anyhow::{Result, bail};

use circles::circles;
use imports::{Import, imports};

/// Files in a circle, at most.
const LARGEST_CIRCLE: usize = 6;

/// Files of the analysis that all others stand on, by the beginnings of their paths: in no circle at all.
const GROUND: &[&str] = &[
    "analysis/src/config.rs",
    "analysis/src/devices",
    "analysis/src/extensions",
    "analysis/src/hir",
    "analysis/src/ids.rs",
    "analysis/src/scalar.rs",
    "analysis/src/stage.rs",
    "analysis/src/symbolic.rs",
    "analysis/src/text.rs",
    "analysis/src/types.rs",
];

/// Files that do not name each other, by the beginnings of their paths.
const APART: &[(&str, &str)] = &[("analysis/src/lower", "analysis/src/checks")];

/// Prints the circles, and fails where there are more than the invariants of ARCHITECTURE.md allow.
///
/// # Errors
/// What is not allowed, or a source that cannot be read.
pub fn run() -> Result<()> {
    let mut wrong = Vec::new();
    for (name, krate) in crates::all()? {
        let imports = imports(&krate);
        let circles = circles(&imports);
        for circle in &circles {
            println!("{name}: a circle of {} files", circle.len());
            for Import { from, to, names } in &imports {
                if circle.contains(from) && circle.contains(to) {
                    println!("  {from} -> {to}: {}", names.join(", "));
                }
            }
        }
        wrong.extend(faults(&imports, &circles));
    }
    if wrong.is_empty() {
        return Ok(());
    }
    bail!("{}", wrong.join("\n"))
}

/// What is not allowed of the imports of a crate.
fn faults(imports: &[Import], circles: &[Vec<String>]) -> Vec<String> {
    let mut faults = Vec::new();
    for circle in circles {
        if circle.len() > LARGEST_CIRCLE {
            faults.push(format!(
                "a circle of {} files, and {LARGEST_CIRCLE} are allowed: {}",
                circle.len(),
                circle.join(", ")
            ));
        }
        for file in circle {
            if GROUND.iter().any(|ground| file.starts_with(ground)) {
                faults.push(format!("{file} is of the ground floor and in a circle: {}", circle.join(", ")));
            }
        }
    }
    for Import { from, to, names } in imports {
        let meets = |a: &str, b: &str| from.starts_with(a) && to.starts_with(b);
        if APART.iter().any(|(a, b)| meets(a, b) || meets(b, a)) {
            faults.push(format!("{from} names {} of {to}", names.join(", ")));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_small_and_the_ground_floor_has_none() {
        let (mut files, mut wrong) = (Vec::new(), Vec::new());
        for (_, krate) in crates::all().unwrap() {
            let imports = imports(&krate);
            wrong.extend(faults(&imports, &circles(&imports)));
            files.extend(krate.files);
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        // The lists above speak of files that exist.
        let spoken_of = GROUND.iter().chain(APART.iter().flat_map(|(a, b)| [a, b]));
        for beginning in spoken_of {
            assert!(files.iter().any(|file| file.starts_with(beginning)), "{beginning}");
        }
    }

    #[test]
    fn what_is_not_allowed_is_told() {
        let import = |from: &str, to: &str| Import {
            from: from.to_owned(),
            to: to.to_owned(),
            names: vec!["Name".to_owned()],
        };
        let told = |imports: &[Import]| faults(imports, &circles(imports));
        let ring: Vec<_> =
            (0..7).map(|at| import(&format!("{at}.rs"), &format!("{}.rs", (at + 1) % 7))).collect();
        assert!(told(&ring)[0].contains("a circle of 7 files, and 6 are allowed"));
        assert!(told(&ring[..6]).is_empty());
        let ground = [
            import("analysis/src/types.rs", "analysis/src/display.rs"),
            import("analysis/src/display.rs", "analysis/src/types.rs"),
        ];
        assert!(told(&ground)[0].starts_with("analysis/src/types.rs is of the ground floor"));
        let judging = [import("analysis/src/lower/calls.rs", "analysis/src/checks/flow.rs")];
        assert_eq!(told(&judging), ["analysis/src/lower/calls.rs names Name of analysis/src/checks/flow.rs"]);
    }
}
