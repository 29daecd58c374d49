//! Follows the links of the built book: to files, and to places in them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

struct Page {
    ids: BTreeSet<String>,
    links: BTreeSet<String>,
}

/// What leads nowhere. The addresses that lead out of the book are listed in a file.
pub fn check(book: &Path, list: &Path, online: bool) -> Result<Vec<String>> {
    let mut pages = BTreeMap::new();
    let mut files = Vec::new();
    collect(book, &mut files)?;
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "html")) {
        let text = fs::read_to_string(file)?;
        pages.insert(
            file.clone(),
            Page { ids: attributes(&text, &["id", "name"]), links: attributes(&text, &["href", "src"]) },
        );
    }
    anyhow::ensure!(!pages.is_empty(), "there are no pages in {}", book.display());
    let mut faults = Vec::new();
    let mut outside: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut count = 0;
    for (file, page) in &pages {
        let name = file.strip_prefix(book).unwrap_or(file).display();
        for link in &page.links {
            if link.starts_with("http:") || link.starts_with("https:") {
                outside.entry(link.clone()).or_insert_with(|| file.clone());
                continue;
            }
            if link.starts_with("data:") || link.starts_with("mailto:") || link.starts_with("javascript:") {
                continue;
            }
            count += 1;
            let (target, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = target.split('?').next().unwrap_or_default();
            let target = match target {
                "" => file.clone(),
                target => normal(&file.parent().unwrap_or(book).join(target)),
            };
            let target = if target.is_dir() { target.join("index.html") } else { target };
            if !target.starts_with(book) || !target.is_file() {
                faults.push(format!("{name}: {link} leads nowhere"));
            } else if !anchor.is_empty()
                && pages.get(&target).is_some_and(|page| !page.ids.contains(&unescaped(anchor)))
            {
                faults.push(format!("{name}: {link}: the page has no such place"));
            }
        }
    }
    let lines: Vec<String> = outside.keys().cloned().collect();
    fs::write(list, lines.join("\n") + "\n").with_context(|| format!("cannot write {}", list.display()))?;
    println!(
        "{} pages, {count} links within the book; {} lead out of it: {}",
        pages.len(),
        outside.len(),
        list.display()
    );
    if online {
        for (address, page) in &outside {
            if !answers(address) {
                let page = page.strip_prefix(book).unwrap_or(page).display();
                faults.push(format!("{page}: {address} does not answer"));
            }
        }
    }
    Ok(faults)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                out.pop();
            }
            std::path::Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

/// The values of attributes, in double quotes as mdBook writes them, outside of scripts.
fn attributes(html: &str, names: &[&str]) -> BTreeSet<String> {
    let mut values = BTreeSet::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, rest)| rest);
            continue;
        }
        // A `>` may stand in quotes.
        let mut quoted = false;
        let end = rest.find(|char: char| {
            quoted ^= char == '"';
            char == '>' && !quoted
        });
        let (tag, after) = rest.split_at(end.unwrap_or(rest.len()));
        for name in names {
            for (at, _) in
                tag.match_indices(&format!(" {name}=\"")).chain(tag.match_indices(&format!("\n{name}=\"")))
            {
                let value = &tag[at + name.len() + 3..];
                values.insert(unescape_html(value.split('"').next().unwrap_or_default()));
            }
        }
        rest = after;
        if tag.starts_with("script") {
            rest = rest.split_once("</script").map_or("", |(_, rest)| rest);
        }
    }
    values
}

fn unescape_html(text: &str) -> String {
    text.replace("&quot;", "\"")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&#x27;", "'")
        .replace("&amp;", "&")
}

/// `%20` and its like.
fn unescaped(anchor: &str) -> String {
    let bytes = anchor.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = (bytes[at] == b'%').then(|| anchor.get(at + 1..at + 3)).flatten();
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn answers(address: &str) -> bool {
    let mut curl = Command::new("curl");
    curl.args(["--silent", "--location", "--fail", "--output", "/dev/null", "--max-time", "30", address]);
    curl.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::{attributes, check};

    #[test]
    fn attributes_are_found_in_tags_alone() {
        let html = r##"<a href="x.html#a&amp;b" title="1 > 0" id="y">href="no"</a><script src="s.js">"<a href='n'>"</script><!-- <a href="c"> -->"##;
        assert_eq!(
            attributes(html, &["href", "src"]).into_iter().collect::<Vec<_>>(),
            ["s.js", "x.html#a&b"]
        );
        assert_eq!(attributes(html, &["id"]).into_iter().collect::<Vec<_>>(), ["y"]);
    }

    #[test]
    fn a_link_to_a_missing_page_or_place_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write(
            "a.html",
            r#"<h1 id="top"></h1><a href="b.html#there">b</a><a href="b.html#gone">b</a><a href="c.html">c</a>"#,
        );
        write(
            "b.html",
            r##"<h2 id="there"></h2><a href="#nothing">x</a><a href="https://example.org/">e</a>"##,
        );
        let list = folder.path().join("list.txt");
        let faults = check(folder.path(), &list, false).unwrap();
        assert_eq!(
            faults,
            [
                "a.html: b.html#gone: the page has no such place",
                "a.html: c.html leads nowhere",
                "b.html: #nothing: the page has no such place"
            ]
        );
        assert_eq!(std::fs::read_to_string(list).unwrap(), "https://example.org/\n");
    }
}
