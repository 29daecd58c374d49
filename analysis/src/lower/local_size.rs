//! The size of the workgroup, and how its invocations are grouped for derivatives.

use tree_sitter::Node;

use crate::diagnostics::{Severity, codes};
use crate::extensions::{self, constants};
use crate::hir::{DefaultLayout, DerivativeGroup, LocalSizeDim, Place};
use crate::text::TextRange;

use super::Lowerer;
use super::qualifiers::{Qualifiers, word};

impl<'a> Lowerer<'a> {
    pub(super) fn apply_local_size(&mut self, node: Node<'a>, qualifiers: &Qualifiers) {
        let group = self.derivative_group(node, qualifiers) | self.tile_shading_rate(node, qualifiers);
        if !group {
            let range = self.range(node);
            let storage = qualifiers.storage();
            let names = qualifiers.layout.other.iter().map(|(name, value)| DefaultLayout {
                name: name.clone(),
                value: value.and_then(|value| u32::try_from(value).ok()),
                storage,
                range,
            });
            self.module.default_layouts.extend(names);
        }
        let size = &qualifiers.local_size;
        if size.iter().all(|dim| *dim == LocalSizeDim::default()) {
            return;
        }
        let range = self.range(node);
        if !qualifiers.has(word::IN) {
            self.report(
                &codes::QUALIFIER_MISUSE,
                range,
                "the local size is declared with `layout(...) in;`".to_owned(),
            );
        }
        self.check_large_group(size, range);
        let first = self.module.local_size.range;
        for (index, dim) in size.iter().enumerate() {
            let known = &mut self.module.local_size.dims[index];
            let clash = matches!((known.value, dim.value), (Some(known), Some(new)) if known != new)
                || matches!((known.constant_id, dim.constant_id), (Some(known), Some(new)) if known != new);
            known.value = known.value.or(dim.value);
            known.constant_id = known.constant_id.or(dim.constant_id);
            if clash {
                let axis = ['x', 'y', 'z'][index];
                let related = first.map(|first| (Place::Here(first), "the first declaration".to_owned()));
                self.report_with(
                    &codes::LAYOUT_VALUE,
                    range,
                    format!("`local_size_{axis}` has a different value in an earlier declaration"),
                    related.into_iter().collect(),
                );
            }
        }
        self.module.local_size.range.get_or_insert(range);
    }

    /// GLSL 4.60, section 4.4.1.3: a size above the implementation's is an error there. What a target device has is asked with the target device.
    fn check_large_group(&mut self, size: &[LocalSizeDim; 3], range: TextRange) {
        let limit = extensions::constant_by_id(constants::GL_MAX_COMPUTE_WORK_GROUP_SIZE);
        for ((dim, limit), axis) in size.iter().zip(limit.components).zip(['x', 'y', 'z']) {
            if let Some(value) = dim.value.and_then(|value| self.types.symbols.as_int(value))
                && value > *limit
                && self.config.device.is_none()
            {
                self.report_as(
                    &codes::LAYOUT_VALUE,
                    Severity::Warning,
                    range,
                    format!(
                        "`local_size_{axis}` is {value}, but compilers accept at most {limit}, the value of `gl_MaxComputeWorkGroupSize.{axis}`"
                    ),
                    Vec::new(),
                );
            }
        }
    }

    /// GL_QCOM_tile_shading, 4.4.1: rates that are not given are 1, and those of x and y "are required to be a power of 2". Whether the declaration
    /// gives one.
    fn tile_shading_rate(&mut self, node: Node<'a>, qualifiers: &Qualifiers) -> bool {
        let names = ["shading_rate_xqcom", "shading_rate_yqcom", "shading_rate_zqcom"];
        let mut found = false;
        for (name, value) in &qualifiers.layout.other {
            let Some(dimension) = names.iter().position(|known| known == name) else { continue };
            found = true;
            let Some(value) = value.and_then(|value| u32::try_from(value).ok()) else { continue };
            if value == 0 || (dimension < 2 && !value.is_power_of_two()) {
                let wanted = if dimension < 2 { "a power of two" } else { "at least 1" };
                let written = name.replace("qcom", "QCOM");
                let range = qualifiers.layout_range.unwrap_or_else(|| self.range(node));
                self.report(
                    &codes::LAYOUT_VALUE,
                    range,
                    format!("`{written}` must be {wanted}, found {value}"),
                );
                continue;
            }
            self.module.tile_shading_rate.get_or_insert([1; 3])[dimension] = value;
        }
        found
    }

    /// `layout(derivative_group_quadsKHR) in;`, and whether the declaration is one.
    fn derivative_group(&mut self, node: Node<'a>, qualifiers: &Qualifiers) -> bool {
        let groups = qualifiers.layout.other.iter().filter_map(|(name, _)| match name.as_str() {
            "derivative_group_quadskhr" | "derivative_group_quadsnv" => Some(DerivativeGroup::Quads),
            "derivative_group_linearkhr" | "derivative_group_linearnv" => Some(DerivativeGroup::Linear),
            _ => None,
        });
        let groups: Vec<DerivativeGroup> = groups.collect();
        let range = self.range(node);
        for &group in &groups {
            match self.module.derivative_group {
                None => self.module.derivative_group = Some((group, range)),
                Some((known, _)) if known == group => {}
                Some((_, first)) => {
                    let message =
                        "a shader can group its invocations for derivatives only in one way: by quads or linearly"
                            .to_owned();
                    let related = vec![(Place::Here(first), "the first declaration".to_owned())];
                    self.report_with(&codes::DERIVATIVE_GROUP, range, message, related);
                }
            }
        }
        if !groups.is_empty() && !qualifiers.has(word::IN) {
            let message = "how invocations are grouped is declared with `layout(...) in;`".to_owned();
            self.report(&codes::QUALIFIER_MISUSE, range, message);
        }
        !groups.is_empty()
    }

    /// GL_KHR_compute_shader_derivatives, section 4.4.1.4: the workgroup consists of whole groups. What a pipeline may still change is told as a hint.
    pub(super) fn check_derivative_group(&mut self) {
        let Some((group, range)) = self.module.derivative_group else { return };
        let dims = &self.module.local_size.dims;
        let symbols = &self.types.symbols;
        let value = |dim: &LocalSizeDim| match dim.value {
            Some(value) => symbols.as_int(value).or_else(|| symbols.default_value(value)),
            None => Some(1),
        };
        let fixed = |dim: &LocalSizeDim| {
            dim.constant_id.is_none() && dim.value.is_none_or(|value| symbols.as_int(value).is_some())
        };
        let [Some(x), Some(y), Some(z)] = [value(&dims[0]), value(&dims[1]), value(&dims[2])] else { return };
        let (fits, certain, message) = match group {
            DerivativeGroup::Quads => (
                x % 2 == 0 && y % 2 == 0,
                (x % 2 != 0 && fixed(&dims[0])) || (y % 2 != 0 && fixed(&dims[1])),
                format!(
                    "grouping by quads needs a local size that is a multiple of 2 in x and y, found {x} x {y}"
                ),
            ),
            DerivativeGroup::Linear => (
                (x % 4) * (y % 4) * (z % 4) % 4 == 0,
                dims.iter().all(fixed),
                format!(
                    "linear grouping needs a local size with a multiple of 4 invocations, found {x} x {y} x {z}"
                ),
            ),
        };
        if !fits {
            let severity = if certain { codes::DERIVATIVE_GROUP.severity } else { Severity::Hint };
            let message = if certain { message } else { format!("under the default values: {message}") };
            self.report_as(&codes::DERIVATIVE_GROUP, severity, range, message, Vec::new());
        }
    }
}
