//! Where a project file defines a macro.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::split_define;
use crate::text::{TextRange, TextSize};

/// Where the text of a project file defines a macro for a configuration: in the configuration itself, in the `[[shaders]]` around it, or at the
/// top. Of configurations that get their names from elsewhere, every place that defines the macro.
pub fn defined_at(text: &str, configuration: &str, name: &str) -> Vec<TextRange> {
    let Ok(table) = DeTable::parse(text) else { return Vec::new() };
    let top = table.get_ref();
    let (mut elsewhere, mut around, mut own) = (Vec::new(), Vec::new(), Vec::new());
    for shaders in tables(top, "shaders") {
        let here = of(shaders, name);
        let mut named = false;
        for one in tables(shaders, "configurations") {
            let is_it = matches!(one.get("name").map(Spanned::get_ref), Some(DeValue::String(text)) if text == configuration);
            named |= is_it;
            if is_it { &mut own } else { &mut elsewhere }.extend(of(one, name));
        }
        if named { &mut around } else { &mut elsewhere }.extend(here);
    }
    let found = [own, around, of(top, name), elsewhere];
    found.into_iter().find(|ranges| !ranges.is_empty()).unwrap_or_default()
}

/// The tables of an array of tables.
fn tables<'t, 'i>(table: &'t DeTable<'i>, key: &str) -> Vec<&'t DeTable<'i>> {
    let Some(DeValue::Array(array)) = table.get(key).map(Spanned::get_ref) else { return Vec::new() };
    let one = |item: &'t Spanned<DeValue<'i>>| match item.get_ref() {
        DeValue::Table(table) => Some(table),
        _ => None,
    };
    array.iter().filter_map(one).collect()
}

/// Where a table's own `defines` have a macro: its name, or the string with its value.
fn of(table: &DeTable<'_>, name: &str) -> Vec<TextRange> {
    match table.get("defines").map(Spanned::get_ref) {
        Some(DeValue::Table(defines)) => {
            let keys = defines.iter().filter(|(key, _)| key.get_ref() == name);
            keys.map(|(key, _)| range(key.span())).collect()
        }
        Some(DeValue::Array(array)) => {
            let is_it = |item: &&Spanned<DeValue<'_>>| match item.get_ref() {
                DeValue::String(text) => split_define(text).0.trim() == name,
                _ => false,
            };
            array.iter().filter(is_it).map(|item| range(item.span())).collect()
        }
        _ => Vec::new(),
    }
}

fn range(span: std::ops::Range<usize>) -> TextRange {
    let size = |offset: usize| TextSize::new(u32::try_from(offset).unwrap_or(u32::MAX));
    TextRange::new(size(span.start), size(span.end))
}

#[cfg(test)]
mod tests {
    use super::defined_at;

    const PROJECT: &str = r#"defines = { SHARED = 1 }

[[shaders]]
files = ["*.comp"]
defines = ["TILE=16"]

[[shaders.configurations]]
name = "f16"
defines = { TYPE = "float16_t" }

[[shaders.configurations]]
name = "f32"
defines = { TYPE = "float", TILE = 8 }
"#;

    /// The lines of the places, counted from 1.
    fn lines(configuration: &str, name: &str) -> Vec<usize> {
        let places = defined_at(PROJECT, configuration, name);
        places.iter().map(|place| PROJECT[..usize::from(place.start())].matches('\n').count() + 1).collect()
    }

    #[test]
    fn the_nearest_definition_counts() {
        assert_eq!(lines("f16", "TYPE"), [9]);
        assert_eq!(lines("f32", "TYPE"), [13]);
        assert_eq!(lines("f16", "TILE"), [5]);
        assert_eq!(lines("f32", "TILE"), [13]);
        assert_eq!(lines("f32", "SHARED"), [1]);
        assert_eq!(lines("another", "TYPE"), [9, 13]);
        assert!(lines("f16", "MISSING").is_empty());
    }
}
