//! The words of a command line: as a POSIX shell cuts it, or as Windows programs do where paths tell that it is from there.

use std::fmt;
use std::iter::Peekable;
use std::str::Chars;

/// Words of one call, and of one response file.
pub const MOST_WORDS: usize = 20_000;

/// Why a text has no words that can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unusable {
    OpenQuotation,
    /// It has more than this many.
    TooMany(usize),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unusable::OpenQuotation => f.write_str("a quotation in it is not closed"),
            Unusable::TooMany(most) => write!(f, "it has more than {most} words"),
        }
    }
}

/// The words, or `None` where a quotation does not end.
#[cfg(test)]
pub fn split(line: &str) -> Option<Vec<String>> {
    split_up_to(line, usize::MAX).ok()
}

/// The words of a text that may have `most`; no more of it is cut up.
pub fn split_up_to(line: &str, most: usize) -> Result<Vec<String>, Unusable> {
    let take = most.saturating_add(1);
    let words = if is_windows(line) {
        WindowsWords { chars: line.chars().peekable() }.take(take).collect::<Vec<_>>()
    } else {
        let mut shell = shlex::Shlex::new(line);
        let words = shell.by_ref().take(take).collect();
        if shell.had_error {
            return Err(Unusable::OpenQuotation);
        }
        words
    };
    if words.len() > most { Err(Unusable::TooMany(most)) } else { Ok(words) }
}

/// Whether a path with a drive and backslashes stands outside of quotes, where a shell would take the backslashes away.
pub fn is_windows(line: &str) -> bool {
    let bytes = line.as_bytes();
    memchr::memmem::find_iter(bytes, ":\\").any(|colon| {
        let drive = colon.checked_sub(1).and_then(|at| bytes.get(at));
        let before = colon.checked_sub(2).and_then(|at| bytes.get(at));
        drive.is_some_and(u8::is_ascii_alphabetic) && before.is_none_or(|byte| !byte.is_ascii_alphanumeric())
    })
}

/// As `CommandLineToArgvW` reads: only a backslash before a quotation mark is special.
struct WindowsWords<'l> {
    chars: Peekable<Chars<'l>>,
}

impl Iterator for WindowsWords<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let mut word: Option<String> = None;
        let mut quoted = false;
        while let Some(char) = self.chars.next() {
            match char {
                '\\' => {
                    let mut count = 1;
                    while self.chars.next_if_eq(&'\\').is_some() {
                        count += 1;
                    }
                    let word = word.get_or_insert_default();
                    if self.chars.peek() == Some(&'"') {
                        word.extend(std::iter::repeat_n('\\', count / 2));
                        if count % 2 == 1 {
                            word.extend(self.chars.next());
                        }
                    } else {
                        word.extend(std::iter::repeat_n('\\', count));
                    }
                }
                '"' => {
                    quoted = !quoted;
                    word.get_or_insert_default();
                }
                ' ' | '\t' if !quoted => {
                    if word.is_some() {
                        break;
                    }
                }
                other => word.get_or_insert_default().push(other),
            }
        }
        word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_escapes_are_those_of_a_shell() {
        let words = split(r#"glslc '-DA=b c' "-DB=\"x\"" -DC=d\ e "" a.comp"#).unwrap();
        assert_eq!(words, ["glslc", "-DA=b c", "-DB=\"x\"", "-DC=d e", "", "a.comp"]);
        assert_eq!(split("glslc 'a.comp"), None);
    }

    #[test]
    fn windows_paths_keep_their_backslashes() {
        let words = split(r#"C:\sdk\glslc.exe "C:\my shaders\a.comp" -o b\a.spv "-DX=\"q\"""#).unwrap();
        assert_eq!(words, [r"C:\sdk\glslc.exe", r"C:\my shaders\a.comp", "-o", r"b\a.spv", "-DX=\"q\""]);
    }
}
