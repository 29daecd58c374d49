//! What stays while a recipe gets smaller: a finding, an error, or the bits of a wrong element; and whether a smaller recipe still has it.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use coopmat_recipe::component::Component;
use coopmat_recipe::report::{Modes, Problem, Report, ReportedFinding};
use coopmat_recipe::{Finished, Host};
use coopmat_spirv::reduce::Verdict;
use tempfile::TempDir;

use super::case::{Case, Form};
use crate::arguments::ModeOptions;
use crate::run::{Prepared, Wanted, add_ownership, buffers_on_device, prepare};
use crate::validator::{self, Answer};

/// What stays.
#[derive(Clone)]
pub enum Kept {
    Finding(Said),
    Error,
    /// What an element is.
    Element {
        /// Of the buffer, whose place may change.
        buffer: String,
        bytes: Range<usize>,
        stays: Element,
    },
}

/// What stays of an element.
#[derive(Clone)]
pub enum Element {
    /// The bits that the simulator computes.
    Bits(Vec<u8>),
    /// That the device computes something else, by at least so many numbers of its type.
    Apart(Component, f64),
}

/// How many numbers of a type two elements are apart; what is not a number is apart from all that are.
pub fn apart(component: Component, one: &[u8], other: &[u8]) -> f64 {
    let (Some(a), Some(b)) = (component.read(one, 0), component.read(other, 0)) else { return 0.0 };
    match (a.is_nan(), b.is_nan()) {
        (true, true) => 0.0,
        (false, false) => component.ulps(a, b),
        _ => f64::INFINITY,
    }
}

/// What a finding or an error says, but for its numbers, and where.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Said {
    pub kind: String,
    pub words: String,
    pub place: Option<(String, u32)>,
}

impl Said {
    pub fn of(finding: &ReportedFinding) -> Said {
        let place = finding.place.as_ref().map(|place| (place.path.clone(), place.line));
        Said { kind: finding.kind.clone(), words: without_numbers(&finding.message), place }
    }

    pub fn of_error(error: &Problem) -> Said {
        let place = error.place.as_ref().map(|place| (place.path.clone(), place.line));
        Said { kind: "error".to_owned(), words: without_numbers(&error.message), place }
    }

    fn all(report: &Report) -> BTreeSet<Said> {
        report.findings.iter().map(Said::of).collect()
    }
}

/// Numbers change with sizes.
fn without_numbers(message: &str) -> String {
    let mut text = String::new();
    for c in message.chars() {
        match c.is_ascii_digit() {
            true if text.ends_with('#') => {}
            true => text.push('#'),
            false => text.push(c),
        }
    }
    text
}

/// Runs smaller recipes, and says whether what shall stay is still there.
pub struct Judge<'w> {
    pub wanted: &'w Wanted,
    /// What the command line says of the modes.
    pub options: &'w ModeOptions,
    pub modes: Modes,
    pub kept: Kept,
    /// Nothing else may be found.
    pub known: BTreeSet<Said>,
    /// How the run ends early, if it does; otherwise it ends.
    pub error: Option<Said>,
    pub device: Option<Option<String>>,
    pub folder: TempDir,
    pub until: Instant,
    /// Whether the modules are valid as `spirv-val` has it, so that smaller ones shall be.
    pub validates: bool,
    pub tried: u64,
}

impl Judge<'_> {
    pub fn asks(&mut self, case: &Case, new_module: bool) -> Verdict {
        if Instant::now() >= self.until {
            return Verdict::Stop;
        }
        self.tried += 1;
        let kept = case.write(self.folder.path(), Form::Words).is_ok_and(|recipe| self.stays(&recipe));
        match kept
            && (!new_module || !self.validates || case.modules.iter().all(|one| is_valid(one) != Some(false)))
        {
            true => Verdict::Kept,
            false => Verdict::Lost,
        }
    }

    /// Whether what shall stay is in what a recipe's run comes to.
    pub fn stays(&self, recipe: &Path) -> bool {
        let Ok(prepared) = self.prepared(recipe) else { return false };
        let Finished { report, buffers, .. } = run(&prepared, &self.modes);
        if report.error.as_ref().map(Said::of_error) != self.error
            || !Said::all(&report).is_subset(&self.known)
        {
            return false;
        }
        match &self.kept {
            Kept::Finding(said) => report.findings.iter().any(|finding| Said::of(finding) == *said),
            Kept::Error => true,
            Kept::Element { buffer, bytes, stays } => {
                let index = prepared.plan.buffers.iter().position(|it| it.name == *buffer);
                let of = |buffers: &[Vec<u8>]| Some(buffers.get(index?)?.get(bytes.clone())?.to_vec());
                let Some(simulated) = of(&buffers) else { return false };
                match (stays, &self.device) {
                    (Element::Bits(bits), _) => simulated == *bits,
                    (Element::Apart(component, least), Some(device)) => {
                        let there = buffers_on_device(device, &prepared, &self.modes).ok();
                        let there = there.and_then(|buffers| of(&buffers));
                        there.is_some_and(|there| apart(*component, &simulated, &there) >= *least)
                    }
                    (Element::Apart(..), None) => false,
                }
            }
        }
    }

    fn prepared(&self, recipe: &Path) -> Result<Prepared, String> {
        let recipe = crate::paths::slashes(&recipe.to_string_lossy());
        let path = crate::run::shader_of(&recipe, &self.wanted.shader)?;
        let wanted = Wanted { path, recipe: Some(recipe), set: Vec::new(), ..self.wanted.clone() };
        let mut prepared = prepare(&wanted).map_err(crate::run::Failed::words)?;
        add_ownership(&mut prepared.plan, self.options)?;
        Ok(prepared)
    }
}

/// A run in checked mode, to its end.
pub fn run(prepared: &Prepared, modes: &Modes) -> Finished {
    let host = Host {
        pool: None,
        tier: None,
        observers: Vec::new(),
        place: &|dispatch, instruction| prepared.place(dispatch, instruction),
        go_on: &mut |_, _| true,
    };
    coopmat_recipe::run(&prepared.plan, &prepared.recipe, modes, host)
}

/// Whether `spirv-val` takes a module; nothing where there is no such program.
pub fn is_valid(module: &coopmat_spirv::dr::Module) -> Option<bool> {
    let words = coopmat_spirv::assemble(module).ok()?;
    match validator::validate(validator::PROGRAM, module, &coopmat_spirv::to_bytes(&words)) {
        Answer::Told(told) => Some(told.is_empty()),
        Answer::Missing | Answer::Failed(_) => None,
    }
}
