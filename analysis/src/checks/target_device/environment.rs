//! What a device allows a workgroup: its size, its width in subgroups, its shared memory; and the stages that matrices may be used in.

use super::{Judge, Obstacle, Place, SCOPE_WORKGROUP, Shape, Value, push_new};
use crate::config::Stage;
use crate::devices::SubgroupSize;
use crate::diagnostics::{Code, codes};
use crate::hir::{Definition, Storage};
use crate::shared_memory::shared_memory;
use crate::text::TextRange;
use crate::types::TypeKind;

/// Matrices that the module declares, by scope: where the first is named.
#[derive(Default)]
struct Matrices {
    subgroup: Option<(TextRange, Place)>,
    workgroup: Option<(TextRange, Place)>,
}

impl Judge<'_> {
    pub(super) fn environment(&mut self) {
        let matrices = self.declared_matrices();
        self.stage(&matrices);
        self.vector_stage();
        if self.module.stage != Some(Stage::Compute) {
            return;
        }
        self.workgroup_size(&matrices);
        self.shared_memory(matrices.workgroup.is_some());
    }

    fn declared_matrices(&self) -> Matrices {
        let mut found = Matrices::default();
        for (body, base, function) in self.module.bodies() {
            for name in &body.names {
                let Definition::Type(ty) = name.definition else { continue };
                let TypeKind::Coopmat(matrix) = self.module.types.kind(ty) else { continue };
                let Some(Shape { scope, .. }) = self.shape(*matrix) else { continue };
                let first = if scope == SCOPE_WORKGROUP { &mut found.workgroup } else { &mut found.subgroup };
                first.get_or_insert((name.range, Place { base, function }));
            }
        }
        found
    }

    /// VUID-RuntimeSpirv-cooperativeMatrixSupportedStages-08985.
    fn stage(&mut self, matrices: &Matrices) {
        let Some((range, place)) = matrices.subgroup.or(matrices.workgroup) else { return };
        let Some(stage) = self.module.stage else { return };
        let Some(stages) = &self.profile.limits.cooperative_matrix_supported_stages else {
            if stage != Stage::Compute {
                self.unknown("in which stages it supports matrices");
            }
            return;
        };
        if stages.iter().any(|name| name == vulkan_name(stage)) {
            return;
        }
        let message = format!(
            "{} has no cooperative matrices in {} shaders (cooperativeMatrixSupportedStages)",
            self.device(),
            stage.name()
        );
        let nearest = stages.first().map(|stage| format!("a {stage} shader"));
        self.report(obstacle(&codes::DEVICE_STAGE, range, place, message, nearest, Vec::new()));
    }

    /// VUID-RuntimeSpirv-cooperativeVectorSupportedStages-10091.
    fn vector_stage(&mut self) {
        let Some(stage) = self.module.stage else { return };
        let Some(stages) = &self.profile.limits.cooperative_vector_supported_stages else { return };
        if stages.iter().any(|name| name == vulkan_name(stage)) {
            return;
        }
        let Some((range, place)) = self.first_vector() else { return };
        let message = format!(
            "{} has no cooperative vectors in {} shaders (cooperativeVectorSupportedStages)",
            self.device(),
            stage.name()
        );
        let nearest = stages.first().map(|stage| format!("a {stage} shader"));
        self.report(obstacle(&codes::DEVICE_STAGE, range, place, message, nearest, Vec::new()));
    }

    /// VUID-RuntimeSpirv-x-06429 to z-06431 and None-06432 for the size; VUID-VkPipelineShaderStageCreateInfo-module-08987 and -10169 for
    /// its width in subgroups.
    fn workgroup_size(&mut self, matrices: &Matrices) {
        let Some(range) = self.module.local_size.range else { return };
        let Some(sizes) = self.local_size() else { return };
        let device = self.device().to_owned();
        if let Some(limits) = self.profile.limits.max_compute_work_group_size {
            for ((size, limit), axis) in sizes.iter().zip(limits).zip(["x", "y", "z"]) {
                if size.value > limit {
                    let message = format!(
                        "{device} has workgroups of up to {limit} invocations in {axis} (maxComputeWorkGroupSize), and this one has {}",
                        size.value
                    );
                    let nearest = Some(format!("local_size_{axis} = {limit}"));
                    self.workgroup(range, message, nearest, size.defaults.clone());
                    return;
                }
            }
        }
        let invocations = self.workgroup_invocations();
        if let (Some(limit), Some(count)) =
            (self.profile.limits.max_compute_work_group_invocations, &invocations)
            && count.value > limit
        {
            let message = format!(
                "{device} has workgroups of up to {limit} invocations (maxComputeWorkGroupInvocations), and this one has {}",
                count.value
            );
            let nearest = Some(format!("{limit} invocations"));
            self.workgroup(range, message, nearest, count.defaults.clone());
            return;
        }
        if matrices.subgroup.is_none() && matrices.workgroup.is_none() {
            return;
        }
        let [x, _, _] = sizes;
        self.width(range, &x);
        if matrices.workgroup.is_some()
            && let Some(count) = invocations
        {
            self.workgroup_scope(range, &count);
        }
    }

    /// The effective size of subgroups: the pipeline's choice where the configuration tells it, otherwise any that the device has.
    fn subgroup_sizes(&self) -> Option<SubgroupSize> {
        let sizes = self.profile.subgroup_size?;
        match self.config.subgroup_size {
            Some(size) if (sizes.min..=sizes.max).contains(&size) => {
                Some(SubgroupSize { default: size, min: size, max: size })
            }
            _ => Some(sizes),
        }
    }

    fn width(&mut self, range: TextRange, x: &Value) {
        let Some(sizes) = self.subgroup_sizes() else {
            return self.unknown("its subgroup size");
        };
        let device = self.device().to_owned();
        if x.value.is_multiple_of(sizes.default) && x.value.is_multiple_of(sizes.max) {
            return;
        }
        if !x.value.is_multiple_of(sizes.min) || x.value == 0 {
            let has = if sizes.min == sizes.max {
                format!("subgroups of {}", sizes.max)
            } else {
                format!("subgroups of {} to {}", sizes.min, sizes.max)
            };
            let message = format!(
                "{device} has {has}, and local_size_x = {} is not a multiple of that: a shader with cooperative matrices needs whole subgroups in x",
                x.value
            );
            let next = x.value.max(1).checked_next_multiple_of(sizes.min).unwrap_or(sizes.min);
            let nearest = Some(format!("local_size_x = {next}"));
            return self.workgroup(range, message, nearest, x.defaults.clone());
        }
        // A smaller size than the default will do, which the pipeline has to ask for.
        let fitting = 1u32 << x.value.trailing_zeros().min(31);
        let fitting = fitting.min(sizes.max);
        push_new(
            &mut self.judgement.conditions,
            format!(
                "local_size_x = {} needs subgroups of {fitting} or less (VkPipelineShaderStageRequiredSubgroupSizeCreateInfo), and its default is {}",
                x.value, sizes.default
            ),
        );
    }

    /// VUID-VkPipelineShaderStageCreateInfo-module-10169, but for the multiple in x.
    fn workgroup_scope(&mut self, range: TextRange, count: &Value) {
        let device = self.device().to_owned();
        if let Some(limit) = self.profile.limits.cooperative_matrix_workgroup_scope_max_workgroup_size
            && self.profile.feature("cooperativeMatrixWorkgroupScope") == Some(true)
            && count.value > limit
        {
            let message = format!(
                "{device} has matrices of workgroup scope in workgroups of up to {limit} invocations (cooperativeMatrixWorkgroupScopeMaxWorkgroupSize), and this one has {}",
                count.value
            );
            let nearest = Some(format!("{limit} invocations"));
            return self.workgroup(range, message, nearest, count.defaults.clone());
        }
        let Some(sizes) = self.subgroup_sizes() else { return };
        let subgroups = count.value / sizes.min;
        if count.value.is_multiple_of(sizes.min) && !subgroups.is_power_of_two() {
            let message = format!(
                "matrices of workgroup scope need a workgroup of a power of two times the subgroup size, and this one has {} invocations in subgroups of {} on {device}",
                count.value, sizes.min
            );
            let nearest = subgroups
                .checked_next_power_of_two()
                .and_then(|subgroups| subgroups.checked_mul(sizes.min))
                .map(|count| format!("{count} invocations"));
            self.workgroup(range, message, nearest, count.defaults.clone());
        }
    }

    fn workgroup(
        &mut self,
        range: TextRange,
        message: String,
        nearest: Option<String>,
        defaults: Vec<smol_str::SmolStr>,
    ) {
        self.report(obstacle(&codes::DEVICE_WORKGROUP, range, Place::TOP, message, nearest, defaults));
    }

    /// VUID-RuntimeSpirv-Workgroup-06530, maxComputeSharedMemorySize-10168.
    fn shared_memory(&mut self, workgroup_scope: bool) {
        let Some(limit) = self.profile.limits.max_compute_shared_memory_size else {
            if self.module.globals.iter().any(|(_, global)| global.storage == Storage::Shared) {
                self.unknown("how much shared memory it has");
            }
            return;
        };
        let reserved = if workgroup_scope {
            self.profile.limits.cooperative_matrix_workgroup_scope_reserved_shared_memory.unwrap_or(0)
        } else {
            0
        };
        let mut defaults = Vec::new();
        let length = |length| {
            let length = self.value(length)?;
            for name in length.defaults {
                push_new(&mut defaults, name);
            }
            Some(u64::from(length.value))
        };
        // All that the module declares, as VUID 06530 counts: what no function names is compiled, too.
        let all = self.module.globals.iter().map(|(id, _)| id).collect();
        let Some(taken) = shared_memory(self.module, &all, length) else { return };
        // More than the variables themselves is the device's own affair.
        let (sum, Some(range)) = (taken.least, taken.largest) else { return };
        let available = u64::from(limit.saturating_sub(reserved));
        if sum <= available {
            return;
        }
        let device = self.device().to_owned();
        let without = if reserved > 0 {
            format!(
                " without the {reserved} that matrices of workgroup scope take (cooperativeMatrixWorkgroupScopeReservedSharedMemory)"
            )
        } else {
            " (maxComputeSharedMemorySize)".to_owned()
        };
        let message = format!(
            "{device} has {available} bytes of shared memory{without}, and the variables of this shader take {sum}; this is the largest of them"
        );
        let nearest = Some(format!("{} bytes less", sum - available));
        self.report(obstacle(&codes::DEVICE_SHARED_MEMORY, range, Place::TOP, message, nearest, defaults));
    }
}

fn obstacle(
    code: &'static Code,
    range: TextRange,
    place: Place,
    message: String,
    nearest: Option<String>,
    defaults: Vec<smol_str::SmolStr>,
) -> Obstacle {
    let Place { base, function } = place;
    Obstacle { code, range, base, function, message, alternatives: None, nearest, defaults }
}

/// As profiles write the names of `VkShaderStageFlagBits`.
fn vulkan_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "vertex",
        Stage::TessControl => "tessellation_control",
        Stage::TessEvaluation => "tessellation_evaluation",
        Stage::Geometry => "geometry",
        Stage::Fragment => "fragment",
        Stage::Compute => "compute",
        Stage::Task => "task_ext",
        Stage::Mesh => "mesh_ext",
        Stage::RayGeneration => "raygen_khr",
        Stage::Intersection => "intersection_khr",
        Stage::AnyHit => "any_hit_khr",
        Stage::ClosestHit => "closest_hit_khr",
        Stage::Miss => "miss_khr",
        Stage::Callable => "callable_khr",
    }
}
