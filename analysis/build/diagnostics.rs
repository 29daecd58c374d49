//! `diagnostics/*.md` -> one `Code` constant per page.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct FrontMatter {
    severity: String,
    summary: String,
    source: String,
    tag: Option<String>,
}

pub fn generate() {
    println!("cargo::rerun-if-changed=diagnostics");
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap()).join("diagnostics");
    let mut pages: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.sort();

    let mut out = String::new();
    let mut names = Vec::new();
    for path in pages {
        let id = path.file_stem().unwrap().to_str().unwrap().to_owned();
        assert!(
            id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'),
            "{}: an id is kebab-case",
            path.display()
        );
        let text = fs::read_to_string(&path).unwrap();
        let rest = text.strip_prefix("+++\n").unwrap_or_else(|| {
            panic!("{}: a page starts with front matter between +++ lines", path.display())
        });
        let (front, page) = rest
            .split_once("\n+++\n")
            .unwrap_or_else(|| panic!("{}: the front matter ends with a line +++", path.display()));
        let front: FrontMatter =
            toml::from_str(front).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let severity = match front.severity.as_str() {
            "error" => "Error",
            "warning" => "Warning",
            "information" => "Information",
            "hint" => "Hint",
            other => panic!("{}: unknown severity {other}", path.display()),
        };
        let tag = match front.tag.as_deref() {
            None => "None",
            Some("unnecessary") => "Some(super::Tag::Unnecessary)",
            Some("deprecated") => "Some(super::Tag::Deprecated)",
            Some(other) => panic!("{}: unknown tag {other}", path.display()),
        };
        let name = id.to_uppercase().replace('-', "_");
        writeln!(
            out,
            "#[doc = {summary:?}]\npub static {name}: Code = Code {{ id: {id:?}, severity: Severity::{severity}, summary: {summary:?}, source: {source:?}, tag: {tag}, page: {page:?} }};",
            summary = front.summary,
            source = front.source,
            page = page.trim_start(),
        )
        .unwrap();
        names.push((id, name));
    }
    names.sort();
    let list: Vec<_> = names.iter().map(|(_, name)| format!("&{name}")).collect();
    writeln!(out, "/// Every entry, sorted by id.\npub static ALL: &[&Code] = &[{}];", list.join(", "))
        .unwrap();
    fs::write(Path::new(&env::var("OUT_DIR").unwrap()).join("diagnostic_codes.rs"), out).unwrap();
}
