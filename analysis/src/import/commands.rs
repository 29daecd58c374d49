//! The calls of compilers in a line of commands: in which folder they run (`cd`, subshells), and what shells are given to run (`sh -c`, `cmd /C`).

use super::paths::path_in;
use super::shell::{Token, Tokens, is_shell, program_name};
use super::tool::{Tool, mentions_a_compiler};
use super::words::MOST_WORDS;

/// Shells that run shells; no build nests them deeper.
const DEEPEST: usize = 2;
/// Bytes of a path that is followed: no system has a longer one.
pub const LONGEST_PATH: usize = 4096;

/// What is found in a line.
pub enum Found<'f> {
    /// `begins`: nothing stands before it in its command, so that it is no part of a sentence.
    Call { tool: Tool, arguments: &'f [String], folder: &'f str, begins: bool },
    /// A call that brings nothing, with the reason.
    Left(&'static str),
    /// What may be a call, or prose with an apostrophe.
    Unclosed,
}

/// Where among the words of a command a compiler is called.
type Find = fn(&[String]) -> Option<(usize, Tool)>;

/// Reads lines, and hands on what is in them.
pub struct Commands<'c> {
    find: Find,
    found: &'c mut dyn FnMut(Found<'_>),
    /// Bytes of folders that the line may still make: what each `cd` makes is as long as all before it.
    folders_left: usize,
}

impl<'c> Commands<'c> {
    pub fn new(find: Find, found: &'c mut dyn FnMut(Found<'_>)) -> Commands<'c> {
        Commands { find, found, folders_left: 0 }
    }

    /// Reads a line.
    pub fn line(&mut self, line: &str, folder: &str) {
        self.folders_left = 4 * LONGEST_PATH + 16 * line.len();
        self.text(line, folder, 0);
    }

    /// Reads the words of one command.
    pub fn words(&mut self, words: &[String], folder: &str) {
        self.folders_left = 4 * LONGEST_PATH + 16 * words.iter().map(String::len).sum::<usize>();
        let of_cmd = (1..words.len().min(8)).find(|at| runs_rest(&words[..=*at]));
        match of_cmd {
            Some(at) => self.script(&words[at + 1..].join(" "), folder, 0),
            None => self.command(words, folder, true, 0),
        }
    }

    /// Whether there may be one more folder.
    fn pay(&mut self, folder: &str) -> bool {
        match self.folders_left.checked_sub(folder.len() + 1) {
            Some(left) => {
                self.folders_left = left;
                true
            }
            None => {
                (self.found)(Found::Left("its line changes the folder too many times"));
                false
            }
        }
    }

    fn text(&mut self, text: &str, folder: &str, depth: usize) {
        let mut folder = folder.to_owned();
        // Those to come back to, behind a subshell or `popd`.
        let (mut outside, mut pushed) = (Vec::new(), Vec::new());
        let (mut words, mut start, mut begins) = (Vec::new(), 0, true);
        let mut tokens = Tokens::new(text);
        loop {
            let token = tokens.next();
            if let Some(Token::Word { text: word, end }) = token {
                // More than a call may have: then it is told.
                if words.len() < MOST_WORDS + 8 {
                    words.push(word);
                }
                if runs_rest(&words) {
                    let rest = text.get(end..).unwrap_or_default().trim();
                    // What is quoted as a whole has quotation marks in it that end nothing.
                    let inside = rest.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
                    return self.script(inside.unwrap_or(rest), &folder, depth);
                }
                continue;
            }
            let command = text.get(start..tokens.at()).unwrap_or_default();
            match folder_of(&words) {
                Some(Move::To(to)) => {
                    if words.iter().any(|word| word == "pushd") {
                        pushed.push(folder.clone());
                    }
                    let to = path_in(&folder, to);
                    if !self.pay(&to) {
                        return;
                    }
                    if to.len() <= LONGEST_PATH {
                        folder = to;
                    }
                }
                Some(Move::Back) => folder = pushed.pop().unwrap_or(folder),
                None if token == Some(Token::Unclosed) => return self.unclosed(command),
                None => self.command(&words, &folder, begins, depth),
            }
            begins = words.is_empty() || token != Some(Token::Open);
            words.clear();
            start = tokens.at();
            match token {
                None | Some(Token::Unclosed) => return,
                Some(Token::Open) => {
                    if !self.pay(&folder) {
                        return;
                    }
                    outside.push(folder.clone());
                }
                Some(Token::Close) => folder = outside.pop().unwrap_or(folder),
                Some(_) => {}
            }
        }
    }

    fn command(&mut self, words: &[String], folder: &str, begins: bool, depth: usize) {
        if let Some(script) = shell_script(words).filter(|script| mentions_a_compiler(script)) {
            return self.script(script, folder, depth);
        }
        if let Some((at, tool)) = (self.find)(words) {
            let begins = begins && at == 0;
            (self.found)(Found::Call { tool, arguments: &words[at + 1..], folder, begins });
        }
    }

    /// Reads what a shell is given to run.
    fn script(&mut self, script: &str, folder: &str, depth: usize) {
        if depth < DEEPEST {
            self.text(script, folder, depth + 1);
        } else {
            (self.found)(Found::Left("it is nested too deeply in shells"));
        }
    }

    /// Tells of a quotation that does not end, where a compiler seems to be called in or before it.
    fn unclosed(&mut self, command: &str) {
        let words: Vec<String> = command.split_whitespace().map(bare).map(str::to_owned).collect();
        if (self.find)(&words).is_some() {
            (self.found)(Found::Unclosed);
        }
    }
}

/// A word without the quotation marks and brackets around it.
pub fn bare(word: &str) -> &str {
    word.trim_matches(['"', '\'', '`', '(', ')', '[', ']', ',', ';', '$'])
}

/// Where a compiler is called: the first word that is its name or path, unless it is the value of an option.
pub fn compiler_in(words: &[String]) -> Option<(usize, Tool)> {
    // Something that options follow, not a word of a sentence.
    let last_option = words.iter().rposition(|word| word.starts_with('-'))?;
    words[..last_option]
        .iter()
        .enumerate()
        .find_map(|(at, word)| Some((at, Tool::of(word).filter(|_| !is_value(words, at))?)))
}

/// The same among the first words, behind a launcher such as ccache, in what is known to be a command.
pub fn compiler_first(words: &[String]) -> Option<(usize, Tool)> {
    words.iter().take(4).enumerate().find_map(|(at, word)| Some((at, Tool::of(word)?)))
}

/// The same in a list of words that a script prints, which need not be a command.
pub fn compiler_of_list(words: &[String]) -> Option<(usize, Tool)> {
    compiler_first(words).filter(|(at, _)| !is_value(words, *at))
}

fn is_value(words: &[String], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    before.is_some_and(|word| word.starts_with('-') && !word.trim_matches('-').is_empty())
}

/// Where a command goes.
enum Move<'w> {
    To(&'w str),
    Back,
}

fn folder_of(words: &[String]) -> Option<Move<'_>> {
    let is_cd = |word: &String| matches!(word.as_str(), "cd" | "chdir" | "pushd");
    match words {
        [.., last] if last == "popd" => Some(Move::Back),
        [.., cd, to] if is_cd(cd) && to != "-" => Some(Move::To(to)),
        [.., cd, option, to] if is_cd(cd) && matches!(option.as_str(), "/d" | "/D" | "--" | "-P" | "-L") => {
            Some(Move::To(to))
        }
        _ => None,
    }
}

/// Whether what stands behind these words is run by Windows' `cmd`.
fn runs_rest(words: &[String]) -> bool {
    let Some((last, before)) = words.split_last().filter(|(last, _)| last.eq_ignore_ascii_case("/c")) else {
        return false;
    };
    let is_option = |word: &&String| word.starts_with('/') && word.len() <= "/v:off".len() && *word != last;
    before.iter().rev().take(4).find(|word| !is_option(word)).is_some_and(|word| program_name(word) == "cmd")
}

/// What a shell among the words is given to run.
fn shell_script(words: &[String]) -> Option<&str> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        if !is_shell(word) {
            continue;
        }
        while let Some(option) = words.get(at).filter(|word| word.starts_with(['-', '+'])) {
            at += 1;
            let letters = !option.starts_with("--");
            if letters && option.contains('c') {
                return words.get(at).map(String::as_str);
            }
            // `-o pipefail`
            at += usize::from(letters && option.ends_with(['o', 'O']));
        }
    }
    None
}
