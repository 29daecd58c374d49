//! `diagnostics/*.md` -> one `Code` constant per page.

use std::fmt::Write as _;

use super::files::{self, DataFile, alternatives};

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct FrontMatter {
    severity: String,
    summary: String,
    source: String,
    tag: Option<String>,
    fix: Option<String>,
    like: Option<String>,
    #[serde(rename = "instead-of")]
    instead_of: Option<String>,
    unanalysed: Option<String>,
}

const SEVERITIES: [(&str, &str); 4] =
    [("error", "Error"), ("warning", "Warning"), ("information", "Information"), ("hint", "Hint")];

/// What a diagnostic says was not looked at.
const UNANALYSED: [(&str, &str); 3] = [("extension", "Extension"), ("text", "Text"), ("check", "Check")];

const TAGS: [(&str, &str); 2] = [("unnecessary", "Unnecessary"), ("deprecated", "Deprecated")];

const LIKE: [(&str, &str); 1] = [("glslang", "Glslang")];

pub fn generate() -> Result<(), String> {
    println!("cargo::rerun-if-changed=diagnostics");
    let pages = files::read(&files::folder("CARGO_MANIFEST_DIR")?.join("diagnostics"), "md")?;
    files::write("diagnostic_codes.rs", &table(&pages)?)
}

/// The source of all constants, of pages that are sorted by id.
pub fn table(pages: &[DataFile]) -> Result<String, String> {
    let mut out = String::new();
    let mut names = Vec::new();
    for page in pages {
        let name = page.stem.to_uppercase().replace('-', "_");
        let constant =
            constant(page, &name).map_err(|error| format!("diagnostics/{}.md: {error}", page.stem))?;
        out.push_str(&constant);
        names.push(format!("&{name}"));
    }
    let _ =
        writeln!(out, "/// Every entry, sorted by id.\npub static ALL: &[&Code] = &[{}];", names.join(", "));
    Ok(out)
}

fn constant(page: &DataFile, name: &str) -> Result<String, String> {
    let id = page.stem.as_str();
    if !id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-') {
        return Err(format!("expected an id of small letters, digits and `-`, found `{id}`"));
    }
    let rest = page.text.strip_prefix("+++\n").ok_or_else(|| {
        let first = page.text.lines().next().unwrap_or_default();
        format!("expected front matter between lines `+++`, found `{first}` in the first line")
    })?;
    let (front, text) =
        rest.split_once("\n+++\n").ok_or("expected a line `+++` behind the front matter, found none")?;
    let front: FrontMatter = toml::from_str(front).map_err(|error| format!("front matter: {error}"))?;
    let severity = known("severity", &SEVERITIES, &front.severity)?;
    let tag = match &front.tag {
        Some(tag) => format!("Some(super::Tag::{})", known("tag", &TAGS, tag)?),
        None => "None".to_owned(),
    };
    let like = match &front.like {
        // Such pages are told from the others by their ids, too.
        Some(like) if id.starts_with(&format!("{like}-")) => {
            format!("Some(Like::{})", known("like", &LIKE, like)?)
        }
        Some(like) => return Err(format!("like: expected an id that begins with `{like}-`, found `{id}`")),
        None => "None".to_owned(),
    };
    let unanalysed = match &front.unanalysed {
        Some(what) => format!("Some(super::Unanalysed::{})", known("unanalysed", &UNANALYSED, what)?),
        None => "None".to_owned(),
    };
    Ok(format!(
        "#[doc = {summary:?}]\npub static {name}: Code = Code {{ id: {id:?}, severity: Severity::{severity}, summary: {summary:?}, source: {source:?}, tag: {tag}, fix: {fix:?}, like: {like}, instead_of: {instead_of:?}, unanalysed: {unanalysed}, page: {page:?} }};\n",
        summary = front.summary,
        source = front.source,
        fix = front.fix,
        instead_of = front.instead_of,
        page = text.trim_start(),
    ))
}

/// The variant of a word of the front matter.
fn known(key: &str, variants: &[(&str, &'static str)], found: &str) -> Result<&'static str, String> {
    let variant = variants.iter().find(|(word, _)| *word == found);
    variant.map(|(_, variant)| *variant).ok_or_else(|| {
        let expected = alternatives(variants.iter().map(|(word, _)| *word));
        format!("{key}: expected {expected}, found `{found}`")
    })
}
