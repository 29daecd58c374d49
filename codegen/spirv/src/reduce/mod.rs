//! Smaller modules that still have a property, by delta debugging: instructions, branches and values are taken out in chunks that halve, and whoever
//! asks says of each module whether it still has it.
//!
//! | module | does |
//! |---|---|
//! | `change` | what can be taken out, and a module without it |
//! | `tidy` | takes away what nothing needs any more |
//! | `lines` | places in a source that go with their instructions |
//!
//! After Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (2002).

mod change;
mod lines;
mod tidy;

use rspirv::dr::Module;

use change::Kind;
pub use lines::{PlaceOf, with_lines};

/// What whoever asks says of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It still has the property.
    Kept,
    /// It has not, or is no valid module.
    Lost,
    /// There is no more time: the last module that had it is the result.
    Stop,
}

/// The smallest module that was come upon. `judge` is asked of every one on the way; the module itself is taken to have the property.
pub fn reduce(module: Module, judge: &mut dyn FnMut(&Module) -> Verdict) -> Module {
    let mut current = module;
    let tidied = tidy::tidy(current.clone());
    match judge(&tidied) {
        Verdict::Kept => current = tidied,
        Verdict::Lost => {}
        Verdict::Stop => return current,
    }
    loop {
        let before = count(&current);
        for kind in Kind::ALL {
            match pass(current, kind, judge) {
                (smaller, true) => current = smaller,
                (smaller, false) => return smaller,
            }
        }
        if count(&current) >= before {
            return current;
        }
    }
}

/// Instructions of a module's functions.
pub fn count(module: &Module) -> usize {
    let blocks = module.functions.iter().flat_map(|function| &function.blocks);
    blocks.map(|block| block.instructions.len() + 1).sum()
}

/// As many changes of a kind as can be made; false where there was no more time.
fn pass(base: Module, kind: Kind, judge: &mut dyn FnMut(&Module) -> Verdict) -> (Module, bool) {
    // From the end: what uses a value goes before what computes it.
    let mut sites = change::sites(&base, kind);
    sites.reverse();
    let mut made = Vec::new();
    let mut best = None;
    let mut chunk = sites.len();
    while chunk > 0 {
        let mut left = Vec::new();
        for some in sites.chunks(chunk) {
            let mut all = made.clone();
            all.extend_from_slice(some);
            let candidate = tidy::tidy(change::apply(&base, &all));
            match judge(&candidate) {
                Verdict::Kept => {
                    made = all;
                    best = Some(candidate);
                }
                Verdict::Lost => left.extend_from_slice(some),
                Verdict::Stop => return (best.unwrap_or(base), false),
            }
        }
        sites = left;
        chunk = if chunk > sites.len() { sites.len() / 2 } else { chunk / 2 };
    }
    (best.unwrap_or(base), true)
}
