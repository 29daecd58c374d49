//! What the language offers at each point of the text: its version, and the extensions that `#extension` lines have enabled.

use crate::config::Stage;
use crate::diagnostics::{Severity, codes};
use crate::extensions::{
    self, BuiltinConstant, BuiltinFunction, BuiltinType, BuiltinVariable, Extension, ExtensionId,
};
use crate::hir::{ExtensionBehavior, ExtensionState, Profile};
use crate::text::{TextRange, TextSize};

use super::{Lowerer, Prelude};

/// Version, stage and extensions in force. The latter change along the text: `advance` follows it.
#[derive(Debug, Default)]
pub struct Environment {
    pub version: u32,
    pub profile: Profile,
    pub stage: Option<Stage>,
    states: Vec<ExtensionState>,
    /// The behaviour of each extension at `position`, by id.
    behaviors: Vec<Option<ExtensionBehavior>>,
    /// How many of `states` are applied.
    applied: usize,
    /// Where the next change lies.
    until: TextSize,
}

/// What a built-in needs.
#[derive(Clone, Copy, Debug)]
pub struct Requirement {
    /// Any of these.
    pub providers: &'static [ExtensionId],
    /// All of these.
    pub needs: &'static [ExtensionId],
    pub min_version: u32,
    pub min_es_version: u32,
    pub stages: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    Available,
    /// By an extension whose behaviour is `warn`.
    Warned(ExtensionId),
    /// No provider is enabled.
    MissingExtension,
    /// This extension has to be enabled as well.
    MissingNeed(ExtensionId),
    /// The core language has it from this version on.
    MissingVersion(u32),
    /// It exists in other stages.
    OtherStage,
}

impl From<&'static BuiltinFunction> for Requirement {
    fn from(function: &'static BuiltinFunction) -> Self {
        Requirement {
            providers: function.providers,
            needs: function.needs,
            min_version: function.min_version,
            min_es_version: function.min_es_version,
            stages: function.stages,
        }
    }
}

impl From<&'static BuiltinVariable> for Requirement {
    fn from(variable: &'static BuiltinVariable) -> Self {
        Requirement {
            providers: variable.providers,
            needs: &[],
            min_version: variable.min_version,
            min_es_version: variable.min_es_version,
            stages: variable.stages,
        }
    }
}

impl From<&'static BuiltinConstant> for Requirement {
    fn from(constant: &'static BuiltinConstant) -> Self {
        Requirement {
            providers: constant.providers,
            needs: &[],
            min_version: constant.min_version,
            min_es_version: constant.min_es_version,
            stages: 0,
        }
    }
}

impl From<&'static BuiltinType> for Requirement {
    fn from(ty: &'static BuiltinType) -> Self {
        Requirement {
            providers: ty.providers,
            needs: &[],
            min_version: ty.min_version,
            min_es_version: ty.min_es_version,
            stages: 0,
        }
    }
}

impl Availability {
    /// Whether it may be used, perhaps with a warning.
    pub fn is_available(self) -> bool {
        matches!(self, Availability::Available | Availability::Warned(_))
    }
}

impl Environment {
    pub fn new(prelude: &Prelude) -> Environment {
        let mut environment = Environment {
            version: prelude.version,
            profile: prelude.profile,
            stage: prelude.stage,
            states: prelude.extensions.clone(),
            ..Environment::default()
        };
        environment.rewind();
        environment
    }

    fn rewind(&mut self) {
        self.behaviors.clear();
        self.behaviors.resize(extensions::all_extensions().len(), None);
        self.applied = 0;
        self.until = self.states.first().map_or(TextSize::new(u32::MAX), |state| state.from);
    }

    /// Applies the `#extension` lines before `offset` of the expanded text; going back is allowed and slow.
    pub fn advance(&mut self, offset: TextSize) {
        if let Some(last) = self.applied.checked_sub(1).and_then(|index| self.states.get(index))
            && last.from > offset
        {
            self.rewind();
        }
        while self.until <= offset {
            let Some(state) = self.states.get(self.applied).cloned() else { break };
            self.applied += 1;
            self.until = self.states.get(self.applied).map_or(TextSize::new(u32::MAX), |state| state.from);
            self.apply(&state);
        }
    }

    /// Whether no `#extension` line follows.
    pub fn is_settled(&self) -> bool {
        self.applied == self.states.len()
    }

    /// The `#extension` lines in force.
    pub(super) fn applied(&self) -> &[ExtensionState] {
        self.states.get(..self.applied).unwrap_or_default()
    }

    /// Whether an `#extension` line lies in `range`, other than at its start.
    pub(super) fn changes_inside(&self, range: TextRange) -> bool {
        self.states.iter().any(|state| state.from > range.start() && state.from < range.end())
    }

    fn apply(&mut self, state: &ExtensionState) {
        let behavior = match state.behavior {
            ExtensionBehavior::Disable => None,
            behavior => Some(behavior),
        };
        if state.name == "all" {
            // Only `warn` and `disable` are allowed for all.
            self.behaviors.fill(behavior);
        } else if let Some(id) = state.extension {
            self.set(id, behavior, 0);
        }
    }

    fn set(&mut self, id: ExtensionId, behavior: Option<ExtensionBehavior>, depth: u32) {
        let Some(slot) = self.behaviors.get_mut(usize::from(id.0)) else { return };
        *slot = behavior;
        // What comes along; the depth bounds a circle in the tables.
        if depth < 8 && behavior.is_some() {
            for &other in extensions::extension_by_id(id).enables {
                if self.behavior(other).is_none() {
                    self.set(other, behavior, depth + 1);
                }
            }
        }
    }

    /// The behaviour that is in force for an extension, `None` when it is not enabled.
    pub fn behavior(&self, id: ExtensionId) -> Option<ExtensionBehavior> {
        self.behaviors.get(usize::from(id.0)).copied().flatten()
    }

    pub fn enabled(&self, id: ExtensionId) -> bool {
        self.behavior(id).is_some()
    }

    /// Whether an extension is named anywhere in the text.
    pub fn named(&self, id: ExtensionId) -> bool {
        self.states.iter().any(|state| state.extension == Some(id))
    }

    /// Whether an extension is enabled that the tables do not describe, so that names may come from it.
    pub fn knows_little(&self) -> bool {
        self.applied().iter().any(|state| match state.extension {
            Some(id) => !extensions::extension_by_id(id).analysed,
            None => state.name != "all",
        })
    }

    pub fn is_es(&self) -> bool {
        self.profile == Profile::Es
    }

    pub fn availability(&self, requirement: &Requirement) -> Availability {
        if let Some(stage) = self.stage
            && requirement.stages != 0
            && requirement.stages & (1 << stage as u32) == 0
        {
            return Availability::OtherStage;
        }
        if let Some(&need) = requirement.needs.iter().find(|&&need| !self.enabled(need)) {
            return Availability::MissingNeed(need);
        }
        let needed = if self.is_es() { requirement.min_es_version } else { requirement.min_version };
        if needed != u32::MAX && needed <= self.version {
            return Availability::Available;
        }
        if requirement.providers.is_empty() {
            return Availability::MissingVersion(needed);
        }
        let mut warned = None;
        for &provider in requirement.providers {
            match self.behavior(provider) {
                Some(ExtensionBehavior::Warn) => warned = Some(provider),
                Some(_) => return Availability::Available,
                None => {}
            }
        }
        match warned {
            Some(provider) => Availability::Warned(provider),
            None if needed != u32::MAX => Availability::MissingVersion(needed),
            None => Availability::MissingExtension,
        }
    }
}

/// A gate that an `#extension` line does not pass.
#[derive(Clone, Debug)]
pub struct GateProblem {
    /// Index into `Prelude::extensions`.
    pub state: usize,
    pub code: &'static crate::diagnostics::Code,
    pub message: String,
}

/// The version and dependency gates of each enabled extension, and which of them are not analysed. Compilers are lax about gates, so
/// they are warnings.
pub fn extension_gates(prelude: &Prelude) -> Vec<GateProblem> {
    let mut problems = Vec::new();
    let mut environment = Environment::new(prelude);
    environment.advance(TextSize::new(u32::MAX));
    for (state_index, state) in prelude.extensions.iter().enumerate() {
        let Some(id) = state.extension else { continue };
        if matches!(state.behavior, ExtensionBehavior::Disable) {
            continue;
        }
        let extension = extensions::extension_by_id(id);
        if !extension.analysed {
            let message = format!(
                "not analysed: {}; what depends on it is neither checked nor reported",
                extension.name
            );
            problems.push(GateProblem { state: state_index, code: &codes::NOT_ANALYSED, message });
            continue;
        }
        if let Some(message) = version_problem(extension, prelude) {
            problems.push(GateProblem { state: state_index, code: &codes::EXTENSION_VERSION, message });
        }
        for choice in extension.requires {
            if let Some(first) = choice.first()
                && !choice.iter().any(|&extension| environment.enabled(extension))
            {
                let message = format!(
                    "{} requires {}: add `#extension {} : require`",
                    extension.name,
                    extensions::names_of(choice, " or "),
                    first.name()
                );
                problems.push(GateProblem {
                    state: state_index,
                    code: &codes::EXTENSION_DEPENDENCY,
                    message,
                });
            }
        }
    }
    problems
}

fn version_problem(extension: &Extension, prelude: &Prelude) -> Option<String> {
    let (needed, suffix) = match prelude.profile {
        Profile::Es => (extension.min_es_version, " es"),
        _ => (extension.min_version, ""),
    };
    match needed {
        Some(needed) if prelude.version < needed => Some(format!(
            "{} is written against `#version {needed}{suffix}`, this shader has `#version {}{suffix}`",
            extension.name, prelude.version
        )),
        _ => None,
    }
}

impl Lowerer<'_> {
    /// Reports when a built-in is not available here, once for each name in a body (each call, when its types are the reason), and naming what to do; its meaning is
    /// taken all the same, so that nothing follows from it.
    pub fn provider_check(
        &mut self,
        name: &'static str,
        requirement: impl Into<Requirement>,
        range: TextRange,
    ) {
        let requirement = requirement.into();
        let availability = self.environment.availability(&requirement);
        if availability == Availability::Available {
            return;
        }
        // Which types need an extension differs from call to call.
        if !matches!(availability, Availability::MissingNeed(_)) {
            if self.reported.contains(&name) {
                return;
            }
            self.reported.push(name);
        }
        match availability {
            Availability::Available => {}
            Availability::Warned(provider) => {
                let extension = extensions::extension_by_id(provider).name;
                self.report(
                    &codes::EXTENSION_USED,
                    range,
                    format!("`{name}` uses {extension}, whose behavior is `warn`"),
                );
            }
            Availability::MissingExtension => {
                let message = missing_extension(name, &requirement);
                // Extensions that are not described may bring it, too.
                let severity = if self.environment.knows_little() {
                    Severity::Hint
                } else {
                    codes::MISSING_EXTENSION.severity
                };
                self.report_as(&codes::MISSING_EXTENSION, severity, range, message, Vec::new());
            }
            Availability::MissingNeed(need) => {
                let extension = extensions::extension_by_id(need).name;
                self.report(
                    &codes::MISSING_EXTENSION,
                    range,
                    format!(
                        "`{name}` needs {extension} for these types: add `#extension {extension} : require`"
                    ),
                );
            }
            Availability::MissingVersion(u32::MAX) => {
                let profile = if self.environment.is_es() { "GLSL ES" } else { "desktop GLSL" };
                self.report(&codes::MISSING_VERSION, range, format!("`{name}` does not exist in {profile}"));
            }
            Availability::MissingVersion(needed) => {
                let suffix = if self.environment.is_es() { " es" } else { "" };
                let version = self.environment.version;
                let or = match requirement.providers.first() {
                    Some(&provider) => {
                        format!(", or `#extension {} : require`", extensions::extension_by_id(provider).name)
                    }
                    None => String::new(),
                };
                // Compilers for Vulkan raise low versions by themselves, so a version that is too low is no error for certain.
                self.report_as(
                    &codes::MISSING_VERSION,
                    Severity::Warning,
                    range,
                    format!(
                        "`{name}` needs `#version {needed}{suffix}` or later{or}: this shader has {version}"
                    ),
                    Vec::new(),
                );
            }
            Availability::OtherStage => {
                let stage = self.environment.stage.map_or("this", Stage::name);
                self.report(
                    &codes::WRONG_STAGE,
                    range,
                    format!("`{name}` does not exist in {stage} shaders"),
                );
            }
        }
    }
}

fn missing_extension(name: &str, requirement: &Requirement) -> String {
    let providers: Vec<&str> =
        requirement.providers.iter().map(|&provider| extensions::extension_by_id(provider).name).collect();
    match providers.as_slice() {
        [one] => format!("`{name}` is provided by {one}: add `#extension {one} : require`"),
        [first, others @ ..] => format!(
            "`{name}` is provided by an extension: add `#extension {first} : require` (or {})",
            others.join(", ")
        ),
        [] => format!("`{name}` is not available here"),
    }
}
