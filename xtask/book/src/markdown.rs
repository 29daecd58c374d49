//! What the book's tools see in a Markdown text: links, code blocks and code spans, each with its place.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// The extensions of Markdown that both mdBook and GitHub read.
fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH)
}

pub struct Link {
    pub target: String,
    /// Of the target in the text.
    pub range: Range<usize>,
    pub image: bool,
}

/// Links that are written out: `[words](target)`, `![words](target)`.
pub fn links(text: &str) -> Vec<Link> {
    let mut links = Vec::new();
    for (event, range) in parser(text).into_offset_iter() {
        let (target, image) = match event {
            Event::Start(Tag::Link { dest_url, .. }) => (dest_url, false),
            Event::Start(Tag::Image { dest_url, .. }) => (dest_url, true),
            _ => continue,
        };
        if let Some(at) = text[range.clone()].rfind(&*target) {
            let start = range.start + at;
            links.push(Link { range: start..start + target.len(), target: target.into_string(), image });
        }
    }
    links
}

pub struct Block {
    /// What stands behind the fence; `None` for a block that is only indented.
    pub info: Option<String>,
    /// The words of a comment in the line before, `<!-- untested=network -->`: attributes that no reader sees.
    pub comment: String,
    pub text: String,
    /// Of the whole block, fences included.
    pub range: Range<usize>,
    /// Counted from 1, of its first line.
    pub line: usize,
}

impl Block {
    pub fn language(&self) -> &str {
        self.info.as_deref().unwrap_or_default().split_whitespace().next().unwrap_or_default()
    }

    /// The words behind the language: `sh untested=network`. Behind a blank, since for other readers the first word alone is the language. And
    /// those of the comment.
    pub fn attributes(&self) -> impl Iterator<Item = (&str, &str)> {
        let words = self.info.as_deref().unwrap_or_default().split_whitespace().skip(1);
        words.chain(self.comment.split_whitespace()).map(|word| word.split_once('=').unwrap_or((word, "")))
    }

    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes().find(|(key, _)| *key == name).map(|(_, value)| value)
    }
}

pub fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut inside = false;
    // Of the HTML that ended just before.
    let mut before = String::new();
    for (event, range) in parser(text).into_offset_iter() {
        match event {
            Event::Html(html) => before = comment(&html).unwrap_or_default().to_owned(),
            Event::Start(Tag::HtmlBlock) | Event::End(TagEnd::HtmlBlock) => {}
            Event::Start(Tag::CodeBlock(kind)) => {
                let info = match kind {
                    CodeBlockKind::Fenced(info) => Some(info.into_string()),
                    CodeBlockKind::Indented => None,
                };
                let line = line_of(text, range.start);
                let adjacent = text[..range.start].trim_end_matches(' ').ends_with("-->\n");
                let comment = if adjacent { std::mem::take(&mut before) } else { String::new() };
                blocks.push(Block { info, comment, text: String::new(), range, line });
                inside = true;
            }
            Event::End(TagEnd::CodeBlock) => inside = false,
            Event::Text(part) if inside => {
                if let Some(block) = blocks.last_mut() {
                    block.text.push_str(&part);
                }
            }
            _ => {}
        }
    }
    blocks
}

fn comment(html: &str) -> Option<&str> {
    Some(html.trim().strip_prefix("<!--")?.strip_suffix("-->")?.trim())
}

/// Code within a sentence, with its line.
pub fn spans(text: &str) -> Vec<(String, usize)> {
    let events = parser(text).into_offset_iter();
    let code = events.filter_map(|(event, range)| match event {
        Event::Code(code) => Some((code.into_string(), line_of(text, range.start))),
        _ => None,
    });
    code.collect()
}

/// Counted from 1.
pub fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].bytes().filter(|&byte| byte == b'\n').count() + 1
}

/// Replaces ranges that do not overlap.
pub fn replace(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, new) in edits {
        out.push_str(&text[at..range.start]);
        out.push_str(&new);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

/// Text for a cell of a table.
pub fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::{blocks, links, replace, spans};

    #[test]
    fn links_blocks_and_spans_are_found() {
        let text = "See [a.md](a.md#b) and ![p](p.png).\n\n```sh exit=1\ncoopmat-analyzer check x\n```\n\n    old\n\n`cargo xtask test`\n";
        let found = links(text);
        assert_eq!(found.iter().map(|link| link.target.as_str()).collect::<Vec<_>>(), ["a.md#b", "p.png"]);
        assert_eq!(found[0].range, 11..17);
        assert!(found[1].image);
        let found = blocks(text);
        assert_eq!(found[0].language(), "sh");
        assert_eq!(found[0].attribute("exit"), Some("1"));
        assert_eq!((found[0].text.as_str(), found[0].line), ("coopmat-analyzer check x\n", 3));
        assert_eq!(found[1].info, None);
        assert_eq!(spans(text), [("cargo xtask test".to_owned(), 9)]);
        let found = blocks("<!-- untested=network -->\n```sh\na\n```\n\n<!-- other -->\n\n```sh\nb\n```\n");
        assert_eq!((found[0].language(), found[0].attribute("untested")), ("sh", Some("network")));
        assert_eq!(found[1].attributes().count(), 0, "a comment belongs to the block right below it");
        assert_eq!(replace("abcd", vec![(2..3, "X".into()), (0..1, String::new())]), "bXd");
    }
}
