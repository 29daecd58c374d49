//! What the run pane shows before a run, as JSON: the module's interface, the recipe, the buffers that they make, and what is wrong.

use coopmat_analysis::devices;
use coopmat_recipe::blocks::BlockFormat;
use coopmat_recipe::component::Component;
use coopmat_recipe::interface::{self, Leaf};
use coopmat_recipe::model::Layout;
use coopmat_recipe::ownership::Row;
use coopmat_recipe::report::{Modes, Report};
use coopmat_recipe::{LineWork, Plan, Recipe, modes};
use coopmat_simulator::{BindingKind, Program};
use serde::Serialize;

use crate::module::Source;
use crate::places::Place;
use crate::prepare::{Prepared, Problem};

/// What there is to choose from.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Lists {
    numerics: Vec<&'static str>,
    ownerships: Vec<&'static str>,
    decodes: Vec<&'static str>,
    devices: Vec<Device>,
    /// Types of elements: single numbers, and blocks that share a scale.
    components: Vec<&'static str>,
    blocks: Vec<&'static str>,
    /// How a matrix may lie in memory.
    layouts: Vec<&'static str>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Device {
    name: String,
    title: String,
}

pub fn lists() -> Lists {
    let device = |profile: &std::sync::Arc<devices::DeviceProfile>| Device {
        name: profile.name.to_string(),
        title: profile.title.to_string(),
    };
    Lists {
        numerics: modes::numerics_names(),
        ownerships: modes::ownership_names(),
        decodes: modes::DECODE_NAMES.to_vec(),
        devices: devices::builtin().iter().map(device).collect(),
        components: Component::ALL.iter().map(|it| it.name()).collect(),
        blocks: BlockFormat::ALL.iter().map(|it| it.name()).collect(),
        layouts: Layout::ALL.iter().map(|it| it.name()).collect(),
    }
}

/// Everything about a run before it begins. What cannot be told is null.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Description {
    pub problems: Vec<Problem>,
    pub interface: Option<Interface>,
    /// As its schema has it.
    #[cfg_attr(test, ts(type = "Record<string, unknown> | null"))]
    pub recipe: Option<Recipe>,
    pub plan: Option<PlanInfo>,
    /// Texts that modules hold of their sources, and that are no files of the page.
    pub sources: Vec<Source>,
}

impl From<Problem> for Description {
    fn from(problem: Problem) -> Description {
        Description {
            problems: vec![problem],
            interface: None,
            recipe: None,
            plan: None,
            sources: Vec::new(),
        }
    }
}

/// What the module wants to be given.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Interface {
    workgroup_size: [u32; 3],
    subgroup_size: Option<u32>,
    bindings: Vec<Binding>,
    push_constants: Option<PushConstants>,
    specialization: Vec<Constant>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Binding {
    set: u32,
    binding: u32,
    /// What a recipe calls it.
    name: Option<String>,
    block: String,
    kind: Kind,
    /// Null where the shader leaves it open.
    count: Option<u32>,
    readonly: bool,
    bytes: u64,
    r#type: Option<&'static str>,
}

/// What a descriptor refers to.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "BindingKind"))]
pub enum Kind {
    Buffer,
    Uniform,
    Image,
    #[serde(rename = "sampled image")]
    SampledImage,
    Sampler,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PushConstants {
    bytes: u32,
    members: Vec<Member>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Member {
    name: String,
    r#type: &'static str,
    count: usize,
    offset: usize,
}

/// A specialization constant.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Constant {
    id: u32,
    name: Option<String>,
    r#type: Option<&'static str>,
    /// The shader's own value.
    default: f64,
    value: f64,
}

fn member(leaf: &Leaf) -> Member {
    Member { name: leaf.name.clone(), r#type: leaf.kind.name(), count: leaf.count, offset: leaf.offset }
}

pub fn interface_of(program: &Program) -> Interface {
    let types = program.types();
    let interface = program.interface();
    let binding = |binding: &coopmat_simulator::Binding| Binding {
        set: binding.set,
        binding: binding.binding,
        name: interface::names(program, binding).last().map(str::to_owned),
        block: binding.name.clone(),
        kind: match binding.kind {
            BindingKind::StorageBuffer => Kind::Buffer,
            BindingKind::UniformBuffer => Kind::Uniform,
            BindingKind::StorageImage => Kind::Image,
            BindingKind::SampledImage => Kind::SampledImage,
            BindingKind::Sampler => Kind::Sampler,
        },
        count: binding.count,
        readonly: binding.readonly,
        bytes: binding.size,
        r#type: interface::element(types, binding.type_).map(Component::name),
    };
    let constant = |constant: &coopmat_simulator::SpecializationConstant| {
        let component = interface::component(types.get(constant.type_));
        let number = |bits: u64| component.map_or(bits as f64, |component| component.decode(bits));
        Constant {
            id: constant.id,
            name: constant.name.clone(),
            r#type: component.map(Component::name),
            default: number(constant.default),
            value: number(constant.value),
        }
    };
    Interface {
        workgroup_size: interface.workgroup_size,
        subgroup_size: interface.subgroup_size,
        bindings: interface.bindings.iter().map(binding).collect(),
        push_constants: interface.push_constants.map(|(bytes, id)| PushConstants {
            bytes,
            members: interface::leaves(types, id).iter().map(member).collect(),
        }),
        specialization: interface.specialization.iter().map(constant).collect(),
    }
}

/// A buffer of the recipe, as it was planned.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BufferInfo {
    name: String,
    bytes: usize,
    /// Null for a buffer of members alone.
    r#type: Option<&'static str>,
    shape: Vec<usize>,
    layout: Layout,
    stride: Option<usize>,
    offset: Option<usize>,
    /// Set, binding and index, of several dispatches in the first that has it; null for a buffer that is known by its address.
    descriptor: Option<(u32, u32, u32)>,
    /// Its place in a descriptor heap, in words.
    heap: Option<String>,
    uniform: bool,
    /// An image of the shader: texels, and their channels last.
    image: bool,
    uninitialised: bool,
    /// The reference that it is compared with.
    expectation: Option<String>,
}

pub fn buffer(plan: &Plan, index: usize, expectation: Option<&str>) -> Option<BufferInfo> {
    let buffer = plan.buffers.get(index)?;
    let bound = plan.descriptor(index);
    let extent = buffer.extent.as_ref();
    Some(BufferInfo {
        name: buffer.name.clone(),
        bytes: buffer.bytes.len(),
        r#type: extent.map(|extent| extent.element.name()),
        shape: extent.map(|extent| extent.shape.clone()).unwrap_or_default(),
        layout: extent.map(|extent| extent.layout).unwrap_or_default(),
        stride: extent.map(|extent| extent.stride),
        offset: extent.map(|extent| extent.offset),
        descriptor: bound.map(|(descriptor, _)| descriptor),
        heap: buffer.heap.map(|heap| heap.place()),
        uniform: bound.is_some_and(|(_, is_uniform)| is_uniform),
        image: buffer.image.is_some(),
        uninitialised: buffer.uninitialised,
        expectation: expectation.map(str::to_owned),
    })
}

/// The recipe, applied to the module.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Plan"))]
pub struct PlanInfo {
    /// Workgroups of the first dispatch.
    dispatch: [u32; 3],
    /// Those of a recipe that lists its dispatches, in their order.
    dispatches: Vec<DispatchInfo>,
    modes: Modes,
    step_limit: Option<u64>,
    buffers: Vec<BufferInfo>,
    expectations: Vec<Expectation>,
}

/// One dispatch of several.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct DispatchInfo {
    name: String,
    /// What the page calls its shader's file.
    shader: String,
    workgroups: [u32; 3],
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Expectation {
    /// The index of the buffer.
    buffer: usize,
    reference: String,
}

pub fn plan(prepared: &Prepared) -> PlanInfo {
    let plan = &prepared.plan;
    let expectation = |one: &coopmat_recipe::PlannedExpectation| Expectation {
        buffer: one.buffer,
        reference: one.reference.clone(),
    };
    let reference = |index: usize| {
        plan.expectations.iter().find(|one| one.buffer == index).map(|one| one.reference.as_str())
    };
    let dispatches = plan.dispatches.iter().zip(&prepared.shaders).filter_map(|(dispatch, shader)| {
        let name = dispatch.name.clone()?;
        Some(DispatchInfo { name, shader: shader.name.clone(), workgroups: dispatch.workgroups })
    });
    PlanInfo {
        dispatch: plan.dispatches.first().map_or([1; 3], |first| first.workgroups),
        dispatches: dispatches.collect(),
        modes: prepared.modes.clone(),
        step_limit: plan.step_limit,
        buffers: (0..plan.buffers.len()).filter_map(|index| buffer(plan, index, reference(index))).collect(),
        expectations: plan.expectations.iter().map(expectation).collect(),
    }
}

/// A first recipe.
#[derive(Serialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum FirstRecipe {
    Made {
        text: String,
        /// What it expects, as its schema has it.
        #[cfg_attr(test, ts(type = "Record<string, unknown>[]"))]
        expect: Vec<coopmat_recipe::model::Expectation>,
    },
    Refused {
        problem: Problem,
    },
}

/// How a run ended.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RanAnswer<'a> {
    /// As `run --json` prints it.
    pub report: &'a Report,
    /// The ranges of its findings, in their order.
    pub finding_places: Vec<Option<Place>>,
    /// What each line did, by the page's names of files.
    pub lines: &'a [LineWork],
}

/// How verdicts of ownerships go on.
#[derive(Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct JudgedAnswer<'a> {
    /// Those that are new since the last answer.
    #[cfg_attr(test, ts(type = "Array<OwnershipVerdict>"))]
    pub rows: &'a [Row],
    /// How many there will be in the end.
    pub all: usize,
    /// With the last one: what all of them say together.
    pub notes: Option<Vec<String>>,
}

/// As JSON. What the page is told is made of numbers, texts and lists, all of which JSON can hold.
pub fn json(message: &impl Serialize) -> String {
    serde_json::to_string(message).unwrap_or_default()
}
