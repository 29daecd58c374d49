//! Cooperative vectors that a device does not have: lengths, products, sums of training, stages.

use smol_str::SmolStr;

use super::{Judge, Obstacle, Place, push_new};
use crate::config::Stage;
use crate::devices::{Interpretation, List, VectorProperties};
use crate::diagnostics::codes;
use crate::extensions::{self, Rule};
use crate::hir::{Body, Callee, Const, Definition, ExprId, ExprKind, FunctionId};
use crate::text::{TextRange, TextSize};
use crate::types::{Scalar, TypeKind};

/// As many supported combinations as a message names.
const NAMED: usize = 3;

/// A product: what `VkCooperativeVectorPropertiesNV` has a row for.
struct Product {
    input: Scalar,
    input_interpretation: Interpretation,
    matrix_interpretation: Interpretation,
    bias_interpretation: Option<Interpretation>,
    result: Scalar,
    transpose: bool,
}

impl Product {
    fn fits(&self, row: &VectorProperties) -> bool {
        self.differences(row) == 0
    }

    /// How many members of a row differ.
    fn differences(&self, row: &VectorProperties) -> usize {
        [
            self.input != row.input_type,
            self.input_interpretation != row.input_interpretation,
            self.matrix_interpretation != row.matrix_interpretation,
            self.bias_interpretation.is_some_and(|bias| bias != row.bias_interpretation),
            self.result != row.result_type,
            self.transpose && !row.transpose,
        ]
        .into_iter()
        .filter(|differs| *differs)
        .count()
    }

    /// A row, as far as it matters for this product.
    fn describe(&self, row: &VectorProperties) -> String {
        let bias = match self.bias_interpretation {
            Some(_) => format!(", bias {}", row.bias_interpretation.name()),
            None => String::new(),
        };
        format!(
            "{} as {} by {}{bias}, result {}{}",
            row.input_type.name(),
            row.input_interpretation.name(),
            row.matrix_interpretation.name(),
            row.result_type.name(),
            if self.transpose && row.transpose { ", transposed" } else { "" }
        )
    }
}

impl Judge<'_> {
    /// `only`: what lies there in the expanded text, and nothing else.
    pub(super) fn vectors(
        &mut self,
        body: &Body,
        base: TextSize,
        function: Option<FunctionId>,
        only: Option<TextRange>,
    ) {
        let place = Place { base, function };
        let wanted = |range: TextRange| only.is_none_or(|only| range + base == only);
        // Of a whole module the features say it all.
        let feature = self.profile.feature("cooperativeVector");
        if let Some(only) = only.filter(|_| feature != Some(true) && self.is_about_vectors(body, &wanted)) {
            if feature.is_none() {
                return self.unknown("whether it has cooperative vectors");
            }
            let message = format!("{} has no cooperative vectors", self.device());
            return self.report(obstacle(message, only, Place::TOP));
        }
        for name in body.names.iter().filter(|name| wanted(name.range)) {
            if let Definition::Type(ty) = name.definition
                && let TypeKind::CoopVec(component, length) = *self.module.types.kind(ty)
            {
                self.vector_type(component, length, name.range, place);
            }
        }
        for (_, expr) in body.exprs.iter().filter(|(_, expr)| wanted(expr.range)) {
            let ExprKind::Call { callee: Callee::Builtin(id), arguments } = &expr.kind else { continue };
            match extensions::function(*id).rule {
                Some(Rule::CoopVecMatMul) => self.vector_product(body, arguments, expr.range, place),
                Some(Rule::CoopVecAccumulate) => self.accumulation(body, arguments, expr.range, place),
                _ => {}
            }
        }
    }

    /// Whether a type of a vector, or a product or sum, is at a wanted place.
    fn is_about_vectors(&self, body: &Body, wanted: &dyn Fn(TextRange) -> bool) -> bool {
        let is_vector = |definition: &Definition| match definition {
            Definition::Type(ty) => matches!(self.module.types.kind(*ty), TypeKind::CoopVec(..)),
            _ => false,
        };
        let rule = |kind: &ExprKind| match kind {
            ExprKind::Call { callee: Callee::Builtin(id), .. } => extensions::function(*id).rule,
            _ => None,
        };
        let rules = [Some(Rule::CoopVecMatMul), Some(Rule::CoopVecAccumulate)];
        body.names.iter().any(|name| wanted(name.range) && is_vector(&name.definition))
            || body.exprs.iter().any(|(_, expr)| wanted(expr.range) && rules.contains(&rule(&expr.kind)))
    }

    /// The first cooperative vector that is declared, and whether its stage has any: VUID-RuntimeSpirv-cooperativeVectorSupportedStages-10091.
    pub(super) fn vector_stage(&mut self) {
        let first = self.module.bodies().find_map(|(body, base, function)| {
            let vector = |ty| matches!(self.module.types.kind(ty), TypeKind::CoopVec(..));
            let mut names = body.names.iter();
            let name = names.find(|name| matches!(name.definition, Definition::Type(ty) if vector(ty)))?;
            Some((name.range, Place { base, function }))
        });
        let (Some((range, place)), Some(stage)) = (first, self.module.stage) else { return };
        let Some(stages) = &self.profile.limits.cooperative_vector_supported_stages else {
            if stage != Stage::Compute {
                self.unknown("in which stages it supports cooperative vectors");
            }
            return;
        };
        if stages.iter().any(|name| name == super::environment::vulkan_name(stage)) {
            return;
        }
        let message = format!(
            "{} has no cooperative vectors in {} shaders (cooperativeVectorSupportedStages)",
            self.device(),
            stage.name()
        );
        let nearest = stages.first().map(|stage| format!("a {stage} shader"));
        self.report(Obstacle { code: &codes::DEVICE_STAGE, nearest, ..obstacle(message, range, place) });
    }

    /// VUID-RuntimeSpirv-maxCooperativeVectorComponents-10094 and OpTypeCooperativeVector-10095.
    fn vector_type(
        &mut self,
        component: Scalar,
        length: crate::symbolic::Sym,
        range: TextRange,
        place: Place,
    ) {
        if let Some(largest) = self.profile.limits.max_cooperative_vector_components
            && let Some(length) = self.value(length)
            && length.value > largest
        {
            let message = format!(
                "{} has cooperative vectors of up to {largest} components (maxCooperativeVectorComponents), and this one has {}",
                self.device(),
                length.value
            );
            let nearest = Some(format!("{largest} components"));
            self.report(Obstacle { nearest, defaults: length.defaults, ..obstacle(message, range, place) });
            return;
        }
        let rows = &self.profile.cooperative_vector_properties;
        if rows.iter().any(|row| [row.input_type, row.result_type].contains(&component)) {
            return;
        }
        if !self.profile.knows(List::CooperativeVectorProperties) {
            self.unknown("which cooperative vectors it supports");
            return;
        }
        let mut known: Vec<&str> = Vec::new();
        for row in rows {
            push_new(&mut known, row.input_type.name());
            push_new(&mut known, row.result_type.name());
        }
        // That it has none at all is the feature's to say.
        if known.is_empty() {
            return;
        }
        let message = format!("{} has no cooperative vectors of `{}`", self.device(), component.name());
        let alternatives = Some(format!("it has them of {}", known.join(", ")));
        self.report(Obstacle { alternatives, ..obstacle(message, range, place) });
    }

    /// The value of an argument that has to be constant.
    fn constant(&self, body: &Body, argument: ExprId, defaults: &mut Vec<SmolStr>) -> Option<u32> {
        match body.exprs[argument].constant.as_ref()? {
            Const::Int(value) => u32::try_from(*value).ok(),
            Const::Bool(value) => Some(u32::from(*value)),
            Const::Symbolic(sym) => {
                let value = self.value(*sym)?;
                for name in value.defaults {
                    push_new(defaults, name);
                }
                Some(value.value)
            }
            _ => None,
        }
    }

    /// VUID-RuntimeSpirv-OpCooperativeVectorMatrixMulNV-10089.
    fn vector_product(&mut self, body: &Body, arguments: &[ExprId], range: TextRange, place: Place) {
        let mut defaults = Vec::new();
        let Some(product) = self.product(body, arguments, &mut defaults) else { return };
        let rows = &self.profile.cooperative_vector_properties;
        if rows.iter().any(|row| product.fits(row)) {
            return;
        }
        if !self.profile.knows(List::CooperativeVectorProperties) {
            self.unknown("which products of cooperative vectors it supports");
            return;
        }
        if rows.is_empty() {
            return;
        }
        let bias = match product.bias_interpretation {
            Some(bias) => format!(", bias {}", bias.name()),
            None => String::new(),
        };
        let message = format!(
            "{} does not multiply a vector of {} as {} by a {}matrix of {}{bias} into one of {}",
            self.device(),
            product.input.name(),
            product.input_interpretation.name(),
            if product.transpose { "transposed " } else { "" },
            product.matrix_interpretation.name(),
            product.result.name()
        );
        // Those that need the fewest changes.
        let fewest = rows.iter().map(|row| product.differences(row)).min();
        let near = rows.iter().filter(|row| Some(product.differences(row)) == fewest);
        let mut near: Vec<String> = near.map(|row| product.describe(row)).collect();
        near.dedup();
        let nearest = near.first().cloned();
        let dots = if near.len() > NAMED { "; …" } else { "" };
        near.truncate(NAMED);
        let alternatives = Some(format!("it has {}{dots}", near.join("; ")));
        self.report(Obstacle { alternatives, nearest, defaults, ..obstacle(message, range, place) });
    }

    fn product(&self, body: &Body, arguments: &[ExprId], defaults: &mut Vec<SmolStr>) -> Option<Product> {
        let (&[result, input, input_as, _, _, matrix_as], rest) = arguments.split_first_chunk::<6>()?;
        let (bias_as, transpose) = match *rest {
            [_, _, _, transpose, _] => (None, transpose),
            [_, _, bias_as, _, _, _, transpose, _] => (Some(bias_as), transpose),
            _ => return None,
        };
        let component = |vector: ExprId| self.module.types.as_coopvec(body.exprs[vector].ty);
        let mut interpretation =
            |argument: ExprId| Interpretation::of_vulkan(self.constant(body, argument, defaults)?);
        Some(Product {
            input: component(input)?.0,
            input_interpretation: interpretation(input_as)?,
            matrix_interpretation: interpretation(matrix_as)?,
            bias_interpretation: match bias_as {
                Some(bias_as) => Some(interpretation(bias_as)?),
                None => None,
            },
            result: component(result)?.0,
            transpose: self.constant(body, transpose, defaults)? != 0,
        })
    }

    /// VUID-RuntimeSpirv-OpCooperativeVectorReduceSumAccumulateNV-10092 and OpCooperativeVectorOuterProductAccumulateNV-10093, as far as they are
    /// about the device.
    fn accumulation(&mut self, body: &Body, arguments: &[ExprId], range: TextRange, place: Place) {
        let mut defaults = Vec::new();
        let sums = match *arguments {
            [_, _, _, _, _, _, interpretation] => {
                let number = self.constant(body, interpretation, &mut defaults);
                number.and_then(crate::devices::component_of_vulkan)
            }
            [vector, _, _] => {
                let vector = self.module.types.as_coopvec(body.exprs[vector].ty);
                vector.map(|(component, _)| component)
            }
            _ => None,
        };
        let limits = &self.profile.limits;
        let (supported, name) = match sums {
            Some(Scalar::Float16) => {
                let supported = limits.cooperative_vector_training_float16_accumulation;
                (supported, "cooperativeVectorTrainingFloat16Accumulation")
            }
            Some(Scalar::Float32) => {
                let supported = limits.cooperative_vector_training_float32_accumulation;
                (supported, "cooperativeVectorTrainingFloat32Accumulation")
            }
            // Others are none that any device has, which the language's check says.
            _ => return,
        };
        match supported {
            Some(true) => {}
            None if self.profile.knows(List::CooperativeVectorProperties)
                && self.profile.cooperative_vector_properties.is_empty() => {}
            None => self.unknown("which sums of cooperative vectors it accumulates"),
            Some(false) => {
                let message = format!(
                    "{} does not accumulate sums of `{}` ({name} is not supported)",
                    self.device(),
                    sums.map_or("", Scalar::name)
                );
                self.report(Obstacle { defaults, ..obstacle(message, range, place) });
            }
        }
    }
}

fn obstacle(message: String, range: TextRange, place: Place) -> Obstacle {
    Obstacle {
        code: &codes::DEVICE_COOPVEC,
        range,
        base: place.base,
        function: place.function,
        message,
        alternatives: None,
        nearest: None,
        defaults: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use expect_test::{Expect, expect};

    use crate::config::Configuration;
    use crate::devices::DeviceProfile;
    use crate::sources::NoFiles;

    /// No device that was measured leaves a stage out, or accumulates nothing: this one is made up.
    const SYNTHETIC: &str = r#"{
        "name": "synthetic", "title": "A synthetic device", "extensions": ["VK_NV_cooperative_vector"],
        "limits": {"cooperativeVectorSupportedStages": ["compute"], "cooperativeVectorTrainingFloat16Accumulation": false},
        "cooperativeVectorProperties": [
            {"inputType": "float16", "inputInterpretation": "float16", "matrixInterpretation": "float16", "biasInterpretation": "float16",
             "resultType": "float16"}
        ]}"#;

    fn check(file: &str, body: &str, expected: Expect) {
        let profile = Arc::new(DeviceProfile::parse(SYNTHETIC).unwrap());
        let config = Configuration { profile: Some(profile), ..Configuration::default() };
        let text = format!(
            "#version 460
#extension GL_NV_cooperative_vector : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(binding = 0) buffer Data {{ float16_t data[]; }};
void main() {{ coopvecNV<float16_t, 16> x = coopvecNV<float16_t, 16>(1.0); {body} }}
"
        );
        let analysis = crate::analyze(file, text.as_str().into(), &config, &NoFiles, None);
        let found = analysis.diagnostics.iter().filter(|diagnostic| diagnostic.code.tag.is_none());
        let lines: Vec<String> = found.map(|found| format!("{}: {}\n", found.code, found.message)).collect();
        expected.assert_eq(&lines.concat());
    }

    #[test]
    fn vectors_are_used_in_stages_that_the_device_lists() {
        check("device.comp", "", expect![[""]]);
        check(
            "device.frag",
            "",
            expect![[r#"
            device-stage: A synthetic device has no cooperative vectors in fragment shaders (cooperativeVectorSupportedStages)
        "#]],
        );
    }

    #[test]
    fn sums_are_of_types_that_the_device_accumulates() {
        check(
            "device.comp",
            "coopVecReduceSumAccumulateNV(x, data, 0);",
            expect![[r#"
            device-coopvec: A synthetic device does not accumulate sums of `float16_t` (cooperativeVectorTrainingFloat16Accumulation is not supported)
        "#]],
        );
    }

    #[test]
    fn an_optimal_matrix_is_transposed_where_the_device_says_so() {
        let product =
            "coopVecMatMulNV(x, x, gl_ComponentTypeFloat16NV, data, 0, gl_ComponentTypeFloat16NV, 16, 16,
            gl_CooperativeVectorMatrixLayoutTrainingOptimalNV, true, 0);";
        check(
            "device.comp",
            product,
            expect![[r#"
            device-coopvec: A synthetic device does not multiply a vector of float16_t as float16 by a transposed matrix of float16 into one of float16_t: it has float16_t as float16 by float16, result float16_t
        "#]],
        );
    }
}
