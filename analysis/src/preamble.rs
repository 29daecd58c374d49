//! A preamble: text that the program of a shader puts before it, behind its `#version`, when it makes a pipeline.

use std::sync::Arc;

use crate::text::TextRange;

/// What is read before the shader's own text. Excerpts come before files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preamble {
    /// What the project file itself holds.
    pub text: Option<Excerpts>,
    /// Files, in the order in which they are read.
    pub files: Vec<String>,
    /// Before the first line, whether or not the shader has a `#version`; else behind it, where it has one.
    pub at_start: bool,
}

impl Preamble {
    /// Takes a beginning off the paths that have it.
    pub fn shorten(&mut self, folder: &str) {
        let text = self.text.iter_mut().map(|text| &mut text.path);
        for path in text {
            *path = path.strip_prefix(folder).unwrap_or(path).into();
        }
        for path in &mut self.files {
            *path = path.strip_prefix(folder).unwrap_or(path).to_owned();
        }
    }

    /// Whether a file is part of it.
    pub fn reads(&self, file: &str) -> bool {
        self.files.iter().any(|own| own == file) || self.text.as_ref().is_some_and(|text| *text.path == *file)
    }
}

/// Parts of a file, read as if all else in it were blank: what stands in them has the places that it has in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpts {
    /// Of the file.
    pub path: Arc<str>,
    /// As long as the file's text.
    text: Arc<str>,
}

impl Excerpts {
    /// A part of the text of a file.
    pub fn new(path: &str, whole: &str, part: TextRange) -> Excerpts {
        let blank = whole.split('\n').map(|line| " ".repeat(line.len()));
        let blank: Vec<String> = blank.collect();
        let none = Excerpts { path: path.into(), text: blank.join("\n").into() };
        none.with(whole, part)
    }

    /// With another part of the same text.
    #[must_use]
    pub fn with(&self, whole: &str, part: TextRange) -> Excerpts {
        let range = std::ops::Range::<usize>::from(part);
        let mut text = self.text.to_string();
        if let Some(part) = whole.get(range.clone())
            && text.get(range.clone()).is_some()
        {
            text.replace_range(range, part);
        }
        Excerpts { path: self.path.clone(), text: text.into() }
    }

    /// With blanks for what is none of the parts.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::TextSize;

    #[test]
    fn parts_stay_where_they_are() {
        let whole = "a = 'x'\nü = '''\n#define A\n'''\n";
        let range = |part: &str| {
            let start = TextSize::new(whole.find(part).unwrap() as u32);
            TextRange::new(start, start + TextSize::new(part.len() as u32))
        };
        let one = Excerpts::new("p.toml", whole, range("#define A\n"));
        assert_eq!(&**one.text(), "       \n        \n#define A\n   \n");
        assert_eq!(&**one.with(whole, range("x")).text(), "     x \n        \n#define A\n   \n");
    }
}
