//! The ids of the grammar's nodes, tokens and fields as Rust constants, read from the generated parser.
//!
//! Code that walks a tree compares integers, and a node that the grammar no longer has fails to compile.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::{Context, Result};

/// The text of `kinds.rs` for the parser whose C source is given.
pub fn kinds(parser: &str) -> Result<String> {
    let ids: BTreeMap<&str, u16> = entries(parser, "enum ts_symbol_identifiers {", "=")?
        .into_iter()
        .map(|(name, id)| Ok((name, id.parse()?)))
        .collect::<Result<_>>()?;
    let fields = entries(parser, "enum ts_field_identifiers {", "=")?;
    let names: BTreeMap<&str, &str> = bracketed(parser, "ts_symbol_names[] = {")?.into_iter().collect();
    let public: BTreeMap<&str, &str> = bracketed(parser, "ts_symbol_map[] = {")?.into_iter().collect();

    let mut kinds = BTreeMap::new();
    let mut tokens = BTreeMap::new();
    for (symbol, id) in ids {
        // A symbol that stands for another in the tree is never seen under its own id.
        if public.get(symbol).is_some_and(|stands_for| *stands_for != symbol) {
            continue;
        }
        let text =
            names.get(symbol).copied().with_context(|| format!("{symbol} has no name"))?.trim_matches('"');
        let rule = symbol.strip_prefix("sym_").or_else(|| symbol.strip_prefix("alias_sym_"));
        if let Some(rule) = rule.filter(|rule| !rule.starts_with('_')) {
            kinds.insert(rule.to_uppercase(), (id, format!("`{text}`")));
        } else if let Some(token) = symbol.strip_prefix("anon_sym_") {
            tokens.insert(token.to_uppercase(), (id, format!("`{}`", text.replace("\\\"", "\""))));
        } else if let Some(directive) = text.strip_prefix('#') {
            tokens.insert(format!("HASH_{}", directive.to_uppercase()), (id, format!("`{text}`")));
        }
    }
    let fields = fields
        .into_iter()
        .map(|(name, id)| {
            let name = name.strip_prefix("field_").context("a field without its prefix")?;
            Ok((name.to_uppercase(), (id.parse()?, format!("`{name}`"))))
        })
        .collect::<Result<_>>()?;

    let mut output = String::from(
        "//! The ids of nodes, tokens and fields. Made by `cargo xtask generate` from the generated parser: do not edit.\n",
    );
    module(&mut output, "kind", "Named nodes, as `Node::kind_id` gives them.", &kinds)?;
    module(
        &mut output,
        "token",
        "Keywords, operators and punctuation, as `Node::kind_id` gives them.",
        &tokens,
    )?;
    module(&mut output, "field", "Fields, as `Node::child_by_field_id` takes them.", &fields)?;
    Ok(output)
}

fn module(
    output: &mut String,
    name: &str,
    summary: &str,
    ids: &BTreeMap<String, (u16, String)>,
) -> Result<()> {
    write!(output, "\n/// {summary}\npub mod {name} {{\n")?;
    for (name, (id, text)) in ids {
        writeln!(output, "    /// {text}\n    pub const {name}: u16 = {id};")?;
    }
    output.push_str("}\n");
    Ok(())
}

/// The lines of a C initialiser or enum, from its opening line to the closing brace.
fn block<'a>(parser: &'a str, opening: &str) -> Result<&'a str> {
    let start = parser.find(opening).with_context(|| format!("the parser has no {opening}"))? + opening.len();
    let text = &parser[start..];
    Ok(&text[..text.find("\n}").with_context(|| format!("{opening} has no end"))?])
}

/// `name = value,` lines.
fn entries<'a>(parser: &'a str, opening: &str, separator: &str) -> Result<Vec<(&'a str, &'a str)>> {
    Ok(block(parser, opening)?
        .lines()
        .filter_map(|line| line.trim().trim_end_matches(',').split_once(separator))
        .map(|(name, value)| (name.trim(), value.trim()))
        .collect())
}

/// `[name] = value,` lines.
fn bracketed<'a>(parser: &'a str, opening: &str) -> Result<Vec<(&'a str, &'a str)>> {
    Ok(entries(parser, opening, "] = ")?
        .into_iter()
        .map(|(name, value)| (name.trim_start_matches('['), value))
        .collect())
}
