//! On which devices a shader runs, for editors: a table, a line over the entry point, and what hovers say about one type or
//! multiply-add.

mod verdicts;

use std::fmt::Write as _;

use super::Cursor;
use coopmat_analysis::Analysis;
use coopmat_analysis::devices::{self, DeviceProfile};
use coopmat_analysis::extensions::{self, Rule};
use coopmat_analysis::hir::{Callee, Const, Definition, ExprKind};
use coopmat_analysis::text::{FileRange, TextRange};
use coopmat_codegen::device;
use rustc_hash::FxHashSet;

use verdicts::is_judged;
pub use verdicts::{Portability, Row, Stop, Verdict, has_matrices, portability};

/// The profiles that are asked: the configuration's own first, then all that come along.
pub fn profiles(analysis: &Analysis) -> Vec<&DeviceProfile> {
    let own = analysis.config.profile.as_deref();
    let builtin = devices::builtin().iter().map(|profile| &**profile);
    own.into_iter().chain(builtin.filter(|profile| own.is_none_or(|own| own.name != profile.name))).collect()
}

/// What every profile says.
pub fn table(analysis: &Analysis) -> Portability {
    portability(analysis, profiles(analysis))
}

/// What a lens over the entry point says of devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// The table in one line.
    Summary(String),
    /// That no device takes the defaults of specialization constants: values that nobody runs, of which there is nothing else to say.
    Defaults(String),
}

/// The words of a lens over the entry point. `None` without matrices, and with a target device.
pub fn lens(analysis: &Analysis) -> Option<Told> {
    if analysis.config.device_profile().is_some() || !has_matrices(&analysis.module) {
        return None;
    }
    let table = table(analysis);
    Some(match untaken_defaults(analysis, &table) {
        Some(values) => {
            Told::Defaults(format!("no device profile accepts the defaults {values}: choose other values"))
        }
        None => Told::Summary(table.summary()),
    })
}

/// The defaults that stop devices where none accepts the shader: `TM = 4, TN = 2`.
fn untaken_defaults(analysis: &Analysis, table: &Portability) -> Option<String> {
    if table.accepting() > 0 || table.count(Verdict::RejectsDefaults) == 0 {
        return None;
    }
    let stops =
        table.rows.iter().filter(|row| row.verdict == Verdict::RejectsDefaults).flat_map(|row| &row.stops);
    let names: FxHashSet<&str> = stops.flat_map(|stop| &stop.defaults).map(|name| name.as_str()).collect();
    let named = analysis.module.globals.iter().filter(|(_, global)| names.contains(&*global.name));
    let values: Vec<String> = named
        .filter_map(|(_, global)| match global.default.as_ref()? {
            Const::Int(value) => Some(format!("{} = {value}", global.name)),
            Const::Bool(value) => Some(format!("{} = {value}", global.name)),
            _ => None,
        })
        .collect();
    (!values.is_empty()).then(|| values.join(", "))
}

/// What a hover says about devices: over a matrix type, a multiply-add, a call that some devices lack a feature for, and the entry point.
/// Nothing with a target device, whose word is a diagnostic.
pub(super) fn hover(cursor: &Cursor<'_>, range: TextRange, definition: &Definition) -> Option<String> {
    let analysis = cursor.analysis;
    if analysis.config.device_profile().is_some() {
        return None;
    }
    match definition {
        Definition::Type(ty) if is_judged(analysis.module.types.kind(*ty)) => Some(one(analysis, range)),
        Definition::BuiltinFunction(id) => {
            let call = cursor.expressions().into_iter().find_map(|(_, expr)| match &expr.kind {
                ExprKind::Call { callee: Callee::Builtin(callee), .. } if callee == id => Some(expr.range),
                _ => None,
            })?;
            let call = call + cursor.base;
            let rule = extensions::function(*id).rule;
            let is_listed =
                matches!(rule, Some(Rule::CoopMatMulAdd | Rule::CoopVecMatMul | Rule::CoopVecAccumulate));
            let told = is_listed || is_lacked(analysis, call);
            told.then(|| one(analysis, call))
        }
        Definition::Function(id)
            if Some(*id) == analysis.module.entry_point() && has_matrices(&analysis.module) =>
        {
            Some(markdown(analysis, &table(analysis)))
        }
        _ => None,
    }
}

/// Whether some device lacks what stands at a range of the expanded text.
fn is_lacked(analysis: &Analysis, range: TextRange) -> bool {
    let lacks = |profile: &&DeviceProfile| !device::judge_one(analysis, profile, range).obstacles.is_empty();
    device::asks_at(analysis, range) && profiles(analysis).iter().any(lacks)
}

/// Devices by what they say about the type or call at a range of the expanded text.
fn one(analysis: &Analysis, range: TextRange) -> String {
    let (mut accepting, mut rejecting, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    for profile in profiles(analysis) {
        let judgement = device::judge_one(analysis, profile, range);
        match judgement.obstacles.into_iter().next() {
            Some(obstacle) => {
                let nearest =
                    obstacle.nearest.map_or(String::new(), |nearest| format!(" (nearest: {nearest})"));
                rejecting.push(format!("`{}`{nearest}", profile.name));
            }
            None if judgement.unknown.is_empty() => accepting.push(format!("`{}`", profile.name)),
            None => unknown.push(format!("`{}`", profile.name)),
        }
    }
    let mut lines = Vec::new();
    for (what, names) in [("has it", accepting), ("lacks it", rejecting), ("not known", unknown)] {
        if !names.is_empty() {
            lines.push(format!("- {what}: {}", names.join(", ")));
        }
    }
    format!("Devices:\n\n{}", lines.join("\n"))
}

/// The table in Markdown, each device with the first thing that stops the shader.
pub fn markdown(analysis: &Analysis, table: &Portability) -> String {
    let mut out = format!(
        "**Portability**: {}\n\n| Device | | Why not, and the nearest value that would pass |\n|---|---|---|",
        table.summary()
    );
    for row in &table.rows {
        let mut words = match row.stops.first() {
            Some(stop) => {
                let nearest =
                    stop.nearest.as_ref().map_or(String::new(), |nearest| format!("; nearest: {nearest}"));
                let more = match row.stops.len() {
                    1 => String::new(),
                    count => format!("; {} more", count - 1),
                };
                format!("{}: {}{nearest}{more}", place(analysis, stop.location), stop.message)
            }
            None => row.unknown.iter().chain(&row.conditions).cloned().collect::<Vec<_>>().join("; "),
        };
        if row.verdict == Verdict::RejectsDefaults {
            let _ = write!(words, "; depends on the defaults of {}", row.stops[0].defaults.join(", "));
        }
        let _ = write!(out, "\n| `{}` | {} | {} |", row.name, row.verdict.name(), words.replace('|', "\\|"));
    }
    out
}

/// `mul_mm.comp:120`, as people name places.
pub fn place(analysis: &Analysis, location: FileRange) -> String {
    let file = &analysis.files()[location.file];
    let end = usize::from(location.range.start()).min(file.text.len());
    let line = file.text.as_bytes()[..end].iter().filter(|byte| **byte == b'\n').count() + 1;
    let name = file.path.rsplit('/').next().unwrap_or(&file.path);
    format!("{name}:{line}")
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use coopmat_analysis::config::Configuration;
    use coopmat_analysis::sources::NoFiles;
    use coopmat_analysis::text::{FileId, FilePosition, TextSize};

    const SHADER: &str = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(constant_id = 2) const uint DEPTH = 32;
void main() {
    coopmat<int8_t, gl_ScopeSubgroup, 16, DEPTH, gl_MatrixUseA> a;
    coopmat<int8_t, gl_ScopeSubgroup, DEPTH, 16, gl_MatrixUseB> b;
    coopmat<int, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c;
    c = coopMatMulAdd(a, b, c);
}
";

    fn analysis(config: &Configuration) -> Analysis {
        coopmat_analysis::analyze("dir/int8.comp", SHADER.into(), config, &NoFiles, None)
    }

    fn hovered(at: &str, expected: Expect) {
        hovered_in(SHADER, at, expected);
    }

    fn hovered_in(text: &str, at: &str, expected: Expect) {
        let analysis = coopmat_analysis::analyze(
            "dir/int8.comp",
            text.into(),
            &Configuration::default(),
            &NoFiles,
            None,
        );
        let offset = TextSize::new(text.find(at).unwrap() as u32);
        let position = FilePosition { file: FileId::ROOT, offset };
        let hover = crate::hover::hover(&analysis, position).unwrap();
        let (_, devices) = hover.markdown.rsplit_once("\n\n---\n\n").unwrap();
        expected.assert_eq(&format!("{devices}\n"));
    }

    #[test]
    fn hovers_tell_which_devices_have_a_type_and_a_multiply_add() {
        hovered(
            "coopmat<int,",
            expect![[r#"
                Devices:

                - has it: `amd-rdna3`, `amd-rdna4`, `lavapipe`, `nvidia-h200`, `nvk-ada`, `nvk-ampere`, `nvk-blackwell`, `nvk-turing`
                - lacks it: `arm-mali-g720`, `intel-xe-hpg` (nearest: 8x8), `intel-xe2` (nearest: 8x16)
                - not known: `qualcomm-adreno-840`
            "#]],
        );
        hovered(
            "coopMatMulAdd",
            expect![[r#"
                Devices:

                - has it: `lavapipe`, `nvidia-h200`, `nvk-ada`, `nvk-ampere`, `nvk-blackwell`, `nvk-turing`
                - lacks it: `amd-rdna3` (nearest: 16x16x16), `amd-rdna4` (nearest: 16x16x16), `arm-mali-g720`, `intel-xe-hpg` (nearest: 8x8x32), `intel-xe2` (nearest: 8x16x32)
                - not known: `qualcomm-adreno-840`
            "#]],
        );
    }

    #[test]
    fn hovers_tell_which_devices_have_cooperative_vectors() {
        let shader = "#version 460
#extension GL_NV_cooperative_vector : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(binding = 0) buffer Weights { float16_t weights[]; };
void main() {
    coopvecNV<float16_t, 16> x = coopvecNV<float16_t, 16>(float16_t(1.0));
    coopVecMatMulNV(x, x, gl_ComponentTypeFloat16NV, weights, 0, gl_ComponentTypeFloat16NV, 16, 16,
        gl_CooperativeVectorMatrixLayoutRowMajorNV, false, 32);
}
";
        hovered_in(
            shader,
            "coopvecNV<float16_t, 16> x",
            expect![[r#"
                Devices:

                - has it: `nvidia-h200`
                - lacks it: `amd-rdna3`, `amd-rdna4`, `intel-xe-hpg`, `intel-xe2`, `lavapipe`, `nvk-ada`, `nvk-ampere`, `nvk-blackwell`, `nvk-turing`
                - not known: `arm-mali-g720`, `qualcomm-adreno-840`
            "#]],
        );
        hovered_in(
            shader,
            "coopVecMatMulNV",
            expect![[r#"
                Devices:

                - has it: `nvidia-h200`
                - lacks it: `amd-rdna3`, `amd-rdna4`, `intel-xe-hpg`, `intel-xe2`, `lavapipe`, `nvk-ada`, `nvk-ampere`, `nvk-blackwell`, `nvk-turing`
                - not known: `arm-mali-g720`, `qualcomm-adreno-840`
            "#]],
        );
    }

    #[test]
    fn over_the_entry_point_all_devices_are_asked() {
        hovered(
            "main",
            expect![[r#"
                **Portability**: accepted by 6 of 12 device profiles, 2 reject the defaults of specialization constants, 1 not known

                | Device | | Why not, and the nearest value that would pass |
                |---|---|---|
                | `amd-rdna3` | rejects the defaults | int8.comp:8: has no 16x32 matrix of int8_t with use A and this scope; nearest: 16x16; 2 more; depends on the defaults of DEPTH |
                | `amd-rdna4` | rejects the defaults | int8.comp:8: has no 16x32 matrix of int8_t with use A and this scope; nearest: 16x16; 2 more; depends on the defaults of DEPTH |
                | `arm-mali-g720` | rejects | int8.comp:8: does not have the feature `cooperativeMatrix`, required by the capability CooperativeMatrixKHR |
                | `intel-xe-hpg` | rejects | int8.comp:10: has no 16x16 matrix of int with use Accumulator and this scope; nearest: 8x8; 3 more |
                | `intel-xe2` | rejects | int8.comp:10: has no 16x16 matrix of int with use Accumulator and this scope; nearest: 8x16; 2 more |
                | `lavapipe` | accepts |  |
                | `nvidia-h200` | accepts |  |
                | `nvk-ada` | accepts |  |
                | `nvk-ampere` | accepts |  |
                | `nvk-blackwell` | accepts |  |
                | `nvk-turing` | accepts |  |
                | `qualcomm-adreno-840` | not known | which matrix types it supports; which multiply-adds it supports |
            "#]],
        );
        let Some(Told::Summary(title)) = lens(&analysis(&Configuration::default())) else {
            panic!("no summary")
        };
        expect!["accepted by 6 of 12 device profiles, 2 reject the defaults of specialization constants, 1 not known"].assert_eq(&title);
    }

    #[test]
    fn with_a_target_device_hovers_leave_it_to_the_diagnostics() {
        let config = Configuration { device: Some("lavapipe".to_owned()), ..Configuration::default() };
        let analysis = analysis(&config);
        let offset = TextSize::new(SHADER.find("main").unwrap() as u32);
        let position = FilePosition { file: FileId::ROOT, offset };
        let hover = crate::hover::hover(&analysis, position).unwrap();
        assert!(!hover.markdown.contains("Portability"), "{}", hover.markdown);
        assert_eq!(lens(&analysis), None);
    }
}
