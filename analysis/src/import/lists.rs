//! Calls as scripts print the lists that they start programs with: `['glslc', '-DN=1', 'a.comp']`, or a tuple in round brackets.

use super::shell::is_shell;
use super::tool::Tool;

/// A list of words, each in quotation marks.
pub enum List {
    Whole(Vec<String>),
    /// It does not end on its line.
    Open,
}

/// The lists in a line that may have a call of a compiler.
pub fn lists(line: &str) -> Vec<List> {
    let mut lists = Vec::new();
    let mut from = 0;
    // What is looked at in vain: brackets within quotations of brackets make no line slow.
    let mut patience = 8 * line.len();
    while let Some(open) =
        memchr::memchr2_iter(b'[', b'(', line.as_bytes().get(from..).unwrap_or_default()).next()
    {
        from += open + 1;
        let behind = line.get(from..).unwrap_or_default();
        let close = if line.as_bytes().get(from - 1) == Some(&b'[') { ']' } else { ')' };
        let mut reader = Reader { text: behind, at: 0 };
        let mut words = Vec::new();
        let end = reader.list(close, &mut words);
        let may_call = words.iter().take(4).any(|word| Tool::of(word).is_some() || is_shell(word));
        match end {
            End::Closed if may_call => {
                from += reader.at;
                lists.push(List::Whole(words));
            }
            End::Line if may_call => {
                lists.push(List::Open);
                return lists;
            }
            _ => {
                let Some(left) = patience.checked_sub(reader.at) else { return lists };
                patience = left;
            }
        }
    }
    lists
}

enum End {
    Closed,
    /// The line ends before.
    Line,
    /// It is no such list.
    Other,
}

struct Reader<'l> {
    text: &'l str,
    at: usize,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let next = self.text.get(self.at..)?.chars().next()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn next_of_words(&mut self) -> Option<char> {
        loop {
            match self.next()? {
                char if char.is_whitespace() => {}
                other => return Some(other),
            }
        }
    }

    fn list(&mut self, close: char, words: &mut Vec<String>) -> End {
        loop {
            let quote = match self.next_of_words() {
                Some(quote @ ('\'' | '"')) => quote,
                // Behind the last comma.
                Some(other) if other == close && !words.is_empty() => return End::Closed,
                Some(_) => return End::Other,
                None => return End::Line,
            };
            let mut word = String::new();
            loop {
                match self.next() {
                    Some('\\') => match self.next() {
                        Some('n') => word.push('\n'),
                        Some('t') => word.push('\t'),
                        Some(other) => word.push(other),
                        None => return End::Line,
                    },
                    Some(char) if char == quote => break,
                    Some(char) => word.push(char),
                    None => return End::Line,
                }
            }
            words.push(word);
            match self.next_of_words() {
                Some(',') => {}
                Some(other) if other == close => return End::Closed,
                Some(_) => return End::Other,
                None => return End::Line,
            }
        }
    }
}
