//! The ends of lines: which one stands where, and a text with other ones.

use std::borrow::Cow;

use coopmat_analysis::lex::newline_len;

/// How all lines of a text shall end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
    /// `\r`
    Cr,
}

impl LineEnd {
    fn text(self) -> &'static str {
        match self {
            LineEnd::Lf => "\n",
            LineEnd::CrLf => "\r\n",
            LineEnd::Cr => "\r",
        }
    }
}

/// A text whose lines all end in one way, those inside comments and behind backslashes, too.
pub fn with_line_ends(text: &str, wanted: LineEnd) -> Cow<'_, str> {
    let mut out = String::new();
    let mut from = 0;
    for (at, found) in line_ends(text).filter(|&(_, found)| found != wanted.text()) {
        out.push_str(text.get(from..at).unwrap_or_default());
        out.push_str(wanted.text());
        from = at + found.len();
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(from..).unwrap_or_default());
    Cow::Owned(out)
}

pub fn first_line_end(text: &str) -> Option<&str> {
    line_ends(text).next().map(|(_, end)| end)
}

pub fn last_line_end(text: &str) -> Option<&str> {
    let last = text.rfind(['\n', '\r'])?;
    let start = if text.get(..=last)?.ends_with("\r\n") { last - 1 } else { last };
    text.get(start..=last)
}

/// Where lines end, and how.
fn line_ends(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text.get(at..)?.find(['\n', '\r'])?;
        at = start + newline_len(text.as_bytes(), start);
        Some((start, text.get(start..at)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lines_end_as_is_asked() {
        let mixed = "a\n/* b\r\n */ c \\\rd\r\n\r\n";
        assert_eq!(with_line_ends(mixed, LineEnd::Lf), "a\n/* b\n */ c \\\nd\n\n");
        assert_eq!(with_line_ends(mixed, LineEnd::CrLf), "a\r\n/* b\r\n */ c \\\r\nd\r\n\r\n");
        assert_eq!(with_line_ends(mixed, LineEnd::Cr), "a\r/* b\r */ c \\\rd\r\r");
        assert!(matches!(with_line_ends("a\nb\n", LineEnd::Lf), Cow::Borrowed(_)));
        assert_eq!(last_line_end("a\r\nb\n\rc"), Some("\r"));
        assert_eq!(last_line_end("a\nb\r\nc"), Some("\r\n"));
        assert_eq!(last_line_end("a"), None);
    }
}
