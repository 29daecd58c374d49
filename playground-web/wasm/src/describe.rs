//! What the run pane shows before a run, as JSON: the module's interface, the recipe, the buffers that they make, and what is wrong.

use coopmat_analysis::devices;
use coopmat_recipe::blocks::BlockFormat;
use coopmat_recipe::component::Component;
use coopmat_recipe::interface::{self, Leaf};
use coopmat_recipe::model::Layout;
use coopmat_recipe::{PlannedBuffer, modes};
use coopmat_simulator::{BindingKind, Program};
use serde_json::{Value, json};

use crate::prepare::{Prepared, Problem};

/// What there is to choose from.
pub fn lists() -> Value {
    let device = |profile: &std::sync::Arc<devices::DeviceProfile>| json!({"name": profile.name, "title": profile.title});
    json!({
        "numerics": modes::numerics_names(),
        "ownerships": modes::ownership_names(),
        "decodes": modes::DECODE_NAMES,
        "devices": devices::builtin().iter().map(device).collect::<Vec<_>>(),
        "components": Component::ALL.iter().map(|it| it.name()).collect::<Vec<_>>(),
        "blocks": BlockFormat::ALL.iter().map(|it| it.name()).collect::<Vec<_>>(),
    })
}

fn leaf(leaf: &Leaf) -> Value {
    json!({"name": leaf.name, "type": leaf.kind.name(), "count": leaf.count, "offset": leaf.offset})
}

pub fn interface_of(program: &Program) -> Value {
    let types = program.types();
    let interface = program.interface();
    let binding = |binding: &coopmat_simulator::Binding| {
        json!({
            "set": binding.set,
            "binding": binding.binding,
            "name": interface::names(program, binding).last(),
            "block": binding.name,
            "kind": match binding.kind {
                BindingKind::StorageBuffer => "buffer",
                BindingKind::UniformBuffer => "uniform",
                BindingKind::StorageImage => "image",
                BindingKind::SampledImage => "sampled image",
                BindingKind::Sampler => "sampler",
            },
            "count": binding.count,
            "readonly": binding.readonly,
            "bytes": binding.size,
            "type": interface::element(types, binding.type_).map(Component::name),
        })
    };
    let constant = |constant: &coopmat_simulator::SpecializationConstant| {
        let component = interface::component(types.get(constant.type_));
        let number = |bits: u64| component.map_or(bits as f64, |component| component.decode(bits));
        json!({
            "id": constant.id,
            "name": constant.name,
            "type": component.map(Component::name),
            "default": number(constant.default),
            "value": number(constant.value),
        })
    };
    json!({
        "workgroupSize": interface.workgroup_size,
        "subgroupSize": interface.subgroup_size,
        "bindings": interface.bindings.iter().map(binding).collect::<Vec<_>>(),
        "pushConstants": interface.push_constants.map(|(bytes, id)| {
            let members: Vec<Value> = interface::leaves(types, id).iter().map(leaf).collect();
            json!({"bytes": bytes, "members": members})
        }),
        "specialization": interface.specialization.iter().map(constant).collect::<Vec<_>>(),
    })
}

pub fn buffer(buffer: &PlannedBuffer) -> Value {
    let extent = buffer.extent.as_ref();
    json!({
        "name": buffer.name,
        "bytes": buffer.bytes.len(),
        "type": extent.map(|extent| extent.element.name()),
        "shape": extent.map(|extent| extent.shape.clone()).unwrap_or_default(),
        "layout": match extent.map(|extent| extent.layout) {
            Some(Layout::ColumnMajor) => "column-major",
            Some(Layout::RowMajor) | None => "row-major",
        },
        "stride": extent.map(|extent| extent.stride),
        "offset": extent.map(|extent| extent.offset),
        "descriptor": buffer.descriptor,
        "uniform": buffer.uniform,
        "image": buffer.image.is_some(),
        "uninitialised": buffer.uninitialised,
    })
}

pub fn plan(prepared: &Prepared) -> Value {
    let plan = &prepared.plan;
    let expectation =
        |one: &coopmat_recipe::PlannedExpectation| json!({"buffer": one.buffer, "reference": one.reference});
    json!({
        "dispatch": plan.dispatch,
        "modes": prepared.modes,
        "stepLimit": plan.step_limit,
        "buffers": plan.buffers.iter().map(buffer).collect::<Vec<_>>(),
        "expectations": plan.expectations.iter().map(expectation).collect::<Vec<_>>(),
    })
}

/// Problems as the page lists them.
pub fn problem(problem: &Problem) -> Value {
    json!({"message": problem.message, "place": problem.place})
}
