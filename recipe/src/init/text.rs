//! A first recipe as text, with comments for whoever fills it in.

use std::fmt::Write as _;

use coopmat_simulator::{Program, SpecializationConstant};

use super::Draft;
use crate::interface;
use crate::model::{Buffer, Compute, FieldValue, Fields, Fill, Layout, Number};

fn number(number: &Number) -> String {
    match number {
        Number::Integer(integer) => integer.to_string(),
        Number::Float(float) => format!("{float:?}"),
        Number::Formula(formula) => format!("{formula:?}"),
    }
}

fn float(number: &Number) -> String {
    match number {
        Number::Integer(integer) => format!("{integer}.0"),
        other => self::number(other),
    }
}

fn list(numbers: &[Number]) -> String {
    numbers.iter().map(number).collect::<Vec<_>>().join(", ")
}

fn key(name: &str) -> String {
    let quoted = name.is_empty() || name.chars().any(|char| !(char.is_ascii_alphanumeric() || char == '_'));
    if quoted { format!("{name:?}") } else { name.to_owned() }
}

fn value(value: &FieldValue) -> String {
    match value {
        FieldValue::Address(address) => format!("{{ address = {:?} }}", address.address),
        FieldValue::One(one) => number(one),
        FieldValue::Several(several) => format!("[{}]", list(several)),
    }
}

/// The value that a specialization constant has unless it is given one.
pub fn default(program: &Program, constant: &SpecializationConstant) -> String {
    let component = interface::component(program.types().get(constant.type_));
    component.map_or(constant.default as f64, |component| component.decode(constant.default)).to_string()
}

/// The whole text.
pub fn written(draft: &Draft, program: &Program, shader: &str, configuration: &str) -> String {
    let recipe = &draft.recipe;
    let mut text = format!("# How to run {shader}: docs/recipes.md describes every key.\n");
    text.push_str("description = \"\"\n");
    if !matches!(configuration, "" | "default") {
        let quoted = toml::Value::from(configuration);
        let _ = writeln!(text, "# The configuration of the project file.\nconfig = {quoted}");
    }
    for unknown in &draft.unknown {
        let _ = writeln!(text, "# not known: {}", unknown.replace('\n', " "));
    }
    text.push('\n');
    if !recipe.sizes.is_empty() {
        let sizes = ["M", "N", "K"].into_iter().filter_map(|name| Some((name, recipe.sizes.get(name)?)));
        let sizes: Vec<String> = sizes.map(|(name, size)| format!("{name} = {}", number(size))).collect();
        let _ =
            writeln!(text, "# D = A * B: rows and columns of D, and how many products each is the sum of.");
        let _ = writeln!(text, "sizes = {{ {} }}", sizes.join(", "));
    }
    let _ = writeln!(text, "# Workgroups in x, y and z.\ndispatch = [{}]", list(&recipe.dispatch));
    if let Some(Fields::Named(fields)) = &recipe.push_constants {
        text.push_str("\n[push-constants]\n");
        for (name, given) in fields {
            if draft.guessed.contains(name) && matches!(given, FieldValue::One(_)) {
                let _ = writeln!(text, "# not known: {name}");
            }
            let _ = writeln!(text, "{} = {}", key(name), value(given));
        }
    }
    let constants = &program.interface().specialization;
    if !constants.is_empty() {
        text.push_str("\n[specialization]\n");
        for constant in constants {
            let id = constant.id.to_string();
            let has_name = |it: &SpecializationConstant| it.id == constant.id && it.name.is_some();
            if constant.name.is_none() && constants.iter().any(has_name) {
                continue;
            }
            let name = constant.name.as_deref().unwrap_or(&id);
            match recipe.specialization.get(name).or_else(|| recipe.specialization.get(&id)) {
                Some(value) => {
                    let _ = writeln!(text, "{name} = {}", number(value));
                }
                None => {
                    let _ = writeln!(text, "# {name} = {}", default(program, constant));
                }
            }
        }
    }
    for buffer in &recipe.buffers {
        let unknown = draft.of_buffer.get(&buffer.name).map_or(&[][..], Vec::as_slice);
        add_buffer(&mut text, buffer, unknown);
    }
    expectation(&mut text, draft);
    text
}

fn add_buffer(text: &mut String, buffer: &Buffer, unknown: &[String]) {
    let _ = writeln!(text, "\n[[buffers]]\nname = {:?}", buffer.name);
    if let (Some(set), Some(binding)) = (buffer.set, buffer.binding) {
        let _ = writeln!(text, "set = {set}\nbinding = {binding}");
    }
    if buffer.heap.is_some() {
        text.push_str("# The index of its descriptor in the resource heap; `heap = { offset = BYTES }` for other places, `heap = { data = BYTES }` for\n");
        text.push_str("# data among the descriptors, `image = \"2d\"` for an image.\nheap = 0\n");
    }
    for unknown in unknown {
        let _ = writeln!(text, "# not known: {unknown}");
    }
    if let Some(element) = buffer.element {
        let _ = writeln!(text, "type = \"{}\"", element.name());
    }
    if !buffer.shape.is_empty() {
        let _ = writeln!(text, "shape = [{}]", list(&buffer.shape));
    }
    if buffer.layout != Layout::RowMajor {
        let _ = writeln!(text, "layout = \"{}\"", buffer.layout.name());
    }
    for (name, given) in [("stride", &buffer.stride), ("offset", &buffer.offset), ("bytes", &buffer.bytes)] {
        if let Some(given) = given {
            let _ = writeln!(text, "{name} = {}", number(given));
        }
    }
    match &buffer.fill {
        Some(Fill::Uniform(uniform)) => {
            let (low, high) = (float(&uniform.low), float(&uniform.high));
            let _ =
                writeln!(text, "fill.uniform = {{ seed = {}, low = {low}, high = {high} }}", uniform.seed);
        }
        Some(Fill::Integers(integers)) => {
            let _ = writeln!(
                text,
                "fill.integers = {{ seed = {}, low = {}, high = {} }}",
                integers.seed, integers.low, integers.high
            );
        }
        _ => {}
    }
    match &buffer.fields {
        Some(Fields::Named(fields)) => {
            for (name, given) in fields {
                let _ = writeln!(text, "fields.{} = {}", key(name), value(given));
            }
        }
        Some(Fields::Listed(fields)) => {
            text.push_str("fields = [\n");
            for field in fields {
                let offset = field.offset.map(|offset| format!(", offset = {offset}")).unwrap_or_default();
                let name = field.component.map_or("u64", |component| component.name());
                let _ = writeln!(text, "  {{ type = \"{name}\", value = {}{offset} }},", value(&field.value));
            }
            text.push_str("]\n");
        }
        None => {}
    }
}

fn expectation(text: &mut String, draft: &Draft) {
    let found = draft.recipe.expect.first().and_then(|expectation| match &expectation.equals {
        Compute::Matmul(matmul) => Some((expectation, matmul)),
        _ => None,
    });
    let Some((expectation, matmul)) = found else {
        text.push_str("\n# What is expected after the run, for example:\n# [[expect]]\n# buffer = \"D\"\n");
        text.push_str("# equals.matmul = { a = \"A\", b = \"B\" }\n# tolerance = { absolute = 1e-3 }\n");
        return;
    };
    let mut lines = vec!["[[expect]]".to_owned(), format!("buffer = {:?}", expectation.buffer)];
    let mut operands = vec![format!("a = {:?}", matmul.a), format!("b = {:?}", matmul.b)];
    operands.extend(matmul.c.as_ref().map(|c| format!("c = {c:?}")));
    for (name, set) in [
        ("transpose-a", matmul.transpose_a),
        ("transpose-b", matmul.transpose_b),
        ("saturate", matmul.saturate),
    ] {
        operands.extend(set.then(|| format!("{name} = true")));
    }
    lines.push(format!("equals.matmul = {{ {} }}", operands.join(", ")));
    let tolerance = &expectation.tolerance;
    let mut parts = Vec::new();
    for (name, given) in [("absolute", tolerance.absolute), ("relative", tolerance.relative)] {
        parts.extend(given.map(|given| format!("{name} = {given:e}")));
    }
    if let Some(words) = &draft.tolerance {
        lines.push(format!("# {words}: see \"Tolerances\" in docs/recipes.md."));
    }
    if !parts.is_empty() {
        lines.push(format!("tolerance = {{ {} }}", parts.join(", ")));
    }
    text.push('\n');
    match &draft.doubt {
        Some(doubt) => {
            let _ = writeln!(
                text,
                "# not known: what is stored besides the product ({doubt}). Without that it would be:"
            );
            for line in lines {
                let _ = writeln!(text, "# {line}");
            }
        }
        None => {
            for line in lines {
                let _ = writeln!(text, "{line}");
            }
        }
    }
}
