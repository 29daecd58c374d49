//! Completion: what can stand at a place, in the order of how well it fits.
//!
//! `site` reads the place from the file's tokens, `position` which kinds of words fit there, `scope` tells what is declared there, `value` and `expected` what types are at hand and
//! asked for. The others make items (`item`, in the order of `rank`): `names` what has a name, `words` keywords and the beginnings of statements, `members` what
//! follows a `.`, `matrix` type arguments, `layouts` what stands in `layout(...)`, `directives` what follows a `#`. `requirements`
//! names the extensions that an item brings along, `documentation` tells about one item when it is asked for.

mod calls;
mod directives;
mod documentation;
mod expected;
mod item;
mod layouts;
mod matrix;
mod members;
mod names;
#[doc(hidden)]
pub mod order;
mod position;
mod rank;
mod requirements;
mod scope;
#[cfg(test)]
mod tests;
mod value;
mod words;

use crate::site::{Region, Site};
use coopmat_analysis::Analysis;
use coopmat_analysis::preprocess::DirectiveKind;
use coopmat_analysis::text::{FilePosition, TextSize};

pub(super) use calls::{Call, argument_values, builtins, call_at, user_functions};

pub use directives::include_item;
pub use documentation::documentation;
pub(super) use expected::matching;
pub use item::{About, Completions, IncludePath, Insert, Item, ItemKind};
pub(super) use matrix::{Argument, arguments as type_arguments};
pub use requirements::edits as extension_edits;
pub(super) use scope::Scope;
pub(super) use value::{Value, structure, type_of};

/// What can stand at a place in a file; nothing in comments, numbers and ordinary strings.
pub fn completions(analysis: &Analysis, position: FilePosition) -> Completions {
    ordered(analysis, position, order::Model::shipped())
}

/// The same in the order of another model than the one that is built in.
#[doc(hidden)]
pub fn ordered(analysis: &Analysis, position: FilePosition, model: &order::Model) -> Completions {
    let Some(site) = Site::new(analysis, position) else { return Completions::default() };
    let mut completions = unordered(&site);
    order::order(&site, model, &mut completions);
    completions
}

fn unordered(site: &Site<'_>) -> Completions {
    let mut completions = Completions {
        replace: site.word(),
        insert_end: TextSize::new(site.offset),
        ..Completions::default()
    };
    if site.region == Region::Comment
        || directives::complete(site, &mut completions)
        || site.region != Region::Code
    {
        return completions;
    }
    let scope = Scope::new(site);
    code(site, &scope, &mut completions);
    // What lacks its name yet, such as `buffer B { data[]; }` declares, cannot be written.
    completions.items.retain(|item| !item.label.is_empty());
    completions
}

/// As [`completions`], when a character asks for them as it is typed: nothing but where it begins something that can be listed.
pub fn completions_after(analysis: &Analysis, position: FilePosition, typed: char) -> Completions {
    let worth = Site::new(analysis, position).is_some_and(|site| match typed {
        '.' => site.region == Region::Code && site.last().is_some_and(|last| last.is(".")),
        '#' => site.directive.is_some() && site.tokens.is_empty(),
        '"' | '/' => site.directive.is_some_and(|directive| directive.kind == DirectiveKind::Include),
        _ => {
            site.directive.is_some_and(|directive| {
                matches!(
                    directive.kind,
                    DirectiveKind::Extension | DirectiveKind::Version | DirectiveKind::Include
                )
            }) || asks(&site)
        }
    });
    if worth { completions(analysis, position) } else { Completions::default() }
}

/// Whether few things can stand at the place: type arguments, layouts, arguments that are constants or functions of a set.
fn asks(site: &Site<'_>) -> bool {
    let Some(frame) = site.frame().filter(|_| site.region == Region::Code) else { return false };
    if frame.bracket == '<' {
        return site.last().is_some_and(|last| matches!(last.text, "<" | ","));
    }
    if layouts::holds(site) {
        return true;
    }
    if call_at(site, frame).is_none() || !site.last().is_some_and(|last| matches!(last.text, "(" | "," | "|"))
    {
        return false;
    }
    let expected = expected::expected(&Scope::new(site), site);
    expected.constants.is_some() || expected.callback.is_some()
}

fn code(site: &Site<'_>, scope: &Scope<'_>, completions: &mut Completions) {
    if site.last().is_some_and(|last| last.is(".")) {
        members::complete(site, scope, completions);
        return;
    }
    if words::attribute(site, scope, completions)
        || layouts::complete(site, scope, completions)
        || matrix::complete(site, scope, completions)
    {
        return;
    }
    names::complete(site, scope, completions);
}
