//! What a device says about a shader: the judgement of types, sizes and the workgroup (`coopmat_analysis::checks::target_device`), and of what
//! the module that the shader becomes needs to have enabled (VUID-VkShaderModuleCreateInfo-pCode-08740), by place of the source.
//!
//! [`judge`] decides for `check --device`, the table of portability, lenses, hovers and the page alike. A shader that is not compiled keeps
//! the rest of the judgement, and its features are not known.

mod needs;
mod profile;

use std::sync::Arc;

use coopmat_analysis::Analysis;
use coopmat_analysis::checks::target_device::{self, Judgement, Obstacle};
use coopmat_analysis::devices::DeviceProfile;
use coopmat_analysis::diagnostics::codes;
use coopmat_analysis::text::{TextRange, TextSize};
use coopmat_spirv::vulkan::Means;

use crate::kept::kept;

pub use needs::{Need, Needs};

/// What the module of an analysis needs, compiled now unless it was before.
pub fn needs(analysis: &Analysis) -> Arc<Needs> {
    kept(analysis).needs(analysis)
}

/// What a device says about a shader, whatever the configuration's own device is.
pub fn judge(analysis: &Analysis, profile: &DeviceProfile) -> Judgement {
    let mut judgement = target_device::judge(&analysis.module, &analysis.config, profile);
    let needs = needs(analysis);
    if let Some(reason) = needs.refusal() {
        judgement.unknown.push(format!("which features the shader needs: {reason}"));
    }
    features(profile, needs.list().iter(), &mut judgement);
    judgement
}

/// What a device says about the one matrix type or call of a built-in at a range of the expanded text.
pub fn judge_one(analysis: &Analysis, profile: &DeviceProfile, range: TextRange) -> Judgement {
    let mut judgement = target_device::judge_one(&analysis.module, &analysis.config, profile, range);
    let needs = needs(analysis);
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
    asked_at(&needs(analysis), range).next().is_some()
}

/// Adds what the configuration's device lacks to the diagnostics; nothing without a device.
pub fn add_diagnostics(analysis: &mut Analysis) {
    let Some(profile) = analysis.config.device_profile() else { return };
    let mut judgement = Judgement::default();
    features(&profile, needs(analysis).list().iter(), &mut judgement);
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
                    [] => format!("{}, which no version of Vulkan is known to have", need.why),
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
            Means::Feature { name, .. } => match means.shared_extension() {
                Some(extension) => format!("the feature `{name}` of {extension}"),
                None => format!("the feature `{name}`"),
            },
            other => other.to_string(),
        })
        .collect();
    words.join(" or ")
}
