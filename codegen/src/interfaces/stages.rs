//! What an entry point says of its stage: the execution model, and the modes that `layout(...) in;` and `out;` become.

use coopmat_analysis::config::Stage;
use coopmat_analysis::extensions::{ExtensionId, ids};
use coopmat_analysis::hir::{DefaultLayout, Storage};
use coopmat_spirv::inst;
use rspirv::dr::Operand;
use rspirv::spirv::{BuiltIn, ExecutionMode, ExecutionModel, Op, Word};

use crate::builtins::ray_query::PRIMITIVE_CULLING;
use crate::codegen::{Codegen, Emit};
use crate::target::SpirvVersion;

/// A name in `layout(...)` that becomes a mode.
struct Mode {
    stage: Stage,
    storage: Storage,
    name: &'static str,
    mode: ExecutionMode,
}

const fn mode(stage: Stage, storage: Storage, name: &'static str, mode: ExecutionMode) -> Mode {
    Mode { stage, storage, name, mode }
}

const FRAGMENT: &[(&str, ExecutionMode)] = &[
    ("early_fragment_tests", ExecutionMode::EarlyFragmentTests),
    ("post_depth_coverage", ExecutionMode::PostDepthCoverage),
    ("pixel_interlock_ordered", ExecutionMode::PixelInterlockOrderedEXT),
    ("pixel_interlock_unordered", ExecutionMode::PixelInterlockUnorderedEXT),
    ("sample_interlock_ordered", ExecutionMode::SampleInterlockOrderedEXT),
    ("sample_interlock_unordered", ExecutionMode::SampleInterlockUnorderedEXT),
    ("shading_rate_interlock_ordered", ExecutionMode::ShadingRateInterlockOrderedEXT),
    ("shading_rate_interlock_unordered", ExecutionMode::ShadingRateInterlockUnorderedEXT),
    ("early_and_late_fragment_tests_amd", ExecutionMode::EarlyAndLateFragmentTestsAMD),
    ("stencil_ref_unchanged_front_amd", ExecutionMode::StencilRefUnchangedFrontAMD),
    ("stencil_ref_greater_front_amd", ExecutionMode::StencilRefGreaterFrontAMD),
    ("stencil_ref_less_front_amd", ExecutionMode::StencilRefLessFrontAMD),
    ("stencil_ref_unchanged_back_amd", ExecutionMode::StencilRefUnchangedBackAMD),
    ("stencil_ref_greater_back_amd", ExecutionMode::StencilRefGreaterBackAMD),
    ("stencil_ref_less_back_amd", ExecutionMode::StencilRefLessBackAMD),
    ("non_coherent_color_attachment_readext", ExecutionMode::NonCoherentColorAttachmentReadEXT),
    ("non_coherent_depth_attachment_readext", ExecutionMode::NonCoherentDepthAttachmentReadEXT),
    ("non_coherent_stencil_attachment_readext", ExecutionMode::NonCoherentStencilAttachmentReadEXT),
    ("non_coherent_attachment_readqcom", ExecutionMode::NonCoherentTileAttachmentReadQCOM),
    ("full_quads", ExecutionMode::RequireFullQuadsKHR),
    ("quad_derivatives", ExecutionMode::QuadDerivativesKHR),
];

const MODES: &[Mode] = {
    use ExecutionMode as M;
    use Stage::{Geometry, Mesh, TessControl, TessEvaluation};
    use Storage::{In, Out};
    &[
        mode(Geometry, In, "points", M::InputPoints),
        mode(Geometry, In, "lines", M::InputLines),
        mode(Geometry, In, "lines_adjacency", M::InputLinesAdjacency),
        mode(Geometry, In, "triangles", M::Triangles),
        mode(Geometry, In, "triangles_adjacency", M::InputTrianglesAdjacency),
        mode(Geometry, In, "invocations", M::Invocations),
        mode(Geometry, Out, "points", M::OutputPoints),
        mode(Geometry, Out, "line_strip", M::OutputLineStrip),
        mode(Geometry, Out, "triangle_strip", M::OutputTriangleStrip),
        mode(Geometry, Out, "max_vertices", M::OutputVertices),
        mode(TessControl, Out, "vertices", M::OutputVertices),
        mode(TessEvaluation, In, "triangles", M::Triangles),
        mode(TessEvaluation, In, "quads", M::Quads),
        mode(TessEvaluation, In, "isolines", M::Isolines),
        mode(TessEvaluation, In, "equal_spacing", M::SpacingEqual),
        mode(TessEvaluation, In, "fractional_even_spacing", M::SpacingFractionalEven),
        mode(TessEvaluation, In, "fractional_odd_spacing", M::SpacingFractionalOdd),
        mode(TessEvaluation, In, "cw", M::VertexOrderCw),
        mode(TessEvaluation, In, "ccw", M::VertexOrderCcw),
        mode(TessEvaluation, In, "point_mode", M::PointMode),
        mode(Mesh, Out, "points", M::OutputPoints),
        mode(Mesh, Out, "lines", M::OutputLinesEXT),
        mode(Mesh, Out, "triangles", M::OutputTrianglesEXT),
        mode(Mesh, Out, "max_vertices", M::OutputVertices),
        mode(Mesh, Out, "max_primitives", M::OutputPrimitivesEXT),
    ]
};

/// What a stage has where the shader does not say otherwise: one of the first, the second else.
const DEFAULTS: &[(Stage, &[ExecutionMode], ExecutionMode, &[u32])] = {
    use ExecutionMode as M;
    &[
        (Stage::Geometry, &[M::Invocations], M::Invocations, &[1]),
        (
            Stage::TessEvaluation,
            &[M::SpacingEqual, M::SpacingFractionalEven, M::SpacingFractionalOdd],
            M::SpacingEqual,
            &[],
        ),
        (Stage::TessEvaluation, &[M::VertexOrderCw, M::VertexOrderCcw], M::VertexOrderCcw, &[]),
    ]
};

/// Vertices of the primitives that geometry shaders take.
const PRIMITIVES: &[(&str, u32)] =
    &[("points", 1), ("lines", 2), ("lines_adjacency", 4), ("triangles", 3), ("triangles_adjacency", 6)];

/// What critical sections of fragments are about: a stage has one of them.
const INTERLOCKS: [ExecutionMode; 6] = [
    ExecutionMode::PixelInterlockOrderedEXT,
    ExecutionMode::PixelInterlockUnorderedEXT,
    ExecutionMode::SampleInterlockOrderedEXT,
    ExecutionMode::SampleInterlockUnorderedEXT,
    ExecutionMode::ShadingRateInterlockOrderedEXT,
    ExecutionMode::ShadingRateInterlockUnorderedEXT,
];

/// How `gl_FragDepth` is declared again.
const DEPTHS: &[(&str, ExecutionMode)] = &[
    ("depth_greater", ExecutionMode::DepthGreater),
    ("depth_less", ExecutionMode::DepthLess),
    ("depth_unchanged", ExecutionMode::DepthUnchanged),
];

/// Whether a stage has only one of two modes.
fn excludes(mode: ExecutionMode, other: ExecutionMode) -> bool {
    mode != other && INTERLOCKS.contains(&mode) && INTERLOCKS.contains(&other)
}

impl<'a> Codegen<'a> {
    /// The execution model, with the capability that it needs.
    pub fn execution_model(&mut self) -> Emit<ExecutionModel> {
        let older_mesh = self.older_alone(ids::GL_NV_MESH_SHADER, ids::GL_EXT_MESH_SHADER);
        let model = match self.stage() {
            Stage::Task if older_mesh => ExecutionModel::TaskNV,
            Stage::Mesh if older_mesh => ExecutionModel::MeshNV,
            Stage::Vertex => ExecutionModel::Vertex,
            Stage::TessControl => ExecutionModel::TessellationControl,
            Stage::TessEvaluation => ExecutionModel::TessellationEvaluation,
            Stage::Geometry => ExecutionModel::Geometry,
            Stage::Fragment => ExecutionModel::Fragment,
            Stage::Compute => ExecutionModel::GLCompute,
            Stage::Task => ExecutionModel::TaskEXT,
            Stage::Mesh => ExecutionModel::MeshEXT,
            Stage::RayGeneration => ExecutionModel::RayGenerationKHR,
            Stage::Intersection => ExecutionModel::IntersectionKHR,
            Stage::AnyHit => ExecutionModel::AnyHitKHR,
            Stage::ClosestHit => ExecutionModel::ClosestHitKHR,
            Stage::Miss => ExecutionModel::MissKHR,
            Stage::Callable => ExecutionModel::CallableKHR,
        };
        let older = match self.stage() {
            Stage::Task | Stage::Mesh => older_mesh,
            _ => self.older_alone(ids::GL_NV_RAY_TRACING, ids::GL_EXT_RAY_TRACING),
        };
        if self.stage() as u32 > Stage::Compute as u32 && !older {
            let name = format!("a shader of the {} stage", self.stage().name());
            self.needs_version(SpirvVersion::V1_4, &name)?;
        }
        self.require(&Operand::ExecutionModel(model));
        Ok(model)
    }

    /// Whether a shader enables an older extension and not the one that replaced it: its modules need no newer SPIR-V.
    pub(super) fn older_alone(&self, older: ExtensionId, newer: ExtensionId) -> bool {
        self.has_extension(older) && !self.has_extension(newer)
    }

    /// The number behind a name in `layout(...) in;` and its like.
    pub(super) fn default_number(&self, name: &str) -> Option<u32> {
        self.hir
            .default_layouts
            .iter()
            .rev()
            .filter(|layout| layout.name == name)
            .find_map(|layout| layout.value)
    }

    /// How many vertices a geometry shader sees of each primitive.
    pub(super) fn input_primitive(&self) -> Option<u32> {
        let inputs = || self.hir.default_layouts.iter().filter(|layout| layout.storage == Storage::In);
        PRIMITIVES
            .iter()
            .find(|(name, _)| inputs().any(|layout| layout.name == *name))
            .map(|(_, count)| *count)
    }

    /// How many vertices each primitive of a mesh has.
    pub(super) fn output_primitive(&self) -> u32 {
        let mut outputs = self.hir.default_layouts.iter().filter(|layout| layout.storage == Storage::Out);
        let found = outputs.find_map(|layout| PRIMITIVES.iter().find(|(name, _)| *name == layout.name));
        found.map_or(1, |(_, count)| *count)
    }

    /// The modes of the stage, as the shader declares them and as the language has them.
    pub fn declare_modes(&mut self, main: Word) {
        let mut modes: Vec<(ExecutionMode, Vec<u32>)> = Vec::new();
        let stage = self.stage();
        for mode in std::mem::take(&mut self.globals.builtins.modes) {
            if !modes.iter().any(|(known, _)| *known == mode) {
                modes.push((mode, Vec::new()));
            }
        }
        if stage == Stage::Fragment {
            modes.push((ExecutionMode::OriginUpperLeft, Vec::new()));
            self.fragment_modes(&mut modes);
        }
        for layout in &self.hir.default_layouts {
            self.b.at = layout.range;
            match self.mode_of(layout) {
                Some(mode) => {
                    if modes.iter().any(|(known, _)| excludes(*known, mode)) {
                        self.fail(format!("`layout({})` contradicts an earlier declaration", layout.name));
                    } else if !modes.iter().any(|(known, _)| *known == mode) {
                        modes.push((mode, layout.value.into_iter().collect()));
                    }
                }
                // A capability rather than a mode.
                None if layout.name == PRIMITIVE_CULLING => {}
                None if self.is_default(layout) => {}
                None => {
                    self.fail(format!("`layout({})` is not supported in compiled shaders", layout.name));
                }
            }
        }
        // GL_ARB_post_depth_coverage: it "implicitly enables early_fragment_tests".
        let has = |mode| modes.iter().any(|(known, _)| *known == mode);
        if has(ExecutionMode::PostDepthCoverage) && !has(ExecutionMode::EarlyFragmentTests) {
            modes.push((ExecutionMode::EarlyFragmentTests, Vec::new()));
        }
        if stage == Stage::Geometry {
            self.passed_through(&mut modes);
        }
        // GL_ARB_fragment_shader_interlock: "If no interlock ordering qualifier is declared, pixel_interlock_ordered is assumed".
        if self.globals.builtins.interlocked && !modes.iter().any(|(known, _)| INTERLOCKS.contains(known)) {
            modes.push((ExecutionMode::PixelInterlockOrderedEXT, Vec::new()));
        }
        for (of, any, mode, operands) in DEFAULTS {
            if *of == stage && !modes.iter().any(|(known, _)| any.contains(known)) {
                modes.push((*mode, operands.to_vec()));
            }
        }
        for (mode, operands) in modes {
            self.declare_mode(main, mode, &operands);
        }
    }

    /// GL_NV_geometry_shader_passthrough: such a shader makes the primitives that it takes, and declares none.
    fn passed_through(&self, modes: &mut Vec<(ExecutionMode, Vec<u32>)>) {
        let has = |name: &str| {
            let globals = self.hir.globals.iter();
            globals.flat_map(|(_, global)| &global.layout.other).any(|(known, _)| known == name)
        };
        if !has("passthrough") {
            return;
        }
        let taken = modes.iter().find_map(|(mode, _)| match mode {
            ExecutionMode::InputPoints => Some((ExecutionMode::OutputPoints, 1)),
            ExecutionMode::InputLines => Some((ExecutionMode::OutputLineStrip, 2)),
            ExecutionMode::Triangles => Some((ExecutionMode::OutputTriangleStrip, 3)),
            _ => None,
        });
        let Some((made, vertices)) = taken else { return };
        for (mode, operands) in [(made, Vec::new()), (ExecutionMode::OutputVertices, vec![vertices])] {
            if !modes.iter().any(|(known, _)| *known == mode) {
                modes.push((mode, operands));
            }
        }
    }

    fn declare_mode(&mut self, main: Word, mode: ExecutionMode, numbers: &[u32]) {
        let operand = Operand::ExecutionMode(mode);
        self.require(&operand);
        let numbers = numbers.iter().map(|&number| Operand::LiteralBit32(number));
        let operands = [Operand::IdRef(main), operand].into_iter().chain(numbers).collect();
        self.b.module.execution_modes.push(inst(Op::ExecutionMode, None, None, operands));
    }

    fn mode_of(&self, layout: &DefaultLayout) -> Option<ExecutionMode> {
        let stage = self.stage();
        if stage == Stage::Fragment {
            let known = FRAGMENT.iter().find(|(name, _)| *name == layout.name);
            return known.map(|(_, mode)| *mode);
        }
        let is_it =
            |mode: &&Mode| mode.stage == stage && mode.storage == layout.storage && mode.name == layout.name;
        MODES.iter().find(is_it).map(|mode| mode.mode)
    }

    /// What sets a default for outputs, or is looked at elsewhere, and is no mode.
    fn is_default(&self, layout: &DefaultLayout) -> bool {
        let of_outputs = ["xfb_buffer", "xfb_stride", "stream"].contains(&layout.name.as_str());
        layout.name == PRIMITIVE_CULLING || (of_outputs && layout.storage == Storage::Out)
    }

    /// What built-in variables of fragments make of the stage.
    fn fragment_modes(&mut self, modes: &mut Vec<(ExecutionMode, Vec<u32>)>) {
        let named = |name: &str| {
            let globals = self.hir.globals.iter();
            let mut names = globals.flat_map(|(_, global)| &global.layout.other);
            names.any(|(known, _)| known == name)
        };
        for builtin in &self.globals.builtins.written {
            match builtin {
                BuiltIn::FragDepth => {
                    modes.push((ExecutionMode::DepthReplacing, Vec::new()));
                    let depth = DEPTHS.iter().find(|(name, _)| named(name));
                    modes.extend(depth.map(|(_, mode)| (*mode, Vec::new())));
                }
                BuiltIn::FragStencilRefEXT => modes.push((ExecutionMode::StencilRefReplacingEXT, Vec::new())),
                _ => {}
            }
        }
    }
}
