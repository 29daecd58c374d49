//! An editor that shows what completion offers.
//!
//! It keeps what begins with the typed characters, whatever their case - VS Code and Neovim also keep names that hold the characters further on, but after these -
//! and shows first what begins with just these characters, then what the server puts first, then by the label.

use coopmat_ide::completion::{Completions, Item};

/// How many items are looked at.
pub const FIRST: usize = 3;

/// The labels that a client shows first.
pub fn first<'a>(completions: &'a Completions, typed: &str) -> Vec<&'a str> {
    let mut items: Vec<(bool, &Item)> = completions
        .items
        .iter()
        .filter_map(|item| {
            let matched = item.filter.as_ref().unwrap_or(&item.label).get(..typed.len())?;
            matched.eq_ignore_ascii_case(typed).then_some((matched != typed, item))
        })
        .collect();
    items.sort_by_key(|(other_case, item)| (*other_case, item.rank, &item.label));
    items.into_iter().take(FIRST).map(|(_, item)| item.label.as_str()).collect()
}
