//! The extensions that an item brings along when it is taken.

use super::item::Item;
use crate::{TextEdit, extension_lines};
use coopmat_analysis::extensions::{self, ExtensionId};
use coopmat_analysis::lower::Environment;
use coopmat_analysis::text::FileId;

/// An extension with those that it requires and that are not enabled, in the order of their lines.
pub fn with_requirements(environment: &Environment, id: ExtensionId) -> Vec<ExtensionId> {
    fn add(environment: &Environment, id: ExtensionId, depth: u32, found: &mut Vec<ExtensionId>) {
        if depth > 4 || found.contains(&id) || environment.enabled(id) {
            return;
        }
        for choice in extensions::extension_by_id(id).requires {
            if choice.iter().any(|&extension| environment.enabled(extension)) {
                continue;
            }
            if let Some(&other) = choice.first() {
                add(environment, other, depth + 1, found);
            }
        }
        found.push(id);
    }
    let mut found = Vec::new();
    add(environment, id, 0, &mut found);
    found
}

/// An item that needs an extension.
pub fn needing(mut item: Item, extension: ExtensionId) -> Item {
    item.extensions = vec![extension];
    item.detail = extension.name().to_owned();
    item
}

/// The edits that enable what an item needs in a file. A header that leaves `#extension` lines to the shader gets none: an item changes the
/// file alone that is being edited.
pub fn edits(place: &extension_lines::Place, file: FileId, needed: &[ExtensionId]) -> Vec<TextEdit> {
    needed
        .iter()
        .map(|&id| place.enable(extensions::extension_by_id(id).name))
        .filter(|edit| edit.range.file == file)
        .collect()
}
