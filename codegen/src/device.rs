//! What a device says about a shader: the judgement of types, sizes and the workgroup (`coopmat_analysis::checks::target_device`), and of what
//! the module that the shader becomes needs to have enabled (VUID-VkShaderModuleCreateInfo-pCode-08740), by place of the source.
//!
//! [`judge`] decides for `check --device`, the table of portability, lenses, hovers and the page alike. A shader that is not compiled keeps
//! the rest of the judgement, and its features are not known.

mod profile;

use std::sync::Arc;

use coopmat_analysis::Analysis;
use coopmat_analysis::checks::target_device::{self, Judgement, Obstacle};
use coopmat_analysis::devices::DeviceProfile;
use coopmat_analysis::diagnostics::codes;
use coopmat_analysis::text::{TextRange, TextSize};
use coopmat_spirv::vulkan::{self, Cause, Means};

use crate::{Compiled, Options, compile};

/// Something that a shader's module needs of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    /// Any of these will do.
    pub any: Vec<Means>,
    /// What asks, as the end of a sentence.
    pub why: String,
    /// The places of the expanded text that ask, the first one first. Never none.
    pub places: Vec<TextRange>,
}

/// What a shader's module needs.
#[derive(Clone, Debug)]
pub struct Needs(Result<Vec<Need>, String>);

impl Needs {
    /// Compiled now unless it was before.
    pub fn of(analysis: &Analysis) -> Arc<Needs> {
        analysis.beside.get_or_init(|| match compile(analysis, &Options::default()) {
            Ok(compiled) => Needs(Ok(of_module(analysis, &compiled))),
            Err(errors) => {
                let first = errors.into_iter().next().map(|error| error.message);
                Needs(Err(first.unwrap_or_else(|| "the shader is not compiled".to_owned())))
            }
        })
    }

    /// Nothing where the shader is not compiled.
    pub fn list(&self) -> &[Need] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Why nothing is known.
    pub fn refusal(&self) -> Option<&str> {
        self.0.as_ref().err().map(String::as_str)
    }
}

fn of_module(analysis: &Analysis, compiled: &Compiled) -> Vec<Need> {
    let mut found: Vec<Need> = Vec::new();
    for need in vulkan::needs(&compiled.module, None) {
        let mut places: Vec<TextRange> = match &need.cause {
            Cause::Capability(capability) => compiled.map.askers().of(*capability).to_vec(),
            Cause::Instruction(_) => {
                need.instructions.iter().filter_map(|index| compiled.map.expanded(*index)).collect()
            }
            Cause::ExecutionMode(..) => analysis.module.local_size.range.into_iter().collect(),
            Cause::UnknownCapability(_) => Vec::new(),
        };
        if places.is_empty() {
            places.push(entry_point(analysis));
        }
        // What one feature lets be declared together is needed once.
        match found.iter_mut().find(|known| known.any == need.any && !need.any.is_empty()) {
            Some(known) => known.places.extend(places),
            None => found.push(Need { any: need.any, why: need.cause.describe(), places }),
        }
    }
    found
}

/// What nothing else in the text asks for.
fn entry_point(analysis: &Analysis) -> TextRange {
    let mut functions = analysis.module.functions.iter();
    let main = functions.find(|(_, function)| function.name == "main" && function.body.is_some());
    main.map(|(_, function)| function.name_range).unwrap_or_default()
}

/// What a device says about a shader, whatever the configuration's own device is.
pub fn judge(analysis: &Analysis, profile: &DeviceProfile) -> Judgement {
    let mut judgement = target_device::judge(&analysis.module, &analysis.config, profile);
    let needs = Needs::of(analysis);
    if let Some(reason) = needs.refusal() {
        judgement.unknown.push(format!("which features the shader needs: {reason}"));
    }
    features(profile, needs.list().iter(), &mut judgement);
    judgement
}

/// What a device says about the one matrix type or call of a built-in at a range of the expanded text.
pub fn judge_one(analysis: &Analysis, profile: &DeviceProfile, range: TextRange) -> Judgement {
    let mut judgement = target_device::judge_one(&analysis.module, &analysis.config, profile, range);
    let needs = Needs::of(analysis);
    features(profile, asked_at(&needs, range), &mut judgement);
    judgement
}

/// What is needed for what stands at a range.
fn asked_at(needs: &Needs, range: TextRange) -> impl Iterator<Item = &Need> {
    let within = move |need: &&Need| need.places.iter().any(|place| range.contains_range(*place));
    needs.list().iter().filter(within)
}

/// Whether anything at a range needs what some devices lack.
pub fn asks_at(analysis: &Analysis, range: TextRange) -> bool {
    asked_at(&Needs::of(analysis), range).next().is_some()
}

/// Adds what the configuration's device lacks to the diagnostics; nothing without a device.
pub fn add_diagnostics(analysis: &mut Analysis) {
    let Some(profile) = analysis.config.device_profile() else { return };
    let mut judgement = Judgement::default();
    features(&profile, Needs::of(analysis).list().iter(), &mut judgement);
    analysis.add(judgement.obstacles.into_iter().map(Obstacle::into_found));
}

fn features<'n>(profile: &DeviceProfile, needs: impl Iterator<Item = &'n Need>, judgement: &mut Judgement) {
    let device = if profile.title.is_empty() { &profile.name } else { &profile.title };
    let mut unknown: Vec<String> = Vec::new();
    for need in needs {
        match profile::has_any(profile, &need.any) {
            Some(true) => {}
            None => {
                let what = match need.any.as_slice() {
                    [] => format!("{}, of which Vulkan is not known to have any", need.why),
                    any => alternatives(any),
                };
                if !unknown.contains(&what) {
                    unknown.push(what);
                }
            }
            Some(false) => judgement.obstacles.push(Obstacle {
                code: &codes::DEVICE_FEATURE,
                range: need.places.first().copied().unwrap_or_default(),
                base: TextSize::new(0),
                function: None,
                message: format!(
                    "{device} does not have {}, required by {}",
                    alternatives(&need.any),
                    need.why
                ),
                alternatives: None,
                nearest: None,
                defaults: Vec::new(),
            }),
        }
    }
    if !unknown.is_empty() {
        judgement.unknown.push(format!("whether it has {}", unknown.join(", ")));
    }
}

/// `the feature `a``, or what else will do.
fn alternatives(any: &[Means]) -> String {
    let words: Vec<String> = any
        .iter()
        .map(|means| match means {
            Means::Feature { name, .. } => format!("the feature `{name}`"),
            other => other.to_string(),
        })
        .collect();
    words.join(" or ")
}
