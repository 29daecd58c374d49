//! The conclusions of what was found: the answer, or what is to be looked at next.

use std::sync::Arc;

use coopmat_ide::usages::{Closure, Place};
use rustc_hash::FxHashSet;

use super::question::{Purpose, Wanted};
use super::state::Search;
use crate::features::{calls, references, renaming};
use crate::host::Host;
use crate::query::request_failed;

/// Answers, or gives the search back for more.
pub fn conclude(
    mut search: Box<Search>,
    purpose: Purpose,
    host: &dyn Host,
) -> Option<(Box<Search>, Purpose)> {
    if let Purpose::OutgoingCalls { reply } = purpose {
        let _ = reply.send(Ok(Some(calls::outgoing(&search, host))));
        return None;
    }
    if search.renamed.is_some() {
        let Purpose::Rename { new_name, reply, .. } = purpose else { return None };
        let _ = reply.send(match search.complaint.take() {
            None => Ok(search.edit.take()),
            Some((message, place, configuration)) => Err(request_failed(format!(
                "`{}` cannot be called `{new_name}`: {message} ({}, configuration `{configuration}`)",
                search.name,
                search.texts(host).line(&place),
            ))),
        });
        return None;
    }
    let is_rename = matches!(purpose, Purpose::Rename { .. });
    let mut closure = match &search.wanted {
        Wanted::Builtin(words) => Closure::of_builtin(&search.pieces, words),
        Wanted::Places(places) if is_rename => Closure::of_name(&search.pieces, places),
        Wanted::Places(places) => Closure::of_declarations(&search.pieces, places),
    };
    if let Wanted::Places(places) = &search.wanted
        && closure.uses.is_empty()
        && search.later.is_empty()
    {
        closure = Closure::of_loose(&search.pieces, places);
    }
    let new: Vec<_> = closure.paths().into_iter().filter(|path| !search.files.contains(path)).collect();
    if !new.is_empty() && matches!(search.wanted, Wanted::Places(_)) {
        search.new_files = new;
        return Some((search, purpose));
    }
    if !search.later.is_empty() {
        search.known = Arc::new(known(&search.wanted, &closure, is_rename));
        search.todo = std::mem::take(&mut search.later).into();
        return Some((search, purpose));
    }
    match purpose {
        Purpose::References { declarations, reply, .. } => {
            let found = references::locations(&search, &closure, declarations, host);
            let _ = reply.send(Ok(Some(found)));
        }
        Purpose::IncomingCalls { reply } => {
            let _ = reply.send(Ok(Some(calls::incoming(&search, &closure, host))));
        }
        Purpose::Rename { new_name, reply } => match renaming::plan(&search, &closure, &new_name, host) {
            Ok(plan) => {
                search.renamed = Some(Arc::new(plan.texts));
                search.edit = Some(plan.edit);
                search.todo = std::mem::take(&mut search.works).into();
                search.pieces = Vec::new();
                return Some((search, Purpose::Rename { new_name, reply }));
            }
            Err(message) => drop(reply.send(Err(request_failed(message)))),
        },
        Purpose::OutgoingCalls { .. } => {}
    }
    None
}

/// The uses behind which nothing new is found. What is asked about may be declared elsewhere in another configuration, unless it
/// is a declaration; for a rename that declaration belongs to the rest anyway, by the place that both share.
fn known(wanted: &Wanted, closure: &Closure, is_rename: bool) -> FxHashSet<Place> {
    let Wanted::Places(seeds) = wanted else { return FxHashSet::default() };
    let uses = closure.uses.iter();
    let known = uses.filter(|(place, role)| is_rename || role.declares() || !seeds.contains(*place));
    known.map(|(place, _)| place.clone()).collect()
}
