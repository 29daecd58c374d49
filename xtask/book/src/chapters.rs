//! The chapters that `docs/SUMMARY.md` lists, and how they become the source that mdBook reads.
//!
//! A chapter is known by the file of the repository that it is made of: Markdown as it is, or data that a generator describes. Links in
//! the repository's own Markdown therefore lead to files that exist, and become links between chapters here.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::{blocks, generated, markdown, paths};

/// Where files are shown that are no chapters.
const REPOSITORY: &str = "https://github.com/coopmat-analyzer/coopmat-analyzer";
const SUMMARY: &str = "docs/SUMMARY.md";

pub struct Chapter {
    /// The file that it is made of; a folder's name ends in `/`.
    pub source: String,
    /// The file below mdBook's `src`.
    pub destination: String,
    pub generator: Option<generated::Generator>,
}

pub struct Book {
    pub chapters: Vec<Chapter>,
    /// The contents as mdBook reads them.
    summary: String,
}

impl Book {
    pub fn read() -> Result<Book> {
        let text = fs::read_to_string(paths::root().join(SUMMARY)).context("cannot read docs/SUMMARY.md")?;
        Book::parse(&text)
    }

    fn parse(text: &str) -> Result<Book> {
        let mut book = Book { chapters: Vec::new(), summary: String::new() };
        for (index, line) in text.lines().enumerate() {
            let indent = line.len() - line.trim_start().len();
            let item = line.trim_start().strip_prefix("- ").unwrap_or(line.trim_start());
            let entry = item.strip_prefix('[').and_then(|rest| rest.split_once("](")?.1.split_once(')'));
            let (Some((target, _)), Some((title, _))) =
                (entry, item.strip_prefix('[').and_then(|rest| rest.split_once("](")))
            else {
                book.summary.push_str(line);
                book.summary.push('\n');
                continue;
            };
            let mut source = paths::resolve(SUMMARY, target)
                .with_context(|| format!("{SUMMARY}:{}: {target} is outside of the repository", index + 1))?;
            if target.ends_with('/') {
                source.push('/');
            }
            let generator = generated::generator(&source);
            if generator.is_none() && !source.ends_with(".md") {
                bail!("{SUMMARY}:{}: nothing makes a chapter of {source}", index + 1);
            }
            let depth = indent / 2;
            let listed = item.len() != line.trim_start().len();
            book.add(title, source, depth, generator, listed);
        }
        Ok(book)
    }

    fn add(
        &mut self,
        title: &str,
        source: String,
        depth: usize,
        generator: Option<generated::Generator>,
        listed: bool,
    ) {
        let destination = destination(&source, generator);
        let dash = if listed { "- " } else { "" };
        self.summary.push_str(&format!("{}{dash}[{title}]({destination})\n", "  ".repeat(depth)));
        self.chapters.push(Chapter { source, destination, generator });
        // A folder has a chapter for each of its files.
        for (title, source, generator) in generator.map(generated::Generator::below).unwrap_or_default() {
            self.add(&title, source, depth + 1, Some(generator), true);
        }
    }

    /// Writes what mdBook reads, and tells which links lead nowhere.
    pub fn write(&self, out: &Path, sources: &generated::Sources) -> Result<Vec<String>> {
        let folder = out.join("src");
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        let root = paths::root();
        fs::copy(root.join("docs/book/book.toml"), out.join("book.toml")).context("cannot copy book.toml")?;
        fs::copy(root.join("docs/book/book.css"), out.join("book.css")).context("cannot copy book.css")?;
        fs::write(folder.join("SUMMARY.md"), &self.summary)?;
        let known: BTreeMap<&str, &Chapter> =
            self.chapters.iter().map(|chapter| (chapter.source.as_str(), chapter)).collect();
        if known.len() != self.chapters.len() {
            bail!("{SUMMARY} has a chapter twice");
        }
        let mut faults = Vec::new();
        for chapter in &self.chapters {
            let text = match chapter.generator {
                Some(generator) => generator.text(&chapter.source, self, sources)?,
                None => fs::read_to_string(root.join(&chapter.source))
                    .with_context(|| format!("cannot read {}", chapter.source))?,
            };
            let text = rewrite(chapter, &text, &known, &folder, &mut faults)?;
            let file = folder.join(&chapter.destination);
            fs::create_dir_all(file.parent().unwrap_or(&folder))?;
            fs::write(file, blocks::for_mdbook(&text))?;
        }
        Ok(faults)
    }
}

/// Where a chapter lies below `src`.
fn destination(source: &str, generator: Option<generated::Generator>) -> String {
    if let Some(generator) = generator {
        return generator.destination(source);
    }
    let path = source.strip_prefix("docs/").unwrap_or(source);
    // What a host shows for the folder.
    match path.strip_suffix("README.md") {
        Some(folder) => format!("{folder}index.md"),
        None => path.to_owned(),
    }
}

/// Lets links lead to chapters, or to the repository's page for files that are none; copies pictures.
fn rewrite(
    chapter: &Chapter,
    text: &str,
    known: &BTreeMap<&str, &Chapter>,
    folder: &Path,
    faults: &mut Vec<String>,
) -> Result<String> {
    let mut edits = Vec::new();
    for link in markdown::links(text) {
        let line = markdown::line_of(text, link.range.start);
        if link.target.contains(':') || link.target.starts_with('#') || link.target.is_empty() {
            continue;
        }
        let (target, anchor) = match link.target.split_once('#') {
            Some((target, anchor)) => (target, format!("#{anchor}")),
            None => (link.target.as_str(), String::new()),
        };
        let path = paths::resolve(&chapter.source, target);
        let found = path.as_ref().and_then(|path| {
            let names = [path.clone(), format!("{path}/"), format!("{path}/README.md")];
            names.iter().find_map(|path| known.get(path.as_str()))
        });
        let Some(path) = path.filter(|path| found.is_some() || paths::root().join(path).exists()) else {
            faults.push(format!("{}:{line}: {} is not there", chapter.source, link.target));
            continue;
        };
        let new = if let Some(other) = found {
            paths::relative(&chapter.destination, &other.destination)
        } else if link.image {
            let destination = path.strip_prefix("docs/").unwrap_or(&path);
            let file = folder.join(destination);
            fs::create_dir_all(file.parent().unwrap_or(folder))?;
            fs::copy(paths::root().join(&path), &file)
                .with_context(|| format!("cannot copy the picture {path}"))?;
            paths::relative(&chapter.destination, destination)
        } else {
            let kind = if paths::root().join(&path).is_dir() { "tree" } else { "blob" };
            format!("{REPOSITORY}/{kind}/main/{path}")
        };
        edits.push((link.range, new + &anchor));
    }
    Ok(markdown::replace(text, edits))
}
