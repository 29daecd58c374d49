//! What the language offers at each point of the text: its version, and the extensions that `#extension` lines have enabled.

use crate::config::Stage;
use crate::extensions::{
    self, BuiltinConstant, BuiltinFunction, BuiltinType, BuiltinVariable, Change, ExtensionId,
};
use crate::hir::{ExtensionBehavior, ExtensionState, Profile};
use crate::text::{TextRange, TextSize};

use super::prelude::Prelude;

/// Version, stage and extensions in force. The latter change along the text: `advance` follows it.
#[derive(Debug, Default)]
pub struct Environment {
    /// Of the `#version` line.
    pub version: u32,
    /// Of the `#version` line.
    pub profile: Profile,
    /// `None` where it is not known: everything counts as being there.
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
    /// Lowest version of the core and compatibility profiles in which it needs no extension; `u32::MAX` for
    /// none.
    pub min_version: u32,
    /// The same for the ES profile.
    pub min_es_version: u32,
    /// Stages that have it, as a mask of `1 << Stage as u32`; 0 for all.
    pub stages: u32,
}

/// Whether a built-in may be used at a place, and what is missing when not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    /// By the version, or by an extension that is enabled.
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

/// The stages of a built-in: its own, else those of the extensions that bring it, where nothing else does; 0 for all.
fn stages(own: u32, providers: &[ExtensionId], min_version: u32, min_es_version: u32) -> u32 {
    if own != 0 || min_version != u32::MAX || min_es_version != u32::MAX {
        return own;
    }
    let mut all = 0;
    for &provider in providers {
        match extensions::extension_by_id(provider).stages {
            0 => return 0,
            stages => all |= stages,
        }
    }
    all
}

impl From<&'static BuiltinFunction> for Requirement {
    fn from(function: &'static BuiltinFunction) -> Self {
        Requirement {
            providers: function.providers,
            needs: function.needs,
            min_version: function.min_version,
            min_es_version: function.min_es_version,
            stages: stages(
                function.stages,
                function.providers,
                function.min_version,
                function.min_es_version,
            ),
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
            stages: stages(
                variable.stages,
                variable.providers,
                variable.min_version,
                variable.min_es_version,
            ),
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
            stages: stages(0, constant.providers, constant.min_version, constant.min_es_version),
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
            stages: stages(0, ty.providers, ty.min_version, ty.min_es_version),
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
    /// As it is in front of the first `#extension` line.
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

    /// Whether an extension may be used here, `warn` included.
    pub fn enabled(&self, id: ExtensionId) -> bool {
        self.behavior(id).is_some()
    }

    /// Whether an extension is named anywhere in the text.
    pub fn named(&self, id: ExtensionId) -> bool {
        self.states.iter().any(|state| state.extension == Some(id))
    }

    /// Whether an extension is enabled that the tables do not name: whatever is not known may be its own.
    pub fn has_unknown_extension(&self) -> bool {
        self.applied().iter().any(|state| {
            state.extension.is_none()
                && extensions::is_extension_name(&state.name)
                && state.behavior != ExtensionBehavior::Disable
        })
    }

    /// Whether an extension is named that is not analysed and changes this about the language, or one that the tables do not name.
    pub fn may_change(&self, what: Change) -> bool {
        self.has_unknown_extension()
            || self.states.iter().any(|state| {
                state.behavior != ExtensionBehavior::Disable
                    && state
                        .extension
                        .is_some_and(|id| extensions::extension_by_id(id).changes.contains(&what))
            })
    }

    /// Whether an extension that is enabled brings an attribute.
    pub(super) fn has_attribute(&self, name: &str) -> bool {
        self.applied()
            .iter()
            .filter_map(|state| state.extension)
            .any(|id| self.enabled(id) && extensions::extension_by_id(id).attributes.contains(&name))
    }

    /// Whether the `#version` line says `es`.
    pub(crate) fn is_es(&self) -> bool {
        self.profile == Profile::Es
    }

    /// Whether something with these needs may be used here. The stage is looked at first, then what is needed
    /// besides, then version and providers.
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
