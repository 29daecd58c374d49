//! On which devices a shader runs: every profile's judgement of one analysis, as a table.
//!
//! What decides is that of a target device (`coopmat_codegen::device`), asked of each profile in turn.

use coopmat_analysis::Analysis;
use coopmat_analysis::checks::target_device::{Judgement, Obstacle};
use coopmat_analysis::devices::DeviceProfile;
use coopmat_analysis::hir::Module;
use coopmat_analysis::text::FileRange;
use coopmat_analysis::types::TypeKind;
use coopmat_codegen::device;
use rustc_hash::FxHashSet;
use serde::Serialize;
use smol_str::SmolStr;

/// A row for each profile, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Portability {
    /// One for each profile that was asked.
    pub rows: Vec<Row>,
}

/// What one device says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The profile's name, by which `--device` knows it.
    pub name: String,
    /// The device's name as people say it.
    pub title: String,
    /// All in one word.
    pub verdict: Verdict,
    /// What stops the shader, in the order of the text; the first is the one to name.
    pub stops: Vec<Stop>,
    /// What the pipeline has to do, in words.
    pub conditions: Vec<String>,
    /// What the profile does not tell, in words.
    pub unknown: Vec<String>,
    /// Specialization constants on whose defaults the verdict rests.
    pub defaults: Vec<SmolStr>,
}

/// What a device makes of a shader; in JSON in kebab-case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Nothing is known that stops it.
    Accepts,
    /// Nothing stops it, but the profile does not tell everything.
    Unknown,
    /// Stopped under the defaults of specialization constants, which a pipeline may override.
    RejectsDefaults,
    /// Stopped whatever a pipeline sets.
    Rejects,
}

impl Verdict {
    /// As it stands in a table.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Accepts => "accepts",
            Verdict::Unknown => "not known",
            Verdict::RejectsDefaults => "rejects the defaults",
            Verdict::Rejects => "rejects",
        }
    }
}

/// One thing that stops a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The id of the diagnostic that a target device would get.
    pub code: &'static str,
    /// What stops it, in a file.
    pub location: FileRange,
    /// The diagnostic's words.
    pub message: String,
    /// The nearest that would pass: as few other types as possible, then the smallest change of sizes, each halving or doubling
    /// counting the same.
    pub nearest: Option<String>,
    /// Specialization constants on whose defaults this rests; empty where it holds whatever they are.
    pub defaults: Vec<SmolStr>,
}

/// What each profile says about the analysed shader, under its configuration's macros and specialization.
pub fn portability<'p>(
    analysis: &Analysis,
    profiles: impl IntoIterator<Item = &'p DeviceProfile>,
) -> Portability {
    let rows = profiles.into_iter().map(|profile| row(analysis, profile)).collect();
    Portability { rows }
}

/// Whether devices list what they have of a type: matrices, and vectors that are multiplied by matrices.
pub fn is_judged(kind: &TypeKind) -> bool {
    matches!(kind, TypeKind::Coopmat(_) | TypeKind::CoopVec(..))
}

/// Whether a shader has anything that devices differ in enough to ask: cooperative matrices, or vectors that are multiplied by matrices.
pub fn has_matrices(module: &Module) -> bool {
    let is_matrix = |definition: &coopmat_analysis::hir::Definition| match definition {
        coopmat_analysis::hir::Definition::Type(ty) => is_judged(module.types.kind(*ty)),
        _ => false,
    };
    module.bodies().any(|(body, _, _)| body.names.iter().any(|name| is_matrix(&name.definition)))
}

fn row(analysis: &Analysis, profile: &DeviceProfile) -> Row {
    let Judgement { obstacles, unknown, conditions, defaults } = device::judge(analysis, profile);
    let mut stops: Vec<Stop> =
        obstacles.into_iter().map(|obstacle| stop(analysis, profile, obstacle)).collect();
    // What holds whatever the specialization comes first.
    stops.sort_by_key(|stop| {
        (!stop.defaults.is_empty(), stop.location.file, stop.location.range.start(), stop.code)
    });
    // What stops the shader in many places is told of the first.
    let mut told = FxHashSet::default();
    stops.retain(|stop| told.insert((stop.code, stop.message.clone(), stop.defaults.is_empty())));
    let verdict = match stops.first() {
        Some(stop) if stop.defaults.is_empty() => Verdict::Rejects,
        Some(_) => Verdict::RejectsDefaults,
        None if unknown.is_empty() => Verdict::Accepts,
        None => Verdict::Unknown,
    };
    Row {
        name: profile.name.clone(),
        title: profile.title.clone(),
        verdict,
        stops,
        conditions,
        unknown,
        defaults,
    }
}

fn stop(analysis: &Analysis, profile: &DeviceProfile, obstacle: Obstacle) -> Stop {
    // The row names the device already.
    let words = obstacle.message.strip_prefix(profile.title.as_str()).map(str::trim_start);
    Stop {
        code: obstacle.code.id,
        location: analysis.file_range(obstacle.range + obstacle.base),
        message: words.map_or_else(|| obstacle.message.clone(), str::to_owned),
        nearest: obstacle.nearest,
        defaults: obstacle.defaults,
    }
}

impl Portability {
    /// How many devices accept the shader.
    pub fn accepting(&self) -> usize {
        self.count(Verdict::Accepts)
    }

    /// How many devices judge so.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.rows.iter().filter(|row| row.verdict == verdict).count()
    }

    /// One line: "runs on 4 of 12 known devices, 2 not known".
    pub fn summary(&self) -> String {
        let mut out = format!("accepted by {} of {} device profiles", self.accepting(), self.rows.len());
        let defaults = self.count(Verdict::RejectsDefaults);
        if defaults > 0 {
            let reject = if defaults == 1 { "rejects" } else { "reject" };
            out.push_str(&format!(", {defaults} {reject} the defaults of specialization constants"));
        }
        let unknown = self.count(Verdict::Unknown);
        if unknown > 0 {
            out.push_str(&format!(", {unknown} not known"));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use coopmat_analysis::config::{Configuration, ConstantKey, SpecializationValue};
    use coopmat_analysis::devices;
    use coopmat_analysis::sources::NoFiles;

    /// A device of which little is known, one with 8x16 matrices, and the measured ones.
    fn profiles() -> Vec<DeviceProfile> {
        let own = [
            r#"{"name": "little-known", "title": "Little known", "subgroupSize": {"default": 64, "min": 64, "max": 64}}"#,
            r#"{"name": "wide", "title": "Wide", "subgroupSize": {"default": 32, "min": 16, "max": 32}, "extensions": ["VK_KHR_cooperative_matrix"],
                "features": ["cooperativeMatrix", "vulkanMemoryModel", "shaderFloat16"],
                "cooperativeMatrixProperties": [
                {"MSize": 8, "NSize": 16, "KSize": 16, "AType": "float16", "BType": "float16", "CType": "float32", "ResultType": "float32", "scope": "subgroup"},
                {"MSize": 8, "NSize": 16, "KSize": 32, "AType": "sint8", "BType": "sint8", "CType": "sint32", "ResultType": "sint32", "scope": "subgroup"}]}"#,
        ];
        let own = own.iter().map(|text| DeviceProfile::parse(text).unwrap());
        let measured = ["lavapipe", "nvidia-h200"].map(|name| (*devices::find(name).unwrap()).clone());
        own.chain(measured).collect()
    }

    fn check(config: &Configuration, size: u32, body: &str, expected: Expect) {
        let text = format!(
            "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = {size}) in;
layout(constant_id = 0) const uint TM = 4;
void main() {{
{body}
}}
"
        );
        let analysis = coopmat_analysis::analyze("x.comp", text.as_str().into(), config, &NoFiles, None);
        let profiles = profiles();
        let table = portability(&analysis, &profiles);
        let mut out = format!("{}\n", table.summary());
        for row in &table.rows {
            out.push_str(&format!("{}: {}\n", row.name, row.verdict.name()));
            for stop in &row.stops {
                let before = &text[..stop.location.range.start().into()];
                let line = before.matches('\n').count() + 1;
                let nearest =
                    stop.nearest.as_deref().map_or(String::new(), |text| format!("; nearest {text}"));
                let rests = if stop.defaults.is_empty() {
                    String::new()
                } else {
                    format!(" [{}]", stop.defaults.join(", "))
                };
                out.push_str(&format!("  {line}: {}{nearest}{rests}\n", stop.message));
            }
            for line in row.conditions.iter().chain(&row.unknown) {
                out.push_str(&format!("  - {line}\n"));
            }
        }
        expected.assert_eq(&out);
    }

    const PRODUCT: &str = "    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c;
    c = coopMatMulAdd(a, b, c);";

    #[test]
    fn each_device_says_what_stops_the_shader_and_what_would_pass() {
        check(
            &Configuration::default(),
            32,
            PRODUCT,
            expect![[r#"
                accepted by 2 of 4 device profiles
                little-known: rejects
                  5: has subgroups of 64, and local_size_x = 32 is not a multiple of that: a shader with cooperative matrices needs whole subgroups in x; nearest local_size_x = 64
                  - which matrix types it supports
                  - which multiply-adds it supports
                  - whether it has the feature `cooperativeMatrix`, the feature `shaderFloat16` or VK_AMD_gpu_shader_half_float, the feature `vulkanMemoryModel`
                wide: rejects
                  8: has no 16x16 matrix of float16_t with use A and this scope; nearest 8x16
                  10: has no 16x16 matrix of float with use Accumulator and this scope; nearest 8x16
                  11: has no multiply-add of M = 16, N = 16, K = 16 with A float16_t, B float16_t, C float in this scope; nearest 8x16x16
                lavapipe: accepts
                nvidia-h200: accepts
            "#]],
        );
    }

    #[test]
    fn sizes_of_specialization_constants_are_their_defaults_until_they_are_given() {
        let body = PRODUCT
            .replace("16, 16, gl_MatrixUseA>", "TM, 16, gl_MatrixUseA>")
            .replace("16, 16, gl_MatrixUseAccumulator", "TM, 16, gl_MatrixUseAccumulator");
        check(
            &Configuration::default(),
            32,
            &body,
            expect![[r#"
                accepted by 0 of 4 device profiles, 3 reject the defaults of specialization constants
                little-known: rejects
                  5: has subgroups of 64, and local_size_x = 32 is not a multiple of that: a shader with cooperative matrices needs whole subgroups in x; nearest local_size_x = 64
                  - which matrix types it supports
                  - which multiply-adds it supports
                  - whether it has the feature `cooperativeMatrix`, the feature `shaderFloat16` or VK_AMD_gpu_shader_half_float, the feature `vulkanMemoryModel`
                wide: rejects the defaults
                  8: has no 4x16 matrix of float16_t with use A and this scope; nearest 8x16 [TM]
                  10: has no 4x16 matrix of float with use Accumulator and this scope; nearest 8x16 [TM]
                  11: has no multiply-add of M = 4, N = 16, K = 16 with A float16_t, B float16_t, C float in this scope; nearest 8x16x16 [TM]
                lavapipe: rejects the defaults
                  8: has no 4x16 matrix of float16_t with use A and this scope; nearest 8x16 [TM]
                  10: has no 4x16 matrix of float with use Accumulator and this scope; nearest 8x16 [TM]
                  11: has no multiply-add of M = 4, N = 16, K = 16 with A float16_t, B float16_t, C float in this scope; nearest 8x16x16 [TM]
                nvidia-h200: rejects the defaults
                  8: has no 4x16 matrix of float16_t with use A and this scope; nearest 16x16 [TM]
                  10: has no 4x16 matrix of float with use Accumulator and this scope; nearest 16x16 [TM]
                  11: has no multiply-add of M = 4, N = 16, K = 16 with A float16_t, B float16_t, C float in this scope; nearest 16x16x16 [TM]
            "#]],
        );
        let given = Configuration {
            specialization: vec![(ConstantKey::Id(0), SpecializationValue::Int(8))],
            ..Configuration::default()
        };
        check(
            &given,
            32,
            &body,
            expect![[r#"
                accepted by 2 of 4 device profiles
                little-known: rejects
                  5: has subgroups of 64, and local_size_x = 32 is not a multiple of that: a shader with cooperative matrices needs whole subgroups in x; nearest local_size_x = 64
                  - which matrix types it supports
                  - which multiply-adds it supports
                  - whether it has the feature `cooperativeMatrix`, the feature `shaderFloat16` or VK_AMD_gpu_shader_half_float, the feature `vulkanMemoryModel`
                wide: accepts
                lavapipe: accepts
                nvidia-h200: rejects
                  8: has no 8x16 matrix of float16_t with use A and this scope; nearest 16x16
                  10: has no 8x16 matrix of float with use Accumulator and this scope; nearest 16x16
                  11: has no multiply-add of M = 8, N = 16, K = 16 with A float16_t, B float16_t, C float in this scope; nearest 16x16x16
            "#]],
        );
    }

    #[test]
    fn a_width_that_some_subgroup_sizes_divide_is_a_condition() {
        check(
            &Configuration::default(),
            16,
            "    coopmat<float16_t, gl_ScopeSubgroup, 8, 16, gl_MatrixUseA> a;",
            expect![[r#"
                accepted by 2 of 4 device profiles
                little-known: rejects
                  5: has subgroups of 64, and local_size_x = 16 is not a multiple of that: a shader with cooperative matrices needs whole subgroups in x; nearest local_size_x = 64
                  - which matrix types it supports
                  - whether it has the feature `cooperativeMatrix`, the feature `shaderFloat16` or VK_AMD_gpu_shader_half_float, the feature `vulkanMemoryModel`
                wide: accepts
                  - local_size_x = 16 needs subgroups of 16 or less (VkPipelineShaderStageRequiredSubgroupSizeCreateInfo), and its default is 32
                lavapipe: accepts
                nvidia-h200: rejects
                  5: has subgroups of 32, and local_size_x = 16 is not a multiple of that: a shader with cooperative matrices needs whole subgroups in x; nearest local_size_x = 32
                  8: has no 8x16 matrix of float16_t with use A and this scope; nearest 16x16
            "#]],
        );
    }
}
