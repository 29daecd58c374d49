//! How `.editorconfig` files say that a file is to be written (<https://spec.editorconfig.org>).

use std::io::Cursor;
use std::path::{Path, PathBuf};

use coopmat_ide::format::{FinalNewline, FormatOptions, LineEnd};
use ec4rs::{ConfigParser, Properties, PropertiesSource as _, property};

use crate::disk;

/// The options for a file, and how its lines end if they shall all end in one way.
pub fn of(path: &str) -> Result<(FormatOptions, Option<LineEnd>), String> {
    let mut properties = properties_of(&real(Path::new(path)))?;
    properties.use_fallbacks();
    let default = FormatOptions::default();
    let tab_size = match properties.get() {
        Ok(property::TabWidth::Value(columns)) => sane(columns),
        Err(_) => None,
    };
    let tab_size = tab_size.unwrap_or(default.tab_size);
    let insert_spaces = match properties.get::<property::IndentStyle>() {
        Ok(style) => style == property::IndentStyle::Spaces,
        Err(_) => default.insert_spaces,
    };
    let indent_size = match properties.get() {
        Ok(property::IndentSize::UseTabWidth) => Some(tab_size),
        Ok(property::IndentSize::Value(columns)) => sane(columns),
        Err(_) => None,
    };
    let trim_trailing_whitespace = match properties.get() {
        Ok(property::TrimTrailingWs::Value(trim)) => trim,
        Err(_) => default.trim_trailing_whitespace,
    };
    let final_newline = match properties.get() {
        Ok(property::FinalNewline::Value(true)) => FinalNewline::Insert,
        Ok(property::FinalNewline::Value(false)) => FinalNewline::Remove,
        Err(_) => default.final_newline,
    };
    let line_end = properties.get().ok().map(|end| match end {
        property::EndOfLine::Lf => LineEnd::Lf,
        property::EndOfLine::CrLf => LineEnd::CrLf,
        property::EndOfLine::Cr => LineEnd::Cr,
    });
    let options = FormatOptions {
        indent_size: indent_size.unwrap_or(if insert_spaces { default.indent_size } else { tab_size }),
        tab_size,
        insert_spaces,
        trim_trailing_whitespace,
        final_newline,
        ..default
    };
    Ok((options, line_end))
}

/// The nearest file's come last, and win; none above one with `root = true` is read.
fn properties_of(path: &Path) -> Result<Properties, String> {
    let mut found = Vec::new();
    for folder in path.ancestors().skip(1) {
        let file = folder.join(".editorconfig");
        if !file.is_file() {
            continue;
        }
        let wrong = |error: String| format!("{}: {error}", file.display());
        let text = disk::text(&file).map_err(|error| wrong(error.to_string()))?;
        let parser = ConfigParser::new(Cursor::new(text)).map_err(|error| wrong(error.to_string()))?;
        let is_root = parser.is_root;
        found.push((file, folder, parser));
        if is_root {
            break;
        }
    }
    let mut properties = Properties::new();
    for (file, folder, parser) in found.iter_mut().rev() {
        let inside = path.strip_prefix(folder).unwrap_or(path);
        if let Err(error) = parser.apply_to(&mut properties, inside) {
            return Err(format!("{}:{}: {error}", file.display(), parser.line_no()));
        }
    }
    Ok(properties)
}

/// A level without columns, or one wider than a screen, is a slip.
fn sane(columns: usize) -> Option<usize> {
    (1..=64).contains(&columns).then_some(columns)
}

/// The path without `..`: the folders that are searched are those above the file. That of a file on standard input may not exist.
fn real(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = folder.canonicalize().or_else(|_| std::path::absolute(folder));
    match (folder, path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}
