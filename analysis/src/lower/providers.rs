//! Whether a built-in that is used here is there: what is missing is reported, and what to do about it.

use crate::config::Stage;
use crate::diagnostics::{Severity, codes};
use crate::extensions;
use crate::text::TextRange;

use super::Lowerer;
use super::environment::{Availability, Requirement};
use super::gates::not_analysed;

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
            self.check_target_version(name, &requirement, range);
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
                let extension = extensions::extension_by_id(provider);
                self.report(
                    &codes::EXTENSION_USED,
                    range,
                    format!("`{name}` uses {}, whose behavior is `warn`", extension.name),
                );
                // `#extension all : warn` has no line that names what is not analysed.
                if !self.environment.named(provider) && !extension.is_analysed_in(self.environment.stage) {
                    self.report(&codes::NOT_ANALYSED, range, not_analysed(extension));
                }
            }
            Availability::MissingExtension => {
                let message = missing_extension(name, &requirement);
                // Extensions that are not described may bring it, too.
                let severity = if self.environment.has_unknown_extension() {
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
                self.report(
                    &codes::MISSING_VERSION,
                    range,
                    format!("`{name}` is not available in {profile}"),
                );
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
                        "`{name}` needs `#version {needed}{suffix}` or later{or}, but this shader has {version}"
                    ),
                    Vec::new(),
                );
            }
            Availability::OtherStage => {
                let stage = self.environment.stage.map_or("this", Stage::name);
                self.report(
                    &codes::WRONG_STAGE,
                    range,
                    format!("`{name}` is not available in {stage} shaders"),
                );
            }
        }
    }
}

impl Lowerer<'_> {
    /// Reports a built-in that no module of the target's version of Vulkan can have, once for each name in a body.
    fn check_target_version(&mut self, name: &'static str, requirement: &Requirement, range: TextRange) {
        let target = self.config.target_env;
        let core =
            if self.environment.is_es() { requirement.min_es_version } else { requirement.min_version };
        if core <= self.environment.version {
            return;
        }
        let enabled = requirement.providers.iter().filter(|&&provider| self.environment.enabled(provider));
        let lowest = enabled.map(|&provider| extensions::extension_by_id(provider).min_vulkan).min();
        let Some(lowest) = lowest.filter(|&lowest| lowest > target.minor()) else { return };
        if self.reported.contains(&name) {
            return;
        }
        self.reported.push(name);
        self.report(
            &codes::TARGET_VERSION,
            range,
            format!("`{name}` needs Vulkan 1.{lowest}, but the target is {target}: choose vulkan1.{lowest} or later"),
        );
    }
}

fn missing_extension(name: &str, requirement: &Requirement) -> String {
    let providers: Vec<&str> =
        requirement.providers.iter().map(|&provider| extensions::extension_by_id(provider).name).collect();
    match providers.as_slice() {
        [one] => format!("`{name}` is provided by {one}: add `#extension {one} : require`"),
        [first, others @ ..] => format!(
            "`{name}` is provided by extensions: add `#extension {first} : require` (or {})",
            others.join(", ")
        ),
        [] => format!("`{name}` is not available here"),
    }
}
