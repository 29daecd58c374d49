//! The findings of a shader, of which those about one body are kept until the body changes.

use std::sync::Arc;

use crate::config::Configuration;
use crate::diagnostics::codes;
use crate::hir::{BodyDiagnostic, Direction, Function, LocalSizeDim, Module};
use crate::text::TextSize;

use super::context::{Context, Found};
use super::flow::{self, BodyFindings};
use super::{callbacks, global_tensors, sharing, target_device, uniformity};

/// What the checks found in a shader.
#[derive(Debug, Default)]
pub struct Findings {
    /// Of each function's body, by the function's number.
    bodies: Vec<Option<Arc<BodyFindings>>>,
    /// Of checks that need all bodies.
    shader: Vec<Found>,
    surroundings: Surroundings,
}

/// What findings about a body rest on that may stand behind it, so that the body is kept when it changes.
#[derive(Debug, Default, PartialEq)]
struct Surroundings {
    local_size: Option<[LocalSizeDim; 3]>,
    /// Of functions that are called before they are defined.
    directions: Vec<Vec<Direction>>,
}

impl Surroundings {
    fn of(module: &Module) -> Surroundings {
        let directions =
            |function: &Function| function.parameters.iter().map(|parameter| parameter.direction).collect();
        let functions = module.functions.iter().map(|(_, function)| function);
        Surroundings {
            local_size: module.local_size.range.map(|_| module.local_size.dims.clone()),
            directions: functions
                .filter(|function| !function.prototypes.is_empty())
                .map(directions)
                .collect(),
        }
    }
}

/// Of no body: its ranges count from the start of the text.
fn of_the_text(diagnostic: BodyDiagnostic) -> Found {
    Found { diagnostic, base: TextSize::new(0), function: None }
}

impl Findings {
    /// Runs every check but the late one. `previous` is what was found in an earlier state of the same text under the same configuration, with its
    /// module: bodies that are still the same are not looked at again.
    pub fn of(module: &Module, config: &Configuration, previous: Option<(&Module, &Findings)>) -> Findings {
        let surroundings = Surroundings::of(module);
        let previous = previous.filter(|(_, findings)| findings.surroundings == surroundings);
        let mut before = previous.map(|(module, _)| module.functions.iter());
        let mut bodies = Vec::with_capacity(module.functions.len());
        for (index, (function, declared)) in module.functions.iter().enumerate() {
            let before = before.as_mut().and_then(|before| before.next()?.1.body.as_ref());
            let Some(body) = &declared.body else {
                bodies.push(None);
                continue;
            };
            let kept = before
                .filter(|before| Arc::ptr_eq(before, body))
                .and_then(|_| previous?.1.bodies.get(index)?.clone());
            let found = kept.unwrap_or_else(|| {
                let context = Context { module, types: &module.types, config, body, function };
                Arc::new(flow::check(&context))
            });
            bodies.push(Some(found));
        }
        let any = |holds: fn(&BodyFindings) -> bool| bodies.iter().flatten().any(|found| holds(found));
        let mut whole: Vec<BodyDiagnostic> = Vec::new();
        if any(|found| found.names_functions) {
            whole.extend(callbacks::check(module));
        }
        if any(|found| found.matrix_operations) && module.extensions.iter().any(global_tensors::concerns) {
            whole.extend(global_tensors::check(module));
        }
        if any(|found| found.matrix_operations || found.barriers) {
            whole.extend(uniformity::check(module, config));
        }
        let mut shader: Vec<Found> = whole.into_iter().map(of_the_text).collect();
        shader.extend(target_device::check(module, config));
        Findings { bodies, shader, surroundings }
    }

    /// What is found about shared memory, by a walk that takes longer than all else: nobody who types waits for it.
    pub fn late(&self, module: &Module, config: &Configuration) -> Vec<Found> {
        if !Findings::has_late(module) {
            return Vec::new();
        }
        // A barrier that not all come to is told once, with its cause where that is known.
        let told = self.shader.iter().any(|known| known.diagnostic.code == &codes::DIVERGENT_BARRIER);
        let found = sharing::check(module, config);
        let news = found.into_iter().filter(|found| !told || found.code != &codes::DIVERGENT_BARRIER);
        news.map(of_the_text).collect()
    }

    /// Whether [`Findings::late`] has anything to look at.
    pub fn has_late(module: &Module) -> bool {
        sharing::concerns(module)
    }

    /// All findings but the late ones: a diagnostic, where the ranges of its body count from, and the function whose body it is.
    pub fn iter<'a>(&'a self, module: &'a Module) -> impl Iterator<Item = Found> + 'a {
        let functions = module.functions.iter().zip(&self.bodies);
        let of_bodies = functions.flat_map(|((id, function), found)| {
            found.iter().flat_map(|found| &found.diagnostics).map(move |diagnostic| Found {
                diagnostic: diagnostic.clone(),
                base: function.range.start(),
                function: Some(id),
            })
        });
        of_bodies.chain(self.shader.iter().cloned())
    }
}
