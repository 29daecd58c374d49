//! Globs of the project file. Matching is the crate fast-glob's, which takes whatever it is given; what is no glob is told here.

use crate::embedded::{Language, names};

/// Stands for one name or path as the project file means it: `*` and `?` stay within a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Glob(String);

impl Glob {
    /// The error says what is wrong, for a sentence that names the glob.
    pub fn new(text: String) -> Result<Glob, String> {
        let mut depth = 0_u32;
        let mut rest = text.chars();
        while let Some(letter) = rest.next() {
            match letter {
                '\\' => {
                    rest.next().ok_or("it ends in `\\`, which must be followed by a character")?;
                }
                '[' => class(&mut rest)?,
                '{' => depth += 1,
                '}' => depth = depth.checked_sub(1).ok_or("`}` has no `{`")?,
                _ => {}
            }
            if depth > NESTED {
                return Err(format!("`{{` is nested more than {NESTED} times"));
            }
        }
        match depth {
            0 => Ok(Glob(text)),
            _ => Err("`{` has no `}`".to_owned()),
        }
    }

    pub fn text(&self) -> &str {
        &self.0
    }

    pub fn is_match(&self, path: &str) -> bool {
        fast_glob::glob_match(&self.0, path)
    }
}

/// A glob; with `!` in front it takes files out again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    glob: Glob,
    negative: bool,
}

impl Pattern {
    /// A pattern without `/` names files in any folder, as in `.gitignore`.
    pub fn new(text: &str) -> Result<Pattern, String> {
        let (negative, glob) = match text.strip_prefix('!') {
            Some(glob) => (true, glob),
            None => (false, text),
        };
        let glob = glob.strip_prefix("./").unwrap_or(glob);
        let anywhere = !glob.trim_end_matches('/').contains('/');
        let mut full = if anywhere { format!("**/{glob}") } else { glob.trim_start_matches('/').to_owned() };
        if full.ends_with('/') {
            full.push_str("**");
        }
        Ok(Pattern { glob: Glob::new(full)?, negative })
    }

    pub fn text(&self) -> &str {
        self.glob.text()
    }

    /// Whether it names a file, or shaders in it.
    pub fn names_file(&self, file: &str) -> bool {
        let of_file = self.text().split_once('#').map_or(self.text(), |(file, _)| file);
        names(file).any(|name| self.glob.is_match(name))
            || Glob::new(of_file.to_owned()).is_ok_and(|glob| glob.is_match(file))
    }

    /// Whether it takes files out.
    pub fn is_negative(&self) -> bool {
        self.negative
    }
}

/// Whether the last pattern that matches is a positive one.
pub(crate) fn matches(patterns: &[Pattern], path: &str) -> bool {
    let is_match = |pattern: &&Pattern| names(path).any(|name| pattern.glob.is_match(name));
    patterns.iter().rev().find(is_match).is_some_and(|pattern| !pattern.negative)
}

/// Whether a pattern names a file of another language by its extension, for the shaders in its strings.
pub(crate) fn lists(patterns: &[Pattern], file: &str) -> bool {
    patterns.iter().filter(|pattern| !pattern.negative).any(|pattern| {
        let glob = pattern.text();
        let of_file = glob.split_once('#').map_or(glob, |(file, _)| file);
        Language::of_path_with_strings(of_file).is_some()
            && Glob::new(of_file.to_owned()).is_ok_and(|glob| glob.is_match(file))
    })
}

/// As deep as fast-glob follows.
const NESTED: u32 = 10;

/// The rest of `[...]`; a `]` that comes first is one of the characters.
fn class(rest: &mut std::str::Chars<'_>) -> Result<(), &'static str> {
    let mut first = true;
    let mut next = || rest.next().ok_or("`[` has no `]`");
    loop {
        match next()? {
            '!' | '^' if first => continue,
            ']' if !first => return Ok(()),
            '\\' => {
                next()?;
            }
            _ => {}
        }
        first = false;
    }
}

/// A glob that matches this text alone.
pub(crate) fn escape(text: &str) -> String {
    let mut glob = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '*' | '?' | '[' | ']' | '{' | '}' => glob.extend(['[', letter, ']']),
            '\\' | '!' => glob.extend(['\\', letter]),
            _ => glob.push(letter),
        }
    }
    glob
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(glob: &str, path: &str) -> bool {
        Glob::new(glob.to_owned()).unwrap().is_match(path)
    }

    #[test]
    fn stars_stay_within_a_name_and_two_cross_folders() {
        assert!(matches("*.comp", "a.comp"));
        assert!(!matches("*.comp", "b/a.comp"));
        assert!(matches("**/*.comp", "a.comp"));
        assert!(matches("**/*.comp", "b/c/a.comp"));
        assert!(matches("a/**", "a/b/c.comp"));
        assert!(!matches("a/**", "ab/c.comp"));
        assert!(matches("a/**/c.comp", "a/c.comp"));
        assert!(matches("a/**/c.comp", "a/b/b/c.comp"));
        assert!(matches("a?c.comp", "abc.comp"));
        assert!(!matches("a?c.comp", "a/c.comp"));
    }

    #[test]
    fn one_of_several() {
        assert!(matches("mul_{mm,mat_vec}*.comp", "mul_mat_vec_q4.comp"));
        assert!(!matches("mul_{mm,mat_vec}*.comp", "mul_id.comp"));
        assert!(matches("{a,b{c,d}}.comp", "bd.comp"));
        assert!(matches("[a-c]x.glsl", "bx.glsl"));
        assert!(!matches("[!a-c]x.glsl", "bx.glsl"));
        assert!(matches("[]x].glsl", "].glsl"));
    }

    #[test]
    fn an_escaped_text_matches_itself() {
        for text in ["a.comp", "[b].glsl", "x{y,z}*?.comp", "!a", "a\\b", "ä ö.comp", "]"] {
            assert!(matches(&escape(text), text), "{text}: {}", escape(text));
        }
        assert!(!matches(&escape("[b]"), "b"));
    }

    #[test]
    fn mistakes_are_told() {
        let mistake = |glob: &str| Glob::new(glob.to_owned()).unwrap_err();
        assert_eq!(mistake("a["), "`[` has no `]`");
        assert_eq!(mistake("a[]"), "`[` has no `]`");
        assert_eq!(mistake("{a"), "`{` has no `}`");
        assert_eq!(mistake("a}"), "`}` has no `{`");
        assert!(mistake("a\\").contains("ends in"));
        assert!(mistake(&"{".repeat(50)).contains("nested"));
    }
}
