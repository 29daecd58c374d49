//! What a stage has to say of its primitives, and what a shader may say once at most (GLSL 4.60, sections 4.4.1 and 4.4.2; GL_EXT_mesh_shader;
//! GL_EXT_ray_tracing).

use crate::diagnostics::codes;
use crate::hir::{DefaultLayout, Definition, GlobalId, Item, Layout, Place, Storage};
use crate::stage::Stage;

use super::Lowerer;

/// More names in declarations without a variable than this are not compared with each other.
const MOST: usize = 512;

impl Lowerer<'_> {
    /// Of a whole shader.
    pub(super) fn check_stage_layouts(&mut self) {
        let Some(stage) = self.module.stage else { return };
        self.check_single_variables();
        self.check_repeated_layouts();
        self.check_needed_layouts(stage);
    }

    /// What a shader has once at most: the payload of its task (GL_EXT_mesh_shader, 4.3.X), and the block of its shader record (GL_EXT_ray_tracing,
    /// 4.4.5).
    fn check_single_variables(&mut self) {
        let is_payload = |layout: &Layout| layout.interface.iter().any(|word| word == "taskPayloadSharedEXT");
        let is_record = |layout: &Layout| {
            layout.other.iter().any(|(name, _)| name == "shaderrecordext" || name == "shaderrecordnv")
        };
        self.check_single("variable with `taskPayloadSharedEXT`", is_payload);
        self.check_single("block with `shaderRecordEXT`", is_record);
    }

    fn check_single(&mut self, what: &str, is_one: impl Fn(&Layout) -> bool) {
        let globals = self.module.items.iter().filter_map(|item| match item {
            Item::Global(id) => Some(*id),
            _ => None,
        });
        let all: Vec<GlobalId> = globals.filter(|id| is_one(&self.module.globals[*id].layout)).collect();
        let Some((&first, others)) = all.split_first() else { return };
        for &other in others {
            let message = format!("a shader has one {what} at most");
            let related = vec![(Place::Definition(Definition::Global(first)), "the first one".to_owned())];
            let range = self.module.globals[other].name_range;
            self.report_with(&codes::QUALIFIER_MISUSE, range, message, related);
        }
    }

    /// Counts and primitives are the same in all declarations (GLSL 4.60, section 4.4.2.3; GL_EXT_mesh_shader, 4.4.2.5). In one declaration the last counts
    /// (GLSL 4.60, section 4.4).
    fn check_repeated_layouts(&mut self) {
        const COUNTS: [&str; 4] = ["max_vertices", "max_primitives", "vertices", "invocations"];
        let layouts = &self.module.default_layouts;
        let mut found = Vec::new();
        for (index, later) in layouts.iter().enumerate().take(MOST) {
            let is_primitive = PRIMITIVES.contains(&later.name.as_str());
            let differs = |earlier: &&DefaultLayout| {
                earlier.storage == later.storage
                    && earlier.range != later.range
                    && match is_primitive {
                        true => PRIMITIVES.contains(&earlier.name.as_str()) && earlier.name != later.name,
                        false => {
                            COUNTS.contains(&later.name.as_str())
                                && earlier.name == later.name
                                && earlier.value.zip(later.value).is_some_and(|(a, b)| a != b)
                        }
                    }
            };
            if let Some(earlier) = layouts[..index].iter().find(differs) {
                let message = match is_primitive {
                    true => {
                        format!("`{}` contradicts `{}` in an earlier declaration", later.name, earlier.name)
                    }
                    false => format!("`{}` has a different value in an earlier declaration", later.name),
                };
                let related = vec![(Place::Here(earlier.range), "the first declaration".to_owned())];
                found.push((later.range, message, related));
            }
        }
        for (range, message, related) in found {
            self.report_with(&codes::LAYOUT_VALUE, range, message, related);
        }
    }

    /// What a stage has to say of its primitives (GLSL 4.60, sections 4.4.1.2 and 4.4.2; GL_EXT_mesh_shader, 4.4.2.5).
    fn check_needed_layouts(&mut self, stage: Stage) {
        let main = self
            .module
            .functions
            .iter()
            .find(|(_, function)| function.name == "main" && function.body.is_some());
        let Some((_, main)) = main else { return };
        let range = main.name_range;
        // GL_NV_geometry_shader_passthrough: such a shader makes the primitives that it takes.
        let globals = self.module.globals.iter();
        let passes = globals
            .map(|(_, global)| &global.layout.other)
            .any(|names| names.iter().any(|(name, _)| name == "passthrough"));
        let has = |needed: &&Needed| {
            let mut layouts = self.module.default_layouts.iter();
            layouts.any(|layout| {
                layout.storage == needed.storage && needed.names.contains(&layout.name.as_str())
            })
        };
        let missing: Vec<String> = NEEDED
            .iter()
            .filter(|needed| needed.stage == stage && !(passes && needed.storage == Storage::Out))
            .filter(|needed| !has(needed))
            .map(|needed| format!("`{}`", needed.example))
            .collect();
        let message = match missing.as_slice() {
            [] => return,
            [only] => format!("a {} shader needs {only}, for example", stage.name()),
            [first @ .., last] => {
                format!("a {} shader needs {} and {last}, for example", stage.name(), first.join(", "))
            }
        };
        self.report(&codes::MISSING_LAYOUT, range, message);
    }
}

/// The primitives of all stages.
const PRIMITIVES: [&str; 9] = [
    "points",
    "lines",
    "lines_adjacency",
    "triangles",
    "triangles_adjacency",
    "line_strip",
    "triangle_strip",
    "quads",
    "isolines",
];

struct Needed {
    stage: Stage,
    storage: Storage,
    /// One of these is there.
    names: &'static [&'static str],
    example: &'static str,
}

const fn needed(
    stage: Stage,
    storage: Storage,
    names: &'static [&'static str],
    example: &'static str,
) -> Needed {
    Needed { stage, storage, names, example }
}

const NEEDED: [Needed; 8] = [
    needed(
        Stage::Geometry,
        Storage::In,
        &["points", "lines", "lines_adjacency", "triangles", "triangles_adjacency"],
        "layout(triangles) in;",
    ),
    needed(
        Stage::Geometry,
        Storage::Out,
        &["points", "line_strip", "triangle_strip"],
        "layout(triangle_strip) out;",
    ),
    needed(Stage::Geometry, Storage::Out, &["max_vertices"], "layout(max_vertices = 3) out;"),
    needed(Stage::TessControl, Storage::Out, &["vertices"], "layout(vertices = 3) out;"),
    needed(Stage::TessEvaluation, Storage::In, &["triangles", "quads", "isolines"], "layout(triangles) in;"),
    needed(Stage::Mesh, Storage::Out, &["points", "lines", "triangles"], "layout(triangles) out;"),
    needed(Stage::Mesh, Storage::Out, &["max_vertices"], "layout(max_vertices = 64) out;"),
    needed(Stage::Mesh, Storage::Out, &["max_primitives"], "layout(max_primitives = 126) out;"),
];
