//! What the target device has to say about a finished module: types, multiply-adds and sub-arrays that it does not list.
//! Rules of the Vulkan environment for SPIR-V, by VUID.
//!
//! Runs over the whole module rather than while lowering, because the size of the workgroup may be declared after its use.

use std::sync::Arc;

use crate::config::Configuration;
use crate::devices::{DeviceProfile, FlexibleDimensions, MatrixProperties, MatrixTypes};
use crate::diagnostics::{Code, Severity, codes};
use crate::extensions::{self, Rule};
use crate::hir::{Body, BodyDiagnostic, Callee, Const, Definition, ExprId, ExprKind, FunctionId, Module};
use crate::symbolic::{SpecAtom, Sym};
use crate::text::{TextRange, TextSize};
use crate::types::{ArrayLength, Coopmat, Scalar, ScalarClass, TypeKind};

const USE_A: i64 = 0;
const USE_B: i64 = 1;
const SCOPE_WORKGROUP: i64 = 2;
const SATURATING: i128 = 0x10;
/// As many supported combinations as a message names.
const NAMED: usize = 4;

/// A diagnostic with the coordinates of its body.
pub struct Found {
    pub diagnostic: BodyDiagnostic,
    pub base: TextSize,
    pub function: Option<FunctionId>,
}

/// Checks a module against the configuration's device; nothing without one.
pub fn check(module: &Module, config: &Configuration) -> Vec<Found> {
    let Some(profile) = config.device_profile() else { return Vec::new() };
    let mut found = Vec::new();
    for (body, base, function) in module.bodies() {
        let mut checker = Checker { module, config, profile: profile.clone(), body, diagnostics: Vec::new() };
        checker.body();
        found.extend(checker.diagnostics.into_iter().map(|diagnostic| Found { diagnostic, base, function }));
    }
    found
}

struct Checker<'a> {
    module: &'a Module,
    config: &'a Configuration,
    profile: Arc<DeviceProfile>,
    body: &'a Body,
    diagnostics: Vec<BodyDiagnostic>,
}

/// A size under the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Value {
    value: u32,
    /// Rests on a default that the pipeline may override.
    default: bool,
}

/// A matrix type whose parameters are known.
#[derive(Clone, Copy)]
struct Shape {
    component: Scalar,
    scope: i64,
    rows: u32,
    columns: u32,
    usage: i64,
    default: bool,
}

impl Checker<'_> {
    fn body(&mut self) {
        for name in &self.body.names {
            if let Definition::Type(ty) = name.definition
                && let TypeKind::Coopmat(matrix) = self.module.types.kind(ty)
            {
                self.matrix_type(*matrix, name.range);
            }
        }
        for (_, expr) in self.body.exprs.iter() {
            let ExprKind::Call { callee: Callee::Builtin(id), arguments } = &expr.kind else { continue };
            match extensions::function(*id).rule {
                Some(Rule::CoopMatMulAdd) => self.mul_add(arguments, expr.range),
                Some(Rule::ExtractSubArrayQcom) => self.sub_array(arguments),
                _ => {}
            }
        }
    }

    fn report(&mut self, code: &'static Code, default: bool, range: TextRange, message: String) {
        let (severity, message) = if default {
            (Severity::Hint, format!("{message}, under the default values"))
        } else {
            (code.severity, message)
        };
        self.diagnostics.push(BodyDiagnostic { code, severity, message, range, related: Vec::new() });
    }

    fn value(&self, sym: Sym) -> Option<Value> {
        let symbols = &self.module.types.symbols;
        let given = |atom: &SpecAtom| self.config.specialized(atom);
        let known = symbols.evaluate(sym, &given).map(|value| (value, false));
        let (value, default) =
            known.or_else(|| Some((symbols.evaluate(sym, &|atom| given(atom).or(atom.default))?, true)))?;
        Some(Value { value: u32::try_from(value).ok()?, default })
    }

    fn shape(&self, matrix: Coopmat) -> Option<Shape> {
        let [scope, rows, columns, usage] =
            [matrix.scope, matrix.rows, matrix.columns, matrix.usage].map(|sym| self.value(sym));
        let (scope, rows, columns, usage) = (scope?, rows?, columns?, usage?);
        Some(Shape {
            component: matrix.component,
            scope: i64::from(scope.value),
            rows: rows.value,
            columns: columns.value,
            usage: i64::from(usage.value),
            default: scope.default || rows.default || columns.default || usage.default,
        })
    }

    fn flexible(&self) -> &[FlexibleDimensions] {
        if self.profile.has_feature("cooperativeMatrixFlexibleDimensions") {
            &self.profile.cooperative_matrix_flexible_dimensions_properties
        } else {
            &[]
        }
    }

    fn workgroup_invocations(&self) -> Option<Value> {
        let mut product = Value { value: 1, default: false };
        for dim in &self.module.local_size.dims {
            let size = match dim.value {
                Some(size) => self.value(size)?,
                None => Value { value: 1, default: false },
            };
            product.value = product.value.checked_mul(size.value)?;
            product.default |= size.default;
        }
        Some(product)
    }

    /// VUID-RuntimeSpirv-OpTypeCooperativeMatrixKHR-10163, cooperativeMatrixWorkgroupScope-10164,
    /// cooperativeMatrixFlexibleDimensions-10165.
    fn matrix_type(&mut self, matrix: Coopmat, range: TextRange) {
        let Some(shape) = self.shape(matrix) else { return };
        let device = self.profile.title.clone();
        if shape.scope == SCOPE_WORKGROUP && !self.profile.has_feature("cooperativeMatrixWorkgroupScope") {
            self.report(
                &codes::DEVICE_MATRIX_TYPE,
                shape.default,
                range,
                format!("{device} has no matrices of workgroup scope (cooperativeMatrixWorkgroupScope is not supported)"),
            );
            return;
        }
        let listed = self
            .profile
            .cooperative_matrix_properties
            .iter()
            .any(|row| fits(shape, row.types, exact_size(shape, row)));
        let mut blocked = None;
        let invocations = self.workgroup_invocations();
        let flexible = self.flexible().iter().any(|row| {
            if !fits(shape, row.types, flexible_size(shape, row)) {
                return false;
            }
            if shape.scope != SCOPE_WORKGROUP
                || invocations.is_none_or(|it| it.value == row.workgroup_invocations)
            {
                return true;
            }
            blocked = Some(row.workgroup_invocations);
            false
        });
        if listed || flexible {
            return;
        }
        if let (Some(needed), Some(invocations)) = (blocked, invocations) {
            self.report(
                &codes::DEVICE_MATRIX_TYPE,
                shape.default || invocations.default,
                range,
                format!(
                    "{device} supports this matrix of workgroup scope in workgroups of {needed} invocations, not of {}",
                    invocations.value
                ),
            );
            return;
        }
        let message = format!(
            "{device} has no {}x{} matrix of {} with use {} and this scope: {}",
            shape.rows,
            shape.columns,
            shape.component.name(),
            use_name(shape.usage),
            self.nearest_types(shape)
        );
        self.report(&codes::DEVICE_MATRIX_TYPE, shape.default, range, message);
    }

    /// Shapes of the same component type, use and scope that the device has.
    fn nearest_types(&self, shape: Shape) -> String {
        let mut shapes: Vec<String> = Vec::new();
        for row in &self.profile.cooperative_matrix_properties {
            if !fits(shape, row.types, true) {
                continue;
            }
            let (rows, columns) = by_use(shape.usage, row.m, row.n, row.k);
            push_new(&mut shapes, format!("{rows}x{columns}"));
        }
        for row in self.flexible() {
            if !fits(shape, row.types, true) {
                continue;
            }
            let (rows, columns) = by_use(shape.usage, row.m, row.n, row.k);
            push_new(&mut shapes, format!("multiples of {rows}x{columns}"));
        }
        match shapes.len() {
            0 => "it has none with this component type, use and scope".to_owned(),
            count => {
                let dots = if count > NAMED { ", …" } else { "" };
                shapes.truncate(NAMED);
                format!("it has {}{dots}", shapes.join(", "))
            }
        }
    }

    /// VUID-RuntimeSpirv-OpCooperativeMatrixMulAddKHR-10060, cooperativeMatrixFlexibleDimensions-10166.
    fn mul_add(&mut self, arguments: &[ExprId], range: TextRange) {
        let shapes: Vec<Shape> = arguments
            .iter()
            .take(3)
            .filter_map(|&argument| self.shape(self.module.types.as_coopmat(self.body.exprs[argument].ty)?))
            .collect();
        let &[a, b, c] = shapes.as_slice() else { return };
        // What does not fit together is the language's to report.
        if a.columns != b.rows
            || a.rows != c.rows
            || b.columns != c.columns
            || a.scope != c.scope
            || b.scope != c.scope
        {
            return;
        }
        let saturating = match arguments.get(3).and_then(|&mask| self.body.exprs[mask].constant.as_ref()) {
            Some(Const::Int(mask)) => mask & SATURATING != 0,
            Some(_) => return,
            None => false,
        };
        let (m, n, k) = (a.rows, b.columns, a.columns);
        let types = |row: &MatrixTypes| {
            row.a == a.component
                && row.b == b.component
                && row.c == c.component
                && row.result == c.component
                && row.scope.value() == a.scope
        };
        let invocations = self.workgroup_invocations();
        let exact = self.profile.cooperative_matrix_properties.iter().any(|row| {
            types(&row.types) && row.types.saturating == saturating && (row.m, row.n, row.k) == (m, n, k)
        });
        let flexible = self.flexible().iter().any(|row| {
            types(&row.types)
                && row.types.saturating == saturating
                && m.is_multiple_of(row.m)
                && n.is_multiple_of(row.n)
                && k.is_multiple_of(row.k)
                && (a.scope != SCOPE_WORKGROUP
                    || invocations.is_none_or(|invocations| invocations.value == row.workgroup_invocations))
        });
        if exact || flexible {
            return;
        }
        let default = a.default || b.default || c.default;
        let what = format!(
            "{} has no {}multiply-add of M = {m}, N = {n}, K = {k} with A {}, B {}, C {} in this scope",
            self.profile.title,
            if saturating { "saturating " } else { "" },
            a.component.name(),
            b.component.name(),
            c.component.name(),
        );
        let mut supported: Vec<String> = Vec::new();
        for MatrixProperties { m, n, k, types: row } in &self.profile.cooperative_matrix_properties {
            if types(row) && row.saturating == saturating {
                push_new(&mut supported, format!("{m}x{n}x{k}"));
            }
        }
        for row in self.flexible() {
            if types(&row.types) && row.types.saturating == saturating {
                let workgroup = match row.workgroup_invocations {
                    0 => String::new(),
                    count => format!(" in workgroups of {count}"),
                };
                push_new(&mut supported, format!("multiples of {}x{}x{}{workgroup}", row.m, row.n, row.k));
            }
        }
        let nearest = if supported.is_empty() {
            let integer = matches!(a.component.class(), ScalarClass::Signed | ScalarClass::Unsigned);
            if integer && saturating {
                "it has none that saturates with these types".to_owned()
            } else {
                "it has none with these types".to_owned()
            }
        } else {
            let dots = if supported.len() > NAMED { ", …" } else { "" };
            supported.truncate(NAMED);
            format!("with these types it has (M x N x K) {}{dots}", supported.join(", "))
        };
        self.report(&codes::DEVICE_MATRIX_MULADD, default, range, format!("{what}: {nearest}"));
    }

    /// VUID-RuntimeSpirv-NSize-12352 and KSize-12353.
    fn sub_array(&mut self, arguments: &[ExprId]) {
        let &[source, _, target, ..] = arguments else { return };
        let sizes = |size: fn(&MatrixProperties) -> u32| {
            let mut sizes: Vec<u32> = self.profile.cooperative_matrix_properties.iter().map(size).collect();
            sizes.sort_unstable();
            sizes.dedup();
            sizes
        };
        for (argument, sizes, name, vuid) in [
            (source, sizes(|row| row.n), "source", "NSize"),
            (target, sizes(|row| row.k), "destination", "KSize"),
        ] {
            let expr = &self.body.exprs[argument];
            let TypeKind::Array(_, ArrayLength::Sized(length)) = self.module.types.kind(expr.ty) else {
                continue;
            };
            let Some(length) = self.value(*length) else { continue };
            if sizes.contains(&length.value) {
                continue;
            }
            let known: Vec<String> = sizes.iter().map(u32::to_string).collect();
            let message = format!(
                "the {name} has {} elements, which is no {vuid} of {}: expected {}",
                length.value,
                self.profile.title,
                if known.is_empty() { "none, it lists no matrices".to_owned() } else { known.join(", ") }
            );
            self.report(&codes::QCOM_SUBARRAY_DEVICE, length.default, expr.range, message);
        }
    }
}

fn push_new(list: &mut Vec<String>, text: String) {
    if !list.contains(&text) {
        list.push(text);
    }
}

/// Rows and columns of the matrix of a use in a multiply-add.
fn by_use(usage: i64, m: u32, n: u32, k: u32) -> (u32, u32) {
    match usage {
        USE_A => (m, k),
        USE_B => (k, n),
        _ => (m, n),
    }
}

fn use_name(usage: i64) -> &'static str {
    match usage {
        USE_A => "A",
        USE_B => "B",
        _ => "Accumulator",
    }
}

fn exact_size(shape: Shape, row: &MatrixProperties) -> bool {
    by_use(shape.usage, row.m, row.n, row.k) == (shape.rows, shape.columns)
}

fn flexible_size(shape: Shape, row: &FlexibleDimensions) -> bool {
    let (rows, columns) = by_use(shape.usage, row.m, row.n, row.k);
    shape.rows.is_multiple_of(rows) && shape.columns.is_multiple_of(columns)
}

/// Whether a row's component type for the use, and its scope, are those of a matrix.
fn fits(shape: Shape, types: MatrixTypes, size: bool) -> bool {
    let component = match shape.usage {
        USE_A => types.a == shape.component,
        USE_B => types.b == shape.component,
        _ => types.c == shape.component || types.result == shape.component,
    };
    size && component && types.scope.value() == shape.scope
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::config::SpecializationValue;
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
             extractSubArrayQCOM(x, 16, y);
             extractSubArrayQCOM(x, 16, z);",
            expect![[r#"
                information device-matrix-type: A synthetic device has no 32x16 matrix of float16_t with use A and this scope: it has 64x16
                information qcom-subarray-device: the destination has 8 elements, which is no KSize of A synthetic device: expected 16, 32
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
        let given = Configuration { specialization: vec![(0, SpecializationValue::Int(24))], ..h200() };
        check(
            &given,
            body,
            expect![[r#"
            information device-matrix-type: NVIDIA H200 (Hopper) has no 16x24 matrix of float16_t with use A and this scope: it has 16x16, 16x8, multiples of 16x16
        "#]],
        );
        let fits = Configuration { specialization: vec![(0, SpecializationValue::Int(32))], ..h200() };
        check(&fits, body, expect![[""]]);
    }

    #[test]
    fn workgroup_scope_needs_a_feature_and_a_size_of_workgroup() {
        let body = "coopmat<float16_t, gl_ScopeWorkgroup, 64, 64, gl_MatrixUseA> a;";
        check(
            &synthetic(),
            body,
            expect![[r#"
            information device-matrix-type: A synthetic device has no matrices of workgroup scope (cooperativeMatrixWorkgroupScope is not supported)
        "#]],
        );
        check(
            &h200(),
            body,
            expect![[r#"
            information device-matrix-type: NVIDIA H200 (Hopper) supports this matrix of workgroup scope in workgroups of 256 invocations, not of 96
        "#]],
        );
    }
}
