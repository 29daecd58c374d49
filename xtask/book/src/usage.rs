//! Whether the commands that the book names exist: subcommands and options, compared with what the programs say of themselves.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program of ours, by the words that the book calls it by.
pub struct Program {
    name: &'static str,
    file: PathBuf,
    /// What `--help` prints, by subcommand.
    help: RefCell<BTreeMap<Vec<String>, Option<String>>>,
}

impl Program {
    pub fn new(name: &'static str, file: &Path) -> Program {
        Program { name, file: file.to_path_buf(), help: RefCell::default() }
    }

    fn help(&self, words: &[String]) -> Option<String> {
        let ask = || {
            let output = Command::new(&self.file).args(words).arg("--help").output().ok()?;
            output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
        };
        self.help.borrow_mut().entry(words.to_vec()).or_insert_with(ask).clone()
    }

    /// What is wrong with a command, if it is one of this program: `None` for what is none.
    fn judge(&self, command: &str) -> Option<Result<(), String>> {
        let rest = command.strip_prefix(self.name)?;
        if !rest.is_empty() && !rest.starts_with(' ') {
            return None;
        }
        let words = shlex::split(rest)?;
        // What stands behind `--` is for others; a shell's words end the command.
        let end =
            words.iter().position(|word| ["--", "|", ">", "&&", ";", "<", "2>"].contains(&word.as_str()));
        let words = &words[..end.unwrap_or(words.len())];
        let mut known = Vec::new();
        let mut help = self.help(&known)?;
        for word in words.iter().filter(|word| !word.starts_with('-')) {
            if !names(&help, word) {
                break;
            }
            known.push(word.clone());
            help = self.help(&known)?;
        }
        if known.is_empty() && words.first().is_some_and(|word| !word.starts_with('-') && plain(word)) {
            return Some(Err(format!("{} has no command `{}`", self.name, words[0])));
        }
        for word in words.iter().filter(|word| word.len() > 1 && word.starts_with('-')) {
            let option = word.split(['=', '[', ']']).next().unwrap_or(word);
            let option = if option.starts_with("--") { option } else { &option[..2] };
            if !has_option(&help, option) {
                return Some(Err(format!("`{} {}` has no option `{option}`", self.name, known.join(" "))));
            }
        }
        Some(Ok(()))
    }
}

fn plain(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

/// Whether a help lists a command.
fn names(help: &str, command: &str) -> bool {
    let list =
        help.split_once("Commands:\n").map_or("", |(_, list)| list.split("\n\n").next().unwrap_or_default());
    list.lines().any(|line| line.starts_with("  ") && line.split_whitespace().next() == Some(command))
}

fn has_option(help: &str, option: &str) -> bool {
    let word = |char: char| char.is_ascii_alphanumeric() || char == '-';
    help.match_indices(option)
        .any(|(at, _)| !help[..at].ends_with(word) && !help[at + option.len()..].starts_with(word))
}

/// The mistakes in a command, whichever of the programs it calls.
pub fn judge(programs: &[Program], command: &str) -> Option<String> {
    programs.iter().find_map(|program| program.judge(command)).and_then(Result::err)
}

#[cfg(test)]
mod tests {
    use super::{has_option, names};

    #[test]
    fn commands_and_options_are_found_in_a_help() {
        let help = "Usage: x\n\nCommands:\n  check  Checks\n  run    Runs\n\nOptions:\n  -D <NAME>\n      --deny <WHAT>  Fails\n";
        assert!(names(help, "check") && !names(help, "Checks") && !names(help, "-D"));
        assert!(has_option(help, "--deny") && has_option(help, "-D") && !has_option(help, "--den"));
    }
}
