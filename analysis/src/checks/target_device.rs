//! What a device has to say about a finished module: rules of the Vulkan environment for SPIR-V, by VUID.
//!
//! `matrices` judges types, multiply-adds and sub-arrays, `environment` workgroups, shared memory and the stage. Features are judged by the
//! module that the shader becomes, which codegen knows: its `device::judge` adds them. The target device's answers are diagnostics; the
//! table of portability asks every device.
//!
//! Runs over the whole module rather than while lowering, because the size of the workgroup may be declared after its use.

mod environment;
mod matrices;
mod vectors;

use std::cell::RefCell;

use smol_str::SmolStr;

use crate::config::Configuration;
use crate::devices::DeviceProfile;
use crate::diagnostics::codes;
use crate::diagnostics::{Code, Severity};
use crate::hir::{BodyDiagnostic, Const, FunctionId, LocalSizeDim, Module};
use crate::symbolic::{SpecAtom, Sym};
use crate::text::{TextRange, TextSize};

use super::context::Found;

pub(crate) use matrices::{SCOPE_WORKGROUP, Shape};

/// What stops a shader on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The page of the catalogue, each with the VUID that it rests on.
    pub code: &'static Code,
    /// In the coordinates of `function`'s body, or of the text.
    pub range: TextRange,
    /// Where `range` counts from, in the expanded text.
    pub base: TextSize,
    /// The function in whose body it lies; `None` for the top level.
    pub function: Option<FunctionId>,
    /// Without the device's alternatives, which `alternatives` has.
    pub message: String,
    /// What the device has instead, as the end of a sentence.
    pub alternatives: Option<String>,
    /// The nearest that would pass.
    pub nearest: Option<String>,
    /// Specialization constants whose defaults this rests on.
    pub defaults: Vec<SmolStr>,
}

/// A device's judgement of a module.
#[derive(Debug, Default)]
pub struct Judgement {
    /// In the order in which they were found.
    pub obstacles: Vec<Obstacle>,
    /// What could not be decided because the profile does not tell, in words.
    pub unknown: Vec<String>,
    /// What the pipeline has to do for it, in words.
    pub conditions: Vec<String>,
    /// Specialization constants whose defaults the judgement rests on.
    pub defaults: Vec<SmolStr>,
}

/// Checks a module against the configuration's device; nothing without one.
pub fn check(module: &Module, config: &Configuration) -> Vec<Found> {
    let Some(profile) = config.device_profile() else { return Vec::new() };
    let judgement = judge(module, config, &profile);
    judgement.obstacles.into_iter().map(Obstacle::into_found).collect()
}

/// What a device says about a module under a configuration, whatever the configuration's own device is; but for features.
pub fn judge(module: &Module, config: &Configuration, profile: &DeviceProfile) -> Judgement {
    let mut judge =
        Judge { module, config, profile, judgement: Judgement::default(), defaults: RefCell::default() };
    // Without the feature one report says it all.
    if !has_none(profile) {
        for (body, base, function) in module.bodies() {
            judge.matrices(body, base, function, None);
        }
    }
    for (body, base, function) in module.bodies() {
        judge.vectors(body, base, function, None);
    }
    judge.environment();
    let mut judgement = judge.judgement;
    for name in judge.defaults.into_inner() {
        push_new(&mut judgement.defaults, name);
    }
    judgement
}

/// Whether a device is known to have no cooperative matrices at all.
fn has_none(profile: &DeviceProfile) -> bool {
    profile.feature("cooperativeMatrix") == Some(false) && profile.cooperative_matrix_properties.is_empty()
}

/// What a device says about the one matrix type or call of a built-in at a range of the expanded text.
pub fn judge_one(
    module: &Module,
    config: &Configuration,
    profile: &DeviceProfile,
    range: TextRange,
) -> Judgement {
    let mut judge =
        Judge { module, config, profile, judgement: Judgement::default(), defaults: RefCell::default() };
    for (body, base, function) in module.bodies() {
        judge.matrices(body, base, function, Some(range));
    }
    // Which of them it has is no question then.
    let asked = !judge.judgement.obstacles.is_empty() || !judge.judgement.unknown.is_empty();
    if asked && has_none(profile) {
        let obstacle = Obstacle {
            code: &codes::DEVICE_MATRIX_TYPE,
            range,
            base: TextSize::new(0),
            function: None,
            message: format!("{} has no cooperative matrices", judge.device()),
            alternatives: None,
            nearest: None,
            defaults: Vec::new(),
        };
        judge.judgement = Judgement { obstacles: vec![obstacle], ..Judgement::default() };
    }
    for (body, base, function) in module.bodies() {
        judge.vectors(body, base, function, Some(range));
    }
    judge.judgement
}

impl Obstacle {
    /// The diagnostic that a target device gets.
    pub fn into_found(self) -> Found {
        let mut message = self.message;
        if let Some(alternatives) = self.alternatives {
            message.push_str(": ");
            message.push_str(&alternatives);
        }
        let severity = if self.defaults.is_empty() {
            self.code.severity
        } else {
            message.push_str(", under the default values");
            Severity::Hint
        };
        let related = Vec::new();
        let diagnostic = BodyDiagnostic { code: self.code, severity, message, range: self.range, related };
        Found { diagnostic, base: self.base, function: self.function }
    }
}

/// Where a body lies.
#[derive(Clone, Copy)]
struct Place {
    base: TextSize,
    function: Option<FunctionId>,
}

impl Place {
    const TOP: Place = Place { base: TextSize::new(0), function: None };
}

/// One run.
struct Judge<'a> {
    module: &'a Module,
    config: &'a Configuration,
    profile: &'a DeviceProfile,
    judgement: Judgement,
    /// Specialization constants whose defaults were looked at.
    defaults: RefCell<Vec<SmolStr>>,
}

/// A size under the configuration, and the specialization constants on whose defaults it rests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    value: u32,
    defaults: Vec<SmolStr>,
}

impl Value {
    fn fixed(value: u32) -> Value {
        Value { value, defaults: Vec::new() }
    }
}

/// As many names of specialization constants as one answer keeps: texts of any length come from outside.
const MAX_DEFAULTS: usize = 64;

impl Judge<'_> {
    fn report(&mut self, obstacle: Obstacle) {
        self.judgement.obstacles.push(obstacle);
    }

    fn unknown(&mut self, what: &str) {
        push_new(&mut self.judgement.unknown, what.to_owned());
    }

    fn value(&self, sym: Sym) -> Option<Value> {
        let symbols = &self.module.types.symbols;
        let given = |atom: &SpecAtom| self.config.specialized(atom);
        if let Some(value) = symbols.evaluate(sym, &given) {
            return Some(Value::fixed(u32::try_from(value).ok()?));
        }
        let defaults = RefCell::new(Vec::new());
        let value = symbols.evaluate(sym, &|atom| {
            given(atom).or_else(|| {
                let mut defaults = defaults.borrow_mut();
                if defaults.len() < MAX_DEFAULTS {
                    push_new(&mut defaults, atom.name.clone());
                }
                atom.default
            })
        })?;
        let defaults = defaults.into_inner();
        let mut all = self.defaults.borrow_mut();
        for name in &defaults {
            if all.len() < MAX_DEFAULTS {
                push_new(&mut all, name.clone());
            }
        }
        Some(Value { value: u32::try_from(value).ok()?, defaults })
    }

    /// The size of the workgroup in each dimension.
    fn local_size(&self) -> Option<[Value; 3]> {
        let [x, y, z] = &self.module.local_size.dims;
        let size = |dim: &LocalSizeDim| {
            let Some(id) = dim.constant_id else {
                return match dim.value {
                    Some(size) => self.value(size),
                    None => Some(Value::fixed(1)),
                };
            };
            let named = self.module.constant_with_id(id);
            let name = named.map_or("the size of the workgroup", |global| &global.name);
            let atom = SpecAtom { name: name.into(), id: Some(id), signed: false, default: None };
            if let Some(given) = self.config.specialized(&atom) {
                return Some(Value::fixed(u32::try_from(given).ok()?));
            }
            // A size that only an id gives is 1 until the pipeline gives it, which it is sure to do: the default of a constant
            // with the same id tells more, and without one it is not known.
            let value = match (dim.value, named.and_then(|global| global.default.as_ref())) {
                (Some(size), _) => self.value(size)?.value,
                (None, Some(Const::Int(default))) => u32::try_from(*default).ok()?,
                (None, _) => return None,
            };
            push_new(&mut self.defaults.borrow_mut(), atom.name.clone());
            Some(Value { value, defaults: vec![atom.name] })
        };
        Some([size(x)?, size(y)?, size(z)?])
    }

    fn workgroup_invocations(&self) -> Option<Value> {
        let mut product = Value::fixed(1);
        for size in self.local_size()? {
            product.value = product.value.checked_mul(size.value)?;
            product.defaults.extend(size.defaults);
        }
        Some(product)
    }

    /// The name that messages give to the device.
    fn device(&self) -> &str {
        if self.profile.title.is_empty() { &self.profile.name } else { &self.profile.title }
    }
}

fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use std::sync::Arc;

    use super::*;
    use crate::config::{ConstantKey, SpecializationValue};
    use crate::sources::NoFiles;

    /// No profile that comes along has the QCOM extension: this one is made up.
    const SYNTHETIC: &str = r#"{
        "name": "synthetic", "title": "A synthetic device", "subgroupSize": {"default": 64, "min": 64, "max": 64},
        "features": [], "cooperativeMatrixFlexibleDimensionsProperties": [],
        "cooperativeMatrixProperties": [
            {"MSize": 64, "NSize": 64, "KSize": 16, "AType": "float16", "BType": "float16", "CType": "float32",
             "ResultType": "float32", "scope": "subgroup"},
            {"MSize": 64, "NSize": 32, "KSize": 32, "AType": "sint8", "BType": "sint8", "CType": "sint32",
             "ResultType": "sint32", "saturatingAccumulation": true, "scope": "subgroup"}
        ]}"#;

    fn check(config: &Configuration, body: &str, expected: Expect) {
        let text = format!(
            "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_NV_cooperative_matrix2 : enable
#extension GL_QCOM_cooperative_matrix_conversion : require
layout(local_size_x = 96) in;
layout(constant_id = 0) const uint K = 24;
void main() {{ {body} }}
"
        );
        let analysis = crate::analyze("device.comp", text.as_str().into(), config, &NoFiles, None);
        let lines: Vec<String> = analysis
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.code.tag.is_none())
            .map(|diagnostic| {
                format!("{} {}: {}\n", diagnostic.severity.name(), diagnostic.code, diagnostic.message)
            })
            .collect();
        expected.assert_eq(&lines.concat());
    }

    fn synthetic() -> Configuration {
        let profile = Arc::new(DeviceProfile::parse(SYNTHETIC).unwrap());
        Configuration { profile: Some(profile), ..Configuration::default() }
    }

    fn h200() -> Configuration {
        Configuration { device: Some("nvidia-h200".to_owned()), ..Configuration::default() }
    }

    #[test]
    fn types_and_sub_arrays_are_those_that_the_device_lists() {
        check(
            &synthetic(),
            "coopmat<float16_t, gl_ScopeSubgroup, 64, 16, gl_MatrixUseA> a;
             coopmat<float16_t, gl_ScopeSubgroup, 32, 16, gl_MatrixUseA> b;
             float x[64], y[16], z[8];
             x[0] = 1.0;
             extractSubArrayQCOM(x, 16, y);
             extractSubArrayQCOM(x, 16, z);",
            expect![[r#"
                information device-workgroup: A synthetic device has subgroups of 64, and local_size_x = 96 is not a multiple of that: a shader with cooperative matrices needs whole subgroups in x
                information device-matrix-type: A synthetic device has no 32x16 matrix of float16_t with use A and this scope: it has 64x16
                information qcom-subarray-device: the destination has 8 elements, which is not a KSize of A synthetic device: expected 16, 32
            "#]],
        );
    }

    #[test]
    fn a_size_that_rests_on_a_default_is_a_hint_until_the_configuration_gives_it() {
        let body = "coopmat<float16_t, gl_ScopeSubgroup, 16, K, gl_MatrixUseA> a;";
        check(
            &h200(),
            body,
            expect![[r#"
            hint device-matrix-type: NVIDIA H200 (Hopper) has no 16x24 matrix of float16_t with use A and this scope: it has 16x16, 16x8, multiples of 16x16, under the default values
        "#]],
        );
        let given = Configuration {
            specialization: vec![(ConstantKey::Id(0), SpecializationValue::Int(24))],
            ..h200()
        };
        check(
            &given,
            body,
            expect![[r#"
            information device-matrix-type: NVIDIA H200 (Hopper) has no 16x24 matrix of float16_t with use A and this scope: it has 16x16, 16x8, multiples of 16x16
        "#]],
        );
        let fits = Configuration {
            specialization: vec![(ConstantKey::Id(0), SpecializationValue::Int(32))],
            ..h200()
        };
        check(&fits, body, expect![[""]]);
    }

    #[test]
    fn workgroup_scope_needs_a_feature_and_a_size_of_workgroup() {
        let body = "coopmat<float16_t, gl_ScopeWorkgroup, 64, 64, gl_MatrixUseA> a;";
        check(
            &synthetic(),
            body,
            expect![[r#"
                information device-workgroup: A synthetic device has subgroups of 64, and local_size_x = 96 is not a multiple of that: a shader with cooperative matrices needs whole subgroups in x
                information device-matrix-type: A synthetic device has no matrices of workgroup scope (cooperativeMatrixWorkgroupScope is not supported)
            "#]],
        );
        check(
            &h200(),
            body,
            expect![[r#"
                information device-workgroup: matrices of workgroup scope need a workgroup of a power of two times the subgroup size, and this one has 96 invocations in subgroups of 32 on NVIDIA H200 (Hopper)
                information device-matrix-type: NVIDIA H200 (Hopper) supports this matrix of workgroup scope in workgroups of 256 invocations, not of 96
            "#]],
        );
    }
}
