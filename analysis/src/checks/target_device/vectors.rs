//! Cooperative vectors that a device does not list: products, sums, and numbers of components.

use super::{Judge, Obstacle, Place, push_new};
use crate::devices::{Interpretation, List, VectorProperties, component_to_vulkan};
use crate::diagnostics::codes;
use crate::extensions::{self, Rule};
use crate::hir::{Body, Callee, Const, Definition, ExprId, ExprKind, FunctionId};
use crate::text::{TextRange, TextSize};
use crate::types::{Scalar, TypeKind};

/// As many supported combinations as a message names.
const NAMED: usize = 4;

/// What a row of `VkCooperativeVectorPropertiesNV` is about. Without a bias its type does not matter.
struct Product {
    input: Interpretation,
    taken: Interpretation,
    matrix: Interpretation,
    bias: Option<Interpretation>,
    result: Interpretation,
    transpose: bool,
}

impl Product {
    fn fits(&self, row: &VectorProperties) -> bool {
        self.others(row) == 0
    }

    /// How many parts of a row are different.
    fn others(&self, row: &VectorProperties) -> usize {
        [
            self.input != row.input_type,
            self.taken != row.input_interpretation,
            self.matrix != row.matrix_interpretation,
            self.bias.is_some_and(|bias| bias != row.bias_interpretation),
            self.result != row.result_type,
            self.transpose && !row.transpose,
        ]
        .into_iter()
        .filter(|differs| *differs)
        .count()
    }

    fn shown(&self, row: &VectorProperties) -> String {
        let transpose = if self.transpose && !row.transpose { ", not transposed" } else { "" };
        row.describe(self.bias.is_some()) + transpose
    }

    fn describe(&self) -> String {
        let row = VectorProperties {
            input_type: self.input,
            input_interpretation: self.taken,
            matrix_interpretation: self.matrix,
            bias_interpretation: self.bias.unwrap_or(self.matrix),
            result_type: self.result,
            transpose: self.transpose,
        };
        row.describe(self.bias.is_some()) + if self.transpose { ", transposed" } else { "" }
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
        // Without the feature one report says it all.
        if self.profile.feature("cooperativeVector") == Some(false) {
            return;
        }
        let place = Place { base, function };
        let wanted = |range: TextRange| only.is_none_or(|only| range + base == only);
        for name in body.names.iter().filter(|name| wanted(name.range)) {
            if let Definition::Type(ty) = name.definition {
                self.components(ty, name.range, place);
            }
        }
        for (_, expr) in body.exprs.iter().filter(|(_, expr)| wanted(expr.range)) {
            let ExprKind::Call { callee: Callee::Builtin(id), arguments } = &expr.kind else { continue };
            match extensions::function(*id).rule {
                Some(Rule::CoopVecMatMul) => self.vector_product(body, arguments, expr.range, place),
                Some(Rule::CoopVecAccumulate) => self.vector_sum(body, arguments, expr.range, place),
                _ => {}
            }
        }
    }

    /// VUID-RuntimeSpirv-maxCooperativeVectorComponents-10094.
    fn components(&mut self, ty: crate::types::Ty, range: TextRange, place: Place) {
        let Some((_, length)) = self.module.types.as_coopvec(ty) else { return };
        let (Some(length), Some(most)) =
            (self.value(length), self.profile.limits.max_cooperative_vector_components)
        else {
            return;
        };
        if length.value > most {
            let message = format!(
                "{} has vectors of up to {most} components (maxCooperativeVectorComponents), and this one has {}",
                self.device(),
                length.value
            );
            let mut found = self.vector_obstacle(message, range, place);
            found.nearest = Some(format!("{most} components"));
            found.defaults = length.defaults;
            self.report(found);
        }
    }

    /// VUID-RuntimeSpirv-OpCooperativeVectorMatrixMulNV-10089.
    fn vector_product(&mut self, body: &Body, arguments: &[ExprId], range: TextRange, place: Place) {
        let Some(wanted) = self.product(body, arguments) else { return };
        let rows = &self.profile.cooperative_vector_properties;
        if rows.iter().any(|row| wanted.fits(row)) {
            return;
        }
        if !self.profile.knows(List::CooperativeVectorProperties) {
            return self.unknown("which products of cooperative vectors it supports");
        }
        let message = format!("{} has no product of {}", self.device(), wanted.describe());
        let mut supported: Vec<String> = Vec::new();
        let mut sorted: Vec<&VectorProperties> = rows.iter().collect();
        sorted.sort_by_key(|row| wanted.others(row));
        for row in sorted {
            push_new(&mut supported, wanted.shown(row));
        }
        let mut found = self.vector_obstacle(message, range, place);
        found.nearest = supported.first().cloned();
        let dots = if supported.len() > NAMED { "; …" } else { "" };
        supported.truncate(NAMED);
        found.alternatives = Some(match supported.is_empty() {
            true => "it lists none".to_owned(),
            false => format!("it has {}{dots}", supported.join("; ")),
        });
        self.report(found);
    }

    /// A product whose types are known: `f(result, input, kind, matrix, offset, kind, [bias, offset, kind,] M, K, layout, transpose, stride)`.
    fn product(&self, body: &Body, arguments: &[ExprId]) -> Option<Product> {
        let component = |argument: ExprId| self.component(body, argument);
        let kind = |argument: ExprId| match body.exprs[argument].constant {
            Some(Const::Int(value)) => u32::try_from(value).ok().map(Interpretation),
            _ => None,
        };
        let &[result, input, taken, _, _, matrix, ref rest @ ..] = arguments else { return None };
        let (bias, transpose) = match *rest {
            [_, _, _, transpose, _] => (None, transpose),
            [_, _, bias, _, _, _, transpose, _] => (Some(kind(bias)?), transpose),
            _ => return None,
        };
        let Some(Const::Bool(transpose)) = body.exprs[transpose].constant else { return None };
        Some(Product {
            input: component(input)?,
            taken: kind(taken)?,
            matrix: kind(matrix)?,
            bias,
            result: component(result)?,
            transpose,
        })
    }

    fn component(&self, body: &Body, vector: ExprId) -> Option<Interpretation> {
        let (component, _) = self.module.types.as_coopvec(body.exprs[vector].ty)?;
        component_to_vulkan(component).map(Interpretation)
    }

    /// cooperativeVectorTrainingFloat16Accumulation, cooperativeVectorTrainingFloat32Accumulation:
    /// VUID-RuntimeSpirv-OpCooperativeVectorReduceSumAccumulateNV-10092, VUID-RuntimeSpirv-OpCooperativeVectorOuterProductAccumulateNV-10093.
    fn vector_sum(&mut self, body: &Body, arguments: &[ExprId], range: TextRange, place: Place) {
        let summed = match *arguments {
            [.., interpretation] if arguments.len() == 7 => match body.exprs[interpretation].constant {
                Some(Const::Int(value)) => u32::try_from(value).ok().map(Interpretation),
                _ => None,
            },
            [vector, ..] => self.component(body, vector),
            [] => None,
        };
        let limits = &self.profile.limits;
        let (width, limit) = match summed {
            Some(sum) if Some(sum.0) == component_to_vulkan(Scalar::Float16) => {
                (16, limits.cooperative_vector_training_float16_accumulation)
            }
            Some(sum) if Some(sum.0) == component_to_vulkan(Scalar::Float32) => {
                (32, limits.cooperative_vector_training_float32_accumulation)
            }
            _ => return,
        };
        match limit {
            Some(true) => {}
            Some(false) => {
                let message = format!(
                    "{} does not add up vectors in floats of {width} bits (cooperativeVectorTrainingFloat{width}Accumulation)",
                    self.device()
                );
                let found = self.vector_obstacle(message, range, place);
                self.report(found);
            }
            None => self.unknown("in which types it adds up cooperative vectors"),
        }
    }

    fn vector_obstacle(&self, message: String, range: TextRange, place: Place) -> Obstacle {
        Obstacle {
            code: &codes::DEVICE_VECTOR,
            range,
            base: place.base,
            function: place.function,
            message,
            alternatives: None,
            nearest: None,
            defaults: Vec::new(),
        }
    }

    /// Where the first vector is named.
    pub(super) fn first_vector(&self) -> Option<(TextRange, Place)> {
        self.module.bodies().find_map(|(body, base, function)| {
            let is_vector = |name: &&crate::hir::NameUse| match name.definition {
                Definition::Type(ty) => matches!(self.module.types.kind(ty), TypeKind::CoopVec(..)),
                _ => false,
            };
            body.names.iter().find(is_vector).map(|name| (name.range, Place { base, function }))
        })
    }
}
