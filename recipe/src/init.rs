//! A first recipe for a shader: what its interface asks for, to be filled in.

use std::fmt::Write as _;

use coopmat_simulator::program::types::Type;
use coopmat_simulator::{BindingKind, Heap, Program};

use crate::interface::{self, LeafKind};
use crate::model::{Address, Buffer, FieldValue, Fields, Fill, HeapPlace, Number, Recipe, Uniform};

/// Elements of a buffer whose length the shader leaves open.
const OPEN: i64 = 4096;

/// Texels of an image in each direction.
const SIDE: i64 = 16;

/// A recipe that runs: one workgroup, buffers that the shader reads full of random numbers, zeros in the others.
pub fn derived(program: &Program) -> Recipe {
    let types = program.types();
    let mut recipe = Recipe { dispatch: vec![Number::Integer(1)], ..Recipe::default() };
    let mut bindings: Vec<_> = program.interface().bindings.iter().collect();
    bindings.sort_by_key(|binding| (binding.set, binding.binding));
    for binding in bindings {
        let taken =
            |buffer: &Buffer| (buffer.set, buffer.binding) == (Some(binding.set), Some(binding.binding));
        if recipe.buffers.iter().any(taken) {
            continue;
        }
        match binding.kind {
            BindingKind::StorageBuffer
            | BindingKind::UniformBuffer
            | BindingKind::StorageImage
            | BindingKind::SampledImage => {}
            BindingKind::Sampler => continue,
        }
        let mut name = binding.name.clone();
        if name.is_empty() || recipe.buffers.iter().any(|buffer| buffer.name == name) {
            name = format!("buffer{}_{}", binding.set, binding.binding);
        }
        let mut buffer =
            Buffer { name, set: Some(binding.set), binding: Some(binding.binding), ..Buffer::default() };
        if let (Some(component), Some(directions)) =
            (crate::plan::channel(program, binding), crate::plan::directions(program, binding))
        {
            // A small image with all channels.
            buffer.element = Some(crate::model::ElementType::Component(component));
            buffer.shape = vec![Number::Integer(SIDE); directions];
            buffer.shape.push(Number::Integer(4));
            if binding.readonly || binding.kind == BindingKind::SampledImage {
                let seed = u64::from(binding.binding) + 1;
                let (low, high) = (Number::Integer(0), Number::Integer(1));
                buffer.fill = Some(Fill::Uniform(Uniform { seed, low, high }));
            }
            recipe.buffers.push(buffer);
            continue;
        }
        match interface::element(types, binding.type_) {
            Some(component) => {
                let sized = i64::try_from(binding.size).unwrap_or(0) / component.size() as i64;
                let open = match types.get(binding.type_) {
                    Type::Structure { members, .. } => members
                        .last()
                        .is_some_and(|member| matches!(types.get(member.type_), Type::RuntimeArray { .. })),
                    _ => false,
                };
                buffer.element = Some(crate::model::ElementType::Component(component));
                buffer.shape = vec![Number::Integer(if open { sized.max(OPEN) } else { sized })];
                if binding.readonly {
                    let number = Number::Integer;
                    let seed = u64::from(binding.binding) + 1;
                    buffer.fill = Some(Fill::Uniform(Uniform { seed, low: number(-1), high: number(1) }));
                }
            }
            None => {
                buffer.bytes = Some(Number::Integer(i64::try_from(binding.size).unwrap_or(0).max(OPEN)));
                buffer.element = Some(crate::model::ElementType::Component(crate::component::Component::U8));
                buffer.shape = vec![buffer.bytes.clone().unwrap_or_default()];
                buffer.bytes = None;
            }
        }
        recipe.buffers.push(buffer);
    }
    if program.interface().heaps[Heap::Resource as usize] {
        // What lies where, only the host knows.
        recipe.buffers.push(Buffer {
            name: "heap0".to_owned(),
            heap: Some(HeapPlace::Index(Number::Integer(0))),
            element: Some(crate::model::ElementType::Component(crate::component::Component::F32)),
            shape: vec![Number::Integer(OPEN)],
            ..Buffer::default()
        });
    }
    if let Some((_, id)) = program.interface().push_constants {
        let mut fields = std::collections::BTreeMap::new();
        for leaf in interface::leaves(types, id) {
            let value = match leaf.kind {
                LeafKind::Number(_) => FieldValue::One(Number::Integer(0)),
                LeafKind::Address => {
                    let name = format!("behind_{}", leaf.name.replace(['.', '[', ']'], "_"));
                    recipe.buffers.push(Buffer {
                        name: name.clone(),
                        element: Some(crate::model::ElementType::Component(crate::component::Component::U8)),
                        shape: vec![Number::Integer(OPEN)],
                        ..Buffer::default()
                    });
                    FieldValue::Address(Address { address: name, plus: 0 })
                }
            };
            fields.insert(leaf.name, value);
        }
        recipe.push_constants = Some(Fields::Named(fields));
    }
    recipe
}

/// The text of a first recipe for the shader of a file, as it is under a configuration. One that has no name of its own is not recorded. `chosen`:
/// values that somebody chose for specialization constants, by name or by id, which the recipe then gives them; of the others it names the defaults.
pub fn init(program: &Program, shader: &str, configuration: &str, chosen: &[(String, String)]) -> String {
    let recipe = derived(program);
    let mut text = format!("# How to run {shader}: docs/recipes.md describes every key.\n");
    text.push_str("description = \"\"\n");
    if !matches!(configuration, "" | "default") {
        let quoted = toml::Value::from(configuration);
        let _ = writeln!(text, "# The configuration of the project file.\nconfig = {quoted}");
    }
    text.push('\n');
    text.push_str("# Workgroups in x, y and z.\ndispatch = [1, 1, 1]\n");
    if let Some(fields) = &recipe.push_constants
        && let Fields::Named(fields) = fields
    {
        text.push_str("\n[push-constants]\n");
        for (name, value) in fields {
            let quoted = name.chars().any(|char| !(char.is_ascii_alphanumeric() || char == '_'));
            let name = if quoted { format!("{name:?}") } else { name.clone() };
            let _ = match value {
                FieldValue::Address(address) => {
                    writeln!(text, "{name} = {{ address = {:?} }}", address.address)
                }
                FieldValue::One(_) | FieldValue::Several(_) => writeln!(text, "{name} = 0"),
            };
        }
    }
    let constants = &program.interface().specialization;
    if !constants.is_empty() {
        text.push_str("\n[specialization]\n");
        for constant in constants {
            let id = constant.id.to_string();
            let name = constant.name.as_deref().unwrap_or(&id);
            if let Some((_, value)) = chosen.iter().rev().find(|(key, _)| key == name || *key == id) {
                // The values of a recipe are numbers.
                let value = match value.as_str() {
                    "true" => "1",
                    "false" => "0",
                    number => number,
                };
                let _ = writeln!(text, "{name} = {value}");
                continue;
            }
            let component = interface::component(program.types().get(constant.type_));
            let value =
                component.map_or(constant.default as f64, |component| component.decode(constant.default));
            let _ = writeln!(text, "# {name} = {value}");
        }
    }
    for buffer in &recipe.buffers {
        let _ = writeln!(text, "\n[[buffers]]\nname = {:?}", buffer.name);
        if let (Some(set), Some(binding)) = (buffer.set, buffer.binding) {
            let _ = writeln!(text, "set = {set}\nbinding = {binding}");
        }
        if buffer.heap.is_some() {
            text.push_str("# The index of its descriptor in the resource heap; `heap = { offset = BYTES }` for other places, `heap = { data = BYTES }` for\n");
            text.push_str("# data among the descriptors, `image = \"2d\"` for an image.\nheap = 0\n");
        }
        if let Some(element) = buffer.element {
            let _ = writeln!(text, "type = \"{}\"", element.name());
        }
        let whole = |number: &Number| match number {
            Number::Integer(integer) => Some(integer.to_string()),
            Number::Float(_) | Number::Formula(_) => None,
        };
        let lengths: Vec<String> = buffer.shape.iter().filter_map(whole).collect();
        if !lengths.is_empty() {
            let _ = writeln!(text, "shape = [{}]", lengths.join(", "));
        }
        if let Some(Fill::Uniform(uniform)) = &buffer.fill {
            let [low, high] = [&uniform.low, &uniform.high].map(|end| whole(end).unwrap_or_default());
            let _ = writeln!(
                text,
                "fill.uniform = {{ seed = {}, low = {low}.0, high = {high}.0 }}",
                uniform.seed
            );
        }
    }
    text.push_str("\n# What is expected after the run, for example:\n# [[expect]]\n# buffer = \"D\"\n");
    text.push_str("# equals.matmul = { a = \"A\", b = \"B\" }\n# tolerance = { absolute = 1e-3 }\n");
    text
}
