//! The commands of a line, as a POSIX shell cuts it, or as Windows does where paths tell that it is from there: words, and what stands between
//! commands.
//!
//! Lines of logs are no shell's input: prose stands before commands, and generators print macros as they are (`-DF=f(x)`, `-DOR=a||b`). What
//! separates commands with blanks around it always does; where it is glued to a word, that and what follows it decide.

use super::tool::Tool;
use super::words::is_windows;

/// A part of a line.
#[derive(Debug, PartialEq, Eq)]
pub enum Token {
    /// `end`: behind it in the line, in bytes.
    Word { text: String, end: usize },
    /// `;`, `&&`, `|` and their like, and the end of a line.
    Separator,
    /// `(` of a subshell.
    Open,
    /// `)` of a subshell.
    Close,
    /// A quotation that does not end; the rest of the line is in it.
    Unclosed,
}

/// Names of shells that run what stands behind `-c`.
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "ash"];

/// What follows a separator without a blank, behind an option: anything else is taken for a part of the option.
const USUAL_COMMANDS: &[&str] = &[
    "cd", "pushd", "popd", "echo", "printf", "true", "false", "test", "[", "mkdir", "mv", "cp", "rm",
    "touch", "env", "exec", "exit", "cmake", "python", "python3", "xxd",
];

/// The name of a program by its path, in small letters.
pub fn program_name(word: &str) -> String {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word).to_ascii_lowercase();
    name.strip_suffix(".exe").map_or(name.clone(), str::to_owned)
}

/// Whether a word names a shell whose option `-c` has commands behind it.
pub fn is_shell(word: &str) -> bool {
    SHELLS.contains(&program_name(word).as_str())
}

/// Cuts up a line, which may have several where it is the text of a shell's `-c`.
pub struct Tokens<'l> {
    line: &'l str,
    at: usize,
    windows: bool,
    /// Subshells that are open.
    depth: usize,
    /// A command whose redirections are known to be some, and no prose.
    known: bool,
    /// The next word is where something is redirected to.
    drops: bool,
}

impl<'l> Tokens<'l> {
    pub fn new(line: &'l str) -> Tokens<'l> {
        Tokens { line, at: 0, windows: is_windows(line), depth: 0, known: false, drops: false }
    }

    /// How much of the line is read, in bytes.
    pub fn at(&self) -> usize {
        self.at
    }

    fn rest(&self) -> &'l str {
        self.line.get(self.at..).unwrap_or_default()
    }

    fn ends(&mut self, token: Token, length: usize) -> Option<Token> {
        self.at += length;
        (self.known, self.drops) = (false, false);
        Some(token)
    }

    /// How long the separator is that a text begins with.
    fn separator(text: &str) -> Option<usize> {
        ["&&", "||", ";;", "|&", ";", "|", "&", "\n", "\r"]
            .iter()
            .find(|one| text.starts_with(**one))
            .map(|one| one.len())
    }

    /// Whether a separator of a length separates, glued to a word as it is.
    fn separates(&self, word: &str, length: usize) -> bool {
        let behind = self.rest().get(length..).unwrap_or_default();
        let next = behind.split([' ', '\t', '\n', '\r', ';', '&', '|', ')']).next().unwrap_or_default();
        let next = next.trim_matches(['"', '\'', '(']);
        !word.starts_with('-')
            || next.is_empty()
            || Tool::of(next).is_some()
            || is_shell(next)
            || USUAL_COMMANDS.contains(&next)
    }

    /// How long the sign of a redirection is that a text begins with.
    fn redirection(text: &str) -> Option<usize> {
        ["&>>", "&>", "<<<", ">>", "<<", ">|", ">&", "<&", ">", "<"]
            .iter()
            .find(|one| text.starts_with(**one))
            .map(|one| one.len())
    }

    /// How long the sign of a redirection is, where one begins behind what there is of a word.
    fn redirects(&self, word: &str) -> Option<usize> {
        let length = Tokens::redirection(self.rest()).filter(|_| self.known)?;
        let target = self.rest().get(length..).unwrap_or_default().trim_start();
        (!word.starts_with('-') || target.starts_with("/dev/null")).then_some(length)
    }

    /// Takes a word with what is glued to it. Nothing where it says what is redirected, or to where.
    fn word(&mut self) -> Option<Token> {
        let mut word = String::new();
        let (mut quoted, mut plain) = (None, true);
        // Brackets that are open inside of the word.
        let mut brackets = 0_usize;
        while let Some(char) = self.rest().chars().next() {
            if char == '\\' {
                plain = false;
                self.backslashes(quoted, &mut word);
                continue;
            }
            match (char, quoted) {
                ('"', None) => quoted = Some(char),
                ('\'', None) if !self.windows => quoted = Some(char),
                (_, Some(open)) if char == open => quoted = None,
                (_, Some(_)) => word.push(char),
                (' ' | '\t', None) => break,
                _ => {
                    match char {
                        '(' => brackets += 1,
                        ')' if brackets > 0 => brackets -= 1,
                        ')' if self.depth > 0 && self.closes() => break,
                        _ => {}
                    }
                    if let Some(length) = self.redirects(&word) {
                        let number = plain && word.bytes().all(|byte| byte.is_ascii_digit());
                        let end = self.at;
                        self.at += length;
                        let dropped = std::mem::replace(&mut self.drops, true) || number;
                        return (!dropped).then_some(Token::Word { text: word, end });
                    }
                    if Tokens::separator(self.rest()).is_some_and(|length| self.separates(&word, length)) {
                        break;
                    }
                    word.push(char);
                }
            }
            plain &= quoted.is_none();
            self.at += char.len_utf8();
        }
        if quoted.is_some() {
            return Some(Token::Unclosed);
        }
        if std::mem::take(&mut self.drops) {
            return None;
        }
        self.known |= Tool::of(&word).is_some() || is_shell(&word) || matches!(&*word, "cd" | "pushd");
        Some(Token::Word { text: word, end: self.at })
    }

    /// Takes backslashes, with what they make of the character behind them.
    fn backslashes(&mut self, quoted: Option<char>, word: &mut String) {
        if self.windows {
            let run = self.rest().len() - self.rest().trim_start_matches('\\').len();
            self.at += run;
            // As `CommandLineToArgvW` reads: only before a quotation mark are they special.
            let quote = self.rest().starts_with('"');
            word.extend(std::iter::repeat_n('\\', if quote { run / 2 } else { run }));
            if quote && run % 2 == 1 {
                word.push('"');
                self.at += 1;
            }
            return;
        }
        self.at += 1;
        let next = self.rest().chars().next().filter(|next| match quoted {
            None => true,
            Some('"') => matches!(next, '"' | '\\' | '$' | '`' | '\n'),
            Some(_) => false,
        });
        match next {
            Some('\n') => self.at += 1,
            Some(next) => {
                word.push(next);
                self.at += next.len_utf8();
            }
            None => word.push('\\'),
        }
    }

    /// Whether the bracket that the rest begins with ends a word.
    fn closes(&self) -> bool {
        let behind = self.rest().get(1..).unwrap_or_default();
        behind.is_empty()
            || behind.starts_with([' ', '\t', ')', '>', '<'])
            || Tokens::separator(behind).is_some()
    }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            self.at += blank;
            let rest = self.rest();
            if rest.is_empty() {
                return None;
            }
            if rest.starts_with('(') && !self.known {
                self.depth += 1;
                return self.ends(Token::Open, 1);
            }
            if rest.starts_with(')') && self.depth > 0 {
                self.depth -= 1;
                return self.ends(Token::Close, 1);
            }
            if let Some(length) = self.redirects("") {
                self.at += length;
                self.drops = true;
                continue;
            }
            if let Some(length) = Tokens::separator(rest) {
                return self.ends(Token::Separator, length);
            }
            // `#12` of a step's number is no comment.
            if let Some(comment) = rest.strip_prefix('#')
                && (comment.is_empty() || comment.starts_with([' ', '\t']))
            {
                self.at += memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
                continue;
            }
            if let Some(token) = self.word() {
                return Some(token);
            }
        }
    }
}
