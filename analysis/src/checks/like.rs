//! What another compiler refuses though the specifications allow it, where the configuration asks for that.
//!
//! Each refusal is a page of the catalogue of its own, whose front matter names the compiler. `docs/divergences.md` says which
//! differences are told, and why the others are not. `refusals` collects what is found, `written` knows how sizes are written; `matrices`, `calls`,
//! `arguments` and `semantics` look at a body, `declarations` at the top level, `limits` at numbers in both.

mod arguments;
mod calls;
mod declarations;
mod limits;
mod matrices;
mod refusals;
mod semantics;
mod written;

use crate::config::{Configuration, Like};
use crate::diagnostics::Diagnostic;
use crate::hir::Module;
use crate::text::TextSize;

use super::context::Found;

pub(crate) use declarations::raised;
use refusals::Refusals;
use written::Writing;

/// The refusals of the configuration's compiler; none where it names none.
pub(crate) fn refusals(module: &Module, config: &Configuration) -> Vec<Found> {
    match config.like {
        Some(Like::Glslang) => glslang(module),
        None => Vec::new(),
    }
}

/// What the compiler refuses of what is told anyway, only less loudly.
pub(crate) fn raise(config: &Configuration, diagnostic: &Diagnostic) -> Option<Diagnostic> {
    match config.like {
        Some(Like::Glslang) => raised(diagnostic),
        None => None,
    }
}

fn glslang(module: &Module) -> Vec<Found> {
    let writing = Writing::of(module);
    let mut refusals = Refusals { module, found: Vec::new(), base: TextSize::new(0), function: None };
    declarations::check(&mut refusals);
    limits::declarations(&mut refusals);
    for (body, base, function) in module.bodies() {
        (refusals.base, refusals.function) = (base, function);
        matrices::check(&mut refusals, body, &writing);
        calls::check(&mut refusals, body);
        limits::bodies(&mut refusals, body);
    }
    refusals.found
}
