//! Shared memory that one invocation writes and another one reads with no barrier between, and barriers that do not hand it over.
//!
//! The shader is followed from the entry point with all invocations of one workgroup at once: `value` has the integers of each, `walk` the
//! statements, `evaluate` the expressions, `memory` the accesses since the last barrier and when two of them meet, `facts` and `needed` what need
//! not be followed, `report` what is said. What is found happens on a way through the shader that some dispatch takes: an index that is not known,
//! a condition that two accesses would both depend on, a loop that is not followed to its end give no finding.

mod evaluate;
mod facts;
mod memory;
mod needed;
mod report;
mod value;
mod walk;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::config::{Configuration, SpecializationValue};
use crate::diagnostics::{Code, codes};
use crate::extensions;
use crate::hir::{Body, BodyDiagnostic, ExprKind, FunctionId, Module, Storage};
use crate::text::{TextRange, TextSize};
use crate::types::Types;

use facts::{AllFacts, Facts};
use memory::{MAX_LANES, Mask};
use value::Atoms;
use walk::{Many, State};

/// The whole shader while it is walked through.
struct Walker<'m> {
    module: &'m Module,
    types: &'m Types,
    config: &'m Configuration,
    /// Invocations that are looked at.
    lanes: usize,
    everybody: Mask,
    dimensions: [i64; 3],
    /// Whether specialization says how large a workgroup is: then only the first two of its invocations are looked at.
    specialized: bool,
    /// Invocations of a subgroup, where that is known.
    subgroup: Option<usize>,
    atoms: Atoms,
    all_facts: AllFacts,
    body: &'m Body,
    base: TextSize,
    facts: Rc<Facts>,
    state: State,
    /// Ways that have left the innermost loop.
    exits: Vec<State>,
    active: Vec<FunctionId>,
    /// Values of the parameters of the function that has ended.
    outs: Vec<Option<Many>>,
    /// The loops around: number, round, and where each stands.
    rounds: Vec<(u32, u32, TextRange)>,
    loops: u32,
    /// Of the loops around, those without barriers.
    plain_loops: u32,
    /// Whether the innermost loop has no condition, and ends at a `break`.
    endless: bool,
    serial: u32,
    /// What is evaluated may not be evaluated when the shader runs.
    quiet: bool,
    steps: u32,
    depth: u32,
    found: Vec<BodyDiagnostic>,
    /// Pairs of accesses that were compared, with how often.
    compared: FxHashMap<(TextRange, TextRange), u8>,
    reported: FxHashSet<TextRange>,
}

/// Expressions and statements that are looked at; what comes after is not followed.
const MAX_STEPS: u32 = 10_000;
/// How deeply expressions, statements and calls may nest together.
const MAX_DEPTH: u32 = 200;

/// What is told of shared memory. One of them is told of barriers alone, too.
pub(crate) const CODES: [&Code; 3] =
    [&codes::MISSING_BARRIER, &codes::BARRIER_SCOPE, &codes::DIVERGENT_BARRIER];

/// Whether the shader has memory that its invocations share.
pub fn concerns(module: &Module) -> bool {
    module.globals.iter().any(|(_, global)| global.storage == Storage::Shared)
}

/// Checks a whole shader. Ranges count from the start of the expanded text.
pub fn check(module: &Module, config: &Configuration) -> Vec<BodyDiagnostic> {
    let Some((dimensions, specialized)) = dimensions(module, config) else { return Vec::new() };
    let size = dimensions.iter().try_fold(1i64, |size, dimension| size.checked_mul(*dimension)).unwrap_or(0);
    let lanes = usize::try_from(size).unwrap_or(0).min(MAX_LANES);
    let Some(main) = module.callable_entry_point().filter(|_| lanes > 1) else { return Vec::new() };
    let everybody = Mask::first(lanes);
    let run = |subgroup: Option<usize>| {
        let mut walker = Walker {
            module,
            types: &module.types,
            config,
            lanes,
            everybody,
            dimensions,
            specialized,
            subgroup,
            atoms: Atoms::default(),
            all_facts: AllFacts::default(),
            body: &module.global_body,
            base: TextSize::new(0),
            facts: Rc::default(),
            state: State::new(everybody),
            exits: Vec::new(),
            active: Vec::new(),
            outs: Vec::new(),
            rounds: Vec::new(),
            loops: 0,
            plain_loops: 0,
            endless: false,
            serial: 0,
            quiet: false,
            steps: 0,
            depth: 0,
            found: Vec::new(),
            compared: FxHashMap::default(),
            reported: FxHashSet::default(),
        };
        walker.run(main, Vec::new());
        walker.found
    };
    let known = config.known_subgroup_size().map(|size| size.max(1) as usize);
    let sizes = if known.is_some() { Vec::new() } else { subgroup_sizes(module, lanes) };
    let Some((&first, others)) = sizes.split_first() else { return run(known) };
    // Where the size of a subgroup matters and is not known, what holds for all of them is told.
    let mut found = run(Some(first));
    for &size in others {
        if found.is_empty() {
            break;
        }
        let also = run(Some(size));
        found.retain(|one| also.iter().any(|other| other.code == one.code && other.range == one.range));
    }
    found
}

/// The sizes that the subgroups of a shader may have that asks which one it is in; none for a shader that does not.
fn subgroup_sizes(module: &Module, lanes: usize) -> Vec<usize> {
    let mut most = 0;
    for (body, ..) in module.bodies() {
        for (_, expr) in body.exprs.iter() {
            if let ExprKind::BuiltinVariable(variable) = expr.kind {
                match extensions::variable_by_id(variable).decoration {
                    // Who asks for the number of the subgroup has several.
                    "SubgroupId" | "NumSubgroups" => {
                        return SIZES.into_iter().filter(|size| size * 2 <= lanes).collect();
                    }
                    "SubgroupLocalInvocationId" => most = lanes,
                    _ => {}
                }
            }
        }
    }
    SIZES.into_iter().filter(|size| *size <= most).collect()
}

/// Sizes of subgroups that devices have; the usual one first.
const SIZES: [usize; 4] = [32, 16, 64, 128];

/// The size of the workgroup, and whether specialization may change it. A size in x alone that is not known stands for two invocations,
/// which every workgroup with something to share has.
fn dimensions(module: &Module, config: &Configuration) -> Option<([i64; 3], bool)> {
    let size = &module.local_size;
    size.range?;
    let mut dimensions = [1; 3];
    let mut specialized = false;
    for (index, (place, dimension)) in dimensions.iter_mut().zip(&size.dims).enumerate() {
        let given = dimension.constant_id.and_then(|id| {
            let name = module.constant_with_id(id).map_or("", |global| &global.name);
            match config.given(Some(id), name) {
                Some(SpecializationValue::Int(value)) => Some(value),
                _ => None,
            }
        });
        *place = match (given, dimension.constant_id, dimension.value) {
            (Some(value), _, _) => value,
            (None, Some(_), _) if index == 0 => {
                specialized = true;
                2
            }
            (None, Some(_), _) => return None,
            (None, None, Some(value)) => match module.types.symbols.as_int(value) {
                Some(value) => value,
                None if index == 0 => {
                    specialized = true;
                    2
                }
                None => return None,
            },
            (None, None, None) => 1,
        };
    }
    let others = dimensions.iter().skip(1).all(|dimension| *dimension == 1);
    (!specialized || others).then_some((dimensions, specialized))
}

impl Walker<'_> {
    /// Begins an expression or statement, unless too much has been looked at.
    fn enter(&mut self) -> bool {
        if self.depth >= MAX_DEPTH || self.is_stopped() {
            self.stop();
            return false;
        }
        self.steps += 1;
        self.depth += 1;
        true
    }

    /// Counts work that is worth so many expressions.
    fn count(&mut self, expressions: usize) {
        self.steps = self.steps.saturating_add(u32::try_from(expressions).unwrap_or(MAX_STEPS));
    }

    fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Nothing more is found.
    fn stop(&mut self) {
        self.steps = MAX_STEPS;
    }

    fn is_stopped(&self) -> bool {
        self.steps >= MAX_STEPS
    }
}
