//! Shader stages, and what files, pragmas and sentences call them.

/// A stage of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Once for each vertex.
    Vertex,
    /// Once for each vertex of a patch.
    TessControl,
    /// Once for each vertex that tessellation makes.
    TessEvaluation,
    /// Once for each primitive.
    Geometry,
    /// Once for each fragment.
    Fragment,
    /// A dispatch of workgroups.
    Compute,
    /// Workgroups that start mesh shaders (GL_EXT_mesh_shader).
    Task,
    /// Workgroups that make primitives (GL_EXT_mesh_shader).
    Mesh,
    /// Where rays begin (GL_EXT_ray_tracing, as the following).
    RayGeneration,
    /// Whether a ray meets something that is no triangle.
    Intersection,
    /// At each intersection that may be the closest.
    AnyHit,
    /// At the closest intersection.
    ClosestHit,
    /// When there is no intersection.
    Miss,
    /// Called by other shaders of ray tracing.
    Callable,
}

impl Stage {
    /// Every stage, in the order of the declaration.
    pub const ALL: [Stage; 14] = [
        Stage::Vertex,
        Stage::TessControl,
        Stage::TessEvaluation,
        Stage::Geometry,
        Stage::Fragment,
        Stage::Compute,
        Stage::Task,
        Stage::Mesh,
        Stage::RayGeneration,
        Stage::Intersection,
        Stage::AnyHit,
        Stage::ClosestHit,
        Stage::Miss,
        Stage::Callable,
    ];

    /// What `#pragma shader_stage` calls it, how it reads in a sentence, and the extension of its files.
    const fn names(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Stage::Vertex => ("vertex", "vertex", "vert"),
            Stage::TessControl => ("tesscontrol", "tessellation control", "tesc"),
            Stage::TessEvaluation => ("tesseval", "tessellation evaluation", "tese"),
            Stage::Geometry => ("geometry", "geometry", "geom"),
            Stage::Fragment => ("fragment", "fragment", "frag"),
            Stage::Compute => ("compute", "compute", "comp"),
            Stage::Task => ("task", "task", "task"),
            Stage::Mesh => ("mesh", "mesh", "mesh"),
            Stage::RayGeneration => ("rgen", "ray generation", "rgen"),
            Stage::Intersection => ("rint", "intersection", "rint"),
            Stage::AnyHit => ("rahit", "any-hit", "rahit"),
            Stage::ClosestHit => ("rchit", "closest-hit", "rchit"),
            Stage::Miss => ("rmiss", "miss", "rmiss"),
            Stage::Callable => ("rcall", "callable", "rcall"),
        }
    }

    /// The stage that `#pragma shader_stage(NAME)` names.
    pub(crate) fn of_pragma(name: &str) -> Option<Stage> {
        Stage::ALL.into_iter().find(|stage| stage.names().0 == name)
    }

    /// As it reads in a sentence: "compute shaders".
    pub fn name(self) -> &'static str {
        self.names().1
    }

    /// The extension of its files, by which the command line names it too.
    pub fn extension(self) -> &'static str {
        self.names().2
    }

    /// The stage of a file by its name: `x.comp`, and `x.comp.glsl` as many editors like it. Headers have none.
    pub fn of_path(path: &str) -> Option<Stage> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let name = name.strip_suffix(".glsl").unwrap_or(name);
        let extension = name.rsplit_once('.')?.1;
        Stage::ALL.into_iter().find(|stage| stage.extension() == extension)
    }
}
