//! The command line, as the program itself describes it.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::markdown::cell;

pub fn page(program: &Path) -> Result<String> {
    let mut out = String::from("# Command line\n\n");
    let top = Help::parse(&help(program, &[])?);
    let _ = writeln!(out, "{}\n\n| command | what it does |\n|---|---|", top.about);
    let commands: Vec<&Entry> = top.section("Commands").filter(|entry| entry.name != "help").collect();
    for command in &commands {
        let _ = writeln!(
            out,
            "| [`coopmat-analyzer {0}`](#coopmat-analyzer-{0}) | {1} |",
            command.name,
            cell(&command.what)
        );
    }
    out.push_str("\nWithout a command it is the language server. `coopmat-analyzer --version` names the commit that it was built of.\n");
    for command in commands {
        describe(&mut out, program, &[&command.name])?;
    }
    Ok(out)
}

/// A section for a command, and for those below it.
fn describe(out: &mut String, program: &Path, command: &[&str]) -> Result<()> {
    let help = Help::parse(&help(program, command)?);
    let level = "#".repeat(command.len() + 1);
    let _ = writeln!(
        out,
        "\n{level} coopmat-analyzer {}\n\n{}\n\n```text\n{}\n```",
        command.join(" "),
        help.about,
        help.usage
    );
    for section in help.sections.iter().filter(|section| section.title != "Commands") {
        let entries: Vec<&Entry> =
            section.entries.iter().filter(|entry| !entry.name.contains("--help")).collect();
        if entries.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n| {} | |\n|---|---|", section.title.trim_end_matches('s').to_lowercase());
        for entry in entries {
            let _ = writeln!(out, "| `{}` | {} |", cell(&entry.name), cell(&entry.what));
        }
    }
    for line in help.rest.lines().filter(|line| !line.trim().is_empty()) {
        let _ = writeln!(out, "\n{line}");
    }
    for entry in help.section("Commands").filter(|entry| entry.name != "help") {
        describe(out, program, &[command, &[&entry.name]].concat())?;
    }
    Ok(())
}

fn help(program: &Path, command: &[&str]) -> Result<String> {
    let output = Command::new(program)
        .args(command)
        .arg("--help")
        .env("COLUMNS", "100")
        .output()
        .with_context(|| format!("cannot start {}", program.display()))?;
    anyhow::ensure!(output.status.success(), "{} {command:?} --help fails", program.display());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What clap prints for `--help`, taken apart.
#[derive(Default)]
struct Help {
    about: String,
    usage: String,
    sections: Vec<Section>,
    /// What follows the lists.
    rest: String,
}

struct Section {
    title: String,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    name: String,
    what: String,
}

impl Help {
    fn parse(text: &str) -> Help {
        let mut help = Help::default();
        // Where lines go: before the usage, into it, into a list, behind the lists.
        let mut listed = false;
        let mut usage = false;
        for line in text.lines() {
            if let Some(words) = line.strip_prefix("Usage: ") {
                help.usage = words.trim().to_owned();
                usage = true;
                continue;
            }
            let indent = line.len() - line.trim_start().len();
            if indent == 0 && line.ends_with(':') && !line.contains(' ') {
                help.sections
                    .push(Section { title: line.trim_end_matches(':').to_owned(), entries: Vec::new() });
                (listed, usage) = (true, false);
                continue;
            }
            let before_lists = help.sections.is_empty();
            let entries = help.sections.last_mut().filter(|_| listed).map(|section| &mut section.entries);
            match entries {
                _ if line.trim().is_empty() => usage = false,
                Some(entries) if indent > 0 && indent < 8 => {
                    let (name, what) = line.trim().split_once("  ").unwrap_or((line.trim(), ""));
                    entries.push(Entry { name: name.to_owned(), what: what.trim().to_owned() });
                }
                Some(entries) if indent >= 8 => {
                    if let Some(entry) = entries.last_mut() {
                        let line = line.trim();
                        entry.what.push_str(if line.starts_with("- ") { "<br>" } else { " " });
                        entry.what.push_str(line);
                    }
                }
                Some(_) => {
                    listed = false;
                    help.rest.push_str(line);
                    help.rest.push('\n');
                }
                None if usage => {
                    help.usage.push('\n');
                    help.usage.push_str(line.trim());
                }
                None if before_lists => {
                    help.about.push_str(line);
                    help.about.push('\n');
                }
                None => {
                    help.rest.push_str(line);
                    help.rest.push('\n');
                }
            }
        }
        help.about = help.about.trim().to_owned();
        help
    }

    fn section(&self, title: &str) -> impl Iterator<Item = &Entry> {
        self.sections
            .iter()
            .filter(move |section| section.title == title)
            .flat_map(|section| &section.entries)
    }
}

#[cfg(test)]
mod tests {
    use super::Help;

    #[test]
    fn both_layouts_of_help_are_read() {
        let short = "Check shaders\n\nUsage: x check [OPTIONS] [FILE]...\n       x check -- [ARGUMENTS]\n\nOptions:\n  -D <NAME>         Define a macro,\n                    or two\n      --all         Also report hints\n\nExit codes: 0 nothing wrong\n";
        let help = Help::parse(short);
        assert_eq!(help.about, "Check shaders");
        assert_eq!(help.usage, "x check [OPTIONS] [FILE]...\nx check -- [ARGUMENTS]");
        let options: Vec<String> =
            help.section("Options").map(|entry| format!("{}: {}", entry.name, entry.what)).collect();
        assert_eq!(options, ["-D <NAME>: Define a macro, or two", "--all: Also report hints"]);
        assert_eq!(help.rest, "Exit codes: 0 nothing wrong\n");
        let long = "Options:\n      --format <FORMAT>\n          Possible values:\n          - text: For people\n          - json\n\n  -h, --help\n          Print help\n";
        let help = Help::parse(long);
        let options: Vec<String> =
            help.section("Options").map(|entry| format!("{}: {}", entry.name, entry.what)).collect();
        assert_eq!(
            options,
            [
                "--format <FORMAT>:  Possible values:<br>- text: For people<br>- json",
                "-h, --help:  Print help"
            ]
        );
    }
}
